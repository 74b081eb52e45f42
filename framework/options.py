"""Options of the command line: those that a model declares, and the watch over those that PETSc's solvers read.

A model declares its own options, mixed freely with PETSc's on the command line, before it makes its first solver:

    elements = wl.option("elements", 60, "1", "number of cable elements", minimum=1)

Protocol for whoever makes a solver (with a fixed options prefix such as `dynamic_`):

1. declare the solver's own options with `option("dynamic_...", ...)`, set defaults on the PETSc objects;
2. call `set_from_options(snes)` instead of `snes.setFromOptions()`: it finds misspelt options, and prints the help
   under -help;
3. if `help_requested()`, return without solving: -help runs the model dry, to see which solvers it makes. What writes
   files leaves it in this case; what the rest of the script prints is dropped, and an error in it ends the run quietly;
4. after the first set-up of the linear solver call `after_set_up(snes)`: finds options that nobody has read until then.

A solver that the model makes after its first solve is announced by `expect_solver(prefix)`, unless its prefix is one of
`SOLVER_PREFIXES`. At the end of the script `windlass run`, or Python's exit under plain `python`, calls `finish()`,
which finds what remains unread.
All calls are collective: all ranks make them.
"""

import importlib
import json
import math
import os
import re
import signal
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TextIO, TypeVar, cast

from windlass.framework import unread
from windlass.framework.arguments import HELP_NAMES, TRUE_WORDS, Option, join_options, split_options
from windlass.framework.errors import OptionError, OutputError
from windlass.framework.launcher import start_petsc
from windlass.framework.unread import Moment, Solver

Value = TypeVar("Value", bound=int | float | bool | str)
SOLVER_PREFIXES = ("static_", "dynamic_", "explicit_", "initial_")  # the last one finds initial accelerations


@dataclass
class _Run:
    """The options of this process. PETSc keeps one database per process, so there is one record beside it."""

    words: list[str] | None = None
    help: bool = False
    finished: bool = False
    own: dict[str, Option] = field(default_factory=dict)
    framework: set[str] = field(default_factory=set)
    listed: set[str] = field(default_factory=set)
    dropped_output: TextIO | None = None
    solvers: dict[str, Solver] = field(default_factory=lambda: {prefix: Solver() for prefix in SOLVER_PREFIXES})


_run = _Run()


def is_initialised() -> bool:
    """Whether PETSc has its command line."""
    return _run.words is not None


def initialise(words: Sequence[str], model: bool = True) -> None:
    """Check the syntax of a command line and initialise PETSc with it; later calls add their options.

    Args:
        words: the words after the name of the model script.
        model: whether a model script runs; otherwise (tests, notebooks) no file is written that nobody asked for.

    Raises:
        OptionError: `--x`, `-x=3`, words that belong to no option, a missing options file, wrong values of Windlass'
            own options.
        OutputError: the file of -summary or -checkpoint cannot be written; there is no file of -restart.
    """
    if _run.words == list(words):
        return
    pairs = split_options(words)
    for name, value in pairs:
        if name.lower() == "options_file" and not (value and Path(value.removesuffix(":yaml")).is_file()):
            raise OptionError(f"-options_file {value or ''}: expected a readable file with options")
    # PETSc prints its general help when it starts; the model's own options are to come first.
    help_words = {f"-{name}" for name in HELP_NAMES}
    environment = os.environ.get("PETSC_OPTIONS", "").split()
    _run.help = _run.help or any(name.lower() in HELP_NAMES for name, _ in pairs) or bool(help_words & set(environment))
    pairs = [(name, value) for name, value in pairs if name.lower() not in HELP_NAMES]
    if help_words & set(environment):
        os.environ["PETSC_OPTIONS"] = " ".join(word for word in environment if word not in help_words)
    loaded = "petsc4py.PETSc" in sys.modules
    if not loaded:
        start_petsc(join_options(pairs))
    from petsc4py import PETSc

    _run.words = list(words)
    database = PETSc.Options()
    if loaded:
        for name, value in pairs:
            database.setValue(name, value or "")
    elif threading.current_thread() is threading.main_thread():
        # PETSc reports these as crashes; ending a job or paging through the help is none.
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGPIPE, signal.SIG_DFL if _run.help else signal.SIG_IGN)
    if database.hasName("help"):  # from a file
        _run.help = True
        database.delValue("help")
    _declare_framework_options(model)


def _declare_framework_options(model: bool) -> None:
    before = set(_run.own)
    option("summary", "", "", "write the results to this JSON file")
    option("progress", True, "", "show the progress of the run")
    option("quiet", False, "", "print errors only")
    option("last_good", "last_good_state.npz" if model else "", "", "file for the last good state when a solve fails")
    option("partition", "auto", "", "how the model is divided among processes", choices=("auto", "rows", "graph"))
    option("traceback", False, "", "show where in the code an error was raised")
    for name in ("checkpoint_options", "threads"):
        importlib.import_module(f"windlass.framework.{name}").declare()
    _run.framework |= set(_run.own) - before
    summary_path()


