"""Cable elements of a rope that is paid out and hauled in by a winch. Let l(t) be the length of the rope outside the
winch. The length of each element is a constant fraction of l, which is called the share of the element.

The length l is the coordinate of an `ALENode`. Constraints, loads and controllers for coordinates can act on l. The
material that leaves the winch at the outlet moves through all elements. The end of the rope is always the same material
point. The material has the velocity u = r_t + l_t w, where w = dr/dl at constant material (see winch_points.py).
D'Alembert's principle for the material outside the winch gives

    nodes    ∂Π/∂q + ∫ d_EA ε_t ∂ε/∂q dx + ∫ ρA S_i u_t dx = ∫ ρA S_i g dx,    Π = ∫ EA ε²/2 + EI |κ|²/2 dx
    l        ∂Π/∂l - W + ∫ d_EA ε_t dε/dl dx + ∫ ρA w·u_t dx = ∫ ρA w·g dx + force of the drive

Here q are the coordinates of the nodes, and S_i the shape functions. The strain is ε = |r'| - 1, and κ is the curvature
of `Cable3D`. W = T_s²/(2 EA) is the energy per metre of rope in the winch. The rope in the winch is stored under the
tension T_s (``store_tension``). Rope that leaves the winch adds the energy W per metre to the model. Therefore, if the
winch does not move and the tension at the outlet is N, the rope exerts the force N (1 + ε) + W - EA ε²/2 on the
coordinate l. Rope that passes the outlet has the velocity that the material has at the outlet. This rope carries mass
and momentum (outputs ``mass_flow`` and ``momentum_flow``) and energy (quantities ``strain_flow`` and ``kinetic_flow``
of `EnergyLedger`).

A broken cable has no strain energy Π except the energy of its slopes that broken_cables.py defines. Both parts of a
broken rope keep their material only while l is constant.

The rope is straight in the stress-free state. The axial terms are integrated by rule 2 of `Cable2D`. Therefore the
element does not lock.

Source: H. Irschik, H. J. Holl, The equations of Lagrange written for a non-material volume, Acta Mechanica 153 (2002)
231-248; J. L. Tang, G. X. Ren, W. D. Zhu, H. Ren, Dynamics of variable-length tethers with application to tethered
satellite deployment, Commun. Nonlinear Sci. Numer. Simulat. 16 (2011) 3411-3424.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.elements.cable.broken_cables import SHARE
from windlass.elements.cable.cable2d import check_nodes
from windlass.elements.cable.points import Rule, create_rule, eval_shape, gauss_rule
from windlass.elements.cable.winch_forces import add_damping, add_elastic, add_ends
from windlass.elements.cable.winch_motion import (
    fill_flows,
    fill_motion,
    gravity,
    gravity_tangent,
    inertia,
    inertia_tangent,
)
from windlass.elements.cable.winch_points import Points
from windlass.framework.accounts import Account
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.values import read_numbers, show
from windlass.framework.errors import ModelError
from windlass.framework.kernels.call import Call, call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.drawing import Drawing
from windlass.framework.model.law import LocalRows, Output, Tables, register
from windlass.framework.model.schema import Component, column, derived, ref
from windlass.framework.model.system import Checks, Fields, System, Term
from windlass.framework.model.table import EntityTable

NO_FORCE = np.zeros(0)
NO_SLOTS: Any = np.zeros((0, 0, 0), np.int32)
STIFF = "axial_stiffness", "bending_stiffness", "axial_damping"
"""Columns whose values are 0 in the records of broken cables."""
SHARES = 1e-9
"""Largest gap or overlap between the end of a cable and the start of the next cable, as a fraction [1] of l."""


class WinchCable2D(Component):
    """A 2D cable whose length is a constant fraction of the length of the rope outside a winch. `winch_rope` creates
    such cables.
    """

    provides: ClassVar[tuple[str, ...]] = ("winch cable", "strained cable", "track cable")
    node0 = ref("PointSlope2D", "node on the side of the outlet")
    node1 = ref("PointSlope2D", "node on the side of the end of the rope")
    feed = ref("ALENode", "node whose coordinate is the unstretched length l of the rope outside the winch")
    begin = column("1", "fraction of l between the outlet and node0", minimum=0.0)
    share = column("1", "length of the cable as a fraction of l", above=0.0)
    mass_per_length = column("kg/m", "mass per length ρA", minimum=0.0)
    axial_stiffness = column("N", "axial stiffness EA", above=0.0)
    bending_stiffness = column("N m^2", "bending stiffness EI", minimum=0.0)
    axial_damping = column("N s", "axial damping d_EA: force per strain rate of the material", default=0.0, minimum=0.0)
    store_tension = column("N", "tension T_s of the rope stored in the winch", default=0.0)
    shortest = column("m", "length l at or below which a solve fails", default=0.0, minimum=0.0)
    active = column(
        "1", "false: the cable is in reserve, without forces and mass", default=True, dtype=bool, switchable=True
    )
    broken = column(
        "1", "true: the cable is broken, its internal forces are 0; mass and weight remain; l must stay constant",
        default=False, dtype=bool, switchable=True,
    )  # fmt: skip
    ends = derived("N", "stiffness of each slope of a broken cable per length of the cable; 0 for whole cables")
    stored = derived("J/m", "energy per length W of the rope in the winch")
    dofs = derived("1", "process-local indices of the coordinates z of the cable, shape (4 d + 1,)")


class WinchCable3D(WinchCable2D):
    """A 3D cable whose length is a constant fraction of the length of the rope outside a winch. `winch_rope` creates
    such cables.
    """

    node0 = ref("PointSlope3D", "node on the side of the outlet")
    node1 = ref("PointSlope3D", "node on the side of the end of the rope")


def create_points(s: FloatArray, w: FloatArray | None = None) -> Points:
    """Create points at positions s on cables of length 1, with integration weights w."""
    shape = eval_shape(s, np.ones(()))
    return Points(s, np.zeros(len(s)) if w is None else w, shape.S, shape.dS, shape.ddS)


def bind(rows: LocalRows) -> NDArray[Any]:
    """Create the records of the rows."""
    stored = rows.local("store_tension") ** 2 / (2.0 * rows.local("axial_stiffness"))
    packed = rows.pack({"stored": stored, "ends": find_ends(rows), "dofs": rows.dofs})
    for name in STIFF:
        packed[name][packed["broken"]] = 0.0
    return packed


def find_ends(rows: LocalRows) -> FloatArray:
    """Return the stiffness [N] of each slope of broken cables per length of the cable, and 0 for whole cables."""
    ends: FloatArray = SHARE * rows.local("broken") * rows.local("axial_stiffness")
    return ends


@kernel
def take_flows(own: Any, lost: int, v: FloatArray, flow: FloatArray, powers: FloatArray) -> None:
    """Add the flows [W] of strain energy and kinetic energy out of the model to ``powers``. The first ``lost`` rows of
    ``powers`` contain the powers of damping. Set ``flow``, the result of `fill_flows`, to 0.
    """
    for i in range(len(own)):
        row = own[i]
        if row.active:
            powers[lost, i] -= row.share * row.stored * v[row.dofs[len(row.dofs) - 1]]
        powers[lost + 1, i] -= flow[i, flow.shape[1] - 1]
        for k in range(flow.shape[1]):
            flow[i, k] = 0.0


def create_ends(own: NDArray[Any]) -> tuple[Call, Call, Call]:
    """Create the calls for forces, tangents and energies of the slopes of broken cables. Without broken cables, all
    calls are empty.
    """
    if not own["broken"].any():
        return Call(), Call(), Call()
    nothing = np.zeros((0, 0))
    return (
        call(add_ends, lambda s: (own, s.x, 0.0, s.f, NO_SLOTS, NO_FORCE, nothing)),
        call(add_ends, lambda s: (own, s.x, s.dq, NO_FORCE, s.slots, s.values, nothing)),
        call(add_ends, lambda s: (own, s.x, 0.0, NO_FORCE, NO_SLOTS, NO_FORCE, s.energies)),
    )


def build(rows: LocalRows) -> System:
    """Create the `System` with the kernel calls for the rows."""
    own = rows.columns
    rule: Rule = create_rule(2)
    axial, bending = create_points(rule.sa, rule.wa), create_points(rule.sb, rule.wb)
    along, ends = create_points(*gauss_rule(4)), create_points(np.array([0.0, 1.0]))
    nothing = np.zeros((0, 0))
    system = System(rows.table.kind, rows.dofs)
    ends_force, ends_tangent, ends_energy = create_ends(own)
    system.residual = (
        call(add_elastic, lambda s: (own, axial, bending, s.x, 0.0, s.f, NO_SLOTS, NO_FORCE, nothing))
        + call(add_damping, lambda s: (own, axial, s.x, s.v, 0.0, 0.0, s.f, NO_SLOTS, NO_FORCE, NO_FORCE))
        + ends_force
    )
    system.tangent = (
        call(add_elastic, lambda s: (own, axial, bending, s.x, s.dq, NO_FORCE, s.slots, s.values, nothing))
        + call(add_damping, lambda s: (own, axial, s.x, s.v, s.dq, s.dv, NO_FORCE, s.slots, s.values, NO_FORCE))
        + ends_tangent
    )
    system.inertia = Term(
        call(inertia, lambda s: (own, along, s.x, s.v, s.a, s.f)),
        call(inertia_tangent, lambda s: (own, along, s.x, s.v, s.a, s.dq, s.dv, s.da, s.slots, s.values)),
    )
    system.body_force = Term(
        call(gravity, lambda s: (own, along, s.x, s.g, s.which, s.f)),
        call(gravity_tangent, lambda s: (own, along, s.x, s.g, s.which, s.dq, s.slots, s.values)),
    )

    flow = np.zeros((len(own), 2 + rows.dofs.shape[1] // 4))
    read = (
        call(add_elastic, lambda s: (own, axial, bending, s.x, 0.0, NO_FORCE, NO_SLOTS, NO_FORCE, s.energies))
        + ends_energy
        + call(add_damping, lambda s: (own, axial, s.x, s.v, 0.0, 0.0, NO_FORCE, NO_SLOTS, NO_FORCE, s.powers[0]))
        + call(fill_flows, lambda s: (own, ends, s.x, s.v, flow))
        + call(take_flows, lambda s: (own, 1, s.v, flow, s.powers))
    )
    system.account = Account(
        read,
        stored=("stretching", "bending"),
        lost=("axial_damping",),
        passed=("strain_flow",),
        carried=("kinetic_flow",),
    )
    system.checks = Checks(diagnose=lambda fields: diagnose(rows, fields))
    return system


def diagnose(rows: LocalRows, fields: Fields) -> list[str]:
    """Return messages about ropes that are too short."""
    own = rows.columns
    length, shortest = fields.x[rows.dofs[:, -1]], own["shortest"]
    return [
        f"{rows.table.describe(int(rows.rows[i]))}: the rope outside its winch is {length[i]:g} m long: must be longer "
        f"than {shortest[i]:g} m (shortest)"
        for i in np.flatnonzero(own["active"] & ~(length > shortest))
    ]


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError if a rope is initially too short, if its cables do not cover its whole length, or if they are
    not connected. In distributed models, only the first condition is checked.
    """
    held, node0, node1 = table.resident, table.local("node0"), table.local("node1")
    begin, share, feed = table.local("begin"), table.local("share"), table.local("feed")
    check_nodes(world, table)
    for k in np.flatnonzero(begin + share > 1.0 + SHARES)[:1]:
        raise ModelError(f"begin + share = {begin[k] + share[k]:g} in {table.kind} row {held[k]}: must be <= 1")
    for owners, places, owner_rows in world.split_by_table(feed):
        start = owners.local("reference", owner_rows) + owners.local("displacement", owner_rows)[:, 0]
        shortest = table.local("shortest")[places]
        for k in np.flatnonzero(~(start > shortest))[:1]:
            given = f"feed of {table.kind} row {held[places[k]]} has the length {start[k]:g} m"
            raise ModelError(f"{given} (reference + displacement): must be > shortest = {shortest[k]:g} m")
    if world.is_distributed:
        # the cables of a rope may be on several processes, so the following checks are not possible
        return
    active = table.local("active")
    for one in np.unique(feed):
        own = np.flatnonzero((feed == one) & active)
        own = own[np.argsort(begin[own])]
        edges = np.append(begin[own], 1.0)
        gaps = np.abs(np.append(0.0, (begin + share)[own]) - edges) > SHARES
        for k in np.flatnonzero(gaps)[:1]:
            row = held[own[min(k, len(own) - 1)]]
            raise ModelError(
                f"begin, share in {table.kind} row {row}: the shares of all cables of a feed must cover 0 to 1 without "
                "gaps"
            )
        for k in np.flatnonzero(node1[own[:-1]] != node0[own[1:]])[:1]:
            given = f"node0 of {table.kind} row {held[own[k + 1]]}"
            raise ModelError(f"{given}: must be node1 of row {held[own[k]]}, the end of the previous cable")


