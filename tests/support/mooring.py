"""A mooring line on a sea bed with friction, in a current and in waves, with a moving upper end, and a program that
solves it.

Usage: mooring.py OUT.npz [options of Windlass and PETSc]
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import windlass as wl
from windlass import connectors as con
from windlass.elements import Ground, cable_along, hang_from_ground, nodes_of
from windlass.framework.model.table import Entity

TOP = (60.0, 5.0, -1.0)
LENGTH, SUBMERGED = 82.0, 20.0 - 1025.0 * np.pi * 0.08**2 / 4


def build_line(elements: int = 8) -> tuple[wl.World, Entity, Entity, Entity]:
    """Create the line, its loads and its contact with the bed.

    From t = 0 on, the top moves and the line slips over the bed.
    """
    world = wl.World(gravity=(0.0, 0.0, -9.81))
    route = hang_from_ground((0.0, 0.0, -40.0), TOP, LENGTH, 5e6, SUBMERGED, gravity=(0.0, 0.0, -9.81))
    line = cable_along(
        world, route, elements, length=LENGTH / elements, axial_stiffness=5e6, mass_per_length=20.0,
        bending_stiffness=10.0, axial_damping=1e4,
    )  # fmt: skip
    waves = con.jonswap(2.0, 7.0, seed=2, count=12, direction=0.5)
    sea = world.add(
        con.Fluid, density=1025.0, depth=50.0, profile="power", velocity=(0.8, 0.3, 0.0), reference_height=50.0,
        transition=0.3, wave_growth=2.0, **waves,
    )  # fmt: skip
    loads = world.add(con.FluidLoad, cable=line, fluid=sea, diameter=0.08)
    bed = world.add(con.PlaneSurface, marker=con.rigid_marker(world, world.add(Ground)), offset=-40.0)
    contacts = con.add_surface_contact(
        world, bed, line, points=3, contact_stiffness_per_length=1e5, contact_damping_per_length=500.0,
        friction_stiffness_per_length=1e6, friction_velocity_penalty_per_length=500.0, friction_coefficient=0.4,
    )  # fmt: skip
    nodes = nodes_of(world, line)
    con.hinge(world, nodes[0])
    top = nodes[len(nodes) - 1]
    con.fix(world, top, "y")
    times = np.linspace(0.0, 10.0, 101)
    con.prescribe(world, top, "z", con.spline(times, 0.5 * (1.0 - np.cos(0.9 * times))))
    con.prescribe(world, top, "x", con.spline(times, 0.3 * (1.0 - np.cos(1.3 * times))))
    return world, line, loads, contacts


def solve_line(steps: int = 8) -> dict[str, Any]:
    """Solve at rest without friction and in motion with friction. Return coordinates, outputs and iteration counts."""
    world, line, loads, contacts = build_line()
    world.set(contacts, friction_coefficient=0.0)
    static = wl.Static(world, rtol=1e-9, name="")
    rest = static.solve()
    world.set(contacts, friction_coefficient=0.4)
    dynamic = wl.Dynamic(world, step=0.05, end=0.05 * steps, rtol=1e-9, name="")
    end = dynamic.solve(rest)
    outputs = {"tension": wl.eval_output(line, "axial_force", end)}
    outputs |= {name: wl.eval_output(contacts, name, end) for name in ("state", "normal_force", "friction_force")}
    outputs |= {name: wl.eval_output(loads, name, end, x=0.0) for name in ("drag_per_length", "immersion")}
    counts = [static.statistics.newton_iterations, dynamic.statistics.newton_iterations]
    moving = end.gather()
    return {"rest": rest.gather().q, "q": moving.q, "v": moving.v, "newton": counts, **outputs}


def main(path: str) -> None:
    """Solve the model and write the results."""
    found = solve_line()
    if wl.is_first_process():
        np.savez(path, **found)


if __name__ == "__main__":
    main(sys.argv.pop(1))
