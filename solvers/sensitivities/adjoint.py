"""Derivatives of one number with respect to many parameters of a motion: the discrete adjoint.

With the parameters p, the motion is a sequence of steps z_n+1 = F(z_n, p) of the states z (coordinates, velocities,
accelerations, multipliers and history values). For an objective J(y_0, ..., y_N) of results y_n = y(z_n, p), the
factors λ_n = dJ/dz_n follow from the last step to the first step:

    λ_n = (∂F/∂z)ᵀ λ_n+1 + (∂y/∂z)ᵀ ∂J/∂y_n,    dJ/dp = Σ ((∂F/∂p)ᵀ λ_n+1 + (∂y/∂p)ᵀ ∂J/∂y_n) + (dz_0/dp)ᵀ λ_0.

In a step, the unknowns u of each Newton run fulfil r(u; z_n, d, p) = 0, and the history values d of the next run follow
from an update. The products with the derivatives of u need one solve with the transposed tangent for each run:

    r_uᵀ μ = g,    λ_z -= r_zᵀ μ,    λ_d -= r_dᵀ μ,    dJ/dp -= r_pᵀ μ.

Here g are the factors of u, and subscripts of r denote partial derivatives. r_z follows from assembled tangents,
because z_n enters r only by predicted coordinates and velocities. r_d and the derivatives of updates are described in
history_terms.py. If return maps compute d from u within the run, μ is found by iteration. r_p is the central difference
between two companion models with the parameters p ± h.

States are needed in reverse order. Some states are stored, and the steps after them are repeated (revolve.py).

Sources: D. A. Tortorelli, P. Michaleris, Inverse Problems in Engineering 1 (1994) 71-105, section 5 (adjoint of
transient nonlinear problems); A. Griewank, A. Walther, Evaluating Derivatives, SIAM (2008), chapter 12.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.sparse import csc_array

from windlass.framework.arrays import BoolArray, FloatArray, IntArray
from windlass.framework.assembly.array_kernels import clear
from windlass.framework.assembly.steps import constraint_tangent_steps, tangent_steps
from windlass.framework.checks.checks import checked, function, optional, that, whole
from windlass.framework.command_line.options import help_requested
from windlass.framework.errors import ModelError
from windlass.framework.kernels.call import call
from windlass.framework.kernels.program import Program, Step
from windlass.framework.model.system import evaluate
from windlass.framework.model.world import World
from windlass.framework.state.state import State
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.sensitivities.companion import (
    MOTION,
    Companion,
    Model,
    RepeatedRun,
    RepeatedStep,
    StepPlan,
    plan_step,
    repeat_run,
)
from windlass.solvers.sensitivities.evaluate import CHECKS, Results, read_results
from windlass.solvers.sensitivities.growth import describe_growth, find_growth
from windlass.solvers.sensitivities.history_terms import ForceSlopes, HistoryTerms, UpdateSlopes
from windlass.solvers.sensitivities.motion import CompanionPair, create_changed, create_companions, prepare_motion
from windlass.solvers.sensitivities.objectives import Objective
from windlass.solvers.sensitivities.parameter_terms import ParameterTerms
from windlass.solvers.sensitivities.result_slopes import ResultSlopes
from windlass.solvers.sensitivities.revolve import place_states, reverse
from windlass.solvers.verdicts.verdict import Verdict

NAMES = (*MOTION, "data")
"""Arrays of a state that later steps or results read."""
MEMORY = 2**28
"""Size of stored states up to which no step is repeated by default [bytes]."""
ITERATIONS = 60
"""Largest number of iterations of the factors of a Newton run."""
ACCURATE = 1e-12
"""Relative change of the factors in an iteration below which the iteration ends [1]."""
STALLED = 1e-9
"""Relative change of the factors in an iteration up to which a change that no longer decreases is accepted as a
rounding error [1].
"""
SLOW = 0.1
"""Ratio of the changes of two successive iterations above which the tangent is factorised again [1]."""
PROJECTION_STEP = 1e-6
"""Perturbation of the motion for derivatives of projections, relative to the largest value [1]."""
INSIGNIFICANT = 1e-10
"""Derivative of a projection, relative to the largest factor, up to which it is 0 within rounding errors [1]."""
ROTATED = MOTION[:-1]
"""Arrays of a state with one value per coordinate."""
TURNING_STEP = 1e-6
"""Perturbation of Euler parameters, their rates and accelerations, relative to the largest value [1]."""
READS = {"x", "v", "data", "start_data"}
StateFactors = dict[str, FloatArray]
"""Derivatives of the objective with respect to the arrays of a state, by name of the array."""


@dataclass
class MotionGradient:
    """An objective of a motion and its derivatives with respect to parameters.

    Attributes:
        value: the objective J.
        gradient: dJ/dp by name of the parameter, in units of the objective per unit of the parameter.
        t: times at the start and at the ends of the steps [s], shape (k,).
        y: results by name, shape (k,) each.
        repeated: number of steps that were repeated in addition to one repetition of each step.
        growth: rate [1/s] at which the derivatives of the objective with respect to earlier states grow, backwards in
            time; see `growth.py`.
        chaotic: whether these derivatives grow exponentially, so that the gradient has no practical meaning.
        verdict: the verdict of the motion.
    """

    value: float
    gradient: dict[str, float]
    t: FloatArray
    y: dict[str, FloatArray]
    repeated: int
    growth: float
    chaotic: bool
    verdict: Verdict = field(repr=False)


def follow_plan(centre: Companion, plan: StepPlan, near: State | None, factors: Any = None) -> RepeatedStep:
    """Repeat a step from the state of the companion model. Afterwards this state is the end of the step before the
    projection.

    Args:
        centre: the companion model in which the step is repeated.
        plan: how the step was computed.
        near: approximate solution at the end of the step, if known.
        factors: factorised tangent of a step at a nearby time, if known.

    Raises:
        ModelError: a Newton run cannot be repeated.
    """
    state = centre.state
    step = RepeatedStep(plan.h, plan.then, state, [], projects=False)
    centre.begin_step(plan.h, plan.then)
    unknowns, data = centre.read_unknowns(state if near is None else near), state.data.copy()
    for number in range(plan.runs):
        if number > 0:
            last = number == plan.runs - 1 and plan.like >= 0
            data = step.runs[plan.like].data if last else step.runs[-1].updated
        run = repeat_run(centre, unknowns, data, plan.maps and number == 0, plan.then, factors)
        factors = run.factors
        run.like = plan.like if number == plan.runs - 1 else -1
        step.runs.append(run)
        unknowns = run.unknowns
    centre.end_step(unknowns, step.runs[-1].updated, step)
    state.start_data[:] = state.data
    state.step += 1
    return step


class TransposedTangents:
    """Products of transposed tangents at the fields of a companion model.

    Args:
        companion: the companion model whose fields contain the motion.
    """

    def __init__(self, companion: Companion) -> None:
        self._companion, self._programs = companion, dict[tuple[float, float], Program]()
        self._key: tuple[object, ...] = ()
        self._values = np.zeros(0)

    def multiply(self, dq: float, dv: float, mu: FloatArray) -> FloatArray:
        """Return (dq ∂r/∂q + dv ∂r/∂v)ᵀ mu for all unknowns, shape (u,); entries of multipliers have no meaning."""
        problem = self._companion.problem
        key = problem.matrix, problem.assembly.revision
        if key != self._key:
            self._key, self._programs = key, {}
            self._values = np.zeros(len(problem.matrix.values))
        if (dq, dv) not in self._programs:
            self._programs[dq, dv] = self._create_program(dq, dv)
        with problem.assembly.calling():
            problem.assembly.loads.update()
            self._programs[dq, dv]()
        return self._transpose(self._values, mu)

    def multiply_whole(self, mu: FloatArray) -> FloatArray:
        """Return r_uᵀ mu for the last tangent of Newton's method, shape (u,)."""
        return self._transpose(self._companion.problem.matrix.values, mu)

    def _transpose(self, values: FloatArray, mu: FloatArray) -> FloatArray:
        pattern = self._companion.problem.pattern
        shape = pattern.rows, pattern.rows
        # compressed rows of a matrix are compressed columns of its transpose
        product: FloatArray = csc_array((values[: pattern.spare], pattern.indices, pattern.indptr), shape=shape) @ mu
        return product

    def _create_program(self, dq: float, dv: float) -> Program:
        problem, values = self._companion.problem, self._values
        assembly = problem.assembly
        steps: list[Step] = [(call(clear, (values,)), (evaluate(assembly.fields),))]
        steps += tangent_steps(assembly, values, dq, dv, 0.0, 0.0, moving=True)
        steps += constraint_tangent_steps(assembly, values, dq, dv, 0.0)
        steps += assembly.load_tangent_steps(values, dq, dv, problem.scheme.load_factor, assembly.loads.gravity)
        return Program(steps, asks=assembly.is_fixed, around=assembly.calling)


