"""Tests of the steady motion of belt drives by `Belt.steady`: comparison with creep theory, balances, and errors."""

from __future__ import annotations

import time
from math import exp, log
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.sparse.linalg import spsolve

import windlass as wl
import windlass.connectors as con
import windlass.elements as el
from windlass.connectors.circle_contact.belt_ends import eval_ends
from windlass.connectors.drives.fit import Bends, eval_length, find_tension

THREE = {
    "driver": ((0.0, 0.0), 0.05, "right"), "driven": ((0.4, 0.0), 0.1, "right"), "idler": ((0.18, -0.03), 0.03, "left"),
}  # fmt: skip


def mount(pulleys: dict[str, Any], **columns: Any) -> wl.Belt:
    """Create a belt around pulleys with rigid contact. Each pulley is given by its centre [m], its radius [m] and the
    side of the belt.
    """
    world = wl.World()
    wheels = [
        wl.Pulley(world.add(el.RigidBody2D, name=name, position=at, mass=1.0, inertia=0.01), radius, side)
        for name, (at, radius, side) in pulleys.items()
    ]
    given = {"tension": 400.0, "axial_stiffness": 1e4, "bending_stiffness": 0.0, "mass_per_length": 0.3,
             "contact": {"contact_stiffness_per_length": 1e16}}  # fmt: skip
    return wl.Belt(world, wheels, **{**given, "friction": 0.5, "elements": 40, **columns})


@pytest.mark.parametrize("speed", [-20.0, 55.0])
@pytest.mark.parametrize("mass", [0.0, 0.9])
def test_two_equal_pulleys(speed: float, mass: float) -> None:
    """For two equal pulleys, speeds, tensions and slip arcs agree with the results of `belt_creep` within 1e-9, in both
    directions of motion. The remainder of the power balance is a rounding error.
    """
    belt = mount(
        {"a": ((0.0, 0.0), 0.1, "right"), "b": ((0.3, 0.0), 0.1, "right")}, axial_stiffness=8000.0, friction=0.4,
        mass_per_length=mass,
    )  # fmt: skip
    found = belt.steady({"a": speed}, {"b": -25.0 * np.sign(speed)})
    theory = con.belt_creep(
        axial_stiffness=8000.0, length=belt.length, distance=0.3, radius=0.1, driver_speed=abs(speed), torque=25.0,
        friction_coefficient=0.4, mass_per_length=mass,
    )  # fmt: skip
    driver, driven = found["a"], found["b"]
    assert_allclose(abs(driven.speed), theory.driven_speed, rtol=1e-9)
    assert_allclose(driven.creep, theory.speed_loss, rtol=1e-8)
    both = driven.tension_before, driven.tension_after
    assert_allclose((max(both), min(both)), (theory.tight_tension, theory.slack_tension), rtol=1e-9)
    assert_allclose((driver.slip_arc, driven.slip_arc), theory.slip_angle, rtol=1e-8)
    assert_allclose(driven.hub_force, theory.tight_force + theory.slack_force, rtol=1e-6)
    assert_allclose(found.power_in - found.power_out, driver.loss + driven.loss, rtol=1e-9)
    assert_allclose(found.efficiency, driver.efficiency * driven.efficiency, rtol=1e-9)


