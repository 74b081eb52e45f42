"""Rotation coordinates: the angle by which a 3D rigid body has rotated about an axis, for laws on coordinates.

    rotation since the reference: r = [r0, ρ] with e = e_ref ∘ r
    axis in the frame of the body: n
    angle: φ = 2 atan2(ρ·n, r0) = 2 atan2(s, c),    s = a·e,    c = b·e
    constants: b = e_ref,    a = e_ref ∘ [0, n]
    gradient: φ_e = J = 2 g,    g = (c a - s b)/(s² + c²)
    second derivatives: φ_ee = H = -2 (g wᵀ + w gᵀ),    w = (c b + s a)/(s² + c²)

The symbol ∘ is the product of quaternions, and A_ref is the rotation matrix of e_ref. The angle φ is the twist of the
decomposition r = swing ∘ twist. The swing is a rotation about an axis perpendicular to n. The angle is independent of
the order of swing and twist, of the norm of e, and of whether the axis is fixed in the body (n) or in space (A_ref n,
its direction in the reference configuration). For a swing β of the axis, the sum s² + c² is cos²(β/2). Therefore the
twist is undefined at β = 180°.

The angle includes whole turns. Because e has a period of two turns, the multiple of 4π is added for which the angle is
nearest to the angle at the end of the previous step. The angle at the end of the previous step is a history value. The
multiple is ambiguous in two cases. In the first case, the body rotates by more than 3/4 of a turn in a step. In the
second case, the axis n passes the direction opposite to its reference direction, where the angle jumps by a turn. In
both cases the angle is NaN. The step then fails or is shortened.

Source: P. E. Nikravesh, Computer-Aided Analysis of Mechanical Systems, Prentice Hall (1988), chapter 6, for Euler
parameters; P. Dobrowolski, Swing-twist decomposition in Clifford algebra, arXiv:1506.05481 (2015).
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.markers.coordinate_family import FAMILY, CoordinateMarkers
from windlass.connectors.markers.marker_laws import pack_markers
from windlass.connectors.markers.position_kernels import CURVED
from windlass.elements.nodes.rotations import normalise
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.checks.values import read_numbers
from windlass.framework.errors import ModelError
from windlass.framework.kernels.call import Call, call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.history import check_history, create_history
from windlass.framework.model.law import LocalRows, Output, Tables, register
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.system import Fields, System
from windlass.framework.model.table import EntityTable

START = (0.0,)
REVERSED = 1e-14
"""Smallest (s² + c²)/(e·e) [1] at which the twist is defined. At smaller values, the axis n is within 2e-7 rad of the
direction opposite to its reference direction.
"""
LARGEST_TURN = 1.5 * math.pi
"""Largest change of the angle in a step [rad] that can be distinguished from a change in the opposite direction."""
LARGEST_SWUNG = math.pi
"""Largest change of the angle in a step [rad] if the axis n has swung by more than 90°. If n passes the direction
opposite to its reference direction, the angle changes by 2π.
"""


class RotationCoordinate(Component):
    """The angle by which a 3D rigid node has rotated about an axis.

    One history value per row: the angle minus its initial value [rad].
    """

    provides = (FAMILY, CURVED)
    node = ref("RigidNode3D", "the node, usually of a `RigidBody3D`")
    axis = column("1", "axis in the frame of the body, of any length > 0", shape=(3,), default=(0.0, 0.0, 1.0))
    data = ref("GenericData", "1 history value; created as [0.0] if left out", optional=True)


@kernel
def eval_parts(row: Any, x: FloatArray) -> tuple[float, float, float]:
    """Return s, c and (s² + c²)/(e·e), see the docstring of this module. All three are 0 if the twist is undefined."""
    sine, cosine, n = 0.0, 0.0, 0.0
    for p in range(4):
        e = x[row.dofs[p]]
        sine += row.a[p] * e
        cosine += row.b[p] * e
        n += e * e
    square = sine * sine + cosine * cosine
    if not square > REVERSED * n:
        return 0.0, 0.0, 0.0
    return sine, cosine, square / n


@kernel
def unwrap(sine: float, cosine: float, last: float) -> float:
    """Return the angle nearest to the previous angle ``last`` [rad], among angles that differ by multiples of 4π."""
    angle = 2.0 * math.atan2(sine, cosine)
    return angle + 4.0 * math.pi * math.floor((last - angle) / (4.0 * math.pi) + 0.5)


@kernel
def is_lost(change: float, share: float) -> bool:
    """Return whether an angle that changes by ``change`` [rad] within a step is ambiguous. The argument ``share`` is
    (s² + c²)/(e·e).
    """
    return abs(change) > (LARGEST_SWUNG if share < 0.5 else LARGEST_TURN)


@kernel
def update_rotations(rows: Any, m: CoordinateMarkers, x: FloatArray, v: FloatArray, data: FloatArray) -> None:
    """Evaluate the angle φ, its rate, and its derivatives with respect to the Euler parameters for each row. The
    results are NaN if the angle is undefined.
    """
    for i in range(len(rows)):
        row = rows[i]
        k, h = row.index, m.second[row.index]
        sine, cosine, share = eval_parts(row, x)
        last = row.first + data[row.data]
        angle = unwrap(sine, cosine, last)
        if share == 0.0 or is_lost(angle - last, share):
            m.value[k], m.rate[k] = np.nan, np.nan
            for p in range(4):
                m.jacobian[k, p], m.jacobian_rate[k, p] = np.nan, np.nan
            continue
        square = sine * sine + cosine * cosine
        gs, gc, along = sine / square, cosine / square, 0.0
        rate = 0.0
        for p in range(4):
            et = v[row.dofs[p]]
            m.jacobian[k, p] = 2.0 * (gc * row.a[p] - gs * row.b[p])
            rate += m.jacobian[k, p] * et
            along += (gc * row.b[p] + gs * row.a[p]) * et
        m.value[k], m.rate[k] = angle, rate
        for p in range(4):
            wp = gc * row.b[p] + gs * row.a[p]
            m.jacobian_rate[k, p] = -(m.jacobian[k, p] * along + wp * rate)
            for q in range(4):
                m.hessian[h, p, q] = -(m.jacobian[k, p] * (gc * row.b[q] + gs * row.a[q]) + wp * m.jacobian[k, q])


@kernel
def store_angles(rows: Any, x: FloatArray, data: FloatArray) -> None:
    """Store the angle minus its initial value as history value of each row. Undefined angles are not stored."""
    for i in range(len(rows)):
        row = rows[i]
        sine, cosine, share = eval_parts(row, x)
        if share > 0.0:
            data[row.data] = unwrap(sine, cosine, row.first + data[row.data]) - row.first


def directions(reference: FloatArray, axis: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the vectors a and b, shape (rows, 4) each, for reference Euler parameters, shape (rows, 4), and axes of
    any length > 0, shape (rows, 3)."""
    n, b = normalise(axis), normalise(reference)
    vector = b[:, :1] * n + np.cross(b[:, 1:], n)
    return np.concatenate((-(b[:, 1:] * n).sum(axis=1, keepdims=True), vector), axis=1), b


