"""Position markers on 3D rigid bodies, at any point b in the frame of the body.

    position: p = R + r,    r = A(e) b = Q(e)/n,    Q_k = eᵀ S_k e,    n = e·e
    S_k: constant symmetric matrices that depend on b
    gradient: ∂r_k/∂e = g_k = 2 (S_k e - r_k e)/n
    second derivatives: ∂²r_k/∂e² = 2 (S_k - r_k I - g_k eᵀ - e g_kᵀ)/n
    angular velocity: ω = Jr e_t,    Jr = 2 E(e)/n,    ∂Jr/∂e_b = 2 (∂E/∂e_b - Jr e_b)/n
    matrix: E = [[-e1, e0, -e3, e2], [-e2, e3, e0, -e1], [-e3, -e2, e1, e0]]

Without the division by n the second derivatives would be the constant 2 S_k. With the division, A(e) is a rotation
matrix for every e ≠ 0. Therefore δA = (Jr δe)~ A is exact, as the tangents of forces and joints require. Here v~ is the
matrix of the cross product, v~ a = v × a.

Source: P. E. Nikravesh, Computer-Aided Analysis of Mechanical Systems, Prentice Hall (1988), chapter 6. The derivatives
follow by differentiation.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.markers.marker_laws import pack_markers, register_marker
from windlass.connectors.markers.position_kernels import CURVED, FAMILY, RIGID, SPATIAL, PositionMarkers
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows
from windlass.framework.model.schema import Component, column, ref

SOURCE = "[@nikravesh1988]"
PROVIDES = (FAMILY, RIGID, CURVED, SPATIAL)


class RigidNodePosition3D(Component):
    """Position and rotation of a 3D rigid node."""

    provides = PROVIDES
    node = ref("RigidNode3D", "the node")


class PositionOnRigid3D(Component):
    """A point of a 3D rigid body, with the rotation of the body."""

    provides = PROVIDES
    body = ref("RigidBody3D", "the body")
    local = column("m", "position b in the frame of the body", shape=(3,), default=(0.0, 0.0, 0.0))


@kernel(inline=True)
def fill_turned(
    S: FloatArray, e: FloatArray, et: FloatArray, first: int, p: FloatArray, u: FloatArray, J: FloatArray,
    Jt: FloatArray, H: FloatArray, A: FloatArray, w: FloatArray, Jr: FloatArray, Hr: FloatArray,
) -> None:  # fmt: skip
    """Evaluate the rotated point r = A b and the rotation for Euler parameters e with the rates ``et``.

    Args:
        S: matrices of `quadratic_forms`.
        first: index of the first Euler parameter in the last indices of J, Jt, H, Jr and Hr.
        p, u: position and velocity, to which r and its rate are added, shape (3,).
        J, Jt, H: derivatives of r, their rates, and second derivatives, shapes (3, n), (3, n), (3, n, n).
        A, w: rotation matrix and angular velocity.
        Jr, Hr: derivatives of w with respect to the rates of e, and the derivatives of Jr, shapes (3, n), (3, n, n).
    """
    # n = eᵀ e
    n = 0.0
    for a in range(4):
        n += e[a] * e[a]
    s = 2.0 / n
    for d in range(3):
        # r = eᵀ S e/n, and the gradient and second derivatives of r with respect to e
        r = 0.0
        for a in range(4):
            total = 0.0
            for b in range(4):
                total += S[d, a, b] * e[b]
            r += total * e[a] / n
            J[d, first + a] = s * total
        rate = 0.0
        for a in range(4):
            J[d, first + a] -= s * r * e[a]
            rate += J[d, first + a] * et[a]
        p[d] += r
        u[d] += rate
        # second derivatives, and the rate of the Jacobian, which is computed from these derivatives
        for a in range(4):
            total = 0.0
            for b in range(4):
                value = S[d, a, b] - J[d, first + a] * e[b] - e[a] * J[d, first + b]
                if a == b:
                    value -= r
                H[d, first + a, first + b] = s * value
                total += s * value * et[b]
            Jt[d, first + a] = total
    # rotation matrix
    e0, e1, e2, e3 = e[0], e[1], e[2], e[3]
    A[0, 0], A[1, 1] = 1.0 - s * (e2 * e2 + e3 * e3), 1.0 - s * (e1 * e1 + e3 * e3)
    A[2, 2] = 1.0 - s * (e1 * e1 + e2 * e2)
    A[0, 1], A[1, 0] = s * (e1 * e2 - e0 * e3), s * (e1 * e2 + e0 * e3)
    A[0, 2], A[2, 0] = s * (e1 * e3 + e0 * e2), s * (e1 * e3 - e0 * e2)
    A[1, 2], A[2, 1] = s * (e2 * e3 - e0 * e1), s * (e2 * e3 + e0 * e1)
    # the matrix Jr = 2 E/n
    f = first
    Jr[0, f], Jr[0, f + 1], Jr[0, f + 2], Jr[0, f + 3] = -s * e1, s * e0, -s * e3, s * e2
    Jr[1, f], Jr[1, f + 1], Jr[1, f + 2], Jr[1, f + 3] = -s * e2, s * e3, s * e0, -s * e1
    Jr[2, f], Jr[2, f + 1], Jr[2, f + 2], Jr[2, f + 3] = -s * e3, -s * e2, s * e1, s * e0
    # angular velocity, and the derivatives of Jr with respect to e
    for d in range(3):
        w[d] = 0.0
        for a in range(4):
            w[d] += Jr[d, f + a] * et[a]
            for b in range(4):
                Hr[d, f + a, f + b] = -s * Jr[d, f + a] * e[b]
    # the derivatives 2 (∂E/∂e_b)/n, where each nonzero element of the matrix E is ± a component e_b
    for d in range(3):
        i, j = (d + 1) % 3 + 1, (d + 2) % 3 + 1
        Hr[d, f, f + 1 + d] -= s
        Hr[d, f + 1 + d, f] += s
        Hr[d, f + i, f + j] -= s
        Hr[d, f + j, f + i] += s


@kernel
def update_rigid3d(rows: Any, m: PositionMarkers, x: FloatArray, v: FloatArray) -> None:
    """Evaluate the position p = R + A b and the rotation of each marker, their rates, and their derivatives with
    respect to the coordinates.
    """
    e, et = np.zeros(4), np.zeros(4)
    for i in range(len(rows)):
        row = rows[i]
        k, h, dofs = row.index, m.second[row.index], row.dofs
        for a in range(4):
            e[a], et[a] = x[dofs[3 + a]], v[dofs[3 + a]]
        for d in range(3):
            m.position[k, d], m.velocity[k, d], m.jacobian[k, d, d] = x[dofs[d]], v[dofs[d]], 1.0
        fill_turned(
            row.S, e, et, 3, m.position[k], m.velocity[k], m.jacobian[k], m.jacobian_rate[k], m.hessian[h],
            m.rotation[k], m.angular_velocity[k], m.rotation_jacobian[k], m.rotation_hessian[h],
        )  # fmt: skip


def quadratic_forms(b: FloatArray) -> FloatArray:
    """Return the matrices S [m], shape (rows, 3, 4, 4), for points b [m], shape (rows, 3), such that the rotated point
    is A(e) b = eᵀ S e/(e·e) for all Euler parameters e.
    """
    S = np.zeros((len(b), 3, 4, 4))
    for d in range(3):
        j, k = (d + 1) % 3, (d + 2) % 3
        # n A(e) b = (e0² - ε·ε) b + 2 ε (ε·b) + 2 e0 ε × b, with ε = [e1, e2, e3]
        S[:, d, 0, 0] = b[:, d]
        for a in range(3):
            S[:, d, 1 + a, 1 + a] -= b[:, d]
            S[:, d, 1 + d, 1 + a] += b[:, a]
            S[:, d, 1 + a, 1 + d] += b[:, a]
        S[:, d, 0, 1 + j] = S[:, d, 1 + j, 0] = b[:, k]
        S[:, d, 0, 1 + k] = S[:, d, 1 + k, 0] = -b[:, j]
    return S


def bind(rows: LocalRows) -> NDArray[Any]:
    """Create the array with the data of markers on bodies or nodes. A point b is stored as three matrices S [m], shape
    (3, 4, 4), such that A b = eᵀ S e/n.
    """
    b = rows.local("local") if "local" in rows.table.component.columns else np.zeros((len(rows.rows), 3))
    return pack_markers(rows, 7, S=quadratic_forms(b))


register_marker(RigidNodePosition3D, FAMILY, update_rigid3d, bind, "node", SOURCE)
register_marker(PositionOnRigid3D, FAMILY, update_rigid3d, bind, "body", SOURCE)
