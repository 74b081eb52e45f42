"""Contact of a circle with points on the cubic axis of a cable: geometry, forces, history, outputs.

The reference length L of a cable is divided into n equal parts. The point in the middle of part i represents this part:

    position: xi_i = (i + 1/2) L/n,    p = r(xi_i) + y m,    m = [-r'_y, r'_x]/|r'|, at the offset y of the contact line
    normal: d = p - c,   D = |d|,   n = d/D from circle to cable,   t = [-n_y, n_x],   g = D - r
    velocities: v_n = (v - v_c).n,    v_t = (v - v_c).t - omega D, relative to the point of the rotating body at p
    normal force: f_n = k_c g + d_c v_n
    friction: f_t = mu_v v_t + mu_k (r/D) u if the point sticks, mu |f_n| s with s = +-1 if it slips

The circle has the centre c with the velocity v_c, the rotation matrix A, the angular velocity omega and the radius r.
The parameters k_c, d_c, mu_v, mu_k are values for one part. The left-hand side of the equations of motion contains the
force f_n n + f_t t at p for the cable, and the reaction -(f_n n + f_t t) with the torque -D f_t for the circle.
Therefore the sums of forces and of moments are 0, and the total power is f_n v_n + f_t v_t.

The press F of a cable is its tension minus rhoA v², where rhoA is its mass per length and v its speed. For a row with a
press, the circle is enlarged by F/(k r), where k is the contact stiffness k_c divided by the length L/n. Therefore D =
r if the cable is in equilibrium, see `update.py`. For such a row, d_c is multiplied by min(1, depth/depth_0), where
depth is the penetration of the enlarged circle. Therefore f_n is continuous when a point touches. In equilibrium the
depth is F/(k r), and depth_0 is half of this depth. If the cord lies above the contact face, r is the sum of the radius
of the face and the cord offset. All quantities refer to this radius of the cord. The coefficient mu is the friction
coefficient of the face times the radius of the face divided by r.

All bristles of a cable have the common deflection u. The deflection u is the mean displacement of the points of the
cable since they began to stick. With m closed points and the set S of sticking points, u is

    u = (m/n) mean of u_k over S, u_k = wrap(r alpha_k - anchor_k), alpha: angle of A^T n.

The function wrap subtracts whole circumferences 2 pi r. The bristles of open points have no deflection. While a cubic
is bent onto a circle, its points move along the circle by up to l³/(192 R²) in both directions. In the mean, most of
this motion cancels. Without the mean, this motion would deflect individual bristles. Since u_k,t = (r/D) v_t, the power
of the |S| sticking points equals the rate of mu_k (n/m) |S| u²/2.

History values of a row with n points: n gaps, n states (0 sticks, +-1 slips, -2 open or without friction), and n
anchors. An anchor is the arc position r alpha on the circle at which a bristle is fixed. Without bristles the anchor is
the arc position of the point. `update.py` changes history values between Newton runs and, if a row has a press, within
Newton runs.

Source: quadrature of a penalty along the contact line and radial return, P. Wriggers, Computational Contact Mechanics,
Springer (2006); one value per element for the sticking parts: J. C. Simo, P. Wriggers, R. L. Taylor, A perturbed
Lagrangian formulation for the finite element solution of contact problems, Comput. Methods Appl. Mech. Eng. 50 (1985)
163-180; damping that increases with the depth: K. H. Hunt, F. R. E. Crossley, J. Appl. Mech. 42 (1975) 440-445.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.contact.arctangent import arctan2, wrap
from windlass.connectors.contact.axes import to_cubic_eight
from windlass.connectors.contact.circles import Disc, create_pose
from windlass.connectors.contact.lanes import Eight
from windlass.connectors.contact.law import PointLaw, eval_normal_force, read_law, rub_along
from windlass.connectors.contact.place_numbers import write_forces, write_place
from windlass.connectors.contact.rows import relative_place
from windlass.connectors.contact.update import point_values, touches
from windlass.connectors.friction.bristle import STICKS, UNDEFINED
from windlass.connectors.markers.position_kernels import PositionMarkers
from windlass.elements.cable.points import Four, shape, shape_slope
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel

PRESS, RUBS, PRESSED, WAY, STRETCHED, LATEST, WAVE, WAVES = range(8)
"""Indices of the further history values of a row with a press. PRESS: F minus the initial press, for the next Newton
run [N]. RUBS: whether the cable has friction: `COMES`, `READY` or `LAID`. PRESSED: F minus the initial press in the
previous Newton run, from which outputs compute forces [N]. WAY: displacement of the cable before it reaches a circle
with a rigid layer [m]. STRETCHED: integral of the stretch of the cable over the displacement WAY [m]. LATEST: stretch
of the cable at the end of the previous step [1]. WAVE, WAVES: mean w of the waves of the stretch [1], and number of
cables in this mean, see `layers.py`. Rows on elastic layers store other values, see `layers.py`.
"""
COMES, READY, LAID = 0.0, 0.5, 1.0
"""Possible values of the history value RUBS. COMES: the cable is moving onto the circle and has no friction yet. READY:
friction begins in the next step. LAID: the points that touch the circle have friction.
"""
FADING = 0.5
"""Depth divided by F/(k r) [1]. Above this value, the full damping acts."""


class PointRows(NamedTuple):
    """Data of the rows of the law for kernels.

    Attributes:
        rows: records, shape (rows,). ``circle`` is the index of the marker among the markers of its family, ``data``
            the index of the first history value, ``segments`` the number of points. For one point ``contact_stiffness``
            is in N/m, ``contact_damping`` in N s/m, ``friction_velocity_penalty`` in N s/m, ``friction_stiffness`` in
            N/m, and ``length`` is the reference length that the point represents [m]. ``friction_coefficient`` [1]
            applies at the cord. ``radius`` [m] is the radius of the circle, or of the cord if the cord lies above the
            face. ``press`` is the initial press of the row [N], 0 for a circle that is not enlarged.
            ``axial_stiffness`` [N], ``reference_strain`` [1], ``mass_per_length`` [kg/m] and ``bending_stiffness`` [N
            m²] are values of the cable. ``beside`` contains the rows of the cables before and after this cable. The
            value is -1 if there is no such cable. Further fields are the columns ``vertical_offset`` [m],
            ``clip_normal_force``, ``rigid_layer`` and ``active`` of the law.
        dofs: process-local indices of the coordinates of the cable (8) and of the circle (m), shape (rows, 8 + m).
            Beams have the positions of four nodes instead of positions and slopes of two nodes.
        H: matrices of the axes of beams, see `contact/axes.py`.
        others: results of `read_anchor` for k rows of other processes, shape (k, 5). The indices of these rows follow
            the indices of the rows of this process.
    """

    rows: NDArray[Any]
    dofs: IntArray
    H: FloatArray
    others: FloatArray


class PointParameters(NamedTuple):
    """Parameters of one row, see `PointRows`: parameters of a point, the radius [m], and the enlargement of the circle
    [m].
    """

    law: PointLaw
    radius: float
    grown: float


class CircleRow(NamedTuple):
    """A row: its parameters, the pose and the marker of its circle, the coordinates of its cable and their rates, the
    offset y and the reference length L [m], and the results of `eval_bristles`.
    """

    par: PointParameters
    o: Disc
    marker: int
    q: Eight
    w: Eight
    offset: float
    length: float
    bend: float
    share: float


class AxisPoint(NamedTuple):
    """Position and velocity of a point of the contact line. For points at an offset, the slope r' and its rate r'_t are
    also given. All fields are scalars, in global x and y.
    """

    px: float
    py: float
    vx: float
    vy: float
    rx: float
    ry: float
    sx: float
    sy: float


class PointState(NamedTuple):
    """Contact of one point: the distance D, the normal n, the velocities of the point relative to the centre (un, ut)
    and to the surface of the circle (vt), the forces f_n and f_t, and the deflection u of the bristles.
    """

    D: float
    nx: float
    ny: float
    un: float
    ut: float
    vt: float
    fn: float
    ft: float
    bristle: float


# All kernels, with scalar or vectorised loops, compute exactly the same position of a point. Therefore the bristles of
# points that have just touched have no deflection, and stored gaps equal the gaps in outputs.


@kernel(inline=True)
def gather(values: FloatArray, dofs: IntArray, i: int) -> Eight:
    """Return the elements of ``values`` at the indices of the 8 coordinates of the cable in row i."""
    return (
        values[dofs[i, 0]], values[dofs[i, 1]], values[dofs[i, 2]], values[dofs[i, 3]],
        values[dofs[i, 4]], values[dofs[i, 5]], values[dofs[i, 6]], values[dofs[i, 7]],
    )  # fmt: skip


@kernel(inline=True)
def read_axis(c: PointRows, values: FloatArray, i: int) -> Eight:
    """Return the coordinates of the axis of row i, or their rates, from the array ``values`` of all coordinates or
    rates."""
    return to_cubic_eight(c.H, i, gather(values, c.dofs, i))


@kernel(inline=True, fast=False)
def combine(S: Four, q: Eight) -> tuple[float, float]:
    """Return x and y of the sum of the products S_a q_a of the shape functions S and the coordinates q of a cable."""
    x = S[0] * q[0] + S[1] * q[2] + S[2] * q[4] + S[3] * q[6]
    y = S[0] * q[1] + S[1] * q[3] + S[2] * q[5] + S[3] * q[7]
    return x, y


@kernel(inline=True, fast=False)
def eval_point(S: Four, dS: Four, y: float, q: Eight, w: Eight) -> AxisPoint:
    """Evaluate the point at the distance y from the axis. S are the shape functions at this point, q are the
    coordinates of the cable, and w are the rates of these coordinates.
    """
    px, py = combine(S, q)
    vx, vy = combine(S, w)
    rx, ry, sx, sy = 0.0, 0.0, 0.0, 0.0
    if y != 0.0:
        rx, ry = combine(dS, q)
        sx, sy = combine(dS, w)
        l = np.sqrt(rx * rx + ry * ry)
        yw = y * (rx * sy - ry * sx) / (l * l * l)
        px, py, vx, vy = px - y * ry / l, py + y * rx / l, vx - yw * rx, vy - yw * ry
    return AxisPoint(px, py, vx, vy, rx, ry, sx, sy)


@kernel(inline=True)
def eval_growth(row: Any, data: FloatArray, place: int) -> float:
    """Return the enlargement F/(k r) [m] of the circle of a row, with the press F, the contact stiffness k and the
    radius r. Without a press, return 0. The argument ``place`` is `PRESS` or `PRESSED`, which is the index of the
    history value from which F is read.
    """
    if row.press == 0.0 or row.contact_stiffness == 0.0:
        return 0.0
    press = row.press + data[row.data + 3 * row.segments + place]
    growth: float = max(press, 0.0) * row.length / (row.contact_stiffness * row.radius)
    return growth


@kernel(inline=True)
def eval_stretch(row: Any, q: Eight) -> float:
    """Return the mean stretch [1] of the cable of a row."""
    L, total = row.length * row.segments, 0.0
    for k in range(3):
        rx, ry = combine(shape_slope(0.5 * k, L), q)
        total += (4.0 if k == 1 else 1.0) * np.sqrt(rx * rx + ry * ry)
    stretch: float = total / 6.0
    return stretch


@kernel(inline=True)
def eval_press(row: Any, o: Disc, q: Eight, w: Eight) -> float:
    """Return the press F = N - rhoA v² [N] of the cable of a row. The tension N follows from the mean strain, rhoA is
    the mass per length of the stretched cable, and v is the speed of the middle of the cable about the centre.
    """
    L, stretch = row.length * row.segments, eval_stretch(row, q)
    px, py = combine(shape(0.5, L), q)
    vx, vy = combine(shape(0.5, L), w)
    dx, dy, ux, uy = px - o.cx, py - o.cy, vx - o.vx, vy - o.vy
    square = dx * dx + dy * dy
    along = dx * uy - dy * ux
    speed = along * along / square if square > 0.0 else 0.0
    strain = stretch - 1.0 - row.reference_strain
    press: float = row.axial_stiffness * strain - row.mass_per_length * speed / stretch
    return press


@kernel(inline=True)
def read_parameters(row: Any, data: FloatArray, place: int) -> PointParameters:
    """Read the parameters of a row. The argument ``place`` is explained in `eval_growth`."""
    grown = eval_growth(row, data, place)
    return PointParameters(read_law(row, FADING * grown), row.radius, grown)


@kernel(inline=True, fast=False)
def arc_position(o: Disc, nx: float, ny: float, r: float) -> float:
    """Return the arc position r alpha [m] on the circle, with the angle alpha of the direction (nx, ny), which need not
    be a unit vector.
    """
    arc: float = r * arctan2(o.a01 * nx + o.a11 * ny, o.a00 * nx + o.a10 * ny)
    return arc


@kernel(inline=True)
def eval_bristles(
    par: PointParameters, o: Disc, y: float, q: Eight, w: Eight, data: FloatArray, first: int, n: int, L: float
) -> tuple[float, float]:
    """Return the deflection u [m] of the bristles of a cable, and the derivative [1] of u with respect to the
    displacement of one sticking point.
    """
    if par.law.friction_coefficient == 0.0 or par.law.friction_stiffness == 0.0:
        return 0.0, 0.0
    total, closed, sticking = 0.0, 0, 0
    for k in range(n):
        state = data[first + n + k]
        if data[first + k] > 0.0 or state == UNDEFINED:
            continue
        closed += 1
        if state == STICKS:
            s = relative_place(k, n)
            p = eval_point(shape(s, L), shape_slope(s, L), y, q, w)
            total += wrap(arc_position(o, p.px - o.cx, p.py - o.cy, par.radius) - data[first + 2 * n + k], par.radius)
            sticking += 1
    if sticking == 0:
        return 0.0, 0.0
    share = closed / (n * sticking)
    return share * total, share


@kernel(inline=True)
def read_row(
    c: PointRows, circle: PositionMarkers, data: FloatArray, x: FloatArray, v: FloatArray, i: int, place: int
) -> CircleRow:
    """Return the `CircleRow` of row i. The argument ``place`` is explained in `eval_growth`."""
    row = c.rows[i]
    n, par, y, L = row.segments, read_parameters(row, data, place), row.vertical_offset, row.length * row.segments
    o = create_pose(circle.position, circle.velocity, circle.angular_velocity, circle.rotation, row.circle)
    q, w = read_axis(c, x, i), read_axis(c, v, i)
    bend, share = eval_bristles(par, o, y, q, w, data, row.data, n, L)
    return CircleRow(par, o, row.circle, q, w, y, L, bend, share)


@kernel(inline=True)
def find_point(r: CircleRow, k: int, n: int) -> AxisPoint:
    """Evaluate point k of n points of a row."""
    s = relative_place(k, n)
    return eval_point(shape(s, r.length), shape_slope(s, r.length), r.offset, r.q, r.w)


@kernel(inline=True)
def count_points(row: Any) -> int:
    """Return the number of points of a row. The number is 0 for an inactive row."""
    return row.segments if row.active else 0


@kernel(inline=True)
def find_values(row: Any, k: int) -> tuple[int, int, float]:
    """Return the indices of the gap and of the state of point k among the history values, and the normal stiffness of
    the point [N/m], see `create_update`.
    """
    return point_values(row, k, row.segments)


@kernel(inline=True)
def was_held(state: float, old: float) -> bool:
    """Return whether the displacement of a point since the start of the step contributes to the deflection of the
    bristles: the point had friction at the start, and sticks or stuck until it opened. The arguments are the present
    state and the state at the start of the step.
    """
    return bool(old != UNDEFINED and (state == STICKS or (state == UNDEFINED and old == STICKS)))


@kernel(inline=True)
def count_states(row: Any, data: FloatArray, start: FloatArray) -> tuple[int, int, int, bool]:
    """Return four values of a row: the numbers of points with friction at present and at the start of the step, the
    number of points of `was_held`, and whether anchors at the start of the step determine the deflection of the
    bristles in another way than the present anchors do.
    """
    n, first = row.segments, row.data
    closed, before, members, same = 0, 0, 0, True
    for k in range(n):
        state, old = data[first + n + k], start[first + n + k]
        belongs = was_held(state, old)
        closed, before, members = closed + (state != UNDEFINED), before + (old != UNDEFINED), members + belongs
        same &= belongs == (state == STICKS)
    return closed, before, members, not (same and closed == before)


@kernel(inline=True)
def eval_contact(par: PointParameters, o: Disc, z: AxisPoint, state: float, bend: float) -> PointState:
    """Return the geometry, rates and forces of a point for the stored contact state and the given deflection of the
    bristles.
    """
    dx, dy = z.px - o.cx, z.py - o.cy
    D = np.sqrt(dx * dx + dy * dy)
    inverse = 1.0 / D if D > 0.0 else 0.0
    nx, ny = dx * inverse, dy * inverse
    ux, uy = z.vx - o.vx, z.vy - o.vy
    un, ut = ux * nx + uy * ny, uy * nx - ux * ny
    vt = ut - o.omega * D
    law = par.law
    fn = eval_normal_force(law, D - par.radius - par.grown, un)
    bristle = bend if state == STICKS and law.friction_coefficient != 0.0 else 0.0
    ft = rub_along(law, state, law.friction_stiffness * par.radius * inverse, bristle, vt, fn)
    return PointState(D, nx, ny, un, ut, vt, fn, ft, bristle)


@kernel
def fill_outputs(
    c: PointRows, circle: PositionMarkers, data: FloatArray, x: FloatArray, v: FloatArray, out: FloatArray
) -> None:
    """Write the output quantities of all points into out, shape (rows, points, NUMBERS), see
    `contact/place_numbers.py`.
    """
    for i in range(len(c.rows)):
        row, r = c.rows[i], read_row(c, circle, data, x, v, i, PRESSED)
        n, first, par = row.segments, row.data, r.par
        for k in range(n):
            p, state = find_point(r, k, n), data[first + n + k]
            z = eval_contact(par, r.o, p, state, r.bend)
            gap = z.D - par.radius
            if row.active and data[first + k] <= 0.0:
                bristle = z.bristle if par.law.friction_stiffness != 0.0 else z.vt
                write_forces(out[i, k], z.ft, z.fn, bristle if state == 0.0 else 0.0, gap - par.grown, z.vt, z.un)
            write_place(out[i, k], gap, state, p.px, p.py, z.nx, z.ny)


@kernel
def fill_ends(c: PointRows, x: FloatArray, out: FloatArray) -> None:
    """Write the ends [m] of the parts on the contact line into out, in global x and y, shape (rows, points + 1, 2)."""
    for i in range(len(c.rows)):
        row = c.rows[i]
        n, y, q = row.segments, row.vertical_offset, read_axis(c, x, i)
        for k in range(n + 1):
            s, L = k / n, row.length * n
            p = eval_point(shape(s, L), shape_slope(s, L), y, q, q)
            out[i, k, 0], out[i, k, 1] = p.px, p.py


@kernel
def add_torques(
    c: PointRows, circle: PositionMarkers, data: FloatArray, x: FloatArray, v: FloatArray, owner: IntArray,
    torque: FloatArray,
) -> None:  # fmt: skip
    """For each row i, add the torque [N m] of its cable on its circle, about the centre of the circle, to
    ``torque[owner[i]]``. This torque is the sum of D f_t over all points, with the distance D and the friction f_t.
    """
    for i in range(len(c.rows)):
        row = c.rows[i]
        n, first = row.segments, row.data
        if not row.active or not touches(data, first, n):
            continue
        r = read_row(c, circle, data, x, v, i, PRESSED)
        for k in range(n):
            if data[first + k] <= 0.0:
                z = eval_contact(r.par, r.o, find_point(r, k, n), data[first + n + k], r.bend)
                torque[owner[i]] += z.D * z.ft
