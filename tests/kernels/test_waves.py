"""Tests of waves and gusts of fluids: components of irregular seas, stretching, waves of finite height, waves on
currents, and wind.

Sources: J. D. Fenton, A fifth-order Stokes theory for steady waves, J. Waterway Port Coastal Ocean Eng. 111 (1985)
216-234, for the speed of Stokes waves; M. S. Longuet-Higgins, Integral properties of periodic gravity waves of finite
amplitude, Proc. R. Soc. A 342 (1975) 157-174, for 2 T = c I; NORSOK N-003 and API RP 2A for the spectra of wind.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import quad, trapezoid
from scipy.optimize import brentq

import windlass as wl
from windlass import connectors as con
from windlass.elements import Cable2D, Cable3D, PointSlope2D, PointSlope3D, RigidBody3D, nodes_of, straight_cable
from windlass.framework.model.table import Entity

CABLE = {"mass_per_length": 2.0, "axial_stiffness": 10.0, "bending_stiffness": 0.1}
RHO, G = 1025.0, 9.81
DIMS = [2, 3]


NUMBERS = "surface_height", "immersion"


class Probes:
    """Short cables at given positions. The outputs of their loads contain the flow at these positions."""

    def __init__(self, places: Any, **fluid: Any) -> None:
        places = np.atleast_2d(np.asarray(places, float))
        self.world = wl.World(gravity=(0.0, 0.0, -G))
        self.fluid = self.world.add(con.Fluid, **{"density": RHO, **fluid})
        cables = [straight_cable(self.world, p, p + (1e-3, 0.0, 0.0), 1, **CABLE) for p in places]
        self.loads = self.world.add(con.FluidLoad, cable=cables, fluid=self.fluid, diameter=0.1)

    def find(self, name: str, t: float = 0.0) -> Any:
        """Return an output variable at all positions at a time [s]."""
        state = wl.State(self.world)
        state.t = t
        found = wl.eval_output(self.loads, name, state, x=0.0)
        return np.reshape(found, (len(self.loads), -1)).squeeze(axis=1 if name in NUMBERS else ())


def test_components_of_equal_frequency_steps() -> None:
    """For a sea whose components have equal frequency steps, the spectrum agrees with the formula, the significant wave
    height is Hs, and the envelope is periodic.
    """
    Hs, Tp, count = 4.0, 10.0, 200
    sea = con.jonswap(Hs, Tp, seed=2, count=count, components="equal frequency")
    A, omega = sea["wave_amplitudes"], sea["wave_frequencies"]
    step = omega[1] - omega[0]
    assert_allclose(np.diff(omega), step, rtol=1e-10)
    assert_allclose(4.0 * np.sqrt(0.5 * (A**2).sum()), Hs, rtol=1e-12)
    peak, x = 2 * np.pi / Tp, omega * Tp / (2 * np.pi)
    sigma = np.where(x <= 1.0, 0.07, 0.09)
    shape = x**-5.0 * np.exp(-1.25 * x**-4.0) * 3.3 ** np.exp(-0.5 * ((x - 1.0) / sigma) ** 2)
    # the spectrum by DNV-RP-C205 is (1 - 0.287 ln γ) 5/16 Hs² ω_p⁴ ω⁻⁵ times the shape
    S = (1.0 - 0.287 * np.log(3.3)) * 5.0 / 16.0 * Hs**2 / peak * shape
    near = (x > 0.7) & (x < 3.0)
    assert_allclose((0.5 * A**2 / step)[near], S[near], rtol=0.03)
    period = 2 * np.pi / step
    first = (A * np.exp(1j * (sea["wave_phases"] - omega * 3.0))).sum()
    later = (A * np.exp(1j * (sea["wave_phases"] - omega * (3.0 + period)))).sum()
    assert_allclose(abs(first), abs(later), rtol=1e-9)


@pytest.mark.parametrize("components", ["equal energy", "equal frequency"])
def test_spreading(components: str) -> None:
    """The first two moments of the directions equal the moments s/(s + 1) and s (s - 1)/((s + 1)(s + 2)) of the
    distribution cos^2s(θ/2). The seed changes only the order of the directions.
    """
    s, main = 6.0, 0.7
    given = {"count": 2000, "spreading": s, "direction": main, "components": components}
    sea, other = con.jonswap(3.0, 9.0, seed=1, **given), con.jonswap(3.0, 9.0, seed=2, **given)
    theta, energy = sea["wave_directions"] - main, sea["wave_amplitudes"] ** 2
    for n, exact in ((1, s / (s + 1)), (2, s * (s - 1) / ((s + 1) * (s + 2)))):
        assert_allclose(
            (energy * np.cos(n * theta)).sum() / energy.sum(),
            exact,
            rtol=2e-3 if components == "equal energy" else 0.06,
        )
    assert abs((energy * np.sin(theta)).sum() / energy.sum()) < 0.02
    assert_array_equal(np.sort(other["wave_directions"]), np.sort(sea["wave_directions"]))
    assert (other["wave_directions"] != sea["wave_directions"]).any()
    again, long = con.jonswap(3.0, 9.0, seed=1, **given), con.jonswap(3.0, 9.0, seed=1, **{**given, "spreading": None})
    assert_array_equal(again["wave_directions"], sea["wave_directions"])
    assert_array_equal(long["wave_phases"], sea["wave_phases"])


def test_stretching() -> None:
    """Velocities and accelerations near the surface agree with Airy's formulas at stretched heights."""
    depth, A, omega, t, x = 15.0, 1.5, 1.1, 0.4, 0.9
    k = float(con.wave_number(omega, depth))
    psi = k * x - omega * t
    eta = A * np.cos(psi)
    assert eta > 1.0
    heights = np.array([-depth - 1.0, -6.0, -0.5, 0.4, eta - 1e-9, eta + 0.5])

    def airy(y: Any) -> Any:
        C, S = np.cosh(k * (y + depth)) / np.sinh(k * depth), np.sinh(k * (y + depth)) / np.sinh(k * depth)
        return A * omega * np.stack((C * np.cos(psi), S * np.sin(psi)), axis=-1)

    below = np.clip(heights, -depth, eta)
    level = np.minimum(below, 0.0)
    slope = (airy(level + 1e-6) - airy(level - 1e-6)) / 2e-6
    exact = {
        "vertical": airy(level),
        "wheeler": airy(np.maximum((below - eta) * depth / (depth + eta), -depth)),
        "linear": airy(level) + slope * np.maximum(below, 0.0)[:, None],
        "none": airy(below),
    }
    exact["wheeler"][0] = airy(-depth)
    waves = con.regular_wave(2.0 * A, 2.0 * np.pi / omega)
    for name, values in exact.items():
        probes = Probes([(x, 0.0, z) for z in heights], depth=depth, stretching=name, **waves)
        found, accelerations = (probes.find(f"fluid_{what}", t) for what in ("velocity", "acceleration"))
        assert_allclose(found[:, [0, 2]], values, rtol=1e-8, atol=1e-12)
        assert_allclose(accelerations[:, 0], omega * np.tan(psi) * found[:, 0], rtol=1e-12)


