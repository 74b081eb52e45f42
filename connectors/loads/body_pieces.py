"""Forces of a fluid on pieces of a rigid body, with derivatives, and their sum at the marker of the body.

Let r be the centre of a piece, v and r_tt its velocity and acceleration, and e_k its axes. Let u and a be the velocity
and acceleration of the fluid at r, w = u - v, and q_k = e_k·w. V and S are the immersed volume and its first moment
(`immersion`), V_0 is the whole volume, and s = V/V_0.

    drag: D = s Σ d_k n_k q_k e_k,    n_k = sqrt(Σ_l P_kl q_l²)
    buoyancy and pressure of the undisturbed fluid: B = ρ V (a + g z),    torque about r: ρ S × (a + g z), 0 for spheres
    added mass: s Σ m_k (e_k·a) e_k on the right-hand side, s Σ m_k (e_k·r_tt) e_k on the left-hand side

z points upwards. The constants are d_k = ½ ρ A_k C_k and m_k = ρ C_ak V_k, with the density ρ of the fluid,
coefficients C_k and C_ak, and reference areas A_k and volumes V_k. The matrix P contains 1 for components whose
resultant determines the drag. These are all components of a sphere, the two components across the axis of a cylinder,
and for a box each component separately.

The vector from the marker to the centre of the piece is h = A l. The marker has the position p, and the vector from the
node of the body to the marker is A b. Therefore

    r = p + h,    v = p_t + ω × h,    r_tt = J q_tt + (J_r q_tt) × h + ω × (ω × A (b + l))

The forces F and the torques M of all pieces about the marker give the generalised force Jᵀ F + J_rᵀ M, where J and J_r
are the Jacobians of the position and of the rotation of the marker. With X = (J, J_r), and the derivatives K, D, G of
(F, M) with respect to the rigid displacements, velocities and accelerations of the marker, the derivatives are

    ∂f/∂q = F·H + M·H_r + Xᵀ (K X + D ∂(X q_t)/∂q + G ∂(X q_tt)/∂q),   ∂f/∂q_t = Xᵀ D X,   ∂f/∂q_tt = Xᵀ G X

Source: J. R. Morison and others, The force exerted by surface waves on piles, Petroleum Transactions AIME 189 (1950);
J. N. Newman, Marine Hydrodynamics, MIT Press (1977).
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.fluids.flow import ABOVE, EVERYWHERE
from windlass.connectors.loads.immersion import MESH, immerse, immerse_mesh
from windlass.connectors.markers.position_kernels import PositionMarkers
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.rows import create_records

# Kernels read structured arrays. The argument ``c`` contains the constants of the pieces (`create_group` in
# body_fluid_load.py). The argument ``m`` contains the motion of the pieces and the forces on the pieces
# (`create_motion`). The arguments ``flow`` and ``surface`` contain the motion of the fluid at the centres of the pieces
# (`flow.create_flows`, `flow.create_surfaces`). The argument ``own`` contains the marker of each row, and the range of
# its pieces, from ``first`` to ``end``.


def create_motion(count: int) -> NDArray[Any]:
    """Create an array for the motion of pieces and for the forces on the pieces, shape (count,), with the following
    values for each piece.

    r, v, a: position [m], velocity [m/s] and acceleration [m/s^2] of the centre, shape (3,).
    lever, arm: vectors from the marker and from the node to the centre [m], omega: angular velocity [rad/s], alpha:
    angular acceleration [rad/s^2], shape (3,).
    E: axes e_k as rows [1], shape (3, 3).
    V, S: immersed volume [m^3] and its first moment about the centre [m^4], shape (3,).
    Aw, Sw, Iw: integrals over the waterplane [m^2, m^3, m^4], shapes (), (3,), (3, 3).
    N: normal to the surface [1], shape (3,).
    F, M: force [N] and torque about the marker [N m], shape (3,).
    K, D, G: derivatives of (F, M) with respect to displacements, velocities and accelerations of the marker, each with
    the rotational part after the translational part, shape (6, 6).
    """
    names = "r", "v", "a", "lever", "arm", "omega", "alpha", "S", "Sw", "N", "F", "M"
    vectors = {name: np.zeros((count, 3)) for name in names}
    matrices = {name: np.zeros((count, 3, 3)) for name in ("E", "Iw")}
    large = {name: np.zeros((count, 6, 6)) for name in ("K", "D", "G")}
    return create_records(**vectors, **matrices, **large, V=np.zeros(count), Aw=np.zeros(count))


@kernel(inline=True)
def cross_to(a: FloatArray, b: FloatArray, to: FloatArray) -> None:
    """Write a × b to ``to``, another array of shape (3,)."""
    to[0] = a[1] * b[2] - a[2] * b[1]
    to[1] = a[2] * b[0] - a[0] * b[2]
    to[2] = a[0] * b[1] - a[1] * b[0]


@kernel(inline=True)
def add_cross(a: FloatArray, b: FloatArray, to: FloatArray) -> None:
    """Add a × b to ``to``, another array of shape (3,)."""
    to[0] += a[1] * b[2] - a[2] * b[1]
    to[1] += a[2] * b[0] - a[0] * b[2]
    to[2] += a[0] * b[1] - a[1] * b[0]


@kernel(inline=True)
def inner(a: FloatArray, b: FloatArray) -> float:
    """Return a·b."""
    return float(a[0] * b[0] + a[1] * b[1] + a[2] * b[2])


@kernel
def locate_pieces(c: Any, k: PositionMarkers, m: Any) -> None:
    """Write position, velocity and axes of all pieces into m. The array k contains the columns of the position
    markers.
    """
    for i in range(len(c)):
        marker = c[i].marker
        for a in range(3):
            lever, arm = 0.0, 0.0
            for b in range(3):
                lever += k.rotation[marker, a, b] * c[i].l[b]
                arm += k.rotation[marker, a, b] * c[i].b[b]
                total = 0.0
                for n in range(3):
                    total += c[i].B[a, n] * k.rotation[marker, b, n]
                m[i].E[a, b] = total
            m[i].lever[a], m[i].arm[a] = lever, lever + arm
            m[i].omega[a] = k.angular_velocity[marker, a]
            m[i].r[a] = k.position[marker, a] + lever
            m[i].v[a] = k.velocity[marker, a]
        add_cross(m[i].omega, m[i].lever, m[i].v)


@kernel
def accelerate_pieces(c: Any, k: PositionMarkers, dofs: IntArray, a: FloatArray, m: Any) -> None:
    """Write the accelerations of all pieces. `locate_pieces` must be called before."""
    turned = np.zeros(3)
    for i in range(len(c)):
        marker, row = c[i].marker, c[i].row
        for d in range(3):
            m[i].a[d], m[i].alpha[d] = 0.0, 0.0
            for n in range(dofs.shape[1]):
                m[i].a[d] += k.jacobian[marker, d, n] * a[dofs[row, n]]
                m[i].alpha[d] += k.rotation_jacobian[marker, d, n] * a[dofs[row, n]]
        add_cross(m[i].alpha, m[i].lever, m[i].a)
        cross_to(m[i].omega, m[i].arm, turned)
        add_cross(m[i].omega, turned, m[i].a)


@kernel
def immerse_pieces(c: Any, m: Any, surface: Any, triangles: FloatArray) -> None:
    """Write the immersed volumes and the waterplane integrals of all pieces. `locate_pieces` must be called before.
    ``triangles`` contains the triangles of the pieces of meshes, see `immerse_mesh`.
    """
    N, S, Sw, Iw = np.zeros(3), np.zeros(3), np.zeros(3), np.zeros((3, 3))
    for i in range(len(c)):
        up = c[i].up
        for a in range(3):
            m[i].N[a] = (1.0 if a == up else 0.0) - surface[i].slope[a]
        if c[i].fills == EVERYWHERE:
            m[i].V, m[i].Aw = c[i].volume, 0.0
            for a in range(3):
                m[i].S[a], m[i].Sw[a] = 0.0, 0.0
                for b in range(3):
                    m[i].Iw[a, b] = 0.0
            continue
        for a in range(3):
            N[a] = inner(m[i].E[a], m[i].N)
        h = surface[i].Z - m[i].r[up]
        if c[i].kind == MESH:
            V, Aw = immerse_mesh(triangles, c[i].begin, c[i].end, c[i].size, c[i].volume, h, N, S, Sw, Iw)
        else:
            V, Aw = immerse(c[i].kind, c[i].size, h, N, S, Sw, Iw)
        # if the fluid is above the surface, the immersed part is the part of the piece above the surface
        sign = -1.0 if c[i].fills == ABOVE else 1.0
        m[i].V = c[i].volume - V if c[i].fills == ABOVE else V
        m[i].Aw = sign * Aw
        for a in range(3):
            m[i].S[a], m[i].Sw[a] = 0.0, 0.0
            for n in range(3):
                m[i].S[a] += sign * S[n] * m[i].E[n, a]
                m[i].Sw[a] += sign * Sw[n] * m[i].E[n, a]
            for b in range(3):
                total = 0.0
                for n in range(3):
                    for p in range(3):
                        total += m[i].E[n, a] * Iw[n, p] * m[i].E[p, b]
                m[i].Iw[a, b] = sign * total


@kernel
def eval_drag(c: Any, m: Any, flow: Any, i: int, w: FloatArray, q: FloatArray, n: FloatArray, D: FloatArray) -> None:
    """Write the velocity w of the fluid relative to piece i, its components q_k, the norms n_k, and the drag divided by
    the immersed fraction, D/s, shape (3,) each."""
    for a in range(3):
        w[a] = flow[i].u[a] - m[i].v[a]
        D[a] = 0.0
    for k in range(3):
        q[k] = inner(m[i].E[k], w)
    for k in range(3):
        square = 0.0
        for l in range(3):
            square += c[i].P[k, l] * q[l] * q[l]
        n[k] = sqrt(square)
        for a in range(3):
            D[a] += c[i].d[k] * n[k] * q[k] * m[i].E[k, a]


@kernel(inline=True)
def eval_inertia(c: Any, E: FloatArray, i: int, a: FloatArray, I: FloatArray) -> None:
    """Write Σ m_k (e_k·a) e_k into I, shape (3,). This vector is the added-mass force that the accelerated fluid exerts
    on piece i, divided by the immersed fraction s."""
    I[0] = I[1] = I[2] = 0.0
    for k in range(3):
        along = c[i].m[k] * inner(E[k], a)
        for b in range(3):
            I[b] += along * E[k, b]


@kernel
def fill_forces(c: Any, m: Any, flow: Any) -> None:
    """Write the force F and the torque M of all pieces due to drag, buoyancy, pressure, and the added mass in the
    accelerated fluid."""
    w, q, n, D, I, P = np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3)
    for i in range(len(c)):
        eval_drag(c, m, flow, i, w, q, n, D)
        eval_inertia(c, m[i].E, i, flow[i].a, I)
        s = m[i].V / c[i].volume
        for a in range(3):
            P[a] = c[i].density * (flow[i].a[a] + (c[i].gravity if a == c[i].up else 0.0))
            m[i].F[a] = s * (D[a] + I[a]) + m[i].V * P[a]
        cross_to(m[i].S, P, m[i].M)
        for a in range(3):
            m[i].M[a] *= c[i].turns
        add_cross(m[i].lever, m[i].F, m[i].M)


@kernel
def vary_immersion(c: Any, m: Any, surface: Any, i: int, dr: FloatArray, turn: FloatArray, dS: FloatArray) -> float:
    """Return the variation of the immersed volume V of piece i, and write the variation of the first moment S of this
    volume, for the displacement dr of the centre of the piece and the rotation ``turn``, shape (3,) each."""
    up = c[i].up
    # variation of the depth of the centre, and of N in the frame of the body
    dh, dN = -dr[up], np.zeros(3)
    for a in range(3):
        dh += surface[i].slope[a] * dr[a]
        for b in range(3):
            dN[a] -= surface[i].bend[a, b] * dr[b]
    add_cross(m[i].N, turn, dN)
    dV = m[i].Aw * dh - inner(m[i].Sw, dN)
    cross_to(turn, m[i].S, dS)
    for a in range(3):
        dS[a] += m[i].Sw[a] * dh - inner(m[i].Iw[a], dN)
    return float(dV)


@kernel(inline=True)
def vary_place(m: Any, i: int, column: int, dr: FloatArray, turn: FloatArray, moved: FloatArray) -> None:
    """Write the variations of piece i for a unit displacement of the marker (``column`` 0 to 2), or for a unit rotation
    of the marker (``column`` 3 to 5). For other columns write zeros.

    Args:
        dr, turn, moved: displacement of the centre, rotation, and displacement of the centre due to the rotation, shape
            (3,) each. This function writes all three.
    """
    dr[:], turn[:], moved[:] = 0.0, 0.0, 0.0
    if column < 3:
        dr[column] = 1.0
    elif column < 6:
        turn[column - 3] = 1.0
        cross_to(turn, m[i].lever, moved)
        dr[:] = moved


@kernel(inline=True)
def store_column(to: FloatArray, column: int, dF: FloatArray, dM: FloatArray) -> None:
    """Write the variations of the force F and the torque M into a column of a matrix of shape (6, 6)."""
    for a in range(3):
        to[a, column], to[3 + a, column] = dF[a], dM[a]


@kernel
def fill_derivatives(c: Any, m: Any, flow: Any, surface: Any) -> None:
    """Write the force F and the torque M of all pieces, and the derivatives K and D of both with respect to
    displacements and velocities of the marker. The derivatives G with respect to accelerations are 0.
    """
    fill_forces(c, m, flow)
    w, q, n, D, I, P = np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3)
    dr, turn, dv, moved, spun = np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3)
    du, da, de, dq, dS = np.zeros(3), np.zeros(3), np.zeros((3, 3)), np.zeros(3), np.zeros(3)
    dF, dM, dE = np.zeros(3), np.zeros(3), np.zeros(3)
    for i in range(len(c)):
        eval_drag(c, m, flow, i, w, q, n, D)
        eval_inertia(c, m[i].E, i, flow[i].a, I)
        s = m[i].V / c[i].volume
        # the load does not depend on accelerations of the body
        m[i].G[:] = 0.0
        for a in range(3):
            P[a] = c[i].density * (flow[i].a[a] + (c[i].gravity if a == c[i].up else 0.0))
        # loop over the variations: displacements and rotations of the marker, then velocities and angular velocities
        for which in range(12):
            axis, of = which % 3, which // 3
            vary_place(m, i, which, dr, turn, moved)
            dv[:], spun[:] = 0.0, 0.0
            # variations of the velocity of the centre
            if of == 1:
                cross_to(m[i].omega, moved, dv)
            elif of == 2:
                dv[axis] = 1.0
            elif of == 3:
                spun[axis] = 1.0
                cross_to(spun, m[i].lever, dv)
            # variations of the immersed volume, and of velocity and acceleration of the fluid
            dV = vary_immersion(c, m, surface, i, dr, turn, dS)
            for a in range(3):
                du[a] = inner(flow[i].G[a], dr) - dv[a]
                da[a] = inner(flow[i].H[a], dr)
            for k in range(3):
                cross_to(turn, m[i].E[k], de[k])
                dq[k] = inner(de[k], w) + inner(m[i].E[k], du)
            for a in range(3):
                dF[a] = dV / c[i].volume * (D[a] + I[a]) + dV * P[a] + m[i].V * c[i].density * da[a]
            # variations of the drag and of the forces of the added mass of the fluid
            for k in range(3):
                dn = 0.0
                for l in range(3):
                    dn += c[i].P[k, l] * q[l] * dq[l]
                dn = dn / n[k] if n[k] > 0.0 else 0.0
                along = inner(m[i].E[k], flow[i].a)
                change = inner(de[k], flow[i].a) + inner(m[i].E[k], da)
                change = c[i].d[k] * (dn * q[k] + n[k] * dq[k]) + c[i].m[k] * change
                size = c[i].d[k] * n[k] * q[k] + c[i].m[k] * along
                for a in range(3):
                    dF[a] += s * (change * m[i].E[k, a] + size * de[k, a])
            # variation of the torque about the marker
            cross_to(dS, P, dM)
            for a in range(3):
                dE[a] = c[i].density * da[a]
            add_cross(m[i].S, dE, dM)
            for a in range(3):
                dM[a] *= c[i].turns
            add_cross(moved, m[i].F, dM)
            add_cross(m[i].lever, dF, dM)
            store_column(m[i].K if which < 6 else m[i].D, which % 6, dF, dM)


@kernel
def fill_inertia(c: Any, m: Any) -> None:
    """Write the forces of the added mass of the accelerated body, and their torques about the marker, into F and M of
    all pieces. `accelerate_pieces` must be called before.
    """
    for i in range(len(c)):
        eval_inertia(c, m[i].E, i, m[i].a, m[i].F)
        for a in range(3):
            m[i].F[a] *= m[i].V / c[i].volume
        cross_to(m[i].lever, m[i].F, m[i].M)


@kernel
def fill_inertia_derivatives(c: Any, m: Any, surface: Any) -> None:
    """Write the force F and the torque M of `fill_inertia` for all pieces, and the derivatives K, D and G of both with
    respect to displacements, velocities and accelerations of the marker."""
    fill_inertia(c, m)
    dr, turn, moved, spun, da = np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3)
    I, de, dS, dF, dM = np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3)
    first, second = np.zeros(3), np.zeros(3)
    for i in range(len(c)):
        eval_inertia(c, m[i].E, i, m[i].a, I)
        s = m[i].V / c[i].volume
        for column in range(18):
            axis, of = column % 3, column // 3
            vary_place(m, i, column, dr, turn, moved)
            spun[:], da[:] = 0.0, 0.0
            # variations of the acceleration of the centre
            if of == 1:
                # the rotation changes the vectors from the marker and from the node to the centre of the piece
                add_cross(m[i].alpha, moved, da)
                cross_to(turn, m[i].arm, first)
                cross_to(m[i].omega, first, second)
                add_cross(m[i].omega, second, da)
            elif of == 3:
                # the angular velocity changes the centripetal acceleration
                spun[axis] = 1.0
                cross_to(m[i].omega, m[i].arm, first)
                add_cross(spun, first, da)
                cross_to(spun, m[i].arm, first)
                add_cross(m[i].omega, first, da)
            elif of == 4:
                da[axis] = 1.0
            elif of == 5:
                spun[axis] = 1.0
                cross_to(spun, m[i].lever, da)
            # variation of the force and of the torque about the marker
            ds = vary_immersion(c, m, surface, i, dr, turn, dS) / c[i].volume
            for a in range(3):
                dF[a] = ds * I[a]
            for k in range(3):
                cross_to(turn, m[i].E[k], de)
                along = s * c[i].m[k] * inner(m[i].E[k], m[i].a)
                change = s * c[i].m[k] * (inner(de, m[i].a) + inner(m[i].E[k], da))
                for a in range(3):
                    dF[a] += change * m[i].E[k, a] + along * de[a]
            cross_to(moved, m[i].F, dM)
            add_cross(m[i].lever, dF, dM)
            store_column(m[i].K if of < 2 else m[i].D if of < 4 else m[i].G, column % 6, dF, dM)


@kernel
def add_forces(own: Any, m: Any, k: PositionMarkers, dofs: IntArray, f: FloatArray) -> None:
    """Add the generalised forces Jᵀ F + J_rᵀ M of all rows to f."""
    for i in range(len(own)):
        marker = own[i].marker
        for j in range(own[i].first, own[i].end):
            for a in range(dofs.shape[1]):
                total = 0.0
                for d in range(3):
                    total += k.jacobian[marker, d, a] * m[j].F[d] + k.rotation_jacobian[marker, d, a] * m[j].M[d]
                f[dofs[i, a]] += total


@kernel
def add_tangents(
    own: Any, m: Any, k: PositionMarkers, dofs: IntArray, v: FloatArray, acc: FloatArray, dq: float, dv: float,
    da: float, slots: IntArray, values: FloatArray,
) -> None:  # fmt: skip
    """Add the tangent dq ∂f/∂q + dv ∂f/∂q_t + da ∂f/∂q_tt of all rows to the values of the matrix. The arguments dq, dv
    and da are factors, and ``v`` and ``acc`` are velocities and accelerations of all coordinates.
    """
    n = slots.shape[1]
    W, K, D, G = np.zeros(6), np.zeros((6, 6)), np.zeros((6, 6)), np.zeros((6, 6))
    X, Y, Z, Q = np.zeros((6, n)), np.zeros((6, n)), np.zeros((6, n)), np.zeros((6, n))
    for i in range(len(own)):
        marker, h = own[i].marker, k.second[own[i].marker]
        # sums over the pieces
        W[:], K[:], D[:], G[:] = 0.0, 0.0, 0.0, 0.0
        for j in range(own[i].first, own[i].end):
            for a in range(6):
                W[a] += m[j].F[a] if a < 3 else m[j].M[a - 3]
                for b in range(6):
                    K[a, b] += m[j].K[a, b]
                    D[a, b] += m[j].D[a, b]
                    G[a, b] += m[j].G[a, b]
        # compute the Jacobians X, and the derivatives Y of X q_t and Z of X q_tt with respect to q
        for a in range(3):
            for b in range(n):
                X[a, b], X[3 + a, b] = k.jacobian[marker, a, b], k.rotation_jacobian[marker, a, b]
                Y[a, b], Y[3 + a, b], Z[a, b], Z[3 + a, b] = 0.0, 0.0, 0.0, 0.0
                if h >= 0:
                    for p in range(n):
                        Y[a, b] += k.hessian[h, a, p, b] * v[dofs[i, p]]
                        Y[3 + a, b] += k.rotation_hessian[h, a, p, b] * v[dofs[i, p]]
                        Z[a, b] += k.hessian[h, a, p, b] * acc[dofs[i, p]]
                        Z[3 + a, b] += k.rotation_hessian[h, a, p, b] * acc[dofs[i, p]]
        # compute the derivatives of (F, M) with respect to the coordinates, then the derivatives of the generalised
        # forces
        for a in range(6):
            for b in range(n):
                Q[a, b] = 0.0
                for p in range(6):
                    Q[a, b] += dq * (K[a, p] * X[p, b] + D[a, p] * Y[p, b] + G[a, p] * Z[p, b])
                    Q[a, b] += (dv * D[a, p] + da * G[a, p]) * X[p, b]
        for a in range(n):
            for b in range(n):
                total = 0.0
                for p in range(6):
                    total += X[p, a] * Q[p, b]
                if h >= 0:
                    for d in range(3):
                        total += dq * (W[d] * k.hessian[h, d, a, b] + W[3 + d] * k.rotation_hessian[h, d, a, b])
                values[slots[i, a, b]] += total


@kernel
def fill_powers(c: Any, m: Any, flow: Any, surface: Any, powers: FloatArray) -> None:
    """Add two powers [W] to the array ``powers``, shape (rows, 2). The first is the power that drag dissipates. The
    second is the power that the added mass transfers to the fluid, -½ v·(dM/dt) v, where M is the mass matrix of the
    added mass.
    """
    w, q, n, D = np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3)
    dN, turned = np.zeros(3), np.zeros(3)
    for i in range(len(c)):
        eval_drag(c, m, flow, i, w, q, n, D)
        s = m[i].V / c[i].volume
        # rate of the immersed volume
        dive = surface[i].Zt + inner(surface[i].slope, m[i].v) - m[i].v[c[i].up]
        for a in range(3):
            dN[a] = -surface[i].slope_t[a] - inner(surface[i].bend[a], m[i].v)
        add_cross(m[i].N, m[i].omega, dN)
        rate = (m[i].Aw * dive - inner(m[i].Sw, dN)) / c[i].volume
        change = 0.0
        for k in range(3):
            along = inner(m[i].E[k], m[i].v)
            cross_to(m[i].omega, m[i].E[k], turned)
            change += c[i].m[k] * along * (0.5 * rate * along + s * inner(turned, m[i].v))
        powers[c[i].row, 0] += s * inner(D, w)
        powers[c[i].row, 1] -= change
