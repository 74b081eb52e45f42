"""Command that runs scripts of Exudyn, and records the results of their solver calls. Exudyn or Windlass executes the
solves.

usage: exudyn_record.py {exudyn,windlass}

Each line of standard input describes a run by a JSON object with the fields script, target (file of the record),
seconds (longest process time), wait (longest elapsed time), tight, times and most. Each run is a separate process,
which starts with all modules loaded. At its end, the run writes a JSON object as one line to standard output. The
object contains the process time, the signal that ended the process, and whether the run was ended because it waited for
a connection or for input.

The field tight is the largest tolerance of Newton's method, relative and absolute, with a new Jacobian in every
iteration. The field tight is also the largest tolerance of explicit solvers that choose their steps. With 0, the
tolerances of the script are used. The field times is the factor by which the number of time steps of the script is
multiplied. The field "most" is the largest number of steps of the script in a solve. The end time of a solve is changed
accordingly, and the script ends with its fourth solve. With most = 0, the number of steps is not limited. The module
modelUnitTests, through which test models of Exudyn set graphics, is replaced by a module without graphics. Sleeps,
plots and windows are suppressed, and both programs use equal random numbers. Names of older versions of Exudyn that the
scripts use are defined. The scripts run in the folder of the record, with links to the other files in the folder of the
script. Both programs need the package exudyn. The runs by Windlass use this package in the environment of Windlass.
"""

import contextlib
import copy
import json
import math
import os
import random
import resource
import runpy
import signal
import sys
import time
import types
import warnings
from importlib import import_module
from pathlib import Path

warnings.simplefilter("ignore")
os.environ["MPLBACKEND"] = "Agg"
sys.argv[1:], program = [], sys.argv[1]
import exudyn as exu  # noqa: E402
import exudyn.graphics  # noqa: E402
import exudyn.solver  # noqa: E402
import numpy as np  # noqa: E402

SOLVES = 4
"""Number of solves after which a script with a limited number of steps ends."""
IDLE = 0.25
"""Fraction of the longest process time, below which a sleeping process is treated as waiting."""
tight, times, most = 0.0, 1, 0
record = {"solves": [], "error": "", "errors": [], "result": None, "items": {}, "cut": False}


class Enough(BaseException):
    """Exception that is raised when a script with a limited number of steps has completed its solves."""


class Globals:
    """Substitute for the content of the module modelUnitTests, which test models of Exudyn read."""

    useGraphics = False
    performTests = True
    testError = -1
    testResult = -1
    isPerformanceTest = False


tests = types.ModuleType("modelUnitTests")
tests.ExudynTestStructure, tests.exudynTestGlobals = Globals, Globals()
sys.modules["modelUnitTests"] = tests
time.sleep = lambda seconds: None


def tighten(settings):
    """Change the settings of a solve: the tolerances become equal in both programs and smaller than the tolerance of
    the comparison, and the steps become shorter.
    """
    own = settings.timeIntegration
    own.relativeTolerance, own.absoluteTolerance = min(own.relativeTolerance, tight), min(own.absoluteTolerance, tight)
    for part in (settings.staticSolver, settings.timeIntegration):
        newton = part.newton
        newton.relativeTolerance = min(newton.relativeTolerance, tight)
        newton.absoluteTolerance = min(newton.absoluteTolerance, tight)
        part.newton.useModifiedNewton = False


def note(kind, mbs, seconds):
    """Record the state at the end of a solve."""
    data = mbs.systemData
    record["solves"].append(
        {
            "kind": kind,
            "q": [*data.GetODE2Coordinates(), *data.GetODE1Coordinates()],
            "v": data.GetODE2Coordinates_t().tolist(),
            "lam": data.GetAECoordinates().tolist(),
            "sensors": read_sensors(mbs),
            "t": data.GetTime(),
            "cpu": seconds,
        }
    )


def read_sensors(mbs):
    """Return the values of all sensors that can be read."""
    found = []
    for k in range(mbs.systemData.NumberOfSensors()):
        try:
            found.append(np.ravel(mbs.GetSensorValues(k)).astype(float).tolist())
        except Exception:
            found.append([])
    return found


def count_items(mbs):
    """Record the number of items of each type of a system."""
    for get, group in (
        (mbs.GetNode, "Node"),
        (mbs.GetObject, "Object"),
        (mbs.GetMarker, "Marker"),
        (mbs.GetLoad, "Load"),
    ):
        for i in range(getattr(mbs.systemData, f"NumberOf{group}s")()):
            name = group + str(get(i)[f"{group.lower()}Type"])
            record["items"][name] = record["items"].get(name, 0) + 1