class Sections(NamedTuple):
    """Results of winch cables at k points of each cable: position [m] and velocity [m/s] of the material, shape (rows,
    k, 3), and axial force [N], shape (rows, k).

    All values are NaN for cables in reserve, which are inactive cables.
    """

    position: FloatArray
    velocity: FloatArray
    force: FloatArray


EvaluateSections = Callable[[LocalRows, Fields, FloatArray], Sections]
"""Function that evaluates the cables at positions, see `eval_sections`."""


def eval_sections(rows: LocalRows, fields: Fields, shares: FloatArray) -> Sections:
    """Evaluate the cables at k points. The argument ``shares``, shape (k,), contains the distances of the points from
    node0, divided by the length of the cable.
    """
    own = rows.columns
    d, n = rows.dofs.shape[1] // 4, len(shares)
    found = Sections(np.zeros((len(own), n, 3)), np.zeros((len(own), n, 3)), np.zeros((len(own), n)))
    r, u = np.zeros((len(own), n, d)), np.zeros((len(own), n, d))
    call(fill_motion)(own, create_points(shares), fields.x, fields.v, r, u, found.force)
    found.position[..., :d], found.velocity[..., :d] = r, u
    for values in found:
        values[~own["active"]] = np.nan
    return found


def at_share(unit: str, doc: str, evaluate: EvaluateSections, name: str) -> Output:
    """Create an output variable that is evaluated at a point of each cable. The argument ``share`` is the distance of
    the point from node0 divided by the length of the cable. The value is the field ``name`` of the result of
    ``evaluate``.
    """

    def find(rows: LocalRows, fields: Fields, share: float = 0.5) -> FloatArray:
        place = read_numbers(share)
        if place is None or place.shape != () or not 0.0 <= place <= 1.0:
            raise ModelError(f"share = {show(share)} of {rows.table.kind}: must be a number, 0 (node0) to 1 (node1)")
        values: FloatArray = getattr(evaluate(rows, fields, place[None]), name)[:, 0]
        return values

    return Output(unit, f"{doc} at ``share`` of the cable from node0, by default in its middle", find)


