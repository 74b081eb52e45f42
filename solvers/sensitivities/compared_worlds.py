"""Comparison of the tables of two models, to find the rows that a parameter changes."""

from __future__ import annotations

from types import FunctionType
from typing import Any

import numpy as np

from windlass.framework.arrays import BoolArray, IntArray
from windlass.framework.model.law import law_of, role_of
from windlass.framework.model.schema import Component
from windlass.framework.model.table import EntityTable
from windlass.framework.model.world import World

ChangedRows = dict[type[Component], BoolArray]
"""Whether each row of each table differs between two models, or refers to a row that differs, shape (rows,) each."""


def compare_worlds(one: World, two: World) -> ChangedRows:
    """Return the rows that differ between two models with equal numbers of rows, and the rows that refer to these rows.
    Differences between initial values are ignored.
    """
    tables = {component: table for component, table in one.tables.items() if table.count}
    found = {component: compare_tables(table, two.tables[component]) for component, table in tables.items()}
    return add_references(one, found)


def add_references(world: World, found: ChangedRows) -> ChangedRows:
    """Return the given rows and all rows that refer to a given row, directly or through other rows. A set, such as a
    set of circles or surfaces, has members, which refer to the set. If the given rows contain a member, the rows that
    refer to the set of this member are included.
    """
    tables = {component: world.tables[component] for component in found}
    entities = np.zeros(world.count, bool)
    for component, rows in found.items():
        entities[tables[component].ids[rows]] = True
    again = bool(entities.any())
    while again:
        again = False
        for component, table in tables.items():
            for name, ref in component.refs.items():
                values = table.local(name)
                if ref.is_chain:
                    hit = np.array([bool(entities[chain[chain >= 0]].any()) for chain in values], bool)
                else:
                    hit = (values >= 0) & entities[np.maximum(values, 0)]
                    again |= mark_sets(world, component, values[found[component] & (values >= 0)], entities, found)
                new = hit & ~found[component]
                if new.any():
                    found[component] |= new
                    entities[table.ids[new]] = again = True
    return found


def mark_sets(
    world: World, component: type[Component], referred: IntArray, entities: BoolArray, found: ChangedRows
) -> bool:
    """Mark each set with a changed member. Return whether a further set was marked. Only tables with the role "passive"
    contain members and sets.

    Args:
        component: table of the members.
        referred: entities to which changed rows of this table refer, shape (k,).
        entities: whether each entity has changed, shape (entities,); changed in place.
        found: the rows that have changed; changed in place.
    """
    new = np.unique(referred[~entities[referred]]) if role_of(component) == "passive" else referred[:0]
    marked = False
    for kind, rows in found.items() if len(new) else ():
        own = np.isin(world.tables[kind].ids, new) if role_of(kind) == "passive" else np.zeros(0, bool)
        if own.any():
            rows |= own
            entities[world.tables[kind].ids[own]] = marked = True
    return marked


def compare_tables(one: EntityTable, two: EntityTable) -> BoolArray:
    """Return whether each row differs between two tables with equal numbers of rows, shape (rows,). Differences between
    initial values are ignored.
    """
    differs = np.zeros(one.count, bool)
    for name in one.names:
        if name not in one.component.initial_columns:
            differs |= compare_columns(one, two, name)
    return differs


def compare_columns(one: EntityTable, two: EntityTable, name: str) -> BoolArray:
    """Return whether each value of a column differs between two tables with equal numbers of rows, shape (rows,)."""
    a, b = one.local(name), two.local(name)
    if a.dtype != object and b.dtype != object and a.shape == b.shape:
        differs = a != b
        found: BoolArray = differs if differs.ndim == 1 else differs.reshape(len(a), -1).any(axis=1)
        return found
    if len(a) and a.strides == b.strides == (0,):
        # each table stores one function for all rows, so the functions of the first rows are compared
        return np.full(len(a), not is_same(a[0], b[0]))
    return np.array([not is_same(x, y) for x, y in zip(a, b, strict=True)], bool)


def find_rows(one: World, two: World) -> ChangedRows | None:
    """Return the rows that differ between two models, or None if gravity, initial values, positions or references
    differ.
    """
    if (one.gravity != two.gravity).any():
        return None
    found = ChangedRows()
    for component, table in one.tables.items():
        if not table.count:
            continue
        other = two.tables[component]
        fixed = {*component.initial_columns, *component.reference_columns, *component.refs, component.state_column}
        found[component] = np.zeros(table.count, np.bool_)
        for name in table.names:
            differs = compare_columns(table, other, name)
            if name in fixed and differs.any():
                return None
            found[component] |= differs
    return found


def exerts_only_forces(component: type[Component]) -> bool:
    """Return whether the rows of a table affect the motion only by forces and masses that depend on the motion and the
    time.
    """
    law = law_of(component)
    stores = any(ref.target == "GenericData" for ref in component.refs.values())
    return role_of(component) not in ("marker", "data") and not stores and (law is None or law.multipliers == 0)


def is_same(one: Any, two: Any) -> bool:
    """Return whether two values of a table are equal. Functions are equal if they have the same code, equal default
    arguments and equal values of closure variables.
    """
    if one is two:
        return True
    if isinstance(one, np.ndarray) or isinstance(two, np.ndarray):
        return bool(np.array_equal(one, two))
    if isinstance(one, FunctionType) and isinstance(two, FunctionType):
        cells = [[cell.cell_contents for cell in function.__closure__ or ()] for function in (one, two)]
        same = one.__code__ is two.__code__ and len(cells[0]) == len(cells[1])
        defaults = (one.__defaults__ or (), two.__defaults__ or ())
        return same and is_same(list(defaults[0]), list(defaults[1])) and is_same(cells[0], cells[1])
    if isinstance(one, (list, tuple)) and isinstance(two, (list, tuple)):
        return len(one) == len(two) and all(is_same(x, y) for x, y in zip(one, two, strict=True))
    if isinstance(one, (int, float, str, bytes, bool, type(None))):
        return bool(one == two)
    if type(one) is type(two) and hasattr(one, "__dict__"):
        return is_same(sorted(vars(one).items(), key=lambda i: i[0]), sorted(vars(two).items(), key=lambda i: i[0]))
    return False
