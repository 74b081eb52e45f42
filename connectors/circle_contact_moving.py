"""Contact of a circle with cables whose material moves along the axis, `ALECable2D` with the axial motion s.

The kernels of all cables give the forces f(q, w, s) on the nodes of a cable and on the circle.  Here they are made a
function of the coordinates [nodes, circle, s]; g = G q are the coordinates of r', see `ale_cable2d_kernels`:

    velocities of the material    v_i = S_i w,                 w = v + s_t g,
    force on s                    sum_i F_i.r'(x_i) = g.f      (v_i = S_i v + r' s_t: power F_i.v_i for all rates),
    sticking                      x_cur = r alpha + sigma (rho L/n - s):  rho L/n - s is the place in the material.

With K = dq df/dq + dv df/dw and D = df/dw of the kernels (columns of the circle included) and P = df/ds by x_cur,

    dq df/dq + dv df/dq_t  =  K + dq s_t D G,          column of s:  dv D g + dq P,
    row of s               =  g.(all this) + dq Gᵀ f in the columns of the nodes.

For x_cur the kernels get history values with sticking positions moved by sigma s, from the material to the mesh.
Cables without axial motion in the same table have s at the spare coordinate, which is always 0 and takes any force.
Source: virtual power with the velocity field of an axially moving cable; J. Gerstmayr and others, documentation of
Exudyn 1.11, items ObjectContactFrictionCircleCable2D and ObjectALEANCFCable2D.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from windlass.connectors.cable_shape import FAMILY, ShapeColumns
from windlass.connectors.circle_contact_kernels import (
    ContactColumns,
    add_residual,
    closest_point,
    create_law,
    create_pose,
    end_normal,
    eval_segment,
    stick_position,
    touches,
)
from windlass.connectors.circle_contact_tangent import add_tangent
from windlass.connectors.position_kernels import FAMILY as CIRCLE_FAMILY
from windlass.connectors.position_kernels import PositionColumns
from windlass.elements.ale_cable2d_kernels import fill_product, slide_matrices
from windlass.framework.bind import bind
from windlass.framework.kernel import kernel
from windlass.framework.law import Fields, FloatArray
from windlass.framework.table import IntArray

Residual = Callable[[Fields, FloatArray], None]
Tangent = Callable[[Fields, float, float, IntArray, FloatArray], None]


def bind_moving(c: ContactColumns, travel: IntArray) -> tuple[Residual, Tangent]:
    """Forces and tangent of rows with the local numbers ``travel`` of s, shape (rows,), for their `System`."""
    count, width = c.dofs.shape
    dofs = np.column_stack((c.dofs, travel))
    G = slide_matrices(c.L * c.n)
    # the kernels of the law work on copies of each row's coordinates
    own = c._replace(dofs=np.arange(count * width).reshape(count, width))
    blocks = np.arange(count * width * width).reshape(count, width, width)
    f_own, P = np.zeros((count, width)), np.zeros((count, width))
    K, D = np.zeros((count, width, width)), np.zeros((count, width, width))
    add_forces, add_derivatives, fill_travel = bind(add_residual), bind(add_tangent), bind(fill_travel_columns)
    map_forces, map_tangent = bind(scatter_forces), bind(scatter_tangent)

    def add_own(s: Fields) -> tuple[ShapeColumns, PositionColumns, FloatArray]:
        shape, circle, data = s.markers[FAMILY], s.markers[CIRCLE_FAMILY], shift_history(c, travel, s, s.data)
        f_own[:] = 0.0
        add_forces(own, shape, circle, data, f_own.reshape(-1))
        return shape, circle, data

    def residual(s: Fields, f: FloatArray) -> None:
        _, _, data = add_own(s)
        map_forces(c, dofs, G, data, s.x, f_own, f)

    def tangent(s: Fields, dq: float, dv: float, slots: IntArray, values: FloatArray) -> None:
        shape, circle, data = add_own(s)
        K[:], D[:], P[:] = 0.0, 0.0, 0.0
        v = s.v[c.dofs].reshape(-1)
        add_derivatives(own, shape, circle, data, v, dq, dv, blocks, K.reshape(-1))
        add_derivatives(own, shape, circle, data, v, 0.0, 1.0, blocks, D.reshape(-1))
        fill_travel(c, shape, circle, data, P)
        map_tangent(c, dofs, G, data, s.x, s.v, f_own, K, D, P, dq, dv, slots, values)

    return residual, tangent


def shift_history(c: ContactColumns, travel: IntArray, fields: Fields, data: FloatArray) -> FloatArray:
    """History values as the kernels need them: with sticking positions on the mesh instead of in the material."""
    if not c.mu_k.any():
        return data
    shifted = data.copy()
    add_travel(c, travel, fields.markers[FAMILY], fields.markers[CIRCLE_FAMILY], fields.x, 1.0, shifted)
    return shifted


def update_moving(update: Any, c: ContactColumns, travel: IntArray, fields: Fields) -> tuple[float, bool, float, int]:
    """The post-Newton update of the law, ``update``, with history values that refer to the material."""
    shape, circle = fields.markers[FAMILY], fields.markers[CIRCLE_FAMILY]
    data, start = (shift_history(c, travel, fields, values) for values in (fields.data, fields.start_data))
    before = data.copy()
    error, changed, force, row = update(c, shape, circle, data, start)
    if c.mu_k.any():
        back = data.copy()
        add_travel(c, travel, shape, circle, fields.x, -1.0, back)
        # positions that were kept come back without a rounding error, which would add up over the steps
        kept = np.where(data == before, fields.data, back)
        fields.data[:] = np.where(data == start, fields.start_data, kept)
    return float(error), bool(changed), float(force), int(row)


@kernel
def add_travel(
    c: ContactColumns,
    travel: IntArray,
    shape: ShapeColumns,
    circle: PositionColumns,
    x: FloatArray,
    factor: float,
    data: FloatArray,
) -> None:
    """Add factor sigma s to all sticking positions of rows with bristles."""
    for i in range(len(c.n)):
        if c.mu_k[i] == 0.0:
            continue
        n, j0, s = c.n[i], shape.start[c.cable[i]], factor * x[travel[i]]
        o = create_pose(circle.p, circle.v, circle.omega, circle.A, c.circle[i])
        for k in range(n):
            j = j0 + k
            ax, ay = shape.p[j, 0] - o.cx, shape.p[j, 1] - o.cy
            bx, by = shape.p[j + 1, 0] - o.cx, shape.p[j + 1, 1] - o.cy
            rho, _, _, nx, ny = closest_point(ax, ay, bx, by)
            _, sigma = stick_position(o, nx, ny, bx - ax, by - ay, rho, c.r[i], c.L[i])
            data[c.data[i] + 2 * n + k] += sigma * s


@kernel
def fill_travel_columns(
    c: ContactColumns, shape: ShapeColumns, circle: PositionColumns, data: FloatArray, P: FloatArray
) -> None:
    """Add the derivatives of the forces by s through x_cur of the segments that stick to P, shape (rows, 8 + m)."""
    for i in range(len(c.n)):
        n, first = c.n[i], c.data[i]
        if not c.active[i] or c.mu_k[i] == 0.0:
            continue
        k, ci = c.cable[i], c.circle[i]
        law = create_law(c, i)
        o = create_pose(circle.p, circle.v, circle.omega, circle.A, ci)
        for s in range(n):
            state, stick = data[first + n + s], data[first + 2 * n + s]
            if data[first + s] > 0.0 or state != 0.0:
                continue
            j = shape.start[k] + s
            z = eval_segment(law, o, shape.p, shape.v, j, state, stick)
            n0x, n0y, n1x, n1y = z.nx, z.ny, z.nx, z.ny
            if not law.segment_normals:
                n0x, n0y = end_normal(z.ax, z.ay)
                n1x, n1y = end_normal(z.bx, z.by)
            # x_cur falls by sigma s; the force on point 0 is (1-rho) f_t t0, that on point 1 rho f_t t1
            d_ft = -law.mu_k * z.sigma
            f0, f1 = (1.0 - z.rho) * d_ft, z.rho * d_ft
            for a in range(4):
                S0, S1 = shape.S[j, a], shape.S[j + 1, a]
                P[i, 2 * a] -= S0 * f0 * n0y + S1 * f1 * n1y
                P[i, 2 * a + 1] += S0 * f0 * n0x + S1 * f1 * n1x
            fx, fy = -f0 * n0y - f1 * n1y, f0 * n0x + f1 * n1x
            for a in range(c.dofs.shape[1] - 8):
                P[i, 8 + a] -= circle.J[ci, 0, a] * fx + circle.J[ci, 1, a] * fy + circle.Jr[ci, 2, a] * law.r * d_ft


@kernel
def scatter_forces(
    c: ContactColumns, dofs: IntArray, G: FloatArray, data: FloatArray, x: FloatArray, fe: FloatArray, f: FloatArray
) -> None:
    """Add the forces fe (rows, 8 + m) of the rows to f, and their power g.fe along the axis to the force on s."""
    g, width = np.empty(8), c.dofs.shape[1]
    for i in range(len(c.n)):
        if not c.active[i] or not touches(data, c.data[i], c.n[i]):
            continue
        n = dofs[i]
        fill_product(G[i], x, n, g)
        for a in range(width):
            f[n[a]] += fe[i, a]
        for a in range(8):
            f[n[width]] += g[a] * fe[i, a]


@kernel
def scatter_tangent(
    c: ContactColumns,
    dofs: IntArray,
    G: FloatArray,
    data: FloatArray,
    x: FloatArray,
    v: FloatArray,
    fe: FloatArray,
    K: FloatArray,
    D: FloatArray,
    P: FloatArray,
    dq: float,
    dv: float,
    slots: IntArray,
    values: FloatArray,
) -> None:
    """Add dq ∂f/∂q + dv ∂f/∂q_t of `scatter_forces` to the matrix values; letters as at the head of this file."""
    width = c.dofs.shape[1]
    g, B = np.empty(8), np.empty((width, width + 1))
    for i in range(len(c.n)):
        if not c.active[i] or not touches(data, c.data[i], c.n[i]):
            continue
        n, to, H = dofs[i], slots[i], G[i]
        fill_product(H, x, n, g)
        s_t = dq * v[n[width]]
        for a in range(width):
            B[a, width] = dq * P[i, a]
            for b in range(width):
                B[a, b] = K[i, a, b]
            for b in range(8):
                k, j = b % 2, b // 2
                along = D[i, a, k] * H[0, j] + D[i, a, 2 + k] * H[1, j]
                along += D[i, a, 4 + k] * H[2, j] + D[i, a, 6 + k] * H[3, j]
                B[a, b] += s_t * along
                B[a, width] += dv * D[i, a, b] * g[b]
        for a in range(width):
            for b in range(width + 1):
                values[to[a, b]] += B[a, b]
        for b in range(width + 1):
            total = 0.0
            for a in range(8):
                total += g[a] * B[a, b]
            if b < 8:
                k, j = b % 2, b // 2
                for a in range(4):
                    total += dq * fe[i, 2 * a + k] * H[a, j]
            values[to[width, b]] += total
