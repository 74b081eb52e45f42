"""Exact tangent of the friction that turns ropes on soft beds, and winch ropes with torsion. See `turning_kernels.py`
for the forces and symbols, and `tangent.py` and `winch_tangent.py` for the tangents without turn.

For winch ropes the forces f, L and M of a point are functions Phi of 13 numbers

    w = (X, V, T, l, l_t, s, θ),

where T is the slope in the frame of the surface. The coordinates of a row are the 12 coordinates of the nodes, l, both
angles, and the origin c and the rotation theta of the surface. For the 15 coordinates z of the cable (elements/cable/
winch_twist_points.py), let σ_z and T_z be the coefficients of δz in the spin σ·δy and in δT_w, and e the unit vector of
l. Then

    ds = (∂(σ_z·z_t)/∂z + l_t β (T_z - e T_w/l))·dz + (σ_z + e β T_w)·dz_t - Ω·dt - dΩ·t
    dθ = (σ_z + e β T_w + (l - l_0) β (T_z - e T_w/l))·dz + g·dp - dtheta·t
    forces: M (σ_z + e β T_w) on z, -M t on theta, in addition to the forces in `winch_tangent.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from windlass.connectors.contact.assembly import couple_nothing, create_tangent
from windlass.connectors.contact.law import change_friction, change_trial, eval_normal_slopes, eval_spring_slope
from windlass.connectors.contact.rows import relative_place
from windlass.connectors.contact.update import work_type
from windlass.connectors.markers.position_kernels import PositionMarkers
from windlass.connectors.surface_contact.bed_kernels import change_across, total_force
from windlass.connectors.surface_contact.bed_tangent import change_bed_friction
from windlass.connectors.surface_contact.distances import Distance
from windlass.connectors.surface_contact.kernels import (
    CABLE,
    ContactRows,
    Lever,
    PointForces,
    Spin,
    TurningRow,
    count_points,
    eval_axis,
    eval_global_force,
    to_surface,
)
from windlass.connectors.surface_contact.tangent import (
    COMPONENTS,
    add_wrench,
    change_slope,
    change_tangent,
    change_turning_point,
    create_twist_tangent,
    multiply_both,
    unit_vector,
    write_column,
)
from windlass.connectors.surface_contact.turning_kernels import (
    TWIST_WINCH,
    Rolling,
    TurningWinchRow,
    eval_closed_turning_bed,
    eval_closed_turning_winch,
    eval_closed_turning_winch_bed,
    find_turning_winch_point,
    read_turning_winch_row,
)
from windlass.connectors.surface_contact.winch_bed_kernels import WinchBedForces
from windlass.connectors.surface_contact.winch_kernels import (
    WinchForces,
    WinchMaterial,
    WinchSurfaceRow,
    find_material,
)
from windlass.connectors.surface_contact.winch_tangent import (
    NONE,
    WinchChange,
    add_winch_point,
    change_place,
    fill_winch_motion,
    write_change,
)
from windlass.elements.cable.twist_points import (
    COUNT,
    fill_spin_change,
    fill_twist,
    interpolate,
)
from windlass.elements.cable.winch_twist_points import ALL, LENGTH, fill_form, fill_form_change
from windlass.elements.nodes.vectors import Vector, add, combine, cross, dot
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import Kernel, kernel

SPIN, ANGLE, NUMBERS = 11, 12, 13
"""Indices of s and θ in w, and the number of components of w."""
ROW = TWIST_WINCH + 6
"""Number of coordinates of a row, in the order of the docstring of this module."""


@kernel(inline=True)
def change_bed_point(
    row: Any, r: TurningRow, h: Distance, z: Lever, k: int, data: FloatArray, start: FloatArray, g: Any
) -> tuple[Spin, Vector, float, Vector, bool]:
    """Return the results of `change_twist_point` for closed point k on a soft bed, and write Phi_w."""
    p, F = r.plain, eval_closed_turning_bed(row, r, h, z, k, data, start, g)
    n, w, bed, e, radius = (h.nx, h.ny, h.nz), F.turn, F.bed, F.e, p.rope_radius
    for j in range(COMPONENTS):
        c = change_turning_point(j, radius, h, z, w.spin, w.b, w.angle, F.anchor)
        dfn, df = bed.by_gap * c.gap + bed.by_rate * c.rate, NONE
        if bed.rubs:
            # c of the bed is n × T = -b
            across = change_across(e, combine(-1.0, c.db, 0.0, n))
            df = change_bed_friction(row, p, bed, e, dfn, c.du, c.dv, across)
        write_column(g.Phi, 0, j, add(combine(dfn, n, bed.fn, c.dn), df))
        g.Phi[3, j] = -radius * (dot(df, w.b) + dot(bed.force, c.db))
    return w.spin, eval_global_force(p.o, h, total_force(bed)), F.torque, w.g, bed.rubs


_add_bed_rows = create_twist_tangent(change_bed_point)


@kernel
def add_turning_bed_tangent(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    size: FloatArray, mapped: FloatArray, dq: float, dv: float, slots: IntArray, values: FloatArray,
) -> None:  # fmt: skip
    """Add the tangent of all rows of ropes with twist on soft beds to the values of the matrix."""
    _add_bed_rows(c, m, data, start, x, v, size, mapped, dq, dv, slots, values)


@kernel(inline=True)
def find_column(k: int) -> int:
    """Return the index of coordinate k of z among the coordinates of a row."""
    return CABLE if k == LENGTH else k + 1 if k >= CABLE else k


@kernel(inline=True)
def change_slope_by(r: WinchSurfaceRow, t: WinchMaterial, spin: Spin, k: int) -> Vector:
    """Return the derivative of the slope r' with respect to coordinate k of z."""
    if k < LENGTH:
        return change_slope(spin, 1.0 / r.plain.length, k)
    return eval_axis((-t.dS[0] / r.l, 0.0, -t.dS[2] / r.l, 0.0), r.plain.q)