def build(dims: int) -> tuple[wl.World, Entity]:
    """Create two bent cables that cross the water surface."""
    world = wl.World(gravity=(0.0, -G, 0.0) if dims == 2 else (0.0, 0.0, -G))
    point, cable = (PointSlope2D, Cable2D) if dims == 2 else (PointSlope3D, Cable3D)
    position = np.array([[0.0, 0.0, 0.0], [0.6, 0.2, -0.3], [1.0, 0.5, 0.1]])
    slope = np.array([[1.0, 0.2, 0.1], [0.9, 0.5, -0.2], [0.7, 0.7, 0.2]])
    nodes = world.add(point, position=position[:, :dims], slope=slope[:, :dims])
    return world, world.add(cable, node0=nodes[:-1], node1=nodes[1:], length=0.6, **CABLE)


def create_flows(dims: int) -> list[dict[str, Any]]:
    """Return the columns of several fluids: with each method of stretching, a current, ramps, and gusts."""
    across = float(dims == 3)
    sea = con.jonswap(0.8, 2.0, seed=3, count=4, direction=0.4 * across, spreading=4.0 * across or None)
    fluids: list[dict[str, Any]] = [
        {"depth": 4.0, "stretching": name, "transition": 1.5, "wave_growth": 0.5 + k, **sea}
        for k, name in enumerate(("wheeler", "linear", "none"))
    ]
    fluids[0] |= {"wave_current": True, "velocity": (0.3, 0.2 * across, 0.0), "profile": "power"}
    lower = sea | {"wave_amplitudes": 0.5 * sea["wave_amplitudes"]}
    fluids.append({"transition": 1.5, **con.second_order_waves(lower, 4.0)})
    fluids.append({"transition": 1.5, **con.stream_function_wave(0.5, 2.0, 3.0, current=-0.1, count=8)})
    wind = con.api_wind(20.0, seed=2, direction=0.3 * across, count=4)
    fluids.append({"fills": "above", "surface": -1.0, "density": 1.2, "wave_growth": 2.0, **wind})
    return fluids


@pytest.mark.parametrize("dims", DIMS)
def test_tangents_are_exact(dims: int) -> None:
    """Tangents of loads on cables agree with central differences in waves with each method of stretching, on a current,
    in gusts, and with vortex-induced vibration.
    """
    for k, columns in enumerate(create_flows(dims)):
        world, cables = build(dims)
        fluid = world.add(con.Fluid, **{"density": RHO, **columns})
        vibration = {"vibration_frequency": 4.0, "vibration_amplitude": (1.2, 0.4)} if k < 2 else {}
        world.add(con.FluidLoad, cable=cables, fluid=fluid, diameter=0.1, axial_drag=0.3, **vibration)
        state = wl.State(world)
        state.t = 0.7
        wl.testing.check_tangent(world, state, states=3)


def test_tangents_on_bodies_are_exact() -> None:
    """Tangents of loads on bodies in all fluids of `create_flows` agree with central differences."""
    world = wl.World(gravity=(0.0, 0.0, -G))
    body = world.add(RigidBody3D, position=(0.1, 0.2, -0.3), mass=100.0, inertia=(5.0, 5.0, 5.0))
    for columns in create_flows(3):
        fluid = world.add(con.Fluid, **{"density": RHO, **columns})
        world.add(con.CylinderFluidLoad, marker=body, fluid=fluid, diameter=0.4, length=1.2, strips=3)
    state = wl.State(world)
    state.t = 0.7
    wl.testing.check_tangent(world, state)


