"""Cost of the gradient of a motion with respect to 100 parameters: a hanging cable whose elements have 100 different
axial stiffnesses falls for 1000 steps. The motion with and without its gradient is computed alternately in one process.
The first round is not counted.

usage: windlass run benchmarks/gradient_cost.py
"""

from collections.abc import Mapping
from statistics import median
from time import process_time
from typing import Any

import windlass as wl
from windlass import connectors as con
from windlass.elements import nodes_of, straight_cable

ELEMENTS, STEPS, STEP, ROUNDS = 2000, 1000, 2e-3, 5
SIZES = {f"EA{k}": 1e4 * (1.0 + 0.01 * k) for k in range(100)}  # axial stiffnesses [N]


def swing(p: Mapping[str, float]) -> Any:
    """Create the cable."""
    world = wl.World(gravity=(0.0, -9.81))
    values = list(p.values())
    cable = straight_cable(
        world, (0.0, 0.0), (20.0, 0.0), ELEMENTS, axial_stiffness=[values[k % 100] for k in range(ELEMENTS)],
        bending_stiffness=0.5, mass_per_length=0.5, axial_damping=0.5,
    )  # fmt: skip
    nodes = nodes_of(world, cable)
    con.hinge(world, nodes[[0]])
    return world, lambda state: {"y": float(state.of(nodes[ELEMENTS])[0, 1])}


def motion(world: wl.World) -> wl.Dynamic:
    """Create the solver."""
    return wl.Dynamic(world, step=STEP, end=STEPS * STEP, adaptive=False)


def time_motion() -> float:
    """Return the process time [s] of the motion without a gradient."""
    world, _ = swing(SIZES)
    solver = motion(world)
    start = process_time()
    solver.solve()
    return process_time() - start


def time_gradient() -> float:
    """Return the process time [s] of the motion with its gradient."""
    start = process_time()
    wl.evaluate_objective(swing, SIZES, motion, wl.end_value("y"))
    return process_time() - start


time_motion(), time_gradient()  # the first calls read compiled kernels
ratios = list[float]()
for number in range(ROUNDS):
    forward, gradient = time_motion(), time_gradient()
    ratios.append(gradient / forward)
    print(
        f"round {number + 1}: motion {forward:.2f} s, gradient {gradient:.2f} s: {ratios[-1]:.2f} motions", flush=True
    )
print(f"median of {ROUNDS} rounds: {median(ratios):.2f} motions")
