"""Worlds that are built in parts, each process giving some of the rows: the same answers as on one process."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from numpy.testing import assert_allclose

from support.processes import ROOT, run_python

PROGRAM = ROOT / "tests/support/parallel_building.py"


def run_program(folder: Path, processes: int) -> Any:
    """Results of the program on some processes, and what it printed as errors."""
    path = folder / f"building{processes}.json"
    done = run_python([PROGRAM, path], processes)
    assert path.exists(), done.stderr
    return json.loads(path.read_text()), done


@pytest.fixture(scope="module")
def serial(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The results of one process."""
    found, done = run_program(tmp_path_factory.mktemp("serial"), 1)
    assert done.returncode == 0, done.stderr
    return found


def test_errors_of_one_process(serial: Any) -> None:
    """A process on its own must give all rows."""
    errors = serial["errors"]
    assert errors["lost"].startswith("Point2D 5 (Point2D row 5): no process gives this row")
    assert errors["disagree"] == "nothing raised"
    assert errors["negative"] == "numbers[1] = 1 in Part of 4 rows: must be ascending row numbers from 0 to 3"
    assert errors["too_few"].startswith("position in Point2D row 0 has shape (3, 2)")


@pytest.mark.mpi
@pytest.mark.parametrize("processes", [2, 3])
def test_building_in_parts(serial: Any, processes: int, tmp_path: Path) -> None:
    """Answers, numbers and names are those of one process; wrong parts are one message on all processes."""
    parallel, done = run_program(tmp_path, processes)
    mine, reference = parallel["chains"], serial["chains"]
    for name in ("q", "data", "of"):
        assert_allclose(mine[name], reference[name], rtol=0, atol=1e-10, err_msg=name)
    for name in ("force", "spring"):
        assert_allclose(mine[name], reference[name], rtol=0, atol=1e-6, err_msg=name)
    for name in ("before", "coordinates", "contacts"):
        assert mine[name] == reference[name], name
    for (_, rows, count), (_, _, same) in zip(mine["held"], reference["held"], strict=True):
        assert count == same
        assert rows < 0.75 * count
    errors = parallel["errors"]
    assert errors["disagree"] == (
        "position in Point2D row 4: processes give 0 and 0.5 m: must be the same on all processes that give this row"
    )
    for name in ("lost", "zero_slope", "negative", "too_few"):
        assert errors[name] == serial["errors"][name]
    # the last error ends the program, with one message
    assert done.returncode == 2
    assert done.stderr.count("error:") == 1, done.stderr
    assert "call 1 of World.add adds 8 rows of Point2D on process 0, 9 rows of Point2D on process 1" in done.stderr
