"""Constraint between two coordinates, at position or velocity level, with a constant or time-dependent right-hand side.

    position level: C = x1 - i x0 - offset(t),    Ċ = ẋ1 - i ẋ0 - offset_t(t) for index 2
    velocity level: C = ẋ1 - i ẋ0 - rate(t)
    forces: J1ᵀ λ at coordinate 1, -i J0ᵀ λ at coordinate 0, on the left-hand side
    curvature: λ (H1 - i H0)
    accelerations: J1 q̈1 - i J0 q̈0 = a - (J̇1 q̇1 - i J̇0 q̇0),    a = offset_tt(t), at velocity level a = rate_t(t)
    inactive rows: λ = 0

If coordinate 0 is a first-order state, such as the signal of a motor controller, coordinate 1 follows the state. No
force then acts on the state.

x0 and x1 are displacements from the reference configuration, with ẋ = J q̇ and H = ∂J/∂q. If a marker is a single
coordinate of a node, J = 1 and J̇ = H = 0. The ratio i is 1 for equal coordinates, and -r0/r1 for two external gears
with the radii r0 and r1. If a chain or toothed belt connects two wheels with z0 and z1 teeth, the ratio is z0/z1. For a
rack (coordinate 1) on a pinion (coordinate 0), the ratio is the radius of the pinion.

If the user gives no function for offset_t, this rate is computed from offset(t). The computation is exact for
predefined time functions, and uses difference quotients for other functions
(`windlass.connectors.user_functions.time_functions`).

Source: E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, Springer (constraints and their index).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.markers.coordinate_marker import COORDINATE, FAMILY, CoordinateMarkers, coordinate_marker
from windlass.connectors.markers.coordinate_outputs import coordinate_output, find_states, find_units
from windlass.connectors.markers.pairs import pair_dofs
from windlass.connectors.user_functions.time_functions import (
    TimeColumn,
    bind_functions,
    compare_rates,
    differentiate,
    differentiate_twice,
)
from windlass.framework.arrays import BoolArray, FloatArray, IntArray
from windlass.framework.errors import ModelError
from windlass.framework.kernels.call import Call, call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.drawing import FieldEntries
from windlass.framework.model.law import LocalRows, Output, Tables, register
from windlass.framework.model.schema import Component, column, derived, function, ref
from windlass.framework.model.system import ColumnChanges, ConstraintSystem, Coupling, Evaluation, Fields, System
from windlass.framework.model.table import EntityTable


class CoordinateConstraint(Component):
    """Prescribes the difference of two coordinates or of their velocities, or couples two coordinates by a ratio, such
    as a gear ratio.
    """

    provides = ("joint",)
    marker0 = ref(COORDINATE, "first coordinate x0; if left out, the ground with x0 = 0")
    marker1 = ref(COORDINATE, "second coordinate")
    ratio = column("1", "ratio i of coordinate 1 to coordinate 0 [1, m/rad or rad/m]", default=1.0, switchable=True)
    offset = column("m", "prescribed value of x1 - i x0 [m or rad]", default=0.0, switchable=True)
    offset_function = function("f(t) -> x1 - i x0 [m or rad]; replaces offset", switchable=True)
    offset_rate_function = function("f(t) -> time derivative of offset_function [m/s or rad/s]", switchable=True)
    velocity_level = column(
        "1", "true: the constraint prescribes the velocity x1_t - i x0_t", dtype=bool, default=False
    )
    rate = column("m/s", "prescribed velocity x1_t - i x0_t [m/s or rad/s]", default=0.0, switchable=True)
    rate_function = function("f(t) -> x1_t - i x0_t [m/s or rad/s]; replaces rate", switchable=True)
    active = column("1", "the constraint acts only if true", dtype=bool, default=True, switchable=True)
    multiplier = derived("1", "process-local index of the multiplier")
    back = derived("1", "factor of the force on coordinate 0: the ratio i, or 0 if coordinate 0 is a first-order state")


class RightHandSides(NamedTuple):
    """Right-hand sides of the constraint equations as functions of time, with values of the shape (rows,)."""

    offset: TimeColumn  # value of x1 - i x0 for rows at position level
    rate: TimeColumn  # value of ẋ1 - i ẋ0 for rows at velocity level, 0 for other rows
    rate_level: TimeColumn  # value of ẋ1 - i ẋ0 for all rows; for rows at position level it is offset_t
    acceleration: TimeColumn  # value of ẍ1 - i ẍ0


@kernel
def residual(
    rows: Any,
    dofs: IntArray,
    n0: int,
    m: CoordinateMarkers,
    lam: FloatArray,
    offset: FloatArray,
    rate: FloatArray,
    rate_level: bool,
    C: FloatArray,
    f: FloatArray,
) -> None:
    """Add the values of the constraint equations to C, and the forces C_qᵀ λ to f. If ``rate_level`` is true, ``rate``
    contains offset_t of rows at position level.

    The first n0 coordinates of a row are the coordinates of marker 0.
    """
    n = dofs.shape[1]
    for i in range(len(rows)):
        row = rows[i]
        k, m0, m1, ratio = row.multiplier, row.marker0, row.marker1, row.ratio
        if not row.active:
            C[k] += lam[k]
            continue
        if rate_level or row.velocity_level:
            C[k] += m.rate[m1] - ratio * m.rate[m0] - rate[i]
        else:
            C[k] += m.value[m1] - ratio * m.value[m0] - offset[i]
        for a in range(n0):
            f[dofs[i, a]] -= row.back * m.jacobian[m0, a] * lam[k]
        for a in range(n - n0):
            f[dofs[i, n0 + a]] += m.jacobian[m1, a] * lam[k]


@kernel
def tangent(
    rows: Any,
    n0: int,
    m: CoordinateMarkers,
    lam: FloatArray,
    rate_level: bool,
    dq: float,
    dv: float,
    slots: Coupling,
    values: FloatArray,
) -> None:
    """Add the derivatives of C and of C_qᵀ λ to the values of the matrix, multiplied by the scalar factors dq
    (derivatives with respect to positions), dv (with respect to velocities) and ``slots.scale`` (with respect to λ).
    """
    scale, n = slots.scale, slots.block.shape[1]
    for i in range(len(rows)):
        row = rows[i]
        if not row.active:
            values[slots.diagonal[i, 0]] += scale
            continue
        by_rate = rate_level or row.velocity_level
        for marker in range(2):
            k, begin, end, share = (row.marker0, 0, n0, -row.ratio) if marker == 0 else (row.marker1, n0, n, 1.0)
            back = -row.back if marker == 0 else 1.0
            for a in range(end - begin):
                J, Jd = share * m.jacobian[k, a], share * m.jacobian_rate[k, a]
                values[slots.rows[i, 0, begin + a]] += dv * J + dq * Jd if by_rate else dq * J
                values[slots.columns[i, begin + a, 0]] += scale * (back * m.jacobian[k, a])
            h = m.second[k]
            if h >= 0:
                force = dq * back * lam[row.multiplier]
                for a in range(end - begin):
                    for b in range(end - begin):
                        values[slots.block[i, begin + a, begin + b]] += force * m.hessian[h, a, b]


@kernel
def add_accelerations(
    rows: Any, dofs: IntArray, n0: int, m: CoordinateMarkers, v: FloatArray, rhs: FloatArray, C: FloatArray
) -> None:
    """Add the right-hand side of the acceleration equations to C. The right-hand side of inactive rows is 0."""
    n = dofs.shape[1]
    for i in range(len(rows)):
        row = rows[i]
        if not row.active:
            continue
        total = rhs[i]
        for a in range(n0):
            total += row.ratio * m.jacobian_rate[row.marker0, a] * v[dofs[i, a]]
        for a in range(n - n0):
            total -= m.jacobian_rate[row.marker1, a] * v[dofs[i, n0 + a]]
        C[row.multiplier] += total


def bind_times(rows: LocalRows) -> RightHandSides:
    """Create the right-hand sides of the rows as functions of time."""
    fast = rows.local("velocity_level")
    constant_rate = np.where(fast, rows.local("rate"), 0.0)
    offsets, rates = (bind_functions(rows, name, f"{name}_function") for name in ("offset", "rate"))
    given = bind_functions(rows, "rate", "offset_rate_function")
    given = compare_rates(rows, "offset_function", "offset_rate_function", offsets, given)
    # rate functions given by the user: ``rate_function`` of rows at velocity level, ``offset_rate_function`` of rows at
    # position level
    known = [rate if level else found for level, rate, found in zip(fast, rates, given, strict=True)]
    pairs = list(zip(fast, offsets, known, strict=True))
    all_rates = [differentiate(f) if g is None and not level else g for level, f, g in pairs]
    accelerations = [differentiate_twice(f) if g is None and not level else differentiate(g) for level, f, g in pairs]
    return RightHandSides(
        offset=TimeColumn(rows.local("offset"), offsets),
        rate=TimeColumn(constant_rate, rates),
        rate_level=TimeColumn(constant_rate, all_rates),
        acceleration=TimeColumn(np.zeros(len(fast)), accelerations),
    )


def bind(rows: LocalRows) -> tuple[NDArray[Any], RightHandSides]:
    """Create the records of the rows, and the right-hand sides of the rows."""
    back = np.where(find_states(rows.world, rows.local("marker0")), 0.0, rows.local("ratio"))
    multiplier = rows.layout.multipliers(rows.table, rows.rows)[:, 0]
    return rows.pack({"multiplier": multiplier, "back": back}), bind_times(rows)


def build(rows: LocalRows) -> System:
    """Create the system of `CoordinateConstraint`."""
    own, times = rows.columns
    dofs, n0 = rows.dofs, rows.world.ref_width(rows.table, "marker0")

    def update_called(s: Evaluation) -> None:
        times.offset.update(s)
        (times.rate_level if s.rate_level else times.rate).update(s)

    columns = times.offset, times.rate, times.rate_level
    called = Call(at_time=(update_called,)) if any(column.is_called for column in columns) else Call()
    system = System("CoordinateConstraint", rows.dofs)
    system.constraint = ConstraintSystem(
        own["multiplier"][:, None].copy(),
        called
        + times.offset.ready
        + times.rate.ready
        + times.rate_level.ready
        + call(
            residual,
            lambda s: (
                own,
                dofs,
                n0,
                s.markers[FAMILY],
                s.lam,
                times.offset.values,
                times.rate_level.values if s.rate_level else times.rate.values,
                s.rate_level,
                s.C,
                s.f,
            ),
        ),
        call(tangent, lambda s: (own, n0, s.markers[FAMILY], s.lam, s.rate_level, s.dq, s.dv, s.coupling, s.values)),
        times.acceleration.fill
        + call(add_accelerations, lambda s: (own, dofs, n0, s.markers[FAMILY], s.v, times.acceleration.values, s.C)),
        driven=find_driven(rows),
    )
    system.changes = ColumnChanges(copy=partial(change_offset, rows, (own, times)), steady=frozenset({"offset"}))
    return system


def change_offset(rows: LocalRows, columns: tuple[NDArray[Any], RightHandSides], names: Sequence[str]) -> bool:
    """Copy the present offsets to the columns of a system. If other columns have changed, return False."""
    if set(names) != {"offset"}:
        return False
    columns[0]["offset"] = offsets = rows.local("offset")
    columns[1].offset.change(offsets)
    rows.keep(columns)
    return True


def find_driven(rows: LocalRows) -> BoolArray:
    """Return whether each row prescribes a motion by a function of time, a constant rate or a first-order state, shape
    (rows,).
    """
    moves: BoolArray = (rows.local("rate") != 0.0) | find_states(rows.world, rows.local("marker0"))
    for name in ("offset_function", "rate_function"):
        moves |= np.array([f is not None for f in rows.local(name)], dtype=bool)
    return moves


def fill_defaults(world: Tables, values: dict[str, Any]) -> dict[str, Any]:
    """Insert a marker on the ground as marker 0 if the user gave no marker 0."""
    if values.get("marker0") is None:
        values["marker0"] = coordinate_marker(world, None)
    return values


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for values that are not allowed at the level of a row: values for the position level at velocity
    level, or values for the velocity level at position level. Also raise ModelError if a rate function is given without
    an offset function. Without this error, these values would be ignored without a message.
    """
    fast = table.local("velocity_level")
    given = {name: table.local(name) != 0.0 for name in ("offset", "rate")}
    for name in ("offset_function", "offset_rate_function", "rate_function"):
        given[name] = np.array([f is not None for f in table.local(name)], dtype=bool)
    levels = [(fast, "offset", "velocity_level = True"), (~fast, "rate", "velocity_level = False")]
    for chosen, prefix, words in levels:
        for name, values in given.items():
            for row in table.resident[chosen & values & name.startswith(prefix)][:1]:
                raise ModelError(f"{name} of {table.kind} row {row} has no effect with {words}: must be left out")
    alone = given["offset_rate_function"] & ~given["offset_function"]
    for row in table.resident[alone][:1]:
        raise ModelError(
            f"offset_rate_function of {table.kind} row {row} is given without an offset_function: must be given "
            "together"
        )


