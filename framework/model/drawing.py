"""Output data of laws: output variables, drawings (points, lines and faces with fields), and paintings (values on the
lines of other laws).

A law defines its drawing by ``draw(rows, fields, subdivisions) -> Drawing``, and its painting by ``paint(rows, fields)
-> Painting``. Both functions are called once per recorded frame with all rows of the law's table on this process. In a
drawing the points, lines and faces are stored in the order of the rows. The numbers of points, lines and faces are
equal for all rows, unless the drawing contains these numbers (``counts``). Points and values may change from frame to
frame. Connections of points, labels of lines, and intervals of paintings must not change.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.framework.arrays import FloatArray, IntArray

MergeRule = Literal["sum", "min", "max"]


@dataclass(frozen=True, eq=False)
class Drawing:
    """The points of the rows of one law at one instant, and the lines and faces that join these points.

    Attributes:
        points: positions [m] in the global frame, shape (n, 2) or (n, 3).
        lines: indices of the points at both ends of each line, shape (m, 2).
        part: label of each line (integers from 0), shape (m,). All lines of one visible object, such as a belt or a
            wheel, have equal labels.
        entity: number of the entity of each line, shape (m,); -1 for lines on which no painting is shown.
        start, end: axial coordinates x [m] of both ends of each line along its entity, start < end, each of shape (m,).
        point_data: values per point by field name, shape (n,), (n, 2) or (n, 3).
        cell_data: values per line by field name, shape (m,), (m, 2) or (m, 3).
        units: unit of each field, by name.
        joints: numbers that identify nodes or points. A line is connected with other lines through these nodes or
            points. Shape (m, joints of a line). Lines with a common number receive a common label, even if different
            processes draw these lines. If ``joints`` is None, no lines are connected.
        faces: indices of the points at the corners of each face, in order around the face, shape (faces, 4).
        face_part: label of each face, shape (faces,). Lines and faces of one object have equal labels.
        counts: numbers of points, lines and faces of each row, shape (rows, 3). If ``counts`` is None, all rows have
            equal numbers.
    """

    points: FloatArray
    lines: IntArray
    part: IntArray
    entity: IntArray
    start: FloatArray
    end: FloatArray
    point_data: Mapping[str, FloatArray] = field(default_factory=dict)
    cell_data: Mapping[str, FloatArray] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    joints: IntArray | None = None
    faces: IntArray = field(default_factory=lambda: np.zeros((0, 4), np.int64))
    face_part: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))
    counts: IntArray | None = None

    @property
    def labels(self) -> int:
        """Number of labels: the largest label of lines and faces plus 1."""
        return 1 + int(max(self.part.max(initial=-1), self.face_part.max(initial=-1)))


def draw_traces(
    traces: Sequence[FloatArray], entity: IntArray, fields: Mapping[str, FloatArray], units: Mapping[str, str]
) -> Drawing:
    """Create a drawing of lines along traces of points. Each trace has its own label, and an axial coordinate x that
    starts at 0.

    Args:
        traces: for each trace, its points [m] in the global frame, shape (points, 3).
        entity: number of the entity of each trace, shape (traces,).
        fields: values of each trace by field name, shape (traces,) or (traces, 3).
        units: unit of each field, by name.
    """
    part = np.repeat(np.arange(len(traces)), [len(trace) - 1 for trace in traces])
    begin = np.arange(len(part)) + part
    ways = [np.append(0.0, np.cumsum(np.sqrt((np.diff(trace, axis=0) ** 2).sum(axis=1)))) for trace in traces]
    return Drawing(
        points=np.concatenate(traces) if traces else np.zeros((0, 3)),
        lines=np.stack((begin, begin + 1), axis=1),
        part=part,
        entity=entity[part],
        start=np.concatenate([way[:-1] for way in ways]) if ways else np.zeros(0),
        end=np.concatenate([way[1:] for way in ways]) if ways else np.zeros(0),
        cell_data={name: values[part] for name, values in fields.items()},
        units=units,
    )


class Paint(NamedTuple):
    """One field of a painting.

    Attributes:
        values: values of the field, one per interval, shape (n,).
        rule: rule by which values are combined if several intervals cover one line. ``"sum"`` adds densities. Each
            density is multiplied by the fraction of the line that its interval covers. The integral along the line is
            therefore preserved. ``"min"`` selects the smallest value, and ``"max"`` the largest value.
        empty: value for lines that no interval covers.
        unit: physical unit.
    """

    values: FloatArray
    rule: MergeRule
    empty: float
    unit: str


@dataclass(frozen=True, eq=False)
class Painting:
    """Values that a law provides for the lines of other entities, on intervals of the axial coordinate.

    Attributes:
        target: number of the entity on which each interval lies, shape (n,).
        start, end: axial coordinates x [m] of both ends of each interval, start < end, each of shape (n,).
        fields: the values and the rule of each field, by field name.
    """

    target: IntArray
    start: FloatArray
    end: FloatArray
    fields: Mapping[str, Paint]


class FieldEntries(NamedTuple):
    """Values of rows in a form that compiled code can read: factor * (array[places] - shift).

    Attributes:
        array: name of the array of `Fields` that contains the values: ``"x"``, ``"v"``, ``"a"`` or ``"lam"``.
        places: indices of the values in the array, shape (rows, ...). If a value is always 0, its index is the index of
            the spare entry.
        shift, factor: scalars, or arrays that broadcast to the shape of ``places``.
    """

    array: Literal["x", "v", "a", "lam"]
    places: IntArray
    shift: FloatArray | float = 0.0
    factor: NDArray[Any] | float = 1.0

    def read(self, fields: Any) -> FloatArray:
        """Return the values, shape (rows, ...)."""
        found: FloatArray = self.factor * (getattr(fields, self.array)[self.places] - self.shift)
        return found

    def select(self, component: int | None) -> FieldEntries:
        """Return the entries of all rows with ``places`` of shape (n,), flattened in C order. If ``component`` is not
        None, return only the entries with the index ``component`` on the last axis of ``places``.
        """
        which = ... if component is None else (..., component)
        shift, factor = (
            np.broadcast_to(value, self.places.shape)[which].ravel() for value in (self.shift, self.factor)
        )
        return FieldEntries(self.array, self.places[which].ravel(), shift, factor)


@dataclass(frozen=True)
class Output:
    """One output variable of a law.

    Attributes:
        unit: physical unit.
        doc: text about the meaning, shape and reference frame of the values.
        evaluate: function of (rows: LocalRows, fields, ...) that returns an array of shape (rows, ...). Additional
            arguments with defaults are place arguments: positions on the entity, for instance ``x=`` [m] along a cable.
        fill: number that is appended to shorter values if the numbers of entries differ between the evaluated rows.
        place_ranks: number of array axes of each place argument that is an array, by name of the argument: ``{"local":
            1}`` if ``local`` is a vector.
        units_of: function of (rows: LocalRows) that returns one unit per row, for outputs whose unit differs between
            rows. The default is ``unit`` for all rows.
        summed: whether several processes may contribute to the value of one row, for example to a reaction. If
            ``summed`` is true, the value is the sum of the contributions of all processes.
        entries: for outputs that `of_entries` has created, function of (rows: LocalRows) that returns the
            `FieldEntries`. Such an output has no place arguments.
    """

    unit: str
    doc: str
    evaluate: Callable[..., Any]
    fill: float = 0.0
    place_ranks: Mapping[str, int] = field(default_factory=dict)
    units_of: Callable[[Any], Sequence[str]] | None = None
    summed: bool = False
    entries: Callable[[Any], FieldEntries] | None = None

    @classmethod
    def of_entries(cls, unit: str, doc: str, entries: Callable[[Any], FieldEntries], **more: Any) -> Output:
        """Create an output whose values are entries of one array. Compiled code can record these values.

        Args:
            unit, doc, **more: values of the attributes of the output.
            entries: function of (rows: LocalRows) that returns the `FieldEntries`.
        """
        return cls(unit, doc, lambda rows, fields: entries(rows).read(fields), entries=entries, **more)


def describe_outputs(outputs: Mapping[str, Output]) -> str:
    """Return the section "Outputs" of a docstring, with one line for each output variable. The text is empty if there
    are no output variables.
    """
    if not outputs:
        return ""
    lines = [f"    {name} [{output.unit}]: {output.doc}" for name, output in outputs.items()]
    return "\n".join(["", "Outputs:", *lines, ""])
