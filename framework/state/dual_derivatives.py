"""Derivatives of the residual with respect to the values of columns: dual numbers if possible, otherwise differences.

The arguments of kernels are differentiated by extrapolated differences, see `differentiate_each`. The kernels compute
the derivatives of the residual from the derivatives of their arguments by dual numbers, see dual_residual.py. If a
kernel cannot be compiled for dual numbers, if a column affects integers in the arguments, or if kernels run as Python
code (``WINDLASS_JIT=0``), the residual itself is differentiated by extrapolated differences.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.assembly.mass import add_multiple
from windlass.framework.kernels.call import is_compiled
from windlass.framework.kernels.dual_arrays import NotCompiledError, NotDualError
from windlass.framework.state.column_derivatives import (
    FIRST,
    MOST,
    SHRINK,
    ChangedResidual,
    ColumnDerivative,
    ColumnValue,
    differentiate,
)
from windlass.framework.state.dual_residual import KernelTrace

DUAL = "dual numbers"
"""Method: dual numbers through all kernels."""
MIXED = "dual numbers, and differences of Python functions"
"""Method: dual numbers through all kernels, and differences of arguments that Python functions compute between kernels,
such as user functions.
"""
BESIDE = 1e-15
"""Relative distance [1] of a second number from the given number. The derivative is computed at the second number if
the kernel calls at the given number differ from the kernel calls at all other numbers. For example, rows share one call
if their accelerations are equal, and the accelerations may be equal only at the given number.
"""
EQUAL = 1e-12
"""Largest allowed difference [1] between the residuals at the given and at the second number, relative to the largest
entry of the residual.
"""
ROUNDED = 8.0 * float(np.finfo(float).eps)
"""If two extrapolations of each number differ by at most this fraction [1] of the number, no further step is made."""


class ColumnDerivatives:
    """Derivatives of a residual with respect to numbers in tables.

    Args:
        residual: the residual as a function of the numbers.

    Attributes:
        residual: the argument of the constructor.
        refusal: the reason why dual numbers cannot be used for this model, or None.
    """

    def __init__(self, residual: ChangedResidual) -> None:
        self.residual = residual
        self.refusal = None if is_compiled(add_multiple) else "kernels are not compiled"

    def differentiate(self, value: ColumnValue) -> ColumnDerivative:
        """Return the derivative of the residual with respect to a number in a table."""
        step = BESIDE * (abs(value.number) or 1.0)
        for number in (value.number, value.number + step, value.number - step):
            if self.refusal is not None:
                break
            try:
                return self._differentiate_kernels(value, number)
            except NotCompiledError as error:
                self.refusal = str(error)
            except NotDualError:
                continue
        return differentiate(partial(self.residual.eval_at, value), value.number, value.column)

    def _differentiate_kernels(self, value: ColumnValue, at: float) -> ColumnDerivative:
        """Return the derivative at the number ``at``, which is the number in the table or a number beside it."""
        # the systems are created again even for an unchanged number, so that the arguments can be compared one by one
        # with the arguments for changed numbers
        trace = self.residual.apply_at(value, at, KernelTrace)
        if trace is None:
            raise NotDualError(f"{value.describe()} must not have the value {at:g}")
        numbers = trace.numbers
        if at != value.number:
            here, beside = (self.residual.eval_at(value, number) for number in (value.number, at))
            if not np.abs(beside - here).max(initial=0.0) <= EQUAL * np.abs(here).max(initial=0.0):
                raise NotDualError(f"the residual jumps at {value.describe()}")

        def eval_at(number: float) -> FloatArray:
            if number == at:
                return numbers
            found = self.residual.apply_at(value, number, read_arguments)
            if found is None:
                return np.full_like(numbers, np.nan)
            if found[0] != trace.structure:
                raise NotDualError(f"{value.describe()} affects the kernels, or integers in their arguments")
            return found[1]

        one_sided = value.number == 0.0 and (value.column.minimum is not None or value.column.above is not None)
        best, other = differentiate_each(eval_at, at, FIRST * (abs(value.number) or 1.0), one_sided)
        _, slopes, is_mixed = trace.evaluate(best)
        if not np.isfinite(slopes).all():
            raise NotDualError(f"arguments of kernels have no derivative with respect to {value.describe()}")
        error = 0.0
        if not np.array_equal(best, other):
            size, change = np.abs(slopes).max(initial=0.0), np.abs(trace.evaluate(other)[1] - slopes).max(initial=0.0)
            error = float(change / size) if size > 0.0 else 0.0
        return ColumnDerivative(slopes, error, MIXED if is_mixed else DUAL)


def read_arguments(assembly: Assembly) -> tuple[str, FloatArray]:
    """Return the structure and the numbers of the arguments of all kernels, see `KernelTrace`."""
    trace = KernelTrace(assembly)
    return trace.structure, trace.numbers


def differentiate_each(
    eval_at: Callable[[float], FloatArray], number: float, h: float, one_sided: bool
) -> tuple[FloatArray, FloatArray]:
    """Return the derivatives of numbers with respect to a value, and for each number a second estimate of similar
    accuracy. The derivatives are extrapolated differences as in `differentiate`, but each number has its own best
    extrapolation. If the differences of a number do not converge, its derivative is NaN.

    Args:
        eval_at: function that returns the numbers for a value. If the value is not allowed, all numbers are NaN.
        number: the value.
        h: the first step.
        one_sided: whether the differences are forward differences.
    """
    start = eval_at(number)
    ratio = SHRINK if one_sided else SHRINK**2
    best, other, error = np.zeros_like(start), np.zeros_like(start), np.full_like(start, np.inf)
    row = list[FloatArray]()
    for _ in range(MOST):
        above, below = eval_at(number + h), start if one_sided else eval_at(number - h)
        # numbers that do not change may be infinite
        change = np.subtract(above, below, out=np.zeros_like(start), where=above != below)
        new = [change / (h if one_sided else 2.0 * h)]
        for k, old in enumerate(row):
            factor = ratio ** (k + 1)
            new.append(new[k] + (new[k] - old) * factor / (1.0 - factor))
            change = np.maximum(np.abs(new[k + 1] - new[k]), np.abs(new[k + 1] - old))
            better = change < error
            best, other = np.where(better, new[k + 1], best), np.where(better, new[k], other)
            error = np.where(better, change, error)
        row, h = new, SHRINK * h
        if (error <= ROUNDED * np.abs(best)).all():
            break
    return np.where(np.isfinite(error), best, np.nan), other
