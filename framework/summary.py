"""Results of a run as JSON: the file of the option -summary."""

import json
import math
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from windlass.framework import options
from windlass.framework.errors import OptionError, OutputError
from windlass.framework.files import check_target, replace_file


@dataclass
class _Verdicts:
    """Verdicts on the solves of this run, beside PETSc's one database of options; whether they were written.

    ``said`` are the notes that the user has seen.
    """

    solves: list[dict[str, Any]] = field(default_factory=list)
    written: bool = False
    said: set[str] = field(default_factory=set)


_verdicts = _Verdicts()


def note_verdict(solve: str, word: str, reasons: Sequence[str]) -> None:
    """A solve has ended with a verdict, which the summary will contain."""
    _verdicts.solves.append({"solve": solve, "verdict": word, "reasons": list(reasons)})


def say_once(heading: str, lines: Sequence[str]) -> None:
    """Notes to the user, on the first process; each is said once in a run, to whichever solve it applies."""
    new = [line for line in lines if line not in _verdicts.said]
    _verdicts.said.update(new)
    if new and not options.quiet() and options.process_rank() == 0:
        sys.stderr.write("".join(f"{heading}: {line}\n" for line in new))
        sys.stderr.flush()


def summary_path() -> Path | None:
    """The file of -summary, None when not given.

    Raises:
        OutputError: the file cannot be written there.
    """
    return _check_file("summary")


def check_files() -> None:
    """Check before a run that the files of -summary and -last_good can be written, if they are given.

    Raises:
        OutputError: one of them cannot.
    """
    from petsc4py import PETSc

    summary_path()
    if PETSc.Options().hasName("last_good"):
        _check_file("last_good")


def _check_file(name: str) -> Path | None:
    if not (text := str(options.own_value(name))):
        return None
    path = check_target(Path(text), f"-{name}")
    if not path.parent.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
        raise OutputError(f"-{name} {text}: expected a file in a folder that exists and can be written")
    return path


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
    path, _verdicts.written = summary_path(), True
    if path is None or options.help_requested() or options.process_rank() > 0:
        return
    if _verdicts.solves:
        worst = next((s["verdict"] for s in _verdicts.solves if s["verdict"] != "ok"), "ok")
        values = {**values, "verdict": worst, "verdicts": _verdicts.solves}
    try:
        replace_file(path, f"{json.dumps(_as_json(values), indent=2, allow_nan=False)}\n".encode())
    except OSError as error:
        raise OutputError(f"-summary {path}: {error.strerror}") from error


def finish_summary() -> None:
    """At the end of a model that writes no results by itself: the verdicts alone."""
    if not _verdicts.written:
        write_summary({})


def _as_json(value: Any) -> Any:
    import numpy as np

    if isinstance(value, Mapping):
        return {str(key): _as_json(part) for key, part in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return _as_json(value.tolist())
    if isinstance(value, list | tuple):
        return [_as_json(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
