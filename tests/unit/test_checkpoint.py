"""Tests of checkpoint files, of the hook `Checkpoint`, and of continued runs. The file verification/test_restart.py
tests killed processes.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from numpy.testing import assert_array_equal

from windlass.connectors import CoordinateLoad, clamp, coordinate_marker
from windlass.elements import PointSlope2D, nodes_of, straight_cable
from windlass.framework.errors import ModelError, OutputError
from windlass.framework.files.whole_files import seal
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.output.recorder import Recorder
from windlass.framework.output.sensors import Sensor, Sensors
from windlass.framework.restart.checkpoint import Checkpoint
from windlass.framework.restart.insurance import is_replaying
from windlass.framework.state.exchange import NAMES
from windlass.framework.state.hooks import StepHook
from windlass.framework.state.state import State
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.explicit import Explicit
from windlass.solvers.static import Static

from support.processes import ROOT, run_windlass
from support.series import read_series

MODELS = ROOT / "tests/support/restart_models.py"


class Killed(BaseException):
    """Exception that simulates the kill of a process, because one process runs several tests."""


class Kill(StepHook):
    """Hook that ends the run after a step."""

    def __init__(self, step: int) -> None:
        self._step = step

    def after_step(self, state: State) -> None:
        """Raise `Killed` after the given step."""
        if state.step == self._step:
            raise Killed


def create_cable(elements: int = 4, length: float = 1.0, gravity: float = -9.81) -> tuple[World, Entity]:
    """Create a clamped cable under its weight."""
    world = World(gravity=(0.0, gravity))
    cable = straight_cable(
        world,
        (0, 0),
        (length, 0),
        elements,
        axial_stiffness=1e4,
        bending_stiffness=1.0,
        mass_per_length=0.5,
        name="rope",
    )
    nodes = nodes_of(world, cable)
    clamp(world, nodes[0])
    world.add(CoordinateLoad, marker=coordinate_marker(world, nodes[elements], "y"), value=-1.0)
    return world, cable


def assert_same(first: State, second: State) -> None:
    """Check that all bits of two states are equal."""
    for name in (*NAMES, "t", "step"):
        assert_array_equal(getattr(first, name), getattr(second, name), err_msg=name)


def simulate(folder: Path, restart: str | None = None, kill: int = 0, end: float = 0.05, **model: Any) -> Any:
    """Run a static and a dynamic solve with one recorder, sensors, and a separate frame between the solves."""
    world, cable = create_cable(**model)
    keep = Checkpoint(folder / "run.h5", None if restart else 10, restart)
    assert keep.every == 10
    recorder = Recorder(folder / "rope", every=3, formats=("vtu", "xdmf", "vtkhdf"), axis="step")
    sensors = Sensors(folder / "s.csv", [Sensor(cable[0], "axial_force", where={"x": 0.0}, name="N")], every=2)
    first = Static(world, load_steps=3, name="")
    with recorder, sensors:
        state = first.solve(hooks=[keep, recorder, sensors])
        state.step += 1
        recorder.record(state)
        sensors.record(state)
        motion = Dynamic(world, step=1e-3, end=end, name="")
        state = motion.solve(state, hooks=[recorder, sensors, keep, *([Kill(kill)] if kill else [])])
    return state, motion, recorder, sensors, first


def test_recorders_of_several_solves_go_on(tmp_path: Path) -> None:
    """One recorder records statics and dynamics.

    The run is killed between two checkpoints, in step 37 of 54, and continues.
    """
    folders = [tmp_path / name for name in ("whole", "part")]
    for folder in folders:
        folder.mkdir()
    whole = simulate(folders[0])
    with pytest.raises(Killed):
        simulate(folders[1], kill=37)
    part = simulate(folders[1], "auto")
    assert not is_replaying()
    assert_same(whole[0], part[0])
    for name in ("steps", "newton_iterations", "discontinuous_iterations", "jacobians"):
        assert getattr(whole[1].statistics, name) == getattr(part[1].statistics, name)
        assert getattr(whole[4].statistics, name) == getattr(part[4].statistics, name)
    assert_array_equal(whole[3]["N"], part[3]["N"])
    assert_array_equal(whole[3].times, part[3].times)
    assert (folders[0] / "s.csv").read_bytes() == (folders[1] / "s.csv").read_bytes()
    assert whole[2].frames == part[2].frames
    assert whole[2].field_units == part[2].field_units
    for path, other in zip(whole[2].paths, part[2].paths, strict=True):
        times, frame = read_series(path)
        again, frame_again = read_series(other)
        assert times == again and len(times) == whole[2].frames
        for time in times:
            assert_array_equal(frame(time).points, frame_again(time).points)
            for name, values in frame(time).point_data.items():
                assert_array_equal(values, frame_again(time).point_data[name])


def test_run_that_had_ended_returns_at_once(tmp_path: Path) -> None:
    """If a run had already ended, its restart returns immediately, with state, sensors and counts restored, and writes
    no files.
    """
    first = simulate(tmp_path)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    again = simulate(tmp_path, "auto")
    assert_same(first[0], again[0])
    assert again[1].statistics.steps == 50
    assert_array_equal(first[3]["N"], again[3]["N"])
    assert [path.name for path in again[2].paths] == ["rope.pvd", "rope.xdmf", "rope.vtkhdf"]
    assert before == {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}


def test_damaged_series_is_kept_and_a_part_begins(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """If the end of an HDF5 file is missing, the restarted run keeps this file and writes a second file.

    A second restart continues the second file.
    """
    with pytest.raises(Killed):
        simulate(tmp_path, kill=37)
    path = tmp_path / "rope.vtkhdf"
    path.write_bytes(path.read_bytes()[:3000])
    with pytest.raises(Killed):
        simulate(tmp_path, "auto", kill=48)
    said = capsys.readouterr().err
    assert f"'{path}' cannot be continued" in said
    assert f"the run continues in '{tmp_path / 'rope_part2.vtkhdf'}'" in said
    assert path.stat().st_size == 3000
    end = simulate(tmp_path, "auto")
    assert "cannot be continued" not in capsys.readouterr().err
    assert [path.name for path in end[2].paths] == ["rope.pvd", "rope.xdmf", "rope_part2.vtkhdf"]
    times = read_series(tmp_path / "rope.pvd")[0]
    assert len(times) == end[2].frames
    part = read_series(tmp_path / "rope_part2.vtkhdf")[0]
    assert part == [time for time in times if time > 30]


def test_hooks_keep_what_they_want(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Checkpoints store arrays, texts, lists and dictionaries of hooks unchanged.

    A restart prints the names of hooks without data in the checkpoint.
    """

    class Memory(StepHook):
        kept: Mapping[str, Any] = {
            "n": 1,
            "x": np.arange(3.0),
            "text": "a",
            "list": [1.5, None],
            "deep": {"y": np.eye(2)},
        }
        restored: Mapping[str, Any] | None = None

        def checkpoint(self) -> dict[str, Any]:
            return dict(self.kept)

        def restore(self, kept: Mapping[str, Any], state: State) -> None:
            assert state.step == 5
            self.restored = kept

    class Wrong(StepHook):
        def checkpoint(self) -> dict[str, Any]:
            return {"what": self}

    def gather(state: State) -> None:
        pass

    world, _ = create_cable()
    path = tmp_path / "run.h5"
    Dynamic(world, step=1e-3, end=5e-3).solve(hooks=[Memory(), gather, Checkpoint(path)])
    memories = [Memory(), Memory()]
    Dynamic(world, step=1e-3, end=5e-3).solve(hooks=[gather, *memories, Checkpoint(path, restart=path)])
    kept = memories[0].restored
    assert kept is not None and memories[1].restored is None
    assert {name: kept[name] for name in ("n", "text", "list")} == {"n": 1, "text": "a", "list": [1.5, None]}
    assert_array_equal(kept["x"], np.arange(3.0))
    assert_array_equal(kept["deep"]["y"], np.eye(2))
    said = capsys.readouterr().err
    assert "earlier data of these hooks are not kept: " in said and "gather" in said and "Memory" not in said
    with pytest.raises(TypeError, match="Wrong cannot be stored: must be a number"):
        Dynamic(world, step=1e-3, end=5e-3).solve(hooks=[Wrong(), Checkpoint(path)])


