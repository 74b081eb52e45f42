"""Node of a 3D cable with twist: position, slope, and the angle of the material frame about the slope.

The material frame D is the frame R(b, t) F, rotated about t by the angle φ of the node. Here t = r'/|r'| is the
direction of the slope, and R(b, t) is the smallest rotation from b to t.

D has the axes t, d_1, d_2. In the reference configuration d_1 is the normalised component of ``normal`` perpendicular
to the slope, rotated by the reference angle. This condition on d_1 determines the constant frame F. The vector b is the
column ``turned_from``, by default the reference slope. The angle φ is not defined if the slope is opposite to b.
Therefore the angle between slope and b must be less than 165°. For a rope that runs around sheaves, choose b along the
axes of the sheaves, because no slope of the rope is parallel to the axes.

Spin of the material about the slope:  ω·t = φ_t - c(b, t)·t_t, see turning.py.
"""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np

from windlass.elements.nodes.node_outputs import point_outputs
from windlass.elements.nodes.nodes2d import check_shared_positions, take_shared_position
from windlass.elements.nodes.rotations import euler_parameters_of, normalise
from windlass.elements.nodes.turning import (
    FURTHEST,
    Quaternion,
    axes_of,
    between,
    multiply,
    smallest_rotation,
    spun,
    step_gradients,
    turn_from,
    unit,
)
from windlass.elements.nodes.twist_frames import find_normals
from windlass.elements.nodes.vectors import Vector, cross, dot
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.errors import ModelError
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows, Output, Tables, register
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.system import Fields
from windlass.framework.model.table import EntityTable

NONE = (0.0, 0.0, 0.0)
COLUMNS = ("slope", "normal", "turned_from")
ALONG = 1e-6
"""Smallest allowed sine [1] of the angle between normal and slope."""


class PointSlopeTwist3D(Component):
    """A point of a 3D cable with the slope of its axis and the angle of the material about the slope."""

    provides = ("node", "3D slope node")
    dof_names = ("x", "y", "z", "x'", "y'", "z'", "twist")
    reference_columns: ClassVar[tuple[str, ...]] = ("position", "slope", "twist")
    initial_columns = ("displacement", "velocity")
    position = column("m", "reference position x, y, z", shape=(3,))
    slope = column("1", "reference slope; length 1 for an unstretched cable", shape=(3,), default=(1.0, 0.0, 0.0))
    twist = column("rad", "reference angle φ of d_1 about the slope, measured from normal", default=0.0)
    displacement = column(
        "m, 1, rad", "initial displacement of x, y, z [m], x', y', z' [1], twist [rad]", shape=(7,), default=(0.0,) * 7
    )
    velocity = column(
        "m/s, 1/s, rad/s", "initial velocity of x, y, z, x', y', z', twist", shape=(7,), default=(0.0,) * 7
    )
    normal = column(
        "1",
        "direction of d_1 where the twist is 0, in the reference configuration; 0: global y after the smallest "
        "rotation from global x to the slope",
        shape=(3,),
        default=NONE,
    )
    turned_from = column(
        "1",
        "direction b; the angle between b and the slope must always be less than 165°; 0: the reference slope",
        shape=(3,),
        default=NONE,
    )
    shares_position = ref(
        "3D slope node",
        "node with which this node shares x, y and z, but not the slope and the twist",
        optional=True,
        shares=("x", "y", "z"),
    )


class NodeFrames(NamedTuple):
    """Constants of n nodes: vectors b, shape (n, 3), and frames F as quaternions, shape (n, 4)."""

    b: FloatArray
    F: FloatArray


def create_frames(slope: FloatArray, normal: FloatArray, turned_from: FloatArray) -> NodeFrames:
    """Create the constant vectors b and the constant frames F of nodes from the columns of the nodes, each of shape (n,
    3)."""
    t = normalise(slope)
    b = normalise(np.where(turned_from.any(axis=1)[:, None], turned_from, t))
    d = np.where(normal.any(axis=1)[:, None], normal, find_normals(t))
    d1 = normalise(d - (d * t).sum(axis=1)[:, None] * t)
    D = euler_parameters_of(np.stack((t, d1, np.cross(t, d1)), axis=2))
    F = np.empty((len(t), 4))
    fill_constants(b, t, D, F)
    return NodeFrames(b, F)


def read_frames(world: Tables, ids: IntArray) -> NodeFrames:
    """Return the constant vectors b and the constant frames F of the nodes with the entity indices ``ids``, shape
    (n,)."""
    found = NodeFrames(np.zeros((len(ids), 3)), np.zeros((len(ids), 4)))
    for table, places, rows in world.split_by_table(ids):
        columns = (table.local(name, rows) for name in COLUMNS)
        found.b[places], found.F[places] = create_frames(*columns)
    return found


