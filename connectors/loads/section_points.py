"""Kernels of distributed torques on beams, and of distributed forces that rotate with the cross section.

    load of a torque m per length:    ∫ Jrᵀ m dx
    load of a force F = A F_0 per length, with constant F_0:    ∫ Jᵀ F dx,    ∂F/∂q = Jr × F for each column of Jr

In 2D, Jr consists of the shape functions N_a of the angles. In 3D, e = Σ N_a e_a are the interpolated Euler parameters,
and n = e·e. The rotation δθ = G δe of the section has the matrix G = 2 E(e)/n in the global frame, and the matrix W =
Aᵀ G in the frame of the section. Except for the factor 1/n, the products with a vector m are linear in e. In these
equations m~ is the matrix of the cross product, m~ b = m × b:

    Gᵀ m = 2 M e/n,    M = [[0, -mᵀ], [m, m~]]         m in the global frame
    Wᵀ m = 2 M e/n,    M = [[0, -mᵀ], [m, -m~]]        m in the frame of the section
    derivative with respect to e: 2 M/n - (2/n) (2 M e/n) eᵀ

Source: principle of virtual work, A. A. Shabana, Dynamics of Multibody Systems, Cambridge University Press; beams:
elements/beam.
"""

from __future__ import annotations

from math import cos, sin
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.loads.line_points import LineKind, group_rows, line_lengths
from windlass.connectors.markers.position_kernels import turn_vector
from windlass.elements.beam.beam2d import find_shifts
from windlass.elements.beam.beam3d import find_flips
from windlass.elements.beam.forces2d import WIDTH as PLANE
from windlass.elements.beam.forces3d import WIDTH as SPACE
from windlass.elements.beam.rules import MOST_NODES, PLACES, lagrange
from windlass.elements.bodies.rigid3d_kernels import fill_rotation
from windlass.elements.cable.points import gauss_rule
from windlass.elements.nodes.vectors import Vector, cross
from windlass.framework.arrays import BoolArray, FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows
from windlass.framework.model.rows import create_records


def create_section(rows: LocalRows, which: IntArray, kind: LineKind, s: FloatArray, w: FloatArray) -> NDArray[Any]:
    """Create the points of the given rows. The column ``cable`` of these rows contains beams of one type.

    Args:
        rows: all rows of this process.
        which: process-local indices of the given rows, shape (k,).
        kind: type of the beams.
        s: relative positions s = x/L [1], shape (m,) or (k, m).
        w: integration weights for a length of 1, shape (m,).

    Returns:
        One record for each point, row by row, shape (k m,), with the fields

        row: process-local index of the row.
        nodes, width: number of nodes of the beam, and number of coordinates of each node.
        turns: whether the vector rotates with the section.
        weight: weight of the point times the length of the beam [m].
        shape_functions: shape functions of the nodes, shape (4,).
        shift: in 2D: angle from the axis of each node to e_1 [rad], shape (4,).
        flip: in 3D: sign of the Euler parameters of each node, shape (4,).
        dofs: process-local indices of the coordinates of the nodes, node by node, shape (28,).

        Arrays are padded with 0 if the beam has fewer than four nodes or is in 2D.
    """
    nodes, width, points = kind.nodes, kind.width, np.shape(s)[-1]
    dofs = rows.dofs[which][:, : width * nodes]
    s = np.broadcast_to(s, (len(which), points))
    x = rows.layout.reference[dofs].reshape(len(which), nodes, width)
    shift, flip = np.zeros((len(which), nodes)), np.ones((len(which), nodes))
    if kind.dims == 2:
        for table, positions, numbers in rows.world.split_by_table(rows.local("cable")[which]):
            shift[positions] = find_shifts(x[positions, :, 2], table.local("node_angles", numbers)[:, :nodes])
    else:
        flip = find_flips(x[:, :, 3:])[:, :nodes]
    N = lagrange(np.array(PLACES[kind.order]), s)[0]

    def spread(values: NDArray[Any], most: int) -> NDArray[Any]:
        """Return the padded values of the row of each point, shape (k m, most)."""
        return np.pad(np.repeat(values, points, axis=0), ((0, 0), (0, most - values.shape[1])))

    count = len(which) * points
    return create_records(
        row=np.repeat(which, points),
        nodes=np.full(count, nodes),
        width=np.full(count, width),
        turns=np.repeat(rows.local("body_fixed")[which], points),
        weight=(w * line_lengths(rows)[which][:, None]).ravel(),
        shape_functions=np.pad(N.reshape(-1, nodes), ((0, 0), (0, MOST_NODES - nodes))),
        shift=spread(shift, MOST_NODES),
        flip=spread(flip, MOST_NODES),
        dofs=spread(dofs, MOST_NODES * SPACE),
    )


def create_sections(rows: LocalRows, which: BoolArray) -> list[NDArray[Any]]:
    """Create the Gauss points of the rows ``which``, shape (rows,), grouped by the type of their beams and by the
    number of points."""
    points, found = rows.local("points"), []
    for kind, every in group_rows(rows) if which.any() else ():
        on = every[which[every]]
        for n in np.unique(points[on]):
            found.append(create_section(rows, on[points[on] == n], kind, *gauss_rule(int(n))))
    return found


@kernel(inline=True)
def read_angle(point: Any, x: FloatArray) -> float:
    """Return the angle [rad] of the cross section at a point in 2D. The argument x contains all coordinates."""
    phi = 0.0
    for a in range(point.nodes):
        phi += point.shape_functions[a] * (x[point.dofs[PLANE * a + 2]] + point.shift[a])
    return phi


