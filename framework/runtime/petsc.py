"""Initialisation of PETSc with the command line of the model. PETSc is initialised only once. All modules import PETSc
from this module.

`windlass run MODEL.py ...` initialises PETSc before it runs the model. Under `python MODEL.py ...`, the first import of
this module initialises PETSc. This import also installs handlers, which print error messages without traceback and
check for unused options at the end of the script.
"""

import gc
from typing import Any

from windlass.framework.command_line import options

options.start()

# this import follows the statements above, because the arguments and the number of threads must be set before the
# import
from petsc4py import PETSc  # noqa: E402

__all__ = ["PETSc", "release_dropped"]


def release_dropped(comm: Any = None, solvers: bool = False) -> None:
    """Free the PETSc objects to which Python no longer refers. The call is collective over ``comm``.

    PETSc keeps these objects until this call, because Python may release them in different orders on different
    processes. Without this call, matrices and factors of successive solvers would fill the memory, even in a serial
    run.

    Args:
        comm: mpi4py communicator, or None for this process alone.
        solvers: whether to free solvers, too. To free solvers, Python must search for reference cycles. This search
            takes about 0.1 s.
    """
    if solvers:
        gc.collect()
    clean = getattr(PETSc, "garbage_cleanup", None)
    if clean is None:
        return
    clean(PETSc.COMM_SELF)
    if comm is not None and comm.size > 1:
        clean(comm)
