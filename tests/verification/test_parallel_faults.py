"""Errors on one process or in the model give one message and an exit code, and no process continues to wait."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from support.processes import ROOT, errors_of, run_python

PROGRAM = ROOT / "tests/support/parallel_faults.py"
COMMAND: dict[str, list[str | Path]] = {"python": [], "windlass": ["-m", "windlass.commands.cli", "run"]}
# This time [s] is much longer than a run on a loaded machine with an empty compiler cache, so only a process that hangs
# exceeds this time.
TIMEOUT = 600


def run(folder: Path, *words: str, processes: int = 2, through: str = "python") -> subprocess.CompletedProcess[str]:
    """Run the program in an empty folder."""
    return run_python([*COMMAND[through], PROGRAM, *words], processes, folder, TIMEOUT)


FAULTS = [
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
    ("state", "python", 2, "the hook hook, after_step: has set q[0] = nan at t = 0.002 s: must be a finite number"),
    ("loose", "python", 2, "without mass: forgotten, x, forgotten, y"),
    ("exit", "python", 3, ""),
    ("exit", "windlass", 3, ""),
    ("early end", "python", 2, "process 1 has ended, while this one begins the first solver or state of a world"),
    ("early end", "windlass", 2, "process 1 has ended, while this one begins the first solver or state of a world"),
    ("end in hook", "python", 2, "this process ends in Dynamic, while others continue: all must do the same"),
    ("caught", "python", 1, "OSError: in the hook"),
    ("constraint", "python", 2, "rows of NodeCoordinate: "),
    ("random", "python", 2, "random numbers need a seed"),
    ("break", "python", 2, "process 1 has left the loop over the steps of Dynamic, while this one is at the next step"),
    (
        "break, then gather",
        "windlass",
        2,
        "process 1 has left the loop over the steps of Dynamic, while this one is at",
    ),
    (
        "break held, then gather",
        "python",
        2,
        "process 1 is at a call of all processes (state), while this one is at the next step of Dynamic",
    ),
    (
        "break held, gather in the loop",
        "python",
        2,
        "process 1 is at the solver dynamic_, while this one begins a call of all processes (state)",
    ),
    ("step", "python", 2, "step [s]: 0.001 on process 0, 0.002 on process 1: must be the same on all processes"),
]
Outcome = subprocess.CompletedProcess[str]


@pytest.fixture(scope="module")
def outcomes(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[tuple[str, str], Future[Outcome]]]:
    """Return runs of the chosen cases by fault and command.

    Two runs are executed at a time, because their processes mostly wait.
    """
    chosen = [item.callspec.params for item in request.session.items if "through" in getattr(item, "fixturenames", ())]
    cases = dict.fromkeys((given["fault"], given["through"]) for given in chosen if "fault" in given)
    with ThreadPoolExecutor(2) as pool:
        yield {
            (fault, through): pool.submit(
                run, tmp_path_factory.mktemp(fault), "-fault", fault, "-progress", "false", through=through
            )
            for fault, through in cases
        }


@pytest.mark.mpi
@pytest.mark.parametrize(("fault", "through", "code", "message"), FAULTS)
def test_one_message_and_an_exit_code(
    fault: str, through: str, code: int, message: str, outcomes: dict[tuple[str, str], Future[Outcome]]
) -> None:
    """A fault gives one message and an exit code, and all other processes end instead of waiting."""
    done = outcomes[fault, through].result()
    assert done.returncode == code
    assert "tip" not in done.stdout
    if message:
        assert done.stderr.count(message) == 1
        headings = done.stderr.count("Traceback") + sum(line.startswith("error") for line in done.stderr.splitlines())
        assert headings == (fault != "words")


@pytest.mark.mpi
@pytest.mark.parametrize("solver", ["static", "explicit"])
def test_disconnected_node_is_named(solver: str, tmp_path: Path) -> None:
    done = run(tmp_path, "-fault", "loose", "-solver", solver)
    assert done.returncode == 2
    assert done.stderr.count("forgotten, x") == 1
    assert done.stderr.count("forgotten, y") == 1


@pytest.mark.mpi
def test_more_processes_than_cables(tmp_path: Path) -> None:
    """Processes without rows participate in statics and dynamics, and the results agree with the results on one
    process.
    """
    words = ("-elements", "1", "-solver", "static,dynamic", "-quiet")
    alone, many = (run(tmp_path, *words, processes=n) for n in (1, 5))
    assert (many.returncode, errors_of(many)) == (0, "")
    assert many.stdout == alone.stdout
    assert many.stdout.count("tip") == 2


@pytest.mark.mpi
def test_process_that_ends_between_solves(tmp_path: Path) -> None:
    done = run(tmp_path, "-fault", "end between")
    assert done.returncode == 2 and done.stdout.count("tip") == 1
    assert done.stderr.count("process 1 has ended, while this one begins the solver static_: all must") == 1


@pytest.mark.mpi
@pytest.mark.parametrize("fault", ["break everywhere", "break held"])
def test_loop_that_all_processes_leave_ends_nothing(fault: str, tmp_path: Path) -> None:
    """If all processes leave the loop over a solve early, no process is ended, even if one process deletes the solve
    later than the other.

    The next solves succeed.
    """
    done = run(tmp_path, "-fault", fault, "-solver", "dynamic,static", "-quiet", processes=3)
    assert (done.returncode, errors_of(done)) == (0, "")
    assert (done.stdout.count("left"), done.stdout.count("tip")) == (3, 2)


@pytest.mark.mpi
def test_error_that_all_processes_catch_ends_nothing(tmp_path: Path) -> None:
    """If each of two solves fails in the same step on both processes, and both processes catch the errors, the script
    continues.
    """
    done = run(tmp_path, "-fault", "caught everywhere", "-solver", "dynamic,static", "-quiet")
    assert (done.returncode, errors_of(done)) == (0, "")
    assert done.stdout.count("went on") == 4 and "tip" not in done.stdout
