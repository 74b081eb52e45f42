"""Dynamics: M a + f(q, v, t) + C_q^T lam = loads, C = 0. Here M is the mass matrix, f are the forces without loads and
inertia, C are the values of the constraints, C_q their derivatives with respect to the coordinates q, and lam the
multipliers.

In each step, Newton's method (SNES) is repeated until the contact states agree with the solution.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np

from windlass.framework.checks.checks import checked, instance, number, optional, whole, word, yes_no
from windlass.framework.command_line import options
from windlass.framework.kernels.program import Program
from windlass.framework.model.system import CONSTANT
from windlass.framework.model.world import World
from windlass.framework.restart.solve_checkpoint import SolveCheckpoint
from windlass.framework.runtime.petsc import release_dropped
from windlass.framework.state.hooks import (
    Hook,
    IdleSteps,
    StepHook,
    as_hooks,
    find_idle_steps,
    find_stop,
    is_finite,
    overriding,
    refuse_change,
    run_before_solve,
    run_stage,
)
from windlass.framework.state.state import State, local_state
from windlass.solvers.constraint_motion.consistency import Consistency
from windlass.solvers.failure import NotConverged
from windlass.solvers.given import COMMON, NEWTON, SOLVE, TIMES, check_start, check_times
from windlass.solvers.integrators.registry import create_integrator, method_name
from windlass.solvers.linear.ordering import choose_storage
from windlass.solvers.newton.lagging import create_lag_policy
from windlass.solvers.newton.newton import CYCLE, Newton, NewtonRun
from windlass.solvers.newton.problem import USES, NonlinearProblem
from windlass.solvers.newton.scheme import Scheme
from windlass.solvers.own_options import DYNAMIC_OPTIONS, OVERSHOOT, STARTS, own_option
from windlass.solvers.step_solver import StepSolver, create_failure, describe_problem
from windlass.solvers.stepping.compiled_steps import (
    ACCEPTED,
    DONE,
    HARD,
    LOOKED,
    UPDATED,
    CompiledSteps,
    PassValues,
    StepsEnd,
)
from windlass.solvers.stepping.discontinuous import ContactHistory, Passes, StepAttempt, iterate
from windlass.solvers.stepping.pacing import Pacer
from windlass.solvers.stepping.step_control import REQUEST, StepControl, StepSizes
from windlass.solvers.stepping.step_kernels import StepKernels
from windlass.solvers.verdicts.contact_watch import LIMIT, ContactWatch
from windlass.solvers.verdicts.energy_watch import EnergyWatch
from windlass.solvers.verdicts.prescribed import PrescribedWatch
from windlass.solvers.verdicts.rope_watch import RopeWatch
from windlass.solvers.verdicts.run_balance import RunBalance
from windlass.solvers.verdicts.shapes import ShapeWatch, refuse_start
from windlass.solvers.verdicts.verdict import judge_cuts, judge_steps
from windlass.solvers.verdicts.watch import Watches

ADVICE = (
    "look at the worst equations; try a smaller step, more passes (-dynamic_discontinuous_max_it), "
    "or -dynamic_snes_monitor to see the iterations"
)


class Dynamic(StepSolver):
    """Time integration of a world.

    Args:
        world: the model.
        step: nominal step size [s]. ``-<prefix>step`` overrides it.
        end: end time [s]. ``-<prefix>end`` overrides it.
        method: ``"generalized_alpha"``, ``"generalized_alpha_index2"``, ``"newmark"``, ``"trapezoidal_index2"``, or a
            name that `register_integrator` has added. ``-<prefix>method`` overrides it.
        spectral_radius: spectral radius [1] of generalised-alpha at infinite frequency, from 0 (largest numerical
            damping) to 1 (no damping).
        rotations: integration of Euler parameters, ``"steady"`` or ``"parameters"``, see `create_integrator`.
        rtol, atol, max_it: default tolerances and default largest number of iterations of Newton's method, see
            `Newton`.
        passes: default settings of contact passes, see `Passes`.
        decide_at_start: whether the initial state determines which contacts are closed and which stick. With False,
            contacts keep their stored states. False is necessary to reproduce data of other programs.
        decide_in_newton: number of residual evaluations at the beginning of the first Newton run of a step. In these
            evaluations, contacts with a return map can change between open and closed, and between stick and slip.
            These changes are computed from the history values at the start of the step. After these evaluations, and
            after contact states have repeated periodically, contact states change only between Newton runs. The states
            of contacts without a return map always change only between Newton runs.
        overshoot: treatment of residuals that fulfil the relative tolerance only because the first correction of
            Newton's method was much too large. Such a correction increases the residual to which the tolerance refers.
            With "check", residuals must also be small relative to loads, reactions and inertia. With "accept", such
            residuals are accepted, even if they are not small relative to these values. "accept" is necessary to
            reproduce data of other programs.
        lag: whether to reuse the tangent and its factorisation as long as the reuse saves time, see `LagPolicy`. False
            selects the full Newton method.
        project: whether to project accelerations, multipliers and, for index-3 methods, velocities onto the constraints
            after jumps of the velocities of prescribed motions, see `Consistency`.
        velocities: treatment of initial velocities that constraints forbid. With "check", an error that names these
            constraints is raised. With "project", the nearest allowed velocities in the norm of the mass matrix are
            used.
        resolve_contacts: whether to repeat a step with a smaller size if the step does not resolve a contact, or if a
            point passes through an object within the step, see `ContactWatch`. With False, these steps are accepted,
            and reported in the verdict.
        adaptive: whether to reduce the step size after a failed step, and to increase the step size again after steps
            without failure.
        control: rules for the reduction and increase of the step size, see `StepControl`.
        pace: largest ratio [1] of simulated time to elapsed time, for simulations with controllers or hardware that run
            in real time. The run waits after a step if the ratio would otherwise be larger. With 0, there is no limit.
            ``-<prefix>pace`` overrides the argument.
        prefix: options prefix.
        name: name of this solve in the progress line; empty for no name.

    Attributes:
        statistics: numbers of steps and iterations, and elapsed time, see `Statistics`.
        verdict: whether the result of the last run can be trusted, see `Verdict`.
        state: the last state. After an interrupted or failed solve, ``state`` is the last good state.
        snes: the PETSc solver.
        decides: whether the initial state determines the contact states.
        mapped: number of residual evaluations at the beginning of the first pass in which contact states can change; 0
            if the model has no return maps.
        attempt: the most recent attempt at a step.
        compiled: object that executes the steps of the last run in compiled code; None before the first run.
        failed_attempts: (time, step size, reason) of each rejected attempt.
    """

    @checked(
        method=method_name(),
        spectral_radius=number("1", minimum=0.0, maximum=1.0),
        rotations=word("steady", "parameters"),
        overshoot=word(*OVERSHOOT),
        lag=yes_no(),
        project=yes_no(),
        velocities=word(*STARTS),
        resolve_contacts=yes_no(),
        decide_in_newton=whole(0),
        control=optional(instance(StepControl)),
        **COMMON,
        **NEWTON,
        **TIMES,
    )
    def __init__(
        self,
        world: World,
        *,
        step: float,
        end: float,
        method: str = "generalized_alpha",
        spectral_radius: float = 0.9,
        rotations: str = "steady",
        rtol: float = 1e-8,
        atol: float = 1e-10,
        max_it: int = 25,
        passes: Passes | None = None,
        decide_at_start: bool = True,
        decide_in_newton: int = 10,
        overshoot: str = "check",
        lag: bool = True,
        project: bool = True,
        velocities: str = "check",
        resolve_contacts: bool = True,
        adaptive: bool = True,
        control: StepControl | None = None,
        pace: float = 0.0,
        prefix: str = "dynamic_",
        name: str = "dynamic",
    ) -> None:
        step = own_option(DYNAMIC_OPTIONS, prefix, "step", float(step))
        end = own_option(DYNAMIC_OPTIONS, prefix, "end", float(end))
        method = own_option(DYNAMIC_OPTIONS, prefix, "method", method)
        super().__init__(world, prefix, name, "s")
        self._method, self._rotations = method, rotations
        self._pace = own_option(DYNAMIC_OPTIONS, prefix, "pace", float(pace))
        self.integrator = create_integrator(method, spectral_radius, rotations, self.assembly.layout)
        self.end = end
        self.sizes = StepSizes(step, control or StepControl(), adaptive)
        self.passes = (passes or Passes()).with_options(prefix)
        self.decides = own_option(DYNAMIC_OPTIONS, prefix, "decide_at_start", decide_at_start)
        project = own_option(DYNAMIC_OPTIONS, prefix, "project", project)
        velocities = own_option(DYNAMIC_OPTIONS, prefix, "velocities", velocities)
        resolves = own_option(DYNAMIC_OPTIONS, prefix, "resolve_contacts", resolve_contacts)
        mapped = own_option(DYNAMIC_OPTIONS, prefix, "decide_in_newton", decide_in_newton)
        self.problem = NonlinearProblem(self.assembly, prefix, choose_storage(self.assembly, prefix))
        maps = self.assembly.processes.any(any(system.return_map.motion for system in self.assembly.systems))
        self.mapped = mapped if maps else 0
        # accelerations of earlier steps: the argument ``earlier`` of `foresee`
        self.earlier = np.zeros((2, self.assembly.layout.spare))
        self.problem.lag = create_lag_policy(prefix, lag, self.mapped > 0)
        overshoot = own_option(DYNAMIC_OPTIONS, prefix, "overshoot", overshoot)
        self.newton = Newton(self.problem, rtol, atol, max_it, overshoot)
        self.attempt = StepAttempt()
        self.consistency = Consistency(self.problem, self.integrator, project, velocities)
        self.snes = self.problem.snes
        self.balance = RunBalance(self.assembly, damps=self.integrator.damps)
        self.contacts = ContactWatch(self.assembly, LIMIT, cuts=adaptive and resolves)
        self.ropes = RopeWatch(self.assembly)
        self.shapes = ShapeWatch(self.assembly)
        others = EnergyWatch(self.assembly), self.shapes, self.ropes, self.balance
        watches = PrescribedWatch(self.assembly), self.contacts, *others
        self.watches = Watches(self.assembly, watches)
        self.compiled: CompiledSteps | None = None

    @checked(**SOLVE)
    def solve(self, state: State | None = None, hooks: Sequence[Hook] = (), *, resume: bool = False) -> State:
        """Integrate to the end and return the last state. See `march`."""
        for now in self._march(state, hooks, resume, pauses=False):
            state = now
        return local_state(self.assembly, state)

    @checked(**SOLVE)
    def march(self, state: State | None = None, hooks: Sequence[Hook] = (), *, resume: bool = False) -> Iterator[State]:
        """Integrate from a state (default: the initial values of the nodes), and yield the state after each step.

        After each step, the same object is yielded. To keep a state, copy it. After a restart, the first yielded state
        is the result of the first step that follows the checkpoint, or the final state if the solve was complete.

        Args:
            state: initial state, which stays unchanged.
            hooks: user code around steps, see `StepHook`.
            resume: whether the state is the result of a dynamic run of this model, for example a state from a file
                (`State.load`). The run then continues with the accelerations of the state. On one process and with the
                full Newton method, the results are then identical in all bits to the results of an uninterrupted run.
                With False, accelerations are computed again. This computation is necessary after statics or after a
                change of the model.

        Raises:
            NotConverged: a step failed at the smallest step size. The error contains the last good state.
            ModelError: the constraint violations of the initial state are too large for a projection, a prescribed
                motion would start with a jump, shapes or overlaps are implausible, no consistent initial accelerations
                exist, or ``"newmark"`` is used with nonlinear constraints.
        """
        yield from self._march(state, hooks, resume, pauses=True)

    def _march(self, state: State | None, hooks: Sequence[Hook], resume: bool, pauses: bool) -> Iterator[State]:
        """Yield the states of a run. With ``pauses``, the caller reads the state after each step, and may change it."""
        current = local_state(self.assembly, state)
        check_start(self, state, current)
        check_times(self, current, self.sizes.nominal, self.end)
        if options.help_requested():
            yield current
            return
        all_hooks = as_hooks(hooks)
        with self._keep(current), SolveCheckpoint(self, all_hooks) as checkpoint:
            pacer = Pacer(self._pace) if self._pace > 0.0 else None
            run = Run(self, current, all_hooks if pacer is None else [*all_hooks, pacer], checkpoint, pauses)
            run.begin(resume)  # determine contact states, accelerations and multipliers
            while current.t < self.end - 1e-9 * self.sizes.nominal:
                h, ends = run.propose()
                attempt = run.attempt(h, ends)  # compute the predictor, then repeat Newton's method and contact updates
                if attempt is None:
                    continue
                if attempt.converged:
                    run.accept(h)  # Project after velocity jumps. Copy the motion at the end of the step to the state.
                    yield current
                    run.go_on()
                else:
                    run.cut(h, attempt)  # repeat the step from its start
            if checkpoint.had_ended(current):
                yield current
            run.finish()
            if pacer is not None:
                self.verdict.notes += pacer.say(self.name)

    def prepare_start(self, state: State) -> None:
        """Determine contact states, and compute consistent accelerations and multipliers, like at the start of a solve.
        See `march` for errors.
        """
        if self.decides:
            self.assembly.decide(state)
        self.assembly.load_fields(state)
        refuse_start(self.assembly)
        self.consistency.begin(state, self.sizes.nominal)

    def update_accelerations(self, state: State) -> None:
        """Compute consistent accelerations and multipliers after an abrupt change of forces."""
        self.consistency.begin(state, self.sizes.nominal)

    def find_end(self, state: State) -> float:
        """Return the time [s] at the end of the step that starts from a state. A hook may call this method at the start
        of a step, or between two compiled steps.
        """
        steps = self.compiled
        if steps is not None and steps.are_running:
            return steps.next_end
        return self.sizes.propose(state.t, self.end)[1]

    def follow_changes(self) -> None:
        """Copy changed columns of tables to the arrays of kernels, between two compiled steps.

        Raises:
            StepsEnd: Python must execute the next step, because systems must be created again, or because history
                values must be reset.
        """
        assembly, before = self.assembly, self.assembly.tangent_version
        if assembly.is_fresh:
            return
        renews = self.decides and any(system.changes.renew is not None for system in assembly.systems)
        if renews or not assembly.copy_changes():
            raise StepsEnd
        if assembly.tangent_version != before:
            self.problem.lag.drop_tangent()
        self.watches.follow_changes()

    def _describe_solver(self) -> dict[str, Any]:
        return describe_problem(self.problem)

    def settings(self) -> dict[str, Any]:
        """Return the settings that must be equal in the original run and in the resumed run. See `Restartable`."""
        return {"method": self._method, "rotations": self._rotations, "step [s]": self.sizes.nominal}

    def update_state(self, state: State) -> None:
        """Record a checkpoint in the monitors, so that later steps begin at this state without cached data. See
        `Restartable`.
        """
        self.watches.close(state)

    def checkpoint(self) -> dict[str, Any]:
        """Return values in addition to the state that a restart needs. See `Restartable`."""
        return super().checkpoint() | {
            "sizes": self.sizes.checkpoint(),
            "newton": self.newton.checkpoint(),
            "consistency": self.consistency.checkpoint(),
            "watches": self.watches.checkpoint(),
        }

    def restore(self, kept: Mapping[str, Any]) -> None:
        """Continue from values that `checkpoint` has returned."""
        super().restore(kept)
        self.sizes.restore(kept["sizes"])
        self.newton.restore(kept["newton"])
        self.consistency.restore(kept["consistency"])
        self.watches.restore(kept["watches"])

    def reset_caches(self, state: State) -> None:
        """Delete cached tangents and the contact candidates of neighbour searches. See `Restartable`."""
        self.newton.reset_caches()
        self.assembly.reset_caches()
        self.earlier[:] = state.a, np.zeros_like(state.a)
        self.consistency.look_back(state)


class Run:
    """A run of `Dynamic`, which is executed step by step.

    The state changes only when a step is accepted. Runs with hooks that are called in each pass are an exception. In
    these runs the state contains the result of the present pass, and after a failed step a copy of the state at the
    start of the step is restored.

    Args:
        solver: the `Dynamic` solver that executes the run.
        state: the state, which changes from step to step.
        hooks: user code around steps of this run, see `StepHook`.
        checkpoint: object that writes the checkpoints of this run.
        pauses: whether the caller can read the state between steps.
    """

    def __init__(
        self, solver: Dynamic, state: State, hooks: list[StepHook], checkpoint: SolveCheckpoint, pauses: bool
    ) -> None:
        self._solver, self._state, self._hooks = solver, state, hooks
        self._checkpoint, self._pauses = checkpoint, pauses
        self._begin, self._seen = state.t, state.t
        self._before, self._after = overriding(hooks, "before_step"), overriding(hooks, "after_step")
        # between two compiled steps, the end of a step precedes the start of the next step
        self._looking = list(dict.fromkeys([*self._after, *self._before]))
        self._stopping = overriding(hooks, "next_stop")
        # results of the last call of `_find_idle_steps`: the steps for which monitors and hooks need not be called, and
        # the programs for these steps
        self._idle, self._idle_programs = list[IdleSteps](), list[Program]()

    def begin(self, resume: bool) -> None:
        """Determine contact states, and compute consistent accelerations and multipliers. If ``resume`` is true,
        contact states, accelerations and multipliers of the state are kept.
        """
        solver, state, nominal = self._solver, self._state, self._solver.sizes.nominal
        solver.statistics.begin()
        # each call of march starts with the nominal step size, even if the solver has been called before
        solver.sizes.begin()
        solver.problem.lag.reset()
        if solver.integrator.needs_linear:
            solver.consistency.refuse_nonlinear(state, solver._method)
        if resume:
            solver.consistency.look_back(state)
        else:
            solver.prepare_start(state)
            release_dropped(solver.assembly.comm)
        steps = (solver.end - state.t) / nominal
        # With few steps, a run may end before compiled callbacks save time. Therefore only runs with more steps use
        # compiled callbacks from the first evaluation on.
        solver.problem.uses = 0 if steps > USES else USES
        run_before_solve(self._hooks, state, solver.end, steps)
        solver.assembly.load_fields(state)
        solver.watches.begin(state, solver.end - state.t)
        self._checkpoint.restore(state)
        solver.progress.begin(state.t, solver.end)
        self._lay_down()
        # the report of the run contains each step, so compiled code must not execute several steps at once
        self._one_by_one = self._pauses or self._looked_at or solver.progress.history is not None
        notes = solver.watches.start(state, seen=self._pauses or bool(self._looking))
        solver._begin_verdict(state, nominal, notes)

    def _lay_down(self) -> None:
        """Create the compiled programs of a step. The programs use the arrays of the state."""
        solver, state = self._solver, self._state
        looking = overriding(self._hooks, "after_iteration")
        self._looked_at = bool(looking)
        self._start = state.copy() if self._looked_at else state
        solver.earlier[:] = state.a, np.zeros_like(state.a)
        # With the full Newton method, the results of a resumed run must be bitwise identical to the results of an
        # uninterrupted run. The accelerations of earlier steps are not part of a state.
        earlier = solver.earlier if solver.problem.lag.active else None
        self._kernels = StepKernels(solver.integrator, solver.problem, solver.mapped > 0, earlier)
        self._contacts = ContactHistory(solver.assembly, state if self._looked_at else None, looking)
        looks = solver.consistency.looks, solver.watches.found
        self._steps = CompiledSteps(solver.newton, solver.passes, self._kernels.scheme, *looks, solver.mapped)
        solver.compiled = self._steps

    def propose(self) -> tuple[float, list[float]]:
        """Return the size [s] of the next step, and a list of times [s]: the end of this step, and the ends of the
        subsequent steps that compiled code can execute in the same call.
        """
        solver, state = self._solver, self._state
        self._checkpoint.before_step(state)
        if self._before:
            self._run_before(state)
        if solver.decides:
            solver.assembly.renew(state)
        end = min(solver.end, find_stop(self._stopping, state)) if self._stopping else solver.end
        h, then = solver.sizes.propose(state.t, end)
        solver.watches.before_step(state, h)
        most = 1 if self._one_by_one else self._steps.pace
        if most > 1:
            most = min(most, 1 + self._find_idle_steps(h))
        solver._refuse(state, then, self._hooks)
        return h, solver.sizes.foresee(then, end, most)

    def _find_idle_steps(self, h: float) -> int:
        """Return the number of coming steps, with sizes up to h [s], for which monitors and hooks need not be called.
        Store the programs for these steps.
        """
        state = self._state
        idle = find_idle_steps(self._looking, state, h)
        if any(steps.number <= 0 for steps in idle):
            return 0
        idle = [*self._solver.watches.idle_steps(state), *idle, self._checkpoint.idle_steps(state)]
        number = min(steps.number for steps in idle)
        if number > 0:
            self._idle, programs = idle, [steps.program for steps in idle]
            self._idle_programs = [program for program in programs if program is not None]
        return number

    def _run_before(self, state: State) -> None:
        """Call the hooks at the start of a step, first the hooks that change the state."""
        for changes in (True, False):
            hooks = [hook for hook in self._before if hook.changes_state == changes]
            if hooks:
                run_stage(hooks, "before_step", state)
            if any(hook.changes_forces for hook in hooks):
                self._solver.update_accelerations(state)

    def attempt(self, h: float, ends: Sequence[float]) -> StepAttempt | None:
        """Attempt a step of size h [s]. If the step converges, the fields contain the motion at the end of the step. If
        the linear solver fails, the solve ends with NotConverged. If a hook has ended compiled steps between two steps,
        the result is None.

        Args:
            h: size [s].
            ends: times [s] at the end of the step and at the ends of later steps of the same size. If compiled code
                executes these steps, the returned attempt describes the last step, or the step that compiled code could
                not finish.
        """
        solver = self._solver
        try:
            attempt = self._try(h, ends)
        except StepsEnd:
            return None
        except NotConverged as error:
            # smaller steps do not prevent a failure of the linear solver
            error.failure.step, error.failure.step_size = solver.statistics.steps + 1, h
            self._go_back()
            solver._fail(error.failure, self._state, self._hooks, error.advice)
        except KeyboardInterrupt:
            self._go_back()
            raise
        solver.attempt = attempt
        solver.statistics.count(attempt, solver.newton, solver.passes)
        return attempt

    def _try(self, h: float, ends: Sequence[float]) -> StepAttempt:
        """Compute the predictor. Then repeat passes (Newton's method, followed by an update of history values) until
        contact states agree with the solution.
        """
        solver, state, contacts, steps, kernels = self._solver, self._state, self._contacts, self._steps, self._kernels
        lag = solver.problem.lag
        scheme = kernels.predict(state, h, ends[0])
        if self._looked_at:
            self._start.assign(state)
        contacts.changed = False
        parts = kernels.begin, solver.watches.programs(), kernels.end, solver.consistency.find_program(state)
        can_cut = solver.sizes.can_cut(h)
        # Python code checks the shapes of cables after the first step, see `_is_hard`
        may_compile = solver.statistics.steps > 0 and not self._looked_at
        compiled = may_compile and steps.prepare(ends, *parts, self._idle_programs, can_cut)
        self._second: tuple[PassValues, NewtonRun] | None = None
        # whether the first pass has used return maps
        self._maps = False

        def newton(attempt: StepAttempt) -> bool:
            return self._run_newton(attempt, scheme, ends, compiled and attempt.passes == 1)

        attempt = iterate(solver.passes, newton, contacts, h, last=not can_cut)
        shorter = solver.watches.find_cut(h) if attempt.converged else inf
        if shorter < h and can_cut:
            attempt.converged, attempt.recommended_step = False, shorter
            attempt.reason = f"the step does not resolve a contact, which {REQUEST} {shorter:.3g}"
        elif attempt.converged and can_cut and self._is_hard(attempt) and steps.stage < ACCEPTED:
            # Newton's method may have converged to a solution that is not connected to the start of the step
            fold = solver.shapes.find_new()
            if fold:
                attempt.converged, attempt.reason = False, fold
        # in the first pass of the next step, the choice between the old and a new tangent depends on whether contact
        # states have changed
        lag.note_switch(contacts.changed)
        if attempt.converged and not self._looked_at and steps.stage < ACCEPTED:
            self._store()
        return attempt

    def _is_hard(self, attempt: StepAttempt) -> bool:
        """Return whether the shapes of bodies and cables must be checked at the end of the step. Shapes are checked in
        the first step and after many Newton iterations.
        """
        return attempt.iterations >= HARD or self._solver.statistics.steps == 0

    def _run_newton(self, attempt: StepAttempt, scheme: Scheme, ends: Sequence[float], compiled: bool) -> bool:
        """Run Newton's method for one pass. Return whether Newton's method has converged.

        Args:
            attempt: the attempt that contains the pass.
            scheme: relation between the unknowns of Newton's method and the motion.
            ends: times [s] at the end of this step and at the ends of later steps, see `attempt`.
            compiled: whether compiled code executes this step and later steps.
        """
        solver, state, contacts, steps = self._solver, self._state, self._contacts, self._steps
        fields, guess = solver.assembly.fields, None
        if self._second is not None:
            # compiled code has already computed the second pass
            (values, run), self._second = self._second, None
            steps.now.data[:], steps.now.outcome[:] = values.data, values.outcome
            attempt.iterations += run.iterations
            attempt.reason, attempt.history, contacts.are_updated = run.reason, run.history, True
            return True
        if attempt.passes == 2 and self._maps:
            # the second pass repeats the first pass without return maps
            contacts.data[:] = contacts.first
        elif attempt.passes > 1:
            solver.problem.lag.note_switch(contacts.changed)
            guess = (state.a, state.lam) if self._looked_at else (fields.a[:-1], fields.lam[:-1])
        fields.mapped[0] = mapped = solver.mapped if attempt.passes == 1 else 0
        try:
            run = solver.newton.solve(scheme, guess=guess, around=steps if compiled else None, carried=mapped > 0)
        finally:
            fields.mapped[0] = CONSTANT
            if compiled and steps.earlier:
                attempt.earlier = steps.earlier
                self._note_steps(ends[steps.earlier - 1], steps.earlier, steps.passes, steps.iterations)
        if compiled and steps.had_second:
            # this call processes the results of the first pass, and the next call processes the results of the second
            # pass
            values = PassValues(*(array.copy() for array in steps.now))
            self._second, run.iterations = (values, replace(run)), steps.first_iterations
            solver.newton.iterations += steps.first_iterations
            steps.now.data[:], steps.now.outcome[:] = steps.first.data, steps.first.outcome
        attempt.iterations += run.iterations
        if mapped:
            froze = compiled and steps.froze
            self._maps = run.converged and not froze
        if mapped and not run.converged and not froze:
            # If the Newton run with return maps did not converge, repeat the run with the contact states at the start
            # of the step. After a cycle of contact states, the last iterate is near the solution.
            contacts.data[:] = contacts.first
            guess = (fields.a[:-1], fields.lam[:-1]) if run.reason == CYCLE else None
            fields.mapped[0] = 0
            run = solver.newton.solve(scheme, guess=guess)
            fields.mapped[0] = CONSTANT
            attempt.iterations += run.iterations
        attempt.reason, attempt.history = run.reason, run.history
        contacts.are_updated = compiled and steps.stage >= UPDATED
        if run.converged and not (compiled and steps.stage >= LOOKED):
            solver.problem.expand_unknowns(solver.problem.unknowns)
            solver.watches.after_newton()
            if self._looked_at:
                self._store()
        return run.converged

    def _note_steps(self, t: float, steps: int, passes: int, iterations: int) -> None:
        """Record steps that compiled code has executed without calls of monitors and hooks. The last of these steps
        ends at ``t`` [s].
        """
        solver, state = self._solver, self._state
        state.t, state.step = t, state.step + steps
        solver.statistics.add(steps, passes, iterations)
        solver.newton.iterations += iterations
        solver.sizes.accept(steps)
        for idle in self._idle:
            if idle.after is not None:
                idle.after(steps)

    def _store(self) -> None:
        """Copy the motion and the history values at the end of the step from the fields to the state."""
        problem = self._solver.problem
        problem.expand_unknowns(problem.unknowns)
        self._kernels.end()

    def _go_back(self) -> None:
        """Reset the state to the start of the step."""
        if self._looked_at:
            self._state.assign(self._start)

    def accept(self, h: float) -> None:
        """Accept a step of size h [s]: project after velocity jumps of constraints, count the step, and call monitors
        and hooks.
        """
        solver, state, then = self._solver, self._state, self._kernels.scheme.t
        solver.watches.accept(state, then, h)
        changed = self._steps.stage != DONE and solver.consistency.follow(state, h)
        state.t, state.step = then, state.step + 1
        solver.sizes.accept()
        solver.statistics.steps += 1
        solver.progress.step(state.t, h)
        solver.watches.after_step(state, changed)
        if self._after:
            run_stage(self._after, "after_step", state)
        if self._pauses:
            self._checkpoint.paused = True
        self._seen = state.t

    def go_on(self) -> None:
        """Continue after the caller has read the state and may have changed it."""
        if self._pauses:
            self._checkpoint.paused = False
            if self._state.t != self._seen or not is_finite(self._state):
                refuse_change(self._state, self._seen, "code between two steps")

    def cut(self, h: float, attempt: StepAttempt) -> None:
        """Reduce the size h [s] of a failed step for the next attempt, or end the run with an error."""
        solver, state = self._solver, self._state
        self._go_back()
        solver._note_failure(state.t + h, h, attempt.reason)
        if REQUEST not in attempt.reason:
            solver.watches.reject()
        if not solver.sizes.reject(h, attempt.recommended_step, attempt.unsettled):
            failure = create_failure(solver.problem, attempt, state.t + h, solver.statistics.steps + 1, h)
            failure.diagnosis += solver.watches.explain()
            solver._fail(failure, state, self._hooks, ADVICE)

    def finish(self) -> None:
        """End the run: call hooks, write the checkpoint and report the verdict."""
        solver, state = self._solver, self._state
        solver.watches.finish(state)
        solver._stop(state, self._hooks)
        self._checkpoint.finish(state)
        nominal = (state.t - self._begin) / solver.sizes.nominal
        cuts = judge_cuts(solver.statistics.steps, nominal, solver.failed_attempts)
        reasons = [*judge_steps(solver.statistics), *cuts, *solver.watches.judge()]
        solver.verdict.notes += solver.ropes.notes
        solver.verdict.energy = solver.balance.lost
        solver._conclude(state, self._hooks, reasons)
