"""A sagging net of 3D cables that hangs at its corners. The cables share the positions of the knots."""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.connectors import Force, hinge, rigid_marker
from windlass.elements import Cable3D, PointSlope3D
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World


def build_model(lines: int = 4) -> tuple[World, Entity, Entity, Entity]:
    """Return a net of lines x lines knots over a saddle, its cables, its nodes, and the support that is released."""
    world = World(gravity=(1.0, 2.0, -9.81))
    order = np.random.default_rng(4).permutation(lines**2)
    i, j = np.divmod(order, lines)
    place = np.column_stack((i, j, 0.1 * (i - 1.5) * (j - 1.5))).astype(float)
    first = world.add(PointSlope3D, position=place, slope=(1.0, 0.0, 0.0))
    second = world.add(PointSlope3D, shares_position=first, position=place, slope=(0.0, 1.0, 0.0))
    row = np.empty(lines**2, np.int64)
    row[order] = np.arange(lines**2)
    grid = row.reshape(lines, lines)
    columns: dict[str, Any] = {
        "length": 1.0, "mass_per_length": 0.5, "axial_stiffness": 500.0, "bending_stiffness": 0.5,
        "axial_damping": 1.0, "bending_damping": 0.01, "reference_strain": -0.01,
    }  # fmt: skip
    world.add(
        Cable3D, node0=first[grid[:-1].ravel()], node1=first[grid[1:].ravel()], axial_force_function=pull, **columns
    )
    along = world.add(Cable3D, node0=second[grid[:, :-1].ravel()], node1=second[grid[:, 1:].ravel()], **columns)
    corners = grid[[0, 0, -1], [0, -1, 0]]
    hinge(world, first[corners])
    hold = hinge(world, first[grid[-1, -1]])
    world.add(Force, marker=rigid_marker(world, along[2], (0.4, 0.05, 0.02)), vector=(1.0, 2.0, -3.0))
    return world, along, first, hold


def pull(t: float, x: Any, eps: Any, eps_t: Any, eps_ref: Any, *rest: Any) -> Any:
    """Return the sum [N] of a damping force and of a force with a stiffness that increases with the strain."""
    p = rest[-1]
    return p.axial_stiffness * (eps - eps_ref) * (1.0 + 5.0 * (eps - eps_ref) ** 2) + p.axial_damping * eps_t
