"""Results of a motion and their derivatives with respect to parameters of the model, step by step.

A step of an implicit method maps the state z_n (coordinates, velocities, accelerations, multipliers, history values) to
the state z_n+1 through the equations r(u; z_n, d, p) = 0 of the unknowns u of the step, with the history values d =
U(u; z_n, p) after the step. The derivatives of this map follow the motion:

    r_u du/dp + r_d dd/dp + r_z dz_n/dp + r_p = 0,    dd/dp = U_u du/dp + U_z dz_n/dp + U_p

The products with derivatives are central differences between two companion models, which have the parameters p + h and
p - h and the states z ± h dz/dp. Newton's method with the factors of the tangent of the step solves these linear
equations; it needs one iteration if the update of history values has no effect on the forces, and a few otherwise. The
result is the derivative of the computed motion, with the steps that were taken, and not an approximation of the
derivative of the exact motion. The tolerance of Newton's method in the motion has no influence, in contrast to
differences between two complete solves.

Contacts keep their decisions in the derivative of a step: open or closed, stick or slip. A history value that jumps in
one of the companion models gets the difference to the other one. Source: D. A. Tortorelli, P. Michaleris, Inverse
Problems in Engineering 1 (1994) 71-105, section 5.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

import numpy as np
from scipy.sparse import csc_array, csr_array
from scipy.sparse.linalg import splu

from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.assembly import serial_assembly
from windlass.framework.assembly.storage import Storage
from windlass.framework.checks.checks import checked, function
from windlass.framework.errors import ModelError
from windlass.framework.launch.launcher import launched_size
from windlass.framework.model.system import evaluate
from windlass.framework.model.world import World
from windlass.framework.state.state import State
from windlass.solvers.constraint_motion.consistency import Consistency
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.newton.problem import NonlinearProblem
from windlass.solvers.newton.rounding import FACTOR, estimate_rounding
from windlass.solvers.sensitivities.evaluate import (
    CHECKS,
    Results,
    choose_steps,
    read_results,
    require_equal,
)
from windlass.solvers.stepping.step_kernels import StepKernels
from windlass.solvers.verdicts.verdict import Verdict

Start = Callable[[], State] | None
Model = Callable[[Mapping[str, float]], tuple[Any, ...]]
MOTION = ("q", "v", "a", "carried", "lam")
"""Arrays of a state that change smoothly with parameters."""
ITERATIONS = 30
"""Largest number of iterations of the derivative of a step."""
ACCURATE = 1e-9
"""Change of a derivative in an iteration at which the iteration ends, relative to the derivative [1]."""
CONTRACTION = 0.3
"""Ratio of the residuals of two iterations, above which residuals of the size of rounding errors no longer fall [1]."""
REPETITIONS = 10
"""Largest number of Newton iterations that repeat a step of the motion."""
REPEATED = 1e-9
"""Change of the unknowns with which a step counts as reproduced, relative to the unknowns [1]."""
JUMP = 0.5
"""Difference between the two one-sided differences of a history value, relative to the larger one, above which the
larger one is a jump [1]."""


@dataclass
class MotionDerivatives:
    """Results of a motion and their derivatives.

    Attributes:
        t: times at the start and at the ends of the steps [s], shape (k,).
        y: results by name, each of shape (k,).
        dy: derivatives by names of the result and the parameter, in units of the result per unit of the parameter, each
            of shape (k,).
        verdict: the verdict of the motion.
    """

    t: FloatArray
    y: dict[str, FloatArray]
    dy: dict[str, dict[str, FloatArray]]
    verdict: Verdict = field(repr=False)


class Decides(Enum):
    """How a step finds the history values of its equations, such as open or closed, stick or slip."""

    BEFORE = 0
    """They are the values at the start of the step."""
    WITHIN = 1
    """Return maps find them within Newton's method from the values at the start of the step."""
    AFTER = 2
    """The post-Newton update finds them, in several passes."""


