"""Exact tangent of the contact between surfaces and points of cables. See `kernels.py` for the forces and
`contact/assembly.py` for the sum over points.

F = A Phi(X, V) is the global force, d = p - c, e = A V, and m = d x F the moment about the origin c. The prefix d
denotes a variation, and theta is an infinitesimal rotation of the surface. With the rate u of d and the angular
velocity omega of the surface,

    dF = theta x F + A Phi_X A^T (dd - theta x d) + A Phi_V A^T (du - omega x dd - domega x d - theta x e),
    dm = dd x F + d x dF.

For ropes with a twist, see `kernels.py`, the force f in the frame of the surface and the moment M about the axis of the
rope are functions Phi of 11 numbers of a point,

    w = (X, V, T, s, θ).

W_q and W_v are the derivatives of w with respect to the coordinates of the row and to their rates. These coordinates
are the 14 coordinates of the cable, and the origin c and the rotation theta of the surface. The tangent is dq times the
derivatives with respect to coordinates plus dv times the derivatives with respect to rates. For the global force
F = A f and the moment M these sums are

    dF = dq theta x F + A D_f,    dM = D_M,    D = (D_f, D_M) = dq Phi_w W_q + dv Phi_w W_v,
    forces on the coordinates: S F on the cable, M σ on y, -F on c, -(d x F + M t) on theta.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from windlass.connectors.contact.assembly import add_point, couple_nothing, create_tangent
from windlass.connectors.contact.axes import spread_space
from windlass.connectors.contact.law import PointLaw, change_friction, change_trial, eval_normal_slopes
from windlass.connectors.contact.rows import relative_place
from windlass.connectors.contact.update import work_type
from windlass.connectors.markers.position_kernels import PositionMarkers
from windlass.connectors.surface_contact.distances import Distance
from windlass.connectors.surface_contact.kernels import (
    CABLE,
    TWIST_CABLE,
    ContactRows,
    Lever,
    PointForces,
    Spin,
    SurfaceFrame,
    SurfaceRow,
    TurningForces,
    TurningRow,
    count_points,
    eval_closed,
    eval_forces,
    eval_global_force,
    eval_spin,
    find_axis_point,
    find_turning_point,
    hessian_product,
    read_anchor,
    read_row,
    read_state,
    read_turning_row,
    rubs,
    to_global,
    to_surface,
)
from windlass.elements.cable.points import Four
from windlass.elements.cable.twist_forces import find_part
from windlass.elements.cable.twist_points import COUNT, fill_spin_change, interpolate
from windlass.elements.nodes.vectors import Vector, add, combine, cross, dot
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel


@kernel(inline=True)
def change_of_trial(law: PointLaw, n: FloatArray, along: float, vn: float, i: int, j: int) -> tuple[float, float]:
    """Return the derivatives of component i of the trial force tau with respect to component j of the position X and of
    the velocity V of the point. The argument n is the memory of `fill_force_tangent`.
    """
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
    """Write into X the derivatives of the force on a point with respect to the position of the point, and into V the
    derivatives with respect to its velocity. X and V, shape (3, 3) each, are in the frame of the surface. The argument
    n is memory for the function, shape (6, 3).
    """
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
    """Rotate the tensor M from the frame of the surface, with the axes A, to the global frame: R = A M A^T, shape (3,
    3). The function overwrites M.
    """
    for j in range(3):
        M[0, j], M[1, j], M[2, j] = to_global(o, M[0, j], M[1, j], M[2, j])
    for i in range(3):
        R[i, 0], R[i, 1], R[i, 2] = to_global(o, M[i, 0], M[i, 1], M[i, 2])


@kernel
def fill_wrench(
    o: SurfaceFrame, z: Lever, F: Vector, GX: FloatArray, GV: FloatArray, dq: float, dv: float, C: FloatArray,
    V: FloatArray,
) -> None:  # fmt: skip
    """Write the arrays C and V, which `contact/assembly.py` defines. GX and GV are the global derivatives of the force
    with respect to position and velocity, shape (3, 3) each, and F is the global force [N]."""
    d, e = (z.dx, z.dy, z.dz), (z.ex, z.ey, z.ez)
    for a in range(3):
        # row a of the derivatives of the force with respect to d and to the rate of d
        x, y = (GX[a, 0], GX[a, 1], GX[a, 2]), (GV[a, 0], GV[a, 1], GV[a, 2])
        C[a, 0] = dq * (x[0] + o.wy * y[2] - o.wz * y[1]) + dv * y[0]
        C[a, 1] = dq * (x[1] + o.wz * y[0] - o.wx * y[2]) + dv * y[1]
        C[a, 2] = dq * (x[2] + o.wx * y[1] - o.wy * y[0]) + dv * y[2]
        # derivatives of the force with respect to theta and omega, from g.(theta x d) = theta.(d x g)
        on_x, on_y, on_e = cross(d, x), cross(d, y), cross(e, y)
        for b in range(3):
            V[a, b], V[a, 3 + b] = dq * y[b], -dq * on_y[b]
            C[a, 3 + b] = -dq * (on_x[b] + on_e[b]) - dv * on_y[b]
    C[0, 4], C[0, 5] = C[0, 4] + dq * F[2], C[0, 5] - dq * F[1]
    C[1, 5], C[1, 3] = C[1, 5] + dq * F[0], C[1, 3] - dq * F[2]
    C[2, 3], C[2, 4] = C[2, 3] + dq * F[1], C[2, 4] - dq * F[0]
    # derivatives of the moment d x F
    for b in range(6):
        C[3, b], C[4, b], C[5, b] = cross(d, (C[0, b], C[1, b], C[2, b]))
        V[3, b], V[4, b], V[5, b] = cross(d, (V[0, b], V[1, b], V[2, b]))
    C[4, 0], C[5, 0] = C[4, 0] - dq * F[2], C[5, 0] + dq * F[1]
    C[5, 1], C[3, 1] = C[5, 1] - dq * F[0], C[3, 1] + dq * F[2]
    C[3, 2], C[4, 2] = C[3, 2] - dq * F[1], C[4, 2] + dq * F[0]


@kernel(inline=True)
def add_wrench(z: Lever, F: Vector, torque: Vector, dq: float, wrench: FloatArray) -> None:
    """Add the force F and the moment m = d × F + ``torque`` of a point, both multiplied by dq, to ``wrench``."""
    moment = cross((z.dx, z.dy, z.dz), F)
    for a in range(3):
        wrench[a] += dq * F[a]
        wrench[3 + a] += dq * (moment[a] + torque[a])


WORK = work_type(space=(6, 3), X=(3, 3), V=(3, 3), GX=(3, 3), GV=(3, 3), C=(6, 6), B=(6, 6))
"""Derivatives of the force of a point, see `fill_force_tangent`: X and V in the frame of the surface, GX and GV in the
global frame; C and V of `contact/assembly.py`, where V is stored in the field ``B``.
"""


@kernel(inline=True)
def begin_row(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    maps: bool, i: int, g: Any,
) -> tuple[SurfaceRow, int, int]:  # fmt: skip
    """Return the data and the marker of row i, and ``whole``. See the argument ``begin`` of `create_tangent`."""
    r = read_row(c, m, x, v, i)
    return r, r.marker, CABLE if c.dofs.shape[1] == CABLE else 0


@kernel(inline=True)
def fill_point_tangent(
    own: Any, r: SurfaceRow, k: int, z: Lever, h: Distance, data: FloatArray, start: FloatArray, dq: float, dv: float,
    g: Any,
) -> Vector:  # fmt: skip
    """Write C and V of closed point k into ``g.C`` and ``g.B``, see `fill_wrench`. Return the global force [N]."""
    n, first = own.points, own.data
    # global force of the closed point, and its derivatives with respect to position and velocity
    state = read_state(data, start, first, n, k, r.law.friction_stiffness)
    anchor = read_anchor(state, data, start, first, n, k)
    forces = eval_forces(r.law, r.rope_radius, h, z, state, anchor)
    F = eval_global_force(r.o, h, forces)
    fill_force_tangent(r.law, forces, h, z, state, anchor, g.space, g.X, g.V)
    rotate_tensor(r.o, g.X, g.GX)
    rotate_tensor(r.o, g.V, g.GV)
    fill_wrench(r.o, z, F, g.GX, g.GV, dq, dv, g.C, g.B)
    return F


@kernel(inline=True)
def add_closed_point(
    c: ContactRows, data: FloatArray, start: FloatArray, r: SurfaceRow, i: int, k: int, dq: float, dv: float,
    varies: bool, g: Any, K: FloatArray, N: FloatArray, wrench: FloatArray,
) -> None:  # fmt: skip
    """Add the derivatives of the forces of closed point k, see the argument ``add`` of `create_tangent`."""
    S, z, h = find_axis_point(c, r, i, k, g)
    if not h.there:
        return
    F = fill_point_tangent(c.rows[i], r, k, z, h, data, start, dq, dv, g)
    if varies:
        add_wrench(z, F, (0.0, 0.0, 0.0), dq, wrench)
        add_point(S, 3, 6, g.C, g.B, True, K, N)
    else:
        add_point(S, 3, 0, g.C, g.B, False, K, N)


_add_rows = create_tangent(count_points, CABLE, 3, 6, WORK, begin_row, add_closed_point, couple_nothing, spread_space)


@kernel
def add_tangent(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    size: FloatArray, mapped: FloatArray, dq: float, dv: float, slots: IntArray, values: FloatArray,
) -> None:  # fmt: skip
    """Add the tangent of all rows to the values of the matrix, see `create_tangent`."""
    _add_rows(c, m, data, start, x, v, size, mapped, dq, dv, slots, values)


COMPONENTS = 11
"""Number of components of w."""
ROW = TWIST_CABLE + 6
"""Number of coordinates of the cable (14), of the origin of the surface (3) and of its rotation (3) together."""
X, V, T, RATE, ANGLE = 0, 3, 6, 9, 10
"""Indices of the first components of X, V, T, s and θ in w."""


@kernel(inline=True)
def unit_vector(k: int) -> Vector:
    """Return the unit vector of axis k."""
    return 1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0


@kernel(inline=True)
def write_column(M: FloatArray, row: int, column: int, a: Vector) -> None:
    """Write the vector ``a`` into three rows of a column of M, beginning with the given row."""
    M[row, column], M[row + 1, column], M[row + 2, column] = a[0], a[1], a[2]


@kernel(inline=True)
def change_slope(r: Spin, iL: float, k: int) -> Vector:
    """Return the derivative of the slope r' with respect to coordinate k of the cable. The argument iL is the inverse
    of the length of the cable.
    """
    j = k // 3
    size = r.P[0] * iL if j == 2 else -r.P[0] * iL if j == 0 else r.P[1] if j == 1 else r.P[2] if j == 3 else 0.0
    e = unit_vector(k % 3)
    return size * e[0], size * e[1], size * e[2]


@kernel(inline=True)
def change_tangent(r: Spin, dp: Vector) -> Vector:
    """Return the variation of the unit tangent t for a variation dp of the slope r'."""
    return combine(1.0 / r.size, dp, -dot(r.t, dp) / r.size, r.t)