def test_bent_belts() -> None:
    """For belts with bending stiffness, the remainders of the power balance and of the torque balance are rounding
    errors. Hub loads of an idler agree with lines that touch circles with the radius R + EI/(2FR).

    If the belt is too stiff, an error is raised.

    Bending has the same effect as an increase of the radii of the circles by d. Therefore the wrap angle of an idler on
    the back increases by 2 d/L, where L is the length of the spans.
    """
    places = {"a": ((0.0, 0.0), 0.05, "right"), "idler": ((0.3, 0.02), 0.05, "left"), "b": ((0.6, 0.0), 0.05, "right")}
    bent, string = (
        mount(places, axial_stiffness=1e6, mass_per_length=0.0, bending_stiffness=EI).steady({"a": 1.0})
        for EI in (0.01, 0.0)
    )
    F, L = bent.spans[0].tension, bent.spans[0].length
    more = bent["idler"].wrap_angle - string["idler"].wrap_angle
    # at a crossing span, the radii of both circles increase by d
    assert_allclose(more, 2.0 * 2.0 * 0.01 / (2.0 * F * 0.05) / L, rtol=1e-2)
    assert_allclose(bent["idler"].hub_force, 2.0 * F * np.sin(0.5 * bent["idler"].wrap_angle), rtol=1e-7)
    loaded = mount(THREE, bending_stiffness=9e-3).steady({"driver": 400.0}, {"driven": lambda speed: -0.03 * speed})
    assert_allclose(sum(p.power for p in loaded.pulleys), -sum(p.loss for p in loaded.pulleys), rtol=1e-9)
    soft = mount(THREE, bending_stiffness=9e-3, layer_stiffness=2e6).steady({"driver": 400.0}, {"driven": -10.0})
    assert_allclose(sum(p.power for p in soft.pulleys), -sum(p.loss for p in soft.pulleys), rtol=1e-9)
    with pytest.raises(wl.ModelError, match=r"does not wrap around driver: .* N - rhoA v² = .* N, must be > EI"):
        mount(THREE, bending_stiffness=2.0).steady({"driver": 100.0})
    # a stiff belt may be longer than its route, and nevertheless wrap around its pulleys with the given tension
    long = mount(THREE, axial_stiffness=2e6, tension=300.0, bending_stiffness=0.03)
    assert long.strain < 0.0
    slow = long.steady({"driver": 1e-3})
    assert_allclose([span.tension for span in slow.spans], 300.0, rtol=1e-3)


@pytest.mark.parametrize(
    ("bending", "height", "allowed"), [(0.01, 0.135, 5e-3), (0.05, 0.12, 5e-3), (0.05, 0.135, 2e-2)]
)
def test_hub_load_of_a_weakly_wrapped_idler(bending: float, height: float, allowed: float) -> None:
    """A belt with bending stiffness touches an idler with a short arc at one point. The hub loads in static equilibrium
    and by `Belt.steady` at a low speed agree, and the tensions agree with the given tension.

    The wrap angles are 0.05, 0.2 and 0.05 rad. EI/(T R²) of the idler is 1.6 and 7.8 %. The hub load is up to 18 %
    larger than the hub load of a string.
    """
    world = wl.World()
    places = {"a": ((0.0, 0.0), 0.1, "right"), "i": ((0.25, height), 0.04, "left"), "b": ((0.5, 0.0), 0.1, "right")}
    wheels = [
        wl.Pulley(world.add(el.RigidBody2D, name=name, position=at, mass=1.0, inertia=0.01), radius, side)
        for name, (at, radius, side) in places.items()
    ]
    con.fix(world, [pulley.body for pulley in wheels], "x", "y")
    belt = wl.Belt(
        world, wheels, tension=400.0, axial_stiffness=4e4, bending_stiffness=bending, mass_per_length=0.1, friction=0.5,
    )  # fmt: skip
    with belt.preload():
        report = belt.report(wl.Static(world, name="").solve())
    steady = belt.steady({"a": -1e-3})
    assert_allclose([span.tension for span in report.spans], 400.0, rtol=1e-3)
    assert_allclose([span.tension for span in steady.spans], 400.0, rtol=1e-3)
    assert_allclose(steady["i"].hub_force, np.linalg.norm(report["i"].hub_load), rtol=allowed)


def test_tension_of_a_given_length() -> None:
    """If a belt is created with a length, and this length was computed from a tension, the belt has this tension. The
    tension also agrees for belts with bending stiffness on short arcs, and for belts that are longer than their route.
    A slack belt causes an error.
    """
    rng = np.random.default_rng(7)
    for _ in range(200):
        n = int(rng.integers(2, 6))
        radii, angles = rng.uniform(0.02, 0.1, n), rng.uniform(0.02, 3.0, n)
        turns, spans = rng.choice((-1.0, 1.0), n), rng.uniform(0.1, 0.5, n)
        T, EA, contact = rng.uniform(50.0, 800.0), 10.0 ** rng.uniform(4.0, 6.0), 10.0 ** rng.uniform(7.0, 10.0, n)
        bends = Bends(rng.uniform(0.0, 0.2) * T * radii.min() ** 2, radii, angles, contact, turns, spans)
        route = float(spans.sum() + (radii * angles).sum())
        assert_allclose(find_tension("b", eval_length(T, route, EA, bends), route, EA, bends), T, rtol=1e-7)
    bends = Bends(0.0, *(np.full(2, value) for value in (0.02, 3.0, np.inf, 1.0, 0.3)))
    with pytest.raises(
        wl.ModelError, match=r"'b' with the slack length 0\.73 m is slack on its route of 0\.72 m: .* 0\.72"
    ):
        find_tension("b", 0.73, 0.72, 1e4, bends)


