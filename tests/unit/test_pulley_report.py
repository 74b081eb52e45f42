"""Reports of pulleys agree with sums over outputs of the contact, for constructed states and for a short run of a small
belt.
"""

import inspect
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from numpy.testing import assert_allclose

from windlass.connectors import (
    ContactCircleCable2D,
    ContactFrictionCircleCable2D,
    ContactFrictionCirclePoints2D,
    CoordinateLoad,
    add_contact,
    coordinate_marker,
    fix,
    prescribe_velocity,
    rigid_marker,
)
from windlass.connectors.contact.account import POWERS
from windlass.connectors.reports.belt_picture import draw_belt
from windlass.connectors.reports.pulley_report import (
    UNITS,
    PulleyReport,
    PulleySensor,
    format_reports,
    pulley_report,
)
from windlass.connectors.reports.pulley_sums import NAMES, find_stretch
from windlass.elements import RigidBody2D, cable_around, nodes_of
from windlass.framework.errors import ModelError
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.output.csv import read_csv
from windlass.framework.output.sensors import Sensor, Sensors
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.state import State
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.static import Static
from windlass.solvers.stepping.discontinuous import Passes

RADIUS, OFFSET, SEGMENTS = 0.1, 5e-4, 3
BODY = {"mass": 50.0, "inertia": 0.25}
CABLE = {"mass_per_length": 0.8, "axial_stiffness": 8000.0, "bending_stiffness": 1e-3, "reference_strain": -0.05}
CONTACT = {"contact_stiffness_per_length": 3e8, "friction_stiffness_per_length": 8e6, "friction_coefficient": 0.5}


class Model(NamedTuple):
    world: World
    pulleys: list[Entity]
    cables: Entity
    contacts: Entity


def create_rope(elements: int = 24, kind: type = ContactFrictionCircleCable2D) -> Model:
    """Create a rope that runs up on the left of a pulley, over the pulley, and down on the right, with the wrap angle
    pi.
    """
    world = World()
    pulley = world.add(RigidBody2D, position=(0.0, 0.0), name="sheave", **BODY)
    axis = RADIUS + OFFSET
    cables = cable_around(
        world,
        [pulley],
        elements,
        radius=RADIUS,
        radial_offset=OFFSET,
        closed=False,
        start=(-axis, -0.2),
        end=(axis, -0.2),
        **CABLE,
    )
    columns = CONTACT if kind is not ContactCircleCable2D else {"contact_stiffness_per_length": 3e8}
    contacts = add_contact(
        world, kind, pulley, cables, segments=SEGMENTS, circle_radius=RADIUS, vertical_offset=-OFFSET, **columns
    )
    return Model(world, [pulley], cables, contacts)


def create_belt(elements: int = 24) -> Model:
    """Create two pulleys and a belt that runs clockwise around both."""
    world = World()
    pulleys = [
        world.add(RigidBody2D, position=(x, 0.0), name=name, **BODY) for x, name in ((0.0, "driver"), (0.3, "driven"))
    ]
    cables = cable_around(world, pulleys, elements, radius=RADIUS, radial_offset=OFFSET, axial_damping=1.0, **CABLE)
    contacts = add_contact(
        world,
        ContactFrictionCircleCable2D,
        pulleys,
        cables,
        segments=SEGMENTS,
        circle_radius=RADIUS,
        vertical_offset=-OFFSET,
        contact_damping_per_length=6e3,
        friction_velocity_penalty_per_length=1e3,
        **CONTACT,
    )
    return Model(world, pulleys, cables, contacts)


