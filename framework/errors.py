"""Errors of Windlass. Each message states the given value, the unit and the allowed values."""

from __future__ import annotations

import os
import traceback
from collections.abc import Sequence
from types import FrameType


class WindlassError(Exception):
    """Base class of all errors that Windlass raises deliberately."""

    def _render_traceback_(self) -> list[str]:
        """Return a short traceback for notebooks, with the lines of the user's code and the message. If
        ``WINDLASS_TRACEBACK=1`` is set, return all lines.
        """
        frames = list(traceback.walk_tb(self.__traceback__))
        if os.environ.get("WINDLASS_TRACEBACK", "0") == "0":
            # skip the stack frames of IPython and of Windlass
            frames = [found for found in frames if _name_of(found[0]).split(".")[0] not in ("IPython", "windlass")]
        lines = "".join(traceback.format_list(traceback.StackSummary.extract(iter(frames)))).splitlines()
        return [*lines, *"".join(traceback.format_exception_only(type(self), self)).splitlines()]


def _name_of(frame: FrameType) -> str:
    """Return the name of the module of a frame of a traceback."""
    return str(frame.f_globals.get("__name__", ""))


class ModelError(WindlassError):
    """Error of a model that cannot be computed. The reason is a wrong value, a reference of a wrong type, or a missing
    part.
    """


class ModelWarning(UserWarning):
    """Warning about a probable mistake in a model or in a model file. The model can be computed."""


class OptionError(WindlassError):
    """Error of a command-line option that is unknown or misspelt, or has a wrong value."""


class OutputError(WindlassError):
    """Error of an output folder or file that cannot be written or read."""


CLOSE = 0.6
"""Similarity [1] from which on error messages suggest a name."""


def find_similar(name: str, known: Sequence[str], most: int = 2, closeness: float = CLOSE) -> list[str]:
    """Return the known names whose similarity to a name is at least ``closeness`` [1], the most similar first.
    Lower and upper case are equal, and the similarity is the ratio of `difflib`, from 0 to 1.
    """
    from difflib import get_close_matches  # imported here, because only error messages need this function

    spelling: dict[str, str] = {}
    for one in known:
        spelling.setdefault(one.lower(), one)
    return [spelling[close] for close in get_close_matches(name.lower(), spelling, most, closeness)]