class Adjoint:
    """Factors λ of the states of a motion, from the end to the start.

    Args:
        centre: the model with the parameters of the motion.
        pairs: the companion models of each parameter.
        varies: whether each history value changes continuously, shape (d,).
        create: function that creates a companion model in which the parameters with given names are changed together.

    Attributes:
        factors: λ of the present state.
        gradient: the sum of the contributions to dJ/dp so far.
    """

    def __init__(
        self, centre: Companion, pairs: Mapping[str, CompanionPair], varies: BoolArray,
        create: Callable[[Sequence[str]], Companion],
    ) -> None:  # fmt: skip
        self._centre, self._pairs = centre, pairs
        # kernel calls are created with these flags
        fields, integrator = centre.assembly.fields, centre.integrator
        fields.rate_level, fields.unit_rates = integrator.rate_level, len(integrator.rotations) > 0
        self._tangents = TransposedTangents(centre)
        self._history = HistoryTerms(centre, varies) if len(varies) else None
        self._results = ResultSlopes(centre, pairs, varies, create)
        self._terms = ParameterTerms(centre, pairs)
        # whether the mass matrix is constant, so that ∂r/∂q follows from the tangent and ∂r/∂v
        self._assembled = not any(system.inertia is not None for system in centre.assembly.systems)
        coupled = [system.dofs.ravel() for system in centre.assembly.systems if system.constraint is not None]
        own = np.unique(np.concatenate([np.zeros(0, np.int64), *coupled]))
        self._constrained: IntArray = own[own < centre.assembly.layout.spare]
        # parameters whose companion models are evaluated as a whole
        self._whole = {name: pairs[name] for name in self._terms.whole}
        self.factors: StateFactors = {name: np.zeros_like(getattr(centre.state, name)) for name in NAMES}
        self.gradient = dict.fromkeys(pairs, 0.0)
        self._place = self._rate = 0.0
        self._guess = np.zeros(0)

    def add_results(self, weights: Mapping[str, float]) -> None:
        """Add the derivatives of Σ weights · results, at the state of the model, to ``factors`` and ``gradient``."""
        if any(weights.values()):
            factors, gradient = self._results.find(weights)
            for name, values in factors.items():
                self.factors[name] = self.factors[name] + values
            for name, change in gradient.items():
                self.gradient[name] += change

    def find_size(self) -> float:
        """Return the 2-norm of the factors of coordinates and velocities, multiplied by the largest coordinate and by
        the largest velocity so far, respectively.
        """
        state = self._centre.state
        self._place = max(self._place, float(np.abs(state.q).max(initial=0.0)))
        self._rate = max(self._rate, float(np.abs(state.v).max(initial=0.0)))
        place, rate = (float(np.linalg.norm(self.factors[name])) for name in ("q", "v"))
        return float(np.hypot((self._place or 1.0) * place, (self._rate or 1.0) * rate))

    def add_start(self, slopes: Mapping[str, Mapping[str, FloatArray]]) -> None:
        """Add the contribution of the start of the motion to the gradient; ``slopes`` contains the derivatives of the
        arrays of the initial state, by names of the parameter and of the array.
        """
        for name, own in slopes.items():
            self.gradient[name] += sum(float(self.factors[which] @ own[which]) for which in NAMES)

    def project_back(self, start: Mapping[str, FloatArray], t: float, step: RepeatedStep) -> None:
        """Replace the factors of the projected end of a step by the factors of the end before the projection. The state
        of the companion model is the end before the projection. The arguments are explained in `step_back`.
        """
        centre, factors, h = self._centre, self.factors, step.h
        for pair in self._pairs.values():
            for side in (pair.above, pair.below):
                set_state(side, start, t)
                side.begin_step(h, step.then)
        before = {name: getattr(centre.state, name).copy() for name in MOTION}
        after = dict(factors)

        def weigh(companion: Companion, changed: Mapping[str, FloatArray]) -> float:
            state = companion.state
            for name in MOTION:
                getattr(state, name)[:] = changed[name]
            state.t = centre.state.t
            companion.project(h)
            return sum(float(after[name] @ (getattr(state, name) - changed[name])) for name in MOTION)

        # random numbers, because equal changes of all coordinates may have no effect on the projection
        shares = np.random.default_rng(0).uniform(0.5, 1.0, len(factors["q"]))

        def differentiate(name: str, dofs: IntArray) -> float:
            """Return the derivative of the result of `weigh` with respect to a common factor of changes of the given
            entries of an array, which are in the ratios ``shares``.
            """
            size, ends = PROJECTION_STEP * (float(np.abs(before[name]).max(initial=0.0)) or 1.0), []
            for side in (1.0, -1.0):
                moved = {**before, name: before[name].copy()}
                moved[name][dofs] += side * size * shares[dofs]
                ends.append(weigh(centre, moved))
            return (ends[0] - ends[1]) / (2.0 * size)

        for name in ROTATED:
            change = np.zeros_like(factors[name])
            for dof in self._constrained:
                change[dof] = differentiate(name, np.array([dof])) / shares[dof]
            # groups of other coordinates; only groups that change the projection are divided
            parts = [np.setdiff1d(np.arange(len(change)), self._constrained)]
            least = INSIGNIFICANT * float(np.abs(factors[name]).max(initial=0.0))
            while parts:
                part = parts.pop()
                if not len(part):
                    continue
                found = differentiate(name, part)
                if len(part) == 1:
                    change[part] = found / shares[part]
                elif abs(found) > least:
                    parts += [part[: len(part) // 2], part[len(part) // 2 :]]
            self.factors = {**self.factors, name: factors[name] + change}
        for name, pair in self._pairs.items():
            self.gradient[name] += (weigh(pair.above, before) - weigh(pair.below, before)) / (2.0 * pair.h)
        for name in MOTION:
            getattr(centre.state, name)[:] = before[name]

    def step_back(self, start: Mapping[str, FloatArray], t: float, step: RepeatedStep) -> None:
        """Replace the factors of the end of a step before the projection by the factors of the start of the step.

        Args:
            start, t: arrays of the state at the start of the step, and its time [s].
            step: the repeated step.
        """
        centre, factors = self._centre, self.factors
        set_state(centre, start, t)
        for pair in self._whole.values():
            for side in (pair.above, pair.below):
                set_state(side, start, t)
                side.begin_step(step.h, step.then)
        centre.begin_step(step.h, step.then)
        problem, integrator = centre.problem, centre.integrator
        places, scheme, n = problem.sparsity.unknowns, problem.scheme, centre.assembly.layout.spare
        # factors of the predicted coordinates, velocities and algorithmic accelerations, and of the start of the step
        of_q, of_v, of_c = factors["q"].copy(), factors["v"].copy(), factors["carried"].copy()
        of_start, start_q, start_v = np.zeros_like(factors["data"]), np.zeros(n), np.zeros(n)
        share = integrator.shares[2] if integrator.generalised else 0.0
        g = np.zeros(problem.pattern.rows)
        of_unknown = of_q + scheme.v_factor * of_v + scheme.a_factor * (factors["a"] + share * of_c)
        turning = integrator.rotations.ravel()
        turns = find_turning(centre, start, t, step) if len(turning) else None
        if turns is not None:
            of_unknown[turning] = turns.multiply("u", factors)[turning]
            of_q[turning] = of_v[turning] = of_c[turning] = 0.0
        g[places.of_dof] = of_unknown
        g[places.of_multiplier] = scheme.multiplier_factor * factors["lam"]
        of_data, kept = factors["data"], dict[int, FloatArray]()
        for number in range(len(step.runs) - 1, -1, -1):
            run = step.runs[number]
            later = kept.pop(number, None)
            back = self._run_back(run, g, of_data, start["data"], later)
            of_q, of_v = of_q + back.q, of_v + back.v
            start_q, start_v, of_start = start_q + back.start_x, start_v + back.start_v, of_start + back.start_data
            g, of_data = np.zeros_like(g), back.data
            if number > 0 and run.like >= 0:
                kept[run.like] = kept.get(run.like, 0.0) + back.data
                of_data = np.zeros_like(back.data)
        of_start = of_start + of_data
        h, beta, gamma = step.h, integrator.beta, integrator.gamma
        of_c = of_c + h * h * beta * of_q + h * gamma * of_v
        old = h * h * (0.5 - beta) * of_q + h * (1.0 - gamma) * of_v
        of_a, of_old = integrator.shares[0] * of_c, old + integrator.shares[1] * of_c
        if not integrator.generalised:
            of_a, of_old = of_a + of_old, np.zeros_like(of_a)
        found = {"q": of_q, "v": h * of_q + of_v, "a": of_a, "carried": of_old}
        if turns is not None:
            ends = {**factors, "q0": of_q, "v0": of_v}
            for name, values in found.items():
                found[name] = values.copy()
                found[name][turning] = turns.multiply(name, ends)[turning]
            self._add_turning(factors, step)
        found["q"], found["v"] = found["q"] + start_q, found["v"] + start_v
        self.factors = {**found, "lam": np.zeros_like(factors["lam"]), "data": of_start}

    def _add_turning(self, factors: StateFactors, step: RepeatedStep) -> None:
        """Add the derivatives of the end of a step with respect to parameters that change the reference of
        rotations."""
        run = step.runs[-1]
        for name, pair in self._whole.items():
            ends = []
            for side in (pair.above, pair.below):
                side.end_step(run.unknowns, run.updated, step)
                ends.append(sum(float(factors[which] @ getattr(side.state, which)) for which in ROTATED))
            self.gradient[name] += (ends[0] - ends[1]) / (2.0 * pair.h)

    def _run_back(
        self, run: RepeatedRun, g: FloatArray, of_data: FloatArray, start: FloatArray, later: FloatArray | None
    ) -> RunFactors:
        """Return the factors of all quantities that a Newton run and the subsequent update read.

        Args:
            run: the repeated Newton run.
            g: factors of the unknowns, shape (u,).
            of_data: factors of the history values after the update, shape (d,).
            start: history values at the start of the step, shape (d,).
            later: factors of the history values of the run from a later run with the same values, shape (d,), or None.
        """
        centre, history = self._centre, self._history
        problem, n = centre.problem, centre.assembly.layout.spare
        places, scheme = problem.sparsity.unknowns, problem.scheme
        motion = [np.zeros(n) for _ in range(4)]
        found = RunFactors(motion[0], motion[1], motion[2], motion[3], np.zeros_like(of_data), np.zeros_like(of_data))
        g = g.copy()
        map_slopes: UpdateSlopes | None = None
        forces: ForceSlopes | None = None
        if history is not None:
            centre.load(run.unknowns, run.data)
            slopes = history.find_update_slopes(centre.run_update, run.updated, run.data, start, READS)
            self._add_update(found, slopes, of_data, g)
            self._terms.add_update(of_data, run.data, run.updated, self.gradient)
            for name, pair in self._whole.items():
                ends = (
                    pair.above.update_history(run.unknowns, run.data),
                    pair.below.update_history(run.unknowns, run.data),
                )
                self.gradient[name] += float(of_data @ pair.find_slope(run.updated, *ends))
            centre.load(run.unknowns, run.data)
            forces = history.find_force_slopes(run.data)
            if run.maps:
                centre.load(run.unknowns, start)
                map_slopes = history.find_update_slopes(centre.run_maps, run.found, start, start, READS)
        if later is not None:
            found.data += later
        centre.load(run.unknowns, run.data)
        problem.update_tangent(problem.unknowns)
        mu, of_run = self._solve(run, g, found.data, forces, map_slopes)
        found.data = of_run
        by_v = self._tangents.multiply(0.0, 1.0, mu)[places.of_dof]
        if self._assembled:
            inertia, x = np.zeros(n + 1), np.append(mu[places.of_dof], 0.0)
            centre.assembly.add_mass_product(x, inertia)
            by_x = self._tangents.multiply_whole(mu)[places.of_dof]
            by_x -= scheme.v_factor * by_v + scheme.a_factor * inertia[:-1]
        else:
            by_x = self._tangents.multiply(1.0, 0.0, mu)[places.of_dof]
        found.q -= by_x
        found.v -= by_v
        self._terms.add(mu[places.of_dof], mu[places.of_multiplier], self.gradient)
        for name, pair in self._whole.items():
            change = pair.above.eval_residual(run.unknowns, run.data) - pair.below.eval_residual(run.unknowns, run.data)
            self.gradient[name] -= float(mu @ change) / (2.0 * pair.h)
        if map_slopes is not None:
            found.data = np.zeros_like(of_run)
            self._add_update(found, map_slopes, of_run, np.zeros_like(g))
            found.start_data, found.data = found.start_data + found.data, np.zeros_like(of_run)
            self._terms.add_update(of_run, start, run.found, self.gradient, maps=True)
            for name, pair in self._whole.items():
                ends = pair.above.map_history(run.unknowns), pair.below.map_history(run.unknowns)
                self.gradient[name] += float(of_run @ pair.find_slope(run.found, *ends))
        return found

    def _add_update(self, found: RunFactors, slopes: UpdateSlopes, of_data: FloatArray, g: FloatArray) -> None:
        """Add the factors of the quantities that an update reads to ``found``, and the factors of the unknowns to g."""
        centre, n = self._centre, len(found.q)
        places, scheme, d = centre.problem.sparsity.unknowns, centre.problem.scheme, len(of_data)
        by_x, by_v = slopes.x.multiply(of_data, n + 1)[:-1], slopes.v.multiply(of_data, n + 1)[:-1]
        found.q += by_x
        found.v += by_v
        g[places.of_dof] += by_x + scheme.v_factor * by_v
        found.start_x += slopes.start_x.multiply(of_data, n + 1)[:-1]
        found.start_v += slopes.start_v.multiply(of_data, n + 1)[:-1]
        found.data += slopes.data.multiply(of_data, d)
        found.start_data += slopes.start_data.multiply(of_data, d)

    def _solve(
        self, run: RepeatedRun, g: FloatArray, of_data: FloatArray, forces: ForceSlopes | None,
        maps: UpdateSlopes | None,
    ) -> tuple[FloatArray, FloatArray]:  # fmt: skip
        """Return the factors mu of the equations of a run, shape (u,), and of its history values, shape (d,).

        Args:
            run: the run; the tangent of Newton's method is up to date.
            g: factors of the unknowns, shape (u,).
            of_data: factors of the history values without the contribution of the equations, shape (d,).
            forces: derivatives of forces with respect to history values, or None.
            maps: derivatives of return maps, or None.

        Raises:
            ModelError: the iteration does not converge.
        """
        places, scheme = self._centre.problem.sparsity.unknowns, self._centre.problem.scheme
        # without contacts, start from the similar factors of the step that was processed before
        known = len(self._guess) > 0 and self._history is None
        mu, before, exact = self._guess if known else np.zeros_like(g), np.inf, False
        largest = float(np.abs(mu).max(initial=0.0))

        def weigh() -> FloatArray:
            """Return the factors of the history values for the present mu."""
            if forces is None or self._history is None:
                return of_data
            return of_data - self._history.multiply_forces(forces, mu[places.of_dof], mu[places.of_multiplier])

        for number in range(ITERATIONS):
            right = g
            if maps is not None:
                of_run, n, right = weigh(), len(places.of_dof), g.copy()
                right[places.of_dof] += maps.x.multiply(of_run, n + 1)[:-1]
                right[places.of_dof] += scheme.v_factor * maps.v.multiply(of_run, n + 1)[:-1]
            correction = run.factors.solve(right - self._tangents.multiply_whole(mu), trans="T")
            mu = mu + correction
            largest = max(largest, float(np.abs(mu).max(initial=0.0)))
            size = float(np.abs(correction).max(initial=0.0)) / (largest or 1.0)
            if not np.isfinite(size):
                break
            if size <= ACCURATE or (number > 1 and size > 0.5 * before and size < STALLED):
                self._guess = mu
                return mu, weigh()
            if STALLED < size > SLOW * before and not exact:
                # the factorised tangent belongs to a step at a nearby time
                run.factors, exact = self._centre.factorise(), True
            before = size
        raise ModelError(
            f"the adjoint of the step to t = {self._centre.problem.scheme.t:.9g} s does not converge: its relative "
            f"change is still {before:.3g} after {ITERATIONS} iterations"
        )


@dataclass
class TurningSlopes:
    """Derivatives of the Euler parameters in the predictor and at the end of a step, by names of output and input.

    Attributes:
        rotations: process-local indices of the Euler parameters, shape (k, 4).
        slopes: by input, the derivatives of each output, shape (k, 4, 4); the last index belongs to the input. Inputs
            are the arrays `ROTATED` of the state at the start, and the unknowns "u"; outputs are the predicted
            coordinates "q0" and velocities "v0", and the arrays `ROTATED` at the end.
    """

    rotations: IntArray
    slopes: dict[str, dict[str, FloatArray]]

    def multiply(self, name: str, factors: Mapping[str, FloatArray]) -> FloatArray:
        """Return the factors of an input, shape (n,), for factors of outputs, shape (n,) each."""
        found = np.zeros_like(factors["q"])
        for output, slope in self.slopes[name].items():
            if output in factors:
                found[self.rotations] += np.einsum("rj,rjk->rk", factors[output][self.rotations], slope)
        return found


def find_turning(centre: Companion, start: Mapping[str, FloatArray], t: float, step: RepeatedStep) -> TurningSlopes:
    """Return the derivatives of the Euler parameters in a step, see `TurningSlopes`, by central differences. After the
    call, the companion model is again at the beginning of the step.
    """
    rotations, run, slopes = centre.integrator.rotations, step.runs[-1], dict[str, dict[str, FloatArray]]()
    of_dof = centre.problem.sparsity.unknowns.of_dof
    for name in (*ROTATED, "u"):
        array = run.unknowns if name == "u" else start[name]
        h = TURNING_STEP * (float(np.abs(array).max(initial=0.0)) or 1.0) if name != "u" else TURNING_STEP
        own: dict[str, list[FloatArray]] = {}
        for k in range(4):
            ends = []
            for side in (1.0, -1.0):
                arrays, unknowns = dict(start), run.unknowns.copy()
                if name == "u":
                    unknowns[of_dof[rotations[:, k]]] += side * h
                else:
                    arrays[name] = start[name].copy()
                    arrays[name][rotations[:, k]] += side * h
                set_state(centre, arrays, t)
                centre.begin_step(step.h, step.then)
                found = {"q0": centre.problem.q0.copy(), "v0": centre.problem.v0.copy()}
                centre.end_step(unknowns, run.updated, step)
                ends.append(found | {which: getattr(centre.state, which).copy() for which in ROTATED})
            for output, above in ends[0].items():
                own.setdefault(output, []).append((above - ends[1][output])[rotations] / (2.0 * h))
        slopes[name] = {output: np.stack(columns, axis=-1) for output, columns in own.items()}
    set_state(centre, start, t)
    centre.begin_step(step.h, step.then)
    return TurningSlopes(rotations, slopes)


@dataclass
class RunFactors:
    """Factors of the quantities that a Newton run and its update read: predicted coordinates and velocities,
    coordinates and velocities at the start of the step, history values of the run, and history values at the start of
    the step.
    """

    q: FloatArray
    v: FloatArray
    start_x: FloatArray
    start_v: FloatArray
    data: FloatArray
    start_data: FloatArray


def set_state(companion: Companion, arrays: Mapping[str, FloatArray], t: float) -> None:
    """Set the state of a companion model."""
    state = companion.state
    for name in NAMES:
        getattr(state, name)[:] = arrays[name]
    state.start_data[:] = state.data
    state.t = t


@dataclass
class StoredState:
    """A stored state of the motion: its arrays, and its time [s]."""

    arrays: dict[str, FloatArray]
    t: float

    @classmethod
    def of(cls, state: State) -> StoredState:
        """Copy a state."""
        return cls({name: getattr(state, name).copy() for name in NAMES}, state.t)


@checked(
    model=CHECKS["model"], p=CHECKS["p"], motion=function(), steps=CHECKS["steps"], checkpoints=optional(whole(1)),
    objective=that(lambda value: callable(value) and not isinstance(value, type), "a function of t and y"),
)  # fmt: skip
def evaluate_objective(
    model: Model,
    p: Mapping[str, float],
    motion: Callable[[World], Dynamic],
    objective: Objective,
    *,
    steps: Mapping[str, float] | None = None,
    checkpoints: int | None = None,
) -> MotionGradient:
    """Return an objective of a motion and its derivatives with respect to many parameters, by the discrete adjoint.

        found = wl.evaluate_objective(model, p, motion, wl.end_value("speed"))
        found.gradient["stiffness"]

    Args:
        model, p, motion, steps: as in `evaluate_motion`.
        objective: function ``(t, y) -> (J, {name: dJ/dy})`` of the times [s] and the results by name, shape (k,) each,
            for example `time_integral`, `end_value` or `smooth_maximum`.
        checkpoints: largest number of stored states; steps between stored states are repeated. Default: as many as fit
            into 256 MB, but at least 10.

    Raises:
        ModelError: see `evaluate_motion`; further, the objective does not return a number and derivatives of results,
            or a law searches for its contacts during the motion.
        NotConverged: a solve fails.
    """
    h, results, solver, first = prepare_motion(model, p, motion, steps)
    if help_requested():
        y = {name: np.array([value]) for name, value in read_results(results, first, None).items()}
        return MotionGradient(0.0, dict.fromkeys(p, 0.0), np.array([first.t]), y, 0, 0.0, False, solver.verdict)
    centre, pairs = create_companions(model, p, h, solver)
    solver.assembly.keep_used_history()
    nominal = solver.sizes.nominal
    centre.prepare(nominal, solver.decides)
    starts = dict[str, dict[str, FloatArray]]()
    for name, pair in pairs.items():
        pair.prepare(centre.state, nominal, solver.decides)
        starts[name] = pair.slopes
    size = 8 * sum(len(getattr(centre.state, name)) for name in NAMES)
    count = checkpoints or max(10, MEMORY // max(size, 1))
    record = record_motion(centre, results, solver, first, count)
    value, weights = read_objective(objective, record.t, record.y)
    adjoint = Adjoint(
        centre,
        pairs,
        record.varies,
        lambda names: create_changed(model, {**p, **{q: p[q] + h[q] for q in names}}, solver),
    )
    repeated, sizes = run_back(adjoint, centre, record, weights, count)
    adjoint.add_start(starts)
    growth, chaotic = find_growth(record.t[-1] - record.t[::-1], sizes)
    if chaotic:
        solver.verdict.notes.append(describe_growth(growth))
    return MotionGradient(value, adjoint.gradient, record.t, record.y, repeated, growth, chaotic, solver.verdict)


@dataclass
class Record:
    """A computed motion.

    Attributes:
        plans: how each step was computed.
        stored: stored states, by the number of the step that begins with each state.
        t, y: times [s] and results by name, shape (k,) each.
        varies: whether each history value changes continuously, shape (d,).
        last: the state at the end of the motion.
    """

    plans: list[StepPlan]
    stored: dict[int, StoredState]
    t: FloatArray
    y: dict[str, FloatArray]
    varies: BoolArray
    last: StoredState


def record_motion(centre: Companion, results: Results, solver: Dynamic, first: State, count: int) -> Record:
    """Compute the motion, and store at most ``count`` states.

    Raises:
        ModelError: the motion continues from a checkpoint (``-restart``), so its first steps are missing.
    """
    state = centre.state
    expected = max(1, int(np.ceil((solver.end - first.t) / solver.sizes.nominal - 1e-6)))
    places = set(place_states(expected, count))
    plans, stored = list[StepPlan](), {0: StoredState.of(state)}
    times, values = [state.t], [read_results(centre.results, state, None)]
    varies, before, t = state.data != np.round(state.data), solver.consistency.projections, state.t
    data = state.data.copy()
    last = stored[0]
    for now in solver.march(first):
        if now.step != state.step + len(plans) + 1:
            raise ModelError(
                f"the motion continues from a checkpoint, with the first step to t = {now.t:.9g} s: derivatives need "
                "all steps, so leave out -restart"
            )
        projects = solver.consistency.projections > before
        plans.append(plan_step(data, solver, now.t - t, now.t, projects))
        before, t, data[:] = solver.consistency.projections, now.t, now.data
        varies |= data != np.round(data)
        times.append(now.t)
        values.append(read_results(results, now, values[0]))
        last = StoredState.of(now)
        if len(plans) in places:
            stored[len(plans)] = last
    y = {name: np.array([value[name] for value in values]) for name in values[0]}
    return Record(plans, stored, np.array(times), y, varies, last)


def read_objective(
    objective: Objective, t: FloatArray, y: Mapping[str, FloatArray]
) -> tuple[float, dict[str, FloatArray]]:
    """Call the objective; return its value and its derivatives with respect to the results.

    Raises:
        ModelError: the objective does not return a finite number and derivatives of results.
    """
    given = objective(t, y)
    if not (isinstance(given, tuple) and len(given) == 2 and isinstance(given[1], Mapping)):
        raise ModelError(f"objective returned {given!r:.80}: must be a number and a dict of derivatives by result")
    value, weights = float(given[0]), {str(name): np.asarray(each, float) for name, each in given[1].items()}
    for name, each in weights.items():
        if name not in y:
            raise ModelError(f"objective gave derivatives of {name!r}: must be one of {', '.join(y)}")
        if each.shape != t.shape or not np.isfinite(each).all():
            raise ModelError(
                f"objective gave derivatives of {name!r} with shape {each.shape}: must be {len(t)} finite numbers, one "
                "for each time"
            )
    if not np.isfinite(value):
        raise ModelError(f"objective returned {value}: must be a finite number")
    return value, weights


def run_back(
    adjoint: Adjoint, centre: Companion, record: Record, weights: Mapping[str, FloatArray], count: int
) -> tuple[int, FloatArray]:
    """Compute the factors of all steps from the last to the first. Return the number of steps that were repeated to
    reach the starts of other steps, and the size of the factors at each step (see `Adjoint.find_size`), from the end to
    the start, shape (k,).
    """
    repeated, near, sizes, factors = 0, record.last, list[float](), None
    plans, stored = record.plans, record.stored
    set_state(centre, record.last.arrays, record.last.t)
    adjoint.add_results({name: float(each[-1]) for name, each in weights.items()})
    sizes.append(adjoint.find_size())
    for move in reverse(len(plans), count, sorted(stored)):
        here = stored[move.start]
        set_state(centre, here.arrays, here.t)
        for number in range(move.start, move.end):
            factors = follow_plan(centre, plans[number], None, factors).runs[-1].factors
            if plans[number].projects:
                centre.project(plans[number].h)
            repeated += 1
        start = StoredState.of(centre.state)
        if move.stores:
            stored[move.end] = start
            continue
        plan = plans[move.end]
        step = follow_plan(centre, plan, to_state(centre, near), factors)
        if plan.projects:
            adjoint.project_back(start.arrays, start.t, step)
        adjoint.step_back(start.arrays, start.t, step)
        factors = step.runs[0].factors
        set_state(centre, start.arrays, start.t)
        adjoint.add_results({name: float(each[move.end]) for name, each in weights.items()})
        sizes.append(adjoint.find_size())
        near = start
        stored.pop(move.end, None)
    return repeated, np.array(sizes)


def to_state(centre: Companion, stored: StoredState) -> State:
    """Return a stored state as a state of the model."""
    found = centre.state.copy()
    for name in NAMES:
        getattr(found, name)[:] = stored.arrays[name]
    found.t = stored.t
    return found