def recording_values(call):
    """Return a function that computes eigenvalues and records them. Eigenvalues of free motions, which are rounding
    errors, are set to 0.
    """

    def solve(mbs, *given, **named):
        found = call(mbs, *given, **named)
        count_items(mbs)
        values = np.asarray(found[0])
        parts = np.concatenate((values.real, values.imag)) if np.iscomplexobj(values) else values
        rounding = 1e-9 * np.abs(parts).max(initial=0.0)
        parts = np.where(np.abs(parts) < rounding, 0.0, parts)
        record["solves"].append(
            {"kind": "eigenvalues", "q": parts.tolist(), "v": [], "lam": [], "sensors": [], "t": 0.0, "cpu": 0.0}
        )
        return found

    return solve


def recording(kind, call):
    """Return a function that calls a solver and records its results."""

    def solve(mbs, *given, **named):
        settings = named.get("simulationSettings", given[0] if given else None)
        if settings is None:
            settings = exu.SimulationSettings()
        if tight:
            tighten(settings)
        named.pop("simulationSettings", None)
        begin = time.process_time()
        count_items(mbs)
        own = settings.timeIntegration
        steps, end = own.numberOfSteps, own.endTime
        if kind == "dynamic" and 0 < most < steps:
            own.endTime, own.numberOfSteps = own.startTime + (end - own.startTime) * most / steps, most
            record["cut"] = True
        own.numberOfSteps *= times
        done = call(mbs, settings, *given[1:], **named)
        own.numberOfSteps, own.endTime = steps, end
        note(kind, mbs, time.process_time() - begin)
        if most and len(record["solves"]) == SOLVES:
            record["cut"] = True
            raise Enough
        return done

    return solve


def find_old_names():
    """Define names of older versions of Exudyn, which scripts of Exudyn's repository use, but version 1.13.6 does not
    contain.
    """
    utilities, basic = import_module("exudyn.utilities"), import_module("exudyn.basicUtilities")
    found = {"exudyn": exu, "np": np, "sin": math.sin, "cos": math.cos, "pi": math.pi, "sqrt": math.sqrt}
    found |= {"copy": copy.copy, "GraphicsData2PointsAndTrigs": exu.graphics.ToPointsAndTrigs}
    found |= {"VSum": sum, "HT": import_module("exudyn.rigidBodyUtilities").HomogeneousTransformation}
    found |= {"NormL2": lambda vector: float(np.linalg.norm(vector))}
    found |= {"VAdd": lambda v, w: list(np.add(v, w)), "VSub": lambda v, w: list(np.subtract(v, w))}
    found |= {"VMult": lambda v, w: float(np.dot(v, w)), "Vec2Tilde": lambda v: np.cross(v, np.eye(3)).T}
    found |= {"ScalarMult": lambda factor, v: list(np.multiply(factor, v))}
    for old in map(import_module, ("exudyn.graphicsDataUtilities", "exudyn.beams")):
        found |= {name: getattr(old, name) for name in getattr(old, "__all__", dir(old)) if not name.startswith("_")}
    graphics = {
        f"GraphicsData{name}": getattr(exu.graphics, name) for name in exu.graphics.__all__ if name[0].isupper()
    }
    found = graphics | {"GraphicsDataOrthoCubePoint": exu.graphics.Brick} | found
    for name, value in found.items():
        if not hasattr(basic, name):
            setattr(basic, name, value)
        if name not in utilities.__all__:
            setattr(utilities, name, value)
            utilities.__all__.append(name)


def accept_old_arguments():
    """Make functions accept arguments that version 1.13.6 does not accept: old names, graphics, and arguments without
    effect.
    """
    for name in [name for name in dir(exu.MainSystem) if name.startswith("Create")]:
        function = getattr(exu.MainSystem, name)
        if hasattr(function, "__code__"):
            setattr(exu.MainSystem, name, renaming(function))
    get_object = exu.MainSystem.GetObject
    exu.MainSystem.GetObject = lambda mbs, *given, **named: OldKeys(get_object(mbs, *given, **named))
    items = import_module("exudyn.itemInterface")
    for name, kind in vars(items).items():
        drawn = name.startswith(("VNode", "VObject", "VMarker", "VLoad", "VSensor"))
        if isinstance(kind, type) and (drawn or name == "ObjectContactCircleCable2D"):
            kind.__init__ = dropping(kind.__init__, None if drawn else ("contactDamping",))
    # scripts for older versions of Exudyn import the package from this module
    vars(items).setdefault("exudyn", exu)
    for old, new in (("NodePoint3DSlope1", "NodePointSlope1"), ("NodePoint3DSlope23", "NodePointSlope23")):
        for place in (items, import_module("exudyn.utilities")):
            if not hasattr(place, old):
                setattr(place, old, getattr(items, new))
                if hasattr(place, "__all__"):
                    place.__all__.append(old)


class OldKeys(dict):
    """The dictionary of an object, in which fields also have older names: physicsLength means length."""

    def __missing__(self, key):
        now = key.removeprefix("physics")
        now = now[:1].lower() + now[1:]
        if now == key:
            raise KeyError(key)
        return self[now]


