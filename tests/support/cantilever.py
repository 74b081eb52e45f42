"""A nearly inextensible, clamped straight cable with a load at its free end, solved to rounding errors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from windlass.connectors import clamp
from windlass.elements import nodes_of, straight_cable
from windlass.framework.arrays import FloatArray
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.state import State
from windlass.solvers.static import Static

SLENDERNESS = 1e8
"""Ratio EA L²/EI [1]."""


def solve_cantilever(
    load: Callable[[World, Entity, Entity], object], elements: int, integration: int, load_steps: int = 10
) -> tuple[Entity, State, Static]:
    """Solve a cable of length 1 m, EI = 1 N m², EA = 1e8 N from (0, 0) to (1, 0), clamped at (0, 0).

    Args:
        load: function ``(world, cables, tip node)`` that adds the load at the tip.
        elements, integration, load_steps: mesh, integration rule and number of equal load steps.

    Returns:
        The cables, the equilibrium, and the solver of the load steps.
    """
    world = World()
    cables = straight_cable(
        world,
        (0.0, 0.0),
        (1.0, 0.0),
        elements,
        mass_per_length=1.0,
        axial_stiffness=SLENDERNESS,
        bending_stiffness=1.0,
        integration=integration,
    )
    nodes = nodes_of(world, cables)
    clamp(world, nodes[0])
    load(world, cables, nodes[elements])
    # with 64 elements, EA = 1e8 N times the rounding errors of the strain leaves residuals up to 1e-5 N
    solver = Static(world, load_steps=load_steps, atol=1e-4)
    state = solver.solve()
    # each further solve is one Newton iteration: because of the quadratic convergence, the bending error becomes
    # smaller than these rounding errors
    for _ in range(2):
        state = Static(world, rtol=0.1, atol=1e-3).solve(state)
    return cables, state, solver


def tip_values(cables: Entity, state: State) -> FloatArray:
    """Return the shortening [m], the deflection [m] and the angle [rad] of the free end."""
    node = state.world.entity(int(cables.table.collect("node1")[-1]))
    x, y, slope_x, slope_y = state.of(node)[0]
    return np.array([-x, y, np.arctan2(slope_y, 1.0 + slope_x)])
