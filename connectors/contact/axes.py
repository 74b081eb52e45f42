"""Axes of beams as cubic curves, with which the laws of contact with points of cables also apply to beams.

The axis of a beam of the order p is r(s) = Σ N_b(s) r_b, with s = x/L, the nodes b and the Lagrange polynomials N_b of
the degree p <= 3. It is the same cubic curve as the axis of a cable with the coordinates

    q = H r,    q = (r(0), r'(0), r(L), r'(L)),    H_ab = N_b(0), N_b,s(0)/L, N_b(1), N_b,s(1)/L    for a = 0 to 3.

H is constant. Contact laws evaluate the positions and velocities of points from q and its rates. If f are the forces on
q, and K is their tangent with respect to q, the forces on the positions r of the nodes are Hᵀ f, with the tangent
Hᵀ K H. For a cable, H is the identity.

For points at the offset y along the normal m of the axis, r + y m, q also determines m. Tangential forces f per length
at such points have the moment c = y f about the axis. In the virtual work c acts on the rotation of the axis, so the
shear strain of a beam does not depend on c. If c acted on the cross sections, the shear strain would be larger by c/GA,
which is μ N y/(R GA) at most for a belt on a pulley. The balances of forces and moments, and the tensions, are the same
in both cases.

Source: principle of virtual work; T. J. R. Hughes, The Finite Element Method, Prentice Hall (1987), section 3.6.
"""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from windlass.connectors.contact.lanes import Eight, Twelve
from windlass.connectors.markers.cable_shape import cable_lengths
from windlass.elements.beam.rows import NODES, find_lengths, find_orders
from windlass.elements.beam.rules import PLACES, lagrange
from windlass.elements.cable.points import Four
from windlass.elements.nodes.vectors import dot
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows, Tables
from windlass.framework.model.table import Entity, EntityTable

NO_BEAMS: FloatArray = np.zeros((0, 4, 4))
"""Value of H for rows without beams."""


class Axes(NamedTuple):
    """Axes of the cables and beams of rows.

    Attributes:
        H: matrices of the module docstring, shape (rows, 4, 4), or (0, 4, 4) if no row has a beam.
        length: reference lengths L [m], shape (rows,).
        axis: lengths of the axes of beams in the reference configuration [m], shape (rows,); L for cables.
    """

    H: FloatArray
    length: FloatArray
    axis: FloatArray


def is_beam(table: EntityTable) -> bool:
    """Return whether a table contains beams."""
    return "beam" in table.component.provides


def order_axis(table: EntityTable, numbers: IntArray, dims: int) -> IntArray:
    """Select the coordinates of the axes of beams or cables from the coordinate indices ``numbers`` of their rows,
    shape (rows, n). Return the indices of 4 vectors with ``dims`` components, shape (rows, 4 dims): positions of the
    nodes of a beam, where -1 stands for a missing node, or positions and slopes of the nodes of a cable.
    """
    out = np.full((len(numbers), 4, dims), -1, np.int64)
    given = 3 if {"3D cable", "3D beam"} & set(table.component.provides) else 2
    if not is_beam(table):
        out[:, :, :given] = numbers[:, : 4 * given].reshape(-1, 4, given)
        return out.reshape(len(numbers), -1)
    # a node of a beam has its position, followed by its rotation
    nodes = numbers.reshape(len(numbers), -1, 3 if given == 2 else 7)
    out[:, : nodes.shape[1], :given] = nodes[:, :, :given]
    return out.reshape(len(numbers), -1)


def axis_dofs(world: Tables, ids: IntArray, dims: int) -> IntArray:
    """Return the global coordinate indices of the axes of cables and beams, see `order_axis`. The argument ``ids``
    contains the identifiers of the cables or beams.
    """
    out = np.full((len(ids), 4 * dims), -1, np.int64)
    for table, positions, rows in world.split_by_table(ids):
        out[positions] = order_axis(table, world.row_dofs(table, rows), dims)
    return out


