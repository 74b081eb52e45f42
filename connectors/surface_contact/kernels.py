"""Contact of a surface with points on the cubic axis of a cable: geometry and forces of one point.

The reference length L of a cable is divided into n equal parts of the length w. The point p in the middle of part i has
the position X and the velocity V in the frame of the surface,

    p = r(xi_i),  xi_i = (i + 1/2) w,    X = A^T (p - c),    V = A^T (r_t - v_c - omega x (p - c)) = X_t.

The frame of the surface has the origin c with the velocity v_c, the axes A and the angular velocity omega. With the
signed distance phi(X) of the point, its gradient n and Hessian H, and the radius r_c of the rope,

    normal: g = phi - r_c,    v_n = n.V,    f_n = w (k g + d v_n)
    tangential: v_t = V - v_n n,    u_t = (I - n n^T) (X - a),    tau = w (mu_k u_t + mu_v v_t)
    sticks: f_t = tau, where a is the current anchor
    slips: f_t = mu |f_n| tau/|tau|, where a is the anchor at the start of the step, or the current anchor if the point
        was open then

The stiffnesses k, mu_k, the damping constants d, mu_v and the friction coefficient mu are parameters of the row.

If mu_k > 0, a point that was open at the start of a step has no friction in this step of a dynamic solve. The anchor of
the point is its current position. Therefore only the damper would act, and the force of the damper would exceed the
friction limit.

In static solves V = 0. If an iteration reverses the displacement of a slipping point, |tau| can fall below mu |f_n|/2.
In this range f_t = 2 tau. Therefore the force does not jump, and Newton's method converges. The update then sets the
state of the point to 0 (sticks).

The force A (f_n n + f_t) at p is part of the left-hand side of the equations of the cable, and the opposite force at p
is part of the left-hand side of the equations of the body of the surface. Therefore forces and moments sum to 0, and
contact takes the power f_n v_n + f_t.v_t from cable and body. All forces are functions Phi(X, V) of the position X and
the velocity V of the point in the frame of the surface. If G is the Jacobian of V with respect to the rates of all
coordinates, the generalised forces are G^T Phi. The variations of the quantities are

    dg = n.dX,
    d v_n = n.dV + (H V).dX,
    d v_t = (I - n n^T) dV - (n (H V)^T + v_n H) dX,
    d u_t = (I - n n^T - n (H u)^T - (n.u) H) dX,     u = X - a.

History values of a row: gaps (n), states (n), anchors (n x 3). The states are 0 (sticks), 1 (slips) and -2 (open or
without friction). An anchor is the point at which a bristle is fixed, in the frame of the surface. `update.py` changes
history values after each Newton run, and in static solves also within Newton runs.

Source: penalty in points and radial return: P. Wriggers, Computational Contact Mechanics, Springer (2006), chapter 6.

Contact of a surface with a rope that has a twist. Friction acts at the radius of the rope and turns the rope about its
axis.

The point p of the axis, its position X and velocity V in the frame of the surface, and the normal force are defined
above, as for ropes without twist. The friction acts on the surface of the rope. With the unit tangent t, the radius r_c
of the rope, the angular velocity ω of the material of the rope and the angular velocity Ω of the surface,

    s = (ω - Ω)·t,    b = t × n
    v_t = V - v_n n - r_c s b
    u_t = (I - n n^T) (X - a) - r_c θ b
    M = -r_c f_t·b

θ is the angle about t by which the rope has turned relative to the surface since the start of the step. θ is the angle
between two frames, both expressed in the frame of the surface: the material frame at the start of the step, moved to
the present tangent by the smallest rotation, and the present material frame. θ lies between -π and π. The friction is
the same function of u_t and v_t as above, and takes the power f_t·v_t = f_t·V + M s from rope and body. The generalised
forces are

    on p: f = f_n n + f_t,    on the spin of the rope: M,    on the body: -f at p, and the torque -M t.

Therefore forces and moments sum to 0. The moment of f_t about b, which would bend the rope, is neglected. Friction
along the axis acts on the axis, as for ropes without twist.

The anchor a and the material frame at the start of the step are history values. At the end of each step, a becomes X -
u_t. Therefore bristles follow a rope that rolls. In an infinitesimal motion of rope and surface, θ and s vary as

    dθ = σ·dy - dα·t + g·dp,    g = T_0 × T/(|p| (1 + T_0·T)),    ds = d(σ·y_t) - Ω·dt - dΩ·t

with the coefficients σ of the spin (elements/cable/twist_points.py), the rates y_t of the coordinates y of the cable,
the rotation dα of the surface, and the slope p = r'. T is the unit tangent in the frame of the surface, and T_0 is the
value of T at the start of the step.

History values of a row: gaps (n), states (n), anchors (n x 3), unit tangents (n x 3), axes d_1 of the material (n x 3).
All vectors are in the frame of the surface. Tangents and axes d_1 are values at the start of the step.

Source: own derivation. For the spin of frames: M. Bergou and others, ACM Transactions on Graphics 27 (2008), 63. For
the radial return: P. Wriggers, Computational Contact Mechanics, Springer (2006).
"""

