"""Tests of ribbons on cylinders, cones and crowned pulleys: ribbons lie flat, run sideways if they enter at an angle,
and are centred by a crown.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import simpson
from scipy.optimize import brentq

import windlass as wl
from windlass import connectors as con
from windlass.elements import Ground, nodes_of, straight_cable
from windlass.framework.model.table import Entity
from windlass.framework.output.drawing import Canvas
from windlass.framework.output.scene import Scene

from support.ribbons import (
    HALF,
    RADIUS,
    RIBBON,
    STIFFNESS,
    TENSION,
    WIDTH,
    create_crossed,
    create_drive,
    create_on_pulley,
    eval_curvature_factor,
    find_centring,
    find_linking_number,
    find_walk,
    find_walk_on_bristles,
    lay_twisted,
    run_over_pulley,
    run_web,
    steer,
)

LAW = "ContactFrictionSurfaceRibbon"


def test_flat_ribbon_on_a_cylinder() -> None:
    """A flat ribbon touches a cylinder along two lines. The line force of each line is half of T/R."""
    laid = lay_twisted(0.0, 0.3)
    force = -wl.eval_output(laid.contacts, "normal_force", laid.state).reshape(-1, 2)
    on = (force > 0.0).all(axis=1)
    assert ((force > 0.0).any(axis=1) == on).all() and on.sum() > 60
    assert_allclose(force[:, 0], force[:, 1], atol=1e-9 * force.max())
    part = laid.ribbon.length[0] / 4.0
    assert_allclose(np.median(force[on]), TENSION / RADIUS * part, rtol=0.01)
    report = con.surface_report(laid.world, laid.state, laid.contacts, laid.drum)
    assert_allclose(report.wrap_angle, np.pi, rtol=0.03)
    assert_allclose(report.force, (0.0, -2.0 * TENSION, 0.0), rtol=1e-6, atol=1e-6 * TENSION)
    assert report.points_in_contact == 2 * on.sum()


def test_twisted_ribbon_that_a_pulley_lays_flat() -> None:
    """Both ends of a ribbon are rotated by an angle, and the contact with a cylinder makes the ribbon flat. The torque
    is GJ angle/(l + λ), with the length l of the span and λ² = GJ/(k w²/12). The normal forces on the cylinder balance
    this torque.
    """
    angle, span = 0.5, 0.3
    laid = lay_twisted(angle, span)
    GJ = RIBBON["torsional_stiffness"]
    known = GJ * angle / (span + np.sqrt(GJ / (STIFFNESS * WIDTH**2 / 12.0)))
    torque = wl.eval_output(laid.ribbon, "torque", laid.state)
    # the tolerance is larger, because the elements are longer than λ
    assert_allclose(np.abs(torque[[0, -1]]), known, rtol=0.02)
    assert_allclose(torque[len(torque) // 2], 0.0, atol=1e-3 * known)
    force = -wl.eval_output(laid.contacts, "normal_force", laid.state).reshape(-1, 2)
    moment = (force[:, 1] - force[:, 0]) * WIDTH / np.sqrt(12.0)
    half = len(moment) // 2
    for part in (moment[:half], moment[half:]):
        assert_allclose(np.abs(part.sum()), np.abs(torque[0]), rtol=0.03)


def test_ribbon_runs_sideways_by_its_entry_angle() -> None:
    """A ribbon that enters a pulley at an angle runs sideways. Its lateral speed is the speed of travel times the angle
    at the entry. During a revolution of the pulley, the ribbon would move sideways by 2 π R times the angle. Material
    on the pulley does not move sideways, so the lateral position at the exit is equal to an earlier lateral position at
    the entry.
    """
    angle = np.radians(2.0)
    travel, place, slope, leave = run_over_pulley(create_on_pulley(0.4, angle), 2.1, 84)
    speed = np.gradient(place, travel)
    late = travel > 0.04
    assert_allclose(speed[late], -slope[late], atol=0.01 * angle)
    # because of slip at the entry, the lateral speed is initially larger than in theory
    assert_allclose(place, steer(0.4, travel, angle), atol=0.07 * np.abs(place).max())
    assert np.abs(slope[-1] / np.tan(angle) - 1.0) < 0.1
    wrap = 0.5 * np.pi * RADIUS
    assert_allclose(leave[-1], np.interp(travel[-1] - wrap, travel, place), atol=0.04 * np.abs(place).max())


@pytest.mark.parametrize(("stiffness", "width"), [(1.0, 0.1), pytest.param(4.5, 0.2, marks=pytest.mark.long)])
def test_web_that_enters_a_misaligned_roller(stiffness: float, width: float) -> None:
    """A web runs from an aligned roller to a roller that is misaligned by the angle θ in the plane of the span. In the
    steady state, the web enters this roller perpendicularly to the axis and without bending moment. The lateral shift
    in the span of the length L is Shelton's K_c L θ, with errors of 0.1 % and 0.2 %. In the two cases, K_c is 0.79 and
    0.71; a web without bending stiffness would shift by L θ. The web in front of the first roller remains in its place.
    """
    angle, span = np.radians(0.5), 0.3
    _, first, second = run_web(angle, span, stiffness, width, 4.0 * span).T
    known = -eval_curvature_factor(np.sqrt(TENSION / stiffness) * span) * span * angle
    late = (second - first)[-10:]
    assert_allclose(late, known, rtol=0.005)
    assert np.abs(first).max() < 0.01 * abs(known)


def test_speed_of_walking_belts() -> None:
    """The lateral speed of a belt on misaligned pulleys is proportional to the angle, increases with the distance of
    the pulleys and the tension, and decreases with the radius and the bending stiffness, as in the model and the
    measurements of Adv. Mech. Eng. 9 (2017), doi:10.1177/1687814017695955. The limits of the curvature factor are 2/3
    and 1.
    """
    base = find_walk(0.01, 0.5, 0.1)
    assert_allclose(find_walk(-0.03, 0.5, 0.1), -3.0 * base, rtol=1e-12)
    assert find_walk(0.01, 0.6, 0.1) > base > find_walk(0.01, 0.5, 0.12)
    assert find_walk(0.01, 0.5, 0.1, tension=1.2 * TENSION) > base > find_walk(0.01, 0.5, 0.1, stiffness=0.6)
    assert_allclose(eval_curvature_factor(1e-2), 2.0 / 3.0, rtol=1e-5)
    assert_allclose(eval_curvature_factor(500.0), 1.0, rtol=2.1e-3)


@pytest.mark.parametrize(
    ("angle", "span", "radius", "stiffness"),
    [
        (0.5, 0.5, 0.1, 0.5),
        pytest.param(1.0, 0.8, 0.1, 0.5, marks=pytest.mark.long),
        pytest.param(-0.5, 0.5, 0.15, 2.0, marks=pytest.mark.long),
    ],
)
def test_belt_walks_on_misaligned_pulleys(angle: float, span: float, radius: float, stiffness: float) -> None:
    """One of two pulleys is misaligned by an angle in the plane of the axes. The belt moves towards the side on which
    the distance of the axes is smaller, with the speed by the theory of beams. The bristles bend the belt over the
    length λ = √(12 EI_2/(k b²)), which is 0.6 % to 1.8 % of the span. The computed speed is 3 % to 6 % smaller than the
    theoretical speed, because the belt slips, and because of the mesh.
    """
    travel, place = create_drive(span, radius, np.radians(angle), 0.1, stiffness).run(0.8, 0.1)[0].T
    late = travel > 0.5 * travel[-1]
    found = np.polyfit(travel[late], place[late], 1)[0]
    assert_allclose(found, -find_walk(np.radians(angle), span, radius, stiffness=stiffness), rtol=0.07)


@pytest.mark.long
def test_belt_that_sticks_walks_on_misaligned_pulleys() -> None:
    """With friction that prevents all slip and a fine mesh, the lateral speed agrees within 1 % with the theory of a
    beam on bristles, which is 2.5 % above the theory with rigid bristles. The measured difference is 0.3 %.
    """
    angle, span = np.radians(0.5), 0.5
    travel, place = create_drive(span, 0.1, angle, 0.1, friction=8.0, elements=120).run(1.2, 0.1)[0].T
    late = travel > travel[-1] * 5.0 / 6.0
    known = find_walk_on_bristles(angle, span, 0.1, 3.0 * STIFFNESS, 0.1)
    assert_allclose(known, 1.0245 * find_walk(angle, span, 0.1), rtol=1e-3)
    assert_allclose(np.polyfit(travel[late], place[late], 1)[0], -known, rtol=0.01)


def test_theory_of_belts_on_bristles() -> None:
    """For stiff bristles, the speed on bristles tends to the speed without slip in closed form."""
    angle, span = np.radians(0.5), 0.5
    for bristles, error in ((1e9, 1e-2), (1e11, 1e-3)):
        found = find_walk_on_bristles(angle, span, 0.1, bristles, 0.1)
        assert_allclose(found, find_walk(angle, span, 0.1), rtol=error)


@pytest.mark.parametrize(("sign", "bristles", "ratio"), [(1.0, 3e8, 0.95), (-1.0, 3e7, 0.82)])
def test_ribbon_climbs_a_cone(sign: float, bristles: float, ratio: float) -> None:
    """A ribbon on a cone runs towards the larger radius. The lateral displacement agrees with the theory of webs, in
    which the ribbon does not slip and bristles are rigid. With elastic bristles, the curvature of the ribbon changes
    gradually over the length λ = √(12 EI_2/(k b²)). The gradual change reduces the displacement in proportion to λ: by
    5 % for λ = 3.5 mm, and by 18 % for λ = 11 mm.
    """
    rise = 0.01 * sign
    model = create_on_pulley(
        0.4, vertices=(RADIUS - 0.2 * rise, -0.2, RADIUS + 0.2 * rise, 0.2), elements=120,
        friction_stiffness_per_length=bristles,
    )  # fmt: skip
    travel, place, slope, _ = run_over_pulley(model, 1.5, 60)
    known = steer(0.4, travel, cone=lambda z: -np.sin(np.arctan(rise)) / RADIUS)
    assert sign * known[-1] > 4e-4 and (sign * np.diff(place)[1:] > 0.0).all()
    assert_allclose(place[-1], ratio * known[-1], rtol=0.03)
    late = travel > 0.04
    assert_allclose(np.gradient(place, travel)[late], -slope[late], atol=1e-3)


def test_crown_centres_a_ribbon() -> None:
    """On a crowned pulley, a ribbon at a distance from the middle runs towards the middle, symmetrically from both
    sides. A ribbon in the middle remains in the middle.
    """
    moved = []
    for offset in (0.01, -0.01, 0.0):
        # at z = 0, where the ribbon lies, the arc of the crown is at the distance RADIUS from the axis
        top = RADIUS + offset**2 / 0.8 + 0.4 * (np.hypot(1.0, 0.1) - 1.0)
        crown: Any = (top - 0.01, -0.1 - offset, top, -offset, top - 0.01, 0.1 - offset)
        place = run_over_pulley(create_on_pulley(0.4, vertices=crown, rounding=0.4), 0.75, 30)[1]
        moved.append(place[-1] - place[0])
    assert moved[0] < -1e-4
    assert_allclose(moved[1], -moved[0], rtol=1e-3)
    assert abs(moved[2]) < 1e-6


@pytest.mark.parametrize(("offset", "crown"), [(0.003, 0.5), pytest.param(-0.003, 1.0, marks=pytest.mark.long)])
def test_belt_centres_itself_on_crowned_pulleys(offset: float, crown: float) -> None:
    """A belt that starts at a lateral distance from the middle of two crowned pulleys approaches the middle in several
    circulations. The lateral position decays exponentially, with the rate of a beam on bristles. Slip reduces this rate
    by 3 to 6 %.
    """
    drive = create_drive(0.4, crown_radius=crown, face_width=0.08)
    travel, place = drive.run(1.6, 0.05, offset)[0].T
    assert (np.diff(place[40::40]) * offset < 0.0).all() and np.abs(place[-1]) < 0.8 * np.abs(place[0])
    late = travel > 0.5 * travel[-1]
    rate = -np.polyfit(travel[late], np.log(place[late] / offset), 1)[0]
    assert_allclose(rate, find_centring(0.4, RADIUS, crown, 3.0 * STIFFNESS), rtol=0.07)


def test_energy_of_a_belt_on_crowned_pulleys() -> None:
    """The path of a belt at the lateral position z on crowns of the radius ρ is shorter by π z²/ρ than in the middle.
    The strain energy of the belt therefore has a maximum in the middle, and friction must do the work of centring. The
    belt and the contact act in series.
    """
    crown, offset, tensions = 0.5, 0.003, []
    for place in (0.0, offset):
        drive = create_drive(0.4, crown_radius=crown, face_width=0.08)
        con.fix(drive.world, drive.belt.nodes, "z'")
        con.prescribe(drive.world, drive.belt.nodes, "z", place)
        state = drive.run(0.0, 0.1)[1]
        tensions.append(np.mean(wl.eval_output(drive.belt.cables, "axial_force", state, x=0.0)))
    stretch = RIBBON["axial_stiffness"] / drive.belt.route.length
    lost = np.pi * offset**2 / crown / (1.0 / stretch + 2.0 * np.pi / (STIFFNESS * RADIUS))
    assert_allclose(tensions[0] - tensions[1], lost, rtol=0.1)


def test_theory_of_centring() -> None:
    """For stiff bristles, the rate at which a crown centres a belt tends to the rate without slip, the root of a
    determinant of four equations. For flat crowns, the rate tends to the shift of a span per travel and lateral
    position.
    """
    span, crown, K = 0.4, 0.5, np.sqrt(TENSION / RIBBON["bending_stiffness"][1])
    far, g = np.exp(-K * span), 1.0 / (crown * RADIUS)
    start = np.array([[1.0, 0.0, 1.0, far], [0.0, 1.0, -K, K * far]])
    end = np.array([[1.0, span, far, 1.0], [0.0, 1.0, -K * far, K], [0.0, 0.0, K**2 * far, K**2]])

    def evaluate(rate: float) -> float:
        wrap = np.exp(rate * np.pi * RADIUS)
        exits = start[0] - wrap * end[0], start[1] - rate * wrap * end[0]
        entries = end[1] - rate * end[0], end[2] - (g + rate**2) * end[0]
        return float(np.linalg.det(np.array((*exits, *entries))))

    found = find_centring(span, RADIUS, crown, 1e12)
    assert evaluate(0.995 * found) * evaluate(1.005 * found) < 0.0
    # with the curvature κ at the entry, a span shifts the belt by κ (L - (2/K) tanh(K L/2))/K
    flat = 20.0
    shift = (span - 2.0 / K * np.tanh(0.5 * K * span)) / (K * flat * RADIUS)
    assert_allclose(find_centring(span, RADIUS, flat, 1e12), shift / (span + np.pi * RADIUS), rtol=0.02)


def create_lying(**contact: Any) -> tuple[wl.World, wl.Entity, wl.Entity]:
    """Create a ribbon with the length 1 m that lies on a plane in equilibrium under its weight."""
    world = wl.World(gravity=(0.0, 0.0, -9.81))
    height = HALF - 0.05 * 9.81 / 1e4
    ribbon = straight_cable(world, (0, 0, height), (1, 0, height), 2, normal=(0, 1, 0), **RIBBON)
    plane = world.add(con.PlaneSurface, marker=con.rigid_marker(world, world.add(Ground)))
    con.add_surface_contact(
        world, plane, ribbon, points=4, rope_radius=HALF, width=WIDTH, contact_stiffness_per_length=1e4, **contact
    )
    return world, nodes_of(world, ribbon), ribbon


@pytest.mark.parametrize(
    ("step", "offset", "pulley"), [(0.1, 0.003, {"crown_radius": 0.5, "face_width": 0.08}), (0.4, 0.0, {})]
)
def test_belt_stays_on_pulleys_that_turn_far_in_a_solve(step: float, offset: float, pulley: dict[str, float]) -> None:
    """In the first iterations of a solve, pulleys that turn by the angle α move the belt along their tangents, and away
    from their faces by up to R α²/2. This distance is a multiple of the contact depth. The contacts can therefore open,
    but the solve ends with the belt on its pulleys.
    """
    assert 0.5 * RADIUS * step**2 > 2.0 * TENSION / (RADIUS * STIFFNESS)
    drive = create_drive(0.4, **pulley)
    found, state = drive.run(14.0 * step * RADIUS / drive.belt.route.length, step, offset)
    assert len(found) == 15 and (np.abs(found[:, 1] - offset) < 0.2 * offset + 1e-6).all()
    closed = (wl.eval_output(drive.belt.contacts, "normal_force", state) < 0.0).sum()
    assert_allclose(closed, 4 * 60 * 2.0 * np.pi * RADIUS / drive.belt.route.length, rtol=0.1)


def test_ribbon_that_is_lifted_from_a_plane() -> None:
    """A solve that lifts a ribbon from a plane ends without contact, as no contact remains closed."""
    world, nodes, ribbon = create_lying(friction_coefficient=0.2, friction_stiffness_per_length=1e4)
    for k in range(3):
        con.fix(world, nodes[k], "x", "y", "x'", "y'", "twist")
    lift = con.prescribe(world, nodes[1], "z", 0.0)
    world.set(lift, active=False)
    state = wl.Static(world, name="").solve()
    world.set(lift, active=True, offset=0.01)
    state = wl.Static(world, name="", stability="off").solve(state)
    assert wl.eval_output(ribbon, "position", state)[:, 2].min() > 1e-3
    assert_allclose(np.abs(wl.eval_output(lift, "force", state)), 0.05 * 9.81, rtol=1e-6)


def test_ribbon_rocks_on_its_lines() -> None:
    """A ribbon that is tilted about its axis rocks with the angular frequency √(k/m), because the rotational stiffness
    and inertia per length are k w²/12 and m w²/12. The energy of the ribbon is constant.
    """
    world, nodes, _ = create_lying()
    start, tilt, ledger = wl.State(world), 1e-4, wl.EnergyLedger()
    for k in range(3):
        start.q[start.local_dofs(nodes)[k, 6]] = tilt
    period = 2.0 * np.pi / np.sqrt(1e4 / 0.05)
    series = wl.Sensors(None, [wl.Sensor(nodes[1], "twist", name="tilt")], every=1)
    wl.Dynamic(world, step=period / 200.0, end=period, name="", spectral_radius=1.0).solve(
        start, hooks=[series, ledger]
    )
    t = np.asarray(series.times)
    assert_allclose(series["tilt"], tilt * np.cos(2.0 * np.pi * t / period), atol=0.01 * tilt)
    assert abs(ledger.totals["rest"]) < 1e-3 * 0.5 * 1e4 * WIDTH**2 / 12.0 * tilt**2


def test_ribbon_slides_to_a_stop() -> None:
    """A ribbon that slides sideways decelerates with mu g, and friction dissipates its kinetic energy."""
    mu, speed = 0.2, 0.05
    world, nodes, ribbon = create_lying(
        friction_coefficient=mu, friction_stiffness_per_length=1e4, contact_damping_per_length=10.0
    )
    start, ledger = wl.State(world), wl.EnergyLedger()
    start.v[start.local_dofs(nodes)[:, 1]] = speed
    state = wl.Dynamic(world, step=1e-4, end=0.02, name="").solve(start, hooks=[ledger])
    along = np.tile(np.linspace(0.0, 0.5, 21), (2, 1))
    found = wl.eval_output(ribbon, "velocity", state, x=along)[..., 1]
    assert_allclose(speed - found.mean(), mu * 9.81 * 0.02, rtol=0.02)
    lost = 0.5 * 0.05 * (speed**2 - (speed - mu * 9.81 * 0.02) ** 2)
    assert_allclose(ledger.totals[f"{LAW}.sliding"], lost, rtol=0.05)
    assert abs(ledger.totals["rest"]) < 0.01 * lost


def test_restart(tmp_path: Path) -> None:
    """A run that continues from a file is bit-identical to an uninterrupted run."""
    world, nodes, _ = create_lying(friction_coefficient=0.2, friction_stiffness_per_length=1e4)
    start = wl.State(world)
    start.v[start.local_dofs(nodes)[:, 1]] = (0.05, 0.02, -0.05)

    def create(end: float) -> wl.Dynamic:
        return wl.Dynamic(world, step=1e-4, end=end, name="", lag=False)

    whole, half = create(6e-3).solve(start), create(3e-3).solve(start)
    half.save(tmp_path / "half.npz")
    last = list(create(6e-3).march(wl.State(world).load(tmp_path / "half.npz"), resume=True))[-1]
    assert (last.q == whole.q).all() and (last.v == whole.v).all() and (last.data == whole.data).all()


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"width": 0.1, "turns_rope": True, "rope_radius": 0.01}, "with turns_rope = True, touching = None: must have"),
        (
            {"width": 0.1, "touching": 1},
            "width = 0.1 m .* touching = 1: must have turns_rope = False and touching = No",
        ),
        ({"width": 0.0}, "width = 0.0 m in add_surface_contact: must be > 0"),
        ({"width": 0.1, "lines": 1}, "lines = 1 in add_surface_contact: must be a whole number >= 2"),
        ({"lines": 3}, "lines = 3 of add_surface_contact without width: must be left out, or have the width"),
    ],
)
def test_wrong_ribbons(columns: dict[str, Any], message: str) -> None:
    world = wl.World()
    ribbon = straight_cable(world, (0, 0, 0), (1, 0, 0), 1, **RIBBON)
    plane = world.add(con.PlaneSurface, marker=con.rigid_marker(world, world.add(Ground)))
    with pytest.raises(wl.ModelError, match=message):
        con.add_surface_contact(world, plane, ribbon, contact_stiffness_per_length=1.0, **columns)


def test_ribbons_without_twist() -> None:
    world = wl.World()
    rope = straight_cable(
        world, (0, 0, 0), (1, 0, 0), 1, axial_stiffness=1.0, bending_stiffness=0.0, mass_per_length=1.0
    )
    plane = world.add(con.PlaneSurface, marker=con.rigid_marker(world, world.add(Ground)))
    with pytest.raises(wl.ModelError, match=r"add_surface_contact with width has .*: must be TwistCable3D"):
        con.add_surface_contact(world, plane, rope, contact_stiffness_per_length=1.0, width=0.1)


def test_numbers_of_points() -> None:
    world = wl.World()
    ribbon = straight_cable(world, (0, 0, 0), (1, 0, 0), 1, **RIBBON)
    plane = world.add(con.PlaneSurface, marker=con.rigid_marker(world, world.add(Ground)))
    world.add(
        con.ContactFrictionSurfaceRibbon, surface=plane, cable=ribbon, points=5, lines=2, width=0.1,
        contact_stiffness_per_length=1.0,
    )  # fmt: skip
    with pytest.raises(wl.ModelError, match=r"points = 5, lines = 2 .*: must have points that are a multiple of lines"):
        world.finalize()


def create_belt(axes: Any, places: Any, **pulley: Any) -> wl.Belt:
    """Create a belt that has a width (a ribbon) around pulleys on the ground."""
    world = wl.World()
    pulleys = [
        wl.Pulley(world.add(Ground), RADIUS, "left", at=at, axis=axis, **pulley)
        for axis, at in zip(axes, places, strict=True)
    ]
    return wl.Belt(
        world, pulleys, tension=TENSION, width=WIDTH, cord_offset=HALF, elements=120,
        contact={"contact_stiffness_per_length": STIFFNESS},
        **{name: value for name, value in RIBBON.items() if name != "rotary_inertia"},
    )  # fmt: skip


def read_reference(belt: wl.Belt) -> tuple[Any, Any]:
    """Return the directions of the width of a belt at the nodes, shape (nodes, 3), and the twist angles [rad] of the
    cables in the mounted belt, shape (cables,).
    """
    twist, length = (belt.cables.table.collect(name, belt.cables.rows) for name in ("reference_twist", "length"))
    return belt.nodes.table.collect("normal", belt.nodes.rows), -twist * length


def test_belt_with_a_width_on_crowned_pulleys() -> None:
    """On pulleys with parallel axes, the width of the belt is parallel to the axes, and the belt is not twisted. The
    surfaces of the pulleys have the given radius in the middle of the face, and follow the arc of the crown up to the
    edges.
    """
    belt = create_belt([(0, 0, 1)] * 2, [(0, 0, 0), (0.5, 0, 0)], crown_radius=0.5, face_width=0.06)
    assert belt.contacts.table.kind == LAW
    assert_allclose(belt.cables.rotary_inertia * (1.0 + belt.strain), RIBBON["rotary_inertia"], rtol=1e-12)
    normals, twist = read_reference(belt)
    assert_allclose(normals, np.tile((0.0, 0.0, 1.0), (120, 1)), atol=1e-12)
    assert_allclose(twist, 0.0, atol=1e-12)
    surface: Entity = belt.surfaces[0]
    vertices, rounding = np.ravel(surface.vertices).reshape(-1, 2), float(np.ravel(surface.rounding)[0])
    assert_allclose(belt.radii, RADIUS + HALF - WIDTH**2 / (24.0 * 0.5), rtol=1e-12)
    grown = RADIUS + belt.tension / STIFFNESS / belt.radii[0]
    edge = grown - rounding + np.sqrt(rounding**2 - 0.03**2)
    assert_allclose(vertices[[0, 2]], [(edge, -0.03), (edge, 0.03)], rtol=1e-9)
    # `top` is the distance of the middle vertex from the centre of the arc that rounds this vertex
    top = vertices[1, 0] - (grown - rounding)
    angle = np.arcsin(0.03 / rounding)
    assert_allclose(top, rounding / np.cos(angle), rtol=1e-9)


def test_belt_of_a_quarter_turn_drive() -> None:
    """Each span is twisted by 90° in the same sense, and the width is parallel to the axis of each pulley."""
    belt = create_belt([(0, 0, 1), (1, 0, 0)], [(0, 0, 0), (RADIUS, 0.8, -RADIUS)])
    normals, twist = read_reference(belt)
    place = belt.nodes.table.collect("position", belt.nodes.rows)
    on_first, on_second = place[:, 1] < -1e-9, place[:, 1] > 0.8
    assert_allclose(normals[on_first], np.tile((0.0, 0.0, 1.0), (on_first.sum(), 1)), atol=1e-9)
    assert_allclose(normals[on_second], np.tile((1.0, 0.0, 0.0), (on_second.sum(), 1)), atol=1e-9)
    half = np.arange(120) < 60
    assert_allclose(np.abs([twist[half].sum(), twist[~half].sum()]), 0.5 * np.pi, rtol=0.05)
    assert_allclose(np.abs(twist.sum()), np.pi, rtol=0.01)


def read_faces(belt: wl.Belt, centres: Any) -> Any:
    """Return the mean [1] of d_2·n over the nodes on each pulley of the mounted belt, for centres [m] of the pulleys.
    The vector n points to the axis of the pulley. The mean is 1 or -1, and states which face of the belt touches the
    pulley.
    """
    normals, places = (belt.nodes.table.collect(name, belt.nodes.rows) for name in ("normal", "position"))
    stations = np.arange(len(belt.nodes)) * belt.route.length / len(belt.nodes)
    across, faces = np.cross(belt.route.eval_points(stations)[1], normals), []
    for centre, wrap in zip(centres, belt.route.wraps, strict=True):
        on = (stations > wrap.s_entry) & (stations < wrap.s_exit)
        inward = np.asarray(centre) - places[on]
        faces.append(float((across[on] * inward).sum(axis=1).mean() / belt.radii[0]))
    return faces


def test_crossed_flat_belt() -> None:
    """Each span of a crossed flat belt is twisted by half a turn in the same sense, so the same face touches both
    pulleys. Each span has the torque GJ π/(l + 2 λ), see `test_twisted_ribbon_that_a_pulley_lays_flat`. The belt enters
    both pulleys in their planes, so it runs without lateral motion.
    """
    drive = create_drive(0.6, elements=90, is_crossed=True)
    belt = drive.belt
    normals, twist = read_reference(belt)
    assert_allclose(np.abs(normals[np.abs(twist) < 1e-9]), [[0.0, 0.0, 1.0]] * (np.abs(twist) < 1e-9).sum(), atol=1e-9)
    assert_allclose(twist.sum(), 2.0 * np.pi, rtol=1e-9)
    faces = read_faces(belt, ((0.0, 0.0, 0.0), (0.6, 0.0, 0.0)))
    assert_allclose(np.abs(faces), 1.0, rtol=1e-9)
    assert_allclose(faces[1], faces[0], rtol=1e-9)
    found, state = drive.run(0.5, 0.1)
    assert np.abs(found[:, 1]).max() < 1e-5
    torque = wl.eval_output(belt.cables, "torque", state)
    known = RIBBON["torsional_stiffness"] * np.pi
    known /= belt.span_lengths[0] + 2.0 * np.sqrt(RIBBON["torsional_stiffness"] / (STIFFNESS * WIDTH**2 / 12.0))
    place = wl.eval_output(belt.nodes, "position", state)
    free = (place[:, 0] > 0.1) & (place[:, 0] < 0.5)
    assert_allclose(torque[free & np.roll(free, -1)], known, rtol=0.02)


def test_crossed_belt_with_two_offsets() -> None:
    world = wl.World()
    pulleys = [
        wl.Pulley(world.add(Ground), RADIUS, side, at=(x, 0.0, 0.0), axis=(0.0, 0.0, 1.0))
        for side, x in (("left", 0.0), ("right", 0.6))
    ]
    message = r"cord_offset = \[0.002, 0.001\] m of 'belt': must be one value, because spans cross"
    with pytest.raises(wl.ModelError, match=message):
        wl.Belt(world, pulleys, tension=TENSION, width=WIDTH, cord_offset=(0.001, 0.002), **RIBBON)


@pytest.mark.parametrize("tilt", [0.02, -0.02])
def test_twist_of_a_crossed_belt_that_was_endless(tilt: float) -> None:
    """If the strands of a crossed belt have a distance, the sense of the twist depends on which strand is above. The
    linking number of the axis and an edge is 0, as for an endless belt before it is mounted.
    """
    world = wl.World()
    pulleys = [
        wl.Pulley(world.add(Ground), RADIUS, side, at=(x, 0.0, 0.0), axis=(0.0, np.sin(angle), np.cos(angle)))
        for side, x, angle in (("left", 0.0, tilt), ("right", 0.6, -tilt))
    ]
    belt = wl.Belt(
        world, pulleys, tension=TENSION, width=WIDTH, cord_offset=HALF, elements=400,
        contact={"contact_stiffness_per_length": STIFFNESS},
        **{name: value for name, value in RIBBON.items() if name != "rotary_inertia"},
    )  # fmt: skip
    normals, twist = read_reference(belt)
    assert_allclose(twist.sum(), -np.sign(tilt) * 2.0 * np.pi, rtol=0.02)
    axis = belt.nodes.table.collect("position", belt.nodes.rows)
    assert_allclose(find_linking_number(axis, axis + 0.5 * WIDTH * normals), 0.0, atol=1e-3)


def test_strands_of_a_crossed_belt_that_press_on_each_other() -> None:
    """The strands of a crossed belt pass each other at a distance h that is smaller than the thickness 2 r. With
    `con.add_cable_contact` they press on each other with the force N, which displaces the middle of both strands by w =
    N (l - 4 λ)/(4 T) with λ² = EI/T. At the crossing angle φ the overlap is δ with N = 4/3 k δ sqrt(4 r δ)/sin φ, see
    docs/explanation/theory/cable_contact.md, and 2 w = 2 r - δ - h. The error is below 3 %.

    When the belt runs, the friction at the crossing dissipates μ N |v_1 - v_2|, within 3 %.
    """
    half, k, mu, speed, ramp = 0.002, 1e6, 0.3, 2.0, 0.02
    model = create_crossed(
        0.012, half, speed, ramp, contact_stiffness_per_length=k, contact_damping_per_length=100.0,
        friction_coefficient=mu, friction_stiffness_per_length=0.3 * k, friction_velocity_penalty_per_length=300.0,
    )  # fmt: skip
    state = wl.Static(model.world, passes=wl.Passes(max_it=40), stability="off", name="").solve()
    forces = wl.eval_output(model.strands, "contact_force", state)
    assert model.distance < 1.2 * half
    assert_allclose(forces.sum(axis=0), 0.0, atol=1e-12)
    tension = float(np.mean([span.tension for span in model.belt.report(state).spans]))
    sine = np.linalg.norm(np.cross(*model.along))

    def press(depth: float) -> float:
        return float(4.0 / 3.0 * k * depth * np.sqrt(4.0 * half * depth) / sine)

    def close(depth: float) -> float:
        w = press(depth) * (model.length - 4.0 * np.sqrt(0.005 / tension)) / (4.0 * tension)
        return model.distance + 2.0 * w - (2.0 * half - depth)

    # each strand has the whole pressing force, as the sum over its points
    found = wl.eval_output(model.strands, "normal_force", state).sum() / 2.0
    assert_allclose(found, press(brentq(close, 1e-9, half)), rtol=0.03)
    ledger, sensors = wl.EnergyLedger(), wl.Sensors(None, [wl.Sensor(model.strands, "normal_force", name="N")], every=1)
    wl.Dynamic(model.world, step=5e-4, end=0.06, name="").solve(state, hooks=[ledger, sensors])
    t = np.array(sensors.times)
    normal = np.reshape(sensors["N"], (len(t), -1)).sum(axis=1) / 2.0
    slip = np.minimum(t / ramp, 1.0) * speed * np.linalg.norm(model.along[0] - model.along[1])
    heat = ledger.totals["ContactFrictionCables3D.sliding"]
    assert heat > 0.02
    assert_allclose(heat, simpson(mu * normal * slip, x=t), rtol=0.03)
    assert abs(ledger.rest) < 0.01 * heat


def test_belt_that_settles_keeps_its_tension() -> None:
    """The belt of a quarter-turn drive slides sideways at the exits of its pulleys, so its path becomes shorter.
    `tighten` shortens the belt until the spans have the given tension. Without `tighten`, the tension is lower by more
    than a tenth. The recorded frames contain the width of the belt and the contact forces at their positions.
    """
    world = wl.World()
    pulleys = [
        wl.Pulley(world.add(Ground), RADIUS, "left", at=at, axis=axis)
        for axis, at in (((0, 0, 1), (0, 0, 0)), ((1, 0, 0), (RADIUS, 0.8, -RADIUS)))
    ]
    belt = wl.Belt(
        world, pulleys, tension=TENSION, width=WIDTH, cord_offset=HALF, elements=80, points=2, friction=0.6,
        contact={"contact_stiffness_per_length": STIFFNESS, "friction_stiffness_per_length": STIFFNESS},
        turned_from=(1, 0, -1), **{name: value for name, value in RIBBON.items() if name != "rotary_inertia"},
    )  # fmt: skip
    first, solves = belt.length, list[float]()
    statics = wl.Static(world, passes=wl.Passes(max_it=40), stability="off", name="")

    def solve(start: wl.State) -> wl.State:
        found = statics.solve(start)
        solves.append(float(np.mean([span.tension for span in belt.report(found).spans])))
        return found

    state = belt.tighten(solve, wl.State(world))
    assert solves[0] < 0.9 * TENSION
    assert_allclose(solves[-1], TENSION, rtol=2e-3)
    assert belt.length < first
    assert_allclose(belt.cables.reference_strain, belt.length / belt.route.length - 1.0, rtol=1e-12)
    drawn = Scene(world, subdivisions=4).draw(state)
    assert drawn is not None
    fields = Canvas(*drawn).compose(*drawn)[2]
    assert_allclose(fields["ribbon_width"][: 4 * 80], WIDTH)
    force = wl.eval_output(belt.contacts, "normal_force", state).reshape(2, 80, 2, 2).sum(axis=(0, 3))
    shown = fields["contact_normal_force_per_length"][: 4 * 80].reshape(80, 2, 2).mean(axis=2)
    assert_allclose(shown * belt.cables.length[:, None] / 2.0, force, rtol=1e-9, atol=1e-9)


def test_belts_that_cannot_be_tightened() -> None:
    belt = create_belt([(0, 0, 1)] * 2, [(0, 0, 0), (0.5, 0, 0)])
    state = wl.State(belt.world)
    strain, length = belt.strain, belt.length
    with pytest.raises(wl.ModelError, match="is 0 N after 10 solves, must be 200 N"):
        belt.tighten(lambda start: slacken(belt, start), state)
    assert (belt.strain, belt.length) == (strain, length)
    np.testing.assert_allclose(belt.cables.reference_strain, -strain / (1.0 + strain), rtol=1e-14)
    world = wl.World()
    plain = wl.Belt(
        world, [wl.Pulley(world.add(Ground), RADIUS, at=(x, 0.0)) for x in (0.0, 0.5)], tension=TENSION,
        axial_stiffness=1e5, bending_stiffness=0.01, mass_per_length=0.05,
    )  # fmt: skip
    with pytest.raises(wl.ModelError, match="tighten of 'belt': must be a closed 3D belt with torsional_stiffness"):
        plain.tighten(wl.Static(world).solve, wl.State(world))
    with pytest.raises(wl.ModelError, match="with a state of its world"):
        belt.tighten(wl.Static(world).solve, wl.State(world))


def slacken(belt: wl.Belt, state: wl.State) -> wl.State:
    """Return a copy of the state for a world in which the present lengths of the cables are the stress-free lengths."""
    belt.world.set(belt.cables, reference_strain=wl.eval_output(belt.cables, "axial_strain", state))
    return state


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"crown_radius": 0.5}, "crown_radius = 0.5 m and face_width = None m of Pulley: must both be given"),
        ({"crown_radius": 0.5, "face_width": 0.2}, r"face_width = 0.2 m of Pulley: must be < 0.2 m, twice"),
    ],
)
def test_wrong_crowns(columns: dict[str, Any], message: str) -> None:
    with pytest.raises(wl.ModelError, match=message):
        wl.Pulley(wl.World().add(Ground), 0.1, axis=(0, 0, 1), **columns)


def test_belts_that_cannot_be_flat() -> None:
    """If the axes of three pulleys would twist the belt by half a turn in total, an error is raised."""
    axes = [(np.cos(a), 0.0, np.sin(a)) for a in (0.0, np.pi / 3.0, 2.0 * np.pi / 3.0)]
    with pytest.raises(wl.ModelError, match="twist the belt by half a turn: must be reversed at a pulley"):
        create_belt(axes, [(0, 0, 0), (0.1, 1.0, 0.1), (0, 2.0, 0)])


@pytest.mark.parametrize(
    ("pulley", "message"),
    [
        ({"crown_radius": 1.0, "face_width": 0.02}, r"width = 0.04 m of 'belt': must be <= 0.02 m, the face_width of"),
        ({"groove_radius": 0.01}, r"groove_radius = 0.01 m of the pulley .* with width = 0.04 m: must be left out"),
    ],
)
def test_pulleys_on_which_a_flat_belt_does_not_lie(pulley: dict[str, Any], message: str) -> None:
    with pytest.raises(wl.ModelError, match=message):
        create_belt([(0, 0, 1)] * 2, [(0, 0, 0), (0.5, 0, 0)], **pulley)


@pytest.mark.parametrize("shape", [{"crown_radius": 1.0, "face_width": 0.02}, {"groove_radius": 0.01}])
def test_faces_of_2d_belts_have_no_shape(shape: dict[str, float]) -> None:
    world = wl.World()
    pulleys = [wl.Pulley(world.add(Ground), RADIUS, at=(x, 0.0), **shape) for x in (0.0, 0.5)]  # type: ignore[arg-type]
    message = r"_radius = .* m of the pulley .* of 'belt': must be left out in 2D"
    with pytest.raises(wl.ModelError, match=message):
        wl.Belt(world, pulleys, tension=TENSION, axial_stiffness=1e5, bending_stiffness=0.01, mass_per_length=0.05)
