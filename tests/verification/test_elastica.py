"""A cantilever under an end force of constant direction is compared with the elastica by elliptic integrals. The tests
check values, the order of convergence, and locking.

The cantilever has the length L and is clamped at one end. A force P of constant direction acts transversely on the free
end, with alpha = P L²/EI from 1 to 10 and EA L²/EI = 1e8. With k = sin((pi/2 + angle)/2), sin phi0 = 1/(k sqrt 2) and
the elliptic integrals F and E, the solution is

    sqrt(alpha) = K(k) - F(phi0, k),    deflection/L = 1 - 2 (E(k) - E(phi0, k))/sqrt(alpha),
    1 - shortening/L = sqrt(2 sin(angle)/alpha).

Source: K. E. Bisshopp, D. C. Drucker, Quart. Appl. Math. 3 (1945) 272-275.

The table shows the largest error of shortening/L, deflection/L and angle at alpha = 1, with integration rule 2 and with
rule 0, which locks. With each rule, Newton's method converges in 3 to 4 iterations per load step:

    elements     rule 2      rule 0
        8       2.4e-06     9.5e-04
       16       1.5e-07     1.8e-04
       32       9.5e-09     1.1e-05
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.special import ellipe, ellipeinc, ellipk, ellipkinc

from windlass.connectors import Force, position_marker
from windlass.framework.arrays import FloatArray
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World

from support.cantilever import SLENDERNESS, solve_cantilever, tip_values

# values (shortening/L, deflection/L, angle [rad]) by alpha
TABLE = {
    1: (0.05643324, 0.30172077, 0.46135195),
    2: (0.16064172, 0.49345748, 0.78174983),
    5: (0.38762836, 0.71379152, 1.21536812),
    10: (0.55499560, 0.81060902, 1.43028554),
}
# half of the last digit of the printed table; cables with EA L²/EI = 1e8 and inextensible cables differ by at most
# alpha²/1e8 = 1e-6, and by 8e-8 at alpha = 10
ROUNDED = 1e-8


def eval_inextensible(alpha: float) -> FloatArray:
    """Return (shortening, deflection, angle) by elliptic integrals; SciPy's parameter is m = k²."""

    def excess(angle: float) -> float:
        m = 0.5 * (1.0 + np.sin(angle))
        return float(ellipk(m) - ellipkinc(np.arcsin(np.sqrt(0.5 / m)), m) - np.sqrt(alpha))

    angle = brentq(excess, 1e-6, np.pi / 2 - 1e-9, xtol=1e-15)
    m = 0.5 * (1.0 + np.sin(angle))
    arc = ellipe(m) - ellipeinc(np.arcsin(np.sqrt(0.5 / m)), m)
    return np.array([1.0 - np.sqrt(2.0 * np.sin(angle) / alpha), 1.0 - 2.0 * arc / np.sqrt(alpha), angle])


@cache
def eval_extensible(alpha: float) -> Any:
    """Return (shortening, deflection, angle) with EA L²/EI = 1e8: EI theta'' = -(1 + e) P cos theta, e = P sin
    theta/EA, r' = (1 + e) t.

    The curvature at the clamp is found by shooting, with a Runge-Kutta method of order 8 and a relative tolerance of
    1e-13.
    """

    def rates(_: float, y: FloatArray) -> list[float]:
        stretch = 1.0 + alpha * np.sin(y[0]) / SLENDERNESS
        c, s = np.cos(y[0]), np.sin(y[0])
        return [y[1], -stretch * alpha * c, stretch * c, stretch * s]

    def shoot(curvature: float) -> FloatArray:
        end: FloatArray = solve_ivp(rates, (0, 1), [0, curvature, 0, 0], method="DOP853", rtol=1e-13, atol=1e-15).y[
            :, -1
        ]
        return end

    curvature = brentq(lambda k: shoot(k)[1], 0.1, np.sqrt(2.0 * alpha) * 1.1, xtol=1e-14, rtol=1e-14)
    theta, _, x, y = shoot(curvature)
    return np.array([1.0 - x, y, theta])


@cache
def eval_tip(alpha: float, elements: int, integration: int = 2) -> tuple[Any, int]:
    """Return (shortening, deflection, angle) of the model, and the numbers of Newton iterations in 10 load steps."""

    def push(world: World, cables: Entity, tip: Entity) -> None:
        world.add(Force, marker=position_marker(world, tip), vector=(0.0, alpha, 0.0))

    cables, state, solver = solve_cantilever(push, elements, integration)
    return tip_values(cables, state), solver.statistics.newton_iterations


def eval_errors(alpha: float, elements: int, integration: int = 2) -> Any:
    """Return errors of the three values, relative to the solution with the same finite axial stiffness."""
    return np.abs(eval_tip(alpha, elements, integration)[0] - eval_extensible(alpha))


@pytest.mark.parametrize("alpha", TABLE)
def test_reference_values(alpha: int) -> None:
    """The elliptic integrals agree with the printed table in all digits, and the influence of the axial stiffness is
    small.
    """
    assert_allclose(eval_inextensible(alpha), TABLE[alpha], rtol=0, atol=ROUNDED)
    assert_allclose(eval_extensible(alpha), eval_inextensible(alpha), rtol=0, atol=alpha**2 / SLENDERNESS + 1e-9)


def test_order_of_convergence() -> None:
    """Rule 2 converges with order 4 ± 0.3 for 8, 16 and 32 elements at alpha = 1, in all three values.

    The measured orders are 3.97 to 3.99. Errors are relative to the extensible elastica. At 32 elements the errors are
    2e-9 to 1e-8, similar to the effect of the axial stiffness and to the rounding errors of the printed
    table.
    """
    errors = [eval_errors(1, n) for n in (8, 16, 32)]
    for coarse, fine in pairwise(errors):
        assert_allclose(np.log2(coarse / fine), 4.0, rtol=0, atol=0.3)


@pytest.mark.parametrize("alpha", TABLE)
@pytest.mark.parametrize("elements", [32, 64])
def test_all_loads(alpha: int, elements: int) -> None:
    """From 32 elements on, errors decrease with at least order 3.7 when the number of elements is doubled.

    The results agree with the printed table within the sum of the error of the mesh, the influence of the axial
    stiffness, and half of the last digit.
    """
    allowed = eval_errors(alpha, elements // 2) / 2**3.7
    assert (eval_errors(alpha, elements) <= allowed).all()
    stretch = np.abs(eval_extensible(alpha) - eval_inextensible(alpha))
    assert (np.abs(eval_tip(alpha, elements)[0] - TABLE[alpha]) <= allowed + stretch + ROUNDED).all()


@pytest.mark.parametrize("elements", [8, 16, 32])
def test_rule_0_locks(elements: int) -> None:
    """Rule 0 requires zero strain at five points, which a bent cubic cannot have, so the error is several hundred times
    the error with rule 2.

    The ratios of the largest errors with both rules, measured at alpha = 1, are 390, 1150 and 1100.
    """
    locked, free = eval_errors(1, elements, integration=0), eval_errors(1, elements)
    print(f"{elements:4d} elements: rule 2 {free}, rule 0 {locked}")
    assert locked.max() > 200 * free.max()


def test_iterations() -> None:
    """Newton's method converges quadratically although EA is 1e8 times EI/L². Each load step needs at most 5
    iterations, even with 64 elements.

    Quadratic convergence requires that the errors of linear solutions are compared with rounding errors
    (`windlass.solvers.linear.linear_check`).
    """
    for alpha in TABLE:
        assert eval_tip(alpha, 64)[1] <= 50
