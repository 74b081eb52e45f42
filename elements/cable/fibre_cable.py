"""2D and 3D cable elements of fibre ropes (polyester, nylon). The axial force depends on the history of the load: a
dynamic stiffness is in series with a slow spring and damper.

    N = D (ε - ε_ref - y) + d_EA ε_t,    D = EA + β T,    T = max(K y, 0)
    slow strain: η y_t + K y = D (ε - ε_ref - y)
    with a static stiffness S: K = D S/(D - S)

EA is the dynamic stiffness at zero mean load, and β is the increase of the dynamic stiffness with the mean load T. The
slow strain is y, and K and η are the stiffness and the damping of the slow part. With a static stiffness, K depends on
T such that the static strain is N/S. The stiffness D applies to fast changes of the load. Under a constant load N, the
strain ε - ε_ref creeps from N/D to the static value N/K + N/(EA + β N), which is also the result of static solves. The
time constant of the slow strain is η/K at constant load and η/(K + D) at constant strain. For bending, mass, damping
and the reference configuration, see `Cable2D` and `Cable3D`. Fibre ropes have no user functions.

Each element has three slow strains, one at each axial point of integration rule 2 (both ends and the middle). The slow
strain along the element is the parabola through these three values. The slow strains are first-order states. Therefore
all solvers, checkpoints and derivatives treat the slow strains like other states of nodes. The stored energy per length
is D (ε - ε_ref - y)²/2 + K y²/2, and the dissipated power per length is η y_t². D depends on y. Therefore the energy
balance contains an additional power per length, -∂D/∂y (ε - ε_ref - y)² y_t/2. Over closed cycles whose amplitudes are
small compared with the mean load, the mean of this power is zero.

The law does not describe the permanent strain that the first loadings of a new rope cause. Therefore the parameters
must be measured after these loadings (after bedding-in). The law also omits the dependence of D on amplitude and
frequency.

Source: J. F. Flory, C. M. Leech, S. J. Banfield, D. J. Petruska, Computer model to predict long-term performance of
fiber rope mooring lines, OTC 17592 (2005), for the static and the dynamic stiffness; C. J. M. Del Vecchio, Light weight
materials for deep water moorings, PhD thesis, University of Reading (1992), for D = EA + β T; M. Hall, B. Duong, E.
Lozon, IOWTC2023-119524 (2023), for the constant static stiffness.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from windlass.elements.cable.cable2d import IN_PLANE, Cable2D, CableKind, build_cables
from windlass.elements.cable.cable2d import check as check_cables
from windlass.elements.cable.cable3d import IN_SPACE, Cable3D
from windlass.elements.cable.draw import draw as draw_cables
from windlass.elements.cable.outputs import (
    OUTPUTS,
    RopeView,
    create_section,
    eval_axial_force,
    eval_motion,
    find_fractions,
    node_dofs,
)
from windlass.elements.cable.rope_forces import STATES as SLOW_STRAINS
from windlass.elements.cable.rope_forces import (
    create_ropes,
    fill_energies,
    fill_losses,
    fill_lost,
    fill_mean_loads,
    fill_tensions,
    mass,
    mass_product,
    residual,
    tangent,
    update,
)
from windlass.elements.cable.slow_forces import LINEAR, STATIC
from windlass.elements.nodes.generic_nodes import STATES, state_node
from windlass.framework.arrays import FloatArray
from windlass.framework.errors import ModelError
from windlass.framework.kernels.call import Call, call
from windlass.framework.model.drawing import Drawing
from windlass.framework.model.law import LocalRows, Output, Tables, register
from windlass.framework.model.schema import column, ref
from windlass.framework.model.system import Evaluation, Fields, Fused, System
from windlass.framework.model.table import EntityTable


class FibreCable2D(Cable2D):
    """A 2D cable element of a fibre rope, with the columns of `Cable2D`. The column ``axial_stiffness`` is the dynamic
    stiffness at zero mean load.
    """

    slow = ref(STATES, "node of three states, the slow strains y at the start, the middle and the end of this element")
    slow_stiffness = column(
        "N", "stiffness K of the slow strain; 0: static_stiffness is given", default=0.0, minimum=0.0
    )
    static_stiffness = column(
        "N", "stiffness S under slowly applied loads, instead of slow_stiffness; 0: not given", default=0.0, minimum=0.0
    )
    slow_damping = column("N s", "damping η of the slow strain", above=0.0)
    stiffening = column(
        "1", "coefficient β: increase of the dynamic stiffness with the mean load", default=0.0, minimum=0.0
    )
    axial_force_function = None
    axial_force_derivatives = None
    bending_moment_function = None
    bending_moment_derivatives = None


class FibreCable3D(FibreCable2D):
    """A 3D cable element of a fibre rope, with the columns of `Cable3D` and `FibreCable2D`."""

    provides: ClassVar[tuple[str, ...]] = Cable3D.provides
    node0, node1, reference_curvature = Cable3D.node0, Cable3D.node1, Cable3D.reference_curvature


def join(first: Callable[[Evaluation], None], last: Call) -> Callable[[Evaluation], None]:
    """Return a function that calls ``first`` and then ``last``."""
    if isinstance(first, Call):
        return first + last

    def run(s: Evaluation) -> None:
        first(s)
        last(s)

    return run


def build_ropes(rows: LocalRows, kind: CableKind, slow: bool, keeps: bool = False) -> System:
    """Create the system of cables whose axial force differs from the linear law.

    Args:
        rows: cables of one type on this process.
        kind: 2D or 3D cables.
        slow: whether the cables have a slow strain.
        keeps: whether the cables have history values, the largest slow strains.
    """
    return add_law(rows, build_cables(rows, node_dofs(rows), kind), rows.columns.own, slow, keeps)


def add_law(rows: LocalRows, cables: System, own: NDArray[Any], slow: bool, keeps: bool) -> System:
    """Create the system of cables whose axial force differs from the linear law, from the system ``cables`` of the same
    rows with the linear law. See `build_ropes` and `create_ropes`.
    """
    force, stiffness, account, fused = cables.residual, cables.tangent, cables.account, cables.fused
    assert force is not None and stiffness is not None and account is not None and fused is not None
    system = System(rows.table.kind, rows.dofs)
    system.residual = join(force, call(residual, lambda s: (own, slow, s.start_data, s.x, s.v, s.f)))
    system.tangent = join(
        stiffness, call(tangent, lambda s: (own, slow, s.start_data, s.x, s.v, s.dq, s.dv, s.slots, s.values))
    )
    system.mass, system.fused = cables.mass, Fused(fused.mass_product)
    if slow:
        assert cables.mass is not None
        system.mass = join(cables.mass, call(mass, lambda s: (own, s.mass, s.slots, s.values)))
        system.fused = Fused(join(fused.mass_product, call(mass_product, lambda s: (own, s.a, s.f))))
    system.body_force, system.inertia, system.checks = cables.body_force, cables.inertia, cables.checks
    lost = len(account.lost)
    system.account = replace(
        account,
        read=join(
            account.read, call(fill_energies, lambda s: (own, slow, lost, s.data, s.x, s.v, s.energies, s.powers))
        ),
        lost=(*account.lost, *("slow_damping",) * slow, *("first_loading",) * keeps),
        passed=("stiffening",) * slow,
        powers=None,
        conserves=account.conserves and not slow,
    )
    if keeps:
        system.post_newton = call(update, lambda s: (own, s.v, s.start_data, s.data, s.outcome))
        read = join(system.account.read, call(fill_lost, lambda s: (own, s.data, s.parts)))
        losses = call(fill_losses, lambda s: (s.parts_before, s.parts, s.jumps))
        system.account = replace(system.account, read=read, parts=(len(own), 1), jumps=losses)
    return system


def find_extra(rows: LocalRows, fields: Fields, slow: bool, x: Any) -> FloatArray:
    """Return N minus the linear axial force [N] at positions x [m], shape (rows, k)."""
    section = create_section(rows, eval_motion(rows, fields), fields.t, x, 0.0)
    return eval_extra(rows, fields, slow, section.strains.eps - section.places.references.eps, x)


def eval_extra(rows: LocalRows, fields: Fields, slow: bool, e: FloatArray, x: Any) -> FloatArray:
    """Return N minus the linear axial force [N] for strains e = ε - ε_ref [1] at positions x [m], shape (rows, k)."""
    y = find_slow_strains(rows, fields, x) if slow else np.zeros(e.shape)
    h = find_largest_strains(rows, fields, x) if slow else y
    extra = np.zeros(e.shape)
    e, y, h = (np.ascontiguousarray(values) for values in (e, y, h))
    call(fill_tensions)(find_own(rows), slow, e, y, h, extra)
    return extra


def find_own(rows: LocalRows) -> NDArray[Any]:
    """Return the records with the fields of `list_fields`. The records of cables with twist contain them, too."""
    own: NDArray[Any] = rows.columns.own if isinstance(rows.columns, RopeView) else rows.columns
    return own


def find_slow_strains(rows: LocalRows, fields: Fields, x: Any) -> FloatArray:
    """Return the slow strains y [1] at positions x [m], shape (rows, k)."""
    return _interpolate(rows, fields.v[rows.dofs[:, -SLOW_STRAINS:]], x)


def find_largest_strains(rows: LocalRows, fields: Fields, x: Any) -> FloatArray:
    """Return the largest slow strains [1] in the past at positions x [m], shape (rows, k); 0 without history values."""
    data = find_own(rows)["data"]
    kept = np.zeros((len(data), SLOW_STRAINS))
    if len(data) and data[0] >= 0:
        kept = fields.data[data[:, None] + np.arange(SLOW_STRAINS)]
    return _interpolate(rows, kept, x)


def _interpolate(rows: LocalRows, values: FloatArray, x: Any) -> FloatArray:
    """Return values at positions x [m], shape (rows, k), from values at the axial points, shape (rows, 3)."""
    s = find_fractions(rows, rows.local("length")[:, None], x)
    s = np.broadcast_to(s, (len(rows.rows), s.shape[1]))
    # parabola through the values at s = 0, 1/2 and 1
    share = np.stack(((1.0 - s) * (1.0 - 2.0 * s), 4.0 * s * (1.0 - s), s * (2.0 * s - 1.0)), axis=-1)
    found: FloatArray = (share * values[:, None, :]).sum(axis=-1)
    return found


def rope_outputs(outputs: dict[str, Output], slow: bool) -> dict[str, Output]:
    """Return the output variables ``outputs`` of cables. The axial force is replaced by the axial force of the law of
    this file or of table_cable.py.
    """

    def at(rows: LocalRows, fields: Fields, x: Any = None) -> FloatArray:
        section = create_section(rows, eval_motion(rows, fields), fields.t, x, 0.0)
        values = eval_axial_force(section) + find_extra(rows, fields, slow, x)
        return values if np.ndim(x) == 2 else values[:, 0]

    return outputs | {"axial_force": Output("N", "axial force at x, tension > 0", at)}


def draw_ropes(rows: LocalRows, fields: Fields, subdivisions: int, slow: bool) -> Drawing:
    """Draw the cables. The axial force in the drawing follows from the law of this file or of table_cable.py."""
    drawing = draw_cables(rows, fields, subdivisions)
    x = rows.local("length")[:, None] * np.arange(subdivisions + 1) / subdivisions
    extra = find_extra(rows, fields, slow, x).ravel()
    force = drawing.point_data["axial_force"] + extra
    return replace(drawing, point_data={**drawing.point_data, "axial_force": force})


def list_law(rows: LocalRows) -> dict[str, Any]:
    """Return the fields of the law of fibre ropes, see `list_fields`. For broken ropes D = 0."""
    whole = ~rows.local("broken")
    stiffness, static = rows.local("slow_stiffness"), rows.local("static_stiffness")
    return {
        "law": np.where(whole & (static > 0.0), STATIC, LINEAR),
        "stiffness": np.where(stiffness > 0.0, stiffness, rows.local("axial_stiffness")),
        "static": static,
        "damping": rows.local("slow_damping"),
        "stiffening": whole * rows.local("stiffening"),
    }


def slow_output(unit: str, doc: str, evaluate: Callable[[LocalRows, Fields, Any], FloatArray]) -> Output:
    """Create an output that is a function of the slow strains at positions x, shape (rows, k)."""

    def at(rows: LocalRows, fields: Fields, x: Any = None) -> FloatArray:
        values = evaluate(rows, fields, x)
        return values if np.ndim(x) == 2 else values[:, 0]

    return Output(unit, doc, at)


def eval_mean_load(rows: LocalRows, fields: Fields, x: Any) -> FloatArray:
    """Return the mean loads T >= 0 [N], shape (rows, k)."""
    y = find_slow_strains(rows, fields, x)
    T = np.zeros(y.shape)
    h = find_largest_strains(rows, fields, x)
    call(fill_mean_loads)(find_own(rows), np.ascontiguousarray(y), np.ascontiguousarray(h), T)
    return np.asarray(np.maximum(T, 0.0))


def eval_dynamic_stiffness(rows: LocalRows, fields: Fields, x: Any) -> FloatArray:
    """Return the dynamic stiffness D [N], shape (rows, k). The result is 0 for broken cables."""
    T = eval_mean_load(rows, fields, x)
    D = rows.local("axial_stiffness")[:, None] + rows.local("stiffening")[:, None] * T
    return np.asarray(~rows.local("broken")[:, None] * D)


SLOW = {
    "slow_strain": slow_output("1", "slow strain y at x", find_slow_strains),
    "mean_load": slow_output("N", "load T at x that determines the dynamic stiffness, >= 0", eval_mean_load),
    "dynamic_stiffness": slow_output("N", "dynamic stiffness D at x", eval_dynamic_stiffness),
}


def check_slow(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for invalid cables, for integration rules other than 2, and for nodes of slow strains that do
    not have three states or are used by several cables.
    """
    check_cables(world, table)
    table.refuse(table.local("integration") != 2, ("integration",), "be 2, as the slow strains belong to its points")
    slow = table.local("slow")
    for nodes, positions, _ in world.split_by_table(slow):
        if nodes.component is not state_node(SLOW_STRAINS):
            raise ModelError(
                f"slow in {table.kind} row {table.resident[positions[0]]} is a {nodes.kind}: must be a node with three "
                "states, state_node(3)"
            )
    _, first, counts = np.unique(slow, return_index=True, return_counts=True)
    for k in first[counts > 1][:1]:
        raise ModelError(
            f"slow in {table.kind} row {table.resident[k]} belongs to several cables: must be a node of its own"
        )


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for invalid cables and slow strains. The error is also raised if both or none of
    ``slow_stiffness`` and ``static_stiffness`` are given, or if the static stiffness is not below ``axial_stiffness``,
    the dynamic stiffness.
    """
    check_slow(world, table)
    slow, static = table.local("slow_stiffness"), table.local("static_stiffness")
    names = ("slow_stiffness", "static_stiffness")
    table.refuse((slow > 0.0) == (static > 0.0), names, "have one of them > 0 N")
    stiff = table.local("axial_stiffness")
    table.refuse(
        static >= stiff, ("static_stiffness", "axial_stiffness"), "have a static stiffness below axial_stiffness"
    )


for fibre, of_kind, dims in ((FibreCable2D, IN_PLANE, 2), (FibreCable3D, IN_SPACE, 3)):
    register(
        fibre,
        "element",
        dofs=("node0", "node1", "slow"),
        bind=lambda rows: RopeView(rows, create_ropes(rows, list_law(rows))),
        build=partial(build_ropes, kind=of_kind, slow=True),
        outputs=rope_outputs(OUTPUTS[dims], True) | SLOW,
        check=check,
        source="[@flory2005]; [@delvecchio1992]; [@hall2023]; [@gerstmayr2006]",
        draw=partial(draw_ropes, slow=True),
    )
