"""Position markers on nodes of `SlopeBeam3D` and on points of the beams. The markers rotate with the cross section.

    position: p = r + y r_2 + z r_3
    rotation: the frame of section_node.py for the slopes r_2, r_3 of the cross section
    angular velocity: ω = W_2 r_2,t + W_3 r_3,t,    W_2 = -r_3 qᵀ,    W_3 = [r_3]×/g_33 + c r_3 qᵀ,
        q = n/|n|²,    n = r_2 × r_3,    c = g_23/g_33,    g_ij = r_i·r_j

In a beam r, r_2, r_3 are interpolated between the nodes. Let n_e be the derivative of n with respect to a component of
the slopes. The derivatives of W_2 and W_3 with respect to this component follow from the product rule and from

    q_e = n_e/|n|² - 2 q (q·n_e),    ∂c/∂r_2 = r_3/g_33,    ∂c/∂r_3 = (r_2 - 2 c r_3)/g_33.

Source: elements/nodes/section_node.py. The derivatives follow by differentiation.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.markers.beam_places import create_check, find_shapes
from windlass.connectors.markers.marker_laws import pack_markers, register_marker
from windlass.connectors.markers.position_kernels import CURVED, FAMILY, RIGID, SPATIAL, PositionMarkers
from windlass.elements.beam.rules import MOST_NODES
from windlass.elements.nodes.section_node import WIDTH
from windlass.elements.nodes.vectors import Vector, combine, cross, dot, find_skew
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows
from windlass.framework.model.schema import Component, column, ref

SOURCE = "[@nachbagauer2013]"


class SectionNodePosition(Component):
    """Position marker on a node with slopes of the cross section. The marker rotates with the cross section."""

    provides = (FAMILY, RIGID, CURVED, SPATIAL)
    node = ref("PointSectionSlopes3D", "the node")


class PositionOnSlopeBeam3D(Component):
    """A point of a beam with deformable cross sections. The marker moves and rotates with the cross section."""

    provides = (FAMILY, RIGID, CURVED, SPATIAL)
    beam = ref("slope beam", "the beam")
    x = column("m", "axial position on the beam, from 0 to the length of the beam", default=0.0, minimum=0.0)
    offset = column("m", "distances y, z from the axis along r_2, r_3", shape=(2,), default=(0.0, 0.0))


@kernel(inline=True)
def find_unit(e: int) -> Vector:
    """Return the unit vector along axis e."""
    return 1.0 if e == 0 else 0.0, 1.0 if e == 1 else 0.0, 1.0 if e == 2 else 0.0


@kernel
def fill_turn(r2: Vector, r3: Vector, W: FloatArray) -> Vector:
    """Fill W, shape (2, 3, 3), with W_2 and W_3. Return q."""
    n, i33 = cross(r2, r3), 1.0 / dot(r3, r3)
    c, scale = i33 * dot(r2, r3), 1.0 / dot(n, n)
    q = (scale * n[0], scale * n[1], scale * n[2])
    for i in range(3):
        for j in range(3):
            W[0, i, j] = -r3[i] * q[j]
            W[1, i, j] = i33 * find_skew(r3, i, j) + c * r3[i] * q[j]
    return q


@kernel
def fill_turn_derivative(r2: Vector, r3: Vector, q: Vector, dW: FloatArray) -> None:
    """Fill dW with the derivatives of W_2 and W_3, shape (2, 3, 3, 2, 3). The last two indices are the slope (0: r_2,
    1: r_3) and its component.
    """
    i33, scale = 1.0 / dot(r3, r3), dot(q, q)
    c = i33 * dot(r2, r3)
    for k in range(2):
        for e in range(3):
            # derivatives of r_3, n, q and c
            u = find_unit(e)
            r3_e = u if k == 1 else (0.0, 0.0, 0.0)
            n_e = cross(u, r3) if k == 0 else cross(r2, u)
            q_e = combine(scale, n_e, -2.0 * dot(q, n_e), q)
            c_e = i33 * (r3[e] if k == 0 else r2[e] - 2.0 * c * r3[e])
            i_e = 0.0 if k == 0 else -2.0 * i33 * i33 * r3[e]
            for i in range(3):
                for j in range(3):
                    outer = r3_e[i] * q[j] + r3[i] * q_e[j]
                    dW[0, i, j, k, e] = -outer
                    turn = i33 * find_skew(r3_e, i, j) + i_e * find_skew(r3, i, j)
                    dW[1, i, j, k, e] = turn + c_e * r3[i] * q[j] + c * outer


@kernel
def fill_frame(r2: Vector, r3: Vector, A: FloatArray) -> None:
    """Fill A, shape (3, 3), with the frame of the cross section with the slopes r_2 and r_3."""
    n = cross(r2, r3)
    l1, l3 = 1.0 / np.sqrt(dot(n, n)), 1.0 / np.sqrt(dot(r3, r3))
    side = cross(r3, n)
    for i in range(3):
        A[i, 0], A[i, 1], A[i, 2] = l1 * n[i], l1 * l3 * side[i], l3 * r3[i]


@kernel
def update_sections(rows: Any, m: PositionMarkers, x: FloatArray, v: FloatArray) -> None:
    """Evaluate position and rotation of each marker, their rates, and their derivatives with respect to the
    coordinates.
    """
    W, dW = np.zeros((2, 3, 3)), np.zeros((2, 3, 3, 2, 3))
    r, rt = np.zeros((3, 3)), np.zeros((3, 3))
    for i in range(len(rows)):
        row = rows[i]
        k, h = row.index, m.second[row.index]
        # compute the position on the axis, the slopes, and the rates of these vectors
        for b in range(3):
            for d in range(3):
                r[b, d], rt[b, d] = 0.0, 0.0
                for a in range(row.count):
                    n = row.dofs[WIDTH * a + 3 * b + d]
                    r[b, d] += row.N[a] * x[n]
                    rt[b, d] += row.N[a] * v[n]
        # compute the frame of the section, and the motion of the point
        place = (1.0, row.offset[0], row.offset[1])
        r2, r3 = (r[1, 0], r[1, 1], r[1, 2]), (r[2, 0], r[2, 1], r[2, 2])
        q = fill_turn(r2, r3, W)
        fill_frame(r2, r3, m.rotation[k])
        for d in range(3):
            m.position[k, d], m.velocity[k, d], m.angular_velocity[k, d] = 0.0, 0.0, 0.0
            for b in range(3):
                m.position[k, d] += place[b] * r[b, d]
                m.velocity[k, d] += place[b] * rt[b, d]
                m.angular_velocity[k, d] += W[0, d, b] * rt[1, b] + W[1, d, b] * rt[2, b]
                # Jacobians by node
                for a in range(row.count):
                    n = WIDTH * a + 3 * b
                    m.jacobian[k, d, n + d] = row.N[a] * place[b]
                    m.rotation_jacobian[k, d, WIDTH * a + 3 + b] = row.N[a] * W[0, d, b]
                    m.rotation_jacobian[k, d, WIDTH * a + 6 + b] = row.N[a] * W[1, d, b]
        if h < 0:
            continue
        # second derivatives for pairs of nodes
        fill_turn_derivative(r2, r3, q, dW)
        for a in range(row.count):
            for c in range(row.count):
                NN = row.N[a] * row.N[c]
                for d in range(3):
                    for b in range(6):
                        for e in range(6):
                            p, s = WIDTH * a + 3 + b, WIDTH * c + 3 + e
                            m.rotation_hessian[h, d, p, s] = NN * dW[b // 3, d, b % 3, e // 3, e % 3]


def bind_nodes(rows: LocalRows) -> NDArray[Any]:
    """Create the array with the data of markers on nodes."""
    count = len(rows.rows)
    N = np.tile((1.0, 0.0, 0.0, 0.0), (count, 1))
    return pack_markers(rows, WIDTH, count=np.ones(count, np.int64), N=N, offset=np.zeros((count, 2)))


def bind_points(rows: LocalRows) -> NDArray[Any]:
    """Create the array with the data of markers on beams. The data include the number of nodes, and the shape functions
    of the nodes at x.
    """
    count, N = find_shapes(rows, WIDTH, 3)
    return pack_markers(rows, WIDTH * MOST_NODES, count=count, N=N)


register_marker(SectionNodePosition, FAMILY, update_sections, bind_nodes, "node", SOURCE)
register_marker(PositionOnSlopeBeam3D, FAMILY, update_sections, bind_points, "beam", SOURCE, create_check(WIDTH, 3))
