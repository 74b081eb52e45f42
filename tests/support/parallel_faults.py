"""Program for mpiexec: a hanging rope with a fault of one process or of the model, chosen by -fault."""

import math
import os
import sys

import windlass as wl

RANK = int(os.environ.get("OMPI_COMM_WORLD_RANK", "0"))
FAULT = sys.argv[sys.argv.index("-fault") + 1] if "-fault" in sys.argv else ""
STEP = 1e-3

if FAULT == "early" and RANK == 1:
    raise ValueError("before the model")
if FAULT == "everywhere":
    wl.World(gravity=(math.nan, 0.0))

import numpy as np  # noqa: E402

from windlass.connectors import CoordinateSpringDamper, coordinate_marker, hinge  # noqa: E402
from windlass.elements import MassPoint, Point2D, nodes_of, straight_cable  # noqa: E402

fault = wl.option("fault", "", "", "what goes wrong")
elements = wl.option("elements", 12, "1", "number of cables", minimum=1)
solver = wl.option("solver", "dynamic", "", "static, dynamic or explicit, or some of them with commas between")

world = wl.World(gravity=(0.0, -9.81))
rope = straight_cable(
    world, (0, 0), (0, -1), elements, axial_stiffness=1e3, bending_stiffness=1e-3, mass_per_length=0.2, name="rope"
)
nodes = nodes_of(world, rope)
hinge(world, nodes[0])
if FAULT == "loose":
    world.add(Point2D, position=(1.0, 0.0), name="forgotten")


def spring(t: float, row: int, u: float, v: float, stiffness: float, damping: float, offset: float) -> float:
    """Force function of a spring at the tip, which fails after some time on the process that evaluates the spring."""
    if FAULT == "function" and t > 2 * STEP:
        raise ZeroDivisionError("in the force function")
    if FAULT == "nan" and t > 2 * STEP:
        return math.nan
    return stiffness * u


tip = coordinate_marker(world, nodes[elements], "x")
world.add(CoordinateSpringDamper, marker1=tip, stiffness=1.0, force_function=spring)

if FAULT == "built" and RANK == 1:
    raise wl.ModelError("radius = -1 m on one process")
if FAULT == "exit" and RANK == 1:
    sys.exit(3)
if FAULT == "early end" and RANK == 1:
    sys.exit(0)
if FAULT == "constraint" and RANK == 1:
    hinge(world, nodes[elements])
if FAULT == "random":
    world.add(MassPoint, position=(2.0, 0.0), mass=1.0 + np.random.default_rng().uniform())
if FAULT == "step":
    STEP *= 1 + RANK
if FAULT == "words" and RANK == 1:
    sys.exit("the words of one process")


def hook(state: wl.State) -> None:
    """Hook that fails on one process."""
    if FAULT in ("hook", "caught") and RANK == 1 and state.step == 2:
        raise OSError("in the hook")
    if FAULT == "end in hook" and RANK == 1 and state.step == 2:
        sys.exit(0)
    if FAULT == "caught everywhere" and state.step == 2:
        raise OSError("in the hook")
    if FAULT == "state" and RANK == 1 and state.step == 2:
        state.v[:] = math.nan
        state.q[:] = math.nan


def leave_loop() -> None:
    """Loop over the steps of a solve, and leave the loop by `break` after the second step on one process or on all
    processes.
    """
    others = FAULT in ("break everywhere", "break held")
    held = "held" in FAULT
    steps = wl.Dynamic(world, step=STEP, end=5 * STEP).march()
    for state in steps if held else wl.Dynamic(world, step=STEP, end=5 * STEP).march():
        if state.step == 2 and (RANK == 1 or others):
            break
        if FAULT == "break held, gather in the loop":
            state.gather()
    if FAULT == "break held" and RANK == 1:
        steps.close()  # type: ignore[attr-defined]
    if "then gather" in FAULT:
        state.gather()
    print("left", flush=True)


if FAULT.startswith("break"):
    leave_loop()


def solve(kind: str) -> None:
    """Solve and print the position of the tip."""
    if kind == "static":
        run = wl.Static(world, load_steps=3).solve
    elif kind == "dynamic":
        run = wl.Dynamic(world, step=STEP, end=5 * STEP).solve
    else:
        run = wl.Explicit(world, step=1e-5, end=3e-3).solve
    q = run(hooks=[hook]).gather().q
    if wl.is_first_process():
        print("tip", np.round(q[-4:-2], 6), flush=True)


for kind in solver.split(","):
    try:
        solve(kind)
    except OSError:
        if not FAULT.startswith("caught"):
            raise
        print("went on", flush=True)
if FAULT == "end between" and RANK == 1:
    sys.exit(0)
if FAULT == "end between":
    solve("static")
