"""Drawing of `Cable2D`: every cable as straight lines between points of its cubic axis.

| point field | unit | meaning |
| --- | --- | --- |
| `displacement` | m | from the reference position, global; added to every drawing when it is recorded |
| `velocity` | m/s | global |
| `axial_force` | N | tension > 0 |
| `bending_moment` | N m | > 0 where it bends to the left of the direction of growing x |
| `curvature` | 1/m | > 0 to the left |

The values are those of the output variables of the same names.  Neighbouring cables each have their own points where
they meet, because forces and curvature may jump there.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from windlass.elements.cable2d.outputs import (
    NODES,
    OUTPUTS,
    CableView,
    Kinematics,
    Section,
    create_section,
    eval_force,
    eval_position,
    eval_velocity,
)
from windlass.framework.arrays import FloatArray
from windlass.framework.model.drawing import Drawing
from windlass.framework.model.law import LocalRows
from windlass.framework.model.system import Fields

FIELDS: dict[str, Callable[[Section], FloatArray]] = {
    "velocity": eval_velocity,
    "axial_force": lambda section: eval_force(section, "axial_force"),
    "bending_moment": lambda section: eval_force(section, "bending_moment"),
    "curvature": lambda section: section.strains.kap,
}
FORCES = ("axial_force", "bending_moment")


def draw(rows: LocalRows, fields: Fields, subdivisions: int, kinematics: Kinematics = NODES) -> Drawing:
    """Each cable as ``subdivisions`` lines of equal reference length; cables that share nodes are one part."""
    count = len(rows.rows)
    view: CableView = rows.columns
    x = view.length * (np.arange(subdivisions + 1) / subdivisions)
    motions = dict.fromkeys(kinematics)
    sections = {motion: create_section(rows, motion(rows, fields), fields.t, x, 0.0) for motion in motions}

    def at_points(evaluate: Callable[[Section], FloatArray], force: bool = False) -> FloatArray:
        values = evaluate(sections[kinematics.force if force else kinematics.material])
        return values.reshape(count * (subdivisions + 1), *values.shape[2:])

    number = np.arange(count * (subdivisions + 1)).reshape(count, subdivisions + 1)
    return Drawing(
        points=at_points(eval_position),
        lines=np.stack((number[:, :-1].ravel(), number[:, 1:].ravel()), axis=1),
        part=np.repeat(view.parts, subdivisions),
        entity=np.repeat(rows.table.ids_of(rows.rows), subdivisions),
        start=x[:, :-1].ravel(),
        end=x[:, 1:].ravel(),
        point_data={name: at_points(evaluate, name in FORCES) for name, evaluate in FIELDS.items()},
        units={name: OUTPUTS[name].unit for name in FIELDS},
        # positions, which several nodes may share
        joints=np.repeat(rows.layout.dofs[rows.dofs[:, [0, 4]]], subdivisions, axis=0),
    )
