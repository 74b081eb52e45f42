"""Spring and damper between two coordinates, linear or by a user function.

    f = k (u - offset) + d u_t,    u = x1 - x0,    f on coordinate 1, -f on coordinate 0, on the left-hand side
    f = force_function(t, row, u, u_t, k, d, offset)  where one is given, see `windlass.connectors.user_forces`

x are displacements from the reference.

Source: A. A. Shabana, Dynamics of Multibody Systems, Cambridge University Press (spring-damper-actuator elements).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from windlass.connectors.coordinate_marker import FAMILY, CoordinateColumns, coordinate_marker, coordinate_output
from windlass.connectors.user_forces import UserForces, bind_user_forces, update_derivatives, update_forces
from windlass.framework.bind import bind
from windlass.framework.kernel import kernel
from windlass.framework.law import Fields, FloatArray, Law, LocalRows, System, register
from windlass.framework.program import fixed
from windlass.framework.rows import Pair, bind_pair, coordinate_pair, pair_dofs
from windlass.framework.schema import Component, column, function, ref
from windlass.framework.table import IntArray
from windlass.framework.world import World


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


def bind_columns(rows: LocalRows) -> tuple[Columns, UserForces]:
    """The parameters of the rows, and the places of their user forces."""
    users = bind_user_forces(rows, "N")
    k, d, offset = rows.column("stiffness"), rows.column("damping"), rows.column("offset")
    return Columns(k, d, offset, users.index, users.f, users.df_du, users.df_dut), users


def build(rows: LocalRows) -> System:
    """The system of `CoordinateSpringDamper`."""
    pair = bind_pair(rows)
    c, users = bind_columns(rows)
    linear = pair.active & (users.index < 0)
    add_derivatives = bind(tangent)

    def update_users(s: Fields, f: FloatArray) -> None:
        u, ut = eval_difference(pair, s.markers[FAMILY], users.where)
        update_forces(users, s.t, u[:, None], ut[:, None])

    # the law knows no time, only users do
    has_users = len(users.where) > 0
    before = update_users if has_users else None
    add_residual = fixed(residual, lambda s, f: (c, pair, s.markers[FAMILY], 0.0, f), before)

    def add_tangent(s: Fields, dq: float, dv: float, slots: IntArray, values: FloatArray) -> None:
        if has_users:
            u, ut = eval_difference(pair, s.markers[FAMILY], users.where)
            update_derivatives(users, s.t, u[:, None], ut[:, None])
        add_derivatives(c, pair, s.markers[FAMILY], s.t, dq, dv, slots, values)

    def eval_energy(s: Fields) -> float:
        # of the linear springs alone: a user force need not have an energy
        u, _ = eval_difference(pair, s.markers[FAMILY], np.flatnonzero(linear))
        return float(0.5 * (c.k[linear] * (u - c.offset[linear]) ** 2).sum())

    system = System("CoordinateSpringDamper", rows.dofs, residual=add_residual, tangent=add_tangent, energy=eval_energy)
    system.energy_is_whole = not len(users.where)
    return system


def complete(world: World, values: dict[str, Any]) -> dict[str, Any]:
    """Fill in the ground for a first marker that was left out."""
    if values.get("marker0") is None:
        values["marker0"] = coordinate_marker(world, None)
    return values


def eval_displacement(rows: LocalRows, s: Fields, **where: Any) -> FloatArray:
    """u = x1 - x0 [m or rad], shape (rows,)."""
    return eval_difference(bind_pair(rows), s.markers[FAMILY], np.arange(len(rows.rows)))[0]


def eval_velocity(rows: LocalRows, s: Fields, **where: Any) -> FloatArray:
    """u_t = x1_t - x0_t [m/s or rad/s], shape (rows,)."""
    return eval_difference(bind_pair(rows), s.markers[FAMILY], np.arange(len(rows.rows)))[1]


def eval_force(rows: LocalRows, s: Fields, **where: Any) -> FloatArray:
    """f [N or N m], shape (rows,); 0 where inactive."""
    pair = bind_pair(rows)
    c, users = bind_columns(rows)
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
        build=build,
        complete=complete,
        outputs={
            "displacement": coordinate_output("m", "rad", "x1 - x0 [m or rad], ()", eval_displacement),
            "velocity": coordinate_output("m/s", "rad/s", "x1_t - x0_t [m/s or rad/s], ()", eval_velocity),
            "force": coordinate_output(
                "N", "N m", "f [N or N m], (): pulls coordinate 1 back where positive", eval_force
            ),
        },
        source="A. A. Shabana, Dynamics of Multibody Systems, Cambridge University Press",
    )
)