WAVES = [(8.0, 10.0, 30.0, 0.0, 24), (5.0, 9.0, 15.0, 1.0, 32), (5.0, 9.0, 15.0, -1.0, 32), (9.0, 8.0, 1e4, 0.0, 32)]


@pytest.mark.parametrize(("H", "T", "depth", "current", "count"), WAVES)
def test_surface_conditions_of_a_stream_function_wave(
    H: float, T: float, depth: float, current: float, count: int
) -> None:
    """At points of the surface between the points of the solution, the flow satisfies Bernoulli's equation and the
    kinematic condition within 1e-6. The wave height is H, and the mean elevation is 0. Without current, the impulse I
    and the kinetic energy T of a wave length satisfy 2 T = c I.
    """
    waves = con.stream_function_wave(H, T, depth, current=current, count=count)
    k = waves["wave_numbers"][0]
    c, x = 2 * np.pi / T / k, np.linspace(0.0, np.pi, 41) / k
    eta = Probes([(s, 0.0, 0.0) for s in x], **waves).find("surface_height")
    assert_allclose(eta[0] - eta[-1], H, rtol=1e-9)
    u = Probes(np.column_stack((x, 0.0 * x, eta)), **waves).find("fluid_velocity")
    h = 1e-5 / k
    steep = Probes([(s + sign * h, 0.0, 0.0) for s in x for sign in (1, -1)], **waves).find("surface_height")
    slope = (steep[::2] - steep[1::2]) / (2.0 * h)
    assert np.abs(u[:, 2] - (u[:, 0] - c) * slope).max() < 1e-6 * c
    head = 0.5 * ((u[:, 0] - c) ** 2 + u[:, 2] ** 2) + G * eta
    assert np.ptp(head) < 1e-6 * G * H
    # the trapezoidal rule is exact for the mean of the harmonics
    assert abs(trapezoid(eta, x)) < 1e-9 * H / k
    if current == 0.0:
        y, w = np.polynomial.legendre.leggauss(40)
        lowest = max(-depth, -20.0 / k)
        z = lowest + (eta[:, None] - lowest) * (0.5 + 0.5 * y)
        flow = Probes(np.column_stack((np.repeat(x, 40), np.zeros(z.size), z.ravel())), **waves).find("fluid_velocity")
        weights = 0.5 * (eta[:, None] - lowest) * w
        impulse = trapezoid((flow[:, 0].reshape(z.shape) * weights).sum(axis=1), x)
        energy = 0.5 * trapezoid(((flow**2).sum(axis=1).reshape(z.shape) * weights).sum(axis=1), x)
        assert_allclose(2.0 * energy, c * impulse, rtol=1e-6)


@pytest.mark.parametrize("kd", [0.9, 1.5, 20.0])
def test_speed_of_stokes_waves(kd: float) -> None:
    """The speed of waves of moderate height agrees with Fenton's theory of fifth order. The difference is of sixth
    order in the steepness.
    """
    depth, errors = 20.0, []
    for steepness in (0.1, 0.2):
        T = 2 * np.pi / np.sqrt(G * kd / depth * np.tanh(kd))
        H = 2.0 * steepness * depth / kd * np.tanh(kd) ** 2
        waves = con.stream_function_wave(H, T, depth, count=16)
        k = waves["wave_numbers"][0]
        # evaluate Fenton's series for the wave number of the solution
        kd_now, e = k * depth, 0.5 * k * H
        S, C0 = 1.0 / np.cosh(2.0 * kd_now), np.sqrt(np.tanh(kd_now))
        C2 = C0 * (2 + 7 * S**2) / (4 * (1 - S) ** 2)
        C4 = C0 * (4 + 32 * S - 116 * S**2 - 400 * S**3 - 71 * S**4 + 146 * S**5) / (32 * (1 - S) ** 5)
        errors.append(abs(2 * np.pi / T / k / np.sqrt(G / k) - (C0 + C2 * e**2 + C4 * e**4)))
    assert errors[1] < 2e-3 * C2 * e**2
    assert errors[0] < errors[1] / 40.0  # for twice the steepness, errors of sixth order are 2^6 = 64 times as large


def test_small_stream_function_waves_are_those_of_airy() -> None:
    """The velocities and the length of a wave with a small height agree with Airy's wave, with an error of the order of
    the steepness.
    """
    places = [(1.0, 0.0, -1.0), (20.0, 0.0, -5.0)]
    exact = Probes(places, depth=20.0, **con.regular_wave(1e-3, 8.0))
    found = Probes(places, **con.stream_function_wave(1e-3, 8.0, 20.0, count=8))
    for name in ("fluid_velocity", "fluid_acceleration"):
        assert_allclose(found.find(name, 1.0), exact.find(name, 1.0), rtol=1e-3, atol=1e-9)


