"""Friction at the surface of ropes on soft beds, and of winch ropes with torsion on surfaces and soft beds: friction
turns the ropes about their axes.

Normal force, suction and friction follow the laws of `ContactFrictionBedCable`, `ContactFrictionSurfaceWinch` and
`ContactFrictionBedWinch`. Friction acts at the radius of the rope, as in `ContactFrictionSurfaceTwistCable`; see
`turning_kernels.py` for all formulas.

Source: P. Wriggers, Computational Contact Mechanics, Springer (2006): radial return; for the frames of the material M.
Bergou and others, ACM Transactions on Graphics 27 (2008), 63.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.contact.pair_search import PairRows, follow_outputs
from windlass.connectors.contact.rows import PointContact
from windlass.connectors.friction.bristle import UNDEFINED
from windlass.connectors.surface_contact.contact_friction_bed_cable import (
    BED,
    ContactFrictionBedCable,
    build_bed,
    check_columns,
)
from windlass.connectors.surface_contact.contact_friction_surface_cable import (
    TWIST_START,
    ContactFrictionSurfaceTwistCable,
    add_surface_dofs,
    bind_frames,
    bind_rows,
    build_twist,
    check_pairs,
    twist_dofs,
    watch_turns,
)
from windlass.connectors.surface_contact.contact_friction_surface_set import (
    SetSurface,
    add_members,
    add_set_dofs,
    build_pairs,
    check_sets,
    paint_present,
    read_surfaces,
)
from windlass.connectors.surface_contact.contact_friction_surface_winch import bind_winch_rows
from windlass.connectors.surface_contact.kernels import CABLE, PER_TWIST_POINT, ContactRows
from windlass.connectors.surface_contact.outputs import BED_OUTPUTS, TURNING, TURNING_WINCH, TWIST_OUTPUTS, paint
from windlass.connectors.surface_contact.surface_search import assign_surfaces
from windlass.connectors.surface_contact.surfaces import SURFACE, bind_surfaces
from windlass.connectors.surface_contact.turning_kernels import PER_TURNING_BED_POINT, TWIST_WINCH
from windlass.connectors.surface_contact.update import OUTSIDE
from windlass.elements.cable.winch_twist_points import LENGTH
from windlass.framework.arrays import IntArray
from windlass.framework.model.history import check_history, create_history
from windlass.framework.model.law import LocalRows, Tables, register
from windlass.framework.model.schema import ref
from windlass.framework.model.system import System
from windlass.framework.model.table import EntityTable

SOURCE = "[@wriggers2006]; [@bergou2008]"
BED_START = (OUTSIDE, UNDEFINED, *(0.0,) * (PER_TURNING_BED_POINT - 2))
ROPE = ContactFrictionSurfaceTwistCable
ORDER = np.array([*range(CABLE), LENGTH, CABLE, CABLE + 1])
"""For each coordinate of a row: the index among the coordinates z of a cable of a winch rope with torsion."""
CABLE_OF_WINCH = "the cable of a winch rope with torsion"


class TurningContact(PointContact):
    """Columns that all laws of friction that turns ropes and beams have in common."""

    history_column = "points"
    points = ROPE.points
    rope_radius = ROPE.rope_radius
    contact_stiffness_per_length = ROPE.contact_stiffness_per_length


class TurningBedContact(TurningContact):
    """Columns that all laws of friction on soft beds that turns ropes and beams have in common."""

    lateral_friction_ratio = ContactFrictionBedCable.lateral_friction_ratio
    lateral_stiffness_ratio = ContactFrictionBedCable.lateral_stiffness_ratio
    suction_coefficient = ContactFrictionBedCable.suction_coefficient
    suction_distance = ContactFrictionBedCable.suction_distance


class ContactFrictionBedTwistCable(TurningBedContact):
    """Contact and friction between a soft bed and n points of a `TwistCable3D`. Friction turns the rope about its axis.

    All other properties are the same as for `ContactFrictionBedCable`. The turn within a step is limited as for
    `ContactFrictionSurfaceTwistCable`. Each row has the history values of `ContactFrictionBedCable` (7 n), followed by
    unit tangents of the rope (n x 3) and unit vectors d_1 of the material (n x 3) at the start of the step, in the
    frame of the surface.
    """

    surface = ref(SURFACE, "the bed")
    cable = ref("TwistCable3D", "the cable with twist")
    data = ref("GenericData", "13 n history values; created if left out", optional=True)


class ContactFrictionSurfaceTwistWinch(TurningContact):
    """Contact and friction between a surface and n points of a cable of a winch rope with torsion. Friction turns the
    rope about its axis.

    All other properties are the same as for `ContactFrictionSurfaceWinch`. The turn within a step is limited as for
    `ContactFrictionSurfaceTwistCable`. At constant length, all forces are equal to the forces of
    `ContactFrictionSurfaceTwistCable`. A twisted rope turns when it moves past a contact point. Each row has the
    history values of `ContactFrictionSurfaceTwistCable` (11 n), and the length of the rope at the last update [m].
    """

    surface = ref(SURFACE, "the surface")
    cable = ref("WinchTwistCable3D", CABLE_OF_WINCH)
    data = ref("GenericData", "11 n + 1 history values; created if left out", optional=True)
    follows = ("winch cable",)


class ContactFrictionBedTwistWinch(TurningBedContact):
    """Contact and friction between a soft bed and n points of a cable of a winch rope with torsion. Friction turns the
    rope about its axis.

    At constant length, all forces are equal to the forces of `ContactFrictionBedTwistCable`. Each row has the history
    values of `ContactFrictionBedTwistCable` (13 n), and the length of the rope at the last update [m].
    """

    surface = ref(SURFACE, "the bed")
    cable = ref("WinchTwistCable3D", CABLE_OF_WINCH)
    data = ref("GenericData", "13 n + 1 history values; created if left out", optional=True)
    follows = ("winch cable",)


class ContactFrictionSurfaceSetTwistWinch(TurningContact):
    """Contact and friction between n points of a cable of a winch rope with torsion and a near surface of a set.
    Friction turns the rope about its axis.

    A cable that can touch two surfaces simultaneously has two rows. All other properties are the same as for
    `ContactFrictionSurfaceTwistWinch`. History values per row: values of `ContactFrictionSurfaceTwistWinch`, followed
    by the index of the surface among the surfaces of all sets, counted from 1 (0 without surface).
    """

    contact_set = ref("ContactSet", "the surfaces")
    cable = ref("WinchTwistCable3D", CABLE_OF_WINCH)
    data = ref("GenericData", "11 n + 2 history values; created if left out", optional=True)
    follows = ("winch cable",)


def bind_bed(rows: LocalRows) -> ContactRows:
    """Return the data of the rows for kernels, with the columns `BED` and the fields of `bind_frames`.

    Raises:
        ModelError: columns have inconsistent values after `World.set`.
    """
    check_columns(rows.table)
    ids, surface = np.unique(rows.local("surface"), return_inverse=True)
    soft = {name: rows.local(name) for name in BED}
    return bind_rows(rows, bind_surfaces(rows, ids), surface, **soft, **bind_frames(rows))


def build_turning_bed(rows: LocalRows) -> System:
    """Return the `System` with the forces, tangent, update and checks of the rows."""
    return watch_turns(rows, rows.columns, build_bed(rows))


def check_bed(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for wrong history values, and for rows that `check_columns` or `check_pairs` rejects."""
    check_history(world, table, PER_TURNING_BED_POINT)
    check_columns(table)
    check_pairs(world, table)


