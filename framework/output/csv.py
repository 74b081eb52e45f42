"""Tables of numbers, which are written to text files row by row."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.command_line import options
from windlass.framework.errors import OutputError
from windlass.framework.files.journal import change_file
from windlass.framework.files.lock import OutputLock
from windlass.framework.files.outputs import Claim, check_output
from windlass.framework.files.whole_files import remove_drafts, replace_file
from windlass.framework.launch.launcher import is_first_process
from windlass.framework.output.folder import create_output_folder
from windlass.framework.output.series import Closing, writing


class TableClaim:
    """Reservation of the CSV file that a run will write. The first process locks the file against other runs.

    With ``-help``, a script runs without solving, and no file is written.

    Args:
        path: the file.
        what: name of the writer, for messages.

    Attributes:
        path: absolute path of the file.

    Raises:
        OutputError: the folder or file cannot be written, or the file is a file of another run, writer or program.
    """

    def __init__(self, path: str | os.PathLike[str], what: str) -> None:
        self.path = Path(path).absolute()
        self._claim: Claim | None = None
        self._lock: OutputLock | None = None
        if options.help_requested():
            return
        create_output_folder(self.path.parent)
        check_output(self.path, "table", "table")
        self._claim = Claim([self.path], what)
        if is_first_process():
            self._lock = OutputLock(self.path, "table")

    def begin(self) -> None:
        """Claim the file before the first row is written, see `Claim.begin`."""
        if self._claim is not None:
            self._claim.begin()

    def release(self) -> None:
        """Release the file and its lock."""
        if self._claim is not None:
            self._claim.release()
        if self._lock is not None:
            self._lock.release()


class CsvTable(Closing):
    """A `.csv` file with one header line such as `time [s],left.angular_velocity [rad/s]` and one line per row.

    path: path of the file in an existing folder. An existing file is replaced if it is a table of Windlass, or has the
    header of the new table.
    columns: name and unit of each column. Names are distinct, and "1" is the unit of a pure number.
    rows: rows of the interrupted run that this run continues. These rows are written at the beginning of the file.

    Floats are written with sufficient digits to restore the exact float64 values. When `append` returns, the row has
    been written to disk. OutputError is raised for a wrong column, a row of the wrong length, or a file that cannot be
    written.
    """

    def __init__(
        self, path: str | os.PathLike[str], columns: Sequence[tuple[str, str]], rows: Iterable[Sequence[float]] = ()
    ) -> None:
        names = [name for name, _ in columns]
        if not names:
            raise OutputError("columns of CsvTable are empty: must be at least one (name, unit)")
        for name, unit in columns:
            for text in (name, unit):
                if not text or text != text.strip() or not text.isprintable() or "," in text or '"' in text:
                    raise OutputError(f"column {(name, unit)!r} of CsvTable: must be printable without comma and quote")
            # The header writes units in brackets. Therefore units must not contain brackets.
            if "[" in unit or "]" in unit:
                raise OutputError(f"unit {unit!r} of column {name!r} of CsvTable: must be without brackets")
            if names.count(name) > 1:
                raise OutputError(f"column {name!r} of CsvTable is given {names.count(name)} times: must be given once")
        header = [f"{name} [{unit}]" for name, unit in columns]
        own = (",".join(header) + "\n").encode()
        self.path = check_output(Path(path).absolute(), "table", "table", own)
        self._columns = len(names)
        kept = [[_number_text(value) for value in row] for row in rows]
        # the old file remains until the new file is complete
        content = "".join(",".join(line) + "\n" for line in [header, *kept]).encode()
        with writing(self.path):
            remove_drafts(self.path.parent, self.path.name)
            replace_file(self.path, content)
        self._size = len(content)
        self._closed = False

    def append(self, row: Sequence[float]) -> None:
        """Write one row. The values have the units and the order of the columns.

        Raises:
            OutputError: the row cannot be written, see `extend`.
        """
        self.extend([row])

    def extend(self, rows: Sequence[Sequence[float]]) -> None:
        """Write several rows at once.

        Raises:
            OutputError: the file is closed or cannot be written, or a row has a wrong number of values.
        """
        if self._closed:
            raise OutputError(f"'{self.path}' is closed: rows must be appended before close()")
        for row in rows:
            if len(row) != self._columns:
                raise OutputError(
                    f"row of '{self.path}' has {len(row)} values: must be {self._columns}, one per column"
                )
        lines = "".join([",".join(map(_number_text, row)) + "\n" for row in rows]).encode()
        with writing(self.path):
            change_file(self.path, self._size, [], [(self._size, lines)])
        self._size += len(lines)

    def close(self) -> None:
        """Close the file. A second call has no effect."""
        self._closed = True


def read_csv(path: str | os.PathLike[str]) -> dict[str, FloatArray]:
    """Read a file of `CsvTable`, and return the values of each column, shape (rows,), by column name without unit.

    If the last line has no line end, this line is ignored, because the run was stopped while it wrote this line.

    Raises:
        OutputError: the file cannot be read, or a line does not fit the header.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise OutputError(f"'{path}' cannot be read ({error}): must be a table written by CsvTable") from error
    header, *lines = text.split("\n")[:-1] or [""]
    names = [cell.rpartition(" [")[0] for cell in header.split(",")]
    if not all(names):
        raise OutputError(f"'{path}' line 1 is {header!r}: must be 'name [unit]' per column, separated by commas")
    values = np.empty((len(lines), len(names)))
    for row, line in enumerate(lines):
        try:
            # reshape raises an error for a single value, whereas an assignment without reshape would copy the value to
            # all columns
            values[row] = np.array([float(cell) for cell in line.split(",")]).reshape(len(names))
        except ValueError:
            raise OutputError(f"'{path}' line {row + 2} is {line!r}: must be {len(names)} numbers") from None
    return {name: values[:, column].copy() for column, name in enumerate(names)}


def _number_text(value: float) -> str:
    """Return the shortest text that represents a number exactly. Integers are written without a decimal point."""
    if type(value) is float:
        return repr(value)
    return repr(int(value)) if isinstance(value, (int, np.integer, np.bool_)) else repr(float(value))