@kernel(inline=True)
def fill_body_motion(o: SurfaceFrame, z: Lever, p: Vector, first: int, Wq: FloatArray, Wv: FloatArray) -> None:
    """Write into Wq the derivatives of X, V and A^T p with respect to the origin c and the rotation theta of the
    surface. The first column of these derivatives is ``first``. Write into Wv the derivatives of V with respect to the
    rates of c and theta. The argument p is a global vector.
    """
    omega, d, e = (o.wx, o.wy, o.wz), (z.dx, z.dy, z.dz), (z.ex, z.ey, z.ez)
    for b in range(3):
        axis, at = unit_vector(b), first + b
        across, by_place = cross(omega, axis), to_surface(o, axis[0], axis[1], axis[2])
        write_column(Wq, X, at, (-by_place[0], -by_place[1], -by_place[2]))
        write_column(Wq, V, at, to_surface(o, across[0], across[1], across[2]))
        write_column(Wv, V, at, (-by_place[0], -by_place[1], -by_place[2]))
        on_d, on_e, on_p = cross(d, axis), cross(e, axis), cross(p, axis)
        write_column(Wq, X, at + 3, to_surface(o, on_d[0], on_d[1], on_d[2]))
        write_column(Wq, V, at + 3, to_surface(o, on_e[0], on_e[1], on_e[2]))
        write_column(Wv, V, at + 3, to_surface(o, on_d[0], on_d[1], on_d[2]))
        write_column(Wq, T, at + 3, to_surface(o, on_p[0], on_p[1], on_p[2]))


