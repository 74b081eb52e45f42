"""Contact without friction between a circle and a 2D cable.

The law is `ContactFrictionCircleCable2D` without the friction force f_t. The symbols are explained in
`circle_segments/kernels.py`. The only history value of a segment is its gap. The normal force is

    f_n = k_c g + d_c s v_n along the normal of the segment, for segments with a stored gap <= 0

The stored gap is updated after a Newton run, and only if the sign of the gap has changed. The contact exerts no torque
on the circle. Therefore any position marker is allowed.

Source: J. Gerstmayr and others, documentation of Exudyn 1.11, item ObjectContactCircleCable2D.
"""

from __future__ import annotations

import numpy as np

from windlass.connectors.circle_contact.doubts import watch
from windlass.connectors.circle_contact.draw import circle_keys, draw, paint
from windlass.connectors.circle_segments.common import (
    SegmentContact,
    bind_contact,
    check_forms,
    check_segments,
    close_touching,
    create_segment_outputs,
    create_system,
)
from windlass.connectors.circle_segments.kernels import SegmentRows
from windlass.connectors.circle_segments.update import update_gaps
from windlass.connectors.contact.circles import CIRCLE_FAMILY, check_circles, dofs
from windlass.connectors.markers.cable_shape import FAMILY, SHAPE, ShapeMarkers
from windlass.connectors.markers.position_kernels import PositionMarkers
from windlass.connectors.markers.position_markers import POSITION
from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.post_newton import note_outcome, run_post_newton
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.history import check_history, create_history
from windlass.framework.model.law import LocalRows, Tables, register
from windlass.framework.model.schema import ref
from windlass.framework.model.system import Fields, System
from windlass.framework.model.table import EntityTable

START = (0.1,)
FORMS = ("contact_stiffness", "contact_damping")


class ContactCircleCable2D(SegmentContact):
    """Contact between a circle and a cable. There is one row per pair of circle and cable.

    Stiffness and damping *per segment* are used unchanged for every segment. Values *per length* are multiplied by the
    reference length L/n of a segment. Therefore the stiffness of the contact does not depend on the number of segments
    n. History values per row: the gaps of the n segments [m].
    """

    circle = ref(POSITION, "centre of the circle")
    cable = ref(SHAPE, "segments of the cable")
    data = ref("GenericData", "n history values; created as [0.1]*n if left out", optional=True)


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for circles that can leave the plane, and for rows with invalid segments, history or
    combinations of parameters.
    """
    check_circles(world, table)
    check_segments(world, table)
    check_history(world, table, len(START))
    check_forms(table, FORMS, table.resident)


@kernel
def note_gaps(
    c: SegmentRows, shape: ShapeMarkers, circle: PositionMarkers, data: FloatArray, outcome: FloatArray
) -> None:
    """Update the stored gaps, and write the force errors and contact changes of the update into ``outcome``."""
    error, changed, force, row = update_gaps(c, shape, circle, data)
    note_outcome(outcome, error, np.inf, changed, force, row)


def build(rows: LocalRows) -> System:
    """Return the `System` with the forces, tangent, update and checks of the rows."""
    contact = rows.columns
    system, c = create_system(rows, contact), contact.columns

    system.post_newton = call(note_gaps, lambda s: (c, s.markers[FAMILY], s.markers[CIRCLE_FAMILY], s.data, s.outcome))

    def decide(fields: Fields) -> None:
        run_post_newton(system, fields)
        close_touching(contact, fields)

    system.decide = decide
    watch(system, rows)
    return system


register(
    ContactCircleCable2D,
    "connector",
    dofs=dofs,
    bind=lambda rows: bind_contact(rows, friction=False),
    build=build,
    outputs=create_segment_outputs(friction=False),
    fill_defaults=lambda world, values: create_history(world, ContactCircleCable2D, values, START),
    check=check,
    source="[@exudyn], ObjectContactCircleCable2D",
    draw=draw,
    draw_keys=circle_keys,
    paint=paint,
)
