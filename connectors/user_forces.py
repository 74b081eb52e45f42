"""User force functions of springs: plain Python, called row by row, with derivatives given or by differences.

Their results are laid down in small arrays before the compiled row loop runs, which then reads them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from windlass.connectors.time_functions import parse_numbers
from windlass.framework.errors import ModelError
from windlass.framework.law import FloatArray, LocalRows
from windlass.framework.table import IntArray

STEP = float(np.finfo(np.float64).eps ** (1 / 3))
"""Relative step of central differences, the best one for a smooth function."""

SMALLEST = 1e-2
"""Displacements [m, rad] and velocities below this share one step: no spring changes within less than 1e-7 of this."""


@dataclass(frozen=True)
class UserForces:
    """The rows of a spring table with a user function; n numbers each (1 or 3).

    Attributes:
        index: position of each row among those with a user function, -1 without, shape (rows,).
        where: their local positions, shape (users,).
        names: their names for messages.
        functions, derivatives: their functions; the second may be None.
        parameters: row number, stiffness, damping and offset of each, as the functions get them.
        unit: unit of the force.
        f: forces [N or N m], shape (users, n).
        df_du, df_dut: derivatives, shape (users, n, n).
    """

    index: IntArray
    where: IntArray
    names: list[str]
    functions: list[Callable[..., Any]]
    derivatives: list[Callable[..., Any] | None]
    parameters: list[tuple[int, Any, Any, Any]]
    unit: str
    f: FloatArray
    df_du: FloatArray
    df_dut: FloatArray


def bind_user_forces(rows: LocalRows, unit: str) -> UserForces:
    """Collect the active rows that have a ``force_function``, with their ``force_derivative``."""
    functions = rows.column("force_function")
    where = np.flatnonzero([f is not None and on for f, on in zip(functions, rows.column("active"), strict=True)])
    index = np.full(len(rows.rows), -1, np.int64)
    index[where] = np.arange(len(where))
    columns = [rows.column(name)[where] for name in ("stiffness", "damping", "offset")]
    n = columns[0][0].size if len(where) else 1
    return UserForces(
        index=index,
        where=where,
        names=[f"{rows.table.describe(row)} ({rows.table.kind} row {row})" for row in rows.rows[where]],
        functions=list(functions[where]),
        derivatives=list(rows.column("force_derivative")[where]),
        parameters=[(int(rows.rows[i]), *(column[k] for column in columns)) for k, i in enumerate(where)],
        unit=unit,
        f=np.zeros((len(where), n)),
        df_du=np.zeros((len(where), n, n)),
        df_dut=np.zeros((len(where), n, n)),
    )


def update_forces(users: UserForces, t: float, u: FloatArray, ut: FloatArray) -> None:
    """Evaluate the forces at displacements u and velocities ut, shapes (users, n), at time t [s] into ``users.f``."""
    for k in range(len(users.where)):
        users.f[k] = _eval_force(users, k, t, u[k], ut[k])


def update_derivatives(users: UserForces, t: float, u: FloatArray, ut: FloatArray) -> None:
    """Evaluate the derivatives, given or by differences, into ``users.df_du`` and ``df_dut``; see `update_forces`."""
    n = users.f.shape[1]
    for k, derivative in enumerate(users.derivatives):
        if derivative is None:
            for j in range(n):
                users.df_du[k, :, j] = _difference(users, k, t, u[k], ut[k], j, 0)
                users.df_dut[k, :, j] = _difference(users, k, t, u[k], ut[k], j, 1)
            continue
        given = derivative(t, users.parameters[k][0], *_plain(u[k], ut[k]), *users.parameters[k][1:])
        shape = () if n == 1 else (n, n)
        parts = given if isinstance(given, (list, tuple)) and len(given) == 2 else (None, None)
        df_du, df_dut = parse_numbers(parts[0], shape), parse_numbers(parts[1], shape)
        if df_du is None or df_dut is None:
            words = "two finite numbers" if n == 1 else f"two arrays of finite numbers of shape {shape}"
            raise ModelError(
                f"force_derivative of {users.names[k]} gave {given!r} at t = {t:.9g} s: must give {words}, "
                f"the derivatives of the force [{users.unit}] by displacement and by velocity"
            )
        users.df_du[k], users.df_dut[k] = df_du, df_dut


def _plain(u: FloatArray, ut: FloatArray) -> tuple[Any, Any]:
    """Arguments as a user function gets them: numbers for n = 1, else arrays of its own."""
    return (float(u[0]), float(ut[0])) if len(u) == 1 else (u.copy(), ut.copy())


def _eval_force(users: UserForces, k: int, t: float, u: FloatArray, ut: FloatArray) -> FloatArray:
    if not (np.isfinite(u).all() and np.isfinite(ut).all()):
        return np.full(len(u), np.nan)  # Newton diverges and says so; the user's function is not to blame
    number, *parameters = users.parameters[k]
    given = users.functions[k](t, number, *_plain(u, ut), *parameters)
    result = parse_numbers(given, () if len(u) == 1 else (len(u),))
    if result is None:
        words = "one finite number" if len(u) == 1 else f"{len(u)} finite numbers"
        raise ModelError(
            f"force_function of {users.names[k]} gave {given!r} at t = {t:.9g} s: must give {words} [{users.unit}]"
        )
    return np.atleast_1d(result)


def _difference(users: UserForces, k: int, t: float, u: FloatArray, ut: FloatArray, j: int, which: int) -> FloatArray:
    """Central difference of the force by component j of the displacement (which = 0) or of the velocity (1)."""
    values = []
    h = STEP * max(SMALLEST, float(np.abs((u, ut)[which]).max()))
    for sign in (1.0, -1.0):
        moved = [u.copy(), ut.copy()]
        moved[which][j] += sign * h
        values.append(_eval_force(users, k, t, moved[0], moved[1]))
    return (values[0] - values[1]) / (2 * h)
