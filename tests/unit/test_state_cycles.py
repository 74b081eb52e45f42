"""Tests of the detection of cycles of contact states within a run of Newton's method."""

from __future__ import annotations

import numpy as np
import pytest

from windlass.framework.assembly.state_cycles import ALTERNATES, compare_states, count_down

SETS = {"A": (0.3, -1.0, 0.0), "a": (0.1, -2.0, 0.0), "B": (-0.2, 1.0, 0.0), "C": (0.3, -1.0, 1.0)}
"""History values with the same signs have the same letter."""


@pytest.mark.parametrize(
    ("runs", "left"),
    [
        (["AB"], 8), (["ABa"], 7), (["ABaB"], ALTERNATES), (["AaAa"], 6), (["ABaC"], 6), (["CABaaA"], 4),
        (["CCABaB"], ALTERNATES), (["ABa", "BaC"], 7), (["AB", "AB"], 8),
    ],
)  # fmt: skip
def test_a_cycle_is_complete_when_both_sets_have_occurred_twice(runs: list[str], left: float) -> None:
    """In the parameters of the test, each letter denotes the contact states of one evaluation. Only the signs of
    history values are compared, and earlier runs have no effect.
    """
    mapped, known = np.zeros(1), (np.zeros(1), np.zeros((2, 3), np.int8), np.zeros(2), np.zeros(1))
    before, earlier, differs, returns = known
    for run in runs:
        mapped[0] = 10.0
        for letter in run:
            compare_states(np.array(SETS[letter]), mapped, before, earlier, differs)
            count_down(mapped, before, differs, returns)
    assert mapped[0] == left
