"""Exact tangent of the Hunt-Crossley law, evaluated for each coordinate of each pair.

A small motion displaces the material points of both surfaces at the contact by u_1, u_2 and rotates the bodies by θ_1,
θ_2. With e_i = θ_i × n, T = I - n nᵀ and the shape tensors D_i = ∂p_i/∂n in the tangent plane (r I for a sphere, see
`ellipsoids.py`), the variations are

    depth: δx = n·(u_1 - u_2)
    normal: (D_1 + D_2 - x I) δn = -T(u_1 - u_2) + D_1 e_1 + D_2 e_2
    normal of a half space: δn = e_2
    points: δp_1 = u_1 + D_1 (δn - e_1),    δP = δp_1 - s1 (δx n + x δn)
    radius: δ ln R = ½ (δ ln det D_1 + δ ln det D_2 - δ ln det(D_1 + D_2))
    shape: δ ln det D_i = -4 (p_i·(δn - e_i))/h_i

The variations δf and δv, and the variation δG of the force G = f n + g v_t, follow from these equations.
`hunt_crossley` defines f, s1 and v. P is the point on which the force acts, and p the position of a marker. The
generalised force Jᵀ G + Jrᵀ((P - p) × G) depends on G, P and the Jacobians J and Jr of the markers. The derivatives of
J and Jr with respect to the coordinates are H and Hr.

Source: implicit differentiation of the contact conditions, own derivation.
"""

from __future__ import annotations

import numpy as np

from windlass.connectors.markers.position_kernels import PositionMarkers
from windlass.connectors.point_contact.ellipsoids import create_basis, eval_form, eval_support
from windlass.connectors.point_contact.geometry import find_contact
from windlass.connectors.point_contact.kernels import (
    PairParameters,
    eval_pair_force,
)
from windlass.connectors.point_contact.surfaces import ELLIPSOID, HALF_SPACE, Surfaces
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel

Six = tuple[float, float, float, float, float, float]
Vector = tuple[float, float, float]


@kernel(inline=True)
def cross(ax: float, ay: float, az: float, bx: float, by: float, bz: float) -> Vector:
    """Return a × b."""
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@kernel
def eval_shape(c: Surfaces, i: int, n: Vector, t: Six) -> Six:
    """Return six values of a bounded surface in the basis t of the tangent plane. They are the components D_11, D_12,
    D_22 of the shape tensor [m], the ratios p·t_1 / h and p·t_2 / h for the surface point p, and the support h [m].
    """
    if c.kind[i] != ELLIPSOID:
        return c.reach[i], 0.0, c.reach[i], 0.0, 0.0, c.reach[i]
    h, px, py, pz = eval_support(c.Q, i, n[0], n[1], n[2])
    pa, pb = px * t[0] + py * t[1] + pz * t[2], px * t[3] + py * t[4] + pz * t[5]
    aa = (eval_form(c.Q, i, t[0], t[1], t[2], t[0], t[1], t[2]) - pa * pa) / h
    ab = (eval_form(c.Q, i, t[0], t[1], t[2], t[3], t[4], t[5]) - pa * pb) / h
    bb = (eval_form(c.Q, i, t[3], t[4], t[5], t[3], t[4], t[5]) - pb * pb) / h
    return aa, ab, bb, pa / h, pb / h, h


@kernel
def eval_shape_change(D: Six, ea: float, eb: float, spin: float) -> Vector:
    """Return the variations of the components D_11, D_12, D_22 of the shape tensor for a rotation of the normal n by
    (ea, eb) relative to the body, and for a rotation of the body by ``spin`` about n."""
    da, db = D[0] * ea + D[1] * eb, D[1] * ea + D[2] * eb
    s = D[3] * ea + D[4] * eb
    return (
        -2.0 * da * D[3] - D[0] * s - 2.0 * spin * D[1],
        -(da * D[4] + db * D[3]) - D[1] * s + spin * (D[0] - D[2]),
        -2.0 * db * D[4] - D[2] * s + 2.0 * spin * D[1],
    )


