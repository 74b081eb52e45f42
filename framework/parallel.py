"""Processes: the communicator of a run, and the assembly of this process's part of a world."""

from __future__ import annotations

from typing import Any

from windlass.framework.alike import check_same_world
from windlass.framework.assembly import Assembly, serial_assembly
from windlass.framework.launcher import launched_size
from windlass.framework.meetings import meet
from windlass.framework.world import World


def communicator() -> Any:
    """The mpi4py world communicator when started by ``mpiexec`` on several processes, otherwise None."""
    if launched_size() == 1:
        return None
    from mpi4py import MPI

    return MPI.COMM_WORLD if MPI.COMM_WORLD.size > 1 else None


def parallel_assembly(world: World, comm: Any) -> Assembly:
    """The assembly of this process's rows, made once per world; the whole world if ``comm`` is None."""
    if comm is None:
        return serial_assembly(world)
    assembly: Assembly = world.resource("parallel assembly", lambda: _create_assembly(world, comm))
    return assembly


def _create_assembly(world: World, comm: Any) -> Assembly:
    meet(comm, "the first solver or state of a world")
    check_same_world(world, comm)
    return Assembly(world, comm)


def is_first_process() -> bool:
    """Whether this process is the one that prints and writes files."""
    comm = communicator()
    return comm is None or comm.rank == 0
