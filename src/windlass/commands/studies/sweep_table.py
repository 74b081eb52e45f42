"""The table of a sweep. The table has a row for each finished case, with the options, the status and the results of the
case.
"""

from __future__ import annotations

import csv
import importlib.util
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from windlass.framework.checks.checks import checked, path
from windlass.framework.errors import OutputError
from windlass.framework.files.outputs import MARK, write_output

DEFINITION, CASES = "sweep.json", "cases"
OUTCOME, SUMMARY, STATISTICS = "outcome.json", "summary.json", "statistics.json"
NO_RESULTS = ("written_by", "verdict", "verdicts")
"""Keys of a summary that are not results."""
CSV_FILE, PARQUET_FILE = "sweep.csv", "sweep.parquet"
COUNTS = ("steps", "rejected", "newton_iterations", "discontinuous_iterations", "jacobians", "wall_time")
"""Statistics of each solve that are columns of the table."""
LONGEST_LIST = 16
"""Largest length of a list of results with elements that are columns of the table. Longer lists are only in the summary
of the case.
"""
PIP_LINE = "pip install 'pandas>=2,<4'"

Row = dict[str, Any]


@checked(OutputError, folder=path())
def read_sweep(folder: str | Path) -> Any:
    """Return the table of a sweep as a pandas DataFrame with one row for each finished case. The function can be called
    while other cases are running.

    Args:
        folder: folder of the sweep (``windlass sweep ... -output DIR``).

    Returns:
        DataFrame with the case number as its index. The columns are the options that vary, ``status`` (``ok``,
        ``doubtful`` or ``failed``), ``reason``, ``run_time`` [s], the results of ``wl.write_summary``, and statistics
        of each solve.

    Raises:
        OutputError: pandas is not installed, or the folder is not the folder of a sweep.
    """
    if importlib.util.find_spec("pandas") is None:
        raise OutputError(f"read_sweep makes a frame of pandas, which is not installed: {PIP_LINE}")
    import pandas as pd  # imported here, because the package is optional and large

    rows, names = read_rows(Path(folder)), list(read_definition(Path(folder))["names"])
    frame = pd.DataFrame(rows, columns=find_columns(rows) or ["case", *names, "status", "reason", "run_time"])
    return frame.set_index("case")


def case_folder(folder: Path, number: int) -> Path:
    """Return the folder of a case. Case numbers start at 1."""
    return folder / CASES / f"{number:04d}"


def read_definition(folder: Path) -> dict[str, Any]:
    """Return the description of the sweep in a folder.

    Raises:
        OutputError: the folder contains no sweep.
    """
    try:
        found = json.loads((folder / DEFINITION).read_text())
        if {"names", "cases", "units"} <= set(found):
            return dict(found)
    except (OSError, ValueError, TypeError):
        pass
    raise OutputError(f"'{folder}' must be the folder of a sweep, with the file {DEFINITION}")


def read_json(path: Path) -> Any:
    """Return the content of a file of a case, or None if the file is missing or incomplete."""
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return None


def read_rows(folder: Path) -> list[Row]:
    """Return the rows of the finished cases, in the order of the case numbers."""
    definition = read_definition(folder)
    rows = []
    for number, values in enumerate(definition["cases"], 1):
        outcome = read_json(case_folder(folder, number) / OUTCOME)
        if outcome is not None:
            case = {name: to_value(text) for name, text in zip(definition["names"], values, strict=True)}
            rows.append(create_row(number, case, outcome, case_folder(folder, number)))
    return rows


def create_row(number: int, case: Mapping[str, Any], outcome: Mapping[str, Any], folder: Path) -> Row:
    """Return the row of a case, with the results in its folder."""
    summary, solves = read_json(folder / SUMMARY) or {}, read_json(folder / STATISTICS) or []
    failed = bool(outcome["reason"])
    status = "failed" if failed else "doubtful" if summary.get("verdict") == "doubtful" else "ok"
    reasons = [words for solve in summary.get("verdicts", ()) for words in solve["reasons"]]
    row: Row = {"case": number, **case, "status": status, "reason": outcome["reason"] or "; ".join(reasons)}
    row["run_time"] = outcome["wall_time"]
    results = {} if failed else {k: v for k, v in summary.items() if k not in NO_RESULTS}
    for name, value in flatten(results):
        row[name if name not in row else f"summary.{name}"] = value
    for solve in solves:
        row |= {f"{solve['solve']}.{count}": solve[count] for count in COUNTS}
    return row


def is_statistic(name: str) -> bool:
    """Return whether a column contains a statistic of a solver, such as ``static.steps``. A dot in the name is not
    sufficient, because names of results may also contain dots (see `flatten`).
    """
    solve, _, count = name.rpartition(".")
    return bool(solve) and count in COUNTS


def flatten(values: Any, name: str = "") -> list[tuple[str, Any]]:
    """Return nested results as a list of names and values. A name consists of dictionary keys and list indices with
    dots between them. Lists with more than `LONGEST_LIST` elements are omitted.
    """
    if isinstance(values, Mapping):
        parts = [(str(key), part) for key, part in values.items()]
    elif isinstance(values, list):
        parts = [(str(k), part) for k, part in enumerate(values)] if len(values) <= LONGEST_LIST else []
    else:
        return [(name, values)]
    return [found for key, part in parts for found in flatten(part, f"{name}.{key}" if name else key)]


def to_value(text: str) -> int | float | str:
    """Convert a text to a number if possible, otherwise return the text."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def find_columns(rows: Sequence[Row]) -> list[str]:
    """Return the names of all columns. The columns of the row with the most columns are first. Further columns of the
    other rows follow, in descending order of the number of columns of a row.
    """
    ordered = sorted(rows, key=len, reverse=True)
    return list(dict.fromkeys(name for row in ordered for name in row))


def write_table(folder: Path, rows: Sequence[Row], names: tuple[str, str] = (CSV_FILE, PARQUET_FILE)) -> list[Path]:
    """Write the table as CSV, and as Parquet if pyarrow is installed. Return the paths of the files.

    Raises:
        OutputError: a file cannot be written.
    """
    columns, text = find_columns(rows), io.StringIO()
    writer = csv.DictWriter(text, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows([{name: "" if value is None else value for name, value in row.items()} for row in rows])
    contents = {folder / names[0]: text.getvalue().encode()}
    parquet = write_parquet(columns, rows)
    if parquet is not None:
        contents[folder / names[1]] = parquet
    for file, content in contents.items():
        write_output(file, content, "table of the sweep", "table")
    return list(contents)


def write_parquet(columns: Sequence[str], rows: Sequence[Row]) -> bytes | None:
    """Return the content of a Parquet file with the table, or None if pyarrow is not installed. Columns that contain a
    text are stored as texts.
    """
    try:
        import pyarrow  # imported here, because the package is optional and large
        import pyarrow.parquet  # imported here, because the package is optional and large
    except ImportError:  # the import also fails if pyarrow requires another version of NumPy
        return None

    table = {name: [row.get(name) for row in rows] for name in columns}
    for name, values in table.items():
        if any(isinstance(value, str) for value in values):
            table[name] = [None if value is None else str(value) for value in values]
    stream = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(table).replace_schema_metadata({"creator": MARK}), stream)
    return stream.getvalue()
