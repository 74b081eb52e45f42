"""Kernels that all 3D beams have: variables of the axis at Gauss points, section forces, and sums over Gauss points.

The first three coordinates of a node are its position r. The other coordinates are its rotation coordinates ψ, which
are Euler parameters for `Beam3D` and slopes for `SlopeBeam3D`. A point of the axis has the variables y = (r', ψ, ψ').
With the strains z(y), the section forces are σ = S (z - z_ref) + D z_t. With G = ∂z/∂y, the generalised forces are f_y
= Gᵀ σ, and the derivatives of f_y with respect to y are

    ∂f_y/∂y = Gᵀ (S G + D ∂z_t/∂y) + Σ σ_k ∂²z_k/∂y².

The field ``flip`` of a row contains a factor 1 or -1 for the rotation coordinates of each node, shape (4,).
"""

from __future__ import annotations

from typing import Any

from windlass.elements.beam.rules import LineRule
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel


@kernel
def read_point(row: Any, rule: LineRule, j: int, x: FloatArray, y: FloatArray) -> None:
    """Fill ``y`` with the variables of a row at Gauss point j. If x contains velocities instead of coordinates, fill
    ``y`` with the rates of these variables.
    """
    turns = (len(y) - 3) // 2
    width = 3 + turns
    for k in range(len(y)):
        y[k] = 0.0
    for a in range(len(rule.W)):
        n, N, D = width * a, rule.N[j, a], rule.D[j, a] / row.length
        for k in range(3):
            y[k] += D * x[row.dofs[n + k]]
        for k in range(3, width):
            turn = row.flip[a] * x[row.dofs[n + k]]
            y[k] += N * turn
            y[k + turns] += D * turn


@kernel
def find_stress(row: Any, j: int, z: FloatArray, zt: FloatArray, stress: FloatArray) -> None:
    """Fill ``stress``, shape (6,), with the forces and moments S (z - z_ref) + D z_t of the cross section at Gauss
    point j, where z contains Γ and κ.
    """
    for a in range(6):
        total = 0.0
        for b in range(6):
            total += row.stiffness[a, b] * (z[b] - row.free[j, b]) + row.damping[a, b] * zt[b]
        stress[a] = total


@kernel
def multiply(A: FloatArray, b: FloatArray, product: FloatArray) -> None:
    """Fill ``product`` with A b."""
    for i in range(len(product)):
        total = 0.0
        for k in range(len(b)):
            total += A[i, k] * b[k]
        product[i] = total


@kernel
def add_forces(row: Any, rule: LineRule, j: int, G: FloatArray, stress: FloatArray, f: FloatArray) -> None:
    """Add to f the forces on the node coordinates that result from the section forces at Gauss point j."""
    count = G.shape[1]
    turns = (count - 3) // 2
    width = 3 + turns
    for b in range(count):
        force = 0.0
        for a in range(6):
            force += G[a, b] * stress[a]
        for a in range(len(rule.W)):
            wD, wN, n = rule.w[j] * rule.D[j, a], rule.w[j] * row.length * rule.N[j, a], width * a
            if b < 3:
                f[row.dofs[n + b]] += wD * force
            elif b < width:
                f[row.dofs[n + b]] += wN * row.flip[a] * force
            else:
                f[row.dofs[n + b - turns]] += wD * row.flip[a] * force


@kernel(inline=True)
def fill_product(row: Any, dq: float, dv: float, G: FloatArray, R: FloatArray, T: FloatArray, K: FloatArray) -> None:
    """Replace K = Σ σ_k ∂²z_k/∂y² by dq ∂f_y/∂y + dv ∂f_y/∂y_t. The argument R = ∂z_t/∂y is read only if ``row.damped``
    is true. T, shape (6, count), is a work array.
    """
    count = G.shape[1]
    width = 3 + (count - 3) // 2
    # T = (dq S + dv D) G + dq D R. The loops omit elements of G and R that are 0, because Γ does not depend on ψ', and
    # κ does not depend on r'.
    for a in range(6):
        for b in range(count):
            T[a, b] = 0.0
        for o in range(6):
            S, D = dq * row.stiffness[a, o], row.damping[a, o]
            first, last = (0, width) if o < 3 else (3, count)
            for b in range(first, last):
                T[a, b] += (S + dv * D) * G[o, b]
            if row.damped:
                for b in range(first, last):
                    T[a, b] += dq * D * R[o, b]
    for b in range(count):
        first, last = 0 if b < width else 3, 3 if b < 3 else 6
        for o in range(count):
            K[b, o] *= dq
        for a in range(first, last):
            for o in range(count):
                K[b, o] += G[a, b] * T[a, o]


@kernel(inline=True)
def add_block(row: Any, rule: LineRule, j: int, K: FloatArray, slots: IntArray, values: FloatArray) -> None:
    """Add the contribution of Gauss point j to the values of the matrix at the indices ``slots`` of the row, shape
    (n, n). K contains dq ∂f_y/∂y + dv ∂f_y/∂y_t.
    """
    L, turns = row.length, (len(K) - 3) // 2
    width = 3 + turns
    for a in range(len(rule.W)):
        Da, fa = rule.D[j, a] / L, row.flip[a]
        Na, Ea = fa * rule.N[j, a], fa * Da
        for b in range(len(rule.W)):
            w, fb = rule.w[j] * L, row.flip[b]
            Db = w * rule.D[j, b] / L
            Nb, Eb, m, n = w * fb * rule.N[j, b], fb * Db, width * a, width * b
            for k in range(3):
                for l in range(3):
                    values[slots[m + k, n + l]] += Da * K[k, l] * Db
                for l in range(3, width):
                    values[slots[m + k, n + l]] += Da * (K[k, l] * Nb + K[k, l + turns] * Eb)
                    values[slots[m + l, n + k]] += (Na * K[l, k] + Ea * K[l + turns, k]) * Db
            for k in range(3, width):
                for l in range(3, width):
                    value = Na * (K[k, l] * Nb + K[k, l + turns] * Eb)
                    value += Ea * (K[k + turns, l] * Nb + K[k + turns, l + turns] * Eb)
                    values[slots[m + k, n + l]] += value


@kernel
def add_energies(
    row: Any, rule: LineRule, j: int, z: FloatArray, zt: FloatArray, energies: FloatArray, powers: FloatArray
) -> None:
    """Add the elastic energy [J] at Gauss point j to ``energies``, and the power [W] that the damping dissipates to
    ``powers``.
    """
    elastic, lost = 0.0, 0.0
    for a in range(6):
        force, friction = 0.0, 0.0
        for b in range(6):
            force += row.stiffness[a, b] * (z[b] - row.free[j, b])
            friction += row.damping[a, b] * zt[b]
        elastic += force * (z[a] - row.free[j, a])
        lost += friction * zt[a]
    energies[0, row.place] += 0.5 * rule.w[j] * row.length * elastic
    powers[0, row.place] += rule.w[j] * row.length * lost
