"""The start of MPI and PETSc. Before MPI starts, the number of processes and the rank are read from environment
variables of mpiexec.
"""

import atexit
import functools
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SIZE_VARIABLES = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_SIZE")
RANK_VARIABLES = ("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID")

LAUNCHERS = ("OMPI_", "PMI", "PRTE_", "ORTE_", "MPI_LOCAL", "MV2_", "SLURM_", "PALS_")
"""Prefixes of the environment variables that MPI launchers and job schedulers set for a process."""
RIGHTS = "OMPI_ALLOW_RUN_AS_ROOT"
"""Prefix of the environment variables that permit Open MPI to run as root. Child processes inherit these variables."""
SOLVER_PACKAGES = ("petsc", "klu", "umfpack", "superlu_dist", "mumps", "hypre")
"""Packages of linear solvers for PETSc, in the order of preference. All packages are direct solvers except hypre, which
is a multigrid preconditioner.
"""


@functools.cache
def launched_size() -> int:
    """Return the number of processes that mpiexec has started for this job. Without mpiexec, the result is 1."""
    return max([1, *_numbers(SIZE_VARIABLES)])


def launched_rank() -> int:
    """Return the rank of this process among the processes that mpiexec has started for this job."""
    return next(iter(_numbers(RANK_VARIABLES)), 0)


def child_environment(alone: bool) -> dict[str, str]:
    """Return the environment of a child process, including the path of this package.

    Args:
        alone: whether to omit the variables that identify this process as a part of an MPI job. With these variables,
            the MPI launcher treats the child process as a part of the job.
    """
    package, foreign = sys.modules["windlass"].__file__ or "", LAUNCHERS if alone else ()
    kept = {name: text for name, text in os.environ.items() if not name.startswith(foreign) or name.startswith(RIGHTS)}
    paths = [str(Path(package).resolve().parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**kept, "PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "1")}


def _numbers(names: tuple[str, ...]) -> list[int]:
    return [int(os.environ[name]) for name in names if os.environ.get(name, "").isdigit()]


SINGLE = {
    "OMPI_MCA_btl": "self",
    "OMPI_MCA_pml": "ob1",
    "OMPI_MCA_ess_singleton_isolated": "1",
    "OMPI_MCA_orte_create_session_dirs": "0",
}
"""Settings of Open MPI for a process without launcher."""


@contextmanager
def quick_start() -> Iterator[None]:
    """Context manager for the start of MPI. Without a launcher, the context manager disables the service, the networks
    and the session folder of Open MPI that only jobs with several processes need.

    These settings halve the start time of Open MPI. The session folders of all processes of a user are in one folder,
    which the last process removes. If another process starts at this moment, Open MPI 4 cannot create its folder and
    ends the process.

    The context manager does not change the user's settings. Child processes do not inherit the settings of the context
    manager.
    """
    launched = any(name.startswith(("OMPI_COMM_", "PMI", "SLURM_", "PALS_", "MPI_LOCAL")) for name in os.environ)
    added = {} if launched else {name: value for name, value in SINGLE.items() if name not in os.environ}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            del os.environ[name]


@contextmanager
def session_folder(environment: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Return an environment for a program started by ``mpiexec``, with a session folder of Open MPI 4 that no other
    program uses.

    Without such an environment, all programs use one common folder. A program that ends can then remove the common
    folder while another program creates its own folder in it, see `quick_start`.
    """
    import tempfile  # imported here, because most programs start no other program

    with tempfile.TemporaryDirectory(prefix="mpi", ignore_cleanup_errors=True) as place:
        yield {"OMPI_MCA_orte_tmpdir_base": place, **environment}


_ends: list[Callable[[], None]] = []


def before_end(function: Callable[[], None]) -> None:
    """Register a function that is called before PETSc is finalised. When PETSc is finalised, all processes wait for
    each other.
    """
    _ends.append(function)


def start_petsc(words: Sequence[str]) -> None:
    """Initialise MPI and PETSc with the words of a command line."""
    # if OpenMP distributes the factorisation of small systems over all cores, the factorisation is slower by orders of
    # magnitude
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    import petsc4py  # imported here, because mpiexec and OMP_NUM_THREADS must be checked first

    with quick_start():
        petsc4py.init(["windlass", *words])
    if launched_size() > 1:
        atexit.register(lambda: [function() for function in _ends])


def communicator() -> Any:
    """Return the mpi4py world communicator if ``mpiexec`` has started several processes, otherwise None."""
    if launched_size() == 1:
        return None
    from mpi4py import MPI  # imported here, because the import starts MPI

    return MPI.COMM_WORLD if MPI.COMM_WORLD.size > 1 else None


def is_first_process() -> bool:
    """Return whether this process is the first process, which prints and writes files."""
    comm = communicator()
    return comm is None or comm.rank == 0
