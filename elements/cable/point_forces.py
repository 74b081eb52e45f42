"""Forces at one point of a 2D or 3D cable, and the derivatives of these forces.

Strains depend only on p = r' and k = r'' (points.py). The force on p or k is the generalised force that is conjugate to
this vector. The bending moment m is a number in 2D and a vector in 3D. With g = p·p and the axial force N, the forces
on p and k are

    axial force on p    N p/|p|,    N = EA (|p| - 1 - ε_ref) + d_EA p·p_t/|p|,
    κ = (p × k)/g,    m = EI (κ - κ_ref) + d_EI κ_t,    κ_t = (p_t × k + p × k_t)/g - 2 (p·p_t)/g κ,
    force on p    P = (k × m)/g - 2 (m·κ)/g p,    force on k    K = (m × p)/g.

In the code, the names of rates end with t: pt = p_t, kt = k_t. The axial force has the same form in 2D and 3D. The
bending moment has separate formulas in 2D and 3D, because for a plane curve the 2D formulas need fewer operations. In
2D, the moment is a number M. The force on p is M κ_p, and the force on k is M κ_k. The derivatives of the curvature are

    κ_p = ([k_y, -k_x] - 2κ p)/g,    κ_k = [-p_y, p_x]/g,
    κ_pp = -(2/g) (κ I + κ_p pᵀ + p κ_pᵀ),    κ_pk = ([[0, 1], [-1, 0]] - 2 p κ_kᵀ)/g,    κ_kk = 0.

With z = (p, k), the rate of the curvature is κ_t = κ_z·z_t. The derivative of this rate is ∂κ_t/∂z = κ_zz z_t.
Therefore κ_z and κ_zz are sufficient for damping, too. In 3D,

    δκ   = (δp × k + p × δk)/g - 2 κ (p·δp)/g,
    δκ_t = (δp × k_t + p_t × δk)/g - 2 κ_t (p·δp)/g - 2 κ (p_t·δp)/g - g_t/g δκ.

If δm = c δκ + d δκ_t, then with c' = (c - d g_t/g)/g, d' = d/g, u = c' k + d' k_t, w = c' p + d' p_t,

    δm = δp × u + w × δk - 2 κ (w·δp) - 2 d' κ_t (p·δp).

The tangent consists of the variations of P and K due to this δm, plus the variations of P and K at constant m. The
blocks are sums of dyads a bᵀ, multiples of I and cross-product matrices.
"""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

from windlass.elements.cable.points import Four
from windlass.elements.cable.vectors import PLANE, SPACE, Operations, Plane
from windlass.elements.nodes.vectors import Vector, combine, cross, dot
from windlass.framework.kernels.kernel import Kernel, kernel


class AxisForces(NamedTuple):
    """Kernels for one point of a cable, see `create_point_forces`."""

    axial_force: Kernel
    axial_block: Kernel
    bending_force: Kernel
    bending_blocks: Kernel


def create_point_forces(ops: Operations, bending_force: Kernel, bending_blocks: Kernel) -> AxisForces:
    """Create the kernels for a point in 2D or 3D. The kernels ``bending_force`` and ``bending_blocks`` compute the
    forces due to the bending moment and their derivatives.
    """
    dot, combine, dyad = ops.dot, ops.combine, ops.dyad

    @kernel(inline=True)
    def axial_force(p: Any, pt: Any, EA: float, dEA: float, eps: float) -> float:
        """Return N/|p| [N], where N = EA (ε - eps) + dEA ε_t is the axial force. The force on p is N p/|p|."""
        length = sqrt(dot(p, p))
        il = 1.0 / length
        return float((EA * (length - 1.0 - eps) + dEA * il * dot(p, pt)) * il)

    @kernel(inline=True)
    def axial_block(p: Any, pt: Any, EA: float, dEA: float, eps: float, dq: float, dv: float) -> Any:
        """Return the matrix dq ∂f/∂p + dv ∂f/∂p_t [N], row by row, where f is the force on p."""
        length = sqrt(dot(p, p))
        il = 1.0 / length
        et = il * dot(p, pt)
        T = (EA * (length - 1.0 - eps) + dEA * et) * il
        # p ⊗ (c p + d pt) + T I, from ε_p ⊗ ∂N/∂p + N ε_pp
        c = (dq * (EA - T - dEA * et * il) + dv * dEA) * il * il
        return dyad(p, combine(c, p, dq * dEA * il * il, pt), dq * T)

    return AxisForces(axial_force, axial_block, bending_force, bending_blocks)


