"""Common parts of the kernels of `Cable2D` and `Cable3D` for all integration rules: parameters by row and lane, sums.

Several cables are evaluated side by side, one in each lane of the processor's vector instructions: their coordinates
are gathered into a small array g, by row and lane; loops over the lanes do the mechanics without branches; and the
results are added to the world's, cable by cable.  Loops read and write only g, since the compiler uses vector
instructions only if it can prove that arrays do not overlap.

The constants below name the rows of g; after the given data, residuals and tangents use the rows differently.  Each
kernel describes its further rows.

The same functions serve `Cable3D`: ``dims`` is the number of dimensions d, 2 or 3, a constant of the kernel that
inlines them.  Rows begin at 0 (coordinates), 4 d (velocities), 8 d (given data), 12 d + 3 (accelerations, matrix) and
16 d + 3 (forces); a row of the matrix has 4 d entries.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.lanes import LANES
from windlass.framework.model.system import Slots

COORDINATES, VELOCITIES, GIVEN, ACCELERATIONS, FORCES, MATRIX = 0, 8, 16, 27, 35, 27
"""First rows of 8 coordinates, 8 velocities, given data, 8 accelerations, 8 forces (in residuals), and of the 64
entries of a matrix, row by row (in tangents)."""
LENGTH, EA, EI, D_EA, D_EI, MASS_PER_LENGTH, FREE = range(GIVEN, 23)
"""Rows of given data, see `Lanes`; the last one is the first of strains and curvatures without force."""
QUANTITIES = (
    "length", "axial_stiffness", "bending_stiffness", "axial_damping", "bending_damping", "mass_per_length",
)  # fmt: skip
"""Fields of `RuleRows` in the order of these rows."""


class RuleRows(NamedTuple):
    """Cables with the same integration rule, which has n axial and m bending points.

    Attributes:
        rows: records, shape (rows,): ``length`` [m], ``mass_per_length`` [kg/m], ``axial_stiffness`` [N],
            ``bending_stiffness`` [N m^2], ``axial_damping`` [N s], ``bending_damping`` [N m^2 s], and ``place``, the
            position of each row in the slots.
        strain: without force at the points [1], shape (rows, n).
        curvature: without force at the points [1/m], shape (rows, m), in 3D (rows, m, 3).
        dofs: local numbers of x0, y0, x0', y0', x1, y1, x1', y1', shape (rows, 8), in 3D (rows, 12).
    """

    rows: NDArray[Any]
    strain: FloatArray
    curvature: FloatArray
    dofs: IntArray


class Lanes(NamedTuple):
    """Rows of a rule with n axial and m bending points in blocks of `LANES`, the last filled up with the last row.

    given: by block, quantity and lane, shape (blocks, 6 + n + m, LANES): length L [m], EA [N], EI [N m^2], dEA [N s],
        dEI [N m^2 s], mass per length [kg/m]; strain without force at the axial points [1]; curvature without force at
        the bending points [1/m], in 3D x, y, z of each.
    dofs: local numbers of x0, y0, x0', y0', x1, y1, x1', y1', shape (LANES * blocks, 8), in 3D 12.
    row: position of each row in the slots, shape (rows,).
    """

    given: FloatArray
    dofs: IntArray
    row: IntArray


def create_lanes(c: RuleRows) -> Lanes:
    """Rows of a rule in blocks."""
    rows = len(c.rows)
    blocks = -(-rows // LANES)
    filled = np.minimum(np.arange(blocks * LANES), rows - 1)
    curvature = c.curvature.reshape(rows, math.prod(c.curvature.shape[1:]))
    given = np.array([*(c.rows[name] for name in QUANTITIES), *c.strain.T, *curvature.T])[:, filled]
    by_block = given.reshape(len(given), blocks, LANES).transpose(1, 0, 2)
    return Lanes(np.ascontiguousarray(by_block), np.ascontiguousarray(c.dofs[filled]), c.rows["place"].copy())


@kernel(inline=True)
def gather(dims: int, c: Lanes, first: int, x: FloatArray, row: int, g: FloatArray) -> None:
    """Copy the 4 dims coordinates of each lane to as many rows."""
    for k in range(LANES):
        n = c.dofs[first + k]
        for j in range(4 * dims):
            g[row + j, k] = x[n[j]]


@kernel(inline=True)
def take_given(c: Lanes, block: int, place: int, count: int, row: int, g: FloatArray) -> None:
    """Copy some of the given data of a block to as many rows."""
    for j in range(count):
        for k in range(LANES):
            g[row + j, k] = c.given[block, place + j, k]


@kernel(inline=True)
def read_given(dims: int, k: int, g: FloatArray) -> tuple[float, float, float, float, float]:
    """L, EA, EI, dEA, dEI of lane k."""
    row = 8 * dims
    return g[row, k], g[row + 1, k], g[row + 2, k], g[row + 3, k], g[row + 4, k]


@kernel(inline=True)
def scatter_forces(dims: int, c: Lanes, first: int, g: FloatArray, f: FloatArray) -> None:
    """Add the forces of the lanes to the forces of the world."""
    for k in range(min(LANES, len(c.row) - first)):
        n = c.dofs[first + k]
        for j in range(4 * dims):
            f[n[j]] += g[16 * dims + 3 + j, k]


@kernel(inline=True)
def find_slot(slots: Slots, row: int, i: int, j: int) -> int:
    """Place of entry (i, j) of the matrix of a row, with the pieces of `add_matrix`."""
    to, width = slots.places[row], slots.width
    if slots.height > 1:
        return int(to[i // width, j // width] + width * (j % width) + i % width)
    return int(to[i, j // width] + j % width)


@kernel(inline=True)
def add_matrix(dims: int, g: FloatArray, k: int, slots: Slots, row: int, values: FloatArray) -> None:
    """Add the matrix of lane k, which belongs to a row, to the matrix of the world.

    With w = 2 dims coordinates of a node, pieces are 1 x 1, 1 x w or w x w.
    """
    places, first = slots.places[row], 12 * dims + 3
    w, n = 2 * dims, 4 * dims
    if slots.height == w:
        for p in range(2):
            for q in range(2):
                to = places[p, q]
                for j in range(w):
                    for i in range(w):
                        values[to + w * j + i] += g[first + n * (w * p + i) + w * q + j, k]
    elif slots.width == w:
        for i in range(n):
            for q in range(2):
                to = places[i, q]
                for j in range(w):
                    values[to + j] += g[first + n * i + w * q + j, k]
    else:
        for i in range(n):
            for j in range(n):
                values[places[i, j]] += g[first + n * i + j, k]


@kernel(inline=True)
def scatter_matrices(dims: int, c: Lanes, first: int, g: FloatArray, slots: Slots, values: FloatArray) -> None:
    """Add the matrices of the lanes to the matrix of the world; ``slots`` of all rows."""
    for k in range(min(LANES, len(c.row) - first)):
        add_matrix(dims, g, k, slots, c.row[first + k], values)
