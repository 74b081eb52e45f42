"""Contact with friction between points of cables and any surface of a set, for reevings over many sheaves, conveyors,
and nets on rough ground.

The law is the same as in `ContactFrictionSurfaceCable`. A row belongs to one cable and, at any time, to one surface of
the set near the cable, or to no surface. A cable that can touch two surfaces simultaneously has two rows. Therefore a
rope of n such cables over k sheaves has 2 n rows instead of k n. The tangent couples each cable only to surfaces near
it; see `surface_search.py`.

Source: P. Wriggers, Computational Contact Mechanics, Springer (2006); see `contact/pair_search.py` for the list of
    pairs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.contact.pair_search import bind_groups, find_members, find_partners, follow_pairs, pair_dofs
from windlass.connectors.contact.rows import PointContact, check_cables
from windlass.connectors.friction.bristle import check_friction
from windlass.connectors.markers.position_kernels import FAMILY
from windlass.connectors.surface_contact.contact_friction_surface_cable import (
    START,
    WIDTHS,
    ContactFrictionSurfaceCable,
    bind_rows,
    check_thickness,
    create_system,
    find_cable_dofs,
    find_long_steps,
)
from windlass.connectors.surface_contact.edges import find_edges
from windlass.connectors.surface_contact.gaps import watch_surface_sets
from windlass.connectors.surface_contact.kernels import PER_POINT
from windlass.connectors.surface_contact.outputs import OUTPUTS, create_surface_account, paint_points
from windlass.connectors.surface_contact.surface_search import (
    SurfacePairs,
    SurfaceSearch,
    assign_surfaces,
    bring_surfaces,
    eval_reach,
    fill_gaps,
)
from windlass.connectors.surface_contact.surfaces import SURFACE, bind_surfaces
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.errors import ModelError
from windlass.framework.kernels.call import call
from windlass.framework.model.drawing import Painting
from windlass.framework.model.history import check_history, create_history
from windlass.framework.model.law import LocalRows, Output, Tables, register
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.system import Fields, System
from windlass.framework.model.table import EntityTable

SOURCE = "[@wriggers2006]"
LAW = ContactFrictionSurfaceCable


class SurfaceSet(Component):
    """Set of surfaces that the same cables may touch.

    The search finds surfaces whose distance from a cable is at most the search margin ``skin``. The search is repeated
    when the sum of the displacements of a cable and a surface since the last search exceeds this margin.
    """

    skin = column("m", "margin of the search", above=0)


class SetSurface(Component):
    """One surface of a set."""

    surface_set = ref("SurfaceSet", "the set")
    surface = ref(SURFACE, "the surface")


class ContactFrictionSurfaceSetCable(PointContact):
    """Contact and friction between n points of a cable and a near surface of a set.

    A cable that can touch two surfaces simultaneously (both flanks of a groove) has two rows. All other properties are
    the same as for `ContactFrictionSurfaceCable`. History values per row: values of `ContactFrictionSurfaceCable`,
    followed by the index of the surface among the surfaces of all sets, counted from 1 (0 without surface).
    """

    surface_set = ref("SurfaceSet", "the surfaces")
    cable = ref("cable", "the cable, 2D or 3D, between two points with slope")
    data = ref("GenericData", "5 n + 1 history values; created if left out", optional=True)
    history_column = "points"
    points = LAW.points
    rope_radius = LAW.rope_radius
    contact_stiffness_per_length = LAW.contact_stiffness_per_length


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for invalid cables, surfaces or history values."""
    check_history(world, table, PER_POINT, np.ones(table.resident_count, np.int64))
    check_cables(world, table, WIDTHS)
    check_sets(world, table)


