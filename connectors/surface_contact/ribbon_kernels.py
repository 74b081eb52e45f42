"""Contact of a surface with a ribbon, a rod with twist and width, at points on m lines along the ribbon.

`elements/cable/twist_points.py` defines the axes t, d_1, d_2 of the material frame. The axis d_1 is the direction of
the width b. Line j has the offset y = y_j along d_1. With these offsets, the force and the moment about the axis are
exact for a pressure that varies linearly across the width:

    y_j = b ((j + 1/2)/m - 1/2)/sqrt(1 - 1/m²),    mean of y_j² = b²/12
    p = r + y d_1,    δp = δr + y (σ d_2 - (d_1·δr') t/|r'|),    σ: form of the spin of the frame about t

Forces act at p. Therefore each force F = f_n n + f_t has the moment y d_1 × F on the ribbon. This moment is y d_2·F
about the axis t of the ribbon, and -y t·F about d_2. Normal force and friction are the functions of X and V that
`kernels.py` defines, and the reaction acts on the body of the surface at the same point. Forces, moments and power sum
to 0 as for points on the axis. With g = d_1·e, h = d_2·e, a = t·e, and e = δr'/|r'|, the second variation of p is as
follows. Here σ, g, h and a are values for the variation δ, and σ', g', h' and a' are values for the variation δ'.

    δ'δp = y (-(σ σ' + g g') d_1 + (δ'σ - h' g) d_2 + (a' g + a g' - h' σ - h σ') t)

Points at the same position along the axis have successive indices. Point k is on line j = k mod m. The history values
are the same as in `kernels.py`.

Source: own derivation. For the spin of frames: M. Bergou and others, ACM Transactions on Graphics 27 (2008), 63.
"""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

from windlass.connectors.contact.lanes import Twelve
from windlass.connectors.contact.rows import relative_place
from windlass.connectors.surface_contact.distances import Distance, eval_distance
from windlass.connectors.surface_contact.kernels import (
    ContactRows,
    Lever,
    SurfaceFrame,
    TurningRow,
    eval_axis,
    eval_lever,
)
from windlass.elements.cable.points import Four, shape, shape_slope
from windlass.elements.cable.twist_forces import times
from windlass.elements.cable.twist_points import fill_spin, frame_at, interpolate
from windlass.elements.nodes.turning import axes_of
from windlass.elements.nodes.vectors import Vector, combine, dot
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel


class RibbonPoint(NamedTuple):
    """A point of a ribbon: relative position s = x/L [1], shape functions S, offset y [m], length |r'| of the slope
    [1], the factors P of e, s0 and s1 in the sum r' (`twist_points.py`), global axes t, d_1 and d_2 of the material,
    and the `Lever`.
    """

    place: float
    S: Four
    y: float
    size: float
    P: Vector
    t: Vector
    d1: Vector
    d2: Vector
    lever: Lever


@kernel(inline=True)
def find_offset(width: float, lines: int, j: int) -> float:
    """Return the offset y_j [m] of line j from the axis of the ribbon."""
    return width * ((j + 0.5) / lines - 0.5) / sqrt(1.0 - 1.0 / (lines * lines))


@kernel
def eval_ribbon(
    o: SurfaceFrame, row: Any, k: int, q: Twelve, w: Twelve, y: FloatArray, yt: FloatArray, twist: float,
    sigma: FloatArray,
) -> RibbonPoint:  # fmt: skip
    """Evaluate point k of a ribbon, and write the coefficients σ of its spin into ``sigma``.

    Args:
        q, w: positions and slopes of the nodes, and their rates.
        y, yt: coordinates y of `twist_points.py`, and their rates.
        twist: result of `twist_angle`.
    """
    n, m = row.points, row.lines
    s, offset = relative_place(k // m, n // m), find_offset(row.width, m, k % m)
    S = shape(s, row.length * n)
    _, on_s0, on_e, on_s1 = shape_slope(s, 1.0)
    P = on_e, on_s0, on_s1
    p, pt = interpolate(P, 1.0, y), interpolate(P, 1.0, yt)
    fill_spin(row, s, P, p, y, sigma)
    size = sqrt(dot(p, p))
    t, d1, d2 = axes_of(frame_at(row, s, p, y, twist))
    place = combine(1.0, eval_axis(S, q), offset, d1)
    rate = combine(offset * times(sigma, yt), d2, -offset * dot(d1, pt) / size, t)
    rate = combine(1.0, eval_axis(S, w), 1.0, rate)
    return RibbonPoint(s, S, offset, size, P, t, d1, d2, eval_lever(o, place, rate))


@kernel(inline=True)
def find_ribbon_point(c: ContactRows, r: TurningRow, i: int, k: int, g: Any) -> tuple[RibbonPoint, Lever, Distance]:
    """Return point k of row i, its position relative to the surface, and its distance from the surface. Write the
    coefficients σ of the spin into ``g.sigma``."""
    p = r.plain
    point = eval_ribbon(p.o, c.rows[i], k, p.q, p.w, g.y, g.yt, r.twist, g.sigma)
    z = point.lever
    return point, z, eval_distance(c.surfaces.kind, c.surfaces.geo, c.surfaces.pieces, p.surface, z.X, z.Y, z.Z)
