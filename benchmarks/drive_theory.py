"""Steady motion of belt drives with any number of pulleys, computed by code that is independent of the package.

A belt with the law N = EA (lam - 1) runs with the flow c = dX/dt of its slack length X, and therefore with the speed v
= c lam. The part F = N - rhoA c v of the tension N presses on the pulleys and transmits torque. F is constant in a
span. R is the radius of the cord, r the radius of the face, and omega the speed of a pulley. K [N/m²] is the stiffness
of a layer between cord and face (force per metre of belt and metre of shear). The layer has no shear where the belt
enters. The equations are:

- shear u: u' = w = lam - omega R/c with u(0) = 0, and F' = K u, until |K u| reaches the friction limit mu (r/R) F
  lam/R. With a² = (EA - rhoA c²)/K the solution is w = w0 cosh(X/a), F = F_in + (EA - rhoA c²) w0 (cosh(X/a) - 1).
- slip: F = F_s exp(+-mu (r/R) phi) over the remaining angle phi, with the force F_s where slip begins.
- rigid layer, K = inf: omega R = c lam_in, and F is constant where the belt sticks.
- torque: (F_out - F_in) R.
- bending: N on an arc is smaller than N in a span by EI/(2 R²). The line of a span lies at R + EI/(2 F R) from the
  centre. An end of an arc adds l³/(12 R²) to the length, where l² = EI/F (beam under tension that leaves a rigid
  circle).
- length: the sum of the slack lengths of spans and arcs is the length of the belt.

Hub loads are the pulls F of both spans along their lines. The unknowns are F of all spans and c.

Source: F. Grashof, Theoretische Maschinenlehre II (1883); S. E. Bechtel, S. Vohra, K. I. Jacob, C. D. Carlson, J. Appl.
Mech. 67 (2000) 197-206, for inertia; T. C. Firbank, Int. J. Mech. Sci. 12 (1970) 1053-1063, for the layer.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import asinh, atan2, exp, inf, log, pi, sinh, sqrt

import numpy as np
from scipy.optimize import brentq, fsolve

SMALLEST = 1e-9
"""Change [1] of F on an arc, relative to F, below which the layer is treated as rigid. A layer below this limit changes
speeds by less than 1e-9.
"""
LARGEST = 300.0
"""Largest argument X/a [1] of cosh."""
GAUSS = np.polynomial.legendre.leggauss(24)


@dataclass(frozen=True)
class Wheel:
    """A pulley: centre [m], radius r [m] of the face, radius R [m] of the cord, side +1 clockwise or -1
    counter-clockwise.
    """

    at: tuple[float, float]
    face: float
    cord: float
    side: int = 1
    shear: float = inf  # stiffness K [N/m²] of the layer
    friction: float = 0.5


@dataclass(frozen=True)
class Steady:
    """The steady motion, with one value for each pulley, or for the span after each pulley.

    The values are speeds [rad/s], tensions N [N], pressing forces F [N], torques [N m] of the belt, hub loads [N] with
    two components, and slip arcs [rad].
    """

    speeds: np.ndarray
    tensions: np.ndarray
    presses: np.ndarray
    torques: np.ndarray
    hubs: np.ndarray
    slips: np.ndarray
    wraps: np.ndarray
    flow: float
    belt_speed: float


def lay_lines(wheels: list[Wheel], radii: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the length [m] and the direction [rad] of the span after each pulley, and the wrap angles [rad]. Spans are
    common tangents of the circles.
    """
    n = len(wheels)
    lengths, angles = np.zeros(n), np.zeros(n)
    for i in range(n):
        j = (i + 1) % n
        dx, dy = np.subtract(wheels[j].at, wheels[i].at)
        distance = sqrt(dx * dx + dy * dy)
        # the line of the span has the direction angles[i], and each centre lies at the distance -side*radius to the
        # left of this line
        offset = wheels[i].side * radii[i] - wheels[j].side * radii[j]
        lengths[i] = sqrt(distance**2 - offset**2)
        angles[i] = atan2(dy, dx) - np.arcsin(offset / distance)
    wraps = np.array([(w.side * (angles[i - 1] - angles[i])) % (2.0 * pi) for i, w in enumerate(wheels)])
    return lengths, angles, wraps


