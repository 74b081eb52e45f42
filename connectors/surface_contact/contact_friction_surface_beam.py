"""Contact with friction between surfaces and points of thick 3D beams: friction acts at the radius of the beam.

The law is the same as in `ContactFrictionSurfaceCable`, except that friction acts at the radius of the beam. The slip
velocity contains the rotation of the cross section, and friction has a moment about the axis. Therefore a beam that is
moved sideways rolls. See `beam_kernels.py` for all formulas.

There is one row per pair, or rows that a search assigns to the near surfaces of a set, see `surface_search.py`.

Source: P. Wriggers, Computational Contact Mechanics, Springer (2006): penalty in points, radial return.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from windlass.connectors.contact.axes import axis_dofs
from windlass.connectors.contact.pair_search import PairRows, follow_outputs
from windlass.connectors.contact.rows import PointContact
from windlass.connectors.surface_contact.beam_kernels import BEAM
from windlass.connectors.surface_contact.contact_friction_surface_cable import (
    TWIST_START,
    ContactFrictionSurfaceCable,
    add_surface_dofs,
    bind_rows,
    build_twist,
    check_twist,
    watch_turns,
)
from windlass.connectors.surface_contact.contact_friction_surface_set import (
    add_set_dofs,
    bind_pairs,
    build_pairs,
    paint_present,
    read_surfaces,
)
from windlass.connectors.surface_contact.contact_friction_surface_set import check_twist as check_set
from windlass.connectors.surface_contact.kernels import CABLE, PER_TWIST_POINT, ContactRows
from windlass.connectors.surface_contact.outputs import TWIST_OUTPUTS, paint
from windlass.connectors.surface_contact.surface_search import assign_surfaces
from windlass.connectors.surface_contact.surfaces import SURFACE, bind_surfaces
from windlass.elements.beam.beam3d import find_flips
from windlass.elements.beam.forces3d import WIDTH
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.model.history import create_history
from windlass.framework.model.law import LocalRows, Tables, register
from windlass.framework.model.schema import column, ref
from windlass.framework.model.system import System
from windlass.framework.model.table import EntityTable

LAW = ContactFrictionSurfaceCable


class ContactFrictionSurfaceBeam3D(PointContact):
    """Contact and friction between a surface and n points of a `Beam3D`. Friction turns the cross sections.

    Points, normal forces and columns are the same as in `ContactFrictionSurfaceCable`. Friction acts at the radius r_c
    of the beam. Therefore it has a moment about the axis, and the rotation of the cross section is part of the slip
    velocity. The sums of forces and of moments on beam and body are exactly 0. Within a step, cross sections must
    rotate by less than half a turn relative to the surface. Each row has the history values gaps [m] (n), states (n),
    anchors [m] (n x 3), and the axes e_1 (n x 3) and e_2 (n x 3) of the cross section at the start of the step. All
    vectors are in the frame of the surface.
    """

    surface = ref(SURFACE, "the surface")
    cable = ref("3D beam", "the beam")
    data = ref("GenericData", "11 n history values; created as [0.1]*n + [-2]*n + [0]*9n if left out", optional=True)
    history_column = "points"
    points = LAW.points
    rope_radius = column("m", "radius r_c of the beam, at which friction acts", above=0.0)
    contact_stiffness_per_length = LAW.contact_stiffness_per_length


class ContactFrictionSurfaceSetBeam3D(PointContact):
    """Contact and friction between n points of a `Beam3D` and a near surface of a set. Friction turns the cross
    sections.

    A beam that can touch two surfaces simultaneously has two rows. All other properties are the same as for
    `ContactFrictionSurfaceBeam3D`. History values per row: values of `ContactFrictionSurfaceBeam3D`, followed by the
    index of the surface among the surfaces of all sets, counted from 1. The index is 0 if the row has no surface.
    """

    contact_set = ref("ContactSet", "the surfaces")
    cable = ref("3D beam", "the beam")
    data = ref("GenericData", "11 n + 1 history values; created if left out", optional=True)
    history_column = "points"
    points = LAW.points
    rope_radius = ContactFrictionSurfaceBeam3D.rope_radius
    contact_stiffness_per_length = LAW.contact_stiffness_per_length


def find_beam_dofs(world: Tables, table: EntityTable) -> IntArray:
    """Return the global coordinate indices of the positions (12) and of the Euler parameters (16) of the nodes of the
    beams; -1 stands for a coordinate that does not exist."""
    ids = table.local("cable")
    beam = np.full((len(ids), BEAM), -1, np.int64)
    beam[:, :CABLE] = axis_dofs(world, ids, 3)
    for beams, positions, rows in world.split_by_table(ids):
        turns = world.row_dofs(beams, rows).reshape(len(rows), -1, WIDTH)[:, :, 3:].reshape(len(rows), -1)
        beam[positions, CABLE : CABLE + turns.shape[1]] = turns
    return beam


def dofs(world: Tables, table: EntityTable) -> IntArray:
    """Return the global coordinate indices of the beam, see `find_beam_dofs`, and of the surface."""
    return add_surface_dofs(find_beam_dofs(world, table), world, table)


def set_dofs(world: Tables, table: EntityTable) -> IntArray:
    """Return the global coordinate indices of the beam, see `find_beam_dofs`, and of a surface of its set."""
    return add_set_dofs(find_beam_dofs(world, table), world, table)


def find_signs(rows: LocalRows) -> FloatArray:
    """Return the signs of the Euler parameters of the nodes, shape (rows, 4), for the record field ``flip``."""
    return find_flips(rows.reference[:, CABLE:BEAM].reshape(-1, 4, 4))


def bind(rows: LocalRows) -> ContactRows:
    """Return the data of the rows for kernels, with the result of `find_signs`."""
    ids, surface = np.unique(rows.local("surface"), return_inverse=True)
    return bind_rows(rows, bind_surfaces(rows, ids), surface, flip=find_signs(rows))


def bind_set(rows: LocalRows) -> PairRows:
    """Return the data of the rows for kernels, with the signs that `find_signs` returns. No surface is assigned to the
    rows yet.
    """
    return bind_pairs(rows, PER_TWIST_POINT, flip=find_signs(rows))


def build_set(rows: LocalRows) -> System:
    """Return the `System` with the forces, tangent, update and checks of the rows."""
    p = bind_set(rows)
    return watch_turns(rows, p.points, build_pairs(rows, p))


OUTPUTS = {
    **TWIST_OUTPUTS,
    "axis_torque": replace(
        TWIST_OUTPUTS["axis_torque"], doc="torque of friction on the beam about e_1 at each point, (points,)"
    ),
    "axis_torque_vector": replace(
        TWIST_OUTPUTS["axis_torque_vector"],
        doc="torque of friction on the beam about the point on its axis, as a global vector, (points, 3)",
    ),
    "slip_rate": replace(
        TWIST_OUTPUTS["slip_rate"],
        doc="slip velocity |v_t| of each point at the surface of the beam, including its rotation, (points,)",
    ),
}

register(
    ContactFrictionSurfaceBeam3D,
    "connector",
    dofs=dofs,
    bind=bind,
    build=build_twist,
    outputs=OUTPUTS,
    fill_defaults=lambda world, values: create_history(world, ContactFrictionSurfaceBeam3D, values, TWIST_START),
    check=check_twist,
    source="[@wriggers2006]",
    paint=paint,
)
register(
    ContactFrictionSurfaceSetBeam3D,
    "connector",
    dofs=set_dofs,
    bind=bind_set,
    build=build_set,
    reads=read_surfaces,
    outputs=follow_outputs(OUTPUTS, assign_surfaces, "surface", "SetSurface"),
    fill_defaults=lambda world, values: create_history(
        world, ContactFrictionSurfaceSetBeam3D, values, TWIST_START, (0.0,)
    ),
    check=check_set,
    source="[@wriggers2006]",
    paint=paint_present,
)
