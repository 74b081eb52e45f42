"""One point of a `Cable2D`: shape functions, integration rules, and kernels for the force and the tangent of a point.

Strains depend only on p = r' and k = r'', which depend on e = (r1 - r0)/L and on the slopes s0, s1 of the two nodes:

    r' = P0 e + P1 s0 + P2 s1,    L r'' = K0 e + K1 s0 + K2 s1.

The factors P and K follow from the cubic shape functions. The force on a vector (p, k, e, s0 or s1) is the generalised
force conjugate to this vector. The forces on p and k at each point, and their derivatives, are mapped to the
coordinates by these factors. The derivatives of the strain ε = |p| - 1 and of the curvature κ = (p × k)/g, with g =
p·p, are

    ε_p = p/|p|,    ε_pp = (I - ε_p ε_pᵀ)/|p|,    κ_p = ([k_y, -k_x] - 2κ p)/g,    κ_k = [-p_y, p_x]/g,
    κ_pp = -(2/g) (κ I + κ_p pᵀ + p κ_pᵀ),    κ_pk = ([[0, 1], [-1, 0]] - 2 p κ_kᵀ)/g,    κ_kk = 0.

With z = (p, k) the rate of the curvature is κ_t = κ_z·z_t, and the derivative of this rate is ∂κ_t/∂z = κ_zz z_t.
Therefore damping needs no derivatives in addition to κ_z and κ_zz. In the code, names of rates end with t: pt = r'_t,
kt = r''_t.
"""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple, TypeVar

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel

Four = tuple[float, float, float, float]
Blocks = tuple[Four, Four, Four, Four]
Entries = tuple[float, ...]
"""Elements of a small matrix, row by row."""
EntryBlocks = tuple[Entries, Entries, Entries, Entries]
Number = TypeVar("Number", float, FloatArray)
"""Scalar in kernels, or array with one value per row."""


class Shape(NamedTuple):
    """Shape functions S1..S4 of x0, x0', x1, x1' and their derivatives with respect to arc length, each of shape (...,
    4).

    S [1, m, 1, m], dS [1/m, 1, 1/m, 1], ddS [1/m^2, 1/m, 1/m^2, 1/m].
    """

    S: FloatArray
    dS: FloatArray
    ddS: FloatArray


class Rule(NamedTuple):
    """Integration points on a cable of length 1: n axial points and m bending points.

    sa, wa: positions and weights of the axial points [1], shape (n,).
    Pa: factors of e, s0, s1 in r' at the axial points [1], shape (n, 3).
    sb, wb: positions and weights of the bending points [1], shape (m,).
    Pb, Kb: factors of e, s0, s1 in r' and L r'' at the bending points [1], shape (m, 3).
    """

    sa: FloatArray
    wa: FloatArray
    Pa: FloatArray
    sb: FloatArray
    wb: FloatArray
    Pb: FloatArray
    Kb: FloatArray


# fast=False: shape functions must be bit-identical for a single point, for a lane and for an array.


@kernel(inline=True, fast=False)
def shape(s: Number, L: Number) -> tuple[Number, Number, Number, Number]:
    """Return S1..S4 [1, m, 1, m] at the position s = x/L [1] of a cable of length L [m]."""
    a, b = s * s, 1.0 - s
    S3 = a * (3.0 - 2.0 * s)
    return 1.0 - S3, L * s * b * b, S3, -L * a * b


@kernel(inline=True, fast=False)
def shape_slope(s: Number, L: Number) -> tuple[Number, Number, Number, Number]:
    """Return the first derivatives of the shape functions with respect to arc length [1/m, 1, 1/m, 1]."""
    D3 = 6.0 * s * (1.0 - s) / L
    return -D3, (1.0 - s) * (1.0 - 3.0 * s), D3, s * (3.0 * s - 2.0)


@kernel(inline=True, fast=False)
def shape_bend(s: Number, L: Number) -> tuple[Number, Number, Number, Number]:
    """Return the second derivatives of the shape functions with respect to arc length [1/m^2, 1/m, 1/m^2, 1/m]."""
    iL = 1.0 / L
    E3 = (6.0 - 12.0 * s) * iL * iL
    return -E3, (6.0 * s - 4.0) * iL, E3, (6.0 * s - 2.0) * iL


@kernel(inline=True)
def shape_integrals(L: Number) -> tuple[Number, Number, Number, Number]:
    """Return the integrals ∫ S_i dx of the shape functions over the cable [m, m^2, m, m^2]."""
    by_slope = L * L / 12.0
    return 0.5 * L, by_slope, 0.5 * L, -by_slope


@kernel(inline=True, fast=False)
def cubic_terms(e: float, s0: float, s1: float, L: float) -> tuple[float, float]:
    """Return the coefficients c and d of the cubic x0 + s0 x + c x² + d x³ with the position x0 and the slope s0 at the
    first node and the slope s1 at the second node. The argument e is (x1 - x0)/L, where x1 is the position of the
    second node."""
    return (3.0 * e - 2.0 * s0 - s1) / L, (s0 + s1 - 2.0 * e) / (L * L)


def array_form(function: Any) -> Any:
    """Return the Python function of a kernel. This function accepts arrays instead of scalars."""
    return getattr(function, "py_func", function)


def eval_shape(s: FloatArray, L: FloatArray) -> Shape:
    """Return the shape functions at positions s = x/L [1] of cables of length L [m]; the arrays s and L must be
    broadcastable."""
    both = np.broadcast_arrays(s, L)
    return Shape(*(np.stack(array_form(kernel)(*both), -1) for kernel in (shape, shape_slope, shape_bend)))


