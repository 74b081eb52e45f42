"""Rules of differentiation: code of operators and functions of dual numbers.

Comparisons, truth values and conversions to integers use the value of a dual number. Results of functions that round
have no derivative.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import numba
import numpy as np

from windlass.framework.kernels.dual_types import DUAL, DUAL_COMPLEX, DualType, find_common, is_number

_numba: Any = numba  # declared as Any, because internal functions of numba have no type annotations
_types: Any = _numba.types
_cgutils: Any = _numba.core.cgutils
_templates: Any = _numba.core.typing.templates
_signature: Any = _numba.core.typing.signature
_builtin: Any = _numba.core.imputils.builtin_registry

Parts = tuple[Any, Any]
"""Value and derivative of a dual number in generated code."""


class Code:
    """A real or complex number in generated code. Operators generate code.

    Args:
        context, builder: the compiler's context and builder of instructions.
        kind: the compiler's type of the number.
        value: the number in the code.
    """

    def __init__(self, context: Any, builder: Any, kind: Any, value: Any) -> None:
        self.context, self.builder, self.kind, self.value = context, builder, kind, value

    def call(self, function: Any, *others: Any) -> Any:
        """Generate the call of a function of numba with this number as the first argument."""
        given = [self, *map(self.lift, others)]
        kinds = [each.kind for each in given]
        if _types.complex128 in kinds and function is not operator.pow:
            given = [each.cast(_types.complex128) for each in given]
            kinds = [each.kind for each in given]
        typer = self.context.typing_context.resolve_value_type(function)
        signature = typer.get_call_type(self.context.typing_context, tuple(kinds), {})
        values = [each.cast(kind).value for each, kind in zip(given, signature.args, strict=True)]
        value = self.context.get_function(typer, signature)(self.builder, values)
        return Code(self.context, self.builder, signature.return_type, value)

    def lift(self, other: Any) -> Any:
        """Return a number of Python as a number in the code."""
        if isinstance(other, Code):
            return other
        kind = _types.complex128 if isinstance(other, complex) else _types.float64
        return Code(self.context, self.builder, kind, self.context.get_constant_generic(self.builder, kind, other))

    def cast(self, kind: Any) -> Any:
        """Convert the number to another type."""
        if kind == self.kind:
            return self
        value = self.context.cast(self.builder, self.value, self.kind, kind)
        return Code(self.context, self.builder, kind, value)

    def select(self, one: Any, two: Any) -> Any:
        """Return one of two numbers, depending on this truth value."""
        one, two = self.lift(one), self.lift(two)
        return Code(self.context, self.builder, one.kind, self.builder.select(self.value, one.value, two.value))

    @property
    def zero(self) -> Any:
        """The number 0 of the same type."""
        return self.lift(0.0).cast(self.kind)

    @property
    def is_zero(self) -> Any:
        """Whether the number is 0."""
        return self == self.zero

    @property
    def real(self) -> Any:
        """The real part."""
        if self.kind != _types.complex128:
            return self
        return Code(self.context, self.builder, _types.float64, self.builder.extract_value(self.value, 0))

    @property
    def imag(self) -> Any:
        """The imaginary part."""
        if self.kind != _types.complex128:
            return self.lift(0.0)
        return Code(self.context, self.builder, _types.float64, self.builder.extract_value(self.value, 1))

    @property
    def conjugate(self) -> Any:
        """The conjugate number."""
        return combine(self.real, -self.imag) if self.kind == _types.complex128 else self

    def __add__(self, other: Any) -> Any:
        return self.call(operator.add, other)

    def __sub__(self, other: Any) -> Any:
        return self.call(operator.sub, other)

    def __rsub__(self, other: Any) -> Any:
        return self.lift(other) - self

    def __mul__(self, other: Any) -> Any:
        return self.call(operator.mul, other)

    __radd__, __rmul__ = __add__, __mul__

    def __truediv__(self, other: Any) -> Any:
        return self.call(operator.truediv, other)

    def __rtruediv__(self, other: Any) -> Any:
        return self.lift(other) / self

    def __neg__(self) -> Any:
        return self.call(operator.neg)

    def __lt__(self, other: Any) -> Any:
        return self.call(operator.lt, other)

    def __gt__(self, other: Any) -> Any:
        return self.call(operator.gt, other)

    def __eq__(self, other: object) -> Any:
        return self.call(operator.eq, other)

    __hash__ = None  # type: ignore[assignment]


def combine(real: Any, imag: Any) -> Any:
    """Return a complex number from its real and its imaginary part."""
    made = _cgutils.create_struct_proxy(_types.complex128)(real.context, real.builder)
    made.real, made.imag = real.value, imag.value
    return Code(real.context, real.builder, _types.complex128, made._getvalue())


def absolute(a: Any, da: Any) -> Parts:
    """Return the absolute value."""
    if a.kind == _types.complex128:
        size = a.call(abs)
        return size, (size > 0.0).select((a.real * da.real + a.imag * da.imag) / size, 0.0)
    below = a < 0.0
    return below.select(-a, a), below.select(-da, da)


def add(a: Any, da: Any, b: Any, db: Any) -> Parts:
    """Return a sum."""
    return a + b, da + db


def subtract(a: Any, da: Any, b: Any, db: Any) -> Parts:
    """Return a difference."""
    return a - b, da - db


def multiply(a: Any, da: Any, b: Any, db: Any) -> Parts:
    """Return a product."""
    return a * b, da * b + a * db


def divide(a: Any, da: Any, b: Any, db: Any) -> Parts:
    """Return a quotient."""
    ratio = a / b
    return ratio, (da - ratio * db) / b


def find_angle(y: Any, dy: Any, x: Any, dx: Any) -> Parts:
    """Return the angle of the vector (x, y)."""
    return y.call(math.atan2, x), (x * dy - y * dx) / (x * x + y * y)


def find_length(a: Any, da: Any, b: Any, db: Any) -> Parts:
    """Return the length of the vector (a, b)."""
    size = a.call(math.hypot, b)
    return size, (size > 0.0).select((a * da + b * db) / size, 0.0)


def copy_sign(a: Any, da: Any, b: Any, _: Any) -> Parts:
    """Return a with the sign of b."""
    found = a.call(math.copysign, b)
    return found, (found == a).select(da, -da)


def find_remainder(a: Any, da: Any, b: Any, db: Any) -> Parts:
    """Return the remainder of a division."""
    return a.call(operator.mod, b), da - a.call(operator.floordiv, b) * db


def raise_to(a: Any, da: Any, b: Any) -> Parts:
    """Return a power whose exponent is an integer or a real number."""
    less = b - Code(b.context, b.builder, b.kind, b.context.get_constant(b.kind, 1))
    # for the exponent 0, b replaces b - 1, because a**(b - 1) is infinite if a = 0
    slope = b.cast(_types.float64) * a.call(operator.pow, b.is_zero.select(b, less)) * da
    return a.call(operator.pow, b), da.is_zero.select(da.zero, slope)


def raise_both(a: Any, da: Any, b: Any, db: Any) -> Parts:
    """Return a power whose exponent is a dual number."""
    value, slope = raise_to(a, da, b)
    return value, slope + db.is_zero.select(db.zero, value * a.call(np.log) * db)


def find_power(a: Parts, b: Any) -> Parts:
    """Return a power whose exponent is an integer, a real number or a dual number."""
    return raise_both(*a, *b) if isinstance(b, tuple) else raise_to(*a, b)


def apply(function: Any, slope: Callable[[Any, Any], Any], a: Any, da: Any) -> Parts:
    """Return a function of one number. ``slope(a, f)`` is the derivative at a, for the value f of the function."""
    value = a.call(function)
    return value, da.is_zero.select(da.zero, slope(a, value) * da)


def select_by(compare: Any, *pairs: Parts) -> Parts:
    """Return the first number for which ``compare`` holds with all other numbers, as ``max`` and ``min`` do."""
    best = pairs[0]
    for value, slope in pairs[1:]:
        better = value.call(compare, best[0])
        best = better.select(value, best[0]), better.select(slope, best[1])
    return best


SLOPES: dict[str, Callable[[Any, Any], Any]] = {
    "sqrt": lambda a, f: 0.5 / f,
    "sin": lambda a, f: a.call(np.cos),
    "cos": lambda a, f: -a.call(np.sin),
    "tan": lambda a, f: 1.0 + f * f,
    "exp": lambda a, f: f,
    "expm1": lambda a, f: 1.0 + f,
    "log": lambda a, f: 1.0 / a,
    "log10": lambda a, f: (1.0 / math.log(10.0)) / a,
    "log1p": lambda a, f: 1.0 / (1.0 + a),
    "sinh": lambda a, f: a.call(np.cosh),
    "cosh": lambda a, f: a.call(np.sinh),
    "tanh": lambda a, f: 1.0 - f * f,
    "arcsin": lambda a, f: 1.0 / (1.0 - a * a).call(np.sqrt),
    "arccos": lambda a, f: -1.0 / (1.0 - a * a).call(np.sqrt),
    "arctan": lambda a, f: 1.0 / (1.0 + a * a),
}
"""Derivatives of the functions of one number, by their names in NumPy."""
UNARY: dict[Any, Callable[..., Parts]] = {
    operator.neg: lambda a, da: (-a, -da),
    operator.pos: lambda a, da: (a, da),
    np.negative: lambda a, da: (-a, -da),
    np.conjugate: lambda a, da: (a.conjugate, da.conjugate),
    np.square: lambda a, da: (a * a, 2.0 * a * da),
    float: lambda a, da: (a, da),
}
"""Functions of one number with results of the same type."""
for _name, _slope in SLOPES.items():
    _plain = getattr(np, _name)
    UNARY |= dict.fromkeys((_plain, getattr(math, _name.replace("arc", "a"))), partial(apply, _plain, _slope))
BINARY: dict[Any, Callable[..., Parts]] = {
    **dict.fromkeys((operator.add, operator.iadd, np.add), add),
    **dict.fromkeys((operator.sub, operator.isub, np.subtract), subtract),
    **dict.fromkeys((operator.mul, operator.imul, np.multiply), multiply),
    **dict.fromkeys((operator.truediv, operator.itruediv, np.divide), divide),
    **dict.fromkeys((operator.mod, operator.imod), find_remainder),
    **dict.fromkeys((math.atan2, np.arctan2), find_angle),
    **dict.fromkeys((math.hypot, np.hypot), find_length),
    **dict.fromkeys((math.copysign, np.copysign), copy_sign),
}
"""Functions of two numbers."""
EXTREMES = {max: operator.gt, np.maximum: operator.gt, min: operator.lt, np.minimum: operator.lt}
"""Functions that select one of several real numbers, and the comparison of the selected number with the others."""
COMPARISONS = operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne, operator.floordiv
"""Functions of two numbers that use only the values of dual numbers."""
TESTS = (
    math.floor, math.ceil, np.floor, np.ceil, np.sign, np.rint, round, int, bool,
    math.isfinite, math.isnan, math.isinf, np.isfinite, np.isnan, np.isinf,
)  # fmt: skip
"""Functions of one number that use only the value of a dual number."""
PATTERNS = (
    (DualType,), (DualType, DualType), (DualType, _types.Integer), (DualType, _types.Float),
    (DualType, DualType, DualType), (DualType, DualType, DualType, DualType),
)  # fmt: skip
"""Types of arguments for which code is generated, after the conversions that the signatures state."""


def split(context: Any, builder: Any, kind: Any, value: Any) -> Parts:
    """Return the value and the derivative of a dual number in the code."""
    parts = [Code(context, builder, kind.part, builder.extract_value(value, i)) for i in (0, 1)]
    return parts[0], parts[1]


def join(context: Any, builder: Any, kind: Any, pair: Parts) -> Any:
    """Return a dual number in the code."""
    made = _cgutils.create_struct_proxy(kind)(context, builder)
    made.v, made.e = (part.cast(kind.part).value for part in pair)
    return made._getvalue()


def register(function: Any, find_signature: Callable[[Any], Any], generate: Callable[..., Any]) -> None:
    """Register a function of dual numbers.

    Args:
        function: the function or operator.
        find_signature: function that returns the signature for given types of numbers, or None. At least one type is a
            type of dual numbers.
        generate: function that generates the code. The arguments are pairs for dual numbers, and `Code` for other
            numbers. The result is a pair or a `Code`.
    """

    class Template(_templates.AbstractTemplate):  # type: ignore[misc]
        """Types of the arguments and of the result."""

        key = function

        def generic(self, args: Any, kws: Any) -> Any:
            """Return the signature, or None for types without dual numbers."""
            known = not kws and all(map(is_number, args)) and any(isinstance(kind, DualType) for kind in args)
            return find_signature(args) if known else None

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        given = [
            (split if isinstance(kind, DualType) else Code)(context, builder, kind, value)
            for kind, value in zip(signature.args, args, strict=True)
        ]
        found, kind = generate(*given), signature.return_type
        return join(context, builder, kind, found) if isinstance(kind, DualType) else found.cast(kind).value

    _templates.builtin_registry.register_global(function, _types.Function(Template))
    for pattern in PATTERNS:
        _builtin.lower(function, *pattern)(code)


def type_same(args: Any) -> Any:
    """Return the signature of a function of one number with a result of the same type."""
    return _signature(args[0], args[0]) if len(args) == 1 else None


def type_real(args: Any) -> Any:
    """Return the signature of a function of one number with a real result."""
    return _signature(DUAL, args[0]) if len(args) == 1 else None


def type_common(args: Any) -> Any:
    """Return the signature of a function of two numbers with a result of the common type."""
    return _signature(find_common(args), *[find_common(args)] * 2) if len(args) == 2 else None


def type_extreme(args: Any) -> Any:
    """Return the signature of a function of several real numbers."""
    return _signature(DUAL, *[DUAL] * len(args)) if len(args) > 1 else None


def type_value(function: Any, count: int, args: Any) -> Any:
    """Return the signature of a function of ``count`` numbers that uses only the values of dual numbers."""
    if len(args) != count:
        return None
    common = find_common(args)
    context = _numba.core.registry.cpu_target.typing_context
    found = context.resolve_value_type(function).get_call_type(context, (common.part,) * count, {})
    return _signature(found.return_type, *[common] * count)


def type_power(args: Any) -> Any:
    """Return the signature of a power."""
    if len(args) != 2 or not isinstance(args[0], DualType):
        return type_common(args)
    exponent = _types.unliteral(args[1])
    if isinstance(exponent, (_types.Integer, _types.Float)):
        return _signature(args[0], args[0], _types.int64 if isinstance(exponent, _types.Integer) else _types.float64)
    return type_common(args)


def type_complex(args: Any) -> Any:
    """Return the signature of ``complex``."""
    if len(args) == 1:
        return _signature(DUAL_COMPLEX, args[0])
    return _signature(DUAL_COMPLEX, DUAL, DUAL) if len(args) == 2 and find_common(args) == DUAL else None


def make_complex(a: Parts, b: Parts | None = None) -> Parts:
    """Return a + i b."""
    return a if b is None else (combine(a[0], b[0]), combine(a[1], b[1]))


for _function, _rule in UNARY.items():
    register(_function, type_same, lambda a, rule=_rule: rule(*a))
for _function in (abs, np.abs, np.fabs, math.fabs):
    register(_function, type_real, lambda a: absolute(*a))
for _function, _rule in BINARY.items():
    register(_function, type_common, lambda a, b, rule=_rule: rule(*a, *b))
for _function, _compare in EXTREMES.items():
    register(_function, type_extreme, partial(select_by, _compare))
for _function in COMPARISONS:
    register(_function, partial(type_value, _function, 2), lambda a, b, f=_function: a[0].call(f, b[0]))
for _function in TESTS:
    register(_function, partial(type_value, _function, 1), lambda a, f=_function: a[0].call(f))
for _function in (operator.pow, operator.ipow, pow):
    register(_function, type_power, find_power)
register(complex, type_complex, make_complex)


@_builtin.lower_cast(_types.Any, DualType)  # type: ignore[untyped-decorator]
def _convert(context: Any, builder: Any, given: Any, wanted: Any, value: Any) -> Any:
    """Generate the code that converts a number to a dual number."""
    if isinstance(given, DualType):
        return join(context, builder, wanted, split(context, builder, given, value))
    number = Code(context, builder, given, value).cast(wanted.part)
    return join(context, builder, wanted, (number, number.zero))


@_builtin.lower_constant(DualType)  # type: ignore[untyped-decorator]
def _create_constant(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Generate a constant without derivative."""
    parts = [context.get_constant_generic(builder, kind.part, kind.part.cast_python_value(x)) for x in (value, 0.0)]
    return context.get_value_type(kind)(parts)


