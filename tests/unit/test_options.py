"""Tests of options: syntax of the command line, types and bounds of values, summary, and the check of unread
options.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import windlass as wl
from windlass.framework.command_line import options, summary, unused_options
from windlass.framework.command_line.unused_options import Moment, Solver
from windlass.framework.errors import OptionError, OutputError
from windlass.framework.launch.arguments import Option, is_option, join_options, model_arguments, split_options
from windlass.framework.runtime.petsc import PETSc


@pytest.fixture
def database() -> Iterator[object]:
    """Return PETSc's options, which are restored after the test."""
    before = set(PETSc.Options().getAll())
    yield PETSc.Options()
    for name in set(PETSc.Options().getAll()) - before:
        PETSc.Options().delValue(name)


@pytest.mark.parametrize("word", ["-elements", "--elements", "-x=3", "-infinite_loop", "-e"])
def test_names_of_options(word: str) -> None:
    assert is_option(word)


@pytest.mark.parametrize("word", ["-5", "-1e-3", "-.5", "-inf", "-0,9.81", "-", "--", "240", "x", ""])
def test_values_are_no_names(word: str) -> None:
    assert not is_option(word)


def test_pairs_of_a_command_line() -> None:
    words = ["-elements", "240", "-fast", "-gravity", "0,-9.81", "-snes_max_it", "-5"]
    pairs = [("elements", "240"), ("fast", None), ("gravity", "0,-9.81"), ("snes_max_it", "-5")]
    assert split_options(words) == pairs
    assert join_options(pairs) == words


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--x"], "--x: an option has one dash, and its value follows after a space: -x"),
        (["--x", "3"], "--x: an option has one dash, and its value follows after a space: -x"),
        (["-x=3"], "-x=3: an option has one dash, and its value follows after a space: -x 3"),
        (["--x=3"], "--x=3: an option has one dash, and its value follows after a space: -x 3"),
        (
            ["240"],
            "240: belongs to no option; an option is written -name value, and words for the model follow after --",
        ),
        (["-é", "4"], "-é: the name of an option begins with a letter from a to z"),
        (["-n", "240", "60"], "60: belongs to no option; -n 240 already has its value (a list is written 1,2,3)"),
        (["-output", ""], "empty word after -output: an option is written -name value"),
    ],
)
def test_wrong_syntax_names_the_right_form(words: list[str], message: str) -> None:
    with pytest.raises(OptionError) as raised:
        split_options(words)
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-fast", "tension", "300"], "-fast = tension: expected true or false"),
        (["-Fast", "tension", "300"], "-fast = tension: expected true or false"),
        (
            ["-fast", "true", "300"],
            "300: belongs to no option; -fast true already has its value (a list is written 1,2,3)",
        ),
        (["-slow", "tension", "300"], "300: belongs to no option; -slow tension already has its value (a list is "),
    ],
)
def test_a_missing_dash_after_a_flag(words: list[str], message: str) -> None:
    """If the value of a known option is wrong, the error is about this value and not about the next word."""
    with pytest.raises(OptionError) as raised:
        split_options(words, {"fast": FAST})
    assert str(raised.value).startswith(message)


ELEMENTS = Option("elements", 60, "1", "number of cable elements", minimum=1)
STEP = Option("step", 1e-3, "s", "step size", minimum=0.0, maximum=1.0)
FAST = Option("fast", False, "", "leave out the pictures")
LAW = Option("law", "linear", "", "law of friction", choices=("linear", "cubic"))


@pytest.mark.parametrize(
    ("item", "text", "value"),
    [
        (ELEMENTS, "240", 240),
        (STEP, "1e-4", 1e-4),
        (STEP, "1", 1.0),
        (FAST, "", True),
        (FAST, "YES", True),
        (FAST, "0", False),
        (LAW, "cubic", "cubic"),
    ],
)
def test_values_have_the_type_of_the_default(item: Option, text: str, value: object) -> None:
    parsed = item.parse(text)
    assert parsed == value
    assert type(parsed) is type(item.default)


@pytest.mark.parametrize(
    ("item", "text", "message"),
    [
        (ELEMENTS, "abc", "-elements = abc: expected a whole number >= 1 [1]"),
        (ELEMENTS, "0", "-elements = 0: expected a whole number >= 1 [1]"),
        (ELEMENTS, "2.5", "-elements = 2.5: expected a whole number >= 1 [1]"),
        (ELEMENTS, "", "-elements has no value: expected a whole number >= 1 [1]"),
        (STEP, "nan", "-step = nan: expected a number >= 0 and <= 1 [s]"),
        (STEP, "2", "-step = 2: expected a number >= 0 and <= 1 [s]"),
        (FAST, "3", "-fast = 3: expected true or false"),
        (LAW, "square", "-law = square: expected one of linear, cubic"),
    ],
)
def test_wrong_values_say_what_is_allowed(item: Option, text: str, message: str) -> None:
    with pytest.raises(OptionError) as raised:
        item.parse(text)
    assert str(raised.value) == message