def option(
    name: str,
    default: Value,
    unit: str,
    doc: str,
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    choices: Sequence[str] | None = None,
) -> Value:
    """Declare an option of the model and return its value from the command line, else the default.

    Args:
        name: letters, digits and underscores; `elements` is given as `-elements 240`.
        default: value when not given; an int, float, bool or str, and the value is of this type.
        unit: unit of the value, `1` for pure numbers, empty where there is none.
        doc: what it is, a few words for -help.
        minimum: smallest allowed number, in `unit`.
        maximum: largest allowed number, in `unit`.
        choices: allowed words, for a str.

    Raises:
        OptionError: a value of the wrong type or out of range; a name that is PETSc's or was declared in another way.
    """
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
        given = repr(name) if isinstance(name, str) else f"of type {type(name).__name__}"
        raise OptionError(f"option name {given}: expected letters, digits and underscores")
    item = Option(name, default, unit, doc, minimum, maximum, tuple(choices) if choices else None)
    if name.lower() in HELP_NAMES or (unread.GLOBAL.fullmatch(name) and name.lower() in unread.petsc_names()):
        raise OptionError(f"option name {name!r}: PETSc has an option of this name")
    known = _run.own.setdefault(name, item)
    # several solvers of one kind may have defaults of their own
    if name.startswith(tuple(prefix for prefix in _run.solvers if prefix)):
        known = replace(known, default=default)
    if known != item:
        raise OptionError(f"option name {name!r}: declared before with other properties")
    item.parse(str(default) or " ")
    database = _petsc().Options()
    if not database.hasName(name):
        return default
    return cast(Value, item.parse(database.getString(name)))


def help_requested() -> bool:
    """Whether -help was given: list options and solve nothing."""
    return _run.help


def is_dry_run() -> bool:
    """Whether -help was given and a solver has been shown: what follows in the script does not count."""
    return _run.dropped_output is not None


def expect_solver(prefix: str, own: Sequence[str] | None = None) -> None:
    """Announce a solver that the model may make after its first one.

    Args:
        prefix: its options prefix.
        own: names, without prefix, of all options that it declares; with them misspelt ones are found before any solve.
    """
    _run.solvers.setdefault(prefix, Solver()).own = None if own is None else tuple(own)


def set_from_options(solver: Any) -> None:
    """Call `solver.setFromOptions()` of a PETSc SNES or KSP; then every option that it should have read must be read.

    Raises:
        OptionError: options that are unknown or without effect, with suggestions; values that PETSc refuses.
    """
    prefix = solver.getOptionsPrefix() or ""
    _run.solvers[prefix] = Solver(Moment.OPTIONS_SET, _describe_kinds(solver))
    if not _run.help:
        _read_options(solver, prefix)
        _run.solvers[prefix].kinds = _describe_kinds(solver)
        _raise_for_unread(Moment.OPTIONS_SET)
        return
    sys.stdout = _run.dropped_output or sys.stdout
    _show(own_help())
    _show(f"PETSc's options of the solver {prefix}:" if prefix else "PETSc's options of the solver:")
    database = _petsc().Options()
    database.setValue("help", "")
    _read_options(solver, prefix)
    _set_up_twin(solver)
    database.delValue("help")
    _run.dropped_output = sys.stdout
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115 (open until the process ends)


def after_set_up(solver: Any) -> None:
    """To be called after the first set-up of the linear solver inside a SNES, or of a KSP.

    Raises:
        OptionError: options for the inside of the linear solver that are unknown or without effect.
    """
    prefix = solver.getOptionsPrefix() or ""
    if not _run.help and _run.solvers.get(prefix, Solver()).reached < Moment.SET_UP:
        _run.solvers[prefix] = Solver(Moment.SET_UP, _describe_kinds(solver))
        _raise_for_unread(Moment.SET_UP)


def finish() -> None:
    """To be called once, at the end of the run; later calls do nothing.

    Raises:
        OptionError: options that nothing in the run has read.
    """
    if _run.finished or not is_initialised():
        return
    _run.finished = True
    if not _run.help:
        _raise_for_unread(Moment.END, "the run is complete, but options had no effect:\n")
        return
    sys.stdout = _run.dropped_output or sys.stdout
    _show(own_help())
    _show("Nothing was solved. PETSc's general options, such as -log_view and -options_file FILE, are in its manual.")


def finish_without_check() -> None:
    """The run has failed: the end of the script is not reached and its options are not judged."""
    _run.finished = True


def own_help() -> str:
    """The declared options that were not listed yet, with defaults, units and bounds; by whom they are read."""
    titles = {"": "Options of the model:", "windlass": "Options of Windlass:"}
    groups: dict[str, list[str]] = {}
    for name, item in _run.own.items():
        prefix = next((prefix for prefix in _run.solvers if prefix and name.startswith(prefix)), "")
        group = "windlass" if name in _run.framework else prefix
        if name not in _run.listed:
            groups.setdefault(group, []).append(item.describe())
    _run.listed |= set(_run.own)
    order = sorted(groups, key=lambda group: (group != "", group == "windlass"))
    return "\n".join(
        "\n".join([titles.get(group, f"Windlass' options of the solver {group}:"), *groups[group]]) for group in order
    )


