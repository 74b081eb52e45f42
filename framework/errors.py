"""Errors of Windlass.  Every message says what was given, what is allowed, and the unit."""

from __future__ import annotations

import os
import traceback
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


class WindlassError(Exception):
    """Base of all errors that Windlass raises on purpose."""

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows: lines of the user and the message; all lines with ``WINDLASS_TRACEBACK=1``."""
        frames = traceback.extract_tb(self.__traceback__)
        if os.environ.get("WINDLASS_TRACEBACK", "0") == "0":
            # the first frame is that of the notebook itself
            frames = traceback.StackSummary.from_list(
                [
                    frame
                    for frame in frames
                    if "IPython" not in Path(frame.filename).parts and not _is_own(frame.filename)
                ]
            )
        lines = "".join(traceback.format_list(frames)).splitlines()
        return [*lines, *"".join(traceback.format_exception_only(type(self), self)).splitlines()]


def _is_own(file: str) -> bool:
    """Whether a file is one of the four folders of Windlass."""
    path = Path(file)
    return path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[0] in (
        "framework",
        "elements",
        "connectors",
        "solvers",
    )


class ModelError(WindlassError):
    """A model that cannot be computed: wrong value, wrong kind of entity, missing part."""


class ModelWarning(UserWarning):
    """Something in a model that is probably a mistake, though the results do not depend on it."""


class OptionError(WindlassError):
    """A command-line option that is unknown, misspelt, or has a wrong value."""


class OutputError(WindlassError):
    """An output folder or file that cannot be written or read."""
