"""Contact with friction between points of cables and any surface of a set, for reevings over many sheaves, conveyors,
and nets on rough ground.

The law is the same as in `ContactFrictionSurfaceCable`. A row describes the contact of one cable with at most one
surface of the set at any time. A cable that can touch two surfaces simultaneously has two rows. Therefore a rope of n
such cables over k sheaves has 2 n rows instead of k n. The tangent couples each cable only to surfaces near it. See
`surface_search.py`.

Contact with friction between points of cables with twist and any surface of a set. Friction turns the ropes.

Rows are assigned to surfaces by the method of `ContactFrictionSurfaceSetCable`, and the law is the same as in
`ContactFrictionSurfaceTwistCable`.

Contact with friction between points of cables of winch ropes and any surface of a set, with the law of
`ContactFrictionSurfaceWinch`.
Source: P. Wriggers, Computational Contact Mechanics, Springer (2006). See `contact/pair_search.py` for the search.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.contact.pair_search import PairRows, find_members, follow_outputs, follow_pairs, pair_dofs
from windlass.connectors.contact.pair_search import bind_pairs as bind_members
from windlass.connectors.contact.polygons import find_coarse_polygons, find_polygons
from windlass.connectors.contact.rows import PointContact, check_cables
from windlass.connectors.friction.bristle import check_friction
from windlass.connectors.markers.position_kernels import FAMILY
from windlass.connectors.surface_contact.contact_friction_surface_cable import (
    START,
    TWIST_START,
    WIDTHS,
    ContactFrictionSurfaceCable,
    ContactFrictionSurfaceTwistCable,
    bind_frames,
    bind_rows,
    check_thickness,
    create_system,
    find_cable_dofs,
    find_long_steps,
    find_twist_dofs,
    watch_turns,
)
from windlass.connectors.surface_contact.contact_friction_surface_winch import (
    ContactFrictionSurfaceWinch,
    bind_winch_rows,
    find_winch_dofs,
)
from windlass.connectors.surface_contact.gaps import find_edges, watch_surface_sets
from windlass.connectors.surface_contact.kernels import PER_POINT, PER_TWIST_POINT, ContactRows
from windlass.connectors.surface_contact.outputs import (
    OUTPUTS,
    TWIST_OUTPUTS,
    create_surface_account,
    eval_axes,
    is_winch,
    paint_points,
)
from windlass.connectors.surface_contact.surface_search import (
    SurfaceSearch,
    WinchSurfaceSearch,
    assign_surfaces,
    eval_reach,
    fill_gaps,
)
from windlass.connectors.surface_contact.surfaces import SURFACE, bind_surfaces
from windlass.connectors.surface_contact.winch_kernels import scale_rows
from windlass.framework.arrays import IntArray
from windlass.framework.errors import ModelError
from windlass.framework.kernels.call import call
from windlass.framework.model.drawing import Painting
from windlass.framework.model.history import check_history, create_history
from windlass.framework.model.law import LocalRows, Output, Tables, register
from windlass.framework.model.schema import Component, ref
from windlass.framework.model.system import Fields, System
from windlass.framework.model.table import EntityTable

SOURCE = "[@wriggers2006]"


class SetSurface(Component):
    """One surface of a set."""

    contact_set = ref("ContactSet", "the set")
    surface = ref(SURFACE, "the surface")


class ContactFrictionSurfaceSetCable(PointContact):
    """Contact and friction between n points of a cable or beam and a near surface of a set.

    A cable that can touch two surfaces simultaneously (both flanks of a groove) has two rows. All other properties are
    the same as for `ContactFrictionSurfaceCable`. History values per row: values of `ContactFrictionSurfaceCable`,
    followed by the index of the surface among the surfaces of all sets, counted from 1. The index is 0 if the row has
    no surface.
    """

    contact_set = ref("ContactSet", "the surfaces")
    cable = ref(
        "cable or beam",
        "the cable, 2D or 3D, whose nodes have position and slope, or the beam",
        instead="; for cables of winch ropes use ContactFrictionSurfaceSetWinch",
    )
    data = ref("GenericData", "5 n + 1 history values; created if left out", optional=True)
    history_column = "points"
    points = ContactFrictionSurfaceCable.points
    rope_radius = ContactFrictionSurfaceCable.rope_radius
    contact_stiffness_per_length = ContactFrictionSurfaceCable.contact_stiffness_per_length


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for cables of a wrong type, for wrong history values, and for rows that `check_sets` rejects."""
    check_history(world, table, PER_POINT, np.ones(table.resident_count, np.int64))
    check_cables(world, table, WIDTHS)
    check_sets(world, table)