from __future__ import annotations

from math import atan2, sqrt
from typing import Any, NamedTuple

from numpy.typing import NDArray

from windlass.connectors.contact.axes import to_cubic_twelve
from windlass.connectors.contact.lanes import Twelve
from windlass.connectors.contact.law import Friction, PointLaw, eval_normal_force, no_friction, read_law, rub
from windlass.connectors.contact.rows import relative_place
from windlass.connectors.contact.update import point_values, read_three, work_type
from windlass.connectors.friction.bristle import SLIPS, STICKS, UNDEFINED
from windlass.connectors.markers.position_kernels import PositionMarkers
from windlass.connectors.surface_contact.distances import Distance, Geometry, eval_distance
from windlass.elements.cable.points import Four, shape, shape_slope
from windlass.elements.cable.twist_forces import times
from windlass.elements.cable.twist_points import (
    COUNT,
    fill_spin,
    frame_at,
    interpolate,
    read_coordinates,
    twist_angle,
)
from windlass.elements.nodes.turning import REVERSED, axes_of
from windlass.elements.nodes.vectors import Vector, combine, cross, dot
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel

CABLE = 12
"""Number of coordinates of a 3D cable, [x, y, z, x', y', z'] of both nodes. A 2D cable has 8 of these coordinates."""
PER_POINT = 5
"""Number of history values of a point."""
TURNING = 0.5
"""Ratio |tau|/(mu |f_n|) [1]. Below this value, the friction of a slipping point is proportional to the trial force tau
in static solves.
"""
TOUCHES = 2.0
"""State of a closed point that was open at the start of the step, if mu_k > 0. In the history values, the state of such
a point is `STICKS`.
"""


class ContactRows(NamedTuple):
    """Data of the rows of the law for kernels.

    Attributes:
        surfaces: kinds, dimensions and profiles of the surfaces.
        rows: records, shape (rows,). ``surface`` is the index of the surface, ``data`` the index of the first history
            value, ``points`` the number of points. For one point, ``contact_stiffness`` is in N/m, ``contact_damping``
            in N s/m, ``friction_velocity_penalty`` in N s/m, and ``friction_stiffness`` in N/m. The field ``length`` is
            the reference length that the point represents [m]. Further fields are ``friction_coefficient`` [1],
            ``rope_radius`` [m], ``clip_normal_force`` and ``active``.
        dofs: local coordinate indices of the cable (12, with twist 14) and of the surface (m), shape (rows, 12 + m) or
            (rows, 14 + m). Beams have the positions of four nodes instead of positions and slopes of two nodes.
        H: matrices of the axes of beams, see `contact/axes.py`.
    """

    surfaces: Geometry
    rows: NDArray[Any]
    dofs: IntArray
    H: FloatArray