def find_winch_dofs(world: Tables, table: EntityTable) -> IntArray:
    """Return the global coordinate indices of the nodes of the cable (12), of the length of the rope, and of both
    angles.
    """
    ids = table.local("cable")
    numbers = np.empty((len(ids), TWIST_WINCH), np.int64)
    for cables, positions, rows in world.split_by_table(ids):
        numbers[positions] = world.row_dofs(cables, rows)[:, ORDER]
    return numbers


def winch_dofs(world: Tables, table: EntityTable) -> IntArray:
    """Return the global coordinate indices of the cable, see `find_winch_dofs`, and of the surface."""
    return add_surface_dofs(find_winch_dofs(world, table), world, table)


def set_dofs(world: Tables, table: EntityTable) -> IntArray:
    """Return the global coordinate indices of the cable, see `find_winch_dofs`, and of a surface of its set."""
    return add_set_dofs(find_winch_dofs(world, table), world, table)


def bind_winch_frames(rows: LocalRows) -> dict[str, NDArray[Any]]:
    """Return the fields of `bind_frames` for winch ropes, whose stress-free state is straight and not twisted. The
    field ``dofs`` contains the local indices of the coordinates z, shape (rows, 15).
    """
    place = np.argsort(ORDER)
    found = bind_frames(rows, place[:LENGTH])
    return found | {
        "dofs": np.ascontiguousarray(rows.dofs[:, place]), "free_twist": np.zeros(len(rows.rows)),
    }  # fmt: skip