def pass_wheel(wheel: Wheel, E: float, EA: float, F: float, out: float, wrap: float) -> tuple[float, float, float]:
    """Return the difference lam - w [1] of stretch and shear rate at the entry, the slip arc [rad], and the slack
    length [m] of an arc.
    """
    R, mu = wheel.cord, wheel.friction * wheel.face / wheel.cord
    rise = 1.0 if out > F else -1.0

    def stretch(F: float) -> float:
        return (F + EA) / E

    def slip_length(start: float, phi: float) -> float:
        grown = start * np.exp(rise * mu * 0.5 * phi * (GAUSS[0] + 1.0))
        return R * 0.5 * phi * float(GAUSS[1] @ (E / (grown + EA)))

    phi = abs(log(out / F)) / mu
    rigid = stretch(F), phi, R * (wrap - phi) / stretch(F) + slip_length(F, phi)
    if wheel.shear == inf or abs(out / F - 1.0) < SMALLEST:
        return rigid
    a, K = sqrt(E / wheel.shear), wheel.shear

    def move(g: float) -> tuple[float, float, float]:
        """For the shear rate w0 = rise exp(g) at the entry, return F at the exit, the slip arc [rad], and the slack
        length [m]."""
        w = rise * exp(g)

        def force(X: float) -> float:
            return F + 2.0 * E * w * sinh(0.5 * X / a) ** 2

        def angle(X: float) -> float:
            return ((stretch(F) - w) * X + w * a * sinh(X / a)) / R

        def excess(X: float) -> float:
            return K * abs(w) * a * sinh(X / a) - mu * force(X) * stretch(force(X)) / R

        limit = mu * F * stretch(F) / R
        if rise < 0.0:
            # Along the arc, the friction limit decreases and the shear force increases. Therefore the shear force
            # reaches the limit only once, and is below the limit at the entry.
            X = brentq(excess, 0.0, a * asinh(limit / (K * a * abs(w))))
            slides = angle(X) < wrap
        else:
            # the search ends at the end of the arc, or where X/a reaches its largest value
            places = np.linspace(0.0, min(R * wrap / stretch(F) * (1.0 + 1e-9), LARGEST * a), 400)
            grown = F + 2.0 * E * w * np.sinh(0.5 * places / a) ** 2
            over = np.flatnonzero(K * abs(w) * a * np.sinh(places / a) > mu * grown * (grown + EA) / E / R)
            slides = len(over) > 0
            X = brentq(excess, places[over[0] - 1], places[over[0]]) if slides else float(places[-1])
            slides = slides and angle(X) < wrap
        if not slides:
            end = brentq(lambda X: angle(X) - wrap, 0.0, X)
            return force(end), 0.0, end
        phi = wrap - angle(X)
        return force(X) * exp(rise * mu * phi), phi, X + slip_length(force(X), phi)

    def miss(g: float) -> float:
        return rise * (move(g)[0] - out)

    # Start from the shear that causes the whole change of the force on the arc. Then search larger values (for long
    # parts without shear) and smaller values.
    low = high = log(abs(out - F) / E)
    while miss(high) < 0.0:
        high += 2.0
        if high > 20.0:
            raise ValueError("the layer is too soft for its load")
    while miss(low) > 0.0:
        low -= 8.0
        if low < -0.8 * LARGEST:
            if phi > wrap:
                raise ValueError("the belt slips on the whole arc")
            return rigid
    g = float(brentq(miss, low, high, xtol=1e-12))
    _, phi, length = move(g)
    return stretch(F) - rise * exp(g), phi, length


def find_length(wheels: list[Wheel], EA: float, EI: float, tension: float) -> float:
    """Return the slack length [m] of a belt for which all spans have the given tension [N] at rest without friction."""
    radii = np.array([w.cord for w in wheels])
    spans, _, wraps = lay_lines(wheels, radii + EI / (2.0 * tension * radii))
    arcs = radii * wraps / (1.0 + (tension - EI / (2.0 * radii**2)) / EA)
    ends = 2.0 * (EI / tension) ** 1.5 / (12.0 * radii**2)
    return float(spans.sum() / (1.0 + tension / EA) + (arcs + ends).sum())


def solve_drive(
    wheels: list[Wheel], EA: float, rho: float, EI: float, length: float, driver: int, speed: float, torques: np.ndarray
) -> Steady:
    """Return the steady motion of a belt with a given slack length [m].

    The argument ``torques`` contains the torque [N m] of the belt on each pulley. A torque > 0 drives the pulley, and
    the value of the driver is ignored.
    """
    n, radii = len(wheels), np.array([w.cord for w in wheels])
    sides = np.array([w.side for w in wheels])

    def spread(u: np.ndarray) -> tuple[np.ndarray, float]:
        """Return the pressing forces F of all spans, computed from the force after the driver, and the flow."""
        F = np.zeros(n)
        F[driver] = u[0]
        for step in range(1, n):
            i = (driver + step) % n
            # the torque of a driven pulley changes the pressing force in the span after the pulley
            F[i] = F[i - 1] + torques[i] / radii[i]
        return F, float(u[1])

    def evaluate(u: np.ndarray) -> tuple[float, Steady]:
        F, c = spread(u)
        E = EA - rho * c * c
        lines = radii + np.array([EI / (F[i - 1] + F[i]) / radii[i] for i in range(n)])
        lengths, angles, wraps = lay_lines(wheels, lines)
        bent = EI / (2.0 * radii**2)
        total, speeds, slips = 0.0, np.zeros(n), np.zeros(n)
        for i, wheel in enumerate(wheels):
            total += lengths[i] * E / (F[i] + EA)
            lam, slips[i], on_arc = pass_wheel(wheel, E, EA, F[i - 1] - bent[i], F[i] - bent[i], wraps[i])
            ends = sum((EI / F[j]) ** 1.5 / (12.0 * radii[i] ** 2) for j in (i - 1, i))
            total += on_arc + ends
            speeds[i] = c * lam / radii[i]
        stretches = (F + EA) / E
        N = EA * (stretches - 1.0)
        pull = np.stack((np.cos(angles), np.sin(angles)), axis=1) * F[:, None]
        hubs = np.array([pull[i] - pull[i - 1] for i in range(n)])
        moments = -sides * np.array([(F[i - 1] - F[i]) * radii[i] for i in range(n)])
        steady = Steady(-sides * speeds, N, F, moments, hubs, slips, wraps, c, c * float(stretches.mean()))
        return (total - length) * EA / length, steady

    def errors(u: np.ndarray) -> list[float]:
        miss, steady = evaluate(u)
        return [miss / u0[0], abs(steady.speeds[driver]) / speed - 1.0]

    lengths, _, wraps = lay_lines(wheels, radii)
    lam = (lengths.sum() + radii @ wraps) / length
    c = speed * radii[driver] / lam
    mean = EA * (lam - 1.0) - rho * c * c * lam
    F0, _ = spread(np.array([0.0, c]))
    u0 = np.array([mean - F0.mean(), c])
    u, info, _, message = fsolve(errors, u0, xtol=1e-12, full_output=True)
    if max(map(abs, info["fvec"])) > 1e-9:
        raise ValueError(f"no steady motion: {message}")
    return evaluate(u)[1]
