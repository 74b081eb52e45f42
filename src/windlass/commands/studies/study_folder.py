"""The folder of a study of many runs. The folder contains a lock file and a file with the definition of the study. When
a command resumes the study, the definition by the command line is compared with the definition in this file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from windlass.commands.studies.sweep_table import CASES, read_json
from windlass.framework.errors import OutputError
from windlass.framework.files.lock import OutputLock
from windlass.framework.files.whole_files import check_target, replace_file


def open_study(
    folder: Path, definition: str, described: Mapping[str, Any], what: str, check: Callable[[], None]
) -> OutputLock:
    """Create the folder of a study. If the folder of this study already exists, open the folder to continue the study.
    Return the lock of the folder.

    Args:
        folder: path of the folder.
        definition: name of the file with the definition of the study.
        described: settings that must not have changed when the study is resumed.
        what: name of the type of study in messages, such as "sweep".
        check: function that raises OutputError if tables or pictures would overwrite files of other programs.

    Raises:
        OutputError: the folder cannot be written, contains other files or another study, or is used by another process.
    """
    file = folder / definition
    try:
        (folder / CASES).mkdir(parents=True, exist_ok=True)
        lock = OutputLock(file.with_suffix(""), f"the {what}")
        check()
        if not file.exists():
            if any((folder / CASES).iterdir()):
                raise OutputError(
                    f"-output {folder}: contains no {what}; must be a new folder, or the folder of this {what}"
                )
            replace_file(check_target(file), f"{json.dumps(described, indent=1)}\n".encode())
    except OSError as error:
        raise OutputError(f"-output {folder}: cannot be written ({error.strerror})") from None
    before = read_json(file)
    if not isinstance(before, dict) or not set(described) <= set(before):
        raise OutputError(f"'{folder}' must be the folder of a {what}; its file {definition} is not a file of a {what}")
    other = [name for name, value in described.items() if before[name] != value]
    if other:
        raise OutputError(
            f"-output {folder}: contains another {what}, which differs in {', '.join(other)}: must be a new "
            "folder, or the same command and model"
        )
    return lock
