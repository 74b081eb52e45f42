"""Description of a model of Exudyn as a dictionary or as a JSON file. Windlass can read the file without Exudyn.

    windlass-export-exudyn MODEL.py [-output FILE.json] [-solve N]
    python export.py MODEL.py ... is equivalent; export.py requires only Exudyn and NumPy, and can be copied

The script runs until its N-th call of a solver (default 1). Instead of the N-th solve, the file is written and the
script ends. The file contains the dictionaries of all nodes, objects, markers, loads and sensors without graphics. In
addition, the file contains the initial values and the settings of the solver. The file contains the names of user
functions, but not their code.
"""

from __future__ import annotations

import json
import os
import runpy
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

FORMAT, VERSION = "exudyn system", 1
USAGE = "usage: windlass-export-exudyn MODEL.py [-output FILE.json] [-solve N]"
SYSTEM_FUNCTIONS = ("PreStep", "PostStep", "PostNewton", "PreNewtonResidual", "SystemJacobian")
"""Names of the user functions of a MainSystem."""
MAIN_SOLVERS = {"Static": "static", "ImplicitSecondOrder": "dynamic", "Explicit": "dynamic"}
"""Solver classes ``MainSolver...``, and the type of solve that the function SolveSystem of each class executes."""
PARTS_OF_SOLVES = ("SolveSteps", "Newton", "DiscontinuousIteration", "FinishStep", "InitializeStep")
"""Functions of the solver classes that execute parts of a solve."""


def describe_system(mbs: Any) -> dict[str, Any]:
    """Return the description of the items of an assembled MainSystem. Python functions are included as objects."""
    data, initial = mbs.systemData, _initial()
    kinds = {
        "nodes": (mbs.GetNode, data.NumberOfNodes()),
        "objects": (mbs.GetObject, data.NumberOfObjects()),
        "markers": (mbs.GetMarker, data.NumberOfMarkers()),
        "loads": (mbs.GetLoad, data.NumberOfLoads()),
        "sensors": (mbs.GetSensor, data.NumberOfSensors()),
    }
    has_states = any(mbs.GetNode(i)["nodeType"] == "GenericODE1" for i in range(data.NumberOfNodes()))
    functions = [name for name in SYSTEM_FUNCTIONS if getattr(mbs, f"Get{name}UserFunction")() != 0]
    return {
        "format": FORMAT,
        "version": VERSION,
        **{name: [_strip(get(i)) for i in range(count)] for name, (get, count) in kinds.items()},
        "system_functions": functions,
        "general_contacts": int(mbs.NumberOfGeneralContacts()),
        "initial": {
            "ODE2": data.GetODE2Coordinates(configuration=initial),
            "ODE2_t": data.GetODE2Coordinates_t(configuration=initial),
            "data": data.GetDataCoordinates(configuration=initial),
            **({"ODE1": data.GetODE1Coordinates(configuration=initial)} if has_states else {}),
        },
    }


def describe_solve(kind: str, settings: Any, solver: Any = None) -> dict[str, Any]:
    """Return the description of a solver call: type of solve (``"static"`` or ``"dynamic"``), SimulationSettings and
    DynamicSolverType.
    """
    given = settings.GetDictionary()
    name = given["timeIntegration"]["solverType"] if solver is None else solver
    return {"kind": kind, "solver": str(name).rpartition(".")[2], "settings": given}


def check_target(path: Path) -> str:
    """Return the reason why a description cannot be written to a file, or an empty string. The check does not require
    Windlass.
    """
    if not path.absolute().parent.is_dir() or (path.exists() and not path.is_file()):
        return f"{path}: must be a file in a folder that exists"
    if path.exists() and path.stat().st_size and FORMAT.encode() not in path.read_bytes()[:200]:
        return f"{path}: a file that windlass-export-exudyn has not written stands there: remove or rename it"
    return ""


def write_system(path: Path, content: Mapping[str, Any]) -> None:
    """Write a description of a model as JSON. Numbers are stored without loss of accuracy."""
    path.write_text(json.dumps(content, indent=1, default=_encode) + "\n", encoding="utf-8")


def _initial() -> Any:
    return import_module("exudyn").ConfigurationType.Initial


