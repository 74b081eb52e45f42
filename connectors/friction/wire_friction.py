"""Friction between the wires of ropes. Bristles parallel to the stiffnesses of the cable cause hysteresis in tension
and in bending.

    axial bristle: force F, trial force tau = k_a (e - anchor),    e = ε - ε_ref
    bending bristle: moment m, trial moment tau = k_b (κ - R anchor)
    sticks: F = tau if |tau| <= F_s,    m = tau if |tau| <= M_s,    M_s = M_0 + c T,    T = max(EA mean(e), 0)
    slips: F = F_s tau/|tau|,    m = M_s tau/|tau|
    anchor at the end of the step: e - F/k_a,    κ - m/k_b
    virtual work: ∫ F δε + m·δκ dx

The parameters k_a, k_b, F_s, M_0 and c are columns of `WireFriction`.

While the wires stick, the stiffnesses of the rope are EA + k_a and EI + k_b. While the wires slip, the stiffnesses are
EA and EI, which are columns of the cable. The curvature κ at which the wires of a straight rope begin to slip is
M_s/k_b. In a slow cycle between the curvatures -κ_a and κ_a, the hysteresis loop of moment and curvature has the area 4
M_s (κ_a - M_s/k_b) per length. The loop of force and strain has the same form. Several rows on the same cable are
parallel bristles (Iwan). With slip moments that increase from row to row, the transition from sticking to slipping is
gradual. The transition is also gradual in a rope whose layers of wires slip one after another. The mean tension T of
the cable presses the wires against each other (Papailiou, Foti and Martinelli).

Each cable has three axial bristles and two bending bristles, at the points of integration rule 2. The return map is
evaluated within Newton's method, from the anchors at the start of the step, with the exact tangent. In 3D the anchor of
a bending bristle is a vector in the global frame, and the rotation R moves this vector with the cable. R is the
smallest rotation from the tangent at the start of the step to the present tangent. The wires therefore do not spin
about the axis of the cable. In cables with twist, the wires turn with the material, see `twist_wire_kernels.py`. The
bristles have no deflection in the stress-free state of the cable. The forces are in `wire_kernels.py`.

In the energy ledger, ``stretching`` and ``bending`` are the stored energies of the bristles. The energies that slipping
bristles lose are ``axial_slip`` and ``bending_slip``. Each is the mean of the forces at both ends of a step times the
motion of the anchors.

Source: K. O. Papailiou, IEEE Trans. Power Delivery 12 (1997) 1576-1588; F. Foti, L. Martinelli, Int. J. Solids
Struct. 91 (2016) 1-17; W. D. Iwan, J. Appl. Mech. 33 (1966) 893-900.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.friction.twist_wire_kernels import (
    fill_twist_energies,
    fill_twist_outputs,
    twist_residual,
    twist_tangent,
    twist_update,
)
from windlass.connectors.friction.wire_kernels import (
    AXIAL,
    BENDING,
    HISTORY,
    LOSSES,
    fill_energies,
    fill_losses,
    fill_outputs,
    residual,
    tangent,
    update,
)
from windlass.elements.cable.force_functions import is_none
from windlass.elements.cable.outputs import find_fractions
from windlass.elements.cable.points import count_dims, create_rule, eval_shape
from windlass.elements.cable.strains import eval_free_bending, eval_free_strains
from windlass.elements.cable.twist_rotation import WIDTH, find_frames
from windlass.elements.cable.twist_sections import SectionPlaces
from windlass.framework.accounts import Account
from windlass.framework.arrays import FloatArray
from windlass.framework.errors import ModelError
from windlass.framework.kernels.call import call
from windlass.framework.model.history import check_history, create_history
from windlass.framework.model.law import LocalRows, Output, Tables, register
from windlass.framework.model.rows import create_records
from windlass.framework.model.schema import Component, column, derived, ref
from windlass.framework.model.system import Fields, System
from windlass.framework.model.table import EntityTable

RULE = create_rule(2)
STRAINED, TWISTED = "strained cable", "twist cable"
"""Names in the attribute ``provides`` of cables with an axial strain, and of cables with twist."""
NONLINEAR, FUNCTION = ("slow_damping", "table_strains"), "axial_force_function"
BROKEN = "broken"
"""NONLINEAR: columns that only cables with a nonlinear tension have. FUNCTION: column with a function that replaces the
tension EA (ε - ε_ref). BROKEN: column of cables that is true for broken cables."""


class WireFriction(Component):
    """Friction between the wires of a cable: bristles parallel to the axial and bending stiffness of the cable. Several
    rows can refer to the same cable.
    """

    follows = (STRAINED,)
    cable = ref(
        "cable", "the cable: a `Cable2D`, `Cable3D` or `TwistCable3D`, also a fibre rope or a rope with a table"
    )
    data = ref("GenericData", f"{HISTORY} history values; if left out, they are created as zeros", optional=True)
    axial_stiffness = column(
        "N", "stiffness k_a of the axial bristles: increase of the axial stiffness while the wires stick", default=0.0,
        minimum=0.0,
    )  # fmt: skip
    slip_force = column("N", "axial force F_s of slipping bristles", default=0.0, minimum=0.0)
    bending_stiffness = column(
        "N m^2", "stiffness k_b of the bending bristles: increase of the bending stiffness while the wires stick",
        default=0.0, minimum=0.0,
    )  # fmt: skip
    slip_moment = column(
        "N m", "part M_0 of the slip moment that does not depend on the tension", default=0.0, minimum=0.0
    )
    slip_moment_per_tension = column(
        "m", "increase c of the slip moment with the mean tension T of the cable", default=0.0, minimum=0.0
    )
    active = column(
        "1", "false: the row has no force, and its history values do not change; rows of broken cables are not active",
        dtype=bool, default=True, switchable=True,
    )  # fmt: skip
    dims = derived("1", "number d of dimensions of the cable")
    dofs = derived(
        "1", "process-local indices of the coordinates of the nodes, shape (12,), of which the first 4 d are used"
    )
    length = derived("m", "length L of the cable")
    cable_stiffness = derived("N", "axial stiffness EA of the cable")
    strain = derived("1", "stress-free strain at the axial points, shape (3,)")
    curvature = derived("1/m", "stress-free curvature at the bending points, shape (2, 3)")
    weights = derived("1", "weights of the axial points, shape (3,)")
    axial_slopes = derived(
        "1/m", "derivatives S' of the shape functions at the axial points [1 for slopes of nodes], shape (3, 4)"
    )
    bending_slopes = derived(
        "1/m", "derivatives S' of the shape functions at the bending points [1 for slopes of nodes], shape (2, 4)"
    )
    bends = derived(
        "1/m^2", "derivatives S'' of the shape functions at the bending points [1/m for slopes of nodes], shape (2, 4)"
    )


class WireRows(NamedTuple):
    """Records of all rows, and records of the rows on cables with twist for twist_wire_kernels.py. The records of all
    rows contain no bending stiffness for rows on cables with twist.
    """

    own: NDArray[Any]
    twisted: NDArray[Any]


def bind(rows: LocalRows) -> WireRows:
    """Create the records of the rows. The field ``active`` is false for rows of broken cables."""
    count = len(rows.rows)
    twists, bent = np.zeros(count, np.bool_), np.zeros((count, BENDING, 2))
    coupling, twist = np.zeros((2, count))
    active = rows.local("active").copy()
    given: dict[str, Any] = {
        "dims": np.zeros(count, np.int64), "dofs": np.zeros((count, 12), np.int64), "length": np.ones(count),
        "cable_stiffness": np.zeros(count), "strain": np.zeros((count, AXIAL)),
        "curvature": np.zeros((count, BENDING, 3)), "weights": np.tile(RULE.wa, (count, 1)),
    }  # fmt: skip
    for table, positions, of in rows.world.split_by_table(rows.local("cable")):
        width = rows.world.row_dofs(table, of).shape[1]
        d = count_dims(width)
        cables = LocalRows(rows.world, table, of, rows.dofs[positions][:, :width], rows.layout)
        given["dims"][positions], given["dofs"][positions, : 4 * d] = d, cables.dofs[:, : 4 * d]
        given["length"][positions] = cables.local("length")
        active[positions] &= ~cables.local(BROKEN)
        given["cable_stiffness"][positions] = cables.local("axial_stiffness")
        given["strain"][positions] = eval_free_strains(cables, RULE.sa)
        if TWISTED in table.component.provides:
            bent[positions] = find_free_curvatures(cables)
            twists[positions], coupling[positions] = True, cables.local("coupling")
            twist[positions] = cables.local("reference_twist")
            continue
        free = eval_free_bending(cables, RULE.sb)[1]
        given["curvature"][positions, :, 3 - free.shape[-1] :] = free
    axial, bending = (eval_shape(s, given["length"][:, None]) for s in (RULE.sa, RULE.sb))
    packed = rows.pack({**given, "axial_slopes": axial.dS, "bending_slopes": bending.dS, "bends": bending.ddS})
    packed["active"] = active
    which = np.flatnonzero(twists)
    names = (
        "data", "active", "slip_moment", "slip_moment_per_tension", "bending_stiffness", "cable_stiffness", "strain"
    )  # fmt: skip
    twisted = create_records(
        place=which, dofs=rows.dofs[which, :WIDTH], bent=bent[which], coupling=coupling[which],
        reference_twist=twist[which], **{name: packed[name][which] for name in names},
        **find_frames(rows.world, rows.local("cable")[which], rows.reference[which]),
    )  # fmt: skip
    packed["bending_stiffness"][which] = 0.0
    return WireRows(packed, twisted)


def find_free_curvatures(cables: LocalRows) -> FloatArray:
    """Return the stress-free curvatures [1/m] about d_1 and d_2 of cables with twist at the bending points, shape
    (rows, 2, 2).
    """
    s = np.broadcast_to(RULE.sb, (len(cables.rows), BENDING))
    return SectionPlaces(cables, s).free[..., 1:]


def build(rows: LocalRows) -> System:
    """Create the system of `WireFriction`."""
    own, twisted = rows.columns
    system = System("WireFriction", rows.dofs)
    forces = call(residual, lambda s: (own, s.start_data, s.x, s.f))
    tangents = call(tangent, lambda s: (own, s.start_data, s.x, s.dq, s.slots, s.values))
    updates = call(update, lambda s: (own, s.x, s.start_x, s.start_data, s.data, s.outcome))
    energies = call(fill_energies, lambda s: (own, s.data, s.x, s.energies, s.parts))
    if len(twisted):
        forces += call(twist_residual, lambda s: (twisted, RULE, s.start_data, s.x, s.f))
        tangents += call(twist_tangent, lambda s: (twisted, RULE, s.start_data, s.x, s.dq, s.slots, s.values))
        updates += call(twist_update, lambda s: (twisted, RULE, s.x, s.start_x, s.start_data, s.data))
        energies += call(fill_twist_energies, lambda s: (twisted, RULE, s.data, s.x, s.energies))
    system.residual, system.tangent, system.post_newton = forces, tangents, updates
    system.account = Account(
        energies,
        stored=("stretching", "bending"),
        lost=("axial_slip", "bending_slip"),
        parts=(len(own), 2),
        jumps=call(fill_losses, lambda s: (s.parts_before, s.parts, s.jumps)),
    )
    return system


def fill_defaults(world: Tables, values: dict[str, Any]) -> dict[str, Any]:
    """Create the history values of new rows."""
    return create_history(world, WireFriction, values, (0.0,) * HISTORY)


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for bristles without stiffness or without a limit, for cables with moving material, and for a
    slip moment that depends on the tension of a cable with a nonlinear tension.
    """
    check_history(world, table, HISTORY)
    get = table.local
    limits = {"axial_stiffness": ("slip_force",), "bending_stiffness": ("slip_moment", "slip_moment_per_tension")}
    for stiffness, names in limits.items():
        unit, slips = table.component.columns[stiffness].unit, np.any([get(name) > 0.0 for name in names], axis=0)
        loose = slips & (get(stiffness) == 0.0)
        table.refuse(loose, (stiffness, *names), f"have {stiffness} > 0 {unit}, so that the wires can stick")
        endless = ~slips & (get(stiffness) > 0.0)
        words = " or ".join(f"{name} > 0 {table.component.columns[name].unit}" for name in names)
        table.refuse(endless, (stiffness, *names), f"have {words}; a slip limit of 0 causes no force")
    pressed = get("slip_moment_per_tension") > 0.0
    for cables, positions, of in world.split_by_table(get("cable")):
        if STRAINED not in cables.component.provides or "ale" in cables.component.refs:
            row = table.resident[positions.min()]
            raise ModelError(
                f"cable in {table.kind} row {row} is a {cables.kind}: must be a Cable2D, a Cable3D, a TwistCable3D, a "
                "fibre rope or a rope with a table, whose wires do not move along the axis"
            )
        nonlinear = np.full(len(positions), any(name in cables.component.columns for name in NONLINEAR))
        if FUNCTION in cables.component.columns:
            nonlinear |= ~is_none(cables.local(FUNCTION, of))
        wrong = np.zeros(len(pressed), np.bool_)
        wrong[positions] = nonlinear & pressed[positions]
        words = f"be 0 m on a {cables.kind} whose tension is not EA (ε - ε_ref)"
        table.refuse(wrong, ("slip_moment_per_tension",), words)


