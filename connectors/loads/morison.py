"""Forces of a fluid on a thin cable at points of its axis, with derivatives, by Morison's equation.

Let t = r'/|r'|, N = I - t tᵀ, w = u - r_t, w_n = N w, w_t = t·w, A = π d²/4. `windlass.connectors.fluids.flow` defines
the symbols of the fluid. The following forces are per current length, and are multiplied by the volume fraction s of
the fluid at the point:

    drag: D = ½ ρ d (C_n m |w_n| w_n + π C_t |w_t| w_t t)
    amplification by vortex-induced vibration: m = 1 + a A/d,    A/d is a function of V_r = |w_n|/(f d)
    buoyancy, upwards: B = ρ A g
    pressure of the fluid and its added mass: P = ρ A (a + C_a N a + C_at t tᵀ a)
    added mass of the cable, on the left-hand side: I = ρ A (C_a N + C_at t tᵀ) r_tt

The force per reference length is F = g s (D + B + P), with g = |r'|, or g = 1 for cables of constant volume.

B and the first term of P are the resultant of the pressure of the undisturbed fluid on a closed surface. Therefore
tensions are effective tensions. The derivatives of F with respect to the position contain the derivatives of s, u and
a. The derivatives with respect to p = r' follow from the derivatives below, where b is a constant vector:

    ∂|p|/∂p = t,    ∂t/∂p = N/|p|,    ∂(N b)/∂p = -((t·b) N + t (N b)ᵀ)/|p|.

A/d is the amplitude of the vibration of a cable across the flow, divided by the diameter, and f is the natural
frequency of the cable. As a function of the reduced velocity V_r, A/d is the smaller of the largest amplitude Y and the
value of a polygon. The polygon increases from 0 at V_r = 2 to 0.15 at V_r = 3 and to 1.3 at V_r = 7, is constant up to
V_r = 9, and decreases to 0 at V_r = 16. Without vibration m = 1. The vibration itself is not computed, only the
increase of the mean drag.

Source: J. R. Morison and others, The force exerted by surface waves on piles, Petroleum Transactions AIME 189 (1950);
M. Hall, A. Goupee, Validation of a lumped-mass mooring line model, Ocean Engineering 104 (2015), for lines;
DNV-RP-F105, Free spanning pipelines (2006), section 4.4 for A/d and section 5.4 for the factor m with a = 2.1; R. D.
Blevins, Flow-Induced Vibration, Van Nostrand Reinhold (1990), chapter 3.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel

CORNERS = ((2.0, 0.0), (3.0, 0.15), (7.0, 1.3), (9.0, 1.3), (16.0, 0.0))
"""Corners of the polygon of A/d: reduced velocity V_r [1] and A/d [1]."""
LARGEST = 1.3
"""Largest A/d of the polygon [1]. This value is the upper limit of the largest amplitude Y."""

# Kernels read structured arrays. The argument c contains the parameters of the cables (`create_parameters` in
# fluid_load.py), m the motion of the points (`line_points.create_points`), and flow the motion of the fluid at the
# points (`flow.create_flows`).


@kernel(inline=True)
def eval_length(c: Any, i: int, size: float) -> float:
    """Return the factor g [1] that converts forces per current length to forces per reference length at point i: |r'|,
    or 1 for cables of constant volume.
    """
    length: float = c[i].grows * size + (1.0 - c[i].grows)
    return length


@kernel(inline=True)
def eval_vibration(Y: float, v: float) -> tuple[float, float]:
    """Return the ratio A/d [1] of the amplitude of the vibration to the diameter at the reduced velocity v, for the
    largest ratio Y [1]. Also return the derivative of A/d with respect to v.
    """
    if v <= CORNERS[0][0] or v >= CORNERS[4][0]:
        return 0.0, 0.0
    A, slope = 0.0, 0.0
    for k in range(4):
        (v0, A0), (v1, A1) = CORNERS[k], CORNERS[k + 1]
        if v0 < v <= v1:
            slope = (A1 - A0) / (v1 - v0)
            A = A0 + slope * (v - v0)
    return (A, slope) if A < Y else (Y, 0.0)


@kernel(inline=True)
def eval_amplification(c: Any, i: int, speed: float) -> tuple[float, float]:
    """Return the factor m [1] of the drag across the axis at point i, and the product [1] of |w_n| and the derivative
    of m with respect to |w_n|, for |w_n| = ``speed``.
    """
    if c[i].gain == 0.0:
        return 1.0, 0.0
    v = speed / c[i].vibration_speed
    A, slope = eval_vibration(c[i].vibration, v)
    return 1.0 + c[i].gain * A, c[i].gain * slope * v


@kernel
def eval_drag(
    c: Any, m: Any, flow: Any, i: int, t: FloatArray, wn: FloatArray, D: FloatArray
) -> tuple[float, float, float]:
    """Write the tangent t, the relative velocity w_n of the fluid across the axis [m/s], and the drag D [N/m] at point
    i into the arrays t, wn and D, shape (3,) each. Return |r'|, |w_n| and the relative velocity w_t along the axis."""
    size, q, square = 0.0, 0.0, 0.0
    for k in range(3):
        size += m[i].p[k] ** 2
    size = sqrt(size)
    for k in range(3):
        t[k] = m[i].p[k] / size
        q += t[k] * (flow[i].u[k] - m[i].v[k])
    for k in range(3):
        wn[k] = flow[i].u[k] - m[i].v[k] - q * t[k]
        square += wn[k] ** 2
    speed = sqrt(square)
    across = c[i].across * eval_amplification(c, i, speed)[0]
    for k in range(3):
        D[k] = across * speed * wn[k] + c[i].along * abs(q) * q * t[k]
    return size, speed, q


