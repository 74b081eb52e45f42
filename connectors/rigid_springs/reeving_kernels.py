"""Kernels of `ReevingSystemSprings`: length and tension of ropes without mass, forces, tangents, points to draw.

Letters as there; rows are ropes, whose spans follow each other as rows of a `Pair`.  In the coordinates of a row the
span after marker k begins at k w, with the largest number w of coordinates of a marker.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.connectors.markers.coordinate_columns import CoordinateColumns
from windlass.connectors.markers.pairs import Pair
from windlass.connectors.markers.position_kernels import PositionColumns, add_curvature, update_jacobians
from windlass.connectors.rigid_springs.pairs import TINY, move, row_of_rigid, turn
from windlass.connectors.rigid_springs.reeving_spans import eval_span, eval_wrap
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel

LENGTH, RATE, FORCE, REST, ENERGY, LOST, PASSED = range(7)
"""Numbers of a rope: L [m], its rate [m/s], N [N], L_0 [m], energy [J], and powers that are lost and passed on [W]."""


@kernel
def span_at(c: Any, pair: Pair, m: PositionColumns, i: int, k: int, which: int, out: Any) -> Any:
    """`eval_span` for span k of row i, moved by an imaginary step along one of 18 directions, or not moved."""
    u, ut = row_of_rigid(m, pair, k)
    if which >= 0:
        move(u, ut, which)
    FA, FB = turn(u.A, c.F[k, 0]), turn(u.B, c.F[k, 1])
    d = (u.d[0], u.d[1], u.d[2])
    return eval_span(d, FA, FB, c.R[k, 0], c.R[k, 1], c.twist[i], c.shear[i], ut, out)


@kernel
def eval_tension(c: Any, i: int, L: float, Lt: float, L0: float, L0t: float) -> Any:
    """N, its elastic part, energy, and ∂N/∂ of L, L̇, L_0 and L̇_0."""
    k, d = c.EA[i] / L0, c.D[i] / L0
    elastic = c.N0[i] + k * (L - L0)
    raw = elastic + d * (Lt - L0t)
    by_rest = -c.EA[i] * L / L0**2 - d / L0 * (Lt - L0t)
    slope = 1.0
    energy = 0.5 * elastic * elastic / k
    force, limit = raw, c.Ns[i]
    if limit > 0.0:
        if elastic < 0.0:
            x = -elastic / limit
            energy = limit * limit / k * (x + np.log(0.5 + 0.5 * np.exp(-2.0 * x)))
            elastic = -limit * np.tanh(x)
        if raw < 0.0:
            force = limit * np.tanh(raw / limit)
            slope = 1.0 - np.tanh(raw / limit) ** 2
    return force, elastic, energy, slope * k, slope * d, slope * by_rest, -slope * d


@kernel
def measure(c: Any, pair: Pair, m: PositionColumns, q: CoordinateColumns, i: int, spans: Any, wraps: Any) -> Any:
    """L, L̇, L_0, L̇_0; writes g and damping of the spans of row i to ``spans``, (spans, 18), and angles to
    ``wraps``."""
    L, Lt, L0, L0t, meets = 0.0, 0.0, c.L0[i], 0.0, 0.0
    for j in range(2):
        if c.k[i, j] >= 0:
            L0 += c.f[i, j] * q.value[c.k[i, j]]
            L0t += c.f[i, j] * q.rate[c.k[i, j]]
    for k in range(c.first[i], c.first[i + 1]):
        at = k - c.first[i]
        leave, meet, length = span_at(c, pair, m, i, k, -1, spans[at])
        _, ut = row_of_rigid(m, pair, k)
        L += length.real
        for a in range(9):
            Lt += (spans[at, a] * ut[a]).real
        if at > 0:
            wraps[at] = eval_wrap(leave.real, meets) if c.R[k, 0] > 0.0 else 0.0
            L += c.R[k, 0] * wraps[at]
        meets = meet.real
    return L, Lt, L0, L0t


@kernel
def wound(c: Any, k: int, leave: complex, meet: complex, is_first: bool, is_last: bool) -> complex:
    """Length of rope that span k winds around the ends of its rope [m]: R_A ψ_A of a first span, -R_B ψ_B of a last
    one."""
    length = complex(0.0, 0.0)
    if is_first:
        length += c.R[k, 0] * leave
    if is_last:
        length -= c.R[k, 1] * meet
    return length


@kernel
def residual(c: Any, pair: Pair, m: PositionColumns, q: CoordinateColumns, dofs: IntArray, f: FloatArray) -> None:
    """Forces of all rows; ``dofs`` of the rows (n, ...)."""
    spans, wraps = np.zeros((c.most, 18), np.complex128), np.zeros(c.most)
    for i in range(len(c.L0)):
        if not c.on[i]:
            continue
        L, Lt, L0, L0t = measure(c, pair, m, q, i, spans, wraps)
        N = eval_tension(c, i, L, Lt, L0, L0t)[0]
        # on the markers of all spans: tension and the damping of twist and shear
        for k in range(c.first[i], c.first[i + 1]):
            at, m0, m1 = k - c.first[i], pair.m0[k], pair.m1[k]
            for b in range(pair.n0):
                one, two = 0.0, 0.0
                for a in range(3):
                    x = N * spans[at, a].real + spans[at, 9 + a].real
                    y = N * spans[at, 3 + a].real + spans[at, 12 + a].real
                    z = N * spans[at, 6 + a].real + spans[at, 15 + a].real
                    one += y * m.Jr[m0, a, b] - x * m.J[m0, a, b]
                    two += z * m.Jr[m1, a, b] + x * m.J[m1, a, b]
                f[pair.dofs[k, b]] += one
                f[pair.dofs[k, pair.n0 + b]] += two
        # on the coordinates that pay out rope
        for j in range(2):
            if c.k[i, j] >= 0:
                for b in range(c.atk[j + 1] - c.atk[j]):
                    f[dofs[i, c.atk[j] + b]] -= N * c.f[i, j] * q.J[c.k[i, j], b]


@kernel
def tangent(
    c: Any, pair: Pair, m: PositionColumns, q: CoordinateColumns, v: FloatArray, dq: float, dv: float,
    slots: IntArray, values: FloatArray,
) -> None:  # fmt: skip
    """values += dq ∂f/∂q + dv ∂f/∂v of all rows."""
    n, w = slots.shape[1], pair.dofs.shape[1]
    spans, wraps, out = np.zeros((c.most, 18), np.complex128), np.zeros(c.most), np.zeros(18, np.complex128)
    X, Y, Z, PV, g = np.zeros((9, w)), np.zeros((9, w)), np.zeros((9, w)), np.zeros((18, 18)), np.zeros(9)
    own = np.zeros((len(pair.m0), w, w), np.int64)
    # derivatives with respect to the coordinates of a row: of L with the rope wound up at the ends, of L̇, L_0, L̇_0
    # and of the rope wound up with respect to q; of L̇ with respect to v as in the first row
    G, wind = np.zeros((5, n)), np.zeros(9)
    for i in range(len(c.L0)):
        if not c.on[i]:
            continue
        L, Lt, L0, L0t = measure(c, pair, m, q, i, spans, wraps)
        N, _, _, by_L, by_Lt, by_L0, by_L0t = eval_tension(c, i, L, Lt, L0, L0t)
        G[:] = 0.0
        for k in range(c.first[i], c.first[i + 1]):
            at = k - c.first[i]
            begin = at * pair.n0
            # derivatives of a span with respect to the motion of its markers, by complex steps
            update_jacobians(pair, k, m, v, X, Y)
            for p in range(18):
                leave, meet, _ = span_at(c, pair, m, i, k, p, out)
                for a in range(18):
                    PV[a, p] = out[a].imag / TINY
                if p < 9:
                    wind[p] = wound(c, k, leave, meet, at == 0, k + 1 == c.first[i + 1]).imag / TINY
            _, ut = row_of_rigid(m, pair, k)
            for a in range(w):
                for b in range(w):
                    own[k, a, b] = slots[i, begin + a, begin + b]
            # Z: of N g + damping by the coordinates of the span
            for a in range(9):
                g[a] = N * spans[at, a].real + spans[at, 9 + a].real
                for b in range(w):
                    total = 0.0
                    for p in range(9):
                        by_q = N * PV[a, p] + PV[9 + a, p]
                        total += (dq * by_q + dv * PV[9 + a, 9 + p]) * X[p, b] + dq * PV[9 + a, 9 + p] * Y[p, b]
                    Z[a, b] = total
            # G: derivatives of L and L̇; and of the forces of the span by its own coordinates
            for b in range(w):
                for a in range(9):
                    G[0, begin + b] += spans[at, a].real * X[a, b]
                    G[4, begin + b] += wind[a] * X[a, b]
                    turned = 0.0
                    for p in range(9):
                        turned += PV[a, p] * X[p, b]
                    G[1, begin + b] += spans[at, a].real * Y[a, b] + ut[a].real * turned
                for a in range(w):
                    total = 0.0
                    for p in range(9):
                        total += X[p, a] * Z[p, b]
                    values[own[k, a, b]] += total
            if dq != 0.0:
                add_curvature(pair, k, pair.dofs.shape[1], m, g, dq, own, values)
        # rope wound up at both ends, L_0 and its rate
        for j in range(2):
            at, e, wide = c.k[i, j], c.atk[j], c.atk[j + 1] - c.atk[j]
            if at < 0:
                continue
            for b in range(wide):
                G[2, e + b] += c.f[i, j] * q.J[at, b]
                G[3, e + b] += c.f[i, j] * q.Jd[at, b]
                if q.h[at] >= 0:
                    for a in range(wide):
                        values[slots[i, e + a, e + b]] -= dq * N * c.f[i, j] * q.H[q.h[at], a, b]
        # derivatives of the tension with respect to all coordinates
        for b in range(n):
            by_q = by_L * (G[0, b] - G[4, b]) + by_Lt * G[1, b] + by_L0 * G[2, b] + by_L0t * G[3, b]
            change = dq * by_q + dv * (by_Lt * G[0, b] + by_L0t * G[2, b])
            if change != 0.0:
                for a in range(n):
                    values[slots[i, a, b]] += (G[0, a] - G[2, a]) * change


@kernel
def fill_numbers(
    c: Any, pair: Pair, m: PositionColumns, q: CoordinateColumns, out: FloatArray, wraps: FloatArray
) -> None:
    """The numbers of each rope, see `LENGTH` and the others, shape (n, 7); angles on sheaves (n, markers)."""
    spans, moved = np.zeros((c.most, 18), np.complex128), np.zeros(18, np.complex128)
    for i in range(len(c.L0)):
        L, Lt, L0, L0t = measure(c, pair, m, q, i, spans, wraps[i])
        N, elastic, energy, _, _, _, _ = eval_tension(c, i, L, Lt, L0, L0t)
        lost, winding = (N - elastic) * (Lt - L0t), 0.0
        for k in range(c.first[i], c.first[i + 1]):
            _, ut = row_of_rigid(m, pair, k)
            is_first, is_last = k == c.first[i], k + 1 == c.first[i + 1]
            turns = (is_first and c.R[k, 0] > 0.0) or (is_last and c.R[k, 1] > 0.0)
            for a in range(9):
                lost += (spans[k - c.first[i], 9 + a] * ut[a]).real
                if turns:
                    leave, meet, _ = span_at(c, pair, m, i, k, a, moved)
                    winding += wound(c, k, leave, meet, is_first, is_last).imag / TINY * ut[a].real
        passed = (elastic * (L - L0) - energy) / L0 * L0t + elastic * winding
        on = 1.0 if c.on[i] else 0.0
        out[i, LENGTH], out[i, RATE], out[i, FORCE], out[i, REST] = L, Lt, on * N, L0
        out[i, ENERGY], out[i, LOST], out[i, PASSED] = on * energy, on * lost, on * passed


@kernel
def fill_points(c: Any, pair: Pair, m: PositionColumns, i: int, arcs: int, points: FloatArray) -> int:
    """Points along row i: both ends of its spans, and a given number on every sheave; returns their count."""
    n, out, meets, k0 = 0, np.zeros(18, np.complex128), 0.0, c.first[i]
    for k in range(k0, c.first[i + 1]):
        leave, meet, _ = span_at(c, pair, m, i, k, -1, out)
        if k > k0 and c.R[k, 0] > 0.0:
            wrap = eval_wrap(leave.real, meets)
            for j in range(arcs + 1):
                n = put_point(c, pair.m0[k], m, k, 0, meets + wrap * j / arcs, points, n)
        else:
            n = put_point(c, pair.m0[k], m, k, 0, leave.real, points, n)
        meets = meet.real
    return put_point(c, pair.m1[c.first[i + 1] - 1], m, c.first[i + 1] - 1, 1, meets, points, n)


@kernel
def put_point(
    c: Any, marker: int, m: PositionColumns, k: int, end: int, angle: float, points: FloatArray, n: int
) -> int:
    """The point at an angle on the sheave at one end of span k."""
    x, y = c.R[k, end] * np.cos(angle), c.R[k, end] * np.sin(angle)
    for a in range(3):
        points[n, a] = m.p[marker, a]
        for b in range(3):
            points[n, a] += m.A[marker, a, b] * (c.F[k, end, b, 0] * x + c.F[k, end, b, 1] * y)
    return n + 1
