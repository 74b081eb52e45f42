"""Hydraulic cylinder between two points. The pressures of the two chambers are first-order states (states with given
rates).

    geometry: L = |u|,    u = p1 - p0,    e = u/L
    stroke: s = L - L_o, with the rate s_t
    force: N = -p_0 A_0 + p_1 A_1 + d s_t; N e on point 1, -N e on point 0, on the left-hand side
    pressures: p_0,t = G_0 (-A_0 s_t + Q_0),    p_1,t = G_1 (A_1 s_t + Q_1)
    inflow: Q_k = a_k Q_n w(p_s - p_k) for a_k >= 0
    outflow: Q_k = a_k Q_n w(p_k - p_t) for a_k < 0
    stiffness: 1/G_k = V_k/K_oil + (V_k - V_h,k)/K_cyl + V_h,k/K_hose
    volumes: V_0 = V_h,0 + A_0 s,    V_1 = V_h,1 + A_1 (L_s - s)
    constant volumes: G_k = K_oil/V_h,k

w(x) = sign(x) √|x|. For |x| < 1 Pa, w(x) = x, because the square root has an infinite slope at 0. The columns of
`HydraulicActuator` define the other symbols. The opening a_k of a valve is the value of the column ``valve_opening0``
or ``valve_opening1``, plus the result of ``valve_function`` if this function is given. The equation for p_k is
multiplied by A_k. Therefore its residual has the unit of a force.

Source: the item ObjectConnectorHydraulicActuatorSimple of Exudyn 1.9 and its documentation. The pressures computed by
Exudyn and by this law agree.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.control.inputs import Inputs, add_input_row, bind_inputs, read_inputs
from windlass.connectors.markers.coordinate_family import CoordinateMarkers, coordinates_of
from windlass.connectors.markers.pair_laws import difference_positions, draw_lines, eval_distance
from windlass.connectors.markers.pairs import Pair, bind_pair, pair_dofs, subtract
from windlass.connectors.markers.position_kernels import FAMILY, PositionMarkers, add_curvature
from windlass.connectors.markers.position_markers import POSITION
from windlass.elements.bodies.matrix_columns import bind_state_functions
from windlass.elements.nodes.generic_nodes import STATES
from windlass.framework.accounts import Account
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.checks.state_functions import StateFunction
from windlass.framework.errors import ModelError
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows, Output, Tables, register
from windlass.framework.model.schema import column, derived, function, ref
from windlass.framework.model.system import Evaluation, Fields, System
from windlass.framework.model.table import EntityTable

LINEAR = 1.0
"""Pressure difference [Pa]. Below this value, the flow of a valve depends linearly on the pressure difference."""


class HydraulicActuator(Inputs):
    """A double-acting cylinder with two valves between two points."""

    marker0 = ref(POSITION, "bushing of the cylinder")
    marker1 = ref(POSITION, "bushing of the rod")
    node = ref(STATES, "node of two states, the pressures p_0 and p_1 [Pa]: `state_node` (2)")
    offset_length = column("m", "distance L_o of the points at stroke 0", minimum=0.0)
    stroke_length = column("m", "largest stroke L_s, which determines the volume of chamber 1", above=0.0)
    area0 = column(
        "m^2", "area A_0 of the chamber at the head of the piston, whose pressure extends the cylinder", above=0.0
    )
    area1 = column("m^2", "area A_1 of the chamber at the rod, whose pressure retracts the cylinder", above=0.0)
    hose_volume0 = column("m^3", "oil volume V_h,0 of chamber 0 at stroke 0", above=0.0)
    hose_volume1 = column("m^3", "oil volume V_h,1 of chamber 1 at the largest stroke", above=0.0)
    valve_opening0 = column(
        "1",
        "opening a_0 of the valve of chamber 0: > 0 to the pump, < 0 to the tank, 0 closed",
        default=0.0,
        switchable=True,
    )
    valve_opening1 = column(
        "1",
        "opening a_1 of the valve of chamber 1: > 0 to the pump, < 0 to the tank, 0 closed",
        default=0.0,
        switchable=True,
    )
    valve_function = function(
        "f(t, u, u_t) -> (a_0, a_1), added to the openings; u contains the stroke s [m] and the values of the "
        "inputs, u_t contains the rates of u, shape (1 + inputs,) each",
        switchable=True,
    )
    valve_derivative = function(
        "f(t, u, u_t) -> (da/du, da/du_t), shape (2, 1 + inputs) each; if left out, these are central differences",
        switchable=True,
    )
    damping = column("N s/m", "damping d of the motion of the piston", default=0.0, minimum=0.0)
    oil_bulk_modulus = column("Pa", "bulk modulus K_oil of the oil", above=0.0)
    cylinder_bulk_modulus = column("Pa", "stiffness K_cyl of the cylinder; 0: rigid", default=0.0, minimum=0.0)
    hose_bulk_modulus = column("Pa", "stiffness K_hose of the hoses; 0: rigid", default=0.0, minimum=0.0)
    nominal_flow = column(
        "m^3/(s Pa^0.5)", "flow Q_n of an open valve per square root of the pressure difference", minimum=0.0
    )
    system_pressure = column("Pa", "pressure p_s of the pump")
    tank_pressure = column("Pa", "pressure p_t of the tank", default=0.0)
    volume_change = column("1", "true: the stiffness of the oil depends on the stroke", dtype=bool, default=False)
    active = column(
        "1", "false: the row has no force, and its pressures do not change", dtype=bool, default=True, switchable=True
    )
    states = derived("1", "process-local indices of the pressures, shape (2,)")
    opening = derived("1", "openings a_k of the valves, shape (2,)")
    area = derived("m^2", "areas A_k, shape (2,)")
    hose_volume = derived("m^3", "volumes V_h,k of the hoses, shape (2,)")
    soft_cylinder = derived("1/Pa", "1/K_cyl, or 0 for a rigid cylinder")
    soft_hose = derived("1/Pa", "1/K_hose, or 0 for rigid hoses")


@kernel
def root(x: float) -> tuple[float, float]:
    """Return w(x) and the derivative of w with respect to x."""
    size = abs(x)
    if size < LINEAR:
        return x / np.sqrt(LINEAR), 1.0 / np.sqrt(LINEAR)
    return np.sign(x) * np.sqrt(size), 0.5 / np.sqrt(size)


@kernel
def eval_flow(row: Any, k: int, p: float) -> tuple[float, float, float]:
    """Return the flow Q_k [m^3/s] into chamber k, and its derivatives ∂Q_k/∂p_k and ∂Q_k/∂a_k with respect to the
    pressure and to the opening of the valve.
    """
    a, Qn = row.opening[k], row.nominal_flow
    if a >= 0.0:
        w, slope = root(row.system_pressure - p)
        return a * Qn * w, -a * Qn * slope, Qn * w
    w, slope = root(p - row.tank_pressure)
    return a * Qn * w, a * Qn * slope, Qn * w


@kernel
def eval_stiffness(row: Any, k: int, s: float) -> tuple[float, float]:
    """Return the stiffness G_k [Pa/m^3] of chamber k and its derivative ∂G_k/∂s with respect to the stroke."""
    Koil, A, Vh = row.oil_bulk_modulus, row.area, row.hose_volume
    if not row.volume_change:
        return Koil / Vh[k], 0.0
    more, sign = (A[0] * s, 1.0) if k == 0 else (A[1] * (row.stroke_length - s), -1.0)
    softness = 1.0 / Koil + row.soft_cylinder
    G = 1.0 / (Vh[k] * (1.0 / Koil + row.soft_hose) + more * softness)
    return G, -G * G * sign * A[k] * softness


@kernel
def eval_rate(row: Any, k: int, s: float, st: float, p: float) -> float:
    """Return the rate p_k,t [Pa/s] of pressure k."""
    sign = -1.0 if k == 0 else 1.0
    rate: float = eval_stiffness(row, k, s)[0] * (sign * row.area[k] * st + eval_flow(row, k, p)[0])
    return rate


@kernel
def measure(pair: Pair, m: PositionMarkers, i: int) -> tuple[float, float]:
    """Return the distance L [m] of the points and the rate of L [m/s] for row i. If the points coincide, L is NaN."""
    u, ut = subtract(m.position, pair.m1[i], pair.m0[i]), subtract(m.velocity, pair.m1[i], pair.m0[i])
    length = np.sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2])
    if length == 0.0:
        return np.nan, np.nan
    return length, (u[0] * ut[0] + u[1] * ut[1] + u[2] * ut[2]) / length


@kernel
def eval_force(row: Any, st: float, v: FloatArray) -> float:
    """Return the force N [N]."""
    N: float = -v[row.states[0]] * row.area[0] + v[row.states[1]] * row.area[1] + row.damping * st
    return N


@kernel
def residual(rows: Any, pair: Pair, m: PositionMarkers, n: int, v: FloatArray, f: FloatArray) -> None:
    """Add the forces on both points, and the residuals of the equations of the pressures, to f. The first n coordinates
    of a row are the coordinates of the points.
    """
    n0 = pair.n0
    for i in range(len(pair.m0)):
        if not pair.active[i]:
            continue
        row, m0, m1 = rows[i], pair.m0[i], pair.m1[i]
        L, st = measure(pair, m, i)
        N, u = eval_force(row, st, v) / L, subtract(m.position, m1, m0)
        for x in range(3):
            for a in range(n0):
                f[pair.dofs[i, a]] -= m.jacobian[m0, x, a] * N * u[x]
            for a in range(n - n0):
                f[pair.dofs[i, n0 + a]] += m.jacobian[m1, x, a] * N * u[x]
        for k in range(2):
            p = row.states[k]
            f[p] -= row.area[k] * eval_rate(row, k, L - row.offset_length, st, v[p])


@kernel
def tangent(
    rows: Any, pair: Pair, m: PositionMarkers, n: int, inputs: IntArray, q: CoordinateMarkers, P: FloatArray,
    V: FloatArray, v: FloatArray, dq: float, dv: float, slots: IntArray, values: FloatArray,
) -> None:  # fmt: skip
    """Add the tangent dq ∂f/∂q + dv ∂f/∂v, with the factors dq and dv, to the values of the matrix. The first n
    coordinates of a row are the coordinates of the points. P contains the derivatives of the openings with respect to
    the values u of stroke and inputs. V contains the derivatives with respect to the rates u_t. Both arrays have the
    shape (rows, 2, 1 + inputs).
    """
    n0, width = pair.n0, pair.dofs.shape[1]
    # arrays of derivatives. J: vector between the points; Jd: rate of this vector; eJ = e·J; rate: s_t; G_q: equation
    # of a pressure
    J, Jd = np.zeros((3, n)), np.zeros((3, n))
    eJ, rate, G_q, g = np.zeros(n), np.zeros(n), np.zeros(width), np.zeros(9)
    for i in range(len(pair.m0)):
        if not pair.active[i]:
            continue
        # compute the length, the rate of the length, and the force
        row, m0, m1 = rows[i], pair.m0[i], pair.m1[i]
        u, ut = subtract(m.position, m1, m0), subtract(m.velocity, m1, m0)
        L, st = measure(pair, m, i)
        N, d, A = eval_force(row, st, v), row.damping, row.area
        # compute J and J̇ of the vector between the points, e·J, and the derivatives of s_t with respect to the
        # coordinates
        for a in range(n):
            eJ[a], rate[a] = 0.0, 0.0
        for x in range(3):
            for a in range(n0):
                J[x, a], Jd[x, a] = -m.jacobian[m0, x, a], -m.jacobian_rate[m0, x, a]
            for a in range(n - n0):
                J[x, n0 + a], Jd[x, n0 + a] = m.jacobian[m1, x, a], m.jacobian_rate[m1, x, a]
            for a in range(n):
                eJ[a] += u[x] / L * J[x, a]
                rate[a] += u[x] / L * Jd[x, a] + (ut[x] - st * u[x] / L) / L * J[x, a]
        # add the derivatives of the generalised forces due to changes of the magnitude N, of the direction e, and of
        # the Jacobians of the markers
        for a in range(n):
            for b in range(n):
                turned = -eJ[a] * eJ[b]
                for x in range(3):
                    turned += J[x, a] * J[x, b]
                change = dq * (d * eJ[a] * rate[b] + N / L * turned) + dv * d * eJ[a] * eJ[b]
                values[slots[i, a, b]] += change
            for k in range(2):
                values[slots[i, a, n + k]] += dv * eJ[a] * A[k] * (-1.0 if k == 0 else 1.0)
        if dq != 0.0:
            g[0], g[1], g[2] = u
            add_curvature(pair, i, n, m, g, dq * N / L, slots, values)
        # in a row of the law, the pressures have the indices n and n + 1, after the coordinates of the points
        s = L - row.offset_length
        for k in range(2):
            sign, p = -1.0 if k == 0 else 1.0, v[row.states[k]]
            G, Gs = eval_stiffness(row, k, s)
            Q, Qp, Qa = eval_flow(row, k, p)
            by_s = Gs * (sign * A[k] * st + Q) + G * Qa * P[i, k, 0]
            by_st = G * (sign * A[k] + Qa * V[i, k, 0])
            # derivatives of the equation of a pressure with respect to the coordinates of the points, the pressure and
            # the inputs
            G_q[:] = 0.0
            for a in range(n):
                G_q[a] = dq * (by_s * eJ[a] + by_st * rate[a]) + dv * by_st * eJ[a]
            G_q[n + k] = dv * G * Qp
            add_input_row(row, inputs, q, G * Qa * P[i, k, 1:], G * Qa * V[i, k, 1:], dq, dv, G_q)
            for a in range(width):
                values[slots[i, n + k, a]] -= A[k] * G_q[a]


@kernel
def mass(rows: Any, n: int, scale: float, slots: IntArray, values: FloatArray) -> None:
    """Add scale times the areas A_k, which are the factors of the rates p_k,t in the equations of the pressures, to the
    values of the mass matrix. In a row, the pressures follow the n coordinates of the points.
    """
    for i in range(len(rows)):
        for k in range(2):
            values[slots[i, n + k, n + k]] += scale * rows[i].area[k]


def dofs(world: Tables, table: EntityTable) -> IntArray:
    """Return the global coordinate indices of both points, of the pressures and of the inputs, shape (rows, n)."""
    states = world.dofs_of(table.local("node"))[:, :2]
    return np.concatenate([pair_dofs(world, table), states, world.ref_dofs(table, "inputs")], axis=1)


def bind(rows: LocalRows) -> tuple[Pair, NDArray[Any], IntArray, dict[int, StateFunction]]:
    """Create the data of the points, rows and inputs that kernels read, and the user functions of the valves."""
    at = sum(rows.world.ref_width(rows.table, name) for name in ("marker0", "marker1"))
    n, local = len(rows.rows), rows.local

    def both(name: str) -> FloatArray:
        return np.stack((local(f"{name}0"), local(f"{name}1")), axis=1)

    def soft(name: str) -> FloatArray:
        given = local(name)
        return np.where(given > 0.0, 1.0 / np.where(given > 0.0, given, 1.0), 0.0)

    own, inputs = bind_inputs(rows, at + 2)
    values = own | {"states": rows.dofs[:, at : at + 2], "opening": both("valve_opening")}
    values |= {name: both(name) for name in ("area", "hose_volume")}
    values |= {f"soft_{name}": soft(f"{name}_bulk_modulus") for name in ("cylinder", "hose")}
    words = "two finite numbers, the openings of the valves [1]"
    functions = bind_state_functions(rows, "valve_function", "valve_derivative", [(2,)] * n, words)
    return bind_pair(rows), rows.pack(values), inputs, functions


def read_arguments(rows: LocalRows, s: Fields, i: int) -> tuple[FloatArray, FloatArray]:
    """Return the arguments of the valve functions of row i: values u and rates u_t of the stroke and the inputs."""
    pair, own, inputs, _ = rows.columns
    L, st = measure(pair, s.markers[FAMILY], i)
    u, ut = read_inputs(own, inputs, coordinates_of(s), i)
    return np.append(L - own["offset_length"][i], u), np.append(st, ut)


def build(rows: LocalRows) -> System:
    """Create the system of `HydraulicActuator`."""
    pair, own, inputs, functions = rows.columns
    given = np.stack((rows.local("valve_opening0"), rows.local("valve_opening1")), axis=1)
    P, V = np.zeros((2, len(own), 2, 1 + int(own["input_count"].max(initial=0))))
    at = pair.n0 + rows.world.ref_width(rows.table, "marker1")

    def update(s: Fields) -> None:
        for i, f in functions.items():
            own["opening"][i] = given[i] + f(s.t, *read_arguments(rows, s, i))

    def update_tangent(s: Fields) -> None:
        update(s)
        for i, f in functions.items():
            n = 1 + own["input_count"][i]
            P[i, :, :n], V[i, :, :n] = f.differentiate(s.t, *read_arguments(rows, s, i))

    system = System("HydraulicActuator", rows.dofs)
    before = (update, update_tangent) if functions else (None, None)
    system.residual = call(residual, lambda s: (own, pair, s.markers[FAMILY], at, s.v, s.f), before[0])
    system.tangent = call(
        tangent,
        lambda s: (
            own,
            pair,
            s.markers[FAMILY],
            at,
            inputs,
            coordinates_of(s),
            P,
            V,
            s.v,
            s.dq,
            s.dv,
            s.slots,
            s.values,
        ),
        before[1],
    )
    system.mass = call(mass, lambda s: (own, at, s.mass, s.slots, s.values))

    def read(s: Evaluation) -> None:
        st, on = eval_stroke_rate(rows, s), pair.active
        d = own["damping"]
        s.powers += np.stack((d * st**2 * on, (eval_tension(rows, s) - d * st * on) * st))

    system.account = Account(read, lost=("damping",), passed=("oil",), is_whole=False)
    return system


def eval_tension(rows: LocalRows, s: Fields, **where: Any) -> FloatArray:
    """Return the force N [N], shape (rows,). N is > 0 if the cylinder pulls, and 0 for inactive rows."""
    pair, own, _, _ = rows.columns
    p, A = s.v[own["states"]], own["area"]
    damping = own["damping"] * eval_stroke_rate(rows, s)
    found: FloatArray = (-p[:, 0] * A[:, 0] + p[:, 1] * A[:, 1] + damping) * pair.active
    return found


def eval_stroke_rate(rows: LocalRows, s: Fields, **where: Any) -> FloatArray:
    """Return the rate s_t [m/s] of the stroke, shape (rows,)."""
    u, ut = difference_positions(rows, s)
    rate: FloatArray = (u * ut).sum(axis=1) / eval_distance(rows, s)
    return rate


def eval_openings(rows: LocalRows, s: Fields, **where: Any) -> FloatArray:
    """Return the openings [1] of the valves, shape (rows, 2)."""
    functions = rows.columns[3]
    found: FloatArray = np.stack((rows.local("valve_opening0"), rows.local("valve_opening1")), axis=1)
    for i, f in functions.items():
        found[i] += f(s.t, *read_arguments(rows, s, i))
    return found


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for a node whose number of states is not 2."""
    for nodes, positions, _ in world.split_by_table(table.local("node")):
        if len(nodes.component.dof_names) != 2:
            row = table.resident[positions[0]]
            raise ModelError(
                f"node in {table.kind} row {row} is a {nodes.kind}: must be a StateNode2, for two pressures"
            )


OUTPUTS = {
    "force": Output("N", "force N, > 0 pulls, ()", eval_tension),
    "distance": Output("m", "distance L of the points, ()", eval_distance),
    "stroke": Output("m", "stroke s, ()", lambda rows, s: eval_distance(rows, s) - rows.columns[1]["offset_length"]),
    "stroke_rate": Output("m/s", "rate s_t of the stroke, ()", eval_stroke_rate),
    "pressures": Output("Pa", "pressures p_0 and p_1, (2,)", lambda rows, s: s.v[rows.columns[1]["states"]]),
    "valve_openings": Output("1", "openings a_0 and a_1 of the valves, (2,)", eval_openings),
}
register(
    HydraulicActuator,
    "connector",
    dofs=dofs,
    bind=bind,
    build=build,
    check=check,
    outputs=OUTPUTS,
    source="[@exudyn]",
    draw=lambda rows, fields, subdivisions: draw_lines(rows, fields, {"force": OUTPUTS["force"]}),
)
