"""Tests of files that are written atomically, of digests, journals and locks. Random kills and full disks are tested in
tests/campaigns.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from windlass.elements import MassPoint
from windlass.framework.errors import OutputError
from windlass.framework.files import journal
from windlass.framework.files.hdf5 import LARGE, Overlay
from windlass.framework.files.lock import OutputLock, _process
from windlass.framework.files.whole_files import (
    NoRoomError,
    check_seal,
    create_draft,
    remove_drafts,
    replace_file,
    seal,
)
from windlass.framework.model.world import World
from windlass.framework.output.recorder import Recorder
from windlass.framework.output.sensors import Sensor, Sensors
from windlass.framework.state.state import State

from support.processes import ROOT, environment, run_windlass
from support.series import read_series


def create_state() -> State:
    """Return a state of one mass."""
    world = World()
    world.add(MassPoint, position=(0.0, 0.0), displacement=(0.1, 0.2), mass=1.0)
    return State(world)


def test_every_damage_of_a_state_file_is_found(tmp_path: Path) -> None:
    """A digest of the whole file detects each changed bit of a state file, including bits that NumPy ignores."""

    path = create_state().save(tmp_path / "state.npz")
    content = path.read_bytes()
    with np.load(path) as file:
        assert file["q"][1] == 0.2
    for at in range(0, len(content), 37):
        path.write_bytes(content[:at] + bytes([content[at] ^ 4]) + content[at + 1 :])
        with pytest.raises(OutputError, match=r"state file .*state.npz (does not have the|has no) digest at its end"):
            create_state().load(path)
        path.write_bytes(content[:at])
        with pytest.raises(OutputError, match=r"has no digest at its end|does not have"):
            create_state().load(path)
    path.write_bytes(content)
    assert create_state().load(path).q[1] == 0.2
    with pytest.raises(OutputError, match="no such file"):
        create_state().load(tmp_path / "none.npz")
    with pytest.raises(OutputError, match="is a folder: must be a file"):
        create_state().load(tmp_path)
    with pytest.raises(OutputError, match="state file /dev/null is a device: must be a file"):
        create_state().save("/dev/null")


def test_a_file_is_replaced_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After any failure, the old file is complete and the temporary file does not exist. Links are replaced, not
    followed.
    """
    path, other = tmp_path / "a.npz", tmp_path / "other"
    path.write_text("old")
    for call, error in (("pwrite", errno.ENOSPC), ("fsync", errno.EIO), ("replace", errno.EPERM)):
        with monkeypatch.context() as patch:

            def fail(*_: object, error: int = error) -> None:
                raise OSError(error, os.strerror(error))

            patch.setattr(os, call, fail)
            with pytest.raises(NoRoomError if error == errno.ENOSPC else OSError) as caught:
                replace_file(path, b"new content", sync=True)
        assert path.read_text() == "old" and [p.name for p in tmp_path.iterdir()] == ["a.npz"]
        if error == errno.ENOSPC:
            assert "11 bytes are needed, " in str(caught.value) and "bytes are free (No space" in str(caught.value)
    other.write_text("of somebody else")
    path.unlink()
    path.symlink_to(other)
    replace_file(path, b"new")
    assert other.read_text() == "of somebody else" and path.read_text() == "new" and not path.is_symlink()


def test_drafts_have_names_that_nobody_foresees(tmp_path: Path) -> None:
    """A temporary file is always a new file with an unpredictable name.

    A process that holds the lock removes abandoned temporary files, but not the temporary files in use.
    """
    names = set()
    for name in ("belt.h5", "belt.h5", "belt_000012.vtu", "belt_part2.h5", "belt2.h5", "other.h5"):
        number, draft = create_draft(tmp_path / name)
        os.close(number)
        names.add(draft.name)
    assert len(names) == 6
    remove_drafts(tmp_path, "belt")
    assert len(list(tmp_path.iterdir())) == 6
    remove_drafts(tmp_path, "belt", alone=True)
    assert sorted(path.name.split(".")[1] for path in tmp_path.iterdir()) == ["belt2", "other"]


