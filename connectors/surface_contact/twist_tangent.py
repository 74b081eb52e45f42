"""Exact tangent of the contact of surfaces with ropes that have a twist; see `twist_kernels.py` for the forces and
`contact/assembly.py` for the markers.

The forces f in the frame of the surface and the moment M are functions Phi of 11 numbers of a point,

    w = (X, V, T, s, θ).

W_q and W_v are the derivatives of w with respect to the coordinates of the row and to their rates. The coordinates are
the 14 of the cable, and the origin c and the rotation theta of the surface. The tangent is dq times the derivatives
with respect to coordinates plus dv times the derivatives with respect to rates. For the global force F = A f and the
moment M these sums are

    dF = theta x F + A D,    dM = D_M,    D = dq Phi_w W_q + dv Phi_w W_v,
    forces on the coordinates: S F on the cable, M σ on y, -F on c, -(d x F + M t) on theta.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.connectors.circle_segments.kernels import touches
from windlass.connectors.contact.assembly import add_block, fill_marker, scatter_row
from windlass.connectors.contact.law import PointLaw, change_friction, eval_normal_slopes, read_law
from windlass.connectors.contact.rows import relative_place
from windlass.connectors.markers.position_kernels import PositionColumns
from windlass.connectors.surface_contact.distances import Distance, eval_distance
from windlass.connectors.surface_contact.kernels import (
    ContactRows,
    Lever,
    SurfaceFrame,
    create_frame,
    eval_global_force,
    eval_touch,
    gather,
    to_global,
    to_surface,
)
from windlass.connectors.surface_contact.tangent import hessian_product
from windlass.connectors.surface_contact.twist_kernels import (
    TWIST_CABLE,
    Spin,
    TurningForces,
    eval_closed,
    eval_spin,
)
from windlass.elements.cable2d.points import Four, shape
from windlass.elements.cable3d.twist_forces import find_part
from windlass.elements.cable3d.twist_points import COUNT, fill_spin_change, interpolate, read_coordinates, twist_angle
from windlass.elements.nodes.vectors import Vector, add, combine, cross, dot
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel

NUMBERS = 11
"""Number of components of w."""
ROW = TWIST_CABLE + 6
"""Number of coordinates of cable and surface."""
X, V, T, RATE, ANGLE = 0, 3, 6, 9, 10
"""Indices of the first components of X, V, T, s and θ in w."""


@kernel(inline=True)
def unit_vector(k: int) -> Vector:
    """Return the unit vector of axis k."""
    return 1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0


@kernel(inline=True)
def write_three(M: FloatArray, row: int, column: int, a: Vector) -> None:
    """Write a vector into three rows of a column."""
    M[row, column], M[row + 1, column], M[row + 2, column] = a[0], a[1], a[2]


@kernel(inline=True)
def change_slope(r: Spin, iL: float, k: int) -> Vector:
    """Return the derivative of the slope r' with respect to coordinate k of the cable; iL = 1/L."""
    j = k // 3
    size = r.P[0] * iL if j == 2 else -r.P[0] * iL if j == 0 else r.P[1] if j == 1 else r.P[2] if j == 3 else 0.0
    e = unit_vector(k % 3)
    return size * e[0], size * e[1], size * e[2]


@kernel(inline=True)
def change_tangent(r: Spin, dp: Vector) -> Vector:
    """Return the variation of the unit tangent t for a variation of r'."""
    return combine(1.0 / r.size, dp, -dot(r.t, dp) / r.size, r.t)


