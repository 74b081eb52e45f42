"""Position markers on 3D rigid bodies, at any point b in the frame of the body.

    position: p = R + r,    r = A(e) b = Q(e)/n,    Q_k = eᵀ S_k e,    n = e·e
    S_k: constant symmetric matrices that depend on b
    gradient: ∂r_k/∂e = g_k = 2 (S_k e - r_k e)/n
    second derivatives: ∂²r_k/∂e² = 2 (S_k - r_k I - g_k eᵀ - e g_kᵀ)/n
    angular velocity: ω = Jr e_t,    Jr = 2 E(e)/n,    ∂Jr/∂e_b = 2 (∂E/∂e_b - Jr e_b)/n
    matrix: E = [[-e1, e0, -e3, e2], [-e2, e3, e0, -e1], [-e3, -e2, e1, e0]]

Without the division by n the second derivatives would be the constant 2 S_k. With the division, A(e) is a rotation
matrix for every e ≠ 0. Therefore δA = (Jr δe)~ A is exact, and tangents of forces and joints require this. Here v~ is
the matrix of the cross product, v~ a = v × a.

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


@kernel
def update_rigid3d(rows: Any, m: PositionMarkers, x: FloatArray, v: FloatArray) -> None:
    """Evaluate the position p = R + A b and the rotation of each marker, their rates, and their derivatives with
    respect to the coordinates.
    """
    e, et, E = np.zeros(4), np.zeros(4), np.zeros((3, 4))
    for i in range(len(rows)):
        row = rows[i]
        k, h, dofs, S = row.index, m.second[row.index], row.dofs, row.S
        # Euler parameters, their rates, and n = eᵀ e
        n, growth = 0.0, 0.0
        for a in range(4):
            e[a], et[a] = x[dofs[3 + a]], v[dofs[3 + a]]
            n += e[a] * e[a]
            growth += 2.0 * e[a] * et[a]
        s = 2.0 / n
        for d in range(3):
            # r = eᵀ S e/n, and the gradient and second derivatives of r with respect to e
            r = 0.0
            for a in range(4):
                total = 0.0
                for b in range(4):
                    total += S[d, a, b] * e[b]
                r += total * e[a] / n
                m.jacobian[k, d, 3 + a] = s * total
            rate = 0.0
            for a in range(4):
                m.jacobian[k, d, 3 + a] -= s * r * e[a]
                rate += m.jacobian[k, d, 3 + a] * et[a]
            # position and velocity
            m.jacobian[k, d, d] = 1.0
            m.position[k, d] = x[dofs[d]] + r
            m.velocity[k, d] = v[dofs[d]] + rate
            # second derivatives, and the rate of the Jacobian, which is computed from these derivatives
            for a in range(4):
                total = 0.0
                for b in range(4):
                    H = S[d, a, b] - m.jacobian[k, d, 3 + a] * e[b] - e[a] * m.jacobian[k, d, 3 + b]
                    if a == b:
                        H -= r
                    m.hessian[h, d, 3 + a, 3 + b] = s * H
                    total += s * H * et[b]
                m.jacobian_rate[k, d, 3 + a] = total
        # rotation matrix and angular velocity
        e0, e1, e2, e3 = e[0], e[1], e[2], e[3]
        A = m.rotation[k]
        A[0, 0], A[1, 1] = 1.0 - s * (e2 * e2 + e3 * e3), 1.0 - s * (e1 * e1 + e3 * e3)
        A[2, 2] = 1.0 - s * (e1 * e1 + e2 * e2)
        A[0, 1], A[1, 0] = s * (e1 * e2 - e0 * e3), s * (e1 * e2 + e0 * e3)
        A[0, 2], A[2, 0] = s * (e1 * e3 + e0 * e2), s * (e1 * e3 - e0 * e2)
        A[1, 2], A[2, 1] = s * (e2 * e3 - e0 * e1), s * (e2 * e3 + e0 * e1)
        # the array E contains the matrix Jr = 2 E/n
        E[0, 0], E[0, 1], E[0, 2], E[0, 3] = -s * e1, s * e0, -s * e3, s * e2
        E[1, 0], E[1, 1], E[1, 2], E[1, 3] = -s * e2, s * e3, s * e0, -s * e1
        E[2, 0], E[2, 1], E[2, 2], E[2, 3] = -s * e3, -s * e2, s * e1, s * e0
        # angular velocity, and the derivatives of the angular velocity with respect to e_t and e
        for d in range(3):
            m.angular_velocity[k, d] = 0.0
            for a in range(4):
                m.angular_velocity[k, d] += E[d, a] * et[a]
                m.rotation_jacobian[k, d, 3 + a] = E[d, a]
                for b in range(4):
                    m.rotation_hessian[h, d, 3 + a, 3 + b] = -s * E[d, a] * e[b]
        # the derivatives 2 (∂E/∂e_b)/n, where each nonzero element of the matrix E is ± a component e_b
        for d in range(3):
            p, q = (d + 1) % 3 + 1, (d + 2) % 3 + 1
            m.rotation_hessian[h, d, 3, 4 + d] -= s
            m.rotation_hessian[h, d, 4 + d, 3] += s
            m.rotation_hessian[h, d, 3 + p, 3 + q] -= s
            m.rotation_hessian[h, d, 3 + q, 3 + p] += s


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
