"""Lines, points and named sets of a mesh file, read through meshio: gmsh (.msh), .vtu and .xdmf.

The names of sets are the names of physical groups (gmsh), of cell sets and point sets, or of arrays of integers on
cells and points. Files of the formats .vtu and .xdmf store sets in such arrays:

- An array with the values 0 and 1 is one set with the name of the array. The set contains the cells or points with
  value 1.
- An array with the values -1, 0, .. k - 1 describes k sets if its name consists of k names of sets that are joined by
  "-" or another character of `JOINTS`. Meshio writes sets in this format.
- For any other array with at most `MOST_VALUES` different values, each value v describes a set with the name "name=v".

A gmsh 2.2 file contains several copies of a line, one for each physical group of the line. These copies are replaced by
one line that is a member of several sets. In arrays on cells, this line has the values of the first copy.
"""

from __future__ import annotations

import contextlib
import io
import os
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.errors import ModelError

FORMATS = {".msh": "gmsh", ".vtu": "vtu", ".xdmf": "xdmf", ".xmf": "xdmf"}
"""Name of the file format in meshio for each file ending."""
LINES: dict[str, IntArray] = {"line": np.array([[0, 1]]), "line3": np.array([[0, 2], [2, 1]])}
"""For each cell type: indices, within the cell, of the nodes of its straight lines."""
JOINTS = "-_#+/"
"""Separators between names of sets in the name of an array. Meshio uses the first separator that occurs in none of the
names.
"""
DAMAGED = ("not closed by", "could not be read to its end")
"""Parts of the warnings of meshio or NumPy for a truncated file."""
MOST_VALUES = 256
"""Largest number of different values of an array of integers that is interpreted as sets."""
PLANE = 1e-9
"""Largest distance [1] from the plane z = 0, relative to the largest extent of the mesh along a coordinate axis, that
is treated as a rounding error.
"""


@dataclass
class FileMesh:
    """Data of 2D or 3D lines in a mesh file.

    Attributes:
        path: path of the mesh file.
        points: positions [m], shape (points, 2), in 3D (points, 3).
        lines: indices of the points at both ends of each line, shape (lines, 2).
        line_sets, point_sets: sorted indices of the lines and of the points of each group, by name.
        present: whether each point remains after coinciding points were merged, shape (points,).
        cells: text that states the number of cells of each type.
        cell_values: values of arrays of numbers on the cells of each line, shape (lines,) or (lines, k), by the name of
            the array.
        notes: messages about parts of the file that were omitted.
    """

    path: Path
    points: FloatArray
    lines: IntArray
    line_sets: dict[str, IntArray]
    point_sets: dict[str, IntArray]
    present: NDArray[np.bool_]
    cells: str = ""
    notes: list[str] = field(default_factory=list)
    cell_values: dict[str, FloatArray] = field(default_factory=dict)

    def error(self, message: str) -> ModelError:
        """Create an error that names the file."""
        return ModelError(f"mesh file {self.path}: {message}")

    def place(self, point: int) -> str:
        """Return a text that describes the position of a point, for messages."""
        return f"point {point} at ({', '.join(f'{x:.9g}' for x in self.points[point])}) m"

    def groups(self) -> str:
        """Return a text with the names of all sets."""
        parts = [
            f"{kind} " + ", ".join(f"{name!r} ({len(members)})" for name, members in sorted(sets.items()))
            for kind, sets in (("groups of lines", self.line_sets), ("groups of points", self.point_sets))
            if sets
        ]
        return "it has " + " and ".join(parts) if parts else "it has no named groups"

    def points_of(self, group: str, argument: str) -> IntArray:
        """Return the points of a named group, which is a group of points or a group of lines. If both a group of points
        and a group of lines have this name, return the points of both groups.

        Raises:
            ModelError: the group does not exist. ``argument`` is the name of the argument for the message.
        """
        found = [self.point_sets[group]] if group in self.point_sets else []
        if group in self.line_sets:
            found.append(np.unique(self.lines[self.line_sets[group]]))
        if not found:
            raise self.error(f"{argument} names the unknown group {group!r}: {self.groups()}")
        return np.unique(np.concatenate(found))


