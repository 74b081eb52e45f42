"""Contact of a surface with points of a cable of a winch rope. The material of the cable moves through the points.

A cable covers the shares σ0 to σ0 + Δ of the length l of the rope. The n points of the cable lie at the constant
positions ξ_i = (i + 1/2)/n. Each represents the length Δ l/n of the rope, which changes with l. S_i are the shape
functions, and a = 1 - σ with σ = σ0 + Δ ξ (see elements/cable/winch_points.py). Frame, distance, X, n, H and g are
defined in `kernels.py`. T is the slope r' in the frame of the surface, and

    velocity of the point: p_t = Σ S_i v_i + l_t r_l,    r_l = Σ p_i S_i q_i/l,    V = A^T (p_t - v_c - ω x (p - c))
    velocity of the material: U = V + l_t a T
    normal: v_n = n.V is the rate of g,    f_n = k_c g + d_c v_n
    tangential: v_t = (I - n n^T) U,    u_t = (I - n n^T) (X - anchor + (l - l_0) a T)

The friction is the function of u_t, v_t and f_n of `kernels.py`. The parameters k_c, d_c, mu_v and mu_k of a point are
proportional to l. The left-hand side of the equations of motion contains, with F = A (f_n n + f_t),

    nodes    S_i F,        l    F.r_l + V_s/l + a f_t.T,        surface    -F at the point

The springs of the normal forces have the energy V_s = k_c g²/2, and their forces are the derivatives of V_s at constant
ξ. The virtual displacement of the material is Σ S_i δq_i + w δl with w = r_l + a r'. Therefore the friction does the
work f_t.w δl on the length of the rope. The power of the forces is f_n v_n + V_s l_t/l + f_t.v_t. At constant length,
all forces are equal to the forces in `kernels.py`.

The bristle of a point sticks to the material. The length of the rope at the last update is l_0. Therefore (l - l_0) a T
is the displacement of the material relative to the point since then. While a point sticks, the update moves its anchor
by the opposite displacement, and then along the normal until its distance from the surface is the same as before.
Therefore anchors remain on curved surfaces.

History values of a row with n points: gaps (n), states (n; 0 sticks, 1 slips, -2 open or without friction), anchors in
the frame of the surface (n x 3) [m], on soft beds δ and m (n each, see `bed_kernels.py`), and l_0 [m]. The field
``last`` of the record of a row is the index of l_0.

Source: penalty in points and radial return, P. Wriggers, Computational Contact Mechanics, Springer (2006); virtual
power of material that moves through a mesh: H. Irschik, H. J. Holl, Acta Mechanica 153 (2002) 231-248.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from windlass.connectors.contact.law import PointLaw, eval_normal_force, no_friction, rub
from windlass.connectors.contact.rows import relative_place, scale_parameters
from windlass.connectors.contact.update import read_three
from windlass.connectors.friction.bristle import SLIPS, UNDEFINED
from windlass.connectors.markers.position_kernels import PositionMarkers
from windlass.connectors.surface_contact.distances import Distance, eval_distance
from windlass.connectors.surface_contact.kernels import (
    CABLE,
    NO_ROLL,
    TOUCHES,
    TURNING,
    ContactRows,
    Lever,
    PointForces,
    Roll,
    SurfaceRow,
    across,
    eval_axis,
    find_point,
    read_row,
    read_state,
    rests,
    to_surface,
)
from windlass.elements.cable.points import Four, shape, shape_slope
from windlass.elements.nodes.vectors import Vector, combine, dot
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel

WINCH_CABLE = CABLE + 1
"""Number of coordinates of a cable: twelve of its nodes, and the length l of the rope."""


class WinchSurfaceRow(NamedTuple):
    """A row: the data of `SurfaceRow` at the present length, the length l of the rope [m], and the rate of l. The rates
    in `SurfaceRow` are the rates with which the positions of points at constant ξ change.
    """

    plain: SurfaceRow
    l: float
    l_t: float


class WinchMaterial(NamedTuple):
    """Material of the rope at a point. The fields are the shape functions S and their derivatives dS along the rope,
    the factor a, the global vectors r_l and r', and the slope T in the frame of the surface.
    """

    S: Four
    dS: Four
    a: float
    rl: Vector
    slope: Vector
    T: Vector


class WinchForces(NamedTuple):
    """Forces on a point in the frame of the surface, U [m/s], X - anchor + (l - l_0) a T [m], l - l_0 [m], and whether
    friction acts.
    """

    point: PointForces
    U: Vector
    way: Vector
    paid: float
    rubs: bool


@kernel(inline=True)
def read_winch_row(c: ContactRows, m: PositionMarkers, x: FloatArray, v: FloatArray, i: int, g: Any) -> WinchSurfaceRow:
    """Return the `WinchSurfaceRow` of row i, and write the parameters of the row at the present length into its
    record.
    """
    at = c.dofs[i, CABLE]
    l, l_t = x[at], v[at]
    scale_parameters(c.rows[i], l)
    p = read_row(c, m, x, v, i)
    # slopes are multiplied by the length of the cable, which grows at the relative rate l_t/l
    q, w, s = p.q, p.w, l_t / l
    w = (
        w[0], w[1], w[2], w[3] + s * q[3], w[4] + s * q[4], w[5] + s * q[5],
        w[6], w[7], w[8], w[9] + s * q[9], w[10] + s * q[10], w[11] + s * q[11],
    )  # fmt: skip
    return WinchSurfaceRow(SurfaceRow(p.law, p.rope_radius, p.o, p.marker, p.surface, q, w, p.length), l, l_t)


@kernel(inline=True)
def plain_winch_row(r: WinchSurfaceRow) -> SurfaceRow:
    """Return the `SurfaceRow` that is part of the data of a row of a winch rope."""
    return r.plain


@kernel(inline=True)
def find_winch_point(c: ContactRows, r: WinchSurfaceRow, i: int, k: int, g: Any) -> tuple[Four, Lever, Distance]:
    """Return the result of `find_point` for point k of row i. The cable of the row belongs to a winch rope."""
    return find_point(c, r.plain, k, c.rows[i].points)


@kernel(inline=True)
def find_material(row: Any, r: WinchSurfaceRow, k: int) -> WinchMaterial:
    """Return the material at point k."""
    s, h, q, il = relative_place(k, row.points), r.plain.length, r.plain.q, 1.0 / r.l
    S, dS = shape(s, h), shape_slope(s, h)
    slope = eval_axis(dS, q)
    rl = il * (S[1] * q[3] + S[3] * q[9]), il * (S[1] * q[4] + S[3] * q[10]), il * (S[1] * q[5] + S[3] * q[11])
    return WinchMaterial(
        S, dS, 1.0 - row.begin - row.share * s, rl, slope, to_surface(r.plain.o, slope[0], slope[1], slope[2])
    )


@kernel(inline=True)
def eval_winch_forces(
    r: WinchSurfaceRow, h: Distance, z: Lever, t: WinchMaterial, state: float, anchor: Vector, paid: float, roll: Roll
) -> WinchForces:
    """Return the forces of a closed point; ``paid`` is l - l_0 [m], and ``roll`` is the turn of the rope."""
    law: PointLaw = r.plain.law
    n, V, T = (h.nx, h.ny, h.nz), (z.U, z.V, z.W), t.T
    gap, vn = h.phi - r.plain.rope_radius, dot(n, V)
    U = combine(1.0, V, r.l_t * t.a, T)
    way = combine(1.0, (z.X - anchor[0], z.Y - anchor[1], z.Z - anchor[2]), paid * t.a, T)
    fn, vt = eval_normal_force(law, gap, vn), combine(1.0, across(h, dot(n, U), U), -1.0, roll.rate)
    u = combine(1.0, across(h, dot(n, way), way), -1.0, roll.way)
    still, f = rests(z) and r.l_t == 0.0 and dot(roll.rate, roll.rate) == 0.0, no_friction()
    acts = state >= 0.0 and law.friction_coefficient != 0.0 and (state != TOUCHES or still)
    if acts:
        f = rub(law, u, vt, fn, state == SLIPS, TURNING if still else 0.0)
    return WinchForces(PointForces(fn, f, gap, vn, vt, u), U, way, paid, acts)


@kernel(inline=True)
def find_anchor(row: Any, k: int, data: FloatArray, start: FloatArray) -> tuple[Vector, float]:
    """Return the anchor and l_0 at the start of the step if point k was closed then, otherwise the current values."""
    n, first = row.points, row.data
    held, at = start[first + n + k] != UNDEFINED, first + 2 * n + 3 * k
    a, b, l_a, l_b = read_three(start, at), read_three(data, at), start[row.last], data[row.last]
    return a if held else b, l_a if held else l_b


@kernel(inline=True)
def eval_closed_winch(
    row: Any, r: WinchSurfaceRow, h: Distance, z: Lever, t: WinchMaterial, k: int, data: FloatArray, start: FloatArray
) -> WinchForces:
    """Return the forces of closed point k. If the point was closed at the start of the step, use the anchor and l_0 of
    that time, otherwise the current values.
    """
    anchor, l_0 = find_anchor(row, k, data, start)
    state = read_state(data, start, row.data, row.points, k, r.plain.law.friction_stiffness)
    return eval_winch_forces(r, h, z, t, state, anchor, r.l - l_0, NO_ROLL)


@kernel(inline=True)
def eval_on_length(row: Any, t: WinchMaterial, F: WinchForces) -> float:
    """Return the force [N] on l without the term F.r_l: V_s/l + a f_t.T."""
    p: PointForces = F.point
    force: float = 0.5 * row.stiffness * p.gap * p.gap + t.a * dot(p.f.force, t.T)
    return force


@kernel
def scale_rows(c: ContactRows, x: FloatArray) -> None:
    """Write the parameters of all rows at the present length of the rope into their records."""
    for i in range(len(c.rows)):
        scale_parameters(c.rows[i], x[c.dofs[i, CABLE]])


@kernel(inline=True)
def move_anchor(c: ContactRows, surface: int, anchor: Vector, way: Vector) -> Vector:
    """Return the anchor that has moved by ``way`` [m], with an unchanged distance from the surface. All vectors are in
    the frame of the surface.
    """
    if way[0] == 0.0 and way[1] == 0.0 and way[2] == 0.0:
        return anchor
    s, new = c.surfaces, combine(1.0, anchor, 1.0, way)
    old = eval_distance(s.kind, s.geo, s.pieces, surface, anchor[0], anchor[1], anchor[2])
    h = eval_distance(s.kind, s.geo, s.pieces, surface, new[0], new[1], new[2])
    back = old.phi - h.phi if old.there and h.there else 0.0
    return combine(1.0, new, back, (h.nx, h.ny, h.nz))
