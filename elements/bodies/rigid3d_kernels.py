"""Kernels of `RigidBody3D`: inertia, gravity and the constraint of the Euler parameters, with exact tangents.

Letters: R position of the node, e Euler parameters, n = e·e, A rotation matrix, L as in `rotations`, s = m c.

    Γ = 2 L(e)/n,   ω = Γ e_t,   α = Γ e_tt                          body's frame
    f_R = m R_tt + A (α × s + ω × (ω × s))                           global
    T = Θ α + ω × Θ ω + s × Aᵀ R_tt                                  body's frame, about the node
    f_e = Γᵀ T + κ e (e·e_tt + e_t·e_t)
    loads of an acceleration g:  m g,  Γᵀ (s × Aᵀ g)

ω_t has the further part -ω n_t/n, which is 0 where the constraint n = 1 holds at velocity level, and is left out: at
index 3 the velocities of a numerical solution meet it within the error of the integrator, as Nikravesh's equations do.
m R_tt alone has a constant mass matrix; it is left to that.  The derivatives follow from A_t = A ω~ written for a
variation, δA = A (Γ δe)~, and from Lᵀ T = N(T) e with N(T) = [[0, -Tᵀ], [T, -T~]].
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.system import Coupling

Triple = tuple[float, float, float]


class Columns(NamedTuple):
    """Parameters of the bodies.

    m: mass [kg], shape (rows,).
    s: mass times position of the centre of mass, body's frame [kg m], shape (rows, 3).
    I: inertia tensor Θ about the node, body's frame [kg m^2], shape (rows, 3, 3).
    kappa: inertia κ of a change of the length of e [kg m^2], shape (rows,).
    dofs: local numbers of x, y, z, e0..e3, shape (rows, 7).
    lam: local numbers of the multipliers, shape (rows,).
    """

    m: FloatArray
    s: FloatArray
    I: FloatArray
    kappa: FloatArray
    dofs: IntArray
    lam: IntArray


@kernel(inline=True)
def cross(ax: float, ay: float, az: float, bx: float, by: float, bz: float) -> Triple:
    """a × b."""
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@kernel(inline=True)
def times(I: FloatArray, i: int, x: float, y: float, z: float) -> Triple:
    """I[i] times a vector."""
    return (
        I[i, 0, 0] * x + I[i, 0, 1] * y + I[i, 0, 2] * z,
        I[i, 1, 0] * x + I[i, 1, 1] * y + I[i, 1, 2] * z,
        I[i, 2, 0] * x + I[i, 2, 1] * y + I[i, 2, 2] * z,
    )


@kernel
def update_rotation(x: FloatArray, dofs: IntArray, i: int, e: FloatArray, A: FloatArray, G: FloatArray) -> float:
    """Fill e (4,), A (3, 3) and Γ (3, 4) of row i, return n."""
    for a in range(4):
        e[a] = x[dofs[i, 3 + a]]
    e0, e1, e2, e3 = e[0], e[1], e[2], e[3]
    n: float = e0 * e0 + e1 * e1 + e2 * e2 + e3 * e3
    c = 2.0 / n
    A[0, 0], A[1, 1], A[2, 2] = (
        1.0 - c * (e2 * e2 + e3 * e3),
        1.0 - c * (e1 * e1 + e3 * e3),
        1.0 - c * (e1 * e1 + e2 * e2),
    )
    A[0, 1], A[1, 0] = c * (e1 * e2 - e0 * e3), c * (e1 * e2 + e0 * e3)
    A[0, 2], A[2, 0] = c * (e1 * e3 + e0 * e2), c * (e1 * e3 - e0 * e2)
    A[1, 2], A[2, 1] = c * (e2 * e3 - e0 * e1), c * (e2 * e3 + e0 * e1)
    G[0, 0], G[0, 1], G[0, 2], G[0, 3] = -c * e1, c * e0, c * e3, -c * e2
    G[1, 0], G[1, 1], G[1, 2], G[1, 3] = -c * e2, -c * e3, c * e0, c * e1
    G[2, 0], G[2, 1], G[2, 2], G[2, 3] = -c * e3, c * e2, -c * e1, c * e0
    return n


@kernel(inline=True)
def turn_back(A: FloatArray, x: float, y: float, z: float) -> Triple:
    """Aᵀ times a vector."""
    return (
        A[0, 0] * x + A[1, 0] * y + A[2, 0] * z,
        A[0, 1] * x + A[1, 1] * y + A[2, 1] * z,
        A[0, 2] * x + A[1, 2] * y + A[2, 2] * z,
    )


@kernel(inline=True)
def apply(G: FloatArray, v: FloatArray, dofs: IntArray, i: int) -> Triple:
    """Γ times the Euler parameters' entries of v in row i."""
    a, b, c, d = v[dofs[i, 3]], v[dofs[i, 4]], v[dofs[i, 5]], v[dofs[i, 6]]
    return (
        G[0, 0] * a + G[0, 1] * b + G[0, 2] * c + G[0, 3] * d,
        G[1, 0] * a + G[1, 1] * b + G[1, 2] * c + G[1, 3] * d,
        G[2, 0] * a + G[2, 1] * b + G[2, 2] * c + G[2, 3] * d,
    )