def _strip(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of an item without graphics, converted by `_dense`."""
    return {key: _dense(value) for key, value in item.items() if not key.startswith("V")}


SECTION = "stiffnessMatrix", "dampingMatrix", "massPerLength", "inertia"
"""Names of the properties of beam cross sections."""


def _dense(value: Any) -> Any:
    """Convert dense or sparse matrices and lists of vectors of Exudyn to arrays, and beam sections to dictionaries.
    Other values are returned unchanged.
    """
    if hasattr(value, "Convert2DenseMatrix"):
        return value.Convert2DenseMatrix()
    if type(value).__name__ == "BeamSection":
        return {name: getattr(value, name) for name in SECTION}
    return value.GetPythonObject() if hasattr(value, "GetPythonObject") else value


def _encode(value: Any) -> Any:
    """Convert objects that JSON does not support, which are arrays and numbers of NumPy, enums of Exudyn, and
    functions.
    """
    if hasattr(value, "tolist"):
        return value.tolist()
    if callable(value):
        return {"name": getattr(value, "__name__", type(value).__name__)}
    if type(value).__module__.startswith("exudyn"):
        return str(value).rpartition(".")[2]
    return {"unknown": repr(value)}


DRAWING = {
    "": ("StartRenderer", "StopRenderer", "DoRendererIdleTasks"),
    "MainSystem": ("WaitForUserToContinue", "SolutionViewer", "ActivateRendering"),
    "SystemContainer": ("WaitForRenderEngineStopFlag", "RedrawAndSaveImage", "RenderEngineZoomAll"),
    "Renderer": ("Start", "Stop", "DoIdleTasks", "ZoomAll", "RedrawAndSaveImage"),
}
"""Functions that open or require a window."""


def close_windows() -> None:
    """Suppress all windows, including windows of plots, for the rest of the process."""
    exudyn: Any = import_module("exudyn")
    os.environ.setdefault("MPLBACKEND", "Agg")
    for name, functions in DRAWING.items():
        place = getattr(exudyn, name, None) if name else exudyn
        for function in functions:
            if hasattr(place, function):
                setattr(place, function, lambda *arguments, **named: True)


class _Written(SystemExit):
    """Exception that is raised to end the script after the file has been written."""


def answer(solve: Callable[..., bool], error: type[Exception] = NotImplementedError) -> None:
    """Replace the solvers of Exudyn by the function ``solve(kind, mbs, settings, solver, **other)``.

    After the replacement, functions that execute parts of a solve raise an error of the given type.
    """
    exudyn: Any = import_module("exudyn")

    def solve_static(mbs: Any, simulationSettings: Any = None, **other: Any) -> bool:
        return call("static", mbs, simulationSettings, None, other)

    def solve_dynamic(mbs: Any, simulationSettings: Any = None, solverType: Any = None, **other: Any) -> bool:
        return call("dynamic", mbs, simulationSettings, solverType, other)

    def call(kind: str, mbs: Any, settings: Any, solver: Any, other: Mapping[str, Any]) -> bool:
        if not mbs.systemIsConsistent:
            mbs.Assemble()
        return solve(kind, mbs, exudyn.SimulationSettings() if settings is None else settings, solver, **other)

    for place in (exudyn, exudyn.solver, exudyn.MainSystem):
        place.SolveStatic, place.SolveDynamic = solve_static, solve_dynamic
    for name, kind in MAIN_SOLVERS.items():
        _answer_class(getattr(exudyn, f"MainSolver{name}"), kind, call, error)


def _answer_class(solvers: Any, kind: str, call: Callable[..., bool], error: type[Exception]) -> None:
    """Replace SolveSystem of a solver class. After the replacement, functions of the class that execute parts of a
    solve, or that set user functions, raise an error.
    """

    def solve_system(solver: Any, mbs: Any, simulationSettings: Any) -> bool:
        return call(kind, mbs, simulationSettings, None, {"mainSolver": solver})

    def refuse(name: str) -> Callable[..., Any]:
        def part(*given: Any, **named: Any) -> Any:
            raise error(
                f"{solvers.__name__}.{name} executes a part of a solve, which has no counterpart in Windlass: must "
                "be SolveSystem, SolveStatic or SolveDynamic"
            )

        return part

    for name in dir(solvers):
        if name in PARTS_OF_SOLVES or name.startswith("SetUserFunction"):
            setattr(solvers, name, refuse(name))
    solvers.SolveSystem = solve_system


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, and return the exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    options = dict(zip(words[1::2], words[2::2], strict=False))
    number = options.pop("-solve", "1")
    target = Path(options.pop("-output", Path(words[0]).stem + ".json")) if words else Path()
    if (
        len(words) % 2 == 0
        or words[0].startswith("-")
        or options
        or not number.isascii()
        or not number.isdigit()
        or int(number) < 1
    ):
        print(USAGE, file=sys.stderr)
        return 2
    if reason := check_target(target):
        print(reason, file=sys.stderr)
        return 2
    calls = 0
    close_windows()
    exudyn: Any = import_module("exudyn")
    theirs = {"static": exudyn.solver.SolveStatic, "dynamic": exudyn.solver.SolveDynamic}
    classes = [getattr(exudyn, f"MainSolver{name}") for name in MAIN_SOLVERS]
    originals = [{name: getattr(solvers, name) for name in dir(solvers) if name[0] != "_"} for solvers in classes]

    def solve(kind: str, mbs: Any, settings: Any, solver: Any, **other: Any) -> bool:
        nonlocal calls
        calls += 1
        if calls < int(number):
            for solvers, functions in zip(classes, originals, strict=True):
                for name, function in functions.items():
                    setattr(solvers, name, function)
            try:
                if "mainSolver" in other:
                    return bool(other["mainSolver"].SolveSystem(mbs, settings))
                given = {"solverType": solver} if kind == "dynamic" else {}
                return bool(theirs[kind](mbs, settings, **given, **other))
            finally:
                answer(solve)
        write_system(target, describe_system(mbs) | {"solve": describe_solve(kind, settings, solver)})
        raise _Written(0)

    answer(solve)
    sys.path.insert(0, str(Path(words[0]).resolve().parent))
    sys.argv = words[:1]
    try:
        runpy.run_path(words[0], run_name="__main__")
    except _Written:
        print(f"written: {target}")
        return 0
    print(
        f"{words[0]} calls a solver {calls} times: no file is written, because -solve {number} was requested",
        file=sys.stderr,
    )
    return 2


if __name__ == "__main__":
    sys.exit(main())
