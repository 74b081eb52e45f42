"""One-way clutch of an overrunning pulley. The clutch locks in one direction and rotates freely in the other direction.

    rotation: u = x1 - x0 of the driven part (a shaft) relative to the driving part (the rim)
    trial torque: tau = k_b (u - anchor), with the anchor at the start of the step
    locks: f = tau, if -M_max <= tau <= M_drag
    overruns: f = M_drag, if tau > M_drag, because the shaft is faster than the rim. Then anchor = u - f/k_b
    slips: f = -M_max, if tau < -M_max, because of an overload
    action: f on coordinate 1, -f on coordinate 0, on the left-hand side
    damping: d u_t is added to f while the clutch is locked

If ``direction`` is -1, the signs of u and f are reversed in these formulas. The return map of the torque is evaluated
within Newton's method, with the exact tangent of the return map.

Source: return map of a Prandtl element with two limits, J. C. Simo and T. J. R. Hughes, Computational Inelasticity,
Springer (1998), chapter 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.connectors.markers.coordinate_marker import COORDINATE
from windlass.connectors.markers.coordinate_outputs import coordinate_output
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import Output, Tables, register_pair
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.table import EntityTable

START = (0.0,)


class OverrunningClutch(Component):
    """A one-way clutch between two angles. One history value per row: the anchor [rad]."""

    marker0 = ref(COORDINATE, "angle of the driving part, the rim; if left out, the ground")
    marker1 = ref(COORDINATE, "angle of the driven part, the shaft")
    data = ref(
        "GenericData", "1 history value; if left out, it is created as [0] (locked without torque)", optional=True
    )
    stiffness = column("N m/rad", "stiffness k_b of the locked clutch", above=0.0)
    damping = column("N m s/rad", "damping d of the locked clutch", default=0.0, minimum=0.0)
    drag_torque = column("N m", "torque M_drag of the overrunning clutch", default=0.0, minimum=0.0, switchable=True)
    largest_torque = column("N m", "largest torque M_max of the locked clutch", default=1e9, above=0.0, switchable=True)
    direction = column(
        "1", "1: the shaft can overrun towards increasing angles; -1: towards decreasing angles", default=1.0
    )
    active = column(
        "1",
        "false: the row has no torque, and its history values do not change",
        dtype=bool,
        default=True,
        switchable=True,
    )


@kernel
def lock(row: Any, u: float) -> tuple[float, float, float]:
    """Return the torque [N m] without the damping torque, the derivative of this torque with respect to u, and whether
    the clutch overruns or slips (1) or is locked (0).
    """
    side = row.direction
    tau = row.stiffness * side * (u - row.start[0])
    if tau > row.drag_torque:
        return side * row.drag_torque, 0.0, 1.0
    if tau < -row.largest_torque:
        return -side * row.largest_torque, 0.0, 1.0
    return side * tau, row.stiffness, 0.0


@kernel
def force(row: Any, u: float, ut: float, t: float) -> float:
    """Return the torque f [N m]."""
    f, _, slips = lock(row, u)
    return float(f if slips > 0.0 else f + row.damping * ut)


@kernel
def force_tangent(row: Any, u: float, ut: float, t: float) -> tuple[float, float]:
    """Return ∂f/∂u and ∂f/∂u_t."""
    _, slope, slips = lock(row, u)
    return slope, 0.0 if slips > 0.0 else row.damping


@kernel
def energy(row: Any, u: float, ut: float, t: float) -> float:
    """Return the elastic energy [J]. While the clutch overruns or slips, its elastic deflection is f/k_b."""
    return float(0.5 * lock(row, u)[0] ** 2 / row.stiffness)


@kernel
def damper_power(row: Any, u: float, ut: float, t: float) -> float:
    """Return the power [W] lost in the damper."""
    return float(0.0 if lock(row, u)[2] > 0.0 else row.damping * ut * ut)


@kernel
def overruns(row: Any, u: float, ut: float, t: float) -> float:
    """Return 1 while the clutch overruns or slips, otherwise 0."""
    return float(lock(row, u)[2])


@kernel
def sliding(row: Any, u: float, ut: float, t: float) -> tuple[float, float, float]:
    """Return the power [W] of the torque without the damping torque, the elastic energy [J] of the clutch, and whether
    the clutch overruns or slips (1) or is locked (0).
    """
    f, _, slips = lock(row, u)
    return f * ut, energy(row, u, ut, t), slips


@kernel
def update_anchor(row: Any, u: float, ut: float, t: float, h: float) -> tuple[float, float, bool, float]:
    """Compute the anchor at the end of the step from the anchor at the start of the step, and return a force error of
    0."""
    row.history[0] = u - lock(row, u)[0] / row.stiffness
    return 0.0, np.inf, False, 0.0


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError if ``direction`` is neither 1 nor -1."""
    table.refuse(np.abs(table.local("direction")) != 1.0, ("direction",), "be 1 or -1")


register_pair(
    OverrunningClutch,
    force,
    force_tangent,
    stored={"spring": energy},
    lost={"damper": damper_power},
    sliding=sliding,
    start=START,
    update=update_anchor,
    check=check,
    outputs={
        "torque": coordinate_output("N", "torque f, ()", force),
        "overruns": Output("1", "1 while the clutch overruns or slips, otherwise 0, ()", overruns),
    },
    source="[@simo1998]",
)
