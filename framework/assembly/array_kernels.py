"""Kernels that are steps of a `Program`. The kernels set an array to 0, copy an array, or compute the work of forces in
a time step.
"""

from __future__ import annotations

from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel


@kernel
def clear(values: FloatArray) -> None:
    """Set an array of shape (n,) to 0."""
    for i in range(len(values)):
        values[i] = 0.0


@kernel
def copy_values(values: FloatArray, to: FloatArray) -> None:
    """Copy the array ``values`` to the array ``to``, both of shape (n,)."""
    for i in range(len(values)):
        to[i] = values[i]


@kernel
def take_work(q: FloatArray, before: FloatArray, f: FloatArray, f_before: FloatArray, work: FloatArray) -> None:
    """Compute the work of the forces ``f``, shape (laws, n + 1), along the straight path from the displacements
    ``before`` to ``q``, each of shape (n,). Then copy ``f`` to ``f_before``, and ``q`` to ``before``.

    The work [J] of each law is written to ``work``, shape (laws,). The work is computed with the mean of ``f_before``
    and ``f``.
    """
    for k in range(len(f)):
        total = 0.0
        for i in range(len(q)):
            total += (q[i] - before[i]) * (f_before[k, i] + f[k, i])
            f_before[k, i] = f[k, i]
        work[k] = 0.5 * total
    for i in range(len(q)):
        before[i] = q[i]
