"""Derivatives of the residual with respect to the values of columns.

The derivative with respect to a value c is computed from central differences

    D(h) = (r(c + h) - r(c - h))/(2 h)

of the residual r with decreasing steps h. The differences are extrapolated to h = 0 (Ridders). The first step is a
fraction of c. If r is a polynomial in c of degree 2 k, the extrapolation from k steps has no truncation error. For most
columns, such as stiffnesses, masses, damping coefficients and loads, r is linear in c. The first difference then has no
truncation error. Its rounding error is small, because the first step is large. For other columns, the difference
between successive extrapolations is an estimate of the error. If c = 0 and the column does not allow negative values,
the differences are one-sided.

Values are changed in the tables. For each value, the records of the laws that depend on this value are created again.
If a value affects coordinates, markers or masses, the coordinates and the records of all laws are created again.
Displacements, velocities, accelerations, multipliers and history values are kept constant.

Source: C. J. F. Ridders, Advances in Engineering Software 4 (1982) 75-76.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeVar

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.errors import ModelError
from windlass.framework.model.law import role_of
from windlass.framework.model.schema import Column, Component
from windlass.framework.model.system import Fields
from windlass.framework.model.table import EntityTable
from windlass.framework.model.world import World
from windlass.framework.state.residual import eval_residual

Found = TypeVar("Found")

FIRST = 0.25
"""First step of the differences, as a fraction [1] of the value. If the value is 0, the first step is this number in
the unit of the column.
"""
SHRINK = 0.25
"""Ratio [1] of each step to the previous step."""
MOST = 10
"""Largest number of steps. The last step is 1e-6 times the value. The first steps are larger and can change contact
states. The last step is so small that contacts keep their states.
"""
EXACT = 1e-11
"""If two extrapolations differ by at most this fraction [1] of the largest entry, no further step is made."""
DIFFERENCES = "differences"
"""Name of the method of this module."""
LOCAL = "passive", "load", "connector", "constraint"
"""Roles of laws. The systems of laws with these roles can be created again without new systems for other laws."""
COPIED = "v", "a", "lam", "data", "start_data", "time", "step_size", "start_time", "start_v", "mapped"
"""Names of the arrays of the fields that do not depend on columns."""


class ColumnValue(NamedTuple):
    """One number in a table.

    Attributes:
        table: the table that contains the number.
        column: the schema of the column that contains the number.
        row: row number in the table.
        place: index of the number among the numbers that the row has in this column.
    """

    table: EntityTable
    column: Column
    row: int
    place: int

    @property
    def number(self) -> float:
        """Present value of the number in the table."""
        return float(np.ravel(self.table.local(self.column.name)[self.row])[self.place])

    def describe(self) -> str:
        """Return column, place in the column, component and row as text."""
        shape = np.shape(self.table.local(self.column.name)[self.row])
        index = "".join(f"[{i}]" for i in np.unravel_index(self.place, shape)) if shape else ""
        return f"{self.column.name}{index} of {self.table.kind} row {self.row}"

    def write(self, number: float) -> None:
        """Change the number in the table."""
        name, rows = self.column.name, np.array([self.row])
        old = self.table.local(name)[self.row]
        new = np.array(old, float)
        new.reshape(-1)[self.place] = number
        values = np.empty(1, object) if self.table.local(name).dtype == object else new[None]
        values[0] = new
        self.table.write(name, rows, values)


class ColumnDerivative(NamedTuple):
    """The derivative of the residual with respect to one number of a table.

    Attributes:
        values: the derivative, shape (n + m,) for n coordinates and m multipliers.
        error: estimated error [1], relative to the largest entry; 0 if all entries are 0.
        method: how the derivative was computed, `DIFFERENCES` or one of the methods of dual_derivatives.py.
    """

    values: FloatArray
    error: float
    method: str = DIFFERENCES


def list_values(table: EntityTable, row: int) -> Iterator[ColumnValue]:
    """Yield the first, the middle and the last number of a row in each column of real numbers. Columns of initial
    values are omitted, because the residual at given fields does not depend on initial values.
    """
    component = table.component
    for name, column in component.columns.items():
        if column.dtype is not np.float64 or name in (*component.initial_columns, component.state_column):
            continue
        size = np.size(table.local(name)[row])
        for place in sorted({0, size // 2, size - 1} if size else ()):
            yield ColumnValue(table, column, row, place)


class ChangedResidual:
    """Residual of a model for changed numbers of its tables, at the displacements, velocities and other values of given
    fields. These values must not change.

    Args:
        world: the model, finalized, on one process.
        fields: the fields of an assembly of this model.

    Attributes:
        world, fields: the arguments of the constructor.
    """

    def __init__(self, world: World, fields: Fields) -> None:
        self.world, self.fields, self._assembly = world, fields, Assembly(world)
        self._unchanged: FloatArray | None = None  # residual with the unchanged values of the tables
        tables = {component: table for component, table in world.tables.items() if table.count}
        self._targets = {
            component: {
                target.component for name in component.refs for target, *_ in world.split_by_table(table.named(name))
            }
            for component, table in tables.items()
        }

    def eval_at(self, value: ColumnValue, number: float) -> FloatArray:
        """Change ``value`` in the table to ``number``, and return the residual, shape (n + m,). If the law does not
        allow the number, all entries are NaN. The table is restored before the call returns.
        """
        if number == value.number:
            return self._eval_unchanged()
        found = self.apply_at(value, number, eval_residual)
        return np.full(len(self.fields.x) + len(self.fields.lam) - 2, np.nan) if found is None else found

    def apply_at(self, value: ColumnValue, number: float, function: Callable[[Assembly], Found]) -> Found | None:
        """Change ``value`` in the table to ``number``, and return the result of a function of an assembly at the given
        fields. If the law does not allow the number, return None. The table is restored before the call returns.
        """
        world, before, numbering = self.world, value.number, self.world.numbering
        dependent = self._find_dependent(value.table.component)
        try:
            value.write(number)
            if self._is_local(dependent):
                self._mark(dependent)
                self._assembly.refresh()
                assembly = self._assembly
            else:
                world.number()
                assembly = Assembly(world)
            self._copy_fields(assembly, world.numbering.reference - numbering.reference)
            return function(assembly)
        except ModelError:
            return None
        finally:
            value.write(before)
            if self._is_local(dependent):
                self._mark(dependent)
            else:
                world.number()
                world.numbering = numbering

    def _eval_unchanged(self) -> FloatArray:
        """Return the residual for the numbers in the tables, shape (n + m,). The residual is evaluated only once."""
        if self._unchanged is None:
            self._assembly.refresh()
            self._copy_fields(self._assembly, np.zeros_like(self.world.numbering.reference))
            self._unchanged = eval_residual(self._assembly)
        return self._unchanged.copy()

    def _find_dependent(self, component: type[Component]) -> set[type[Component]]:
        """Return a component and all components whose rows depend on the columns of this component. Dependent rows
        refer to rows of the component, directly or through other rows, or to a set that contains rows of the component.
        """
        found, before = {component}, 0
        while len(found) > before:
            before = len(found)
            # laws of contact refer to a set, and the members of the set also refer to the set
            members = [each for each in found if role_of(each) == "passive"]
            sets = {target for each in members for target in self._targets[each] if role_of(target) == "passive"}
            found |= {other for other, targets in self._targets.items() if targets & (found | sets)}
        return found

    def _is_local(self, components: set[type[Component]]) -> bool:
        """Return whether the systems of the given components can be created again without the systems of other
        components. The result is True if the components have neither coordinates nor markers nor masses.
        """
        systems = [self._assembly.layout.systems.get(component) for component in components]
        return all(role_of(component) in LOCAL for component in components) and all(
            system is None or (system.mass is None and system.fused is None) for system in systems
        )

    def _mark(self, components: set[type[Component]]) -> None:
        """Mark components as changed, so that assemblies create their systems again."""
        self.world.version += 1
        for component in components:
            self.world.changed[component] = self.world.version
            self.world.changed_columns[component] = dict.fromkeys(component.columns, self.world.version)

    def _copy_fields(self, assembly: Assembly, change: FloatArray) -> None:
        """Copy the given fields to the fields of an assembly. Add ``change``, the changes of the reference coordinates
        in world order, shape (n,).
        """
        to, n = assembly.fields, assembly.layout.spare
        for name in ("x", "start_x"):
            getattr(to, name)[:n] = getattr(self.fields, name)[:n] + change[assembly.layout.dofs]
        for name in COPIED:
            getattr(to, name)[:] = getattr(self.fields, name)
        to.rate_level, to.unit_rates = self.fields.rate_level, self.fields.unit_rates


def differentiate(eval_at: Callable[[float], FloatArray], number: float, column: Column) -> ColumnDerivative:
    """Return the derivative of a function of a column's value by extrapolated differences. The docstring of this module
    describes the method.

    Args:
        eval_at: the function. Its value is an array.
        number: the value of the column at which the derivative is computed.
        column: the schema of the column.
    """
    one_sided = number == 0.0 and (column.minimum is not None or column.above is not None)
    start = eval_at(number) if one_sided else np.zeros(0)
    h, ratio = FIRST * (abs(number) or 1.0), SHRINK if one_sided else SHRINK**2
    best, error, row = np.zeros(0), np.inf, list[FloatArray]()
    for _ in range(MOST):
        if one_sided:
            new = [(eval_at(number + h) - start) / h]
        else:
            new = [(eval_at(number + h) - eval_at(number - h)) / (2.0 * h)]
        for k, old in enumerate(row):
            factor = ratio ** (k + 1)
            new.append(new[k] + (new[k] - old) * factor / (1.0 - factor))
            size = float(np.abs(new[k + 1]).max(initial=0.0))
            change = max(float(np.abs(new[k + 1] - other).max(initial=0.0)) for other in (new[k], old))
            # if a difference is not finite, for example outside of the domain of a law, its error cannot be estimated
            relative = change / size if size > 0.0 else (0.0 if change == 0.0 else np.inf)
            if np.isfinite(relative) and relative < error:
                best, error = new[k + 1], relative
        row, h = new, SHRINK * h
        if error <= EXACT:
            break
    return ColumnDerivative(best if len(best) else new[0], error)
