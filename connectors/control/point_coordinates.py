"""Coordinates of points: the displacement of a point along a direction, and the distance between two points.

    displacement: u = e·(p - origin),    J = e·J_p,    H = e·H_p
    distance: u = |d| - length,    J = e·X,    H = e·X_q + Xᵀ (I - e eᵀ) X/|d|
    vector between the points: d = p1 - p0,    e = d/|d|,    X = J_1 - J_0

For displacements and distances, u_t = J q_t and J̇ = H q_t. Therefore laws that act on coordinates can measure the
motion of any point and exert forces at any point. A load on a displacement is a force along e. A load on a distance is
a force along the line between the points. A positive load acts outwards. If u is a distance, k u + d u_t is the tension
of a spring between the points with the free length ``length``. If the points coincide, the direction is undefined and
the coordinate is NaN.

Source: A. A. Shabana, Dynamics of Multibody Systems, Cambridge University Press. The derivatives follow by
differentiation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.markers.coordinate_marker import FAMILY, CoordinateMarkers
from windlass.connectors.markers.pairs import pair_dofs
from windlass.connectors.markers.position_kernels import CURVED, PositionMarkers
from windlass.connectors.markers.position_kernels import FAMILY as POSITIONS
from windlass.connectors.markers.position_markers import position_marker
from windlass.elements.nodes.rotations import normalise
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.checks.checks import checked, handle, inside, instance, number, numbers
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.adding import all_or_nothing
from windlass.framework.model.law import Dofs, LocalRows, Tables, register
from windlass.framework.model.rows import create_records
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.system import Fields, System
from windlass.framework.model.table import Entity, EntityTable
from windlass.framework.model.world import Handles, World

SOURCE = "[@shabana]"


class PointCoordinate(Component):
    """The displacement of a point along a fixed direction."""

    provides = (FAMILY, CURVED)
    marker1 = ref(POSITIONS, "the point")
    direction = column("1", "direction e in the global frame, of any length > 0", shape=(3,))
    origin = column("m", "global position at which the displacement is 0", shape=(3,), default=(0.0,) * 3)


class DistanceCoordinate(Component):
    """The distance between two points, minus a length."""

    provides = (FAMILY, CURVED)
    marker0 = ref(POSITIONS, "first point")
    marker1 = ref(POSITIONS, "second point")
    length = column("m", "distance at which the coordinate is 0", default=0.0, minimum=0.0)


@kernel
def update_ways(rows: Any, n0: int, m: CoordinateMarkers, p: PositionMarkers) -> None:
    """Update the displacement or distance u, the rate of u, and the derivatives of both with respect to the
    coordinates, for all rows. The first n0 coordinates of a row are the coordinates of marker 0.
    """
    d, w, e, et = np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3)
    n = m.jacobian.shape[1]
    X, Xt = np.zeros((3, n)), np.zeros((3, n))
    for i in range(len(rows)):
        row = rows[i]
        k, m0, m1, h = row.index, row.first, row.marker1, m.second[row.index]
        width = min(n - n0, p.jacobian.shape[2])
        # compute the vector d from the origin or from marker 0 to marker 1, its rate w, the derivatives X of d and Xt
        # of w with respect to the coordinates, and the direction e
        for a in range(3):
            d[a], w[a] = p.position[m1, a] - row.from_origin[a], p.velocity[m1, a]
            if m0 >= 0:
                d[a], w[a] = d[a] - p.position[m0, a], w[a] - p.velocity[m0, a]
            e[a], et[a] = row.along[a], 0.0
            for b in range(n0):
                X[a, b], Xt[a, b] = -p.jacobian[m0, a, b], -p.jacobian_rate[m0, a, b]
            for b in range(width):
                X[a, n0 + b], Xt[a, n0 + b] = p.jacobian[m1, a, b], p.jacobian_rate[m1, a, b]
        # for distances, compute the direction between the points and the rate of this direction
        curved = 0.0
        if m0 >= 0:
            distance = np.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
            curved = 1.0 / distance if distance > 0.0 else np.nan
            rate = 0.0
            for a in range(3):
                e[a] = d[a] * curved
                rate += e[a] * w[a]
            for a in range(3):
                et[a] = (w[a] - rate * e[a]) * curved
        # compute the value u, the rate u_t, and the derivatives of both
        value, rate = -row.distance, 0.0
        for a in range(3):
            value += e[a] * d[a]
            rate += e[a] * w[a]
        m.value[k], m.rate[k] = value, rate
        for b in range(n0 + width):
            J, Jd = 0.0, 0.0
            for a in range(3):
                J += e[a] * X[a, b]
                Jd += e[a] * Xt[a, b] + et[a] * X[a, b]
            m.jacobian[k, b], m.jacobian_rate[k, b] = J, Jd
        # second derivatives due to the change of the direction between the points
        for b in range(n0 + width):
            for q in range(n0 + width):
                total = 0.0
                if curved != 0.0:
                    for a in range(3):
                        total += X[a, b] * X[a, q]
                    total = (total - m.jacobian[k, b] * m.jacobian[k, q]) * curved
                m.hessian[h, b, q] = total
        # second derivatives due to both markers
        for second in range(2):
            marker = m1 if second else m0
            if marker < 0 or p.second[marker] < 0:
                continue
            begin, count, sign = (n0, width, 1.0) if second else (0, n0, -1.0)
            for b in range(count):
                for q in range(count):
                    for a in range(3):
                        m.hessian[h, begin + b, begin + q] += sign * e[a] * p.hessian[p.second[marker], a, b, q]


def bind_way(rows: LocalRows) -> tuple[NDArray[Any], int]:
    """Create the array with the data of the rows of `PointCoordinate`."""
    return _bind(rows, normalise(rows.local("direction")), rows.local("origin")), 0


def bind_distance(rows: LocalRows) -> tuple[NDArray[Any], int]:
    """Create the array with the data of the rows of `DistanceCoordinate`."""
    zero = np.zeros((len(rows.rows), 3))
    records = _bind(rows, zero, zero, rows.markers("marker0"), rows.local("length"))
    return records, rows.world.ref_width(rows.table, "marker0")


def _bind(
    rows: LocalRows,
    along: FloatArray,
    origin: FloatArray,
    first: IntArray | None = None,
    distance: FloatArray | None = None,
) -> NDArray[Any]:
    """Create the array with the data of rows. For displacements, the arguments ``along`` and ``origin`` are the
    direction and the origin. For distances, they are the first marker and the length.
    """
    n = len(rows.rows)
    return create_records(
        index=rows.own_marker_index(),
        first=np.full(n, -1) if first is None else first,
        marker1=rows.markers("marker1"),
        along=along,
        from_origin=origin,
        distance=np.zeros(n) if distance is None else distance,
    )


def check_direction(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for a direction of length 0."""
    table.refuse(~table.local("direction").any(axis=1), ("direction",), "have a length > 0 [1]")