class SurfaceFrame(NamedTuple):
    """Frame of a surface: elements of the matrix A, row by row, where the columns of A are the axes; origin c [m];
    velocity v of the origin [m/s]; angular velocity w [rad/s]. All fields are scalars.
    """

    a00: float
    a01: float
    a02: float
    a10: float
    a11: float
    a12: float
    a20: float
    a21: float
    a22: float
    cx: float
    cy: float
    cz: float
    vx: float
    vy: float
    vz: float
    wx: float
    wy: float
    wz: float


class Lever(NamedTuple):
    """A point relative to its surface: vector d from the origin [m] and velocity e relative to the surface [m/s] in the
    global frame; position X [m] and velocity V [m/s] in the frame of the surface. All fields are scalars.
    """

    dx: float
    dy: float
    dz: float
    ex: float
    ey: float
    ez: float
    X: float
    Y: float
    Z: float
    U: float
    V: float
    W: float


class SurfaceRow(NamedTuple):
    """A row: its parameters, the frame, the marker and the index of its surface, the coordinates of its cable with
    their rates, and the reference length L of the cable [m].
    """

    law: PointLaw
    rope_radius: float
    o: SurfaceFrame
    marker: int
    surface: int
    q: Twelve
    w: Twelve
    length: float


class PointForces(NamedTuple):
    """Forces on a point in the frame of the surface: normal force f_n [N], friction f_t with its trial force [N], gap g
    [m], rate v_n of the gap and slip velocity v_t [m/s], and deflection u_t of the bristle [m].
    """

    fn: float
    f: Friction
    gap: float
    vn: float
    vt: Vector
    u: Vector


@kernel(inline=True, fast=False)
def create_frame(
    Q: FloatArray, s: int, p: FloatArray, v: FloatArray, omega: FloatArray, A: FloatArray, k: int
) -> SurfaceFrame:
    """Create the frame of surface s, which is attached to marker k. The arguments p, v, omega and A are columns of the
    markers.
    """
    a, b, c = A[k, 0], A[k, 1], A[k, 2]
    return SurfaceFrame(
        a[0] * Q[s, 0, 0] + a[1] * Q[s, 1, 0] + a[2] * Q[s, 2, 0],
        a[0] * Q[s, 0, 1] + a[1] * Q[s, 1, 1] + a[2] * Q[s, 2, 1],
        a[0] * Q[s, 0, 2] + a[1] * Q[s, 1, 2] + a[2] * Q[s, 2, 2],
        b[0] * Q[s, 0, 0] + b[1] * Q[s, 1, 0] + b[2] * Q[s, 2, 0],
        b[0] * Q[s, 0, 1] + b[1] * Q[s, 1, 1] + b[2] * Q[s, 2, 1],
        b[0] * Q[s, 0, 2] + b[1] * Q[s, 1, 2] + b[2] * Q[s, 2, 2],
        c[0] * Q[s, 0, 0] + c[1] * Q[s, 1, 0] + c[2] * Q[s, 2, 0],
        c[0] * Q[s, 0, 1] + c[1] * Q[s, 1, 1] + c[2] * Q[s, 2, 1],
        c[0] * Q[s, 0, 2] + c[1] * Q[s, 1, 2] + c[2] * Q[s, 2, 2],
        p[k, 0], p[k, 1], p[k, 2], v[k, 0], v[k, 1], v[k, 2], omega[k, 0], omega[k, 1], omega[k, 2],
    )  # fmt: skip


@kernel(inline=True)
def gather(values: FloatArray, dofs: IntArray, i: int) -> Twelve:
    """Return the elements of ``values`` at the indices of the 12 coordinates of the cable in row i."""
    return (
        values[dofs[i, 0]], values[dofs[i, 1]], values[dofs[i, 2]], values[dofs[i, 3]],
        values[dofs[i, 4]], values[dofs[i, 5]], values[dofs[i, 6]], values[dofs[i, 7]],
        values[dofs[i, 8]], values[dofs[i, 9]], values[dofs[i, 10]], values[dofs[i, 11]],
    )  # fmt: skip


