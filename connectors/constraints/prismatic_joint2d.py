"""2D prismatic joint: a point slides along an axis that is fixed in another body, without rotation. Marker 0 and marker
1 have the positions p0 and p1, the angles φ0 and φ1, and the rotation matrices A0 and A1.

    translation: C_0 = A0 n·(p1 - p0),    n = [-axis_y, axis_x]/|axis|
    rotation: C_1 = sin(φ1 - φ0 - angle) = A0 a·A1 b,    a = [-sin(angle), cos(angle)],    b = [1, 0]

Source: E. J. Haug, Computer Aided Kinematics and Dynamics of Mechanical Systems, Allyn and Bacon (1989).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.constraints.joint_kernels import joint_rows, write_along, write_perpendicular
from windlass.connectors.constraints.joints import check_planar, register_joint
from windlass.connectors.markers.position_kernels import PositionMarkers
from windlass.connectors.markers.position_markers import RIGID
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows, Tables
from windlass.framework.model.schema import Component, column, derived, ref
from windlass.framework.model.table import EntityTable


class PrismaticJoint2D(Component):
    """Constrains a point of one body to an axis of another body in 2D, without relative rotation."""

    provides = ("joint",)
    marker0 = ref(RIGID, "point on the axis, on the body in which the axis is fixed")
    marker1 = ref(RIGID, "point that slides along the axis")
    axis = column("1", "direction of the axis in the frame of marker 0, of any length > 0", shape=(2,))
    lock_rotation = column(
        "1", "true: the rotation φ1 - φ0 is locked at the value angle", dtype=bool, default=True, switchable=True
    )
    angle = column("rad", "value of φ1 - φ0 if the rotation is locked", default=0.0)
    active = column("1", "the constraint acts only if true", dtype=bool, default=True, switchable=True)
    normal = derived("1", "unit normal n of the axis in the frame of marker 0, shape (2,)")
    direction = derived("1", "unit vector a of the rotation equation in the frame of marker 0, shape (2,)")


@kernel
def equation(
    row: Any, k: int, m: PositionMarkers, m0: int, m1: int, d: FloatArray, g: FloatArray, G: FloatArray
) -> float:
    """Write g and G of equation k. Return the value of this equation: the displacement C_0 [m] or the sine C_1 of the
    rotation [1].
    """
    A, B = m.rotation[m0], m.rotation[m1]
    x, y = (row.normal[0], row.normal[1]) if k == 0 else (row.direction[0], row.direction[1])
    ax, ay = A[0, 0] * x + A[0, 1] * y, A[1, 0] * x + A[1, 1] * y
    if k == 0:
        return write_along(ax, ay, 0.0, d, g, G)
    return write_perpendicular(ax, ay, 0.0, B[0, 0], B[1, 0], 0.0, g, G)


loops = joint_rows(equation)


def derive(rows: LocalRows) -> dict[str, FloatArray]:
    """Compute the normal n of the axis and the direction a of the rotation equation, both in the frame of marker 0."""
    axis, angle = rows.local("axis"), rows.local("angle")
    unit = axis / np.sqrt((axis**2).sum(axis=1))[:, None]
    return {
        "normal": np.stack((-unit[:, 1], unit[:, 0]), axis=1),
        "direction": np.stack((-np.sin(angle), np.cos(angle)), axis=1),
    }


def find_locked(rows: LocalRows) -> NDArray[np.bool_]:
    """Return whether each equation is imposed while the joint is active, shape (rows, 2)."""
    turning = rows.local("lock_rotation")
    return np.stack((np.ones_like(turning), turning), axis=1)


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for an axis of length 0, and for 3D markers."""
    table.refuse(~table.local("axis").any(axis=1), ("axis",), "have a length > 0 [1]")
    check_planar(world, table)


register_joint(
    PrismaticJoint2D,
    loops,
    multipliers=2,
    unit="m, 1",
    equations="distance from the axis [m], sin(φ1 - φ0 - angle) [1], (2,)",
    check=check,
    derive=derive,
    locked=find_locked,
)
