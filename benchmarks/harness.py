"""Measurement of the time of a case in two programs, which run alternately.

Each run is a separate child process on one thread, and the two programs run alternately. A child measures the time of
its solve, and prints one line with the word `RESULT` and a JSON object:

- cpu, wall: process time and elapsed time [s] of the solve, without imports and model building.
- counts: numbers of steps, iterations and other work, by name.
- answers: computed numbers, by name.
- measured: further measured numbers without ratios, by name with unit (optional).
- versions: versions of programs, by name.

A ratio is valid only if both programs did the same work. In every round, the counts that the case names must be equal,
and the answers must agree within the tolerances of the case. Otherwise the case fails, and no ratio is given.

`Case` describes a case. A file such as belt.py lists cases, and passes the cases and the command line of
command_line.py to `run_cases` of report.py.
"""

import json
import math
import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PYTHON = str(ROOT / ".venv" / "bin" / "python")
PEER_PYTHON = str(ROOT / ".venv-bench" / "bin" / "python")
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
# The process time of a solve on one thread is at most its elapsed time. The tolerance allows for the resolution of the
# clocks.
SURPLUS_OF_ONE_THREAD = 1.05

Command = Sequence[str]


class ChildError(Exception):
    """Error of a child process that failed or did not print its result."""


class Tolerance(NamedTuple):
    """Tolerance for the difference of two answers: the maximum of a relative and an absolute bound.

    ``relative`` is a fraction [1] of the larger absolute value, and ``absolute`` is a bound in the unit of the answer.
    """

    relative: float = 0.0
    absolute: float = 0.0

    def accepts(self, a: float, b: float) -> bool:
        """Return whether the answers a and b agree. The result is False if a or b is not finite."""
        bound = max(self.relative * max(abs(a), abs(b)), self.absolute)
        return math.isfinite(a) and math.isfinite(b) and abs(a - b) <= bound


@dataclass(frozen=True)
class Case:
    """Description of one comparison of two programs.

    Attributes:
        name: name of the file of results.
        title: description of the timed work.
        commands: command of each program, by name of the program. A case has two programs; the ratio is the cost of the
            first program divided by the cost of the second.
        tolerances: answers that must agree, with their tolerances.
        work: name of the count by which the times are divided, for example ``"steps"``.
        equal_counts: names of counts that must be equal in both programs.
        warm_up: commands that run once before the measured runs, for example to fill a compiler cache.
        timeout: time limit [s] of one child.
    """

    name: str
    title: str
    commands: Mapping[str, Command]
    tolerances: Mapping[str, Tolerance]
    work: str = "steps"
    equal_counts: Sequence[str] = ("steps",)
    warm_up: Sequence[Command] = ()
    timeout: float = 3600.0

    def __post_init__(self) -> None:
        if len(self.commands) != 2:
            raise ValueError(f"commands of {', '.join(self.commands)} in {self.name}: must be two programs")


@dataclass(frozen=True)
class Sample:
    """Result of one child process; the docstring of this module explains the fields."""

    cpu: float
    wall: float
    counts: dict[str, int]
    answers: dict[str, float]
    versions: dict[str, str]
    measured: dict[str, float] = field(default_factory=dict)


Runner = Callable[[Command, float], Sample]


def run_child(command: Command, timeout: float) -> Sample:
    """Run a child process on one thread and read its result.

    Raises:
        ChildError: the child cannot be started, fails, takes longer than `timeout` [s], or prints no valid result.
    """
    environment = os.environ | dict.fromkeys(THREAD_VARIABLES, "1")
    line = " ".join(str(word) for word in command)
    try:
        run = subprocess.run(
            [str(word) for word in command], capture_output=True, text=True, timeout=timeout, env=environment
        )
    except subprocess.TimeoutExpired:
        raise ChildError(f"{line}: not ready after {timeout:g} s") from None
    except OSError as error:
        raise ChildError(f"{line}: {error.strerror}") from None
    if run.returncode != 0:
        tail = "\n".join((run.stderr or run.stdout).strip().splitlines()[-15:])
        raise ChildError(f"{line}: exit code {run.returncode}\n{tail}")
    try:
        return parse_result(run.stdout)
    except ChildError as error:
        raise ChildError(f"{line}: {error}") from None


