"""Exact tangent of the contact between a circle and points of a cable. The forces are explained in `kernels.py`.

The variables of one point are (d, phi), where d = p - c, and phi is the angle of the circle. The rates of the variables
are (u, omega). The force is F = f_n n + f_t t, and the prefix d denotes a variation. In the frame of n and t, where
theta is the angle of n,

    d D = n.dd,    d theta = t.dd/D,    d u_k = r (d theta - d phi),
    d v_n = n.du + (u.t) d theta,
    d v_t = t.du - v_n d theta - omega dD - D d omega,
    d F = d f_n n + d f_t t + (f_n t - f_t n) d theta,
    d(D f_t) = f_t dD + D d f_t.

Let G be the sum of du_k/dq over the sticking points. The tangent of the bristles is mu_k (G du/dq^T + u sum of
d²u_k/dq²). The second term is included in the tangent of each point. At constant history values, the deflection u of
the bristles of a cable is ``share`` times the sum of u_k over the sticking points. Therefore du/dq is ``share`` G. In a
dynamic step, u follows from the anchors at the start of the step. Then du/dq is different if points have touched or
opened, or if the cable has just moved onto the circle. These derivatives are computed by `fill_bend_slopes`. The sum
over points is explained in `contact/assembly.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.connectors.circle_points.kernels import (
    PRESS,
    AxisPoint,
    CircleRow,
    PointParameters,
    PointRows,
    PointState,
    combine,
    count_points,
    count_states,
    eval_contact,
    eval_point,
    find_point,
    read_row,
    was_held,
)
from windlass.connectors.circle_points.layers import comes_along, find_bend
from windlass.connectors.contact.assembly import add_offset_point, add_point, create_tangent
from windlass.connectors.contact.axes import spread_plane
from windlass.connectors.contact.circles import add_circle_curvature, is_central
from windlass.connectors.contact.law import eval_normal_slopes, eval_slopes_along
from windlass.connectors.contact.rows import relative_place
from windlass.connectors.contact.update import work_type
from windlass.connectors.friction.bristle import STICKS, UNDEFINED
from windlass.connectors.markers.cable_shape import eval_curvature, fill_point_jacobian
from windlass.connectors.markers.position_kernels import PositionMarkers
from windlass.elements.cable.points import Four, shape, shape_slope
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel


@kernel(inline=True)
def fill_point_tangent(
    par: PointParameters, z: PointState, state: float, omega: float, dq: float, dv: float, C: FloatArray, V: FloatArray
) -> None:
    """Write the derivatives of the force F and the torque D f_t of a point at constant deflection of the bristles. C is
    the sum of dq times the derivatives with respect to the position d and the angle phi of the circle, and dv times the
    derivatives with respect to their rates u and omega. V is dq times the derivatives with respect to u and omega. Both
    arrays have the shape (3, 3).

    The rows of the arrays are F_x, F_y and the torque D f_t. The columns are x, y and the angle.
    """
    D, nx, ny = z.D, z.nx, z.ny
    inverse = 1.0 / D if D > 0.0 else 0.0
    kc, dc = eval_normal_slopes(par.law, D - par.radius - par.grown, z.un, z.fn)
    slope, mu_v, mu_k = eval_slopes_along(par.law, state, z.fn)
    h = par.radius * inverse
    # derivatives of f_n and f_t with respect to the components of d and u along n and t
    fn_n, fn_t = kc, dc * z.ut * inverse
    ft_n = slope * fn_n - mu_v * omega - mu_k * h * z.bristle * inverse
    ft_t = slope * fn_t - mu_v * z.un * inverse
    V_tn, V_tt = slope * dc, mu_v
    # derivatives of normal force, tangential force and torque with respect to d, including the rotation of the frame
    nn, tn, mn = dq * fn_n + dv * dc, dq * ft_n + dv * V_tn, dq * (z.ft + D * ft_n) + dv * D * V_tn
    nt, tt = dq * (fn_t - z.ft * inverse), dq * (ft_t + z.fn * inverse) + dv * V_tt
    mt = dq * D * ft_t + dv * D * V_tt
    angle, rate = -dv * mu_v * D, -dq * mu_v * D
    rotate(nx, ny, nn, nt, tn, tt, mn, mt, C)
    rotate(nx, ny, dq * dc, 0.0, dq * V_tn, dq * V_tt, dq * D * V_tn, dq * D * V_tt, V)
    C[0, 2], C[1, 2], C[2, 2] = -ny * angle, nx * angle, D * angle
    V[0, 2], V[1, 2], V[2, 2] = -ny * rate, nx * rate, D * rate


@kernel(inline=True)
def rotate(
    nx: float, ny: float, nn: float, nt: float, tn: float, tt: float, mn: float, mt: float, C: FloatArray
) -> None:
    """Rotate derivatives from the frame n, t to global x, y, and write them into C (3, 2). The tangent direction is t =
    [-n_y, n_x].
    """
    n_x, n_y, t_x, t_y = nn * nx - nt * ny, nn * ny + nt * nx, tn * nx - tt * ny, tn * ny + tt * nx
    C[0, 0], C[0, 1] = nx * n_x - ny * t_x, nx * n_y - ny * t_y
    C[1, 0], C[1, 1] = ny * n_x + nx * t_x, ny * n_y + nx * t_y
    C[2, 0], C[2, 1] = mn * nx - mt * ny, mn * ny + mt * nx


@kernel(inline=True)
def add_way(J: FloatArray, r: float, z: PointState, G: FloatArray) -> None:
    """Add to G the derivatives of the displacement u_k of a point along the circle with respect to the 11 coordinates.
    These derivatives follow from the variation d u_k = (r/D) t.dd - r d phi. The docstring of this module defines the
    symbols.
    """
    h = r / z.D
    for b in range(8):
        G[b] += h * (z.nx * J[1, b] - z.ny * J[0, b])
    G[8] += h * z.ny
    G[9] -= h * z.nx
    G[10] -= r


WORK = work_type(
    C=(3, 3), V=(3, 3), X=(3, 11), J=(2, 8), Jd=(2, 8), shape=(1, 4), slope=(1, 4), way=(11,), G=(11,), U=(11,),
    share=(),
)  # fmt: skip
"""Work arrays of a row: C and V of `contact/assembly.py`, X, J and Jd of `add_offset_point`, shape functions and their
derivatives, the derivatives of u_k for one point, and the sum G. The derivatives of the deflection u are ``share`` G +
U.
"""


@kernel(inline=True)
def fill_jacobian(S: Four, dS: Four, y: float, p: AxisPoint, g: Any) -> None:
    """Write the Jacobian of the position of a point, and the time derivative of this Jacobian, into ``g.J`` and
    ``g.Jd``. If y = 0, only the Jacobian is written.
    """
    J = g.J
    if y == 0.0:
        for a in range(4):
            J[0, 2 * a], J[1, 2 * a + 1] = S[a], S[a]
            J[0, 2 * a + 1], J[1, 2 * a] = 0.0, 0.0
        return
    for a in range(4):
        g.shape[0, a], g.slope[0, a] = S[a], dS[a]
    fill_point_jacobian(J, g.Jd, 0, g.shape, g.slope, 0, y, p.rx, p.ry, p.sx, p.sy)


@kernel(inline=True)
def add_stretch(r: CircleRow, factor: float, U: FloatArray) -> None:
    """Add ``factor`` times the derivatives of the mean stretch of the cable, see `eval_stretch`, to U."""
    for k in range(3):
        dS = shape_slope(0.5 * k, r.length)
        rx, ry = combine(dS, r.q)
        weight = factor * (4.0 if k == 1 else 1.0) / (6.0 * np.sqrt(rx * rx + ry * ry))
        for a in range(4):
            U[2 * a] += weight * dS[a] * rx
            U[2 * a + 1] += weight * dS[a] * ry


@kernel(inline=True)
def fill_bend_slopes(c: PointRows, data: FloatArray, start: FloatArray, r: CircleRow, i: int, g: Any) -> None:
    """Write to ``g.U`` the derivatives of the deflection u of row i that the return map computes, and write 0 to
    ``g.share``. Nothing is written if the derivatives are equal to those at constant history values.

    For a cable that has just moved onto a circle with an elastic layer, the derivatives are set to 0, because u depends
    only on the speed of the cable. The neglected derivative with respect to the speed is of the order of the strain
    times the step size. If no point of `was_held` exists, the anchors do not depend on the start of the step, see
    `keep_anchors`, and the derivatives at constant history values are kept.
    """
    row = c.rows[i]
    n, first = row.segments, row.data
    _, before, members, differs = count_states(row, data, start)
    if not differs:
        return
    comes, factor = before == 0 and row.press != 0.0, 0.0
    if comes and row.rigid_layer:
        lies, _, _, _, by_stretch = find_bend(c, i, r.o, r.q, 0.0, start)
        if lies:
            factor = 1.0 / n
            add_stretch(r, by_stretch, g.U)
    elif comes:
        g.share = 0.0 if comes_along(row, start) else g.share
    elif members > 0:
        factor = before / (n * members)
    if factor == 0.0:
        return
    g.share, g.way[:] = 0.0, 0.0
    for k in range(n):
        state, old = data[first + n + k], start[first + n + k]
        if comes or was_held(state, old):
            s, p = relative_place(k, n), find_point(r, k, n)
            fill_jacobian(shape(s, r.length), shape_slope(s, r.length), r.offset, p, g)
            add_way(g.J, r.par.radius, eval_contact(r.par, r.o, p, UNDEFINED, 0.0), g.way)
    for a in range(11):
        g.U[a] += factor * g.way[a]


@kernel(inline=True)
def begin_row(
    c: PointRows, circle: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    maps: bool, i: int, g: Any,
) -> tuple[CircleRow, int, int]:  # fmt: skip
    """Return the data and the marker of row i, and ``whole``, see the argument ``begin`` of `create_tangent`."""
    r = read_row(c, circle, data, x, v, i, PRESS)
    g.G[:], g.U[:], g.share = 0.0, 0.0, r.share
    if maps and r.share != 0.0:
        fill_bend_slopes(c, data, start, r, i, g)
    return r, r.marker, 11 if is_central(circle, r.marker, c.dofs.shape[1] - 8) else 0


@kernel(inline=True)
def add_closed_point(
    c: PointRows, data: FloatArray, start: FloatArray, r: CircleRow, i: int, k: int, dq: float, dv: float, varies: bool,
    g: Any, K: FloatArray, N: FloatArray, wrench: FloatArray,
) -> None:  # fmt: skip
    """Add the derivatives of a closed point, see `create_tangent`."""
    n, y, J = c.rows[i].segments, r.offset, g.J
    s, state = relative_place(k, n), data[c.rows[i].data + n + k]
    S, dS = shape(s, r.length), shape_slope(s, r.length)
    p = eval_point(S, dS, y, r.q, r.w)
    z = eval_contact(r.par, r.o, p, state, r.bend)
    # C and V of the closed point, see `fill_point_tangent`
    fill_point_tangent(r.par, z, state, r.o.omega, dq, dv, g.C, g.V)
    fill_jacobian(S, dS, y, p, g)
    fx, fy = z.fn * z.nx - z.ft * z.ny, z.fn * z.ny + z.ft * z.nx
    if y != 0.0:
        add_offset_point(J, g.Jd, g.C, g.V, g.X, varies, K, N)
        # the contact point is offset along the normal of the axis, so the Jacobian of this point depends on r'
        add_circle_curvature(dq, dS, eval_curvature(y, p.rx, p.ry, fx, fy), K)
    else:
        add_point(S, 2, 3, g.C, g.V, varies, K, N)
    if r.share != 0.0 and state == STICKS:
        add_way(J, r.par.radius, z, g.G)
    wrench[0], wrench[1], wrench[2] = wrench[0] + dq * fx, wrench[1] + dq * fy, wrench[2] + dq * z.D * z.ft


@kernel(inline=True)
def couple_points(r: CircleRow, dq: float, g: Any, K: FloatArray) -> None:
    """Add to K the derivatives that are due to the common deflection of all bristles of a cable. This deflection
    couples the points of the cable.
    """
    if r.share != 0.0:
        for a in range(11):
            for b in range(11):
                K[a, b] += dq * r.par.law.friction_stiffness * g.G[a] * (g.share * g.G[b] + g.U[b])


_add_rows = create_tangent(count_points, 8, 2, 3, WORK, begin_row, add_closed_point, couple_points, spread_plane)


@kernel
def add_tangent(
    c: PointRows, circle: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    size: FloatArray, mapped: FloatArray, dq: float, dv: float, slots: IntArray, values: FloatArray,
) -> None:  # fmt: skip
    """Add the derivatives of all rows to the matrix, see `create_tangent`."""
    _add_rows(c, circle, data, start, x, v, size, mapped, dq, dv, slots, values)
