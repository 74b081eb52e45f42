"""Kernels that update the contact states of points of cables on surfaces between Newton runs.

See `kernels.py` for the symbols, and `contact/update.py` for gaps and errors. The state of a point and the anchor a of
its bristle are determined as follows:

    touch: a point that has closed since the start of the step sticks with a := X. In dynamic solves it has no friction.
    start of a solve: a := X for each closed point. The point slips if |mu_v v_t| > mu |f_n|, otherwise it sticks.
    trial: for all other closed points, tau is computed with the anchor a that was stored at the start of the step.
    slips: if |tau| > (1 + TIE) mu |f_n|, the state is 1 and a := X - mu |f_n|/(w mu_k) u_t/|u_t|.
    sticks: otherwise the state is 0 and a keeps the value that was stored at the start of the step.
    no bristles: if mu_k = 0, the trial force tau is the force of the damper, and a := X.
    no friction: if the point is open or the row has no friction, the state is -2, and a does not change.

Beyond the end of a surface a point is open, and its stored gap is `OUTSIDE`.

The states of points of ropes with twist are determined in the same way, with the deflection u_t of `kernels.py`. The
anchor and the axes of the material of closed points with friction follow such a rope at the end of each step:

    a := X - u_t where a point sticks,    T_0 := T,  d_0 := d_1.

The states of points on soft beds are determined with the deflection û of `bed_kernels.py`. For a point that was closed
at the start of the step, the stored gap is g minus the gap at which the suction of the point ends. Therefore the point
is closed until g reaches that gap. δ and m depend on the gap g at the end of the step:

    g <= 0: m := 0, δ := max(δ, -g)
    g <= 0 of a point that was open at the start, if m > c_s δ, or if c_s = 0: m := 0, δ := -g
    g > 0 of a closed point: m := max(m, g)
    open points: δ := 0, m := 0.

Points of thick beams are treated like points of ropes with twist, with the axes e_1 and e_2 of the cross section
instead of T and d_1.

Points of thick beams on soft beds are treated in the same way, with the deflection û and the history values of the bed.

Points of ropes that friction turns on soft beds, and of winch ropes with torsion, are treated like points of ropes with
twist, with u_t of `turning_kernels.py`, the history values of the bed, and l_0 := l.

Points of winch ropes, also on soft beds, are treated like points of other ropes, with the deflection u_t of
`winch_kernels.py`. The anchors of points that stick move by the rule in `winch_kernels.py`, and l_0 := l.

Source: radial return, P. Wriggers, Computational Contact Mechanics, Springer (2006).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.contact.axes import reach_of_axis
from windlass.connectors.contact.decisions import decide_point
from windlass.connectors.contact.rows import relative_place
from windlass.connectors.contact.update import (
    NO_LANES,
    create_update,
    is_never_far,
    place_type,
    read_three,
    write_three,
)
from windlass.connectors.friction.bristle import STICKS, UNDEFINED
from windlass.connectors.markers.position_kernels import PositionMarkers
from windlass.connectors.surface_contact.beam_kernels import (
    BeamRow,
    eval_section,
    eval_section_forces,
    find_beam_point,
    read_beam_row,
)
from windlass.connectors.surface_contact.bed_beam_kernels import eval_bed_section
from windlass.connectors.surface_contact.bed_kernels import (
    BedForces,
    Heading,
    eval_bed_forces,
    find_heading,
    read_suction,
    stretch,
)
from windlass.connectors.surface_contact.distances import PROFILE, Distance, eval_distance
from windlass.connectors.surface_contact.kernels import (
    FRAMES,
    NO_ROLL,
    ContactRows,
    Lever,
    PointForces,
    Spin,
    SurfaceRow,
    TurningRow,
    count_points,
    create_frame,
    eval_forces,
    eval_spin,
    eval_turning_forces,
    find_axis_point,
    find_turning_point,
    find_values,
    read_axis,
    read_row,
    read_turning_row,
    rests,
    to_surface,
)
from windlass.connectors.surface_contact.ribbon_kernels import find_offset, find_ribbon_point
from windlass.connectors.surface_contact.turning_kernels import (
    AFTER_ANCHOR,
    AFTER_BED,
    TurningWinchRow,
    eval_bed_spin,
    eval_turning_bed,
    eval_turning_winch,
    eval_turning_winch_bed,
    eval_winch_spin,
    find_turning_winch_point,
    read_turning_winch_row,
)
from windlass.connectors.surface_contact.winch_bed_kernels import eval_winch_bed_forces
from windlass.connectors.surface_contact.winch_kernels import (
    WinchSurfaceRow,
    eval_winch_forces,
    find_material,
    find_winch_point,
    move_anchor,
    read_winch_row,
)
from windlass.elements.nodes.vectors import Vector
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import Kernel, kernel

OUTSIDE = 0.1
"""Stored gap of a point beyond the end of its surface, and of a point that has not been evaluated yet [m]."""


POINT = place_type("X", "Y", "Z", "ux", "uy", "uz", "size")
"""Data of a point in an update: X [m]; u_t [m] and |tau| [N] with the anchor at the start of the step."""
TWIST_POINT = place_type("tx", "ty", "tz", "dx", "dy", "dz", "X", "Y", "Z", "ux", "uy", "uz", "size")
"""Data of a point of a rope with twist: the fields of `POINT`, T and d_1."""

BED_POINT = place_type("bx", "by", "bz", "open", "X", "Y", "Z", "ux", "uy", "uz", "size")
"""Data of a point on a soft bed: the fields of `POINT`, whose ``ux``, ``uy`` and ``uz`` contain û instead of u_t; the
deflection u_t (``bx``, ``by``, ``bz``) [m]; and the gap g (``open``) [m].
"""
WINCH_POINT = place_type("ax", "ay", "az", "l", "X", "Y", "Z", "ux", "uy", "uz", "size")
"""Data of a point of a winch rope: the fields of `POINT`; the anchor of a point that sticks (``ax``, ``ay``, ``az``)
[m]; and the length l of the rope [m].
"""
WINCH_BED_POINT = place_type(
    "ax", "ay", "az", "l", "bx", "by", "bz", "open", "X", "Y", "Z", "ux", "uy", "uz", "size"
)  # fmt: skip
"""Data of a point of a winch rope on a soft bed: the fields of `BED_POINT` and `WINCH_POINT`."""

TURNING_BED_POINT = place_type(
    "tx", "ty", "tz", "dx", "dy", "dz", "bx", "by", "bz", "open", "X", "Y", "Z", "ux", "uy", "uz", "size"
)  # fmt: skip
"""Data of a point of a rope or thick beam that friction turns on a soft bed: the fields of `TWIST_POINT` and
`BED_POINT`.
"""
TURNING_WINCH_POINT = place_type(
    "tx", "ty", "tz", "dx", "dy", "dz", "l", "X", "Y", "Z", "ux", "uy", "uz", "size"
)  # fmt: skip
"""Data of a point of a winch rope with torsion: the fields of `TWIST_POINT`, and the length l [m]."""
TURNING_WINCH_BED_POINT = place_type(
    "tx", "ty", "tz", "dx", "dy", "dz", "l", "bx", "by", "bz", "open", "X", "Y", "Z", "ux", "uy", "uz", "size"
)  # fmt: skip
"""Data of a point of a winch rope with torsion on a soft bed: the fields of `TURNING_BED_POINT`, and the length l."""


@kernel(inline=True)
def begin_row(c: ContactRows, m: PositionMarkers, x: FloatArray, v: FloatArray, i: int, g: Any) -> SurfaceRow:
    """Return the `SurfaceRow` of row i, with which the update of this row begins."""
    return read_row(c, m, x, v, i)


@kernel(inline=True)
def try_point(
    c: ContactRows, row: Any, r: SurfaceRow, k: int, h: Distance, z: Lever, start: FloatArray, at: int, held: bool,
    g: Any, to: Any,
) -> PointForces:  # fmt: skip
    """Return the forces of a point that sticks, with the anchor at the start of the step if ``held`` is true, otherwise
    with the current position as anchor."""
    x, y, w = read_three(start, at)
    a = x if held else z.X, y if held else z.Y, w if held else z.Z
    return eval_forces(r.law, r.rope_radius, h, z, STICKS, a)


@kernel(inline=True)
def note_axes(spin: Spin, to: Any) -> None:
    """Write the tangent T and the axis d_1 of a rope with twist into ``to``."""
    to.tx, to.ty, to.tz = spin.T
    to.dx, to.dy, to.dz = spin.d1


@kernel(inline=True)
def try_twist_point(
    c: ContactRows, row: Any, r: TurningRow, k: int, h: Distance, z: Lever, start: FloatArray, at: int, held: bool,
    g: Any, to: Any,
) -> PointForces:  # fmt: skip
    """Return the forces of `try_point` for a rope with twist, and write the tangent T and the axis d_1 into ``to``."""
    n, p = row.points, r.plain
    spin = eval_spin(p.o, row, relative_place(k, n), g.y, g.yt, r.twist, g.sigma)
    a, T0, d0 = (z.X, z.Y, z.Z), spin.T, spin.d1
    if held:
        a, T0, d0 = read_three(start, at), read_three(start, at + 3 * n), read_three(start, at + 6 * n)
    note_axes(spin, to)
    return eval_turning_forces(p.law, p.rope_radius, h, z, spin, STICKS, a, T0, d0).point


@kernel(inline=True)
def try_ribbon_point(
    c: ContactRows, row: Any, r: TurningRow, k: int, h: Distance, z: Lever, start: FloatArray, at: int, held: bool,
    g: Any, to: Any,
) -> PointForces:  # fmt: skip
    """Return the forces of `try_point` for a point of a ribbon."""
    return try_point(c, row, r.plain, k, h, z, start, at, held, g, to)


@kernel(inline=True)
def note_bed_point(row: Any, e: Heading, F: BedForces, reach: float, to: Any) -> PointForces:
    """Write the deflection u_t and the gap of a point on a soft bed into ``to``, and return the forces of
    `try_bed_point`; ``reach`` is the gap at which the suction of the point ends [m]."""
    to.bx, to.by, to.bz = F.u
    to.open = F.gap
    u = stretch(row.lateral_stiffness_ratio / row.lateral_friction_ratio, e.b, F.u)
    return PointForces(F.pressing, F.circle, F.gap - reach, F.vn, F.vt, u)


@kernel(inline=True)
def try_bed_point(
    c: ContactRows, row: Any, r: SurfaceRow, k: int, h: Distance, z: Lever, start: FloatArray, at: int, held: bool,
    g: Any, to: Any,
) -> PointForces:  # fmt: skip
    """Return the forces of a sticking point on a soft bed, with the anchor of `try_point`. The fields of the result are
    the normal force min(f_n, 0), the friction f̂, the deflection û, and the gap to be stored."""
    x, y, w = read_three(start, at)
    way = z.X - x if held else 0.0, z.Y - y if held else 0.0, z.Z - w if held else 0.0
    e, s = find_heading(r, h, k, row.points), read_suction(row, start, k)
    F = eval_bed_forces(row, r.law, h, z, e, s, STICKS, way, (z.U, z.V, z.W), rests(z), NO_ROLL)
    return note_bed_point(row, e, F, s.reach, to)


@kernel(inline=True)
def try_anchor(
    c: ContactRows, row: Any, r: WinchSurfaceRow, k: int, z: Lever, start: FloatArray, at: int, held: bool, to: Any
) -> tuple[Vector, float]:
    """Write the length l of a winch rope and the anchor of a point that sticks into ``to``. Return the anchor before
    the step, or the current position if ``held`` is false, and l - l_0 [m]."""
    t, a, paid = find_material(row, r, k), (z.X, z.Y, z.Z), 0.0
    if held:
        a, paid = read_three(start, at), r.l - start[row.last]
    way = -paid * t.a
    to.l, (to.ax, to.ay, to.az) = r.l, move_anchor(c, r.plain.surface, a, (way * t.T[0], way * t.T[1], way * t.T[2]))
    return a, paid


@kernel(inline=True)
def try_winch_point(
    c: ContactRows, row: Any, r: WinchSurfaceRow, k: int, h: Distance, z: Lever, start: FloatArray, at: int, held: bool,
    g: Any, to: Any,
) -> PointForces:  # fmt: skip
    """Return the forces of `try_point` for a winch rope, and write l and the anchor of a point that sticks into
    ``to``."""
    t, (a, paid) = find_material(row, r, k), try_anchor(c, row, r, k, z, start, at, held, to)
    return eval_winch_forces(r, h, z, t, STICKS, a, paid, NO_ROLL).point


@kernel(inline=True)
def try_winch_bed_point(
    c: ContactRows, row: Any, r: WinchSurfaceRow, k: int, h: Distance, z: Lever, start: FloatArray, at: int, held: bool,
    g: Any, to: Any,
) -> PointForces:  # fmt: skip
    """Return the forces of `try_bed_point` for a winch rope, and write l and the anchor of a point that sticks into
    ``to``.
    """
    t, (a, paid) = find_material(row, r, k), try_anchor(c, row, r, k, z, start, at, held, to)
    F = eval_winch_bed_forces(row, r, h, z, t, k, start, STICKS, a, paid, NO_ROLL)
    return note_bed_point(row, F.e, F.bed, read_suction(row, start, k).reach, to)


@kernel(inline=True)
def try_beam_point(
    c: ContactRows, row: Any, r: BeamRow, k: int, h: Distance, z: Lever, start: FloatArray, at: int, held: bool,
    g: Any, to: Any,
) -> PointForces:  # fmt: skip
    """Return the forces of `try_point` for a thick beam, and write the axes e_1 and e_2 into ``to``."""
    n, p, s = row.points, r.plain, eval_section(row, r, k)
    a, d10, d20 = (z.X, z.Y, z.Z), s.d1, s.d2
    if held:
        a, d10, d20 = read_three(start, at), read_three(start, at + 3 * n), read_three(start, at + 6 * n)
    to.tx, to.ty, to.tz = s.d1
    to.dx, to.dy, to.dz = s.d2
    return eval_section_forces(p.law, p.rope_radius, h, z, s, STICKS, a, d10, d20).point


@kernel(inline=True)
def try_bed_beam_point(
    c: ContactRows, row: Any, r: BeamRow, k: int, h: Distance, z: Lever, start: FloatArray, at: int, held: bool,
    g: Any, to: Any,
) -> PointForces:  # fmt: skip
    """Return the forces of `try_bed_point` for a thick beam, and write the axes e_1 and e_2 into ``to``."""
    n, s, frame = row.points, eval_section(row, r, k), at + AFTER_BED * row.points
    a, d10, d20 = (z.X, z.Y, z.Z), s.d1, s.d2
    if held:
        a, d10, d20 = read_three(start, at), read_three(start, frame), read_three(start, frame + 3 * n)
    to.tx, to.ty, to.tz = s.d1
    to.dx, to.dy, to.dz = s.d2
    F = eval_bed_section(row, r.plain, h, z, s, k, start, STICKS, a, d10, d20)
    return note_bed_point(row, F.e, F.bed, read_suction(row, start, k).reach, to)


@kernel(inline=True)
def try_turning_bed_point(
    c: ContactRows, row: Any, r: TurningRow, k: int, h: Distance, z: Lever, start: FloatArray, at: int, held: bool,
    g: Any, to: Any,
) -> PointForces:  # fmt: skip
    """Return the forces of `try_bed_point` for a rope that friction turns, and write T and d_1 into ``to``."""
    spin, frame = eval_bed_spin(row, r, k, g), at + AFTER_BED * row.points
    a, T0, d0 = (z.X, z.Y, z.Z), spin.T, spin.d1
    if held:
        a, T0, d0 = read_three(start, at), read_three(start, frame), read_three(start, frame + 3 * row.points)
    note_axes(spin, to)
    F = eval_turning_bed(row, r, h, z, spin, k, start, STICKS, a, T0, d0)
    return note_bed_point(row, F.e, F.bed, read_suction(row, start, k).reach, to)


@kernel(inline=True)
def begin_turning_winch(
    row: Any, r: TurningWinchRow, k: int, z: Lever, start: FloatArray, at: int, frame: int, held: bool, g: Any, to: Any
) -> tuple[Any, Vector, Vector, Vector, float]:
    """Write T, d_1 and l of point k to ``to``. Return the material at the point, the anchor [m], T and d_1 at the start
    of the step, and the length [m] that was paid out since then. A point that has just closed begins to stick at its
    present position. The argument ``frame`` is the index of the first component of T in the history values.
    """
    t, w = find_material(row, r.winch, k), r.winch
    spin, _ = eval_winch_spin(row, r, t, k, g)
    a, T0, d0, paid = (z.X, z.Y, z.Z), spin.T, spin.d1, 0.0
    if held:
        a, T0, d0 = read_three(start, at), read_three(start, frame), read_three(start, frame + 3 * row.points)
        paid = w.l - start[row.last]
    note_axes(spin, to)
    to.l = w.l
    return t, a, T0, d0, paid


@kernel(inline=True)
def try_turning_winch_point(
    c: ContactRows, row: Any, r: TurningWinchRow, k: int, h: Distance, z: Lever, start: FloatArray, at: int, held: bool,
    g: Any, to: Any,
) -> PointForces:  # fmt: skip
    """Return the forces of `try_twist_point` for a winch rope, and write T, d_1 and l into ``to``."""
    t, a, T0, d0, paid = begin_turning_winch(row, r, k, z, start, at, at + AFTER_ANCHOR * row.points, held, g, to)
    return eval_turning_winch(row, r, h, z, t, k, g, start, STICKS, a, T0, d0, paid).forces.point


@kernel(inline=True)
def try_turning_winch_bed_point(
    c: ContactRows, row: Any, r: TurningWinchRow, k: int, h: Distance, z: Lever, start: FloatArray, at: int, held: bool,
    g: Any, to: Any,
) -> PointForces:  # fmt: skip
    """Return the forces of `try_turning_bed_point` for a winch rope, and write T, d_1 and l into ``to``."""
    t, a, T0, d0, paid = begin_turning_winch(row, r, k, z, start, at, at + AFTER_BED * row.points, held, g, to)
    F = eval_turning_winch_bed(row, r, h, z, t, k, g, start, STICKS, a, T0, d0, paid).forces
    return note_bed_point(row, F.e, F.bed, read_suction(row, start, k).reach, to)


@kernel(inline=True)
def keep_nothing(row: Any, data: FloatArray, start: FloatArray, k: int, p: Any) -> None:
    """Store no further values. This kernel is the argument ``keep`` of `create_surface_update` for points without
    suction.
    """


@kernel(inline=True)
def keep_suction(row: Any, data: FloatArray, start: FloatArray, k: int, p: Any) -> None:
    """Store δ and m of a point on a soft bed, see the docstring of this module."""
    n, first, s = row.points, row.data, read_suction(row, start, k)
    at_depth, at_opened = first + 5 * n + k, first + 6 * n + k
    if p.gap > 0.0:
        data[at_depth], data[at_opened] = 0.0, 0.0
    elif p.open > 0.0:
        data[at_depth], data[at_opened] = start[at_depth], max(start[at_opened], p.open)
    else:
        again = start[first + k] > 0.0 or s.opened > s.peak or row.suction_coefficient == 0.0
        data[at_depth], data[at_opened] = max(0.0 if again else start[at_depth], -p.open), 0.0


@kernel(inline=True)
def keep_length(row: Any, data: FloatArray, start: FloatArray, k: int, p: Any) -> None:
    """Store the length of the rope as l_0."""
    data[row.last] = p.l


@kernel(inline=True)
def keep_suction_and_length(row: Any, data: FloatArray, start: FloatArray, k: int, p: Any) -> None:
    """Store δ, m and l_0 of a point of a winch rope on a soft bed."""
    keep_suction(row, data, start, k, p)
    keep_length(row, data, start, k, p)


@kernel(inline=True)
def store_bed_anchor(
    data: FloatArray, start: FloatArray, at: int, n: int, p: Any, back: float, stays: bool
) -> None:  # fmt: skip
    """Store the anchor of a point on a soft bed in the same way as `store_anchor`, but with u_t instead of the
    deflection û."""
    X, Y, Z = p.X - back * p.bx, p.Y - back * p.by, p.Z - back * p.bz
    if stays:
        X, Y, Z = start[at], start[at + 1], start[at + 2]
    write_three(data, at, (X, Y, Z))


@kernel(inline=True)
def store_anchor(
    data: FloatArray, start: FloatArray, at: int, n: int, p: Any, back: float, stays: bool
) -> None:  # fmt: skip
    """Store the anchor of a point. The argument ``back`` is the result of `decide_point`. The argument ``stays`` is
    true if a point with a bristle has stuck since the start of the step. The anchor of such a point is the anchor at
    the start of the step.
    """
    X, Y, Z = p.X - back * p.ux, p.Y - back * p.uy, p.Z - back * p.uz
    if stays:
        X, Y, Z = start[at], start[at + 1], start[at + 2]
    write_three(data, at, (X, Y, Z))


@kernel(inline=True)
def store_winch_anchor(
    data: FloatArray, start: FloatArray, at: int, n: int, p: Any, back: float, stays: bool
) -> None:  # fmt: skip
    """Store the anchor of a point of a winch rope. See `store_anchor`. The anchor of a point that sticks moves with the
    material.
    """
    X, Y, Z = p.X - back * p.ux, p.Y - back * p.uy, p.Z - back * p.uz
    write_three(data, at, (p.ax if stays else X, p.ay if stays else Y, p.az if stays else Z))


@kernel(inline=True)
def store_winch_bed_anchor(
    data: FloatArray, start: FloatArray, at: int, n: int, p: Any, back: float, stays: bool
) -> None:  # fmt: skip
    """Store the anchor of a point of a winch rope on a soft bed; see `store_winch_anchor`."""
    X, Y, Z = p.X - back * p.bx, p.Y - back * p.by, p.Z - back * p.bz
    write_three(data, at, (p.ax if stays else X, p.ay if stays else Y, p.az if stays else Z))


@kernel(inline=True)
def store_twist_anchor(
    data: FloatArray, start: FloatArray, at: int, n: int, p: Any, back: float, stays: bool
) -> None:  # fmt: skip
    """Store the anchor, the tangent and the axis d_1 of a point of a rope with twist. See `store_anchor`."""
    back = 1.0 if stays else back
    write_three(data, at, (p.X - back * p.ux, p.Y - back * p.uy, p.Z - back * p.uz))
    write_three(data, at + 3 * n, (p.tx, p.ty, p.tz))
    write_three(data, at + 6 * n, (p.dx, p.dy, p.dz))


@kernel(inline=True)
def store_turning_bed_anchor(
    data: FloatArray, start: FloatArray, at: int, n: int, p: Any, back: float, stays: bool
) -> None:  # fmt: skip
    """Store the anchor and the axes of a rope or beam that friction turns on a soft bed, in the same way as
    `store_twist_anchor`, but with u_t instead of the deflection û.
    """
    back, frame = 1.0 if stays else back, at + AFTER_BED * n
    write_three(data, at, (p.X - back * p.bx, p.Y - back * p.by, p.Z - back * p.bz))
    write_three(data, frame, (p.tx, p.ty, p.tz))
    write_three(data, frame + 3 * n, (p.dx, p.dy, p.dz))


@kernel(inline=True)
def is_beyond(c: ContactRows, m: PositionMarkers, x: FloatArray, i: int, more: float) -> bool:
    """Return whether all points of row i, which are at most ``more`` [m] from the axis, are certainly open. The
    distance from a plane, a sphere, a line or a sheave differs between two points by at most their distance. For other
    surfaces, return false.
    """
    row, q = c.rows[i], read_axis(c, x, i)
    s, reach = row.surface, reach_of_axis(row.length * row.points, q) + more
    k = c.surfaces.marker[s]
    if c.surfaces.kind[s] >= PROFILE:
        return False
    o = create_frame(c.surfaces.Q, s, m.position, m.velocity, m.angular_velocity, m.rotation, k)
    X, Y, Z = to_surface(o, q[0] - o.cx, q[1] - o.cy, q[2] - o.cz)
    h = eval_distance(c.surfaces.kind, c.surfaces.geo, c.surfaces.pieces, s, X, Y, Z)
    far: bool = h.phi - row.rope_radius > reach
    return far


@kernel(inline=True)
def is_far(c: ContactRows, m: PositionMarkers, data: FloatArray, x: FloatArray, i: int) -> bool:
    """Return whether all points of row i, which are on the axis, are certainly open, see `create_update`."""
    return is_beyond(c, m, x, i, 0.0)


@kernel(inline=True)
def is_ribbon_far(c: ContactRows, m: PositionMarkers, data: FloatArray, x: FloatArray, i: int) -> bool:
    """Return whether all points of a ribbon in row i are certainly open, see `create_update`."""
    return is_beyond(c, m, x, i, abs(find_offset(c.rows[i].width, c.rows[i].lines, 0)))


def create_surface_update(
    place: np.dtype[Any], frames: np.dtype[Any], begin: Kernel, find: Kernel, evaluate: Kernel, store: Kernel,
    keep: Kernel = keep_nothing, far: Kernel = is_never_far,
) -> Kernel:  # fmt: skip
    """Create the update of rows, see `create_update`.

    Args:
        place: type of the record that contains the values of a point.
        frames: type of the memory g. The type is `FRAMES` for cables with twist, otherwise `NO_LANES`.
        begin: kernel that reads a row, see `begin_row`.
        find: kernel that evaluates the place of a point, see `find_axis_point`.
        evaluate: kernel that evaluates the forces of a sticking point, see `try_point`.
        store: kernel that stores the anchor of a point, see `store_anchor`.
        keep: kernel that stores further history values of a point, see `keep_suction`.
        far: kernel that finds rows without closed points, see `create_update`.
    """

    @kernel(inline=True)
    def measure(
        c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
        rows: IntArray, number: int, lanes: NDArray[Any], places: NDArray[Any],
    ) -> None:  # fmt: skip
        """Evaluate the gap g, the normal force f_n and the deflection u_t of the points of a row, with the history
        values at the start of the step."""
        i, g = rows[number], lanes[0]
        row = c.rows[i]
        n, first, r = row.points, row.data, begin(c, m, x, v, i, g)
        for k in range(n):
            _, z, h = find(c, r, i, k, g)
            held = row.friction_stiffness != 0.0 and start[first + n + k] != UNDEFINED
            to = places[k]
            F = evaluate(c, row, r, k, h, z, start, first + 2 * n + 3 * k, held, g, to)
            to.gap, to.fn = F.gap if h.there else OUTSIDE, F.fn if h.there else 0.0
            to.X, to.Y, to.Z, to.size = z.X, z.Y, z.Z, F.f.size
            to.ux, to.uy, to.uz = F.u

    @kernel(inline=True)
    def decide_states(
        c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
        size: FloatArray, commits: bool, i: int, number: int, places: NDArray[Any],
    ) -> tuple[float, float, bool]:  # fmt: skip
        """Determine the states of the points of a row, and store the anchors of the points."""
        row = c.rows[i]
        n, first, mu, mu_k = row.points, row.data, row.friction_coefficient, row.friction_stiffness
        rubs = mu != 0.0 and (mu_k != 0.0 or row.friction_velocity_penalty != 0.0)
        for k in range(n):
            p = places[k]
            p.state, p.excess = UNDEFINED, 0.0
            if rubs and p.gap <= 0.0:
                held = start[first + n + k] != UNDEFINED
                back = decide_point(p, held or size[0] == 0.0, mu, mu_k)
                stays = p.state == STICKS and held and mu_k != 0.0
                store(data, start, first + 2 * n + 3 * k, n, p, back, stays)
            keep(row, data, start, k, p)
        return 0.0, 0.0, False

    return create_update(count_points, find_values, place, frames, measure, decide_states, far)


_update = create_surface_update(POINT, NO_LANES, begin_row, find_axis_point, try_point, store_anchor, far=is_far)
_update_twist = create_surface_update(
    TWIST_POINT, FRAMES, read_turning_row, find_turning_point, try_twist_point, store_twist_anchor, far=is_far
)
_update_ribbon = create_surface_update(
    POINT, FRAMES, read_turning_row, find_ribbon_point, try_ribbon_point, store_anchor, far=is_ribbon_far
)
_update_bed = create_surface_update(
    BED_POINT, NO_LANES, begin_row, find_axis_point, try_bed_point, store_bed_anchor, keep_suction, is_far
)
_update_winch_bed = create_surface_update(
    WINCH_BED_POINT, NO_LANES, read_winch_row, find_winch_point, try_winch_bed_point, store_winch_bed_anchor,
    keep_suction_and_length,
)  # fmt: skip
_update_beam = create_surface_update(
    TWIST_POINT, NO_LANES, read_beam_row, find_beam_point, try_beam_point, store_twist_anchor, far=is_far
)
_update_bed_beam = create_surface_update(
    TURNING_BED_POINT, NO_LANES, read_beam_row, find_beam_point, try_bed_beam_point, store_turning_bed_anchor,
    keep_suction, is_far,
)  # fmt: skip
_update_winch = create_surface_update(
    WINCH_POINT, NO_LANES, read_winch_row, find_winch_point, try_winch_point, store_winch_anchor, keep_length
)

_update_turning_bed = create_surface_update(
    TURNING_BED_POINT, FRAMES, read_turning_row, find_turning_point, try_turning_bed_point, store_turning_bed_anchor,
    keep_suction,
)  # fmt: skip
_update_turning_winch = create_surface_update(
    TURNING_WINCH_POINT, FRAMES, read_turning_winch_row, find_turning_winch_point, try_turning_winch_point,
    store_twist_anchor, keep_length,
)  # fmt: skip
_update_turning_winch_bed = create_surface_update(
    TURNING_WINCH_BED_POINT, FRAMES, read_turning_winch_row, find_turning_winch_point, try_turning_winch_bed_point,
    store_turning_bed_anchor, keep_suction_and_length,
)  # fmt: skip


@kernel
def update_history(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    size: FloatArray, mapped: FloatArray, commits: bool, outcome: FloatArray,
) -> None:  # fmt: skip
    """Update the history values of all rows, see `create_update`."""
    _update(c, m, data, start, x, v, size, mapped, commits, outcome)


@kernel
def update_twist_history(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    size: FloatArray, mapped: FloatArray, commits: bool, outcome: FloatArray,
) -> None:  # fmt: skip
    """Update the history values of all rows of ropes with twist, see `create_update`."""
    _update_twist(c, m, data, start, x, v, size, mapped, commits, outcome)


@kernel
def update_ribbon_history(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    size: FloatArray, mapped: FloatArray, commits: bool, outcome: FloatArray,
) -> None:  # fmt: skip
    """Update the history values of all rows of ribbons, see `create_update`."""
    _update_ribbon(c, m, data, start, x, v, size, mapped, commits, outcome)


@kernel
def update_bed_history(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    size: FloatArray, mapped: FloatArray, commits: bool, outcome: FloatArray,
) -> None:  # fmt: skip
    """Update the history values of all rows of lines on soft beds, see `create_update`."""
    _update_bed(c, m, data, start, x, v, size, mapped, commits, outcome)


@kernel
def update_winch_history(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    size: FloatArray, mapped: FloatArray, commits: bool, outcome: FloatArray,
) -> None:  # fmt: skip
    """Update the history values of all rows of winch ropes, see `create_update`."""
    _update_winch(c, m, data, start, x, v, size, mapped, commits, outcome)


@kernel
def update_winch_bed_history(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    size: FloatArray, mapped: FloatArray, commits: bool, outcome: FloatArray,
) -> None:  # fmt: skip
    """Update the history values of all rows of winch ropes on soft beds, see `create_update`."""
    _update_winch_bed(c, m, data, start, x, v, size, mapped, commits, outcome)


@kernel
def update_beam_history(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    size: FloatArray, mapped: FloatArray, commits: bool, outcome: FloatArray,
) -> None:  # fmt: skip
    """Update the history values of all rows of thick beams, see `create_update`."""
    _update_beam(c, m, data, start, x, v, size, mapped, commits, outcome)


@kernel
def update_bed_beam_history(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    size: FloatArray, mapped: FloatArray, commits: bool, outcome: FloatArray,
) -> None:  # fmt: skip
    """Update the history values of all rows of thick beams on soft beds, see `create_update`."""
    _update_bed_beam(c, m, data, start, x, v, size, mapped, commits, outcome)


@kernel
def update_turning_bed_history(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    size: FloatArray, mapped: FloatArray, commits: bool, outcome: FloatArray,
) -> None:  # fmt: skip
    """Update the history values of all rows of ropes that friction turns on soft beds, see `create_update`."""
    _update_turning_bed(c, m, data, start, x, v, size, mapped, commits, outcome)


@kernel
def update_turning_winch_history(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    size: FloatArray, mapped: FloatArray, commits: bool, outcome: FloatArray,
) -> None:  # fmt: skip
    """Update the history values of all rows of winch ropes with torsion, see `create_update`."""
    _update_turning_winch(c, m, data, start, x, v, size, mapped, commits, outcome)


@kernel
def update_turning_winch_bed_history(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    size: FloatArray, mapped: FloatArray, commits: bool, outcome: FloatArray,
) -> None:  # fmt: skip
    """Update the history values of all rows of winch ropes with torsion on soft beds, see `create_update`."""
    _update_turning_winch_bed(c, m, data, start, x, v, size, mapped, commits, outcome)
