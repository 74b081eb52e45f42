"""Powers and energies of all laws of contact with cables: names, losses, the `Account` of a law, and outputs.

If a bristle slips, its deflection is proportional to the friction limit. If the limit changes or a contact opens, the
stored energy changes. These changes of energy are computed as differences of energies and not as integrals of powers,
see `fill_jumps`. Energy balances compute the loss of normal dampers from the change of the gap in each step: Δg times
the mean of F = f_n - k_c g at the start and at the end of the step. The power of the dampers is not used, because it
differs greatly from the loss if v_n oscillates from step to step but the gap does not. In steps in which contact begins
or ends, the loss is the work of f_n, Δg f_n/2, minus the energy that the spring stores. Therefore the energy of impacts
that are too short for the step size is counted as lost.

Source: derived in this project from the power of each force.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from windlass.framework.accounts import Account
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows, Output
from windlass.framework.model.system import Evaluation, Fields

BRISTLE_POWER, BRISTLE_ENERGY, CONTACT_STATE, DAMPER_POWER, DAMPER_FORCE, DRIFT, DEPTH = range(7)
NORMAL_FORCE, SPRING_ENERGY, PARTS = range(7, 10)
"""Indices of the values of a segment or point for `fill_jumps`, and the number of these values.

DRIFT is the part of v_n due to the motion of the material through the mesh [m/s]. It is 0 if there is no such motion.
DEPTH is the gap [m].
"""
OPEN = -3.0
"""State of open segments and points in the input of `fill_jumps`."""
POWERS = {
    "friction_power": "power lost in sliding friction",
    "friction_damping_power": "power lost in the tangential dampers of sticking parts",
    "contact_damping_power": "power lost in the normal dampers",
    "bristle_power": "rate at which sticking bristles store energy",
    "spring_power": "rate at which the normal springs store energy",
    "lever_power": "power of f_t, which acts at r + g on the cable and at r on the circle; this power is not lost",
}
"""Outputs for the parts of the power [W] that contact takes from a cable and its partner. The sum of the parts is the
total power.
"""
FRICTION = ("friction_power", "friction_damping_power", "bristle_power", "lever_power")
STORED, PASSED = ("contact_spring", "bristle"), ("lever",)
FRICTION_LOSSES = ("sliding", "bristles", "friction_damping")
LOST = (*FRICTION_LOSSES, "contact_damping")
"""Names of the energies that contact loses, in the order of the rows of ``lost`` in `fill_jumps`."""
NO_FORCES: FloatArray = np.zeros(0)
NO_GAP = 1e9
"""Gap [m] that is stored for a contact point with no opposite surface, for example beyond the end of a surface, and for
segments that are so far from their circle that their gap is not computed.
"""


@kernel
def fill_jumps(before: FloatArray, now: FloatArray, size: FloatArray, lost: FloatArray) -> None:
    """Add to ``lost`` the energies [J] that are lost in a step of size[0] seconds by sliding, bristles and normal
    dampers. These losses are computed from changes of stored energy and of gaps, not as integrals of powers.

    Sliding dissipates the work of the friction f_t minus the change of the energy of bristles. The energy of bristles
    at opening points is lost. The total loss of bristles is the work done on the bristles minus the change of the
    energy stored in the bristles. The loss of a normal damper is the mean of its forces at the start and at the end of
    the step, times the change of the gap. In steps in which contact begins or ends, the work of springs that is not
    stored is also lost. If the gap is unknown at the start or at the end of the step, the loss is the mean of the
    damper powers at these times, multiplied by the step size. The arguments ``before`` and ``now`` are the ``parts`` of
    a `Reading` at the start and at the end of the step. For contact points, both arrays contain a further value, see
    `fill_points`. The rows of ``lost`` are in the order of `LOST`. At the end ``now`` is copied to ``before``.
    """
    for i in range(len(now)):
        closed = False
        for s in range(now.shape[2]):
            closed |= before[i, CONTACT_STATE, s] != OPEN or now[i, CONTACT_STATE, s] != OPEN
        for s in range(now.shape[2] if closed else 0):
            was, state = before[i, CONTACT_STATE, s], now[i, CONTACT_STATE, s]
            if was == OPEN and state == OPEN:
                continue
            # losses of the dampers in the normal direction
            if max(before[i, DEPTH, s], now[i, DEPTH, s]) >= NO_GAP:
                lost[3, i] += 0.5 * size[0] * (before[i, DAMPER_POWER, s] + now[i, DAMPER_POWER, s])
            else:
                drift = 0.5 * size[0] * (before[i, DRIFT, s] + now[i, DRIFT, s])
                way = now[i, DEPTH, s] - before[i, DEPTH, s] + drift
                force, stored = DAMPER_FORCE, 0.0
                if was == OPEN or state == OPEN:
                    force, stored = NORMAL_FORCE, now[i, SPRING_ENERGY, s] - before[i, SPRING_ENERGY, s]
                lost[3, i] += 0.5 * (before[i, force, s] + now[i, force, s]) * way - stored
            # bristles
            beside = 0.5 * size[0] * (before[i, BRISTLE_POWER, s] + now[i, BRISTLE_POWER, s])
            beside -= now[i, BRISTLE_ENERGY, s] - before[i, BRISTLE_ENERGY, s]
            if abs(state) == 1.0 or (abs(was) == 1.0 and state == 0.0):
                lost[0, i] += beside
            elif state == OPEN:
                lost[1, i] += beside
            elif was == OPEN and state == 0.0:
                # on a rigid layer a new bristle has the deflection of its neighbours
                lost[1, i] += beside
            elif was == 0.0 and state == 0.0:
                # for contact points, `fill_points` also stores the number of closed points, because the deflection of
                # bristles depends on this number
                for k in range(PARTS, now.shape[1]):
                    if before[i, k, s] != now[i, k, s]:
                        lost[1, i] += beside
        # if a segment or point stays open, only its gap changes
        for k in range(0 if closed else DEPTH, now.shape[1] if closed else DEPTH + 1):
            for s in range(now.shape[2]):
                before[i, k, s] = now[i, k, s]


def create_account(
    read: Callable[[Evaluation], None], parts: tuple[int, ...], by: str = "circle", conserves: bool = False
) -> Account:
    """Create the `Account` of a contact law. The function ``read`` evaluates energies and powers. It also fills the
    array of shape ``parts`` that `fill_jumps` needs. The arguments ``by`` and ``conserves`` are passed to `Account`.
    """
    jumps = call(fill_jumps, lambda s: (s.parts_before, s.parts, s.size, s.jumps))
    return Account(read, STORED, LOST, PASSED, parts=parts, jumps=jumps, by=by, conserves=conserves)


def create_power_outputs(friction: bool, evaluate: Callable[[LocalRows, Fields], FloatArray]) -> dict[str, Output]:
    """Create the outputs of powers and, for laws with friction, of the work lost in friction. Each output is summed
    over the segments or points of a row, shape (rows,).

    The function ``evaluate`` returns the powers of a law [W], shape (rows, segments or points, 6), in the order of
    `POWERS`.
    """

    def output(k: int, doc: str) -> Output:
        def total(rows: LocalRows, fields: Fields) -> Any:
            return evaluate(rows, fields)[..., k].sum(axis=-1)

        return Output("W", doc + ", shape (rows,)", total)

    outputs = {name: output(k, doc) for k, (name, doc) in enumerate(POWERS.items()) if friction or name not in FRICTION}
    if friction:
        doc = "energy lost by friction since an EnergyLedger began, NaN without a ledger, shape (rows,)"
        outputs["friction_work"] = Output("J", doc, lambda rows, fields: eval_friction_work(rows))
    return outputs


def eval_friction_work(rows: LocalRows) -> FloatArray:
    """Return the energy [J] that sliding, bristles and tangential dampers of each row have lost since an `EnergyLedger`
    began, shape (rows,). Without a ledger, the values are NaN.
    """
    component = rows.table.component
    losses = rows.layout.losses.get(component)
    if losses is None:
        return np.full(len(rows.rows), np.nan)
    return losses.sum_rows(FRICTION_LOSSES)[np.searchsorted(rows.layout.rows[component], rows.rows)]