@kernel
def fill_motion(
    o: SurfaceFrame, S: Four, z: Lever, r: Spin, iL: float, g: Vector, yt: FloatArray, sigma: FloatArray,
    dsigma: FloatArray, Wq: FloatArray, Wv: FloatArray,
) -> None:  # fmt: skip
    """Write W_q and W_v, shape (11, 20) each; ``dsigma`` contains the derivatives of the form σ with respect to y."""
    Wq[:], Wv[:] = 0.0, 0.0
    omega, d, e = (o.wx, o.wy, o.wz), (z.dx, z.dy, z.dz), (z.ex, z.ey, z.ez)
    p = r.size * r.t[0], r.size * r.t[1], r.size * r.t[2]
    # tangent, spin and angle depend on the coordinates of the cable
    for k in range(TWIST_CABLE):
        j, u = find_part(k, iL)
        rate = 0.0
        for i in range(COUNT):
            rate += yt[i] * dsigma[i, j]
        dp = change_slope(r, iL, k)
        dt, dps = change_tangent(r, dp), to_surface(o, dp[0], dp[1], dp[2])
        write_three(Wq, T, k, to_surface(o, dt[0], dt[1], dt[2]))
        Wq[RATE, k], Wv[RATE, k] = u * rate - dot(omega, dt), u * sigma[j]
        Wq[ANGLE, k] = u * sigma[j] + dot(g, dps)
    # components b of position and rotation
    for b in range(3):
        axis = unit_vector(b)
        across, by_place = cross(omega, axis), to_surface(o, axis[0], axis[1], axis[2])
        by_turn = to_surface(o, across[0], across[1], across[2])
        for j in range(4):
            # position of the point
            Sj = S[j]
            write_three(Wq, X, 3 * j + b, (Sj * by_place[0], Sj * by_place[1], Sj * by_place[2]))
            write_three(Wq, V, 3 * j + b, (-Sj * by_turn[0], -Sj * by_turn[1], -Sj * by_turn[2]))
            write_three(Wv, V, 3 * j + b, (Sj * by_place[0], Sj * by_place[1], Sj * by_place[2]))
        # origin of the surface
        at = TWIST_CABLE + b
        write_three(Wq, X, at, (-by_place[0], -by_place[1], -by_place[2]))
        write_three(Wq, V, at, by_turn)
        write_three(Wv, V, at, (-by_place[0], -by_place[1], -by_place[2]))
        # rotation of the surface
        at = TWIST_CABLE + 3 + b
        on_d, on_e, on_t, on_p = cross(d, axis), cross(e, axis), cross(r.t, axis), cross(p, axis)
        write_three(Wq, X, at, to_surface(o, on_d[0], on_d[1], on_d[2]))
        write_three(Wq, V, at, to_surface(o, on_e[0], on_e[1], on_e[2]))
        write_three(Wv, V, at, to_surface(o, on_d[0], on_d[1], on_d[2]))
        write_three(Wq, T, at, to_surface(o, on_t[0], on_t[1], on_t[2]))
        Wv[RATE, at] = -r.t[b]
        Wq[ANGLE, at] = dot(g, to_surface(o, on_p[0], on_p[1], on_p[2])) - r.t[b]


@kernel
def fill_force_changes(
    law: PointLaw, rope_radius: float, F: TurningForces, h: Distance, z: Lever, r: Spin, a: Vector, Phi: FloatArray
) -> None:
    """Write the derivatives of f and M with respect to w into Phi, shape (4, 11); ``a`` is the anchor."""
    f, n, rc = F.point, (h.nx, h.ny, h.nz), rope_radius
    kc, dc = eval_normal_slopes(law, f.gap, f.vn, f.fn)
    slip = z.X - a[0], z.Y - a[1], z.Z - a[2]
    along = dot(n, slip)
    on_slip, on_rate = hessian_product(h, slip[0], slip[1], slip[2]), hessian_product(h, z.U, z.V, z.W)
    # variations of n, b, u_t, v_t and f_n for each component of w
    for j in range(NUMBERS):
        dn, db, du, dv, dfn = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0
        axis, k = unit_vector(j % 3), j % 3
        if j < V:
            dn = hessian_product(h, axis[0], axis[1], axis[2])
            dfn, db = kc * n[k] + dc * on_rate[k], cross(r.T, dn)
            du = combine(1.0, combine(1.0, axis, -n[k] - on_slip[k], n), -along, dn)
            dv = combine(-on_rate[k], n, -f.vn, dn)
        elif j < T:
            dfn, dv = dc * n[k], combine(1.0, axis, -n[k], n)
        elif j < RATE:
            db = cross(axis, n)
        if j < RATE:
            du, dv = combine(1.0, du, -rc * F.angle, db), combine(1.0, dv, -rc * r.rate, db)
        elif j == RATE:
            dv = combine(-rc, F.b, 0.0, F.b)
        else:
            du = combine(-rc, F.b, 0.0, F.b)
        # variations of friction, force and moment
        df = (0.0, 0.0, 0.0)
        if F.rubs:
            df = change_friction(
                law, f.f, f.fn, combine(law.friction_stiffness, du, law.friction_velocity_penalty, dv), dfn
            )
        write_three(Phi, 0, j, add(combine(dfn, n, f.fn, dn), df))
        Phi[3, j] = -rc * (dot(df, F.b) + dot(f.f.force, db))


