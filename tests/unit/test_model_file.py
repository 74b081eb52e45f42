"""Tests of model files. All bits of a world that was saved and loaded are equal to the original world. Errors about
wrong files name the cause.
"""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import windlass as wl
import windlass.connectors as con
import windlass.elements as el
from windlass.framework.errors import ModelError, OutputError
from windlass.framework.launch.launcher import child_environment
from windlass.framework.model.model_schema import full_schema
from windlass.framework.model.schema import Component
from windlass.framework.model.world import World

from hostile.models import COMPONENTS, valid_row


def assert_same(one: World, other: World) -> None:
    """Check that two worlds have equal calls, rows and names, and bit-identical values."""
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
    """Create two pulleys, a belt in contact with friction, a drive and a load, at the start of a motion."""
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
    # a file that is saved after a solve has no additional content
    states = [wl.Dynamic(w, step=5e-4, end=1e-2, method="generalized_alpha").solve() for w in (world, loaded)]
    for name in ("q", "v", "a", "lam", "data"):
        assert getattr(states[0], name).tobytes() == getattr(states[1], name).tobytes(), name
    assert states[0].q.any()
    assert world.save(tmp_path / "again.json").read_text() == file.read_text()


def test_a_turning_body_is_loaded(tmp_path: Path) -> None:
    """The rows of a saved body contain its angular velocity, and the rates of the Euler parameters that follow."""
    world, file = World(), tmp_path / "top.json"
    spin = (0.1, 2.0, 0.3)
    world.add(el.RigidBody3D, position=(0.0, 0.0, 0.0), mass=1.0, inertia=(1.0, 2.0, 3.0), angular_velocity=spin)
    world.save(file)
    assert wl.State(World.load(file)).v.tolist() == wl.State(world).v.tolist() != [0.0] * 7


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
    with pytest.raises(ModelError, match=r"two functions have the name '<lambda>'"):
        world.save(tmp_path / "springs.json")
    assert not (tmp_path / "springs.json").exists() and other.count == 0


