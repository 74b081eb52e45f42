"""A machine of driven joints, stops, bodies with an offset from their nodes, loads along lines and a rolling disc.

Usage, also with mpiexec: joint_machine.py OUT.npz
"""

import sys
from itertools import pairwise
from typing import Any

import numpy as np

import windlass as wl
import windlass.connectors as con
import windlass.elements as el
from windlass.framework.model.table import Entity


def turn(t: float) -> tuple[float, ...]:
    return 0.0, 0.0, 0.0, 0.3 * t**2, 0.0, 2.0 * t**2


def create_machine() -> tuple[wl.World, list[Entity]]:
    """Create the machine. Return the world and the bodies whose positions are compared."""
    world = wl.World(gravity=(0.0, -9.81, 0.0))
    before = con.rigid_marker(world, world.add(el.Ground, position=(5.0, 0.0, 0.0)))
    arms = []
    for k in range(4):
        arms.append(world.add(el.RigidBody3D, position=(5.5 + k, 0.0, 0.0), mass=1.0, inertia=0.1))
        free: dict[str, Any] = {"rotations": (True, True, False)} if k % 2 else {"offset_function": turn}
        end = con.rigid_marker(world, arms[-1], (-0.5, 0.0, 0.0))
        joint = world.add(con.GenericJoint, marker0=before, marker1=end, **free)
        if k % 2:
            con.joint_stops(world, joint, "rotation_z", -0.02, 0.02, stiffness=500.0, dissipation=0.1)
        before = con.rigid_marker(world, arms[-1], (0.5, 0.0, 0.0))
    plates = [
        world.add(
            el.RigidBody2D,
            position=(x, 5.0),
            velocity=(0.0, 0.0, 3.0),
            mass=1.0,
            inertia=0.1,
            center_of_mass=(0.1, 0.05),
        )
        for x in (0.0, 1.0, 2.0)
    ]
    for first, second in pairwise(plates):
        ends = con.position_marker(world, first, (0.2, 0.0)), con.position_marker(world, second, (-0.2, 0.0))
        line = con.distance_coordinate(world, *ends, length=0.6)
        world.add(con.StateLoad, marker=line, inputs=line, gains=(-200.0,), rate_gains=(-1.0,))
    disc = world.add(
        el.RigidBody3D, position=(0.0, 0.0, 0.25), mass=1.2, inertia=(0.0375, 0.02, 0.02), velocity=(0.0, 1.0, 0.0),
        angular_velocity=(-4.0, 0.0, 1.0),
    )  # fmt: skip
    plane = con.rigid_marker(world, world.add(el.Ground))
    world.add(con.RollingJoint, marker0=plane, marker1=con.rigid_marker(world, disc), radius=0.25)
    return world, [*arms, *plates, disc]


if __name__ == "__main__":
    path = sys.argv.pop(1)
    machine, bodies = create_machine()
    end = wl.Dynamic(machine, step=2e-3, end=0.1, name="").solve()
    places, whole = [wl.eval_output(body, "position", end) for body in bodies], end.gather()
    if wl.is_first_process():
        np.savez(path, places=np.array(places), accelerations=whole.a, multipliers=whole.lam)
