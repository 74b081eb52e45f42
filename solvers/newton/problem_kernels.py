"""Kernels that convert between the unknowns of a `NonlinearProblem` and coordinates and multipliers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel

CHUNK = 256
"""Number of values that are compared at a time."""


class DofMap(NamedTuple):
    """Indices of coordinates, multipliers and padding rows among the unknowns of this process, and the reference
    coordinates.
    """

    dofs: IntArray
    multipliers: IntArray
    pads: IntArray
    reference: FloatArray


class Solution(NamedTuple):
    """The fields that are computed from unknowns: coordinates, velocities, accelerations and multipliers. Each array
    has one spare element at its end.
    """

    x: FloatArray
    v: FloatArray
    a: FloatArray
    lam: FloatArray


STATE = np.dtype(
    [(name, np.int64) for name in ("expanded", "residuals", "tangents", "failed", "answer", "reason", "iterations")]
    + [("load_factor", np.float64)]
)
"""Data of a Newton run. The data are a record in an array of shape (1,), which Python and compiled callbacks share.

expanded: whether the fields correspond to the unknowns.
residuals, tangents: numbers of evaluations of the residual and of the tangent so far.
failed: index of the part that failed in compiled callbacks, see callbacks.py, or -1.
answer: convergence reason that the Python part of the convergence test has returned.
reason, iterations: convergence reason and number of iterations of a compiled run.
load_factor: factor on the loads, see `Scheme`.
"""


class Buffers(NamedTuple):
    """The arrays of callbacks, used in Python and in compiled code.

    Attributes:
        places: indices of coordinates and multipliers among the unknowns, see `DofMap`.
        local: the unknowns to which the fields correspond, shape (u,).
        state: data of the Newton run, see `STATE`, shape (1,).
        f, c: residuals of the equations of motion and of the constraints, shapes (n + 1,) and (m + 1,).
    """

    places: DofMap
    local: FloatArray
    state: Any
    f: FloatArray
    c: FloatArray


@kernel(inline=True, fast=False)
def add_in_order(a: float, b: float, c: float) -> float:
    """Return (a + b) + c. The order of the additions is never changed."""
    return (a + b) + c


@kernel
def expand(unknown: FloatArray, to: DofMap, q0: FloatArray, v0: FloatArray, factors: FloatArray, out: Solution) -> None:
    """Compute coordinates, velocities, accelerations and multipliers from the unknowns, see `Scheme`.

    ``factors`` contains the factors of velocities, accelerations and multipliers, shape (3,).
    """
    v_factor, a_factor, lam_factor = factors
    for i in range(len(to.dofs)):
        dq = unknown[to.dofs[i]]
        # the fields after a step are exactly equal to the fields that are loaded from the stored displacements q0 + dq
        out.x[i] = add_in_order(q0[i], dq, to.reference[i])
        out.v[i] = v0[i] + v_factor * dq
        out.a[i] = a_factor * dq
    for i in range(len(to.multipliers)):
        out.lam[i] = lam_factor * unknown[to.multipliers[i]]


@kernel
def carry(a: FloatArray, lam: FloatArray, factors: FloatArray, to: DofMap, out: FloatArray) -> None:
    """Compute unknowns from accelerations a and multipliers lam. This kernel is the inverse of `expand`."""
    _, a_factor, lam_factor = factors
    for i in range(len(to.dofs)):
        out[to.dofs[i]] = a[i] / a_factor
    for i in range(len(to.multipliers)):
        out[to.multipliers[i]] = lam[i] / lam_factor


@kernel
def store_motion(
    unknown: FloatArray, at: DofMap, q0: FloatArray, motion: Solution, q: FloatArray, v: FloatArray, a: FloatArray,
    lam: FloatArray,
) -> None:  # fmt: skip
    """Compute displacements q from the unknowns, and copy velocities v, accelerations a and multipliers lam from the
    result of `expand`.
    """
    for i in range(len(q)):
        q[i] = q0[i] + unknown[at.dofs[i]]
        v[i] = motion.v[i]
        a[i] = motion.a[i]
    for i in range(len(lam)):
        lam[i] = motion.lam[i]


@kernel
def take_over(new: FloatArray, kept: FloatArray) -> bool:
    """Copy the values of ``new``, shape (n,), to ``kept``, shape (n,) or longer. Return whether a value has changed."""
    n, changed = len(new), False
    for first in range(0, n, CHUNK):
        last, different = min(first + CHUNK, n), 0
        if not changed:
            for i in range(first, last):
                different += new[i] != kept[i]
            changed = different > 0
        if changed:
            for i in range(first, last):
                kept[i] = new[i]
    return changed


@kernel
def begin_run(measures: Any, lag: Any, state: Any) -> None:
    """Reset the data of a Newton run that starts with unknowns 0. See convergence.py, lagging.py and `STATE`."""
    measures[0]["guessed"], measures[0]["seen"], lag[0]["seen"], state[0]["expanded"] = 0, 0, 0, 0


@kernel
def clear_values(values: FloatArray, ones: IntArray) -> None:
    """Set values to 0, and the values at the indices ``ones`` to 1."""
    for i in range(len(values)):
        values[i] = 0.0
    for i in ones:
        values[i] = 1.0


@kernel
def write_residual(f: FloatArray, c: FloatArray, to: DofMap, out: FloatArray) -> None:
    """Copy the residuals f (equations of motion) and c (constraints) to the order of unknowns."""
    for i in range(len(to.dofs)):
        out[to.dofs[i]] = f[i]
    for i in range(len(to.multipliers)):
        out[to.multipliers[i]] = c[i]
    for i in to.pads:
        out[i] = 0.0


@kernel
def start_sums(loads: FloatArray, factor: float, f: FloatArray, c: FloatArray) -> None:
    """Set f to ``factor`` times the loads, and c to 0. If the factor is 0, f is 0 even if loads are not finite."""
    for i in range(len(c)):
        c[i] = 0.0
    if factor == 0.0:
        for i in range(len(f)):
            f[i] = 0.0
        return
    for i in range(len(f)):
        f[i] = factor * loads[i]


@kernel
def subtract_loads(loads: FloatArray, state: Any, f: FloatArray) -> None:
    """Subtract the load factor times the loads from f. Both ``loads`` and ``f`` have the shape (n + 1,)."""
    factor = -state[0]["load_factor"]
    for i in range(len(f)):
        f[i] += factor * loads[i]


@kernel(fast=False)
def stabilise(
    stabiliser: FloatArray, x: FloatArray, reference: FloatArray, anchor: FloatArray, out: FloatArray
) -> None:
    """Write s (q - ``anchor``) to ``out``, shape (n + 1,). Here s is the element of ``stabiliser``, shape (1,), and q =
    ``x`` - ``reference`` are the displacements. The last element of ``out`` is unchanged.
    """
    for i in range(len(anchor)):
        out[i] = stabiliser[0] * (x[i] - reference[i] - anchor[i])
