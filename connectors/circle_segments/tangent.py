"""Exact tangent of the contact between a circle and the segments of a cable. The forces are explained in `kernels.py`.

The variables of one segment are (a, b, phi): the end points a and b relative to the centre of the circle, and the angle
phi of the circle. The velocities of a and b are va and vb, and the prefix d denotes a variation. With D = |w|, E = e.e,
z = D/E, h = t.e/E, and the vectors n, t of the contact frame:

    d rho = z n.(da - db) - h t.((1-rho) da + rho db), 0 if rho is clamped,
    d theta = h n.(da - db), the angle of n; if rho is clamped, t.((1-rho) da + rho db)/D,
    d D = n.((1-rho) da + rho db),
    d v_n = (1-rho) n.dva + rho n.dvb + (vb - va).n d rho + u.t d theta,
    d v_t = (1-rho) t.dva + rho t.dvb + (vb - va).t d rho - u.n d theta - r d omega,
    d x_cur = r (d theta - d phi) + (dx/d rho) d rho + (dx/d|e|) d|e|,
    d|e| = (e/|e|).(db - da).

With the current length, dx/d rho = sigma |e| and dx/d|e| = sigma (rho - 1/2). With the reference length, dx/d rho =
sigma L/n and dx/d|e| = 0. With the current length and an offset, the two derivatives are multiplied by r/(r - sigma y).
In d x_cur, rho, theta and e then refer to the chord of the axis. The vector u is the velocity of the closest point
relative to the centre of the circle. The forces (F0, F1, torque) are power-conjugate to the rates of (a, b, phi). Let
the Jacobian B convert rates of coordinates to the rates of (a, b, phi). Then B^T converts (F0, F1, torque) to forces on
coordinates. With the variables y = (a, b, phi) and F = (F0, F1, torque), the matrix of a segment is B^T (dF/dy B +
dF/dy_t dB/dt), plus the terms with the second derivatives of the marker positions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.connectors.circle_segments.kernels import (
    Chord,
    SegmentParameters,
    SegmentRows,
    SegmentState,
    axis_chord,
    eval_segment,
    force_normals,
    normal_force,
    read_parameters,
)
from windlass.connectors.contact.circles import add_circle_curvature, create_pose, is_central
from windlass.connectors.contact.update import touches
from windlass.connectors.friction.bristle import STICKS, UNDEFINED, coulomb, friction_slopes
from windlass.connectors.markers.cable_shape import ShapeMarkers, eval_curvature, fill_point_jacobian
from windlass.connectors.markers.position_kernels import PositionMarkers
from windlass.elements.cable.points import Four
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel


@kernel(inline=True)
def chord_derivatives(z: Chord) -> tuple[Four, Four]:
    """Return the derivatives of the relative position rho of the closest point and of the angle of the normal n with
    respect to the components a_x, a_y, b_x and b_y of the end points."""
    q0, q1, nx, ny = 1.0 - z.rho, z.rho, z.nx, z.ny
    tx, ty = -ny, nx
    if z.free:
        ex, ey = z.bx - z.ax, z.by - z.ay
        E = ex * ex + ey * ey
        h, m = (tx * ex + ty * ey) / E, z.D / E
        rho_a = (m * nx - q0 * h * tx, m * ny - q0 * h * ty)
        rho_b = (-m * nx - q1 * h * tx, -m * ny - q1 * h * ty)
        return (rho_a[0], rho_a[1], rho_b[0], rho_b[1]), (h * nx, h * ny, -h * nx, -h * ny)
    h = 1.0 / z.D if z.D > 0.0 else 0.0
    return (0.0, 0.0, 0.0, 0.0), (q0 * h * tx, q0 * h * ty, q1 * h * tx, q1 * h * ty)


@kernel(inline=True)
def place_derivatives(r: float, z: SegmentState, h: Chord, rhos: Four, theta: Four) -> Four:
    """Return the derivatives of x_cur with respect to the end points of the chord ``h`` on which x_cur is measured."""
    ex, ey = h.bx - h.ax, h.by - h.ay
    # derivative of x_cur with respect to the length of the chord, divided by this length; 0 if x_cur is measured with
    # the reference length
    unit = z.d_length / np.sqrt(ex * ex + ey * ey) if z.d_length != 0.0 else 0.0
    return (
        r * theta[0] + z.d_rho * rhos[0] - unit * ex,
        r * theta[1] + z.d_rho * rhos[1] - unit * ey,
        r * theta[2] + z.d_rho * rhos[2] + unit * ex,
        r * theta[3] + z.d_rho * rhos[3] + unit * ey,
    )


@kernel(inline=True)
def fill_segment_tangent(
    par: SegmentParameters, z: SegmentState, omega: float, dq: float, dv: float, on_axis: bool, C: FloatArray
) -> Four:
    """Write dq times the derivatives of F = (F0, F1, torque) with respect to y = (a, b, phi), plus dv times the
    derivatives of F with respect to y_t, into C, shape (5, 5). Return F0 and F1.

    If ``on_axis`` is true, x_cur depends on points of the axis instead of a and b. The derivatives with respect to
    these points are added by `add_axis_columns`.
    """
    h = z.chord
    r, rho, nx, ny = par.radius, h.rho, h.nx, h.ny
    tx, ty = -ny, nx
    q0, q1 = 1.0 - rho, rho
    rhos, theta = chord_derivatives(h)
    along_n = (q0 * nx, q0 * ny, q1 * nx, q1 * ny)
    along_t = (q0 * tx, q0 * ty, q1 * tx, q1 * ty)
    # directions of the forces at both ends, and the derivatives of these directions
    psi0, psi1 = theta, theta
    n0x, n0y, n1x, n1y = force_normals(par, h)
    if not par.use_segment_normals:
        h0 = n0x * h.ax + n0y * h.ay
        h1 = n1x * h.bx + n1y * h.by
        h0 = 1.0 / h0 if h0 > 0.0 else 0.0
        h1 = 1.0 / h1 if h1 > 0.0 else 0.0
        psi0 = (-n0y * h0, n0x * h0, 0.0, 0.0)
        psi1 = (0.0, 0.0, -n1y * h1, n1x * h1)
    f0x, f0y = z.fn * n0x - z.ft * n0y, z.fn * n0y + z.ft * n0x
    f1x, f1y = z.fn * n1x - z.ft * n1y, z.fn * n1y + z.ft * n1x
    # factors of d rho and d theta in d v_n and d v_t
    dx, dy = z.vbx - z.vax, z.vby - z.vay
    dn, dt = dx * nx + dy * ny, dx * tx + dy * ty
    un, ut = z.vn, z.vt + r * omega
    # derivatives of f_n and f_t
    _, kc, dc = normal_force(par, h.D - r, z.vn)
    slope, fv, fk = friction_slopes(
        z.state, par.friction_stiffness, par.friction_velocity_penalty, coulomb(par.friction_coefficient, z.fn)[1]
    )
    along_x = (0.0, 0.0, 0.0, 0.0)
    if fk != 0.0 and not on_axis:
        along_x = place_derivatives(r, z, h, rhos, theta)
    # columns of C for derivatives with respect to a_x, a_y, b_x and b_y
    for k in range(4):
        d_rho, d_theta = dq * rhos[k], dq * theta[k]
        d_vn = dn * d_rho + ut * d_theta + dv * along_n[k]
        d_vt = dt * d_rho - un * d_theta + dv * along_t[k]
        d_fn = kc * dq * along_n[k] + dc * d_vn
        d_ft = slope * d_fn + fv * d_vt + fk * dq * along_x[k]
        turn0, turn1 = dq * psi0[k], dq * psi1[k]
        C[0, k] = q0 * (d_fn * n0x - d_ft * n0y - f0y * turn0) - f0x * d_rho
        C[1, k] = q0 * (d_fn * n0y + d_ft * n0x + f0x * turn0) - f0y * d_rho
        C[2, k] = q1 * (d_fn * n1x - d_ft * n1y - f1y * turn1) + f1x * d_rho
        C[3, k] = q1 * (d_fn * n1y + d_ft * n1x + f1x * turn1) + f1y * d_rho
        C[4, k] = -r * d_ft
    # column of C for derivatives with respect to the angle phi
    d_ft = -r * (fv * dv + fk * dq)
    C[0, 4], C[1, 4] = -q0 * d_ft * n0y, q0 * d_ft * n0x
    C[2, 4], C[3, 4] = -q1 * d_ft * n1y, q1 * d_ft * n1x
    C[4, 4] = -r * d_ft
    return q0 * f0x, q0 * f0y, q1 * f1x, q1 * f1y


@kernel(inline=True)
def fill_circle_columns(C: FloatArray, X: FloatArray) -> None:
    """Write the last three columns of X, shape (5, 11): the derivatives with respect to x and y of the centre and with
    respect to the angle of the circle. These derivatives follow from C, the derivatives with respect to the end points
    and the angle.
    """
    for k in range(5):
        X[k, 8] = -(C[k, 0] + C[k, 2])
        X[k, 9] = -(C[k, 1] + C[k, 3])
        X[k, 10] = C[k, 4]


@kernel(inline=True)
def add_axis_columns(
    par: SegmentParameters, z: SegmentState, slope: FloatArray, S: FloatArray, j: int, dq: float, X: FloatArray
) -> None:
    """Add to X, shape (5, 11), dq times the derivatives of (F0, F1, torque) that are due to the bristle deflection. The
    function is used if x_cur is measured on the axis. The deflection then depends on the end points of the chord of the
    axis, and thus on the 11 coordinates.
    """
    h = axis_chord(slope, j, par.vertical_offset, z.chord)
    rhos, theta = chord_derivatives(h)
    x0, y0, x1, y1 = place_derivatives(par.radius, z, h, rhos, theta)
    n0x, n0y, n1x, n1y = force_normals(par, z.chord)
    q0, q1, fk = 1.0 - z.chord.rho, z.chord.rho, dq * par.friction_stiffness
    force = (-q0 * n0y, q0 * n0x, -q1 * n1y, q1 * n1x, -par.radius)
    for k in range(5):
        d_force = fk * force[k]
        for b in range(4):
            X[k, 2 * b] += d_force * (x0 * S[j, b] + x1 * S[j + 1, b])
            X[k, 2 * b + 1] += d_force * (y0 * S[j, b] + y1 * S[j + 1, b])
        X[k, 8] -= d_force * (x0 + x1)
        X[k, 9] -= d_force * (y0 + y1)


@kernel(inline=True)
def add_segment_block(J: FloatArray, X: FloatArray, K: FloatArray) -> None:
    """Add B^T X to K, shape (11, 11), where B are the derivatives of the end points and of the angle with respect to
    the 11 coordinates.

    The 11 coordinates are the coordinates of the cable (8), the centre x, y, and the angle of the circle. J (4, 8)
    contains the derivatives of both end points with respect to the coordinates of the cable.
    """
    for a in range(8):
        for b in range(11):
            K[a, b] += J[0, a] * X[0, b] + J[1, a] * X[1, b] + J[2, a] * X[2, b] + J[3, a] * X[3, b]
    for b in range(11):
        K[8, b] -= X[0, b] + X[2, b]
        K[9, b] -= X[1, b] + X[3, b]
        K[10, b] += X[4, b]


@kernel
def add_tangent(
    c: SegmentRows,
    shape: ShapeMarkers,
    circle: PositionMarkers,
    data: FloatArray,
    v: FloatArray,
    dq: float,
    dv: float,
    slots: IntArray,
    values: FloatArray,
) -> None:
    """Add the tangent dq ∂f/∂q + dv ∂f/∂v of the forces f of `add_residual` to ``values``. History values are constant,
    and dq and dv are scalar factors. The argument ``slots``, shape (rows, 8 + m, 8 + m), contains the indices of the
    matrix entries in ``values``.
    """
    C, V, X, K = np.empty((5, 5)), np.empty((5, 5)), np.empty((5, 11)), np.empty((11, 11))
    J, Jd, N = np.zeros((4, 8)), np.zeros((4, 8)), np.empty((11, 3))
    S, dS = shape.shape_functions, shape.shape_derivatives
    for i in range(len(c.rows)):
        row = c.rows[i]
        n, first = row.segments, row.data
        if not row.active or not touches(data, first, n):
            continue
        # parameters and circle of the row; sums of the forces and torques that act on the cable
        k, ci = row.cable, row.circle
        par = read_parameters(row, shape)
        o = create_pose(circle.position, circle.velocity, circle.angular_velocity, circle.rotation, ci)
        y = par.vertical_offset
        central = is_central(circle, ci, c.dofs.shape[1] - 8)
        K[:] = 0.0
        N[:] = 0.0
        sum_x, sum_y, torque = 0.0, 0.0, 0.0
        next_x, next_y = 0.0, 0.0
        # loop over points, as in the residual
        for s in range(n + 1):
            fx, fy, next_x, next_y = next_x, next_y, 0.0, 0.0
            j = shape.start[k] + s
            # segment that begins at this point, if it is closed: C = dq dF/dy + dv dF/dy_t, V = dq dF/dy_t
            if s < n and data[first + s] <= 0.0:
                state, stick = UNDEFINED, 0.0
                if c.friction:
                    state, stick = data[first + n + s], data[first + 2 * n + s]
                z = eval_segment(par, o, shape.position, shape.velocity, shape.slope, j, state, stick)
                on_axis = par.is_current and y != 0.0 and state == STICKS and par.friction_stiffness != 0.0
                f0x, f0y, next_x, next_y = fill_segment_tangent(par, z, o.omega, dq, dv, on_axis, C)
                fx += f0x
                fy += f0y
                torque += par.radius * z.ft
                if y != 0.0 or not central:
                    fill_segment_tangent(par, z, o.omega, 0.0, dq, on_axis, V)
                # X = C B + V dB/dt, with the Jacobians of the end points
                if y != 0.0:
                    for l in range(j, j + 2):
                        rx, ry = shape.slope[l, 0], shape.slope[l, 1]
                        sx, sy = shape.slope_rate[l, 0], shape.slope_rate[l, 1]
                        fill_point_jacobian(J, Jd, 2 * (l - j), S, dS, l, y, rx, ry, sx, sy)
                    fill_cable_columns(C, J, V, Jd, X)
                else:
                    fill_axis_columns(C, S, j, J, X)
                fill_circle_columns(C, X)
                if on_axis:
                    add_axis_columns(par, z, shape.slope, S, j, dq, X)
                # K += B^T X
                add_segment_block(J, X, K)
                if not central:
                    add_centre_rates(V, J, N)
            if fx == 0.0 and fy == 0.0:
                continue
            sum_x += fx
            sum_y += fy
            # the contact line is offset along the normal of the axis, so the Jacobian of a contact point depends on r'
            if y != 0.0:
                along = dS[j, 0], dS[j, 1], dS[j, 2], dS[j, 3]
                add_circle_curvature(dq, along, eval_curvature(y, shape.slope[j, 0], shape.slope[j, 1], fx, fy), K)
        scatter_circle(c, i, circle, central, v, K, N, dq * sum_x, dq * sum_y, dq * torque, slots, values)


@kernel(inline=True)
def fill_cable_columns(C: FloatArray, J: FloatArray, V: FloatArray, Jd: FloatArray, X: FloatArray) -> None:
    """Write C J + V Jd into X[:, :8], for the first four columns of C and V (see `add_tangent`). J, shape (4, 8),
    contains the Jacobians of both end points, and Jd the time derivatives of J.
    """
    for a in range(5):
        for b in range(8):
            X[a, b] = C[a, 0] * J[0, b] + C[a, 1] * J[1, b] + C[a, 2] * J[2, b] + C[a, 3] * J[3, b]
            X[a, b] += V[a, 0] * Jd[0, b] + V[a, 1] * Jd[1, b] + V[a, 2] * Jd[2, b] + V[a, 3] * Jd[3, b]


@kernel(inline=True)
def fill_axis_columns(C: FloatArray, S: FloatArray, j: int, J: FloatArray, X: FloatArray) -> None:
    """Write the Jacobians of the points j and j + 1 on the axis into J, shape (4, 8), and C J into X[:, :8]."""
    for b in range(4):
        S0, S1 = S[j, b], S[j + 1, b]
        J[0, 2 * b], J[1, 2 * b + 1], J[2, 2 * b], J[3, 2 * b + 1] = S0, S0, S1, S1
        J[0, 2 * b + 1], J[1, 2 * b], J[2, 2 * b + 1], J[3, 2 * b] = 0.0, 0.0, 0.0, 0.0
        for a in range(5):
            X[a, 2 * b] = C[a, 0] * S0 + C[a, 2] * S1
            X[a, 2 * b + 1] = C[a, 1] * S0 + C[a, 3] * S1


@kernel(inline=True)
def add_centre_rates(V: FloatArray, J: FloatArray, N: FloatArray) -> None:
    """Add to N, shape (11, 3), dq times the derivatives of the generalised forces with respect to the velocity v_c of
    the centre and the angular velocity omega. V is explained in `add_tangent`. N is necessary for markers whose
    Jacobians change in time.
    """
    for b in range(3):
        if b < 2:
            w0, w1 = -(V[0, b] + V[0, b + 2]), -(V[1, b] + V[1, b + 2])
            w2, w3, w4 = -(V[2, b] + V[2, b + 2]), -(V[3, b] + V[3, b + 2]), -(V[4, b] + V[4, b + 2])
        else:
            w0, w1, w2, w3, w4 = V[0, 4], V[1, 4], V[2, 4], V[3, 4], V[4, 4]
        for a in range(8):
            N[a, b] += J[0, a] * w0 + J[1, a] * w1 + J[2, a] * w2 + J[3, a] * w3
        N[8, b] -= w0 + w2
        N[9, b] -= w1 + w3
        N[10, b] += w4


@kernel(inline=True)
def scatter_circle(
    c: Any,
    i: int,
    circle: PositionMarkers,
    central: bool,
    v: FloatArray,
    K: FloatArray,
    N: FloatArray,
    fx: float,
    fy: float,
    torque: float,
    slots: IntArray,
    values: FloatArray,
) -> None:
    """Transform K (11, 11) from the centre and the angle of the circle to the m coordinates of the marker of the
    circle, and add the result to the matrix.

    N (11, 3): see `add_centre_rates`. (fx, fy), torque: dq times the force and torque on the cable; the opposite force
    and torque act on the circle.
    """
    if central:
        # the coordinates of the circle are x, y and the angle
        for a in range(11):
            for b in range(11):
                values[slots[i, a, b]] += K[a, b]
        return
    ci, m = c.rows[i].circle, c.dofs.shape[1] - 8
    J, Jr, h = circle.jacobian, circle.rotation_jacobian, circle.second[ci]
    H, Hr = circle.hessian, circle.rotation_hessian
    for a in range(8):
        for b in range(8):
            values[slots[i, a, b]] += K[a, b]
    for a in range(m):
        x, y, z = J[ci, 0, a], J[ci, 1, a], Jr[ci, 2, a]
        # derivatives of v_c and omega with respect to this coordinate
        dx, dy, dz = circle.jacobian_rate[ci, 0, a], circle.jacobian_rate[ci, 1, a], 0.0
        if h >= 0:
            for b in range(m):
                dz += Hr[h, 2, b, a] * v[c.dofs[i, 8 + b]]
        for b in range(8):
            values[slots[i, 8 + a, b]] += x * K[8, b] + y * K[9, b] + z * K[10, b]
            values[slots[i, b, 8 + a]] += (
                K[b, 8] * x + K[b, 9] * y + K[b, 10] * z + N[b, 0] * dx + N[b, 1] * dy + N[b, 2] * dz
            )
        # (w0, w1, w2): derivatives of force and torque on the circle with respect to this coordinate
        w0 = K[8, 8] * x + K[8, 9] * y + K[8, 10] * z + N[8, 0] * dx + N[8, 1] * dy + N[8, 2] * dz
        w1 = K[9, 8] * x + K[9, 9] * y + K[9, 10] * z + N[9, 0] * dx + N[9, 1] * dy + N[9, 2] * dz
        w2 = K[10, 8] * x + K[10, 9] * y + K[10, 10] * z + N[10, 0] * dx + N[10, 1] * dy + N[10, 2] * dz
        for b in range(m):
            value = J[ci, 0, b] * w0 + J[ci, 1, b] * w1 + Jr[ci, 2, b] * w2
            if h >= 0:
                value -= fx * H[h, 0, b, a] + fy * H[h, 1, b, a] + torque * Hr[h, 2, b, a]
            values[slots[i, 8 + b, 8 + a]] += value
