"""Steady motion of a stretched belt around a pulley whose friction is transmitted by deformable bristles.

The reference length X is counted from the entry. The belt has the stretch lam, the radius rho of its axis, the flow c,
the force F = N - rhoA c² lam (see `belt_theory`), and per reference length the stiffness mu_k of the bristles and the
damping mu_v parallel to them:

    w = r (lam/rho - omega/c)      the rate at which the belt moves along the rim, per reference length
    u' = w,   f = mu_k u + mu_v c w,   F' = a f,   a = r/R      the bristle of a point of the belt; u = 0 at entry
    |f| <= mu p,   p = F lam/rho   where it sticks, else it slips with |f| = mu p:   dF/dphi = +-mu a F

As F' = E lam' (with S = dw/dF = a/E on a rigid rim), w'' = a S (mu_k w + mu_v c w') where it sticks, the equation of
shear lag: of the exponentials exp(s X), s² = a S (mu_k + mu_v c s), the one that fulfils w'(0) = a S mu_v c w(0) is

    w ~ s1 exp(s1 X) - s2 exp(s2 X),   s1 > 0 > s2;      without damping  w ~ cosh(X sqrt(mu_k/E)).

So the speeds of belt and rim differ from the entry on; with rigid bristles the belt would enter with the speed of the
rim. A rim of the contact stiffness k enters with its slope S at the mean of both forces.

Source: T. C. Firbank, Mechanics of the belt drive, Int. J. Mech. Sci. 12 (1970) 1053-1063, and G. Gerbert, Belt slip, a
unified approach, J. Mech. Des. 118 (1996) 432-438, model a layer that shears between belt and pulley; shear lag:
O. Volkersen, Luftfahrtforschung 15 (1938) 41-47.  Mass, prestrain and damping are added here.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, log, pi, sqrt
from typing import NamedTuple

import numpy as np

from windlass.framework.errors import ModelError

WHOLE = 1.0 - 1e-9
"""Share of the arc above which the whole arc counts as slipping [1]."""

PASSES = 50
"""Largest number of fixed-point iterations for a length; a few are usually sufficient."""


class Rim(NamedTuple):
    """A pulley and the belt on it: symbols as at the head of this file."""

    turn: Callable[[float], float]  # lam/rho [1/m] as a function of F [N]
    slope: float  # S [1/N]
    radius: float
    share: float
    friction: float
    stiffness: float  # mu_k [N/m²]
    damping: float  # mu_v c [N/m]


class Passage(NamedTuple):
    """Contact along an arc: w at the entry of the belt [1], slip arc [rad], reference length that sticks [m], F where
    slip begins [N]."""

    lag: float
    slip_angle: float
    stick_length: float
    slip_force: float


class Stick(NamedTuple):
    """w(0) and w(X) of a sticking length X, divided by w'(X) [m]."""

    first: float
    last: float


def eval_stick(rim: Rim, X: float) -> Stick:
    """The solution of shear lag, written without growing exponentials."""
    half = 0.5 * rim.share * rim.slope * rim.damping
    root = sqrt(half * half + rim.share * rim.slope * rim.stiffness)
    s1, s2 = half + root, half - root
    q = exp((s2 - s1) * X)
    return Stick((s1 - s2) * exp(-s1 * X) / (s1 * s1 - s2 * s2 * q), (s1 - s2 * q) / (s1 * s1 - s2 * s2 * q))


def find_length(rim: Rim, F: float, angle: float, lag_of: Callable[[float], tuple[float, float]]) -> float:
    """Find the reference length [m] that lies on ``angle`` [rad] and ends with the force F; ``lag_of``: function of w
    and u at its end.

    The angle is the integral of lam/rho = (w + r omega/c)/r, and therefore u/r + X omega/c.
    """
    turn = rim.radius * rim.turn(F)
    X = rim.radius * angle / turn
    # w is as small as a change of the stretch, so each iteration adds at least two digits
    for _ in range(PASSES):
        w, u = lag_of(X)
        before, X = X, (rim.radius * angle - u + w * X) / turn
        if abs(X - before) <= 1e-15 * X:
            break
    return X


