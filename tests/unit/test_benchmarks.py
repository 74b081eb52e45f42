"""Tests of the arithmetic of the benchmarks and of the comparison of their results, with simulated child processes,
without timing.
"""

import json
import math
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


def sample(harness: ModuleType, cpu: float, steps: int = 100, speed: float = 2.0, wall: float | None = None) -> Any:
    wall = cpu if wall is None else wall
    return harness.Sample(cpu, wall, {"steps": steps, "newton_iterations": 7}, {"speed": speed}, {"program": "1"})


class Children:
    """Substitute for child processes: a call returns the next listed sample of a command, and is recorded."""

    def __init__(self, **samples: list[Any]) -> None:
        self.samples = {name: iter(values) for name, values in samples.items()}
        self.calls: list[str] = []

    def __call__(self, command: Any, timeout: float) -> Any:
        (name,) = command
        self.calls.append(name)
        return next(self.samples[name])


def case_of_two(harness: ModuleType, **changes: Any) -> Any:
    """Return a case with one run of each program; `speed` must agree within a relative error of 1e-6."""
    values: dict[str, Any] = {
        "name": "made_up",
        "title": "a made-up case",
        "commands": {"peer": ("A",), "ours": ("B",)},
        "tolerances": {"speed": harness.Tolerance(relative=1e-6)},
    }
    return harness.Case(**values | changes)


def test_ratios_are_taken_per_round_in_turns(harness: ModuleType) -> None:
    """Three rounds have the ratios 4, 2 and 6, and the reported ratio is their median. The ratio of the medians, 8/2 =
    4, would combine runs of different rounds.
    """
    children = Children(
        A=[sample(harness, cpu) for cpu in (8.0, 2.0, 12.0)],
        B=[sample(harness, cpu) for cpu in (2.0, 1.0, 2.0)],
    )
    outcome = harness.measure(case_of_two(harness), 3, children)
    assert children.calls == ["A", "B"] * 3
    assert outcome.mismatches == []
    assert outcome.ratio == (4.0, 2.0, 6.0)
    assert outcome.cost["peer"] == (0.08, 0.02, 0.12)
    assert outcome.cost["ours"] == (0.02, 0.01, 0.02)


def test_both_clocks_have_their_ratio(harness: ModuleType) -> None:
    children = Children(A=[sample(harness, 4.0, wall=9.0)], B=[sample(harness, 2.0, wall=3.0)])
    outcome = harness.measure(case_of_two(harness), 1, children)
    assert outcome.ratio == (2.0, 2.0, 2.0)
    assert outcome.ratio_wall == (3.0, 3.0, 3.0)


def test_times_are_divided_by_the_work_of_the_case(harness: ModuleType) -> None:
    """If the numbers of iterations may differ, the time of each program is divided by the number of iterations of this
    program.
    """
    case = case_of_two(harness, equal_counts=())
    outcome = harness.measure(case, 1, Children(A=[sample(harness, 6.0, 300)], B=[sample(harness, 1.0, 100)]))
    assert outcome.ratio.median == pytest.approx(2.0)


def test_times_of_nothing_give_no_ratio(harness: ModuleType) -> None:
    outcome = harness.measure(case_of_two(harness), 1, Children(A=[sample(harness, 5.0)], B=[sample(harness, 0.0)]))
    assert outcome.mismatches == ["round 1: ours: 0 s of process time, 0 s elapsed for 100 steps; all must be > 0"]
    assert outcome.ratio is None


def test_warm_up_runs_once_and_is_not_counted(harness: ModuleType) -> None:
    children = Children(W=[sample(harness, 99.0)], A=[sample(harness, 2.0)] * 2, B=[sample(harness, 1.0)] * 2)
    outcome = harness.measure(case_of_two(harness, warm_up=[("W",)]), 2, children)
    assert children.calls == ["W", "A", "B", "A", "B"]
    assert outcome.ratio == (2.0, 2.0, 2.0)


