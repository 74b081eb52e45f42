"""The stubs for type checkers agree with the current schemas. With the stubs, type checkers find mistakes in models."""

import ast
import inspect
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import windlass as wl
from windlass import connectors, elements
from windlass.connectors.constraints.generic_joint import GenericJoint
from windlass.connectors.constraints.terminations import OWN

ROOT = Path(__file__).resolve().parents[2]
MODEL = """\
import windlass as wl
from windlass import connectors as con
from windlass.elements import RigidBody2D, cable_around

world = wl.World()
left = world.add(RigidBody2D, name="left", position=(0.0, 0.0), mass=5.0, inertia=0.05)
right = world.add(RigidBody2D, name="right", position=(0.3, 0.0), mass=5, inertia=0.05, angle=0.1)
belt = cable_around(
    world, circles=[left, right], radius=0.1, elements=32, axial_stiffness=8000.0, bending_stiffness=1e-3,
    mass_per_length=0.8,
)
contacts = con.add_contact(
    world, con.ContactFrictionCirclePoints2D, circles=[left, right], cables=belt, segments=4, circle_radius=0.1,
    contact_stiffness_per_length=1e7, friction_coefficient=0.5,
)
for pulley in (left, right):
    con.fix(world, pulley, "x", "y")
world.set(contacts, friction_coefficient=0.0)
print(left.mass)
state = wl.Static(world, load_steps=10).solve()
motion = wl.Dynamic(world, step=1e-3, end=0.3, method="generalized_alpha_index2").solve(state)
"""
MISTAKES = {
    "a column of a row": ("inertia=0.05)", "inertai=0.05)"),
    "a column that is left out": (", mass=5, inertia=0.05, angle=0.1", ", mass=5, angle=0.1"),
    "a word for a number": ("mass=5, ", 'mass={"kg": 5}, '),
    "a column of a builder": ("axial_stiffness=8000.0", "axial_stifness=8000.0"),
    "a column of contact": ("friction_coefficient=0.5,", "friction=0.5,"),
    "a switched column": ("world.set(contacts, friction_coefficient", "world.set(contacts, friction_coeficient"),
    "an attribute of a handle": ("left.mass", "left.masss"),
    "an output as an attribute": ("print(left.mass)", "print(left.angular_velocity)"),
    "a reference of a handle": ("left.mass", "left.nodee"),
    "an argument of a solver": ("load_steps=10", "load_step=10"),
    "a word for a time": ("end=0.3", 'end="0.3"'),
    "a name of the package": ("con.fix(", "con.fixx("),
}
"""Old and new text of a mistake in the model."""
NAMES = {"": "right.py"} | {what: f"wrong{k}.py" for k, what in enumerate(MISTAKES)}
"""The files of the model and of its copies with one mistake each."""
Errors = dict[str, list[tuple[int, str]]]
"""Line and message of each error that a type checker reports, by mistake."""


