"""Strings and beams that move along their axis between two supports (`ALECable2D`): frequencies, divergence, growth.

A string of the tension T and the mass per length m that runs with the speed v through two eyelets at the distance L has

    ω_n = n π/L c (1 - v²/c²),   c = √(T/m)

With bending stiffness and pinned ends, the first frequency decreases to 0 at v² = (T + π² EI/L²)/m, where the span
buckles. Above this speed the first mode of the beam grows without oscillation, while the string without bending
stiffness is stable again. The frequencies of the beam are roots of the characteristic determinant of its differential
equation, see `support.moving_spans`.

Sources: R. Skutsch, Annalen der Physik 61 (1897) 190-195; C. D. Mote, J. Franklin Inst. 279 (1965) 430-444; J. A.
Wickert, C. D. Mote, J. Appl. Mech. 57 (1990) 738-744 (stability above the critical speed).
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import eigvalsh
from scipy.optimize import brentq

from support.moving_spans import Span, eval_growth, eval_roots, find_exact_root, linearise

STRING = Span(length=2.0, mass=0.5, tension=100.0, bending=0.0)
BEAM = Span(length=2.0, mass=0.5, tension=100.0, bending=1.0)
C = np.sqrt(STRING.tension / STRING.mass)
CRITICAL = np.sqrt((BEAM.tension + np.pi**2 * BEAM.bending / BEAM.length**2) / BEAM.mass)
"""Speed at which the beam buckles [m/s]."""


@pytest.mark.parametrize("ratio", [0.0, 0.3, 0.6, 0.9])
def test_frequencies_of_the_string(ratio: float) -> None:
    """The first three frequencies with 8, 16 and 32 elements converge to the closed form with order 4 or a little more
    (the measured orders are 4.0 to 4.7).

    With 32 elements, the first frequency agrees to 4e-8 at rest and to 1.4e-6 at 0.9 c. The tolerance is 2e-6.
    """
    n = np.arange(1, 4)
    exact = n * np.pi / STRING.length * C * (1.0 - ratio**2)
    roots = np.array([eval_roots(STRING, ratio * C, elements)[:3] for elements in (8, 16, 32)])
    # no mode is damped or grows, except for rounding
    assert np.abs(roots.real).max() < 1e-9 * np.abs(roots).max()
    errors = roots.imag / exact - 1.0
    orders = np.log2(errors[:-1] / errors[1:])
    assert orders.min() > 3.95 and orders.max() < 5.0
    assert abs(errors[-1, 0]) < 2e-6


def test_the_string_is_stable_again_above_its_critical_speed() -> None:
    """At 1.05 c the first three roots are imaginary, and the first frequency is π c/L |1 - v²/c²|.

    The measured error is 2e-5 with 16 elements, and the tolerance is 1e-4.

    Short waves, which no mesh resolves at this speed, are excluded.
    """
    roots = eval_roots(STRING, 1.05 * C, 16)[:3]
    assert np.abs(roots.real).max() < 1e-9
    assert_allclose(roots[0].imag, np.pi / STRING.length * C * (1.05**2 - 1.0), rtol=1e-4)


@pytest.mark.parametrize("ratio", [0.3, 0.6, 0.9])
def test_frequencies_of_the_beam(ratio: float) -> None:
    """The first three frequencies converge to the roots of the characteristic determinant with order 4 ± 0.2 (the
    measured orders are 3.8 to 4.0).
    """
    speed = ratio * C
    exact = np.array([find_exact_root(BEAM, speed, near) for near in eval_roots(BEAM, speed, 48)[:3]])
    assert np.abs(exact.real).max() < 1e-9
    errors = np.array([np.abs(eval_roots(BEAM, speed, n)[:3] - exact) / np.abs(exact) for n in (16, 32)])
    assert_allclose(np.log2(errors[0] / errors[1]), 4.0, atol=0.2)
    assert errors[1].max() < 2e-4


def test_speed_at_which_the_beam_buckles() -> None:
    """The speed at which the stiffness of the steady motion becomes singular converges to v² = (T + π² EI/L²)/m with
    order 4. The error is 2e-6 for 16 elements.

    The stiffness is symmetric and the tangent with respect to velocities is skew, so the system is gyroscopic.
    """

    def lowest(speed: float, elements: int) -> float:
        _, D, K = linearise(BEAM, speed, elements)
        assert np.abs(K - K.T).max() < 1e-12 * np.abs(K).max() and np.abs(D + D.T).max() < 1e-12 * np.abs(D).max()
        return float(eigvalsh(K)[0])

    found = [brentq(lowest, 0.8 * CRITICAL, 1.2 * CRITICAL, args=(n,), xtol=1e-12) for n in (8, 16)]
    errors = np.array(found) / CRITICAL - 1.0
    assert_allclose(np.log2(errors[0] / errors[1]), 4.0, atol=0.2)
    assert abs(errors[1]) < 2e-6


@pytest.mark.parametrize("ratio", [0.98, 1.02])
def test_growth_of_a_disturbance_in_time(ratio: float) -> None:
    """Small deflections are integrated in time at 0.98 and 1.02 of the critical speed.

    Below the critical speed, the deflections stay constant. Above the critical speed, the deflections grow a
    hundredfold with the real root of the differential equation. With 32 elements, the measured error in the last third
    of the run is 1e-4, of which 6e-5 are due to other modes. The tolerance is 3e-4.
    """
    speed = ratio * CRITICAL
    root = max((find_exact_root(BEAM, speed, near) for near in eval_roots(BEAM, speed, 48)[:2]), key=lambda r: r.real)
    times, heights = eval_growth(BEAM, speed, 32, height=1e-6, step=4e-3, end=6.0)
    if ratio < 1.0:
        assert abs(root.real) < 1e-9
        assert np.abs(heights).max() < 5e-6
    else:
        assert abs(root.imag) < 1e-9 and root.real > 0.9
        late = times > 4.0
        rate = np.polyfit(times[late], np.log(np.abs(heights[late])), 1)[0]
        assert_allclose(rate, root.real, rtol=3e-4)