def test_rope_that_ends_on_a_drum() -> None:
    """A rope with bending stiffness and one end on a drum has the given tension."""
    world = wl.World()
    drum, wheel = (
        world.add(el.RigidBody2D, name=name, position=at, mass=1.0, inertia=0.01)
        for name, at in (("drum", (0.0, 0.0)), ("wheel", (0.4, 0.1)))
    )
    con.fix(world, [drum, wheel], "x", "y", "rotation")
    pulleys = [wl.Pulley(drum, 0.08, "right"), wl.Pulley(wheel, 0.06, "right")]
    stiff = {"contact_stiffness_per_length": 1e10}
    rope = wl.Rope(
        world, pulleys, start=(0.0, 0.08), end=(0.46, -0.3), tension=400.0, axial_stiffness=4e4, bending_stiffness=0.05,
        mass_per_length=0.1, contact=stiff, elements=200,
    )  # fmt: skip
    con.hinge(world, rope.nodes[[0, 200]])
    report = rope.report(wl.Static(world, name="").solve())
    assert_allclose([span.tension for span in report.spans[1:]], 400.0, rtol=2e-3)


def test_torques_and_moments_that_are_no_numbers() -> None:
    """Torques and moments that are not finite real numbers cause errors that state the pulley, the value and the
    unit.
    """
    belt = mount({"a": ((0.0, 0.0), 0.1, "right"), "b": ((0.3, 0.0), 0.1, "right")})
    for torque, words in (
        (lambda speed: float("nan"), r"no steady motion is found, because the torque of b is nan N m at -\d+"),
        (lambda speed: 1j, r"torque of b of 'belt' is 1j at .* rad/s: must be a number \[N m\]"),
        (lambda speed: None, r"torque of b of 'belt' is None at .* rad/s: must be a number \[N m\]"),
    ):
        with pytest.raises(wl.ModelError, match=words):
            belt.steady({"a": -100.0}, {"b": torque})
    with pytest.raises(wl.ModelError, match="tension = 4000 N in steady of 'belt': must be <= 2000 N"):
        belt.steady({"a": -100.0}, tension=4000.0)
    with pytest.raises(wl.ModelError, match="'c' is no pulley of 'belt': must be one of a, b"):
        belt.steady({"a": -100.0})["c"]
    arms = [wl.TensionerArm("b", (0.3, 0.2), lambda turn: float("nan"))]
    with pytest.raises(
        wl.ModelError, match="moment of the arm of b is nan at the angle 0 rad: must be a finite number"
    ):
        belt.steady({"a": -100.0}, arms=arms)
    with pytest.raises(wl.ModelError, match="pulley = 'b' of TensionerArm: must have one arm, has several"):
        belt.steady({"a": -100.0}, arms=2 * arms)
    with pytest.raises(wl.ModelError, match="must differ from the centre of b"):
        belt.steady({"a": -100.0}, arms=[wl.TensionerArm("b", (0.3, 0.0), lambda turn: 1.0)])


def test_bristles_that_are_given_act_like_a_layer() -> None:
    """If ``contact`` contains a bristle stiffness, `Belt.steady` includes the bristles like a layer of equal
    stiffness.
    """
    places = {"a": ((0.0, 0.0), 0.1, "right"), "b": ((0.3, 0.0), 0.1, "right")}
    rigid, bristles = {"contact_stiffness_per_length": 1e10}, {"friction_stiffness_per_length": 1e6}
    with_contact = mount(places, contact=rigid | bristles).steady({"a": -100.0}, {"b": 8.0})
    with_layer = mount(places, contact=rigid, layer_stiffness=1e6).steady({"a": -100.0}, {"b": 8.0})
    without = mount(places, contact=rigid).steady({"a": -100.0}, {"b": 8.0})
    assert_allclose(with_contact["b"].creep, with_layer["b"].creep, rtol=1e-12)
    assert with_layer["b"].creep > 1.15 * without["b"].creep


