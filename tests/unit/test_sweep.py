"""Tests of sweeps: cases in separate processes, a case that fails, a killed sweep that is continued, table, plots,
wrong command lines.
"""

from __future__ import annotations

import csv
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass.commands import cli
from windlass.commands.studies import study_report, sweep_plan, sweep_table
from windlass.commands.studies.model_options import ModelOptions
from windlass.commands.studies.sweep_plots import draw_sweep
from windlass.commands.sweep import list_values
from windlass.framework.errors import OptionError
from windlass.framework.launch.arguments import Option
from windlass.framework.launch.launcher import child_environment

from support.pages import ReadPage
from support.processes import environment, run_windlass

MODEL = """\
import os, time
from pathlib import Path
import windlass as wl
from windlass import connectors as con
from windlass.elements import Ground, MassPoint

stiffness = wl.option("stiffness", 100.0, "N/m", "stiffness of the spring", minimum=1.0)
mass = wl.option("mass", 2.0, "kg", "mass", minimum=0.0)
output = wl.option("output", "results", "", "folder")
gate = wl.option("gate", "", "", "wait for this file")

world = wl.World(gravity=(0.0, -9.81))
point = world.add(MassPoint, position=(0.0, 0.0, 0.0), mass=mass)
ends = [con.position_marker(world, end) for end in (world.add(Ground), point)]
world.add(con.CartesianSpringDamper, marker0=ends[0], marker1=ends[1], stiffness=(stiffness,) * 3)
if not wl.help_requested():
    Path("process").write_text(str(os.getpid()))
    while gate and stiffness > 150.0 and not Path(gate).exists():
        time.sleep(0.02)
    if stiffness == 300.0:
        raise wl.ModelError("a spring of 300 N/m breaks")
state = wl.Static(world, stabiliser=0.0).solve()
if not wl.help_requested():
    sag = -wl.eval_output(point, "displacement", state)[1]
    wl.write_summary({"sag": sag, "output": output, "many": list(range(99))})
"""
SWEEP = ["-stiffness", "100:300:3", "-mass", "2", "-fixed", "-output none"]