@kernel(inline=True)
def bending_force_plane(
    p: Plane, k: Plane, pt: Plane, kt: Plane, EI: float, dEI: float, kap: float
) -> tuple[Plane, Plane]:
    """Return the force M κ_p on p [N] and the force M κ_k on k [N m], where M = EI (κ - kap) + dEI κ_t is the bending
    moment."""
    px, py, kx, ky = p[0], p[1], k[0], k[1]
    ig = 1.0 / (px * px + py * py)
    kappa = ig * (px * ky - py * kx)
    ax = ig * (ky - 2.0 * kappa * px)
    ay = ig * (-kx - 2.0 * kappa * py)
    bx = -ig * py
    by = ig * px
    M = EI * (kappa - kap) + dEI * (ax * pt[0] + ay * pt[1] + bx * kt[0] + by * kt[1])
    return (M * ax, M * ay), (M * bx, M * by)


@kernel(inline=True)
def bending_blocks_plane(
    p: Plane, k: Plane, pt: Plane, kt: Plane, EI: float, dEI: float, kap: float, dq: float, dv: float
) -> tuple[Four, Four, Four, Four]:
    """Return the elements xx, xy, yx, yy of the blocks (pp, pk, kp, kk). For example, block pk contains dq times the
    derivative of the force on p with respect to k, plus dv times the derivative with respect to the rate of k.
    """
    px, py, kx, ky = p[0], p[1], k[0], k[1]
    ptx, pty, ktx, kty = pt[0], pt[1], kt[0], kt[1]
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
    mxx, mxy, myx, myy = m2 * px * bx, m2 * px * by - m, m + m2 * py * bx, m2 * py * by
    return (
        (ax * ux - xx, ax * vx - mxx, bx * ux - mxx, bx * vx),
        (ax * uy - xy, ax * vy - mxy, bx * uy - myx, bx * vy),
        (ay * ux - xy, ay * vx - myx, by * ux - mxy, by * vx),
        (ay * uy - yy, ay * vy - myy, by * uy - myy, by * vy),
    )


@kernel(inline=True)
def bending_force_space(
    p: Vector, k: Vector, pt: Vector, kt: Vector, EI: float, dEI: float, kap: Vector
) -> tuple[Vector, Vector]:
    """Return the forces on p [N] and on k [N m] due to the moment m = EI (κ - kap) + dEI κ_t."""
    ig = 1.0 / dot(p, p)
    h, ht0, ht1 = cross(p, k), cross(pt, k), cross(p, kt)
    kappa = ig * h[0], ig * h[1], ig * h[2]
    ht = combine(ig, ht0, ig, ht1)
    kappa_t = combine(1.0, ht, -2.0 * ig * dot(p, pt), kappa)
    free = combine(1.0, kappa, -1.0, kap)
    m = combine(EI, free, dEI, kappa_t)
    on_p, on_k = cross(k, m), cross(m, p)
    return combine(ig, on_p, -2.0 * ig * dot(m, kappa), p), (ig * on_k[0], ig * on_k[1], ig * on_k[2])


