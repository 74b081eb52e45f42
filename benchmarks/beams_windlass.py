"""Program that solves a model of beams_scene.py in Windlass and prints one RESULT line.

usage: beams_windlass.py -shape {cantilever,helix} -slenderness N -elements N -steps N [options]

The program first makes a run of five steps, to exclude work that occurs once per process.
"""

import math
import time

from beams_scene import FORCES, HELIX_PITCH, HELIX_RADIUS, LENGTH, create_columns, find_force, find_period, print_result

import windlass as wl
from windlass import connectors as con
from windlass.elements import beam_along, helix, nodes_of, straight_beam

shape = wl.option("shape", "cantilever", "", "cantilever or helix", choices=tuple(FORCES))
slenderness = wl.option("slenderness", 50, "1", "length divided by radius", minimum=1)
elements = wl.option("elements", 4, "1", "elements of order 2", minimum=1)
steps = wl.option("steps", 100, "1", "time steps", minimum=1)

RTOL = 1e-5
"""Relative tolerance [1] of Newton's method. With 1e-8, the position of the free end has the same error."""


def solve(elements: int, end: float, step: float) -> tuple[wl.World, wl.Entity, wl.State, dict[str, float]]:
    """Return the state at the end, and the times [s] of the solve."""
    world = wl.World()
    columns = create_columns(slenderness)
    if shape == "helix":
        turns = LENGTH * math.cos(HELIX_PITCH) / (2.0 * math.pi * HELIX_RADIUS)
        rise = 2.0 * math.pi * HELIX_RADIUS * math.tan(HELIX_PITCH)
        route = helix((-HELIX_RADIUS, 0, 0), (0, 0, 1), HELIX_RADIUS, turns, pitch=rise, start=(1.0, 0.0, 0.0))
        beam = beam_along(world, route, elements, **columns)
    else:
        beam = straight_beam(world, (0, 0, 0), (LENGTH, 0, 0), elements, **columns)
    nodes = nodes_of(world, beam)
    con.clamp(world, nodes[0])
    last = nodes[len(nodes) - 1]
    force = con.ramp(0.0, find_period(slenderness) / 2.0, (0.0, 0.0, 0.0), find_force(shape, slenderness))
    world.add(con.Force, marker=con.position_marker(world, last), function=force)
    solver = wl.Dynamic(world, step=step, end=end, rtol=RTOL, name="")
    cpu, wall = time.process_time(), time.perf_counter()
    state = solver.solve()
    times = {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}
    return world, last, state, times


period = find_period(slenderness)
solve(elements, period / 20.0, period / 100.0)
_, last, state, times = solve(elements, period, period / steps)
x, y, z = map(float, wl.eval_output(last, "position", state))
print_result(shape, slenderness, steps, (x, y, z), times, {"windlass": wl.__version__})