@kernel
def fill_motion(
    o: SurfaceFrame, S: Four, z: Lever, r: Spin, iL: float, g: Vector, yt: FloatArray, sigma: FloatArray,
    dsigma: FloatArray, Wq: FloatArray, Wv: FloatArray,
) -> None:  # fmt: skip
    """Write into Wq the derivatives of the 11 numbers w of a point with respect to the coordinates of the row, and into
    Wv the derivatives with respect to the rates of these coordinates, shape (11, 20) each. The argument ``dsigma``
    contains the derivatives of the coefficients σ of the spin with respect to y.
    """
    Wq[:], Wv[:] = 0.0, 0.0
    omega, p = (o.wx, o.wy, o.wz), (r.size * r.t[0], r.size * r.t[1], r.size * r.t[2])
    # tangent, spin and angle depend on the coordinates of the cable
    for k in range(TWIST_CABLE):
        j, u = find_part(k, iL)
        rate = 0.0
        for i in range(COUNT):
            rate += yt[i] * dsigma[i, j]
        dp = change_slope(r, iL, k)
        dt, dps = change_tangent(r, dp), to_surface(o, dp[0], dp[1], dp[2])
        write_column(Wq, T, k, to_surface(o, dt[0], dt[1], dt[2]))
        Wq[RATE, k], Wv[RATE, k] = u * rate - dot(omega, dt), u * sigma[j]
        Wq[ANGLE, k] = u * sigma[j] + dot(g, dps)
    # component b of the position
    for b in range(3):
        axis = unit_vector(b)
        across, by_place = cross(omega, axis), to_surface(o, axis[0], axis[1], axis[2])
        by_turn = to_surface(o, across[0], across[1], across[2])
        for j in range(4):
            Sj = S[j]
            write_column(Wq, X, 3 * j + b, (Sj * by_place[0], Sj * by_place[1], Sj * by_place[2]))
            write_column(Wq, V, 3 * j + b, (-Sj * by_turn[0], -Sj * by_turn[1], -Sj * by_turn[2]))
            write_column(Wv, V, 3 * j + b, (Sj * by_place[0], Sj * by_place[1], Sj * by_place[2]))
    # position and rotation of the surface
    fill_body_motion(o, z, r.t, TWIST_CABLE, Wq, Wv)
    for b in range(3):
        at, on_p = TWIST_CABLE + 3 + b, cross(p, unit_vector(b))
        Wv[RATE, at] = -r.t[b]
        Wq[ANGLE, at] = dot(g, to_surface(o, on_p[0], on_p[1], on_p[2])) - r.t[b]


