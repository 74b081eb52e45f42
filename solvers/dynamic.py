"""Dynamics: M a + f(q, v, t) + C_q^T lam = loads, C = 0, step by step with the discontinuous iteration around SNES."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from windlass.framework import options
from windlass.framework.assembly import Assembly
from windlass.framework.checkpoint import Keeper
from windlass.framework.checks import checked, number, whole, word, yes_no
from windlass.framework.errors import NotConverged
from windlass.framework.hooks import Hook, StepHook, as_hooks, run_after_step, run_before_step, run_finish
from windlass.framework.parallel import communicator, parallel_assembly
from windlass.framework.petsc import release_dropped
from windlass.framework.state import State
from windlass.framework.world import World
from windlass.solvers.discontinuous import DiscontinuousSettings, StepAttempt, iterate
from windlass.solvers.given import COMMON, NEWTON, SOLVE, TIMES, check_smallest, check_start, check_times
from windlass.solvers.initial import update_initial_accelerations
from windlass.solvers.integrator import METHODS, create_integrator
from windlass.solvers.lagging import create_lag_policy
from windlass.solvers.newton import Newton, Tolerances
from windlass.solvers.ordering import choose_storage
from windlass.solvers.problem import NonlinearProblem
from windlass.solvers.progress import Progress
from windlass.solvers.statistics import Statistics
from windlass.solvers.step_control import StepControl

ADVICE = (
    "look at the worst equations; try a smaller step, more passes (-dynamic_discontinuous_max_it), "
    "or -dynamic_snes_monitor to see the iterations"
)


class Dynamic:
    """Time integration of a world.

    Args:
        world: the model.
        step: nominal step size [s].
        end: time at the end [s].
        method: ``"generalized_alpha"``, ``"newmark"`` or ``"trapezoidal_index2"``, see `create_integrator`.
        spectral_radius: of generalised-alpha [1].
        rtol, atol, max_it: default tolerances of Newton, see `Tolerances`.
        discontinuous_max_it, discontinuous_atol, discontinuous_fail: defaults, see `DiscontinuousSettings`.
        lag: keep the tangent and its factorisation while that is cheaper, see `LagPolicy`; False is full Newton.
        adaptive: cut the step after a failure, grow it again after easy steps.
        smallest_step: a failure at this step size is final [s]; default 1e-4 of the nominal step.
        cut, growth, easy_steps: see `StepControl`.
        prefix: options prefix.
        name: what the progress line calls this solve; empty for none.

    Attributes:
        statistics: counts and times.
        snes: the PETSc solver.
        failed_attempts: (time, step size, reason) of rejected attempts.
    """

    @checked(
        method=word(*METHODS),
        spectral_radius=number("1", minimum=0.0, maximum=1.0),
        lag=yes_no(),
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
        rtol: float = 1e-8,
        atol: float = 1e-10,
        max_it: int = 25,
        discontinuous_max_it: int = 5,
        discontinuous_atol: float = 1.0,
        discontinuous_fail: bool = False,
        lag: bool = True,
        adaptive: bool = True,
        smallest_step: float | None = None,
        cut: float = 0.5,
        growth: float = 2.0,
        easy_steps: int = 10,
        prefix: str = "dynamic_",
        name: str = "dynamic",
    ) -> None:
        check_smallest(smallest_step, step, "Dynamic")
        self.prefix, self._method = prefix, method
        self.integrator = create_integrator(method, spectral_radius)
        self.assembly: Assembly = parallel_assembly(world, communicator())
        self.end = end
        smallest = smallest_step if smallest_step is not None else 1e-4 * step
        self.control = StepControl(step, smallest, cut, growth, easy_steps, adaptive)
        settings = DiscontinuousSettings(discontinuous_max_it, discontinuous_atol, discontinuous_fail)
        self.discontinuous = settings.with_options(prefix)
        self.problem = NonlinearProblem(self.assembly, prefix, choose_storage(self.assembly, prefix))
        self.problem.lag = create_lag_policy(prefix, lag)
        self.newton = Newton(self.problem, Tolerances(rtol, atol, max_it))
        self.snes = self.problem.snes
        self.statistics = Statistics()
        self.progress = Progress(name, "s", self.statistics)
        self.failed_attempts: list[tuple[float, float, str]] = []

    @checked(**SOLVE)
    def solve(self, state: State | None = None, hooks: Sequence[Hook] = (), *, resume: bool = False) -> State:
        """Integrate to the end and return the last state; see `march`."""
        for now in self.march(state, hooks, resume=resume):
            state = now
        return self.assembly.local_state(state)

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
            ModelError: no consistent initial accelerations.
        """
        current = self.assembly.local_state(state)
        check_start(self, state, current)
        check_times(self, current, self.control.nominal, self.end)
        if options.help_requested():
            yield current
            return
        all_hooks = as_hooks(hooks)
        with Keeper(self, all_hooks) as keeper:
            self.statistics.begin()
            # each march begins with the nominal step, also a second one of the same solver
            self.control = replace(self.control)
            self.problem.lag.reset()
            if not resume:
                update_initial_accelerations(self.problem, current)
                release_dropped(self.assembly.comm)
            keeper.restore(current)
            self.progress.begin(current.t, self.end)
            start = current.copy()
            while current.t < self.end - 1e-9 * self.control.nominal:
                keeper.before_step(current)
                run_before_step(all_hooks, current)
                current.start_data[:] = current.data
                start.assign(current)
                h, then = self.control.propose(current.t, self.end)
                attempt = self._attempt(start, current, h, then, all_hooks)
                self.statistics.count(attempt, self.newton, self.discontinuous.atol)
                if not attempt.converged:
                    self._reject(start, current, h, attempt, all_hooks)
                    continue
                current.t, current.step = then, current.step + 1
                self.control.accept()
                self.statistics.steps += 1
                self.progress.step(current.t, h)
                run_after_step(all_hooks, current)
                keeper.paused = True
                yield current
                keeper.paused = False
            if keeper.had_ended(current):
                yield current
            self.statistics.end()
            self.progress.end()
            run_finish(all_hooks, current)
            keeper.finish(current)

    def settings(self) -> dict[str, Any]:
        """What must be the same after a restart; see `Restartable`."""
        return {"method": self._method, "step [s]": self.control.nominal}

    def settle(self, state: State) -> None:
        """Nothing to do; see `Restartable`."""

    def keep(self) -> dict[str, Any]:
        """What goes on from step to step beside the state; see `Restartable`."""
        return {
            "control": self.control.keep(),
            "newton": self.newton.keep(),
            "statistics": self.statistics.keep(),
            "failed_attempts": self.failed_attempts,
        }

    def take_up(self, kept: Mapping[str, Any]) -> None:
        """Go on from what `keep` gave."""
        self.control.take_up(kept["control"])
        self.newton.take_up(kept["newton"])
        self.statistics.take_up(kept["statistics"])
        self.failed_attempts = [(t, h, reason) for t, h, reason in kept["failed_attempts"]]

    def forget(self, state: State) -> None:
        """Drop kept tangents and lists of neighbours; see `Restartable`."""
        self.newton.forget()
        self.assembly.forget()

    def _attempt(self, start: State, current: State, h: float, then: float, hooks: list[StepHook]) -> StepAttempt:
        """One attempt at a step; fills ``current``, whose history values go on from pass to pass."""
        fields = self.assembly.fields
        fields.data[:], fields.start_data[:] = start.data, start.data

        def newton(attempt: StepAttempt) -> bool:
            scheme, algorithmic = self.integrator.predict(start, h)
            scheme.t = then
            before = (current.a, current.lam) if attempt.passes > 1 else None
            run = self.newton.solve(scheme, guess=before)
            attempt.iterations += run.iterations
            attempt.reason, attempt.history = run.reason, run.history
            if run.converged:
                self.problem.store(current)
                self.integrator.finish(current, algorithmic)
            return run.converged

        def post_newton() -> tuple[float, float]:
            result = self.assembly.post_newton()
            self.problem.lag.note_switch(result.changed)
            current.data[:] = fields.data
            for hook in hooks:
                hook.after_iteration(current, result.error)
            return result.error, result.recommended_step

        return iterate(self.discontinuous, newton, post_newton, h)

    def _reject(self, start: State, current: State, h: float, attempt: StepAttempt, hooks: list[StepHook]) -> None:
        """Restore the start of the step and cut the step, or give up."""
        failed_at = start.t + h
        self.failed_attempts.append((failed_at, h, attempt.reason))
        self.statistics.rejected += 1
        failure = self.problem.failure(attempt.reason, self.statistics.steps + 1, h, attempt.history, start.copy())
        failure.time = failed_at
        current.assign(start)
        if not self.control.reject(h, attempt.recommended_step):
            self.statistics.end()
            self.progress.fail()
            run_finish(hooks, current)
            self.problem.save_last_good(failure)
            raise NotConverged(failure, ADVICE)
