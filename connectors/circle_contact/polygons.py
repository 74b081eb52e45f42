"""Check whether beams of the order 1 on a circle are short enough. The axis of such beams is a polygon.

Let θ be the angle that a beam of the length R θ spans on a rigid circle of the radius R. The middle of each side
touches the circle, so the polygon is longer than the arc by the fraction θ²/12.

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
from windlass.elements.beam.rows import find_orders
from windlass.framework.arrays import BoolArray, FloatArray
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
    """Return the largest permitted angle of a side on its circle [rad].

    Args:
        strain: mounting strain of belts [1]; 0 for cables whose tension does not depend on the length of the arc.
    """
    most = np.where(strain > 0.0, 12.0 * TOLERATED * strain, np.inf)
    return np.asarray(np.sqrt(np.minimum(6.0 * TOLERATED, most)))


def find_coarse_polygons(rows: LocalRows, c: NDArray[Any], fields: Fields, polygons: BoolArray) -> list[str]:
    """Return a description of the beam of the order 1 that exceeds the permitted angle on its circle most, otherwise an
    empty list.
    """
    first = c["data"].astype(np.int64)
    on = np.flatnonzero(polygons & c["active"] & (c["axial_stiffness"] > 0.0))
    on = on[[bool((fields.data[first[k] : first[k] + c["segments"][k]] <= 0.0).any()) for k in on]]
    if not len(on):
        return []
    angle = c["segments"][on] * c["length"][on] / c["radius"][on]
    allowed = choose_side(c["press"][on] / c["axial_stiffness"][on])
    worst = int(np.argmax(angle / allowed))
    if angle[worst] <= allowed[worst]:
        return []
    theta = float(angle[worst])
    return [
        f"beams of order 1 span {theta:.3g} rad of the circle of {rows.table.kind} row {rows.rows[on[worst]]}, a "
        f"polygon that is {theta**2 / 12.0:.2g} longer than the arc, and whose friction is {theta**2 / 6.0:.2g} "
        f"smaller: take order 2, or sides of {allowed[worst]:.2g} rad"
    ]
