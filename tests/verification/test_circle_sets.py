"""For contact of cables with a set of circles, results are compared with the results with one row per pair. All
contacts are found for any skin, and restarts are possible.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import windlass as wl
from windlass import connectors as con
from windlass.elements import RigidBody2D, straight_cable
from windlass.framework.assembly.assembly import serial_assembly
from windlass.framework.errors import ModelError
from windlass.framework.state.tangent_check import check_tangent

from support.many_pulleys import RADIUS, Ring, create_ring

STEP, END = 2e-4, 0.02
PULLEYS, PER_PULLEY = 6, 6


def find_numbers(ring: Ring, state: wl.State) -> Any:
    """Return the number of the circle of each row, -1 for none, shape (rows,)."""
    return wl.eval_output(ring.contacts, "circle", state).astype(int)


def pair_history(ring: Ring, state: wl.State, other: Ring) -> Any:
    """Return the history values of a model with a circle set in the order of a model with one row per pair."""
    data = wl.State(other.world).data.copy().reshape(PULLEYS, -1, 6)
    rows, numbers = state.data.reshape(-1, 7), find_numbers(ring, state)
    for row in np.flatnonzero(numbers >= 0):
        data[numbers[row], row // 2] = rows[row, :6]
    return data.ravel()


@pytest.mark.parametrize("skin", [0.0, 0.012, 0.4])
def test_same_as_one_row_per_pair(skin: float) -> None:
    """For a belt that moves by more than an element, results equal the results with one row per pair. Every touching
    point has its row, and pairs without a row are far apart.

    Differences are rounding errors, which contact magnifies. A wrong pair would give an error of the order of forces.
    """
    ring, other = create_ring(PULLEYS, PER_PULLEY, skin=skin), create_ring(PULLEYS, PER_PULLEY, pairs=True)
    cables = PULLEYS * PER_PULLEY
    starts: list[Any] = []

    def look(state: wl.State) -> None:
        # compute the gap between each point and each circle by the model that has one row per pair, in the same state
        full = wl.State(other.world)
        full.q[:], full.v[:] = state.q, state.v
        gap = wl.eval_output(other.contacts, "gap", full).reshape(PULLEYS, cables, 2)
        numbers, own = find_numbers(ring, state).reshape(cables, 2), wl.eval_output(ring.contacts, "gap", state)
        for circle, cable in np.argwhere((gap <= 0.0).any(axis=2)):
            places = np.flatnonzero(numbers[cable] == circle)
            assert len(places) == 1
            assert_array_equal(own.reshape(cables, 2, 2)[cable, places[0]], gap[circle, cable])
        assert not ((numbers[:, 0] == numbers[:, 1]) & (numbers[:, 0] >= 0)).any()
        starts.append(numbers.copy())
        if state.step % 30 == 0:
            # rows without a circle add zeros, so the forces with the set exactly equal the forces with one row per pair
            full.data[:] = full.start_data[:] = pair_history(ring, state, other)
            forces = [wl.assemble_vector(model.world, s).array for model, s in ((ring, state), (other, full))]
            assert_array_equal(*forces)

    state = wl.Dynamic(ring.world, step=STEP, end=END, name="").solve(hooks=[look])
    pairs = wl.Dynamic(other.world, step=STEP, end=END, name="").solve()
    assert (starts[0] != starts[-1]).any()
    assert_allclose(state.q, pairs.q, atol=1e-9, rtol=0)
    assert_allclose(state.v, pairs.v, atol=1e-6, rtol=0)


def test_tangent_of_what_is_near() -> None:
    """The tangent couples a cable only with the circles of its present contact pairs."""
    ring = create_ring(PULLEYS, PER_PULLEY)
    # points hit circles at high speed, and steps of reduced size would end just before a contact closes
    state = wl.Dynamic(ring.world, step=STEP, end=0.004, name="", resolve_contacts=False).solve()
    check_tangent(ring.world, state, states=1, displacement=1e-6)
    pattern = serial_assembly(ring.world).update_pattern()
    other = create_ring(PULLEYS, PER_PULLEY, pairs=True)
    assert pattern.spare < 0.7 * serial_assembly(other.world).update_pattern().spare


def test_rows_are_few() -> None:
    """For any number of circles, a cable has two contact rows, or one row if the cable can touch only one circle at a
    time.
    """
    for pulleys in (4, 8):
        world, contacts = create_ring(pulleys, 3)[0::3]
        assert contacts.table.component is con.ContactFrictionCircleSetPoints2D and len(contacts) == 6 * pulleys
        assert (world.table(con.ContactSet).count, world.table(con.SetCircle).count) == (1, pulleys)
    assert len(create_ring(4, 3, touching=1).contacts) == 12


def test_too_many_circles() -> None:
    """A cable that touches two circles at a time with only one row causes an error."""
    world = wl.World()
    circles = [world.add(RigidBody2D, position=(x, RADIUS - 1e-3), mass=1.0, inertia=1.0) for x in (0.25, 0.75)]
    cable = straight_cable(world, (0, 0), (1, 0), 1, axial_stiffness=1e4, bending_stiffness=1.0, mass_per_length=0.5)
    con.add_contact_with_many(world, circles, cable, segments=2, circle_radius=RADIUS, touching=1)
    with pytest.raises(ModelError, match="touches more than 1 circles"):
        wl.Dynamic(world, step=1e-3, end=1e-3, name="").solve()
