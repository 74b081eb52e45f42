"""Kernel that updates the contact states of ropes with twist on surfaces between Newton runs.

The states are decided as in `update.py`, with the deflection u_t of `twist_kernels.py`. The anchor a and the axes of
the material follow the rope at the end of each step:

    a := X - u_t where a point sticks,    a := X - mu |f_n|/(w mu_k) u_t/|u_t| where a point slips,
    a := X where a point was open at the start of the step,    T_0 := T,  d_0 := d_1.

Source: radial return, P. Wriggers, Computational Contact Mechanics, Springer (2006).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.contact.law import read_law
from windlass.connectors.contact.rows import relative_place
from windlass.connectors.contact.update import create_update, place_type
from windlass.connectors.friction.bristle import STICKS, UNDEFINED
from windlass.connectors.markers.position_kernels import PositionColumns
from windlass.connectors.surface_contact.distances import eval_distance
from windlass.connectors.surface_contact.kernels import ContactRows, create_frame, eval_touch, gather
from windlass.connectors.surface_contact.twist_kernels import eval_spin, eval_turning_forces, read_three
from windlass.connectors.surface_contact.update import NO_LANES, OUTSIDE, count_points, decide_point
from windlass.elements.cable2d.points import shape
from windlass.elements.cable3d.twist_points import COUNT, read_coordinates, twist_angle
from windlass.elements.nodes.vectors import Vector
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel

POINT = place_type("X", "Y", "Z", "ux", "uy", "uz", "size", "tx", "ty", "tz", "dx", "dy", "dz")
"""Data of a point in an update: X [m]; u_t [m] and |tau| [N] with the history values at the start of the step; T and
d_1.
"""


@kernel(inline=True)
def measure(
    c: ContactRows, m: PositionColumns, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    rows: IntArray, number: int, lanes: NDArray[Any], places: NDArray[Any],
) -> None:  # fmt: skip
    """Evaluate g, f_n and u_t of the points of a row, with the history values at the start of the step; see
    `create_update`."""
    i = rows[number]
    row = c.rows[i]
    n, first, s, law = row.points, row.data, row.surface, read_law(row, 0.0)
    o = create_frame(c.surfaces.Q, s, m.p, m.v, m.omega, m.A, c.surfaces.marker[s])
    q, w, L = gather(x, c.dofs, i), gather(v, c.dofs, i), row.length * n
    y, yt, sigma = np.empty(COUNT), np.empty(COUNT), np.empty(COUNT)
    read_coordinates(row.dofs, 1.0 / L, x, y)
    read_coordinates(row.dofs, 1.0 / L, v, yt)
    twist = twist_angle(row, y)
    # loop over points
    for k in range(n):
        place, to = relative_place(k, n), places[k]
        z = eval_touch(o, shape(place, L), q, w)
        h = eval_distance(c.surfaces.kind, c.surfaces.geo, c.surfaces.pieces, s, z.X, z.Y, z.Z)
        spin = eval_spin(o, row, place, y, yt, twist, sigma)
        a, T0, d0, at = (z.X, z.Y, z.Z), spin.T, spin.d1, first + 2 * n + 3 * k
        if law.friction_stiffness != 0.0 and start[first + n + k] != UNDEFINED:
            a, T0, d0 = read_three(start, at), read_three(start, at + 3 * n), read_three(start, at + 6 * n)
        # forces
        F = eval_turning_forces(law, row.rope_radius, h, z, spin, STICKS, a, T0, d0).point
        to.gap, to.fn = F.gap if h.there else OUTSIDE, F.fn if h.there else 0.0
        to.X, to.Y, to.Z, to.size = z.X, z.Y, z.Z, F.f.size
        to.ux, to.uy, to.uz = F.u
        to.tx, to.ty, to.tz = spin.T
        to.dx, to.dy, to.dz = spin.d1


@kernel(inline=True)
def store(data: FloatArray, at: int, a: Vector) -> None:
    """Store three history values."""
    data[at], data[at + 1], data[at + 2] = a[0], a[1], a[2]


@kernel(inline=True)
def decide_states(
    c: ContactRows, m: PositionColumns, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    size: FloatArray, commits: bool, i: int, number: int, places: NDArray[Any],
) -> tuple[float, bool]:  # fmt: skip
    """Determine the states of the points of a row, and store their anchors and axes; see `create_update`."""
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
        if p.state == STICKS and held and mu_k != 0.0:
            back = 1.0
        store(data, at, (p.X - back * p.ux, p.Y - back * p.uy, p.Z - back * p.uz))
        store(data, at + 3 * n, (p.tx, p.ty, p.tz))
        store(data, at + 6 * n, (p.dx, p.dy, p.dz))
    return 0.0, False


_update = create_update(count_points, POINT, NO_LANES, measure, decide_states)


@kernel
def update_twist_history(
    c: ContactRows, m: PositionColumns, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    size: FloatArray, mapped: FloatArray, commits: bool, outcome: FloatArray,
) -> None:  # fmt: skip
    """Update all rows, see `create_update`."""
    _update(c, m, data, start, x, v, size, mapped, commits, outcome)
