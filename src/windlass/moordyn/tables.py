"""Tables of numbers in the files that belong to a MoorDyn input file."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from windlass.moordyn.input_file import InputFile


def read_table(
    file: InputFile, at: int, name: str, widths: Sequence[int] | None, skip: int
) -> list[list[float]] | None:
    """Read a table of numbers in the folder of the input file or in the working directory.

    Args:
        file: the input file, in which faults are recorded.
        at: line number of the option that requires the table.
        name: name of the table.
        widths: allowed numbers of values in a row; None if the number of values is not limited.
        skip: number of headings at the beginning of the table.

    Returns:
        The rows, or None if the table contains faults.
    """
    path = file.find(name)
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        file.refuse(at, str(path), f"cannot be read: {error.strerror}")
        return None
    rows, faults = [], len(file.faults)
    for number, line in enumerate(lines, 1):
        words, item = line.split(), f"line {number} of {path}"
        values = find_numbers(words)
        if number <= skip:
            if values and widths is not None:
                file.refuse(at, item, f"must be a heading; the first {skip} lines are headings")
        elif values is None or not np.isfinite(values).all():
            file.refuse(at, item, "must have finite numbers")
        elif values and widths is not None and len(values) not in widths:
            file.refuse(at, item, f"must have {' or '.join(map(str, widths))} numbers")
        elif values:
            rows.append(values)
    return rows if len(file.faults) == faults else None


def find_numbers(words: Sequence[str]) -> list[float] | None:
    """Return the numbers in a row, or None if a word is not a number."""
    try:
        return [float(word) for word in words]
    except ValueError:
        return None
