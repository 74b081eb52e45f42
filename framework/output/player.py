"""Views of the frames of a result file with PyVista, in a window, in a notebook, as a picture, or as a video."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable
from ctypes.util import find_library
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from windlass.framework.errors import OptionError, OutputError
from windlass.framework.files.outputs import mark_picture, write_output
from windlass.framework.files.whole_files import shorten

INSTALL = (
    "must be installed by: pip install 'windlass[show]' (in a checkout: .venv/bin/python -m pip install -e '.[show]')"
)
FIRST = "axial_force"
HIDDEN = ("Time", "part", "partition", "displacement", "ribbon_width")
"""Names of arrays that are not selected as the first field for the colours of lines."""
AXIS, WIDTH = "material_axis", "ribbon_width"
"""AXIS: point field of rods that contains the material axis d_1, a unit vector in the cross-section. WIDTH: line field
of ribbons that contains the width [m] along d_1.
"""
ROD_RADIUS = 0.004
"""Ratio [1] of the radius of the tubes that represent rods without width to the diagonal of the scene."""
LIBRARIES = ("EGL", "OSMesa")
"""Libraries with which VTK can draw without a screen. One of these libraries is sufficient."""
INTERVAL = 40
"""Time [ms] between two frames of an animation in the window."""


def check_file(file: Path) -> Path:
    """Return the path of a result file. Raise OutputError if the file does not exist, or is not a ``.vtkhdf`` or
    ``.pvd`` file.
    """
    if not os.path.isfile(file):
        raise OutputError(
            f"windlass show {shorten(str(file))}: no such file; must be a file of a Recorder, .vtkhdf or .pvd"
        )
    if file.suffix not in (".vtkhdf", ".pvd"):
        raise OutputError(f"windlass show {file}: must be a .vtkhdf or a .pvd file")
    return file


def load_pyvista(off_screen: bool) -> Any:
    """Import PyVista, and return the module.

    Raises:
        OptionError: PyVista is not installed, a window is needed but no screen exists, or the libraries for pictures
            without a screen are missing. The message states the remedy.
    """
    try:
        with warnings.catch_warnings():
            # suppress the warning of tqdm about missing notebook widgets, which are not needed
            warnings.filterwarnings("ignore", "IProgress not found")
            import pyvista  # imported here, because PyVista is optional and loads VTK
        from vtkmodules.vtkCommonCore import vtkLogger  # imported here, because VTK is installed only with PyVista
    except ImportError as error:
        raise OptionError(f"windlass show needs PyVista ({error}): {INSTALL}") from None
    if not os.environ.get("DISPLAY"):
        if not off_screen:
            raise OptionError(
                "windlass show needs a screen (DISPLAY is not set): start it with a screen, or use -picture or -movie"
            )
        # VTK crashes if neither of these two libraries exists
        if not any(map(find_library, LIBRARIES)):
            raise OptionError(
                f"windlass show without a screen needs the libraries {', '.join(LIBRARIES)}: must be installed, for "
                "example on Debian by apt-get install libegl1 libgl1-mesa-dri"
            )
        # suppress the warnings of VTK about a missing screen, because VTK can draw without a screen
        vtkLogger.SetStderrVerbosity(vtkLogger.VERBOSITY_ERROR)
    return pyvista


class Series:
    """Reader of the frames of a result file.

    Attributes:
        times: time [s] or step number [1] of each frame.
        has_steps: whether ``times`` are step numbers. Only VTKHDF files contain this information.
        units: units of the fields by name, empty if the file contains no units.

    Raises:
        OutputError: the file has no frames.
    """

    def __init__(self, pyvista: Any, file: Path) -> None:
        self._reader: Any = pyvista.get_reader(str(file))
        self._steps, self.has_steps = file.suffix == ".vtkhdf", False
        self.units: dict[str, str] = {}
        if self._steps:
            import h5py  # imported here, because `windlass show` starts faster without h5py

            with h5py.File(file) as content:
                self.units = json.loads(content["VTKHDF"].attrs.get("FieldUnits", "{}"))
                steps = content["VTKHDF/Steps"]
                self.times = [float(t) for t in steps["Values"][: steps.attrs["NSteps"]]]
                self.has_steps = steps.attrs.get("FrameAxis", b"time") == b"step"
        else:
            self.times = [float(t) for t in self._reader.time_values]
        if not self.times:
            raise OutputError(
                f"windlass show {file}: the file has no frames; must be a file of a run that has recorded frames"
            )

    def read(self, frame: int) -> Any:
        """Return the mesh of a frame."""
        if self._steps:
            self._reader.reader.SetStep(frame)
            return self._reader.read()
        self._reader.set_active_time_point(frame)
        blocks = self._reader.read()
        return blocks[0]

    def number(self, frame: int) -> int:
        """Return the index of a frame from 0. Negative numbers count from the end. Raise OptionError if the frame does
        not exist.
        """
        if not -len(self.times) <= frame < len(self.times):
            raise OptionError(f"-frame {frame}: must be from {-len(self.times)} to {len(self.times) - 1}")
        return frame % len(self.times)


def find_offsets(mesh: Any) -> Any:
    """Return the index of the first point of each cell in the connectivity of a mesh, followed by the length of the
    connectivity, shape (cells + 1,). The connectivity is the list of the point numbers of all cells.
    """
    import numpy as np  # imported here, because `windlass show` starts faster without NumPy

    return np.asarray(mesh.GetCells().GetOffsetsArray())


def find_rods(mesh: Any) -> Any:
    """Return whether each cell is a line of a rod with a material axis d_1 (see `AXIS`), shape (cells,)."""
    import numpy as np  # imported here, because `windlass show` starts faster without NumPy

    if AXIS not in mesh.point_data:
        return np.zeros(mesh.n_cells, dtype=bool)
    offsets = find_offsets(mesh)
    first = mesh.cell_connectivity[offsets[:-1]]
    return (np.diff(offsets) == 2) & np.isfinite(mesh.point_data[AXIS][first]).all(axis=1)


def create_rods(pyvista: Any, mesh: Any, cells: Any, radius: float) -> tuple[Any, Any]:
    """Create strips or tubes that represent rods, and a line along each rod on the side of the material axis d_1. The
    strips and tubes have the cell field ``shown``.

    Rods with a width are strips in the direction of d_1. Other rods are tubes.

    Args:
        pyvista: the module PyVista.
        mesh: a frame. Its cell field ``shown`` contains the values that determine the colours.
        cells: indices, among the cells of ``mesh``, of the lines of rods.
        radius: radius [m] of the tubes.
    """
    import numpy as np  # imported here, because `windlass show` starts faster without NumPy

    if not len(cells):
        return pyvista.PolyData(), pyvista.PolyData()
    ends = mesh.cell_connectivity[find_offsets(mesh)[cells][:, None] + np.arange(2)]
    width = mesh.cell_data[WIDTH][cells] if WIDTH in mesh.cell_data else np.full(len(cells), np.nan)
    r, d1 = mesh.points[ends], np.asarray(mesh.point_data[AXIS])[ends]
    strip, count = np.isfinite(width), len(cells)
    side = np.where(strip, 0.5 * width, radius)[:, None, None] * d1
    number = np.arange(2 * count).reshape(count, 2)
    pairs = np.concatenate((np.full((count, 1), 2), number), axis=1)
    edges = pyvista.PolyData((r + side).reshape(-1, 3), lines=pairs.ravel())
    faces = np.concatenate((np.full((count, 1), 4), number, number[:, ::-1] + 2 * count), axis=1)
    parts = []
    if strip.any():
        sides = np.concatenate(((r + side).reshape(-1, 3), (r - side).reshape(-1, 3)))
        strips = pyvista.PolyData(sides, faces=faces[strip].ravel())
        strips.cell_data["shown"] = mesh.cell_data["shown"][cells[strip]]
        parts.append(strips)
    if not strip.all():
        axes = pyvista.PolyData(r.reshape(-1, 3), lines=pairs[~strip].ravel())
        axes.cell_data["shown"] = mesh.cell_data["shown"][cells[~strip]]
        parts.append(axes.tube(radius=radius, n_sides=12))
    return parts[0] if len(parts) == 1 else parts[0].merge(parts[1]), edges


class Player:
    """A scene that shows one frame and one field at a time.

    Args:
        pyvista: the module PyVista.
        series: the frames.
        field: name of the field that is shown first. If the name is empty, the field `FIRST` is shown. If `FIRST` does
            not exist, the first field of the file is shown.
        size: width and height [pixels] of the window and of pictures.
        off_screen: whether to draw in memory instead of a window.

    Raises:
        OptionError: the field does not exist.
    """

    def __init__(self, pyvista: Any, series: Series, field: str, size: tuple[int, int], off_screen: bool) -> None:
        self._pyvista, self._series, self._playing, self.frame = pyvista, series, False, 0
        mesh = series.read(len(series.times) - 1)
        names = [name for name in (*mesh.point_data, *mesh.cell_data) if name not in HIDDEN or name == field]
        self.fields = [name for name in names if self._values(mesh, name).ndim == 1 or name == "velocity"]
        if field and field not in self.fields:
            raise OptionError(f"-field {field}: must be one of {', '.join(self.fields)}")
        self.field = field or (FIRST if FIRST in self.fields else self.fields[0] if self.fields else "")
        self._range = self._find_range()
        self.plotter = pyvista.Plotter(off_screen=off_screen, window_size=list(size))
        self.plotter.set_background("white")
        self.show_frame(len(series.times) - 1)
        bounds = mesh.bounds
        self._flat = bounds[5] - bounds[4] <= 1e-6 * max(bounds[1] - bounds[0], bounds[3] - bounds[2])
        if self._flat:
            self.plotter.view_xy()
        else:
            self.plotter.view_isometric()
        # the zoom factor is smaller in 3D, because the model would otherwise cover the colour bar
        self.plotter.camera.zoom(1.3 if self._flat else 1.1)

    @staticmethod
    def _values(mesh: Any, name: str) -> Any:
        return mesh.point_data[name] if name in mesh.point_data else mesh.cell_data[name]

    def _find_range(self) -> tuple[float, float]:
        """Return the limits of the colour scale for all frames. The limits are the smallest and the largest value of
        the field in at most ten frames, which are evenly distributed over the series.
        """
        import numpy as np  # imported here, because `windlass show` starts faster without NumPy

        count = len(self._series.times)
        low, high = np.inf, -np.inf
        for frame in sorted({round(k * (count - 1) / 9) for k in range(10)}) if self.field else ():
            values = self._values(self._series.read(frame), self.field)
            values = np.linalg.norm(values, axis=1) if values.ndim > 1 else values
            if np.isfinite(values).any():
                low, high = min(low, float(np.nanmin(values))), max(high, float(np.nanmax(values)))
        return (low, high) if low < high else (low - 0.5, low + 0.5) if np.isfinite(low) else (0.0, 1.0)

    def show_frame(self, frame: int) -> None:
        """Show the frame with the given index. The first frame has the index 0."""
        import numpy as np  # imported here, because `windlass show` starts faster without NumPy

        self.frame = frame % len(self._series.times)
        mesh = self._series.read(self.frame)
        offsets = find_offsets(mesh)

        def mean(values: Any) -> Any:
            return np.add.reduceat(values[mesh.cell_connectivity], offsets[:-1]) / np.diff(offsets)

        plain, rods = np.ones(mesh.n_cells, dtype=bool), find_rods(mesh)
        if self.field:
            values = self._values(mesh, self.field)
            values = np.linalg.norm(values, axis=1) if values.ndim > 1 else np.asarray(values)
            mesh.cell_data["shown"] = mean(values) if self.field in mesh.point_data else values
            plain = ~np.isfinite(mesh.cell_data["shown"])
            # wheels are drawn in one colour although they have field values, so that the belt is easy to see
            tension = mean(mesh.point_data[FIRST]) if FIRST in mesh.point_data else np.zeros(mesh.n_cells)
            plain |= ~np.isfinite(tension)
        colours = {"scalars": "shown", "clim": self._range, "cmap": "turbo"}
        bar = {"title": self._name_bar(), "color": "black"}
        lines = ~plain & ~rods
        scene = {
            "plain": (mesh.extract_cells(np.flatnonzero(plain)), {"color": "#9aa5b1", "line_width": 2}),
            "coloured": (mesh.extract_cells(np.flatnonzero(lines)), {**colours, "line_width": 6}),
        }
        bodies, edges = create_rods(self._pyvista, mesh, np.flatnonzero(rods & ~plain), ROD_RADIUS * mesh.length)
        scene["rods"] = bodies, {**colours, "ambient": 0.5}
        scene["marks"] = edges, {"color": "black", "line_width": 2}
        for name, (part, style) in scene.items():
            if part.n_cells:
                self.plotter.add_mesh(part, name=name, reset_camera=False, scalar_bar_args=bar, **style)
            else:
                self.plotter.remove_actor(name)
        now = self._series.times[self.frame]
        text = f"step {now:.0f}" if self._series.has_steps else f"t = {now:.6g} s"
        self.plotter.add_text(text, name="time", color="black", font_size=12)

    def _name_bar(self) -> str:
        """Return the title of the colour bar: the name and the unit of the field."""
        unit = self._series.units.get(self.field, "")
        return f"{self.field.replace('_', ' ')}{f' [{unit}]' if unit else ''}\n"

    def change_field(self, by: int) -> None:
        """Show another field of the list of fields. The argument ``by`` is the number of positions from the present
        field to this field.
        """
        if self.fields:
            self.plotter.remove_scalar_bar(self._name_bar())
            self.field = self.fields[(self.fields.index(self.field) + by) % len(self.fields)]
            self._range = self._find_range()
            self.show_frame(self.frame)

    def toggle(self) -> None:
        """Start or stop the animation of all frames."""
        self._playing = not self._playing

    def tick(self, _step: int = 0) -> None:
        """Show the next frame if the animation is running."""
        if self._playing:
            self.show_frame(self.frame + 1)
            self.plotter.render()

    def run(self, frame: int) -> None:
        """Open the window, and wait until the user closes it."""
        self.show_frame(self._series.number(frame))
        keys = {
            "space": self.toggle,
            "Right": lambda: self.show_frame(self.frame + 1),
            "Left": lambda: self.show_frame(self.frame - 1),
            "Up": lambda: self.change_field(1),
            "Down": lambda: self.change_field(-1),
        }
        for key, act in keys.items():
            self.plotter.add_key_event(key, act)
        last = len(self._series.times) - 1
        if last:
            self.plotter.add_slider_widget(
                lambda value: self.show_frame(round(value)), (0, last), value=self.frame, title="frame", color="black"
            )
        self.plotter.add_timer_event(max_steps=10**9, duration=INTERVAL, callback=self.tick)
        self.plotter.show(title="windlass show")

    def write_picture(self, path: Path, frame: int) -> None:
        """Write a frame as a picture. Raise OutputError if the file cannot be written."""
        self.show_frame(self._series.number(frame))
        self._write(path, "picture", lambda draft: self.plotter.screenshot(draft))

    def write_movie(self, path: Path, fps: int) -> None:
        """Write all frames as a video. Raise OutputError if the file cannot be written."""

        def write(draft: str) -> None:
            if path.suffix == ".gif":
                self.plotter.open_gif(draft, fps=fps)
            else:
                # a missing package is detected here, because the error message of imageio does not name the package
                import imageio_ffmpeg  # noqa: F401  # imported here, because only films need imageio_ffmpeg

                # Video codecs need even frame sizes. The sizes of the window are even. By default, imageio would resize
                # the frames to multiples of a larger number.
                self.plotter.open_movie(draft, framerate=fps, macro_block_size=2)
            for frame in range(len(self._series.times)):
                self.show_frame(frame)
                self.plotter.write_frame()
            self.plotter.mwriter.close()

        self._write(path, "movie", write)

    def _write(self, path: Path, what: str, write: Callable[[str], Any]) -> None:
        try:
            with TemporaryDirectory() as folder:
                draft = Path(folder) / f"draft{path.suffix}"
                write(str(draft))
                write_output(path, mark_picture(draft.read_bytes()), f"-{what}", "picture")
        except ImportError as error:
            raise OptionError(f"-{what} {path} needs a package that is missing ({error}): {INSTALL}") from None
        except OSError as error:
            raise OutputError(
                f"-{what} {path} cannot be written ({error}): must be on a disk with free space"
            ) from None