class TurningChange(NamedTuple):
    """Variations of the quantities of a point of a rope that turns: n, b, u_t, v_t, the gap and v_n."""

    dn: Vector
    db: Vector
    du: Vector
    dv: Vector
    gap: float
    rate: float


@kernel
def change_turning_point(
    j: int, radius: float, h: Distance, z: Lever, r: Spin, b: Vector, angle: float, a: Vector
) -> TurningChange:  # fmt: skip
    """Return the derivatives with respect to component j of w; ``b`` and ``angle`` are b and θ, and ``a`` is the
    anchor.
    """
    n, slip = (h.nx, h.ny, h.nz), (z.X - a[0], z.Y - a[1], z.Z - a[2])
    axis, k = unit_vector(j % 3), j % 3
    dn, db, du, dv, gap, rate = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0, 0.0
    if j < V:
        on_slip, on_rate = hessian_product(h, slip[0], slip[1], slip[2]), hessian_product(h, z.U, z.V, z.W)
        dn = hessian_product(h, axis[0], axis[1], axis[2])
        gap, rate, db = n[k], on_rate[k], cross(r.T, dn)
        du = combine(1.0, combine(1.0, axis, -n[k] - on_slip[k], n), -dot(n, slip), dn)
        dv = combine(-on_rate[k], n, -dot(n, (z.U, z.V, z.W)), dn)
    elif j < T:
        rate, dv = n[k], combine(1.0, axis, -n[k], n)
    elif j < RATE:
        db = cross(axis, n)
    if j < RATE:
        du, dv = combine(1.0, du, -radius * angle, db), combine(1.0, dv, -radius * r.rate, db)
    elif j == RATE:
        dv = combine(-radius, b, 0.0, b)
    else:
        du = combine(-radius, b, 0.0, b)
    return TurningChange(dn, db, du, dv, gap, rate)


