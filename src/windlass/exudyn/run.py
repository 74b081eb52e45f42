"""Execution of unmodified scripts of Exudyn with the solvers of Windlass (``windlass run-exudyn MODEL.py``).

Coordinates, velocities, accelerations, multipliers and history values are copied to the MainSystem after each solve,
and before each record of a sensor. The script can read these values from the MainSystem. Exudyn's graphics are not
shown.
"""

from __future__ import annotations

import atexit
import gc
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from windlass.exudyn.eigenvalues import answer_eigenvalues
from windlass.exudyn.export import answer, close_windows, describe_solve
from windlass.exudyn.imported import Imported, create_dynamic, import_system, solve_motion
from windlass.exudyn.multipliers import find_multipliers, unknown_places
from windlass.exudyn.settings import holds_states, lengthen_step
from windlass.exudyn.step_calls import Due, StepRows, StepValues, read_values
from windlass.exudyn.steps import ANSWERED, SystemFunctions
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.parallel_assembly import parallel_assembly
from windlass.framework.errors import ModelError
from windlass.framework.files.outputs import MARK, check_output, write_output
from windlass.framework.launch.launcher import is_first_process
from windlass.framework.model.table import Entity
from windlass.framework.output.folder import create_output_folder
from windlass.framework.state.hooks import StepHook
from windlass.framework.state.state import State
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.explicit import Explicit
from windlass.solvers.static import Static

SENSOR_FILE = "sensor file of Exudyn"
SOLUTION_FILE = "solution file of Exudyn"
STORED = "windlass: stored sensors"
"""Key of stored sensor values in the dictionary ``mbs.sys``."""
ERRORS: list[Exception] = []
"""Errors that solves of this process have raised."""


MOTION_SENSORS = frozenset(("Body", "Load", "Marker", "SuperElement"))
"""Types of sensors whose values do not depend on history values."""
VECTORS = (
    "ODE2Coordinates",
    "ODE2Coordinates_t",
    "ODE2Coordinates_tt",
    "ODE1Coordinates",
    "DataCoordinates",
    "AECoordinates",
    "Time",
)
"""Names of the vectors in `MirrorValues`, and of the time, in Exudyn."""


class NoSolver:
    """Substitute for the solver in ``mbs.sys``. If Windlass provides no value for an attribute, access to this
    attribute raises an error.
    """

    def __init__(self, name: str, **parts: Any) -> None:
        self.__dict__.update(parts, name=name)

    def __getattr__(self, part: str) -> Any:
        if part.startswith("__"):
            raise AttributeError(part)
        raise ModelError(
            f"mbs.sys['{self.name}'].{part} has no counterpart in Windlass: supported are it.currentTime and "
            "it.newtonStepsCount"
        )


class MirrorValues(NamedTuple):
    """Vectors of Exudyn: displacements, velocities and accelerations, first-order states, history values and
    multipliers. The vectors are arrays or lists. Arrays for several states have an additional first axis.
    """

    q: Any
    v: Any
    a: Any
    states: Any
    data: Any
    lam: Any


