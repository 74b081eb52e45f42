"""C_q of the constraints of an assembly as entries by row: products with vectors of coordinates, without a matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.array_kernels import clear
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.kernels.call import Call, call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.kernels.program import Step
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


def product_steps(assembly: Assembly, w: FloatArray, product: FloatArray) -> list[Step]:
    """Steps of a `Program` that add C_q w at the fields, which stay as they are, to a product.

    Args:
        assembly: the systems of this process; markers are up to date when the steps are taken.
        w: values of coordinates, shape (n,).
        product: shape (m,) or longer.
    """
    found: list[Step] = []
    for system in assembly.systems:
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
        # C_q is the derivative of the rates of the constraints with respect to velocities
        s = evaluate(assembly.fields, dv=1.0, rate_level=True, coupling=coupling, values=np.zeros(spare + 1))
        add = _add_to(product, w, system.dofs, np.ascontiguousarray(constraint.multipliers))
        found += [(call(clear, lambda s: (s.values,)), (s,)), (constraint.tangent, (s,)), (add, (s,))]
    return found


def _add_to(product: FloatArray, w: FloatArray, dofs: IntArray, multipliers: IntArray) -> Call:
    return call(add_products, lambda s: (s.values, dofs, multipliers, w, product))
