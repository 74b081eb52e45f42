"""Output variables that nodes and bodies have in common. Vectors are in the global frame, with z = 0 in 2D."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.model.drawing import FieldEntries
from windlass.framework.model.law import LocalRows, Output


def in_space(vectors: FloatArray) -> FloatArray:
    """Convert 2D vectors (..., 2) to 3D vectors (..., 3) with z = 0. 3D vectors remain unchanged."""
    if vectors.shape[-1] == 3:
        return vectors
    return np.concatenate((vectors, np.zeros_like(vectors[..., :1])), axis=-1)


def point_outputs(unit: str, dimensions: int = 2) -> dict[str, Output]:
    """Create outputs for rows whose first coordinates are x, y and in 3D z. The argument ``unit`` contains the units of
    all coordinates.
    """

    def vector(find: Callable[[LocalRows], FieldEntries]) -> Callable[[LocalRows], FieldEntries]:
        def first(rows: LocalRows) -> FieldEntries:
            found = find(rows)
            places, shift = found.places[:, :dimensions], found.shift
            spare = np.full((len(places), 3 - places.shape[1]), rows.layout.spare)
            if not isinstance(shift, float):
                shift = in_space(shift[:, :dimensions])
            return found._replace(places=np.concatenate((places, spare), axis=1), shift=shift)

        return first

    return {
        "position": Output.of_entries(
            "m", "global position, shape (3,)", vector(lambda rows: FieldEntries("x", rows.dofs))
        ),
        "displacement": Output.of_entries(
            "m", "global displacement from the reference, shape (3,)", vector(find_displacement)
        ),
        "velocity": Output.of_entries(
            "m/s", "global velocity, shape (3,)", vector(lambda rows: FieldEntries("v", rows.dofs))
        ),
        "acceleration": Output.of_entries(
            "m/s^2", "global acceleration, shape (3,)", vector(lambda rows: FieldEntries("a", rows.dofs))
        ),
        "coordinates": Output.of_entries(
            unit, "displacements of all coordinates from the reference, shape (k,)", find_displacement
        ),
        "coordinates_rate": Output.of_entries(
            f"({unit})/s", "velocities of all coordinates, shape (k,)", lambda rows: FieldEntries("v", rows.dofs)
        ),
    }


def rotation_outputs() -> dict[str, Output]:
    """Create outputs for rows whose third coordinate is a rotation about global z."""
    return {
        "rotation": Output.of_entries(
            "rad",
            "total rotation about z, the sum of reference and displacement, not limited to ±π",
            lambda rows: FieldEntries("x", rows.dofs[:, 2]),
        ),
        "angular_velocity": Output.of_entries(
            "rad/s", "angular velocity about z", lambda rows: FieldEntries("v", rows.dofs[:, 2])
        ),
        "angular_acceleration": Output.of_entries(
            "rad/s^2", "angular acceleration about z", lambda rows: FieldEntries("a", rows.dofs[:, 2])
        ),
    }


def find_displacement(rows: LocalRows) -> FieldEntries:
    """Return the indices of the coordinates and the reference values of the coordinates, shape (rows, k) each, as
    `FieldEntries`. The value of the output variable is the difference between the coordinates and the reference values.
    """
    return FieldEntries("x", rows.dofs, rows.reference)
