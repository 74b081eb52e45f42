"""C_q of the constraints of an assembly as entries by row: products with vectors of coordinates, without a matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.system import Coupling, evaluate


@kernel
def add_products(values: FloatArray, dofs: IntArray, multipliers: IntArray, w: FloatArray, product: FloatArray) -> None:
    """product += C_q w for entries that stand row by row in values; coordinates beyond w are 0."""
    k = 0
    for i in range(len(dofs)):
        for j in range(multipliers.shape[1]):
            for a in range(dofs.shape[1]):
                if dofs[i, a] < len(w):
                    product[multipliers[i, j]] += values[k] * w[dofs[i, a]]
                k += 1


class ConstraintJacobian:
    """C_q w at the fields of an assembly, which stay as they are.

    Args:
        assembly: the systems of this process.
    """

    def __init__(self, assembly: Assembly) -> None:
        self._assembly, self._revision = assembly, -1
        self._tables: list[tuple[Callable[..., None], Coupling, FloatArray, IntArray, IntArray]] = []
        self._add: Any = call(add_products)

    def add_product(self, w: FloatArray, product: FloatArray) -> None:
        """product += C_q w for w of shape (n,); markers are up to date, product has shape (m,) or longer."""
        assembly, fields = self._assembly, self._assembly.fields
        if self._revision != assembly.revision:
            self._revision = assembly.revision
            self._find_tables()
        # C_q is the derivative of the rates of the constraints with respect to velocities
        for tangent, coupling, values, dofs, multipliers in self._tables:
            values.fill(0.0)
            tangent(evaluate(fields, dv=1.0, rate_level=True, coupling=coupling, values=values))
            self._add(values, dofs, multipliers, w, product)

    def _find_tables(self) -> None:
        """For each table of constraints: its tangent, places and room for the entries of C_q, one after the other."""
        self._tables.clear()
        for system in self._assembly.systems:
            constraint = system.constraint
            if constraint is None:
                continue
            (count, width), n = constraint.multipliers.shape, system.dofs.shape[1]
            spare = count * width * n
            # all but C_q goes to the last entry; slots are short, as those of matrices
            slots: Any = np.arange(spare, dtype=np.int32).reshape(count, width, n)
            columns: Any = np.full((count, n, width), spare, np.int32)
            diagonal: Any = np.full((count, width), spare, np.int32)
            block: Any = np.full((count, n, n), spare, np.int32)
            coupling = Coupling(slots, columns, diagonal, block, 0.0)
            places = system.dofs, np.ascontiguousarray(constraint.multipliers)
            self._tables.append((constraint.tangent, coupling, np.zeros(spare + 1), *places))