def create_state(model: Model, speed: float = 0.0) -> State:
    """Return a state in which the rope moves along its reference shape, with the gaps of this shape.

    The first segments in contact stick.
    """
    model.world.finalize()
    state = State(model.world)
    nodes = nodes_of(model.world, model.cables)
    state.put(nodes, np.column_stack((speed * nodes.slope, np.zeros((len(nodes), 2)))), "v")
    gap = eval_output(model.contacts, "gap", state)
    if "friction_coefficient" not in model.contacts.table.component.columns:
        state.data[:] = gap.ravel()
        return state
    # history values of each contact: gaps, states, sticking positions
    data = np.zeros((len(gap), 3, SEGMENTS))
    data[:, 0], data[:, 1] = gap, np.where(gap > 0.0, -2.0, 1.0)
    touching = np.argwhere(gap <= 0.0)
    for row, segment in touching[: len(touching) // 4]:
        data[row, 1, segment] = 0.0
    state.data[:] = data.ravel()
    return state


@pytest.mark.parametrize("speed", [0.0, 2.0, -2.0])
def test_report_of_a_rope_over_a_pulley(speed: float) -> None:
    model = create_rope()
    state = create_state(model, speed)
    report = pulley_report(model.world, state, model.contacts, model.pulleys[0])
    force = eval_output(model.contacts, "force_local", state)
    stick_slip = eval_output(model.contacts, "state", state)
    assert report.name == "sheave"
    assert report.radius == RADIUS
    assert report.segments_in_contact == (stick_slip > -2.0).sum() > 20
    assert report.segments_sticking == (stick_slip == 0.0).sum() == report.segments_in_contact // 4
    assert_allclose(report.torque, RADIUS * force[..., 0].sum(), rtol=1e-12)
    assert_allclose(report.normal_force, -force[..., 1].sum(), rtol=1e-12)
    for name in POWERS:
        power = eval_output(model.contacts, name, state).sum()
        assert_allclose(getattr(report, name), power, rtol=1e-12, atol=1e-12, err_msg=name)
    # on slipping segments, the friction f_t > 0 acts counter-clockwise, against the motion of the rope, which runs
    # clockwise over the top
    assert report.torque > 0.0
    assert np.sign(report.friction_power) == -np.sign(speed)
    # the reported friction power is approximately the sum of f_t v_t over slipping segments; the sum is not exact,
    # because f_t acts at r + g and its torque is computed with r
    slip = np.where(
        stick_slip == 1.0, force[..., 0] * eval_output(model.contacts, "coordinates_rate", state)[..., 0], 0
    )
    assert_allclose(report.friction_power, slip.sum(), rtol=0.02)
    # the ends of the contact are ends of segments
    one = model.cables.length[0] / SEGMENTS / RADIUS
    assert_allclose(report.wrap_angle, np.pi, atol=1.1 * one)
    assert_allclose(report.wrap_angle, one * report.segments_in_contact, rtol=0.01)
    assert_allclose(report.slip_arc / report.wrap_angle, 0.75, atol=0.03)
    # the cubic between nodes moves a little slower than its ends
    assert_allclose(report.belt_speed, speed, rtol=0.02)
    left, right = (report.exit_point, report.entry_point) if speed < 0 else (report.entry_point, report.exit_point)
    assert_allclose(left, (-RADIUS, 0.0), atol=1.1 * one * RADIUS)
    assert_allclose(right, (RADIUS, 0.0), atol=1.1 * one * RADIUS)


@pytest.mark.parametrize("kind", [ContactFrictionCircleCable2D, ContactFrictionCirclePoints2D])
def test_belt_speed_is_that_of_the_cord(kind: type) -> None:
    """If a rope rotates with its pulley as one body, the reported belt speed is ω (R + offset), the speed of the cord,
    although the speed of the touching line is ω R.
    """
    model = create_rope(kind=kind)
    state, nodes = create_state(model), nodes_of(model.world, model.cables)
    turned = [np.column_stack((-3.0 * values[:, 1], 3.0 * values[:, 0])) for values in (nodes.position, nodes.slope)]
    state.put(nodes, np.hstack(turned), "v")
    report = pulley_report(model.world, state, model.contacts, model.pulleys[0])
    assert_allclose(report.belt_speed, -3.0 * (RADIUS + OFFSET), rtol=5e-4)


@pytest.mark.parametrize("speed", [0.0, 2.0, -2.0])
def test_report_of_contact_points(speed: float) -> None:
    """The report of contact points agrees with sums over points. The torque of a tangential force on the circle has the
    lever arm r + g.
    """
    model = create_rope(kind=ContactFrictionCirclePoints2D)
    state = create_state(model, speed)
    report = pulley_report(model.world, state, model.contacts, model.pulleys[0])
    force, gap = eval_output(model.contacts, "force_local", state), eval_output(model.contacts, "gap", state)
    rate = eval_output(model.contacts, "coordinates_rate", state)
    assert report.segments_in_contact == (gap <= 0.0).sum() > 20
    assert report.segments_sticking == report.segments_in_contact // 4
    assert_allclose(report.torque, ((RADIUS + gap) * force[..., 0]).sum(), rtol=1e-12)
    # the power is lost by friction or stored by bristles of sticking points, which have no dampers in this model
    taken = force[..., 0] * rate[..., 0]
    assert_allclose(report.friction_power + report.bristle_power, taken.sum(), rtol=1e-12)
    slips = eval_output(model.contacts, "state", state) == 1.0
    assert_allclose(report.friction_power, taken[slips].sum(), rtol=1e-12)
    assert report.lever_power == report.friction_damping_power == 0.0
    one = model.cables.length[0] / SEGMENTS / RADIUS
    assert_allclose(report.wrap_angle, one * report.segments_in_contact, rtol=0.01)
    assert_allclose(report.belt_speed, speed, rtol=0.02)
    points = (report.exit_point, report.entry_point) if speed < 0 else (report.entry_point, report.exit_point)
    # in this shape, points at both ends of the wrap are open
    assert_allclose(points, [(-RADIUS, 0.0), (RADIUS, 0.0)], atol=2.1 * one * RADIUS)


def test_tensions_are_those_of_the_strands() -> None:
    """For a rope whose stretch increases along its length, the tension of each strand follows from the stretch of this
    strand.
    """
    model = create_rope()
    state = create_state(model, speed=1.0)
    nodes = nodes_of(model.world, model.cables)
    stretch = np.linspace(0.01, 0.03, len(nodes))
    state.put(nodes, np.column_stack((np.zeros((len(nodes), 2)), stretch[:, None] * nodes.slope)))
    forward = pulley_report(model.world, state, model.contacts, model.pulleys[0])
    expected = CABLE["axial_stiffness"] * (stretch - CABLE["reference_strain"])
    touching = np.flatnonzero((eval_output(model.contacts, "gap", state) <= 0.0).any(axis=1))
    assert_allclose(forward.entry_tension, expected[touching[0]], rtol=1e-12)
    assert_allclose(forward.exit_tension, expected[touching[-1] + 1], rtol=1e-12)
    state.v *= -1.0
    backward = pulley_report(model.world, state, model.contacts, model.pulleys[0])
    assert (backward.entry_tension, backward.exit_tension) == (forward.exit_tension, forward.entry_tension)
    assert (backward.entry_point, backward.exit_point) == (forward.exit_point, forward.entry_point)


def test_the_seam_of_a_closed_belt_does_not_matter() -> None:
    model = create_belt()
    state = create_state(model, speed=1.0)
    for pulley in model.pulleys:
        report = pulley_report(model.world, state, model.contacts, pulley)
        # at each end, one segment more or one segment less may touch
        assert_allclose(report.wrap_angle, np.pi, atol=2.0 * model.cables.length[0] / SEGMENTS / RADIUS)
        assert report.segments_in_contact < 24 * SEGMENTS // 2
        for shift in (5, 9, 20):
            order = np.roll(np.arange(len(model.contacts)), shift)
            rolled = pulley_report(model.world, state, model.contacts[order], pulley)
            assert rolled.entry_point == report.entry_point
            assert rolled.exit_tension == report.exit_tension
            assert_allclose(rolled.wrap_angle, report.wrap_angle, rtol=1e-14)


def test_a_ring_that_touches_all_around() -> None:
    world = World()
    pulley = world.add(RigidBody2D, position=(0.3, 0.1), **BODY)
    cables = cable_around(world, [pulley], 12, radius=RADIUS, radial_offset=OFFSET, **CABLE)
    contacts = add_contact(
        world,
        ContactCircleCable2D,
        pulley,
        cables,
        segments=SEGMENTS,
        circle_radius=RADIUS,
        vertical_offset=-OFFSET,
        contact_stiffness_per_length=3e8,
    )
    model = Model(world, [pulley], cables, contacts)
    report = pulley_report(world, create_state(model), contacts, pulley)
    assert report.segments_in_contact == 12 * SEGMENTS
    assert report.segments_sticking == 0
    assert_allclose(report.wrap_angle, 2.0 * np.pi, rtol=1e-12)
    assert report.normal_force > 0.0


def test_a_pulley_without_contact() -> None:
    model = create_rope()
    state = create_state(model)
    state.data[:] = 0.1
    report = pulley_report(model.world, state, model.contacts, model.pulleys[0])
    assert report.segments_in_contact == 0
    assert (report.wrap_angle, report.slip_arc, report.torque, report.normal_force) == (0.0, 0.0, 0.0, 0.0)
    assert np.isnan([report.entry_tension, report.exit_tension, *report.entry_point, *report.exit_point]).all()
    text = format_reports([report])
    assert "nan" not in text


def test_the_circle_may_be_body_node_or_marker() -> None:
    model = create_rope()
    body = model.pulleys[0]
    marker = model.world.entity(int(model.contacts.table.collect("circle")[0]))
    other = rigid_marker(model.world, body)
    stray = model.world.add(RigidBody2D, position=(1.0, 0.0), **BODY)
    state = create_state(model, 1.0)
    report = pulley_report(model.world, state, model.contacts, body)
    assert pulley_report(model.world, state, model.contacts, marker).torque == report.torque
    for wrong in (other, stray):
        with pytest.raises(ModelError, match="none of the contacts"):
            pulley_report(model.world, state, model.contacts, wrong)
    with pytest.raises(ModelError, match="must be contacts of a circle"):
        pulley_report(model.world, state, model.cables, body)
    with pytest.raises(ModelError, match="state in pulley_report belongs to another world: must"):
        pulley_report(create_rope().world, state, model.contacts, body)
    with pytest.raises(ModelError, match="must be one of radius"):
        PulleySensor(model.contacts, body, "tension")


def test_help_is_not_indented_before_the_numbers() -> None:
    """In the help, text between the summary of a report and its numbers is indented like the summary."""
    help_text = str(inspect.getdoc(PulleyReport))
    assert "\n\nThe sum of the six powers " in help_text and "\n\nAttributes:\n    radius: radius of" in help_text


def test_table_names_every_number_with_its_unit() -> None:
    model = create_belt()
    state = create_state(model)
    text = format_reports([pulley_report(model.world, state, model.contacts, pulley) for pulley in model.pulleys])
    lines = text.splitlines()
    assert len({len(line) for line in lines}) == 1
    assert lines[0].split() == ["driver", "driven"]
    assert len(lines) == 1 + len(UNITS)
    for name, unit in UNITS.items():
        label = name.replace("_", " ") + ("" if unit == "1" else f" [{unit}]")
        assert sum(line.startswith(label + " ") for line in lines) == 1
    assert set(UNITS) == set(PulleyReport.__dataclass_fields__) - {"name"}


LAWS = (ContactFrictionCircleCable2D, ContactFrictionCirclePoints2D, ContactCircleCable2D)


@pytest.mark.parametrize("kind", LAWS)
def test_sensors_give_the_numbers_of_reports(kind: type) -> None:
    """The values of sensors of reports, which are computed in compiled code, are equal to the numbers of the reports,
    even after some contacts are switched off.
    """
    for model in (create_rope(kind=kind), *([create_belt()] if kind is LAWS[0] else [])):
        state = create_state(model, 2.0)
        sensors = Sensors(None, [PulleySensor(model.contacts, pulley, NAMES) for pulley in model.pulleys])
        for active in (True, False):
            sensors.record(state)
            for pulley in model.pulleys:
                report = pulley_report(model.world, state, model.contacts, pulley)
                values = [getattr(report, name) for name in NAMES]
                assert_allclose(sensors[report.name][-1], values, rtol=1e-12, atol=1e-12 * np.abs(values).max())
                assert (report.segments_in_contact > 5) and report.wrap_angle > 1.0
            model.world.set(model.contacts[: len(model.contacts) // 3], active=not active)
            state.step += 1


def test_small_belt_drive(tmp_path: Path) -> None:
    """A small belt drive starts from the preloaded state and moves under a load. The forces on the driven pulley are in
    balance at every instant and at the end.
    """
    model = create_belt()
    world, (driver, driven) = model.world, model.pulleys
    fix(world, model.pulleys, "x", "y")
    node = nodes_of(world, model.cables)[0]
    held = [fix(world, node, "x"), fix(world, model.pulleys, "rotation")]
    drive = prescribe_velocity(world, driver, "rotation", lambda t: 12.0 * min(t / 0.01, 1.0))
    world.add(CoordinateLoad, marker=coordinate_marker(world, driven, "rotation"), value=-25.0)
    world.set(drive, active=False)
    world.set(model.contacts, friction_coefficient=0.0, friction_stiffness_per_length=1e-8)
    state = Static(world, load_steps=10, geometric=True, stabiliser=1e5, rtol=1e-6, atol=1e-6).solve()
    world.set(model.contacts, friction_coefficient=0.5, friction_stiffness_per_length=8e6)
    world.set(drive, active=True)
    for constraint in held:
        world.set(constraint, active=False)
    quantities = ("torque", "wrap_angle", "entry_tension", "exit_tension", "exit_point")
    sensors = Sensors(
        tmp_path / "pulleys.csv",
        [
            *(PulleySensor(model.contacts, pulley, quantities) for pulley in model.pulleys),
            PulleySensor(model.contacts, driven, "segments_in_contact"),
            Sensor(driven, "angular_acceleration", name="alpha"),
            Sensor(driven, "angular_velocity", name="driven speed"),
            Sensor(driver, "angular_velocity", name="driver speed"),
        ],
    )
    solver = Dynamic(
        world, step=1e-4, end=0.03, method="trapezoidal_index2", rtol=1e-8, atol=1e-6, passes=Passes(atol=1e-3)
    )
    with sensors:
        state = solver.solve(state, hooks=[sensors])
    reports = [pulley_report(world, state, model.contacts, pulley) for pulley in model.pulleys]
    for report in reports:
        values = [report.torque, report.wrap_angle, report.entry_tension, report.exit_tension, *report.exit_point]
        assert_allclose(sensors[report.name][-1], values, rtol=1e-12)
    # I alpha = belt torque + load; the first state has the accelerations before the start
    left = BODY["inertia"] * sensors["alpha"][1:]
    torque = sensors["driven"][1:, 0]
    good = np.abs(left - (torque - 25.0)) < 1e-3
    assert good.mean() > 0.9, "steps accepted with a changed contact state may differ by the force error"
    # belt mass and the coarse mesh make the hand calculation inexact
    late = sensors.times > 0.02
    for name, sign in (("driver", -1.0), ("driven", 1.0)):
        torque, wrap, entry, leaving = sensors[name][late, :4].T
        assert_allclose(wrap.mean(), np.pi, rtol=0.1)
        assert (sign * torque > 0.0).all()
        arm = RADIUS + OFFSET
        # for counter-clockwise rotation, the tight strand leaves the driven pulley
        assert_allclose(torque.mean(), arm * (leaving - entry).mean(), rtol=0.08)
    table = read_csv(tmp_path / "pulleys.csv")
    assert_allclose(table["driven.torque"], sensors["driven"][:, 0], rtol=0)
    assert "driven.exit_point[1]" in table
    assert "driver.entry_tension [N]" in (tmp_path / "pulleys.csv").read_text().splitlines()[0]

    picture = draw_belt(tmp_path / "belt.png", world, state, model.cables, model.contacts, speeds=sensors)
    import matplotlib.image

    image = matplotlib.image.imread(picture)
    assert min(image.shape[:2]) > 1000
    assert len(np.unique((15 * image[::4, ::4, :3]).astype(int).reshape(-1, 3), axis=0)) > 100


@pytest.mark.parametrize("closed", [True, False])
def test_stretch_in_contact_begins_behind_the_longest_gap(closed: bool) -> None:
    """For all 2^9 patterns of touching segments among nine segments, the part in contact is the shortest part that
    contains all touching segments.
    """
    for pattern in range(1, 512):
        touching = np.array([bool(pattern >> k & 1) for k in range(9)])
        first, count = find_stretch(touching, closed)
        found = touching[(first + np.arange(count)) % 9]
        assert found.sum() == touching.sum() and found[[0, -1]].all()
        ends = range(9) if closed else (9 - int(np.argmax(touching[::-1])) - 1,)
        shortest = min(
            n for n in range(1, 10) for last in ends if touching[(last - np.arange(n)) % 9].sum() == touching.sum()
        )
        assert count == shortest and (closed or first + count <= 9)
    assert find_stretch(np.zeros(9, dtype=bool), closed) == (0, 0)
