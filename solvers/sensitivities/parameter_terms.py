"""Derivatives of the equations of a step with respect to many parameters, from the rows that a parameter changes.

Most parameters change columns of few rows. The tables of the two companion models of a parameter are compared, once. In
each step, forces are evaluated only for rows that differ between both models, and for rows that refer to such rows.
These evaluations read the motion of the nominal model. The constant mass matrix and constant weights are compared once.
If a parameter changes reference coordinates or markers, the companion models are evaluated as a whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import FunctionType
from typing import Any

import numpy as np
from scipy.sparse import coo_array, csr_array

from windlass.framework.arrays import BoolArray, FloatArray, IntArray
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.kernels.program import Program, Step
from windlass.framework.model.law import require_law, role_of
from windlass.framework.model.schema import Component
from windlass.framework.model.system import Evaluation, Function, System, evaluate
from windlass.framework.model.table import EntityTable
from windlass.framework.model.world import World
from windlass.solvers.sensitivities.companion import Companion
from windlass.solvers.sensitivities.motion import CompanionPair


@kernel
def weigh(f: FloatArray, places: IntArray, factors: FloatArray, scale: float, total: FloatArray) -> None:
    """Add the sum of scale · f · factors over the given indices to total, shape (1,), and set f to 0 at these
    indices.
    """
    for i in places:
        total[0] += scale * f[i] * factors[i]
        f[i] = 0.0


@kernel
def begin_values(values: FloatArray, to: FloatArray) -> None:
    """Copy history values, shape (d,)."""
    for i in range(len(values)):
        to[i] = values[i]


class ParameterTerms:
    """Products of factors with the derivatives of a step with respect to parameters.

    Args:
        centre: the model with the parameters of the motion, whose fields contain the motion.
        pairs: the companion models of each parameter.

    Attributes:
        whole: names of the parameters for which companion models are evaluated as a whole.
    """

    def __init__(self, centre: Companion, pairs: Mapping[str, CompanionPair]) -> None:
        self._centre, self._pairs = centre, pairs
        fields, layout = centre.assembly.fields, centre.assembly.layout
        n, m = layout.spare, len(layout.multipliers_owned)
        self._f, self._c, self._mu, self._nu = np.zeros(n + 1), np.zeros(m + 1), np.zeros(n + 1), np.zeros(m + 1)
        self._names = [name for name, pair in pairs.items() if self._is_local(pair)]
        self.whole = [name for name in pairs if name not in self._names]
        self._totals = np.zeros(len(self._names))
        loads = np.zeros((len(self._names), n))
        entries: list[tuple[IntArray, IntArray, FloatArray, int]] = []
        steps: list[Step] = []
        self._updates: dict[str, tuple[Program, FloatArray, FloatArray]] = {}
        self._maps: dict[str, tuple[Program, FloatArray, FloatArray]] = {}
        s = evaluate(fields, f=self._f, C=self._c)
        for number, name in enumerate(self._names):
            pair = pairs[name]
            for side, scale in ((pair.above, 0.5 / pair.h), (pair.below, -0.5 / pair.h)):
                for system in self._find_systems(pair, side):
                    steps += self._force_steps(system, s, scale, self._totals[number : number + 1])
                side.assembly.loads.update()
                loads[number] += scale * side.assembly.loads.weights[:-1]
                mass = side.assembly.mass_rows
                rows = np.repeat(np.arange(n), np.diff(mass.indptr))
                entries.append((rows, mass.columns, scale * mass.values, number))
            self._prepare_history(name, pair)
        self._loads, self._mass = csr_array(loads), self._sum_masses(entries, n)
        self._program = Program(steps, asks=centre.assembly.is_fixed, around=centre.assembly.calling)

    def add(self, mu: FloatArray, nu: FloatArray, gradient: dict[str, float]) -> None:
        """Subtract from ``gradient`` the products of the factors of the equations of motion, shape (n,), and of the
        constraints, shape (m,), with the derivatives of these equations with respect to the parameters. The derivatives
        are evaluated at the fields of the nominal model.
        """
        if not self._names:
            return
        self._mu[:-1], self._nu[:-1], self._totals[:] = mu, nu, 0.0
        with self._centre.assembly.calling():
            self._program()
        rows, columns, values, numbers = self._mass
        a = self._centre.assembly.fields.a
        inertia = np.bincount(numbers, values * mu[rows] * a[columns], minlength=len(self._names))
        total = self._totals + inertia - self._loads @ mu
        for name, change in zip(self._names, total.tolist(), strict=True):
            gradient[name] -= change

    def add_update(
        self, weights: FloatArray, data: FloatArray, centre: FloatArray, gradient: dict[str, float], maps: bool = False
    ) -> None:
        """Add the products of factors of history values, shape (d,), with the derivatives of an update with respect to
        the parameters.

        Args:
            weights: the factors of the history values after the update, shape (d,).
            data: history values before the update, shape (d,).
            centre: history values after the update in the nominal model, shape (d,).
            gradient: sums of the products by name of the parameter; the new products are added.
            maps: whether return maps are applied instead of the update after a Newton run.
        """
        fields = self._centre.assembly.fields
        fields.data[:], fields.mapped[0] = data, 1.0 if maps else 0.0
        for name, (program, above, below) in (self._maps if maps else self._updates).items():
            program()
            gradient[name] += float(weights @ self._pairs[name].find_slope(centre, above, below))
        fields.mapped[0] = 0.0

    def _is_local(self, pair: CompanionPair) -> bool:
        """Return whether the rows that a parameter changes can be evaluated with the motion of the nominal model."""
        centre, sides = self._centre, (pair.above, pair.below)
        reference = centre.assembly.layout.reference
        if any((side.assembly.layout.reference != reference).any() for side in sides):
            return False
        live = any(system.body_force and system.body_force.tangent for system in centre.assembly.systems)
        if live and any((side.world.gravity != centre.world.gravity).any() for side in sides):
            return False
        return not any(role_of(component) == "marker" for component, rows in find_changed(pair).items() if rows.any())

    def _find_systems(self, pair: CompanionPair, side: Companion, history: bool = False) -> list[System]:
        """Return systems of the rows that a parameter changes. If ``history`` is true, return the systems of all rows
        of the laws to which these rows belong.
        """
        found = []
        for component, rows in find_changed(pair).items():
            system = side.assembly.layout.systems.get(component)
            if system is None or not rows.any():
                continue
            if history:
                found.append(system)
                continue
            local = side.assembly.layout.rows[component]
            here = np.flatnonzero(rows[local])
            build = require_law(component).build
            if len(here) and build is not None:
                found.append(build(side.assembly.local_rows(side.world.tables[component], local[here])))
        return found

    def _force_steps(self, system: System, s: Evaluation, scale: float, total: FloatArray) -> list[Step]:
        """Return the steps that add the products of the factors with the forces and constraint equations of a system,
        multiplied by ``scale``, to ``total``.
        """
        n, m, found = len(self._f) - 1, len(self._c) - 1, list[Step]()
        own = np.unique(system.dofs)
        functions: list[tuple[Function, Evaluation, float]] = []
        if system.residual is not None:
            functions.append((system.residual, s, scale))
        if system.inertia is not None:
            functions.append((system.inertia.force, s, scale))
        if system.constraint is not None:
            functions.append((system.constraint.residual, s, scale))
        if system.load is not None:
            functions.append((system.load.force, s, -scale))
        if system.body_force is not None and system.body_force.tangent is not None:
            weighed = evaluate(s, g=self._centre.assembly.loads.gravity, which=np.arange(len(system.dofs)))
            functions.append((system.body_force.force, weighed, -scale))
        multipliers = np.zeros(0, np.int64)
        if system.constraint is not None:
            multipliers = np.unique(system.constraint.multipliers).astype(np.int64)
        for function, where, factor in functions:
            found.append((function, (where,)))
            found.append((call(weigh, (self._f, own[own < n], self._mu, factor, total)), (s,)))
            if len(multipliers):
                found.append((call(weigh, (self._c, multipliers[multipliers < m], self._nu, factor, total)), (s,)))
        return found

    def _prepare_history(self, name: str, pair: CompanionPair) -> None:
        """Create the compiled programs that update history values with changed parameters."""
        fields = self._centre.assembly.fields
        for maps, programs in ((False, self._updates), (True, self._maps)):
            steps, arrays = list[Step](), list[FloatArray]()
            for side in (pair.above, pair.below):
                data = np.zeros(len(fields.data))
                s = evaluate(fields, data=data, outcome=np.zeros(5))
                arrays.append(data)
                steps.append((call(begin_values, (fields.data, data)), (s,)))
                for system in self._find_systems(pair, side, history=True):
                    function = system.return_map.motion if maps else system.post_newton
                    if function is not None:
                        steps.append((function, (s,)))
            if len(steps) > 2:
                # rows without changes keep the values of the nominal model
                programs[name] = Program(steps), arrays[0], arrays[1]

    def _sum_masses(
        self, entries: Sequence[tuple[IntArray, IntArray, FloatArray, int]], n: int
    ) -> tuple[IntArray, IntArray, FloatArray, IntArray]:
        """Return, for each entry of the derivatives of the constant mass matrix with respect to the parameters: row,
        column, value, and index of the parameter.
        """
        found = []
        for number in range(len(self._names)):
            total = csr_array((n, n))
            for rows, columns, values, own in entries:
                if own == number:
                    total = total + coo_array((values, (rows, columns)), shape=(n, n)).tocsr()
            total.eliminate_zeros()
            part = total.tocoo()
            found.append((part.coords[0], part.coords[1], part.data, np.full(part.nnz, number)))
        if not found:
            none = np.zeros(0, np.int64)
            return none, none, np.zeros(0), none
        rows, columns, values, numbers = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return rows, columns, values, numbers


def find_changed(pair: CompanionPair) -> dict[type[Component], BoolArray]:
    """Return whether each row of each table differs between the companion models of a parameter, or refers to a row
    that differs, shape (rows,) each.
    """
    if pair.changed is None:
        pair.changed = compare_worlds(pair.above.world, pair.below.world)
    return pair.changed


def compare_worlds(above: World, below: World) -> dict[type[Component], BoolArray]:
    """Return the result of `find_changed` for two models with equal numbers of rows."""
    tables = {component: table for component, table in above.tables.items() if table.count}
    found = {component: compare_tables(table, below.tables[component]) for component, table in tables.items()}
    entities = np.zeros(above.count, bool)
    for component, rows in found.items():
        entities[tables[component].ids[rows]] = True
    again = True
    while again:
        again = False
        for component, table in tables.items():
            for name, ref in component.refs.items():
                values = table.local(name)
                if ref.is_chain:
                    hit = np.array([bool(entities[chain[chain >= 0]].any()) for chain in values], bool)
                else:
                    hit = (values >= 0) & entities[np.maximum(values, 0)]
                new = hit & ~found[component]
                if new.any():
                    found[component] |= new
                    entities[table.ids[new]] = again = True
    return found


def compare_tables(one: EntityTable, two: EntityTable) -> BoolArray:
    """Return whether each row of two tables with equal numbers of rows differs, apart from initial values, shape
    (rows,).
    """
    differs = np.zeros(one.count, bool)
    for name in one.names:
        if name in one.component.initial_columns:
            continue
        a, b = one.local(name), two.local(name)
        if a.dtype != object and b.dtype != object and a.shape == b.shape:
            differs |= (a != b).reshape(len(a), -1).any(axis=1)
            continue
        differs |= np.array([not is_same(x, y) for x, y in zip(a, b, strict=True)], bool)
    return differs


def is_same(one: Any, two: Any) -> bool:
    """Return whether two values of a table are equal. Functions are equal if they have the same code and equal
    constants.
    """
    if one is two:
        return True
    if isinstance(one, np.ndarray) or isinstance(two, np.ndarray):
        return bool(np.array_equal(one, two))
    if isinstance(one, FunctionType) and isinstance(two, FunctionType):
        cells = [[cell.cell_contents for cell in function.__closure__ or ()] for function in (one, two)]
        same = one.__code__ is two.__code__ and len(cells[0]) == len(cells[1])
        defaults = (one.__defaults__ or (), two.__defaults__ or ())
        return same and is_same(list(defaults[0]), list(defaults[1])) and is_same(cells[0], cells[1])
    if isinstance(one, (list, tuple)) and isinstance(two, (list, tuple)):
        return len(one) == len(two) and all(is_same(x, y) for x, y in zip(one, two, strict=True))
    if isinstance(one, (int, float, str, bytes, bool, type(None))):
        return bool(one == two)
    if type(one) is type(two) and hasattr(one, "__dict__"):
        return is_same(sorted(vars(one).items(), key=lambda i: i[0]), sorted(vars(two).items(), key=lambda i: i[0]))
    return False
