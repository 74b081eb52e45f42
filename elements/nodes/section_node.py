"""Node of a 3D beam with deformable cross sections: position r and the slopes r_2, r_3 of the cross section.

A point at the distances y, z from the axis has the position r + y r_2 + z r_3. The slopes have length 1 and are
perpendicular to each other in the reference configuration. In other configurations the frame of the cross section is

    e_3 = r_3/|r_3|,    e_1 = n/|n|,    n = r_2 × r_3,    e_2 = e_3 × e_1,

Therefore e_2 has the direction of r_2 if the cross section is not sheared. The angular velocity of the frame is

    ω = W_2 r_2,t + W_3 r_3,t,    W_2 = -r_3 qᵀ,    W_3 = [r_3]×/g_33 + c r_3 qᵀ,
    q = n/|n|²,    c = g_23/g_33,    g_ij = r_i·r_j.

Source: K. Nachbagauer, P. Gruber, J. Gerstmayr, J. Comput. Nonlinear Dynam. 8 (2013) 021004, for the coordinates.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from windlass.elements.nodes.node_outputs import point_outputs
from windlass.elements.nodes.rotations import UNIT_TOLERANCE
from windlass.framework.arrays import FloatArray
from windlass.framework.errors import ModelError
from windlass.framework.model.law import LocalRows, Output, Tables, register
from windlass.framework.model.schema import Component, column
from windlass.framework.model.system import Fields
from windlass.framework.model.table import EntityTable

WIDTH = 9
"""Number of coordinates of a node: x, y, z, and the components of r_2 and r_3."""


class PointSectionSlopes3D(Component):
    """A point of the axis of a 3D beam with the slopes r_2 and r_3 of its cross section, for `SlopeBeam3D`."""

    provides = ("node",)
    dof_names = ("x", "y", "z", "r2x", "r2y", "r2z", "r3x", "r3y", "r3z")
    reference_columns: ClassVar[tuple[str, ...]] = ("position", "slope2", "slope3")
    initial_columns = ("displacement", "velocity")
    position = column("m", "reference position x, y, z", shape=(3,))
    slope2 = column("1", "reference slope r_2 along e_2, of length 1", shape=(3,), default=(0.0, 1.0, 0.0))
    slope3 = column(
        "1", "reference slope r_3 along e_3, of length 1, perpendicular to slope2", shape=(3,), default=(0.0, 0.0, 1.0)
    )
    displacement = column("m, 1", "initial displacement of x, y, z [m], r_2, r_3 [1]", shape=(9,), default=(0.0,) * 9)
    velocity = column("m/s, 1/s", "initial velocity of x, y, z [m/s], r_2, r_3 [1/s]", shape=(9,), default=(0.0,) * 9)


def find_frames(r2: FloatArray, r3: FloatArray) -> FloatArray:
    """Return the frames of cross sections as rotation matrices with the columns e_1, e_2, e_3, shape (..., 3, 3). The
    arguments are the slopes r_2 and r_3, shape (..., 3) each.
    """
    n = np.cross(r2, r3)
    e1, e3 = (v / np.linalg.norm(v, axis=-1, keepdims=True) for v in (n, r3))
    return np.stack((e1, np.cross(e3, e1), e3), axis=-1)


def find_spin(r2: FloatArray, r3: FloatArray, r2t: FloatArray, r3t: FloatArray) -> FloatArray:
    """Return the angular velocities ω [rad/s] of the frames of cross sections, shape (..., 3), from slopes and their
    rates, shape (..., 3) each.
    """

    def product(a: FloatArray, b: FloatArray) -> FloatArray:
        total: FloatArray = (a * b).sum(axis=-1, keepdims=True)
        return total

    n, g33 = np.cross(r2, r3), product(r3, r3)
    along = product(n, product(r2, r3) / g33 * r3t - r2t) / product(n, n)
    spin: FloatArray = np.cross(r3, r3t) / g33 + along * r3
    return spin


def _eval_frame(rows: LocalRows, s: Fields) -> FloatArray:
    return find_frames(s.x[rows.dofs[:, 3:6]], s.x[rows.dofs[:, 6:9]])


def _eval_spin(rows: LocalRows, s: Fields) -> FloatArray:
    slopes = (values[rows.dofs[:, places]] for values in (s.x, s.v) for places in (slice(3, 6), slice(6, 9)))
    return find_spin(*slopes)


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for reference slopes that do not have length 1 or are not perpendicular, and for parallel
    initial slopes.
    """
    slopes = table.local("slope2"), table.local("slope3")
    for name, values in zip(("slope2", "slope3"), slopes, strict=True):
        length = np.linalg.norm(values, axis=1)
        for k in np.flatnonzero(~(np.abs(length - 1.0) <= UNIT_TOLERANCE))[:1]:
            raise ModelError(
                f"{name} = {values[k]} with length {length[k]:.9g} in {table.kind} row {table.resident[k]}: must have "
                "length 1 [1]; divide by the length"
            )
    cosine = np.abs((slopes[0] * slopes[1]).sum(axis=1))
    for k in np.flatnonzero(~(cosine <= UNIT_TOLERANCE))[:1]:
        raise ModelError(
            f"slope3 = {slopes[1][k]} in {table.kind} row {table.resident[k]}: must be perpendicular to slope2 = "
            f"{slopes[0][k]} [1]"
        )
    start = table.local("displacement")
    normal = np.cross(slopes[0] + start[:, 3:6], slopes[1] + start[:, 6:9])
    for k in np.flatnonzero(~(normal.any(axis=1)))[:1]:
        raise ModelError(
            f"displacement of {table.kind} row {table.resident[k]}: must not make slope2 and slope3 parallel or 0 [1]"
        )


register(
    PointSectionSlopes3D,
    "node",
    outputs=point_outputs("m, 1", 3)
    | {
        "frame": Output("1", "rotation matrix with the columns e_1, e_2, e_3, (3, 3)", _eval_frame),
        "angular_velocity": Output("rad/s", "angular velocity of the frame, global, (3,)", _eval_spin),
    },
    check=check,
    source="[@nachbagauer2013]",
)
