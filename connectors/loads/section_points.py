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
from typing import Any, NamedTuple

import numpy as np

from windlass.connectors.loads.line_points import LineKind, group_rows, line_lengths
from windlass.connectors.markers.position_kernels import turn_vector
from windlass.elements.beam.beam2d import find_shifts
from windlass.elements.beam.beam3d import find_flips
from windlass.elements.beam.forces2d import WIDTH as PLANE
from windlass.elements.beam.forces3d import WIDTH as SPACE
from windlass.elements.beam.rules import PLACES, lagrange
from windlass.elements.bodies.rigid3d_kernels import fill_rotation
from windlass.elements.cable.points import gauss_rule
from windlass.elements.nodes.vectors import Vector, cross
from windlass.framework.arrays import BoolArray, FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows


class SectionColumns(NamedTuple):
    """Data of k rows with m points each, on beams with n nodes. All beams have the same dimension and order."""

    row: IntArray  # process-local indices of these rows, shape (k,)
    dofs: IntArray  # process-local indices of the coordinates of the nodes, shape (k, 3 n) or (k, 7 n)
    turns: BoolArray  # whether the vector rotates with the section, shape (k,)
    N: FloatArray  # shape functions at the points, shape (k, m, n)
    w: FloatArray  # weights of the points times the length of the beam [m], shape (k, m)
    shift: FloatArray  # in 2D: angle from the axis of each node to e_1 [rad], shape (k, n)
    flip: FloatArray  # in 3D: sign of the Euler parameters of each node, shape (k, n)


def create_section(rows: LocalRows, which: IntArray, kind: LineKind, s: FloatArray, w: FloatArray) -> SectionColumns:
    """Create the points of the given rows. The column ``cable`` of these rows contains beams of one type.

    Args:
        which: process-local indices of these rows, shape (k,).
        kind: type of the beams.
        s: relative positions s = x/L [1], shape (m,) or (k, m).
        w: integration weights for a length of 1, shape (m,).
    """
    width = kind.width
    dofs = np.ascontiguousarray(rows.dofs[which][:, : width * kind.nodes])
    s = np.broadcast_to(s, (len(which), np.shape(s)[-1]))
    x = rows.layout.reference[dofs].reshape(len(which), kind.nodes, width)
    shift, flip = np.zeros((len(which), kind.nodes)), np.ones((len(which), kind.nodes))
    if kind.dims == 2:
        for table, positions, numbers in rows.world.split_by_table(rows.local("cable")[which]):
            shift[positions] = find_shifts(x[positions, :, 2], table.local("node_angles", numbers)[:, : kind.nodes])
    else:
        flip = find_flips(x[:, :, 3:])[:, : kind.nodes]
    N = lagrange(np.array(PLACES[kind.order]), s)[0]
    length = line_lengths(rows)[which][:, None]
    return SectionColumns(which, dofs, rows.local("body_fixed")[which], N, w * length, shift, flip)


def create_sections(rows: LocalRows, which: BoolArray) -> list[SectionColumns]:
    """Create the Gauss points of the rows ``which``, shape (rows,), grouped by the type of their beams and by the
    number of points."""
    points, found = rows.local("points"), []
    for kind, every in group_rows(rows) if which.any() else ():
        on = every[which[every]]
        for n in np.unique(points[on]):
            found.append(create_section(rows, on[points[on] == n], kind, *gauss_rule(int(n))))
    return found


@kernel(inline=True)
def read_angle(c: SectionColumns, i: int, j: int, x: FloatArray) -> float:
    """Return the angle of the cross section [rad] at point j of row i in 2D. The argument x contains all
    coordinates.
    """
    phi = 0.0
    for a in range(c.N.shape[2]):
        phi += c.N[i, j, a] * (x[c.dofs[i, PLANE * a + 2]] + c.shift[i, a])
    return phi


@kernel(inline=True)
def read_parameters(c: SectionColumns, i: int, j: int, x: FloatArray, e: FloatArray) -> None:
    """Write the Euler parameters e of the section at point j of row i, shape (4,)."""
    for k in range(4):
        e[k] = 0.0
        for a in range(c.N.shape[2]):
            e[k] += c.N[i, j, a] * c.flip[i, a] * x[c.dofs[i, SPACE * a + 3 + k]]


