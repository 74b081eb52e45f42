"""Checks, data for kernels, and outputs that the laws of contact between a circle and the segments of a cable have in
common.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.circle_segments.gaps import watch_segments
from windlass.connectors.circle_segments.kernels import SegmentRows
from windlass.connectors.circle_segments.moving_cable import AxialMotion, create_moving_functions, set_shift
from windlass.connectors.circle_segments.place_numbers import (
    COORDINATES,
    FORCES,
    GAP,
    NORMAL,
    NUMBERS,
    NX,
    NY,
    POSITION,
    RATES,
    STATE,
)
from windlass.connectors.circle_segments.power import create_power_outputs, create_segment_account, eval_powers
from windlass.connectors.circle_segments.residual import add_residual
from windlass.connectors.circle_segments.tangent import add_tangent
from windlass.connectors.circle_segments.update import fill_outputs
from windlass.connectors.constraints.joints import find_spatial
from windlass.connectors.friction.bristle import UNDEFINED
from windlass.connectors.markers.cable_shape import CABLE_DOFS, FAMILY, cable_lengths
from windlass.connectors.markers.position_kernels import FAMILY as POSITIONS
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.errors import ModelError
from windlass.framework.kernels.call import call
from windlass.framework.model.law import LocalRows, Output, Tables
from windlass.framework.model.rows import create_records
from windlass.framework.model.schema import Component, column
from windlass.framework.model.system import Fields, System
from windlass.framework.model.table import EntityTable

CIRCLE_FAMILY = POSITIONS
PER_LENGTH = "_per_length"
TOUCH = 1e-12
"""Largest gap, divided by the radius of the circle [1], that is treated as closed at the start of a solve."""
CURRENT, REFERENCE = "current", "reference"


class SegmentContact(Component):
    """Columns that `ContactCircleCable2D` and `ContactFrictionCircleCable2D` have in common."""

    history_column = "segments"
    segments = column("1", "number of segments n, as in the marker", dtype=np.int64, minimum=1)
    contact_stiffness = column("N/m", "normal stiffness k_c of a segment", default=0.0, minimum=0)
    contact_stiffness_per_length = column("N/m^2", "normal stiffness per metre of cable", default=0.0, minimum=0)
    contact_damping = column("N s/m", "normal damping d_c of a segment", default=0.0, minimum=0)
    contact_damping_per_length = column("N s/m^2", "normal damping per metre of cable", default=0.0, minimum=0)
    damping_depth = column(
        "m",
        "depth g_0 over which contact_damping fades in, so that f_n is continuous at touch; 0: full damping at once",
        default=0.0,
        minimum=0,
    )
    circle_radius = column("m", "radius r of the circle", above=0)
    clip_normal_force = column("1", "true: f_n never pulls; false: damping can make it pull", default=False, dtype=bool)
    active = column("1", "false: no forces, history untouched", default=True, dtype=bool, switchable=True)


class Contact(NamedTuple):
    """Data of the rows of a contact law with segments."""

    columns: SegmentRows  # data of the kernels
    axial: AxialMotion | None  # axial motions of the material; None if no cable of the table has moving material


def dofs(world: Tables, table: EntityTable) -> IntArray:
    """Return the global coordinate indices of the nodes of the cable (8) and of the circle, or -1 for missing
    coordinates. The number of columns of the result is determined by the circle with the most coordinates. If the
    material of any cable of the table moves along the axis, the last column of the result contains the indices of the
    axial displacements.
    """
    circle, cable = world.dofs_of(table.local("circle")), world.dofs_of(table.local("cable"))
    used = np.flatnonzero((circle >= 0).any(axis=0))
    width = int(used[-1]) + 1 if len(used) else 0
    return np.concatenate((cable[:, :CABLE_DOFS], circle[:, :width], cable[:, CABLE_DOFS:]), axis=1)


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
    """Raise ModelError for rows whose offset is so large that the centre of the circle could lie between the contact
    line and the axis. Only rows that use the current length are checked; ``current``, shape (resident,), states whether
    a row uses the current length.
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
    """Return whether the model has cables whose material moves along the axis."""
    return any("ale" in component.refs and table.count > 0 for component, table in world.tables.items())


def find_moving(world: Tables, table: EntityTable) -> NDArray[np.bool_]:
    """Return whether each row of this process touches a cable whose material moves along the axis, shape
    (resident,)."""
    moves = np.zeros(table.resident_count, dtype=bool)
    for target, positions, rows in world.split_by_table(table.local("cable")):
        for cables, places, _ in world.split_by_table(target.local("cable", rows)):
            moves[positions[places]] = "ale" in cables.component.refs
    return moves


def check_forms(table: EntityTable, names: tuple[str, ...], rows: IntArray) -> None:
    """Raise ModelError for rows of this process that give a parameter both per segment and per length."""
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