def read_mesh(path: str | Path, scale: float = 1.0, in_space: bool = False) -> FileMesh:
    """Read a mesh file.

    Args:
        path: file with the ending .msh (gmsh 2.2 or 4.1, text or binary), .vtu, .xdmf or .xmf.
        scale: length [m] of one unit of length in the file.
        in_space: whether points may have any z. If ``in_space`` is false, all points must have z = 0.

    Raises:
        ModelError: the file does not exist, has another format, is damaged or empty, or has no lines. In 2D, the error
            is also raised if a point has z ≠ 0.
    """
    path = Path(path)
    if not (np.isfinite(scale) and scale > 0.0):
        raise ModelError(f"scale = {scale} m of mesh file {path}: must be > 0, metres per unit of length of the file")
    mesh = _read_file(path, scale)
    if not len(mesh.lines):
        raise mesh.error(
            f"the file has no line cells (cells: {mesh.cells}): must have cells of type {', '.join(LINES)}"
        )
    _check_points(mesh, in_space)
    return mesh


def load_mesh(path: Path, formats: Mapping[str, str], notes: list[str] | None = None) -> Any:
    """Read a file by meshio, and return the mesh of meshio.

    Args:
        path: the file.
        formats: name of the file format in meshio for each allowed file ending.
        notes: list to which messages of meshio are added.

    Raises:
        ModelError: the file does not exist, has another format, is damaged or empty.
    """
    ending = path.suffix.lower()
    if ending not in formats:
        raise ModelError(f"mesh file {path}: format {path.suffix!r} is unknown; must end in {', '.join(formats)}")
    if not os.path.isfile(path):
        raise ModelError(f"mesh file {path} does not exist")
    if path.stat().st_size == 0:
        raise ModelError(f"mesh file {path} is empty")
    import meshio  # imported here, because models without mesh file do not need meshio

    said = io.StringIO()
    try:
        with (
            contextlib.redirect_stderr(said),
            contextlib.redirect_stdout(said),
            warnings.catch_warnings(record=True) as warned,
        ):
            warnings.simplefilter("always")
            mesh = getattr(meshio, formats[ending]).read(str(path))
    # catch all errors, because a damaged file may cause errors of struct, NumPy, XML, HDF5 or meshio
    except Exception as error:
        raise _describe_error(path, error) from error
    lines = [line for line in said.getvalue().splitlines() if line.strip()]
    for line in [*lines, *(str(warning.message) for warning in warned)]:
        if any(sign in line for sign in DAMAGED):
            raise ModelError(f"mesh file {path} cannot be read: {line.strip()}; is the file complete?")
    if notes is not None:
        notes += [f"meshio: {' '.join(line.split())}" for line in lines]
    return mesh


def _describe_error(path: Path, error: Exception) -> ModelError:
    """Create the error for a file that cannot be read because of another error."""
    reason = " ".join(f"{type(error).__name__} {error}".split())
    if "Incompatible cell data 'gmsh:physical'" in str(error):
        reason = "some of its parts are in physical groups and some are in none; save the physical groups only"
    return ModelError(f"mesh file {path} cannot be read: {reason}")


def _read_file(path: Path, scale: float) -> FileMesh:
    """Read a file without checks, and return the mesh. The notes of the mesh contain the messages of meshio."""
    said = list[str]()
    given = load_mesh(path, FORMATS, said)
    try:
        mesh = _take_lines(path, given, scale)
    except Exception as error:
        raise _describe_error(path, error) from error
    mesh.notes += said
    return mesh