@pytest.mark.parametrize(("contact", "bending", "beyond"), [(1e7, 0.0, True), (1e7, 0.005, True), (1e16, 0.5, False)])
def test_a_layer_is_sheared_on_its_arc_only(contact: float, bending: float, beyond: bool) -> None:
    """The layer is sheared on the arc that a string would touch, even if a soft contact touches beyond this arc. The
    sheared arc is smaller only if the bending stiffness lifts the belt off before the end of the arc.
    """
    places = {"a": ((0.0, 0.0), 0.1, "right"), "b": ((0.3, 0.0), 0.1, "right")}
    given = {"mass_per_length": 0.0, "layer_stiffness": 1e6, "contact": {"contact_stiffness_per_length": contact}}
    found = mount(places, bending_stiffness=bending, **given).steady({"a": -100.0}, {"b": 8.0})["b"]
    ratio = abs(log(found.tension_after / found.tension_before))
    forces = np.array([found.tension_before, found.tension_after])
    ends = eval_ends(forces, bending, np.array(contact), np.array(0.1)).untouched
    assert ((ends < 0.0) == beyond).all()
    sheared = found.wrap_angle - np.maximum(ends, 0.0).sum()
    assert_allclose(found.slip_reserve, 1.0 - ratio / (0.5 * sheared), rtol=1e-9)


@pytest.mark.parametrize("contact", [2e6, 2e8, 2e9])
def test_end_of_contact_of_a_bent_belt(contact: float) -> None:
    """The point where a beam under tension leaves an elastic foundation that cannot pull agrees with finite
    differences.

    The limits are l/R for a rigid circle, and -sqrt(F/k)/R for a string.
    """
    F, EI, R, n = 440.0, 0.018, 0.03, 1001
    # the mesh extends over ten decay lengths sqrt(F/k) of the softest contact
    s = np.linspace(-0.15, 0.1, n)
    h = s[1] - s[0]
    ones = np.ones(n)
    second = sparse.diags_array([ones[1:], -2.0 * ones, ones[1:]], offsets=[-1, 0, 1]) / h**2
    beam = (EI * second @ second - F * second).tolil()
    right = np.full(n, F / R)
    # boundary conditions: at the left end, the depth is F/(k R), as on an arc; at the right end, w' = -s/R and w'' =
    # -1/R, as for a straight line
    beam[:2] = 0.0
    beam[0, 0] = beam[1, 1] = 1.0
    right[:2] = F / (contact * R)
    beam[-2:] = 0.0
    beam[-2, -2], beam[-2, -1] = -1.0 / h, 1.0 / h
    beam[-1, -3:] = np.array((1.0, -2.0, 1.0)) / h**2
    right[-2:] = -(s[-1] - 0.5 * h) / R, -1.0 / R
    touch = s < 0.0
    for _ in range(30):
        spring = np.where(touch, contact, 0.0)
        spring[[0, 1, -2, -1]] = 0.0
        w = spsolve((beam + sparse.diags_array(spring)).tocsc(), right)
        before, touch = touch, (w > 0.0) | (s < -0.02)
        if (before == touch).all():
            break
    last = int(np.flatnonzero(touch)[-1])
    end = s[last] + h * w[last] / (w[last] - w[last + 1])
    k, l = np.array(contact), np.sqrt(EI / F)
    assert_allclose(eval_ends(np.array(F), EI, k, np.array(R)).untouched * R, -end, atol=1e-3 * l)
    assert_allclose(eval_ends(np.array(F), EI, np.array(np.inf), np.array(R)).untouched, l / R, rtol=1e-3)
    assert_allclose(eval_ends(np.array(F), 0.0, k, np.array(R)).untouched, -np.sqrt(F / contact) / R, rtol=1e-4)
    # compare the additional lengths with the limits
    assert_allclose(eval_ends(np.array(F), EI, np.array(np.inf), np.array(R)).longer, l**3 / (12.0 * R**2), rtol=1e-4)
    string = 5.0 / 12.0 * (F / contact) ** 1.5 / R**2
    assert_allclose(eval_ends(np.array(F), 0.0, k, np.array(R)).longer, string, rtol=1e-4)