def eval_gap(rows: LocalRows, s: Fields) -> FloatArray:
    """Return the value C of each row, shape (rows,). The value is x1 - i x0 - offset [m or rad], or ẋ1 - i ẋ0 - rate
    [m/s or rad/s] at velocity level. For inactive rows the value is 0.
    """
    m, (own, times) = s.markers[FAMILY], rows.columns
    m0, m1, ratio = own["marker0"], own["marker1"], own["ratio"]
    position = m.value[m1] - ratio * m.value[m0] - times.offset(s.t)
    velocity = m.rate[m1] - ratio * m.rate[m0] - times.rate(s.t)
    gap: FloatArray = np.where(own["velocity_level"], velocity, position) * own["active"]
    return gap


GAP = coordinate_output("m", "C [m or rad; m/s or rad/s at velocity level], ()", eval_gap)


def find_gap_units(rows: LocalRows) -> list[str]:
    """Return the unit of the gap of each row."""
    assert GAP.units_of is not None
    rates = rows.local("velocity_level")
    return [unit + "/s" * bool(rate) for unit, rate in zip(GAP.units_of(rows), rates, strict=True)]


register(
    CoordinateConstraint,
    "constraint",
    multipliers=1,
    dofs=pair_dofs,
    bind=bind,
    build=build,
    fill_defaults=fill_defaults,
    check=check,
    outputs={
        "force": Output.of_entries(
            "N",
            "multiplier λ [N or N m], (); the force on coordinate 1 is -λ",
            lambda rows: FieldEntries("lam", rows.columns[0]["multiplier"], factor=rows.columns[0]["active"]),
            units_of=find_units("N"),
        ),
        "gap": replace(GAP, units_of=find_gap_units),
    },
    source="[@hairer]",
)
