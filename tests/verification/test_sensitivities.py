"""Tests of derivatives of equilibria and frequencies by comparison with central differences between complete solves,
and with closed forms. Wrong use causes errors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import exp, pi, sinh, sqrt
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import brentq

import windlass as wl
from windlass import connectors as con
from windlass.elements import (
    Circle,
    Ground,
    MassPoint,
    RigidBody2D,
    cable_around,
    catenary,
    nodes_of,
    state_node,
    straight_cable,
)
from windlass.solvers.sensitivities.equilibrium import solve_equilibrium

ELEMENTS = 12


def solve_exactly(world: wl.World) -> wl.State:
    """Return the equilibrium, whose residual consists only of rounding errors."""
    return wl.Static(world, rtol=1e-13, atol=1e-12, name="").solve()


def hang(p: Mapping[str, float]) -> tuple[wl.World, Callable[[wl.State], dict[str, float]]]:
    """Create a model with eleven kinds of parameters. A cable under gravity, one end of which is lifted, carries a
    weight on a spring. A rope connects the cable to a body that rotates.
    """
    world = wl.World(gravity=(0.0, -p["gravity"]))
    cable = straight_cable(
        world, (0.0, 0.0), (p["span"], 0.3), ELEMENTS, axial_stiffness=p["EA"], bending_stiffness=p["EI"],
        mass_per_length=p["mass"], reference_strain=-p["strain"], axial_damping=p.get("axial_damping", 0.0),
    )  # fmt: skip
    nodes = nodes_of(world, cable)
    supports = con.hinge(world, nodes[0])
    con.fix(world, nodes[ELEMENTS], "x")
    con.prescribe(world, nodes[ELEMENTS], "y", lambda t: p["lift"])
    middle = con.position_marker(world, nodes[ELEMENTS // 2])
    world.add(con.Force, marker=middle, vector=(p["force"], -3.0, 0.0))
    base = con.position_marker(world, world.add(Ground), (p["base"], -4.0))
    world.add(
        con.SpringDamper, marker0=base, marker1=middle, stiffness=p["stiffness"], rest_length=p["rest"],
        damping=p.get("damping", 0.0),
    )  # fmt: skip
    arm = world.add(RigidBody2D, position=(1.0, -6.0), mass=2.0, inertia=0.1)
    con.fix(world, arm, "x", "y")
    tip = con.position_marker(world, arm, (p["arm"], 0.0))
    world.add(con.SpringDamper, marker0=tip, marker1=middle, stiffness=50.0, rest_length=1.0)
    turn = con.coordinate_marker(world, arm, "rotation")
    world.add(con.CoordinateSpringDamper, marker1=turn, stiffness=40.0, offset=0.2)

    def results(state: wl.State) -> dict[str, float]:
        force = wl.eval_output(supports, "force", state)
        return {
            "sag": -float(state.of(nodes[ELEMENTS // 2])[0, 1]),
            "pull": abs(float(np.ravel(force)[0])),
            "turn": float(state.of(arm)[0, 2]),
        }

    return world, results


HANG = {
    "gravity": 9.81, "span": 10.0, "EA": 2e4, "EI": 0.5, "mass": 0.7, "strain": 0.01, "force": 4.0, "base": 5.5,
    "stiffness": 30.0, "rest": 2.0, "arm": 0.5, "lift": 0.4,
}  # fmt: skip


@pytest.fixture(scope="module")
def hanging() -> Any:
    return wl.evaluate(hang, HANG, solve=solve_exactly)


@pytest.fixture(scope="module")
def hanging_by_adjoint() -> Any:
    return wl.evaluate(hang, HANG, solve=solve_exactly, method="adjoint")


def find_differences(model: Any, p: Mapping[str, float], name: str, share: float) -> dict[str, float]:
    """Return fourth-order differences of the results of complete solves with respect to a parameter, with steps of
    ``share`` times its value.
    """
    h, values = share * p[name], {}
    for side in (2.0, 1.0, -1.0, -2.0):
        world, results = model({**p, name: p[name] + side * h})
        values[side] = results(solve_exactly(world))
    return {
        result: (8.0 * (values[1.0][result] - values[-1.0][result]) - (values[2.0][result] - values[-2.0][result]))
        / (12.0 * h)
        for result in values[1.0]
    }


@pytest.mark.parametrize("name", HANG)
def test_derivatives_are_those_of_whole_solves(hanging: Any, hanging_by_adjoint: Any, name: str) -> None:
    """Both the direct and the adjoint method give derivatives that agree with fourth-order differences of exact
    equilibria within 1e-6 of the derivative, or 1e-8 of y/p.
    """
    y, dy = hanging
    slopes = find_differences(hang, HANG, name, 2e-3)
    for result, value in y.items():
        for found in (dy, hanging_by_adjoint[1]):
            assert_allclose(
                found[result][name], slopes[result], rtol=1e-6, atol=1e-8 * abs(value / HANG[name]), err_msg=result
            )


def test_default_solve_and_steps(hanging: Any) -> None:
    """Derivatives are sufficiently accurate with the default settings of `Static`, and with a different step h of the
    differences.
    """
    p = {"EA": HANG["EA"], "span": HANG["span"]}

    def model(given: Mapping[str, float]) -> Any:
        return hang({**HANG, **given})

    y, dy = wl.evaluate(model, p, steps={"EA": 10.0})
    for result in y:
        assert_allclose(y[result], hanging[0][result], rtol=1e-6)
        for name in p:
            assert_allclose(dy[result][name], hanging[1][result][name], rtol=1e-4)


def test_sag_of_a_catenary_by_its_length() -> None:
    """The derivative of the sag of an inextensible catenary with respect to its length agrees with the closed form
    within 0.1 %. The parameter a of the catenary follows from 2a sinh(L/2a) = S, and the sag is a (cosh(L/2a) - 1).
    """
    span, elements = 8.0, 40

    def model(p: Mapping[str, float]) -> Any:
        world = wl.World(gravity=(0.0, -9.81))
        cable = catenary(
            world, (0.0, 0.0), (span, 0.0), elements, axial_stiffness=1e7, bending_stiffness=0.0, mass_per_length=1.0,
            length=p["length"],
        )  # fmt: skip
        nodes = nodes_of(world, cable)
        con.hinge(world, nodes[[0, elements]])
        middle = nodes[elements // 2]
        return world, lambda state: {"sag": -float(wl.eval_output(middle, "position", state)[1])}

    def find_sag(length: float) -> float:
        a = brentq(lambda a: 2.0 * a * sinh(span / (2.0 * a)) - length, 1.0, 1e3, xtol=1e-14)
        return float(a * (sqrt(1.0 + sinh(span / (2.0 * a)) ** 2) - 1.0))

    length = 9.0
    y, dy = wl.evaluate(model, {"length": length})
    assert_allclose(y["sag"], find_sag(length), rtol=1e-3)
    assert_allclose(dy["sag"]["length"], (find_sag(length + 1e-4) - find_sag(length - 1e-4)) / 2e-4, rtol=1e-3)


def test_adjoint_of_many_parameters() -> None:
    """The derivatives with respect to 100 stiffnesses by the adjoint method agree with the direct method. Several
    parameters share the models with changed parameters, so the model is built less than 60 times. Results that depend
    directly on a parameter are also differentiated correctly.
    """
    count, calls = 100, [0]
    p = {f"EA{k}": 2e4 + 10.0 * k for k in range(count)}

    def model(given: Mapping[str, float]) -> Any:
        calls[0] += 1
        world = wl.World(gravity=(0.0, -9.81))
        cable = straight_cable(
            world, (0.0, 0.0), (10.0, 0.3), count, axial_stiffness=[given[name] for name in p], bending_stiffness=0.5,
            mass_per_length=0.7, reference_strain=-0.01,
        )  # fmt: skip
        nodes = nodes_of(world, cable)
        con.hinge(world, nodes[[0, count]])
        place = nodes[40]
        return world, lambda state: {"sag": -float(state.of(place)[0, 1]), "own": given["EA3"] * state.of(place)[0, 0]}

    _, slopes = wl.evaluate(model, p, solve=solve_exactly, method="adjoint")
    assert calls[0] < 60
    names = ("EA3", "EA40", "EA99")
    _, direct = wl.evaluate(lambda given: model({**p, **given}), {name: p[name] for name in names}, solve=solve_exactly)
    for result in slopes:
        largest = max(map(abs, slopes[result].values()))
        for name in names:
            assert_allclose(slopes[result][name], direct[result][name], rtol=1e-6, atol=1e-7 * largest)


def test_adjoint_by_parameters_whose_changes_cancel() -> None:
    """The adjoint finds the derivatives of stiffnesses and of results that depend on the ratio or the difference of two
    parameters. Changes of both parameters by equal fractions of their values would cancel.
    """
    p = {"pull": 64.0, "width": 2.0, "tight": 5.0, "slack": 5.0, "area": 64.0, "length": 2.0}

    def model(given: Mapping[str, float]) -> Any:
        world = wl.World()
        stiffnesses = (given["pull"] / given["width"], 9.0 + given["tight"] - given["slack"], given["area"])
        points = []
        for place, stiffness in enumerate(stiffnesses):
            points.append(world.add(MassPoint, position=(float(place), 0.0), mass=1.0))
            con.fix(world, points[-1], "y")
            marker = con.coordinate_marker(world, points[-1], "x")
            world.add(con.CoordinateSpringDamper, marker1=marker, stiffness=stiffness)
            world.add(con.CoordinateLoad, marker=marker, value=3.0)

        def results(state: wl.State) -> dict[str, float]:
            x = [float(state.of(point)[0, 0]) for point in points]
            return {"first": x[0], "second": x[1], "ratio": given["area"] / given["length"] * x[0]}

        return world, results

    expected = {
        "first": {"pull": -3.0 * 2.0 / 64.0**2, "width": 3.0 / 64.0},
        "second": {"tight": -3.0 / 81.0, "slack": 3.0 / 81.0},
        "ratio": {"pull": -96.0 * 2.0 / 64.0**2, "width": 96.0 / 64.0, "area": 3.0 / 64.0, "length": -1.5},
    }
    _, dy = wl.evaluate(model, p, method="adjoint")
    for result, slopes in expected.items():
        for name in p:
            assert_allclose(dy[result][name], slopes.get(name, 0.0), rtol=1e-8, atol=1e-10, err_msg=f"{result}, {name}")


@pytest.mark.parametrize("method", ["direct", "adjoint"])
def test_first_order_states(method: str) -> None:
    """A mass on a spring k carries a force g z, where z_t = -a z + b x, and a load F: x = F/(k - g b/a), z = b x/a."""
    a, b, g, F, k = 9.0, 4.0, 30.0, 5.0, 50.0

    def model(p: Mapping[str, float]) -> Any:
        world = wl.World()
        point = world.add(MassPoint, position=(0.0, 0.0), mass=1.0)
        con.fix(world, point, "y")
        x = con.coordinate_marker(world, point, "x")
        world.add(con.CoordinateSpringDamper, marker1=x, stiffness=p["k"])
        world.add(con.CoordinateLoad, marker=x, value=F)
        node = world.add(state_node(1))
        world.add(con.GenericODE1, node=node, system_matrix=[[-p["a"]]], input_matrix=[[b]], inputs=x)
        z = con.coordinate_marker(world, node, "y0")
        world.add(con.StateLoad, marker=x, inputs=z, rate_gains=(p["g"],))
        return world, lambda state: {"x": float(state.of(point)[0, 0]), "z": float(state.of(node, "v")[0, 0])}

    y, dy = wl.evaluate(model, {"k": k, "a": a, "g": g}, solve=solve_exactly, method=method)
    rest = k - g * b / a
    x = F / rest
    assert_allclose([y["x"], y["z"]], [x, b * x / a], rtol=1e-9)
    assert_allclose([dy["x"][name] for name in "kag"], x / rest * np.array([-1.0, -g * b / a**2, b / a]), rtol=1e-8)
    assert_allclose(
        [dy["z"][name] for name in "kag"], b / a * np.array([dy["x"][name] for name in "kag"]) - [0, b * x / a**2, 0],
        rtol=1e-8,
    )  # fmt: skip


CONTACTS: WeakKeyDictionary[wl.World, wl.Entity] = WeakKeyDictionary()


def capstan(p: Mapping[str, float]) -> Any:
    """Create a rope over half a turn of a locked circle, with a weight at one end.

    A constraint moves the end without the weight down with 1 m/s. The creep is the difference of the velocities of both
    spans, relative to the velocity of the tight span. In slow steady motion, the number of elements that pass per
    second is equal in both spans. Therefore the ratio of the velocities is equal to the ratio of the stretches 1 +
    T/EA.
    """
    radius, elements = p.get("radius", 0.1), 40
    length = pi * radius / elements
    world = wl.World()
    rope = cable_around(
        world, circles=[Circle((0.0, 0.0), radius, "right")], elements=elements + 6, closed=False,
        start=(-radius, -3.0 * length), end=(radius, -3.0 * length), mass_per_length=1.0,
        axial_stiffness=p.get("EA", 1e6), bending_stiffness=1e-4, name="rope",
    )  # fmt: skip
    ends = nodes_of(world, rope)
    world.add(con.Force, marker=con.position_marker(world, ends[0]), vector=(0.0, -p["weight"], 0.0))
    drawn = con.prescribe(world, ends[len(ends) - 1], "y", lambda t: -t)
    post = world.add(RigidBody2D, position=(0.0, 0.0), mass=1.0, inertia=1.0)
    con.fix(world, post, "x", "y")
    brake = con.fix(world, post, "rotation")
    CONTACTS[world] = con.add_contact(
        world, con.ContactFrictionCircleCable2D, circles=post, cables=rope, segments=2, circle_radius=radius,
        contact_stiffness_per_length=1e8, friction_coefficient=p["mu"], friction_stiffness_per_length=1e8,
    )  # fmt: skip

    def results(state: wl.State) -> dict[str, float]:
        slack, tight = (1.0 + wl.eval_output(rope[k], "axial_strain", state) for k in (0, len(rope) - 1))
        creep = 1.0 - float(np.mean(slack)) / float(np.mean(tight))
        torque = abs(float(np.ravel(wl.eval_output(brake, "force", state))[0]))
        return {"pull": float(wl.eval_output(drawn, "force", state)), "creep": creep, "torque": torque}

    return world, results


def draw(world: wl.World) -> wl.State:
    """Apply the load to the rope without friction, then pull the rope until the whole contact slips."""
    rows = CONTACTS[world]
    mu = float(np.ravel(rows.friction_coefficient)[0])
    settings: dict[str, Any] = {"atol": 1e-8, "passes": wl.Passes(atol=1e-6, max_it=50), "name": ""}
    world.set(rows, friction_coefficient=0.0)
    state = wl.Static(world, load_steps=5, **settings).solve()
    world.set(rows, friction_coefficient=mu)
    solver = wl.Static(world, adaptive=False, **settings)
    for i in range(1, 9):
        solver.time = i * pi * 0.1 / 40 / 4
        state = solver.solve(state)
    return state


@pytest.mark.parametrize("method", ["direct", "adjoint"])
def test_slip_of_a_rope_by_friction_and_weight(method: str) -> None:
    """The derivatives of the tension T = G exp(mu pi) agree with dT/dmu = pi T and dT/dG = exp(mu pi). The derivatives
    of the slip torque M = R (T - G) on the circle agree with dM/dmu = R pi T and dM/dG = R (exp(mu pi) - 1). Slipping
    segments continue to slip.
    """
    y, dy = wl.evaluate(capstan, {"mu": 0.5, "weight": 100.0}, solve=draw, method=method)
    assert_allclose(y["pull"], 100.0 * exp(0.5 * pi), rtol=1e-3)
    assert_allclose(dy["pull"]["mu"], pi * 100.0 * exp(0.5 * pi), rtol=1e-3)
    assert_allclose(dy["pull"]["weight"], exp(0.5 * pi), rtol=1e-3)
    assert_allclose(y["torque"], 0.1 * 100.0 * (exp(0.5 * pi) - 1.0), rtol=1e-3)
    assert_allclose(dy["torque"]["mu"], 0.1 * pi * 100.0 * exp(0.5 * pi), rtol=1e-3)
    assert_allclose(dy["torque"]["weight"], 0.1 * (exp(0.5 * pi) - 1.0), rtol=1e-3)


def test_creep_by_axial_stiffness() -> None:
    """The creep 1 - (1 + G/EA)/(1 + T/EA) of a belt that slips with the tensions G and T = G exp(mu pi), and its
    derivatives with respect to EA, mu and G, agree with the closed form within 0.1 %.
    """
    p = {"mu": 0.5, "weight": 100.0, "EA": 2e5}

    def find_creep(given: Mapping[str, float]) -> float:
        e = given["weight"] / given["EA"]
        return 1.0 - (1.0 + e) / (1.0 + e * exp(given["mu"] * pi))

    y, dy = wl.evaluate(capstan, p, solve=draw)
    assert_allclose(y["creep"], find_creep(p), rtol=1e-3)
    for name, value in p.items():
        ends = [find_creep({**p, name: value * factor}) for factor in (1.0 + 1e-5, 1.0 - 1e-5)]
        assert_allclose(dy["creep"][name], (ends[0] - ends[1]) / (2e-5 * value), rtol=1e-3, err_msg=name)


def string(p: Mapping[str, float], space: bool = False) -> Any:
    """Create a string that is in tension between two supports."""
    rest = (0.0,) if not space else (0.0, 0.0)
    world = wl.World()
    cable = straight_cable(
        world, (0.0, *rest), (2.0, *rest), 16, axial_stiffness=1e7, bending_stiffness=0.0, mass_per_length=p["mass"],
        reference_strain=-p["tension"] / 1e7,
    )  # fmt: skip
    con.hinge(world, nodes_of(world, cable)[[0, 16]])
    return world, lambda state: {"t": state.t}


def test_frequencies_of_a_string_by_its_tension() -> None:
    """For the frequencies f = k/(2L) sqrt(T/m) of a string, the derivatives with respect to T and m agree with f/(2T)
    and -f/(2m) within 0.1 % for three modes k.
    """
    f, df = wl.evaluate_frequencies(string, {"tension": 400.0, "mass": 0.1}, 3)
    exact = np.arange(1, 4) / 4.0 * sqrt(400.0 / 0.1)
    assert_allclose(f, exact, rtol=1e-3)
    assert_allclose(df["tension"], exact / 800.0, rtol=1e-3)
    assert_allclose(df["mass"], -exact / 0.2, rtol=1e-3)


def test_equal_frequencies_part() -> None:
    """For a mass on two equal springs, the derivatives of the two equal frequencies with
    respect to the stiffness k of one spring are f/(2k) and 0.
    """

    def model(p: Mapping[str, float]) -> Any:
        world = wl.World()
        point = world.add(MassPoint, position=(0.0, 0.0), mass=2.0)
        for name in ("x", "y"):
            marker = con.coordinate_marker(world, point, name)
            world.add(con.CoordinateSpringDamper, marker1=marker, stiffness=p["kx"] if name == "x" else 50.0)
        return world, lambda state: {"x": float(state.of(point)[0, 0])}

    f, df = wl.evaluate_frequencies(model, {"kx": 50.0}, 2)
    assert_allclose(f, np.full(2, sqrt(25.0) / (2.0 * pi)), rtol=1e-12)
    assert_allclose(df["kx"], [0.0, f[0] / 100.0], rtol=1e-8, atol=1e-12)


def test_both_planes_of_a_string_in_space_have_equal_derivatives() -> None:
    f, df = wl.evaluate_frequencies(lambda p: string(p, space=True), {"tension": 400.0, "mass": 0.1}, 2)
    assert_allclose(f, np.full(2, 0.25 * sqrt(4000.0)), rtol=1e-3)
    assert_allclose(df["tension"], f / 800.0, rtol=1e-3)


def test_frequencies_about_a_loaded_equilibrium() -> None:
    """The derivatives of frequencies include the change of the equilibrium with p. The derivatives agree within 1e-6
    with differences between complete solves with modal analyses.
    """
    names, count = ("span", "EA", "gravity"), 3

    def model(p: Mapping[str, float]) -> Any:
        return hang({**HANG, **p})

    _, df = wl.evaluate_frequencies(model, {name: HANG[name] for name in names}, count, solve=solve_exactly)
    for name in names:
        ends = []
        for side in (1.0, -1.0):
            world, _ = model({name: HANG[name] * (1.0 + side * 1e-4)})
            modes = wl.Modes(world, count=count, problem="linear").solve(solve_exactly(world))
            ends.append(np.sort(modes.frequencies)[:count])
        slope = (ends[0] - ends[1]) / (2e-4 * HANG[name])
        assert_allclose(df[name], slope, rtol=1e-6, atol=1e-9 / HANG[name])


def test_damping_ratio_of_an_oscillator() -> None:
    """The derivatives of ζ and f with respect to d, k and m agree with the derivatives of the formulas ζ = d/(2 √(k m))
    and f = √(k/m - (d/2m)²)/(2 π).
    """
    m, k, d = 2.0, 50.0, 3.0

    def model(p: Mapping[str, float]) -> Any:
        world = wl.World()
        point = world.add(MassPoint, position=(0.0, 0.0), mass=p["m"])
        con.fix(world, point, "y")
        marker = con.coordinate_marker(world, point, "x")
        world.add(con.CoordinateSpringDamper, marker1=marker, stiffness=p["k"], damping=p["d"])
        return world, lambda state: {"x": 0.0}

    found = wl.evaluate_modes(model, {"m": m, "k": k, "d": d}, 1)
    ratio, pulse = d / (2.0 * sqrt(k * m)), sqrt(k / m - (d / (2.0 * m)) ** 2)
    assert_allclose([found.damping[0], found.frequencies[0]], [ratio, pulse / (2.0 * pi)], rtol=1e-10)
    slopes = {"d": ratio / d, "k": -ratio / (2.0 * k), "m": -ratio / (2.0 * m)}
    bends = {"d": -d / (2.0 * m * m), "k": 1.0 / m, "m": -k / m**2 + d * d / (2.0 * m**3)}
    for name in "dkm":
        assert_allclose(found.damping_slopes[name], slopes[name], rtol=1e-8)
        assert_allclose(found.frequency_slopes[name], bends[name] / (4.0 * pi * pulse), rtol=1e-8)
    with pytest.raises(wl.ModelError, match="has an infinite derivative, because two modes become equal"):
        wl.evaluate_modes(model, {"m": 2.0, "k": 50.0, "d": 20.0}, 2)


def test_equal_damped_modes_part() -> None:
    """A mass has equal springs and dampers in x and y. If the damper in x changes, the derivatives of the two equal
    damping ratios are ζ/d and 0. If both dampers change, both derivatives are ζ/d.
    """

    def model(p: Mapping[str, float]) -> Any:
        world = wl.World()
        point = world.add(MassPoint, position=(0.0, 0.0), mass=2.0)
        x, y = (con.coordinate_marker(world, point, name) for name in "xy")
        world.add(con.CoordinateSpringDamper, marker1=x, stiffness=50.0, damping=p["dx"] + p["both"])
        world.add(con.CoordinateSpringDamper, marker1=y, stiffness=50.0, damping=2.0 + p["both"])
        return world, lambda state: {"x": 0.0}

    found = wl.evaluate_modes(model, {"dx": 2.0, "both": 1.0}, 2)
    ratio = 3.0 / (2.0 * sqrt(50.0 * 2.0))
    assert_allclose(found.damping, ratio, rtol=1e-9)
    assert_allclose(np.sort(found.damping_slopes["dx"]), [0.0, ratio / 3.0], rtol=1e-7, atol=1e-10)
    assert_allclose(found.damping_slopes["both"], ratio / 3.0, rtol=1e-7)
    assert_allclose(found.eigenvalues[0], -0.75 + 1j * sqrt(25.0 - 0.75**2), rtol=1e-9)


@pytest.mark.parametrize("apart", [1e-6, 4e-6, 2e-5, -2e-5, 1e-2])
def test_close_damped_modes(apart: float) -> None:
    """The derivatives of two modes with nearly equal eigenvalues are computed separately."""

    def model(p: Mapping[str, float]) -> Any:
        world = wl.World()
        point = world.add(MassPoint, position=(0.0, 0.0), mass=2.0)
        x, y = (con.coordinate_marker(world, point, name) for name in "xy")
        world.add(con.CoordinateSpringDamper, marker1=x, stiffness=50.0, damping=p["dx"])
        world.add(con.CoordinateSpringDamper, marker1=y, stiffness=50.0 * (1.0 + apart), damping=2.0)
        return world, lambda state: {"x": 0.0}

    found = wl.evaluate_modes(model, {"dx": 2.0}, 2)
    own = 1.0 / (2.0 * sqrt(50.0 * 2.0))
    assert_allclose(found.damping_slopes["dx"], [own, 0.0] if apart > 0.0 else [0.0, own], rtol=1e-6, atol=1e-7)


def test_damped_modes_about_a_loaded_equilibrium() -> None:
    """Derivatives of frequencies and damping ratios include the change of the equilibrium. The derivatives agree within
    1e-6 with differences between complete solves with modal analyses.

    The rounding errors of damping ratios are about 3e-11 of the largest damping ratio. Differences with the steps h and
    2 h are extrapolated, so h can be so large that rounding errors have little influence.
    """
    p = {**HANG, "axial_damping": 20.0, "damping": 2.0}
    names = ("span", "EA", "axial_damping", "damping")

    def model(given: Mapping[str, float]) -> Any:
        return hang({**p, **given})

    found = wl.evaluate_modes(model, {name: p[name] for name in names}, 4, solve=solve_exactly)
    assert found.damping.max() > 1e-3
    h = 5e-4
    for name in names:
        ends = {}
        for side in (2.0, 1.0, -1.0, -2.0):
            world, _ = model({name: p[name] * (1.0 + side * h)})
            modes = wl.Modes(world, count=6, problem="quadratic").solve(solve_exactly(world))
            order = np.argsort(np.abs(modes.eigenvalues))[:4]
            ends[side] = np.array((modes.frequencies[order], modes.damping[order]))
        differences = (8.0 * (ends[1.0] - ends[-1.0]) - (ends[2.0] - ends[-2.0])) / (12.0 * h * p[name])
        for k, slopes in enumerate((found.frequency_slopes, found.damping_slopes)):
            slope = differences[k]
            largest = np.abs((found.frequencies, found.damping)[k]).max() / p[name]
            assert_allclose(slopes[name], slope, rtol=1e-6, atol=1e-7 * largest)


def test_damped_modes_with_first_order_states() -> None:
    """The eigenvalues of a mass with a first-order controller, whose matrices are not symmetric, are the roots of a
    cubic polynomial.
    """
    m, a, b, g, k, d = 1.0, 3.0, 4.0, 5.0, 50.0, 2.0

    def model(p: Mapping[str, float]) -> Any:
        world = wl.World()
        point = world.add(MassPoint, position=(0.0, 0.0), mass=m)
        con.fix(world, point, "y")
        x = con.coordinate_marker(world, point, "x")
        world.add(con.CoordinateSpringDamper, marker1=x, stiffness=k, damping=d)
        node = world.add(state_node(1))
        world.add(con.GenericODE1, node=node, system_matrix=[[-p["a"]]], input_matrix=[[b]], inputs=x)
        world.add(con.StateLoad, marker=x, inputs=con.coordinate_marker(world, node, "y0"), rate_gains=(p["g"],))
        return world, lambda state: {"x": 0.0}

    def find_roots(a: float, g: float) -> Any:
        roots = np.roots([m, d + m * a, k + d * a, k * a - g * b])
        return sorted((root for root in roots if root.imag >= 0.0), key=abs)

    found = wl.evaluate_modes(model, {"a": a, "g": g}, 2, solve=solve_exactly)
    assert_allclose(found.eigenvalues, find_roots(a, g), rtol=1e-8)
    h = 1e-4
    slopes = {
        "a": np.subtract(find_roots(a + h, g), find_roots(a - h, g)) / (2.0 * h),
        "g": np.subtract(find_roots(a, g + h), find_roots(a, g - h)) / (2.0 * h),
    }
    for name, slope in slopes.items():
        assert_allclose(found.eigenvalue_slopes[name], slope, rtol=1e-6)


def lift_rope(p: Mapping[str, float], law: Any, friction: float) -> Any:
    """Create a rope under gravity between two supports, which a circle lifts."""
    world = wl.World(gravity=(0.0, -9.81))
    rope = straight_cable(
        world, (-1.0, 0.0), (1.0, 0.0), 24, axial_stiffness=1e4, bending_stiffness=0.5, mass_per_length=0.3,
        reference_strain=-p["strain"],
    )  # fmt: skip
    nodes = nodes_of(world, rope)
    supports = con.hinge(world, nodes[[0, 24]])
    body = world.add(RigidBody2D, position=(0.03, p["place"]), mass=1.0, inertia=0.1)
    con.fix(world, body, "x", "y", "rotation")
    rubs = {"friction_coefficient": friction, "friction_stiffness_per_length": 1e6} if friction else {}
    con.add_contact(
        world, law, circles=body, cables=rope, segments=4, circle_radius=p["radius"],
        contact_stiffness_per_length=p["stiffness"], **rubs,
    )  # fmt: skip

    def results(state: wl.State) -> dict[str, float]:
        return {
            "y": float(state.of(nodes[8])[0, 1]),
            "pull": abs(float(np.ravel(wl.eval_output(supports, "force", state))[0])),
        }

    return world, results


@pytest.mark.parametrize(
    ("law", "friction"),
    [
        (con.ContactCircleCable2D, 0.0),
        (con.ContactFrictionCircleCable2D, 0.5),
        (con.ContactFrictionCirclePoints2D, 0.0),
        (con.ContactFrictionCirclePoints2D, 0.5),
        (con.ContactFrictionCirclePoints2D, 0.02),
    ],
)
def test_geometry_of_a_circle(law: Any, friction: float) -> None:
    """Derivatives with respect to the radius and the place of a circle, the strain of a rope and the contact stiffness
    agree with fourth-order differences of complete solves to 1e-6 of the derivative or 1e-8 of y/p. The rope slides
    without friction, sticks (0.5), or slips (0.02) on the circle.
    """
    p = {"radius": 0.2, "place": -0.17, "strain": 0.003, "stiffness": 1e6}

    def model(given: Mapping[str, float]) -> Any:
        return lift_rope(given, law, friction)

    y, dy = wl.evaluate(model, p, solve=solve_exactly)
    _, adjoint = wl.evaluate(model, p, solve=solve_exactly, method="adjoint")
    for name, value in p.items():
        slopes = find_differences(model, p, name, 2e-5)
        for result in y:
            for found in (dy, adjoint):
                atol = 1e-8 * abs(y[result] / value)
                assert_allclose(found[result][name], slopes[result], rtol=1e-6, atol=atol, err_msg=f"{result}, {name}")


def test_small_results_that_depend_on_history() -> None:
    """The adjoint includes changes of history values in a result that is much smaller than the other results."""
    p = {"radius": 0.2, "place": -0.17, "strain": 0.003, "stiffness": 1e6}

    def model(given: Mapping[str, float]) -> Any:
        world, results = lift_rope(given, con.ContactFrictionCirclePoints2D, 0.0)

        def read(state: wl.State) -> dict[str, float]:
            return {**results(state), "history": 1e-12 * float(state.data @ np.arange(len(state.data)))}

        return world, read

    _, dy = wl.evaluate(model, p, solve=solve_exactly)
    _, adjoint = wl.evaluate(model, p, solve=solve_exactly, method="adjoint")
    for name in p:
        assert dy["history"][name] != 0.0
        assert_allclose(adjoint["history"][name], dy["history"][name], rtol=1e-6, err_msg=name)


@pytest.mark.parametrize(("friction", "searches"), [(0.0, False), (0.5, False), (0.02, False), (0.5, True)])
def test_geometry_of_a_drum(friction: float, searches: bool) -> None:
    """Derivatives with respect to the radius and the place of a drum under a 3D rope agree with fourth-order
    differences of complete solves to 1e-6. The rope slides without friction, sticks (0.5) or slips (0.02). The contact
    with a search finds the drum near the rope.
    """
    p = {"radius": 0.2, "place": -0.17}

    def model(given: Mapping[str, float]) -> Any:
        world = wl.World(gravity=(0.0, 0.0, -9.81))
        rope = straight_cable(
            world, (-1.0, 0.0, 0.0), (1.0, 0.0, 0.0), 24, axial_stiffness=1e4, bending_stiffness=0.5,
            mass_per_length=0.3, reference_strain=-0.003,
        )  # fmt: skip
        nodes = nodes_of(world, rope)
        con.hinge(world, nodes[[0, 24]])
        centre = con.rigid_marker(world, world.add(Ground), (0.03, 0.0, given["place"]))
        drum = world.add(con.DrumSurface, marker=centre, radius=given["radius"], axis=(0.0, 1.0, 0.0))
        rubs = {"friction_stiffness_per_length": 1e6} if friction else {}
        con.add_surface_contact(
            world, drum, rope, points=4, touching=1 if searches else None, contact_stiffness_per_length=1e6,
            contact_damping_per_length=0.0, friction_coefficient=friction, **rubs,
        )  # fmt: skip
        return world, lambda state: {"z": float(state.of(nodes[8])[0, 2])}

    _, dy = wl.evaluate(model, p, solve=solve_exactly)
    for name in p:
        slope = find_differences(model, p, name, 2e-5)["z"]
        assert_allclose(dy["z"][name], slope, rtol=1e-6, err_msg=name)


def belt(p: Mapping[str, float], elements: int = 60) -> Any:
    """Create a belt on two pulleys at rest, one of which is on a spring."""
    world = wl.World()
    bodies = [world.add(RigidBody2D, position=(x, 0.0), mass=2.0, inertia=0.01) for x in (0.0, 0.4)]
    con.fix(world, bodies, "x", "y")
    con.fix(world, bodies[0], "rotation")
    turn = con.coordinate_marker(world, bodies[1], "rotation")
    world.add(con.CoordinateSpringDamper, marker1=turn, stiffness=500.0)
    world.add(con.CoordinateLoad, marker=turn, value=p["torque"])
    wl.Belt(
        world, [wl.Pulley(bodies[0], 0.08, name="a"), wl.Pulley(bodies[1], p["radius"], name="b")],
        tension=p["tension"], axial_stiffness=4e4, bending_stiffness=1e-3, mass_per_length=0.1, friction=5.0,
        elements=elements,
    )  # fmt: skip
    return world, lambda state: {"turn": float(state.of(bodies[1])[0, 2])}


def test_a_belt_that_sticks() -> None:
    """Derivatives of the rotation of a pulley on which a belt sticks agree with differences of complete solves to 1e-6.

    A static solve accepts changes of the contact pressure of 2e-5. Before the derivatives are computed, iterations
    reduce this error. The differences use the equilibria after these iterations, which deviate from the results of the
    static solves by at most 1e-5. The steps of the differences are so small that no contact changes its state.
    """
    p = {"torque": 2.0, "radius": 0.1, "tension": 400.0}
    y, dy = wl.evaluate(belt, p, solve=solve_exactly)
    world, results = belt(p)
    assert_allclose(y["turn"], results(solve_exactly(world))["turn"], rtol=1e-5)

    def settle(given: Mapping[str, float]) -> float:
        found = solve_equilibrium(belt, given, solve_exactly, None)
        return float(found.results(found.state)["turn"])

    for name, value in p.items():
        h = 1e-5 * value
        near, far = (settle({**p, name: value + k * h}) - settle({**p, name: value - k * h}) for k in (1.0, 2.0))
        atol = 1e-8 * abs(y["turn"] / value)
        assert_allclose(dy["turn"][name], (8.0 * near - far) / (12.0 * h), rtol=1e-6, atol=atol, err_msg=name)
    _, adjoint = wl.evaluate(belt, p, solve=solve_exactly, method="adjoint")
    assert adjoint == dy


def settle(model: Any, p: Mapping[str, float]) -> float:
    """Return the rotation of a pulley at an equilibrium whose contact pressures have settled."""
    found = solve_equilibrium(model, p, solve_exactly, None)
    return float(found.results(found.state)["turn"])


@pytest.mark.parametrize(
    ("elements", "torque", "name"),
    [(24, 2.0, "torque"), (20, 2.0, "radius"), (20, 2.0, "tension"), (20, 8.0, "torque"), (16, 2.0, "radius")],
)
def test_slow_convergence_of_history_values(elements: int, torque: float, name: str) -> None:
    """In coarse meshes of a belt, the changes of history values, and of the derivatives, decrease by factors of 0.4 to
    0.95 in each iteration without acceleration. The derivatives of the rotation of a pulley nevertheless agree with
    differences to 1e-6, or to 1e-8 of y/p.
    """
    p = {"torque": torque, "radius": 0.1, "tension": 400.0}

    def coarse(given: Mapping[str, float]) -> Any:
        return belt({**p, **given}, elements=elements)

    y, dy = wl.evaluate(coarse, {name: p[name]}, solve=solve_exactly)
    h = 1e-5 * p[name]
    near, far = (settle(coarse, {name: p[name] + k * h}) - settle(coarse, {name: p[name] - k * h}) for k in (1.0, 2.0))
    atol = 1e-8 * abs(y["turn"] / p[name])
    assert_allclose(dy["turn"][name], (8.0 * near - far) / (12.0 * h), rtol=1e-6, atol=atol)


def test_parameter_with_a_small_effect() -> None:
    """Rounding errors of differences are not treated as a kink: smaller steps would increase these errors. The bending
    stiffness of the rope has little effect on its sag.
    """

    def model(p: Mapping[str, float]) -> Any:
        world = wl.World(gravity=(0.0, -9.81))
        rope = straight_cable(
            world, (0.0, 0.0), (10.0, 0.0), 8, mass_per_length=1.0, axial_stiffness=1e6, bending_stiffness=p["EI"],
            reference_strain=-1e-3,
        )  # fmt: skip
        nodes = nodes_of(world, rope)
        for k in (0, 8):
            con.fix(world, nodes[k], "x", "y")
        return world, lambda state: {"sag": float(state.of(nodes, "q")[4, 1])}

    slopes = [wl.evaluate(model, {"EI": 1e-3}, steps=steps)[1]["sag"]["EI"] for steps in ({}, {"EI": 1e-4})]
    assert_allclose(slopes[0], slopes[1], rtol=2e-3)


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_contact_states_that_change_within_the_step(
    side: float, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A contact point of a belt closes at a radius R of a pulley, at which the derivative of the rotation changes from
    -0.0005 to -0.14 rad/m. At a distance of 1e-8 R, the derivative equals the derivative at a distance of 3e-6 R on the
    same side, and a note names the contact. At a distance of 1e-6 R, the point closes only within the first step of the
    differences.
    """
    monkeypatch.setattr("windlass.framework.command_line.notes._said", set())
    closes = 0.10334742128554

    def drive(given: Mapping[str, float]) -> Any:
        return belt({"torque": 2.0, "tension": 400.0, **given}, elements=40)

    def evaluate(distance: float) -> float:
        p = {"radius": closes * (1.0 + side * distance)}
        return wl.evaluate(drive, p, solve=solve_exactly)[1]["turn"]["radius"]

    far, near = evaluate(3e-6), evaluate(1e-6)
    assert "note on derivatives" not in capsys.readouterr().err
    at = evaluate(1e-8)
    words = "note on derivatives: ContactFrictionCirclePoints2D 51 changes its contact states if 'radius' changes by 6"
    said = capsys.readouterr().err
    assert words in said and f"derivatives are those if 'radius' {'increases' if side > 0.0 else 'decreases'}" in said
    assert_allclose(far, -0.1415 if side > 0.0 else -0.00055, rtol=0.02)
    assert_allclose([near, at], far, atol=2e-5)


