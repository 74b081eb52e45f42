"""Drawings of the contact between circles and cables.

Each circle is drawn once, as a rim with one spoke, at the position and angle of its marker. Points of circles have the
values `displacement` and `velocity`, like points of cables. In addition, the lines of the cables have the following
fields:

| line field | unit | meaning | combination of several circles on one line |
| --- | --- | --- | --- |
| `contact_normal_force_per_length` | N/m | f_n per reference length; < 0 presses; 0 without contact | sum |
| `contact_tangential_force_per_length` | N/m | f_t on the cable per reference length; 0 without contact | sum |
| `gap` | m | distance between circle and segment; < 0 in contact | minimum |
| `stick_slip` | 1 | 0 sticks, 1 and -1 slip, -2 open. Only laws with friction | state at the closed circle |
| `friction_work_per_length` | J/m | energy lost in friction since an `EnergyLedger` began, per reference length | sum |

If the run has an `EnergyLedger`, the lines of each circle have the field `friction_work` [J], which is summed over all
cables.

The tangential direction is t = [-n_y, n_x], counter-clockwise around the circle. The normal n points from the centre of
the circle to the cable. `gap` is NaN on lines that cannot touch a circle.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from windlass.connectors.circle_contact.view import ContactView, find_cables, view_contact
from windlass.connectors.contact.account import FRICTION_LOSSES, eval_friction_work
from windlass.connectors.contact.circles import CIRCLE_FAMILY
from windlass.connectors.friction.bristle import UNDEFINED
from windlass.connectors.markers.position_kernels import PositionMarkers
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.model.drawing import Drawing, Paint, Painting
from windlass.framework.model.law import LocalRows
from windlass.framework.model.system import Fields

WORK = {"friction_work": "J"}
CROSS = np.array([[0, 0, 0, 0, 0, 1, 0, -1, 0], [0, 0, -1, 0, 0, 0, 1, 0, 0], [0, 1, 0, -1, 0, 0, 0, 0, 0]], float)
"""ω @ CROSS contains the coefficients of the matrix W with arm @ W = ω × arm, row by row."""
RIM_LINES = 72
"""Number of straight lines of a rim [1]. The polygon deviates from the circle by 0.1 % of the radius."""


def draw(rows: LocalRows, fields: Fields, subdivisions: int) -> Drawing:
    """Draw the circles of the rows. The argument ``subdivisions`` is ignored."""
    m: PositionMarkers = fields.markers[CIRCLE_FAMILY]
    circles: Circles = rows.kept("circles", lambda: _create_circles(rows))
    marker = circles.marker
    arm = circles.local @ m.rotation[marker].transpose(0, 2, 1)
    velocity = arm @ (m.angular_velocity[marker] @ CROSS).reshape(-1, 3, 3)
    velocity += m.velocity[marker][:, None]
    points = m.position[marker][:, None] + arm
    drawing = replace(circles.drawing, points=points.reshape(-1, 3), point_data={"velocity": velocity.reshape(-1, 3)})
    losses = rows.layout.losses.get(rows.table.component)
    if losses is None or not has_friction(rows):
        return drawing
    work = losses.sum_groups()[:, : len(FRICTION_LOSSES)].sum(axis=1)[np.searchsorted(losses.ids, circles.ids)]
    return replace(
        drawing, cell_data={"friction_work": np.repeat(work, RIM_LINES + 1)}, units={**drawing.units, **WORK}
    )


def has_friction(rows: LocalRows) -> bool:
    """Return whether the law of the rows has friction."""
    return "friction_coefficient" in rows.table.component.columns


class Circles(NamedTuple):
    """Data for the drawing of the circles of a group of rows. The data are constant during a run."""

    ids: IntArray  # entity indices of the markers of circles, shape (circles,)
    marker: IntArray  # indices of these markers among the markers of their family, shape (circles,)
    local: FloatArray  # points [m] of circles in the axes of their markers, shape (circles, RIM_LINES + 1, 3)
    drawing: Drawing  # Drawing of the circles. Its points are replaced by the current positions.


def _create_circles(rows: LocalRows) -> Circles:
    first = find_circles(rows)
    radius, count = rows.local("circle_radius")[first], len(first)
    # The last point of each circle is its centre. The spoke is drawn along the x axis of the marker.
    phi = 2.0 * np.pi * np.arange(RIM_LINES) / RIM_LINES
    unit = np.stack((np.cos(phi), np.sin(phi), np.zeros(RIM_LINES)), axis=1)
    local = np.concatenate((unit, np.zeros((1, 3)))) * radius[:, None, None]
    number = np.arange(RIM_LINES)
    one = np.stack((np.append(number, RIM_LINES), np.append((number + 1) % RIM_LINES, 0)), axis=1)
    lines = one + (RIM_LINES + 1) * np.arange(count)[:, None, None]
    total = count * len(one)
    drawing = Drawing(
        points=local.reshape(-1, 3),
        lines=lines.reshape(-1, 2),
        part=np.repeat(np.arange(count), len(one)),
        entity=np.full(total, -1, np.int64),
        start=np.zeros(total),
        end=np.ones(total),
        units={"velocity": "m/s"},
    )
    return Circles(rows.local("circle")[first], rows.markers("circle")[first], local, drawing)


def paint(rows: LocalRows, fields: Fields) -> Painting:
    """Add the fields of the table in the docstring of this module to the drawings of the cables."""
    painted_on: Intervals = rows.kept("intervals", lambda: _find_intervals(rows))
    c, row, length = painted_on.contact, painted_on.row, painted_on.length
    values = c.evaluate(fields)[row, painted_on.segment]
    painted = {
        "contact_normal_force_per_length": Paint(values[:, 1] / length, "sum", 0.0, "N/m"),
        "gap": Paint(values[:, 6], "min", np.nan, "m"),
    }
    if has_friction(rows):
        painted["contact_tangential_force_per_length"] = Paint(values[:, 0] / length, "sum", 0.0, "N/m")
        # the state of an open contact has the smallest value, so the maximum over the circles is the state on the
        # circle that the segment touches
        state = np.where(c.active[row], values[:, 7], UNDEFINED)
        painted["stick_slip"] = Paint(state, "max", UNDEFINED, "1")
        if rows.table.component in rows.layout.losses:
            work = eval_friction_work(rows)[row] / (length * c.n[row])
            painted["friction_work_per_length"] = Paint(work, "sum", 0.0, "J/m")
    return replace(painted_on.painting, fields=painted)


class Intervals(NamedTuple):
    """Data for the drawing of the segments of a group of rows. The data are constant during a run."""

    contact: ContactView  # contact rows
    row: IntArray  # row of each segment, and index of the segment in its row, shape (segments,)
    segment: IntArray
    length: FloatArray  # reference lengths [m], shape (segments,)
    painting: Painting  # intervals of the cables that the segments cover; the fields are empty


def _find_intervals(rows: LocalRows) -> Intervals:
    c = view_contact(rows)
    # array elements beyond the number of segments of a row are unused
    row, segment = np.nonzero(np.arange(int(c.n.max(initial=0))) < c.n[:, None])
    length = c.L[row]
    cables = find_cables(rows.world, rows.local("cable"))
    painting = Painting(target=cables[row], start=segment * length, end=(segment + 1) * length, fields={})
    return Intervals(c, row, segment, length, painting)


def find_circles(rows: LocalRows) -> IntArray:
    """Return the first row of each circle, in the order of the rows. If two rows have the same marker and the same
    radius, they refer to the same circle.
    """
    first = np.unique(circle_keys(rows).T, axis=1, return_index=True)[1]
    return np.sort(first)


def circle_keys(rows: LocalRows) -> FloatArray:
    """Return the index of the marker and the radius [m] of the circle of each row, shape (rows, 2). Rows with equal
    values refer to the same circle.
    """
    return np.stack((rows.local("circle").astype(np.float64), rows.local("circle_radius")), axis=1)
