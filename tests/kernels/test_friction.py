"""Tests of the kernels of dry friction, without a contact law: decision between sticking and slipping, friction limit,
anchor, energy, and derivatives.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from windlass.connectors.friction import bristle, regularised
from windlass.connectors.friction.bristle import STICKS, UNDEFINED


@pytest.mark.parametrize(
    ("tau", "limit", "towards", "excess", "state"),
    [
        (3.0, 4.0, 1.0, -1.0, STICKS),
        (-4.0, 4.0, -1.0, 0.0, STICKS),
        (5.0, 4.0, 2.0, 1.0, 1.0),
        (-5.0, 4.0, -2.0, 1.0, -1.0),
        (5.0, 4.0, -2.0, 1.0, -1.0),
    ],
)
def test_what_is_beyond_the_limit_slips(tau: float, limit: float, towards: float, excess: float, state: float) -> None:
    assert bristle.decide(tau, limit, towards) == (excess, state)
    assert bristle.friction_force(state, tau, limit) == (tau if state == STICKS else state * limit)


@pytest.mark.parametrize(("k", "drag"), [(200.0, 0.0), (200.0, 1.5), (200.0, -1.5), (200.0, 9.0), (0.0, 1.0)])
def test_bristle_and_damper_give_the_limit_from_the_new_anchor(k: float, drag: float) -> None:
    limit, u = 4.0, bristle.slip_bend(4.0, drag, k)
    # if the damper force exceeds the limit, the bristle is not deflected; with zero stiffness there is no bristle
    assert u == 0.0 if k == 0.0 or drag > limit else np.isclose(bristle.trial(k, u, 1.0, drag), limit, rtol=1e-15)
    assert np.isclose(bristle.bent_energy(True, k, 0.0, limit), 0.5 * limit**2 / k if k > 0.0 else 0.0)
    assert np.isclose(bristle.bent_energy(False, k, u * u, 0.0), 0.5 * k * u * u)


def test_a_limit_is_that_of_coulomb() -> None:
    assert bristle.coulomb(0.5, -8.0) == (4.0, -0.5) and regularised.limit_of(0.5, -8.0 + 2.0j) == 4.0 - 1.0j


def differentiate(function: Any, x: float) -> float:
    """Return the derivative of a function by central differences."""
    return float((function(x + 1e-6) - function(x - 1e-6)) / 2e-6)


@pytest.mark.parametrize("state", [STICKS, 1.0, -1.0, UNDEFINED])
def test_slopes_of_bristles_are_those_of_their_force(state: float) -> None:
    k, d, mu, fn, v, u = 200.0, 3.0, 0.5, -8.0, 0.4, 0.01

    def force(fn: float, v: float, u: float) -> float:
        tau = bristle.trial(k, u if state == STICKS else 0.0, d, v)
        return bristle.friction_force(state, tau, bristle.coulomb(mu, fn)[0])

    expected = [differentiate(f, x) for f, x in (
        (lambda x: force(x, v, u), fn), (lambda x: force(fn, x, u), v), (lambda x: force(fn, v, x), u)
    )]  # fmt: skip
    assert np.allclose(bristle.friction_slopes(state, k, d, bristle.coulomb(mu, fn)[1]), expected, atol=1e-7)


def test_a_returned_force_has_the_limit_and_its_change() -> None:
    tau, way = np.array([3.0, -4.0, 12.0]), np.array([0.3, 0.7, -0.2])

    def returned(x: float) -> np.ndarray[Any, Any]:
        t = tau + x * way
        return np.asarray(bristle.return_share(float(np.linalg.norm(t)), 5.0 + 2.0 * x) * t)

    change = bristle.return_change(tuple(tau / 13.0), bristle.return_share(13.0, 5.0), tuple(way), 2.0)
    assert np.isclose(np.linalg.norm(returned(0.0)), 5.0) and bristle.return_share(0.0, 5.0) == 0.0
    assert np.allclose(change, (returned(1e-6) - returned(-1e-6)) / 2e-6, atol=1e-8)


@pytest.mark.parametrize("speed", [0.3, 2.5])
def test_slopes_of_friction_by_the_slip_are_those_of_its_size(speed: float) -> None:
    laws = {
        "smooth": lambda v: regularised.smooth_sign(v, 0.7),
        "stribeck": lambda v: regularised.stribeck(v, 2.0, 1.0, 0.4, 0.3),
        "hollars": lambda v: regularised.hollars(v, 0.9, 0.6, 0.2, 1.0),
    }
    for name, law in laws.items():
        slope = law(speed)[1] * (speed if name == "hollars" else 1.0)
        assert np.isclose(slope, differentiate(lambda v, law=law: law(v)[0], speed), rtol=1e-7), name


def test_zones_end_in_dry_friction() -> None:
    share = regularised.share_of_slip
    assert not regularised.slides(0.5, 0.5) and regularised.slides(0.6, 0.5)
    assert share(0.2, 0.5, False) * 0.2 == 0.4 and np.isclose(share(0.2, 0.5, True) * 0.2, 0.64)
    for parabola in (False, True):
        assert share(0.5, 0.5, parabola) * 0.5 == 1.0 and share(0.0, 0.0, parabola) == 0.0
    # slope at rest by Hollars: 2 u_s - u_d, divided by the width of the transition zone
    assert np.isclose(regularised.hollars(0.0, 0.9, 0.6, 0.2, 0.5)[0], 1.2 / 0.5 + 0.2)
