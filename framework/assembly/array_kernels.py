"""Kernels on whole arrays, for steps of a `Program`: clear, copy, and the work of forces over a step."""

from __future__ import annotations

from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel


@kernel
def clear(values: FloatArray) -> None:
    """Set values to 0, shape (n,)."""
    for i in range(len(values)):
        values[i] = 0.0


@kernel
def copy_values(values: FloatArray, to: FloatArray) -> None:
    """Values to another array of the same shape, (n,)."""
    for i in range(len(values)):
        to[i] = values[i]


@kernel
def take_work(q: FloatArray, before: FloatArray, f: FloatArray, f_before: FloatArray, work: FloatArray) -> None:
    """Work of forces f, shape (laws, n + 1), along the path from the previous displacements to q, (n,); both replace
    the previous values.

    The forces are averaged over the path; work has shape (laws,) [J].
    """
    for k in range(len(f)):
        total = 0.0
        for i in range(len(q)):
            total += (q[i] - before[i]) * (f_before[k, i] + f[k, i])
            f_before[k, i] = f[k, i]
        work[k] = 0.5 * total
    for i in range(len(q)):
        before[i] = q[i]
