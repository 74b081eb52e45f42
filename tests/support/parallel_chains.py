"""Program for mpiexec: small moving chains. Each process eliminates its part of the tangent.

Usage: parallel_chains.py OUT.npz [options of Windlass and PETSc]
"""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

MODELS: dict[str, Callable[[], Any]] = {}


def model(build: Callable[[], Any]) -> Callable[[], Any]:
    """Add a function that builds the solver of a model to `MODELS`."""
    MODELS[build.__name__] = build
    return build


def create_rope(cables: int) -> Any:
    """Create a rope that is fixed at one end."""
    import windlass as wl
    from windlass.connectors import hinge
    from windlass.elements import nodes_of, straight_cable

    from support.nets import CABLE

    world = wl.World(gravity=(0.0, -9.81))
    nodes = nodes_of(world, straight_cable(world, (0, 0), (0.25 * cables, 0), cables, **CABLE))
    hinge(world, nodes[0])
    return world, nodes


def swing(world: Any) -> Any:
    """Create a solver of ten steps."""
    import windlass as wl

    return wl.Dynamic(world, step=2e-3, end=0.02, rtol=1e-9, lag=False)


@model
def tied_rope() -> Any:
    """Create a rope with a wheel on a spring. Constraints keep pairs of neighbouring nodes at equal height, even if the
    nodes of a pair are on different processes.
    """
    from windlass.connectors import CoordinateConstraint, CoordinateSpringDamper, coordinate_marker, fix
    from windlass.elements import RigidBody2D

    world, nodes = create_rope(80)
    for k in (18, 19, 20, 21, 39, 40, 41, 59, 60, 61):
        ends = [coordinate_marker(world, nodes[i], "y") for i in (k, k + 1)]
        world.add(CoordinateConstraint, marker0=ends[0], marker1=ends[1])
    wheel = world.add(RigidBody2D, position=(1.0, 1.0), mass=2.0, inertia=0.3)
    fix(world, wheel, "y", "rotation")
    ends = [coordinate_marker(world, on, "x") for on in (wheel, nodes[25])]
    world.add(CoordinateSpringDamper, marker0=ends[0], marker1=ends[1], stiffness=30.0, damping=2.0)
    return swing(world)


@model
def short_rope() -> Any:
    """Create a rope with fewer nodes than processes."""
    return swing(create_rope(2)[0])


@model
def held_node() -> Any:
    """Create a rope, and a node without stiffness that is fixed by constraints. The pivots of this node are 0."""
    from windlass.connectors import fix
    from windlass.elements import PointSlope2D

    world, _ = create_rope(20)
    fix(world, world.add(PointSlope2D, position=(0.0, 1.0)), "x", "y", "x'", "y'")
    return swing(world)


def main(path: str) -> None:
    """Solve and write the whole states, counts, and kinds of solvers."""
    from windlass.framework.launch.launcher import communicator
    from windlass.framework.model import parts

    # small tables are also distributed over the processes
    parts.KEPT_WHOLE = 0
    comm, found = communicator(), {}
    for name, build in MODELS.items():
        solver = build()
        at_first = solver.problem.storage.name
        end = solver.solve().gather()
        counts = [solver.statistics.newton_iterations, solver.statistics.discontinuous_iterations]
        found |= {f"{name}_{kind}": getattr(end, kind) for kind in ("q", "v", "lam")}
        found |= {f"{name}_counts": counts, f"{name}_fallbacks": solver.newton.fallbacks, f"{name}_storage": at_first}
    if comm is None or comm.rank == 0:
        np.savez(path, **found)


path = sys.argv.pop(1)
main(path)