class Companion:
    """A model that repeats the steps of a motion.

    Args:
        world: the model.
        results: the function of its results.
        solver: the solver of the motion.
        state: the state at the start; changed by the steps.
    """

    def __init__(self, world: World, results: Results, solver: Dynamic, state: State) -> None:
        self.world, self.results, self.state = world, results, state
        self.assembly = serial_assembly(world)
        self.problem = NonlinearProblem(self.assembly, solver.problem.prefix, Storage.ROWS)
        integrator = replace(solver.integrator, reference=self.assembly.layout.reference)
        self._kernels = StepKernels(integrator, self.problem)
        self.consistency = Consistency(self.problem, integrator, *solver.consistency.settings)
        self._out = self.problem.residual_vector

    def prepare(self, h: float, decides: bool) -> None:
        """Determine contacts, accelerations and multipliers at the start, as `Dynamic.prepare_start` does."""
        if decides:
            self.assembly.decide(self.state)
        self.consistency.begin(self.state, h)

    def begin_step(self, h: float, then: float) -> None:
        """Begin a step of size h [s] to a time [s] from the state."""
        self.problem.start(self._kernels.predict(self.state, h, then))

    def read_unknowns(self, end: State) -> FloatArray:
        """Return the unknowns of the step that ends with the accelerations and multipliers of a state."""
        self.problem.guess(end.a, end.lam)
        return self.problem.unknowns.getArray().copy()

    def decide(self, unknowns: FloatArray, way: Decides, data: FloatArray) -> FloatArray:
        """Return the history values with which the equations hold at the unknowns.

        Args:
            unknowns: the unknowns, shape (u,).
            way: how the motion has found these values.
            data: history values whose decisions are near, shape (d,).
        """
        fields = self.assembly.fields
        self._expand(unknowns)
        if way is Decides.AFTER:
            return self.update(unknowns, data)
        fields.data[:] = self.state.data
        if way is Decides.WITHIN:
            fields.mapped[0] = 1.0
            for system in self.assembly.systems:
                if system.return_map.motion is not None:
                    system.return_map.motion(evaluate(fields))
            fields.mapped[0] = 0.0
        return fields.data.copy()

    def update(self, unknowns: FloatArray, data: FloatArray) -> FloatArray:
        """Return the history values at the end of the step, from the values ``data`` of the equations, shape (d,)."""
        self._expand(unknowns)
        self.assembly.fields.data[:] = data
        self.assembly.post_newton()
        return self.assembly.fields.data.copy()

    def _expand(self, unknowns: FloatArray) -> None:
        self.problem.unknowns.setArray(unknowns)
        self.problem.expand_unknowns(self.problem.unknowns)

    def eval_residual(self, unknowns: FloatArray, data: FloatArray) -> FloatArray:
        """Return the residual of the step, shape (u,)."""
        self.problem.unknowns.setArray(unknowns)
        self.assembly.fields.data[:] = data
        self.problem.eval_residual(None, self.problem.unknowns, self._out)
        return self._out.getArray().copy()

    def factorise(self) -> Any:
        """Return factors of the tangent at the last unknowns.

        Raises:
            ModelError: it is singular.
        """
        self.problem.update_tangent(self.problem.unknowns)
        matrix = self.problem.matrix.mat
        rows, columns, values = matrix.getValuesCSR()
        try:
            return splu(csc_array(csr_array((values, columns, rows), shape=matrix.getSize())))
        except RuntimeError as error:
            raise ModelError(f"the tangent at t = {self.problem.scheme.t:.9g} s is singular") from error

    def end_step(self, unknowns: FloatArray, data: FloatArray) -> None:
        """Store the end of the step in the state."""
        self._expand(unknowns)
        self.assembly.fields.data[:] = data
        self._kernels.end()
        self.state.t = self.problem.scheme.t

    def project(self, h: float) -> None:
        """Project the end of the step onto the constraints, as the motion has done after a kink."""
        self.assembly.load_fields(self.state)
        self.consistency.project(self.state, h)