def _show(text: str) -> None:
    if text and _petsc().COMM_WORLD.getRank() == 0:
        print(text, flush=True)


def _raise_for_unread(moment: Moment, heading: str = "") -> None:
    lines = unread.check(moment, _run.solvers, _run.own)
    if lines:
        raise OptionError(heading + "\n".join(lines))


def _read_options(solver: Any, prefix: str) -> None:
    try:
        solver.setFromOptions()
    except _petsc().Error as error:
        # The last line says what is wrong, those before it where in PETSc.
        reason = str(error).splitlines()[-1].removeprefix("[0] ")
        raise OptionError(f"an option of the solver {prefix} has a wrong value: {reason}") from error


def _describe_kinds(solver: Any) -> str:
    snes = isinstance(solver, _petsc().SNES)
    ksp = solver.getKSP() if snes else solver
    pc = ksp.getPC()
    kinds = {"snes": solver.getType() if snes else None, "ksp": ksp.getType(), "pc": pc.getType()}
    package = pc.getFactorSolverType() if pc.getType() in ("lu", "cholesky", "ilu", "icc") else None
    return ", ".join(f"{what} {kind}" for what, kind in (kinds | {"package": package}).items() if kind)


def _set_up_twin(solver: Any) -> None:
    """Set up a linear solver of the same kinds for a 1 x 1 matrix: only then inner solvers and packages print help."""
    PETSc = _petsc()
    ksp = solver.getKSP() if isinstance(solver, PETSc.SNES) else solver
    matrix = PETSc.Mat().createAIJ((1, 1), nnz=1, comm=ksp.getComm())
    if matrix.getOwnershipRange() == (0, 1):
        matrix.setValue(0, 0, 1.0)
    matrix.assemble()
    twin = PETSc.KSP().create(ksp.getComm())
    twin.setOptionsPrefix(ksp.getOptionsPrefix())
    twin.setType(ksp.getType())
    twin.getPC().setType(ksp.getPC().getType())
    if package := ksp.getPC().getFactorSolverType():
        twin.getPC().setFactorSolverType(package)
    twin.setOperators(matrix)
    try:
        twin.setFromOptions()
        twin.setUp()
    except PETSc.Error:
        return  # a kind that needs a real matrix: its help stays as short as it is


def progress_wanted() -> bool:
    """Whether to show the progress of the run (-progress, -quiet)."""
    return not quiet() and bool(_own_value("progress"))


def quiet() -> bool:
    """Whether to print errors only (-quiet)."""
    return bool(_own_value("quiet"))


def partition_kind() -> str:
    """How the model is divided among processes (-partition)."""
    return str(_own_value("partition"))


def last_good_path() -> Path | None:
    """The file of -last_good for the last good state of a solve that fails; None if none is wanted."""
    return Path(text) if (text := str(_own_value("last_good"))) else None


def traceback_wanted() -> bool:
    """Whether errors show their place in the code (-traceback or WINDLASS_TRACEBACK=1)."""
    from_environment = os.environ.get("WINDLASS_TRACEBACK", "0").lower() in TRUE_WORDS
    return from_environment or (bool(_own_value("traceback")) if is_initialised() else "-traceback" in sys.argv)


def summary_path() -> Path | None:
    """The file of -summary, None when not given.

    Raises:
        OutputError: the file cannot be written there.
    """
    if not (text := str(_own_value("summary"))):
        return None
    path = Path(text)
    if path.is_dir() or not path.parent.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
        raise OutputError(f"-summary {text}: expected a file in a folder that exists and can be written")
    return path


def write_summary(values: Mapping[str, Any]) -> None:
    """Write results to the file of -summary, on the first rank; nothing without -summary and under -help.

    Args:
        values: results by name: numbers, words, None, NumPy arrays, and lists and dicts of them; numbers that are not
            finite become null.

    Raises:
        OutputError: the file cannot be written.
    """
    if not isinstance(values, Mapping):
        raise OptionError(f"values in write_summary is of type {type(values).__name__}: must be results by name")
    path = summary_path()
    if path is None or help_requested() or _petsc().COMM_WORLD.getRank() > 0:
        return
    try:
        path.write_text(json.dumps(_as_json(values), indent=2, allow_nan=False) + "\n")
    except OSError as error:
        raise OutputError(f"-summary {path}: {error.strerror}") from error


def _as_json(value: Any) -> Any:
    import numpy as np

    if isinstance(value, Mapping):
        return {str(key): _as_json(part) for key, part in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return _as_json(value.tolist())
    if isinstance(value, list | tuple):
        return [_as_json(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _own_value(name: str) -> int | float | bool | str:
    database = _petsc().Options()
    item = _run.own[name]
    return item.parse(database.getString(name)) if database.hasName(name) else item.default


def _petsc() -> Any:
    """PETSc, with its command line."""
    if not is_initialised():
        importlib.import_module("windlass.framework.petsc")
    return importlib.import_module("petsc4py.PETSc")
