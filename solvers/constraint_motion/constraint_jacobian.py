"""Products of the constraint Jacobian C_q of an assembly with vectors. The products are computed from the entries of
each constraint, without an assembled matrix.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.array_kernels import clear
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.kernels.call import Call, call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.kernels.program import Program, Step
from windlass.framework.model.system import Coupling, Evaluation, System, evaluate


@kernel
def add_products(values: FloatArray, dofs: IntArray, multipliers: IntArray, w: FloatArray, product: FloatArray) -> None:
    """Add C_q w to ``product``. ``values`` contains the entries of C_q, constraint by constraint. Coordinates whose
    index is not an index of ``w`` contribute 0.
    """
    k = 0
    for i in range(len(dofs)):
        for j in range(multipliers.shape[1]):
            for a in range(dofs.shape[1]):
                if dofs[i, a] < len(w):
                    product[multipliers[i, j]] += values[k] * w[dofs[i, a]]
                k += 1


def eval_sizes(assembly: Assembly, w: FloatArray) -> FloatArray:
    """For each element of the product C_q w, return the sum of the absolute values of its terms, shape (m,). C_q is
    evaluated at the state in the fields. Markers must be up to date.

    Args:
        assembly: the systems of this process.
        w: vector with a value for each coordinate, shape (n,).
    """
    sizes, size = np.zeros(len(assembly.layout.multipliers_owned) + 1), np.append(np.abs(w), np.zeros(1))
    for system in assembly.systems:
        if system.constraint is not None:
            s = _evaluate_jacobian(assembly, system)
            Program([(system.constraint.tangent, (s,))])()
            # a process may have no rows of constraints
            shape = (*system.constraint.multipliers.shape, system.dofs.shape[1])
            entries = np.abs(s.values[:-1]).reshape(shape)
            places = np.minimum(system.dofs, len(w))
            np.add.at(sizes, system.constraint.multipliers, np.einsum("ima,ia->im", entries, size[places]))
    return sizes[:-1]


def _evaluate_jacobian(assembly: Assembly, system: System) -> Evaluation:
    """Return an `Evaluation` that collects the entries of C_q of constraints, row by row."""
    constraint = system.constraint
    assert constraint is not None
    (count, width), n = constraint.multipliers.shape, system.dofs.shape[1]
    spare = count * width * n
    # Values that are not entries of C_q are written to the last element of the array. Storage indices are 32-bit
    # integers, like the indices of matrix entries.
    slots: Any = np.arange(spare, dtype=np.int32).reshape(count, width, n)
    columns: Any = np.full((count, n, width), spare, np.int32)
    diagonal: Any = np.full((count, width), spare, np.int32)
    block: Any = np.full((count, n, n), spare, np.int32)
    coupling = Coupling(slots, columns, diagonal, block, 0.0)
    # C_q is equal to the derivative of the constraint rates with respect to velocities
    return evaluate(assembly.fields, dv=1.0, rate_level=True, coupling=coupling, values=np.zeros(spare + 1))


def product_steps(assembly: Assembly, w: FloatArray, product: FloatArray) -> list[Step]:
    """Return steps of a `Program` that add C_q w, with C_q at the state in the fields, to ``product``. The steps do not
    change the fields.

    Args:
        assembly: the systems of this process. Markers must be up to date before the steps run.
        w: vector with a value for each coordinate, shape (n,).
        product: array to which C_q w is added, shape (m,) or longer.
    """
    found: list[Step] = []
    for system in assembly.systems:
        constraint = system.constraint
        if constraint is None:
            continue
        s = _evaluate_jacobian(assembly, system)
        add = _add_to(product, w, system.dofs, np.ascontiguousarray(constraint.multipliers))
        found += [(call(clear, lambda s: (s.values,)), (s,)), (constraint.tangent, (s,)), (add, (s,))]
    return found


def _add_to(product: FloatArray, w: FloatArray, dofs: IntArray, multipliers: IntArray) -> Call:
    return call(add_products, lambda s: (s.values, dofs, multipliers, w, product))
