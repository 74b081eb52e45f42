"""Checks, data for kernels, and outputs that the laws of contact between a circle and the segments of a cable have in
common.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.circle_segments.gaps import watch_segments
from windlass.connectors.circle_segments.kernels import SegmentRows
from windlass.connectors.circle_segments.moving_cable import AxialMotion, create_moving_functions, set_shift
from windlass.connectors.circle_segments.power import create_segment_account, eval_powers
from windlass.connectors.circle_segments.residual import add_residual
from windlass.connectors.circle_segments.tangent import add_tangent
from windlass.connectors.circle_segments.update import fill_outputs
from windlass.connectors.contact.circle_outputs import create_outputs
from windlass.connectors.contact.circles import CIRCLE_FAMILY, eval_rounding, segment_places
from windlass.connectors.contact.place_numbers import (
    GAP,
    NUMBERS,
    STATE,
)
from windlass.connectors.friction.bristle import UNDEFINED
from windlass.connectors.markers.cable_shape import CABLE_DOFS, FAMILY, cable_lengths
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.errors import ModelError
from windlass.framework.kernels.call import call
from windlass.framework.model.law import LocalRows, Output, Tables
from windlass.framework.model.rows import create_records
from windlass.framework.model.schema import Component, column
from windlass.framework.model.system import Fields, System
from windlass.framework.model.table import EntityTable

PER_LENGTH = "_per_length"
TOUCH = 1e-12
"""Largest gap, divided by the radius of the circle [1]. Up to this value, a segment is treated as closed at the start
of a solve.
"""
CURRENT, REFERENCE = "current", "reference"


class SegmentContact(Component):
    """Columns that `ContactCircleCable2D` and `ContactFrictionCircleCable2D` have in common."""

    history_column = "segments"
    segments = column("1", "number of segments n, equal to the number in the marker", dtype=np.int64, minimum=1)
    contact_stiffness = column("N/m", "normal stiffness k_c of a segment", default=0.0, minimum=0)
    contact_stiffness_per_length = column("N/m^2", "normal stiffness per metre of cable", default=0.0, minimum=0)
    contact_damping = column("N s/m", "normal damping d_c of a segment", default=0.0, minimum=0)
    contact_damping_per_length = column("N s/m^2", "normal damping per metre of cable", default=0.0, minimum=0)
    damping_depth = column(
        "m",
        "depth g_0 at which the full contact_damping is reached, so f_n is continuous when a segment touches; "
        "0: full damping from the first contact",
        default=0.0,
        minimum=0,
    )
    circle_radius = column("m", "radius r of the circle", above=0)
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


class Contact(NamedTuple):
    """Data of the rows of a contact law with segments."""

    columns: SegmentRows  # data of the kernels
    axial: AxialMotion | None  # indices of axial displacements; None if no cable of the table has moving material


def check_segments(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for rows whose number of segments differs from the number of segments of their cable-shape
    marker.
    """
    segments = table.local("segments")
    for target, positions, rows in world.split_by_table(table.local("cable")):
        given = target.local("segments", rows)
        wrong = np.flatnonzero(given != segments[positions])
        if len(wrong):
            k, n = int(positions[wrong[0]]), given[wrong[0]]
            raise ModelError(
                f"segments = {segments[k]} in {table.kind} row {table.resident[k]}: must be {n}, as in its cable-shape "
                f"marker ({target.describe(int(rows[wrong[0]]))})"
            )


def check_offsets(world: Tables, table: EntityTable, current: NDArray[np.bool_]) -> None:
    """Raise ModelError if the magnitude of the vertical offset of a row is at least the radius of the circle. The
    centre of the circle could then lie between the contact line and the axis. ``current``, shape (resident,), is true
    for rows whose sticking positions are measured with the current length of segments. Only these rows are checked.
    """
    radius = table.local("circle_radius")
    for target, positions, rows in world.split_by_table(table.local("cable")):
        offset = target.local("vertical_offset", rows)
        wrong = np.flatnonzero(current[positions] & (np.abs(offset) >= radius[positions]))
        if len(wrong):
            k, y = int(positions[wrong[0]]), offset[wrong[0]]
            raise ModelError(
                f"vertical_offset = {y:g} m of the cable-shape marker in {table.kind} row {table.resident[k]}: must be "
                f"smaller than circle_radius = {radius[k]:g} m with sticking_length = {CURRENT}"
            )


def has_moving(world: Tables) -> bool:
    """Return whether the model contains cables whose material moves along their axis."""
    return any("ale" in component.refs and table.count > 0 for component, table in world.tables.items())


def find_moving(world: Tables, table: EntityTable) -> NDArray[np.bool_]:
    """Return whether the cable of each row of this process has moving material, shape (resident,)."""
    moves = np.zeros(table.resident_count, dtype=bool)
    for target, positions, rows in world.split_by_table(table.local("cable")):
        for cables, places, _ in world.split_by_table(target.local("cable", rows)):
            moves[positions[places]] = "ale" in cables.component.refs
    return moves


def check_forms(table: EntityTable, names: tuple[str, ...], rows: IntArray) -> None:
    """Raise ModelError if one of ``rows`` gives one of the parameters ``names`` both per segment and per length."""
    for name in names:
        values, values_per_length = table.local(name, rows), table.local(name + PER_LENGTH, rows)
        both = np.flatnonzero((values != 0.0) & (values_per_length != 0.0))
        if len(both):
            row, value, per_length = int(rows[both[0]]), values[both[0]], values_per_length[both[0]]
            units = (table.component.columns[name].unit, table.component.columns[name + PER_LENGTH].unit)
            raise ModelError(
                f"{name} = {value:g} {units[0]} and {name}{PER_LENGTH} = {per_length:g} {units[1]} in {table.kind} "
                f"row {row}: give one of them, the other must be 0"
            )


