"""Springs and dampers along the global axes between two position markers, linear or by a user function.

    f = k∘(u - offset) + d∘u_t,    u = p1 - p0,    J1ᵀ f and -J0ᵀ f on the left-hand side
    f = force_function(t, row, u, u_t, k, d, offset)  where one is given, see `user_functions.user_forces`
    ∂f/∂u = diag(k),    ∂f/∂u_t = diag(d)

The tangent is exact for every kind of marker, see `windlass.connectors.markers.pairs`.

Source: A. A. Shabana, Dynamics of Multibody Systems, Cambridge University Press (spring-damper-actuator elements).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from windlass.connectors.markers.pairs import Pair, bind_pair, pair_dofs, position_pair
from windlass.connectors.markers.position_markers import FAMILY, PositionColumns
from windlass.connectors.user_functions.user_forces import (
    UserForces,
    bind_user_forces,
    update_derivatives,
    update_forces,
)
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import Law, LocalRows, Output, register
from windlass.framework.model.schema import Component, column, function, ref
from windlass.framework.model.system import Evaluation, Fields, System


class CartesianSpringDamper(Component):
    """Springs and dampers along the global axes between two points."""

    marker0 = ref("position marker", "first end")
    marker1 = ref("position marker", "second end")
    stiffness = column(
        "N/m", "k along x, y, z", shape=(3,), default=(0.0, 0.0, 0.0), minimum=0.0, switchable=True, fill=True
    )
    damping = column(
        "N s/m", "d along x, y, z", shape=(3,), default=(0.0, 0.0, 0.0), minimum=0.0, switchable=True, fill=True
    )
    offset = column("m", "p1 - p0 without spring force", shape=(3,), default=(0.0, 0.0, 0.0), switchable=True)
    force_function = function(
        "f(t, row, u, u_t, stiffness, damping, offset) -> force [N], all vectors (3,), global; or in `vectorised` or "
        "`compiled`",
        switchable=True,
    )
    force_derivative = function(
        "the same arguments -> (df/du, df/du_t), each (3, 3); by central differences if left out", switchable=True
    )
    active = column("1", "contributes only if true", dtype=bool, default=True, switchable=True)


class Columns(NamedTuple):
    """Letters of the rows, and their user forces.

    k [N/m], d [N s/m], offset [m]: shape (rows, 3).
    user: row in the next three, or -1, shape (rows,).
    f [N], df_du [N/m], df_dut [N s/m]: user forces and derivatives, shapes (users, 3), (users, 3, 3), (users, 3, 3).
    """

    k: FloatArray
    d: FloatArray
    offset: FloatArray
    user: IntArray
    f: FloatArray
    df_du: FloatArray
    df_dut: FloatArray


@kernel
def force(
    c: Columns, i: int, ux: float, uy: float, uz: float, utx: float, uty: float, utz: float, t: float
) -> tuple[float, float, float]:
    """f of row i, global [N]."""
    n = c.user[i]
    if n >= 0:
        return c.f[n, 0], c.f[n, 1], c.f[n, 2]
    return (
        c.k[i, 0] * (ux - c.offset[i, 0]) + c.d[i, 0] * utx,
        c.k[i, 1] * (uy - c.offset[i, 1]) + c.d[i, 1] * uty,
        c.k[i, 2] * (uz - c.offset[i, 2]) + c.d[i, 2] * utz,
    )


@kernel
def force_tangent(
    c: Columns,
    i: int,
    ux: float,
    uy: float,
    uz: float,
    utx: float,
    uty: float,
    utz: float,
    t: float,
    P: FloatArray,
    V: FloatArray,
) -> None:
    """P = ∂f/∂u [N/m] and V = ∂f/∂u_t [N s/m] of row i, both (3, 3)."""
    n = c.user[i]
    for a in range(3):
        for b in range(3):
            if n >= 0:
                P[a, b], V[a, b] = c.df_du[n, a, b], c.df_dut[n, a, b]
            else:
                P[a, b], V[a, b] = 0.0, 0.0
        if n < 0:
            P[a, a], V[a, a] = c.k[i, a], c.d[i, a]


residual, tangent = position_pair(force, force_tangent)


def eval_difference(pair: Pair, m: PositionColumns, which: IntArray) -> tuple[FloatArray, FloatArray]:
    """u [m] and u_t [m/s] of some rows, global, shape (n, 3)."""
    m0, m1 = pair.m0[which], pair.m1[which]
    return m.p[m1] - m.p[m0], m.v[m1] - m.v[m0]


def bind(rows: LocalRows) -> tuple[Pair, Columns, UserForces]:
    """The markers of the rows, their parameters, and the places of their user forces."""
    users = bind_user_forces(rows, "N")
    k, d, offset = rows.column("stiffness"), rows.column("damping"), rows.column("offset")
    return bind_pair(rows), Columns(k, d, offset, users.index, users.f, users.df_du, users.df_dut), users


def build(rows: LocalRows) -> System:
    """The system of `CartesianSpringDamper`."""
    pair, c, users = rows.columns
    linear = pair.active & (users.index < 0)

    def update_users(s: Evaluation) -> None:
        update_forces(users, s.t, *eval_difference(pair, s.markers[FAMILY], users.where))

    def update_user_derivatives(s: Evaluation) -> None:
        u, ut = eval_difference(pair, s.markers[FAMILY], users.where)
        update_forces(users, s.t, u, ut)  # the curvature of the markers acts on the force
        update_derivatives(users, s.t, u, ut)

    def eval_energy(s: Fields) -> float:
        # of the linear springs alone: a user force need not have an energy
        u, _ = eval_difference(pair, s.markers[FAMILY], np.flatnonzero(linear))
        return float(0.5 * (c.k[linear] * (u - c.offset[linear]) ** 2).sum())

    system = System("CartesianSpringDamper", rows.dofs, energy=eval_energy)
    system.checks.energy_is_whole = not len(users.where)
    # only users know the time and need Python
    before, before_tangent = (update_users, update_user_derivatives) if len(users.where) else (None, None)
    system.residual = call(residual, lambda s: (c, pair, s.markers[FAMILY], s.time, s.f), before)
    system.tangent = call(
        tangent,
        lambda s: (c, pair, s.markers[FAMILY], s.time, s.dq, s.dv, s.slots, s.values),
        before_tangent,
    )
    return system


def eval_displacement(rows: LocalRows, s: Fields, **where: Any) -> FloatArray:
    """u = p1 - p0, global [m], shape (rows, 3)."""
    differences = eval_difference(rows.columns[0], s.markers[FAMILY], np.arange(len(rows.rows)))
    return differences[0]


def eval_distance(rows: LocalRows, s: Fields, **where: Any) -> FloatArray:
    """|p1 - p0| [m], shape (rows,)."""
    distance: FloatArray = np.sqrt((eval_displacement(rows, s) ** 2).sum(axis=1))
    return distance


def eval_velocity(rows: LocalRows, s: Fields, **where: Any) -> FloatArray:
    """u_t = v1 - v0, global [m/s], shape (rows, 3)."""
    differences = eval_difference(rows.columns[0], s.markers[FAMILY], np.arange(len(rows.rows)))
    return differences[1]


def eval_force(rows: LocalRows, s: Fields, **where: Any) -> FloatArray:
    """f, global [N], shape (rows, 3); 0 where inactive."""
    pair, c, users = rows.columns
    u, ut = eval_difference(pair, s.markers[FAMILY], np.arange(len(rows.rows)))
    f: FloatArray = (c.k * (u - c.offset) + c.d * ut) * pair.active[:, None]
    update_forces(users, s.t, u[users.where], ut[users.where])
    f[users.where] = users.f
    return f


register(
    Law(
        CartesianSpringDamper,
        role="connector",
        dofs=pair_dofs,
        bind=bind,
        build=build,
        outputs={
            "displacement": Output("m", "p1 - p0, global, (3,); the offset is not subtracted", eval_displacement),
            "distance": Output("m", "|p1 - p0|, ()", eval_distance),
            "velocity": Output("m/s", "v1 - v0, global, (3,)", eval_velocity),
            "force": Output("N", "f, global, (3,): pulls point 1 back where positive", eval_force),
        },
        source="A. A. Shabana, Dynamics of Multibody Systems, Cambridge University Press",
    )
)