def create_rule(integration: int) -> Rule:
    """Create the points of integration rule 0, 1 or 2; cable2d.py describes the rules."""
    if integration == 2:
        sa, wa = np.array([0.0, 0.5, 1.0]), np.array([1.0, 4.0, 1.0]) / 6.0
    else:
        sa, wa = gauss_rule(5 if integration == 0 else 4)
    sb, wb = gauss_rule(3 if integration == 0 else 2)
    one = np.ones(())
    e_s0_s1 = [2, 1, 3]
    Pa = eval_shape(sa, one).dS[:, e_s0_s1]
    bending = eval_shape(sb, one)
    return Rule(sa, wa, Pa, sb, wb, bending.dS[:, e_s0_s1], bending.ddS[:, e_s0_s1])


def gauss_rule(points: int) -> tuple[FloatArray, FloatArray]:
    """Return the points and weights of the Gauss rule on [0, 1]."""
    legendre: Any = np.polynomial.legendre  # early versions of NumPy have no types for this function
    x, w = legendre.leggauss(points)
    return 0.5 + 0.5 * x, 0.5 * w


@kernel(inline=True)
def axial_force(px: float, py: float, ptx: float, pty: float, EA: float, dEA: float, eps: float) -> float:
    """Return N/|p| [N], where N = EA (ε - eps) + dEA ε_t is the axial force. The force on p is N p/|p|."""
    length = sqrt(px * px + py * py)
    il = 1.0 / length
    return (EA * (length - 1.0 - eps) + dEA * il * (px * ptx + py * pty)) * il


@kernel(inline=True)
def axial_block(
    px: float, py: float, ptx: float, pty: float, EA: float, dEA: float, eps: float, dq: float, dv: float
) -> Four:
    """Return the elements xx, xy, yx, yy of the matrix dq ∂f/∂p + dv ∂f/∂p_t [N], where f is the force on p."""
    length = sqrt(px * px + py * py)
    il = 1.0 / length
    et = il * (px * ptx + py * pty)
    T = (EA * (length - 1.0 - eps) + dEA * et) * il
    # p ⊗ (c p + d pt) + T I, from ε_p ⊗ ∂N/∂p + N ε_pp
    c = (dq * (EA - T - dEA * et * il) + dv * dEA) * il * il
    d = dq * dEA * il * il
    yx = c * px + d * ptx
    yy = c * py + d * pty
    return dq * T + px * yx, px * yy, py * yx, dq * T + py * yy


@kernel(inline=True)
def bending_force(
    px: float, py: float, kx: float, ky: float, ptx: float, pty: float, ktx: float, kty: float,
    EI: float, dEI: float, kap: float,
) -> Four:  # fmt: skip
    """Return the force M κ_p on p [N] and the force M κ_k on k [N m], where M = EI (κ - kap) + dEI κ_t is the bending
    moment."""
    ig = 1.0 / (px * px + py * py)
    kappa = ig * (px * ky - py * kx)
    ax = ig * (ky - 2.0 * kappa * px)
    ay = ig * (-kx - 2.0 * kappa * py)
    bx = -ig * py
    by = ig * px
    M = EI * (kappa - kap) + dEI * (ax * ptx + ay * pty + bx * ktx + by * kty)
    return M * ax, M * ay, M * bx, M * by


@kernel(inline=True)
def bending_blocks(
    px: float, py: float, kx: float, ky: float, ptx: float, pty: float, ktx: float, kty: float,
    EI: float, dEI: float, kap: float, dq: float, dv: float,
) -> Blocks:  # fmt: skip
    """Return the blocks pp, pk, kp and kk, each with the elements xx, xy, yx, yy. Block pk, for example, contains dq
    times the derivative of the force on p with respect to k, plus dv times the derivative with respect to the rate of
    k.
    """
    ig = 1.0 / (px * px + py * py)
    kappa = ig * (px * ky - py * kx)
    # κ_p = (ax, ay), κ_k = (bx, by)
    ax = ig * (ky - 2.0 * kappa * px)
    ay = ig * (-kx - 2.0 * kappa * py)
    bx = -ig * py
    by = ig * px
    kappa_t = ax * ptx + ay * pty + bx * ktx + by * kty
    m = dq * ig * (EI * (kappa - kap) + dEI * kappa_t)
    # (ux, uy, vx, vy): derivative of the moment with respect to (p, k), c κ_z + dq dEI κ_zz z_t
    c = dq * EI + dv * dEI
    d = dq * dEI * ig
    gt = 2.0 * (px * ptx + py * pty)
    ux = c * ax + d * (kty - 2.0 * (kappa * ptx + kappa_t * px) - gt * ax)
    uy = c * ay + d * (-ktx - 2.0 * (kappa * pty + kappa_t * py) - gt * ay)
    vx = c * bx + d * (-pty - gt * bx)
    vy = c * by + d * (ptx - gt * by)
    # κ_z ⊗ (u, v) + dq M κ_zz
    m2 = 2.0 * m
    xx, xy, yy = m2 * (kappa + 2.0 * ax * px), m2 * (ax * py + ay * px), m2 * (kappa + 2.0 * ay * py)
    pp = (ax * ux - xx, ax * uy - xy, ay * ux - xy, ay * uy - yy)
    xx, xy, yx, yy = m2 * px * bx, m - m2 * px * by, m + m2 * py * bx, m2 * py * by
    pk = (ax * vx - xx, ax * vy + xy, ay * vx - yx, ay * vy - yy)
    kp = (bx * ux - xx, bx * uy - yx, by * ux + xy, by * uy - yy)
    return pp, pk, kp, (bx * vx, bx * vy, by * vx, by * vy)
