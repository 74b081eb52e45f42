"""`Canvas` puts the drawings and paintings of all laws side by side.

Missing values are NaN, which viewers leave out of their colour ranges.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.errors import OutputError
from windlass.framework.model.drawing import Drawing, Paint, Painting, Rule
from windlass.framework.output.mesh import LineMesh

COMBINE: dict[Rule, np.ufunc] = {"sum": np.add, "min": np.minimum, "max": np.maximum}
COVER = 1e-9
"""Share of a line that an interval must cover to count [1]: less is rounding."""


class Overlap(NamedTuple):
    """Pairs of a line and an interval that covers a part of it, line by line.

    Attributes:
        line: the lines that any interval covers, shape (lines,).
        first: first pair of each of these lines, shape (lines,).
        interval: interval of each pair, shape (pairs,).
        share: part of the line that the interval covers [1], shape (pairs,).
    """

    line: IntArray
    first: IntArray
    interval: IntArray
    share: FloatArray


def find_overlaps(
    entity: IntArray, start: FloatArray, end: FloatArray, target: IntArray, begin: FloatArray, stop: FloatArray
) -> Overlap:
    """Which intervals (target, begin, stop) cover which lines (entity, start, end); x in [m], see `Drawing`."""
    order = np.argsort(entity, kind="stable")
    first = np.searchsorted(entity[order], target, side="left")
    count = np.searchsorted(entity[order], target, side="right") - first
    count[target < 0] = 0
    interval = np.repeat(np.arange(len(target)), count)
    within = np.arange(len(interval)) - np.repeat(np.cumsum(count) - count, count)
    line = order[np.repeat(first, count) + within]
    covered = np.minimum(end[line], stop[interval]) - np.maximum(start[line], begin[interval])
    share = covered / (end[line] - start[line])
    kept = np.flatnonzero(share > COVER)
    kept = kept[np.argsort(line[kept], kind="stable")]
    covered_lines, first_pair = np.unique(line[kept], return_index=True)
    return Overlap(covered_lines, first_pair, interval[kept], share[kept])


class Canvas:
    """All drawings of a model as one mesh; made from those of the reference configuration.

    Args:
        drawings: drawings of the reference configuration.
        paintings: paintings at any instant, for their intervals and names.

    Attributes:
        mesh: reference points, lines and labels.
        units: unit of every field of `compose`.

    Raises:
        OutputError: nothing is drawn, or two laws give one name to fields of different units or rules.
    """

    def __init__(self, drawings: Sequence[Drawing], paintings: Sequence[Painting]) -> None:
        if not sum(len(d.lines) for d in drawings):
            raise OutputError(
                "the model has nothing to draw: it needs a cable or another entity that is drawn as lines"
            )
        points = [len(d.points) for d in drawings]
        first = np.concatenate(([0], np.cumsum(points)[:-1])).astype(np.int64)
        labels = [int(d.part.max(initial=-1)) + 1 for d in drawings]
        first_label = np.concatenate(([0], np.cumsum(labels)[:-1])).astype(np.int64)
        lines = np.concatenate([d.lines + k for d, k in zip(drawings, first, strict=True)])
        part = np.concatenate([d.part + k for d, k in zip(drawings, first_label, strict=True)])
        self.mesh = LineMesh(np.concatenate([_with_z(d.points) for d in drawings]), lines, part)
        self.units: dict[str, str] = {"displacement": "m"}
        painted = [{name: paint.unit for name, paint in p.fields.items()} for p in paintings]
        for name, unit in chain.from_iterable(units.items() for units in [*(d.units for d in drawings), *painted]):
            if self.units.setdefault(name, unit) != unit:
                raise OutputError(f"field {name!r} is drawn in {self.units[name]} and in {unit}: must be one unit")
        entity = np.concatenate([d.entity for d in drawings])
        start, end = np.concatenate([d.start for d in drawings]), np.concatenate([d.end for d in drawings])
        self._overlaps = [find_overlaps(entity, start, end, p.target, p.start, p.end) for p in paintings]

    def compose(
        self, drawings: Sequence[Drawing], paintings: Sequence[Painting]
    ) -> tuple[FloatArray, dict[str, FloatArray], dict[str, FloatArray]]:
        """Points [m], shape (n, 3), point fields and line fields of one frame, from drawings and paintings in order.

        `displacement` from the points of the reference configuration is added to the point fields.
        """
        points = np.concatenate([_with_z(d.points) for d in drawings])
        point_data = _join([d.point_data for d in drawings], [len(d.points) for d in drawings])
        point_data["displacement"] = points - self.mesh.points
        cell_data = _join([d.cell_data for d in drawings], [len(d.lines) for d in drawings])
        for painting, overlap in zip(paintings, self._overlaps, strict=True):
            for name, paint in painting.fields.items():
                _lay(cell_data, name, paint, overlap, len(self.mesh.lines))
        # only now, since a value for "nothing" would take part in the rules
        for name, paint in chain.from_iterable(p.fields.items() for p in paintings):
            cell_data[name] = np.where(np.isnan(cell_data[name]), paint.empty, cell_data[name])
        return points, point_data, cell_data


def _with_z(points: FloatArray) -> FloatArray:
    return points if points.shape[1] == 3 else np.column_stack((points, np.zeros(len(points))))


def _join(parts: Sequence[Mapping[str, FloatArray]], counts: Sequence[int]) -> dict[str, FloatArray]:
    """Fields of several drawings one after the other, NaN where a drawing lacks a field."""
    joined: dict[str, FloatArray] = {}
    ends = np.cumsum(counts)
    for part, count, end in zip(parts, counts, ends, strict=True):
        for name, values in part.items():
            if values.ndim == 2:
                values = _with_z(values)
            target = joined.setdefault(name, np.full((int(ends[-1]), *values.shape[1:]), np.nan))
            target[end - count : end] = values
    return joined


def _lay(fields: dict[str, FloatArray], name: str, paint: Paint, overlap: Overlap, lines: int) -> None:
    """Combine one painted field with what lies on the lines already; NaN stands for nothing."""
    combine = COMBINE[paint.rule]
    values = paint.values[overlap.interval]
    if paint.rule == "sum":
        values = values * overlap.share
    new = np.full(lines, np.nan)
    if len(overlap.line):
        new[overlap.line] = combine.reduceat(values, overlap.first)
    old = fields.get(name, np.full(lines, np.nan))
    fields[name] = np.where(np.isnan(old), new, np.where(np.isnan(new), old, combine(old, new)))


def check_drawing(kind: str, drawing: Drawing) -> Drawing:
    """The drawing itself, if its shapes fit together.

    Raises:
        OutputError: naming the law and the array, for a shape that does not fit.
    """
    n, m = len(drawing.points), len(drawing.lines)
    sized: Iterable[tuple[str, NDArray[np.generic], int]] = [
        *((name, getattr(drawing, name), m) for name in ("part", "entity", "start", "end")),
        *((f"point_data {name!r}", values, n) for name, values in drawing.point_data.items()),
        *((f"cell_data {name!r}", values, m) for name, values in drawing.cell_data.items()),
    ]
    for name, values, count in sized:
        if len(values) != count:
            raise OutputError(f"{name} in the drawing of {kind} has {len(values)} rows: must be {count}")
    missing = [name for name in (*drawing.point_data, *drawing.cell_data) if name not in drawing.units]
    if missing:
        raise OutputError(f"field {missing[0]!r} in the drawing of {kind} has no unit: units must name every field")
    return drawing
