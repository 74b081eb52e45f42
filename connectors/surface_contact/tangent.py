"""Exact tangent of the contact of surfaces with points of cables; see `kernels.py` for the forces and
`contact/assembly.py` for the sum over points.

F = A Phi(X, V) is the global force, d = p - c, e = A V, and m = d x F the moment about the origin c. The prefix d
denotes a variation, and theta is an infinitesimal rotation of the surface. With the rate u of d and the angular
velocity omega of the surface,

    dF = theta x F + A Phi_X A^T (dd - theta x d) + A Phi_V A^T (du - omega x dd - domega x d - theta x e),
    dm = dd x F + d x dF.
"""

from __future__ import annotations

import numpy as np

from windlass.connectors.circle_segments.kernels import touches
from windlass.connectors.contact.assembly import add_block, add_point, fill_marker, scatter_row
from windlass.connectors.contact.law import PointLaw, change_friction, eval_normal_slopes, read_law
from windlass.connectors.contact.rows import relative_place
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
from windlass.elements.nodes.vectors import Vector, cross
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel


@kernel(inline=True)
def hessian_product(h: Distance, x: float, y: float, z: float) -> Vector:
    """Return H (x, y, z)."""
    return h.xx * x + h.xy * y + h.xz * z, h.xy * x + h.yy * y + h.yz * z, h.xz * x + h.yz * y + h.zz * z


@kernel(inline=True)
def change_of_trial(law: PointLaw, n: FloatArray, along: float, vn: float, i: int, j: int) -> tuple[float, float]:
    """Return the derivatives of tau_i with respect to X_j and V_j; n is the work space of `fill_force_tangent`."""
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
        # column j of the derivatives of f_n, and of tau or of its projection onto the friction limit
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
def fill_wrench(
    o: SurfaceFrame, z: Lever, F: Vector, GX: FloatArray, GV: FloatArray, dq: float, dv: float, C: FloatArray,
    V: FloatArray,
) -> None:  # fmt: skip
    """Write the derivatives C and V of `contact/assembly.py` from the global derivatives of F with respect to position
    and velocity, shape (3, 3) each; F: the global force [N]."""
    d, e = (z.dx, z.dy, z.dz), (z.ex, z.ey, z.ez)
    for a in range(3):
        # derivatives with respect to d and its rate
        x, y = (GX[a, 0], GX[a, 1], GX[a, 2]), (GV[a, 0], GV[a, 1], GV[a, 2])
        C[a, 0] = dq * (x[0] + o.wy * y[2] - o.wz * y[1]) + dv * y[0]
        C[a, 1] = dq * (x[1] + o.wz * y[0] - o.wx * y[2]) + dv * y[1]
        C[a, 2] = dq * (x[2] + o.wx * y[1] - o.wy * y[0]) + dv * y[2]
        # derivatives with respect to theta and omega: g.(theta x d) = theta.(d x g)
        on_x, on_y, on_e = cross(d, x), cross(d, y), cross(e, y)
        for b in range(3):
            V[a, b], V[a, 3 + b] = dq * y[b], -dq * on_y[b]
            C[a, 3 + b] = -dq * (on_x[b] + on_e[b]) - dv * on_y[b]
    C[0, 4], C[0, 5] = C[0, 4] + dq * F[2], C[0, 5] - dq * F[1]
    C[1, 5], C[1, 3] = C[1, 5] + dq * F[0], C[1, 3] - dq * F[2]
    C[2, 3], C[2, 4] = C[2, 3] + dq * F[1], C[2, 4] - dq * F[0]
    # the moment d x F
    for b in range(6):
        C[3, b], C[4, b], C[5, b] = cross(d, (C[0, b], C[1, b], C[2, b]))
        V[3, b], V[4, b], V[5, b] = cross(d, (V[0, b], V[1, b], V[2, b]))
    C[4, 0], C[5, 0] = C[4, 0] - dq * F[2], C[5, 0] + dq * F[1]
    C[5, 1], C[3, 1] = C[5, 1] - dq * F[0], C[3, 1] + dq * F[2]
    C[3, 2], C[4, 2] = C[3, 2] - dq * F[1], C[4, 2] + dq * F[0]


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
    """Add dq ∂f/∂q + dv ∂f/∂v of all rows, at constant history values, to the values of the matrix. f are the forces of
    `add_residual`, q and v the coordinates and their rates.
    """
    kind, geo, pieces = c.surfaces.kind, c.surfaces.geo, c.surfaces.pieces
    width = c.dofs.shape[1] - CABLE
    space, X, Y, GX, GV = np.empty((6, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    C, V, K, N = np.empty((6, 6)), np.empty((6, 6)), np.empty((CABLE + 6, CABLE + 6)), np.empty((CABLE + 6, 6))
    P, R, wrench, A = np.empty((width, 6)), np.empty((width, 6)), np.empty(6), np.empty(6)
    for i in range(len(c.rows)):
        row = c.rows[i]
        n, first, s = row.points, row.data, row.surface
        if not row.active or not touches(data, first, n):
            continue
        # frame of the surface, and coordinates of the cable
        marker, law, L = c.surfaces.marker[s], read_law(row, 0.0), row.length * n
        o = create_frame(c.surfaces.Q, s, m.p, m.v, m.omega, m.A, marker)
        q, w = gather(x, c.dofs, i), gather(v, c.dofs, i)
        K[:], N[:], wrench[:] = 0.0, 0.0, 0.0
        # loop over points
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
            forces = eval_forces(law, row.rope_radius, h, z, state, anchor)
            F = eval_global_force(o, h, forces)
            fill_force_tangent(law, forces, h, z, state, anchor, space, X, Y)
            rotate_tensor(o, X, GX)
            rotate_tensor(o, Y, GV)
            fill_wrench(o, z, F, GX, GV, dq, dv, C, V)
            if width == 0:
                add_point(S, 3, 0, C, V, False, K, N)
                continue
            # force and moment on the surface
            moment = cross((z.dx, z.dy, z.dz), F)
            for a in range(3):
                wrench[a], wrench[3 + a] = wrench[a] + dq * F[a], wrench[3 + a] + dq * moment[a]
            add_point(S, 3, 6, C, V, True, K, N)
        if width == 0:
            add_block(K, slots, i, CABLE, values)
            continue
        fill_marker(m, marker, 3, 6, v, c.dofs, i, P, R)
        scatter_row(m, marker, 3, 6, c.dofs, i, K, N, P, R, wrench, A, slots, values)
