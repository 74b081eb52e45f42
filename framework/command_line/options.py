"""Command-line options that a model declares.

A model declares its options before it creates the first solver. On the command line, options of the model and of PETSc
can be in any order.

    elements = wl.option("elements", 60, "1", "number of cable elements", minimum=1)

Code that creates a solver (with a fixed options prefix such as `dynamic_`) must make the following calls:

1. Declare the solver's own options with `option("dynamic_...", ...)`, and set defaults on the PETSc objects.
2. Call `set_from_options(snes)` instead of `snes.setFromOptions()`. The function raises an error for misspelt options,
and prints the help if -help is given.
3. If `help_requested()` is true, return without solving. With -help, the model runs only to find its solvers. If -help
is given, no files are written, output of the rest of the script is suppressed, and an error in the script ends the run
without a message.
4. After the first set-up of the linear solver, call `after_set_up(snes)`.

If a solver is created after the first solve, and its prefix is not in `SOLVER_PREFIXES`, call `expect_solver(prefix)`
before the first solve. At the end of the script, `windlass run` or (under `python`) an exit handler calls `finish()`,
which finds unused options. All calls are collective.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TextIO, TypeVar

from windlass.framework.checks.values import show
from windlass.framework.command_line import checkpoint_options, summary_file, unused_options
from windlass.framework.command_line.help_text import describe_as_json, describe_options
from windlass.framework.command_line.option_files import environment_options, insert_files, petsc_files, start_with
from windlass.framework.command_line.petsc_solvers import describe_kinds, set_up_twin
from windlass.framework.command_line.petsc_values import check_ranges, find_refused, petsc_reason
from windlass.framework.command_line.unused_options import Moment, Solver
from windlass.framework.command_line.viewers import check_viewers
from windlass.framework.errors import OptionError, OutputError, WindlassError
from windlass.framework.files import lock
from windlass.framework.files.outputs import check_output, claim_options
from windlass.framework.files.whole_files import check_place
from windlass.framework.launch import error_report, script_end
from windlass.framework.launch.arguments import (
    HELP_NAMES,
    HELP_TOPICS,
    TRUE_WORDS,
    Option,
    model_arguments,
    option_table,
    refuse_twice,
    split_arguments,
    split_options,
)

Value = TypeVar("Value", bound=int | float | bool | str)
OUTPUTS = {
    "summary": "summary",
    "statistics": "statistics",
    "final_state": "state file",
    "report": "report",
    "last_good": "state file",
}
"""Types of the files that the run writes, by the name of the option that gives the file name."""
AT_START = re.compile(r"help|h|checkpoint\w*|restart|report|summary|traceback", re.IGNORECASE)
"""Regular expression for the names of options that take effect only when a program starts or ends."""
FLAGS = option_table(
    Option("traceback", False, "", "show where in the code an error was raised"),
    Option("progress", True, "", "show the progress of the run"),
    Option("quiet", False, "", "print errors only"),
)
"""Options of all models whose values are true or false."""
PAGES = (".html", ".htm")
LARGEST = 1e150
"""Largest magnitude of numbers of parameters."""
# ``initial_`` is the prefix of the solver for initial accelerations
SOLVER_PREFIXES = ("static_", "dynamic_", "explicit_", "initial_")


@dataclass
class _ProcessOptions:
    """The options of this process. The object is global, because PETSc has one database of options per process."""

    words: list[str] | None = None
    arguments: list[str] = field(default_factory=list)
    folder: Path = Path()
    help: bool = False
    topics: set[str | None] = field(default_factory=set)
    values_checked: bool = False
    finished: bool = False
    own: dict[str, Option] = field(default_factory=dict)
    framework: set[str] = field(default_factory=set)
    listed: set[str] = field(default_factory=set)
    dropped_output: TextIO | None = None
    solvers: dict[str, Solver] = field(default_factory=lambda: {prefix: Solver() for prefix in SOLVER_PREFIXES})
    # for each option, by name: the value that `set_options` has chosen, and the value on the command line (None if the
    # command line does not contain the option)
    chosen: dict[str, tuple[str, str | None]] = field(default_factory=dict)


_run = _ProcessOptions()


def is_initialised() -> bool:
    """Return whether PETSc has received its command line."""
    return _run.words is not None


def initialise(words: Sequence[str], model: bool = True) -> None:
    """Check the syntax of a command line, and initialise PETSc with this command line. Later calls only add options.

    Args:
        words: words of the command line after the name of the model script.
        model: whether a model script runs. If ``model`` is false (tests, notebooks), files are written only if an
            option requests them.

    Raises:
        OptionError: an option is given as `--x` or `-x=3`, a word does not belong to an option, an options file does
            not exist, an option of Windlass or the value of a viewer (see viewers.py) is wrong, or the working folder
            does not exist.
        OutputError: the file of an option, such as -summary or -checkpoint, cannot be written or is also named by
            another option, or the file of -restart does not exist.
    """
    if _run.words == list(words):
        return
    try:
        _run.folder = Path.cwd()
    except OSError as error:
        raise OptionError(
            f"the working folder cannot be found ({error.strerror}): must be a folder that exists"
        ) from None
    options, _run.arguments = split_arguments(words)
    pairs = insert_files(environment_options()) + insert_files(refuse_twice(split_options(options, FLAGS)))
    for name, value in pairs:
        if name.lower() in HELP_NAMES:
            if value not in (None, *HELP_TOPICS):
                raise OptionError(f"-{name} = {value}: expected no value, or {' or '.join(HELP_TOPICS)}")
            _run.help, _run.topics = True, _run.topics | {value}
    check_viewers(pairs, _run.folder)
    # PETSc prints its general help when it is initialised
    pairs = [(name, value) for name, value in pairs if name.lower() not in HELP_NAMES]
    loaded = "petsc4py.PETSc" in sys.modules
    if not loaded:
        start_with(pairs)
    from petsc4py import PETSc  # imported here, because the import initialises PETSc with the present options

    _run.words = list(words)
    database = PETSc.Options()
    if loaded:
        for name, value in pairs:
            database.setValue(name, value or "")
    _restore_signals(for_pager=_run.help and not loaded)
    _declare_framework_options(model)
    check_ranges(database.getAll(), SOLVER_PREFIXES)
    reads_files = loaded or any(name.lower() == "skip_petscrc" for name, _ in pairs)
    for file in petsc_files() if model and not reads_files else ():
        _note(f"{file} is ignored; use -options_file {file} to read it")


def start() -> None:
    """Initialise PETSc with the command line of this process, unless `windlass run` has already initialised PETSc."""
    if is_initialised():
        return
    words = model_arguments()
    if words is not None:
        script_end.install()
    initialise(words or [], model=words is not None)


def _restore_signals(for_pager: bool) -> None:
    """Restore Python's handlers for signals that do not indicate an error of the program.

    PETSc reports these signals as crashes, although the signals also occur when a job ends or when a pager closes the
    pipe. Moreover, PETSc's handler runs Python code, which needs the global interpreter lock. If a pipe were closed
    while the process does not hold this lock, PETSc's handler would crash the process.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
        handler = signal.getsignal(number)  # ``getsignal`` returns None if the handler was not installed from Python
        if handler is not None:
            signal.signal(number, handler)
    if for_pager:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    lock.end_cleanly()