def eval_length(rows: LocalRows, fields: Fields) -> FloatArray:
    """Return the unstretched length [m] of each cable. The length is 0 for cables in reserve."""
    own = rows.columns
    length: FloatArray = own["active"] * own["share"] * fields.x[rows.dofs[:, -1]]
    return length


def eval_momentum(rows: LocalRows, fields: Fields) -> FloatArray:
    """Return the momentum ∫ ρA u dx [kg m/s], shape (rows, 3)."""
    own = rows.columns
    s, w = gauss_rule(4)
    velocity = np.nan_to_num(eval_sections(rows, fields, s).velocity)
    momentum: FloatArray = (own["mass_per_length"] * eval_length(rows, fields))[:, None] * np.einsum(
        "k,rkd->rd", w, velocity
    )
    return momentum


def eval_flow(rows: LocalRows, fields: Fields, which: slice) -> FloatArray:
    """Return the difference between the flow of mass or momentum into each cable and the flow out of the cable, see
    `fill_flows`. The shape is (rows,) for mass and (rows, 3) for momentum.
    """
    own = rows.columns
    d = rows.dofs.shape[1] // 4
    flow = np.zeros((len(own), 2 + d))
    call(fill_flows)(own, create_points(np.array([0.0, 1.0])), fields.x, fields.v, flow)
    whole = np.zeros((len(own), 4))
    whole[:, : 1 + d] = flow[:, : 1 + d]
    return whole[:, which]