@kernel
def eval_radius_change(
    bounded: bool, D: Six, S: Six, na: float, nb: float, e: tuple[float, float, float, float], spin: tuple[float, float]
) -> float:
    """Return the variation δ ln R of the relative radius R. The arguments are the variation δn = (na, nb) of the normal
    n, the vectors e = (e_1, e_2), and the rotations ``spin`` of both bodies about n. δn, e_1 and e_2 are given by their
    components in the tangent plane.
    """
    ua, ub = na - e[0], nb - e[1]
    change = -4.0 * (D[3] * ua + D[4] * ub)
    if bounded:
        wa, wb = na - e[2], nb - e[3]
        change -= 4.0 * (S[3] * wa + S[4] * wb)
        aa, ab, bb = D[0] + S[0], D[1] + S[1], D[2] + S[2]
        daa, dab, dbb = eval_shape_change(D, ua, ub, spin[0])
        saa, sab, sbb = eval_shape_change(S, wa, wb, spin[1])
        change -= (bb * (daa + saa) - 2.0 * ab * (dab + sab) + aa * (dbb + sbb)) / (aa * bb - ab * ab)
    return 0.5 * change


@kernel
def add_pair_tangents(
    c: Surfaces,
    par: PairParameters,
    pairs: IntArray,
    m: PositionMarkers,
    qdot: FloatArray,
    dq: float,
    dv: float,
    slots: IntArray,
    values: FloatArray,
) -> None:
    """Add the tangent dq ∂f/∂q + dv ∂f/∂q̇, with the scalar factors dq and dv, to the values of the matrix, for the
    generalised forces f of one force element. The argument ``qdot`` contains the velocities of all coordinates,
    followed by the velocity of the spare coordinate.
    """
    w, spare = c.dofs.shape[1], len(qdot) - 1
    p, J, Jd, Jr, Hr = m.position, m.jacobian, m.jacobian_rate, m.rotation_jacobian, m.rotation_hessian
    # arrays for the variations of G, of P, and of (P - p) × G at both markers, for each coordinate of the pair
    dG, dP, dT = np.zeros((3, 2 * w)), np.zeros((3, 2 * w)), np.zeros((3, 2 * w))
    G, P, arm, T = np.zeros(3), np.zeros(3), np.zeros((2, 3)), np.zeros((2, 3))
    for k in range(len(pairs)):
        i, j = pairs[k, 0], pairs[k, 1]
        touch = find_contact(c, i, j)
        x, nx, ny, nz, qx, qy, qz, _ = touch
        if x <= 0.0:
            continue
        # evaluate the force as in the residual
        F = eval_pair_force(c, par, i, j, touch)
        s1, fH, f, vn, damping, factor, d_factor = F.share, F.hertz, F.normal, F.vn, F.damping, F.factor, F.slope
        if f <= 0.0:
            continue
        P[0], P[1], P[2] = F.point
        G[0], G[1], G[2] = F.force
        (vx, vy, vz), (sx, sy, sz) = F.v, F.slip
        # shape tensors in the tangent plane
        bounded = c.kind[j] != HALF_SPACE
        t = create_basis(nx, ny, nz)
        ax, ay, az, bx, by, bz = t
        D = eval_shape(c, i, (nx, ny, nz), t)
        S = eval_shape(c, j, (nx, ny, nz), t) if bounded else D
        Maa, Mab, Mbb = D[0] + S[0] - x, D[1] + S[1], D[2] + S[2] - x
        det = Maa * Mbb - Mab * Mab
        # compute the lever arms from both markers, and the torques
        for side in range(2):
            body = i if side == 0 else j
            mk = c.marker[body]
            for d in range(3):
                arm[side, d] = P[d] - p[mk, d]
            T[side, 0], T[side, 1], T[side, 2] = cross(arm[side, 0], arm[side, 1], arm[side, 2], G[0], G[1], G[2])
        # derivatives of position, normal, velocity and force with respect to each coordinate
        for side in range(2):
            body, sign = (i, 1.0) if side == 0 else (j, -1.0)
            mk = c.marker[body]
            wx, wy, wz = c.omega[body, 0], c.omega[body, 1], c.omega[body, 2]
            # position of the material point: p_1, or p_2 = p_1 - x n
            back = 0.0 if side == 0 else x
            yx, yy, yz = qx - back * nx - p[mk, 0], qy - back * ny - p[mk, 1], qz - back * nz - p[mk, 2]
            for l in range(w):
                col = side * w + l
                if c.dofs[body, l] == spare:
                    continue
                jx, jy, jz = J[mk, 0, l], J[mk, 1, l], J[mk, 2, l]
                tx, ty, tz = 0.0, 0.0, 0.0
                if not c.is_point[body]:
                    tx, ty, tz = Jr[mk, 0, l], Jr[mk, 1, l], Jr[mk, 2, l]
                # compute the displacement u of the material point, e = θ × n, and the rotation about n
                rx, ry, rz = cross(tx, ty, tz, yx, yy, yz)
                mx, my, mz = jx + rx, jy + ry, jz + rz
                ex, ey, ez = cross(tx, ty, tz, nx, ny, nz)
                ea, eb = ex * ax + ey * ay + ez * az, ex * bx + ey * by + ez * bz
                spin = tx * nx + ty * ny + tz * nz
                # compute the variation of the depth, and the components na and nb of δn in the tangent plane
                dx = sign * (mx * nx + my * ny + mz * nz)
                if bounded:
                    fa, fb = -sign * (mx * ax + my * ay + mz * az), -sign * (mx * bx + my * by + mz * bz)
                    if side == 0:
                        fa, fb = fa + D[0] * ea + D[1] * eb, fb + D[1] * ea + D[2] * eb
                    else:
                        fa, fb = fa + S[0] * ea + S[1] * eb, fb + S[1] * ea + S[2] * eb
                    na, nb = (Mbb * fa - Mab * fb) / det, (Maa * fb - Mab * fa) / det
                elif side == 0:
                    na, nb = 0.0, 0.0
                else:
                    na, nb = ea, eb
                # compute the rotation of both surfaces relative to the normal, and the relative variation of the radius
                # R
                if side == 0:
                    e, spins, ka, kb = (ea, eb, 0.0, 0.0), (spin, 0.0), na - ea, nb - eb
                else:
                    e, spins, ka, kb = (0.0, 0.0, ea, eb), (0.0, spin), na, nb
                dlnR = eval_radius_change(bounded, D, S, na, nb, e, spins)
                dnx, dny, dnz = na * ax + nb * bx, na * ay + nb * by, na * az + nb * bz
                ha, hb = D[0] * ka + D[1] * kb, D[1] * ka + D[2] * kb
                # variation δP of the point P on which the force acts
                px, py, pz = ha * ax + hb * bx, ha * ay + hb * by, ha * az + hb * bz
                if side == 0:
                    px, py, pz = px + mx, py + my, pz + mz
                px -= s1 * (dx * nx + x * dnx)
                py -= s1 * (dx * ny + x * dny)
                pz -= s1 * (dx * nz + x * dnz)
                # δv due to changes of position: the velocities of both bodies are evaluated at the moving point P
                ox, oy, oz = c.omega[i, 0] - c.omega[j, 0], c.omega[i, 1] - c.omega[j, 1], c.omega[i, 2] - c.omega[j, 2]
                gx, gy, gz = cross(ox, oy, oz, px, py, pz)
                kx, ky, kz = cross(wx, wy, wz, jx, jy, jz)
                gx += sign * (Jd[mk, 0, l] - kx)
                gy += sign * (Jd[mk, 1, l] - ky)
                gz += sign * (Jd[mk, 2, l] - kz)
                # the velocity at the marker depends on the coordinates of the marker
                h = m.second[mk]
                if h >= 0 and not c.is_point[body]:
                    ox, oy, oz = 0.0, 0.0, 0.0
                    for a in range(w):
                        rate = qdot[c.dofs[body, a]]
                        ox += Hr[h, 0, a, l] * rate
                        oy += Hr[h, 1, a, l] * rate
                        oz += Hr[h, 2, a, l] * rate
                    kx, ky, kz = cross(ox, oy, oz, arm[side, 0], arm[side, 1], arm[side, 2])
                    gx, gy, gz = gx + sign * kx, gy + sign * ky, gz + sign * kz
                # derivatives with respect to velocities
                kx, ky, kz = cross(tx, ty, tz, arm[side, 0], arm[side, 1], arm[side, 2])
                gx = dq * gx + dv * sign * (jx + kx)
                gy = dq * gy + dv * sign * (jy + ky)
                gz = dq * gz + dv * sign * (jz + kz)
                # compute δG from δx, δn, δ ln R and δv
                dvn = gx * nx + gy * ny + gz * nz + dq * (vx * dnx + vy * dny + vz * dnz)
                df = f * dq * (1.5 * dx / x + 0.5 * dlnR) + fH * damping * dvn
                lx = gx - dvn * nx - vn * dq * dnx
                ly = gy - dvn * ny - vn * dq * dny
                lz = gz - dvn * nz - vn * dq * dnz
                grow = d_factor * (sx * lx + sy * ly + sz * lz)
                dG[0, col] = df * (nx + factor * sx) + f * (dq * dnx + factor * lx + grow * sx)
                dG[1, col] = df * (ny + factor * sy) + f * (dq * dny + factor * ly + grow * sy)
                dG[2, col] = df * (nz + factor * sz) + f * (dq * dnz + factor * lz + grow * sz)
                dP[0, col], dP[1, col], dP[2, col] = dq * px, dq * py, dq * pz
        add_pair_block(c, m, i, j, slots[k], dq, G, T, arm, dG, dP, dT, spare, values)


