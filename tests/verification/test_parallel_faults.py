"""What goes wrong on one of several processes, or in the model: one message, an exit code, no process left waiting."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from support.processes import ROOT, run_python

PROGRAM = ROOT / "tests/support/parallel_faults.py"
COMMAND: dict[str, list[str | Path]] = {"python": [], "windlass": ["-m", "windlass.framework.cli", "run"]}
# Far above what a run takes on a loaded machine with an empty compiler cache [s]; a hang takes for ever.
TIMEOUT = 300


def run(folder: Path, *words: str, processes: int = 2, through: str = "python") -> subprocess.CompletedProcess[str]:
    """Run the program in an empty folder."""
    return run_python([*COMMAND[through], PROGRAM, *words], processes, folder, TIMEOUT)


@pytest.mark.mpi
@pytest.mark.parametrize(
    ("fault", "through", "code", "message"),
    [
        ("early", "python", 1, "ValueError: before the model"),
        ("early", "windlass", 1, "ValueError: before the model"),
        ("everywhere", "python", 2, "error: gravity = (nan, 0.0) m/s^2 in World: must be finite numbers"),
        ("everywhere", "windlass", 2, "error: gravity = (nan, 0.0) m/s^2 in World: must be finite numbers"),
        ("built", "python", 2, "error on rank 1: radius = -1 m on one process"),
        ("built", "windlass", 2, "error on rank 1: radius = -1 m on one process"),
        ("words", "python", 1, "the words of one process"),
        ("words", "windlass", 1, "the words of one process"),
        ("function", "python", 1, "ZeroDivisionError: in the force function"),
        ("nan", "python", 2, "gave nan at t = 0.003 s: must give one finite number [N]"),
        ("hook", "windlass", 1, "OSError: in the hook"),
        ("state", "python", 2, "error: DIVERGED"),
        ("loose", "python", 2, "without mass: forgotten, x, forgotten, y"),
    ],
)
def test_one_message_and_an_exit_code(fault: str, through: str, code: int, message: str, tmp_path: Path) -> None:
    """Every other process would wait for the one that fails."""
    done = run(tmp_path, "-fault", fault, "-progress", "false", through=through)
    assert done.returncode == code
    assert done.stderr.count(message) == 1
    assert "tip" not in done.stdout
    headings = done.stderr.count("Traceback") + sum(line.startswith("error") for line in done.stderr.splitlines())
    assert headings == (fault != "words")


@pytest.mark.mpi
@pytest.mark.parametrize("through", ["python", "windlass"])
def test_exit_of_one_process_ends_all(through: str, tmp_path: Path) -> None:
    done = run(tmp_path, "-fault", "exit", through=through)
    assert done.returncode == 3
    assert "tip" not in done.stdout


@pytest.mark.mpi
@pytest.mark.parametrize("solver", ["static", "explicit"])
def test_disconnected_node_is_named(solver: str, tmp_path: Path) -> None:
    done = run(tmp_path, "-fault", "loose", "-solver", solver)
    assert done.returncode == 2
    assert done.stderr.count("forgotten, x") == 1
    assert done.stderr.count("forgotten, y") == 1


@pytest.mark.mpi
@pytest.mark.parametrize("solver", ["static", "dynamic"])
def test_more_processes_than_cables(solver: str, tmp_path: Path) -> None:
    """Processes without rows take part, and the result is that of one process."""
    words = ("-elements", "1", "-solver", solver, "-quiet")
    alone, many = (run(tmp_path, *words, processes=n) for n in (1, 5))
    assert (many.returncode, many.stderr) == (0, "")
    assert many.stdout == alone.stdout
    assert many.stdout.startswith("tip")
