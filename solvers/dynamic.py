"""Dynamics: M a + f(q, v, t) + C_q^T lam = loads, C = 0, step by step with the discontinuous iteration around SNES."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import Any

from windlass.framework.checks.checks import checked, number, whole, word, yes_no
from windlass.framework.command_line import options
from windlass.framework.kernels.program import Program
from windlass.framework.model.world import World
from windlass.framework.restart.solve_checkpoint import SolveCheckpoint
from windlass.framework.runtime.petsc import release_dropped
from windlass.framework.state.hooks import (
    Hook,
    StepHook,
    as_hooks,
    is_finite,
    overriding,
    refuse_change,
    run_before_solve,
    run_stage,
)
from windlass.framework.state.state import State, local_state
from windlass.solvers.constraint_motion.consistency import Consistency
from windlass.solvers.failure import NotConverged
from windlass.solvers.given import COMMON, NEWTON, SOLVE, TIMES, check_smallest, check_start, check_times
from windlass.solvers.linear.ordering import choose_storage
from windlass.solvers.newton.lagging import create_lag_policy
from windlass.solvers.newton.newton import Newton
from windlass.solvers.newton.problem import NonlinearProblem
from windlass.solvers.own_options import DYNAMIC_OPTIONS, IMPLICIT, OVERSHOOT, STARTS, own_option
from windlass.solvers.step_solver import StepSolver, create_failure, describe_problem
from windlass.solvers.stepping.compiled_steps import ACCEPTED, DONE, LOOKED, UPDATED, CompiledSteps
from windlass.solvers.stepping.discontinuous import ContactHistory, DiscontinuousSettings, StepAttempt, iterate
from windlass.solvers.stepping.integrator import create_integrator
from windlass.solvers.stepping.step_control import StepControl
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
        step: nominal step size [s]; ``-<prefix>step`` overrides it.
        end: time at the end [s]; ``-<prefix>end`` overrides it.
        method: ``"generalized_alpha"``, ``"generalized_alpha_index2"``, ``"newmark"`` or ``"trapezoidal_index2"``, see
            `create_integrator`; ``-<prefix>method`` overrides it.
        spectral_radius: of generalised-alpha [1].
        rotations: how Euler parameters are integrated, ``"steady"`` or ``"parameters"``, see `create_integrator`.
        rtol, atol, max_it: default tolerances, see `Newton`.
        discontinuous_max_it, discontinuous_atol, discontinuous_rtol, discontinuous_limit, discontinuous_fail: defaults,
            see `DiscontinuousSettings`.
        decide_at_start: decide open or closed, sticks or slips from the state at the start; False keeps what is stored,
            as recorded data of other programs need it.
        decide_in_newton: number of residuals of the first Newton run of a step in which contacts with a return map
            decide open or closed, sticks or slips from the history at the start of the step; after them, and in all
            other contacts, decisions change between Newton runs alone.
        overshoot: residuals that are small against that of a first iteration alone, which has overshot: "check" that
            they are small against loads, reactions and inertia, too, or "accept" them, as recorded data of other
            programs need it.
        lag: keep the tangent and its factorisation while that is cheaper, see `LagPolicy`; False is full Newton.
        project: bring accelerations and multipliers onto the constraints after kinks, see `Consistency`.
        velocities: of the start, where constraints forbid them: "check" is an error that names these constraints,
            "project" takes the nearest ones that they allow, by mass.
        resolve_contacts: cut steps that do not resolve a contact, or pass it, see `ContactWatch`; False leaves them and
            says so in the verdict.
        adaptive: cut the step after a failure, grow it again after easy steps.
        smallest_step: a failure at this step size is final [s]; default 1e-4 of the nominal step.
        cut, growth, easy_steps: see `StepControl`.
        prefix: options prefix.
        name: what the progress line calls this solve; empty for none.

    Attributes:
        statistics: counts and times.
        verdict: whether the result of the last run can be trusted, see `Verdict`.
        state: the last state; of a solve that was interrupted or has failed, the last good one.
        snes: the PETSc solver.
        failed_attempts: (time, step size, reason) of rejected attempts.
    """

    @checked(
        method=word(*IMPLICIT),
        spectral_radius=number("1", minimum=0.0, maximum=1.0),
        rotations=word("steady", "parameters"),
        overshoot=word(*OVERSHOOT),
        lag=yes_no(),
        project=yes_no(),
        velocities=word(*STARTS),
        resolve_contacts=yes_no(),
        decide_in_newton=whole(0),
        cut=number("1", above=0.0, below=1.0),
        growth=number("1", minimum=1.0),
        easy_steps=whole(1),
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
        discontinuous_max_it: int = 8,
        discontinuous_atol: float = 1e-6,
        discontinuous_rtol: float = 1e-5,
        discontinuous_limit: float = 1e-3,
        discontinuous_fail: bool = True,
        decide_at_start: bool = True,
        decide_in_newton: int = 5,
        overshoot: str = "check",
        lag: bool = True,
        project: bool = True,
        velocities: str = "check",
        resolve_contacts: bool = True,
        adaptive: bool = True,
        smallest_step: float | None = None,
        cut: float = 0.5,
        growth: float = 2.0,
        easy_steps: int = 10,
        prefix: str = "dynamic_",
        name: str = "dynamic",
    ) -> None:
        check_smallest(smallest_step, step, "Dynamic")
        step = own_option(DYNAMIC_OPTIONS, prefix, "step", float(step))
        end = own_option(DYNAMIC_OPTIONS, prefix, "end", float(end))
        method = own_option(DYNAMIC_OPTIONS, prefix, "method", method)
        super().__init__(world, prefix, name, "s")
        self._method, self._rotations = method, rotations
        self.integrator = create_integrator(method, spectral_radius, rotations, self.assembly.layout)
        self.end = end
        smallest = smallest_step if smallest_step is not None else 1e-4 * step
        self.control = StepControl(step, smallest, cut, growth, easy_steps, adaptive)
        tolerances = discontinuous_atol, discontinuous_rtol, discontinuous_limit
        settings = DiscontinuousSettings(discontinuous_max_it, *tolerances, discontinuous_fail)
        self.discontinuous = settings.with_options(prefix)
        self._decides = own_option(DYNAMIC_OPTIONS, prefix, "decide_at_start", decide_at_start)
        project = own_option(DYNAMIC_OPTIONS, prefix, "project", project)
        velocities = own_option(DYNAMIC_OPTIONS, prefix, "velocities", velocities)
        resolves = own_option(DYNAMIC_OPTIONS, prefix, "resolve_contacts", resolve_contacts)
        mapped = own_option(DYNAMIC_OPTIONS, prefix, "decide_in_newton", decide_in_newton)
        self.problem = NonlinearProblem(self.assembly, prefix, choose_storage(self.assembly, prefix))
        maps = self.assembly.processes.any(any(system.return_map for system in self.assembly.systems))
        self._mapped = mapped if maps else 0
        self.problem.lag = create_lag_policy(prefix, lag)
        overshoot = own_option(DYNAMIC_OPTIONS, prefix, "overshoot", overshoot)
        self.newton = Newton(self.problem, rtol, atol, max_it, overshoot)
        self.consistency = Consistency(self.problem, self.integrator, project, velocities)
        self.snes = self.problem.snes
        self.balance = RunBalance(self.assembly, damps=self.integrator.generalised and spectral_radius < 1.0)
        self.contacts = ContactWatch(self.assembly, LIMIT, cuts=adaptive and resolves)
        self.ropes = RopeWatch(self.assembly)
        others = EnergyWatch(self.assembly), ShapeWatch(self.assembly), self.ropes, self.balance
        watches = PrescribedWatch(self.assembly), self.contacts, *others
        self.watches = Watches(self.assembly, watches)

    @checked(**SOLVE)
    def solve(self, state: State | None = None, hooks: Sequence[Hook] = (), *, resume: bool = False) -> State:
        """Integrate to the end and return the last state; see `march`."""
        for now in self._march(state, hooks, resume, pauses=False):
            state = now
        return local_state(self.assembly, state)

    @checked(**SOLVE)
    def march(self, state: State | None = None, hooks: Sequence[Hook] = (), *, resume: bool = False) -> Iterator[State]:
        """Integrate from a state (default: the initial values of the nodes), yielding the state after each step.

        The yielded object is the same at each step; copy it to keep it.  After a restart the first one is that after
        the step behind the checkpoint, or the last state of a solve that had ended.

        Args:
            state: start; it is not changed.
            hooks: user code around steps, see `StepHook`.
            resume: the state is one of a dynamic run of this model, perhaps from a file (`State.load`): go on with its
                accelerations, so that in serial and with full Newton the run is the same to the last bit as without the
                break.  Otherwise accelerations are computed anew, as is needed after statics or a change of the model.

        Raises:
            NotConverged: a step failed at the smallest step size; the last good state is kept in the error.
            ModelError: a start that misses constraints by more than is closed, at which a prescribed motion jumps, or
                with shapes and overlaps that cannot be meant; no consistent initial accelerations; nonlinear
                constraints with ``"newmark"``.
        """
        yield from self._march(state, hooks, resume, pauses=True)

    def _march(self, state: State | None, hooks: Sequence[Hook], resume: bool, pauses: bool) -> Iterator[State]:
        """See `march`; between steps it pauses for user code, or goes on at once."""
        current = local_state(self.assembly, state)
        check_start(self, state, current)
        check_times(self, current, self.control.nominal, self.end)
        begin = current.t
        if options.help_requested():
            yield current
            return
        all_hooks = as_hooks(hooks)
        with self._keep(current), SolveCheckpoint(self, all_hooks) as solve_checkpoint:
            self.statistics.begin()
            # each march begins with the nominal step, also a second one of the same solver
            self.control = replace(self.control)
            self.problem.lag.reset()
            if self._method == "newmark":
                self.consistency.refuse_nonlinear(current, self._method)
            if resume:
                self.consistency.look_back(current)
            else:
                if self._decides:
                    self.assembly.decide(current)
                self.assembly.load_fields(current)
                refuse_start(self.assembly)
                self.consistency.begin(current, self.control.nominal)
                release_dropped(self.assembly.comm)
            nominal = self.control.nominal
            run_before_solve(all_hooks, current, self.end, (self.end - current.t) / nominal)
            self.assembly.load_fields(current)
            self.watches.begin(current, self.end - current.t)
            solve_checkpoint.restore(current)
            self.progress.begin(current.t, self.end)
            attempts = Attempts(self, current, all_hooks)
            before, after = overriding(all_hooks, "before_step"), overriding(all_hooks, "after_step")
            # a report notes each step
            one_by_one = pauses or self.progress.history is not None
            self._looking = list(dict.fromkeys([*before, *after]))
            notes = self.watches.start(current, seen=pauses or bool(self._looking))
            self._begin_verdict(current, self.control.nominal, notes)
            while current.t < self.end - 1e-9 * self.control.nominal:
                solve_checkpoint.before_step(current)
                if before:
                    run_stage(before, "before_step", current)
                if self._decides:
                    self.assembly.renew(current)
                h, then = self.control.propose(current.t, self.end)
                most = min(self.watches.before_step(current, h), 1 if one_by_one else attempts.steps.pace)
                if most > 1:
                    most = 1 + min([most - 1, *(hook.idle_steps(current, h) for hook in self._looking)])
                    most = min(most, 1 + solve_checkpoint.idle_steps(current))
                self._refuse(current, then, all_hooks)
                try:
                    attempt = attempts.attempt(h, self.control.foresee(then, self.end, most))
                except NotConverged as error:
                    # a linear solver that cannot work: smaller steps do not help
                    error.failure.step, error.failure.step_size = self.statistics.steps + 1, h
                    attempts.go_back()
                    self._fail(error.failure, current, all_hooks, error.advice)
                except KeyboardInterrupt:
                    attempts.go_back()
                    raise
                self.statistics.count(attempt, self.newton, self.discontinuous)
                if not attempt.converged:
                    attempts.go_back()
                    self._reject(current, h, attempt, all_hooks)
                    continue
                self.watches.accept(current, attempts.kernels.scheme.t, h)
                changed = attempts.steps.stage != DONE and self.consistency.follow(current, h)
                current.t, current.step = attempts.kernels.scheme.t, current.step + 1
                self.control.accept()
                self.statistics.steps += 1
                self.progress.step(current.t, h)
                self.watches.after_step(current, changed)
                if after:
                    run_stage(after, "after_step", current)
                if pauses:
                    solve_checkpoint.paused = True
                now = current.t
                yield current
                if pauses:
                    solve_checkpoint.paused = False
                    if current.t != now or not is_finite(current):
                        refuse_change(current, now, "code between two steps")
            if solve_checkpoint.had_ended(current):
                yield current
            self.watches.finish(current)
            self._stop(current, all_hooks)
            solve_checkpoint.finish(current)
            nominal = (current.t - begin) / self.control.nominal
            cuts = judge_cuts(self.statistics.steps, nominal, self.failed_attempts)
            reasons = [*judge_steps(self.statistics), *cuts, *self.watches.judge()]
            self.verdict.notes += self.ropes.notes
            self.verdict.energy = self.balance.lost
            self._conclude(current, reasons)

    def _describe_solver(self) -> dict[str, Any]:
        return describe_problem(self.problem)

    def note_steps(self, state: State, t: float, steps: int, iterations: int) -> None:
        """So many steps, up to a time [s], were done by compiled code, without hooks."""
        state.t, state.step = t, state.step + steps
        self.statistics.add(steps, iterations)
        self.newton.iterations += iterations
        self.watches.skip(steps)
        for _ in range(steps):
            self.control.accept()
        if self.solve_checkpoint is not None:
            self.solve_checkpoint.skip(steps)
        for hook in self._looking:
            hook.skip(steps)

    def find_idle_programs(self, state: State) -> list[Program]:
        """What watches and hooks want of steps that they do not see."""
        programs = [hook.idle_program(state) for hook in self._looking]
        return [*self.watches.idle_programs(state), *(program for program in programs if program is not None)]

    def settings(self) -> dict[str, Any]:
        """What must be the same after a restart; see `Restartable`."""
        return {"method": self._method, "rotations": self._rotations, "step [s]": self.control.nominal}

    def update_state(self, state: State) -> None:
        """Watches begin anew from what they have seen; see `Restartable`."""
        self.watches.close(state)

    def checkpoint(self) -> dict[str, Any]:
        """What is carried from step to step beside the state; see `Restartable`."""
        return super().checkpoint() | {
            "control": self.control.checkpoint(),
            "newton": self.newton.checkpoint(),
            "consistency": self.consistency.checkpoint(),
            "watches": self.watches.checkpoint(),
        }

    def restore(self, kept: Mapping[str, Any]) -> None:
        """Continue from what `checkpoint` gave."""
        super().restore(kept)
        self.control.restore(kept["control"])
        self.newton.restore(kept["newton"])
        self.consistency.restore(kept["consistency"])
        self.watches.restore(kept["watches"])

    def reset_caches(self, state: State) -> None:
        """Drop kept tangents and lists of neighbours; see `Restartable`."""
        self.newton.reset_caches()
        self.assembly.reset_caches()
        self.consistency.look_back(state)

    def _reject(self, current: State, h: float, attempt: StepAttempt, hooks: list[StepHook]) -> None:
        """Cut the step, which begins again from the state that is kept, or give up."""
        self._note_failure(current.t + h, h, attempt.reason)
        if not self.control.reject(h, attempt.recommended_step, attempt.unsettled):
            failure = create_failure(self.problem, attempt, current.t + h, self.statistics.steps + 1, h)
            failure.diagnosis += self.watches.explain()
            self._fail(failure, current, hooks, ADVICE)


