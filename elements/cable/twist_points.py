"""Strains of a cable with twist at the integration points. The module also contains the first and second derivatives of
the strains with respect to the coordinates y.

The 11 coordinates y = [e, s0, s1, φ0, φ1] of a row are e = (r1 - r0)/L, the slopes s0, s1 of the nodes and the angles
φ0, φ1 of the frames of the nodes. The derivatives r' and r'' are sums of e, s0, s1 with constant factors P and K/L, see
points.py.

    frame at node i     D_i = R(b_i, t_i) F_i turned about t_i by φ_i         b_i, F_i constant, t = r'/|r'|
    twist angle         T = φ1 - φ0 + (4 m_2 - m_1)/3
    frame at x = s L    D_0 moved to t(x) and turned by s T, then turned by the fraction s of the angle to
                        D_1 moved to t(x) and turned by (s - 1) T
    κ = r' × r''/|r'|²,   κ_1 = κ·d_1,   κ_2 = κ·d_2

R is the smallest rotation (nodes/turning.py). Let F'_i = R(b_i, t_i) F_i be the frame at node i before the rotation by
φ_i. The angle m_1 is measured from F'_0, after the smallest rotation from t_0 to t_1, to F'_1. For the angle m_2, F'_0
is rotated in two steps: first to the tangent in the middle of the element, and then to t_1. A step rotates the frame
from one tangent to the next without spin. Up to terms of fourth order in the length of the element, the error of m_2 is
a quarter of the error of m_1. Therefore the combination of both angles in T has an error of fourth order. All steps
depend only on directions of the cable. Therefore T, κ_1 and κ_2 do not change in a rigid rotation of the cable.

Let δ and δ' be two variations. The linear form σ = ω·t is the spin of the frame at x, where ω is the angular velocity
of this frame. Let σ' be this form for the variation δ', and let δ² denote δ'δ:

    δT   = δφ1 - δφ0 + sum of the steps,        δσ see `step_gradients`
    δκ_1 = d_1·δκ + κ_2 σ,                      δκ_2 = d_2·δκ - κ_1 σ
    δ²κ_1 = d_1·δ²κ + (κ·δt)(d_1·δ't) + δ_2 σ' + δ'_2 σ - κ_1 σ σ' + κ_2 δ'σ       δ_i = d_i·δκ
    δ²κ_2 = d_2·δ²κ + (κ·δt)(d_2·δ't) - δ_1 σ' - δ'_1 σ - κ_2 σ σ' - κ_1 δ'σ

Source: J. Langer, D. A. Singer, Lagrangian aspects of the Kirchhoff elastic rod, SIAM Review 38 (1996) 605-618;
C. Meier, A. Popp, W. A. Wall, Arch. Comput. Methods Eng. 26 (2019) 163-243. For steps along the tangents M. Bergou and
others, ACM Transactions on Graphics 27 (2008), 63.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

from windlass.elements.nodes.turning import (
    Quaternion,
    between,
    multiply,
    nearest,
    smallest_rotation,
    spin_angle,
    spun,
    step_gradients,
    turn_from,
    unit,
)
from windlass.elements.nodes.vectors import Vector, combine, cross, dot, find_skew
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel

EndFrames = tuple[Vector, Vector, Quaternion, Quaternion]
"""Type of the results of `node_frames`."""
COUNT = 11
"""Number of coordinates y."""
AT_START, IN_MIDDLE, AT_END, NOWHERE = (0.0, 1.0, 0.0), (1.5, -0.25, -0.25), (0.0, 0.0, 1.0), (0.0, 0.0, 0.0)
"""Factors of e, s0, s1 in r' at the start, in the middle and at the end. NOWHERE is for a constant direction."""


@kernel(inline=True)
def read_coordinates(dofs: Any, iL: float, x: FloatArray, y: FloatArray) -> None:
    """Fill y with the coordinates of a row. If x contains velocities instead of total coordinates, fill y with the
    rates of the coordinates. The argument iL is 1/L.
    """
    for a in range(3):
        y[a] = iL * (x[dofs[6 + a]] - x[dofs[a]])
        y[3 + a], y[6 + a] = x[dofs[3 + a]], x[dofs[9 + a]]
    y[9], y[10] = x[dofs[12]], x[dofs[13]]


@kernel(inline=True)
def interpolate(P: Vector, scale: float, y: FloatArray) -> Vector:
    """Return scale (P0 e + P1 s0 + P2 s1)."""
    a, b, c = scale * P[0], scale * P[1], scale * P[2]
    return (
        a * y[0] + b * y[3] + c * y[6],
        a * y[1] + b * y[4] + c * y[7],
        a * y[2] + b * y[5] + c * y[8],
    )


