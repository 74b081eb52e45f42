"""Interface of a model as an FMU (Functional Mock-up Unit). The interface declares inputs and outputs, and executes a
solve that an importing tool controls.

    fmu = wl.FMUInterface()
    fmu.input("torque", 0.0, "N m", set=lambda value: world.set(motor, value=value))
    fmu.output(wl.Sensor(drum, "angular_velocity", 2, name="speed"))
    state = fmu.solve(wl.Dynamic(world, step=1e-3, end=5.0), state)

With ``windlass run``, inputs keep their start values, and `FMUInterface.solve` calls ``solve`` of the solver. In an
FMU, `FMUInterface.solve` executes the calls of the importing tool. Parameters of the FMU are the options of the model.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from windlass.fmu.communication import NAME, PIPES, Input, serve
from windlass.fmu.stepwise import TimeSolver
from windlass.framework.checks.checks import (
    check,
    checked,
    each,
    function,
    inside,
    instance,
    number,
    optional,
    that,
    word,
)
from windlass.framework.command_line.options import help_requested
from windlass.framework.errors import ModelError
from windlass.framework.output.probes import SENSOR, SensorLike
from windlass.framework.state.hooks import Hook, is_hook
from windlass.framework.state.state import State


class FMUInterface:
    """Inputs and outputs of a model for `windlass fmu`, and the solve that an importing tool controls."""

    def __init__(self) -> None:
        self._inputs: dict[str, Input] = {}
        self._outputs: dict[str, SensorLike] = {}
        self._solved = False

    @checked(name=NAME, start=inside(), unit=word(), set=function(), doc=word())
    def input(self, name: str, start: float, unit: str, *, set: Callable[[float], object], doc: str = "") -> None:
        """Declare an input, and set its start value.

        Args:
            name: name of the variable.
            start: value, in the given unit, until the importing tool sets another value.
            unit: unit of the value; ``"1"`` for dimensionless values.
            set: function that sets the value in the model, such as ``lambda torque: world.set(motor, value=torque)``.
                The value is finite, and constant between two communication points. The function can raise `ModelError`
                for a value that is not allowed. Other exceptions end the script.
            doc: short description.

        Raises:
            ModelError: the name is not allowed or is already an input or an output, or the start value is not finite.
        """
        check(number(unit), "start", start, "FMUInterface.input")
        self._check_new(name)
        self._inputs[name] = Input(float(start), unit, set, doc)
        set(float(start))

    @checked(sensor=SENSOR)
    def output(self, sensor: SensorLike) -> None:
        """Declare an output, which is a sensor with one value. The name of the variable is the name of the sensor.

        Raises:
            ModelError: the name is already an input or an output, or is not allowed.
        """
        check(NAME, "name of the sensor", sensor.name, "FMUInterface.output")
        self._check_new(sensor.name)
        self._outputs[sensor.name] = sensor

    @checked(
        solver=instance("Dynamic", "Explicit"),
        state=optional(instance(State)),
        hooks=each(that(is_hook, "a StepHook or a function of the state"), "a list of hooks"),
    )
    def solve(self, solver: TimeSolver, state: State | None = None, hooks: Sequence[Hook] = ()) -> State:
        """Call ``solver.solve(state, hooks)`` or, in an FMU, execute the calls of the importing tool.

        Args:
            solver: a solver that integrates in time. The step of the solver is the largest step size. Steps are
                shortened such that they end at communication points. The end time of the solver is the default end time
                of the FMU.
            state: initial state. Its time is the start time of the FMU.
            hooks: user code around steps. If the importing tool returns to an earlier state of the FMU, the ``restore``
                methods of hooks receive the data that ``checkpoint`` returned at this state.

        Returns:
            The last state.

        Raises:
            ModelError: the method is called twice. In an FMU, this error is also raised if an output has more than one
                value, or if the model runs on several processes.
            NotConverged: a step failed. In an FMU, this error is not raised, but the call of the importing tool fails.
        """
        if self._solved:
            raise ModelError("solve of FMUInterface is called twice: must be called once")
        self._solved = True
        # the variable is removed, because other programs that the script starts must not inherit the pipes
        pipes = os.environ.pop(PIPES, "")
        if not pipes or help_requested():
            return solver.solve(state, hooks)
        return serve(pipes, self._inputs, self._outputs, solver, state, hooks)

    def _check_new(self, name: str) -> None:
        if name in self._inputs or name in self._outputs:
            kind = "an input" if name in self._inputs else "an output"
            raise ModelError(
                f"name = {name!r} in FMUInterface: is already {kind}: must differ from all other variables"
            )