def _take_lines(path: Path, mesh: Any, scale: float) -> FileMesh:
    """Convert a mesh of meshio to a `FileMesh` with lines, points and sets."""
    points = np.asarray(mesh.points, float).reshape(len(mesh.points), -1) * scale
    # for each cell block, by its index: the indices of the lines of its cells, and the points of its vertex cells
    lines_of: dict[int, IntArray] = {}
    points_of: dict[int, IntArray] = {}
    parts, counts, total = [np.zeros((0, 2), np.int64)], Counter[str](), 0
    for k, block in enumerate(mesh.cells):
        counts[block.type] += len(block.data)
        if block.type in LINES:
            ends = LINES[block.type]
            parts.append(np.asarray(block.data, np.int64)[:, ends].reshape(-1, 2))
            lines_of[k] = (total + np.arange(len(parts[-1]))).reshape(-1, len(ends))
            total += len(parts[-1])
        elif block.type == "vertex":
            points_of[k] = np.asarray(block.data, np.int64)
    lines = np.concatenate(parts)
    # only groups of line cells and vertex cells are read
    groups_of_lines: dict[str, list[IntArray]] = defaultdict(list)
    groups_of_points: dict[str, list[IntArray]] = defaultdict(list)
    for name, k, cells in _cell_groups(mesh):
        for members, groups in ((lines_of, groups_of_lines), (points_of, groups_of_points)):
            if k in members and len(cells):
                groups[name].append(members[k][cells].ravel())
    line_sets, point_sets = _merge(groups_of_lines), _merge(groups_of_points)
    for name, points_here in _point_groups(mesh):
        if len(points_here):
            point_sets[name] = np.union1d(point_sets.get(name, np.zeros(0, np.int64)), points_here)
    values = {
        name: np.concatenate(
            [np.repeat(np.asarray(data[k], float), own.shape[1], axis=0) for k, own in lines_of.items()]
        )
        for name, data in mesh.cell_data.items()
        if lines_of and not name.startswith("gmsh:") and all(_is_numeric(data[k]) for k in lines_of)
    }
    if "gmsh:physical" in mesh.cell_data:
        physical = mesh.cell_data["gmsh:physical"]
        tags = [np.repeat(np.asarray(physical[k], np.int64), own.shape[1]) for k, own in lines_of.items()]
        first, line_sets = _fold_copies(lines, line_sets, np.concatenate([np.zeros(0, np.int64), *tags]))
        lines, values = lines[first], {name: array[first] for name, array in values.items()}
    other = ", ".join(f"{count} {kind}" for kind, count in counts.items() if kind not in (*LINES, "vertex"))
    notes = [f"left out: cells of other types ({other})"] if other else []
    words = ", ".join(f"{count} {kind}" for kind, count in counts.items()) or "none"
    return FileMesh(path, points, lines, line_sets, point_sets, np.ones(len(points), bool), words, notes, values)


def _is_numeric(values: Any) -> bool:
    """Return whether an array on cells contains real numbers, with one axis or two axes."""
    array = np.asarray(values)
    return array.ndim in (1, 2) and (np.issubdtype(array.dtype, np.floating) or np.issubdtype(array.dtype, np.integer))


def _cell_groups(mesh: Any) -> Iterator[tuple[str, int, IntArray]]:
    """Yield, for each group of cells and each cell block: the name of the group, the index of the block, and the cells
    of the group within the block.
    """
    for name, sets in mesh.cell_sets.items():
        if name != "gmsh:bounding_entities":
            for k, cells in enumerate(sets):
                if cells is not None:
                    yield name, k, np.asarray(cells, np.int64)
    for key, data in mesh.cell_data.items():
        if key == "gmsh:physical":
            names = {(int(dim), int(tag)): name for name, (tag, dim) in mesh.field_data.items()}
            for k, (block, tags) in enumerate(zip(mesh.cells, data, strict=True)):
                for tag in np.unique(tags[tags > 0]):
                    yield names.get((block.dim, int(tag)), str(tag)), k, np.flatnonzero(tags == tag)
        elif not key.startswith("gmsh:") and all(np.issubdtype(values.dtype, np.integer) for values in data):
            for name, value in _name_values(key, np.concatenate([values.ravel() for values in data])):
                for k, values in enumerate(data):
                    if values.ndim == 1:
                        yield name, k, np.flatnonzero(values == value)


