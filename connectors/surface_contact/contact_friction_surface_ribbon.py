"""Contact with friction between surfaces and ribbons: flat belts on cylinders, cones and crowned pulleys.

A ribbon is a `TwistCable3D` with a width. The contact points are on several lines along the ribbon. The lines have
different offsets from the axis of the ribbon, in the direction d_1 of the frame of the material. At each point the law
is the same as in `ContactFrictionSurfaceCable`. Because of the offsets, normal forces and friction have moments about
the axis. These moments press the ribbon flat onto the surface and steer the ribbon. See `ribbon_kernels.py`.

Source: P. Wriggers, Computational Contact Mechanics, Springer (2006): penalty in points, radial return.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from windlass.connectors.contact.rows import PointContact
from windlass.connectors.surface_contact.contact_friction_surface_cable import (
    START,
    ContactFrictionSurfaceCable,
    add_surface_dofs,
    bind_frames,
    bind_rows,
    build,
    check_pairs,
    find_twist_dofs,
)
from windlass.connectors.surface_contact.kernels import PER_POINT, ContactRows
from windlass.connectors.surface_contact.outputs import OUTPUTS
from windlass.connectors.surface_contact.outputs import paint as paint_contact
from windlass.connectors.surface_contact.surfaces import SURFACE, bind_surfaces
from windlass.framework.arrays import IntArray
from windlass.framework.model.drawing import Paint, Painting
from windlass.framework.model.history import check_history, create_history
from windlass.framework.model.law import LocalRows, Tables, register
from windlass.framework.model.schema import column, ref
from windlass.framework.model.system import Fields
from windlass.framework.model.table import EntityTable

LAW = ContactFrictionSurfaceCable


class ContactFrictionSurfaceRibbon(PointContact):
    """Contact and friction between a surface and a ribbon, which is a `TwistCable3D` with a width. The points are on
    several lines along the ribbon, and there is one row per pair.

    The width is in the direction of the axis d_1 of the material. The n points are distributed equally over ``lines``
    lines along the ribbon. If there are two lines, their distance is ``width``/sqrt(3). With these offsets, force and
    moment are exact for a pressure that varies linearly across the width. Forces act at the points. Therefore they have
    moments about the axis of the ribbon. Stiffness and damping are per metre of ribbon. They apply to all lines
    together. The sums of forces and of moments on ribbon and body are exactly 0. History values per row: gaps [m] (n),
    states (n), anchors in the frame of the surface [m] (n x 3).
    """

    surface = ref(SURFACE, "the surface")
    cable = ref("twist cable", "the cable that is the axis of the ribbon")
    data = ref("GenericData", "5 n history values; created as [0.1]*n + [-2]*n + [0]*3n if left out", optional=True)
    history_column = "points"
    points = column("1", "number n of points on all lines together, a multiple of lines", dtype=np.int64, minimum=2)
    lines = column("1", "number of lines across the width", default=2, dtype=np.int64, minimum=2)
    width = column("m", "width of the ribbon", above=0.0)
    rope_radius = column("m", "distance of the contact faces from the axis, half the thickness", default=0.0, minimum=0)
    contact_stiffness_per_length = LAW.contact_stiffness_per_length


def dofs(world: Tables, table: EntityTable) -> IntArray:
    """Return the global coordinate indices of the cable (14) and of the surface. The index -1 denotes a coordinate that
    does not exist.
    """
    return add_surface_dofs(find_twist_dofs(world, table), world, table)


def bind(rows: LocalRows) -> ContactRows:
    """Return the data of the rows for kernels, with the fields ``lines``, ``width`` and the fields of `bind_frames`."""
    ids, surface = np.unique(rows.local("surface"), return_inverse=True)
    wide = {name: rows.local(name) for name in ("lines", "width")}
    return bind_rows(rows, bind_surfaces(rows, ids), surface, **wide, **bind_frames(rows))


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for wrong history values, for numbers of points that are not multiples of ``lines``, and for
    rows that `check_pairs` rejects.
    """
    check_history(world, table, PER_POINT)
    lines, points = table.local("lines"), table.local("points")
    table.refuse(points % lines != 0, ("points", "lines"), "have points that are a multiple of lines")
    check_pairs(world, table)


def paint(rows: LocalRows, fields: Fields) -> Painting:
    """Return the fields of all contacts with surfaces, and the field `ribbon_width` [m]. Viewers draw the ribbon with
    this width.
    """
    painting = paint_contact(rows, fields)
    width = np.repeat(rows.local("width"), rows.local("points"))
    return replace(painting, fields={**painting.fields, "ribbon_width": Paint(width, "max", np.nan, "m")})


register(
    ContactFrictionSurfaceRibbon,
    "connector",
    dofs=dofs,
    bind=bind,
    build=build,
    outputs=OUTPUTS,
    fill_defaults=lambda world, values: create_history(world, ContactFrictionSurfaceRibbon, values, START),
    check=check,
    source="[@wriggers2006]; [@bergou2008]",
    paint=paint,
)
