"""The run that campaigns disturb: a falling cable with all kinds of output, simulated in forked child processes."""

from __future__ import annotations

import gc
import os
import re
import signal
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np

from windlass.elements import nodes_of, straight_cable
from windlass.framework.errors import WindlassError
from windlass.framework.files import journal
from windlass.framework.files import whole_files as files
from windlass.framework.files.hdf5 import PAGE
from windlass.framework.model.world import World
from windlass.framework.output.csv import read_csv
from windlass.framework.output.recorder import Recorder
from windlass.framework.output.sensors import Sensor, Sensors
from windlass.framework.restart.checkpoint import Checkpoint
from windlass.framework.state.hooks import StepHook
from windlass.framework.state.state import State
from windlass.solvers.dynamic import Dynamic

from support.series import read_series

STEPS, EVERY = 12, 4
SERIES = ("rope.pvd", "rope.xdmf", "rope.vtkhdf")


class Reporter(StepHook):
    """Hook that sends the number of complete frames to another process."""

    def __init__(self, recorder: Recorder, pipe: int) -> None:
        self._recorder, self._pipe = recorder, pipe

    def after_step(self, state: State) -> None:
        """Send one byte per step."""
        os.write(self._pipe, bytes([self._recorder.frames]))


def simulate(folder: Path, pipe: int = -1, restart: bool = False) -> None:
    """Simulate some steps of the model, and save the last state."""
    world = World(gravity=(0.0, -9.81))
    cable = straight_cable(
        world, (0, 0), (1, 0), 40, axial_stiffness=1e4, bending_stiffness=1.0, mass_per_length=0.5, name="rope"
    )
    tip = nodes_of(world, cable)[40]
    keep = Checkpoint(folder / "run.h5", EVERY, "auto" if restart else None)
    recorder = Recorder(folder / "rope", formats=("vtu", "xdmf", "vtkhdf"))
    sensors = Sensors(folder / "tip.csv", [Sensor(tip, "position", name="tip")])
    reporter = [Reporter(recorder, pipe)] if pipe >= 0 else []
    with recorder, sensors:
        solver = Dynamic(world, step=1e-3, end=1e-3 * STEPS, name="")
        solver.solve(hooks=[recorder, sensors, *reporter, keep]).save(folder / "end.npz")


def in_child(work: Callable[[int], Any], kill_after: float | None = None) -> tuple[int, bytes]:
    """Run a function in a forked copy of this process.

    Args:
        work: function that receives a pipe to write to; after an error of Windlass, the child writes the error to the
            pipe and exits with code 2.
        kill_after: time after which the child is killed [s].

    Returns:
        The exit code, negative for signals, and the data from the pipe.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        code = 3
        # existing objects are excluded from garbage collection, because a collection in the child would copy their
        # memory
        gc.freeze()
        try:
            os.close(reading)
            work(writing)
            code = 0
        except WindlassError as error:
            os.write(writing, f"error: {error}".encode()[:4000])
            code = 2
        except BaseException:
            os.write(writing, traceback.format_exc().encode()[-4000:])
        finally:
            # locks are released when their objects are deleted, in the same way as at the end of a process
            gc.collect()
            os._exit(code)
    os.close(writing)
    if kill_after is not None:
        # the handler is installed first, because an alarm without a handler ends this process
        before = signal.signal(signal.SIGALRM, lambda *_: os.kill(child, signal.SIGKILL))
        signal.setitimer(signal.ITIMER_REAL, max(kill_after, 1e-3))
    said = b""
    while block := os.read(reading, 65536):
        said += block
    os.close(reading)
    # The pipe is closed when the child ends. The timer is stopped before `waitpid`, because afterwards another process
    # can get the process id of the child.
    if kill_after is not None:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    status = os.waitpid(child, 0)[1]
    return os.waitstatus_to_exitcode(status), said


def read_run(folder: Path) -> dict[str, Any]:
    """Return the content of a folder: the frames of each series, read by VTK's readers, and the table."""
    found: dict[str, Any] = {}
    for name in SERIES:
        journal.recover(folder / name)
        if name == "rope.xdmf":
            journal.recover(folder / "rope.h5")
        if not (folder / name).exists():
            found[name] = []
            continue
        times, frame = read_series(folder / name)
        if name == "rope.vtkhdf" and len(times) == 1:
            times = times[:0]  # VTK's reader returns no time for a series of one frame
        found[name] = [(time, frame(time)) for time in times]
    table = folder / "tip.csv"
    found["tip.csv"] = read_csv(table)["tip[0]"] if table.exists() else np.zeros(0)
    return found


