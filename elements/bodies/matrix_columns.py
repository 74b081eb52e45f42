"""Functions that read matrices and user functions from columns of variable length. The rows of a table can have
different numbers of coordinates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.checks.state_functions import StateFunction
from windlass.framework.checks.user_functions import first_calls
from windlass.framework.errors import ModelError
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows
from windlass.framework.model.schema import shape_of
from windlass.framework.model.table import Entity

NO_LIST: Any = np.zeros(0)
"""Default of an optional column of variable length."""


def pack_matrices(values: dict[str, Any], rows: int, *names: str) -> dict[str, Any]:
    """Flatten dense or sparse matrices row by row, so that they can be stored in table columns of variable length.

    Args:
        values: values that the user gave to `World.add`.
        rows: number of table rows.
        names: names of columns. Each of these columns contains one matrix for all rows, or a list with one matrix for
            each row.
    """
    for name in names:
        given: Any = values.get(name)
        if hasattr(given, "toarray"):
            given = given.toarray()
        shape = shape_of(given)
        if len(shape) == 3 and shape[0] == rows:
            values[name] = np.reshape(given, (rows, -1))
        elif len(shape) == 2 and (rows == 1 or shape[0] != rows):
            values[name] = np.ravel(given)
    return values


def count_entities(handle: Any) -> int:
    """Return the number of entities in a handle, in a list of handles, or in an array of entity indices."""
    if isinstance(handle, list | tuple):
        return sum(count_entities(part) for part in handle)
    return len(handle) if isinstance(handle, Entity) else (*shape_of(handle), 1)[0]


def pool_matrices(
    rows: LocalRows, shapes: Mapping[str, tuple[IntArray, IntArray]]
) -> tuple[dict[str, IntArray], FloatArray]:
    """Copy the matrices of columns of variable length into one array.

    Args:
        rows: the rows of the table on this process.
        shapes: heights and widths of the matrices of the rows by name, shape (rows,) each. For a name that is not a
            column, zero matrices are reserved for results.

    Returns:
        For each name, the indices of the first elements of the matrices, shape (rows,), and the array with the elements
        of all matrices, row by row. An empty list gives a zero matrix.

    Raises:
        ModelError: the number of elements is not the product of height and width of the matrix.
    """
    places, parts, at = dict[str, IntArray](), [np.zeros(0)], 0
    for name, (heights, widths) in shapes.items():
        ends = at + np.cumsum(heights * widths)
        places[name] = ends - heights * widths
        col = rows.table.component.columns.get(name)
        lists = [()] * len(heights) if col is None else rows.local(name)
        for i, (height, width, given) in enumerate(zip(heights, widths, lists, strict=True)):
            size, shape = int(height * width), (int(height), int(width))
            if len(given) not in (0, size):
                unit = "" if col is None else col.unit
                raise ModelError(
                    f"{name} in {rows.table.kind} row {rows.rows[i]} has {len(given)} values: must have {size}, of "
                    f"shape {shape}, or be empty [{unit}]"
                )
            parts.append(np.array(given, np.float64) if len(given) else np.zeros(size))
        at = int(ends[-1]) if len(ends) else at
    return places, np.concatenate(parts)


def view_matrix(pool: FloatArray, first: int, height: int, width: int) -> FloatArray:
    """Return a matrix of the array of `pool_matrices`, without copying it. The index of its first element is
    ``first``.
    """
    return pool[first : first + height * width].reshape((height, width))


read_matrix = kernel(view_matrix, inline=True)
"""The function `view_matrix` for kernels."""


def bind_state_functions(
    rows: LocalRows, function: str, derivative: str, shapes: Sequence[tuple[int, ...]], words: str
) -> dict[int, StateFunction]:
    """Return the user functions of the active rows as a dictionary. The keys of the dictionary are indices into
    ``rows``.

    Args:
        rows: the rows of the table on this process.
        function: name of the column of the functions.
        derivative: name of the column of the derivatives. If this name is empty, finite differences are used.
        shapes: for each row, the required shape of the result of its function.
        words: description of the required result, with its unit, for messages.
    """
    active = rows.local("active") if "active" in rows.table.component.columns else np.ones(len(rows.rows), bool)
    derivatives = rows.local(derivative) if derivative else np.full(len(rows.rows), None)
    found, calls = {}, first_calls(rows.world)
    for i, (f, d) in enumerate(zip(rows.local(function), derivatives, strict=True)):
        if f is not None and active[i]:
            row = int(rows.rows[i])
            where = f" of {rows.table.describe(row)} ({rows.table.kind} row {row})"
            found[i] = StateFunction(f, d, shapes[i], (function + where, derivative + where), words, calls)
    return found