def bind_winch(rows: LocalRows) -> ContactRows:
    """Return the data of the rows for kernels, with the fields of `bind_winch_frames`."""
    ids, surface = np.unique(rows.local("surface"), return_inverse=True)
    return bind_winch_rows(rows, bind_surfaces(rows, ids), surface, PER_TWIST_POINT, **bind_winch_frames(rows))


def bind_winch_bed(rows: LocalRows) -> ContactRows:
    """Return the data of the rows for kernels, with the columns `BED` and the fields of `bind_winch_frames`.

    Raises:
        ModelError: columns have inconsistent values after `World.set`.
    """
    check_columns(rows.table)
    ids, surface = np.unique(rows.local("surface"), return_inverse=True)
    further = {name: rows.local(name) for name in BED} | bind_winch_frames(rows)
    return bind_winch_rows(rows, bind_surfaces(rows, ids), surface, PER_TURNING_BED_POINT, **further)


def bind_set(rows: LocalRows) -> PairRows:
    """Return the data of the rows for kernels. No surface is assigned to the rows yet."""
    surfaces = bind_surfaces(rows, rows.world.table(SetSurface).local("surface"))
    none = np.zeros(len(rows.rows), np.int64)
    points = bind_winch_rows(rows, surfaces, none, PER_TWIST_POINT, **bind_winch_frames(rows))
    return add_members(rows, points, points.rows["last"] + 1)


def build_set(rows: LocalRows) -> System:
    """Return the `System` with the forces, tangent, update and checks of the rows."""
    p = bind_set(rows)
    return watch_turns(rows, p.points, build_pairs(rows, p))


def check_winch(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for wrong history values, and for rows that `check_pairs` rejects."""
    check_history(world, table, PER_TWIST_POINT, np.ones(table.resident_count, np.int64))
    check_pairs(world, table)


def check_winch_bed(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for wrong history values, and for rows that `check_columns` or `check_pairs` rejects."""
    check_history(world, table, PER_TURNING_BED_POINT, np.ones(table.resident_count, np.int64))
    check_columns(table)
    check_pairs(world, table)


def check_set(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for wrong history values, and for rows that `check_sets` rejects."""
    check_history(world, table, PER_TWIST_POINT, np.full(table.resident_count, 2))
    check_sets(world, table)


register(
    ContactFrictionBedTwistCable,
    "connector",
    dofs=twist_dofs,
    bind=bind_bed,
    build=build_turning_bed,
    outputs=BED_OUTPUTS | TURNING,
    fill_defaults=lambda world, values: create_history(world, ContactFrictionBedTwistCable, values, BED_START),
    check=check_bed,
    source=f"{SOURCE}; [@bridge2004]",
    paint=paint,
)
register(
    ContactFrictionSurfaceTwistWinch,
    "connector",
    dofs=winch_dofs,
    bind=bind_winch,
    build=build_twist,
    outputs=TWIST_OUTPUTS | TURNING_WINCH,
    fill_defaults=lambda world, values: create_history(
        world, ContactFrictionSurfaceTwistWinch, values, TWIST_START, (0.0,)
    ),
    check=check_winch,
    source=SOURCE,
    paint=paint,
)
register(
    ContactFrictionBedTwistWinch,
    "connector",
    dofs=winch_dofs,
    bind=bind_winch_bed,
    build=build_turning_bed,
    outputs=BED_OUTPUTS | TURNING | TURNING_WINCH,
    fill_defaults=lambda world, values: create_history(world, ContactFrictionBedTwistWinch, values, BED_START, (0.0,)),
    check=check_winch_bed,
    source=f"{SOURCE}; [@bridge2004]",
    paint=paint,
)
register(
    ContactFrictionSurfaceSetTwistWinch,
    "connector",
    dofs=set_dofs,
    bind=bind_set,
    build=build_set,
    reads=read_surfaces,
    outputs=follow_outputs(TWIST_OUTPUTS | TURNING_WINCH, assign_surfaces, "surface", "SetSurface"),
    fill_defaults=lambda world, values: create_history(
        world, ContactFrictionSurfaceSetTwistWinch, values, TWIST_START, (0.0, 0.0)
    ),
    check=check_set,
    source=SOURCE,
    paint=paint_present,
)