def compare(found: dict[str, Any], whole: dict[str, Any], least: int) -> None:
    """Check that every frame and every row is equal to the frame or row of the undisturbed run, and that there are at
    least ``least`` frames and rows.
    """
    for name in SERIES:
        # a series of one frame has no time in VTKHDF
        assert len(found[name]) >= (least if name != "rope.vtkhdf" or least > 1 else 0), (name, len(found[name]), least)
        for (time, frame), (right, expected) in zip(found[name], whole[name], strict=False):
            assert time == right
            assert np.array_equal(frame.points, expected.points), (name, time)
            for field, values in expected.point_data.items():
                assert np.array_equal(frame.point_data[field], values, equal_nan=True), (name, time, field)
            for field, values in expected.cell_data.items():
                assert np.array_equal(frame.cell_data[field], values, equal_nan=True), (name, time, field)
    rows = found["tip.csv"]
    assert np.array_equal(rows, whole["tip.csv"][: len(rows)]) and len(rows) >= least


def find_rest(folder: Path) -> list[str]:
    """List hidden files that remain after a run."""
    return sorted(path.name for path in folder.iterdir() if path.name.startswith("."))


class Undisturbed:
    """The reference run, which is not disturbed.

    Args:
        folder: a new folder.

    Attributes:
        duration: simulated time of the run [s].
        frames: the content of the folder, see `read_run`.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        # kernels and libraries are loaded once for all child processes
        with tempfile.TemporaryDirectory() as warm:
            simulate(Path(warm))
        begin = monotonic()
        code, said = in_child(lambda pipe: simulate(folder, pipe))
        self.duration = monotonic() - begin
        assert code == 0, said.decode()
        assert said == bytes(range(2, STEPS + 2))
        self.frames = read_run(folder)
        assert [len(self.frames[name]) for name in SERIES] == [STEPS + 1] * 3

    def check_end(self, folder: Path) -> None:
        """Check that the last state, the frames and the table of another run are equal in all bits to the results of
        the undisturbed run, and that no other files exist.
        """
        with np.load(folder / "end.npz") as end, np.load(self.folder / "end.npz") as right:
            for name in right.files:
                assert np.array_equal(end[name], right[name]), name
        compare(read_run(folder), self.frames, STEPS + 1)
        assert (folder / "tip.csv").read_bytes() == (self.folder / "tip.csv").read_bytes()
        # A run that is killed while it saves its state leaves a temporary file. Later runs remove old temporary files.
        names = [p.name for p in folder.iterdir() if not re.fullmatch(r"\.end\.npz\.[0-9a-f]{16}\.part", p.name)]
        assert sorted(names) == sorted(p.name for p in self.folder.iterdir()), names


def interrupt_calls(at: int, half: bool) -> None:
    """Kill this process in the disk call with the number ``at``, after half of the call if ``half`` is true."""
    calls = 0

    def wrap(name: str) -> None:
        original = getattr(os, name)

        def call(*args: Any, **names: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls == at:
                if half and name == "pwrite":
                    # the system writes page by page, so a kill does not cut a write within one page
                    end = (args[2] + len(args[1]) // 2) // PAGE * PAGE - args[2]
                    original(args[0], args[1][: max(end, 0)], args[2])
                os.kill(os.getpid(), signal.SIGKILL)
            return original(*args, **names)

        setattr(os, name, call)

    assert files.os is journal.os is os
    for name in ("pwrite", "replace", "unlink", "truncate", "ftruncate", "fsync"):
        wrap(name)
