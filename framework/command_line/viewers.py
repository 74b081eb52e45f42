"""Options by which PETSc writes files, such as `-log_view :log.txt`. These options are checked before the run, because
PETSc would overwrite existing files.

The value of such an option (a viewer) has the form ``[type][:file[:format[:mode]]]``. PETSc reports a wrong viewer only
at the end of the run, or not at all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from windlass.framework.errors import OptionError
from windlass.framework.files.outputs import check_output, note_output
from windlass.framework.files.whole_files import check_place
from windlass.framework.launch.arguments import FALSE_WORDS, TRUE_WORDS
from windlass.framework.launch.launcher import launched_rank

KIND = "output of PETSc"
VIEWERS = (
    r"(?i)(\w+_)?(view|monitor)(_\w+)?|\w+_(converged_reason|converged_rate)|\w+_(compute|plot)_\w+"
    r"|(eps|pep|\w+)_error_\w+"
)
FILES = r"(?i)history|citations|malloc_view"
"""Options that have the name of a file as value."""
NUMBERED = r"(?i)log_trace|info"
"""Options that write one file per process, with the rank of the process after the file name."""
TYPES = ("ascii", "binary", "draw", "socket", "hdf5", "vtk", "matlab", "saws", "glvis", "exodusii", "cgns", "string")
FORMATS = (
    *("default", "native", "noformat", "load_balance", "failed", "all"),
    *(
        f"ascii_{name}"
        for name in ("matlab", "mathematica", "impl", "info", "info_detail", "common", "symmodu", "index")
    ),
    *(f"ascii_{name}" for name in ("dense", "matrixmarket", "pcice", "python", "factor_info", "latex", "xml")),
    *(f"ascii_{name}" for name in ("flamegraph", "glvis", "csv", "vtk", "vtk_cell", "vtk_coords")),
    *(f"draw_{name}" for name in ("basic", "lg", "lg_xrange", "contour", "ports")),
    *("vtk_vts", "vtk_vtr", "vtk_vtu", "binary_matlab", "hdf5_petsc", "hdf5_viz", "hdf5_xdmf", "hdf5_mat"),
)
MODES = ("write", "append", "update", "append_update")


def check_viewers(pairs: Sequence[tuple[str, str | None]], folder: Path) -> None:
    """Check the options by which PETSc writes files, and register the files as outputs of Windlass.

    Args:
        pairs: pair (name without dash, value) of each option.
        folder: folder to which file names are relative.

    Raises:
        OptionError: a value is not a valid viewer.
        OutputError: a file cannot be written, or was written by another program.
    """
    found = [(name, file) for name, value in pairs if value for file in _find_files(name, value)]
    for name, file in found:
        check_output(check_place(folder / file, f"-{name}"), f"-{name}", KIND)
    for name, file in found:
        if launched_rank() == 0 or re.fullmatch(NUMBERED, name):
            note_output(folder / file)


def _find_files(name: str, value: str) -> list[str]:
    """Return the files that PETSc writes if an option is given."""
    if re.fullmatch(FILES, name) or re.fullmatch(NUMBERED, name):
        file = value.partition(":")[0]
        if not file or file.lower() in TRUE_WORDS + FALSE_WORDS:
            return []
        return [f"{file}.{launched_rank()}"] if re.fullmatch(NUMBERED, name) else [file]
    if not re.fullmatch(VIEWERS, name) or (":" not in value and name.lower() != "log_view"):
        return []
    kind, file, form, mode, *more = [*value.split(":"), "", "", ""]
    wrong = [
        *([f"the type {kind!r} is none of {', '.join(TYPES)}"] if kind and kind.lower() not in TYPES else []),
        *([f"the format {form!r} is none of {', '.join(FORMATS)}"] if form and form.lower() not in FORMATS else []),
        *([f"the mode {mode!r} is none of {', '.join(MODES)}"] if mode and mode.lower() not in MODES else []),
        *(["there are more than four parts"] if any(more) else []),
    ]
    if wrong:
        raise OptionError(f"-{name} {value}: expected type:file:format:mode, each of which may be missing; {wrong[0]}")
    return [file, f"{file}.info"] if file and kind.lower() == "binary" else [file] if file else []
