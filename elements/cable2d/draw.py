"""How `Cable2D` shows itself: every cable as straight lines between points of its cubic axis.

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
from scipy.sparse import coo_array

from windlass.elements.cable2d.outputs import (
    NODES,
    OUTPUTS,
    Kinematics,
    Section,
    create_section,
    eval_force,
    eval_position,
    eval_velocity,
)
from windlass.framework.arrays import FloatArray, IntArray
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
    x = rows.column("length")[:, None] * (np.arange(subdivisions + 1) / subdivisions)
    motions = dict.fromkeys(kinematics)
    sections = {motion: create_section(rows, motion(rows, fields), fields.t, x, 0.0) for motion in motions}

    def at_points(evaluate: Callable[[Section], FloatArray], force: bool = False) -> FloatArray:
        values = evaluate(sections[kinematics.force if force else kinematics.material])
        return values.reshape(count * (subdivisions + 1), *values.shape[2:])

    number = np.arange(count * (subdivisions + 1)).reshape(count, subdivisions + 1)
    return Drawing(
        points=at_points(eval_position),
        lines=np.stack((number[:, :-1].ravel(), number[:, 1:].ravel()), axis=1),
        part=np.repeat(find_parts(rows), subdivisions),
        entity=np.repeat(rows.table.ids_of(rows.rows), subdivisions),
        start=x[:, :-1].ravel(),
        end=x[:, 1:].ravel(),
        point_data={name: at_points(evaluate, name in FORCES) for name, evaluate in FIELDS.items()},
        units={name: OUTPUTS[name].unit for name in FIELDS},
        # positions, which several nodes may share
        joints=np.repeat(rows.layout.dofs[rows.dofs[:, [0, 4]]], subdivisions, axis=0),
    )


def find_parts(rows: LocalRows) -> IntArray:
    """Label of each cable, shape (rows,), equal for cables that meet at positions; labels follow the rows."""
    from scipy.sparse.csgraph import connected_components  # here, because a run without output need not wait for it

    # by the first coordinate of each end, since nodes may share a position
    nodes, inverse = np.unique(rows.dofs[:, [0, 4]].T, return_inverse=True)
    node0, node1 = inverse.reshape(2, -1)
    graph = coo_array((np.ones(len(node0)), (node0, node1)), shape=(len(nodes), len(nodes)))
    label = connected_components(graph, directed=False)[1][node0]
    _, first = np.unique(label, return_index=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    parts: IntArray = rank[label]
    return parts
