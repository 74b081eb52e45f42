"""The file of the option ``-summary``: results as JSON, and the verdicts on all solves."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from windlass.framework.files.outputs import write_output
from windlass.framework.files.whole_files import check_place

WRITTEN = {"written_by": "Windlass"}
"""First entry of a summary file. Windlass recognises its own summary files by this entry."""


@dataclass
class _Verdicts:
    """Type of the global object that stores the verdicts on the solves of this run. The attribute ``written`` is true
    after a call of `write`.
    """

    solves: list[dict[str, Any]] = field(default_factory=list)
    written: bool = False


_verdicts = _Verdicts()


def note_verdict(solve: str, word: str, reasons: Sequence[str]) -> None:
    """Store the verdict on a finished solve for the summary."""
    _verdicts.solves.append({"solve": solve, "verdict": word, "reasons": list(reasons)})


def is_written() -> bool:
    """Return whether the summary of this run has been written by `write`."""
    return _verdicts.written


def write(file: Path | None, values: Mapping[str, Any], wanted: bool = True) -> None:
    """Write the results by name, and the verdicts of all solves, to the file of -summary. If ``wanted`` is false, this
    process only checks the path.

    Raises:
        OutputError: the file cannot be written.
    """
    _verdicts.written = True
    if file is None:
        return
    path = check_place(file, "-summary")
    if not wanted:
        return
    if _verdicts.solves:
        worst = next((s["verdict"] for s in _verdicts.solves if s["verdict"] != "ok"), "ok")
        values = {**values, "verdict": worst, "verdicts": _verdicts.solves}
    # the entry by which Windlass recognises its files must be at the beginning of the file
    values = WRITTEN | {name: value for name, value in values.items() if name not in WRITTEN}
    content = f"{json.dumps(_as_json(values), indent=2, allow_nan=False)}\n".encode()
    write_output(path, content, "-summary", "summary")


def _as_json(value: Any) -> Any:
    import numpy as np  # imported here, because the command line starts faster without NumPy

    if isinstance(value, Mapping):
        return {str(key): _as_json(part) for key, part in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return _as_json(value.tolist())
    if isinstance(value, list | tuple):
        return [_as_json(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
