"""Common parts of springs and dampers, linear or by a user function, along axes or between coordinates.

f = k (u - offset) + d u_t,    energy k (u - offset)²/2, power of the damper d u_t²    of rows without a user function
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from windlass.connectors.markers.pair_laws import Update
from windlass.connectors.user_functions.user_forces import UserForces, bind_user_forces, bind_user_updates
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.model.law import LocalRows
from windlass.framework.model.system import Fields, System

Difference = Callable[..., tuple[FloatArray, FloatArray]]


class Columns(NamedTuple):
    """Data of the rows for the kernels, and their user forces; n is 3 along axes, 1 between coordinates."""

    k: FloatArray  # k [N/m], d [N s/m], offset [m]: shape (rows, 3), or (rows,) between coordinates
    d: FloatArray
    offset: FloatArray
    user: IntArray  # row in the next three arrays, or -1, shape (rows,)
    # f [N], df_du [N/m], df_dut [N s/m]: user forces and derivatives, shapes (users, n), (users, n, n), (users,
    # n, n)
    f: FloatArray
    df_du: FloatArray
    df_dut: FloatArray


def bind(rows: LocalRows) -> tuple[Columns, UserForces]:
    """The parameters of the rows, and the places of their user forces."""
    users = bind_user_forces(rows, "N")
    k, d, offset = rows.local("stiffness"), rows.local("damping"), rows.local("offset")
    return Columns(k, d, offset, users.index, users.f, users.df_du, users.df_dut), users


def bind_users(difference: Difference, with_forces: bool, rows: LocalRows) -> tuple[Update, Update]:
    """The updates of user forces, and then of their derivatives; none without user functions.

    Args:
        difference: ``(rows, fields, which) -> u, ut``.
        with_forces: whether tangents also need the forces, for the curvature of markers.
        rows: the rows.
    """
    _, _, users = rows.columns
    n = len(users.where)

    def find(s: Fields) -> tuple[FloatArray, FloatArray]:
        u, ut = difference(rows, s, users.where)
        return u.reshape(n, -1), ut.reshape(n, -1)

    return bind_user_updates(users, find, with_forces) if n else (None, None)


def judge_account(rows: LocalRows, system: System) -> None:
    """Declare the limits of the account of linear springs: a user force may have no energy."""
    _, c, users = rows.columns
    is_whole = not len(users.where)
    assert system.account is not None
    system.account = replace(system.account, is_whole=is_whole, conserves=is_whole and not c.d.any())