def test_stokes_waves_of_second_order() -> None:
    """The second harmonic of a single wave agrees with the closed form by Stokes, both for the surface and for the
    velocity.
    """
    a, depth, omega, x, z, t = 0.8, 12.0, 0.9, 3.0, -2.0, 0.7
    k = float(con.wave_number(omega, depth))
    waves = con.second_order_waves(con.regular_wave(2.0 * a, 2.0 * np.pi / omega), depth)
    assert len(waves["wave_amplitudes"]) == 2
    kd, psi = k * depth, k * x - omega * t
    found = Probes([(x, 0.0, z)], **waves)
    C, S = np.cosh(kd), np.sinh(kd)
    eta = a * np.cos(psi) + 0.25 * k * a**2 * C * (2.0 + np.cosh(2.0 * kd)) / S**3 * np.cos(2.0 * psi)
    assert_allclose(found.find("surface_height", t), eta, rtol=1e-12)
    y = k * (z + depth)
    first, second = a * omega / S, 0.75 * a**2 * omega * k / S**4
    u = first * np.cosh(y) * np.cos(psi) + second * np.cosh(2.0 * y) * np.cos(2.0 * psi)
    w = first * np.sinh(y) * np.sin(psi) + second * np.sinh(2.0 * y) * np.sin(2.0 * psi)
    assert_allclose(found.find("fluid_velocity", t)[0], (u, 0.0, w), rtol=1e-12)


def test_sum_and_difference_of_two_waves_in_deep_water() -> None:
    """In deep water, two waves in one direction have two second-order terms. The sum wave has the amplitude a_1 a_2
    (k_1 + k_2)/2 and the potential 0. The difference wave has the amplitude -a_1 a_2 (k_1 - k_2)/2 and the potential
    -a_1 a_2 ω_1 exp((k_1 - k_2) z).
    """
    a, omega = np.array((0.5, 0.3)), np.array((0.8, 1.3))
    k = omega**2 / G
    sea = {"wave_amplitudes": a, "wave_frequencies": omega, "wave_directions": (0.4, 0.4), "wave_phases": (0.2, 0.9)}
    waves = con.second_order_waves(sea, 1e4)
    sums, difference = waves["wave_amplitudes"][2:5], waves["wave_amplitudes"][5]
    exact = (0.5 * k[0] * a[0] ** 2, 0.5 * a[0] * a[1] * (k[0] + k[1]), 0.5 * k[1] * a[1] ** 2)
    assert_allclose(sums, exact, rtol=1e-10)
    assert_allclose(difference, 0.5 * a[0] * a[1] * (k[1] - k[0]), rtol=1e-10)
    assert_allclose(waves["wave_phases"][5], 0.9 - 0.2 + np.pi)
    assert_allclose(waves["wave_velocities"][2:5], 0.0, atol=1e-12)
    assert_allclose(waves["wave_velocities"][5], a[0] * a[1] * omega[1] * (k[1] - k[0]), rtol=1e-10)
    assert_allclose(waves["wave_numbers"][5], k[1] - k[0], rtol=1e-12)


def test_standing_waves_of_second_order() -> None:
    """For two opposite waves of equal frequency, only the second harmonics of both waves are added. Sum and difference
    terms, which are uniform in space, are omitted.
    """
    sea = {
        "wave_amplitudes": (0.4, 0.4), "wave_frequencies": (1.0, 1.0), "wave_directions": (0.0, np.pi),
        "wave_phases": (0.0, 0.0),
    }  # fmt: skip
    waves = con.second_order_waves(sea, 8.0)
    assert_allclose(waves["wave_frequencies"], (1.0, 1.0, 2.0, 2.0))
    k = float(con.wave_number(1.0, 8.0))
    assert_allclose(waves["wave_numbers"], (k, k, 2.0 * k, 2.0 * k))
    assert np.isfinite(Probes([(1.0, 0.0, -1.0)], **waves).find("fluid_velocity", 0.3)).all()


def eval_surface_errors(waves: dict[str, Any]) -> Any:
    """Return the errors of the kinematic condition (in m/s) and of the condition of constant pressure (in m/s^2) at
    some points of the surface.
    """
    h, t, x = 1e-5, 0.3, np.array([(0.0, 0.0), (3.0, 1.0), (7.0, -4.0), (11.0, 6.0), (-5.0, 2.0)])
    zero = np.zeros(len(x))
    steps = [(0.0, 0.0), (h, 0.0), (-h, 0.0), (0.0, h), (0.0, -h)]
    level = Probes(np.concatenate([np.column_stack((x + step, zero)) for step in steps]), **waves)
    eta = level.find("surface_height", t).reshape(5, -1)
    slope = (eta[1] - eta[2]) / (2.0 * h), (eta[3] - eta[4]) / (2.0 * h)
    later, before = (level.find("surface_height", t + s)[: len(x)] for s in (h, -h))
    at = np.column_stack((x, eta[0]))
    # the derivatives are evaluated just below the surface, because velocities are constant above the surface
    below = at - (0.0, 0.0, 2.0 * h)
    moved = [at] + [below + sign * h * axis for axis in np.eye(3) for sign in (1, -1)]
    flow = Probes(np.concatenate(moved), **waves)
    u = flow.find("fluid_velocity", t).reshape(7, -1, 3)
    a = flow.find("fluid_acceleration", t)[: len(x)]
    for d in range(3):
        a = a + u[0][:, d, None] * (u[1 + 2 * d] - u[2 + 2 * d]) / (2.0 * h)
    kinematic = (later - before) / (2.0 * h) + u[0][:, 0] * slope[0] + u[0][:, 1] * slope[1] - u[0][:, 2]
    pressure = [a[:, d] + (a[:, 2] + G) * slope[d] for d in range(2)]
    return np.array([np.abs(kinematic).max(), np.abs(pressure).max()])


