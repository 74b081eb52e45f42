"""Shapes and overlaps that cannot be meant, where motion begins and on its way.

Contact that is closed deeper than its law knows drives bodies apart with an energy that nothing has given them, and a
cable that is turned inside out is none that a finer mesh has; see `Checks.refusals` and `Checks.find_faults`.
"""

from __future__ import annotations

from windlass.framework.assembly.assembly import Assembly
from windlass.framework.errors import ModelError
from windlass.solvers.names import shorten

SHOWN = 3
"""Findings that a message shows."""
EVERY = 512
"""Largest number of steps between looks at shapes; the first ones come after 1, 2, 4, 8 ... steps."""

JUMP_ADVICE = "prescribe positions without jumps, by a ramp, a smooth step or a table, or velocities"
FOLD_ADVICE = "take more elements, a smaller step, or damping; no cable that a finer mesh has looks like this"


def refuse_start(assembly: Assembly) -> None:
    """Raise ModelError for what cannot be meant at the fields, which hold the start; all processes together."""
    found = [*assembly.list_refusals(), *find_folds(assembly)]
    if found:
        raise ModelError(f"start of dynamics at t = {assembly.fields.t:.9g} s: {'; '.join(shorten(found, SHOWN))}")


def find_folds(assembly: Assembly) -> list[str]:
    """Shapes at the fields that are certainly wrong, in words; all processes together."""
    return [fault.words for fault in assembly.find_faults() if fault.certain]


def find_next_look(steps: int) -> int:
    """The number of steps after which shapes are looked at again."""
    return min(2 * steps, steps + EVERY)
