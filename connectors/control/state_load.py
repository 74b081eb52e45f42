"""Load on a coordinate that depends on inputs, which are measured quantities. Such loads are the forces of controllers,
brakes or motors.

    load: F = value + G·u + R·u_t + f(t, u, u_t) with values u and rates u_t of inputs; Jᵀ F acts on the coordinate
    derivative of Jᵀ F with respect to q: F H + Jᵀ (∂F/∂u J_u + ∂F/∂u_t J̇_u)
    derivative of Jᵀ F with respect to v: Jᵀ ∂F/∂u_t J_u

J and H are the first and the second derivative of the coordinate with respect to q. J_u and J̇_u are the derivatives of
u and u_t of the inputs with respect to q. The tangent contains the derivatives with respect to the coordinates of the
inputs. Therefore Newton's method solves for force and motion together.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.control.inputs import (
    Inputs,
    add_input_row,
    bind_inputs,
    eval_inputs,
    read_inputs,
)
from windlass.connectors.markers.coordinate_family import FAMILY, CoordinateMarkers
from windlass.connectors.markers.coordinate_outputs import coordinate_output
from windlass.elements.bodies.matrix_columns import NO_LIST, bind_state_functions, pool_matrices, view_matrix
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.checks.state_functions import StateFunction
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows, Output, register
from windlass.framework.model.schema import column, derived, function, ref
from windlass.framework.model.system import Fields, System, Term


class StateLoad(Inputs):
    """A force or torque on a coordinate. The force depends on time and on the motion of any coordinates."""

    marker = ref(FAMILY, "coordinate on which the load acts")
    value = column("N", "constant part of the load [N; N m for rotations]", default=0.0, switchable=True)
    gains = column(
        "N/m", "factors G: load per value of each input [N or N m per unit of the input]", shape=None, default=NO_LIST
    )
    rate_gains = column("N s/m", "factors R: load per rate of each input", shape=None, default=NO_LIST)
    load_function = function(
        "f(t, u, u_t) -> load [N or N m], with the values u and the rates u_t of the inputs, shape (inputs,) each",
        switchable=True,
    )
    load_derivative = function(
        "f(t, u, u_t) -> (df/du, df/du_t), shape (inputs,) each; if left out, these are central differences",
        switchable=True,
    )
    active = column("1", "the load acts only if true", dtype=bool, default=True, switchable=True)
    called = derived("N", "load from the user function [N or N m]")
    by_inputs = derived(
        "1", "place of the derivatives of this load with respect to the values of the k inputs, shape (k,)"
    )
    by_rates = derived("1", "place of the derivatives of this load with respect to the rates of the inputs, shape (k,)")


@kernel
def eval_load(row: Any, inputs: IntArray, gains: FloatArray, m: CoordinateMarkers) -> float:
    """Evaluate the load F [N or N m] of a row."""
    total = row.value + row.called
    for k in range(row.input_count):
        j = inputs[row.first_input + k]
        total += gains[row.gains + k] * m.value[j] + gains[row.rate_gains + k] * m.rate[j]
    F: float = total
    return F


@kernel
def load(rows: Any, inputs: IntArray, gains: FloatArray, m: CoordinateMarkers, dofs: IntArray, f: FloatArray) -> None:
    """Add the generalised force Jᵀ F of the load F to f."""
    for i in range(len(rows)):
        row = rows[i]
        if row.active:
            F = eval_load(row, inputs, gains, m)
            for a in range(row.input_dofs):
                f[dofs[i, a]] += m.jacobian[row.marker, a] * F


@kernel
def load_tangent(
    rows: Any, inputs: IntArray, gains: FloatArray, m: CoordinateMarkers, dq: float, dv: float, slots: IntArray,
    values: FloatArray,
) -> None:  # fmt: skip
    """Add dq ∂(Jᵀ F)/∂q + dv ∂(Jᵀ F)/∂v to the values of the matrix."""
    n = slots.shape[1]
    B, P, V = np.zeros(n), np.zeros(len(inputs)), np.zeros(len(inputs))
    for i in range(len(rows)):
        row = rows[i]
        if not row.active:
            continue
        B[:] = 0.0
        for k in range(row.input_count):
            P[k] = gains[row.by_inputs + k] + gains[row.gains + k]
            V[k] = gains[row.by_rates + k] + gains[row.rate_gains + k]
        add_input_row(row, inputs, m, P, V, dq, dv, B)
        h = m.second[row.marker]
        F = eval_load(row, inputs, gains, m)
        for a in range(row.input_dofs):
            for b in range(n):
                values[slots[i, a, b]] += m.jacobian[row.marker, a] * B[b]
            if h >= 0:
                for b in range(row.input_dofs):
                    values[slots[i, a, b]] += dq * F * m.hessian[h, a, b]


def bind(rows: LocalRows) -> tuple[NDArray[Any], IntArray, FloatArray, dict[int, StateFunction]]:
    """Create the records of the rows, the coordinate markers of their inputs, the array of their gains, and the user
    functions.

    A record also contains the positions of ``gains`` and ``rate_gains`` in the array. The coordinates of the inputs
    follow the coordinates of the marker.
    """
    n = len(rows.rows)
    own, inputs = bind_inputs(rows, rows.world.ref_width(rows.table, "marker"))
    shape = np.ones(n, np.int64), own["input_count"]
    places, gains = pool_matrices(rows, dict.fromkeys(("gains", "rate_gains", "by_inputs", "by_rates"), shape))
    functions = bind_state_functions(rows, "load_function", "load_derivative", [()] * n, "one finite number [N or N m]")
    return rows.pack(own | places | {"called": np.zeros(n)}), inputs, gains, functions


def build(rows: LocalRows) -> System:
    """Create the system of `StateLoad`."""
    own, inputs, gains, functions = rows.columns

    def update(s: Fields) -> None:
        update_loads(rows, s)

    def update_tangent(s: Fields) -> None:
        update(s)
        for i, f in functions.items():
            found = f.differentiate(s.t, *read_inputs(own, inputs, s.markers[FAMILY], i))
            for name, values in zip(("by_inputs", "by_rates"), found, strict=True):
                view_matrix(gains, own[name][i], 1, own["input_count"][i])[:] = values

    system = System("StateLoad", rows.dofs)
    before = (update, update_tangent) if functions else (None, None)
    system.load = Term(
        call(load, lambda s: (own, inputs, gains, s.markers[FAMILY], rows.dofs, s.f), before[0]),
        call(
            load_tangent,
            lambda s: (own, inputs, gains, s.markers[FAMILY], s.dq, s.dv, s.slots, s.values),
            before[1],
        ),
    )
    return system


def update_loads(rows: LocalRows, s: Fields) -> None:
    """Evaluate the user functions for the current values of the inputs, and store the results in ``called``."""
    own, inputs, _, functions = rows.columns
    for i, f in functions.items():
        own["called"][i] = f(s.t, *read_inputs(own, inputs, s.markers[FAMILY], i))


def eval_force(rows: LocalRows, s: Fields) -> FloatArray:
    """Return the load F [N or N m] without the load factor, shape (rows,). The load is 0 for inactive rows."""
    update_loads(rows, s)
    own, inputs, gains, _ = rows.columns
    m = s.markers[FAMILY]
    F: FloatArray = np.array([eval_load(row, inputs, gains, m) for row in own]) * own["active"]
    return F


register(
    StateLoad,
    "load",
    dofs=("marker", "inputs"),
    bind=bind,
    build=build,
    outputs={
        "force": coordinate_output("N", "applied load without the load factor [N or N m], ()", eval_force, ("marker",)),
        "inputs": Output(
            "1", "values u of the inputs [unit of each input], (inputs,); 0 for missing inputs", eval_inputs
        ),
    },
    source="[@shabana], generalised forces",
)
