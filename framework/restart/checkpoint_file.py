"""The checkpoint file: an HDF5 file with one record per solve. Each checkpoint replaces the whole file.

A record is a tree of dictionaries. Arrays are stored as datasets, and all other values as JSON. The content of the file
is created in memory, and written to a temporary file in the folder of the checkpoint file. The temporary file is
flushed to the disk and then renamed. If the process is killed during these operations, the previous checkpoint file
remains complete. A digest is stored after the HDF5 data, and is checked before the HDF5 library opens the file. The
digest is necessary because the HDF5 library reads some damaged files as empty files, and may crash when it reads other
damaged files.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from windlass.framework.errors import OutputError
from windlass.framework.files.outputs import check_output
from windlass.framework.files.whole_files import check_seal_of_file, remove_drafts, replace_file, seal, shorten

FORMAT, VERSION = "windlass checkpoint", 3
KIND = "checkpoint file"
TEXT = "json"
"""Name of the dataset with all values that are not arrays."""

Tree = Mapping[str, Any]


class CheckpointFile:
    """A checkpoint file open for reading.

    Attributes:
        path: the file.
        every: number of steps between checkpoints in the run that wrote the file.
        numbers: numbers of the solves in the file, in order.

    Raises:
        OutputError: the file does not exist, has no digest, is not a checkpoint file, or has another version of the
            format.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        if not os.path.isfile(path):
            raise OutputError(f"checkpoint file '{shorten(str(path))}': no such file")
        try:
            # all records are read from one open file, because a newer file may replace this file at any time
            self._stream = path.open("rb")
            check_seal_of_file(self._stream, f"checkpoint file '{path}'")
            with self._open() as file:
                kind, version = file.attrs.get("format"), int(file.attrs.get("version", 0))
                self.every = int(file.attrs.get("every", 1))
                self.numbers = sorted(int(name) for name in file.get("solves", {}))
        except (OSError, RuntimeError, ValueError, KeyError) as error:
            raise OutputError(f"checkpoint file '{path}' cannot be read: {error}") from None
        if kind != FORMAT:
            raise OutputError(
                f"'{path}' is not a checkpoint file: must be a file that -checkpoint or wl.Checkpoint wrote"
            )
        if version != VERSION:
            raise OutputError(f"checkpoint file '{path}' has version {version}: this Windlass reads version {VERSION}")

    def _open(self) -> Any:
        import h5py  # imported here, because most runs do not need h5py

        self._stream.seek(0)
        return h5py.File(self._stream, "r")

    def read(self, number: int) -> dict[str, Any]:
        """Return the record of one solve.

        Raises:
            OutputError: the file is damaged.
        """
        try:
            with self._open() as file:
                return _read_tree(file[f"solves/{number:04d}"])
        except (OSError, RuntimeError, ValueError, KeyError) as error:
            raise OutputError(f"checkpoint file '{self.path}' is corrupt: {error}") from None

    def copy_before(self, number: int, target: Any) -> None:
        """Copy the records of all solves before a given solve into an HDF5 group."""
        with self._open() as file:
            for earlier in self.numbers:
                if earlier < number:
                    file.copy(f"solves/{earlier:04d}", target)

    def close(self) -> None:
        """Close the file."""
        self._stream.close()


def write_checkpoint(path: Path, every: int, number: int, record: Tree, before: CheckpointFile | None) -> None:
    """Replace a checkpoint file. The new file is on the disk when the call returns.

    Args:
        path: the file.
        every: number of steps between checkpoints.
        number: number of the present solve in the script, from 0.
        record: data that are needed to continue the present solve.
        before: the file with the records of earlier solves.

    Raises:
        OutputError: the file cannot be written.
    """
    import h5py  # imported here, because most runs do not need h5py

    check_output(path, KIND, KIND)
    image = io.BytesIO()
    with h5py.File(image, "w") as file:
        file.attrs.update({"format": FORMAT, "version": VERSION, "every": every})
        solves = file.create_group("solves")
        if before is not None:
            before.copy_before(number, solves)
        _write_tree(solves.create_group(f"{number:04d}"), record)
    content = image.getbuffer()
    try:
        remove_drafts(path.parent, path.name)
        replace_file(path, [content, seal(content)], sync=True)
    except OSError as error:
        raise OutputError(f"checkpoint file '{path}' cannot be written ({error})") from error


def _write_tree(group: Any, tree: Tree) -> None:
    plain = {}
    for name, value in tree.items():
        if isinstance(value, Mapping):
            _write_tree(group.create_group(name), value)
        elif isinstance(value, np.ndarray):
            group[name] = np.ascontiguousarray(value)
        else:
            plain[name] = value
    group[TEXT] = np.frombuffer(json.dumps(plain, default=_as_plain).encode(), np.uint8)


def _as_plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} cannot be stored: must be a number, a text, a list or an array")


def _read_tree(group: Any) -> dict[str, Any]:
    tree: dict[str, Any] = {
        name: _read_tree(item) if hasattr(item, "keys") else item[()] for name, item in group.items()
    }
    return {**json.loads(tree.pop(TEXT).tobytes()), **tree}
