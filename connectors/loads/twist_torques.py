"""Kernels of distributed torques on cables with twist, and of distributed forces that rotate with the cross section.

    load of a torque m per length: ∫ Jrᵀ m dx,    m = D m_0 if the torque m_0 rotates with the cross section
    derivative for coordinates k, l: Jr_k,l·m, and Jr_k·(Jr_l × m) in addition if the torque rotates
    load of a force F = D F_0 per length: ∫ Sᵀ F dx,    derivative for coordinate l: Sᵀ (Jr_l × F)

Jr_k is the derivative of the angular velocity of the material with respect to the velocity of coordinate k, and D is
the frame of the material, see elements/cable/twist_rotation.py.

Source: principle of virtual work, A. A. Shabana, Dynamics of Multibody Systems, Cambridge University Press.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.loads.line_points import group_rows
from windlass.elements.cable.points import gauss_rule
from windlass.elements.cable.twist_rotation import (
    WIDTH,
    Turn,
    create_turn,
    eval_turn,
    fill_turn_change,
    find_axis_factors,
    find_frames,
    read_turn,
    read_turn_change,
)
from windlass.elements.nodes.vectors import Vector, cross, dot
from windlass.framework.arrays import BoolArray, FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows
from windlass.framework.model.rows import create_records


def create_twist_points(rows: LocalRows, which: IntArray, s: FloatArray, w: FloatArray) -> NDArray[Any]:
    """Create the points of the given rows. The column ``cable`` of these rows contains cables with twist.

    Args:
        rows: all rows of this process.
        which: process-local indices of the given rows, shape (k,).
        s: relative positions s = x/L [1], shape (m,) or (k, m).
        w: integration weights for a length of 1, shape (m,).

    Returns:
        One record for each point, row by row, shape (k m,), with the constants of `find_frames` and the fields

        row: process-local index of the row.
        turns: whether the vector rotates with the section.
        weight: weight of the point times the length of the cable [m].
        s, P: position s and factors of e, s0 and s1 in r' [1].
        dofs: process-local indices of the coordinates of the cable, shape (14,).
    """
    n = np.shape(s)[-1]
    frames = find_frames(rows.world, rows.local("cable")[which], rows.reference[which])
    s = np.broadcast_to(s, (len(which), n))
    return create_records(
        row=np.repeat(which, n),
        turns=np.repeat(rows.local("body_fixed")[which], n),
        weight=(w * frames["length"][:, None]).ravel(),
        s=s.ravel(),
        P=find_axis_factors(s.ravel()),
        dofs=np.repeat(rows.dofs[which, :WIDTH], n, axis=0),
        **{name: np.repeat(values, n, axis=0) for name, values in frames.items()},
    )


def create_twist_sections(rows: LocalRows, which: BoolArray) -> list[NDArray[Any]]:
    """Create the Gauss points of those rows among ``which``, shape (rows,), whose ``cable`` is a cable with twist. The
    points are grouped by their number per row.
    """
    points, found = rows.local("points"), []
    for kind, every in group_rows(rows):
        on = every[which[every]] if kind.order == 0 else every[:0]
        for n in np.unique(points[on]):
            found.append(create_twist_points(rows, on[points[on] == n], *gauss_rule(int(n))))
    return found


@kernel(inline=True)
def eval_vector(point: Any, given: FloatArray, x: FloatArray, turn: Turn) -> Vector:
    """Evaluate the rotation of a point, and return its torque or force per length in the global frame."""
    t, d1, d2 = eval_turn(point, point.s, (point.P[0], point.P[1], point.P[2]), x, turn)
    m0, m1, m2 = given[point.row, 0], given[point.row, 1], given[point.row, 2]
    if not point.turns:
        return m0, m1, m2
    return (
        m0 * t[0] + m1 * d1[0] + m2 * d2[0],
        m0 * t[1] + m1 * d1[1] + m2 * d2[1],
        m0 * t[2] + m1 * d1[2] + m2 * d2[2],
    )


@kernel
def fill_twist_vectors(points: Any, given: FloatArray, x: FloatArray, m: Any) -> None:
    """Write the torques or forces of all points in the global frame into F of m, see `line_points.create_points`. The
    argument ``given`` contains the vectors of all rows, shape (rows, 3).
    """
    turn = create_turn()
    for j in range(len(points)):
        vector = eval_vector(points[j], given, x, turn)
        for d in range(3):
            m[j].F[d] = vector[d]


@kernel
def add_twist_force_tangents(
    points: Any, line: Any, m: Any, x: FloatArray, dq: float, slots: IntArray, values: FloatArray
) -> None:
    """Add dq times the derivative ∂f/∂q of the generalised forces f to the values of the matrix, for forces per length
    that rotate with the section. The argument ``line`` contains the same points, see `line_points.create_line`.
    """
    turn = create_turn()
    for j in range(len(points)):
        point, S, F, iL = points[j], line[j].shape_functions, m[j].F, 1.0 / points[j].length
        force, to = (F[0], F[1], F[2]), slots[point.row]
        eval_turn(point, point.s, (point.P[0], point.P[1], point.P[2]), x, turn)
        for l in range(WIDTH):
            change = cross(read_turn(turn, l, iL), force)
            for a in range(4):
                for d in range(3):
                    values[to[3 * a + d, l]] += dq * point.weight * S[a] * change[d]


@kernel
def add_twist_torques(points: Any, given: FloatArray, x: FloatArray, f: FloatArray) -> None:
    """Add the generalised forces Σ w Jrᵀ m of the torques m per length to f."""
    turn = create_turn()
    for j in range(len(points)):
        point, iL = points[j], 1.0 / points[j].length
        torque = eval_vector(point, given, x, turn)
        for k in range(WIDTH):
            f[point.dofs[k]] += point.weight * dot(read_turn(turn, k, iL), torque)


@kernel
def add_twist_torque_tangents(
    points: Any, given: FloatArray, x: FloatArray, dq: float, slots: IntArray, values: FloatArray
) -> None:
    """Add dq times the derivative ∂f/∂q of the generalised forces f of `add_twist_torques` to the values of the
    matrix.
    """
    turn = create_turn()
    for j in range(len(points)):
        point, iL = points[j], 1.0 / points[j].length
        torque, to = eval_vector(point, given, x, turn), slots[point.row]
        fill_turn_change(point, point.s, (point.P[0], point.P[1], point.P[2]), turn)
        for k in range(WIDTH):
            for l in range(WIDTH):
                change = dot(read_turn_change(turn, k, l, iL), torque)
                if point.turns:
                    change += dot(read_turn(turn, k, iL), cross(read_turn(turn, l, iL), torque))
                values[to[k, l]] += dq * point.weight * change