def parse_result(output: str) -> Sample:
    """Return the content of the only RESULT line in the output of a child.

    Raises:
        ChildError: the output has no RESULT line, more than one, or an incomplete one.
    """
    lines = [line for line in output.splitlines() if line.startswith("RESULT ")]
    if len(lines) != 1:
        raise ChildError(f"printed {len(lines)} RESULT lines; expected 1")
    try:
        values = json.loads(lines[0].removeprefix("RESULT "))
        # null represents a number that is missing or not finite
        answers = {name: math.nan if value is None else float(value) for name, value in values["answers"].items()}
        counts = {name: int(value) for name, value in values["counts"].items()}
        measured = {name: float(value) for name, value in values.get("measured", {}).items()}
        return Sample(float(values["cpu"]), float(values["wall"]), counts, answers, dict(values["versions"]), measured)
    except (ValueError, TypeError, AttributeError, KeyError) as error:
        raise ChildError(f"RESULT line: {error!r}") from None


def find_mismatches(case: Case, samples: Mapping[str, Sample]) -> list[str]:
    """Return the differences of counts and answers between two programs. The list is empty if the programs agree."""
    (a, first), (b, second) = samples.items()
    found = []
    for name in case.equal_counts:
        x, y = first.counts.get(name), second.counts.get(name)
        if x is None or x != y:
            found.append(f"{name}: {a} {x}, {b} {y}; must be equal")
    for name, tolerance in case.tolerances.items():
        p, q = first.answers.get(name, math.nan), second.answers.get(name, math.nan)
        if not tolerance.accepts(p, q):
            allowed = f"{tolerance.relative:g} relative or {tolerance.absolute:g}"
            found.append(f"{name}: {a} {p!r}, {b} {q!r}; differ by {abs(p - q):.3g}, allowed {allowed}")
    for program, sample in samples.items():
        if sample.cpu > SURPLUS_OF_ONE_THREAD * sample.wall + 0.05:
            times = f"{sample.cpu:.3f} s of process time in {sample.wall:.3f} s"
            found.append(f"{program}: {times}; more than one thread")
    return found


def find_faults(case: Case, timed: Mapping[str, Sample]) -> list[str]:
    """Return the reasons why the times of one round cannot be divided by the work of the round. The list is empty if
    the times are valid.
    """
    found = []
    for program, sample in timed.items():
        work = sample.counts.get(case.work, 0)
        if work <= 0 or not min(sample.cpu, sample.wall) > 0.0:
            times = f"{sample.cpu:.3g} s of process time, {sample.wall:.3g} s elapsed"
            found.append(f"{program}: {times} for {work} {case.work}; all must be > 0")
    return found


def cost_of(case: Case, sample: Sample, clock: str = "cpu") -> float:
    """Return the time [s] per unit of work: process time for the clock ``"cpu"``, elapsed time for ``"wall"``."""
    return float(getattr(sample, clock)) / sample.counts[case.work]


class Spread(NamedTuple):
    """Median, smallest and largest value of a quantity over the rounds."""

    median: float
    min: float
    max: float


def spread_of(values: Sequence[float]) -> Spread:
    """Return median, smallest and largest value of a list of numbers."""
    return Spread(median(values), min(values), max(values))


@dataclass
class Outcome:
    """Results of the rounds of one case.

    Attributes:
        rounds: for each round, the result of each program, by name of the program.
        mismatches: differences and invalid values, with their rounds; empty if the case passed.
        ratio: ratio [1] of the cost of the first program to the cost of the second program, computed from process
            times; None if the case failed.
        ratio_wall: ratio [1] of these costs, computed from elapsed times.
        cost: process time [s] per unit of work, by name of the program.
    """

    case: Case
    rounds: list[dict[str, Sample]]
    mismatches: list[str]
    ratio: Spread | None = None
    ratio_wall: Spread | None = None
    cost: dict[str, Spread] | None = None


def measure(case: Case, rounds: int, run: Runner = run_child) -> Outcome:
    """Run a case alternately in both programs and compare the results.

    Raises:
        ChildError: a child process failed.
    """
    if rounds < 1:
        raise ValueError(f"rounds = {rounds}: must be >= 1")
    for command in case.warm_up:
        run(command, case.timeout)
    outcome = Outcome(case, [], [])
    for number in range(1, rounds + 1):
        samples = {program: run(command, case.timeout) for program, command in case.commands.items()}
        found = find_mismatches(case, samples) + find_faults(case, samples)
        outcome.mismatches += [f"round {number}: {finding}" for finding in found]
        outcome.rounds.append(samples)
    if not outcome.mismatches:
        first, second = case.commands
        outcome.cost = {p: spread_of([cost_of(case, r[p]) for r in outcome.rounds]) for p in case.commands}
        for clock in ("cpu", "wall"):
            ratios = [cost_of(case, r[first], clock) / cost_of(case, r[second], clock) for r in outcome.rounds]
            setattr(outcome, "ratio" if clock == "cpu" else "ratio_wall", spread_of(ratios))
    return outcome