def arguments() -> list[str]:
    """Return the words of the command line after ``--``, which are arguments of the model and not options."""
    start()
    return list(_run.arguments)


def _declare_framework_options(model: bool) -> None:
    before = set(_run.own)
    for item in FLAGS.values():
        option(item.name, item.default, item.unit, item.doc)
    option("summary", "", "", "write the results to this JSON file")
    option("statistics", "", "", "write counts, times and memory of all solves to this JSON file")
    option("final_state", "", "", "write the state at the end of each solve to this file")
    option("report", "", "", "write a report of the run to this HTML file")
    option("last_good", "last_good_state.npz" if model else "", "", "file for the last good state when a solve fails")
    option("partition", "auto", "", "distribution of the model over processes", choices=("auto", "rows", "graph"))
    option("verdict", "warn", "", "treatment of doubtful results", choices=("fail", "warn", "off"))
    option("threads", 1, "1", "threads of each process for the kernels of large tables", minimum=1)
    checkpoint_options.declare(option)
    _run.framework |= set(_run.own) - before
    _claim_outputs()


def _claim_outputs() -> None:
    """Check before the run that all output files of options can be written, and that no two options name one file."""
    given = {name: output_path(name) for name in OUTPUTS if _petsc().Options().hasName(name)}
    files = {name: path for name, path in given.items() if path is not None}
    for name, path in files.items():
        check_output(check_place(path, f"-{name}"), f"-{name}", OUTPUTS[name])
        if name == "report" and path.suffix.lower() not in PAGES:
            raise OutputError(
                f"-report {path.name}: must be a file {' or '.join(PAGES)}, because the report is an HTML page"
            )
    claim_options([(f"-{name}", path) for name, path in files.items()])


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
    """Declare an option of the model and return its value from the command line, or the default.

    Args:
        name: letters, digits and underscores. `elements` is given as `-elements 240`.
        default: value if the option is not given. The type of this value (int, float, bool or str) is the type of the
            option.
        unit: unit of the value, `1` for pure numbers, empty for words and flags.
        doc: short description of the option, printed by -help.
        minimum: smallest allowed number, in `unit`.
        maximum: largest allowed number, in `unit`.
        choices: allowed words, for a str.

    Raises:
        OptionError: the value has a wrong type or is out of range, or the name contains characters that are not
            allowed, is the name of a PETSc option, or was already declared with other arguments.
    """
    words = tuple(choices) if choices else None
    value: Value = _declare(Option(_checked_name(name), default, unit, doc, minimum, maximum, words))
    return value


