"""Position markers on points of `Beam2D` and `Beam3D`. The markers rotate with the cross section.

    position: p = r + A b,    r = Σ N_a r_a,    b = [0, y] in 2D, [0, y, z] in 3D
    rotation in 2D: φ = Σ N_a (φ_a + shift_a) of the cross section (elements/beam/beam2d.py)
    rotation in 3D: A(e) with e = Σ N_a e_a flip_a (elements/beam/beam3d.py)

N_a are the shape functions of the nodes at x. The derivatives of p and of the angular velocity with respect to r and φ
or e are computed as for markers on rigid bodies (position_kernels.py, position_markers3d.py). By the chain rule,
derivatives with respect to the coordinates of node a contain the factors N_a and N_a flip_a. Position and rotation
follow rigid rotations of the nodes exactly, and do not depend on the path of the motion.

Source: M. A. Crisfield, G. Jelenić, Proc. R. Soc. A 455 (1999) 1125-1147; E. Zupan, M. Saje, D. Zupan, Comput. Methods
Appl. Mech. Eng. 198 (2009) 3944-3956.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.markers.beam_places import create_check, find_shapes
from windlass.connectors.markers.marker_laws import pack_markers, register_marker
from windlass.connectors.markers.position_kernels import CURVED, FAMILY, RIGID, SPATIAL, PositionMarkers
from windlass.connectors.markers.position_markers3d import fill_turned, quadratic_forms
from windlass.elements.beam.beam2d import find_shifts
from windlass.elements.beam.beam3d import find_flips
from windlass.elements.beam.forces2d import WIDTH as PLANE_WIDTH
from windlass.elements.beam.forces3d import WIDTH as SPACE_WIDTH
from windlass.elements.beam.rules import MOST_NODES
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows
from windlass.framework.model.schema import Component, column, ref

X = column("m", "axial position on the beam, from 0 to the length of the beam", default=0.0, minimum=0.0)


class PositionOnBeam2D(Component):
    """A point of a `Beam2D`. The marker moves and rotates with the cross section."""

    provides = (FAMILY, RIGID, CURVED)
    beam = ref("2D beam", "the beam")
    x = X
    y = column("m", "distance from the axis along e_2 of the cross section", default=0.0)


class PositionOnBeam3D(Component):
    """A point of a `Beam3D`. The marker moves and rotates with the cross section."""

    provides = (FAMILY, RIGID, CURVED, SPATIAL)
    beam = ref("3D beam", "the beam")
    x = X
    offset = column("m", "distances y, z from the axis along e_2, e_3", shape=(2,), default=(0.0, 0.0))


@kernel
def update_beams2d(rows: Any, m: PositionMarkers, x: FloatArray, v: FloatArray) -> None:
    """Evaluate position and rotation of each marker, their rates, and their derivatives with respect to the
    coordinates.
    """
    for i in range(len(rows)):
        row = rows[i]
        k, h, n = row.index, m.second[row.index], row.dofs
        m.position[k], m.velocity[k], phi, w = 0.0, 0.0, 0.0, 0.0
        # position of the axis, angle of the cross section, and their rates
        for a in range(row.count):
            N, first = row.N[a], PLANE_WIDTH * a
            phi += N * (x[n[first + 2]] + row.shift[a])
            w += N * v[n[first + 2]]
            for d in range(2):
                m.position[k, d] += N * x[n[first + d]]
                m.velocity[k, d] += N * v[n[first + d]]
                m.jacobian[k, d, first + d] = N
        cos, sin = np.cos(phi), np.sin(phi)
        # vector of the length y along e_2, from the axis to the point
        rx, ry = -row.y * sin, row.y * cos
        m.position[k, 0] += rx
        m.position[k, 1] += ry
        m.velocity[k, 0] -= w * ry
        m.velocity[k, 1] += w * rx
        m.angle[k], m.angular_velocity[k, 2] = phi, w
        m.rotation[k, 0, 0], m.rotation[k, 0, 1], m.rotation[k, 1, 0], m.rotation[k, 1, 1] = cos, -sin, sin, cos
        for a in range(row.count):
            N, at = row.N[a], PLANE_WIDTH * a + 2
            m.rotation_jacobian[k, 2, at] = N
            m.jacobian[k, 0, at], m.jacobian[k, 1, at] = -N * ry, N * rx
            m.jacobian_rate[k, 0, at], m.jacobian_rate[k, 1, at] = -N * w * rx, -N * w * ry
            for e in range(row.count):
                both, other = N * row.N[e], PLANE_WIDTH * e + 2
                m.hessian[h, 0, at, other], m.hessian[h, 1, at, other] = -both * rx, -both * ry


@kernel
def update_beams3d(rows: Any, m: PositionMarkers, x: FloatArray, v: FloatArray) -> None:
    """Evaluate position and rotation of each marker, their rates, and their derivatives with respect to the
    coordinates.
    """
    e, et, J, Jt, Jr = np.zeros(4), np.zeros(4), np.zeros((3, 4)), np.zeros((3, 4)), np.zeros((3, 4))
    H, Hr = np.zeros((3, 4, 4)), np.zeros((3, 4, 4))
    for i in range(len(rows)):
        row = rows[i]
        k, h, dofs = row.index, m.second[row.index], row.dofs
        m.position[k], m.velocity[k], e[:], et[:] = 0.0, 0.0, 0.0, 0.0
        # position of the axis, Euler parameters, and their rates
        for a in range(row.count):
            N, turned = row.N[a], row.N[a] * row.flip[a]
            for d in range(3):
                n = dofs[SPACE_WIDTH * a + d]
                m.position[k, d] += N * x[n]
                m.velocity[k, d] += N * v[n]
                m.jacobian[k, d, SPACE_WIDTH * a + d] = N
            for d in range(4):
                n = dofs[SPACE_WIDTH * a + 3 + d]
                e[d] += turned * x[n]
                et[d] += turned * v[n]
        fill_turned(
            row.S, e, et, 0, m.position[k], m.velocity[k], J, Jt, H, m.rotation[k], m.angular_velocity[k], Jr, Hr
        )
        # derivatives with respect to the Euler parameters of the nodes
        for a in range(row.count):
            first, turned = SPACE_WIDTH * a + 3, row.N[a] * row.flip[a]
            for d in range(3):
                for b in range(4):
                    m.jacobian[k, d, first + b] = turned * J[d, b]
                    m.jacobian_rate[k, d, first + b] = turned * Jt[d, b]
                    m.rotation_jacobian[k, d, first + b] = turned * Jr[d, b]
            for c in range(row.count):
                other, both = SPACE_WIDTH * c + 3, turned * row.N[c] * row.flip[c]
                for d in range(3):
                    for b in range(4):
                        for o in range(4):
                            m.hessian[h, d, first + b, other + o] = both * H[d, b, o]
                            m.rotation_hessian[h, d, first + b, other + o] = both * Hr[d, b, o]


def bind_plane(rows: LocalRows) -> NDArray[Any]:
    """Create the array with the data of markers on `Beam2D`, with the shape functions and the shifts of the angles of
    the nodes.
    """
    (count, N), beams = find_shapes(rows, PLANE_WIDTH, 2), rows.local("beam")
    angles, phi = np.zeros((len(beams), MOST_NODES)), np.zeros((len(beams), MOST_NODES))
    for table, places, own in rows.world.split_by_table(beams):
        angles[places] = table.local("node_angles", own)
    phi[:, : rows.reference.shape[1] // PLANE_WIDTH] = rows.reference[:, 2::PLANE_WIDTH]
    return pack_markers(rows, PLANE_WIDTH * MOST_NODES, count=count, N=N, shift=find_shifts(phi, angles))


def bind_space(rows: LocalRows) -> NDArray[Any]:
    """Create the array with the data of markers on `Beam3D`: the matrices of `quadratic_forms`, and the shape functions
    and the signs of the Euler parameters of the nodes.
    """
    (count, N), y = find_shapes(rows, SPACE_WIDTH, 3), rows.local("offset")
    e = rows.reference.reshape(len(y), rows.reference.shape[1] // SPACE_WIDTH, SPACE_WIDTH)[:, :, 3:]
    S = quadratic_forms(np.concatenate((np.zeros((len(y), 1)), y), axis=1))
    return pack_markers(rows, SPACE_WIDTH * MOST_NODES, count=count, N=N, flip=find_flips(e), S=S)


SOURCE = "[@crisfield1999]; [@zupan2009]"
register_marker(
    PositionOnBeam2D, FAMILY, update_beams2d, bind_plane, "beam", "[@simo1986]", create_check(PLANE_WIDTH, 2)
)
register_marker(
    PositionOnBeam3D, FAMILY, update_beams3d, bind_space, "beam", SOURCE, create_check(SPACE_WIDTH, 3)
)  # fmt: skip
