"""A belt on a rigid layer: cables that move onto a circle keep the stretch that they have at the entry.

Material that moves onto a circle sticks to the circle at the point where it touches. Between two successive cables the
circle therefore turns by the reference length of a cable times the stretch at the entry. This product is the distance
of the anchors of both cables:

    anchor_i = anchor_j + s (l_i + l_j)/2 lam,    u_i = arc_i - anchor_i
    lam = lam_i - w

Here j is the neighbour of cable i on the circle, s = +-1 is the sign of the arc positions along the cable, and lam_i is
the mean stretch of cable i at this time. Each incoming cable causes a wave in the tension, whose phase at this time is
always the same. The mean of this wave over the last `MEMORY` cables is

    w = mean of lam_i - (lam_before - EI/(2 EA r²))

lam_before is the mean stretch over the last length before the circle. The mean is computed by the trapezoidal rule over
exactly one length, the period of the waves, so the waves cancel. Bending onto the circle changes the stretch by EI/(2
EA r²). The stretch lam itself must not be averaged over time, because a belt that keeps an earlier stretch supplies
energy to vibrations of the drive, which then increase.

Therefore the shear of the bristles, u' = lam - lam_entry, is 0 at the entry for any stiffness of the bristles, as on a
rigid layer. In steady motion the speed of the rim is the speed of the belt at the entry, omega r = c lam. Bristles that
are already sheared at the entry act as an elastic layer, see `soft_layer.py`; on short arcs such a belt has a larger
loss of speed. Because the distances of anchors are given, the motion of points along the circle during bending has no
effect.

Points with low pressure slip in the step in which their cable moves onto the circle. The slip of these points does not
move the anchor of the cable if another point sticks. The position of the next cable depends on this anchor, so a moved
anchor would cause a wrong speed of the rim.

Source: rigid contact of belts: F. Grashof, Theoretische Maschinenlehre II (1883); the rolling condition at the entry:
K. L. Johnson, Contact Mechanics, Cambridge University Press (1985), chapter 8.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from windlass.connectors.circle_points.kernels import (
    LAID,
    RUBS,
    STRETCHED,
    WAVE,
    WAVES,
    WAY,
    PointRows,
    combine,
    eval_stretch,
)
from windlass.connectors.circle_segments.arctangent import wrap
from windlass.connectors.circle_segments.kernels import Disc, Eight
from windlass.connectors.friction.bristle import UNDEFINED
from windlass.elements.cable2d.points import shape
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows
from windlass.framework.model.system import Evaluation
from windlass.framework.parallel.ghosts import Ghosts, gather_keys

BEGIN = 1.5
"""Distance from the circle, in cable lengths, at which the mean over one length starts [1]."""
MEMORY = 20.0
"""Number of cables over which waves are averaged [1]. The number is so large that the mean is not affected by motions
of the drive, whose periods are longer than the passage of a cable.
"""


Followed = tuple[float, float, float]
"""State of a cable before the circle: displacement [m], integral of the stretch over the displacement [m], and current
stretch [1]."""


@kernel(inline=True)
def read_anchor(c: PointRows, j: int, start: FloatArray) -> tuple[bool, float, float, float, float]:
    """Return whether all points of the cable of a row are on the circle at the start of a step; the mean anchor of the
    points [m]; the length of the cable [m]; its mean wave [1]; the number of cables in this mean.

    Rows of other processes are numbered after the rows of this process.
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
) -> tuple[bool, float, float, float]:
    """Return whether neighbours determine the deflection of a new cable; the deflection u [m]; the mean wave in its
    stretch [1]; the number of cables in this mean. ``middle``: mean arc position of the points of the cable [m]."""
    row = c.rows[i]
    n, r, lies, total, count, wave, waves = row.segments, row.radius, False, 0.0, 0, 0.0, 0.0
    L, first, stretch = row.length * n, row.data + 3 * n, eval_stretch(row, q)
    way, bent = start[first + WAY], row.bending_stiffness / (2.0 * row.axial_stiffness * r * r)
    turn = (q[0] - o.cx) * (q[5] - o.cy) - (q[1] - o.cy) * (q[4] - o.cx)
    along = 1.0 if turn > 0.0 else -1.0
    for side in range(2):
        if row.beside[side] < 0:
            continue
        holds, anchor, length, wave_j, waves_j = read_anchor(c, row.beside[side], start)
        if holds:
            wave, waves = wave_j, waves_j
            if way > 0.0:
                waves = min(waves_j + 1.0, MEMORY)
                wave += (stretch + bent - start[first + STRETCHED] / way - wave_j) / waves
            apart = 0.5 * (L + length) * along * (stretch - wave)
            total += wrap(middle - anchor - (apart if side == 0 else -apart), r)
            lies, count = True, count + 1
    return lies, total / max(count, 1), wave, waves


@kernel(inline=True)
def is_near(row: Any, gap: float, grown: float) -> bool:
    """Return whether the smallest gap [m] of a cable is so small that its last length before the circle begins."""
    # at the distance x a straight line that touches the circle is x²/(2 r) away from the circle; a line that bends onto
    # the circle is nearer
    near = BEGIN * row.length * row.segments + np.sqrt(2.0 * row.radius * grown)
    near += 2.0 * np.sqrt(row.bending_stiffness / row.press)
    return bool(2.0 * row.radius * (gap + grown) <= near * near)


@kernel(inline=True)
def add_way(way: float, moved: float, size: float, last: float, now: float, L: float) -> tuple[float, float]:
    """Return the additional displacement [m] of a mean over the length L, and its part of the integral of a value.

    The integral is over ``size``, the displacement ``moved`` [m] or the time of a step, by the trapezoidal rule. Waves
    have the period of one length, so the mean over one length contains no waves.
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
    """Integrate the stretch of a cable over its last length before the circle.

    gap: smallest gap of its points [m]; h: size of the step [s]; before: state of the cable at the start of the step.
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
    """Write the data of rows that other processes need into out, shape (k, 5): see `read_anchor`."""
    for k in range(len(rows)):
        lies, out[k, 1], out[k, 2], out[k, 3], out[k, 4] = read_anchor(c, rows[k], start)
        out[k, 0] = 1.0 if lies else 0.0


_fill = call(fill_anchors)


def join_rows(rows: LocalRows, c: PointRows) -> tuple[PointRows, Callable[[Evaluation], None] | None]:
    """Join the columns with the neighbours of each row on a rigid layer: neighbours are rows of cables that share a
    node, on the same circle.

    All processes must call this function together.

    Returns:
        The columns; with several processes also a function that receives the anchors of rows of other processes.
    """
    layout, ends = rows.layout, c.dofs[:, (0, 4)]
    here = np.flatnonzero(c.rows["rigid_layer"])
    circle, nodes = rows.local("circle")[here], layout.dofs[ends[here]]
    keys = [(int(a), int(b), int(d)) for a, (b, d) in zip(circle, nodes, strict=True)]
    everyone = gather_keys(layout.comm, (keys, here.tolist()))
    # for each circle and node: process and row of the cable that begins at the node, and of the cable that ends at the
    # node
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