def parameter(
    name: str,
    default: float,
    unit: str,
    doc: str = "",
    *,
    minimum: float,
    maximum: float,
    scale: str = "linear",
) -> float:
    """Declare a parameter of the model. A parameter is an option that `windlass optimise` and `windlass identify` vary
    within its range, unless the command line contains a value of the option. `windlass sweep` varies parameters with
    ``-points`` or ``-samples``.

        preload = wl.parameter("preload", 400.0, "N", "tension at rest", minimum=100.0, maximum=1000.0)

    Args:
        name, unit, doc: name, unit and short description of the parameter, by the rules of `option`.
        default: value if the option is not given, and initial value of a search.
        minimum, maximum: ends of the range, in ``unit``.
        scale: ``"linear"``, or ``"log"`` to vary the logarithm of the parameter.

    Returns:
        The value from the command line, or the default.

    Raises:
        OptionError: a number is not finite, the range is empty, the default or the value is outside of the range, or
            the range of a logarithmic scale contains numbers <= 0. Further errors are described in `option`.
    """
    # the constructor of `Option` checks the texts
    unit = Option(_checked_name(name), 0.0, unit, doc).unit
    unit_words = f" {unit}" if unit not in ("", "1") else ""
    for key, value in (("default", default), ("minimum", minimum), ("maximum", maximum)):
        if isinstance(value, bool) or not isinstance(value, int | float) or not -LARGEST < value < LARGEST:
            raise OptionError(f"{key} = {show(value)} of parameter {name}: must be a finite number [{unit}]")
    where = f"of parameter {name}"
    if not isinstance(scale, str) or scale not in ("linear", "log"):
        raise OptionError(f"scale = {show(scale)} {where}: must be linear or log")
    if not minimum < maximum:
        raise OptionError(
            f"minimum = {minimum:g}{unit_words} {where}: must be less than maximum = {maximum:g}{unit_words}"
        )
    if scale == "log" and minimum <= 0.0:
        raise OptionError(f"minimum = {minimum:g}{unit_words} {where}: must be > 0 for a logarithmic scale")
    if not minimum <= default <= maximum:
        raise OptionError(
            f"default = {default:g}{unit_words} {where}: must be >= {minimum:g} and <= {maximum:g}{unit_words}"
        )
    found: float = _declare(Option(name, float(default), unit, doc, float(minimum), float(maximum), None, scale))
    return found


def _checked_name(name: str) -> str:
    """Return the name of an option. Raise OptionError if the name has characters that are not allowed."""
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
        given = repr(name) if isinstance(name, str) else f"of type {type(name).__name__}"
        raise OptionError(f"option name {given}: expected letters, digits and underscores")
    return name


def _declare(item: Option) -> Any:
    """Add an option to the options of this process. Return the value of the option from the command line, or the
    default.
    """
    name, default, database = item.name, item.default, _petsc().Options()
    if name.lower() in HELP_NAMES or (
        re.fullmatch(unused_options.GLOBAL, name) and name.lower() in unused_options.petsc_names()
    ):
        raise OptionError(f"option name {name!r}: PETSc already has an option with this name")
    known = _run.own.setdefault(name, item)
    # two successive solvers of one type may declare this option with different defaults
    if name.startswith(tuple(prefix for prefix in _run.solvers if prefix)):
        known = replace(known, default=default)
    if known != item:
        raise OptionError(f"option name {name!r}: already declared with other properties")
    item.parse(str(default) or " ")
    return item.parse(database.getString(name)) if database.hasName(name) else default


