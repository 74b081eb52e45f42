"""The stubs for type checkers: made from the schemas as they are, and good enough to find mistakes in models."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

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
"""A mistake in the model above: what is replaced by what."""


def test_stubs_follow_the_schemas() -> None:
    run = subprocess.run([sys.executable, ROOT / "scripts" / "make_stubs.py", "check"], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """The errors of mypy in the model and in each copy with a mistake, by one run, as in a user's environment."""
    folder = tmp_path_factory.mktemp("models")
    names = {"": "right.py"}
    (folder / names[""]).write_text(MODEL)
    for k, (what, (old, new)) in enumerate(MISTAKES.items()):
        assert MODEL.count(old) >= 1, what
        names[what] = f"wrong{k}.py"
        (folder / names[what]).write_text(MODEL.replace(old, new, 1))
    # an environment in which the package lies on the path, as scripts/setup.sh and wheels leave it
    environment = folder / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    (site,) = environment.glob("lib/python*/site-packages")
    numpy_site = Path(np.__file__).parents[1]
    (site / "windlass.pth").write_text(f"{ROOT / 'src'}\n{numpy_site}\n")
    command = [sys.executable, "-m", "mypy", "--config-file", "", "--ignore-missing-imports"]
    command += ["--cache-dir", folder / "cache"]
    command += ["--python-executable", environment / "bin" / "python", *(folder / name for name in names.values())]
    outside = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "MYPYPATH")}
    run = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=outside)
    errors = [line for line in run.stdout.splitlines() if ": error:" in line]
    return {what: [line for line in errors if line.startswith(name + ":")] for what, name in names.items()}


def test_a_right_model_has_no_errors(found: dict[str, list[str]]) -> None:
    assert found[""] == []


@pytest.mark.parametrize("what", sorted(MISTAKES))
def test_mistakes_are_found(found: dict[str, list[str]], what: str) -> None:
    old, _ = MISTAKES[what]
    line = MODEL[: MODEL.index(old)].count("\n") + 1
    # errors of calls may name the first line of the call
    assert any(line - 4 <= int(error.split(":")[1]) <= line for error in found[what]), found[what]
