"""Spring, damper, stick-slip friction and stops between two coordinates. Each coordinate is multiplied by a factor.

    stretch: q = f1 x1 - f0 x0
    force: f = k (q - offset) + d (q_t - rate_offset) + f_friction + f_stop
    action: f1 f on coordinate 1, -f0 f on coordinate 0, on the left-hand side
    user function: f = force_function(t, row, q, q_t, k, d, offset)

Friction with bristles, if ``proportional_zone`` is 0, with F(v) = F_d + F_s exp(-|v|/v_exp) + F_v |v|:

    sticks: f_friction = k_b (q - anchor) + d_b q_t, until |f_friction| > F_d + F_s
    slips: f_friction = sign(state) F(q_t), 0 at q_t = 0, until q_t and the state have different signs

Friction without history, if v_r = ``proportional_zone`` > 0:

    slow, |q_t| <= v_r: f_friction = (F_d + F_s) q_t/v_r
    fast: f_friction = sign(q_t) (F_d + F_s exp(-(|q_t| - v_r)/v_exp) + F_v (|q_t| - v_r))

If ``stops`` is true and q is in contact with the upper stop, f_stop = k_s (q - upper) + d_s q_t. For the lower stop,
``lower`` replaces ``upper`` in this formula.

History values per row: state (0 sticks, ±F slips), anchor, and depth in a stop (0 without contact). History values are
constant during Newton's iterations. After the iterations the anchor of a sliding row is set to q. The anchor of a row
that begins to stick is chosen so that the bristle exerts the force that acted at the start of the step. A row that
already stuck at the start of the step keeps its anchor. The state of a row that begins to slide has the sign of q_t, or
the sign of the force if q_t = 0. The force error is the jump of the force due to the new history values.

In the energy ledger, a sliding bristle stores the energy of the deflection F/k_b.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from windlass.connectors.markers.coordinate_marker import COORDINATE
from windlass.connectors.markers.coordinate_outputs import coordinate_output
from windlass.connectors.markers.pair_laws import measure_coordinates
from windlass.connectors.springs.coordinate_friction import (
    bristle_energy,
    depth,
    friction,
    is_stopped,
    sliding,
    update_history,
)
from windlass.connectors.user_functions.user_forces import force_columns
from windlass.connectors.user_functions.user_rows import USER_FIELDS, bind_users, derive_users, find_users
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.gaps import GAP, note_gap
from windlass.framework.model.law import LocalRows, Tables, register_pair
from windlass.framework.model.schema import Component, column, derived, ref
from windlass.framework.model.system import System
from windlass.framework.model.table import EntityTable

START = (0.0, 0.0, 0.0)


class CoordinateSpringDamperExt(Component):
    """A spring, a damper, friction and stops between two coordinates.

    Three history values per row: slip state [N or N m], anchor [m or rad], and depth in a stop [m or rad].
    """

    marker0 = ref(COORDINATE, "first coordinate x0; if left out, the ground with x0 = 0")
    marker1 = ref(COORDINATE, "second coordinate")
    data = ref("GenericData", "3 history values; if left out, they are created as zeros (sticking at 0)", optional=True)
    factor0 = column("1", "factor f0 of coordinate 0, for gears", default=1.0)
    factor1 = column("1", "factor f1 of coordinate 1", default=1.0)
    stiffness = column("N/m", "stiffness k [N/m or N m/rad]", default=0.0, minimum=0.0, switchable=True)
    damping = column("N s/m", "damping d [N s/m or N m s/rad]", default=0.0, minimum=0.0, switchable=True)
    offset = column("m", "stretch q at which the spring force is 0 [m or rad]", default=0.0, switchable=True)
    rate_offset = column(
        "m/s", "velocity q_t at which the damping force is 0 [m/s or rad/s]", default=0.0, switchable=True
    )
    dynamic_friction = column("N", "friction F_d while sliding [N or N m]", default=0.0, minimum=0.0, switchable=True)
    static_friction_offset = column(
        "N", "additional friction F_s at rest [N or N m]", default=0.0, minimum=0.0, switchable=True
    )
    decay_velocity = column("m/s", "velocity v_exp at which F_s has decreased to 37 %", default=1e-3, above=0.0)
    viscous_friction = column(
        "N s/m", "increase F_v of the friction with the sliding velocity", default=0.0, minimum=0.0, switchable=True
    )
    sticking_stiffness = column("N/m", "stiffness k_b of the bristle", default=0.0, minimum=0.0)
    sticking_damping = column("N s/m", "damping d_b of the bristle", default=0.0, minimum=0.0)
    proportional_zone = column(
        "m/s", "velocity v_r of friction without history; 0: friction with bristles", default=0.0, minimum=0.0
    )
    stops = column("1", "whether there are stops", dtype=bool, default=False)
    lower_stop = column("m", "lower stop [m or rad]", default=0.0)
    upper_stop = column("m", "upper stop [m or rad]", default=0.0)
    stop_stiffness = column("N/m", "stiffness k_s of the stops [N/m or N m/rad]", default=0.0, minimum=0.0)
    stop_damping = column("N s/m", "damping d_s of the stops [N s/m or N m s/rad]", default=0.0, minimum=0.0)
    force_function, force_derivative = force_columns(
        "f(t, row, q, q_t, stiffness, damping, offset) -> total force [N or N m]", "(df/dq, df/dq_t)"
    )
    active = column(
        "1",
        "false: the row has no force, and its history values do not change",
        dtype=bool,
        default=True,
        switchable=True,
    )
    has_function, user_force, df_du, df_dut = USER_FIELDS
    bristle = derived("1", "whether the row has friction with bristles")


@kernel
def force(row: Any, u: float, ut: float, t: float) -> float:
    """Return the force f [N or N m]."""
    if row.has_function:
        return float(row.user_force[0])
    elastic = row.stiffness * (u - row.offset) + row.damping * (ut - row.rate_offset)
    stop = row.stop_stiffness * depth(row, u) + row.stop_damping * ut * is_stopped(row)
    return float(elastic + friction(row, u, ut)[0] + stop)


@kernel
def force_tangent(row: Any, u: float, ut: float, t: float) -> tuple[float, float]:
    """Return ∂f/∂u [N/m or N m/rad] and ∂f/∂u_t [N s/m or N m s/rad]."""
    if row.has_function:
        return row.df_du[0, 0], row.df_dut[0, 0]
    _, by_place, by_rate = friction(row, u, ut)
    on = is_stopped(row)
    return row.stiffness + by_place + on * row.stop_stiffness, row.damping + by_rate + on * row.stop_damping


@kernel
def spring_energy(row: Any, u: float, ut: float, t: float) -> float:
    """Return the energy [J] of the spring. For rows with a user function, this kernel and all other kernels for
    energies and powers in this file return 0.
    """
    return 0.5 * row.stiffness * (u - row.offset) ** 2 if not row.has_function else 0.0


@kernel
def stop_energy(row: Any, u: float, ut: float, t: float) -> float:
    """Return the energy [J] of a stop in contact."""
    return 0.5 * row.stop_stiffness * depth(row, u) ** 2 if not row.has_function else 0.0


@kernel
def measure_gap(row: Any, u: float, ut: float, numbers: FloatArray) -> None:
    """Write the gap quantities of the nearer stop, see `Gaps`. The gap is infinite for rows without stops or with a
    user function.
    """
    above, below = row.upper_stop - u, u - row.lower_stop
    if not row.stops or row.has_function:
        numbers[GAP] = np.inf
    elif above < below:
        note_gap(numbers, above, -ut, abs(ut))
    else:
        note_gap(numbers, below, ut, abs(ut))


@kernel
def damper_power(row: Any, u: float, ut: float, t: float) -> float:
    """Return the power [W] lost in the damper."""
    return row.damping * (ut - row.rate_offset) ** 2 if not row.has_function else 0.0


@kernel
def sliding_power(row: Any, u: float, ut: float, t: float) -> float:
    """Return the power [W] lost to friction without history, or to the damper of a sticking bristle. `fill_jumps`
    computes the energy that sliding bristles lose.
    """
    if row.has_function:
        return 0.0
    if row.bristle:
        return row.sticking_damping * ut * ut if row.history[0] == 0.0 else 0.0
    return float(friction(row, u, ut)[0] * ut)


@kernel
def stop_power(row: Any, u: float, ut: float, t: float) -> float:
    """Return the power [W] lost in the damper of a stop in contact."""
    return row.stop_damping * ut * ut * is_stopped(row) if not row.has_function else 0.0


@kernel
def drive_power(row: Any, u: float, ut: float, t: float) -> float:
    """Return the power [W] that is transferred to the drive that prescribes ``rate_offset``."""
    return row.damping * (ut - row.rate_offset) * row.rate_offset if not row.has_function else 0.0


def derive(rows: LocalRows) -> dict[str, Any]:
    """Compute whether each row has a user function, and whether it has bristles."""
    names = "dynamic_friction", "static_friction_offset", "viscous_friction"
    rubs = np.any([rows.local(name) > 0.0 for name in names], axis=0)
    return derive_users(rows) | {"bristle": rubs & (rows.local("proportional_zone") == 0.0)}


def judge_account(rows: LocalRows, system: System) -> None:
    """Set in the `Account` of the system whether energies and powers are complete. If a row has a user function,
    energies and powers are incomplete, because the force of the user function need not have a potential energy.
    """
    assert system.account is not None
    system.account = replace(system.account, is_whole=not len(find_users(rows).where))


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for friction whose bristles have no stiffness, and for a lower stop that is not below the upper
    stop."""
    get = table.local
    rubs = (get("dynamic_friction") > 0.0) | (get("static_friction_offset") > 0.0) | (get("viscous_friction") > 0.0)
    loose = rubs & (get("proportional_zone") == 0.0) & (get("sticking_stiffness") == 0.0)
    words = "be > 0 with friction, or proportional_zone > 0 m/s for friction without sticking"
    table.refuse(loose, ("sticking_stiffness",), words)
    crossed = get("stops") & ~(get("lower_stop") < get("upper_stop"))
    table.refuse(crossed, ("lower_stop", "upper_stop"), "have the lower stop below the upper one")


def history_output(place: int) -> Any:
    """Create the function that returns history value ``place`` of each row, shape (rows,)."""
    return lambda rows, s: s.data[rows.columns[1]["data"] + place]


register_pair(
    CoordinateSpringDamperExt,
    force,
    force_tangent,
    derive=derive,
    before=partial(bind_users, measure_coordinates, False),
    stored={"spring": spring_energy, "bristle": bristle_energy, "stop": stop_energy},
    lost={"damper": damper_power, "sliding": sliding_power, "stop_damper": stop_power},
    passed={"drive": drive_power},
    sliding=sliding,
    finish=judge_account,
    in_place=("stiffness", "damping", "offset", "rate_offset"),
    start=START,
    update=update_history,
    gap=measure_gap,
    check=check,
    outputs={
        "slip_state": coordinate_output("N", "state of friction: 0 sticks, ±F slips [N or N m], ()", history_output(0)),
        "anchor": coordinate_output(
            "m", "stretch q at which the bristle has no deflection [m or rad], ()", history_output(1)
        ),
        "stop_depth": coordinate_output("m", "depth in a stop, 0 without contact [m or rad], ()", history_output(2)),
    },
    source="[@exudyn], ObjectConnectorCoordinateSpringDamperExt",
)
