"""Tests that runs which are killed and continued from the last checkpoint give the same final state and the same output
as uninterrupted runs.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import h5py
import numpy as np
import pytest

from windlass.framework.files.whole_files import seal
from windlass.framework.output.csv import read_csv

from support.processes import ROOT, run_windlass
from support.series import read_series

MODELS = ROOT / "tests/support/restart_models.py"
ARRAYS = ("q", "v", "a", "carried", "lam", "data", "start_data", "t", "step")


def assert_same_file(first: Path, second: Path) -> None:
    """Check that two state files contain bit-identical values."""
    with np.load(first) as one, np.load(second) as other:
        for name in ARRAYS:
            np.testing.assert_array_equal(one[name], other[name], err_msg=name)


def run(words: list[str | Path], folder: Path, processes: int = 1, killed: bool = False) -> str:
    """Run a model in a folder until it ends or kills its process, and return the error output."""
    folder.mkdir(exist_ok=True)
    # Python's hash values of texts differ between the processes of the killed run and of the continued run
    done = run_windlass(["run", *words], processes, folder, kind=int("-restart" in words))
    if not killed:
        assert done.returncode == 0, done.stderr
    elif processes == 1:
        assert done.returncode == -9, done.stderr
    else:
        # mpiexec ends with its own exit code and message
        assert done.returncode != 0 and "signal 9" in done.stderr, done.stderr
    return done.stderr


def write_changed(example: str, changes: Mapping[str, str], path: Path) -> Path:
    """Write a changed copy of an example script. Each text to be replaced must occur once in the script."""
    text = (ROOT / "examples" / example).read_text()
    for old, new in changes.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    path.write_text(text)
    return path


def write_belt(folder: Path) -> Path:
    """Write a copy of the belt example in which the motion begins at 2 ms.

    The script can save its state and kill itself after given steps.
    """
    changes = {
        "con.ramp(0.05, 0.6, 0.0, 12.0)": "con.ramp(0.002, 0.052, 0.0, 12.0)",
        "state = motion.solve(state, hooks=hooks)": "state = motion.solve(state, hooks=[*hooks, save_and_die])",
        "frames = wl.option(": (
            "import os, signal\n"
            "keep, die = wl.option('keep', 0, '1', 'step to save'), wl.option('die', 0, '1', 'last step')\n"
            "def save_and_die(state):\n"
            "    if state.step == keep or state.t > end_time - step / 2:\n"
            "        state.save(f'{output}_{state.step}.npz')\n"
            "    if state.step == die:\n"
            "        os.kill(os.getpid(), signal.SIGKILL)\n"
            "frames = wl.option("
        ),
    }
    return write_changed("belt_drive.py", changes, folder / "belt.py")


BELT: list[str | Path] = ["-elements", "24", "-segments", "3", "-step", "1e-4", "-end_time", "0.03", "-frames", "20"]
"""Options of a run with 10 load steps and 300 time steps, with contact, friction, and reuse of the tangent."""


@pytest.fixture(scope="module")
def whole_belt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run the belt with checkpoints to its end. Return the folder, which contains the final state, the summary
    `a.json`, and the outputs in the subfolder `whole`.
    """
    folder = tmp_path_factory.mktemp("whole")
    words = [write_belt(folder), *BELT, "-checkpoint_every", "50", "-checkpoint", "a.h5"]
    run([*words, "-output", "whole", "-summary", "a.json"], folder)
    return folder


def test_belt_killed_and_restarted(whole_belt: Path, tmp_path: Path) -> None:
    """A run with a static and a dynamic solve is killed after 187 time steps and restarted. State, counts, tables and
    series agree with the results of an uninterrupted run.
    """
    belt = write_belt(tmp_path)
    options = [belt, *BELT, "-checkpoint_every", "50"]
    run([*options, "-output", "part", "-checkpoint", "b.h5", "-die", "197"], tmp_path, killed=True)
    with h5py.File(tmp_path / "b.h5") as file:
        assert list(file["solves"]) == ["0000", "0001"]
        assert int(file["solves/0001/model/reference"].size) == 24 * 4 + 6
    said = run([*options, "-output", "part", "-restart", "b.h5", "-summary", "b.json"], tmp_path)
    assert "static had ended" in said and "dynamic continues at 0.014 s, step 150" in said
    assert_same_file(whole_belt / "whole_310.npz", tmp_path / "part_310.npz")
    results = [json.loads(path.read_text()) for path in (whole_belt / "a.json", tmp_path / "b.json")]
    for result in results:
        assert result.pop("wall_time") > 0.0 and result.pop("cpu_time") > 0.0
    assert results[0] == results[1]
    for name in ("sensors.csv", "pulleys.csv"):
        assert (whole_belt / "whole" / name).read_bytes() == (tmp_path / "part" / name).read_bytes(), name
    names = sorted(path.name for path in (tmp_path / "part").iterdir())
    assert names == sorted(path.name for path in (whole_belt / "whole").iterdir())
    check_series(whole_belt / "whole", tmp_path / "part")


