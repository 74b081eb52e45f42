"""Wrong values, each with a description, and the exceptions that a column or an argument accepts."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import numpy as np

from windlass.framework.model.schema import Column, Ref

Case = tuple[str, Any]


class Unreadable:
    """An object whose operations all raise errors."""

    def __array__(self, *_: Any) -> Any:
        raise RuntimeError("no array")

    def __repr__(self) -> str:
        raise RuntimeError("no words")


def function(*_: Any) -> float:
    """Function that is passed to arguments that take no functions."""
    return 1.0


NONSENSE: dict[str, Any] = {
    "None": None,
    "empty string": "",
    "word": "soft",
    "false": "false",
    "no": "no",
    "number as text": "1.0",
    "nan as text": "nan",
    "bytes": b"1",
    "bytearray": bytearray(b"1"),
    "complex": 1.0 + 2.0j,
    "complex array": np.array([1.0 + 2.0j]),
    "real complex": np.complex128(1.0),
    "nan": float("nan"),
    "NumPy nan": np.float64("nan"),
    "inf": float("inf"),
    "-inf": float("-inf"),
    "masked": np.ma.masked,
    "masked array": np.ma.masked_array([1.0, 2.0, 3.0], mask=[False, True, False]),
    "masked number": np.ma.masked_array(1.0, mask=True),
    "date": np.datetime64("2020-01-01"),
    "duration": np.timedelta64(1, "s"),
    "dates": np.array(["2020-01-01"] * 3, "datetime64[D]"),
    "words": ["a", "b", "c"],
    "array of words": np.array(["1", "2", "3"]),
    "array of bytes": np.array([b"1", b"2", b"3"]),
    "array of objects": np.array([None, 1.0, object()], dtype=object),
    "structured array": np.zeros(3, [("x", float)]),
    "object": object(),
    "unreadable object": Unreadable(),
    "dictionary": {"x": 1.0},
    "set": {1.0, 2.0},
    "function": function,
    "class": float,
    "decimal": Decimal("1.0"),
    "generator": (x for x in (1.0, 2.0, 3.0)),
    "slice": slice(0, 3),
    "ellipsis": ...,
    "empty list": [],
    "empty tuple": (),
    "empty lists": [[], []],
    "empty array": np.zeros((0,)),
    "empty range": range(0),
    "ragged list": [[1.0, 2.0], [3.0]],
    "ragged deep": [1.0, [2.0, 3.0]],
    "list with None": [1.0, None, 2.0],
    "list with text": [1.0, "2", 3.0],
    "list with nan": [1.0, float("nan"), 2.0],
    "list with bool": [1.0, True, 2.0],
    "too many axes": np.ones((1, 2, 3, 4, 5)),
    "beyond floats": 10**400,
    "text in array": np.array("1.0"),
}
"""Values that all columns and arguments for numbers, truth values or choices must refuse."""
FOR_NUMBERS: dict[str, Any] = {
    "True": True,
    "False": False,
    "NumPy True": np.True_,
    "bools": [True, False, True],
    "array of bools": np.array([True, False, True]),
}
FOR_WHOLE: dict[str, Any] = {"fraction": 1.5, "tiny": 1e-9, "2^63": 2**63, "fractions": [0.5, 1.5, 2.5]}
FOR_YES_NO: dict[str, Any] = {
    "2": 2,
    "-1": -1,
    "0.5": 0.5,
    "1.0": 1.0,
    "floats": np.ones(3),
    "two": [2, 2, 2],
}
FOR_FUNCTIONS = [label for label in NONSENSE if label not in ("None", "function", "class")]
FOR_CHOICES: dict[str, Any] = {"a number": 1, "other words": "Simbody", "longer word": "simbodyx", "True": True}


def wrong_values(col: Column) -> Iterator[Case]:
    """Return values that a column must refuse. The values follow from its type, shape and range alone."""
    kind = "O" if col.dtype is object else np.dtype(col.dtype).kind
    if kind == "O":
        yield from ((label, NONSENSE[label]) for label in FOR_FUNCTIONS)
        return
    yield from NONSENSE.items()
    if kind == "U":
        yield from FOR_CHOICES.items()
        return
    yield from {"b": FOR_YES_NO, "i": {**FOR_NUMBERS, **FOR_WHOLE}, "f": FOR_NUMBERS}[kind].items()
    good = {"b": True, "i": 1, "f": 1.0}[kind]
    yield from _wrong_shapes(col, good)
    yield from _out_of_range(col)


def _wrong_shapes(col: Column, good: Any) -> Iterator[Case]:
    shape = col.shape
    if shape is None:
        yield "scalar", good
        return
    if not shape or shape == (1,):
        return
    for more in (1, 2):
        yield f"{more} too many entries", np.full((*shape[:-1], shape[-1] + more), good)
    yield "one too few", np.full((*shape[:-1], shape[-1] - 1), good)
    yield "one too few, as a list", np.full((*shape[:-1], shape[-1] - 1), good).tolist()
    yield "one number in a list", [good]
    yield "one number in a tuple", (good,)
    if not col.fill:
        yield "scalar", good
        yield "NumPy scalar", np.asarray(good)[()]
        yield "array of one number", np.asarray(good)


def _out_of_range(col: Column) -> Iterator[Case]:
    def fill(value: Any) -> Any:
        return np.full(col.shape, value) if col.shape else value

    if col.above is not None:
        yield "at the bound", fill(col.above)
        yield "below the bound", fill(col.above - 1)
        yield "just below", fill(col.above - 1e-9)
    if col.minimum is not None:
        yield "below the minimum", fill(col.minimum - 1)
        yield "far below", fill(-(10**9) if np.dtype(col.dtype).kind == "i" else -1e300)
    if col.choices is not None:
        yield "no choice", fill(97)
    if np.dtype(col.dtype).kind == "f" and col.shape:
        yield "one nan", np.where(np.arange(np.prod(col.shape)).reshape(col.shape) == 0, np.nan, 1.0)


def wrong_references(ref: Ref, others: dict[str, Any]) -> Iterator[Case]:
    """Return values that a reference must refuse; ``others`` are handles of other kinds and of another world."""
    for label, value in {**NONSENSE, **FOR_NUMBERS, **FOR_WHOLE}.items():
        if not (label == "None" and ref.optional):
            yield label, value
    yield "number beyond", np.array([10**9])
    yield "negative number", np.array([-7])
    yield "a number", 0
    yield from others.items()