@pytest.mark.parametrize(
    ("ours", "expected"),
    [
        ({"speed": 2.00001}, "speed: peer 2.0, ours 2.00001; differ by 1e-05, allowed 1e-06 relative or 0"),
        ({"speed": math.nan}, "speed: peer 2.0, ours nan"),
        ({"steps": 99}, "steps: peer 100, ours 99; must be equal"),
        ({"wall": 0.5}, "ours: 1.000 s of process time in 0.500 s; more than one thread"),
    ],
)
def test_a_difference_in_any_round_takes_the_ratio_away(
    harness: ModuleType, ours: dict[str, Any], expected: str
) -> None:
    good = sample(harness, 1.0)
    bad = sample(harness, 1.0, **ours)
    outcome = harness.measure(case_of_two(harness), 3, Children(A=[good] * 3, B=[good, bad, good]))
    (found,) = outcome.mismatches
    assert found.startswith("round 2: ")
    assert expected in found
    assert outcome.ratio is outcome.ratio_wall is outcome.cost is None


def test_an_answer_that_is_missing_in_both_is_a_difference(harness: ModuleType) -> None:
    case = case_of_two(harness, tolerances={"torque": harness.Tolerance(relative=1.0, absolute=math.inf)})
    outcome = harness.measure(case, 1, Children(A=[sample(harness, 1.0)], B=[sample(harness, 1.0)]))
    assert outcome.mismatches[0].startswith("round 1: torque: peer nan, ours nan")


@pytest.mark.parametrize(
    ("relative", "absolute", "a", "b", "agrees"),
    [
        (1e-3, 0.0, -1000.0, -1000.9, True),
        (1e-3, 0.0, 1000.0, 1001.1, False),
        (1e-3, 0.0, 1.0, -1.0, False),
        (0.0, 1e-9, 0.0, 1e-9, True),
        (0.0, 0.0, 7, 7, True),
        (1.0, 1.0, math.inf, math.inf, False),
        (1.0, math.inf, math.nan, 1.0, False),
    ],
)
def test_tolerance(harness: ModuleType, relative: float, absolute: float, a: float, b: float, agrees: bool) -> None:
    assert harness.Tolerance(relative, absolute).accepts(a, b) is agrees
    assert harness.Tolerance(relative, absolute).accepts(b, a) is agrees


@pytest.mark.parametrize(
    "commands",
    [{}, {"peer": ("A",)}, {"peer": ("A",), "ours": ("B",), "others": ("C",)}],
)
def test_case_refuses_what_cannot_be_compared(harness: ModuleType, commands: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="in made_up: must be two programs"):
        case_of_two(harness, commands=commands)


GOOD = {"cpu": 1.5, "wall": 2, "counts": {"steps": 3}, "answers": {"speed": None, "count": 4}, "versions": {"x": "1"}}


def test_a_child_is_run_on_one_thread_and_read(harness: ModuleType) -> None:
    code = (
        "import os; print('some words'); "
        f"print('RESULT', {json.dumps(GOOD)!r}.replace('4', str(40 + int(os.environ['OMP_NUM_THREADS']))))"
    )
    result = harness.run_child((sys.executable, "-c", code), 60.0)
    assert (result.cpu, result.wall, result.counts, result.versions) == (1.5, 2.0, {"steps": 3}, {"x": "1"})
    assert math.isnan(result.answers["speed"])
    assert result.answers["count"] == 41.0


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("print('nothing')", "printed 0 RESULT lines; expected 1"),
        ("print('RESULT {}'); print('RESULT {}')", "printed 2 RESULT lines; expected 1"),
        ("print('RESULT {}')", "RESULT line: KeyError"),
        ("print('RESULT [')", "RESULT line: JSONDecodeError"),
        ("print('RESULT []')", "RESULT line: TypeError"),
        ("import sys; print('RESULT {}'); sys.exit('it broke')", "exit code 1\nit broke"),
    ],
)
def test_a_child_that_fails_is_an_error(harness: ModuleType, code: str, message: str) -> None:
    with pytest.raises(harness.ChildError) as caught:
        harness.run_child((sys.executable, "-c", code), 60.0)
    assert message in str(caught.value)