@_templates.infer_getattr
class _Attributes(_templates.AttributeTemplate):  # type: ignore[misc]
    """Types of the attributes of dual numbers."""

    key = DualType

    def resolve_real(self, kind: Any) -> Any:
        """Return the type of the real part."""
        return DUAL

    def resolve_imag(self, kind: Any) -> Any:
        """Return the type of the imaginary part."""
        return DUAL

    def resolve_conjugate(self, kind: Any) -> Any:
        """Return the type of the method that returns the conjugate number."""

        class Conjugate(_templates.AbstractTemplate):  # type: ignore[misc]
            """Types of the argument and of the result."""

            key = "dual.conjugate"

            def generic(self, args: Any, kws: Any) -> Any:
                """Return the signature."""
                return _signature(kind, recvr=kind)

        return _types.BoundFunction(Conjugate, kind)


@_builtin.lower("dual.conjugate", DualType)  # type: ignore[untyped-decorator]
def _conjugate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """Generate the code of ``z.conjugate()``."""
    a, da = split(context, builder, signature.return_type, args[0])
    return join(context, builder, signature.return_type, (a.conjugate, da.conjugate))


@_builtin.lower_getattr(DualType, "real")  # type: ignore[untyped-decorator]
def _find_real(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Generate the code of ``z.real``."""
    a, da = split(context, builder, kind, value)
    return join(context, builder, DUAL, (a.real, da.real))


@_builtin.lower_getattr(DualType, "imag")  # type: ignore[untyped-decorator]
def _find_imag(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Generate the code of ``z.imag``."""
    a, da = split(context, builder, kind, value)
    return join(context, builder, DUAL, (a.imag, da.imag))
