"""Bushing: springs and dampers between two rigid markers in all six directions, coupled by 6 × 6 matrices.

    frames: B0 = A0 frame0,    B1 = A1 frame1,    R = B0ᵀ B1,    d = p1 - p0
    displacements: x = [B0ᵀ d, angles about x, y, z of R = Rx Ry Rz] [m, rad]
    rates with moment_arm: x_t = [B0ᵀ (v1 - v0 - ω0 × d), B0ᵀ (ω1 - ω0)]
    rates otherwise: x_t = [B0ᵀ (v1 - v0), B0ᵀ (ω1 - ω0)]
    generalised forces: g = K (x - offset) + D x_t, or force_function(t, row, x, x_t, K, D, offset)
    forces on the left side: f = B0 g_123 on point 1, -f on point 0
    torques on the left side: B0 g_456 on marker 1, -B0 g_456 on marker 0, with moment_arm also -d × f on marker 0

The law of Exudyn has no moment d × f. This moment is small if points 0 and 1 remain close to each other. With
``moment_arm = False`` this law agrees with the law of Exudyn. The torques along the axes of B0 are K times the angles.
The law of Exudyn has the same torques. The work of these torques equals the energy x·Kx/2 only for small angles. The
energy ledger lists the difference as ``drive``. If the angle about y is 90°, the angles are not defined.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.connectors.markers.position_kernels import cross
from windlass.connectors.markers.position_markers import RIGID
from windlass.connectors.rigid_springs.common import IDENTITY, register_rigid_spring
from windlass.connectors.rigid_springs.pairs import ComplexArray, Pose, eval_angle, turn
from windlass.connectors.user_functions.user_forces import force_columns
from windlass.connectors.user_functions.user_rows import USER_FIELDS
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import Output
from windlass.framework.model.schema import Component, column, ref

NONE = ((0.0,) * 6,) * 6


class RigidBodySpringDamper(Component):
    """A bushing: springs and dampers in all directions between two rigid markers."""

    marker0 = ref(RIGID, "first point; the directions are the axes of its joint frame")
    marker1 = ref(RIGID, "second point")
    stiffness = column(
        "N/m",
        "stiffness matrix K for displacements, then rotations [N/m, N/rad; N, N m/rad]",
        shape=(6, 6),
        default=NONE,
        switchable=True,
    )
    damping = column(
        "N s/m",
        "damping matrix D for displacements, then rotations [N s/m, N s/rad; N s, N m s/rad]",
        (6, 6),
        NONE,
        switchable=True,
    )
    offset = column(
        "m",
        "displacements and rotations x at which the spring force is 0 [m, rad]",
        shape=(6,),
        default=(0.0,) * 6,
        switchable=True,
    )
    frame0 = column("1", "rotation matrix of the joint frame in the frame of marker 0", shape=(3, 3), default=IDENTITY)
    frame1 = column("1", "rotation matrix of the joint frame in the frame of marker 1", shape=(3, 3), default=IDENTITY)
    force_function, force_derivative = force_columns(
        "f(t, row, x, x_t, stiffness, damping, offset) -> six numbers [N, N m]", "(dg/dx, dg/dx_t), each (6, 6)"
    )
    moment_arm = column(
        "1", "true: the moment -d × f acts on marker 0, so that moments balance", dtype=bool, default=True
    )
    active = column("1", "the spring acts only if true", dtype=bool, default=True, switchable=True)
    has_function, user_force, df_du, df_dut = USER_FIELDS


@kernel
def measure(row: Any, u: Pose, ut: ComplexArray, x: ComplexArray, xt: ComplexArray) -> None:
    """Write the displacements x [m, rad] and the rates x_t [m/s, rad/s]."""
    P, Q = turn(u.A, row.frame0), turn(u.B, row.frame1)
    v = (ut[0], ut[1], ut[2])
    if row.moment_arm:
        w = cross(ut[3:6], u.d)
        v = (v[0] - w[0], v[1] - w[1], v[2] - w[2])
    for k in range(3):
        x[k] = P[0, k] * u.d[0] + P[1, k] * u.d[1] + P[2, k] * u.d[2]
        xt[k] = P[0, k] * v[0] + P[1, k] * v[1] + P[2, k] * v[2]
        xt[3 + k] = 0.0
        for a in range(3):
            xt[3 + k] += P[a, k] * (ut[6 + a] - ut[3 + a])
    R = np.zeros((3, 3), np.complex128)
    for a in range(3):
        for b in range(3):
            R[a, b] = P[0, a] * Q[0, b] + P[1, a] * Q[1, b] + P[2, a] * Q[2, b]
    x[3] = eval_angle(-R[1, 2], R[2, 2])
    x[4] = eval_angle(R[0, 2], np.sqrt(R[0, 0] * R[0, 0] + R[0, 1] * R[0, 1]))
    x[5] = eval_angle(-R[0, 1], R[0, 0])


@kernel
def apply(row: Any, u: Pose, g: ComplexArray) -> Any:
    """Return the force, the torque on marker 0 and the torque on marker 1, in global components, for the generalised
    forces g (force and torque along the axes of joint frame 0). With ``moment_arm``, the torque on marker 0 includes
    the moment of the force. See `rigid_springs/pairs.py`.
    """
    P, zero = turn(u.A, row.frame0), complex(0.0, 0.0)
    f = np.zeros(3, np.complex128)
    t = np.zeros(3, np.complex128)
    for a in range(3):
        for k in range(3):
            f[a] += P[a, k] * g[k]
            t[a] += P[a, k] * g[3 + k]
    m = cross(f, u.d) if row.moment_arm else (zero, zero, zero)
    return f[0], f[1], f[2], m[0] - t[0], m[1] - t[1], m[2] - t[2], t[0], t[1], t[2]


def outputs(number: Any) -> dict[str, Output]:
    """Create the outputs of the displacements x, their rates x_t and the generalised forces g from the kernels of their
    components."""
    found = {}
    for k, axis in enumerate("xyz"):
        found[f"displacement_{axis}"] = Output("m", f"x along {axis} of the joint frame, ()", number(0, k))
        found[f"angle_{axis}"] = Output("rad", f"angle about {axis}, ()", number(0, 3 + k))
        found[f"velocity_{axis}"] = Output("m/s", f"x_t along {axis} of the joint frame, ()", number(1, k))
        found[f"rate_{axis}"] = Output("rad/s", f"x_t about {axis}, ()", number(1, 3 + k))
        found[f"force_{axis}"] = Output("N", f"g along {axis} of the joint frame, ()", number(2, k))
        found[f"torque_{axis}"] = Output("N m", f"g about {axis} of the joint frame, ()", number(2, 3 + k))
    return found


register_rigid_spring(
    RigidBodySpringDamper, measure, apply, 6, outputs=outputs, source="[@exudyn], ObjectConnectorRigidBodySpringDamper"
)