REDUNDANT: list[str | Path] = ["-dynamic_pc_type", "redundant", "-dynamic_redundant_pc_type", "lu"]
REDUNDANT += ["-dynamic_redundant_pc_factor_mat_solver_type", "klu"]


def write_crane(folder: Path) -> Path:
    """Write a copy of the crane example with a short hoist and a swing.

    The script can save its state and kill itself after given steps.
    """
    changes = {
        "RISE, REST = 1.0, 0.2, 0.2": "RISE, REST = 1.0, 0.01, 0.01",
        "HOIST = RADIUS * WINDS / SPEED + RISE": "HOIST = 0.06",
        "hooks = [] if folder is None else": "hooks = [save_and_die] if folder is None else",
        "output = wl.option(": (
            "import os, signal\n"
            "keep = wl.option('keep', 0, '1', 'step to save, the last one')\n"
            "def save_and_die(state):\n"
            "    if state.step == keep:\n"
            "        state.save('end.npz')\n"
            "    if state.step > keep:\n"
            "        os.kill(os.getpid(), signal.SIGKILL)\n"
            "output = wl.option("
        ),
    }
    return write_changed("crane_hoist.py", changes, folder / "crane.py")


@pytest.mark.long
@pytest.mark.parametrize(
    ("processes", "keep", "begin"),
    [(1, "48", "step 40"), (1, "100", "step 80"), pytest.param(2, "48", "step 40", marks=pytest.mark.mpi)],
)
def test_crane_killed_and_restarted(processes: int, keep: str, begin: str, tmp_path: Path) -> None:
    """A run of a crane is killed during hoisting, and killed again during the swing in 3D. The continued runs are
    bit-identical to the killed runs.

    The model has a rope on a drum that turns and moves, friction in sheaves, joints, and steps with reduced sizes. On
    two processes, each process factorises the whole matrix, because MUMPS adds contributions in the order in which
    messages arrive.
    """
    words: list[str | Path] = [write_crane(tmp_path), "-output", "none", "-keep", keep]
    words += REDUNDANT if processes > 1 else []
    checkpoint = ["-checkpoint", tmp_path / "c.h5", "-checkpoint_every", "40"]
    run([*words, *checkpoint], tmp_path / "whole", processes, killed=True)
    said = run([*words, "-restart", tmp_path / "c.h5"], tmp_path / "again", processes, killed=True)
    (resumed,) = [line for line in said.splitlines() if "continues at" in line]
    assert "static had ended" in said and begin in resumed
    assert_same_file(tmp_path / "whole/end.npz", tmp_path / "again/end.npz")


def check_series(whole: Path, part: Path) -> None:
    """Check that all frames in both folders are equal. The frames are read by VTK and by HDF5."""
    series = [read_series(folder / "belt.vtkhdf") for folder in (whole, part)]
    assert len(series[0][0]) == 21 and series[0][0] == series[1][0]
    for time in series[0][0]:
        expected, found = (frame(time) for _, frame in series)
        np.testing.assert_array_equal(found.points, expected.points)
        for name, values in (expected.point_data | expected.cell_data).items():
            np.testing.assert_array_equal((found.point_data | found.cell_data)[name], values, err_msg=name)
    with h5py.File(whole / "belt.vtkhdf") as first, h5py.File(part / "belt.vtkhdf") as second:
        points = 21 * int(first["VTKHDF/NumberOfPoints"][0])
        for name in ("Points", *(f"PointData/{field}" for field in first["VTKHDF/PointData"])):
            values = [file[f"VTKHDF/{name}"][:points] for file in (first, second)]
            np.testing.assert_array_equal(*values, err_msg=name)


ENDED = ("adaptive", "verlet", "switched")
"""Models that are restarted: with an implicit solver, with an explicit solver, and with hooks."""


