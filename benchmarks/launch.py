"""Function that starts a script on several processes of mpiexec, or on one process without mpiexec."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from harness import ROOT, THREAD_VARIABLES


def run_on_processes(
    script: Path, processes: int, words: Sequence[str], timeout: float = 7200.0, waits_quietly: bool = False
) -> str:
    """Run a script of Windlass and return its output.

    Args:
        script: the file of the script. The script can import from the folders of the checkout and of its tests.
        processes: number of processes, which may exceed the number of cores.
        words: options of the script.
        timeout: time limit [s].
        waits_quietly: whether waiting processes yield their cores to other processes, which costs time if each process
            has a separate core.

    Raises:
        SystemExit: the script failed, or mpiexec does not exist.
    """
    launcher = [] if processes == 1 else [shutil.which("mpiexec") or "mpiexec", "-n", str(processes)]
    command = [*launcher, sys.executable, str(script), *words, "-progress", "false"]
    # without these options, mpiexec of Open MPI refuses to run as root, and to run on fewer cores than processes
    mpi = {name: "1" for name in ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM")}
    mpi |= {"OMPI_MCA_rmaps_base_oversubscribe": "1"}
    if waits_quietly:
        mpi |= {"OMPI_MCA_mpi_yield_when_idle": "1"}
    paths = {"PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests")])}
    environment = os.environ | dict.fromkeys(THREAD_VARIABLES, "1") | mpi | paths
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, env=environment)
    except OSError as error:
        sys.exit(f"{' '.join(command)}: {error.strerror}")
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr[-3000:]}")
    return done.stdout
