"""Runs of a model in separate processes, with a time limit. If the program that started a run is killed, and the
command ``setpriv`` exists, the run also ends.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from windlass.framework.errors import OutputError
from windlass.framework.launch.launcher import child_environment, launched_size, session_folder

OUTPUT = "output.txt"
"""Name of the file with the standard output of a run, in the folder of the run."""
ERRORS = "errors.txt"
"""Name of the file with the error output of a run, in the folder of the run."""
PATIENCE = 5.0
"""If a run does not end within this time [s] after a request to stop, the run is killed."""
LONGEST_REASON = 160
_running: set[subprocess.Popen[bytes]] = set()
_ending = threading.Event()


@dataclass(frozen=True)
class Ended:
    """Outcome of a run.

    Attributes:
        reason: reason why the run has no result; empty if the run has a result.
        wall_time: time [s] from the start to the end of the run.
        stopped: whether the run reached its time limit.
    """

    reason: str
    wall_time: float
    stopped: bool = False


def run_child(words: Sequence[str], folder: Path, processes: int = 1, limit: float | None = None) -> Ended:
    """Execute ``windlass run`` with the given arguments in a folder, store the output of the run in this folder, and
    return the outcome of the run.

    Args:
        words: the file of the model, and options. Paths are relative to the folder.
        folder: folder of the run.
        processes: number of processes of the run, started by ``mpiexec``.
        limit: time [s] after which the run is stopped; None for no limit.

    Raises:
        OutputError: files in the folder cannot be written.
    """
    command = [sys.executable, "-m", "windlass.commands.cli", "run", *words]
    if processes > 1:
        command = ["mpiexec", "-n", str(processes), *command]
    if shutil.which("setpriv"):
        # the system ends child processes if this program is killed
        command = ["setpriv", "--pdeathsig", "KILL", "--", *command]
    begin = time.perf_counter()
    try:
        with ExitStack() as stack:
            output, errors = (stack.enter_context((folder / name).open("wb")) for name in (OUTPUT, ERRORS))
            environment = child_environment(alone=launched_size() > 1)
            if processes > 1:
                environment = stack.enter_context(session_folder(environment))
            settings: dict[str, Any] = {
                "stdin": subprocess.DEVNULL,
                "env": environment,
                "start_new_session": True,
            }
            process = subprocess.Popen(command, cwd=folder, stdout=output, stderr=errors, **settings)
            _running.add(process)
            try:
                code = process.wait(limit)
            except subprocess.TimeoutExpired:
                stop(process)
                return Ended(f"stopped at its limit of {limit:.3g} s", time.perf_counter() - begin, True)
            except BaseException:
                stop(process)
                raise
            finally:
                _running.discard(process)
    except OSError as error:
        raise OutputError(f"a run in '{folder}' cannot be started: {error}") from None
    return Ended(find_reason(code, folder / ERRORS) if code else "", time.perf_counter() - begin)


def stop(process: subprocess.Popen[bytes]) -> None:
    """Stop the process of a run and all its child processes."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, sign)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(PATIENCE)


def begin() -> None:
    """Record that this program is running, so that it may start runs."""
    _ending.clear()


def stop_all() -> None:
    """Stop all runs of this program before the program ends."""
    _ending.set()
    for process in list(_running):
        stop(process)


def is_ending() -> bool:
    """Return whether this program is ending, and has therefore stopped its runs."""
    return _ending.is_set()


def show_progress(what: str, of: str, total: int, quiet: bool, initial: int = 0) -> Any:
    """Return a progress line of tqdm that shows the number of finished runs and the remaining time. The arguments
    ``what`` and ``of`` are words for the study and for its runs. The argument ``initial`` is the number of runs that
    are finished at the start.
    """
    from tqdm import tqdm  # imported here, because other commands do not need this module

    shown = f"{{desc}}: {{n_fmt}} of {{total_fmt}} {of}, {{elapsed}} elapsed, {{remaining}} to go{{postfix}}"
    interval = 0.5 if sys.stderr.isatty() else 10.0
    return tqdm(total=total, initial=initial, desc=what, bar_format=shown, disable=quiet, mininterval=interval)


def find_reason(code: int, errors: Path) -> str:
    """Return a text of one line with the reason why a run failed. The reason is the error message of the run, the last
    line of its traceback, its signal, or its exit code.
    """
    lines = [line.strip() for line in errors.read_text(errors="replace").splitlines() if line.strip()]
    # messages of mpiexec, which begin with the name of a host or follow a line of dashes, are omitted
    own = itertools.takewhile(lambda line: not line.startswith("---"), lines)
    lines = [line for line in own if not re.match(r"\[[\w.-]+:\d+\]", line)] or lines[1:2]
    told = next((k for k, line in enumerate(lines) if line.startswith("error")), None)
    if told is not None:
        words = " ".join([lines[told].partition(":")[2].strip(), *lines[told + 1 :]])
    elif code < 0:
        words = f"ended by {signal.Signals(-code).name}"
    else:
        words = lines[-1] if lines else f"exit code {code}"
    return words if len(words) <= LONGEST_REASON else words[: LONGEST_REASON - 4] + " ..."