def pass_pulley(rim: Rim, entry: float, leave: float, angle: float = pi) -> Passage:
    """Solve the motion over ``angle`` [rad] of a belt that enters with the force F = ``entry`` and leaves with
    ``leave`` [N].

    The belt sticks and then slips, or sticks on the whole arc; `check_passage` checks that it does not stick again.
    """
    gain = rim.share * rim.slope

    def bend(w: float, f: float) -> tuple[float, float]:
        return w, (f - rim.damping * w) / rim.stiffness

    def stick(X: float) -> tuple[Stick, float]:
        """A belt that sticks on the whole arc: F changes by (w(X) - w(0))/S."""
        ends = eval_stick(rim, X)
        return ends, (leave - entry) * rim.slope / (ends.last - ends.first)

    def end_of_stick(X: float) -> tuple[float, float]:
        ends, rate = stick(X)
        return bend(ends.last * rate, rate / gain)

    X = find_length(rim, leave, angle, end_of_stick)
    ends, rate = stick(X)
    if abs(rate / gain) <= rim.friction * leave * rim.turn(leave):
        return Passage(ends.first * rate, 0.0, X, leave)

    sign = 1.0 if leave > entry else -1.0
    growth = sign * rim.friction * rim.share

    def slip(last: float) -> tuple[float, Passage, float]:
        """F at entry if the angle ``last`` at the end slips, the passage, and w where slip begins."""
        F = leave * exp(-growth * last)
        f = sign * rim.friction * F * rim.turn(F)
        X = find_length(rim, F, angle - last, lambda X: bend(eval_stick(rim, X).last * gain * f, f))
        ends = eval_stick(rim, X)
        change = (ends.last - ends.first) * rim.share * f
        return F - change, Passage(ends.first * gain * f, last, X, F), ends.last * gain * f

    from scipy.optimize import brentq  # imported here, because most models do not need it

    # an upper bound of the slip arc: on it slip alone makes the whole change of the force, a part of which the sticking
    # arc makes
    most = min(log(leave / entry) / growth, WHOLE * angle)
    if sign * slip(most)[0] > sign * entry:
        return slip(most)[1]
    last = float(brentq(lambda part: slip(part)[0] - entry, 0.0, most, xtol=1e-14, rtol=1e-14))
    return slip(last)[1]


def check_passage(rim: Rim, passage: Passage, entry: float, leave: float) -> None:
    """Raise ModelError for a belt that sticks again after it slips, contrary to the assumption of `pass_pulley`.

    Sticking after slip occurs only where F increases, with bristles softer than EA (mu/R)²: in this case the limit may
    increase faster than the force of a bristle (the test begins at sixteen times this stiffness). Slip lasts while w >
    (mu p/mu_k)'; as functions of F the left-hand side is linear and the right-hand side convex.
    """

    def force(w: float) -> float:
        return entry + (w - passage.lag) / rim.slope

    def grows(F: float) -> float:
        turn = rim.turn(F)
        return rim.friction**2 * rim.share * F * turn * (turn + F * rim.slope / rim.radius) / rim.stiffness

    soft = rim.slope * rim.stiffness < rim.share * (4.0 * rim.friction * rim.turn(leave)) ** 2
    again = False
    if leave > entry and soft:
        whole = eval_stick(rim, passage.stick_length)
        begin = passage.lag * whole.last / whole.first
        for part in np.linspace(0.0, 1.0, 65)[1:-1]:
            here = eval_stick(rim, part * passage.stick_length)
            F = force(passage.lag * here.last / here.first)
            f = passage.lag / here.first / (rim.share * rim.slope)
            again = again or f > rim.friction * F * rim.turn(F)
        for F in (passage.slip_force, leave) if passage.slip_angle > 0.0 else ():
            w = begin + rim.slope * (F - passage.slip_force)
            again = again or w < grows(F) * (1.0 - 1e-9)
    if again:
        raise ModelError(
            f"friction_stiffness_per_length = {rim.stiffness:g} N/m² of belt_creep: must be greater, or the torque "
            f"smaller; on the driven pulley the belt slips and sticks again, which this theory does not cover"
        )