def eval_bristles(rows: LocalRows, fields: Fields) -> tuple[FloatArray, FloatArray]:
    """Return the forces [N] at the axial points, shape (rows, 3), and the moments [N m] at the bending points, shape
    (rows, 2, 3).
    """
    own, twisted = rows.columns
    force, moment = np.zeros((len(own), AXIAL)), np.zeros((len(own), BENDING, 3))
    call(fill_outputs)(own, fields.data, fields.x, force, moment)
    if len(twisted):
        call(fill_twist_outputs)(twisted, RULE, fields.data, fields.x, moment)
    return force, moment


def find_places(rows: LocalRows, x: Any) -> FloatArray:
    """Return x/L [1] for the positions x [m] on cables of the length L, shape (rows, k)."""
    s = find_fractions(rows, rows.columns.own["length"][:, None], x)
    return np.broadcast_to(s, (len(rows.rows), s.shape[1]))


def eval_axial_force(rows: LocalRows, fields: Fields, x: Any = None) -> FloatArray:
    """Return the forces [N] of the axial bristles at the positions x, shape (rows,) or (rows, k)."""
    s = find_places(rows, x)
    # weights of the parabola through the values at s = 0, 1/2 and 1
    share = np.stack(((1.0 - s) * (1.0 - 2.0 * s), 4.0 * s * (1.0 - s), s * (2.0 * s - 1.0)), axis=-1)
    force: FloatArray = np.einsum("rkj,rj->rk", share, eval_bristles(rows, fields)[0])
    return force if np.ndim(x) == 2 else force[:, 0]


