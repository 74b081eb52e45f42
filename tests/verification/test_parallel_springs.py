"""Springs between bodies, wheels, friction and constraints on coordinates give equal results on two processes, and
after a kill and a restart.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from support.processes import ROOT, run_windlass


def run(folder: Path, processes: int = 1, kill_at: int = 0, *words: str) -> np.ndarray | None:
    """Return the coordinates at the end; None for a run that was killed."""
    path = folder / "end.npz"
    program = str(ROOT / "tests/support/parallel_springs.py")
    given = ["-end_state", str(path), "-kill_at", str(kill_at), *words, "-quiet"]
    done = run_windlass(["run", program, *given], processes, folder)
    if kill_at:
        assert done.returncode != 0
        return None
    assert done.returncode == 0, done.stderr
    return np.asarray(np.load(path)["q"])


@pytest.mark.long
@pytest.mark.mpi
def test_two_processes(tmp_path: Path) -> None:
    assert_allclose(run(tmp_path, 2), run(tmp_path), rtol=0, atol=1e-11)


@pytest.mark.long
def test_restart(tmp_path: Path) -> None:
    words = "-checkpoint", "kept.h5", "-checkpoint_every", "20", "-restart", "auto"
    run(tmp_path, 1, 30, *words)
    continued = run(tmp_path, 1, 0, *words)
    (tmp_path / "kept.h5").unlink()
    assert_array_equal(continued, run(tmp_path, 1, 0, *words))
