"""Spring and damper along the line between two points: with a linear force, with tension only, or with the force of a
user function.

    length: l = |u| [m],    u = p1 - p0
    direction: e = u/l
    stretch: s = l - L,    rate s_t = e·u_t [m/s]
    action: N e on point 1, -N e on point 0, on the left-hand side

    linear: N = N_e + d s_t,    N_e = N_0 + k s with the preload N_0
    tension only: N = N_e + d s_t, limited to [0, 2 N_e], if N_e > 0, else 0
    user function: N = force_function(t, row, s, s_t, k, d, L)

A rope carries no compression, and the force must be continuous where the rope becomes slack. Therefore, with tension
only, the damping force is at most as large as the elastic tension. The limited damping force dissipates energy whether
the rope extends or shortens.

If the points coincide (l = 0), the direction of the force is undefined and the force is NaN. Therefore the solve fails
with a message about these points.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from windlass.connectors.markers.pair_laws import (
    Measure,
    difference_positions,
    pick_pairs,
    prepare_measure,
    read_positions,
)
from windlass.connectors.markers.pairs import Vector
from windlass.connectors.markers.position_markers import POSITION
from windlass.connectors.springs.user_springs import judge_account
from windlass.connectors.user_functions.user_forces import force_columns
from windlass.connectors.user_functions.user_rows import USER_FIELDS, bind_users, derive_users
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.errors import ModelError
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows, Output, Tables, register_pair
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.system import Fields, System
from windlass.framework.model.table import EntityTable


class SpringDamper(Component):
    """A spring and a damper along the line between two points, such as a tie, a strut, a rope or an actuator."""

    marker0 = ref(POSITION, "first end")
    marker1 = ref(POSITION, "second end")
    rest_length = column("m", "rest length L: distance of the ends without stretch", above=0.0, switchable=True)
    stiffness = column("N/m", "stiffness k", default=0.0, minimum=0.0, switchable=True)
    damping = column("N s/m", "damping d", default=0.0, minimum=0.0, switchable=True)
    preload = column("N", "tension N_0 at the rest length; < 0 presses", default=0.0, switchable=True)
    tension_only = column(
        "1", "true: the spring carries no compression, as a rope", dtype=bool, default=False, switchable=True
    )
    force_function, force_derivative = force_columns(
        "f(t, row, stretch, rate, stiffness, damping, rest_length) -> tension [N], with s [m] and s_t [m/s]",
        "(dN/ds, dN/ds_t)",
    )
    active = column("1", "the spring acts only if true", dtype=bool, default=True, switchable=True)
    has_function, user_force, df_du, df_dut = USER_FIELDS


@kernel
def line(u: Vector, ut: Vector) -> tuple[float, float]:
    """Return the length l [m] and its rate [m/s]. Both are NaN if the points coincide."""
    length = np.sqrt(u[0] ** 2 + u[1] ** 2 + u[2] ** 2)
    if length == 0.0:
        return np.nan, np.nan
    return length, (u[0] * ut[0] + u[1] * ut[1] + u[2] * ut[2]) / length


@kernel
def axial_force(row: Any, length: float, rate: float) -> tuple[float, float, float]:
    """Return the tension N [N] and its derivatives ∂N/∂s [N/m] and ∂N/∂s_t [N s/m]."""
    if row.has_function:
        # if the points coincide, the argument ``length`` is NaN, and the second term makes the force NaN
        return row.user_force[0] + 0.0 * length, row.df_du[0, 0], row.df_dut[0, 0]
    elastic, damping = row.preload + row.stiffness * (length - row.rest_length), row.damping * rate
    if row.tension_only:
        if elastic <= 0.0:
            return 0.0, 0.0, 0.0
        if damping > elastic:
            return 2.0 * elastic, 2.0 * row.stiffness, 0.0
        if damping < -elastic:
            return 0.0, 0.0, 0.0
    return elastic + damping, row.stiffness, row.damping


@kernel
def tension(row: Any, u: Vector, ut: Vector, t: float) -> float:
    """Return the tension N [N]."""
    length, rate = line(u, ut)
    n: float = axial_force(row, length, rate)[0]
    return n


@kernel
def stretch(row: Any, u: Vector, ut: Vector, t: float) -> float:
    """Return the stretch s [m]."""
    s: float = line(u, ut)[0] - row.rest_length
    return s


@kernel
def force(row: Any, u: Vector, ut: Vector, t: float) -> Vector:
    """Return the left-hand-side force f = N e [N] on point 1, in the global frame."""
    length, rate = line(u, ut)
    n = axial_force(row, length, rate)[0] / length
    return n * u[0], n * u[1], n * u[2]


@kernel
def force_tangent(row: Any, u: Vector, ut: Vector, t: float, P: FloatArray, V: FloatArray) -> None:
    """Write P = ∂f/∂u [N/m] and V = ∂f/∂u_t [N s/m], shape (3, 3) each.

    P = N_s e eᵀ + N_v e (u_t - s_t e)ᵀ/l + N/l (I - e eᵀ),   V = N_v e eᵀ
    """
    length, rate = line(u, ut)
    n, n_s, n_v = axial_force(row, length, rate)
    for a in range(3):
        ea = u[a] / length
        for b in range(3):
            eb = u[b] / length
            across = (1.0 if a == b else 0.0) - ea * eb
            P[a, b] = n_s * ea * eb + n_v * ea * (ut[b] - rate * eb) / length + n / length * across
            V[a, b] = n_v * ea * eb


@kernel(fast=False)
def fill_stretch(
    p: FloatArray, v: FloatArray, m0: IntArray, m1: IntArray, rest: FloatArray, s: FloatArray, rate: FloatArray
) -> None:
    """Write the stretch s [m] and its rate s_t [m/s], shape (n, 1) each. Both are NaN if the points coincide."""
    for i in range(len(m0)):
        square, along = 0.0, 0.0
        for k in range(3):
            u = p[m1[i], k] - p[m0[i], k]
            square += u * u
            along += u * (v[m1[i], k] - v[m0[i], k])
        length = np.sqrt(square) if square > 0.0 else np.nan
        s[i, 0], rate[i, 0] = length - rest[i], along / length


def measure_stretch(rows: LocalRows, which: IntArray) -> Measure:
    """Create a `Measure` of the stretch s and its rate s_t for the rows ``which`` with user functions."""
    given = *pick_pairs(rows, which, "m0", "m1"), np.ascontiguousarray(rows.columns[1]["rest_length"][which])
    return prepare_measure(fill_stretch, read_positions, given, (np.zeros((len(which), 1)), np.zeros((len(which), 1))))


@kernel
def energy(row: Any, u: Vector, ut: Vector, t: float) -> float:
    """Return the energy [J] of the spring, which is 0 for rows with a user function. The energy is 0 at the rest
    length. With tension only and a stiffness > 0, the energy is 0 where the rope becomes slack.
    """
    if row.has_function:
        return 0.0
    s: float = line(u, ut)[0] - row.rest_length
    elastic: float = row.preload + row.stiffness * s
    if not row.tension_only:
        return float((row.preload + 0.5 * row.stiffness * s) * s)
    if elastic <= 0.0:
        return 0.0
    return float(elastic * elastic / (2.0 * row.stiffness)) if row.stiffness > 0.0 else elastic * s


@kernel
def power(row: Any, u: Vector, ut: Vector, t: float) -> float:
    """Return the power [W] lost in the damper, which is 0 for rows with a user function."""
    length, rate = line(u, ut)
    elastic = row.preload + row.stiffness * (length - row.rest_length)
    if row.has_function or (row.tension_only and elastic <= 0.0):
        return 0.0
    taken: float = (axial_force(row, length, rate)[0] - elastic) * rate
    return taken


def add_words(rows: LocalRows, system: System) -> None:
    """Add the check for coinciding points to the system, and set in the `Account` of the system whether energies and
    powers are complete. See `judge_account`.
    """
    pair = rows.columns[0]

    def diagnose(s: Fields) -> list[str]:
        u, _ = difference_positions(rows, s)
        meet = pair.active & ~u.any(axis=1)
        return [
            f"{rows.table.describe(int(rows.rows[i]))}: its two points meet, where the force has no direction"
            for i in np.flatnonzero(meet)
        ]

    judge_account(rows, system)
    system.checks.diagnose = diagnose


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for rows with both ``tension_only`` and a user function, because the law does not limit the
    result of a user function."""
    functions = table.local("force_function")
    for k in np.flatnonzero(table.local("tension_only")):
        if functions[k] is not None:
            raise ModelError(
                f"tension_only = True in SpringDamper row {table.resident[k]} with a force_function: must be "
                "False, because the function limits the tension itself"
            )


register_pair(
    SpringDamper,
    force,
    force_tangent,
    derive=derive_users,
    before=partial(bind_users, measure_stretch, True),
    stored={"spring": energy},
    lost={"damper": power},
    finish=add_words,
    in_place=("stiffness", "damping", "rest_length", "preload"),
    check=check,
    outputs={
        "tension": Output("N", "tension N, (); a positive tension pulls the points together", tension),
        "stretch": Output("m", "distance of the points minus the rest length, ()", stretch),
    },
    source="[@shabana], spring-damper-actuator elements",
)
