"""Contact with friction between points on the cubic axis of cables and the circles of a set, for reevings, conveyors
and long belts.

The law is the same as in `ContactFrictionCirclePoints2D`. A row belongs to one cable and, at any time, to one circle of
the set near the cable, or to no circle. A cable that can touch two circles simultaneously has two rows. Therefore a
belt of n such cables on k circles has 2 n rows instead of k n. The tangent couples each cable only to circles near it;
see `contact/pair_search.py`.

Source: P. Wriggers, Computational Contact Mechanics, Springer (2006); see `contact/pair_search.py` for the list of
    pairs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from windlass.connectors.circle_contact.contact_friction_circle_points2d import (
    START,
    ContactFrictionCirclePoints2D,
    create_system,
)
from windlass.connectors.circle_points.circle_sets import (
    CircleSearch,
    PairColumns,
    assign_pairs,
)
from windlass.connectors.circle_points.common import bind_rows, create_point_outputs, eval_points
from windlass.connectors.circle_points.gaps import watch_circles
from windlass.connectors.circle_points.power import create_point_account, eval_point_powers
from windlass.connectors.circle_segments.common import CIRCLE_FAMILY, check_circles
from windlass.connectors.circle_segments.place_numbers import GAP
from windlass.connectors.contact.pair_search import bind_groups, find_members, find_partners, follow_pairs, pair_dofs
from windlass.connectors.contact.rows import PointContact, check_cables
from windlass.connectors.markers.position_markers import RIGID
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.call import call
from windlass.framework.model.history import check_history, create_history
from windlass.framework.model.law import LocalRows, Output, Tables, register
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.system import Fields, System
from windlass.framework.model.table import EntityTable

SOURCE = "[@wriggers2006]"


class CircleSet(Component):
    """Set of circles that the same cables may touch.

    A search finds circles whose distance from a cable is at most the search margin ``skin``. The search is repeated
    when the sum of the displacements of a cable and a circle since the last search exceeds this margin.
    """

    skin = column("m", "margin of the search; 0: the smallest radius of the circles", default=0.0, minimum=0)


class SetCircle(Component):
    """One circle of a set."""

    circle_set = ref("CircleSet", "the set")
    circle = ref(RIGID, "centre and rotation of the circle")
    radius = column("m", "radius r of the circle", above=0)


class ContactFrictionCircleSetPoints2D(PointContact):
    """Contact and friction in 2D between n points of a cable and any near circle of a set.

    A cable that can touch two circles simultaneously has two rows. All other properties are the same as for
    `ContactFrictionCirclePoints2D`. History values of a row with n points: n gaps [m], n states, n anchors on the
    circle [m], and the index of the circle among the circles of all sets, counted from 1 (or 0 if the row has no
    circle).
    """

    circle_set = ref("CircleSet", "the circles")
    cable = ref("cable", "the cable, of two points with slope in the plane")
    data = ref("GenericData", "3 n + 1 history values; created if left out", optional=True)
    history_column = "segments"
    segments = ContactFrictionCirclePoints2D.segments
    vertical_offset = ContactFrictionCirclePoints2D.vertical_offset
    contact_stiffness_per_length = ContactFrictionCirclePoints2D.contact_stiffness_per_length


def fill_defaults(world: Tables, values: dict[str, Any]) -> dict[str, Any]:
    """Return the initial history values if the user did not specify them."""
    return create_history(world, ContactFrictionCircleSetPoints2D, values, START, (0.0,))


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for invalid cables, circles or histories."""
    check_history(world, table, len(START), np.ones(table.resident_count, np.int64))
    check_cables(world, table)


def dofs(world: Tables, table: EntityTable) -> IntArray:
    """Return the global indices of the coordinates of each row: 8 of the cable, followed by the coordinates of a circle
    of the set of the row, see `pair_dofs`.
    """
    return pair_dofs(world.dofs_of(table.local("cable")), table.local("circle_set"), *_find_circles(world))


def _find_circles(world: Tables) -> tuple[IntArray, IntArray]:
    return find_members(world, SetCircle, "circle", "circle_set")


def bind(rows: LocalRows) -> PairColumns:
    """Create the arrays that the kernels read. No circle is assigned to the rows yet."""
    layout, count = rows.layout, len(rows.rows)
    circles, of_set = _find_circles(rows.world)
    known = layout.local_dofs(circles) if circles.size else circles
    ids, radius = (rows.world.table(SetCircle).local(name) for name in ("circle", "radius"))
    points = bind_rows(rows, np.zeros(count, np.int64), np.ones(count), rows.dofs.copy())
    on = points.rows["active"].copy()
    points.rows["active"] = False
    shared, sets, of_circle = bind_groups(rows, "circle_set", of_set)
    for k in np.flatnonzero(shared["skin"] == 0.0):
        shared["skin"][k] = radius[of_set == sets[k]].min(initial=np.inf)
    return PairColumns(
        points=points,
        on=on,
        place=points.rows["data"] + 3 * points.rows["segments"],
        marker=np.append(np.zeros(1, np.int64), layout.marker_index[ids]),
        radius=np.append(1.0, radius),
        dofs=np.vstack((np.full((1, circles.shape[1]), layout.spare), known)),
        circle_set=np.append(np.full(1, -1), of_circle),
        **shared,
    )


def build(rows: LocalRows) -> System:
    """Create the system that evaluates the rows."""
    p, assign = bind(rows), call(assign_pairs)

    def bring(s: Fields) -> None:
        assign(p, s.data)

    system = create_system(rows, p.points)
    follow_pairs(rows, system, p, CircleSearch, assign)
    system.account = create_point_account(p.points, bring, by="")
    system.gaps = watch_circles(rows, p, CIRCLE_FAMILY, bring)
    return system


def evaluate_rows(rows: LocalRows, fields: Fields) -> tuple[FloatArray, Any]:
    """Return the outputs of `eval_points` for all points, and the arrays with the data of the rows that kernels read.
    The gap is inf for rows without a circle.
    """
    p: PairColumns = rows.columns
    assign_pairs(p, fields.data)
    out = eval_points(p.points, fields)
    out[p.number == 0, :, GAP] = np.inf
    return out, p.points


def evaluate_powers(rows: LocalRows, fields: Fields) -> FloatArray:
    """Evaluate the powers of the points of rows; see `eval_point_powers`."""
    p: PairColumns = rows.columns
    assign_pairs(p, fields.data)
    return eval_point_powers(p.points, fields)


OUTPUTS = create_point_outputs(evaluate_rows, evaluate_powers)
OUTPUTS["gap"] = replace(OUTPUTS["gap"], doc="distance between circle and point, also where open; inf without a circle")
OUTPUTS["circle"] = Output("1", "row of the circle in the table of SetCircle, -1 if none is near, ()", find_partners)

register(CircleSet, "passive", source=SOURCE)
register(SetCircle, "passive", dofs="circle", check=check_circles, source=SOURCE)
register(
    ContactFrictionCircleSetPoints2D,
    "connector",
    dofs=dofs,
    bind=bind,
    build=build,
    reads=lambda world, table: world.table(SetCircle).local("circle"),
    outputs=OUTPUTS,
    fill_defaults=fill_defaults,
    check=check,
    source=SOURCE,
)
