"""Position markers: points on nodes, rigid bodies, cables and the ground at which forces and springs act.

    node: p = [x, y, z],    J = I for the coordinates of the position
    rigid body: p = R + A b,    ω = [0, 0, φ_t],    ∂p/∂φ = A [-b_y, b_x],    ∂²p/∂φ² = -A b
    cable: p = r + y n,    t = r'/|r'|,    n = [-t_y, t_x],    ω = [0, 0, (r' × r'_t)/|r'|²]
    cable, J for S_i: S_i I - (y/|r'|) S_i' t nᵀ
    cable, Jr for S_i: (1/|r'|) S_i' nᵀ
    cable, H for S_i S_j: (y/|r'|²) S_i' S_j' (t ⊗ (t nᵀ + n tᵀ) - n ⊗ n nᵀ)
    cable, Hr for S_i S_j: -(1/|r'|²) S_i' S_j' (t nᵀ + n tᵀ)
    ground: p is constant, given relative to the reference point of the ground

R is the position of the reference point of the body, φ and A are the angle and the rotation matrix of the body, and b
is the point in the frame of the body. For cables r is the point of the axis, and y the distance from the axis.
`position_markers3d` describes markers on 3D bodies, and `cable_markers3d` describes markers on 3D cables. Markers on
nodes with twist are described in `twist_markers`, markers on cables with twist in `twist_cable_markers`, markers on
beams in `beam_markers`, and markers on beams with deformable cross sections in `section_markers`.

J̇ = H q̇. The cubic shape functions S_i depend on the arc length of the undeformed cable, as in `Cable2D`.

Source: A. A. Shabana, Dynamics of Multibody Systems, Cambridge University Press (generalised forces of points on rigid
and flexible bodies). The second derivatives follow by differentiation.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.markers.beam_markers import PositionOnBeam2D, PositionOnBeam3D
from windlass.connectors.markers.cable_markers3d import TWIST_CABLE, CableShape3D, PositionOnCable3D
from windlass.connectors.markers.cable_markers3d import check as check_on_cable
from windlass.connectors.markers.cable_shape import CableShape, cable_lengths
from windlass.connectors.markers.marker_laws import number_markers, pack_markers, register_marker
from windlass.connectors.markers.pair_laws import POSITIONS, register_kind
from windlass.connectors.markers.position_kernels import CURVED as CURVED
from windlass.connectors.markers.position_kernels import FAMILY as FAMILY
from windlass.connectors.markers.position_kernels import POSITION as POSITION
from windlass.connectors.markers.position_kernels import RIGID as RIGID
from windlass.connectors.markers.position_kernels import PositionMarkers as PositionMarkers
from windlass.connectors.markers.position_kernels import update_cable, update_points, update_rigid
from windlass.connectors.markers.position_markers3d import PositionOnRigid3D, RigidNodePosition3D
from windlass.connectors.markers.section_markers import PositionOnSlopeBeam3D, SectionNodePosition
from windlass.connectors.markers.twist_markers import TwistNodePosition
from windlass.elements.bodies.mass_point import MassPoint
from windlass.elements.bodies.rigid2d import RigidBody2D
from windlass.elements.bodies.rigid3d import RigidBody3D
from windlass.elements.cable.ale_cable2d import ALECable2D
from windlass.elements.cable.cable2d import Cable2D
from windlass.elements.cable.points import eval_shape
from windlass.elements.nodes.ground import Ground
from windlass.elements.nodes.nodes2d import RigidNode2D
from windlass.elements.nodes.nodes3d import RigidNode3D
from windlass.elements.nodes.section_node import PointSectionSlopes3D
from windlass.elements.nodes.twist_node import PointSlopeTwist3D
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.checks.checks import checked, inside, instance, number, whole
from windlass.framework.checks.values import read_numbers, show
from windlass.framework.errors import ModelError
from windlass.framework.model.adding import all_or_nothing
from windlass.framework.model.law import LocalRows, Rows, Tables, register_family
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.table import Entity, EntityTable
from windlass.framework.model.world import Handles, World

SOURCE = "[@shabana]"
TURNING = (
    RigidBody2D, RigidBody3D, RigidNode2D, RigidNode3D, PointSlopeTwist3D, PointSectionSlopes3D, Cable2D, ALECable2D,
    Ground,
)  # fmt: skip
"""Types of entities with a rotation."""
CABLES = (Cable2D, ALECable2D)
SPATIAL_CABLE, PLANE_BEAM, SPATIAL_BEAM, SLOPE_BEAM = "3D cable", "2D beam", "3D beam", "slope beam"
"""Names in the attribute ``provides`` of 3D cables, `Beam2D`, `Beam3D` and `SlopeBeam3D`. The files of these elements
are loaded only for models that contain such elements."""
NODE_DOFS = 8
"""Number of coordinates of the two nodes of a 2D cable."""


class NodePosition(Component):
    """The position of a node, without rotation."""

    provides = (FAMILY,)
    node = ref("node", "the node; its first coordinates are x, y (and z)")


class RigidNodePosition(Component):
    """Position and rotation of a 2D rigid node."""

    provides = (FAMILY, RIGID)
    node = ref("RigidNode2D", "the node")


class PositionOnRigid2D(Component):
    """A point of a 2D rigid body, with the rotation of the body."""

    provides = (FAMILY, RIGID, CURVED)
    body = ref("RigidBody2D", "the body")
    local = column("m", "position b in the frame of the body", shape=(2,), default=(0.0, 0.0))


class PositionOnCable(Component):
    """A point of a cable, with the rotation of the tangent of the cable. For `ALECable2D` the point is fixed in the
    mesh.
    """

    provides = (FAMILY, RIGID, CURVED)
    cable = ref("cable", "the cable")
    x = column("m", "axial position on the cable, from 0 to the length of the cable", default=0.0, minimum=0.0)
    y = column("m", "distance from the axis along the normal n = [-r'_y, r'_x]/|r'|", default=0.0)


class PositionOnGround(Component):
    """A fixed point with a fixed frame."""

    provides = (FAMILY, RIGID)
    ground = ref("Ground", "the ground")
    local = column("m", "position from the reference point of the ground", shape=(3,), default=(0.0, 0.0, 0.0))


def allocate(world: Tables, ids: IntArray, layout: Rows) -> PositionMarkers:
    """Allocate the arrays of the markers of this process. Markers of types that provide "curved marker" get an index in
    the arrays of second derivatives.
    """
    dofs = number_markers(world, ids, layout, FAMILY)
    n, m = dofs.shape
    curved = np.zeros(n, bool)
    for table, positions, rows in world.split_by_table(ids):
        curved[positions] = _find_curved(table, rows)
    nh = int(curved.sum())
    return PositionMarkers(
        position=np.zeros((n, 3)),
        velocity=np.zeros((n, 3)),
        jacobian=np.zeros((n, 3, m)),
        jacobian_rate=np.zeros((n, 3, m)),
        dofs=dofs,
        angle=np.zeros(n),
        rotation=np.tile(np.eye(3), (n, 1, 1)),
        angular_velocity=np.zeros((n, 3)),
        rotation_jacobian=np.zeros((n, 3, m)),
        second=np.where(curved, np.cumsum(curved) - 1, -1),
        hessian=np.zeros((nh, 3, m, m)),
        rotation_hessian=np.zeros((nh, 3, m, m)),
    )


def _find_curved(table: EntityTable, rows: IntArray) -> NDArray[np.bool_]:
    """Return whether each row of a marker table has second derivatives. A marker at the reference point of a 2D rigid
    body has no second derivatives.
    """
    if table.component is PositionOnRigid2D:
        return np.asarray(table.local("local", rows).any(axis=1))
    return np.full(len(rows), CURVED in table.component.provides)


def node_position_dofs(world: Tables, table: EntityTable) -> IntArray:
    """Return, for each row, the global indices of the position coordinates of its node, padded with -1, shape (rows, 2
    or 3).
    """
    ids = table.local("node")
    parts = [
        (positions, world.row_dofs(nodes, rows)[:, : _position_width(nodes.component)])
        for nodes, positions, rows in world.split_by_table(ids)
    ]
    dofs = np.full((len(ids), max((d.shape[1] for _, d in parts), default=0)), -1, np.int64)
    for positions, numbers in parts:
        dofs[positions, : numbers.shape[1]] = numbers
    return dofs


def _position_width(component: type[Component]) -> int:
    """Return the number of position coordinates. They are the first coordinates of a node."""
    width = 0
    while width < 3 and component.dof_names[width : width + 1] == ("xyz"[width],):
        width += 1
    return width


def _bind_points(rows: LocalRows, fixed: FloatArray | None = None) -> NDArray[Any]:
    """Create the array with the data of points. The argument ``count`` is the number of coordinates of a point, and
    ``fixed`` contains the positions [m] of fixed points.
    """
    n = len(rows.rows)
    return pack_markers(
        rows, 3, count=np.full(n, rows.dofs.shape[1]), fixed=np.zeros((n, 3)) if fixed is None else fixed
    )


def _bind_rigid(rows: LocalRows) -> NDArray[Any]:
    """Create the array with the data of markers on rigid bodies or rigid nodes. Points on bodies are given in the frame
    of the body.
    """
    at_node = "local" not in rows.table.component.columns
    return pack_markers(rows, 3, **({"local": np.zeros((len(rows.rows), 2))} if at_node else {}))


def _node_dofs(world: Tables, table: EntityTable) -> IntArray:
    return world.dofs_of(table.local("cable"))[:, :NODE_DOFS]


def _bind_on_cable(rows: LocalRows) -> NDArray[Any]:
    """Create the array with the data of markers on cables: shape functions and their derivatives."""
    length = cable_lengths(rows.world, rows.local("cable"))
    shape = eval_shape(rows.local("x") / length, length)
    return pack_markers(rows, NODE_DOFS, S=shape.S, dS=shape.dS)


def _bind_on_ground(rows: LocalRows) -> NDArray[Any]:
    """Create the array with the data of markers at constant global positions."""
    positions: FloatArray = rows.local("local").copy()
    for grounds, where, ground_rows in rows.world.split_by_table(rows.local("ground")):
        positions[where] += grounds.local("position", ground_rows)
    return _bind_points(rows, positions)


def check_node(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for a node whose coordinates do not begin with a position."""
    for nodes, positions, _ in world.split_by_table(table.local("node")):
        if _position_width(nodes.component) < 2:
            names = ", ".join(nodes.component.dof_names)
            raise ModelError(
                f"node in {table.kind} row {table.resident[positions[0]]}: must be a node whose first coordinates are "
                f"x and y; {nodes.kind} has {names}"
            )


