"""Outputs on one and on several processes are equal up to rounding errors, and contain the partition as a field."""

from __future__ import annotations

from pathlib import Path

import h5py
import meshio
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from windlass.framework.output.csv import read_csv

from support.processes import ROOT, run_python

PROGRAM = ROOT / "tests/support/parallel_outputs.py"


def run_program(folder: Path, processes: int) -> Path:
    """Run the program of all outputs on a number of processes."""
    done = run_python([PROGRAM, folder], processes)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def serial(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the files of a run on one process."""
    return run_program(tmp_path_factory.mktemp("serial"), 1)


def assert_same(parallel: np.ndarray, serial: np.ndarray, rtol: float, what: str) -> None:
    """Check that arrays have equal shapes, NaN at the same places, and values that agree within a fraction of the
    largest value.
    """
    assert parallel.shape == serial.shape, what
    scale = np.nanmax(np.abs(serial), initial=0.0) if serial.dtype.kind == "f" else 0.0
    assert_allclose(parallel, serial, rtol=0, atol=rtol * scale, err_msg=what)


@pytest.mark.mpi
@pytest.mark.parametrize("processes", [2, 3])
def test_outputs_on_several_processes(serial: Path, processes: int, tmp_path: Path) -> None:
    """Output variables in a given state agree to 1e-12, and outputs after 100 steps of a belt (with another
    factorisation) to 1e-9.
    """
    parallel = run_program(tmp_path, processes)
    for name, rtol in (("outputs.npz", 1e-12), ("run.npz", 1e-9)):
        expected, found = np.load(serial / name), np.load(parallel / name)
        assert sorted(found) == sorted(expected)
        for key in expected:
            assert_same(found[key], expected[key], rtol, key)
    expected_table, found_table = read_csv(serial / "belt.csv"), read_csv(parallel / "belt.csv")
    assert list(found_table) == list(expected_table)
    for column, values in expected_table.items():
        assert_allclose(found_table[column], values, rtol=0, atol=1e-8 * max(1.0, np.abs(values).max()), err_msg=column)
    assert_same_frames(serial, parallel, processes)
    assert (parallel / "belt.png").stat().st_size == pytest.approx((serial / "belt.png").stat().st_size, rel=0.05)


def assert_same_frames(serial: Path, parallel: Path, processes: int) -> None:
    """Check that points, lines, labels and fields have the order of a run on one process, and that every process draws
    some of the lines.
    """
    frames = sorted(path.name for path in serial.glob("belt_*.vtu"))
    assert len(frames) == 5
    assert sorted(path.name for path in parallel.glob("belt_*.vtu")) == frames
    for frame in frames:
        expected, found = meshio.read(serial / frame), meshio.read(parallel / frame)
        assert_allclose(found.points, expected.points, rtol=0, atol=1e-10)
        assert_array_equal(found.cells[0].data, expected.cells[0].data)
        for name, values in expected.point_data.items():
            assert_same(found.point_data[name], values, 1e-7, name)
        assert list(found.cell_data) == list(expected.cell_data)
        assert not expected.cell_data.pop("partition")[0].any()
        for name, (values,) in expected.cell_data.items():
            assert_same(found.cell_data[name][0], values, 1e-7, name)
        assert_array_equal(np.unique(found.cell_data["partition"][0]), np.arange(processes))
    with h5py.File(parallel / "belt.vtkhdf") as file:
        root = file["VTKHDF"]
        assert root["Steps"].attrs["NSteps"] == len(frames)
        lines = len(found.cells[0].data)
        last = slice((len(frames) - 1) * lines, len(frames) * lines)
        for name, (values,) in found.cell_data.items():
            written = root["CellData/part"] if name == "part" else root[f"CellData/{name}"][last]
            assert_array_equal(written, values, name)