@kernel
def fill_turning_motion(
    r: TurningWinchRow, t: WinchMaterial, z: Lever, w: Rolling, beta: float, paid: float, g: Any
) -> None:  # fmt: skip
    """Write W_q and W_v of a point, shape (13, 21) each, into fields of g. The fields ``sz``, ``Tz``, ``dsz`` and
    ``zt`` of g contain σ_z, T_z, the derivatives of σ_z, and z_t.
    """
    fill_winch_motion(r.winch, t, z, TWIST_WINCH, g.Wq, g.Wv)
    o, spin, l, l_t = r.winch.plain.o, w.spin, r.winch.l, r.winch.l_t
    omega, p = (o.wx, o.wy, o.wz), t.slope
    for k in range(ALL):
        at, on_l = find_column(k), 1.0 if k == LENGTH else 0.0
        rate = 0.0
        for i in range(ALL):
            rate += g.zt[i] * g.dsz[i, k]
        dp = change_slope_by(r.winch, t, spin, k)
        dt, dps = change_tangent(spin, dp), to_surface(o, dp[0], dp[1], dp[2])
        moved = beta * (g.Tz[k] - on_l * r.twist / l)
        whole = g.sz[k] + on_l * beta * r.twist
        g.Wq[SPIN, at], g.Wv[SPIN, at] = rate + l_t * moved - dot(omega, dt), whole
        g.Wq[ANGLE, at] = whole + paid * moved + dot(w.g, dps)
    for b in range(3):
        at, on_p = TWIST_WINCH + 3 + b, cross(p, unit_vector(b))
        g.Wv[SPIN, at] = -spin.t[b]
        g.Wq[ANGLE, at] = dot(w.g, to_surface(o, on_p[0], on_p[1], on_p[2])) - spin.t[b]


@kernel
def change_turning_place(
    j: int, r: WinchSurfaceRow, t: WinchMaterial, h: Distance, z: Lever, U: Vector, way: Vector, paid: float, w: Rolling
) -> tuple[WinchChange, Vector]:
    """Return the derivatives of the quantities of a point, and of b, with respect to component j of w."""
    radius, none = r.plain.rope_radius, NONE
    if j >= SPIN:
        turned = combine(-radius, w.b, 0.0, w.b)
        still = j == SPIN
        return WinchChange(none, none if still else turned, turned if still else none, none, 0.0, 0.0, 0.0), none
    c, T = change_place(j, r, t, h, z, U, way, paid), w.spin.T
    dT = combine(1.0 / w.spin.size, c.dT, -dot(T, c.dT) / w.spin.size, T)
    db = combine(1.0, cross(dT, (h.nx, h.ny, h.nz)), 1.0, cross(T, c.dn))
    du, dv = combine(1.0, c.du, -radius * w.angle, db), combine(1.0, c.dv, -radius * w.spin.rate, db)
    return WinchChange(c.dn, du, dv, c.dT, c.gap, c.rate, c.scale), db


@kernel(inline=True)
def read_winch_slopes(row: Any, r: TurningWinchRow, F: WinchForces) -> tuple[PointForces, float, float, float]:
    """Return the forces of a point, the derivatives of f_n with respect to g and v_n, and the derivative of V_s/l with
    respect to g.
    """
    f = F.point
    kc, dc = eval_normal_slopes(r.winch.plain.law, f.gap, f.vn, f.fn)
    return f, kc, dc, row.stiffness * f.gap