@checked(world=instance(World), entity=inside(), at=inside())
@all_or_nothing
def position_marker(world: Tables, entity: Handles, at: Any = (0.0, 0.0)) -> Entity:
    """Create a position marker on an entity. Return a position marker unchanged.

    Args:
        entity: node, `MassPoint`, rigid body, cable, beam or `Ground`, one or several rows of one type.
        at: position on the entity [m], shape (2,), or (rows, 2) for one position per row. Rigid bodies: position in the
            frame of the body. Cables: axial position, and distance from the axis. In 3D the distance is y, or y and z,
            in a frame that rotates with the tangent, or with the material of a cable with twist, see cable_markers3d.py
            and twist_cable_markers.py. Beams: axial position, and the distance y along e_2 of the cross section, in 3D
            also z along e_3. `SlopeBeam3D`: axial position, and the distances y and z along the slopes of the cross
            section. `Ground` and `RigidBody3D`: x, y, or x, y, z. For the ground, the position is relative to its
            reference point. Nodes and `MassPoint`: only (0, 0).

    Returns:
        Handle to the markers, one per row or position.

    Raises:
        ModelError: the entity has no position, or the position is outside the entity.
    """
    return _add_marker(world, merge_handles(entity), at)


def _add_marker(world: Tables, entity: Entity, at: Any) -> Entity:
    component = entity.table.component
    if FAMILY in component.provides:
        return entity
    place = _parse_place(entity, at)
    if component is Ground:
        return world.add(PositionOnGround, ground=entity, local=place)
    if TWIST_CABLE in component.provides:
        from windlass.connectors.markers.twist_cable_markers import (  # imported here, because few cables have twist
            PositionOnTwistCable3D,
        )

        return world.add(PositionOnTwistCable3D, cable=entity, x=place[..., 0], offset=place[..., 1:])
    if SPATIAL_CABLE in component.provides:
        return world.add(PositionOnCable3D, cable=entity, x=place[..., 0], offset=place[..., 1:])
    for beam, marker in ((SLOPE_BEAM, PositionOnSlopeBeam3D), (SPATIAL_BEAM, PositionOnBeam3D)):
        if beam in component.provides:
            return world.add(marker, beam=entity, x=place[..., 0], offset=place[..., 1:])
    if PLANE_BEAM in component.provides:
        return world.add(PositionOnBeam2D, beam=entity, x=place[..., 0], y=place[..., 1])
    if component in CABLES:
        return world.add(PositionOnCable, cable=entity, x=place[..., 0], y=place[..., 1])
    if component is RigidBody2D:
        return world.add(PositionOnRigid2D, body=entity, local=place[..., :2])
    if component is RigidBody3D:
        return world.add(PositionOnRigid3D, body=entity, local=place)
    if place.any():
        raise ModelError(f"at = {at!r} m on {entity!r}: must be (0, 0), the only place that a {entity.kind} has")
    if component is MassPoint:
        return _add_marker(world, find_nodes(world, entity), np.zeros(2))
    if component is RigidNode2D:
        return world.add(RigidNodePosition, node=entity)
    if component is RigidNode3D:
        return world.add(RigidNodePosition3D, node=entity)
    if component is PointSlopeTwist3D:
        return world.add(TwistNodePosition, node=entity)
    if component is PointSectionSlopes3D:
        return world.add(SectionNodePosition, node=entity)
    if "node" in component.provides:
        return world.add(NodePosition, node=entity)
    raise ModelError(
        f"{entity!r} has no position: must be a node, MassPoint, rigid body, Cable2D or Ground, or Cable3D or a beam"
    )


