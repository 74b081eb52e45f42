"""Check for implausible shapes and overlaps at the start of a motion, and for implausible shapes during the motion.

If an overlap is larger than a contact law allows, the contact accelerates the bodies and creates energy. If the slope
of a cable at a node points more than 90° away from its chord, this shape is an effect of the mesh. Such a shape does
not occur in a finer mesh. The checks call `Checks.refusals` and `Checks.find_faults`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from windlass.framework.assembly.assembly import Assembly
from windlass.framework.command_line import options
from windlass.framework.errors import ModelError
from windlass.framework.state.hooks import IdleSteps
from windlass.framework.state.state import State
from windlass.solvers.names import shorten
from windlass.solvers.verdicts.watch import ALL, Watch

SHOWN = 3
"""Largest number of findings in a message."""
FOLD_ADVICE = "take more elements, a smaller step, or damping: no cable that a finer mesh has looks like this"
EVERY = 512
"""Largest number of steps between checks of shapes. The first checks are after 1, 2, 4, 8 ... steps."""
CUTS = 64
"""Largest number of attempts that are rejected in a run because of wrong shapes."""


def refuse_start(assembly: Assembly) -> None:
    """Raise ModelError for implausible shapes and overlaps at the initial state in the fields. The call is
    collective."""
    found = [*assembly.list_refusals(), *find_folds(assembly)]
    if found:
        raise ModelError(f"start of dynamics at t = {assembly.fields.t:.9g} s: {'; '.join(shorten(found, SHOWN))}")


def find_folds(assembly: Assembly) -> list[str]:
    """Return texts about shapes at the state in the fields that are certainly wrong. The call is collective."""
    return [fault.words for fault in assembly.find_faults() if fault.certain]


class ShapeWatch(Watch):
    """Check of shapes during a run. If one shape is wrong, the result is doubtful.

    Args:
        assembly: the systems of this process. Its fields contain the state that is checked.
        load: function that copies an accepted state to the fields; None if the fields already contain the state.
    """

    name = "shapes"

    def __init__(self, assembly: Assembly, load: Callable[[State], None] | None = None) -> None:
        self._assembly, self._load = assembly, load
        # text about the first wrong shape, time of the last check, number of steps, and index of the next step that is
        # checked
        self._words, self._seen, self._steps, self._next = "", 0.0, 0, 1
        # number of attempts that were rejected because of a wrong shape
        self._cuts = 0

    def begin(self, state: State, duration: float) -> None:
        """Begin the checks of a run, see `Watch.begin`."""
        self._words, self._seen, self._steps, self._next, self._cuts = "", state.t, 0, 1, 0

    def after_step(self, state: State, changed: bool) -> None:
        """End a step, see `Watch.after_step`."""
        self._steps += 1
        if self._steps >= self._next:
            self._next = min(2 * self._steps, self._steps + EVERY)
            if self._load is not None:
                self._load(state)
            self._look(state.t)

    def idle_steps(self, state: State) -> IdleSteps:
        """Return the coming steps that Python need not check, see `Watch.idle_steps`."""
        return IdleSteps(ALL, after=self._add_steps)

    def _add_steps(self, steps: int) -> None:
        self._steps += steps

    def finish(self, state: State, moved: bool) -> None:
        """Record the end of the run, see `Watch.finish`."""
        self._assembly.load_fields(state)
        self._look(state.t)

    def find_new(self) -> str:
        """Return a text about the first wrong shape at the end of a step, for the state in the fields. Return an empty
        text if there is no wrong shape, or if an earlier step already had a wrong shape.

        The call is collective. At most `CUTS` texts are returned in a run, because steps that are repeated with a
        smaller size may have wrong shapes, too.
        """
        if self._words or self._cuts >= CUTS:
            return ""
        folds = find_folds(self._assembly)
        self._cuts += bool(folds)
        return folds[0] if folds else ""

    def judge(self) -> list[str]:
        """Return reasons to doubt the result, see `Watch.judge`."""
        return [self._words] if self._words else []

    def explain(self) -> list[str]:
        """Return texts about the possible cause of a failed step."""
        return self.judge()

    def checkpoint(self) -> dict[str, Any]:
        """Return values that a resumed run needs."""
        kept = {"words": self._words, "seen": self._seen, "steps": self._steps, "next": self._next}
        return kept | {"cuts": self._cuts}

    def restore(self, kept: Mapping[str, Any]) -> None:
        """Continue from values that `checkpoint` has returned."""
        self._words, self._seen = str(kept["words"]), float(kept["seen"])
        # checkpoints of earlier versions do not contain ``cuts``
        self._steps, self._next, self._cuts = (int(kept.get(name, 0)) for name in ("steps", "next", "cuts"))

    def _look(self, t: float) -> None:
        """Check the shapes at the given time [s]. The call is collective."""
        if self._words or options.verdict_kind() == "off":
            return
        folds = find_folds(self._assembly)
        if folds:
            more = f" (and {len(folds) - 1} more)" if len(folds) > 1 else ""
            self._words = f"seen at t = {t:.9g} s, not yet at {self._seen:.9g} s: {folds[0]}{more}; {FOLD_ADVICE}"
        self._seen = t
