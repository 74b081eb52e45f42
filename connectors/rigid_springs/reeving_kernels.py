"""Kernels of `ReevingSystemSprings`: length and tension of massless ropes, forces, tangents, and points for drawings.

Each row of the law is a rope. The spans of a rope are consecutive elements of a `Pair` and of ``spans``. Among the
coordinates of a row, the first coordinate of marker k has the index k w, where w is the largest number of coordinates
of a marker. The first coordinate of the span that follows marker k has the same index k w.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from windlass.connectors.markers.coordinate_family import CoordinateMarkers
from windlass.connectors.markers.pairs import Pair
from windlass.connectors.markers.position_kernels import PositionMarkers, add_curvature, update_jacobians, update_rates
from windlass.connectors.rigid_springs.pairs import TINY, ComplexArray, Pose, move
from windlass.connectors.rigid_springs.reeving_spans import eval_span, eval_wrap, guess
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel

LENGTH, RATE, FORCE, REST, ENERGY, LOST, PASSED = range(7)
"""Indices of the quantities of a rope: the length L [m], the rate L̇ [m/s], the tension N [N], the reference length L_0
[m], the energy [J], the lost power [W], and the transferred power [W].
"""


class SpanRoom(NamedTuple):
    """Arrays that `eval_motion` fills for one span: the vector d [m] between the markers, shape (3,), their rates y,
    shape (9,), and the frames of both sheaves, shape (3, 3) each.
    """

    d: FloatArray
    y: FloatArray
    FA: FloatArray
    FB: FloatArray


class MovedRoom(NamedTuple):
    """Complex arrays that `move_span` fills for one span: the pose of the markers, their rates, shape (9,), and the
    frames of both sheaves, shape (3, 3) each.
    """

    u: Pose
    y: ComplexArray
    FA: ComplexArray
    FB: ComplexArray


@kernel
def create_room() -> SpanRoom:
    """Create the arrays of a `SpanRoom`."""
    return SpanRoom(np.zeros(3), np.zeros(9), np.zeros((3, 3)), np.zeros((3, 3)))


@kernel
def create_moved() -> MovedRoom:
    """Create the arrays of a `MovedRoom`."""
    u = Pose(np.zeros(3, np.complex128), np.zeros((3, 3), np.complex128), np.zeros((3, 3), np.complex128))
    y, FA, FB = np.zeros(9, np.complex128), np.zeros((3, 3), np.complex128), np.zeros((3, 3), np.complex128)
    return MovedRoom(u, y, FA, FB)


@kernel
def turn_frame(A: Any, F: FloatArray, out: Any) -> None:
    """Write the product A F of the rotation matrix A of a marker and a frame F fixed to the marker into ``out``."""
    for a in range(3):
        for b in range(3):
            out[a, b] = A[a, 0] * F[0, b] + A[a, 1] * F[1, b] + A[a, 2] * F[2, b]


@kernel
def eval_motion(
    row: Any, spans: Any, pair: Pair, m: PositionMarkers, k: int, s: SpanRoom, angles: FloatArray, out: FloatArray
) -> float:
    """Call `eval_span` for span k of the rope ``row``. Write the angles ψ_A and ψ_B into ``angles``, shape (2,), and
    return the length of the span.
    """
    update_rates(pair, k, m, s.d, s.y)
    span = spans[k]
    turn_frame(m.rotation[pair.m0[k]], span.frames[0], s.FA)
    turn_frame(m.rotation[pair.m1[k]], span.frames[1], s.FB)
    d = (s.d[0], s.d[1], s.d[2])
    start = (guess(s.FA, span.radii[0], d), guess(s.FB, span.radii[1], d))
    damping = row.twist_damping, row.shear_damping
    leave, meet, length = eval_span(d, s.FA, s.FB, span.radii[0], span.radii[1], *damping, s.y, start, 1, out)
    angles[0], angles[1] = leave, meet
    return float(length)


@kernel
def move_span(
    row: Any, spans: Any, pair: Pair, m: PositionMarkers, k: int, which: int, s: SpanRoom, moved: MovedRoom,
    angles: FloatArray, out: ComplexArray,
) -> tuple[complex, complex]:  # fmt: skip
    """Add an imaginary step along direction ``which`` of the 18 directions [δd, θ0, θ1, δy] to the pose and the rates
    of the markers of span k. Then call `eval_span`, and return the angles. The argument ``angles`` contains the real
    parts of the angles, from `eval_motion`.
    """
    update_rates(pair, k, m, s.d, s.y)
    u, span = moved.u, spans[k]
    for a in range(3):
        u.d[a] = s.d[a]
        for b in range(3):
            u.A[a, b], u.B[a, b] = m.rotation[pair.m0[k], a, b], m.rotation[pair.m1[k], a, b]
    for a in range(9):
        moved.y[a] = s.y[a]
    move(u, moved.y, which)
    turn_frame(u.A, span.frames[0], moved.FA)
    turn_frame(u.B, span.frames[1], moved.FB)
    d, start = (u.d[0], u.d[1], u.d[2]), (complex(angles[0], 0.0), complex(angles[1], 0.0))
    damping = row.twist_damping, row.shear_damping
    frames, radii = (moved.FA, moved.FB), (span.radii[0], span.radii[1])
    leave, meet, _ = eval_span(d, *frames, *radii, *damping, moved.y, start, 0, out)
    return leave, meet


@kernel
def eval_tension(row: Any, L: float, Lt: float, L0: float, L0t: float) -> Any:
    """Return the tension N, the elastic part of N, the energy, and the derivatives of N. The derivatives are with
    respect to the length L of the rope, its rate L̇, the reference length L_0, and its rate L̇_0.
    """
    k, d = row.axial_stiffness / L0, row.axial_damping / L0
    elastic = row.preload + k * (L - L0)
    raw = elastic + d * (Lt - L0t)
    by_rest = -row.axial_stiffness * L / L0**2 - d / L0 * (Lt - L0t)
    slope = 1.0
    energy = 0.5 * elastic * elastic / k
    force, limit = raw, row.slack_force
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
def measure(
    row: Any, spans: Any, pair: Pair, m: PositionMarkers, q: CoordinateMarkers, numbers: FloatArray,
    angles: FloatArray, wraps: FloatArray,
) -> Any:  # fmt: skip
    """Return the length L of the rope, the reference length L_0 and their rates, in the order L, L̇, L_0, L̇_0.

    Write the vector g (`reeving_spans.py`) and the damping forces of each span of a row into ``numbers``, shape (spans,
    18), the angles at the ends of each span into ``angles``, shape (spans, 2), and the wrap angles on the sheaves into
    ``wraps``.
    """
    L, Lt, L0, L0t, meets = 0.0, 0.0, row.reference_length, 0.0, 0.0
    s = create_room()
    for j in range(2):
        if row.end[j] >= 0:
            L0 += row.factor[j] * q.value[row.end[j]]
            L0t += row.factor[j] * q.rate[row.end[j]]
    for k in range(row.first, row.last + 1):
        at = k - row.first
        L += eval_motion(row, spans, pair, m, k, s, angles[at], numbers[at])
        for a in range(9):
            Lt += numbers[at, a] * s.y[a]
        if at > 0:
            wraps[at] = eval_wrap(angles[at, 0], meets) if spans[k].radii[0] > 0.0 else 0.0
            L += spans[k].radii[0] * wraps[at]
        meets = angles[at, 1]
    return L, Lt, L0, L0t


@kernel
def wound(span: Any, leave: complex, meet: complex, is_first: bool, is_last: bool) -> complex:
    """Return the length [m] of rope that is wound on the drums at the ends of a span: the sum of R_A ψ_A if the span is
    the first span of its rope, and -R_B ψ_B if the span is the last span.
    """
    length = complex(0.0, 0.0)
    if is_first:
        length += span.radii[0] * leave
    if is_last:
        length -= span.radii[1] * meet
    return length


@kernel
def residual(
    rows: Any,
    spans: Any,
    pair: Pair,
    most: int,
    m: PositionMarkers,
    q: CoordinateMarkers,
    dofs: IntArray,
    f: FloatArray,
) -> None:
    """Add the forces of all rows to f.

    Args:
        most: largest number of markers of a rope.
        dofs: process-local indices of the coordinates, shape (rows, n), where n is the largest number of coordinates of
            a row.
    """
    numbers, angles, wraps = np.zeros((most, 18)), np.zeros((most, 2)), np.zeros(most)
    for i in range(len(rows)):
        row = rows[i]
        if not row.active:
            continue
        L, Lt, L0, L0t = measure(row, spans, pair, m, q, numbers, angles, wraps)
        N = eval_tension(row, L, Lt, L0, L0t)[0]
        # forces on the markers of all spans: tension, and damping of twist and shear
        for k in range(row.first, row.last + 1):
            at, m0, m1 = k - row.first, pair.m0[k], pair.m1[k]
            for b in range(pair.n0):
                one, two = 0.0, 0.0
                for a in range(3):
                    x = N * numbers[at, a] + numbers[at, 9 + a]
                    y = N * numbers[at, 3 + a] + numbers[at, 12 + a]
                    z = N * numbers[at, 6 + a] + numbers[at, 15 + a]
                    one += y * m.rotation_jacobian[m0, a, b] - x * m.jacobian[m0, a, b]
                    two += z * m.rotation_jacobian[m1, a, b] + x * m.jacobian[m1, a, b]
                f[pair.dofs[k, b]] += one
                f[pair.dofs[k, pair.n0 + b]] += two
        # forces on the coordinates q_0 and q_1 of the rope length
        for j in range(2):
            if row.end[j] >= 0:
                for b in range(row.begin[j + 1] - row.begin[j]):
                    f[dofs[i, row.begin[j] + b]] -= N * row.factor[j] * q.jacobian[row.end[j], b]


@kernel
def tangent(
    rows: Any, spans: Any, pair: Pair, most: int, m: PositionMarkers, q: CoordinateMarkers, v: FloatArray, dq: float,
    dv: float, slots: IntArray, values: FloatArray,
) -> None:  # fmt: skip
    """Add the tangent dq ∂f/∂q + dv ∂f/∂v, with the factors dq and dv, to the values of the matrix, for the generalised
    forces f of all rows.
    """
    n, w = slots.shape[1], pair.dofs.shape[1]
    numbers, angles, wraps = np.zeros((most, 18)), np.zeros((most, 2)), np.zeros(most)
    out, room, moved = np.zeros(18, np.complex128), create_room(), create_moved()
    X, Y, Z, PV, g = np.zeros((9, w)), np.zeros((9, w)), np.zeros((9, w)), np.zeros((18, 18)), np.zeros(9)
    own = np.zeros((len(pair.m0), w, w), np.int64)
    # G contains derivatives with respect to the coordinates of a row of the law. Row 0: sum of L and the length wound
    # on drums; row 1: L̇; row 2: L_0; row 3: L̇_0; row 4: length wound on drums. ∂L̇/∂v is equal to row 0.
    G, wind = np.zeros((5, n)), np.zeros(9)
    for i in range(len(rows)):
        row = rows[i]
        if not row.active:
            continue
        L, Lt, L0, L0t = measure(row, spans, pair, m, q, numbers, angles, wraps)
        N, _, _, by_L, by_Lt, by_L0, by_L0t = eval_tension(row, L, Lt, L0, L0t)
        G[:], PV[:] = 0.0, 0.0
        # rates only change damping forces
        moves = 18 if row.twist_damping != 0.0 or row.shear_damping != 0.0 else 9
        for k in range(row.first, row.last + 1):
            at = k - row.first
            begin = at * pair.n0
            # compute the derivatives of the length and of the damping forces of a span with respect to the motion of
            # its markers by complex steps
            update_jacobians(pair, k, m, v, X, Y)
            for p in range(moves):
                leave, meet = move_span(row, spans, pair, m, k, p, room, moved, angles[at], out)
                for a in range(18):
                    PV[a, p] = out[a].imag / TINY
                if p < 9:
                    wind[p] = wound(spans[k], leave, meet, at == 0, k == row.last).imag / TINY
            ut = room.y
            for a in range(w):
                for b in range(w):
                    own[k, a, b] = slots[i, begin + a, begin + b]
            # Z: derivatives of N g plus the damping forces with respect to the coordinates of the span, at constant N
            for a in range(9):
                g[a] = N * numbers[at, a] + numbers[at, 9 + a]
                for b in range(w):
                    total = 0.0
                    for p in range(9):
                        by_q = N * PV[a, p] + PV[9 + a, p]
                        total += (dq * by_q + dv * PV[9 + a, 9 + p]) * X[p, b] + dq * PV[9 + a, 9 + p] * Y[p, b]
                    Z[a, b] = total
            # add the derivatives of L and L̇ to G, and the derivatives of the forces of the span with respect to the
            # coordinates of its markers to the matrix
            for b in range(w):
                for a in range(9):
                    G[0, begin + b] += numbers[at, a] * X[a, b]
                    G[4, begin + b] += wind[a] * X[a, b]
                    turned = 0.0
                    for p in range(9):
                        turned += PV[a, p] * X[p, b]
                    G[1, begin + b] += numbers[at, a] * Y[a, b] + ut[a] * turned
                for a in range(w):
                    total = 0.0
                    for p in range(9):
                        total += X[p, a] * Z[p, b]
                    values[own[k, a, b]] += total
            if dq != 0.0:
                add_curvature(pair, k, pair.dofs.shape[1], m, g, dq, own, values)
        # add the derivatives of L_0 and of its rate to G, and the terms with the second derivatives of q_0 and q_1 to
        # the matrix
        for j in range(2):
            at, e, wide = row.end[j], row.begin[j], row.begin[j + 1] - row.begin[j]
            if at < 0:
                continue
            for b in range(wide):
                G[2, e + b] += row.factor[j] * q.jacobian[at, b]
                G[3, e + b] += row.factor[j] * q.jacobian_rate[at, b]
                if q.second[at] >= 0:
                    for a in range(wide):
                        values[slots[i, e + a, e + b]] -= dq * N * row.factor[j] * q.hessian[q.second[at], a, b]
        # add the derivatives of the tension with respect to all coordinates, multiplied by the derivatives of the rope
        # length
        for b in range(n):
            by_q = by_L * (G[0, b] - G[4, b]) + by_Lt * G[1, b] + by_L0 * G[2, b] + by_L0t * G[3, b]
            change = dq * by_q + dv * (by_Lt * G[0, b] + by_L0t * G[2, b])
            if change != 0.0:
                for a in range(n):
                    values[slots[i, a, b]] += (G[0, a] - G[2, a]) * change


@kernel
def fill_numbers(
    rows: Any, spans: Any, pair: Pair, m: PositionMarkers, q: CoordinateMarkers, out: FloatArray, wraps: FloatArray
) -> None:
    """Write the quantities of each rope into ``out``, shape (n, 7), in the order of `LENGTH` and the following
    constants, and the wrap angles [rad] on the sheaves into ``wraps``, shape (n, markers).
    """
    numbers, angles = np.zeros((wraps.shape[1], 18)), np.zeros((wraps.shape[1], 2))
    out_moved, room, moved = np.zeros(18, np.complex128), create_room(), create_moved()
    for i in range(len(rows)):
        row = rows[i]
        L, Lt, L0, L0t = measure(row, spans, pair, m, q, numbers, angles, wraps[i])
        N, elastic, energy, _, _, _, _ = eval_tension(row, L, Lt, L0, L0t)
        lost, winding = (N - elastic) * (Lt - L0t), 0.0
        for k in range(row.first, row.last + 1):
            update_rates(pair, k, m, room.d, room.y)
            is_first, is_last, span = k == row.first, k == row.last, spans[k]
            turns = (is_first and span.radii[0] > 0.0) or (is_last and span.radii[1] > 0.0)
            for a in range(9):
                lost += numbers[k - row.first, 9 + a] * room.y[a]
                if turns:
                    leave, meet = move_span(row, spans, pair, m, k, a, room, moved, angles[k - row.first], out_moved)
                    winding += wound(span, leave, meet, is_first, is_last).imag / TINY * room.y[a]
        passed = (elastic * (L - L0) - energy) / L0 * L0t + elastic * winding
        on = 1.0 if row.active else 0.0
        out[i, LENGTH], out[i, RATE], out[i, FORCE], out[i, REST] = L, Lt, on * N, L0
        out[i, ENERGY], out[i, LOST], out[i, PASSED] = on * energy, on * lost, on * passed


@kernel
def fill_points(row: Any, spans: Any, pair: Pair, m: PositionMarkers, arcs: int, points: FloatArray) -> int:
    """Write points along a rope for drawings: ``arcs + 1`` points on the arc of each sheave, including the ends of the
    adjacent spans, and one point at each end of the rope and at each marker without a sheave. Return the number of
    points.
    """
    n, out, angles, meets, k0 = 0, np.zeros(18), np.zeros(2), 0.0, row.first
    s = create_room()
    for k in range(k0, row.last + 1):
        eval_motion(row, spans, pair, m, k, s, angles, out)
        if k > k0 and spans[k].radii[0] > 0.0:
            wrap = eval_wrap(angles[0], meets)
            for j in range(arcs + 1):
                n = put_point(spans[k], pair.m0[k], m, 0, meets + wrap * j / arcs, points, n)
        else:
            n = put_point(spans[k], pair.m0[k], m, 0, angles[0], points, n)
        meets = angles[1]
    return put_point(spans[row.last], pair.m1[row.last], m, 1, meets, points, n)


@kernel
def put_point(span: Any, marker: int, m: PositionMarkers, end: int, angle: float, points: FloatArray, n: int) -> int:
    """Write the point at a given angle on the sheave at one end of a span into row n of ``points``. Return n + 1."""
    x, y = span.radii[end] * np.cos(angle), span.radii[end] * np.sin(angle)
    for a in range(3):
        points[n, a] = m.position[marker, a]
        for b in range(3):
            points[n, a] += m.rotation[marker, a, b] * (span.frames[end, b, 0] * x + span.frames[end, b, 1] * y)
    return n + 1
