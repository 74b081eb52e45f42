"""The constant mass matrix, which is assembled once from the mass matrices of all laws, and products of this matrix
with vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.sparsity import Pattern
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.system import Fields, Slots, System, evaluate


class MassRows(NamedTuple):
    """A mass matrix over process-local coordinates, in compressed rows.

    Attributes:
        indptr: index of the first entry of each row, shape (n + 1,), int32.
        columns: column (process-local coordinate) of each entry, shape (nnz,), int32.
        values: matrix entries, shape (nnz,): [kg] for two displacements, [kg m] for a displacement and a slope or
            rotation, [kg m^2] for two slopes or rotations.
        slots: index of each entry in the array of matrix values of the tangent, shape (nnz,), int32.
    """

    indptr: IntArray
    columns: IntArray
    values: FloatArray
    slots: IntArray


def create_mass_rows(
    fields: Fields, systems: Sequence[tuple[System, Slots]], pattern: Pattern, unknown_of_dof: IntArray
) -> MassRows:
    """Sum the constant mass matrices of several systems.

    Args:
        fields: arrays that the systems read.
        systems: pairs of a system and the slots (positions in the array of matrix values) of its mass matrices.
        pattern: sparsity over the process-local unknowns.
        unknown_of_dof: unknown of each process-local coordinate, shape (n,).
    """
    spare = len(unknown_of_dof)
    if not systems:
        none: Any = np.zeros(0, np.int32)
        indptr: Any = np.zeros(spare + 1, np.int32)
        return MassRows(indptr, none, np.zeros(0), none)
    matrix = np.zeros(pattern.spare + 1)
    for system, slots in systems:
        assert system.mass is not None
        system.mass(evaluate(fields, mass=1.0, slots=slots.places, pieces=slots, values=matrix))
    filled = np.flatnonzero(matrix[:-1])
    dof_of = np.full(pattern.rows, spare, np.int64)
    dof_of[unknown_of_dof] = np.arange(spare)
    row, column = pattern.entries()
    rows, columns = dof_of[row[filled]], dof_of[column[filled]]
    order = np.lexsort((columns, rows))
    filled = filled[order]
    starts = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=spare))))
    short: Any = np.int32
    return MassRows(starts.astype(short), columns[order].astype(short), matrix[filled], filled.astype(short))


@kernel
def multiply_rows(indptr: IntArray, columns: IntArray, values: FloatArray, x: FloatArray, y: FloatArray) -> None:
    """Add A x to y, for a matrix A in compressed rows."""
    for i in range(len(indptr) - 1):
        total = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            total += values[k] * x[columns[k]]
        y[i] += total


@kernel
def add_scaled(slots: IntArray, data: FloatArray, scale: float, values: FloatArray) -> None:
    """Add scale * data[i] to values[slots[i]] for each index i."""
    for k in range(len(slots)):
        values[slots[k]] += scale * data[k]


@kernel
def add_multiple(x: FloatArray, factor: float, y: FloatArray) -> None:
    """Add factor * x to y."""
    for i in range(len(x)):
        y[i] += factor * x[i]
