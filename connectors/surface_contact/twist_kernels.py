"""Contact of a surface with a rope that has a twist: friction acts at the radius of the rope and turns it.

The point p of the axis, its position X and velocity V in the frame of the surface, and the normal force are those of
`kernels.py`. The friction acts on the surface of the rope. With the tangent t, the radius r_c of the rope, and the
spin ω·t of the material and Ω·t of the surface,

    s = (ω - Ω)·t,    b = t × n
    v_t = V - v_n n - r_c s b
    u_t = (I - n n^T) (X - a) - r_c θ b
    M = -r_c f_t·b

θ is the angle about t by which the rope has turned relative to the surface since the start of the step. It is the angle
from the material frame at the start of the step, which is moved to the present tangent by the smallest rotation, to the
present material frame, both in the frame of the surface. It lies between -π and π. The friction is the function of u_t
and v_t of `kernels.py`, and takes the power f_t·v_t = f_t·V + M s from rope and body. The generalised forces are

    on p: f = f_n n + f_t,    on the spin of the rope: M,    on the body: -f at p, and the torque -M t.

Therefore forces and moments sum to 0. The moment of f_t about b, which would bend the rope, is neglected: friction
along the axis acts on the axis, as for ropes without twist.

The anchor a and the material frame at the start of the step are history values. At the end of each step, a becomes
X - u_t, so bristles follow a rope that rolls. In an infinitesimal rotation dθ of the rope, s and θ vary as

    dθ = σ - dα·t + g·dp,    g = T_0 × T/(|p| (1 + T_0·T)),    ds = d(σ·y_t) - Ω·dt - dΩ·t

with the form σ of the spin (elements/cable3d/twist_points.py), the rotation dα of the surface, the slope p in the frame
of the surface, and the tangent T_0 at the start of the step.

History values of a row: gaps (n), states (n), anchors (n x 3), tangents (n x 3) and axes d_1 (n x 3) of the material at
the start of the step, in the frame of the surface.

Source: own derivation; for the spin of frames M. Bergou and others, ACM Transactions on Graphics 27 (2008), 63; for the
radial return P. Wriggers, Computational Contact Mechanics, Springer (2006).
"""

from __future__ import annotations

from math import atan2, sqrt
from typing import Any, NamedTuple

from windlass.connectors.contact.law import PointLaw, eval_normal_force, no_friction, rub
from windlass.connectors.contact.update import read_three, work_type
from windlass.connectors.friction.bristle import SLIPS, UNDEFINED
from windlass.connectors.markers.position_kernels import PositionColumns
from windlass.connectors.surface_contact.distances import Distance
from windlass.connectors.surface_contact.kernels import (
    TOUCHES,
    TURNING,
    ContactRows,
    Lever,
    PointForces,
    RowData,
    SurfaceFrame,
    across,
    read_row,
    read_state,
    rests,
    to_surface,
)
from windlass.elements.cable2d.points import shape_slope
from windlass.elements.cable3d.twist_forces import times
from windlass.elements.cable3d.twist_points import (
    COUNT,
    fill_spin,
    frame_at,
    interpolate,
    read_coordinates,
    twist_angle,
)
from windlass.elements.nodes.turning import REVERSED, axes_of
from windlass.elements.nodes.vectors import Vector, combine, cross, dot
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel

TWIST_CABLE = 14
"""Number of coordinates of a cable with twist: positions and slopes of both nodes, then both angles."""
PER_TWIST_POINT = 11
"""Number of history values of a point."""

FRAMES = work_type(y=(COUNT,), yt=(COUNT,), sigma=(COUNT,))
"""Coordinates y of the frames of the material of one rope, their rates, and the form σ."""


class Spin(NamedTuple):
    """Rotation of the rope at a point: unit tangent t (global), length |r'|, factors P of e, s0, s1 in r'; tangent T
    and axis d_1 of the material in the frame of the surface; spin s relative to the surface [rad/s].
    """

    t: Vector
    size: float
    P: Vector
    T: Vector
    d1: Vector
    rate: float


class TurningForces(NamedTuple):
    """Forces on a point, the axis b, the moment M about the axis of the rope [N m], the angle θ [rad] and its
    derivative g with respect to the slope [1], and whether friction acts.
    """

    point: PointForces
    b: Vector
    torque: float
    angle: float
    g: Vector
    rubs: bool


class TurningRow(NamedTuple):
    """A row of a rope with twist: the data of `RowData`, and the result of `twist_angle`."""

    plain: RowData
    twist: float


@kernel(inline=True)
def read_turning_row(c: ContactRows, m: PositionColumns, x: FloatArray, v: FloatArray, i: int, g: Any) -> TurningRow:
    """Read row i. Write the coordinates y of the frames of the material and their rates into ``g.y`` and ``g.yt``."""
    plain, row = read_row(c, m, x, v, i), c.rows[i]
    read_coordinates(row.dofs, 1.0 / plain.length, x, g.y)
    read_coordinates(row.dofs, 1.0 / plain.length, v, g.yt)
    return TurningRow(plain, twist_angle(row, g.y))


@kernel
def eval_spin(
    o: SurfaceFrame, row: Any, s: float, y: FloatArray, yt: FloatArray, twist: float, sigma: FloatArray
) -> Spin:
    """Evaluate the rotation of the rope at x = s L, and fill the form σ. The argument ``twist`` is the result of
    `twist_angle`."""
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
    """Return θ and g for the tangent and the axis d_1 of the material at the start of the step."""
    u, c = cross(T0, r.T), max(1.0 + dot(T0, r.T), REVERSED)
    # d_1 at the start, moved to the present tangent: (c - 1) d + u × d + u (u·d)/c
    moved = combine(1.0, combine(c - 1.0, d0, dot(u, d0) / c, u), 1.0, cross(u, d0))
    inverse = 1.0 / (r.size * c)
    return atan2(dot(cross(moved, r.d1), r.T), dot(moved, r.d1)), (inverse * u[0], inverse * u[1], inverse * u[2])


@kernel(inline=True)
def eval_turning_forces(
    law: PointLaw, rope_radius: float, h: Distance, z: Lever, r: Spin, state: float, a: Vector, T0: Vector, d0: Vector
) -> TurningForces:
    """Return the forces of a closed point; ``a``, ``T0`` and ``d0`` are its anchor and the axes of the material at the
    start of the step."""
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
    data: FloatArray, start: FloatArray, first: int, n: int, k: int
) -> tuple[Vector, Vector, Vector]:  # fmt: skip
    """Return the anchor of point k, and the tangent and the axis d_1 of the material at the start of the step. If the
    point was open at the start of the step, the current values are returned.
    """
    at, held = 3 * k + first + 2 * n, start[first + n + k] != UNDEFINED
    a, T, d = read_three(data, at), read_three(data, at + 3 * n), read_three(data, at + 6 * n)
    a0, T0, d0 = read_three(start, at), read_three(start, at + 3 * n), read_three(start, at + 6 * n)
    return a0 if held else a, T0 if held else T, d0 if held else d


@kernel(inline=True)
def eval_closed(
    law: PointLaw, rope_radius: float, h: Distance, z: Lever, r: Spin, data: FloatArray, start: FloatArray, first: int,
    n: int, k: int,
) -> tuple[Vector, TurningForces]:  # fmt: skip
    """Return the anchor and the forces of closed point k, from its history values."""
    state = read_state(data, start, first, n, k, law.friction_stiffness)
    a, T0, d0 = read_start(data, start, first, n, k)
    return a, eval_turning_forces(law, rope_radius, h, z, r, state, a, T0, d0)
