"""Selection of the checkpoints of a run. Checkpoints that options request have priority over checkpoints that the
script requests. If neither options nor the script request checkpoints, automatic checkpoints are written.
"""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from windlass.framework.command_line import options
from windlass.framework.command_line.checkpoint_options import declare
from windlass.framework.errors import OutputError
from windlass.framework.files.lock import OutputLock
from windlass.framework.launch import error_report
from windlass.framework.launch.arguments import model_arguments
from windlass.framework.restart.checkpoint import Checkpoint, process
from windlass.framework.state.hooks import StepHook


class Insurance(Checkpoint):
    """Automatic checkpoints for a script that requests no checkpoints. These checkpoints are written to a separate file
    at regular intervals of elapsed time.

    If a run is shorter than one interval, nothing is written. The file with the checkpoints is removed when the script
    ends without error. After a crash or an interruption the file remains. A failure to write the file is reported once
    and does not end the run.

    Args:
        minutes: elapsed time [min] between checkpoints.
    """

    is_unasked = True

    def __init__(self, minutes: float) -> None:
        self._stem = Path(sys.argv[0]).stem
        self._folder = Path.cwd()
        self.written: Path | None = None
        super().__init__(self._folder / f"{self._stem}.checkpoint.h5", minutes=minutes)
        self.every = 0

    def _prepare(self) -> None:
        """Do nothing, because the file is locked and checked at the first checkpoint."""

    def _replace(self, number: int, record: Mapping[str, Any]) -> None:
        try:
            if self.written is None:
                self._find_place()
            super()._replace(number, record)
        except (OutputError, TypeError) as error:
            self.clock.stop()
            print(f"automatic checkpoints are disabled: {error}", file=sys.stderr, flush=True)
            return
        if self.written is None:
            self.written = self.path
            atexit.register(self.remove)

    def _find_place(self) -> None:
        """Set ``path`` to a file that does not exist yet, and lock this file. An existing file must not be replaced,
        because it may contain the only results of an earlier run.
        """
        names = (f"{self._stem}.checkpoint{suffix}.h5" for suffix in ("", *(f"_{k}" for k in range(2, 1000))))
        for path in (self._folder / name for name in names):
            try:
                self._lock = OutputLock(path, "checkpoint file")
            except OutputError:
                if not os.access(self._folder, os.W_OK):
                    raise
                continue
            if not path.exists():
                self.path = path
                return
            self._lock.release()
        raise OutputError(f"'{self._folder}' is full of checkpoints: remove checkpoints that are no longer needed")

    def remove(self) -> None:
        """Remove the file of the automatic checkpoints if the script has ended without error."""
        if self.written is not None and not error_report.process["failed"]:
            self.written.unlink(missing_ok=True)


def find_checkpoint(hooks: Iterable[StepHook] = ()) -> Checkpoint | None:
    """Return the first of three objects that exists: the `Checkpoint` that options request, the first `Checkpoint` in
    the list of hooks, or the automatic checkpoints of the script. If none of them exists, return None.
    """
    if not process.asked:
        process.asked = True
        wish = declare(options.option)
        if wish.path is not None:
            auto = wish.restart is None and options.own_value("restart") == "auto" and not options.help_requested()
            process.from_options = Checkpoint(wish.path, wish.every, "auto" if auto else wish.restart, wish.minutes)
        elif wish.minutes > 0.0 and model_arguments() is not None and not options.help_requested():
            process.unasked = Insurance(wish.minutes)
    own = next((hook for hook in hooks if isinstance(hook, Checkpoint)), None)
    return process.from_options or own or process.unasked


def is_replaying() -> bool:
    """Return whether a restarted script is repeating solves of the interrupted run. The output files already contain
    the results of these solves.
    """
    find_checkpoint()
    return process.replaying is not None and process.replaying() is not None