def check_circles(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for circles that can leave the plane of the cables."""
    for row in table.resident[find_spatial(world, table.local("circle"))][:1]:
        raise ModelError(f"circle in {table.kind} row {row} is on a 3D body: must be a 2D marker")


def bind_contact(rows: LocalRows, friction: bool) -> Contact:
    """Create the arrays that the kernels read. Parameters per length are multiplied by the reference length of a
    segment.
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
    """Create a system with the forces and the tangent of the rows. The system contains no update after Newton's method;
    the law must add this update.
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


def eval_rounding(c: Any, fields: Fields) -> float:
    """Return an estimate of the 2-norm of the rounding errors of the forces [N]. Gaps and displacements along the
    circle are assumed to have rounding errors of eps (|c| + r), where c is the centre of the circle.

    c: data of rows with segments or with points, as read by kernels.
    """
    center = fields.markers[CIRCLE_FAMILY].p[c.rows["circle"], :2]
    error = (
        np.finfo(float).eps
        * (c.rows["contact_stiffness"] + c.rows["friction_stiffness"])
        * (np.hypot(*center.T) + c.rows["radius"])
    )
    rows, places = segment_places(c.rows["segments"])
    closed = c.rows["active"][rows] & (fields.data[c.rows["data"][rows] + places] <= 0.0)
    return float(np.linalg.norm(error[rows[closed]]))


def segment_places(n: IntArray) -> tuple[IntArray, IntArray]:
    """Return two arrays: the row of each segment, and the index of the segment within its row. n: number of segments of
    each row, shape (rows,).
    """
    rows = np.repeat(np.arange(len(n)), n)
    return rows, np.arange(len(rows)) - np.repeat(np.cumsum(n) - n, n)


def close_touching(contact: Contact, fields: Fields) -> None:
    """Set segments whose gap is 0 up to rounding errors to closed. Therefore a cable that initially lies on the circle
    is supported by contact forces from the first Newton run on.
    """
    c = contact.columns
    rows, segments = segment_places(c.rows["segments"])
    gap = eval_segments(contact, fields)[rows, segments, GAP]
    touches = c.rows["active"][rows] & (gap > 0.0) & (gap <= TOUCH * c.rows["radius"][rows])
    fields.data[(c.rows["data"][rows] + segments)[touches]] = 0.0


def eval_segments(contact: Contact, fields: Fields) -> FloatArray:
    """Return all output quantities of all segments, shape (rows, segments, NUMBERS); see `place_numbers.py`.

    For rows with fewer segments than the row with the most segments, the unused elements are 0, except for the state,
    which is -2 (undefined).
    """
    c, data = contact.columns, fields.data
    if contact.axial is not None:
        set_shift(c, contact.axial, fields.x, data)
    out = np.zeros((len(c.rows), int(c.rows["segments"].max(initial=0)), NUMBERS))
    out[..., STATE] = UNDEFINED
    fill_outputs(c, fields.markers[FAMILY], fields.markers[CIRCLE_FAMILY], data, out)
    return out


def evaluate_rows(rows: LocalRows, fields: Fields) -> tuple[FloatArray, Any]:
    """Return the result of `eval_segments` and the arrays with the data of the rows that kernels read."""
    contact: Contact = rows.columns
    return eval_segments(contact, fields), contact.columns


def evaluate_powers(rows: LocalRows, fields: Fields) -> FloatArray:
    """Evaluate the powers of the segments of rows; see `eval_powers`."""
    contact: Contact = rows.columns
    return eval_powers(contact.columns, contact.axial, fields)


def create_outputs(
    friction: bool,
    evaluate: Callable[[LocalRows, Fields], tuple[FloatArray, Any]] = evaluate_rows,
    powers: Callable[[LocalRows, Fields], FloatArray] = evaluate_powers,
) -> dict[str, Output]:
    """Create output variables of a contact law: values of segments, shape (rows, segments, ...), and powers of rows,
    shape (rows,).

    For rows with fewer segments than the evaluated row with the most segments, the unused elements are 0 (``state``:
    -2). ``evaluate`` and ``powers`` return the quantities of a law, see `evaluate_rows` and `evaluate_powers`.
    """

    def output(unit: str, doc: str, pick: Callable[[FloatArray, Any], Any]) -> Output:
        return Output(unit, doc, lambda rows, fields: pick(*evaluate(rows, fields)))

    outputs = {
        "force_local": output(
            "N",
            "forces [f_t, f_n] along tangent and normal, 0 where open; f_n < 0 presses",
            lambda o, c: o[..., FORCES],
        ),
        "coordinates": output(
            "m",
            "[u_t, g]: tangential displacement since sticking (0 if slipping; v_t in m/s without friction stiffness) "
            "and gap, both 0 where open",
            lambda o, c: o[..., COORDINATES],
        ),
        "coordinates_rate": output("m/s", "relative velocities [v_t, v_n], 0 where open", lambda o, c: o[..., RATES]),
        "force_per_length": output(
            "N/m",
            "[f_t, f_n] per reference length of the cable, 0 where open",
            lambda o, c: o[..., FORCES] / c.rows["length"][:, None, None],
        ),
        "gap": output("m", "distance between circle and segment, also where open", lambda o, c: o[..., GAP]),
        "contact_position": output("m", "closest point of the segment, global x, y", lambda o, c: o[..., POSITION]),
        "normal": output("1", "n from circle to cable, global x, y", lambda o, c: o[..., NORMAL]),
        "tangent": output(
            "1", "t = [-n_y, n_x], global x, y", lambda o, c: np.stack((-o[..., NY], o[..., NX]), axis=-1)
        ),
    }
    if friction:
        state = output("1", "0 sticks, +-1 slips, -2 open or undefined", lambda o, c: o[..., STATE])
        outputs["state"] = replace(state, fill=UNDEFINED)
    outputs |= create_power_outputs(friction, powers)
    return outputs
