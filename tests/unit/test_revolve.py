"""The schedule of checkpoints reverses all steps with the least number of advances and a bounded number of states."""

from __future__ import annotations

from functools import cache

import pytest

from windlass.solvers.sensitivities.revolve import count_advances, count_reversible, place_states, reverse


@cache
def find_least(steps: int, states: int) -> int:
    """Return the least number of advances by trying all positions of the next state."""
    if steps == 1:
        return 0
    if states == 1:
        return steps * (steps - 1) // 2
    return min(m + find_least(steps - m, states - 1) + find_least(m, states) for m in range(1, steps))


@pytest.mark.parametrize("states", [1, 2, 3, 5, 9])
def test_schedule_is_optimal(states: int) -> None:
    """The number of advances is the smallest possible number, with and without states that are stored during the
    motion.
    """
    for steps in range(1, 50):
        placed = place_states(steps, states)
        for stored in ([0], placed):
            kept, order, advances, most = set(stored), list[int](), 0, len(stored)
            for move in reverse(steps, states, stored):
                assert move.start in kept
                advances += move.end - move.start
                if move.stores:
                    kept.add(move.end)
                    most = max(most, len(kept))
                else:
                    order.append(move.end)
                    kept.discard(move.end)
            assert order == list(range(steps - 1, -1, -1)) and most <= states
            # ``advances`` does not include the steps of the motion itself, which has advanced to the last stored state
            assert advances + stored[-1] == find_least(steps, states) == count_advances(steps, states)


def test_published_counts() -> None:
    """Ten states suffice for 1001 steps, each advanced at most four times (Griewank and Walther 2000, table 1)."""
    assert count_reversible(10, 4) == 1001 and count_reversible(3, 2) == 10
    assert count_advances(10, 3) == 15
