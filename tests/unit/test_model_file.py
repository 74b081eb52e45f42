"""Files of models: a world that was saved and loaded is the same to the last bit, and bad files are named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import windlass as wl
import windlass.connectors as con
import windlass.elements as el
from windlass.framework.errors import ModelError, OutputError
from windlass.framework.model.schema import Component, column
from windlass.framework.model.world import World

from hostile.models import COMPONENTS, valid_row


def assert_same(one: World, other: World) -> None:
    """Same calls, rows, names and bits."""
    assert one.calls == other.calls and one.count == other.count
    assert one.gravity.tobytes() == other.gravity.tobytes()
    assert list(one.tables) == list(other.tables)
    for component, table in one.tables.items():
        twin = other.tables[component]
        rows = range(table.count)
        assert np.array_equal(table.ids, twin.ids)
        assert [table.describe(row) for row in rows] == [twin.describe(row) for row in rows]
        for name in table.names:
            values, loaded = table.collect(name), twin.collect(name)
            assert values.dtype == loaded.dtype and values.shape == loaded.shape, name
            if values.dtype != object:
                assert values.tobytes() == loaded.tobytes(), name
            elif name in component.refs or component.columns[name].dtype is not object:
                assert [v.tobytes() for v in values] == [v.tobytes() for v in loaded], name
            else:
                assert [f is None for f in values] == [f is None for f in loaded], name


@pytest.mark.parametrize("kind", COMPONENTS, ids=lambda kind: kind.__name__)
def test_every_component(kind: type[Component], tmp_path: Path) -> None:
    world = World(gravity=(0.1, -9.81, -0.0))
    for k in range(2):
        world.add(kind, name=f"mine {k}", **valid_row(world, kind))
    assert_same(world, World.load(world.save(tmp_path / "model.json")))


def belt(load: Any) -> World:
    """Two pulleys, a belt in contact with friction, a drive and a load, at the start of a motion."""
    world = World(gravity=(0.0, -9.81))
    wheels = [
        world.add(el.RigidBody2D, name=name, position=(x, 0.0), mass=1.0, inertia=1e-2)
        for name, x in (("driver", 0.0), ("driven", 0.3))
    ]
    cables = el.cable_around(
        world, wheels, 16, radius=0.1, axial_stiffness=1e4, bending_stiffness=1e-2, mass_per_length=0.5,
        reference_strain=-0.01,
    )  # fmt: skip
    for wheel in wheels:
        con.fix(world, wheel, "x", "y")
    con.prescribe_velocity(world, wheels[0], "rotation", con.ramp(0.0, 0.01, 0.0, 1.0 / 3.0))
    world.add(con.CoordinateLoad, marker=con.coordinate_marker(world, wheels[1], "rotation"), function=load)
    con.add_contact(
        world, con.ContactFrictionCirclePoints2D, wheels, cables, segments=2, circle_radius=0.1,
        contact_stiffness_per_length=1e7, contact_damping_per_length=10.0, friction_coefficient=0.4,
        friction_stiffness_per_length=1e7, friction_velocity_penalty_per_length=10.0,
    )  # fmt: skip
    return world


def brake(t: float) -> float:
    return -0.1 * t / 0.01


def test_a_loaded_model_moves_alike_to_the_last_bit(tmp_path: Path) -> None:
    world = belt(brake)
    file = world.save(tmp_path / "belt.json")
    loaded = World.load(file, functions={"brake": brake})
    assert_same(world, loaded)
    # saved again after a solve, which adds nothing
    states = [wl.Dynamic(w, step=5e-4, end=1e-2, method="generalized_alpha").solve() for w in (world, loaded)]
    for name in ("q", "v", "a", "lam", "data"):
        assert getattr(states[0], name).tobytes() == getattr(states[1], name).tobytes(), name
    assert states[0].q.any()
    assert world.save(tmp_path / "again.json").read_text() == file.read_text()


def test_what_was_switched_is_saved(tmp_path: Path) -> None:
    world = belt(con.sine(0.5, 3.0))
    contacts = world.tables[con.ContactFrictionCirclePoints2D]
    world.set(world.entity(int(contacts.ids[3])), friction_coefficient=0.125)
    loaded = World.load(world.save(tmp_path / "belt.json"))
    assert loaded.tables[con.ContactFrictionCirclePoints2D].collect("friction_coefficient").tolist()[2:5] == [
        0.4,
        0.125,
        0.4,
    ]
    ours, theirs = (w.tables[con.CoordinateLoad].collect("function")[0] for w in (world, loaded))
    for t in (0.0, 0.123):
        assert ours(t) == theirs(t) and ours.differentiate()(t) == theirs.differentiate()(t)


def test_functions_are_given_again(tmp_path: Path) -> None:
    file = belt(brake).save(tmp_path / "belt.json")
    with pytest.raises(ModelError, match=r"functions has none: must have 'brake', which is function of CoordinateLoad"):
        World.load(file)
    world, other = World(), World()
    ends = [con.position_marker(world, world.add(el.MassPoint, position=(float(k), 0.0), mass=1.0)) for k in range(3)]
    for k in range(2):
        world.add(
            con.SpringDamper, marker0=ends[k], marker1=ends[k + 1], rest_length=1.0,
            force_function=lambda t, row, s, rate, stiffness, d, length, k=k: k * s,
        )  # fmt: skip
    with pytest.raises(ModelError, match=r"two functions are called '<lambda>'"):
        world.save(tmp_path / "springs.json")
    assert not (tmp_path / "springs.json").exists() and other.count == 0


class Buoy(Component):
    """A kind of the user's own, which is not registered."""

    size = column("m", "its size")


def test_bad_files(tmp_path: Path) -> None:
    good = json.loads(belt(con.sine(0.5, 3.0)).save(tmp_path / "good.json").read_text())
    file = tmp_path / "bad.json"

    def expect(error: type[Exception], words: str, **changes: Any) -> None:
        file.write_text(json.dumps({**good, **changes}))
        with pytest.raises(error, match=words):
            World.load(file)

    expect(OutputError, "must have the format 'windlass model'", format="something else")
    expect(OutputError, "has version 7: must be 1", version=7)
    expect(OutputError, "is not whole: KeyError", calls=[{"kind": "Ground"}])
    first = good["calls"][0]
    expect(ModelError, r"rows of Buoy: its file \(harbour\)", calls=[{**first, "kind": "Buoy", "module": "harbour"}])
    broken = {**first["values"], "angle": {"rows": ["east"]}}
    expect(ModelError, "angle = .*east.* in RigidNode2D row 0", calls=[{**first, "values": broken}])
    file.write_text("{")
    with pytest.raises(OutputError, match=r"is not JSON: .*; must be what World.save wrote"):
        World.load(file)
    with pytest.raises(OutputError, match="cannot be read: No such file"):
        World.load(tmp_path / "none.json")
    with pytest.raises(OutputError, match="needs a folder that can be written"):
        World().save(tmp_path / "nowhere" / "model.json")
