"""Derivatives of the residual with respect to a column, by execution of the Python source of the kernels with dual
numbers.

Kernels are Python functions if `WINDLASS_JIT=0`. In the arguments of all kernels of a residual, the numbers that depend
on a column are replaced by dual numbers a + ε b, and the functions of NumPy and math in the modules of kernels by
functions of dual numbers. The dual parts of the residual are its derivatives, without truncation error. The dual parts
of arguments that Python code computes from the column before a solve are extrapolated differences. For an argument that
is equal or proportional to the column, these differences are exact.
"""

from __future__ import annotations

import builtins
import cmath
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.assembly.mass import add_multiple
from windlass.framework.assembly.steps import mass_product_steps
from windlass.framework.kernels.call import Call, call
from windlass.framework.model.system import evaluate
from windlass.framework.state import column_derivatives
from windlass.framework.state.column_derivatives import ChangedResidual, ColumnValue

SHARES = 0.25 * 0.25 ** np.arange(6)
"""Steps of the differences of arguments, relative to the value of the column [1]."""


class Dual:
    """A dual number v + ε e, whose parts are real or complex. Comparisons use the real part of v."""

    __slots__ = ("e", "v")

    def __init__(self, v: Any, e: Any) -> None:
        self.v, self.e = v, e

    def __add__(self, other: Any) -> Dual:
        v, e = split(other)
        return Dual(self.v + v, self.e + e)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Dual:
        v, e = split(other)
        return Dual(self.v - v, self.e - e)

    def __rsub__(self, other: Any) -> Dual:
        v, e = split(other)
        return Dual(v - self.v, e - self.e)

    def __mul__(self, other: Any) -> Dual:
        v, e = split(other)
        return Dual(self.v * v, self.e * v + self.v * e)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Dual:
        return divide(self, other)

    def __rtruediv__(self, other: Any) -> Dual:
        return divide(other, self)

    def __pow__(self, other: Any) -> Dual:
        return power(self, other)

    def __rpow__(self, other: Any) -> Dual:
        return power(other, self)

    def __neg__(self) -> Dual:
        return Dual(-self.v, -self.e)

    def __pos__(self) -> Dual:
        return self

    def __abs__(self) -> Any:
        if isinstance(self.v, complex):
            size = abs(self.v)
            return Dual(size, (self.v.conjugate() * self.e).real / size)
        return -self if self.v < 0.0 else self

    def __mod__(self, other: Any) -> Dual:
        v, e = split(other)
        return Dual(self.v % v, self.e - e * (self.v // v))

    def __floordiv__(self, other: Any) -> Any:
        return self.v // split(other)[0]

    def __int__(self) -> int:
        return int(self.v)

    def __round__(self, digits: int | None = None) -> Any:
        return round(self.v, digits)

    def __bool__(self) -> bool:
        return bool(self.v)

    def __lt__(self, other: Any) -> bool:
        return bool(self.v < split(other)[0])

    def __le__(self, other: Any) -> bool:
        return bool(self.v <= split(other)[0])

    def __gt__(self, other: Any) -> bool:
        return bool(self.v > split(other)[0])

    def __ge__(self, other: Any) -> bool:
        return bool(self.v >= split(other)[0])

    def __eq__(self, other: object) -> bool:
        return bool(self.v == split(other)[0])

    def __ne__(self, other: object) -> bool:
        return bool(self.v != split(other)[0])

    __hash__ = None  # type: ignore[assignment]

    @property
    def real(self) -> Dual:
        """The real parts of v and e."""
        return Dual(self.v.real, self.e.real)

    @property
    def imag(self) -> Dual:
        """The imaginary parts of v and e."""
        return Dual(self.v.imag, self.e.imag)

    def conjugate(self) -> Dual:
        """Return the conjugate of both parts."""
        return Dual(self.v.conjugate(), self.e.conjugate())


def split(value: Any) -> tuple[Any, Any]:
    """Return both parts of a number."""
    return (value.v, value.e) if isinstance(value, Dual) else (value, 0.0)


def divide(one: Any, two: Any) -> Dual:
    """Return the quotient. A division by 0 gives inf or NaN, as in kernels."""
    (a, da), (b, db) = split(one), split(two)
    with np.errstate(all="ignore"):
        ratio = a / b if b != 0.0 else (np.float64(a) / np.float64(b) if not isinstance(a, complex) else complex("nan"))
        return Dual(ratio, (da - ratio * db) / b if b != 0.0 else math.nan)


def power(one: Any, two: Any) -> Dual:
    """Return the power ``one ** two``."""
    (a, da), (b, db) = split(one), split(two)
    slope = b * a ** (b - 1) * da if da != 0.0 else 0.0
    return Dual(a**b, slope + (a**b * math.log(a) * db if db != 0.0 else 0.0))


def lift(name: str, slope: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a function of real, complex or dual numbers and arrays, with the given derivative."""
    plain = getattr(np, {"asin": "arcsin", "acos": "arccos", "atan": "arctan"}.get(name, name))

    def function(x: Any) -> Any:
        if isinstance(x, np.ndarray) and x.dtype == object:
            return np.array([function(each) for each in x.ravel()] + [None], object)[:-1].reshape(x.shape)
        if not isinstance(x, Dual):
            found = plain(x)
            return found.item() if isinstance(found, np.generic) else found
        v = plain(x.v)
        return Dual(v.item(), x.e * slope(x.v) if x.e != 0.0 else 0.0)

    return function


def arctan2(y: Any, x: Any) -> Any:
    """Return the angle of (x, y)."""
    (a, da), (b, db) = split(y), split(x)
    if not isinstance(y, Dual) and not isinstance(x, Dual):
        return np.arctan2(y, x)
    return Dual(math.atan2(a, b), (b * da - a * db) / (a * a + b * b))


def hypot(x: Any, y: Any) -> Any:
    """Return the length of (x, y)."""
    (a, da), (b, db) = split(x), split(y)
    size = math.hypot(a, b)
    return Dual(size, (a * da + b * db) / size if size > 0.0 else 0.0)


def copysign(x: Any, y: Any) -> Any:
    """Return |x| with the sign of y."""
    same = math.copysign(1.0, split(x)[0]) == math.copysign(1.0, split(y)[0])
    return x if same else -x


def complex_of(x: Any, y: Any = 0.0) -> Any:
    """Return x + i y."""
    (a, da), (b, db) = split(x), split(y)
    if isinstance(x, Dual) or isinstance(y, Dual):
        return Dual(builtins.complex(a, b), builtins.complex(da, db))
    return builtins.complex(a, b)


def on_value(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that uses only the values of dual numbers, so its result has no derivative."""
    return lambda *args: function(*(split(x)[0] for x in args))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sqrt": lift("sqrt", lambda x: 0.5 / (cmath if isinstance(x, complex) else math).sqrt(x) if x else math.inf),
    "sin": lift("sin", np.cos),
    "cos": lift("cos", lambda x: -np.sin(x)),
    "tan": lift("tan", lambda x: 1.0 / np.cos(x) ** 2),
    "exp": lift("exp", np.exp),
    "log": lift("log", lambda x: 1.0 / x),
    "sinh": lift("sinh", np.cosh),
    "cosh": lift("cosh", np.sinh),
    "tanh": lift("tanh", lambda x: 1.0 - np.tanh(x) ** 2),
    "asin": lift("asin", lambda x: 1.0 / math.sqrt(1.0 - x * x)),
    "acos": lift("acos", lambda x: -1.0 / math.sqrt(1.0 - x * x)),
    "atan": lift("atan", lambda x: 1.0 / (1.0 + x * x)),
    "atan2": arctan2,
    "hypot": hypot,
    "copysign": copysign,
    "abs": abs,
    "fabs": abs,
    "floor": on_value(math.floor),
    "ceil": on_value(math.ceil),
    "sign": on_value(np.sign),
    "isfinite": on_value(np.isfinite),
    "isinf": on_value(np.isinf),
    "isnan": on_value(np.isnan),
}
"""Functions of dual numbers by name."""
ALIASES = {"arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2", "absolute": "abs"}


class FloatKind(type):
    """Type of `Float`."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, builtins.float)


class Float(metaclass=FloatKind):
    """The type float, whose calls return dual numbers unchanged."""

    def __new__(cls, value: Any = 0.0) -> Any:
        return value if isinstance(value, Dual) else builtins.float(value)


class DualArray(np.ndarray[Any, Any]):
    """An array of objects that can contain dual numbers."""

    def astype(self, *args: Any, **named: Any) -> Any:
        """Return a copy of an array of objects, which can contain complex numbers."""
        return self.copy() if self.dtype == object else super().astype(*args, **named)


class Row(SimpleNamespace):
    """A record, whose fields can contain dual numbers."""

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def __setitem__(self, name: str, value: Any) -> None:
        setattr(self, name, value)


def create_rows(values: Any, slopes: Any) -> Any:
    """Return an array of objects with the values and derivatives of an array. Records become `Row`."""
    found = np.empty(values.shape, object).view(DualArray)
    for place in np.ndindex(values.shape):
        found[place] = create_item(values[place], slopes[place])
    return found


def create_item(value: Any, slope: Any) -> Any:
    """Return an item of an array with its derivative."""
    if isinstance(value, np.void):
        names = value.dtype.names or ()
        return Row(**{name: create_item(value[name], slope[name]) for name in names})
    if isinstance(value, np.ndarray):
        return create_rows(value, slope)
    if isinstance(value, (float, complex)) and slope != 0.0:
        return Dual(value.item(), slope.item())
    # NumPy's numbers are kept, because their division by 0 gives inf, as in compiled kernels
    return value if isinstance(value, (float, complex)) else value.item()


class DualNumpy:
    """NumPy with functions of dual numbers. New arrays of floats can contain dual numbers."""

    def __getattr__(self, name: str) -> Any:
        return FUNCTIONS.get(ALIASES.get(name, name)) or getattr(np, name)

    @staticmethod
    def zeros(shape: Any, dtype: Any = float) -> Any:
        """Return an array of zeros."""
        plain = np.zeros(shape, builtins.float if dtype is Float else dtype)
        return create_rows(plain, plain) if plain.dtype.kind in "fcV" else plain

    empty = zeros

    @staticmethod
    def ones(shape: Any, dtype: Any = float) -> Any:
        """Return an array of ones."""
        return DualNumpy.zeros(shape, dtype) + 1

    @staticmethod
    def zeros_like(values: Any) -> Any:
        """Return an array of zeros."""
        return DualNumpy.zeros(np.shape(values))

    empty_like = zeros_like

    @staticmethod
    def maximum(one: Any, two: Any) -> Any:
        """Return the larger number."""
        return max(one, two)

    @staticmethod
    def minimum(one: Any, two: Any) -> Any:
        """Return the smaller number."""
        return min(one, two)


@contextmanager
def dual_functions() -> Iterator[None]:
    """Replace functions of NumPy and math in the modules of Windlass by functions of dual numbers."""
    changed = list[tuple[dict[str, Any], str, Any]]()
    proxy, known = DualNumpy(), {getattr(math, name): f for name, f in FUNCTIONS.items() if hasattr(math, name)}
    absent = object()
    for name, module in list(sys.modules.items()):
        if not name.startswith(("windlass.elements", "windlass.connectors", "windlass.framework.assembly")):
            continue
        space = vars(module)
        new = {key: proxy for key, value in space.items() if value is np or value is math}
        new |= {key: known[value] for key, value in space.items() if callable(value) and is_known(value, known)}
        for key, value in {**new, "complex": complex_of, "float": Float}.items():
            changed.append((space, key, space.get(key, absent)))
            space[key] = value
    try:
        yield
    finally:
        for space, key, value in changed:
            if value is absent:
                del space[key]
            else:
                space[key] = value


def is_known(value: Any, known: dict[Any, Any]) -> bool:
    """Return whether a function of math has a counterpart for dual numbers."""
    try:
        return type(value) is type(math.sin) and value in known
    except TypeError:
        return False


class Trace:
    """The calls of kernels in one evaluation of the residual.

    Attributes:
        numbers: all numbers in the arrays of the arguments before each call, in the order of `list_arrays`.
        calls: kernels and their arguments.
        ends: forces and constraints, see `eval_steps`.
    """

    def __init__(self, assembly: Assembly) -> None:
        self.numbers, self.calls = list[FloatArray](), list[tuple[Any, tuple[Any, ...]]]()
        with replace_call(self._call):
            self.ends = eval_steps(assembly)

    def _call(self, kernel: Any, args: tuple[Any, ...]) -> None:
        for array in list_arrays(args):
            self.numbers += [numbers.copy() for numbers in list_floats(array)]
        self.calls.append((kernel, args))
        kernel(*args)


def eval_steps(assembly: Assembly) -> tuple[FloatArray, FloatArray]:
    """Evaluate the residual by calls of kernels. Return forces, shape (n + 1,), and constraints, shape (m + 1,)."""
    fields = assembly.fields
    f, c = np.zeros_like(fields.x), np.zeros_like(fields.lam)
    assembly.update_markers()
    assembly.loads.update()
    loads, gravity = np.zeros_like(f), assembly.loads.gravity
    for system in assembly.systems:
        if system.body_force is not None and gravity.any():
            system.body_force.force(evaluate(fields, g=gravity, which=np.arange(len(system.dofs)), f=loads))
        if system.load is not None:
            system.load.force(evaluate(fields, f=loads))
    subtract = call(add_multiple, (loads, -1.0, f))
    subtract(evaluate(fields))
    assembly.add_forces(f)
    for function, args in mass_product_steps(assembly, fields.a, f):
        function(*args)
    for system in assembly.systems:
        if system.inertia is not None:
            system.inertia.force(evaluate(fields, f=f))
    assembly.add_constraints(c, f)
    return f, c


def list_arrays(values: tuple[Any, ...]) -> Iterator[Any]:
    """Yield the arrays of real or complex numbers, or of records, in nested tuples."""
    for value in values:
        if isinstance(value, tuple):
            yield from list_arrays(value)
        elif isinstance(value, np.ndarray) and value.dtype.kind in "fcV":
            yield value


def find_place(values: Any) -> tuple[Any, ...]:
    """Return a key that is equal for arrays at the same place in memory."""
    return values.__array_interface__["data"][0], values.shape, values.strides, values.dtype


def list_floats(values: Any) -> Iterator[FloatArray]:
    """Yield the real and imaginary parts of an array of numbers or records."""
    if values.dtype.names is not None:
        for name in values.dtype.names:
            yield from list_floats(values[name])
        return
    yield np.zeros(0)
    if values.dtype.kind in "fc":
        yield np.ravel(values.real)
        if values.dtype.kind == "c":
            yield np.ravel(values.imag)


def fill_floats(values: Any, flat: Iterator[float]) -> Any:
    """Set the floating-point numbers of an array of numbers or records, in the order of `list_floats`."""
    if values.dtype.names is not None:
        for name in values.dtype.names:
            fill_floats(values[name], flat)
        return values
    if values.dtype.kind in "fc":
        values.real = np.array([next(flat) for _ in range(values.size)]).reshape(values.shape)
        if values.dtype.kind == "c":
            values.imag = np.array([next(flat) for _ in range(values.size)]).reshape(values.shape)
    return values


@contextmanager
def replace_call(run: Callable[[Any, tuple[Any, ...]], None]) -> Iterator[None]:
    """Let ``run(kernel, args)`` execute the kernels of a `Call`."""
    before = Call.__call__

    def execute(call: Call, s: Any) -> None:
        for prepare in call.at_time + call.before:
            prepare(s)
        for kernel, _, arguments in call.parts:
            run(kernel, arguments(s))

    Call.__call__ = execute  # type: ignore[method-assign]
    try:
        yield
    finally:
        Call.__call__ = before  # type: ignore[method-assign]


def differentiate_arrays(residual: ChangedResidual, value: ColumnValue) -> FloatArray:
    """Return the derivatives of all arrays in arguments of kernels, in the order of `Trace.numbers`, by extrapolated
    differences. Each number has its own best extrapolation.
    """
    original, number = column_derivatives.eval_residual, value.number
    column_derivatives.eval_residual = lambda assembly: np.concatenate(Trace(assembly).numbers)
    try:
        rows = list[FloatArray]()
        best, error = np.zeros(0), np.zeros(0)
        for share in SHARES:
            h = share * abs(number)
            new = [(residual.eval_at(value, number + h) - residual.eval_at(value, number - h)) / (2.0 * h)]
            for k, old in enumerate(rows):
                new.append(new[k] + (new[k] - old) / (16.0 ** (k + 1) - 1.0))
                change = np.maximum(np.abs(new[k + 1] - new[k]), np.abs(new[k + 1] - old))
                change = np.where(np.isfinite(change), change, np.inf)
                if not len(best):
                    best, error = new[k + 1], change
                else:
                    better = change < error
                    best, error = np.where(better, new[k + 1], best), np.where(better, change, error)
            rows = new
        return np.where(np.isfinite(best), best, 0.0)
    finally:
        column_derivatives.eval_residual = original


def differentiate_exactly(world: Any, fields: Any, value: ColumnValue) -> tuple[FloatArray, FloatArray]:
    """Return the residual and its derivatives with respect to a number in a table, shape (n + m,) each."""
    residual = ChangedResidual(world, fields)
    # all systems are created again for each value, so that all evaluations call the same kernels
    residual._is_local = lambda components: False  # type: ignore[method-assign]
    slopes, used = differentiate_arrays(residual, value), 0
    assembly = Assembly(world)
    residual._copy_fields(assembly, np.zeros(assembly.layout.spare))
    trace = Trace(assembly)
    numbers, lifted = np.concatenate(trace.numbers), dict[Any, Any]()

    def convert(values: Any) -> Any:
        """Return an argument with dual numbers. Arrays at the same place in memory share their dual numbers in all
        calls.
        """
        nonlocal used
        if isinstance(values, tuple):
            items = [convert(item) for item in values]
            return type(values)(*items) if hasattr(values, "_fields") else tuple(items)
        if not (isinstance(values, np.ndarray) and values.dtype.kind in "fcV"):
            return values
        first, used = used, used + sum(map(len, list_floats(values)))
        place = find_place(values)
        if place not in lifted:
            before, slope = values.copy(), np.zeros_like(values)
            fill_floats(before, iter(numbers[first:used]))
            lifted[place] = create_rows(before, fill_floats(slope, iter(slopes[first:used])))
        return lifted[place]

    with dual_functions(), np.errstate(all="ignore"):
        for kernel, args in trace.calls:
            kernel(*convert(args))
    parts = [split(x) for end in trace.ends for x in np.asarray(lifted.get(find_place(end), end), object)[:-1]]
    return np.array([v for v, _ in parts], float), np.array([e for _, e in parts], float)
