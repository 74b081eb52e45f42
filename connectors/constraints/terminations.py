"""Joints between bodies and the ends of ropes or beams. Sockets fix position and orientation. Swivels leave the
rotation about one axis free.

The joint is at the end of the rope or beam. The functions compute the positions and orientations of the joint frames on
both bodies. In the reference configuration both joint frames have the same position and orientation.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.connectors.constraints.generic_joint import GenericJoint
from windlass.connectors.markers.position_markers import find_nodes, merge_handles, rigid_marker
from windlass.elements.nodes.ground import Ground
from windlass.elements.nodes.nodes3d import RigidNode3D
from windlass.elements.nodes.rotations import rotation_matrix
from windlass.elements.nodes.turning import smallest_rotations
from windlass.elements.nodes.twist_node import PointSlopeTwist3D, create_frames, fill_frames
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import checked, inside, instance, numbers, optional, yes_no
from windlass.framework.errors import ModelError
from windlass.framework.model.adding import all_or_nothing
from windlass.framework.model.law import Tables
from windlass.framework.model.table import Entity
from windlass.framework.model.world import Handles, World

OWN = ("marker0", "marker1", "rotations", "frame0", "frame1")
"""Columns of `GenericJoint` that sockets and swivels set."""
ENDS = {"world": instance(World), "end": inside(), "body": inside()}


@checked(**ENDS, bends=yes_no())
@all_or_nothing
def socket(world: World, end: Handles, body: Handles, bends: bool = False, **values: Any) -> Entity:
    """Fix the position and the orientation of ends of ropes or beams relative to bodies.

    Args:
        end: nodes with rotation in 3D: nodes of `TwistCable3D` or of `Beam3D`, or bodies.
        body: rigid body, `Ground` or another node with rotation. Give one for all ends, or one for each end. A node
            must be at the position of the end.
        bends: whether the end can rotate about the two axes perpendicular to the rope or beam. If true, only the
            position and the rotation about the axis of the end are fixed. If the end cannot rotate, a rope under the
            tension T bends within the length √(EI/T) next to the socket. If the elements are longer than this length,
            the computed rope is too stiff near the socket.
        **values: name, and columns of `GenericJoint`. The markers, rotations and frames are not allowed, because this
            function sets them.

    Returns:
        Handle to the joints.

    Raises:
        ModelError: an end or body has no rotation in 3D; the numbers of ends and bodies differ; an end is joined with
            itself; the ground is joined with the ground; a node in ``body`` is not at the position of the end;
            ``values`` contains a column that this call sets.
    """
    return _join(world, "socket", end, body, None, (True, not bends, not bends), values)


@checked(**ENDS, axis=optional(numbers("1", (3,))))
@all_or_nothing
def swivel(world: World, end: Handles, body: Handles, axis: Any | None = None, **values: Any) -> Entity:
    """Fix ends of ropes or beams to bodies, and leave the rotation about one axis free. A swivel or a hook has such a
    joint.

    Args:
        end, body: ends of ropes or beams, and the bodies to which they are fixed, see `socket`.
        axis: global direction of the axis in the reference configuration. The default is the axis of the rope or beam
            at the end, which is the axis e_1 of the node.
        **values: name, and columns of `GenericJoint` that this function does not set, see `socket`.

    Returns:
        Handle to the joints. The rotation about the first axis of the joint frame is free. `joint_stops` can limit this
        rotation as ``"rotation_x"``.

    Raises:
        ModelError: one of the errors of `socket` occurs, or an axis has the length 0.
    """
    return _join(world, "swivel", end, body, axis, (False, True, True), values)


def _join(
    world: World, what: str, end: Handles, body: Handles, axis: Any | None, locked: tuple[bool, ...],
    values: dict[str, Any],
) -> Entity:  # fmt: skip
    columns = GenericJoint.refs.keys() | GenericJoint.columns.keys()
    for name in values:
        if name in OWN:
            names = ", ".join(("name", *sorted(columns - set(OWN))))
            raise ModelError(f"{name} of {what}: must be left out, as {what} determines it; allowed are {names}")
    first, second = merge_handles(end), merge_handles(body)
    ends, bodies = (_find_places(world, what, entity) for entity in (first, second))
    (p, A), (q, B) = (_read_places(entity) for entity in (ends, bodies))
    if len(q) not in (1, len(p)):
        raise ModelError(f"{what} has {len(p)} ends and {len(q)} bodies: must have one body, or one body for each end")
    if ends.table.component is Ground and bodies.table.component is Ground:
        raise ModelError(f"end and body of {what} are both Ground: one of them must be a node or a body that can move")
    for row in np.flatnonzero(ends.ids == bodies.ids):
        raise ModelError(
            f"end {row} of {what} and its body {second!r} are the same {ends.kind}: must be different nodes or bodies"
        )
    axes = A
    if axis is not None:
        size = float(np.linalg.norm(axis))
        if not size > 0.0:
            raise ModelError(f"axis = {list(axis)} of {what}: must have a length > 0 [1]")
        along = np.broadcast_to(np.asarray(axis, np.float64) / size, p.shape)
        axes = smallest_rotations(A[:, :, 0], along) @ A
    local = np.einsum("nji,nj->ni", B, p - q)
    # offsets of the size of rounding errors are set to 0, so that the joint is exactly at the node
    local[np.abs(local) < 1e-9 * np.abs(np.concatenate((p, q))).max(initial=1.0)] = 0.0
    if "node" in second.table.component.provides and local.any():
        distance, is_node = float(np.linalg.norm(local, axis=1).max()), second.table.component is RigidNode3D
        remedy = ", or a RigidBody3D with this node (node=), which holds ends at any distance" if is_node else ""
        raise ModelError(
            f"node {second!r} of {what} is {distance:.6g} m away from the end: must be a node at the position of the "
            f"end{remedy}"
        )
    marker0, marker1 = rigid_marker(world, first), rigid_marker(world, second, local)
    frame0, frame1 = (np.einsum("nji,njk->nik", R, axes) for R in (A, np.broadcast_to(B, (len(p), 3, 3))))
    return world.add(
        GenericJoint, marker0=marker0, marker1=marker1, rotations=locked, frame0=frame0, frame1=frame1,
        **{"name": what, **values},
    )  # fmt: skip


def _find_places(world: Tables, what: str, entity: Entity) -> Entity:
    """Return the nodes of bodies. Nodes with rotation in 3D, and the ground, are returned unchanged.

    Raises:
        ModelError: the nodes have no rotation in 3D.
    """
    has_node = "node" in entity.table.component.refs or "node" in entity.table.component.provides
    places = find_nodes(world, entity) if has_node else entity
    if places.table.component not in (Ground, RigidNode3D, PointSlopeTwist3D):
        raise ModelError(
            f"{entity!r} of {what}: must be a 3D rigid body, a node of TwistCable3D or Beam3D, or Ground; a Cable3D "
            "has no torsion: use SphericalJoint"
        )
    return places


def _read_places(nodes: Entity) -> tuple[FloatArray, FloatArray]:
    """Return the positions [m], shape (n, 3), and rotation matrices, shape (n, 3, 3), of nodes or ground in the
    reference configuration."""
    read = nodes.table.collect
    if nodes.table.component is Ground:
        p = read("position", nodes.rows)
        return p, np.tile(np.eye(3), (len(p), 1, 1))
    if nodes.table.component is RigidNode3D:
        return read("position", nodes.rows), rotation_matrix(read("euler_parameters", nodes.rows))
    p, slope, twist = (read(name, nodes.rows) for name in ("position", "slope", "twist"))
    b, F = create_frames(slope, read("normal", nodes.rows), read("turned_from", nodes.rows))
    x = np.column_stack((p, slope, twist))
    A, spin = np.zeros((len(p), 3, 3)), np.zeros((len(p), 3))
    fill_frames(b, F, np.arange(x.size).reshape(x.shape), x.ravel(), np.zeros(x.size), A, spin)
    return p, A