class Pair:
    """The two companion models of a parameter, with p + h and p - h.

    Args:
        above, below: the companion models.
        h: step of the parameter.
    """

    def __init__(self, above: Companion, below: Companion, h: float) -> None:
        self.above, self.below, self.h = above, below, h
        self.slopes: dict[str, FloatArray] = {}

    def prepare(self, centre: Companion, h: float, decides: bool) -> None:
        """Find the derivatives of the state at the start of the motion."""
        for companion in (self.above, self.below):
            companion.prepare(h, decides)
        self.read_slopes(centre.state, self.find_history_slope(centre.state.data, self.above.state.data,
                                                               self.below.state.data))

    def find_history_slope(self, centre: FloatArray, above: FloatArray, below: FloatArray) -> FloatArray:
        """Return the derivatives of history values, without jumps in one of the companion models."""
        up, down = above - centre, centre - below
        jumps = np.abs(up - down) > JUMP * np.maximum(np.abs(up), np.abs(down))
        smaller = np.where(np.abs(up) < np.abs(down), up, down)
        return np.where(jumps, smaller, 0.5 * (up + down)) / self.h

    def read_slopes(self, centre: State, history: FloatArray) -> None:
        """Find the derivatives of the state from the states of the companion models, and set these states to the
        corresponding states about the state of the motion."""
        ends = self.above.state, self.below.state
        self.slopes = {
            name: (getattr(ends[0], name) - getattr(ends[1], name)) / (2.0 * self.h) for name in MOTION
        }
        self.slopes["data"] = history
        for side, state in zip((1.0, -1.0), ends, strict=True):
            for name, slope in self.slopes.items():
                getattr(state, name)[:] = getattr(centre, name) + side * self.h * slope
            state.start_data[:] = state.data
            state.t = centre.t

    def step(self, step: Step) -> None:
        """Find the derivatives of the state at the end of a step."""
        above, below, h = self.above, self.below, self.h
        for companion in (above, below):
            companion.begin_step(step.h, step.then)
        du, history = np.zeros(len(step.unknowns)), np.zeros(len(step.data))
        before = np.inf
        for _ in range(ITERATIONS):
            u, d = step.unknowns, step.data
            if len(d):
                near = d + h * history, d - h * history
                ends = above.decide(u + h * du, step.way, near[0]), below.decide(u - h * du, step.way, near[1])
                history = self.find_history_slope(step.decided, *ends)
            high = above.eval_residual(u + h * du, d + h * history)
            low = below.eval_residual(u - h * du, d - h * history)
            change = step.factors.solve((low - high) / (2.0 * h))
            if not np.isfinite(change).all():
                raise ModelError(f"a derivative at t = {step.then:.9g} s is not finite")
            du += change; import os; os.environ.get("DBG") and print(step.then, _, step.way, np.abs(change).max(), np.abs(du).max(), np.linalg.norm(high-low), step.rounding, np.abs(history).max(), np.argmax(np.abs(history)))
            if step.way is Decides.BEFORE or np.abs(change).max() <= ACCURATE * np.abs(du).max():
                break
            left = float(np.linalg.norm(high - low))
            if before * CONTRACTION < left <= FACTOR * step.rounding:
                break
            before = left
        else:
            raise ModelError(f"the derivative of the step to t = {step.then:.9g} s does not converge")
        slope = history
        if len(d):
            ends = above.update(u + h * du, d + h * history), below.update(u - h * du, d - h * history)
            slope = self.find_history_slope(step.updated, *ends)
        above.end_step(u + h * du, step.end.data)
        below.end_step(u - h * du, step.end.data)
        if step.projects:
            for companion in (above, below):
                companion.project(step.h)
        self.read_slopes(step.end, slope)


@dataclass
class Step:
    """A step of the motion.

    Attributes:
        h, then: size and end of the step [s].
        end: the state of the motion at the end.
        unknowns: the unknowns of the step, shape (u,).
        way: how the motion has found the history values of the equations.
        data: history values of the equations, shape (d,).
        decided: history values of the equations that follow from the unknowns, shape (d,); they differ from ``data`` if
            contacts cycle.
        updated: history values at the end that follow from the unknowns, shape (d,).
        factors: factors of the tangent.
        projects: whether the motion was projected onto its constraints after the step.
        rounding: 2-norm of the rounding errors of the residual.
    """

    h: float
    then: float
    end: State
    unknowns: FloatArray
    way: Decides
    data: FloatArray
    decided: FloatArray
    updated: FloatArray
    factors: Any
    projects: bool
    rounding: float


@checked(model=CHECKS["model"], p=CHECKS["p"], motion=function(), steps=CHECKS["steps"])
def evaluate_motion(
    model: Model,
    p: Mapping[str, float],
    motion: Callable[[World], Dynamic],
    *,
    steps: Mapping[str, float] | None = None,
) -> MotionDerivatives:
    """Return results of a motion at each step, and their derivatives with respect to parameters."""
    if launched_size() > 1:
        raise ModelError("derivatives need a model on one process: run without mpiexec")
    h = choose_steps(p, steps or {})
    world, _, start = create_model(model, p)
    solver = motion(world)
    if not isinstance(solver, Dynamic) or solver.assembly.world is not world:
        raise ModelError(f"motion returned {solver!r:.80}: must be a Dynamic of the given world")
    first = find_start(world, start)
    centre = create_companion(model, p, solver)
    pairs: dict[str, Pair] = {}
    for name in p:
        above, below = (
            create_companion(model, {**p, name: p[name] + side * h[name]}, solver, like=centre, name=name)
            for side in (1.0, -1.0)
        )
        pairs[name] = Pair(above, below, h[name])
    nominal = solver.sizes.nominal
    centre.prepare(nominal, solver.decides)
    for pair in pairs.values():
        pair.prepare(centre, nominal, solver.decides)
    records = [read_step(centre, pairs, None)]
    projections = solver.consistency.projections
    times = [first.t]
    for now in solver.march(first):
        way = find_way(solver)
        step = repeat_step(centre, now, way, solver.attempt.data, projects=solver.consistency.projections > projections)
        projections = solver.consistency.projections
        for pair in pairs.values():
            pair.step(step)
        records.append(read_step(centre, pairs, records[0][0]))
        times.append(now.t)
    y = {name: np.array([record[0][name] for record in records]) for name in records[0][0]}
    dy = {name: {q: np.array([record[1][q][name] for record in records]) for q in p} for name in y}
    return MotionDerivatives(np.array(times), y, dy, solver.verdict)


