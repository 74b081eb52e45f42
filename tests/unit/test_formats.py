"""Tests of file formats that users define: use by name in a recorder, recognised files, continued series, and
errors.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from windlass.elements import straight_cable
from windlass.framework.errors import OutputError
from windlass.framework.model.world import World
from windlass.framework.output import formats
from windlass.framework.output.frame_files import FrameFiles
from windlass.framework.output.recorder import Recorder
from windlass.framework.output.series import BrokenSeriesError, SeriesFrame
from windlass.framework.state.state import State

from support.series import TIMES, append_frames, create_frame, create_mesh


class PlainSeries(FrameFiles):
    """Format that writes points as text."""

    suffixes = (".plain.txt",)
    frame_suffix = ".points"
    marks = (b"points, written by Windlass\n", b"index, written by Windlass\n")

    def encode_frame(self, frame: SeriesFrame) -> bytes:
        return self.marks[0] + repr(frame.points.tolist()).encode()

    def encode_entry(self, file: str, time: float) -> str:
        return f"{time!r} {file}\n"

    def encode_index(self, entries: list[str]) -> str:
        return self.marks[1].decode() + "".join(entries)


class Unmarked(PlainSeries):
    """A format whose files do not state that Windlass has written them."""

    marks = (b"points\n", b"index\n")


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "_formats", formats.find_formats())
    formats.register_format("plain", PlainSeries)


def test_a_recorder_writes_it_and_knows_its_files_again(tmp_path: Path) -> None:
    world = World()
    straight_cable(world, (0, 0), (1, 0), 1, axial_stiffness=1e4, bending_stiffness=1.0, mass_per_length=1.0)
    state = State(world)
    for end in (3, 2):
        # the second recorder replaces the files of the first recorder
        with Recorder("point", formats="plain", folder=tmp_path) as recorder:
            for state.t in range(end):
                recorder.record(state)
        names = [f"point_{k:06d}.points" for k in range(end)]
        assert sorted(file.name for file in tmp_path.iterdir() if file.suffix == ".points") == names
        assert recorder.paths == [tmp_path / "point.plain.txt"]
        assert recorder.paths[0].read_text().splitlines()[1:] == [f"{k}.0 {name}" for k, name in enumerate(names)]
    recorder.paths[0].write_text("of a user")
    with pytest.raises(OutputError, match=r"point\.plain\.txt: a file that this Windlass has not written exists"):
        Recorder("point", formats="plain", folder=tmp_path)


def test_an_interrupted_series_goes_on(tmp_path: Path) -> None:
    mesh = create_mesh()
    with PlainSeries(tmp_path / "belt", mesh) as series:
        append_frames(series, mesh, TIMES[:4])
    with PlainSeries(tmp_path / "belt", mesh, kept=TIMES[:2]) as series:
        series.append(TIMES[4], **create_frame(mesh, 4))
    assert [line.split()[0] for line in series.path.read_text().splitlines()[1:]] == [
        repr(time) for time in (*TIMES[:2], TIMES[4])
    ]
    assert repr(create_frame(mesh, 4)["points"].tolist()) in (tmp_path / "belt_000002.points").read_text()
    (tmp_path / "belt_000001.points").unlink()
    with pytest.raises(BrokenSeriesError, match=r"'belt_000001\.points' is missing or empty"):
        PlainSeries(tmp_path / "belt", mesh, kept=TIMES[:3]).append(TIMES[5], **create_frame(mesh, 5))


def test_what_is_no_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"mark b'points\\n' of the format bare: must contain the words"):
        formats.register_format("bare", Unmarked)
    with pytest.raises(OutputError, match="format vtu: is already registered"):
        formats.register_format("vtu", PlainSeries)
    with pytest.raises(OutputError, match="must be letters, digits and _"):
        formats.register_format("my format", PlainSeries)
    with pytest.raises(OutputError, match="must be a subclass of FieldSeries"):
        formats.register_format("numbers", np.ndarray)  # type: ignore[arg-type]
    with pytest.raises(OutputError, match="must be some of vtkhdf, vtu, xdmf, plain"):
        Recorder(tmp_path / "belt", formats="text")
    mesh = create_mesh()
    with pytest.raises(OutputError, match="must begin with one of the marks"), Unmarked(tmp_path / "b", mesh) as wrong:
        append_frames(wrong, mesh, TIMES[:1])