@checked(world=instance(World), entity=inside(), at=inside())
@all_or_nothing
def rigid_marker(world: World, entity: Handles, at: Any = (0.0, 0.0)) -> Entity:
    """Create a position marker with rotation on a rigid body or node, cable, beam or `Ground`. See
    `position_marker`."""
    entity = merge_handles(entity)
    component = entity.table.component
    turning = {RIGID, SPATIAL_CABLE, PLANE_BEAM, SPATIAL_BEAM, SLOPE_BEAM}
    if component not in TURNING and not turning & set(component.provides):
        names = ", ".join([kind.__name__ for kind in TURNING] + ["Cable3D", "Beam2D", "Beam3D", "SlopeBeam3D"])
        raise ModelError(f"{entity!r} has no rotation: must be one of {names}, or a rigid marker")
    return _add_marker(world, entity, at)


@checked(world=instance(World), cables=inside(), segments=whole(1), vertical_offset=number("m"))
@all_or_nothing
def shape_marker(world: World, cables: Handles, segments: int, vertical_offset: float = 0.0) -> Entity:
    """Create markers that approximate the shape of each cable by straight segments: `CableShape` in 2D, `CableShape3D`
    in 3D.

    Args:
        cables: cables of one type.
        segments: number of straight segments of each cable.
        vertical_offset: distance of the points from the axis of the cable along the left normal of the axis [m], only
            in 2D.

    Returns:
        Handle to the markers, one per cable.

    Raises:
        ModelError: the entities are not cables, or an offset is given for 3D cables, for which no left normal is
            defined.
    """
    cables = merge_handles(cables)
    component = cables.table.component
    if SPATIAL_CABLE in component.provides:
        if vertical_offset:
            given = f"vertical_offset = {vertical_offset:g} m of shape_marker"
            raise ModelError(f"{given}: must be 0 for a {cables.kind}, as a 3D cable has no left side")
        return world.add(CableShape3D, cable=cables, segments=segments)
    if component not in CABLES:
        raise ModelError(f"cables = {cables!r} of shape_marker: must be 2D or 3D cables")
    return world.add(CableShape, cable=cables, segments=segments, vertical_offset=vertical_offset)


