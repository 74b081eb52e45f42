"""Worlds that are built on one process have the same results as worlds that are built in parts, where each process
provides some of the rows.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from support.meshes import write_lines
from support.processes import ROOT, run_python

LINES = 6
PROGRAM = ROOT / "tests/support/parallel_building.py"


def run_program(mesh: Path, folder: Path, processes: int, *options: str) -> Any:
    """Return the results of the program on a number of processes, and its error output."""
    path = folder / f"building{processes}.json"
    done = run_python([PROGRAM, mesh, path, *options], processes)
    assert path.exists(), done.stderr
    return json.loads(path.read_text()), done


@pytest.fixture(scope="module")
def mesh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Create a net of 6 x 6 lines, with points in random order."""
    place = np.random.default_rng(5).permutation(LINES**2)
    points = np.empty((LINES**2, 2))
    points[place] = np.stack(np.divmod(np.arange(LINES**2), LINES), axis=1)
    grid = place.reshape(LINES, LINES)
    along = np.stack((grid[:-1].ravel(), grid[1:].ravel()), axis=1)
    across = np.stack((grid[:, :-1].ravel(), grid[:, 1:].ravel()), axis=1)
    lines = np.concatenate((along, across))
    groups = {"along": np.arange(len(along)), "across": len(along) + np.arange(len(across))}
    folder = tmp_path_factory.mktemp("mesh")
    return write_lines(folder / "net.msh", points, lines, groups, {"held": grid[:, -1]})


@pytest.fixture(scope="module")
def serial(mesh: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return the results on one process."""
    found, done = run_program(mesh, tmp_path_factory.mktemp("serial"), 1)
    assert done.returncode == 0, done.stderr
    return found


def test_errors_of_one_process(serial: Any) -> None:
    """Each row must be given by a process, and each input must be consistent, even on a single process."""
    errors = serial["errors"]
    assert errors["lost"].startswith("Point2D 5 (Point2D row 5): no process gives this row")
    assert errors["disagree"] == "nothing raised"
    assert errors["negative"] == "numbers[1] = 1 in Part of 4 rows: must be ascending row numbers from 0 to 3"
    assert errors["no_count"].startswith("count = -1 in Part: must be a whole number >= 0")
    for name, need in (("made", "MassPoint needs node"), ("no_history", "ContactCoordinate needs data")):
        assert errors[name].startswith(need)
        assert f"rows with a part do not create it: add it first, and pass it as {need.split()[-1]}=" in errors[name]
    assert "'diagonal', which is no group of lines" in errors["no_group"]
    assert errors["too_few"].startswith("position in Point2D row 0 has shape (3, 2)")


@pytest.mark.mpi
@pytest.mark.parametrize(("processes", "partition"), [(2, "auto"), (3, "graph")])
def test_building_in_parts(serial: Any, mesh: Path, processes: int, partition: str, tmp_path: Path) -> None:
    """Results, row numbers and names agree with a run on one process. Wrong parts give the same message on all
    processes."""
    parallel, done = run_program(mesh, tmp_path, processes, "-partition", partition)
    mine, reference = parallel["chains"], serial["chains"]
    for name in ("q", "data", "of"):
        assert_allclose(mine[name], reference[name], rtol=0, atol=1e-10, err_msg=name)
    for name in ("force", "spring"):
        assert_allclose(mine[name], reference[name], rtol=0, atol=1e-6, err_msg=name)
    for name in ("before", "coordinates", "contacts"):
        assert mine[name] == reference[name], name
    net, whole = parallel["net"], serial["net"]
    assert net["net"] == whole["net"]
    assert_allclose(net["q"], whole["q"], rtol=0, atol=1e-10)
    for name in ("mixed_net", "twist_net"):
        twisted, plain = parallel[name], serial[name]
        assert twisted["net"] == plain["net"]
        assert_allclose(twisted["q"], plain["q"], rtol=0, atol=1e-10)
        assert_allclose(twisted["torque"], plain["torque"], rtol=0, atol=1e-8)
        assert np.abs(plain["torque"]).max() > 1e-2
    for (_, rows, count), (_, _, same) in zip(
        mine["held"] + net["held"] + twisted["held"], reference["held"] + whole["held"] + plain["held"], strict=True
    ):
        assert count == same
        assert rows < 0.8 * count
    errors = parallel["errors"]
    assert errors["disagree"] == (
        "position in Point2D row 4: processes give 0 and 0.5 m: must be the same on all processes that give this row"
    )
    for name in ("no_group", "lost", "zero_slope", "negative", "no_count", "made", "no_history", "too_few"):
        assert errors[name] == serial["errors"][name]
    # the last error ends the program with one message
    assert done.returncode == 2
    assert done.stderr.count("error:") == 1, done.stderr
    assert "call 1 of World.add adds 8 rows of Point2D on process 0, 9 rows of Point2D on process 1" in done.stderr
