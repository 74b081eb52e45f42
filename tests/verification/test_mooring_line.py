"""A mooring line in waves gives equal results on one and two processes, and exactly equal results after a restart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import windlass as wl

from support.mooring import build_line, solve_line
from support.processes import ROOT, run_python


def assert_same(path: Path, serial: dict[str, Any]) -> None:
    """Check that results agree within a relative error of 1e-8, with equal counts of iterations."""
    given = np.load(path)
    for name, expected in serial.items():
        scale = np.abs(expected).max()
        assert_allclose(given[name], expected, atol=1e-8 * scale, rtol=0, err_msg=name)
    assert_array_equal(given["newton"], serial["newton"])


@pytest.mark.mpi
def test_two_processes(tmp_path: Path) -> None:
    """States, tensions and drag of a line on one process and of a line that is divided between two processes agree."""
    done = run_python([ROOT / "tests/support/mooring.py", tmp_path / "line.npz", "-quiet"], 2)
    assert done.returncode == 0, done.stderr
    assert_same(tmp_path / "line.npz", solve_line())


@pytest.mark.long
def test_without_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Results of kernels as Python functions and of compiled kernels agree."""
    monkeypatch.setenv("WINDLASS_JIT", "0")
    done = run_python([ROOT / "tests/support/mooring.py", tmp_path / "line.npz", "-quiet"], 1)
    assert done.returncode == 0, done.stderr
    assert_same(tmp_path / "line.npz", solve_line())


def test_loads_have_no_memory(tmp_path: Path) -> None:
    """A motion that continues from a saved state in another world is bit-identical to the motion that continues in the
    first world.
    """
    ends = []
    half = wl.Dynamic(build_line()[0], step=0.05, end=0.5, name="").solve()
    path = half.save(tmp_path / "half.npz")
    for begin in (half, wl.State(build_line()[0]).load(path)):
        ends.append(wl.Dynamic(begin.world, step=0.05, end=1.0, name="").solve(begin))
    assert_array_equal(ends[1].q, ends[0].q)
    assert_array_equal(ends[1].v, ends[0].v)
