"""Means of sensors over time.

torque = Means([Sensor(motor, "force", name="torque")], start=2.35)
Dynamic(world, step=1e-4, end=2.45).solve(state, hooks=[torque])
torque["torque"], torque.duration
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import checked, each, number, optional
from windlass.framework.errors import ModelError
from windlass.framework.output.probes import SENSOR, Readings, SensorLike
from windlass.framework.state.evaluate import load_outputs
from windlass.framework.state.state import State

ROUNDING = 1e-9
"""Relative difference of two times that counts as a rounding error [1]."""


class Means(Readings):
    """Hook that computes means of sensors over time, by the trapezoidal rule over all steps.

    Steps may have different sizes. Compiled code reads sensors that are entries of the motion or of multipliers, such
    as velocities of bodies and forces of constraints on coordinates. Other sensors require one call of Python per step.

    Under MPI all processes call this hook and have the same means.

    Args:
        sensors: `Sensor` objects, or other objects with the same methods, with distinct names.
        start: the means begin with the first instant at or after this time [s]; default: with the first solve.

    Attributes:
        units: unit of each sensor, by name; if the numbers of a sensor have different units, the unit of the first
            number. Empty before the first instant.
        duration: length of the time interval of the means [s].

    Raises:
        ModelError: two sensors have the same name, or there are no sensors.
    """

    @checked(sensors=each(SENSOR, "a list of sensors"), start=optional(number("s")))
    def __init__(self, sensors: Sequence[SensorLike], start: float | None = None) -> None:
        super().__init__("Means", sensors, 1)
        if start is not None:
            self._earliest = float(start) - ROUNDING * abs(start)
        self.duration = 0.0
        # integrals over time; previous numbers and their time [s]; empty before the first instant
        self._integral = self._last = np.zeros(0)
        self._until = 0.0

    def __getitem__(self, name: str) -> FloatArray:
        """Return the mean of a sensor in its unit, in the shape of its value.

        Raises:
            ModelError: there is no such sensor, or no step is in the time of the means.
        """
        self._check_name(name)
        if not self.duration > 0.0:
            since = f" from t = {self._earliest:g} s on" if isfinite(self._earliest) else ""
            raise ModelError(f"the means have no steps{since}: a dynamic solve must go beyond their start")
        first, probe = self._places[name]
        return np.asarray(self._integral[first : first + len(probe.columns)].reshape(probe.shape) / self.duration)

    def before_solve(self, state: State, end: float, steps: int) -> None:
        """Bind the sensors, which compiled code may have to read before the first call of this hook."""
        super().before_solve(state, end, steps)
        if not self._probes:
            load_outputs(state)
            self._create_probes(state)

    def _take(self, rows: Sequence[FloatArray], marks: Sequence[tuple[float, int]]) -> None:
        """Add the trapezoids between successive records to the integrals."""
        for row, (t, _) in zip(rows, marks, strict=True):
            if not len(self._last):
                self._integral = np.zeros(len(row))
            elif t > self._until:
                self._integral += 0.5 * (t - self._until) * (self._last + row)
                self.duration += t - self._until
            self._last, self._until = row, t

    def _is_empty(self) -> bool:
        return not len(self._last)

    def checkpoint(self) -> dict[str, Any]:
        """The integrals; see `StepHook.checkpoint`."""
        sums = {"integral": self._integral, "last": self._last, "until": self._until, "duration": self.duration}
        return {"names": self.names, "steps": self._steps, "mark": self._mark, **sums}

    def restore(self, kept: Mapping[str, Any], state: State) -> None:
        """Continue the means of the interrupted run.

        Raises:
            ModelError: the sensors differ.
        """
        if kept["names"] != self.names:
            there, here = ", ".join(kept["names"]), ", ".join(self.names)
            raise ModelError(f"sensors of Means are {here}: must be the sensors of the checkpoint, {there}")
        self._steps, self._until, self.duration = int(kept["steps"]), float(kept["until"]), float(kept["duration"])
        self._integral, self._last = np.array(kept["integral"]), np.array(kept["last"])
        self._mark = None if kept["mark"] is None else (float(kept["mark"][0]), int(kept["mark"][1]))
