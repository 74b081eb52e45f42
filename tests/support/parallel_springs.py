"""Springs between bodies, wheels and constraints on coordinates, on any number of processes, with kill and restart.

Usage: windlass run parallel_springs.py -kill_at STEP -end_state END.npz [-checkpoint FILE ...]
"""

from __future__ import annotations

import os
import signal

import numpy as np

import windlass as wl
from windlass import connectors as con
from windlass.connectors.markers.position_markers import find_nodes
from windlass.elements import Ground, MassPoint, RigidBody2D, RigidBody3D
from windlass.framework.model.table import Entity

from support.hulls import star


def create(count: int = 3) -> tuple[wl.World, list[Entity]]:
    """Create separate machines of each kind, and return the bodies whose positions are compared."""
    world = wl.World(gravity=(0.0, 0.0, -9.81))
    ground, found = world.add(Ground), []
    sea = world.add(con.Fluid, density=1000.0, velocity=(0.2, 0.1, 0.0), **con.regular_wave(0.2, 2.0, 0.3))
    hull = world.add(con.BodyMesh, points=0.2 * star(1)[0], triangles=star(1)[1])
    plane = con.rigid_marker(world, ground)
    bodies = {"mass": 1.0, "inertia": (0.03, 0.02, 0.02)}
    wheel = {"marker0": plane, "radius": 0.25}
    for k in range(count):
        first = world.add(RigidBody3D, position=(0.0, k, 0.0), angular_velocity=(0.1, 0.2, 1.0 * k), **bodies)
        second = world.add(RigidBody3D, position=(0.5, k, 0.0), **bodies)
        ends = {"marker0": con.rigid_marker(world, first), "marker1": con.rigid_marker(world, second)}
        world.add(
            con.RigidBodySpringDamper, marker0=con.rigid_marker(world, ground, (0.0, k, 0.1)), marker1=ends["marker0"],
            stiffness=np.diag([500.0] * 3 + [20.0] * 3), damping=np.diag([3.0] * 3 + [0.2] * 3),
        )  # fmt: skip
        world.add(con.TorsionalSpringDamper, **ends, stiffness=3.0, damping=0.1)
        world.add(con.LinearSpringDamper, **ends, stiffness=300.0, damping=0.1, offset=0.5)
        slides = world.add(RigidBody3D, position=(3.0, k, 0.25), velocity=(0, 0.5, 0, 0, 0, 0, 0), **bodies)
        world.add(
            con.RollingDiscPenalty, **wheel, marker1=con.rigid_marker(world, slides), contact_stiffness=1e4,
            contact_damping=20.0, friction=(0.3, 0.3), proportional_zone=0.01,
        )  # fmt: skip
        rolls = world.add(
            RigidBody3D, position=(5.0, k, 0.25), velocity=(0, -0.5, 0, 0, 0, 0, 0), angular_velocity=(2.0, 0.0, 0.0),
            **bodies,
        )  # fmt: skip
        world.add(con.RollingJoint, **wheel, marker1=con.rigid_marker(world, rolls))
        balls = world.add(
            RigidBody3D, position=[(9.0, k, 0.0), (9.22, k + 0.05, 0.0)], velocity=[(1.0, *[0.0] * 6), (0.0,) * 7],
            mass=1.0, inertia=(0.004,) * 3,
        )  # fmt: skip
        centres = con.rigid_marker(world, balls)
        world.add(
            con.ContactSphereSphere, marker0=centres[0], marker1=centres[1], radius0=0.1, radius1=0.1,
            contact_stiffness=1e4, impact_model="hunt_crossley", restitution=0.8, friction=0.3, proportional_zone=0.1,
        )  # fmt: skip
        gears = world.add(
            RigidBody2D,
            position=[(11.0, k), (11.07, k)],
            velocity=[(0.0, 0.0, 9.0), (0.0,) * 3],
            mass=1.0,
            inertia=1e-3,
        )
        con.fix(world, gears, "x", "y")
        teeth = con.rigid_marker(world, gears)
        world.add(
            con.GearPair, marker0=teeth[0], marker1=teeth[1], teeth0=20, teeth1=50, module=2e-3, mesh_stiffness=1e5,
            mesh_damping=1.0, backlash=1e-3,
        )  # fmt: skip
        sprocket = world.add(RigidBody2D, position=(15.0, k), mass=1.0, inertia=1e-3, velocity=(0.0, 0.0, 2.0))
        con.fix(world, sprocket, "x", "y")
        seat = 0.127 / (2.0 * np.sin(np.pi / 12))
        rollers = world.add(
            MassPoint, position=[(15.0 + seat, k), (15.0, k + seat)], velocity=[(-0.3, 0.1), (0.1, -0.2)], mass=0.1
        )
        world.add(
            con.ContactCurveCircle, marker0=con.rigid_marker(world, sprocket),
            marker1=con.position_marker(world, rollers),
            profile=con.sprocket_profile(world, 12, 0.127, 0.085), radius=0.0425, contact_stiffness=1e5,
            contact_damping=10.0, friction=0.3, proportional_zone=0.1,
        )  # fmt: skip
        weights = world.add(
            MassPoint, position=[(13.0, k, 0.0), (13.4, k, 0.0)], velocity=[(0.0, 0.1, 0.0)] * 2, mass=1.0
        )
        falls = con.position_marker(world, weights)
        con.reeve(
            world, [falls[0], con.rigid_marker(world, ground, (13.2, k, 1.0)), falls[1]], (0.0, 0.2, 0.0),
            [(0.0, 1.0, 0.0)] * 3, reference_length=2.6, axial_stiffness=1e4, axial_damping=20.0,
        )  # fmt: skip
        pinion = world.add(RigidBody2D, position=(17.0, k), velocity=(0.0, 0.0, 5.0), mass=1.0, inertia=0.02)
        rack = world.add(MassPoint, position=(17.1, k), velocity=(0.0, 0.5), mass=1.0)
        con.fix(world, pinion, "x", "y")
        con.fix(world, rack, "x")
        turn, way = con.coordinate_marker(world, pinion, "rotation"), con.coordinate_marker(world, rack, "y")
        world.add(con.CoordinateConstraint, marker0=turn, marker1=way, ratio=0.1)
        world.add(con.CoordinateSpringDamper, marker1=way, stiffness=200.0, damping=0.5)
        spar = world.add(RigidBody3D, position=(20.0, k, -0.2), mass=20.0, inertia=(2.0, 2.0, 0.3))
        world.add(con.CylinderFluidLoad, marker=spar, fluid=sea, diameter=0.2, length=1.0, strips=5)
        world.add(con.BoxFluidLoad, marker=con.rigid_marker(world, spar, (0, 0, -0.5)), fluid=sea, sides=(0.3,) * 3)
        world.add(con.MeshFluidLoad, marker=spar, fluid=sea, mesh=hull, drag_area=(0.0, 0.1, 0.2))
        buoy = world.add(MassPoint, position=(21.0, k, 0.1), mass=8.0)
        world.add(con.SphereFluidLoad, marker=buoy, fluid=sea, diameter=0.3)
        points = world.add(MassPoint, position=[(7.0, k), (8.0, k)], velocity=[(1.0, 0.3), (0.0, 0.0)], mass=1.0)
        x, nodes = con.coordinate_marker(world, points, "x"), find_nodes(world, points)
        world.add(
            con.CoordinateSpringDamperExt, marker0=x[0], marker1=x[1], stiffness=100.0, dynamic_friction=0.5,
            static_friction_offset=0.1, sticking_stiffness=1e4, sticking_damping=5.0, stops=True, lower_stop=-0.03,
            upper_stop=0.05, stop_stiffness=1e4,
        )  # fmt: skip
        combined = {"factors0": (0.0, 1.0), "factors1": (0.0, 2.0), "squares1": (0.0, 0.1)}
        world.add(con.CoordinateVectorConstraint, node0=nodes[0], node1=nodes[1], **combined)
        found += [first, second, slides, rolls, balls, gears, sprocket, rollers, weights, pinion, rack, points]
        found += [spar, buoy]
    return world, found


def main() -> None:
    """Simulate the motion of the machines, and write the final positions of their bodies."""
    kill_at = wl.option("kill_at", 0, "1", "step after which the run kills itself; 0 never", minimum=0)
    end_state = wl.option("end_state", "end.npz", "", "file for the coordinates at the end")

    def die(state: wl.State) -> None:
        """End the process immediately, as a kill would."""
        if kill_at and state.step == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    world, entities = create()
    end = (
        wl.Dynamic(world, velocities="project", step=2e-3, end=0.12, method="trapezoidal_index2")
        .solve(hooks=[die])
        .gather()
    )
    if wl.is_first_process():
        np.savez(end_state, q=np.concatenate([np.ravel(end.of(entity)) for entity in entities]))


if __name__ == "__main__":
    main()
