"""Tests of output files and of files of users: the mark of each kind of output, two writers of one file, temporary
files, signals, wrong command lines.

tests/campaigns/outputs.py tests every kind of output on every kind of file.
"""

from __future__ import annotations

import ast
import gc
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from windlass.commands.cli import main
from windlass.commands.compile import is_count
from windlass.elements import MassPoint
from windlass.framework.command_line.petsc_values import check_ranges
from windlass.framework.command_line.viewers import check_viewers
from windlass.framework.errors import OptionError, OutputError
from windlass.framework.files import outputs
from windlass.framework.files.outputs import Claim, check_output, mark_picture, note_output, write_output
from windlass.framework.files.whole_files import create_draft
from windlass.framework.launch.arguments import refuse_twice, split_options
from windlass.framework.ledger.energy_ledger import EnergyLedger
from windlass.framework.model.world import World
from windlass.framework.output.recorder import Recorder
from windlass.framework.output.sensors import Sensor, Sensors
from windlass.framework.restart.checkpoint import Checkpoint
from windlass.framework.state.state import State

from support.processes import ROOT, environment, run_windlass

MODEL = """
import os, shutil, time
import windlass as wl
from windlass.elements import MassPoint
wait = wl.option("wait", 0.0, "s", "of the first step")
gone = wl.option("gone", False, "", "remove the folder")
table = wl.option("table", "", "", "of sensors")
world = wl.World(gravity=(0.0, -9.81))
point = world.add(MassPoint, position=(0.0, 0.0), mass=1.0)
class Hook(wl.StepHook):
    def after_step(self, state):
        if gone and state.step == 1:
            shutil.rmtree(os.getcwd())
        if wait:
            print("waiting", flush=True)
            time.sleep(wait)
hooks = [Hook()]
if table:
    hooks.append(wl.Sensors(table, [wl.Sensor(point, "position")]))
wl.Dynamic(world, step=1e-3, end=5e-3).solve(hooks=hooks)
wl.write_summary({"x": 1})
"""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """Return a folder with a model."""
    (tmp_path / "m.py").write_text(MODEL)
    return tmp_path


def create_point() -> tuple[World, Sensor]:
    """Create a falling point with a sensor."""
    world = World(gravity=(0.0, -9.81))
    return world, Sensor(world.add(MassPoint, position=(0.0, 0.0), mass=1.0), "position")


def test_every_kind_of_file_has_its_mark(tmp_path: Path) -> None:
    """A file with a mark is replaced only by output of its own kind. A file without a mark is replaced only if it is
    empty.
    """
    contents = {
        "summary": b'{\n  "written_by": "Windlass",\n',
        "report": b'<!DOCTYPE html><meta name="generator" content="Windlass">',
        "table": b"time [s],step [1],x [m]\n",
        "series": b'<?xml version="1.0"?>\n' + outputs.XML_MARK,
        "file of options": b"# windlass tune m.py\n",
        "picture": mark_picture(b"<svg/>"),
    }
    for there, content in contents.items():
        path = tmp_path / "file"
        path.write_bytes(content)
        for kind in contents:
            if kind == there:
                assert check_output(path, "it", kind) == path
            else:
                with pytest.raises(OutputError, match=f"it {path}: a {there} of Windlass exists"):
                    check_output(path, "it", kind)
        path.write_bytes(b"of a user" + content)
        if there not in ("picture", "report"):
            with pytest.raises(OutputError, match=r"a file that this Windlass has not written exists.*remove or"):
                write_output(path, b"new", "it", there)
            assert path.read_bytes() == b"of a user" + content
        path.write_bytes(b"")
        assert check_output(path, "it", there) == path


@pytest.mark.parametrize("suffix", ["png", "pdf", "svg", "gif"])
def test_pictures_with_a_mark_are_whole(suffix: str, tmp_path: Path) -> None:
    """Readers of the formats accept pictures with a mark, and the mark is found."""
    from io import BytesIO

    from matplotlib.figure import Figure
    from PIL import Image

    content = BytesIO()
    if suffix == "gif":
        Image.new("P", (20, 10)).save(content, format="gif")
    else:
        Figure().savefig(content, format=suffix)
    path = tmp_path / f"picture.{suffix}"
    path.write_bytes(content.getvalue())
    with pytest.raises(OutputError, match="has not written"):
        check_output(path, "picture", "picture")
    path.write_bytes(mark_picture(content.getvalue()))
    check_output(path, "picture", "picture")
    if suffix in ("png", "gif"):
        with Image.open(path) as image, Image.open(content) as before:
            assert image.convert("RGB").tobytes() == before.convert("RGB").tobytes()


