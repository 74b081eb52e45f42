"""Prescribed positions that jump within a step, such as ``lambda t: 0.0 if t < 0.5 else 1.0``.

No force moves masses at once: methods of index 3 would give what is prescribed the velocity of jump by step, those of
index 2 would not see the jump, or take its difference in time for a velocity.  Before each step the constraints on
positions that Python's functions drive are evaluated at both of its ends, with coordinates as they are.  A step in
which they change by more than `SMALL_JUMP`, and by more than `GROWTH` times the change in the step before, is halved as
in a search for roots: in smooth motion the larger half has about half of the change, a jump is in one half to the last.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.kernels.call import Call
from windlass.framework.kernels.program import Program
from windlass.framework.model.system import System, evaluate
from windlass.solvers.constraint_motion.constraint_rates import ConstraintRates
from windlass.solvers.constraint_motion.start import SMALL_JUMP, find_driven

GROWTH = 4.0
"""Change in a step per change in the step before from which a step is halved [1]."""
HALVINGS, SHARE = 30, 0.75
"""How often, and the share of the change that a half keeps where there is a jump [1]."""


class PrescribedWatch:
    """Looks whether prescribed positions jump.

    Args:
        assembly: the systems of this process.
    """

    def __init__(self, assembly: Assembly) -> None:
        self._assembly, self._rates = assembly, ConstraintRates(assembly)
        self._program, self._revision, self._size = Program([]), -1, 1.0
        self._c, self._forces = np.zeros(self._rates.count + 1), np.zeros(assembly.layout.spare + 1)
        self._which: NDArray[np.bool_] = np.zeros(self._rates.count, np.bool_)
        self._before, self._anywhere = np.zeros(self._rates.count), False

    def begin(self) -> None:
        """A solve begins; the fields hold its start."""
        self._size = 1.0 + self._assembly.processes.largest_of(np.abs(self._assembly.fields.x).max())
        self._before[:], self._revision = 0.0, -1

    def find_jump(self, t: float, then: float) -> str:
        """What jumps between two times [s], in words with its name, or an empty text; all processes together."""
        assembly = self._assembly
        if self._revision != assembly.revision:
            self._lay_down()
        if not self._anywhere:
            return ""
        now = assembly.fields.t
        first = self._eval(t)
        change = np.abs(self._eval(then) - first)
        floor = SMALL_JUMP * self._size
        suspects = self._which & (change > floor) & (change > GROWTH * self._before)
        words = ""
        if assembly.processes.any(bool(suspects.any())):
            words = self._halve(t, then, suspects, floor)
        assembly.fields.t = now
        self._before[:] = change
        return words

    def _lay_down(self) -> None:
        """Find the constraints on positions that functions of Python drive."""
        assembly = self._assembly
        self._revision = assembly.revision
        found = find_driven(assembly, _is_called) if self._rates.anywhere else self._which
        if assembly.processes.any(bool(found.any())):
            found = found & ~self._rates.find_rates()
        self._which, self._anywhere = found, assembly.processes.any(bool(found.any()))
        s = evaluate(assembly.fields, C=self._c, f=self._forces, rate_level=False)
        called = [system.constraint for system in assembly.systems if _is_called(system)]
        self._program = Program((constraint.residual, (s,)) for constraint in called if constraint is not None)

    def _eval(self, t: float) -> FloatArray:
        self._assembly.fields.t = t
        self._c[:] = 0.0
        self._program()
        return self._c[:-1].copy()

    def _halve(self, low: float, high: float, suspects: NDArray[np.bool_], floor: float) -> str:
        """Halve the time down to the jump of one of the suspects."""
        processes = self._assembly.processes
        first, last = self._eval(low), self._eval(high)
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            if not low < middle < high:
                break
            between = self._eval(middle)
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
    """Whether constraints have functions of time that Python calls."""
    constraint = system.constraint
    if constraint is None or constraint.driven is None or not np.any(constraint.driven):
        return False
    return not isinstance(constraint.residual, Call) or bool(constraint.residual.at_time)