@pytest.mark.parametrize("depth", [6.0, 40.0])
def test_surface_conditions_of_waves_of_second_order(depth: float) -> None:
    """Waves of several directions fulfil the surface conditions with errors of third order: with half of the
    amplitudes, the errors decrease to an eighth. Without the waves of second order, the errors decrease to a quarter.
    """
    sea = {
        "wave_frequencies": np.array((0.9, 1.2, 1.25, 1.6)), "wave_directions": np.array((0.0, 0.7, -0.5, 2.0)),
        "wave_phases": np.array((0.1, 1.0, 2.0, 4.0)),
    }  # fmt: skip
    errors = {}
    for order in (1, 2):
        found = []
        for scale in (0.04, 0.02):
            given = {**sea, "wave_amplitudes": scale * np.array((1.0, 0.8, 0.7, 0.5))}
            columns = con.second_order_waves(given, depth) if order == 2 else {**given, "depth": depth}
            found.append(eval_surface_errors({**columns, "stretching": "none", "transition": 1e-3}))
        errors[order] = found
        assert_allclose(found[0] / found[1], 2.0 ** (order + 1), rtol=0.08)
    assert (errors[2][0] < 0.2 * errors[1][0]).all()


def test_second_order_waves_and_stream_functions() -> None:
    """The second harmonic of a wave of finite height is compared with the wave of second order. The relative
    differences of surface and velocities are of order 2 in the height.
    """
    depth, T, errors = 15.0, 8.0, []
    for H in (0.5, 1.0):
        exact = con.stream_function_wave(H, T, depth, count=12)
        found = con.second_order_waves(con.regular_wave(H, T), depth)
        names = "wave_amplitudes", "wave_velocities"
        errors.append([found[name][1] / exact[name][1] - 1.0 for name in names])
    assert_allclose(np.divide(errors[1], errors[0]), 4.0, rtol=0.1)
    assert np.abs(errors[0]).max() < 0.02


def test_largest_waves_of_second_order() -> None:
    """For n different frequencies there are n² waves of second order. If fewer waves are requested, the waves with the
    largest elevations are selected.
    """
    sea = con.jonswap(3.0, 9.0, seed=1, count=12, spreading=8.0)
    whole = con.second_order_waves(sea, 25.0, most=1000)
    some = con.second_order_waves(sea, 25.0, most=20)
    assert len(whole["wave_amplitudes"]) == 12 + 12**2 and len(some["wave_amplitudes"]) == 12 + 20
    added = np.sort(whole["wave_amplitudes"][12:])
    assert_allclose(np.sort(some["wave_amplitudes"][12:]), added[-20:])
    for name in ("wave_amplitudes", "wave_frequencies", "wave_directions", "wave_phases"):
        assert_array_equal(some[name][:12], sea[name])


@pytest.mark.parametrize(
    ("changes", "depth", "words"),
    [
        ({"wave_numbers": (1.0,)}, 9.0, "has the columns .*, wave_numbers: must have wave_amplitudes, wave_freq"),
        ({"wave_amplitudes": (-1.0,)}, 9.0, "wave_amplitudes = -1 m of second_order_waves: must be > 0"),
        ({"wave_frequencies": (0.0,)}, 9.0, "wave_frequencies = 0 rad/s of second_order_waves: must be > 0"),
        ({"wave_phases": (0.0, 1.0)}, 9.0, "wave_phases of second_order_waves has 2 values: must have 1"),
        ({"wave_phases": (np.nan,)}, 9.0, "wave_phases = .* must be a list of finite numbers"),
        ({}, -1.0, "depth = -1.0 m in second_order_waves: must be > 0"),
    ],
)
def test_errors_of_waves_of_second_order(changes: dict[str, Any], depth: float, words: str) -> None:
    """Wrong columns of waves and a wrong depth cause errors."""
    with pytest.raises(wl.ModelError, match=words):
        con.second_order_waves({**con.regular_wave(2.0, 8.0), **changes}, depth)


def test_waves_that_are_too_high_for_second_order() -> None:
    """If the waves of second order are not small compared with the waves of first order, an error is raised. The cases
    are shallow water and steep waves of high frequency.
    """
    shallow, steep = con.regular_wave(2.0, 10.0), con.regular_wave(3.0, 2.2)
    for waves, depth, share in ((shallow, 2.0, "4.8"), (steep, 100.0, "0.62")):
        words = (
            f"in the depth {depth:g} m: the waves of second order have {share} of the elevation of the waves: must be"
        )
        with pytest.raises(wl.ModelError, match=words):
            con.second_order_waves(waves, depth)
    assert len(con.second_order_waves(con.regular_wave(0.1, 10.0), 2.0)["wave_amplitudes"]) == 2


