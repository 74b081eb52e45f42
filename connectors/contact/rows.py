"""Columns (properties of a row), checks and parameters that all laws of contact with points of cables have in
common.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.connectors.contact.axes import Axes, is_beam
from windlass.connectors.markers.cable_shape import CABLE_DOFS
from windlass.elements.cable.points import count_dims
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.errors import ModelError
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows, Tables, require_law
from windlass.framework.model.schema import Component, column
from windlass.framework.model.system import Fields
from windlass.framework.model.table import EntityTable

PER_LENGTH = ("contact_stiffness", "contact_damping", "friction_velocity_penalty", "friction_stiffness")
"""Columns with values per metre of cable. The records of rows contain these values multiplied by the length of cable
that a point represents.
"""

DEPTH_SHARE = 1e-3
"""Penetration of a taut rope into its sheave, divided by the radius of the sheave [1]. The stiffness is chosen for this
penetration.
"""


class PointContact(Component):
    """Columns that all laws of contact with points of a cable have in common."""

    contact_damping_per_length = column("N s/m^2", "normal damping d per metre of cable", default=0.0, minimum=0)
    friction_velocity_penalty_per_length = column(
        "N s/m^2", "tangential damping mu_v per metre of cable that sticks", default=0.0, minimum=0
    )
    friction_stiffness_per_length = column(
        "N/m^2", "tangential stiffness mu_k per metre of cable that sticks", default=0.0, minimum=0, switchable=True
    )
    friction_coefficient = column(
        "1", "friction coefficient mu in Coulomb's law |f_t| <= mu |f_n|", default=0.0, minimum=0, switchable=True
    )
    clip_normal_force = column(
        "1",
        "true: the normal force f_n never pulls; false: damping can cause a pulling force",
        default=False,
        dtype=bool,
    )
    active = column(
        "1",
        "false: the row has no forces, and its history values do not change",
        default=True,
        dtype=bool,
        switchable=True,
    )


def check_cables(world: Tables, table: EntityTable, widths: tuple[int, ...] = (CABLE_DOFS,)) -> None:
    """Raise ModelError for a cable whose coordinates are not the positions and slopes of two material points, and for
    3D beams in laws for 2D.

    widths: allowed numbers of coordinates of the cable, without angles of twist.
    """
    for cables, positions, _ in world.split_by_table(table.local("cable")):
        # count only positions and slopes, not the angles of twist, which are the last coordinates
        width, row = 4 * count_dims(world.resident_dofs(cables).shape[1]), table.resident[positions.min()]
        if "ale" in cables.component.refs:
            raise ModelError(
                f"cable of {table.kind} row {row} is an {cables.kind}, whose material moves along its axis: must be "
                "at rest on the cable; for moving material use ContactFrictionCircleCable2D"
            )
        if is_beam(cables):
            if "3D beam" in cables.component.provides and max(widths) == CABLE_DOFS:
                raise ModelError(
                    f"cable of {table.kind} row {row} is a {cables.kind}: must be 2D, because the circle is 2D; for 3D "
                    "use add_surface_contact"
                )
            continue
        if width not in widths:
            raise ModelError(
                f"cable of {table.kind} row {row} has {width} coordinates: must have {' or '.join(map(str, widths))} "
                "(two points with slope)"
            )


def bind_parameters(rows: LocalRows, axes: Axes, n: IntArray) -> dict[str, Any]:
    """Return the record fields that are common to all laws of contact with n points of a cable.

    Parameters per length are multiplied by the length that a point represents.
    """
    length = axes.length / n
    return {
        "data": rows.data_start("data"),
        "length": length,
        **{name: rows.local(f"{name}_per_length") * length for name in PER_LENGTH},
        **{name: rows.local(name) for name in ("friction_coefficient", "clip_normal_force", "active")},
    }


def eval_cables(rows: LocalRows, name: str, fields: Fields, **at: FloatArray) -> FloatArray:
    """Evaluate an output variable of the cable of each row. The arguments ``at`` of the output have one element for
    each row, for example the arc lengths ``x`` [m], shape (rows, k), for a result of the shape (rows, k, ...).
    """
    parts, order = [], []
    for table, positions, of in rows.world.split_by_table(rows.local("cable")):
        dofs = rows.layout.local_dofs(rows.world.row_dofs(table, of))
        cables = LocalRows(rows.world, table, of, dofs, rows.layout)
        given = {key: values[positions] for key, values in at.items()}
        parts.append(np.asarray(require_law(table.component).outputs[name].evaluate(cables, fields, **given)))
        order.append(positions)
    values: FloatArray = np.concatenate(parts)[np.argsort(np.concatenate(order))]
    return values


@kernel(inline=True, fast=False)
def relative_place(k: int, n: float) -> float:
    """Return the arc length of point k of n points, divided by the length of the cable [1], between 0 and 1."""
    return (k + 0.5) / n


@kernel(inline=True)
def scale_parameters(row: Any, l: float) -> None:
    """For the length l of the rope [m], write the length that a point of a winch rope represents, and the parameters of
    the point. The fields ``part``, ``stiffness``, ``damping``, ``bristle`` and ``rubbing`` of the record are these
    values divided by l.
    """
    row.length = row.part * l
    row.contact_stiffness, row.contact_damping = row.stiffness * l, row.damping * l
    row.friction_stiffness, row.friction_velocity_penalty = row.bristle * l, row.rubbing * l
