"""Functions that run programs under mpiexec, and commands of Windlass, in tests."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from windlass.framework.launch.launcher import session_folder

ROOT = Path(__file__).parents[2]


def environment() -> dict[str, str]:
    """Return an environment in which programs run from the checkout without installation, also as root and with more
    processes than cores.
    """
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests")])
    return os.environ | {
        "PYTHONPATH": paths,
        "OMP_NUM_THREADS": "1",
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
        # remaining processes of an aborted job are ended immediately instead of after a second
        "OMPI_MCA_odls_base_sigkill_timeout": "0",
    }


class Starter:
    """A process that starts other processes, see `support.starter`. When this process ends, the input of the starter is
    closed, and the starter ends.
    """

    def __init__(self) -> None:
        # names of sockets must be short
        self._folder = tempfile.TemporaryDirectory(prefix="start", dir="/tmp")
        self.place = f"{self._folder.name}/socket"
        command, pipe = [sys.executable, str(ROOT / "tests/support/starter.py"), self.place], subprocess.PIPE
        own = environment() | {"MPLBACKEND": "Agg"}
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=own)
        assert self._process.stdout is not None and self._process.stdout.readline() == "ready\n"

    def run(self, words: list[str], folder: Path, environment: dict[str, str], files: list[int], timeout: float) -> int:
        """Run ``python WORDS`` with given files for input, output and errors. Return its exit code.

        Raises: TimeoutError: the program takes longer than the timeout [s], and is killed.
        """
        request = {"words": words, "folder": str(folder), "environment": environment}
        content = json.dumps(request).encode()
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(timeout)
            connection.connect(self.place)
            socket.send_fds(connection, [len(content).to_bytes(8, "little")], files)
            connection.sendall(content)
            return int(connection.recv(16))


@cache
def _create_starter(number: int) -> Starter:
    return Starter()


_LOCK = threading.Lock()


def starter(number: int) -> Starter:
    """Return one of two starters. The processes of both starters have different hash seeds of strings."""
    with _LOCK:  # without the lock, each thread of a test would create its own starter with its first request
        return _create_starter(number)


READ_BY_LIBRARIES = ("LD_", "NUMBA", "OMP_", "OPENBLAS", "PYTHON")
"""Prefixes of variables that are read when Python starts and libraries are imported."""
BEFORE = {name: value for name, value in os.environ.items() if name.startswith(READ_BY_LIBRARIES)}


def is_common(environment: Mapping[str, str]) -> bool:
    """Return whether an environment has the same settings for libraries as the environment of the starter."""
    own = {name: value for name, value in environment.items() if name.startswith(READ_BY_LIBRARIES)}
    return own | {"PYTHONPATH": "", "OMP_NUM_THREADS": "1"} == BEFORE | {"PYTHONPATH": "", "OMP_NUM_THREADS": "1"}


def run_warm(
    words: Sequence[str], folder: Path | None, environment: Mapping[str, str], timeout: float = 600, kind: int = 0
) -> subprocess.CompletedProcess[str]:
    """Run ``python WORDS`` in a copy of a process that has loaded the libraries.

    A new process is started if the environment has other settings for libraries than the environment of the starter.
    Copies of one kind (0 or 1) have the same hash seed of strings. If a test compares two runs, the runs should be of
    different kinds. The timeout is in seconds.
    """
    if not is_common(environment):
        command = [sys.executable, *words]
        return subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, timeout=timeout)
    return _run_by_starter(list(words), folder or Path.cwd(), environment, timeout, kind)


def errors_of(done: subprocess.CompletedProcess[str]) -> str:
    """Return the messages of a program, without the notice of the first process that compiles a kernel."""
    lines = done.stderr.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("windlass: compiling kernels for this machine"))


def _run_by_starter(
    words: list[str], folder: Path, environment: dict[str, str], timeout: float, kind: int
) -> subprocess.CompletedProcess[str]:
    """Run a command in a process that is forked from a process with imported modules."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as said, open(os.devnull) as inputs:
        files = [file.fileno() for file in (inputs, out, said)]
        try:
            code = starter(kind).run(words, folder, environment, files, timeout)
        except TimeoutError:
            raise subprocess.TimeoutExpired(words, timeout) from None
        texts = []
        for file in (out, said):
            file.seek(0)
            texts.append(file.read())
    return subprocess.CompletedProcess(words, code, *texts)


def launch(processes: int, kind: int = 0, mpiexec: str = "mpiexec") -> list[str]:
    """Return the first words of a command that runs ``python WORDS`` on several processes. The caller appends the
    WORDS.

    The processes alternate between both kinds of `run_warm`, so they have different hash seeds of strings, like new
    processes.
    """
    places = os.pathsep.join(starter((kind + number) % 2).place for number in (0, 1))
    return [mpiexec, "-n", str(processes), sys.executable, "-IS", str(ROOT / "tests/support/rank.py"), places]


def run_python(
    words: Sequence[str | Path], processes: int = 1, folder: Path | None = None, timeout: float = 600, kind: int = 0
) -> subprocess.CompletedProcess[str]:
    """Run ``python WORDS`` on one or more processes that have loaded the libraries."""
    given, own = list(map(str, words)), environment()
    if processes == 1:
        return run_warm(given, folder, own, timeout, kind)
    command = launch(processes, kind) if is_common(own) else ["mpiexec", "-n", str(processes), sys.executable]
    with session_folder(own) as own:
        run = subprocess.run([*command, *given], env=own, cwd=folder, capture_output=True, text=True, timeout=timeout)
    # messages of Open MPI 5 end with a zero byte
    run.stderr = run.stderr.replace("\0", "")
    return run


def run_windlass(
    words: Sequence[str | Path], processes: int = 1, folder: Path | None = None, kind: int = 0
) -> subprocess.CompletedProcess[str]:
    """Run the command ``windlass`` with some arguments, like `run_python`."""
    return run_python(["-m", "windlass.commands.cli", *words], processes, folder, kind=kind)
