"""Torsion spring and damper about the z axis of a joint frame, over any number of turns.

    frames: B0 = A0 frame0,    B1 = A1 frame1,    R = B0ᵀ B1, and z is the third axis of B0
    angle: φ = atan2(-R_xy, R_xx) + 2π n, the third angle of R = Rx Ry Rz. For a hinge, φ is the angle of rotation
    rate: φ_t = z·(ω1 - ω0)
    torque: τ = k (φ - offset) + d (φ_t - rate_offset) + preload, or force_function(t, row, φ, φ_t, k, d, offset)
    action: τ z on marker 1, -τ z on marker 0, on the left-hand side

The number n of whole turns is chosen such that φ is nearest to the angle at the end of the previous step. The angle at
the end of the previous step is stored as history value. Therefore the rotation in a step must be less than half a turn.
If the user gives no history value, the initial angle is in (-π, π]. The spring is usually combined with a hinge, such
as a `RevoluteJoint2D` or `GenericJoint`. If the z axes of both joint frames are not parallel, φ_t is not the rate of φ.
The energy ledger then lists the difference of the powers as ``drive``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.connectors.markers.position_markers import RIGID
from windlass.connectors.rigid_springs.common import IDENTITY, register_rigid_spring
from windlass.connectors.rigid_springs.pairs import ComplexArray, Pose, eval_turn, turn
from windlass.connectors.user_functions.user_forces import force_columns
from windlass.connectors.user_functions.user_rows import USER_FIELDS
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import Output
from windlass.framework.model.schema import Component, column, ref

START = (0.0,)


class TorsionalSpringDamper(Component):
    """A torsion spring and a damper about an axis of marker 0. One history value per row: the angle [rad]."""

    marker0 = ref(RIGID, "first marker; the axis is an axis of its joint frame")
    marker1 = ref(RIGID, "second marker")
    data = ref("GenericData", "1 history value; created as [0.0] if left out", optional=True)
    stiffness = column("N m/rad", "stiffness k", default=0.0, minimum=0.0, switchable=True)
    damping = column("N m s/rad", "damping d", default=0.0, minimum=0.0, switchable=True)
    offset = column("rad", "angle φ at which the spring torque is 0", default=0.0, switchable=True)
    rate_offset = column("rad/s", "rate φ_t at which the damping torque is 0", default=0.0, switchable=True)
    preload = column("N m", "constant torque; a positive torque turns marker 1 back", default=0.0, switchable=True)
    frame0 = column("1", "rotation matrix of the joint frame in the frame of marker 0", shape=(3, 3), default=IDENTITY)
    frame1 = column("1", "rotation matrix of the joint frame in the frame of marker 1", shape=(3, 3), default=IDENTITY)
    force_function, force_derivative = force_columns(
        "f(t, row, angle, rate, stiffness, damping, offset) -> torque [N m]", "(dτ/dφ, dτ/dφ_t)"
    )
    active = column("1", "the spring acts only if true", dtype=bool, default=True, switchable=True)
    has_function, user_force, df_du, df_dut = USER_FIELDS


@kernel
def measure(row: Any, u: Pose, ut: ComplexArray, x: ComplexArray, xt: ComplexArray) -> None:
    """Write the angle φ [rad], nearest to the angle at the end of the previous step, and the rate φ_t [rad/s]."""
    x[0], xt[0] = eval_turn(turn(u.A, row.frame0), turn(u.B, row.frame1), ut, row.history[0])


@kernel
def apply(row: Any, u: Pose, g: ComplexArray) -> Any:
    """Return the nine components of the forces and torques for the torque g[0] about the axis. See
    `rigid_springs/pairs.py`.
    """
    P, zero = turn(u.A, row.frame0), complex(0.0, 0.0)
    x, y, z = g[0] * P[0, 2], g[0] * P[1, 2], g[0] * P[2, 2]
    return zero, zero, zero, -x, -y, -z, x, y, z


@kernel
def store_angle(row: Any, u: Pose, ut: ComplexArray, t: float, h: float) -> tuple[float, float, bool, float]:
    """Store the angle φ as history value, and return a force error of 0."""
    row.history[0] = eval_turn(turn(u.A, row.frame0), turn(u.B, row.frame1), ut, row.history[0])[0].real
    return 0.0, np.inf, False, 0.0


register_rigid_spring(
    TorsionalSpringDamper,
    measure,
    apply,
    1,
    outputs=lambda number: {
        "angle": Output("rad", "angle φ, not limited to ±π, (); the offset is not subtracted", number(0, 0)),
        "rate": Output("rad/s", "rate φ_t of the angle, ()", number(1, 0)),
        "torque": Output("N m", "torque τ, (); a positive torque turns marker 1 back", number(2, 0)),
    },
    start=START,
    update=store_angle,
    update_inactive=True,
    source="[@exudyn], ObjectConnectorTorsionalSpringDamper",
)
