"""Motion that fulfils the constraints on positions, velocities and accelerations. Such a motion is computed at the
start of a run, and after jumps of the velocities of prescribed motions.

At the start, positions and velocities that violate constraints only slightly are projected onto the constraints. The
projection has the smallest change in the norm of the mass matrix. For larger violations, the module start.py raises an
error.

Velocity jumps. Implicit methods enforce constraints at position level (index 3) or at velocity level (index 2). A
velocity jump occurs if the first derivative of the time function of a constraint jumps, or if a constraint is switched
on. After a velocity jump, accelerations and multipliers oscillate about the correct values from step to step. At index
3 the velocities also oscillate. Without numerical damping, accelerations alternate permanently between 0 and twice the
correct value. The oscillating accelerations violate the acceleration equations of the constraints. The violation is

    e = C_q a - r.

Here r is the right-hand side of the acceleration equations. In smooth motion, e is of order h² with the step size h,
and changes by order h³ from step to step. Accelerations, multipliers and, at index 3, velocities are projected onto the
constraints if this change exceeds `KINK` times the size of the terms of e. Let δ denote the change of a quantity by the
projection, f the forces in the equations of motion M a + f + C_qᵀ λ = loads, and j the rate of -e at constant a. The
factor c is given below. The equations of the projection are

    C_q δv = c h² j - Ċ,    M δa + C_qᵀ δλ = f(v) - f(v + δv),  C_q δa = -e,    j = d(r - C_q a)/dt for constant a

The constraint on the norm of Euler parameters is excluded. This constraint does not depend on time. Its violation e
therefore changes only in three cases: after a jump of a torque, after a velocity jump of another constraint, and if the
step size is too large for the rotation. The violation e of this constraint is an acceleration in the direction of the
vector of Euler parameters. This acceleration does not rotate the body. A projection would change the rotation only by a
fraction of the discretisation error of the step.

Generalised-alpha's algorithmic acceleration A is an acceleration at the time t + Δ h with Δ = α_m - α_f. A is corrected
only in the directions of the constraints, such that C_q A = C_q a + Δ h j. This correction preserves order 2 of the
method. At index 3, c = 1/6 - β - Δ/2, with Newmark's constant β. With this value of c, velocities are projected onto
the velocities of a smooth numerical solution. A projection onto the exact velocities would excite the oscillation
again, with oscillating accelerations of order h. For the same reason, velocities at index 3 are also projected after
the first step of a run. Constraints on velocities have index 2 in every method, so c = 0 for these constraints.

A change of velocities with the smallest norm of M may cause large strain rates in few elements, so that stiff dampers
exert very large forces. In the projection of velocities, the matrix M is therefore replaced by M + h ∂f/∂v if damping
would dissipate more energy in a step h than the kinetic energy of the change of velocities. The change of velocities is
then the response of the step to an impulse. The derivative j is a one-sided derivative. The time interval of its
difference quotient lies either before or after the present time, and contains no velocity jump. If the motion is
smooth, a projection does not reduce the accuracy of the method. The projection is repeated after the next step, because
the time interval of the difference quotients in the first projection may have contained the velocity jump.

Sources: K. E. Brenan, S. L. Campbell, L. R. Petzold, Numerical Solution of Initial-Value Problems in
Differential-Algebraic Equations, SIAM (1996), for consistent values; M. Arnold, O. Brüls, A. Cardona, Numer. Math. 129
(2015) 149-179, for A.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.array_kernels import clear
from windlass.framework.assembly.steps import run_steps
from windlass.framework.errors import ModelError
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.kernels.program import Program, Step
from windlass.framework.model.system import evaluate
from windlass.framework.state.state import State
from windlass.solvers.constraint_motion.accelerations import CONSTRAINT_TOLERANCE, PROJECTIONS, STAGNATION
from windlass.solvers.constraint_motion.constraint_jacobian import product_steps
from windlass.solvers.constraint_motion.constraint_rates import ConstraintRates
from windlass.solvers.constraint_motion.initial import MassSolver, update_initial_accelerations
from windlass.solvers.constraint_motion.start import check_gaps, check_velocities, refuse_gaps
from windlass.solvers.newton.problem import NonlinearProblem
from windlass.solvers.stepping.compiled_steps import Follow
from windlass.solvers.stepping.integrator import Integrator

KINK = 5e-3
"""If the ratio [1] of the change of e in a step to the size of the terms C_q a and r is larger than this value, the
motion is not smooth. In smooth motion with 20 or more steps per period, the ratio is smaller.
"""
NOISE_OF_RATES = 1e-5
"""Rounding error of e, divided by 1 + largest coordinate + largest velocity."""
NOISE_OF_PLACES = 1e-13
"""Rounding error [1] of second difference quotients of positions in time, multiplied by h², relative to 1 + largest
coordinate.
"""
LOOK_BACK = 1 / 16
"""Ratio [1] of the time step of the difference quotients of e to the step size."""
STRADDLES = 2.0
"""If the ratio [1] of the backward to the forward difference quotient of e is larger than this value, the interval of
the backward quotient is assumed to contain a velocity jump.
"""


@kernel
def find_excess(
    product: FloatArray,
    right: FloatArray,
    watched: FloatArray,
    before: FloatArray,
    now: FloatArray,
    largest: FloatArray,
) -> None:
    """Write the violation e = ``product`` - ``right`` of each constraint, and the sum of the absolute values of these
    two terms, to ``now``. Let s be the larger of the present sum and the previous sum of a constraint. Compute abs(e -
    e_before) - `KINK` s for each constraint, and write the largest of these values to ``largest``.

    The shapes of ``before`` and ``now`` are (2, m), and the shape of ``largest`` is (1,). ``watched``, shape (m,), is 0
    for constraints that are excluded from the check, otherwise 1.
    """
    most = 0.0
    for i in range(now.shape[1]):
        e, size = product[i] - right[i], abs(product[i]) + abs(right[i])
        most = max(most, watched[i] * (abs(e - before[0, i]) - KINK * max(size, before[1, i])))
        now[0, i], now[1, i] = e, size
    largest[0] = most


@dataclass
class Trace:
    """Changes of velocities and accelerations by a projection onto the constraints.

    Attributes:
        velocities: changes of velocities with which the velocities fulfil the constraints, shape (n,).
        over: factor [s] of the damping matrix that is added to the mass matrix in the computation of ``velocities``.
        accelerations: changes of accelerations, shape (n,).
        offset: changes of velocities in addition to ``velocities``, shape (n,). With these changes, the velocities are
            the velocities of a smooth numerical solution.
        carried: changes of algorithmic accelerations, shape (n,).
    """

    velocities: FloatArray
    over: float
    accelerations: FloatArray
    offset: FloatArray
    carried: FloatArray


class Consistency:
    """Projection of the states of a dynamic run onto its constraints.

    Args:
        problem: the equations. Their matrix and their linear solver are used.
        integrator: the integration method.
        project: whether states are projected after velocity jumps. The initial state is always checked.
        velocities: treatment of initial velocities that violate constraints. With "check", an error is raised. With
            "project", the nearest allowed velocities are used.

    Attributes:
        projections: number of projections after velocity jumps so far.
        settings: the arguments ``project`` and ``velocities``.
    """

    def __init__(self, problem: NonlinearProblem, integrator: Integrator, project: bool, velocities: str) -> None:
        self._problem, self._integrator, self._velocities = problem, integrator, velocities
        self._rates = ConstraintRates(problem.assembly)
        self._project = project and self._rates.anywhere
        self.settings = project, velocities
        count = self._rates.count
        # for each constraint, its violation e and the size of the terms of e, after the previous step and after this
        # step
        self._before, self._now, self._largest = np.zeros((2, count)), np.zeros((2, count)), np.zeros(1)
        self._program, self._made_for = Program([]), (np.zeros(0), -1)
        self._again = False
        self.projections = 0

    def begin(self, state: State, h: float) -> None:
        """Project initial positions and velocities onto the constraints, and find accelerations and multipliers.

        Args:
            state: the initial state.
            h: step size [s].

        Raises:
            ModelError: gaps of position constraints are not small, constraints forbid velocities, or masses and
                constraints do not determine accelerations. The message names the constraints.
        """
        self._again = not self._integrator.rate_level
        if self._rates.anywhere:
            self._problem.assembly.load_fields(state)
            self._close_gaps(state, h)
        update_initial_accelerations(self._problem, state)
        self.look_back(state)

    def refuse_nonlinear(self, state: State, method: str) -> None:
        """Raise ModelError if the model has nonlinear constraints, which the integration method ``method`` does not
        allow. The message contains ``method``.
        """
        if not self._rates.anywhere:
            return
        self._problem.assembly.load_fields(state)
        found = self._rates.find_nonlinear()
        if self._problem.assembly.processes.any(bool(found.any())):
            raise ModelError(
                f"method = {method!r} in Dynamic with nonlinear constraints ({self._rates.describe(found, most=3)}): "
                "must be 'generalized_alpha', 'generalized_alpha_index2' or 'trapezoidal_index2', because an index-3 "
                "method does not damp the errors of constraint forces"
            )

    def checkpoint(self) -> dict[str, Any]:
        """Return values in addition to the state that a restart needs. See `Restartable`."""
        return {"again": self._again, "projections": self.projections}

    def restore(self, kept: Mapping[str, Any]) -> None:
        """Continue from values that `checkpoint` has returned."""
        self._again, self.projections = bool(kept["again"]), int(kept["projections"])

    def look_back(self, state: State) -> None:
        """Evaluate the constraint violation e at the start of a new or resumed run. In all later steps, e has already
        been computed in the previous step.
        """
        if self._project:
            self._problem.assembly.load_fields(state)
            self._look(state)
            self._before[:] = self._now

    def follow(self, state: State, h: float) -> bool:
        """Project the state at the end of an accepted step if the step contains a velocity jump. Return whether the
        state has changed. The fields of the assembly must contain the values of the state.

        Args:
            state: the state after the step. Velocities, accelerations and multipliers may change.
            h: size [s] of the step.
        """
        if not self._project:
            return False
        kink = self._is_kink(self._look(state), h)
        projects = kink or self._again
        if projects:
            self.project(state, h)
            self.projections += 1
            self._look(state)
        self._again = kink
        self._before[:] = self._now
        return projects

    @property
    def looks(self) -> Follow:
        """Data that compiled code needs to search for velocity jumps."""
        return Follow(self._largest, self._before, self._now, NOISE_OF_RATES)

    def find_program(self, state: State) -> Program | None:
        """Return the compiled program that checks for velocity jumps after a step, or None if the next step requires
        Python code.
        """
        return None if self._project and (self._again or not self._has_program(state)) else self._program

    def _has_program(self, state: State) -> bool:
        a, revision = self._made_for
        return state.a is a and self._problem.assembly.revision == revision

    def _look(self, state: State) -> float:
        """Evaluate the constraint violation e and the size of its terms at the state in the fields. Return the amount
        by which the change of e exceeds the change in smooth motion.
        """
        assembly = self._problem.assembly
        if not self._has_program(state):
            self._made_for = state.a, assembly.revision
            self._program = self._create_program(state.a)
        self._program()
        return float(self._largest[0])

    def _create_program(self, a: FloatArray) -> Program:
        product, right = np.zeros(self._rates.count + 1), np.zeros(self._rates.count + 1)
        before, now, largest, assembly = self._before, self._now, self._largest, self._problem.assembly
        watched = np.ones(self._rates.count)
        for constraint in assembly.constraints:
            if constraint.smooth:
                own = constraint.multipliers.ravel()
                # multipliers of other processes have the index -1
                watched[own[own >= 0]] = 0.0
        where = (evaluate(assembly.fields),)
        steps: list[Step] = [(call(clear, lambda s: (product,)), where), (call(clear, lambda s: (right,)), where)]
        steps += product_steps(assembly, a, product) + self._rates.right_steps(right)
        steps.append((call(find_excess, lambda s: (product, right, watched, before, now, largest)), where))
        return Program(steps)

    def eval_violation(self, a: FloatArray) -> FloatArray:
        """Return the constraint violation e at the coordinates and velocities in the fields for the accelerations a,
        shape (m,)."""
        right = np.zeros(self._rates.count + 1)
        run_steps(self._rates.right_steps(right))
        return self._rates.multiply(a) - right[:-1]

    def multiply(self, a: FloatArray) -> FloatArray:
        """Return C_q a, shape (m,), for the accelerations a at the coordinates in the fields."""
        return self._rates.multiply(a)

    def eval_rates(self) -> FloatArray:
        """Return the constraint rates Ċ at the motion in the fields, shape (m,)."""
        return self._rates.eval(rate_level=True)

    def _is_kink(self, largest: float, h: float) -> bool:
        """Return whether, on any process, the constraint violation e has changed more than in smooth motion. The
        argument ``largest`` is, for this process, the amount by which the change exceeds the change in smooth motion.
        """
        fields, processes = self._problem.assembly.fields, self._problem.assembly.processes
        if processes.size == 1 and largest <= NOISE_OF_RATES:
            return False
        # the maximum over all processes is used, because the detection of a velocity jump must not depend on the number
        # of processes
        most, place, speed = processes.largest([largest, np.abs(fields.x).max(), np.abs(fields.v).max()])
        return most > NOISE_OF_RATES * (1.0 + place + speed) + NOISE_OF_PLACES * (1.0 + place) / h**2

    def project(self, state: State, h: float, trace: Trace | None = None) -> None:
        """Project accelerations, multipliers, algorithmic accelerations and, at index 3, velocities of the state onto
        the constraints. Store the changes in ``trace``, if given.
        """
        assembly, rates, integrator = self._problem.assembly, self._rates, self._integrator
        fields, solver, over = assembly.fields, MassSolver(self._problem), 0.0
        zero, f = np.zeros(assembly.layout.spare + 1), np.zeros(assembly.layout.spare + 1)
        if not integrator.rate_level:
            change, f, over = self._find_change(solver, -rates.eval(rate_level=True), h)
            self._move(state, change)
            if trace is not None:
                trace.velocities, trace.over = change, over
            if over:
                solver = MassSolver(self._problem)
        e = self.eval_violation(state.a)
        change, force = solver.solve(f, np.append(-e, 0.0))
        if trace is not None:
            trace.accelerations = change
        state.a += change
        state.lam += force
        fields.a[:-1], fields.lam[:-1] = state.a, state.lam
        jerk = self.eval_jerk(state, h)
        if not integrator.rate_level:
            missed = self.find_offsets(h) * jerk
            velocities = MassSolver(self._problem, over) if over else solver
            change = velocities.solve(zero, np.append(missed, 0.0))[0]
            self._move(state, change)
            if trace is not None:
                trace.offset = change
        if integrator.generalised:
            lacks = rates.multiply(state.a - integrator.accelerations(state, h)) + integrator.shift * h * jerk
            accelerations = MassSolver(self._problem) if over else solver
            change = accelerations.solve(zero, np.append(lacks, 0.0))[0]
            state.carried += change
            if trace is not None:
                trace.carried = change

    def find_offsets(self, h: float) -> FloatArray:
        """Return the factor c h² [s²] for each constraint, shape (m,). At index 3, the equation C_q δv = c h² j - Ċ
        determines the change δv of velocities. See the module docstring.
        """
        offset = (1 / 6 - self._integrator.beta - self._integrator.shift / 2) * h * h
        # constraints on velocities need no offset c, because the next steps fulfil these constraints exactly
        return np.where(self._rates.find_rates(), 0.0, offset)

    def _find_change(self, solver: MassSolver, gap: FloatArray, h: float) -> tuple[FloatArray, FloatArray, float]:
        """Return the changes of velocities, shape (n,), that change the constraint rates Ċ by ``gap``, shape (m,). The
        second result is the change of the forces f that these changes of velocities cause, shape (n + 1,). The third
        result is the factor [s] of the damping matrix that is added to the mass matrix, h or 0.
        """
        right = np.append(gap, 0.0)
        zero = np.zeros(self._problem.assembly.layout.spare + 1)
        change, impulse = solver.solve(zero, right)
        force = self._eval_force(change)
        lost, energy = self._problem.assembly.processes.sum(np.array((h * force[:-1] @ change, impulse @ gap)))
        if abs(lost) <= abs(energy):
            return change, force, 0.0
        change, _ = MassSolver(self._problem, over=h).solve(zero, right)
        return change, self._eval_force(change), h

    def _eval_force(self, change: FloatArray) -> FloatArray:
        """Return f(v + ``change``) - f(v), shape (n + 1,), for the forces f and the velocities v in the fields."""
        assembly, force = self._problem.assembly, np.zeros(len(change) + 1)
        v = assembly.fields.v.copy()
        assembly.add_forces(force)
        force *= -1.0
        assembly.fields.v[:-1] += change
        assembly.update_markers()
        assembly.add_forces(force)
        assembly.fields.v[:] = v
        assembly.update_markers()
        return force

    def _move(self, state: State, change: FloatArray) -> None:
        """Add ``change`` to the velocities of the state and of the fields, and update the markers."""
        self._problem.assembly.fields.v[:-1] += change
        state.v += change
        self._problem.assembly.update_markers()

    def eval_jerk(self, state: State, h: float) -> FloatArray:
        """Return j, the rate of -e at constant accelerations, shape (m,). The rate is computed by difference quotients
        in time, at the state in the fields.

        If the backward difference quotient is more than `STRADDLES` times the forward difference quotient, the backward
        interval is assumed to contain a velocity jump, and the forward quotient is used. Otherwise the backward
        quotient is used.
        """
        now, step = self.eval_violation(state.a), LOOK_BACK * h
        before, after = ((self._eval_later(state, dt) - now) / dt for dt in (-step, step))
        return np.where(np.abs(before) > STRADDLES * np.abs(after), -after, -before)

    def _eval_later(self, state: State, dt: float) -> FloatArray:
        """Return the constraint violation e that the state in the fields would have after a given time [s] with
        constant accelerations, shape (m,)."""
        rates, fields = self._rates, self._problem.assembly.fields
        x, v, t = fields.x.copy(), fields.v.copy(), fields.t
        fields.x[:-1] += dt * state.v
        fields.v[:-1] += dt * state.a
        fields.t = t + dt
        rates.update_markers()
        later = self.eval_violation(state.a)
        fields.x[:], fields.v[:], fields.t = x, v, t
        rates.update_markers()
        return later

    def _close_gaps(self, state: State, h: float) -> None:
        """Project the positions and velocities of the state onto the constraints. The fields must contain the state,
        with markers that are up to date."""
        assembly, rates = self._problem.assembly, self._rates
        fields, processes = assembly.fields, assembly.processes
        size = 1.0 + processes.largest_of(np.abs(fields.x).max())
        zero, values = np.zeros_like(fields.x), rates.eval(rate_level=False)
        left = processes.largest_of(np.abs(values).max(initial=0.0))
        # if all constraints are fulfilled, constraints on positions and on velocities need not be distinguished
        on_rates = rates.find_rates() if left > CONSTRAINT_TOLERANCE * size else np.zeros(rates.count, np.bool_)
        if left > CONSTRAINT_TOLERANCE * size:
            check_gaps(assembly, rates, np.where(on_rates, 0.0, values), on_rates, h)
        before = np.inf
        for _ in range(PROJECTIONS):
            gap = np.where(on_rates, 0.0, values)
            left = processes.largest_of(np.abs(gap).max(initial=0.0))
            stagnates = left > 0.5 * before and left <= STAGNATION * size
            if left <= CONSTRAINT_TOLERANCE * size or stagnates:
                break
            before = left
            change, _ = MassSolver(self._problem).solve(zero, np.append(-gap, 0.0))
            fields.x[:-1] += change
            state.q += change
            assembly.update_markers()
            values = rates.eval(rate_level=False)
        else:
            refuse_gaps(assembly, rates, gap, 0.0)
        gap = rates.eval(rate_level=True)
        size = 1.0 + processes.largest_of(np.abs(fields.v).max())
        if processes.largest_of(np.abs(gap).max(initial=0.0)) > CONSTRAINT_TOLERANCE * size:
            if self._velocities == "check":
                check_velocities(assembly, rates, gap)
            state.v += self._find_change(MassSolver(self._problem), -gap, h)[0]
