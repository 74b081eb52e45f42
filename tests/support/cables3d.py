"""Functions that create a few 3D cables with all parameters, and 2D cables mapped into any plane in 3D."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from windlass.elements import Cable3D, PointSlope3D
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.state import State

_DATA = json.loads((Path(__file__).parents[1] / "reference" / "cable3d.json").read_text())["cable3d"]
_NAMES = {
    "physicsLength": "length",
    "physicsMassPerLength": "mass_per_length",
    "physicsBendingStiffness": "bending_stiffness",
    "physicsAxialStiffness": "axial_stiffness",
    "physicsBendingDamping": "bending_damping",
    "physicsAxialDamping": "axial_damping",
    "physicsReferenceAxialStrain": "reference_strain",
}
NODES = np.array([_DATA["ref0"], _DATA["ref1"]])
REFERENCE_COLUMNS = {_NAMES[name]: value for name, value in _DATA["par"].items()}
IN_PLANE = np.array([0, 1, 3, 4])
"""Coordinates of a 3D node that a 2D node also has."""


def create_spatial_cables(count: int = 1, chain: bool = False, **columns: Any) -> tuple[World, Entity, State]:
    """Create cables of the reference data, with two separate nodes each, or a chain along a helix with common nodes."""
    world = World()
    if chain:
        s = np.linspace(0.0, 2.0, count + 1)[:, None]
        position = np.hstack((0.8 * np.sin(s / 0.8), 0.8 * np.cos(s / 0.8), 0.6 * s))
        slope = np.hstack((np.cos(s / 0.8), -np.sin(s / 0.8), 0.6 * np.ones_like(s)))
        nodes = world.add(PointSlope3D, position=position, slope=slope / np.linalg.norm(slope, axis=1)[:, None])
        first, second, length = nodes[:-1], nodes[1:], 2.3 / count
    else:
        nodes = world.add(
            PointSlope3D, position=np.tile(NODES[:, :3], (count, 1)), slope=np.tile(NODES[:, 3:], (count, 1))
        )
        first, second, length = nodes[::2], nodes[1::2], REFERENCE_COLUMNS["length"]
    given = {**REFERENCE_COLUMNS, "reference_curvature": (0.21, -0.1, 0.3), "length": length, **columns}
    cables = world.add(Cable3D, node0=first, node1=second, **given)
    world.finalize()
    return world, cables, State(world)


def rotation(axis: Any, angle: float) -> Any:
    """Return the matrix of the rotation by an angle [rad] about an axis, shape (3, 3)."""
    # imported inside the function, because most tests do not need SciPy's rotations
    from scipy.spatial.transform import Rotation

    return Rotation.from_rotvec(angle * np.asarray(axis) / np.linalg.norm(axis)).as_matrix()


def lift(planar: Any, R: Any = None) -> Any:
    """Return 2D vectors, shape (..., 2 k), as 3D vectors rotated by R, shape (..., 3 k)."""
    given = np.asarray(planar, dtype=float)
    vectors = given.reshape(*given.shape[:-1], -1, 2)
    space = np.concatenate((vectors, np.zeros_like(vectors[..., :1])), axis=-1)
    turned = space if R is None else space @ R.T
    return turned.reshape(*given.shape[:-1], -1)
