"""Steady motion of a stretched belt around a pulley. Deformable bristles transmit the friction between belt and pulley.

The reference length X is measured from the entry. The belt has the stretch lam, the radius rho of its axis, the flow c,
and the force F = N - rhoA c² lam. `belt_theory` defines these quantities. The rim has the radius r and the angular
velocity omega, and R is the radius of the axis on a rigid contact. Per reference length, mu_k is the stiffness of the
bristles, and mu_v is the damping parallel to the bristles:

    displacement relative to the rim, per reference length: w = r (lam/rho - omega/c)
    bristle: u' = w,    f = mu_k u + mu_v c w, with u = 0 at the entry
    force: F' = a f,    a = r/R
    sticks: |f| <= mu p,    p = F lam/rho
    slips: |f| = mu p. Therefore dF/dphi = ±mu a F

Where the belt sticks, F' = E lam' leads to the equation of shear lag, w'' = a S (mu_k w + mu_v c w'), where E = EA -
rhoA c² and S = dw/dF. On a rigid rim S = a/E. The solutions of the equation are exp(s X) with s² = a S (mu_k + mu_v c
s). With w'(0) = a S mu_v c w(0) and a constant C, the solution is

    w = C (s1 exp(s1 X) - s2 exp(s2 X)), s1 > 0 > s2. Without damping, w is proportional to cosh(X sqrt(a S mu_k)).

Therefore the speeds of belt and rim differ already at the entry. With rigid bristles both speeds are equal at the
entry. For a contact of finite stiffness, S is evaluated at the mean of the forces F at entry and exit.

Source: T. C. Firbank, Mechanics of the belt drive, Int. J. Mech. Sci. 12 (1970) 1053-1063, and G. Gerbert, Belt slip, a
unified approach, J. Mech. Des. 118 (1996) 432-438, model a layer that shears between belt and pulley; for shear lag O.
Volkersen, Luftfahrtforschung 15 (1938) 41-47. This file adds mass, prestrain and damping to these models.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, log, pi, sqrt
from typing import NamedTuple

import numpy as np

from windlass.framework.errors import ModelError

WHOLE = 1.0 - 1e-9
"""Slip arc, divided by the whole arc [1]. Above this value, the whole arc is treated as slipping."""

EQUAL = 1e-9
"""Change of F on an arc, divided by F [1]. Below this value, the deflection of bristles is neglected."""

PASSES = 50
"""Largest number of fixed-point iterations for the reference length of the belt on an arc. Usually a few iterations are
sufficient.
"""


class Rim(NamedTuple):
    """Parameters of a pulley and its belt. The docstring of this file defines the symbols."""

    turn: Callable[[float], float]  # lam/rho [1/m] as a function of F [N]
    slope: float  # S [1/N]
    radius: float  # r [m]
    share: float  # a = r/R [1]
    friction: float  # mu [1]
    stiffness: float  # mu_k [N/m²]
    damping: float  # mu_v c [N/m]


class Passage(NamedTuple):
    """Result for an arc: displacement w relative to the rim per reference length at the entry [1], angle of the slip
    arc [rad], reference length of the sticking part [m], and force F [N] at the start of slip.
    """

    lag: float
    slip_angle: float
    stick_length: float
    slip_force: float


class Stick(NamedTuple):
    """The values w(0) and w(X) for a sticking part of the length X, each divided by w'(X) [m]."""

    first: float
    last: float


def eval_stick(rim: Rim, X: float) -> Stick:
    """Evaluate the solution of the equation of shear lag for a sticking part of the length X [m]. Only exponentials
    with negative exponents are used, because these cannot overflow.
    """
    half = 0.5 * rim.share * rim.slope * rim.damping
    root = sqrt(half * half + rim.share * rim.slope * rim.stiffness)
    s1, s2 = half + root, half - root
    q = exp((s2 - s1) * X)
    return Stick((s1 - s2) * exp(-s1 * X) / (s1 * s1 - s2 * s2 * q), (s1 - s2 * q) / (s1 * s1 - s2 * s2 * q))


