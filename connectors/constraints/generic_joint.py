"""Joint in space with a free choice of locked translations and rotations along the axes of marker 0's joint frame.

    B0 = A0 frame0,  B1 = A1 frame1    joint frames; a_k, b_k their axes
    C_k   = a_k·(p1 - p0)                                      locked translation k
    C_3+i = a_k·b_j                                            locked rotation about axis i, i, j, k cyclic
    two rotations locked, k free:  C_3+i = -a_j·b_k,  C_3+j = a_i·b_k

For small rotations each rotation equation is the angle about its axis.  With two rotations locked the equations say
that both axes k are parallel, whatever the angle about them is: a hinge turns without limit.  One locked rotation is a
universal joint whose cross has the axes a_k and b_j.

Source: E. J. Haug, Computer Aided Kinematics and Dynamics of Mechanical Systems, Allyn and Bacon (1989).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.constraints.joint_kernels import joint_rows, write_along, write_perpendicular
from windlass.connectors.constraints.joints import check_spatial, register_joint
from windlass.connectors.markers.position_kernels import PositionColumns
from windlass.elements.nodes.rotations import is_rotation
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.errors import ModelError
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows, Tables
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.table import EntityTable

IDENTITY = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


class GenericJoint(Component):
    """Locks translations and rotations between two rigid markers; a rigid connection unless some are set free."""

    marker0 = ref("rigid marker", "first point, whose joint frame has the axes")
    marker1 = ref("rigid marker", "second point")
    translations = column(
        "1", "translations locked along the axes", shape=(3,), dtype=bool, default=(True,) * 3, switchable=True
    )
    rotations = column(
        "1", "rotations locked about the axes", shape=(3,), dtype=bool, default=(True,) * 3, switchable=True
    )
    frame0 = column("1", "rotation matrix of the joint frame in the frame of marker 0", shape=(3, 3), default=IDENTITY)
    frame1 = column("1", "rotation matrix of the joint frame in the frame of marker 1", shape=(3, 3), default=IDENTITY)
    active = column("1", "holds only if true", dtype=bool, default=True, switchable=True)


class Columns(NamedTuple):
    """Joint frames F0, F1 (rows, 3, 3); axes a, b and sign of each rotation equation sign a·b, shape (rows, 3)."""

    F0: FloatArray
    F1: FloatArray
    a: IntArray
    b: IntArray
    sign: FloatArray


@kernel
def equation(
    c: Columns, i: int, k: int, m: PositionColumns, m0: int, m1: int, d: FloatArray, g: FloatArray, G: FloatArray
) -> float:
    """C_k [m] and C_3+i [1]."""
    A, B = m.A[m0], m.A[m1]
    p = k if k < 3 else c.a[i, k - 3]
    sign = 1.0 if k < 3 else c.sign[i, k - 3]
    fx, fy, fz = sign * c.F0[i, 0, p], sign * c.F0[i, 1, p], sign * c.F0[i, 2, p]
    ax = A[0, 0] * fx + A[0, 1] * fy + A[0, 2] * fz
    ay = A[1, 0] * fx + A[1, 1] * fy + A[1, 2] * fz
    az = A[2, 0] * fx + A[2, 1] * fy + A[2, 2] * fz
    if k < 3:
        return write_along(ax, ay, az, d, g, G)
    q = c.b[i, k - 3]
    fx, fy, fz = c.F1[i, 0, q], c.F1[i, 1, q], c.F1[i, 2, q]
    bx = B[0, 0] * fx + B[0, 1] * fy + B[0, 2] * fz
    by = B[1, 0] * fx + B[1, 1] * fy + B[1, 2] * fz
    bz = B[2, 0] * fx + B[2, 1] * fy + B[2, 2] * fz
    return write_perpendicular(ax, ay, az, bx, by, bz, g, G)


loops = joint_rows(equation)


def choose_axes(locked: NDArray[np.bool_]) -> tuple[IntArray, IntArray, FloatArray]:
    """Axes a, b and signs of the rotation equations for locked rotations of shape (rows, 3), each (rows, 3)."""
    i = np.arange(3)
    a, b = np.tile((i + 2) % 3, (len(locked), 1)), np.tile((i + 1) % 3, (len(locked), 1))
    sign = np.ones(locked.shape)
    for row in np.flatnonzero(locked.sum(axis=1) == 2):
        free = int(np.argmin(locked[row]))
        first, second = (free + 1) % 3, (free + 2) % 3
        a[row, first], b[row, first], sign[row, first] = second, free, -1.0
        a[row, second], b[row, second] = first, free
    return a, b, sign


def bind(rows: LocalRows) -> tuple[Columns, NDArray[np.bool_]]:
    """Frames and axes of the rows, and which equations hold."""
    locked = rows.local("rotations")
    c = Columns(rows.local("frame0"), rows.local("frame1"), *choose_axes(locked))
    return c, np.concatenate((rows.local("translations"), locked), axis=1)


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for frames that are no rotations, and for markers of the plane."""
    for name in ("frame0", "frame1"):
        values = table.local(name)
        for k in np.flatnonzero(~is_rotation(values))[:1]:
            given = f"{name} = {values[k].tolist()} in {table.kind} row {table.resident[k]}"
            raise ModelError(f"{given}: must be a rotation matrix [1]")
    check_spatial(world, table, np.ones(table.resident_count, bool), "RevoluteJoint2D or PrismaticJoint2D")


register_joint(
    GenericJoint,
    loops,
    bind,
    multipliers=6,
    unit="m, 1",
    equations="translations [m], then rotations [1] along the joint axes, (6,)",
    check=check,
)
