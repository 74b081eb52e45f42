"""Exact tangent of the contact of surfaces with ribbons; see `ribbon_kernels.py` for the points and their second
variation, `tangent.py` for the derivatives of the force of a point, and `contact/assembly.py` for C, V, K and N.

With J = dp/dq, which has 14 columns, and its time derivative J_t, each point adds

    K: Bᵀ (C B + V B_t) + dq F·d²p/dq²,    B = [J, -1, ...],  B_t = [J_t, 0, ...]
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.connectors.circle_segments.kernels import touches
from windlass.connectors.contact.assembly import add_block, fill_marker, scatter_row
from windlass.connectors.contact.law import read_law
from windlass.connectors.markers.position_kernels import PositionColumns
from windlass.connectors.surface_contact.distances import eval_distance
from windlass.connectors.surface_contact.kernels import (
    ContactRows,
    create_frame,
    eval_forces,
    eval_global_force,
    gather,
    read_anchor,
    read_state,
)
from windlass.connectors.surface_contact.ribbon_kernels import RibbonPoint, eval_ribbon
from windlass.connectors.surface_contact.tangent import fill_force_tangent, fill_wrench, rotate_tensor
from windlass.connectors.surface_contact.twist_kernels import TWIST_CABLE
from windlass.elements.cable3d.twist_forces import find_part
from windlass.elements.cable3d.twist_points import COUNT, fill_spin_change, interpolate, read_coordinates, twist_angle
from windlass.elements.nodes.vectors import Vector, cross, dot
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel

ROW = TWIST_CABLE + 6
"""Number of coordinates of cable and surface."""


@kernel
def fill_forms(r: RibbonPoint, iL: float, sigma: FloatArray, forms: FloatArray) -> None:
    """Write a, g, h and σ of each coordinate of the cable into ``forms``, shape (4, 14)."""
    for k in range(TWIST_CABLE):
        j, axis = k // 3, k % 3
        size = r.P[0] * iL if j == 2 else -r.P[0] * iL if j == 0 else r.P[1] if j == 1 else r.P[2] if j == 3 else 0.0
        i, u = find_part(k, iL)
        forms[0, k], forms[1, k] = size * r.t[axis] / r.size, size * r.d1[axis] / r.size
        forms[2, k], forms[3, k] = size * r.d2[axis] / r.size, u * sigma[i]


@kernel(inline=True)
def bend_point(r: RibbonPoint, forms: FloatArray, k: int, l: int, dspin: float) -> Vector:
    """Return the components along t, d_1 and d_2 of the second derivative of p with respect to coordinates k and l;
    ``dspin`` is the derivative of σ_k with respect to coordinate l.
    """
    on_t = forms[0, l] * forms[1, k] + forms[0, k] * forms[1, l] - forms[2, l] * forms[3, k] - forms[2, k] * forms[3, l]
    on_d1 = -forms[3, k] * forms[3, l] - forms[1, k] * forms[1, l]
    return r.y * on_t, r.y * on_d1, r.y * (dspin - forms[2, l] * forms[1, k])


@kernel
def fill_jacobians(
    r: RibbonPoint, iL: float, v: FloatArray, dofs: IntArray, forms: FloatArray, dsigma: FloatArray, F: Vector,
    dq: float, J: FloatArray, Jt: FloatArray, K: FloatArray,
) -> None:  # fmt: skip
    """Write J and J_t, shape (3, 14) each, and add dq F·d²p/dq² to K; ``dsigma`` is the derivative of the form σ."""
    across = dot(r.t, F), dot(r.d1, F), dot(r.d2, F)
    for k in range(TWIST_CABLE):
        i, u = find_part(k, iL)
        x, y, z = 0.0, 0.0, 0.0
        for l in range(TWIST_CABLE):
            j, w = find_part(l, iL)
            bent, rate = bend_point(r, forms, k, l, u * w * dsigma[i, j]), v[dofs[l]]
            x, y, z = x + bent[0] * rate, y + bent[1] * rate, z + bent[2] * rate
            K[k, l] += dq * (bent[0] * across[0] + bent[1] * across[1] + bent[2] * across[2])
        for d in range(3):
            on_axis = r.S[k // 3] if k < 12 and k % 3 == d else 0.0
            J[d, k] = on_axis + r.y * (forms[3, k] * r.d2[d] - forms[1, k] * r.t[d])
            Jt[d, k] = x * r.t[d] + y * r.d1[d] + z * r.d2[d]


@kernel
def add_ribbon_point(
    J: FloatArray, Jt: FloatArray, C: FloatArray, V: FloatArray, X: FloatArray, varies: bool, K: FloatArray,
    N: FloatArray,
) -> None:  # fmt: skip
    """Add the derivatives of a point to K, shape (20, 20), and N, shape (20, 6); X is work space, shape (6, 20).
    ``varies``: whether the Jacobians of the marker vary in time; otherwise N is not changed.
    """
    n = TWIST_CABLE
    for a in range(6):
        for b in range(n):
            total = 0.0
            for e in range(3):
                total += C[a, e] * J[e, b] + V[a, e] * Jt[e, b]
            X[a, b] = total
        for b in range(6):
            X[a, n + b] = -C[a, b] if b < 3 else C[a, b]
    for b in range(ROW):
        for a in range(n):
            K[a, b] += J[0, a] * X[0, b] + J[1, a] * X[1, b] + J[2, a] * X[2, b]
        for a in range(6):
            K[n + a, b] -= X[a, b]
    if varies:
        for b in range(6):
            sign = -1.0 if b < 3 else 1.0
            for a in range(n):
                N[a, b] += sign * (J[0, a] * V[0, b] + J[1, a] * V[1, b] + J[2, a] * V[2, b])
            for a in range(6):
                N[n + a, b] -= sign * V[a, b]


@kernel
def add_ribbon_tangent(
    c: ContactRows,
    m: PositionColumns,
    data: FloatArray,
    start: FloatArray,
    x: FloatArray,
    v: FloatArray,
    dq: float,
    dv: float,
    slots: IntArray,
    values: FloatArray,
) -> None:
    """Add dq df/dq + dv df/dv of all rows, at constant history values, to the values of the matrix."""
    kind, geo, pieces = c.surfaces.kind, c.surfaces.geo, c.surfaces.pieces
    width = c.dofs.shape[1] - TWIST_CABLE
    y, yt, sigma, dsigma = np.empty(COUNT), np.empty(COUNT), np.empty(COUNT), np.empty((COUNT, COUNT))
    space, X, Y, GX, GV = np.empty((6, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    C, V, K, N = np.empty((6, 6)), np.empty((6, 6)), np.empty((ROW, ROW)), np.empty((ROW, 6))
    forms, J, Jt = np.empty((4, TWIST_CABLE)), np.empty((3, TWIST_CABLE)), np.empty((3, TWIST_CABLE))
    P, R, wrench, A = np.empty((width, 6)), np.empty((width, 6)), np.empty(6), np.empty(6)
    work = np.empty((6, ROW))
    for i in range(len(c.rows)):
        row: Any = c.rows[i]
        n, first, s = row.points, row.data, row.surface
        if not row.active or not touches(data, first, n):
            continue
        # frame of the surface, and coordinates of the cable
        marker, law, L = c.surfaces.marker[s], read_law(row, 0.0), row.length * n
        o = create_frame(c.surfaces.Q, s, m.p, m.v, m.omega, m.A, marker)
        q, w, iL = gather(x, c.dofs, i), gather(v, c.dofs, i), 1.0 / L
        read_coordinates(row.dofs, iL, x, y)
        read_coordinates(row.dofs, iL, v, yt)
        twist = twist_angle(row, y)
        K[:], N[:], wrench[:] = 0.0, 0.0, 0.0
        # loop over closed points
        for k in range(n):
            if data[first + k] > 0.0:
                continue
            r = eval_ribbon(o, row, k, q, w, y, yt, twist, sigma)
            z = r.lever
            h = eval_distance(kind, geo, pieces, s, z.X, z.Y, z.Z)
            if not h.there:
                continue
            # global force of the point, and its derivatives with respect to position and velocity
            state = read_state(data, start, first, n, k, law.friction_stiffness)
            anchor = read_anchor(state, data, start, first, n, k)
            forces = eval_forces(law, row.rope_radius, h, z, state, anchor)
            F = eval_global_force(o, h, forces)
            fill_force_tangent(law, forces, h, z, state, anchor, space, X, Y)
            rotate_tensor(o, X, GX)
            rotate_tensor(o, Y, GV)
            fill_wrench(o, z, F, GX, GV, dq, dv, C, V)
            # the position of the point depends on positions, slopes and angles of the nodes
            fill_spin_change(row, r.place, r.P, interpolate(r.P, 1.0, y), y, dsigma)
            fill_forms(r, iL, sigma, forms)
            fill_jacobians(r, iL, v, row.dofs, forms, dsigma, F, dq, J, Jt, K)
            add_ribbon_point(J, Jt, C, V, work, width > 0, K, N)
            moment = cross((z.dx, z.dy, z.dz), F)
            for b in range(3):
                wrench[b], wrench[3 + b] = wrench[b] + dq * F[b], wrench[3 + b] + dq * moment[b]
        # coordinates of the marker of the surface
        if width == 0:
            add_block(K, slots, i, TWIST_CABLE, values)
            continue
        fill_marker(m, marker, 3, 6, v, c.dofs, i, P, R)
        scatter_row(m, marker, 3, 6, c.dofs, i, K, N, P, R, wrench, A, slots, values)