@kernel(inline=True)
def read_axis(c: ContactRows, values: FloatArray, i: int) -> Twelve:
    """Return the coordinates of the axis of row i, or their rates, from the array ``values`` of all coordinates or
    rates."""
    return to_cubic_twelve(c.H, i, gather(values, c.dofs, i))


@kernel(inline=True, fast=False)
def eval_axis(S: Four, q: Twelve) -> Vector:
    """Return the sum of the products S_a q_a of the shape functions S and the coordinates q of a cable."""
    x = S[0] * q[0] + S[1] * q[3] + S[2] * q[6] + S[3] * q[9]
    y = S[0] * q[1] + S[1] * q[4] + S[2] * q[7] + S[3] * q[10]
    z = S[0] * q[2] + S[1] * q[5] + S[2] * q[8] + S[3] * q[11]
    return x, y, z


@kernel(inline=True, fast=False)
def to_surface(o: SurfaceFrame, x: float, y: float, z: float) -> Vector:
    """Return the product A^T (x, y, z) with the axes A of the surface."""
    return (
        o.a00 * x + o.a10 * y + o.a20 * z, o.a01 * x + o.a11 * y + o.a21 * z, o.a02 * x + o.a12 * y + o.a22 * z,
    )  # fmt: skip


@kernel(inline=True, fast=False)
def to_global(o: SurfaceFrame, x: float, y: float, z: float) -> Vector:
    """Return the product A (x, y, z) with the axes A of the surface."""
    return (
        o.a00 * x + o.a01 * y + o.a02 * z, o.a10 * x + o.a11 * y + o.a12 * z, o.a20 * x + o.a21 * y + o.a22 * z,
    )  # fmt: skip


@kernel(inline=True, fast=False)
def eval_lever(o: SurfaceFrame, p: Vector, u: Vector) -> Lever:
    """Evaluate position and velocity of a point relative to the surface, from the global position p and the global
    velocity u."""
    px, py, pz = p
    ux, uy, uz = u
    dx, dy, dz = px - o.cx, py - o.cy, pz - o.cz
    ex = ux - o.vx - (o.wy * dz - o.wz * dy)
    ey = uy - o.vy - (o.wz * dx - o.wx * dz)
    ez = uz - o.vz - (o.wx * dy - o.wy * dx)
    X, Y, Z = to_surface(o, dx, dy, dz)
    U, V, W = to_surface(o, ex, ey, ez)
    return Lever(dx, dy, dz, ex, ey, ez, X, Y, Z, U, V, W)


@kernel(inline=True, fast=False)
def eval_touch(o: SurfaceFrame, S: Four, q: Twelve, w: Twelve) -> Lever:
    """Evaluate position and velocity of a point of the cable relative to the surface. S contains the shape functions at
    the point. The coordinates of the cable are q, and the rates of these coordinates are w.
    """
    return eval_lever(o, eval_axis(S, q), eval_axis(S, w))


@kernel(inline=True)
def read_row(c: ContactRows, m: PositionMarkers, x: FloatArray, v: FloatArray, i: int) -> SurfaceRow:
    """Return the `SurfaceRow` of row i, with the present coordinates of its cable and its surface."""
    row = c.rows[i]
    s = row.surface
    marker = c.surfaces.marker[s]
    o = create_frame(c.surfaces.Q, s, m.position, m.velocity, m.angular_velocity, m.rotation, marker)
    q, w = read_axis(c, x, i), read_axis(c, v, i)
    length = row.length * row.points
    return SurfaceRow(read_law(row, 0.0), row.rope_radius, o, marker, s, q, w, length)


@kernel(inline=True)
def find_point(c: ContactRows, r: SurfaceRow, k: int, n: int) -> tuple[Four, Lever, Distance]:
    """Return the shape functions of point k of n points, the position of the point relative to the surface, and its
    distance from the surface."""
    S = shape(relative_place(k, n), r.length)
    z = eval_touch(r.o, S, r.q, r.w)
    return S, z, eval_distance(c.surfaces.kind, c.surfaces.geo, c.surfaces.pieces, r.surface, z.X, z.Y, z.Z)


