"""Contact with friction between soft beds and points of thick 3D beams: friction acts at the radius of the beam.

The laws of normal force, suction and friction are those of `ContactFrictionBedCable`. Friction acts at the radius of
the beam, as in `ContactFrictionSurfaceBeam3D`, and turns its cross sections; see `bed_beam_kernels.py` for all
formulas.

Source: P. Wriggers, Computational Contact Mechanics, Springer (2006): radial return; C. Bridge and others, OTC 16628
(2004): suction of lines that are lifted from clay.
"""

from __future__ import annotations

import numpy as np

from windlass.connectors.surface_contact.contact_friction_bed_cable import BED, check_columns
from windlass.connectors.surface_contact.contact_friction_surface_beam import OUTPUTS, dofs, find_signs
from windlass.connectors.surface_contact.contact_friction_surface_cable import bind_rows
from windlass.connectors.surface_contact.contact_friction_turning import (
    BED_START,
    TurningBedContact,
    build_turning_bed,
    check_bed,
)
from windlass.connectors.surface_contact.kernels import ContactRows
from windlass.connectors.surface_contact.outputs import BED_OUTPUTS, paint
from windlass.connectors.surface_contact.surfaces import SURFACE, bind_surfaces
from windlass.framework.model.history import create_history
from windlass.framework.model.law import LocalRows, register
from windlass.framework.model.schema import ref


class ContactFrictionBedBeam3D(TurningBedContact):
    """Contact and friction between a soft bed and n points of a `Beam3D`. Friction turns the cross sections.

    All other properties are the same as for `ContactFrictionBedCable`. The direction along the beam is e_1 of the cross
    section. Friction acts at the radius of the beam, and the limits of the turn within a step are those of
    `ContactFrictionSurfaceBeam3D`. Each row has the history values of `ContactFrictionBedCable` (7 n), followed by the
    axes e_1 (n x 3) and e_2 (n x 3) of the cross section at the start of the step, in the frame of the surface.
    """

    surface = ref(SURFACE, "the bed")
    cable = ref("3D beam", "the beam")
    data = ref("GenericData", "13 n history values; created if left out", optional=True)


def bind(rows: LocalRows) -> ContactRows:
    """Return the data of the rows for kernels, with the columns `BED` and the result of `find_signs`.

    Raises:
        ModelError: columns have inconsistent values after `World.set`.
    """
    check_columns(rows.table)
    ids, surface = np.unique(rows.local("surface"), return_inverse=True)
    soft = {name: rows.local(name) for name in BED}
    return bind_rows(rows, bind_surfaces(rows, ids), surface, **soft, flip=find_signs(rows))


register(
    ContactFrictionBedBeam3D,
    "connector",
    dofs=dofs,
    bind=bind,
    build=build_turning_bed,
    outputs=OUTPUTS | {"suction": BED_OUTPUTS["suction"]},
    fill_defaults=lambda world, values: create_history(world, ContactFrictionBedBeam3D, values, BED_START),
    check=check_bed,
    source="[@wriggers2006]; [@bridge2004]",
    paint=paint,
)