def is_alive(process: int) -> bool:
    """Return whether a process is running; a zombie process counts as ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_for(condition: Any, seconds: float = 300.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str], dict[str, Any]]:
    """Return the folder of a sweep of three springs. The sweep was killed when one case had ended and two were running,
    and was then continued.
    """
    folder = tmp_path_factory.mktemp("sweep")
    (folder / "spring.py").write_text(MODEL)
    words = ["sweep", "spring.py", *SWEEP, "-gate", str(folder / "gate"), "-jobs", "2", "-output", "springs"]
    command = [sys.executable, "-m", "windlass.commands.cli", *words]
    cases = folder / "springs" / "cases"
    with subprocess.Popen(command, cwd=folder, env=environment(), stderr=subprocess.DEVNULL) as sweep:
        waiting = [cases / name / "process" for name in ("0002", "0003")]
        wait_for(lambda: (cases / "0001" / "outcome.json").exists() and all(file.exists() for file in waiting))
        children = [int(file.read_text()) for file in waiting]
        assert all(map(is_alive, children))
        sweep.send_signal(signal.SIGKILL)
    if shutil.which("setpriv"):
        wait_for(lambda: not any(map(is_alive, children)))
    before = (cases / "0001" / "outcome.json").stat().st_mtime_ns
    ended = sorted(path.parent.name for path in cases.glob("*/outcome.json"))
    (folder / "gate").write_text("")
    done = run_windlass(words, folder=folder)
    after = (cases / "0001" / "outcome.json").stat().st_mtime_ns
    return folder / "springs", words, {"done": done, "kept": before == after, "ended": ended}


def test_killed_sweep_goes_on(swept: tuple[Path, list[str], dict[str, Any]]) -> None:
    """Completed cases of a killed sweep are read, other cases are run, and a failed case has a row with its reason."""
    folder, _, said = swept
    assert said["ended"] == ["0001"] and said["kept"]
    assert said["done"].returncode == 0, said["done"].stderr
    assert (
        "3 cases, 1 failed" in said["done"].stdout
        and "case 3 failed: a spring of 300 N/m breaks" in said["done"].stdout
    )
    assert "3 of 3 cases" in said["done"].stderr and "to go" in said["done"].stderr
    with (folder / "sweep.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["status"] for row in rows] == ["ok", "ok", "failed"]
    assert rows[2]["reason"] == "a spring of 300 N/m breaks" and rows[2]["sag"] == ""
    # -fixed sets the option -output of the model, because the sweep has an option with this name
    assert {row["output"] for row in rows} == {"none", ""}
    assert "many.0" not in rows[0] and rows[0]["static.steps"] == "1"


def test_report(swept: tuple[Path, list[str], dict[str, Any]]) -> None:
    """The page of a sweep, of which one case has failed, shows the results, the pictures and all cases."""
    folder, words, _ = swept
    done = run_windlass([*words, "-report", "springs.html"], folder=folder.parent)
    assert "springs.html" in done.stdout, done.stderr
    page = ReadPage(folder.parent / "springs.html")
    assert page.verdict == "doubtful" and "a spring of 300 N/m breaks" in page.text
    assert page.tables["Options that vary"][1:] == [["stiffness", "N/m", "100, 200, 300"]]
    (name, low, first, high, last), *_ = page.tables["Results"][1:]
    assert (name, first, last) == ("sag", "2", "1")
    assert float(low) == pytest.approx(2.0 * 9.81 / 200.0) and float(high) == pytest.approx(2.0 * 9.81 / 100.0)
    assert [row[:2] for row in page.tables["Runs"][1:]] == [["1", "100"], ["2", "200"], ["3", "300"]]
    assert len(page.pictures) >= 1


def test_report_of_nested_results_and_random_options() -> None:
    """The report contains results whose names have dots, without statistics of solvers, and the smallest and largest
    value of an option with many values.
    """
    rows = [{"case": k, "mass": 20.0 - (3 * k) % 13, "forces.left": 1.0, "static.steps": 2} for k in range(1, 14)]
    table, *_ = study_report.tabulate_runs(rows)
    assert table.headings == ["case", "mass", "forces.left"]
    assert list_values(rows, "mass") == "13 values, 8.0 to 20.0" and list_values(rows[:2], "mass") == "17.0, 14.0"
    for k, row in enumerate(rows):
        row["mass"] = f"m{k}"
    assert list_values(rows, "mass") == "13 values"


def test_frame_has_the_deflections(swept: tuple[Path, list[str], dict[str, Any]]) -> None:
    """The table contains the deflections m g / k, but no number for the case in which the spring breaks."""
    frame = wl.read_sweep(swept[0])
    assert list(frame.index) == [1, 2, 3] and list(frame.columns[:3]) == ["stiffness", "status", "reason"]
    good = frame[frame.status == "ok"]
    assert_allclose(good.sag, 2.0 * 9.81 / good.stiffness, rtol=1e-9)
    assert frame.sag.isna().tolist() == [False, False, True]


def test_frame_wants_pandas_and_a_sweep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(wl.OutputError, match="must be the folder of a sweep"):
        wl.read_sweep(tmp_path)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(wl.OutputError, match=r"pip install 'pandas>=2,<4'"):
        wl.read_sweep(tmp_path)


def test_table_is_also_parquet(swept: tuple[Path, list[str], dict[str, Any]], tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    import pandas as pd  # imported inside the function, because the test first checks whether pyarrow exists

    rows = sweep_table.read_rows(swept[0])
    (tmp_path / "sweep.parquet").write_bytes(sweep_table.write_parquet(sweep_table.find_columns(rows), rows))
    assert pd.read_parquet(tmp_path / "sweep.parquet").sag.tolist()[0] == rows[0]["sag"]


def test_table_without_pyarrow_is_csv_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    rows = [{"case": 1, "x": 2.5, "words": "a, b"}, {"case": 2, "x": None, "more": 1}]
    assert sweep_table.write_table(tmp_path, rows) == [tmp_path / "sweep.csv"]
    assert (tmp_path / "sweep.csv").read_text() == 'case,x,words,more\n1,2.5,"a, b",\n2,,,1\n'


def test_folder_of_another_sweep_is_refused(
    swept: tuple[Path, list[str], dict[str, Any]], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, words, _ = swept
    monkeypatch.chdir(folder.parent)
    assert cli.main([word if word != "100:300:3" else "100:300:2" for word in words]) == 2
    assert "contains another sweep, which differs in cases: must be a new folder" in capsys.readouterr().err


@pytest.fixture
def spring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "spring.py").write_text(MODEL)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("", "the first word must be the model"),
        ("missing.py -output d -mass 1,2", "windlass sweep missing.py: no such file"),
        ("spring.py -mass 1,2", "-output is not given: expected the folder of the sweep"),
        ("spring.py -output d", "nothing varies: expected values of an option"),
        ("spring.py -output d -points 3", "-points: the model has no parameters: must declare them by wl.parameter"),
        ("spring.py -output d -samples 3", "-samples: the model has no parameters"),
        ("spring.py -output d -points 3 -samples 3", "-samples and -points are given: expected one of them"),
        ("spring.py -output d -mass 1,2 -jobs 0", "-jobs = 0: expected a whole number >= 1"),
        ("spring.py -output d -mass 1:2 -samples 0", "-samples = 0: expected a whole number >= 1"),
        ("spring.py -output d -mass 1,2 -mass 3", "-mass: is given twice"),
        ("spring.py -output d -mass 1,2 -cases c.csv", "-cases and -mass 1,2: must be only one of these"),
        ("spring.py -output d -cases c.csv -samples 3", "-cases and -samples are given: expected one of them"),
        ("spring.py -output d -cases c.csv", "-cases c.csv: cannot be read as CSV"),
        ("spring.py -output d -mass 1,2 -summary s.json", "-summary: the sweep sets this option for each of its cases"),
        ("spring.py -output d -mass 1,2 -report a.csv", "-report a.csv: must be a file .html or .htm"),
        ("spring.py -output d -mass=1,2", "-mass=1,2: an option has one dash"),
    ],
)
def test_wrong_command_lines(words: str, message: str, spring: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["sweep", *(words.split() or ["-output"])]) == 2
    assert message in capsys.readouterr().err
    assert not (spring / "d").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("-stiffness 60:100 -points 3", "-points: has no effect, because the command line gives all parameters"),
        ("-stiffness 60:100:2 -points 3", "give ranges such as -friction 0.2:0.8:5"),
        ("-points 3 -stiffness 100", "-points: has no effect"),
        ("-samples 3 -stiffness 100", "-samples: has no effect"),
    ],
)
def test_ranges_without_a_parameter(words: str, message: str, spring: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = {"stiffness": Option("stiffness", 100.0, "N/m", "k", 10.0, 1000.0, None, "log")}
    monkeypatch.setattr(sweep_plan, "ask_model", lambda *_: ModelOptions(options, ()))
    with pytest.raises(OptionError, match=message):
        sweep_plan.plan_sweep(["spring.py", "-output", "d", *words.split()])


@pytest.mark.parametrize(
    ("words", "stiffnesses", "masses"),
    [
        ("-points 3", [10.0, 100.0, 1000.0], [1.0, 2.0, 3.0]),
        ("-points 2 -mass 5", [10.0, 1000.0], []),
        ("-points 2 -stiffness 4,5", [4.0, 5.0], [1.0, 3.0]),
    ],
)
def test_a_sweep_takes_the_ranges_of_parameters(
    words: str, stiffnesses: list[float], masses: list[float], spring: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With -points, parameters of the model have values with equal distances or equal ratios in their ranges."""
    options = {
        "stiffness": Option("stiffness", 100.0, "N/m", "k", 1.0 if "4,5" in words else 10.0, 1000.0, None, "log"),
        "mass": Option("mass", 2.0, "kg", "m", 1.0, 3.0, None, "linear"),
        "output": Option("output", "results", "", "folder"),
    }
    monkeypatch.setattr(sweep_plan, "ask_model", lambda *_: ModelOptions(options, ()))
    plan = sweep_plan.plan_sweep(["spring.py", "-output", "d", *words.split()])
    assert sorted({float(case["stiffness"]) for case in plan.cases}) == pytest.approx(stiffnesses)
    assert sorted({float(case["mass"]) for case in plan.cases if "mass" in case}) == pytest.approx(masses)
    assert len(plan.cases) == len(stiffnesses) * max(len(masses), 1) and plan.units["stiffness"] == "N/m"
    sampled = sweep_plan.plan_sweep(["spring.py", "-output", "d", "-samples", "5"])
    assert len(sampled.cases) == 5 and all(1.0 <= float(case["mass"]) <= 3.0 for case in sampled.cases)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("-stifness 1:2:2", "-stifness 1: unknown option; did you mean -stiffness?"),
        ("-static_snes_rtol 1e-3,2 -mass 2", "case 2: -static_snes_rtol = 2: expected a number >= 0 and < 1"),
    ],
)
def test_model_is_asked_before_anything_runs(
    words: str, message: str, spring: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["sweep", "spring.py", "-output", "d", *words.split()]) == 2
    assert message in capsys.readouterr().err
    assert not (spring / "d").exists()