@checked(world=instance(World), entity=inside(), direction=numbers("1", (3,)), at=inside(), origin=numbers("m", (3,)))
@all_or_nothing
def point_coordinate(
    world: World, entity: Handles, direction: Any, at: Any = (0.0, 0.0), origin: Any = (0.0, 0.0, 0.0)
) -> Entity:
    """Create a coordinate for inputs and loads: the displacement of points along a fixed direction.

    Args:
        entity: an entity that has a position, see `position_marker`.
        direction: direction in the global frame, of any length > 0, shape (3,).
        at: position on the entity [m], see `position_marker`.
        origin: global position where the displacement is 0 [m], shape (3,).

    Returns:
        Handle to the markers, one per row.
    """
    return world.add(PointCoordinate, marker1=position_marker(world, entity, at), direction=direction, origin=origin)


@checked(world=instance(World), marker0=handle(), marker1=handle(), length=number("m", minimum=0.0))
@all_or_nothing
def distance_coordinate(world: World, marker0: Entity, marker1: Entity, length: float = 0.0) -> Entity:
    """Create a coordinate for inputs and loads: the distance between two points, minus a length.

    Args:
        marker0, marker1: position markers, or entities with a position, see `position_marker`.
        length: distance at which the coordinate is 0 [m].

    Returns:
        Handle to the markers, one per row.
    """
    ends = [position_marker(world, marker) for marker in (marker0, marker1)]
    return world.add(DistanceCoordinate, marker0=ends[0], marker1=ends[1], length=length)


def register_coordinate(
    component: type[Component],
    bind: Callable[[LocalRows], tuple[NDArray[Any], int]],
    dofs: Dofs,
    check: Callable[[Tables, EntityTable], None] | None = None,
) -> None:
    """Register a component whose coordinate depends on points."""

    def build(rows: LocalRows) -> System:
        (own, n0), system = bind(rows), System(component.__name__, rows.dofs)
        system.update = call(update_ways, lambda s: (own, n0, s.markers[FAMILY], s.markers[POSITIONS]))

        def diagnose(s: Fields) -> list[str]:
            lost = np.flatnonzero(np.isnan(s.markers[FAMILY].value[own["index"]]))
            return [f"{rows.table.describe(int(rows.rows[i]))}: its points meet, there is no direction" for i in lost]

        system.checks.diagnose = diagnose
        return system

    register(component, "marker", dofs=dofs, build=build, check=check, family=FAMILY, source=SOURCE)


register_coordinate(PointCoordinate, bind_way, "marker1", check_direction)
register_coordinate(DistanceCoordinate, bind_distance, pair_dofs)
