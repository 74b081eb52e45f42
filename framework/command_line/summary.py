"""Results of a run as JSON: the file of the option -summary."""

from collections.abc import Mapping
from typing import Any

from windlass.framework.command_line import options, summary_file
from windlass.framework.errors import OptionError


def write_summary(values: Mapping[str, Any]) -> None:
    """Write results to the file of -summary, on the first rank; nothing without -summary and under -help.

    Args:
        values: results by name: numbers, words, None, NumPy arrays, and lists and dicts of them; numbers that are not
            finite become null.  After solves ``verdict`` and ``verdicts`` are added.

    Raises:
        OutputError: the file cannot be written.
    """
    if not isinstance(values, Mapping):
        raise OptionError(f"values in write_summary is of type {type(values).__name__}: must be results by name")
    wanted = not options.help_requested() and options.process_rank() == 0
    summary_file.write(str(options.own_value("summary")), values, wanted)
