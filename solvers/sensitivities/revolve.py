"""Schedule of checkpoints (binomial schedule, `revolve`) with which a sequence of steps is reversed in bounded memory.

The adjoint of a motion needs the states at the starts of all steps in reverse order. With s stored states, including
the start, and r repetitions of each step, at most β(s, r) = (s + r)!/(s! r!) steps can be reversed. The reversal of n
steps needs at least t(n, s) advances over single steps. The advance over a step that belongs to the reversal of this
step is not counted:

    t(n, s) = r n - β(s + 1, r - 1),    β(s, r - 1) < n <= β(s, r).

Source: A. Griewank, A. Walther, Algorithm 799: revolve, ACM Transactions on Mathematical Software 26 (2000) 19-45.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import comb
from typing import NamedTuple


class Move(NamedTuple):
    """A part of the schedule: advance from a stored state to another step, then store the state or reverse a step.

    Attributes:
        start: number of the step at whose start a state is stored.
        end: number of the step at whose start a state is needed, >= ``start``.
        stores: whether the state at ``end`` is stored. Otherwise the step that begins at ``end`` is reversed.
    """

    start: int
    end: int
    stores: bool


def count_reversible(states: int, repetitions: int) -> int:
    """Return β(``states``, ``repetitions``). β is the largest number of steps that can be reversed if the motion is
    advanced over each step at most ``repetitions`` times.
    """
    return comb(states + repetitions, states) if repetitions >= 0 else 0


def count_repetitions(steps: int, states: int) -> int:
    """Return the least r with β(states, r) >= steps."""
    r = 0
    while count_reversible(states, r) < steps:
        r += 1
    return r


def count_advances(steps: int, states: int) -> int:
    """Return t(n, s), the least number of advances over single steps that are needed to reverse n = ``steps`` steps
    with s = ``states`` stored states.
    """
    r = count_repetitions(steps, states)
    return r * steps - count_reversible(states + 1, r - 1)


def find_split(steps: int, states: int) -> int:
    """Return the number of steps after which the next state is stored, if ``steps`` steps remain. ``states`` is the
    number of states that may be stored, including the state at the start.
    """
    r = count_repetitions(steps, states)
    return max(1, min(count_reversible(states, r - 1), steps - count_reversible(states - 1, r - 1)))


def place_states(steps: int, states: int) -> list[int]:
    """Return the numbers of the steps at whose starts states are stored. The states are stored while the motion is
    computed.
    """
    found = [0]
    while len(found) < states and steps - found[-1] > 1:
        found.append(found[-1] + find_split(steps - found[-1], states - len(found) + 1))
    return found


def reverse(steps: int, states: int, stored: Sequence[int] = (0,)) -> Iterator[Move]:
    """Yield the moves that reverse all steps, the last step first.

    Args:
        steps: number of steps.
        states: largest number of stored states.
        stored: numbers of the steps whose states are already stored, in ascending order, beginning with 0.
    """
    kept = [number for number in stored if number < steps]
    for last in range(steps - 1, -1, -1):
        while len(kept) < states and last > kept[-1]:
            end = kept[-1] + find_split(last + 1 - kept[-1], states - len(kept) + 1)
            yield Move(kept[-1], end, True)
            kept.append(end)
        yield Move(kept[-1], last, False)
        if kept[-1] == last:
            kept.pop()
