"""Integration points and shape functions of winch cables. The length of a winch cable is a constant fraction of a
coordinate l.

An element covers the fractions σ0 to σ0 + Δ of the rope outside the winch, measured from the outlet. Its length is h =
Δ l. At the position ξ in [0, 1] of the element, σ = σ0 + Δ ξ, and the distance to the end of the rope is (1 - σ) l. The
shape functions are N_i(ξ) h^p_i with p = (0, 1, 0, 1), where N_i are the functions of `Cable2D` for the length 1. The
derivative r^(k) = Σ S_i^(k) q_i has the factors

    S_i^(k) = N_i^(k) h^(p_i - k), whose derivatives with respect to l are (p_i - k)/l S_i^(k) at constant ξ

At a constant material point, ξ_l = b/l with b = (1 - σ0)/Δ - ξ, and the derivatives with respect to l are

    B_i = dS_i/dl   = h^p_i (N_i' b + p_i N_i)/l,         C_i = d²S_i/dl² = h^p_i (N_i'' b² + 2 (p_i - 1) N_i' b)/l²,
    dS_i'/dl = h^(p_i - 1) (N_i'' b + (p_i - 1) N_i')/l.

The material has the velocity u = Σ S_i v_i + l_t B_i q_i and the acceleration u_t = Σ S_i a_i + l_tt B_i q_i + 2 l_t
B_i v_i + l_t² C_i q_i. The derivative of the position of the material with respect to l is w = Σ B_i q_i. The
coordinates z are the 4 d coordinates of both nodes, where d is the number of dimensions, followed by l.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel


class Points(NamedTuple):
    """Positions s = ξ and weights w of k points, shape (k,), and N, N', N'' at these points, shape (k, 4)."""

    s: FloatArray
    w: FloatArray
    N: FloatArray
    dN: FloatArray
    ddN: FloatArray


@kernel(inline=True)
def count_coordinates(rows: Any) -> int:
    """Return the number of coordinates of a cable, 4 d + 1. If there are no rows, return 1."""
    return len(rows[0].dofs) if len(rows) > 0 else 1


@kernel
def find_length(row: Any, x: FloatArray) -> float:
    """Return the length l [m] of the rope outside the winch, or NaN if l is not above the shortest length."""
    l: float = x[row.dofs[-1]]
    return l if l > row.shortest else np.nan


@kernel
def fill_slopes(row: Any, P: Points, k: int, l: float, S: FloatArray) -> None:
    """Fill S, shape (3, 4), with the factors of q_i in r' (row 0), in r'' (row 1), and in the derivative of r' with
    respect to l at constant material (row 2).
    """
    h, b = row.share * l, (1.0 - row.begin) / row.share - P.s[k]
    for j in range(4):
        p = j % 2
        scale = 1.0 if p == 1 else 1.0 / h
        S[0, j] = scale * P.dN[k, j]
        S[1, j] = scale * P.ddN[k, j] / h
        S[2, j] = scale * (P.ddN[k, j] * b + (p - 1) * P.dN[k, j]) / l


@kernel
def fill_shapes(row: Any, P: Points, k: int, l: float, S: FloatArray) -> None:
    """Fill the three rows of S, shape (3, 4), with the factors S_i, B_i and C_i at a point."""
    h, b = row.share * l, (1.0 - row.begin) / row.share - P.s[k]
    for j in range(4):
        p = j % 2
        scale = h if p == 1 else 1.0
        S[0, j] = scale * P.N[k, j]
        S[1, j] = scale * (P.dN[k, j] * b + p * P.N[k, j]) / l
        S[2, j] = scale * (P.ddN[k, j] * b * b + 2 * (p - 1) * P.dN[k, j] * b) / (l * l)


@kernel
def sum_up(S: FloatArray, power: int, q: FloatArray, n: IntArray, out: FloatArray, by_l: FloatArray, l: float) -> None:
    """Fill ``out`` = Σ S_j q_j and ``by_l`` = Σ (p_j - ``power``) S_j q_j/l, each of shape (d,). The factors S_j are
    proportional to l to the power p_j - ``power``. Therefore ``by_l`` is the derivative of ``out`` with respect to l at
    constant ξ.
    """
    d = len(out)
    for a in range(d):
        out[a], by_l[a] = 0.0, 0.0
        for j in range(4):
            term = S[j] * q[n[d * j + a]]
            out[a] += term
            by_l[a] += (j % 2 - power) * term / l


@kernel
def dot(a: FloatArray, b: FloatArray) -> float:
    """Return the scalar product a·b."""
    total = 0.0
    for k in range(len(a)):
        total += a[k] * b[k]
    return total
