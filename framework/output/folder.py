"""Creation of the folder for results. Before a run, a test file is written to the folder."""

import os
import tempfile
from pathlib import Path

from windlass.framework.checks.checks import checked, inside
from windlass.framework.checks.values import show
from windlass.framework.errors import OutputError


@checked(OutputError, path=inside())
def create_output_folder(path: str | os.PathLike[str]) -> Path:
    """Create a folder and its parent folders, write and delete a small file in the folder, and return the absolute path
    of the folder.

    Call this function before the solve, so that a missing disk causes an error before hours of computation. The
    function writes a file because a check of permissions is not sufficient: for the user root, such a check would
    succeed even on a read-only file system.

    OutputError is raised if the folder cannot be created, or if files cannot be written to the folder.
    """
    try:
        if not isinstance(path, str | os.PathLike) or not os.fspath(path):
            raise ValueError("no name")
        folder = Path(path).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(prefix=".windlass-", dir=folder) as trial:
            trial.write(b"trial")
            trial.flush()
    except (OSError, ValueError) as error:  # Python raises ValueError if the path contains a null character
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        if isinstance(error, FileExistsError):
            reason = "a file of this name is in the way"
        given = repr(os.fspath(path)) if isinstance(path, str | os.PathLike) else show(path)
        raise OutputError(
            f"output folder = {given} cannot be written ({reason}): "
            "must be a folder that exists or can be made, on a file system that can be written"
        ) from error
    return folder
