"""Node for a position along a chain of cables. The only coordinate s of this node is the arc length of the undeformed
cables.

For cables with moving material (`ALECable2D`), s is a material coordinate. Therefore s is constant for parts that are
clamped to the material.

Source: J. Gerstmayr and others, documentation of Exudyn, item ObjectJointSliding2D (the sliding coordinate).
"""

from __future__ import annotations

from windlass.elements.nodes.ale_node import ALENode, coordinate_outputs
from windlass.framework.model.law import register
from windlass.framework.model.schema import column


class SlidingNode(ALENode):
    """A position along a chain of cables, for a `SlidingJoint`."""

    reference = column("m", "position s from the start of the chain, measured in undeformed length", default=0.0)
    velocity = column("m/s", "initial speed s_t", shape=(1,), default=(0.0,))


SOURCE = "[@exudyn], ObjectJointSliding2D"
register(SlidingNode, "node", outputs=coordinate_outputs("s_t"), source=SOURCE)