def bind_axes(rows: LocalRows, dims: int) -> Axes:
    """Return the axes of the cables and beams of rows, whose first coordinates are the result of `axis_dofs` for
    vectors with ``dims`` components.
    """
    ids = rows.local("cable")
    length, H = cable_lengths(rows.world, ids), NO_BEAMS
    axis = length.copy()
    for table, positions, own in rows.world.split_by_table(ids):
        if not is_beam(table):
            continue
        if not len(H):
            H = np.tile(np.eye(4), (len(ids), 1, 1))
        order = find_orders((table.local("node2", own), table.local("node3", own)))
        r = rows.reference[positions, : 4 * dims].reshape(len(own), 4, dims)
        length[positions] = find_lengths(length[positions], order, r)
        axis[positions] = find_lengths(np.zeros(len(own)), order, r)
        for p in np.unique(order):
            some = positions[order == p]
            N, D = lagrange(np.array(PLACES[int(p)]), np.array((0.0, 1.0)))
            H[some] = 0.0
            H[some, 0, : p + 1], H[some, 2, : p + 1] = N
            H[some, 1, : p + 1], H[some, 3, : p + 1] = D[:, None] / length[some, None]
    return Axes(H, length, axis)


def collect_lengths(world: Tables, cables: Entity) -> FloatArray:
    """Return the reference lengths L [m] of cables or beams of one table, shape (rows,). For beams without a given
    length, the result is the length of the axis. If the table is distributed, the call is collective.
    """
    given: FloatArray = cables.table.collect("length", cables.rows)
    if not is_beam(cables.table) or given.all():
        return given
    ids = np.stack([cables.table.collect(name, cables.rows) for name in NODES], axis=1)
    there = np.flatnonzero(ids.ravel() >= 0)
    r = np.zeros((ids.size, 3))
    for table, positions, rows in world.split_by_table(ids.ravel()[there]):
        position = table.collect("position", rows)
        r[there[positions], : position.shape[1]] = position
    return find_lengths(given, find_orders((ids[:, 2], ids[:, 3])), r.reshape(len(ids), -1, 3))


@kernel(inline=True, fast=False)
def row_sum(H: FloatArray, i: int, a: int, q0: float, q1: float, q2: float, q3: float) -> float:
    """Return element a of the product of H of row i and a vector."""
    total: float = H[i, a, 0] * q0 + H[i, a, 1] * q1 + H[i, a, 2] * q2 + H[i, a, 3] * q3
    return total


@kernel(inline=True)
def row_product(S: Four, H: FloatArray) -> Four:
    """Return the shape functions of the nodes, Sᵀ H, at a point with the shape functions S of a cable; H, shape (4, 4),
    is the matrix of the row."""
    return (
        S[0] * H[0, 0] + S[1] * H[1, 0] + S[2] * H[2, 0] + S[3] * H[3, 0],
        S[0] * H[0, 1] + S[1] * H[1, 1] + S[2] * H[2, 1] + S[3] * H[3, 1],
        S[0] * H[0, 2] + S[1] * H[1, 2] + S[2] * H[2, 2] + S[3] * H[3, 2],
        S[0] * H[0, 3] + S[1] * H[1, 3] + S[2] * H[2, 3] + S[3] * H[3, 3],
    )


@kernel(inline=True, fast=False)
def to_cubic_eight(H: FloatArray, i: int, r: Eight) -> Eight:
    """Return the coordinates q of the axis of row i in 2D, for the coordinates r of its nodes. Without beams, q is
    equal to r.
    """
    if not len(H):
        return r
    return (
        row_sum(H, i, 0, r[0], r[2], r[4], r[6]), row_sum(H, i, 0, r[1], r[3], r[5], r[7]),
        row_sum(H, i, 1, r[0], r[2], r[4], r[6]), row_sum(H, i, 1, r[1], r[3], r[5], r[7]),
        row_sum(H, i, 2, r[0], r[2], r[4], r[6]), row_sum(H, i, 2, r[1], r[3], r[5], r[7]),
        row_sum(H, i, 3, r[0], r[2], r[4], r[6]), row_sum(H, i, 3, r[1], r[3], r[5], r[7]),
    )  # fmt: skip


@kernel(inline=True, fast=False)
def to_cubic_twelve(H: FloatArray, i: int, r: Twelve) -> Twelve:
    """Return the coordinates q of the axis of row i in 3D, for the coordinates r of its nodes. Without beams, q is
    equal to r.
    """
    if not len(H):
        return r
    return (
        row_sum(H, i, 0, r[0], r[3], r[6], r[9]), row_sum(H, i, 0, r[1], r[4], r[7], r[10]),
        row_sum(H, i, 0, r[2], r[5], r[8], r[11]), row_sum(H, i, 1, r[0], r[3], r[6], r[9]),
        row_sum(H, i, 1, r[1], r[4], r[7], r[10]), row_sum(H, i, 1, r[2], r[5], r[8], r[11]),
        row_sum(H, i, 2, r[0], r[3], r[6], r[9]), row_sum(H, i, 2, r[1], r[4], r[7], r[10]),
        row_sum(H, i, 2, r[2], r[5], r[8], r[11]), row_sum(H, i, 3, r[0], r[3], r[6], r[9]),
        row_sum(H, i, 3, r[1], r[4], r[7], r[10]), row_sum(H, i, 3, r[2], r[5], r[8], r[11]),
    )  # fmt: skip


