"""Control of the step size in static and dynamic solves. The step size decreases after a failure and increases after
steps without failure. Steps end exactly at the end time and at the times that hooks require.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from windlass.framework.checks.checks import check_fields, checked_names, number, optional, whole
from windlass.framework.errors import ModelError

REQUEST = "needs a step of"
"""Text in the reason of a failure, if the step is repeated with the size that a contact recommends."""
SMALLEST = 1e-4
"""Default ratio [1] of the smallest step size to the nominal step size."""
AFTER_SWITCH = 3
"""Number of steps without failure before the step size increases again after a failure due to unsettled contact states.
In a belt drive whose nominal step is five times too long, 3 steps instead of 10 reduce the number of iterations by 10
%.
"""


@checked_names({})
@dataclass(frozen=True)
class StepControl:
    """Rules that reduce the step size after a failure and later increase the step size again.

    Args:
        smallest: smallest step size [s]. A failure with this size ends the run. Default: 1e-4 of the nominal step size.
        cut: factor [1] by which the step size is multiplied after a failure, unless a contact changes its state within
            the failed step. If a contact changes its state, the repeated step ends at the time of the change or
            earlier.
        growth: factor [1] by which the step size is multiplied after ``easy_steps`` steps without failure.
        easy_steps: number of steps without failure before the step size increases. After a failure due to unsettled
            contact states, three such steps are sufficient.

    Raises:
        ModelError: a value is outside its allowed range.
    """

    smallest: float | None = None
    cut: float = 0.5
    growth: float = 2.0
    easy_steps: int = 10

    def __post_init__(self) -> None:
        checks = {"smallest": optional(number("s", above=0.0)), "cut": number("1", above=0.0, below=1.0)}
        check_fields(self, checks | {"growth": number("1", minimum=1.0), "easy_steps": whole(1)})


class StepSizes:
    """Object that chooses step sizes between the smallest and the nominal step.

    Args:
        nominal: largest step size, which is also the size of the first step ([s] in dynamics, [1] in statics).
        control: rules for the reduction and increase of the step size.
        adaptive: whether the step size may be reduced.

    Raises:
        ModelError: the smallest step size exceeds the nominal step size.
    """

    def __init__(self, nominal: float, control: StepControl, adaptive: bool = True) -> None:
        self.nominal, self._control, self._adaptive = nominal, control, adaptive
        self._smallest = SMALLEST * nominal if control.smallest is None else control.smallest
        if self._smallest > nominal:
            raise ModelError(f"smallest = {self._smallest} s in StepControl: must be <= the step, {nominal} s")
        self.begin()

    def begin(self) -> None:
        """Begin a run with the nominal step size."""
        self.size = self.nominal
        self._easy = 0
        self._wait = self._control.easy_steps
        self._anchor: tuple[float, int] | None = None
        self._shortened = False

    def propose(self, now: float, end: float) -> tuple[float, float]:
        """Return the size of the next step, and the time (in statics the progress) at the end of this step. The last
        step is shortened to end exactly at ``end``.

        If the run continues after a shortened last step, the subsequent steps end at ``end`` plus multiples of the step
        size.
        """
        if self._anchor is None:
            # The times of a resumed run must be bitwise identical to the times of an uninterrupted run. Therefore steps
            # are counted from 0 if the present time is a multiple of the step size.
            count = round(now / self.size)
            self._anchor = (0.0, count) if abs(count * self.size - now) <= 1e-15 * abs(now) else (now, 0)
        start, count = self._anchor
        # the end of a step is computed from the number of equal steps, so that 24500 steps of 1e-4 end exactly at 2.45
        then = start + (count + 1) * self.size
        if then > end - 1e-9 * self.nominal:
            # a step whose end differs from ``end`` only by rounding errors keeps its size
            self._shortened = then >= end + 1e-9 * self.nominal
            return (end - now if self._shortened else self.size), end
        self._shortened = False
        return self.size, then

    def foresee(self, then: float, end: float, most: int) -> list[float]:
        """Return the ends of the proposed step and of the subsequent steps of equal size. All these steps are assumed
        to be accepted.

        Args:
            then: end of the proposed step, which `propose` has returned.
            end: the argument ``end`` of `propose`.
            most: largest number of ends.
        """
        ends = [then]
        if most == 1:
            return ends
        assert self._anchor is not None
        start, count = self._anchor
        if self.size < self.nominal:
            most = min(most, self._wait - self._easy)
        later = start + (count + np.arange(2, most + 1)) * self.size
        before = int(np.searchsorted(later, end - 1e-9 * self.nominal, side="right"))
        ends += later[:before].tolist()
        if before < len(later) and later[before] < end + 1e-9 * self.nominal:
            ends.append(end)
        return ends

    def accept(self, steps: int = 1) -> None:
        """Record that the proposed step was accepted, or that the first ``steps`` of the steps from `foresee` were
        accepted.
        """
        assert self._anchor is not None
        self._anchor = None if self._shortened else (self._anchor[0], self._anchor[1] + steps)
        self._easy += steps
        if self.size < self.nominal and self._easy >= self._wait:
            self._resize(min(self.nominal, self._control.growth * self.size))

    def can_cut(self, tried: float) -> bool:
        """Return whether a step smaller than ``tried`` may be tried."""
        return self._adaptive and tried > self._smallest * (1 + 1e-12)

    def reject(self, tried: float, recommended: float, switched: bool = False) -> bool:
        """Record that the proposed step failed. Return whether a smaller step may be tried.

        Args:
            tried: size of the failed step.
            recommended: step size with which the step would end when a contact changes its state; inf if no contact
                changes its state.
            switched: whether the step failed because contacts did not settle. If ``switched`` is true, the step size
                increases again after fewer steps.
        """
        if not self.can_cut(tried):
            return False
        smaller = min(0.75 * tried, recommended) if recommended < tried else self._control.cut * tried
        self._resize(max(smaller, self._smallest))
        easy = self._control.easy_steps
        self._wait = min(easy, AFTER_SWITCH) if switched else easy
        return True

    def checkpoint(self) -> dict[str, Any]:
        """Return the values that a resumed run needs."""
        return {"size": self.size, "easy": self._easy, "wait": self._wait, "anchor": self._anchor}

    def restore(self, kept: Mapping[str, Any]) -> None:
        """Continue from values that `checkpoint` has returned."""
        self.size, self._easy, self._wait = float(kept["size"]), int(kept["easy"]), int(kept["wait"])
        anchor = kept["anchor"]
        self._anchor = None if anchor is None else (float(anchor[0]), int(anchor[1]))

    def _resize(self, size: float) -> None:
        self.size, self._easy, self._anchor = size, 0, None