def test_notes_beside_files_of_petsc(tmp_path: Path) -> None:
    """An output of PETSc that is noted in a file next to it may be overwritten. A file that has replaced this output
    may not be overwritten.
    """
    path = tmp_path / "log.txt"
    note_output(path)
    path.write_text("times of events")
    check_output(path, "-log_view", "output of PETSc")
    other = tmp_path / "other"
    other.write_text("notes")
    os.replace(other, path)
    with pytest.raises(OutputError, match="has not written"):
        check_output(path, "-log_view", "output of PETSc")


def test_the_model_is_never_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file of the model is never overwritten, even if it is empty or named by a link."""
    path = tmp_path / "m.py"
    path.write_text("")
    (tmp_path / "link").symlink_to(path)
    monkeypatch.setattr(sys, "argv", [str(path)])
    for name in ("m.py", "link"):
        with pytest.raises(OutputError, match="is the file of the model itself"):
            check_output(tmp_path / name, "-summary", "summary")


@pytest.mark.parametrize(
    "words",
    ["-checkpoint m.py", "-report notes.html", "-final_state notes.txt", "-table notes.txt", "-log_view :m.py"],
)
def test_options_spare_files_of_users(words: str, model: Path) -> None:
    """Options that name a file of the user as output are refused, and the file does not change."""
    for name in ("notes.txt", "notes.html"):
        (model / name).write_text("time [s],force [N]\n")
    before = {path.name: path.read_bytes() for path in model.iterdir()}
    done = run_windlass(["run", "m.py", "-quiet", *words.split()], folder=model)
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert words.split()[1].lstrip(":") in done.stderr and "must be another" in done.stderr
    assert {path.name: path.read_bytes() for path in model.iterdir()} == before


def test_a_run_replaces_its_own_outputs(model: Path) -> None:
    """All outputs of a command line are replaced by a second run."""
    words = "-checkpoint c.h5 -report r.html -summary s.json -statistics t.json -final_state f.npz -table x.csv"
    for _ in range(2):
        done = run_windlass(["run", "m.py", "-quiet", *words.split(), "-log_view", ":log.txt"], folder=model)
        assert done.returncode == 0, done.stderr
    assert (model / "log.txt").stat().st_size


def test_two_writers_of_one_file(tmp_path: Path) -> None:
    """Two writers of one file are refused before the solve. If a second writer of the same file is created after the
    first writer has begun, as in a loop, the second writer replaces the first, which then has to stop.
    """
    world, sensor = create_point()
    first = Sensors(tmp_path / "a.csv", [sensor])
    with pytest.raises(OutputError, match=r"a\.csv': another Sensors of this run also writes this file"):
        Sensors(tmp_path / "a.csv", [sensor])
    for make in (lambda: EnergyLedger(tmp_path / "a.csv"), lambda: Checkpoint(tmp_path / "a.csv")):
        with pytest.raises(OutputError, match=r"Sensors of this run also writes this file"):
            make()
    with pytest.raises(OutputError, match="is already written by Sensors of this run"):
        State(world).save(tmp_path / "a.csv")
    state = State(world)
    first.record(state)
    second = Sensors(tmp_path / "a.csv", [sensor])
    second.record(state)
    state.t, state.step = 1.0, 1
    with pytest.raises(OutputError, match="a later Sensors of this run writes this file"):
        first.record(state)
    first.close()
    second.record(state)
    second.close()
    Sensors(tmp_path / "a.csv", [sensor]).close()
    recorder = Recorder(tmp_path / "belt", formats=["xdmf"])
    with pytest.raises(OutputError, match="another Recorder of this run"):
        Recorder(tmp_path / "belt")
    with pytest.raises(OutputError, match="Recorder of this run also writes this file"):
        Sensors(tmp_path / "belt.h5", [sensor])
    del recorder
    gc.collect()
    Recorder(tmp_path / "belt").close()


def test_two_options_of_one_file(model: Path) -> None:
    """Two options that name one file cause the same error as two writers of one file."""
    done = run_windlass(["run", "m.py", "-table", "a.csv", "-summary", "a.csv"], folder=model)
    assert done.returncode == 2 and "of this run also writes this file" in done.stderr, done.stderr


def test_claims_are_given_back(tmp_path: Path) -> None:
    """A claim on a file ends when it is released, and when the object that owns the claim is deleted."""
    claim = Claim([tmp_path / "a"], "Sensors")
    claim.release()
    other = Claim([tmp_path / "a"], "Recorder")
    del other
    gc.collect()
    claim.begin()
    claim.release()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_signals_remove_locks(number: signal.Signals, model: Path) -> None:
    """A run that a signal ends removes its locks, so the next run prints no note about locks. Under nohup, hang-up
    signals are ignored.
    """
    before = signal.signal(number, signal.SIG_DFL)
    command = [sys.executable, "-m", "windlass.commands.cli", "run", "m.py", "-table", "a.csv", "-wait", "0.2"]
    with subprocess.Popen(command, env=environment(), cwd=model, stdout=subprocess.PIPE, text=True) as process:
        signal.signal(number, before)
        assert process.stdout is not None and process.stdout.readline() == "waiting\n"
        assert (model / ".a.csv.lock").exists()
        process.send_signal(number)
        assert process.wait(20) == -number
    assert sorted(path.name for path in model.iterdir()) == ["a.csv", "m.py"]


def test_drafts_of_killed_runs_are_removed_by_the_next(model: Path) -> None:
    """The next run removes temporary files of every output of a killed run. Temporary files of a running process
    remain.
    """
    code = "import sys, os; from pathlib import Path; from windlass.framework.files.whole_files import create_draft; "
    code += "[create_draft(Path(name)) for name in sys.argv[1:]]; os._exit(9)"
    files = ("s.json", "a.csv", "t.json", "r.html", "f.npz")
    subprocess.run([sys.executable, "-c", code, *files], env=environment(), cwd=model)
    number, at_work = create_draft(model / "s.json")
    os.close(number)
    assert len(list(model.glob(".*.part"))) == 6
    words = "-quiet -summary s.json -table a.csv -statistics t.json -report r.html -final_state f.npz"
    done = run_windlass(["run", "m.py", *words.split()], folder=model)
    assert done.returncode == 0, done.stderr
    assert [path.name for path in model.glob(".*")] == [at_work.name]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("-report r.pdf", "-report r.pdf: must be"),
        ("-dynamic_snes_max_it 99999999999", "-dynamic_snes_max_it = 99999999999: expected a whole number"),
        ("-log_view ascii:foo:bar", "-log_view ascii:foo:bar: expected type:file:format:mode"),
        ("-wait 0 -WAIT 1", "-WAIT: is given twice, -wait 0 and -WAIT 1: must be given once"),
        (f"-table {'n' * 240}", "its name has 240 bytes: must have at most 223"),
        (f"-table {'n' * 5000}", "has 5000 bytes: must have at most 1000"),
    ],
)
def test_wrong_options_are_one_message(words: str, message: str, model: Path) -> None:
    """A wrong option gives one message without traceback, and no file is written."""
    done = run_windlass(["run", "m.py", *words.split()], folder=model)
    assert done.returncode == 2 and message in done.stderr, done.stderr[:500]
    assert "Traceback" not in done.stderr and "PETSC ERROR" not in done.stderr
    assert [path.name for path in model.iterdir()] == ["m.py"]


@pytest.mark.parametrize("words", ["-report r.html", ""])
def test_a_folder_that_disappears(words: str, model: Path) -> None:
    """If the folder disappears, the run ends with one message, or successfully if it has no output."""
    folder = model / "inside"
    folder.mkdir()
    done = run_windlass(["run", str(model / "m.py"), "-gone", "-quiet", *words.split()], folder=folder)
    assert done.returncode == (2 if words else 0) and "Traceback" not in done.stderr, done.stderr
    assert not words or words.split()[1] in done.stderr


def test_restart_auto_says_that_it_starts_again(model: Path) -> None:
    """The option -restart auto prints a message if the run starts from the beginning."""
    done = run_windlass(["run", "m.py", "-restart", "auto"], folder=model)
    assert done.returncode == 0 and "to continue from: the run starts again" in done.stderr
    done = run_windlass(["run", "m.py", "-restart", "auto"], folder=model)
    assert done.returncode == 0 and "starts again" not in done.stderr


def test_commands_say_what_they_take(capsys: pytest.CaptureFixture[str]) -> None:
    """Commands list their arguments in the help, without a model, and raise errors for other arguments."""
    for command in (
        "run",
        "run-exudyn",
        "modes",
        "tune",
        "sweep",
        "optimise",
        "identify",
        "uncertainty",
        "fmu",
        "show",
        "compile",
    ):
        assert main([command, "-help"]) == 0
        assert f"windlass {command}" in capsys.readouterr().out
    for command in ("doctor", "version", "help"):
        assert main([command, "x"]) == 2
        assert f"windlass {command} x: must be windlass {command} without further words" in capsys.readouterr().err
    for word in ("²", "0", "-1", "1.5", "1" * 5000):
        assert not is_count(word)
        assert main(["compile", "-processes", word]) == 2
        assert "with N >= 1" in capsys.readouterr().err
    with pytest.raises(OptionError, match=r"-frame: is given twice, -frame 1 and -frame 2"):
        refuse_twice(split_options(["-frame", "1", "-frame", "2"]))


def test_viewers_that_write_no_file_are_left_to_petsc(tmp_path: Path) -> None:
    """Viewers of PETSc that write no file are passed to PETSc, and no output file is recorded for these viewers."""
    pairs = [("log_view", None), ("log_view", "ascii"), ("dynamic_snes_view", "::ascii_info_detail"), ("info", "true")]
    check_viewers(pairs, tmp_path)
    assert not list(tmp_path.iterdir())
    check_viewers([("dynamic_ksp_view_mat", "binary:b.bin"), ("info", "told")], tmp_path)
    assert {"b.bin", "b.bin.info", "told.0"} < {path.name for path in tmp_path.iterdir()}


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("log_view", "foo", "the type 'foo' is none of ascii"),
        ("dynamic_snes_view", "ascii:v.txt:ascii_info:wipe", "the mode 'wipe' is none of write"),
        ("log_view", ":none/log.txt", "log.txt: must be a file in a folder that exists"),
        ("history", "notes.txt", "notes.txt: a file that this Windlass has not written"),
    ],
)
def test_wrong_viewers(name: str, value: str, message: str, tmp_path: Path) -> None:
    """A wrong viewer is refused, because PETSc would report the viewer only at the end of the program, or overwrite the
    file.
    """
    (tmp_path / "notes.txt").write_text("notes")
    with pytest.raises((OptionError, OutputError), match=message):
        check_viewers([(name, value)], tmp_path)


def test_words_that_petsc_would_cut_or_misread() -> None:
    """Names and values that are too long for PETSc, and whole numbers that are too large, are refused."""
    for words, most in ((["-" + "n" * 5000, "1"], 250), (["-summary", "n" * 5000], 1000)):
        with pytest.raises(OptionError, match=f"must have at most {most}"):
            split_options(words)
    with pytest.raises(OptionError, match="expected a whole number, at most"):
        check_ranges({"dynamic_snes_max_funcs": "99999999999"}, ("dynamic_",))
    real = {"dynamic_snes_divergence_tolerance": "99999999999", "dynamic_end": "99999999999"}
    flag: Any = {"dynamic_snes_monitor": None}
    check_ranges(real | flag, ("dynamic_",))


def test_long_names_of_sensors() -> None:
    """Long names of sensors are complete in the headings."""
    _, sensor = create_point()
    with pytest.raises(Exception, match="has 5000 characters: must have at most 200"):
        Sensor(sensor.entity, "position", name="x" * 5000)


WRITES = ("write_text", "write_bytes", "savefig", "savetxt", "save_npz", "tofile")
MAY_WRITE = (
    "framework/files/",
    "framework/kernels/",
    "src/windlass/exudyn/export.py",
    "src/windlass/commands/studies/child_runs.py",
)


def test_nothing_else_opens_files_for_writing() -> None:
    """All outputs open files by one common function: no other module opens a file in a mode that writes."""
    found = []
    for folder in ("framework", "elements", "connectors", "solvers", "src/windlass"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            name, text = path.relative_to(ROOT).as_posix(), path.read_text()
            if name.startswith(MAY_WRITE) or not any(word in text for word in (*WRITES, "open(")):
                continue
            for node in ast.walk(ast.parse(text)):
                if not isinstance(node, ast.Call):
                    continue
                called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                texts = [arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
                to_memory = bool(node.args) and isinstance(node.args[0], ast.Name)
                writes = called in WRITES and not (called in ("savefig", "savetxt") and to_memory)
                if writes or (called == "open" and any(mode[:1] in "wax" and len(mode) < 4 for mode in texts)):
                    found.append(f"{name}:{node.lineno} {called}")
    # options.py opens a file to discard the output of a script under -help
    assert [place for place in found if "options.py" not in place] == []
