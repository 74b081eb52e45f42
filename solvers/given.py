"""What the arguments of solvers may be, and the states that they start from."""

from __future__ import annotations

import math

import numpy as np

from windlass.framework.checks import Check, each, instance, number, optional, that, whole, word, yes_no
from windlass.framework.errors import ModelError
from windlass.framework.hooks import is_hook
from windlass.framework.state import NAMES, State

LONGEST_TIME = 1e12
"""Times [s] beyond this are mistakes: their squares and inverses leave the range of numbers."""
MOST_STEPS = 1e12
"""More steps than any computer can do: the step is a mistake."""

PREFIX = that(
    lambda given: isinstance(given, str) and given.isidentifier() and given.isascii(), "letters, digits and _"
)

COMMON: dict[str, Check] = {
    "world": instance("World"),
    "rtol": number("1", above=0.0, below=1.0),
    "atol": number("N", minimum=0.0),
    "adaptive": yes_no(),
    "prefix": PREFIX,
    "name": word(),
}
"""Arguments that all solvers have."""
NEWTON: dict[str, Check] = {
    "max_it": whole(1),
    "discontinuous_max_it": whole(1),
    "discontinuous_atol": number("N", minimum=0.0),
    "discontinuous_fail": yes_no(),
}
"""Arguments of solvers with Newton's method."""
TIMES: dict[str, Check] = {
    "step": number("s", above=0.0, below=LONGEST_TIME),
    "end": number("s", above=0.0, below=LONGEST_TIME),
    "smallest_step": optional(number("s", above=0.0)),
}
"""Arguments of solvers in time."""
SOLVE: dict[str, Check] = {
    "state": optional(instance(State)),
    "hooks": each(that(is_hook, "a StepHook or a function of the state"), "a list of hooks"),
    "resume": yes_no(),
}
"""Arguments of solves."""


def check_smallest(smallest: float | None, step: float, where: str) -> None:
    """Raise ModelError for a smallest step that is longer than the step, both in s."""
    if smallest is not None and smallest > step:
        raise ModelError(f"smallest_step = {smallest} s in {where}: must be <= the step, {step} s")


def check_start(state: State, where: str) -> None:
    """Raise ModelError for a start with values that are not finite."""
    for name in NAMES:
        bad = np.flatnonzero(~np.isfinite(getattr(state, name)))
        if len(bad):
            value = getattr(state, name)[bad[0]]
            raise ModelError(
                f"{name}[{bad[0]}] = {value} of the state that {where} starts from: must be a finite number"
            )
    if not math.isfinite(state.t):
        raise ModelError(f"t = {state.t} s of the state that {where} starts from: must be a finite time")


def check_times(state: State, step: float, end: float, where: str) -> None:
    """Raise ModelError for a start after the end, or more steps than can be done; step and end in s."""
    check_start(state, where)
    if end < state.t - 1e-9 * step:
        raise ModelError(f"end = {end} s in {where}: must be >= {state.t:.9g} s, the time of the state")
    if end - state.t > MOST_STEPS * step:
        count = (end - state.t) / step
        raise ModelError(f"step = {step} s in {where}: must be longer, the end at {end} s is {count:.2g} steps away")