@kernel(inline=True)
def add_gradient(w: float, P: Vector, u: Vector, g: FloatArray) -> None:
    """Add the linear form w u·δp, where p = P0 e + P1 s0 + P2 s1, to g. The array g contains the coefficients of δy."""
    for i in range(3):
        for a in range(3):
            g[3 * i + a] += w * P[i] * u[a]


@kernel
def add_step(w: float, P: Vector, p: Vector, Q: Vector, q: Vector, g: FloatArray) -> None:
    """Add w (G_p·δp + G_q·δq) to the linear form g. This term is the linear form of a step from p/|p| to q/|q|. G_p and
    G_q are the vectors of `step_gradients`. P and Q are the factors of e, s0, s1 in p and q.
    """
    on_p, on_q = step_gradients(p, q)
    add_gradient(w, P, on_p, g)
    add_gradient(w, Q, on_q, g)


@kernel
def add_step_change(w: float, P: Vector, p: Vector, Q: Vector, q: Vector, H: FloatArray) -> None:
    """Add to the matrix H the derivatives of the linear form of `add_step` with respect to y. Row i of H contains the
    derivatives of coefficient i of the linear form.
    """
    # δG_p and δG_q, see `step_change`: the variations δl, δn and δs are linear forms of δp and δq
    l, n = sqrt(dot(p, p)), sqrt(dot(q, q))
    s = l * n + dot(p, q)
    on_p, on_q = step_gradients(p, q)
    x, y, il, iq = w / (l * s), w / (n * s), 1.0 / (l * l), 1.0 / (n * n)
    s_p, s_q = combine(n / (l * s), p, 1.0 / s, q), combine(l / (n * s), q, 1.0 / s, p)
    l_p, n_q = combine(il, p, 1.0, s_p), combine(iq, q, 1.0, s_q)
    for a in range(3):
        c, d = w * on_p[a], w * on_q[a]
        for b in range(3):
            over_p, over_q = find_skew(p, a, b), find_skew(q, a, b)
            pp, pq = -x * over_q - c * l_p[b], x * over_p - c * s_q[b]
            qp, qq = -y * over_q - d * s_p[b], y * over_p - d * n_q[b]
            for i in range(3):
                by_p, by_q = P[i] * pp + Q[i] * qp, P[i] * pq + Q[i] * qq
                for j in range(3):
                    H[3 * i + a, 3 * j + b] += by_p * P[j] + by_q * Q[j]


@kernel
def add_turn_change(w: float, b: Vector, first: int, p: Vector, H: FloatArray) -> None:
    """Add to the matrix H the derivatives of w G_q·δq with respect to y. This term is the linear form of a step from a
    constant direction b to the slope q = p of a node. The index of the first component of this slope in y is ``first``.
    """
    l, n = sqrt(dot(b, b)), sqrt(dot(p, p))
    s = l * n + dot(b, p)
    _, on_q = step_gradients(b, p)
    y = w / (n * s)
    along = combine(1.0 / (n * n) + l / (n * s), p, 1.0 / s, b)
    for i in range(3):
        for j in range(3):
            H[first + i, first + j] += y * find_skew(b, i, j) - w * on_q[i] * along[j]


@kernel
def node_frames(row: Any, y: FloatArray) -> EndFrames:
    """Return the tangents t_i and the frames R(b_i, t_i) F_i, before the rotation by φ_i, at both nodes."""
    t0, t1 = unit((y[3], y[4], y[5])), unit((y[6], y[7], y[8]))
    b0, b1 = (row.b0[0], row.b0[1], row.b0[2]), (row.b1[0], row.b1[1], row.b1[2])
    F0 = (row.F0[0], row.F0[1], row.F0[2], row.F0[3])
    F1 = (row.F1[0], row.F1[1], row.F1[2], row.F1[3])
    return t0, t1, multiply(turn_from(b0, t0), F0), multiply(turn_from(b1, t1), F1)


@kernel
def twist_angle(row: Any, y: FloatArray) -> float:
    """Return the twist angle T [rad] minus its value in the reference configuration."""
    return twist_between(row, y, node_frames(row, y))


@kernel
def twist_between(row: Any, y: FloatArray, frames: EndFrames) -> float:
    """Return the result of `twist_angle`. The argument ``frames`` contains the results of `node_frames`."""
    t0, t1, F0, F1 = frames
    tm = unit(interpolate(IN_MIDDLE, 1.0, y))
    once = multiply(smallest_rotation(t0, t1), F0)
    twice = multiply(smallest_rotation(tm, t1), multiply(smallest_rotation(t0, tm), F0))
    # angles are relative to the reference configuration, in which the angle from ``once`` to F1 is row.free_angle
    more = spin_angle(spun(between(once, F1), -row.free_angle)) - 4.0 / 3.0 * spin_angle(between(once, twice))
    T: float = y[10] - y[9] + row.free_angle + more - row.free_twist
    return T


