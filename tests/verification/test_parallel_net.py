"""A net whose nodes are numbered in random order gives equal results on one and several processes. The processes have
parts of the graph of the net.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.processes import ROOT, run_python


def run_net(folder: Path, processes: int, *words: str) -> Any:
    """Return the results of the net program on a number of processes."""
    path = folder / f"net{processes}.npz"
    done = run_python([ROOT / "tests/support/parallel_net.py", path, *words, "-quiet"], processes)
    assert done.returncode == 0, done.stderr
    return np.load(path)


@pytest.fixture(scope="module")
def serial(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return the results of the net on one process."""
    return run_net(tmp_path_factory.mktemp("serial"), 1)


@pytest.mark.mpi
@pytest.mark.parametrize("processes", [2, pytest.param(3, marks=pytest.mark.long)])
@pytest.mark.parametrize("partition", ["auto", "rows"])
def test_net_in_random_order(serial: Any, processes: int, partition: str, tmp_path: Path) -> None:
    """Static and dynamic states on one and several processes agree within a relative error of 1e-8, with equal counts
    of iterations. The graph partition has few ghosts.
    """
    parallel = run_net(tmp_path, processes, "-partition", partition)
    for name in ("hung", "swung", "v", "lam"):
        scale = np.abs(serial[name]).max()
        np.testing.assert_allclose(parallel[name], serial[name], atol=1e-8 * scale, rtol=0, err_msg=name)
    np.testing.assert_array_equal(parallel["newton"], serial["newton"])
    owned, local = parallel["owned_and_local"].T
    assert owned.sum() == len(serial["hung"])
    if partition == "auto":
        assert owned.max() < 1.1 * owned.mean()
        assert (local - owned).sum() < 150 * (processes - 1)
    else:
        assert (local - owned).sum() > 250 * (processes - 1)
