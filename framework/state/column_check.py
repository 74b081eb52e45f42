"""Check of the derivatives of the residual with respect to the real numbers in the tables of a model.

`windlass.evaluate` differentiates the residual with respect to parameters by central differences with a step of 6e-6
times the parameter. For single columns, the check compares these differences with derivatives from dual numbers (see
dual_derivatives.py), whose error is near the rounding error.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.errors import ModelError
from windlass.framework.model.law import role_of
from windlass.framework.model.table import EntityTable
from windlass.framework.state.column_derivatives import ChangedResidual, ColumnDerivative, ColumnValue, list_values
from windlass.framework.state.dual_derivatives import ColumnDerivatives
from windlass.framework.state.residual import eval_residual

STEP = float(np.finfo(float).eps) ** (1.0 / 3.0)
"""Step h [1] of central differences, relative to the parameter. For this step, the truncation error h² and the rounding
error eps/h are of the same order.
"""
KINK = 1e-3
"""If the forward and the backward difference differ by at most this fraction [1] of the largest entry of the
derivative, the residual counts as smooth. If the residual has a second derivative, the difference between the forward
and the backward difference is proportional to the step.
"""
SMALL = 0.1
"""Ratio [1] of a second, smaller step to the first step. With the second step, the forward and the backward difference
are compared again.
"""
ROUNDING = 2e-16
"""Ratio [1] of the rounding error of the residual to the largest force."""


class CheckedValue(NamedTuple):
    """A number in a table, and the derivatives of the residual with respect to this number.

    Attributes:
        value: the number in the table.
        derivative: the derivative from dual numbers or extrapolated differences.
        difference: the central difference, shape (n + m,).
        kink: forward difference minus backward difference, shape (n + m,).
        noise: estimated rounding error of the entries of ``difference``.
    """

    value: ColumnValue
    derivative: ColumnDerivative
    difference: FloatArray
    kink: FloatArray
    noise: float

    @property
    def size(self) -> float:
        """Largest entry of the derivative."""
        return find_size(self.derivative.values)

    @property
    def error(self) -> float:
        """Largest difference between ``difference`` and ``derivative``."""
        return find_size(self.difference - self.derivative.values)


def find_size(values: FloatArray) -> float:
    """Return the largest absolute value of an array, or 0 for an empty array."""
    return float(np.abs(values).max(initial=0.0))


def differentiate_columns(
    derivatives: ColumnDerivatives, table: EntityTable, row: int, largest: tuple[float, float]
) -> Iterator[CheckedValue]:
    """Yield the derivatives of the residual with respect to numbers of a row. The numbers are selected by
    `list_values`. Numbers that are 0 are omitted.

    Args:
        derivatives: the derivatives of the residual with respect to the numbers.
        table, row: the row.
        largest: result of `find_largest`.
    """
    for value in list_values(table, row):
        if value.number != 0.0:
            yield differentiate_value(derivatives, value, largest)


def differentiate_value(
    derivatives: ColumnDerivatives, value: ColumnValue, largest: tuple[float, float]
) -> CheckedValue:
    """Return the derivatives of the residual with respect to a number that is not 0. See `differentiate_columns`."""
    number, moves = value.number, bool(value.table.component.reference_columns)

    def eval_at(changed: float) -> FloatArray:
        return derivatives.residual.eval_at(value, changed)

    derivative = derivatives.differentiate(value)
    h = STEP * abs(number)
    above, centre, below = (eval_at(number + side * h) for side in (1.0, 0.0, -1.0))
    difference, kink = (above - below) / (2.0 * h), (above - 2.0 * centre + below) / h
    if find_size(kink) > KINK * find_size(derivative.values):
        above, below = (eval_at(number + side * SMALL * h) for side in (1.0, -1.0))
        smaller = (above - 2.0 * centre + below) / (SMALL * h)
        if find_size(smaller) < 0.5 * find_size(kink):
            kink = smaller
    return CheckedValue(value, derivative, difference, kink, ROUNDING * largest[moves] / h)


def check_columns(assembly: Assembly, tolerance: float, where: str) -> None:
    """Check the derivatives of the residual with respect to the real numbers in the first and the last row of each
    table, at the present fields.

    Args:
        assembly: the assembly of the whole model.
        tolerance: largest allowed error [1], relative to the largest entry of a derivative.
        where: description of the fields in error messages.

    Raises:
        ModelError: the residual is not a smooth function of a number, or the central difference is wrong.
    """
    largest = find_largest(assembly)
    derivatives = ColumnDerivatives(ChangedResidual(assembly.world, assembly.fields))
    for component, table in assembly.world.tables.items():
        if role_of(component) == "data" or not table.count:
            continue
        for row in sorted({0, table.count - 1}):
            for checked in differentiate_columns(derivatives, table, row, largest):
                require_smooth(checked, tolerance, where)


def find_largest(assembly: Assembly) -> tuple[float, float]:
    """Return two forces: F and F + k x. Here F is the largest absolute value in the residual and in the multipliers, k
    is the largest entry of the stiffness matrix, and x is the largest coordinate. If coordinates change, rounding
    errors of forces are proportional to F + k x.
    """
    fields = assembly.fields
    force = max(find_size(eval_residual(assembly)), find_size(fields.lam))
    values = np.zeros(assembly.update_pattern().spare + 1)
    assembly.add_tangent(values, 1.0, 0.0, 0.0, 1.0, 0.0)
    return force, force + find_size(values[:-1]) * find_size(fields.x)


def require_smooth(checked: CheckedValue, tolerance: float, where: str) -> None:
    """Raise ModelError if a derivative with respect to a number in a table is wrong, see `check_columns`."""
    value, derivative, size = checked.value, checked.derivative, checked.size
    unit = "" if value.column.unit == "1" else f" {value.column.unit}"
    allowed = tolerance * size + checked.noise
    if not (size == 0.0 or derivative.error * size <= allowed):
        raise ModelError(
            f"the residual has no derivative with respect to {value.describe()} = {value.number:.9g}{unit} {where}: "
            f"differences with decreasing steps agree within {derivative.error:.2g} of the largest entry; must be at "
            f"most {allowed / size:.2g}"
        )
    require_no_kink(checked, where)
    if allowed < checked.error <= find_size(checked.kink):
        # the derivative of one side differs from the central difference by half of the jump of the slope
        raise _describe_kink(checked, where)
    if checked.error > allowed:
        k = int(np.argmax(np.abs(checked.difference - derivative.values)))
        raise ModelError(
            f"the central difference of the residual with respect to {value.describe()} = {value.number:.9g}{unit} is "
            f"{checked.difference[k]:.9g} in entry {k} {where}: must be {derivative.values[k]:.9g} (method: "
            f"{derivative.method})"
        )


def require_no_kink(checked: CheckedValue, where: str) -> None:
    """Raise ModelError if the residual, as a function of a number in a table, has a kink at the present value of the
    number.
    """
    if find_size(checked.kink) > KINK * checked.size + 4.0 * checked.noise / SMALL:
        raise _describe_kink(checked, where)


def _describe_kink(checked: CheckedValue, where: str) -> ModelError:
    """Return the error for a residual with a kink."""
    value, kink, size = checked.value, find_size(checked.kink), checked.size
    unit = "" if value.column.unit == "1" else f" {value.column.unit}"
    return ModelError(
        f"the residual has a kink at {value.describe()} = {value.number:.9g}{unit} {where}: forward and backward "
        f"difference differ by {kink:.2g}; must be at most {KINK * size:.2g}, {KINK:g} of the derivative"
    )
