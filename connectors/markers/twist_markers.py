"""Position markers on nodes with twist. The markers rotate with the material. Therefore torques and joints can act on
the rotation of the material.

    position: r
    rotation: A = D, the rotation matrix of the node
    angular velocity: ω = (p × p_t)/g + t (φ_t - h·p_t/S), where p is the slope, g = p·p, t = p/|p|
    reference: h = b × p,    S = |p|² + |p| (b·p)
    Jr of the slope: [p]×/g - t hᵀ/S
    Jr of φ: t
    derivative of Jr of the slope: [e_k]×/g - 2 p_k [p]×/g² - t_k hᵀ/S - t (b × e_k)ᵀ/S + t hᵀ S_k/S² for p_k
    derivative of Jr of φ: t_k = (e_k - (e_k·t) t)/|p| for p_k

Here r and φ are the position and the twist of the node, b is the constant vector of its frame, e_k is a unit vector,
and t_k and S_k are the derivatives of t and S with respect to p_k.

Source: elements/nodes/twist_node.py. The derivatives follow by differentiation.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from windlass.connectors.markers.marker_laws import register_marker
from windlass.connectors.markers.position_kernels import CURVED, FAMILY, RIGID, SPATIAL, PositionMarkers
from windlass.elements.nodes.turning import axes_of
from windlass.elements.nodes.twist_node import frame_of, read_frames
from windlass.elements.nodes.vectors import cross, dot
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows
from windlass.framework.model.schema import Component, ref


class TwistNodePosition(Component):
    """Position marker on a node with twist. The marker rotates with the material."""

    provides = (FAMILY, RIGID, CURVED, SPATIAL)
    node = ref("PointSlopeTwist3D", "the node")


class TwistNodeRows(NamedTuple):
    """Data of the markers that kernels read. ``k`` is the index of each marker in the columns, shape (rows,), and
    ``dofs`` contains the process-local indices of the coordinates, shape (rows, 7). ``b``, shape (rows, 3), and ``F``,
    shape (rows, 4), are the constants of the nodes.
    """

    k: IntArray
    dofs: IntArray
    b: FloatArray
    F: FloatArray


@kernel
def update_twist_nodes(c: TwistNodeRows, m: PositionMarkers, x: FloatArray, v: FloatArray) -> None:
    """Evaluate position and rotation of each marker, their rates, and their derivatives with respect to the
    coordinates.
    """
    for i in range(len(c.k)):
        k, n, hk = c.k[i], c.dofs[i], m.second[c.k[i]]
        p, pt = (x[n[3]], x[n[4]], x[n[5]]), (v[n[3]], v[n[4]], v[n[5]])
        b = (c.b[i, 0], c.b[i, 1], c.b[i, 2])
        axes = axes_of(frame_of(b, (c.F[i, 0], c.F[i, 1], c.F[i, 2], c.F[i, 3]), p, x[n[6]]))
        t, g, h, turning = axes[0], dot(p, p), cross(b, p), cross(p, pt)
        l, bp = np.sqrt(g), dot(b, p)
        il, ig, iS = 1.0 / l, 1.0 / g, 1.0 / (l * (l + bp))
        spin = v[n[6]] - iS * dot(h, pt)
        for d in range(3):
            m.position[k, d], m.velocity[k, d], m.jacobian[k, d, d] = x[n[d]], v[n[d]], 1.0
            m.angular_velocity[k, d] = ig * turning[d] + spin * t[d]
            m.rotation_jacobian[k, d, 6] = t[d]
            for a in range(3):
                m.rotation[k, d, a] = axes[a][d]
                # element of [p]× in row d and column a
                turn = 0.0 if a == d else (-p[3 - a - d] if a == (d + 1) % 3 else p[3 - a - d])
                m.rotation_jacobian[k, d, 3 + a] = ig * turn - iS * t[d] * h[a]
        if hk < 0:
            continue
        for e in range(3):
            S_e = (2.0 + bp * il) * p[e] + l * b[e]
            for d in range(3):
                t_e = il * ((1.0 if d == e else 0.0) - t[d] * t[e])
                m.rotation_hessian[hk, d, 6, 3 + e] = t_e
                for a in range(3):
                    sign = 0.0 if a == d else (-1.0 if a == (d + 1) % 3 else 1.0)
                    turn = 0.0 if a == d else sign * p[3 - a - d]
                    unit = sign if a != d and e == 3 - a - d else 0.0
                    # component a of b × u, with the unit vector u along axis e: 0 for e = a, otherwise ± the remaining
                    # component of b
                    h_e = 0.0 if a == e else (-b[3 - a - e] if e == (a + 1) % 3 else b[3 - a - e])
                    total = ig * unit - 2.0 * p[e] * ig * ig * turn - iS * (t_e * h[a] + t[d] * h_e)
                    m.rotation_hessian[hk, d, 3 + a, 3 + e] = total + iS * iS * t[d] * h[a] * S_e


def bind(rows: LocalRows) -> TwistNodeRows:
    """Create the data of markers, with the constants of the nodes."""
    return TwistNodeRows(rows.own_marker_index(), rows.dofs, *read_frames(rows.world, rows.local("node")))


register_marker(TwistNodePosition, FAMILY, update_twist_nodes, bind, "node", "[@bergou2008]")
