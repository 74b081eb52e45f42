"""Coordinate markers: single coordinates of nodes, on which loads, constraints and springs act.

    value = x - reference,    rate = ẋ,    J = 1;    both are 0 for the ground

Source: A. A. Shabana, Dynamics of Multibody Systems, Cambridge University Press (generalised coordinates).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from windlass.connectors.position_markers import merge_handles, nodes_of
from windlass.elements.ground import Ground
from windlass.framework.bind import bind
from windlass.framework.errors import ModelError
from windlass.framework.kernel import kernel
from windlass.framework.law import Fields, FloatArray, Law, LocalRows, MarkerFamily, System, register, register_family
from windlass.framework.layout import Layout
from windlass.framework.schema import Component, column, ref
from windlass.framework.table import Entity, EntityTable, IntArray
from windlass.framework.world import Handles, World

FAMILY = "coordinate marker"


class CoordinateColumns(NamedTuple):
    """What all coordinate markers provide; n markers.

    value: displacement from the reference coordinate [m, 1 or rad], shape (n,).
    rate: velocity [m/s, 1/s or rad/s], shape (n,).
    dof: local coordinate number, the spare number for the ground, shape (n,).
    """

    value: FloatArray
    rate: FloatArray
    dof: IntArray


class NodeCoordinate(Component):
    """One coordinate of a node, or of the ground if no node is given."""

    provides = (FAMILY,)
    node = ref("node", "the node; none for the ground, whose coordinates are 0", optional=True)
    coordinate = column("1", "number of the coordinate within the node, from 0", default=0, dtype=np.int64, minimum=0)


def allocate(world: World, ids: IntArray, layout: Layout) -> CoordinateColumns:
    """Columns for the local markers."""
    n = len(ids)
    dof = np.full(n, layout.spare, np.int64)
    for table, positions, rows in world.split_by_table(ids):
        dof[positions] = layout.local_dofs(world.row_dofs(table, rows))[:, 0]
    return CoordinateColumns(np.zeros(n), np.zeros(n), dof)


class CoordinateRows(NamedTuple):
    """Place k in the columns, local coordinate number dof and reference coordinate x0 [m, 1, rad], each (rows,)."""

    k: IntArray
    dof: IntArray
    x0: FloatArray


@kernel
def update_coordinates(c: CoordinateRows, m: CoordinateColumns, x: FloatArray, v: FloatArray) -> None:
    """Displacement and velocity of each marker."""
    for i in range(len(c.k)):
        m.value[c.k[i]] = x[c.dof[i]] - c.x0[i]
        m.rate[c.k[i]] = v[c.dof[i]]


def coordinate_dofs(world: World, table: EntityTable) -> IntArray:
    """World number of each row's coordinate, shape (rows, 1), -1 for the ground."""
    of_node = world.dofs_of(table.column("node"))
    if of_node.shape[1] == 0:
        return np.full((table.count, 1), -1, np.int64)
    which = np.minimum(table.column("coordinate"), of_node.shape[1] - 1)  # too large ones are reported by the check
    dofs: IntArray = of_node[np.arange(table.count), which][:, None]
    return dofs


def build(rows: LocalRows) -> System:
    """The system of `NodeCoordinate`."""
    c = CoordinateRows(rows.own_marker_index(), rows.dofs[:, 0].copy(), rows.reference[:, 0])
    system = System("NodeCoordinate", rows.dofs)
    evaluate = bind(update_coordinates)

    def update(s: Fields) -> None:
        evaluate(c, s.markers[FAMILY], s.x, s.v)

    system.update = update
    return system


def check(world: World, table: EntityTable) -> None:
    """Raise ModelError for a coordinate that the node does not have."""
    coordinate = table.column("coordinate")
    for nodes, positions, _ in world.split_by_table(table.column("node")):
        names = nodes.component.dof_names
        for row in positions[coordinate[positions] >= len(names)][:1]:
            raise ModelError(
                f"coordinate = {coordinate[row]} in {table.kind} row {row}: must be < {len(names)}, "
                f"a {nodes.kind} has {', '.join(names)}"
            )


def coordinate_marker(world: World, entity: Handles | None, name: str = "") -> Entity:
    """A marker on a coordinate of nodes or of bodies with one node; a coordinate marker is returned as it is.

    Args:
        world: the world.
        entity: nodes or bodies of one kind, one or several rows; None or `Ground` for the fixed value 0.
        name: name of the coordinate, one of the node's ``dof_names``, e.g. ``"x"`` or ``"rotation"``.

    Returns:
        Handle to the markers, one per row.

    Raises:
        ModelError: an entity without node, or a coordinate that its node does not have.
    """
    if entity is None:
        return _ground_coordinate(world)
    entity = merge_handles(entity)
    if FAMILY in entity.table.component.provides:
        return entity
    if entity.table.component is Ground:
        return _ground_coordinate(world)
    nodes = nodes_of(world, entity)
    names = nodes.table.component.dof_names
    if name not in names:
        raise ModelError(f"coordinate {name!r} of {entity!r}: must be one of {', '.join(names)}")
    return world.add(NodeCoordinate, node=nodes, coordinate=names.index(name))


def _ground_coordinate(world: World) -> Entity:
    """The one marker of this world that is always 0."""
    marker: Entity = world.resource("ground coordinate", lambda: world.add(NodeCoordinate))
    return marker


register_family(MarkerFamily(FAMILY, allocate))
register(
    Law(
        NodeCoordinate,
        role="marker",
        family=FAMILY,
        dofs=coordinate_dofs,
        build=build,
        check=check,
        source="A. A. Shabana, Dynamics of Multibody Systems, Cambridge University Press",
    )
)