@kernel(inline=True)
def hessian_product(h: Distance, x: float, y: float, z: float) -> Vector:
    """Return the product H (x, y, z) with the Hessian H."""
    return h.xx * x + h.xy * y + h.xz * z, h.xy * x + h.yy * y + h.yz * z, h.xz * x + h.yz * y + h.zz * z


@kernel(inline=True)
def count_points(row: Any) -> int:
    """Return the number of points of a row, 0 for an inactive row."""
    return row.points if row.active else 0


@kernel(inline=True)
def find_values(row: Any, k: int) -> tuple[int, int, float]:
    """Return the indices of the gap and of the state of point k, and its normal stiffness. See `create_update`."""
    return point_values(row, k, row.points)


@kernel(inline=True)
def across(h: Distance, along: float, a: Vector) -> Vector:
    """Return the component of the vector ``a`` in the tangent plane. The argument ``along`` is the component of ``a``
    along the normal.
    """
    return a[0] - along * h.nx, a[1] - along * h.ny, a[2] - along * h.nz


@kernel(inline=True)
def rests(z: Lever) -> bool:
    """Return whether a point has no velocity relative to the surface. In static solves, this is true for all points."""
    return z.U == 0.0 and z.V == 0.0 and z.W == 0.0


@kernel(inline=True)
def eval_turning(z: Lever) -> float:
    """Return the fraction c of the friction limit (`contact/law.py`): `TURNING` if the point has no velocity relative
    to the surface, which is the case in static solves, otherwise 0.
    """
    return TURNING if rests(z) else 0.0


@kernel(inline=True)
def rubs(law: PointLaw, z: Lever, state: float) -> bool:
    """Return whether friction acts on a closed point with the given state."""
    return state >= 0.0 and law.friction_coefficient != 0.0 and (state != TOUCHES or rests(z))


@kernel(inline=True)
def eval_forces(law: PointLaw, rope_radius: float, h: Distance, z: Lever, state: float, a: Vector) -> PointForces:
    """Return the forces of a closed point. The argument ``a`` is the anchor that `read_anchor` returns."""
    gap, vn = h.phi - rope_radius, h.nx * z.U + h.ny * z.V + h.nz * z.W
    fn, vt, u = eval_normal_force(law, gap, vn), across(h, vn, (z.U, z.V, z.W)), (z.X - a[0], z.Y - a[1], z.Z - a[2])
    u = across(h, h.nx * u[0] + h.ny * u[1] + h.nz * u[2], u)
    f = rub(law, u, vt, fn, state == SLIPS, eval_turning(z)) if rubs(law, z, state) else no_friction()
    return PointForces(fn, f, gap, vn, vt, u)


@kernel(inline=True)
def eval_global_force(o: SurfaceFrame, h: Distance, F: PointForces) -> Vector:
    """Return the sum [N] of normal force and friction, f_n n + f_t, in the global frame."""
    t = F.f.force
    return to_global(o, F.fn * h.nx + t[0], F.fn * h.ny + t[1], F.fn * h.nz + t[2])


@kernel(inline=True)
def read_state(data: FloatArray, start: FloatArray, first: int, n: int, k: int, mu_k: float) -> float:
    """Return the state of point k. For a sticking point that was open at the start of the step, the state is `TOUCHES`
    if mu_k is not 0.
    """
    state, before = data[first + n + k], start[first + n + k]
    return TOUCHES if state == STICKS and before == UNDEFINED and mu_k != 0.0 else state


@kernel(inline=True)
def read_anchor(state: float, data: FloatArray, start: FloatArray, first: int, n: int, k: int) -> Vector:
    """Return the anchor of point k. For a slipping point that was closed at the start of the step, the result is the
    anchor at the start of the step. For other points, it is the current anchor.
    """
    at, slips = first + 2 * n + 3 * k, state == SLIPS and start[first + n + k] != UNDEFINED
    # values of both arrays are read, because the selection of an array by a branch would require atomic reference
    # counting at each point
    x, y, z = start[at], start[at + 1], start[at + 2]
    return x if slips else data[at], y if slips else data[at + 1], z if slips else data[at + 2]


