"""Spring and damper between two coordinates, linear or by a user function.

    linear: f = k (u - offset) + d u_t,    u = x1 - x0
    user function: f = force_function(t, row, u, u_t, k, d, offset), see `user_functions.user_forces`
    action: f on coordinate 1, -f on coordinate 0, on the left-hand side

x0 and x1 are the displacements of the coordinates from the reference configuration.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from windlass.connectors.markers.coordinate_marker import COORDINATE
from windlass.connectors.markers.pair_laws import measure_coordinates
from windlass.connectors.markers.position_kernels import CURVED
from windlass.connectors.springs.user_springs import judge_account
from windlass.connectors.user_functions.user_forces import force_columns
from windlass.connectors.user_functions.user_rows import USER_FIELDS, bind_users, derive_users, find_users
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows, register_pair
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.system import System


class CoordinateSpringDamper(Component):
    """A spring and a damper between two coordinates."""

    marker0 = ref(COORDINATE, "first coordinate x0; if left out, the ground with x0 = 0")
    marker1 = ref(COORDINATE, "second coordinate")
    stiffness = column("N/m", "stiffness k [N/m or N m/rad]", default=0.0, minimum=0.0, switchable=True)
    damping = column("N s/m", "damping d [N s/m or N m s/rad]", default=0.0, minimum=0.0, switchable=True)
    offset = column("m", "difference x1 - x0 at which the spring force is 0 [m or rad]", default=0.0, switchable=True)
    force_function, force_derivative = force_columns(
        "f(t, row, u, u_t, stiffness, damping, offset) -> force [N or N m]", "(df/du, df/du_t)"
    )
    active = column("1", "the spring acts only if true", dtype=bool, default=True, switchable=True)
    has_function, user_force, df_du, df_dut = USER_FIELDS


@kernel
def force(row: Any, u: float, ut: float, t: float) -> float:
    """Return the force f [N or N m]."""
    f: float = row.user_force[0] if row.has_function else row.stiffness * (u - row.offset) + row.damping * ut
    return f


@kernel
def force_tangent(row: Any, u: float, ut: float, t: float) -> tuple[float, float]:
    """Return ∂f/∂u [N/m or N m/rad] and ∂f/∂u_t [N s/m or N m s/rad]."""
    if row.has_function:
        return row.df_du[0, 0], row.df_dut[0, 0]
    return row.stiffness, row.damping


@kernel
def energy(row: Any, u: float, ut: float, t: float) -> float:
    """Return the energy [J] of the spring, which is 0 for rows with a user function."""
    return 0.0 if row.has_function else 0.5 * row.stiffness * (u - row.offset) ** 2


@kernel
def power(row: Any, u: float, ut: float, t: float) -> float:
    """Return the power [W] that the damper dissipates, which is 0 for rows with a user function."""
    return 0.0 if row.has_function else row.damping * ut * ut


def finish(rows: LocalRows, system: System) -> None:
    """Set properties of the `Account` of the system. The tangent does not depend on offsets if no row has a user
    function, and if no marker has second derivatives.
    """
    judge_account(rows, system)
    tables = {table for name in ("marker0", "marker1") for table, *_ in rows.world.split_by_table(rows.local(name))}
    if not len(find_users(rows).where) and not any(CURVED in table.component.provides for table in tables):
        system.changes.steady = frozenset({"offset"})


register_pair(
    CoordinateSpringDamper,
    force,
    force_tangent,
    derive=derive_users,
    before=partial(bind_users, measure_coordinates, False),
    stored={"spring": energy},
    lost={"damper": power},
    finish=finish,
    in_place=("stiffness", "damping", "offset"),
    source="[@shabana], spring-damper-actuator elements",
)
