"""Sensors that are bound to a model, and hooks that read sensors. If the values of all sensors are entries of arrays of
the state, compiled code reads the sensors.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from itertools import product
from typing import NamedTuple, Protocol

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.parallel_assembly import parallel_assembly
from windlass.framework.checks.checks import checked, instance, that
from windlass.framework.errors import ModelError
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.drawing import FieldEntries
from windlass.framework.model.system import Fields
from windlass.framework.model.world import World
from windlass.framework.output.every_nth import EveryNth, RecordNumbers
from windlass.framework.state.evaluate import load_outputs
from windlass.framework.state.state import State, check_world


class Probe(NamedTuple):
    """A sensor that is bound to the coordinate numbers of a model and can therefore be evaluated.

    Attributes:
        columns: (name, unit) of each component of the sensor, in the order of the values that ``read`` returns.
        shape: shape of the value at one instant. The columns contain the components in C order.
        read: function of the fields that returns the values of all columns, shape (columns,), with 0 for values that
            other processes evaluate.
        entries: None if compiled code cannot read the values. Otherwise a function without arguments that returns the
            `FieldEntries` of the values, shape (columns,). The function is called again after the model has changed.
    """

    columns: list[tuple[str, str]]
    shape: tuple[int, ...]
    read: Callable[[Fields], FloatArray]
    entries: Callable[[], FieldEntries] | None = None


class SensorLike(Protocol):
    """Interface of a quantity that `Sensors` records. The quantity has a name, and creates a `Probe` for a model."""

    @property
    def name(self) -> str:
        """Name of the sensor, which is the key of its values. Names of sensors must be distinct."""

    def create_probe(self, state: State) -> Probe:
        """Create the `Probe` of the sensor for the model of a state. The call is collective."""


SENSOR = that(
    lambda given: hasattr(given, "create_probe") and hasattr(given, "name") and not isinstance(given, type), "a sensor"
)
ARRAYS = ("x", "v", "a", "lam")
"""Names of the arrays of `FieldEntries`, in the order of their indices in `read_entries`."""


def name_columns(name: str, unit: str, shape: tuple[int, ...]) -> list[tuple[str, str]]:
    """Return (name, unit) of each component of a value. The name of a scalar is ``name``. The names of the components
    of an array are ``name[0]``, ``name[0][1]`` and so on.
    """
    return [("".join([name, *(f"[{i}]" for i in index)]), unit) for index in product(*map(range, shape))]


@kernel(fast=False)
def read_entries(
    due: IntArray, array: IntArray, index: IntArray, shift: FloatArray, factor: FloatArray, reference: FloatArray,
    q: FloatArray, v: FloatArray, a: FloatArray, lam: FloatArray, values: FloatArray,
) -> None:  # fmt: skip
    """If due[0] is not 0, write factor * (entry - shift) to ``values`` for entries of the arrays of the state; see
    `FieldEntries`.

    For each of n entries, ``array`` contains the index in `ARRAYS` of the array with the entry, or -1 if the entry is
    always 0. The arguments ``array``, ``index``, ``shift``, ``factor`` and ``values`` have the shape (n,).
    """
    if due[0] == 0:
        return
    for k in range(len(array)):
        i, value = index[k], 0.0
        if array[k] == 0:
            value = reference[i] + q[i]
        elif array[k] == 1:
            value = v[i]
        elif array[k] == 2:
            value = a[i]
        elif array[k] == 3:
            value = lam[i]
        values[k] = factor[k] * (value - shift[k])


class Readings(EveryNth):
    """Base class of hooks that read sensors at the start, at every n-th step, and at the end of a solve.

    Args:
        what: name of the hook in messages.
        sensors: `Sensor` objects, or other objects with the methods of `SensorLike`. Their names must be distinct.
        every: number n. The sensors are read at every n-th step.

    Attributes:
        units: unit of each sensor, by name. For a sensor with components of different units, ``units`` contains the
            unit of the first component. Before the first record, ``units`` is empty.

    Raises:
        ModelError: two sensors have equal names, or no sensors are given.
    """

    def __init__(self, what: str, sensors: Sequence[SensorLike], every: int) -> None:
        names = [sensor.name for sensor in sensors]
        if not names:
            raise ModelError(f"sensors of {what} are empty: must be at least one sensor")
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise ModelError(f"sensor {twice[0]!r} is given {names.count(twice[0])} times: names must differ")
        super().__init__(every)
        self._what, self._sensors = what, list(sensors)
        self.units: dict[str, str] = {}
        self._probes: list[Probe] = []
        self._world: World | None = None
        self._places: dict[str, tuple[int, Probe]] = {}
        # time [s] and step number of the last record
        self._mark: tuple[float, int] | None = None
        # values for compiled code: the state (its arrays are never replaced), the version of the model, and the entries
        # that are valid for this state and version
        self._read: State | None = None
        self._version, self._entries = -1, RecordNumbers(np.zeros(0))

    @property
    def names(self) -> list[str]:
        """Names of the sensors."""
        return [sensor.name for sensor in self._sensors]

    def _check_name(self, name: str) -> None:
        if name not in self.names:
            raise ModelError(f"there is no sensor {name!r}: there are {', '.join(self.names)}")

    @checked(state=instance(State))
    def record(self, state: State) -> None:
        """Record all sensors at a state. Call this method for states outside of a solve. If the present instant was
        already recorded, the call has no effect.
        """
        mark = (state.t, state.step)
        if self._mark == mark:
            return
        if self._world is not None:
            check_world(state, self._world, f"{self._what}.record")
        fields = load_outputs(state)
        if not self._probes:
            self._create_probes(state)
        row = np.concatenate([probe.read(fields) for probe in self._probes])
        self._keep([parallel_assembly(state.world).processes.sum(row)], [mark])

    def _keep(self, rows: Sequence[FloatArray], marks: Sequence[tuple[float, int]]) -> None:
        """Pass the values of new records, each of shape (columns,), and their times [s] and step numbers, to `_take`.
        The time and the step number of the last record are stored, so that `record` records each instant only once.
        """
        self._mark = marks[-1]
        self._take(rows, marks)

    @abstractmethod
    def _take(self, rows: Sequence[FloatArray], marks: Sequence[tuple[float, int]]) -> None:
        """Store or sum the values of records. Subclasses define this method. The arguments are explained in `_keep`."""

    def _create_probes(self, state: State) -> None:
        """Create the probes of all sensors for the model of a state. The caller has loaded the state into the
        fields.
        """
        self._world = state.world
        self._probes = [sensor.create_probe(state) for sensor in self._sensors]
        first = 0
        for sensor, probe in zip(self._sensors, self._probes, strict=True):
            self._places[sensor.name] = (first, probe)
            self.units[sensor.name] = probe.columns[0][1] if probe.columns else "1"
            first += len(probe.columns)

    def find_numbers(self, state: State) -> RecordNumbers | None:
        """Return the values of all sensors if compiled code can read them, otherwise None. Compiled code can read
        values that are entries of arrays of the state. Two further conditions are that there is a single process and
        that no subclass overrides `record`. Before the first record the result is None.
        """
        # if a subclass overrides `record`, this method must be called for each record
        if type(self).record is not Readings.record or not self._probes:
            return None
        found = [probe.entries for probe in self._probes if probe.entries is not None]
        if len(found) < len(self._probes) or parallel_assembly(state.world).layout.size > 1:
            return None
        if self._version != state.world.version or state is not self._read:
            self._version, self._read = state.world.version, state
            self._entries = self._read_entries(state, [entries() for entries in found])
        return self._entries

    def _read_entries(self, state: State, entries: Sequence[FieldEntries]) -> RecordNumbers:
        layout = parallel_assembly(state.world).layout
        index = np.concatenate([one.places for one in entries])
        parts = [np.full(len(one.places), ARRAYS.index(one.array)) for one in entries]
        array = np.concatenate(parts)
        array[(array < ARRAYS.index("lam")) & (index == layout.spare)] = -1
        shift, factor = (
            np.concatenate([np.broadcast_to(np.asarray(value, np.float64), one.places.shape) for one, value in pairs])
            for pairs in ([(one, one.shift) for one in entries], [(one, one.factor) for one in entries])
        )
        values, motion = np.zeros(len(index)), (state.q, state.v, state.a, state.lam)
        given = self.due, array, index, shift, factor, layout.reference, *motion, values
        return RecordNumbers(values, before=[(call(read_entries, given), (None,))])

    def take_records(self, times: Sequence[float], steps: Sequence[int], records: FloatArray) -> None:
        """Store the records that compiled code has made."""
        self._keep(list(records), list(zip(times, steps, strict=True)))
