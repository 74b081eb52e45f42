"""2D nodes, which define the coordinates of 2D models.

A node has reference coordinates, initial displacements and initial velocities. The total coordinates of a node are the
sum of its reference coordinates and its displacements. Cables use `PointSlope2D` with the position and the slope r' =
∂r/∂x, where x is the arc length of the undeformed cable. Rigid bodies use `RigidNode2D`, and mass points use `Point2D`.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from windlass.elements.nodes.node_outputs import point_outputs, rotation_outputs
from windlass.framework.errors import ModelError
from windlass.framework.model.law import Tables, register
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.table import Entity, EntityTable

SOURCE = "[@gerstmayr2006]"


class PointSlope2D(Component):
    """A point of a cable with the slope of its axis."""

    provides = ("node",)
    dof_names = ("x", "y", "x'", "y'")
    reference_columns: ClassVar[tuple[str, ...]] = ("position", "slope")
    initial_columns = ("displacement", "velocity")
    position = column("m", "reference position x, y", shape=(2,))
    slope = column("1", "reference slope x', y'; length 1 for an unstretched cable", shape=(2,), default=(1.0, 0.0))
    displacement = column("m, 1", "initial displacement of x, y [m], x', y' [1]", shape=(4,), default=(0.0,) * 4)
    velocity = column("m/s, 1/s", "initial velocity of x, y [m/s], x', y' [1/s]", shape=(4,), default=(0.0,) * 4)
    shares_position = ref(
        "PointSlope2D", "node with which this node shares x and y, but not the slope", optional=True, shares=("x", "y")
    )


class Point2D(Component):
    """A point."""

    provides = ("node", "Point2D or Point3D")
    dof_names = ("x", "y")
    reference_columns: ClassVar[tuple[str, ...]] = ("position",)
    initial_columns = ("displacement", "velocity")
    position = column("m", "reference position x, y", shape=(2,))
    displacement = column("m", "initial displacement of x, y", shape=(2,), default=(0.0,) * 2)
    velocity = column("m/s", "initial velocity of x, y", shape=(2,), default=(0.0,) * 2)


class RigidNode2D(Component):
    """A 2D point with a rotation about z."""

    provides = ("node",)
    dof_names = ("x", "y", "rotation")
    reference_columns: ClassVar[tuple[str, ...]] = ("position", "angle")
    initial_columns = ("displacement", "velocity")
    position = column("m", "reference position x, y", shape=(2,))
    angle = column("rad", "reference rotation about z", default=0.0)
    displacement = column("m, rad", "initial displacement of x, y [m], rotation [rad]", shape=(3,), default=(0.0,) * 3)
    velocity = column("m/s, rad/s", "initial velocity of x, y [m/s], rotation [rad/s]", shape=(3,), default=(0.0,) * 3)


def create_missing_node(world: Tables, values: dict[str, Any], node: type[Component], kind: str) -> dict[str, Any]:
    """Create the node of a body if ``values`` contains columns of a node, such as ``position``, but no node.

    Raises:
        ModelError: both a node and columns of a node are given, or neither a node nor a position is given.
    """
    given = {name: values.pop(name) for name in node.columns if name in values}
    if values.get("node") is not None:
        if given:
            raise ModelError(
                f"{kind} has node and {', '.join(given)}: give either the node or {', '.join(node.columns)}"
            )
        return values
    if "position" not in given:
        raise ModelError(f"{kind} needs node (a {node.__name__}) or position [m]")
    return values | {"node": world.add(node, **given)}


def take_shared_position(world: Tables, values: dict[str, Any]) -> dict[str, Any]:
    """Copy the positions of the nodes in ``shares_position`` to the new nodes that share these positions."""
    if isinstance(values.get("shares_position"), Entity) and "position" not in values:
        values["position"] = values["shares_position"].position
    return values


def check_slopes(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for slopes of length 0 and for invalid shared positions."""
    kind, d = table.kind, len(table.component.dof_names) // 2
    zero = f"({', '.join('0' * d)})"
    slope, displacement = table.local("slope"), table.local("displacement")
    for when, values in (("", slope), (" + displacement", slope + displacement[:, d:])):
        for row in table.resident[~values.any(axis=1)]:
            raise ModelError(f"slope{when} = {zero} in {kind} row {row}: must have a length > 0")
    check_shared_positions(world, table)


def check_shared_positions(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for invalid shared positions."""
    kind, position = table.kind, table.local("position")
    d = position.shape[1]
    names = ", ".join(table.component.dof_names[:d])
    initial = np.concatenate((table.local("displacement")[:, :d], table.local("velocity")[:, :d]), axis=1)
    for owners, places, owner_rows in world.split_by_table(table.local("shares_position")):
        rows, shared = table.resident[places], owners.local("position", owner_rows)
        for row in rows[owners.local("shares_position", owner_rows) >= 0][:1]:
            raise ModelError(f"shares_position in {kind} row {row}: must be a node that does not share its position")
        for k in np.flatnonzero((position[places] != shared).any(axis=1))[:1]:
            given = f"position = {position[places[k]]} m in {kind} row {rows[k]}"
            raise ModelError(f"{given}: must be the shared position, {shared[k]} m")
        for k in np.flatnonzero(initial[places].any(axis=1))[:1]:
            raise ModelError(
                f"displacement, velocity of {names} = {initial[places[k]]} m, m/s in {kind} row {rows[k]}: must be 0, "
                "because the values of the node in shares_position apply"
            )


register(
    PointSlope2D,
    "node",
    outputs=point_outputs("m, 1"),
    fill_defaults=take_shared_position,
    fills=("position",),
    check=check_slopes,
    source=SOURCE,
)
register(Point2D, "node", outputs=point_outputs("m"), source=SOURCE)
register(RigidNode2D, "node", outputs=point_outputs("m, rad") | rotation_outputs(), source=SOURCE)