class ChosenOptions:
    """Result of `set_options`: a context manager that restores the options of the previous call of `set_options` at the
    end of its ``with`` block.
    """

    def __init__(self, before: Mapping[str, str]) -> None:
        self._before = before

    def __enter__(self) -> ChosenOptions:
        return self

    def __exit__(self, *_: object) -> None:
        _choose(self._before)


def set_options(*words: str) -> ChosenOptions:
    """Choose options within a program, for example in a notebook, for all solvers that are created afterwards.

    ``wl.set_options("-dynamic_snes_monitor -dynamic_step 1e-4")`` chooses two options. ``wl.set_options()`` removes all
    options that were chosen by this function. After this call, only the options of the command line are valid. In
    ``with wl.set_options("-quiet"):`` the options are valid until the end of the block.

    Each call replaces the options that the previous call has chosen. An option of the command line remains valid unless
    a chosen option has its name. The call is collective.

    Args:
        *words: options in the form of the command line. One string may contain several options.

    Returns:
        A context manager that restores the previous options at the end of its block.

    Raises:
        OptionError: an option is unknown (the message suggests similar options), has a wrong value, or takes effect
            only at program start. No option is changed.
        OutputError: a file cannot be written.
    """
    start()
    if not all(isinstance(word, str) for word in words):
        raise OptionError(f"words of set_options = {show(words)}: must be texts such as '-dynamic_step 1e-4'")
    known = {name.lower(): item for name, item in _run.own.items()}
    given_words = [word for text in words for word in shlex.split(text)]
    pairs = insert_files(refuse_twice(split_options(given_words, known)))
    for name, _ in pairs:
        if AT_START.fullmatch(name) or (
            re.fullmatch(unused_options.GLOBAL, name) and name.lower() in unused_options.petsc_names()
        ):
            raise OptionError(
                f"-{name} in set_options: takes effect only at program start: must be on the command line"
            )
    check_viewers(pairs, _run.folder)
    before = {name: value for name, (value, _) in _run.chosen.items()}
    given = {name: value or "" for name, value in pairs}
    try:
        _choose(given)
        _check_chosen(given)
    except WindlassError:
        _choose(before)
        raise
    return ChosenOptions(before)


@contextmanager
def quietly() -> Iterator[None]:
    """Context manager: within its block, only errors are printed, as if -quiet were given. Without this context, a
    program that solves several models prints the same notes for each model.
    """
    start()
    before = {name: value for name, (value, _) in _run.chosen.items()}
    _choose({**before, "quiet": "true"})
    try:
        yield
    finally:
        _choose(before)


def _choose(given: Mapping[str, str]) -> None:
    """Replace the previously chosen options in PETSc's database of options by new options."""
    database = _petsc().Options()
    for name, (_, original) in _run.chosen.items():
        database.delValue(name)
        if original is not None:
            _set_value(name, original)
    _run.chosen = {}
    for name, value in given.items():
        original = database.getString(name) if database.hasName(name) else None
        _run.chosen[name] = (value, original)
        _set_value(name, value)
    for prefix, solver in _run.solvers.items():
        # existing solvers do not read the new options, but solvers that are created later do
        if prefix and any(name.lower().startswith(prefix) for name in given):
            _run.solvers[prefix] = replace(solver, reached=Moment.EXPECTED)
    _claim_outputs()


def _set_value(name: str, value: str) -> None:
    """Set an option in PETSc's database of options. An option that Windlass declares is also marked as used."""
    database = _petsc().Options()
    database.setValue(name, value)
    if name.lower() in _run.framework:
        database.getString(name)


