"""A wrong value of a command line option causes one message with the name of the option before any solve. No results
are lost after Ctrl-C.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import windlass as wl
from windlass.connectors import hinge
from windlass.elements import nodes_of, straight_cable
from windlass.framework.command_line.option_files import insert_files
from windlass.framework.command_line.petsc_values import check_ranges, find_refused
from windlass.framework.runtime.petsc import PETSc

from support.processes import run_warm

MODEL = """
import sys
import windlass as wl
from windlass.connectors import hinge
from windlass.elements import nodes_of, straight_cable

world = wl.World(gravity=(0.0, -9.81))
rope = straight_cable(world, (0, 0), (1, 0), 4, axial_stiffness=1e4, bending_stiffness=1e-3, mass_per_length=0.2)
hinge(world, nodes_of(world, rope)[0])
motion = wl.Dynamic(world, step=1e-3, end=0.01)
print("words", wl.arguments(), "rtol", motion.snes.getTolerances()[0], flush=True)
motion.solve(hooks=[lambda state: print("step", state.step, flush=True)])
"""


def run(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    (folder / "model.py").write_text(MODEL)
    return run_warm(command(*words)[1:], folder, settings(**environment))


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "windlass.commands.cli", "run", "model.py", *words]


def settings(**environment: str) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if name != "PETSC_OPTIONS"}
    return inherited | {"PYTHONPATH": str(Path(__file__).parents[2] / "src"), "OMP_NUM_THREADS": "1"} | environment


@pytest.fixture
def database() -> Iterator[Any]:
    """Return PETSc's options, which are restored after the test."""
    before = set(PETSc.Options().getAll())
    yield PETSc.Options()
    for name in set(PETSc.Options().getAll()) - before:
        PETSc.Options().delValue(name)


def rope() -> wl.World:
    world = wl.World(gravity=(0.0, -9.81))
    cable = straight_cable(world, (0, 0), (1, 0), 4, axial_stiffness=1e4, bending_stiffness=1e-3, mass_per_length=0.2)
    hinge(world, nodes_of(world, cable)[0])
    return world


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("-summary", "-summary has no value: expected a word"),
        ("-quiet 5", "-quiet = 5: expected true or false"),
        ("-traceback 7", "-traceback = 7: expected true or false"),
        ("-partition foo", "-partition = foo: expected one of auto, rows, graph"),
        ("-help foo", "-help = foo: expected no value, or petsc or json"),
        ("-dynamic_method euler", "-dynamic_method = euler: expected one of generalized_alpha"),
        ("-dynamic_step 0", "-dynamic_step = 0: expected a number > 0 [s]"),
        ("-dynamic_snes_type fas", "-dynamic_snes_type = fas: expected one of newtonls, newtontr, "),
        ("-static_pc_type luu", "-static_pc_type luu: PETSc refuses this value"),
        ("-last_good /dev/null", "-last_good /dev/null is a device: must be a file"),
        ("-last_good none/x.npz", "-last_good none/x.npz: must be a file in a folder that exists"),
        ("-static_stability maybe", "-static_stability = maybe: expected one of check, follow, off"),
        ("-explicit_stepp 1", "-explicit_stepp 1: unknown option; did you mean -explicit_step?"),
    ],
)
def test_wrong_words_are_one_message(tmp_path: Path, words: str, message: str) -> None:
    done = run(tmp_path, *words.split())
    assert done.returncode == 2 and done.stderr.startswith(f"error: {message}"), done.stderr
    assert len(done.stderr.splitlines()) == 1 and "step" not in done.stdout


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("snes_rtol", ""), ("snes_rtol", "nan"), ("snes_rtol", "2"), ("snes_rtol", "-1e-3"), ("snes_rtol", "abc"),
        ("snes_max_it", "-5"), ("snes_max_it", "3.5"), ("snes_max_it", "0"), ("snes_atol", "-1"), ("ksp_rtol", "1"),
        ("ksp_gmres_restart", "0"), ("snes_linesearch_damping", "0"), ("snes_linesearch_order", "4"), ("pc_type", ""),
        ("sub_pc_factor_levels", "-1"), ("mat_mumps_icntl_14", "x"), ("snes_lag_jacobian", "0"), ("ksp_type", ""),
    ],
)  # fmt: skip
def test_values_of_petsc_options_have_ranges(name: str, value: str) -> None:
    with pytest.raises(wl.OptionError, match=f"-dynamic_{name}"):
        check_ranges({f"dynamic_{name}": value}, ("dynamic_",))