@kernel
def fill_twist(row: Any, y: FloatArray, g: FloatArray) -> None:
    """Fill the coefficients of the linear form δT, the variation of T due to δy, shape (11,)."""
    p0, p1, pm = (y[3], y[4], y[5]), (y[6], y[7], y[8]), interpolate(IN_MIDDLE, 1.0, y)
    b0, b1 = (row.b0[0], row.b0[1], row.b0[2]), (row.b1[0], row.b1[1], row.b1[2])
    g[:] = 0.0
    g[9], g[10] = -1.0, 1.0
    add_step(1.0, NOWHERE, b0, AT_START, p0, g)
    add_step(4.0 / 3.0, AT_START, p0, IN_MIDDLE, pm, g)
    add_step(4.0 / 3.0, IN_MIDDLE, pm, AT_END, p1, g)
    add_step(-1.0 / 3.0, AT_START, p0, AT_END, p1, g)
    add_step(1.0, AT_END, p1, NOWHERE, b1, g)


@kernel
def fill_twist_change(row: Any, y: FloatArray, H: FloatArray) -> None:
    """Fill the second variation δ'δT, a symmetric matrix of shape (11, 11)."""
    p0, p1, pm = (y[3], y[4], y[5]), (y[6], y[7], y[8]), interpolate(IN_MIDDLE, 1.0, y)
    b0, b1 = (row.b0[0], row.b0[1], row.b0[2]), (row.b1[0], row.b1[1], row.b1[2])
    H[:] = 0.0
    add_turn_change(1.0, b0, 3, p0, H)
    add_step_change(4.0 / 3.0, AT_START, p0, IN_MIDDLE, pm, H)
    add_step_change(4.0 / 3.0, IN_MIDDLE, pm, AT_END, p1, H)
    add_step_change(-1.0 / 3.0, AT_START, p0, AT_END, p1, H)
    add_turn_change(-1.0, b1, 6, p1, H)


@kernel
def fill_spin(row: Any, s: float, P: Vector, p: Vector, y: FloatArray, g: FloatArray) -> None:
    """Fill the coefficients of the linear form σ of the frame at s, shape (11,)."""
    p0, p1 = (y[3], y[4], y[5]), (y[6], y[7], y[8])
    b0, b1 = (row.b0[0], row.b0[1], row.b0[2]), (row.b1[0], row.b1[1], row.b1[2])
    g[:] = 0.0
    g[9], g[10] = 1.0 - s, s
    add_step(s - 1.0, NOWHERE, b0, AT_START, p0, g)
    add_step(s - 1.0, AT_START, p0, P, p, g)
    add_step(-s, NOWHERE, b1, AT_END, p1, g)
    add_step(-s, AT_END, p1, P, p, g)


@kernel
def fill_spin_change(row: Any, s: float, P: Vector, p: Vector, y: FloatArray, H: FloatArray) -> None:
    """Fill the variation δ'σ, a matrix of shape (11, 11) that is not symmetric."""
    p0, p1 = (y[3], y[4], y[5]), (y[6], y[7], y[8])
    b0, b1 = (row.b0[0], row.b0[1], row.b0[2]), (row.b1[0], row.b1[1], row.b1[2])
    H[:] = 0.0
    add_turn_change(s - 1.0, b0, 3, p0, H)
    add_step_change(s - 1.0, AT_START, p0, P, p, H)
    add_turn_change(-s, b1, 6, p1, H)
    add_step_change(-s, AT_END, p1, P, p, H)


@kernel
def frame_at(row: Any, s: float, p: Vector, y: FloatArray, T: float) -> Quaternion:
    """Return the frame of the material at s. The argument T is the result of `twist_angle`."""
    return frame_between(row, s, p, y, T, node_frames(row, y))


@kernel
def frame_between(row: Any, s: float, p: Vector, y: FloatArray, T: float, frames: EndFrames) -> Quaternion:
    """Return the result of `frame_at`. The argument ``frames`` contains the results of `node_frames`."""
    from0, angle = moved_frame(row, s, p, y, T, frames)
    return spun(from0, s * angle)


@kernel(inline=True)
def moved_frame(row: Any, s: float, p: Vector, y: FloatArray, T: float, frames: EndFrames) -> tuple[Quaternion, float]:
    """Return a frame and an angle [rad]. The frame is D_0, moved to t(x) and turned by s T. The angle is measured from
    this frame to D_1, moved to t(x) and turned by (s - 1) T.
    """
    t, whole = unit(p), T + row.free_twist
    t0, t1, F0, F1 = frames
    from0 = multiply(smallest_rotation(t0, t), spun(F0, y[9] + s * whole))
    from1 = multiply(smallest_rotation(t1, t), spun(F1, y[10] + (s - 1.0) * whole))
    return from0, spin_angle(nearest(between(from0, from1)))


