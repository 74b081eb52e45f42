"""Contact of a circle with the straight segments of a cable: geometry and forces.

The circle has the centre c with the velocity v_c, the rotation matrix A, the angular velocity omega and the radius r.
The function wrap subtracts multiples of the circumference 2 pi r, so that the result is between -pi r and pi r. For
each segment, a = p0 - c and b = p1 - c are the end points relative to the centre of the circle, v_0 and v_1 are the
velocities of the end points, and e = b - a:

    closest point: rho = -e.a/(e.e), clamped to [0, 1],   w = a + rho e
    directions: n = w/|w| from circle to cable,   t = [-n_y, n_x]
    gap: g = |w| - r
    velocities: v_rel = (1-rho) v_0 + rho v_1 - v_c - r omega t,   v_n = v_rel.n,   v_t = v_rel.t
    normal force: f_n = k_c g + d_c s v_n,   s = 1, or s = -g/g_0 clamped to [0, 1] if damping fades in over a depth g_0
    friction: f_t = mu_v v_t + mu_k wrap(x_cur - x_stick) if the segment sticks, else mu |f_n| times the state
    position: x_cur = r alpha + sigma (rho - 1/2) l,   alpha = angle of A^T n,   sigma = -1 if t.e > 0 else +1

The length l is chosen such that x_cur is constant while a stretched segment rolls onto the circle. If the segment lies
on the axis (offset y = 0), l = |e|. Bending changes the length of a line at the offset y, but not the length of the
axis. Therefore, for y ≠ 0, rho, alpha and |e| are evaluated on the axis. The axis lies on a circle of radius r - sigma
y, so that l = |e| r/(r - sigma y). The published form is x_cur = r alpha + sigma rho L/n, with the reference length L
of the cable and n segments. In the published form, x_cur of a segment with the stretch lam changes by (lam - 1) L/(2 n)
while the segment rolls onto the circle without slip.

History values of a row with n segments: n gaps and, with friction, n states (0 sticks, +-1 slips, -2 undefined) and n
sticking positions. Forces depend on the history values and on the current geometry. The kernels of `update.py` change
states only between Newton runs. Therefore the equations that Newton's method solves are smooth.

Source: J. Gerstmayr and others, documentation of Exudyn 1.11, item ObjectContactFrictionCircleCable2D. The
documentation of Exudyn does not state the signs of n and sigma and the contribution of the rotation of the circle to
v_rel. These signs and this contribution were determined from results of Exudyn.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.contact.arctangent import arctan2, wrap
from windlass.connectors.contact.circles import Disc
from windlass.connectors.friction.bristle import STICKS, coulomb, friction_force, trial
from windlass.connectors.markers.cable_shape import ShapeMarkers
from windlass.elements.cable.points import Four
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel


class SegmentRows(NamedTuple):
    """Data of the rows of a contact law with segments, as read by kernels.

    Attributes:
        rows: records, shape (rows,). ``circle`` and ``cable`` are the indices of the markers among the markers of their
            families, ``data`` is the index of the first history value, ``segments`` the number of segments. For one
            segment ``contact_stiffness`` is in N/m, ``contact_damping`` in N s/m, ``friction_velocity_penalty`` in N
            s/m, ``friction_stiffness`` in N/m, and ``length`` is the reference length of a segment [m]. Further fields
            are ``friction_coefficient`` [1], ``radius`` of the circle [m], and ``active``. ``damping_depth`` is the
            depth g_0 at which the full damping is reached [m], 0 for full damping from the first contact.
            ``use_segment_normals``: whether forces act along the normal of the segment, otherwise along the normals at
            the end points of the segment. ``clip_normal_force``: whether a pulling normal force is set to 0.
            ``is_current``: whether sticking positions are measured with the current length of segments, otherwise with
            the reference length. ``shift``: displacement of moving material through the mesh, divided by the reference
            length of a segment [1], see `set_shift`; 0 for other cables.
        friction: whether the law has friction. Rows of a law with friction have three history values per segment. Rows
            of a law without friction have one history value per segment.
        dofs: process-local indices of the coordinates of the cable (8) and of the circle (m), shape (rows, 8 + m).
    """

    rows: NDArray[Any]
    friction: bool
    dofs: IntArray


@kernel(inline=True)
def closest_point(ax: float, ay: float, bx: float, by: float) -> tuple[float, bool, float, float, float]:
    """Return the following values for the segment from a to b: rho [1], whether rho is not clamped, the distance |w|
    [m], and the two components of n. If the centre of the circle lies on the segment, n = 0.
    """
    ex, ey = bx - ax, by - ay
    E = ex * ex + ey * ey
    rho = -(ex * ax + ey * ay)
    free = 0.0 < rho < E
    if free:
        rho /= E
    elif rho <= 0.0:
        rho = 0.0
    else:
        rho = 1.0
    wx, wy = ax + rho * ex, ay + rho * ey
    D = np.sqrt(wx * wx + wy * wy)
    inverse = 1.0 / D if D > 0.0 else 0.0
    return rho, free, D, wx * inverse, wy * inverse


class SegmentParameters(NamedTuple):
    """Parameters of one row, see `SegmentRows`. All fields are scalars, because compiled code passes scalars to
    functions without additional computing time.
    """

    contact_stiffness: float
    contact_damping: float
    friction_velocity_penalty: float
    friction_stiffness: float
    friction_coefficient: float
    radius: float
    length: float
    damping_depth: float
    use_segment_normals: bool
    clip_normal_force: bool
    is_current: bool
    shift: float
    vertical_offset: float


@kernel(inline=True)
def read_parameters(row: Any, shape: ShapeMarkers) -> SegmentParameters:
    """Read the parameters of a row."""
    return SegmentParameters(
        row.contact_stiffness, row.contact_damping, row.friction_velocity_penalty, row.friction_stiffness,
        row.friction_coefficient, row.radius, row.length, row.damping_depth, row.use_segment_normals,
        row.clip_normal_force, row.is_current, row.shift, shape.offset[row.cable],
    )  # fmt: skip


@kernel(inline=True)
def normal_force(par: SegmentParameters, g: float, vn: float) -> tuple[float, float, float]:
    """Return the normal force f_n [N], and the derivatives of f_n with respect to the gap g and to the rate v_n of the
    gap. If `clip_normal_force` is true and f_n >= 0, all three results are 0.

    With the stiffness k_c, the damping d_c, a depth g_0 and v_0 = k_c g_0/d_c, the force is f_n = k_c g (1 - v_n/v_0)
    while -g < g_0. Therefore the force is continuous where segment and circle touch. Source: K. H. Hunt, F. R. E.
    Crossley, J. Appl. Mech. 42 (1975), exponent 1.
    """
    kg, d = par.contact_stiffness, par.contact_damping
    if par.damping_depth > 0.0 and -g < par.damping_depth:
        d = par.contact_damping * max(-g, 0.0) / par.damping_depth
        if g < 0.0:
            kg -= par.contact_damping * vn / par.damping_depth
    fn = par.contact_stiffness * g + d * vn
    if par.clip_normal_force and fn >= 0.0:
        return 0.0, 0.0, 0.0
    return fn, kg, d


class Chord(NamedTuple):
    """End points relative to the centre of the circle, and the results of `closest_point`. All fields are scalars."""

    ax: float
    ay: float
    bx: float
    by: float
    rho: float
    free: bool
    D: float
    nx: float
    ny: float


@kernel(inline=True)
def create_chord(ax: float, ay: float, bx: float, by: float) -> Chord:
    """Create the `Chord` between two points."""
    rho, free, D, nx, ny = closest_point(ax, ay, bx, by)
    return Chord(ax, ay, bx, by, rho, free, D, nx, ny)


@kernel(inline=True)
def read_slopes(slope: FloatArray, j: int) -> Four:
    """Return the slopes r' of the axis at the points j and j + 1."""
    return slope[j, 0], slope[j, 1], slope[j + 1, 0], slope[j + 1, 1]


