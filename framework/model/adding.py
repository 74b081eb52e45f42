"""Reading of references and row numbers from the arguments of `World.add`, and a decorator for functions that call
`World.add` several times.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from windlass.framework.arrays import IntArray
from windlass.framework.checks.values import show
from windlass.framework.errors import ModelError
from windlass.framework.model.law import Tables
from windlass.framework.model.schema import Component, Ref, count_values, describe_target, shape_of
from windlass.framework.model.table import Entity, EntityTable, check_entity

P = ParamSpec("P")
R = TypeVar("R")


def all_or_nothing(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function that adds entities of several components to a world. The world is the first argument of the
    function. If the function raises an error, no entity is added.
    """

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        world = cast(Tables, args[0] if args else kwargs["world"])
        with world.all_or_nothing():
            return function(*args, **kwargs)

    return call


def count_rows(component: type[Component], values: dict[str, Any], refs: dict[str, NDArray[Any]]) -> int:
    """Return the number of rows that a call of `World.add` adds.

    Raises:
        ModelError: an array with 0 rows and references to entities are given together.
    """
    counts = {name: len(ids) for name, ids in refs.items() if len(ids) != 1}
    for name, value in values.items():
        col = component.columns.get(name)
        if col is None or value is None or col.dtype is object:
            continue
        count = count_values(col, value)
        if count is not None:
            counts[name] = count
            named = next((r for r, ids in refs.items() if len(ids) and np.all(ids[0] >= 0)), None)
            if count == 0 and named and all(map(len, refs.values())):
                shapes = " or ".join(str(s) for s in (col.shape, (len(refs[named]), *(col.shape or ("n",)))))
                raise ModelError(
                    f"{name} in {component.__name__} has shape {shape_of(value)}, which contains no row, while {named} "
                    f"names {len(refs[named])}: must have shape {shapes} [{col.unit}]"
                )
    return max(counts.values(), default=1)


def read_reference(world: Tables, table: EntityTable, ref: Ref, given: Any, part: int | None) -> NDArray[Any]:
    """Return the entity numbers of a reference argument of `World.add`, after a check of the components of the
    entities.

    Args:
        world: the world.
        table: table of the new rows.
        ref: declaration of the reference in the schema.
        given: a handle, a list of handles or an array of entity numbers, with one entity for each row or one for all
            rows. If ``ref`` was declared by `refs`, each row refers to a chain, which is a list of entities. In this
            case, a handle, a list of handles or an array of shape (n,) gives one chain for all rows. A list of chains,
            or an array of shape (rows, n), gives one chain for each row.
        part: number of new rows on all processes together, if this process adds only some of these rows.

    Returns:
        Entity numbers, shape (1,) or (rows,); for chains an array of arrays.

    Raises:
        ModelError: the value is missing although the reference is required, is not a reference, refers to entities of
            a wrong component or of another world, is a chain that is too short, or names an entity twice although
            entities must be distinct.
    """
    where = f"{ref.name} in {table.kind} row {table.count}"
    if given is None:
        # rows that are added in parts get no default history values
        if not ref.optional or (part is not None and ref.target == "GenericData"):
            made = part is not None and ref.name in ("node", "data")
            parts = f"; rows with a part do not create it: add it first, and pass it as {ref.name}=" if made else ""
            raise ModelError(f"{table.kind} needs {ref.name}: a {describe_target(ref)} ({ref.doc}){parts}")
        if not ref.is_chain:
            return np.array([-1])
        given = []
    if not ref.is_chain:
        new = part if part is not None else len(given) if isinstance(given, np.ndarray) and given.ndim else 1
        return _read_numbers(world, table, ref, given, where, new)
    count = count_chains(given)
    chains = np.empty(1 if count is None else count, dtype=object)
    for i, chain in enumerate([given] if count is None else given):
        here = f"{ref.name} in {table.kind} row {table.count + i}"
        none = isinstance(chain, list | tuple) and not chain
        new = len(chains) if part is None else part
        chains[i] = np.zeros(0, np.int64) if none else _read_numbers(world, table, ref, chain, here, new)
        if len(chains[i]) < (ref.least or 0):
            raise ModelError(f"{here} names {len(chains[i])} entities: must be a {describe_target(ref)}")
        if ref.distinct and len(np.unique(chains[i])) < len(chains[i]):
            twice = chains[i][np.flatnonzero(np.bincount(chains[i])[chains[i]] > 1)[0]]
            raise ModelError(f"{here} names entity {twice} twice: entities must be distinct")
    return chains


def count_chains(given: Any) -> int | None:
    """Return the number of chains (lists of entities, see `refs`) if the value contains one chain for each row. Return
    None if the value is one chain for all rows.
    """
    each = isinstance(given, list | tuple) and given and all(isinstance(x, list | tuple | np.ndarray) for x in given)
    return len(given) if each or (isinstance(given, np.ndarray) and given.ndim == 2) else None


def _read_numbers(world: Tables, table: EntityTable, ref: Ref, given: Any, where: str, new: int) -> IntArray:
    """Return the entity numbers of a handle, a list of handles, or an array of entity numbers."""
    if type(given) is np.ndarray and given.dtype.kind in "iu" and given.ndim == 1:
        return _check_numbers(world, table, ref, given, where, new)
    handles = [given] if isinstance(given, Entity) else given
    if not isinstance(handles, (list, tuple)) or not handles or not all(isinstance(h, Entity) for h in handles):
        raise ModelError(f"{where} = {show(given)}: must be a handle to a {ref.target}, or a list of handles")
    for h in handles:
        component = h.table.component
        check_entity(world.tables, h, where)
        if ref.target not in (component.__name__, *component.provides):
            raise ModelError(f"{where} = {h!r}: must be a {ref.target}{ref.instead}")
    return np.concatenate([h.ids for h in handles])


def _check_numbers(world: Tables, table: EntityTable, ref: Ref, numbers: IntArray, where: str, new: int) -> IntArray:
    """Return entity numbers as int64. Raise ModelError if a number is out of range, or is the number of an entity of a
    wrong component. The argument ``new`` is the number of rows that the call of `World.add` adds. References to these
    rows are allowed.
    """
    numbers = numbers.astype(np.int64).reshape(-1)
    least, end = ref.lowest, world.count + new
    for number in numbers[(numbers < least) | (numbers >= end)][:1]:
        raise ModelError(f"{where}: entity number {number} must be from {least} to {end - 1}")
    known = np.where(numbers < world.count, numbers, -1)
    components = [(target.component, places[0]) for target, places, _ in world.split_by_table(known)]
    own = np.flatnonzero(numbers >= world.count)
    for component, place in [*components, *((table.component, k) for k in own[:1])]:
        if ref.target not in (component.__name__, *component.provides):
            raise ModelError(
                f"{where}: entity {numbers[place]} is a {component.__name__}, must be a {ref.target}{ref.instead}"
            )
    return numbers