@pytest.mark.parametrize("direction", [-1.0, 1.0])
def test_three_pulleys(direction: float) -> None:
    """A belt with a cord offset runs on three pulleys with different friction coefficients. One of the pulleys is an
    idler on the back of the belt. The remainders of the power and torque balances are rounding errors, and slip arcs
    agree with Euler and Grashof.
    """
    belt = mount(THREE, cord_offset=(0.002, 0.001))
    found = belt.steady({"driver": 400.0 * direction}, {"driven": lambda speed: -0.03 * speed})
    driver, driven, idler = (found[name] for name in THREE)
    assert_allclose(driven.torque, 0.03 * driven.speed, rtol=1e-9)
    assert (
        abs(idler.torque) < 1e-6 * abs(driven.torque) and idler.slip_arc < 1e-6 and np.sign(idler.speed) == -direction
    )
    press = [span.tension - 0.3 * found.flow * abs(span.speed) for span in found.spans]
    assert_allclose(driver.torque, -(press[0] - press[2]) * 0.052, rtol=1e-9)
    assert_allclose(driver.slip_arc, abs(log(press[0] / press[2])) * 0.052 / (0.5 * 0.05), rtol=1e-9)
    # the reference length that passes per second is equal in all spans
    flows = [abs(span.speed) / (1.0 + span.tension / 1e4) for span in found.spans]
    assert_allclose(flows, found.flow, rtol=1e-12)
    assert_allclose(sum(p.power for p in found.pulleys), -sum(p.loss for p in found.pulleys), rtol=1e-9)
    # the hub loads of a slow belt equal the hub loads of the mounted belt
    idle = belt.steady({"driver": 1e-3 * direction})
    assert_allclose([p.hub_load for p in idle.pulleys], belt.hub_loads, rtol=1e-6, atol=1e-6)
    assert "steady motion" in found.format() and "slip reserve [1]" in found.format()


def test_closed_length() -> None:
    """The sum of the reference lengths on spans and arcs, which the test integrates numerically, equals the length of
    the belt.
    """
    belt = mount(THREE)
    found = belt.steady({"driver": -400.0}, {"driven": 12.0})
    E = 1e4 - 0.3 * found.flow**2
    total = sum(span.length / (1.0 + span.tension / 1e4) for span in found.spans)
    for pulley, entering in zip(found.pulleys, np.roll([span.tension for span in found.spans], 1), strict=True):
        radius, stretch = THREE[pulley.name][1], 1.0 + entering / 1e4
        total += (pulley.wrap_angle - pulley.slip_arc) * radius / stretch
        press = E * stretch - 1e4
        grows = np.sign(pulley.tension_after - pulley.tension_before)
        angle = (np.arange(20000) + 0.5) / 20000 * pulley.slip_arc
        there = (press * np.exp(grows * 0.5 * angle) + 1e4) / E
        total += float((radius / there).mean()) * pulley.slip_arc
    assert_allclose(total, belt.length, rtol=1e-9)


def test_largest_torque() -> None:
    """Torques up to the limit by Euler and Eytelwein for the smallest arc are accepted. A torque above this limit
    causes an error.
    """
    belt = mount(THREE, mass_per_length=0.0, axial_stiffness=4e6)
    wrap = belt.wrap_angles[0]
    # the reference length of a stiff belt is constant, so the sum of tension times length is constant except on slip
    # arcs
    low, high = 0.0, 400.0 * 0.05 * 2.0 * (exp(0.5 * wrap) - 1.0)
    for _ in range(30):
        middle = 0.5 * (low + high)
        try:
            found = belt.steady({"driver": -100.0}, {"driven": 2.0 * middle})
            low = middle
        except wl.ModelError:
            high = middle
    driver = found["driver"]
    assert_allclose(driver.tension_before / driver.tension_after, exp(0.5 * wrap), rtol=1e-6)
    with pytest.raises(wl.ModelError, match=r"slips on the whole arc: driver needs .* rad of its .* rad for .* N m"):
        belt.steady({"driver": -100.0}, {"driven": 2.1 * high})


