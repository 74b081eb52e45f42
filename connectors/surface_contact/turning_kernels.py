"""Friction that turns ropes with twist on soft beds, and that turns winch ropes with torsion on surfaces and soft beds.

Friction follows the laws of `bed_kernels.py`, `winch_kernels.py` and `winch_bed_kernels.py`. Friction acts at the
radius r_c of the rope, as for ropes with twist in `kernels.py`:

    v_t = ... - r_c s b,    u_t = ... - r_c θ b,    b = T × n,    M = -r_c f_t·b

T is the unit tangent in the frame of the surface, and M the moment about the axis. Let T_w be the twist angle of a
cable of a winch rope. With β = a/(Δ l) and a of `winch_kernels.py`, material that moves past the point turns by β T_w
per length. Therefore the material has the spin and the angle

    s = σ·y_t + l_t β T_w - Ω·t,    θ = (angle between the frames at the point) + (l - l_0) β T_w

and the moment adds the forces M σ on y and M β T_w on l (see elements/cable/winch_twist_motion.py for the spin of the
material). The power of the forces is the same as in the law without turn, except that f_t·v_t contains the new v_t. The
torque -M t acts on the body of the surface, so forces and moments sum to 0.

History values of a row: the history values of the law in which friction does not turn the rope (without l_0), then T
(n x 3) and d_1 (n x 3) at the start of the step, then l_0 for winch ropes. At the end of each step, the anchor of a
sticking point becomes X - u_t, as for ropes with twist.

Source: own derivation from the laws of these files.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from windlass.connectors.contact.rows import relative_place
from windlass.connectors.markers.position_kernels import PositionMarkers
from windlass.connectors.surface_contact.bed_kernels import (
    PER_BED_POINT,
    BedForces,
    Heading,
    eval_bed_forces,
    find_heading,
    read_suction,
)
from windlass.connectors.surface_contact.distances import Distance
from windlass.connectors.surface_contact.kernels import (
    PER_POINT,
    ContactRows,
    Lever,
    Roll,
    Spin,
    SurfaceRow,
    TurningRow,
    eval_spin,
    find_angle,
    read_start,
    read_state,
    rests,
)
from windlass.connectors.surface_contact.winch_bed_kernels import WinchBedForces, eval_winch_bed_forces
from windlass.connectors.surface_contact.winch_kernels import (
    WinchForces,
    WinchMaterial,
    WinchSurfaceRow,
    eval_winch_forces,
    find_anchor,
    find_winch_point,
    read_winch_row,
)
from windlass.elements.cable.points import Four
from windlass.elements.cable.twist_points import read_coordinates, twist_angle
from windlass.elements.nodes.vectors import Vector, cross, dot
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel

PER_TURNING_BED_POINT = PER_BED_POINT + 6
"""Number of history values of a point of a rope on a soft bed that friction turns."""
TWIST_WINCH = 15
"""Number of coordinates of a cable of a winch rope with torsion: twelve of its nodes, the length l, and both angles."""
AFTER_ANCHOR, AFTER_BED = PER_POINT - 2, PER_BED_POINT - 2
"""Numbers of history values of a point from its anchor to its tangent, on surfaces and on soft beds."""


class Rolling(NamedTuple):
    """Turn of a rope at a point: `Spin`, b, θ [rad], derivative g of θ with respect to the slope [rad], and `Roll`."""

    spin: Spin
    b: Vector
    angle: float
    g: Vector
    roll: Roll


class TurningBedForces(NamedTuple):
    """Direction of the line, forces and turn of a point on a soft bed; M [N m]; X - a [m]; and the anchor a [m]."""

    e: Heading
    bed: BedForces
    turn: Rolling
    torque: float
    way: Vector
    anchor: Vector


class TurningWinchRow(NamedTuple):
    """A row of a winch rope with torsion: the data of `WinchSurfaceRow`, and the twist angle T_w [rad]."""

    winch: WinchSurfaceRow
    twist: float


class TurningWinchForces(NamedTuple):
    """Forces and turn of a point of a winch rope, β [1/m], and M [N m]."""

    forces: WinchForces
    turn: Rolling
    beta: float
    torque: float


class TurningWinchBedForces(NamedTuple):
    """Forces and turn of a point of a winch rope on a soft bed, β [1/m], and M [N m]."""

    forces: WinchBedForces
    turn: Rolling
    beta: float
    torque: float


@kernel(inline=True)
def find_rolling(radius: float, h: Distance, spin: Spin, T0: Vector, d0: Vector, more: float) -> Rolling:
    """Return the turn of a rope; ``T0`` and ``d0`` are T and d_1 at the start of the step, and ``more`` is added to the
    angle between the frames [rad].
    """
    b, (angle, g) = cross(spin.T, (h.nx, h.ny, h.nz)), find_angle(spin, T0, d0)
    angle += more
    x, y = radius * angle, radius * spin.rate
    return Rolling(spin, b, angle, g, Roll((x * b[0], x * b[1], x * b[2]), (y * b[0], y * b[1], y * b[2])))


@kernel(inline=True)
def eval_turning_bed(
    row: Any, r: TurningRow, h: Distance, z: Lever, spin: Spin, k: int, start: FloatArray, state: float, a: Vector,
    T0: Vector, d0: Vector,
) -> TurningBedForces:  # fmt: skip
    """Return the forces of closed point k on a soft bed; ``a``, ``T0`` and ``d0`` are the results of `read_start`."""
    p: SurfaceRow = r.plain
    e, s = find_heading(p, h, k, row.points), read_suction(row, start, k)
    turn = find_rolling(p.rope_radius, h, spin, T0, d0, 0.0)
    way, still = (z.X - a[0], z.Y - a[1], z.Z - a[2]), rests(z) and spin.rate == 0.0
    F = eval_bed_forces(row, p.law, h, z, e, s, state, way, (z.U, z.V, z.W), still, turn.roll)
    return TurningBedForces(e, F, turn, -p.rope_radius * dot(F.force, turn.b), way, a)


@kernel(inline=True)
def eval_bed_spin(row: Any, r: TurningRow, k: int, g: Any) -> Spin:
    """Return the rotation of the rope at point k, and write σ into ``g.sigma``."""
    return eval_spin(r.plain.o, row, relative_place(k, row.points), g.y, g.yt, r.twist, g.sigma)


@kernel(inline=True)
def eval_closed_turning_bed(
    row: Any, r: TurningRow, h: Distance, z: Lever, k: int, data: FloatArray, start: FloatArray, g: Any
) -> TurningBedForces:
    """Return the forces of closed point k on a soft bed, from its history values."""
    n, first, spin = row.points, row.data, eval_bed_spin(row, r, k, g)
    state = read_state(data, start, first, n, k, r.plain.law.friction_stiffness)
    a, T0, d0 = read_start(data, start, first, n, k, AFTER_BED * n)
    return eval_turning_bed(row, r, h, z, spin, k, start, state, a, T0, d0)


@kernel(inline=True)
def read_turning_winch_row(
    c: ContactRows, m: PositionMarkers, x: FloatArray, v: FloatArray, i: int, g: Any
) -> TurningWinchRow:
    """Return the `TurningWinchRow` of row i. Write the coordinates y of the frames of the material and their rates into
    ``g.y`` and ``g.yt``.
    """
    row = c.rows[i]
    r = read_winch_row(c, m, x, v, i, g)
    inverse, s = 1.0 / r.plain.length, r.l_t / r.l
    read_coordinates(row.dofs, inverse, x, g.y)
    read_coordinates(row.dofs, inverse, v, g.yt)
    # the component e of y is inversely proportional to l
    for a in range(3):
        g.yt[a] -= s * g.y[a]
    return TurningWinchRow(r, twist_angle(row, g.y))


@kernel(inline=True)
def plain_turning_winch_row(r: TurningWinchRow) -> SurfaceRow:
    """Return the `SurfaceRow` that is part of the data of a row of a winch rope with torsion."""
    return r.winch.plain


@kernel(inline=True)
def find_turning_winch_point(
    c: ContactRows, r: TurningWinchRow, i: int, k: int, g: Any
) -> tuple[Four, Lever, Distance]:  # fmt: skip
    """Return the result of `find_point` for point k of row i. The cable belongs to a winch rope with torsion."""
    return find_winch_point(c, r.winch, i, k, g)


@kernel(inline=True)
def eval_winch_spin(row: Any, r: TurningWinchRow, t: WinchMaterial, k: int, g: Any) -> tuple[Spin, float]:
    """Return the rotation of the material at point k, and β. Write σ into ``g.sigma``."""
    p = r.winch.plain
    s = eval_spin(p.o, row, relative_place(k, row.points), g.y, g.yt, r.twist, g.sigma)
    beta = t.a / p.length
    return Spin(s.t, s.size, s.P, s.T, s.d1, s.rate + r.winch.l_t * beta * r.twist), beta


@kernel(inline=True)
def eval_turning_winch(
    row: Any, r: TurningWinchRow, h: Distance, z: Lever, t: WinchMaterial, k: int, g: Any, start: FloatArray,
    state: float, a: Vector, T0: Vector, d0: Vector, paid: float,
) -> TurningWinchForces:  # fmt: skip
    """Return the forces of closed point k; ``paid`` is l - l_0 [m], and ``T0`` and ``d0`` are T and d_1 at the start of
    the step.
    """
    (spin, beta), radius = eval_winch_spin(row, r, t, k, g), r.winch.plain.rope_radius
    turn = find_rolling(radius, h, spin, T0, d0, paid * beta * r.twist)
    F = eval_winch_forces(r.winch, h, z, t, state, a, paid, turn.roll)
    return TurningWinchForces(F, turn, beta, -radius * dot(F.point.f.force, turn.b))


@kernel(inline=True)
def eval_turning_winch_bed(
    row: Any, r: TurningWinchRow, h: Distance, z: Lever, t: WinchMaterial, k: int, g: Any, start: FloatArray,
    state: float, a: Vector, T0: Vector, d0: Vector, paid: float,
) -> TurningWinchBedForces:  # fmt: skip
    """Return the forces of closed point k on a soft bed, see `eval_turning_winch`."""
    (spin, beta), radius = eval_winch_spin(row, r, t, k, g), r.winch.plain.rope_radius
    turn = find_rolling(radius, h, spin, T0, d0, paid * beta * r.twist)
    F = eval_winch_bed_forces(row, r.winch, h, z, t, k, start, state, a, paid, turn.roll)
    return TurningWinchBedForces(F, turn, beta, -radius * dot(F.bed.force, turn.b))


@kernel(inline=True)
def eval_closed_turning_winch(
    row: Any, r: TurningWinchRow, h: Distance, z: Lever, t: WinchMaterial, k: int, data: FloatArray, start: FloatArray,
    g: Any,
) -> TurningWinchForces:  # fmt: skip
    """Return the forces of closed point k, from its history values."""
    n, first, (a, l_0) = row.points, row.data, find_anchor(row, k, data, start)
    state = read_state(data, start, first, n, k, r.winch.plain.law.friction_stiffness)
    _, T0, d0 = read_start(data, start, first, n, k, AFTER_ANCHOR * n)
    return eval_turning_winch(row, r, h, z, t, k, g, start, state, a, T0, d0, r.winch.l - l_0)


@kernel(inline=True)
def eval_closed_turning_winch_bed(
    row: Any, r: TurningWinchRow, h: Distance, z: Lever, t: WinchMaterial, k: int, data: FloatArray, start: FloatArray,
    g: Any,
) -> TurningWinchBedForces:  # fmt: skip
    """Return the forces of closed point k on a soft bed, from its history values."""
    n, first, (a, l_0) = row.points, row.data, find_anchor(row, k, data, start)
    state = read_state(data, start, first, n, k, r.winch.plain.law.friction_stiffness)
    _, T0, d0 = read_start(data, start, first, n, k, AFTER_BED * n)
    return eval_turning_winch_bed(row, r, h, z, t, k, g, start, state, a, T0, d0, r.winch.l - l_0)