def test_a_child_that_is_missing_or_late_is_an_error(harness: ModuleType) -> None:
    with pytest.raises(harness.ChildError, match="No such file"):
        harness.run_child(("/nowhere/python", "x"), 60.0)
    with pytest.raises(harness.ChildError, match=r"not ready after 0\.1 s"):
        harness.run_child((sys.executable, "-c", "import time; time.sleep(60)"), 0.1)


def test_results_of_a_good_and_a_bad_case(
    harness: ModuleType, report: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A bad case gives exit code 1 and appears in the table, in the text and in the file of its results.

    The results of a good case do not change.
    """
    good = case_of_two(harness, name="good")
    bad = case_of_two(harness, name="bad", commands={"peer": ("A",), "ours": ("X",)})
    broken = case_of_two(harness, name="broken", commands={"peer": ("E",), "ours": ("X",)})
    normal = sample(harness, 3.0)

    def run(command: Any, timeout: float) -> Any:
        if command == ("E",):
            raise harness.ChildError("E: exit code 1")
        return {"A": normal, "B": sample(harness, 1.5), "X": sample(harness, 1.0, speed=math.nan)}[command[0]]

    assert report.run_cases([good], 2, tmp_path / "new", run) == 0
    capsys.readouterr()
    assert report.run_cases([good, bad, broken], 2, tmp_path / "new", run) == 1
    lines = capsys.readouterr().out.splitlines()
    table = {line.split()[0]: line.split() for line in lines if line and not line.startswith(" ")}
    assert "bad FAILED, its times do not count:" in lines
    assert "broken FAILED, its times do not count:" in lines
    assert "  E: exit code 1" in lines
    assert table["good"][1:6] == ["peer", "step", "30.0000", "30.0000", "30.0000"]
    (ours,) = {line for line in lines if line.split()[:2] == ["ours", "step"] and "2.00" in line}
    assert ours.split()[2:] == ["15.0000", "15.0000", "15.0000", "7", "2.00", "2.00", "2.00"]
    files = {path.stem: json.loads(path.read_text()) for path in (tmp_path / "new").iterdir()}
    assert sorted(files) == ["bad", "broken", "good"]
    assert files["good"]["passed"] is True
    assert files["good"]["ratio_cpu"] == {"median": 2.0, "min": 2.0, "max": 2.0}
    assert files["good"]["versions"] == {"peer": {"program": "1"}, "ours": {"program": "1"}}
    assert files["good"]["machine"]["cores"] >= 1
    assert len(files["good"]["rounds"]) == 2
    assert files["bad"]["passed"] is files["broken"]["passed"] is False
    assert files["bad"]["ratio_cpu"] is files["broken"]["ratio_cpu"] is None
    assert files["bad"]["rounds"][0]["ours"]["answers"]["speed"] is None
    assert len(files["bad"]["mismatches"]) == 2


def test_further_measurements_are_kept_and_shown(harness: ModuleType, report: ModuleType) -> None:
    values = GOOD | {"measured": {"memory [kB]": 3.5}}
    read = harness.parse_result(f"RESULT {json.dumps(values)}")
    assert read.measured == {"memory [kB]": 3.5}
    assert harness.parse_result(f"RESULT {json.dumps(GOOD)}").measured == {}
    outcome = harness.Outcome(case_of_two(harness), [{"peer": read, "ours": sample(harness, 1.0)}], [])
    assert report.format_measured([outcome]) == "made_up  peer  memory [kB] 3.5"
    assert report.format_measured([]) == ""


def test_benchmarks_time_the_public_api() -> None:
    """Benchmarks neither call nor replace private names of Windlass, as attributes or as names in strings."""
    own = "replace|asdict|exit|fields"
    private = re.compile(rf"(?<!self)(?<!cls)\._(?!{own}\b)[a-z]\w*|, \"_[a-z]\w*\"")
    assert private.search("solver.newton._test") and private.search('(problem, "_write", 1)')
    found = {
        f"{file.name}: {name}"
        for file in (ROOT / "benchmarks").rglob("*.py")
        for name in private.findall(file.read_text())
    }
    assert not found
