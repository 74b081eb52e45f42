"""The assembly of the rows of a world that this process evaluates."""

from __future__ import annotations

from windlass.framework.assembly.alike import check_same_world
from windlass.framework.assembly.assembly import Assembly, serial_assembly
from windlass.framework.launch.launcher import communicator
from windlass.framework.launch.meetings import meet
from windlass.framework.model.world import World
from windlass.framework.parallel.processes import Processes


def parallel_assembly(world: World) -> Assembly:
    """Return the assembly of the rows of this process. The assembly is created once per world. On a single process, the
    result is the assembly of the whole world.
    """
    comm = communicator()
    if comm is None:
        return serial_assembly(world)

    def create() -> Assembly:
        meet(comm, "the first solver or state of a world")
        check_same_world(world, Processes(comm))
        return Assembly(world, comm)

    assembly: Assembly = world.resource("parallel assembly", create)
    return assembly
