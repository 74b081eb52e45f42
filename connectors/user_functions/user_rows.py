"""Data of rows that can have a user function (`USER_FIELDS`), and updates of these data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from windlass.connectors.user_functions.user_forces import UserForces, bind_user_forces, bind_user_updates
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.model.law import LocalRows
from windlass.framework.model.schema import derived
from windlass.framework.model.system import Fields

Difference = Callable[[LocalRows, IntArray], Callable[[Fields], tuple[FloatArray, FloatArray]]]
Update = Callable[[Fields], None] | None


USER_FIELDS = (
    derived("1", "whether the row has a user function"),
    derived("N", "force of the user function [N or N m], shape (n,)"),
    derived("N/m", "derivative of this force with respect to displacements [N/m, N, N m], shape (n, n)"),
    derived("N s/m", "derivative of this force with respect to velocities [N s/m, N s, N m s], shape (n, n)"),
)
"""Derived values ``has_function``, ``user_force``, ``df_du`` and ``df_dut`` of laws with user functions. The number n
is 3 for `CartesianSpringDamper`, 6 for bushings (`RigidBodySpringDamper`), and 1 for other springs.
"""


def find_users(rows: LocalRows) -> UserForces:
    """Return the `UserForces` of the rows. The object is created in the first call. Later calls return the same
    object.
    """
    columns = rows.table.component.columns
    third = "offset" if "offset" in columns else "rest_length"
    unit = "N, N m" if rows.table.component.refs["marker0"].target == "rigid marker" else "N"
    found: UserForces = rows.kept("users", lambda: bind_user_forces(rows, unit, ("stiffness", "damping", third)))
    return found


def derive_users(rows: LocalRows) -> dict[str, Any]:
    """Create the data of rows for user functions: whether each row has a user function, and the results of this
    function. If no row has a user function, the arrays of results are empty.
    """
    users, count = find_users(rows), len(rows.rows)
    n = users.f.shape[1] if len(users.where) else 0
    f, df_du, df_dut = np.zeros((count, n)), np.zeros((count, n, n)), np.zeros((count, n, n))
    return {"has_function": users.index >= 0, "user_force": f, "df_du": df_du, "df_dut": df_dut}


def bind_users(measure: Difference, with_forces: bool, rows: LocalRows) -> tuple[Update, Update]:
    """Return the update of the user forces and the update of their derivatives. Both updates are None if no row has a
    user function.

    Args:
        measure: function ``(rows, which)`` that returns a function ``(fields) -> u, ut`` for the rows ``which``, with
            results of shape (n,) or (n, k).
        with_forces: whether the update of derivatives also evaluates the forces. The tangent contains the forces times
            the second derivatives of the markers.
        rows: rows of the law on this process.
    """
    users, own = find_users(rows), rows.columns[1]
    n = len(users.where)
    if not n:
        return None, None
    forces = [(own["user_force"], users.f)]
    derivatives = [*forces, (own["df_du"], users.df_du), (own["df_dut"], users.df_dut)]

    measured = measure(rows, users.where)

    def find(s: Fields) -> tuple[FloatArray, FloatArray]:
        u, ut = measured(s)
        return (u, ut) if u.ndim == 2 else (u.reshape(n, -1), ut.reshape(n, -1))

    first, last = int(users.where[0]), int(users.where[-1])
    # a slice is much faster than an array of indices
    where = slice(first, last + 1) if last + 1 - first == n else users.where

    def fill(update: Callable[[Fields], None], filled: list[tuple[FloatArray, FloatArray]]) -> Callable[[Fields], None]:
        def update_rows(s: Fields) -> None:
            update(s)
            for column, values in filled:
                column[where] = values

        return update_rows

    update, update_tangent = bind_user_updates(users, find, with_forces)
    return fill(update, forces), fill(update_tangent, derivatives)