@kernel
def fill_vectors(c: SectionColumns, given: FloatArray, x: FloatArray, m: Any) -> None:
    """Write the vectors of all points in the global frame into F of m, see `create_points`. The argument ``given``
    contains the vectors of all rows, shape (rows, 3).
    """
    e, A, W = np.zeros(4), np.zeros((3, 3)), np.zeros((3, 4))
    in_plane = c.dofs.shape[1] == PLANE * c.N.shape[2]
    for i in range(len(c.dofs)):
        F = given[c.row[i], 0], given[c.row[i], 1], given[c.row[i], 2]
        for j in range(c.N.shape[1]):
            V = F
            if c.turns[i] and in_plane:
                co, si = cos(read_angle(c, i, j, x)), sin(read_angle(c, i, j, x))
                V = co * F[0] - si * F[1], si * F[0] + co * F[1], F[2]
            elif c.turns[i]:
                read_parameters(c, i, j, x, e)
                fill_rotation(e[0], e[1], e[2], e[3], A, W)
                V = turn_vector(A, F)
            for k in range(3):
                m[i * c.N.shape[1] + j].F[k] = V[k]


@kernel
def add_section_force_tangents(
    c: SectionColumns, m: Any, x: FloatArray, dq: float, slots: IntArray, values: FloatArray
) -> None:
    """Add dq times the derivative ∂f/∂q of the generalised forces f to the values of the matrix, for rows whose forces
    per length rotate with the section.
    """
    e, A, W = np.zeros(4), np.zeros((3, 3)), np.zeros((3, 4))
    nodal = c.N.shape[2]
    width = c.dofs.shape[1] // nodal
    for i in range(len(c.dofs)):
        to = slots[c.row[i]]
        for j in range(c.N.shape[1]):
            F = m[i * c.N.shape[1] + j].F
            force = F[0], F[1], F[2]
            if width == PLANE:
                for a in range(nodal):
                    for b in range(nodal):
                        weight = dq * c.w[i, j] * c.N[i, j, a] * c.N[i, j, b]
                        values[to[PLANE * a, PLANE * b + 2]] -= weight * force[1]
                        values[to[PLANE * a + 1, PLANE * b + 2]] += weight * force[0]
                continue
            read_parameters(c, i, j, x, e)
            fill_rotation(e[0], e[1], e[2], e[3], A, W)
            for l in range(4):
                change = cross(turn_vector(A, (W[0, l], W[1, l], W[2, l])), force)
                for a in range(nodal):
                    for b in range(nodal):
                        weight = dq * c.w[i, j] * c.N[i, j, a] * c.N[i, j, b] * c.flip[i, b]
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
def add_torques(c: SectionColumns, given: FloatArray, x: FloatArray, f: FloatArray) -> None:
    """Add the generalised forces Σ w Jrᵀ m of the torques m per length to f. The argument ``given`` contains the
    torques of all rows, shape (rows, 3).
    """
    e, M = np.zeros(4), np.zeros((4, 4))
    nodal = c.N.shape[2]
    in_plane = c.dofs.shape[1] == PLANE * nodal
    for i in range(len(c.dofs)):
        m = given[c.row[i], 0], given[c.row[i], 1], given[c.row[i], 2]
        if not in_plane:
            fill_turning(m, c.turns[i], M)
        for j in range(c.N.shape[1]):
            if in_plane:
                for a in range(nodal):
                    f[c.dofs[i, PLANE * a + 2]] += c.w[i, j] * c.N[i, j, a] * m[2]
                continue
            read_parameters(c, i, j, x, e)
            n = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]
            for k in range(4):
                force = 2.0 / n * (M[k, 0] * e[0] + M[k, 1] * e[1] + M[k, 2] * e[2] + M[k, 3] * e[3])
                for a in range(nodal):
                    f[c.dofs[i, SPACE * a + 3 + k]] += c.w[i, j] * c.N[i, j, a] * c.flip[i, a] * force


@kernel
def add_torque_tangents(
    c: SectionColumns, given: FloatArray, x: FloatArray, dq: float, slots: IntArray, values: FloatArray
) -> None:
    """Add dq times the derivative ∂f/∂q of the generalised forces f of `add_torques` to the values of the matrix. All
    sections must be in 3D.
    """
    e, M = np.zeros(4), np.zeros((4, 4))
    nodal = c.N.shape[2]
    for i in range(len(c.dofs)):
        to = slots[c.row[i]]
        fill_turning((given[c.row[i], 0], given[c.row[i], 1], given[c.row[i], 2]), c.turns[i], M)
        for j in range(c.N.shape[1]):
            read_parameters(c, i, j, x, e)
            n = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]
            for k in range(4):
                force = 2.0 / n * (M[k, 0] * e[0] + M[k, 1] * e[1] + M[k, 2] * e[2] + M[k, 3] * e[3])
                for l in range(4):
                    change = dq * c.w[i, j] * 2.0 / n * (M[k, l] - force * e[l])
                    for a in range(nodal):
                        for b in range(nodal):
                            weight = c.N[i, j, a] * c.flip[i, a] * c.N[i, j, b] * c.flip[i, b]
                            values[to[SPACE * a + 3 + k, SPACE * b + 3 + l]] += weight * change
