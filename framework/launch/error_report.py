"""Output of the errors of a model script that `windlass run` or `python` runs on one or several processes.

For an error of Windlass, one message without traceback is printed, and the exit code is 2. For another exception, the
traceback is printed once, and the exit code is 1. Under MPI one process prints the error and then ends the other
processes, because these processes would otherwise wait forever.
"""

import os
import sys
import time
import traceback
from collections.abc import Callable
from types import TracebackType
from typing import Any, Protocol

from windlass.framework.errors import WindlassError
from windlass.framework.launch.arguments import TRUE_WORDS
from windlass.framework.launch.launcher import launched_rank, launched_size

# Shortest and longest time [s] that all processes except the first wait before they report an error. Between these
# limits, the waiting time is equal to the run time so far. If all processes fail with the same error, the first process
# therefore ends the job before another process prints. Before the first solve, the processes are not synchronised, and
# on a busy machine the delay between the processes grows with the run time.
HEAD_START, LONGEST_HEAD_START = 2.0, 5.0
_begin = time.monotonic()
process: dict[str, Any] = {"failed": False, "checkpoint": None}
"""failed: whether an error of this process has been reported. checkpoint: the checkpoint file that this process has
written because options or the defaults request checkpoints, or None.
"""
_listeners: list[Callable[[str], None]] = []


class RunOptions(Protocol):
    """Interface of the settings that options determine for a run. The defaults are valid until the command line is
    read.
    """

    def is_dry_run(self) -> bool:
        """Return whether -help was given and the options of a solver were printed."""
        return False

    def is_initialised(self) -> bool:
        """Return whether PETSc has received its command line."""
        return False

    def finish(self) -> None:
        """Check unused options at the end of a successful run."""
        return

    def finish_without_check(self) -> None:
        """Mark the run as failed. Unused options of a failed run are not reported."""
        return

    def traceback_wanted(self) -> bool:
        """Return whether errors are printed with a traceback."""
        return "-traceback" in sys.argv or os.environ.get("WINDLASS_TRACEBACK", "0").lower() in TRUE_WORDS

    def process_rank(self) -> int:
        """Return the rank of this process under MPI."""
        return launched_rank()


class _NoOptions(RunOptions):
    """Default settings, which are valid until the command line is read."""


options: RunOptions = _NoOptions()


def watch(found: RunOptions) -> None:
    """Replace the default settings by the options of the command line."""
    global options
    options = found


def at_error(listen: Callable[[str], None]) -> None:
    """Register a function that is called with the error message when an error ends a run."""
    _listeners.append(listen)


def report(error: BaseException, script: str | None = None) -> int:
    """Print an error and return the exit code of the process. If there are several processes, end all processes. The
    exit code is 2 for errors of Windlass, 130 for Ctrl-C, and 1 for other exceptions. Exceptions after the output of
    -help are not printed, and the exit code is 0.

    Args:
        error: the exception that has ended the run.
        script: file of the model. The printed traceback begins at the first frame in this file.
    """
    if options.is_dry_run() and isinstance(error, Exception):
        options.finish()
        return 0
    options.finish_without_check()
    process["failed"] = True
    code = 2 if isinstance(error, WindlassError) else 130 if isinstance(error, KeyboardInterrupt) else 1
    rank = _rank()
    where = f" on rank {rank}" if rank > 0 else ""
    words = _describe(error, script, where)
    say(words)
    for listen in _listeners:
        try:
            listen(words)
        except WindlassError as further:
            print(f"error: {further}", file=sys.stderr, flush=True)
    if process["checkpoint"] is not None:
        path = os.path.relpath(process["checkpoint"])
        print(f"-restart {path} continues from the last checkpoint", file=sys.stderr, flush=True)
    return leave(code)


def leave(code: int) -> int:
    """Return the given exit code. If there are several processes and the code is not 0, end all processes."""
    started = options.is_initialised() or "mpi4py.MPI" in sys.modules
    # if MPI has not started, no call is needed, because mpiexec ends the other processes when this process returns an
    # exit code other than 0
    if code and started and launched_size() > 1:
        sys.stdout.flush()
        sys.stderr.flush()
        try:
            from mpi4py import MPI  # imported here, because the import starts MPI
        except ImportError:
            os._exit(code)  # end without MPI_Finalize, so that mpiexec ends the other processes
        if MPI.COMM_WORLD.size > 1:
            MPI.COMM_WORLD.Abort(code)
    return code


def say(text: str) -> None:
    """Print an error. All processes except the first wait before they print. During this time, the first process may
    end the other processes.
    """
    if _rank() > 0:
        time.sleep(min(max(HEAD_START, time.monotonic() - _begin), LONGEST_HEAD_START))
    sys.stdout.flush()
    print(text, file=sys.stderr, flush=True)


def _describe(error: BaseException, script: str | None, where: str) -> str:
    if isinstance(error, KeyboardInterrupt):
        return "\n  ".join([f"interrupted{where}", *getattr(error, "__notes__", ())])
    if isinstance(error, WindlassError) and not options.traceback_wanted():
        return f"error{where}: {error}"
    heading = f"exception{where}:\n" if where else ""
    frames = _inside(error.__traceback__, script)
    return heading + "".join(traceback.format_exception(type(error), error, frames)).rstrip()


def _inside(frames: TracebackType | None, script: str | None) -> TracebackType | None:
    """Return the frames of a traceback from the first frame in the script onwards. If no frame is in the script, return
    all frames.
    """
    inner = frames
    while inner is not None and inner.tb_frame.f_code.co_filename != script:
        inner = inner.tb_next
    return inner or frames


def _rank() -> int:
    return options.process_rank() if options.is_initialised() else launched_rank()
