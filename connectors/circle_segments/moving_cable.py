"""Contact of a circle with cables whose material moves along the axis through the mesh (`ALECable2D`). The axial
displacement of the material is s.

The kernels of the law evaluate the forces f(q, w, s) on the nodes of a cable and on the circle, for the coordinates q
of the nodes and the material velocities w. This module converts these forces to generalised forces on the coordinates
of nodes and circle and on s. The vector g = G q contains the coordinates of r'. At point i, r' is S_i g with the shape
functions S_i (see `elements/cable/ale_kernels.py`). F_i is the force at point i, and v = q_t:

    velocities of the material: v_i = S_i w,    w = v + s_t g
    force on s: sum_i F_i.r'(x_i) = g.f, because v_i = S_i v + r' s_t and the power is F_i.v_i for all rates
    position with reference length: x_cur = r alpha + sigma (rho L/n - s), where rho L/n - s is a material coordinate
    position with current length: x_cur = r alpha + sigma (rho - 1/2 - (s - s0) n/L) |e|

If positions are measured with current lengths, the displacement of the material is the sum of the increments |e| n/L
ds. This sum is not a function of s alone. Therefore a sticking position refers to a material point: the point that was
at this position when the position was stored. The last history value of the row is s0, the axial displacement at that
time. Each update shifts the stored sticking positions by sigma |e| (s - s0) n/L.

The kernels of the law compute K = dq df/dq + dv df/dw and D = df/dw, including the derivatives with respect to the
coordinates of the circle. This module computes P, the derivative of f with respect to s that is due to the dependence
of x_cur on s. The tangent is

    columns of q: dq df/dq + dv df/dq_t = K + dq s_t D G
    column of s: dv D g + dq P
    row of s: g.(these columns), and in the columns of the nodes in addition dq Gᵀ f

The kernels receive (s - s0) n/L as the field ``shift`` of the rows. For the reference length, s0 = 0. For cables of the
same table without axial motion, s is the spare coordinate. The spare coordinate is always 0, and forces on it have no
effect.

Source: virtual power with the velocity field of an axially moving cable; J. Gerstmayr and others, documentation of
Exudyn 1.11, items ObjectContactFrictionCircleCable2D and ObjectALEANCFCable2D.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from windlass.connectors.circle_segments.kernels import (
    SegmentRows,
    eval_segment,
    force_normals,
    read_parameters,
)
from windlass.connectors.circle_segments.residual import add_residual
from windlass.connectors.circle_segments.tangent import add_tangent
from windlass.connectors.contact.circles import create_pose
from windlass.connectors.contact.update import touches
from windlass.connectors.markers.cable_shape import FAMILY, ShapeMarkers
from windlass.connectors.markers.position_kernels import FAMILY as CIRCLE_FAMILY
from windlass.connectors.markers.position_kernels import PositionMarkers
from windlass.elements.cable.ale_kernels import fill_product, slide_matrices
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.system import Evaluation, Fields

Function = Callable[[Evaluation], None]


class AxialMotion(NamedTuple):
    """Indices with which kernels find the axial displacement s of the cable in each row."""

    s: IntArray  # process-local index of s (or of the spare coordinate) of each row, shape (rows,)
    stored: IntArray  # index of s0 of each row among the history values, -1 for rows without s0, shape (rows,)


def create_moving_functions(c: SegmentRows, axial: AxialMotion) -> tuple[Function, Function]:
    """Create the functions for the forces and the tangent of rows on cables whose material moves, for the `System` of
    these rows.
    """
    count, width = c.dofs.shape
    dofs = np.column_stack((c.dofs, axial.s))
    G = slide_matrices(c.rows["length"] * c.rows["segments"])
    # the kernels of the law receive a separate index for each coordinate of each row, so that forces of rows are not
    # summed
    own = c._replace(dofs=np.arange(count * width).reshape(count, width))
    blocks = np.arange(count * width * width).reshape(count, width, width)
    f_own, P = np.zeros((count, width)), np.zeros((count, width))
    K, D = np.zeros((count, width, width)), np.zeros((count, width, width))
    add_forces, add_derivatives, fill_axial = call(add_residual), call(add_tangent), call(fill_axial_columns)
    map_forces, map_tangent = call(scatter_forces), call(scatter_tangent)

    def add_own(s: Fields) -> tuple[ShapeMarkers, PositionMarkers, FloatArray]:
        shape, circle, data = s.markers[FAMILY], s.markers[CIRCLE_FAMILY], s.data
        set_shift(c, axial, s.x, data)
        f_own[:] = 0.0
        add_forces(own, shape, circle, data, f_own.reshape(-1))
        return shape, circle, data

    def residual(s: Evaluation) -> None:
        _, _, data = add_own(s)
        map_forces(c, dofs, G, data, s.x, f_own, s.f)

    def tangent(s: Evaluation) -> None:
        shape, circle, data = add_own(s)
        K[:], D[:], P[:] = 0.0, 0.0, 0.0
        v = s.v[c.dofs].reshape(-1)
        add_derivatives(own, shape, circle, data, v, s.dq, s.dv, blocks, K.reshape(-1))
        add_derivatives(own, shape, circle, data, v, 0.0, 1.0, blocks, D.reshape(-1))
        fill_axial(c, shape, circle, data, P)
        map_tangent(c, dofs, G, data, s.x, s.v, f_own, K, D, P, s.dq, s.dv, s.slots, s.values)

    return residual, tangent


def set_shift(c: SegmentRows, axial: AxialMotion, x: FloatArray, data: FloatArray) -> None:
    """Write (s - s0) n/L of each row into the field ``shift``. The displacement s is read from the coordinates x, and
    s0 is read from ``data`` (0 with the reference length).
    """
    stored = np.where(axial.stored >= 0, data[axial.stored], 0.0)
    c.rows["shift"] = (x[axial.s] - stored) / c.rows["length"]


def update_moving(update: Any, c: SegmentRows, axial: AxialMotion, fields: Fields) -> tuple[float, bool, float, int]:
    """Call ``update``, which updates the rows of the law after a Newton run, and shift the sticking positions. Then
    store the current axial displacements s as s0, and return the results of ``update``.
    """
    shape, circle = fields.markers[FAMILY], fields.markers[CIRCLE_FAMILY]
    set_shift(c, axial, fields.x, fields.start_data)
    error, changed, force, row = update(c, shape, circle, fields.data, fields.start_data)
    mine = c.rows["active"] & (axial.stored >= 0)
    fields.data[axial.stored[mine]] = fields.x[axial.s[mine]]
    return float(error), bool(changed), float(force), int(row)


@kernel
def fill_axial_columns(
    c: SegmentRows, shape: ShapeMarkers, circle: PositionMarkers, data: FloatArray, P: FloatArray
) -> None:
    """Add the derivatives of the forces with respect to the axial displacement s to P, shape (rows, 8 + m). The
    displacement s changes the position x_cur of sticking segments.
    """
    for i in range(len(c.rows)):
        row = c.rows[i]
        n, first = row.segments, row.data
        if not row.active or row.friction_stiffness == 0.0:
            continue
        k, ci = row.cable, row.circle
        par = read_parameters(row, shape)
        o = create_pose(circle.position, circle.velocity, circle.angular_velocity, circle.rotation, ci)
        for s in range(n):
            state, stick = data[first + n + s], data[first + 2 * n + s]
            if data[first + s] > 0.0 or state != 0.0:
                continue
            j = shape.start[k] + s
            z = eval_segment(par, o, shape.position, shape.velocity, shape.slope, j, state, stick)
            n0x, n0y, n1x, n1y = force_normals(par, z.chord)
            # the derivative of x_cur with respect to s is the derivative with respect to rho, times -n/L; the forces on
            # both points are (1-rho) f_t t0 and rho f_t t1
            d_ft = -par.friction_stiffness * z.d_rho / par.length
            f0, f1 = (1.0 - z.chord.rho) * d_ft, z.chord.rho * d_ft
            for a in range(4):
                S0, S1 = shape.shape_functions[j, a], shape.shape_functions[j + 1, a]
                P[i, 2 * a] -= S0 * f0 * n0y + S1 * f1 * n1y
                P[i, 2 * a + 1] += S0 * f0 * n0x + S1 * f1 * n1x
            fx, fy = -f0 * n0y - f1 * n1y, f0 * n0x + f1 * n1x
            for a in range(c.dofs.shape[1] - 8):
                P[i, 8 + a] -= (
                    circle.jacobian[ci, 0, a] * fx
                    + circle.jacobian[ci, 1, a] * fy
                    + circle.rotation_jacobian[ci, 2, a] * par.radius * d_ft
                )


@kernel
def scatter_forces(
    c: SegmentRows, dofs: IntArray, G: FloatArray, data: FloatArray, x: FloatArray, fe: FloatArray, f: FloatArray
) -> None:
    """Add two kinds of forces to f: the forces fe of the rows on their coordinates, shape (rows, 8 + m), and the force
    g.fe of each row on the axial displacement s of its cable.
    """
    g, width = np.empty(8), c.dofs.shape[1]
    for i in range(len(c.rows)):
        row = c.rows[i]
        if not row.active or not touches(data, row.data, row.segments):
            continue
        n = dofs[i]
        fill_product(G[i], x, n, g)
        for a in range(width):
            f[n[a]] += fe[i, a]
        for a in range(8):
            f[n[width]] += g[a] * fe[i, a]


@kernel
def scatter_tangent(
    c: SegmentRows,
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
    """Add the derivatives dq ∂f/∂q + dv ∂f/∂q_t of the forces f of `scatter_forces` to ``values``, the values of the
    matrix. The factors dq and dv are scalars. The docstring of this module defines the symbols.
    """
    width = c.dofs.shape[1]
    g, B = np.empty(8), np.empty((width, width + 1))
    for i in range(len(c.rows)):
        row = c.rows[i]
        if not row.active or not touches(data, row.data, row.segments):
            continue
        n, to, H = dofs[i], slots[i], G[i]
        fill_product(H, x, n, g)
        s_t = dq * v[n[width]]
        # B: derivatives of the forces with respect to the coordinates of the row and with respect to s
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
        # add the derivatives of the forces on the coordinates of nodes and circle
        for a in range(width):
            for b in range(width + 1):
                values[to[a, b]] += B[a, b]
        # add the derivatives of the force g.fe on s
        for b in range(width + 1):
            total = 0.0
            for a in range(8):
                total += g[a] * B[a, b]
            if b < 8:
                k, j = b % 2, b // 2
                for a in range(4):
                    total += dq * fe[i, 2 * a + k] * H[a, j]
            values[to[width, b]] += total
