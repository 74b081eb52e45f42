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
from typing import Any

import numpy as np
from scipy.sparse import csc_array, csr_array
from scipy.sparse.linalg import splu

from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.assembly import serial_assembly
from windlass.framework.assembly.storage import Storage
from windlass.framework.checks.checks import checked, function, optional
from windlass.framework.errors import ModelError
from windlass.framework.launch.launcher import launched_size
from windlass.framework.model.world import World
from windlass.framework.state.state import State
from windlass.solvers.constraint_motion.consistency import Consistency
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.newton.problem import NonlinearProblem
from windlass.solvers.sensitivities.evaluate import (
    CHECKS,
    Model,
    Results,
    choose_steps,
    create_model,
    find_equilibrium,
    read_results,
    require_equal,
)
from windlass.solvers.stepping.step_kernels import StepKernels
from windlass.solvers.verdicts.verdict import Verdict

MOTION = ("q", "v", "a", "carried", "lam")
"""Arrays of a state that change smoothly with parameters."""
ITERATIONS = 30
"""Largest number of iterations of the derivative of a step."""
ACCURATE = 1e-9
"""Change of a derivative in an iteration at which the iteration ends, relative to the derivative [1]."""
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

    def update(self, unknowns: FloatArray, data: FloatArray) -> FloatArray:
        """Return the history values that follow from the unknowns, with the decisions in ``data``."""
        self.problem.unknowns.setArray(unknowns)
        self.problem.expand_unknowns(self.problem.unknowns)
        self.assembly.fields.data[:] = data
        self.assembly.post_newton()
        return self.assembly.fields.data.copy()

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
        self.problem.unknowns.setArray(unknowns)
        self.problem.expand_unknowns(self.problem.unknowns)
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
        du, data, history = np.zeros(len(step.unknowns)), step.data, np.zeros(len(step.data))
        largest = np.inf
        for _ in range(ITERATIONS):
            u = step.unknowns + h * du, step.unknowns - h * du
            if len(data):
                ends = above.update(u[0], data + h * history), below.update(u[1], data - h * history)
                history = self.find_history_slope(step.updated, *ends)
            high = above.eval_residual(u[0], data + h * history)
            low = below.eval_residual(u[1], data - h * history)
            change = step.factors.solve((low - high) / (2.0 * h))
            if not np.isfinite(change).all():
                raise ModelError(f"a derivative at t = {step.then:.9g} s is not finite")
            du += change
            size = float(np.abs(change / step.sizes).max(initial=0.0))
            if size <= ACCURATE * float(np.abs(du / step.sizes).max(initial=0.0)) or not step.iterates:
                break
            if size >= largest and size <= 1e-6 * float(np.abs(du / step.sizes).max(initial=0.0)):
                break  # rounding errors
            largest = min(size, largest)
        else:
            raise ModelError(f"the derivative of the step to t = {step.then:.9g} s does not converge")
        u = step.unknowns + h * du, step.unknowns - h * du
        if len(data):
            ends = above.update(u[0], data + h * history), below.update(u[1], data - h * history)
            history = self.find_history_slope(step.updated, *ends)
        above.end_step(u[0], data + h * history)
        below.end_step(u[1], data - h * history)
        if step.projects:
            for companion in (above, below):
                companion.project(step.h)
        self.read_slopes(step.end, history)


@dataclass
class Step:
    """A step of the motion.

    Attributes:
        h, then: size and end of the step [s].
        end: the state of the motion at the end.
        unknowns: the unknowns of the step, shape (u,).
        sizes: sizes of the unknowns for the comparison of derivatives, shape (u,).
        data: history values at the end, shape (d,).
        updated: history values that follow from the unknowns, shape (d,); equal to ``data`` except for cycling
            contacts.
        factors: factors of the tangent.
        iterates: whether the derivative of the step needs several iterations, because history values affect forces.
        projects: whether the motion was projected onto its constraints after the step.
    """

    h: float
    then: float
    end: State
    unknowns: FloatArray
    sizes: FloatArray
    data: FloatArray
    updated: FloatArray
    factors: Any
    iterates: bool
    projects: bool


@checked(**{key: check for key, check in CHECKS.items() if key != "solve"}, motion=function(), start=optional(function()))
def evaluate_motion(
    model: Model,
    p: Mapping[str, float],
    motion: Callable[[World], Dynamic],
    *,
    start: Callable[[World], State] | None = None,
    steps: Mapping[str, float] | None = None,
) -> MotionDerivatives:
    """Return results of a motion at each step, and their derivatives with respect to parameters."""
    if launched_size() > 1:
        raise ModelError("derivatives need a model on one process: run without mpiexec")
    h = choose_steps(p, steps or {})
    world, _ = create_model(model, p)
    first: State | None = None
    if start is not None:
        found = find_equilibrium(model, p, start, steps)
        first = State(world).assign(found.state)
    solver = motion(world)
    if not isinstance(solver, Dynamic) or solver.assembly.world is not world:
        raise ModelError(f"motion returned {solver!r:.80}: must be a Dynamic of its argument")
    world0, results0 = create_model(model, p)
    state0 = State(world0)
    if first is not None:
        state0.assign(first)
    centre = Companion(world0, results0, solver, state0)
    pairs: dict[str, Pair] = {}
    for name in p:
        ends = []
        for side in (1.0, -1.0):
            if start is not None:
                other, results, state = found.move(model, p, name, side)
            else:
                other, results = create_model(model, {**p, name: p[name] + side * h[name]})
                require_equal(world0, other, name)
                state = State(other)
            ends.append(Companion(other, results, solver, state))
        pairs[name] = Pair(ends[0], ends[1], h[name])
    nominal = solver.sizes.nominal
    centre.prepare(nominal, solver.decides)
    for pair in pairs.values():
        pair.prepare(centre, nominal, solver.decides)
    records = [read_step(centre, pairs, None)]
    projections = solver.consistency.projections
    times = [state0.t]
    for now in solver.march(first):
        step = repeat_step(centre, now, projects=solver.consistency.projections > projections)
        projections = solver.consistency.projections
        for pair in pairs.values():
            pair.step(step)
        records.append(read_step(centre, pairs, records[0][0]))
        times.append(now.t)
    y = {name: np.array([record[0][name] for record in records]) for name in records[0][0]}
    dy = {name: {q: np.array([record[1][q][name] for record in records]) for q in p} for name in y}
    return MotionDerivatives(np.array(times), y, dy, solver.verdict)


def repeat_step(centre: Companion, end: State, projects: bool) -> Step:
    """Repeat a step of the motion in the companion model with the same parameters, whose state is then the given end.

    Raises:
        ModelError: the step cannot be repeated.
    """
    state = centre.state
    h, then = end.t - state.t, end.t
    centre.begin_step(h, then)
    unknowns = centre.read_unknowns(end)
    sizes = np.ones(len(unknowns))
    data = end.data.copy()
    for _ in range(10):
        residual = centre.eval_residual(unknowns, data)
        factors = centre.factorise()
        change = factors.solve(residual)
        unknowns = unknowns - change
        if np.abs(change).max(initial=0.0) <= REPEATED * np.abs(unknowns).max(initial=0.0):
            break
    else:
        raise ModelError(f"the step to t = {then:.9g} s cannot be repeated: hooks must not change the model")
    updated = centre.update(unknowns, data) if len(data) else data
    for name in (*MOTION, "data"):
        getattr(state, name)[:] = getattr(end, name)
    state.start_data[:] = state.data
    state.t, state.step = end.t, end.step
    return Step(h, then, state, unknowns, sizes, data, updated, factors, len(data) > 0, projects)


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