def test_arm_of_a_tensioner() -> None:
    """The moments of belt and spring about the pivot of a tensioner's arm balance each other.

    If a weight acts on the arm, the pull of the belt is constant. If the spring is rigid, the position of the arm is
    constant.
    """
    belt, pivot = mount(THREE), (0.06, -0.08)
    lever = np.array(THREE["idler"][0]) - pivot
    pull = belt.hub_loads[2]
    mounted = lever[0] * pull[1] - lever[1] * pull[0]
    speeds, torques = {"driver": -200.0}, {"driven": 12.0}
    arm = wl.TensionerArm("idler", pivot, lambda turn: -mounted - 40.0 * turn)
    found = belt.steady(speeds, torques, arms=[arm])
    turn = found.turns["idler"]
    assert abs(turn) > 1e-3
    x, y = np.array(((np.cos(turn), -np.sin(turn)), (np.sin(turn), np.cos(turn)))) @ lever
    px, py = found["idler"].hub_load
    assert_allclose(x * py - y * px, mounted + 40.0 * turn, rtol=1e-8)
    held = belt.steady(speeds, torques, arms=[wl.TensionerArm("idler", pivot, lambda turn: -mounted - 1e12 * turn)])
    assert_allclose(held["driven"].speed, belt.steady(speeds, torques)["driven"].speed, rtol=1e-9)
    at_rest = belt.steady({"driver": -1e-3}, arms=[wl.TensionerArm("idler", pivot, lambda turn: -mounted)])
    assert abs(at_rest.turns["idler"]) < 1e-6 and "arm of idler: turned by" in found.format()
    with pytest.raises(wl.ModelError, match="pulley = 'arm' of TensionerArm: must be one of driver, driven, idler"):
        belt.steady(speeds, torques, arms=[wl.TensionerArm("arm", pivot, lambda turn: 0.0)])
    with pytest.raises(wl.ModelError, match=r"no equilibrium position|cannot be wrapped|has a wrap of|overlap"):
        belt.steady(speeds, torques, arms=[wl.TensionerArm("idler", pivot, lambda turn: 3.0 * mounted)])


def test_a_sweep_is_quick() -> None:
    """The measured time of each of a hundred drives is 5 ms. The test requires that the mean process time is less than
    60 ms.
    """
    belt = mount(THREE)
    begin = time.process_time()
    losses = [
        belt.steady({"driver": -100.0}, {"driven": 6.0}, tension=tension, friction=friction)["driven"].creep
        for tension in np.linspace(300.0, 600.0, 10)
        for friction in np.linspace(0.4, 0.8, 10)
    ]
    assert time.process_time() - begin < 6.0
    # for a small mass, creep is the difference of tensions divided by EA, for any friction and preload, except for
    # errors of the order of the strain
    assert max(losses) / min(losses) < 1.05


@pytest.mark.parametrize(
    ("speeds", "torques", "words"),
    [
        ({}, {}, "speeds of 'belt' are empty: must have the speed of one pulley at least"),
        ({"motor": 1.0}, {}, "'motor' in speeds of 'belt': must be one of driver, driven, idler"),
        ({"driver": 1.0}, {"pump": 1.0}, "'pump' in torques of 'belt': must be one of driver"),
        ({"driver": 1.0}, {"driver": 1.0}, "'driver' of 'belt' has a speed and a torque: must have one of them"),
        ({"driver": 1.0, "idler": 1.0}, {}, "must not be 0, and all must move the belt in"),
        ({"driver": 0.0}, {}, "must not be 0"),
        ({"driver": float("nan")}, {}, "must be a mapping of names of pulleys to speeds"),
        ({"driver": 1.0}, {"driven": "much"}, "must be a mapping of names of pulleys to torques"),
        ({"driver": 1000.0}, {}, r"lifts off its pulleys at 50 m/s: the speed of the belt must be < 37.* m/s"),
    ],
)
def test_what_cannot_be(speeds: Any, torques: Any, words: str) -> None:
    """Each impossible drive causes an error that states the wrong value and the allowed values."""
    with pytest.raises(wl.ModelError, match=words):
        mount(THREE).steady(speeds, torques)


def test_ropes_and_frictionless_pulleys_have_none() -> None:
    """Open ropes, and pulleys without friction under a torque, have no steady motion and cause errors."""
    with pytest.raises(wl.ModelError, match="friction coefficient 0 of the pulley driver of 'belt': must be > 0"):
        mount(THREE, friction=0.0).steady({"driver": 1.0})
    belt = mount(THREE)
    world = belt.world
    rope = wl.Rope(
        world, [belt.pulleys[0]], start=(-1.0, -1.0), end=(1.0, -1.0), tension=300.0, axial_stiffness=1e4,
        bending_stiffness=1e-6, mass_per_length=0.1,
    )  # fmt: skip
    for call in (lambda: rope.steady({"driver": 1.0}), lambda: rope.run(wl.State(world), 1.0)):
        with pytest.raises(wl.ModelError, match="must be a closed 2D belt"):
            call()
