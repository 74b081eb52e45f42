"""Powers and energies of contact points, for outputs and for the energy balance (`Account`) of a law. The forces are
explained in `law.py`.

    power that contact takes from cable and partner: P = f_n v_n + f_t.v_t
    sliding: f_t.v_t while a point slips
    tangential damper: mu_v v_t² while a point sticks
    normal damper: (f_n - k g) v_n
    normal spring: k g v_n is stored
    lever: the part of f_t.v_t that is neither lost nor stored
    bristle: the remainder of f_t.v_t is stored in the bristle while a point sticks

Source: own derivation from the power of each force.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from windlass.connectors.contact.account import (
    BRISTLE_ENERGY,
    BRISTLE_POWER,
    CONTACT_STATE,
    DAMPER_FORCE,
    DAMPER_POWER,
    DEPTH,
    NORMAL_FORCE,
    OPEN,
    PARTS,
    SPRING_ENERGY,
    create_account,
)
from windlass.connectors.contact.law import PointLaw
from windlass.connectors.friction.bristle import SLIPS, bent_energy, coulomb
from windlass.elements.nodes.vectors import Vector, dot
from windlass.framework.accounts import Account
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.call import Call, call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.system import Evaluation

SLIDING, RUBBING, DAMPING, BENDING, PRESSING, LEVER = range(6)
"""Indices of the powers of a point, in the order of `account.POWERS`."""
SPRING, BRISTLE, STATE, DAMPER, GAP, FORCE = range(6, 12)
"""Indices of further quantities of a point: energies of spring and bristle [J], state, force of the normal damper [N],
gap [m] and f_n [N].
"""
NUMBERS = 12
"""Number of quantities of a point: the six powers and six further quantities. After these quantities, an array may
contain additional quantities, see `create_place_account`.
"""


@kernel(inline=True)
def clear_place(to: FloatArray) -> None:
    """Write the quantities of an open point. The state is open, and all other quantities are 0. The caller writes the
    gap.
    """
    for j in range(NUMBERS):
        to[j] = 0.0
    to[STATE] = OPEN


@kernel(inline=True)
def write_place(
    to: FloatArray, law: PointLaw, gap: float, vn: float, fn: float, state: float, taken: float, damping: float,
    lever: float, bent: float,
) -> None:  # fmt: skip
    """Write the quantities of a closed point.

    Args:
        to: output array, shape (NUMBERS,) or longer.
        taken: power f_t.v_t of the friction f_t at the slip velocity v_t [W].
        damping: power of the tangential damper, if the point sticks [W].
        lever: power of f_t that is neither lost nor stored, if the point sticks [W].
        bent: energy of the bristle [J].
    """
    spring, slips = law.contact_stiffness * gap, abs(state) == SLIPS
    to[SLIDING], to[RUBBING], to[LEVER] = taken if slips else 0.0, 0.0 if slips else damping, 0.0 if slips else lever
    to[BENDING] = 0.0 if slips else taken - damping - lever
    to[DAMPING], to[PRESSING] = (fn - spring) * vn, spring * vn
    to[SPRING], to[BRISTLE], to[STATE] = 0.5 * spring * gap, bent, state
    to[DAMPER], to[GAP], to[FORCE] = fn - spring, gap, fn


@kernel(inline=True)
def eval_bristle(law: PointLaw, fn: float, slips: bool, vt: Vector, u: Vector) -> tuple[float, float]:
    """Return the power [W] of the tangential damper and the energy [J] of the bristle."""
    limit = coulomb(law.friction_coefficient, fn)[0]
    bent = bent_energy(slips, law.friction_stiffness, dot(u, u), limit)
    return law.friction_velocity_penalty * dot(vt, vt), bent


@kernel
def take_places(found: FloatArray, first: int, energies: FloatArray, powers: FloatArray, parts: FloatArray) -> None:
    """Add the energies of all points to ``energies`` of their rows. Add the powers of sliding, tangential dampers and
    lever to ``powers`` of their rows. Write the input for `fill_jumps` into ``parts``. The arguments ``found`` and
    ``first`` are explained in `create_place_account`.
    """
    for i in range(len(found)):
        here = found[i]
        for k in range(found.shape[1]):
            for j in range(PARTS, parts.shape[1]):
                parts[i, j, k] = here[k, first + NUMBERS + j - PARTS]
            parts[i, DEPTH, k] = here[k, first + GAP]
            # all quantities of open points are 0, except the gap
            if here[k, first + STATE] == OPEN and parts[i, CONTACT_STATE, k] == OPEN:
                continue
            place = here[k, first:]
            energies[0, i] += place[SPRING]
            energies[1, i] += place[BRISTLE]
            powers[0, i] += place[SLIDING]
            powers[2, i] += place[RUBBING]
            powers[4, i] += place[LEVER]
            parts[i, BRISTLE_POWER, k], parts[i, BRISTLE_ENERGY, k] = place[BENDING], place[BRISTLE]
            parts[i, CONTACT_STATE, k], parts[i, NORMAL_FORCE, k] = place[STATE], place[FORCE]
            parts[i, DAMPER_POWER, k], parts[i, DAMPER_FORCE, k] = place[DAMPING], place[DAMPER]
            parts[i, SPRING_ENERGY, k] = place[SPRING]


def create_place_account(
    fill: Callable[[Any], None], found: FloatArray, first: int = 0, by: str = "circle", further: int = 0
) -> Account:
    """Create the `Account` of a contact law from the quantities of its points.

    Args:
        fill: `Call` or Python function ``fill(s)`` that writes the quantities to ``found``. If ``fill`` is a Python
            function, time steps with an `EnergyLedger` are not compiled.
        found: permanent array of the quantities, shape (rows, points, quantities).
        first: index of the first quantity of a point on the last axis of ``found``.
        by: argument that is passed to `Account`.
        further: number of additional quantities for `fill_jumps`, which follow the `NUMBERS` quantities of a point.
    """
    take = call(take_places, lambda s: (found, first, s.energies, s.powers, s.parts))

    def read(s: Evaluation) -> None:
        fill(s)
        take(s)

    rows, places, _ = found.shape
    whole = fill + take if isinstance(fill, Call) else read
    return replace(create_account(whole, (rows, PARTS + further, places), by), rows=rows)