@pytest.mark.parametrize(
    ("kind", "every", "kill_at", "options"),
    [
        ("adaptive", "50", "583", []),
        pytest.param("adaptive", "50", "583", ["-dynamic_lag", "false"], marks=pytest.mark.long),
        ("verlet", "30", "137", []),
        pytest.param("rk", "30", "137", [], marks=pytest.mark.long),
        ("implicit spheres", "30", "137", []),
        pytest.param("chain", "30", "137", [], marks=pytest.mark.long),
        ("points", "30", "75", []),
        pytest.param("many circles", "30", "75", [], marks=pytest.mark.long),
        pytest.param("many surfaces", "30", "75", [], marks=pytest.mark.long),
        pytest.param("laid net", "30", "75", [], marks=pytest.mark.long),
        pytest.param("controlled", "30", "75", [], marks=pytest.mark.long),
        pytest.param("joints", "30", "75", [], marks=pytest.mark.long),
        pytest.param("net in space", "30", "75", [], marks=pytest.mark.long),
        pytest.param("line in waves", "30", "75", [], marks=pytest.mark.long),
        pytest.param("trolleys", "20", "75", [], marks=pytest.mark.long),
        pytest.param("winch", "20", "75", [], marks=pytest.mark.long),
        pytest.param("reserve", "20", "75", [], marks=pytest.mark.long),
        ("beam", "30", "75", []),
        pytest.param("slope beam", "30", "75", [], marks=pytest.mark.long),
        ("thick beam", "30", "75", []),
        ("pendulum", "30", "137", []),
        pytest.param("pendulum", "30", "137", ["-explicit_pc_factor_mat_solver_type", "mumps"], marks=pytest.mark.long),
        pytest.param("switched", "20", "75", [], marks=pytest.mark.long),
        ("switched", "20", "85", []),
        pytest.param("switched", "20", "95", [], marks=pytest.mark.long),
    ],
)
def test_models_killed_and_restarted(kind: str, every: str, kill_at: str, options: list[str], tmp_path: Path) -> None:
    """Restarted runs give exactly the results of uninterrupted runs for reduced step sizes, explicit methods, changing
    contact neighbours, contact points, and models that hooks change.
    """
    common: list[str | Path] = [MODELS, "-kind", kind, "-checkpoint_every", every, *options]
    run([*common, "-summary", "s.json", "-checkpoint", "c.h5"], tmp_path / "whole")
    folder = tmp_path / "part"
    run([*common, "-kill_at", kill_at, "-checkpoint", "c.h5"], folder, killed=True)
    assert not (folder / "end.npz").exists()
    run([*common, "-restart", "auto", "-checkpoint", "c.h5", "-summary", "s.json"], folder)
    assert_same_file(tmp_path / "whole/end.npz", folder / "end.npz")
    for name in ("sensors.csv", "s.json"):
        assert (tmp_path / "whole" / name).read_bytes() == (folder / name).read_bytes()
    if kind == "adaptive":
        assert json.loads((folder / "s.json").read_text())["rejected"] > 5
    if kind not in ENDED:
        return
    # a restart of a completed run takes no further steps, but accepts all options of the run
    said = run([*common, "-restart", "c.h5", "-end_state", "again.npz"], folder)
    assert "had ended" in said
    assert_same_file(folder / "end.npz", folder / "again.npz")


def test_killed_while_a_checkpoint_is_written(tmp_path: Path) -> None:
    """If the run is killed while a checkpoint is written, the last complete checkpoint still exists, and the run
    continues from this checkpoint.
    """
    common: list[str | Path] = [MODELS, "-kind", "verlet", "-checkpoint_every", "30", "-checkpoint", "c.h5"]
    run(common, tmp_path / "whole")
    run([*common, "-kill_in", "3"], tmp_path / "part", killed=True)
    assert len(list((tmp_path / "part").glob(".c.h5.*.part"))) == 1
    assert "step 60" in run([*common, "-restart", "c.h5"], tmp_path / "part")
    assert not list((tmp_path / "part").glob(".*"))
    assert_same_file(tmp_path / "whole/end.npz", tmp_path / "part/end.npz")


