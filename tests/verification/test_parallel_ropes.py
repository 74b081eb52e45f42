"""Ropes in contact with ropes and searched surfaces on several processes: a 3D net that falls on a sphere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from support.processes import ROOT, run_python


def run_net(folder: Path, processes: int, steps: int) -> Any:
    """Return the results of the program on a number of processes."""
    path = folder / f"net{processes}.npz"
    done = run_python([ROOT / "tests/support/parallel_laid_net.py", path, steps, "-quiet"], processes)
    assert done.returncode == 0, done.stderr
    with np.load(path) as file:
        return dict(file)


@pytest.mark.mpi
@pytest.mark.parametrize(
    ("processes", "steps"),
    [(2, 16), pytest.param(2, 80, marks=pytest.mark.long), pytest.param(3, 80, marks=pytest.mark.long)],
)
def test_net_on_a_sphere(processes: int, steps: int, tmp_path: Path) -> None:
    """State, history values including bristles, and reactions on ropes of other processes agree with the results of one
    process within 1e-8, with equal counts of iterations.
    """
    serial, parallel = (run_net(tmp_path, count, steps) for count in (1, processes))
    # ropes press on the ball and on each other, at points of several ropes
    assert (np.linalg.norm(serial["contact_force"], axis=1) > 0.0).sum() > 4 and (serial["surface"] == 0).any()
    assert_array_equal(parallel.pop("counts"), serial["counts"])
    for name, found in parallel.items():
        finite = np.isfinite(serial[name])
        assert_array_equal(np.isfinite(found), finite, err_msg=name)
        scale = np.abs(serial[name][finite]).max(initial=0.0)
        assert_allclose(found[finite], serial[name][finite], rtol=0, atol=1e-8 * scale, err_msg=name)


@pytest.mark.mpi
@pytest.mark.long
def test_crane(tmp_path: Path) -> None:
    """The crane runs 20 steps on two processes, although MUMPS needs more memory for the first static tangent than
    MUMPS estimates. Counts of all steps are equal. In the first step, the counts are equal only if rounding errors do
    not decide whether points at the friction limit stick or slip, because the rope slips on the drum in the preceding
    static solve.
    """
    found = []
    for processes in (1, 2):
        path = tmp_path / f"crane{processes}.npz"
        words = ["-case", "crane", "-count", "20", "-steps", "20", "-out", path, "-output", "none", "-quiet"]
        # residuals below 1e-6 of the first residual are rounding errors, see agreement.py
        words += ["-static_snes_rtol", "1e-6", "-dynamic_snes_rtol", "1e-6"]
        done = run_python([ROOT / "benchmarks/agreement_child.py", *words], processes)
        assert done.returncode == 0, done.stderr
        # the drum is far from the ropes of the second process
        assert "no cable is near" not in done.stdout + done.stderr
        with np.load(path) as file:
            found.append(dict(file))
    serial, parallel = found
    for name in ("newton", "passes"):
        assert_array_equal(parallel[name], serial[name])
    for name in ("sensors: block", "sensors: tension"):
        assert_allclose(parallel[name], serial[name], rtol=0, atol=1e-8 * np.abs(serial[name]).max(), err_msg=name)