def find_length(rim: Rim, F: float, angle: float, lag_of: Callable[[float], tuple[float, float]]) -> float:
    """Find the reference length [m] of the belt on an arc of ``angle`` [rad] at whose end the force is F. ``lag_of`` is
    a function of this length that returns the relative displacement w per reference length and the deflection u of the
    bristles at the end of the arc.

    The angle is the integral of lam/rho = (w + r omega/c)/r. Therefore it equals u/r + X omega/c.
    """
    turn = rim.radius * rim.turn(F)
    X = rim.radius * angle / turn
    # w is of the order of the change of stretch, so each iteration reduces the error by a factor of at least 100
    for _ in range(PASSES):
        w, u = lag_of(X)
        before, X = X, (rim.radius * angle - u + w * X) / turn
        if abs(X - before) <= 1e-15 * X:
            break
    return X


def pass_pulley(rim: Rim, entry: float, leave: float, angle: float = pi) -> Passage:
    """Solve the motion of a belt over an arc of ``angle`` [rad], with the force F = ``entry`` [N] at the entry and F =
    ``leave`` [N] at the exit.

    The solution assumes that the belt sticks and then slips, or sticks on the whole arc. `check_passage` checks that
    the belt does not stick again.
    """
    gain = rim.share * rim.slope

    def bend(w: float, f: float) -> tuple[float, float]:
        return w, (f - rim.damping * w) / rim.stiffness

    def stick(X: float) -> tuple[Stick, float]:
        """Solve for a belt that sticks on the whole arc. On this arc, F changes by (w(X) - w(0))/S, with the symbols of
        the docstring of this file.
        """
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
        """Return the force F at the entry, the `Passage`, and w at the start of slip, for a belt that slips over the
        angle ``last`` at the end of the arc.
        """
        F = leave * exp(-growth * last)
        f = sign * rim.friction * F * rim.turn(F)
        X = find_length(rim, F, angle - last, lambda X: bend(eval_stick(rim, X).last * gain * f, f))
        ends = eval_stick(rim, X)
        change = (ends.last - ends.first) * rim.share * f
        return F - change, Passage(ends.first * gain * f, last, X, F), ends.last * gain * f

    from scipy.optimize import brentq  # imported here, because most models do not need this module

    # upper bound of the slip arc: the arc on which slip alone changes the force from ``entry`` to ``leave``
    most = min(log(leave / entry) / growth, WHOLE * angle)
    if sign * slip(most)[0] > sign * entry:
        return slip(most)[1]
    last = float(brentq(lambda part: slip(part)[0] - entry, 0.0, most, xtol=1e-14, rtol=1e-14))
    return slip(last)[1]


def pass_arc(rim: Rim, entry: float, leave: float, angle: float) -> Passage | None:
    """Solve the motion over an arc by `pass_pulley`, for any forces. Return the result, or None if the belt slips on
    the whole arc or does not press on the pulley.
    """
    if min(entry, leave) <= 0.0:
        return None
    if abs(leave / entry - 1.0) < EQUAL:
        return Passage(0.0, 0.0, angle / rim.turn(leave), leave)
    if abs(log(leave / entry)) >= WHOLE * angle * rim.friction * rim.share:
        return None
    return pass_pulley(rim, entry, leave, angle)


def check_passage(rim: Rim, passage: Passage, entry: float, leave: float) -> None:
    """Raise ModelError for a belt that sticks again after it slips, contrary to the assumption of `pass_pulley`.

    Sticking after slip can occur only if the force F increases along the arc and the bristles are softer than EA
    (mu/R)². In this case the friction limit can increase faster than the force of a bristle. The check is made only for
    bristles that are softer than 16 EA (mu/R)². The belt continues to slip while w > (mu p/mu_k)'. In this inequality w
    is a linear function of F, and (mu p/mu_k)' is a convex function of F.
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