def test_no_second_order_on_a_current() -> None:
    """Second-order waves are valid only without a current. Therefore such waves with ``wave_current`` raise a
    TypeError.
    """
    waves = con.second_order_waves(con.regular_wave(1.0, 8.0), 20.0)
    with pytest.raises(TypeError, match="wave_current"):
        wl.World().add(con.Fluid, velocity=(1.0, 0.0, 0.0), wave_current=True, **waves)


def test_waves_on_a_uniform_current() -> None:
    """Waves run with, against and across a current. Their lengths and velocities agree with Airy's waves in a frame
    that moves with the current.
    """
    depth, speed = 12.0, 1.2
    directions, omegas = np.array([0.0, np.pi, 0.5 * np.pi]), np.array([0.8, 1.0, 1.3])
    columns = {
        "wave_amplitudes": np.full(3, 0.4), "wave_frequencies": omegas, "wave_directions": directions,
        "wave_phases": np.zeros(3), "velocity": (speed, 0.0, 0.0), "depth": depth,
    }  # fmt: skip
    place, t = np.array((2.0, 3.0, -1.0)), 5.0
    found = Probes([place], wave_current=True, **columns)
    u, a, eta = np.array([speed, 0.0, 0.0]), np.zeros(3), 0.0
    for omega, theta in zip(omegas, directions, strict=True):
        U = speed * np.cos(theta)
        k = brentq(lambda k, o=omega, U=U: o - k * U - np.sqrt(G * k * np.tanh(k * depth)), 1e-3, 0.5)
        sigma = omega - k * U
        along = np.array([np.cos(theta), np.sin(theta), 0.0])
        psi = k * place @ along - omega * t
        C, S = (f(k * (place[2] + depth)) / np.sinh(k * depth) for f in (np.cosh, np.sinh))
        up = np.array([0.0, 0.0, 1.0])
        u += 0.4 * sigma * (C * np.cos(psi) * along + S * np.sin(psi) * up)
        a += 0.4 * sigma**2 * (C * np.sin(psi) * along - S * np.cos(psi) * up)
        eta += 0.4 * np.cos(psi)
    assert_allclose(found.find("fluid_velocity", t)[0], u, rtol=1e-10)
    assert_allclose(found.find("fluid_acceleration", t)[0], a, rtol=1e-10)
    assert_allclose(found.find("surface_height", t)[0], eta, rtol=1e-10)
    still = Probes([place], **columns).find("surface_height", t)[0]
    assert abs(still - eta) > 0.01


def test_waves_on_a_shear_current() -> None:
    """On a current that decreases linearly with the depth, the wave number agrees with the closed form of the mean
    current, Ũ = U_0 - a tanh(k d)/(2 k), and with the exact dispersion of linear shear to second order in a/ω.
    """
    depth, omega, U0 = 10.0, 1.1, 0.5
    for a in (0.02, 0.04):
        table = {"profile": "table", "table_heights": (-depth, 0.0), "table_x": (U0 - a * depth, U0)}
        wave = con.regular_wave(0.2, 2 * np.pi / omega)
        x = np.linspace(0.0, 60.0, 3)
        eta = Probes([(s, 0.0, -1.0) for s in x], depth=depth, wave_current=True, **table, **wave)

        def mean(k: float, a: float = a) -> float:
            return omega - k * (U0 - 0.5 * a * np.tanh(k * depth) / k) - np.sqrt(G * k * np.tanh(k * depth))

        k = brentq(mean, 0.01, 1.0)
        assert_allclose(eta.find("surface_height"), 0.1 * np.cos(k * x), atol=1e-7)

        def exact(k: float, a: float = a) -> float:
            sigma, tanh = omega - k * U0, np.tanh(k * depth)
            return sigma**2 + a * sigma * tanh - G * k * tanh

        assert_allclose(k, brentq(exact, 0.05, 1.0), rtol=a**2)


@pytest.mark.parametrize(("wind", "spectrum"), [(con.npd_wind, con.npd_spectrum), (con.api_wind, con.api_spectrum)])
@pytest.mark.parametrize("components", ["equal steps", "equal energy"])
def test_variance_of_gusts(wind: Any, spectrum: Any, components: str) -> None:
    """The variance of the wind speed is the integral of the spectrum over all frequencies. The variance of the
    components below a limit frequency is the integral up to this limit.
    """
    lowest, highest = 1e-3, 0.4
    gusts = wind(25.0, seed=3, height=15.0, count=400, lowest=lowest, highest=highest, components=components)
    energy, f = 0.5 * gusts["gust_amplitudes"] ** 2, gusts["gust_frequencies"] / (2 * np.pi)
    assert ((f > lowest) & (f < highest)).all()
    for end in (highest, 0.05, 0.01):
        exact = quad(lambda f: float(spectrum(f, 25.0, 15.0)), lowest, end, limit=200)[0]
        assert_allclose(energy[f < end].sum(), exact, rtol=1e-5 if end == highest else 0.02)


