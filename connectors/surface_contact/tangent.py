"""Exact tangent of the contact of surfaces with points of cables; see `kernels.py` for the forces.

Let B = d(p - c)/dq - theta x (p - c) be the global derivative for a coordinate q that rotates the surface by theta.
With F = A Phi(X, V) and G = A^T B the generalised force of q_a is B_a.F, and

    dF/dq_b   = theta_b x F + A (Phi_X G_b + Phi_V V_b),      dF/dq_t,b = A Phi_V G_b,
    V_b       = A^T (-theta_b x e + J_t,b - J^c_t,b - omega_b x d - omega x (J_b - J^c_b)),     d = p - c,  e = A V,
    d(B_a.F)/dq_b = B_a.dF/dq_b - (H_ab + Hr_ab x d + theta_a x (J_b - J^c_b)).F,

where J and J^c are the derivatives of p and c, J_t and J^c_t their rates, H and Hr the derivatives of J^c and theta,
and omega_b is the derivative of omega.
"""

from __future__ import annotations

import numpy as np

from windlass.connectors.circle_points.kernels import relative_place
from windlass.connectors.circle_segments.kernels import touches
from windlass.connectors.contact.law import PointLaw, change_friction, eval_normal_slopes, read_law
from windlass.connectors.markers.position_kernels import PositionColumns
from windlass.connectors.surface_contact.distances import Distance, eval_distance
from windlass.connectors.surface_contact.kernels import (
    CABLE,
    ContactRows,
    Lever,
    PointForces,
    SurfaceFrame,
    create_frame,
    eval_forces,
    eval_global_force,
    eval_touch,
    gather,
    read_anchor,
    read_state,
    rubs,
    to_global,
)
from windlass.elements.cable2d.points import shape
from windlass.elements.nodes.vectors import Vector
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel


@kernel(inline=True)
def hessian_product(h: Distance, x: float, y: float, z: float) -> Vector:
    """Return H (x, y, z)."""
    return h.xx * x + h.xy * y + h.xz * z, h.xy * x + h.yy * y + h.yz * z, h.xz * x + h.yz * y + h.zz * z


@kernel(inline=True)
def change_of_trial(law: PointLaw, n: FloatArray, along: float, vn: float, i: int, j: int) -> tuple[float, float]:
    """Return the derivatives of tau_i with respect to X_j and V_j; n as in `fill_force_tangent`."""
    across = (1.0 if i == j else 0.0) - n[0, i] * n[0, j]
    by_place = law.friction_stiffness * (across - n[0, i] * n[2, j] - along * n[3 + i, j])
    return by_place - law.friction_velocity_penalty * (
        n[0, i] * n[1, j] + vn * n[3 + i, j]
    ), law.friction_velocity_penalty * across


@kernel
def fill_force_tangent(
    law: PointLaw, F: PointForces, h: Distance, z: Lever, state: float, a: Vector, n: FloatArray, X: FloatArray,
    V: FloatArray,
) -> None:  # fmt: skip
    """Write Phi_X and Phi_V in the frame of the surface into X and V, shape (3, 3) each; n is work space, shape (6,
    3)."""
    kc, dc = eval_normal_slopes(law, F.gap, F.vn, F.fn)
    n[0, 0], n[0, 1], n[0, 2] = h.nx, h.ny, h.nz
    n[1, 0], n[1, 1], n[1, 2] = hessian_product(h, z.U, z.V, z.W)
    n[3, 0], n[3, 1], n[3, 2] = hessian_product(h, 1.0, 0.0, 0.0)
    n[4, 0], n[4, 1], n[4, 2] = hessian_product(h, 0.0, 1.0, 0.0)
    n[5, 0], n[5, 1], n[5, 2] = hessian_product(h, 0.0, 0.0, 1.0)
    has_friction, along = rubs(law, z, state), 0.0
    if has_friction:
        ux, uy, uz = z.X - a[0], z.Y - a[1], z.Z - a[2]
        along = h.nx * ux + h.ny * uy + h.nz * uz
        n[2, 0], n[2, 1], n[2, 2] = hessian_product(h, ux, uy, uz)
    for j in range(3):
        # column j of the derivatives of f_n, and of tau or its projection onto the friction limit
        by_x, by_v = kc * n[0, j] + dc * n[1, j], dc * n[0, j]
        x, y = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if has_friction:
            x0, y0 = change_of_trial(law, n, along, F.vn, 0, j)
            x1, y1 = change_of_trial(law, n, along, F.vn, 1, j)
            x2, y2 = change_of_trial(law, n, along, F.vn, 2, j)
            x = change_friction(law, F.f, F.fn, (x0, x1, x2), by_x)
            y = change_friction(law, F.f, F.fn, (y0, y1, y2), by_v)
        for i in range(3):
            X[i, j], V[i, j] = n[0, i] * by_x + F.fn * n[3 + i, j] + x[i], n[0, i] * by_v + y[i]