@kernel
def fill_forces(c: Any, m: Any, flow: Any) -> None:
    """Write the forces F per reference length at all points into ``F`` of m."""
    t, wn, D = np.zeros(3), np.zeros(3), np.zeros(3)
    for i in range(len(c)):
        size, _, _ = eval_drag(c, m, flow, i, t, wn, D)
        scale = eval_length(c, i, size) * flow[i].s
        along = 0.0
        for k in range(3):
            along += t[k] * flow[i].a[k]
        for k in range(3):
            P = (c[i].displaced + c[i].added) * flow[i].a[k] - c[i].excess * along * t[k]
            m[i].F[k] = scale * (D[k] + P)
        m[i].F[c[i].up] += scale * c[i].lift


@kernel
def fill_derivatives(c: Any, m: Any, flow: Any) -> None:
    """Write the forces F per reference length at all points, and the derivatives of F with respect to position, slope
    and velocity."""
    t, wn, D, E = np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3)
    for i in range(len(c)):
        size, speed, q = eval_drag(c, m, flow, i, t, wn, D)
        s, length = flow[i].s, eval_length(c, i, size)
        along = 0.0
        for k in range(3):
            along += t[k] * flow[i].a[k]
        for k in range(3):
            E[k] = D[k] + (c[i].displaced + c[i].added) * flow[i].a[k] - c[i].excess * along * t[k]
        E[c[i].up] += c[i].lift
        isp = 1.0 / speed if speed > 0.0 else 0.0
        factor, change = eval_amplification(c, i, speed)
        across, rest = c[i].across * factor, c[i].across * (factor + change)
        for k in range(3):
            m[i].F[k] = length * s * E[k]
            for l in range(3):
                same = 1.0 if k == l else 0.0
                N = same - t[k] * t[l]
                # Derivatives with respect to p, multiplied by |p|. The following three lines add the contributions of
                # w_n, of t and w_t, and of N a.
                turned = -across * (q * speed * N + t[k] * wn[l] * speed) - rest * q * wn[k] * wn[l] * isp
                turned += c[i].along * abs(q) * (q * N + 2.0 * t[k] * wn[l])
                turned -= c[i].excess * (along * N + t[k] * (flow[i].a[l] - along * t[l]))
                m[i].Fp[k, l] = s * (c[i].grows * E[k] * t[l] + length / size * turned)
                # derivatives with respect to the velocity of the fluid
                by_u = across * speed * N + rest * wn[k] * wn[l] * isp + 2.0 * c[i].along * abs(q) * t[k] * t[l]
                m[i].Fv[k, l] = -length * s * by_u
        for k in range(3):
            for l in range(3):
                moved = E[k] * flow[i].ds[l]
                for b in range(3):
                    same = c[i].displaced + c[i].added if k == b else 0.0
                    moved += s * (same - c[i].excess * t[k] * t[b]) * flow[i].H[b, l]
                m[i].Fr[k, l] = length * moved
                for b in range(3):
                    m[i].Fr[k, l] -= m[i].Fv[k, b] * flow[i].G[b, l]


