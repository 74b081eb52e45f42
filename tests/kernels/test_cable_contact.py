"""Tests of contact between 3D cables: the tangent is compared with differences, contacts are compared with a search
over all pairs, and wrong models cause errors.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import windlass as wl
from windlass import connectors as con
from windlass.connectors.cable_contact.geometry import carry, carry_change
from windlass.connectors.cable_contact.kernels import NUMBER, TOUCHING, WIDTH
from windlass.connectors.cable_contact.places import ContactPlaces, create_places
from windlass.elements import Cable3D, PointSlope3D, nodes_of, straight_cable
from windlass.framework.assembly.assembly import serial_assembly
from windlass.framework.errors import ModelError
from windlass.framework.model.rows import create_records
from windlass.framework.model.system import evaluate
from windlass.solvers.failure import NotConverged

from support.rope_contact import COLUMNS, RADIUS, create_crossing

LAW = {"contact_damping_per_length": 2e3, "friction_stiffness_per_length": 2e5}


def eval_tangents(world: wl.World, state: wl.State, dq: float, dv: float, change: float) -> tuple[Any, Any]:
    """Return the tangent of the contact, and central differences of the contact forces, both of shape (n, n)."""
    assembly = serial_assembly(world)
    fields = assembly.load_fields(state)
    system = assembly.layout.systems[con.ContactFrictionCables3D]
    size = len(fields.x)
    slots = (system.dofs[:, :, None] * size + system.dofs[:, None, :]).astype(np.int32)
    values = np.zeros(size * size)
    assert system.tangent is not None and system.residual is not None
    system.tangent(evaluate(fields, dq=dq, dv=dv, slots=slots, values=values))
    columns, moved = [], fields.x if dq else fields.v
    for j in range(size - 1):
        forces, before = [], moved[j]
        for sign in (1.0, -1.0):
            moved[j] = before + sign * change
            s = evaluate(fields, f=np.zeros(size))
            system.residual(s)
            forces.append(s.f[:-1])
        moved[j] = before
        columns.append((forces[0] - forces[1]) / (2.0 * change))
    return values.reshape(size, size)[:-1, :-1], np.transpose(columns)


@pytest.mark.parametrize(("friction", "state"), [(0.0, -2.0), (10.0, 0.0), (0.03, 1.0)])
def test_tangent(friction: float, state: float) -> None:
    """The tangent agrees with differences for two moving ropes with bristles. The ropes cross at an oblique angle, and
    the contact is not in the middle of a cable.

    The truncation error of differences is proportional to the square of the step. The rounding error is inversely
    proportional to the step.
    """
    ropes = create_crossing(0.8, 2e-4, held=False, offset=0.004, friction_coefficient=friction, **LAW)
    start = wl.State(ropes.world)
    start.v[:] = 0.3 * np.random.default_rng(1).standard_normal(len(start.v))
    now = wl.Dynamic(ropes.world, step=2e-5, end=1e-4, name="").solve(start)
    assert wl.eval_output(ropes.rows, "stick_slip", now).max() == state
    assert wl.eval_output(ropes.rows, "contact_count", now).sum() >= 2
    for dq, dv, change in ((1.0, 0.0, 2e-9), (0.0, 1.0, 1e-5)):
        tangent, differences = eval_tangents(ropes.world, now, dq, dv, change)
        assert np.abs(tangent).max() > 1.0
        assert_allclose(tangent, differences, atol=1e-8 * np.abs(tangent).max(), rtol=0)


@pytest.mark.parametrize(("friction", "state", "penalty"), [(10.0, 0.0, 0.0), (0.03, 1.0, 300.0)])
def test_tangent_of_ropes_that_turn(friction: float, state: float, penalty: float) -> None:
    """The tangent agrees with differences for bent and twisted ropes that spin and turn each other."""
    world, rng, ropes = wl.World(), np.random.default_rng(1), []
    for angle, height in ((0.0, 0.0), (0.8, 2.0 * RADIUS - 5e-4)):
        along, up = np.array([np.cos(angle), np.sin(angle), 0.0]), np.array([0.0, 0.0, height])
        ends = (-0.036 * along + up).tolist(), (0.044 * along + up).tolist()
        ropes.append(
            straight_cable(
                world, *ends, 2, mass_per_length=0.1, rotary_inertia=1e-6, axial_stiffness=1e4, bending_stiffness=1.0,
                torsional_stiffness=0.5, turned_from=(0, 0, 1),
            )
        )  # fmt: skip
    rows = con.add_cable_contact(
        world, ropes, radius=RADIUS, points=9, contact_stiffness_per_length=1e7, friction_coefficient=friction,
        friction_velocity_penalty_per_length=penalty, turns_rope=True, **LAW,
    )  # fmt: skip
    start, dofs = wl.State(world), []
    for rope in ropes:
        dofs.append(start.local_dofs(nodes_of(world, rope)))
    start.q[np.concatenate(dofs)[:, 3:6]] += 1e-3 * rng.standard_normal((6, 3))
    start.v[:] = 0.1 * rng.standard_normal(len(start.v))
    angles = np.concatenate(dofs)[:, 6]
    start.q[angles], start.v[angles] = rng.standard_normal(6), 30.0 * rng.standard_normal(6)
    now = wl.Dynamic(world, step=2e-5, end=1e-4, name="").solve(start)
    assert wl.eval_output(rows, "stick_slip", now).max() == state
    for dq, dv, change in ((1.0, 0.0, 2e-9), (0.0, 1.0, 1e-5)):
        tangent, differences = eval_tangents(world, now, dq, dv, change)
        assert_allclose(tangent, differences, atol=2e-9 * np.abs(tangent).max(), rtol=0)
        # without dampers, friction of sticking points does not depend on velocities
        assert np.abs(tangent[np.ix_(angles, angles)]).max() > 0.0 or (penalty == 0.0 and dq == 0.0)
        # moments about the axes
        part = tangent[angles]
        assert_allclose(part, differences[angles], rtol=0, atol=1e-6 * np.abs(part).max() + 1e-14)


def test_carried_normals() -> None:
    """Normals that move with the axis keep length and angle to the axis, and their computed changes agree with
    differences.
    """
    rng = np.random.default_rng(0)
    t0, t, m, dt = rng.standard_normal((4, 3))
    t0, t = t0 / np.linalg.norm(t0), t / np.linalg.norm(t)
    m -= (m @ t0) * t0
    dt -= (dt @ t) * t
    vectors = [tuple(map(float, a)) for a in (m, t0, t)]
    carried = np.array(carry(*vectors))
    assert_allclose([carried @ carried, carried @ t], [m @ m, 0.0], atol=1e-14)
    h = 1e-6
    both = [np.array(carry(*vectors[:2], tuple(map(float, t + sign * h * dt)))) for sign in (1.0, -1.0)]
    assert_allclose(carry_change(*vectors, tuple(map(float, dt))), (both[0] - both[1]) / (2.0 * h), atol=1e-8)


def test_refused_models() -> None:
    """Wrong radii, numbers of points, kinds of cables, and cables that form no rope cause errors."""
    world = wl.World()
    rope = straight_cable(world, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), 4, **COLUMNS)
    stiff = {"contact_stiffness_per_length": 1e6}
    for radius in (0.0, -0.01):
        with pytest.raises(ModelError, match=r"radius = .* m in add_cable_contact: must be .*> 0"):
            con.add_cable_contact(world, rope, radius=radius, points=4, **stiff)
    group = world.add(con.CableContactSet, **stiff)
    with pytest.raises(ModelError, match=r"radius = -0.01 m in ContactFrictionCables3D row 0: must be > 0"):
        world.add(con.ContactFrictionCables3D, contact_set=group, cable=rope, points=40, radius=-0.01)
    with pytest.raises(ModelError, match=r"radius = .* must be one number, or one for each of 1 handles"):
        con.add_cable_contact(world, rope, radius=[0.1, 0.2], points=4, **stiff)
    with pytest.raises(ModelError, match="must be one or several handles"):
        con.add_cable_contact(world, [], radius=0.1, points=4, **stiff)
    plane = straight_cable(world, (0.0, 0.0), (1.0, 0.0), 1, **COLUMNS)
    with pytest.raises(ModelError, match="3D cable"):
        con.add_cable_contact(world, plane, radius=0.1, points=4, **stiff)
    con.add_cable_contact(world, rope, radius=0.01, points=4, **stiff)
    with pytest.raises(
        ModelError, match=r"points = 4 .* are 0\.0625 m apart: must be at most 0\.02 m apart, the diameter; .* 13"
    ):
        world.finalize()
    world = wl.World()
    rope = straight_cable(world, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), 4, **COLUMNS)
    con.add_cable_contact(world, [rope, rope[1]], radius=0.1, points=4, **stiff)
    with pytest.raises(ModelError, match="two cables of one set have the same node0"):
        world.finalize()


def test_ropes_inside_each_other() -> None:
    """An overlap of ropes by more than a radius causes an error at the start. In later steps, such an overlap causes
    the rejection of the step.
    """
    ropes = create_crossing(depth=1.2 * RADIUS)
    with pytest.raises(ModelError, match=r"rows \d and \d overlap at the start by 0.00528 m .* less than .* a radius"):
        wl.Dynamic(ropes.world, step=1e-5, end=1e-5, name="").solve()
    ropes = create_crossing(depth=0.5 * RADIUS, held=False, contact_stiffness_per_length=1e3)
    start = wl.State(ropes.world)
    # the second rope moves down
    start.v.reshape(-1, 2, 3)[3:, 0, 2] = -10.0
    with pytest.raises(NotConverged, match="would pass through each other"):
        wl.Dynamic(ropes.world, step=1e-4, end=2e-3, name="").solve(start)


@pytest.mark.parametrize("skin", [0.0, 0.1])
def test_every_contact_is_found(skin: float) -> None:
    """While the turns of a coil approach and touch each other, the gaps of all contacts agree with a search over all
    pairs, for any value of ``skin``.
    """
    turns, radius, count = 2.2, 0.05, 24
    angle = np.linspace(0.0, 2.0 * np.pi * turns, count + 1)
    pitch = 0.0135 / (2.0 * np.pi)
    position = np.stack((radius * np.cos(angle), radius * np.sin(angle), pitch * angle), axis=1)
    slope = np.stack((-radius * np.sin(angle), radius * np.cos(angle), pitch + 0.0 * angle), axis=1)
    length = np.hypot(radius, pitch) * angle[-1] / count
    world = wl.World()
    slope /= np.hypot(radius, pitch)
    # the turns of the coil move towards each other
    velocity = np.zeros((count + 1, 6))
    velocity[:, 2], velocity[:, 5] = -140.0 * position[:, 2], -140.0 * slope[:, 2]
    nodes = world.add(PointSlope3D, position=position, slope=slope, velocity=velocity)
    rope = world.add(Cable3D, node0=nodes[:-1], node1=nodes[1:], length=length, **COLUMNS)
    rows = con.add_cable_contact(world, rope, radius=RADIUS, points=6, skin=skin, contact_stiffness_per_length=1e5)
    state = wl.Dynamic(world, step=1e-4, end=2.5e-3, name="").solve()
    gaps = wl.eval_output(rows, "gap", state)
    xs = (np.arange(6) + 0.5) * length / 6
    points = np.stack([wl.eval_output(rope, "position", state, x=x) for x in xs], axis=1).reshape(-1, 3)
    fine = np.linspace(0.0, length, 200, endpoint=False)
    places = np.stack([wl.eval_output(rope, "position", state, x=x) for x in fine], axis=1).reshape(-1, 3)
    arc, arcs = (np.add.outer(length * np.arange(count), x).ravel() for x in (xs, fine))
    distance = np.linalg.norm(points[:, None] - places, axis=2)
    distance[np.abs(arc[:, None] - arcs) < 0.5 * np.pi * radius] = np.inf
    truth = distance.min(axis=1).reshape(gaps.shape) - 2.0 * RADIUS
    assert (truth < 0.0).sum() > 20
    near = truth < 0.5 * RADIUS
    assert_allclose(gaps[near], truth[near], atol=2e-6)


def test_closed_rope() -> None:
    """In a closed chain, arc length is measured around the ring, so a point and its neighbours across the closing joint
    do not touch.
    """
    angle = np.linspace(0.0, 2.0 * np.pi, 9)[:-1]
    world = wl.World()
    position = 0.05 * np.stack((np.cos(angle), np.sin(angle), 0.0 * angle), axis=1)
    slope = np.stack((-np.sin(angle), np.cos(angle), 0.0 * angle), axis=1)
    nodes = world.add(PointSlope3D, position=position, slope=slope)
    order = [*range(1, 8), 0]
    ring = world.add(Cable3D, node0=nodes, node1=nodes[order], length=0.05 * np.pi / 4.0, **COLUMNS)
    rows = con.add_cable_contact(world, ring, radius=RADIUS, points=6, skin=0.02, contact_stiffness_per_length=1e5)
    state = wl.Dynamic(world, step=1e-6, end=1e-6, name="").solve()
    assert np.isinf(wl.eval_output(rows, "gap", state)).all()
    assert len(nodes_of(world, ring)) == 8


def create_slots(cables: int = 5) -> ContactPlaces:
    """Create the contact slots of a closed chain of cables with two points each."""
    rows = np.arange(cables)
    return create_places(
        create_records(
            dofs=np.arange(12 * cables).reshape(cables, 12), length=np.ones(cables), points=np.full(cables, 2),
            data=rows * 2 * TOUCHING * WIDTH, before=np.roll(rows, 1), after=np.roll(rows, -1),
        )
    )  # fmt: skip


def test_lists_of_contacts() -> None:
    """Contacts are listed in the order of the first cable, the second cable and the slot, for any history values."""
    places, rng = create_slots(), np.random.default_rng(0)
    at = places.slots.at
    for _ in range(20):
        data = np.zeros(at.max() + WIDTH)
        data[at + NUMBER] = np.where(rng.random(len(at)) < 0.3, rng.integers(1, 6, len(at)), 0)
        places.assign(data)
        number, taken = data[at + NUMBER].astype(int), places.taken
        slots = sorted(np.flatnonzero(number), key=lambda i: (places.slots.cable[i], number[i], i))
        assert_array_equal(taken.rank, slots)
        assert_array_equal(taken.at, at[slots])
        pairs = [(places.slots.cable[i], number[i] - 1) for i in slots]
        assert_array_equal(taken.pair, sorted(set(pairs)))
        assert_array_equal(np.repeat(taken.pair, np.diff(taken.first), axis=0), pairs)
        # a pair is not listed before it is coupled
        places.couple(data)
        assert not places.is_outdated
        assert_array_equal(places.coupled[places.taken.coupling], places.taken.pair)


def test_couplings_of_earlier_contacts() -> None:
    """Two kinds of pairs are coupled: pairs to which the contact point can move next, and pairs with earlier contacts.
    Earlier contacts are no longer coupled if there are too many pairs, or if a checkpoint requires that the couplings
    depend only on the state.
    """
    places = create_slots(40)
    at = places.slots.at

    def find(cable: int, exact: bool = False) -> tuple[bool, set[tuple[int, ...]]]:
        """Couple the pairs for contact of the first point with one cable. Return whether the coupling was necessary."""
        data = np.zeros(at.max() + WIDTH)
        data[at[0] + NUMBER] = cable + 1
        places.assign(data)
        places.exact = exact
        due = places.is_outdated
        if due:
            places.couple(data)
        return due, set(map(tuple, places.coupled.tolist()))

    first = {(0, 19), (0, 20), (0, 21)}
    assert find(20) == (True, first)
    assert find(21) == (False, first)
    assert find(22) == (True, first | {(0, 22), (0, 23)})
    # only the coupled pairs have rows of coordinates
    assert places.eval_dofs().shape == (5, 24)
    assert find(22, exact=True) == (True, {(0, 21), (0, 22), (0, 23)})
    assert find(30) == (True, {(0, k) for k in (21, 22, 23, 29, 30, 31)})
    assert find(10) == (True, {(0, 9), (0, 10), (0, 11)})
