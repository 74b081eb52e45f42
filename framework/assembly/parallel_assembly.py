"""The assembly of this process's part of a world."""

from __future__ import annotations

from typing import Any

from windlass.framework.assembly.alike import check_same_world
from windlass.framework.assembly.assembly import Assembly, serial_assembly
from windlass.framework.launch.meetings import meet
from windlass.framework.model.world import World


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
