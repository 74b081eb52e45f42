"""The mass matrix M of a 2D or 3D cable of length L and mass per length ρA. Kernels for products with M and for inertia
forces.

For each axis, with the coordinates r0, r0', r1, r1' of the two nodes,

                                 156     22 L     54    -13 L
    M = ∫ ρA SᵀS dx = ρA L/420    22 L    4 L²    13 L   -3 L²
                                  54     13 L    156    -22 L
                                 -13 L   -3 L²   -22 L    4 L²
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.elements.cable.ale_kernels import slide_matrices
from windlass.elements.cable.lanes import find_slot
from windlass.elements.cable.points import Four, Number, array_form
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.rows import create_records
from windlass.framework.model.system import AxialFlow, Slots

R_R, R_S, R_R1, R_S1, S_S, S_S1 = 156.0, 22.0, 54.0, 13.0, 4.0, 3.0
"""Elements of M without signs and powers of L. R and S denote the position and the slope of the first node. R1 and S1
denote the position and the slope of the second node.
"""
CableMass = tuple[tuple[Number, Number, Number, Number], ...]


@kernel(inline=True)
def mass_rows(mass: Number, L: Number) -> CableMass[Number]:
    """Return the rows of M for one global axis [kg, kg m, kg m^2], for a cable of the length L [m] and the mass per
    length [kg/m]."""
    m = mass * L / 420.0
    Lm = L * m
    LLm = L * Lm
    return (
        (R_R * m, R_S * Lm, R_R1 * m, -R_S1 * Lm),
        (R_S * Lm, S_S * LLm, R_S1 * Lm, -S_S1 * LLm),
        (R_R1 * m, R_S1 * Lm, R_R * m, -R_S * Lm),
        (-R_S1 * Lm, -S_S1 * LLm, -R_S * Lm, S_S * LLm),
    )


class Inertia(NamedTuple):
    """Data for mass and weight: records with ``mass_per_length`` [kg/m] and ``length`` [m], shape (rows,), and the
    process-local coordinate indices, shape (rows, 4 d) in d dimensions.
    """

    rows: NDArray[Any]
    dofs: IntArray


def create_inertia(mass_per_length: FloatArray, length: FloatArray, dofs: IntArray) -> Inertia:
    """Create the data for the kernels of mass and weight. See `Inertia` for the arguments."""
    return Inertia(create_records(mass_per_length=mass_per_length, length=length), dofs)


def mass_matrices(rho: FloatArray, L: FloatArray) -> FloatArray:
    """Return M for one global axis, shape (rows, 4, 4), for masses per length [kg/m] and lengths [m], shape (rows,)."""
    return np.array(array_form(mass_rows)(rho, L)).transpose(2, 0, 1)


def eval_flow(c: Inertia) -> AxialFlow:
    """Return the matrices P = M G and Q = Gᵀ M G for all coordinates of each cable, each of shape (rows, 4 d, 4 d) in d
    dimensions. The matrix G is defined in `slide_matrices`. P and Q are needed for the modes of running belts.
    """
    rho, L = c.rows["mass_per_length"], c.rows["length"]
    G = slide_matrices(L)
    P = mass_matrices(rho, L) @ G
    n, axes = c.dofs.shape[1], np.eye(c.dofs.shape[1] // 4)
    both = (P, G.transpose(0, 2, 1) @ P)
    return AxialFlow(*(np.einsum("rij,ab->riajb", A, axes).reshape(-1, n, n) for A in both))


@kernel
def mass(c: Inertia, scale: float, slots: Slots, values: FloatArray) -> None:
    """Add scale times the mass matrix ∫ ρA SᵀS dx to the values of the matrix. The slots are explained in
    `find_slot`.
    """
    dims = c.dofs.shape[1] // 4
    for i in range(len(c.rows)):
        row = c.rows[i]
        M = mass_rows(scale * row.mass_per_length, row.length)
        for a in range(dims):
            for k in range(4):
                for l in range(4):
                    values[find_slot(slots, i, a + dims * k, a + dims * l)] += M[k][l]


@kernel(inline=True)
def product(row: Four, q: Four) -> float:
    """Return the product Σ M_j q_j of one row of the mass matrix and the coordinates q."""
    return row[0] * q[0] + row[1] * q[1] + row[2] * q[2] + row[3] * q[3]


@kernel
def mass_product(c: Inertia, x: FloatArray, f: FloatArray) -> None:
    """Add M x to f. Both arrays have the shape (n + 1,), where n is the number of coordinates."""
    d = c.dofs.shape[1] // 4
    for i in range(len(c.rows)):
        row = c.rows[i]
        n, M = c.dofs[i], mass_rows(row.mass_per_length, row.length)
        for a in range(d):
            q = x[n[a]], x[n[a + d]], x[n[a + 2 * d]], x[n[a + 3 * d]]
            f[n[a]] += product(M[0], q)
            f[n[a + d]] += product(M[1], q)
            f[n[a + 2 * d]] += product(M[2], q)
            f[n[a + 3 * d]] += product(M[3], q)


# The following kernels do not call `mass_rows`, because with such a call the compiler would reorder the sums, and the
# last digits of results would change.


@kernel(inline=True)
def add_inertia(dims: int, mass: float, k: int, g: Any) -> None:
    """Add the inertia forces M a to the forces of the cable in lane k. See lanes.py for g."""
    L = g.length[k]
    m = mass * g.mass_per_length[k] * L / 420.0
    for d in range(dims):
        # accelerations of the positions, and accelerations of the slopes times L
        a, f = g.accelerations, g.forces
        r0, q0, r1, q1 = a[d, k], L * a[d + dims, k], a[d + 2 * dims, k], L * a[d + 3 * dims, k]
        f[d, k] += m * (R_R * r0 + R_S * q0 + R_R1 * r1 - R_S1 * q1)
        f[d + dims, k] += L * m * (R_S * r0 + S_S * q0 + R_S1 * r1 - S_S1 * q1)
        f[d + 2 * dims, k] += m * (R_R1 * r0 + R_S1 * q0 + R_R * r1 - R_S * q1)
        f[d + 3 * dims, k] += L * m * (S_S * q1 - R_S1 * r0 - S_S1 * q0 - R_S * r1)


@kernel(inline=True)
def add_mass(dims: int, a: int, mass: float, k: int, g: Any) -> None:
    """Add ``mass`` times M to the element matrix of the cable in lane k, for the coordinates along global axis a."""
    L, M = g.length[k], g.matrix
    m = mass * g.mass_per_length[k] * L / 420.0
    Lm = L * m
    LLm = L * Lm
    to, x, y = (4 * dims + 1) * a, dims, 4 * dims * dims
    M[to, k] += R_R * m
    M[to + x, k] += R_S * Lm
    M[to + 2 * x, k] += R_R1 * m
    M[to + 3 * x, k] -= R_S1 * Lm
    to += y
    M[to, k] += R_S * Lm
    M[to + x, k] += S_S * LLm
    M[to + 2 * x, k] += R_S1 * Lm
    M[to + 3 * x, k] -= S_S1 * LLm
    to += y
    M[to, k] += R_R1 * m
    M[to + x, k] += R_S1 * Lm
    M[to + 2 * x, k] += R_R * m
    M[to + 3 * x, k] -= R_S * Lm
    to += y
    M[to, k] -= R_S1 * Lm
    M[to + x, k] -= S_S1 * LLm
    M[to + 2 * x, k] -= R_S * Lm
    M[to + 3 * x, k] += S_S * LLm
