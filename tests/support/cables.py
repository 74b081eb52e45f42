"""Functions that create a few cables with all parameters, random states, and tangents by differences."""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.elements import Cable2D, PointSlope2D
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.assemble import assemble_vector
from windlass.framework.state.state import State

NODES = np.array([[0.1, 0.2, 0.96, 0.28], [0.72, 0.45, 0.8, 0.6]])
COLUMNS = {
    "length": 0.7,
    "mass_per_length": 3.1,
    "axial_stiffness": 523.0,
    "bending_stiffness": 11.0,
    "axial_damping": 1.9,
    "bending_damping": 0.37,
    "reference_strain": -0.03,
    "reference_curvature": 0.21,
}


def create_cables(count: int = 1, chain: bool = False, **columns: Any) -> tuple[World, Entity, State]:
    """Create cables of the reference data, with two separate nodes each, or a chain of arcs with common nodes."""
    world = World()
    if chain:
        s = np.linspace(0.0, 2.0, count + 1)[:, None]
        position, slope = np.hstack((np.sin(s), 1 - np.cos(s))), np.hstack((np.cos(s), np.sin(s)))
        nodes = world.add(PointSlope2D, position=position, slope=slope)
        first, second, length = nodes[:-1], nodes[1:], 2.0 / count
    else:
        nodes = world.add(
            PointSlope2D, position=np.tile(NODES[:, :2], (count, 1)), slope=np.tile(NODES[:, 2:], (count, 1))
        )
        first, second, length = nodes[::2], nodes[1::2], COLUMNS["length"]
    cables = world.add(Cable2D, node0=first, node1=second, **{**COLUMNS, "length": length, **columns})
    world.finalize()
    return world, cables, State(world)


def shake(state: State, seed: int = 0) -> State:
    """Set random displacements and velocities, which are large for cables of this size."""
    rng = np.random.default_rng(seed)
    state.q[:] = 0.08 * rng.normal(size=state.q.shape)
    state.v[:] = rng.normal(size=state.v.shape)
    return state


def residual(world: World, state: State) -> Any:
    return assemble_vector(world, state).getArray().copy()