@kernel(inline=True, fast=False)
def shape_lane(H: FloatArray, i: int, d: int, values: FloatArray, k: int) -> None:
    """Replace the coordinates of the nodes in lane k of ``values``, shape (4 d, lanes), by the coordinates q of the
    axis of row i."""
    for e in range(d if len(H) else 0):
        r0, r1, r2, r3 = values[e, k], values[d + e, k], values[2 * d + e, k], values[3 * d + e, k]
        for a in range(4):
            values[d * a + e, k] = row_sum(H, i, a, r0, r1, r2, r3)


@kernel(inline=True)
def spread_lane(H: FloatArray, i: int, d: int, forces: FloatArray, k: int) -> None:
    """Replace the forces on the coordinates q of the axis of row i, in lane k of ``forces``, shape (4 d, lanes), by the
    forces on the coordinates of the nodes."""
    for e in range(d if len(H) else 0):
        f0, f1, f2, f3 = forces[e, k], forces[d + e, k], forces[2 * d + e, k], forces[3 * d + e, k]
        for b in range(4):
            forces[d * b + e, k] = H[i, 0, b] * f0 + H[i, 1, b] * f1 + H[i, 2, b] * f2 + H[i, 3, b] * f3


@kernel
def spread_tangent(H: FloatArray, i: int, d: int, K: FloatArray, N: FloatArray) -> None:
    """Transform the derivatives of the forces on the coordinates q of the axis of row i, which are the first 4 d rows
    and columns of K and the first 4 d rows of N, to the coordinates of the nodes. See `contact/assembly.py`.
    """
    for e in range(d):
        for l in range(K.shape[1]):
            f0, f1, f2, f3 = K[e, l], K[d + e, l], K[2 * d + e, l], K[3 * d + e, l]
            for b in range(4):
                K[d * b + e, l] = H[i, 0, b] * f0 + H[i, 1, b] * f1 + H[i, 2, b] * f2 + H[i, 3, b] * f3
        for l in range(N.shape[1]):
            f0, f1, f2, f3 = N[e, l], N[d + e, l], N[2 * d + e, l], N[3 * d + e, l]
            for b in range(4):
                N[d * b + e, l] = H[i, 0, b] * f0 + H[i, 1, b] * f1 + H[i, 2, b] * f2 + H[i, 3, b] * f3
    for e in range(d):
        for l in range(K.shape[0]):
            f0, f1, f2, f3 = K[l, e], K[l, d + e], K[l, 2 * d + e], K[l, 3 * d + e]
            for b in range(4):
                K[l, d * b + e] = H[i, 0, b] * f0 + H[i, 1, b] * f1 + H[i, 2, b] * f2 + H[i, 3, b] * f3


@kernel(inline=True)
def spread_plane(c: Any, i: int, K: FloatArray, N: FloatArray) -> None:
    """Call `spread_tangent` for the axis of row i in 2D, see the argument ``spread`` of `create_tangent`."""
    if len(c.H):
        spread_tangent(c.H, i, 2, K, N)


@kernel(inline=True)
def spread_space(c: Any, i: int, K: FloatArray, N: FloatArray) -> None:
    """Call `spread_tangent` for the axis of row i in 3D, see the argument ``spread`` of `create_tangent`."""
    if len(c.H):
        spread_tangent(c.H, i, 3, K, N)


@kernel(inline=True)
def reach_of_axis(L: float, q: Twelve) -> float:
    """Return a distance [m] from the first node that no point of the axis exceeds. The axis lies within the convex hull
    of its control points, which follow from the coordinates q of the cable and its reference length L.
    """
    h, a = L / 3.0, (q[6] - q[0], q[7] - q[1], q[8] - q[2])
    b = a[0] - h * q[9], a[1] - h * q[10], a[2] - h * q[11]
    reach: float = sqrt(max(h * h * (q[3] * q[3] + q[4] * q[4] + q[5] * q[5]), dot(b, b), dot(a, a)))
    return reach