def test_journal_is_carried_out_once_and_only_for_its_file(tmp_path: Path) -> None:
    """A journal is applied once. Journals that are incomplete, or whose file was replaced, are ignored."""
    path = tmp_path / "file"
    path.write_bytes(bytes(100))
    changes = [(10, b"abc"), (50, b"defg")]
    journal._write_journal(journal.journal_of(path), 100, 100, changes)
    whole = journal.journal_of(path).read_bytes()
    assert journal.recover(path) and not journal.recover(path)
    assert path.read_bytes()[10:13] == b"abc" and path.read_bytes()[50:54] == b"defg"
    for torn in (b"", whole[:20], whole[:-1], whole[:30] + b"x" + whole[31:]):
        path.write_bytes(bytes(100))
        journal.journal_of(path).write_bytes(torn)
        assert not journal.recover(path) and path.read_bytes() == bytes(100)
        assert not journal.journal_of(path).exists()
    path.write_bytes(bytes(101))
    journal.journal_of(path).write_bytes(whole)
    assert not journal.recover(path) and path.read_bytes() == bytes(101)


@pytest.mark.parametrize("failures", [1, 2])
def test_a_failed_change_is_undone_or_completed_later(
    failures: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a write of a change fails, the file is unchanged. If the undo fails too, the journal and the new bytes after
    the old end remain, and `recover` completes the change.
    """
    path = tmp_path / "file"
    path.write_bytes(bytes(100))
    changes, behind = [(10, b"abc"), (50, b"defg")], [(100, b"tail")]
    write, left = journal._write, [failures]

    def fail(name: Path, given: journal.Changes) -> None:
        if given is behind:
            return write(name, given)
        write(name, given[:1])
        if left[0] > 0:
            left[0] -= 1
            raise OSError(errno.EIO, "the disk does not answer")
        return write(name, given)

    monkeypatch.setattr(journal, "_write", fail)
    with pytest.raises(OSError, match="does not answer"):
        journal.change_file(path, 100, changes, behind)
    if failures == 1:
        assert path.read_bytes() == bytes(100) and not journal.recover(path)
        return
    assert journal.recover(path)
    content = path.read_bytes()
    assert content[10:13] == b"abc" and content[50:54] == b"defg" and content[100:] == b"tail"


def test_large_data_overwrite_data_in_memory(tmp_path: Path) -> None:
    """Small data, then large data, then small data are written to the same place after the old end of a file. A read
    returns the data of the last write, and the file contains these data.
    """
    path = tmp_path / "file"
    path.write_bytes(bytes(10))
    large = b"x" * (LARGE + 5)
    with path.open("r+b") as file:
        overlay = Overlay(file.fileno())
        for place, data in ((12, b"old"), (10, large), (14, b"new")):
            overlay.seek(place)
            overlay.write(data)
        overlay.seek(0)
        expected = bytes(10) + large[:4] + b"new" + large[7:]
        assert overlay.read(len(expected)) == expected
        journal.change_file(path, overlay.size, overlay.changes(), overlay.behind, overlay.end)
    assert path.read_bytes() == expected


def test_seal() -> None:
    """The data that precede the seal of a file can be read."""
    assert bytes(check_seal(b"content" + seal(b"content"), "it")) == b"content"
    for wrong in (b"", b"content", seal(b"content"), b"contenT" + seal(b"content")):
        with pytest.raises(OutputError, match=r"it (has no|does not have the) digest"):
            check_seal(wrong, "it")


def test_two_runs_on_the_same_files(tmp_path: Path) -> None:
    """The second run on the same files is refused before it changes any file. The error names process and host of the
    first run.
    """
    first = "time [s],step [1],of the first run\n"
    (tmp_path / "sensors.csv").write_text(first)
    words = ["run", str(ROOT / "tests/support/restart_models.py"), "-kind", "switched"]
    lock = OutputLock(tmp_path / "sensors.csv", "table")
    done = run_windlass(words, folder=tmp_path)
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert f"process {os.getpid()} on {socket.gethostname()} since" in done.stderr
    assert "is being written by another run" in done.stderr
    assert (tmp_path / "sensors.csv").read_text() == first
    lock.release()
    assert [path.name for path in tmp_path.iterdir()] == ["sensors.csv"]


def test_locks_are_held_by_processes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One process may hold a lock several times, and releases it with the last release. The lock of a process that has
    ended is taken over with a note.
    """
    first, second = OutputLock(tmp_path / "a", "file"), OutputLock(tmp_path / "a", "file")
    first.release()
    first.release()
    assert (tmp_path / ".a.lock").exists()
    del second
    assert not list(tmp_path.iterdir())
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    owner = {"process": gone.pid, "host": socket.gethostname(), "since": "yesterday"}
    (tmp_path / ".a.lock").write_text(json.dumps(owner))
    lock = OutputLock(tmp_path / "a", "file")
    assert (
        f"the lock of process {gone.pid} on {socket.gethostname()} since yesterday, "
        "which no longer exists, is taken over" in (capsys.readouterr().err)
    )
    assert json.loads((tmp_path / ".a.lock").read_text())["process"] == os.getpid()
    lock.release()


def test_locks_where_the_disk_knows_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a file system without locks, a lock is valid while the process that the lock file names is running.

    A process of another host counts as running.
    """

    def fail(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", fail)
    path = tmp_path / ".a.lock"
    for process, host in ((os.getppid(), socket.gethostname()), (1, "elsewhere")):
        path.write_text(json.dumps({"process": process, "host": host, "since": "noon"}))
        with pytest.raises(
            OutputError, match=rf"process {process} on {host} since noon.*if that run no longer exists, remove"
        ):
            OutputLock(tmp_path / "a", "file")
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    path.write_text(json.dumps({"process": gone.pid, "host": socket.gethostname()}))
    OutputLock(tmp_path / "a", "file").release()
    assert path not in _process.held


def test_recorders_and_sensors_lock_their_files(tmp_path: Path) -> None:
    """Recorders and sensors lock their files until they are closed.

    Targets that are not files are refused when the recorder or sensor is created.
    """
    world = World()
    point = world.add(MassPoint, position=(0.0, 0.0), mass=1.0)
    sensor = [Sensor(point, "position")]
    recorder, sensors = Recorder(tmp_path / "belt"), Sensors(tmp_path / "s.csv", sensor)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".belt.lock", ".s.csv.lock"]
    recorder.close()
    sensors.close()
    assert not list(tmp_path.iterdir())
    os.mkfifo(tmp_path / "belt.vtkhdf")
    with pytest.raises(OutputError, match=r"belt.vtkhdf is a FIFO"):
        Recorder(tmp_path / "belt")
    with pytest.raises(OutputError, match=r"table /dev/null is a device"):
        Sensors("/dev/null", sensor)


FULL = """
import windlass as wl
from windlass.elements import nodes_of, straight_cable
from windlass.connectors import hinge
world = wl.World(gravity=(0.0, -9.81))
rope = straight_cable(world, (0, 0), (1, 0), 40, axial_stiffness=1e4, bending_stiffness=1e-3, mass_per_length=0.2)
hinge(world, nodes_of(world, rope)[0])
with wl.Recorder("rope", formats=(wl.option("format", "vtkhdf", "", "of the files"),)) as recorder:
    wl.Dynamic(world, step=1e-3, end=0.1).solve(hooks=[recorder])
"""


@pytest.mark.parametrize(("kind", "limit"), [("xdmf", 400), ("vtkhdf", 1200)])
def test_command_on_a_full_disk(kind: str, limit: int, tmp_path: Path) -> None:
    """A full disk gives one message and exit code 2, without a crash in HDF5. Earlier frames are readable and no other
    file remains.
    """
    (tmp_path / "model.py").write_text(FULL)
    command = [sys.executable, "-m", "windlass.commands.cli", "run", "model.py", "-format", kind]
    limited = ["bash", "-c", f'ulimit -f {limit}; exec "$@"', "-", *command]
    done = subprocess.run(limited, env=environment(), cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2, done.stderr
    errors = [line for line in done.stderr.splitlines() if line.startswith("error")]
    assert len(errors) == 1
    assert f"bytes are needed, files may have {1024 * limit} bytes (File too large)" in errors[0]
    assert "Traceback" not in done.stderr
    times, frame = read_series(tmp_path / f"rope.{kind}")
    assert len(times) > 3
    for time in times:
        frame(time)
    assert not list(tmp_path.glob(".*"))
