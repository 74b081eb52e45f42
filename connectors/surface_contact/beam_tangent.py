"""Exact tangent of the contact between surfaces and thick beams; see `beam_kernels.py` for the forces and symbols, and
`contact/assembly.py` for the sum over points.

The force f and the moment M in the frame of the surface are functions Phi of 12 numbers of a point,

    y = (X, V, w, θ).

W_q contains the derivatives of y with respect to the position p and the rotation φ of the cross section, and the
position c and the rotation α of the surface. W_v contains the derivatives with respect to the rates of p, φ, c and α.
For the global force A f and moment A M, where D_f and D_M are the first and the last three rows of D,

    D = dq Phi_y W_q + dv Phi_y W_v,    dF = A D_f + dq dα × F,    dM = A D_M + dq dα × M.

The rotation of the section is a function of the Euler parameters e of the section. With dφ = G de and
dω = G de_t + (∂(G e_t)/∂e) de, the derivatives with respect to the 13 coordinates (p, e, c, α) follow, where

    forces: F on p, Gᵀ M on e, -F on c, -(d × F + M) on α,    d(Gᵀ M) = Gᵀ dM + dq (∂(Gᵀ M)/∂e) de.

p = Σ N_a r_a and e = Σ N_a e_a depend linearly on the coordinates of the nodes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from windlass.connectors.contact.assembly import couple_nothing, create_tangent
from windlass.connectors.contact.law import PointLaw, change_friction, change_trial, eval_normal_slopes
from windlass.connectors.contact.update import work_type
from windlass.connectors.markers.position_kernels import PositionMarkers
from windlass.connectors.surface_contact.beam_kernels import (
    BEAM,
    BeamRow,
    Section,
    SectionForces,
    change_turn,
    eval_closed_section,
    eval_section,
    find_beam_point,
    on_parameters,
    read_beam_row,
    turn_rate,
)
from windlass.connectors.surface_contact.distances import Distance
from windlass.connectors.surface_contact.kernels import (
    CABLE,
    ContactRows,
    Lever,
    PointForces,
    SurfaceFrame,
    count_points,
    eval_global_force,
    hessian_product,
    to_global,
    to_surface,
)
from windlass.connectors.surface_contact.tangent import (
    V,
    X,
    add_wrench,
    fill_body_motion,
    multiply_both,
    unit_vector,
    write_column,
)
from windlass.elements.cable.points import Four
from windlass.elements.nodes.vectors import Vector, add, combine, cross, dot
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import Kernel, kernel

SPIN, TURN, COMPONENTS = 6, 9, 12
"""Indices of the first components of w and θ in y, and number of components of y."""
E, C, ROW = 3, 7, 13
"""Indices of the first components of e and c among the 13 coordinates of a point, and their number."""
NONE = (0.0, 0.0, 0.0)


@kernel
def fill_section_motion(
    o: SurfaceFrame, z: Lever, s: Section, turn: Vector, Wq: FloatArray, Wv: FloatArray
) -> None:  # fmt: skip
    """Write W_q and W_v of a point, shape (12, 12) each."""
    Wq[:], Wv[:] = 0.0, 0.0
    omega = o.wx, o.wy, o.wz
    fill_body_motion(o, z, s.spin, 6, Wq, Wv)
    for b in range(3):
        axis = unit_vector(b)
        here, carried = to_surface(o, axis[0], axis[1], axis[2]), cross(omega, axis)
        write_column(Wq, X, b, here)
        write_column(Wq, V, b, to_surface(o, -carried[0], -carried[1], -carried[2]))
        write_column(Wv, V, b, here)
        dturn = change_turn(turn, here)
        for sign, at in ((1.0, 3 + b), (-1.0, 9 + b)):
            write_column(Wv, SPIN, at, (sign * here[0], sign * here[1], sign * here[2]))
            write_column(Wq, TURN, at, (sign * dturn[0], sign * dturn[1], sign * dturn[2]))


class SectionPlace(NamedTuple):
    """Values of a point on which the derivatives of `SectionChange` depend: n, n.u, H u, H V, v_n and θ, where u = X -
    a, and H is the Hessian of the distance.
    """

    n: Vector
    along: float
    on_slip: Vector
    on_rate: Vector
    vn: float
    turn: Vector


class SectionChange(NamedTuple):
    """Derivatives of n, u_t, v_t, g and v_n."""

    dn: Vector
    du: Vector
    dv: Vector
    gap: float
    rate: float


@kernel(inline=True)
def place_section(h: Distance, z: Lever, vn: float, turn: Vector, a: Vector) -> SectionPlace:
    """Return the `SectionPlace` of a point; ``a`` is the anchor."""
    n, slip = (h.nx, h.ny, h.nz), (z.X - a[0], z.Y - a[1], z.Z - a[2])
    return SectionPlace(
        n, dot(n, slip), hessian_product(h, *slip), hessian_product(h, z.U, z.V, z.W), vn, turn
    )  # fmt: skip


@kernel(inline=True)
def change_section(j: int, radius: float, h: Distance, s: Section, c: SectionPlace) -> SectionChange:
    """Return the derivatives with respect to component j < 12 of y."""
    n, axis, k = c.n, unit_vector(j % 3), j % 3
    dn, du, dv, gap, rate = NONE, NONE, NONE, 0.0, 0.0
    if j < V:
        dn = hessian_product(h, *axis)
        gap, rate = n[k], c.on_rate[k]
        du = combine(1.0, combine(1.0, axis, -n[k] - c.on_slip[k], n), -c.along, dn)
        du = combine(1.0, du, -radius, cross(c.turn, dn))
        dv = combine(1.0, combine(-c.on_rate[k], n, -c.vn, dn), -radius, cross(s.w, dn))
    elif j < SPIN:
        rate, dv = n[k], combine(1.0, axis, -n[k], n)
    elif j < TURN:
        dv = combine(-radius, cross(axis, n), 0.0, n)
    else:
        du = combine(-radius, cross(axis, n), 0.0, n)
    return SectionChange(dn, du, dv, gap, rate)


@kernel
def fill_section_changes(
    law: PointLaw, radius: float, F: SectionForces, h: Distance, z: Lever, s: Section, a: Vector, Phi: FloatArray
) -> None:
    """Write into Phi, shape (6, 12), the derivatives of f and M with respect to y; ``a`` is the anchor."""
    f, place = F.point, place_section(h, z, F.point.vn, F.turn, a)
    kc, dc = eval_normal_slopes(law, f.gap, f.vn, f.fn)
    for j in range(COMPONENTS):
        c = change_section(j, radius, h, s, place)
        df, dfn = NONE, kc * c.gap + dc * c.rate
        if F.rubs:
            df = change_friction(law, f.f, f.fn, change_trial(law, c.du, c.dv), dfn)
        write_column(Phi, 0, j, add(combine(dfn, place.n, f.fn, c.dn), df))
        write_column(Phi, 3, j, combine(-radius, cross(c.dn, f.f.force), -radius, cross(place.n, df)))


@kernel(inline=True)
def unit_four(k: int) -> Four:
    """Return the unit vector of Euler parameter k."""
    return 1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0, 1.0 if k == 3 else 0.0


@kernel(inline=True)
def multiply_turned(o: SurfaceFrame, D: FloatArray, first: int, b: Vector) -> tuple[Vector, Vector]:
    """Return the changes of force and moment, in the global frame, due to the changes b of three coordinates. In D, the
    first column of these coordinates is ``first``."""
    x = (
        D[0, first] * b[0] + D[0, first + 1] * b[1] + D[0, first + 2] * b[2],
        D[1, first] * b[0] + D[1, first + 1] * b[1] + D[1, first + 2] * b[2],
        D[2, first] * b[0] + D[2, first + 1] * b[1] + D[2, first + 2] * b[2],
    )
    y = (
        D[3, first] * b[0] + D[3, first + 1] * b[1] + D[3, first + 2] * b[2],
        D[4, first] * b[0] + D[4, first + 1] * b[1] + D[4, first + 2] * b[2],
        D[5, first] * b[0] + D[5, first + 1] * b[1] + D[5, first + 2] * b[2],
    )
    return to_global(o, *x), to_global(o, *y)


@kernel(inline=True)
def write_changes(
    s: Section, d: Vector, df: Vector, dM: Vector, moved: Vector, bent: Four, column: int, K: FloatArray
) -> None:  # fmt: skip
    """Write the changes of the generalised forces of a point into a column of K, whose rows are the 13 coordinates.

    Args:
        df, dM: changes of F and M.
        moved: change of d × F without the term d × dF.
        bent: change of Gᵀ M without the term Gᵀ dM.
    """
    on_e, on_body = on_parameters(s.e, dM, s.square), combine(1.0, add(cross(d, df), dM), 1.0, moved)
    for k in range(4):
        K[E + k, column] = on_e[k] + bent[k]
    for k in range(3):
        K[k, column], K[C + k, column], K[C + 3 + k, column] = df[k], -df[k], -on_body[k]


@kernel
def fill_section_tangent(
    o: SurfaceFrame, z: Lever, s: Section, F: Vector, M: Vector, dq: float, D: FloatArray, B: FloatArray, K: FloatArray,
    N: FloatArray,
) -> None:  # fmt: skip
    """Write K, shape (13, 13), the derivatives of the forces on the 13 coordinates of a point, and N, shape (13, 6),
    dq times the derivatives with respect to the rates of (c, α).

    Args:
        F, M: global force [N] and moment [N m].
        D: dq Phi_y W_q + dv Phi_y W_v, shape (6, 12).
        B: dq Phi_y W_v, shape (6, 12).
    """
    d, none, inverse = (z.dx, z.dy, z.dz), (0.0, 0.0, 0.0, 0.0), 2.0 / s.square
    on_e, omega = on_parameters(s.e, M, s.square), turn_rate(s.e, s.et, s.square)
    for b in range(3):
        axis = unit_vector(b)
        shift, turned = cross(axis, F), cross(axis, M)
        shift, turned = (dq * shift[0], dq * shift[1], dq * shift[2]), (dq * turned[0], dq * turned[1], dq * turned[2])
        # derivatives with respect to the position of the point, and to the position and rotation of the surface
        df, dM = multiply_turned(o, D, 0, axis)
        write_changes(s, d, df, dM, shift, none, b, K)
        df, dM = multiply_turned(o, D, 6, axis)
        write_changes(s, d, df, dM, (-shift[0], -shift[1], -shift[2]), none, C + b, K)
        df, dM = multiply_turned(o, D, 9, axis)
        write_changes(s, d, add(df, shift), add(dM, turned), NONE, none, C + 3 + b, K)
        for at in (0, 3):
            df, dM = multiply_turned(o, B, 6 + at, axis)
            write_changes(s, d, df, dM, NONE, none, at + b, N)
    for l in range(4):
        # changes of the rotation and of the angular velocity of the section due to Euler parameter l
        one = unit_four(l)
        on_rate = turn_rate(s.et, one, s.square)
        df, dM = multiply_turned(o, D, 3, turn_rate(s.e, one, s.square))
        rf, rM = multiply_turned(o, B, 3, combine(-1.0, on_rate, -inverse * s.e[l], omega))
        bent = on_parameters(one, M, s.square)
        x = inverse * s.e[l]
        bent = (
            dq * (bent[0] - x * on_e[0]), dq * (bent[1] - x * on_e[1]),
            dq * (bent[2] - x * on_e[2]), dq * (bent[3] - x * on_e[3]),
        )  # fmt: skip
        write_changes(s, d, add(df, rf), add(dM, rM), NONE, bent, E + l, K)


@kernel(inline=True)
def find_place(r: int, a: int, N: Four, flip: FloatArray) -> tuple[int, float]:
    """Return the index of the coordinate of node a, among the coordinates of a row, on which coordinate r of a point
    depends, and its factor."""
    if r < E:
        return 3 * a + r, N[a]
    if r < C:
        return CABLE + 4 * a + r - E, N[a] * flip[a]
    return BEAM + r - C, 1.0


@kernel
def spread_section(
    N: Four, flip: FloatArray, own: FloatArray, on_rates: FloatArray, varies: bool, K: FloatArray, R: FloatArray
) -> None:
    """Add ``own``, shape (13, 13), to K, shape (34, 34), and ``on_rates``, shape (13, 6), to R, shape (34, 6); see
    `fill_section_tangent`. ``varies``: whether the Jacobians of the marker vary in time; otherwise R is not changed.
    """
    for r in range(ROW):
        for a in range(4 if r < C else 1):
            row, x = find_place(r, a, N, flip)
            for l in range(ROW):
                for b in range(4 if l < C else 1):
                    column, y = find_place(l, b, N, flip)
                    K[row, column] += x * y * own[r, l]
            if varies:
                for b in range(6):
                    R[row, b] += x * on_rates[r, b]


POINT_WORK: dict[str, Any] = {"D": (6, 12), "E": (6, 12), "own": (ROW, ROW), "on_rates": (ROW, 6)}
"""D of the docstring of this module, and B (``E``), K (``own``) and N (``on_rates``) of `fill_section_tangent`."""
WORK = work_type(Wq=(COMPONENTS, 12), Wv=(COMPONENTS, 12), Phi=(6, COMPONENTS), **POINT_WORK)
"""W_q, W_v and Phi_y of the docstring of this module, and `POINT_WORK`."""


@kernel(inline=True)
def begin_row(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    maps: bool, i: int, g: Any,
) -> tuple[BeamRow, int, int]:  # fmt: skip
    """Return the data and the marker of row i, and ``whole``; see the argument ``begin`` of `create_tangent`."""
    r = read_beam_row(c, m, x, v, i, g)
    return r, r.plain.marker, BEAM if c.dofs.shape[1] == BEAM else 0


@kernel(inline=True)
def fill_section(
    row: Any, r: BeamRow, h: Distance, z: Lever, s: Section, k: int, data: FloatArray, start: FloatArray, g: Any
) -> tuple[PointForces, Vector]:
    """Return the forces and the moment of closed point k, and write Phi_y, W_q and W_v."""
    p = r.plain
    a, forces = eval_closed_section(row, r, h, z, s, k, data, start)
    fill_section_motion(p.o, z, s, forces.turn, g.Wq, g.Wv)
    fill_section_changes(p.law, p.rope_radius, forces, h, z, s, a, g.Phi)
    return forces.point, forces.moment


def create_section_tangent(fill: Kernel, work: np.dtype[Any]) -> Callable[..., Any]:
    """Create the kernel that adds the tangent of all rows of thick beams, see `create_tangent`.

    Args:
        fill: kernel that evaluates a closed point and its derivatives, see `fill_section`.
        work: type of the memory g of ``fill``, such as `WORK`.
    """

    @kernel(inline=True)
    def add_closed(
        c: ContactRows, data: FloatArray, start: FloatArray, r: BeamRow, i: int, k: int, dq: float, dv: float,
        varies: bool, g: Any, K: FloatArray, N: FloatArray, wrench: FloatArray,
    ) -> None:  # fmt: skip
        """Add the derivatives of the forces of closed point k, see the argument ``add`` of `create_tangent`."""
        own: Any = c.rows[i]
        p = r.plain
        _, z, h = find_beam_point(c, r, i, k, g)
        if not h.there:
            return
        s = eval_section(own, r, k)
        point, moment = fill(own, r, h, z, s, k, data, start, g)
        F, M = eval_global_force(p.o, h, point), to_global(p.o, *moment)
        # derivatives of force and moment, and of the generalised forces of the point
        multiply_both(dq, dv, g)
        fill_section_tangent(p.o, z, s, F, M, dq, g.D, g.E, g.own, g.on_rates)
        spread_section(s.N, own.flip, g.own, g.on_rates, varies, K, N)
        add_wrench(z, F, M, dq, wrench)

    return create_tangent(count_points, BEAM, 3, 6, work, begin_row, add_closed, couple_nothing)


_add_rows = create_section_tangent(fill_section, WORK)


@kernel
def add_beam_tangent(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    size: FloatArray, mapped: FloatArray, dq: float, dv: float, slots: IntArray, values: FloatArray,
) -> None:  # fmt: skip
    """Add the tangent of all rows of thick beams to the values of the matrix, see `create_tangent`."""
    _add_rows(c, m, data, start, x, v, size, mapped, dq, dv, slots, values)
