"""Every wrong value of a column or reference of any registered component raises an error, and nothing is added to the
world.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import windlass.framework.model.schema as schema
from windlass.elements import Ground, Point3D
from windlass.framework.errors import ModelError
from windlass.framework.model.law import register
from windlass.framework.model.schema import Component, column
from windlass.framework.model.world import World

from hostile.models import COMPONENTS, snapshot, valid_row, values_of
from hostile.values import wrong_references, wrong_values

ACCEPTED: dict[tuple[str, str, str], str] = {
    **{("RigidBody3D", "inertia", what): "one number is the inertia of a ball" for what in (
        "scalar", "NumPy scalar", "array of one number")},
    **{(kind, "marker0", "None"): "the ground" for kind in (
        "CoordinateConstraint", "CoordinateSpringDamper", "CoordinateSpringDamperExt", "ContactCoordinate",
        "OverrunningClutch", "TensionerSpring")},
    **{(kind, "marker", "another kind"): "a marker is made for a body or the ground" for kind in (
        "ContactSphere", "ContactEllipsoid", "ContactHalfSpace", "SphereFluidLoad", "CylinderFluidLoad",
        "BoxFluidLoad", "MeshFluidLoad")},
    **{(kind, name, what): "one number for all components" for kind, name in (
        ("CylinderFluidLoad", "end_drag"), ("CylinderFluidLoad", "end_added_mass"), ("BoxFluidLoad", "drag"),
        ("BoxFluidLoad", "added_mass"), ("BoxFluidLoad", "parts"), ("MeshFluidLoad", "drag"),
        ("MeshFluidLoad", "drag_area"), ("MeshFluidLoad", "added_mass"), ("MeshFluidLoad", "parts")) for what in (
        "scalar", "NumPy scalar", "array of one number")},
}  # fmt: skip
"""Values that look wrong but are allowed: (component, column, value), with the reason."""
EMPTY = ("empty array", "empty lists", "empty list", "empty tuple")
Found = list[str]


def expect_error(call: Callable[[], object], name: str, what: str) -> str | None:
    """Return None if a call is refused with a proper message, otherwise a description of the fault."""
    try:
        call()
    except ModelError as error:
        words = str(error)
        said = any(word in words for word in ("must", "expected", "needs", "belongs to another world"))
        return None if name in words and said and len(words) < 800 else f"{what}: unclear: {words[:150]}"
    except BaseException as error:
        return f"{what}: {type(error).__name__}: {str(error)[:100]}"
    return f"{what}: accepted"


def empty_is_no_row(kind: type[Component], label: str) -> bool:
    """Components without references accept arrays without rows, because a script may compute zero rows."""
    return label == "empty array" and all(ref.optional for ref in kind.refs.values())


def empty_is_default(col: schema.Column, label: str) -> bool:
    """An empty list means the default in an optional column of any length."""
    return col.shape is None and col.default is not schema.REQUIRED and label in EMPTY


def column_cases(kind: type[Component]) -> Iterator[tuple[str, str, Any]]:
    """Return (column, description, value) of all wrong values of the columns of a component."""
    for name, col in kind.columns.items():
        for label, value in wrong_values(col):
            if empty_is_default(col, label):
                continue
            if (kind.__name__, name, label) not in ACCEPTED and not (empty_is_no_row(kind, label) and not col.shape):
                yield name, label, value


def attack_columns(kind: type[Component]) -> Found:
    """Check that no row with a wrong value of any column can be added."""
    world = World()
    row, found = valid_row(world, kind), []
    for name, label, value in column_cases(kind):
        before = snapshot(world)
        found.append(expect_error(lambda v={**row, name: value}: world.add(kind, **v), name, f"{name} = {label}"))
        if snapshot(world) != before:
            found.append(f"{name} = {label}: leaves rows behind")
    return [f"{kind.__name__}.{words}" for words in found if words]


def test_there_are_enough_cases() -> None:
    """The test of columns has at least a minimum number of cases. The tests of references and of arguments add more
    cases.
    """
    assert sum(1 for kind in COMPONENTS for _ in column_cases(kind)) >= 8000


def is_same(one: Any, other: Any) -> bool:
    """Return whether the values of a column are equal. If rows are lists of any length, the values are compared row by
    row.
    """
    if one.dtype == object and one.shape == other.shape:
        return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))
    return np.array_equal(one, other)


@pytest.mark.parametrize("kind", COMPONENTS, ids=lambda kind: kind.__name__)
def test_valid_row(kind: type[Component]) -> None:
    """The models of the tests are valid before the tests change them."""
    world = World()
    assert len(world.add(kind, **valid_row(world, kind))) == 1


@pytest.mark.parametrize("kind", COMPONENTS, ids=lambda kind: kind.__name__)
def test_columns(kind: type[Component]) -> None:
    found = attack_columns(kind)
    assert not found, f"{len(found)} wrong values:\n" + "\n".join(found)


@pytest.mark.parametrize("kind", [k for k in COMPONENTS if k.refs], ids=lambda kind: kind.__name__)
def test_references(kind: type[Component]) -> None:
    world, other = World(), World()
    row = valid_row(world, kind)
    strangers = valid_row(other, kind)
    wrong_kind = world.add(Ground) if "Ground" not in str(kind.refs) else world.add(Point3D, position=(0.0, 0.0, 0.0))
    found = []
    for name, ref in kind.refs.items():
        others: dict[str, Any] = {"another world": strangers.get(name, other.add(Ground))}
        if ref.target not in (wrong_kind.kind, *wrong_kind.table.component.provides):
            others |= {"another kind": wrong_kind, "number of another kind": wrong_kind.ids}
        for label, value in wrong_references(ref, others):
            if (kind.__name__, name, label) in ACCEPTED or (ref.least == 0 and label in EMPTY[1:]):
                continue
            before = snapshot(world)
            found.append(expect_error(lambda v={**row, name: value}: world.add(kind, **v), name, f"{name} = {label}"))
            if snapshot(world) != before:
                found.append(f"{name} = {label}: leaves rows behind")
    found = [words for words in found if words]
    assert not found, f"{len(found)} wrong references of {kind.__name__}:\n" + "\n".join(map(str, found))


@pytest.mark.parametrize(
    "kind", [k for k in COMPONENTS if any(c.switchable for c in k.columns.values())], ids=lambda kind: kind.__name__
)
def test_changes(kind: type[Component]) -> None:
    """`World.set` with a wrong value in addition to a good value changes nothing."""
    world = World()
    entity = world.add(kind, **valid_row(world, kind))
    able = {name: col for name, col in kind.columns.items() if col.switchable}
    good = {"active": not bool(entity.active)} if "active" in able else {}
    found = []
    for name, col in able.items():
        for label, value in wrong_values(col):
            before, version = values_of(entity), world.version
            changes = {**({} if name == "active" else good), name: value}
            found.append(expect_error(lambda v=changes: world.set(entity, **v), name, f"{name} = {label}"))
            after = values_of(entity)
            if world.version != version or any(not is_same(before[n], after[n]) for n in before):
                found.append(f"{name} = {label}: changed something")
    assert not any(found), "\n".join(str(words) for words in found if words)


@pytest.mark.parametrize("kind", COMPONENTS, ids=lambda kind: kind.__name__)
def test_misspelt_column(kind: type[Component]) -> None:
    """A misspelt column adds neither nodes nor history values."""
    world = World()
    row, before = valid_row(world, kind), None
    before = snapshot(world)
    with pytest.raises(ModelError, match="has no column 'activ'"):
        world.add(kind, **row, activ=True)
    assert snapshot(world) == before
    entity = world.add(kind, **row)
    with pytest.raises(ModelError, match="activ"):
        world.set(entity, activ=True)
    with pytest.raises(ModelError, match="another world"):
        World().set(entity, active=True)


class Lenient(Component):
    """A component as a new law could define it."""

    speed = column("m/s", "a speed", minimum=0.0)
    open = column("1", "yes or no", dtype=bool, default=True)


register(Lenient, "passive")


def test_attacks_find_a_column_that_accepts_nonsense(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not attack_columns(Lenient)
    monkeypatch.setattr(schema, "read_yes_no", lambda value: np.asarray(value, dtype=bool))
    found = attack_columns(Lenient)
    assert any("open = false: accepted" in words for words in found) and not any("speed" in words for words in found)
