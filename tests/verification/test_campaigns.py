"""Short forms of the campaigns in tests/campaigns. The long forms are started by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from campaigns import cache, damage, full_disk, impacts, kill, model_file, outputs


def test_killed_runs(tmp_path: Path) -> None:
    """Complete frames of killed runs are readable. Restarted runs give exactly the results of uninterrupted runs."""
    assert "no frame lost" in kill.run(2, tmp_path, seed=2)


@pytest.mark.long
def test_full_disks(tmp_path: Path) -> None:
    """A full disk gives one message with the needed and the free bytes and exit code 2. Earlier frames are readable,
    and no other file remains.
    """
    assert "nothing left" in full_disk.run(8, tmp_path, seed=2)


def test_damaged_files(tmp_path: Path) -> None:
    """Damaged states, checkpoints, and series of a continued run give errors."""
    assert "all refused" in damage.run(12, tmp_path, seed=2)


@pytest.mark.parametrize("seed", [1, 2])
def test_files_of_users(seed: int, tmp_path: Path) -> None:
    """Functions that write files never overwrite models, notes, data and folders of users, but replace their own
    earlier output.
    """
    assert "no file of a user changed" in outputs.run(8, tmp_path, seed)


def test_damaged_machine_code(tmp_path: Path) -> None:
    """Changed bits, missing ends and empty blocks in files of the compiler cache are found."""
    assert "mended" in cache.run(6, tmp_path, seed=2)


@pytest.mark.parametrize("seed", [2, 3])
def test_changed_model_files(seed: int, tmp_path: Path) -> None:
    """Errors name the keys of a model file that are missing, misspelt, given twice or wrong. Changes that remain valid
    are noted as edits.
    """
    assert "none raw, none silent" in model_file.run(100, tmp_path, seed, ("catenary", "mass_on_springs"))


@pytest.mark.parametrize("seed", [1, 2])
def test_impacts(tmp_path: Path, seed: int) -> None:
    """For each contact law and method, runs with the verdict ``"ok"`` have the correct speed after an impact, and runs
    with small steps have the verdict ``"ok"``.
    """
    assert "largest error of what is ok" in impacts.run(60, tmp_path, seed)
