"""Contact with friction between a circle and a 2D cable: belts on pulleys, ropes on drums.

The cable is approximated by n straight segments (`CableShape`). Each segment touches the circle at its closest point
with the forces

    f_n = k_c g + d_c s v_n,   f_t = mu_v v_t + mu_k (x_cur - x_stick)   while |f_t| <= mu |f_n|,  else +-mu |f_n|,

Here x_cur = r alpha + sigma (rho - 1/2) l is the position of the contact point, measured along the circle and along the
segment. The history values describe whether a segment is closed and whether it sticks. The history values change only
between Newton runs. All formulas are in `circle_segments/kernels.py`. The force is divided between the two end points
of a segment in the ratio 1-rho to rho, where rho is the relative position of the closest point. The circle receives the
reaction and the torque of f_t.

Source: J. Gerstmayr and others, documentation of Exudyn 1.11, item ObjectContactFrictionCircleCable2D. In Exudyn the
length l in x_cur is the reference length of a segment. In this law l is the current length of the segment on the
circle.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.connectors.circle_contact.doubts import watch
from windlass.connectors.circle_contact.draw import circle_keys, draw, paint
from windlass.connectors.circle_segments.common import (
    CURRENT,
    REFERENCE,
    SegmentContact,
    bind_contact,
    check_forms,
    check_offsets,
    check_segments,
    close_touching,
    create_segment_outputs,
    create_system,
    eval_segments,
    find_moving,
    has_moving,
)
from windlass.connectors.circle_segments.kernels import SegmentRows
from windlass.connectors.circle_segments.moving_cable import set_shift, update_moving
from windlass.connectors.circle_segments.update import begin_bristles, record_positions, update_friction
from windlass.connectors.contact.circles import (
    CIRCLE_FAMILY,
    check_circles,
    dofs,
    segment_places,
)
from windlass.connectors.contact.place_numbers import FN, FT
from windlass.connectors.friction.bristle import UNDEFINED
from windlass.connectors.markers.cable_shape import FAMILY, SHAPE, ShapeMarkers
from windlass.connectors.markers.position_kernels import PositionMarkers
from windlass.connectors.markers.position_markers import RIGID
from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.post_newton import note_outcome, run_post_newton
from windlass.framework.checks.values import read_words
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.history import check_history, create_history
from windlass.framework.model.law import LocalRows, Tables, register
from windlass.framework.model.schema import column, ref
from windlass.framework.model.system import Evaluation, Fields, PostNewton, System
from windlass.framework.model.table import EntityTable

AT_LIMIT = 1e-6
START = (0.1, UNDEFINED, 0.0)
FORMS = ("contact_stiffness", "contact_damping", "friction_velocity_penalty", "friction_stiffness")


class ContactFrictionCircleCable2D(SegmentContact):
    """Contact and friction between a circle and a cable. There is one row per pair of circle and cable.

    Stiffness and damping are given in one of two forms. *Per segment* (``contact_stiffness`` [N/m] and similar
    columns): every segment has the given value. Therefore twice as many elements or segments make the contact twice as
    stiff. *Per length* (``contact_stiffness_per_length`` [N/m per m of cable] and similar columns): the given value is
    multiplied by the reference length L/n of a segment. Therefore the stiffness of the contact does not depend on the
    number of segments n. The friction coefficient is used unchanged in both forms.

    With segment normals, the friction f_t acts at the distance r + g from the centre, where r is the radius of the
    circle and g the gap. However, the torque on the circle is r f_t. Therefore the sum of the moments of all forces on
    circle and cable is g f_t instead of 0. With ``use_segment_normals`` false, f_t acts at the end points p0 and p1 of
    the segment. The sum of the moments is then ((1-rho) |p0 - c| + rho |p1 - c| - r) f_t, with the centre c of the
    circle and the relative position rho of the closest point. The sum of the forces on circle and cable is always 0.

    With cables whose material moves along the axis (`ALECable2D`), sticking positions refer to the material. However,
    each sticking position is stored for a segment of the mesh, and this segment does not move with the material.
    History values of a row with n segments: n gaps [m], n states, and n sticking positions [m]. A row with moving
    material and the ``sticking_length`` ``"current"`` has one further value: the axial displacement of the material [m]
    at the time at which the sticking positions were stored.
    """

    circle = ref(RIGID, "centre and rotation of the circle")
    cable = ref(SHAPE, "segments of the cable")
    data = ref(
        "GenericData",
        "3 n history values, 3 n + 1 on moving material; created as [0.1]*n + [-2]*n + [0]*n (+ [0]) if left out",
        optional=True,
    )
    friction_velocity_penalty = column("N s/m", "tangential damping mu_v of a segment", default=0.0, minimum=0)
    friction_velocity_penalty_per_length = column(
        "N s/m^2", "tangential damping per metre of cable", default=0.0, minimum=0
    )
    friction_stiffness = column(
        "N/m", "tangential stiffness mu_k of a segment that sticks", default=0.0, minimum=0, switchable=True
    )
    friction_stiffness_per_length = column(
        "N/m^2", "tangential stiffness per metre of cable", default=0.0, minimum=0, switchable=True
    )
    friction_coefficient = column(
        "1", "friction coefficient mu in Coulomb's law |f_t| <= mu |f_n|", default=0.0, minimum=0, switchable=True
    )
    use_segment_normals = column(
        "1",
        "true: the force acts along the normal of the segment, which suits segments of any length; false: the "
        "force acts along the lines from the centre to the end points, which suits segments that are short "
        "relative to the radius",
        default=True,
        dtype=bool,
    )
    sticking_length = column(
        "1",
        "length of segments from which sticking positions are computed: 'current', the stretched length, so "
        "that a stretched cable rolls onto the circle without slip; 'reference', the unstretched length, as "
        "in the published law",
        default=CURRENT,
        dtype="U16",
        choices=(CURRENT, REFERENCE),
    )


def fill_defaults(world: Tables, values: dict[str, Any]) -> dict[str, Any]:
    """Return ``values`` with initial history values if the user has not specified them."""
    given = read_words(values.get("sticking_length", CURRENT))
    current = given is not None and bool((given == CURRENT).any())
    per_row = (0.0,) if current and has_moving(world) else ()
    return create_history(world, ContactFrictionCircleCable2D, values, START, per_row)


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for circles that can leave the plane, and for rows with invalid segments, history, offset or
    combinations of parameters.
    """
    check_circles(world, table)
    check_segments(world, table)
    current = table.local("sticking_length") == CURRENT
    needed = (current & find_moving(world, table)).astype(np.int64)
    check_history(world, table, len(START), needed, allowed=int(has_moving(world)))
    check_offsets(world, table, current)
    check_forms(table, FORMS, table.resident)