@kernel
def fill_inertia(c: Any, m: Any, flow: Any) -> None:
    """Write the inertia forces of the added mass per reference length, g s I, at all points into ``F`` of m."""
    for i in range(len(c)):
        square, along = 0.0, 0.0
        for k in range(3):
            square += m[i].p[k] ** 2
            along += m[i].p[k] * m[i].a[k]
        scale = eval_length(c, i, sqrt(square)) * flow[i].s
        for k in range(3):
            m[i].F[k] = scale * (c[i].added * m[i].a[k] - c[i].excess * along / square * m[i].p[k])


@kernel
def fill_inertia_derivatives(c: Any, m: Any, flow: Any) -> None:
    """Write the derivatives of `fill_inertia` with respect to position, slope and acceleration. The derivatives with
    respect to acceleration are written into ``Fv``.
    """
    t = np.zeros(3)
    for i in range(len(c)):
        size, along = 0.0, 0.0
        for k in range(3):
            size += m[i].p[k] ** 2
        size = sqrt(size)
        for k in range(3):
            t[k] = m[i].p[k] / size
            along += t[k] * m[i].a[k]
        s, added, excess, length = flow[i].s, c[i].added, c[i].excess, eval_length(c, i, size)
        for k in range(3):
            inertia = added * m[i].a[k] - excess * along * t[k]
            for l in range(3):
                same = 1.0 if k == l else 0.0
                turned = along * (same - t[k] * t[l]) + t[k] * (m[i].a[l] - along * t[l])
                m[i].Fp[k, l] = s * (c[i].grows * inertia * t[l] - length / size * excess * turned)
                m[i].Fv[k, l] = length * s * (added * same - excess * t[k] * t[l])
                m[i].Fr[k, l] = length * inertia * flow[i].ds[l]


@kernel
def fill_powers(c: Any, line: Any, m: Any, rates: Any, flow: Any, powers: FloatArray) -> None:
    """Add two powers [W] to the array ``powers``, shape (rows, 2), for each row: the power that drag dissipates, and
    the power that the added mass transfers to the fluid.

    The second power is -½ v·(dM/dt) v with the mass matrix M of the added mass, because Morison's equation has no force
    for the change of the added mass by rotation or immersion. The field ``rates.p`` contains r'_t.
    """
    t, wn, D = np.zeros(3), np.zeros(3), np.zeros(3)
    for i in range(len(c)):
        size, _, _ = eval_drag(c, m, flow, i, t, wn, D)
        length = eval_length(c, i, size)
        drag, q, turn, stretch, square, dive = 0.0, 0.0, 0.0, 0.0, 0.0, flow[i].st
        for k in range(3):
            drag += D[k] * (flow[i].u[k] - m[i].v[k])
            q += t[k] * m[i].v[k]
            stretch += t[k] * rates[i].p[k]
            square += m[i].v[k] ** 2
            dive += flow[i].ds[k] * m[i].v[k]
        square = c[i].added * square - c[i].excess * q * q
        for k in range(3):
            turn += (rates[i].p[k] - stretch * t[k]) * m[i].v[k]
        change = flow[i].s * (c[i].grows * stretch * square - 2.0 * c[i].excess * q * length / size * turn)
        change += length * dive * square
        row, w = line[i].row, line[i].weight
        powers[row, 0] += w * length * flow[i].s * drag
        powers[row, 1] -= 0.5 * w * change


@kernel
def fill_drag(c: Any, m: Any, flow: Any, drag: FloatArray) -> None:
    """Write the drag per current length [N/m], g s D/|r'|, at all points into ``drag``, shape (points, 3)."""
    t, wn, D = np.zeros(3), np.zeros(3), np.zeros(3)
    for i in range(len(c)):
        size, _, _ = eval_drag(c, m, flow, i, t, wn, D)
        for k in range(3):
            drag[i, k] = eval_length(c, i, size) / size * flow[i].s * D[k]


@kernel
def fill_vibrations(c: Any, m: Any, flow: Any, vibration: FloatArray) -> None:
    """Write the amplitude A/d [1] of the vortex-induced vibration at all points into ``vibration``, shape (points,)."""
    t, wn, D = np.zeros(3), np.zeros(3), np.zeros(3)
    for i in range(len(c)):
        _, speed, _ = eval_drag(c, m, flow, i, t, wn, D)
        vibration[i] = eval_vibration(c[i].vibration, speed / c[i].vibration_speed)[0] if c[i].gain > 0.0 else 0.0
