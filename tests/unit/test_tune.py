"""Tests of the search for the fastest solver: excluded settings, ranking, limits, file of options, statistics."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from windlass.commands import cli, tune
from windlass.commands.studies.catalogue import Setting, list_settings
from windlass.commands.studies.child_runs import find_reason, run_child
from windlass.commands.studies.ranking import choose, format_ranking, judge, rank
from windlass.commands.studies.tune_runs import Result, Runner, Tried
from windlass.framework.launch.arguments import is_option

from support.processes import run_windlass

MODEL = """\
import windlass as wl
from windlass.connectors import hinge
from windlass.elements import nodes_of, straight_cable

end_time = wl.option("end_time", 0.02, "s", "time at the end", minimum=1e-3)
world = wl.World(gravity=(0.0, -9.81))
rope = straight_cable(world, (0, 0), (1, 0), 4, axial_stiffness=1e4, bending_stiffness=1e-3, mass_per_length=0.2)
hinge(world, nodes_of(world, rope)[0])
hold = hinge(world, nodes_of(world, rope)[4])
state = wl.Static(world).solve()
world.set(hold, active=False)
wl.Dynamic(world, step=1e-3, end=end_time).solve(state)
"""
SOLVE: dict[str, Any] = {
    "solve": "motion", "prefix": "dynamic_", "verdict": "ok", "steps": 10, "newton_iterations": 20, "jacobians": 5,
    "linear_iterations": 20, "wall_time": 1.0, "cpu_time": 0.9, "peak_memory": 2.0**20, "processes": 1,
    "unknowns": 5000, "multipliers": 0, "storage": "blocks", "solver": "pc lu, package petsc", "rtol": 1e-8,
    "atol": 1e-10,
}  # fmt: skip


def create_result(wall_time: float = 1.0, shift: float = 0.0, reason: str = "", **more: Any) -> Result:
    """Return a result. The argument ``shift`` changes the answer by this fraction of its size."""
    answer = {"q": np.array([2.0, 2.0 * shift]), "v": np.zeros(2), "t": np.array(1.0)}
    return Result(reason, more.pop("stopped", False), 2.0, [{**SOLVE, "wall_time": wall_time, **more}], answer)


def test_ranking_leaves_out_what_is_wrong() -> None:
    """The fastest setting changes the answer. Other settings fail, do not end, or have doubtful results. All of these
    settings are excluded.
    """
    default = Tried(Setting("default", ()), runs=[create_result()])
    runs = {
        "wrong": create_result(0.1, shift=1e-3),
        "failed": create_result(0.1, reason="DIVERGED_LINEAR_SOLVE"),
        "slow": create_result(0.1, reason="stopped", stopped=True),
        "doubtful": create_result(0.1, verdict="doubtful"),
        "good": create_result(0.5, shift=1e-9),
        "slower": create_result(1.5, shift=1e-9),
    }
    tried = [Tried(Setting(name, (f"-{name}",))) for name in runs]
    for one in tried:
        judge(one, runs[one.setting.name], default.runs[0], agree=1e-6, limit=3.0)
    assert [one.setting.name for one in rank([default, *tried], "dynamic_", "wall_time")] == [
        "good",
        "default",
        "slower",
    ]
    assert choose(rank(tried, "dynamic_", "wall_time"), default, "dynamic_", "wall_time").setting.name == "good"
    table = format_ranking([default, *tried], default, "dynamic_", "wall_time")
    assert "out: wrong: changes the answer by 1.0e-03, more than 1.0e-06" in table
    assert "out: slow: slower than 3 times the default, stopped after 2.0 s" in table
    assert "out: failed: DIVERGED_LINEAR_SOLVE" in table and "out: doubtful: the result of motion is doubtful" in table
    assert re.search(r"good +50\.000 +0\.50 +20 +20 +5 +1 +1\.0e-09", table)


def test_default_stays_where_nothing_is_gained() -> None:
    default = Tried(Setting("default", ()), runs=[create_result(1.0)])
    nearly = Tried(Setting("other", ("-x",)), runs=[create_result(0.98)])
    assert choose([nearly], default, "dynamic_", "wall_time") is default
    # one of the two runs was disturbed, so the shorter time is used
    nearly.runs.append(create_result(0.7))
    assert choose([nearly], default, "dynamic_", "wall_time") is nearly


def test_differences_of_answers() -> None:
    """Differences of answers are relative to the largest coordinate. At rest, velocities are relative to
    displacement/time.
    """
    base = create_result()
    moving = Result("", False, 1.0, [], {**base.answer, "v": np.array([0.0, 2e-3])})
    assert moving.differ_from(base) == pytest.approx(1e-3)
    assert Result("", False, 1.0, [], {}).differ_from(base) == np.inf


@pytest.mark.parametrize(
    ("changes", "there", "missing"),
    [
        ({}, ["GMRES, GAMG with rigid motions", "GMRES, ILU(0)", "LU by rows, order rcm", "full Newton"], ["ASM"]),
        ({"multipliers": 3}, ["GMRES, ILU(2)", "SuperLU_DIST"], ["GAMG", "BoomerAMG"]),
        ({"processes": 2}, ["GMRES, ASM of overlap 1, LU", "MUMPS, METIS"], ["KLU", "UMFPACK", "order rcm"]),
        ({"unknowns": 100}, ["KLU", "line search bt"], ["GMRES"]),
        ({"prefix": "static_"}, ["MUMPS, LDLt"], ["full Newton"]),
    ],
)
def test_catalogue_suits_the_equations(changes: dict[str, Any], there: list[str], missing: list[str]) -> None:
    settings = list_settings({**SOLVE, **changes})
    names, prefix = [setting.name.split(": ", 1)[1] for setting in settings], {**SOLVE, **changes}["prefix"]
    assert set(there) <= set(names)
    assert not [name for name in names if any(word in name for word in missing)]
    assert all(word.startswith(f"-{prefix}") for setting in settings for word in setting.options if is_option(word))
    assert len(names) == len(set(names))


def test_run_that_hangs_is_stopped(tmp_path: Path) -> None:
    (tmp_path / "hang.py").write_text("import time\ntime.sleep(100)\n")
    ended = run_child(["hang.py"], tmp_path, limit=1.0)
    assert ended.stopped and ended.reason == "stopped at its limit of 1 s" and ended.wall_time < 20.0


def test_reasons_are_one_line(tmp_path: Path) -> None:
    file = tmp_path / "errors.txt"
    for text, code, reason in (
        ("note: x\nerror: the belt breaks\n  at 3 N\n---\nMPI_ABORT", 2, "the belt breaks at 3 N"),
        ("[vm:12] Local abort\nTraceback:\nValueError: no\n", 1, "ValueError: no"),
        ("", -11, "ended by SIGSEGV"),
        ("", 3, "exit code 3"),
        ("error on rank 1: " + "x" * 500, 2, "x" * 156 + " ..."),
    ):
        file.write_text(text)
        assert find_reason(code, file) == reason


class FakeRunner:
    """Runner of a model with times of a simulated clock: 4 s for default settings, and a given time [s] for all other
    settings.
    """

    model, processes = Path("rope.py"), 1

    def __init__(self, clock: list[float], others: float) -> None:
        self.clock, self.others, self.runs = clock, others, 0

    def run(self, options: Sequence[str], limit: float | None = None) -> Result:
        """Return a result; a run beyond the limit is stopped."""
        self.runs += 1
        needed = self.others if any("snes_rtol" not in word and is_option(word) for word in options) else 4.0
        spent = needed if limit is None else min(needed, limit)
        self.clock[0] += spent
        found = create_result(wall_time=needed - 1.0, stopped=spent < needed, reason="stopped" * (spent < needed))
        return Result(found.reason, found.stopped, spent, found.solves, found.answer)


@pytest.mark.parametrize(("others", "longest"), [(3.5, 0.0), (9.0, 0.0), (3.5, 60.0), (3.5, 25.0)])
def test_search_ends_when_it_says(
    others: float, longest: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The search ends within the user's time limit, even if all settings are slow. The results so far are written."""
    clock = [0.0]
    monkeypatch.setattr(tune.time, "perf_counter", lambda: clock[0])
    runner: Any = FakeRunner(clock, others)
    values = {
        "catalogue": True, "quiet": False, "agree": 1e-6, "limit": 3.0, "rounds": 3, "clock": "wall_time",
        "longest": longest,
    }  # fmt: skip
    tune.Search(runner, (), values, tmp_path / "best.opts", "windlass tune").conduct()
    said = re.search(r"(\d+) settings are tried; .* takes 4\.0 s; the tuning ends in (\d+) s", capsys.readouterr().out)
    # the message is printed before the runs with the default and with smaller tolerances, which take 12 s
    assert said is not None and int(said[1]) > 20 and clock[0] <= 12.0 + float(said[2]) + 1.0
    assert longest == 0.0 or clock[0] <= longest
    assert (tmp_path / "best.opts").exists() and (runner.runs > 30 or longest or others > 4.0)


