"""Controller that was exported by another program as an FMU (Functional Mock-up Unit of FMI 2 or 3 for co-simulation).

    exchange at t_k = t_0 + k H:    u_k = sensors at t_k,    y_k = outputs of the FMU at t_k
    between t_k and t_k+1:          the FMU computes with u_k, the model with y_k

Therefore the error of the coupling is proportional to the exchange step H. A step of the solver ends at each time t_k.

Source: Functional Mock-up Interface Specification 2.0.4 and 3.0.1, Modelica Association. The library FMPy loads FMUs.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import inf
from pathlib import Path
from typing import Any, Self

import numpy as np

from windlass.framework.assembly.parallel_assembly import parallel_assembly
from windlass.framework.checks.checks import check, checked, number, optional, path, suggest, that
from windlass.framework.checks.values import show
from windlass.framework.errors import ModelError
from windlass.framework.model.system import Fields
from windlass.framework.output.probes import Probe, SensorLike
from windlass.framework.state.evaluate import load_outputs
from windlass.framework.state.hooks import ROUNDING, IdleSteps, StepHook, find_rounding
from windlass.framework.state.state import State

Value = int | float | bool | str | np.number[Any] | np.bool_
"""Type of a start value of a variable."""
PIP_LINE = "pip install 'fmpy>=0.3.20,<1'"
LAST_MESSAGES = 3
"""Number of the most recent messages of an FMU that an error message quotes."""
ERROR, FATAL = 3, 4
"""Status values of failed calls of an FMU. After ERROR, FMI allows only calls that end the instance. After FATAL, FMI
allows no call.
"""
KINDS: tuple[tuple[tuple[str, ...], Callable[[Any], bool], str], ...] = (
    (
        ("Real", "Float"),
        lambda given: isinstance(given, int | float) and not isinstance(given, bool) and abs(given) < inf,
        "a finite number",
    ),
    (("Int", "UInt", "Enumeration"), lambda given: type(given) is int, "a whole number"),
    (("Boolean",), lambda given: given in (0, 1), "True or False"),
    (("String",), lambda given: isinstance(given, str), "a text"),
)
"""For each group of types of variables: prefixes of the names of the types, test of a value, and text about the allowed
values."""
LAST_LOGGER: deque[Any] = deque(maxlen=1)
"""Callbacks of the last FMU instance of FMI 2. FMPy passes the messages of all instances to the logger of the last
instance. This also happens after the end of this instance. Therefore the callbacks must remain in memory.
"""
NUMBERS = ("Real", "Integer", "Boolean", "Enumeration", "Float", "Int", "UInt")
"""Prefixes of the types of variables whose values are numbers."""


def plain(given: Any) -> Any:
    """Return a scalar of NumPy as a Python object, and other objects unchanged."""
    return given.item() if isinstance(given, np.generic) else given


def named(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """Return a function that tests whether an object is a dictionary with names as keys, and with values that pass the
    test ``fits``."""
    return lambda given: isinstance(given, Mapping) and all(isinstance(k, str) and fits(v) for k, v in given.items())


SENSORS = that(
    named(lambda given: hasattr(given, "create_probe")),
    "sensors by the name of an input of the FMU, such as {'w': ...}",
)
SETTERS = that(named(callable), "functions of one number by the name of an output of the FMU, such as {'torque': ...}")
VALUES = that(
    named(lambda given: isinstance(plain(given), int | float | bool | str)), "numbers, truth values or texts by name"
)


class FMUController(StepHook):
    """Runs an FMU as a controller in a simulation of a model. The object is a hook of the solves that the FMU controls,
    and a context manager that ends the FMU.

    Args:
        file: the FMU, of FMI 2 or 3, for co-simulation.
        step: time between two exchanges H [s]. Solvers shorten steps such that a step ends at the time of each
            exchange.
        inputs: dictionary from the names of inputs of the FMU to sensors with one scalar value each. At each exchange,
            an input receives the value of its sensor.
        outputs: dictionary from the names of outputs of the FMU to functions that apply the value to the model, such as
            ``lambda torque: world.set(motor, value=torque)`` [unit of the output].
        parameters: values of parameters and start values of the FMU, by name. With None, the FMU uses its default
            values.

    Attributes:
        values: last values of the used outputs, by name; empty before the first exchange.

    Raises:
        ModelError: FMPy is not installed, the file is not an FMU for co-simulation on this platform, or the FMU has no
            variable with a given name and the required causality. In a solve the error is raised if a call of the FMU
            fails (the error quotes the last messages of the FMU), an output of the FMU is not finite, the start time is
            not between the last and the next exchange, or a restart needs a state that the FMU cannot store.
    """

    @checked(file=path(), step=number("s", above=0.0), inputs=SENSORS, outputs=SETTERS, parameters=optional(VALUES))
    def __init__(
        self,
        file: str | os.PathLike[str],
        *,
        step: float,
        inputs: Mapping[str, SensorLike],
        outputs: Mapping[str, Callable[[float], object]],
        parameters: Mapping[str, Value] | None = None,
    ) -> None:
        self._file, self._step = Path(file), float(step)
        self._sensors, self._setters = dict(inputs), dict(outputs)
        self._slave = Slave(self._file, {name: plain(value) for name, value in (parameters or {}).items()})
        self._slave.require(self._sensors, ("input",), "inputs")
        self._slave.require(self._setters, ("output", "local", "calculatedParameter"), "outputs")
        self._probes: list[Probe] = []
        self._begin = self._reached = 0.0
        self._count = -1
        # _begins is true until the first step of a solve, _is_first is true until the first exchange of this solve
        self._begins = self._is_first = True
        self.values: dict[str, float] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the FMU. A later solve begins with a new instance."""
        self._slave.close()
        self._count = -1
        self.values = {}

    def before_solve(self, state: State, end: float, steps: int) -> None:
        """Prepare a solve. The start time is checked later, because a restart or a return to an earlier state may
        follow before the first step.
        """
        self._begins = self._is_first = True
        # the model may have changed since the last solve
        self._probes = []

    def _check_start(self, state: State) -> None:
        """Raise ModelError if the start time of a solve is not between the last and the next exchange."""
        rounding = find_rounding(state.t, self._step)
        if self._count >= 0 and not self._reached - rounding <= state.t <= self._next + rounding:
            times = f"{self._reached:.9g} s to {self._next:.9g} s"
            raise ModelError(
                f"t = {state.t:.9g} s at the start of a solve with {self._file.name}: must be from {times}, which the "
                "FMU has reached; close() begins again"
            )

    @property
    def _next(self) -> float:
        """Time [s] of the next exchange."""
        return self._begin + (self._count + 1) * self._step

    def before_step(self, state: State) -> None:
        """Exchange values if an exchange is due.

        Raises:
            ModelError: the start time of the solve is not between the last and the next exchange, or an output of the
                FMU is not finite.
        """
        self.changes_forces = False
        if self._begins:
            self._begins = False
            self._check_start(state)
        if self._count >= 0 and state.t < self._next - find_rounding(state.t, self._step):
            return
        if self._count < 0:
            self._begin = self._reached = state.t
            self._slave.start(state.t)
        else:
            self._slave.advance(self._reached, state.t - self._reached)
        self._reached = state.t
        self._count = round((state.t - self._begin) / self._step)
        self._slave.put(dict(zip(self._sensors, self._measure(state), strict=True)))
        values = self._slave.get(list(self._setters), state.t)
        # Accelerations are computed again if outputs change discontinuously. The first exchange also counts as a
        # change, because user code may have changed the model before the solve.
        self.changes_forces = values != self.values or self._is_first
        self.values, self._is_first = values, False
        for name, value in values.items():
            self._setters[name](value)

    def next_stop(self, state: State) -> float:
        """Return the time [s] of the next exchange."""
        return self._next

    def idle_steps(self, state: State, size: float) -> IdleSteps:
        """Return the steps that the solver can make before the next exchange."""
        return IdleSteps(max(0, int((self._next - state.t) / size - ROUNDING) - 1))

    def find_obstacle(self) -> str:
        """Return the reason why the FMU cannot store its state. If the FMU can store its state, return "". Without a
        stored state a restart is impossible.
        """
        return self._slave.find_obstacle()

    def checkpoint(self) -> dict[str, Any]:
        """Return the time of the first exchange, the time of the last exchange, the number of exchanges, the exchanged
        values, and the state of the FMU. See `StepHook.checkpoint`.
        """
        kept = {"begin": self._begin, "reached": self._reached, "count": self._count, "values": dict(self.values)}
        kept["first"] = self._is_first
        return kept | {"state": self._slave.store() if self._count >= 0 else None}

    def restore(self, kept: Mapping[str, Any], state: State) -> None:
        """Restore the values of `checkpoint`, start an instance of the FMU with the stored state, and apply the stored
        outputs to the model.

        Raises:
            ModelError: the FMU cannot store its state.
        """
        self._begin, self._reached, self._count = float(kept["begin"]), float(kept["reached"]), int(kept["count"])
        self._is_first = bool(kept["first"])
        self.values = {name: float(value) for name, value in kept["values"].items()}
        if self._count >= 0:
            self._slave.start(self._begin)
            self._slave.restore(kept["state"])
            for name, value in self.values.items():
                self._setters[name](value)

    def _measure(self, state: State) -> list[float]:
        """Return the value of each sensor at the given state."""
        fields: Fields = load_outputs(state)
        if not self._probes:
            for name, sensor in self._sensors.items():
                probe = sensor.create_probe(state)
                if len(probe.columns) != 1:
                    given = f"sensor of the input {name!r} of {self._file.name} has {len(probe.columns)} numbers"
                    raise ModelError(f"{given}: must have one; select a component")
                self._probes.append(probe)
        row = np.array([float(probe.read(fields)[0]) for probe in self._probes])
        measured: list[float] = parallel_assembly(state.world).processes.sum(row).tolist()
        return measured


