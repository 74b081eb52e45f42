"""Drawings and paintings of the laws of a model (see model/drawing.py), collected on the first process in the order of
a serial run.

Each process computes the drawings (points, lines and faces) and the paintings (values on the lines of other laws) of
the rows that it stores. The first process sorts the rows in the order of the tables. The files therefore agree with the
files of a serial run up to rounding errors. Data that do not change from frame to frame (connections of points, labels
and intervals) are sent with the first frame only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.parallel_assembly import parallel_assembly
from windlass.framework.errors import OutputError, WindlassError
from windlass.framework.model.drawing import Drawing, Paint, Painting
from windlass.framework.model.law import Law, LocalRows, law_of
from windlass.framework.model.system import Fields
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.output.drawing import check_drawing
from windlass.framework.state.evaluate import EvaluatedRows, find_evaluated_rows, load_outputs
from windlass.framework.state.state import State

Drawn = tuple[list[Drawing], list[Painting]]


class Scene:
    """Drawings and paintings of all laws of a model. All calls are collective, including the constructor.

    Args:
        world: the world.
        subdivisions: number of straight lines with which one cable element is drawn.

    Attributes:
        processes: the processes among which the rows of the model are divided.
        partition: rank of the process that draws each line of all drawings, followed by the ranks for the faces, shape
            (lines + faces,). ``partition`` exists on the first process after the first call of `draw`.
    """

    def __init__(self, world: World, subdivisions: int) -> None:
        self.processes = parallel_assembly(world).processes
        self.partition: NDArray[np.int32] = np.zeros(0, np.int32)
        self._shown = _find_shown(world, subdivisions)
        self._joined: list[JoinedDrawing | JoinedPainting] = []
        self._started = False

    def draw(self, state: State) -> Drawn | None:
        """Return the drawings and paintings at a state. On processes other than the first, return None."""
        processes = self.processes
        fields = load_outputs(state)
        if processes.size == 1:
            drawn = _split([evaluate(fields) for _, evaluate in self._shown])
            self.partition = np.zeros(sum(len(d.lines) + len(d.faces) for d in drawn[0]), np.int32)
            return drawn
        with processes.alone("drawing"):
            parts, error = self._draw_here(fields)
        processes.agree(error)
        gathered = processes.gather_first("drawing", parts)
        return None if gathered is None else self._join(gathered)

    def _draw_here(self, fields: Fields) -> tuple[list[Any], WindlassError | None]:
        """Return the drawings and paintings of the rows of this process, with None for laws without rows on this
        process. After the first call, return only the arrays that change from frame to frame.
        """
        parts: list[Any] = []
        try:
            for rows, evaluate in self._shown:
                what = evaluate(fields) if len(rows) else None
                parts.append(_thin(what) if self._started else (what, rows))
        except WindlassError as error:
            return [], error
        self._started = True
        return parts, None

    def _join(self, gathered: list[list[Any]]) -> Drawn:
        by_law = list(zip(*gathered, strict=True))
        if not self._joined:
            self._joined = [_join_first(parts) for parts in by_law]
            drawings = [joined for joined in self._joined if isinstance(joined, JoinedDrawing)]
            owners = [joined.owner for joined in drawings] + [joined.face_owner for joined in drawings]
            self.partition = np.concatenate([np.zeros(0), *owners]).astype(np.int32)
            return _split([joined.first for joined in self._joined])
        return _split([joined.follow(parts) for joined, parts in zip(self._joined, by_law, strict=True)])


def is_drawn(world: World) -> bool:
    """Return whether the law of any row of the model defines the function `draw`."""
    laws = [law_of(component) for component, table in world.tables.items() if table.count]
    return any(law is not None and law.draw is not None for law in laws)


def _split(drawn: Sequence[Drawing | Painting]) -> Drawn:
    return [d for d in drawn if isinstance(d, Drawing)], [p for p in drawn if isinstance(p, Painting)]


def _find_shown(world: World, subdivisions: int) -> list[tuple[IntArray, Callable[[Fields], Drawing | Painting]]]:
    """Return, for each drawing and painting in the order of the tables, the row numbers on this process and the
    function that draws the rows.
    """
    found: list[tuple[IntArray, Callable[[Fields], Drawing | Painting]]] = []
    for component, table in world.tables.items():
        law = law_of(component)
        if law is None or (law.draw is None and law.paint is None) or not table.count:
            continue
        bound = find_evaluated_rows(Entity(table, np.arange(table.count)), world)
        if law.draw is not None:
            rows = _choose(bound, law).rows
            found.append((rows.rows, partial(_draw, rows, law.draw, subdivisions)))
        if law.paint is not None:
            found.append((bound.rows.rows, partial(law.paint, bound.rows)))
    return found


def _draw(rows: LocalRows, draw: Callable[[LocalRows, Fields, int], Drawing], lines: int, fields: Fields) -> Drawing:
    return check_drawing(rows.table.kind, draw(rows, fields, lines))


def _choose(bound: EvaluatedRows, law: Law) -> EvaluatedRows:
    """Return those rows of this process that are drawn. If several rows show one object, only the first of these rows
    is drawn. On a single process, all rows are drawn.
    """
    if law.draw_keys is None or not bound.parallel:
        return bound
    keys, rows = law.draw_keys(bound.rows), bound.rows
    first = np.sort(np.unique(keys, axis=0, return_index=True)[1]) if len(keys) else np.zeros(0, np.int64)
    parts = bound.assembly.processes.allgather("drawing", (keys[first], rows.rows[first]))
    every, numbers = (np.concatenate([part[k] for part in parts]) for k in range(2))
    order = np.argsort(numbers)
    shown = numbers[order[np.unique(every[order], axis=0, return_index=True)[1]]]
    mine = np.flatnonzero(np.isin(rows.rows, shown))
    return replace(bound, rows=rows.select(mine), positions=bound.positions[mine])


class Thin(NamedTuple):
    """Data that change from frame to frame: points and fields of a drawing, or fields of a painting."""

    points: FloatArray | None
    fields: tuple[dict[str, Any], ...]


def _thin(what: Drawing | Painting | None) -> Thin | None:
    if isinstance(what, Drawing):
        return Thin(what.points, (dict(what.point_data), dict(what.cell_data)))
    return None if what is None else Thin(None, (dict(what.fields),))


def _join_first(parts: Sequence[tuple[Drawing | Painting | None, IntArray]]) -> JoinedDrawing | JoinedPainting:
    """Join the drawings or paintings of one law on all processes for the first frame. The argument ``parts`` contains
    the drawings or paintings with their row numbers.
    """
    if any(isinstance(what, Drawing) for what, _ in parts):
        return JoinedDrawing([(rank, d, rows) for rank, (d, rows) in enumerate(parts) if isinstance(d, Drawing)])
    return JoinedPainting([what for what, _ in parts if isinstance(what, Painting)])


class JoinedDrawing:
    """The joined drawing of one law on several processes.

    Args:
        parts: for each process that draws, its rank, its drawing, and the numbers of the drawn rows.

    Attributes:
        first: the joined drawing of the first frame.
        owner, face_owner: rank of the process that draws each line, shape (lines,), and each face, shape (faces,).

    Raises:
        OutputError: the rows of a drawing have different numbers of points, lines or faces, but the drawing lacks
            `Drawing.counts`.
    """

    def __init__(self, parts: Sequence[tuple[int, Drawing, IntArray]]) -> None:
        drawings = [drawing for _, drawing, _ in parts]
        row_of_point, row_of_line, row_of_face = (
            np.concatenate([_rows_of(drawing, rows)[k] for _, drawing, rows in parts]) for k in range(3)
        )
        self._points, self._lines = np.argsort(row_of_point, kind="stable"), np.argsort(row_of_line, kind="stable")
        place = np.empty(len(self._points), np.int64)
        place[self._points] = np.arange(len(place))
        before = np.cumsum([0, *(len(drawing.points) for drawing in drawings)])
        labels = np.cumsum([0, *(drawing.labels for drawing in drawings)])
        part = np.concatenate([drawing.part + k for drawing, k in zip(drawings, labels, strict=False)])
        joints = None
        if all(drawing.joints is not None for drawing in drawings):
            joints = np.concatenate([drawing.joints for drawing in drawings if drawing.joints is not None])
        lines = np.concatenate([drawing.lines + k for drawing, k in zip(drawings, before, strict=False)])
        ranks = [rank for rank, _, _ in parts]
        self.owner: IntArray = np.repeat(ranks, [len(d.lines) for d in drawings])[self._lines]
        order = np.argsort(row_of_face, kind="stable")
        self.face_owner: IntArray = np.repeat(ranks, [len(d.faces) for d in drawings])[order]
        faces = np.concatenate([drawing.faces + k for drawing, k in zip(drawings, before, strict=False)])
        face_part = np.concatenate([drawing.face_part + k for drawing, k in zip(drawings, labels, strict=False)])
        structure: dict[str, Any] = {
            name: np.concatenate([getattr(drawing, name) for drawing in drawings])[self._lines]
            for name in ("entity", "start", "end")
        }
        self.first = Drawing(
            points=np.zeros((0, 3)),
            lines=place[lines][self._lines],
            part=_join_parts(part, joints)[self._lines],
            units=drawings[0].units,
            faces=place[faces][order],
            face_part=face_part[order],
            **structure,
        )
        label = _label_in_order(np.append(self.first.part, self.first.face_part))
        part, face_part = np.split(label, [len(self.first.part)])
        self.first = replace(self.first, part=part, face_part=face_part)
        self.first = self.follow([_thin(drawing) for drawing in drawings])

    def follow(self, parts: Sequence[Thin | None]) -> Drawing:
        """Return the joined drawing of a later frame. The argument ``parts`` contains the data of each process, see
        `Thin`.
        """
        known = [part for part in parts if part is not None]
        points = np.concatenate([part.points for part in known if part.points is not None])[self._points]
        point_data, cell_data = (
            {name: np.concatenate([part.fields[k][name] for part in known])[order] for name in known[0].fields[k]}
            for k, order in enumerate((self._points, self._lines))
        )
        return replace(self.first, points=points, point_data=point_data, cell_data=cell_data)


class JoinedPainting:
    """The joined painting of one law on several processes.

    Attributes:
        first: the joined painting of the first frame.
    """

    def __init__(self, paintings: Sequence[Painting]) -> None:
        structure = {
            name: np.concatenate([getattr(painting, name) for painting in paintings])
            for name in ("target", "start", "end")
        }
        self.first = Painting(fields={}, **structure)
        self.first = self.follow([_thin(painting) for painting in paintings])

    def follow(self, parts: Sequence[Thin | None]) -> Painting:
        """Return the joined painting of a later frame. The argument ``parts`` contains the data of each process, see
        `Thin`.
        """
        known = [part.fields[0] for part in parts if part is not None]
        fields: dict[str, Paint] = {
            name: paint._replace(values=np.concatenate([part[name].values for part in known]))
            for name, paint in known[0].items()
        }
        return replace(self.first, fields=fields)


def _rows_of(drawing: Drawing, rows: IntArray) -> list[IntArray]:
    """Return the row numbers of the points, of the lines, and of the faces of a drawing, as three arrays."""
    if drawing.counts is not None:
        return [np.repeat(rows, count) for count in drawing.counts.T]
    found = []
    for count in (len(drawing.points), len(drawing.lines), len(drawing.faces)):
        each, rest = divmod(count, len(rows))
        if rest:
            raise OutputError(
                f"a drawing has {count} points, lines or faces for {len(rows)} rows: must have the same number for "
                "each row, or must contain the numbers of each row (counts), in the order of the rows"
            )
        found.append(np.repeat(rows, each))
    return found


def _join_parts(part: IntArray, joints: IntArray | None) -> IntArray:
    """Return new labels for the lines of all processes, shape (lines,). Lines with equal labels in ``part``, or with a
    common index in ``joints``, receive equal new labels.
    """
    if joints is None or not len(part):
        return part
    from scipy.sparse import coo_array  # imported here, because only output needs scipy.sparse
    from scipy.sparse.csgraph import connected_components  # imported here, because only output needs scipy.sparse

    labels = int(part.max()) + 1
    _, joint = np.unique(joints, return_inverse=True)
    joint = labels + joint.reshape(joints.shape)
    size = int(joint.max()) + 1
    edges = np.repeat(part, joints.shape[1]), joint.ravel()
    graph = coo_array((np.ones(len(edges[0])), edges), shape=(size, size))
    found: IntArray = connected_components(graph, directed=False)[1][part]
    return found


def _label_in_order(part: IntArray) -> IntArray:
    """Renumber labels from 0, in the order in which they first occur."""
    _, first, inverse = np.unique(part, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    labels: IntArray = rank[inverse.ravel()]
    return labels
