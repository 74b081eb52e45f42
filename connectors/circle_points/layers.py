"""Initial deflection of bristles on a rigid layer. Cables of a belt that move onto a circle keep the stretch that they
have at the entry. The entry is the point where the belt first touches the circle.

Material that moves onto a circle sticks to the circle at the point where it touches the circle. Consider the time
between the touches of two successive cables. In this time, the rim of the circle moves by the reference length of a
cable times the stretch at the entry. This product is the distance between the mean anchors of both cables. With the
reference lengths l_i and l_j of the cables,

    anchor_i = anchor_j + s (l_i + l_j)/2 lam,    u_i = arc_i - anchor_i
    lam = lam_i - w

Here j is the neighbour of cable i on the circle, and lam_i is the mean stretch of cable i at the time at which its
anchor is set. The sign s is +1 if the arc position increases from cable j to cable i, otherwise -1. If both neighbours
lie on the circle, u_i is the mean of both results. Each cable that moves onto the circle causes a wave in the tension.
Whenever the anchor of a cable is set, the wave has the same phase. The mean of this wave over the last `MEMORY` cables
is

    w = mean of lam_i - (lam_before - EI/(2 EA r²))

lam_before is the mean of the stretch of cable i while the cable moves by its length l_i, immediately before it reaches
the circle. The mean is computed by the trapezoidal rule over exactly one length of a cable. This length is the period
of the waves. Therefore the waves cancel. Bending onto the circle changes the stretch by EI/(2 EA r²). The stretch lam
itself must not be averaged over time. A mean over time would be a delayed stretch. A delayed stretch on the circle
supplies energy to vibrations of the drive. The amplitude of these vibrations would then increase.

With these anchors, the rate of shear of the bristles along the arc, u' = lam - lam_entry, is 0 at the entry for any
stiffness of the bristles. A rigid layer has the same property. In steady motion the speed of the rim is the speed of
the belt at the entry, omega r = c lam, where c is the reference length of belt that passes per unit of time. On an
elastic layer (second part of this docstring) the bristles are sheared from the entry, and on short arcs the loss of
speed is larger than on a rigid layer. The motion of points along the circle during bending has no effect, because the
distances between anchors are prescribed.

Points with low pressure slip in the step in which their cable moves onto the circle. If another point sticks, the slip
of these points does not move the anchor of the cable. The anchor of the next cable is computed from this anchor.
Therefore a motion of the anchor would cause a wrong speed of the rim.

Source: rigid contact of belts: F. Grashof, Theoretische Maschinenlehre II (1883); the rolling condition at the entry:
K. L. Johnson, Contact Mechanics, Cambridge University Press (1985), chapter 8.

Initial deflection of bristles on a soft (elastic) layer. Such a layer is sheared from the point at which the belt first
touches the circle.

A material point of the belt begins to shear the layer at the point where it touches the circle. The deflection
increases by the relative slip w times the displacement of the belt. In contrast, the friction of a cable in the model
begins when the whole cable lies on the circle. At that time the n points of the cable have moved along the circle by
different distances. X is the mean of these distances. Friction therefore begins with the deflection

    u = w (X - mu_v/mu_k v),    X = s - L (n - 1)/(2 n),    w = w_before - EI/(2 EA r²)

s is the displacement along the circle since the first point of the cable touched the circle, L is the length of the
cable, and v is the speed of the cable. w_before is the mean of the slip (v - omega r)/v while the cable moves by the
last distance L before it reaches the circle. If a solve begins with the cable closer to the circle, the mean is taken
over the remaining distance. Each cable that runs onto the circle causes a wave of the speed with the wavelength L. In
the mean over L, the wave cancels. Bending onto the circle reduces the stretch by EI/(2 EA r²). The term with mu_v
compensates the force mu_v v w of the damper. A real layer has no damper.

If friction began with u = 0, the layer would be sheared along a shorter part of the arc, and the loss of speed of a
ribbed belt on the default mesh would be 3.4 % too large.

Source: the rolling condition at the entry: K. L. Johnson, Contact Mechanics, Cambridge University Press (1985), chapter
8; T. C. Firbank, Mechanics of the belt drive, Int. J. Mech. Sci. 12 (1970) 1053-1063.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from windlass.connectors.circle_points.kernels import (
    LAID,
    LATEST,
    RUBS,
    STRETCHED,
    WAVE,
    WAVES,
    WAY,
    PointRows,
    combine,
    eval_stretch,
)
from windlass.connectors.contact.arctangent import wrap
from windlass.connectors.contact.circles import Disc
from windlass.connectors.contact.lanes import Eight
from windlass.connectors.friction.bristle import UNDEFINED
from windlass.elements.cable.points import shape
from windlass.framework.arrays import BoolArray, FloatArray, IntArray
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows
from windlass.framework.model.system import Evaluation
from windlass.framework.parallel.ghosts import Ghosts, gather_keys

BEGIN = 1.5
"""Distance along the belt from a cable to the point of contact, divided by the length of the cable [1]. At this
distance, the integration of the stretch or slip of the cable starts.
"""
MEMORY = 20.0
"""Number of cables over which waves are averaged [1]. With this number of cables, motions of the drive do not affect
the mean, although their periods are longer than the passage of a cable.
"""


Followed = tuple[float, float, float]
"""State of a cable that has not yet reached the circle: displacement [m], integral of the stretch over the displacement
[m], and current stretch [1].
"""


@kernel(inline=True)
def read_anchor(c: PointRows, j: int, start: FloatArray) -> tuple[bool, float, float, float, float]:
    """Return five values for the cable in row j, at the start of a step: whether all points of the cable touch the
    circle with friction, the mean anchor [m] of the points, the length [m] of the cable, the mean wave w [1] of the
    stretch, and the number of cables in this mean.

    The rows of this process come first in the numbering of j, followed by the rows of other processes.
    """
    if j >= len(c.rows):
        k = j - len(c.rows)
        return c.others[k, 0] != 0.0, c.others[k, 1], c.others[k, 2], c.others[k, 3], c.others[k, 4]
    row = c.rows[j]
    n, first, way = row.segments, row.data, 0.0
    more = first + 3 * n
    lies, base = start[more + RUBS] == LAID, start[first + 2 * n]
    for k in range(n):
        lies &= start[first + n + k] != UNDEFINED
        way += wrap(start[first + 2 * n + k] - base, row.radius)
    return lies, base + way / n, row.length * n, start[more + WAVE], start[more + WAVES]


@kernel(inline=True)
def find_bend(
    c: PointRows, i: int, o: Disc, q: Eight, middle: float, start: FloatArray
) -> tuple[bool, float, float, float, float]:
    """Return five values of a cable that has just moved onto the circle: whether neighbours determine the deflection of
    its bristles, the deflection u [m], the mean wave w [1] of the stretch, the number of cables in this mean, and the
    derivative [m] of u with respect to the stretch of the cable. The derivative of u with respect to ``middle`` is 1.
    ``middle`` is the mean arc position of the points of the cable [m].
    """
    row = c.rows[i]
    n, r, lies, total, count, wave, waves = row.segments, row.radius, False, 0.0, 0, 0.0, 0.0
    by_stretch = 0.0
    L, first, stretch = row.length * n, row.data + 3 * n, eval_stretch(row, q)
    way, bent = start[first + WAY], row.bending_stiffness / (2.0 * row.axial_stiffness * r * r)
    turn = (q[0] - o.cx) * (q[5] - o.cy) - (q[1] - o.cy) * (q[4] - o.cx)
    along = 1.0 if turn > 0.0 else -1.0
    for side in range(2):
        if row.beside[side] < 0:
            continue
        holds, anchor, length, wave_j, waves_j = read_anchor(c, row.beside[side], start)
        if holds:
            wave, waves, share = wave_j, waves_j, 1.0
            if way > 0.0:
                waves = min(waves_j + 1.0, MEMORY)
                wave += (stretch + bent - start[first + STRETCHED] / way - wave_j) / waves
                share -= 1.0 / waves
            half = 0.5 * (L + length) * (along if side == 0 else -along)
            total += wrap(middle - anchor - half * (stretch - wave), r)
            by_stretch -= half * share
            lies, count = True, count + 1
    return lies, total / max(count, 1), wave, waves, by_stretch / max(count, 1)


@kernel(inline=True)
def is_near(row: Any, gap: float, grown: float) -> bool:
    """Return whether the integration of the stretch or slip of a cable must start. The integration must start if the
    smallest gap [m] of a cable that has not yet reached the circle is small enough.
    """
    # at the distance x from the point of contact, a tangent has the distance x²/(2 r) from the circle; the distance of
    # a cable that bends onto the circle is smaller
    near = BEGIN * row.length * row.segments + np.sqrt(2.0 * row.radius * grown)
    near += 2.0 * np.sqrt(row.bending_stiffness / row.press)
    return bool(2.0 * row.radius * (gap + grown) <= near * near)


@kernel(inline=True)
def add_way(way: float, moved: float, size: float, last: float, now: float, L: float) -> tuple[float, float]:
    """Return two values: the displacement in a step [m], up to the total displacement L, and the integral of a quantity
    over this displacement. Both are contributions to the mean of the quantity over the displacement L.

    The quantity has the values ``last`` at the start and ``now`` at the end of the step. It is integrated by the
    trapezoidal rule over ``size``, which is the displacement ``moved`` in the step [m] or the step size [s]. The
    argument ``way`` is the displacement before the step [m]. Waves have the period of one length L. Therefore they
    cancel in the mean over L.
    """
    step = min(moved, L - way)
    if step <= 0.0:
        return 0.0, 0.0
    share = step / moved
    return step, size * share * (last + 0.5 * share * (now - last))


@kernel(inline=True)
def follow_stretch(
    row: Any, o: Disc, q: Eight, w: Eight, gap: float, grown: float, h: float, before: Followed
) -> Followed:
    """Integrate the stretch of a cable over the last part of its displacement before it reaches the circle. This part
    is as long as the cable. Return the state of the cable at the end of the step.

    gap: smallest gap of the points of the cable [m].
    h: step size [s].
    before: state of the cable at the start of the step.
    """
    L, (way, total, last) = row.length * row.segments, before
    if not is_near(row, gap, grown):
        return 0.0, 0.0, 0.0
    stretch = eval_stretch(row, q)
    if last == 0.0:
        return 0.0, 0.0, stretch
    vx, vy = combine(shape(0.5, L), w)
    dx, dy = q[4] - q[0], q[5] - q[1]
    moved = h * abs((vx - o.vx) * dx + (vy - o.vy) * dy) / max(np.sqrt(dx * dx + dy * dy), 1e-300)
    step, part = add_way(way, moved, moved, last, stretch, L)
    return way + step, total + part, stretch


@kernel
def fill_anchors(c: PointRows, rows: IntArray, start: FloatArray, out: FloatArray) -> None:
    """Write the results of `read_anchor` for ``rows``, shape (k,), into out, shape (k, 5). Other processes need these
    results.
    """
    for k in range(len(rows)):
        lies, out[k, 1], out[k, 2], out[k, 3], out[k, 4] = read_anchor(c, rows[k], start)
        out[k, 0] = 1.0 if lies else 0.0


_fill = call(fill_anchors)


def is_on_beam(c: PointRows) -> BoolArray:
    """Return whether the rows have beams instead of cables, shape (rows,)."""
    found: BoolArray = np.zeros(len(c.rows), bool) if not len(c.H) else (np.eye(4) != c.H).any(axis=(1, 2))
    return found


def join_rows(rows: LocalRows, c: PointRows) -> tuple[PointRows, Callable[[Evaluation], None] | None]:
    """Write the indices of neighbours into the field ``beside`` of the rows on a rigid layer. Neighbours are rows on
    the same circle whose cables share a node.

    All processes must call this function together.

    Returns:
        The rows, and a function that receives the anchors of rows of other processes, or None in a serial run.
    """
    # column of ``dofs`` with the first coordinate of node1: 2 for beams, whose nodes have positions, and 4 for cables,
    # whose nodes have positions and slopes
    layout, second = rows.layout, np.where(is_on_beam(c), 2, 4)
    ends = np.stack((c.dofs[:, 0], np.take_along_axis(c.dofs, second[:, None], axis=1)[:, 0]), axis=1)
    here = np.flatnonzero(c.rows["rigid_layer"])
    circle, nodes = rows.local("circle")[here], layout.dofs[ends[here]]
    keys = [(int(a), int(b), int(d)) for a, (b, d) in zip(circle, nodes, strict=True)]
    everyone = gather_keys(layout.comm, (keys, here.tolist()))
    # for each pair of a circle and a node: process and row of the cable that begins at this node, and process and row
    # of the cable that ends at this node
    begins: dict[tuple[int, int], tuple[int, int]] = {}
    finishes: dict[tuple[int, int], tuple[int, int]] = {}
    for rank, (given, numbers) in enumerate(everyone):
        for (a, b, d), row in zip(given, numbers, strict=True):
            begins[a, b], finishes[a, d] = (rank, row), (rank, row)
    beside = c.rows["beside"]
    beside[:] = -1
    far: dict[tuple[int, int], int] = {}
    for (a, b, d), row in zip(keys, here.tolist(), strict=True):
        for side, found in enumerate((finishes.get((a, b)), begins.get((a, d)))):
            if found is not None:
                own = found[0] == layout.rank
                beside[row, side] = found[1] if own else len(c.rows) + far.setdefault(found, len(far))
    owner, number = (np.array([key[k] for key in far], np.int64) for k in range(2))
    c = c._replace(others=np.zeros((len(far), 5)))
    if layout.size == 1:
        return c, None
    ghosts = Ghosts(layout.comm, np.arange(len(far)), owner, number)
    sent = np.zeros((len(ghosts.sent), 5))

    def bring(s: Evaluation) -> None:
        _fill(c, ghosts.sent, s.start_data, sent)
        c.others[ghosts.received] = ghosts.forward(sent)

    return c, bring


SLIPPED, SLIP, TOUCHED = STRETCHED, LATEST, WAVE
"""Indices of history values of rows on a soft layer. Rows on a rigid layer store other values at these indices.
SLIPPED: integral of the slip velocity over the time in which the cable moves by the displacement stored at WAY [m].
SLIP: slip velocity at the end of the previous step [m/s]. TOUCHED: displacement [m] since the first point touched the
circle, > 0 counter-clockwise.
"""


@kernel(inline=True)
def eval_speed(row: Any, o: Disc, q: Eight, w: Eight) -> float:
    """Return the component [m/s] of the velocity of the middle of a cable along its axis, relative to the centre of the
    circle. This component is > 0 if the motion is counter-clockwise.
    """
    vx, vy = combine(shape(0.5, row.length * row.segments), w)
    dx, dy = q[4] - q[0], q[5] - q[1]
    speed: float = ((vx - o.vx) * dx + (vy - o.vy) * dy) / max(np.sqrt(dx * dx + dy * dy), 1e-300)
    return speed if (q[0] - o.cx) * dy - (q[1] - o.cy) * dx > 0.0 else -speed


@kernel(inline=True)
def comes_along(row: Any, start: FloatArray) -> bool:
    """Return whether a cable has approached the circle, and has had no friction before this step. The result is false
    for cables whose friction is switched on later.
    """
    first = row.data + 3 * row.segments
    return bool(start[first + WAY] != 0.0 and start[first + RUBS] != LAID)


@kernel(inline=True)
def find_shear(row: Any, speed: float, h: float, start: FloatArray) -> tuple[bool, float]:
    """Return whether a cable has moved onto the circle in this step and its slip was integrated while it approached the
    circle. Also return the initial deflection u [m] of the bristles of this cable, or 0 for other cables.

    h: step size [s].
    """
    n, first = row.segments, row.data + 3 * row.segments
    way = start[first + WAY]
    # if friction is switched on later, the initial deflection is 0
    if not comes_along(row, start):
        return False, 0.0
    bent = np.copysign(row.bending_stiffness / (2.0 * row.axial_stiffness * row.radius**2), speed)
    # on average, a point touches in the middle of a step; the displacement of the present step is not yet included
    moved = abs(start[first + TOUCHED] + 0.5 * h * speed)
    moved = min(max(moved - 0.5 * (n - 1) * row.length, 0.0), n * row.length)
    late = row.friction_velocity_penalty / row.friction_stiffness * abs(speed)
    return True, (start[first + SLIPPED] / way - bent) * (moved - late)


@kernel(inline=True)
def follow_slip(
    row: Any, o: Disc, q: Eight, speed: float, gap: float, grown: float, h: float, touches: bool, start: FloatArray,
    data: FloatArray,
) -> None:  # fmt: skip
    """Integrate the slip of a cable over the last part of its displacement before it reaches the circle. This part is
    as long as the cable. Also integrate the displacement since the first point of the cable touched the circle.

    gap: smallest gap of the points of the cable [m].
    h: step size [s].
    touches: whether a point of the cable touches.
    """
    first, L = row.data + 3 * row.segments, row.length * row.segments
    way, slipped, last, touched = (
        start[first + WAY],
        start[first + SLIPPED],
        start[first + SLIP],
        start[first + TOUCHED],
    )
    slip, moved = speed - o.omega * row.radius, h * abs(speed)
    if touches:
        touched += h * speed
    elif not is_near(row, gap, grown):
        way, slipped, slip, touched = 0.0, 0.0, 0.0, 0.0
    else:
        touched = 0.0
        if last != 0.0:
            step, part = add_way(way, moved, h, last, slip, L)
            way, slipped = way + step, slipped + part
    data[first + WAY], data[first + SLIPPED], data[first + SLIP], data[first + TOUCHED] = way, slipped, slip, touched
