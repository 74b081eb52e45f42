"""A rope that runs from a winch over a 3D drum to a hanging load."""

from __future__ import annotations

from typing import Any, NamedTuple

import windlass as wl
import windlass.connectors as con
from windlass.elements import Ground, MassPoint, RigidBody3D, Sheave, route_over_sheaves, winch_rope_along
from windlass.elements.cable.winch_rope import WinchRope
from windlass.elements.routes.spatial_routes import SpatialRoute
from windlass.framework.model.table import Entity

from support.winch_sheave import CONTACT, EA, MASS, RADIUS, G


class Model(NamedTuple):
    """A world with its rope, load and contact rows, and the drum and its brake if the drum can turn."""

    world: wl.World
    rope: WinchRope
    load: Entity
    contact: Entity
    drum: Entity | None
    brake: Entity | None


def route_in_space(drop: float, run: float) -> SpatialRoute:
    """Create a route in the plane y = 0, from the outlet to the top of the drum, over a quarter of the drum, and
    down."""
    start, end = (-run, 0.0, RADIUS), (RADIUS, 0.0, -drop)
    return route_over_sheaves([Sheave((0.0, 0.0, 0.0), (0.0, -1.0, 0.0), RADIUS, "right")], start=start, end=end)


def create(
    cables: int = 30, inertia: float | None = None, drop: float = 1.0, run: float = 0.5, mu: float = 0.2,
    points: int = 4, rope: dict[str, Any] | None = None, **contact: Any,
) -> Model:  # fmt: skip
    """Create a rope that runs horizontally from the outlet to the top of the drum, over a quarter of the drum, and down
    to the load. The drum is fixed, or has a moment of inertia [kg m²] and turns about its axis y.
    """
    world = wl.World(gravity=(0.0, 0.0, -G))
    columns = {
        "mass_per_length": 0.02, "axial_stiffness": EA, "bending_stiffness": 1e-3, "axial_damping": 200.0,
        "strain": MASS * G / EA, **(rope or {}),
    }  # fmt: skip
    line = winch_rope_along(world, route_in_space(drop, run), cables, **columns)
    con.hinge(world, line.nodes[0])
    load = world.add(MassPoint, position=(RADIUS, 0.0, -drop), mass=MASS)
    ends = [con.position_marker(world, which) for which in (line.nodes[cables], load)]
    world.add(con.SphericalJoint, marker0=ends[0], marker1=ends[1])
    drum = brake = None
    marker = con.rigid_marker(world, world.add(Ground))
    if inertia is not None:
        drum = world.add(RigidBody3D, position=(0.0, 0.0, 0.0), mass=1.0, inertia=(inertia, inertia, inertia))
        joint = {"marker0": marker, "marker1": con.rigid_marker(world, drum)}
        world.add(con.GenericJoint, translations=(True, True, True), rotations=(True, False, True), **joint)
        brake = world.add(con.GenericJoint, translations=(False, False, False), rotations=(False, True, False), **joint)
        marker = joint["marker1"]
    surface = world.add(con.DrumSurface, marker=marker, radius=RADIUS, axis=(0.0, 1.0, 0.0))
    values = {**CONTACT, **contact}
    rows = con.add_surface_contact(world, surface, line.cables, points=points, friction_coefficient=mu, **values)
    return Model(world, line, load, rows, drum, brake)
