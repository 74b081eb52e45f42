"""What mpiexec tells its processes through the environment, known before MPI starts."""

import os

SIZE_VARIABLES = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_SIZE")
RANK_VARIABLES = ("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID")


def launched_size() -> int:
    """Number of processes that were started together; 1 without mpiexec."""
    return max([1, *_numbers(SIZE_VARIABLES)])


def launched_rank() -> int:
    """Number of this process among them."""
    return next(iter(_numbers(RANK_VARIABLES)), 0)


def _numbers(names: tuple[str, ...]) -> list[int]:
    return [int(os.environ[name]) for name in names if os.environ.get(name, "").isdigit()]