def test_right_values_of_petsc_options_pass() -> None:
    right = {"snes_rtol": "1e-3", "snes_max_it": "7", "ksp_divtol": "-1", "snes_monitor": "", "snes_lag_jacobian": "-2"}
    check_ranges({f"dynamic_{name}": value for name, value in right.items()}, ("dynamic_", "static_"))
    check_ranges({"elements_rtol": "5"}, ("dynamic_",))  # elements_rtol is an option of the model


def test_every_option_in_the_help_can_be_given(tmp_path: Path) -> None:
    """Every option in the help can be given with its default value, and the help lists the options of a solver under
    one heading.
    """
    text = run(tmp_path, "-help").stdout
    assert text.count("options of the solver dynamic_:") == 1
    listed = re.findall(r"^  -(dynamic_\w+) <([^>]*)>", text, re.MULTILINE)
    assert {"dynamic_project", "dynamic_lag", "dynamic_step"} <= {name for name, _ in listed}
    done = run(tmp_path, *(word for name, value in listed for word in ("-" + name, value)))
    assert done.returncode == 0, done.stderr


def test_summary_of_a_model_that_writes_none(tmp_path: Path) -> None:
    assert run(tmp_path, "-summary", "s.json").returncode == 0
    assert json.loads((tmp_path / "s.json").read_text())["verdicts"] == [
        {"solve": "dynamic", "verdict": "ok", "reasons": []}
    ]


def test_what_petsc_refuses_is_named_and_stays_unread(database: Any) -> None:
    given = {"late_pc_type": "ilu", "late_pc_factor_levels": "x", "late_snes_monitor": ""}
    assert find_refused(given, "late_") == (
        "pc_factor_levels", "Input string x has no integer value (do not include . in it)",
    )  # fmt: skip
    assert find_refused({"late_snes_convergence_test": "no"}, "late_") is not None
    assert find_refused({"late_pc_type": "lu"}, "late_") is None
    # if two options are wrong, the message names the option that the reason quotes, and never an option with a correct
    # value
    wrong = find_refused({"late_snes_rtol": "1e-6", "late_ksp_type": "foo", "late_pc_type": "bar"}, "late_")
    assert wrong is not None and wrong[0] in ("ksp_type", "pc_type") and wrong[1].split()[-1] in ("foo", "bar")
    assert (wrong[0] == "ksp_type") == ("foo" in wrong[1])
    assert not any("probe" in name for name in database.getAll())


@pytest.mark.parametrize(
    "given",
    [
        {"convergence_test": "default"}, {"convergence_test": "skip", "max_it": "3"}, {"type": "vinewtonrsls"},
        {"type": "vinewtonssls"}, {"type": "newtontr"}, {"type": "ksponly"},
    ],
)  # fmt: skip
def test_other_kinds_of_newton_solve_the_same_step(database: Any, given: dict[str, str]) -> None:
    expected = wl.Dynamic(rope(), step=1e-3, end=1e-3, name="").solve().q
    for name, value in given.items():
        database.setValue(f"other_snes_{name}", value)
    found = wl.Dynamic(rope(), step=1e-3, end=1e-3, name="", prefix="other_").solve().q
    # ksponly makes a single iteration, so the error is of the order of the squares of the rotations
    size = np.abs(expected).max()
    assert np.abs(found - expected).max() < (size**2 if given.get("type") == "ksponly" else 1e-6 * size)


def test_errors_of_a_law_are_one_message(tmp_path: Path) -> None:
    """An error in a law gives one message, even if the script imports only the module that the law needs."""
    (tmp_path / "law.py").write_text(
        "import windlass.framework as fw\n\n\nclass A(fw.Component):\n    x = fw.column('m', 'x')\n\n\n"
        "fw.register(A, 'thing')\n"
    )
    done = subprocess.run([sys.executable, "law.py"], cwd=tmp_path, env=settings(), capture_output=True, text=True)
    assert done.returncode == 2 and done.stderr.startswith("error: role = 'thing' in the law of A: must be one of node")
    assert len(done.stderr.splitlines()) == 1


