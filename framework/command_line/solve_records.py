"""What all solves of a run have cost, as JSON: the file of the option -statistics; and the state at their end."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from windlass.framework.command_line import options
from windlass.framework.errors import OutputError
from windlass.framework.files.whole_files import replace_file

_solves: list[dict[str, Any]] = []


def note_solve(describe: Callable[[], dict[str, Any]]) -> None:
    """A solve has ended: write its counts, times and memory beside those of the solves before; all processes together.

    Args:
        describe: gives them; it is called with -statistics alone.

    Raises:
        OutputError: the file cannot be written.
    """
    path = str(options.own_value("statistics"))
    if not path:
        return
    _solves.append(describe())
    if options.process_rank() == 0:
        try:
            replace_file(Path(path), f"{json.dumps(_solves, indent=2)}\n".encode())
        except OSError as error:
            raise OutputError(f"-statistics {path}: {error.strerror}") from error


def final_state_path() -> Path | None:
    """The file of -final_state for the state at the end of each solve; None if none is wanted."""
    return Path(text) if (text := str(options.own_value("final_state"))) else None
