"""Exact tangent of the contact between surfaces and points of cables of winch ropes. See `winch_kernels.py` for the
forces and symbols, and `contact/assembly.py` for the sum over points.

The force f in the frame of the surface and the force L = V_s/l + a f_t.T on the length l are functions Phi of 11
numbers of a point,

    w = (X, V, T, l, l_t).

W_q and W_v are the derivatives of w with respect to the coordinates of the row and to their rates. These coordinates
are the 12 coordinates of the nodes, l, and the origin c and the rotation theta of the surface. The tangent is dq times
the derivatives with respect to coordinates plus dv times the derivatives with respect to rates. At constant ξ, with the
velocity e = A V of the point relative to the surface, and d = p - c,

    δd = Σ S_i δq_i + r_l δl - δc                      δ(p_t) = Σ (S_i δv_i + l_t p_i S_i δq_i/l) + v_l δl + r_l δl_t
    δr' = Σ S_i' δq_i + T_l δl                         v_l = Σ p_i S_i v_i/l,    T_l = Σ (p_i - 1) S_i' q_i/l

For the global force F = A f and the force L these sums are

    dF = dq theta x F + A D_f,    dL = D_L,    D = (D_f, D_L) = dq Phi_w W_q + dv Phi_w W_v,
    forces on the coordinates: S_i F on the nodes, F.r_l + L on l, -F on c, -d x F on theta.

The variations of S_i and r_l in these forces are p_i S_i δl/l and Σ p_i S_i δq_i/l. All parameters of a point are
proportional to l.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any, NamedTuple

from windlass.connectors.contact.assembly import couple_nothing, create_tangent
from windlass.connectors.contact.law import change_friction, change_trial, eval_normal_slopes, eval_spring_slope
from windlass.connectors.contact.update import work_type
from windlass.connectors.markers.position_kernels import PositionMarkers
from windlass.connectors.surface_contact.bed_kernels import change_across, total_force
from windlass.connectors.surface_contact.bed_tangent import change_bed_friction
from windlass.connectors.surface_contact.distances import Distance
from windlass.connectors.surface_contact.kernels import (
    CABLE,
    ContactRows,
    Lever,
    count_points,
    eval_axis,
    eval_global_force,
    hessian_product,
    to_global,
    to_surface,
)
from windlass.connectors.surface_contact.tangent import (
    COMPONENTS,
    T,
    V,
    X,
    add_wrench,
    fill_body_motion,
    multiply_both,
    unit_vector,
    write_column,
)
from windlass.connectors.surface_contact.winch_bed_kernels import WinchBedForces, eval_closed_winch_bed
from windlass.connectors.surface_contact.winch_kernels import (
    WINCH_CABLE,
    WinchForces,
    WinchMaterial,
    WinchSurfaceRow,
    eval_closed_winch,
    find_material,
    find_winch_point,
    read_winch_row,
)
from windlass.elements.cable.points import Four
from windlass.elements.nodes.vectors import Vector, add, combine, cross, dot
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel

LENGTH, RATE = 9, 10
"""Indices of l and l_t in w."""
ROW = WINCH_CABLE + 6
"""Number of coordinates of a row, in the order of the docstring of this module."""
NONE = (0.0, 0.0, 0.0)


@kernel(inline=True)
def write_turned(o: Any, M: FloatArray, row: int, column: int, a: Vector) -> None:
    """Rotate the global vector ``a`` to the frame of the surface, and write it into three rows of a column of M."""
    write_column(M, row, column, to_surface(o, a[0], a[1], a[2]))


@kernel
def fill_winch_motion(
    r: WinchSurfaceRow, t: WinchMaterial, z: Lever, first: int, Wq: FloatArray, Wv: FloatArray
) -> None:  # fmt: skip
    """Write the first 11 rows of W_q and W_v of a point. The index of the column for the first component of c is
    ``first``.
    """
    Wq[:], Wv[:] = 0.0, 0.0
    o, il = r.plain.o, 1.0 / r.l
    omega, q, w, S, dS = (o.wx, o.wy, o.wz), r.plain.q, r.plain.w, t.S, t.dS
    for j in range(4):
        grows = S[j] * r.l_t * il if j % 2 == 1 else 0.0
        for b in range(3):
            axis, k = unit_vector(b), 3 * j + b
            here = S[j] * axis[0], S[j] * axis[1], S[j] * axis[2]
            write_turned(o, Wq, X, k, here)
            write_turned(o, Wv, V, k, here)
            write_turned(o, Wq, V, k, combine(grows, axis, -1.0, cross(omega, here)))
            write_turned(o, Wq, T, k, (dS[j] * axis[0], dS[j] * axis[1], dS[j] * axis[2]))
    # the rates w of the slope coordinates contain the term l_t q/l
    P, Q = (0.0, il * S[1], 0.0, il * S[3]), (-il * dS[0], 0.0, -il * dS[2], 0.0)
    vl = combine(1.0, eval_axis(P, w), -r.l_t * il, t.rl)
    write_turned(o, Wq, X, CABLE, t.rl)
    write_turned(o, Wv, V, CABLE, t.rl)
    write_turned(o, Wq, V, CABLE, combine(1.0, vl, -1.0, cross(omega, t.rl)))
    write_turned(o, Wq, T, CABLE, eval_axis(Q, q))
    Wq[LENGTH, CABLE], Wv[RATE, CABLE] = 1.0, 1.0
    fill_body_motion(o, z, t.slope, first, Wq, Wv)


class WinchChange(NamedTuple):
    """Derivatives of the quantities of a point with respect to a component of w: n, u_t, v_t and T, the gap, v_n, and
    the relative change of the parameters of the point."""

    dn: Vector
    du: Vector
    dv: Vector
    dT: Vector
    gap: float
    rate: float
    scale: float


@kernel
def change_place(
    j: int, r: WinchSurfaceRow, t: WinchMaterial, h: Distance, z: Lever, U: Vector, way: Vector, paid: float
) -> WinchChange:
    """Return the derivatives with respect to component j of w. ``U``, ``way`` and ``paid`` are fields of
    `WinchForces`."""
    n, axis = (h.nx, h.ny, h.nz), unit_vector(j % 3)
    nj = dot(n, axis)
    across = combine(1.0, axis, -nj, n)
    if j < V:
        on_way, on_U, on_V = hessian_product(h, *way), hessian_product(h, *U), hessian_product(h, z.U, z.V, z.W)
        dn = hessian_product(h, *axis)
        du = combine(1.0, combine(1.0, across, -dot(on_way, axis), n), -dot(n, way), dn)
        dv = combine(-dot(on_U, axis), n, -dot(n, U), dn)
        return WinchChange(dn, du, dv, NONE, nj, dot(on_V, axis), 0.0)
    if j < T:
        return WinchChange(NONE, NONE, across, NONE, 0.0, nj, 0.0)
    if j < LENGTH:
        moved, speed = combine(paid * t.a, across, 0.0, n), combine(r.l_t * t.a, across, 0.0, n)
        return WinchChange(NONE, moved, speed, axis, 0.0, 0.0, 0.0)
    along = combine(t.a, combine(1.0, t.T, -dot(n, t.T), n), 0.0, n)
    if j == LENGTH:
        return WinchChange(NONE, along, NONE, NONE, 0.0, 0.0, 1.0 / r.l)
    return WinchChange(NONE, NONE, along, NONE, 0.0, 0.0, 0.0)


@kernel(inline=True)
def write_change(
    j: int, t: WinchMaterial, n: Vector, c: WinchChange, fn: float, dfn: float, f: Vector, df: Vector, spring: float,
    Phi: FloatArray,
) -> None:  # fmt: skip
    """Write column j of Phi. ``dfn`` and ``df`` are the derivatives of the normal force and of the friction f without
    the change of the parameters of the point, and ``spring`` is the derivative of V_s/l with respect to the gap. All
    forces are proportional to the parameters."""
    df = combine(c.scale, f, 1.0, df)
    write_column(Phi, 0, j, add(combine(dfn + c.scale * fn, n, fn, c.dn), df))
    Phi[3, j] = spring * c.gap + t.a * (dot(df, t.T) + dot(f, c.dT))


@kernel
def fill_winch_changes(
    row: Any, r: WinchSurfaceRow, t: WinchMaterial, F: WinchForces, h: Distance, z: Lever, Phi: FloatArray
) -> None:
    """Write into Phi, shape (4, 11), the derivatives of f and L with respect to w."""
    f, law, n = F.point, r.plain.law, (h.nx, h.ny, h.nz)
    kc, dc = eval_normal_slopes(law, f.gap, f.vn, f.fn)
    for j in range(COMPONENTS):
        c = change_place(j, r, t, h, z, F.U, F.way, F.paid)
        dfn, df = kc * c.gap + dc * c.rate, NONE
        if F.rubs:
            df = change_friction(law, f.f, f.fn, change_trial(law, c.du, c.dv), dfn)
        write_change(j, t, n, c, f.fn, dfn, f.f.force, df, row.stiffness * f.gap, Phi)


@kernel
def fill_winch_bed_changes(
    row: Any, r: WinchSurfaceRow, t: WinchMaterial, F: WinchBedForces, h: Distance, z: Lever, Phi: FloatArray
) -> None:
    """Write into Phi the derivatives of `fill_winch_changes` for a soft bed."""
    bed, e, n = F.bed, F.e, (h.nx, h.ny, h.nz)
    size = 1.0 / sqrt(dot(t.T, t.T))
    spring = eval_spring_slope(r.plain.law, bed.held, bed.by_share, bed.gap) / r.l
    for j in range(COMPONENTS):
        c = change_place(j, r, t, h, z, F.U, F.way, F.paid)
        dfn = bed.by_gap * c.gap + bed.by_rate * c.rate
        turned = combine(size, c.dT, -size * dot(e.T, c.dT), e.T)
        db = change_across(e, combine(1.0, cross(c.dn, e.T), 1.0, cross(n, turned)))
        df = change_bed_friction(row, r.plain, bed, e, dfn, c.du, c.dv, db) if bed.rubs else NONE
        write_change(j, t, n, c, bed.fn, dfn, bed.force, df, spring, Phi)


@kernel(inline=True)
def add_winch_column(
    S: Four, rl: Vector, df: Vector, moment: Vector, on_l: float, first: int, column: int, K: FloatArray
) -> None:  # fmt: skip
    """Add to a column of K the variations of the generalised forces of a point. The arguments ``df`` and ``moment`` are
    the variations of F and of d × F, ``on_l`` is the variation of the force on l without the term dF.r_l, and ``first``
    is the row of the first component of c.
    """
    for b in range(3):
        for j in range(4):
            K[3 * j + b, column] += S[j] * df[b]
        K[first + b, column] -= df[b]
        K[first + 3 + b, column] -= moment[b]
    K[CABLE, column] += dot(df, rl) + on_l


@kernel
def add_winch_point(
    r: WinchSurfaceRow, t: WinchMaterial, z: Lever, F: Vector, dq: float, first: int, D: FloatArray, E: FloatArray,
    varies: bool, K: FloatArray, N: FloatArray,
) -> None:  # fmt: skip
    """Add to K and N, with ``first`` + 6 rows each, the derivatives of the forces of a point.

    Args:
        F: global force [N].
        first: index of the first component of c; 13, or 15 for ropes that turn.
        D: rows D_f and D_L, see the docstring of this module.
        E: dq times the derivatives of f and L with respect to rates.
        varies: whether the Jacobians of the marker vary in time. If false, N is not changed.
    """
    d, S, il = (z.dx, z.dy, z.dz), t.S, 1.0 / r.l
    for k in range(first + 6):
        df, on_l, dd = to_global(r.plain.o, D[0, k], D[1, k], D[2, k]), D[3, k], NONE
        axis = unit_vector((k - first) % 3)
        if k < CABLE:
            axis = unit_vector(k % 3)
            dd = S[k // 3] * axis[0], S[k // 3] * axis[1], S[k // 3] * axis[2]
            # terms due to the dependence of r_l on the slopes, and of S_i on the length
            change = dq * il * S[k // 3] * dot(axis, F) if (k // 3) % 2 == 1 else 0.0
            on_l += change
            K[k, CABLE] += change
        elif k == CABLE:
            dd = t.rl
        elif first <= k < first + 3:
            dd = -axis[0], -axis[1], -axis[2]
        elif k >= first + 3:
            df = combine(1.0, df, dq, cross(axis, F))
        moment = combine(1.0, cross(d, df), dq, cross(dd, F))
        add_winch_column(S, t.rl, df, moment, on_l, first, k, K)
    if varies:
        for b in range(6):
            df = to_global(r.plain.o, E[0, first + b], E[1, first + b], E[2, first + b])
            add_winch_column(S, t.rl, df, cross(d, df), E[3, first + b], first, b, N)


WORK = work_type(Wq=(COMPONENTS, ROW), Wv=(COMPONENTS, ROW), Phi=(4, COMPONENTS), D=(4, ROW), E=(4, ROW))
"""The matrices W_q, W_v, Phi_w and D of the docstring of this module, and E of `add_winch_point`."""


@kernel(inline=True)
def begin_row(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    maps: bool, i: int, g: Any,
) -> tuple[WinchSurfaceRow, int, int]:  # fmt: skip
    """Return the data and the marker of row i, and ``whole``. See the argument ``begin`` of `create_tangent`."""
    r = read_winch_row(c, m, x, v, i, g)
    return r, r.plain.marker, WINCH_CABLE if c.dofs.shape[1] == WINCH_CABLE else 0


@kernel(inline=True)
def change_winch_point(
    row: Any, r: WinchSurfaceRow, t: WinchMaterial, h: Distance, z: Lever, k: int, data: FloatArray, start: FloatArray,
    Phi: FloatArray,
) -> Vector:  # fmt: skip
    """Write Phi of closed point k, and return the global force [N]."""
    forces = eval_closed_winch(row, r, h, z, t, k, data, start)
    fill_winch_changes(row, r, t, forces, h, z, Phi)
    return eval_global_force(r.plain.o, h, forces.point)


@kernel(inline=True)
def change_winch_bed_point(
    row: Any, r: WinchSurfaceRow, t: WinchMaterial, h: Distance, z: Lever, k: int, data: FloatArray, start: FloatArray,
    Phi: FloatArray,
) -> Vector:  # fmt: skip
    """Write Phi of closed point k on a soft bed, and return the global force [N]."""
    forces = eval_closed_winch_bed(row, r, h, z, t, k, data, start)
    fill_winch_bed_changes(row, r, t, forces, h, z, Phi)
    return eval_global_force(r.plain.o, h, total_force(forces.bed))


def create_winch_tangent(change: Callable[..., Any]) -> Callable[..., Any]:
    """Create the kernel that adds the tangent of all rows of winch ropes, see `create_tangent`. ``change`` is the
    kernel that evaluates the derivatives of the forces of a closed point, see `change_winch_point`."""

    @kernel(inline=True)
    def add_closed(
        c: ContactRows, data: FloatArray, start: FloatArray, r: WinchSurfaceRow, i: int, k: int, dq: float, dv: float,
        varies: bool, g: Any, K: FloatArray, N: FloatArray, wrench: FloatArray,
    ) -> None:  # fmt: skip
        """Add the derivatives of the forces of closed point k, see the argument ``add`` of `create_tangent`."""
        row: Any = c.rows[i]
        _, z, h = find_winch_point(c, r, i, k, g)
        if not h.there:
            return
        t = find_material(row, r, k)
        # derivatives of w, of the force and of the force on l
        fill_winch_motion(r, t, z, WINCH_CABLE, g.Wq, g.Wv)
        F = change(row, r, t, h, z, k, data, start, g.Phi)
        multiply_both(dq, dv, g)
        add_wrench(z, F, NONE, dq, wrench)
        add_winch_point(r, t, z, F, dq, WINCH_CABLE, g.D, g.E, varies, K, N)

    return create_tangent(count_points, WINCH_CABLE, 3, 6, WORK, begin_row, add_closed, couple_nothing)


_add_rows = create_winch_tangent(change_winch_point)
_add_bed_rows = create_winch_tangent(change_winch_bed_point)


@kernel
def add_winch_bed_tangent(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    size: FloatArray, mapped: FloatArray, dq: float, dv: float, slots: IntArray, values: FloatArray,
) -> None:  # fmt: skip
    """Add the tangent of all rows of winch ropes on soft beds to the values of the matrix, see `create_tangent`."""
    _add_bed_rows(c, m, data, start, x, v, size, mapped, dq, dv, slots, values)


@kernel
def add_winch_tangent(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    size: FloatArray, mapped: FloatArray, dq: float, dv: float, slots: IntArray, values: FloatArray,
) -> None:  # fmt: skip
    """Add the tangent of all rows of winch ropes to the values of the matrix, see `create_tangent`."""
    _add_rows(c, m, data, start, x, v, size, mapped, dq, dv, slots, values)
