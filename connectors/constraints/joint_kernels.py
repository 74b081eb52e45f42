"""Loops over the rows of joints between two position markers. The loops are compiled separately for the equations of
each joint.

An equation C of a joint depends on d = p1 - p0 and on the rotations of both markers. The kernel of the equation returns
C and fills

    gradient: g = [u, r0, r1], such that Ċ = g·y with the rates y = [v1 - v0, ω0, ω1]
    second derivatives: G, shape (9, 9), such that δg = G [δd, θ0, θ1] for rotations θ of the markers

For each marker, J and Jr are the Jacobians of position and rotation, and H and Hr are the derivatives of these
Jacobians with respect to q. Let X = ∂y/∂q̇ = [J1 - J0, Jr0, Jr1] and Y = ∂y/∂q = [J̇1 - J̇0, Hr0 q̇, Hr1 q̇]. The loops
add

    gradient: C_q = gᵀ X, and the forces C_qᵀ λ
    curvature: ∂(C_qᵀ λ)/∂q = λ (Xᵀ G X + g·∂X/∂q), with ∂X/∂q from H and Hr of the markers
    rate level, index 2: ∂Ċ/∂q = yᵀ G X + gᵀ Y
    consistent accelerations: C_q q̈ = -(y·G y + g·Y q̇)

The equation of an inactive joint or of a free axis is replaced by λ = 0. A velocity constraint, such as rolling, has
the equation g·y = 0 at position level and at velocity level.

In a driven joint the joint frame of marker 0 is displaced by o(t) and rotates relative to marker 0 with the angular
velocity W. Therefore ω0 in y is replaced by ω0 + W, and C decreases by o. With W_t, the derivative of W at constant
velocities,

    rate: Ċ = g·y - o_t
    tangent: ∂Ċ/∂q += (W × g_θ0)ᵀ X_ω0
    accelerations: C_q q̈ = o_tt - (y·G y + g·Y q̇ + g_θ0·W_t)

Source: E. J. Haug, Computer Aided Kinematics and Dynamics of Mechanical Systems, Allyn and Bacon (1989), for the
equations of joints. Their derivatives follow by differentiation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.markers.position_kernels import (
    PositionMarkers,
    add_curvature,
    update_jacobians,
    update_rates,
)
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.kernels.signature import check_arguments, check_results
from windlass.framework.model.system import Coupling


class Joint(NamedTuple):
    """The rows of a joint table with k equations each."""

    m0: IntArray  # index of marker 0 in the arrays of position markers, shape (rows,)
    m1: IntArray  # index of marker 1 in the arrays of position markers, shape (rows,)
    dofs: IntArray  # process-local indices of the coordinates of marker 0, then of marker 1, shape (rows, n)
    n0: int  # number of coordinates of marker 0
    lam: IntArray  # process-local indices of the multipliers, shape (rows, k)
    on: NDArray[np.bool_]  # whether each equation is active, shape (rows, k)
    fast: NDArray[np.bool_]  # whether each equation only constrains velocities (g·y = 0, no C), shape (rows, k)


@kernel
def stand_still(row: Any, k: int, m: PositionMarkers, m0: int, order: int, W: FloatArray) -> float:
    """Return 0. This kernel is the default of the argument ``drive`` of `joint_rows`. It is used for joints that are
    not driven.
    """
    return 0.0


class Loops(NamedTuple):
    """Kernels that loop over all rows of a joint table, and the kernels for one row that these loops call, see
    `joint_rows`.
    """

    residual: Callable[..., None]
    tangent: Callable[..., None]
    accelerations: Callable[..., None]
    evaluate: Callable[..., None]
    equation: Callable[..., float]
    drive: Callable[..., float]


def joint_rows(equation: Callable[..., float], drive: Callable[..., float] = stand_still) -> Loops:
    """Create the kernels that loop over the rows of a joint with the given equations.

    Args:
        equation: kernel ``(row, k, m, m0, m1, d, g, G) -> C`` for equation k of a row. The argument m contains the
            columns of all position markers, m0 and m1 are the indices of the two markers, and d is p1 - p0 [m], shape
            (3,). The kernel writes the nonzero entries of g, shape (9,), and G, shape (9, 9). All entries are 0 before
            the call.
        drive: kernel ``(row, k, m, m0, order, W) -> o_t`` for joints that can be driven. For order 1 the kernel writes
            W [rad/s], shape (3,), and returns o_t. For order 2 the kernel writes W_t [rad/s^2] and returns o_tt.

    Returns:
        Kernels ``residual(rows, j, m, lam, rate_level, C, f)``, ``tangent(rows, j, m, v, lam, rate_level, dq, dv,
        slots, values)``, ``accelerations(rows, j, m, v, C)`` and ``evaluate(rows, j, m, C, g)``. The kernel
        ``evaluate`` fills C (rows, k) and g (rows, k, 9) of the active equations.

    Raises:
        ModelError: a kernel has wrong arguments or results.
    """
    check_arguments(equation, "equation of joint_rows", ("row", "k", "m", "m0", "m1", "d", "g", "G"))
    check_results(equation, "equation of joint_rows", ("C",))
    check_arguments(drive, "drive of joint_rows", ("row", "k", "m", "m0", "order", "W"))
    check_results(drive, "drive of joint_rows", ("o_t",))
    moves = drive is not stand_still

    @kernel
    def residual(
        rows: Any, j: Joint, m: PositionMarkers, lam: FloatArray, rate_level: bool, C: FloatArray, f: FloatArray
    ) -> None:
        n0, n = j.n0, j.dofs.shape[1]
        d, y, g, G, W = np.zeros(3), np.zeros(9), np.zeros(9), np.zeros((9, 9)), np.zeros(3)
        for i in range(len(j.m0)):
            m0, m1 = j.m0[i], j.m1[i]
            update_rates(j, i, m, d, y)
            for k in range(j.lam.shape[1]):
                at = j.lam[i, k]
                force = lam[at]
                if not j.on[i, k]:
                    C[at] += force
                    continue
                g[:], G[:] = 0.0, 0.0
                value = equation(rows[i], k, m, m0, m1, d, g, G)
                if rate_level or j.fast[i, k]:
                    value = 0.0
                    for a in range(9):
                        value += g[a] * y[a]
                    if moves:
                        value -= drive(rows[i], k, m, m0, 1, W)
                        for a in range(3):
                            value += g[3 + a] * W[a]
                C[at] += value
                for b in range(n0):
                    total = 0.0
                    for a in range(3):
                        total += g[3 + a] * m.rotation_jacobian[m0, a, b] - g[a] * m.jacobian[m0, a, b]
                    f[j.dofs[i, b]] += force * total
                for b in range(n - n0):
                    total = 0.0
                    for a in range(3):
                        total += g[6 + a] * m.rotation_jacobian[m1, a, b] + g[a] * m.jacobian[m1, a, b]
                    f[j.dofs[i, n0 + b]] += force * total

    @kernel
    def tangent(
        rows: Any,
        j: Joint,
        m: PositionMarkers,
        v: FloatArray,
        lam: FloatArray,
        rate_level: bool,
        dq: float,
        dv: float,
        slots: Coupling,
        values: FloatArray,
    ) -> None:
        n = j.dofs.shape[1]
        d, y, g, G, W = np.zeros(3), np.zeros(9), np.zeros(9), np.zeros((9, 9)), np.zeros(3)
        X, Y, Z = np.zeros((9, n)), np.zeros((9, n)), np.zeros((9, n))
        # compute the rates y of both markers, and the derivatives X and Y of y with respect to velocities and
        # coordinates
        for i in range(len(j.m0)):
            update_rates(j, i, m, d, y)
            update_jacobians(j, i, m, v, X, Y)
            for k in range(j.lam.shape[1]):
                if not j.on[i, k]:
                    values[slots.diagonal[i, k]] += slots.scale
                    continue
                # gradient g and second derivatives G of equation k
                g[:], G[:] = 0.0, 0.0
                equation(rows[i], k, m, j.m0[i], j.m1[i], d, g, G)
                force = dq * lam[j.lam[i, k]]
                by_rate = rate_level or j.fast[i, k]
                by_gradient = dv if by_rate else dq
                # Z = G X
                for a in range(9):
                    for b in range(n):
                        Z[a, b] = 0.0
                    for p in range(9):
                        if G[a, p] != 0.0:
                            for b in range(n):
                                Z[a, b] += G[a, p] * X[p, b]
                # compute the derivatives C_q of the equation and ∂Ċ/∂q of its rate, including the angular velocity W of
                # a driven joint
                if moves and by_rate:
                    drive(rows[i], k, m, j.m0[i], 1, W)
                for b in range(n):
                    gradient, change = 0.0, 0.0
                    for a in range(9):
                        gradient += g[a] * X[a, b]
                        change += y[a] * Z[a, b] + g[a] * Y[a, b]
                    if moves:
                        change += W[0] * Z[3, b] + W[1] * Z[4, b] + W[2] * Z[5, b]
                        change += (W[1] * g[5] - W[2] * g[4]) * X[3, b]
                        change += (W[2] * g[3] - W[0] * g[5]) * X[4, b]
                        change += (W[0] * g[4] - W[1] * g[3]) * X[5, b]
                    # matrix entries in the row and the column of the multiplier
                    values[slots.rows[i, k, b]] += by_gradient * gradient
                    values[slots.columns[i, b, k]] += slots.scale * gradient
                    if by_rate:
                        values[slots.rows[i, k, b]] += dq * change
                # curvature of C times λ
                if force != 0.0:
                    for a in range(n):
                        for b in range(n):
                            total = 0.0
                            for p in range(9):
                                total += X[p, a] * Z[p, b]
                            values[slots.block[i, a, b]] += force * total
                    add_curvature(j, i, j.dofs.shape[1], m, g, force, slots.block, values)

    @kernel
    def accelerations(rows: Any, j: Joint, m: PositionMarkers, v: FloatArray, C: FloatArray) -> None:
        n = j.dofs.shape[1]
        d, y, g, G, W = np.zeros(3), np.zeros(9), np.zeros(9), np.zeros((9, 9)), np.zeros(3)
        X, Y = np.zeros((9, n)), np.zeros((9, n))
        for i in range(len(j.m0)):
            update_rates(j, i, m, d, y)
            update_jacobians(j, i, m, v, X, Y)
            for k in range(j.lam.shape[1]):
                if not j.on[i, k]:
                    continue
                g[:], G[:] = 0.0, 0.0
                equation(rows[i], k, m, j.m0[i], j.m1[i], d, g, G)
                total = 0.0
                if moves:
                    total -= drive(rows[i], k, m, j.m0[i], 2, W)
                    for a in range(3):
                        total += g[3 + a] * W[a]
                    drive(rows[i], k, m, j.m0[i], 1, W)
                    for a in range(3):
                        y[3 + a] += W[a]
                for a in range(9):
                    for b in range(9):
                        total += y[a] * G[a, b] * y[b]
                    for b in range(n):
                        total += g[a] * Y[a, b] * v[j.dofs[i, b]]
                if moves:
                    for a in range(3):
                        y[3 + a] -= W[a]
                C[j.lam[i, k]] -= total

    @kernel
    def evaluate(rows: Any, j: Joint, m: PositionMarkers, C: FloatArray, g: FloatArray) -> None:
        d, y, G = np.zeros(3), np.zeros(9), np.zeros((9, 9))
        for i in range(len(j.m0)):
            update_rates(j, i, m, d, y)
            for k in range(j.on.shape[1]):
                g[i, k] = 0.0
                C[i, k] = 0.0
                if not j.on[i, k]:
                    continue
                C[i, k] = equation(rows[i], k, m, j.m0[i], j.m1[i], d, g[i, k], G)
                if j.fast[i, k]:
                    for a in range(9):
                        C[i, k] += g[i, k, a] * y[a]

    return Loops(residual, tangent, accelerations, evaluate, equation, drive)


@kernel
def write_along(ax: float, ay: float, az: float, d: FloatArray, g: FloatArray, G: FloatArray) -> float:
    """Write the gradient g and the second derivatives G of C = a·d, and return C. The direction a is fixed in marker 0,
    and the equation locks the displacement along a.
    """
    u = (ax, ay, az)
    along: float = ax * d[0] + ay * d[1] + az * d[2]
    g[0], g[1], g[2] = ax, ay, az
    g[3], g[4], g[5] = ay * d[2] - az * d[1], az * d[0] - ax * d[2], ax * d[1] - ay * d[0]
    # δa = θ0 × a,  δ(a × d) = a × δd + (a dᵀ - (a·d) I) θ0
    G[0, 4], G[0, 5], G[1, 3], G[1, 5], G[2, 3], G[2, 4] = az, -ay, -az, ax, ay, -ax
    G[3, 1], G[3, 2], G[4, 0], G[4, 2], G[5, 0], G[5, 1] = -az, ay, az, -ax, -ay, ax
    for p in range(3):
        for q in range(3):
            G[3 + p, 3 + q] = u[p] * d[q]
        G[3 + p, 3 + p] -= along
    return along


@kernel
def write_perpendicular(
    ax: float, ay: float, az: float, bx: float, by: float, bz: float, g: FloatArray, G: FloatArray
) -> float:
    """Write the gradient g and the second derivatives G of C = a·b, and return C. The direction a is fixed in marker 0,
    and the direction b is fixed in marker 1. The equation locks the rotation about b × a.
    """
    a, b = (ax, ay, az), (bx, by, bz)
    value = ax * bx + ay * by + az * bz
    wx, wy, wz = by * az - bz * ay, bz * ax - bx * az, bx * ay - by * ax
    g[3], g[4], g[5], g[6], g[7], g[8] = -wx, -wy, -wz, wx, wy, wz
    # δ(b × a) = ((a·b) I - a bᵀ) θ0 + (b aᵀ - (a·b) I) θ1
    for p in range(3):
        for q in range(3):
            G[3 + p, 3 + q], G[6 + p, 3 + q] = a[p] * b[q], -a[p] * b[q]
            G[3 + p, 6 + q], G[6 + p, 6 + q] = -b[p] * a[q], b[p] * a[q]
        G[3 + p, 3 + p] -= value
        G[6 + p, 3 + p] += value
        G[3 + p, 6 + p] += value
        G[6 + p, 6 + p] -= value
    return value
