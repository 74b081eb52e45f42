"""Running programs under mpiexec, and commands of Windlass, in tests."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]


def environment() -> dict[str, str]:
    """Environment to run a checkout without installation, also as root and on fewer cores than processes."""
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests")])
    return os.environ | {
        "PYTHONPATH": paths,
        "OMP_NUM_THREADS": "1",
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
        # remaining processes of an aborted job are ended at once, not after a second
        "OMPI_MCA_odls_base_sigkill_timeout": "0",
    }


@cache
def starter() -> subprocess.Popen[str]:
    """The process that starts others, see `support.starter`; its input is closed with this process, which ends it."""
    command, pipe = [sys.executable, str(ROOT / "tests/support/starter.py")], subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment() | {"MPLBACKEND": "Agg"})


READ_BY_LIBRARIES = ("LD_", "NUMBA", "OMP_", "OPENBLAS", "PYTHON")
"""Beginnings of the names of variables that are read as Python starts and libraries are imported."""
BEFORE = {name: value for name, value in os.environ.items() if name.startswith(READ_BY_LIBRARIES)}


def run_warm(
    words: Sequence[str], folder: Path | None, environment: Mapping[str, str], timeout: float = 600
) -> subprocess.CompletedProcess[str]:
    """Run ``python WORDS``, a module or a script, in a process that has the libraries already and is new otherwise.

    A process is new altogether where the environment has another value for a library.  All others begin with the same
    hashes of texts: where two runs must agree, one of them is started by `run_new_windlass`.  The timeout is in s.
    """
    own = {name: value for name, value in environment.items() if name.startswith(READ_BY_LIBRARIES)}
    if own | {"PYTHONPATH": "", "OMP_NUM_THREADS": "1"} != BEFORE | {"PYTHONPATH": "", "OMP_NUM_THREADS": "1"}:
        command = [sys.executable, *words]
        return subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, timeout=timeout)
    with tempfile.TemporaryDirectory() as place:
        outputs = [Path(place) / name for name in ("out", "said")]
        for path in outputs:
            path.touch()
        process = starter()
        assert process.stdin is not None and process.stdout is not None
        request = {"words": list(words), "folder": str(folder or Path.cwd()), "environment": dict(environment)}
        process.stdin.write(json.dumps(request | {"outputs": [str(path) for path in outputs]}) + "\n")
        process.stdin.flush()
        if not select.select([process.stdout], [], [], timeout)[0]:
            process.kill()
            starter.cache_clear()
            raise subprocess.TimeoutExpired(list(words), timeout)
        code = int(process.stdout.readline())
        return subprocess.CompletedProcess(list(words), code, *(path.read_text() for path in outputs))


def run_python(
    words: list[str | Path], processes: int = 1, folder: Path | None = None, timeout: float = 600
) -> subprocess.CompletedProcess[str]:
    """Run python with some words on one or more processes; the output is captured.  The timeout is in s."""
    launcher = ["mpiexec", "-n", str(processes)] if processes > 1 else []
    command = [*launcher, sys.executable, *map(str, words)]
    return subprocess.run(command, env=environment(), cwd=folder, capture_output=True, text=True, timeout=timeout)


def run_new_windlass(
    words: list[str], processes: int = 1, folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the command ``windlass`` with some words, in processes that are new."""
    return run_python(["-m", "windlass.commands.cli", *words], processes, folder)


def run_windlass(words: list[str], processes: int = 1, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the command ``windlass`` with some words, on one process as `run_warm` does."""
    if processes > 1:
        return run_new_windlass(words, processes, folder)
    return run_warm(["-m", "windlass.commands.cli", *map(str, words)], folder, environment())
