"""Load on a coordinate that depends on inputs: the action of a controller, a brake or a motor on measured quantities.

    F = value + G·u + R·u_t + f(t, u, u_t)          u, u_t: values and rates of the inputs
    load Jᵀ F, ∂load = F H + Jᵀ (∂F/∂u J_u + ∂F/∂u_t J̇_u) by q, Jᵀ ∂F/∂u_t J_u by v

The tangent has the entries of the inputs' coordinates, so that Newton's method finds force and motion together.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.connectors.control.inputs import Inputs, add_input_row, bind_inputs, eval_inputs, read_inputs
from windlass.connectors.markers.coordinate_columns import FAMILY, CoordinateColumns
from windlass.connectors.markers.coordinate_outputs import coordinate_output
from windlass.connectors.markers.pairs import bind_letters
from windlass.elements.bodies.matrix_columns import NO_LIST, bind_state_functions, stack_matrices
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.checks.state_functions import StateFunction
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows, Output, register
from windlass.framework.model.schema import column, function, ref
from windlass.framework.model.system import Fields, System, Term


class StateLoad(Inputs):
    """A force or torque on a coordinate that depends on time and on the motion of other coordinates."""

    marker = ref(FAMILY, "the coordinate that the load acts on")
    value = column("N", "constant part [N; N m for rotations]", default=0.0, switchable=True)
    gains = column("N/m", "G, load per value of each input [N or N m per its unit]", shape=None, default=NO_LIST)
    rate_gains = column("N s/m", "R, load per rate of each input", shape=None, default=NO_LIST)
    load_function = function(
        "f(t, u, u_t) -> load [N or N m], with values u and rates u_t of the inputs, shape (inputs,) each",
        switchable=True,
    )
    load_derivative = function(
        "the same arguments -> (df/du, df/du_t), shape (inputs,) each; by central differences if left out",
        switchable=True,
    )
    active = column("1", "acts only if true", dtype=bool, default=True, switchable=True)


@kernel
def eval_load(c: Any, m: CoordinateColumns, i: int) -> float:
    """F of row i [N or N m]."""
    total = c.value[i] + c.F[i]
    for k in range(c.inputs.size[i]):
        j = c.inputs.m[i, k]
        total += c.G[i, k] * m.value[j] + c.R[i, k] * m.rate[j]
    F: float = total
    return F


@kernel
def load(c: Any, m: CoordinateColumns, f: FloatArray) -> None:
    """f += Jᵀ F."""
    for i in range(len(c.m0)):
        if c.on[i]:
            F = eval_load(c, m, i)
            for a in range(c.n0):
                f[c.dofs[i, a]] += m.J[c.m0[i], a] * F


@kernel
def load_tangent(c: Any, m: CoordinateColumns, dq: float, dv: float, slots: IntArray, values: FloatArray) -> None:
    """values += dq ∂load/∂q + dv ∂load/∂v."""
    n = c.dofs.shape[1]
    B = np.zeros(n)
    for i in range(len(c.m0)):
        if not c.on[i]:
            continue
        B[:] = 0.0
        add_input_row(c.inputs, m, i, c.P[i] + c.G[i], c.V[i] + c.R[i], dq, dv, B)
        h = m.h[c.m0[i]]
        F = eval_load(c, m, i)
        for a in range(c.n0):
            for b in range(n):
                values[slots[i, a, b]] += m.J[c.m0[i], a] * B[b]
            if h >= 0:
                for b in range(c.n0):
                    values[slots[i, a, b]] += dq * F * m.H[h, a, b]


def bind(rows: LocalRows) -> tuple[Any, dict[int, StateFunction]]:
    """Data of the rows for the kernels, and their functions.

    dofs (rows, n) local numbers, first the n0 numbers of the marker.  G and R (rows, inputs).  F: loads of the
    functions (rows,); P, V: their derivatives with respect to u and u_t (rows, inputs).
    """
    n, n0 = len(rows.rows), rows.world.ref_width(rows.table, "marker")
    inputs = bind_inputs(rows, n0)
    ones, most = np.ones(n, np.int64), inputs.m.shape[1]
    G, R = (stack_matrices(rows, name, ones, inputs.size, (1, most))[:, 0] for name in ("gains", "rate_gains"))
    functions = bind_state_functions(rows, "load_function", "load_derivative", [()] * n, "one finite number [N or N m]")
    c = bind_letters(
        rows, {"on": "active", "value": "value"}, m0=rows.markers("marker"), dofs=rows.dofs, n0=n0, inputs=inputs,
        G=G.copy(), R=R.copy(), F=np.zeros(n), P=np.zeros((n, most)), V=np.zeros((n, most)),
    )  # fmt: skip
    return c, functions


def build(rows: LocalRows) -> System:
    """The system of `StateLoad`."""
    c, functions = rows.columns

    def update(s: Fields) -> None:
        update_loads(c, functions, s)

    def update_tangent(s: Fields) -> None:
        update(s)
        for i, f in functions.items():
            k = c.inputs.size[i]
            c.P[i, :k], c.V[i, :k] = f.differentiate(s.t, *read_inputs(c.inputs, s.markers[FAMILY], i))

    system = System("StateLoad", rows.dofs)
    before = (update, update_tangent) if functions else (None, None)
    system.load = Term(
        call(load, lambda s: (c, s.markers[FAMILY], s.f), before[0]),
        call(load_tangent, lambda s: (c, s.markers[FAMILY], s.dq, s.dv, s.slots, s.values), before[1]),
    )
    return system


def update_loads(c: Any, functions: dict[int, StateFunction], s: Fields) -> None:
    """Evaluate the functions at the inputs in the fields."""
    for i, f in functions.items():
        c.F[i] = f(s.t, *read_inputs(c.inputs, s.markers[FAMILY], i))


def eval_force(rows: LocalRows, s: Fields) -> FloatArray:
    """F without the load factor [N or N m], shape (rows,); 0 where inactive."""
    c, functions = rows.columns
    update_loads(c, functions, s)
    m = s.markers[FAMILY]
    F: FloatArray = np.array([eval_load(c, m, i) for i in range(len(c.m0))]) * c.on
    return F


register(
    StateLoad,
    "load",
    dofs=("marker", "inputs"),
    bind=bind,
    build=build,
    outputs={
        "force": coordinate_output("N", "applied load without the load factor [N or N m], ()", eval_force, ("marker",)),
        "inputs": Output("1", "values u of the inputs [their units], 0 beyond them, (inputs,)", eval_inputs),
    },
    source="[@shabana], generalised forces",
)
