"""State files: NumPy's ``.npz`` files with a digest at the end. When a file is read, the digest is checked before any
value is used.

The digest is stored in the comment of the zip file, so NumPy and other programs can read the file.
"""

from __future__ import annotations

import io
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.framework.errors import OutputError
from windlass.framework.files.outputs import check_output, write_output
from windlass.framework.files.whole_files import SEAL_SIZE, check_seal, check_target, seal, shorten


def write_state_file(path: Path, values: Mapping[str, Any]) -> None:
    """Write arrays and numbers, given by name, to a file. An existing file is replaced only when the new file is
    complete.

    Raises:
        OutputError: the file cannot be written.
    """
    check_output(path, "state file", "state file")
    buffer = io.BytesIO()
    np.savez(buffer, **values)
    # the last two bytes of a zip archive without a comment are the length of the comment
    content = buffer.getvalue()[:-2] + SEAL_SIZE.to_bytes(2, "little")
    write_output(path, [content, seal(content)], "state file", "state file", sync=True)


StoredValues = dict[str, NDArray[Any]]


def read_state_file(path: Path, names: Sequence[str]) -> tuple[StoredValues, StoredValues]:
    """Return two dictionaries by name: the values with the given names, which the file must contain, and all other
    values of the file.

    Raises:
        OutputError: the file does not exist, is damaged, is not a state file, or lacks a value of the given names.
    """
    if not os.path.exists(path):
        raise OutputError(f"state file {shorten(str(path))} cannot be read: no such file")
    try:
        content = bytes(check_seal(check_target(path).read_bytes(), f"state file {path}"))
        with np.load(io.BytesIO(content[:-2] + bytes(2))) as file:
            found = {name: file[name] for name in file}
        for name in names:
            if name not in found:
                raise KeyError(f"{name} is not a file in the archive")
        return {name: found.pop(name) for name in names}, found
    except OSError as error:
        raise OutputError(f"state file {path} cannot be read: {error.strerror}") from None
    except (ValueError, KeyError) as error:
        raise OutputError(f"state file {path} cannot be read: {error}") from None