def test_cases_do_not_believe_that_they_are_part_of_a_job(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMPI_COMM_WORLD_SIZE", "3")
    monkeypatch.setenv("OMPI_MCA_rmaps_base_oversubscribe", "1")
    assert "OMPI_COMM_WORLD_SIZE" in child_environment(alone=False)
    inside = child_environment(alone=True)
    assert not [name for name in inside if name.startswith("OMPI_") and "RUN_AS_ROOT" not in name]
    assert Path(inside["PYTHONPATH"].split(os.pathsep)[0], "windlass").is_dir()


@pytest.mark.mpi
@pytest.mark.long
def test_processes_of_mpiexec_run_cases(spring: Path) -> None:
    """One process of mpiexec distributes the cases, and the other processes run them."""
    done = run_windlass(["sweep", "spring.py", "-mass", "1,3", "-output", "d", "-quiet"], processes=2, folder=spring)
    assert done.returncode == 0, done.stderr
    rows = sweep_table.read_rows(spring / "d")
    assert_allclose([row["sag"] for row in rows], [0.0981, 3 * 0.0981], rtol=1e-9)


def synthetic(folder: Path, failed: int = 0) -> list[dict[str, Any]]:
    """Return the rows of a grid of 3 x 2 cases with words on one axis."""
    cases = [(x, kind) for x in (1.0, 2.0, 4.0) for kind in ("a", "b")]
    rows = [{"case": k, "x": x, "kind": kind, "status": "ok", "y": x * k} for k, (x, kind) in enumerate(cases, 1)]
    if failed:
        rows[failed - 1] = {**rows[failed - 1], "status": "failed", "y": None}
    return rows


def test_pictures_of_grids_and_samples(tmp_path: Path) -> None:
    names = ["x", "kind"]
    files = draw_sweep(tmp_path, synthetic(tmp_path, failed=2), names, {"x": "m"}, [])
    assert [file.name for file in files] == ["y.png", "y_map.png"]
    assert all(file.stat().st_size > 5000 for file in files)
    sample = [{"case": k, "x": 0.1 * k**2, "z": -k, "status": "ok", "y": k} for k in range(9)]
    assert [file.name for file in draw_sweep(tmp_path, sample, ["x", "z"], {}, ["y"])] == ["y.png"]
    with pytest.raises(wl.OptionError, match="-plot w: no case has such a number; there are y"):
        draw_sweep(tmp_path, sample, ["x", "z"], {}, ["w"])


def test_summary_cannot_hide_columns_of_the_sweep(tmp_path: Path) -> None:
    (tmp_path / "summary.json").write_text(
        json.dumps({"x": 5.0, "parts": {"a": [1, 2]}, "verdict": "doubtful", "verdicts": []})
    )
    row = sweep_table.create_row(1, {"x": 2}, {"reason": "", "wall_time": 1.0}, tmp_path)
    assert row["x"] == 2 and row["summary.x"] == 5.0 and row["parts.a.1"] == 2 and row["status"] == "doubtful"
