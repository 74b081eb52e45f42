"""3D joint that locks any selection of translations along the axes of the joint frame of marker 0, and of rotations
about these axes.

    joint frames: B0 = A0 frame0,    B1 = A1 frame1, with the axes a_k and b_k
    locked translation k: C_k = a_k·(p1 - p0)
    locked rotation about axis i: C_3+i = a_k·b_j, with i, j, k cyclic
    two locked rotations, k free: C_3+i = -a_j·b_k, C_3+j = a_i·b_k

For small rotations the value C of a rotation equation is the relative rotation [rad] about the axis that the equation
locks. If two rotations are locked, the equations make the axes a_k and b_k parallel at any angle about these axes.
Therefore a hinge can rotate without limit. If one rotation is locked, the joint is a universal joint whose cross has
the axes a_k and b_j.

A joint can be driven by offsets o and angles α, β, γ. They are constant or functions of time. Joint frame 0 is rotated
about its x axis by α, then about its rotated y axis by β, then about its rotated z axis by γ. The locked translations
are equal to the offsets along the rotated axes:

    B0 = A0 frame0 R,  R = Rx(α) Ry(β) Rz(γ),    C_k = a_k·(p1 - p0) - o_k

Therefore the axis of a free translation rotates with the driven angles, like a slot in a turntable. The driven angles
are not limited. Relative to marker 0, the joint frame 0 has the angular velocity W = A0 frame0 w. W_t is the time
derivative of W at constant velocities, see `joint_kernels`:

    w = α_t e_x + β_t Rx e_y + γ_t R e_z, W_t = ω0 × W + A0 frame0 w_t

Source: E. J. Haug, Computer Aided Kinematics and Dynamics of Mechanical Systems, Allyn and Bacon (1989).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.constraints.joint_kernels import joint_rows, write_along, write_perpendicular
from windlass.connectors.constraints.joints import check_spatial, register_joint
from windlass.connectors.markers.position_kernels import PositionMarkers, cross, turn_vector
from windlass.connectors.markers.position_markers import RIGID
from windlass.elements.nodes.rotations import is_rotation
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.errors import ModelError
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows, Tables
from windlass.framework.model.schema import Component, column, derived, function, ref
from windlass.framework.model.table import EntityTable

IDENTITY = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


class GenericJoint(Component):
    """Locks translations and rotations between two rigid markers. By default all translations and rotations are
    locked.
    """

    provides = ("joint",)
    marker0 = ref(RIGID, "first point; the axes of the joint are the axes of its joint frame")
    marker1 = ref(RIGID, "second point")
    translations = column(
        "1",
        "whether the translation along each axis is locked",
        shape=(3,),
        dtype=bool,
        default=(True,) * 3,
        switchable=True,
    )
    rotations = column(
        "1",
        "whether the rotation about each axis is locked",
        shape=(3,),
        dtype=bool,
        default=(True,) * 3,
        switchable=True,
    )
    frame0 = column("1", "rotation matrix of the joint frame in the frame of marker 0", shape=(3, 3), default=IDENTITY)
    frame1 = column("1", "rotation matrix of the joint frame in the frame of marker 1", shape=(3, 3), default=IDENTITY)
    offset = column(
        "m",
        "prescribed displacements o along the rotated axes [m], then prescribed angles α, β, γ [rad]",
        (6,),
        (0.0,) * 6,
        switchable=True,
    )
    offset_function = function("f(t) -> offset, shape (6,); replaces offset", switchable=True)
    offset_rate_function = function("f(t) -> time derivative of offset_function, shape (6,)", switchable=True)
    active = column("1", "the constraint acts only if true", dtype=bool, default=True, switchable=True)
    axis0 = derived("1", "index of the axis a of each equation of rotation, shape (3,)")
    axis1 = derived("1", "index of the axis b of each equation of rotation, shape (3,)")
    sign = derived("1", "sign of each equation of rotation C = sign a·b, shape (3,)")


@kernel
def turned_axis(angles: FloatArray, p: int) -> Any:
    """Return column p of the rotation matrix R. The last three components of ``angles``, shape (6,), are the angles α,
    β and γ [rad].
    """
    ca, sa, cb, sb = np.cos(angles[3]), np.sin(angles[3]), np.cos(angles[4]), np.sin(angles[4])
    if p == 2:
        return sb, -sa * cb, ca * cb
    cc, sc = np.cos(angles[5]), np.sin(angles[5])
    if p == 0:
        return cb * cc, ca * sc + sa * sb * cc, sa * sc - ca * sb * cc
    return -cb * sc, ca * cc - sa * sb * sc, sa * cc + ca * sb * sc


@kernel
def frame_axis(row: Any, p: int) -> Any:
    """Return axis p of joint frame 0 in the frame of marker 0."""
    if row.moved:
        return turn_vector(row.frame0, turned_axis(row.offset, p))
    return row.frame0[0, p], row.frame0[1, p], row.frame0[2, p]


@kernel
def drive(row: Any, k: int, m: PositionMarkers, m0: int, order: int, W: FloatArray) -> float:
    """For order 1, write the angular velocity W of joint frame 0 relative to marker 0 and return the rate of the offset
    of equation k. For order 2, write the time derivative W_t of this angular velocity into W, and return the second
    derivative of the offset.
    """
    W[:] = 0.0
    if not row.moved:
        return 0.0
    o, ot, ott = row.offset, row.offset_rate, row.offset_acceleration
    ca, sa, cb, sb = np.cos(o[3]), np.sin(o[3]), np.cos(o[4]), np.sin(o[4])
    ux, uy, uz = 0.0, ca, sa
    nx, ny, nz = sb, -sa * cb, ca * cb
    at, bt, ct = ot[3], ot[4], ot[5]
    wx, wy, wz = turn_vector(
        m.rotation[m0], turn_vector(row.frame0, (at + ct * nx, bt * uy + ct * ny, bt * uz + ct * nz))
    )
    if order == 1:
        W[0], W[1], W[2] = wx, wy, wz
        return float(ot[k]) if k < 3 else 0.0
    att, btt, ctt = ott[3], ott[4], ott[5]
    x = att + btt * ux + ctt * nx + ct * cb * bt
    y = btt * uy + ctt * ny - bt * at * sa + ct * (sa * sb * bt - ca * cb * at)
    z = btt * uz + ctt * nz + bt * at * ca - ct * (sa * cb * at + ca * sb * bt)
    x, y, z = turn_vector(m.rotation[m0], turn_vector(row.frame0, (x, y, z)))
    vx, vy, vz = cross(m.angular_velocity[m0], (wx, wy, wz))
    W[0], W[1], W[2] = x + vx, y + vy, z + vz
    return float(ott[k]) if k < 3 else 0.0


@kernel
def equation(
    row: Any, k: int, m: PositionMarkers, m0: int, m1: int, d: FloatArray, g: FloatArray, G: FloatArray
) -> float:
    """Write g and G of equation k. Return the value of this equation, which is C_k [m] for a translation, or C_3+i [1]
    for a rotation.
    """
    A, B = m.rotation[m0], m.rotation[m1]
    fx, fy, fz = frame_axis(row, k if k < 3 else row.axis0[k - 3])
    sign = 1.0 if k < 3 else row.sign[k - 3]
    fx, fy, fz = sign * fx, sign * fy, sign * fz
    ax = A[0, 0] * fx + A[0, 1] * fy + A[0, 2] * fz
    ay = A[1, 0] * fx + A[1, 1] * fy + A[1, 2] * fz
    az = A[2, 0] * fx + A[2, 1] * fy + A[2, 2] * fz
    if k < 3:
        along: float = write_along(ax, ay, az, d, g, G) - row.offset[k]
        return along
    q = row.axis1[k - 3]
    fx, fy, fz = row.frame1[0, q], row.frame1[1, q], row.frame1[2, q]
    bx = B[0, 0] * fx + B[0, 1] * fy + B[0, 2] * fz
    by = B[1, 0] * fx + B[1, 1] * fy + B[1, 2] * fz
    bz = B[2, 0] * fx + B[2, 1] * fy + B[2, 2] * fz
    return write_perpendicular(ax, ay, az, bx, by, bz, g, G)


loops = joint_rows(equation, drive)


def choose_axes(locked: NDArray[np.bool_]) -> tuple[IntArray, IntArray, FloatArray]:
    """Choose the axes a and b and the signs of the rotation equations for the given selection of locked rotations. The
    argument and each result have the shape (rows, 3).
    """
    i = np.arange(3)
    a, b = np.tile((i + 2) % 3, (len(locked), 1)), np.tile((i + 1) % 3, (len(locked), 1))
    sign = np.ones(locked.shape)
    for row in np.flatnonzero(locked.sum(axis=1) == 2):
        free = int(np.argmin(locked[row]))
        first, second = (free + 1) % 3, (free + 2) % 3
        a[row, first], b[row, first], sign[row, first] = second, free, -1.0
        a[row, second], b[row, second] = first, free
    return a, b, sign


def derive(rows: LocalRows) -> dict[str, NDArray[Any]]:
    """Choose the axes a and b and the sign of the rotation equations C = sign a·b, shape (rows, 3) each."""
    return dict(zip(("axis0", "axis1", "sign"), choose_axes(rows.local("rotations")), strict=True))


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for frames that are not rotation matrices, for rate functions without offset functions, and for
    2D markers.
    """
    for name in ("frame0", "frame1"):
        table.refuse(~is_rotation(table.local(name)), (name,), "be a rotation matrix [1]")
    offsets, rates = table.local("offset_function"), table.local("offset_rate_function")
    alone = np.array([f is None and r is not None for f, r in zip(offsets, rates, strict=True)], bool)
    for row in table.resident[alone][:1]:
        raise ModelError(
            f"offset_rate_function of {table.kind} row {row} is given without an offset_function: must be given "
            "together"
        )
    check_spatial(world, table, np.ones(table.resident_count, bool), "RevoluteJoint2D or PrismaticJoint2D")


register_joint(
    GenericJoint,
    loops,
    multipliers=6,
    unit="m, 1",
    equations="translations [m], then rotations [1] along the joint axes, (6,)",
    check=check,
    derive=derive,
    locked=lambda rows: np.concatenate((rows.local("translations"), rows.local("rotations")), axis=1),
)
