"""Program that solves the model of plectonemes_scene.py in Windlass and prints one RESULT line.

usage: plectonemes_windlass.py -elements N -steps N [options]

The program first makes a run of five steps, to exclude work that occurs once per process.
"""

import time

import numpy as np
import plectonemes_scene as scene

import windlass as wl
from windlass import connectors as con
from windlass.elements import PointSlopeTwist3D, TwistCable3D

elements = wl.option("elements", 32, "1", "cables", minimum=3)
steps = wl.option("steps", 300, "1", "time steps", minimum=1)
points = wl.option("points", 4, "1", "contact points of a cable", minimum=1)


def solve(end: float, step: float) -> tuple[wl.Entity, wl.Entity, float, wl.State, dict[str, float]]:
    """Return nodes, cables, length, the state at the end, and the times [s] of the solve."""
    line, tangents, normals, length = scene.lay_plectoneme()
    torque, tension = scene.find_torque_and_tension(scene.ANGLE)
    where = np.arange(elements + 1) * scene.FINE // elements
    world = wl.World()
    nodes = world.add(PointSlopeTwist3D, position=line[where], slope=tangents[where], normal=normals[where])
    rod = world.add(
        TwistCable3D, node0=nodes[:-1], node1=nodes[1:], length=length / elements, mass_per_length=scene.MASS,
        rotary_inertia=0.5 * scene.MASS * scene.RADIUS**2, axial_stiffness=scene.EA, bending_stiffness=scene.EI,
        torsional_stiffness=scene.GJ, bending_damping=0.1, torsional_damping=0.1, axial_damping=2.0,
        reference_twist=-torque / scene.GJ,
    )  # fmt: skip
    con.clamp(world, nodes[0])
    con.fix(world, nodes[elements], "y", "z", "y'", "z'", "twist")
    world.add(con.Force, marker=con.position_marker(world, nodes[elements]), vector=(tension, 0.0, 0.0))
    con.add_cable_contact(
        world, rod, radius=scene.RADIUS, points=points, apart=4.0 * scene.RADIUS,
        contact_stiffness_per_length=scene.STIFFNESS, contact_damping_per_length=2.5e-4 * scene.STIFFNESS,
    )  # fmt: skip
    solver = wl.Dynamic(world, step=step, end=end, rtol=1e-3, name="")
    cpu, wall = time.process_time(), time.perf_counter()
    state = solver.solve()
    return nodes, rod, length, state, {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}


solve(5.0 * scene.END / steps, scene.END / steps)
nodes, rod, length, state, times = solve(scene.END, scene.END / steps)
place = wl.eval_output(nodes, "position", state)
distance = float(np.linalg.norm(place[-1] - place[0]))
torque = float(wl.eval_output(rod[2], "torque", state))
scene.print_result(steps, distance, torque, length, times, {"windlass": wl.__version__})
