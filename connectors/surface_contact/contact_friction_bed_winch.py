"""Contact of winch ropes with soft beds, such as clay: different friction along and across the rope, and suction, while
a winch lays the rope down or picks it up.

Normal force, suction and friction follow the laws of `ContactFrictionBedCable`, with the slip velocity of the
material that moves through the contact points, as in `ContactFrictionSurfaceWinch`. See `winch_bed_kernels.py`.

Source: P. Wriggers, Computational Contact Mechanics, Springer (2006); C. Bridge, K. Laver, E. Clukey, T. Evans, OTC
16628 (2004).
"""

from __future__ import annotations

import numpy as np

from windlass.connectors.contact.rows import PointContact
from windlass.connectors.surface_contact.bed_kernels import PER_BED_POINT
from windlass.connectors.surface_contact.contact_friction_bed_cable import (
    BED,
    ContactFrictionBedCable,
    build_bed,
    check_columns,
)
from windlass.connectors.surface_contact.contact_friction_surface_cable import START, check_pairs
from windlass.connectors.surface_contact.contact_friction_surface_winch import (
    ContactFrictionSurfaceWinch,
    bind_winch_rows,
    dofs,
)
from windlass.connectors.surface_contact.kernels import ContactRows
from windlass.connectors.surface_contact.outputs import BED_OUTPUTS, eval_axes, paint
from windlass.connectors.surface_contact.surfaces import SURFACE, bind_surfaces
from windlass.framework.model.history import check_history, create_history
from windlass.framework.model.law import LocalRows, Output, Tables, register
from windlass.framework.model.schema import ref
from windlass.framework.model.table import EntityTable

LAW = ContactFrictionBedCable


class ContactFrictionBedWinch(PointContact):
    """Contact and friction between a soft bed and n points of a 2D or 3D cable of a winch rope, with a friction
    coefficient across the rope and with suction. There is one row per pair.

    At constant length, all forces are equal to the forces of `ContactFrictionBedCable`. The largest penetrations and
    gaps are stored for the points, and not for the material that moves through the points. Each row has the history
    values of `ContactFrictionBedCable` (7 n), and the length of the rope at the last update [m].
    """

    surface = ref(SURFACE, "the bed")
    cable = ref("winch cable", "the cable of a winch rope, 2D or 3D")
    data = ref("GenericData", "7 n + 1 history values; created if left out", optional=True)
    history_column = "points"
    follows = ContactFrictionSurfaceWinch.follows
    points = LAW.points
    rope_radius = LAW.rope_radius
    contact_stiffness_per_length = LAW.contact_stiffness_per_length
    lateral_friction_ratio = LAW.lateral_friction_ratio
    lateral_stiffness_ratio = LAW.lateral_stiffness_ratio
    suction_coefficient = LAW.suction_coefficient
    suction_distance = LAW.suction_distance


def bind(rows: LocalRows) -> ContactRows:
    """Return the data of the rows for kernels, with the columns `BED`.

    Raises:
        ModelError: columns have inconsistent values after `World.set`.
    """
    check_columns(rows.table)
    ids, surface = np.unique(rows.local("surface"), return_inverse=True)
    further = {name: rows.local(name) for name in BED}
    return bind_winch_rows(rows, bind_surfaces(rows, ids), surface, PER_BED_POINT, **further)


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for wrong history values, and for rows that `check_columns` or `check_pairs` rejects."""
    check_history(world, table, PER_BED_POINT, np.ones(table.resident_count, np.int64))
    check_columns(table)
    check_pairs(world, table)


register(
    ContactFrictionBedWinch,
    "connector",
    dofs=dofs,
    bind=bind,
    build=build_bed,
    outputs=BED_OUTPUTS | {"surface_axes": Output("1", "axes of the surface, global, in columns, (3, 3)", eval_axes)},
    fill_defaults=lambda world, values: create_history(
        world, ContactFrictionBedWinch, values, (*START, 0.0, 0.0), (0.0,)
    ),
    check=check,
    source="[@wriggers2006]; [@bridge2004]",
    paint=paint,
)