def _point_groups(mesh: Any) -> Iterator[tuple[str, IntArray]]:
    """Yield the name and the points of each group of points."""
    for name, members in mesh.point_sets.items():
        yield name, np.unique(np.asarray(members, np.int64))
    for key, values in mesh.point_data.items():
        if not key.startswith("gmsh:") and np.issubdtype(values.dtype, np.integer) and values.ndim == 1:
            for name, value in _name_values(key, values):
                yield name, np.flatnonzero(values == value)


def _name_values(key: str, values: IntArray) -> list[tuple[str, int]]:
    """Return the names of the sets that an array of integers describes, and the integer that marks the members of
    each set."""
    distinct = np.unique(values)
    if len(distinct) > MOST_VALUES:
        return []
    lowest, highest = int(distinct.min(initial=0)), int(distinct.max(initial=0))
    found: list[tuple[str, int]] = []
    for joint in JOINTS:
        names = key.split(joint)
        # an array of 0 and 1 whose name contains a separator may also be a single set, so both interpretations are
        # returned
        if len(names) > 1 and all(names) and lowest >= -1 and highest == len(names) - 1:
            found = [(name, value) for value, name in enumerate(names)]
        if found or joint not in key:
            break
    if lowest >= 0 and highest <= 1:
        return [*found, (key, 1)]
    return found or [(f"{key}={value}", int(value)) for value in distinct]


def _merge(sets: dict[str, list[IntArray]]) -> dict[str, IntArray]:
    return {name: np.unique(np.concatenate(parts)) for name, parts in sets.items()}


def _fold_copies(
    lines: IntArray, line_sets: dict[str, IntArray], tags: IntArray
) -> tuple[NDArray[np.bool_], dict[str, IntArray]]:
    """Merge consecutive copies of a line that differ only in their physical group. Return whether each line is kept,
    shape (lines,), and the sets of the lines that are kept.
    """
    same = (lines[1:] == lines[:-1]).all(axis=1) & (tags[1:] != tags[:-1]) & (tags[1:] > 0) & (tags[:-1] > 0)
    first = np.concatenate(([True], ~same))
    number = np.cumsum(first) - 1
    return first, {name: np.unique(number[members]) for name, members in line_sets.items()}


def _check_points(mesh: FileMesh, in_space: bool) -> None:
    """Raise ModelError for lines and groups with missing points, for points whose coordinates are not two or three
    finite numbers, and in 2D for points with z ≠ 0. In 2D, the coordinate z is removed. In 3D, a missing coordinate z =
    0 is added.
    """
    points, lines = mesh.points, mesh.lines
    for k, point in np.argwhere((lines < 0) | (lines >= len(points)))[:1]:
        raise mesh.error(
            f"line {k} ends at point {lines[k, point]}: the file has {len(points)} points, numbered from 0"
        )
    for name, members in mesh.point_sets.items():
        for point in members[(members < 0) | (members >= len(points))][:1]:
            raise mesh.error(
                f"the group {name!r} has point {point}: the file has {len(points)} points, numbered from 0"
            )
    if points.shape[1] not in (2, 3):
        raise mesh.error(f"the points of the file have {points.shape[1]} coordinates: must have 2 or 3")
    for row in np.flatnonzero(~np.isfinite(points).all(axis=1))[:1]:
        raise mesh.error(f"point {row} = {points[row]} m: must be finite numbers")
    if in_space:
        mesh.points = np.hstack((points, np.zeros((len(points), 3 - points.shape[1]))))
        return
    size = float(np.ptp(points, axis=0).max(initial=0.0))
    out = np.flatnonzero(np.abs(points[:, 2:]).max(axis=1, initial=0.0) > PLANE * size)
    mesh.points = np.ascontiguousarray(points[:, :2])
    for row in out[:1]:
        raise mesh.error(
            f"{mesh.place(row)} has z = {points[row, 2]:.9g} m: must be 0, or in_space=True, for 3D cables "
            f"({len(out)} points lie outside of this plane)"
        )