def draw(rows: LocalRows, fields: Fields, subdivisions: int, evaluate: EvaluateSections = eval_sections) -> Drawing:
    """Draw each cable as ``subdivisions`` lines. All cables of a winch have the same part label. The positions
    ``start`` and ``end`` of the lines in the drawing are fractions of the length of the cable.

    The number of lines must be constant during a run. Therefore the lines of cables in reserve are drawn, too. Their
    points are at the start of the first active cable. The function ``evaluate`` evaluates the cables.
    """
    s = np.arange(subdivisions + 1) / subdivisions
    found, count, active = evaluate(rows, fields, s), len(rows.rows), rows.columns["active"]
    found.position[~active] = found.position[active][0, 0] if active.any() else 0.0
    number = np.arange(count * len(s)).reshape(count, len(s))
    return Drawing(
        points=found.position.reshape(-1, 3),
        lines=np.stack((number[:, :-1].ravel(), number[:, 1:].ravel()), axis=1),
        part=np.repeat(np.unique(rows.local("feed"), return_inverse=True)[1], subdivisions),
        entity=np.repeat(rows.table.ids_of(rows.rows), subdivisions),
        start=np.tile(s[:-1], count),
        end=np.tile(s[1:], count),
        point_data={"velocity": found.velocity.reshape(-1, 3), "axial_force": found.force.ravel()},
        units={"velocity": "m/s", "axial_force": "N"},
        joints=np.repeat(rows.layout.dofs[rows.dofs[:, -1:]], subdivisions, axis=0),
    )


