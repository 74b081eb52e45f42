"""What a user sees of an error, in `windlass run` and under plain `python`, on one rank and on many.

Errors of Windlass are one message without traceback and exit code 2; other exceptions show their traceback once and end
with 1. Under MPI one rank speaks and then ends the others, which would otherwise wait for it for ever.
"""

import atexit
import os
import sys
import time
import traceback
from types import TracebackType
from typing import NoReturn

from windlass.framework.command_line import options
from windlass.framework.command_line.arguments import model_arguments
from windlass.framework.errors import WindlassError
from windlass.framework.runtime.launcher import launched_rank, launched_size

# Head start of the first rank [s]: when all ranks fail alike, it has ended the job before another one speaks.
HEAD_START = 2.0
_process = {"failed": False, "ended": False}


def install() -> None:
    """Take charge of the errors and of the end of a script that plain `python` runs."""
    if is_installed():
        return
    sys.excepthook = _excepthook
    atexit.register(_end_of_script)
    if launched_size() > 1:
        # Python calls no hook for it, and the other processes would wait for this one for ever
        sys.exit = _exit


def is_installed() -> bool:
    """Whether errors and the end of this program are in the charge of Windlass."""
    return sys.excepthook is _excepthook


def install_in_script() -> None:
    """`install` if this program is the script of a model, and not a test or a notebook."""
    if model_arguments() is not None:
        install()


def report(error: BaseException, script: str | None = None) -> int:
    """Print an error and return the exit code of the process; with several ranks, end them all.

    Args:
        error: what was raised.
        script: the file of the model; frames outside, before it is entered, are left out of the traceback.
    """
    if options.is_dry_run() and isinstance(error, Exception):
        return end_quietly()
    options.finish_without_check()
    _process["failed"] = True
    code = 2 if isinstance(error, WindlassError) else 130 if isinstance(error, KeyboardInterrupt) else 1
    rank = _rank()
    where = f" on rank {rank}" if rank > 0 else ""
    _say(_describe(error, script, where))
    if "windlass.framework.restart.checkpoint" in sys.modules:
        from windlass.framework.restart.insurance import leave_checkpoints

        if hint := leave_checkpoints():
            print(hint, file=sys.stderr, flush=True)
    return leave(code)


def leave(code: int) -> int:
    """Return the exit code; if it is not 0 and there are several ranks, end all of them with it instead."""
    started = options.is_initialised() or "mpi4py.MPI" in sys.modules
    # before MPI has started, mpiexec itself ends the others when one of them ends with a code
    if code and started and launched_size() > 1:
        sys.stdout.flush()
        sys.stderr.flush()
        try:
            from mpi4py import MPI
        except ImportError:
            os._exit(code)  # without a farewell to MPI, which makes mpiexec end the others
        if MPI.COMM_WORLD.size > 1:
            MPI.COMM_WORLD.Abort(code)
    return code


def _say(text: str) -> None:
    if _rank() > 0:
        time.sleep(HEAD_START)
    sys.stdout.flush()
    print(text, file=sys.stderr, flush=True)


def end_together() -> None:
    """The script has ended well on this process: others that go on would wait for it; see `meetings`."""
    if not _process["failed"] and not _process["ended"]:
        _process["ended"] = True
        from windlass.framework.parallel import meetings

        meetings.end()


def end_quietly() -> int:
    """End of a run with -help; exit code 0."""
    options.finish()
    return 0


def _describe(error: BaseException, script: str | None, where: str) -> str:
    if isinstance(error, KeyboardInterrupt):
        return "\n  ".join([f"interrupted{where}", *getattr(error, "__notes__", ())])
    if isinstance(error, WindlassError) and not options.traceback_wanted():
        return f"error{where}: {error}"
    heading = f"exception{where}:\n" if where else ""
    frames = _inside(error.__traceback__, script)
    return heading + "".join(traceback.format_exception(type(error), error, frames)).rstrip()


def _inside(frames: TracebackType | None, script: str | None) -> TracebackType | None:
    """The frames from the script on; all if it was not entered."""
    inner = frames
    while inner is not None and inner.tb_frame.f_code.co_filename != script:
        inner = inner.tb_next
    return inner or frames


def _rank() -> int:
    if options.is_initialised():
        from windlass.framework.runtime.petsc import PETSc

        return int(PETSc.COMM_WORLD.getRank())
    return launched_rank()


def _excepthook(kind: type[BaseException], error: BaseException, frames: TracebackType | None) -> None:
    # Python passes on the exit code of a hook that exits.
    raise SystemExit(report(error))


def _exit(code: object = None) -> NoReturn:
    """`sys.exit` of a script on several ranks: with a code other than 0 it ends all of them."""
    if code is None or isinstance(code, int):
        leave(int(code or 0))
    else:
        _say(str(code))
        code = leave(1)
    raise SystemExit(code)


def _end_of_script() -> None:
    """The check at the end, when Python's exit code is settled already and only a hard exit can change it."""
    try:
        end_together()
        options.finish()
    except WindlassError as error:
        code = report(error)
        sys.stdout.flush()
        from windlass.framework.runtime.petsc import PETSc

        PETSc._finalize()  # what PETSc prints at its end, and the farewell to MPI
        os._exit(code)
