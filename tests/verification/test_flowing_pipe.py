"""Tests of pipes that convey fluid: divergence of a pinned pipe, frequencies as functions of the flow speed, and
flutter of a cantilever.

The pipe with its fluid has the mass m per length. The fraction β of this mass is the fluid, which moves with the speed
U: `ALECable2D` with ``moving_mass_factor=β``. With u = U L √(β m/EI) and τ = t/L² √(EI/m),

    w'''' + u² w'' + 2 √β u w_τ' + w_ττ = 0

A pinned pipe buckles at u = π for every β. A cantilever, from whose end the fluid leaves along the pipe, receives
energy from the flow and flutters. For small u the Coriolis forces damp the motion, and at u_c one mode begins to grow.
Without Coriolis forces (β = 0) the cantilever is Beck's column under a follower force, in which two frequencies
coincide at u² = 20.05. Critical speeds are computed from the characteristic determinant of the differential equation.
Critical speeds of the cantilever jump near β = 0.3, 0.7 and 0.9.

Sources: R. W. Gregory, M. P. Païdoussis, Proc. R. Soc. London A 293 (1966) 512-527 (cantilevers); M. P. Païdoussis,
Fluid-Structure Interactions 1, Academic Press (1998), sections 3.2 to 3.5; M. Beck, ZAMP 3 (1952) 225-228.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import eigvalsh
from scipy.optimize import brentq

from windlass.framework.arrays import FloatArray

from support.moving_spans import Span, eval_growth, eval_roots, find_exact_root, linearise

# length, mass per length and bending stiffness are 1, so the roots are equal to the roots of the dimensionless
# equation, and U = u/√β


def find_roots(pipe: Span, u: float, elements: int) -> FloatArray:
    return eval_roots(pipe, u / np.sqrt(pipe.share), elements)


def find_growing_root(pipe: Span, u: float) -> complex:
    """Return the exact root with the largest growth rate."""
    roots = find_roots(pipe, u, 32)[:6]
    return find_exact_root(pipe, u / np.sqrt(pipe.share), roots[roots.real.argmax()])


@pytest.mark.parametrize("beta", [0.1, 0.5])
@pytest.mark.parametrize("u", [1.0, 2.0, 3.0])
def test_frequencies_of_a_pinned_pipe(beta: float, u: float) -> None:
    """Below the speed of divergence, the first two frequencies converge to the exact roots with order 4 ± 0.2, and
    agree within 1e-4 with 16 elements.

    At u = 3 the first frequency is about 0.3 times its value at rest, π².
    """
    pipe = Span(share=beta)
    exact = np.array([find_exact_root(pipe, u / np.sqrt(beta), near) for near in find_roots(pipe, u, 48)[:2]])
    assert np.abs(exact.real).max() < 1e-9 and 0.0 < exact[0].imag < np.pi**2
    errors = np.array([np.abs(find_roots(pipe, u, n)[:2] - exact) / np.abs(exact) for n in (8, 16)])
    assert_allclose(np.log2(errors[0] / errors[1]), 4.0, atol=0.2)
    assert errors[1].max() < 1e-4


@pytest.mark.parametrize("beta", [0.1, 0.5])
def test_a_pinned_pipe_buckles_at_pi(beta: float) -> None:
    """The speed at which the stiffness becomes singular converges to u = π with order 4 ± 0.1. With 16 elements, the
    measured error is 1.0e-6, and the tolerance is 2e-6.
    """
    pipe = Span(share=beta)

    def lowest(u: float, elements: int) -> float:
        return float(eigvalsh(linearise(pipe, u / np.sqrt(beta), elements)[2])[0])

    errors = np.array([brentq(lowest, 2.5, 3.5, args=(n,), xtol=1e-12) for n in (8, 16)]) / np.pi - 1.0
    assert_allclose(np.log2(errors[0] / errors[1]), 4.0, atol=0.1)
    assert abs(errors[1]) < 2e-6


@pytest.mark.parametrize(("beta", "known"), [(0.1, 4.75), (0.2, 5.59), (0.3, 8.27), (0.5, 9.32)])
def test_flutter_of_a_cantilever(beta: float, known: float) -> None:
    """The critical speed u_c, at which the first real part is 0, converges to the exact speed with order 4 ± 0.2, and
    agrees to 1e-4 with 16 elements.

    Below u_c all modes are damped, and above u_c one oscillating mode grows. The parametrisation lists β and the
    rounded exact u_c. The values follow the curve u_c(β) of Gregory and Païdoussis, whose first jump is between β = 0.2
    and 0.3.
    """
    pipe = Span(share=beta, cantilever=True)
    exact = brentq(lambda u: find_growing_root(pipe, u).real, known - 0.02, known + 0.02)
    assert abs(exact - known) < 0.006
    assert find_growing_root(pipe, exact).imag > 10.0

    def largest(u: float, elements: int) -> float:
        return float(find_roots(pipe, u, elements)[:6].real.max())

    found = np.array([brentq(largest, 0.9 * known, 1.1 * known, args=(n,), xtol=1e-12) for n in (8, 16)])
    errors = np.abs(found / exact - 1.0)
    assert_allclose(np.log2(errors[0] / errors[1]), 4.0, atol=0.2)
    assert errors[1] < 1e-4
    # all modes are damped at all lower speeds, so the critical speed is the lowest speed at which a mode grows
    assert all(largest(u, 8) < 0.0 for u in np.linspace(0.1, 0.98, 12) * exact)


def test_beck_column() -> None:
    """If the Coriolis force is almost 0, the first two frequencies coincide in theory at u² = 20.05.

    The computed value is 20.0509, and the tolerance is 1e-3.

    Near this value, roots depend on the square root of the distance from this value: at u² = 20.0 both frequencies
    differ, and at u² = 20.1 one mode grows with the rate 0.3.
    """
    column = Span(share=1e-14, cantilever=True)
    roots = [find_roots(column, np.sqrt(square), 16)[:2] for square in (20.0, 20.1)]
    assert np.abs(roots[0].real).max() < 1e-3 and roots[0][1].imag - roots[0][0].imag > 0.2
    assert roots[1].real.max() > 0.1

    def gap(square: float) -> float:
        one, two = find_roots(column, np.sqrt(square), 16)[:2]
        # where the roots coincide, the square of their difference is smooth and changes its sign
        return float(((one - two) ** 2).real)

    assert_allclose(brentq(gap, 19.5, 20.5), 20.0509, atol=1e-3)


@pytest.mark.parametrize("u", [5.0, 6.0])
def test_motion_of_a_cantilever_in_time(u: float) -> None:
    """The motion of a cantilever with β = 0.2, below and above u_c = 5.59, is integrated in time from a small
    deflection.

    The rate at which the peaks of the end displacement decay or grow agrees with the exact real part, and the time
    between peaks agrees with the exact frequency. The measured errors are 5e-4. The error of the frequency is due to
    the step size. The tolerance is 2e-3.
    """
    pipe = Span(share=0.2, cantilever=True)
    root = find_growing_root(pipe, u)
    assert (root.real > 0.5) == (u > 5.59)
    times, heights = eval_growth(pipe, u / np.sqrt(0.2), 16, height=1e-3, step=2e-3, end=3.0)
    peaks = np.flatnonzero((heights[1:-1] > heights[:-2]) & (heights[1:-1] > heights[2:])) + 1
    peaks = peaks[times[peaks] > 1.0]
    assert_allclose(np.polyfit(times[peaks], np.log(heights[peaks]), 1)[0], root.real, rtol=2e-3)
    assert_allclose(2.0 * np.pi / np.diff(times[peaks]).mean(), root.imag, rtol=2e-3)