class Attempts:
    """Attempts at the steps of one run.

    The state is that of the start of the step until the step is accepted.  Hooks that look at passes see each of them
    in the state, and the end of steps with rotations is made from both ends: then the start is kept beside it.

    Args:
        solver: the solver.
        state: the state that goes on from step to step.
        hooks: all hooks of the run.

    Attributes:
        kernels: the start and the end of steps; its scheme has the time at the end of the last attempt.
        steps: those in compiled code; `DONE` says that it has looked for kinks after the last one and found none.
    """

    def __init__(self, solver: Dynamic, state: State, hooks: list[StepHook]) -> None:
        self._solver, self._problem, self._state = solver, solver.problem, state
        looking = overriding(hooks, "after_iteration")
        self._looked_at = bool(looking) or len(solver.integrator.rotations) > 0
        self._start = state.copy() if self._looked_at else state
        self.kernels = StepKernels(solver.integrator, solver.problem, carries=solver._mapped > 0)
        self._contacts = ContactHistory(solver.assembly, state if self._looked_at else None, looking)
        parts = (
            solver.newton,
            solver.discontinuous,
            self.kernels.scheme,
            solver.consistency.looks,
            solver.watches.found,
            solver._mapped,
        )
        self.steps = CompiledSteps(*parts)

    def attempt(self, h: float, ends: Sequence[float]) -> StepAttempt:
        """One attempt at a step of size h [s]; the state is that of its end if it has converged.

        Args:
            h: size [s].
            ends: the end of the step and those of steps of the same size after it [s]; where compiled code can take
                these, the attempt is at the last of them, or at one that it could not finish.
        """
        solver, state, contacts, lag = self._solver, self._state, self._contacts, self._problem.lag
        fields, kernels, steps = solver.assembly.fields, self.kernels, self.steps
        scheme = kernels.predict(state, h, ends[0])
        if self._looked_at:
            self._start.assign(state)
        contacts.changed = False
        parts = kernels.begin, solver.watches.programs(), kernels.end, solver.consistency.find_program(state)
        compiled = not self._looked_at and steps.prepare(ends, *parts, solver.find_idle_programs(state))

        def newton(attempt: StepAttempt) -> bool:
            guess = None
            if attempt.passes == 2 and solver._mapped:
                # again as without return maps
                contacts.data[:] = contacts.first
            elif attempt.passes > 1:
                lag.note_switch(contacts.changed)
                guess = (state.a, state.lam) if self._looked_at else (fields.a[:-1], fields.lam[:-1])
            first = compiled and attempt.passes == 1
            fields.mapped[0] = mapped = solver._mapped if attempt.passes == 1 else 0
            try:
                run = solver.newton.solve(scheme, guess=guess, around=steps if first else None, carried=mapped > 0)
            finally:
                fields.mapped[0] = 0
                if first and steps.earlier:
                    attempt.earlier = steps.earlier
                    solver.note_steps(state, ends[steps.earlier - 1], steps.earlier, steps.iterations)
            attempt.iterations += run.iterations
            if mapped and not run.converged:
                # from the predictor with the decisions of the start of the step
                contacts.data[:] = contacts.first
                run = solver.newton.solve(scheme)
                attempt.iterations += run.iterations
            attempt.reason, attempt.history = run.reason, run.history
            contacts.are_updated = first and steps.stage >= UPDATED
            if run.converged and not (first and steps.stage >= LOOKED):
                self._problem.expand_unknowns(self._problem.unknowns)
                solver.watches.after_newton()
                if self._looked_at:
                    self._store()
            return run.converged

        attempt = iterate(solver.discontinuous, newton, contacts, h, last=not solver.control.can_cut(h))
        shorter = solver.watches.find_cut(h) if attempt.converged else inf
        if shorter < h and solver.control.can_cut(h):
            attempt.converged, attempt.recommended_step = False, shorter
            attempt.reason = f"the step does not resolve a contact, which asks for a step of {shorter:.3g}"
        # also for the first pass of the next step
        lag.note_switch(contacts.changed)
        if attempt.converged and not self._looked_at and steps.stage < ACCEPTED:
            self._store()
        return attempt

    def go_back(self) -> None:
        """Bring the state back to the start of the step."""
        if self._looked_at:
            self._state.assign(self._start)

    def _store(self) -> None:
        """Bring the end of the step into the state."""
        self._problem.expand_unknowns(self._problem.unknowns)
        self.kernels.finish(self._start, self._state)
