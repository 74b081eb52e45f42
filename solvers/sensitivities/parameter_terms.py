"""Derivatives of the equations of a step with respect to many parameters. For these derivatives, only the rows that a
parameter changes are evaluated.

Most parameters change the values of only a few table rows of a model. The tables of the two companion models of a
parameter are compared only once. In each step, forces are evaluated only for rows that differ between both models, and
for rows that refer to such rows. These evaluations read the motion of the nominal model, which has the parameters of
the motion. The constant mass matrices and the constant loads of both models are also compared only once. If a parameter
changes reference coordinates or markers, the companion models are evaluated as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.array_kernels import clear
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.kernels.program import Program, Step
from windlass.framework.model.law import require_law, role_of
from windlass.framework.model.system import CONSTANT, Evaluation, System, evaluate
from windlass.solvers.sensitivities.companion import Companion, RepeatedRun
from windlass.solvers.sensitivities.compared_worlds import ChangedRows, compare_worlds
from windlass.solvers.sensitivities.motion import CompanionPair
from windlass.solvers.sensitivities.parameter_models import ParameterModels


@kernel
def weigh(f: FloatArray, places: IntArray, factors: FloatArray, scale: float, of: IntArray, total: FloatArray) -> None:
    """For each index i in ``places``, add scale · f[i] · factors[i] to the element of[i] of ``total``, shape
    (parameters,). Then set f[i] to 0. The elements of the array ``of`` are indices of parameters.
    """
    for i in places:
        total[of[i]] += scale * f[i] * factors[i]
        f[i] = 0.0


@kernel
def negate(f: FloatArray, places: IntArray) -> None:
    """Change the sign of f[i] for each index i in ``places``."""
    for i in places:
        f[i] = -f[i]


@kernel
def weigh_loads(numbers: IntArray, places: IntArray, values: FloatArray, mu: FloatArray, total: FloatArray) -> None:
    """Subtract from ``total``, shape (parameters,), the products of the derivatives of constant loads and their adjoint
    variables ``mu``. The element values[k] is a derivative: the load on the coordinate places[k] is differentiated with
    respect to the parameter numbers[k].
    """
    for k in range(len(values)):
        total[numbers[k]] -= values[k] * mu[places[k]]


@kernel
def weigh_mass(
    numbers: IntArray, rows: IntArray, columns: IntArray, values: FloatArray, mu: FloatArray, a: FloatArray,
    total: FloatArray,
) -> None:  # fmt: skip
    """Add to ``total``, shape (parameters,), the products of the adjoint variables ``mu``, the derivatives of the
    constant mass matrix, and the accelerations ``a``. The element values[k] is a derivative: the entry (rows[k],
    columns[k]) is differentiated with respect to the parameter numbers[k].
    """
    for k in range(len(values)):
        total[numbers[k]] += values[k] * mu[rows[k]] * a[columns[k]]


@kernel
def begin_values(values: FloatArray, to: FloatArray) -> None:
    """Copy the history values at the start of an update, shape (d,)."""
    for i in range(len(values)):
        to[i] = values[i]


class ParameterTerms:
    """Products of adjoint variables with the derivatives of the equations of a step with respect to parameters.

    Args:
        centre: the model with the parameters of the motion, whose fields contain the motion.
        models: the companion models of the parameters.

    Attributes:
        whole: names of the parameters whose companion models are evaluated as a whole.
        numbers: index of each parameter in arrays of derivatives, by name.
        mu, nu: adjoint variables of the equations of motion, shape (n + 1,), and of the constraints, shape (m + 1,),
            which `find` reads. The last element of each array is 0.
    """

    def __init__(self, centre: Companion, models: ParameterModels) -> None:
        self._centre = centre
        fields, layout = centre.assembly.fields, centre.assembly.layout
        n, m = layout.spare, len(layout.multipliers_owned)
        self._f, self._c, self.mu, self.nu = np.zeros(n + 1), np.zeros(m + 1), np.zeros(n + 1), np.zeros(m + 1)
        groups = [group for group in models.groups if self._is_local(group.pair)]
        local = {name for group in groups for name in group.names}
        self.whole = [name for group in models.groups for name in group.names if name not in local]
        self.numbers = {name: number for number, name in enumerate(models.steps)}
        self._totals, self._steps = np.zeros(len(models.steps)), np.array(list(models.steps.values()))
        entries, loads = list[tuple[IntArray, IntArray, IntArray, FloatArray]](), list[tuple[Any, ...]]()
        steps: list[Step] = [(call(clear, (self._totals,)), (evaluate(fields),))]
        self._pairs = dict[str, CompanionPair]()
        self._updates: dict[str, tuple[Program, FloatArray, FloatArray]] = {}
        self._maps: dict[str, tuple[Program, FloatArray, FloatArray]] = {}
        s = evaluate(fields, f=self._f, C=self._c)
        for group in groups:
            numbers = np.array([self.numbers[name] for name in group.names], np.int64)
            pair, of_dof, of_multiplier = group.pair, numbers[group.of_dof], np.full(m + 1, numbers[0])
            for systems in zip(*(self._find_systems(pair, side) for side in (pair.above, pair.below)), strict=True):
                steps += self._force_steps(systems, s, (of_dof, of_multiplier))
            pair.above.assembly.loads.update()
            pair.below.assembly.loads.update()
            load = 0.5 * (pair.above.assembly.loads.weights - pair.below.assembly.loads.weights)[:-1]
            place = np.flatnonzero(load)
            loads.append((of_dof[place], place, load[place]))
            mass = (to_matrix(pair.above) - to_matrix(pair.below)).tocoo()
            row, column, values = mass.coords[0], mass.coords[1], 0.5 * mass.data
            entries.append((of_dof[row], row, column, values))
            if not group.is_shared:
                self._prepare_history(group.names[0], pair)
        none = np.zeros(0, np.int64)
        changed_loads = join(loads, (none, none, np.zeros(0)))
        changed_mass = join(entries, (none, none, none, np.zeros(0)))
        if len(changed_loads[0]):
            steps.append((call(weigh_loads, (*changed_loads, self.mu, self._totals)), (s,)))
        if len(changed_mass[0]):
            steps.append((call(weigh_mass, (*changed_mass, self.mu, fields.a, self._totals)), (s,)))
        self._program = Program(steps, asks=centre.assembly.is_fixed, around=centre.assembly.calling)
        self._any = len(local) > 0

    def find(self) -> FloatArray:
        """Return one sum for each parameter, shape (parameters,). The sum has two parts: the derivatives of the
        equations of motion with respect to the parameter, multiplied by the adjoint variables in ``mu``, and the
        derivatives of the constraints, multiplied by the adjoint variables in ``nu``. The derivatives are evaluated at
        the motion in the fields of the nominal model. The sums of the parameters in ``whole`` are 0.
        """
        if not self._any:
            return np.zeros(len(self._steps))
        with self._centre.assembly.calling():
            self._program()
        found: FloatArray = self._totals / self._steps
        return found

    def add_update(self, weights: FloatArray, data: FloatArray, centre: FloatArray, gradient: FloatArray) -> None:
        """Multiply the derivatives of an update with respect to the parameters by the adjoint variables of the history
        values, and add the products to ``gradient``.

        Args:
            weights: the adjoint variables of the history values after the update, shape (d,).
            data: history values before the update, shape (d,).
            centre: history values after the update in the nominal model, shape (d,).
            gradient: sums of the products, shape (parameters,). The new products are added.
        """
        self._add_products(self._updates, weights, data, centre, gradient)

    def add_map(self, weights: FloatArray, run: RepeatedRun, gradient: FloatArray) -> None:
        """Like `add_update`, for the return maps that compute the history values of a run.

        Args:
            weights: the adjoint variables of the history values of the run, shape (d,).
            run: the run.
            gradient: sums of the products, shape (parameters,). The new products are added.
        """
        mapped = self._centre.assembly.fields.mapped
        mapped[0] = 1.0 if run.decides else 0.0
        self._add_products(self._maps, weights, run.base, run.found, gradient)
        mapped[0] = CONSTANT

    def _add_products(
        self, programs: dict[str, tuple[Program, FloatArray, FloatArray]], weights: FloatArray, data: FloatArray,
        centre: FloatArray, gradient: FloatArray,
    ) -> None:  # fmt: skip
        """Execute programs that compute new history values from the values ``data``, and add products to ``gradient``,
        see `add_update`.
        """
        self._centre.assembly.fields.data[:] = data
        for name, (program, above, below) in programs.items():
            program()
            gradient[self.numbers[name]] += weights @ self._pairs[name].find_slope(centre, above, below)

    def _is_local(self, pair: CompanionPair) -> bool:
        """Return whether the rows that a parameter changes can be evaluated at the motion of the nominal model."""
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
        of the laws of these rows.
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

    def _force_steps(self, systems: tuple[System, System], s: Evaluation, of: tuple[IntArray, IntArray]) -> list[Step]:
        """Return the program steps that evaluate half the difference between the equations of two systems, multiply
        this difference by the adjoint variables, and add the products to the totals. The systems contain the same rows
        with increased and with reduced parameters. The arrays ``of`` contain, for each coordinate and each multiplier,
        the index of the parameter in the totals.
        """
        n, m, first = len(self._f) - 1, len(self._c) - 1, systems[0]
        dofs = np.unique(np.concatenate([system.dofs.ravel() for system in systems]))
        dofs = dofs[dofs < n] if first.neighbours is None else np.arange(n)
        multipliers = np.zeros(0, np.int64)
        if first.constraint is not None:
            multipliers = np.unique(first.constraint.multipliers).astype(np.int64)
            multipliers = multipliers[multipliers < m]
        sums = [(self._f, dofs, self.mu, of[0]), (self._c, multipliers, self.nu, of[1])]
        sums = sums if len(multipliers) else sums[:1]
        forces, loads = zip(*(self._list_functions(system, s) for system in systems), strict=True)
        found = list[Step]()
        for parts, scale in ((forces, -0.5), (loads, 0.5)):
            if not parts[0]:
                continue
            for system, steps in zip(systems, parts, strict=True):
                if system is not first:
                    found += [(call(negate, (f, places)), (s,)) for f, places, _, _ in sums]
                if system.neighbours is not None and system.update is not None:
                    # history values contain the contact partners, on which the coordinates of rows depend
                    found.append((system.update, (s,)))
                found += steps
            found += [
                (call(weigh, (f, places, factors, scale, of_place, self._totals)), (s,))
                for f, places, factors, of_place in sums
            ]
        return found

    def _list_functions(self, system: System, s: Evaluation) -> tuple[list[Step], list[Step]]:
        """Return two lists of program steps. The first list evaluates the forces and constraints of a system. The
        second list evaluates its loads, which have the opposite sign in the equations.
        """
        forces, loads = list[Step](), list[Step]()
        if system.residual is not None:
            forces.append((system.residual, (s,)))
        if system.inertia is not None:
            forces.append((system.inertia.force, (s,)))
        if system.constraint is not None:
            forces.append((system.constraint.residual, (s,)))
        if system.load is not None:
            loads.append((system.load.force, (s,)))
        if system.body_force is not None and system.body_force.tangent is not None:
            weighed = evaluate(s, g=self._centre.assembly.loads.gravity, which=np.arange(len(system.dofs)))
            loads.append((system.body_force.force, (weighed,)))
        return forces, loads

    def _prepare_history(self, name: str, pair: CompanionPair) -> None:
        """Create the compiled programs that update history values with changed parameters."""
        fields, self._pairs[name] = self._centre.assembly.fields, pair
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
                # no program is necessary if the parameter changes no rows with history values
                programs[name] = Program(steps), arrays[0], arrays[1]


def find_changed(pair: CompanionPair) -> ChangedRows:
    """Return the rows that differ between the companion models of a pair."""
    if pair.changed is None:
        pair.changed = compare_worlds(pair.above.world, pair.below.world)
    return pair.changed


def to_matrix(companion: Companion) -> csr_array:
    """Return the constant mass matrix of a model, shape (n, n)."""
    mass, n = companion.assembly.mass_rows, companion.assembly.layout.spare
    return csr_array((mass.values, mass.columns, mass.indptr), shape=(n, n))


def join(parts: Sequence[tuple[Any, ...]], none: tuple[Any, ...]) -> tuple[Any, ...]:
    """Concatenate the first arrays of all tuples ``parts``, the second arrays, and so on. The empty arrays ``none``
    determine the types of the results."""
    return tuple(np.concatenate(arrays) for arrays in zip(none, *parts, strict=True))
