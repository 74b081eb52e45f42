"""Predefined compiled functions of time: tables, ramps, smooth steps, sines and splines, with exact time derivatives.

    table: linear between two times, constant before the first and after the last time
    smooth step: first + (last - first) (1 - cos(pi x))/2 with x = (t - begin)/(end - begin) between 0 and 1
    sine: mean + amplitude sin(2 pi frequency t + phase)
    spline: cubic between two times, with two continuous derivatives, constant before the first and after the last time

These functions can be used for every argument that accepts a function of time. A kernel evaluates these functions.
Therefore time steps need no Python calls. At times at which a derivative jumps, the value after the jump is used.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.checks.checks import checked, number, numbers
from windlass.framework.checks.values import read_numbers, read_whole_numbers, show
from windlass.framework.errors import ModelError
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.installed import register_functions

TABLE, SMOOTH_STEP, SINE, SPLINE = range(4)


class ReadyRows(NamedTuple):
    """Arrays with which kernels evaluate the predefined functions of a table."""

    where: IntArray  # index of the result of each function in the values, shape (k,)
    kind: IntArray  # type of each function, shape (k,)
    order: IntArray  # order of the time derivative of each function, shape (k,)
    first: IntArray  # index of the first parameter of each function, and number of all parameters, shape (k + 1,)
    numbers: FloatArray  # parameters of all functions, see `eval_ready`


@kernel(fast=False)
def eval_ready(kind: int, order: int, p: FloatArray, t: float, out: FloatArray) -> None:
    """Write the value of a function, or of its first or second derivative, at the time t [s] into out, shape (m,).

    The parameters p depend on the type of the function. Table: the k times, then the values, shape (k, m). Smooth step:
    begin, end, then first and last, shape (m,) each. Sine: angular frequency [rad/s], phase [rad], then amplitude and
    mean, shape (m,) each. Spline: the k times, then the coefficients of 1, s, s² and s³, shape (k - 1, 4, m), where s
    is the time since the start of the interval.
    """
    m = len(out)
    if kind in (TABLE, SPLINE):
        k = len(p) // (m + 1) if kind == TABLE else (len(p) + 4 * m) // (1 + 4 * m)
        # index of the last of the k times that is <= t
        low, high = -1, k
        while high - low > 1:
            middle = (low + high) // 2
            if p[middle] <= t:
                low = middle
            else:
                high = middle
        inside_table = 0 <= low < k - 1
        # spline: the cubic of the current interval; constant before the first and after the last time
        if kind == SPLINE:
            s, first = min(max(t, p[0]), p[k - 1]), min(max(low, 0), k - 2)
            s -= p[first]
            for j in range(m):
                c = k + 4 * m * first + j
                if order == 0:
                    out[j] = p[c] + s * (p[c + m] + s * (p[c + 2 * m] + s * p[c + 3 * m]))
                elif not inside_table:
                    out[j] = 0.0
                elif order == 1:
                    out[j] = p[c + m] + s * (2.0 * p[c + 2 * m] + 3.0 * s * p[c + 3 * m])
                else:
                    out[j] = 2.0 * p[c + 2 * m] + 6.0 * s * p[c + 3 * m]
            return
        # table: the straight line of the current interval; before the first and after the last time, the nearest value
        for j in range(m):
            value = p[k + max(low, 0) * m + j]
            if order > 0:
                value = 0.0
            if inside_table and order < 2:
                change, span = p[k + (low + 1) * m + j] - p[k + low * m + j], p[low + 1] - p[low]
                value = value + change * ((t - p[low]) / span) if order == 0 else change / span
            out[j] = value
        return
    # smooth step: half a period of a cosine
    if kind == SMOOTH_STEP:
        x = (t - p[0]) / (p[1] - p[0])
        speed = math.pi / (p[1] - p[0])
        x = min(max(x, 0.0), 1.0)
        share = 0.5 * (1.0 - math.cos(math.pi * x))
        if order > 0:
            moves = p[0] <= t < p[1]
            share = 0.5 * speed * math.sin(math.pi * x) if order == 1 else 0.5 * speed * speed * math.cos(math.pi * x)
            share = share if moves else 0.0
        for j in range(m):
            start = p[2 + j] if order == 0 else 0.0
            out[j] = start + (p[2 + m + j] - p[2 + j]) * share
        return
    # sine
    angle = p[0] * t + p[1]
    for j in range(m):
        if order == 0:
            out[j] = p[2 + m + j] + p[2 + j] * math.sin(angle)
        elif order == 1:
            out[j] = p[2 + j] * p[0] * math.cos(angle)
        else:
            out[j] = -p[2 + j] * p[0] * p[0] * math.sin(angle)


@kernel
def fill_rows(c: ReadyRows, time: FloatArray, values: FloatArray) -> None:
    """Write the values of the functions at the time ``time[0]`` into ``values``, shape (rows, m)."""
    for i in range(len(c.where)):
        eval_ready(c.kind[i], c.order[i], c.numbers[c.first[i] : c.first[i + 1]], time[0], values[c.where[i]])


_eval = call(eval_ready)


KINDS = (TABLE, SMOOTH_STEP, SINE, SPLINE)
SIZES = (
    "k times and k times {m} values, for at least two times",
    "begin and end, and two times {m} values",
    "frequency and phase, and two times {m} values",
    "k times and 4 (k - 1) times {m} coefficients, for at least two times",
)


def count_times(kind: int, size: int, m: int) -> int | None:
    """Return the number k of time values at the beginning of the parameters of a function with m components. For a
    sine, k is 0. Return None if a function of this type cannot have ``size`` parameters.
    """
    if kind == TABLE:
        k, rest = divmod(size, m + 1)
        return k if k >= 2 and not rest else None
    if kind == SPLINE:
        k, rest = divmod(size + 4 * m, 1 + 4 * m)
        return k if k >= 2 and not rest else None
    if size != 2 + 2 * m:
        return None
    return 2 if kind == SMOOTH_STEP else 0


@register_functions
@dataclass(frozen=True, eq=False)
class ReadyFunction:
    """A function of time [s], created by `table`, `ramp`, `smooth_step`, `sine` or `spline`."""

    name: str  # name of the function that created this object, for messages
    kind: int  # Type of the function. See `eval_ready` for types and parameters.
    numbers: FloatArray
    shape: tuple[int, ...]  # shape of the values, () or (3,)
    order: int = 0  # order of the time derivative

    def __call__(self, t: float) -> Any:
        """Return the value at a time [s], a number or an array of shape (3,)."""
        out = np.zeros(math.prod(self.shape))
        _eval(self.kind, self.order, self.numbers, float(t), out)
        return out.reshape(self.shape) if self.shape else float(out[0])

    @property
    def bounds(self) -> FloatArray:
        """Bounds of the components of the values, in an array with the shape of the values. The bound of a component is
        the largest absolute value of its parameters. If the bound is 0, the component is 0 at all times.
        """
        times = 2 if self.kind == SINE else count_times(self.kind, len(self.numbers), math.prod(self.shape))
        bounds: FloatArray = np.abs(self.numbers[times:].reshape(-1, *self.shape)).max(axis=0)
        return bounds

    def __post_init__(self) -> None:
        # the kernels require that all of the following conditions are fulfilled
        name, p, m = self.name, self.numbers, math.prod(self.shape)
        if self.kind not in KINDS or self.shape not in ((), (3,)) or self.order not in (0, 1, 2):
            given = f"kind {self.kind}, order {self.order}, shape {self.shape} of {show(name)}"
            raise ModelError(f"{given}: must be kind 0 to {SPLINE}, order 0, 1 or 2, and shape () or (3,)")
        if p.ndim != 1 or p.dtype != np.float64 or not np.isfinite(p).all():
            raise ModelError(f"numbers of {show(name)} = {show(p)}: must be finite numbers of shape (n,)")
        k = count_times(self.kind, len(p), m)
        if k is None:
            words = SIZES[self.kind].format(m=m)
            raise ModelError(f"numbers of {show(name)} are {len(p)}: must be {words}")
        if not (np.diff(p[:k]) > 0.0).all():
            raise ModelError(
                f"numbers of {show(name)} begin with the times {show(p[:k])} s: must be increasing numbers"
            )

    def __repr__(self) -> str:
        return f"{self.name}{self.order * chr(39)}(...)"

    def to_values(self) -> dict[str, Any]:
        """Return the values that represent the function in a model file."""
        return {**vars(self), "numbers": self.numbers.tolist(), "shape": list(self.shape)}

    @classmethod
    def from_values(cls, values: dict[str, Any]) -> ReadyFunction:
        """Create the function from its values in a model file.

        Raises:
            ModelError: the values do not represent a function of `table`, `ramp`, `smooth_step`, `sine` or `spline`.
        """
        names = [field.name for field in fields(cls)]
        for key in [*values, *names]:
            if key not in values or key not in names:
                words = "is unknown" if key in values else "is missing"
                raise ModelError(f"value {show(key)} of a {cls.__name__} {words}: must be {', '.join(names)}")
        given = {"kind": values["kind"], "order": values["order"], "shape": values["shape"]}
        for key, value in given.items():
            whole = read_whole_numbers(value) if value != [] else np.zeros(0, np.int64)
            if whole is None or whole.ndim != (key == "shape"):
                words = "whole numbers" if key == "shape" else "a whole number"
                raise ModelError(f"{key} = {show(value)} of a {cls.__name__}: must be {words}")
            given[key] = tuple(whole.tolist()) if key == "shape" else int(whole)
        found = read_numbers(values["numbers"])
        if found is None or not isinstance(values["name"], str):
            raise ModelError(f"name and numbers of a {cls.__name__}: must be a text, and a list of finite numbers")
        return cls(name=values["name"], numbers=found, **given)

    def differentiate(self) -> ReadyFunction:
        """Create the time derivative of this function. Derivatives of an order above 2 are not available."""
        return replace(self, order=self.order + 1)


def create_rows(functions: Sequence[tuple[int, ReadyFunction]]) -> ReadyRows:
    """Create the arrays with which kernels evaluate functions. Each function is given with the index of its result in
    the array of values.
    """
    given = [function for _, function in functions]
    return ReadyRows(
        np.array([i for i, _ in functions], np.int64),
        np.array([f.kind for f in given], np.int64),
        np.array([f.order for f in given], np.int64),
        np.cumsum([0, *(len(f.numbers) for f in given)], dtype=np.int64),
        np.concatenate([f.numbers for f in given]),
    )


VALUE = numbers("", (), (3,), words="one finite number, or finite numbers of shape (3,)")


@checked(times=numbers("s", (None,)), values=numbers("", (None,), (None, 3)))
def table(times: Any, values: Any) -> ReadyFunction:
    """Create a function of time that is linear between points, and constant before the first and after the last point.

    Args:
        times: two or more times [s] in ascending order, shape (k,).
        values: the values at these times, shape (k,), or (k, 3) for vectors, in the unit of the quantity.

    Raises:
        ModelError: times do not increase, shapes are wrong, or values are not finite.
    """
    t, v = np.array(times, np.float64), np.array(values, np.float64)
    if len(t) < 2 or not (np.diff(t) > 0.0).all():
        raise ModelError(f"times = {show(times)} s in table: must be at least two increasing numbers")
    if len(v) != len(t):
        raise ModelError(f"values = {show(values)} in table: must be {len(t)}, one for each time")
    return ReadyFunction("table", TABLE, np.concatenate([t, v.ravel()]), v.shape[1:])


@checked(begin=number("s"), end=number("s"), first=VALUE, last=VALUE)
def ramp(begin: float, end: float, first: Any = 0.0, last: Any = 1.0) -> ReadyFunction:
    """Create a function of time that changes linearly from one value to another, and is constant before and after this
    change.

    Args:
        begin, end: times between which the value changes [s].
        first, last: values before and after the change, numbers or arrays of shape (3,), in the unit of the quantity.

    Raises:
        ModelError: ``end`` is not after ``begin``, shapes are wrong, or values are not finite.
    """
    _check_order("ramp", begin, end)
    return replace(table([begin, end], _join(first, last)), name="ramp")


@checked(begin=number("s"), end=number("s"), first=VALUE, last=VALUE)
def smooth_step(begin: float, end: float, first: Any = 0.0, last: Any = 1.0) -> ReadyFunction:
    """Create a function of time that changes from one value to another as half a period of a cosine, and is constant
    before and after this change. The first derivative has no jump.

    Args:
        begin, end: times between which the value changes [s].
        first, last: values before and after the change, numbers or arrays of shape (3,), in the unit of the quantity.

    Raises:
        ModelError: ``end`` is not after ``begin``, shapes are wrong, or values are not finite.
    """
    _check_order("smooth_step", begin, end)
    both = _join(first, last)
    return ReadyFunction("smooth_step", SMOOTH_STEP, np.array([begin, end, *both.ravel()]), both.shape[1:])


@checked(amplitude=VALUE, frequency=number("Hz"), phase=number("rad"), mean=VALUE)
def sine(amplitude: Any, frequency: float, phase: float = 0.0, mean: Any = 0.0) -> ReadyFunction:
    """Create the function mean + amplitude sin(2 pi frequency t + phase).

    Args:
        amplitude: amplitude, a number or an array of shape (3,), in the unit of the quantity.
        frequency: periods per second [Hz].
        phase: angle at t = 0 [rad].
        mean: mean value, a number or an array of shape (3,), in the unit of the quantity.

    Raises:
        ModelError: shapes are wrong, or values are not finite.
    """
    both = _join(amplitude, mean)
    return ReadyFunction("sine", SINE, np.array([2 * math.pi * frequency, phase, *both.ravel()]), both.shape[1:])


def _check_order(name: str, begin: float, end: float) -> None:
    if not end > begin:
        raise ModelError(f"end = {end:g} s in {name}: must be > begin = {begin:g} s")


def _join(one: Any, other: Any) -> FloatArray:
    """Combine two values of shape () or (3,) into one array of shape (2,) or (2, 3). If only one value has the shape
    (3,), the scalar is repeated for the three components.
    """
    return np.stack(np.broadcast_arrays(np.array(one, np.float64), np.array(other, np.float64)))
