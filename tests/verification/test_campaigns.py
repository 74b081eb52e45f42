"""Short forms of the campaigns of tests/campaigns, whose long ones are run by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from campaigns import cache, damage, full_disk, impacts, kill, model_file, outputs


def test_killed_runs(tmp_path: Path) -> None:
    """Frames that were whole are readable, and restarts end with the same bits."""
    assert "no frame lost" in kill.run(2, tmp_path, seed=2)


@pytest.mark.long
def test_full_disks(tmp_path: Path) -> None:
    """One message with the bytes needed and free, exit code 2, earlier frames readable, nothing left."""
    assert "nothing left" in full_disk.run(8, tmp_path, seed=2)


def test_damaged_files(tmp_path: Path) -> None:
    """States, checkpoints, and series of a run that continues."""
    assert "all refused" in damage.run(12, tmp_path, seed=2)


@pytest.mark.parametrize("seed", [1, 2])
def test_files_of_users(seed: int, tmp_path: Path) -> None:
    """Each way to write, aimed at models, notes, data, folders, and its own former output."""
    assert "no file of a user changed" in outputs.run(8, tmp_path, seed)


def test_damaged_machine_code(tmp_path: Path) -> None:
    """Bits, cuts and blocks in files of the compiler cache."""
    assert "mended" in cache.run(6, tmp_path, seed=2)


@pytest.mark.parametrize("seed", [2, 3])
def test_changed_model_files(seed: int, tmp_path: Path) -> None:
    """Keys that are removed, misspelt, given twice, or have wrong values: named, or noted as an edit."""
    assert "none raw, none silent" in model_file.run(100, tmp_path, seed, ("catenary", "mass_on_springs"))


@pytest.mark.parametrize("seed", [1, 2])
def test_impacts(tmp_path: Path, seed: int) -> None:
    """Each contact by each method: runs with the verdict ok have the right speed, and resolved ones are ok."""
    assert "largest error of what is ok" in impacts.run(60, tmp_path, seed)
