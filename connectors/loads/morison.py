"""Forces of a fluid on a thin cable at points of its axis, with their derivatives: Morison's equation.

With t = r'/|r'|, N = I - t tᵀ, w = u - r_t, w_n = N w, w_t = t·w, A = π d²/4, per current length and times the share s
of the fluid at the point (letters of the fluid: `windlass.connectors.fluids.flow`):

    D = ½ ρ d (C_n |w_n| w_n + π C_t |w_t| w_t t)                       drag
    B = ρ A g                                                           buoyancy, upwards
    P = ρ A (a + C_a N a)                                               pressure of the fluid, and its added mass
    I = ρ A C_a N r_tt                                                  added mass of the cable, on the left-hand side

and F = |r'| s (D + B + P) per reference length.  B and the first part of P are the pressure of the undisturbed fluid on
a closed surface: tensions are effective tensions.  Derivatives, with x the position and p = r':

    ∂|p|/∂p = t,    ∂t/∂p = N/|p|,    ∂(N b)/∂p = -((t·b) N + t (N b)ᵀ)/|p|,    ∂s/∂x of the fluid.

Source: J. R. Morison and others, The force exerted by surface waves on piles, Petroleum Transactions AIME 189 (1950);
M. Hall, A. Goupee, Validation of a lumped-mass mooring line model, Ocean Engineering 104 (2015), for lines.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from windlass.connectors.fluids.flow import Flow
from windlass.connectors.loads.line_points import LineColumns, LoadPoints
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel


class FluidColumns(NamedTuple):
    """Parameters of the cables at points, each of shape (points,), and the number of the axis that points upwards."""

    up: int
    across: FloatArray  # across, along: ½ ρ d C_n and ½ ρ d π C_t [kg/m^2]
    along: FloatArray
    lift: FloatArray  # ρ A g [N/m]
    displaced: FloatArray  # ρ A
    added: FloatArray  # ρ A C_a [kg/m]


@kernel
def eval_drag(
    c: FluidColumns, m: LoadPoints, flow: Flow, i: int, t: FloatArray, wn: FloatArray, D: FloatArray
) -> tuple[float, float, float]:
    """t, w_n and D at point i into t, wn, D, shape (3,); gives |r'|, |w_n| and w_t."""
    size, q, square = 0.0, 0.0, 0.0
    for k in range(3):
        size += m.p[i, k] ** 2
    size = sqrt(size)
    for k in range(3):
        t[k] = m.p[i, k] / size
        q += t[k] * (flow.u[i, k] - m.v[i, k])
    for k in range(3):
        wn[k] = flow.u[i, k] - m.v[i, k] - q * t[k]
        square += wn[k] ** 2
    speed = sqrt(square)
    for k in range(3):
        D[k] = c.across[i] * speed * wn[k] + c.along[i] * abs(q) * q * t[k]
    return size, speed, q


@kernel
def fill_forces(c: FluidColumns, m: LoadPoints, flow: Flow) -> None:
    """F of all points."""
    t, wn, D = np.zeros(3), np.zeros(3), np.zeros(3)
    for i in range(len(c.lift)):
        size, _, _ = eval_drag(c, m, flow, i, t, wn, D)
        along = 0.0
        for k in range(3):
            along += t[k] * flow.a[i, k]
        for k in range(3):
            P = c.displaced[i] * flow.a[i, k] + c.added[i] * (flow.a[i, k] - along * t[k])
            m.F[i, k] = size * flow.s[i] * (D[k] + P)
        m.F[i, c.up] += size * flow.s[i] * c.lift[i]


@kernel
def fill_derivatives(c: FluidColumns, m: LoadPoints, flow: Flow) -> None:
    """F of all points, and its derivatives with respect to position, slope and velocity."""
    t, wn, D, E = np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3)
    for i in range(len(c.lift)):
        size, speed, q = eval_drag(c, m, flow, i, t, wn, D)
        s = flow.s[i]
        along = 0.0
        for k in range(3):
            along += t[k] * flow.a[i, k]
        for k in range(3):
            E[k] = D[k] + (c.displaced[i] + c.added[i]) * flow.a[i, k] - c.added[i] * along * t[k]
        E[c.up] += c.lift[i]
        isp = 1.0 / speed if speed > 0.0 else 0.0
        for k in range(3):
            m.F[i, k] = size * s * E[k]
            for l in range(3):
                same = 1.0 if k == l else 0.0
                N = same - t[k] * t[l]
                # with respect to p: of |p|, of w_n, of t and w_t, and of N a
                turned = c.across[i] * (-q * (speed * N + wn[k] * wn[l] * isp) - t[k] * wn[l] * speed)
                turned += c.along[i] * abs(q) * (q * N + 2.0 * t[k] * wn[l])
                turned -= c.added[i] * (along * N + t[k] * (flow.a[i, l] - along * t[l]))
                m.Fp[i, k, l] = s * (E[k] * t[l] + turned)
                # with respect to the velocity of the fluid
                by_u = c.across[i] * (speed * N + wn[k] * wn[l] * isp) + 2.0 * c.along[i] * abs(q) * t[k] * t[l]
                m.Fv[i, k, l] = -size * s * by_u
        for k in range(3):
            for l in range(3):
                change = E[k] * flow.ds[i, l]
                for b in range(3):
                    N = (1.0 if k == b else 0.0) - t[k] * t[b]
                    change += s * (c.added[i] * N + (c.displaced[i] if k == b else 0.0)) * flow.H[i, b, l]
                m.Fr[i, k, l] = size * change
                for b in range(3):
                    m.Fr[i, k, l] -= m.Fv[i, k, b] * flow.G[i, b, l]


