"""2D cable element (ANCF cable): two nodes with position and slope, axial stiffness and bending stiffness, but no shear
deformation.

The axis r(x, t) is a cubic polynomial in the arc length x of the undeformed cable, from 0 to L:

    strain     ε = |r'| - 1,                       force   N = EA (ε - ε_ref) + d_EA ε_t,
    curvature  κ = (r' × r'')/|r'|²,               moment  M = EI (κ - κ_ref) + d_EI κ_t.

Here EA and EI are the axial and the bending stiffness, d_EA and d_EI the corresponding dampings, ρA the mass per
length, q the coordinates of both nodes, S the shape functions with r = S q, and g the gravitational acceleration. The
generalised forces are the derivatives of ∫ N ε + M κ dx with respect to q at constant N and M. The mass matrix is ∫ ρA
SᵀS dx, and the load of gravity is ∫ ρA S g dx. The stress-free strain and curvature are ε_ref = ε0 + c (|r'| - 1) and
κ_ref = κ0 + c κ, with r' and κ in the reference configuration and c = strain_is_relative_to_reference.

A broken cable has N = 0 and M = 0. The mass matrix and the weight of a broken cable do not change. The module
broken_cables.py defines the forces that limit the slopes at both ends of a broken cable.

The curvature is the derivative of the angle of the tangent with respect to x and not with respect to the deformed arc
length. Therefore bending and stretching are not coupled.

Integration rule 0 has 5 Gauss points for axial terms and 3 Gauss points for bending terms. Rule 1 has 4 Gauss points
for axial terms and 2 Gauss points for bending terms. Rule 2 has 3 Lobatto points for axial terms and 2 Gauss points for
bending terms. With rules 0 and 1, coarse meshes are too stiff (locking), because a bent cubic has axial strain between
its nodes. Rule 2 evaluates the strain at only three points. A bent element can have the strain 0 at all three points.
Therefore the element does not lock. Rule 2 is the default, and takes the least time.

Source: J. Gerstmayr, A. A. Shabana, Nonlinear Dynamics 45 (2006) 109-130; for the curvature J. Gerstmayr, H. Irschik,
Journal of Sound and Vibration 318 (2008) 461-487.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np

from windlass.elements.cable import broken_cables
from windlass.elements.cable.checks import create_diagnosis, create_doubts
from windlass.elements.cable.draw import draw
from windlass.elements.cable.energies import fill_energies, fill_powers_2d
from windlass.elements.cable.force_functions import (
    UserRows,
    add_user_rows,
    create_user_rows,
    has_function,
    is_none,
    read_functions,
)
from windlass.elements.cable.gauss import residual_gauss_2d, tangent_gauss_2d
from windlass.elements.cable.lanes import RuleRows, create_lanes
from windlass.elements.cable.lobatto import residual_lobatto_2d, tangent_lobatto_2d
from windlass.elements.cable.mass import Inertia, create_inertia, eval_flow, mass, mass_product
from windlass.elements.cable.outputs import OUTPUTS, CableView
from windlass.elements.cable.points import Rule, count_dims, create_rule, eval_shape, shape_integrals
from windlass.elements.cable.pulls import watch_pulls
from windlass.elements.cable.strains import dot, eval_free_bending, interpolate
from windlass.elements.cable.strands import CableStrands, StrandGroup
from windlass.framework.accounts import Account
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.row_threads import run_sets, split_rows
from windlass.framework.errors import ModelError
from windlass.framework.kernels.call import Call, call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows, Tables, register
from windlass.framework.model.rows import create_records
from windlass.framework.model.schema import Component, column, function, ref
from windlass.framework.model.system import Checks, Evaluation, Fused, System, Term
from windlass.framework.model.table import EntityTable

RULES = (0, 1, 2)
BLOCK = 10_000
"""Largest number of rows that are checked in one call. This number limits the required memory."""


class Cable2D(Component):
    """A 2D cable element."""

    provides: ClassVar[tuple[str, ...]] = ("body", "cable", "cable or beam", "strained cable", "track cable")
    node0 = ref("PointSlope2D", "node at x = 0")
    node1 = ref("PointSlope2D", "node at x = length")
    length = column("m", "length L of the cable without strain", above=0.0)
    mass_per_length = column("kg/m", "mass per length ρA", minimum=0.0)
    axial_stiffness = column("N", "axial stiffness EA", above=0.0)
    bending_stiffness = column("N m^2", "bending stiffness EI", minimum=0.0)
    axial_damping = column("N s", "axial damping d_EA: force per strain rate", default=0.0, minimum=0.0)
    bending_damping = column("N m^2 s", "bending damping d_EI: moment per curvature rate", default=0.0, minimum=0.0)
    reference_strain = column("1", "strain ε0 at which the force is 0; negative values cause a pretension", default=0.0)
    reference_curvature = column("1/m", "curvature κ0 at which the moment is 0, > 0 to the left", default=0.0)
    strain_is_relative_to_reference = column(
        "1",
        "fraction c, 0 to 1, of the strain and curvature of the reference configuration that causes no force",
        default=0.0,
    )
    integration = column(
        "1", "integration rule; elements with rule 2 do not lock", default=2, dtype=np.int64, choices=RULES
    )
    axial_force_function = function("N(t, x, ε, ε_t, ε_ref, κ, κ_t, κ_ref, parameters) [N], see force_functions.py")
    axial_force_derivatives = function("derivatives of axial_force_function with respect to ε, ε_t, κ, κ_t")
    bending_moment_function = function(
        "M(t, x, ε, ε_t, ε_ref, κ, κ_t, κ_ref, parameters) [N m], see force_functions.py"
    )
    bending_moment_derivatives = function("derivatives of bending_moment_function with respect to ε, ε_t, κ, κ_t")
    broken = column(
        "1", "true: the cable is broken, N = 0 and M = 0; mass and weight remain",
        default=False, dtype=bool, switchable=True,
    )  # fmt: skip


@kernel
def gravity(c: Inertia, g: FloatArray, rows: IntArray, f: FloatArray) -> None:
    """Add the weight ∫ ρA S g dx [N, N m] of selected rows to f, where g is the gravitational acceleration [m/s^2],
    shape (3,).
    """
    d = c.dofs.shape[1] // 4
    for i in rows:
        row = c.rows[i]
        n, S = c.dofs[i], shape_integrals(row.length)
        for j in range(4):
            for a in range(d):
                f[n[d * j + a]] += row.mass_per_length * S[j] * g[a]


class CableKind(NamedTuple):
    """Functions and names that differ between 2D and 3D cables.

    name: name of the system.
    gauss: kernels of residual and tangent for any integration rule.
    lobatto: kernels of residual and tangent for rule 2.
    powers: kernel of the dissipated powers, see `add_powers`.
    linear_beside_users: whether the kernels evaluate the linear law of one quantity if a user function is given only
        for the other quantity. The quantities are the axial force and the bending moment. If ``linear_beside_users`` is
        false, NumPy evaluates both quantities.
    """

    name: str
    gauss: tuple[Callable[..., None], Callable[..., None]]
    lobatto: tuple[Callable[..., None], Callable[..., None]]
    powers: Callable[..., None]
    linear_beside_users: bool = False


class RuleGroup(NamedTuple):
    """Cables with the same integration rule, evaluated by one thread.

    energies, powers: functions for the `Account` (energies and dissipated powers) of the cables. For rows in which a
        user function replaces the linear law, these functions add 0.
    residual, tangent: functions for the `System` of the cables.
    dynamic_residual, dynamic_tangent: residual and tangent that include inertia forces and mass matrix.
    strands: parameters of the cables. Form-finding changes these parameters temporarily.
    """

    energies: Call
    powers: Call
    residual: Call
    tangent: Call
    dynamic_residual: Call
    dynamic_tangent: Call
    strands: StrandGroup


def create_group(rows: LocalRows, row: IntArray, rule: int, dofs: IntArray, kind: CableKind) -> RuleGroup:
    """Create the kernel calls of rows with the same integration rule. The argument ``row`` contains the indices of
    these rows among the rows on this process.
    """
    some, points = rows.select(row), create_rule(rule)

    # the records of `own` are created when the energies are evaluated for the first time
    @functools.cache
    def own() -> RuleRows:
        return create_rows(some, row, points)._replace(dofs=dofs[row])

    lanes = create_lanes(own.__wrapped__())
    # the kernels for rule 2 contain the integration points as constants
    parameters: tuple[Any, ...] = (lanes,) if rule == 2 else (lanes, points)
    residual, tangent = kind.lobatto if rule == 2 else kind.gauss
    return RuleGroup(
        call(fill_energies, lambda s: (own(), points, s.x, s.v, s.energies, s.powers)),
        call(kind.powers, lambda s: (lanes, points, s.x, s.v, s.half, s.powers)),
        call(residual, lambda s: (*parameters, s.x, s.v, s.a, 0.0, s.f)),
        call(tangent, lambda s: (*parameters, s.x, s.v, s.dq, s.dv, 0.0, s.pieces, s.values)),
        call(residual, lambda s: (*parameters, s.x, s.v, s.a, 1.0, s.f)),
        call(tangent, lambda s: (*parameters, s.x, s.v, s.dq, s.dv, s.mass, s.pieces, s.values)),
        StrandGroup(lanes, points, row),
    )


def join_sets(sets: Sequence[Sequence[Call]], last: Call) -> Callable[[Evaluation], None]:
    """Combine the calls for several sets of rows into one function for a `System`. The call ``last`` is executed after
    all other calls. Sets of rows with the same integration rule can be evaluated in several threads.
    """
    if all(len(some) == 1 for some in sets):
        return sum((function for some in sets for function in some), Call()) + last

    def run(s: Evaluation) -> None:
        for some in sets:
            run_sets([partial(function, s) for function in some])
        last(s)

    return run


def create_user_groups(rows: LocalRows, row: IntArray, rule: int, dofs: IntArray, kind: CableKind) -> list[UserRows]:
    """Create the data of rows with user functions and the same integration rule. The argument ``row`` contains the
    indices of these rows among the rows on this process.
    """
    if not kind.linear_beside_users:
        return [replace(create_user_rows(rows.select(row), row, rule), dofs=dofs[row])]
    groups = []
    for part, quantity in enumerate(("axial_force", "bending_moment")):
        some = row[~is_none(read_functions(rows, f"{quantity}_function")[row])]
        if len(some):
            user_rows = create_user_rows(rows.select(some), some, rule)
            groups.append(replace(user_rows, parts={part: user_rows.parts[part]}))
    return groups


def build_cables(rows: LocalRows, dofs: IntArray, kind: CableKind | None = None) -> System:
    """Create the `System` with the kernel calls for the rows. The rows are evaluated in groups with the same
    integration rule.

    Args:
        rows: the cables. In d dimensions, the first 4 d coordinates of each cable are the coordinates of its nodes.
        dofs: indices of the coordinates of the nodes in the arrays that the kernels read, shape (rows, 4 d).
        kind: 2D cables (default) or 3D cables.
    """
    kind = kind or IN_PLANE
    integration, whole, with_users = rows.local("integration"), ~rows.local("broken"), has_function(rows)
    given = with_users & whole
    groups: list[list[RuleGroup]] = []
    user_groups: list[UserRows] = []
    for rule in RULES:
        row = np.flatnonzero((integration == rule) & ~(given & (not kind.linear_beside_users)))
        if len(row):
            sets = [row[some] for some in split_rows(dofs[row], rows.layout.spare)]
            groups.append([create_group(rows, some, rule, dofs, kind) for some in sets])
        row = np.flatnonzero((integration == rule) & given)
        if len(row):
            user_groups += create_user_groups(rows, row, rule, dofs, kind)
    # broken rows with user functions are included, so that the storage of the matrix does not change when cables break
    users = bool(with_users.any())
    inertia = create_inertia(rows.local("mass_per_length"), rows.local("length"), dofs)
    ends = broken_cables.create_calls(rows, dofs)
    residual = join_sets([[group.residual for group in sets] for sets in groups], ends[0])
    tangent = join_sets([[group.tangent for group in sets] for sets in groups], ends[1])

    system = System(kind.name, dofs)
    system.residual, system.tangent = add_user_rows(residual, tangent, user_groups)
    system.mass = call(mass, lambda s: (inertia, s.mass, s.pieces, s.values))
    system.axis.flow = partial(eval_flow, inertia)
    system.fused = Fused(call(mass_product, lambda s: (inertia, s.a, s.f)))
    if not users:
        if groups:
            strands = [group.strands for sets in groups for group in sets]
            system.axis.strands = CableStrands(strands, dofs)
            names = f"{rows.table.kind} row"
            stiffness = whole * rows.local("axial_stiffness")
            system.axis.pulls = watch_pulls(strands, inertia, stiffness, lambda k: f"{names} {rows.rows[k]}")
        # one matrix block couples all coordinates of two nodes
        system.fused.block_size = dofs.shape[1] // 2
        system.fused.residual = join_sets([[group.dynamic_residual for group in sets] for sets in groups], ends[0])
        system.fused.tangent = join_sets([[group.dynamic_tangent for group in sets] for sets in groups], ends[1])
    system.body_force = Term(call(gravity, lambda s: (inertia, s.g, s.which, s.f)))
    system.checks = Checks(find_faults=create_diagnosis(rows), doubts=create_doubts(rows))
    damped = bool(rows.local("axial_damping").any() or rows.local("bending_damping").any())
    system.account = Account(
        sum((group.energies for sets in groups for group in sets), Call()) + ends[2],
        stored=("stretching", "bending"),
        lost=("axial_damping", "bending_damping"),
        is_whole=not users,
        powers=sum((group.powers for sets in groups for group in sets), Call()),
        conserves=not (users or damped),
    )
    return system


def create_rows(rows: LocalRows, row: IntArray, rule: Rule) -> RuleRows:
    """Create the data of rows with the same integration rule. ``row`` contains the indices of these rows among the rows
    of the table on this process.

    If a cable is broken, or if a user function replaces a law, the stiffness and the damping of this law are 0 in the
    data for the kernels.
    """
    whole = ~rows.local("broken")
    axial, bending = (
        whole & is_none(read_functions(rows, f"{quantity}_function")) for quantity in ("axial_force", "bending_moment")
    )
    records = create_records(
        length=rows.local("length"),
        mass_per_length=rows.local("mass_per_length"),
        axial_stiffness=axial * rows.local("axial_stiffness"),
        bending_stiffness=bending * rows.local("bending_stiffness"),
        axial_damping=axial * rows.local("axial_damping"),
        bending_damping=bending * rows.local("bending_damping"),
        place=row,
    )
    free = eval_free_bending(rows, rule.sa)[0], eval_free_bending(rows, rule.sb)[1]
    return RuleRows(records, *free, rows.dofs)


IN_PLANE = CableKind(
    "Cable2D", (residual_gauss_2d, tangent_gauss_2d), (residual_lobatto_2d, tangent_lobatto_2d), fill_powers_2d
)


def check_nodes(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for cables whose two ends are one node."""
    node0 = table.local("node0")
    for k in np.flatnonzero(node0 == table.local("node1"))[:1]:
        name = world.entity(int(node0[k])).name
        raise ModelError(f"node0 = node1 = {name} in {table.kind} row {table.resident[k]}: must be two different nodes")


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for rows with invalid nodes, reference strains or user functions."""
    check_nodes(world, table)
    share = table.local("strain_is_relative_to_reference")
    table.refuse((share < 0.0) | (share > 1.0), ("strain_is_relative_to_reference",), "lie from 0 to 1")
    # with a user function of the axial force, any reference strain is allowed
    slack = (table.local("reference_strain") <= -1.0) & is_none(read_functions(table, "axial_force_function"))
    table.refuse(slack, ("reference_strain",), "be > -1, as the cable has no unstretched length otherwise")
    for quantity in ("axial_force", "bending_moment"):
        functions, derivatives = (read_functions(table, f"{quantity}_{name}") for name in ("function", "derivatives"))
        for k, (given, derivative) in enumerate(zip(functions, derivatives, strict=True)):
            if derivative is not None and given is None:
                row = table.resident[k]
                raise ModelError(f"{quantity}_derivatives in {table.kind} row {row}: need {quantity}_function")
    _check_slope(world, table)


def _check_slope(world: Tables, table: EntityTable) -> None:
    """Raise ModelError if r' = 0 at a point of a cable, because the strain is not defined at this point. For example,
    r' is 0 in the middle of a straight cable if its two ends coincide.
    """
    held, length, dofs = table.resident, table.local("length"), world.resident_dofs(table)
    s = np.unique(np.concatenate([np.concatenate((rule.sa, rule.sb)) for rule in map(create_rule, RULES)]))
    # the number of rows per call is limited, because one call for a million cables would need gigabytes of memory
    for first in range(0, len(held), BLOCK):
        L = length[first : first + BLOCK]
        q = world.numbering.reference_of(dofs[first : first + BLOCK, : 4 * count_dims(dofs.shape[1])])
        slope = interpolate(eval_shape(s, L[:, None]).dS, q)
        for row, k in np.argwhere(dot(slope, slope) < 1e-12):
            place = f"x = {s[k] * L[row]} m of {table.kind} row {held[first + row]}"
            raise ModelError(
                f"the reference slope r' is 0 at {place}: must have a length > 0; are both ends at one point?"
            )


register(
    Cable2D,
    "element",
    dofs=("node0", "node1"),
    bind=CableView,
    build=lambda rows: build_cables(rows, rows.dofs),
    outputs=OUTPUTS[2],
    check=check,
    source="[@gerstmayr2006]; [@gerstmayr2008]",
    draw=draw,
)
