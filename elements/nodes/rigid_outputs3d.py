"""Output variables of 3D nodes and bodies whose coordinates are x, y, z and Euler parameters e0..e3.

The outputs position, displacement, velocity and acceleration have the argument ``local``. This argument is a position b
[m] in the frame of the body, shape (3,) or (rows, 3). R is the position of the node, and A is its rotation matrix, see
rotations.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from windlass.elements.nodes.node_outputs import find_displacement
from windlass.elements.nodes.rotations import local_rates, rotation_matrix
from windlass.framework.arrays import FloatArray
from windlass.framework.model.drawing import FieldEntries
from windlass.framework.model.law import LocalRows, Output
from windlass.framework.model.system import Fields

ORIGIN = (0.0, 0.0, 0.0)


def turn_rows(A: FloatArray, b: FloatArray) -> FloatArray:
    """Return the products A b of matrices A, shape (rows, ..., 3, 3), and vectors b, shape (rows, ..., 3) or (3,)."""
    out: FloatArray = np.einsum("...ij,...j->...i", A, b)
    return out


def eval_rotation(rows: LocalRows, s: Fields, **where: Any) -> FloatArray:
    """Return the rotation matrices from the frame of the body to the global frame, shape (rows, 3, 3)."""
    return rotation_matrix(s.x[rows.dofs[:, 3:]])


def eval_local_angular_velocity(rows: LocalRows, s: Fields, **where: Any) -> FloatArray:
    """Return the angular velocity ω̄ [rad/s] in the frame of the body, shape (rows, 3)."""
    return local_rates(s.x[rows.dofs[:, 3:]], s.v[rows.dofs[:, 3:]])


def eval_angular_velocity(rows: LocalRows, s: Fields, **where: Any) -> FloatArray:
    """Return the angular velocity ω [rad/s] in the global frame, shape (rows, 3)."""
    return turn_rows(eval_rotation(rows, s), eval_local_angular_velocity(rows, s))


def eval_angular_acceleration(rows: LocalRows, s: Fields, **where: Any) -> FloatArray:
    """Return the angular acceleration ω_t [rad/s²] in the global frame, shape (rows, 3)."""
    return turn_rows(eval_rotation(rows, s), local_rates(s.x[rows.dofs[:, 3:]], s.a[rows.dofs[:, 3:]]))


def eval_position(rows: LocalRows, s: Fields, local: Any = ORIGIN) -> FloatArray:
    """Return the global position R + A b [m], shape (rows, 3)."""
    position: FloatArray = s.x[rows.dofs[:, :3]] + turn_rows(eval_rotation(rows, s), np.asarray(local, np.float64))
    return position


def eval_displacement(rows: LocalRows, s: Fields, local: Any = ORIGIN) -> FloatArray:
    """Return the displacement [m] from the reference configuration in the global frame, shape (rows, 3)."""
    b, reference = np.asarray(local, dtype=np.float64), rows.reference
    before = reference[:, :3] + turn_rows(rotation_matrix(reference[:, 3:]), b)
    return eval_position(rows, s, local) - before


def eval_velocity(rows: LocalRows, s: Fields, local: Any = ORIGIN) -> FloatArray:
    """Return the global velocity R_t + ω × A b [m/s], shape (rows, 3)."""
    arm = turn_rows(eval_rotation(rows, s), np.asarray(local, dtype=np.float64))
    out: FloatArray = s.v[rows.dofs[:, :3]] + np.cross(eval_angular_velocity(rows, s), arm)
    return out


def eval_acceleration(rows: LocalRows, s: Fields, local: Any = ORIGIN) -> FloatArray:
    """Return the global acceleration R_tt + ω_t × A b + ω × (ω × A b) [m/s²], shape (rows, 3)."""
    arm = turn_rows(eval_rotation(rows, s), np.asarray(local, dtype=np.float64))
    omega = eval_angular_velocity(rows, s)
    out: FloatArray = s.a[rows.dofs[:, :3]] + np.cross(eval_angular_acceleration(rows, s), arm)
    return out + np.cross(omega, np.cross(omega, arm))


def place_output(unit: str, doc: str, evaluate: Callable[..., FloatArray]) -> Output:
    """Create an output with the argument ``local``."""
    return Output(unit, doc, evaluate, place_ranks={"local": 1})


def rigid_outputs() -> dict[str, Output]:
    """Create the outputs that 3D nodes and bodies have in common."""
    return {
        "position": place_output("m", "global position of the point given by local, shape (3,)", eval_position),
        "displacement": place_output(
            "m", "global displacement, from the reference, of the point given by local, shape (3,)", eval_displacement
        ),
        "velocity": place_output("m/s", "global velocity of the point given by local, shape (3,)", eval_velocity),
        "acceleration": place_output(
            "m/s^2", "global acceleration of the point given by local, shape (3,)", eval_acceleration
        ),
        "rotation": Output(
            "1", "rotation matrix from the frame of the body to the global frame, shape (3, 3)", eval_rotation
        ),
        "angular_velocity": Output("rad/s", "angular velocity, global, shape (3,)", eval_angular_velocity),
        "angular_velocity_local": Output(
            "rad/s", "angular velocity in the frame of the body, shape (3,)", eval_local_angular_velocity
        ),
        "angular_acceleration": Output(
            "rad/s^2", "angular acceleration, global, shape (3,)", eval_angular_acceleration
        ),
        "coordinates": Output.of_entries(
            "m, 1", "displacements of all coordinates from the reference, shape (7,)", find_displacement
        ),
        "coordinates_rate": Output.of_entries(
            "m/s, 1/s", "velocities of all coordinates, shape (7,)", lambda rows: FieldEntries("v", rows.dofs)
        ),
    }
