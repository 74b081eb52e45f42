"""Runs of a model with different settings of its solvers. The runs are compared by times, iterations, and differences
from the results with default settings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from windlass.commands.studies.catalogue import Setting
from windlass.commands.studies.child_runs import run_child
from windlass.commands.studies.sweep_table import read_json
from windlass.framework.arrays import FloatArray
from windlass.framework.files.state_file import read_state_file
from windlass.framework.launch.arguments import join_options, split_arguments, split_options

CLOCKS = ("wall_time", "cpu_time")
COMPARED = ("q", "v")
"""Parts of the last state that are compared between runs: coordinates and velocities. Accelerations and multipliers
depend on these parts and have larger numerical errors.
"""
TIME = "t"
SLACK = 2.0
"""Additional time [s] in the time limit of a run, for work before the first solve."""


@dataclass(frozen=True)
class Result:
    """Result of one run: statistics, duration and last state.

    Attributes:
        reason: reason why the run has no result; empty if the run has a result.
        stopped: whether the run reached the time limit.
        run_time: time [s] from the start to the end of the run.
        solves: output of ``-statistics`` for each solve.
        answer: dictionary with the coordinates, the velocities and the time at the end of the run; empty if the run has
            no result.
    """

    reason: str
    stopped: bool
    run_time: float
    solves: list[dict[str, Any]]
    answer: Mapping[str, FloatArray]

    def sum(self, prefix: str, name: str) -> float:
        """Return the sum of the statistic ``name`` over all solves with a prefix."""
        return float(sum(solve.get(name, 0) for solve in self.solves if solve["prefix"] == prefix))

    def differ_from(self, other: Result) -> float:
        """Return the largest relative difference [1] between the coordinates, and between the velocities, of two runs.
        If the runs have different numbers of coordinates, the result is infinite.

        Differences of coordinates are divided by the largest coordinate of ``other``. Differences of velocities are
        divided by the largest velocity of ``other`` or, if this value is larger, by the largest coordinate divided by
        the end time.
        """
        sizes = [[len(run.answer.get(name, ())) for name in COMPARED] for run in (self, other)]
        if sizes[0] != sizes[1]:
            return float("inf")
        way, speed = (_largest(other.answer[name]) for name in COMPARED)
        time = float(other.answer[TIME])
        scales = way or 1.0, max(speed, way / time if time > 0.0 else 0.0) or 1.0
        parts = [self.answer[name] - other.answer[name] for name in COMPARED]
        return max(_largest(part) / scale for part, scale in zip(parts, scales, strict=True))


@dataclass
class Tried:
    """A setting with its runs.

    Attributes:
        setting: names and values of the options.
        out: reason why the setting is excluded from the ranking; empty otherwise.
        difference: largest relative difference [1] from the run with default settings, see `Result.differ_from`.
        runs: all completed runs.
    """

    setting: Setting
    out: str = ""
    difference: float = 0.0
    runs: list[Result] = field(default_factory=list)

    def time(self, prefix: str, clock: str) -> float:
        """Return the total time [s] of all solves with a prefix in one run. With several runs, the shortest total time
        is returned. Without runs, the result is infinite.
        """
        return min((run.sum(prefix, clock) for run in self.runs), default=float("inf"))


@dataclass(frozen=True)
class Runner:
    """Object that runs a model with additional options.

    Attributes:
        model: file of the model script.
        words: options that are equal in all runs.
        processes: number of processes of each run.
        folder: folder in which the runs are executed, one after the other.
    """

    model: Path
    words: tuple[str, ...]
    processes: int
    folder: Path

    def run(self, options: Sequence[str], limit: float | None = None) -> Result:
        """Run the model with additional options, for at most the given time [s]."""
        for old in ("statistics.json", "final.npz"):
            (self.folder / old).unlink(missing_ok=True)
        own = ("-statistics", "statistics.json", "-final_state", "final.npz", "-progress", "false")
        given, behind = split_arguments(self.words)
        # options that the user has given override the options of the setting
        merged = dict([*split_options([*own, *options]), *split_options(given)])
        words = [*join_options(list(merged.items())), *(["--", *behind] if behind else [])]
        ended = run_child([str(self.model), *words], self.folder, self.processes, limit)
        solves, answer = read_json(self.folder / "statistics.json") or [], {}
        if not ended.reason and (self.folder / "final.npz").exists():
            stored, _ = read_state_file(self.folder / "final.npz", (*COMPARED, TIME))
            answer = {name: np.asarray(stored[name]) for name in (*COMPARED, TIME)}
        return Result(ended.reason, ended.stopped, ended.wall_time, solves, answer)


def find_limit(default: Result, prefix: str, factor: float) -> float:
    """Return the time limit [s] of a run. The limit is the sum of three times: ``factor`` times the time of the solves
    with the given prefix in the default run, 1.5 times the remaining duration of the default run, and `SLACK`.
    """
    solving = default.sum(prefix, "wall_time")
    return factor * solving + 1.5 * max(0.0, default.run_time - solving) + SLACK


def _largest(values: FloatArray) -> float:
    return float(np.abs(values).max(initial=0.0))
