"""The adjoint of a step of a motion. This module computes the adjoint variables of the state at the start of the step
from the adjoint variables of the state at the end. The adjoint variables of a quantity are the derivatives of the
objective J with respect to the quantity. Arrays of adjoint variables are named ``factors`` or ``of_...``.

In a step, the unknowns u of each Newton run fulfil r(u; z_n, d, p) = 0. An update then computes the history values d of
the next run. The adjoint of each run needs one solve with the transposed tangent:

    r_uᵀ μ = g,    λ_z -= r_zᵀ μ,    λ_d -= r_dᵀ μ,    dJ/dp -= r_pᵀ μ,

where g are the adjoint variables of u, and μ are the adjoint variables of the equations r = 0. The derivative r_z
follows from assembled tangents, because r depends on z_n only through predicted coordinates and velocities. The module
history_terms.py describes r_d and the derivatives of updates. If return maps compute d from u within the run, μ is
found by iteration. The derivative r_p is the central difference between two companion models with the parameters p ± h.

At the start of the motion, the accelerations and multipliers follow from linear equations with a symmetric matrix, see
saddle.py. Therefore the adjoint equations have the same matrix.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt

import numpy as np

from windlass.framework.arrays import BoolArray, FloatArray, IntArray
from windlass.framework.assembly.array_kernels import clear
from windlass.framework.assembly.steps import mass_product_steps
from windlass.framework.errors import ModelError
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.kernels.program import Program, Step
from windlass.framework.model.system import evaluate
from windlass.solvers.constraint_motion.initial import MassSolver
from windlass.solvers.sensitivities.companion import Companion, RepeatedRun, RepeatedStep
from windlass.solvers.sensitivities.history_terms import ForceSlopes, HistoryTerms, UpdateSlopes
from windlass.solvers.sensitivities.parameter_models import ParameterModels
from windlass.solvers.sensitivities.parameter_terms import ParameterTerms
from windlass.solvers.sensitivities.projection_terms import ProjectionTerms, StateFactors
from windlass.solvers.sensitivities.recorded_motion import set_state
from windlass.solvers.sensitivities.result_slopes import ResultSlopes
from windlass.solvers.sensitivities.state_store import NAMES
from windlass.solvers.sensitivities.transposed_tangents import TransposedTangents
from windlass.solvers.sensitivities.turning import ROTATED, find_turning

ITERATIONS = 60
"""Largest number of iterations for the adjoint variables μ of a Newton run."""
ACCURATE = 1e-12
"""Relative change [1] of μ in an iteration. If the change is at most this value, the iteration ends."""
BALANCED = 1e-12
"""Error [1] of the equations for μ, relative to the right-hand side. If the error is at most this value, the iteration
ends.
"""
STALLED = 1e-9
"""Relative change [1] of μ. If the change is below this value and no longer decreases, the iteration ends. Such a
change is treated as a rounding error.
"""
SLOW = 0.1
"""Ratio [1] of the changes of two successive iterations. If the ratio is larger than this value, the tangent is
factorised again.
"""
READS = {"x", "v", "data", "start_data"}


@kernel
def weigh_unknowns(
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
    carried: FloatArray,
    lam: FloatArray,
    places: tuple[IntArray, IntArray],
    numbers: tuple[float, float, float, float],
    out: FloatArray,
) -> None:
    """Compute the adjoint variables ``out`` of the unknowns u of a step. The inputs are the adjoint variables of the
    coordinates, velocities, accelerations and algorithmic accelerations at the end of the step, shape (n,) each, and
    the adjoint variables ``lam`` of the multipliers, shape (m,). The arrays ``places`` contain the indices of the
    unknowns of coordinates and multipliers. The elements of ``numbers`` are ∂v/∂u, ∂a/∂u, the derivative of the
    algorithmic accelerations with respect to the accelerations, and the derivative of multipliers with respect to the
    unknowns.
    """
    for i in range(len(q)):
        out[places[0][i]] = q[i] + numbers[0] * v[i] + numbers[1] * (a[i] + numbers[2] * carried[i])
    for i in range(len(lam)):
        out[places[1][i]] = numbers[3] * lam[i]


@kernel
def weigh_start(
    of_q: FloatArray,
    of_v: FloatArray,
    of_c: FloatArray,
    numbers: tuple[float, float, float, float, float, float],
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
    carried: FloatArray,
) -> None:
    """Compute the adjoint variables of the state at the start of a step from the adjoint variables of the predicted
    coordinates (``of_q``), velocities (``of_v``) and algorithmic accelerations (``of_c``), shape (n,) each. The first
    elements of ``numbers`` are the step size h, and Newmark's constants β and γ. The next two elements are the
    derivatives of the predicted algorithmic accelerations with respect to the accelerations and to the algorithmic
    accelerations at the start. The last element is 1 for a method with algorithmic accelerations, otherwise 0.
    """
    h, beta, gamma, new, old, generalised = numbers
    for i in range(len(q)):
        algorithmic = of_c[i] + h * h * beta * of_q[i] + h * gamma * of_v[i]
        before = h * h * (0.5 - beta) * of_q[i] + h * (1.0 - gamma) * of_v[i] + old * algorithmic
        q[i] = of_q[i]
        v[i] = h * of_q[i] + of_v[i]
        a[i] = new * algorithmic + (1.0 - generalised) * before
        carried[i] = generalised * before


@kernel
def weigh_run(
    places: IntArray,
    right: FloatArray,
    damping: FloatArray,
    inertia: FloatArray,
    numbers: tuple[float, float],
    q: FloatArray,
    v: FloatArray,
) -> None:
    """Add the contributions of the equations of a Newton run to the adjoint variables of the predicted coordinates and
    velocities.

    Args:
        places: for each coordinate, the index of its unknown, shape (n,).
        right: r_uᵀ μ for the unknowns, shape (u,).
        damping: r_vᵀ μ for the unknowns, shape (u,).
        inertia: M μ, shape (n + 1,).
        numbers: two factors, which are the derivatives of velocities and of accelerations with respect to the unknowns.
        q, v: the adjoint variables, shape (n,) each.
    """
    for i in range(len(q)):
        k = places[i]
        q[i] += numbers[0] * damping[k] + numbers[1] * inertia[i] - right[k]
        v[i] -= damping[k]


@kernel
def take_places(values: FloatArray, places: IntArray, to: FloatArray) -> None:
    """Copy the elements of ``values`` with the indices ``places``, shape (n,), to the first n elements of ``to``."""
    for i in range(len(places)):
        to[i] = values[places[i]]


_weigh_unknowns, _weigh_start = call(weigh_unknowns), call(weigh_start)
_weigh_run, _take_places = call(weigh_run), call(take_places)


@dataclass
class StepFactors:
    """Sums of adjoint variables over the Newton runs of a step. These are the adjoint variables of the predicted
    coordinates and velocities, and of the coordinates and velocities at the start of the step, shape (n,) each, and of
    the history values at the start of the step, shape (d,).
    """

    q: FloatArray
    v: FloatArray
    start_x: FloatArray
    start_v: FloatArray
    start_data: FloatArray


def find_largest(values: FloatArray) -> float:
    """Return the largest absolute value of an array."""
    return float(max(values.max(initial=0.0), -values.min(initial=0.0)))


def find_norm(values: FloatArray) -> float:
    """Return the 2-norm of an array."""
    return sqrt(float(values @ values))


class Adjoint:
    """Object that computes the adjoint variables λ of the states of a motion, from the end of the motion to its start.

    Args:
        centre: the model with the parameters of the motion.
        models: the companion models of the parameters.
        varies: whether each history value changes continuously, shape (d,).

    Attributes:
        factors: adjoint variables λ of the present state.
        sums: sums of the contributions to dJ/dp so far, shape (parameters,).
    """

    def __init__(self, centre: Companion, models: ParameterModels, varies: BoolArray) -> None:
        self._centre, self._models = centre, models
        # these two flags of the fields must be set before kernel calls are created
        fields, integrator = centre.assembly.fields, centre.integrator
        fields.rate_level, fields.unit_rates = integrator.rate_level, len(integrator.rotations) > 0
        self._tangents = TransposedTangents(centre)
        self._history = HistoryTerms(centre, varies) if len(varies) else None
        self._results = ResultSlopes(centre, models, varies)
        self._terms = ParameterTerms(centre, models)
        self._projection = ProjectionTerms(centre, models, self._terms)
        # whether the mass matrix is constant, so that ∂r/∂q follows from the tangent and ∂r/∂v
        self._assembled = not any(system.inertia is not None for system in centre.assembly.systems)
        # the companion models of parameters for which all rows are evaluated, not only the changed rows
        self._whole = {name: models.find_pair(name) for name in self._terms.whole}
        self.factors: StateFactors = {name: np.zeros_like(getattr(centre.state, name)) for name in NAMES}
        self.sums = np.zeros(len(models.steps))
        self._place = self._rate = 0.0
        self._inertia = np.zeros(centre.assembly.layout.spare + 1)
        self._mass, self._revision = Program([]), -1

    @property
    def gradient(self) -> dict[str, float]:
        """The sums of the contributions to dJ/dp so far, by name of the parameter."""
        return dict(zip(self._terms.numbers, self.sums.tolist(), strict=True))

    def add_results(self, weights: Mapping[str, float]) -> None:
        """Add the derivatives of Σ w y to the adjoint variables and to the gradient. Here y are the results at the
        present state of the companion model, and w are their ``weights``.
        """
        if any(weights.values()):
            factors, gradient = self._results.find(weights)
            for name, values in factors.items():
                self.factors[name] = self.factors[name] + values
            for name, change in gradient.items():
                self.sums[self._terms.numbers[name]] += change

    def find_size(self) -> float:
        """Return the 2-norm of all elements of two vectors. The first vector contains the adjoint variables of
        coordinates, multiplied by the largest coordinate so far. The second vector contains the adjoint variables of
        velocities, multiplied by the largest velocity so far.
        """
        state = self._centre.state
        self._place = max(self._place, find_largest(state.q))
        self._rate = max(self._rate, find_largest(state.v))
        place, rate = (float(self.factors[name] @ self.factors[name]) for name in ("q", "v"))
        return sqrt((self._place or 1.0) ** 2 * place + (self._rate or 1.0) ** 2 * rate)

    def add_start(self) -> None:
        """Add (dz_0/dp)ᵀ λ_0 to the gradient. The state z_0 at the start of the motion is the present state of the
        companion model.
        """
        centre, shared = self._centre, list[int]()
        for group in self._models.groups:
            numbers = [self._terms.numbers[name] for name in group.names]
            if not group.is_shared:
                slopes = group.pair.slopes
                self.sums[numbers[0]] += sum(float(self.factors[name] @ slopes[name]) for name in NAMES)
            else:
                shared += numbers
        if not shared:
            return
        # Accelerations and multipliers follow from M a + C_qᵀ λ = loads - f, C_q a = r. The matrix is symmetric.
        centre.assembly.load_fields(centre.state)
        right = -np.append(self.factors["a"] + self.factors["carried"], 0.0)
        mu, nu = MassSolver(centre.problem).solve(right, np.append(self.factors["lam"], 0.0))
        self._terms.mu[:-1], self._terms.nu[:-1] = mu, nu
        self.sums[shared] -= self._terms.find()[shared]

    def project_back(self, start: Mapping[str, FloatArray], t: float, step: RepeatedStep) -> None:
        """Compute the adjoint variables of the state before the projection at the end of a step from the adjoint
        variables of the state after the projection. The computed adjoint variables replace the given adjoint variables
        in the attribute ``factors``. The present state of the companion model is the state before the projection. The
        arguments are explained in `step_back`.
        """
        self.factors = self._projection.pass_back(self.factors, self.sums, start, t, step)

    def step_back(self, start: Mapping[str, FloatArray], t: float, step: RepeatedStep, projects: bool = False) -> None:
        """Compute the adjoint variables at the start of a step from the adjoint variables at its end, without the
        projection at the end of the step.

        Args:
            start, t: arrays of the state at the start of the step, and its time [s]. The companion model must be at the
                beginning of this step.
            step: the repeated step.
            projects: whether the state at the end of the step was projected, and `project_back` was called before this
                call.
        """
        centre, factors = self._centre, self.factors
        for pair in self._whole.values():
            for side in (pair.above, pair.below):
                set_state(side, start, t)
                side.begin_step(step.h, step.then)
        problem, integrator = centre.problem, centre.integrator
        places, scheme, n = problem.sparsity.unknowns, problem.scheme, centre.assembly.layout.spare
        # ``of_c`` are the adjoint variables of the algorithmic accelerations at the end of the step. The sums ``into``
        # begin with the given adjoint variables, or with 0.
        of_c, none = factors["carried"], np.zeros(n)
        into = StepFactors(factors["q"].copy(), factors["v"].copy(), none, none, np.zeros_like(factors["data"]))
        if self._history is not None:
            into.start_x, into.start_v = np.zeros(n), np.zeros(n)
        share = integrator.shares[2] if integrator.generalised else 0.0
        rates = scheme.v_factor, scheme.a_factor, share, scheme.multiplier_factor
        g, indices = np.zeros(problem.pattern.rows), (places.of_dof, places.of_multiplier)
        _weigh_unknowns(into.q, into.v, factors["a"], of_c, factors["lam"], indices, rates, g)
        turning = integrator.rotations.ravel()
        turns = find_turning(centre, start, t, step) if len(turning) else None
        if turns is not None:
            g[places.of_dof[turning]] = turns.multiply("u", factors)[turning]
            of_c = of_c.copy()
            into.q[turning] = into.v[turning] = of_c[turning] = 0.0
        of_data, kept = factors["data"], dict[int, FloatArray]()
        for number in range(len(step.runs) - 1, -1, -1):
            run = step.runs[number]
            if number < len(step.runs) - 1:
                g = np.zeros_like(g)
            later = kept.pop(number, None)
            alone = len(step.runs) == 1 and not projects and not centre.searches
            of_data = self._run_back(run, g, of_data, start["data"], later, alone, into)
            if number > 0 and run.like >= 0:
                kept[run.like] = kept.get(run.like, 0.0) + of_data
                of_data = np.zeros_like(of_data)
        found = {name: np.empty(n) for name in ROTATED}
        numbers = step.h, integrator.beta, integrator.gamma, *integrator.shares[:2], float(integrator.generalised)
        _weigh_start(into.q, into.v, of_c, numbers, found["q"], found["v"], found["a"], found["carried"])
        if turns is not None:
            ends = {**factors, "q0": into.q, "v0": into.v}
            for name, values in found.items():
                values[turning] = turns.multiply(name, ends)[turning]
            self._add_turning(factors, step)
        if self._history is not None:
            found["q"] += into.start_x
            found["v"] += into.start_v
        self.factors = {**found, "lam": np.zeros_like(factors["lam"]), "data": into.start_data + of_data}

    def _find_mass(self) -> Program:
        """Return the compiled program that multiplies the mass matrix by the adjoint variables μ of the equations of
        motion.
        """
        assembly = self._centre.assembly
        if self._revision != assembly.revision:
            steps: list[Step] = [(call(clear, (self._inertia,)), (evaluate(assembly.fields),))]
            steps += mass_product_steps(assembly, self._terms.mu, self._inertia)
            self._mass, self._revision = Program(steps), assembly.revision
        return self._mass

    def _add_turning(self, factors: StateFactors, step: RepeatedStep) -> None:
        """Some parameters change the reference coordinates of rotations. This method adds the contributions of these
        parameters to the gradient, by central differences of the state at the end of a step.
        """
        run = step.runs[-1]
        for name, pair in self._whole.items():
            ends = []
            for side in (pair.above, pair.below):
                side.end_step(run.unknowns, run.updated, step)
                ends.append(sum(float(factors[which] @ getattr(side.state, which)) for which in ROTATED))
            self.sums[self._terms.numbers[name]] += (ends[0] - ends[1]) / (2.0 * pair.h)

    def _run_back(
        self,
        run: RepeatedRun,
        g: FloatArray,
        of_data: FloatArray,
        start: FloatArray,
        later: FloatArray | None,
        alone: bool,
        into: StepFactors,
    ) -> FloatArray:
        """Add the adjoint variables of the inputs of a Newton run and of the update after this run to the sums
        ``into``. Return the adjoint variables of the history values of the run, shape (d,).

        Args:
            run: the repeated Newton run.
            g: adjoint variables of the unknowns, shape (u,). The array is changed.
            of_data: adjoint variables of the history values after the update, shape (d,).
            start: history values at the start of the step, shape (d,).
            later: adjoint variables of the history values from a later run with the same history values, shape (d,);
                None if there is no such run.
            alone: whether no other tangent was factorised after the repetition of the run.
            into: the sums.
        """
        centre, history, terms = self._centre, self._history, self._terms
        problem = centre.problem
        places, scheme = problem.sparsity.unknowns, problem.scheme
        of_run = np.zeros_like(of_data)
        map_slopes: UpdateSlopes | None = None
        forces: ForceSlopes | None = None
        start_forces: ForceSlopes | None = None
        if history is not None:
            centre.load(run.unknowns, run.data)
            slopes = history.find_update_slopes(centre.run_update, run.updated, run.data, start, READS)
            of_run = self._add_update(into, slopes, of_data, g)
            terms.add_update(of_data, run.data, run.updated, self.sums)
            for name, pair in self._whole.items():
                ends = (
                    pair.above.update_history(run.unknowns, run.data),
                    pair.below.update_history(run.unknowns, run.data),
                )
                self.sums[terms.numbers[name]] += of_data @ pair.find_slope(run.updated, *ends)
            centre.load(run.unknowns, run.data)
            forces, start_forces = history.find_force_slopes(run.data), history.find_force_slopes(run.data, start)
            if run.maps:
                centre.load(run.unknowns, run.base)
                map_slopes = history.find_update_slopes(
                    lambda data: centre.run_maps(data, run.decides), run.found, run.base, start, READS
                )
        if later is not None and map_slopes is None:
            of_run = of_run + later
        if not (alone and run.loaded):
            centre.load(run.unknowns, run.data)
        if alone and not run.near:
            # the last tangent was not evaluated at the solution, so evaluate the tangent at the solution
            problem.update_tangent(problem.unknowns)
        elif not alone:
            run.factors = centre.factorise()
        mu, of_run, right = self._solve(run, g, of_run, forces, map_slopes)
        _take_places(mu, places.of_dof, terms.mu)
        _take_places(mu, places.of_multiplier, terms.nu)
        if history is not None and start_forces is not None:
            into.start_data -= history.multiply_forces(start_forces, terms.mu[:-1], terms.nu[:-1])
        by_v = self._tangents.multiply(0.0, 1.0, mu)
        if self._assembled:
            # the mass matrix is constant, so r_uᵀ mu, which equals the right-hand side, replaces a product with ∂r/∂q
            self._find_mass()()
            _weigh_run(places.of_dof, right, by_v, self._inertia, (scheme.v_factor, scheme.a_factor), into.q, into.v)
        else:
            into.q -= self._tangents.multiply(1.0, 0.0, mu)[places.of_dof]
            into.v -= by_v[places.of_dof]
        self.sums -= terms.find()
        for name, pair in self._whole.items():
            change = pair.above.eval_residual(run.unknowns, run.data) - pair.below.eval_residual(run.unknowns, run.data)
            self.sums[terms.numbers[name]] -= (mu @ change) / (2.0 * pair.h)
        if map_slopes is not None:
            of_base = self._add_update(into, map_slopes, of_run, np.zeros_like(g))
            terms.add_map(of_run, run, self.sums)
            for name, pair in self._whole.items():
                ends = (
                    pair.above.map_history(run.unknowns, run.base, run.decides),
                    pair.below.map_history(run.unknowns, run.base, run.decides),
                )
                self.sums[terms.numbers[name]] += of_run @ pair.find_slope(run.found, *ends)
            of_run = of_base if later is None else of_base + later
            if run.decides:
                into.start_data += of_run
                of_run = np.zeros_like(of_run)
        return of_run

    def _add_update(self, into: StepFactors, slopes: UpdateSlopes, of_data: FloatArray, g: FloatArray) -> FloatArray:
        """Add the contributions of an update of history values to the sums ``into``, and to the adjoint variables g of
        the unknowns. Return the adjoint variables of the history values before the update, shape (d,). The argument
        ``of_data`` contains the adjoint variables of the history values after the update, shape (d,)."""
        centre, n = self._centre, len(into.q)
        places, scheme, d = centre.problem.sparsity.unknowns, centre.problem.scheme, len(of_data)
        by_x, by_v = slopes.x.multiply(of_data, n + 1)[:-1], slopes.v.multiply(of_data, n + 1)[:-1]
        into.q += by_x
        into.v += by_v
        g[places.of_dof] += by_x + scheme.v_factor * by_v
        into.start_x += slopes.start_x.multiply(of_data, n + 1)[:-1]
        into.start_v += slopes.start_v.multiply(of_data, n + 1)[:-1]
        into.start_data += slopes.start_data.multiply(of_data, d)
        return slopes.data.multiply(of_data, d)

    def _solve(
        self, run: RepeatedRun, g: FloatArray, of_data: FloatArray, forces: ForceSlopes | None,
        maps: UpdateSlopes | None,
    ) -> tuple[FloatArray, FloatArray, FloatArray]:  # fmt: skip
        """Return the adjoint variables mu of the equations of a run, shape (u,), the adjoint variables of the history
        values of the run, shape (d,), and the product r_uᵀ mu, shape (u,).

        Args:
            run: the repeated Newton run. The tangent of Newton's method is up to date, and ``run.factors`` is a
                factorisation of the tangent at the unknowns of the run or at nearby unknowns.
            g: adjoint variables of the unknowns, shape (u,).
            of_data: adjoint variables of the history values without the contribution of the equations, shape (d,).
            forces: derivatives of forces with respect to history values, or None.
            maps: derivatives of return maps, or None.

        Raises:
            ModelError: the iteration does not converge.
        """
        places, scheme = self._centre.problem.sparsity.unknowns, self._centre.problem.scheme
        mu, before, largest, size, exact = np.zeros_like(g), np.inf, 0.0, 0.0, False

        def weigh() -> FloatArray:
            """Return the adjoint variables of the history values for the present values of mu."""
            if forces is None or self._history is None:
                return of_data
            return of_data - self._history.multiply_forces(forces, mu[places.of_dof], mu[places.of_multiplier])

        for number in range(ITERATIONS):
            right = g
            if maps is not None:
                of_run, n, right = weigh(), len(places.of_dof), g.copy()
                right[places.of_dof] += maps.x.multiply(of_run, n + 1)[:-1]
                right[places.of_dof] += scheme.v_factor * maps.v.multiply(of_run, n + 1)[:-1]
            left = right - self._tangents.multiply_whole(mu) if number else right
            if number > 0 and maps is None and find_norm(left) <= BALANCED * find_norm(right):
                return mu, weigh(), right
            correction = run.factors.solve(left, trans="T")
            mu += correction
            largest = max(largest, find_norm(mu))
            size = find_norm(correction) / (largest or 1.0)
            if not np.isfinite(size):
                break
            if size <= ACCURATE or (number > 1 and size > 0.5 * before and size < STALLED):
                return mu, weigh(), right
            if number > 0 and size > SLOW * before and size > STALLED and maps is None:
                if exact:
                    self._centre.distrust_factors()
                run.factors, exact = self._centre.factorise(), True
            before = size
        raise ModelError(
            f"the adjoint of the step to t = {scheme.t:.9g} s does not converge: its relative change is still "
            f"{size:.3g} after {number + 1} iterations"
        )
