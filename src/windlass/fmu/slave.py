"""The FMU of a model, for FMI 2: a file in the FMU, which passes the calls of the importing tool to a process that runs
the model script.

The process runs ``windlass run`` in the Python environment that made the FMU, or in the environment of the Python that
the environment variable WINDLASS_PYTHON names. This file needs pythonfmu, which is in the FMU, and no other package.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import tempfile
import weakref
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement

from pythonfmu import Boolean, DefaultExperiment, Fmi2Slave, Integer, Real
from pythonfmu import String as Text
from pythonfmu.enums import Fmi2Causality, Fmi2Initial, Fmi2Status, Fmi2Variability

PATIENCE = 60.0
"""Time that the process of a model has to end after the solve [s]."""
LONGEST_LOG = 4000
"""Largest number of characters of the output of a model in a message."""
KINDS = {"bool": Boolean, "int": Integer, "float": Real, "str": Text}


class ModelSlave(Fmi2Slave):  # type: ignore[misc,unused-ignore]
    """A model as an FMU; the files interface.json and model are in the resources."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self._folder = Path(str(self.resources))
        self._interface = json.loads((self._folder / "interface.json").read_text(encoding="utf-8"))
        self.modelName = self._interface["identifier"]
        self.description = self._interface["doc"]
        times = {"start_time": self._interface["begin"], "stop_time": self._interface["end"]}
        self.default_experiment = DefaultExperiment(**times, step_size=self._interface["step"])
        self._values: dict[str, Any] = {}
        self._outputs: dict[str, float] = {}
        self._process: ModelProcess | None = None
        self._begun = False
        for causality, group in (("input", "inputs"), ("output", "outputs"), ("parameter", "parameters")):
            for name, item in self._interface[group].items():
                self._add(name, causality, item)

    def _add(self, name: str, causality: str, item: dict[str, Any]) -> None:
        start = item.get("start", 0.0)
        kind = KINDS[type(start).__name__]
        settings: dict[str, Any] = {"causality": Fmi2Causality[causality], "description": item.get("doc") or None}
        settings["variability"] = Fmi2Variability.continuous
        if causality == "output":
            settings |= {"getter": lambda: self._read()[name], "initial": Fmi2Initial.calculated}
        else:
            self._values[name] = start
            settings |= {"getter": lambda: self._values[name], "setter": lambda value: self._set(name, value)}
        if causality == "parameter":
            settings |= {"variability": Fmi2Variability.fixed, "initial": Fmi2Initial.exact}
        self.register_variable(kind(name, **settings), nested=False)

    def to_xml(self, model_options: Any = None) -> Element:
        """Return the model description with units, bounds and initial unknowns."""
        root: Element = super().to_xml(model_options or {})
        # names of sensors may contain any characters
        root.set("variableNamingConvention", "flat")
        items: dict[str, Any] = {}
        for group in ("inputs", "outputs", "parameters"):
            items |= self._interface[group]
        outputs, units = [], list[str]()
        for k, variable in enumerate(root.iter("ScalarVariable"), start=1):
            item, value = items[str(variable.get("name"))], variable[0]
            if value.tag == "Real" and item.get("unit", "1") not in ("", "1"):
                value.set("unit", item["unit"])
                units.append(item["unit"])
            for bound, word in (("minimum", "min"), ("maximum", "max")):
                if item.get(bound) is not None and value.tag in ("Real", "Integer"):
                    value.set(word, repr(type(item["start"])(item[bound])))
            if variable.get("causality") == "output":
                outputs.append(str(k))
        if units:
            definitions = Element("UnitDefinitions")
            root.insert([part.tag for part in root].index("CoSimulation") + 1, definitions)
            for unit in dict.fromkeys(units):
                SubElement(definitions, "Unit", {"name": unit})
        if outputs:
            # the structure is the last part
            unknowns = SubElement(root[-1], "InitialUnknowns")
            for index in outputs:
                SubElement(unknowns, "Unknown", {"index": index})
        return root

    def setup_experiment(self, start_time: float, *_: Any) -> None:
        """Check the time at the start [s]."""
        begin = self._interface["begin"]
        if abs(start_time - begin) > 1e-9 * self._interface["step"]:
            raise ValueError(f"startTime = {start_time} s: must be {begin} s, the time at which the model begins")

    def exit_initialization_mode(self) -> None:
        """Start the model."""
        self._read()
        self._begun = True

    def do_step(self, current_time: float, step_size: float) -> bool:
        """Solve over a communication step [s]."""
        self._outputs = {}
        self._ask("advance", current_time, step_size)
        return True

    def terminate(self) -> None:
        """End the solve and the process; output of the model is written to the log."""
        if self._process is not None:
            process, self._process = self._process, None
            error = process.end()
            if error:
                self.log(error, Fmi2Status.warning)

    def _set(self, name: str, value: Any) -> None:
        if name in self._interface["inputs"]:
            if self._process is not None and value != self._values[name]:
                self._ask("put", name, value)
                self._outputs = {}
        elif value != self._values[name]:
            if self._begun:
                raise ValueError(f"parameter {name} = {value}: must be set before the end of the initialisation")
            # the model starts again with the new value
            if self._process is not None:
                self._process.kill()
            self._process, self._outputs = None, {}
        self._values[name] = value

    def _read(self) -> dict[str, float]:
        if not self._outputs:
            self._outputs = self._ask("get")
        return self._outputs

    def _ask(self, *request: Any) -> Any:
        if self._process is None:
            self._process = ModelProcess(self._folder, self._interface, self._values)
            for name in self._interface["inputs"]:
                self._process.ask("put", name, self._values[name])
        return self._process.ask(*request)

    def _get_fmu_state(self) -> dict[str, Any]:
        number = self._ask("keep")
        state = KeptState(values=dict(self._values), begun=self._begun, number=number)
        assert self._process is not None
        weakref.finalize(state, self._process.dropped.append, number)
        return state

    def _set_fmu_state(self, state: dict[str, Any]) -> None:
        self._ask("go_back", state["number"])
        self._values, self._outputs, self._begun = dict(state["values"]), {}, state["begun"]