@kernel
def multiply_changes(Phi: FloatArray, x: float, Wq: FloatArray, y: float, Wv: FloatArray, D: FloatArray) -> None:
    """Write Phi (x W_q + y W_v) into D, shape (4, 20)."""
    for i in range(4):
        for j in range(ROW):
            total = 0.0
            for k in range(NUMBERS):
                total += Phi[i, k] * (x * Wq[k, j] + y * Wv[k, j])
            D[i, j] = total


@kernel(inline=True)
def add_column(
    S: Four, iL: float, sigma: FloatArray, df: Vector, moment: Vector, dM: float, column: int, K: FloatArray
) -> None:
    """Add the forces due to a variation ``df`` of F, ``moment`` of d × F + M t, and ``dM`` of M to a column of K."""
    for b in range(3):
        for j in range(4):
            K[3 * j + b, column] += S[j] * df[b]
        K[TWIST_CABLE + b, column] -= df[b]
        K[TWIST_CABLE + 3 + b, column] -= moment[b]
    for k in range(TWIST_CABLE):
        j, u = find_part(k, iL)
        K[k, column] += u * sigma[j] * dM


@kernel
def add_twist_point(
    o: SurfaceFrame, S: Four, z: Lever, r: Spin, iL: float, F: Vector, M: float, dq: float, sigma: FloatArray,
    dsigma: FloatArray, D: FloatArray, E: FloatArray, varies: bool, K: FloatArray, N: FloatArray,
) -> None:  # fmt: skip
    """Add a point to K, shape (20, 20), and N, shape (20, 6).

    Args:
        F, M: global force [N] and moment about the axis of the rope [N m].
        D: derivatives of f and M, see the start of this file, shape (4, 20).
        E: dq times the derivatives of f and M with respect to rates, shape (4, 20).
        varies: whether the Jacobians of the marker vary in time; otherwise N is not changed.
    """
    d = z.dx, z.dy, z.dz
    # variations of the force, of the lever arm and of the tangent
    for k in range(ROW):
        df = to_global(o, D[0, k], D[1, k], D[2, k])
        dt, dd = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if k < TWIST_CABLE:
            axis, share = unit_vector(k % 3), S[k // 3] if k < 12 else 0.0
            dt, dd = change_tangent(r, change_slope(r, iL, k)), (share * axis[0], share * axis[1], share * axis[2])
        elif k < TWIST_CABLE + 3:
            axis = unit_vector(k - TWIST_CABLE)
            dd = -axis[0], -axis[1], -axis[2]
        else:
            df = combine(1.0, df, dq, cross(unit_vector(k - TWIST_CABLE - 3), F))
        moment = combine(1.0, cross(d, df), dq, cross(dd, F))
        moment = add(moment, combine(D[3, k], r.t, dq * M, dt))
        add_column(S, iL, sigma, df, moment, D[3, k], k, K)
    # the form σ varies
    for k in range(TWIST_CABLE):
        i, u = find_part(k, iL)
        for l in range(TWIST_CABLE):
            j, w = find_part(l, iL)
            K[k, l] += dq * M * u * w * dsigma[i, j]
    if varies:
        for b in range(6):
            k = TWIST_CABLE + b
            df = to_global(o, E[0, k], E[1, k], E[2, k])
            add_column(S, iL, sigma, df, combine(1.0, cross(d, df), E[3, k], r.t), E[3, k], b, N)


@kernel
def add_twist_tangent(
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
    """Add dq ∂f/∂q + dv ∂f/∂v of all rows, at constant history values, to the values of the matrix. f are the forces of
    `add_twist_residual`, q and v the coordinates and their rates.
    """
    kind, geo, pieces = c.surfaces.kind, c.surfaces.geo, c.surfaces.pieces
    width = c.dofs.shape[1] - TWIST_CABLE
    y, yt, sigma, dsigma = np.empty(COUNT), np.empty(COUNT), np.empty(COUNT), np.empty((COUNT, COUNT))
    Wq, Wv, Phi = np.empty((NUMBERS, ROW)), np.empty((NUMBERS, ROW)), np.empty((4, NUMBERS))
    D, E, K, N = np.empty((4, ROW)), np.empty((4, ROW)), np.empty((ROW, ROW)), np.empty((ROW, 6))
    P, R, wrench, A = np.empty((width, 6)), np.empty((width, 6)), np.empty(6), np.empty(6)
    for i in range(len(c.rows)):
        row: Any = c.rows[i]
        n, first, s = row.points, row.data, row.surface
        if not row.active or not touches(data, first, n):
            continue
        # frame of the surface, and coordinates of the cable
        marker, law, L = c.surfaces.marker[s], read_law(row, 0.0), row.length * n
        o = create_frame(c.surfaces.Q, s, m.p, m.v, m.omega, m.A, marker)
        q, w, iL = gather(x, c.dofs, i), gather(v, c.dofs, i), 1.0 / L
        read_coordinates(row.dofs, iL, x, y)
        read_coordinates(row.dofs, iL, v, yt)
        twist = twist_angle(row, y)
        K[:], N[:], wrench[:] = 0.0, 0.0, 0.0
        # loop over closed points
        for k in range(n):
            if data[first + k] > 0.0:
                continue
            place = relative_place(k, n)
            S = shape(place, L)
            z = eval_touch(o, S, q, w)
            h = eval_distance(kind, geo, pieces, s, z.X, z.Y, z.Z)
            if not h.there:
                continue
            # force and moment of the point
            spin = eval_spin(o, row, place, y, yt, twist, sigma)
            a, forces = eval_closed(law, row.rope_radius, h, z, spin, data, start, first, n, k)
            if forces.rubs:
                fill_spin_change(row, place, spin.P, interpolate(spin.P, 1.0, y), y, dsigma)
            else:
                dsigma[:] = 0.0
            # derivatives of w, of the force and of the moment
            fill_motion(o, S, z, spin, iL, forces.g, yt, sigma, dsigma, Wq, Wv)
            fill_force_changes(law, row.rope_radius, forces, h, z, spin, a, Phi)
            multiply_changes(Phi, dq, Wq, dv, Wv, D)
            multiply_changes(Phi, 0.0, Wq, dq, Wv, E)
            F, M = eval_global_force(o, h, forces.point), forces.torque
            moment = cross((z.dx, z.dy, z.dz), F)
            for b in range(3):
                wrench[b] += dq * F[b]
                wrench[3 + b] += dq * (moment[b] + M * spin.t[b])
            add_twist_point(o, S, z, spin, iL, F, M, dq, sigma, dsigma, D, E, width > 0, K, N)
        # coordinates of the marker of the surface
        if width == 0:
            add_block(K, slots, i, TWIST_CABLE, values)
            continue
        fill_marker(m, marker, 3, 6, v, c.dofs, i, P, R)
        scatter_row(m, marker, 3, 6, c.dofs, i, K, N, P, R, wrench, A, slots, values)
