"""Winch cables with torsion: cable elements of a rope that is paid out and hauled in by a winch. The elements include
the angle of the material about the axis.

The cables are the cables of winch_cable.py with the elastic law of `TwistCable3D`. In the stress-free state, the rope
is straight and not twisted:

    N = EA ε + C τ,   M = GJ τ + C mean(ε),   τ = T/h,   M_i = EI_i κ_i

Here T is the twist angle of a cable, and h = Δ l is its length. Twist is a property of the material. Therefore the
material moves through the cables together with its twist. At constant material, the angle of the frame at a node has
the rate ω_i (1/m) = ω_i^n + l_t β_i T, see winch_twist_motion.py. Therefore twisted rope that moves past a node at rest
spins.

Rope in the winch is stored under the tension T_s (``store_tension``) and with the twist τ_s (``store_twist``). Its
energy per length is

    W = EA ε_s²/2 + C ε_s τ_s + GJ τ_s²/2,   ε_s = (T_s - C τ_s)/EA.

The winch prevents rotations of the rope in the winch. The angle of the material at the outlet is therefore

    φ_0 = -τ_s (l - l_0).

If τ_s = 0, fix the coordinate ``twist`` of the node at the outlet. Otherwise, couple this coordinate to the coordinate
``s`` of the feed by a `CoordinateConstraint`. Let N and M be the tension and the torque at the outlet, and w the energy
per length of the rope at the outlet. If the winch does not move, the rope exerts the force N (1 + ε) + M τ + W - w on
the coordinate l.

Damping of torsion acts on the rate of the twist of each cable. At a node, the twist of two cables may differ. The rate
then does not contain the motion of the material from one cable to the next. The relative error is the payout speed
divided by the speed of torsional waves.

Source: H. Irschik, H. J. Holl, Acta Mechanica 153 (2002) 231-248; J. Langer, D. A. Singer, SIAM Review 38 (1996)
605-618; for the coupling G. A. Costello, Theory of Wire Rope, Springer (1997).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.elements.cable import twist_cable, winch_cable
from windlass.elements.cable.points import create_rule, gauss_rule
from windlass.elements.cable.twist_cable import STIFF
from windlass.elements.cable.twist_forces import create_work
from windlass.elements.cable.twist_sections import fill_references
from windlass.elements.cable.winch_cable import (
    NO_FORCE,
    NO_SLOTS,
    SOURCE,
    Sections,
    WinchCable2D,
    create_ends,
    create_outputs,
    create_points,
    diagnose,
    eval_sections,
    find_ends,
    take_flows,
)
from windlass.elements.cable.winch_forces import add_damping
from windlass.elements.cable.winch_motion import (
    fill_flows,
    gravity,
    gravity_tangent,
    inertia,
    inertia_tangent,
)
from windlass.elements.cable.winch_twist_forces import (
    add_elastic,
    add_elastic_tangent,
    add_torsional_damping,
    fill_twists,
)
from windlass.elements.cable.winch_twist_motion import add_spin_flow, create_spins, fill_spin_outputs
from windlass.elements.cable.winch_twist_motion import inertia as spin_inertia
from windlass.elements.cable.winch_twist_motion import inertia_tangent as spin_tangent
from windlass.elements.cable.winch_twist_points import ALL, LENGTH
from windlass.elements.nodes.twist_node import read_frames
from windlass.framework.accounts import Account
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.call import call
from windlass.framework.model.drawing import Drawing
from windlass.framework.model.law import LocalRows, Output, Tables, register
from windlass.framework.model.schema import column, ref
from windlass.framework.model.system import Checks, Fields, System, Term
from windlass.framework.model.table import EntityTable

FIRST_ANGLE = 12
"""Index of the angle of the first node among the coordinates z."""
TURNED = 0.1
"""Largest error [1] of the angle at the outlet, relative to the angle for the stored twist. Up to this value, the error
is no reason for doubt.
"""
LEAST_TURN = 0.01
"""Largest error [rad] of the angle at the outlet. Up to this value, the error is no reason for doubt."""


class WinchTwistCable3D(WinchCable2D):
    """A 3D cable with torsion whose length is a constant fraction of the length of the rope outside a winch.
    `winch_rope` creates such cables.
    """

    provides: ClassVar[tuple[str, ...]] = ("winch cable", "strained cable", "track cable")
    node0 = ref("PointSlopeTwist3D", "node on the side of the outlet")
    node1 = ref("PointSlopeTwist3D", "node on the side of the end of the rope")
    rotary_inertia = twist_cable.TwistCable3D.rotary_inertia
    bending_stiffness = twist_cable.TwistCable3D.bending_stiffness
    torsional_stiffness = twist_cable.TwistCable3D.torsional_stiffness
    coupling = twist_cable.TwistCable3D.coupling
    torsional_damping = column(
        "N m^2 s", "torsional damping d_GJ: torque per twist rate of the cable", default=0.0, minimum=0.0
    )
    store_twist = column("rad/m", "twist τ_s of the rope stored in the winch", default=0.0)


def order_dofs(world: Tables, table: EntityTable) -> IntArray:
    """Return the global indices of the positions and slopes of both nodes (12 indices), followed by the indices of the
    two angles and of l, shape (rows, 15).
    """
    first, second, feed = (world.dofs_of(table.local(name)) for name in ("node0", "node1", "feed"))
    return np.concatenate((first[:, :6], second[:, :6], first[:, 6:], second[:, 6:], feed), axis=1)


def bind(rows: LocalRows) -> NDArray[Any]:
    """Return the data that the kernels read, as one record per row.

    Additional fields are ``stored``, the energy per length W of the rope in the winch [J/m]; ``dofs``, the
    process-local indices of the coordinates z, shape (15,); and b0, b1, F0, F1 and free_angle, see twist_cable.py.
    Further fields of `TwistCable3D` are 0, because the stress-free rope is straight and not twisted.
    """
    count = len(rows.rows)
    (b0, F0), (b1, F1) = (read_frames(rows.world, rows.local(name)) for name in ("node0", "node1"))
    EA, GJ, C = (rows.local(name) for name in ("axial_stiffness", "torsional_stiffness", "coupling"))
    tau = rows.local("store_twist")
    eps = (rows.local("store_tension") - C * tau) / EA
    length, nothing = rows.local("share") * rows.reference[:, -1], np.zeros(count)
    packed = rows.pack(
        dict(
            stored=0.5 * EA * eps**2 + C * eps * tau + 0.5 * GJ * tau**2, dofs=rows.dofs, b0=b0, b1=b1, F0=F0, F1=F1,
            length=length, free_angle=nothing, free_twist=nothing, reference_twist=nothing, bending_damping=nothing,
            ends=find_ends(rows), free_strain=np.zeros((count, 5)), free_curvature=np.zeros((count, 3, 2)),
        )
    )  # fmt: skip
    packed["dofs"] = np.arange(ALL * count).reshape(count, ALL)
    fill_references(packed, rows.reference.ravel())
    packed["dofs"], packed["free_twist"] = rows.dofs, 0.0
    for name in STIFF:
        packed[name][packed["broken"]] = 0.0
    return packed


def build(rows: LocalRows) -> System:
    """Create the `System` with the kernel calls for the rows."""
    own, rule, work, spins = rows.columns, create_rule(2), create_work(), create_spins()
    axial, along = create_points(rule.sa, rule.wa), create_points(*gauss_rule(4))
    ends, none = create_points(np.array([0.0, 1.0])), np.zeros((0, 0))
    ends_force, ends_tangent, ends_energy = create_ends(own)
    system = System(rows.table.kind, rows.dofs)
    system.residual = (
        call(add_elastic, lambda s: (own, rule, s.x, work, s.f, none))
        + call(add_damping, lambda s: (own, axial, s.x, s.v, 0.0, 0.0, s.f, NO_SLOTS, NO_FORCE, NO_FORCE))
        + call(add_torsional_damping, lambda s: (own, s.x, s.v, 0.0, 0.0, s.f, NO_SLOTS, NO_FORCE, NO_FORCE))
        + ends_force
    )
    system.tangent = (
        call(add_elastic_tangent, lambda s: (own, rule, s.x, s.dq, work, s.slots, s.values))
        + call(add_damping, lambda s: (own, axial, s.x, s.v, s.dq, s.dv, NO_FORCE, s.slots, s.values, NO_FORCE))
        + call(add_torsional_damping, lambda s: (own, s.x, s.v, s.dq, s.dv, NO_FORCE, s.slots, s.values, NO_FORCE))
        + ends_tangent
    )
    system.inertia = Term(
        call(inertia, lambda s: (own, along, s.x, s.v, s.a, s.f))
        + call(spin_inertia, lambda s: (own, s.x, s.v, s.a, spins, s.f)),
        call(inertia_tangent, lambda s: (own, along, s.x, s.v, s.a, s.dq, s.dv, s.da, s.slots, s.values))
        + call(spin_tangent, lambda s: (own, s.x, s.v, s.a, s.dq, s.dv, s.da, spins, s.slots, s.values)),
    )
    system.body_force = Term(
        call(gravity, lambda s: (own, along, s.x, s.g, s.which, s.f)),
        call(gravity_tangent, lambda s: (own, along, s.x, s.g, s.which, s.dq, s.slots, s.values)),
    )
    flow = np.zeros((len(own), 5))
    read = (
        call(add_elastic, lambda s: (own, rule, s.x, work, NO_FORCE, s.energies))
        + ends_energy
        + call(add_damping, lambda s: (own, axial, s.x, s.v, 0.0, 0.0, NO_FORCE, NO_SLOTS, NO_FORCE, s.powers[0]))
        + call(add_torsional_damping, lambda s: (own, s.x, s.v, 0.0, 0.0, NO_FORCE, NO_SLOTS, NO_FORCE, s.powers[1]))
        + call(fill_flows, lambda s: (own, ends, s.x, s.v, flow))
        + call(add_spin_flow, lambda s: (own, s.x, s.v, spins, flow))
        + call(take_flows, lambda s: (own, 2, s.v, flow, s.powers))
    )
    system.account = Account(
        read,
        stored=("stretching", "bending", "torsion"),
        lost=("axial_damping", "torsional_damping"),
        passed=("strain_flow",),
        carried=("kinetic_flow",),
    )
    system.checks = Checks(
        diagnose=lambda fields: diagnose(rows, fields) + twist_cable.diagnose(rows, fields),
        reasons=lambda fields, step: find_free_outlets(rows, fields),
    )
    return system


def find_free_outlets(rows: LocalRows, fields: Fields) -> list[str]:
    """Return reasons for doubt about ropes that are stored with twist. A reason is returned if the outlet of the rope
    has not turned by the angle φ_0 = -τ_s (l - l_0).
    """
    own, change = rows.columns, fields.x[rows.dofs] - rows.reference
    tau, turn = own["store_twist"], change[:, FIRST_ANGLE]
    wanted = -tau * change[:, LENGTH]
    wrong = np.abs(turn - wanted) > np.maximum(TURNED * np.abs(wanted), LEAST_TURN)
    at_outlet = own["active"] & (own["begin"] == 0.0) & (tau != 0.0)
    return [
        f"{rows.table.describe(int(rows.rows[i]))}: its node at the outlet has turned by {turn[i]:.3g} rad, and must "
        f"turn by {wanted[i]:.3g} rad, because the rope in the winch has the twist store_twist = {tau[i]:g} rad/m: "
        "couple the coordinate twist of this node to the coordinate s of the feed by a CoordinateConstraint with ratio="
        f"{-tau[i]:g}"
        for i in np.flatnonzero(wrong & at_outlet)[:1]
    ]


class Twists(NamedTuple):
    """Results of winch cables with torsion, shape (rows,) each: twist [rad/m], and torque [N m], which includes
    damping. All values are NaN for cables in reserve.
    """

    twist: FloatArray
    torque: FloatArray


def eval_twists(rows: LocalRows, fields: Fields) -> Twists:
    """Evaluate the twist and the torque of the cables."""
    found = Twists(*np.full((2, len(rows.rows)), np.nan))
    call(fill_twists)(rows.columns, create_rule(2), fields.x, fields.v, found.twist, found.torque)
    return found


def eval_twist_sections(rows: LocalRows, fields: Fields, shares: FloatArray) -> Sections:
    """Evaluate the cables at k points by the method of `eval_sections`. The axial force includes the force C τ due to
    the twist.
    """
    found = eval_sections(rows, fields, shares)
    found.force[:] += (rows.columns["coupling"] * eval_twists(rows, fields).twist)[:, None]
    return found


class SpinSections(NamedTuple):
    """Spin [rad/s] of the material about the axis at k points of each cable, shape (rows, k)."""

    spin: FloatArray


def eval_spins(rows: LocalRows, fields: Fields, shares: FloatArray) -> Any:
    """Evaluate the spin of the material at k points. The spin is linear between the nodes of a cable."""
    omega = np.full((len(rows.rows), 2), np.nan)
    call(fill_spin_outputs)(rows.columns, fields.x, fields.v, create_spins(), omega)
    return SpinSections(omega[:, :1] * (1.0 - shares) + omega[:, 1:] * shares)


def draw(rows: LocalRows, fields: Fields, subdivisions: int) -> Drawing:
    """Draw each cable as ``subdivisions`` lines, with the torque. See `winch_cable.draw`."""
    drawing = winch_cable.draw(rows, fields, subdivisions, eval_twist_sections)
    torque = np.repeat(eval_twists(rows, fields).torque, subdivisions + 1)
    return replace(
        drawing, point_data={**drawing.point_data, "torque": torque}, units={**drawing.units, "torque": "N m"}
    )


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for rows with an error that `winch_cable.check` finds, and for a coupling that is too large."""
    winch_cable.check(world, table)
    twist_cable.refuse_coupling(table)


register(
    WinchTwistCable3D,
    "element",
    dofs=order_dofs,
    bind=bind,
    build=build,
    check=check,
    draw=draw,
    outputs=create_outputs(eval_twist_sections)
    | {
        "torque": Output(
            "N m",
            "torque about the axis, with damping; > 0 twists node1 counter-clockwise about the direction to node1, ()",
            lambda rows, f: eval_twists(rows, f).torque,
        ),
        "twist": Output("rad/m", "twist of the material per length, ()", lambda rows, f: eval_twists(rows, f).twist),
        "spin": winch_cable.at_share("rad/s", "spin of the material about the axis, ()", eval_spins, "spin"),
    },
    source=SOURCE,
)