def test_stubs_follow_the_schemas() -> None:
    run = subprocess.run([sys.executable, ROOT / "scripts" / "make_stubs.py", "check"], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


def find_builders() -> dict[str, Path]:
    """Return public functions and classes of elements and connectors that take additional keywords, and their files."""
    found = {}
    for name, value in ((name, getattr(p, name)) for p in (wl, elements, connectors) for name in p.__all__):
        plain = inspect.unwrap(value.__init__ if isinstance(value, type) else value)
        if inspect.isfunction(plain) and plain.__module__.startswith(("windlass.elements", "windlass.connectors")):
            kinds = {argument.kind for argument in inspect.signature(plain).parameters.values()}
            if inspect.Parameter.VAR_KEYWORD in kinds:
                found[name] = Path(plain.__code__.co_filename)
    return found


def test_builders_name_the_columns_that_they_take() -> None:
    """Stubs of builders name all columns and have no additional keywords."""
    builders = find_builders()
    assert {"cable_around", "add_contact", "Belt", "Rope", "winch_rope", "sliding_joint"} <= builders.keys()
    for name, file in builders.items():
        stub = (ROOT / "src" / "windlass-stubs" / file.resolve().relative_to(ROOT)).with_suffix(".pyi")
        assert stub.is_file(), f"{name}: no stub, see BUILDERS in scripts/make_stubs.py"
        (node,) = (n for n in ast.parse(stub.read_text()).body if getattr(n, "name", "") == name)
        open_ended = [n.name for n in ast.walk(node) if isinstance(n, ast.FunctionDef) and n.args.kwarg is not None]
        assert open_ended == [], name


def test_builders_name_no_column_that_they_set() -> None:
    """`socket` and `swivel` raise errors for the columns of `GenericJoint` that they set, and their stubs do not
    contain these columns.
    """
    stub = ROOT / "src" / "windlass-stubs" / "connectors" / "constraints" / "terminations.pyi"
    functions = [node for node in ast.parse(stub.read_text()).body if isinstance(node, ast.FunctionDef)]
    given = {f.name: {a.arg for a in (*f.args.args, *f.args.kwonlyargs)} for f in functions}
    assert set(OWN) <= GenericJoint.refs.keys() | GenericJoint.columns.keys()
    for name in ("socket", "swivel"):
        assert {"end", "body", "name", "active"} <= given[name], name
        assert given[name].isdisjoint(OWN), name


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the model, its copies with one mistake each, and the environment of a user."""
    folder = tmp_path_factory.mktemp("models")
    (folder / NAMES[""]).write_text(MODEL)
    for what, (old, new) in MISTAKES.items():
        assert MODEL.count(old) >= 1, what
        (folder / NAMES[what]).write_text(MODEL.replace(old, new, 1))
    # the package is on the path, in the same way as after scripts/setup.sh or after the installation of a wheel
    environment = folder / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    (site,) = environment.glob("lib/python*/site-packages")
    numpy_site = Path(np.__file__).parents[1]
    (site / "windlass.pth").write_text(f"{ROOT / 'src'}\n{numpy_site}\n")
    return folder


def run_checker(command: list[str], folder: Path) -> str:
    """Return the output of a type checker for all models, in one run."""
    outside = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "MYPYPATH")}
    run = subprocess.run([*command, *NAMES.values()], capture_output=True, text=True, cwd=folder, env=outside)
    return run.stdout


def sort_errors(errors: list[tuple[str, int, str]]) -> Errors:
    """Group errors (file, line and message) by the mistake in the file."""
    return {what: [(line, text) for file, line, text in errors if file == name] for what, name in NAMES.items()}


@pytest.fixture(scope="module")
def found_by_mypy(models: Path) -> Errors:
    command = [sys.executable, "-m", "mypy", "--config-file", "", "--ignore-missing-imports", "--cache-dir", "cache"]
    lines = run_checker([*command, "--python-executable", "environment/bin/python"], models).splitlines()
    parts = [line.split(":", 2) for line in lines if ": error:" in line]
    return sort_errors([(file, int(line), text) for file, line, text in parts])


@pytest.fixture(scope="module")
def found_by_pyright(models: Path) -> Errors:
    if shutil.which("pyright") is None:
        pytest.skip("pyright is not installed (npm install -g pyright)")
    text = run_checker(["pyright", "--outputjson", "--pythonpath", "environment/bin/python"], models)
    errors = [item for item in json.loads(text)["generalDiagnostics"] if item["severity"] == "error"]
    # pyright counts lines from 0
    return sort_errors([(Path(e["file"]).name, e["range"]["start"]["line"] + 1, e["message"]) for e in errors])


def is_found(what: str, errors: Errors) -> bool:
    """Return whether an error is at the line of the mistake. Errors of calls may name the first line of the call."""
    old, _ = MISTAKES[what]
    line = MODEL[: MODEL.index(old)].count("\n") + 1
    return any(line - 4 <= number <= line for number, _ in errors[what])


def test_a_right_model_has_no_errors(found_by_mypy: Errors) -> None:
    assert found_by_mypy[""] == []


@pytest.mark.parametrize("what", sorted(MISTAKES))
def test_mistakes_are_found(found_by_mypy: Errors, what: str) -> None:
    assert is_found(what, found_by_mypy), found_by_mypy[what]


def test_pyright_finds_them_too(found_by_pyright: Errors) -> None:
    assert found_by_pyright[""] == []
    assert [what for what in MISTAKES if not is_found(what, found_by_pyright)] == []
