"""The adjoint of projections onto constraints at the ends of steps.

A projection changes the motion in the directions of constraints (consistency.py) by four solves,

    S (δv, ι) = (0, -Ċ),  S (δa, δλ) = (f(v) - f(v + δv), -e),  S (δw, ι') = (0, c h² j),  S (δA, ι") = (0, l),

with S = [M C_qᵀ; C_q 0]. The symbols are explained in consistency.py. In addition, δw is the second change of
velocities, δA the change of the algorithmic accelerations, and l = C_q a + Δ h j - C_q A. The transposed solves, from
the last solve to the first, yield the adjoint variables (y, ν) of the right-hand sides from the adjoint variables of
the results. The adjoint variables of v, a and A before the projection then follow from the derivatives of the
right-hand sides. If the matrix contains a multiple of the damping matrix in addition to M, the derivatives of this
multiple with respect to v are added.

Parameters that share companion models change only forces f and masses M. With the solution u of each solve, the
contribution to the derivative with respect to p is -yᵀ (∂M/∂p) u, and in the second solve also -yᵀ ∂(f(v + δv) -
f(v))/∂p. If the matrix contains a multiple of the damping matrix in addition to M, the derivative of this multiple is
added to ∂M/∂p.

The derivatives with respect to the coordinates are differences between projections of perturbed motions. Most
coordinates do not affect the projection. In models with Euler parameters, or with constraints with friction, the
derivatives with respect to v, a and A are also differences of this kind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.solvers.constraint_motion.consistency import Trace
from windlass.solvers.constraint_motion.initial import MassSolver
from windlass.solvers.newton.problem import NonlinearProblem
from windlass.solvers.sensitivities.companion import MOTION, Companion, RepeatedStep
from windlass.solvers.sensitivities.motion import CompanionPair
from windlass.solvers.sensitivities.parameter_models import ParameterModels
from windlass.solvers.sensitivities.parameter_terms import ParameterTerms
from windlass.solvers.sensitivities.recorded_motion import set_state
from windlass.solvers.sensitivities.tangent_factors import TangentFactors
from windlass.solvers.sensitivities.turning import ROTATED

StateFactors = dict[str, FloatArray]
"""Derivatives of the objective with respect to the arrays of a state, by name of the array."""
PROJECTION_STEP = 1e-6
"""Perturbation [1] of the motion, relative to the largest coordinate or velocity, for derivatives of projections."""
INSIGNIFICANT = 1e-10
"""Derivative [1] of a projection, relative to the largest adjoint variable. Up to this value, the derivative is treated
as 0.
"""
REFINEMENTS = 1
"""Number of steps of iterative refinement in each transposed solve."""
ACCEPTED = 1e-9
"""Error [1] of a transposed solve, relative to its right-hand side. If the error is larger than this value, the matrix
is factorised with more pivoting.
"""
SHARE = 1e-2
"""Fraction [1] of a change of velocities. For this fraction, the change of damping forces is evaluated."""


class ProjectionTerms:
    """Object that computes the adjoint variables of states before projections from the adjoint variables of the
    projected states.

    Args:
        centre: the companion model with the parameters of the motion.
        models: the companion models of the parameters.
        terms: derivatives of the equations with respect to the parameters.
    """

    def __init__(self, centre: Companion, models: ParameterModels, terms: ParameterTerms) -> None:
        self._centre, self._models, self._terms = centre, models, terms
        coupled = [system.dofs.ravel() for system in centre.assembly.systems if system.constraint is not None]
        own = np.unique(np.concatenate([np.zeros(0, np.int64), *coupled]))
        self._constrained: IntArray = own[own < centre.assembly.layout.spare]

    def pass_back(
        self,
        factors: StateFactors,
        gradient: FloatArray,
        start: Mapping[str, FloatArray],
        t: float,
        step: RepeatedStep,
    ) -> StateFactors:
        """Return the adjoint variables of the state before the projection at the end of a step. Add the contributions
        of the projection to ``gradient``. The state of the companion model is the state before the projection.

        Args:
            factors: adjoint variables of the state after the projection.
            gradient: derivatives of the objective with respect to the parameters, shape (parameters,). The
                contributions of the projection are added to these derivatives.
            start, t: arrays of the state at the start of the step, and its time [s].
            step: the repeated step.
        """
        centre, h = self._centre, step.h
        before = {name: getattr(centre.state, name).copy() for name in MOTION}
        found = dict(factors)

        def weigh(companion: Companion, changed: Mapping[str, FloatArray]) -> float:
            """Return the sum of the changes of a motion by its projection. Each change is multiplied by its element of
            ``factors``.
            """
            state = companion.state
            for name in MOTION:
                getattr(state, name)[:] = changed[name]
            state.t = centre.state.t
            companion.project(h)
            return sum(float(factors[name] @ (getattr(state, name) - changed[name])) for name in MOTION)

        def compare(pair: CompanionPair) -> float:
            """Return the derivative of `weigh` with respect to the parameter of a pair of companion models."""
            ends = []
            for side in (pair.above, pair.below):
                set_state(side, start, t)
                side.begin_step(h, step.then)
                side.state.data[:] = centre.state.data
                ends.append(weigh(side, before))
            return (ends[0] - ends[1]) / (2.0 * pair.h)

        # random ratios of the changes are used, because equal changes of all coordinates may have no effect on the
        # projection
        shares = np.random.default_rng(0).uniform(0.5, 1.0, len(factors["q"]))

        def differentiate(name: str, dofs: IntArray) -> float:
            """Return the derivative of `weigh` for simultaneous changes of the given entries of an array. The argument
            ``shares`` contains the ratios of these changes.
            """
            size, ends = PROJECTION_STEP * (float(np.abs(before[name]).max(initial=0.0)) or 1.0), []
            for side in (1.0, -1.0):
                moved = {**before, name: before[name].copy()}
                moved[name][dofs] += side * size * shares[dofs]
                ends.append(weigh(centre, moved))
            return (ends[0] - ends[1]) / (2.0 * size)

        shared = list[str]()
        solves = not len(centre.integrator.rotations) and not any(c.rubs for c in centre.assembly.constraints)
        for group in self._models.groups:
            if group.is_shared and solves:
                shared += group.names
                continue
            for name in group.names:
                gradient[self._terms.numbers[name]] += compare(self._models.find_pair(name))
        if solves:
            rates, slopes = self._solve_back(factors, before, h, bool(shared))
            found |= rates
            numbers = [self._terms.numbers[name] for name in shared]
            gradient[numbers] -= slopes[numbers]
        for name in ("q",) if solves else ROTATED:
            change = np.zeros_like(factors[name])
            for dof in self._constrained:
                change[dof] = differentiate(name, np.array([dof])) / shares[dof]
            # Coordinates without constraints are perturbed in groups. A group is divided only if its perturbation
            # changes the projection.
            parts = [np.setdiff1d(np.arange(len(change)), self._constrained)]
            least = INSIGNIFICANT * float(np.abs(factors[name]).max(initial=0.0))
            while parts:
                part = parts.pop()
                if not len(part):
                    continue
                slope = differentiate(name, part)
                if len(part) == 1:
                    change[part] = slope / shares[part]
                elif abs(slope) > least:
                    parts += [part[: len(part) // 2], part[len(part) // 2 :]]
            found[name] = factors[name] + change
        for name in MOTION:
            getattr(centre.state, name)[:] = before[name]
        return found

    def _solve_back(
        self, factors: StateFactors, before: Mapping[str, FloatArray], h: float, shares: bool
    ) -> tuple[StateFactors, FloatArray]:
        """Return the adjoint variables of the velocities, accelerations and algorithmic accelerations before the
        projection. The second result contains a sum for each parameter that changes only forces and masses. The terms
        of the sum are products of the adjoint variables y with the derivatives of M u and f in the four solves. See the
        docstring of this module. If ``shares`` is false, these products are 0.
        """
        centre, state = self._centre, self._centre.state
        consistency, integrator, problem = centre.consistency, centre.integrator, centre.problem
        n, m = centre.assembly.layout.spare, len(centre.assembly.layout.multipliers_owned)
        trace, no_force = Trace(np.zeros(n), 0.0, np.zeros(n), np.zeros(n), np.zeros(n)), np.zeros(m)
        self._move(before, before["v"], before["a"])
        centre.project(h, trace)
        v, a, over = before["v"] + trace.velocities, before["a"] + trace.accelerations, trace.over
        self._move(before, v, a)
        # adjoint variables of the accelerations, the velocities and the offsets j after the first two solves
        of_a, of_v, of_j = factors["a"].copy(), factors["v"].copy(), np.zeros(m)
        of_carried, y_carried, y_offset = factors["carried"], np.zeros(n), np.zeros(n)
        if not integrator.rate_level:
            y_offset, of_offset = TransposedMass(problem, over).solve(factors["v"], no_force)
            of_j = of_j + consistency.find_offsets(h) * of_offset
            of_v = of_v - self._differentiate_damping(before, v, a, y_offset, trace.offset, over)
        solver = TransposedMass(problem)
        if integrator.generalised:
            y_carried, of_lack = solver.solve(factors["carried"], no_force)
            by_lack = self._differentiate(lambda: float(of_lack @ consistency.multiply(state.a)), before, v, a, "a")
            of_a, of_carried, of_j = of_a + by_lack, of_carried - by_lack, of_j + integrator.shift * h * of_lack

        def weigh_jerk() -> float:
            return float(of_j @ consistency.eval_jerk(state, h))

        of_a = of_a + self._differentiate(weigh_jerk, before, v, a, "a")
        of_v = of_v + self._differentiate(weigh_jerk, before, v, a, "v")
        y_force, of_e = solver.solve(of_a, factors["lam"])

        def weigh_violation() -> float:
            return float(of_e @ consistency.eval_violation(state.a))

        of_v = of_v - self._differentiate(weigh_violation, before, v, before["a"], "v")
        of_a = of_a - self._differentiate(weigh_violation, before, v, before["a"], "a")
        y_velocity = np.zeros(n)
        if not integrator.rate_level:
            self._move(before, v, before["a"])
            of_v = of_v - multiply_damping(problem, y_force)
            self._move(before, before["v"], before["a"])
            y_velocity, of_rates = TransposedMass(problem, over).solve(of_v, no_force)

            def weigh_rates() -> float:
                return float(of_rates @ consistency.eval_rates())

            of_v = of_v + multiply_damping(problem, y_force)
            of_v = of_v - self._differentiate(weigh_rates, before, before["v"], before["a"], "v")
            of_v = of_v - self._differentiate_damping(
                before, before["v"], before["a"], y_velocity, trace.velocities, over
            )
        found, total = {"v": of_v, "a": of_a, "carried": of_carried}, np.zeros(len(self._models.steps))
        if not shares:
            return found, total

        def add(y: FloatArray, v: FloatArray, a: FloatArray, scale: float) -> None:
            """Add, for all parameters, ``scale`` times the product of the adjoint variables y with the derivative of M
            a + f(v)."""
            self._move(before, v, a)
            self._terms.mu[:-1], self._terms.nu[:] = y, 0.0
            total[:] += scale * self._terms.find()

        none = np.zeros(n)
        for y, u, at in (
            (y_velocity, trace.velocities, before["v"]), (y_offset, trace.offset, v), (y_carried, trace.carried, v)
        ):  # fmt: skip
            add(y, at, u, 1.0)
            add(y, at, none, -1.0)
            if over and y is not y_carried:
                add(y, at + SHARE * u, none, 0.5 * over / SHARE)
                add(y, at - SHARE * u, none, -0.5 * over / SHARE)
        add(y_force, v, trace.accelerations, 1.0)
        add(y_force, before["v"], none, -1.0)
        return found, total

    def _differentiate_damping(
        self, before: Mapping[str, FloatArray], v: FloatArray, a: FloatArray, y: FloatArray, u: FloatArray, over: float
    ) -> FloatArray:
        """Return the derivatives of ``over`` yᵀ f_v u with respect to the velocities v, shape (n,), where f_v is the
        damping matrix at the motion with the given v and a."""
        if not over:
            return np.zeros_like(v)
        ends = []
        for side in (1.0, -1.0):
            self._move(before, v + side * SHARE * u, a)
            ends.append(multiply_damping(self._centre.problem, y))
        self._move(before, v, a)
        return over * (ends[0] - ends[1]) / (2.0 * SHARE)

    def _move(self, before: Mapping[str, FloatArray], v: FloatArray, a: FloatArray) -> None:
        """Set the state and the fields to the motion ``before`` with other velocities and accelerations."""
        state = self._centre.state
        for name in MOTION:
            getattr(state, name)[:] = before[name]
        state.v[:], state.a[:] = v, a
        self._centre.assembly.load_fields(state)

    def _differentiate(
        self, function: Callable[[], float], before: Mapping[str, FloatArray], v: FloatArray, a: FloatArray, name: str
    ) -> FloatArray:
        """Return the derivative of a function of the state with respect to velocities ("v") or accelerations ("a") of
        constrained coordinates, shape (n,), by central differences at the motion with the given v and a."""
        motion = {"v": v, "a": a}
        found, h = np.zeros_like(v), PROJECTION_STEP * (float(np.abs(motion[name]).max(initial=0.0)) or 1.0)
        for dof in self._constrained:
            ends = []
            for side in (1.0, -1.0):
                moved = {**motion, name: motion[name].copy()}
                moved[name][dof] += side * h
                self._move(before, moved["v"], moved["a"])
                ends.append(function())
            found[dof] = (ends[0] - ends[1]) / (2.0 * h)
        self._move(before, v, a)
        return found


class TransposedMass:
    """Object that solves the transposed equations of `MassSolver` at the motion in the fields. The arguments are
    explained in `MassSolver`.
    """

    def __init__(self, problem: NonlinearProblem, over: float = 0.0) -> None:
        self._problem, self._places = problem, problem.sparsity.unknowns
        self._scale, self._factors = MassSolver(problem, over).scale, TangentFactors(problem)
        self._factors.update()

    def solve(self, of_a: FloatArray, of_lam: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the adjoint variables of the equations of motion, shape (n,), and of the constraints, shape (m,), from
        the adjoint variables of accelerations, shape (n,), and of multipliers, shape (m,). The matrix of the problem
        must not have changed since this object was created.
        """
        right = np.zeros(self._problem.pattern.rows)
        right[self._places.of_dof], right[self._places.of_multiplier] = of_a, self._scale * of_lam
        found, left = self._refine(right)
        if not left <= ACCEPTED * float(np.linalg.norm(right)):
            self._factors.leave()
            found, _ = self._refine(right)
        return found[self._places.of_dof], found[self._places.of_multiplier]

    def _refine(self, right: FloatArray) -> tuple[FloatArray, float]:
        """Return the solution with iterative refinement, shape (u,), and the 2-norm of its error in the equations."""
        values, pattern = self._problem.matrix.values, self._problem.pattern
        found = self._factors.solve(right, trans="T")
        for _ in range(REFINEMENTS):
            found = found + self._factors.solve(right - pattern.multiply_transposed(values, found), trans="T")
        return found, float(np.linalg.norm(right - pattern.multiply_transposed(values, found)))


def multiply_damping(problem: NonlinearProblem, y: FloatArray) -> FloatArray:
    """Return f_vᵀ y, shape (n,), with the derivatives f_v of the forces with respect to velocities at the motion in the
    fields."""
    places, pattern = problem.sparsity.unknowns, problem.pattern
    values, by_unknown = np.zeros(len(problem.matrix.values)), np.zeros(pattern.rows)
    problem.assembly.add_tangent(values, 0.0, 1.0, 0.0, 0.0, 0.0)
    by_unknown[places.of_dof] = y
    return pattern.multiply_transposed(values, by_unknown)[places.of_dof]