def bind_contact(rows: LocalRows, friction: bool) -> Contact:
    """Create the `Contact` of the rows of a law with or without friction. Parameters per length are multiplied by the
    reference length of a segment, and added to the parameters per segment.
    """
    count, segments = len(rows.rows), rows.local("segments")
    length = np.zeros(count)
    for table, positions, shape_rows in rows.world.split_by_table(rows.local("cable")):
        length[positions] = cable_lengths(rows.world, table.local("cable", shape_rows))
    length /= segments

    def per_segment(name: str) -> FloatArray:
        values: FloatArray = rows.local(name) + rows.local(name + PER_LENGTH) * length
        return values

    none, moves = np.zeros(count), rows.world.ref_width(rows.table, "cable") > CABLE_DOFS
    records = create_records(
        circle=rows.markers("circle"),
        cable=rows.markers("cable"),
        data=rows.data_start("data"),
        segments=segments,
        contact_stiffness=per_segment("contact_stiffness"),
        contact_damping=per_segment("contact_damping"),
        friction_velocity_penalty=per_segment("friction_velocity_penalty") if friction else none,
        friction_stiffness=per_segment("friction_stiffness") if friction else none,
        friction_coefficient=rows.local("friction_coefficient") if friction else none,
        radius=rows.local("circle_radius"),
        length=length,
        damping_depth=rows.local("damping_depth"),
        use_segment_normals=rows.local("use_segment_normals") if friction else np.ones(count, dtype=bool),
        clip_normal_force=rows.local("clip_normal_force"),
        active=rows.local("active"),
        is_current=rows.local("sticking_length") == CURRENT if friction else np.zeros(count, dtype=bool),
        shift=none,
    )
    own = SegmentRows(records, friction, np.ascontiguousarray(rows.dofs[:, :-1] if moves else rows.dofs))
    if not moves:
        return Contact(own, None)
    s = rows.dofs[:, -1].copy()
    stored = np.where(records["is_current"] & (s != rows.layout.spare), records["data"] + 3 * segments, -1)
    return Contact(own, AxialMotion(s, stored))


def create_system(rows: LocalRows, contact: Contact) -> System:
    """Create a system with the forces, the tangent, the energies, the rounding errors and the gaps of the rows. The
    caller must set the function that updates history values after Newton's method, because this function differs
    between laws.
    """
    c = contact.columns
    system = System(rows.table.kind, rows.dofs)
    system.residual = call(add_residual, lambda s: (c, s.markers[FAMILY], s.markers[CIRCLE_FAMILY], s.data, s.f))
    system.tangent = call(
        add_tangent,
        lambda s: (
            c, s.markers[FAMILY], s.markers[CIRCLE_FAMILY], s.data, s.v, s.dq, s.dv, s.slots, s.values,
        ),
    )  # fmt: skip

    conserves = not (c.friction or c.rows["contact_damping"].any())
    system.account = create_segment_account(c, contact.axial, conserves)
    system.checks.rounding = lambda fields: eval_rounding(c, fields)
    system.gaps = watch_segments(rows, c, FAMILY, CIRCLE_FAMILY)
    if contact.axial is not None:
        system.residual, system.tangent = create_moving_functions(c, contact.axial)
    return system


def close_touching(contact: Contact, fields: Fields) -> None:
    """Close the open segments of active rows whose gap is at most `TOUCH` times the radius. To close a segment, the gap
    0 is stored. Therefore contact forces support a cable that initially lies on the circle from the first Newton run
    on.
    """
    c = contact.columns
    rows, segments = segment_places(c.rows["segments"])
    gap = eval_segments(contact, fields)[rows, segments, GAP]
    touches = c.rows["active"][rows] & (gap > 0.0) & (gap <= TOUCH * c.rows["radius"][rows])
    fields.data[(c.rows["data"][rows] + segments)[touches]] = 0.0


def eval_segments(contact: Contact, fields: Fields) -> FloatArray:
    """Return all output quantities of all segments, shape (rows, segments, NUMBERS). The quantities are explained in
    `place_numbers.py`.

    The size of the second axis is the largest number of segments of a row. Elements that a row does not use are 0,
    except for the state, which is -2 (undefined).
    """
    c, data = contact.columns, fields.data
    if contact.axial is not None:
        set_shift(c, contact.axial, fields.x, data)
    out = np.zeros((len(c.rows), int(c.rows["segments"].max(initial=0)), NUMBERS))
    out[..., STATE] = UNDEFINED
    fill_outputs(c, fields.markers[FAMILY], fields.markers[CIRCLE_FAMILY], data, out)
    return out


def evaluate_rows(rows: LocalRows, fields: Fields) -> tuple[FloatArray, Any]:
    """Return the result of `eval_segments` and the `SegmentRows` of the rows."""
    contact: Contact = rows.columns
    return eval_segments(contact, fields), contact.columns


def evaluate_powers(rows: LocalRows, fields: Fields) -> FloatArray:
    """Return the powers of all segments, see `eval_powers`."""
    contact: Contact = rows.columns
    return eval_powers(contact.columns, contact.axial, fields)


def create_segment_outputs(friction: bool) -> dict[str, Output]:
    """Create the output variables of a law with segments, see `create_outputs`."""
    return create_outputs(friction, evaluate_rows, evaluate_powers)
