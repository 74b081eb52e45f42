"""The FMU of a model. This file is copied into the FMU, and passes the calls of the importing tool to the process of
the model.

The file requires pythonfmu (FMI 2) or pythonfmu3 (FMI 3), which the FMU contains in the folder of this file.
"""

from __future__ import annotations

import contextlib
import json
import sys
import weakref
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement

from model_process import ModelProcess, RequestError

IS_THIRD = (Path(__file__).parent / "pythonfmu3").is_dir()
if IS_THIRD:
    from pythonfmu3 import Boolean, DefaultExperiment, Fmi3Slave, Fmi3StepResult, String
    from pythonfmu3 import Float64 as Real
    from pythonfmu3 import Int64 as Integer
    from pythonfmu3.enums import Fmi3Causality as Causality
    from pythonfmu3.enums import Fmi3Initial as Initial
    from pythonfmu3.enums import Fmi3Status as Status
    from pythonfmu3.enums import Fmi3Variability as Variability
else:
    from pythonfmu import Boolean, DefaultExperiment, Fmi2Slave, Integer, Real, String
    from pythonfmu.enums import Fmi2Causality as Causality
    from pythonfmu.enums import Fmi2Initial as Initial
    from pythonfmu.enums import Fmi2Status as Status
    from pythonfmu.enums import Fmi2Variability as Variability

KINDS = {"bool": Boolean, "int": Integer, "float": Real, "str": String}


