"""Stored states of a motion, in memory and in files.

The states are needed from the last to the first. If the memory is full, the state with the lowest number is written to
a file. Each state is therefore written at most once. The files are state files with a digest. These files are stored in
a new subfolder of a given folder. This subfolder is removed at the end.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Self

from windlass.framework.arrays import FloatArray
from windlass.framework.errors import OutputError
from windlass.framework.files.state_file import read_state_file, write_state_file
from windlass.framework.state.state import State
from windlass.solvers.sensitivities.companion import MOTION

NAMES = (*MOTION, "data")
"""Arrays of a state that are needed in later steps or for results."""


@dataclass
class StoredState:
    """A stored state of the motion: its arrays, and its time [s]."""

    arrays: dict[str, FloatArray]
    t: float

    @classmethod
    def of(cls, state: State) -> StoredState:
        """Copy a state."""
        return cls({name: getattr(state, name).copy() for name in NAMES}, state.t)


def find_size(state: State) -> int:
    """Return the size [bytes] of a stored state."""
    return sum(int(getattr(state, name).nbytes) for name in NAMES)


class StateStore:
    """Storage for states of a motion. Each state has the number of the step that begins with this state. Use an object
    of this class as a context manager. The files are removed when the context ends.

    Args:
        most: largest number of states in memory, at least 1.
        folder: existing folder for the files of further states; None if all states are kept in memory.

    Attributes:
        written: number of states written to files so far.

    Raises:
        OutputError: the folder does not exist or is not writable, or a file cannot be written or read.
    """

    def __init__(self, most: int, folder: Path | None = None) -> None:
        self._most, self._stack = most, ExitStack()
        self._kept, self._files = dict[int, StoredState](), dict[int, Path]()
        self.written = 0
        self._folder: Path | None = None
        if folder is not None:
            try:
                own = TemporaryDirectory(prefix="windlass_states_", dir=folder)
            except OSError as error:
                raise OutputError(f"folder = {str(folder)!r} cannot be used for states: {error.strerror}") from None
            self._folder = Path(self._stack.enter_context(own))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    @property
    def numbers(self) -> list[int]:
        """Numbers of all stored states, in ascending order."""
        return sorted([*self._kept, *self._files])

    @property
    def in_memory(self) -> int:
        """Number of states in memory."""
        return len(self._kept)

    def put(self, number: int, state: StoredState) -> None:
        """Store a state. If the memory is full, write the state with the lowest number to a file."""
        self._kept[number] = state
        while self._folder is not None and len(self._kept) > self._most:
            first = min(self._kept)
            path = self._folder / f"{first}.npz"
            kept = self._kept.pop(first)
            write_state_file(path, {**kept.arrays, "t": kept.t})
            self._files[first] = path
            self.written += 1

    def get(self, number: int) -> StoredState:
        """Return a stored state."""
        if number in self._kept:
            return self._kept[number]
        found, _ = read_state_file(self._files[number], [*NAMES, "t"])
        return StoredState({name: found[name] for name in NAMES}, float(found["t"]))

    def remove(self, number: int) -> None:
        """Remove a state, if it is stored."""
        self._kept.pop(number, None)
        path = self._files.pop(number, None)
        if path is not None:
            path.unlink()
