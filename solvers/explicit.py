"""Explicit dynamics: a(t, q, v) is computed from M a + f(q, v, t) + C_q^T lam = loads. The steps need no iterations.

The explicit solver is intended for models of particles with many contacts and short simulated times. The explicit
solver is also intended for results whose errors are near the rounding error. Implicit methods (`Dynamic`) are better
for stiff models such as cables. Explicit steps must be shorter than 2/ω, where ω is the highest angular frequency of
the model. The modules `verlet` and `runge_kutta` describe the methods, and `accelerations` describes the equations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from windlass.framework.checks.checks import checked, number, optional, word, yes_no
from windlass.framework.command_line import options
from windlass.framework.errors import ModelError
from windlass.framework.model.system import PostNewton
from windlass.framework.model.world import World
from windlass.framework.restart.solve_checkpoint import SolveCheckpoint
from windlass.framework.state.hooks import (
    Hook,
    StepHook,
    as_hooks,
    find_idle_steps,
    find_stop,
    is_finite,
    may_change,
    overriding,
    refuse_change,
    run_before_solve,
    run_stage,
)
from windlass.framework.state.state import State, local_state
from windlass.solvers.constraint_motion.accelerations import Accelerations
from windlass.solvers.constraint_motion.start import check_motion
from windlass.solvers.explicit_methods.compiled_fixed import MOST
from windlass.solvers.explicit_methods.explicit_step import Advance, Method
from windlass.solvers.explicit_methods.fixed_steps import TABLEAUX, FixedSteps
from windlass.solvers.explicit_methods.runge_kutta import RungeKutta
from windlass.solvers.explicit_methods.verlet import Verlet
from windlass.solvers.failure import Failure
from windlass.solvers.given import COMMON, SOLVE, TIMES, check_start, check_times
from windlass.solvers.own_options import EXPLICIT, EXPLICIT_OPTIONS, STARTS, own_option
from windlass.solvers.step_solver import StepSolver
from windlass.solvers.stepping.pacing import Pacer
from windlass.solvers.stepping.step_control import REQUEST
from windlass.solvers.verdicts.contact_watch import LIMITS, ContactWatch
from windlass.solvers.verdicts.explicit_limit import LimitWatch
from windlass.solvers.verdicts.prescribed import PrescribedWatch
from windlass.solvers.verdicts.rope_watch import RopeWatch
from windlass.solvers.verdicts.run_balance import RunBalance
from windlass.solvers.verdicts.shapes import ShapeWatch, refuse_start
from windlass.solvers.verdicts.watch import Watch, Watches

FEWEST = 4
"""Smallest number of steps that one call of compiled code executes."""
SHORTEST_CUT = 0.75
"""Largest ratio [1] of the reduced step size to the rejected step size, for a rejected step with a contact that
recommends a shorter step.
"""
ADVICE = (
    "explicit steps must be shorter than 2 / (highest angular frequency), and shorter still with damping: "
    "try a smaller step, or method='rk', which finds its own"
)


@dataclass(frozen=True)
class StepGrid:
    """Times at which steps end exactly: the end of the run, and multiples of the step size. If the start is a multiple
    of the step size, multiples are counted from 0, otherwise from the start.

    Attributes:
        start, step, end: start time [s] of the run, step size [s], and end time [s] of the run.
    """

    start: float
    step: float
    end: float

    def propose(self, now: float, longest: float) -> tuple[float, float]:
        """Return the size [s] of the next step, which is at most ``longest``, and the time [s] at its end."""
        # The times of a resumed run must be bitwise identical to the times of an uninterrupted run. Therefore times are
        # counted from 0 if the start is a multiple of the step size.
        whole = round(self.start / self.step)
        anchor = 0.0 if abs(whole * self.step - self.start) <= 1e-15 * abs(self.start) else self.start
        count = np.floor((now - anchor) / self.step + 1e-9)
        then = float(anchor + (count + 1) * self.step)
        # a step between two successive multiples of the nominal size must have exactly the nominal size
        size = self.step if abs(anchor + count * self.step - now) <= 1e-9 * self.step else then - now
        if then > self.end - 1e-9 * self.step:
            size, then = (size if then < self.end + 1e-9 * self.step else self.end - now), self.end
        return (size, then) if size <= longest * (1.0 + 1e-9) else (longest, now + longest)

    def foresee(self, now: float, then: float, stop: float, most: int) -> list[float]:
        """Return the times [s] at the start and at the end of the next step, and at the ends of later steps of the same
        size. At most ``most`` steps are returned, and no later step ends after ``stop``.
        """
        ends = [now, then]
        while len(ends) <= most:
            size, then = self.propose(ends[-1], np.inf)
            if size != self.step or then > stop or then >= self.end:
                break
            ends.append(then)
        return ends


class Explicit(StepSolver):
    """Explicit time integration of a world, with the interface of `Dynamic`.

    Every force evaluation computes history values (contact states) from the history values at the start of the step.
    The history values are stored when the step is accepted. If the force error of the post-Newton update is large, and
    a contact changes its state within the step, the step is repeated. The size of the repeated step is the recommended
    size, with which the step ends at the time of the change. The recommended size is reduced or increased if necessary,
    so that the new size is at most `SHORTEST_CUT` times the rejected size, and at least ``smallest_step``. The step
    after the repeated step ends at the time at which the rejected step would have ended.

    Args:
        world: the model.
        step: step size [s]. For ``"rk"`` the largest step size. Steps end exactly at all multiples of the step size.
        end: end time [s]. The options ``-<prefix>step``, ``-<prefix>end`` and ``-<prefix>method`` override the
            arguments.
        method: ``"verlet"``: velocity Verlet of order 2 with fixed steps. ``"rk"``: Runge-Kutta of order 8 with error
            control (SciPy's DOP853). ``"euler"``, ``"midpoint"``, ``"rk3"``, ``"rk4"``, ``"rk6"``: orders 1, 2, 3, 4, 6
            with fixed steps, see `fixed_steps`.
        rtol, atol: relative tolerance [1] and absolute tolerance of ``"rk"``, for coordinates [m, rad, 1] and
            velocities [m/s, rad/s, 1/s].
        project: whether to project coordinates and velocities, including Euler parameters, onto the constraints at the
            start and after every step. Without projection, the constraint violations increase with the errors of the
            steps.
        velocities: treatment of initial velocities that constraints forbid. With "check", an error that names these
            constraints is raised. With "project", the nearest allowed velocities in the norm of the mass matrix are
            used. The argument has an effect only with ``project``.
        discontinuous_atol: force error [N] of the post-Newton update up to which a step is not repeated, although a
            contact changes its state within the step.
        adaptive: whether to repeat steps with recommended sizes. With True, ``"rk"`` also repeats a step with a shorter
            size if the step does not resolve a contact, or if a point passes through an object within the step.
        smallest_step: smallest size [s] with which a step is repeated; default 1e-4 of ``step``.
        pace: largest ratio [1] of simulated time to elapsed time, for simulations with controllers or hardware that run
            in real time. The run waits after a step if the ratio would otherwise be larger. With 0, there is no limit.
            The option ``-<prefix>pace`` overrides the argument.
        prefix: options prefix.
        name: name of this solve in the progress line; empty for no name.

    Attributes:
        statistics: numbers of steps and evaluations, and elapsed time, see `Statistics`.
        verdict: whether the result of the last run can be trusted, see `Verdict`.
        accelerations: evaluator of accelerations. Its ``kind`` is the method that solves for accelerations.
        failed_attempts: (time, step size, reason) of each rejected attempt.

    Raises:
        ModelError: arguments are wrong, or coordinates have no mass.
    """

    @checked(
        method=word(*EXPLICIT),
        project=yes_no(),
        velocities=word(*STARTS),
        discontinuous_atol=number("N", minimum=0.0),
        smallest_step=optional(number("s", above=0.0)),
        **COMMON,
        **TIMES,
    )
    def __init__(
        self,
        world: World,
        *,
        step: float,
        end: float,
        method: str = "verlet",
        rtol: float = 1e-8,
        atol: float = 1e-10,
        project: bool = True,
        velocities: str = "check",
        discontinuous_atol: float = 1.0,
        adaptive: bool = True,
        smallest_step: float | None = None,
        pace: float = 0.0,
        prefix: str = "explicit_",
        name: str = "explicit",
    ) -> None:
        if smallest_step is not None and smallest_step > step:
            raise ModelError(f"smallest_step = {smallest_step} s in Explicit: must be <= the step, {step} s")
        step = own_option(EXPLICIT_OPTIONS, prefix, "step", float(step))
        smallest = smallest_step if smallest_step is not None else 1e-4 * step
        end = own_option(EXPLICIT_OPTIONS, prefix, "end", float(end))
        method = own_option(EXPLICIT_OPTIONS, prefix, "method", method)
        self._name = method
        self._pace = own_option(EXPLICIT_OPTIONS, prefix, "pace", float(pace))
        self.step, self.end, self._adaptive, self._smallest = step, end, adaptive, smallest
        project = own_option(EXPLICIT_OPTIONS, prefix, "project", project)
        self._project = project
        self._velocities = own_option(EXPLICIT_OPTIONS, prefix, "velocities", velocities)
        self._error_atol = own_option(EXPLICIT_OPTIONS, prefix, "discontinuous_atol", discontinuous_atol)
        if method == "rk":
            # SciPy does not allow smaller relative tolerances
            smallest_rtol = 100 * float(np.finfo(float).eps)
            rtol = max(own_option(EXPLICIT_OPTIONS, prefix, "rtol", rtol), smallest_rtol)
            atol = own_option(EXPLICIT_OPTIONS, prefix, "atol", atol)
        super().__init__(world, prefix, name, "s")
        self.accelerations = Accelerations(self.assembly, prefix)
        self._method: Method
        if method == "rk":
            self._method = RungeKutta(self.accelerations, self._is_too_long, project, rtol, atol, self._find_cut)
        elif method in TABLEAUX:
            self._method = FixedSteps(self.accelerations, self._is_too_long, project, method)
        else:
            self._method = Verlet(self.accelerations, self._is_too_long, project)
        self._grid = StepGrid(0.0, step, end)
        is_verlet = method == "verlet"
        self.balance = RunBalance(self.assembly, damps=False, swings=step if is_verlet else 0.0)
        self.contacts = ContactWatch(self.assembly, LIMITS[method], method == "rk" and adaptive, halves=is_verlet)
        self.ropes, shapes = RopeWatch(self.assembly), ShapeWatch(self.assembly, self.accelerations.load)
        watches: list[Watch] = [PrescribedWatch(self.assembly), self.contacts, shapes, self.ropes, self.balance]
        if is_verlet:
            watches.insert(0, LimitWatch(self.assembly, self.accelerations.respond, step))
        self.watches = Watches(self.assembly, watches)

    @checked(**SOLVE)
    def solve(self, state: State | None = None, hooks: Sequence[Hook] = (), *, resume: bool = False) -> State:
        """Integrate to the end and return the last state. See `march`."""
        for now in self._march(state, hooks, resume, pauses=False):
            state = now
        return local_state(self.assembly, state)

    @checked(**SOLVE)
    def march(self, state: State | None = None, hooks: Sequence[Hook] = (), *, resume: bool = False) -> Iterator[State]:
        """Integrate from a state (default: the initial values of the nodes), and yield the state after each step.

        After each step, the same object is yielded. To keep a state, copy it. Between steps, the caller and hooks may
        change the state, and columns of tables that `World.set` can change. After a restart, the first yielded state is
        the result of the first step that follows the checkpoint, or the final state if the solve was complete.

        Args:
            state: initial state, which stays unchanged.
            hooks: user code around steps, see `StepHook`. ``after_iteration`` is called once in each accepted step.
            resume: whether the state is the result of an explicit run of this model. The run then continues with the
                accelerations and history values of the state. With False, the initial state is projected onto the
                constraints, and accelerations and history values are computed again.

        Raises:
            NotConverged: a step failed. The error contains the last good state.
            ModelError: no consistent initial state exists: constraints forbid positions or velocities, forces are not
                finite, or masses and constraints do not determine the accelerations.
        """
        yield from self._march(state, hooks, resume, pauses=True)

    def _march(self, state: State | None, hooks: Sequence[Hook], resume: bool, pauses: bool) -> Iterator[State]:
        """Yield the states of a run. With ``pauses``, the caller reads the state after each step, and may change it."""
        current = local_state(self.assembly, state)
        check_start(self, state, current)
        check_times(self, current, self.step, self.end)
        if options.help_requested():
            yield current
            return
        all_hooks = as_hooks(hooks)
        with self._keep(current), SolveCheckpoint(self, all_hooks) as solve_checkpoint:
            pacer = Pacer(self._pace) if self._pace > 0.0 else None
            all_hooks = all_hooks if pacer is None else [*all_hooks, pacer]
            self.statistics.begin()
            if resume:
                self._method.begin(current, resume=True)
            else:
                self.prepare_start(current)
            self._grid, longest = StepGrid(current.t, self.step, self.end), np.inf
            run_before_solve(all_hooks, current, self.end, (self.end - current.t) / self.step)
            self.assembly.load_fields(current)
            self.watches.begin(current, self.end - current.t)
            solve_checkpoint.restore(current)
            self.progress.begin(current.t, self.end)
            stages = "before_step", "after_iteration", "after_step", "next_stop"
            before, looking, after, stopping = (overriding(all_hooks, stage) for stage in stages)
            notes = self.watches.start(current, seen=pauses or bool(before or looking or after))
            self._begin_verdict(current, self.step, notes)
            self._method.reuses = not (pauses or before or looking or any(map(may_change, after)))
            one_by_one = pauses or bool(looking) or self.progress.history is not None
            around, called = list(dict.fromkeys([*after, *before])), False
            while current.t < self.end - 1e-9 * self.step:
                solve_checkpoint.before_step(current)
                if before:
                    run_stage(before, "before_step", current)
                self.assembly.renew(current)
                until = find_stop(stopping, current) - current.t if stopping else np.inf
                size, then = self._grid.propose(current.t, min(longest, until))
                begin = current.t
                self.watches.before_step(current, size)
                self._refuse(current, then, all_hooks)
                # a step in Python, after which monitors and hooks are called, follows each call of compiled steps
                regular = not (one_by_one or called) and longest == np.inf and size == self.step
                called = regular and self._take_idle_steps(current, then, current.t + until, around, solve_checkpoint)
                if called:
                    continue
                advance = self._method.attempt(current, size, then)
                self.statistics.evaluations = self.accelerations.evaluations
                self.statistics.rejected += advance.rejected
                if not advance.accepted:
                    longest = self._reject(current, advance, all_hooks)
                    continue
                longest = np.inf
                size = current.t - begin
                self._look(size)
                self.watches.accept(current, current.t, size)
                current.step += 1
                self.statistics.steps += 1
                self.progress.step(current.t, size)
                self.watches.after_step(current)
                for hook in looking:
                    hook.after_iteration(current, advance.error)
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
            # store the algorithmic accelerations, from which a later solve by generalised-alpha starts
            current.carried[:] = current.a
            self._stop(current, all_hooks)
            solve_checkpoint.finish(current)
            self.verdict.energy = self.balance.lost
            reasons = self.watches.judge()
            self.verdict.notes += self.ropes.notes
            self._conclude(current, all_hooks, reasons)
            if pacer is not None:
                self.verdict.notes += pacer.say(self.name)

    def _take_idle_steps(
        self, current: State, then: float, stop: float, hooks: Sequence[StepHook], checkpoint: SolveCheckpoint
    ) -> bool:
        """Execute steps in compiled code, as long as monitors and hooks need not be called. Return whether steps were
        executed.

        Args:
            current: the state at the start of the steps.
            then: time [s] at the end of the next step.
            stop: time [s] at which a step must end.
            hooks: hooks that are called before and after steps.
            checkpoint: object that writes the checkpoints of this run.
        """
        method = self._method
        if not isinstance(method, FixedSteps):
            return False
        idle = find_idle_steps(hooks, current, self.step)
        if any(steps.number <= 0 for steps in idle):
            return False
        idle = [*self.watches.idle_steps(current), *idle, checkpoint.idle_steps(current)]
        number = min(MOST, method.pace, *(steps.number for steps in idle))
        ends = self._grid.foresee(current.t, then, stop, number) if number >= FEWEST else []
        if len(ends) <= FEWEST:
            return False
        self.contacts.resize(self.step)
        programs = [steps.program for steps in idle if steps.program is not None]
        given = self.step, ends, self.watches.programs(), programs, self.watches.found
        done, failed = method.take_steps(current, *given)
        current.step += done
        self.statistics.steps += done
        self.statistics.evaluations = self.accelerations.evaluations
        for steps in idle:
            if steps.after is not None:
                steps.after(done)
        self.watches.note(current)
        if failed is not None:
            failed.explain()
        return done > 0

    def prepare_start(self, state: State) -> None:
        """Project a state onto the constraints, and compute history values, accelerations and multipliers, like at the
        start of a solve. See `march` for errors.
        """
        self.assembly.load_fields(state)
        refuse_start(self.assembly)
        if self._project:
            check_motion(self.assembly, state, self.step, self._velocities)
        self._method.begin(state, resume=False)

    def update_accelerations(self, state: State) -> None:
        """Compute accelerations, multipliers and history values after a change of the model between two steps."""
        self._method.update_accelerations(state)

    def settings(self) -> dict[str, Any]:
        """Return the settings that must be equal in the original run and in the resumed run. See `Restartable`."""
        return {"method": self._name, "step [s]": self.step}

    def update_state(self, state: State) -> None:
        """Update the accelerations after changes between two steps, and record a checkpoint in the monitors. See
        `Restartable`.
        """
        self._method.update_state(state)
        self.watches.close(state)

    def checkpoint(self) -> dict[str, Any]:
        """Return values in addition to the state that a restart needs. See `Restartable`."""
        return super().checkpoint() | {
            "start": self._grid.start,
            "method": self._method.checkpoint(),
            "watches": self.watches.checkpoint(),
            "evaluations": self.accelerations.evaluations,
            "factorisations": self.accelerations.factorisations,
        }

    def restore(self, kept: Mapping[str, Any]) -> None:
        """Continue from values that `checkpoint` has returned."""
        super().restore(kept)
        self._grid = replace(self._grid, start=float(kept["start"]))
        self._method.restore(kept["method"])
        self.watches.restore(kept["watches"])
        self.accelerations.evaluations = int(kept["evaluations"])
        self.accelerations.factorisations = int(kept["factorisations"])

    def reset_caches(self, state: State) -> None:
        """Delete factorisations, the contact candidates of neighbour searches, and cached values of the method. See
        `Restartable`.
        """
        self.accelerations.reset_caches()
        self._method.reset_caches(state)

    def _is_too_long(self, result: PostNewton, size: float) -> bool:
        """Return whether a step must be repeated because a contact changes its state within the step. The repeated step
        ends at the time of this change.
        """
        cut = result.error > self._error_atol and result.recommended_step < size * (1.0 - 1e-9)
        return self._adaptive and cut and size > self._smallest * (1.0 + 1e-9)

    def _find_cut(self, size: float) -> float:
        """Return the size with which a finished step must be repeated, or inf if the step is accepted."""
        if not self._adaptive or size <= self._smallest * (1.0 + 1e-9):
            return np.inf
        self._look(size)
        return self.watches.find_cut(size)

    def _look(self, size: float) -> None:
        """Call the monitors after a step of the given size [s]. The fields contain the state at the end of the step."""
        self.contacts.resize(size)
        self.watches.after_newton()

    def _reject(self, current: State, advance: Advance, hooks: list[StepHook]) -> float:
        """Return the largest size [s] of the next attempt after a rejected step, or end the run with an error."""
        tried = advance.t - current.t
        if advance.unresolved:
            self._note_failure(advance.t, tried, "the step does not resolve a contact")
            return max(advance.recommended_step, self._smallest)
        if np.isfinite(advance.recommended_step):
            reason = f"a contact switches within the step and {REQUEST} {advance.recommended_step:.3g}"
            self._note_failure(advance.t, tried, reason)
            return max(min(SHORTEST_CUT * tried, advance.recommended_step), self._smallest)
        self._note_failure(advance.t, tried, advance.reason)
        worst, diagnosis = self.accelerations.describe_worst(), self.assembly.diagnose()
        step = self.statistics.steps + 1
        failure = Failure(advance.reason, advance.t, step, tried, worst=worst, diagnosis=diagnosis)
        self._fail(failure, current, hooks, ADVICE)