class KeptState(dict[str, Any]):
    """A state of the FMU: values of variables, and the number of the state in the process of the model."""


class ModelProcess:
    """The process that runs the model script.

    Args:
        folder: the folder of the resources.
        interface: content of interface.json.
        values: values of inputs and parameters by name.
    """

    def __init__(self, folder: Path, interface: dict[str, Any], values: dict[str, Any]) -> None:
        words = list(interface["words"])
        for name, item in interface["parameters"].items():
            if values[name] != item["default"]:
                value = str(values[name]).lower() if isinstance(values[name], bool) else values[name]
                words += [f"-{name}", value if isinstance(value, str) else repr(value)]
        python = os.environ.get("WINDLASS_PYTHON") or interface["python"]
        command = [python, "-m", "windlass.commands.cli", "run", interface["script"], *words]
        if not os.access(python, os.X_OK):
            raise RuntimeError(f"Python of the model = {python}: no such program; WINDLASS_PYTHON names another")
        self.dropped: list[int] = []
        self._log = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115 (open to the end)
        answer, write = os.pipe()
        read, request = os.pipe()
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONHOME"}
        environment["WINDLASS_FMU"] = f"{read},{write}"
        settings: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": self._log, "stderr": subprocess.STDOUT}
        try:
            self._process = subprocess.Popen(
                command, cwd=folder / "model", env=environment, pass_fds=(read, write), **settings
            )
        finally:
            os.close(read)
            os.close(write)
        self._answers = os.fdopen(answer, encoding="utf-8")
        self._requests = os.fdopen(request, "w", encoding="utf-8")

    def ask(self, *request: Any) -> Any:
        """Return the answer of the model; raises RuntimeError with its message."""
        while self.dropped:
            self._send(["drop", self.dropped.pop()])
        return self._send(request)

    def _send(self, request: Any) -> Any:
        line = ""
        with contextlib.suppress(OSError):
            self._requests.write(f"{json.dumps(request)}\n")
            self._requests.flush()
            line = self._answers.readline()
        if not line:
            self.kill()
            text = self._read_log() or "the script has ended without a call of FMUInterface.solve"
            raise RuntimeError(f"the process of the model has ended: {text}")
        answer = json.loads(line)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer.get("value")

    def end(self) -> str:
        """End the solve and wait for the end of the script; return what there is to report."""
        try:
            self.ask("finish")
            self._process.wait(PATIENCE)
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            self.kill()
            return str(error)
        finally:
            self._close()
        return self._read_log() if self._process.returncode else ""

    def kill(self) -> None:
        """End the process at once."""
        self._process.kill()
        self._process.wait()
        self._close()

    def _close(self) -> None:
        for pipe in (self._requests, self._answers):
            with contextlib.suppress(OSError):
                pipe.close()

    def _read_log(self) -> str:
        self._log.seek(0)
        return self._log.read()[-LONGEST_LOG:].strip()
