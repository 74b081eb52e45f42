"""Kernels of sliding joints: the equations, and friction along the cable.

The symbols are the same as in `sliding_joint`. The position along the track is σ, and the cable begins at the position
S. The arc length on the cable is ξ = σ - S, and r(ξ) is the cubic axis of the cable, with p = r', k = r'', l = |p| and
t = p/l. A row couples the coordinates [s, marker, axial motion of the material, nodes of the cable].
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from windlass.connectors.friction.regularised import smooth_sign
from windlass.connectors.markers.position_kernels import PositionMarkers
from windlass.connectors.sliding.places import SlidingRows, is_lost, place_of, scale_of
from windlass.elements.cable.points import shape, shape_bend, shape_slope
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.system import Coupling

R, P, K, RT, PT, W, WP, WW, WT = range(9)
"""Indices of r, r', r'', r_t, r'_t, ∂r/∂a, ∂r'/∂a, ∂²r/∂a² and ∂r_t/∂a in the array w of `fill_place`. The derivatives
with respect to a are at constant s. Here a is the axial motion of the material, or the length of a winch rope.
"""
PLACE, SPEED, FRICTION, NORMAL, POWER, END, FORCE, GAP = 0, 1, 2, 3, 4, 5, 6, 9
ON_CABLE, TRACK_SPEED, GAP_RATE = 12, 13, 14
"""Indices of the outputs of a row. The outputs are the position σ [m], the speed l s_t [m/s], the friction T [N], the
normal force N [N], the power of the friction [W], whether the joint has reached an end of the track, the force [N], the
gap [m], the index of the cable, the speed l s_t + l a_t [m/s], and the rate of the gap [m/s]. Force, gap and rate of
the gap have three components.
"""
NUMBERS = 17


@kernel
def fill_place(c: SlidingRows, i: int, x: FloatArray, v: FloatArray, S: FloatArray, w: FloatArray) -> None:
    """Write the shape functions S_j at the point of row i, S_j', S_j'', ∂S_j/∂a, ∂S_j'/∂a and ∂²S_j/∂a² into S, shape
    (6, 4), and the vectors of `R` and the following constants into w, shape (9, 3).
    """
    row, scale = c.rows[i], scale_of(c, i, x)
    L, place = c.cables[row.cable].length * scale, place_of(c, i, x)
    s = (place - row.offset * scale) / L
    S[0, 0], S[0, 1], S[0, 2], S[0, 3] = shape(s, L)
    S[1, 0], S[1, 1], S[1, 2], S[1, 3] = shape_slope(s, L)
    S[2, 0], S[2, 1], S[2, 2], S[2, 3] = shape_bend(s, L)
    if row.winch:
        b = 1.0 - place / scale
        for j in range(4):
            p = j % 2
            S[3, j] = b * S[1, j] + p * S[0, j] / scale
            S[4, j] = b * S[2, j] + (p - 1) * S[1, j] / scale
            S[5, j] = b * (b * S[2, j] + 2 * (p - 1) * S[1, j] / scale)
    else:
        for j in range(4):
            S[3, j], S[4, j], S[5, j] = S[1, j], S[2, j], S[2, j]
    for d in range(3):
        for k in range(9):
            w[k, d] = 0.0
        if d < row.dims:
            for a in range(4):
                n = c.dofs[i, 2 + c.width + row.dims * a + d]
                for k in range(3):
                    w[k, d] += S[k, a] * x[n]
                    w[W + k, d] += S[3 + k, a] * x[n]
                w[RT, d] += S[0, a] * v[n]
                w[PT, d] += S[1, a] * v[n]
                w[WT, d] += S[3, a] * v[n]


@kernel
def speed_of(c: SlidingRows, i: int, v: FloatArray) -> float:
    """Return the rate σ_t [m/s] of the position of row i along the track."""
    return float(v[c.dofs[i, 0]] + v[c.dofs[i, 1 + c.width]])


@kernel
def add_equations(
    c: SlidingRows,
    m: PositionMarkers,
    x: FloatArray,
    v: FloatArray,
    lam: FloatArray,
    rate_level: bool,
    C: FloatArray,
    f: FloatArray,
) -> None:
    """Add the difference between the point r(ξ) of the cable and the position of the marker, or the rate of this
    difference, to the constraint values C. For a joint that is off or has left its track, add the equation that keeps s
    constant. Add the forces C_qᵀ λ of the multipliers λ to f.
    """
    S, w = np.empty((6, 4)), np.empty((9, 3))
    for i in range(len(c.rows)):
        row = c.rows[i]
        if not row.on or row.left:
            # the joint is off or has left its track, so the only constraint is on s
            s, k = c.dofs[i, 0], row.lam[0]
            C[k] += v[s] if rate_level else x[s] - row.reference[0] - row.held
            f[s] += lam[k]
            C[row.lam[1]] += lam[row.lam[1]]
            C[row.lam[2]] += lam[row.lam[2]]
            continue
        # equations at the arc length ξ on the cable
        fill_place(c, i, x, v, S, w)
        lost, j = is_lost(c, i, x), row.marker
        s_t, a_t = v[c.dofs[i, 0]], v[c.dofs[i, 1 + c.width]]
        for d in range(3):
            k = row.lam[d]
            if d >= row.dims:
                C[k] += lam[k]
                continue
            if lost:
                C[k] += np.nan
            elif rate_level:
                C[k] += w[RT, d] + w[P, d] * s_t + w[W, d] * a_t - m.velocity[j, d]
            else:
                C[k] += w[R, d] - m.position[j, d]
            # forces on s, the axial motion, the marker and the nodes
            f[c.dofs[i, 0]] += lam[k] * w[P, d]
            f[c.dofs[i, 1 + c.width]] += lam[k] * w[W, d]
            for b in range(c.width):
                f[c.dofs[i, 1 + b]] -= lam[k] * m.jacobian[j, d, b]
            for a in range(4):
                f[c.dofs[i, 2 + c.width + row.dims * a + d]] += lam[k] * S[0, a]


@kernel
def add_equation_tangent(
    c: SlidingRows,
    m: PositionMarkers,
    x: FloatArray,
    v: FloatArray,
    lam: FloatArray,
    rate_level: bool,
    dq: float,
    dv: float,
    slots: Coupling,
    values: FloatArray,
) -> None:
    """Add the derivatives of the constraint values C and of the forces C_qᵀ λ with respect to coordinates and
    multipliers λ, and the derivatives of the friction with respect to λ, to the values of the matrix.
    """
    S, w = np.empty((6, 4)), np.empty((9, 3))
    G, Y = np.empty(c.dofs.shape[1]), np.empty(c.dofs.shape[1])
    F = np.empty(6)
    for i in range(len(c.rows)):
        row = c.rows[i]
        if not row.on or row.left:
            values[slots.rows[i, 0, 0]] += dv if rate_level else dq
            values[slots.columns[i, 0, 0]] += slots.scale
            values[slots.diagonal[i, 1]] += slots.scale
            values[slots.diagonal[i, 2]] += slots.scale
            continue
        # derivatives at the arc length ξ on the cable
        fill_place(c, i, x, v, S, w)
        j, ale, dims = row.marker, 1 + c.width, row.dims
        s_t, a_t = v[c.dofs[i, 0]], v[c.dofs[i, ale]]
        for d in range(3):
            if d >= dims:
                values[slots.diagonal[i, d]] += slots.scale
                continue
            # derivatives C_q of the equation and ∂Ċ/∂q of its rate
            G[:], Y[:] = 0.0, 0.0
            G[0], G[ale] = w[P, d], w[W, d]
            Y[0] = w[PT, d] + w[K, d] * s_t + w[WP, d] * a_t
            Y[ale] = w[WT, d] + w[WP, d] * s_t + w[WW, d] * a_t
            for b in range(c.width):
                G[1 + b], Y[1 + b] = -m.jacobian[j, d, b], -m.jacobian_rate[j, d, b]
            for a in range(4):
                G[ale + 1 + dims * a + d], Y[ale + 1 + dims * a + d] = S[0, a], S[1, a] * s_t + S[3, a] * a_t
            for b in range(len(G)):
                values[slots.rows[i, d, b]] += dv * G[b] + dq * Y[b] if rate_level else dq * G[b]
                values[slots.columns[i, b, d]] += slots.scale * G[b]
            # second derivatives of C
            force = dq * lam[row.lam[d]]
            if force == 0.0:
                continue
            # add the second derivatives with respect to s and the axial motion, and the mixed second derivatives with
            # the coordinates of the nodes
            values[slots.block[i, 0, 0]] += force * w[K, d]
            values[slots.block[i, 0, ale]] += force * w[WP, d]
            values[slots.block[i, ale, 0]] += force * w[WP, d]
            values[slots.block[i, ale, ale]] += force * w[WW, d]
            for one in range(2):
                e, to = (0, 1) if one == 0 else (ale, 3)
                for a in range(4):
                    n = ale + 1 + dims * a + d
                    values[slots.block[i, e, n]] += force * S[to, a]
                    values[slots.block[i, n, e]] += force * S[to, a]
            # second derivatives of the position of the marker
            h = m.second[j]
            if h >= 0:
                for a in range(c.width):
                    for b in range(c.width):
                        values[slots.block[i, 1 + a, 1 + b]] -= force * m.hessian[h, d, a, b]
        # derivatives of the friction along the cable with respect to λ
        if row.mu > 0.0:
            eval_friction(c, i, w, v, lam, F)
            for d in range(dims):
                values[slots.columns[i, 0, d]] += slots.scale * F[2] * F[3 + d]


@kernel
def add_accelerations(c: SlidingRows, m: PositionMarkers, x: FloatArray, v: FloatArray, C: FloatArray) -> None:
    """Add the right-hand side of the acceleration equations C_q q̈ = J̇ q̇ - 2 r'_t s_t - r'' s_t² - ... to C, where J
    is the Jacobian of the marker. The dots denote the same terms for the axial motion a, and the mixed term 2 ∂r'/∂a
    s_t a_t.
    """
    S, w = np.empty((6, 4)), np.empty((9, 3))
    for i in range(len(c.rows)):
        row = c.rows[i]
        if not row.on or row.left:
            continue
        fill_place(c, i, x, v, S, w)
        s_t, a_t = v[c.dofs[i, 0]], v[c.dofs[i, 1 + c.width]]
        for d in range(row.dims):
            total = (
                -(2.0 * w[PT, d] + w[K, d] * s_t + 2.0 * w[WP, d] * a_t) * s_t - (2.0 * w[WT, d] + w[WW, d] * a_t) * a_t
            )
            for b in range(c.width):
                total += m.jacobian_rate[row.marker, d, b] * v[c.dofs[i, 1 + b]]
            C[row.lam[d]] += total


@kernel
def eval_friction(c: SlidingRows, i: int, w: FloatArray, v: FloatArray, lam: FloatArray, F: FloatArray) -> float:
    """Return the friction T [N] of row i. With the length l of the slope r', write l T, l² ∂T/∂(l s_t), l ∂T/∂N and the
    three components of n = λ⊥/N into F, shape (6,). Here λ⊥ is the part of λ perpendicular to the cable, and N is its
    magnitude. If N = 0, then n is 0.
    """
    row = c.rows[i]
    square, along = 0.0, 0.0
    for d in range(row.dims):
        square += w[P, d] * w[P, d]
        along += w[P, d] * lam[row.lam[d]]
    l = sqrt(square)
    N, F[5] = 0.0, 0.0
    for d in range(row.dims):
        F[3 + d] = lam[row.lam[d]] - w[P, d] * along / square
        N += F[3 + d] * F[3 + d]
    N = sqrt(N)
    for d in range(3):
        F[3 + d] = F[3 + d] / N if N > 0.0 else 0.0
    speed = l * v[c.dofs[i, 0]]
    share, slope = smooth_sign(speed, row.v0)
    T: float = row.d * speed + row.mu * N * share
    F[0], F[1], F[2] = l * T, square * (row.d + row.mu * N * slope), l * row.mu * share
    return T


@kernel
def add_friction(c: SlidingRows, x: FloatArray, v: FloatArray, lam: FloatArray, f: FloatArray) -> None:
    """Add the generalised friction l T to the force on the coordinate s in f."""
    S, w, F = np.empty((6, 4)), np.empty((9, 3)), np.empty(6)
    for i in range(len(c.rows)):
        row = c.rows[i]
        if row.on and not row.left:
            fill_place(c, i, x, v, S, w)
            eval_friction(c, i, w, v, lam, F)
            f[c.dofs[i, 0]] += F[0]


@kernel
def add_friction_tangent(
    c: SlidingRows,
    x: FloatArray,
    v: FloatArray,
    lam: FloatArray,
    dq: float,
    dv: float,
    slots: IntArray,
    values: FloatArray,
) -> None:
    """Add the derivatives of the generalised friction l T with respect to coordinates and velocities to the values of
    the matrix. The derivative of the normal force N with respect to the slope p is -(t·λ) n/l.
    """
    S, w, F = np.empty((6, 4)), np.empty((9, 3)), np.empty(6)
    for i in range(len(c.rows)):
        row = c.rows[i]
        if not row.on or row.left:
            continue
        # friction at the arc length ξ on the cable
        fill_place(c, i, x, v, S, w)
        T = eval_friction(c, i, w, v, lam, F)
        square, along, s_t, ale = 0.0, 0.0, v[c.dofs[i, 0]], 1 + c.width
        for d in range(row.dims):
            square += w[P, d] * w[P, d]
            along += w[P, d] * lam[row.lam[d]]
        l = sqrt(square)
        values[slots[i, 0, 0]] += dv * F[1]
        for d in range(row.dims):
            by_slope = w[P, d] / l * (T + F[1] / l * s_t) - F[2] * along / square * F[3 + d]
            values[slots[i, 0, 0]] += dq * by_slope * w[K, d]
            values[slots[i, 0, ale]] += dq * by_slope * w[WP, d]
            for a in range(4):
                values[slots[i, 0, ale + 1 + row.dims * a + d]] += dq * by_slope * S[1, a]


@kernel
def fill_outputs(
    c: SlidingRows,
    m: PositionMarkers,
    x: FloatArray,
    v: FloatArray,
    lam: FloatArray,
    out: FloatArray,
) -> None:
    """Write the output quantities of each row into ``out``, shape (n, NUMBERS). `PLACE` and the following constants are
    the indices of the quantities.
    """
    S, w, F = np.empty((6, 4)), np.empty((9, 3)), np.empty(6)
    for i in range(len(c.rows)):
        row = c.rows[i]
        place = place_of(c, i, x)
        out[i, :] = 0.0
        out[i, PLACE], out[i, ON_CABLE] = place, row.cable - row.first
        if not row.closed:
            out[i, END] = -1.0 if place <= 0.0 else (1.0 if place >= row.total * scale_of(c, i, x) else 0.0)
        if not row.on or row.left:
            continue
        fill_place(c, i, x, v, S, w)
        T = eval_friction(c, i, w, v, lam, F)
        l = sqrt(w[P, 0] ** 2 + w[P, 1] ** 2 + w[P, 2] ** 2)
        s_t, N = v[c.dofs[i, 0]], 0.0
        for d in range(row.dims):
            N += F[3 + d] * lam[row.lam[d]]
            # λ acts with positive sign on the marker
            out[i, FORCE + d], out[i, GAP + d] = lam[row.lam[d]], w[R, d] - m.position[row.marker, d]
            out[i, GAP_RATE + d] = w[RT, d] + w[P, d] * s_t + w[W, d] * v[c.dofs[i, 1 + c.width]]
            out[i, GAP_RATE + d] -= m.velocity[row.marker, d]
        out[i, SPEED], out[i, FRICTION], out[i, NORMAL], out[i, POWER] = l * s_t, T, N, F[0] * s_t
        out[i, TRACK_SPEED] = l * speed_of(c, i, v)
