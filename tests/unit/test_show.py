"""Tests of the command `windlass show` without a screen: frames, fields, pictures, films, and messages."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from ctypes.util import find_library
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass import connectors as con
from windlass.commands import show as command
from windlass.commands.cli import main
from windlass.elements import Ground, straight_cable
from windlass.framework.errors import OptionError
from windlass.framework.output import player as scene

needs_drawing = pytest.mark.skipif(
    not any(map(find_library, scene.LIBRARIES)), reason="this system draws nothing without a screen"
)


@pytest.fixture(scope="module")
def series(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a falling rope in three frames."""
    world = wl.World(gravity=(0.0, -9.81))
    straight_cable(world, (0, 0), (1, 0), 2, axial_stiffness=1e4, bending_stiffness=1.0, mass_per_length=1.0)
    recorder = wl.Recorder("rope", folder=tmp_path_factory.mktemp("show"), formats=("vtkhdf", "vtu"))
    state = wl.State(world)
    with recorder:
        for k in range(3):
            state.t, state.q[1::4] = 0.1 * k, -0.2 * k
            state.step = k
            recorder.record(state)
    return recorder.paths[0]


def read_title(player: scene.Player) -> str:
    """Return the title of the shown frame: the time, or the number of the step in statics."""
    return str(player.plotter.actors["time"].GetText(2))


@needs_drawing
def test_frames_fields_picture_and_film(series: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    pyvista = scene.load_pyvista(off_screen=True)
    import imageio.v3 as imageio

    frames = scene.Series(pyvista, series)
    assert frames.times == [0.0, 0.1, 0.2] and frames.number(-1) == 2
    assert scene.Series(pyvista, series.with_suffix(".pvd")).times == frames.times
    assert np.allclose(frames.read(2).points[:, 1] - frames.read(0).points[:, 1], -0.4)
    player = scene.Player(pyvista, frames, "", (320, 200), off_screen=True)
    assert player.field == "axial_force" and player.frame == 2
    assert list(player.plotter.scalar_bars.keys()) == ["axial force [N]\n"]
    assert read_title(player) == "t = 0.2 s"
    # test the actions of keys and of the timer of the window
    player.tick()
    assert player.frame == 2
    player.toggle()
    player.tick()
    assert player.frame == 0
    first = player.field
    player.change_field(1)
    assert player.field != first
    title = f"{player.field.replace('_', ' ')} [{frames.units[player.field]}]\n"
    assert list(player.plotter.scalar_bars.keys()) == [title]
    player.change_field(-1)
    assert player.field == first
    player.write_picture(tmp_path / "rope.png", 0)
    picture = imageio.imread(tmp_path / "rope.png")
    assert picture.shape[:2] == (200, 320) and (picture != 255).any(axis=2).sum() > 100
    player.write_movie(tmp_path / "rope.gif", 10)
    film = imageio.imread(tmp_path / "rope.gif")
    assert len(film) == 3 and (film[0] != film[2]).any()
    with pytest.raises(OptionError, match="-frame 3: must be from -3 to 2"):
        player.write_picture(tmp_path / "rope.png", 3)
    with pytest.raises(OptionError, match="-field colour: must be one of axial_force"):
        scene.Player(pyvista, frames, "colour", (320, 200), off_screen=True)


@needs_drawing
def test_rods_and_ribbons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A ribbon is drawn as a strip in the direction d_1 of its material, with a line on one edge. A rod without width
    is a tube. The strip and the tube have the colours of the field.
    """
    monkeypatch.delenv("DISPLAY", raising=False)
    world = wl.World()
    columns: dict[str, Any] = {"bending_stiffness": 1.0, "torsional_stiffness": 1.0, "rotary_inertia": 1e-3}
    columns |= {"axial_stiffness": 1e4, "mass_per_length": 1.0}
    ribbon = straight_cable(world, (0, 0, 0), (1, 0, 0), 2, normal=(0, 1, 0), **columns)
    straight_cable(world, (0, 0, 1), (1, 0, 1), 2, **columns)
    plane = world.add(con.PlaneSurface, marker=con.rigid_marker(world, world.add(Ground)))
    con.add_surface_contact(world, plane, ribbon, points=2, width=0.2, contact_stiffness_per_length=1e4)
    recorder = wl.Recorder("rods", folder=tmp_path, axis="step")
    with recorder:
        recorder.record(wl.State(world))
    pyvista = scene.load_pyvista(off_screen=True)
    mesh = scene.Series(pyvista, recorder.paths[0]).read(0)
    assert scene.find_rods(mesh).sum() == 16
    mesh.cell_data["shown"] = np.arange(float(mesh.n_cells))
    bodies, edges = scene.create_rods(pyvista, mesh, np.arange(16), 0.01)
    assert_allclose(np.asarray(bodies.bounds)[:4], (0.0, 1.0, -0.1, 0.1), atol=1e-7)
    assert_allclose(np.asarray(bodies.bounds)[4:], (0.0, 1.01), atol=1e-3)
    assert set(np.unique(bodies.cell_data["shown"])) == set(range(16))
    assert_allclose(edges.points[:16, 1], 0.1, atol=1e-7)
    player = scene.Player(pyvista, scene.Series(pyvista, recorder.paths[0]), "", (320, 200), off_screen=True)
    assert read_title(player) == "step 0"
    assert {"rods", "marks"} <= set(player.plotter.actors)
    assert "ribbon_width" not in player.fields[:1]


def without(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulate that a package is not installed."""
    load: Callable[..., Any] = builtins.__import__

    def refuse(wanted: str, *words: Any, **more: Any) -> Any:
        if wanted.split(".")[0] == name:
            raise ImportError(f"No module named {name!r}")
        return load(wanted, *words, **more)

    monkeypatch.setattr(builtins, "__import__", refuse)


def test_missing_package_is_named_with_the_line_that_installs_it(
    series: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    without("pyvista", monkeypatch)
    assert main(["show", str(series), "-picture", "x.png"]) == 2
    assert "pip install 'windlass[show]'" in capsys.readouterr().err


@needs_drawing
def test_films_say_what_is_missing(
    series: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A film as .mp4 without ffmpeg gives a message that names the package imageio-ffmpeg, which contains ffmpeg."""
    without("imageio_ffmpeg", monkeypatch)
    assert main(["show", str(series), "-movie", str(tmp_path / "rope.mp4")]) == 2
    assert "pip install 'windlass[show]'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["none.vtkhdf"], "no such file"),
        (["{series}", "-filed", "x"], "-filed: unknown option"),
        (["{series}", "-fps", "0", "-movie", "x.mp4"], "-fps = 0: expected a whole number >= 1"),
        (["{series}", "-size", "10", "-picture", "x.png"], "must be width,height"),
        (["{series}"], "needs a screen"),
        (["{readme}", "-picture", "x.png"], "must be a .vtkhdf or a .pvd file"),
    ],
)
def test_messages(
    words: list[str], message: str, series: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    readme = Path(__file__).parents[2] / "README.md"
    assert main(["show", *(word.format(series=series, readme=readme) for word in words)]) == 2
    assert message in capsys.readouterr().err


def test_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "-help"]) == 0
    text = capsys.readouterr().out
    assert [name for name in command.OPTIONS if f"[-{name} " not in text] == []
