"""Coordinate markers: markers on single coordinates of nodes. Loads, constraints and springs act on these coordinates.

    nodes: value = x - reference,    rate = ẋ,    J = 1
    ground: value = 0,    rate = 0

The rotation of a 3D body about an axis is not a single coordinate. See `rotation_coordinate`, and `beam_rotations` for
cross sections of beams.

Source: A. A. Shabana, Dynamics of Multibody Systems, Cambridge University Press (generalised coordinates).
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.markers.beam_rotations import RotationOnBeam2D, RotationOnBeam3D, turn_axes
from windlass.connectors.markers.coordinate_family import COORDINATE as COORDINATE
from windlass.connectors.markers.coordinate_family import FAMILY as FAMILY
from windlass.connectors.markers.coordinate_family import CoordinateMarkers as CoordinateMarkers
from windlass.connectors.markers.marker_laws import number_markers, pack_markers, register_marker
from windlass.connectors.markers.pair_laws import COORDINATES, register_kind
from windlass.connectors.markers.position_kernels import CURVED
from windlass.connectors.markers.position_markers import PLANE_BEAM, SPATIAL_BEAM, find_nodes, merge_handles
from windlass.connectors.markers.rotation_coordinate import RotationCoordinate
from windlass.elements.nodes.ground import Ground
from windlass.elements.nodes.nodes3d import RigidNode3D
from windlass.elements.nodes.rotations import rotation_matrix
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.checks.checks import checked, inside, instance, word, yes_no
from windlass.framework.checks.values import read_numbers, show
from windlass.framework.errors import ModelError
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.adding import all_or_nothing
from windlass.framework.model.law import LocalRows, Rows, Tables, register_family
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.table import Entity, EntityTable
from windlass.framework.model.world import Handles, World

AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


class NodeCoordinate(Component):
    """One coordinate of a node, or of the ground if no node is given."""

    provides = (FAMILY,)
    node = ref("node", "the node; if left out, the marker is on the ground, whose coordinates are 0", optional=True)
    coordinate = column(
        "1", "index of the coordinate within the node, counted from 0", default=0, dtype=np.int64, minimum=0
    )


def allocate(world: Tables, ids: IntArray, layout: Rows) -> CoordinateMarkers:
    """Allocate the arrays of the markers of this process. Markers of types that provide "curved marker" get an index in
    the array of second derivatives. For all other markers, the derivative J of the value with respect to the
    coordinate is 1.
    """
    dofs = number_markers(world, ids, layout, FAMILY, 1)
    n, m = dofs.shape
    J, curved = np.zeros((n, m)), np.zeros(n, bool)
    for table, positions, _ in world.split_by_table(ids):
        curved[positions] = CURVED in table.component.provides
    J[~curved, 0] = 1.0
    h = np.where(curved, np.cumsum(curved) - 1, -1)
    H = np.zeros((int(curved.sum()), m, m))
    return CoordinateMarkers(np.zeros(n), np.zeros(n), J, np.zeros((n, m)), dofs, h, H)


@kernel
def update_coordinates(rows: Any, m: CoordinateMarkers, x: FloatArray, v: FloatArray) -> None:
    """Evaluate displacement and velocity of each marker."""
    for i in range(len(rows)):
        row = rows[i]
        m.value[row.index] = x[row.dofs[0]] - row.reference
        m.rate[row.index] = v[row.dofs[0]]


def coordinate_dofs(world: Tables, table: EntityTable) -> IntArray:
    """Return the global index of the coordinate of each row, shape (rows, 1), or -1 for the ground."""
    of_node = world.dofs_of(table.local("node"))
    if of_node.shape[1] == 0:
        return np.full((table.resident_count, 1), -1, np.int64)
    # indices that are too large are reported by a later check
    which = np.minimum(table.local("coordinate"), of_node.shape[1] - 1)
    dofs: IntArray = of_node[np.arange(len(of_node)), which][:, None]
    return dofs


def bind(rows: LocalRows) -> NDArray[Any]:
    """Create the array with the data of the rows: the reference values of the coordinates."""
    return pack_markers(rows, 1, reference=rows.reference[:, 0])


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for a coordinate that the node does not have."""
    coordinate = table.local("coordinate")
    for nodes, positions, _ in world.split_by_table(table.local("node")):
        names = nodes.component.dof_names
        for k in positions[coordinate[positions] >= len(names)][:1]:
            raise ModelError(
                f"coordinate = {coordinate[k]} in {table.kind} row {table.resident[k]}: must be < {len(names)}, "
                f"a {nodes.kind} has {', '.join(names)}"
            )


@checked(world=instance(World), entity=inside(), name=word())
@all_or_nothing
def coordinate_marker(world: Tables, entity: Handles | None, name: str = "") -> Entity:
    """Create a marker on a coordinate of nodes, or of bodies with one node. Return a coordinate marker unchanged.

    Args:
        entity: nodes or bodies of one type, one or several rows; None or `Ground` for the constant value 0.
        name: name of the coordinate, one of the ``dof_names`` of the node, for example ``"x"`` or ``"rotation"``. 3D
            bodies also have ``"rotation x"``, ``"rotation y"`` and ``"rotation z"``: rotations about the axes of the
            body, see `rotation_marker`.

    Returns:
        Handle to the markers, one per row.

    Raises:
        ModelError: the entity has no node, or its node does not have the coordinate.
    """
    if entity is None:
        return _ground_coordinate(world)
    entity = merge_handles(entity)
    if FAMILY in entity.table.component.provides:
        return entity
    if entity.table.component is Ground:
        return _ground_coordinate(world)
    nodes = find_nodes(world, entity)
    names = nodes.table.component.dof_names
    turning = nodes.table.component is RigidNode3D
    if turning and name in (f"rotation {axis}" for axis in AXES):
        return rotation_marker(world, entity, name[-1])
    if name not in names:
        names += tuple(f"rotation {axis}" for axis in AXES) if turning else ()
        raise ModelError(f"coordinate {name!r} of {entity!r}: must be one of {', '.join(names)}")
    return world.add(NodeCoordinate, node=nodes, coordinate=names.index(name))


