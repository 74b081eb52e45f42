"""Node of a place along a chain of cables: one coordinate s, an arc length of the undeformed cables.

Where the cables have moving material (`ALECable2D`), s counts along the material, so that it is constant for what is
clamped to it.

Source: J. Gerstmayr and others, documentation of Exudyn, item ObjectJointSliding2D (the sliding coordinate).
"""

from __future__ import annotations

from typing import ClassVar

from windlass.elements.nodes.ale_node import coordinate_output
from windlass.elements.nodes.nodes2d import node_dofs
from windlass.framework.model.law import Law, register
from windlass.framework.model.schema import Component, column


class SlidingNode(Component):
    """A place along a chain of cables, see `SlidingJoint`."""

    provides = ("node",)
    dof_names = ("s",)
    reference_columns: ClassVar[tuple[str, ...]] = ("reference",)
    initial_columns = ("displacement", "velocity")
    reference = column("m", "place s from the start of the chain, by undeformed length", default=0.0)
    displacement = column("m", "initial displacement of s from its reference", shape=(1,), default=(0.0,))
    velocity = column("m/s", "initial s_t", shape=(1,), default=(0.0,))


register(
    Law(
        SlidingNode,
        "node",
        dofs=node_dofs,
        outputs={
            "coordinate": coordinate_output("m", "s, reference and displacement", lambda rows, f: f.x[rows.dofs]),
            "displacement": coordinate_output(
                "m", "s from its reference", lambda rows, f: f.x[rows.dofs] - rows.reference
            ),
            "velocity": coordinate_output("m/s", "s_t", lambda rows, f: f.v[rows.dofs]),
            "acceleration": coordinate_output("m/s^2", "s_tt", lambda rows, f: f.a[rows.dofs]),
        },
        source="[@exudyn], ObjectJointSliding2D",
    )
)
