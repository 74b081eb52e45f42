"""Drawing of loads along cables and beams: their axes with values at their points, for arrows in ParaView."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from windlass.connectors.loads.line_points import group_rows
from windlass.framework.arrays import FloatArray
from windlass.framework.model.drawing import Drawing
from windlass.framework.model.law import LocalRows


def draw_along(rows: LocalRows, r: FloatArray, values: Mapping[str, FloatArray], units: Mapping[str, str]) -> Drawing:
    """Draw lines through k points of each row; loads on connected cables or beams are one part of the drawing.

    Args:
        rows: the loads, with the column ``cable``.
        r: positions of the points [m], shape (rows, k, 3).
        values: fields at the points, shape (rows, k, 3), by name.
        units: their units.
    """
    count, k = r.shape[:2]
    number = np.arange(count * k).reshape(count, k)
    lines = count * (k - 1)
    ends = np.zeros((count, 2), np.int64)
    for kind, which in group_rows(rows):
        ends[which] = rows.layout.dofs[rows.dofs[which][:, kind.ends]]
    return Drawing(
        points=r.reshape(-1, 3),
        lines=np.stack((number[:, :-1].ravel(), number[:, 1:].ravel()), axis=1),
        part=np.repeat(np.arange(count), k - 1),
        entity=np.full(lines, -1, np.int64),
        start=np.zeros(lines),
        end=np.ones(lines),
        point_data={name: field.reshape(-1, 3) for name, field in values.items()},
        units=units,
        joints=np.repeat(ends, k - 1, axis=0),
    )