@kernel(inline=True)
def read_bed_slopes(row: Any, r: TurningWinchRow, F: WinchBedForces) -> tuple[PointForces, float, float, float]:
    """Return the results of `read_winch_slopes` for a soft bed."""
    bed = F.bed
    spring = eval_spring_slope(r.winch.plain.law, bed.held, bed.by_share, bed.gap) / r.winch.l
    return total_force(bed), bed.by_gap, bed.by_rate, spring


@kernel(inline=True)
def change_winch_friction(row: Any, r: TurningWinchRow, F: WinchForces, c: WinchChange, db: Vector, dfn: float) -> Any:
    """Return the variation of the friction for the variation dfn of f_n, without the change of the parameters."""
    f, law = F.point, r.winch.plain.law
    return change_friction(law, f.f, f.fn, change_trial(law, c.du, c.dv), dfn) if F.rubs else NONE


@kernel(inline=True)
def change_winch_bed_friction(
    row: Any, r: TurningWinchRow, F: WinchBedForces, c: WinchChange, db: Vector, dfn: float
) -> Any:
    """Return the result of `change_winch_friction` for a soft bed, whose vector n × T is -b."""
    across = change_across(F.e, combine(-1.0, db, 0.0, db))
    bed = F.bed
    return change_bed_friction(row, r.winch.plain, bed, F.e, dfn, c.du, c.dv, across) if bed.rubs else NONE


def create_winch_change(evaluate: Kernel, read: Kernel, rub: Kernel) -> Callable[..., Any]:
    """Create the kernel ``(row, r, t, h, z, k, data, start, g)`` that writes Phi of closed point k, shape (5, 13). Its
    results are the turn, the global force [N], M [N m], β [1/m], and l - l_0 [m].

    Args:
        evaluate: kernel that evaluates the forces of a closed point, see `eval_closed_turning_winch`.
        read, rub: kernels that evaluate derivatives, see `read_winch_slopes` and `change_winch_friction`.
    """

    @kernel(inline=True)
    def change(
        row: Any, r: TurningWinchRow, t: WinchMaterial, h: Distance, z: Lever, k: int, data: FloatArray,
        start: FloatArray, g: Any,
    ) -> tuple[Rolling, Vector, float, float, float]:  # fmt: skip
        both, n, radius = evaluate(row, r, h, z, t, k, data, start, g), (h.nx, h.ny, h.nz), r.winch.plain.rope_radius
        F, w = both.forces, both.turn
        f, by_gap, by_rate, spring = read(row, r, F)
        for j in range(NUMBERS):
            c, db = change_turning_place(j, r.winch, t, h, z, F.U, F.way, F.paid, w)
            dfn = by_gap * c.gap + by_rate * c.rate
            df = rub(row, r, F, c, db, dfn)
            write_change(j, t, n, c, f.fn, dfn, f.f.force, df, spring, g.Phi)
            whole = combine(c.scale, f.f.force, 1.0, df)
            g.Phi[4, j] = -radius * (dot(whole, w.b) + dot(f.f.force, db))
        return w, eval_global_force(r.winch.plain.o, h, f), both.torque, both.beta, F.paid

    return change


@kernel
def add_moment(
    r: TurningWinchRow, t: WinchMaterial, w: Rolling, M: float, beta: float, dq: float, varies: bool, g: Any,
    K: FloatArray, N: FloatArray,
) -> None:  # fmt: skip
    """Add the derivatives of the forces M (σ_z + e β T_w) on z and -M t on theta to K, shape (21, 21), and N, shape
    (21, 6).
    """
    spin, l = w.spin, r.winch.l
    for a in range(ALL):
        to = find_column(a)
        whole = g.sz[a] + (beta * r.twist if a == LENGTH else 0.0)
        for j in range(ROW):
            K[to, j] += whole * g.D[4, j]
        for b in range(6 if varies else 0):
            N[to, b] += whole * g.E[4, TWIST_WINCH + b]
        for k in range(ALL):
            change = g.dsz[a, k]
            if a == LENGTH:
                change += beta * (g.Tz[k] - (r.twist / l if k == LENGTH else 0.0))
            K[to, find_column(k)] += dq * M * change
    for d in range(3):
        to = TWIST_WINCH + 3 + d
        for j in range(ROW):
            K[to, j] -= spin.t[d] * g.D[4, j]
        for b in range(6 if varies else 0):
            N[to, b] -= spin.t[d] * g.E[4, TWIST_WINCH + b]
        for k in range(ALL):
            dt = change_tangent(spin, change_slope_by(r.winch, t, spin, k))
            K[to, find_column(k)] -= dq * M * dt[d]


