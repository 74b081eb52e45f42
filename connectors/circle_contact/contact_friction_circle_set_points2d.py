"""Contact with friction between points on the cubic axis of cables and the circles of a set, for reevings, conveyors
and long belts.

The law is the law of `ContactFrictionCirclePoints2D` without a press. A row describes the contact of one cable with at
most one circle of the set at any time. A cable that can touch two circles simultaneously has two rows. Therefore a belt
of n such cables on k circles has 2 n rows instead of k n. The tangent couples each cable only to circles near this
cable. The list of pairs is explained in `contact/pair_search.py`.

Source: P. Wriggers, Computational Contact Mechanics, Springer (2006).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.connectors.circle_contact.contact_friction_circle_points2d import (
    START,
    ContactFrictionCirclePoints2D,
    create_system,
)
from windlass.connectors.circle_contact.doubts import find_polygons_on_circles
from windlass.connectors.circle_points.circle_sets import CircleSearch, assign_circles
from windlass.connectors.circle_points.gaps import watch_circles
from windlass.connectors.circle_points.outputs import bind_rows, create_point_account, create_point_outputs
from windlass.connectors.contact.axes import axis_dofs
from windlass.connectors.contact.circles import check_circles
from windlass.connectors.contact.pair_search import (
    PairRows,
    bind_pairs,
    find_members,
    follow_outputs,
    follow_pairs,
    pair_dofs,
)
from windlass.connectors.contact.polygons import find_polygons
from windlass.connectors.contact.rows import PointContact, check_cables
from windlass.connectors.markers.position_markers import RIGID
from windlass.framework.arrays import IntArray
from windlass.framework.kernels.call import call
from windlass.framework.model.history import check_history, create_history
from windlass.framework.model.law import LocalRows, Tables, register
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.system import Fields, System
from windlass.framework.model.table import EntityTable

SOURCE = "[@wriggers2006]"


class SetCircle(Component):
    """One circle of a set."""

    contact_set = ref("ContactSet", "the set")
    circle = ref(RIGID, "centre and rotation of the circle")
    radius = column("m", "radius r of the circle", above=0)


class ContactFrictionCircleSetPoints2D(PointContact):
    """Contact and friction in 2D between n points of a cable or `Beam2D` and any near circle of a set.

    A cable that can touch two circles simultaneously has two rows. The law is the law of
    `ContactFrictionCirclePoints2D` without ``cord_offset``, ``press`` and ``rigid_layer``. History values of a row with
    n points: n gaps [m], n states, n anchors on the circle [m], and the index of the circle among the circles of all
    sets, counted from 1 (or 0 if the row has no circle).
    """

    contact_set = ref("ContactSet", "the circles")
    cable = ref("cable or beam", "the 2D cable, whose nodes have position and slope, or the Beam2D")
    data = ref("GenericData", "3 n + 1 history values; created if left out", optional=True)
    history_column = "segments"
    segments = ContactFrictionCirclePoints2D.segments
    vertical_offset = ContactFrictionCirclePoints2D.vertical_offset
    contact_stiffness_per_length = ContactFrictionCirclePoints2D.contact_stiffness_per_length


def fill_defaults(world: Tables, values: dict[str, Any]) -> dict[str, Any]:
    """Return ``values`` with initial history values if the user has not specified them."""
    return create_history(world, ContactFrictionCircleSetPoints2D, values, START, (0.0,))


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for invalid cables or histories. Circles are checked as rows of `SetCircle`."""
    check_history(world, table, len(START), np.ones(table.resident_count, np.int64))
    check_cables(world, table)


def dofs(world: Tables, table: EntityTable) -> IntArray:
    """Return the global coordinate indices of each row. The 8 indices for the axis of the cable, see `axis_dofs`, are
    followed by the indices for a circle of the set of this row, see `pair_dofs`.
    """
    return pair_dofs(axis_dofs(world, table.local("cable"), 2), table.local("contact_set"), *_find_circles(world))


def _find_circles(world: Tables) -> tuple[IntArray, IntArray]:
    return find_members(world, SetCircle, "circle", "contact_set")


def bind(rows: LocalRows) -> PairRows:
    """Create the `PairRows` of the rows. Initially, no circle is assigned to these rows."""
    count, circles = len(rows.rows), rows.world.table(SetCircle)
    points = bind_rows(rows, np.zeros(count, np.int64), np.ones(count), rows.dofs)
    place = points.rows["data"] + 3 * points.rows["segments"]
    marker, radius = rows.layout.marker_index[circles.local("circle")], circles.local("radius")
    return bind_pairs(rows, points, place, SetCircle, "circle", "contact_set", marker, radius)


def build(rows: LocalRows) -> System:
    """Return the `System` with the forces, tangent, update and checks of the rows."""
    p, assign = bind(rows), call(assign_circles)
    system = create_system(rows, p.points)
    follow_pairs(rows, system, p, CircleSearch, assign)
    system.account = create_point_account(p.points, call(assign_circles, lambda s: (p, s.data)), by="")
    system.gaps = watch_circles(rows, p, lambda s: assign(p, s.data))
    polygons = find_polygons(rows)

    def find(fields: Fields, step: float) -> list[str]:
        assign_circles(p, fields.data)
        return find_polygons_on_circles(rows, p.points.rows, fields, polygons)

    system.checks.reasons = find
    return system


register(SetCircle, "passive", dofs="circle", check=check_circles, source=SOURCE)
register(
    ContactFrictionCircleSetPoints2D,
    "connector",
    dofs=dofs,
    bind=bind,
    build=build,
    reads=lambda world, table: world.table(SetCircle).local("circle"),
    outputs=follow_outputs(create_point_outputs(), assign_circles, "circle", "SetCircle"),
    fill_defaults=fill_defaults,
    check=check,
    source=SOURCE,
)
