"""End of a model script that `python` runs: output of errors, and synchronisation of the ends of all processes."""

import atexit
import os
import sys
from collections.abc import Callable
from types import TracebackType
from typing import NoReturn

from windlass.framework.errors import WindlassError
from windlass.framework.launch import error_report as failure
from windlass.framework.launch import meetings
from windlass.framework.launch.arguments import model_arguments
from windlass.framework.launch.launcher import before_end, launched_size

_process = {"ended": False}
_ends: list[Callable[[], None]] = []


def install() -> None:
    """Install handlers for errors and for the end of a script that `python` runs."""
    if is_installed():
        return
    sys.excepthook = _excepthook
    before_end(_end_if_installed)
    atexit.register(_end_of_script)
    if launched_size() > 1:
        # Without this handler, the other processes would wait forever, because Python calls no error hook for
        # SystemExit.
        sys.exit = _exit


def is_installed() -> bool:
    """Return whether `install` has installed the handlers."""
    return sys.excepthook is _excepthook


def install_in_script() -> None:
    """Call `install` if this program is a model script, and not a test, a notebook or `windlass run`."""
    if not failure.options.is_initialised() and model_arguments() is not None:
        install()


def at_end(act: Callable[[], None]) -> None:
    """Register a function that is called after the script has ended without error."""
    _ends.append(act)


def end_together() -> None:
    """Wait until the scripts of all processes have ended. Call this function after the script has ended without error
    on this process. Without this call, processes that begin a further task would wait for this process forever (see
    meetings.py).
    """
    if not failure.process["failed"] and not _process["ended"]:
        _process["ended"] = True
        for act in _ends:
            act()
        meetings.end()


def _end_if_installed() -> None:
    if is_installed():
        end_together()


def _excepthook(kind: type[BaseException], error: BaseException, frames: TracebackType | None) -> None:
    # Python ends with the exit code of this SystemExit
    raise SystemExit(failure.report(error))


def _exit(code: object = None) -> NoReturn:
    """Replace `sys.exit` in model scripts. With several processes, an exit code other than 0 ends all processes."""
    if code is None or isinstance(code, int):
        failure.leave(int(code or 0))
    else:
        failure.say(str(code))
        code = failure.leave(1)
    raise SystemExit(code)


def _end_of_script() -> None:
    """Check unused options at the end of a script. When this function runs, the exit code of Python is already fixed,
    and only `os._exit` can change it.
    """
    try:
        end_together()
        failure.options.finish()
    except WindlassError as error:
        code = failure.report(error)
        sys.stdout.flush()
        from petsc4py import PETSc  # imported here, because the module is needed only after an error

        from windlass.framework.launch.petsc_functions import (
            hide_unused_options,
        )  # imported here, because the module imports NumPy

        hide_unused_options()
        PETSc._finalize()  # Finalise PETSc and MPI. PETSc prints its remaining output here.
        os._exit(code)
