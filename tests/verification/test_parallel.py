"""A model gives the same results on several processes as on one process. The work and the matrix are distributed over
the processes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.processes import ROOT, run_python

STEPS = 800
Belts = Callable[[int], Any]


def run_belt(folder: Path, processes: int) -> Any:
    """Return the results of the belt program on a number of processes."""
    path = folder / f"belt{processes}.npz"
    done = run_python([ROOT / "tests/support/parallel_belt.py", path, STEPS], processes)
    assert done.returncode == 0, done.stderr
    return np.load(path)


@pytest.fixture(scope="module")
def belts(tmp_path_factory: pytest.TempPathFactory) -> Belts:
    """Return a function that runs the belt on a number of processes and returns the results. Each number is run
    once.
    """
    return cache(lambda processes: run_belt(tmp_path_factory.mktemp("belt"), processes))


@pytest.mark.mpi
@pytest.mark.parametrize("processes", [2, 3])
def test_belt_on_several_processes(belts: Belts, processes: int) -> None:
    """After 800 steps, coordinates and velocities agree with the results of one process within a relative error of
    1e-8, and the counts of iterations and passes are equal.

    The driver starts at step 500.

    The difference is due to the order of sums and another factorisation, and grows over the steps. Every process
    eliminates the equations of its part in all steps.
    """
    serial, parallel = belts(1), belts(processes)
    assert parallel["storage"] == "SUBSTRUCTURES"
    for name in ("q", "v", "lam"):
        scale = np.abs(serial[name]).max()
        np.testing.assert_allclose(parallel[name], serial[name], atol=1e-8 * scale, rtol=0, err_msg=name)
    np.testing.assert_allclose(parallel["data"], serial["data"], atol=1e-8, rtol=0)
    np.testing.assert_array_equal(parallel["newton"], serial["newton"])
    np.testing.assert_array_equal(parallel["passes"], serial["passes"])


@pytest.mark.mpi
def test_each_process_evaluates_its_own_rows(belts: Belts) -> None:
    """The numbers of rows that the processes evaluate per residual sum to the number on one process. Each process has
    its share of the rows and of the matrix.
    """
    serial, parallel = belts(1), belts(2)
    # the numbers of rows per residual are compared; the initial accelerations need one more evaluation, which is not
    # counted as a residual of Newton's method
    per_residual = parallel["rows"] // parallel["residuals"][:, None]
    np.testing.assert_array_equal(per_residual.sum(axis=0), serial["rows"][0] // serial["residuals"][0])
    names = list(parallel["names"])
    for name in ("Cable2D", "ContactFrictionCircleCable2D"):
        share = per_residual[:, names.index(name)]
        np.testing.assert_allclose(share, share.mean(), rtol=0.1)
    assert parallel["matrix_rows"].sum() == serial["matrix_rows"].sum()
    assert parallel["matrix_rows"].min() > 0.4 * serial["matrix_rows"].sum()


@pytest.mark.mpi
def test_processes_take_the_same_decisions(tmp_path: Path) -> None:
    """If step sizes are reduced because contacts do not settle, and a cycle of contact decisions is resolved, all
    processes have equal counts, and the end state agrees to 1e-8.

    Newton iterations near the tolerance depend on the rounding errors of the linear solver and may differ by 1 %.
    """
    results = []
    for processes in (1, 2):
        path = tmp_path / f"switching{processes}.npz"
        done = run_python([ROOT / "tests/support/parallel_switching.py", path], processes)
        assert done.returncode == 0, done.stderr
        results.append(np.load(path))
    serial, parallel = results
    steps_to_passes = [0, 1, 2, 4]
    np.testing.assert_array_equal(parallel["counts"][steps_to_passes], serial["counts"][steps_to_passes])
    np.testing.assert_allclose(parallel["counts"][3], serial["counts"][3], rtol=0.01)
    assert serial["counts"][1] > 0 and serial["counts"][2] > 0
    for name in ("q", "v", "data"):
        np.testing.assert_allclose(parallel[name], serial[name], rtol=0, atol=1e-8 * np.abs(serial[name]).max())
