"""If tables are distributed over processes, each process has the rows that it needs, and calls on one and several
processes have equal results.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from numpy.testing import assert_allclose

from support.processes import ROOT, run_python

PROGRAM = ROOT / "tests/support/parallel_parts.py"


def run_program(folder: Path, processes: int) -> Any:
    """Return the results of the program on a number of processes."""
    path = folder / f"parts{processes}.json"
    done = run_python([PROGRAM, path], processes)
    assert done.returncode == 0, done.stderr
    return json.loads(path.read_text())


@pytest.fixture(scope="module")
def serial(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return the results on one process."""
    return run_program(tmp_path_factory.mktemp("serial"), 1)


@pytest.mark.mpi
@pytest.mark.parametrize("processes", [2, pytest.param(3, marks=pytest.mark.long)])
def test_a_chain_on_wheels_in_parts(serial: Any, processes: int, tmp_path: Path) -> None:
    """Handles, switches and error messages agree with a run on one process. Rows are on the processes that need
    them.
    """
    parallel = run_program(tmp_path, processes)
    for name in ("sag", "switched"):
        assert_allclose(parallel[name], serial[name], rtol=0, atol=1e-9, err_msg=name)
    for name in ("length", "names", "coordinates", "force", "friction", "not held"):
        assert parallel[name] == serial[name], name
    # the residual norms in the messages are not compared, because they differ by rounding errors
    assert parallel["fails"].split("residual norms")[0] == serial["fails"].split("residual norms")[0]
    worst = [line.split("residual")[0] for line in serial["fails"].splitlines() if "worst equation" in line]
    assert worst
    assert worst == [line.split("residual")[0] for line in parallel["fails"].splitlines() if "worst equation" in line]
    assert "length of Cable2D: requires all processes" in parallel["guard"]
    held = parallel["held"]
    for kind, (rows, count) in serial["held"][0].items():
        assert rows == count
        parts = [part[kind][0] for part in held]
        assert all(part[kind][1] == count for part in held)
        assert sum(parts) >= count
        if kind in ("RigidBody2D", "RigidNode2D", "PositionOnRigid2D"):
            # the chain touches both wheels on all processes
            assert parts == [count] * processes
        elif kind in ("PointSlope2D", "Cable2D", "CableShape", "GenericData", "ContactFrictionCircleCable2D"):
            # the middle process has ghosts on both sides
            assert max(parts) <= count / processes * 1.12 + 2