def renaming(function):
    """Return a function that calls a function whose name begins with Create, and that also accepts the older names of
    the bodies.
    """
    known = function.__code__.co_varnames[: function.__code__.co_argcount + function.__code__.co_kwonlyargcount]
    now = next((name for name in ("itemNumbers", "bodyNumbers") if name in known), None)

    def create(*given, **named):
        for old in ("bodyList", "bodyOrNodeList"):
            if old in named and now is not None:
                named[now] = named.pop(old)
        return function(*given, **named)

    return create


def dropping(function, names):
    """Return a function that calls a constructor without the given arguments, or without all unknown arguments."""
    code = function.__code__
    known = code.co_varnames[: code.co_argcount]

    def create(self, *given, **named):
        kept = {key: value for key, value in named.items() if key in known or (names and key not in names)}
        function(self, *given[: len(known) - 1], **kept)

    return create


def run(job):
    """Run a script, and write its record."""
    global tight, times, most
    # set the seed for scripts that do not set a seed
    np.random.seed(0)  # noqa: NPY002  the generator that scripts use
    random.seed(0)
    tight, times, most = float(job["tight"]), int(job["times"]), int(job["most"])
    script, target = Path(job["script"]).resolve(), Path(job["target"]).resolve()
    sys.path.insert(0, str(script.parent))
    os.chdir(target.parent)
    for name in ("solution", "images"):
        Path(name).mkdir(exist_ok=True)
    # scripts for older versions of Exudyn expect the file of coordinates in this folder
    Path("coordinatesSolution.txt").symlink_to("solution/coordinatesSolution.txt")
    for beside in (*script.parent.iterdir(), *script.parents[1].iterdir()):
        # no links to these three folders are created, because scripts write files into new folders and use the
        # installed package
        if beside.name not in ("solution", "images", "exudyn") and not Path(beside.name).exists():
            Path(beside.name).symlink_to(beside)
    if program == "windlass":
        options.initialise([])
        answer_calls()
    else:
        for place, names in (
            (exu, ("StartRenderer", "StopRenderer")),
            (exu.MainSystem, ("WaitForUserToContinue", "SolutionViewer")),
            (exu.Renderer, ("Start", "Stop", "DoIdleTasks")),
        ):
            for name in names:
                setattr(place, name, lambda *given, **named: True)
    for kind in ("Static", "Dynamic"):
        call = recording(kind.lower(), getattr(exudyn.solver, f"Solve{kind}"))
        for place in (exu, exudyn.solver, exu.MainSystem):
            setattr(place, f"Solve{kind}", call)
    call = recording_values(exudyn.solver.ComputeODE2Eigenvalues)
    for place in (exu, exudyn.solver, exu.MainSystem):
        place.ComputeODE2Eigenvalues = call
    try:
        sys.argv = [str(script)]
        runpy.run_path(str(script), run_name="__main__")
    except (SystemExit, Enough):
        pass
    except BaseException as error:
        record["error"] = f"{type(error).__name__}: {error}"
    if program == "windlass":
        # record the errors of all solves of Windlass, because the script may have caught these errors
        record["errors"] = [f"{type(error).__name__}: {error}" for error in ERRORS]
    result = tests.exudynTestGlobals.testResult
    record["result"] = np.ravel(result).tolist() if np.size(result) else None
    target.write_text(json.dumps(record))


def run_apart(job):
    """Run a script in a separate process. Return the process time [s] and the number of the signal that ended the
    process, or 0 if no signal ended it.
    """
    child = os.fork()
    if not child:
        os.setsid()
        limit = max(int(job["seconds"]), 1)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        for stream, mode in ((0, os.O_RDONLY), (1, os.O_WRONLY), (2, os.O_WRONLY)):
            os.dup2(os.open(os.devnull, mode), stream)
        try:
            run(job)
        finally:
            os._exit(0)
    end, ended, waits = time.monotonic() + float(job["wait"]), 0, False
    while not ended:
        time.sleep(0.02)
        late = time.monotonic() > end
        if late:
            # in this file, the state of a process follows the bracket after its name
            waits = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[0] == "S"
            os.killpg(child, signal.SIGKILL)
        ended, status, used = os.wait4(child, 0 if late else os.WNOHANG)
    # the time includes child processes of the script
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    cpu = used.ru_utime + used.ru_stime
    ended_by = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    return {"cpu": cpu, "signal": ended_by, "waits": waits and cpu < IDLE * float(job["seconds"])}


find_old_names()
accept_old_arguments()
# load modules that many scripts use before the first run
for module in ("matplotlib.pyplot", "scipy.linalg", "scipy.optimize", "scipy.sparse.linalg", "exudyn.FEM"):
    with contextlib.suppress(ImportError):
        import_module(module)
if program == "windlass":
    from windlass.exudyn.run import ERRORS, answer_calls
    from windlass.framework.command_line import options
for line in sys.stdin:
    print(json.dumps(run_apart(json.loads(line))), flush=True)
