"""Files that options request: results (-summary), step counts and times of solves (-statistics) and the last state
(-final_state).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from windlass.framework.command_line import options, summary_file
from windlass.framework.errors import OptionError
from windlass.framework.files.outputs import write_output

_solves: list[dict[str, Any]] = []


def write_summary(values: Mapping[str, Any]) -> None:
    """Write results to the file of ``-summary``, on the first process. Without ``-summary``, or with ``-help``, the
    call has no effect.

    Args:
        values: results by name. Results can be numbers, texts, None, NumPy arrays, and lists and dicts of such values.
            Numbers that are not finite are written as null. If the run has made solves, the entries ``verdict``
            (``"doubtful"`` if a solve is doubtful, otherwise ``"ok"``) and ``verdicts`` (the verdict of each solve) are
            added.

    Raises:
        OptionError: ``values`` is not a mapping.
        OutputError: the file cannot be written.
    """
    if not isinstance(values, Mapping):
        raise OptionError(f"values in write_summary is of type {type(values).__name__}: must be results by name")
    wanted = not options.help_requested() and options.process_rank() == 0
    summary_file.write(options.output_path("summary"), values, wanted)


def note_solve(describe: Callable[[], dict[str, Any]]) -> None:
    """Append counts, times and memory of a finished solve to the file of ``-statistics``. The call is collective.

    The function ``describe``, which returns these values, is called only if ``-statistics`` is given.

    Raises:
        OutputError: the file cannot be written.
    """
    path = options.output_path("statistics")
    if path is None:
        return
    _solves.append(describe())
    if options.process_rank() == 0:
        write_output(path, f"{json.dumps(_solves, indent=2)}\n".encode(), "-statistics", "statistics")


def final_state_path() -> Path | None:
    """Return the file for the state at the end of each solve (``-final_state``), or None if the option is not given."""
    return options.output_path("final_state")
