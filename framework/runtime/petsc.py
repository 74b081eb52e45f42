"""PETSc, initialised once with the command line of the model; all modules import it from here.

`windlass run MODEL.py ...` initialises PETSc before it runs the model; under plain `python MODEL.py ...` the first
import of this module initialises it, and also sets up short error messages and the check of the options at the end.
"""

import gc
from typing import Any

from windlass.framework.command_line import options

options.start()

# The import is here, because arguments and number of threads are known only now.
from petsc4py import PETSc  # noqa: E402

__all__ = ["PETSc", "release_dropped"]


def release_dropped(comm: Any = None, solvers: bool = False) -> None:
    """Free the PETSc objects that Python has dropped. The call is collective over ``comm``.

    PETSc keeps dropped objects until this call, because processes may drop them in different orders. Otherwise matrices
    and factors of successive solvers would fill the memory, also on one process.

    Args:
        comm: mpi4py communicator, or None for this process alone.
        solvers: also free whole solvers; for these, Python must search reference cycles, which takes about 0.1 s.
    """
    if solvers:
        gc.collect()
    clean = getattr(PETSc, "garbage_cleanup", None)
    if clean is None:
        return
    clean(PETSc.COMM_SELF)
    if comm is not None and comm.size > 1:
        clean(comm)
