"""What the kernels of `Cable2D` for all integration rules share: parameters by row and by lane, masses, sums.

Several cables are evaluated side by side, one in each lane of the processor's vector instructions: their coordinates
are gathered into a small array g, by row and lane; loops over the lanes do the mechanics without branches; and the
results are added to the world's, cable by cable.  All that a loop reads and writes is in g, since the compiler uses
vector instructions only where it sees that arrays do not overlap.

Rows of g are named by the constants below, those of residuals and of tangents beyond what is given each in their own
way.  What comes after these, each kernel says.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.system import Slots

LANES = 8
"""Cables side by side; fewer, or many more, are slower."""
COORDINATES, VELOCITIES, GIVEN, ACCELERATIONS, FORCES, MATRIX = 0, 8, 16, 27, 35, 27
"""First rows of 8 coordinates, 8 velocities, what is given, 8 accelerations, 8 forces (in residuals), and of the 64
entries of a matrix, row by row (in tangents)."""
LENGTH, EA, EI, D_EA, D_EI, MASS_PER_LENGTH, FREE = range(GIVEN, 23)
"""Rows of what is given, see `Lanes`; the last one is the first of strains and curvatures without force."""


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
def read_given(k: int, g: FloatArray) -> tuple[float, float, float, float, float]:
    """L, EA, EI, dEA, dEI of lane k."""
    return g[LENGTH, k], g[EA, k], g[EI, k], g[D_EA, k], g[D_EI, k]


@kernel(inline=True)
def scatter_forces(c: Lanes, first: int, g: FloatArray, f: FloatArray) -> None:
    """Add the forces of the lanes to the world's."""
    for k in range(min(LANES, len(c.row) - first)):
        n = c.dofs[first + k]
        for j in range(8):
            f[n[j]] += g[FORCES + j, k]


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