class Mirror:
    """Object that copies states to the MainSystem from which a model was imported.

    Attributes:
        mbs, model: the MainSystem and the model.
        may_wait: whether states may be copied later than at the ends of their steps. A later copy is allowed if neither
            sensors nor user functions can detect the delay, and if the conversion of a state needs only the arrays of
            this state.
    """

    def __init__(self, mbs: Any, model: Imported, static: bool) -> None:
        exudyn: Any = import_module("exudyn")

        self.mbs, self.model = mbs, model
        self._now = exudyn.ConfigurationType.Current
        self._multipliers = find_multipliers(mbs, model)
        self._unknown = unknown_places(mbs, model)
        # multipliers of Exudyn's static solver have the opposite sign
        self._sign = -1.0 if static else 1.0
        self._numbers: State | None = None
        sensors = [str(item["sensorType"]) for item in model.items["sensors"]]
        # whether sensors or user functions may read history values that Windlass stores in another form
        self._converts_histories = bool(model.histories) and not (
            MOTION_SENSORS.issuperset(sensors) and model.functions.are_none and not model.items["system_functions"]
        )
        converts_arrays = not model.turned and not self._converts_histories
        self.may_wait = converts_arrays and "UserFunction" not in sensors and not model.functions.may_notice()
        # time and step number of the state that was copied to the MainSystem, and whether the copy is whole, see
        # `write`; None if the values in the MainSystem may have changed since then
        self._shown: tuple[float, int, bool] | None = None

    def show(self, state: State, whole: bool = False) -> None:
        """Copy a state at the end of a step, unless this state has already been copied. All processes must call this
        method. The argument ``whole`` is explained in `write`.
        """
        now = state.t, state.step, whole
        if self._shown not in (now, (*now[:2], True)):
            self.write(state, whole)
            self._shown = now

    def show_for_changes(self, state: State) -> None:
        """Copy a state as in `show`. The caller may then change values in the MainSystem."""
        self.show(state)
        self._shown = None

    def write(self, state: State, whole: bool = False) -> None:
        """Copy all values of a state. All processes must call this method. If ``whole`` is true, history values that
        Windlass stores in another form are also converted if neither sensors nor user functions read them.
        """
        gathered = state.gather()
        if self._numbers is None:
            self._find_places(gathered)
        found = self.convert(read_values(gathered))
        for turned, at in self._turned:
            read = turned.read(gathered.q[at], gathered.v[at], gathered.a[at])
            for values, own in zip((found.q, found.v, found.a), read, strict=True):
                values[turned.where] = own
        for where, history in self.model.histories if whole or self._converts_histories else ():
            found.data[where] = history.read(gathered)
        self.set_values(MirrorValues(*(part.tolist() for part in found)), gathered.t)

    def convert(self, values: StepValues) -> MirrorValues:
        """Convert the values of one state or of several states to vectors of Exudyn, without angles and without history
        values that Windlass stores in another form. A call of `write` must precede this call.
        """
        places = self._places
        q, v, a = values.q[..., places], values.v[..., places], values.a[..., places]
        states, data = values.v[..., self._states], values.data[..., self._history]
        lam = np.zeros((*values.q.shape[:-1], self._sizes[1]))
        if self._sizes[1]:
            lam[..., self._unknown] = np.nan
            for part, ours, factor in zip(self._multipliers, self._forces, self._factors, strict=True):
                lam[..., part.where] = (factor @ values.lam[..., ours, None])[..., 0]
        return MirrorValues(q, v, a, states, data, lam)

    def set_values(self, values: MirrorValues, time: float) -> None:
        """Set the vectors of the MainSystem to the values of one state at a time [s]. The values are lists."""
        self._shown = None
        set_q, set_v, set_a, set_states, set_data, set_lam, set_time = self._setters
        now, (data_size, lam_size) = self._now, self._sizes
        set_q(values.q, now)
        set_v(values.v, now)
        set_a(values.a, now)
        if len(self._states):
            set_states(values.states, now)
        if data_size:
            set_data(values.data, now)
        if lam_size:
            set_lam(values.lam, now)
        set_time(time, now)

    def _find_places(self, whole: State) -> None:
        """Find, for each element of Exudyn's vectors, the index in the vectors of Windlass. For this purpose, a state
        is converted in which each value is equal to its index.
        """
        self._numbers = numbers = whole.copy()
        for name in ("q", "v", "lam", "data"):
            values = getattr(numbers, name)
            values[:] = np.arange(len(values))
        turned, histories = self.model.turned, self.model.histories
        self.model.turned, self.model.histories = [], []
        self._places, self._history = (self.model.coordinates(numbers, name).astype(int) for name in ("q", "data"))
        self._states = self.model.coordinates(numbers, "v", "ODE1").astype(int)
        self.model.turned, self.model.histories = turned, histories
        self._turned = [(node, numbers.local_dofs(node.node)[0]) for node in turned]
        self._forces = [numbers.of(part.entity, "lam")[0].astype(int) for part in self._multipliers]
        self._factors = [self._sign * part.factor for part in self._multipliers]
        data = self.mbs.systemData
        self._sizes = data.DataSize(), data.AEsize()
        self._setters = [getattr(data, f"Set{name}") for name in VECTORS]

    def redirect_functions(self, solver: Any) -> None:
        """Set ``bring_up_to_date`` of the `UserFunctions` to a function that updates the MainSystem. The function
        copies the coordinates at which ``solver`` evaluates forces.
        """
        fields, data, model = solver.assembly.fields, self.mbs.systemData, self.model
        layout, places = solver.assembly.layout, model.places()

        def find_local(node: Entity) -> IntArray:
            return np.asarray(layout.local_dofs(model.world.dofs_of(node))[0], np.int64)

        none = np.zeros(0, np.int64)
        order = np.concatenate([none, *(where for _, where in places)])
        source: Any = np.concatenate([none, *(find_local(node) for node, _ in places)])
        turned = [(node, find_local(node.node)) for node in model.turned]
        reference, size = layout.reference, data.ODE2Size()
        if not size:
            return
        shift, x, rates, now, functions = reference[source], fields.x, fields.v, self._now, model.functions
        # whether the coordinates of Windlass are in the order of Exudyn
        ordered = np.array_equal(order, np.arange(size))
        first = int(source[0]) if len(source) else 0
        if np.array_equal(source, np.arange(first, first + len(source))):
            # a slice is much faster than an array of indices
            source = slice(first, first + len(source))
        set_places, set_rates, set_time = data.SetODE2Coordinates, data.SetODE2Coordinates_t, data.SetTime

        # the slices can be created once, because the arrays of ``fields`` are never replaced
        parts = (x[source], rates[source]) if isinstance(source, slice) else None

        def update() -> None:
            self._shown = None
            own, rate = (x[source], rates[source]) if parts is None else parts
            if ordered:
                q, v = own - shift, rate
            else:
                q, v = np.zeros(size), np.zeros(size)
                q[order], v[order] = own - shift, rate
            for node, own in turned:
                moved = x[own] - reference[own]
                q[node.where], v[node.where], _ = node.read(moved, rates[own], np.zeros(7))
            if functions.seen:
                where, u, ut = functions.seen
                q[where], v[where] = u, ut
            set_places(q.tolist(), now)
            set_rates(v.tolist(), now)
            set_time(fields.t, now)

        self.model.functions.bring_up_to_date = update