class Slave:
    """An FMU of FMI 2 or 3 for co-simulation. If a call fails, an error is raised that quotes the messages of the FMU.

    Args:
        file: the FMU.
        parameters: start values by the name of a variable.
    """

    def __init__(self, file: Path, parameters: Mapping[str, Value]) -> None:
        if importlib.util.find_spec("fmpy") is None:
            raise ModelError(f"FMUController needs FMPy, which is not installed: {PIP_LINE}")
        if not file.is_file():
            raise ModelError(f"file = {file} in FMUController: no such file")
        import fmpy  # imported here, because the package is optional and large

        self._fmpy, self._file, self._parameters = fmpy, file, dict(parameters)
        try:
            self._model = fmpy.read_model_description(str(file))
        except Exception as error:
            raise ModelError(f"file = {file} in FMUController: must be an FMU: {error}") from None
        if self._model.coSimulation is None or self._model.fmiVersion.startswith("1"):
            kind = f"FMI {self._model.fmiVersion}" if self._model.coSimulation else "model exchange only"
            raise ModelError(f"file = {file} in FMUController: must be for co-simulation by FMI 2 or 3, has {kind}")
        if fmpy.platform not in fmpy.supported_platforms(str(file)):
            there = ", ".join(fmpy.supported_platforms(str(file))) or "none"
            raise ModelError(f"file = {file} in FMUController: must have a library for {fmpy.platform}, has {there}")
        self._variables = {variable.name: variable for variable in self._model.modelVariables}
        self.require(self._parameters, ("parameter", "structuralParameter", "input", "local", "output"), "parameters")
        for name, value in self._parameters.items():
            kind = str(self._variables[name].type)
            for beginnings, fits, words in KINDS:
                if kind.startswith(beginnings) and not fits(value):
                    given = f"parameters of {file.name} in FMUController: {name} = {show(value)}"
                    raise ModelError(f"{given}: must be {words}, for the type {kind}")
        self._messages: deque[str] = deque(maxlen=LAST_MESSAGES)
        self._failures: list[int] = []
        self._fmu: Any = None
        self._end: Any = None

    def require(self, names: Mapping[str, object], causalities: tuple[str, ...], what: str) -> None:
        """Raise ModelError if a name is not a scalar variable of the FMU with one of the given causalities, or if a
        variable other than a parameter is not numerical.
        """
        able = [
            name
            for name, variable in self._variables.items()
            if (variable.causality or "local") in causalities
            and (what == "parameters" or variable.type.startswith(NUMBERS))
            and not getattr(variable, "dimensions", None)
        ]
        for name in names:
            if name not in able:
                words = suggest(name, able) if able else "the FMU has none"
                raise ModelError(f"{what} of {self._file.name} = {name!r} in FMUController: {words}")

    def start(self, t: float) -> None:
        """Start a new instance at a time [s]."""
        self.close()
        from fmpy.simulation import apply_start_values  # imported here, because the package is optional and large

        messages = self._messages

        def log(*given: Any) -> None:
            # Status, category and text are the last arguments in all versions of FMI. Status 0 means success.
            if given[-3] and given[-1]:
                messages.append(given[-1].decode("utf-8", "replace"))

        folder = self._fmpy.extract(str(self._file))
        self._failures = []
        with self._calls(t):
            self._fmu = self._fmpy.instantiate_fmu(folder, self._model, "CoSimulation", debug_logging=True, logger=log)
            if not self._is_third:
                LAST_LOGGER.append(self._fmu.callbacks)
            self._end = weakref.finalize(self, end, self._fmu, folder, self._failures)
            if self._is_third:
                apply_start_values(self._fmu, self._model, self._parameters)
                self._fmu.enterInitializationMode(startTime=t)
            else:
                self._fmu.setupExperiment(startTime=t)
                apply_start_values(self._fmu, self._model, self._parameters)
                self._fmu.enterInitializationMode()
            self._fmu.exitInitializationMode()

    @property
    def _is_third(self) -> bool:
        return bool(self._model.fmiVersion.startswith("3"))

    def advance(self, t: float, size: float) -> None:
        """Advance the instance from the time ``t`` [s] by the step ``size`` [s]."""
        with self._calls(t):
            self._fmu.doStep(t, size)

    def put(self, values: Mapping[str, float]) -> None:
        """Set inputs of the FMU to the values given by name."""
        with self._calls():
            for name, value in values.items():
                variable = self._variables[name]
                whole = not variable.type.startswith(("Real", "Float"))
                given = [round(value) if whole else value]
                getattr(self._fmu, f"set{self._call(variable)}")([variable.valueReference], given)

    def get(self, names: list[str], t: float) -> dict[str, float]:
        """Return the values of variables at a time [s].

        Raises:
            ModelError: a value is not finite.
        """
        found = {}
        with self._calls():
            for name in names:
                variable = self._variables[name]
                found[name] = float(getattr(self._fmu, f"get{self._call(variable)}")([variable.valueReference])[0])
        for name, value in found.items():
            unit = self._variables[name].unit or ""
            check(number(unit), f"{self._file.name} at t = {t:.9g} s: output {name}", value, None)
        return found

    def _call(self, variable: Any) -> str:
        """Return the type of a variable in the form that names of FMI functions contain, such as "Int64" in
        "getInt64".
        """
        if variable.type == "Enumeration":
            return "Int64" if self._is_third else "Integer"
        return str(variable.type)

    def find_obstacle(self) -> str:
        """Return the reason why the FMU cannot store its state. If the FMU can store its state, return ""."""
        able, names = self._model.coSimulation, ("canGetAndSetFMUstate", "canSerializeFMUstate")
        if all(getattr(able, name, False) for name in names):
            return ""
        return f"{self._file.name} cannot store its state (canSerializeFMUstate): must be able to do so for a restart"

    def store(self) -> np.ndarray[Any, np.dtype[np.uint8]] | None:
        """Return the state of the instance as bytes. If the FMU cannot store its state, return None."""
        if self.find_obstacle():
            return None
        word = "State" if self._is_third else "state"
        with self._calls():
            state = getattr(self._fmu, f"getFMU{word}")()
            stored = getattr(self._fmu, f"serializeFMU{word}")(state)
            getattr(self._fmu, f"freeFMU{word}")(state)
        return np.frombuffer(stored, np.uint8).copy()

    def restore(self, stored: Any) -> None:
        """Set the state of the instance to stored bytes.

        Raises:
            ModelError: the FMU cannot store its state.
        """
        if stored is None or not np.size(stored):
            raise ModelError(self.find_obstacle() or f"{self._file.name}: the checkpoint has no state of this FMU")
        with self._calls():
            data = np.asarray(stored, np.uint8).tobytes()
            if self._is_third:
                self._fmu.setFMUState(self._fmu.deserializeFMUState(data))
            else:
                self._fmu.setFMUstate(self._fmu.deSerializeFMUstate(data))

    def close(self) -> None:
        """End the instance."""
        if self._end is not None:
            self._end()
        self._fmu = self._end = None

    def _calls(self, t: float | None = None) -> Calls:
        return Calls(self._file.name, self._messages, self._failures, t)


class Calls:
    """Context manager for calls of an FMU that replaces errors by a ModelError with the last messages of the FMU."""

    def __init__(self, name: str, messages: Iterable[str], failures: list[int], t: float | None) -> None:
        self._name, self._messages, self._failures, self._t = name, messages, failures, t

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, Exception):
            self._failures.append(getattr(error, "status", FATAL))
            at = "" if self._t is None else f" at t = {self._t:.9g} s"
            raise ModelError("\n  ".join([f"{self._name}{at}: {error}", *self._messages])) from None


def end(fmu: Any, folder: str, failures: Sequence[int]) -> None:
    """End an instance of an FMU and delete its files. ``failures`` contains the status values of failed calls, which
    determine the calls that FMI still allows.
    """
    worst = max(failures, default=0)
    # errors that occur after the last step do not affect results
    with contextlib.suppress(Exception):
        if worst < ERROR:
            fmu.terminate()
    with contextlib.suppress(Exception):
        if worst < FATAL:
            fmu.freeInstance()
    shutil.rmtree(folder, ignore_errors=True)
