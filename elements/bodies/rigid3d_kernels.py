"""Kernels of `RigidBody3D`: inertia, gravity and the constraint of the Euler parameters, with exact tangents.

Symbols: R is the position of the node, e are the Euler parameters, n = e·e, A is the rotation matrix, and L the matrix
in `rotations`. The mass is m, and s = m c with the position c of the centre of mass in the frame of the body. Θ is the
inertia tensor about the node, and κ the artificial inertia, see rigid3d.py.

    Γ = 2 L(e)/n,    ω = Γ e_t,    α = Γ e_tt,
    f_R = m R_tt + A (α × s + ω × (ω × s)),
    T = Θ α + ω × Θ ω + s × Aᵀ R_tt,
    f_e = Γᵀ T + κ e (e·e_tt + e_t·e_t).

f_R is in the global frame. ω, α and the torque T about the node are in the frame of the body. The generalised forces of
the weight are m g and Γᵀ (s × Aᵀ g), where g is the gravitational acceleration.

The exact ω_t has the additional term -ω n_t/n, which is 0 if the velocities satisfy the constraint n = 1. This term is
neglected. It is also neglected in Nikravesh's equations. In an index-3 formulation the velocities satisfy the
constraint within the error of the integrator. The term m R_tt is part of the constant mass matrix. The derivatives of
the inertia forces with respect to e follow from two equations. The first is the variation δA = A (Γ δe)~, which
corresponds to A_t = A ω~. The second is Lᵀ T = N(T) e with N(T) = [[0, -Tᵀ], [T, -T~]]. Here a~ is the matrix of the
cross product a ×.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.elements.nodes.vectors import Vector, add, combine, cross, dot
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.system import Coupling


@kernel(inline=True)
def read(A: FloatArray, i: int) -> Vector:
    """Return row i of a matrix."""
    return A[i, 0], A[i, 1], A[i, 2]


@kernel(inline=True)
def three(a: FloatArray) -> Vector:
    """Return the three elements of an array as a tuple."""
    return a[0], a[1], a[2]


@kernel(inline=True)
def read_at(y: FloatArray, n: IntArray) -> Vector:
    """Return the three elements of y whose indices are the first three elements of n."""
    return y[n[0]], y[n[1]], y[n[2]]


@kernel(inline=True)
def read_column(G: FloatArray, b: int) -> Vector:
    """Return column b of a matrix."""
    return G[0, b], G[1, b], G[2, b]


@kernel(inline=True)
def times(A: FloatArray, a: Vector) -> Vector:
    """Return A a."""
    return dot(read(A, 0), a), dot(read(A, 1), a), dot(read(A, 2), a)


@kernel(inline=True)
def times_transposed(A: FloatArray, a: Vector) -> Vector:
    """Return Aᵀ a."""
    return dot(read_column(A, 0), a), dot(read_column(A, 1), a), dot(read_column(A, 2), a)


@kernel
def fill_rotation(e0: float, e1: float, e2: float, e3: float, A: FloatArray, G: FloatArray) -> float:
    """Fill the rotation matrix A, shape (3, 3), and G, the matrix Γ, shape (3, 4), from the Euler parameters e. Return
    n = e·e.
    """
    n: float = e0 * e0 + e1 * e1 + e2 * e2 + e3 * e3
    c = 2.0 / n
    A[0, 0], A[1, 1] = 1.0 - c * (e2 * e2 + e3 * e3), 1.0 - c * (e1 * e1 + e3 * e3)
    A[2, 2] = 1.0 - c * (e1 * e1 + e2 * e2)
    A[0, 1], A[1, 0] = c * (e1 * e2 - e0 * e3), c * (e1 * e2 + e0 * e3)
    A[0, 2], A[2, 0] = c * (e1 * e3 + e0 * e2), c * (e1 * e3 - e0 * e2)
    A[1, 2], A[2, 1] = c * (e2 * e3 - e0 * e1), c * (e2 * e3 + e0 * e1)
    G[0, 0], G[0, 1], G[0, 2], G[0, 3] = -c * e1, c * e0, c * e3, -c * e2
    G[1, 0], G[1, 1], G[1, 2], G[1, 3] = -c * e2, -c * e3, c * e0, c * e1
    G[2, 0], G[2, 1], G[2, 2], G[2, 3] = -c * e3, c * e2, -c * e1, c * e0
    return n


@kernel(inline=True)
def update_rotation(x: FloatArray, dofs: IntArray, e: FloatArray, A: FloatArray, G: FloatArray) -> float:
    """Fill the Euler parameters e, shape (4,), the rotation matrix A, shape (3, 3), and G, the matrix Γ, shape (3, 4),
    of the row whose coordinates have the indices ``dofs``. Return n = e·e.
    """
    for a in range(4):
        e[a] = x[dofs[3 + a]]
    n: float = fill_rotation(e[0], e[1], e[2], e[3], A, G)
    return n


@kernel(inline=True)
def apply(G: FloatArray, v: FloatArray, n: IntArray) -> Vector:
    """Return the product of G = Γ and four elements of v, which are the elements for the Euler parameters of a row. The
    argument n contains the coordinate indices of the row.
    """
    a, b, c, d = v[n[3]], v[n[4]], v[n[5]], v[n[6]]
    return (
        G[0, 0] * a + G[0, 1] * b + G[0, 2] * c + G[0, 3] * d,
        G[1, 0] * a + G[1, 1] * b + G[1, 2] * c + G[1, 3] * d,
        G[2, 0] * a + G[2, 1] * b + G[2, 2] * c + G[2, 3] * d,
    )


@kernel
def mass(rows: Any, scale: float, slots: IntArray, values: FloatArray) -> None:
    """Add ``scale`` times the constant part diag(m, m, m) of the mass matrix to the values of the matrix at the indices
    ``slots``, shape (rows, 7, 7).
    """
    for i in range(len(rows)):
        for k in range(3):
            values[slots[i, k, k]] += scale * rows[i].mass


@kernel
def inertia(rows: Any, x: FloatArray, v: FloatArray, a: FloatArray, f: FloatArray) -> None:
    """Add f_R - m R_tt and f_e to f."""
    e, A, G = np.zeros(4), np.zeros((3, 3)), np.zeros((3, 4))
    for i in range(len(rows)):
        row = rows[i]
        d, s = row.dofs, three(row.moment)
        update_rotation(x, d, e, A, G)
        w, alpha = apply(G, v, d), apply(G, a, d)
        # inertia force due to the offset of the centre of mass from the node
        force = times(A, add(cross(alpha, s), cross(w, cross(w, s))))
        for k in range(3):
            f[d[k]] += force[k]
        # torque of the inertia forces about the node
        torque = add(times(row.about_node, alpha), cross(w, times(row.about_node, w)))
        torque = add(torque, cross(s, times_transposed(A, read_at(a, d))))
        stretch = 0.0
        for k in range(4):
            stretch += e[k] * a[d[3 + k]] + v[d[3 + k]] * v[d[3 + k]]
        for k in range(4):
            f[d[3 + k]] += dot(read_column(G, k), torque) + row.stretching * stretch * e[k]


@kernel
def add_torque_tangent(G: FloatArray, e: FloatArray, n: float, torque: Vector, scale: float, B: FloatArray) -> None:
    """Add ``scale`` times ∂(Γᵀ T)/∂e to B[3:, 3:], for the matrix G = Γ and a constant torque T = ``torque``. This
    derivative is (2/n) (N(T) - (Lᵀ T) 2 eᵀ/n).
    """
    k = 2.0 * scale / n
    for a in range(3):
        b, c = (a + 1) % 3, (a + 2) % 3
        B[3, 4 + a] -= k * torque[a]
        B[4 + a, 3] += k * torque[a]
        B[4 + b, 4 + c] += k * torque[a]
        B[4 + c, 4 + b] -= k * torque[a]
    for a in range(4):
        force = dot(read_column(G, a), torque)
        for b in range(4):
            B[3 + a, 3 + b] -= k * force * e[b]


@kernel
def add_block(B: FloatArray, slots: IntArray, i: int, values: FloatArray) -> None:
    """Add B, shape (7, 7), to the values of the matrix at the indices slots[i] of row i, and set B to 0."""
    for a in range(7):
        for b in range(7):
            values[slots[i, a, b]] += B[a, b]
            B[a, b] = 0.0


@kernel
def inertia_tangent(
    rows: Any, x: FloatArray, v: FloatArray, a: FloatArray, dq: float, dv: float, da: float,
    slots: IntArray, values: FloatArray,
) -> None:  # fmt: skip
    """Add the tangent dq ∂f/∂q + dv ∂f/∂v + da ∂f/∂a of `inertia`, with the factors dq, dv and da, to the values of the
    matrix at the indices ``slots``, shape (rows, 7, 7).
    """
    e, A, G, Gv, Ga = np.zeros(4), np.zeros((3, 3)), np.zeros((3, 4)), np.zeros((3, 4)), np.zeros((3, 4))
    B = np.zeros((7, 7))
    for i in range(len(rows)):
        row = rows[i]
        d, s, inertia = row.dofs, three(row.moment), row.about_node
        n = update_rotation(x, d, e, A, G)
        w, alpha = apply(G, v, d), apply(G, a, d)
        # spin = Θ ω; r_tt = acceleration of the node in the frame of the body; force and torque as in `inertia`
        spin, r_tt, ws = times(inertia, w), times_transposed(A, read_at(a, d)), cross(w, s)
        force = add(cross(w, ws), cross(alpha, s))
        torque = add(add(times(inertia, alpha), cross(w, spin)), cross(s, r_tt))
        add_torque_tangent(G, e, n, torque, dq, B)
        # ∂(Γ y)/∂e = -(2 L(y) + (Γ y) 2 eᵀ)/n for y = e_t and e_tt
        fill_rate_derivative(v, d, e, n, w, Gv)
        fill_rate_derivative(a, d, e, n, alpha, Ga)
        for b in range(4):
            # variations of ω, α and of the rotation for a variation of Euler parameter b
            column = read_column(G, b)
            dw = combine(dv, column, dq, read_column(Gv, b))
            dalpha = combine(da, column, dq, read_column(Ga, b))
            turn = (dq * column[0], dq * column[1], dq * column[2])
            # variation of f_R = m R_tt + A b: δ(A b) = A (δα × s + δω × (ω × s) + ω × (δω × s) + δθ × b)
            change = add(cross(w, cross(dw, s)), cross(dw, ws))
            change = times(A, add(add(change, cross(dalpha, s)), cross(turn, force)))
            for k in range(3):
                B[k, 3 + b] += change[k]
            # δT = Θ δα + δω × Θ ω + ω × Θ δω + s × (Aᵀ R_tt × δθ)
            change = add(times(inertia, dalpha), cross(dw, spin))
            change = add(add(change, cross(w, times(inertia, dw))), cross(s, cross(r_tt, turn)))
            for k in range(4):
                B[3 + k, 3 + b] += dot(read_column(G, k), change)
        # derivative of Γᵀ T with respect to R_tt: Γᵀ s~ Aᵀ
        for b in range(3):
            change = cross(s, read(A, b))
            for k in range(4):
                B[3 + k, b] += da * dot(read_column(G, k), change)
        # derivatives, with respect to e, e_t and e_tt, of κ e (e·e_tt + e_t·e_t), the inertia force for a change of the
        # length of e
        stretch = 0.0
        for k in range(4):
            stretch += e[k] * a[d[3 + k]] + v[d[3 + k]] * v[d[3 + k]]
        for k in range(4):
            B[3 + k, 3 + k] += row.stretching * dq * stretch
            for b in range(4):
                B[3 + k, 3 + b] += row.stretching * e[k] * (dq * a[d[3 + b]] + 2.0 * dv * v[d[3 + b]] + da * e[b])
        add_block(B, slots, i, values)


@kernel
def fill_rate_derivative(y: FloatArray, d: IntArray, e: FloatArray, n: float, w: Vector, D: FloatArray) -> None:
    """Fill the derivative D = ∂(Γ y)/∂e, shape (3, 4), at constant y. The vector w is the product Γ y, and d contains
    the coordinate indices of the row."""
    c = 2.0 / n
    y0, y1, y2, y3 = c * y[d[3]], c * y[d[4]], c * y[d[5]], c * y[d[6]]
    D[0, 0], D[0, 1], D[0, 2], D[0, 3] = y1, -y0, -y3, y2
    D[1, 0], D[1, 1], D[1, 2], D[1, 3] = y2, y3, -y0, -y1
    D[2, 0], D[2, 1], D[2, 2], D[2, 3] = y3, -y2, y1, -y0
    for a in range(3):
        for b in range(4):
            D[a, b] -= c * w[a] * e[b]


@kernel
def gravity(rows: Any, x: FloatArray, g: FloatArray, which: IntArray, f: FloatArray) -> None:
    """Add to f the weight of the rows ``which`` for the gravitational acceleration g [m/s^2], shape (3,)."""
    e, A, G = np.zeros(4), np.zeros((3, 3)), np.zeros((3, 4))
    for i in which:
        row = rows[i]
        update_rotation(x, row.dofs, e, A, G)
        torque = cross(three(row.moment), times_transposed(A, (g[0], g[1], g[2])))
        for k in range(3):
            f[row.dofs[k]] += row.mass * g[k]
        for k in range(4):
            f[row.dofs[3 + k]] += dot(read_column(G, k), torque)


@kernel
def gravity_tangent(
    rows: Any, x: FloatArray, g: FloatArray, which: IntArray, dq: float, slots: IntArray, values: FloatArray
) -> None:
    """Add the tangent dq ∂f/∂q of `gravity`, with the factor dq, to the values of the matrix at the indices ``slots``,
    shape (rows, 7, 7). The derivative ∂f/∂q consists of Γᵀ (s × (Aᵀ g × Γ)) and the term with the derivative of Γᵀ with
    respect to e.
    """
    e, A, G, B = np.zeros(4), np.zeros((3, 3)), np.zeros((3, 4)), np.zeros((7, 7))
    for i in which:
        n, s = update_rotation(x, rows[i].dofs, e, A, G), three(rows[i].moment)
        weight = times_transposed(A, (g[0], g[1], g[2]))
        add_torque_tangent(G, e, n, cross(s, weight), dq, B)
        for b in range(4):
            turn = (dq * G[0, b], dq * G[1, b], dq * G[2, b])
            change = cross(s, cross(weight, turn))
            for k in range(4):
                B[3 + k, 3 + b] += dot(read_column(G, k), change)
        add_block(B, slots, i, values)


@kernel
def constraint(
    rows: Any, x: FloatArray, v: FloatArray, lam: FloatArray, rate_level: bool, C: FloatArray, f: FloatArray
) -> None:
    """Add the constraint e·e - 1 or, if ``rate_level`` is true, its rate 2 e·e_t to C. Add the constraint force 2 e λ
    to f, with the multipliers λ = ``lam``.
    """
    for i in range(len(rows)):
        row = rows[i]
        k, total = row.multiplier, 0.0 if rate_level else -1.0
        for a in range(3, 7):
            d = row.dofs[a]
            total += 2.0 * x[d] * v[d] if rate_level else x[d] * x[d]
            f[d] += 2.0 * x[d] * lam[k]
        C[k] += total


@kernel
def constraint_tangent(
    rows: Any, x: FloatArray, v: FloatArray, lam: FloatArray, rate_level: bool, dq: float, dv: float,
    slots: Coupling, values: FloatArray,
) -> None:  # fmt: skip
    """Add the derivatives of `constraint` to the values of the matrix at the indices ``slots``. The derivatives with
    respect to coordinates are multiplied by dq, the derivatives with respect to velocities by dv, and the derivatives
    with respect to λ by ``slots.scale``. The derivative of 2 e λ with respect to e is 2 λ.
    """
    for i in range(len(rows)):
        row = rows[i]
        for a in range(3, 7):
            d = row.dofs[a]
            gradient = 2.0 * (dv * x[d] + dq * v[d]) if rate_level else 2.0 * dq * x[d]
            values[slots.rows[i, 0, a]] += gradient
            values[slots.columns[i, a, 0]] += 2.0 * slots.scale * x[d]
            values[slots.block[i, a, a]] += 2.0 * dq * lam[row.multiplier]


@kernel
def add_accelerations(rows: Any, v: FloatArray, C: FloatArray) -> None:
    """Add -2 e_t·e_t of each row to the array C. This term is the right-hand side of the constraint at acceleration
    level, 2 e·e_tt = -2 e_t·e_t.
    """
    for i in range(len(rows)):
        row = rows[i]
        for a in range(3, 7):
            C[row.multiplier] -= 2.0 * v[row.dofs[a]] ** 2