def create_model(model: Model, p: Mapping[str, float]) -> tuple[World, Results, Start]:
    """Build the model with the given values of the parameters.

    Raises:
        ModelError: the function does not return a world, a function of results, and perhaps a function for the start.
    """
    made = model(dict(p))
    right = isinstance(made, tuple) and len(made) in (2, 3) and isinstance(made[0], World)
    if not (right and all(callable(part) for part in made[1:])):
        raise ModelError(
            f"model returned {made!r:.80}: must be a World, a function (state) -> results, and possibly a function () "
            "-> state that finds the start"
        )
    made[0].finalize()
    return made[0], made[1], made[2] if len(made) == 3 else None


def find_start(world: World, start: Start) -> State:
    """Return the state at the start of the motion.

    Raises:
        ModelError: the function for the start does not return a state of the model.
    """
    state = State(world) if start is None else start()
    if not isinstance(state, State) or state.world is not world:
        raise ModelError(f"the function for the start returned {state!r:.80}: must be a State of the model")
    return state.copy()


def create_companion(
    model: Model, p: Mapping[str, float], solver: Dynamic, like: Companion | None = None, name: str = ""
) -> Companion:
    """Return a companion model at its start; a parameter with the given name distinguishes it from another one."""
    world, results, start = create_model(model, p)
    if like is not None:
        require_equal(like.world, world, name)
    return Companion(world, results, solver, find_start(world, start))


def find_way(solver: Dynamic) -> Decides:
    """Return how the last step of a motion has found the history values of its equations."""
    if solver.attempt.passes == 1:
        return Decides.WITHIN if solver.mapped else Decides.BEFORE
    # after a pass with return maps, the second pass begins with the values at the start of the step
    return Decides.BEFORE if solver.mapped and solver.attempt.passes == 2 else Decides.AFTER


def repeat_step(centre: Companion, end: State, way: Decides, used: FloatArray, projects: bool) -> Step:
    """Repeat a step of the motion in the companion model with the same parameters, whose state is then the given end.

    Raises:
        ModelError: the step cannot be repeated.
    """
    state = centre.state
    h, then = end.t - state.t, end.t
    centre.begin_step(h, then)
    first = centre.read_unknowns(end)
    for follows in (True, False) if way is Decides.WITHIN else (False,):
        unknowns, data = first, used if len(used) else centre.decide(first, way, end.data)
        for _ in range(REPETITIONS):
            data = centre.decide(unknowns, way, data) if follows else data
            residual = centre.eval_residual(unknowns, data)
            factors = centre.factorise()
            change = factors.solve(residual)
            unknowns = unknowns - change
            if np.abs(change).max(initial=0.0) <= REPEATED * np.abs(unknowns).max(initial=0.0):
                break
        else:
            continue
        break
    else:
        raise ModelError(f"the step to t = {then:.9g} s cannot be repeated: hooks must not change the model")
    decided = centre.decide(unknowns, way, data)
    rounding = estimate_rounding(centre.problem)
    updated = centre.update(unknowns, data) if len(data) else data
    for name in (*MOTION, "data"):
        getattr(state, name)[:] = getattr(end, name)
    state.start_data[:] = state.data
    state.t, state.step = end.t, end.step
    return Step(h, then, state, unknowns, way, data, decided, updated, factors, projects, rounding)


def read_step(
    centre: Companion, pairs: Mapping[str, Pair], like: Mapping[str, float] | None
) -> tuple[dict[str, float], dict[str, dict[str, float]]]:
    """Return results and, by parameter, their derivatives at the present states."""
    y = read_results(centre.results, centre.state, like)
    slopes = {}
    for name, pair in pairs.items():
        above, below = (read_results(side.results, side.state, y) for side in (pair.above, pair.below))
        slopes[name] = {result: (above[result] - below[result]) / (2.0 * pair.h) for result in y}
    return y, slopes
