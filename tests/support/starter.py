"""Starts processes that have the libraries at once: most of a start of Python is spent in importing them.

Run as a script by `support.processes`.  It imports the libraries of Windlass, but nothing of Windlass itself, and
starts neither PETSc nor MPI.  For each line of its input, {"words", "folder", "environment", "outputs"} as JSON, it
makes a copy of itself, which runs like ``python WORDS`` and ends like any process; then it writes the exit code.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import runpy
import sys
from pathlib import Path
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


def become(words: list[str], folder: str, environment: dict[str, str], outputs: list[str]) -> None:
    """Make this copy look like a new process."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    inputs = os.open(os.devnull, os.O_RDONLY)
    for number, file in enumerate((inputs, *(os.open(path, os.O_WRONLY) for path in outputs))):
        os.dup2(file, number)
        os.close(file)
    sys.stdin = os.fdopen(0, closefd=False)
    first = folder if words[0] == "-m" else str(Path(words[0]).resolve().parent)
    paths = [path for path in environment.get("PYTHONPATH", "").split(os.pathsep) if path]
    sys.path[:] = [first, *paths, *LIBRARY_PATHS]
    sys.argv = words[1:] if words[0] == "-m" else words


def wait_for_words() -> list[str]:
    """The words of the command that this copy has to run; the first process never returns but at the end of input."""
    for line in sys.stdin:
        request: dict[str, Any] = json.loads(line)
        child = os.fork()
        if child == 0:
            become(**request)
            return list(request["words"])
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
    sys.exit()


# the first entries, the folder of this script and the folders of PYTHONPATH, do not belong to the copies
LIBRARY_PATHS = sys.path[1 + len([path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]) :]
sys.path[:] = LIBRARY_PATHS
for name in LIBRARIES:
    importlib.import_module(name)
# present objects are never collected, which would copy its memory
gc.freeze()
given = wait_for_words()
if given[0] == "-m":
    runpy.run_module(given[1], run_name="__main__", alter_sys=True)
else:
    runpy.run_path(given[0], run_name="__main__")
