"""The compiler's types of dual numbers.

A dual number a + ε b, with ε² = 0, contains a value a and the derivative b of this value with respect to one parameter.
Both parts are real, or both are complex, because kernels use complex numbers as vectors in a plane and for complex
steps.

Source: A. Griewank, A. Walther, Evaluating Derivatives, SIAM (2008), chapter 3.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

_numba: Any = numba  # declared as Any, because internal functions of numba have no type annotations
_types: Any = _numba.types
_models: Any = _numba.core.datamodel.models
_promote: Any = _numba.core.typeconv.Conversion.promote
REAL = _types.Float, _types.Integer, _types.Boolean
"""Types of real numbers that can be converted to dual numbers."""


class DualType(_types.Type):  # type: ignore[misc]
    """Type of dual numbers.

    Args:
        part: type of the value and of the derivative, float64 or complex128.
    """

    def __init__(self, part: Any) -> None:
        self.part, self.bitwidth = part, 2 * part.bitwidth
        super().__init__(name="dual" if part == _types.float64 else "dual_complex")

    @property
    def is_complex(self) -> bool:
        """Whether both parts are complex."""
        return bool(self.part == _types.complex128)

    def can_convert_from(self, typingctx: Any, other: Any) -> Any:
        """Return how numbers of another type are converted to this type, or None."""
        wide = self.is_complex and (isinstance(other, _types.Complex) or other == DUAL)
        return _promote if wide or isinstance(other, REAL) else None

    def unify(self, typingctx: Any, other: Any) -> Any:
        """Return the type of a variable to which numbers of this type and of another type are assigned."""
        return find_common((self, other)) if is_number(other) else None


DUAL, DUAL_COMPLEX = DualType(_types.float64), DualType(_types.complex128)


class DualRecord(_types.Record):  # type: ignore[misc]
    """Type of records with dual numbers."""

    @property
    def dtype(self) -> Any:
        """A type of NumPy of the same size. NumPy has no type of dual numbers."""
        return np.dtype((np.void, self.size))


class _DualModel(_models.StructModel):  # type: ignore[misc]
    """Memory layout of a dual number: the value and the derivative."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, [("v", kind.part), ("e", kind.part)])


_models.register_default(DualType)(_DualModel)
_models.register_default(DualRecord)(_models.RecordModel)


def is_number(kind: Any) -> bool:
    """Return whether a type is a type of real, complex or dual numbers."""
    return isinstance(kind, (*REAL, _types.Complex, DualType))


def find_common(kinds: Any) -> Any:
    """Return the type of dual numbers to which numbers of all given types can be converted."""
    return DUAL_COMPLEX if any(isinstance(kind, _types.Complex) or kind == DUAL_COMPLEX for kind in kinds) else DUAL