def test_contact_that_begins_at_the_equilibrium(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A mass on a spring of 100 N/m just touches a stop of 1000 N/m. The forward and the backward difference differ by
    10/11 of the larger difference. A note states this ratio and names the stop.
    """
    monkeypatch.setattr("windlass.framework.command_line.notes._said", set())

    def model(p: Mapping[str, float]) -> Any:
        world = wl.World()
        mass = world.add(MassPoint, position=(0.0, 0.0), mass=1.0)
        con.fix(world, mass, "y")
        x = con.coordinate_marker(world, mass, "x")
        world.add(con.CoordinateSpringDamper, marker1=x, stiffness=100.0)
        world.add(con.CoordinateLoad, marker=x, value=-p["load"])
        world.add(con.ContactCoordinate, marker1=x, contact_stiffness=1e3, offset=-0.02)
        return world, lambda state: {"x": float(state.of(mass)[0, 0])}

    for load, slope in ((1.9, -1 / 100), (2.1, -1 / 1100)):
        _, dy = wl.evaluate(model, {"load": load}, solve=solve_exactly)
        assert_allclose(dy["x"]["load"], slope, rtol=1e-8)
    assert "note on" not in capsys.readouterr().err
    wl.evaluate(model, {"load": 2.0}, solve=solve_exactly)
    said = capsys.readouterr().err
    assert "ContactCoordinate 0 changes its contact states if 'load' changes by" in said
    assert "forward and backward differences with respect to 'load' differ by" in said


def test_history_values_that_are_constant(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """If contacts have slipped in several solves, a note names these contacts."""
    monkeypatch.setattr("windlass.framework.command_line.notes._said", set())
    wl.evaluate(capstan, {"mu": 0.5, "weight": 100.0}, solve=draw)
    said = capsys.readouterr().err
    assert "note on derivatives: history values of ContactFrictionCircleCable2D" in said
    assert "earlier load steps or solves" in said


def test_radius_of_a_circle_on_which_a_rope_was_drawn() -> None:
    """If contacts have slipped in several solves, derivatives with respect to a radius are refused."""
    with pytest.raises(wl.ModelError, match="history values of contacts at the start depend on 'radius'"):
        wl.evaluate(capstan, {"mu": 0.5, "weight": 100.0, "radius": 0.1}, solve=draw)


SPRING = {"k": 10.0}


def spring(p: Mapping[str, float]) -> Any:
    world = wl.World()
    point = world.add(MassPoint, position=(0.0, 0.0), mass=1.0)
    con.fix(world, point, "y")
    marker = con.coordinate_marker(world, point, "x")
    world.add(con.CoordinateSpringDamper, marker1=marker, stiffness=p["k"])
    world.add(con.CoordinateLoad, marker=marker, value=2.0)
    return world, lambda state: {"x": float(state.of(point)[0, 0])}


def test_a_spring() -> None:
    """For x = F/k, the derivative is dx/dk = -F/k²."""
    y, dy = wl.evaluate(spring, SPRING)
    assert_allclose([y["x"], dy["x"]["k"]], [0.2, -0.02], rtol=1e-9)


def add_another(p: Mapping[str, float]) -> Any:
    world, results = spring(p)
    if p["k"] > 10.0:
        world.add(MassPoint, position=(1.0, 1.0), mass=1.0)
    return world, results


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: wl.evaluate(spring, {}), "p = {}: must have at least one parameter"),
        (lambda: wl.evaluate(spring, {"k": np.nan}), "'k'] = nan: must be a finite number"),
        (lambda: wl.evaluate(spring, {"k": "ten"}), "'k'] = 'ten': must be a finite number"),
        (lambda: wl.evaluate(spring, {"k": 1.0, "l": 0.0}), "'l'] = 0.0: a parameter with the value 0 must have"),
        (lambda: wl.evaluate(spring, SPRING, steps={"k": -1.0}), "'k'] = -1.0: must be > 0"),
        (lambda: wl.evaluate(spring, SPRING, steps={"j": 1.0}), "steps has 'j': must be one of the parameters k"),
        (lambda: wl.evaluate(lambda p: spring(p)[0], SPRING), "must be a World and a function"),
        (lambda: wl.evaluate(lambda p: (spring(p)[0], lambda s: 1.0), SPRING), "results returned 1.0: must be a dict"),
        (lambda: wl.evaluate(lambda p: (spring(p)[0], lambda s: {"x": s.q}), SPRING), "'x' = .*: must be one finite"),
        (lambda: wl.evaluate(add_another, SPRING), "rows of Point2D changes with 'k' from 1 to 2"),
        (lambda: wl.evaluate(spring, SPRING, solve=lambda w: 1), "solve returned int: must be the State"),
        (lambda: wl.evaluate(spring, SPRING, solve=wl.State), "the largest unbalanced force is 2 N .* force is 2"),
        (lambda: wl.evaluate(spring, [1.0]), "p = .* in evaluate: must be a dict of names and numbers"),
        (lambda: wl.evaluate(spring, SPRING, method="both"), "method = 'both' in evaluate: must be one of direct, adj"),
        (lambda: wl.evaluate(add_another, SPRING, method="adjoint"), "rows of Point2D changes with 'k' from 1 to 2"),
        (lambda: wl.evaluate_frequencies(spring, SPRING, 0), "count = 0 in evaluate_frequencies"),
    ],
)  # fmt: skip
def test_errors(call: Any, words: str) -> None:
    escaped = words.replace("[", r"\[").replace("]", r"\]").replace("{}", r"\{\}").replace("(", r"\(")
    with pytest.raises(wl.ModelError, match=escaped):
        call()


def test_results_are_evaluated_together() -> None:
    """The adjoint method calls the function of results equally often for one result and for four results, and the
    derivatives are equal.
    """
    calls = dict.fromkeys((1, 4), 0)
    found = {}
    for count in calls:

        def model(values: Mapping[str, float], count: int = count) -> Any:
            world, results = hang(values)

            def read(state: wl.State) -> dict[str, float]:
                calls[count] += 1
                first = next(iter(results(state).items()))[1]
                return {f"y{k}": (1.0 + k) * first for k in range(count)}

            return world, read

        found[count] = wl.evaluate(model, HANG, solve=solve_exactly, method="adjoint")[1]
    assert calls[1] == calls[4]
    for name, slope in found[1]["y0"].items():
        assert_allclose([found[4][f"y{k}"][name] for k in range(4)], slope * np.arange(1, 5), rtol=1e-9)
