"""Models of ropes that friction on surfaces turns about their axis."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import windlass as wl
from windlass import connectors as con
from windlass.elements import (
    Ground,
    RigidBody3D,
    Sheave,
    cable_along,
    helix,
    nodes_of,
    route_over_sheaves,
    straight_cable,
)

RADIUS, MASS, INERTIA, WEIGHT = 0.02, 2.0, 4e-4, 2.0 * 9.81
"""Radius of a solid rope [m], mass per length [kg/m], inertia m r²/2 per length [kg m] and weight per length [N/m]."""
STIFFNESS = 1e6
"""Stiffness of contact and bristles per length [N/m^2]."""
ROD: dict[str, Any] = {
    "axial_stiffness": 1e5, "bending_stiffness": 10.0, "torsional_stiffness": 5.0, "mass_per_length": MASS,
    "rotary_inertia": INERTIA,
}  # fmt: skip
CONTACT: dict[str, Any] = {
    "points": 2, "rope_radius": RADIUS, "contact_stiffness_per_length": STIFFNESS,
    "friction_stiffness_per_length": STIFFNESS, "turns_rope": True,
}  # fmt: skip


class Lying(NamedTuple):
    """A straight rope of 1 m along x that lies on the plane z = 0 by its weight."""

    world: wl.World
    rope: wl.Entity
    nodes: wl.Entity
    contacts: wl.Entity


def create_lying(friction: float, side: float = 0.0, **contact: Any) -> Lying:
    """Create the rope, with a force along y per length [N/m]."""
    world = wl.World(gravity=(0.0, 0.0, -9.81))
    height = RADIUS - WEIGHT / STIFFNESS
    rope = straight_cable(world, (0.0, 0.0, height), (1.0, 0.0, height), 2, **ROD)
    plane = world.add(con.PlaneSurface, marker=con.rigid_marker(world, world.add(Ground)))
    columns = {**CONTACT, "contact_damping_per_length": 20.0, "friction_coefficient": friction, **contact}
    contacts = con.add_surface_contact(world, plane, rope, **columns)
    if side:
        for cable in (rope[0], rope[1]):
            world.add(con.LineLoad, cable=cable, vector=(0.0, side, 0.0))
    return Lying(world, rope, nodes_of(world, rope), contacts)


def run_lying(model: Lying, end: float, spin: float = 0.0) -> tuple[Any, dict[str, float]]:
    """Run from rest, or with a spin [rad/s], and return the state and the totals of an energy ledger [J]."""
    start, ledger = wl.State(model.world), wl.EnergyLedger()
    start.v[start.local_dofs(model.nodes)[:, 6]] = spin
    state = wl.Dynamic(model.world, step=1e-3, end=end, name="").solve(start, hooks=[ledger])
    return state, ledger.totals


class OnDrum(NamedTuple):
    """A rope in a helix on a drum about z, which turns with time."""

    world: wl.World
    rope: wl.Entity
    nodes: wl.Entity
    body: wl.Entity
    contacts: wl.Entity


def create_on_drum(angle: float) -> OnDrum:
    """Create three quarters of a turn of a rope, fixed at its end and pulled with 100 N at its start. The drum turns by
    an angle [rad] per second in the direction in which friction drags the rope towards its fixed end.
    """
    radius, drum, tension = 0.005, 0.095, 100.0
    world = wl.World()
    rope = cable_along(
        world, helix((0, 0, 0), (0, 0, 1), drum + radius, 0.75, pitch=0.1, strands=0.05), 40, mass_per_length=0.3,
        rotary_inertia=4e-6, axial_stiffness=2e5, bending_stiffness=0.01, torsional_stiffness=0.2,
        turned_from=(0, 0, 1),
    )  # fmt: skip
    nodes = nodes_of(world, rope)
    last = len(nodes) - 1
    world.add(con.Force, marker=con.position_marker(world, nodes[0]), vector=-tension * np.asarray(nodes[0].slope))
    con.fix(world, nodes[0], "x", "z", "twist")
    con.fix(world, nodes[last], "x", "y", "z", "twist")
    body = world.add(RigidBody3D, position=(0.0, 0.0, 0.0), mass=1.0, inertia=1.0)
    bearing = con.rigid_marker(world, world.add(Ground)), con.rigid_marker(world, body)
    world.add(
        con.GenericJoint, marker0=bearing[0], marker1=bearing[1], translations=(True,) * 3,
        rotations=(True, True, False),
    )  # fmt: skip
    world.add(
        con.CoordinateConstraint, marker1=con.rotation_marker(world, body, "z"), offset_function=lambda t: angle * t
    )
    surface = world.add(con.DrumSurface, marker=bearing[1], radius=drum)
    contacts = con.add_surface_contact(
        world, surface, rope, points=4, rope_radius=radius, contact_stiffness_per_length=2e7,
        friction_stiffness_per_length=2e7, friction_coefficient=0.2, turns_rope=True,
    )  # fmt: skip
    return OnDrum(world, rope, nodes, body, contacts)


class OnSheave(NamedTuple):
    """Results for each step in which a sheave turns, for a rope that enters the groove of the sheave at a fleet angle.

    ``turned`` is the angle [rad] by which the free end has turned about its axis, and ``torque`` is the cable torque [N
    m] of the largest magnitude, shape (steps,) each.
    """

    turned: Any
    torque: Any
    verdict: Any


def run_over_sheave(
    angle: float, turn: float = 0.1, steps: int = 10, elements: int = 50, friction: float = 0.15
) -> OnSheave:
    """Turn a sheave of 0.2 m with a rope of 10 mm by a part [1] of a turn. The rope enters upwards at a fleet angle
    [rad], positive if the rope arrives from the side y < 0. The free end of the rope can turn, and the other end is
    fixed.
    """
    radius, groove, tension, span, stiffness = 0.005, 0.1, 1000.0, 0.2, 2e8
    middle, axis = groove + radius, (0.0, 1.0, 0.0)
    world = wl.World()
    route = route_over_sheaves(
        [Sheave((0, 0, 0), axis, middle, "left")], start=(-middle, 0.0, -span), end=(middle, 0.0, -0.1)
    )
    rope = cable_along(
        world, route, elements, mass_per_length=0.1, rotary_inertia=0.05 * radius**2, axial_stiffness=2e5,
        bending_stiffness=0.1, torsional_stiffness=0.3, turned_from=axis, reference_strain=-tension / 2e5,
    )  # fmt: skip
    nodes = nodes_of(world, rope)
    last = len(nodes) - 1
    body = world.add(RigidBody3D, position=(0.0, 0.0, 0.0), mass=1.0, inertia=1.0)
    bearing = con.rigid_marker(world, world.add(Ground)), con.rigid_marker(world, body)
    world.add(
        con.GenericJoint, marker0=bearing[0], marker1=bearing[1], translations=(True,) * 3,
        rotations=(True, False, True),
    )  # fmt: skip

    def turned(t: float) -> float:
        """Return the angle of the sheave. The rope is laid into the groove until t = 1."""
        return 2.0 * np.pi * turn * max(t - 1.0, 0.0)

    world.add(con.CoordinateConstraint, marker1=con.rotation_marker(world, body, "y"), offset_function=turned)
    surface = world.add(
        con.SheaveSurface, marker=bearing[1], axis=axis, radius=groove, groove_radius=1.06 * radius,
        outer_radius=groove + 3.0 * radius,
    )  # fmt: skip
    con.add_surface_contact(
        world, surface, rope, points=4, rope_radius=radius, contact_stiffness_per_length=stiffness,
        friction_stiffness_per_length=stiffness, friction_coefficient=friction, turns_rope=True,
    )  # fmt: skip
    world.add(con.Force, marker=con.position_marker(world, nodes[0]), vector=(0.0, 0.0, -tension))
    con.fix(world, nodes[0], "x")
    con.prescribe(world, nodes[0], "y", lambda t: np.tan(angle) * (middle * turned(t) - span * min(t, 1.0)))
    con.fix(world, nodes[last], "x", "y", "twist")
    con.prescribe(world, nodes[last], "z", lambda t: -middle * turned(t))
    solver, state = wl.Static(world, passes=wl.Passes(max_it=30), name=""), wl.State(world)

    def read_angle() -> float:
        """Return the angle of d_1 of the free end about its axis, measured from the global x axis."""
        t, d, _ = wl.eval_output(nodes[0], "frame", state).T
        return float(np.arctan2(t @ np.cross((1.0, 0.0, 0.0), d), d[0]))

    for i in range(6):
        solver.time = i / 5
        state = solver.solve(state)
    first, angles, torques = read_angle(), [], []
    for i in range(1, steps + 1):
        solver.time = 1.0 + i / steps
        state = solver.solve(state)
        along = wl.eval_output(rope, "torque", state)
        angles.append(read_angle() - first)
        torques.append(along[np.argmax(np.abs(along))])
    return OnSheave(np.array(angles), np.array(torques), solver.verdict)


class ReevedBlock(NamedTuple):
    """A hook block on two falls of one rope, which runs around the sheave of the block. ``drive`` holds the block at an
    angle about z.
    """

    world: wl.World
    rope: wl.Rope
    drive: wl.Entity

    def turn(self, angles: Any) -> tuple[Any, Any]:
        """Turn the block to angles [rad], and return the restoring moments [N m] of the falls, and the torques [N m] of
        the rope at its end and in the middle of its arc.
        """
        state, moments, torques = wl.State(self.world), [], []
        for angle in angles:
            self.world.set(self.drive, offset=(0.0, 0.0, 0.0, 0.0, 0.0, angle))
            solver = wl.Static(self.world, name="", stability="off", passes=wl.Passes(max_it=40))
            state = solver.solve(state)
            assert solver.verdict.word == "ok", str(solver.verdict.reasons)
            moments.append(-wl.eval_output(self.drive, "torque", state)[2])
            torques.append(wl.eval_output(self.rope.cables, "torque", state)[[0, len(self.rope.cables) // 2]])
        return np.array(moments), np.array(torques)


REEVED: dict[str, float] = {
    "axial_stiffness": 4e5, "bending_stiffness": 0.1, "torsional_stiffness": 16.0, "coupling": 1.2e3,
    "mass_per_length": 1e-3,
}  # fmt: skip
SHEAVE, LENGTH, BRISTLES, LOAD = 0.15, 1.0, 1e9, 100.0 * 9.81
"""Radius of the sheave to the axis of the rope [m], length of a fall [m], stiffness of bristles per length [N/m^2], and
weight of the block [N].
"""


def create_reeved_block(friction: float) -> ReevedBlock:
    """Create the block. If a friction coefficient is given, friction turns the rope about its axis."""
    r, world = 0.006, wl.World(gravity=(0.0, 0.0, -9.81))
    block = world.add(RigidBody3D, name="block", position=(0.0, 0.0, -LENGTH), mass=LOAD / 9.81, inertia=10.0)
    markers = con.rigid_marker(world, world.add(Ground, position=(0.0, 0.0, -LENGTH))), con.rigid_marker(world, block)
    for axes in (((True, True, False), (True, True, False)), ((False,) * 3, (False, False, True))):
        drive = world.add(
            con.GenericJoint, marker0=markers[0], marker1=markers[1], translations=axes[0], rotations=axes[1]
        )
    rope = wl.Rope(
        world, [wl.Pulley(block, SHEAVE - r, axis=(0, 1, 0), groove_radius=1.05 * r, outer_radius=SHEAVE + 2.0 * r)],
        start=(-SHEAVE, 0, 0), end=(SHEAVE, 0, 0), tension=0.5 * LOAD, elements=72, cord_offset=r, friction=friction,
        turns_rope=friction > 0.0, **REEVED,
        contact={"contact_stiffness_per_length": 1e8, "friction_stiffness_per_length": BRISTLES},
    )  # fmt: skip
    for k in (0, len(rope.nodes) - 1):
        con.socket(world, rope.nodes[k], world.add(Ground), bends=True)
    return ReevedBlock(world, rope, drive)