def initial_angles(e: FloatArray, a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the angles [rad], in (-2π, 2π], and (s² + c²)/(e·e) [1], shape (rows,) each, at the Euler parameters e,
    shape (rows, 4). The vectors a and b are results of `directions`.
    """
    sine, cosine = (a * e).sum(axis=1), (b * e).sum(axis=1)
    return 2.0 * np.arctan2(sine, cosine), (sine**2 + cosine**2) / (e**2).sum(axis=1)


def describe_rotations(rows: LocalRows, reference: FloatArray, start: FloatArray) -> dict[str, FloatArray]:
    """Return the fields of the following values for the kernels.

    a, b: the vectors of s = a·e and c = b·e, shape (rows, 4) each.
    first: angle at the start [rad], shape (rows,).

    The arguments ``reference`` and ``start`` contain the Euler parameters in the reference configuration and at the
    start, shape (rows, 4) each.
    """
    a, b = directions(reference, rows.local("axis"))
    return {"a": a, "b": b, "first": initial_angles(start, a, b)[0]}


def bind(rows: LocalRows) -> NDArray[Any]:
    """Create the array that kernels read: ``dofs``, the process-local indices of the Euler parameters e0 to e3, and the
    fields of `describe_rotations`.
    """
    start = rows.reference + rows.layout.displacement[rows.dofs]
    return pack_markers(rows, 4, **describe_rotations(rows, rows.reference, start))


def create_system(rows: LocalRows, own: NDArray[Any], update: Call, store: Call, body: str) -> System:
    """Create the system of rotations.

    Args:
        rows: the rows.
        own: array whose field ``index`` contains the indices of the rows in the arrays of the marker family.
        update, store: calls that evaluate the markers, and that store the angles as history values.
        body: name of the body that rotates, for messages.
    """
    system = System(rows.table.kind, rows.dofs)

    def diagnose(s: Fields) -> list[str]:
        return [
            f"{rows.table.describe(int(rows.rows[i]))}: the angle about the axis {rows.local('axis')[i]} is lost: "
            f"a step must turn the {body} by less than 3/4 of a turn, and the axis must not come to point against "
            "its direction in the reference configuration (180°)"
            for i in np.flatnonzero(np.isnan(s.markers[FAMILY].value[own["index"]]))
        ]

    system.update, system.post_newton, system.checks.diagnose = update, store, diagnose
    return system


def build(rows: LocalRows) -> System:
    """Create the system of `RotationCoordinate`."""
    own = rows.columns
    update = call(update_rotations, lambda s: (own, s.markers[FAMILY], s.x, s.v, s.data))
    return create_system(rows, own, update, call(store_angles, lambda s: (own, s.x, s.data)), "body")


def fill_defaults(component: type[Component], world: Tables, values: dict[str, Any]) -> dict[str, Any]:
    """Check the axis of new rows of a type of marker, and create the history values.

    Raises:
        ModelError: an axis has the length 0.
    """
    axis = read_numbers(values.get("axis", (0.0, 0.0, 1.0)))
    if axis is None or axis.shape[-1:] != (3,):
        return values  # if the axis is invalid, the table raises the error
    length = np.sqrt((axis**2).sum(axis=-1))
    for i in np.flatnonzero(np.atleast_1d(length) == 0.0)[:1]:
        row = world.table(component).count + i
        raise ModelError(f"axis = (0, 0, 0) in {component.__name__} row {row}: must have a length > 0 [1]")
    return create_history(world, component, values, START)


def check_start(world: Tables, table: EntityTable, reference: FloatArray, start: FloatArray) -> None:
    """Raise ModelError if the initial rotation reverses the axis, or a row has invalid history values. See
    `describe_rotations` for ``reference`` and ``start``.
    """
    check_history(world, table, len(START))
    a, b = directions(reference, table.local("axis"))
    for k in np.flatnonzero(~(initial_angles(start, a, b)[1] > REVERSED))[:1]:
        raise ModelError(
            f"axis = {table.local('axis')[k]} in {table.kind} row {table.resident[k]} is rotated by 180° from "
            "the reference configuration to the start: must be rotated by less than 180°, otherwise the angle about "
            "the axis is undefined"
        )


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for wrong rows, see `check_start`."""
    dofs = world.numbering.places(world.resident_dofs(table))
    reference = world.numbering.reference[dofs]
    check_start(world, table, reference, reference + world.numbering.displacement[dofs])


def find_places(rows: LocalRows) -> IntArray:
    """Return the indices of the rows in the arrays of the marker family.

    Raises:
        ModelError: no load, connector or constraint refers to a marker. The angle of such a marker is not updated.
    """
    k = rows.own_marker_index()
    for i in np.flatnonzero(k < 0)[:1]:
        raise ModelError(f"no load, connector or constraint refers to {rows.table.describe(int(rows.rows[i]))}")
    return k


def column_output(unit: str, doc: str, name: str) -> Output:
    """Create an output variable from the array ``name`` of the marker family."""
    return Output(unit, doc, lambda rows, s, **where: getattr(s.markers[FAMILY], name)[find_places(rows)])


OUTPUTS = {
    "angle": column_output(
        "rad", "angle about the axis from the reference configuration, not limited to ±π, ()", "value"
    ),
    "rate": column_output("rad/s", "time derivative of the angle, ()", "rate"),
}
register(
    RotationCoordinate,
    "marker",
    family=FAMILY,
    dofs=lambda world, table: world.dofs_of(table.local("node"))[:, 3:],
    bind=bind,
    build=build,
    fill_defaults=partial(fill_defaults, RotationCoordinate),
    check=check,
    outputs=OUTPUTS,
    source="[@nikravesh1988]",
)