def test_solves_inside_hooks_and_loops_that_are_left(tmp_path: Path) -> None:
    """A solve in a hook is part of the outer solve.

    If a loop over a solve is left early, the restart continues at the next solve.
    """
    world, _ = create_cable()
    path = tmp_path / "run.h5"
    keep = Checkpoint(path, every=2)

    def solve_inside(state: State) -> None:
        Static(world, name="").solve(state, hooks=[keep])

    for state in Dynamic(world, step=1e-3, end=0.01, name="").march(hooks=[solve_inside, keep]):
        if state.step == 5:
            break
    Static(world, prefix="last_", name="").solve(state, hooks=[keep])
    with h5py.File(path) as file:
        assert list(file["solves"]) == ["0000", "0001"]
    from windlass.framework.restart.checkpoint_file import CheckpointFile

    file = CheckpointFile(path)
    assert file.every == 2 and file.numbers == [0, 1]
    assert file.read(0)["finished"] is False and file.read(0)["state"]["step"] == 4
    assert file.read(1)["finished"] is True and file.read(1)["solver"]["prefix"] == "last_"


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ({"elements": 5}, r"rows of Cable2D: 4 in the file, 5 here\n.*coordinates: 20 in the file, 24 here"),
        ({"length": 1.5}, r"reference coordinate of rope node 4, x: 1 in the file, 1\.5 here"),
        ({"gravity": 0.0}, r"gravity \[m/s\^2\]: \[0\.0, -9\.81, 0\.0\] in the file, \[0\.0, 0\.0, 0\.0\] here"),
    ],
)
def test_another_model_is_refused(model: dict[str, Any], message: str, tmp_path: Path) -> None:
    """A checkpoint of another model is refused, and the error names the differing values."""
    simulate(tmp_path, end=0.005)
    with pytest.raises(ModelError, match=r"(?s)checkpoint file '.*run\.h5' belongs to another model:.*" + message):
        simulate(tmp_path, "auto", end=0.005, **model)
    assert not is_replaying()