def check_sets(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for friction without bristles and dampers, for sets without surfaces, for sets that contain a
    surface twice, and for ropes that are too thick for a surface of their set."""
    check_friction(table)
    members, rope, sets = world.table(SetSurface), table.local("rope_radius"), table.local("contact_set")
    for one in np.unique(sets):
        rows = np.flatnonzero(sets == one)
        thick = rows[np.argmax(rope[rows])]
        ids = members.local("surface")[members.local("contact_set") == one]
        if world.entity(int(one)).skin == 0.0:
            raise ModelError(
                f"skin = 0 m of the ContactSet of {table.kind} row {table.resident[thick]}: must be > 0 m for surfaces "
                "that cables can touch"
            )
        if not len(ids):
            raise ModelError(f"the set of {table.kind} row {table.resident[thick]} has no surface: add SetSurface rows")
        for twice in np.flatnonzero(np.unique(ids, return_counts=True)[1] > 1)[:1]:
            surface = world.entity(int(np.unique(ids)[twice]))
            raise ModelError(f"the set of {table.kind} row {table.resident[thick]} has {surface!r} twice: must be once")
        check_thickness(world, table, ids, np.full(len(ids), thick))


def dofs(world: Tables, table: EntityTable) -> IntArray:
    """Return, for each row, the global coordinate indices of the cable (12), followed by the indices of a surface of
    its set, see `pair_dofs`.
    """
    return add_set_dofs(find_cable_dofs(world, table), world, table)


def add_set_dofs(cable: IntArray, world: Tables, table: EntityTable) -> IntArray:
    """Append the global coordinate indices of a surface of the set of each row to the indices ``cable``."""
    return pair_dofs(cable, table.local("contact_set"), *_find_surfaces(world))


def _find_surfaces(world: Tables) -> tuple[IntArray, IntArray]:
    return find_members(world, SetSurface, "surface", "contact_set")


def bind(rows: LocalRows) -> PairRows:
    """Return the data of the rows for kernels. No surface is assigned to the rows yet."""
    return bind_pairs(rows, PER_POINT)


def bind_pairs(rows: LocalRows, per_point: int, **further: NDArray[Any]) -> PairRows:
    """Return the data of the rows for kernels. A point has ``per_point`` history values. The argument ``further``
    contains further fields of the records.
    """
    surfaces = bind_surfaces(rows, rows.world.table(SetSurface).local("surface"))
    points = bind_rows(rows, surfaces, np.zeros(len(rows.rows), np.int64), **further)
    return add_members(rows, points, points.rows["data"] + per_point * points.rows["points"])


def add_members(rows: LocalRows, points: ContactRows, place: IntArray) -> PairRows:
    """Return the data of the rows for kernels with the surfaces of their sets; ``place`` is the index of the history
    value that contains the surface of each row."""
    surfaces = points.surfaces
    return bind_members(
        rows, points, place, SetSurface, "surface", "contact_set", surfaces.marker, eval_reach(surfaces)
    )


def build(rows: LocalRows) -> System:
    """Return the `System` with the forces, tangent, update and checks of the rows."""
    return build_pairs(rows, bind(rows))


def build_pairs(rows: LocalRows, p: PairRows) -> System:
    """Return the `System` with the forces, tangent, update and checks of the rows with the data p."""
    c, assign = p.points, call(assign_surfaces)
    system = create_system(rows, c)
    first = follow_pairs(rows, system, p, WinchSurfaceSearch if is_winch(c) else SurfaceSearch, assign)

    system.account = create_surface_account(c, call(assign_surfaces, lambda s: (p, s.data)), by="")
    system.checks.doubts = lambda fields, step: find_doubts(rows, p, first, fields, step)
    polygons, none = find_polygons(rows), np.zeros(len(rows.rows))
    system.checks.reasons = lambda fields, step: [
        *find_present_edges(rows, p, fields, step),
        *find_coarse_polygons(rows, c.rows, c.rows["points"], polygons, fields, none),
    ]
    system.gaps = watch_surface_sets(rows, p, lambda s: assign(p, s.data))
    return system


def find_doubts(rows: LocalRows, p: PairRows, first: IntArray, fields: Fields, step: float) -> list[str]:
    """Return messages about doubts. In dynamic solves, the messages are about a step [s] that is longer than the period
    of the vibration of a cable on the contact stiffness. In static solves (``step`` 0), they are about surfaces that no
    cable can reach. The argument ``first`` contains the index of the first row of each group, see `PairRows`.
    """
    c = p.points
    on = np.flatnonzero(p.on)
    if step > 0.0:
        return find_long_steps(rows, c, on, step)
    if is_winch(c):
        scale_rows(c, fields.x)
    found, mine = [], first[np.isin(first, on)]
    # cables of other processes may be near even if no cable of this process is near
    for s in range(len(c.surfaces.marker)) if len(rows.rows) == rows.table.count else ():
        cables = mine[p.set_of[p.group[mine]] == p.member_set[s + 1]]
        gap = np.full(len(cables), np.inf)
        fill_gaps(p, cables, np.full(len(cables), s + 1), fields.x, fields.markers[FAMILY], gap)
        least = gap[np.isfinite(gap)].min(initial=np.inf)
        if len(cables) and np.isfinite(least) and least > (c.rows["length"] * c.rows["points"])[cables].sum():
            surface = rows.world.entity(int(rows.world.table(SetSurface).local("surface")[s]))
            found.append(f"no cable is near the surface {surface!r}: the nearest is {least:.3g} m away")
    return found


def find_present_edges(rows: LocalRows, p: PairRows, fields: Fields, step: float) -> list[str]:
    """Return the messages of `find_edges` for the current surfaces of the rows."""
    assign_surfaces(p, fields.data)
    return find_edges(rows, p.points, rows.world.table(SetSurface).local("surface"), fields, step)


def paint_present(rows: LocalRows, fields: Fields) -> Painting:
    """Return the fields of `paint_points` for the current surfaces of the rows."""
    p: PairRows = rows.columns
    assign_surfaces(p, fields.data)
    return paint_points(rows, p.points, fields)


def read_surfaces(world: Tables, table: EntityTable) -> IntArray:
    """Return the entity indices of the surfaces of all sets."""
    return world.table(SetSurface).local("surface")


def fill_defaults(world: Tables, values: dict[str, Any]) -> dict[str, Any]:
    """Return ``values`` with initial history values if the user has not specified them."""
    return create_history(world, ContactFrictionSurfaceSetCable, values, START, (0.0,))


register(SetSurface, "passive", dofs="surface", source=SOURCE)
register(
    ContactFrictionSurfaceSetCable,
    "connector",
    dofs=dofs,
    bind=bind,
    build=build,
    reads=read_surfaces,
    outputs=follow_outputs(OUTPUTS, assign_surfaces, "surface", "SetSurface"),
    fill_defaults=fill_defaults,
    check=check,
    source=SOURCE,
    paint=paint_present,
)


class ContactFrictionSurfaceSetTwistCable(PointContact):
    """Contact and friction between n points of a `TwistCable3D` and a near surface of a set. Friction turns the rope.

    A cable that can touch two surfaces simultaneously (both flanks of a groove) has two rows. All other properties are
    the same as for `ContactFrictionSurfaceTwistCable`. History values per row: values of
    `ContactFrictionSurfaceTwistCable`, followed by the index of the surface among the surfaces of all sets, counted
    from 1. The index is 0 if the row has no surface.
    """

    contact_set = ref("ContactSet", "the surfaces")
    cable = ref("twist cable", "the cable with twist")
    data = ref("GenericData", "11 n + 1 history values; created if left out", optional=True)
    history_column = "points"
    points = ContactFrictionSurfaceTwistCable.points
    rope_radius = ContactFrictionSurfaceTwistCable.rope_radius
    contact_stiffness_per_length = ContactFrictionSurfaceTwistCable.contact_stiffness_per_length


def check_twist(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for wrong history values, and for rows that `check_sets` rejects."""
    check_history(world, table, PER_TWIST_POINT, np.ones(table.resident_count, np.int64))
    check_sets(world, table)


def twist_dofs(world: Tables, table: EntityTable) -> IntArray:
    """Return the global coordinate indices of the cable (14) and of a surface of its set."""
    return add_set_dofs(find_twist_dofs(world, table), world, table)


def bind_twist(rows: LocalRows) -> PairRows:
    """Return the data of the rows for kernels, with the fields of `bind_frames`. No surface is assigned to the rows
    yet."""
    return bind_pairs(rows, PER_TWIST_POINT, **bind_frames(rows))


def build_twist(rows: LocalRows) -> System:
    """Return the `System` with the forces, tangent, update and checks of the rows."""
    p = bind_twist(rows)
    return watch_turns(rows, p.points, build_pairs(rows, p))


register(
    ContactFrictionSurfaceSetTwistCable,
    "connector",
    dofs=twist_dofs,
    bind=bind_twist,
    build=build_twist,
    reads=read_surfaces,
    outputs=follow_outputs(TWIST_OUTPUTS, assign_surfaces, "surface", "SetSurface"),
    fill_defaults=lambda world, values: create_history(
        world, ContactFrictionSurfaceSetTwistCable, values, TWIST_START, (0.0,)
    ),
    check=check_twist,
    source="[@wriggers2006]; [@bergou2008]",
    paint=paint_present,
)


class ContactFrictionSurfaceSetWinch(PointContact):
    """Contact and friction between n points of a cable of a winch rope and a near surface of a set.

    A cable that can touch two surfaces simultaneously (both flanks of a groove) has two rows. All other properties are
    the same as for `ContactFrictionSurfaceWinch`. History values per row: values of `ContactFrictionSurfaceWinch`,
    followed by the index of the surface among the surfaces of all sets, counted from 1, or 0 if the row has no surface.
    """

    contact_set = ref("ContactSet", "the surfaces")
    cable = ref("winch cable", "the cable of a winch rope, 2D or 3D")
    data = ref("GenericData", "5 n + 2 history values; created if left out", optional=True)
    history_column = "points"
    follows = ContactFrictionSurfaceWinch.follows
    points = ContactFrictionSurfaceWinch.points
    rope_radius = ContactFrictionSurfaceWinch.rope_radius
    contact_stiffness_per_length = ContactFrictionSurfaceWinch.contact_stiffness_per_length


def check_winch(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for wrong history values, and for rows that `check_sets` rejects."""
    check_history(world, table, PER_POINT, np.full(table.resident_count, 2))
    check_sets(world, table)


def winch_dofs(world: Tables, table: EntityTable) -> IntArray:
    """Return the global coordinate indices of the cable (12), of the length of the rope, and of a surface of its
    set."""
    return add_set_dofs(find_winch_dofs(world, table), world, table)


def bind_winch(rows: LocalRows) -> PairRows:
    """Return the data of the rows for kernels. No surface is assigned to the rows yet."""
    surfaces = bind_surfaces(rows, rows.world.table(SetSurface).local("surface"))
    points = bind_winch_rows(rows, surfaces, np.zeros(len(rows.rows), np.int64), PER_POINT)
    return add_members(rows, points, points.rows["last"] + 1)


register(
    ContactFrictionSurfaceSetWinch,
    "connector",
    dofs=winch_dofs,
    bind=bind_winch,
    build=lambda rows: build_pairs(rows, bind_winch(rows)),
    reads=read_surfaces,
    outputs=follow_outputs(
        OUTPUTS | {"surface_axes": Output("1", "axes of the surface, global, in columns, (3, 3)", eval_axes)},
        assign_surfaces, "surface", "SetSurface",
    ),
    fill_defaults=lambda world, values: create_history(
        world, ContactFrictionSurfaceSetWinch, values, START, (0.0, 0.0)
    ),
    check=check_winch,
    source=SOURCE,
    paint=paint_present,
)  # fmt: skip
