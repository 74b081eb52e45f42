"""Kernel that updates the contact states of points of cables on surfaces between Newton runs.

See `kernels.py` for the symbols, and `contact/update.py` for gaps and errors. States of a point, where "start" refers
to the stored values at the start of the step:

    start: a closed point that was open at the start sticks with a := X, in dynamic solves without friction.
    start of a solve: a point that the initial state closes slips if |mu_v v_t| > mu |f_n|, otherwise it sticks; a := X.
    trial: other closed points have the anchor a of the start.
    slips: if |tau| > (1 + TIE) mu |f_n|, the state is 1 and a := X - mu |f_n|/(w mu_k) u_t/|u_t|.
    sticks: otherwise the state is 0 and a is the anchor of the start.
    no bristles: if mu_k = 0, tau is the force of the damper, and a := X.

Beyond the end of a surface a point is open, and its stored gap is `OUTSIDE`.

Source: radial return, P. Wriggers, Computational Contact Mechanics, Springer (2006).
"""

from __future__ import annotations

from math import sqrt
from typing import Any

from numpy.typing import NDArray

from windlass.connectors.contact.law import PointLaw, read_law
from windlass.connectors.contact.rows import relative_place
from windlass.connectors.contact.update import create_update, place_type
from windlass.connectors.friction.bristle import SLIPS, STICKS, UNDEFINED, coulomb, decide, return_share, slip_bend
from windlass.connectors.markers.position_kernels import PositionColumns
from windlass.connectors.surface_contact.distances import Distance, eval_distance
from windlass.connectors.surface_contact.kernels import (
    ContactRows,
    Lever,
    create_frame,
    eval_forces,
    eval_touch,
    gather,
)
from windlass.elements.cable2d.points import shape
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.lanes import lane_type

OUTSIDE = 0.1
"""Stored gap of a point beyond the end of its surface, and of a point that has not been evaluated yet [m]."""


TIE = 1e-9
"""Largest value of |tau|/(mu |f_n|) - 1 for which a point sticks [1]. At the start of a solve, the anchor of a point
that has slipped gives |tau| = mu |f_n|, so with the limit 0 rounding errors would determine the state.
"""
POINT = place_type("X", "Y", "Z", "ux", "uy", "uz", "size")
"""Data of a point in an update: X [m]; u_t [m] and |tau| [N] with the anchor at the start of the step."""
NO_LANES = lane_type("none")
"""Updates evaluate one row at a time."""


@kernel(inline=True)
def count_points(row: Any) -> int:
    """Return the number of points of a row."""
    n: int = row.points
    return n


@kernel(inline=True)
def note_point(
    law: PointLaw, row: Any, h: Distance, z: Lever, start: FloatArray, first: int, k: int, to: Any
) -> None:  # fmt: skip
    """Write g, f_n, X and u_t of point k, with the anchor at the start of the step, into the record ``to``."""
    n = row.points
    at, a = first + 2 * n + 3 * k, (z.X, z.Y, z.Z)
    if law.friction_stiffness != 0.0 and start[first + n + k] != UNDEFINED:
        a = start[at], start[at + 1], start[at + 2]
    F = eval_forces(law, row.rope_radius, h, z, STICKS, a)
    to.gap, to.fn = F.gap if h.there else OUTSIDE, F.fn if h.there else 0.0
    to.X, to.Y, to.Z, to.size = z.X, z.Y, z.Z, F.f.size
    to.ux, to.uy, to.uz = F.u


@kernel(inline=True)
def measure(
    c: ContactRows, m: PositionColumns, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    rows: IntArray, number: int, lanes: NDArray[Any], places: NDArray[Any],
) -> None:  # fmt: skip
    """Evaluate g and f_n of the points of a row, with the anchors at the start of the step; see `create_update`."""
    i = rows[number]
    row = c.rows[i]
    n, first, s, law = row.points, row.data, row.surface, read_law(row, 0.0)
    o = create_frame(c.surfaces.Q, s, m.p, m.v, m.omega, m.A, c.surfaces.marker[s])
    q, w, L = gather(x, c.dofs, i), gather(v, c.dofs, i), row.length * n
    for k in range(n):
        # position of the point, and its distance from the surface
        z = eval_touch(o, shape(relative_place(k, n), L), q, w)
        h = eval_distance(c.surfaces.kind, c.surfaces.geo, c.surfaces.pieces, s, z.X, z.Y, z.Z)
        note_point(law, row, h, z, start, first, k, places[k])


@kernel(inline=True)
def decide_point(p: Any, held: bool, mu: float, mu_k: float) -> float:
    """Set the state of a closed point and its excess |tau| - mu |f_n|. Return the distance of the anchor of a slipping
    point from the point, divided by |u_t|, or 0 for a sticking point.

    Args:
        p: the point.
        held: whether the point was closed at the start of the step, or the state is that at the start of a solve.
        mu, mu_k: friction coefficient [1] and stiffness of the bristles [N/m].
    """
    limit = coulomb(mu, p.fn)[0]
    # a point sticks in the step in which it closes; at the start of a solve, its damper alone decides
    p.state, p.excess = STICKS, -limit
    if held or mu_k == 0.0:
        p.excess, p.state = decide(p.size, (1.0 + TIE) * limit, SLIPS)
    if p.state != SLIPS:
        return 0.0
    # the bristle force of a slipping point is at the friction limit
    u = sqrt(p.ux * p.ux + p.uy * p.uy + p.uz * p.uz)
    back: float = slip_bend(limit, 0.0, mu_k) * return_share(u, 1.0)
    return back


@kernel(inline=True)
def decide_states(
    c: ContactRows, m: PositionColumns, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    size: FloatArray, commits: bool, i: int, number: int, places: NDArray[Any],
) -> tuple[float, bool]:  # fmt: skip
    """Determine the states of the points of a row, and store their anchors; see `create_update`."""
    row = c.rows[i]
    n, first, mu, mu_k = row.points, row.data, row.friction_coefficient, row.friction_stiffness
    rubs = mu != 0.0 and (mu_k != 0.0 or row.friction_velocity_penalty != 0.0)
    for k in range(n):
        p = places[k]
        p.state, p.excess = UNDEFINED, 0.0
        if not rubs or p.gap > 0.0:
            continue
        at, held = first + 2 * n + 3 * k, start[first + n + k] != UNDEFINED
        back = decide_point(p, held or size[0] == 0.0, mu, mu_k)
        X, Y, Z = p.X - back * p.ux, p.Y - back * p.uy, p.Z - back * p.uz
        if p.state == STICKS and held and mu_k != 0.0:
            X, Y, Z = start[at], start[at + 1], start[at + 2]
        data[at], data[at + 1], data[at + 2] = X, Y, Z
    return 0.0, False


_update = create_update(count_points, POINT, NO_LANES, measure, decide_states)


@kernel
def update_history(
    c: ContactRows, m: PositionColumns, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    size: FloatArray, mapped: FloatArray, commits: bool, outcome: FloatArray,
) -> None:  # fmt: skip
    """Update all rows, see `create_update`."""
    _update(c, m, data, start, x, v, size, mapped, commits, outcome)