def write_rows(rows: FloatArray, number: str) -> str:
    """Return the text of a table, one line for each row, with the format ``number`` of each value."""
    line = ",".join([number] * rows.shape[1]) + "\n"
    return "".join([line % tuple(row) for row in rows.tolist()])


def find_time(state: State) -> float:
    """Return the time [s] of a state."""
    return state.t


class SensorHook(StepRows):
    """Hook that records the sensors of a MainSystem.

    Args:
        mirror: object that copies states to the MainSystem.
        period: time [s] between two rows.
        files: whether sensors with a file name write files.
        clock: function that returns the time [s] of a state. In statics, this time increases in proportion to the load,
            from the start to the end of the load steps.
    """

    def __init__(self, mirror: Mirror, period: float, files: bool, clock: Callable[[State], float] = find_time) -> None:
        self._mirror, self._files, self._rows_due = mirror, files, Due(period, clock)
        # functions that are called between two steps may change parameters on which values of sensors depend
        super().__init__(self._rows_due.numbers, mirror.may_wait and not mirror.model.items["system_functions"])
        self._times, self._values = list[float](), dict[int, list[Any]]()
        sensors = enumerate(mirror.model.items["sensors"])
        self._wanted = {k: item for k, item in sensors if is_stored(item)}
        self.only_reads = not any(item["sensorType"] == "UserFunction" for item in self._wanted.values())

    def before_solve(self, state: State, end: float, steps: int) -> None:
        """Check that the files of the sensors can be written, and add a row for the start."""
        for item in self._wanted.values() if self._files else ():
            if item["fileName"] and item["writeToFile"]:
                check_output(Path(item["fileName"]), SENSOR_FILE, SENSOR_FILE)
        self._times, self._values = [], {k: [] for k in self._wanted}
        if self._wanted:
            self._rows_due.begin(state)
            self._add(state)

    def after_step(self, state: State) -> None:
        """Add a row if `Due` selects this step."""
        if self._wanted and self._rows_due.is_due(state):
            self._add(state)

    def add_rows(self, times: list[float], values: StepValues) -> None:
        """Add rows for the stored states. See `StepRows`."""
        if not self._wanted:
            return
        rows = zip(*(part.tolist() for part in self._mirror.convert(values)), strict=True)
        for time, row in zip(times, rows, strict=True):
            self._mirror.set_values(MirrorValues(*row), time)
            self._read(time)
        self._rows_due.last = times[-1]

    def _add(self, state: State) -> None:
        self._mirror.show(state)
        self._read(self._rows_due.last)

    def _read(self, time: float) -> None:
        """Add a row with the sensor values of the state in the MainSystem, at a time [s]."""
        self._times.append(time)
        read = self._mirror.mbs.GetSensorValues
        for k, values in self._values.items():
            values.append(read(k))

    def finish(self, state: State) -> None:
        """Add a row for the last state, store all rows for the script, and write the files."""
        if self._wanted and self._rows_due.is_left(state):
            self._add(state)
        times = self._times
        rows = {k: np.column_stack((times, np.reshape(v, (len(times), -1)))) for k, v in self._values.items()}
        self._mirror.mbs.sys.setdefault(STORED, {}).update(rows)
        if not self._files or not is_first_process():
            return
        for k, item in self._wanted.items():
            if item["fileName"] and item["writeToFile"]:
                path = Path(item["fileName"])
                create_output_folder(path.parent)
                header = f"sensor {k} {item['name']!r}, {MARK.decode()}\ntime [s], values"
                text = "".join(f"# {line}\n" for line in header.split("\n")) + write_rows(rows[k], "%.16g")
                write_output(path, text.encode(), SENSOR_FILE, SENSOR_FILE)


