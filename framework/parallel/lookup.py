"""Map from world numbers (keys) to values on this process. The map needs memory in proportion to the number of keys on
this process.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from windlass.framework.arrays import IntArray

DENSE = 4
"""The values are stored in a table over the whole range of keys if this range is at most this factor [1] times the
number of keys.
"""


class Lookup:
    """Values by key. ``lookup[keys]`` returns ``missing`` for unknown and for negative keys.

    Args:
        keys: distinct integers >= 0, in any order, shape (n,).
        values: value of each key, shape (n,).
        missing: value for all other keys.
    """

    def __init__(self, keys: IntArray, values: IntArray, missing: int = -1) -> None:
        self.missing = missing
        self._first = int(keys.min()) if len(keys) else 0
        span = int(keys.max()) - self._first + 1 if len(keys) else 0
        self._table: IntArray | None = None
        self._keys = self._values = np.zeros(0, np.int64)
        if span <= DENSE * len(keys):
            # the first entry is the value for all keys below the range, and the last entry is the value for all keys
            # above the range
            self._table = np.full(span + 2, missing, np.int64)
            self._table[keys - self._first + 1] = values
        else:
            order = np.argsort(keys)
            self._keys, self._values = keys[order], np.append(values[order], missing)

    def __getitem__(self, keys: Sequence[int] | IntArray) -> IntArray:
        keys = np.asarray(keys, dtype=np.int64)
        if self._table is not None:
            values: IntArray = self._table.take(keys - (self._first - 1), mode="clip")
        else:
            place = np.searchsorted(self._keys, keys)
            found = self._keys[np.minimum(place, len(self._keys) - 1)] == keys
            values = self._values[np.where(found, place, len(self._keys))]
        return values
