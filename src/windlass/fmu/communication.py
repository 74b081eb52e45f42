"""Requests of an FMU to the process that runs its model. Each request and each answer is one line of JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from windlass.fmu.stepwise import Kept, Stepwise, TimeSolver
from windlass.framework.assembly.parallel_assembly import parallel_assembly
from windlass.framework.checks.checks import check, number, that
from windlass.framework.command_line import options
from windlass.framework.errors import ModelError, WindlassError
from windlass.framework.output.probes import Probe, SensorLike
from windlass.framework.state.evaluate import load_outputs
from windlass.framework.state.hooks import Hook
from windlass.framework.state.state import State

NAME = that(
    lambda given: isinstance(given, str) and given.strip() == given != "" and given.isprintable() and given != "time",
    "a text other than 'time', without line breaks, and without spaces at its ends",
)
"""Check of the name of an input, an output or a parameter."""
PIPES = "WINDLASS_FMU"
"""Name of the environment variable that contains two file descriptors. From the first descriptor, the process of the
model reads requests. To the second descriptor, this process writes answers.
"""


@dataclass(frozen=True)
class Input:
    """An input variable: start value, unit, function that sets the value in the model, and description."""

    start: float
    unit: str
    set: Callable[[float], object]
    doc: str


def serve(
    pipes: str, inputs: Mapping[str, Input], outputs: Mapping[str, SensorLike], solver: TimeSolver, state: State | None,
    hooks: Sequence[Hook],
) -> State:  # fmt: skip
    """Execute the requests of an FMU until the FMU ends, and return the last state.

    Args:
        pipes: value of the environment variable `PIPES`.
        inputs, outputs: dictionaries from names of variables to input variables and to sensors.
        solver, state, hooks: arguments of `FMUInterface.solve`.

    Raises:
        ModelError: an output has more than one value, the model runs on several processes, or the FMU ends after a
            failed step.
        SystemExit: the importing tool has ended without a termination of the FMU.
    """
    read, write = (int(number) for number in pipes.split(","))
    with os.fdopen(read, encoding="utf-8") as requests, os.fdopen(write, "w", encoding="utf-8") as answers:

        def answer(**words: Any) -> None:
            answers.write(f"{json.dumps(words)}\n")
            answers.flush()

        answer(begun=True)
        size = parallel_assembly(solver.assembly.world).layout.size
        if size > 1:
            raise ModelError(f"processes = {size} of the model of an FMU: must be 1")
        model = ServedModel(inputs, outputs, Stepwise(solver, state, hooks))
        for line in requests:
            name, *given = json.loads(line)
            try:
                answer(value=getattr(model, name)(*given))
            except WindlassError as error:
                answer(error=str(error))
                if name == "finish":
                    raise
            if name == "finish":
                return model.solve.state
        model.solve.interrupt()
    # The results of the solve are incomplete and must not be used. Scripts usually do not catch SystemExit, so the
    # script ends here.
    raise SystemExit("the importing tool has ended without the end of the FMU (fmi2Terminate or fmi3Terminate)")


class ServedModel:
    """A model that executes requests. For each request, `serve` calls the public method with the name of the
    request.
    """

    def __init__(self, inputs: Mapping[str, Input], outputs: Mapping[str, SensorLike], solve: Stepwise) -> None:
        self._inputs, self.solve = inputs, solve
        self._values = {name: one.start for name, one in inputs.items()}
        self._kept: dict[int, tuple[Kept, dict[str, float]]] = {}
        self._count = 0
        self._probes: dict[str, Probe] = {}
        load_outputs(solve.state)
        for name, sensor in outputs.items():
            probe = self._probes[name] = sensor.create_probe(solve.state)
            if len(probe.columns) != 1:
                raise ModelError(
                    f"output {name!r} of FMUInterface has {len(probe.columns)} numbers: must have one; select a "
                    "component of the sensor"
                )

    def describe(self) -> dict[str, Any]:
        """Return variables, step size and end time of the model.

        Raises:
            ModelError: the name of an option is not allowed for variables, or is also the name of an input or output.
        """
        inputs = {name: {"start": i.start, "unit": i.unit, "doc": i.doc} for name, i in self._inputs.items()}
        outputs = {name: {"unit": probe.columns[0][1]} for name, probe in self._probes.items()}
        parameters = {item.name: {**asdict(item), "start": value} for item, value in options.model_options()}
        for name in parameters:
            check(NAME, "name of the option", name, "a model with FMUInterface")
        twice = [name for name in parameters if name in inputs or name in outputs]
        if twice:
            raise ModelError(f"name = {twice[0]!r} in FMUInterface: is already an option: must differ from all options")
        times = {"begin": self.solve.state.t, "end": self.solve.end, "step": self.solve.step}
        return {"inputs": inputs, "outputs": outputs, "parameters": parameters, **times}

    def put(self, name: str, value: float) -> None:
        """Set an input of the model. If the model raises an error, restore the previous value."""
        check(number(self._inputs[name].unit), "value", value, "FMUInterface")
        if value == self._values[name]:
            return
        self.solve.note_jump()
        try:
            self._inputs[name].set(value)
        except WindlassError:
            self._inputs[name].set(self._values[name])
            raise
        self._values[name] = value

    def get(self) -> dict[str, float]:
        """Return the values of all outputs, with accelerations that are consistent with the present inputs."""
        fields = load_outputs(self.solve.find_consistent())
        return {name: float(probe.read(fields)[0]) for name, probe in self._probes.items()}

    def advance(self, t: float, size: float) -> None:
        """Integrate from the time ``t`` [s] over a communication step of the length ``size`` [s]."""
        self.solve.advance(t, size)

    def keep(self) -> int:
        """Store the present state, and return the number that identifies the stored state."""
        self._count += 1
        self._kept[self._count] = self.solve.keep(), dict(self._values)
        return self._count

    def go_back(self, number: int) -> None:
        """Return to a stored state."""
        kept, values = self._kept[number]
        self._values = dict(values)
        for name, value in values.items():
            self._inputs[name].set(value)
        self.solve.go_back(kept)

    def drop(self, number: int) -> None:
        """Delete a stored state."""
        del self._kept[number]

    def finish(self) -> None:
        """End the solve, including its check of the results (verdict)."""
        self.solve.end_solve()
