"""Every public function and constructor is called with every wrong value of every argument. Each call must raise an
error in the usual form.

A new public function needs one line in `calls` of calls.py with a valid call.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import windlass as wl
import windlass.connectors as con
import windlass.elements as el
from windlass.framework.command_line import options
from windlass.framework.command_line.unused_options import Solver
from windlass.framework.errors import WindlassError
from windlass.framework.launch.arguments import Option
from windlass.framework.model.law import Family
from windlass.framework.model.schema import Component
from windlass.framework.restart.solve_checkpoint import SolveCheckpoint
from windlass.framework.runtime.petsc import PETSc
from windlass.solvers.own_options import TABLES

from hostile.calls import Call, calls
from hostile.models import snapshot
from hostile.scene import Scene, create_scene
from hostile.values import FOR_NUMBERS, FOR_WHOLE, FOR_YES_NO, NONSENSE

RESULTS = (
    con.BeltCreep, con.Break, con.Contacts, con.FreeBelt, con.PulleyReport, con.SurfaceForces, con.SurfaceReport,
    con.Floater, con.Hydrodynamics, con.LaidLine, con.Vessel, con.VesselMotion,
    el.CableMesh,
    el.FreeCatenary, el.GroundedCatenary, el.Route, el.SpatialRoute, el.SplineRoute, el.Superelement, wl.Campbell,
    wl.DriveMeans, wl.DriveReport, wl.MeanGradient, wl.ModeDerivatives, wl.ModesResult, wl.MotionDerivatives,
    wl.MotionGradient, wl.PulleyDuty, wl.SpanDuty, wl.SteadyDrive, wl.SteadyPulley, wl.SteadySpan, wl.Verdict,
)  # fmt: skip
"""Types that functions return and users do not construct."""
NOT_CALLED = (
    wl.StepHook, wl.IdleSteps, wl.arguments, wl.help_requested, wl.is_first_process, wl.Entity, wl.set_options, wl.show,
    con.FMUController,
)  # fmt: skip
"""Names that the tests skip. The named objects take no arguments, are created only by `World.add`, are checked by a
solver, take the words of a command line, or need a screen or an optional package.
"""
METHODS: dict[type, tuple[str, ...]] = {
    con.BedGrid: ("eval_heights", "eval_profile"),
    con.Hydrodynamics: ("fit_radiation",),
    wl.Part: ("equal",),
    wl.World: ("add", "load", "save", "set"),
    wl.State: ("of", "put", "save", "load", "assign", "local_dofs", "vector"),
    wl.Static: ("solve", "load_factor"),
    wl.Dynamic: ("solve", "march"),
    wl.Explicit: ("solve", "march"),
    wl.Belt: ("draw", "steady"),
    wl.Modes: ("solve",),
    wl.ModesResult: ("of", "energy_share", "amplitudes", "write_csv", "animate", "show"),
    wl.Recorder: ("record",),
    wl.Sensors: ("record", "plot"),
    wl.FMUInterface: ("input", "output", "solve"),
    wl.EnergyLedger: ("losses", "draw"),
    el.Route: ("eval_points",),
    el.Superelement: ("add_to",),
}
"""Methods that users call with arguments."""
TAKEN: dict[tuple[str, str], tuple[tuple[str, ...], str]] = {
    ("*", "columns"): (tuple(NONSENSE), "columns are tested with their components"),
    ("write_summary", "values"): (("dictionary",), "a summary"),
    ("option", "default"): (
        ("empty string", "word", "false", "no", "number as text", "nan as text", "nan", "NumPy nan", "inf", "-inf"),
        "words are defaults, and the option is declared already, with a whole number",
    ),
    ("parameter", "doc"): (("empty string", "word", "false", "no", "number as text", "nan as text"), "any words"),
    ("option", "doc"): (("empty string", "word", "false", "no", "number as text", "nan as text"), "any words"),
    ("belt_creep", "contact_stiffness_per_length"): (("inf",), "a rigid rim"),
    ("belt_creep", "friction_stiffness_per_length"): (("inf",), "rigid bristles"),
    ("Route.eval_points", "s"): (("empty array",), "no points"),
    ("Part", "numbers"): (("empty array",), "no rows; refused here, as the part is everywhere"),
    ("nodes_along", "numbers"): (("empty array",), "no nodes"),
    ("ReportSection", "parts"): (("words", "array of words"), "paragraphs"),
}
"""Values that an argument accepts although they look wrong, with the reason."""


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    return create_scene(tmp_path_factory.mktemp("hostile"))


def public_names() -> dict[str, Any]:
    """Return all public functions and classes that are called with arguments, and the methods above."""
    names: dict[str, Any] = {}
    for module, listed in ((wl, wl.__all__), (con, con.__all__), (el, el.__all__)):
        for name in listed:
            item = getattr(module, name)
            error = inspect.isclass(item) and issubclass(item, Exception | Component)
            # objects of the class `Family`, which only refer to a name, are not called either
            error |= isinstance(item, Family)
            if not (error or item in RESULTS or item in NOT_CALLED):
                names[name] = item
    names |= {f"{kind.__name__}.{method}": getattr(kind, method) for kind, list_ in METHODS.items() for method in list_}
    return names


def wrong_arguments(name: str, what: str, annotation: str, default: Any) -> Iterator[tuple[str, Any]]:
    """Return values that an argument must refuse. The values follow from its annotation alone."""
    taken = TAKEN.get((name, what), ((), ""))[0]
    words = annotation.replace("'", "")
    values: dict[str, Any] = dict(NONSENSE)
    if any(kind in words for kind in ("float", "int", "FloatArray", "IntArray")) and "bool" not in words:
        values |= FOR_NUMBERS
    if words.startswith("int"):
        values |= FOR_WHOLE
    if words == "bool":
        values |= FOR_YES_NO
    may_be = {
        "None": "None" in words,
        "function": any(kind in words for kind in ("Callable", "UserFunction", "TimeValue")),
        "class": any(kind in words for kind in ("Callable", "UserFunction", "TimeValue")),
    }
    texts = ("empty string", "word", "false", "no", "number as text", "nan as text")
    if "str" in words:
        may_be |= dict.fromkeys(texts, True)
    if "Sequence" in words or "Iterable" in words:
        may_be |= dict.fromkeys(("empty list", "empty tuple", "empty range", "empty array", "generator"), True)
        if "str" in words:
            may_be |= dict.fromkeys(("words", "array of words"), True)
    if "Mapping" in words:
        may_be["dictionary"] = True
    yield from ((label, value) for label, value in values.items() if label not in taken and not may_be.get(label))


def parameters_of(function: Callable[..., Any]) -> Iterator[inspect.Parameter]:
    """Return parameters of a function, without ``self`` and ``**kwargs``."""
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name != "self" and parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            yield parameter


def test_every_public_name_has_a_valid_call(scene: Scene) -> None:
    known = calls(scene)
    assert sorted(set(public_names()) - set(known)) == []
    for name, (function, given) in known.items():
        function(**given)
        missing = {p.name for p in parameters_of(public_names()[name])} - set(given)
        assert missing <= {"storage", "minimum", "maximum", "choices"}, name


def attack(name: str, item: Any, call: Call, s: Scene) -> list[str]:
    """Call a function with every wrong value of every argument."""
    function, given = call
    found = []
    for parameter in parameters_of(item):
        if parameter.name not in given:
            continue
        annotation = str(parameter.annotation)
        for label, value in wrong_arguments(name, parameter.name, annotation, parameter.default):
            what, before = f"{name}({parameter.name} = {label})", snapshot(s.open)
            try:
                function(**{**given, parameter.name: value})
            except WindlassError as error:
                words = str(error)
                if (
                    not any(w in words for w in ("must", "expected", "needs", "belongs to", "has no"))
                    or len(words) > 800
                ):
                    found.append(f"{what}: unclear: {words[:120]}")
            except BaseException as error:
                found.append(f"{what}: {type(error).__name__}: {str(error)[:100]}")
            else:
                found.append(f"{what}: accepted")
            if snapshot(s.open) != before:
                found.append(f"{what}: leaves rows behind")
    return found


@pytest.mark.parametrize("name", sorted(public_names()))
def test_arguments(name: str, scene: Scene) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = attack(name, public_names()[name], calls(scene)[name], scene)
    assert not found, f"{len(found)} wrong arguments:\n" + "\n".join(found)


WRONG_WORDS: dict[type, tuple[str, ...]] = {
    bool: ("maybe", "2", "nan", "-1", "none", "tru"),
    int: ("", "nan", "inf", "1.5", "abc", "1e400", "0x10", "1,2", "true"),
    float: ("", "nan", "inf", "-inf", "abc", "1e400", "1,2", "true"),
    str: ("",),
}
"""Words on the command line that an option of a type must refuse."""


def wrong_words(item: Option) -> Iterator[str]:
    """Return words that an option must refuse. The words follow from its type and range alone."""
    # defaults of solvers that other tests have created may be numbers of NumPy
    yield from WRONG_WORDS[float if isinstance(item.default, float) else type(item.default)]
    if item.minimum is not None:
        yield f"{item.minimum - 1:g}"
    if item.maximum is not None:
        yield f"{item.maximum + 1:g}"
    if item.choices:
        yield "no such choice"


def test_options_of_later_solvers(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every option of every solver is set to every wrong word, and the first solve of a model must report an error."""
    # the checked tables contain all options that solvers declare
    calls(scene)
    for prefix, table in TABLES.items():
        assert {name.removeprefix(prefix) for name in options._run.own if name.startswith(prefix)} <= set(table)
    database, found, count = PETSc.Options(), [], 0
    first = {"static_": wl.Explicit(scene.space, step=1e-4, end=1e-4), "dynamic_": wl.Static(scene.world)}
    for prefix, name in ((prefix, name) for prefix, table in TABLES.items() for name in table):
        solver, item = first.get(prefix, first["dynamic_"]), TABLES[prefix][name]
        start = scene.space_state if isinstance(solver, wl.Explicit) else scene.state
        for word in wrong_words(item):
            # restore the state of a process without an earlier solve
            monkeypatch.setitem(options._run.solvers, prefix, Solver(own=tuple(TABLES[prefix].values())))
            monkeypatch.setattr(options._run, "values_checked", False)
            monkeypatch.setattr(SolveCheckpoint, "restore", fail_to_begin)
            database.setValue(prefix + name, word)
            count += 1
            try:
                solver.solve(start)
            except wl.OptionError as error:
                if f"-{prefix}{name}" not in str(error) or "expected" not in str(error):
                    found.append(f"-{prefix}{name} '{word}': unclear: {error}")
            except AssertionError:
                found.append(f"-{prefix}{name} '{word}': the solve of {solver.prefix} begins")
            finally:
                database.delValue(prefix + name)
    assert count > 150 and not found, "\n".join(found)


def fail_to_begin(*_: Any) -> bool:
    """Raise an error at the start of every solve, before its first step."""
    raise AssertionError


def test_options(scene: Scene) -> None:
    """Every option that Windlass and its solvers have declared refuses every wrong word."""
    calls(scene)
    found, count = [], 0
    for name, item in options._run.own.items():
        for word in wrong_words(item):
            count += 1
            try:
                found.append(f"-{name} '{word}': gave {item.parse(word)!r}")
            except wl.OptionError as error:
                if f"-{name}" not in str(error) or "expected" not in str(error):
                    found.append(f"-{name} '{word}': unclear: {error}")
    assert count > 100 and not found, "\n".join(found)
