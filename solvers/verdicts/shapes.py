"""Shapes and overlaps that cannot be meant, where motion begins and on its way.

Contact that is closed deeper than its law knows drives bodies apart with an energy that nothing has given them, and a
cable that is turned inside out is none that a finer mesh has; see `Checks.refusals` and `Checks.find_faults`.
"""

from __future__ import annotations

from windlass.framework.assembly.assembly import Assembly
from windlass.framework.command_line import options
from windlass.framework.errors import ModelError
from windlass.framework.state.state import State
from windlass.solvers.names import shorten

SHOWN = 3
"""Findings that a message shows."""
FOLD_ADVICE = "take more elements, a smaller step, or damping: no cable that a finer mesh has looks like this"
EVERY = 512
"""Largest number of steps between looks at shapes; the first ones come after 1, 2, 4, 8 ... steps."""

JUMP_ADVICE = "prescribe positions without jumps, by a ramp, a smooth step or a table, or velocities"


def refuse_start(assembly: Assembly) -> None:
    """Raise ModelError for what cannot be meant at the fields, which hold the start; all processes together."""
    found = [*assembly.list_refusals(), *find_folds(assembly)]
    if found:
        raise ModelError(f"start of dynamics at t = {assembly.fields.t:.9g} s: {'; '.join(shorten(found, SHOWN))}")


def find_folds(assembly: Assembly) -> list[str]:
    """Shapes at the fields that are certainly wrong, in words; all processes together."""
    return [fault.words for fault in assembly.find_faults() if fault.certain]


class ShapeWatch:
    """Looks at shapes on the way of a run; what is wrong once makes its result doubtful.

    Args:
        assembly: the systems of this process; its fields hold the state that is looked at.

    Attributes:
        words: the first shape that was wrong, with its time, or an empty text.
    """

    def __init__(self, assembly: Assembly) -> None:
        self._assembly, self.words, self._seen = assembly, "", 0.0

    def begin(self, t: float) -> None:
        """A run begins or goes on at a time [s]."""
        self._seen = t

    def look(self, t: float) -> None:
        """Look at the shapes of a time [s]; all processes together."""
        if self.words or options.verdict_kind() == "off":
            return
        folds = find_folds(self._assembly)
        if folds:
            more = f" (and {len(folds) - 1} more)" if len(folds) > 1 else ""
            self.words = f"seen at t = {t:.9g} s, not yet at {self._seen:.9g} s: {folds[0]}{more}; {FOLD_ADVICE}"
        self._seen = t

    def judge(self, state: State) -> str:
        """A reason for doubt in words, or an empty text, with a last look at the state at the end."""
        self._assembly.load_fields(state)
        self.look(state.t)
        return self.words


def find_next_look(steps: int) -> int:
    """The number of steps after which shapes are looked at again."""
    return min(2 * steps, steps + EVERY)
