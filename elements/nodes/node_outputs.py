"""Common output variables of nodes and bodies; vectors are global, with z = 0 in 2D."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.model.law import LocalRows, Output
from windlass.framework.model.system import Fields


def in_space(vectors: FloatArray) -> FloatArray:
    """2D vectors (..., 2) as 3D vectors (..., 3) with z = 0; 3D vectors unchanged."""
    if vectors.shape[-1] == 3:
        return vectors
    return np.concatenate((vectors, np.zeros_like(vectors[..., :1])), axis=-1)


def point_outputs(unit: str, dimensions: int = 2) -> dict[str, Output]:
    """Outputs of rows whose first coordinates are x, y (and z); ``unit``: units of all coordinates."""

    def vector(evaluate: Callable[[LocalRows, Fields], FloatArray]) -> Callable[[LocalRows, Fields], FloatArray]:
        return lambda rows, fields: in_space(evaluate(rows, fields)[:, :dimensions])

    return {
        "position": Output("m", "global position, shape (3,)", vector(lambda rows, s: s.x[rows.dofs])),
        "displacement": Output("m", "global displacement from the reference, shape (3,)", vector(eval_displacement)),
        "velocity": Output("m/s", "global velocity, shape (3,)", vector(lambda rows, s: s.v[rows.dofs])),
        "acceleration": Output("m/s^2", "global acceleration, shape (3,)", vector(lambda rows, s: s.a[rows.dofs])),
        "coordinates": Output(
            unit, "displacements of all coordinates from their reference, shape (k,)", eval_displacement
        ),
        "coordinates_rate": Output(
            f"({unit})/s", "velocities of all coordinates, shape (k,)", lambda rows, s: s.v[rows.dofs]
        ),
    }


def rotation_outputs() -> dict[str, Output]:
    """Outputs of rows whose third coordinate is a rotation about global z."""
    return {
        "rotation": Output(
            "rad",
            "total rotation about z, reference and displacement, not wrapped",
            lambda rows, s: s.x[rows.dofs[:, 2]],
        ),
        "angular_velocity": Output("rad/s", "angular velocity about z", lambda rows, s: s.v[rows.dofs[:, 2]]),
        "angular_acceleration": Output("rad/s^2", "angular acceleration about z", lambda rows, s: s.a[rows.dofs[:, 2]]),
    }


def eval_displacement(rows: LocalRows, fields: Fields) -> FloatArray:
    """Displacements of the coordinates from their reference, shape (rows, k)."""
    return fields.x[rows.dofs] - rows.reference
