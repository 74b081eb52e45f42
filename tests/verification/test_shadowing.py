"""Derivatives of means of chaotic motions by least-squares shadowing: the Lorenz system."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import windlass as wl
from windlass import connectors as con
from windlass.elements import MassPoint, state_node
from windlass.framework.arrays import FloatArray

LORENZ = {"sigma": 10.0, "rho": 28.0, "beta": 8.0 / 3.0}


def lorenz(p: Mapping[str, float]) -> Any:
    """Create the Lorenz system as first-order states."""
    sigma, rho, beta = p["sigma"], p["rho"], p["beta"]
    world = wl.World()
    node = world.add(state_node(3))

    def rates(t: float, y: FloatArray, u: FloatArray, u_t: FloatArray) -> list[float]:
        return [sigma * (y[1] - y[0]), y[0] * (rho - y[2]) - y[1], y[0] * y[1] - beta * y[2]]

    def slopes(t: float, y: FloatArray, u: FloatArray, u_t: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        by_y = np.array([[-sigma, sigma, 0.0], [rho - y[2], -1.0, -y[0]], [y[1], y[0], -beta]])
        return by_y, np.zeros((3, 0)), np.zeros((3, 0))

    world.add(con.GenericODE1, node=node, state_function=rates, state_derivative=slopes)

    def start() -> wl.State:
        state = wl.State(world)
        state.put(node, [1.0, 2.0, 20.0], "v")
        return state

    return world, lambda state: {"z": float(state.of(node, "v")[0, 2])}, start


def run(world: wl.World) -> wl.Dynamic:
    return wl.Dynamic(world, step=0.01, end=20.0, method="trapezoidal_index2", adaptive=False, rtol=1e-10)


def find_mean(rho: float) -> float:
    """Return the mean of z over 400 long motions, computed by the Runge-Kutta method of order 4."""
    y, h, total = np.array([1.0, 2.0, 20.0])[:, None] + np.random.default_rng(0).standard_normal((3, 400)), 0.01, 0.0
    sigma, beta = LORENZ["sigma"], LORENZ["beta"]

    def rates(y: FloatArray) -> FloatArray:
        return np.array([sigma * (y[1] - y[0]), y[0] * (rho - y[2]) - y[1], y[0] * y[1] - beta * y[2]])

    for k in range(4000):
        a = rates(y)
        b = rates(y + 0.5 * h * a)
        c = rates(y + 0.5 * h * b)
        y = y + h / 6.0 * (a + 2.0 * b + 2.0 * c + rates(y + h * c))
        total += float(y[2].mean()) if k >= 1000 else 0.0
    return total / 3000


@pytest.mark.slow
def test_mean_of_the_lorenz_system() -> None:
    """The derivative of the mean of z with respect to rho agrees with the slope of a line through means for other
    values of rho, within the error of a mean over 15 s. The gradient of the motion itself differs by orders of
    magnitude.
    """
    p = {"rho": LORENZ["rho"]}

    def model(values: Mapping[str, float]) -> Any:
        return lorenz({**LORENZ, **values})

    found = wl.evaluate_mean(model, p, run, "z", directions=2, segment=0.4, start=5.0)
    values = p["rho"] + np.array([-2.0, -1.0, 0.0, 1.0, 2.0])
    slope = np.polyfit(values, [find_mean(rho) for rho in values], 1)[0]
    assert abs(found.gradient["rho"] - slope) < 0.15 * slope
    used = found.t >= 5.0 - 1e-9
    assert abs(found.value - float(np.mean(0.5 * (found.y["z"][used][1:] + found.y["z"][used][:-1])))) < 1e-9
    # over long times the exponents are 0.906/s and 0; over 15 s the exponents depend on the motion, and therefore on
    # rounding errors
    assert 0.3 < found.exponents[0] < 1.5 and abs(found.exponents[1]) < 0.5
    plain = wl.evaluate_objective(model, p, run, wl.time_integral("z"))
    assert plain.chaotic and abs(plain.gradient["rho"] / 20.0) > 100.0 * slope


def short(world: wl.World) -> wl.Dynamic:
    return wl.Dynamic(world, step=0.01, end=0.4, method="trapezoidal_index2", adaptive=False)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"segment": 0.2}, "segment = 0.2 s in evaluate_mean: must be at most 0.13"),
        ({"name": "x"}, "name = 'x' in evaluate_mean: must be one of z"),
        ({"directions": 4}, "directions = 4 in evaluate_mean: must be smaller"),
        ({"start": 0.5}, "start = 0.5 s in evaluate_mean: must be before the end of the motion, 0.4 s"),
        ({"start": -5.0, "segment": 1.0}, "segment = 1 s in evaluate_mean: must be at most 0.133"),
    ],
)
def test_wrong_arguments_of_means(changes: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {"name": "z", "directions": 2, "segment": 0.1, **changes}
    with pytest.raises(wl.ModelError, match=message):
        wl.evaluate_mean(lorenz, LORENZ, short, **arguments)


def oscillate(p: Mapping[str, float]) -> Any:
    """Create an oscillator with a harmonic load."""
    world = wl.World()
    node = world.add(MassPoint, position=(0.0, 0.0), mass=2.0)
    con.fix(world, node, "y")
    marker = con.coordinate_marker(world, node, "x")
    world.add(con.CoordinateSpringDamper, marker1=marker, stiffness=p["stiffness"], damping=3.0)
    world.add(con.CoordinateLoad, marker=marker, function=lambda t: p["load"] * np.sin(4.0 * t))
    return world, lambda state: {"square": float(state.of(node, "q")[0, 0]) ** 2}


def test_mean_of_a_forced_oscillator() -> None:
    """If forces depend on time, the condition of autonomous motions is omitted. The derivatives of the mean square
    A²/2/((k - m ω²)² + (d ω)²) agree within 5 %, which is the effect of the ends of the interval.
    """

    def run(world: wl.World) -> wl.Dynamic:
        return wl.Dynamic(world, step=0.02, end=40.0, method="trapezoidal_index2", adaptive=False, name="")

    found = wl.evaluate_mean(
        oscillate, {"load": 10.0, "stiffness": 50.0}, run, "square", directions=1, segment=1.0, start=10.0
    )
    size = (50.0 - 2.0 * 16.0) ** 2 + (3.0 * 4.0) ** 2
    np.testing.assert_allclose(found.gradient["load"], 10.0 / size, rtol=0.05)
    np.testing.assert_allclose(found.gradient["stiffness"], -100.0 * 18.0 / size**2, rtol=0.05)