@kernel(inline=True)
def lower_chord(slopes: Four, y: float, h: Chord) -> Chord:
    """Create the chord of the axis for a segment ``h`` that lies at the offset y from the axis. The argument ``slopes``
    contains r' at both ends.
    """
    ux, uy, wx, wy = slopes
    u, w = y / np.sqrt(ux * ux + uy * uy), y / np.sqrt(wx * wx + wy * wy)
    return create_chord(h.ax + u * uy, h.ay - u * ux, h.bx + w * wy, h.by - w * wx)


@kernel(inline=True)
def axis_chord(slope: FloatArray, j: int, y: float, h: Chord) -> Chord:
    """Create the chord of the axis for the segment ``h`` from point j to j + 1, which lies at the offset y from the
    axis.
    """
    return lower_chord(read_slopes(slope, j), y, h)


@kernel(inline=True)
def side(h: Chord) -> float:
    """Return the sign sigma, which is -1 if the direction of the segment is counter-clockwise about the circle (t.e >
    0), otherwise 1.
    """
    return -1.0 if h.nx * (h.by - h.ay) - h.ny * (h.bx - h.ax) > 0.0 else 1.0


@kernel(inline=True)
def place_on_circle(par: SegmentParameters, o: Disc, z: Chord) -> tuple[float, float, float]:
    """Return the position x_cur [m] of the contact point along circle and segment, measured on the chord ``z``. Also
    return the derivatives of x_cur with respect to the relative position rho of the closest point, in [m], and with
    respect to the length of the chord, in [1].
    """
    sigma = side(z)
    alpha = arctan2(o.a01 * z.nx + o.a11 * z.ny, o.a00 * z.nx + o.a10 * z.ny)
    if not par.is_current:
        return par.radius * alpha + sigma * (z.rho - par.shift) * par.length, sigma * par.length, 0.0
    ex, ey = z.bx - z.ax, z.by - z.ay
    factor = sigma * par.radius / (par.radius - sigma * par.vertical_offset) if par.vertical_offset != 0.0 else sigma
    d_length = factor * (z.rho - 0.5 - par.shift)
    d_rho = factor * np.sqrt(ex * ex + ey * ey)
    return par.radius * alpha + (z.rho - 0.5 - par.shift) * d_rho, d_rho, d_length


