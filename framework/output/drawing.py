"""One mesh with the drawings (geometry) and paintings (fields on the lines of other laws) of all laws.

Missing values are NaN. Viewers ignore NaN when they compute the range of a colour scale.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.errors import OutputError
from windlass.framework.model.drawing import Drawing, MergeRule, Paint, Painting
from windlass.framework.output.mesh import LineMesh

COMBINE: dict[MergeRule, np.ufunc] = {"sum": np.add, "min": np.minimum, "max": np.maximum}
COVER = 1e-9
"""If an interval covers at most this fraction [1] of a line, the overlap is ignored, because it may result from
rounding errors.
"""


class Overlap(NamedTuple):
    """Pairs of a line and an interval of a painting. The interval covers at least a part of the line. The pairs are
    ordered by line.

    Attributes:
        line: indices of the lines that occur in at least one pair, shape (lines,).
        first: for each line in ``line``, the index of its first pair, shape (lines,).
        interval: index of the interval of each pair, shape (pairs,).
        share: fraction [1] of the line that the interval of each pair covers, shape (pairs,).
        each: number of pairs of each line if all lines have equal numbers of pairs, otherwise 0.
    """

    line: IntArray
    first: IntArray
    interval: IntArray
    share: FloatArray
    each: int


def find_overlaps(
    entity: IntArray, start: FloatArray, end: FloatArray, target: IntArray, begin: FloatArray, stop: FloatArray
) -> Overlap:
    """Find the pairs of intervals (target, begin, stop) and lines (entity, start, end) that overlap. The values start,
    end, begin and stop are coordinates x [m] along the entity, see `Drawing`.
    """
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
    counts = np.diff(first_pair, append=len(kept))
    each = int(counts[0]) if len(counts) and (counts == counts[0]).all() else 0
    return Overlap(covered_lines, first_pair, interval[kept], share[kept], each)


class Canvas:
    """All drawings of a model as one mesh.

    Args:
        drawings: the drawings of all laws in the reference configuration.
        paintings: the paintings of all laws at any instant. Only their intervals and field names are used, and not
            their values.
        names: names of the requested fields. By default, all fields are written.
        others: units, by name, of the fields that the caller writes in addition to the fields of the laws.

    Attributes:
        mesh: reference points, lines, faces and labels.
        units: unit of every field of `compose`.

    Raises:
        OutputError: no law has a drawing with lines or faces, two laws use one field name with different units, or a
            requested field does not exist.
    """

    def __init__(
        self,
        drawings: Sequence[Drawing],
        paintings: Sequence[Painting],
        names: Sequence[str] | None = None,
        others: Mapping[str, str] | None = None,
    ) -> None:
        faces = sum(len(d.faces) for d in drawings)
        if not faces + sum(len(d.lines) for d in drawings):
            raise OutputError("the model cannot be drawn: it needs a cable or another entity that is drawn as lines")
        points = [len(d.points) for d in drawings]
        first = np.concatenate(([0], np.cumsum(points)[:-1])).astype(np.int64)
        first_label = np.cumsum([0, *(d.labels for d in drawings[:-1])])
        lines = np.concatenate([d.lines + k for d, k in zip(drawings, first, strict=True)])
        part = [d.part + k for d, k in zip(drawings, first_label, strict=True)]
        part += [d.face_part + k for d, k in zip(drawings, first_label, strict=True)]
        corners = np.concatenate([d.faces + k for d, k in zip(drawings, first, strict=True)])
        self.mesh = LineMesh(
            np.concatenate([_with_z(d.points) for d in drawings]), lines, np.concatenate(part), corners
        )
        units: dict[str, str] = {"displacement": "m"}
        painted = [{name: paint.unit for name, paint in p.fields.items()} for p in paintings]
        for name, unit in chain.from_iterable(u.items() for u in [*(d.units for d in drawings), *painted]):
            if units.setdefault(name, unit) != unit:
                raise OutputError(f"field {name!r} is drawn in {units[name]} and in {unit}: must be one unit")
        units |= others or {}
        unknown = [name for name in names or () if name not in units]
        if unknown:
            raise OutputError(f"fields = {unknown[0]!r} in Recorder: must be some of {', '.join(units)}")
        self.units = {name: unit for name, unit in units.items() if names is None or name in names}
        entity = np.concatenate([d.entity for d in drawings])
        start, end = np.concatenate([d.start for d in drawings]), np.concatenate([d.end for d in drawings])
        self._overlaps = [find_overlaps(entity, start, end, p.target, p.start, p.end) for p in paintings]
        # these arrays are overwritten when the next frame is composed
        self._points = Joined([len(d.points) for d in drawings])
        # only points and lines have fields, because no law has fields on faces
        self._lines = Joined([*(len(d.lines) for d in drawings), *([faces] if faces else [])])
        self._displacement = np.zeros(self.mesh.points.shape)

    def compose(
        self, drawings: Sequence[Drawing], paintings: Sequence[Painting]
    ) -> tuple[FloatArray, dict[str, FloatArray], dict[str, FloatArray]]:
        """Return the points [m], shape (n, 3), the point fields and the cell fields of one frame. The drawings and
        paintings must be in the order of the arguments of the constructor.

        The field `displacement`, relative to the reference configuration, is added to the point fields. The cells are
        the lines, followed by the faces. Painted fields are NaN on faces. The next call overwrites the returned arrays.
        """
        points = self._points.join("points", [d.points for d in drawings])
        point_data = self._join(self._points, [d.point_data for d in drawings])
        if "displacement" in self.units:
            point_data["displacement"] = np.subtract(points, self.mesh.points, out=self._displacement)
        lines = len(self.mesh.lines)
        on_faces: list[Mapping[str, FloatArray]] = [{}] if len(self.mesh.faces) else []
        cell_data = self._join(self._lines, [*(d.cell_data for d in drawings), *on_faces])
        drawn = set(cell_data)
        empty: dict[str, float] = {}
        for painting, overlap in zip(paintings, self._overlaps, strict=True):
            for name, paint in painting.fields.items():
                if name in self.units:
                    first = name not in drawn and name not in empty
                    if name not in empty:
                        # the array is copied, because the original array is a part of a drawing
                        cell_data[name] = self._lines.fresh(name) if first else cell_data[name].copy()
                    _lay(cell_data[name], paint, overlap, first)
                    empty[name] = paint.empty
        # Lines without a value receive the fill value only at the end. The fill value must not be combined with values
        # of intervals by a sum, minimum or maximum.
        for name, value in empty.items():
            cell_data[name][:lines][np.isnan(cell_data[name][:lines])] = value
        return points, point_data, cell_data

    def _join(self, joined: Joined, parts: Sequence[Mapping[str, FloatArray]]) -> dict[str, FloatArray]:
        """Concatenate fields of several drawings, with NaN for drawings that lack the field."""
        names = dict.fromkeys(name for part in parts for name in part if name in self.units)
        return {name: joined.join(name, [part.get(name) for part in parts]) for name in names}


class Joined:
    """Arrays that contain the values of several drawings one after the other, one array for each name.

    Args:
        counts: number of values (points or cells) of each drawing, shape (drawings,).
    """

    def __init__(self, counts: Sequence[int]) -> None:
        self._ends = [int(end) for end in np.cumsum(counts)]
        self._arrays: dict[str, FloatArray] = {}

    def join(self, name: str, parts: Sequence[FloatArray | None]) -> FloatArray:
        """Concatenate the values of all drawings. The values are NaN for drawings without the field. 2D vectors receive
        a third component 0.

        If there is only one drawing, its values are returned without a copy.
        """
        if len(parts) == 1 and parts[0] is not None and parts[0].shape[1:] != (2,):
            return parts[0]
        known = next(part for part in parts if part is not None)
        if name not in self._arrays:
            self._arrays[name] = np.full((self._ends[-1], *((3,) if known.ndim == 2 else ())), np.nan)
        joined, begin = self._arrays[name], 0
        for end, part in zip(self._ends, parts, strict=True):
            if part is not None:
                joined[begin:end] = part if part.shape[1:] != (2,) else _with_z(part)
            begin = end
        return joined

    def fresh(self, name: str) -> FloatArray:
        """Return the array of a field with one number per point or cell. All values of the array are NaN."""
        array = self._arrays.setdefault(name, np.empty(self._ends[-1]))
        array.fill(np.nan)
        return array


def _with_z(points: FloatArray) -> FloatArray:
    return points if points.shape[1] == 3 else np.column_stack((points, np.zeros(len(points))))


def _lay(field: FloatArray, paint: Paint, overlap: Overlap, first: bool) -> None:
    """Combine the values of a painted field with the present values of the lines in ``field``, by the rule of the
    painted field. If ``first`` is true, the present values are replaced. Lines that no interval covers are not changed.
    """
    if not len(overlap.line):
        return
    combine = COMBINE[paint.rule]
    values = paint.values[overlap.interval]
    if paint.rule == "sum":
        values = values * overlap.share
    if 0 < overlap.each < 4:
        # this loop is faster than `np.add.reduceat`
        new, *others = values.reshape(-1, overlap.each).T
        for other in others:
            new = combine(new, other)
    else:
        new = combine.reduceat(values, overlap.first)
    if not first:
        old = field[overlap.line]
        new = np.where(np.isnan(old), new, np.where(np.isnan(new), old, combine(old, new)))
    field[overlap.line] = new


def check_drawing(kind: str, drawing: Drawing) -> Drawing:
    """Check that the shapes of the arrays of a drawing are consistent, and return the drawing.

    Raises:
        OutputError: shapes are inconsistent or a field has no unit. The message names the law and the array or field.
    """
    n, m = len(drawing.points), len(drawing.lines)
    sized: Iterable[tuple[str, NDArray[np.generic], int]] = [
        ("face_part", drawing.face_part, len(drawing.faces)),
        *((name, getattr(drawing, name), m) for name in ("part", "entity", "start", "end")),
        *((f"point_data {name!r}", values, n) for name, values in drawing.point_data.items()),
        *((f"cell_data {name!r}", values, m) for name, values in drawing.cell_data.items()),
    ]
    for name, values, count in sized:
        if len(values) != count:
            raise OutputError(f"{name} in the drawing of {kind} has {len(values)} rows: must be {count}")
    if drawing.counts is not None and drawing.counts.sum(axis=0).tolist() != [n, m, len(drawing.faces)]:
        raise OutputError(
            f"counts in the drawing of {kind} have the sums {drawing.counts.sum(axis=0).tolist()}: must be "
            f"{[n, m, len(drawing.faces)]}, the numbers of points, lines and faces"
        )
    missing = [name for name in (*drawing.point_data, *drawing.cell_data) if name not in drawing.units]
    if missing:
        raise OutputError(f"field {missing[0]!r} in the drawing of {kind} has no unit: units must name every field")
    return drawing
