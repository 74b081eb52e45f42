"""A net that falls on a sphere. The net consists of two layers of ropes, which lie on each other and are lashed at the
crossings.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import windlass as wl
from windlass import connectors as con
from windlass.elements import Ground, nodes_of, straight_cable

RADIUS, MESH, PER_MESH = 0.005, 0.06, 2
"""Radius of the ropes [m], distance of the ropes of a layer [m], and elements from crossing to crossing."""
BALL = 0.15
"""Radius of the sphere [m]."""


class LaidNet(NamedTuple):
    """The world, the ropes of the lower and the upper layer, and the rows of the contact between ropes and of the
    contact with surfaces.
    """

    world: wl.World
    lower: list[wl.Entity]
    upper: list[wl.Entity]
    crossings: wl.Entity
    on_surfaces: wl.Entity

    @property
    def ropes(self) -> list[wl.Entity]:
        """Handle to all ropes."""
        return [*self.lower, *self.upper]


def create_laid_net(lines: int = 4, height: float = 1e-3) -> LaidNet:
    """Create a net of crossing ropes ``height`` [m] above a floor and a sphere. The sphere is not below the middle of
    the net.

    The contact searches find the partners among the ropes, and among sphere and floor.
    """
    world = wl.World(gravity=(0.0, 0.0, -9.81))
    half = 0.5 * lines * MESH
    places = MESH * (np.arange(lines) + 0.5) - half
    rope: dict[str, Any] = {
        "elements": lines * PER_MESH, "axial_stiffness": 2e3, "bending_stiffness": 2e-4, "mass_per_length": 0.05,
        "axial_damping": 0.5, "bending_damping": 1e-6,
    }  # fmt: skip
    over = 2.0 * RADIUS + 1e-5
    lower = [straight_cable(world, (-half, y, 0.0), (half, y, 0.0), **rope) for y in places]
    upper = [straight_cable(world, (x, -half, over), (x, half, over), **rope) for x in places]
    middle = PER_MESH // 2 + PER_MESH * np.arange(lines)
    for i, one in enumerate(lower):
        for k, other in enumerate(upper):
            ends = nodes_of(world, one)[int(middle[k])], nodes_of(world, other)[int(middle[i])]
            markers = [con.position_marker(world, end) for end in ends]
            world.add(
                con.SpringDamper, marker0=markers[0], marker1=markers[1], rest_length=2.0 * RADIUS, stiffness=500.0,
                damping=0.2, tension_only=True,
            )  # fmt: skip
    crossings = con.add_cable_contact(
        world, [*lower, *upper], radius=RADIUS, points=6, contact_stiffness_per_length=1e6,
        contact_damping_per_length=100.0, friction_coefficient=0.3, friction_stiffness_per_length=1e5,
        friction_velocity_penalty_per_length=5.0,
    )  # fmt: skip
    place = (0.011, -0.017, -BALL - RADIUS - height)
    ball = world.add(con.SphereSurface, marker=con.rigid_marker(world, world.add(Ground), place), radius=BALL)
    floor = world.add(con.PlaneSurface, marker=con.rigid_marker(world, world.add(Ground)), offset=-BALL)
    on_surfaces = con.add_surface_contact(
        world, [ball, floor], [*lower, *upper], points=6, rope_radius=RADIUS, contact_stiffness_per_length=1e5,
        contact_damping_per_length=50.0, friction_coefficient=0.3, friction_stiffness_per_length=5e4,
        friction_velocity_penalty_per_length=5.0, touching=2, skin=0.01,
    )  # fmt: skip
    return LaidNet(world, lower, upper, crossings, on_surfaces)


def let_fall(net: LaidNet, speed: float) -> wl.State:
    """Return an initial state in which the whole net falls with a speed [m/s]."""
    state = wl.State(net.world)
    for rope in net.ropes:
        nodes = nodes_of(net.world, rope)
        v = state.of(nodes, "v")
        v[:, 2] = -speed
        state.put(nodes, v, "v")
    return state