def test_spectra_of_wind() -> None:
    """The API spectrum has the variance σ². The standard deviation of the NPD spectrum agrees within 12 % with the
    turbulence intensity 0.06 (1 + 0.043 U_0)(z/10)^-0.22 of the same standard. The profile of the mean speed agrees
    with its formula.
    """
    for z, power in ((10.0, 0.125), (40.0, 0.275)):
        U = 20.0 * (z / 10.0) ** 0.125
        total = quad(lambda f, z=z: float(con.api_spectrum(f, 20.0, z)), 0.0, np.inf, limit=500)[0]
        assert_allclose(total, (0.15 * (z / 20.0) ** -power * U) ** 2, rtol=1e-6)
    U0, z = 25.0, 10.0
    total = quad(lambda y: float(con.npd_spectrum(np.exp(y), U0, z)) * np.exp(y), np.log(1 / 3600), np.log(0.5))[0]
    assert_allclose(np.sqrt(total) / U0, 0.06 * (1.0 + 0.043 * U0), rtol=0.12)
    heights = np.array([5.0, 10.0, 50.0])
    places = [(0.0, 0.0, z) for z in heights]
    npd = {**con.npd_wind(U0, seed=1), "gust_amplitudes": (), "gust_frequencies": (), "gust_phases": ()}
    found = Probes(places, **{"density": 1.2, "fills": "above", **npd}).find("fluid_velocity")[:, 0]
    assert_allclose(found, U0 * (1.0 + 0.0573 * np.sqrt(1.0 + 0.15 * U0) * np.log(heights / 10.0)), rtol=1e-12)


def test_gusts_on_a_cable_and_a_body() -> None:
    """The speed at a point is the sum of the mean speed and the gusts, and gusts travel with the mean velocity. Equal
    seeds give equal gusts. The standard deviation of a long series agrees with the spectrum, and the drag of a cylinder
    agrees with the speed.
    """
    wind = con.npd_wind(20.0, seed=5, direction=0.5, count=40)
    air = {"density": 1.2, "fills": "everywhere", **wind}
    along = np.array([np.cos(0.5), np.sin(0.5), 0.0])
    probes = Probes([(0.0, 0.0, 10.0), 30.0 * along + (0.0, 0.0, 10.0)], **air)
    times = np.linspace(0.0, 3000.0, 400)
    series = np.array([probes.find("fluid_velocity", t) for t in times]) @ along

    def speed(t: Any) -> Any:
        A, omega, phase = (wind[f"gust_{name}"] for name in ("amplitudes", "frequencies", "phases"))
        return 20.0 + (A * np.cos(phase - np.multiply.outer(t, omega))).sum(axis=-1)

    assert_allclose(series[:, 0], speed(times), rtol=1e-10)
    assert_allclose(series[:, 1], speed(times - 30.0 / 20.0), rtol=1e-10)
    assert_allclose(series[:, 0].std(), np.sqrt(0.5 * (wind["gust_amplitudes"] ** 2).sum()), rtol=0.15)
    rate = (speed(7.0 + 1e-4) - speed(7.0 - 1e-4)) / 2e-4
    assert_allclose(probes.find("fluid_acceleration", 7.0)[0] @ along, rate, rtol=1e-6)
    assert_array_equal(con.npd_wind(20.0, seed=5)["gust_phases"], con.npd_wind(20.0, seed=5)["gust_phases"])
    assert (con.npd_wind(20.0, seed=6, count=40)["gust_phases"] != wind["gust_phases"]).all()
    world = wl.World(gravity=(0.0, 0.0, -G))
    body = world.add(RigidBody3D, position=(0.0, 0.0, 10.0), mass=1.0, inertia=(1.0, 1.0, 1.0))
    fluid = world.add(con.Fluid, **air)
    load = world.add(con.CylinderFluidLoad, marker=body, fluid=fluid, diameter=1.0, length=0.1, strips=1)
    state = wl.State(world)
    state.t = 40.0
    drag = wl.eval_output(load, "drag", state) @ along
    coefficient = float(load.table.collect("normal_drag", load.rows)[0])
    assert_allclose(drag, 0.5 * 1.2 * coefficient * 0.1 * speed(40.0) ** 2, rtol=1e-3)


def test_drag_of_a_vibrating_cable() -> None:
    """Vibration with the amplitude A multiplies the drag by 1 + a A/d, with the gain a and the diameter d. The
    amplitude agrees with the polygon of DNV-RP-F105.
    """
    d, f = 0.05, 2.0
    expected = {0.19: 0.0, 0.25: 0.075, 0.3: 0.15, 0.5: 0.15 + 2.0 * 1.15 / 4.0, 0.8: 0.9, 1.35: 1.3 * 2.5 / 7.0, 2: 0}
    for speed, amplitude in expected.items():
        found = []
        for frequency in (0.0, f):
            world = wl.World(gravity=(0.0, 0.0, -G))
            cable = straight_cable(world, (0.0, 0.0, 0.0), (0.0, 0.0, 1.0), 1, **CABLE)
            water = world.add(con.Fluid, density=RHO, fills="everywhere", velocity=(speed, 0.0, 0.0))
            load = world.add(
                con.FluidLoad, cable=cable, fluid=water, diameter=d, vibration_frequency=frequency, vibration_gain=1.8
            )
            state = wl.State(world)
            found.append(wl.eval_output(load, "drag_per_length", state)[0])
            A = wl.eval_output(load, "vibration_amplitude", state)
            assert_allclose(A, amplitude if frequency else 0.0, atol=1e-12)
        assert_allclose(found[1], (1.0 + 1.8 * amplitude) * found[0], rtol=1e-12)


