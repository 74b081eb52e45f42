"""First-order differential equations for states, for example of controllers, filters and actuators.

    rates of states: y_t = b + A y + B u + C u_t + f(t, y, u, u_t)
    inputs: values u and rates u_t

The node of the states y is a `state_node`. The states are stored as velocities of coordinates on which no force
depends. See elements/nodes/generic_nodes.py. If an input is a marker on another state, the rate u_t of the input is the
value of this state.

Source: E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, Springer.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from windlass.connectors.control.inputs import (
    InputColumns,
    Inputs,
    add_input_row,
    bind_inputs,
    eval_inputs,
    read_inputs,
)
from windlass.connectors.markers.coordinate_family import CoordinateMarkers, coordinates_of
from windlass.elements.bodies.matrix_columns import (
    NO_LIST,
    bind_state_functions,
    count_entities,
    pack_matrices,
    stack_matrices,
)
from windlass.elements.nodes.generic_nodes import STATES
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.checks.state_functions import StateFunction
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows, Output, Tables, register
from windlass.framework.model.schema import column, function, ref
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


class Matrices(NamedTuple):
    """Matrices of the rows for kernels. The letter w denotes the largest number of states of a node.

    dofs: process-local indices of the coordinates, first of the states, then of the inputs, shape (rows, n).
    size: number of states, shape (rows,).
    inputs: data of the inputs of the rows, which determine u and u_t.
    b: constant rates, shape (rows, w).
    A: factors of states, shape (rows, w, w).
    B, C: factors of the inputs u and of their rates u_t, shape (rows, w, inputs).
    F: rates from the user functions, shape (rows, w).
    Y, P, V: derivatives of F with respect to y, shape (rows, w, w), and with respect to u and u_t, shape (rows, w,
    inputs) each.
    """

    dofs: IntArray
    size: IntArray
    inputs: InputColumns
    b: FloatArray
    A: FloatArray
    B: FloatArray
    C: FloatArray
    F: FloatArray
    Y: FloatArray
    P: FloatArray
    V: FloatArray


@kernel
def eval_rate(c: Matrices, m: CoordinateMarkers, v: FloatArray, i: int, a: int) -> float:
    """Return the rate y_t of state a of row i."""
    total = c.b[i, a] + c.F[i, a]
    for k in range(c.size[i]):
        total += c.A[i, a, k] * v[c.dofs[i, k]]
    for k in range(c.inputs.size[i]):
        j = c.inputs.m[i, k]
        total += c.B[i, a, k] * m.value[j] + c.C[i, a, k] * m.rate[j]
    rate: float = total
    return rate


@kernel
def residual(c: Matrices, m: CoordinateMarkers, v: FloatArray, f: FloatArray) -> None:
    """Subtract the right-hand sides of the equations for the rates y_t of the states from the residual f."""
    for i in range(len(c.dofs)):
        for a in range(c.size[i]):
            f[c.dofs[i, a]] -= eval_rate(c, m, v, i, a)


@kernel
def tangent(c: Matrices, m: CoordinateMarkers, dq: float, dv: float, slots: IntArray, values: FloatArray) -> None:
    """Subtract dq ∂y_t/∂q + dv ∂y_t/∂v from the values of the matrix, with the coordinates q and the velocities v."""
    n = c.dofs.shape[1]
    row = np.zeros(n)
    for i in range(len(c.dofs)):
        for a in range(c.size[i]):
            row[:] = 0.0
            for k in range(c.size[i]):
                row[k] = dv * (c.A[i, a, k] + c.Y[i, a, k])
            add_input_row(c.inputs, m, i, c.B[i, a] + c.P[i, a], c.C[i, a] + c.V[i, a], dq, dv, row)
            for k in range(n):
                values[slots[i, a, k]] -= row[k]


@kernel
def mass(c: Matrices, scale: float, slots: IntArray, values: FloatArray) -> None:
    """Add scale times the identity matrix to the values of the mass matrix, because y_t is treated as an acceleration
    in the equations of motion.
    """
    for i in range(len(c.dofs)):
        for a in range(c.size[i]):
            values[slots[i, a, a]] += scale


def count_states(rows: LocalRows) -> IntArray:
    """Return the number of states of each row, shape (rows,)."""
    count = np.zeros(len(rows.rows), np.int64)
    for nodes, positions, _ in rows.world.split_by_table(rows.local("node")):
        count[positions] = len(nodes.component.dof_names)
    return count


def bind(rows: LocalRows) -> tuple[Matrices, InputColumns, dict[int, StateFunction]]:
    """Create the arrays of matrices and inputs that kernels read, and the user functions of the rows."""
    n, w, count = len(rows.rows), rows.world.ref_width(rows.table, "node"), count_states(rows)
    inputs, ones = bind_inputs(rows, w), np.ones(n, np.int64)
    most = inputs.m.shape[1]
    b = stack_matrices(rows, "constant", count, ones, (w, 1))[:, :, 0].copy()
    A = stack_matrices(rows, "system_matrix", count, count, (w, w))
    B, C = (stack_matrices(rows, name, count, inputs.size, (w, most)) for name in ("input_matrix", "rate_matrix"))
    words = "finite numbers [unit of the states/s], one for each state"
    sizes = [(int(k),) for k in count]
    functions = bind_state_functions(rows, "state_function", "state_derivative", sizes, words)
    shapes = {"F": (n, w), "Y": (n, w, w), "P": (n, w, most), "V": (n, w, most)}
    called = {name: np.zeros(shape) for name, shape in shapes.items()}
    return Matrices(rows.dofs, count, inputs, b, A, B, C, **called), inputs, functions


def read_arguments(c: Matrices, s: Fields, i: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the states y, the inputs u and the rates u_t of row i."""
    return s.v[c.dofs[i, : c.size[i]]], *read_inputs(c.inputs, coordinates_of(s), i)


def build(rows: LocalRows) -> System:
    """Create the system of `GenericODE1`."""
    c, _, functions = rows.columns

    def update(s: Fields) -> None:
        for i, f in functions.items():
            c.F[i, : c.size[i]] = f(s.t, *read_arguments(c, s, i))

    def update_tangent(s: Fields) -> None:
        for i, f in functions.items():
            n, k = c.size[i], c.inputs.size[i]
            c.Y[i, :n, :n], c.P[i, :n, :k], c.V[i, :n, :k] = f.differentiate(s.t, *read_arguments(c, s, i))

    system = System("GenericODE1", rows.dofs)
    before = (update, update_tangent) if functions else (None, None)
    system.residual = call(residual, lambda s: (c, coordinates_of(s), s.v, s.f), before[0])
    system.tangent = call(tangent, lambda s: (c, coordinates_of(s), s.dq, s.dv, s.slots, s.values), before[1])
    system.mass = call(mass, lambda s: (c, s.mass, s.slots, s.values))
    return system


def eval_states(rows: LocalRows, s: Fields) -> FloatArray:
    """Return the states y, shape (rows, w). In rows with fewer than w states, the result is padded with 0."""
    c = rows.columns[0]
    states: FloatArray = s.v[rows.dofs[:, : c.A.shape[1]]] * (np.arange(c.A.shape[1]) < c.size[:, None])
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
