"""Springs and dampers along the global axes between two position markers, linear or by a user function.

    linear: f = k∘(u - offset) + d∘u_t,    u = p1 - p0
    forces: J1ᵀ f on point 1 and -J0ᵀ f on point 0, on the left-hand side
    derivatives: ∂f/∂u = diag(k),    ∂f/∂u_t = diag(d)
    user function: f = force_function(t, row, u, u_t, k, d, offset), see `user_functions.user_forces`

The symbol ∘ denotes the product of vectors component by component, and J0 and J1 are the Jacobians of the markers. The
tangent is exact for every type of marker, see `windlass.connectors.markers.pairs`.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from windlass.connectors.markers.pair_laws import measure_positions
from windlass.connectors.markers.pairs import Vector
from windlass.connectors.markers.position_markers import POSITION
from windlass.connectors.springs.user_springs import judge_account
from windlass.connectors.user_functions.user_forces import force_columns
from windlass.connectors.user_functions.user_rows import USER_FIELDS, bind_users, derive_users
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import register_pair
from windlass.framework.model.schema import Component, column, ref


class CartesianSpringDamper(Component):
    """Springs and dampers along the global axes between two points."""

    marker0 = ref(POSITION, "first end")
    marker1 = ref(POSITION, "second end")
    stiffness = column(
        "N/m", "stiffness k along x, y, z", shape=(3,), default=(0.0, 0.0, 0.0), minimum=0.0, switchable=True, fill=True
    )
    damping = column(
        "N s/m", "damping d along x, y, z", shape=(3,), default=(0.0, 0.0, 0.0), minimum=0.0, switchable=True, fill=True
    )
    offset = column(
        "m", "vector p1 - p0 at which the spring force is 0", shape=(3,), default=(0.0, 0.0, 0.0), switchable=True
    )
    force_function, force_derivative = force_columns(
        "f(t, row, u, u_t, stiffness, damping, offset) -> force [N], all vectors (3,), global",
        "(df/du, df/du_t), each (3, 3)",
    )
    active = column("1", "the spring acts only if true", dtype=bool, default=True, switchable=True)
    has_function, user_force, df_du, df_dut = USER_FIELDS


@kernel
def force(row: Any, u: Vector, ut: Vector, t: float) -> Vector:
    """Return the left-hand-side force f [N] on point 1, in the global frame."""
    k, d, offset = row.stiffness, row.damping, row.offset
    if row.has_function:
        return row.user_force[0], row.user_force[1], row.user_force[2]
    return (
        k[0] * (u[0] - offset[0]) + d[0] * ut[0],
        k[1] * (u[1] - offset[1]) + d[1] * ut[1],
        k[2] * (u[2] - offset[2]) + d[2] * ut[2],
    )


@kernel
def force_tangent(row: Any, u: Vector, ut: Vector, t: float, P: FloatArray, V: FloatArray) -> None:
    """Write P = ∂f/∂u [N/m] and V = ∂f/∂u_t [N s/m], shape (3, 3) each."""
    for a in range(3):
        for b in range(3):
            if row.has_function:
                P[a, b], V[a, b] = row.df_du[a, b], row.df_dut[a, b]
            else:
                P[a, b], V[a, b] = 0.0, 0.0
        if not row.has_function:
            P[a, a], V[a, a] = row.stiffness[a], row.damping[a]


@kernel
def energy(row: Any, u: Vector, ut: Vector, t: float) -> float:
    """Return the energy [J] of the springs, which is 0 for rows with a user function."""
    total = 0.0
    for a in range(0 if row.has_function else 3):
        total += 0.5 * row.stiffness[a] * (u[a] - row.offset[a]) ** 2
    return total


@kernel
def power(row: Any, u: Vector, ut: Vector, t: float) -> float:
    """Return the power [W] that the dampers dissipate, which is 0 for rows with a user function."""
    total = 0.0
    for a in range(0 if row.has_function else 3):
        total += row.damping[a] * ut[a] ** 2
    return total


register_pair(
    CartesianSpringDamper,
    force,
    force_tangent,
    derive=derive_users,
    before=partial(bind_users, measure_positions, True),
    stored={"spring": energy},
    lost={"damper": power},
    finish=judge_account,
    in_place=("stiffness", "damping", "offset"),
    source="[@shabana], spring-damper-actuator elements",
    draw=False,
)
