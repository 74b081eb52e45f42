"""Solutions for a preloaded belt with bending stiffness around two equal circles without friction, as boundary value
problems.

The model is an extensible elastica without shear, per unstrained length X of the belt: r_X = l t with the stretch l and
the tangent t = [cos θ, sin θ], axial force N = F·t = EA (l - 1 - ε0), moment m = EI θ_X, shear force Q = F·n,

    F_X = -p,    m_X = -l Q

(a) on a foundation: the force p per length X points away from the centre of the circle. Its magnitude is k g where the
    distance of the belt from the centre is smaller than the radius by g > 0. Contact and span are two parts, whose
    common end is unknown.
(b) around rigid circles: the belt is an arc of constant l up to the point where it leaves the circle under a point
    force, because no distributed force could balance the jump of the shear force.

The equations are solved for a quarter of the belt, from the pole of the left circle at (-R, 0) to the middle of the
upper span.
Source: S. S. Antman, Nonlinear Problems of Elasticity, Springer (2005), chapter 4; E. Reissner, ZAMP 23 (1972) 795-804.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import solve_bvp

from windlass.framework.arrays import FloatArray


@dataclass(frozen=True)
class Belt:
    """Parameters of the belt: EI [N m^2], EA [N], ε0 [1], radius R [m], distance of the centres [m]."""

    EI: float
    EA: float = 8000.0
    strain: float = -0.05
    radius: float = 0.1
    distance: float = 0.4

    @property
    def length(self) -> float:
        """Reference length [m] of the belt along the circles."""
        return 2.0 * np.pi * self.radius + 2.0 * self.distance

    @property
    def preload(self) -> float:
        """Axial force [N] of the belt along the circles."""
        return -self.EA * self.strain


class Solution(NamedTuple):
    """Axial force [N], height [m] and moment [N m] in the middle of the span, position [m] and moment [N m] of the
    pole, and polar angle at which the belt leaves the circle [rad].
    """

    force: float
    height: float
    moment: float
    pole: float
    pole_moment: float
    angle: float


def _start_span(b: Belt, lift: float, points: int) -> tuple[FloatArray, FloatArray]:
    """Return an initial guess of the span from an angle before the top: the parameter u, and x, y, θ, m."""
    u = np.linspace(0.0, 1.0, points)
    decay = np.sqrt(b.EI / b.preload)
    fading = np.exp(-u * b.distance / 2.0 / decay)
    x = -b.radius * lift + u * (b.distance / 2.0 + b.radius * lift)
    return u, np.array([x, b.radius + 0.0 * u, lift * fading, -b.EI / b.radius * fading])


def solve_rigid(b: Belt) -> tuple[Solution, Any]:
    """Solve problem (b), and return the span as a function of u from 0 to 1. The unknown parameters are the angle
    before the top at which the belt leaves the circle, the ratio of axial force and preload, and the reference length
    of half a span.
    """
    R, T0 = b.radius, b.preload

    def stretch(force: float, angle: Any) -> Any:
        return 1.0 + b.strain + force * np.cos(angle) / b.EA

    def slopes(_: FloatArray, z: FloatArray, p: FloatArray) -> FloatArray:
        force = p[1] * T0
        l = stretch(force, z[2])
        return p[2] * np.array([l * np.cos(z[2]), l * np.sin(z[2]), z[3] / b.EI, l * force * np.sin(z[2])])

    def ends(a: FloatArray, e: FloatArray, p: FloatArray) -> FloatArray:
        l = stretch(p[1] * T0, p[0])
        circle = [a[0] + R * np.sin(p[0]), a[1] - R * np.cos(p[0]), a[2] - p[0], a[3] * R / b.EI + l]
        return np.array([*circle, e[0] - b.distance / 2.0, e[2], R * (np.pi / 2.0 - p[0]) / l + p[2] - b.length / 4.0])

    lift = min(np.sqrt(b.EI / T0) / R, 1.0)
    u, z = _start_span(b, lift, 501)
    done = solve_bvp(slopes, ends, u, z, p=[lift, 1.0, b.distance / 2.0], tol=1e-9, max_nodes=50_000)
    assert done.success, done.message
    lift, force = done.p[0], done.p[1] * T0
    moment = -b.EI * stretch(force, lift) / R
    middle = done.sol(1.0)
    return Solution(force, middle[1], middle[3], -R, moment, np.pi / 2.0 + lift), done


def solve_foundation(b: Belt, k: float) -> Solution:
    """Solve problem (a) with the stiffness k per length [N/m^2]. Contact and span are computed in units of R, EI/R and
    the preload.
    """
    R, T0, quarter = b.radius, b.preload, b.length / 4.0
    scale = np.array([R, R, 1.0, b.EI / R, T0, T0])[:, None]

    def part(z: FloatArray, contact: bool) -> FloatArray:
        x, y, angle, moment, Fx, Fy = z * scale
        c, s = np.cos(angle), np.sin(angle)
        l = 1.0 + b.strain + (Fx * c + Fy * s) / b.EA
        rho = np.hypot(x, y)
        p = k * (R - rho) / rho if contact else 0.0 * rho
        return np.array([l * c, l * s, moment / b.EI, l * (Fx * s - Fy * c), -p * x, -p * y]) / scale

    def slopes(_: FloatArray, z: FloatArray, p: FloatArray) -> FloatArray:
        return np.vstack([part(z[:6], True) * p[0], part(z[6:], False) * (quarter - p[0])])

    def ends(a: FloatArray, e: FloatArray, _: FloatArray) -> FloatArray:
        symmetric = [a[1], a[2] - np.pi / 2.0, a[4], e[6] - b.distance / 2.0 / R, e[8], e[11]]
        return np.concatenate([symmetric, e[:6] - a[6:], [np.hypot(e[0], e[1]) - 1.0]])

    # the initial guess is the solution around rigid circles
    rigid, done = solve_rigid(b)
    u = np.linspace(0.0, 1.0, 401)
    polar = np.pi - u * (np.pi - rigid.angle)
    force = rigid.force * np.cos(rigid.angle - np.pi / 2.0)
    l = -rigid.pole_moment * R / b.EI
    inside = 1.0 - force * l / (R * R * k)
    turned = polar - np.pi / 2.0
    pull = force / T0
    contact = [
        inside * np.cos(polar),
        inside * np.sin(polar),
        turned,
        0.0 * u - l,
        pull * np.cos(turned),
        pull * np.sin(turned),
    ]
    x, y, angle, moment = done.sol(u)
    span = [x / R, y / R, angle, moment * R / b.EI, 0.0 * u + rigid.force / T0, 0.0 * u]
    start = np.vstack([contact, span])
    done = solve_bvp(slopes, ends, u, start, p=[quarter - done.p[2]], tol=1e-7, max_nodes=20_000)
    assert done.success, done.message
    a, e = done.y[:, 0], done.y[:, -1]
    leaves = float(np.arctan2(done.y[1, -1], done.y[0, -1]))
    return Solution(e[10] * T0, e[7] * R, e[9] * b.EI / R, a[0] * R, a[3] * b.EI / R, leaves)
