"""Newton's method by PETSc SNES. The module contains defaults for constrained cable models, and changes the linear
solver after failures.

Defaults are set on the PETSc objects before ``setFromOptions``. Therefore, every option with the prefix of the solver
overrides its default.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.state_cycles import ALTERNATES
from windlass.framework.assembly.storage import Storage
from windlass.framework.command_line import options
from windlass.framework.kernels.call import call
from windlass.framework.launch.petsc_functions import raise_cause, reason_name, set_line_search, unlock
from windlass.framework.runtime.log_stages import Stage, enter, leave
from windlass.framework.runtime.petsc import PETSc
from windlass.solvers.linear.advice import advise_iterative
from windlass.solvers.linear.linear_check import LINEAR_RTOL, is_accurate
from windlass.solvers.linear.mumps import MumpsSettings
from windlass.solvers.linear.ordering import default_package
from windlass.solvers.linear.packages import can_reset, check_package, refuse_differences, reset_factors, set_direct
from windlass.solvers.linear.substructures import set_substructures
from windlass.solvers.newton.callbacks import CARRIED, KEPT, ZERO, Around, Callbacks
from windlass.solvers.newton.convergence import (
    ASK,
    CONVERGED_ABSOLUTE,
    CONVERGED_RELATIVE,
    CYCLED,
    ITERATING,
    LINEAR_SOLVE_FAILED,
    MEASURES,
    NO_LONGER_FALLS,
    SLOW,
    STALLED,
    conclude,
    continue_below,
    has_repeated,
    has_stalled,
    is_slow,
    judge,
)
from windlass.solvers.newton.linear_failure import LinearFailures
from windlass.solvers.newton.problem import NonlinearProblem
from windlass.solvers.newton.rigid_motions import create_near_null_space
from windlass.solvers.newton.rounding import FACTOR, NEAR, SMALL, estimate_forces, estimate_rounding
from windlass.solvers.newton.scheme import Scheme

DAMPED_ITERATIONS = 4
"""Largest number [1] of iterations of a Newton run with backtracking, relative to the largest number without
backtracking.
"""
CYCLE = reason_name(PETSc.SNES.ConvergedReason, CYCLED)
"""`NewtonRun.reason` of a run that has ended because of a cycle of contact states."""


@dataclass
class NewtonRun:
    """Outcome of one Newton run.

    Attributes:
        converged: whether the run converged.
        reason: PETSc's name of the outcome.
        iterations: number of linear solves.
        history: residual norms, beginning with the predictor.
    """

    converged: bool
    reason: str
    iterations: int
    history: list[float] = field(default_factory=list)


class Newton:
    """Wrapper of a SNES for one problem. The wrapper is reused for all steps of a solve.

    Args:
        problem: the equations, with residual and tangent.
        rtol: default tolerance [1] of the residual, relative to the larger of the residuals before and after the first
            iteration. ``-<prefix>snes_rtol`` overrides this value. At the full loads of a static solve, iterations that
            halve the residual continue until the residual fulfils the tolerance relative to loads and reactions.
        atol: default absolute tolerance of the residual, in the 2-norm over equations of motion [N, N m] and
            constraints [m, m/s]. ``-<prefix>snes_atol`` overrides this value.
        max_it: default largest number of iterations. ``-<prefix>snes_max_it`` overrides this value.
        overshoot: treatment of residuals that fulfil the relative tolerance only because the first correction of
            Newton's method was much too large. Such a correction increases the residual to which the tolerance refers.
            With "check", residuals must also be small relative to loads, reactions and inertia. With "accept", such
            residuals are accepted, even if they are not small relative to these values.

    Attributes:
        iterations: number of linear solves so far.
        fallbacks: number of failures after which another linear solver was selected.
        roundings: number of runs that ended because the residual consisted of rounding errors.
        problem, snes: residual and tangent, and the PETSc solver.
    """

    def __init__(
        self, problem: NonlinearProblem, rtol: float, atol: float, max_it: int, overshoot: str = "check"
    ) -> None:
        self.problem, self._accepts = problem, overshoot == "accept"
        self.iterations = self.fallbacks = self.roundings = 0
        snes = self.snes = problem.snes
        snes.setTolerances(rtol=rtol, atol=atol, stol=0.0, max_it=max_it)
        snes.setConvergenceTest(self._test)
        snes.setType(PETSc.SNES.Type.NEWTONLS)
        # `_is_inaccurate` detects solutions that are inaccurate because of small pivots. A solver with pivoting then
        # replaces this LU.
        package = default_package(problem.pattern, problem.assembly.layout.size, "petsc")
        if problem.storage is Storage.SUBSTRUCTURES:
            set_substructures(snes.getKSP(), problem.sparsity, problem.assembly.processes)
        else:
            set_direct(snes.getKSP(), package, problem.prefix)
        set_line_search(snes, "basic")
        refuse_differences(problem.prefix)
        options.set_from_options(snes)
        own_test = not PETSc.Options().hasName(problem.prefix + "snes_convergence_test")
        if snes.getType() != PETSc.SNES.Type.NEWTONLS or not own_test:
            # without Windlass's convergence test, the policy for reused tangents does not receive the residual norms
            problem.lag.active = False
        check_package(snes.getKSP(), problem.matrix.mat, problem.prefix)
        self._help_multigrid()
        advise_iterative(problem.assembly, problem.prefix, snes.getKSP().getPC())
        self._settings, self._pattern = MumpsSettings(problem), problem.pattern
        self._set_up_seen = self._factors_failed = self._is_running = False
        # the storage of the tangent and the tolerances with which another solver can use this object, see `renew`
        self._storage, self._first_tolerances = problem.storage, snes.getTolerances()
        self._measures, self._history = np.zeros(1, MEASURES), np.zeros(0)
        self._damped, self._guessed, self._seen = (self._measures[name] for name in ("damped", "guessed", "seen"))
        self._tolerances: tuple[Any, ...] = ()
        self._measures["may_pivot"] = self._uses_default_lu()
        self._linear = LinearFailures(problem)
        self._before = np.zeros(problem.unknowns.getLocalSize())
        self._judge, self._conclude, self._continue_below = call(judge), call(conclude), call(continue_below)
        self._is_slow, self._has_stalled = call(is_slow), call(has_stalled)
        self._callbacks = Callbacks(problem, self._test, self._look, self._before) if own_test else None

    @property
    def records(self) -> tuple[Any, Any, Any]:
        """The data of the convergence test, of the policy for reused tangents, and of the state of the run. See
        `begin_run`.
        """
        return self._measures, self.problem.lag.memory, self.problem.buffers.state

    def _help_multigrid(self) -> None:
        """Pass the rigid-body motions to algebraic multigrid. Without these motions, the number of iterations of
        multigrid increases with the number of unknowns.
        """
        if self.snes.getKSP().getPC().getType() == PETSc.PC.Type.GAMG:
            space = create_near_null_space(self.problem)
            if space is not None:
                self.problem.set_near_null_space(space)

    def _test(self, _snes: Any, it: int, norms: tuple[float, float, float]) -> int:
        """Test convergence by the rules of convergence.py. PETSc calls this function as its
        SNESConvergenceTestFunction.
        """
        problem, norm = self.problem, norms[2]
        reason = self._judge(self._measures, self._history, problem.lag.memory, it, norm)
        if reason in (ASK, SLOW):
            reason = self._look(it, norm)
        if reason == ITERATING and problem.assembly.fields.mapped[0] == ALTERNATES:
            reason = CYCLED
        self._conclude(self._measures, problem.lag.memory, norm, reason, problem.residual_vector.array_r, self._before)
        return int(reason)

    def _look(self, it: int, norm: float) -> int:
        """Make the decisions of the convergence test that require forces or the linear solution. Return one of the
        convergence reasons of convergence.py.
        """
        m = self._measures[0]
        if norm <= m["rtol"] * m["reference"] and self._is_small(norm):
            return ITERATING if self._improves(it, norm) else CONVERGED_RELATIVE
        if self._is_inaccurate(norm):
            return LINEAR_SOLVE_FAILED
        if self._is_at_rounding(norm):
            self.roundings += 1
            return CONVERGED_ABSOLUTE
        return int(self._continue_below(self._measures, self._history, it))

    def _is_small(self, norm: float) -> bool:
        """Return whether to accept a residual that fulfils the relative tolerance only because of a large first
        correction. The residual is accepted if it is small relative to the predictor or to loads, reactions and
        inertia. With the setting ``overshoot`` = "accept", all such residuals are accepted.
        """
        m = self._measures[0]
        small = self._accepts or bool(norm <= m["rtol"] * m["predictor"])
        return small or norm <= SMALL * estimate_forces(self.problem)

    def _improves(self, it: int, norm: float) -> bool:
        """Return whether a run at the full loads of a static solve continues, although its residual fulfils the
        relative tolerance. The reference of this tolerance is the first residual, which is much larger than the loads
        if the initial shape is far from the equilibrium. Therefore the run continues until its residual fulfils the
        tolerance relative to loads and reactions, as long as each iteration makes progress, see `NO_LONGER_FALLS`.
        """
        m, before = self._measures[0], self._history[self._measures["seen"][0] - 2]
        if not m["exact"] or it >= m["max_it"] or norm > NO_LONGER_FALLS * before:
            return False
        return norm > float(m["rtol"]) * estimate_forces(self.problem)

    def _is_at_rounding(self, norm: float) -> bool:
        """Return whether the residual no longer decreases because it consists of rounding errors."""
        stalled = (
            self._has_stalled(self._history[: self._measures["seen"][0]], STALLED) and self.problem.lag.last_was_new
        )
        return stalled and norm <= FACTOR * estimate_rounding(self.problem)

    def _is_inaccurate(self, norm: float) -> bool:
        """Return whether the last linear solution was inaccurate. The solution is checked only if the iteration was
        slow (`is_slow`).
        """
        problem = self.problem
        if not self._is_slow(self._measures, self._history, problem.lag.memory, norm):
            return False
        return not self._is_last_step_accurate()

    def _is_last_step_accurate(self) -> bool:
        """Return whether the last linear solution is accurate."""
        problem = self.problem
        step = self.snes.getSolutionUpdate().array_r
        parted = problem.storage is Storage.SUBSTRUCTURES
        if not parted and problem.assembly.layout.size > 1:
            # the pattern only contains entries that this process computes, so PETSc computes the product
            before, left = problem.unknowns.duplicate(), problem.unknowns.duplicate()
            before.array[:] = self._before
            problem.matrix.mat.mult(self.snes.getSolutionUpdate(), left)
            left.axpy(-1.0, before)
            return bool(left.norm() <= LINEAR_RTOL * before.norm())
        product = problem.matrix.mat.getPythonContext() if parted else problem.pattern
        together = problem.assembly.processes if parted else None
        return bool(is_accurate(product, problem.matrix.values, step, self._before, LINEAR_RTOL, together))

    def _has_linear_failure(self, run: NewtonRun) -> bool:
        """Return whether a run has failed in the linear solver. A residual of NaN can also be due to a predictor far
        from the solution, or to the divergence of Newton's method.
        """
        if run.reason == "DIVERGED_FNORM_NAN":
            with np.errstate(all="ignore"):
                return len(run.history) > 0 and not self._is_last_step_accurate()
        return run.reason == "DIVERGED_LINEAR_SOLVE"

    def solve(
        self,
        scheme: Scheme,
        damped: bool = False,
        guess: tuple[FloatArray, FloatArray] | None = None,
        around: Around | None = None,
        carried: bool = False,
    ) -> NewtonRun:
        """Execute one Newton run from the predictor of a scheme.

        Args:
            scheme: relation between the unknowns and the motion.
            damped: whether to use a backtracking line search.
            guess: accelerations, shape (n,), and multipliers, shape (m,), of the previous pass, as initial values. In
                statics, the guess contains increments of the displacements instead of accelerations. In dynamics the
                guess is used only if a tangent is reused. The full Newton method starts from the predictor. In statics
                the guess is always used, because a body may be supported only by the geometric stiffness due to
                multipliers.
            around: compiled code that executes this run and the runs of later steps. If the run is not completely
                compiled, this code is not used. If ``around`` is used, the function returns the result of the last run.
            carried: whether to start from the accelerations and multipliers of the previous step, which the fields
                contain. Such a run uses return maps. If such a run fails, it is not repeated with new tangents in every
                iteration.
        """
        self._damped[0], max_it, self._is_running = damped, 0, True
        if damped:
            max_it = self.snes.getTolerances()[3]
            set_line_search(self.snes, "bt")
            self.snes.setTolerances(max_it=DAMPED_ITERATIONS * max_it)
        run = self._attempt(scheme, guess, around, carried)
        while run.reason == "DIVERGED_LINEAR_SOLVE" and self._settings.give_memory():
            self.problem.lag.drop_tangent()
            run = self._attempt(scheme)
        while self._has_linear_failure(run) and self._change_solver():
            self.fallbacks += 1
            run = self._attempt(scheme)
        if not run.converged and self.problem.lag.active and not carried:
            run = self._attempt_in_full(scheme, run.iterations)
        if damped:
            set_line_search(self.snes, "basic")
            self.snes.setTolerances(max_it=max_it)
        run.reason = self._linear.note(run.converged, run.reason)
        self._is_running = False
        return run

    def _attempt_in_full(self, scheme: Scheme, spent: int) -> NewtonRun:
        """Execute a run with a new tangent in every iteration, after a run with reused tangents has failed."""
        self.problem.lag.active = False
        run = self._attempt(scheme)
        self.problem.lag.active = True
        run.iterations += spent
        return run

    def _attempt(
        self,
        scheme: Scheme,
        guess: tuple[FloatArray, FloatArray] | None = None,
        around: Around | None = None,
        carried: bool = False,
    ) -> NewtonRun:
        problem = self.problem
        problem.follow_refreshes()
        if problem.pattern is not self._pattern:
            self._follow_pattern()
        problem.start(scheme, from_zero=False)
        if self._factors_failed and can_reset(self.snes.getKSP().getPC()):
            # without this reset MUMPS would use incomplete factors
            self.snes.getKSP().getPC().reset()
        guessed = guess is not None and (problem.lag.has_tangent or scheme.a_factor == 0.0)
        if guessed and guess is not None:
            problem.guess(*guess)
        callbacks = self._callbacks
        is_static = scheme.a_factor == 0.0 and scheme.load_factor == 1.0
        self._measures["exact"] = is_static and not self._accepts
        self._begin_test(guessed or carried)
        # callbacks enter their own stages of PETSc's log (``-log_view``), so this stage contains only linear solves
        enter(Stage.LINEAR_SOLVE)
        try:
            with self._settings:
                if callbacks is not None and callbacks.is_compiled:
                    start = KEPT if guessed else CARRIED if carried else ZERO
                    reason, iterations = callbacks.solve(start, around if callbacks.suits_steps else None)
                else:
                    if not guessed:
                        problem.unknowns.set(0.0)
                    if carried and not guessed:
                        self._carry()
                    self.snes.solve(None, problem.unknowns)
                    reason, iterations = self.snes.getConvergedReason(), self.snes.getIterationNumber()
        except BaseException as error:
            unlock(self.snes, problem.unknowns, problem.residual_vector)
            if not isinstance(error, PETSc.Error):
                raise
            # For singular matrices some solver packages raise an error (KLU: PETSc error 76). Others return a reason.
            if callbacks is not None:
                callbacks.explain()
            raise_cause(error)
            self.snes.getKSP().getPC().reset()
            return NewtonRun(False, f"DIVERGED_LINEAR_SOLVE (PETSc error {error.ierr})", 0, self._list_norms())
        finally:
            leave(Stage.LINEAR_SOLVE)
        if not self._set_up_seen:
            self._set_up_seen = True
            options.after_set_up(self.snes)
        self.iterations += iterations
        name = reason_name(PETSc.SNES.ConvergedReason, reason)
        self._factors_failed = name == "DIVERGED_LINEAR_SOLVE"
        return self._judge_end(NewtonRun(reason > 0, name, iterations, self._list_norms()))

    def renew(self) -> bool:
        """Reset counts and stored tangents for another solver. Return False if another solver cannot use this object,
        because the linear solver or the tolerances have changed, or because the last run was interrupted.
        """
        problem = self.problem
        if self.fallbacks or self._is_running or self._factors_failed or problem.storage is not self._storage:
            return False
        if self.snes.getTolerances() != self._first_tolerances:
            return False
        self.iterations = self.roundings = 0
        self._linear = LinearFailures(problem)
        problem.renew()
        return True

    def _carry(self) -> None:
        """Start from the motion in the fields. Tolerances refer to the residual of the predictor with constant contact
        states.
        """
        problem, fields = self.problem, self.problem.assembly.fields
        a, lam, left = fields.a[:-1].copy(), fields.lam[:-1].copy(), float(fields.mapped[0])
        fields.mapped[0] = 0.0
        self.snes.computeFunction(problem.unknowns, problem.residual_vector)
        self._measures["predictor"] = problem.residual_vector.norm()
        fields.mapped[0] = left
        problem.guess(a, lam)

    def _begin_test(self, guessed: bool) -> None:
        """Set tolerances and callbacks for the next run."""
        tolerances, m = self.snes.getTolerances(), self._measures
        if tolerances != self._tolerances:
            self._tolerances = tolerances
            m["rtol"], m["atol"], _, m["max_it"] = tolerances
            if m["max_it"][0] + 2 > len(self._history):
                self._history = np.zeros(DAMPED_ITERATIONS * (m["max_it"][0] + 2))
        self._guessed[0], self._seen[0] = guessed, 0
        if self._callbacks is not None:
            self._callbacks.choose(m, self._history)

    def _list_norms(self) -> list[float]:
        """Return the residual norms [N, N m, m] of the last run."""
        return self._history[: self._seen[0]].tolist()  # type: ignore[no-any-return]

    def _judge_end(self, run: NewtonRun) -> NewtonRun:
        """Check a run that ended at the limit of iterations or in the line search. Return the run. If the residual
        consists only of rounding errors, the returned run is marked as converged.
        """
        if run.reason not in ("DIVERGED_MAX_IT", "DIVERGED_LINE_SEARCH") or len(run.history) < 2:
            return run
        norm, level = run.history[-1], estimate_rounding(self.problem)
        if norm <= FACTOR * level:
            self.roundings += 1
            run.converged, run.reason = True, "CONVERGED_FNORM_ABS"
        elif has_stalled(np.array(run.history), 3) and norm <= NEAR * level:
            run.reason += (
                f", stagnates at rounding: the residual no longer falls at {norm:.1e}, and the coordinates' rounding "
                f"alone makes about {level:.1e}; raise atol above it"
            )
        elif has_repeated(np.array(run.history)):
            run.reason += ", iterations alternate between two branches of a force with a kink, such as dry friction"
        return run

    def reset_caches(self) -> None:
        """Delete stored tangents and factorisations. The next run then gives the same results as the first run of a new
        solver.
        """
        self.problem.lag.reset()
        if self._set_up_seen:
            reset_factors(self.snes.getKSP())

    def checkpoint(self) -> dict[str, Any]:
        """Return the counts that a resumed run needs. ``fallbacks`` also determines the linear solver with which the
        resumed run begins.
        """
        problem = self.problem
        return {
            "iterations": self.iterations,
            "fallbacks": self.fallbacks,
            "roundings": self.roundings,
            "residuals": problem.residual_count,
            "tangents": problem.tangent_count,
        }

    def restore(self, kept: Mapping[str, Any]) -> None:
        """Continue from values that `checkpoint` has returned."""
        self.iterations, self.fallbacks = int(kept["iterations"]), int(kept["fallbacks"])
        self.roundings = int(kept["roundings"])
        state = self.problem.buffers.state
        state["residuals"], state["tangents"] = int(kept["residuals"]), int(kept["tangents"])
        for _ in range(self.fallbacks):
            self._change_solver()

    def _change_solver(self) -> bool:
        """Change the linear solver from the default LU in blocks to LU by rows, or from LU by rows to KLU, which uses
        pivoting. On several processes, change from `SubstructureLU` to MUMPS.

        Returns:
            False if no other solver is available, or if the user chose the present solver.
        """
        if not self._measures["may_pivot"][0]:
            return False
        if self.problem.storage is Storage.SUBSTRUCTURES:
            self._change_package("mumps")
        elif not self.leave_blocks():
            self._change_package("klu")
        return True

    def _follow_pattern(self) -> None:
        """Replace the default LU if contacts found since the last run have increased the bandwidth of the matrix."""
        self._pattern = self.problem.pattern
        if self._measures["may_pivot"][0]:
            package = default_package(self._pattern, self.problem.assembly.layout.size, "petsc")
            if package != "petsc":
                self._change_package(package)

    def _change_package(self, package: str) -> None:
        """Use another package instead of the default LU in later runs."""
        self.snes.getKSP().getPC().reset()
        set_direct(self.snes.getKSP(), package, self.problem.prefix)
        self.leave_blocks()
        self.problem.lag.drop_tangent()
        self._measures["may_pivot"] = False

    def leave_blocks(self) -> bool:
        """Store the tangent by rows in later runs. Return False if the tangent is already stored by rows."""
        if not self.problem.leave_blocks():
            return False
        self.snes.getKSP().getPC().reset()
        self.snes.getKSP().setType(PETSc.KSP.Type.PREONLY)
        self._pattern = self.problem.pattern
        self.problem.lag.drop_tangent()
        return True

    def _uses_default_lu(self) -> bool:
        """Return whether the linear solver is one of the defaults, `SubstructureLU` and PETSc's own LU."""
        if self.problem.storage is Storage.SUBSTRUCTURES:
            return True
        pc = self.snes.getKSP().getPC()
        chosen = PETSc.Options().hasName(self.problem.prefix + "pc_factor_mat_solver_type")
        return not chosen and pc.getType() == PETSc.PC.Type.LU and pc.getFactorSolverType() == "petsc"
