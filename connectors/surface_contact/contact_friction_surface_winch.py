"""Contact with friction between surfaces and the cables of a winch rope outside the winch. Examples are ropes on drums,
sheaves and sea beds while a winch pays them out or hauls them in.

A cable has n contact points at constant fractions of its length, and the material of the rope moves through the points.
Normal force and friction follow the laws of `ContactFrictionSurfaceCable`, with the slip velocity of the material
and bristles that deflect with the material. The friction acts on the nodes and on the length l of the rope, by the
virtual power of the material. See `winch_kernels.py` for all formulas.

Source: P. Wriggers, Computational Contact Mechanics, Springer (2006): penalty in points, radial return.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.contact.axes import NO_BEAMS
from windlass.connectors.contact.rows import PER_LENGTH, PointContact
from windlass.connectors.friction.bristle import check_friction
from windlass.connectors.markers.cable_shape import column_of
from windlass.connectors.surface_contact.contact_friction_surface_cable import (
    IN_SPACE,
    START,
    ContactFrictionSurfaceCable,
    add_surface_dofs,
    build,
    check_pairs,
)
from windlass.connectors.surface_contact.distances import Geometry
from windlass.connectors.surface_contact.kernels import CABLE, PER_POINT, ContactRows
from windlass.connectors.surface_contact.outputs import OUTPUTS, eval_axes, paint
from windlass.connectors.surface_contact.surfaces import SURFACE, bind_surfaces
from windlass.connectors.surface_contact.winch_kernels import WINCH_CABLE
from windlass.framework.arrays import IntArray
from windlass.framework.model.history import check_history, create_history
from windlass.framework.model.law import LocalRows, Output, Tables, register
from windlass.framework.model.rows import create_records
from windlass.framework.model.schema import ref
from windlass.framework.model.table import EntityTable

LAW = ContactFrictionSurfaceCable
NAMES = dict(zip(PER_LENGTH, ("stiffness", "damping", "rubbing", "bristle"), strict=True))
"""Names of the record fields that contain the parameters of a point divided by the length l of the rope."""


class ContactFrictionSurfaceWinch(PointContact):
    """Contact and friction between a surface and n points of a 2D or 3D cable of a winch rope, with one row per pair.

    The points lie at the middle of n equal parts of the cable, on its cubic axis. The material of the rope moves
    through the points. The slip velocity is the velocity of the material, and bristles deflect with the material. The
    friction also acts on the length of the rope, which is ``s`` of the feed. Stiffness and damping are per metre of
    rope without strain. Friction acts on the axis. Therefore it does not turn ropes with torsion. The sums of forces
    and of moments on rope and body are exactly 0. At constant length, all forces are equal to the forces of
    `ContactFrictionSurfaceCable`.
    Each row has the history values gaps [m] (n), states (n), anchors in the frame of the surface [m] (n x 3), and the
    length of the rope at the last update [m].
    """

    surface = ref(SURFACE, "the surface")
    cable = ref("winch cable", "the cable of a winch rope, 2D or 3D")
    data = ref("GenericData", "5 n + 1 history values; created if left out", optional=True)
    history_column = "points"
    follows = ("winch cable",)
    points = LAW.points
    rope_radius = LAW.rope_radius
    contact_stiffness_per_length = LAW.contact_stiffness_per_length


def dofs(world: Tables, table: EntityTable) -> IntArray:
    """Return the global coordinate indices of the nodes of the cable (12), of the length of the rope, and of the
    surface. The index -1 denotes a coordinate that does not exist.
    """
    return add_surface_dofs(find_winch_dofs(world, table), world, table)


def find_winch_dofs(world: Tables, table: EntityTable) -> IntArray:
    """Return the global coordinate indices of the nodes of the cable (12), and of the length of the rope."""
    ids = table.local("cable")
    cable = np.full((len(ids), WINCH_CABLE), -1, np.int64)
    for cables, positions, rows in world.split_by_table(ids):
        numbers = world.row_dofs(cables, rows)
        own = np.arange(CABLE) if numbers.shape[1] > CABLE else IN_SPACE
        cable[np.ix_(positions, own)] = numbers[:, : len(own)]
        cable[positions, CABLE] = numbers[:, -1]
    return cable


def bind(rows: LocalRows) -> ContactRows:
    """Return the data of the rows for kernels."""
    ids, surface = np.unique(rows.local("surface"), return_inverse=True)
    return bind_winch_rows(rows, bind_surfaces(rows, ids), surface, PER_POINT)


def bind_winch_rows(
    rows: LocalRows, surfaces: Geometry, surface: IntArray, per_point: int, **further: NDArray[Any]
) -> ContactRows:
    """Return the data of the rows for kernels. The returned parameters of points are values for the reference length of
    the rope. The kernels replace these values by the values for the present length. Rows of cables in reserve are
    inactive for any value of their column ``active``.

    Further record fields are ``begin`` σ0 [1], ``share`` Δ [1], the length of a point divided by l (``part``) [1], the
    index ``last`` of l_0 in the history values, and the fields `NAMES`.

    Args:
        surface: index of the surface of each row in ``surfaces``.
        per_point: number of history values of a point.
        **further: further fields of the records.

    Raises:
        ModelError: friction without bristles and dampers, for example after `World.set`.
    """
    check_friction(rows.table)
    cables, points, rope = rows.local("cable"), rows.local("points"), rows.reference[:, CABLE]
    begin, share = (column_of(rows.world, cables, name) for name in ("begin", "share"))
    part = share / points
    values = {name: rows.local(f"{name}_per_length") * part for name in PER_LENGTH}
    records = create_records(
        **further, surface=surface, points=points, data=rows.data_start("data"),
        last=rows.data_start("data") + per_point * points, begin=begin, share=share, part=part,
        length=part * rope, **{name: value * rope for name, value in values.items()},
        **{NAMES[name]: value for name, value in values.items()},
        active=rows.local("active") & (column_of(rows.world, cables, "active") > 0.0),
        **{name: rows.local(name) for name in ("rope_radius", "friction_coefficient", "clip_normal_force")},
    )  # fmt: skip
    return ContactRows(surfaces, records, np.ascontiguousarray(rows.dofs), NO_BEAMS)


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for wrong history values, and for rows that `check_pairs` rejects."""
    check_history(world, table, PER_POINT, np.ones(table.resident_count, np.int64))
    check_pairs(world, table)


register(
    ContactFrictionSurfaceWinch,
    "connector",
    dofs=dofs,
    bind=bind,
    build=build,
    outputs=OUTPUTS | {"surface_axes": Output("1", "axes of the surface, global, in columns, (3, 3)", eval_axes)},
    fill_defaults=lambda world, values: create_history(world, ContactFrictionSurfaceWinch, values, START, (0.0,)),
    check=check,
    source="[@wriggers2006]",
    paint=paint,
)
