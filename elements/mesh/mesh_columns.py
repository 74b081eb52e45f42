"""Columns of the cables of a net that are read from arrays on the cells of a mesh file. The columns have one value for
each line.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from windlass.elements.mesh.mesh_file import FileMesh
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.values import read_words, show
from windlass.framework.errors import ModelError
from windlass.framework.model.schema import Component

CellColumns = Mapping[str, str | Sequence[str]]


def read_cell_columns(
    mesh: FileMesh, kind: type[Component], given: CellColumns, others: Iterable[str]
) -> dict[str, FloatArray]:
    """Return the values of columns for each line, shape (lines, ...).

    Args:
        mesh: mesh with the arrays on its cells.
        kind: type of the cables.
        given: names of arrays by the name of the column, see ``cell_columns`` of `cables_from_mesh`.
        others: names of columns that the user gives for whole sections.

    Raises:
        ModelError: ``kind`` has no such column of real numbers, the column is given twice, the file has no such array,
            the number of components is wrong, or a value is not finite.
    """
    known = {name: col for name, col in kind.columns.items() if col.dtype is np.float64 and name != "length"}
    twice = set(given) & set(others)
    found = {}
    for name, arrays in given.items():
        words = read_words(arrays)
        if words is None or words.ndim > 1 or not words.size:
            raise ModelError(
                f"cell_columns[{name!r}] = {show(arrays)} in cables_from_mesh: must be the name of an array, or a list "
                "of names"
            )
        if name not in known:
            raise ModelError(
                f"cell_columns has {name!r} in cables_from_mesh: must be one of the columns of {kind.__name__} "
                f"{', '.join(known)}"
            )
        if name in twice:
            raise ModelError(f"cell_columns and a section both give {name} in cables_from_mesh: give one of them")
        parts = [_read_array(mesh, name, word) for word in words.ravel().tolist()]
        values = np.concatenate([part.reshape(len(mesh.lines), -1) for part in parts], axis=1)
        shape = known[name].shape or ()
        width = int(np.prod(shape))
        if values.shape[1] not in ({1, width} if known[name].fill else {width}):
            raise mesh.error(
                f"the arrays of cell_columns[{name!r}] have {values.shape[1]} components: must have {width}"
            )
        found[name] = np.broadcast_to(values, (len(mesh.lines), width)).reshape(len(mesh.lines), *shape).copy()
    return found


def _read_array(mesh: FileMesh, column: str, name: str) -> FloatArray:
    """Return the values of an array on cells for each line, shape (lines,) or (lines, k)."""
    if name not in mesh.cell_values:
        names = ", ".join(map(repr, sorted(mesh.cell_values))) or "none"
        raise mesh.error(
            f"cell_columns[{column!r}] names the array {name!r}: must be an array of numbers on lines (arrays: {names})"
        )
    values = mesh.cell_values[name]
    for line in np.flatnonzero(~np.isfinite(values.reshape(len(values), -1)).all(axis=1))[:1]:
        raise mesh.error(f"{name} = {values[line]} of line {line} (cell_columns[{column!r}]): must be finite")
    return values
