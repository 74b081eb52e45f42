"""Array types, and compact storage of mostly consecutive integers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
ComplexArray = NDArray[np.complex128]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


def pack_runs(values: NDArray[Any]) -> tuple[NDArray[Any], IntArray | None]:
    """Compress an array of mostly consecutive integers: return the first value and the length of each sequence of
    consecutive values. If the compressed form needs as much memory as the array, or more, return the array and None.
    """
    if values.ndim == 1 and values.dtype == np.int64 and len(values):
        starts = np.concatenate(([0], 1 + np.flatnonzero(values[1:] != values[:-1] + 1)))
        if 2 * len(starts) < len(values):
            return values[starts], np.diff(starts, append=len(values))
    return values, None


def unpack_runs(first: NDArray[Any], lengths: IntArray | None) -> NDArray[Any]:
    """Expand the result of `pack_runs` to an array."""
    if lengths is None:
        return first
    numbers: IntArray = np.arange(int(lengths.sum()))
    numbers += np.repeat(first - np.cumsum(lengths) + lengths, lengths)
    return numbers