def test_another_solver_is_refused(tmp_path: Path) -> None:
    """A checkpoint of a solver with another type, prefix, method or step is refused. The end time and the tolerances
    may differ.
    """
    path = tmp_path / "run.h5"
    right = {"step": 1e-3, "end": 5e-3, "name": ""}
    Dynamic(create_cable()[0], **right).solve(hooks=[Checkpoint(path)])
    for solver, message in (
        (Dynamic(create_cable()[0], **{**right, "step": 2e-3}), r"step \[s\]: 0.001 in the file, 0.002 here"),
        (Dynamic(create_cable()[0], **right, method="newmark"), "method: generalized_alpha in the file, newmark here"),
        (Dynamic(create_cable()[0], **right, prefix="other_"), "prefix: dynamic_ in the file, other_ here"),
        (Explicit(create_cable()[0], **right), "solver: Dynamic in the file, Explicit here"),
    ):
        with pytest.raises(ModelError, match=r"solve 0, counted from 0:(?s:.*)" + message):
            solver.solve(hooks=[Checkpoint(path, restart=path)])
    Dynamic(create_cable()[0], **{**right, "end": 6e-3}, rtol=1e-9).solve(hooks=[Checkpoint(path, restart=path)])


def test_parameters_may_change_on_restart(tmp_path: Path) -> None:
    """Changed settings of the script take effect on restart. Values that a hook has set are restored."""
    path = tmp_path / "run.h5"

    def pull(value: float, force: float, restart: bool) -> tuple[State, World]:
        world, _ = create_cable()
        pulling = world.tables[CoordinateLoad]
        world.set(Entity(pulling, np.arange(1)), value=value)
        other = world.add(
            CoordinateLoad, marker=coordinate_marker(world, Entity(world.tables[PointSlope2D], np.array([2])), "x")
        )

        def switch(state: State) -> None:
            if state.step == 3 and not restart:
                world.set(other, value=force)

        solver = Dynamic(world, step=1e-3, end=2e-2 if restart else 1e-2, name="")
        state = solver.solve(hooks=[switch, Checkpoint(path, every=4, restart=path if restart else None)])
        return state, world

    pull(-1.0, 5.0, False)
    kept = path.read_bytes()
    same, world = pull(-1.0, 5.0, True)
    assert_array_equal(world.tables[CoordinateLoad].collect("value"), [-1.0, 5.0])
    path.write_bytes(kept)
    changed, world = pull(-2.0, 5.0, True)
    assert_array_equal(world.tables[CoordinateLoad].collect("value"), [-2.0, 5.0])
    assert np.abs(same.q - changed.q).max() > 1e-6


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    """Checkpoints that are missing, empty, of another kind, truncated, with a wrong bit, or of a later version are
    refused.
    """
    path = tmp_path / "run.h5"
    world, _ = create_cable()
    Dynamic(world, step=1e-3, end=5e-3, name="").solve(hooks=[Checkpoint(path)])
    content = path.read_bytes()

    def go_on() -> None:
        Dynamic(world, step=1e-3, end=5e-3, name="").solve(hooks=[Checkpoint(tmp_path / "new.h5", restart=path)])

    path.unlink()
    with pytest.raises(OutputError, match=r"run.h5': no such file"):
        go_on()
    for damaged in (b"", b"no HDF5", content[:-100], content[: len(content) // 2]):
        path.write_bytes(damaged)
        with pytest.raises(
            OutputError, match="has no digest at its end: the file is truncated, corrupt, of another kind"
        ):
            go_on()
    path.write_bytes(content)
    with h5py.File(path) as file:
        place = file["solves/0000/state/q"].id.get_offset()
    # the second changed bit is in the name of the group ``solves``; without digests, a file with this change would
    # appear to be empty
    for damaged_at in (place + 20, content.index(b"solves"), len(content) - 10):
        path.write_bytes(content[:damaged_at] + bytes([content[damaged_at] ^ 1]) + content[damaged_at + 1 :])
        with pytest.raises(OutputError, match="does not have the digest at its end: the file is truncated, corrupt"):
            go_on()
    path.write_bytes(content)
    with h5py.File(path, "r+") as file:
        file.attrs["version"] = 4
    path.write_bytes(path.read_bytes() + seal(path.read_bytes()))
    with pytest.raises(OutputError, match="has version 4: this Windlass reads version 3"):
        go_on()
    path.unlink()
    with h5py.File(path, "w") as file:
        file["x"] = 1
    path.write_bytes(path.read_bytes() + seal(path.read_bytes()))
    with pytest.raises(OutputError, match="is not a checkpoint file"):
        go_on()


def test_wrong_arguments(tmp_path: Path) -> None:
    """Wrong numbers of steps between checkpoints, and wrong paths, are refused."""
    for every in (0, -1, 1.5):
        with pytest.raises(OutputError, match=r"must be a whole number of steps >= 1"):
            Checkpoint(tmp_path / "run.h5", every)  # type: ignore[arg-type]
    for path in (tmp_path, tmp_path / "none/run.h5", Path("/dev/null")):
        with pytest.raises(OutputError, match=r"must be a file in a folder that (exists and )?can be written"):
            Checkpoint(path)
    assert Checkpoint(tmp_path / "run.h5", restart="auto").every == 1000


def test_checkpoint_that_cannot_be_written(tmp_path: Path) -> None:
    """If the folder of the checkpoint disappears during a run, the run ends with a message that names the folder."""
    folder = tmp_path / "gone"
    folder.mkdir()
    keep = Checkpoint(folder / "run.h5", every=2)
    shutil.rmtree(folder)
    with pytest.raises(OutputError, match=r"run.h5' cannot be written"):
        Dynamic(create_cable()[0], step=1e-3, end=5e-3, name="").solve(hooks=[keep])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-checkpoint_every", "0"], "-checkpoint_every = 0: expected a whole number >= 1"),
        (["-checkpoint_every", "often"], "-checkpoint_every = often: expected a whole number >= 1"),
        (["-checkpoint", "none/run.h5"], "must be a file in a folder that exists and can be written"),
        (["-restart", "run.h5"], "-restart run.h5: no such file"),
        (["-restrat", "auto"], "did you mean -restart"),
    ],
)
def test_wrong_options(words: list[str], message: str, tmp_path: Path) -> None:
    """A wrong option gives one clear error before any computation."""
    done = run_windlass(["run", str(MODELS), *words], folder=tmp_path)
    assert done.returncode == 2 and message in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_errors_of_the_command_line(tmp_path: Path) -> None:
    """Another model, other settings, and a truncated file give exit code 2 and one message. Further cases are a restart
    from the default file, and the option -help.
    """
    common = ["run", str(MODELS), "-kind", "verlet", "-quiet"]
    assert run_windlass([*common, "-checkpoint_every", "50"], folder=tmp_path).returncode == 0
    path = tmp_path / "checkpoint.h5"
    with h5py.File(path) as file:
        assert file.attrs["every"] == 50
    for words, message in (
        (["-kind", "verlet", "-step", "1e-4"], "step [s]: 0.0002 in the file, 0.0001 here"),
        (["-kind", "rk"], "method: verlet in the file, rk here"),
    ):
        done = run_windlass(["run", str(MODELS), "-quiet", "-restart", path.name, *words], folder=tmp_path)
        assert done.returncode == 2 and message in done.stderr and "Traceback" not in done.stderr
    done = run_windlass(["run", str(MODELS), "-kind", "adaptive", "-restart", path.name], folder=tmp_path)
    assert done.returncode == 2 and "solver: Explicit in the file, Dynamic here" in done.stderr
    path.write_bytes(path.read_bytes()[:5000])
    done = run_windlass([*common, "-restart", "auto"], folder=tmp_path)
    assert done.returncode == 2 and "the file is truncated, corrupt, of another kind" in done.stderr
    done = run_windlass(["run", str(MODELS), "-help"], folder=tmp_path)
    for name in ("-checkpoint <>", "-checkpoint_every <1000>", "-restart <>"):
        assert name in done.stdout