@kernel
def rotate_tensor(o: SurfaceFrame, M: FloatArray, R: FloatArray) -> None:
    """Write R = A M A^T, shape (3, 3); M is overwritten."""
    for j in range(3):
        M[0, j], M[1, j], M[2, j] = to_global(o, M[0, j], M[1, j], M[2, j])
    for i in range(3):
        R[i, 0], R[i, 1], R[i, 2] = to_global(o, M[i, 0], M[i, 1], M[i, 2])


@kernel
def fill_cross(x: float, y: float, z: float, a: FloatArray, b: FloatArray, k: int) -> None:
    """Set b[:, k] to a[:, k] x (x, y, z)."""
    b[0, k], b[1, k], b[2, k] = a[1, k] * z - a[2, k] * y, a[2, k] * x - a[0, k] * z, a[0, k] * y - a[1, k] * x


@kernel
def fill_rotation_rates(m: PositionColumns, k: int, v: FloatArray, dofs: IntArray, i: int, W: FloatArray) -> None:
    """Write the derivatives of omega with respect to the coordinates of the surface of row i, at constant rates, into
    W, shape (3, m)."""
    width, h = dofs.shape[1] - CABLE, m.h[k]
    for d in range(3):
        for b in range(width):
            total = 0.0
            if h >= 0:
                for a in range(width):
                    total += m.Hr[h, d, a, b] * v[dofs[i, CABLE + a]]
            W[d, b] = total


