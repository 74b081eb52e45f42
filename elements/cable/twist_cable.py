"""3D cable element with torsion and without shear. The element has two nodes with position, slope and the angle of the
material about the slope.

The axis r(x, t) is the cubic of `Cable3D`. Mass, weight, strain and integration rules are also the same as in
`Cable3D`. The material has a frame t, d_1, d_2. Let κ = r' × r''/|r'|², and let T be the angle by which the frame
rotates about the axis from node0 to node1:

    N   = EA (ε - ε_ref) + C τ + d_EA ε_t          ε_ref = ε0 + c (|r'| - 1)  in the reference configuration
    M_i = EI_i (κ_i - κ_i,ref) + d_EI κ_i,t        κ_i = κ·d_i,  κ_i,ref = κ_i0 + c κ_i  in the reference configuration
    M   = GJ τ + C mean(ε - ε_ref) + d_GJ τ_t      τ = (T - T_ref)/L - τ0,  T_ref: T in the reference configuration
    forces     of the work ∫ N δε + M_1 δκ_1 + M_2 δκ_2 dx + M δT
    inertia    of the axis, and J ω_t about the tangent, ω the spin of the material

Here EA, EI_i and GJ are the axial, bending and torsional stiffnesses, and d_EA, d_EI and d_GJ are the corresponding
dampings. C is the coupling of tension and twist, τ is the twist per length, L is the length of the element, and J is
the moment of inertia per length about the axis. The prescribed stress-free strains are ε0, κ_i0 and τ0, and c =
strain_is_relative_to_reference. The law is valid for any rotation, even for rods that are curved in the stress-free
state. If the rod rotates as a rigid body, strains and damping power do not change. The forces are equal to the forces
of `Cable3D` if EI_1 = EI_2, the twist is zero, and the stress-free state is straight. For ropes in which tension causes
torque, C is not zero. M is the mean torque of an element. If bending causes torque, the torque varies along the element
(see twist_forces.py).

The strains are in twist_points.py, the forces in twist_forces.py, the inertia of the spin in twist_motion.py, and the
frames in nodes/twist_node.py.

Source: J. Langer, D. A. Singer, SIAM Review 38 (1996) 605-618; C. Meier, A. Popp, W. A. Wall, Arch. Comput. Methods
Eng. 26 (2019) 163-243; for the coupling G. A. Costello, Theory of Wire Rope, Springer (1997).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from windlass.elements.cable import broken_cables
from windlass.elements.cable.cable2d import RULES, gravity
from windlass.elements.cable.cable2d import check as check_cables
from windlass.elements.cable.force_functions import add_user_rows, has_function, is_none, read_functions
from windlass.elements.cable.mass import create_inertia, mass, mass_product
from windlass.elements.cable.outputs import node_dofs
from windlass.elements.cable.points import Rule, create_rule, eval_shape
from windlass.elements.cable.strains import eval_bending
from windlass.elements.cable.twist_forces import create_work, fill_energies, residual, tangent
from windlass.elements.cable.twist_functions import add_user_forces, create_user_groups
from windlass.elements.cable.twist_motion import inertia, inertia_tangent
from windlass.elements.cable.twist_rotation import WIDTH, find_frames
from windlass.elements.cable.twist_sections import create_outputs, draw, find_curvatures
from windlass.elements.nodes.turning import FURTHEST
from windlass.framework.accounts import Account
from windlass.framework.arrays import IntArray
from windlass.framework.kernels.call import Call, call
from windlass.framework.model.law import LocalRows, Tables, register
from windlass.framework.model.schema import Component, column, function, ref
from windlass.framework.model.system import Checks, Fields, Fused, System, Term
from windlass.framework.model.table import EntityTable

STIFF = (
    "axial_stiffness", "bending_stiffness", "torsional_stiffness", "coupling", "axial_damping", "bending_damping",
    "torsional_damping",
)  # fmt: skip
"""Columns whose values are 0 in the records of broken cables."""
REPLACED = {
    "axial_force": ("axial_stiffness", "axial_damping"), "bending_moment": ("bending_stiffness", "bending_damping"),
}  # fmt: skip
"""Columns of the linear laws that user functions replace."""
REACHED = 2.0 * FURTHEST
"""Value of 1 + b·t [1], where b is the direction ``turned_from``, and t is the unit vector along the slope of a node.
If the value is smaller, the message of a failed solve names the node.
"""
MOST_POINTS = 5, 3
"""Largest number of axial points and largest number of bending points of an integration rule."""


class TwistCable3D(Component):
    """A 3D cable element with torsion."""

    provides: ClassVar[tuple[str, ...]] = (
        "body", "cable", "cable or beam", "beam or twist cable", "3D cable", "strained cable", "twist cable",
        "track cable",
    )  # fmt: skip
    node0 = ref("PointSlopeTwist3D", "node at x = 0")
    node1 = ref("PointSlopeTwist3D", "node at x = length")
    length = column("m", "length L of the cable without strain", above=0.0)
    mass_per_length = column("kg/m", "mass per length ρA", minimum=0.0)
    rotary_inertia = column(
        "kg m",
        "inertia J about the axis per length; for a round rod m d²/8 with the mass per length m and the diameter d",
        above=0.0,
    )
    axial_stiffness = column("N", "axial stiffness EA", above=0.0)
    bending_stiffness = column(
        "N m^2", "bending stiffness EI_1, EI_2 about d_1 and d_2", shape=(2,), fill=True, minimum=0.0
    )
    torsional_stiffness = column("N m^2", "torsional stiffness GJ", above=0.0)
    coupling = column("N m", "coupling C of tension and torsion: torque per strain, force per twist", default=0.0)
    axial_damping = column("N s", "axial damping d_EA: force per strain rate", default=0.0, minimum=0.0)
    bending_damping = column("N m^2 s", "bending damping d_EI: moment per curvature rate", default=0.0, minimum=0.0)
    torsional_damping = column("N m^2 s", "torsional damping d_GJ: torque per twist rate", default=0.0, minimum=0.0)
    reference_strain = column(
        "1", "strain ε0 at which the force is 0; negative values cause a pretension", default=0.0, switchable=True
    )
    reference_curvature = column(
        "1/m", "curvatures κ_10, κ_20 about d_1 and d_2 at which the moments are 0", shape=(2,), default=(0.0, 0.0)
    )
    reference_twist = column(
        "rad/m",
        "twist τ0 at which the torque is 0, in addition to the twist of the reference configuration",
        default=0.0,
    )
    strain_is_relative_to_reference = column(
        "1",
        "fraction c, 0 to 1, of the strain and curvature of the reference configuration that causes no force",
        default=0.0,
    )
    integration = column(
        "1", "integration rule of `Cable3D`; elements with rule 2 do not lock", default=2, dtype=np.int64, choices=RULES
    )
    axial_force_function = function("N(t, x, ε, ε_t, ε_ref, κ, κ_t, κ_ref, parameters) [N], see twist_functions.py")
    axial_force_derivatives = function("derivatives of axial_force_function with respect to ε, ε_t, κ, κ_t")
    bending_moment_function = function(
        "M(t, x, ε, ε_t, ε_ref, κ, κ_t, κ_ref, parameters) [N m], see twist_functions.py"
    )
    bending_moment_derivatives = function("derivatives of bending_moment_function with respect to ε, ε_t, κ, κ_t")
    broken = column(
        "1", "true: the cable is broken, N = 0, M_i = 0 and M = 0; mass, spin inertia and weight remain",
        default=False, dtype=bool, switchable=True,
    )  # fmt: skip


def order_dofs(world: Tables, table: EntityTable) -> IntArray:
    """Return the global indices of the positions and slopes of both nodes (12 indices), followed by the indices of the
    two angles, shape (rows, 14).
    """
    first, second = (world.dofs_of(table.local(name)) for name in ("node0", "node1"))
    return np.concatenate((first[:, :6], second[:, :6], first[:, 6:], second[:, 6:]), axis=1)


def bind(rows: LocalRows) -> NDArray[Any]:
    """Create the records of the rows, see `create_rods`."""
    return create_rods(rows, {})


def create_rods(rows: LocalRows, law: Mapping[str, Any]) -> NDArray[Any]:
    """Return one record per row. The fields of a record have the names of the columns of `TwistCable3D`. The argument
    ``law`` contains additional fields.

    Additional fields are b0, b1, F0, F1 of the nodes (see twist_points.py), dofs, shape (14,), and place, the index of
    a row among the rows on this process. The fields free_angle and free_twist are the values of the angle m_1 (see
    twist_points.py) and of the twist angle T in the reference configuration. The fields free_strain, shape (5,), and
    free_curvature, shape (3, 2), are the stress-free values at the integration points. For broken cables, the fields
    with the names `STIFF` are 0, because outputs are also computed from these fields. If a user function replaces a
    linear law, the fields `REPLACED` of this law are 0.
    """
    count = len(rows.rows)
    free_strain, free_curvature = np.zeros((count, MOST_POINTS[0])), np.zeros((count, MOST_POINTS[1], 2))
    more: dict[str, Any] = find_frames(rows.world, rows.table.ids_of(rows.rows), rows.reference)
    more |= {**law, "dofs": rows.dofs[:, :WIDTH], "place": np.arange(count)}
    more |= {"free_strain": free_strain, "free_curvature": free_curvature}
    given = {*rows.table.component.columns, *rows.table.component.refs}
    packed = rows.pack({name: more[name] for name in more if name not in given})
    for name in given.intersection(law):
        packed[name] = more[name]
    packed["dofs"] = np.arange(WIDTH * count).reshape(count, WIDTH)
    x = rows.reference[:, :WIDTH].ravel()
    share, integration = packed["strain_is_relative_to_reference"], packed["integration"]
    for rule in RULES:
        some = np.flatnonzero(integration == rule)
        if not len(some):
            continue
        r, c = create_rule(rule), share[some, None]
        strains = eval_bending(eval_shape(r.sa, packed["length"][some, None]), *[rows.reference[some, :12]] * 2)[0]
        packed["free_strain"][some, : len(r.sa)] = packed["reference_strain"][some, None] + c * strains.eps
        own = find_curvatures(packed[some], r.sb, x)
        bent = packed["reference_curvature"][some, None, :]
        packed["free_curvature"][some, : len(r.sb)] = bent + c[..., None] * own
    packed["dofs"] = rows.dofs[:, :WIDTH]
    for name in STIFF:
        packed[name][packed["broken"]] = 0.0
    for quantity, names in REPLACED.items():
        for name in names:
            packed[name][~is_none(read_functions(rows, f"{quantity}_function"))] = 0.0
    return packed


def create_calls(some: NDArray[Any], rule: Rule) -> tuple[Call, Call, Call]:
    """Create the kernel calls for forces, tangents and energies of rows with the same integration rule."""
    work = create_work()
    return (
        call(residual, lambda s: (some, rule, s.x, s.v, s.f)),
        call(tangent, lambda s: (some, rule, s.x, s.v, s.dq, s.dv, work, s.slots, s.values)),
        call(fill_energies, lambda s: (some, rule, s.x, s.v, s.energies, s.powers)),
    )


def build(rows: LocalRows) -> System:
    """Create the `System` with the kernel calls for the rows. The rows are evaluated in groups with the same
    integration rule. Broken rows have only inertia, weight and the forces of broken_cables.py.
    """
    own: NDArray[Any] = rows.columns
    axis = node_dofs(rows)
    weight = create_inertia(own["mass_per_length"], own["length"], axis)
    forces, tangents, energies = Call(), Call(), Call()
    for number in RULES:
        some, rule = own[(own["integration"] == number) & ~own["broken"]], create_rule(number)
        if not len(some):
            continue
        calls = create_calls(some, rule)
        forces, tangents, energies = forces + calls[0], tangents + calls[1], energies + calls[2]
    ends = broken_cables.create_calls(rows, axis)
    forces, tangents, energies = forces + ends[0], tangents + ends[1], energies + ends[2]
    # broken rows with user functions are included, so that the storage of the matrix does not change when cables break
    users = bool(has_function(rows).any())
    system = System(rows.table.kind, rows.dofs)
    system.residual, system.tangent = add_user_rows(forces, tangents, create_user_groups(rows) if users else [])
    system.mass = call(mass, lambda s: (weight, s.mass, s.pieces, s.values))
    system.fused = Fused(call(mass_product, lambda s: (weight, s.a, s.f)))
    system.inertia = Term(
        call(inertia, lambda s: (own, s.x, s.v, s.a, s.f)),
        call(inertia_tangent, lambda s: (own, s.x, s.v, s.a, s.dq, s.dv, s.da, s.slots, s.values)),
    )
    system.body_force = Term(call(gravity, lambda s: (weight, s.g, s.which, s.f)))
    damping = ("axial_damping", "bending_damping", "torsional_damping")
    system.account = Account(
        energies,
        stored=("stretching", "bending", "torsion"),
        lost=damping,
        is_whole=not users,
        conserves=not (users or any(own[name].any() for name in damping)),
    )
    system.checks = Checks(diagnose=lambda s: diagnose(rows, s))
    return system


def diagnose(rows: LocalRows, s: Fields) -> list[str]:
    """Return messages about nodes whose slope is nearly opposite to ``turned_from``. The frame of a node is rotated
    from this direction.
    """
    own: NDArray[Any] = rows.columns
    texts = []
    for name, b, first in (("node0", own["b0"], 3), ("node1", own["b1"], 9)):
        p = s.x[rows.dofs[:, first : first + 3]]
        against = 1.0 + (b * p).sum(axis=1) / np.linalg.norm(p, axis=1)
        for k in np.flatnonzero(~(against > REACHED))[:1]:
            node = rows.world.entity(int(rows.local(name)[k]))
            texts.append(
                f"{rows.table.describe(int(rows.rows[k]))}: the slope of {node.name} has turned by almost 165° from "
                f"turned_from = {b[k]}, must be less, since its angle of twist does not exist at 180°: give its node "
                "another direction turned_from, such as the axis of a sheave"
            )
    return texts


def refuse_coupling(table: EntityTable) -> None:
    """Raise ModelError for a coupling of tension and torsion if the elastic energy could be negative."""
    EA, GJ, C = (table.local(name) for name in ("axial_stiffness", "torsional_stiffness", "coupling"))
    names = ("coupling", "axial_stiffness", "torsional_stiffness")
    table.refuse(C * C >= EA * GJ, names, "have coupling² < axial_stiffness torsional_stiffness, or energy is below 0")


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for rows with invalid nodes, reference strains, stiffnesses or user functions."""
    check_cables(world, table)
    refuse_coupling(table)
    EI = table.local("bending_stiffness")
    uneven = (EI[:, 0] != EI[:, 1]) & ~is_none(read_functions(table, "bending_moment_function"))
    table.refuse(uneven, ("bending_stiffness",), "have two equal values with bending_moment_function")


register(
    TwistCable3D,
    "element",
    dofs=order_dofs,
    bind=bind,
    build=build,
    outputs=create_outputs(add_user_forces),
    check=check,
    source="[@langer1996]; [@meier2019]; [@costello1997]",
    draw=partial(draw, add_forces=add_user_forces),
)
