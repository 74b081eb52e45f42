"""Program that solves a chain of cables between two supports in Windlass and prints one RESULT line.

    windlass run chain_windlass.py -elements 1000 -rule 0 -case dynamic
    windlass run chain_windlass.py -elements 100000 -build_only

The cables are prestretched and at first straight. Gravity bends the cables down; the static case has 1/1000 of the
weight. The file peers/chain_exudyn.py contains this model for Exudyn. Only the solve is timed, without the set-up of
the solver. A tiny chain is solved first, to load the kernels.
"""

import json
import platform
import resource
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import windlass as wl
from windlass import connectors as con
from windlass.elements import nodes_of, straight_cable

# data of one cable: length [m], width and height [m] of the section, modulus [Pa], density [kg/m^3]
LENGTH, SIDE, MODULUS, DENSITY = 0.1, 0.02, 1e9, 1000.0
PRESTRAIN = -0.01
STEP = 1e-3  # step size [s]
WARM_UP_ELEMENTS = 20


class Chain(NamedTuple):
    """A chain in a world that is not finalized: its nodes in order, and the supports in x, y (and z) of both ends."""

    world: wl.World
    nodes: wl.Entity
    supports: wl.Entity


def add_chain(world: wl.World, elements: int, rule: int, space: bool = False) -> wl.Entity:
    """Add the cables of the chain, 2D or 3D, without supports."""
    rest = (0.0, 0.0) if space else (0.0,)
    EA = MODULUS * SIDE**2
    return straight_cable(
        world,
        (0.0, *rest),
        (LENGTH * elements, *rest),
        elements,
        axial_stiffness=EA,
        bending_stiffness=MODULUS * SIDE**4 / 12,
        mass_per_length=DENSITY * SIDE**2,
        axial_damping=1e-3 * EA,
        reference_strain=PRESTRAIN,
        integration=rule,
    )


def build_chain(elements: int, rule: int, gravity: float, space: bool = False) -> Chain:
    """Build the chain with arrays, with gravity [m/s^2] downwards."""
    world = wl.World(gravity=(0.0, -gravity))
    cables = add_chain(world, elements, rule, space)
    nodes = nodes_of(world, cables)
    return Chain(world, nodes, con.hinge(world, nodes[np.array([0, -1])]))


def create_solver(world: wl.World, case: str, steps: int, rtol: float) -> Any:
    """Create the solver of a case, ``"static"`` (one load step) or ``"dynamic"``, with a new Jacobian in each iteration
    and a constant step size.
    """
    tolerances: dict[str, Any] = {"rtol": rtol, "atol": 1e-9, "adaptive": False}
    if case == "static":
        return wl.Static(world, max_it=20, **tolerances)
    return wl.Dynamic(world, step=STEP, end=steps * STEP, lag=False, **tolerances)


class Clock(wl.StepHook):
    """Hook that records times [s] and iterations at the start of the solve, or after a number of steps."""

    def __init__(self, solver: Any, after: int) -> None:
        self._statistics, self._after = solver.statistics, after
        self._note()

    def after_step(self, state: wl.State) -> None:
        """Restart the counts after the given step."""
        if self._statistics.steps == self._after:
            self._note()

    def idle_steps(self, state: wl.State, size: float) -> wl.IdleSteps:
        """Return the steps before the next step at which this hook records data."""
        left = self._after - self._statistics.steps - 1
        return wl.IdleSteps(left if left >= 0 else sys.maxsize)

    def _note(self) -> None:
        self.iterations = self._statistics.newton_iterations
        self.wall, self.cpu = time.perf_counter(), time.process_time()


def read_memory() -> dict[str, int]:
    """Return the present and the maximum memory [B] of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    peak = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"now": pages * resource.getpagesize(), "peak": peak}


def print_result(times: tuple[float, float], counts: dict[str, int], **more: dict[str, Any]) -> None:
    """Print the RESULT line; times are process time and elapsed time [s]."""
    versions = {"windlass": wl.__version__, "petsc4py": version("petsc4py"), "python": platform.python_version()}
    result = {"cpu": times[0], "wall": times[1], "counts": counts, "versions": versions, "answers": {}}
    print("RESULT " + json.dumps(result | more))


def main() -> None:
    """Run the case of the command line."""
    elements = wl.option("elements", 1000, "1", "number of cables", minimum=2)
    rule = wl.option("rule", 2, "1", "integration rule", minimum=0, maximum=2)
    case = wl.option("case", "dynamic", "", "kind of solve", choices=("static", "dynamic"))
    steps = wl.option("steps", 5, "1", "time steps of the dynamic case", minimum=1)
    after = wl.option("after", 0, "1", "steps before the clock starts", minimum=0)
    repeats = wl.option("repeats", 1, "1", "solves from the same start, all timed together", minimum=1)
    rtol = wl.option("rtol", 1e-9, "1", "relative tolerance of Newton", minimum=0.0)
    space = wl.option("space", False, "", "3D cables")
    build_only = wl.option("build_only", False, "", "time building and finalising instead of a solve")
    warm_up = wl.option("warm_up", True, "", "solve a tiny chain first")
    gravity = 9.81 if case == "dynamic" else 9.81e-3
    if warm_up:
        small = build_chain(WARM_UP_ELEMENTS, rule, gravity, space)
        create_solver(small.world, case, 1, rtol).solve()

    memory = read_memory()
    cpu, wall = time.process_time(), time.perf_counter()
    chain = build_chain(elements, rule, gravity, space)
    chain.world.finalize()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    built = read_memory()
    numbering = chain.world.numbering
    counts = {"cables": elements, "coordinates": numbering.count, "constraints": numbering.multiplier_count}
    clock = time.process_time()
    solver = create_solver(chain.world, case, steps, rtol)
    start = wl.State(chain.world)
    # the sparsity of the world is computed here, once for all solvers of the world
    measured = {"set-up of the solver [s]": time.process_time() - clock}
    if build_only:
        for which, value in built.items():
            measured[f"memory of the model, {which} [kB/cable]"] = (value - memory[which]) / 1000 / elements
        measured["with the solver, peak [kB/cable]"] = (read_memory()["peak"] - memory["peak"]) / 1000 / elements
        print_result((cpu, wall), counts, measured=measured)
        return

    cpu = wall = 0.0
    iterations = 0
    for repeat in range(repeats):
        if repeat > 0:
            solver = create_solver(chain.world, case, steps, rtol)
        clock = Clock(solver, after)
        state = solver.solve(start, hooks=[clock] if after else [])
        wall += time.perf_counter() - clock.wall
        cpu += time.process_time() - clock.cpu
        iterations += solver.statistics.newton_iterations - clock.iterations
        if repeat == 0:
            measured["memory in all, peak [kB/cable]"] = (read_memory()["peak"] - memory["peak"]) / 1000 / elements
    counts |= {"steps": repeats * (solver.statistics.steps - after), "newton_iterations": iterations}
    answers = {"support_force_x": abs(float(wl.eval_output(chain.supports[0], "force", state)))}
    for name, node in (("middle", elements // 2), ("quarter", elements // 4), ("first", 1)):
        answers[f"deflection_{name}"] = float(state.of(chain.nodes[node])[0, 1])
    print_result((cpu, wall), counts, answers=answers, measured=measured)


if __name__ == "__main__":
    main()
