"""Functions that create the nodes and elements of a beam along a straight line or any route.

The axis e_1 of each node is tangential to the route. In 3D, e_2 of the first node is the component of ``normal``
perpendicular to the route. Between two nodes the frame is rotated without spin about the route. At the end of a closed
3D route, the resulting frame differs from the first frame by an angle about the axis. This angle is distributed along
the route. Therefore the frame does not jump at the point where the beam closes.

The files routes.py, spatial_routes.py and spline_route.py contain the geometry of routes.
"""

from __future__ import annotations

from math import atan2
from typing import Any

import numpy as np

from windlass.elements.beam.rows import MOST_UNEVEN
from windlass.elements.beam.rules import PLACES, create_rule
from windlass.elements.nodes.nodes2d import RigidNode2D
from windlass.elements.nodes.rotations import euler_parameters_of, rotation_matrix
from windlass.elements.nodes.turning import carry_normals, smallest_rotations
from windlass.elements.routes.routes import CenterLine, Point, RouteError, nodes_along, straight
from windlass.elements.routes.spline_route import through_points
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import checked, inside, instance, numbers, optional, that, whole, word
from windlass.framework.checks.room import check_room
from windlass.framework.checks.values import read_numbers, show
from windlass.framework.errors import ModelError
from windlass.framework.model.adding import all_or_nothing
from windlass.framework.model.parts import part_of_large, pick_rows
from windlass.framework.model.schema import Component, row_bytes
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World

LINE = {
    "world": instance(World), "elements": inside(), "order": whole(1), "normal": optional(numbers("1", (3,))),
    "name": word(), "beam_columns": inside(),
}  # fmt: skip
STEPS = 4
"""Number of steps between two nodes in which a normal is moved along a route."""


@checked(**LINE, start=inside(), end=inside())
@all_or_nothing
def straight_beam(
    world: World, start: Point, end: Point, elements: int, *, order: int = 2, normal: Any | None = None,
    name: str = "beam", **beam_columns: Any,
) -> Entity:  # fmt: skip
    """Add a straight beam between two points, divided into elements of equal length.

    Args:
        world: model to which the entities are added.
        start, end: end points [m], shape (2,), or shape (3,) for 3D beams.
        elements: number of elements.
        order: order of the elements, 1, 2 or 3. An element has order + 1 nodes.
        normal: direction of e_2 of 3D beams, shape (3,). See `beam_along` for the default.
        name: name for messages and output.
        **beam_columns: columns of `Beam2D`, in 3D of `Beam3D`, or of `SlopeBeam3D` if ``section_stiffness`` is given.
            The column ``length`` is not allowed.

    Returns:
        The elements in order. `nodes_of` returns their nodes.

    Raises:
        ModelError: start and end coincide, a value is out of its range, or the user gives a column that the line
            determines.
    """
    try:
        given = [read_numbers(point) for point in (start, end)]
        in_space = [point is not None and point.shape == (3,) for point in given]
        if any(in_space) and not all(in_space):
            words = f"start = {show(start)} m, end = {show(end)} m"
            raise RouteError(f"{words}: must both be two finite numbers (x, y), or both three (x, y, z)")
        route: CenterLine = through_points(given) if all(in_space) else straight(start, end)
    except ValueError as error:
        raise ModelError(f"{name}: {error}") from error
    return _add_line(world, route, elements, order, normal, name, beam_columns)


@checked(
    **LINE,
    route=that(lambda given: hasattr(given, "eval_points"), "a Route, SpatialRoute or SplineRoute"),
)
@all_or_nothing
def beam_along(
    world: World, route: CenterLine, elements: int, *, order: int = 2, normal: Any | None = None, name: str = "beam",
    **beam_columns: Any,
) -> Entity:  # fmt: skip
    """Add a beam along a route, divided into elements of equal length. The route is the stress-free shape of the beam.

    Args:
        world: model to which the entities are added.
        route: result of `helix`, `through_points`, `route_around` or another function that creates routes.
        elements: number of elements.
        order: order of the elements, 1, 2 or 3. An element has order + 1 nodes.
        normal: direction of e_2 at the start of 3D beams, shape (3,). The default is global y, rotated by the smallest
            rotation from global x to the tangent of the route.
        name: name for messages and output.
        **beam_columns: columns of `Beam2D`, on 3D routes of `Beam3D`, or of `SlopeBeam3D` if ``section_stiffness`` is
            given. The column ``length`` is not allowed.

    Returns:
        The elements in order. `nodes_of` returns their nodes.

    Raises:
        ModelError: the number of elements or the order is out of its range, the normal is parallel to the route or is
            given for a 2D route, or the user gives a column that the route determines.
    """
    return _add_line(world, route, elements, order, normal, name, beam_columns)


