"""What the kernels of `Cable2D` for all integration rules share: parameters by row and by lane, masses, sums.

Several cables are evaluated side by side, one in each lane of the processor's vector instructions: their coordinates
are gathered into a small array g, by row and lane; loops over the lanes do the mechanics without branches; and the
results are added to the world's, cable by cable.  All that a loop reads and writes is in g, since the compiler uses
vector instructions only where it sees that arrays do not overlap.

Rows of g: from 0 coordinates, from 8 velocities, from 16 what is given in `Lanes`.  Of residuals: from 27
accelerations, from 35 forces.  Of tangents: from 27 the entries of the matrix, row by row.  What comes after these,
each kernel says.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.system import Slots

LANES = 8
"""Cables side by side; fewer, or many more, are slower."""
GIVEN, ACCELERATIONS, FORCES, MATRIX = 16, 27, 35, 27
"""First rows of what is given, of 8 accelerations, 8 forces, and of the 64 entries of a matrix."""


class Columns(NamedTuple):
    """Rows with the same integration rule, which has n axial and m bending points.

    L [m], EA [N], EI [N m^2], dEA [N s], dEI [N m^2 s]: length, stiffness and damping, shape (rows,).
    eps [1], kap [1/m]: strain and curvature without force at the points, shapes (rows, n) and (rows, m).
    dofs: local numbers of x0, y0, x0', y0', x1, y1, x1', y1', shape (rows, 8).
    row: position of each row in the slots, shape (rows,).
    """

    L: FloatArray
    EA: FloatArray
    EI: FloatArray
    dEA: FloatArray
    dEI: FloatArray
    eps: FloatArray
    kap: FloatArray
    dofs: IntArray
    row: IntArray


class Lanes(NamedTuple):
    """Rows of a rule with n axial and m bending points in blocks of `LANES`, the last filled up with the last row.

    given: by block, quantity and lane, shape (blocks, 6 + n + m, LANES): length L [m], EA [N], EI [N m^2], dEA [N s],
        dEI [N m^2 s], mass per length [kg/m]; strain without force at the axial points [1]; curvature without force at
        the bending points [1/m].
    dofs: local numbers of x0, y0, x0', y0', x1, y1, x1', y1', shape (LANES * blocks, 8).
    row: position of each row in the slots, shape (rows,).
    """

    given: FloatArray
    dofs: IntArray
    row: IntArray


def create_lanes(c: Columns, mass_per_length: FloatArray) -> Lanes:
    """Rows of a rule with their masses [kg/m], shape (rows,)."""
    rows = len(c.L)
    blocks = -(-rows // LANES)
    filled = np.minimum(np.arange(blocks * LANES), rows - 1)
    given = np.array([c.L, c.EA, c.EI, c.dEA, c.dEI, mass_per_length, *c.eps.T, *c.kap.T])[:, filled]
    by_block = given.reshape(len(given), blocks, LANES).transpose(1, 0, 2)
    return Lanes(np.ascontiguousarray(by_block), np.ascontiguousarray(c.dofs[filled]), c.row)


@kernel(inline=True)
def gather(c: Lanes, first: int, x: FloatArray, row: int, g: FloatArray) -> None:
    """Bring the eight coordinates of each lane to as many rows."""
    for k in range(LANES):
        n = c.dofs[first + k]
        for j in range(8):
            g[row + j, k] = x[n[j]]


@kernel(inline=True)
def take_given(c: Lanes, block: int, place: int, count: int, row: int, g: FloatArray) -> None:
    """Bring some of what is given for a block to as many rows."""
    for j in range(count):
        for k in range(LANES):
            g[row + j, k] = c.given[block, place + j, k]


@kernel(inline=True)
def add_inertia(mass: float, k: int, g: FloatArray) -> None:
    """Add mass M a to the forces of lane k."""
    L = g[GIVEN, k]
    m = mass * g[GIVEN + 5, k] * L / 420.0
    for d in range(2):
        # accelerations of the ends and, times L, of their slopes
        a = ACCELERATIONS + d
        r0, q0, r1, q1 = g[a, k], L * g[a + 2, k], g[a + 4, k], L * g[a + 6, k]
        g[FORCES + d, k] += m * (156.0 * r0 + 22.0 * q0 + 54.0 * r1 - 13.0 * q1)
        g[FORCES + d + 2, k] += L * m * (22.0 * r0 + 4.0 * q0 + 13.0 * r1 - 3.0 * q1)
        g[FORCES + d + 4, k] += m * (54.0 * r0 + 13.0 * q0 + 156.0 * r1 - 22.0 * q1)
        g[FORCES + d + 6, k] += L * m * (4.0 * q1 - 13.0 * r0 - 3.0 * q0 - 22.0 * r1)


@kernel(inline=True)
def scatter_forces(c: Lanes, first: int, g: FloatArray, f: FloatArray) -> None:
    """Add the forces of the lanes to the world's."""
    for k in range(min(LANES, len(c.row) - first)):
        n = c.dofs[first + k]
        for j in range(8):
            f[n[j]] += g[FORCES + j, k]