def test_checkpoints_by_the_clock(tmp_path: Path) -> None:
    """Automatic checkpoints do not change the results. Automatic checkpoints are removed after a normal end of the run,
    and remain if the run is killed.
    """
    common: list[str | Path] = [MODELS, "-kind", "switched"]
    often = [*common, "-checkpoint_minutes", "1e-6"]
    run(common, tmp_path / "whole")
    run(often, tmp_path / "often")
    for name in ("whole", "often"):
        assert sorted(path.name for path in (tmp_path / name).iterdir()) == ["end.npz", "sensors.csv"]
    assert_same_file(tmp_path / "whole/end.npz", tmp_path / "often/end.npz")
    run([*often, "-kill_at", "75"], tmp_path / "part", killed=True)
    said = run([*common, "-restart", "restart_models.checkpoint.h5"], tmp_path / "part")
    assert "explicit continues at" in said and "written by the clock: equal within tolerances" in said
    assert_close(tmp_path / "whole/end.npz", tmp_path / "part/end.npz", 1e-9)
    assert not list((tmp_path / "part").glob(".*"))
    # a new run without -checkpoint does not overwrite the file of an interrupted run
    kept = (tmp_path / "part/restart_models.checkpoint.h5").read_bytes()
    run([*often, "-kill_at", "75"], tmp_path / "part", killed=True)
    assert (tmp_path / "part/restart_models.checkpoint.h5").read_bytes() == kept
    assert (tmp_path / "part/restart_models.checkpoint_2.h5").exists()


def test_solves_before_the_first_checkpoint_by_the_clock(tmp_path: Path) -> None:
    """If the first automatic checkpoint is written after the end of a solve, the checkpoint may contain no record of
    this solve.

    A restarted run repeats solves without a record, and continues the interrupted solve.
    """
    belt = write_belt(tmp_path)
    words = [belt, *BELT, "-keep", "205", "-output", "a"]
    run([*words, "-checkpoint_minutes", "2e-3", "-die", "205"], tmp_path, killed=True)
    name = "belt.checkpoint.h5"
    with h5py.File(tmp_path / name, "r+") as file:
        assert list(file["solves"])[-1] == "0001"
        # remove the record of the static solve, because its presence depends on the duration of the solve on this
        # machine
        file["solves"].pop("0000", None)
    content = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(content + seal(content))
    (tmp_path / "a_205.npz").rename(tmp_path / "first.npz")
    said = run([*words, "-restart", name], tmp_path)
    assert "dynamic continues at" in said and "dropped" not in said
    assert_close(tmp_path / "first.npz", tmp_path / "a_205.npz", 1e-7)
    with h5py.File(tmp_path / name) as file:
        assert list(file["solves"]) == ["0001"]
    assert len(read_csv(tmp_path / "a/sensors.csv")["step"]) == len(set(read_csv(tmp_path / "a/sensors.csv")["step"]))


def test_run_that_is_extended(whole_belt: Path, tmp_path: Path) -> None:
    """A completed run can be continued to a later end time.

    If the tangent is reused, the results agree with an uninterrupted run only within tolerances.
    """
    common: list[str | Path] = [write_belt(tmp_path), *BELT, "-checkpoint_every", "50"]
    fewer = {"0.03": "0.025", "20": "16"}
    short: list[str | Path] = [fewer.get(str(word), word) for word in common]
    run([*short, "-output", "b", "-checkpoint", "b.h5"], tmp_path)
    run([*common, "-output", "b", "-restart", "b.h5"], tmp_path)
    assert_close(whole_belt / "whole_310.npz", tmp_path / "b_310.npz", 1e-7)
    tables = [read_csv(folder / "sensors.csv") for folder in (whole_belt / "whole", tmp_path / "b")]
    np.testing.assert_array_equal(tables[0]["step"], tables[1]["step"])


# with 48 cables, each process has interior cables, which are eliminated by default
PARTS: list[str | Path] = ["-elements", "48"]


def replace_options(words: Sequence[str | Path], options: Sequence[str | Path]) -> list[str | Path]:
    """Return a copy of the arguments of a command in which the given options are replaced or added."""
    given = dict(zip(options[::2], options[1::2], strict=True))
    names = [str(word) for word in words]
    kept = [w for k, w in enumerate(words) if names[k] not in given and (k == 0 or names[k - 1] not in given)]
    return [*kept, *options]


def kill_belt(folder: Path, processes: int, options: Sequence[str | Path] = ()) -> Path:
    """Run the belt and kill the run after step 243. Return the folder, which contains the last checkpoint (step 140)
    and the state of step 240.
    """
    words: list[str | Path] = [write_belt(folder), *replace_options(BELT, options)]
    words += ["-checkpoint_every", "140", "-keep", "240", "-die", "243"]
    run([*words, "-output", "a", "-checkpoint", "c.h5"], folder, processes, killed=True)
    return folder


