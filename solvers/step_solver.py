"""Base class of step-by-step solvers: statistics, progress line, verdict, and the end or failure of a solve."""

from __future__ import annotations

import resource
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

import numpy as np

from windlass.framework.assembly.assembly import Assembly
from windlass.framework.assembly.parallel_assembly import parallel_assembly
from windlass.framework.command_line import options
from windlass.framework.command_line.petsc_solvers import describe_kinds
from windlass.framework.command_line.summary import final_state_path, note_solve
from windlass.framework.errors import OutputError
from windlass.framework.launch.petsc_functions import count_linear_iterations
from windlass.framework.model.world import CHECKS, World
from windlass.framework.restart.solve_checkpoint import SolveCheckpoint
from windlass.framework.state import last_state
from windlass.framework.state.hooks import StepHook, run_stage
from windlass.framework.state.state import State
from windlass.solvers.failure import Failure, NotConverged
from windlass.solvers.newton.problem import NonlinearProblem
from windlass.solvers.stepping.discontinuous import StepAttempt
from windlass.solvers.stepping.progress import Progress
from windlass.solvers.stepping.statistics import Statistics
from windlass.solvers.stepping.step_history import WORK, StepHistory
from windlass.solvers.verdicts.verdict import Verdict, begin_verdict, conclude, judge_invariants, judge_laws
from windlass.solvers.verdicts.watch import Watches

KIBIBYTE = 1024.0
"""Unit [bytes] of the memory that the operating system reports."""


