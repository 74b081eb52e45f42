"""Running programs under mpiexec, and commands of Windlass, in tests."""

from __future__ import annotations

import os
import subprocess
import sys
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


def run_python(
    words: list[str | Path], processes: int = 1, folder: Path | None = None, timeout: float = 600
) -> subprocess.CompletedProcess[str]:
    """Run python with some words on one or more processes; the output is captured.  The timeout is in s."""
    launcher = ["mpiexec", "-n", str(processes)] if processes > 1 else []
    command = [*launcher, sys.executable, *map(str, words)]
    return subprocess.run(command, env=environment(), cwd=folder, capture_output=True, text=True, timeout=timeout)


def run_windlass(words: list[str], processes: int = 1, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the command ``windlass`` with some words."""
    return run_python(["-m", "windlass.commands.cli", *words], processes, folder)