@pytest.fixture(scope="module")
def tuned(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Return a search among three settings: two tolerances, one of which changes the answer, and a new Jacobian in each
    iteration.
    """
    folder = tmp_path_factory.mktemp("tune")
    (folder / "rope.py").write_text(MODEL)
    words = [
        "-catalogue",
        "false",
        "-rounds",
        "1",
        "-quiet",
        "-clock",
        "cpu_time",
        "-agree",
        "1e-5",
        "-limit",
        "1000",
        "-end_time",
        "0.01",
    ]
    tries = ["-try", "-dynamic_snes_rtol 1e-1,1e-9 -dynamic_lag true"]
    done = run_windlass(["tune", "rope.py", *words, *tries], folder=folder)
    assert done.returncode == 0, done.stderr
    return folder, done.stdout


def test_search_ends_with_a_file_that_keeps_the_answer(tuned: tuple[Path, str]) -> None:
    folder, said = tuned
    assert re.search(r"out: -dynamic_snes_rtol 1e-1: changes the answer by \S+, more than \S+$", said, re.MULTILINE)
    assert re.search(r"^-dynamic_snes_rtol 1e-9 +\d+\.\d+ +\d+\.\d\d ", said, re.MULTILINE)
    assert "rope.opts is a file for -options_file" in said
    runner = Runner(folder / "rope.py", ("-end_time", "0.01"), 1, folder)
    default, best = runner.run([]), runner.run(["-options_file", "rope.opts"])
    assert best.reason == "" and best.differ_from(default) <= 1e-4
    hanging, falling = default.solves
    assert (hanging["prefix"], falling["prefix"]) == ("static_", "dynamic_")
    assert (falling["steps"], falling["multipliers"], float(default.answer["t"])) == (10, 4, pytest.approx(0.01))
    assert falling["linear_iterations"] >= falling["newton_iterations"] > 10 and falling["peak_memory"] > 2e7


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("missing.py", "windlass tune missing.py: no such file"),
        ("rope.py -rounds 0", "-rounds = 0: expected a whole number >= 1"),
        ("rope.py -processes 0", "-processes = 0: expected a whole number >= 1"),
        ("rope.py -clock sun", "-clock = sun: expected one of wall_time, cpu_time"),
        ("rope.py -catalogue false", "-catalogue false without -try: expected settings"),
    ],
)
def test_wrong_command_lines(
    words: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "rope.py").write_text(MODEL)
    monkeypatch.chdir(tmp_path)
    assert cli.main(["tune", *words.split()]) == 2
    assert message in capsys.readouterr().err


def test_misspelt_setting_is_found_before_any_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "rope.py").write_text(MODEL)
    monkeypatch.chdir(tmp_path)
    assert cli.main(["tune", "rope.py", "-try", "-dynamic_pc_typ lu,bjacobi"]) == 2
    assert "-dynamic_pc_typ lu: unknown option; did you mean -dynamic_pc_type?" in capsys.readouterr().err
