"""Contact of lines with soft beds, such as clay: different friction along and across the line, and suction.

Without suction, each contact point has the normal force of `ContactFrictionSurfaceCable`. The friction limit is an
ellipse with the half axes mu N along the line and rho mu N across it, where N is the pressing force. Suction holds a
line that is lifted. The suction first grows with the contact stiffness up to c_s times the largest contact force since
the line touched the bed, and then decreases linearly to 0 over the distance Δ. See `bed_kernels.py` for all formulas.

Source: P. Wriggers, Computational Contact Mechanics, Springer (2006): radial return; C. Bridge and others, OTC 16628
(2004): suction of lines that are lifted from clay.
"""

from __future__ import annotations

import numpy as np

from windlass.connectors.contact.rows import PointContact, check_cables
from windlass.connectors.surface_contact.bed_kernels import PER_BED_POINT
from windlass.connectors.surface_contact.contact_friction_surface_cable import (
    START,
    WIDTHS,
    ContactFrictionSurfaceCable,
    add_surface_dofs,
    bind_rows,
    build,
    check_pairs,
    find_cable_dofs,
)
from windlass.connectors.surface_contact.kernels import ContactRows
from windlass.connectors.surface_contact.outputs import BED_OUTPUTS, GAP, eval_points, paint
from windlass.connectors.surface_contact.surfaces import SURFACE, bind_surfaces
from windlass.framework.arrays import IntArray
from windlass.framework.model.history import check_history, create_history
from windlass.framework.model.law import LocalRows, Tables, register
from windlass.framework.model.schema import column, ref
from windlass.framework.model.system import Fields, System
from windlass.framework.model.table import EntityTable

LAW = ContactFrictionSurfaceCable
BED = "lateral_friction_ratio", "lateral_stiffness_ratio", "suction_coefficient", "suction_distance"
"""Columns that `ContactFrictionSurfaceCable` does not have."""
SUNK = 20.0
"""The suction of a line is doubtful if the line has been deeper in its bed than `SUNK` [1] times the largest depth of
all lines at the end of a static solve.
"""


class ContactFrictionBedCable(PointContact):
    """Contact and friction between a soft bed and n points of a 2D or 3D cable, with a friction coefficient across the
    line and with suction. There is one row per pair.

    The contact points, the columns of the same name, and the normal force of a line that presses on the bed are the
    same as in `ContactFrictionSurfaceCable`. The columns ``friction_coefficient`` and ``friction_stiffness_per_length``
    act along the line. The friction depends on max(-f_n, 0). Therefore a pulling normal force causes no friction. The
    sums of forces and of moments on cable and body are exactly 0. Each row has the history values gaps [m] (n), states
    (n), anchors in the frame of the surface [m] (n x 3), largest penetrations since the points touched the bed [m] (n),
    and largest gaps since then [m] (n). For a point that was closed at the start of the step, the stored value is its
    gap minus the gap at which its suction ends.
    """

    surface = ref(SURFACE, "the bed")
    cable = ref(
        "cable",
        "the line, a 2D or 3D cable; both nodes have position and slope",
        instead="; for cables of winch ropes use ContactFrictionBedWinch",
    )
    data = ref("GenericData", "7 n history values; created as [0.1]*n + [-2]*n + [0]*5n if left out", optional=True)
    history_column = "points"
    points = LAW.points
    rope_radius = LAW.rope_radius
    contact_stiffness_per_length = LAW.contact_stiffness_per_length
    lateral_friction_ratio = column(
        "1", "ratio rho of the friction coefficients across and along the line", default=1.0, above=0
    )
    lateral_stiffness_ratio = column(
        "1",
        "ratio kappa of stiffness mu_k and damping mu_v across the line to the values along the line",
        default=1.0,
        above=0,
    )
    suction_coefficient = column(
        "1", "coefficient c_s: largest suction divided by the largest contact force since the line touched the bed",
        default=0.0, minimum=0, switchable=True,
    )  # fmt: skip
    suction_distance = column(
        "m", "distance over which suction decreases from its largest value to 0", default=0.0, minimum=0
    )


