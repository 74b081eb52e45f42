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

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.kernels.call import Call
from windlass.framework.kernels.program import Program
from windlass.framework.model.system import System, evaluate
from windlass.framework.state.state import State
from windlass.solvers.constraint_motion.constraint_rates import ConstraintRates
from windlass.solvers.constraint_motion.start import SMALL_JUMP, find_driven
from windlass.solvers.verdicts.watch import Watch

GROWTH = 4.0
"""Change in a step per change in the step before from which a step is halved [1]."""
HALVINGS, SHARE = 30, 0.75
"""How often, and the share of the change that a half keeps where there is a jump [1]."""


class PrescribedWatch(Watch):
    """Looks whether prescribed positions jump.

    Args:
        assembly: the systems of this process.
    """

    name = "prescribed"
    advice = "prescribe positions without jumps, by a ramp, a smooth step or a table, or velocities"

    def __init__(self, assembly: Assembly) -> None:
        self._assembly, self._rates = assembly, ConstraintRates(assembly)
        self._program, self._revision, self._size = Program([]), -1, 1.0
        self._c, self._forces = np.zeros(self._rates.count + 1), np.zeros(assembly.layout.spare + 1)
        # the constraints that are looked at, and by how much they changed in the step before
        self._places: IntArray = np.zeros(0, np.int64)
        self._before: list[float] = []
        self._anywhere = False

    def start(self, state: State, seen: bool) -> list[str]:
        """See `Watch`."""
        self._size = 1.0 + self._assembly.processes.largest_of(np.abs(self._assembly.fields.x).max())
        self._revision, self._before = -1, [0.0] * len(self._places)
        return []

    def refuse(self, t: float, then: float) -> str:
        """What jumps between two times [s], in words with its name, or an empty text."""
        assembly = self._assembly
        if self._revision != assembly.revision:
            self._lay_down()
        if not self._anywhere:
            return ""
        now, floor, places = assembly.fields.t, SMALL_JUMP * self._size, self._places
        # few constraints are driven: their numbers go through Python quicker than through arrays
        first = self._eval(t)[places].tolist()
        last = self._eval(then)[places].tolist()
        change = [abs(b - a) for a, b in zip(first, last, strict=True)]
        pairs = zip(change, self._before, strict=True)
        suspects = [size > floor and size > GROWTH * before for size, before in pairs]
        words = ""
        if assembly.processes.any(True in suspects):
            which = np.zeros(self._rates.count, np.bool_)
            which[places] = suspects
            words = self._halve(t, then, which, floor)
        assembly.fields.t, self._before = now, change
        return words

    def _lay_down(self) -> None:
        """Find the constraints on positions that functions of Python drive."""
        assembly = self._assembly
        self._revision = assembly.revision
        found = np.zeros(0, np.bool_)
        if self._rates.anywhere:
            found = find_driven(assembly, _is_called)
        if assembly.processes.any(bool(found.any())):
            found = found & ~self._rates.find_rates()
        places = np.flatnonzero(found)
        if not np.array_equal(places, self._places):
            self._places, self._before = places, [0.0] * len(places)
        self._anywhere = assembly.processes.any(bool(found.any()))
        s = evaluate(assembly.fields, C=self._c, f=self._forces, rate_level=False)
        called = [system.constraint for system in assembly.systems if _is_called(system)]
        self._program = Program((constraint.residual, (s,)) for constraint in called if constraint is not None)

    def _eval(self, t: float) -> FloatArray:
        """C at a time [s], shape (m,), always the same array."""
        self._assembly.fields.t = t
        self._c[:] = 0.0
        self._program()
        return self._c[:-1]

    def _halve(self, low: float, high: float, suspects: NDArray[np.bool_], floor: float) -> str:
        """Halve the time down to the jump of one of the suspects."""
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
    """Whether constraints have functions of time that Python calls."""
    constraint = system.constraint
    if constraint is None or constraint.driven is None or not np.any(constraint.driven):
        return False
    return not isinstance(constraint.residual, Call) or bool(constraint.residual.at_time)
