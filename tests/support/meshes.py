"""Function that writes mesh files of lines with named groups for tests."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import meshio
import numpy as np
from numpy.typing import ArrayLike, NDArray


def write_lines(
    path: Path,
    points: ArrayLike,
    lines: ArrayLike,
    line_groups: Mapping[str, ArrayLike] | None = None,
    point_groups: Mapping[str, ArrayLike] | None = None,
) -> Path:
    """Write lines with groups as .msh (version 2.2, binary, a copy of a line for each of its groups), or as .vtu or
    .xdmf (groups as flags).

    Args:
        path: file to write.
        points: shape (points, 2) or (points, 3).
        lines: numbers of the points at both ends, shape (lines, 2).
        line_groups, point_groups: numbers of lines and points by name.
    """
    positions, ends = np.asarray(points, float), np.asarray(lines, np.int64)
    positions = np.column_stack((positions, np.zeros((len(positions), 3 - positions.shape[1]))))
    on_lines = {name: np.asarray(members, np.int64) for name, members in (line_groups or {}).items()}
    on_points = {name: np.asarray(members, np.int64) for name, members in (point_groups or {}).items()}
    if path.suffix != ".msh":
        flags = {name: [_flags(members, len(ends))] for name, members in on_lines.items()}
        marks = {name: _flags(members, len(positions)) for name, members in on_points.items()}
        meshio.write(path, meshio.Mesh(positions, [("line", ends)], cell_data=flags, point_data=marks))
        return path
    cells: list[tuple[str, Any]] = []
    tags: list[NDArray[np.int64]] = []
    if on_points:
        cells.append(("vertex", np.concatenate(list(on_points.values()))[:, None]))
        tags.append(np.repeat(np.arange(len(on_points)) + 1, [len(m) for m in on_points.values()]))
    alone = np.setdiff1d(np.arange(len(ends)), np.concatenate([[], *on_lines.values()]))
    line = np.concatenate([alone, *on_lines.values()]).astype(np.int64)
    tag = np.repeat(np.arange(len(on_lines) + 1), [len(alone), *map(len, on_lines.values())])
    order = np.lexsort((tag, line))
    cells.append(("line", ends[line[order]]))
    tags.append(tag[order])
    names = {name: np.array([k + 1, 0]) for k, name in enumerate(on_points)}
    names |= {name: np.array([k + 1, 1]) for k, name in enumerate(on_lines)}
    data: Any = {"gmsh:physical": tags, "gmsh:geometrical": tags}
    mesh = meshio.Mesh(positions, cells, cell_data=data, field_data=names)
    meshio.gmsh.write(path, mesh, fmt_version="2.2", binary=True)
    return path


def _flags(members: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    flags = np.zeros(count, np.int64)
    flags[members] = 1
    return flags