WORK = work_type(
    dsigma=(COUNT, COUNT), y=(COUNT,), yt=(COUNT,), sigma=(COUNT,), turn=(COUNT,), sz=(ALL,), Tz=(ALL,), zt=(ALL,),
    dsz=(ALL, ALL), Wq=(NUMBERS, ROW), Wv=(NUMBERS, ROW), Phi=(5, NUMBERS), D=(5, ROW), E=(5, ROW),
)  # fmt: skip
"""The fields of `FRAMES`, the derivatives ``dsigma`` of σ, the coefficients ``turn`` of δT_w with respect to y, the
fields of `fill_turning_motion`, and W_q, W_v, Phi_w, D and E as in `winch_tangent.py` with a further row for M.
"""


@kernel(inline=True)
def begin_row(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    maps: bool, i: int, g: Any,
) -> tuple[TurningWinchRow, int, int]:  # fmt: skip
    """Return the data and the marker of row i, and ``whole``. See the argument ``begin`` of `create_tangent`."""
    r, row = read_turning_winch_row(c, m, x, v, i, g), c.rows[i]
    fill_twist(row, g.y, g.turn)
    fill_form(g.turn, g.y, r.winch.plain.length, r.winch.l, g.Tz)
    for k in range(ALL):
        g.zt[k] = v[row.dofs[k]]
    return r, r.winch.plain.marker, TWIST_WINCH if c.dofs.shape[1] == TWIST_WINCH else 0


def create_winch_tangent(change: Callable[..., Any]) -> Callable[..., Any]:
    """Create the kernel that adds the tangent of all rows of winch ropes with torsion, see `create_tangent`. ``change``
    is the kernel that evaluates the derivatives of the forces of a closed point, see `create_winch_change`.
    """

    @kernel(inline=True)
    def add_closed(
        c: ContactRows, data: FloatArray, start: FloatArray, r: TurningWinchRow, i: int, k: int, dq: float, dv: float,
        varies: bool, g: Any, K: FloatArray, N: FloatArray, wrench: FloatArray,
    ) -> None:  # fmt: skip
        """Add the derivatives of the forces of closed point k, see the argument ``add`` of `create_tangent`."""
        row: Any = c.rows[i]
        _, z, h = find_turning_winch_point(c, r, i, k, g)
        if not h.there:
            return
        t, s = find_material(row, r.winch, k), relative_place(k, row.points)
        w, F, M, beta, paid = change(row, r, t, h, z, k, data, start, g)
        spin, length, l = w.spin, r.winch.plain.length, r.winch.l
        # σ_z and its derivatives
        fill_spin_change(row, s, spin.P, interpolate(spin.P, 1.0, g.y), g.y, g.dsigma)
        fill_form(g.sigma, g.y, length, l, g.sz)
        fill_form_change(g.dsigma, g.sigma, 1.0, g.y, length, l, g.dsz)
        # derivatives of w, of the forces and of the moment
        fill_turning_motion(r, t, z, w, beta, paid, g)
        multiply_both(dq, dv, g)
        add_wrench(z, F, (M * spin.t[0], M * spin.t[1], M * spin.t[2]), dq, wrench)
        add_winch_point(r.winch, t, z, F, dq, TWIST_WINCH, g.D, g.E, varies, K, N)
        add_moment(r, t, w, M, beta, dq, varies, g, K, N)

    return create_tangent(count_points, TWIST_WINCH, 3, 6, WORK, begin_row, add_closed, couple_nothing)


_add_winch_rows = create_winch_tangent(
    create_winch_change(eval_closed_turning_winch, read_winch_slopes, change_winch_friction)
)
_add_winch_bed_rows = create_winch_tangent(
    create_winch_change(eval_closed_turning_winch_bed, read_bed_slopes, change_winch_bed_friction)
)


@kernel
def add_turning_winch_tangent(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    size: FloatArray, mapped: FloatArray, dq: float, dv: float, slots: IntArray, values: FloatArray,
) -> None:  # fmt: skip
    """Add the tangent of all rows of winch ropes with torsion to the values of the matrix."""
    _add_winch_rows(c, m, data, start, x, v, size, mapped, dq, dv, slots, values)


@kernel
def add_turning_winch_bed_tangent(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    size: FloatArray, mapped: FloatArray, dq: float, dv: float, slots: IntArray, values: FloatArray,
) -> None:  # fmt: skip
    """Add the tangent of all rows of winch ropes with torsion on soft beds to the values of the matrix."""
    _add_winch_bed_rows(c, m, data, start, x, v, size, mapped, dq, dv, slots, values)