def test_energy_of_vibration() -> None:
    """A rope with vortex-induced vibration in a current dissipates the work of the increased drag, and the remainder of
    the energy ledger is small.
    """
    lost = []
    for frequency in (0.0, 2.0):
        world = wl.World(gravity=(0.0, 0.0, -G))
        rope = straight_cable(world, (0.0, 0.0, -0.5), (2.0, 0.0, -0.5), 3, **{**CABLE, "axial_stiffness": 1e4})
        water = world.add(con.Fluid, density=RHO, fills="everywhere", velocity=(0.0, 0.8, 0.0))
        world.add(con.FluidLoad, cable=rope, fluid=water, diameter=0.04, vibration_frequency=frequency)
        con.hinge(world, nodes_of(world, rope)[[0, 3]])
        ledger = wl.EnergyLedger()
        wl.Dynamic(world, step=1e-3, end=0.1, name="", rtol=1e-10).solve(hooks=[ledger])
        lost.append(ledger.totals["FluidLoad.drag"])
        assert abs(ledger.rest) < 1e-7 * lost[-1]
    assert lost[1] > 1.5 * lost[0]


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({**con.regular_wave(1.0, 5.0), "wave_numbers": (0.1, 0.2)}, "wave_numbers in Fluid row 0 has 2 values: must"),
        (
            {**con.regular_wave(1.0, 5.0), "wave_numbers": (-0.1,)},
            "wave_numbers = -0.1 1/m in Fluid row 0: must be > 0",
        ),
        ({"stretching": "high"}, "stretching = high in Fluid row 0: must be one of vertical, wheeler, linear, none"),
        (
            {**con.regular_wave(1.0, 5.0), "wave_current": True, "velocity": (-3.0, 0.0, 0.0)},
            r"velocity in Fluid row 0 stops the wave of 1.25664 rad/s .*: the current against a wave must be < g/",
        ),
        ({"gust_amplitudes": (1.0,)}, "gust_frequencies in Fluid row 0 has 0 values: must have 1"),
        (
            {"gust_amplitudes": (1.0,), "gust_frequencies": (1.0,), "gust_phases": (0.0,)},
            r"velocity = \(0, 0, 0\) m/s in Fluid row 0: must not be 0, as the velocity carries the gusts",
        ),
        (
            {
                "gust_amplitudes": (1.0,),
                "gust_frequencies": (1.0,),
                "gust_phases": (0.0,),
                "velocity": (0.0, 0.0, 3.0),
            },
            r"velocity = \[0.0, 0.0, 3.0\] m/s in Fluid row 0: must have a horizontal component",
        ),
        (
            {
                **con.regular_wave(1.0, 5.0),
                "wave_numbers": (0.1,),
                "wave_current": True,
                "velocity": (20.0, 0.0, 0.0),
            },
            r"velocity in Fluid row 0 stops the wave of 1.25664 rad/s",
        ),
    ],
)
def test_bad_fluids(columns: dict[str, Any], words: str) -> None:
    with pytest.raises(wl.ModelError, match=words):
        Probes([(0.0, 0.0, 0.0)], **columns).find("immersion")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: con.jonswap(2.0, 8.0, 1, components="equal"),
            "components = 'equal' in jonswap: must be one of equal energy, equal f",
        ),
        (lambda: con.jonswap(2.0, 8.0, 1, spreading=0.0), r"spreading = 0.0 in jonswap: must be > 0"),
        (
            lambda: con.stream_function_wave(20.0, 10.0, 20.0),
            r"height = 20 m of stream_function_wave: must be < 1\d\.\d+ m, the height of the highest wave",
        ),
        (
            lambda: con.stream_function_wave(0.5, 4.0, 20.0, current=-3.0),
            r"current = -3 m/s of stream_function_wave: stops a wave of 4 s; must be > -g/\(4 ω\) = -1.561 m/s",
        ),
        (lambda: con.npd_spectrum(-0.1, 20.0), "frequency = -0.1 Hz in npd_spectrum: must be >= 0"),
        (
            lambda: con.api_wind(20.0, 1, lowest=0.5, highest=0.1),
            "highest = 0.1 Hz in api_wind: must be > lowest = 0.5",
        ),
    ],
)
def test_bad_arguments(call: Any, words: str) -> None:
    with pytest.raises(wl.ModelError, match=words):
        call()


def test_bad_vibration() -> None:
    world, cables = build(3)
    water = world.add(con.Fluid, density=RHO)
    world.add(con.FluidLoad, cable=cables, fluid=water, diameter=0.1, vibration_amplitude=2.0)
    with pytest.raises(wl.ModelError, match=r"vibration_amplitude = 2.* in FluidLoad row 0: must be <= 1.3 diameters"):
        world.finalize()
