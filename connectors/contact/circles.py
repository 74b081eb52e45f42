"""Circles in contact with cables: markers, coordinates, checks, and the kernels that the laws of contact with circles
have in common.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from windlass.connectors.constraints.joints import find_spatial
from windlass.connectors.contact.axes import axis_dofs
from windlass.connectors.contact.lanes import Eight
from windlass.connectors.markers.cable_shape import CABLE_DOFS
from windlass.connectors.markers.position_kernels import FAMILY, PositionMarkers
from windlass.elements.cable.points import Four
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.errors import ModelError
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import Tables
from windlass.framework.model.system import Fields
from windlass.framework.model.table import EntityTable

CIRCLE_FAMILY = FAMILY
"""Family of the markers of circles."""


class Disc(NamedTuple):
    """The circle of one row: centre, velocity of the centre, angular velocity omega, and rotation matrix A = [[a00,
    a01], [a10, a11]]. All fields are scalars.
    """

    cx: float
    cy: float
    vx: float
    vy: float
    omega: float
    a00: float
    a01: float
    a10: float
    a11: float


@kernel(inline=True)
def create_pose(p: FloatArray, v: FloatArray, omega: FloatArray, A: FloatArray, k: int) -> Disc:
    """Return the circle at marker k. The arguments p, v, omega and A are arrays of all markers of the same type."""
    return Disc(p[k, 0], p[k, 1], v[k, 0], v[k, 1], omega[k, 2], A[k, 0, 0], A[k, 0, 1], A[k, 1, 0], A[k, 1, 1])


@kernel(inline=True)
def add_sums(
    c: Any, i: int, circle: PositionMarkers, cable: Eight, fx: float, fy: float, torque: float, f: FloatArray
) -> None:
    """Add forces of row i to f. The argument ``cable`` contains the forces on the coordinates of the cable. The circle
    receives the reactions to the total force (fx, fy) and to ``torque``. The function is used for rows with segments
    and with points.
    """
    to, ci = c.dofs[i], c.rows[i].circle
    f[to[0]] += cable[0]
    f[to[1]] += cable[1]
    f[to[2]] += cable[2]
    f[to[3]] += cable[3]
    f[to[4]] += cable[4]
    f[to[5]] += cable[5]
    f[to[6]] += cable[6]
    f[to[7]] += cable[7]
    J, Jr = circle.jacobian, circle.rotation_jacobian
    for a in range(c.dofs.shape[1] - 8):
        f[to[8 + a]] -= J[ci, 0, a] * fx + J[ci, 1, a] * fy + Jr[ci, 2, a] * torque


def dofs(world: Tables, table: EntityTable) -> IntArray:
    """Return, for each row, the global indices of the coordinates of the nodes of the cable (8 indices) and of the
    circle. The value -1 stands for a missing coordinate. The number of columns is determined by the circle with the
    most coordinates. If the material of any cable of the table moves along the axis, the last column of the result
    contains the indices of the axial displacements.
    """
    circle, cable = world.dofs_of(table.local("circle")), world.dofs_of(table.local("cable"))
    return join_circles(cable[:, :CABLE_DOFS], circle, cable[:, CABLE_DOFS:])


def join_circles(cable: IntArray, circle: IntArray, *further: IntArray) -> IntArray:
    """Return the indices of coordinates of cables, circles and ``further`` objects in one array, shape (rows, n),
    without columns that no circle has.
    """
    used = np.flatnonzero((circle >= 0).any(axis=0))
    width = int(used[-1]) + 1 if len(used) else 0
    return np.concatenate((cable, circle[:, :width], *further), axis=1)


def point_dofs(world: Tables, table: EntityTable) -> IntArray:
    """Return, for each row of a law with points, the global indices of the coordinates of the axis (8, see `axis_dofs`)
    and of the circle; -1 stands for a coordinate that does not exist.
    """
    return join_circles(axis_dofs(world, table.local("cable"), 2), world.dofs_of(table.local("circle")))


def check_circles(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for circles that can leave the plane of the cables."""
    for row in table.resident[find_spatial(world, table.local("circle"))][:1]:
        raise ModelError(f"circle in {table.kind} row {row} is on a 3D body: must be a 2D marker")


def eval_rounding(c: Any, fields: Fields) -> float:
    """Estimate the rounding errors of the forces of closed segments or points. Return the 2-norm [N] of these errors.
    Gaps and displacements along the circle are assumed to have rounding errors of eps (|c| + r). Here eps is the
    machine precision, c the centre and r the radius of the circle.

    c: data of rows with segments or with points, as read by kernels.
    """
    center = fields.markers[CIRCLE_FAMILY].position[c.rows["circle"], :2]
    error = (
        np.finfo(float).eps
        * (c.rows["contact_stiffness"] + c.rows["friction_stiffness"])
        * (np.hypot(*center.T) + c.rows["radius"])
    )
    rows, places = segment_places(c.rows["segments"])
    closed = c.rows["active"][rows] & (fields.data[c.rows["data"][rows] + places] <= 0.0)
    return float(np.linalg.norm(error[rows[closed]]))


def segment_places(n: IntArray) -> tuple[IntArray, IntArray]:
    """Return two arrays: the row of each segment, and the index of the segment within its row. The argument n contains
    the number of segments of each row, shape (rows,).
    """
    rows = np.repeat(np.arange(len(n)), n)
    return rows, np.arange(len(rows)) - np.repeat(np.cumsum(n) - n, n)


@kernel(inline=True)
def add_circle_curvature(dq: float, dS: Four, G: tuple[float, float, float], K: FloatArray) -> None:
    """Add dq dS_a dS_b G to K for all pairs a and b of shape functions. The argument dS contains the derivatives of the
    shape functions. G has the components xx, xy, yy of `eval_curvature`.
    """
    for a in range(4):
        for b in range(4):
            factor = dq * dS[a] * dS[b]
            K[2 * a, 2 * b] += factor * G[0]
            K[2 * a, 2 * b + 1] += factor * G[1]
            K[2 * a + 1, 2 * b] += factor * G[1]
            K[2 * a + 1, 2 * b + 1] += factor * G[2]


@kernel(inline=True)
def is_central(circle: PositionMarkers, ci: int, m: int) -> bool:
    """Return whether the coordinates of the marker of the circle are x, y and the angle of rotation."""
    if m != 3:
        return False
    h, central = circle.second[ci], True
    for a in range(3):
        for b in range(3):
            unit = 1.0 if a == b else 0.0
            if a < 2:
                central &= circle.jacobian[ci, a, b] == unit and circle.jacobian_rate[ci, a, b] == 0.0
            else:
                central &= circle.rotation_jacobian[ci, 2, b] == unit
            if h >= 0:
                central &= circle.hessian[h, 0, a, b] == 0.0 and circle.hessian[h, 1, a, b] == 0.0
                central &= circle.rotation_hessian[h, 2, a, b] == 0.0
    return central
