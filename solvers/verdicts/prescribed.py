"""Check whether a prescribed position jumps within a step. An example is ``lambda t: 0.0 if t < 0.5 else 1.0``.

A finite force cannot move a mass instantaneously. With methods of index 3, the velocities of prescribed coordinates
would be the jump divided by the step size. Methods of index 2 would ignore the jump, or would use the jump divided by
the step size as the velocity. The check is made for constraints that prescribe positions by Python functions of time.
Before each step, the change of each such constraint in the step is computed for constant coordinates. If a constraint
changes by more than `SMALL_JUMP`, and by more than `GROWTH` times the change in the previous step, the time interval of
the step is bisected. In smooth motion, each half of the interval contains about half of the change. If there is a jump,
one of the halves contains the jump.

If constraints are fulfilled at the start of a step, their changes in the step are equal to their values at the end of
the step (for constant coordinates). Because of the drift of the integration method, changes and values differ slightly.
Nevertheless the constraints are usually evaluated only at the end of the step. In two cases, the constraints are
evaluated at both ends of the step: their values at the ends of steps increase from step to step, or the drift is
checked after `EVERY` steps.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.array_kernels import clear
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.kernels.call import Call, call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.kernels.program import NO_CALLS, Program, Step
from windlass.framework.model.system import System, evaluate
from windlass.framework.state.hooks import NO_STEPS, IdleSteps
from windlass.framework.state.state import State
from windlass.solvers.constraint_motion.constraint_rates import ConstraintRates
from windlass.solvers.constraint_motion.start import SMALL_JUMP, find_driven
from windlass.solvers.verdicts.watch import ALL, Watch

GROWTH = 4.0
"""Ratio [1] of the constraint changes in a step and in the previous step. If the ratio is larger than this value, the
time interval of the step is bisected.
"""
HALVINGS = 30
"""Largest number of bisections of a step."""
SHARE = 0.75
"""Smallest fraction [1] of the constraint change of a bisected interval that one of its halves must contain. If no half
contains this fraction, the interval contains no jump.
"""


DRIFT = 0.25
"""Largest drift [1], relative to the smallest jump, for which the constraint values at the end of a step are used as
changes of the constraints in this step.
"""
EVERY = 64
"""Number of steps after which the drift is checked again."""
SMALLER = 1.5
"""Ratio [1] of constraint values at the ends of two successive steps. Above this value, the changes may differ by the
factor `GROWTH` if the values contain a drift of `DRIFT`.
"""


@kernel
def find_growth(
    c: FloatArray, places: IntArray, floor: FloatArray, sizes: FloatArray, before: FloatArray, grown: FloatArray
) -> None:
    """Check whether a constraint value in ``c``, shape (m + 1,), may have changed more than in smooth motion.

    Args:
        places: indices of the checked constraints in c, shape (k,).
        floor: change below which constraints are ignored, shape (1,).
        sizes: absolute constraint values of the previous step, replaced by the values of this step, shape (k,).
        before: output, absolute constraint values of the previous step, shape (k,).
        grown: output, shape (1,): 1 if any constraint may have changed more than in smooth motion, otherwise 0.
    """
    grown[0] = 0.0
    for k in range(len(places)):
        size = abs(c[places[k]])
        if size > (1.0 - DRIFT) * floor[0] and size > SMALLER * sizes[k]:
            grown[0] = 1.0
        before[k], sizes[k] = sizes[k], size


class PrescribedWatch(Watch):
    """Check of prescribed positions for jumps before each step.

    Args:
        assembly: the systems of this process.
    """

    name = "prescribed"
    advice = "prescribe positions without jumps, by a ramp, a smooth step or a table, or velocities"

    def __init__(self, assembly: Assembly) -> None:
        self._assembly, self._rates = assembly, ConstraintRates(assembly)
        self._program, self._look_program, self._revision = NO_CALLS, NO_CALLS, -1
        self._c, self._forces = np.zeros(self._rates.count + 1), np.zeros(assembly.layout.spare + 1)
        self._floor, self._grown = np.zeros(1), np.zeros(1)
        # the indices of the checked constraints, and |C| of these constraints at the ends of this step and of the
        # previous step
        self._places: IntArray = np.zeros(0, np.int64)
        self._sizes, self._before = np.zeros(0), np.zeros(0)
        # change of the constraints during the previous step, or None if unknown
        self._change: FloatArray | None = None
        self._anywhere, self._wait = False, 0

    def start(self, state: State, seen: bool) -> list[str]:
        """Prepare the checks of the first step, see `Watch.start`."""
        size = 1.0 + self._assembly.processes.largest_of(np.abs(self._assembly.fields.x).max())
        self._floor[0], self._sizes[:], self._change = SMALL_JUMP * size, 0.0, None
        self._revision, self._wait = -1, 0
        return []

    def before_step(self, state: State, h: float, moved: bool) -> None:
        """Prepare the check of the next step."""
        if self._revision != self._assembly.revision:
            self._lay_down()

    def idle_steps(self, state: State) -> IdleSteps:
        """Return no steps if positions are prescribed, because every step is checked."""
        return NO_STEPS if self._anywhere else IdleSteps(ALL)

    def refuse(self, t: float, then: float) -> str:
        """Return a text with the constraints that jump between two times [s], or an empty string."""
        assembly = self._assembly
        if not self._anywhere:
            return ""
        fields, self._wait = assembly.fields, self._wait - 1
        now, fields.t = fields.t, then
        self._look_program()
        looks, words = self._grown[0] != 0.0 or self._wait < 0, ""
        if assembly.layout.size > 1:
            looks = assembly.processes.any(looks)
        if looks:
            words = self._look(t, then)
        else:
            self._change = None
        fields.t = now
        return words

    def _look(self, t: float, then: float) -> str:
        """Return a text with the constraints that jump between two times [s], or an empty string. The constraints are
        evaluated at both times."""
        processes, floor, places = self._assembly.processes, float(self._floor[0]), self._places
        first = self._eval(t)[places]
        change = np.abs(self._eval(then)[places] - first)
        drifts = processes.any(bool((np.abs(first) > DRIFT * floor).any()))
        suspects = change > floor
        if self._change is not None:
            suspects &= change > GROWTH * self._change
        elif not drifts:
            suspects &= change > 0.5 * GROWTH * self._before
        self._change, self._wait = change, 0 if drifts else EVERY
        if not processes.any(bool(suspects.any())):
            return ""
        which = np.zeros(self._rates.count, np.bool_)
        which[places] = suspects
        return self._halve(t, then, which, floor)

    def _lay_down(self) -> None:
        """Collect the constraints on positions that have Python functions of time, and create the compiled programs
        that evaluate these constraints."""
        assembly = self._assembly
        self._revision = assembly.revision
        found = np.zeros(0, np.bool_)
        if self._rates.anywhere:
            found = find_driven(assembly, _is_called)
        if assembly.processes.any(bool(found.any())):
            found = found & ~self._rates.find_rates()
        places, self._wait = np.flatnonzero(found), 0
        if not np.array_equal(places, self._places):
            self._places, self._sizes, self._before = places, np.zeros(len(places)), np.zeros(len(places))
            self._change = None
        self._anywhere = assembly.processes.any(bool(found.any()))
        s = evaluate(assembly.fields, C=self._c, f=self._forces, rate_level=False)
        called = [system.constraint for system in assembly.systems if _is_called(system)]
        steps: list[Step] = [(call(clear, (self._c,)), (s,))]
        steps += [(constraint.residual, (s,)) for constraint in called if constraint is not None]
        grown = self._c, self._places, self._floor, self._sizes, self._before, self._grown
        self._program, self._look_program = Program(steps), Program([*steps, (call(find_growth, grown), (s,))])

    def _eval(self, t: float) -> FloatArray:
        """Return the values C of the constraints at a time [s], shape (m,). Each call overwrites the same array."""
        self._assembly.fields.t = t
        self._program()
        return self._c[:-1]

    def _halve(self, low: float, high: float, suspects: NDArray[np.bool_], floor: float) -> str:
        """Bisect the time interval to find a jump of one of the constraints ``suspects``. Return a text about the jump,
        or an empty string if there is no jump.
        """
        processes = self._assembly.processes
        first, last = self._eval(low).copy(), self._eval(high).copy()
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            if not low < middle < high:
                break
            between = self._eval(middle).copy()
            before, after = np.abs(between - first), np.abs(last - between)
            suspects = suspects & (np.maximum(before, after) > np.maximum(SHARE * np.abs(last - first), floor))
            most = processes.largest([float((part * suspects).max(initial=0.0)) for part in (before, after)])
            if max(most) == 0.0:
                return ""
            if most[0] > most[1]:
                high, last = middle, between
            else:
                low, first = middle, between
        jump = last - first
        jumps = suspects & (np.abs(jump) > floor)
        if not processes.any(bool(jumps.any())):
            return ""
        names = self._rates.describe(jumps, jump)
        return f"prescribed positions jump at t = {high:.9g} s: by ({names}) [m, rad, 1], must be < {floor:.3g}"


def _is_called(system: System) -> bool:
    """Return whether the constraints of a system have Python functions of time."""
    constraint = system.constraint
    if constraint is None or constraint.driven is None or not np.any(constraint.driven):
        return False
    return not isinstance(constraint.residual, Call) or bool(constraint.residual.at_time)
