"""A companion model, in which the Newton runs of the steps of a motion are repeated to compute derivatives of these
steps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.assembly import serial_assembly
from windlass.framework.assembly.storage import Storage
from windlass.framework.errors import ModelError
from windlass.framework.kernels.program import Program
from windlass.framework.model.system import CONSTANT, Fields, evaluate
from windlass.framework.model.world import World
from windlass.framework.state.state import State
from windlass.solvers.constraint_motion.consistency import Consistency, Trace
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.linear.ordering import default_package
from windlass.solvers.linear.packages import set_direct
from windlass.solvers.newton.problem import NonlinearProblem
from windlass.solvers.newton.rounding import estimate_rounding
from windlass.solvers.sensitivities.equilibrium import Results, create_model, factorise
from windlass.solvers.sensitivities.tangent_factors import TangentFactors
from windlass.solvers.stepping.step_kernels import StepKernels

Model = Callable[[Mapping[str, float]], tuple[Any, ...]]
MOTION = ("q", "v", "a", "carried", "lam")
"""Arrays of a state that change smoothly with parameters."""
REPETITIONS = 12
"""Largest number of Newton iterations that repeat a Newton run of the motion."""
REUSES = 4
"""Number of successive iterations of a repeated Newton run that use the same factorised tangent. Most runs need no more
iterations, because they start from the solution that the motion has found.
"""
SAME = 1e-9
"""Difference between history values, relative to the largest value [1]. If the difference is below this value, two runs
of a step have the same history values.
"""
REPEATED = 1e-9
"""Relative change [1] of the unknowns in an iteration. If the change is below this value, the repetition of a Newton
run ends.
"""
NEAR = 1e-6
"""Relative change [1] of the unknowns in an iteration with the exact tangent. If the change is below this value, the
repetition of a Newton run ends. The change in a further iteration would be of the order of the square of this change.
In models without history values, derivatives are computed with the tangent before this change. The error of this
tangent causes relative errors of derivatives below 1e-8.
"""


class LinearFactors(Protocol):
    """A factorisation of a tangent."""

    def solve(self, b: FloatArray, trans: str = "N") -> FloatArray:
        """Return the solution for the right-hand side b, shape (u,), or with ``trans`` = "T" the solution of the
        transposed equations.
        """


@dataclass
class RepeatedRun:
    """A Newton run of a step of the motion, repeated in a companion model.

    Attributes:
        unknowns: the solution, shape (u,).
        data: the history values of the run, shape (d,).
        found: the history values that return maps compute at the solution, shape (d,). These values differ from
            ``data`` only in contacts whose state changes in each iteration.
        updated: the history values after the update that follows the run, shape (d,).
        factors: factorisation of the tangent at the solution, or at unknowns nearby.
        near: whether the matrix of the problem contains, directly after the run, a tangent near the solution. The
            relative difference between the unknowns of this tangent and the solution is then at most `NEAR`.
        maps: whether return maps compute ``data`` during the run.
        base: the history values from which return maps compute ``data``, shape (d,). Without return maps, ``base`` is
            equal to ``data``.
        decides: whether return maps also decide on contact states. In this case ``base`` contains the history values at
            the start of the step.
        like: index of an earlier run of the step with the same ``base``, or -1 if no earlier run has the same ``base``.
        rounding: 2-norm of the rounding errors of the residual, or 0 if unknown.
        change: largest change of the unknowns from the values at the start of the run, relative to the largest unknown.
        loaded: whether the fields contain the solution directly after the run.
    """

    unknowns: FloatArray
    data: FloatArray
    found: FloatArray
    updated: FloatArray
    factors: LinearFactors
    near: bool
    maps: bool
    base: FloatArray
    decides: bool = False
    like: int = -1
    rounding: float = 0.0
    change: float = 0.0
    loaded: bool = False


@dataclass
class RepeatedStep:
    """A step of the motion, repeated in a companion model.

    Attributes:
        h, then: size [s] and end time [s] of the step.
        end: the state of the motion at the end of the step.
        runs: the repeated Newton runs of the step.
        projects: whether the state at the end of the step was projected onto the constraints.
    """

    h: float
    then: float
    end: State
    runs: list[RepeatedRun]
    projects: bool


class Companion:
    """A model in which the steps of a motion are repeated.

    Args:
        world: the model.
        results: function that computes the results of the model from a state.
        solver: the solver of the motion.
        state: the state at the start of the motion. The steps change this object.
        storage: storage of the tangent. All companion models of a motion must have the same order of unknowns.

    Attributes:
        world, results, state: values of the arguments.
        assembly, problem, integrator: the systems, the equations of a Newton run, and the integration method with its
            constants.
        kernels, consistency: the compiled programs at the start and the end of a step, and the projection onto
            constraints.
    """

    def __init__(
        self, world: World, results: Results, solver: Dynamic, state: State, storage: Storage = Storage.ROWS
    ) -> None:
        self.world, self.results, self.state = world, results, state
        self.assembly = serial_assembly(world)
        self.problem = NonlinearProblem(self.assembly, solver.problem.prefix, storage)
        ksp: Any = self.problem.snes.getKSP()
        set_direct(ksp, default_package(self.problem.pattern, 1, "petsc"), self.problem.prefix)
        self.integrator = replace(solver.integrator, reference=self.assembly.layout.reference)
        self.kernels = StepKernels(self.integrator, self.problem)
        self.consistency = Consistency(self.problem, self.integrator, *solver.consistency.settings)
        self.assembly.search_always()
        self._maps, self._revision = Program([]), -1
        self._shared: TangentFactors | None = None

    @property
    def searches(self) -> bool:
        """Whether laws search for contacts during the motion. In this case, history values contain the contacts that
        were found, and factors of tangents are valid only until history values change.
        """
        return not self.assembly.is_fixed

    def share_factors(self) -> None:
        """Use the linear solver of Newton's method in all later calls of `factorise`. A factorisation is then valid
        until the next call of `factorise`."""
        self._shared = TangentFactors(self.problem)

    def distrust_factors(self) -> None:
        """Factorise tangents with more pivoting in all later calls of `factorise`."""
        if self._shared is not None:
            self._shared.leave()

    def prepare(self, h: float, decides: bool) -> None:
        """Determine contact states, accelerations and multipliers at the start, like `Dynamic.prepare_start`."""
        if decides:
            self.assembly.decide(self.state)
        self.consistency.begin(self.state, h)

    def begin_step(self, h: float, then: float) -> None:
        """Begin a step of size h [s] from the state to the time ``then`` [s]."""
        self.problem.start(self.kernels.predict(self.state, h, then))

    def read_unknowns(self, a: FloatArray, lam: FloatArray) -> FloatArray:
        """Return the unknowns of the step, shape (u,), from the accelerations, shape (n,), and the multipliers, shape
        (m,), at its end.
        """
        self.problem.guess(a, lam)
        found: FloatArray = np.array(self.problem.unknowns.array_r)
        return found

    @property
    def maps(self) -> bool:
        """Whether any law has a return map for dynamics."""
        return any(system.return_map.motion is not None for system in self.assembly.systems)

    def map_history(self, unknowns: FloatArray, data: FloatArray, decides: bool) -> FloatArray:
        """Return the history values that return maps compute at the unknowns, shape (d,), see `run_maps`."""
        self.load(unknowns, data)
        return self.run_maps(data, decides)

    def run_maps(self, data: FloatArray, decides: bool) -> FloatArray:
        """Return the history values that return maps compute from the motion in the fields and the values ``data``,
        shape (d,). If ``decides`` is false, contact states are constant.
        """
        fields = self.assembly.fields
        fields.data[:], fields.mapped[0] = data, 1.0 if decides else 0.0
        self._find_maps()()
        fields.mapped[0] = CONSTANT
        return fields.data.copy()

    def _find_maps(self) -> Program:
        """Return the compiled program that evaluates the return maps."""
        if self._revision != self.assembly.revision:
            s = evaluate(self.assembly.fields)
            maps = [system.return_map.motion for system in self.assembly.systems]
            self._maps = Program((function, (s,)) for function in maps if function is not None)
            self._revision = self.assembly.revision
        return self._maps

    def update_history(self, unknowns: FloatArray, data: FloatArray) -> FloatArray:
        """Return the history values after the update that follows a Newton run with the values ``data``, shape
        (d,)."""
        self.load(unknowns, data)
        return self.run_update(data)

    def run_update(self, data: FloatArray) -> FloatArray:
        """Return the history values after an update with the motion in the fields. The update starts from the values
        ``data``, shape (d,).
        """
        self.assembly.fields.data[:] = data
        self.assembly.updates.program()
        return self.assembly.fields.data.copy()

    def project(self, h: float, trace: Trace | None = None) -> None:
        """Project the state at the end of a step of size h [s] onto the constraints. Store the changes in ``trace``, if
        given.
        """
        self.assembly.load_fields(self.state)
        self.consistency.project(self.state, h, trace)

    def load(self, unknowns: FloatArray, data: FloatArray) -> Fields:
        """Compute the fields from unknowns and history values, and return the fields."""
        self.problem.unknowns.setArray(unknowns)
        self._set_fields(data)
        return self.assembly.fields

    def _set_fields(self, data: FloatArray) -> None:
        """Compute the fields from the unknowns of the problem and from history values, shape (d,)."""
        self.problem.expand_unknowns(self.problem.unknowns)
        self.assembly.fields.data[:] = data
        if self.searches:
            # history values contain the contact partners, on which the coordinates of rows depend
            self.assembly.update_markers()

    def eval_residual(self, unknowns: FloatArray, data: FloatArray) -> FloatArray:
        """Return the residual of the step, shape (u,)."""
        problem = self.problem
        problem.unknowns.setArray(unknowns)
        self._set_fields(data)
        problem.eval_residual(None, problem.unknowns, problem.residual_vector)
        found: FloatArray = np.array(problem.residual_vector.array_r)
        return found

    def factorise(self) -> LinearFactors:
        """Return a factorisation of the tangent at the last unknowns.

        Raises:
            ModelError: the tangent is singular.
        """
        self.problem.update_tangent(self.problem.unknowns)
        if self._shared is not None:
            self._shared.update()
            return self._shared
        found: LinearFactors = factorise(self.problem.matrix.mat, f"at t = {self.problem.scheme.t:.9g} s")
        return found

    def end_step(self, unknowns: FloatArray, data: FloatArray, step: RepeatedStep) -> None:
        """Copy the motion at the end of the step, and the history values ``data``, to the state. Project the state onto
        the constraints if the end of the step was projected in the motion.
        """
        self.load(unknowns, data)
        self.kernels.end()
        self.state.t = step.then
        if step.projects:
            self.project(step.h)


def find_start(world: World, start: Callable[[], State] | None = None) -> State:
    """Return the state at the start of the motion.

    Raises:
        ModelError: the function for the start does not return a state of the model.
    """
    state = State(world) if start is None else start()
    if not isinstance(state, State) or state.world is not world:
        raise ModelError(f"start returned {state!r:.80}: must be a State of the model")
    return state.copy()


def create_companion(
    model: Model, p: Mapping[str, float], solver: Dynamic, storage: Storage = Storage.ROWS
) -> Companion:
    """Return a companion model at the start of its motion. The argument ``storage`` is the storage of its tangent."""
    world, results, *start = create_model(model, p, moves=True)
    return Companion(world, results, solver, find_start(world, *start), storage)


@dataclass(frozen=True)
class StepPlan:
    """Description of how a step of the motion was computed.

    Attributes:
        h, then: size [s] and end time [s] of the step.
        projects: whether the state at the end of the step was projected onto the constraints.
        maps: whether return maps compute the history values of the first run.
        runs: number of Newton runs in the step.
        like: index of an earlier run with the same history values as the last run, or -1.
    """

    h: float
    then: float
    projects: bool
    maps: bool
    runs: int
    like: int


def plan_step(start: FloatArray, solver: Dynamic, h: float, then: float, projects: bool) -> StepPlan:
    """Return a description of how the solver has computed its last step. The argument ``start`` contains the history
    values at the start of this step, shape (d,).
    """
    used = solver.attempt.runs or [start]
    # if the first pass used return maps, the second pass repeats the first pass from the start of the step
    used = used[1 if solver.mapped and len(used) > 1 and not np.array_equal(used[0], start) else 0 :]
    maps = len(used) == len(solver.attempt.runs) and solver.mapped > 0 and not np.array_equal(used[0], start)
    known, like = [used[0] if maps else start, *used[1:]], -1
    if solver.attempt.cycle and len(known) > 1:
        # return maps compute history values from the motion, so the values of equal runs differ by rounding
        close = SAME * float(np.abs(known[-1]).max(initial=0.0))
        same = [np.allclose(known[-1], other, rtol=0.0, atol=close) for other in known[:-1]]
        like = same.index(True) if any(same) else -1
    return StepPlan(h, then, projects, maps, len(known), like)


def repeat_step(centre: Companion, end: State, solver: Dynamic, projects: bool) -> RepeatedStep:
    """Repeat the Newton runs of the last step of the motion in the companion model ``centre``, which has the parameters
    of the motion. After the call, the state of ``centre`` is equal to ``end``, which is the state at the end of the
    step.

    Raises:
        ModelError: a run cannot be repeated, or the motion continues from a checkpoint (``-restart``).
    """
    state = centre.state
    if end.step != state.step + 1:
        raise ModelError(
            f"the motion continues from a checkpoint, with the first step to t = {end.t:.9g} s: derivatives need all "
            "steps, so leave out -restart"
        )
    start = state.data.copy()
    plan = plan_step(start, solver, end.t - state.t, end.t, projects)
    step = RepeatedStep(plan.h, plan.then, state, [], projects)
    centre.begin_step(plan.h, plan.then)
    near = centre.read_unknowns(end.a, end.lam)
    for number, known in enumerate(solver.attempt.runs[-plan.runs :] or [start]):
        base = find_base(centre, plan, step)
        run = repeat_run(centre, near, base, plan.maps and number == 0, plan.then, known=known)
        run.rounding = estimate_rounding(centre.problem)
        run.like = plan.like if number == plan.runs - 1 else -1
        step.runs.append(run)
    for name in (*MOTION, "data"):
        getattr(state, name)[:] = getattr(end, name)
    state.start_data[:] = state.data
    state.t, state.step = end.t, end.step
    return step


def find_base(centre: Companion, plan: StepPlan, step: RepeatedStep) -> FloatArray:
    """Return the history values from which the next run of a repeated step starts, shape (d,)."""
    number = len(step.runs)
    if number == 0:
        return centre.state.data.copy()
    return step.runs[plan.like].base if number == plan.runs - 1 and plan.like >= 0 else step.runs[-1].updated


def repeat_run(
    centre: Companion, near: FloatArray, base: FloatArray, decides: bool, t: float,
    factors: LinearFactors | None = None, known: FloatArray | None = None,
) -> RepeatedRun:  # fmt: skip
    """Repeat a Newton run from unknowns near its solution.

    Args:
        centre: the companion model, in which the step has begun.
        near: unknowns near the solution, from which the run starts, shape (u,).
        base: history values at the start of the run, shape (d,).
        decides: whether return maps decide on contact states in the run.
        t: end time [s] of the step.
        factors: LU factors of a similar tangent for the first iterations, or None.
        known: history values in the original run, shape (d,), or None. If ``decides``, they are approximate values.

    Raises:
        ModelError: the run does not converge.
    """
    # Return maps are evaluated in each iteration. If contact states change in each iteration, the history values are
    # kept constant. After a projection, the accelerations at the end of the step may differ considerably from the
    # solution. The repeated run then begins from the predictor, like the original run.
    factors = None if centre.searches else factors
    # in the first run of a step, constant contact states are the states at the start, and return maps have no effect
    maps = centre.maps and (decides or not np.array_equal(base, centre.state.data))
    data = known if known is not None and decides else base
    tries = [(near, REUSES, follows) for follows in ((True, False) if maps else (False,))]
    for begin, reuses, follows in [*tries, (np.zeros_like(near), 1, maps)]:
        unknowns, now, rounding, moved = begin, data, None, np.inf
        for number in range(REPETITIONS):
            if follows:
                now = centre.map_history(unknowns, base, decides)
            residual = centre.eval_residual(unknowns, now)
            if factors is None or (number > 0 and number % reuses == 0):
                factors, rounding, moved = centre.factorise(), None, 0.0
            change = factors.solve(residual)
            unknowns = unknowns - change
            size, largest = float(np.abs(change).max(initial=0.0)), float(np.abs(unknowns).max(initial=0.0))
            is_small = size <= (NEAR if moved == 0.0 else REPEATED) * largest
            moved += size
            if not is_small and number > 0:
                if rounding is None:
                    rounding = estimate_rounding(centre.problem)
                is_small = bool(np.linalg.norm(residual) <= rounding)
            if is_small:
                found = centre.map_history(unknowns, base, decides) if maps else now
                updated = centre.update_history(unknowns, now) if len(now) else now
                is_near, whole = (
                    not len(now) and moved <= NEAR * largest,
                    float(np.abs(unknowns - near).max(initial=0.0)),
                )
                return RepeatedRun(
                    unknowns,
                    now,
                    found,
                    updated,
                    factors,
                    is_near,
                    maps,
                    base,
                    decides and maps,
                    change=whole / (largest or 1.0),
                )
    raise ModelError(
        f"the step to t = {t:.9g} s cannot be repeated: user functions must depend only on their arguments"
    )
