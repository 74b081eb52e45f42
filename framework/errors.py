"""Errors of Windlass.  Every message says what was given, what is allowed, and the unit."""

from __future__ import annotations

import os
import traceback
from types import FrameType


class WindlassError(Exception):
    """Base of all errors that Windlass raises on purpose."""

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows: lines of the user and the message; all lines with ``WINDLASS_TRACEBACK=1``."""
        frames = list(traceback.walk_tb(self.__traceback__))
        if os.environ.get("WINDLASS_TRACEBACK", "0") == "0":
            # the first frame is that of the notebook itself
            frames = [found for found in frames if _name_of(found[0]).split(".")[0] not in ("IPython", "windlass")]
        lines = "".join(traceback.format_list(traceback.StackSummary.extract(iter(frames)))).splitlines()
        return [*lines, *"".join(traceback.format_exception_only(type(self), self)).splitlines()]


def _name_of(frame: FrameType) -> str:
    """The module of which a frame is."""
    return str(frame.f_globals.get("__name__", ""))


class ModelError(WindlassError):
    """A model that cannot be computed: wrong value, wrong kind of entity, missing part."""


class ModelWarning(UserWarning):
    """Something in a model that is probably a mistake, though the results do not depend on it."""


class OptionError(WindlassError):
    """A command-line option that is unknown, misspelt, or has a wrong value."""


class OutputError(WindlassError):
    """An output folder or file that cannot be written or read."""