class SolutionFile(StepRows):
    """Hook that writes the solution file of a solve (``solution.file``). The file is a table of coordinates and times
    with the columns of Exudyn.

    Args:
        mirror: object that copies states to the MainSystem.
        settings: settings of the file, as a dictionary.
        precision: number of significant digits.
        static: whether the solve is static. The file then contains no velocities and accelerations.
        clock: function that returns the time [s] of a state, see `SensorHook`.

    Raises:
        ModelError: the settings request a binary file.
    """

    def __init__(
        self,
        mirror: Mirror,
        settings: Mapping[str, Any],
        precision: int,
        static: bool,
        clock: Callable[[State], float] = find_time,
    ) -> None:
        if settings["binary"]:
            raise ModelError("SimulationSettings: solution.file.binary = True: must be False")
        name, wanted = Path(settings["name"]), settings["export"]
        self.path = name if name.suffix else name.with_suffix(".txt")
        self._mirror, self._settings, self._format = mirror, settings, f"%.{precision}g"
        self._rows_due, self._table = Due(float(settings["writePeriod"]), clock), list[FloatArray]()
        super().__init__(self._rows_due.numbers, mirror.may_wait and not mirror.model.histories)
        self._readers = list[Callable[[], FloatArray]]()
        self.only_reads = True
        moves = not static
        # name of each vector, and whether the vector is written to the file
        self._parts = (
            ("ODE2Coordinates", True),
            ("ODE2Coordinates_t", moves and wanted["velocities"]),
            ("ODE2Coordinates_tt", moves and wanted["accelerations"]),
            ("ODE1Coordinates", True),
            ("ODE1Coordinates_t", moves and wanted["ODE1Velocities"]),
            ("AECoordinates", wanted["algebraicCoordinates"]),
            ("DataCoordinates", wanted["dataCoordinates"]),
        )

    def before_solve(self, state: State, end: float, steps: int) -> None:
        """Check that the file can be written, and add a row for the start unless ``writeInitialValues`` is false."""
        check_output(self.path, SOLUTION_FILE, SOLUTION_FILE)
        self._table = []
        self._rows_due.begin(state)
        if self._settings["writeInitialValues"]:
            self._add(state)

    def after_step(self, state: State) -> None:
        """Add a row if `Due` selects this step."""
        if self._rows_due.is_due(state):
            self._add(state)

    def add_rows(self, times: list[float], values: StepValues) -> None:
        """Add rows for the stored states. See `StepRows`."""
        q, v, a, states, data, lam = self._mirror.convert(values)
        # Windlass does not set the rates of first-order states in the MainSystem
        rates = np.tile(self._mirror.mbs.systemData.GetODE1Coordinates_t(), (len(times), 1))
        parts = zip((q, v, a, states, rates, lam, data), self._parts, strict=True)
        written = [part for part, (_, wanted) in parts if wanted]
        self._table.append(np.column_stack((times, *written)))
        self._rows_due.last = times[-1]

    def _add(self, state: State) -> None:
        self._mirror.show(state, whole=True)
        self._table.append(np.concatenate(([self._rows_due.last], *self._read()))[None])

    def finish(self, state: State) -> None:
        """Add a row for the last state, and write the file."""
        if self._rows_due.is_left(state):
            self._add(state)
        if not is_first_process():
            return
        text = StringIO()
        if self._settings["writeHeader"]:
            text.write(self._head())
        if self._table:
            text.write(write_rows(np.concatenate(self._table), self._format))
        create_output_folder(self.path.parent)
        before = self.path.read_bytes() if self._settings["append"] and self.path.is_file() else b""
        write_output(self.path, before + text.getvalue().encode(), SOLUTION_FILE, SOLUTION_FILE)

    def _read(self) -> list[FloatArray]:
        """Return the vectors of the MainSystem that are written to the file."""
        if not self._readers:
            data, none = self._mirror.mbs.systemData, np.zeros(0)
            self._readers = [getattr(data, f"Get{name}") if written else lambda: none for name, written in self._parts]
        return [read() for read in self._readers]

    def _head(self) -> str:
        """Return the header of the file, which consists of five lines of comments. From the last line, Exudyn reads the
        number of columns of each vector.
        """
        data, written = self._mirror.mbs.systemData, [len(part) for part in self._read()]
        sizes = [len(getattr(data, f"Get{name}Coordinates")()) for name in ("ODE2", "ODE1", "AE", "Data")]
        names = ", ".join(name for (name, _), size in zip(self._parts, written, strict=True) if size)
        lines = (
            f"solution file, {MARK.decode()}",
            f"columns: time [s], {names}",
            f"rows at least {self._settings['writePeriod']:g} s apart",
            f"number of system coordinates [nODE2, nODE1, nAlgebraic, nData] = {sizes}",
            f"number of written coordinates [nODE2, nVel2, nAcc2, nODE1, nVel1, nAlgebraic, nData] = {written}",
        )
        return "".join(f"#{line}\n" for line in lines)