@kernel
def fill_force_changes(
    law: PointLaw, rope_radius: float, F: TurningForces, h: Distance, z: Lever, r: Spin, a: Vector, Phi: FloatArray
) -> None:
    """Write into Phi, shape (4, 11), the derivatives of the force f and of the moment M about the axis of the rope with
    respect to the 11 numbers w of a point. The argument ``a`` is the anchor.
    """
    f, n = F.point, (h.nx, h.ny, h.nz)
    kc, dc = eval_normal_slopes(law, f.gap, f.vn, f.fn)
    for j in range(COMPONENTS):
        c = change_turning_point(j, rope_radius, h, z, r, F.b, F.angle, a)
        dfn, df = kc * c.gap + dc * c.rate, (0.0, 0.0, 0.0)
        if F.rubs:
            df = change_friction(law, f.f, f.fn, change_trial(law, c.du, c.dv), dfn)
        write_column(Phi, 0, j, add(combine(dfn, n, f.fn, c.dn), df))
        Phi[3, j] = -rope_radius * (dot(df, F.b) + dot(f.f.force, c.db))


@kernel
def multiply_changes(Phi: FloatArray, x: float, Wq: FloatArray, y: float, Wv: FloatArray, D: FloatArray) -> None:
    """Write the product Phi (x Wq + y Wv) into D, shape (forces, coordinates), for scalar factors x and y."""
    for i in range(D.shape[0]):
        for j in range(D.shape[1]):
            total = 0.0
            for k in range(Phi.shape[1]):
                total += Phi[i, k] * (x * Wq[k, j] + y * Wv[k, j])
            D[i, j] = total


@kernel(inline=True)
def multiply_both(dq: float, dv: float, g: Any) -> None:
    """Write Phi (dq Wq + dv Wv) into D, and dq Phi Wv into E; all are fields of g."""
    multiply_changes(g.Phi, dq, g.Wq, dv, g.Wv, g.D)
    multiply_changes(g.Phi, 0.0, g.Wq, dq, g.Wv, g.E)