@kernel
def note_states(
    c: SegmentRows,
    shape: ShapeMarkers,
    circle: PositionMarkers,
    data: FloatArray,
    start: FloatArray,
    outcome: FloatArray,
) -> None:
    """Update gaps, states and sticking positions, and write the force errors and contact changes of the update into
    ``outcome``.
    """
    error, changed, force, row = update_friction(c, shape, circle, data, start)
    note_outcome(outcome, error, np.inf, changed, force, row)


def build(rows: LocalRows) -> System:
    """Return the `System` with the forces, tangent, update and checks of the rows."""
    # friction_stiffness may have changed, so check again that no parameter is given both per segment and per length
    check_forms(rows.table, FORMS, rows.rows)
    contact = rows.columns
    system, c, axial = create_system(rows, contact), contact.columns, contact.axial

    update_states, record = call(update_friction), call(record_positions)
    own = c.rows
    is_damper_alone = (own["friction_stiffness"] == 0.0) & (own["friction_velocity_penalty"] != 0.0)
    has_dampers_alone = bool((own["is_current"] & is_damper_alone).any())

    def update(*args: Any) -> Any:
        result = update_states(*args)
        if has_dampers_alone:
            record(*args[:4])
        return result

    def update_on_moving(s: Evaluation) -> PostNewton:
        error, changed, force, row = update_moving(update, c, axial, s)
        return PostNewton(error=error, changed=changed, force=force, row=row)

    on_shape = call(
        note_states, lambda s: (c, s.markers[FAMILY], s.markers[CIRCLE_FAMILY], s.data, s.start_data, s.outcome)
    )
    if has_dampers_alone:
        on_shape += call(record_positions, lambda s: (c, s.markers[FAMILY], s.markers[CIRCLE_FAMILY], s.data))
    system.post_newton = on_shape if axial is None else update_on_moving
    places = segment_places(own["segments"])
    states = (own["data"] + own["segments"])[places[0]] + places[1]
    sticks = states + own["segments"][places[0]]

    begin = call(begin_bristles)

    def renew(fields: Fields) -> None:
        if axial is not None:
            set_shift(c, axial, fields.x, fields.data)
        begin(c, fields.markers[FAMILY], fields.markers[CIRCLE_FAMILY], fields.data)

    system.changes.renew = renew

    def decide(fields: Fields) -> None:
        start, data = fields.start_data, fields.data
        before = data.copy()
        # A sticking position of 0 means that no position was stored. In this case the bristle starts at the present
        # position of its segment.
        start[states[start[sticks] == 0.0]] = UNDEFINED
        run_post_newton(system, fields)
        # A segment whose bristle force equals the friction limit slips. Otherwise rounding errors would determine its
        # state.
        force = np.abs(eval_segments(contact, fields)[places])
        limit = np.repeat(own["friction_coefficient"], own["segments"]) * force[:, FN]
        slips = (np.abs(before[states]) == 1.0) & (data[states] == 0.0) & (force[:, FT] >= limit * (1.0 - AT_LIMIT))
        for at in (states[slips], sticks[slips]):
            data[at] = before[at]
        close_touching(contact, fields)

    system.decide = decide
    watch(system, rows)
    return system


register(
    ContactFrictionCircleCable2D,
    "connector",
    dofs=dofs,
    bind=lambda rows: bind_contact(rows, friction=True),
    build=build,
    outputs=create_segment_outputs(friction=True),
    fill_defaults=fill_defaults,
    check=check,
    source="[@exudyn], ObjectContactFrictionCircleCable2D",
    draw=draw,
    draw_keys=circle_keys,
    paint=paint,
)
