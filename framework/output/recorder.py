"""The recorder, which writes time series for viewers during a solve. The time series contain the geometry of the model
and the fields of its laws.

    with Recorder("belt") as out:
        state = Dynamic(world, step=1e-4, end=2.45).solve(state, hooks=[out])

| format | file to open | points | how to see the motion |
| --- | --- | --- | --- |
| ``vtkhdf`` (ParaView from 5.12 on) | ``belt.vtkhdf`` | moved | no filter needed |
| ``vtu`` | ``belt.pvd`` | moved | no filter needed |
| ``xdmf`` | ``belt.xdmf`` | reference | filter Warp By Vector with ``displacement``, scale factor 1 |

Only VTKHDF files contain units of fields, as JSON in the attribute ``FieldUnits``. The units are also in
`Recorder.field_units` and in the docstrings of the laws. All values are in SI units and in the global frame.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from windlass.framework.checks.checks import checked, each, either, instance, optional, path, whole, word, yes_no
from windlass.framework.command_line import options
from windlass.framework.errors import OutputError, WindlassError
from windlass.framework.files.lock import OutputLock
from windlass.framework.files.outputs import Claim
from windlass.framework.files.whole_files import check_target
from windlass.framework.launch.launcher import is_first_process
from windlass.framework.model.drawing import Drawing, Painting
from windlass.framework.model.world import World
from windlass.framework.output.drawing import Canvas
from windlass.framework.output.every_nth import EveryNth
from windlass.framework.output.folder import create_output_folder
from windlass.framework.output.formats import find_formats
from windlass.framework.output.scene import Drawn, Scene
from windlass.framework.output.series import BrokenSeriesError, FieldSeries, Style, check_series
from windlass.framework.restart.insurance import is_replaying
from windlass.framework.state.state import State, check_world


class Recorder(EveryNth):
    """Hook and context manager that records the first and the last state of a solve and, between these states, the
    frames of an animation.

    If the solve fails, the last good state is recorded before the error is raised. Under MPI, all processes call the
    recorder, but only the first process writes files. After a restart, the recorder continues the series of the
    interrupted run. If a series is damaged, its files remain unchanged, and a new series ``<name>_part2`` begins. The
    cell field ``partition`` [1] is the rank of the process that evaluates the entity of each line. In a serial run, the
    rank is 0.

    Args:
        name: name of the files without suffix, with or without a folder.
        every: record every n-th accepted step, n >= 1. By default, ``frames`` determines the recorded steps.
        formats: one or several of ``"vtkhdf"``, ``"vtu"``, ``"xdmf"``, and formats that were added by
            `register_format`.
        folder: folder of the files. A missing folder is created. The default is the folder in ``name``, or the working
            directory.
        subdivisions: number of straight lines with which one cable element is drawn, >= 1.
        axis: value that is stored as the time of a frame: ``"time"`` [s], or ``"step"``, the step number [1]. In
            statics the time is constant, so ``"step"`` is needed.
        frames: number of frames in each solve, at most one per step. Frames are evenly distributed in time, or in
            statics over the load steps.
        fields: names of the fields that are written. By default, all fields are written.
        precision: precision of fields. Points and times are always in double precision.
        compress: whether ``vtkhdf`` files are compressed. Files in the format ``vtu`` are always compressed, and
            ``xdmf`` files are never compressed.

    Attributes:
        paths: absolute paths of the files that the user opens in a viewer. The list is empty before the first frame. On
            all processes except the first, the list is always empty.
        field_units: unit of every field, by name. The dict is empty if ``paths`` is empty.
        frames: number of recorded frames, including frames of an interrupted run that this run continues.

    Raises:
        OutputError: a folder cannot be written, a file is a file of another run, recorder or program, or an argument is
            not allowed.
    """

    @checked(
        OutputError,
        name=path(),
        every=optional(whole(1)),
        formats=either(word(), each(word(), "a list of formats")),
        folder=optional(path()),
        subdivisions=whole(1),
        axis=word("time", "step", words="'time' or 'step'"),
        frames=whole(1),
        fields=optional(either(word(), each(word(), "a list of names of fields"))),
        precision=word("double", "single", words="'double' or 'single'"),
        compress=yes_no(),
    )
    def __init__(
        self,
        name: str | os.PathLike[str],
        every: int | None = None,
        formats: Sequence[str] = ("vtkhdf",),
        folder: str | os.PathLike[str] | None = None,
        subdivisions: int = 4,
        axis: Literal["time", "step"] = "time",
        *,
        frames: int = 200,
        fields: Sequence[str] | None = None,
        precision: Literal["double", "single"] = "double",
        compress: bool = False,
    ) -> None:
        formats = (formats,) if isinstance(formats, str) else tuple(formats)
        known = find_formats()
        unknown = [given for given in formats if given not in known]
        if unknown or not formats:
            raise OutputError(f"formats = {formats} in Recorder: must be some of {', '.join(known)}")
        self._base = Path(folder or "") / name
        self._lock: OutputLock | None = None
        self._claim: Claim | None = None
        # with -help, a script runs without solving and writes no files
        if not options.help_requested():
            self._base = create_output_folder(self._base.parent) / self._base.name
            suffixes = [suffix for kind in formats for suffix in known[kind].suffixes]
            files = [self._base.with_name(self._base.name + suffix) for suffix in suffixes]
            # a run that continues an earlier run checks its existing files when it writes the next frame
            check_file = check_target if options.restart_requested() else check_series
            for file in files:
                check_file(file, "series")
            self._claim = Claim([self._base, *files], "Recorder")
            if is_first_process():
                self._lock = OutputLock(self._base, "series")
        super().__init__(None if every is None else int(every), int(frames))
        self._fields = (fields,) if isinstance(fields, str) else None if fields is None else tuple(fields)
        self._style = Style(precision == "single", compress, axis)
        self._formats, self._axis, self._subdivisions = formats, axis, int(subdivisions)
        self.paths: list[Path] = []
        self.field_units: dict[str, str] = {}
        self._times: list[float] = []
        # for each format, the name of the series and the index of its first frame
        self._parts = {kind: (self._base.name, 0) for kind in formats}
        # digest of each series of the interrupted run, by format
        self._digests: dict[str, str] = {}
        self._scene: Scene | None = None
        self._world: World | None = None
        self._canvas: Canvas | None = None
        self._series: list[FieldSeries] = []
        self._last: tuple[float, int] | None = None

    @property
    def frames(self) -> int:
        """Number of recorded frames."""
        return len(self._times)

    @checked(state=instance(State))
    def record(self, state: State) -> None:
        """Write one frame of a state. Call this method for states outside of a solve. If the present instant was
        already recorded, the call has no effect.

        Raises:
            OutputError: the time (or, with ``axis="step"``, the step number) is not larger than in the previous frame,
                or a file cannot be written.
        """
        if self._world is not None:
            check_world(state, self._world, "Recorder.record")
        if (state.t, state.step) == self._last:
            return
        now = state.t if self._axis == "time" else float(state.step)
        if self._last is not None and now <= self._last[0 if self._axis == "time" else 1]:
            advice = "; Recorder(..., axis='step') orders frames by steps, for statics" if self._axis == "time" else ""
            raise OutputError(
                f"frame {self.frames + 1} of '{self._base.name}' has {self._axis} {now:g}: must be greater than in "
                f"the previous frame{advice}"
            )
        if self._claim is not None:
            self._claim.begin()
        self._last = (state.t, state.step)
        # A restarted script first repeats calls of the interrupted run. The frames of these calls are already in the
        # files.
        if not is_replaying():
            if self._scene is None:
                self._begin(state)
            assert self._scene is not None
            self._on_first(lambda drawn: self._write(now, *drawn), self._scene.draw(state))
        self._times.append(now)

    def _begin(self, state: State) -> None:
        """Draw the model in the reference configuration, and create the series of frames from these drawings. The call
        is collective.
        """
        self._scene, self._world = Scene(state.world, self._subdivisions), state.world
        reference = state.copy()
        reference.q[:] = 0.0
        self._on_first(self._create_canvas, self._scene.draw(reference))

    def _on_first(self, work: Callable[[Drawn], None], drawn: Drawn | None) -> None:
        """On the first process, call ``work`` with the drawings of all processes. If the call raises an error, the
        error is raised on all processes.
        """
        error = None
        try:
            if drawn is not None:
                work(drawn)
        except WindlassError as found:
            error = found
        assert self._scene is not None
        self._scene.processes.agree(error)

    def _write(self, now: float, drawings: list[Drawing], paintings: list[Painting]) -> None:
        assert self._canvas is not None and self._scene is not None
        points, point_data, cell_data = self._canvas.compose(drawings, paintings)
        lines: dict[str, NDArray[Any]] = dict(cell_data)
        if "partition" in self.field_units:
            lines["partition"] = self._scene.partition
        for k, kind in enumerate(self._formats):
            try:
                self._series[k].append(now, points, point_data, lines)
            except BrokenSeriesError as error:
                self._begin_part(k, kind, error)
                self._series[k].append(now, points, point_data, lines)

    def _create_canvas(self, drawn: Drawn) -> None:
        assert self._scene is not None
        self._canvas = Canvas(*drawn, self._fields, {"partition": "1"})
        self.field_units = dict(self._canvas.units)
        self._series = [self._create_series(kind) for kind in self._formats]
        self.paths = [series.path for series in self._series]

    def _create_series(self, kind: str) -> FieldSeries:
        assert self._canvas is not None
        name, first = self._parts[kind]
        kept, digest = self._times[first:], self._digests.get(kind, "")
        series = find_formats()[kind](
            self._base.with_name(name), self._canvas.mesh, self._style, kept=kept, digest=digest
        )
        series.units = self.field_units
        return series

    def _begin_part(self, k: int, kind: str, error: BrokenSeriesError) -> None:
        """Keep the files of a damaged series of the interrupted run, and begin a new series in their folder."""
        names = (f"{self._base.name}_part{number}" for number in count(2))
        suffix = self._series[k].suffixes[0]
        name = next(name for name in names if not self._base.with_name(name + suffix).exists())
        self._parts[kind] = name, self.frames
        self._series[k] = self._create_series(kind)
        self.paths[k] = self._series[k].path
        print(
            f"{error}; the file is unchanged, and the run continues in '{self.paths[k]}'", file=sys.stderr, flush=True
        )

    def checkpoint(self) -> dict[str, Any]:
        """Return the times of the frames, the names of the files and the digests of the series; see
        `StepHook.checkpoint`."""
        digests = {kind: series.digest for kind, series in zip(self._formats, self._series, strict=False)}
        return {"times": np.array(self._times), "steps": self._steps, "last": self._last, "name": self._base.name} | {
            "parts": dict(self._parts),
            "digests": digests,
        }

    def restore(self, kept: Mapping[str, Any], state: State) -> None:
        """Prepare to continue the files of the interrupted run. The files change only when the next frame is
        written.
        """
        self._times, self._steps = kept["times"].tolist(), int(kept["steps"])
        self._last = None if kept["last"] is None else (float(kept["last"][0]), int(kept["last"][1]))
        for kind in self._formats:
            name, first = kept["parts"].get(kind, (self._base.name, self.frames))
            self._parts[kind] = self._base.name + name.removeprefix(kept["name"]), int(first)
        self._done = self._count_due(state)
        self._digests = dict(kept.get("digests", {}))
        if self.frames:
            self._begin(state)

    def _is_empty(self) -> bool:
        return self.frames == 0

    def close(self) -> None:
        """Complete the files, and release the claim on the files. A second call has no effect."""
        for series in self._series:
            series.close()
        if self._claim is not None:
            self._claim.release()
        if self._lock is not None:
            self._lock.release()