@kernel
def mass(c: Columns, scale: float, slots: IntArray, values: FloatArray) -> None:
    """Add scale times the constant part diag(m, m, m) of the mass matrix; slots has shape (rows, 7, 7)."""
    for i in range(len(c.m)):
        for k in range(3):
            values[slots[i, k, k]] += scale * c.m[i]


@kernel
def inertia(c: Columns, x: FloatArray, v: FloatArray, a: FloatArray, f: FloatArray) -> None:
    """f += f_R - m R_tt, f_e."""
    e, A, G = np.zeros(4), np.zeros((3, 3)), np.zeros((3, 4))
    for i in range(len(c.m)):
        update_rotation(x, c.dofs, i, e, A, G)
        d, s = c.dofs[i], c.s[i]
        wx, wy, wz = apply(G, v, c.dofs, i)
        px, py, pz = apply(G, a, c.dofs, i)
        # force of the centre of mass beside the node
        ux, uy, uz = cross(wx, wy, wz, s[0], s[1], s[2])
        ux, uy, uz = cross(wx, wy, wz, ux, uy, uz)
        bx, by, bz = cross(px, py, pz, s[0], s[1], s[2])
        bx, by, bz = bx + ux, by + uy, bz + uz
        for k in range(3):
            f[d[k]] += A[k, 0] * bx + A[k, 1] * by + A[k, 2] * bz
        # torque about the node
        hx, hy, hz = times(c.I, i, wx, wy, wz)
        gx, gy, gz = cross(wx, wy, wz, hx, hy, hz)
        tx, ty, tz = times(c.I, i, px, py, pz)
        rx, ry, rz = turn_back(A, a[d[0]], a[d[1]], a[d[2]])
        qx, qy, qz = cross(s[0], s[1], s[2], rx, ry, rz)
        tx, ty, tz = tx + gx + qx, ty + gy + qy, tz + gz + qz
        stretch = 0.0
        for k in range(4):
            stretch += e[k] * a[d[3 + k]] + v[d[3 + k]] * v[d[3 + k]]
        for k in range(4):
            f[d[3 + k]] += G[0, k] * tx + G[1, k] * ty + G[2, k] * tz + c.kappa[i] * stretch * e[k]


@kernel
def add_torque_tangent(
    G: FloatArray, e: FloatArray, n: float, tx: float, ty: float, tz: float, scale: float, B: FloatArray
) -> None:
    """B[3:, 3:] += scale ∂(Γᵀ T)/∂e at constant T = (2/n) (N(T) - (Lᵀ T) 2 eᵀ/n) scale."""
    k = 2.0 * scale / n
    B[3, 4], B[3, 5], B[3, 6] = B[3, 4] - k * tx, B[3, 5] - k * ty, B[3, 6] - k * tz
    B[4, 3], B[5, 3], B[6, 3] = B[4, 3] + k * tx, B[5, 3] + k * ty, B[6, 3] + k * tz
    B[4, 5], B[4, 6] = B[4, 5] + k * tz, B[4, 6] - k * ty
    B[5, 4], B[5, 6] = B[5, 4] - k * tz, B[5, 6] + k * tx
    B[6, 4], B[6, 5] = B[6, 4] + k * ty, B[6, 5] - k * tx
    for a in range(4):
        force = G[0, a] * tx + G[1, a] * ty + G[2, a] * tz
        for b in range(4):
            B[3 + a, 3 + b] -= k * force * e[b]


@kernel
def add_block(B: FloatArray, slots: IntArray, i: int, values: FloatArray) -> None:
    """values[slots[i]] += B, and B = 0."""
    for a in range(7):
        for b in range(7):
            values[slots[i, a, b]] += B[a, b]
            B[a, b] = 0.0


