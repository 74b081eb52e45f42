"""Constraint between all coordinates of one or two nodes, defined by linear and quadratic terms or by a user function.

    coordinates: q = [q0, q1], displacements from the reference of node 0, then of node 1
    factors: X = [-factors0, factors1], Y = [-squares0, squares1]

    position level: C = X·q + Y·q² - offset(t), or constraint_function(t, row, q, q_t), which must not use q_t
    velocity level: C = X·q_t + Y·q_t² - offset(t), or constraint_function(t, row, q, q_t)
    forces: Jᵀ λ on the left-hand side, with J = ∂C/∂q, at velocity level J = ∂C/∂q_t
    index 2: Ċ = J·q_t + ∂C/∂t
    inactive rows: λ = 0

Each row is one equation. The vectors q² and q_t² contain the squares of the components of q and q_t. For a constraint
function, J is the result of ``gradient_function``, which receives the same arguments as the constraint function.
Without ``gradient_function``, J is computed by a complex step if the function accepts complex numbers, otherwise by
central differences. Apart from rounding errors, a complex step is exact. The derivative ∂C/∂t is computed by the same
method. The second derivatives of a constraint function in the tangent are finite differences of J and C.

For index 2, Exudyn replaces q² by q_t² in the constraint. In contrast to Exudyn, this law uses the time derivative of
C.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.exceptions import ComplexWarning

from windlass.connectors.user_functions.time_functions import (
    TimeColumn,
    bind_functions,
    differentiate,
    differentiate_twice,
    parse_numbers,
)
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.checks.values import show
from windlass.framework.errors import ModelError
from windlass.framework.model.law import LocalRows, Output, Tables, register
from windlass.framework.model.schema import Component, column, function, ref
from windlass.framework.model.system import ConstraintSystem, Evaluation, Fields, System
from windlass.framework.model.table import EntityTable

TINY = 1e-20
"""Imaginary step of complex-step derivatives [m, rad, s]. The square of the step is negligible, and no digits are lost
by cancellation, because a complex step needs no subtraction."""
STEP = float(np.finfo(np.float64).eps ** (1 / 3))
"""Step of central differences [m, rad, s]. The step is suitable for functions that vary over lengths of about 1 m and
times of about 1 s.
"""


class CoordinateVectorConstraint(Component):
    """Constrains a combination of the coordinates of one or two nodes, or of their velocities."""

    provides = ("joint",)
    node0 = ref("node", "first node, whose factors have the opposite sign in the equation", optional=True)
    node1 = ref("node", "second node")
    factors0 = column("1", "factors of the coordinates of node 0; 0: no terms", shape=None, default=(0.0,))
    factors1 = column("1", "factors of the coordinates of node 1; 0: no terms", shape=None, default=(0.0,))
    squares0 = column(
        "1", "factors of the squares of the coordinates of node 0; 0: no terms", shape=None, default=(0.0,)
    )
    squares1 = column(
        "1", "factors of the squares of the coordinates of node 1; 0: no terms", shape=None, default=(0.0,)
    )
    offset = column("m", "value of the sum of all terms [unit of C]", default=0.0, switchable=True)
    offset_function = function("f(t) -> offset [unit of C]; replaces offset", switchable=True)
    constraint_function = function("f(t, row, q, q_t) -> C, with arrays q and q_t; replaces all factors")
    gradient_function = function(
        "f(t, row, q, q_t) -> J, an array like q; if left out, J is computed by a complex step"
    )
    velocity_level = column("1", "true: the equation constrains velocities", dtype=bool, default=False)
    active = column("1", "the constraint acts only if true", dtype=bool, default=True, switchable=True)


class UserEquation:
    """The constraint equation of one row with a user function, and the derivatives of the equation with respect to
    coordinates, velocities and time.

    Args:
        i: index of the row among the rows of this process.
        places: column indices of the coordinates of this row in arrays of shape (rows, w), see `Equations`.
    """

    def __init__(self, rows: LocalRows, i: int, places: IntArray) -> None:
        self._function = rows.local("constraint_function")[i]
        self._gradient = rows.local("gradient_function")[i]
        self._row, self.places, self.fast = int(rows.rows[i]), places, bool(rows.local("velocity_level")[i])
        self._name = f"{rows.table.describe(self._row)} ({rows.table.kind} row {self._row})"
        self._takes_complex = True

    def value(self, t: float, q: FloatArray, v: FloatArray) -> float:
        """Return the value C of the equation."""
        given = self._function(t, self._row, q.copy(), v.copy())
        found = parse_numbers(given, ())
        if found is None:
            raise ModelError(
                f"constraint_function of {self._name} gave {show(given)} at t = {t:.9g} s: must give one finite number"
            )
        return float(found)

    def gradient(self, t: float, q: FloatArray, v: FloatArray) -> FloatArray:
        """Return J, the derivative of the constraint equation C with respect to the displacements q, or at velocity
        level with respect to the velocities v."""
        if self._gradient is not None:
            given = self._gradient(t, self._row, q.copy(), v.copy())
            found = parse_numbers(given, q.shape)
            if found is None:
                raise ModelError(
                    f"gradient_function of {self._name} gave {show(given)} at t = {t:.9g} s: must give {len(q)} finite "
                    "numbers, the derivatives of constraint_function"
                )
            return found
        found = self._complex_steps(t, q, v, range(len(q)))
        if found is not None:
            return found
        return self.differences(lambda q, v: np.float64(self.value(t, q, v)), q, v, self.fast)

    def drift(self, t: float, q: FloatArray, v: FloatArray) -> float:
        """Return ∂C/∂t."""
        found = self._complex_steps(t, q, v, [-1])
        if found is not None:
            return float(found[0])
        before = max(t - STEP, 0.0)  # user functions may be undefined for t < 0
        return (self.value(t + STEP, q, v) - self.value(before, q, v)) / (t + STEP - before)

    def _complex_steps(self, t: float, q: FloatArray, v: FloatArray, places: Sequence[int]) -> FloatArray | None:
        """Return derivatives of the constraint value C with respect to components of q, or of v at velocity level. The
        index -1 selects the derivative with respect to t. If the function does not accept complex numbers, return None.
        """
        if not self._takes_complex:
            return None
        try:
            with catch_warnings():
                simplefilter("error", ComplexWarning)
                return np.array([self._complex_step(t, q, v, k) for k in places])
        except (TypeError, ValueError, ComplexWarning):
            self._takes_complex = False
            return None

    def _complex_step(self, t: float, q: FloatArray, v: FloatArray, k: int) -> float:
        moved: list[Any] = [q.astype(complex), v.astype(complex)]
        here: list[Any] = [q.copy(), v.copy()]
        if k < 0:
            given = complex(self._function(t + 1j * TINY, self._row, *moved))
        else:
            moved[self.fast][k] += 1j * TINY
            here[self.fast][k] += STEP
            given = complex(self._function(t, self._row, *moved))
        # an imaginary part of 0 has two possible causes: C does not depend on this coordinate, or the function has
        # discarded imaginary parts. In the second case C changes with a real step.
        if given.imag == 0.0 and self.value(t + STEP * (k < 0), *here) != self.value(t, q, v):
            raise ValueError
        return given.imag / TINY

    def differences(self, function: Any, q: FloatArray, v: FloatArray, by_rate: bool) -> FloatArray:
        """Return the derivatives of ``function(q, v)`` by central differences. They are derivatives with respect to v
        if ``by_rate`` is true, otherwise with respect to q. The last axis of the result is the index of the component
        of v or q.
        """
        columns = []
        for k in range(len(q)):
            values = []
            for sign in (1.0, -1.0):
                moved = [q.copy(), v.copy()]
                moved[by_rate][k] += sign * STEP
                values.append(function(*moved))
            columns.append((values[0] - values[1]) / (2.0 * STEP))
        return np.stack(columns, axis=-1)

    def rate(self, t: float, q: FloatArray, v: FloatArray) -> np.float64:
        """Return the time derivative Ċ = J·v + ∂C/∂t of an equation at position level."""
        return np.float64(self.gradient(t, q, v) @ v + self.drift(t, q, v))

    def bend(self, t: float, q: FloatArray, v: FloatArray, dq: float, dv: float) -> tuple[FloatArray, FloatArray]:
        """Return two derivatives for the tangent of an equation. The first result is dq ∂J/∂q at position level, or dq
        ∂J/∂q + dv ∂J/∂v at velocity level. The second result is ∂Ċ/∂q, or ∂C/∂q at velocity level.
        """

        def slope(q: FloatArray, v: FloatArray) -> FloatArray:
            return self.gradient(t, q, v)

        bend = self.differences(slope, q, v, False)
        if self.fast:
            change = self.differences(lambda q, v: np.float64(self.value(t, q, v)), q, v, False)
            return dq * bend + dv * self.differences(slope, q, v, True), change
        before = max(t - STEP, 0.0)
        drift = (self.gradient(t + STEP, q, v) - self.gradient(before, q, v)) / (t + STEP - before)
        return dq * bend, bend.T @ v + drift

    def acceleration(self, t: float, q: FloatArray, v: FloatArray) -> float:
        """Return the right-hand side rhs of the equation J q̈ = rhs. It is minus the time derivative of Ċ, or minus the
        time derivative of C at velocity level. Both derivatives are computed at constant velocities.
        """
        function = self.value if self.fast else self.rate
        back = STEP if t >= 2.0 * STEP else 0.0
        ahead, behind = function(t + STEP, q + STEP * v, v), function(t - back, q - back * v, v)
        return -float(ahead - behind) / (STEP + back)


class Equations:
    """The constraint equations of all rows. In the shapes of arrays, w is the largest number of coordinates of any node
    0 plus the largest number of coordinates of any node 1. If a node is not given, its number of coordinates is 0.

    Attributes:
        lam: process-local indices of the multipliers, shape (rows,).
        on, fast: whether a row is active, and whether it is at velocity level, shape (rows,) each.
        X, Y: factors X and Y of the docstring of this file, shape (rows, w) each. If the user gives no factor, the
            value is 0.
    """

    def __init__(self, rows: LocalRows) -> None:
        self.rows, self.dofs = rows, rows.dofs
        self.on, self.fast = rows.local("active"), rows.local("velocity_level")
        self.lam = rows.layout.multipliers(rows.table, rows.rows)[:, 0].copy()
        dofs, has = node_dofs(rows.world, rows.table)
        has = has[rows.table.places(rows.rows)]
        # index of the first coordinate of node 1
        begin = dofs.shape[1] - rows.world.dofs_of(rows.table.local("node1")).shape[1]
        self.X, self.Y = np.zeros((len(rows.rows), dofs.shape[1])), np.zeros((len(rows.rows), dofs.shape[1]))
        for target, prefix in ((self.X, "factors"), (self.Y, "squares")):
            for node, first, sign in ((0, 0, -1.0), (1, begin, 1.0)):
                for i, given in enumerate(rows.local(f"{prefix}{node}")):
                    if np.any(given):
                        target[i, first : first + len(given)] = sign * np.asarray(given, dtype=np.float64)
        offsets = bind_functions(rows, "offset", "offset_function")
        zeros = np.zeros(len(self.lam))
        self.offset = TimeColumn(rows.local("offset"), offsets)
        self.offset_rate = TimeColumn(zeros, [differentiate(f) for f in offsets])
        self.offset_acceleration = TimeColumn(zeros, [differentiate_twice(f) for f in offsets])
        width = np.arange(dofs.shape[1])
        self.users = {}
        for i, f in enumerate(rows.local("constraint_function")):
            if f is not None and self.on[i]:
                here = np.where(width < begin, width < has[i, 0], width - begin < has[i, 1])
                self.users[i] = UserEquation(rows, i, np.flatnonzero(here))

    def motion(self, s: Fields) -> tuple[FloatArray, FloatArray]:
        """Return the displacements q and the velocities q_t of the coordinates, shape (rows, w) each."""
        return s.x[self.dofs] - self.rows.reference, s.v[self.dofs]

    def gradients(self, s: Fields) -> FloatArray:
        """Return the derivatives J of all equations, shape (rows, w)."""
        q, v = self.motion(s)
        J: FloatArray = self.X + 2.0 * self.Y * np.where(self.fast[:, None], v, q)
        for i, user in self.users.items():
            J[i] = 0.0
            J[i, user.places] = user.gradient(s.t, q[i, user.places], v[i, user.places])
        return J

    def values(self, s: Fields, rate_level: bool) -> FloatArray:
        """Return the values C of all equations, shape (rows,). If ``rate_level`` is true, return Ċ for rows at position
        level.
        """
        q, v = self.motion(s)
        by_rate = (self.X + 2.0 * self.Y * q) * v if rate_level else self.X * q + self.Y * q * q
        terms = np.where(self.fast[:, None], self.X * v + self.Y * v * v, by_rate).sum(axis=1)
        slow = self.offset_rate(s.t) if rate_level else self.offset(s.t)
        found: FloatArray = terms - np.where(self.fast, self.offset(s.t), slow)
        for i, user in self.users.items():
            motion = s.t, q[i, user.places], v[i, user.places]
            found[i] = user.rate(*motion) if rate_level and not user.fast else user.value(*motion)
        return found

    def add_residual(self, s: Evaluation) -> None:
        """Add the constraint values C to the values of the constraint equations, and the forces Jᵀ λ of the multipliers
        λ to the forces."""
        s.C[self.lam] += np.where(self.on, self.values(s, s.rate_level), s.lam[self.lam])
        np.add.at(s.f, self.dofs[self.on], (self.gradients(s) * s.lam[self.lam][:, None])[self.on])

    def add_tangent(self, s: Evaluation) -> None:
        """Add the derivatives of the constraint values C and of the forces Jᵀ λ with respect to coordinates and
        multipliers to the matrix."""
        (q, v), J = self.motion(s), self.gradients(s)
        for i in range(len(self.lam)):
            if not self.on[i]:
                s.values[s.coupling.diagonal[i, 0]] += s.coupling.scale
                continue
            by_rate, force, user = s.rate_level or self.fast[i], s.lam[self.lam[i]], self.users.get(i)
            row = (s.dv if by_rate else s.dq) * J[i]
            second = np.diag(2.0 * self.Y[i]) * (s.dv if self.fast[i] else s.dq)
            if user is not None:
                p = user.places
                second = np.zeros((len(J[i]), len(J[i])))
                second[np.ix_(p, p)], change = user.bend(s.t, q[i, p], v[i, p], s.dq, s.dv)
                row[p] += s.dq * change * by_rate
            elif by_rate and not self.fast[i]:
                row += s.dq * 2.0 * self.Y[i] * v[i]
            np.add.at(s.values, s.coupling.rows[i, 0], row)
            np.add.at(s.values, s.coupling.columns[i, :, 0], s.coupling.scale * J[i])
            np.add.at(s.values, s.coupling.block[i], force * second)

    def add_accelerations(self, s: Evaluation) -> None:
        """Add the right-hand side rhs of J q̈ = rhs to the values C of the acceleration equations. For inactive rows,
        rhs is 0.
        """
        q, v = self.motion(s)
        slow = self.offset_acceleration(s.t) - (2.0 * self.Y * v * v).sum(axis=1)
        found = np.where(self.fast, self.offset_rate(s.t), slow)
        for i, user in self.users.items():
            found[i] = user.acceleration(s.t, q[i, user.places], v[i, user.places])
        s.C[self.lam] += found * self.on


def node_dofs(world: Tables, table: EntityTable) -> tuple[IntArray, IntArray]:
    """Return the coordinate indices of both nodes, shape (rows, w), and the number of coordinates of each node, shape
    (rows, 2). The indices of node 0 are followed by the indices of node 1, and unused elements are -1.
    """
    parts, counts = [], []
    for name in ("node0", "node1"):
        ids = table.local(name)
        given = ids >= 0
        found = world.dofs_of(ids[given]) if given.any() else np.zeros((0, 0), np.int64)
        dofs = np.full((len(ids), found.shape[1]), -1, np.int64)
        dofs[given] = found
        parts.append(dofs)
        counts.append((dofs >= 0).sum(axis=1))
    return np.concatenate(parts, axis=1), np.stack(counts, axis=1)


def build(rows: LocalRows) -> System:
    """Create the system of `CoordinateVectorConstraint`."""
    equations: Equations = rows.columns
    system = System("CoordinateVectorConstraint", rows.dofs)
    driven = np.array([f is not None for f in rows.local("offset_function")], dtype=bool)
    system.constraint = ConstraintSystem(
        equations.lam[:, None],
        equations.add_residual,
        equations.add_tangent,
        equations.add_accelerations,
        driven=driven | np.array([f is not None for f in rows.local("constraint_function")], dtype=bool),
    )
    return system


def fill_defaults(world: Tables, values: dict[str, Any]) -> dict[str, Any]:
    """Check the arrays of factors, and return ``values`` unchanged.

    Raises:
        ModelError: an array of factors is empty. Such an array would create no rows.
    """
    for name in ("factors0", "factors1", "squares0", "squares1"):
        if isinstance(values.get(name), np.ndarray) and values[name].size == 0:
            row = world.table(CoordinateVectorConstraint).count
            raise ModelError(f"{name} = [] in CoordinateVectorConstraint row {row}: must be a list of numbers [1]")
    return values


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for wrong numbers of factors, for rows with both factors and a constraint function or with
    neither of them, and for a gradient function without a constraint function.
    """
    _, has = node_dofs(world, table)
    functions, gradients = table.local("constraint_function"), table.local("gradient_function")
    for k, row in enumerate(table.resident):
        found = {name: table.local(name)[k] for name in ("factors0", "factors1", "squares0", "squares1")}
        sizes = {name: len(values) for name, values in found.items() if np.any(values)}
        for name, size in sizes.items():
            count = int(has[k, int(name[-1])])
            if size != count:
                raise ModelError(
                    f"{name} of {table.kind} row {row} has {size} numbers: must have {count}, one for each coordinate "
                    "of its node, or a single 0"
                )
        given = functions[k] is not None
        if given == bool(sizes):
            words = "has both" if given else "has neither"
            raise ModelError(
                f"{table.kind} row {row} {words} factors and a constraint_function: must have exactly one of the two"
            )
        if gradients[k] is not None and not given:
            raise ModelError(
                f"gradient_function of {table.kind} row {row} is given without a constraint_function: must be given "
                "together"
            )


def eval_gap(rows: LocalRows, s: Fields, **where: Any) -> FloatArray:
    """Return the values C of the constraint equations, shape (rows,). For inactive rows the values are 0."""
    equations: Equations = rows.columns
    gap: FloatArray = equations.values(s, False) * equations.on
    return gap


register(
    CoordinateVectorConstraint,
    "constraint",
    multipliers=1,
    dofs=lambda world, table: node_dofs(world, table)[0],
    bind=Equations,
    build=build,
    fill_defaults=fill_defaults,
    check=check,
    outputs={
        "gap": Output("m", "value C of the equation [unit of C], ()", eval_gap),
        "force": Output("N", "multiplier λ, ()", lambda rows, s, **where: s.lam[rows.columns.lam] * rows.columns.on),
    },
    source="[@exudyn], ObjectConnectorCoordinateVector",
)
