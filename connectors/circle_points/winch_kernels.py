"""Contact of a circle with points of a cable of a winch rope: geometry, forces, outputs.

A cable covers the shares σ0 to σ0 + Δ of the length l of the rope. Its n points have the constant positions ξ_i = (i +
1/2)/n on the cable. Each point represents the length Δ l/n of the rope. If l changes, this length also changes. The
material moves through the points. S_i are the shape functions, T = r', and a = 1 - σ with σ = σ0 + Δ ξ (see
elements/cable/winch_points.py). For a point,

    velocity of the point: p_t = Σ S_i v_i + l_t r_l,    r_l = Σ p_i S_i q_i/l
    velocity of the material: u = p_t + l_t a T = Σ S_i v_i + l_t w,    w = r_l + a T
    geometry: d = p - c,   D = |d|,   n = d/D from circle to cable,   t = [-n_y, n_x],   g = D - r
    rates: v_n = (p_t - v_c).n is the rate of g,    v_t = (u - v_c).t - ω D is the slip velocity of the material
    normal force: f_n = k_c g + d_c v_n
    friction: f_t = mu_v v_t + mu_k (r/D) b while the point sticks, mu |f_n| s with s = +-1 while it slips

The circle has the centre c with the velocity v_c, the angular velocity ω and the radius r. The parameters k_c, d_c,
mu_v and mu_k of a point are proportional to l. The left-hand side of the equations of motion contains

    nodes    S_i (f_n n + f_t t),        l    f_n n.r_l + V/l + f_t t.w,        circle    -(f_n n + f_t t), -D f_t

The springs of the normal forces have the energy V = k_c g²/2. Their forces are the derivatives of V at constant ξ. The
forces of the elastic energy of the rope are defined in the same way. The virtual displacement of the material is Σ S_i
δq_i + w δl. Therefore the friction does the work f_t t.w δl on the length of the rope. The power of the forces is f_n
v_n + V l_t/l + f_t v_t.

The bristle of a point sticks to the material. Its deflection is b = wrap(r α - anchor) + (r/D) (t.T) a (l - l_0). The
first term is the displacement of the point along the circle since the last update. The second term is the displacement
of the material relative to the point due to the change l - l_0, where l_0 is the length of the rope at the last update.
Therefore b_t = (r/D) v_t.

History values of a row with n points: n gaps, n states (0 sticks, +-1 slips, -2 open or without friction), n anchors
[m], and l_0 [m].

Source: penalty in points and radial return, P. Wriggers, Computational Contact Mechanics, Springer (2006); virtual
power of material that moves through a mesh: H. Irschik, H. J. Holl, Acta Mechanica 153 (2002) 231-248.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.circle_points.kernels import arc_position, combine, gather
from windlass.connectors.contact.account import OPEN
from windlass.connectors.contact.arctangent import wrap
from windlass.connectors.contact.circles import Disc, create_pose
from windlass.connectors.contact.lanes import Eight
from windlass.connectors.contact.law import PointLaw, eval_normal_force, rub_along
from windlass.connectors.contact.place_numbers import write_forces, write_place
from windlass.connectors.contact.power import GAP, NUMBERS, PRESSING, STATE, clear_place
from windlass.connectors.contact.power import write_place as write_powers
from windlass.connectors.contact.rows import relative_place
from windlass.connectors.contact.update import touches
from windlass.connectors.friction.bristle import SLIPS, STICKS, UNDEFINED
from windlass.connectors.markers.position_kernels import PositionMarkers
from windlass.elements.cable.points import Four, shape, shape_slope
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.gaps import note_gap, note_way

CABLE = 9
"""Number of coordinates of a cable: eight of its nodes, and the length l of the rope."""
WAYS = 4.0
"""Distance of a circle from the cable, divided by the displacement of the cable in the step [1]. Up to this value, the
circle is examined.
"""


class WinchRows(NamedTuple):
    """Data of the rows of the law for kernels.

    Attributes:
        rows: records, shape (rows,). ``circle`` is the index of the marker among the markers of its family, ``data``
            the index of the first history value, ``segments`` the number n of points, ``begin`` σ0 [1] and ``share`` Δ
            [1]. ``stiffness``, ``damping``, ``rubbing`` and ``bristle`` are k_c, d_c, mu_v and mu_k of a point divided
            by l. ``length`` is the length of rope that a point represents in the reference configuration [m];
            ``contact_stiffness`` and ``friction_stiffness`` [N/m] are the stiffnesses of a point in this configuration.
            ``rope`` is l in the last update [m]. Further fields are ``radius`` [m], ``friction_coefficient`` [1],
            ``clip_normal_force`` and ``active``.
        dofs: process-local indices of the coordinates of the cable (`CABLE`) and of the circle, shape (rows, 9 + m).
    """

    rows: NDArray[Any]
    dofs: IntArray


class WinchRow(NamedTuple):
    """A row: the law of its points, the pose of its circle, the coordinates of the nodes and their rates, the length l
    of the rope [m], its rate, and l - l_0 [m].
    """

    law: PointLaw
    o: Disc
    radius: float
    q: Eight
    w: Eight
    l: float
    l_t: float
    paid: float
    h: float


class WinchPlace(NamedTuple):
    """Contact of one point. The fields are the shape functions S and their derivatives dS along the rope, the factor a,
    the distance D, the normal n and the position p of the point, the vectors r_l and T, the velocities p_t - v_c (ex,
    ey) and u - v_c (ux, uy), the velocities v_n and v_t, the forces f_n and f_t, the deflection b of the bristle, and
    the derivative (r/D) (t.T) a of b with respect to l at a fixed point.
    """

    S: Four
    dS: Four
    a: float
    D: float
    nx: float
    ny: float
    px: float
    py: float
    lx: float
    ly: float
    Tx: float
    Ty: float
    ex: float
    ey: float
    ux: float
    uy: float
    vn: float
    vt: float
    fn: float
    ft: float
    bend: float
    way: float


@kernel(inline=True)
def count_winch_points(row: Any) -> int:
    """Return the number of points of a row. The number is 0 for an inactive row."""
    return row.segments if row.active else 0


@kernel(inline=True)
def read_winch_row(
    c: WinchRows, circle: PositionMarkers, data: FloatArray, x: FloatArray, v: FloatArray, i: int
) -> WinchRow:
    """Return the `WinchRow` of row i for the history values ``data``."""
    row, at = c.rows[i], c.dofs[i, 8]
    l, l_t = x[at], v[at]
    law = PointLaw(
        row.stiffness * l, row.damping * l, 0.0, row.rubbing * l, row.bristle * l, row.friction_coefficient,
        row.clip_normal_force,
    )  # fmt: skip
    o = create_pose(circle.position, circle.velocity, circle.angular_velocity, circle.rotation, row.circle)
    paid = l - data[row.data + 3 * row.segments]
    return WinchRow(law, o, row.radius, gather(x, c.dofs, i), gather(v, c.dofs, i), l, l_t, paid, row.share * l)


@kernel(inline=True)
def eval_winch_place(row: Any, r: WinchRow, k: int, state: float, anchor: float) -> WinchPlace:
    """Evaluate point k of a row for a contact state and an anchor."""
    s = relative_place(k, row.segments)
    S, dS, a = shape(s, r.h), shape_slope(s, r.h), 1.0 - row.begin - row.share * s
    q, o = r.q, r.o
    px, py = combine(S, q)
    Tx, Ty = combine(dS, q)
    lx, ly = (S[1] * q[2] + S[3] * q[6]) / r.l, (S[1] * q[3] + S[3] * q[7]) / r.l
    ex, ey = combine(S, r.w)
    ex, ey = ex + r.l_t * lx - o.vx, ey + r.l_t * ly - o.vy
    ux, uy = ex + r.l_t * a * Tx, ey + r.l_t * a * Ty
    dx, dy = px - o.cx, py - o.cy
    D = np.sqrt(dx * dx + dy * dy)
    inverse = 1.0 / D if D > 0.0 else 0.0
    nx, ny = dx * inverse, dy * inverse
    vn, vt = ex * nx + ey * ny, uy * nx - ux * ny - o.omega * D
    fn = eval_normal_force(r.law, D - r.radius, vn)
    way = r.radius * inverse * a * (nx * Ty - ny * Tx)
    bend = 0.0
    if state == STICKS and r.law.friction_coefficient != 0.0:
        bend = wrap(arc_position(o, dx, dy, r.radius) - anchor, r.radius) + way * r.paid
    ft = rub_along(r.law, state, r.law.friction_stiffness * r.radius * inverse, bend, vt, fn)
    return WinchPlace(S, dS, a, D, nx, ny, px, py, lx, ly, Tx, Ty, ex, ey, ux, uy, vn, vt, fn, ft, bend, way)


@kernel
def add_residual(
    c: WinchRows, circle: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    f: FloatArray,
) -> None:  # fmt: skip
    """Add the contact forces of all rows at the coordinates x and the velocities v to f. The forces have the sign of
    the left-hand side of the equations of motion.
    """
    J, Jr = circle.jacobian, circle.rotation_jacobian
    for i in range(len(c.rows)):
        row, to = c.rows[i], c.dofs[i]
        n, first, ci = row.segments, row.data, row.circle
        if not row.active or not touches(data, first, n):
            continue
        r = read_winch_row(c, circle, data, x, v, i)
        for k in range(n):
            if data[first + k] > 0.0:
                continue
            z = eval_winch_place(row, r, k, data[first + n + k], data[first + 2 * n + k])
            gap, tx, ty = z.D - r.radius, -z.ny, z.nx
            fx, fy, torque = z.fn * z.nx + z.ft * tx, z.fn * z.ny + z.ft * ty, z.D * z.ft
            for j in range(4):
                f[to[2 * j]] += z.S[j] * fx
                f[to[2 * j + 1]] += z.S[j] * fy
            f[to[8]] += fx * z.lx + fy * z.ly + z.ft * z.a * (tx * z.Tx + ty * z.Ty) + 0.5 * row.stiffness * gap * gap
            for b in range(c.dofs.shape[1] - CABLE):
                f[to[CABLE + b]] -= J[ci, 0, b] * fx + J[ci, 1, b] * fy + Jr[ci, 2, b] * torque


@kernel
def fill_outputs(
    c: WinchRows, circle: PositionMarkers, data: FloatArray, x: FloatArray, v: FloatArray, out: FloatArray
) -> None:
    """Write the output quantities of all points into out, shape (rows, points, NUMBERS), see
    `contact/place_numbers.py`.
    """
    for i in range(len(c.rows)):
        row, r = c.rows[i], read_winch_row(c, circle, data, x, v, i)
        n, first = row.segments, row.data
        for k in range(n):
            state = data[first + n + k]
            z = eval_winch_place(row, r, k, state, data[first + 2 * n + k])
            gap = z.D - r.radius
            if row.active and data[first + k] <= 0.0:
                bristle = z.bend if r.law.friction_stiffness != 0.0 else z.vt
                write_forces(out[i, k], z.ft, z.fn, bristle if state == STICKS else 0.0, gap, z.vt, z.vn)
            write_place(out[i, k], gap, state, z.px, z.py, z.nx, z.ny)


@kernel
def fill_winch_powers(
    c: WinchRows, circle: PositionMarkers, data: FloatArray, x: FloatArray, v: FloatArray, out: FloatArray
) -> None:
    """Write the quantities of all points into out, shape (rows, points, NUMBERS + 1). The quantities are defined in
    `contact/power.py`. The last quantity is l. If l changes, the length of rope that a point represents changes. The
    change of the length also changes the energy of the bristle of a sticking point. This change of energy is counted as
    a loss of the bristles.
    """
    for i in range(len(c.rows)):
        row, r = c.rows[i], read_winch_row(c, circle, data, x, v, i)
        n, first, law, here = row.segments, row.data, r.law, out[i]
        for k in range(out.shape[1]):
            here[k, NUMBERS] = r.l
            if here[k, STATE] != OPEN:
                clear_place(here[k])
            if k >= n:
                continue
            state = data[first + n + k]
            z = eval_winch_place(row, r, k, state, data[first + 2 * n + k])
            gap = z.D - r.radius
            if row.active and data[first + k] <= 0.0:
                # the bristle of a slipping point has the deflection at which its force is f_t
                bristle, rubs = z.bend, state == STICKS and law.friction_coefficient != 0.0
                if abs(state) == SLIPS and law.friction_stiffness != 0.0:
                    bristle = z.ft * z.D / (law.friction_stiffness * r.radius)
                damping = law.friction_velocity_penalty * z.vt * z.vt if rubs else 0.0
                bent = 0.5 * law.friction_stiffness * bristle * bristle
                write_powers(here[k], law, gap, z.vn, z.fn, state, z.ft * z.vt, damping, 0.0, bent)
                here[k, PRESSING] += 0.5 * row.stiffness * gap * gap * r.l_t
            here[k, GAP] = gap


@kernel
def fill_winch_gaps(
    c: WinchRows, circle: PositionMarkers, data: FloatArray, x: FloatArray, v: FloatArray, size: FloatArray,
    numbers: FloatArray, near: IntArray,
) -> None:  # fmt: skip
    """Write the gap quantities of points into ``numbers``, row by row. Inactive rows, and rows that are too far from
    their circles to touch in this step, are skipped.

    size: size of the step [s], shape (1,).
    """
    first, count = 0, 0
    for i in range(len(c.rows)):
        row = c.rows[i]
        n, at = row.segments, first
        first += n
        r = read_winch_row(c, circle, data, x, v, i)
        # the row is skipped if its first node is too far from the circle; a margin accounts for points closer to the
        # circle than this node
        mx, my, wx, wy = r.q[0] - r.o.cx, r.q[1] - r.o.cy, r.w[0] - r.o.vx, r.w[1] - r.o.vy
        reach = r.radius + 1.5 * r.h + WAYS * size[0] * (np.sqrt(wx * wx + wy * wy) + abs(r.l_t))
        if not row.active or mx * mx + my * my > reach * reach:
            continue
        for k in range(n):
            z = eval_winch_place(row, r, k, UNDEFINED, 0.0)
            to = numbers[at + k]
            note_gap(to, z.D - r.radius, z.vn, np.sqrt(z.ex * z.ex + z.ey * z.ey))
            note_way(to, r.radius, z.D * z.nx, z.D * z.ny, 0.0)
            count += 1
            near[count] = at + k
    near[0] = count
