"""Values and references of single rows are read by faster code than the values of several rows. The results and
messages of both codes are equal.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from windlass import connectors as con
from windlass import elements as el
from windlass.connectors.user_functions import user_forces
from windlass.connectors.user_functions.user_forces import (
    UserForces,
    update_derivatives,
    update_forces,
    update_numbers,
)
from windlass.connectors.user_functions.user_rows import find_users
from windlass.framework.assembly.parallel_assembly import parallel_assembly
from windlass.framework.errors import ModelError
from windlass.framework.model import schema
from windlass.framework.model.schema import Column, parse_values
from windlass.framework.model.world import World

COLUMNS = [
    Column("m", "free", name="x"),
    Column("m", "bounded", minimum=0.0, name="x"),
    Column("m", "above", above=0.0, name="x"),
    Column("m", "vector", shape=(3,), name="x"),
    Column("m", "filled vector", shape=(3,), fill=True, minimum=0.0, name="x"),
    Column("m", "one", shape=(1,), name="x"),
    Column("m", "matrix", shape=(2, 2), name="x"),
    Column("1", "truth", dtype=bool, name="x"),
    Column("1", "whole", dtype=np.int64, minimum=1, name="x"),
    Column("1", "chosen", choices=(1.0, 2.0), name="x"),
    Column("1", "open", shape=None, name="x"),
]
VALUES: list[Any] = [
    1.5, 2, 0, -1.0, np.float64(2.0), np.array(2.0), True, False, 1e200, float("nan"), float("inf"), "a", None, 10**400,
    [1.0, 2.0, 3.0], [1, 2, 3], [-1, 2, 3], [True, 1, 2], [1.0, float("nan"), 2.0], [1e200, 0.0, 0.0], (1.0, 2.0, 3.0),
    np.array([1.0, 2.0, 3.0]), np.array([1, 2, 3]), np.array([True, False, True]), np.zeros((1, 3)), [1.0], [[1.0]],
    np.eye(2), [[1.0, 2.0], [3.0, 4.0]], np.zeros((2, 3)), [], np.zeros(0),
    np.ma.masked_array([1.0, 2.0, 3.0], [True, False, False]),
]  # fmt: skip


def read(col: Column, value: Any) -> tuple[Any, ...]:
    """Return the type, shape and values of the array of a single row, or the error message."""
    try:
        found = parse_values(col, "Thing", value, np.array([4]))
    except ModelError as error:
        return (str(error),)
    return found.dtype, found.shape, *(v.tolist() if isinstance(v, np.ndarray) else v for v in found)


@pytest.mark.parametrize("col", COLUMNS, ids=lambda col: col.doc)
def test_values_of_a_single_row(col: Column, monkeypatch: pytest.MonkeyPatch) -> None:
    """The faster code for single rows gives the same arrays and messages as the general code."""
    fast = [read(col, value) for value in VALUES]
    taken = [schema._parse_one(col, value) is not None for value in VALUES]
    monkeypatch.setattr(schema, "_parse_one", lambda col, value: None)
    for value, found, is_fast in zip(VALUES, fast, taken, strict=True):
        assert repr(found) == repr(read(col, value)), value
        assert not (is_fast and len(found) == 1), value
    if col.doc in ("free", "bounded", "above", "vector", "truth"):
        assert any(taken)


def test_single_values_are_copied() -> None:
    """The array of a column does not contain the array of the user."""
    given = np.array([1.0, 2.0, 3.0])
    found = parse_values(COLUMNS[3], "Thing", given, np.array([0]))
    given[:] = 7.0
    assert found.tolist() == [[1.0, 2.0, 3.0]]


def test_single_references_are_found() -> None:
    """A single entity number refers to the same table and row as this number in an array."""
    world = World()
    points = world.add(el.Point2D, position=[(0.0, 0.0), (1.0, 0.0)])
    ground = world.add(el.Ground)
    more = world.add(el.Point2D, position=[(2.0, 0.0), (3.0, 0.0), (4.0, 0.0)])
    for entity in (points, ground, more):
        for k, number in enumerate(entity.ids):
            ((table, places, rows),) = world.split_by_table(np.array([number]))
            assert table is entity.table
            assert (places.tolist(), rows.tolist()) == ([0], [entity.rows[k]])
    assert world.split_by_table(np.array([-1])) == []


def create_users(force: Any) -> UserForces:
    """Return the user forces of three springs with the same function."""
    world = World()
    nodes = world.add(el.Point2D, position=np.zeros((3, 2)))
    marker = con.coordinate_marker(world, nodes, "x")
    springs = world.add(con.CoordinateSpringDamper, marker1=marker, stiffness=[1.0, 2.0, 3.0], force_function=force)
    rows = parallel_assembly(world).local_rows(springs.table, springs.rows)
    return find_users(rows)


def test_forces_of_single_rows_are_the_same() -> None:
    """The updates for single rows and for several rows call the functions with the same arguments, and give NaN for
    rows that are not finite.
    """
    seen = list[Any]()

    def force(t: float, row: int, *values: float) -> Any:
        seen.append((t, row, *values))
        return np.float64(row + values[0]) if row else 1

    users = create_users(force)
    u, ut = np.array([[1.0], [2.0], [np.inf]]), np.array([[0.5], [0.25], [0.0]])
    update_forces(users, 0.5, u, ut)
    first, called = users.f.copy(), list(seen)
    seen.clear()
    update_numbers(users, 0.5, u, ut)
    np.testing.assert_array_equal(users.f, first)
    assert seen == called
    assert np.isnan(first[2, 0])


def test_differences_of_single_rows_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """The differences of a single row have the same bits and the same calls as the differences of an array of rows."""
    seen = list[Any]()

    def force(t: float, row: int, u: float, ut: float, k: float, d: float, offset: float) -> float:
        seen.append((t, row, u, ut, k, d, offset))
        return k * u**3 + ut * ut * u + 0.1 * t

    users = create_users(np.array([force, None, None]))
    u, ut = np.array([[1.3]]), np.array([[-0.7]])
    update_derivatives(users, 0.5, u, ut)
    first, called = (users.df_du.copy(), users.df_dut.copy()), list(seen)
    seen.clear()
    (group,) = users.differences
    for which, found in enumerate(first):
        np.testing.assert_array_equal(found[:, :, 0], user_forces._difference(users, group, 0.5, u, ut, 0, which))
    assert seen == called
    assert first[0].item() == pytest.approx(3 * 1.3**2 + 0.49, rel=1e-9)


@pytest.mark.parametrize("wrong", [None, float("nan"), float("inf"), "x", [1.0, 2.0], [1.0]])
def test_wrong_forces_of_single_rows(wrong: Any) -> None:
    """For a wrong result, the updates for single rows and for several rows raise the same error."""
    users, messages = create_users(lambda *given: wrong), list[str]()
    for update in (update_forces, update_numbers):
        with pytest.raises(ModelError, match=r"force_function of .* must give one finite number") as caught:
            update(users, 0.5, np.ones((3, 1)), np.ones((3, 1)))
        messages.append(str(caught.value))
    assert messages[0] == messages[1]