@kernel(inline=True)
def stick_position(par: SegmentParameters, o: Disc, slope: FloatArray, j: int, h: Chord) -> tuple[float, float, float]:
    """Return the results of `place_on_circle` for the segment ``h`` from point j to point j + 1."""
    on_axis = par.is_current and par.vertical_offset != 0.0
    return place_on_circle(par, o, axis_chord(slope, j, par.vertical_offset, h) if on_axis else h)


class SegmentState(NamedTuple):
    """Geometry, rates and forces of one segment. All fields are scalars. The docstring of this module defines the
    symbols.

    (vax, vay) and (vbx, vby) are velocities of the end points relative to the centre. ``bristle`` is the deflection of
    the bristle. d_rho and d_length are the derivatives of x_cur with respect to rho and to the length |e| of the chord.
    These three values are 0 if the segment does not stick or has no bristle.
    """

    chord: Chord
    vax: float
    vay: float
    vbx: float
    vby: float
    vn: float
    vt: float
    fn: float
    ft: float
    state: float
    bristle: float
    d_rho: float
    d_length: float


# Functions that are called for each segment receive arrays, not tuples of arrays. For tuples, compiled code would count
# the references to each array in each call, and the count takes as long as the evaluation of a segment.


@kernel(inline=True)
def eval_rates(par: SegmentParameters, o: Disc, h: Chord, va: Four) -> tuple[float, float, float]:
    """Evaluate the velocities v_n and v_t [m/s] and the normal force f_n [N] of the segment ``h``. The argument ``va``
    contains the velocities of both ends relative to the centre.
    """
    vax, vay, vbx, vby = va
    vx, vy = vax + h.rho * (vbx - vax), vay + h.rho * (vby - vay)
    vn = vx * h.nx + vy * h.ny
    vt = vy * h.nx - vx * h.ny - par.radius * o.omega
    return vn, vt, normal_force(par, h.D - par.radius, vn)[0]


@kernel(inline=True)
def eval_friction(par: SegmentParameters, state: float, vt: float, bristle: float, fn: float) -> float:
    """Return the friction f_t [N]. The bristle deflection ``bristle`` is 0 if the segment does not stick."""
    return friction_force(
        state,
        trial(par.friction_stiffness, bristle, par.friction_velocity_penalty, vt),
        coulomb(par.friction_coefficient, fn)[0],
    )


@kernel(inline=True)
def eval_segment(
    par: SegmentParameters, o: Disc, p: FloatArray, v: FloatArray, slope: FloatArray, j: int, state: float, stick: float
) -> SegmentState:
    """Evaluate geometry, rates and forces of the segment from point j to j + 1 with the contact state ``state`` and the
    sticking position ``stick``.
    """
    h = create_chord(p[j, 0] - o.cx, p[j, 1] - o.cy, p[j + 1, 0] - o.cx, p[j + 1, 1] - o.cy)
    vax, vay, vbx, vby = v[j, 0] - o.vx, v[j, 1] - o.vy, v[j + 1, 0] - o.vx, v[j + 1, 1] - o.vy
    vn, vt, fn = eval_rates(par, o, h, (vax, vay, vbx, vby))
    bristle, d_rho, d_length = 0.0, 0.0, 0.0
    if state == STICKS and par.friction_stiffness != 0.0:
        x, d_rho, d_length = stick_position(par, o, slope, j, h)
        bristle = wrap(x - stick, par.radius)
    ft = eval_friction(par, state, vt, bristle, fn)
    return SegmentState(h, vax, vay, vbx, vby, vn, vt, fn, ft, state, bristle, d_rho, d_length)


@kernel(inline=True)
def end_normal(x: float, y: float) -> tuple[float, float]:
    """Return the unit vector from the centre of the circle to an end point. If the end point is the centre, return
    0.
    """
    l = np.sqrt(x * x + y * y)
    inverse = 1.0 / l if l > 0.0 else 0.0
    return x * inverse, y * inverse


@kernel(inline=True)
def force_normals(par: SegmentParameters, h: Chord) -> tuple[float, float, float, float]:
    """Return the unit vectors along which the normal force acts on the two end points."""
    if par.use_segment_normals:
        return h.nx, h.ny, h.nx, h.ny
    n0x, n0y = end_normal(h.ax, h.ay)
    n1x, n1y = end_normal(h.bx, h.by)
    return n0x, n0y, n1x, n1y
