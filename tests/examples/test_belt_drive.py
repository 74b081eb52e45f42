"""Tests that run the belt drive example as a new user does, and compare its table, summary, files, options, errors and
results on two processes with the documented values.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.processes import ROOT, run_python, run_windlass
from support.series import read_series

EXAMPLE = str(ROOT / "examples/belt_drive.py")
SHORT = ["-end_time", "0.002", "-output", "none"]
KEYS = {
    "omega_driven",
    "drive_torque_mean",
    "axial_force_min",
    "axial_force_max",
    "speed_loss",
    "segments_in_contact",
    "segments_sticking",
    "static_support_force_x",
    "steps",
    "newton_iterations",
    "discontinuous_iterations",
    "wall_time",
    "cpu_time",
    "written_by",
}
RESULTS = ("drive_torque_mean", "axial_force_min", "axial_force_max", "static_support_force_x")


def run_summary(words: list[str], folder: Path, processes: int = 1) -> tuple[dict[str, Any], str]:
    """Return summary and output of the example with some options."""
    path = folder / "summary.json"
    done = run_windlass(["run", EXAMPLE, *words, "-summary", str(path)], processes, folder)
    assert done.returncode == 0, done.stderr
    return json.loads(path.read_text()), done.stdout + done.stderr


@pytest.fixture(scope="module")
def default(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the summary of 20 steps with all defaults."""
    return run_summary(SHORT, tmp_path_factory.mktemp("default"))[0]


def test_summary_table_and_files(tmp_path: Path) -> None:
    """A short run of the belt drive ends with the table, a complete summary, a picture, sensors, and files that a
    viewer reads.
    """
    words = ["-end_time", "0.01", "-frames", "5", "-output", "results"]
    summary, output = run_summary(words, tmp_path)
    assert set(summary) == {*KEYS, "verdict", "verdicts"} and summary["verdict"] == "ok"
    assert summary["steps"] == 100
    assert list(summary["omega_driven"]) == ["0.3", "0.6", "1.0", "1.5", "2.0", "2.45"]
    assert set(summary["omega_driven"].values()) == {None}
    assert summary["static_support_force_x"] == pytest.approx(-802.0939, abs=1e-4)
    assert summary["segments_in_contact"] == [60, 60]
    assert "static support force" in output
    assert "no reference" in output
    assert "belt.png, for ParaView" in output
    results = tmp_path / "results"
    assert (results / "belt.png").stat().st_size > 20_000
    assert len((results / "sensors.csv").read_text().splitlines()) == 12
    pytest.importorskip("vtk")
    times, frame = read_series(results / "belt.vtkhdf")
    assert np.allclose(times, np.linspace(0.0, 0.01, 6))
    assert len(frame(times[-1]).point_data["axial_force"]) >= 60 * 4


def test_plain_python_gives_the_same(default: dict[str, Any], tmp_path: Path) -> None:
    """``python MODEL.py`` and ``windlass run MODEL.py`` give the same results."""
    path = tmp_path / "summary.json"
    done = run_python([EXAMPLE, *SHORT, "-summary", path], folder=tmp_path)
    assert done.returncode == 0, done.stderr
    again = json.loads(path.read_text())
    assert [again[name] for name in RESULTS] == [default[name] for name in RESULTS]


def test_petsc_options_do_what_they_say(default: dict[str, Any], tmp_path: Path) -> None:
    """The options of PETSc take effect: the output contains the lines of the monitor, and the view lists gmres and
    mumps. The result agrees with the result of the default solver within a relative error of 1e-8.
    """
    words = ["-dynamic_snes_monitor", "-dynamic_snes_view", "-dynamic_ksp_type", "gmres", "-dynamic_pc_type", "lu"]
    words += ["-dynamic_pc_factor_mat_solver_type", "mumps", "-dynamic_ksp_rtol", "1e-10"]
    summary, output = run_summary([*SHORT, *words], tmp_path)
    assert "0 SNES Function norm" in output
    assert "type: gmres" in output
    assert "package used to perform factorization: mumps" in output
    for name in RESULTS:
        np.testing.assert_allclose(summary[name], default[name], rtol=1e-8, err_msg=name)


def test_tangent_against_petsc_differences(tmp_path: Path) -> None:
    """In every iteration, PETSc compares the tangent of the belt drive with differences of the residual. The relative
    difference is at most 1e-6.
    """
    words = ["-end_time", "0.0005", "-output", "none", "-dynamic_snes_test_jacobian"]
    done = run_windlass(["run", EXAMPLE, *words], folder=tmp_path)
    assert done.returncode == 0, done.stderr
    found = re.findall(r"\|\|J - Jfd\|\|_F/\|\|J\|\|_F = ([0-9.e+-]+)", done.stdout)
    assert len(found) >= 5
    assert max(map(float, found)) < 1e-6


@pytest.mark.mpi
def test_two_processes_give_the_serial_answer(default: dict[str, Any], tmp_path: Path) -> None:
    """The results of the example under mpiexec agree with the serial results within a relative error of 1e-8, and are
    written once.
    """
    summary, output = run_summary(SHORT, tmp_path, processes=2)
    for name in RESULTS:
        np.testing.assert_allclose(summary[name], default[name], rtol=1e-8, err_msg=name)
    assert output.count("static support force") == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-elemnts", "30"], "did you mean -elements"),
        (["-elements", "3"], "-elements = 3: expected a whole number >= 6 [1]"),
        (["-dynamic_snes_rtoll", "1e-3"], "did you mean -dynamic_snes_rtol"),
        (["-output", "/proc/belt"], "output folder = '/proc/belt' cannot be written"),
        (["-friction", "-1"], "-friction = -1: expected a number >= 0 [1]"),
    ],
)
def test_wrong_options_are_errors_before_any_solve(words: list[str], message: str, tmp_path: Path) -> None:
    """A wrong option gives one clear message and exit code 2 before any solve."""
    done = run_windlass(["run", EXAMPLE, *words], folder=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert "steps" not in done.stderr
    assert not list(tmp_path.glob("**/*.vtkhdf"))


def test_diverging_run_saves_the_last_good_state(tmp_path: Path) -> None:
    """If a solve of the belt drive does not converge, the message names the reason, the step, the time and the worst
    equations. The state before the failed step is saved.
    """
    words = [*SHORT, "-dynamic_ksp_type", "gmres", "-dynamic_pc_type", "jacobi", "-dynamic_ksp_max_it", "2"]
    done = run_windlass(["run", EXAMPLE, *words], folder=tmp_path)
    assert done.returncode == 2
    assert "DIVERGED_LINEAR_SOLVE, gmres with jacobi: DIVERGED_MAX_IT after 2 iterations in step 1 at " in done.stderr
    assert re.search(r"worst equation: (driver|driven|belt node \d+), ", done.stderr)
    stored = np.load(tmp_path / "last_good_state.npz")
    assert len(stored["q"]) == 4 * 60 + 6
    assert float(stored["t"]) == 0.0


def test_log_view_shows_our_stages(tmp_path: Path) -> None:
    """PETSc's log lists the stages of Windlass in addition to its own stages."""
    done = run_windlass(["run", EXAMPLE, *SHORT, "-log_view"], folder=tmp_path)
    assert done.returncode == 0, done.stderr
    for stage in ("kinematics", "forces", "contact", "constraints", "linear solve", "post-Newton", "output"):
        assert re.search(rf"\d:\s+{stage}:", done.stdout), stage