@checked(world=instance(World), entity=inside(), axis=inside(), global_axis=yes_no(), x=inside())
@all_or_nothing
def rotation_marker(
    world: Tables, entity: Handles | None, axis: Any = "z", *, global_axis: bool = False, x: Any = 0.0
) -> Entity:
    """Create a coordinate marker on the angle by which bodies, or cross sections of beams, have rotated about an axis
    since the reference configuration.

    The angle includes whole turns, and is correct even if the body also rotates about other axes. See
    docs/explanation/theory/markers.md. Loads on this coordinate are torques. A coordinate marker is returned unchanged.

    Args:
        entity: rigid bodies, rigid nodes, `Beam2D` or `Beam3D`, one or several rows of one type; None or `Ground` for
            the constant value 0.
        axis: ``"x"``, ``"y"``, ``"z"``, or a direction of any length > 0, shape (3,) or (rows, 3). 2D bodies and beams
            rotate only about ``"z"``.
        global_axis: whether ``axis`` is a direction in the global frame in the reference configuration. Otherwise it is
            a direction in the frame of the body, or of the cross section e_1, e_2, e_3 of a beam.
        x: beams: axial position of the cross section [m], one number, or shape (rows,). Other entities: only 0.

    Returns:
        Handle to the markers, one per row.

    Raises:
        ModelError: the axis is not a direction, the axis in 2D is not ``"z"``, the entity has no rotation, or x is not
            a position on the beam.
    """
    direction = _parse_axis(axis)
    place = read_numbers(x)
    if place is None or place.ndim > 1 or not place.size:
        raise ModelError(f"x = {show(x)} of rotation_marker: must be one number [m], or one number per row")
    if entity is None:
        return _ground_coordinate(world)
    entity = merge_handles(entity)
    component = entity.table.component
    if FAMILY in component.provides:
        return entity
    if component is Ground:
        return _ground_coordinate(world)
    if SPATIAL_BEAM in component.provides:
        count = max(len(entity), place.size)
        if direction.ndim == 2 and count not in (1, len(direction)):
            raise ModelError(f"axis has {len(direction)} rows for {entity!r}: must have 1 or {count}")
        if global_axis:
            direction = turn_axes(world, entity, place, direction)
        return world.add(RotationOnBeam3D, beam=entity, x=place, axis=direction)
    on_beam = PLANE_BEAM in component.provides
    if place.any() and not on_beam:
        raise ModelError(f"x = {show(x)} m of rotation_marker on {entity!r}: must be 0, as the entity is not a beam")
    nodes = find_nodes(world, entity) if "node" in component.provides or "node" in component.refs else entity
    if nodes.table.component is RigidNode3D:
        if direction.ndim == 2 and len(nodes) not in (1, len(direction)):
            raise ModelError(f"axis has {len(direction)} rows for {entity!r}: must have 1 or {len(nodes)}")
        if global_axis:
            A = rotation_matrix(nodes.table.collect("euler_parameters", nodes.rows))
            direction = np.einsum("ikl,ik->il", A, np.broadcast_to(direction, (max(len(A), direction.size // 3), 3)))
        return world.add(RotationCoordinate, node=nodes, axis=direction)
    if not on_beam and "rotation" not in nodes.table.component.dof_names:
        kinds = "a rigid body, a rigid node, Beam2D, Beam3D, or Ground"
        raise ModelError(f"{entity!r} has no rotation: must be {kinds}")
    if not np.allclose(direction / np.linalg.norm(direction, axis=-1, keepdims=True), AXES["z"], rtol=0, atol=1e-12):
        raise ModelError(f"axis = {axis!r} for {entity!r}: must be 'z' or (0, 0, 1), the only axis of 2D rotation")
    if on_beam:
        return world.add(RotationOnBeam2D, beam=entity, x=place)
    return coordinate_marker(world, nodes, "rotation")


def _parse_axis(axis: Any) -> FloatArray:
    """Return the axis as an array of shape (3,) or (rows, 3).

    Raises:
        ModelError: the axis is not a direction.
    """
    given = read_numbers(AXES.get(axis, ()) if isinstance(axis, str) else axis)
    direction = np.zeros(0) if given is None else given
    good = direction.ndim in (1, 2) and direction.shape[-1] == 3 and bool(np.isfinite(direction).all())
    if not good or not direction.size or not direction.any(axis=-1).all():
        raise ModelError(
            f"axis = {show(axis)}: must be 'x', 'y', 'z', or 3 finite numbers with a length > 0 [1], "
            "or one axis per row"
        )
    return direction[0] if direction.shape == (1, 3) else direction


def _ground_coordinate(world: Tables) -> Entity:
    """Return the marker of this world whose value is always 0."""
    marker: Entity = world.resource("ground coordinate", lambda: world.add(NodeCoordinate))
    return marker


register_family(FAMILY, allocate, partial(register_kind, COORDINATES, _ground_coordinate))
register_marker(NodeCoordinate, FAMILY, update_coordinates, bind, coordinate_dofs, "[@shabana]", check)