@kernel
def add_pair_block(
    c: Surfaces,
    m: PositionMarkers,
    i: int,
    j: int,
    slots: IntArray,
    dq: float,
    G: FloatArray,
    T: FloatArray,
    arm: FloatArray,
    dG: FloatArray,
    dP: FloatArray,
    dT: FloatArray,
    spare: int,
    values: FloatArray,
) -> None:
    """Add to the matrix the contributions of the variations of the force G of one pair and of the point P on which G
    acts. The contributions have the sign + in the rows of body 1 and - in the rows of body 2.
    """
    J, Jr, H, Hr, w = m.jacobian, m.rotation_jacobian, m.hessian, m.rotation_hessian, c.dofs.shape[1]
    for side in range(2):
        body, sign = (i, 1.0) if side == 0 else (j, -1.0)
        mk = c.marker[body]
        turns = not c.is_point[body]
        # variations of the torque due to the variation of P - p, and due to the variation of the force
        for col in range(2 * w if turns else 0):
            px, py, pz = dP[0, col], dP[1, col], dP[2, col]
            if col // w == side:
                l = col - side * w
                px, py, pz = px - dq * J[mk, 0, l], py - dq * J[mk, 1, l], pz - dq * J[mk, 2, l]
            ax, ay, az = cross(px, py, pz, G[0], G[1], G[2])
            bx, by, bz = cross(arm[side, 0], arm[side, 1], arm[side, 2], dG[0, col], dG[1, col], dG[2, col])
            dT[0, col], dT[1, col], dT[2, col] = ax + bx, ay + by, az + bz
        # J^T dG + Jr^T dT
        for a in range(w):
            if c.dofs[body, a] == spare:
                continue
            for col in range(2 * w):
                if c.dofs[i if col < w else j, col % w] == spare:
                    continue
                K = J[mk, 0, a] * dG[0, col] + J[mk, 1, a] * dG[1, col] + J[mk, 2, a] * dG[2, col]
                if turns:
                    K += Jr[mk, 0, a] * dT[0, col] + Jr[mk, 1, a] * dT[1, col] + Jr[mk, 2, a] * dT[2, col]
                values[slots[side * w + a, col]] += sign * K
        # derivatives of the Jacobians of the marker with respect to coordinates
        h = m.second[mk]
        if h < 0 or dq == 0.0:
            continue
        for a in range(w):
            for b in range(w):
                K = H[h, 0, a, b] * G[0] + H[h, 1, a, b] * G[1] + H[h, 2, a, b] * G[2]
                if turns:
                    K += Hr[h, 0, a, b] * T[side, 0] + Hr[h, 1, a, b] * T[side, 1] + Hr[h, 2, a, b] * T[side, 2]
                values[slots[side * w + a, side * w + b]] += sign * dq * K