def changed(good: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """Return a copy of the content of a model file with a new value at a path such as ``"calls.0.values.angle"``.

    The value REMOVED deletes the key.
    """
    copy = json.loads(json.dumps(good))
    *way, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    part = copy
    for step in way:
        part = part[step]
    if value is REMOVED:
        del part[last]
    else:
        part[last] = value
    return copy


REMOVED: Any = object()


@pytest.fixture(name="good")
def saved_belt(tmp_path: Path) -> dict[str, Any]:
    """Return the content of the file of a belt. The first call adds a `RigidNode2D`, the second call a
    `RigidBody2D`.
    """
    content: dict[str, Any] = json.loads(belt(con.sine(0.5, 3.0)).save(tmp_path / "good.json").read_text())
    return content


@pytest.mark.parametrize(
    ("error", "words", "place", "value"),
    [
        (OutputError, "must have the format 'windlass model'", "format", "something else"),
        (OutputError, "has version 7: must be 2", "version", 7),
        (OutputError, "the file has no 'gravity': must have", "gravity", REMOVED),
        (OutputError, "the file has the unknown key 'gravty'", "gravty", [0.0, -9.81, 0.0]),
        (OutputError, r"gravity\[1\] = nan: must be a finite number", "gravity.1", float("nan")),
        (OutputError, r"gravity has 2 entries: must have 3", "gravity", [0.0, -9.81]),
        (OutputError, r"calls\[0\] has no 'rows': must have kind, rows", "calls", [{"kind": "RigidNode2D"}]),
        (
            OutputError,
            r"calls\[0\].values of RigidNode2D has the unknown key 'angel'",
            "calls.0.values.angel",
            {"rows": [0.0]},
        ),
        (OutputError, r"calls\[0\].values of RigidNode2D has no 'position'", "calls.0.values.position", REMOVED),
        (
            OutputError,
            r"calls\[0\].values.angle.rows\[0\] = 'east' of RigidNode2D: must be a finite",
            "calls.0.values.angle",
            {"rows": ["east"]},
        ),
        (
            OutputError,
            r"calls\[0\].values.angle.rows\[0\] = 1e\+300 of RigidNode2D: must be <= 1e\+150",
            "calls.0.values.angle",
            {"rows": [1e300]},
        ),
        (
            OutputError,
            r"calls\[0\].values.angle.rows of RigidNode2D has 2 entries: must have 1",
            "calls.0.values.angle",
            {"rows": [0.0, 1.0]},
        ),
        (
            OutputError,
            r"calls\[1\].values.mass.rows\[0\] = -1.0 of RigidBody2D: must be >",
            "calls.1.values.mass",
            {"rows": [-1.0]},
        ),
        (OutputError, r"calls\[0\].rows = 10000000000: must be <= 2147483647", "calls.0.rows", 10**10),
        (
            ModelError,
            r"calls\[1\] of RigidBody2D: node in RigidBody2D row 0: entity number 99 must be from",
            "calls.1.references.node",
            {"rows": [99]},
        ),
        (OutputError, r"names has 'Buoy', but the file has no rows", "names.Buoy", [[0, 1, "left"]]),
        (
            OutputError,
            r"names.RigidBody2D\[0\] has the first row 0 and the end 7: must be .* end <= 2",
            "names.RigidBody2D",
            [[0, 7, "left"]],
        ),
        (OutputError, r"names.RigidBody2D\[0\]\[2\] = 5: must be a text or a list", "names.RigidBody2D", [[0, 1, 5]]),
        (OutputError, r"calls\[1\].references.node.rows\[0\] = 1000", "calls.1.references.node", {"rows": [10**400]}),
        (OutputError, "digest = 'none': must be 64 hexadecimal digits", "digest", "none"),
    ],
)
def test_what_the_schema_does_not_allow(
    error: type[Exception], words: str, place: str, value: Any, good: dict[str, Any], tmp_path: Path
) -> None:
    """The error names the place in the file, the given value and the allowed values. If the file was changed after it
    was written, a note is printed.
    """
    file = tmp_path / "bad.json"
    file.write_text(json.dumps(changed(good, place, value)))
    with pytest.raises(error, match=words):
        World.load(file)


def test_files_that_are_no_json(good: dict[str, Any], tmp_path: Path) -> None:
    file, text = tmp_path / "bad.json", json.dumps(good)
    for bad, words in (
        ("{", r"is damaged or not a model file, because it is not JSON: .*; must be a file of World.save"),
        (text[: len(text) // 2], "is damaged or not a model file"),
        (text.replace('"gravity"', '"gravity": [0, 0, 0], "gravity"'), "has the key 'gravity' twice in one object"),
        (
            text.replace('"gravity": [', '"gravity": ' + 10**5 * "[" + 10**5 * "]" + ', "other": ['),
            "gravity has nested lists or",
        ),
    ):
        file.write_text(bad)
        with pytest.raises(OutputError, match=words):
            World.load(file)
    with pytest.raises(OutputError, match="cannot be read: No such file"):
        World.load(tmp_path / "none.json")
    with pytest.raises(OutputError, match="must be in a folder that can be written"):
        World().save(tmp_path / "nowhere" / "model.json")


@pytest.mark.parametrize("kind", [kind for kind in COMPONENTS if "data" in kind.refs and kind.refs["data"].optional])
def test_history_that_refers_to_nothing(kind: type[Component], tmp_path: Path) -> None:
    """The number -1 means no entity in optional references, but causes an error in history values."""
    world = World(gravity=(0.0, -9.81))
    world.add(kind, **valid_row(world, kind))
    content = json.loads(world.save(tmp_path / "good.json").read_text())
    call = content["calls"][-1]
    assert call["kind"] == kind.__name__
    call["references"]["data"] = {"rows": [-1]}
    file = tmp_path / "model.json"
    file.write_text(json.dumps(content))
    with pytest.raises(OutputError, match=r"references\.data.*-1.*must be >= 0"):
        World.load(file)


def test_edits_are_noted(good: dict[str, Any], tmp_path: Path) -> None:
    """The digest detects a changed file, independent of layout and order of keys."""
    file = tmp_path / "model.json"
    file.write_text(json.dumps(good, indent=7, sort_keys=True))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        World.load(file)
    file.write_text(json.dumps(changed(good, "calls.1.values.mass", {"rows": [3.0]})))
    with pytest.warns(wl.ModelWarning, match=r"model.json was edited after World.save: its digest"):
        world = World.load(file)
    assert world.entity(1).mass == 3.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        World.load(world.save(file))
    file.write_text(json.dumps(changed(good, "calls.1.values.mass", {"rows": ["heavy"]})))
    with pytest.raises(OutputError, match=r"mass.*\(the file is damaged, or was changed after World.save"):
        World.load(file)
    # a file may lack new columns with defaults, which older versions did not write
    file.write_text(json.dumps(changed(good, "calls.0.values.angle", REMOVED)))
    with pytest.warns(wl.ModelWarning, match="has no values of angle of RigidNode2D: the defaults are used"):
        World.load(file)
    # files of version 1 have no digest
    old = changed({**good, "version": 1}, "digest", REMOVED)
    file.write_text(json.dumps(old))
    with pytest.warns(wl.ModelWarning, match="is of version 1, without a digest"):
        World.load(file)


def test_nothing_is_imported_by_a_file(good: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If a model file names a module for its rows or functions, the module is not imported, even if it is a module of
    the package.
    """
    (tmp_path / "harbour.py").write_text("raise SystemExit('the file ran')")
    monkeypatch.syspath_prepend(str(tmp_path))
    file = tmp_path / "bad.json"
    for module in ("harbour", "windlass.examples.knot", "windlass.testing"):
        known = set(sys.modules)
        content = changed(changed(good, "calls.0.module", module), "calls.0.kind", "Buoy")
        file.write_text(json.dumps(content))
        with pytest.raises(ModelError, match=rf"rows of 'Buoy', which is not registered: .* \(in {module} when"):
            World.load(file)
        call = next(k for k, call in enumerate(good["calls"]) if call["kind"] == "CoordinateLoad")
        function = {"kind": "Buoy", "module": module, "values": {}}
        for value in (function, {"kind": "load", "values": {}}):
            file.write_text(json.dumps(changed(good, f"calls.{call}.values.function", {"rows": [value]})))
            with pytest.raises((OutputError, ModelError), match=r"unknown key 'module'|no functions of kind 'load'"):
                World.load(file)
        assert not set(sys.modules) - known


def test_components_and_functions_of_the_user(tmp_path: Path) -> None:
    """Components that the user's script registers are found by name. If the script was not executed, the message names
    the missing components.
    """
    file = tmp_path / "model.json"
    code = (
        "import windlass as wl\n"
        "from windlass.framework import Component, column, register, register_functions\n"
        "class Lantern(Component):\n"
        "    size = column('m', 'its size')\n"
        "register(Lantern, 'passive')\n"
        "@register_functions\n"
        "class Flash:\n"
        "    def __init__(self, rate): self.rate = rate\n"
        "    def __call__(self, t): return self.rate * t\n"
        "    def to_values(self): return {'rate': self.rate}\n"
        "    @classmethod\n"
        "    def from_values(cls, values): return cls(values['rate'])\n"
    )
    (tmp_path / "lanterns.py").write_text(code)
    write = (
        "from lanterns import *\n"
        "import windlass.elements as el, windlass.connectors as con\n"
        "world = wl.World()\n"
        "world.add(Lantern, size=0.25)\n"
        "point = world.add(el.MassPoint, position=(0.0, 0.0), mass=1.0)\n"
        "world.add(con.CoordinateLoad, marker=con.coordinate_marker(world, point, 'x'), function=Flash(3.0))\n"
        "world.save('model.json')\n"
    )
    read = (
        "import windlass as wl\n"
        "world = wl.World.load('model.json')\n"
        "loads = next(t for c, t in world.tables.items() if c.__name__ == 'CoordinateLoad')\n"
        "print(world.entity(0).size, loads.collect('function')[0](2.0))\n"
    )

    def run(text: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", text]
        return subprocess.run(command, cwd=tmp_path, env=child_environment(True), text=True, capture_output=True)

    assert run(write).returncode == 0 and file.exists()
    assert (
        "rows of 'Lantern', which is not registered: the module that registers it (in lanterns when" in run(read).stderr
    )
    assert run("import lanterns\n" + read).stdout == "0.25 6.0\n"


@pytest.mark.parametrize(
    ("words", "changes"),
    [
        ("numbers of 'table' are 5: must be k times and k times 1 values", {"numbers": [0.0, 1.0, 2.0, 1.0, 2.0]}),
        ("begin with the times .* s: must be increasing numbers", {"numbers": [1.0, 0.0, 5.0, 6.0]}),
        ("kind 9, order 0, shape .*: must be kind 0 to 3", {"kind": 9}),
        ("order = 0.5 of a ReadyFunction: must be a whole number", {"order": 0.5}),
        ("shape .*: must be kind 0 to 3", {"shape": [2]}),
        ("must be a text, and a list of finite numbers", {"numbers": ["a", "b"]}),
        ("value 'nmae' of a .* is unknown", {"nmae": "table"}),
    ],
)
def test_functions_of_a_file_are_checked(words: str, changes: dict[str, Any], tmp_path: Path) -> None:
    """Tables with missing numbers or with times that do not increase, and functions of an unknown kind, cause errors
    when the file is read.
    """
    good = json.loads(belt(con.table([0.0, 1.0], [5.0, 6.0])).save(tmp_path / "good.json").read_text())
    call = next(k for k, call in enumerate(good["calls"]) if call["kind"] == "CoordinateLoad")
    function = good["calls"][call]["values"]["function"]["rows"][0]
    function["values"].update(changes)
    (tmp_path / "bad.json").write_text(json.dumps(good))
    with pytest.raises(wl.WindlassError, match=rf"calls\[{call}\].values.function of CoordinateLoad: .*{words}"):
        World.load(tmp_path / "bad.json")


def test_the_schema_is_a_schema(good: dict[str, Any]) -> None:
    """The published schema is valid JSON Schema. Written files satisfy the schema, and other files do not."""
    import jsonschema  # imported inside the function, because only this test needs jsonschema

    published = full_schema(COMPONENTS)
    jsonschema.Draft202012Validator.check_schema(published)
    validator = jsonschema.Draft202012Validator(published)
    assert not list(validator.iter_errors(good))
    for place, value in (("gravity", REMOVED), ("calls.0.values.angle", {"rows": ["east"]}), ("calls.1.rows", -1)):
        assert list(validator.iter_errors(changed(good, place, value))), place
