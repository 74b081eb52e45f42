"""Revolute joint in the plane: two points stay together, their rotations are free.

    C = [p1_x - p0_x, p1_y - p0_y]

Source: E. J. Haug, Computer Aided Kinematics and Dynamics of Mechanical Systems, Allyn and Bacon (1989).
"""

from __future__ import annotations

import numpy as np

from windlass.connectors.constraints.joint_kernels import Joint
from windlass.connectors.constraints.joints import SOURCE, bind_joint, check_planar, create_system, joint_outputs
from windlass.connectors.constraints.spherical_joint import loops
from windlass.connectors.markers.pairs import pair_dofs
from windlass.framework.arrays import FloatArray
from windlass.framework.model.law import Law, LocalRows, register
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.system import System


class RevoluteJoint2D(Component):
    """Holds two points of the plane together: a pin."""

    marker0 = ref("position marker", "first point")
    marker1 = ref("position marker", "second point")
    active = column("1", "holds only if true", dtype=bool, default=True, switchable=True)


def bind(rows: LocalRows) -> tuple[FloatArray, Joint]:
    """Nothing but the markers: the equation has no parameters."""
    j = bind_joint(rows, np.ones(2, bool))
    return j.on.astype(float), j


def build(rows: LocalRows) -> System:
    """The system of `RevoluteJoint2D`."""
    return create_system(rows, loops)


register(
    Law(
        RevoluteJoint2D,
        role="constraint",
        multipliers=2,
        dofs=pair_dofs,
        bind=bind,
        build=build,
        check=check_planar,
        outputs=joint_outputs(loops, "m", "p1 - p0 along x, y, (2,)"),
        source=SOURCE,
    )
)
