"""Program that starts processes which have already loaded the libraries, because most of the start time of Python is
the import of libraries.

`support.processes` runs this file as a script, with the path of a socket as argument. The starter imports the libraries
of Windlass, but no module of Windlass, and starts neither PETSc nor MPI. For each connection, the starter forks a copy
of itself. The copy runs like ``python WORDS`` in the folder, environment and open files that were sent, and ends like
any process. The starter answers with the exit code of the copy. A copy whose connection ends is killed. The starter
ends when its own input ends.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import os
import runpy
import selectors
import signal
import socket
import sys
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

LIBRARIES = (
    "h5py",
    "matplotlib.backends.backend_agg",
    "mpi4py",
    "numba",
    "numpy",
    "petsc4py",
    "scipy.integrate",
    "scipy.optimize",
    "scipy.sparse.csgraph",
    "scipy.sparse.linalg",
    "scipy.spatial",
)


def become(words: list[str], folder: str, environment: dict[str, str], files: list[int]) -> list[str]:
    """Set this copy to the state of a new process. Return the arguments of the command that the copy runs."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    sys.stdin = os.fdopen(0, closefd=False)
    first = folder if words[0] in ("-m", "-c") else str(Path(words[0]).resolve().parent)
    paths = [path for path in environment.get("PYTHONPATH", "").split(os.pathsep) if path]
    sys.path[:] = [first, *paths, *LIBRARY_PATHS]
    sys.argv = {"-m": words[1:], "-c": ["-c", *words[2:]]}.get(words[0], words)
    return words


def receive(connection: socket.socket) -> tuple[Any, list[int]]:
    """Return the request of a connection, JSON after its length, and the open files that were sent with it."""
    head, files, _, _ = socket.recv_fds(connection, 8, 3)
    content = b""
    while len(content) < int.from_bytes(head, "little"):
        content += connection.recv(1 << 20)
    return json.loads(content), files


def serve(place: str) -> list[str]:
    """Return the arguments of the command that this copy runs. The first process never returns."""
    listener, waiting = socket.socket(socket.AF_UNIX), selectors.DefaultSelector()
    listener.bind(place)
    listener.listen(64)
    # processes by connection, and processes by the file descriptor that signals their end
    at_work: dict[int, tuple[socket.socket, int]] = {}
    waiting.register(listener, selectors.EVENT_READ)
    waiting.register(sys.stdin, selectors.EVENT_READ)
    print("ready", flush=True)
    while True:
        for key, _ in waiting.select():
            if key.fileobj is sys.stdin:
                for _, process in at_work.values():
                    os.kill(process, signal.SIGKILL)
                sys.exit()
            if key.fileobj is listener:
                connection, _ = listener.accept()
                request, files = receive(connection)
                process = os.fork()
                if process == 0:
                    for number in (listener.fileno(), connection.fileno(), waiting.fileno(), *at_work):
                        os.close(number)
                    for other, _ in at_work.values():
                        other.close()
                    listener.detach()
                    connection.detach()
                    return become(**request, files=files)
                for file in files:
                    os.close(file)
                ended = os.pidfd_open(process)
                at_work[ended] = connection, process
                waiting.register(ended, selectors.EVENT_READ, ended)
                waiting.register(connection, selectors.EVENT_READ, ended)
                continue
            if key.data not in at_work:
                continue
            connection, process = at_work.pop(key.data)
            waiting.unregister(connection)
            waiting.unregister(key.data)
            if key.fileobj is connection:
                os.kill(process, signal.SIGKILL)
            code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
            os.close(key.data)
            with suppress(OSError):
                connection.sendall(str(code).encode())
            connection.close()


# the copies do not use the first entries of sys.path, which are the folder of this script and the folders of PYTHONPATH
LIBRARY_PATHS = sys.path[1 + len([path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]) :]
sys.path[:] = LIBRARY_PATHS
for name in LIBRARIES:
    importlib.import_module(name)
# the libraries of PETSc and MPI, which are loaded but not started
for library in Path(*importlib.import_module("petsc4py.lib").getPathArchPETSc()).glob("PETSc.*.so"):
    ctypes.CDLL(str(library))
# garbage collection is disabled for existing objects, because a collection would copy the memory of these objects
gc.freeze()
given = serve(sys.argv[1])
if given[0] == "-m":
    runpy.run_module(given[1], run_name="__main__", alter_sys=True)
elif given[0] == "-c":
    sys.modules["__main__"] = ModuleType("__main__")
    exec(given[1], vars(sys.modules["__main__"]))
else:
    runpy.run_path(given[0], run_name="__main__")