@kernel
def fill_constants(b: FloatArray, t: FloatArray, D: FloatArray, F: FloatArray) -> None:
    """Fill the quaternions F of nodes from the reference slopes t and the quaternions D of the material frames at φ =
    0.
    """
    for i in range(len(b)):
        turn = smallest_rotation((b[i, 0], b[i, 1], b[i, 2]), (t[i, 0], t[i, 1], t[i, 2]))
        F[i, 0], F[i, 1], F[i, 2], F[i, 3] = between(turn, (D[i, 0], D[i, 1], D[i, 2], D[i, 3]))


@kernel(inline=True)
def frame_of(b: Vector, F: Quaternion, p: Vector, angle: float) -> Quaternion:
    """Return the material frame D at the slope p and the angle φ = ``angle`` [rad]."""
    return spun(multiply(turn_from(b, unit(p)), F), angle)


@kernel
def fill_frames(
    b: FloatArray, F: FloatArray, dofs: IntArray, x: FloatArray, v: FloatArray, D: FloatArray, w: FloatArray
) -> None:
    """Fill ``D``, shape (n, 3, 3), with the material frames of n nodes, and ``w``, shape (n, 3), with the angular
    velocities [rad/s] of the material in the global frame.
    """
    for i in range(len(b)):
        n = dofs[i]
        p, pt = (x[n[3]], x[n[4]], x[n[5]]), (v[n[3]], v[n[4]], v[n[5]])
        bi = (b[i, 0], b[i, 1], b[i, 2])
        axes = axes_of(frame_of(bi, (F[i, 0], F[i, 1], F[i, 2], F[i, 3]), p, x[n[6]]))
        _, c = step_gradients(bi, p)
        spin, turning, ig, t = v[n[6]] - dot(c, pt), cross(p, pt), 1.0 / dot(p, p), axes[0]
        for d in range(3):
            w[i, d] = ig * turning[d] + spin * t[d]
            for k in range(3):
                D[i, d, k] = axes[k][d]


def eval_frames(rows: LocalRows, s: Fields) -> tuple[FloatArray, FloatArray]:
    """Return the material frames D, shape (rows, 3, 3), and the angular velocities [rad/s] of the material in the
    global frame, shape (rows, 3).
    """
    b, F = rows.kept("frames", lambda: create_frames(*map(rows.local, COLUMNS)))
    D, w = np.zeros((len(b), 3, 3)), np.zeros((len(b), 3))
    fill_frames(b, F, rows.dofs, s.x, s.v, D, w)
    return D, w


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for slopes of length 0, normals parallel to the slope, slopes at an angle of 165° or more to
    ``turned_from``, and invalid shared positions.
    """
    check_shared_positions(world, table)
    slope, start = table.local("slope"), table.local("slope") + table.local("displacement")[:, 3:6]
    normal, b = table.local("normal"), table.local("turned_from")
    for name, values in (("slope", slope), ("slope + displacement", start)):
        for row in table.resident[~values.any(axis=1)][:1]:
            raise ModelError(f"{name} = (0, 0, 0) in {table.kind} row {row}: must have a length > 0 [1]")
    t = normalise(slope)
    across = np.linalg.norm(np.cross(normal, t), axis=1)
    for k in np.flatnonzero(normal.any(axis=1) & ~(across > ALONG * np.linalg.norm(normal, axis=1)))[:1]:
        given = f"normal = {normal[k]} in {table.kind} row {table.resident[k]}"
        raise ModelError(f"{given}: must have a component perpendicular to the slope {slope[k]} [1]")
    b = np.where(b.any(axis=1)[:, None], b, slope)
    for name, values in (("slope", slope), ("slope + displacement", start)):
        D = 1.0 + (normalise(b) * normalise(values)).sum(axis=1)
        for k in np.flatnonzero(~(D > FURTHEST))[:1]:
            given = f"{name} = {values[k]} in {table.kind} row {table.resident[k]}"
            raise ModelError(f"{given}: the angle to turned_from = {b[k]} [1] must be less than 165°")


register(
    PointSlopeTwist3D,
    "node",
    outputs=point_outputs("m, 1, rad", 3)
    | {
        "frame": Output(
            "1", "rotation matrix D with the axes t, d_1, d_2, (3, 3)", lambda rows, s: eval_frames(rows, s)[0]
        ),
        "angular_velocity": Output(
            "rad/s", "angular velocity of the material, global, (3,)", lambda rows, s: eval_frames(rows, s)[1]
        ),
        "twist": Output(
            "rad", "total angle φ, the sum of reference and displacement, ()", lambda rows, s: s.x[rows.dofs[:, 6]]
        ),
    },
    fill_defaults=take_shared_position,
    fills=("position",),
    check=check,
    source="definition of a frame",
)
