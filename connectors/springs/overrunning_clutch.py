"""One-way clutch of an overrunning pulley: it locks in one direction and turns freely in the other.

    u = x1 - x0 rotation of the driven part (a shaft) relative to the driving one (the rim)
    tau = k_b (u - anchor)               with the anchor at the start of the step
    locks      f = tau                   -M_max <= tau <= M_drag
    overruns   f = M_drag                tau > M_drag: the shaft runs ahead; anchor = u - f/k_b at the end of the step
    slips      f = -M_max                tau < -M_max: overload
    f + d u_t while it locks;            f on coordinate 1, -f on coordinate 0, on the left-hand side

With ``direction`` -1 all signs of u are reversed.  The return map runs within Newton's method, with its exact tangent.

Source: return of a Prandtl element with two limits, J. C. Simo and T. J. R. Hughes, Computational Inelasticity,
Springer (1998), chapter 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from windlass.connectors.markers.coordinate_columns import FAMILY, CoordinateColumns
from windlass.connectors.markers.coordinate_outputs import coordinate_output
from windlass.connectors.markers.pair_laws import row_of_coordinates
from windlass.connectors.markers.pairs import Pair
from windlass.connectors.springs.coordinate_friction import fill_jumps
from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.post_newton import note_outcome
from windlass.framework.kernels.call import Call, call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows, Output, Tables, register_pair
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.system import System
from windlass.framework.model.table import EntityTable

START = (0.0,)


class OverrunningClutch(Component):
    """A one-way clutch between two angles.  History values per row: anchor [rad] (1)."""

    marker0 = ref("coordinate marker", "angle of the driving part, the rim; the ground if left out")
    marker1 = ref("coordinate marker", "angle of the driven part, the shaft")
    data = ref("GenericData", "1 history value; created as [0], locked without torque, if left out", optional=True)
    stiffness = column("N m/rad", "k_b while it locks", above=0.0)
    damping = column("N m s/rad", "d while it locks", default=0.0, minimum=0.0)
    drag_torque = column("N m", "M_drag while it overruns", default=0.0, minimum=0.0, switchable=True)
    largest_torque = column("N m", "M_max that it holds", default=1e9, above=0.0, switchable=True)
    direction = column("1", "1: the shaft may run ahead with growing angle; -1: with falling", default=1.0)
    active = column("1", "false: no torque, history untouched", dtype=bool, default=True, switchable=True)


LETTERS = {
    "kb": "stiffness", "d": "damping", "drag": "drag_torque", "most": "largest_torque", "side": "direction",
}  # fmt: skip


@kernel
def lock(c: Any, i: int, u: float) -> tuple[float, float, float]:
    """Torque of row i without its damper [N m], its derivative with respect to u, and whether it overruns or slips."""
    side = c.side[i]
    tau = c.kb[i] * side * (u - c.h[i, 0])
    if tau > c.drag[i]:
        return side * c.drag[i], 0.0, 1.0
    if tau < -c.most[i]:
        return -side * c.most[i], 0.0, 1.0
    return side * tau, c.kb[i], 0.0


@kernel
def force(c: Any, i: int, u: float, ut: float, t: float) -> float:
    """f of row i [N m]."""
    f, _, slips = lock(c, i, u)
    return float(f if slips > 0.0 else f + c.d[i] * ut)


@kernel
def force_tangent(c: Any, i: int, u: float, ut: float, t: float) -> tuple[float, float]:
    """∂f/∂u and ∂f/∂u_t of row i."""
    _, slope, slips = lock(c, i, u)
    return slope, 0.0 if slips > 0.0 else c.d[i]


@kernel
def energy(c: Any, i: int, u: float, ut: float, t: float) -> float:
    """Energy of the locked clutch of row i [J]; while it overruns it stays wound by f/k_b."""
    return float(0.5 * lock(c, i, u)[0] ** 2 / c.kb[i])


@kernel
def damper_power(c: Any, i: int, u: float, ut: float, t: float) -> float:
    """Power that the damper of row i dissipates [W]."""
    return float(0.0 if lock(c, i, u)[2] > 0.0 else c.d[i] * ut * ut)


@kernel
def no_power(c: Any, i: int, u: float, ut: float, t: float) -> float:
    """0: the loss by overrunning is an energy per step, see `fill_jumps`."""
    return 0.0


@kernel
def overruns(c: Any, i: int, u: float, ut: float, t: float) -> float:
    """1 while row i overruns or slips, else 0."""
    return float(lock(c, i, u)[2])


@kernel
def fill_parts(c: Any, pair: Pair, m: CoordinateColumns, out: FloatArray) -> None:
    """For each row: its power without its damper [W], its energy [J], and whether it overruns; see `fill_jumps`."""
    for i in range(len(pair.m0)):
        out[i, :] = 0.0
        if pair.active[i]:
            u, ut = row_of_coordinates(m, pair, i)
            f, _, slips = lock(c, i, u)
            out[i, 0], out[i, 1], out[i, 2] = f * ut, energy(c, i, u, ut, 0.0), slips


@kernel
def update_anchors(
    c: Any, pair: Pair, m: CoordinateColumns, data: FloatArray, start: FloatArray, size: FloatArray, outcome: FloatArray
) -> None:
    """The anchors at the end of the step, from those at its start; there is no force error."""
    for i in range(len(pair.m0)):
        if pair.active[i]:
            c.h[i, 0] = start[c.data[i]]
            u, _ = row_of_coordinates(m, pair, i)
            data[c.data[i]] = u - lock(c, i, u)[0] / c.kb[i]
    note_outcome(outcome, 0.0, np.inf, False, 0.0, -1)


def bind_start(rows: LocalRows) -> tuple[Callable[[Any], None], Callable[[Any], None]]:
    """The update that copies the anchors at the start of the step into the arrays of the kernels."""
    c = rows.columns[1]

    def copy_history(s: Any) -> None:
        c.h[:, 0] = s.start_data[c.data]

    return copy_history, copy_history


def add_account(rows: LocalRows, system: System) -> None:
    """Add the energy that overrunning loses in a step."""
    pair, c = rows.columns[:2]
    account = system.account
    assert account is not None and isinstance(account.read, Call)
    read = account.read + call(fill_parts, lambda s: (c, pair, s.markers[FAMILY], s.parts))
    jumps = call(fill_jumps, lambda s: (s.parts_before, s.parts, s.size, s.jumps))
    system.account = replace(account, read=read, parts=(len(c.kb), 3), jumps=jumps)


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for invalid directions."""
    table.refuse(np.abs(table.local("direction")) != 1.0, ("direction",), "be 1 or -1")


register_pair(
    OverrunningClutch,
    force,
    force_tangent,
    letters=LETTERS,
    before=bind_start,
    stored={"spring": energy},
    lost={"damper": damper_power, "sliding": no_power},
    finish=add_account,
    start=START,
    update=update_anchors,
    check=check,
    outputs={
        "torque": coordinate_output("N", "f, ()", force),
        "overruns": Output("1", "1 while it overruns or slips, else 0, ()", overruns),
    },
    source="[@simo1998]",
)