@kernel(inline=True)
def curvature(p: Vector, k: Vector) -> Vector:
    """Return κ = (p × k)/|p|²."""
    ig, h = 1.0 / dot(p, p), cross(p, k)
    return ig * h[0], ig * h[1], ig * h[2]


@kernel(inline=True)
def curvature_gradients(p: Vector, k: Vector, d: Vector, kd: float) -> tuple[Vector, Vector]:
    """Return the derivatives of the curvature component κ·d with respect to p and k at constant d. The argument kd is
    κ·d."""
    ig = 1.0 / dot(p, p)
    kxd, dxp = cross(k, d), cross(d, p)
    return combine(ig, kxd, -2.0 * ig * kd, p), (ig * dxp[0], ig * dxp[1], ig * dxp[2])


@kernel
def fill_curvatures(
    P: Vector,
    K: Vector,
    p: Vector,
    k: Vector,
    d1: Vector,
    d2: Vector,
    sigma: FloatArray,
    g1: FloatArray,
    g2: FloatArray,
) -> tuple[float, float]:
    """Fill the linear forms δκ_1 and δκ_2, each of shape (11,), and return κ_1 and κ_2. P and K are the factors of e,
    s0, s1 in r' and r''."""
    kappa = curvature(p, k)
    k1, k2 = dot(kappa, d1), dot(kappa, d2)
    for i in range(COUNT):
        g1[i], g2[i] = k2 * sigma[i], -k1 * sigma[i]
    on_p, on_k = curvature_gradients(p, k, d1, k1)
    add_gradient(1.0, P, on_p, g1)
    add_gradient(1.0, K, on_k, g1)
    on_p, on_k = curvature_gradients(p, k, d2, k2)
    add_gradient(1.0, P, on_p, g2)
    add_gradient(1.0, K, on_k, g2)
    return k1, k2


@kernel
def fill_curvature_changes(
    P: Vector, K: Vector, p: Vector, k: Vector, d1: Vector, d2: Vector, sigma: FloatArray, dsigma: FloatArray,
    g1: FloatArray, g2: FloatArray, H1: FloatArray, H2: FloatArray,
) -> None:  # fmt: skip
    """Fill the second variations δ'δκ_1 and δ'δκ_2, each of shape (11, 11). The arguments g1 and g2 are the linear
    forms of `fill_curvatures`.
    """
    kappa, ig = curvature(p, k), 1.0 / dot(p, p)
    k1, k2 = dot(kappa, d1), dot(kappa, d2)
    # terms with σ, where δ_1 = δκ_1 - κ_2 σ and δ_2 = δκ_2 + κ_1 σ
    for i in range(COUNT):
        for j in range(COUNT):
            ss = sigma[i] * sigma[j]
            b1 = (g2[i] + k1 * sigma[i]) * sigma[j] + sigma[i] * (g2[j] + k1 * sigma[j])
            b2 = (g1[i] - k2 * sigma[i]) * sigma[j] + sigma[i] * (g1[j] - k2 * sigma[j])
            H1[i, j] = b1 - k1 * ss + k2 * dsigma[i, j]
            H2[i, j] = -b2 - k2 * ss - k1 * dsigma[i, j]
    # second derivatives of κ·d at constant d: pp = -2/g (p F_pᵀ + F_p pᵀ + κ·d I), pk = -(d× + 2 p F_kᵀ)/g
    for which in range(2):
        d, kd, H = (d1, k1, H1) if which == 0 else (d2, k2, H2)
        on_p, on_k = curvature_gradients(p, k, d, kd)
        for a in range(3):
            for b in range(3):
                pp = -2.0 * ig * (p[a] * on_p[b] + on_p[a] * p[b] + (kd if a == b else 0.0))
                # add (κ·δt)(d·δ't), where κ and d are perpendicular to t
                pp += ig * kappa[a] * d[b]
                pk = -2.0 * ig * p[a] * on_k[b]
                if b == (a + 1) % 3:
                    pk += ig * d[(a + 2) % 3]
                elif b == (a + 2) % 3:
                    pk -= ig * d[(a + 1) % 3]
                for i in range(3):
                    for j in range(3):
                        H[3 * i + a, 3 * j + b] += P[i] * P[j] * pp + P[i] * K[j] * pk
                        H[3 * j + b, 3 * i + a] += P[i] * K[j] * pk
