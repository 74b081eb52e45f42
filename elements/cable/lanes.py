"""Functions and records for the kernels of `Cable2D` and `Cable3D`, for all integration rules.

Several cables are evaluated at once. Each lane of the vector instructions of the processor evaluates one cable. The
coordinates of these cables are copied into a record g of the type `work_type`. Loops over the lanes evaluate the forces
without branches. The results are then added to the arrays of the model, cable by cable. The loops read and write only
g. The reason is that the compiler uses vector instructions only if it can prove that arrays do not overlap.

``dims`` is the number of dimensions d, 2 or 3. Kernels in which the functions of this module are inlined pass ``dims``
as a constant.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.lanes import LANES, lane_type
from windlass.framework.model.system import Slots

QUANTITIES = (
    "length", "axial_stiffness", "bending_stiffness", "axial_damping", "bending_damping", "mass_per_length",
)  # fmt: skip
"""Fields of `RuleRows.rows`, in the order in which `Lanes.given` contains them."""


def work_type(dims: int) -> np.dtype[Any]:
    """Create the record type for the data of eight cables in ``dims`` = d dimensions, one cable per lane. The fields
    are `QUANTITIES`, coordinates, velocities, accelerations and forces, and the following fields:

    free: strains and curvatures of the stress-free state. For integration rule 2, the values at all points are stored.
        For other rules, only the values at the current point are stored.
    slopes: e and its rate, see points.py.
    on_points: forces on e, s0 and s1.
    sums: sums over the points of the derivatives of the forces on e, s0 and s1 with respect to e, s0 and s1.
    matrix: element matrix, row by row.
    """
    n = 4 * dims
    free = 3 + 2 * (1 if dims == 2 else 3)
    return lane_type(
        *QUANTITIES, coordinates=n, velocities=n, accelerations=n, forces=n, free=free, slopes=2 * dims,
        on_points=3 * dims, sums=9 * dims * dims, matrix=n * n,
    )  # fmt: skip


class RuleRows(NamedTuple):
    """Cables with the same integration rule, which has n axial and m bending points.

    Attributes:
        rows: records, shape (rows,): ``length`` [m], ``mass_per_length`` [kg/m], ``axial_stiffness`` [N],
            ``bending_stiffness`` [N m^2], ``axial_damping`` [N s], ``bending_damping`` [N m^2 s], and ``place``, the
            index of each row in the array of slots, see `add_matrix`.
        strain: stress-free strain at the points [1], shape (rows, n).
        curvature: stress-free curvature at the points [1/m], shape (rows, m), in 3D (rows, m, 3).
        dofs: process-local indices of the coordinates x0, y0, x0', y0', x1, y1, x1', y1', shape (rows, 8); in 3D with
            z, shape (rows, 12).
    """

    rows: NDArray[Any]
    strain: FloatArray
    curvature: FloatArray
    dofs: IntArray


class Lanes(NamedTuple):
    """Cables with the same integration rule (n axial and m bending points), in blocks of `LANES` cables. If the last
    block is not full, it is filled with copies of the last cable.

    given: parameters, shape (blocks, 6 + n + m, LANES). The second array axis contains L [m], EA [N], EI [N m^2], dEA
        [N s], dEI [N m^2 s] and mass per length [kg/m]. The following elements are the stress-free strain at the n
        axial points [1] and the stress-free curvature at the m bending points [1/m]. In 3D each bending point has three
        components.
    dofs: process-local indices of the coordinates x0, y0, x0', y0', x1, y1, x1', y1', shape (LANES * blocks, 8). In 3D,
        z is included, and the shape is (LANES * blocks, 12).
    row: index of each row in the array of slots, see `add_matrix`, shape (rows,).
    """

    given: FloatArray
    dofs: IntArray
    row: IntArray


def create_lanes(c: RuleRows) -> Lanes:
    """Arrange the rows with the same integration rule in blocks of `LANES` cables."""
    rows = len(c.rows)
    blocks = -(-rows // LANES)
    filled = np.minimum(np.arange(blocks * LANES), rows - 1)
    curvature = c.curvature.reshape(rows, math.prod(c.curvature.shape[1:]))
    given = np.array([*(c.rows[name] for name in QUANTITIES), *c.strain.T, *curvature.T])[:, filled]
    by_block = given.reshape(len(given), blocks, LANES).transpose(1, 0, 2)
    return Lanes(np.ascontiguousarray(by_block), np.ascontiguousarray(c.dofs[filled]), c.rows["place"].copy())


@kernel(inline=True)
def gather(dims: int, c: Lanes, first: int, x: FloatArray, to: FloatArray) -> None:
    """Copy the ``4 * dims`` node coordinates of each cable in a block into the lane of this cable."""
    for k in range(LANES):
        n = c.dofs[first + k]
        for j in range(4 * dims):
            to[j, k] = x[n[j]]


@kernel(inline=True)
def take_quantities(c: Lanes, block: int, g: Any) -> None:
    """Copy L, EA, EI, dEA, dEI and the mass per length of each cable in a block into the lane of this cable."""
    for k in range(LANES):
        g.length[k], g.axial_stiffness[k] = c.given[block, 0, k], c.given[block, 1, k]
        g.bending_stiffness[k], g.axial_damping[k] = c.given[block, 2, k], c.given[block, 3, k]
        g.bending_damping[k], g.mass_per_length[k] = c.given[block, 4, k], c.given[block, 5, k]


@kernel(inline=True)
def take_free(c: Lanes, block: int, first: int, count: int, to: FloatArray) -> None:
    """Copy the stress-free strains or curvatures of each cable in a block into the lane of this cable."""
    for j in range(count):
        for k in range(LANES):
            to[j, k] = c.given[block, 6 + first + j, k]


@kernel(inline=True)
def read_given(k: int, g: Any) -> tuple[float, float, float, float, float]:
    """Return L, EA, EI, dEA, dEI of the cable in lane k."""
    return g.length[k], g.axial_stiffness[k], g.bending_stiffness[k], g.axial_damping[k], g.bending_damping[k]


@kernel(inline=True)
def scatter_forces(dims: int, c: Lanes, first: int, g: Any, f: FloatArray) -> None:
    """Add the forces of all cables in a block to the forces of the model."""
    for k in range(min(LANES, len(c.row) - first)):
        n = c.dofs[first + k]
        for j in range(4 * dims):
            f[n[j]] += g.forces[j, k]


@kernel(inline=True)
def find_slot(slots: Slots, row: int, i: int, j: int) -> int:
    """Return the index at which the values of the matrix of the model contain element (i, j) of the element matrix of a
    row. The docstring of `add_matrix` explains the sizes of the blocks.
    """
    to, width = slots.places[row], slots.width
    if slots.height > 1:
        return int(to[i // width, j // width] + width * (j % width) + i % width)
    return int(to[i, j // width] + j % width)


@kernel(inline=True)
def add_matrix(dims: int, matrix: FloatArray, k: int, slots: Slots, row: int, values: FloatArray) -> None:
    """Add the element matrix of the cable in lane k to the values of the matrix of the model. The slots of this cable
    are ``slots.places[row]``.

    A slot is the index of a block of size 1 x 1, 1 x w or w x w in the values of the matrix, where w = 2 ``dims`` is
    the number of coordinates of a node.
    """
    places, w, n = slots.places[row], 2 * dims, 4 * dims
    if slots.height == w:
        for p in range(2):
            for q in range(2):
                to = places[p, q]
                for j in range(w):
                    for i in range(w):
                        values[to + w * j + i] += matrix[n * (w * p + i) + w * q + j, k]
    elif slots.width == w:
        for i in range(n):
            for q in range(2):
                to = places[i, q]
                for j in range(w):
                    values[to + j] += matrix[n * i + w * q + j, k]
    else:
        for i in range(n):
            for j in range(n):
                values[places[i, j]] += matrix[n * i + j, k]


@kernel(inline=True)
def scatter_matrices(dims: int, c: Lanes, first: int, matrix: FloatArray, slots: Slots, values: FloatArray) -> None:
    """Add the element matrices of a block to the values of the matrix of the model. The argument ``slots`` contains the
    slots of all rows.
    """
    for k in range(min(LANES, len(c.row) - first)):
        add_matrix(dims, matrix, k, slots, c.row[first + k], values)