@kernel(inline=True)
def add_mass(a: int, mass: float, k: int, g: FloatArray) -> None:
    """Add mass M to the entries of component a in the matrix of lane k."""
    L = g[GIVEN, k]
    m = mass * g[GIVEN + 5, k] * L / 420.0
    Lm = L * m
    LLm = L * Lm
    to = MATRIX + 9 * a
    g[to, k] += 156.0 * m
    g[to + 2, k] += 22.0 * Lm
    g[to + 4, k] += 54.0 * m
    g[to + 6, k] -= 13.0 * Lm
    g[to + 16, k] += 22.0 * Lm
    g[to + 18, k] += 4.0 * LLm
    g[to + 20, k] += 13.0 * Lm
    g[to + 22, k] -= 3.0 * LLm
    g[to + 32, k] += 54.0 * m
    g[to + 34, k] += 13.0 * Lm
    g[to + 36, k] += 156.0 * m
    g[to + 38, k] -= 22.0 * Lm
    g[to + 48, k] -= 13.0 * Lm
    g[to + 50, k] -= 3.0 * LLm
    g[to + 52, k] -= 22.0 * Lm
    g[to + 54, k] += 4.0 * LLm


@kernel(inline=True)
def find_slot(slots: Slots, row: int, i: int, j: int) -> int:
    """Place of entry (i, j) of the matrix of a row, whose pieces are 1 x 1, 1 x 4 or 4 x 4."""
    to = slots.places[row]
    if slots.height == 4:
        return int(to[i // 4, j // 4] + 4 * (j % 4) + i % 4)
    if slots.width == 4:
        return int(to[i, j // 4] + j % 4)
    return int(to[i, j])


@kernel(inline=True)
def add_matrix(g: FloatArray, k: int, slots: Slots, row: int, values: FloatArray) -> None:
    """Add the matrix of lane k, that of a row, to the world's; pieces are 1 x 1, 1 x 4 or 4 x 4."""
    places = slots.places[row]
    if slots.height == 4:
        for p in range(2):
            for q in range(2):
                to = places[p, q]
                for j in range(4):
                    for i in range(4):
                        values[to + 4 * j + i] += g[MATRIX + 8 * (4 * p + i) + 4 * q + j, k]
    elif slots.width == 4:
        for i in range(8):
            for q in range(2):
                to = places[i, q]
                for j in range(4):
                    values[to + j] += g[MATRIX + 8 * i + 4 * q + j, k]
    else:
        for i in range(8):
            for j in range(8):
                values[places[i, j]] += g[MATRIX + 8 * i + j, k]


@kernel(inline=True)
def scatter_matrices(c: Lanes, first: int, g: FloatArray, slots: Slots, values: FloatArray) -> None:
    """Add the matrices of the lanes to the world's; slots of all rows."""
    for k in range(min(LANES, len(c.row) - first)):
        add_matrix(g, k, slots, c.row[first + k], values)
