"""Functions that create the nodes and elements of a chain of cables along a straight line, around circles or along any
route.

In 2D the elements are of type `Cable2D`, or `ALECable2D` if ``ale`` (an `ALENode` for the axial motion of the chain) is
given. In 3D the elements are of type `Cable3D`, or `TwistCable3D` if ``torsional_stiffness`` is given. If
``slow_stiffness`` or ``static_stiffness`` is given, the elements are fibre ropes (`FibreCable2D`, `FibreCable3D`). If
``working_strains`` is given, they are fibre ropes with working curves (`WorkingCable2D`, `WorkingCable3D`). If
``tension_table`` is given, the elements are cables with a table (`TableCable2D`, `TableCable3D`). With
``torsional_stiffness``, these ropes have twist in 3D (`TwistFibreCable3D`, `TwistWorkingCable3D`,
`TwistTableCable3D`).

The files routes.py, spatial_routes.py, spline_route.py and catenary.py contain the geometry of routes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from windlass.elements.cable.ale_cable2d import ALECable2D
from windlass.elements.cable.kinds import FRAME_COLUMNS, find_kinds
from windlass.elements.cable.rope_columns import add_slow_strains, read_slow_strains, read_table
from windlass.elements.nodes.turning import carry_normals
from windlass.elements.nodes.twist_frames import STEPS, find_direction, find_normals
from windlass.elements.routes.catenary import FreeCatenary, hang_between
from windlass.elements.routes.grounded_catenary import GroundedCatenary
from windlass.elements.routes.routes import CenterLine, Circle, Point, RouteError, nodes_along, route_around, straight
from windlass.elements.routes.spline_route import through_points
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.checks.checks import (
    checked,
    each,
    either,
    handle,
    inside,
    instance,
    number,
    numbers,
    optional,
    that,
    word,
    yes_no,
)
from windlass.framework.checks.room import check_room
from windlass.framework.checks.values import read_numbers, show
from windlass.framework.errors import ModelError
from windlass.framework.launch.launcher import launched_size
from windlass.framework.model.adding import all_or_nothing
from windlass.framework.model.law import Tables
from windlass.framework.model.parts import part_of_large, pick_rows
from windlass.framework.model.schema import row_bytes
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World

Side = Literal["left", "right"]
SIDE = word("left", "right")
RADIUS = number("m")
# Largest number of elements of a chain for which `check_turns` is called.
MOST_TURNING = 1000
# Tolerance [1] of `check_turns`. A slope perpendicular to its chord is allowed, as for two elements on a full circle.
TURN_ROUNDING = 1e-12
# Number of points along a route. `find_direction` chooses ``turned_from`` from the slopes at these points.
SAMPLES = 200
CHAIN = {"world": instance(World), "elements": inside(), "name": word(), "cable_columns": inside()}


@checked(
    **CHAIN,
    circles=each(instance(Circle, Entity), "a list of circles", 1),
    radius=optional(either(RADIUS, each(RADIUS, "one for each circle"))),
    sides=either(SIDE, each(SIDE, "one for each circle")),
    radial_offset=number("m"),
    closed=yes_no(),
    start=inside(),
    end=inside(),
)
@all_or_nothing
def cable_around(
    world: World,
    circles: Sequence[Circle | Entity],
    elements: int,
    *,
    radius: float | Sequence[float] | None = None,
    sides: Side | Sequence[Side] = "right",
    radial_offset: float = 0.0,
    closed: bool = True,
    start: Point | None = None,
    end: Point | None = None,
    name: str = "belt",
    **cable_columns: Any,
) -> Entity:
    """Add a taut cable over circles in the given order. The route is described in `routes.route_around`.

    A closed cable begins at the point where the cable leaves the first circle. The last element of a closed cable ends
    at the first node.

    Args:
        world: model to which the entities are added.
        circles: circles, or handles to bodies or nodes whose reference positions are the centres of the circles.
        elements: number of cable elements of equal length.
        radius: radius [m] of the circles that are given as handles, one for all circles or one for each circle.
        sides: side of the cable, "left" or "right", on which a circle lies, seen in the direction of travel. Give one
            side for all circles, or one side for each circle. The argument is only allowed for circles that are given
            as handles. With "right" the cable wraps clockwise.
        radial_offset: distance [m] of the axis of the cable from the circles.
        closed: whether the end of the cable is connected to its start.
        start, end: end points [m] of an open cable, shape (2,).
        name: name for messages and output.
        **cable_columns: columns of `Cable2D`, or of `ALECable2D` if ``ale=`` is given. For fibre ropes and tension
            tables see `straight_cable`. Default of ``length`` [m]: the length of the route divided by the number of
            elements.

    Returns:
        The cables in order. `nodes_of` returns their nodes.

    Raises:
        ModelError: a circle has no radius, or the route does not exist.
    """
    stops = _create_circles(world, circles, radius, sides)
    try:
        route = route_around(stops, radial_offset, closed, start, end)
    except ValueError as error:
        raise ModelError(f"{name}: {error}") from error
    return add_along(world, route, elements, name, **cable_columns)


@checked(**CHAIN, start=inside(), end=inside())
@all_or_nothing
def straight_cable(
    world: World, start: Point, end: Point, elements: int, *, name: str = "cable", **cable_columns: Any
) -> Entity:
    """Add a straight cable between two points, divided into elements of equal length.

    Args:
        world: model to which the entities are added.
        start, end: end points [m], shape (2,), or shape (3,) for 3D cables.
        elements: number of cable elements.
        name: name for messages and output.
        **cable_columns: columns of `Cable2D`, in 3D of `Cable3D`. If ``ale=`` is given: columns of `ALECable2D`. If
            ``torsional_stiffness=`` is given: columns of `TwistCable3D`, see `cable_along`. If ``slow_stiffness=`` or
            ``static_stiffness=`` is given: columns of `FibreCable2D` or `FibreCable3D`, and ``slow_strain``, the slow
            strain at the start. If ``working_strains=`` is given: columns of `WorkingCable2D` or `WorkingCable3D`, and
            ``slow_strain``. If
            ``tension_table=`` is given: columns of `TableCable2D` or `TableCable3D`. The table is a list of pairs of
            strain [1] and tension [N]. Default of ``length`` [m]: the length of the line divided by the number of
            elements.

    Returns:
        The cables in order. `nodes_of` returns their nodes.

    Raises:
        ModelError: start and end coincide, or are not two points of two or three finite numbers.
    """
    try:
        given = [read_numbers(point) for point in (start, end)]
        in_space = [point is not None and point.shape == (3,) for point in given]
        spatial = all(in_space)
        if any(in_space) and not spatial:
            words = f"start = {show(start)} m, end = {show(end)} m"
            raise RouteError(f"{words}: must both be two finite numbers (x, y), or both three (x, y, z)")
        route: CenterLine = through_points(given) if spatial else straight(start, end)
    except ValueError as error:
        raise ModelError(f"{name}: {error}") from error
    return add_along(world, route, elements, name, **cable_columns)


@checked(
    **CHAIN,
    start=inside(),
    end=inside(),
    length=number("m", above=0.0),
    axial_stiffness=number("N", above=0.0),
    mass_per_length=number("kg/m", minimum=0.0),
    gravity=optional(numbers("m/s^2", (2,), (3,))),
)
@all_or_nothing
def catenary(
    world: World,
    start: Point,
    end: Point,
    elements: int,
    *,
    length: float,
    axial_stiffness: float,
    mass_per_length: float,
    gravity: Point | None = None,
    name: str = "cable",
    **cable_columns: Any,
) -> Entity:
    """Add a cable that hangs between two points, in the equilibrium shape of a cable without bending stiffness.

    The nodes are at equal distances in unstretched arc length. The reference slopes are unit vectors. The stretch due
    to the tension is part of the initial displacements. A static solve from this state needs only a few iterations.

    Args:
        world: model to which the entities are added.
        start, end: end points [m], shape (2,), or shape (3,) for 3D cables.
        elements: number of cable elements.
        length: unstretched length [m] of the whole cable. If the length is smaller than the distance between the
            points, the cable is taut.
        axial_stiffness: EA [N], a scalar.
        mass_per_length: ρA [kg/m], a scalar.
        gravity: acceleration [m/s^2], shape (2,) or (3,); default: gravity of the world.
        name: name for messages and output.
        **cable_columns: additional columns of `Cable2D`, of `ALECable2D` if ``ale=`` is given, or in 3D of `Cable3D`.
            For fibre ropes and tension tables see `straight_cable`. The shape at the start is computed from
            ``axial_stiffness``, and not from the tension table.

    Returns:
        The cables in order. `nodes_of` returns their nodes.

    Raises:
        ModelError: a slack cable has no weight or has one end vertically above the other; columns define strains
            relative to the reference configuration; or the reference strain, or the slow strain of a fibre rope, is not
            one finite number, or the sum of both strains is not > -1.
    """
    share = cable_columns.get("strain_is_relative_to_reference", 0.0)
    strain = 0.0
    for key in ("reference_strain", "slow_strain"):
        given = cable_columns.get(key, 0.0)
        value = read_numbers(given)
        if value is None or value.ndim != 0 or not -1.0 < value < np.inf:
            raise ModelError(f"{name}: {key} = {show(given)} of a catenary: must be one finite number > -1")
        strain += float(value)
    if strain <= -1.0:
        raise ModelError(f"{name}: reference_strain + slow_strain = {strain:g} of a catenary: must be > -1")
    if np.any(np.asarray(share) != 0.0):
        raise ModelError(
            f"{name}: strain_is_relative_to_reference = {share} of a catenary: must be 0, because the cables of a "
            "catenary start with their strain"
        )
    try:
        g = world.gravity if gravity is None else gravity
        route = hang_between(start, end, length, axial_stiffness, mass_per_length, g, strain)
    except (TypeError, ValueError) as error:
        raise ModelError(f"{name}: {error}") from error
    columns = {"axial_stiffness": axial_stiffness, "mass_per_length": mass_per_length, **cable_columns}
    return add_along(world, route, elements, name, **columns)


@checked(
    **CHAIN,
    route=that(lambda given: hasattr(given, "eval_points"), "a Route, SpatialRoute, SplineRoute or FreeCatenary"),
)
@all_or_nothing
def cable_along(world: World, route: CenterLine, elements: int, *, name: str = "cable", **cable_columns: Any) -> Entity:
    """Add a cable along a route, divided into elements of equal length.

    Args:
        world: model to which the entities are added.
        route: result of `helix`, `route_over_sheaves`, `through_points`, `route_around`, `hang_between` or
            `hang_from_ground`.
        elements: number of cable elements.
        name: name for messages and output.
        **cable_columns: columns of `Cable2D`, or of `Cable3D` on 3D routes. For fibre ropes and tension tables see
            `straight_cable`. Default of ``length`` [m]: the length of the route divided by the number of elements. If
            ``torsional_stiffness=`` is given on a 3D route: columns of `TwistCable3D`, and the columns ``normal`` and
            ``turned_from`` of the nodes (`PointSlopeTwist3D`). ``normal`` is the direction of d_1 at the start of the
            route. From node to node, this direction is moved along the route without spin. The default of
            ``turned_from`` is a direction to which no slope of the route is opposite, such as the axis of sheaves.

    Returns:
        The cables in order. `nodes_of` returns their nodes.

    Raises:
        ModelError: the number of elements is out of its range, or is so small that an element turns back on itself.
    """
    return add_along(world, route, elements, name, **cable_columns)


def add_along(world: Tables, route: CenterLine, elements: int, name: str, **cable_columns: Any) -> Entity:
    """Add nodes and cables along a route. The nodes are at equal distances in arc length, and their slopes are
    tangential to the route.

    Along a catenary, the initial displacements include the stretch of the slopes. With several processes, each process
    adds a part of the rows of a long chain.

    Raises:
        ModelError: the number of elements is not allowed, or axial motion of the material is given along a 3D route.
    """
    try:
        # this call also raises an error for an invalid number of elements, before the conversion to int
        length = nodes_along(route, elements, np.zeros(0, np.int64))[2]
    except ValueError as error:
        raise ModelError(f"{name}: {error}") from error
    elements = int(elements)
    cable_columns = read_table(cable_columns, name)
    node, kind = find_kinds(route.eval_points(np.zeros(1))[0].shape[1], cable_columns)
    share = -(-elements // launched_size())
    check_room(share, row_bytes(node) + row_bytes(kind), f"elements = {elements} in {name}")
    mine = part_of_large(elements + (0 if route.closed else 1))
    positions, slopes, _ = nodes_along(route, elements, mine.numbers)
    columns: dict[str, Any] = {"position": positions, "slope": slopes}
    if isinstance(route, FreeCatenary | GroundedCatenary):
        stretch = route.eval_stretch(route.length * (mine.numbers / elements))
        twist = np.zeros((len(slopes), len(node.dof_names) - 2 * slopes.shape[1]))
        columns["displacement"] = np.column_stack((np.zeros_like(slopes), (stretch - 1.0)[:, None] * slopes, twist))
    elif elements <= MOST_TURNING:
        check_turns(route, elements, name)
    if "normal" in node.columns:
        columns |= carry_frames(route, elements, mine.numbers, cable_columns)
        cable_columns = {key: value for key, value in cable_columns.items() if key not in FRAME_COLUMNS}
    nodes = world.add(node, name=f"{name} node", part=mine, **columns)
    mine = part_of_large(elements)
    first, second = mine.numbers, (mine.numbers + 1) % len(nodes)
    if "ale" in cable_columns:
        if positions.shape[1] == 3:
            raise ModelError(f"{name}: ale along a 3D route: must be a 2D route, for ALECable2D")
        kind = ALECable2D
    if "slow" in kind.refs:
        strains = read_slow_strains(cable_columns.pop("slow_strain", 0.0), elements, name)
        cable_columns["slow"] = add_slow_strains(world, mine, strains, name)
    columns = {"length": length, **pick_rows(mine, kind, cable_columns)}
    return world.add(kind, name=name, part=mine, node0=nodes[first], node1=nodes[second], **columns)


def carry_frames(route: CenterLine, elements: int, numbers: IntArray, given: dict[str, Any]) -> dict[str, FloatArray]:
    """Return the columns of the nodes of a cable with twist: ``normal``, which is moved along the route without spin,
    and ``turned_from``.

    Args:
        route, elements: the route and the number of elements.
        numbers: indices of the nodes, shape (n,).
        given: columns that the user has specified. ``normal`` is the normal of the first node, or the normals of all
            nodes, shape (nodes, 3).
    """
    along = route.eval_points(route.length * np.linspace(0.0, 1.0, SAMPLES))[1]
    turned_from = given.get("turned_from", find_direction(along))
    if np.ndim(given.get("normal", 0.0)) == 2:
        return {"normal": np.asarray(given["normal"], np.float64)[numbers], "turned_from": turned_from}
    last = int(numbers.max(initial=0))
    slopes = route.eval_points(route.length / (STEPS * elements) * np.arange(STEPS * last + 1))[1]
    normals = np.zeros_like(slopes)
    normals[0] = given.get("normal", 0.0)
    if not normals[0].any():
        normals[0] = find_normals(slopes[:1])[0]
    carry_normals(slopes, normals)
    return {"normal": normals[STEPS * numbers], "turned_from": turned_from}


def check_turns(route: CenterLine, elements: int, name: str) -> None:
    """Raise ModelError if an element turns back on itself, because the chain has too few elements.

    At a node of such an element the slope r' points against the chord: r'·(r_1 - r_0) < 0, where r_0 and r_1 are the
    positions of the two nodes of the element. A cubic element cannot follow such a part of the route.
    """
    ends, slopes, _ = route.eval_points(route.length * (np.arange(elements + 1) / elements))
    chords = np.diff(ends, axis=0)
    along = np.minimum((slopes[:-1] * chords).sum(axis=1), (slopes[1:] * chords).sum(axis=1))
    wrong = np.flatnonzero(along < -TURN_ROUNDING * route.length)
    if len(wrong):
        raise ModelError(
            f"{name}: elements = {elements}: element {wrong[0]} has an angle of more than 90° between the slope at a "
            "node and the chord: use more elements"
        )


@checked(world=instance(World), cables=handle())
def nodes_of(world: World, cables: Entity) -> Entity:
    """Return the nodes of a chain of cables or beams in order, each node once. For n cables there are n + 1 nodes, or n
    nodes if the chain is closed.

    A chain of n beams of order p has p n + 1 nodes, or p n nodes if the chain is closed. For entities with one node
    each, such as bodies and sliding joints, the nodes are returned in the order of the entities.

    Raises:
        ModelError: the entities have no nodes.
    """
    refs = cables.table.component.refs
    if "node" in refs:
        ((table, places, rows),) = world.split_by_table(cables.table.collect("node", cables.rows))
        return Entity(table, rows[np.argsort(places)])
    if "node0" not in refs:
        raise ModelError(f"{cables!r} has no node0 and node1: must be cables")
    begin, end = (cables.table.collect(end, cables.rows) for end in ("node0", "node1"))
    inner = [cables.table.collect(name, cables.rows) for name in ("node2", "node3") if name in refs]
    if inner:
        ids = np.append(np.stack((begin, *inner), axis=1).ravel(), end[-1])
        ids = ids[ids >= 0]
        _, first = np.unique(ids, return_index=True)
        ids = ids[np.sort(first)]
    elif (begin[1:] == end[:-1]).all() and (begin[1:] > begin[:-1]).all() and end[-1] > begin[-1]:
        ids = np.append(begin, end[-1])
    else:
        ids = np.concatenate((begin, end))
        _, first = np.unique(ids, return_index=True)
        # Node i is the first node of cable i. An open chain has one additional node at its end.
        ids = ids[np.sort(first)]
    ((table, _, rows),) = world.split_by_table(ids)
    return Entity(table, rows)


def _create_circles(
    world: World,
    circles: Sequence[Circle | Entity],
    radius: float | Sequence[float] | None,
    sides: Side | Sequence[Side],
) -> list[Circle]:
    """Convert circles and handles to `Circle` objects."""
    count = len(circles)
    radii = list(radius) if isinstance(radius, Sequence | np.ndarray) else [radius] * count
    side = [sides] * count if isinstance(sides, str) else list(sides)
    if len(radii) != count or len(side) != count:
        given = f"{len(radii)} radii and {len(side)} sides for {count} circles"
        raise ModelError(f"{given}: must be one for all circles or one for each")
    return [c if isinstance(c, Circle) else _circle_at(world, c, radii[i], side[i]) for i, c in enumerate(circles)]


def _circle_at(world: Tables, handle: Entity, radius: float | None, side: Side) -> Circle:
    if radius is None:
        raise ModelError(f"circle {handle!r} has no radius: give radius [m] > 0, or a Circle")
    body = handle
    if "node" in handle.table.component.refs:
        body = world.entity(int(handle.node))
    if "position" not in body.table.component.columns:
        raise ModelError(f"circle {handle!r}: must be a Circle, or a body or node with a position")
    x, y = body.position[:2]
    try:
        return Circle((float(x), float(y)), radius, side)
    except ValueError as error:
        raise ModelError(f"circle {handle!r}: {error}") from error
