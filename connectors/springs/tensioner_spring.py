"""Spring of an automatic belt tensioner: torsion spring, dry friction that grows with its torque, asymmetric damping.

    e = M + k u                          torque of the spring, u = x1 - x0 the rotation of the arm since mounting
    f = e + d_s u_t + f_friction         on coordinate 1, -f on coordinate 0, on the left-hand side
    trial     tau = k_b (u - anchor)     of the bristle, with its anchor at the start of the step
    limit     F_s = F_c + mu_s |e|       s: direction of the motion, from tau for friction, from u_t for the damper
    sticks    f_friction = tau           |tau| <= F_s
    slips     f_friction = F_s sign(tau), anchor = u - f_friction/k_b at the end of the step

s is *loading* while |e| grows, *unloading* while it falls, with a coefficient mu_s and a damping d_s each: the spring
presses the sleeve of a tensioner, which resists more when the belt lifts the arm than when the arm follows the belt.
The return map runs within Newton's method, with its exact tangent: nothing is decided between Newton runs.

A slow cycle of the turn between a and b with e > 0 that slips both ways has the loop (mu_l and mu_u loading and
unloading, k_l = k_b - mu_l k and k_u = k_b + mu_u k the differences of stiffness to both limits)

    loss = ∫ (F_l + F_u) du - (F_l + F_u)²(b)/(2 k_u) - (F_l + F_u)²(a)/(2 k_l)

as the bristles cut off both ends of the loop: between the limits f rises by k_b, while both limits change with the
slopes mu_l k and -mu_u k.

Source: return of a Prandtl element, J. C. Simo and T. J. R. Hughes, Computational Inelasticity, Springer (1998),
chapter 1, with a yield limit that follows the spring.
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
from windlass.framework.model.law import LocalRows, Tables, register_pair
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.system import System
from windlass.framework.model.table import EntityTable

START = (0.0,)


class TensionerSpring(Component):
    """The spring of a tensioner arm, with friction that grows with its torque.  History values per row: anchor (1)."""

    marker0 = ref("coordinate marker", "angle of the carrier of the arm; default: the ground")
    marker1 = ref("coordinate marker", "angle of the arm")
    data = ref("GenericData", "1 history value; created as [0], not bent as mounted, if left out", optional=True)
    preload = column("N m", "M, torque of the spring as mounted", default=0.0, switchable=True)
    stiffness = column("N m/rad", "k of the spring", minimum=0.0, switchable=True)
    friction_torque = column("N m", "F_c, friction without a spring", default=0.0, minimum=0.0, switchable=True)
    loading_friction = column("1", "mu_l, friction per spring torque while it grows", default=0.0, minimum=0.0)
    unloading_friction = column("1", "mu_u, the same while it falls", default=0.0, minimum=0.0)
    loading_damping = column("N m s/rad", "d_l while the torque grows", default=0.0, minimum=0.0)
    unloading_damping = column("N m s/rad", "d_u while it falls", default=0.0, minimum=0.0)
    sticking_stiffness = column("N m/rad", "k_b of the bristle", default=0.0, minimum=0.0)
    active = column("1", "false: no torque, history untouched", dtype=bool, default=True, switchable=True)


LETTERS = {
    "M": "preload", "k": "stiffness", "Fc": "friction_torque", "ml": "loading_friction", "mu": "unloading_friction",
    "dl": "loading_damping", "du": "unloading_damping", "kb": "sticking_stiffness",
}  # fmt: skip


@kernel
def spring_torque(c: Any, i: int, u: float) -> float:
    """e of row i [N m]."""
    return float(c.M[i] + c.k[i] * u)


@kernel
def friction(c: Any, i: int, u: float) -> tuple[float, float, float]:
    """Friction of row i [N m], its derivative with respect to u, and whether it slips."""
    tau, e = c.kb[i] * (u - c.h[i, 0]), spring_torque(c, i, u)
    share = c.ml[i] if tau * e >= 0.0 else c.mu[i]
    limit = c.Fc[i] + share * abs(e)
    if abs(tau) <= limit:
        return tau, c.kb[i], 0.0
    return np.sign(tau) * limit, np.sign(tau) * share * np.sign(e) * c.k[i], 1.0


@kernel
def friction_torque(c: Any, i: int, u: float, ut: float, t: float) -> float:
    """Friction of row i [N m]."""
    return float(friction(c, i, u)[0])


@kernel
def damping(c: Any, i: int, u: float, ut: float) -> float:
    """d_s of row i [N m s/rad]."""
    return float(c.dl[i] if spring_torque(c, i, u) * ut >= 0.0 else c.du[i])


@kernel
def force(c: Any, i: int, u: float, ut: float, t: float) -> float:
    """f of row i [N m]."""
    return spring_torque(c, i, u) + damping(c, i, u, ut) * ut + friction(c, i, u)[0]


@kernel
def force_tangent(c: Any, i: int, u: float, ut: float, t: float) -> tuple[float, float]:
    """∂f/∂u and ∂f/∂u_t of row i."""
    return c.k[i] + friction(c, i, u)[1], damping(c, i, u, ut)


@kernel
def spring_energy(c: Any, i: int, u: float, ut: float, t: float) -> float:
    """Energy of the spring of row i relative to its energy as mounted [J]."""
    return float((c.M[i] + 0.5 * c.k[i] * u) * u)


@kernel
def bristle_energy(c: Any, i: int, u: float, ut: float, t: float) -> float:
    """Energy of the bristle of row i [J]: bent by f/k_b also while it slips."""
    return float(0.5 * friction(c, i, u)[0] ** 2 / c.kb[i]) if c.kb[i] > 0.0 else 0.0


@kernel
def damper_power(c: Any, i: int, u: float, ut: float, t: float) -> float:
    """Power that the damper of row i dissipates [W]."""
    return float(damping(c, i, u, ut) * ut * ut)


@kernel
def no_power(c: Any, i: int, u: float, ut: float, t: float) -> float:
    """0: the loss by sliding is an energy per step, see `fill_jumps`."""
    return 0.0


@kernel
def fill_parts(c: Any, pair: Pair, m: CoordinateColumns, out: FloatArray) -> None:
    """For each row: power into friction [W], energy of the bristle [J], and whether it slips; see `fill_jumps`."""
    for i in range(len(pair.m0)):
        out[i, :] = 0.0
        if pair.active[i]:
            u, ut = row_of_coordinates(m, pair, i)
            f, _, slips = friction(c, i, u)
            out[i, 0], out[i, 1], out[i, 2] = f * ut, bristle_energy(c, i, u, ut, 0.0), slips


@kernel
def update_anchors(
    c: Any, pair: Pair, m: CoordinateColumns, data: FloatArray, start: FloatArray, size: FloatArray, outcome: FloatArray
) -> None:
    """The anchors at the end of the step, from those at its start; there is no force error."""
    for i in range(len(pair.m0)):
        if pair.active[i] and c.kb[i] > 0.0:
            c.h[i, 0] = start[c.data[i]]
            u, _ = row_of_coordinates(m, pair, i)
            data[c.data[i]] = u - friction(c, i, u)[0] / c.kb[i]
    note_outcome(outcome, 0.0, np.inf, False, 0.0, -1)


def bind_start(rows: LocalRows) -> tuple[Callable[[Any], None], Callable[[Any], None]]:
    """The update that copies the anchors at the start of the step into the arrays of the kernels."""
    c = rows.columns[1]

    def copy_history(s: Any) -> None:
        c.h[:, 0] = s.start_data[c.data]

    return copy_history, copy_history


def add_account(rows: LocalRows, system: System) -> None:
    """Add the energy that sliding loses in a step."""
    pair, c = rows.columns[:2]
    account = system.account
    assert account is not None and isinstance(account.read, Call)
    read = account.read + call(fill_parts, lambda s: (c, pair, s.markers[FAMILY], s.parts))
    jumps = call(fill_jumps, lambda s: (s.parts_before, s.parts, s.size, s.jumps))
    system.account = replace(account, read=read, parts=(len(c.k), 3), jumps=jumps)


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for friction without a bristle, or with a bristle softer than the rise of the friction limit."""
    get = table.local
    rubs = (get("friction_torque") > 0.0) | (get("loading_friction") > 0.0) | (get("unloading_friction") > 0.0)
    words = "be > 0 N m/rad with friction, best some hundred times the stiffness of the spring"
    table.refuse(rubs & (get("sticking_stiffness") == 0.0), ("sticking_stiffness",), words)
    share = get("unloading_friction")
    table.refuse(share >= 1.0, ("unloading_friction",), "be < 1, as the arm would never follow the belt")
    soft = rubs & (get("sticking_stiffness") <= get("loading_friction") * get("stiffness"))
    table.refuse(soft, ("sticking_stiffness", "loading_friction", "stiffness"), "have k_b > mu_l k")


register_pair(
    TensionerSpring,
    force,
    force_tangent,
    letters=LETTERS,
    before=bind_start,
    stored={"spring": spring_energy, "bristle": bristle_energy},
    lost={"damper": damper_power, "sliding": no_power},
    finish=add_account,
    start=START,
    update=update_anchors,
    check=check,
    outputs={
        "torque": coordinate_output("N", "f, all of the spring, friction and damper, ()", force),
        "friction": coordinate_output("N", "friction, ()", friction_torque),
    },
    source="[@simo1998]",
)
