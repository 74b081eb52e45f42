"""Tests of benchmarks/agreement.py, which compares runs on several processes: arithmetic, and verdicts on artificial
runs.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest


@pytest.fixture
def agreement(modules: dict[str, ModuleType]) -> ModuleType:
    return modules["agreement"]


def made_up(difference: float = 0.0, newton: tuple[int, ...] = (3, 1, 2)) -> dict[str, Any]:
    """Return arrays of an artificial run with positions up to 2 m and slopes up to 0.1; ``difference`` is added to one
    slope.
    """
    slopes = np.array([[0.05, -0.1], [0.0, 0.01]])
    slopes[1, 1] += difference
    return {
        "displacements: positions": np.array([[1.0, -2.0], [0.5, 0.5]]),
        "displacements: slopes": slopes,
        "multipliers: CoordinateConstraint": np.zeros((2, 0)),
        "newton": np.array(newton),
        "passes": np.ones(len(newton), np.int64),
    }


def test_differences_are_relative_to_their_own_kind(agreement: ModuleType) -> None:
    """A difference of 2e-9 in a slope is a relative difference of 2e-8, because the largest slope is the reference
    value. With the largest displacement as reference value, the relative difference would be 1e-9.
    """
    result = agreement.compare(made_up(2e-9), made_up())
    assert result.worst == ("displacements: slopes", pytest.approx(2e-8, rel=1e-6))
    assert not result.agrees
    assert agreement.compare(made_up(0.9e-9), made_up()).agrees
    assert agreement.relative_difference(np.array([1e-30]), np.zeros(1)) == np.inf
    assert agreement.relative_difference(np.array([np.nan]), np.ones(1)) == np.inf
    assert agreement.relative_difference(np.ones(3), np.ones(2)) == np.inf
    with pytest.raises(ValueError, match="must be in both runs"):
        agreement.compare({**made_up(), "more": np.ones(1)}, made_up())


def test_multipliers_that_are_round_off_of_others_are_measured_by_a_millionth_of_the_largest(
    agreement: ModuleType,
) -> None:
    """With forces of 1000 N, a difference of 1e-11 N in a multiplier of 1e-4 N is a relative difference of 1e-8. The
    reference value is 1e-3 N, a millionth of the largest force.
    """
    expected = {**made_up(), "multipliers: joint": np.array([1000.0]), "multipliers: norm": np.array([1e-4])}
    found = {**expected, "multipliers: norm": np.array([1e-4 + 0.9e-11])}
    result = agreement.compare(found, expected)
    assert result.agrees
    assert result.worst == ("multipliers: norm", pytest.approx(0.9e-8, rel=1e-3))
    assert not agreement.compare({**expected, "multipliers: joint": np.array([1000.0 + 1.1e-5])}, expected).agrees
    slopes = {**expected, "displacements: slopes": expected["displacements: slopes"] + 1.1e-9}
    assert not agreement.compare(slopes, expected).agrees


def test_iterations_must_be_equal_in_each_step(agreement: ModuleType) -> None:
    result = agreement.compare(made_up(newton=(2, 2, 2)), made_up())
    assert (result.newton, result.uneven, result.agrees) == (6, 2, False)
    assert not agreement.compare(made_up(newton=(3, 1, 1, 1)), made_up()).agrees


@pytest.mark.parametrize(("difference", "code"), [(0.0, 0), (2e-9, 1)])
def test_exit_code_and_file(
    agreement: ModuleType, difference: float, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(script: Path, processes: int, words: list[str], waits_quietly: bool) -> str:
        np.savez(words[words.index("-out") + 1], **made_up(difference if processes == 3 else 0.0))
        return ""

    monkeypatch.setattr(agreement, "run_on_processes", run)
    monkeypatch.setattr(sys, "argv", ["agreement.py", "--cases", "belt", "--results", str(tmp_path)])
    assert agreement.main() == code
    runs = json.loads((tmp_path / "agreement.json").read_text())["runs"]
    assert [run["processes"] for run in runs] == [1, 2, 3]
    assert [run["agrees"] for run in runs] == [True, True, code == 0]