def _check_chosen(given: Mapping[str, str]) -> None:
    """Raise OptionError if a chosen option has an unknown name or a wrong value."""
    announced = {prefix + item.name for prefix, solver in _run.solvers.items() for item in solver.own or ()}
    lines = unused_options.find_unknown(_run.solvers, announced | set(_run.own))
    known = {name.lower() for name in _run.own}
    unread = {name for name in given if name.lower() not in known}
    mine = [line for line in lines if line.split()[0].strip("-:") in unread]
    if mine:
        raise OptionError("\n".join(mine))
    for name, item in _run.own.items():
        for text in (text for other, text in given.items() if other.lower() == name.lower()):
            item.parse(text)
    prefixes = [prefix for prefix in _run.solvers if prefix]
    check_ranges(given, tuple(prefixes))
    for prefix in prefixes:
        _run.solvers[prefix].check_own(prefix, given)
        refused = find_refused(given, prefix)
        if refused:
            name, reason = refused
            raise OptionError(f"-{prefix}{name} {given[prefix + name]}: PETSc refuses this value: {reason}")


def help_requested() -> bool:
    """Return whether -help was given. If -help was given, the run only lists options, and solvers return without
    solving.
    """
    return _run.help


def restart_requested() -> bool:
    """Return whether -restart was given."""
    return is_initialised() and bool(own_value("restart"))


def is_dry_run() -> bool:
    """Return whether -help was given and the options of a solver were printed. In this case the rest of the script
    writes no files and prints nothing.
    """
    return _run.dropped_output is not None


def expect_solver(prefix: str, own: Sequence[Option] | None = None) -> None:
    """Declare that the model may later create a solver with the given options prefix, so that options of this solver
    are not reported as unused.

    Args:
        prefix: options prefix of the solver.
        own: all options that the solver declares, by their names without prefix. If ``own`` is given, wrong options are
            found before the first solve.
    """
    _run.solvers.setdefault(prefix, Solver()).own = None if own is None else tuple(own)
    for item in own or ():
        # the set of allowed words may have grown after the solver declared the option
        if (declared := _run.own.get(prefix + item.name)) is not None:
            _run.own[declared.name] = replace(declared, choices=item.choices)


def set_from_options(solver: Any) -> None:
    """Call `solver.setFromOptions()` of a PETSc SNES or KSP.

    Raises:
        OptionError: an option is unknown (the message suggests similar options) or has no effect, or PETSc raises an
            error for the value of an option.
    """
    prefix = solver.getOptionsPrefix() or ""
    _run.solvers[prefix] = Solver(Moment.OPTIONS_SET, describe_kinds(solver))
    if not _run.help:
        check_values(prefix)
        _read_options(solver, prefix)
        _run.solvers[prefix].kinds = describe_kinds(solver)
        _raise_for_unused(Moment.OPTIONS_SET)
        return
    sys.stdout = _run.dropped_output or sys.stdout
    _show(own_help())
    if "petsc" in _run.topics:
        _show(f"PETSc's options of the solver {prefix}:" if prefix else "PETSc's options of the solver:")
        database = _petsc().Options()
        database.setValue("help", "")
        _read_options(solver, prefix)
        set_up_twin(solver)
        database.delValue("help")
    _run.dropped_output = sys.stdout
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115 (open until the process ends)


def check_values(prefix: str = "") -> None:
    """Check the options of all solvers before the first solve, including the solvers that the model creates later.

    Raises:
        OptionError: an option of the solver with this prefix has a wrong value, or, before the first solve, an option
            of any other known solver has a wrong value.
    """
    given = _petsc().Options().getAll()
    prefixes = [known for known in _run.solvers if known and (known == prefix or not _run.values_checked)]
    _run.values_checked = True
    check_ranges(given, tuple(prefixes))
    for known in prefixes:
        _run.solvers[known].check_own(known, given)
        refused = find_refused(given, known)
        if refused:
            name, reason = refused
            raise OptionError(f"-{known}{name} {given[known + name]}: PETSc refuses this value: {reason}")


def after_set_up(solver: Any) -> None:
    """Check the options of a KSP, or of the linear solver of a SNES, after its first set-up.

    Raises:
        OptionError: an option for the linear solver is unknown or has no effect.
    """
    prefix = solver.getOptionsPrefix() or ""
    if not _run.help and _run.solvers.get(prefix, Solver()).reached < Moment.SET_UP:
        _run.solvers[prefix] = Solver(Moment.SET_UP, describe_kinds(solver))
        _raise_for_unused(Moment.SET_UP)