def restart_belt(killed: Path, folder: Path, processes: int, options: Sequence[str | Path] = ()) -> None:
    """Continue the belt from a checkpoint and kill this run, too, after step 243, with outputs in a separate folder."""
    shutil.copytree(killed, folder)
    (folder / "a_240.npz").unlink()
    words = [folder / "belt.py", *replace_options(BELT, options), "-keep", "240", "-die", "243"]
    run([*words, "-output", "a", "-restart", "c.h5"], folder, processes, killed=True)


@pytest.fixture(scope="module")
def killed_on_two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run the belt on two processes, kill the run, and return its folder."""
    return kill_belt(tmp_path_factory.mktemp("two"), 2)


@pytest.mark.mpi
def test_two_processes_killed_and_restarted(killed_on_two: Path, tmp_path: Path) -> None:
    """After a restart on two processes, the state 100 steps after the checkpoint equals the state of the killed run.

    The states agree only within rounding errors. MUMPS, which solves the equations of belts with few cables, adds
    contributions in the order in which messages arrive.
    """
    restart_belt(killed_on_two, tmp_path / "again", 2)
    assert_close(killed_on_two / "a_240.npz", tmp_path / "again/a_240.npz")


@pytest.mark.mpi
def test_checkpoints_by_the_clock_on_two_processes(tmp_path: Path) -> None:
    """The first process measures the time of automatic checkpoints. A killed run continues from the automatically
    written file.
    """
    short = [word if word != "0.03" else "0.005" for word in BELT]
    words: list[str | Path] = [write_belt(tmp_path), *short, "-keep", "55", "-output", "a"]
    run([*words, "-checkpoint_minutes", "1e-5", "-die", "55"], tmp_path, 2, killed=True)
    state = tmp_path / "a_55.npz"
    state.rename(tmp_path / "first.npz")
    said = run([*words, "-restart", "belt.checkpoint.h5"], tmp_path, 2)
    assert said.count("dynamic continues at") == 1 and said.count("written by the clock: equal within tolerances") == 1
    assert_close(tmp_path / "first.npz", state, 1e-7)
    rows = read_csv(tmp_path / "a/sensors.csv")["step"]
    assert len(rows) == len(set(rows)) and rows[-1] == 60


@pytest.mark.mpi
@pytest.mark.parametrize(
    "solver", [pytest.param(REDUNDANT, marks=pytest.mark.long, id="redundant"), pytest.param(PARTS, id="parts")]
)
def test_two_processes_to_the_last_bit(solver: list[str | Path], tmp_path: Path) -> None:
    """If the linear solver adds contributions in a fixed order, a restarted run on two processes is bit-identical to an
    uninterrupted run.
    """
    (tmp_path / "killed").mkdir()
    killed = kill_belt(tmp_path / "killed", 2, solver)
    restart_belt(killed, tmp_path / "again", 2, solver)
    assert_same_file(killed / "a_240.npz", tmp_path / "again/a_240.npz")


@pytest.mark.mpi
def test_explicit_on_three_processes(tmp_path: Path) -> None:
    """With a diagonal mass matrix, no linear solver is used, and sums have a fixed order. Therefore a restarted run on
    three processes is bit-identical to an uninterrupted run.
    """
    common: list[str | Path] = [MODELS, "-kind", "chain", "-checkpoint_every", "30", "-checkpoint", "c.h5"]
    run(common, tmp_path / "whole", 3)
    run([*common, "-kill_at", "137"], tmp_path / "part", 3, killed=True)
    run([*common, "-restart", "c.h5"], tmp_path / "part", 3)
    assert_same_file(tmp_path / "whole/end.npz", tmp_path / "part/end.npz")
    assert (tmp_path / "whole/sensors.csv").read_bytes() == (tmp_path / "part/sensors.csv").read_bytes()


@pytest.mark.mpi
def test_another_number_of_processes(killed_on_two: Path, tmp_path: Path) -> None:
    """A run on two processes can continue from a checkpoint of a run on one process, and vice versa."""
    (tmp_path / "killed").mkdir()
    for killed, reading in ((kill_belt(tmp_path / "killed", 1), 2), (killed_on_two, 1)):
        restart_belt(killed, tmp_path / f"on {reading}", reading)
        assert_close(killed / "a_240.npz", tmp_path / f"on {reading}/a_240.npz")


def assert_close(first: Path, second: Path, tolerance: float = 1e-10) -> None:
    """Check that the differences of two states are at most a given fraction of the largest value."""
    with np.load(first) as one, np.load(second) as other:
        for name in ("q", "v", "data"):
            scale = np.abs(one[name]).max()
            np.testing.assert_allclose(one[name], other[name], rtol=0, atol=tolerance * scale, err_msg=name)