@kernel(inline=True)
def bending_blocks_space(
    p: Vector, k: Vector, pt: Vector, kt: Vector, EI: float, dEI: float, kap: Vector, dq: float, dv: float
) -> tuple[Four, ...]:
    """Return the nine elements, row by row, of the 3 x 3 blocks (pp, pk, kp, kk). For example, block pk contains dq
    times the derivative of the force on p with respect to k, plus dv times the derivative with respect to the rate of
    k.
    """
    ig = 1.0 / dot(p, p)
    h, ht0, ht1 = cross(p, k), cross(pt, k), cross(p, kt)
    kappa = ig * h[0], ig * h[1], ig * h[2]
    ht = combine(ig, ht0, ig, ht1)
    ppt = dot(p, pt)
    kappa_t = combine(1.0, ht, -2.0 * ig * ppt, kappa)
    free = combine(1.0, kappa, -1.0, kap)
    # M = dq m/g; P and K: forces on p and on k, times dq
    M = combine(dq * ig * EI, free, dq * ig * dEI, kappa_t)
    kM, K = cross(k, M), cross(M, p)
    s = dot(M, kappa)
    P = combine(1.0, kM, -2.0 * s, p)
    # the docstring of this module defines the symbols
    d = dq * dEI * ig
    c = (dq * EI + dv * dEI - 2.0 * d * ppt) * ig
    u, w = combine(c, k, d, kt), combine(c, p, d, pt)
    # pp = α I - u kᵀ/g + X wᵀ + Y pᵀ + p Zᵀ
    kk, kkt = cross(k, kappa), cross(k, kappa_t)
    alpha = ig * dot(k, u) - 2.0 * s
    X = combine(-2.0 * ig, kk, 4.0 * ig * dot(kappa, kappa), p)
    Y0 = combine(-2.0 * ig * d, kkt, 4.0 * ig * d * dot(kappa, kappa_t), p)
    Y = combine(1.0, Y0, -2.0 * ig, P)
    uk = cross(u, kappa)
    Z = combine(-2.0 * ig, uk, -2.0 * ig, P)
    U = ig * u[0], ig * u[1], ig * u[2]
    # all nine elements, row by row
    pp = (
        alpha - U[0] * k[0] + X[0] * w[0] + Y[0] * p[0] + p[0] * Z[0],
        -U[0] * k[1] + X[0] * w[1] + Y[0] * p[1] + p[0] * Z[1],
        -U[0] * k[2] + X[0] * w[2] + Y[0] * p[2] + p[0] * Z[2],
        -U[1] * k[0] + X[1] * w[0] + Y[1] * p[0] + p[1] * Z[0],
        alpha - U[1] * k[1] + X[1] * w[1] + Y[1] * p[1] + p[1] * Z[1],
        -U[1] * k[2] + X[1] * w[2] + Y[1] * p[2] + p[1] * Z[2],
        -U[2] * k[0] + X[2] * w[0] + Y[2] * p[0] + p[2] * Z[0],
        -U[2] * k[1] + X[2] * w[1] + Y[2] * p[1] + p[2] * Z[1],
        alpha - U[2] * k[2] + X[2] * w[2] + Y[2] * p[2] + p[2] * Z[2],
    )
    # pk = -β I + W kᵀ + p Vᵀ - M×
    W = ig * w[0], ig * w[1], ig * w[2]
    kw = cross(kappa, W)
    V = combine(-2.0, kw, -2.0 * ig, K)
    beta = dot(k, W)
    pk = (
        W[0] * k[0] + p[0] * V[0] - beta, W[0] * k[1] + p[0] * V[1] + M[2], W[0] * k[2] + p[0] * V[2] - M[1],
        W[1] * k[0] + p[1] * V[0] - M[2], W[1] * k[1] + p[1] * V[1] - beta, W[1] * k[2] + p[1] * V[2] + M[0],
        W[2] * k[0] + p[2] * V[0] + M[1], W[2] * k[1] + p[2] * V[1] - M[0], W[2] * k[2] + p[2] * V[2] - beta,
    )  # fmt: skip
    # kp = -β I + A pᵀ + B wᵀ + M×
    kp0, kp1 = cross(kappa_t, p), cross(kappa, p)
    A0 = combine(1.0, U, -2.0 * ig * d, kp0)
    A = combine(1.0, A0, -2.0 * ig, K)
    B = -2.0 * ig * kp1[0], -2.0 * ig * kp1[1], -2.0 * ig * kp1[2]
    beta = dot(U, p)
    kp = (
        A[0] * p[0] + B[0] * w[0] - beta, A[0] * p[1] + B[0] * w[1] - M[2], A[0] * p[2] + B[0] * w[2] + M[1],
        A[1] * p[0] + B[1] * w[0] + M[2], A[1] * p[1] + B[1] * w[1] - beta, A[1] * p[2] + B[1] * w[2] - M[0],
        A[2] * p[0] + B[2] * w[0] - M[1], A[2] * p[1] + B[2] * w[1] + M[0], A[2] * p[2] + B[2] * w[2] - beta,
    )  # fmt: skip
    # kk = (w·p I - w pᵀ)/g
    gamma = dot(W, p)
    return (
        (pp[0], pk[0], kp[0], gamma - W[0] * p[0]), (pp[1], pk[1], kp[1], -W[0] * p[1]),
        (pp[2], pk[2], kp[2], -W[0] * p[2]), (pp[3], pk[3], kp[3], -W[1] * p[0]),
        (pp[4], pk[4], kp[4], gamma - W[1] * p[1]), (pp[5], pk[5], kp[5], -W[1] * p[2]),
        (pp[6], pk[6], kp[6], -W[2] * p[0]), (pp[7], pk[7], kp[7], -W[2] * p[1]),
        (pp[8], pk[8], kp[8], gamma - W[2] * p[2]),
    )  # fmt: skip


IN_PLANE = create_point_forces(PLANE, bending_force_plane, bending_blocks_plane)
IN_SPACE = create_point_forces(SPACE, bending_force_space, bending_blocks_space)
