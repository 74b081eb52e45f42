"""A massless rope over any number of sheaves, with the same tension along the whole rope.

    length: L = Σ spans + Σ R_i θ_i,    θ_i in [0, 2 π), see `reeving_spans`
    reference length: L_0 = reference length + f_0 q_0 + f_1 q_1. The coordinates q pay out rope at the ends
    tension: N = N_0 + EA (L - L_0)/L_0 + D (L̇ - L̇_0)/L_0,    replaced by N_s tanh(N/N_s) if N < 0
    action: N ∂L/∂q on all bodies, -N f_i on the coordinates q_i, on the left-hand side

In addition, the damping of twist and shear of `reeving_spans` acts between adjacent sheaves. Sheaves have no friction.
Therefore the rope exerts no torque on a sheave about the axis of the sheave. The rope ends at the first and the last
marker. Each of these markers is a point, or a drum if its radius is not 0. The rope exerts a torque on a drum. L does
not include the rope wound on the drum. Therefore a coordinate q must describe the rope paid out. For this reason the
forces on q are -N f_i, and not N times the derivatives of L with respect to q.

Even if a rope runs obliquely onto a sheave, the forces on the bodies are derivatives of the length of the rope with
respect to coordinates. Therefore no energy is lost. The law of Exudyn has the same tangent lines but slightly longer
arcs, and its forces are not the derivatives of its rope length.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.markers.coordinate_family import coordinates_of
from windlass.connectors.markers.coordinate_marker import COORDINATE
from windlass.connectors.markers.pairs import Pair
from windlass.connectors.markers.position_kernels import FAMILY
from windlass.connectors.markers.position_markers import POSITION, RIGID
from windlass.connectors.rigid_springs.reeving_kernels import (
    ENERGY,
    FORCE,
    LENGTH,
    LOST,
    PASSED,
    RATE,
    REST,
    fill_numbers,
    fill_points,
    residual,
    tangent,
)
from windlass.framework.accounts import Account
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.checks.checks import checked, each, handle, instance, numbers, optional
from windlass.framework.errors import ModelError
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.drawing import Drawing, draw_traces
from windlass.framework.model.law import LocalRows, Output, Tables, register
from windlass.framework.model.rows import create_records
from windlass.framework.model.schema import Component, column, derived, ref, refs
from windlass.framework.model.system import Fields, System
from windlass.framework.model.table import Entity, EntityTable
from windlass.framework.model.world import World

ENDS = "coordinate0", "coordinate1"


class ReevingSystemSprings(Component):
    """A massless rope over any number of sheaves, for models in which mass, sag and friction of the rope are
    negligible."""

    markers = refs(POSITION, "markers along the rope: rigid markers at sheaves and drums, otherwise points", least=2)
    coordinate0 = ref(COORDINATE, "coordinate q_0, which pays out rope at the start", optional=True)
    coordinate1 = ref(COORDINATE, "coordinate q_1, which pays out rope at the end", optional=True)
    radii = column(
        "m",
        "radius R at each marker, 0 for points; the first and the last radius belong to drums",
        default=0.0,
        minimum=0.0,
        along="markers",
    )
    axes = column(
        "1", "axis of each sheave in the frame of its marker, about which the rope turns, of any length > 0",
        shape=(3,), default=(0.0, 0.0, 1.0), along="markers",
    )  # fmt: skip
    reference_length = column("m", "length of the rope without tension", above=0.0, switchable=True)
    axial_stiffness = column("N", "axial stiffness EA of the rope", above=0.0, switchable=True)
    axial_damping = column("N s", "axial damping D, force per strain rate", default=0.0, minimum=0.0, switchable=True)
    preload = column("N", "tension N_0 at the reference length", default=0.0, switchable=True)
    slack_force = column(
        "N",
        "largest compressive force N_s in a slack rope; 0: the rope resists compression like a rod",
        default=0.1,
        minimum=0.0,
        switchable=True,
    )
    twist_damping = column("N m s/rad", "damping of the twist of spans", default=0.0, minimum=0.0)
    shear_damping = column(
        "N s",
        "damping of the motion across spans; the force is this value times the velocity, divided by the "
        "length of the span",
        default=0.0,
        minimum=0.0,
    )
    factor0 = column("1", "factor f_0 of q_0 [1 or m/rad]", default=1.0)
    factor1 = column("1", "factor f_1 of q_1 [1 or m/rad]", default=1.0)
    active = column("1", "the rope exerts forces only if true", dtype=bool, default=True, switchable=True)
    first = derived("1", "index of the first span of the rope")
    last = derived("1", "index of the last span of the rope")
    end = derived("1", "indices of the coordinate markers at both ends of the rope, or -1, shape (2,)")
    begin = derived(
        "1", "index within the row of the first coordinate of both coordinate markers, and of the end, shape (3,)"
    )
    factor = derived("1", "factors f_0 and f_1, shape (2,)")


def find_frames(axes: FloatArray) -> FloatArray:
    """Create frames of shape (..., 3, 3) with the given third axes of shape (..., 3)."""
    a = axes / np.sqrt((axes**2).sum(axis=-1, keepdims=True))
    u = np.cross(a, np.eye(3)[np.abs(a).argmin(axis=-1)])
    u /= np.sqrt((u**2).sum(axis=-1, keepdims=True))
    return np.stack((u, np.cross(a, u), a), axis=-1)


def dofs(world: Tables, table: EntityTable) -> IntArray:
    """Return the global coordinate indices of all markers, then of the coordinates q_0 and q_1, padded with -1, shape
    (rows, n).
    """
    return np.concatenate([world.ref_dofs(table, name) for name in ("markers", *ENDS)], axis=1)


def bind(rows: LocalRows) -> tuple[Pair, NDArray[Any], NDArray[Any], int]:
    """Create a `Pair` with the two markers of each span of all rows, an array with the data of the rows, and an array
    with the data of the spans. The spans have the order of their rows. Also return the largest number of markers of a
    rope.

    Data of a span: ``radii`` of the sheaves at both ends, shape (2,), and ``frames`` of both sheaves relative to their
    markers, shape (2, 3, 3).
    """
    (most, w), *ends = (rows.world.ref_shape(rows.table, name) for name in ("markers", *ENDS))
    markers = rows.markers("markers")
    spans = (markers >= 0).sum(axis=1) - 1
    row, first = np.repeat(np.arange(len(spans)), spans), np.append(0, np.cumsum(spans))
    k = np.arange(len(row)) - first[row]
    sides = k, k + 1
    m0, m1 = (markers[row, side] for side in sides)
    own = rows.dofs[row[:, None], (k * w)[:, None] + np.arange(2 * w)]
    one = np.ones(len(row))
    pair = Pair(m0, m1, own, w, np.ones(len(row), bool), one, one)
    R, axes = (np.stack([rows.padded(name)[row, side] for side in sides], axis=1) for name in ("radii", "axes"))
    values = {
        "first": first[:-1],
        "last": first[1:] - 1,
        "end": np.stack([rows.markers(name) for name in ENDS], axis=1),
        "begin": np.tile(np.cumsum([most * w, *(width for _, width in ends)]), (len(rows.rows), 1)),
        "factor": np.stack((rows.local("factor0"), rows.local("factor1")), axis=1),
    }
    return pair, rows.pack(values), create_records(radii=R, frames=find_frames(axes)), most


def eval_numbers(rows: LocalRows, s: Fields) -> tuple[FloatArray, FloatArray]:
    """Return the quantities of each rope, shape (rows, 7), and the wrap angles [rad], shape (rows, markers). See
    `fill_numbers`.
    """
    pair, own, spans, most = rows.columns
    out, wraps = np.zeros((len(own), 7)), np.zeros((len(own), most))
    fill_numbers(own, spans, pair, s.markers[FAMILY], coordinates_of(s), out, wraps)
    return out, wraps


@kernel
def take_numbers(numbers: FloatArray, energies: FloatArray, powers: FloatArray) -> None:
    """Add the energy, the lost power and the transferred power of each rope to the sums of the energy ledger. See
    `fill_numbers`.
    """
    for i in range(len(numbers)):
        energies[0, i] += numbers[i, ENERGY]
        powers[0, i] += numbers[i, LOST]
        powers[1, i] += numbers[i, PASSED]


def build(rows: LocalRows) -> System:
    """Create the system of `ReevingSystemSprings`."""
    pair, own, spans, most = rows.columns
    system = System("ReevingSystemSprings", rows.dofs)
    system.residual = call(
        residual, lambda s: (own, spans, pair, most, s.markers[FAMILY], coordinates_of(s), rows.dofs, s.f)
    )
    system.tangent = call(
        tangent,
        lambda s: (own, spans, pair, most, s.markers[FAMILY], coordinates_of(s), s.v, s.dq, s.dv, s.slots, s.values),
    )

    out, wraps = np.zeros((len(own), 7)), np.zeros((len(own), most))
    read = call(fill_numbers, lambda s: (own, spans, pair, s.markers[FAMILY], coordinates_of(s), out, wraps)) + call(
        take_numbers, lambda s: (out, s.energies, s.powers)
    )
    drums = spans["radii"][own["first"], 0].any() or spans["radii"][own["last"], 1].any()
    damped = any(own[f"{name}_damping"].any() for name in ("axial", "twist", "shear"))
    still = not (drums or damped or (own["end"] >= 0).any())
    system.account = Account(read, ("spring",), ("damper",), ("strain_flow",), conserves=still)
    return system


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError if the marker of a sheave is not a rigid marker, or if an axis has length 0."""
    most, _ = world.ref_shape(table, "markers")
    ids, R, axes = (table.padded(name, most) for name in ("markers", "radii", "axes"))
    there, rigid = ids >= 0, np.zeros(ids.shape, bool)
    flat = there & ~axes.any(axis=2)
    for target, positions, _ in world.split_by_table(ids.ravel()):
        rigid.ravel()[positions] = RIGID in target.component.provides
    for wrong, words in (
        ((R > 0.0) & ~rigid, "markers[{k}] of a sheave is a point: must be a rigid marker"),
        (flat, "axes[{k}] = (0, 0, 0): must have a length > 0 [1]"),
    ):
        for i, k in np.argwhere(wrong)[:1]:
            raise ModelError(f"{table.kind} row {table.resident[i]}: {words.format(k=k)}")