def create_outputs(evaluate: EvaluateSections) -> dict[str, Output]:
    """Create the output variables of a winch cable. The function ``evaluate`` evaluates the cables."""
    return {
        "position": at_share("m", "global position, shape (3,),", evaluate, "position"),
        "velocity": at_share("m/s", "velocity of the material, global, shape (3,),", evaluate, "velocity"),
        "axial_force": at_share("N", "axial force with damping, tension > 0,", evaluate, "force"),
        "length": Output("m", "length of the cable without strain, ()", eval_length),
        "mass": Output("kg", "mass, ()", lambda rows, f: rows.local("mass_per_length") * eval_length(rows, f)),
        "momentum": Output("kg m/s", "momentum, global, shape (3,)", eval_momentum),
        "mass_flow": Output(
            "kg/s",
            "flow of mass into the cable minus flow of mass out of the cable, ()",
            lambda rows, f: eval_flow(rows, f, slice(1))[:, 0],
        ),
        "momentum_flow": Output(
            "N",
            "flow of momentum into the cable minus flow of momentum out of the cable, global, shape (3,)",
            lambda rows, f: eval_flow(rows, f, slice(1, 4)),
        ),
    }


SOURCE = "Irschik and Holl, Acta Mechanica 153 (2002); Tang and others, CNSNS 16 (2011)"
for component in (WinchCable2D, WinchCable3D):
    register(
        component,
        "element",
        dofs=("node0", "node1", "feed"),
        bind=bind,
        build=build,
        check=check,
        draw=draw,
        outputs=create_outputs(eval_sections),
        source=SOURCE,
    )
