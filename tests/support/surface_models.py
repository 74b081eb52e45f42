"""Ropes on surfaces: a rope that slides over a braked drum and a ball onto a floor, and short ropes in grooves."""

from __future__ import annotations

from math import cos, sin
from typing import Any, NamedTuple

import numpy as np

import windlass as wl
from windlass import connectors as con
from windlass.elements import Cable3D, Ground, PointSlope3D, RigidBody3D, straight_cable

from support.spatial_net import build_model

SOFT: dict[str, Any] = {
    "lateral_friction_ratio": 1.6, "lateral_stiffness_ratio": 0.7, "suction_coefficient": 0.3, "suction_distance": 2e-3,
}  # fmt: skip
"""Columns of lines on soft beds."""


class Falling(NamedTuple):
    """The drum, and the model of a rope that falls onto a drum, a ball and a floor."""

    world: wl.World
    rope: wl.Entity
    drum: wl.Entity
    contacts: wl.Entity
    surfaces: list[wl.Entity]


def create_falling(elements: int = 12, **search: Any) -> Falling:
    """Create a rope of 3 m that falls across a drum, and onto a ball and an oblique floor. The drum turns in its
    bearings.

    search: the arguments ``touching`` and ``skin`` of `add_surface_contact`, or further columns such as `SOFT`.
    """
    world = wl.World(gravity=(0.0, 0.0, -9.81))
    rope = straight_cable(
        world, (-1.0, -0.1, 0.2101), (2.0, 0.3, 0.2101), elements, mass_per_length=0.5, axial_stiffness=2000.0,
        bending_stiffness=0.05, axial_damping=5.0, bending_damping=1e-3, name="rope",
    )  # fmt: skip
    drum = world.add(
        RigidBody3D, name="drum", position=(0.0, 0.0, 0.0), mass=2.0, inertia=(0.05, 0.05, 0.05, 0.0, 0.0, 0.0)
    )
    con.hinge(world, drum)
    marker = con.rigid_marker(world, drum, (0.0, 0.0, 0.0))
    parts = con.add_drum(world, marker, radius=0.2, half_width=0.15, flange_radius=0.3, axis=(0.0, 1.0, 0.0))
    ground = con.rigid_marker(world, world.add(Ground))
    ball = world.add(
        con.SphereSurface, marker=con.rigid_marker(world, world.add(Ground), (1.3, 0.2, -0.1)), radius=0.25
    )
    floor = world.add(con.PlaneSurface, marker=ground, axis=(0.05, 0.0, 1.0), offset=-0.4)
    surfaces = [*parts, ball, floor]
    contacts = con.add_surface_contact(
        world, surfaces, rope, points=3, rope_radius=0.01, contact_stiffness_per_length=2e5,
        contact_damping_per_length=100.0, friction_stiffness_per_length=2e5, friction_velocity_penalty_per_length=30.0,
        friction_coefficient=0.4, **search,
    )  # fmt: skip
    return Falling(world, rope, drum, contacts, surfaces)


class Piece(NamedTuple):
    """A short stiff rope in a groove."""

    world: wl.World
    contacts: wl.Entity
    nodes: wl.Entity


def create_piece(angle: float, along: float, mu: float, space: bool = True) -> Piece:
    """Create a rope of 0.1 m in the round groove of a very large sheave, at the ``angle`` [rad] from the bottom of the
    groove.

    The rope is pressed by 10 N towards the axis and pulled by ``along`` [N] along the groove, without gravity. The
    radii are 1000 m (sheave), 20 mm (groove) and 5 mm (rope). The rope has a mass of 0.1 kg.
    """
    world = wl.World()
    # the rope's axis is 15 mm from the centre of the groove
    R, a, rope = 1000.0, 0.02, 0.005
    y, z = R + a - (a - rope) * cos(angle), (a - rope) * sin(angle)
    nodes = world.add(
        PointSlope3D, position=[(-0.05, y, z), (0.05, y, z)], slope=(1.0, 0.0, 0.0),
    )  # fmt: skip
    cable = world.add(
        Cable3D, node0=nodes[0], node1=nodes[1], length=0.1, mass_per_length=1.0, axial_stiffness=1e4,
        bending_stiffness=1.0,
    )  # fmt: skip
    marker = con.rigid_marker(world, world.add(Ground))
    sheave = world.add(con.SheaveSurface, marker=marker, radius=R, groove_radius=a, outer_radius=R + 2.0 * a)
    contacts = con.add_surface_contact(
        world, sheave, cable, points=4, rope_radius=rope, contact_stiffness_per_length=1e6,
        contact_damping_per_length=300.0, friction_stiffness_per_length=1e6, friction_velocity_penalty_per_length=300.0,
        friction_coefficient=mu,
    )  # fmt: skip
    for node in (nodes[0], nodes[1]):
        world.add(con.Force, marker=con.position_marker(world, node), vector=(0.5 * along, -5.0, 0.0))
    return Piece(world, contacts, nodes)


def create_net() -> Falling:
    """Create a net that falls on a ball. The cables of the net share the positions of the knots. The corners of the net
    are fixed.
    """
    world, along, _, _ = build_model()
    cables = wl.Entity(along.table, np.arange(along.table.count))
    ball = world.add(
        con.SphereSurface, marker=con.rigid_marker(world, world.add(Ground), (1.5, 1.5, -0.64)), radius=0.8
    )
    contacts = con.add_surface_contact(
        world, ball, cables, points=3, rope_radius=0.01, contact_stiffness_per_length=2e4,
        contact_damping_per_length=30.0, friction_stiffness_per_length=2e4, friction_velocity_penalty_per_length=10.0,
        friction_coefficient=0.3,
    )  # fmt: skip
    return Falling(world, cables, ball, contacts, [ball])


def run(model: Falling, steps: int, step: float) -> dict[str, Any]:
    """Return the results on any number of processes as arrays."""
    settings: dict[str, Any] = {"name": "", "passes": wl.Passes(max_it=6), "rtol": 1e-10}
    dynamic = wl.Dynamic(model.world, step=step, end=step * steps, **settings)
    state = dynamic.solve()
    whole = state.gather()
    report = con.surface_report(model.world, state, model.contacts, model.surfaces[0])
    names = ("normal_force", "friction_force", "state", "friction_power")
    return {
        "q": whole.q,
        "v": whole.v,
        "data": whole.data,
        "counts": np.array([dynamic.statistics.newton_iterations, dynamic.statistics.discontinuous_iterations]),
        "report": np.array([report.torque, *report.force, report.contact_length, report.friction]),
        **{name: np.asarray(wl.eval_output(model.contacts, name, state)) for name in names},
    }


def run_both(steps: int) -> dict[str, Any]:
    """Return the results of the ropes and the net in one dictionary. Keys are names of the model and of the result."""
    models = (
        ("rope", create_falling(), 1e-3), ("soft", create_falling(**SOFT), 1e-3), ("net", create_net(), 2e-3),
    )  # fmt: skip
    return {f"{name} {key}": values for name, model, step in models for key, values in run(model, steps, step).items()}
