"""Checks of laws by `register`. The checks find mistakes that would leave a law without effect.

Without the checks, the rows of a law that lacks ``dofs`` or ``build`` would have no effect, and no message would be
printed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, TypeVar

from windlass.framework.checks.values import show
from windlass.framework.errors import ModelError
from windlass.framework.kernels.signature import check_arguments
from windlass.framework.model.schema import Component

ROLES = ("node", "body", "element", "marker", "load", "connector", "constraint", "data", "passive")
WORKING = ROLES[1:7]
"""Roles of laws that need ``dofs`` and ``build``. Without ``dofs`` and ``build``, the rows would exert no force."""

ARGUMENTS = {
    "dofs": ("world", "table"),
    "bind": ("rows",),
    "build": ("rows",),
    "fill_defaults": ("world", "values"),
    "check": ("world", "table"),
    "reads": ("world", "table"),
    "draw": ("rows", "fields", "subdivisions"),
    "paint": ("rows", "fields"),
    "draw_keys": ("rows",),
}
"""Names of the arguments of each function of a law."""
MEANING = {
    "dofs": "references, or a function (world, table), that give the coordinates of each row; without it they "
    "exert no force",
    "build": "a function (rows) that gives a System; without it they exert no force",
}

Function = TypeVar("Function", bound=Callable[..., Any])


def needs(*names: str) -> Callable[[Function], Function]:
    """Declare the columns and references that a function of a law reads. The function `register` checks that the schema
    of the law has all these columns and references.
    """

    def mark(function: Function) -> Function:
        function.needs = names  # type: ignore[attr-defined]
        return function

    return mark


def check_law(law: Any) -> None:
    """Raise an error for an invalid law.

    Raises:
        ModelError: the role is wrong, a function is missing or has wrong arguments, or the schema does not fit the law.
    """
    component, role = law.component, law.role
    if not (isinstance(component, type) and issubclass(component, Component)):
        raise ModelError(f"component = {show(component)} in register: must be a class that is derived from Component")
    kind = component.__name__
    if role not in ROLES:
        raise ModelError(f"role = {show(role)} in the law of {kind}: must be one of {', '.join(ROLES)}")
    for name, arguments in ARGUMENTS.items():
        function = getattr(law, name)
        if name == "dofs" and isinstance(function, str | tuple):
            names = (function,) if isinstance(function, str) else function
            if any(name not in component.refs for name in names):
                words = f"must be names of references, {', '.join(component.refs) or 'and there are none'}"
                raise ModelError(f"dofs = {show(function)} in the law of {kind}: {words}")
        elif function is not None:
            check_arguments(function, f"{name} of {kind}", arguments)
            check_needs(component, getattr(function, "needs", ()), f"{name} of {kind}")
        elif role in WORKING and name in MEANING:
            raise ModelError(f"{name} = None in the law of {kind}, a {role}: must be {MEANING[name]}")
    for name, output in law.outputs.items():
        check_arguments(getattr(output, "evaluate", output), f"output {name} of {kind}", ("rows", "fields"))
    if role == "marker" and law.family not in component.provides:
        raise ModelError(
            f"family = {law.family!r} in the law of {kind}, a marker: must be a marker family that {kind} "
            f"provides: {', '.join(component.provides) or 'it provides none'}"
        )
    if role == "constraint" and not law.multipliers > 0:
        words = "must be > 0, the number of equations of each row"
        raise ModelError(f"multipliers = {law.multipliers} in the law of {kind}, a constraint: {words}")
    if role == "node":
        check_node(component)
    for name, column in component.columns.items():
        chain = component.refs.get(column.along)
        if column.along and (chain is None or not chain.is_chain or column.shape is None or column.dtype is object):
            words = f"must be the name of a chain (refs) of {kind}, and shape the shape of one value"
            raise ModelError(f"along = {column.along!r} of {name} in {kind}: {words}")
    if component.history_column:
        check_needs(component, (component.history_column, "data"), f"history_column of {kind}")


def check_needs(component: type[Component], names: Sequence[str], what: str) -> None:
    """Check that a schema has the columns and references that the law reads.

    Raises:
        ModelError: a column or reference is missing.
    """
    there = (*component.refs, *component.columns)
    for name in names:
        if name not in there:
            raise ModelError(
                f"{what} reads {', '.join(names)}, but {component.__name__} has no {name}: must be declared in "
                f"addition to {', '.join(there) or 'nothing'}"
            )


def check_node(component: type[Component]) -> None:
    """Check the columns of a node. Each of the following must contain one number for each coordinate: the reference
    columns together, the state column, and each initial column.

    Raises:
        ModelError: there are no coordinates, the number of values differs from the number of coordinates, or the name
            of a column or coordinate is unknown.
    """
    kind, count = component.__name__, len(component.dof_names)
    if not count:
        raise ModelError(f"dof_names = () in {kind}, a node: must be the names of its coordinates")
    if len(component.initial_columns) not in (0, 2):
        words = "the columns of initial displacements and velocities, or none"
        raise ModelError(f"initial_columns = {component.initial_columns} in {kind}: must be {words}")
    states = (component.state_column,) * bool(component.state_column)
    check_needs(component, (*component.reference_columns, *component.initial_columns, *states), f"node {kind}")
    if states and (component.reference_columns or component.initial_columns):
        raise ModelError(f"state_column of {kind}: must be given without reference_columns and initial_columns")
    groups = [states or component.reference_columns, *((name,) for name in component.initial_columns)]
    for names in groups:
        numbers = sum(prod(component.columns[name].shape or ()) for name in names)
        if numbers != count:
            columns = ", ".join(names) or "no reference_columns"
            raise ModelError(f"{columns} of {kind}: {numbers} numbers, must be {count}, one for each of dof_names")
    shares = [name for ref in component.refs.values() for name in ref.shares]
    for name in (*component.rotation_names, *shares):
        if name not in component.dof_names:
            raise ModelError(f"{kind} has no coordinate {name!r}: must be one of {', '.join(component.dof_names)}")
