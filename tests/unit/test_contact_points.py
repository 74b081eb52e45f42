"""Tests of contact points in a world: the helper function, errors before any solve, pictures and fields."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from windlass.connectors import ContactFrictionCirclePoints2D, add_contact, draw_belt, rigid_marker
from windlass.elements import ALENode, RigidBody2D, cable_around, straight_cable
from windlass.framework.errors import ModelError
from windlass.framework.model.world import World
from windlass.framework.output.recorder import Recorder
from windlass.framework.state.assemble import assemble_vector
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.state import State

from support.series import read_series

RADIUS, PARTS = 0.1, 3
CABLE = {"mass_per_length": 0.8, "axial_stiffness": 8000.0, "bending_stiffness": 1e-3}


def create_belt(offset: float = 0.0, **columns: Any) -> tuple[World, list[Any], Any, Any]:
    """Create a belt of 40 cables around two circles: world, circles, cables, contacts."""
    world = World()
    circles = [
        world.add(RigidBody2D, name=n, position=(x, 0.0), mass=1.0, inertia=0.01) for n, x in (("a", 0), ("b", 0.3))
    ]
    cables = cable_around(world, circles, 40, radius=RADIUS, radial_offset=-offset, **CABLE)
    contacts = add_contact(
        world, ContactFrictionCirclePoints2D, circles, cables, segments=PARTS, circle_radius=RADIUS,
        vertical_offset=offset, contact_stiffness_per_length=1e6, friction_coefficient=0.3, **columns,
    )  # fmt: skip
    return world, circles, cables, contacts


def test_helper() -> None:
    """The helper connects every cable with every circle, without markers. Parameters can be given for each circle.
    The force per length at a closed point is the contact stiffness per length times the gap.
    """
    world, _, cables, contacts = create_belt(friction_stiffness_per_length=[1e5, 2e5])
    table = contacts.table
    assert len(contacts) == 2 * len(cables)
    assert_allclose(table.collect("cable"), np.tile(cables.ids, 2))
    assert_allclose(table.collect("friction_stiffness_per_length"), np.repeat([1e5, 2e5], 40))
    assert "CableShape" not in {
        component.__name__ for component in world.tables if len(world.table(component).resident)
    }
    state = State(world)
    # the states of the points on the circles are set to closed, and the forces of these points follow from their depths
    gap = eval_output(contacts, "gap", state)
    assert gap.shape == (80, PARTS)
    on = np.abs(gap) < 2.5e-6
    data = state.data.reshape(80, 3, PARTS)
    data[:, 0][on] = -1.0
    force = eval_output(contacts, "force_per_length", state)[..., 1]
    assert_allclose(force[on], 1e6 * gap[on], atol=1e-6)
    assert not force[~on].any()
    assert np.isfinite(assemble_vector(world, state).array).all()


@pytest.mark.parametrize("offset", [0.0, -0.002])
def test_touching_line(offset: float) -> None:
    """The contact points lie at an offset from the axis of the cables. In this test the points lie on the circles."""
    world, _, _, contacts = create_belt(offset)
    gap = eval_output(contacts, "gap", State(world))
    # between nodes, cubic elements of 0.31 rad deviate from the circle by 2.3e-5 of the radius
    assert 50 < (np.abs(gap) < 2.5e-6).sum() < 64 and gap.min() > -2.5e-6


def test_picture_and_fields(tmp_path: Path) -> None:
    """`draw_belt` draws the contact, and the recorder adds its fields to the lines of the cables."""
    world, _, cables, contacts = create_belt()
    state = State(world)
    gap = eval_output(contacts, "gap", state)
    state.data.reshape(80, 3, PARTS)[:, 0] = gap
    assert draw_belt(tmp_path / "belt.png", world, state, cables, contacts).stat().st_size > 1000
    with Recorder("belt", formats=("vtu",), folder=tmp_path, subdivisions=PARTS) as out:
        out.record(state)
    times, read = read_series(out.paths[0])
    frame = read(times[0])
    assert_allclose(frame.cell_data["gap"][: 40 * PARTS], gap.reshape(2, -1).min(axis=0), rtol=1e-12)
    force = eval_output(contacts, "force_per_length", state)[..., 1].reshape(2, -1).sum(axis=0)
    assert force.any()
    assert_allclose(frame.cell_data["contact_normal_force_per_length"][: 40 * PARTS], force, rtol=1e-11)
    assert set(frame.cell_data["stick_slip"]) == {-2.0}


def test_errors() -> None:
    world = World()
    wheel = world.add(RigidBody2D, position=(0.1, -0.099), mass=1.0, inertia=1.0)
    good: dict[str, Any] = {"circle": rigid_marker(world, wheel), "segments": 2, "circle_radius": RADIUS}
    cable = straight_cable(world, (0, 0), (0.3, 0), 1, **CABLE)
    for values, message in (
        ({"circle_radius": -0.1}, "circle_radius = -0.1 m in ContactFrictionCirclePoints2D row 0: must be > 0"),
        ({"segments": 0}, "segments = 0 in ContactFrictionCirclePoints2D row 0: must be >= 1"),
        ({"friction_coefficient": np.nan}, "friction_coefficient = nan"),
        ({"contact_stiffness": 1.0}, "has no column 'contact_stiffness'"),
    ):
        with pytest.raises(ModelError, match=message):
            world.add(ContactFrictionCirclePoints2D, cable=cable, **{**good, **values})
    moving = straight_cable(world, (0, 1), (0.3, 1), 1, ale=world.add(ALENode), **CABLE)
    world.add(ContactFrictionCirclePoints2D, cable=moving, **good)
    with pytest.raises(ModelError, match="row 0 is an ALECable2D, whose material moves along its axis"):
        world.finalize()
