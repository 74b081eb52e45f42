"""Tests of contacts between ropes. Crossings, layers, friction, coils and knots are compared with hand calculations and
closed forms.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import trapezoid

import windlass as wl
from windlass import connectors as con
from windlass.elements import Cable3D, PointSlope3D, nodes_of, straight_cable
from windlass.framework.assembly.assembly import serial_assembly
from windlass.framework.model.system import evaluate
from windlass.framework.restart.checkpoint import Checkpoint

from support.rope_contact import (
    COLUMNS,
    LAYERS,
    RADIUS,
    create_coil,
    create_crossing,
    create_knot,
    create_layers,
    create_rails,
    create_twisted_pair,
    find_depths,
    solve_layers,
)


def settle(world: wl.World, step: float = 1e-6) -> wl.State:
    """Return the state after one very short step, in which the contact search finds all pairs."""
    return wl.Dynamic(world, step=step, end=step, name="").solve()


@pytest.mark.parametrize("angle", [0.5 * np.pi, 0.6, 0.15])
def test_force_of_a_crossing(angle: float) -> None:
    """For any angle between two crossing straight ropes, the contact force is ∫ k δ ds with the depth δ = 2 R - sqrt(D²
    + s² sin² angle).

    The error is due to the midpoint rule, because the force per length has a kink at both ends of the contact.
    """
    depth, k = 2e-4, 1e7
    distance = 2.0 * RADIUS - depth
    half = np.sqrt(4.0 * RADIUS**2 - distance**2) / np.sin(angle)
    s = np.linspace(-half, half, 20001)
    exact = k * trapezoid(2.0 * RADIUS - np.sqrt(distance**2 + (s * np.sin(angle)) ** 2), s)
    ropes = create_crossing(angle, depth, points=100, contact_stiffness_per_length=k)
    state = settle(ropes.world)
    forces = wl.eval_output(ropes.rows, "normal_force", state)
    assert_allclose(forces[2:].sum(), exact, rtol=0.15 * (0.05 / 100 / half) ** 2)
    # the contact forces on both ropes are equal
    assert_allclose(forces[:2].sum(), forces[2:].sum(), rtol=1e-12)


def test_crossing_under_load() -> None:
    """A taut rope under a load crosses a second taut rope. The contact force agrees with the equilibrium of two
    strings.
    """
    world, half, load = wl.World(), 0.5, 20.0
    columns = {**COLUMNS, "reference_strain": -0.025}
    lower = straight_cable(world, (-half, 0.0, 0.0), (half, 0.0, 0.0), 8, **columns)
    upper = straight_cable(world, (0.0, -half, 0.01 - 1e-6), (0.0, half, 0.01 - 1e-6), 8, **columns)
    ends = [nodes_of(world, rope) for rope in (lower, upper)]
    for nodes in ends:
        con.hinge(world, nodes[[0, 8]])
    world.add(con.Force, marker=con.position_marker(world, ends[1][4]), vector=(0.0, 0.0, -load))
    rows = con.add_cable_contact(world, [lower, upper], radius=RADIUS, points=13, contact_stiffness_per_length=1e8)
    state = wl.Static(world, load_steps=4, rtol=1e-11, name="").solve()
    press = wl.eval_output(rows, "contact_force", state)
    press = press[:8].sum(axis=0), press[8:].sum(axis=0)
    assert_allclose(press[0], -press[1], atol=1e-11)
    for force, rope, axis, applied in ((press[0], lower, 0, 0.0), (press[1], upper, 1, -load)):
        # find tension and slope of the string at one end; both halves of the string are equal
        tension = float(wl.eval_output(rope[0], "axial_force", state, x=0.0625))
        slope = wl.eval_output(rope[0], "director", state, x=0.0625)
        assert_allclose(force[2] + applied, 2.0 * tension * slope[2] / np.linalg.norm(slope), rtol=1e-3)
        assert abs(slope[1 - axis]) < 1e-9
    assert 8.0 < press[1][2] < 11.0


def test_supports_carry_the_contact() -> None:
    """A rope is lowered onto a second rope.

    The contact forces on both ropes balance, and the supports carry the contact force.
    """
    world, half, n = wl.World(), 0.5, 64
    columns = {**COLUMNS, "axial_stiffness": 3e4, "reference_strain": -0.01, "bending_stiffness": 1e-4}
    lower = straight_cable(world, (-half, 0.0, 0.0), (half, 0.0, 0.0), n, **columns)
    upper = straight_cable(world, (0.0, -half, 2 * RADIUS), (0.0, half, 2 * RADIUS), n, **columns)
    con.hinge(world, nodes_of(world, lower)[[0, n]])
    ends = nodes_of(world, upper)[[0, n]]
    lowered = []
    for end in (ends[0], ends[1]):
        con.fix(world, end, "x", "y")
        lowered.append(con.prescribe(world, end, "z", con.ramp(0.0, 1.0, 0.0, -0.02)))
    rows = con.add_cable_contact(world, [lower, upper], radius=RADIUS, points=6, contact_stiffness_per_length=3e8)
    solver, state = wl.Static(world, atol=1e-8, name=""), wl.State(world)
    for solver.time in (0.25, 0.5, 0.75, 1.0):
        state = solver.solve(state)
    press = wl.eval_output(rows, "contact_force", state)[n:, 2].sum()
    carried = sum(float(wl.eval_output(support, "force", state)) for support in lowered)
    # the tolerance equals rtol of Passes; if the convergence test omitted the contributions of the ropes, the error
    # would be 8e-4
    assert_allclose(press, carried, rtol=1e-5)


def test_rope_laid_on_another() -> None:
    """A rope lies along a second rope. The line load at every contact point is the weight per length, and the points of
    each rope carry half of the weight.
    """
    world = wl.World(gravity=(0.0, 0.0, -9.81))
    lower = straight_cable(world, (0.0, 0.0, 0.0), (0.2, 0.0, 0.0), 4, **COLUMNS)
    upper = straight_cable(world, (0.0, 0.0, 0.01), (0.2, 0.0, 0.01), 5, **COLUMNS)
    con.clamp(world, nodes_of(world, lower))
    con.fix(world, nodes_of(world, upper), "x", "y")
    rows = con.add_cable_contact(world, [lower, upper], radius=RADIUS, points=10, contact_stiffness_per_length=1e6)
    state = wl.Static(world, rtol=1e-12, name="").solve(settle(world, 1e-5))
    weight = COLUMNS["mass_per_length"] * 9.81
    assert_allclose(wl.eval_output(rows, "normal_force_per_length", state), weight, rtol=0.02)
    assert_allclose(wl.eval_output(rows, "gap", state), -weight / 1e6, rtol=0.02)
    forces = wl.eval_output(rows, "contact_force", state)
    assert_allclose(forces[4:].sum(axis=0), (0.0, 0.0, 0.2 * weight), rtol=1e-8, atol=1e-9)


def test_two_layers_on_a_drum() -> None:
    """Two layers of a rope are wound on a drum. Tensions, and forces on flanges and drum, agree with the equilibrium of
    rings, which is computed by hand.

    The second layer presses the first layer inwards, so the tension of the first layer decreases. The drum carries the
    tensions of both layers.
    """
    layers = create_layers(24)
    state = wl.Static(layers.world, load_steps=2, stabiliser=1e4, name="").solve()
    tension, flange, on_drum, held = solve_layers(layers.radii)
    places = float(layers.rings[0][0].length) * (np.arange(6) + 0.5) / 6.0
    found = [
        np.mean([wl.eval_output(ring, "axial_force", state, x=x * size / layers.radii[0]) for x in places])
        for ring, size in zip(layers.rings, layers.radii, strict=True)
    ]
    assert_allclose(found, tension, rtol=2e-3)
    pressed = -wl.eval_output(layers.on_drum, "normal_force", state).sum(axis=1).reshape(3, 3, -1).sum(axis=2)
    pressed /= 2.0 * np.pi
    assert_allclose(pressed[0], on_drum, rtol=2e-3)
    assert_allclose(pressed[0].sum(), np.sum(found), rtol=2e-3)
    assert_allclose(pressed[1:], [[0.0, 0.0, flange], [flange, 0.0, 0.0]], rtol=2e-3)
    # a ring of the second layer has the tension T and lies on two rings of the first layer, at the angle of the groove
    # between these rings
    normal = wl.eval_output(layers.on_ropes, "normal_force", state).reshape(5, -1).sum(axis=1) / (2.0 * np.pi)
    assert_allclose(normal, held, rtol=2e-3)
    lean = np.sqrt(1.0 - (0.25 * LAYERS["pitch"] / RADIUS) ** 2)
    assert_allclose(held[3:], tension[3:] / lean, rtol=5e-3)


def test_twisted_pair() -> None:
    """The line load between two twisted ropes under the tension T is T times the curvature of a helix, R (2π/h)²/(1 +
    (2πR/h)²).

    The radius R of the helix is half of the distance of the axes, and h is the length of a turn. Forces are compared in
    the middle, away from the clamped ends. The error is due to the curvature of cubic elements and is of fourth order.
    """
    lead, errors = 0.06, []
    for elements in (32, 64):
        ropes = create_twisted_pair(elements, 4, lead, tension=200.0, stiffness=1e8)
        state = wl.Static(ropes.world, name="").solve()
        middle = slice(elements // 4, 3 * elements // 4)
        length = float(ropes.first[0].length)
        tensions = [wl.eval_output(ropes.first, "axial_force", state, x=(k + 0.5) * length / 4.0) for k in range(4)]
        tension = np.mean(tensions, axis=0)[middle]
        assert_allclose(tension, tension[0], rtol=1e-4)
        place = wl.eval_output(ropes.nodes, "position", state)[middle]
        rate = 2.0 * np.pi / lead * np.hypot(place[:, 1], place[:, 2]).mean()
        pressed = wl.eval_output(ropes.rows, "normal_force", state).reshape(2, elements)[:, middle]
        assert_allclose(pressed[0].sum(), pressed[1].sum(), rtol=1e-6)
        by_hand = tension[0] * rate * 2.0 * np.pi / lead / (1.0 + rate**2)
        errors.append(abs(pressed[0].sum() / (len(tension) * length) / by_hand - 1.0))
        assert tension[0] > 80.0
    assert errors[1] < 3e-3 and errors[0] > 12.0 * errors[1]


@pytest.mark.parametrize("along", [0, 1])
@pytest.mark.parametrize("pull", [0.2, 0.5])
def test_coulomb_limit(along: int, pull: float) -> None:
    """A bar lies across two ropes and is pulled across or along the bar.

    The bar sticks if the pull is below μ m g. Otherwise the bar accelerates with (pull/(m g) - μ) g.

    If the bar is pulled along its axis, friction exerts a torque about the axes of the two ropes. The torque on these
    ropes is the friction force times their radius R.
    """
    gravity = np.array([0.0, 0.0, -9.81])
    gravity[along] = 9.81 * pull
    ropes = create_rails(gravity, friction=0.3)
    ledger = wl.EnergyLedger()
    middle = wl.Dynamic(ropes.world, step=5e-4, end=0.04, name="").solve()
    state = wl.Dynamic(ropes.world, step=5e-4, end=0.092, name="").solve(middle, hooks=[ledger])
    before, now = (wl.eval_output(ropes.nodes, "velocity", s)[2, along] for s in (middle, state))
    slips = pull > 0.3
    assert_allclose((now - before) / 0.052, 9.81 * max(pull - 0.3, 0.0), atol=0.03)
    weight = 0.16 * COLUMNS["mass_per_length"] * 9.81
    forces = wl.eval_output(ropes.rows, "contact_force", state)
    bar = forces[2:].sum(axis=0)
    assert_allclose(-bar[along] / bar[2], min(pull, 0.3), rtol=0.01)
    assert_allclose(bar[2], weight, rtol=0.03)
    # the lever arm is half of the distance of the axes, which is slightly less than the radius, because the ropes
    # overlap
    torque = wl.eval_output(ropes.rows, "axis_torque", state)
    if along:
        assert_allclose(np.abs(torque[:2].sum()), min(pull, 0.3) * bar[2] * RADIUS, rtol=0.03)
    else:
        assert_allclose(np.abs(torque[2:].sum()), min(pull, 0.3) * bar[2] * RADIUS, rtol=0.03)
    if slips:
        # the ledger accounts for the work of gravity
        names = ("sliding", "bristles", "friction_damping")
        lost = sum(ledger.totals[f"ContactFrictionCables3D.{name}"] for name in names)
        way = (wl.eval_output(ropes.nodes, "position", state) - wl.eval_output(ropes.nodes, "position", middle))[2]
        assert_allclose(lost, 0.3 * weight * way[along], rtol=5e-3)
        assert abs(ledger.rest) < 1e-3 * lost


def eval_exponent(friction: float, radius: float, core: float) -> float:
    """Return the exponent a of the tension exp(a θ) of a rope, with the wrap angle θ, if friction acts on the surface
    of the rope at the distance ``radius`` from its axis.

    The friction μ N' per angle also turns the rope, which therefore has a shear force: T' = μ N' (1 - ρ) and N' = T - μ
    ρ N'', with ρ = radius/(core + radius). The exponent satisfies a + μ ρ a² = μ (1 - ρ), and is μ for a thin rope.
    """
    share = radius / (core + radius)
    return float((np.sqrt(1.0 + 4.0 * friction**2 * share * (1.0 - share)) - 1.0) / (2.0 * friction * share))


def check_coil(elements: int, wrap: float, radius: float, stiffness: float, rtol: float) -> None:
    """Check the ratio of the tensions of a coil, and the torque that is needed to hold the core."""
    core, friction = 0.05, 0.3
    ropes = create_coil(elements, wrap, radius, core, friction, stiffness, force=500.0, rest=50.0)
    state = wl.Static(ropes.world, load_steps=5, name="").solve()
    middle = 0.5 * float(ropes.second[0].length)
    tension = wl.eval_output(ropes.second, "axial_force", state, x=middle)
    ratio = np.exp(eval_exponent(friction, radius, core) * wrap)
    assert_allclose(tension[0] / tension[-1], ratio, rtol=rtol)
    torque = wl.eval_output(ropes.rows, "axis_torque", state)[:2].sum()
    # tensions at the ends of the contact equal the end tensions, except within parts of the elements that the core
    # bends
    assert_allclose(abs(torque), (tension[0] - tension[-1]) * (core + radius), rtol=2.0 * rtol)


def test_capstan_of_ropes() -> None:
    """A rope is wound three quarters of a turn around a fixed rope. The tension increases like exp(μ θ), with a
    correction of the exponent for the thickness of the rope, see `eval_exponent`.
    """
    check_coil(24, 1.5 * np.pi, 0.0025, 5e9, 0.01)


@pytest.mark.long
def test_capstan_of_ropes_in_detail() -> None:
    """On a fine mesh the tension agrees with the corrected exponent, and for a very thin rope it agrees with exp(μ
    θ).
    """
    check_coil(48, 1.5 * np.pi, 0.0025, 5e9, 5e-4)
    check_coil(48, 1.5 * np.pi, 0.0008, 5e9, 2e-3)
    assert_allclose(np.exp(1.5 * np.pi * eval_exponent(0.3, 0.0002, 0.05)), np.exp(0.45 * np.pi), rtol=1e-2)


def test_balance_of_forces_and_moments() -> None:
    """Except for rounding errors, the sums of all forces and moments are zero, including the torques about the axes of
    the ropes.
    """
    law = {
        "friction_coefficient": 0.4,
        "friction_velocity_penalty_per_length": 50.0,
        "contact_damping_per_length": 50.0,
    }
    for friction in (0.0, 0.4):
        law["friction_coefficient"] = friction
        ropes = create_crossing(0.9, 3e-4, held=False, offset=0.003, **law)
        state = settle(ropes.world, 1e-9)
        rng = np.random.default_rng(3)
        state.v[:] = rng.standard_normal(len(state.v))
        assembly = serial_assembly(ropes.world)
        fields = assembly.load_fields(state)
        system = assembly.layout.systems[con.ContactFrictionCables3D]
        s = evaluate(fields, f=np.zeros(len(fields.x)))
        system.residual(s)
        f, x = s.f[:-1].reshape(-1, 2, 3), fields.x[:-1].reshape(-1, 2, 3)
        force, moment = f[:, 0].sum(axis=0), np.cross(x, f).sum(axis=(0, 1))
        # the ropes are straight, so torques act along the ropes; the outputs are the reaction torques
        torque = wl.eval_output(ropes.rows, "axis_torque", state)
        held = torque[:2].sum() * np.array([1.0, 0.0, 0.0])
        held += torque[2:].sum() * np.array([np.cos(0.9), np.sin(0.9), 0.0])
        scale = np.abs(f).max()
        assert scale > 1.0 and (np.abs(held).max() > 1e-4) == (friction > 0.0)
        assert_allclose(force, 0.0, atol=1e-13 * scale)
        assert_allclose(moment - held, 0.0, atol=1e-13 * scale)


def test_force_goes_on_from_cable_to_cable() -> None:
    """A rope slides along the bend of a second rope over many cables of the second rope. The contact force has no
    jumps, and no contact is lost.
    """
    world, bend, count = wl.World(), 0.2, 16
    angle = np.linspace(-0.8, 0.8, count + 1)
    position = bend * np.stack((np.sin(angle), 0.0 * angle, np.cos(angle) - 1.0), axis=1)
    slope = np.stack((np.cos(angle), 0.0 * angle, -np.sin(angle)), axis=1)
    nodes = world.add(PointSlope3D, position=position, slope=slope)
    arc = world.add(Cable3D, node0=nodes[:-1], node1=nodes[1:], length=1.6 * bend / count, **COLUMNS)
    for node in nodes:
        con.clamp(world, node)
    height = 0.01 - 2e-4
    bar = straight_cable(world, (0.0, -0.02, height), (0.0, 0.02, height), 1, **COLUMNS)
    ends = nodes_of(world, bar)
    con.fix(world, ends, "y", "x'", "y'", "z'")
    # the rope moves on a circle around the centre of the bend
    reach, speed = bend + height, 5.0
    con.prescribe(world, ends, "x", lambda t: float(reach * np.sin(speed * t)))
    con.prescribe(world, ends, "z", lambda t: float(reach * (np.cos(speed * t) - 1.0)))
    rows = con.add_cable_contact(world, [arc, bar], radius=RADIUS, points=64, contact_stiffness_per_length=1e7)
    forces, touched = [], set()

    def look(state: wl.State) -> None:
        press = wl.eval_output(rows, "normal_force", state)
        forces.append(press[-1])
        touched.update(np.flatnonzero(press[:-1]))

    wl.Dynamic(world, step=5e-4, end=0.1, name="").solve(hooks=[look])
    forces = np.array(forces)
    assert len(touched) >= 5
    # the rope moves by 0.5 mm per step; the force varies slightly, because contact points lie at finite distances from
    # each other, and because cubic elements approximate a circle
    assert_allclose(forces, np.median(forces), rtol=0.005)
    assert np.abs(np.diff(forces)).max() < 0.005 * np.median(forces)


def check_knot(elements: int, step: float, end: float, least: float, stiffness: float) -> None:
    """Tighten a knot. Check that the knot remains, no parts overlap, the forces at both ends are equal, and the contact
    search misses no contact.
    """
    ropes = create_knot(elements, friction=0.1, stiffness=stiffness)
    state = wl.Dynamic(ropes.world, step=step, end=end, name="").solve()
    rope, length = ropes.first, elements * float(ropes.first[0].length)
    tension = wl.eval_output(rope, "axial_force", state, x=0.0)
    assert tension[[0, -1]].min() > least
    assert_allclose(tension[0], tension[-1], rtol=0.02)
    # a rope without knot would have its full length between its ends; a knot shortens this distance by some diameters
    ends = wl.eval_output(ropes.nodes[[0, elements]], "position", state)
    stretched = length * (1.0 + tension[0] / COLUMNS["axial_stiffness"])
    assert np.linalg.norm(ends[1] - ends[0]) < stretched - 8.0 * RADIUS
    points = int(ropes.rows[0].points)
    gaps = wl.eval_output(ropes.rows, "gap", state)
    truth = find_depths(ropes.world, rope, state, 4.0 * RADIUS, points * 9).reshape(elements, points, 9)[..., 4]
    truth -= 2.0 * RADIUS
    assert truth.min() > -0.1 * RADIUS
    near = truth < 0.5 * RADIUS
    assert (truth < 0.0).sum() >= 4
    # the tolerance is an upper bound of the error of the depth that is computed from chords between the samples instead
    # of the closest points
    assert_allclose(gaps[near], truth[near], atol=3e-5)


def test_knot() -> None:
    """An overhand knot under a force of some newtons passes the checks of `check_knot`."""
    check_knot(32, 2e-3, 0.26, 5.0, 2e7)


@pytest.mark.long
def test_knot_drawn_tight() -> None:
    """An overhand knot under a force of more than a kilonewton passes the checks of `check_knot`."""
    check_knot(60, 2.5e-4, 0.42, 1000.0, 2e9)


class KilledError(Exception):
    """Exception that is raised to end a run in the same manner as a killed process."""


def run_knot(folder: Path, restart: bool = False, kill: int = 0) -> Any:
    """Run a knot in contact, with checkpoints every 20 steps."""
    ropes = create_knot(24, friction=0.2, stiffness=2e6)

    def die(state: wl.State) -> None:
        if state.step == kill:
            raise KilledError

    keep = Checkpoint(folder / "run.h5", None if restart else 20, folder / "run.h5" if restart else None)
    return wl.Dynamic(ropes.world, step=2e-3, end=0.16, name="").solve(hooks=[keep, die])


def test_restart(tmp_path: Path) -> None:
    """A run that is killed during contact and continued from a checkpoint gives exactly the results of an uninterrupted
    run.
    """
    (tmp_path / "whole").mkdir()
    whole = run_knot(tmp_path / "whole")
    with pytest.raises(KilledError):
        run_knot(tmp_path, kill=73)
    again = run_knot(tmp_path, restart=True)
    assert (whole.data != 0.0).any()
    for name in ("q", "v", "a", "data", "start_data", "lam"):
        assert_array_equal(getattr(whole, name), getattr(again, name), err_msg=name)