def dofs(world: Tables, table: EntityTable) -> IntArray:
    """Return the global coordinate indices of the cable (12) and of the surface. The index -1 denotes a coordinate that
    does not exist.
    """
    return add_surface_dofs(find_cable_dofs(world, table), world, table)


def bind(rows: LocalRows) -> ContactRows:
    """Return the data of the rows for kernels, with the columns `BED`.

    Raises:
        ModelError: columns have inconsistent values after `World.set`.
    """
    check_columns(rows.table)
    ids, surface = np.unique(rows.local("surface"), return_inverse=True)
    return bind_rows(rows, bind_surfaces(rows, ids), surface, **{name: rows.local(name) for name in BED})


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for cables of a wrong type, for wrong history values, and for rows that `check_columns` or
    `check_pairs` rejects.
    """
    check_cables(world, table, WIDTHS)
    check_history(world, table, PER_BED_POINT)
    check_columns(table)
    check_pairs(world, table)


def check_columns(table: EntityTable) -> None:
    """Raise ModelError for suction with ``suction_distance`` 0 or with clipped normal forces, and for ratios of the
    friction across the line without friction."""
    held = table.local("suction_coefficient") > 0.0
    short, clips = table.local("suction_distance") == 0.0, table.local("clip_normal_force")
    table.refuse(held & short, ("suction_distance", "suction_coefficient"), "have a suction_distance > 0 m for suction")
    names = "clip_normal_force", "suction_coefficient"
    table.refuse(held & clips, names, "be false for suction, because a clipped normal force never pulls")
    slides = table.local("friction_stiffness_per_length") + table.local("friction_velocity_penalty_per_length") == 0.0
    for name in ("lateral_friction_ratio", "lateral_stiffness_ratio"):
        table.refuse(
            slides & (table.local(name) != 1.0),
            (name,),
            "be 1 without friction_stiffness_per_length [N/m^2] and friction_velocity_penalty_per_length [N s/m^2], "
            "because there is no friction",
        )


def find_sunk(rows: LocalRows, c: ContactRows, fields: Fields, step: float) -> list[str]:
    """In static solves, return a message if the largest depth that a line has had in its bed exceeds `SUNK` times the
    largest present depth of all lines. The suction of this line is then too large. See `Checks.reasons`.

    On several processes the check is omitted, because each process has only the depths of its own lines. If all of
    these lines are lifted, no present depth is available for the comparison.
    """
    if step > 0.0 or rows.layout.size > 1:
        return []
    gap, data, depth = eval_points(c, fields)[..., GAP], fields.data, np.zeros(len(c.rows))
    holds = c.rows["active"] & (c.rows["suction_coefficient"] > 0.0)
    for i in np.flatnonzero(holds):
        row = c.rows[i]
        depth[i] = data[row.data + 5 * row.points : row.data + 6 * row.points].max()
    now = -float(gap[holds].min(initial=0.0))
    worst = int(np.argmax(depth)) if len(depth) else 0
    if now <= 0.0 or depth[worst] <= SUNK * now:
        return []
    return [
        f"a line ({rows.table.kind} row {rows.rows[worst]}) was {depth[worst]:.3g} m deep in its bed before the end of "
        f"the solve, which increases its suction; the largest depth is now {now:.3g} m: start on the bed, or solve "
        "first with suction_coefficient = 0 (World.set)"
    ]


def build_bed(rows: LocalRows) -> System:
    """Return the `System` with the forces, tangent, update and checks of the rows."""
    system, c = build(rows), rows.columns
    edges = system.checks.reasons

    def find(fields: Fields, step: float) -> list[str]:
        return [*(edges(fields, step) if edges else []), *find_sunk(rows, c, fields, step)]

    system.checks.reasons = find
    return system


register(
    ContactFrictionBedCable,
    "connector",
    dofs=dofs,
    bind=bind,
    build=build_bed,
    outputs=BED_OUTPUTS,
    fill_defaults=lambda world, values: create_history(world, ContactFrictionBedCable, values, (*START, 0.0, 0.0)),
    check=check,
    source="[@wriggers2006]; [@bridge2004]",
    paint=paint,
)