class StepSolver:
    """A step-by-step solver. See `Dynamic`, `Static` and `Explicit` for arguments and attributes.

    Args:
        world: the model, which is finalized by the solver.
        prefix: options prefix.
        name: name of the solve in the progress line; empty for no name.
        unit: unit of the step sizes: ``"s"`` for time steps, empty for load steps.

    Attributes:
        state: the state at the end of the last solve. After an interrupted or failed solve, ``state`` is the last good
            state. Before the first solve, ``state`` is None.
    """

    def __init__(self, world: World, prefix: str, name: str, unit: str) -> None:
        self.prefix, self.name = prefix, name or prefix.rstrip("_")
        self.assembly: Assembly = parallel_assembly(world)
        self.statistics = Statistics()
        self.progress = Progress(name, unit, self.statistics)
        self.verdict, self.watches = Verdict(), Watches(self.assembly, ())
        self.state: State | None = None
        self.failed_attempts: list[tuple[float, float, str]] = []
        self._hooks: Sequence[StepHook] = ()
        self._nominal = 0.0
        if self._is_reported():
            from windlass.framework.report.run_report import (
                begin_report,
            )  # imported here, because only runs that write a report need this module

            begin_report()
            self.progress.history = StepHistory()
        self.solve_checkpoint: SolveCheckpoint | None = None

    def update_state(self, state: State) -> None:
        """Do nothing. Derived classes use this method to update data after user code has changed the state, see
        `Restartable`.
        """

    def checkpoint(self) -> dict[str, Any]:
        """Return values in addition to the state that a restart needs. See `Restartable`."""
        history = self.progress.history
        kept = {"statistics": self.statistics.checkpoint(), "failed_attempts": self.failed_attempts}
        return kept if history is None else kept | {"history": history.checkpoint()}

    def restore(self, kept: Mapping[str, Any]) -> None:
        """Continue from values that `checkpoint` has returned."""
        self.statistics.restore(kept["statistics"])
        self.failed_attempts = [(at, size, reason) for at, size, reason in kept.get("failed_attempts", ())]
        if self.progress.history is not None and "history" in kept:
            self.progress.history.restore(kept["history"])

    @contextmanager
    def _keep(self, state: State) -> Iterator[None]:
        """Return a context for a solve. If the solve is interrupted or fails, the attribute ``state`` contains the last
        good state.
        """
        self.state, self.verdict = state, Verdict()
        try:
            yield
        except KeyboardInterrupt:
            self._note_end("interrupted", state)
            self.statistics.end()
            self.progress.end("INTERRUPTED")
            raise
        except Exception:
            # report an incomplete solve only if no reason for doubt has been reported
            if not self.verdict.reasons:
                self._note_end("failed", state)
            raise

    def _note_end(self, stopped: str, state: State) -> None:
        """Report that the solve has not reached its end."""
        self.verdict.stopped = stopped
        self.verdict.where = f"after step {state.step}, t = {state.t:.9g} s"

    def _begin_verdict(self, state: State, step: float, notes: Sequence[str] = ()) -> None:
        """Report the reasons to doubt the result that are known before the first step. In statics, the argument
        ``step`` is 0, otherwise the step size [s].

        Raises:
            ModelError: a part of the model prevents the solve, such as a body without supports.
        """
        for check in state.world.resource(CHECKS, list):
            check()
        self.assembly.load_fields(state)
        self._nominal = step
        self.verdict = begin_verdict(self.assembly, step, self.name, notes)

    def _conclude(self, state: State, hooks: Sequence[StepHook], reasons: Sequence[str] = ()) -> None:
        """Report the verdict on a completed solve. The argument ``reasons`` contains the reasons to doubt the result
        that were found in the steps.
        """
        self.assembly.load_fields(state)
        found = [*reasons, *(words for hook in hooks for words in hook.find_doubts())]
        found += [*judge_invariants(self.verdict, self.assembly), *judge_laws(self.assembly, self._nominal)]
        try:
            conclude(self.verdict, found, self.name)
        finally:
            self._report(state, self.verdict.word, self.verdict.reasons)
        last_state.note(state)
        note_solve(self._describe_work)
        path = final_state_path()
        if path is not None:
            state.save(path)

    def _describe_work(self) -> dict[str, Any]:
        """Return the data of ``-statistics``: numbers of steps and iterations, elapsed times, memory and names of
        solvers. The call is collective.
        """
        memory = np.array([float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)]) * KIBIBYTE
        return {
            "solve": self.name,
            "prefix": self.prefix,
            "verdict": self.verdict.word,
            **self.statistics.checkpoint(),
            "peak_memory": float(self.assembly.processes.sum(memory)[0]),
            "processes": self.assembly.layout.size,
            **self._describe_solver(),
        }

    def _describe_solver(self) -> dict[str, Any]:
        """Return a description of the nonlinear and linear solvers. The description is empty if the solve has no such
        solvers.
        """
        return {}

    def _refuse(self, state: State, then: float, hooks: Sequence[StepHook]) -> None:
        """End a solve with an error if a monitor does not allow the next step. This step would end at the given time
        [s]. The call is collective.
        """
        words, advice = self.watches.refuse(state.t, then)
        if words:
            self._fail(Failure(words, state.t, self.statistics.steps + 1, then - state.t), state, hooks, advice)

    def _note_failure(self, at: float, size: float, reason: str) -> None:
        """Count a rejected step of the given size to a time [s], or to a load factor [1] in statics."""
        self.failed_attempts.append((at, size, reason))
        self.statistics.rejected += 1

    def _stop(self, state: State, hooks: Sequence[StepHook], failed: str = "") -> None:
        """End a solve: stop the time measurement, print the statistics, and call the final functions of hooks. If the
        solve has failed, ``failed`` is the reason, which is added to the report of the run.
        """
        self.statistics.end()
        self.progress.end("FAILED" if failed else "")
        run_stage(hooks, "finish", state)
        self._hooks = hooks
        if failed:
            self._report(state, "failed", [failed])

    def _is_reported(self) -> bool:
        return bool(options.own_value("report")) and not options.help_requested()

    def _report(self, state: State, verdict: str, reasons: Sequence[str]) -> None:
        """Add the solve to the report of the run, if a report is requested. The call is collective."""
        if not self._is_reported():
            return
        from windlass.framework.report.run_report import (
            SolveRecord,
            report_solve,
        )  # imported here, because only runs that write a report need this module

        history = self.progress.history
        record = SolveRecord(
            name=self.name,
            unit=self.progress.unit,
            counts=self.statistics.checkpoint(),
            summary=self.statistics.describe(),
            steps=np.zeros((0, 7)) if history is None else history.rows,
            work=WORK,
            settings={name: str(value) for name, value in (self.settings() | self._describe_solver()).items()},
            failed_attempts=self.failed_attempts,
            verdict=verdict,
            reasons=reasons,
        )
        report_solve(record, state, self._hooks)

    def settings(self) -> dict[str, Any]:
        """Return the settings that must be equal in the original run and in the resumed run, see `Restartable`. Statics
        has no such settings, because only the result of a static solve is stored.
        """
        return {}

    def _fail(self, failure: Failure, state: State, hooks: Sequence[StepHook], advice: str) -> NoReturn:
        """End a failed solve with its last good state. This state is written to the file of ``-last_good``. The call is
        collective.
        """
        failure.last_good = state.copy()
        self._stop(state, hooks, failed=failure.describe())
        path = options.last_good_path()
        if path is not None:
            try:
                failure.saved_to = str(failure.last_good.save(path))
            except OutputError as error:
                failure.saved_to = f"not saved ({error})"
        raise NotConverged(failure, advice) from None


def create_failure(problem: NonlinearProblem, attempt: StepAttempt, at: float, step: int, size: float) -> Failure:
    """Return the data of a failed step of Newton's method. The result is identical on every process.

    Args:
        problem: the equations. The fields contain the last iterate.
        attempt: the last attempt.
        at: time [s] or load factor [1] at the end of the step.
        step, size: number of the step, and size of the step ([s] in dynamics, [1] in statics).
    """
    worst, diagnosis = problem.worst_equations(), problem.assembly.diagnose()
    if attempt.unsettled:
        diagnosis.insert(0, f"largest force error: {problem.assembly.describe_worst()}")
    return Failure(attempt.reason, at, step, size, attempt.history, worst, diagnosis=diagnosis)


def describe_problem(problem: NonlinearProblem) -> dict[str, Any]:
    """Return the number of unknowns, the matrix storage, the tolerances, the names of solvers and the number of linear
    iterations.
    """
    rtol, atol, _, _ = problem.snes.getTolerances()
    return {
        "unknowns": problem.assembly.layout.unknowns.total,
        "multipliers": problem.assembly.world.numbering.multiplier_count,
        "storage": problem.storage.name.lower(),
        "solver": describe_kinds(problem.snes),
        "rtol": rtol,
        "atol": atol,
        "linear_iterations": count_linear_iterations(problem.snes.getKSP()),
    }
