"""One evaluation of a function of a `System`: what it reads, and the arrays that it adds to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.errors import ModelError
from windlass.framework.model.law import Coupling, Fields

_NO_NUMBERS: FloatArray = np.zeros(0)
_NO_PLACES: Any = np.zeros(0, np.int64)
_NO_SLOTS: Any = np.zeros((0, 0, 0), np.int32)


class Evaluation(Fields):
    """The `Fields` and what a function of a `System` is to do with them; made by `evaluate`.

    What an evaluation does not need is empty or 0.  Functions *add* to arrays.

    Attributes:
        f: forces [N, N m], shape (n + 1,).
        C: constraint equations [m, rad, m/s, rad/s], shape (m + 1,).
        dq, dv, da: factors on the derivatives by coordinates, velocities and accelerations.
        mass: factor on the constant mass matrix.
        slots: places of each row's block in the matrix values, shape (rows, n, n), int32; see `System.runs`.
        coupling: the same for constraints, see `Coupling`.
        values: values of a matrix, shape (entries + 1,).
        g: acceleration field [m/s^2], shape (3,).
        which: local rows on which it acts, shape (k,).
        slots_of: slots of other tables, by component.
    """

    f = _NO_NUMBERS
    C = _NO_NUMBERS
    dq = 0.0
    dv = 0.0
    da = 0.0
    mass = 0.0
    slots: IntArray = _NO_SLOTS
    coupling = Coupling(_NO_SLOTS, _NO_SLOTS, _NO_SLOTS, _NO_SLOTS, 1.0)
    values = _NO_NUMBERS
    g = _NO_NUMBERS
    which: IntArray = _NO_PLACES
    slots_of: Mapping[type, IntArray] = {}

    def probes(self) -> tuple[Evaluation, ...]:
        """The same evaluation at other times and motions, for what looks whether arguments depend on them."""
        return tuple(_probe(self, value) for value in (1e18, -1e18))


def evaluate(fields: Fields, **given: Any) -> Evaluation:
    """An evaluation at the fields, with their arrays; ``given`` are attributes of `Evaluation`, also in their place."""
    s = object.__new__(Evaluation)
    s.__dict__.update(fields.__dict__)
    s.__dict__.update(given)
    return s


class _Probe(Evaluation):
    """An evaluation whose numbers are not those of the fields, and which must not be asked for some."""

    @property  # type: ignore[misc]
    def t(self) -> float:
        raise ModelError("s.t would be laid down as a number that stays: must be s.time, an array of shape (1,)")


class _Columns(dict[str, Any]):
    """Marker columns of a probe, made when they are asked for."""

    def __init__(self, columns: Mapping[str, Any], value: float) -> None:
        super().__init__()
        self._real, self._value = columns, value

    def __missing__(self, family: str) -> Any:
        real = self._real[family]
        found = self[family] = type(real)(*(_replace(array, self._value) for array in real))
        return found


def _probe(s: Evaluation, value: float) -> Evaluation:
    probe = object.__new__(_Probe)
    kept = {name: _replace(array, value) for name, array in s.__dict__.items() if name not in ("markers", "coupling")}
    probe.__dict__.update(kept, markers=_Columns(s.markers, value), coupling=s.coupling)
    return probe


def _replace(array: Any, value: float) -> Any:
    """An array of floats with another content, which takes no memory; all else as it is."""
    if isinstance(array, np.ndarray) and array.dtype == np.float64:
        return np.broadcast_to(value, array.shape)
    return array
