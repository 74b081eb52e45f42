"""Tests of the scaling study: the arithmetic with artificial child processes, and the child script with small
models.
"""

from __future__ import annotations

import argparse
import json
from types import ModuleType
from typing import Any

import pytest

from support.processes import ROOT, run_python

CHILD = ROOT / "benchmarks/scaling_child.py"


def made_up(processes: int, wall: float, cpu: float) -> dict[str, Any]:
    """Return a result of the child script in which every stage takes the same time."""
    names = ("residual", "tangent", "sums into the matrix", "exchange of ghosts", "factorisation", "solve", "rest")
    stages = {name: {"wall": wall, "cpu": cpu} for name in (*names, "whole")}
    solve = {"stages": stages, "iterations": [3, 1, 2], "linear_iterations": 7}
    return {
        "processes": processes,
        "owned": [10] * processes,
        "ghosts": [2] * processes,
        "phases": {"build": {"peak_MB": 500.0}, "solve": {"peak_MB": 1500.0}},
        "solves": {"dynamic": solve},
    }


def test_table_has_the_least_times_of_all_rounds(modules: dict[str, ModuleType]) -> None:
    scaling = modules["scaling"]
    results = {"A, 1": [made_up(1, 0.2, 0.05), made_up(1, 0.1, 0.07)], "A, 2": [made_up(2, 0.06, 0.03)]}
    lines = scaling.tabulate(results).splitlines()
    assert lines[0].split() == ["ms", "per", "step", "A,", "1", "A,", "2"]
    assert lines[1].split() == ["residual", "100.0", "60.0"]
    assert lines[2].split()[-2:] == ["50.0", "30.0"]
    assert any(line.split()[-2:] == ["1.5", "1.5"] and line.startswith("Newton") for line in lines)
    assert lines[-1].split()[-2:] == ["1.50", "1.50"]


def test_ratios_to_the_same_and_to_the_best_solver(modules: dict[str, ModuleType]) -> None:
    """Solver A needs 0.3 s on one process and 0.2 s on two processes, so its ratio is 1.5.

    The best solver on one process, B, needs 0.1 s, so the ratio to B is 0.5. The evaluation of laws takes 2 x 0.08 s
    and 2 x 0.04 s.
    """
    results = {
        "A, x, 1": [made_up(1, 0.3, 0.08)],
        "A, x, 2": [made_up(2, 0.2, 0.04)],
        "B, 1": [made_up(1, 0.2, 0.05), made_up(1, 0.1, 0.06)],
        "B, 2": [made_up(2, 0.1, 0.05)],
    }
    lines = modules["scaling"].tabulate_ratios(results).splitlines()
    assert lines[0].endswith("whole step, best (B)")
    assert [line.split()[-3:] for line in lines[1:]] == [["2.00", "1.50", "0.50"], ["1.00", "1.00", "1.00"]]
    assert modules["scaling"].tabulate_ratios({"A, 2": results["A, x, 2"]}) == ""


def test_cases_of_both_kinds(modules: dict[str, ModuleType]) -> None:
    scaling = modules["scaling"]
    given = argparse.Namespace(model="chain", size=1000, processes=[1, 2], steps=5)
    strong, weak = scaling.strong(given), scaling.weak(given)
    assert len(strong) == 2 * len(scaling.SOLVERS["chain"])
    assert all(words[words.index("-size") + 1] == "1000" for _, words in strong.values())
    assert [words[words.index("-size") + 1] for _, words in weak.values()][:2] == ["1000", "2000"]
    assert not any(name.startswith("default") for name in weak)
    given.model = "net"
    labels = ("MUMPS", "MUMPS, no scaling", "GMRES, ILU of blocks")
    assert list(scaling.strong(given)) == [f"{label}, {processes}" for label in labels for processes in (1, 2)]


@pytest.mark.mpi
@pytest.mark.parametrize("model", ["chain", "net"])
def test_child_computes_the_same_on_two_processes(model: str) -> None:
    words = [CHILD, "-model", model, "-size", "12", "-case", "both", "-steps", "3", "-quiet"]
    results = []
    for processes in (1, 2):
        done = run_python([*words], processes)
        assert done.returncode == 0, done.stderr
        (line,) = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
        results.append(json.loads(line.removeprefix("RESULT ")))
    alone, two = results
    assert two["processes"] == 2
    assert sum(two["owned"]) == alone["owned"][0] == alone["coordinates"]
    for name, value in alone["answers"].items():
        assert two["answers"][name] == pytest.approx(value, rel=1e-8)
    for kind in ("static", "dynamic"):
        assert two["solves"][kind]["iterations"] == alone["solves"][kind]["iterations"]
        assert two["solves"][kind]["stages"]["whole"]["wall"] > 0.0