def eval_bending_moment(rows: LocalRows, fields: Fields, x: Any = None) -> FloatArray:
    """Return the moments [N m] of the bending bristles at the positions x, shape (rows, 3) or (rows, k, 3)."""
    along = (find_places(rows, x) - RULE.sb[0]) / (RULE.sb[1] - RULE.sb[0])
    share = np.stack((1.0 - along, along), axis=-1)
    moment: FloatArray = np.einsum("rkj,rja->rka", share, eval_bristles(rows, fields)[1])
    return moment if np.ndim(x) == 2 else moment[:, 0]


def eval_loss(rows: LocalRows, fields: Fields, which: int) -> FloatArray:
    """Return the losses [J] since the history values were created, shape (rows,)."""
    loss: FloatArray = fields.data[rows.data_start("data") + LOSSES + which]
    return loss


register(
    WireFriction,
    "connector",
    dofs="cable",
    bind=bind,
    build=build,
    outputs={
        "axial_force": Output("N", "force of the axial bristles at x, ()", eval_axial_force),
        "bending_moment": Output("N m", "moment of the bending bristles at x, global, (3,)", eval_bending_moment),
        "axial_loss": Output("J", "energy lost by slip in tension, ()", partial(eval_loss, which=0)),
        "bending_loss": Output("J", "energy lost by slip in bending, ()", partial(eval_loss, which=1)),
    },
    fill_defaults=fill_defaults,
    check=check,
    source="[@papailiou1997]; [@foti2016]; [@iwan1966]",
)
