"""Record of step sizes, Newton iterations and passes as functions of time, for the report of a solve. The number of
rows is limited.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.solvers.stepping.statistics import Statistics

MOST = 2000
"""If a run has at least this number of steps, the number of stored rows is at least this number, and always less than
twice this number.
"""
COUNTS = ("newton_iterations", "discontinuous_iterations", "evaluations")
"""Names of the counts that a row contains."""
WORK = {"Newton iterations": 4, "passes": 5, "evaluations": 6}
"""Names of the counts in reports, and the index of each count in a row."""


class StepHistory:
    """Table of the computational work in a run. Each row contains the data of one or more successive steps. The data
    are the end time of the last of these steps, the number of steps, the smallest and the largest step size, and the
    numbers of Newton iterations, passes and evaluations.

    When the number of rows reaches twice `MOST`, neighbouring rows are merged in pairs.
    """

    def __init__(self) -> None:
        self._rows: list[list[float]] = []
        self._width = 1
        self._last = (0,) * len(COUNTS)

    def note(self, now: float, size: float, statistics: Statistics) -> None:
        """Record an accepted step of the given size that ends at ``now``. The record includes the work of the rejected
        attempts before this step.
        """
        counts = tuple(int(getattr(statistics, name)) for name in COUNTS)
        done = [new - old for new, old in zip(counts, self._last, strict=True)]
        self._last = counts
        if not self._rows or self._rows[-1][1] >= self._width:
            self._rows.append([now, 1.0, size, size, *done])
        else:
            self._rows[-1] = _join(self._rows[-1], [now, 1.0, size, size, *done])
        if len(self._rows) >= 2 * MOST:
            self._rows = [_join(a, b) for a, b in zip(self._rows[::2], self._rows[1::2], strict=True)]
            self._width *= 2

    @property
    def rows(self) -> FloatArray:
        """Return all rows, shape (rows, 7)."""
        return np.array(self._rows, dtype=np.float64).reshape(-1, 4 + len(COUNTS))

    def checkpoint(self) -> dict[str, Any]:
        """Return the present rows. A resumed run adds its steps to these rows."""
        return {"rows": self.rows, "width": self._width, "last": list(self._last)}

    def restore(self, kept: dict[str, Any]) -> None:
        """Continue from values that `checkpoint` has returned."""
        self._rows, self._width = kept["rows"].tolist(), int(kept["width"])
        self._last = tuple(int(count) for count in kept["last"])


def _join(a: list[float], b: list[float]) -> list[float]:
    """Merge two neighbouring rows into one row with the data of all their steps."""
    return [b[0], a[1] + b[1], min(a[2], b[2]), max(a[3], b[3]), *(x + y for x, y in zip(a[4:], b[4:], strict=True))]