# pythonfmu3 searches the next line for the name of the class
class ModelSlave(Fmi3Slave if IS_THIRD else Fmi2Slave):  # type: ignore[misc,unused-ignore]
    """A model as an FMU. The resources contain the file interface.json and the folder ``model``."""

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
        self._begun = self._ended = False
        # messages about inputs that the model has rejected, by name of the input
        self._refused: dict[str, str] = {}
        for causality, group in (("input", "inputs"), ("output", "outputs"), ("parameter", "parameters")):
            for name, item in self._interface[group].items():
                self._add(name, causality, item)
        self._time = float(self._interface["begin"])
        if IS_THIRD:
            settings = {"causality": Causality.independent, "variability": Variability.continuous}
            own = weakref.proxy(self)
            self.register_variable(Real("time", getter=lambda: own._time, **settings), nested=False)

    def _add(self, name: str, causality: str, item: dict[str, Any]) -> None:
        start = item.get("start", 0.0)
        kind = KINDS[type(start).__name__]
        settings: dict[str, Any] = {"causality": Causality[causality], "description": item.get("doc") or None}
        settings["variability"] = Variability.continuous
        # the weak reference avoids a reference cycle, so that the process ends when the instance is deleted
        own = weakref.proxy(self)
        if causality == "output":
            settings |= {"getter": lambda: own._read()[name], "initial": Initial.calculated}
        else:
            self._values[name] = start
            settings |= {"getter": lambda: own._values[name], "setter": lambda value: own._set(name, value)}
        if causality == "parameter":
            settings |= {"variability": Variability.fixed, "initial": Initial.exact}
        self.register_variable(kind(name, **settings), nested=False)

    def to_xml(self, model_options: Any = None) -> Element:
        """Return the model description of the base class with added units, bounds and initial unknowns."""
        root: Element = super().to_xml(model_options or {})
        # "flat" is necessary because names of sensors may contain characters that structured names do not allow
        root.set("variableNamingConvention", "flat")
        items: dict[str, Any] = {}
        for group in ("inputs", "outputs", "parameters"):
            items |= self._interface[group]
        outputs, units = [], list[str]()
        for k, variable in enumerate(next(part for part in root if part.tag == "ModelVariables"), start=1):
            item, value = items.get(str(variable.get("name")), {}), variable if IS_THIRD else variable[0]
            if value.tag in ("Real", "Float64") and item.get("unit", "1") not in ("", "1"):
                value.set("unit", item["unit"])
                units.append(item["unit"])
            for bound, word in (("minimum", "min"), ("maximum", "max")):
                if item.get(bound) is not None and value.tag not in ("Boolean", "String"):
                    value.set(word, repr(type(item["start"])(item[bound])))
            if variable.get("causality") == "output":
                outputs.append(str(k))
        if units:
            definitions = Element("UnitDefinitions")
            root.insert([part.tag for part in root].index("CoSimulation") + 1, definitions)
            for unit in dict.fromkeys(units):
                SubElement(definitions, "Unit", {"name": unit})
        if outputs and not IS_THIRD:
            # the last element of the description is the model structure
            unknowns = SubElement(root[-1], "InitialUnknowns")
            for index in outputs:
                SubElement(unknowns, "Unknown", {"index": index})
        return root

    def setup_experiment(self, start_time: float, *_: Any) -> None:
        """Check the start time [s].

        Raises:
            ValueError: the start time differs from the time at which the model begins.
        """
        begin = self._interface["begin"]
        if abs(start_time - begin) > max(1e-9 * self._interface["step"], 4.0 * sys.float_info.epsilon * abs(begin)):
            raise ValueError(f"startTime = {start_time} s: must be {begin} s, the time at which the model begins")

    def exit_initialization_mode(self) -> None:
        """Read the outputs. If the process of the model is not running yet, this request starts the process."""
        self._read()
        self._begun = True

    def do_step(self, current_time: float, step_size: float) -> Any:
        """Integrate from the time ``current_time`` [s] over a communication step of the length ``step_size`` [s], and
        return the status of the step in the form of the FMI version. If the model rejects the step, or has rejected the
        present value of an input, the status is "discard".
        """
        self._outputs = {}
        try:
            if self._refused:
                raise RequestError("; ".join(self._refused.values()))
            self._ask("advance", current_time, step_size)
        except RequestError as error:
            self.log(str(error), Status.error)
            return Fmi3StepResult(Status.discard) if IS_THIRD else False
        self._time = current_time + step_size
        return Fmi3StepResult() if IS_THIRD else True

    def terminate(self) -> None:
        """End the solve and the process of the model. If the process fails, write its error message to the log."""
        if self._process is not None:
            # Outputs are read before the end of the model, because the importing tool may request them later. After an
            # error, outputs may not be available.
            with contextlib.suppress(RuntimeError):
                self._read()
            process, self._process = self._process, None
            error = process.end()
            if error:
                self.log(error, Status.warning)
        self._ended = True

    def _set(self, name: str, value: Any) -> None:
        if name in self._interface["inputs"]:
            if self._process is not None and (value != self._values[name] or name in self._refused):
                self._refused.pop(name, None)
                self._outputs = {}
                if not self._put(self._process, name, value):
                    return
        elif value != self._values[name]:
            if self._begun:
                raise ValueError(f"parameter {name} = {value}: must be set before the end of the initialisation")
            if isinstance(value, str) and (not value or (value[0] == "-" and value.lstrip("-")[:1].isalpha())):
                raise ValueError(
                    f"parameter {name} = {value!r}: must not be empty, and must not begin with a dash and a letter"
                )
            # the process is killed here, and later started with the new value of the parameter
            if self._process is not None:
                self._process.kill()
            self._process, self._outputs = None, {}
        self._values[name] = value

    def _put(self, process: ModelProcess, name: str, value: Any) -> bool:
        """Set an input, and return whether the model has accepted the value."""
        try:
            process.ask("put", name, value)
        except RequestError as error:
            # the next step is discarded, because pythonfmu cannot return a status from this function
            self._refused[name] = f"input {name} = {value}: {error}"
            self.log(self._refused[name], Status.error)
            return False
        return True

    def _read(self) -> dict[str, float]:
        if not self._outputs:
            self._outputs = self._ask("get")
        return self._outputs

    def _ask(self, *request: Any) -> Any:
        if self._ended:
            raise RuntimeError("the FMU has ended: after terminate only values can be read; reset starts the FMU again")
        if self._process is None:
            self._process = process = ModelProcess(self._folder, self._interface, self._values)
            for name in self._interface["inputs"]:
                if not self._put(process, name, self._values[name]):
                    self._values[name] = process.ask("describe")["inputs"][name]["start"]
        return self._process.ask(*request)

    def _get_fmu_state(self) -> dict[str, Any]:
        number = self._ask("keep")
        process = self._process
        assert process is not None
        values = {"values": dict(self._values), "refused": dict(self._refused), "begun": self._begun}
        state = KeptState(**values, time=self._time, process=process, number=number)
        weakref.finalize(state, process.dropped.append, number)
        return state

    def _set_fmu_state(self, state: dict[str, Any]) -> None:
        if self._ended:
            raise RuntimeError("state of the FMU: is not valid after terminate; reset starts the FMU again")
        if state["process"] is self._process:
            self._ask("go_back", state["number"])
        elif state["begun"]:
            raise ValueError("state of the FMU: must have been stored after the last initialisation")
        elif self._process is not None:
            # the process is killed here, and later started with the values of the state
            self._process.kill()
            self._process = None
        self._values, self._outputs, self._begun = dict(state["values"]), {}, state["begun"]
        self._time, self._refused = state["time"], dict(state["refused"])


class KeptState(dict[str, Any]):
    """A state of the FMU: the values of variables, the process of the model, and the number that identifies the state
    in this process.
    """
