"""Means of sensors over time.

The following lines compute the mean torque of a motor from 2.35 s to the end of a motion, and the duration of this
interval:

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
from windlass.framework.command_line.notes import say_once
from windlass.framework.errors import ModelError
from windlass.framework.output.probes import SENSOR, Readings, SensorLike
from windlass.framework.state.evaluate import load_outputs
from windlass.framework.state.state import State

ROUNDING = 1e-12
"""Two times with at most this relative difference [1] are treated as equal, because the difference may be a rounding
error.
"""


class Means(Readings):
    """Hook that computes means of sensors over time, by the trapezoidal rule over all steps.

    Steps may have different sizes. Compiled code reads sensors if their values are entries of the motion or of the
    multipliers, such as velocities of bodies and forces of constraints on coordinates. Other sensors require one call
    of Python per step.

    One hook can be used in several successive solves. The means then include the time intervals of all these solves,
    but not the time between the solves. If a solve begins before the end time of the previous solve, the means begin
    again. The ``start`` of a restarted run may be later than the ``start`` of the interrupted run. A later ``start``
    must not precede the last step that the means of the interrupted run include. A ``start`` that is earlier than the
    ``start`` of the interrupted run causes an error, because the interrupted run has not recorded values before its
    ``start``.

    Under MPI, all processes call this hook, and the means are equal on all processes.

    Args:
        sensors: `Sensor` objects, or other objects with the methods of `SensorLike`. Their names must be distinct.
        start: time [s]. The means begin at the first recorded instant that is not earlier than this time. Default: the
            start of the first solve.

    Attributes:
        units: unit of each sensor, by name. For a sensor with components of different units, ``units`` contains the
            unit of the first component. Before the first instant, ``units`` is empty.
        duration: length [s] of the time interval of the means.

    Raises:
        ModelError: two sensors have equal names, or no sensors are given.
    """

    @checked(sensors=each(SENSOR, "a list of sensors"), start=optional(number("s")))
    def __init__(self, sensors: Sequence[SensorLike], start: float | None = None) -> None:
        super().__init__("Means", sensors, 1)
        self._from = start
        if start is not None:
            self._earliest = float(start) - ROUNDING * abs(start)
        self.duration = 0.0
        # integrals over time, and values at the previous instant (both arrays are empty before the first instant)
        self._integral = self._last = np.zeros(0)
        self._until = 0.0

    def __getitem__(self, name: str) -> FloatArray:
        """Return the mean of a sensor, in the unit and with the shape of the sensor's value.

        Raises:
            ModelError: no sensor has this name, or the time interval of the means contains no step.
        """
        self._check_name(name)
        if not self.duration > 0.0:
            since = f" from t = {self._earliest:g} s on" if isfinite(self._earliest) else ""
            raise ModelError(f"the means have no steps{since}: a dynamic solve must go beyond their start")
        first, probe = self._places[name]
        return np.asarray(self._integral[first : first + len(probe.columns)].reshape(probe.shape) / self.duration)

    def before_solve(self, state: State, end: float, steps: int) -> None:
        """Bind the sensors to the model, and discard the values that were recorded at the end of an earlier solve. The
        sensors are bound before the first step, because compiled code may read the sensors in this step.
        """
        super().before_solve(state, end, steps)
        if not self._probes:
            load_outputs(state)
            self._create_probes(state)
        # previous values are discarded, because the state may have changed between two solves
        self._last, self._mark = np.zeros(0), None
        if self._from is not None and end < self._earliest and self._by_time:
            say_once("means", [f"they begin at t = {self._from:g} s, after the end of this solve at {end:g} s"])

    def _take(self, rows: Sequence[FloatArray], marks: Sequence[tuple[float, int]]) -> None:
        """Add the trapezoids between successive records to the integrals."""
        table, times = np.array(rows), np.array([t for t, _ in marks])
        integral, duration = self._integral, self.duration
        if len(self._last):
            table, times = np.vstack((self._last, table)), np.append(self._until, times)
        elif not len(integral) or times[0] < self._until - ROUNDING * abs(self._until):
            integral, duration = np.zeros(table.shape[1]), 0.0
        sizes = np.diff(times)
        parts = 0.5 * sizes[:, None] * (table[:-1] + table[1:])
        # values are added one after the other, so that rounding errors of the sums do not depend on the number of
        # records per call
        integral = np.vstack((integral, parts)).cumsum(axis=0)[-1]
        duration = float(np.append(duration, sizes).cumsum()[-1])
        self._integral, self.duration, self._last, self._until = integral, duration, table[-1], float(times[-1])

    def _is_empty(self) -> bool:
        return not len(self._last)

    def checkpoint(self) -> dict[str, Any]:
        """Return the integrals. See `StepHook.checkpoint`."""
        sums = {"integral": self._integral, "last": self._last, "until": self._until, "duration": self.duration}
        columns = [list(column) for probe in self._probes for column in probe.columns]
        return {"columns": columns, "start": self._from, "steps": self._steps, "mark": self._mark, **sums}

    def restore(self, kept: Mapping[str, Any], state: State) -> None:
        """Continue the means of the interrupted run.

        Raises:
            ModelError: the sensors differ, or the ``start`` of this run is not allowed (see `Means`).
        """
        if not self._probes:
            load_outputs(state)
            self._create_probes(state)
        columns = [list(column) for probe in self._probes for column in probe.columns]
        if [list(column) for column in kept["columns"]] != columns:
            there, here = (", ".join(f"{name} [{unit}]" for name, unit in each) for each in (kept["columns"], columns))
            raise ModelError(f"sensors of Means give {here}: must be the sensors of the checkpoint, {there}")
        if kept["start"] != self._from:
            began = kept["duration"] > 0.0
            is_earlier = kept["start"] is not None and (self._from is None or self._from < kept["start"])
            if is_earlier or (began and self._earliest < kept["until"]):
                there, here = (
                    "the start of the solve" if t is None else f"{t:g} s" for t in (kept["start"], self._from)
                )
                later = f"later than its last step at {kept['until']:g} s" if began else "later"
                raise ModelError(f"start of Means is {here}: must be {there}, as in the interrupted run, or {later}")
            self._steps = int(kept["steps"])
            return
        self._steps, self._until, self.duration = int(kept["steps"]), float(kept["until"]), float(kept["duration"])
        self._integral, self._last = np.array(kept["integral"]), np.array(kept["last"])
        self._mark = None if kept["mark"] is None else (float(kept["mark"][0]), int(kept["mark"][1]))