def finish() -> None:
    """Check all options at the end of the run. Later calls have no effect.

    Raises:
        OptionError: an option was never read during the run.
    """
    if _run.finished or not is_initialised():
        return
    _run.finished = True
    if not _run.help:
        _raise_for_unused(Moment.END, "the run is complete, but options had no effect:\n")
        if not summary_file.is_written():
            summary_file.write(output_path("summary"), {}, process_rank() == 0)
        return
    sys.stdout = _run.dropped_output or sys.stdout
    if "json" in _run.topics:
        unknown = unused_options.find_unknown(_run.solvers, _run.own)
        return _show(describe_as_json(_run.own, _run.framework, _run.solvers, unknown))
    _show(own_help())
    more = "" if "petsc" in _run.topics else " -help petsc also lists options of PETSc's solvers."
    _show(f"Nothing was solved.{more} PETSc's general options, such as -log_view, are in its manual.")


def finish_without_check() -> None:
    """Mark the run as failed. Unused options of a failed run are not errors, because the script did not reach
    its end.
    """
    _run.finished = True


def model_options() -> list[tuple[Option, int | float | bool | str]]:
    """Return the options that the model has declared, with their values."""
    solvers = tuple(prefix for prefix in _run.solvers if prefix)
    names = [name for name in _run.own if name not in _run.framework and not name.startswith(solvers)]
    return [(_run.own[name], own_value(name)) for name in names]


def own_help() -> str:
    """Return the help text of declared options that no earlier call has returned. The text contains defaults, units and
    bounds, and is grouped by solver.
    """
    new = {name: item for name, item in _run.own.items() if name not in _run.listed}
    _run.listed |= set(_run.own)
    return describe_options(new, _run.framework, _run.solvers)


def process_rank() -> int:
    """Return the rank of this process among the processes of PETSc."""
    return int(_petsc().COMM_WORLD.getRank())


def _show(text: str) -> None:
    if text and process_rank() == 0:
        print(text, flush=True)


def _note(text: str) -> None:
    if not quiet() and process_rank() == 0:
        print(f"note: {text}", file=sys.stderr, flush=True)


def _raise_for_unused(moment: Moment, heading: str = "") -> None:
    lines = unused_options.check(moment, _run.solvers, _run.own)
    if lines:
        raise OptionError(heading + "\n".join(lines))


def _read_options(solver: Any, prefix: str) -> None:
    try:
        solver.setFromOptions()
    except _petsc().Error as error:
        raise OptionError(f"an option of the solver {prefix} has a wrong value: {petsc_reason(error)}") from error


def progress_wanted() -> bool:
    """Return whether the progress of the run is shown, as the options -progress and -quiet determine."""
    return not quiet() and bool(own_value("progress"))


def quiet() -> bool:
    """Return whether only errors are printed (-quiet)."""
    return bool(own_value("quiet"))


def thread_count() -> int:
    """Return the number of threads of each process for the kernels of large tables (-threads)."""
    return int(own_value("threads"))


def verdict_kind() -> str:
    """Return how the run reports doubtful results (-verdict): ``"fail"`` as errors, ``"warn"`` as warnings, ``"off"``
    not at all.
    """
    return str(own_value("verdict"))


def last_good_path() -> Path | None:
    """Return the file for the last good state of a failed solve (-last_good), or None if the value of the option is
    empty.
    """
    return output_path("last_good")


def output_path(name: str) -> Path | None:
    """Return the path of the file that an option names, or None if the value of the option is empty. Relative names
    refer to the initial working folder of the run.
    """
    text = str(own_value(name))
    if not text:
        return None
    try:
        return Path(text) if Path.cwd() == _run.folder else _run.folder / text
    except OSError:
        # Python raises this error if the working folder was removed
        return _run.folder / text


def traceback_wanted() -> bool:
    """Return whether errors are printed with a traceback (-traceback or WINDLASS_TRACEBACK=1)."""
    if os.environ.get("WINDLASS_TRACEBACK", "0").lower() in TRUE_WORDS:
        return True
    if "traceback" not in _run.own:
        return "-traceback" in sys.argv
    try:
        return bool(own_value("traceback"))
    except OptionError:
        return False


def own_value(name: str) -> int | float | bool | str:
    """Return the value of an option that Windlass has declared."""
    database = _petsc().Options()
    item = _run.own[name]
    return item.parse(database.getString(name)) if database.hasName(name) else item.default


def _petsc() -> Any:
    """Return the module PETSc after PETSc was initialised with the command line."""
    start()
    from petsc4py import PETSc  # imported here, because the import initialises PETSc with the present options

    return PETSc


lock.be_quiet_if(quiet)
error_report.watch(sys.modules[__name__])
