"""Assembly of the tangent for contact points of cables. The partner is a rigid body (a circle in 2D or a surface in 3D)
or another cable (`add_point_and_foot`).

The body has d = 2 or 3 coordinates of its centre c and 1 or 3 rotations theta, in total w = 3 or 6 degrees of freedom.
Contact exerts the force F on a point p of the cable, with the moment m about the centre c of the body. The reaction
(-F, -m) acts on the body. For each point, a contact law computes the following derivatives of (F, m):

    C (w, w): with respect to (p - c, theta), times dq, plus with respect to the rates of (p - c, theta), times dv
    V (w, w): with respect to the rates of (p - c, theta), times dq

With B = dp/dq, the derivatives for all points of a row are transformed to the coordinates q of the cable and then
summed. For a point on the axis (`add_point`), B is S_j I with the shape functions S_j. For a point at an offset from
the axis (`add_offset_point`), B is the Jacobian J. The sums are

    K (n + w, n + w): derivatives of the forces on the n coordinates of the cable (n = 4 d without angles of twist) and
        on (c, theta), with respect to the same variables, times dq, plus with respect to their rates, times dv
    N (n + w, w): derivatives of the same forces with respect to the rates of (c, theta) only, times dq, for markers
        whose Jacobians J, Jr vary in time

`scatter_row` transforms (c, theta) to the coordinates of the marker. H and Hr are the derivatives of J and Jr with
respect to these coordinates.

Source: chain rule, own derivation.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.connectors.contact.update import touches
from windlass.elements.cable.points import Four
from windlass.elements.nodes.vectors import Vector
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import Kernel, kernel


@kernel(inline=True)
def add_point(
    S: Four, d: int, w: int, C: FloatArray, V: FloatArray, varies: bool, K: FloatArray, N: FloatArray
) -> None:
    """Add to K and N the derivatives of the forces of a point on the axis. S are the shape functions at this point.
    varies: whether the Jacobians of the marker vary in time. If false, N is not changed.
    """
    n = 4 * d
    # rows of K for the coordinates of the nodes of the cable
    for j in range(4):
        for e in range(d):
            a = d * j + e
            for l in range(4):
                for b in range(d):
                    K[a, d * l + b] += S[j] * S[l] * C[e, b]
            for b in range(w):
                K[a, n + b] += S[j] * (C[e, b] if b >= d else -C[e, b])
                if varies:
                    N[a, b] += S[j] * (V[e, b] if b >= d else -V[e, b])
    # rows of K for the coordinates of the body
    for a in range(w):
        for l in range(4):
            for b in range(d):
                K[n + a, d * l + b] -= S[l] * C[a, b]
        for b in range(w):
            K[n + a, n + b] += C[a, b] if b < d else -C[a, b]
            if varies:
                N[n + a, b] += V[a, b] if b < d else -V[a, b]


@kernel(inline=True)
def add_offset_point(
    J: FloatArray, Jd: FloatArray, C: FloatArray, V: FloatArray, X: FloatArray, varies: bool, K: FloatArray,
    N: FloatArray,
) -> None:  # fmt: skip
    """Add to K and N the derivatives of the forces of a point of a 2D cable at an offset from the axis.

    Args:
        J, Jd: Jacobian of the position of the point with respect to the coordinates of the cable, and the time
            derivative of this Jacobian, shape (2, 8) each.
        C, V: derivatives of the force and the moment, which the docstring of this module defines, shape (3, 3) each.
        X: memory for the function, shape (3, 11).
        varies: whether the Jacobians of the marker vary in time. If false, N is not changed.
    """
    # X = C B + V dB/dt, then K += B^T X
    for a in range(3):
        for b in range(8):
            X[a, b] = C[a, 0] * J[0, b] + C[a, 1] * J[1, b] + V[a, 0] * Jd[0, b] + V[a, 1] * Jd[1, b]
        X[a, 8], X[a, 9], X[a, 10] = -C[a, 0], -C[a, 1], C[a, 2]
    for b in range(11):
        for a in range(8):
            K[a, b] += J[0, a] * X[0, b] + J[1, a] * X[1, b]
        for a in range(3):
            K[8 + a, b] -= X[a, b]
    if varies:
        for b in range(3):
            sign = -1.0 if b < 2 else 1.0
            for a in range(8):
                N[a, b] += sign * (J[0, a] * V[0, b] + J[1, a] * V[1, b])
            for a in range(3):
                N[8 + a, b] -= sign * V[a, b]


@kernel
def add_point_and_foot(
    S: Four, dS: Four, T: Four, dT: Four, ddT: Four, force: Vector, on_b: Vector, n: int, C: FloatArray, X: FloatArray,
    K: FloatArray,
) -> None:  # fmt: skip
    """Add to K, shape (2 n, 2 n), the derivatives of the forces at a point r_A of cable A and at its foot r_B on cable
    B. S and T are the shape functions of A and B. Their first derivatives with respect to arc length are dS and dT, and
    ddT is the second derivative of T.

    Args:
        force, on_b: forces on the position r_A and on the slope r'_B [N].
        n: number of coordinates of a cable, of which the first 12 are positions and slopes.
        C: derivatives with respect to r_A, r'_A, r_B, r'_B (three columns each). The 12 rows are the derivatives of the
            force on r_A, of the forces on r'_A and r'_B (three rows each), of the arc length s of the foot, and of the
            moments about both axes.
        X: derivatives of the 12 quantities with respect to the coordinates, shape (12, 2 n). The function adds the
            derivatives with respect to positions and slopes.
    """
    for row in range(12):
        for j in range(4):
            for e in range(3):
                X[row, 3 * j + e] += S[j] * C[row, e] + dS[j] * C[row, 3 + e]
                X[row, n + 3 * j + e] += T[j] * C[row, 6 + e] + dT[j] * C[row, 9 + e]
    for j in range(4):
        for e in range(3):
            # the point of B on which the reaction acts moves with the contact point
            moved = ddT[j] * on_b[e] - dT[j] * force[e]
            for col in range(2 * n):
                K[3 * j + e, col] += S[j] * X[e, col] + dS[j] * X[3 + e, col]
                K[n + 3 * j + e, col] += dT[j] * X[6 + e, col] - T[j] * X[e, col] + moved * X[9, col]


@kernel(inline=True)
def add_block(K: FloatArray, slots: IntArray, i: int, size: int, values: FloatArray) -> None:
    """Add the first ``size`` rows and columns of K to the elements ``slots[i]`` of ``values``."""
    for a in range(size):
        for b in range(size):
            values[slots[i, a, b]] += K[a, b]


@kernel(inline=True)
def fill_marker(
    m: Any, k: int, d: int, w: int, v: FloatArray, dofs: IntArray, i: int, P: FloatArray, R: FloatArray
) -> None:
    """Write the derivatives of the centre c and the rotation theta of marker k with respect to its coordinates into P.
    Write the derivatives of the rates of c and theta with respect to the coordinates, at constant rates of the
    coordinates, into R. Both arrays have the shape (coordinates, w).
    """
    width, h = len(P), m.second[k]
    n = dofs.shape[1] - width
    for a in range(width):
        for e in range(d):
            P[a, e], R[a, e] = m.jacobian[k, e, a], m.jacobian_rate[k, e, a]
        for e in range(d, w):
            # in 2D the only rotation is about z
            z = e - w + 3
            P[a, e], R[a, e] = m.rotation_jacobian[k, z, a], 0.0
            if h >= 0:
                for b in range(width):
                    R[a, e] += m.rotation_hessian[h, z, b, a] * v[dofs[i, n + b]]


@kernel(inline=True)
def scatter_row(
    m: Any, k: int, d: int, w: int, dofs: IntArray, i: int, K: FloatArray, N: FloatArray, P: FloatArray, R: FloatArray,
    wrench: FloatArray, A: FloatArray, slots: IntArray, values: FloatArray,
) -> None:  # fmt: skip
    """Transform K and N of row i from the centre c and the rotation theta of the partner to the coordinates of marker
    k, and add the result to the matrix.

    Args:
        P, R: derivatives of the centre and the rotation of marker k, from `fill_marker`.
        wrench: sum of the forces F and moments m of all points, multiplied by dq, shape (w,).
        A: memory for the function, shape (w,).
    """
    n, h = len(K) - w, m.second[k]
    width = dofs.shape[1] - n
    add_block(K, slots, i, n, values)
    for b in range(width):
        # columns of the matrix for the coordinates of the marker: derivatives of the forces on the cable and on (c,
        # theta)
        for a in range(n + w):
            value = 0.0
            for e in range(w):
                value += K[a, n + e] * P[b, e] + N[a, e] * R[b, e]
            if a < n:
                values[slots[i, a, n + b]] += value
            else:
                A[a - n] = value
        for a in range(width):
            value = 0.0
            for e in range(w):
                value += P[a, e] * A[e]
            # terms due to the dependence of the Jacobians on the coordinates
            if h >= 0:
                for e in range(w):
                    value -= wrench[e] * (m.hessian[h, e, a, b] if e < d else m.rotation_hessian[h, e - w + 3, a, b])
            values[slots[i, n + a, n + b]] += value
        # rows of the coordinates of the marker
        for a in range(n):
            value = 0.0
            for e in range(w):
                value += P[b, e] * K[n + e, a]
            values[slots[i, n + b, a]] += value


@kernel(inline=True)
def keep_axis(c: Any, i: int, K: FloatArray, N: FloatArray) -> None:
    """Do nothing. This kernel is the argument ``spread`` of `create_tangent` for laws without beams."""


def create_tangent(
    count: Kernel, n: int, d: int, w: int, work: np.dtype[Any], begin: Kernel, add: Kernel, end: Kernel,
    spread: Kernel = keep_axis,
) -> Kernel:  # fmt: skip
    """Create the kernel ``(c, m, data, start, x, v, size, mapped, dq, dv, slots, values)`` that adds the tangent of all
    rows to the elements ``slots`` of the array ``values`` of a matrix. The tangent is dq ∂f/∂q + dv ∂f/∂v, with the
    scalar factors dq and dv, where f are the forces. In a step of the size ``size`` > 0, return maps compute the
    history values in each evaluation of f if ``mapped``, see `Fields`, is >= 0. Otherwise history values are constant.

    Args:
        count: kernel that returns the number of points of a row, see `create_update`.
        n, d, w: number of coordinates of the cable, number of dimensions, and number of degrees of freedom of the
            partner.
        work: type of a record ``g`` for intermediate results, see `work_type`.
        begin: kernel ``(c, m, data, start, x, v, maps, i, g) -> r, marker, whole`` that evaluates row i. ``maps`` is
            true if return maps are active, ``r`` contains the data for ``add``, and ``marker`` is the marker of the
            partner. The first ``whole`` rows and columns of K are entries of the matrix. The number ``whole`` is n if
            the partner is at rest, n + w if the coordinates of the marker are (c, theta), otherwise 0.
        add: kernel ``(c, data, start, r, i, k, dq, dv, varies, g, K, N, wrench)`` for the contact point k, which is
            closed. The kernel adds the derivatives of the force F and the moment m of this point to K and N, and dq F
            and dq m to ``wrench``. ``varies``: whether N and ``wrench`` are used.
        end: kernel ``(r, dq, g, K)`` that adds derivatives that couple the points of a row.
        spread: kernel ``(c, i, K, N)`` that transforms K and N of row i from the coordinates of its axis to the
            coordinates of its nodes, see `contact/axes.py`.
    """

    @kernel(inline=True)
    def add_rows(
        c: Any, m: Any, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray, size: FloatArray,
        mapped: FloatArray, dq: float, dv: float, slots: IntArray, values: FloatArray,
    ) -> None:  # fmt: skip
        width, work_space = c.dofs.shape[1] - n, np.zeros(1, work)
        K, N = np.empty((n + w, n + w)), np.empty((n + w, w))
        P, R, wrench, A = np.empty((width, w)), np.empty((width, w)), np.empty(w), np.empty(w)
        g, maps = work_space[0], size[0] > 0.0 and mapped[0] >= 0.0
        for i in range(len(c.rows)):
            row = c.rows[i]
            points, first = count(row), row.data
            if not touches(data, first, points):
                continue
            r, marker, whole = begin(c, m, data, start, x, v, maps, i, g)
            K[:], N[:], wrench[:] = 0.0, 0.0, 0.0
            for k in range(points):
                if data[first + k] <= 0.0:
                    add(c, data, start, r, i, k, dq, dv, whole == 0, g, K, N, wrench)
            end(r, dq, g, K)
            spread(c, i, K, N)
            if whole > 0:
                add_block(K, slots, i, whole, values)
                continue
            # coordinates of the marker of the partner
            fill_marker(m, marker, d, w, v, c.dofs, i, P, R)
            scatter_row(m, marker, d, w, c.dofs, i, K, N, P, R, wrench, A, slots, values)

    return add_rows


@kernel(inline=True)
def couple_nothing(r: Any, dq: float, g: Any, K: FloatArray) -> None:
    """Do nothing. This kernel is the argument ``end`` of `create_tangent` if the points of a row are not coupled."""
