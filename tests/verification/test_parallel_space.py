"""Results of 3D cables on several processes, and of kernels as plain Python, are compared with one process and compiled
kernels.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.processes import ROOT, run_python


def run_net(folder: Path, processes: int) -> Any:
    """Return the results of the program on a number of processes."""
    path = folder / f"net{processes}.npz"
    done = run_python([ROOT / "tests/support/parallel_space.py", path, "-quiet"], processes)
    assert done.returncode == 0, done.stderr
    return np.load(path)


@pytest.fixture(scope="module")
def serial(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return the results of the net on one process."""
    return run_net(tmp_path_factory.mktemp("serial"), 1)


def assert_same(given: Any, expected: Any) -> None:
    """Check that states and outputs agree within a relative error of 1e-8, with equal counts of iterations."""
    for name in expected.files:
        scale = np.abs(expected[name]).max()
        np.testing.assert_allclose(given[name], expected[name], atol=1e-8 * scale, rtol=0, err_msg=name)
    np.testing.assert_array_equal(given["newton"], expected["newton"])


@pytest.mark.mpi
@pytest.mark.parametrize("processes", [2, pytest.param(3, marks=pytest.mark.long)])
def test_net_in_space(serial: Any, processes: int, tmp_path: Path) -> None:
    """Results on one and several processes agree for a 3D net with knots, user force functions, an eccentric load and
    randomly ordered nodes.
    """
    assert_same(run_net(tmp_path, processes), serial)


@pytest.mark.long
def test_without_compiler(serial: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Results of kernels as Python functions and of compiled kernels agree."""
    monkeypatch.setenv("WINDLASS_JIT", "0")
    assert_same(run_net(tmp_path, 1), serial)