@kernel
def inertia_tangent(
    c: Columns,
    x: FloatArray,
    v: FloatArray,
    a: FloatArray,
    dq: float,
    dv: float,
    da: float,
    slots: IntArray,
    values: FloatArray,
) -> None:
    """values += dq ∂f/∂q + dv ∂f/∂v + da ∂f/∂a of `inertia`."""
    e, A, G, Gv, Ga = np.zeros(4), np.zeros((3, 3)), np.zeros((3, 4)), np.zeros((3, 4)), np.zeros((3, 4))
    B = np.zeros((7, 7))
    for i in range(len(c.m)):
        n = update_rotation(x, c.dofs, i, e, A, G)
        d, s = c.dofs[i], c.s[i]
        # ω, α, Θ ω, Aᵀ R_tt, and b = ω × (ω × s) + α × s of the centre of mass
        wx, wy, wz = apply(G, v, c.dofs, i)
        px, py, pz = apply(G, a, c.dofs, i)
        hx, hy, hz = times(c.I, i, wx, wy, wz)
        rx, ry, rz = turn_back(A, a[d[0]], a[d[1]], a[d[2]])
        ux, uy, uz = cross(wx, wy, wz, s[0], s[1], s[2])
        bx, by, bz = cross(wx, wy, wz, ux, uy, uz)
        qx, qy, qz = cross(px, py, pz, s[0], s[1], s[2])
        bx, by, bz = bx + qx, by + qy, bz + qz
        # torque of the residual, for the derivative of Γᵀ
        tx, ty, tz = times(c.I, i, px, py, pz)
        gx, gy, gz = cross(wx, wy, wz, hx, hy, hz)
        qx, qy, qz = cross(s[0], s[1], s[2], rx, ry, rz)
        add_torque_tangent(G, e, n, tx + gx + qx, ty + gy + qy, tz + gz + qz, dq, B)
        # ∂(Γ y)/∂e = -(2 L(y) + (Γ y) 2 eᵀ)/n for y = e_t and e_tt
        fill_rate_derivative(v, c.dofs, i, e, n, wx, wy, wz, Gv)
        fill_rate_derivative(a, c.dofs, i, e, n, px, py, pz, Ga)
        for b in range(4):
            # derivatives of ω, α and of the rotation by Euler parameter b
            ox, oy, oz = dv * G[0, b] + dq * Gv[0, b], dv * G[1, b] + dq * Gv[1, b], dv * G[2, b] + dq * Gv[2, b]
            ax, ay, az = da * G[0, b] + dq * Ga[0, b], da * G[1, b] + dq * Ga[1, b], da * G[2, b] + dq * Ga[2, b]
            yx, yy, yz = dq * G[0, b], dq * G[1, b], dq * G[2, b]
            # δ(A b) = A (δα × s + δω × (ω × s) + ω × (δω × s) + δθ × b)
            kx, ky, kz = cross(ox, oy, oz, s[0], s[1], s[2])
            kx, ky, kz = cross(wx, wy, wz, kx, ky, kz)
            jx, jy, jz = cross(ox, oy, oz, ux, uy, uz)
            kx, ky, kz = kx + jx, ky + jy, kz + jz
            jx, jy, jz = cross(ax, ay, az, s[0], s[1], s[2])
            kx, ky, kz = kx + jx, ky + jy, kz + jz
            jx, jy, jz = cross(yx, yy, yz, bx, by, bz)
            kx, ky, kz = kx + jx, ky + jy, kz + jz
            for k in range(3):
                B[k, 3 + b] += A[k, 0] * kx + A[k, 1] * ky + A[k, 2] * kz
            # δT = Θ δα + δω × Θ ω + ω × Θ δω + s × (Aᵀ R_tt × δθ)
            kx, ky, kz = times(c.I, i, ax, ay, az)
            jx, jy, jz = cross(ox, oy, oz, hx, hy, hz)
            kx, ky, kz = kx + jx, ky + jy, kz + jz
            jx, jy, jz = times(c.I, i, ox, oy, oz)
            jx, jy, jz = cross(wx, wy, wz, jx, jy, jz)
            kx, ky, kz = kx + jx, ky + jy, kz + jz
            jx, jy, jz = cross(rx, ry, rz, yx, yy, yz)
            jx, jy, jz = cross(s[0], s[1], s[2], jx, jy, jz)
            kx, ky, kz = kx + jx, ky + jy, kz + jz
            for k in range(4):
                B[3 + k, 3 + b] += G[0, k] * kx + G[1, k] * ky + G[2, k] * kz
        # by R_tt: Γᵀ s~ Aᵀ
        for b in range(3):
            kx, ky, kz = cross(s[0], s[1], s[2], A[b, 0], A[b, 1], A[b, 2])
            for k in range(4):
                B[3 + k, b] += da * (G[0, k] * kx + G[1, k] * ky + G[2, k] * kz)
        # what holds the length of e: κ e (e·e_tt + e_t·e_t)
        stretch = 0.0
        for k in range(4):
            stretch += e[k] * a[d[3 + k]] + v[d[3 + k]] * v[d[3 + k]]
        for k in range(4):
            B[3 + k, 3 + k] += c.kappa[i] * dq * stretch
            for b in range(4):
                B[3 + k, 3 + b] += c.kappa[i] * e[k] * (dq * a[d[3 + b]] + 2.0 * dv * v[d[3 + b]] + da * e[b])
        add_block(B, slots, i, values)