def solve(
    kind: str,
    mbs: Any,
    settings: Any,
    solver: Any,
    *,
    updateInitialValues: bool = False,
    storeSolver: bool = True,
    mainSolver: Any = None,
    **other: Any,
) -> bool:
    """Execute a call of SolveStatic, SolveDynamic or SolveSystem with a solver of Windlass, and return True. See
    `export.answer`. The keyword arguments have the names and meanings of Exudyn's functions.

    Raises:
        NoCounterpart: Windlass has no equivalent of some items. The error is raised before the solve.
        ModelError: Windlass has no equivalent of a setting.
        NotConverged: the solve fails.
    """
    exudyn: Any = import_module("exudyn")

    how = describe_solve(kind, settings, solver)
    given: Mapping[str, Any] = how["settings"]
    model = import_system(mbs, ANSWERED, hold=kind == "static" and holds_states(given))
    state = model.initial_state()
    mirror = Mirror(mbs, model, kind == "static")
    ours: Static | Dynamic | Explicit
    if kind == "static":
        ours = model.create_static(given)
        state.t = float(given["staticSolver"]["loadStepStart"])
    else:
        step = {} if counts_steps(model) else lengthen_step(given, how["solver"], list_periods(model, given))
        ours = create_dynamic(model.world, given, how["solver"], **step)
        state.t = float(given["timeIntegration"]["startTime"])
    sensors, start = given["solution"]["sensors"], state.t

    def clock(state: State) -> float:
        if isinstance(ours, Static):
            return start + (float(ours.time or start) - start) * ours.reached
        return state.t

    hook = SensorHook(mirror, float(sensors["writePeriod"]), bool(sensors["active"]), clock)
    mirror.redirect_functions(ours)
    hooks: list[StepHook] = [hook]
    file = given["solution"]["file"]
    if file["write"]:
        hooks.append(SolutionFile(mirror, file, int(given["solution"]["precision"]), kind == "static", clock))
    if model.items["system_functions"]:
        functions = SystemFunctions(mbs, model, mirror.show_for_changes, ours)
        hooks = [*([functions.after] if "PostStep" in functions.functions else []), *hooks, functions.before]
    if storeSolver:
        mbs.sys["simulationSettings"] = settings
    if isinstance(ours, Static):
        state = ours.solve(state, [*model.hooks(), *hooks])
        state.t = float(ours.time or 0.0)
    else:
        state = solve_motion(model, ours, state, given, hooks)
    mirror.write(state, whole=True)
    if storeSolver:
        name = "staticSolver" if kind == "static" else "dynamicSolver"
        steps = SimpleNamespace(newtonStepsCount=ours.statistics.newton_iterations, currentTime=state.t)
        mbs.sys[name] = NoSolver(name, it=steps)
    if mainSolver is not None:
        mainSolver.it.newtonStepsCount = ours.statistics.newton_iterations
        mainSolver.it.currentTime = state.t
    if updateInitialValues:
        initial = exudyn.ConfigurationType.Initial
        mbs.systemData.SetSystemState(systemStateList=mbs.systemData.GetSystemState(), configuration=initial)
    return True


