"""Tests of circles in contact with curves. Forces agree with Exudyn for the states in
tests/reference/exudyn_curves.json. Tangents agree with differences, and distances agree with the geometry.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass.connectors import ContactCurveCircle, CurveProfile, fix, position_marker, rigid_marker, sprocket_profile
from windlass.elements import MassPoint, RigidBody2D, RigidBody3D
from windlass.exudyn.histories import CurveHistory
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.errors import ModelError
from windlass.framework.model.system import evaluate
from windlass.framework.output.scene import Scene
from windlass.framework.restart.checkpoint import Checkpoint
from windlass.framework.state.tangent_check import check_fields

from support.energy import follow

CASES = json.loads((Path(__file__).parents[1] / "reference/exudyn_curves.json").read_text())["cases"]
NAMES = {
    "contactStiffness": "contact_stiffness",
    "contactDamping": "contact_damping",
    "dynamicFriction": "friction",
    "frictionProportionalZone": "proportional_zone",
}


@pytest.mark.parametrize("number", range(len(CASES)))
def test_forces_of_exudyn(number: int) -> None:
    """Forces on both bodies agree with Exudyn, and the tangent agrees with differences. Stiffness and damping of the
    law are the values per length of a segment.
    """
    case = CASES[number]
    points = np.array(case["segments"]).reshape(-1, 2, 2)
    outline = np.concatenate((points[:1, 0], points[:, 1]))
    columns = {NAMES[name]: value for name, value in case["parameters"].items()}
    for name in ("contact_stiffness", "contact_damping"):
        columns[name] *= math.hypot(*(points[0, 1] - points[0, 0]))
    world = wl.World()
    bodies = world.add(RigidBody2D, position=[(0.0, 0.0)] * 2, mass=1.0, inertia=1.0)
    ends = rigid_marker(world, bodies)
    profile = world.add(CurveProfile, points=outline.ravel(), closed=False)
    world.add(ContactCurveCircle, marker0=ends[0], marker1=ends[1], profile=profile, radius=case["radius"], **columns)
    assembly = Assembly(world)
    fields = assembly.fields
    fields.x[:6], fields.v[:6] = np.ravel(case["q"]), np.ravel(case["v"])
    assembly.update_markers()
    assembly.post_newton()
    check_fields(assembly)
    f = np.zeros(assembly.layout.spare + 1)
    for system in assembly.systems:
        if system.name == "ContactCurveCircle" and system.residual is not None:
            system.residual(evaluate(fields, f=f))
    # in the original program, friction acts at the centre of the circle and has no torque about the centre
    same = [0, 1, 2, 3, 4] if columns.get("friction") else list(range(6))
    expected = np.array(case["force"])[same]
    assert_allclose(f[same], expected, rtol=1e-12, atol=1e-12 * max(1.0, np.abs(expected).max()))


def turning_roller() -> tuple[wl.World, Any, Any]:
    """Create a roller in a tooth gap of a sprocket that turns in 3D, and a roller on a flank, beyond the seat."""
    world = wl.World()
    hub = world.add(
        RigidBody3D, position=(0.1, 0.2, 0.3), mass=1.0, inertia=(1.0, 1.0, 1.0), angular_velocity=(0.0, 0.0, 3.0)
    )
    R = 1.27 / 2.0 / math.sin(math.pi / 12)
    places = np.array(((R - 2e-3, 0.0), (R + 0.2, 0.2), (R + 0.5, 0.0)))
    rollers = world.add(MassPoint, position=np.pad(places, ((0, 0), (0, 1))) + (0.1, 0.2, 0.3), mass=0.1)
    contact = world.add(
        ContactCurveCircle, marker0=rigid_marker(world, hub), marker1=position_marker(world, rollers),
        profile=sprocket_profile(world, 12, 1.27, 0.85, seating_radius=0.5), radius=0.425, contact_stiffness=1e3,
        contact_damping=0.1, friction=0.3, proportional_zone=100.0,
    )  # fmt: skip
    return world, rollers, contact


def test_seat_flank_and_above() -> None:
    """Depths on the seating arc and on the flank agree with geometry, and a roller beyond the tips is open. Tangents
    and rates agree with differences.
    """
    world, _, contact = turning_roller()
    assembly = Assembly(world)
    assembly.update_markers()
    assembly.post_newton()
    # differences move the roller by h = 3e-5 m at 0.08 m from the centre of its seat, so the error of the differences
    # is about h²/0.08²
    check_fields(assembly, tolerance=2e-7)
    state = wl.State(world)
    state.data[:] = assembly.fields.data
    gaps = wl.eval_output(contact, "gap", state)
    assert_allclose(gaps[0, 0], -2e-3, rtol=1e-9)
    assert list(wl.eval_output(contact, "piece", state)[:, 0] > 0) == [True, True, False]
    assert gaps[1, 0] < 0.0 < gaps[2, 0]
    # gaps a short time before and after the state, while the hub turns
    rate = wl.eval_output(contact, "rate", state)
    later = wl.eval_output(contact, "gap", later_state(state, 1e-7))
    earlier = wl.eval_output(contact, "gap", later_state(state, -1e-7))
    touching = [0, 1]
    assert_allclose((later[touching, 0] - earlier[touching, 0]) / 2e-7, rate[touching, 0], rtol=1e-5, atol=1e-9)


def test_drawing() -> None:
    """The drawing has three circles with the radius of the rollers, and one profile, which starts and ends at the same
    point.
    """
    world, _, contact = turning_roller()
    drawn = Scene(world, 6).draw(wl.State(world))
    assert drawn is not None
    [drawing] = [d for d in drawn[0] if "normal_force" in d.cell_data]
    assert drawing.part.max() == 3 and set(drawing.entity) <= set(contact.ids)
    points = [drawing.points[drawing.lines[drawing.part == k]] for k in range(4)]
    R = 1.27 / 2.0 / math.sin(math.pi / 12)
    for k, centre in enumerate(((R + 0.098, 0.2, 0.3), (R + 0.3, 0.4, 0.3), (R + 0.6, 0.2, 0.3))):
        assert_allclose(np.linalg.norm(points[k] - centre, axis=2), 0.425, rtol=1e-12)
    assert_allclose(points[3][-1, 1], points[3][0, 0], rtol=0, atol=1e-12)
    assert_allclose(points[3][1:, 0], points[3][:-1, 1], rtol=0, atol=1e-12)
    assert (np.abs(points[3][:, :, 2] - 0.3) < 1e-12).all()
    assert (drawing.end > drawing.start).all()


def test_history_of_exudyn() -> None:
    """In Exudyn's form, the history values of a segment are the values of its deepest contact. A segment without
    contact has the index -1.
    """
    world, _, contact = turning_roller()
    assembly = Assembly(world)
    state = wl.State(world)
    assert CurveHistory(contact, 3).read(state).tolist() == [-1.0, 0.0, 0.0]
    assembly.update_markers()
    assembly.post_newton()
    state.data[:] = assembly.fields.data
    gap, slip = (wl.eval_output(contact, name, state)[:, 0] for name in ("gap", "slip"))
    deepest = int(np.argmin(gap))
    assert gap[deepest] < 0.0
    assert slip[deepest] != 0.0
    assert CurveHistory(contact, 3).read(state).tolist() == [deepest, gap[deepest], slip[deepest]]
    each = CurveHistory(contact, 1).read(state).reshape(3, 3)
    assert each.tolist() == [[0.0, gap[0], slip[0]], [0.0, gap[1], slip[1]], [-1.0, 0.0, 0.0]]


def later_state(state: wl.State, time: float) -> wl.State:
    """Return the state after a short time at constant velocities."""
    copy = state.copy()
    copy.q[:] += time * state.v
    return copy


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"points": (0.0, 0.0, 1.0)}, "3 numbers: must have x, y"),
        ({"points": (0.0, 0.0, 0.0, 0.0)}, "are equal, must be different"),
        ({"points": (0.0, 0.0, 1.0, 0.0), "curvatures": (3.0,)}, "must be at most 2 1/m"),
        ({"points": (0.0, 0.0, 1.0, 0.0, 0.0, 1.0), "curvatures": (0.1, 0.1)}, "2 numbers: must have 1, or 3"),
    ],
)
def test_curves_that_are_none(given: dict[str, Any], words: str) -> None:
    world = wl.World()
    body = world.add(RigidBody2D, position=(0.0, 0.0), mass=1.0, inertia=1.0)
    fix(world, body, "x", "y", "rotation")
    world.add(CurveProfile, **given)
    with pytest.raises(ModelError, match=words):
        world.finalize()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"roller_diameter": 0.02}, "must be < 0.0127 m, the pitch"),
        ({"seating_radius": 0.004}, "must be >= 0.00425 m, the roller radius"),
        ({"seating_angle": 3.2}, "must be < pi"),
        ({"tip_diameter": 0.04}, "where the flanks begin"),
    ],
)
def test_sprockets_that_are_none(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        sprocket_profile(wl.World(), **{"teeth": 12, "pitch": 0.0127, "roller_diameter": 0.0085, **given})


def test_search_finds_what_all_pieces_have() -> None:
    """Around a sprocket, the search by cells finds contact exactly at the points whose gap to the nearest piece of the
    curve is negative.
    """
    world = wl.World()
    hub = world.add(RigidBody2D, position=(0.0, 0.0), mass=1.0, inertia=1.0)
    places = np.random.default_rng(3).uniform(-0.032, 0.032, (400, 2))
    rollers = world.add(MassPoint, position=places, mass=0.1)
    contact = world.add(
        ContactCurveCircle, marker0=rigid_marker(world, hub), marker1=position_marker(world, rollers),
        profile=sprocket_profile(world, 12, 0.0127, 0.0085), radius=0.00425, contact_stiffness=1e5,
    )  # fmt: skip
    state = wl.State(world)
    nearest = wl.eval_output(contact, "gap", state)[:, 0]
    assembly = Assembly(world)
    assembly.update_markers()
    outcome = assembly.post_newton()
    state.data[:] = assembly.fields.data
    pieces = wl.eval_output(contact, "piece", state)[:, 0]
    assert_allclose(pieces > 0, nearest < 0.0)
    assert 50 < np.count_nonzero(pieces) < 350
    assert_allclose(wl.eval_output(contact, "gap", state)[pieces > 0, 0], nearest[nearest < 0.0], rtol=1e-12)
    assert outcome.changed
    forces = np.hypot(*wl.eval_output(contact, "force", state)[:, :2].T)
    assert_allclose(outcome.error, forces.max(), rtol=1e-12)


def test_a_segment_there_and_back_has_both_sides_and_ends() -> None:
    """A closed curve of two points is a line segment, which is passed in both directions. The gaps of circles around
    the segment, in any direction, follow from the distance from the segment.
    """
    angles = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)
    places = np.array([(x, y) for x in (-1.2, -0.4, 0.3, 1.1) for y in (-0.45, 0.2)])
    world = wl.World()
    base = world.add(RigidBody2D, position=(0.0, 0.0), mass=1.0, inertia=1.0)
    fix(world, base, "x", "y", "rotation")
    hub, gaps = rigid_marker(world, base), []
    for angle in angles:
        c, s = np.round((math.cos(angle), math.sin(angle)), 15)
        points = world.add(MassPoint, position=places @ np.array(((c, s), (-s, c))), mass=1.0)
        profile = world.add(CurveProfile, points=(c, s, -c, -s))
        gaps.append(
            world.add(
                ContactCurveCircle, marker0=hub, marker1=position_marker(world, points), profile=profile, radius=0.5,
                contact_stiffness=1.0,
            )
        )  # fmt: skip
    assembly = Assembly(world)
    assembly.update_markers()
    assembly.post_newton()
    state = wl.State(world)
    state.data[:] = assembly.fields.data
    expected = np.hypot(np.maximum(np.abs(places[:, 0]) - 1.0, 0.0), places[:, 1]) - 0.5
    for contact in gaps:
        assert_allclose(wl.eval_output(contact, "gap", state)[:, 0], expected, atol=1e-12)
        assert (wl.eval_output(contact, "piece", state)[:, 0] > 0).all()


def disc_in_a_valley(**damping: Any) -> wl.World:
    """Create a disc with the radius 0.1 m in an arc with the radius 2 m about (0, 2). The disc is pressed against the
    arc by its weight, and rolls and slips down.
    """
    way = np.array((0.8, -1.7))
    place = np.array((0.0, 2.0)) + way / np.hypot(*way) * (1.9 + 9.81 / 2e3)
    world = wl.World(gravity=(0.0, -9.81))
    disc = world.add(RigidBody2D, position=place, mass=1.0, inertia=0.005)
    base = world.add(RigidBody2D, position=(0.0, 0.0), mass=1.0, inertia=1.0)
    fix(world, base, "x", "y", "rotation")
    # the points run from right to left, so the outside of the curve is above
    profile = world.add(CurveProfile, points=(1.2, 0.4, -1.2, 0.4), curvatures=(-0.5,), closed=False)
    world.add(
        ContactCurveCircle, marker0=rigid_marker(world, base), marker1=rigid_marker(world, disc), profile=profile,
        radius=0.1, contact_stiffness=2e3, contact_damping=5.0, friction=0.3, proportional_zone=1.0, **damping,
    )  # fmt: skip
    return world


@pytest.mark.parametrize("limited", [True, False])
def test_energy(limited: bool) -> None:
    """The disc loses the energy that the contact dissipates. The error of the energy balance has order 2 or higher in
    the step.
    """
    rests, lost = [], 0.0
    for steps in (100, 200):
        ledger = follow(disc_in_a_valley(damping_limited=limited), 0.2 / steps, 0.2)
        rests.append(np.abs(ledger["rest"]).max())
        lost = float(ledger["dissipation"][-1])
    assert lost > 0.02
    assert rests[1] < 0.3 * rests[0] and rests[1] < 1e-3 * lost


def test_restart(tmp_path: Path) -> None:
    """If a run is stopped during contact and restarted, all bits of its results are equal to the results of an
    uninterrupted run.
    """

    def run(end: float, restart: str | None) -> wl.State:
        keep = Checkpoint(tmp_path / "disc.h5", every=20, restart=restart)
        return wl.Dynamic(disc_in_a_valley(), step=1e-3, end=end, name="").solve(hooks=[keep])

    whole = run(0.04, None)
    (tmp_path / "disc.h5").unlink()
    run(0.02, None)
    again = run(0.04, "auto")
    assert whole.data[0] > 0.0
    for name in ("q", "v", "a", "lam", "data"):
        assert np.array_equal(getattr(again, name), getattr(whole, name)), name
