"""Cost of the gradient of a motion with respect to 100 parameters: a hanging cable whose elements have 100 different
axial stiffnesses falls for 1000 steps.

usage: windlass run benchmarks/gradient_cost.py
"""

from collections.abc import Mapping
from time import process_time
from typing import Any

import windlass as wl
from windlass import connectors as con
from windlass.elements import nodes_of, straight_cable

ELEMENTS, STEPS, STEP = 2000, 1000, 2e-3
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


world, _ = swing(SIZES)
solver = motion(world)
start = process_time()
solver.solve()
forward = process_time() - start
start = process_time()
found = wl.evaluate_objective(swing, SIZES, motion, wl.end_value("y"))
gradient = process_time() - start
print(f"motion {forward:.1f} s, gradient {gradient:.1f} s: {gradient / forward:.1f} motions; {found.value:.6f} m")
