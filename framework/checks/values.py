"""Conversion of user input to numbers, integers, truth values or words, without the implicit conversions of NumPy.

NumPy may convert words, dates, masked entries and other objects to numbers, and any object to a truth value. This
module rejects such values. It accepts only ``True``, ``False``, 1 and 0 as truth values.
"""

from __future__ import annotations

from array import array as CompactArray
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.framework.arrays import FloatArray

NUMBERS = frozenset("iuf")
YES_NO = frozenset("biu")
WORDS = frozenset("U")
OTHER = "O"

LONGEST = 100
"""Largest number of characters of a value in messages. Longer texts are cut to this length."""


def show(value: Any) -> str:
    """Return the shortened ``repr`` of a value, for messages."""
    try:
        with np.printoptions(threshold=8):
            text = " ".join(repr(value).split())
    except Exception:  # ``repr`` of user objects may raise any error
        text = f"<{type(value).__name__}>"
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def find_kinds(value: Any) -> set[str]:
    """Return NumPy's letters (`dtype.kind`) for the types of all entries of a number, array or nested list. For arrays
    with masked entries, and for values of other types, return ``O``.
    """
    if isinstance(value, np.ma.MaskedArray) and np.any(value.mask):
        return {OTHER}
    if isinstance(value, np.ndarray | np.generic):
        return {value.dtype.kind}
    for kind, letter in ((bool, "b"), (int, "i"), (float, "f"), (str, "U")):
        if isinstance(value, kind):
            return {letter}
    if isinstance(value, list | tuple | range):
        return _kinds_of_list(value)
    if isinstance(value, CompactArray) or hasattr(value, "__array__"):
        return find_kinds(_to_array(value))
    return {OTHER}


def _kinds_of_list(values: Any) -> set[str]:
    # to save time, only entries that are not plain numbers are checked individually
    plain = {float: "f", int: "i", bool: "b", str: "U"}
    types = set(map(type, values))
    kinds = {plain[kind] for kind in types if kind in plain}
    if types - set(plain):
        kinds = kinds.union(*(find_kinds(v) for v in values if type(v) not in plain))
    return kinds


def _to_array(value: Any) -> NDArray[Any]:
    """Convert a value to an array of a type that NumPy selects, or to an object array if NumPy raises an error."""
    try:
        return np.asarray(value)
    except Exception:  # lists of unequal lengths and user objects may raise any error
        return np.empty(0, object)


def _convert(value: Any, allowed: frozenset[str], dtype: Any) -> NDArray[Any] | None:
    kinds = find_kinds(value)
    if not kinds or not kinds <= allowed:
        return None
    try:
        return np.asarray(value, dtype=dtype)
    # NumPy raises these errors for lists of unequal lengths, and for integers beyond the range of floats
    except (TypeError, ValueError, OverflowError):
        return None


def read_numbers(value: Any) -> FloatArray | None:
    """Return numbers, finite or not, as an array with the shape of ``value``. Return None for other values and for
    empty lists.
    """
    return _convert(value, NUMBERS, np.float64)


def read_whole_numbers(value: Any) -> NDArray[np.int64] | None:
    """Return whole numbers, which may be given as floats, as an array with the shape of ``value``. Return None for
    other values.
    """
    if type(value) is np.ndarray and value.dtype.kind == "i":
        return value.astype(np.int64, copy=False)
    numbers = read_numbers(value)
    # floats cannot represent all integers above this limit
    if numbers is None or not bool((np.abs(numbers) <= 2.0**53).all()):
        return None
    whole = numbers.astype(np.int64)
    return whole if np.array_equal(whole, numbers) else None


def read_yes_no(value: Any) -> NDArray[np.bool_] | None:
    """Return the truth values in ``value`` (True, False, 1 or 0) as an array of its shape. Return None for other
    values.
    """
    given = _convert(value, YES_NO, None)
    if given is None or not bool(((given == 0) | (given == 1)).all()):
        return None
    return given.astype(bool)


def read_words(value: Any) -> NDArray[np.str_] | None:
    """Return words as an array with the shape of ``value``. Return None for other values."""
    return _convert(value, WORDS, np.str_)