@kernel
def add_tangent(
    c: ContactRows,
    m: PositionColumns,
    data: FloatArray,
    start: FloatArray,
    x: FloatArray,
    v: FloatArray,
    dq: float,
    dv: float,
    slots: IntArray,
    values: FloatArray,
) -> None:
    """Add dq df/dq + dv df/dv of all rows, at constant history values, to the matrix values."""
    kind, geo, pieces = c.surfaces.kind, c.surfaces.geo, c.surfaces.pieces
    wide = c.dofs.shape[1]
    width = wide - CABLE
    space, X, V, GX, GV, M = (np.empty((6, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)),
                              np.empty((3, 3)))  # fmt: skip
    # matrix of a row, and derivatives with respect to the coordinates of the surface
    K, B, T, W, E = (
        np.empty((wide, wide)),
        np.empty((3, width)),
        np.empty((3, width)),
        np.empty((3, width)),
        np.empty(3),
    )
    for i in range(len(c.rows)):
        row = c.rows[i]
        n, first, s = row.points, row.data, row.surface
        if not row.active or not touches(data, first, n):
            continue
        # frame of the surface, and coordinates of the cable
        marker, law, L = c.surfaces.marker[s], read_law(row, 0.0), row.length * n
        o = create_frame(c.surfaces.Q, s, m.p, m.v, m.omega, m.A, marker)
        q, w = gather(x, c.dofs, i), gather(v, c.dofs, i)
        J, Jd, Jr = m.J[marker], m.Jd[marker], m.Jr[marker]
        K[:] = 0.0
        if width > 0:
            fill_rotation_rates(m, marker, v, c.dofs, i, W)
        sx, sy, sz, mx, my, mz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        # point by point
        for k in range(n):
            if data[first + k] > 0.0:
                continue
            S = shape(relative_place(k, n), L)
            z = eval_touch(o, S, q, w)
            h = eval_distance(kind, geo, pieces, s, z.X, z.Y, z.Z)
            if not h.there:
                continue
            # global force of the closed point, and its derivatives with respect to position and velocity
            state = read_state(data, start, first, n, k, law.friction_stiffness)
            anchor = read_anchor(state, data, start, first, n, k)
            F = eval_forces(law, row.rope_radius, h, z, state, anchor)
            fx, fy, fz = eval_global_force(o, h, F)
            fill_force_tangent(law, F, h, z, state, anchor, space, X, V)
            rotate_tensor(o, X, GX)
            rotate_tensor(o, V, GV)
            # M: derivative of F with respect to the motion of the point, sum of the parts with dq and with dv
            for a in range(3):
                g0, g1, g2 = GV[a, 0], GV[a, 1], GV[a, 2]
                M[a, 0] = dq * (GX[a, 0] + o.wy * g2 - o.wz * g1) + dv * g0
                M[a, 1] = dq * (GX[a, 1] + o.wz * g0 - o.wx * g2) + dv * g1
                M[a, 2] = dq * (GX[a, 2] + o.wx * g1 - o.wy * g0) + dv * g2
            # entries between the nodes of the cable
            for a in range(4):
                for b in range(4):
                    SS = S[a] * S[b]
                    for d in range(3):
                        for e in range(3):
                            K[3 * a + d, 3 * b + e] += SS * M[d, e]
            if width == 0:
                continue
            # force and moment on the surface
            sx, sy, sz = sx + fx, sy + fy, sz + fz
            mx += z.dy * fz - z.dz * fy
            my += z.dz * fx - z.dx * fz
            mz += z.dx * fy - z.dy * fx
            # columns of the coordinates of the surface
            for b in range(width):
                # B: minus the motion of the surface at p; E: A V_b; T: derivative of F
                t0, t1, t2 = Jr[0, b], Jr[1, b], Jr[2, b]
                fill_cross(z.dx, z.dy, z.dz, Jr, B, b)
                fill_cross(z.dx, z.dy, z.dz, W, T, b)
                j0, j1, j2 = J[0, b], J[1, b], J[2, b]
                B[0, b], B[1, b], B[2, b] = -j0 - B[0, b], -j1 - B[1, b], -j2 - B[2, b]
                E[0] = -(t1 * z.ez - t2 * z.ey) - Jd[0, b] - T[0, b] + o.wy * j2 - o.wz * j1
                E[1] = -(t2 * z.ex - t0 * z.ez) - Jd[1, b] - T[1, b] + o.wz * j0 - o.wx * j2
                E[2] = -(t0 * z.ey - t1 * z.ex) - Jd[2, b] - T[2, b] + o.wx * j1 - o.wy * j0
                T[0, b], T[1, b], T[2, b] = dq * (t1 * fz - t2 * fy), dq * (t2 * fx - t0 * fz), dq * (t0 * fy - t1 * fx)
                for a in range(3):
                    for d in range(3):
                        T[a, b] += (dq * GX[a, d] + dv * GV[a, d]) * B[d, b] + dq * GV[a, d] * E[d]
                for a in range(4):
                    for d in range(3):
                        K[3 * a + d, CABLE + b] += S[a] * T[d, b]
            # rows of the coordinates of the surface
            for a in range(width):
                # r = F x theta_a, as (theta_a x dp).F = r.dp for a motion dp of the point
                t0, t1, t2 = Jr[0, a], Jr[1, a], Jr[2, a]
                r0, r1, r2 = dq * (fy * t2 - fz * t1), dq * (fz * t0 - fx * t2), dq * (fx * t1 - fy * t0)
                for d in range(3):
                    r = r0 if d == 0 else r1 if d == 1 else r2
                    of_point = B[0, a] * M[0, d] + B[1, a] * M[1, d] + B[2, a] * M[2, d] - r
                    for b in range(4):
                        K[CABLE + a, 3 * b + d] += S[b] * of_point
                for b in range(width):
                    value = B[0, a] * T[0, b] + B[1, a] * T[1, b] + B[2, a] * T[2, b]
                    K[CABLE + a, CABLE + b] += value + r0 * J[0, b] + r1 * J[1, b] + r2 * J[2, b]
        # the Jacobian of the surface changes with its coordinates
        h_row = m.h[marker]
        if h_row >= 0:
            for a in range(width):
                for b in range(width):
                    force = m.H[h_row, 0, a, b] * sx + m.H[h_row, 1, a, b] * sy + m.H[h_row, 2, a, b] * sz
                    moment = m.Hr[h_row, 0, a, b] * mx + m.Hr[h_row, 1, a, b] * my + m.Hr[h_row, 2, a, b] * mz
                    K[CABLE + a, CABLE + b] -= dq * (force + moment)
        for a in range(wide):
            for b in range(wide):
                values[slots[i, a, b]] += K[a, b]
