"""Outputs of distributed loads at distances x along cables and beams, and drawings with arrows for ParaView.

For outputs and drawings, the load provides a function ``answer(rows, fields, s)`` of the relative positions s = x/L
[1], shape (rows, k). The function returns a named tuple of fields of shape (rows, k, ...) in the global frame. The
field ``r`` is the position [m].
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from windlass.connectors.loads.line_points import group_rows, line_lengths
from windlass.elements.cable.outputs import find_fractions
from windlass.framework.arrays import FloatArray
from windlass.framework.model.drawing import Drawing
from windlass.framework.model.law import LocalRows, Output
from windlass.framework.model.system import Fields

Answer = Callable[[LocalRows, Fields, FloatArray], Any]


def line_output(unit: str, doc: str, answer: Answer, name: str) -> Output:
    """Create the output variable that returns the field ``name`` of the results of ``answer`` at distances x [m]: one
    distance, an array of shape (rows,), or an array of shape (rows, k) for k points per row. Without x, the output is
    evaluated at the middle of each cable or beam.
    """

    def evaluate(rows: LocalRows, fields: Fields, x: Any = None) -> FloatArray:
        s = find_fractions(rows, line_lengths(rows)[:, None], x)
        values: FloatArray = getattr(answer(rows, fields, s), name)
        return values if np.ndim(x) == 2 else values[:, 0]

    return Output(unit, doc, evaluate)


def line_drawing(answer: Answer, names: Mapping[str, tuple[str, str]]) -> Callable[[LocalRows, Fields, int], Drawing]:
    """Create a function that draws the axes of cables and beams, with vectors at points of the axes.

    Args:
        answer: see the docstring of this module.
        names: dictionary from the name of each vector in the drawing to a field of the results of ``answer`` and its
            unit.
    """

    def draw(rows: LocalRows, fields: Fields, subdivisions: int) -> Drawing:
        s = np.broadcast_to(np.linspace(0.0, 1.0, subdivisions + 1), (len(rows.rows), subdivisions + 1))
        found = answer(rows, fields, s)
        values = {label: getattr(found, name) for label, (name, _) in names.items()}
        return _draw_along(rows, found.r, values, {label: unit for label, (_, unit) in names.items()})

    return draw


def _draw_along(rows: LocalRows, r: FloatArray, values: Mapping[str, FloatArray], units: Mapping[str, str]) -> Drawing:
    """Draw a line through k points of each row. Loads on connected cables or beams form one part of the drawing.

    Args:
        rows: the loads, with the column ``cable``.
        r: positions of the points [m], shape (rows, k, 3).
        values: dictionary from names to vectors at the points, shape (rows, k, 3) each.
        units: dictionary from these names to units.
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
