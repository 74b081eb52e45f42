"""Theory of belts on two equal circles, solved by code that is independent of the package: creep under load, and
bending at rest.

The symbols are: reference length X, stretch l, axial force N = EA (l - 1 - e0), contact stiffness k per reference
length, radius R of the circles, distance D of their centres, and reference length L of the closed belt.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import solve_bvp
from scipy.optimize import root


class Creep(NamedTuple):
    """Results: ``speed_loss`` is 1 - w2/w1 [1], ``tight`` and ``slack`` are axial forces [N], and ``slip_arc`` is the
    angle on which the belt slips [rad].
    """

    speed_loss: float
    tight: float
    slack: float
    slip_arc: float


def solve_creep(
    EA: float, e0: float, rA: float, k: float, mu: float, R: float, D: float, L: float, speed: float, torque: float
) -> Creep:
    """Return the solution for a steady drive with inertia. The contact depth of the belt on the circles is (N - rA c²
    l) l/(k R).

    A belt that moves with c = X_t [m/s] presses on the circle with F = N - rA c² l. At the entry of a circle the belt
    sticks, so its speed equals the speed of the surface, c l = w rho, at the radius rho = R - F l/(k R). Before the
    belt leaves the circle, it slips over the angle ln(F_tight/F_slack)/mu. The unknowns are the stretches of tight and
    slack strand, and c. The unknowns follow from the torque, the length of the belt and the speed.

    Args:
        EA, e0: axial stiffness [N] and reference strain [1].
        rA: mass per reference length [kg/m].
        k: contact stiffness per reference length [N/m²].
        mu: friction coefficient.
        R, D, L: radius, distance of the centres, reference length of the belt [m].
        speed: speed of the driver [rad/s].
        torque: torque on the driven circle [N m].

    Source: S. E. Bechtel and others, J. Appl. Mech. 67 (2000): creep with inertia. The elastic foundation and the
    length condition are additions of this module.
    """
    points, weights = np.polynomial.legendre.leggauss(60)

    def parts(u: Any) -> tuple[Any, ...]:
        l1, l2, c = u
        E, F0 = EA - rA * c * c, EA * (1.0 + e0)
        F1, F2 = E * l1 - F0, E * l2 - F0
        slip = np.log(F1 / F2) / mu
        F = F2 * np.exp(mu * 0.5 * slip * (points + 1.0))
        l, w = (F + F0) / E, 0.5 * slip * weights
        rho = R - F * l / (k * R)
        rho1, rho2 = R - F1 * l1 / (k * R), R - F2 * l2 / (k * R)
        length = D / l1 + D / l2 + (np.pi - slip) * (rho1 / l1 + rho2 / l2) + 2.0 * np.sum(w * rho / l)
        return slip, rho1, rho2, length, np.sum(mu * w * F * rho)

    def equations(u: Any) -> list[float]:
        _, rho1, _, length, moment = parts(u)
        return [moment / torque - 1.0, length / L - 1.0, u[2] * u[0] / (speed * rho1) - 1.0]

    d = torque / R / EA / 2.0
    u = root(equations, [1.0 + d, 1.0 - d, speed * R], tol=1e-12).x
    assert np.abs(equations(u)).max() < 1e-10
    l1, l2, c = u
    slip, _, rho2, _, _ = parts(u)
    return Creep(1.0 - c * l2 / rho2 / speed, EA * (l1 - 1.0 - e0), EA * (l2 - 1.0 - e0), float(slip))


class BentBelt(NamedTuple):
    """Results: ``tension`` is the axial force in the middle of the strands [N], and ``height`` is the height of this
    point above the line between the centres [m].
    """

    tension: float
    height: float


def solve_bent_belt(EA: float, e0: float, EI: float, k: float, R: float, D: float) -> BentBelt:
    """Return the solution for a preloaded belt with the bending stiffness EI [N m²] at rest on an elastic foundation,
    with L = 2 pi R + 2 D.

    The model is an extensible elastica with the energies EA (l - 1 - e0)²/2 and EI theta'²/2 per reference length: r' =
    l t, N = F.t, m = EI theta', F' = -p, m' = -l Q, Q = F.n, with p = k times the depth, outward. In a quarter of the
    belt, the part [0, X] touches the circle, and the rest is free. X is unknown. Source: S. S. Antman, Nonlinear
    Problems of Elasticity, chapter 4.
    """
    quarter, T0 = (2.0 * np.pi * R + 2.0 * D) / 4.0, -EA * e0
    scale = np.array([R, R, 1.0, EI / R, T0, T0])[:, None]

    def part(z: Any, touches: bool) -> Any:
        x, y, theta, m, Fx, Fy = z * scale
        c, s = np.cos(theta), np.sin(theta)
        l, Q, rho = 1.0 + e0 + (Fx * c + Fy * s) / EA, Fy * c - Fx * s, np.hypot(x, y)
        p = k * (R - rho) / rho if touches else 0.0 * rho
        return np.array([l * c, l * s, m / EI, -l * Q, -p * x, -p * y]) / scale

    def slope(_: Any, z: Any, p: Any) -> Any:
        return np.vstack([part(z[:6], True) * p[0], part(z[6:], False) * (quarter - p[0])])

    def ends(a: Any, b: Any, _: Any) -> Any:
        # conditions at the pole of the left circle, in the middle of the strand, and at the point at which both parts
        # meet at depth 0
        symmetry = [a[1], a[2] - np.pi / 2, a[4], b[6] - D / 2 / R, b[8], b[11]]
        return np.concatenate([symmetry, b[:6] - a[6:], [np.hypot(b[0], b[1]) - 1.0]])

    # initial guess: a circle, and a strand that decays towards its middle over the length sqrt(EI/T)
    u, d = np.linspace(0.0, 1.0, 401), np.sqrt(EI / T0)
    lift = min(d / R, 1.0)
    phi = np.pi - u * (np.pi / 2 - lift)
    one = np.ones_like(u)
    depth = 1.0 - T0 / (R * R * k)
    bend = np.exp(-u * D / 2 / d)
    first = [depth * np.cos(phi), depth * np.sin(phi), phi - np.pi / 2, -one, np.sin(phi), -np.cos(phi)]
    across = -np.sin(lift) + u * (D / 2 / R + np.sin(lift))
    second = [across, one, lift * bend, -bend, one, 0.0 * u]
    X = quarter - D / 2 - R * lift
    found = solve_bvp(slope, ends, u, np.vstack([*first, *second]), p=[X], tol=1e-8, max_nodes=20000)
    assert found.success, found.message
    z = found.sol(1.0)
    return BentBelt(float(z[10] * T0), float(z[7] * R))