@kernel(inline=True)
def add_column(
    S: Four, iL: float, sigma: FloatArray, df: Vector, moment: Vector, dM: float, column: int, K: FloatArray
) -> None:
    """Add to a column of K the variations of the generalised forces of a point. The argument ``df`` is the variation of
    the global force F, ``moment`` is the variation of the moment d × F + M t on the surface, and ``dM`` is the
    variation of the moment M about the axis of the rope.
    """
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
    """Add to K, shape (20, 20), and to N, shape (20, 6), the derivatives of the forces of a point.

    Args:
        F, M: global force [N] and moment about the axis of the rope [N m].
        D: D_f and D_M, shape (4, 20), see the docstring of this module.
        E: dq times the derivatives of f and M with respect to rates, shape (4, 20).
        varies: whether the Jacobians of the marker vary in time. If false, N is not changed.
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
    # terms due to the variations of the coefficients σ of the spin
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


TWIST_WORK = work_type(
    dsigma=(COUNT, COUNT), y=(COUNT,), yt=(COUNT,), sigma=(COUNT,), Wq=(COMPONENTS, ROW), Wv=(COMPONENTS, ROW),
    Phi=(4, COMPONENTS), D=(4, ROW), E=(4, ROW),
)  # fmt: skip
"""The fields of `FRAMES`, the derivatives ``dsigma`` of σ with respect to y, the matrices W_q, W_v, Phi_w and D of the
docstring of this module, and E of `add_twist_point`.
"""


@kernel(inline=True)
def begin_twist_row(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    maps: bool, i: int, g: Any,
) -> tuple[TurningRow, int, int]:  # fmt: skip
    """Return the data and the marker of row i, and ``whole``. See the argument ``begin`` of `create_tangent`."""
    r = read_turning_row(c, m, x, v, i, g)
    return r, r.plain.marker, TWIST_CABLE if c.dofs.shape[1] == TWIST_CABLE else 0


@kernel(inline=True)
def change_twist_point(
    row: Any, r: TurningRow, h: Distance, z: Lever, k: int, data: FloatArray, start: FloatArray, g: Any
) -> tuple[Spin, Vector, float, Vector, bool]:
    """Write Phi_w of closed point k into ``g.Phi``, and σ into ``g.sigma``. Return the rotation of the rope, the global
    force [N], M [N m], the derivative of θ with respect to the slope, and whether friction acts.
    """
    p, n = r.plain, row.points
    spin = eval_spin(p.o, row, relative_place(k, n), g.y, g.yt, r.twist, g.sigma)
    a, forces = eval_closed(p.law, p.rope_radius, h, z, spin, data, start, row.data, n, k)
    fill_force_changes(p.law, p.rope_radius, forces, h, z, spin, a, g.Phi)
    return spin, eval_global_force(p.o, h, forces.point), forces.torque, forces.g, forces.rubs


def create_twist_tangent(change: Callable[..., Any]) -> Callable[..., Any]:
    """Create the kernel that adds the tangent of all rows of ropes with twist, see `create_tangent`. ``change`` is the
    kernel that evaluates the derivatives of the forces of a closed point, see `change_twist_point`.
    """

    @kernel(inline=True)
    def add_closed(
        c: ContactRows, data: FloatArray, start: FloatArray, r: TurningRow, i: int, k: int, dq: float, dv: float,
        varies: bool, g: Any, K: FloatArray, N: FloatArray, wrench: FloatArray,
    ) -> None:  # fmt: skip
        """Add the derivatives of the forces of closed point k, see the argument ``add`` of `create_tangent`."""
        row: Any = c.rows[i]
        p = r.plain
        S, z, h = find_turning_point(c, r, i, k, g)
        if not h.there:
            return
        # force and moment of the point, and their derivatives with respect to w
        place, iL = relative_place(k, row.points), 1.0 / p.length
        spin, F, M, on_slope, rubs = change(row, r, h, z, k, data, start, g)
        if rubs:
            fill_spin_change(row, place, spin.P, interpolate(spin.P, 1.0, g.y), g.y, g.dsigma)
        else:
            g.dsigma[:] = 0.0
        # derivatives of w, of the force and of the moment
        fill_motion(p.o, S, z, spin, iL, on_slope, g.yt, g.sigma, g.dsigma, g.Wq, g.Wv)
        multiply_both(dq, dv, g)
        add_wrench(z, F, (M * spin.t[0], M * spin.t[1], M * spin.t[2]), dq, wrench)
        add_twist_point(p.o, S, z, spin, iL, F, M, dq, g.sigma, g.dsigma, g.D, g.E, varies, K, N)

    return create_tangent(count_points, TWIST_CABLE, 3, 6, TWIST_WORK, begin_twist_row, add_closed, couple_nothing)


_add_twist_rows = create_twist_tangent(change_twist_point)


@kernel
def add_twist_tangent(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    size: FloatArray, mapped: FloatArray, dq: float, dv: float, slots: IntArray, values: FloatArray,
) -> None:  # fmt: skip
    """Add the tangent of all rows of ropes with twist to the values of the matrix, see `create_tangent`."""
    _add_twist_rows(c, m, data, start, x, v, size, mapped, dq, dv, slots, values)
