"""2D revolute joint: a point of one body coincides with a point of another body, and both bodies can rotate freely.

    C = [p1_x - p0_x, p1_y - p0_y]

Source: E. J. Haug, Computer Aided Kinematics and Dynamics of Mechanical Systems, Allyn and Bacon (1989).
"""

from __future__ import annotations

from windlass.connectors.constraints.joints import check_planar, register_joint
from windlass.connectors.constraints.spherical_joint import loops
from windlass.connectors.markers.position_markers import POSITION
from windlass.framework.model.schema import Component, column, ref


class RevoluteJoint2D(Component):
    """Connects two points in 2D by a pin."""

    provides = ("joint",)
    marker0 = ref(POSITION, "first point")
    marker1 = ref(POSITION, "second point")
    active = column("1", "the constraint acts only if true", dtype=bool, default=True, switchable=True)


register_joint(
    RevoluteJoint2D, loops, multipliers=2, unit="m", equations="p1 - p0 along x, y, (2,)", check=check_planar
)