def counts_steps(model: Imported) -> bool:
    """Return whether results may depend on the number of steps, even if the errors of the steps are negligible: because
    of functions before or after steps, of functions with side effects, or of contact states.
    """
    has_states = any(system.post_newton is not None for system in parallel_assembly(model.world).systems)
    return bool(model.items["system_functions"]) or model.functions.may_notice() or has_states


def list_periods(model: Imported, settings: Mapping[str, Any]) -> list[float]:
    """Return the times [s] between two rows of sensors, and between two rows of the solution file."""
    solution = settings["solution"]
    found = [float(solution["sensors"]["writePeriod"])] if any(map(is_stored, model.items["sensors"])) else []
    return [*found, float(solution["file"]["writePeriod"])] if solution["file"]["write"] else found


def is_stored(sensor: Mapping[str, Any]) -> bool:
    """Return whether the rows of a sensor are stored or written to a file."""
    return bool(sensor["storeInternal"] or sensor["fileName"])


def stored_data(original: Any) -> Any:
    """Return the substitute for Exudyn's function GetSensorStoredData. The substitute returns the rows that Windlass
    has recorded.
    """

    def get(mbs: Any, sensorNumber: Any) -> Any:
        stored = mbs.sys.get(STORED, {})
        return stored[int(sensorNumber)] if int(sensorNumber) in stored else original(mbs, sensorNumber)

    return get


def note_errors(call: Callable[..., bool]) -> Callable[..., bool]:
    """Return a function that executes ``call`` and stores its errors in `ERRORS`."""

    def noted(*given: Any, **named: Any) -> bool:
        try:
            return call(*given, **named)
        except Exception as error:
            ERRORS.append(error)
            raise

    return noted


def tell_caught() -> None:
    """Print errors of solves that the script or Exudyn has caught, because results after these errors are wrong."""
    for error in ERRORS:
        # the first frame of a traceback is the frame of the function that has caught the error
        trace = error.__traceback__
        if trace is not None and not trace.tb_frame.f_globals["__name__"].startswith("windlass."):
            print(f"note: the script has caught an error of a solve: {type(error).__name__}: {error}", file=sys.stderr)


def answer_calls() -> None:
    """Replace Exudyn's solvers by solvers of Windlass, and suppress Exudyn's windows, for the rest of the process.

    Raises:
        ModelError: Exudyn is not installed.
    """
    try:
        exudyn: Any = import_module("exudyn")
    except ImportError as error:
        words = 'pip install "windlass[exudyn]"; models from windlass-export-exudyn do without it'
        raise ModelError(f"run-exudyn needs the package exudyn in its environment ({error}): {words}") from None

    # the objects of all imports exist until the end of the process, see `framework.kernels.kernel`
    gc.freeze()
    close_windows()
    answer(note_errors(solve), ModelError)
    atexit.register(tell_caught)
    answer_eigenvalues()
    exudyn.MainSystem.GetSensorStoredData = stored_data(exudyn.MainSystem.GetSensorStoredData)