TWIST_CABLE = 14
"""Number of coordinates of a cable with twist: positions and slopes of both nodes, then both angles."""
PER_TWIST_POINT = 11
"""Number of history values of a point of a rope with twist."""

FRAMES = work_type(y=(COUNT,), yt=(COUNT,), sigma=(COUNT,))
"""Coordinates y of the frames of the material of one rope, their rates, and the coefficients σ of the spin at a point.
"""


class Spin(NamedTuple):
    """Rotation of the rope at a point. The fields are the global unit tangent t, the length |r'| of the slope, the
    factors P of e, s0 and s1 in the sum r' (elements/cable/twist_points.py), the tangent T and the axis d_1 of the
    material in the frame of the surface, and the spin s [rad/s] relative to the surface.
    """

    t: Vector
    size: float
    P: Vector
    T: Vector
    d1: Vector
    rate: float


class TurningForces(NamedTuple):
    """Forces on a point, the direction b, the moment M [N m] about the axis of the rope, the angle θ [rad] and its
    derivative g with respect to the slope p [rad], and whether friction acts.
    """

    point: PointForces
    b: Vector
    torque: float
    angle: float
    g: Vector
    rubs: bool


class Roll(NamedTuple):
    """Displacement r_c θ b [m] and velocity r_c s b [m/s] that the turn of a rope contributes to u_t and v_t with the
    sign -1, in the frame of the surface.
    """

    way: Vector
    rate: Vector


