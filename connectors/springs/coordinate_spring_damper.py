"""Spring and damper between two coordinates, linear or by a user function.

    f = k (u - offset) + d u_t,    u = x1 - x0,    f on coordinate 1, -f on coordinate 0, on the left-hand side
    f = force_function(t, row, u, u_t, k, d, offset)  where one is given, see `user_functions.user_forces`

x are displacements from the reference.

Source: A. A. Shabana, Dynamics of Multibody Systems, Cambridge University Press (spring-damper-actuator elements).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from windlass.connectors.markers.coordinate_marker import FAMILY, CoordinateColumns, coordinate_marker
from windlass.connectors.markers.pairs import Pair, bind_pair, coordinate_pair, pair_dofs
from windlass.connectors.user_functions.user_forces import (
    UserForces,
    bind_user_forces,
    update_derivatives,
    update_forces,
)
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import Law, LocalRows, Output, Tables, register
from windlass.framework.model.schema import Component, column, function, ref
from windlass.framework.model.system import Evaluation, Fields, System


class CoordinateSpringDamper(Component):
    """A spring and a damper between two coordinates."""

    marker0 = ref("coordinate marker", "first coordinate; the ground if left out")
    marker1 = ref("coordinate marker", "second coordinate")
    stiffness = column("N/m", "k [N/m or N m/rad]", default=0.0, minimum=0.0, switchable=True)
    damping = column("N s/m", "d [N s/m or N m s/rad]", default=0.0, minimum=0.0, switchable=True)
    offset = column("m", "x1 - x0 without spring force [m or rad]", default=0.0, switchable=True)
    force_function = function(
        "f(t, row, u, u_t, stiffness, damping, offset) -> force [N or N m]; or in `vectorised` or `compiled`",
        switchable=True,
    )
    force_derivative = function(
        "the same arguments -> (df/du, df/du_t); by central differences if left out", switchable=True
    )
    active = column("1", "contributes only if true", dtype=bool, default=True, switchable=True)


class Columns(NamedTuple):
    """Letters of the rows, and their user forces.

    k [N/m], d [N s/m], offset [m]: shape (rows,).
    user: row in the next three, or -1, shape (rows,).
    f [N], df_du [N/m], df_dut [N s/m]: user forces and derivatives, shapes (users, 1), (users, 1, 1), (users, 1, 1).
    """

    k: FloatArray
    d: FloatArray
    offset: FloatArray
    user: IntArray
    f: FloatArray
    df_du: FloatArray
    df_dut: FloatArray


@kernel
def force(c: Columns, i: int, u: float, ut: float, t: float) -> float:
    """f of row i [N]."""
    n = c.user[i]
    f: float = c.f[n, 0] if n >= 0 else c.k[i] * (u - c.offset[i]) + c.d[i] * ut
    return f


@kernel
def force_tangent(c: Columns, i: int, u: float, ut: float, t: float) -> tuple[float, float]:
    """∂f/∂u [N/m] and ∂f/∂u_t [N s/m] of row i."""
    n = c.user[i]
    if n >= 0:
        return c.df_du[n, 0, 0], c.df_dut[n, 0, 0]
    return c.k[i], c.d[i]


residual, tangent = coordinate_pair(force, force_tangent)


def eval_difference(pair: Pair, m: CoordinateColumns, which: IntArray) -> tuple[FloatArray, FloatArray]:
    """u [m or rad] and u_t of some rows, shape (n,)."""
    m0, m1 = pair.m0[which], pair.m1[which]
    return m.value[m1] - m.value[m0], m.rate[m1] - m.rate[m0]


def bind(rows: LocalRows) -> tuple[Pair, Columns, UserForces]:
    """The markers of the rows, their parameters, and the places of their user forces."""
    users = bind_user_forces(rows, "N")
    k, d, offset = rows.column("stiffness"), rows.column("damping"), rows.column("offset")
    return bind_pair(rows), Columns(k, d, offset, users.index, users.f, users.df_du, users.df_dut), users


def build(rows: LocalRows) -> System:
    """The system of `CoordinateSpringDamper`."""
    pair, c, users = rows.columns
    linear = pair.active & (users.index < 0)

    def update_users(s: Evaluation) -> None:
        u, ut = eval_difference(pair, s.markers[FAMILY], users.where)
        update_forces(users, s.t, u[:, None], ut[:, None])

    def update_user_derivatives(s: Evaluation) -> None:
        u, ut = eval_difference(pair, s.markers[FAMILY], users.where)
        update_derivatives(users, s.t, u[:, None], ut[:, None])

    def eval_energy(s: Fields) -> float:
        # of the linear springs alone: a user force need not have an energy
        u, _ = eval_difference(pair, s.markers[FAMILY], np.flatnonzero(linear))
        return float(0.5 * (c.k[linear] * (u - c.offset[linear]) ** 2).sum())

    system = System("CoordinateSpringDamper", rows.dofs, energy=eval_energy)
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


def complete(world: Tables, values: dict[str, Any]) -> dict[str, Any]:
    """Fill in the ground for a first marker that was left out."""
    if values.get("marker0") is None:
        values["marker0"] = coordinate_marker(world, None)
    return values


def eval_displacement(rows: LocalRows, s: Fields, **where: Any) -> FloatArray:
    """u = x1 - x0 [m or rad], shape (rows,)."""
    differences = eval_difference(rows.columns[0], s.markers[FAMILY], np.arange(len(rows.rows)))
    return differences[0]


def eval_velocity(rows: LocalRows, s: Fields, **where: Any) -> FloatArray:
    """u_t = x1_t - x0_t [m/s or rad/s], shape (rows,)."""
    differences = eval_difference(rows.columns[0], s.markers[FAMILY], np.arange(len(rows.rows)))
    return differences[1]


def eval_force(rows: LocalRows, s: Fields, **where: Any) -> FloatArray:
    """f [N or N m], shape (rows,); 0 where inactive."""
    pair, c, users = rows.columns
    u, ut = eval_difference(pair, s.markers[FAMILY], np.arange(len(rows.rows)))
    f: FloatArray = (c.k * (u - c.offset) + c.d * ut) * pair.active
    update_forces(users, s.t, u[users.where, None], ut[users.where, None])
    f[users.where] = users.f[:, 0]
    return f


register(
    Law(
        CoordinateSpringDamper,
        role="connector",
        dofs=pair_dofs,
        bind=bind,
        build=build,
        complete=complete,
        outputs={
            "displacement": Output("m", "x1 - x0 [m or rad], ()", eval_displacement),
            "velocity": Output("m/s", "x1_t - x0_t [m/s or rad/s], ()", eval_velocity),
            "force": Output("N", "f [N or N m], (): pulls coordinate 1 back where positive", eval_force),
        },
        source="A. A. Shabana, Dynamics of Multibody Systems, Cambridge University Press",
    )
)
