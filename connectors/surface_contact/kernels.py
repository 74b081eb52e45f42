"""Contact of a surface with points on the cubic axis of a cable: geometry and forces of one point.

The reference length L of a cable is divided into n equal parts of the length w.  The point in the middle of part i,

    p = r(xi_i),  xi_i = (i + 1/2) w,    X = A^T (p - c),    V = A^T (r_t - v_c - omega x (p - c)) = X_t,

is expressed in the frame of the surface. This frame has the origin c, the axes A and the angular velocity omega. Let
phi(X) be the signed distance of the surface, n = grad phi, H its Hessian and r_c the radius of the rope:

    normal: g = phi - r_c,    v_n = n.V,    f_n = w (k g + d v_n)
    tangential: v_t = V - v_n n,    u_t = (I - n n^T) (X - a),    tau = w (mu_k u_t + mu_v v_t)
    sticks: f_t = tau, where a is the current anchor
    slips: f_t = mu |f_n| tau/|tau|, where a is the anchor at the start of the step

In dynamic solves a point with a bristle that was open at the start of the step has no friction in this step. Its anchor
is its current position, and the force of the damper alone would exceed the friction limit.

In static solves V = 0. If the displacement of a slipping point reverses in an iteration, |tau| becomes smaller than mu
|f_n|/2. In this range f_t = 2 tau, so the force does not jump and Newton's method converges. The update then sets the
point to stick.

The force A (f_n n + f_t) at p is part of the left-hand side of the equations of the cable, and its reaction at the same
point is part of the left-hand side of the equations of the body. Therefore forces and moments sum to 0, and contact
takes the power f_n v_n + f_t.v_t from cable and body. All forces are functions Phi(X, V). If G is the Jacobian of V
with respect to the rates of all coordinates, the generalised forces are G^T Phi.

    dg = n.dX,
    d v_n = n.dV + (H V).dX,
    d v_t = (I - n n^T) dV - (n (H V)^T + v_n H) dX,
    d u_t = (I - n n^T - n (H u)^T - (n.u) H) dX,     u = X - a.

History values of a row: gaps (n), states (n; 0 sticks, 1 slips, -2 open or without friction), anchors (n x 3). An
anchor is the point at which a bristle is fixed, in the frame of the surface. Only `update.py` changes history values,
after each Newton run.

Source: penalty in points and radial return: P. Wriggers, Computational Contact Mechanics, Springer (2006), chapter 6.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy.typing import NDArray

from windlass.connectors.contact.lanes import Twelve
from windlass.connectors.contact.law import Friction, PointLaw, eval_normal_force, no_friction, read_law, rub
from windlass.connectors.contact.rows import relative_place
from windlass.connectors.friction.bristle import SLIPS, STICKS, UNDEFINED
from windlass.connectors.markers.position_kernels import PositionColumns
from windlass.connectors.surface_contact.distances import Distance, Geometry, eval_distance
from windlass.elements.cable2d.points import Four, shape
from windlass.elements.nodes.vectors import Vector
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel

CABLE = 12
"""Number of coordinates of a 3D cable, [x, y, z, x', y', z'] of both nodes. A 2D cable has 8 of these coordinates."""
PER_POINT = 5
"""Number of history values of a point."""
TURNING = 0.5
"""Ratio |tau|/(mu |f_n|) [1] below which the friction of a slipping point is proportional to the trial force tau in
static solves.
"""
TOUCHES = 2.0
"""State of a closed point with a bristle that was open at the start of the step. The history contains `STICKS` instead.
"""


class ContactRows(NamedTuple):
    """Data of the rows of the law for kernels.

    Attributes:
        surfaces: the surfaces.
        rows: records, shape (rows,). ``surface`` is the index of the surface, ``data`` the index of the first history
            value, ``points`` the number of points. For one point ``contact_stiffness`` is in N/m, ``contact_damping``
            in N s/m, ``friction_velocity_penalty`` in N s/m, ``friction_stiffness`` in N/m, and ``length`` is the
            reference length that the point represents [m]. Further fields are ``friction_coefficient`` [1],
            ``rope_radius`` [m], ``clip_normal_force`` and ``active``.
        dofs: local coordinate indices of cable (12) and surface (m), shape (rows, 12 + m).
    """

    surfaces: Geometry
    rows: NDArray[Any]
    dofs: IntArray


class SurfaceFrame(NamedTuple):
    """Frame of a surface: axes A, row by row; origin c; velocity v of the origin; angular velocity w. All fields are
    scalars.
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
    global frame; X [m] and V [m/s] in the frame of the surface. All fields are scalars.
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


class RowData(NamedTuple):
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
    """Forces on a point in the frame of the surface: f_n [N], f_t [N] with its trial force, gap [m], v_n and v_t [m/s],
    and u_t [m].
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
    """Create the frame of surface s at marker k."""
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
    """Return the values of the 12 coordinates of the cable of row i."""
    return (
        values[dofs[i, 0]], values[dofs[i, 1]], values[dofs[i, 2]], values[dofs[i, 3]],
        values[dofs[i, 4]], values[dofs[i, 5]], values[dofs[i, 6]], values[dofs[i, 7]],
        values[dofs[i, 8]], values[dofs[i, 9]], values[dofs[i, 10]], values[dofs[i, 11]],
    )  # fmt: skip


@kernel(inline=True, fast=False)
def combine(S: Four, q: Twelve) -> Vector:
    """Return sum S_a q_a."""
    x = S[0] * q[0] + S[1] * q[3] + S[2] * q[6] + S[3] * q[9]
    y = S[0] * q[1] + S[1] * q[4] + S[2] * q[7] + S[3] * q[10]
    z = S[0] * q[2] + S[1] * q[5] + S[2] * q[8] + S[3] * q[11]
    return x, y, z


@kernel(inline=True, fast=False)
def to_surface(o: SurfaceFrame, x: float, y: float, z: float) -> Vector:
    """Return A^T (x, y, z)."""
    return (
        o.a00 * x + o.a10 * y + o.a20 * z, o.a01 * x + o.a11 * y + o.a21 * z, o.a02 * x + o.a12 * y + o.a22 * z,
    )  # fmt: skip


@kernel(inline=True, fast=False)
def to_global(o: SurfaceFrame, x: float, y: float, z: float) -> Vector:
    """Return A (x, y, z)."""
    return (
        o.a00 * x + o.a01 * y + o.a02 * z, o.a10 * x + o.a11 * y + o.a12 * z, o.a20 * x + o.a21 * y + o.a22 * z,
    )  # fmt: skip


@kernel(inline=True, fast=False)
def eval_touch(o: SurfaceFrame, S: Four, q: Twelve, w: Twelve) -> Lever:
    """Evaluate the point of the cable with shape functions S relative to the surface; q are the coordinates of the
    cable, w their rates."""
    px, py, pz = combine(S, q)
    ux, uy, uz = combine(S, w)
    dx, dy, dz = px - o.cx, py - o.cy, pz - o.cz
    ex = ux - o.vx - (o.wy * dz - o.wz * dy)
    ey = uy - o.vy - (o.wz * dx - o.wx * dz)
    ez = uz - o.vz - (o.wx * dy - o.wy * dx)
    X, Y, Z = to_surface(o, dx, dy, dz)
    U, V, W = to_surface(o, ex, ey, ez)
    return Lever(dx, dy, dz, ex, ey, ez, X, Y, Z, U, V, W)


@kernel(inline=True)
def read_row(c: ContactRows, m: PositionColumns, x: FloatArray, v: FloatArray, i: int) -> RowData:
    """Read row i."""
    row = c.rows[i]
    s = row.surface
    marker = c.surfaces.marker[s]
    o = create_frame(c.surfaces.Q, s, m.p, m.v, m.omega, m.A, marker)
    q, w, length = gather(x, c.dofs, i), gather(v, c.dofs, i), row.length * row.points
    return RowData(read_law(row, 0.0), row.rope_radius, o, marker, s, q, w, length)


@kernel(inline=True)
def find_point(c: ContactRows, r: RowData, k: int, n: int) -> tuple[Four, Lever, Distance]:
    """Return the shape functions of point k of n points, the point relative to the surface, and its distance."""
    S = shape(relative_place(k, n), r.length)
    z = eval_touch(r.o, S, r.q, r.w)
    return S, z, eval_distance(c.surfaces.kind, c.surfaces.geo, c.surfaces.pieces, r.surface, z.X, z.Y, z.Z)


@kernel(inline=True)
def hessian_product(h: Distance, x: float, y: float, z: float) -> Vector:
    """Return H (x, y, z)."""
    return h.xx * x + h.xy * y + h.xz * z, h.xy * x + h.yy * y + h.yz * z, h.xz * x + h.yz * y + h.zz * z


@kernel(inline=True)
def count_points(row: Any) -> int:
    """Return the number of points of a row."""
    n: int = row.points
    return n


@kernel(inline=True)
def across(h: Distance, along: float, a: Vector) -> Vector:
    """Return the component of a vector in the tangent plane; ``along`` is its component along the normal."""
    return a[0] - along * h.nx, a[1] - along * h.ny, a[2] - along * h.nz


@kernel(inline=True)
def rests(z: Lever) -> bool:
    """Return whether a point has no velocity relative to the surface, as in static solves."""
    return z.U == 0.0 and z.V == 0.0 and z.W == 0.0


@kernel(inline=True)
def eval_turning(z: Lever) -> float:
    """Return `TURNING` in static solves, 0 in dynamic solves."""
    return TURNING if rests(z) else 0.0


@kernel(inline=True)
def rubs(law: PointLaw, z: Lever, state: float) -> bool:
    """Return whether friction acts on a closed point in this state."""
    return state >= 0.0 and law.friction_coefficient != 0.0 and (state != TOUCHES or rests(z))


@kernel(inline=True)
def eval_forces(law: PointLaw, rope_radius: float, h: Distance, z: Lever, state: float, a: Vector) -> PointForces:
    """Return the forces of a closed point; a is the anchor that belongs to its state."""
    gap, vn = h.phi - rope_radius, h.nx * z.U + h.ny * z.V + h.nz * z.W
    fn, vt, u = eval_normal_force(law, gap, vn), across(h, vn, (z.U, z.V, z.W)), (z.X - a[0], z.Y - a[1], z.Z - a[2])
    u = across(h, h.nx * u[0] + h.ny * u[1] + h.nz * u[2], u)
    f = rub(law, u, vt, fn, state == SLIPS, eval_turning(z)) if rubs(law, z, state) else no_friction()
    return PointForces(fn, f, gap, vn, vt, u)


@kernel(inline=True)
def eval_global_force(o: SurfaceFrame, h: Distance, F: PointForces) -> Vector:
    """Return the global force f_n n + f_t [N]."""
    t = F.f.force
    return to_global(o, F.fn * h.nx + t[0], F.fn * h.ny + t[1], F.fn * h.nz + t[2])


@kernel(inline=True)
def read_state(data: FloatArray, start: FloatArray, first: int, n: int, k: int, mu_k: float) -> float:
    """Return the state of point k. The state of a sticking point with a bristle that was open at the start of the step
    is `TOUCHES`.
    """
    state, before = data[first + n + k], start[first + n + k]
    return TOUCHES if state == STICKS and before == UNDEFINED and mu_k != 0.0 else state


@kernel(inline=True)
def read_anchor(state: float, data: FloatArray, start: FloatArray, first: int, n: int, k: int) -> Vector:
    """Return the anchor of point k: for a slipping point the anchor at the start of the step, otherwise the current
    anchor.
    """
    at, slips = first + 2 * n + 3 * k, state == SLIPS
    # values of both arrays are read, because the selection of an array by a branch would require atomic reference
    # counting at each point
    x, y, z = start[at], start[at + 1], start[at + 2]
    return x if slips else data[at], y if slips else data[at + 1], z if slips else data[at + 2]