@kernel
def fill_rate_derivative(
    y: FloatArray, dofs: IntArray, i: int, e: FloatArray, n: float, wx: float, wy: float, wz: float, D: FloatArray
) -> None:
    """D = ∂(Γ y)/∂e, shape (3, 4), with w = Γ y."""
    c = 2.0 / n
    y0, y1, y2, y3 = c * y[dofs[i, 3]], c * y[dofs[i, 4]], c * y[dofs[i, 5]], c * y[dofs[i, 6]]
    D[0, 0], D[0, 1], D[0, 2], D[0, 3] = y1, -y0, -y3, y2
    D[1, 0], D[1, 1], D[1, 2], D[1, 3] = y2, y3, -y0, -y1
    D[2, 0], D[2, 1], D[2, 2], D[2, 3] = y3, -y2, y1, -y0
    for b in range(4):
        D[0, b], D[1, b], D[2, b] = D[0, b] - c * wx * e[b], D[1, b] - c * wy * e[b], D[2, b] - c * wz * e[b]


@kernel
def gravity(c: Columns, x: FloatArray, g: FloatArray, rows: IntArray, f: FloatArray) -> None:
    """Add the load of an acceleration g [m/s^2], shape (3,), on some of the rows."""
    e, A, G = np.zeros(4), np.zeros((3, 3)), np.zeros((3, 4))
    for i in rows:
        update_rotation(x, c.dofs, i, e, A, G)
        rx, ry, rz = turn_back(A, g[0], g[1], g[2])
        tx, ty, tz = cross(c.s[i, 0], c.s[i, 1], c.s[i, 2], rx, ry, rz)
        for k in range(3):
            f[c.dofs[i, k]] += c.m[i] * g[k]
        for k in range(4):
            f[c.dofs[i, 3 + k]] += G[0, k] * tx + G[1, k] * ty + G[2, k] * tz


@kernel
def gravity_tangent(
    c: Columns, x: FloatArray, g: FloatArray, rows: IntArray, dq: float, slots: IntArray, values: FloatArray
) -> None:
    """values += dq ∂f/∂q of `gravity`: Γᵀ (s × (Aᵀ g × Γ)) and the derivative of Γᵀ."""
    e, A, G, B = np.zeros(4), np.zeros((3, 3)), np.zeros((3, 4)), np.zeros((7, 7))
    for i in rows:
        n = update_rotation(x, c.dofs, i, e, A, G)
        s = c.s[i]
        rx, ry, rz = turn_back(A, g[0], g[1], g[2])
        tx, ty, tz = cross(s[0], s[1], s[2], rx, ry, rz)
        add_torque_tangent(G, e, n, tx, ty, tz, dq, B)
        for b in range(4):
            jx, jy, jz = cross(rx, ry, rz, dq * G[0, b], dq * G[1, b], dq * G[2, b])
            kx, ky, kz = cross(s[0], s[1], s[2], jx, jy, jz)
            for k in range(4):
                B[3 + k, 3 + b] += G[0, k] * kx + G[1, k] * ky + G[2, k] * kz
        add_block(B, slots, i, values)


@kernel
def constraint(
    c: Columns, x: FloatArray, v: FloatArray, lam: FloatArray, rate_level: bool, C: FloatArray, f: FloatArray
) -> None:
    """C += e·e - 1, or 2 e·e_t;  f_e += 2 e λ."""
    for i in range(len(c.m)):
        k, total = c.lam[i], 0.0 if rate_level else -1.0
        for a in range(3, 7):
            d = c.dofs[i, a]
            total += 2.0 * x[d] * v[d] if rate_level else x[d] * x[d]
            f[d] += 2.0 * x[d] * lam[k]
        C[k] += total


@kernel
def constraint_tangent(
    c: Columns,
    x: FloatArray,
    v: FloatArray,
    lam: FloatArray,
    rate_level: bool,
    dq: float,
    dv: float,
    slots: Coupling,
    values: FloatArray,
) -> None:
    """values += derivatives of `constraint`, the curvature 2 λ included."""
    for i in range(len(c.m)):
        for a in range(3, 7):
            d = c.dofs[i, a]
            row = 2.0 * (dv * x[d] + dq * v[d]) if rate_level else 2.0 * dq * x[d]
            values[slots.rows[i, 0, a]] += row
            values[slots.columns[i, a, 0]] += 2.0 * slots.scale * x[d]
            values[slots.block[i, a, a]] += 2.0 * dq * lam[c.lam[i]]


@kernel
def add_accelerations(c: Columns, v: FloatArray, C: FloatArray) -> None:
    """C += -2 e_t·e_t, the right-hand side of 2 e·e_tt."""
    for i in range(len(c.m)):
        for a in range(3, 7):
            C[c.lam[i]] -= 2.0 * v[c.dofs[i, a]] ** 2