def _add_line(
    world: World, route: CenterLine, elements: int, order: int, normal: Any | None, name: str, given: dict[str, Any]
) -> Entity:
    try:
        # this call raises an error for an invalid number of elements, before the number is converted to int
        length = nodes_along(route, elements, np.zeros(0, np.int64))[2]
    except ValueError as error:
        raise ModelError(f"{name}: {error}") from error
    if order not in PLACES:
        raise ModelError(f"{name}: order = {order}: must be 1, 2 or 3")
    elements = int(elements)
    in_space = route.eval_points(np.zeros(1))[0].shape[1] == 3
    for column in ("length", "node0", "node1", "node2", "node3", "part"):
        if column in given:
            raise ModelError(f"{name}: {column} = {show(given[column])}: must be left out, as the line determines it")
    if normal is not None and not in_space:
        raise ModelError(f"{name}: normal = {show(normal)} on a 2D route: must be left out")
    node, kind = _find_kinds(in_space, "section_stiffness" in given)
    count = order * elements + (0 if route.closed else 1)
    check_room(count, row_bytes(node) + row_bytes(kind), f"elements = {elements} in {name}")
    # arc lengths of the nodes along the route, and of STEPS - 1 additional points between two nodes
    inner = np.sort(PLACES[order])
    stations = length * np.append((np.arange(elements)[:, None] + inner[:-1]).ravel(), elements)
    s = np.interp(np.arange(STEPS * (len(stations) - 1) + 1) / STEPS, np.arange(len(stations)), stations)
    position, tangent, _ = route.eval_points(np.minimum(s, route.length))
    _check_places(name, elements, order, position[::STEPS])
    mine = part_of_large(count)
    columns: dict[str, Any] = {"position": position[::STEPS][mine.numbers]}
    if in_space:
        e = _find_frames(tangent, route.closed, normal, name)[::STEPS][mine.numbers]
        if "euler_parameters" in node.columns:
            columns["euler_parameters"] = e
        else:
            A = rotation_matrix(e)
            columns |= {"slope2": A[:, :, 1], "slope3": A[:, :, 2]}
    else:
        columns["angle"] = np.unwrap(np.arctan2(tangent[:, 1], tangent[:, 0]))[::STEPS][mine.numbers]
    nodes = world.add(node, name=f"{name} node", part=mine, **columns)
    if "euler_parameters" in columns:
        from windlass.elements.beam.unit_rotation import (  # imported here, because 2D models do not need 3D rotations
            UnitRotation3D,
        )

        world.add(UnitRotation3D, name=f"{name} rotation", part=mine, node=nodes[mine.numbers])
    mine = part_of_large(elements)
    first = order * mine.numbers
    refs = {"node0": nodes[first], "node1": nodes[(first + order) % count]}
    for k in range(1, order):
        refs[f"node{1 + k}"] = nodes[first + k]
    return world.add(kind, name=name, part=mine, length=length, **refs, **pick_rows(mine, kind, given))


def _check_places(name: str, elements: int, order: int, position: FloatArray) -> None:
    """Raise ModelError if the route bends so much within an element that its inner nodes are not at their places.

    Args:
        position: positions of the nodes along the line [m], shape (nodes, d). For a closed line, the first node is the
            last node of the last element.
    """
    rule, rank = create_rule(order), np.argsort(np.argsort(PLACES[order]))
    own = position[(order * np.arange(elements)[:, None] + rank) % len(position)]
    length = np.linalg.norm(np.einsum("ga,iad->igd", rule.D, own), axis=2)
    for k in np.flatnonzero(length.max(axis=1) > MOST_UNEVEN * length.min(axis=1))[:1]:
        raise ModelError(
            f"{name}: elements = {elements}: the line bends so much within element {k} that its inner nodes are not at "
            "their places: use more elements"
        )


def _find_kinds(in_space: bool, deformable: bool) -> tuple[type[Component], type[Component]]:
    """Return the types of node and beam in 2D or 3D. In 3D, the cross sections are rigid or deformable."""
    if in_space and deformable:
        # imported here, because few beams have flexible sections
        from windlass.elements.beam.slope_beam3d import SlopeBeam3D
        from windlass.elements.nodes.section_node import (  # imported here, because few beams have flexible sections
            PointSectionSlopes3D,
        )

        return PointSectionSlopes3D, SlopeBeam3D
    if in_space:
        from windlass.elements.beam.beam3d import Beam3D  # imported here, because 2D models do not need 3D beams
        from windlass.elements.nodes.nodes3d import RigidNode3D  # imported here, because 2D models do not need 3D nodes

        return RigidNode3D, Beam3D
    from windlass.elements.beam.beam2d import Beam2D  # imported here, because 3D models do not need 2D beams

    return RigidNode2D, Beam2D


def _find_frames(tangent: FloatArray, closed: bool, normal: Any | None, name: str) -> FloatArray:
    """Return the Euler parameters of frames e_1, e_2, e_3 along a route, shape (n, 4). The axes e_1 are the unit
    tangents ``tangent``, shape (n, 3). On open routes, the frames do not spin about the route. On closed routes, the
    frames have a uniform spin about the route, such that the last frame is equal to the first frame.
    """
    normals = np.zeros_like(tangent)
    start = smallest_rotations(np.array([[1.0, 0.0, 0.0]]), tangent[:1])[0, :, 1] if normal is None else normal
    across = np.asarray(start, np.float64) - (np.asarray(start) @ tangent[0]) * tangent[0]
    size = float(np.linalg.norm(across))
    if not size > 1e-6 * float(np.linalg.norm(start)):
        raise ModelError(
            f"{name}: normal = {show(normal)}: must have a component perpendicular to the tangent {tangent[0]} of the "
            "route [1]"
        )
    normals[0] = across / size
    carry_normals(tangent, normals)
    third = np.cross(tangent, normals)
    if closed:
        apart = atan2(float(normals[0] @ third[-1]), float(normals[0] @ normals[-1]))
        turn = np.linspace(0.0, apart, len(tangent))[:, None]
        normals = np.cos(turn) * normals + np.sin(turn) * third
        third = np.cross(tangent, normals)
    e = euler_parameters_of(np.stack((tangent, normals, third), axis=2))
    # choose the signs of the Euler parameters such that the dot products of neighbouring nodes are positive
    e[1:] *= np.cumprod(np.where((e[1:] * e[:-1]).sum(axis=1) < 0.0, -1.0, 1.0))[:, None]
    return e