@kernel
def fill_inertia(c: FluidColumns, m: LoadPoints, flow: Flow) -> None:
    """|r'| s ρ A C_a N r_tt of all points, into F."""
    for i in range(len(c.lift)):
        square, along = 0.0, 0.0
        for k in range(3):
            square += m.p[i, k] ** 2
            along += m.p[i, k] * m.a[i, k]
        scale = sqrt(square) * flow.s[i] * c.added[i]
        for k in range(3):
            m.F[i, k] = scale * (m.a[i, k] - along / square * m.p[i, k])


@kernel
def fill_inertia_derivatives(c: FluidColumns, m: LoadPoints, flow: Flow) -> None:
    """Derivatives of `fill_inertia` with respect to position, slope and acceleration; the last ones replace those for
    velocities."""
    t = np.zeros(3)
    for i in range(len(c.lift)):
        size, along = 0.0, 0.0
        for k in range(3):
            size += m.p[i, k] ** 2
        size = sqrt(size)
        for k in range(3):
            t[k] = m.p[i, k] / size
            along += t[k] * m.a[i, k]
        mass = flow.s[i] * c.added[i]
        for k in range(3):
            across = m.a[i, k] - along * t[k]
            for l in range(3):
                N = (1.0 if k == l else 0.0) - t[k] * t[l]
                m.Fp[i, k, l] = mass * (across * t[l] - along * N - t[k] * (m.a[i, l] - along * t[l]))
                m.Fv[i, k, l] = size * mass * N
                m.Fr[i, k, l] = size * c.added[i] * across * flow.ds[i, l]


@kernel
def fill_powers(
    c: FluidColumns, line: LineColumns, m: LoadPoints, rates: LoadPoints, flow: Flow, powers: FloatArray
) -> None:
    """Add the power that drag dissipates and the power that the added mass carries away to the rows [W].

    The second one is -½ v·(dM/dt) v with the mass matrix M of the added mass: Morison's force has no term for an added
    mass that rotates or submerges. ``rates.p`` are r'_t; powers has shape (rows, 2).
    """
    t, wn, D = np.zeros(3), np.zeros(3), np.zeros(3)
    n = line.S.shape[1]
    for i in range(len(c.lift)):
        size, _, _ = eval_drag(c, m, flow, i, t, wn, D)
        drag, q, turn, stretch, square, dive = 0.0, 0.0, 0.0, 0.0, 0.0, flow.st[i]
        for k in range(3):
            drag += D[k] * (flow.u[i, k] - m.v[i, k])
            q += t[k] * m.v[i, k]
            stretch += t[k] * rates.p[i, k]
            square += m.v[i, k] ** 2
            dive += flow.ds[i, k] * m.v[i, k]
        square -= q * q
        for k in range(3):
            turn += (rates.p[i, k] - stretch * t[k]) * m.v[i, k]
        change = flow.s[i] * (stretch * square - 2.0 * q * turn) + size * dive * square
        w = line.w[i // n, i % n]
        powers[line.row[i // n], 0] += w * size * flow.s[i] * drag
        powers[line.row[i // n], 1] -= 0.5 * w * c.added[i] * change


@kernel
def fill_drag(c: FluidColumns, m: LoadPoints, flow: Flow, drag: FloatArray) -> None:
    """Drag s D per current length of all points [N/m], shape (points, 3)."""
    t, wn, D = np.zeros(3), np.zeros(3), np.zeros(3)
    for i in range(len(c.lift)):
        eval_drag(c, m, flow, i, t, wn, D)
        for k in range(3):
            drag[i, k] = flow.s[i] * D[k]