NO_ROLL = Roll((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
"""`Roll` of ropes that friction does not turn."""


class TurningRow(NamedTuple):
    """A row of a rope with twist: the data of `SurfaceRow`, and the result of `twist_angle`."""

    plain: SurfaceRow
    twist: float


@kernel(inline=True)
def read_turning_row(c: ContactRows, m: PositionMarkers, x: FloatArray, v: FloatArray, i: int, g: Any) -> TurningRow:
    """Return the `TurningRow` of row i. Write the coordinates y of the frames of the material and their rates into
    ``g.y`` and ``g.yt``."""
    plain, row = read_row(c, m, x, v, i), c.rows[i]
    read_coordinates(row.dofs, 1.0 / plain.length, x, g.y)
    read_coordinates(row.dofs, 1.0 / plain.length, v, g.yt)
    return TurningRow(plain, twist_angle(row, g.y))


@kernel(inline=True)
def find_axis_point(c: ContactRows, r: SurfaceRow, i: int, k: int, g: Any) -> tuple[Four, Lever, Distance]:
    """Return the result of `find_point` for point k of row i."""
    return find_point(c, r, k, c.rows[i].points)


@kernel(inline=True)
def find_turning_point(c: ContactRows, r: TurningRow, i: int, k: int, g: Any) -> tuple[Four, Lever, Distance]:
    """Return the result of `find_point` for point k of row i. The cable of the row has twist."""
    return find_point(c, r.plain, k, c.rows[i].points)


@kernel
def eval_spin(
    o: SurfaceFrame, row: Any, s: float, y: FloatArray, yt: FloatArray, twist: float, sigma: FloatArray
) -> Spin:
    """Evaluate the rotation of the rope at x = s L, and write the coefficients σ of its spin into ``sigma``. The
    argument ``twist`` is the result of `twist_angle`."""
    _, on_s0, on_e, on_s1 = shape_slope(s, 1.0)
    P = on_e, on_s0, on_s1
    p = interpolate(P, 1.0, y)
    fill_spin(row, s, P, p, y, sigma)
    size = sqrt(dot(p, p))
    t = p[0] / size, p[1] / size, p[2] / size
    _, d1, _ = axes_of(frame_at(row, s, p, y, twist))
    rate = times(sigma, yt) - dot((o.wx, o.wy, o.wz), t)
    return Spin(t, size, P, to_surface(o, t[0], t[1], t[2]), to_surface(o, d1[0], d1[1], d1[2]), rate)


@kernel(inline=True)
def find_angle(r: Spin, T0: Vector, d0: Vector) -> tuple[float, Vector]:
    """Return the angle θ by which the rope has turned since the start of the step, and the derivative g of θ with
    respect to the slope. ``T0`` and ``d0`` are the tangent and the axis d_1 of the material at the start of the
    step."""
    u, c = cross(T0, r.T), max(1.0 + dot(T0, r.T), REVERSED)
    # axis d_1 at the start of the step, moved to the present tangent: (c - 1) d + u × d + u (u·d)/c
    moved = combine(1.0, combine(c - 1.0, d0, dot(u, d0) / c, u), 1.0, cross(u, d0))
    inverse = 1.0 / (r.size * c)
    return atan2(dot(cross(moved, r.d1), r.T), dot(moved, r.d1)), (inverse * u[0], inverse * u[1], inverse * u[2])


@kernel(inline=True)
def eval_turning_forces(
    law: PointLaw, rope_radius: float, h: Distance, z: Lever, r: Spin, state: float, a: Vector, T0: Vector, d0: Vector
) -> TurningForces:
    """Return the forces of a closed point. The argument ``a`` is the anchor of the point, and ``T0`` and ``d0`` are the
    tangent and the axis d_1 of the material at the start of the step.
    """
    gap, n, V, vn = h.phi - rope_radius, (h.nx, h.ny, h.nz), (z.U, z.V, z.W), h.nx * z.U + h.ny * z.V + h.nz * z.W
    b, (angle, g) = cross(r.T, n), find_angle(r, T0, d0)
    u = z.X - a[0], z.Y - a[1], z.Z - a[2]
    vt = combine(1.0, across(h, vn, V), -rope_radius * r.rate, b)
    u = combine(1.0, across(h, dot(n, u), u), -rope_radius * angle, b)
    fn, still, f = eval_normal_force(law, gap, vn), rests(z) and r.rate == 0.0, no_friction()
    rubs = state >= 0.0 and law.friction_coefficient != 0.0 and (state != TOUCHES or still)
    if rubs:
        f = rub(law, u, vt, fn, state == SLIPS, TURNING if still else 0.0)
    return TurningForces(
        PointForces(fn, f, gap, vn, vt, u), b, -rope_radius * dot(f.force, b), angle, g, rubs
    )  # fmt: skip


@kernel(inline=True)
def read_start(
    data: FloatArray, start: FloatArray, first: int, n: int, k: int, skip: int
) -> tuple[Vector, Vector, Vector]:
    """Return the anchor of point k, and the tangent and the axis d_1 of the material at the start of the step. If the
    point was open at the start of the step, the current values are returned. ``skip`` is the number of values from the
    anchor to the tangent of a point.
    """
    at, held = 3 * k + first + 2 * n, start[first + n + k] != UNDEFINED
    to = at + skip
    a, T, d = read_three(data, at), read_three(data, to), read_three(data, to + 3 * n)
    a0, T0, d0 = read_three(start, at), read_three(start, to), read_three(start, to + 3 * n)
    return a0 if held else a, T0 if held else T, d0 if held else d


@kernel(inline=True)
def eval_closed(
    law: PointLaw, rope_radius: float, h: Distance, z: Lever, r: Spin, data: FloatArray, start: FloatArray, first: int,
    n: int, k: int,
) -> tuple[Vector, TurningForces]:  # fmt: skip
    """Return the anchor and the forces of closed point k, from its history values."""
    state = read_state(data, start, first, n, k, law.friction_stiffness)
    a, T0, d0 = read_start(data, start, first, n, k, 3 * n)
    return a, eval_turning_forces(law, rope_radius, h, z, r, state, a, T0, d0)