@kernel(inline=True)
def read_parameters(point: Any, x: FloatArray, e: FloatArray) -> None:
    """Write the Euler parameters e of the section at a point, shape (4,)."""
    for k in range(4):
        e[k] = 0.0
        for a in range(point.nodes):
            e[k] += point.shape_functions[a] * point.flip[a] * x[point.dofs[SPACE * a + 3 + k]]


@kernel
def fill_vectors(section: Any, given: FloatArray, x: FloatArray, m: Any) -> None:
    """Write the vectors of all points in the global frame into F of m, see `create_points`. The argument ``given``
    contains the vectors of all rows, shape (rows, 3).
    """
    e, A, W = np.zeros(4), np.zeros((3, 3)), np.zeros((3, 4))
    for j in range(len(section)):
        point = section[j]
        F = given[point.row, 0], given[point.row, 1], given[point.row, 2]
        V = F
        if point.turns and point.width == PLANE:
            angle = read_angle(point, x)
            co, si = cos(angle), sin(angle)
            V = co * F[0] - si * F[1], si * F[0] + co * F[1], F[2]
        elif point.turns:
            read_parameters(point, x, e)
            fill_rotation(e[0], e[1], e[2], e[3], A, W)
            V = turn_vector(A, F)
        for k in range(3):
            m[j].F[k] = V[k]


@kernel
def add_section_force_tangents(
    section: Any, m: Any, x: FloatArray, dq: float, slots: IntArray, values: FloatArray
) -> None:
    """Add dq times the derivative ∂f/∂q of the generalised forces f to the values of the matrix, for rows whose forces
    per length rotate with the section.
    """
    e, A, W = np.zeros(4), np.zeros((3, 3)), np.zeros((3, 4))
    for j in range(len(section)):
        point, F = section[j], m[j].F
        to, nodal, N, force = slots[point.row], point.nodes, point.shape_functions, (F[0], F[1], F[2])
        if point.width == PLANE:
            for a in range(nodal):
                for b in range(nodal):
                    weight = dq * point.weight * N[a] * N[b]
                    values[to[PLANE * a, PLANE * b + 2]] -= weight * force[1]
                    values[to[PLANE * a + 1, PLANE * b + 2]] += weight * force[0]
            continue
        read_parameters(point, x, e)
        fill_rotation(e[0], e[1], e[2], e[3], A, W)
        for l in range(4):
            change = cross(turn_vector(A, (W[0, l], W[1, l], W[2, l])), force)
            for a in range(nodal):
                for b in range(nodal):
                    weight = dq * point.weight * N[a] * N[b] * point.flip[b]
                    for k in range(3):
                        values[to[SPACE * a + k, SPACE * b + 3 + l]] += weight * change[k]


@kernel(inline=True)
def fill_turning(m: Vector, turns: bool, M: FloatArray) -> None:
    """Write the matrix M, shape (4, 4), for a torque m. If ``turns`` is true, the torque is given in the frame of the
    section, otherwise in the global frame.
    """
    sign = -1.0 if turns else 1.0
    for k in range(3):
        M[0, 1 + k], M[1 + k, 0], M[1 + k, 1 + k] = -m[k], m[k], 0.0
        after, last = (k + 1) % 3, (k + 2) % 3
        M[1 + after, 1 + last], M[1 + last, 1 + after] = -sign * m[k], sign * m[k]


@kernel
def add_torques(section: Any, given: FloatArray, x: FloatArray, f: FloatArray) -> None:
    """Add the generalised forces Σ w Jrᵀ m of the torques m per length to f. The argument ``given`` contains the
    torques of all rows, shape (rows, 3).
    """
    e, M = np.zeros(4), np.zeros((4, 4))
    for j in range(len(section)):
        point = section[j]
        N, w = point.shape_functions, point.weight
        if point.width == PLANE:
            for a in range(point.nodes):
                f[point.dofs[PLANE * a + 2]] += w * N[a] * given[point.row, 2]
            continue
        fill_turning((given[point.row, 0], given[point.row, 1], given[point.row, 2]), point.turns, M)
        read_parameters(point, x, e)
        n = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]
        for k in range(4):
            force = 2.0 / n * (M[k, 0] * e[0] + M[k, 1] * e[1] + M[k, 2] * e[2] + M[k, 3] * e[3])
            for a in range(point.nodes):
                f[point.dofs[SPACE * a + 3 + k]] += w * N[a] * point.flip[a] * force


@kernel
def add_torque_tangents(
    section: Any, given: FloatArray, x: FloatArray, dq: float, slots: IntArray, values: FloatArray
) -> None:
    """Add dq times the derivative ∂f/∂q of the generalised forces f of `add_torques` to the values of the matrix. All
    sections must be in 3D.
    """
    e, M = np.zeros(4), np.zeros((4, 4))
    for j in range(len(section)):
        point = section[j]
        to, N, flip, nodal = slots[point.row], point.shape_functions, point.flip, point.nodes
        fill_turning((given[point.row, 0], given[point.row, 1], given[point.row, 2]), point.turns, M)
        read_parameters(point, x, e)
        n = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]
        for k in range(4):
            force = 2.0 / n * (M[k, 0] * e[0] + M[k, 1] * e[1] + M[k, 2] * e[2] + M[k, 3] * e[3])
            for l in range(4):
                change = dq * point.weight * 2.0 / n * (M[k, l] - force * e[l])
                for a in range(nodal):
                    for b in range(nodal):
                        weight = N[a] * flip[a] * N[b] * flip[b]
                        values[to[SPACE * a + 3 + k, SPACE * b + 3 + l]] += weight * change
