"""Tests of the contact of circles and cables: errors before any solve, history values, forms of parameters,
`add_contact`.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from windlass.connectors import (
    CableShape,
    ContactCircleCable2D,
    ContactFrictionCircleCable2D,
    add_contact,
    position_marker,
    rigid_marker,
)
from windlass.elements import ALECable2D, ALENode, Cable2D, MassPoint, PointSlope2D, RigidBody2D, straight_cable
from windlass.framework.assembly.assembly import serial_assembly
from windlass.framework.errors import ModelError
from windlass.framework.model.history import GenericData
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.assemble import assemble_matrix, assemble_vector
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.fingerprint import check_model, describe_model
from windlass.framework.state.state import State

RADIUS = 0.1
CABLE = {"mass_per_length": 0.0, "axial_stiffness": 1e-300, "bending_stiffness": 0.0}
BOTH = pytest.mark.parametrize("kind", [ContactFrictionCircleCable2D, ContactCircleCable2D])


def model(elements: int = 1, segments: int = 2, offset: float = 0.0) -> tuple[World, Entity, Entity, Entity]:
    """Create a wheel below a straight weightless cable without stiffness. Return the world, the wheel, its marker, and
    the shape marker of the cable.
    """
    world = World()
    wheel = world.add(RigidBody2D, position=(0.1, -0.099), mass=1.0, inertia=1.0)
    cable = straight_cable(world, (0, 0), (0.3, 0), elements, **CABLE)
    shape = world.add(CableShape, cable=cable, segments=segments, vertical_offset=offset)
    return world, wheel, rigid_marker(world, wheel), shape


def add(kind: Any, **values: Any) -> World:
    """Return a world with one contact row that has valid values except for the given values."""
    world, _, marker, shape = model()
    good = {"circle": marker, "cable": shape, "segments": 2, "circle_radius": RADIUS, "contact_stiffness": 1e5}
    world.add(kind, **{name: value for name, value in (good | values).items() if value is not None})
    return world


@BOTH
@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"circle_radius": -0.1}, r"circle_radius = -0.1 m in \w+ row 0: must be > 0"),
        ({"circle_radius": 0.0}, r"circle_radius = 0.0 m .*must be > 0"),
        ({"circle_radius": np.nan}, r"circle_radius = nan m"),
        ({"circle_radius": None}, r"needs circle_radius \[m\]"),
        ({"contact_stiffness": -1.0}, r"contact_stiffness = -1.0 N/m .*must be >= 0"),
        ({"contact_stiffness": np.nan}, r"contact_stiffness = nan N/m"),
        ({"contact_stiffness": np.inf}, r"contact_stiffness = inf N/m"),
        ({"contact_damping": -1.0}, r"contact_damping = -1.0 N s/m"),
        ({"segments": 0}, r"segments = 0 in \w+ row 0: must be >= 1"),
        ({"segments": 1.5}, r"segments .*must be a whole number"),
        ({"segments": None}, r"needs segments"),
        ({"stiffness": 1.0}, r"has no column 'stiffness'"),
    ],
)
def test_values_that_are_not_allowed(kind: Any, values: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        add(kind, **values)


@pytest.mark.parametrize("name", ["friction_stiffness", "friction_velocity_penalty", "friction_coefficient"])
@pytest.mark.parametrize("value", [-1.0, np.nan])
def test_friction_values_that_are_not_allowed(name: str, value: float) -> None:
    with pytest.raises(ModelError, match=f"{name} = {value}"):
        add(ContactFrictionCircleCable2D, **{name: value})


@BOTH
def test_other_number_of_segments_than_the_marker(kind: Any) -> None:
    with pytest.raises(ModelError, match=r"segments = 3 in \w+ row 0: must be 2, as in its cable-shape marker"):
        add(kind, segments=3).finalize()


@pytest.mark.parametrize(("kind", "needed"), [(ContactFrictionCircleCable2D, 6), (ContactCircleCable2D, 2)])
def test_history_of_the_wrong_size(kind: Any, needed: int) -> None:
    world, _, marker, shape = model()
    data = world.add(GenericData, initial=[0.1] * (needed + 1))
    world.add(kind, circle=marker, cable=shape, segments=2, circle_radius=RADIUS, data=data)
    with pytest.raises(ModelError, match=rf"data of \w+ row 0 has {needed + 1} values: must have {needed} "):
        world.finalize()


def test_sticking_lengths_that_are_not_allowed() -> None:
    """An invalid name of a sticking length causes an error, even if it begins with a valid name. A cable axis beyond
    the centre of the circle also causes an error. Values that are read from rows are names.
    """
    for wrong in ("reference length", "now", 1):
        words = rf"sticking_length.* = {wrong}\b.*: must be one of current, reference"
        with pytest.raises(ModelError, match=words):
            add(ContactFrictionCircleCable2D, sticking_length=wrong)
    world, _, marker, shape = model(elements=2, offset=-0.11)
    rows = world.add(
        ContactFrictionCircleCable2D, circle=marker, cable=shape, segments=2, circle_radius=RADIUS,
        sticking_length=["reference", "current"],
    )  # fmt: skip
    assert [row.sticking_length for row in rows] == ["reference", "current"]
    with pytest.raises(ModelError, match=r"vertical_offset = -0.11 m .* row 1: must be smaller than circle_radius"):
        world.finalize()


def test_history_of_moving_material() -> None:
    """Contact rows on ALE cables with current lengths have one additional history value, the axial motion.

    A row without the additional history value is refused.
    """
    for values, sticking in ((7, "current"), (6, "reference")):
        world, cable = World(), dict(CABLE)
        ends = [world.add(PointSlope2D, position=(x, 0.0)) for x in (0.0, 0.3)]
        cable |= {"node0": ends[0], "node1": ends[1], "length": 0.3}
        shape = world.add(CableShape, cable=world.add(ALECable2D, ale=world.add(ALENode), **cable), segments=2)
        marker = rigid_marker(world, world.add(RigidBody2D, position=(0.1, -0.099), mass=1.0, inertia=1.0))
        columns = {"cable": shape, "circle": marker, "segments": 2, "circle_radius": RADIUS}
        row = world.add(ContactFrictionCircleCable2D, sticking_length=sticking, **columns)
        assert len(world.tables[GenericData].collect("initial")[row.row]) == values
        world.add(ContactFrictionCircleCable2D, data=world.add(GenericData, initial=[0.1] * 6), **columns)
        with pytest.raises(ModelError, match=r"row 1 has 6 values: must have 7 \(3 for each of 2 segments, and 1\)"):
            world.finalize()


def test_law_chosen_by_name_is_part_of_the_model() -> None:
    """A checkpoint of a model with one kind of sticking length causes an error in a model with the other kind."""
    assemblies = [
        serial_assembly(add(ContactFrictionCircleCable2D, sticking_length=name)) for name in ("current", "reference")
    ]
    kept = describe_model(assemblies[0])
    check_model(kept, assemblies[0], "belt.npz")
    message = "with sticking_length = reference: 0 in the file, 1 here"
    with pytest.raises(ModelError, match=f"belt.npz belongs to another model:(.|\n)*{message}"):
        check_model(kept, assemblies[1], "belt.npz")


def test_history_that_two_rows_share() -> None:
    world, _, marker, shape = model(elements=2)
    data = world.add(GenericData, initial=[0.1, 0.1])
    world.add(ContactCircleCable2D, circle=marker, cable=shape, segments=2, circle_radius=RADIUS, data=data)
    with pytest.raises(ModelError, match="rows 0 and 1 are the same row"):
        world.finalize()


def test_markers_of_the_wrong_kind() -> None:
    world, wheel, marker, shape = model()
    point = position_marker(world, world.add(MassPoint, position=(0, 0), mass=1.0))
    good = {"segments": 2, "circle_radius": RADIUS}
    for circle, cable, message in (
        (marker, marker, "cable in .* must be a cable shape marker"),
        (shape, shape, "circle in .* must be a rigid marker"),
        (point, shape, "circle in .* must be a rigid marker"),
        (wheel, shape, "circle in .* must be a rigid marker"),
        (None, shape, "needs circle"),
    ):
        with pytest.raises(ModelError, match=message):
            world.add(ContactFrictionCircleCable2D, circle=circle, cable=cable, **good)
    with pytest.raises(ModelError, match=r"cable in CableShape row 1 .* must be a cable"):
        world.add(CableShape, cable=wheel, segments=2)
    # without friction, a contact with a point that has no rotation is allowed
    world.add(ContactCircleCable2D, circle=point, cable=shape, **good)
    world.finalize()


def test_both_forms_of_a_parameter() -> None:
    for name in ("contact_stiffness", "contact_damping", "friction_velocity_penalty", "friction_stiffness"):
        world = add(ContactFrictionCircleCable2D, **{name: 1.0, f"{name}_per_length": 2.0})
        with pytest.raises(ModelError, match=f"{name} = 1 .* and {name}_per_length = 2 .* row 0: give one of them"):
            world.finalize()


def test_switching_to_the_other_form_is_checked_too() -> None:
    world = add(ContactFrictionCircleCable2D, friction_stiffness=1.0)
    state, contact = State(world), world.entity(world.count - 1)
    assemble_vector(world, state)
    world.set(contact, friction_stiffness_per_length=2.0)
    with pytest.raises(ModelError, match=r"friction_stiffness = 1 .* give one of them"):
        assemble_vector(world, state)
    with pytest.raises(ModelError, match=r"contact_stiffness of .* cannot be changed"):
        world.set(contact, contact_stiffness=2.0)


def test_history_is_created() -> None:
    world, _, marker, shape = model(elements=3)
    contact = world.add(ContactFrictionCircleCable2D, circle=marker, cable=shape, segments=2, circle_radius=RADIUS)
    assert len(world.table(GenericData).collect("initial")) == 3
    state = State(world)
    assert_allclose(state.data, [0.1, 0.1, -2, -2, 0, 0] * 3)
    assert np.all(eval_output(contact, "state", state) == -2)


def test_rows_with_different_numbers_of_segments() -> None:
    """Outputs of rows with different numbers of segments are padded with zeros. The number of history values depends on
    the number of segments of the row.
    """
    world = World()
    wheel = world.add(RigidBody2D, position=(0.1, -0.099), mass=1.0, inertia=1.0)
    cable = straight_cable(world, (0, 0), (0.3, 0), 3, **CABLE)
    segments = np.array([1, 3, 2])
    shape = world.add(CableShape, cable=cable, segments=segments)
    contact = world.add(
        ContactFrictionCircleCable2D,
        circle=rigid_marker(world, wheel),
        cable=shape,
        segments=segments,
        circle_radius=RADIUS,
    )
    state = State(world)
    for i, n in enumerate(segments):
        initial = world.entity(int(contact.table.collect("data")[i])).initial
        assert_allclose(initial, np.repeat([0.1, -2.0, 0.0], n), rtol=0, atol=0)
    gap, points = eval_output(contact, "gap", state), eval_output(shape, "position", state)
    assert gap.shape == (3, 3) and points.shape == (3, 4, 2)
    for i, n in enumerate(segments):
        assert np.all(gap[i, n:] == 0) and np.all(gap[i, :n] != 0)
        assert_allclose(points[i, : n + 1, 0], 0.1 * i + np.linspace(0, 0.1, n + 1), atol=1e-15)


@pytest.mark.parametrize("segments", [1, 2, 4])
def test_parameters_per_length_scale_with_the_segments(segments: int) -> None:
    """For all four parameters, a value k per metre of cable gives the same forces as the value k L/n per segment."""
    per_length = {
        "contact_stiffness": 1e6,
        "contact_damping": 30.0,
        "friction_velocity_penalty": 200.0,
        "friction_stiffness": 3e5,
    }
    forces = []
    for form in ("", "_per_length"):
        world, wheel, marker, shape = model(segments=segments)
        scale = 1.0 if form else 0.3 / segments
        values = {name + form: value * scale for name, value in per_length.items()}
        world.add(
            ContactFrictionCircleCable2D,
            circle=marker,
            cable=shape,
            segments=segments,
            circle_radius=RADIUS,
            friction_coefficient=0.4,
            **values,
        )
        state = State(world)
        state.put(wheel, [0.01, -0.02, 0.3], "v")
        state.data[:segments], state.data[segments : 2 * segments] = -1.0, 0.0
        forces.append(assemble_vector(world, state).array)
    assert np.abs(forces[0]).max() > 1.0
    assert_allclose(forces[1], forces[0], rtol=1e-13)


def test_outputs_and_switching_in_a_world() -> None:
    world, wheel, marker, shape = model(offset=-0.0005)
    contact = world.add(
        ContactFrictionCircleCable2D,
        circle=marker,
        cable=shape,
        segments=2,
        circle_radius=RADIUS,
        contact_stiffness=1e5,
        friction_velocity_penalty=10.0,
        friction_coefficient=0.5,
    )
    state = State(world)
    state.put(wheel, [0.0, 0.0, 2.0], "v")
    state.data[:2] = -1.0, 0.1
    force = eval_output(contact, "force_local", state)
    # the gap is the distance from the centre, 0.099 - 0.0005, minus 0.1; the circle of radius 0.1 turns with 2 rad/s
    # counter-clockwise
    assert_allclose(force, [[-10.0 * 0.2, -1e5 * 0.0015], [0, 0]], rtol=1e-12)
    assert_allclose(eval_output(contact, "coordinates", state), [[0, -0.0015], [0, 0]], atol=1e-15)
    assert_allclose(eval_output(contact, "coordinates_rate", state), [[-0.2, 0], [0, 0]], atol=1e-15)
    assert_allclose(eval_output(contact, "force_per_length", state), force / 0.15)
    assert_allclose(eval_output(contact, "contact_position", state)[0], [0.1, -0.0005], atol=1e-15)
    assert_allclose(eval_output(contact, "normal", state)[0], [0, 1], atol=1e-15)
    assert_allclose(eval_output(contact, "tangent", state)[0], [-1, 0], atol=1e-15)
    # the state (stick or slip) is not determined yet, so only the damper acts
    assert_allclose(eval_output(contact, "friction_damping_power", state), 10.0 * 0.2**2)
    assert_allclose(eval_output(contact, "friction_power", state), 0.0)
    total = assemble_vector(world, state).array
    assert_allclose(total[state.local_dofs(wheel)], [[-2.0, 150.0, 0.2]], atol=1e-11)
    assert assemble_matrix(world, state).norm() > 1e5
    world.set(contact, active=False)
    assert not assemble_vector(world, state).array.any() and assemble_matrix(world, state).norm() == 0
    assert not eval_output(contact, "force_local", state).any()
    world.set(contact, active=True)
    assert_allclose(assemble_vector(world, state).array, total)


@BOTH
def test_add_contact_orders_pairs_circle_by_circle(kind: Any) -> None:
    world = World()
    wheels = [world.add(RigidBody2D, position=(x, -0.5), mass=1.0, inertia=1.0) for x in (0.0, 1.0)]
    cables = straight_cable(world, (0, 0), (1, 0), 4, **CABLE)
    pairs = add_contact(
        world, kind, wheels, cables, segments=3, circle_radius=[0.1, 0.2], contact_stiffness=1e4, contact_damping=2.0
    )
    table = pairs.table
    assert len(pairs) == 8 and world.table(CableShape).count == 4
    assert_allclose(table.collect("circle_radius"), [0.1] * 4 + [0.2] * 4)
    assert len(np.unique(table.collect("circle"))) == 2 and np.all(np.diff(table.collect("circle")) >= 0)
    shapes = world.table(CableShape).ids
    assert_allclose(table.collect("cable"), np.tile(shapes, 2))
    gap = eval_output(pairs, "gap", State(world))
    assert_allclose(gap[7].min(), 0.3)
    for circles, chosen in (([], cables), (wheels, [])):
        with pytest.raises(ModelError, match="is empty: must be one or several handles"):
            add_contact(World(), kind, circles, chosen, segments=3, circle_radius=0.1)


def count_calls(count: int) -> int:
    """Return the number of function calls in Python and in libraries if `add_contact` gets many cables on 2 circles."""
    world, calls = World(), 0
    ends = [
        world.add(PointSlope2D, position=np.stack((np.arange(count) + s, np.zeros(count)), axis=1)) for s in (0, 0.5)
    ]
    cables = world.add(Cable2D, node0=ends[0], node1=ends[1], length=0.5, **CABLE)
    wheels = world.add(RigidBody2D, position=np.array([[0.2, -0.1], [7.2, -0.1]]), mass=1.0, inertia=1.0)

    def note(*_: object) -> None:
        nonlocal calls
        calls += 1

    sys.setprofile(note)
    try:
        pairs = add_contact(
            world, ContactFrictionCircleCable2D, wheels, cables, segments=2, circle_radius=0.11, contact_stiffness=1e4
        )
    finally:
        sys.setprofile(None)
    assert len(pairs) == 2 * count
    return calls


def test_add_contact_with_many_cables() -> None:
    """`add_contact` has no loop over cables in Python: 20 000 cables on 2 circles need as many function calls as 200
    cables.
    """
    assert count_calls(20_000) <= 1.1 * count_calls(200)


@BOTH
def test_moving_cables_touch_with_their_axis_only(kind: Any) -> None:
    """An offset on an ALE cable causes an error, even in a table with plain cables, for which offsets are allowed."""
    world = World()
    wheel = world.add(RigidBody2D, position=(0.1, -0.1), mass=1.0, inertia=1.0)
    plain = straight_cable(world, (0, 0), (0.3, 0), 2, **CABLE)
    moving = straight_cable(world, (0, 0), (0.3, 0), 2, ale=world.add(ALENode), **CABLE)
    pairs = add_contact(world, kind, wheel, [plain, moving], segments=2, circle_radius=RADIUS, vertical_offset=0.01)
    assert len(pairs) == 4
    message = r"vertical_offset = 0.01 m in CableShape row 2: must be 0 for ALECable2D, whose material moves"
    with pytest.raises(ModelError, match=message):
        world.finalize()


def test_moving_and_plain_cables_in_one_call() -> None:
    """Rows have the coordinates of the nodes (8), of the circle (3), and the axial motion s, which plain cables do not
    have.
    """
    world = World()
    wheel = world.add(RigidBody2D, position=(0.1, -0.1), mass=1.0, inertia=1.0)
    ale = world.add(ALENode)
    plain = straight_cable(world, (0, 0), (0.3, 0), 1, **CABLE)
    moving = straight_cable(world, (0, 0), (0.3, 0), 1, ale=ale, **CABLE)
    pairs = add_contact(
        world, ContactCircleCable2D, wheel, [plain, moving], segments=2, circle_radius=RADIUS, vertical_offset=0.0
    )
    world.finalize()
    dofs = world.dofs_of(pairs)
    assert dofs.shape == (2, 12)
    assert dofs[0, 11] == -1 and dofs[1, 11] == world.dofs_of(ale)[0, 0]
    gap = eval_output(pairs, "gap", State(world))
    assert_allclose(gap[0], gap[1], rtol=0, atol=0)