def test_files_of_options(tmp_path: Path) -> None:
    inner, outer = tmp_path / "inner.txt", tmp_path / "outer.txt"
    inner.write_text("! a comment\n-b 2 # another\n\n-c\n")
    outer.write_text(f"-a 1\n-options_file {inner}\n-d 4\n")
    pairs = insert_files([("options_file", str(outer)), ("e", None)])
    assert pairs == [("a", "1"), ("b", "2"), ("c", None), ("d", "4"), ("e", None)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("-a 1\nfoo bar\n", "line 2: foo: belongs to no option"),
        ("-a 1 -b 2\n", "line 1: -a 1 -b 2: expected one option per line"),
        ("-a=1\n", "line 1: -a=1: an option has one dash"),
        ("-options_file {file}\n", "the file includes itself"),
        ("-options_file missing.txt\n", "expected a readable file with options"),
        ("\udcff\udcfe", "cannot be read as text"),
    ],
)
def test_bad_lines_of_options_files(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "options.txt"
    file.write_bytes(text.format(file=file).encode(errors="surrogateescape"))
    with pytest.raises(wl.OptionError) as raised:
        insert_files([("options_file", str(file))])
    assert message in str(raised.value)


def test_files_that_petsc_finds_by_itself_change_nothing(tmp_path: Path) -> None:
    (tmp_path / ".petscrc").write_text("-dynamic_snes_rtol 1e-1\n")
    # the run uses the compiled kernels of the real home folder
    kept = os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))
    done = run(tmp_path, "--", "N120", "-x", HOME=str(tmp_path), XDG_CACHE_HOME=kept)
    assert done.returncode == 0
    assert "note: .petscrc is ignored; use -options_file .petscrc to read it" in done.stderr
    assert "words ['N120', '-x'] rtol 1e-08" in done.stdout
    done = run(tmp_path, "-options_file", ".petscrc")
    assert "rtol 0.1" in done.stdout


def test_interrupt_keeps_the_last_whole_step(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    words = ("-dynamic_end", "1e6", "-progress", "false", "-checkpoint", "c.h5")
    # the output goes to files, because a reader that reads line by line would buffer output that another reader needs
    with (tmp_path / "out").open("w") as out_file, (tmp_path / "said").open("w") as said_file:
        # background processes of a shell ignore Ctrl-C, and tests may run as background processes
        words_of_all = ["env", "--default-signal=INT", *command(*words)]
        process = subprocess.Popen(words_of_all, cwd=tmp_path, env=settings(), stdout=out_file, stderr=said_file)
        while "step 3\n" not in (tmp_path / "out").read_text():
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130
    out, said = (tmp_path / "out").read_text(), (tmp_path / "said").read_text()
    assert "interrupt: the solve ends after this step" in said and "\ninterrupted\n  dynamic was at t = " in said
    assert "last good state: last_good_state.npz" in said and "-restart" in said
    last = int([line for line in out.splitlines() if line.startswith("step")][-1].split()[1])
    assert f", step {last}\n" in said
    state = wl.State(rope()).load(tmp_path / "last_good_state.npz")
    assert state.step == last and np.isclose(state.t, 1e-3 * last)
    done = run(tmp_path, *words[2:4], "-dynamic_end", repr(state.t + 2e-3), "-restart", "c.h5")
    assert done.returncode == 0 and done.stdout.splitlines()[1:] == [f"step {last + 1}", f"step {last + 2}"]


def test_signals_of_a_script_that_imports_petsc_first(tmp_path: Path) -> None:
    """Windlass replaces the signal handlers of PETSc, which would end the process, for example because of a closed
    pipe.
    """
    text = """
import os
import signal

signal.signal(signal.SIGHUP, lambda number, frame: print("handled"))
from petsc4py import PETSc
import windlass as wl

wl.option("count", 4, "1", "number of elements")
read, write = os.pipe()
os.close(read)
try:
    os.write(write, b"words")
except BrokenPipeError:
    print("broken pipe")
os.kill(os.getpid(), signal.SIGHUP)
os.kill(os.getpid(), signal.SIGTERM)
"""
    (tmp_path / "model.py").write_text(text)
    done = subprocess.run(
        [sys.executable, "model.py"], cwd=tmp_path, env=settings(PYTHONUNBUFFERED="1"), capture_output=True, text=True
    )
    assert done.stdout.splitlines() == ["broken pipe", "handled"] and done.returncode == -signal.SIGTERM
    assert "PETSC ERROR" not in done.stderr


def test_options_of_the_command_line_after_chosen_options(tmp_path: Path) -> None:
    """If `wl.set_options` temporarily replaces an option of the command line, the option of the command line is valid
    again for later solvers.
    """
    text = """
import windlass as wl
from windlass.elements import MassPoint

world = wl.World()
world.add(MassPoint, position=(0.0, 0.0), velocity=(1.0, 0.0), mass=1.0)
wl.Dynamic(world, step=0.1, end=0.2).solve()
with wl.set_options("-quiet"):
    pass
wl.Modes(world, count=1)
print("done")
"""
    (tmp_path / "given.py").write_text(text)
    words = ["-m", "windlass.commands.cli", "run", "given.py", "-quiet"]
    done = run_warm(words, tmp_path, settings())
    assert done.returncode == 0 and done.stdout == "done\n", done.stderr