def test_option_reads_the_database(database: object) -> None:
    assert options.option("test_count", 3, "1", "a count") == 3
    PETSc.Options().setValue("test_count", "5")
    assert options.option("test_count", 3, "1", "a count") == 5
    assert "test_count" not in unused_options.find_unused()


def test_option_names_are_unique_and_not_petscs() -> None:
    options.option("test_length", 1.0, "m", "a length")
    with pytest.raises(OptionError, match="already declared"):
        options.option("test_length", 2.0, "m", "a length")
    with pytest.raises(OptionError, match="PETSc already has an option with this name"):
        options.option("log_view", "x", "", "a file")
    with pytest.raises(OptionError, match="letters, digits"):
        options.option("test-length", 1.0, "m", "a length")
    with pytest.raises(OptionError, match=r"expected a number >= 0 \[m\]"):
        options.option("test_width", -1.0, "m", "a width", minimum=0)


def test_parameters_are_options_with_a_range(database: Any) -> None:
    """A parameter returns its default or the value of the command line. Values outside of the range cause errors."""
    words = {"unit": "N", "doc": "tension", "minimum": 100.0, "maximum": 1000.0}
    assert wl.parameter("some_tension", 400, **words) == 400.0
    database.setValue("some_other_tension", "250")
    assert wl.parameter("some_other_tension", 400.0, **words) == 250.0
    database.setValue("some_large_tension", "2000")
    with pytest.raises(
        wl.OptionError, match=r"^-some_large_tension = 2000: expected a number >= 100 and <= 1000 \[N\]$"
    ):
        wl.parameter("some_large_tension", 400.0, **words)
    item = Option("k", 1e4, "N/m", "stiffness", 1e3, 1e5, None, "log")
    assert item.describe().endswith(
        "stiffness; parameter with a logarithmic scale (a number >= 1000 and <= 100000 [N/m])"
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"default": 50.0}, "default = 50 N of parameter load: must be >= 100 and <= 1000 N"),
        ({"minimum": 2000.0}, "minimum = 2000 N of parameter load: must be less than maximum = 1000 N"),
        ({"minimum": 0.0, "scale": "log"}, "minimum = 0 N of parameter load: must be > 0 for a logarithmic scale"),
        ({"scale": "square"}, "scale = 'square' of parameter load: must be linear or log"),
        ({"maximum": np.inf}, r"maximum = inf of parameter load: must be a finite number \[N\]"),
        ({"default": "400"}, r"default = '400' of parameter load: must be a finite number \[N\]"),
        ({"name": "a b"}, "option name 'a b': expected letters, digits and underscores"),
    ],
)
def test_wrong_parameters(given: dict[str, Any], message: str) -> None:
    words = {"name": "load", "default": 400.0, "unit": "N", "minimum": 100.0, "maximum": 1000.0}
    with pytest.raises(wl.OptionError, match=f"^{message}$"):
        wl.parameter(**{**words, **given})


def test_help_has_default_unit_and_bounds() -> None:
    described = [" ".join(item.describe().split()) for item in (ELEMENTS, FAST, Option("end_time", 2.45, "s", "end"))]
    assert described == [
        "-elements <60> number of cable elements (a whole number >= 1 [1])",
        "-fast <false> leave out the pictures",
        "-end_time <2.45> end [s]",
    ]


def test_summary_is_plain_json(database: object, tmp_path: Path) -> None:
    file = tmp_path / "summary.json"
    summary.write_summary({"x": 1})  # this call writes nothing, because no file is requested
    PETSc.Options().setValue("summary", str(file))
    summary.write_summary({"x": np.float64(1.5), "n": np.arange(2), "none": float("nan"), "at": {0.3: None}})
    written = {"written_by": "Windlass"}
    assert json.loads(file.read_text()) == written | {"x": 1.5, "n": [0, 1], "none": None, "at": {"0.3": None}}
    PETSc.Options().setValue("summary", f"{tmp_path}/missing/summary.json")
    with pytest.raises(OutputError, match="must be a file in a folder that exists"):
        summary.write_summary({})


def test_words_of_pytest_are_not_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "argv", [pytest.__file__, "-x"])
    assert model_arguments() is None
    monkeypatch.setattr(sys, "argv", ["-c", "-x"])
    assert model_arguments() is None
    monkeypatch.setattr(sys, "argv", [f"{tmp_path}/belt.py", "-x"])
    assert model_arguments() == ["-x"]
    monkeypatch.setattr(sys, "argv", ["/usr/bin/windlass", "run", "belt.py", "-x"])
    assert model_arguments() == ["-x"]


