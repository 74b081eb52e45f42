"""Motions of models that search for their contacts, for tests of derivatives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import windlass as wl
from windlass import connectors as con
from windlass.elements import Ground, MassPoint, RigidBody2D, RigidBody3D, nodes_of, straight_cable


def pull_over_circles(p: Mapping[str, float]) -> Any:
    """Create a cable that falls on three circles of a set and is pulled along the circles. One circle rotates."""
    world = wl.World(gravity=(0.0, -50.0))
    circles = [
        world.add(RigidBody2D, position=(x, y), mass=1.0, inertia=p["inertia"])
        for x, y in ((0.1, 0.0), (0.3, p["height"]), (0.5, 0.0))
    ]
    con.fix(world, circles, "x", "y")
    con.fix(world, [circles[0], circles[2]], "rotation")
    cable = straight_cable(
        world, (0.0, 0.0515), (0.6, 0.0515), 8, axial_stiffness=p["EA"], bending_stiffness=0.01, mass_per_length=0.5,
        axial_damping=1.0,
    )  # fmt: skip
    nodes = nodes_of(world, cable)
    con.add_contact_with_many(
        world, circles, cable, segments=3, circle_radius=0.05, touching=2, skin=0.01,
        contact_stiffness_per_length=p["stiffness"], contact_damping_per_length=20.0,
        friction_coefficient=p["friction"], friction_stiffness_per_length=1e6,
    )  # fmt: skip
    world.add(con.Force, marker=con.position_marker(world, nodes[8]), vector=(p["pull"], -2.0, 0.0))

    def results(state: wl.State) -> dict[str, float]:
        speed = wl.eval_output(circles[1], "angular_velocity", state)
        return {"x": float(state.of(nodes[8])[0, 0]), "speed": float(speed)}

    return world, results


CIRCLES = {"EA": 2e3, "stiffness": 4e5, "friction": 0.3, "height": 0.001, "pull": 20.0, "inertia": 1e-3}


def drop_on_spheres(p: Mapping[str, float]) -> Any:
    """Create a rope that falls on three spheres of a set and is pulled along the spheres. One of the spheres is free to
    spin.
    """
    world = wl.World(gravity=(0.0, 0.0, -50.0))
    ball = world.add(RigidBody3D, position=(0.2, 0.0, p["height"]), mass=1.0, inertia=(p["inertia"],) * 3)
    con.fix(world, ball, "x", "y", "z")
    ground = world.add(Ground)
    middles = [con.rigid_marker(world, ground, (x, 0.005, 0.0)) for x in (0.05, 0.35)]
    markers = [middles[0], con.rigid_marker(world, ball), middles[1]]
    surfaces = [world.add(con.SphereSurface, marker=marker, radius=p["radius"]) for marker in markers]
    rope = straight_cable(
        world, (0.0, 0.0, 0.0512), (0.4, 0.0, 0.0512), 6, axial_stiffness=p["EA"], bending_stiffness=0.01,
        mass_per_length=0.5, axial_damping=1.0,
    )  # fmt: skip
    nodes = nodes_of(world, rope)
    con.add_surface_contact(
        world, surfaces, rope, points=3, touching=2, skin=0.01, rope_radius=0.001,
        contact_stiffness_per_length=p["stiffness"], contact_damping_per_length=20.0,
        friction_coefficient=p["friction"], friction_stiffness_per_length=1e6,
        friction_velocity_penalty_per_length=10.0,
    )  # fmt: skip
    world.add(con.Force, marker=con.position_marker(world, nodes[6]), vector=(20.0, 1.0, -2.0))

    def results(state: wl.State) -> dict[str, float]:
        spin = wl.eval_output(ball, "angular_velocity", state)
        return {"x": float(state.of(nodes[6])[0, 0]), "spin": float(spin[1])}

    return world, results


SPHERES = {"EA": 2e3, "stiffness": 4e5, "friction": 0.3, "height": 0.001, "radius": 0.05, "inertia": 1e-3}


def cross_ropes(p: Mapping[str, float]) -> Any:
    """Create a rope that falls across two fixed ropes, and is pulled both along and across these ropes."""
    world = wl.World(gravity=(0.0, 0.0, -50.0))
    columns = {"bending_stiffness": 1e-3, "axial_damping": 0.5}
    lower = [
        straight_cable(
            world, (x, -0.05, 0.0), (x, 0.05, 0.0), 2, axial_stiffness=2e4, mass_per_length=0.1, **columns
        )
        for x in (0.0, 0.06)
    ]  # fmt: skip
    for rope in lower:
        ends = nodes_of(world, rope)
        con.hinge(world, ends[[0, 2]])
    height = 2.0 * p["radius"] + 2e-4
    upper = straight_cable(
        world, (-0.03, 0.004, height), (0.09, -0.004, height), 4, axial_stiffness=p["EA"], mass_per_length=p["mass"],
        **columns,
    )  # fmt: skip
    nodes = nodes_of(world, upper)
    con.add_cable_contact(
        world, [*lower, upper], radius=p["radius"], points=8, contact_stiffness_per_length=p["stiffness"],
        contact_damping_per_length=20.0, friction_coefficient=p["friction"], friction_stiffness_per_length=1e6,
        friction_velocity_penalty_per_length=20.0,
    )  # fmt: skip
    world.add(con.Force, marker=con.position_marker(world, nodes[4]), vector=(p["pull"], 0.5 * p["pull"], -0.1))

    def results(state: wl.State) -> dict[str, float]:
        return {"x": float(state.of(nodes[4])[0, 0]), "y": float(state.of(nodes[0], "v")[0, 1])}

    return world, results


ROPES = {"EA": 2e3, "mass": 0.1, "radius": 0.005, "stiffness": 2e5, "friction": 0.3, "pull": 2.0}


def slide_bead(p: Mapping[str, float]) -> Any:
    """Create a bead that slides with friction over the cables of a rope."""
    world = wl.World(gravity=(0.0, -9.81))
    rope = straight_cable(
        world, (0.0, 0.0), (1.0, 0.0), 5, axial_stiffness=p["EA"], bending_stiffness=1e-2, mass_per_length=0.2,
        reference_strain=-0.02,
    )  # fmt: skip
    con.hinge(world, nodes_of(world, rope)[[0, 5]])
    bead = world.add(MassPoint, position=(0.15, 0.0), velocity=(p["speed"], 0.0), mass=p["mass"])
    con.sliding_joint(world, rope, bead, 0.15, speed=p["speed"], friction_coefficient=p["friction"], friction_speed=0.1)
    return world, lambda state: {"x": float(state.of(bead)[0, 0]), "y": float(state.of(bead, "v")[0, 1])}


BEAD = {"EA": 2e3, "mass": 0.5, "friction": 0.3, "speed": 4.0}


def drop_balls(p: Mapping[str, float]) -> Any:
    """Create two balls of one contact set. One ball falls on the other ball and on the ground."""
    world = wl.World(gravity=(0.0, 0.0, -9.81))
    group = world.add(con.ContactSet)
    material = world.add(
        con.ContactMaterial, plane_strain_modulus=p["modulus"], dissipation=0.3, static_friction=p["friction"],
        dynamic_friction=p["friction"],
    )  # fmt: skip
    velocity, places = (0.1, 0.0, -0.5, 0.0, 0.0, 0.0, 0.0), ((0.0, 0.0, 0.0501), (0.04, 0.01, 0.1414))
    balls = [
        world.add(RigidBody3D, position=place, mass=p["mass"], inertia=(4e-4,) * 3, velocity=velocity)
        for place in places
    ]
    for ball in balls:
        world.add(con.ContactSphere, contact_set=group, marker=ball, radius=0.05, material=material)
    world.add(
        con.ContactHalfSpace, contact_set=group, marker=world.add(Ground), rotation=con.facing((0.0, 0.0, 1.0)),
        material=material,
    )  # fmt: skip
    world.add(con.HuntCrossley, contact_set=group)
    return world, lambda state: {"x": float(state.of(balls[0])[0, 0]), "z": float(state.of(balls[1])[0, 2])}


BALLS = {"modulus": 3e5, "mass": 0.4, "friction": 0.2}