def check_sets(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for friction without bristles and dampers, invalid sets, and too thick ropes."""
    check_friction(table)
    members, rope, sets = world.table(SetSurface), table.local("rope_radius"), table.local("surface_set")
    for one in np.unique(sets):
        rows = np.flatnonzero(sets == one)
        thick = rows[np.argmax(rope[rows])]
        ids = members.local("surface")[members.local("surface_set") == one]
        if not len(ids):
            raise ModelError(f"the set of {table.kind} row {table.resident[thick]} has no surface: add SetSurface rows")
        for twice in np.flatnonzero(np.unique(ids, return_counts=True)[1] > 1)[:1]:
            surface = world.entity(int(np.unique(ids)[twice]))
            raise ModelError(f"the set of {table.kind} row {table.resident[thick]} has {surface!r} twice: must be once")
        check_thickness(world, table, ids, np.full(len(ids), thick))


def dofs(world: Tables, table: EntityTable) -> IntArray:
    """Return for each row the global coordinate indices of the cable (12) and of a surface of the set of the row, see
    `pair_dofs`.
    """
    return add_surface_dofs(find_cable_dofs(world, table), world, table)


def add_surface_dofs(cable: IntArray, world: Tables, table: EntityTable) -> IntArray:
    """Append, in each row, the global coordinate indices of a surface of the set of the row to the indices of the
    cable.
    """
    return pair_dofs(cable, table.local("surface_set"), *_find_surfaces(world))


def _find_surfaces(world: Tables) -> tuple[IntArray, IntArray]:
    return find_members(world, SetSurface, "surface", "surface_set")


def bind(rows: LocalRows) -> SurfacePairs:
    """Create the arrays that the kernels read. The rows have no surfaces yet."""
    return bind_pairs(rows, PER_POINT)


def bind_pairs(rows: LocalRows, per_point: int, **further: NDArray[Any]) -> SurfacePairs:
    """Create the arrays that the kernels read; a point has ``per_point`` history values, and ``further`` contains
    further fields of the records."""
    layout, count = rows.layout, len(rows.rows)
    numbers, of_set = _find_surfaces(rows.world)
    known = layout.local_dofs(numbers) if numbers.size else numbers
    surfaces = bind_surfaces(rows, rows.world.table(SetSurface).local("surface"))
    points = bind_rows(rows, surfaces, np.zeros(count, np.int64), **further)
    shared, _, of_surface = bind_groups(rows, "surface_set", of_set)
    on = points.rows["active"].copy()
    points.rows["active"] = False
    return SurfacePairs(
        points=points._replace(dofs=points.dofs.copy()),
        on=on,
        place=points.rows["data"] + per_point * points.rows["points"],
        dofs=np.vstack((np.full((1, numbers.shape[1]), layout.spare), known)),
        surface_set=of_surface,
        reach=eval_reach(surfaces),
        **shared,
    )


def build(rows: LocalRows) -> System:
    """Create the system that evaluates the rows."""
    return build_pairs(rows, bind(rows))


def build_pairs(rows: LocalRows, p: SurfacePairs) -> System:
    """Create the system that evaluates rows with the given data."""
    c, assign = p.points, call(assign_surfaces)
    system = create_system(rows, c)
    first = follow_pairs(rows, system, p, SurfaceSearch, assign)

    system.account = create_surface_account(c, call(bring_surfaces, lambda s: (p, s.data)), by="")
    system.checks.doubts = lambda fields, step: find_doubts(rows, p, first, fields, step)
    system.checks.reasons = lambda fields, step: find_present_edges(rows, p, fields, step)
    system.gaps = watch_surface_sets(rows, p, FAMILY, lambda s: assign(p, s.data))
    return system


def find_doubts(rows: LocalRows, p: SurfacePairs, first: IntArray, fields: Fields, step: float) -> list[str]:
    """Find reasons for doubt: steps longer than the period of the vibration of cables on the contact stiffness, and in
    static solves surfaces that no cable can reach. ``first`` contains the index of the first row of each cable.
    """
    c = p.points
    on = np.flatnonzero(p.on)
    if step > 0.0:
        return find_long_steps(rows, c, on, step)
    found, mine = [], first[np.isin(first, on)]
    # cables of other processes may be near even if no cable of this process is near
    for s in range(len(c.surfaces.marker)) if len(rows.rows) == rows.table.count else ():
        cables = mine[p.set_of[p.group[mine]] == p.surface_set[s]]
        gap = np.full(len(cables), np.inf)
        fill_gaps(p, cables, np.full(len(cables), s + 1), fields.x, fields.markers[FAMILY], gap)
        least = gap[np.isfinite(gap)].min(initial=np.inf)
        if len(cables) and np.isfinite(least) and least > (c.rows["length"] * c.rows["points"])[cables].sum():
            surface = rows.world.entity(int(rows.world.table(SetSurface).local("surface")[s]))
            found.append(f"no cable is near the surface {surface!r}: the nearest is {least:.3g} m away")
    return found


def find_present_edges(rows: LocalRows, p: SurfacePairs, fields: Fields, step: float) -> list[str]:
    """Call `find_edges` for the current surfaces."""
    assign_surfaces(p, fields.data)
    return find_edges(rows, p.points, rows.world.table(SetSurface).local("surface"), fields, step)


class _Bound:
    """Rows with the data of their current surfaces, in the form that the outputs of `ContactFrictionSurfaceCable`
    require.
    """

    def __init__(self, rows: LocalRows, fields: Fields) -> None:
        p: SurfacePairs = rows.columns
        assign_surfaces(p, fields.data)
        self.columns, self.layout, self.table, self.rows = p.points, rows.layout, rows.table, rows.rows


def _follow(output: Output) -> Output:
    """Convert an output of `ContactFrictionSurfaceCable` to an output that is evaluated with the current surfaces of
    the rows.
    """
    return replace(output, evaluate=lambda rows, fields: output.evaluate(_Bound(rows, fields), fields))


def eval_gaps(rows: LocalRows, fields: Fields) -> FloatArray:
    """Return the gaps [m], infinite where no surface is near, shape (rows, points)."""
    gaps: FloatArray = _follow(OUTPUTS["gap"]).evaluate(rows, fields)
    p: SurfacePairs = rows.columns
    gaps[p.number == 0] = np.inf
    return gaps


def follow_outputs(outputs: dict[str, Output]) -> dict[str, Output]:
    """Convert the outputs of a law with fixed surfaces to outputs that are evaluated with the current surfaces of the
    rows, and add the output of the current surface.
    """
    return {
        **{name: _follow(output) for name, output in outputs.items()},
        "gap": replace(outputs["gap"], evaluate=eval_gaps),
        "surface": Output("1", "row of the surface in the table of SetSurface, -1 if none is near, ()", find_partners),
    }


def paint_present(rows: LocalRows, fields: Fields) -> Painting:
    """Add fields of the contact with the current surfaces to the drawings of the cables."""
    p: SurfacePairs = rows.columns
    assign_surfaces(p, fields.data)
    return paint_points(rows, p.points, fields)


def read_surfaces(world: Tables, table: EntityTable) -> IntArray:
    """Return the entity indices of the surfaces of all sets."""
    return world.table(SetSurface).local("surface")


def fill_defaults(world: Tables, values: dict[str, Any]) -> dict[str, Any]:
    """Return initial values of the history that the user did not specify."""
    return create_history(world, ContactFrictionSurfaceSetCable, values, START, (0.0,))


register(SurfaceSet, "passive", source=SOURCE)
register(SetSurface, "passive", dofs="surface", source=SOURCE)
register(
    ContactFrictionSurfaceSetCable,
    "connector",
    dofs=dofs,
    bind=bind,
    build=build,
    reads=read_surfaces,
    outputs=follow_outputs(OUTPUTS),
    fill_defaults=fill_defaults,
    check=check,
    source=SOURCE,
    paint=paint_present,
)