def test_dictionary_comes_from_the_petsc_library() -> None:
    names = unused_options.petsc_names()
    assert {"snes_rtol", "ksp_type", "pc_factor_mat_solver_type", "mat_mumps_icntl_14", "log_view"} <= names
    assert "snes_rtoll" not in names


DYNAMIC = Solver(Moment.OPTIONS_SET, "snes newtonls, ksp preonly, pc lu")


@pytest.mark.parametrize(
    ("name", "moment", "problem"),
    [
        ("dynamic_snes_rtoll", Moment.OPTIONS_SET, "did you mean -dynamic_snes_rtol?"),
        ("dynamc_snes_rtol", Moment.OPTIONS_SET, "did you mean -dynamic_snes_rtol?"),
        ("static_snes_rtoll", Moment.OPTIONS_SET, "did you mean -static_snes_rtol?"),
        ("elemets", Moment.OPTIONS_SET, "did you mean -elements?"),
        ("ea", Moment.OPTIONS_SET, "did you mean -EA?"),
        ("log_vew", Moment.OPTIONS_SET, "did you mean -log_view?"),
        ("snes_rtol", Moment.OPTIONS_SET, "did you mean -static_snes_rtol or -dynamic_snes_rtol?"),
        ("dynamic_ksp_gmres_restart", Moment.OPTIONS_SET, "this solver does not read it"),
        ("dynamic_passes_max", Moment.OPTIONS_SET, "did you mean -dynamic_passes_max_it?"),
        ("zzz", Moment.OPTIONS_SET, "declares its options before"),
        # The option may be read later, or by a solver that is created later.
        ("static_snes_rtol", Moment.OPTIONS_SET, ""),
        ("static_passes_max_it", Moment.OPTIONS_SET, ""),
        ("static_anything_else", Moment.OPTIONS_SET, ""),
        ("initial_ksp_type", Moment.OPTIONS_SET, ""),
        ("dynamic_snes_view", Moment.OPTIONS_SET, ""),
        ("dynamic_ksp_converged_reason", Moment.OPTIONS_SET, ""),
        ("dynamic_mat_mumps_icntl_14", Moment.OPTIONS_SET, ""),
        ("dynamic_sub_pc_type", Moment.OPTIONS_SET, ""),
        ("dynamic_mg_levels_2_ksp_type", Moment.OPTIONS_SET, ""),
        ("mat_view", Moment.OPTIONS_SET, ""),
        # At the end of the run, only PETSc itself reads further options.
        ("static_snes_rtol", Moment.END, "makes no solver static_ (it makes: dynamic_)"),
        ("static_anything_else", Moment.END, "makes no solver static_"),
        ("dynamic_snes_view", Moment.END, "does not read it"),
        ("mat_view", Moment.END, "nothing in this run has read it"),
        ("options_left", Moment.END, ""),
        ("malloc_dump", Moment.END, ""),
    ],
)
def test_judgement_on_unread_options(name: str, moment: Moment, problem: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unused_options, "find_unused", lambda: {name: "3"})
    solvers = {"static_": Solver(), "dynamic_": DYNAMIC, "initial_": Solver()}
    lines = unused_options.check(moment, solvers, ["elements", "EA", "dynamic_passes_max_it"])
    assert len(lines) == (1 if problem else 0)
    if problem:
        assert lines[0].startswith(f"-{name} 3: ")
        assert problem in lines[0]


def test_announced_options_of_a_later_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    unread_options = {"dynamic_passes_max_it": "3", "dynamic_alpha": "3"}
    monkeypatch.setattr(unused_options, "find_unused", lambda: unread_options)
    solvers = {"static_": DYNAMIC, "dynamic_": Solver(own=(Option("passes_max_it", 1, "1", "passes"),))}
    (line,) = unused_options.check(Moment.OPTIONS_SET, solvers, [])
    assert line.startswith("-dynamic_alpha 3: unknown option")
    # an option that a solver declares is known; the names in the library of PETSc are read only for other options
    with monkeypatch.context() as patch:
        patch.setattr(unused_options, "petsc_names", lambda: pytest.fail("reads the library of PETSc"))
        patch.setattr(unused_options, "find_unused", lambda: {"dynamic_passes_max_it": "3"})
        assert unused_options.check(Moment.OPTIONS_SET, solvers, []) == []
    # an option with a misspelt prefix
    unread_options = {"dynmic_passes_max_it": "3"}
    (line,) = unused_options.check(Moment.OPTIONS_SET, solvers, [])
    assert line == "-dynmic_passes_max_it 3: unknown option; did you mean -dynamic_passes_max_it?"


def test_importing_the_command_is_quick() -> None:
    heavy = ["numba", "numpy", "scipy", "h5py", "meshio", "matplotlib", "vtk", "petsc4py"]
    code = f"import sys, windlass.commands.cli; print([name for name in {heavy} if name in sys.modules])"
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.strip() == "[]"
