"""A mooring line in a current and in waves, whose upper end moves up and down; and a program that solves it.

Usage: mooring.py OUT.npz [options of Windlass and PETSc]
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import windlass as wl
from windlass import connectors as con
from windlass.elements import cable_along, hang_between, nodes_of
from windlass.framework.model.table import Entity

TOP = (60.0, 5.0, -1.0)


def build_line(elements: int = 8) -> tuple[wl.World, Entity, Entity]:
    """The line and its loads; the top moves from t = 0 on."""
    world = wl.World(gravity=(0.0, 0.0, -9.81))
    columns: dict[str, Any] = {"axial_stiffness": 5e6, "mass_per_length": 20.0}
    route = hang_between((0.0, 0.0, -40.0), TOP, 78.0, gravity=(0.0, 0.0, -9.81), **columns)
    line = cable_along(world, route, elements, bending_stiffness=10.0, axial_damping=1e4, **columns)
    waves = con.jonswap(2.0, 7.0, seed=2, count=12, direction=0.5)
    sea = world.add(
        con.Fluid, density=1025.0, depth=50.0, profile="power", velocity=(0.8, 0.3, 0.0), reference_height=50.0,
        transition=0.3, wave_growth=2.0, **waves,
    )  # fmt: skip
    loads = world.add(con.FluidLoad, cable=line, fluid=sea, diameter=0.08)
    nodes = nodes_of(world, line)
    con.hinge(world, nodes[0])
    top = nodes[len(nodes) - 1]
    con.fix(world, top, "x", "y")
    times = np.linspace(0.0, 10.0, 101)
    con.prescribe(world, top, "z", con.spline(times, 0.5 * (1.0 - np.cos(0.9 * times))))
    return world, line, loads


def solve_line(steps: int = 8) -> dict[str, Any]:
    """At rest, then in motion: coordinates and some outputs of both, and counts of iterations."""
    world, line, loads = build_line()
    static = wl.Static(world, rtol=1e-11, name="")
    rest = static.solve()
    dynamic = wl.Dynamic(world, step=0.05, end=0.05 * steps, rtol=1e-11, name="")
    end = dynamic.solve(rest)
    outputs = {"tension": wl.eval_output(line, "axial_force", end)}
    outputs |= {name: wl.eval_output(loads, name, end, x=0.0) for name in ("drag_per_length", "immersion")}
    counts = [static.statistics.newton_iterations, dynamic.statistics.newton_iterations]
    moving = end.gather()
    return {"rest": rest.gather().q, "q": moving.q, "v": moving.v, "newton": counts, **outputs}


def main(path: str) -> None:
    """Solve and write."""
    found = solve_line()
    if wl.is_first_process():
        np.savez(path, **found)


if __name__ == "__main__":
    main(sys.argv.pop(1))
