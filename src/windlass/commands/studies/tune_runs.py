"""Runs of a model with different settings of its solvers. Each run has a cost, and a difference between its answer and
the answer of the default settings."""

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
"""Parts of a state that form the answer of a run: coordinates and velocities. Accelerations and multipliers depend on
these parts and have larger numerical noise.
"""
TIME = "t"
SLACK = 2.0
"""Additional time that a run may take before its first solve [s]."""


@dataclass(frozen=True)
class Result:
    """Costs and answer of one run.

    Attributes:
        reason: reason why the run has no result; empty if it has a result.
        stopped: whether the run reached the time limit.
        run_time: time from the start to the end of the run [s].
        solves: ``-statistics`` of its solves.
        answer: coordinates and velocities at the end, by name.
    """

    reason: str
    stopped: bool
    run_time: float
    solves: list[dict[str, Any]]
    answer: Mapping[str, FloatArray]

    def sum(self, prefix: str, name: str) -> float:
        """Return the sum of a count or time over all solves with a prefix."""
        return float(sum(solve.get(name, 0) for solve in self.solves if solve["prefix"] == prefix))

    def differ_from(self, other: Result) -> float:
        """Return the largest difference between two answers, relative to the largest coordinate and velocity [1].

        Very small velocities are compared with the largest coordinate divided by the end time.
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
    """A setting, its runs, and the reason if it is excluded.

    Attributes:
        setting: the options.
        out: reason why the setting is excluded from the ranking; empty otherwise.
        difference: difference between the setting's answer and the default's answer [1].
        runs: all completed runs.
    """

    setting: Setting
    out: str = ""
    difference: float = 0.0
    runs: list[Result] = field(default_factory=list)

    def time(self, prefix: str, clock: str) -> float:
        """Return the shortest time of the solves with a prefix, of all runs [s]."""
        return min((run.sum(prefix, clock) for run in self.runs), default=float("inf"))


@dataclass(frozen=True)
class Runner:
    """Runs a model.

    Attributes:
        model: file of the model script.
        words: options that all runs share.
        processes: number of processes of each run.
        folder: folder of the runs, which run one after the other.
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
        # options of the user override the tried options
        merged = dict([*split_options([*own, *options]), *split_options(given)])
        words = [*join_options(list(merged.items())), *(["--", *behind] if behind else [])]
        ended = run_child([str(self.model), *words], self.folder, self.processes, limit)
        solves, answer = read_json(self.folder / "statistics.json") or [], {}
        if not ended.reason and (self.folder / "final.npz").exists():
            stored, _ = read_state_file(self.folder / "final.npz", (*COMPARED, TIME))
            answer = {name: np.asarray(stored[name]) for name in (*COMPARED, TIME)}
        return Result(ended.reason, ended.stopped, ended.wall_time, solves, answer)


def find_limit(default: Result, prefix: str, factor: float) -> float:
    """Return the time after which a run is stopped [s]: a multiple of the time of the default's solves, plus the
    remaining time of its run."""
    solving = default.sum(prefix, "wall_time")
    return factor * solving + 1.5 * max(0.0, default.run_time - solving) + SLACK


def _largest(values: FloatArray) -> float:
    return float(np.abs(values).max(initial=0.0))
