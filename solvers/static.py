"""Statics: f(q) - load_factor * loads + C_q^T lam = 0, C = 0. Here f are the forces without the loads, C are the values
of the constraints, C_q their derivatives with respect to the coordinates q, and lam the multipliers.

The equations are solved in load steps. In each load step, Newton's method is repeated until the contact states agree
with the solution.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.post_newton import begin_step
from windlass.framework.assembly.storage import Storage
from windlass.framework.checks.checks import checked, number, optional, whole, word, yes_no
from windlass.framework.command_line import options
from windlass.framework.errors import ModelError
from windlass.framework.model.system import CONSTANT
from windlass.framework.model.world import World
from windlass.framework.restart.solve_checkpoint import SolveCheckpoint
from windlass.framework.runtime.petsc import release_dropped
from windlass.framework.state.hooks import Hook, StepHook, as_hooks, overriding, run_before_solve, run_stage
from windlass.framework.state.state import State, local_state
from windlass.solvers.equilibrium.balance import SETTLED_ERROR, TOUCHING_ERROR, balance
from windlass.solvers.equilibrium.form_finding import FormFinder, Lines, find_lines
from windlass.solvers.equilibrium.jumps import JumpWatch
from windlass.solvers.equilibrium.paying_out import LinePayer
from windlass.solvers.equilibrium.relaxation import relax
from windlass.solvers.equilibrium.relaxed_contacts import FRICTION, find_switchable, without_friction
from windlass.solvers.equilibrium.settling import settle_contacts
from windlass.solvers.equilibrium.singular import check_stiffness, find_free_motion, summarise_faults
from windlass.solvers.equilibrium.stability import (
    UNSTABLE_ADVICE,
    Follower,
    describe_unstable,
    examine,
    say_findings,
)
from windlass.solvers.failure import Failure, NotConverged, UnstableEquilibrium, describe_jump
from windlass.solvers.given import COMMON, NEWTON, SOLVE, check_start
from windlass.solvers.linear.ordering import choose_storage
from windlass.solvers.linear.packages import refine
from windlass.solvers.newton.kept import Lease
from windlass.solvers.newton.newton import Newton
from windlass.solvers.newton.problem import NonlinearProblem
from windlass.solvers.newton.scheme import Scheme
from windlass.solvers.own_options import OVERSHOOT, PASSES_FROM, STATIC_OPTIONS, own_option
from windlass.solvers.step_solver import StepSolver, create_failure, describe_problem
from windlass.solvers.stepping.discontinuous import ContactHistory, Passes, StepAttempt, iterate
from windlass.solvers.stepping.step_control import StepControl, StepSizes
from windlass.solvers.verdicts.verdict import SMALL_ERROR, Verdict, judge_end, judge_hold, judge_jumps, judge_mesh

ADVICE = (
    "start nearer to the equilibrium (slack lines: from a `catenary`), try more load steps for large motions and "
    "contact, geometric=True for strong prestress; a stabiliser only for parts that nothing holds; "
    "-static_snes_monitor shows the iterations"
)

MOST_LOAD_STEPS = 10**6
LOAD_STEPS = StepControl(cut=0.25, growth=2.0, easy_steps=4)
USES = 8
"""Number of evaluations of residuals in this process after which PETSc calls compiled callbacks. Most runs with one
static solve need fewer evaluations, so loading the machine code of the callbacks would cost more time than it saves.
"""
LONG = 40
"""Number of Newton iterations of the first load step. Above this number, form-finding begins if the load step also
needs more than one pass.
"""
NEAR = 1.0
"""Largest ratio [1] of the force error of a pass to the largest contact force. Up to this ratio, the next pass starts
from the solution of this pass.
"""
UNSETTLED = 0.1
"""Ratio [1] of the size of a load step to the nominal size. Up to this ratio, a load step is accepted although its
contact states have not settled, unless it is the last load step.
"""


FINER, FINEST = 5, 125
"""Two numbers: the factor by which the number of load steps increases if contacts are not settled at full load, and the
largest product of such factors.
"""
LIGHT = 0.1
"""Fraction [1] of the loads for which form-finding computes the shape of lines without friction."""
PAID_OUT = "load steps failed: lines were pulled taut and paid out to their length under all loads"
WITHOUT_FRICTION = "lines got their shape without friction under a tenth of the loads: friction acts as the loads grow"


class SlackLines(Exception):
    """Exception that is raised within `Static` if form-finding is needed: lines become slack in the load steps, or the
    load steps fail or need many iterations.
    """


class StepsFailed(Exception):
    """Exception that is raised within `Static` if the load steps have failed, or have ended with unsettled contacts,
    and lines have not been paid out yet. The function ``fail`` ends the solve with an error. Without ``fail`` the load
    steps are repeated, and their result is accepted.
    """

    def __init__(self, fail: Callable[[], None] | None = None) -> None:
        super().__init__()
        self.fail = fail


class FewSteps(Exception):
    """Exception that is raised within `Static` if contacts are unsettled at the end of the load steps after
    form-finding without friction. These load steps are then repeated in smaller steps.
    """


class Static(StepSolver):
    """Solver that computes the static equilibrium of a world in load steps.

    The load factor scales only the applied loads. The load factor does not scale prestrain and offsets. Velocities are
    0 in all forces, unless ``velocities`` is "given". The value "given" is intended for ropes that run along a steady
    shape. The forces then depend on the velocities of the rope, but the nodes do not move. The states of first-order
    differential equations (such as filters and hydraulics) have their steady values.

    Args:
        world: the model.
        load_steps: number of load steps, at most a million.
        geometric: whether the load factor increases from 1/load_range to 1 by a constant ratio from step to step.
            Otherwise the load factor after step i is i/load_steps.
        load_range: if ``geometric``, ratio [1] of the last to the smallest load factor.
        stabiliser: factor [1/s^2] in the additional force (1 - load_factor^2) * stabiliser * M (q - q_start). M is the
            mass matrix, and q_start are the coordinates at the start of the load step.
        time: time [s] at which loads and offsets that are functions of time are evaluated; default: the time of the
            state.
        rtol, atol, max_it: default tolerances and default largest number of iterations of Newton's method, see
            `Newton`.
        passes: default settings of contact passes, see `Passes`.
        decide_at_start: whether the initial state determines which contacts are closed and which stick. With False,
            contacts keep their stored states. False is necessary to reproduce data of other programs.
        decide_in_newton: number of residual evaluations at the beginning of the first Newton run of a load step. In
            these evaluations, contact points of cables can change between open and closed, and between stick and slip.
            With 0, contact states change only between Newton runs.
        overshoot: treatment of residuals that fulfil the relative tolerance only because the first correction of
            Newton's method was much too large. Such a correction increases the residual to which the tolerance refers.
            With "check", residuals must also be small relative to loads, reactions and inertia. With "accept", such
            residuals are accepted, even if they are not small relative to these values. "accept" is necessary to
            reproduce data of other programs.
        passes_from: initial values of the passes (Newton runs) of a load step. With "near", a pass starts from the
            solution of the previous pass if the force error of that solution is at most the largest contact force. With
            "step", all passes start from the last converged state. "step" is necessary to reproduce data of other
            programs.
        stability: treatment of an equilibrium that is unstable or whose shape is implausible. With "follow", the solver
            continues along decreasing potential energy to a stable equilibrium and prints a note. With "check", the
            solver raises an error. With "off", stability is not checked.
        velocities: velocities at which forces are evaluated. With "zero", all forces are evaluated at velocities 0.
            With "given", all forces are evaluated at the initial velocities. Inertia forces that are quadratic in
            velocities are included, and accelerations are 0. The value "given" is intended for steady motion of
            material along a shape that does not move.
        adaptive: whether the size of a load step is reduced to a quarter after a failure. The size increases again
            after 4 steps without failure.
        prefix: options prefix.
        name: name of this solve in the progress line; empty for no name.

    Attributes:
        statistics: numbers of steps and iterations, and elapsed time, see `Statistics`.
        verdict: whether the last result can be trusted, see `Verdict`.
        state: the last state. After an interrupted or failed solve, ``state`` is the last good state.
        snes: the PETSc solver.
        failed_attempts: (load factor, size of the load step, reason) of each rejected attempt.
        reached: progress [1] at the end of the last accepted load step, from 0 to 1. After step i, the progress is
            i/load_steps.
    """

    @checked(
        load_steps=whole(1, brief=True, maximum=MOST_LOAD_STEPS, why="as each is a separate equilibrium"),
        geometric=yes_no(),
        load_range=number("1", above=0.0),
        stabiliser=number("1/s^2", minimum=0.0),
        time=optional(number("s")),
        decide_in_newton=whole(0),
        overshoot=word(*OVERSHOOT),
        passes_from=word(*PASSES_FROM),
        stability=word("follow", "check", "off"),
        velocities=word("zero", "given"),
        **COMMON,
        **NEWTON,
    )
    def __init__(
        self,
        world: World,
        *,
        load_steps: int = 1,
        geometric: bool = False,
        load_range: float = 1e4,
        stabiliser: float = 0.0,
        time: float | None = None,
        rtol: float = 1e-8,
        atol: float = 1e-10,
        max_it: int = 25,
        passes: Passes | None = None,
        decide_at_start: bool = True,
        decide_in_newton: int = 10,
        overshoot: str = "check",
        passes_from: str = "near",
        stability: str = "follow",
        velocities: str = "zero",
        adaptive: bool = True,
        prefix: str = "static_",
        name: str = "static",
    ) -> None:
        if geometric and not load_range > 1.0:
            raise ModelError(f"load_range = {load_range} in Static: must be > 1 [1]")
        self.stability = own_option(STATIC_OPTIONS, prefix, "stability", stability)
        self._moves = own_option(STATIC_OPTIONS, prefix, "velocities", velocities) == "given"
        super().__init__(world, prefix, name, "")
        self.load_steps, self.geometric, self.load_range = load_steps, geometric, load_range
        self.stabiliser, self.time, self._adaptive = stabiliser, time, adaptive
        self.passes = (passes or Passes()).with_options(prefix)
        self._decides = own_option(STATIC_OPTIONS, prefix, "decide_at_start", decide_at_start)
        self._begins_near = own_option(STATIC_OPTIONS, prefix, "passes_from", passes_from) == "near"
        mapped = own_option(STATIC_OPTIONS, prefix, "decide_in_newton", decide_in_newton)
        # On several processes the matrix is stored by rows, because checks of the tangent need matrices in PETSc's own
        # format, and nearly singular tangents need MUMPS.
        storage = choose_storage(self.assembly, prefix) if self.assembly.layout.size == 1 else Storage.ROWS
        overshoot = own_option(STATIC_OPTIONS, prefix, "overshoot", overshoot)

        def create() -> Newton:
            newton = Newton(NonlinearProblem(self.assembly, prefix, storage), rtol, atol, max_it, overshoot)
            newton.problem.uses = USES
            if newton.problem.pattern.block > 1:
                refine(newton.snes.getKSP())
            return newton

        self._lease = Lease(self, self.assembly, (prefix, storage, rtol, atol, max_it, overshoot), create)
        self.newton = self._lease.newton
        self.problem = self.newton.problem
        self._maps = self.assembly.processes.any(any(system.return_map.rest for system in self.assembly.systems))
        self._mapped = mapped if self._maps and not self._moves else 0
        self._error, self._from, self.reached = 0.0, 0.0, 0.0
        self._lines: Lines | None = None
        self._rubs, self._retries, self._undecided, self._payable = False, False, False, False
        self._steps, self._plain, self._given = 0, False, np.zeros(0)
        self._finer = FINEST
        watched = self.stability != "off" and options.verdict_kind() != "off"
        self._held: dict[str, Any] = {}
        self._watch, self._jumps = JumpWatch(self.problem) if watched else None, list[str]()
        self._coarse: list[str] = []
        self._lost = ""

    @property
    def snes(self) -> Any:
        """The PETSc solver."""
        # the user may change settings, which must not affect other solvers
        self._lease.end()
        return self.problem.snes

    @checked(progress=number("1"))
    def load_factor(self, progress: float) -> float:
        """Return the load factor for a progress from 0 to 1 (progress = i / load_steps after the i-th step)."""
        if not self.geometric or self.load_steps == 1:
            return progress
        steps = progress * self.load_steps
        if steps < 1.0:
            return steps / self.load_range
        return float(self.load_range ** ((steps - self.load_steps) / (self.load_steps - 1)))

    def _find_progress(self, load_factor: float) -> float:
        """Return the progress at which the load factor has a given value. With ``geometric``, the result is at least
        the progress of the first step.
        """
        if not self.geometric or self.load_steps == 1:
            return load_factor
        steps = self.load_steps + (self.load_steps - 1) * np.log(load_factor) / np.log(self.load_range)
        return float(max(steps, 1.0) / self.load_steps)

    @checked(state=SOLVE["state"], hooks=SOLVE["hooks"])
    def solve(self, state: State | None = None, hooks: Sequence[Hook] = ()) -> State:
        """Find the equilibrium and return its state. The velocities and accelerations of this state are the values of
        the initial state.

        The returned state has the time of the solve, which is ``time`` if given.

        Args:
            state: initial state (default: initial values of the nodes), which stays unchanged. Multipliers start from
                0.
            hooks: user code around load steps.

        Raises:
            ModelError: coordinates have no stiffness, or the first tangent is singular. The message names these
                coordinates.
            NotConverged: a load step failed at the smallest step size, or the equilibrium is not stable (the error then
                contains the unstable equilibrium).
        """
        current = local_state(self.assembly, state)
        check_start(self, state, current)
        if options.help_requested():
            return current
        all_hooks = as_hooks(hooks)
        with self._keep(current), SolveCheckpoint(self, all_hooks) as solve_checkpoint:
            self.reached = 0.0
            run_before_solve(all_hooks, current, current.t, self.load_steps)
            if solve_checkpoint.restore(current):
                self.statistics.end()
                run_stage(all_hooks, "finish", current)
            else:
                self._march(current, all_hooks, solve_checkpoint)
            solve_checkpoint.finish(current)
            # use the force error of the last load step, because contacts need not have settled in earlier steps
            found = [*judge_end(self._error), *judge_jumps(self._jumps), *judge_mesh(self._coarse)]
            self._conclude(current, all_hooks, [*found, *judge_hold(self._lost)])
        return current

    def _march(self, current: State, all_hooks: list[StepHook], solve_checkpoint: SolveCheckpoint) -> None:
        """Solve all load steps."""
        time = current.t if self.time is None else self.time
        # Hooks and the result use the time of the solve. The time of the initial state is stored, because the diagnosis
        # of a failed solve needs both times.
        self._from, current.t = current.t, time
        fields, self._given = self.assembly.fields, current.data.copy()
        if self._decides:
            self._decide(current, time)
        self._begin_verdict(current, 0.0)
        fields.data[:], fields.start_data[:] = current.data, current.data
        check_stiffness(self.newton, self._scheme(current, self.load_factor(1.0 / self.load_steps), time), current)
        release_dropped(self.assembly.comm)
        self.statistics.begin()
        self.progress.begin(0.0, 1.0)
        first, self._steps = current.copy(), self.statistics.steps
        # The result of an earlier solve is an equilibrium and needs no form-finding. Therefore slack lines are sought
        # only if the initial state does not result from a solve.
        seeks = self.stability == "follow" and current.step == 0
        self._lines = find_lines(self.newton, self._scheme(current, 1.0, time)) if seeks else None
        lines, slack = self._lines, self._lines is not None and self._lines.are_slack()
        # friction would prevent the motion of lines during form-finding, so with friction the solver tries load steps
        # without form-finding first
        self._rubs = self._retries = lines is not None and bool(find_switchable(self.assembly, FRICTION))
        formed, ended, self._finer, self._payable = 0.0, False, FINEST, seeks
        if slack and not self._rubs:
            formed = self._find_form(lines, current, time)
        shape = current.copy() if formed else first
        while not ended:
            try:
                begin = current.copy() if formed else first
                self._take_steps(begin, current, time, all_hooks, solve_checkpoint, formed)
                ended = True
            except SlackLines:
                current.assign(first)
                self.statistics.steps, self._finer = self._steps, FINEST
                looks = self._rubs or self._lines is not None
                formed = self._find_form(lines, current, time) if looks else 0.0
                self._retries = 0.0 < formed < 1.0
                shape = current.copy()
                if self._retries:
                    self._finer = 1
            except StepsFailed as error:
                self._payable = self._retries = False
                self._lines, self.statistics.steps = None, self._steps
                if self._pay_out(first, current, time):
                    formed, self._finer = 1.0, FINEST
                    self.verdict.notes.append(PAID_OUT)
                elif error.fail is not None:
                    error.fail()
                else:
                    current.assign(shape)
            except FewSteps:
                current.assign(shape)
                self.statistics.steps, self._finer = self._steps, self._finer * FINER
        if 0.0 < formed < 1.0:
            self.verdict.notes.append(WITHOUT_FRICTION)
        current.start_data[:] = current.data
        self._stop(current, all_hooks)

    def _find_form(self, lines: Lines | None, current: State, time: float) -> float:
        """Compute the shape of lines by form-finding. For models with friction, form-finding computes the shape without
        friction and under small loads, see `LIGHT`.

        Returns:
            The progress at whose load factor the computed shape is in equilibrium; 0 if no shape was found.
        """
        assert lines is not None
        self._lines, light, self._rubs = None, self._rubs, False
        progress = self._find_progress(LIGHT) if light else 1.0
        lines.load *= self.load_factor(progress)
        self.assembly.load_fields(current)
        begin_step(self.assembly.fields, self.assembly.layout.reference, current)

        with without_friction(self.assembly) if light else nullcontext():
            scheme = self._scheme(current, self.load_factor(progress), time)
            finder = FormFinder(self.newton, lines, scheme, current.copy(), self._create_decision(time))
            found = finder.find()
        self.statistics.newton_iterations += finder.spent
        if found:
            self.statistics.forms += 1
            current.q[:] = finder.q
            decide = self._create_decision(time)
            if decide is not None:
                decide(current)
        return progress if found else 0.0

    def _create_decision(self, time: float) -> Callable[[State], None] | None:
        """Create the function that determines the contact states of a state without history values. Return None if
        contacts keep their history values.
        """

        def decide(state: State) -> None:
            state.data[:] = self._given
            self._decide(state, time)

        return decide if self._decides else None

    def _pay_out(self, first: State, current: State, time: float) -> bool:
        """Compute an equilibrium by paying out lines, see `LinePayer`, from the state ``first`` at the start of the
        solve. Store the equilibrium in ``current``, and return whether an equilibrium was found.
        """
        fields, state = self.assembly.fields, first.copy()
        self.assembly.load_fields(state)
        begin_step(fields, self.assembly.layout.reference, state)
        scheme = self._scheme(state, 1.0, time)
        lines = find_lines(self.newton, scheme, every=True)
        if lines is None:
            return False
        payer = LinePayer(self.newton, lines, scheme, state, self._create_decision(time))
        found = payer.find()
        self.statistics.newton_iterations += payer.spent
        if found:
            self.statistics.forms += 1
            current.assign(first)
            current.q[:], current.data[:] = payer.q, fields.data
        return found

    def _take_steps(
        self,
        first: State,
        current: State,
        time: float,
        all_hooks: list[StepHook],
        solve_checkpoint: SolveCheckpoint,
        formed: float,
    ) -> None:
        """Solve all load steps. If form-finding has found the shape under all loads, only one step is made. If
        form-finding has found the shape under small loads, the steps begin at these loads. The steps are repeated in
        smaller steps if contacts are not settled at full load. Without form-finding, the steps begin without loads.
        """
        more = self._finer if 0.0 < formed < 1.0 else 1
        nominal = 1.0 if formed == 1.0 else 1.0 / (more * self.load_steps)
        control = StepSizes(nominal, LOAD_STEPS, self._adaptive)
        start: State | None = None
        done, self._jumps, self._coarse, self._lost = formed if formed < 1.0 else 0.0, [], [], ""
        while done < 1.0 - 1e-9 * nominal:
            solve_checkpoint.check_interrupt(current)
            run_stage(overriding(all_hooks, "before_step"), "before_step", current)
            if self._decides:
                self.assembly.renew(current)
            current.start_data[:] = current.data
            start = current.copy() if start is None else start.assign(current)
            h, then = control.propose(done, 1.0)
            last = not control.can_cut(h)
            if self._watch is not None:
                self._watch.begin(start, self.load_factor(done), self.load_factor(then))
            try:
                attempt = self._attempt(start, current, self.load_factor(then), time, all_hooks, last)
            except KeyboardInterrupt:
                current.assign(start)
                raise
            if attempt.unsettled and then < 1.0 and h <= UNSETTLED * nominal:
                # accept the step: contacts would not settle in smaller load steps either, and only the last step must
                # be an equilibrium
                attempt.converged = True
            if attempt.converged and attempt.force == 0.0 and self._mapped and self._has_contact(start):
                attempt = self._keep_contact(attempt, start, current, self.load_factor(then), time, all_hooks)
            self.statistics.count(attempt, self.newton, self.passes)
            if not attempt.converged:
                self._reject(start, current, h, attempt, control, all_hooks)
                continue
            done = self.reached = then
            current.step += 1
            control.accept()
            self.statistics.steps += 1
            self.progress.step(done, h)
            jumps = self._watch is not None and self._watch.suspects(current, attempt.unsettled)
            if done >= 1.0 - 1e-9 * nominal:
                self._end(first, start, current, attempt, time, all_hooks)
            if jumps:
                self._trace_jump(current, time)
            run_stage(all_hooks, "after_step", current)

    def _end(
        self, first: State, begin: State, current: State, attempt: StepAttempt, time: float, hooks: list[StepHook]
    ) -> None:
        """Check the equilibrium at full load. If contacts have lost their friction, the solve is repeated. From an
        unstable equilibrium, the solve continues to a stable equilibrium.
        """

        latest = attempt

        def solve(q: FloatArray | None = None) -> StepAttempt | None:
            # the solve starts from the displacements q or, if q is None, from the present state with updated contacts
            nonlocal latest
            start, mapped = current.copy(), self._mapped
            if q is not None:
                start.q[:] = q
            elif not self._undecided:
                start.start_data[:] = current.start_data[:] = current.data
            else:
                # An iterate far from the solution may have closed contacts, and their friction may have changed the
                # solution. Therefore the step is repeated, and contact states change only between Newton runs.
                self._mapped = 0
            try:
                origin = start if self._mapped == mapped else begin
                found = self._attempt(origin, current, self.load_factor(1.0), time, hooks, last=True)
            finally:
                self._mapped = mapped
            self.statistics.count(found, self.newton, self.passes)
            if found.converged:
                latest = found
            if q is None and not found.converged:
                current.assign(start)
            return found if found.converged else None

        # contacts that close in a first solve lose their friction at the end of the load step
        limit = SETTLED_ERROR if self._maps and first.step == 0 else TOUCHING_ERROR
        lines, self._lines = self._lines, None
        self._error = balance(self.problem, attempt, self.passes, solve, limit)
        if self._error > SMALL_ERROR and lines is not None:
            self._lines = lines
            raise SlackLines
        if self._error > SMALL_ERROR and self._finer < FINEST:
            raise FewSteps
        if self._error > SMALL_ERROR and self._payable and self.passes.fail:
            raise StepsFailed
        if self.stability == "off":
            return
        # without a stabiliser, `check_stiffness` has found stiffness for all motions at the start
        held = first.q if self.stabiliser == 0.0 else None
        finding = left = examine(self.problem, held)
        hindrance = ""
        if finding and lines is not None and lines.are_slack():
            self._lines = lines
            raise SlackLines
        if finding and self.stability == "follow":
            self.newton.leave_blocks()
            scheme = self._scheme(current, 1.0, time)
            follower = Follower(self.newton, scheme, first, current.copy(), solve, held)
            left, hindrance = follower.follow(finding), follower.hindrance
            self.statistics.newton_iterations += follower.spent
            if not left:
                # contacts that have closed on the way to the stable equilibrium have lost their friction
                self._error = balance(self.problem, latest, self.passes, solve, limit)
                if self._error > SMALL_ERROR and self._payable and self.passes.fail:
                    raise StepsFailed
                left = examine(self.problem, held)
        if left and self._retries:
            raise SlackLines
        if left:
            words = describe_unstable(left, hindrance) + self._describe_compression(current, time)
            self._end_by_error(partial(self._refuse_unstable, words, current.copy(), hooks))
        self._coarse, self._lost = left.coarse, left.lost
        self.verdict.notes += say_findings(finding or None, left)

    def _end_by_error(self, fail: Callable[[], None]) -> None:
        """End the solve with the error that ``fail`` raises. If lines have not been paid out yet, raise `StepsFailed`
        instead.
        """
        if self._payable:
            raise StepsFailed(fail)
        fail()

    def _describe_compression(self, state: State, time: float) -> str:
        """Return a text about the largest compression of lines at a state, or an empty string if lines bear this
        compression.
        """
        lines = find_lines(self.newton, self._scheme(state, 1.0, time))
        compression = 0.0 if lines is None else lines.eval_compression()
        if not compression > 0.0:
            return ""
        return (
            f"; lines that bend freely are compressed by up to {compression:.4g} N, so they would fold: shorten them, "
            "or increase the friction of their contacts"
        )

    def _refuse_unstable(self, words: str, state: State, hooks: list[StepHook]) -> None:
        """End the solve with an error that contains an equilibrium that is not stable."""
        failure = Failure(words, 1.0, 0, 0.0, last_good=state)
        self._stop(state, hooks, failed=failure.describe())
        raise UnstableEquilibrium(failure, UNSTABLE_ADVICE)

    def _trace_jump(self, current: State, time: float) -> None:
        """Search for a jump of the equilibrium within the last load step: solve for equilibria at intermediate load
        factors.
        """
        watch, spent = self._watch, [0, 0]
        assert watch is not None

        def solve(start: State, load_factor: float, plain: bool = False) -> State | None:
            found, lines = start.copy(), self._lines
            self._plain, self._lines = plain, None
            self._held, applied = watch.hold(load_factor)
            try:
                attempt = self._attempt(start, found, applied, time, [], last=True)
            except NotConverged:
                return None
            finally:
                self._held, self._plain, self._lines = {}, False, lines
            spent[0] += attempt.iterations
            spent[1] += attempt.passes
            return found if attempt.converged and not attempt.unsettled else None

        words = watch.trace(current, solve)
        if words:
            self._jumps.append(words)
            self.statistics.newton_iterations += spent[0]
            self.statistics.discontinuous_iterations += spent[1]

    def _describe_solver(self) -> dict[str, Any]:
        return describe_problem(self.problem)

    def checkpoint(self) -> dict[str, Any]:
        """Return the statistics and the data of the verdict. See `Restartable`."""
        judged = {"jumps": self._jumps, "coarse": self._coarse, "error": self._error, "notes": self.verdict.notes}
        judged["lost"] = self._lost
        return super().checkpoint() | {"newton": self.newton.checkpoint()} | judged

    def restore(self, kept: Mapping[str, Any]) -> None:
        """Continue from values that `checkpoint` has returned."""
        super().restore(kept)
        self.newton.restore(kept["newton"])
        self._jumps, self._error = list(kept["jumps"]), float(kept["error"])
        self._coarse, self._lost = list(kept["coarse"]), str(kept.get("lost", ""))
        self.verdict = Verdict(notes=list(kept["notes"]))

    def reset_caches(self, state: State) -> None:
        """Delete factorisations and the contact candidates of neighbour searches. See `Restartable`."""
        self.newton.reset_caches()
        self.assembly.reset_caches()

    def _decide(self, current: State, time: float) -> None:
        """Determine contact states from the initial state. The velocities are 0, or the given velocities."""
        self.assembly.refresh()
        if not self.assembly.processes.any(self.assembly.has_decisions):
            return
        first, states = current.copy(), self.assembly.layout.states
        first.v[:], first.t = first.v if self._moves else 0.0, time
        first.v[states] = current.v[states]
        self.assembly.decide(first)
        current.data[:] = first.data

    def _scheme(self, start: State, load_factor: float, time: float) -> Scheme:
        stabiliser, states = (1.0 - load_factor**2) * self.stabiliser, self.assembly.layout.states
        q, v = start.q.copy(), start.v.copy() if self._moves else np.zeros_like(start.q)
        v[states] = start.v[states] - q[states]
        seen: dict[str, Any] = {"t": time, "load_factor": load_factor, "stabiliser": stabiliser, "moving": self._moves}
        return Scheme(q, v, **seen, q_anchor=q, **self._held)

    def _attempt(
        self, start: State, current: State, load_factor: float, time: float, hooks: list[StepHook], last: bool
    ) -> StepAttempt:
        """Attempt to solve a load step. All passes of the attempt use the history values at the start of the load step.

        Each pass starts from the last converged state. If the force error of the solution of the previous pass is
        small, the pass starts from this solution. If Newton's method does not converge, it is repeated with other
        initial values, with a line search, and after a relaxation. If later passes do not converge, the load step is
        solved by implicit steps, see `_settle`.
        """
        contacts = ContactHistory.of(self.assembly, start, current, hooks)

        def newton(attempt: StepAttempt) -> bool:
            scheme, guess = self._scheme(start, load_factor, time), None
            near = self._begins_near and 0.0 < attempt.error <= NEAR * attempt.force
            if near and not len(self.assembly.layout.states):
                guess = current.q - start.q, current.lam
            fields = self.assembly.fields
            mapped = self._mapped if attempt.passes == 1 else 0
            before = fields.data.copy() if mapped else None
            fields.mapped[0] = mapped
            try:
                run = self.newton.solve(scheme, guess=guess)
            finally:
                ended, fields.mapped[0] = fields.mapped[0] <= 0.0, CONSTANT
            attempt.iterations += run.iterations
            if attempt.passes == 1:
                self._undecided = mapped > 0 and ended and run.converged
            if before is not None and not run.converged:
                # reset the contact states to their values at the start of the step
                fields.data[:] = before
                run = self.newton.solve(scheme, guess=guess)
                attempt.iterations += run.iterations
            if guess is not None and not run.converged:
                run = self.newton.solve(scheme)
                attempt.iterations += run.iterations
            if self._plain and not run.converged:
                return False
            self._look_at_lines(attempt, run.converged)
            if not run.converged:
                # factorisation in blocks can be inaccurate in states far from equilibrium, even with iterative
                # refinement
                self.newton.leave_blocks()
                run = self.newton.solve(scheme, damped=True)
                attempt.iterations += run.iterations
            if "DIVERGED_LINEAR_SOLVE" in run.reason:
                # In some models the geometric stiffness due to a joint force is the only support of a body. The
                # predictor sets joint forces to 0, so this Newton run starts from the previous joint forces.
                run = self.newton.solve(scheme, guess=(np.zeros_like(start.q), start.lam))
                attempt.iterations += run.iterations
            if not run.converged:
                self._look_at_lines(attempt, gives_up=True)
                scheme.q0, spent = relax(self.newton, scheme, start.copy())
                run = self.newton.solve(scheme)
                attempt.iterations += spent + run.iterations
                self.statistics.relaxations += 1
            attempt.reason, attempt.history = run.reason, run.history
            if run.converged:
                self.problem.store_static(current)
            return run.converged

        # The argument 0.0 is the step size. With 0.0, contacts do not request a shorter step that ends at a change of
        # their state. The requested size would be a time, but the steps here are fractions of the load.
        attempt = iterate(self.passes, newton, contacts, 0.0, last)
        # after the first pass, changed contact states may be the reason why Newton's method fails
        if not attempt.converged and attempt.passes > 1 and not self._plain:
            self._look_at_lines(attempt, gives_up=True)
            settled = self._settle(start, current, self._scheme(start, load_factor, time), hooks)
            iterations, passes = settled.iterations + attempt.iterations, settled.passes + attempt.passes
            attempt = settled if settled.converged else attempt
            attempt.iterations, attempt.passes = iterations, passes
        return attempt

    def _has_contact(self, start: State) -> bool:
        """Return whether contacts exert forces at a state. The call is collective, and changes the fields."""
        ContactHistory.of(self.assembly, start, start.copy(), [])
        self.assembly.load_fields(start)
        return self.assembly.processes.largest([self.assembly.post_newton().force])[0] > 0.0

    def _keep_contact(
        self, attempt: StepAttempt, start: State, current: State, load_factor: float, time: float, hooks: list[StepHook]
    ) -> StepAttempt:
        """Repeat a load step in which all contacts have opened, with contact states that change only between Newton
        runs. Return the repeated step if some contacts remain closed, otherwise the given step.

        The first iterate can be far from the solution, because Newton's method moves points on a pulley that turns
        along a tangent of the pulley. If all contacts open at this iterate, pulleys no longer hold a belt.
        """
        fields, problem, opened = self.assembly.fields, self.problem, current.copy()
        scheme, unknowns, mapped = problem.scheme, problem.unknowns.copy(), self._mapped
        self._mapped = 0
        try:
            again = self._attempt(start, current, load_factor, time, hooks, last=True)
        except NotConverged:
            again = None
        finally:
            self._mapped = mapped
        if again is not None and again.converged and again.force > 0.0:
            again.iterations, again.passes = again.iterations + attempt.iterations, again.passes + attempt.passes
            return again
        current.assign(opened)
        problem.start(scheme, from_zero=False)
        unknowns.copy(problem.unknowns)
        fields.data[:], fields.start_data[:] = opened.data, start.data
        return attempt

    def _look_at_lines(self, attempt: StepAttempt, converged: bool = False, gives_up: bool = False) -> None:
        """Raise `SlackLines` if form-finding is possible, and one of these conditions holds: ``gives_up`` is true, the
        first load step needs many iterations, or Newton's method has not converged and lines are slack.
        """
        if self._lines is None:
            return
        is_long = self.statistics.steps == self._steps and attempt.passes > 1 and attempt.iterations > LONG
        if gives_up or is_long or not (converged or not self._lines.are_slack()):
            self.statistics.newton_iterations += attempt.iterations
            self.statistics.discontinuous_iterations += attempt.passes
            raise SlackLines

    def _settle(self, start: State, current: State, scheme: Scheme, hooks: list[StepHook]) -> StepAttempt:
        """Solve a load step by implicit steps that decrease the potential, see `settle_contacts`. This method is used
        if passes after the first pass have failed, for example because contact states change periodically.
        """

        def store() -> FloatArray:
            self.problem.store_static(current)
            return current.q.copy()

        self.statistics.settlings += 1
        contacts = partial(ContactHistory.of, self.assembly, start, current, hooks)
        return settle_contacts(self.newton, scheme, self.passes, contacts, store)

    def _reject(
        self, start: State, current: State, h: float, attempt: StepAttempt, control: StepSizes, hooks: list[StepHook]
    ) -> None:
        """Restore the start of a failed load step. Then reduce the load step, or end the solve with an error."""
        load_factor = self.problem.scheme.load_factor
        self._note_failure(load_factor, h, attempt.reason)
        current.assign(start)
        if not control.reject(h, np.inf, attempt.unsettled):
            if self._retries:
                raise SlackLines
            failure = create_failure(self.problem, attempt, load_factor, self.statistics.steps + 1, h)
            self.assembly.load_fields(current)
            faults = [f"at the start of the step: {words}" for words in summarise_faults(self.problem)]
            failure.diagnosis += [*describe_jump(self._from, self.time), *faults]
            if "LINEAR_SOLVE" in attempt.reason:
                free = find_free_motion(self.problem)
                failure.diagnosis += [f"nothing holds {free}"] if free else []
            self._end_by_error(partial(self._fail, failure, current.copy(), hooks, ADVICE))
