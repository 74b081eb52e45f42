"""First-order differential equations for states, for example of controllers, filters and actuators.

    rates of states: y_t = b + A y + B u + C u_t + f(t, y, u, u_t)
    inputs: values u and rates u_t

The node of the states y is a `state_node`. The states are stored as velocities of coordinates on which no force
depends. See elements/nodes/generic_nodes.py. If an input is a marker on another state, the rate u_t of the input is the
value of this state.

Source: E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, Springer.
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
)
from windlass.connectors.markers.coordinate_family import CoordinateMarkers, coordinates_of
from windlass.elements.bodies.matrix_columns import (
    NO_LIST,
    bind_state_functions,
    count_entities,
    pack_matrices,
    pool_matrices,
    read_matrix,
    view_matrix,
)
from windlass.elements.nodes.generic_nodes import STATES
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.checks.state_functions import StateFunction
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows, Output, Tables, register
from windlass.framework.model.schema import column, derived, function, ref
from windlass.framework.model.system import Fields, System


class GenericODE1(Inputs):
    """Defines the rates of the states of a node. The rates are linear functions of states and inputs, the result of a
    user function, or the sum of both.

    Matrices are 2D arrays or lists of rows. An empty list means 0.
    """

    node = ref(STATES, "node of the n states")
    constant = column("1/s", "constant rates b, shape (n,) [unit of the states/s]", shape=None, default=NO_LIST)
    system_matrix = column("1/s", "system matrix A, shape (n, n)", shape=None, default=NO_LIST)
    input_matrix = column("1/s", "input matrix B, shape (n, inputs)", shape=None, default=NO_LIST)
    rate_matrix = column("1", "matrix C for the rates of the inputs, shape (n, inputs)", shape=None, default=NO_LIST)
    state_function = function(
        "f(t, y, u, u_t) -> rates, shape (n,), with the states y, and the values u and the rates u_t of the inputs",
        switchable=True,
    )
    state_derivative = function(
        "f(t, y, u, u_t) -> (df/dy, df/du, df/du_t), shapes (n, n), (n, inputs), (n, inputs); if left out, "
        "these are central differences",
        switchable=True,
    )
    state_count = derived("1", "number of states n")
    called = derived("1", "place of the rates of the user function in the array of matrices, shape (n, 1)")
    by_states = derived("1", "place of the derivatives of these rates with respect to the states, shape (n, n)")
    by_inputs = derived("1", "place of their derivatives with respect to the values of k inputs, shape (n, k)")
    by_rates = derived("1", "place of their derivatives with respect to the rates of the inputs, shape (n, k)")


@kernel
def eval_rate(
    row: Any, dofs: IntArray, inputs: IntArray, matrices: FloatArray, m: CoordinateMarkers, v: FloatArray, a: int
) -> float:
    """Return the rate y_t of state a of a row. The first coordinates of the row are its states, and `bind` describes
    the matrices.
    """
    n, count = row.state_count, row.input_count
    A = read_matrix(matrices, row.system_matrix, n, n)
    B, C = read_matrix(matrices, row.input_matrix, n, count), read_matrix(matrices, row.rate_matrix, n, count)
    total = matrices[row.constant + a] + matrices[row.called + a]
    for k in range(n):
        total += A[a, k] * v[dofs[k]]
    for k in range(count):
        j = inputs[row.first_input + k]
        total += B[a, k] * m.value[j] + C[a, k] * m.rate[j]
    rate: float = total
    return rate


@kernel
def residual(
    rows: Any, dofs: IntArray, inputs: IntArray, matrices: FloatArray, m: CoordinateMarkers, v: FloatArray,
    f: FloatArray,
) -> None:  # fmt: skip
    """Subtract the right-hand sides of the equations for the rates y_t of the states from the residual f."""
    for i in range(len(rows)):
        for a in range(rows[i].state_count):
            f[dofs[i, a]] -= eval_rate(rows[i], dofs[i], inputs, matrices, m, v, a)


@kernel
def tangent(
    rows: Any, inputs: IntArray, matrices: FloatArray, m: CoordinateMarkers, dq: float, dv: float, slots: IntArray,
    values: FloatArray,
) -> None:  # fmt: skip
    """Subtract dq ∂y_t/∂q + dv ∂y_t/∂v from the values of the matrix, with the coordinates q and the velocities v."""
    width = slots.shape[1]
    change, P, V = np.zeros(width), np.zeros(len(inputs)), np.zeros(len(inputs))
    for i in range(len(rows)):
        row = rows[i]
        n, count = row.state_count, row.input_count
        A, Y = read_matrix(matrices, row.system_matrix, n, n), read_matrix(matrices, row.by_states, n, n)
        B, by_u = read_matrix(matrices, row.input_matrix, n, count), read_matrix(matrices, row.by_inputs, n, count)
        C, by_ut = read_matrix(matrices, row.rate_matrix, n, count), read_matrix(matrices, row.by_rates, n, count)
        for a in range(n):
            change[:] = 0.0
            for k in range(n):
                change[k] = dv * (A[a, k] + Y[a, k])
            for k in range(count):
                P[k], V[k] = B[a, k] + by_u[a, k], C[a, k] + by_ut[a, k]
            add_input_row(row, inputs, m, P, V, dq, dv, change)
            for k in range(width):
                values[slots[i, a, k]] -= change[k]


@kernel
def mass(rows: Any, scale: float, slots: IntArray, values: FloatArray) -> None:
    """Add scale times the identity matrix to the values of the mass matrix, because y_t is treated as an acceleration
    in the equations of motion.
    """
    for i in range(len(rows)):
        for a in range(rows[i].state_count):
            values[slots[i, a, a]] += scale


def count_states(rows: LocalRows) -> IntArray:
    """Return the number of states of each row, shape (rows,)."""
    count = np.zeros(len(rows.rows), np.int64)
    for nodes, positions, _ in rows.world.split_by_table(rows.local("node")):
        count[positions] = len(nodes.component.dof_names)
    return count


def bind(rows: LocalRows) -> tuple[NDArray[Any], IntArray, FloatArray, dict[int, StateFunction]]:
    """Create the records of the rows, the coordinate markers of their inputs, the array of their matrices, and the user
    functions.

    A record contains the positions of its matrices in the array, see `pool_matrices`. These matrices are the results of
    the user function, and for n states and k inputs ``constant``, shape (n, 1), ``system_matrix``, shape (n, n), and
    ``input_matrix`` and ``rate_matrix``, shape (n, k) each.
    """
    count = count_states(rows)
    own, inputs = bind_inputs(rows, rows.world.ref_width(rows.table, "node"))
    ones, k = np.ones(len(count), np.int64), own["input_count"]
    shapes = {"constant": (count, ones), "system_matrix": (count, count), "input_matrix": (count, k)}
    shapes |= {"rate_matrix": (count, k), "called": (count, ones), "by_states": (count, count)}
    places, matrices = pool_matrices(rows, shapes | {"by_inputs": (count, k), "by_rates": (count, k)})
    words = "finite numbers [unit of the states/s], one for each state"
    sizes = [(int(n),) for n in count]
    functions = bind_state_functions(rows, "state_function", "state_derivative", sizes, words)
    return rows.pack(own | places | {"state_count": count}), inputs, matrices, functions


def build(rows: LocalRows) -> System:
    """Create the system of `GenericODE1`."""
    own, inputs, matrices, functions = rows.columns
    # user function, indices of the states and of the inputs, and rates of each row with a user function
    calls: list[tuple[int, StateFunction, IntArray, IntArray, FloatArray]] = []
    for i, f in functions.items():
        n, first, count = own["state_count"][i], own["first_input"][i], own["input_count"][i]
        rates = view_matrix(matrices, own["called"][i], n, 1)[:, 0]
        calls.append((i, f, rows.dofs[i, :n].copy(), inputs[first : first + count].copy(), rates))

    none = np.zeros(0), np.zeros(0)

    def update(s: Fields) -> None:
        t, m = s.t, coordinates_of(s)
        for _, f, states, which, rates in calls:
            given = (m.value[which], m.rate[which]) if len(which) else none
            rates[:] = f(t, s.v[states], *given)

    def update_tangent(s: Fields) -> None:
        t, m = s.t, coordinates_of(s)
        for i, f, states, which, _ in calls:
            n, k = len(states), len(which)
            found = f.differentiate(t, s.v[states], m.value[which], m.rate[which])
            for name, width, values in zip(("by_states", "by_inputs", "by_rates"), (n, k, k), found, strict=True):
                view_matrix(matrices, own[name][i], n, width)[:] = values

    system = System("GenericODE1", rows.dofs)
    before = (update, update_tangent) if functions else (None, None)
    system.residual = call(
        residual, lambda s: (own, rows.dofs, inputs, matrices, coordinates_of(s), s.v, s.f), before[0]
    )
    system.tangent = call(
        tangent, lambda s: (own, inputs, matrices, coordinates_of(s), s.dq, s.dv, s.slots, s.values), before[1]
    )
    system.mass = call(mass, lambda s: (own, s.mass, s.slots, s.values))
    return system


def eval_states(rows: LocalRows, s: Fields) -> FloatArray:
    """Return the states y, shape (rows, w). In rows with fewer than w states, the result is padded with 0."""
    size, w = rows.columns[0]["state_count"], rows.world.ref_width(rows.table, "node")
    states: FloatArray = s.v[rows.dofs[:, :w]] * (np.arange(w) < size[:, None])
    return states


def fill_defaults(world: Tables, values: dict[str, Any]) -> dict[str, Any]:
    """Convert the matrices of the user to lists, which the table stores."""
    return pack_matrices(values, count_entities(values.get("node")), "system_matrix", "input_matrix", "rate_matrix")


register(
    GenericODE1,
    "connector",
    dofs=("node", "inputs"),
    bind=bind,
    build=build,
    fill_defaults=fill_defaults,
    outputs={
        "states": Output("1", "states y [unit of each state], (n,)", eval_states),
        "inputs": Output(
            "1", "values u of the inputs [unit of each input], (inputs,); 0 for missing inputs", eval_inputs
        ),
    },
    source="[@hairer]",
)