def draw(rows: LocalRows, s: Fields, subdivisions: int) -> Drawing:
    """Draw each rope as a line along its spans and around its sheaves."""
    pair, own, spans, most = rows.columns
    out, n, arcs = eval_numbers(rows, s)[0], len(rows.rows), max(2 * subdivisions, 12)
    parts = []
    for i in range(n):
        points = np.zeros(((arcs + 2) * most, 3))
        parts.append(points[: fill_points(own[i], spans, pair, s.markers[FAMILY], arcs, points)])
    return draw_traces(parts, rows.table.ids_of(rows.rows), {"tension": out[:, FORCE]}, {"tension": "N"})


def output(unit: str, doc: str, which: int) -> Output:
    """Create an output variable from one quantity of `fill_numbers`."""
    return Output(unit, doc, lambda rows, s: eval_numbers(rows, s)[0][:, which])


register(
    ReevingSystemSprings,
    "connector",
    dofs=dofs,
    bind=bind,
    build=build,
    check=check,
    outputs={
        "length": output("m", "length L of all spans and arcs, ()", LENGTH),
        "rate": output("m/s", "rate of the length L, ()", RATE),
        "tension": output("N", "tension N, (); 0 for inactive rows", FORCE),
        "rest_length": output("m", "reference length L_0, (); this includes the rope that coordinates pay out", REST),
        "wrap": Output("rad", "wrap angle θ on each marker, (markers,)", lambda rows, s: eval_numbers(rows, s)[1]),
    },
    draw=draw,
    source="[@exudyn], ObjectConnectorReevingSystemSprings",
)


@checked(
    world=instance(World),
    markers=each(handle(), "handles to markers, one for each place along the rope", 2),
    radii=numbers("m", (None,)),
    axes=optional(numbers("1", (None, 3))),
)
def reeve(world: World, markers: Sequence[Entity], radii: Any, axes: Any | None = None, **columns: Any) -> Entity:
    """Add a `ReevingSystemSprings`: one rope over sheaves and points.

    Args:
        markers: two or more position markers, in their order from one end of the rope to the other. Markers of sheaves
            must be rigid markers.
        radii: radii of the sheaves, and of drums at the ends [m], shape (markers,). The radius of a point is 0.
        axes: axes of the sheaves in the frames of their markers, shape (markers, 3), default (0, 0, 1). The rope runs
            counter-clockwise about these axes.
        **columns: columns of `ReevingSystemSprings`, for example ``axial_stiffness`` and ``reference_length``.

    Returns:
        Handle to the rope.

    Raises:
        ModelError: lists have different lengths.
    """
    turned = {} if axes is None else {"axes": axes}
    return world.add(ReevingSystemSprings, markers=list(markers), radii=radii, **turned, **columns)
