"""Data of contacts between circles and cables for reports and pictures. Laws with segments and laws with points have
data of the same form.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.circle_points.kernels import PointRows
from windlass.connectors.circle_points.outputs import eval_ends, eval_parts, eval_point_powers, eval_points
from windlass.connectors.circle_segments.common import Contact, eval_segments
from windlass.connectors.circle_segments.power import eval_powers
from windlass.connectors.markers.cable_shape import FAMILY, ShapeMarkers
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.model.law import LocalRows, Tables
from windlass.framework.model.schema import Component
from windlass.framework.model.system import Fields


class ContactView(NamedTuple):
    """Data of rows of one law of contact between circles and cables. Arrays have the shape (rows,)."""

    circle: IntArray  # index of the marker of each circle among the markers of its family
    data: IntArray  # index of the first history value of each row
    n: IntArray  # number of segments or points of each row
    L: FloatArray  # reference length [m] of each segment or part
    active: NDArray[np.bool_]  # whether the row exerts contact forces (``active``)
    evaluate: Callable[[Fields], FloatArray]
    """Function that returns the outputs of `fill_outputs` for all segments or points, shape (rows, n, 12)."""
    powers: Callable[[Fields], FloatArray]
    """Function that returns the powers [W] in the order of `POWERS`, shape (rows, n, 6)."""
    parts: Callable[[Fields, IntArray, IntArray], tuple[FloatArray, ...]]
    """Function ``(fields, row, number) -> p0, p1, v``: both ends of segments or parts [m], and the velocity in the
    middle of each segment or part [m/s], in global x and y, shape (k, 2) each.
    """
    ends: Callable[[Fields], FloatArray]
    """Function that returns the ends [m] of all segments or parts, shape (rows, n + 1, 2)."""
    at_point: bool  # whether friction acts at the contact point (radius plus gap) instead of the rim
    cord: FloatArray  # Height [m] of the axis above the contact face. Gaps are measured from the axis.


def name_circles(world: Tables, markers: IntArray) -> list[str]:
    """Return the names of the entities to which rigid markers are attached."""
    names = [""] * len(markers)
    for table, positions, rows in world.split_by_table(markers):
        holder = next(iter(table.component.refs))
        for owner, inner, owner_rows in world.split_by_table(table.local(holder, rows)):
            for place, row in zip(positions[inner], owner_rows, strict=True):
                names[place] = owner.describe(int(row))
    return names


def touches_at_points(component: type[Component]) -> bool:
    """Return whether a law uses contact points on cables. Otherwise the law uses the segments of a cable-shape
    marker.
    """
    return "cable" in component.refs and "vertical_offset" in component.columns


def view_contact(rows: LocalRows) -> ContactView:
    """Create the data of rows of one law of contact between circles and cables."""
    component = rows.table.component
    if touches_at_points(component):
        p: PointRows = rows.columns
        own = p.rows
        cord = rows.local("cord_offset") if "cord_offset" in component.columns else np.zeros(len(own))
        return ContactView(
            own["circle"], own["data"], own["segments"], own["length"], own["active"],
            lambda fields: eval_points(p, fields),
            lambda fields: eval_point_powers(p, fields),
            lambda fields, row, number: eval_parts(p, fields, row, number),
            lambda fields: eval_ends(p, fields),
            True, cord,
        )  # fmt: skip
    contact: Contact = rows.columns
    c, own = contact.columns, contact.columns.rows

    def parts(fields: Fields, row: IntArray, number: IntArray) -> tuple[FloatArray, ...]:
        shape: ShapeMarkers = fields.markers[FAMILY]
        first = shape.start[own["cable"][row]] + number
        return (
            shape.position[first],
            shape.position[first + 1],
            0.5 * (shape.velocity[first] + shape.velocity[first + 1]),
        )

    along = np.minimum(np.arange(own["segments"].max(initial=0) + 1), own["segments"][:, None])

    def ends(fields: Fields) -> FloatArray:
        shape: ShapeMarkers = fields.markers[FAMILY]
        found: FloatArray = np.take(shape.position, shape.start[own["cable"]][:, None] + along, axis=0)
        return found

    return ContactView(
        own["circle"], own["data"], own["segments"], own["length"], own["active"],
        lambda fields: eval_segments(contact, fields),
        lambda fields: eval_powers(c, contact.axial, fields),
        parts,
        ends,
        False, np.zeros(len(own)),
    )  # fmt: skip


def find_cables(world: Tables, ids: IntArray, together: bool = False) -> IntArray:
    """Return the entity indices of the cables to which contacts refer, shape (n,). Contacts refer to cables directly or
    by cable-shape markers.

    ``together``: whether all processes call this function together, even for rows of other processes. If false, each
    process calls the function for its own rows.
    """
    cables: IntArray = ids.copy()
    for table, positions, rows in world.split_by_table(ids):
        if "cable" in table.component.refs:
            cables[positions] = table.collect("cable", rows) if together else table.local("cable", rows)
    return cables
