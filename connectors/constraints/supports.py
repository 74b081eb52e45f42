"""Supports. Some functions fix or prescribe named coordinates of nodes and bodies, and others clamp or hinge nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from windlass.connectors.constraints.coordinate_constraint import CoordinateConstraint
from windlass.connectors.markers.coordinate_marker import coordinate_marker
from windlass.connectors.markers.position_markers import find_nodes, merge_handles
from windlass.elements.nodes.nodes3d import RigidNode3D
from windlass.elements.nodes.section_node import PointSectionSlopes3D
from windlass.framework.checks.checks import checked, either, function, inside, instance, number, optional, word
from windlass.framework.errors import ModelError
from windlass.framework.model.adding import all_or_nothing
from windlass.framework.model.law import Tables
from windlass.framework.model.table import Entity
from windlass.framework.model.world import Handles, World

TimeValue = float | Callable[[float], float]
SUPPORT = {"world": instance(World), "entity": inside()}


@checked(**SUPPORT, coordinate_names=word())
@all_or_nothing
def fix(world: World, entity: Handles, *coordinate_names: str) -> Entity:
    """Fix coordinates of nodes or bodies at their reference values.

    Args:
        entity: nodes or bodies of one type.
        *coordinate_names: names of coordinates, for example ``"x", "y"``. The names are listed in ``dof_names`` of a
            node.

    Returns:
        Handle to the constraints. The constraints of the first name for all rows come first, then the constraints of
            the second name, and so on.

    Raises:
        ModelError: no name is given, or a name is unknown.
    """
    merged = merge_handles(entity)
    if not coordinate_names:
        names = ", ".join(find_nodes(world, merged).table.component.dof_names)
        raise ModelError(f"fix({merged!r}) without coordinate names: give some of {names}")
    return merge_handles([_constrain(world, merged, name, "fixed") for name in coordinate_names])


@checked(**SUPPORT, name=word(), value=either(number("m"), function()), rate=optional(function()))
@all_or_nothing
def prescribe(
    world: World, entity: Handles, name: str, value: TimeValue, rate: Callable[[float], float] | None = None
) -> Entity:
    """Prescribe the displacement of a coordinate from its value in the reference configuration.

    Args:
        entity: nodes or bodies of one type.
        name: name of the coordinate.
        value: displacement [m or rad], a number or a function of time t [s].
        rate: time derivative of the function [m/s or rad/s]. By default, it is the exact derivative of a predefined
            function, or a difference quotient in time for other functions.

    Returns:
        Handle to the constraints, one per row.
    """
    if callable(value):
        return _constrain(world, entity, name, "prescribed", offset_function=value, offset_rate_function=rate)
    return _constrain(world, entity, name, "prescribed", offset=value, offset_rate_function=rate)


@checked(**SUPPORT, name=word(), value=either(number("m/s"), function()))
@all_or_nothing
def prescribe_velocity(world: World, entity: Handles, name: str, value: TimeValue) -> Entity:
    """Prescribe the velocity of a coordinate.

    Args:
        entity: nodes or bodies of one type.
        name: name of the coordinate, for example ``"rotation"``.
        value: velocity [m/s or rad/s], a number or a function of time t [s].

    Returns:
        Handle to the constraints, one per row.
    """
    if callable(value):
        return _constrain(world, entity, name, "driven", velocity_level=True, rate_function=value)
    return _constrain(world, entity, name, "driven", velocity_level=True, rate=value)


@checked(world=instance(World), node=inside())
@all_or_nothing
def hinge(world: World, node: Handles) -> Entity:
    """Fix the position of nodes or bodies, and leave their rotation free, see `fix`."""
    merged = merge_handles(node)
    names = find_nodes(world, merged).table.component.dof_names
    return fix(world, merged, *(name for name in "xyz" if name in names))


@checked(world=instance(World), node=inside())
@all_or_nothing
def clamp(world: World, node: Handles) -> Entity:
    """Fix position and direction of nodes or bodies, see `fix`.

    For rigid bodies and rigid nodes in 2D, the function fixes x, y and the rotation. In 3D it fixes x, y, z and three
    Euler parameters. The parameter with the largest magnitude in the reference configuration remains free, because the
    norm of the four parameters is already constrained to 1. For nodes of cables, the function fixes the position, the
    slope components perpendicular to the cable, and the twist. Therefore the cable can stretch at the clamp. A slope
    component remains free only if the reference slope is parallel to a global axis. An oblique slope is fixed
    completely, including the stretch at the node. For nodes of `SlopeBeam3D`, the function fixes all coordinates.

    Raises:
        ModelError: the slopes or rotations of the nodes differ, so the nodes need different constraints (clamp each
            node by a separate call), or a node has neither slope nor rotation.
    """
    merged = merge_handles(node)
    nodes = find_nodes(world, merged)
    names = nodes.table.component.dof_names
    if nodes.table.component is RigidNode3D:
        largest = np.abs(nodes.table.collect("euler_parameters", nodes.rows)).argmax(axis=1)
        if (largest != largest[0]).any():
            raise ModelError(f"clamp({merged!r}): the bodies have different rotations; clamp them one by one")
        return fix(world, merged, *(name for name in names if name != f"e{largest[0]}"))
    if nodes.table.component is PointSectionSlopes3D:
        return fix(world, merged, *names)
    if "slope" not in nodes.table.component.columns:
        if "rotation" not in names:
            raise ModelError(f"clamp({merged!r}): a {nodes.kind} has no direction to hold; use hinge")
        return fix(world, merged, "x", "y", "rotation")
    slopes = nodes.table.collect("slope", nodes.rows)
    along = np.abs(slopes) > 1e-12 * np.linalg.norm(slopes, axis=1)[:, None]
    # fix each component of the slope, except the component along a global axis to which the slope is parallel
    held = (along.sum(axis=1, keepdims=True) - along) > 0
    held |= ~along
    if (held != held[0]).any():
        raise ModelError(f"clamp({merged!r}): the slopes have different directions; clamp the nodes one by one")
    d = slopes.shape[1]
    across = (name for name, hold in zip(names[d : 2 * d], held[0], strict=True) if hold)
    return fix(world, merged, *names[:d], *across, *names[2 * d :])


def _constrain(world: Tables, entity: Handles, name: str, verb: str, **values: Any) -> Entity:
    """Create one constraint to the ground for every row, with the arguments ``values``. The name of the constraints
    consists of the name of the entity, the name of the coordinate, and ``verb``.
    """
    merged = merge_handles(entity)
    marker = coordinate_marker(world, merged, name)
    label = f"{merged.name if len(merged) == 1 else merged.kind}, {name} {verb}"
    return world.add(CoordinateConstraint, name=label, marker1=marker, **values)
