"""Contact with friction between surfaces and points of cables with twist: friction turns the rope about its axis.

The law is that of `ContactFrictionSurfaceCable`, except that friction acts at the radius of the rope. The slip velocity
contains the spin of the rope, and the friction has a moment about the axis. Therefore a rope that moves sideways rolls,
and a rope that enters a groove at an angle is twisted; see `twist_kernels.py` for all formulas.

Source: P. Wriggers, Computational Contact Mechanics, Springer (2006): penalty in points, radial return.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.contact.rows import PointContact
from windlass.connectors.friction.bristle import UNDEFINED
from windlass.connectors.surface_contact.contact_friction_surface_cable import (
    ContactFrictionSurfaceCable,
    add_surface_dofs,
    bind_rows,
    check_pairs,
)
from windlass.connectors.surface_contact.contact_friction_surface_cable import build as build_cables
from windlass.connectors.surface_contact.kernels import ContactRows
from windlass.connectors.surface_contact.outputs import TURN, TWIST_OUTPUTS, eval_points, paint
from windlass.connectors.surface_contact.surfaces import SURFACE, bind_surfaces
from windlass.connectors.surface_contact.twist_kernels import PER_TWIST_POINT, TWIST_CABLE
from windlass.connectors.surface_contact.update import OUTSIDE
from windlass.elements.cable3d.twist_sections import fill_references
from windlass.elements.nodes.twist_node import read_frames
from windlass.framework.arrays import IntArray
from windlass.framework.model.history import check_history, create_history
from windlass.framework.model.law import LocalRows, Tables, register
from windlass.framework.model.rows import create_records
from windlass.framework.model.schema import column, ref
from windlass.framework.model.system import Fields, System
from windlass.framework.model.table import EntityTable

START = (OUTSIDE, UNDEFINED, *(0.0,) * 9)
LAW = ContactFrictionSurfaceCable
LARGE_TURN = 2.0
"""Angle by which a rope turns relative to a surface within a step, above which results are doubtful [rad]. From π on,
the direction of the turn is not known.
"""


class ContactFrictionSurfaceTwistCable(PointContact):
    """Contact and friction between a surface and n points of a `TwistCable3D`; friction turns the rope about its axis.

    Points, normal forces and columns are the same as in `ContactFrictionSurfaceCable`. Friction acts at the radius r_c
    of the rope, so its component across the rope has a moment about the axis, and the spin of the rope about its axis
    is part of the slip velocity. The sums of forces and of moments on cable and body are exactly 0. Within a step, the
    rope must turn by less than half a turn relative to the surface. History values per row: gaps [m] (n), states (n),
    anchors [m] (n x 3), and tangents and axes d_1 of the material (n x 3 each) at the start of the step, in the frame
    of the surface.
    """

    surface = ref(SURFACE, "the surface")
    cable = ref("TwistCable3D", "the cable with twist")
    data = ref("GenericData", "11 n history values; created as [0.1]*n + [-2]*n + [0]*9n if left out", optional=True)
    history_column = "points"
    points = LAW.points
    rope_radius = column("m", "radius r_c of the rope, at which friction acts", above=0.0)
    contact_stiffness_per_length = LAW.contact_stiffness_per_length


def find_twist_dofs(world: Tables, table: EntityTable) -> IntArray:
    """Return the global coordinate indices of the cables, shape (resident, 14)."""
    ids = table.local("cable")
    numbers = np.empty((len(ids), TWIST_CABLE), np.int64)
    for cables, positions, rows in world.split_by_table(ids):
        numbers[positions] = world.row_dofs(cables, rows)
    return numbers


def dofs(world: Tables, table: EntityTable) -> IntArray:
    """Return the global coordinate indices of the cable (14) and of the surface, -1 for missing coordinates."""
    return add_surface_dofs(find_twist_dofs(world, table), world, table)


def bind_frames(rows: LocalRows) -> dict[str, NDArray[Any]]:
    """Return the fields of records from which kernels compute the material frames of the cables, see
    `elements/cable3d/twist_points.py`, and ``dofs``, the local coordinate indices of the cable, shape (rows, 14).
    """
    ids, count = rows.local("cable"), len(rows.rows)
    b, F, length = np.zeros((2, count, 3)), np.zeros((2, count, 4)), np.zeros(count)
    for cables, positions, own in rows.world.split_by_table(ids):
        length[positions] = cables.local("length", own)
        for k in range(2):
            b[k, positions], F[k, positions] = read_frames(rows.world, cables.local(f"node{k}", own))
    numbers = np.arange(TWIST_CABLE * count).reshape(count, TWIST_CABLE)
    none = np.zeros(count)
    frames = create_records(
        b0=b[0], b1=b[1], F0=F[0], F1=F[1], free_angle=none, free_twist=none, length=length, dofs=numbers
    )
    fill_references(frames, rows.reference[:, :TWIST_CABLE].ravel())
    found = {name: frames[name].copy() for name in ("b0", "b1", "F0", "F1", "free_angle", "free_twist")}
    return found | {"dofs": np.ascontiguousarray(rows.dofs[:, :TWIST_CABLE])}


def bind(rows: LocalRows) -> ContactRows:
    """Create the arrays that the kernels read."""
    ids, surface = np.unique(rows.local("surface"), return_inverse=True)
    return bind_rows(rows, bind_surfaces(rows, ids), surface, **bind_frames(rows))


def find_turns(rows: LocalRows, c: ContactRows, fields: Fields) -> list[str]:
    """Return a message about the rope that turned the most in the last step, if its angle was too large."""
    turn = np.abs(eval_points(c, fields)[..., TURN]).max(axis=1, initial=0.0)
    if not turn.max(initial=0.0) > LARGE_TURN:
        return []
    row = int(np.argmax(turn))
    return [
        f"the rope of {rows.table.kind} row {rows.rows[row]} turned by {turn[row]:.3g} rad relative to its surface in "
        f"the last step: must be < {LARGE_TURN:g} rad; take smaller steps"
    ]


def watch_turns(rows: LocalRows, c: ContactRows, system: System) -> System:
    """Add the check of the last step to the system."""
    before = system.checks.reasons
    system.checks.reasons = lambda fields, step: [
        *(before(fields, step) if before else []),
        *find_turns(rows, c, fields),
    ]
    return system


def build(rows: LocalRows) -> System:
    """Create the system that evaluates the rows."""
    return watch_turns(rows, rows.columns, build_cables(rows))


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for invalid surfaces or history values."""
    check_history(world, table, PER_TWIST_POINT)
    check_pairs(world, table)


register(
    ContactFrictionSurfaceTwistCable,
    "connector",
    dofs=dofs,
    bind=bind,
    build=build,
    outputs=TWIST_OUTPUTS,
    fill_defaults=lambda world, values: create_history(world, ContactFrictionSurfaceTwistCable, values, START),
    check=check,
    source="[@wriggers2006]; [@bergou2008]",
    paint=paint,
)