def replace_bodies(world: Tables, values: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments ``values`` of `World.add`, in which bodies, nodes and ground in ``marker`` are replaced by
    markers at their reference points.
    """
    given = values.get("marker")
    handles: Any = [given] if isinstance(given, Entity) else given
    if isinstance(handles, list | tuple) and handles and all(isinstance(handle, Entity) for handle in handles):
        return values | {"marker": position_marker(world, handles)}
    return values


def merge_handles(entity: Handles) -> Entity:
    """Merge one or several handles to rows of one type into one handle.

    Raises:
        ModelError: there is no handle, or the rows are of different types.
    """
    if isinstance(entity, Entity):
        return entity
    if not isinstance(entity, (list, tuple)) or not entity or not all(isinstance(e, Entity) for e in entity):
        raise ModelError(f"{show(entity)}: must be a handle, or a list of handles to rows of one kind")
    if any(e.table is not entity[0].table for e in entity):
        kinds = ", ".join(dict.fromkeys(e.kind for e in entity))
        raise ModelError(f"handles to rows of different kinds ({kinds}): must be of one kind")
    return Entity(entity[0].table, np.concatenate([e.rows for e in entity]))


def list_handles(call: str, name: str, given: Any) -> list[Entity]:
    """List the handles in an argument of a call: one handle, or a list of handles that refer to at least one entity in
    total.

    Raises:
        ModelError: there is no handle, or the argument has another type.
    """
    found: list[Any] = list(given) if isinstance(given, list | tuple) else [given]
    if not all(isinstance(handle, Entity) for handle in found):
        raise ModelError(f"{name} = {show(given)} of {call}: must be handles from World.add")
    if not sum(map(len, found)):
        raise ModelError(f"{name} of {call} is empty: must be one or several handles from World.add")
    return found


def find_nodes(world: Tables, entity: Entity) -> Entity:
    """Return the nodes of bodies that have one node each. Return nodes unchanged.

    Raises:
        ModelError: an entity is not a node and does not have exactly one node, or the nodes are of different types.
    """
    component = entity.table.component
    if "node" in component.provides:
        return entity
    if "node" not in component.refs:
        raise ModelError(f"{entity!r}: must be a node, or a body with one node")
    ids = entity.table.collect("node", entity.rows)
    parts = world.split_by_table(ids)
    if len(parts) != 1:
        raise ModelError(f"{entity!r} has nodes of different kinds: must be of one kind")
    nodes, positions, rows = parts[0]
    return Entity(nodes, rows[np.argsort(positions)])


def _parse_place(entity: Entity, at: Any) -> FloatArray:
    """Return the position ``at`` as an array, of shape (2,) or (rows, 2) for `RigidBody2D`, 2D cables and `Beam2D`,
    otherwise of shape (3,) or (rows, 3). If the user gives only two components, the third component is 0.
    """
    component = entity.table.component
    spatial = component not in (RigidBody2D, *CABLES) and PLANE_BEAM not in component.provides
    words = f"(x, y){' or (x, y, z)' if spatial else ''} [m], or one such place per row"
    place = read_numbers(at)
    if place is None:
        raise ModelError(f"at = {show(at)} on {entity!r}: must be {words}")
    if place.ndim not in (1, 2) or place.shape[-1] not in ((2, 3) if spatial else (2,)):
        raise ModelError(f"at on {entity!r} has shape {place.shape}: must be {words}")
    if spatial and place.shape[-1] == 2:
        place = np.concatenate((place, np.zeros((*place.shape[:-1], 1))), axis=-1)
    return place


register_family(FAMILY, allocate, partial(register_kind, POSITIONS, None))
register_marker(NodePosition, FAMILY, update_points, _bind_points, node_position_dofs, SOURCE, check_node)
register_marker(RigidNodePosition, FAMILY, update_rigid, _bind_rigid, "node", SOURCE)
register_marker(PositionOnRigid2D, FAMILY, update_rigid, _bind_rigid, "body", SOURCE)
register_marker(PositionOnCable, FAMILY, update_cable, _bind_on_cable, _node_dofs, SOURCE, check_on_cable)
register_marker(PositionOnGround, FAMILY, update_points, _bind_on_ground, (), SOURCE)
