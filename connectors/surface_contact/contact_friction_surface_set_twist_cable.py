"""Contact with friction between points of cables with twist and any surface of a set; friction turns the ropes.

The rows are those of `ContactFrictionSurfaceSetCable`, and the law is that of `ContactFrictionSurfaceTwistCable`.
Source: P. Wriggers, Computational Contact Mechanics, Springer (2006); see `pair_search.py` for the list of pairs.
"""

from __future__ import annotations

import numpy as np

from windlass.connectors.contact.pair_search import PairRows, follow_outputs
from windlass.connectors.contact.rows import PointContact
from windlass.connectors.surface_contact.contact_friction_surface_set import (
    add_surface_dofs,
    bind_pairs,
    build_pairs,
    check_sets,
    paint_present,
    read_surfaces,
)
from windlass.connectors.surface_contact.contact_friction_surface_twist_cable import (
    START,
    ContactFrictionSurfaceTwistCable,
    bind_frames,
    find_twist_dofs,
    watch_turns,
)
from windlass.connectors.surface_contact.outputs import TWIST_OUTPUTS
from windlass.connectors.surface_contact.surface_search import assign_surfaces
from windlass.connectors.surface_contact.twist_kernels import PER_TWIST_POINT
from windlass.framework.arrays import IntArray
from windlass.framework.model.history import check_history, create_history
from windlass.framework.model.law import LocalRows, Tables, register
from windlass.framework.model.schema import ref
from windlass.framework.model.system import System
from windlass.framework.model.table import EntityTable

LAW = ContactFrictionSurfaceTwistCable


class ContactFrictionSurfaceSetTwistCable(PointContact):
    """Contact and friction between n points of a `TwistCable3D` and a near surface of a set; friction turns the rope.

    A cable that can touch two surfaces simultaneously (both flanks of a groove) has two rows. All other properties are
    the same as for `ContactFrictionSurfaceTwistCable`. History values per row: values of
    `ContactFrictionSurfaceTwistCable`, followed by the index of the surface among the surfaces of all sets, counted
    from 1 (0 without surface).
    """

    surface_set = ref("SurfaceSet", "the surfaces")
    cable = ref("TwistCable3D", "the cable with twist")
    data = ref("GenericData", "11 n + 1 history values; created if left out", optional=True)
    history_column = "points"
    points = LAW.points
    rope_radius = LAW.rope_radius
    contact_stiffness_per_length = LAW.contact_stiffness_per_length


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for invalid surfaces or history values."""
    check_history(world, table, PER_TWIST_POINT, np.ones(table.resident_count, np.int64))
    check_sets(world, table)


def dofs(world: Tables, table: EntityTable) -> IntArray:
    """Return the global coordinate indices of the cable (14) and of a surface of its set."""
    return add_surface_dofs(find_twist_dofs(world, table), world, table)


def bind(rows: LocalRows) -> PairRows:
    """Create the arrays that the kernels read. The rows have no surfaces yet."""
    return bind_pairs(rows, PER_TWIST_POINT, **bind_frames(rows))


def build(rows: LocalRows) -> System:
    """Create the system that evaluates the rows."""
    p = bind(rows)
    return watch_turns(rows, p.points, build_pairs(rows, p))


register(
    ContactFrictionSurfaceSetTwistCable,
    "connector",
    dofs=dofs,
    bind=bind,
    build=build,
    reads=read_surfaces,
    outputs=follow_outputs(TWIST_OUTPUTS, assign_surfaces, "surface", "SetSurface"),
    fill_defaults=lambda world, values: create_history(
        world, ContactFrictionSurfaceSetTwistCable, values, START, (0.0,)
    ),
    check=check,
    source="[@wriggers2006]; [@bergou2008]",
    paint=paint_present,
)
