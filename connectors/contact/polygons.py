"""Check whether beams of the order 1 are short enough for the circles and surfaces on which they lie. The axis of such
beams is a polygon.

Let θ be the angle between the cross sections at both ends of a beam on a rigid circle of the radius R. The middle of
each side touches the circle, so the polygon is longer than the arc by the fraction θ²/12.

Friction: if the belt slips, the contact force of a side acts in its middle. The axial forces N at both ends of the side
and the shear forces q at its ends, which balance the contact force 2 q, fulfil N1 - N0 = 2 μ q. The force at a corner
is the same for both sides, and has the angle δ1 to the next side and δ0 to this side, with tan δ = q/N and δ0 + δ1 = θ.
Therefore cot δ1 - cot δ0 = 2 μ, and for small θ the ratio of the forces at both ends is exp(μ sin θ). Over an arc, the
logarithm of the ratio of tensions is smaller than μ times the wrap angle by the fraction θ²/6.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.contact.axes import is_beam
from windlass.connectors.contact.rows import eval_cables
from windlass.elements.beam.rows import find_orders
from windlass.framework.arrays import BoolArray, FloatArray, IntArray
from windlass.framework.model.law import LocalRows
from windlass.framework.model.system import Fields

TOLERATED = 0.01
"""Tolerated relative errors of the friction of an arc, and of the tension of a belt [1]."""


def find_polygons(rows: LocalRows) -> BoolArray:
    """Return whether the cable of each row is a beam of the order 1, shape (rows,)."""
    found: BoolArray = np.zeros(len(rows.rows), dtype=bool)
    for table, positions, own in rows.world.split_by_table(rows.local("cable")):
        if is_beam(table):
            found[positions] = find_orders((table.local("node2", own), table.local("node3", own))) == 1
    return found


def choose_side(strain: FloatArray) -> FloatArray:
    """Return the largest permitted angle [rad] of a side.

    Args:
        strain: mounting strain of belts [1]; 0 for cables whose tension does not depend on the length of the arc.
    """
    most = np.where(strain > 0.0, 12.0 * TOLERATED * strain, np.inf)
    return np.asarray(np.sqrt(np.minimum(6.0 * TOLERATED, most)))


def find_coarse_polygons(
    rows: LocalRows, c: NDArray[Any], n: IntArray, polygons: BoolArray, fields: Fields, strain: FloatArray
) -> list[str]:
    """Return a description of a beam of the order 1 if the median of the angles of the touching beams that bend exceeds
    the permitted angle, otherwise an empty list. All arrays have the shape (rows,). On several processes the check is
    omitted, because cables of rows can belong to other processes.

    Args:
        c: records of the rows.
        n: numbers of points of the rows.
        polygons: result of `find_polygons`.
        strain: mounting strain, see `choose_side` [1].
    """
    if rows.layout.size > 1 or not polygons.any():
        return []
    first = c["data"].astype(np.int64)
    touches = [bool((fields.data[k : k + count] <= 0.0).any()) for k, count in zip(first, n, strict=True)]
    on = np.flatnonzero(polygons & c["active"] & touches)
    if not len(on):
        return []
    ends = eval_cables(rows, "director", fields, x=(c["length"] * n)[:, None] * (0.0, 1.0))[on]
    angle = np.arccos(np.clip((ends[:, 0] * ends[:, 1]).sum(axis=1), -1.0, 1.0))
    allowed = choose_side(strain[on])
    # beams at the ends of an arc bend more, or less, than the other beams on the arc
    ratio = angle / allowed
    bent = np.flatnonzero(ratio >= 0.5 * ratio.max())
    worst = int(bent[np.argsort(ratio[bent])[len(bent) // 2]])
    theta = float(angle[worst])
    if theta <= allowed[worst]:
        return []
    return [
        f"a beam of order 1 ({rows.table.kind} row {rows.rows[on[worst]]}) bends by {theta:.3g} rad on its circle or "
        f"surface: the polygon is {theta**2 / 12.0:.2g} longer than the arc, and its friction is {theta**2 / 6.0:.2g} "
        f"smaller: take order 2, or beams that bend by {allowed[worst]:.2g} rad"
    ]
