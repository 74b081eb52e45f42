"""Position markers on `TwistCable3D`. The markers move and rotate with the material of the cable. Therefore torques and
joints act on its twist.

    position: p = r + w,    w = D b,    b = (0, y, z)
    rotation: A = D = [t, d_1, d_2], the frame of the material
    angular velocity: ω = Jr q_t
    J = S + Jr × w for each column of Jr
    derivative of J for coordinates k, l: Jr_k,l × w + Jr_k × (Jr_l × w)

r is the position of the axis, S are its shape functions, and Jr_k is the column of Jr for the velocity of coordinate k.
elements/cable/twist_rotation.py contains Jr and its derivatives. Within an element, the rotation about the axis is
interpolated between the nodes. Therefore a concentrated torque is represented exactly only at a node.

Source: elements/cable/twist_rotation.py.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from windlass.connectors.markers.cable_markers3d import TWIST_CABLE, check_place
from windlass.connectors.markers.cable_shape import cable_lengths
from windlass.connectors.markers.marker_laws import pack_markers, register_marker
from windlass.connectors.markers.position_kernels import CURVED, FAMILY, RIGID, SPATIAL, PositionMarkers
from windlass.elements.cable.points import eval_shape
from windlass.elements.cable.twist_rotation import (
    WIDTH,
    create_turn,
    eval_turn,
    fill_turn_change,
    find_axis_factors,
    find_frames,
    read_turn,
    read_turn_change,
)
from windlass.elements.nodes.vectors import add, combine, cross
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows, Tables
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.table import EntityTable

SOURCE = "[@bergou2008]"


class PositionOnTwistCable3D(Component):
    """A point of a cable with twist, on the axis or beside it. The marker moves and rotates with the material."""

    provides = (FAMILY, RIGID, CURVED, SPATIAL)
    cable = ref(TWIST_CABLE, "the cable")
    x = column("m", "axial position on the cable, from 0 to the length of the cable", default=0.0, minimum=0.0)
    offset = column("m", "distances y, z from the axis along d_1, d_2", shape=(2,), default=(0.0, 0.0))


@kernel
def update_on_twist_cable(rows: Any, m: PositionMarkers, x: FloatArray, v: FloatArray) -> None:
    """Evaluate position and rotation of each marker, their rates, and their derivatives with respect to the
    coordinates.
    """
    turn = create_turn()
    for i in range(len(rows)):
        row = rows[i]
        k, h, iL = row.index, m.second[row.index], 1.0 / row.length
        P = row.P[0], row.P[1], row.P[2]
        axes = eval_turn(row, row.s, P, x, turn)
        fill_turn_change(row, row.s, P, turn)
        w = combine(row.offset[0], axes[1], row.offset[1], axes[2])
        # rotation and angular velocity, and position and velocity of the axis
        for d in range(3):
            m.position[k, d], m.velocity[k, d], m.angular_velocity[k, d] = w[d], 0.0, 0.0
            for a in range(3):
                m.rotation[k, d, a] = axes[a][d]
            for a in range(4):
                m.position[k, d] += row.S[a] * x[row.dofs[3 * a + d]]
        # Jacobians and their derivatives
        for a in range(WIDTH):
            Ja = read_turn(turn, a, iL)
            moved = cross(Ja, w)
            for d in range(3):
                m.rotation_jacobian[k, d, a] = Ja[d]
                m.jacobian[k, d, a] = moved[d] + (row.S[a // 3] if a < 12 and a % 3 == d else 0.0)
                m.jacobian_rate[k, d, a] = 0.0
                m.velocity[k, d] += m.jacobian[k, d, a] * v[row.dofs[a]]
                m.angular_velocity[k, d] += Ja[d] * v[row.dofs[a]]
            for b in range(WIDTH):
                change = read_turn_change(turn, a, b, iL)
                bent = add(cross(change, w), cross(Ja, cross(read_turn(turn, b, iL), w)))
                for d in range(3):
                    m.rotation_hessian[h, d, a, b], m.hessian[h, d, a, b] = change[d], bent[d]
                    m.jacobian_rate[k, d, a] += bent[d] * v[row.dofs[b]]


def order_dofs(world: Tables, table: EntityTable) -> IntArray:
    """Return the global indices of the coordinates of the cables, shape (rows, 14)."""
    return world.dofs_of(table.local("cable"))[:, :WIDTH]


def bind(rows: LocalRows) -> NDArray[Any]:
    """Create the array with the data of the markers: position s = x/L, shape functions S, factors P of e, s0, s1 in r',
    and the constants of the cables.
    """
    cables = rows.local("cable")
    length = cable_lengths(rows.world, cables)
    s = rows.local("x") / length
    frames = find_frames(rows.world, cables, rows.reference)
    return pack_markers(rows, WIDTH, s=s, S=eval_shape(s, length).S, P=find_axis_factors(s), **frames)


register_marker(PositionOnTwistCable3D, FAMILY, update_on_twist_cable, bind, order_dofs, SOURCE, check_place)
