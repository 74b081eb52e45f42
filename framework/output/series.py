"""The base class of time series of fields, the checks of a frame, and the conversion of read and write errors to errors
of Windlass.
"""

from __future__ import annotations

import hashlib
import math
import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, Self
from xml.etree.ElementTree import ParseError

import numpy as np
from numpy.typing import ArrayLike, NDArray

from windlass.framework.arrays import FloatArray
from windlass.framework.errors import OutputError
from windlass.framework.files.outputs import check_output
from windlass.framework.files.whole_files import NoRoomError, check_target
from windlass.framework.output.mesh import LineMesh

FieldArray = NDArray[Any]
_SUFFIXES = (".pvd", ".vtu", ".xdmf", ".h5", ".vtkhdf", ".hdf")


class BrokenSeriesError(OutputError):
    """Error that is raised if the series of an interrupted run cannot be continued. The files of the series are
    unchanged.
    """


class Closing:
    """Base class of objects that are used in a ``with`` block and closed at its end."""

    def close(self) -> None:
        """Complete and close the files of this object."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Style(NamedTuple):
    """Precision and compression of the written numbers, and the meaning of the times of frames.

    single: whether fields are written in single precision (float32). Points and times are always in double precision.
    compress: whether VTKHDF files are compressed. Files with the suffix `.vtu` are always compressed, and XDMF files
    are never compressed.
    axis: ``"time"`` [s], or ``"step"`` if the times of frames are step numbers. VTKHDF files contain this information.
    """

    single: bool = False
    compress: bool = False
    axis: str = "time"


PLAIN = Style()


class FieldSeries(Closing, ABC):
    """A time series of fields on a `LineMesh`. Append frames, and then close the series, or use the series as a context
    manager.

    path: folder and name of the files without suffix. The folder must exist.
    mesh: reference points, lines, faces and labels, which are written once.
    style: precision and compression of the written numbers.
    kept: times [s] of the frames of an interrupted run that the series continues; empty for a new series.
    digest: digest of the frames in ``kept``, None if unknown.

    If ``kept`` is empty, files of an older series with an equal name are replaced at the first call of `append`, or by
    `close` if no frame was appended. Files that Windlass has not written cause an error. If ``kept`` is not empty, this
    series continues the series of an interrupted run. The first call of `append` keeps the frames in ``kept``, and
    removes later frames and incomplete data of a killed process. If the frames cannot be kept, or if their digest
    differs from ``digest``, `append` raises BrokenSeriesError and does not change the files.
    """

    path: Path
    """Absolute path of the file that the user opens in ParaView."""
    mesh: LineMesh
    """Reference points, lines, faces and labels."""
    style: Style
    """Precision and compression of the written numbers."""
    units: Mapping[str, str] = MappingProxyType({})
    """Units of the fields by name, for formats that can write units. `Recorder` sets the units."""
    suffixes: ClassVar[tuple[str, ...]]
    """Suffix of the file that the user opens in ParaView, followed by the suffixes of all other files of the series."""
    marks: ClassVar[tuple[bytes, ...]] = ()
    """Bytes at the beginning of the files of this format, for formats other than HDF5 and XML. The bytes contain the
    words ``written by Windlass``.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        mesh: LineMesh,
        style: Style = PLAIN,
        kept: Sequence[float] = (),
        digest: str | None = None,
    ) -> None:
        self.style, self.mesh = style, mesh
        self.path = check_series_path(path, self.suffixes[0])
        self._kept = [float(time) for time in kept]
        for suffix in self.suffixes if not self._kept else ():
            check_series(self.beside(suffix), "series")
        # Time of the last frame of the interrupted run. The fields of this frame are unknown.
        self._last = FrameLayout(self._kept[-1], None) if self._kept else None
        self._digest = FrameDigest(digest if self._kept else None)
        self._begun = self._closed = False
        self._prepare()

    @abstractmethod
    def _prepare(self) -> None:
        """Initialise the data that a format stores between frames."""

    def beside(self, suffix: str) -> Path:
        """Return the path of the file of this series that has the given suffix."""
        return self.path.with_name(self.path.name.removesuffix(self.suffixes[0]) + suffix)

    @property
    def digest(self) -> str:
        """Return the digest of all frames written so far."""
        return self._digest.total()

    def append(
        self, time: float, points: ArrayLike, point_data: Mapping[str, ArrayLike], cell_data: Mapping[str, ArrayLike]
    ) -> None:
        """Write one frame. When the call returns, the frame is on disk and readers can read it.

        Args:
            time: time [s] of the frame, later than the time of the previous frame.
            points: present positions [m] of the points in the global frame, shape (n, 2) or (n, 3).
            point_data: values per point by field name, shape (n,), (n, 2) or (n, 3). Vectors with two components
                receive a third component 0.
            cell_data: values per line, followed by values per face, by field name, shape (m,), (m, 2) or (m, 3).

        Raises:
            OutputError: a shape, a name or the time is wrong, names or types of the fields differ from the first frame,
                the series is closed, or the file cannot be written.
        """
        if self._closed:
            raise OutputError(f"'{self.path}' is closed: frames must be appended before close()")
        frame, layout = create_frame(self.mesh, self._last, time, points, point_data, cell_data)
        if self.style.single:
            frame = frame._replace(point_data=_as_single(frame.point_data), cell_data=_as_single(frame.cell_data))
        self._add(frame)
        self._last = layout

    def close(self) -> None:
        """Complete the files, even if no frame was appended. A second call has no effect."""
        if not (self._closed or self._kept or self._begun):
            with writing(self.path):
                self._start()
        self._closed = True

    @abstractmethod
    def _add(self, frame: SeriesFrame) -> None:
        """Write a frame that was checked before."""

    @abstractmethod
    def _start(self) -> None:
        """Write the file with the kept frames of an interrupted run. A new series has no such frames."""


class SeriesFrame(NamedTuple):
    """One checked frame: time [s], points [m] of shape (n, 3), and fields of shape (count,) or (count, 3)."""

    time: float
    points: FloatArray
    point_data: dict[str, FieldArray]
    cell_data: dict[str, FieldArray]


class FrameLayout(NamedTuple):
    """Data of a frame for a comparison with the next frame: the time [s], and the type and the number of components of
    each field. The key of a field is (points or cells, name).

    After a restart the fields are None until the first new frame.
    """

    time: float
    fields: dict[tuple[str, str], tuple[np.dtype[Any], int]] | None


class FrameDigest:
    """Digest (SHA-256) of the frames of a series. The digest combines the hash values of several parts of the data,
    such as the index and the fields. Each frame is appended to all parts.

    The checkpoint stores this digest, because the formats of viewers have no field for a digest.

    Args:
        kept: digest of the frames of an interrupted run, which is used until the frames are read again; None if
            unknown.
    """

    def __init__(self, kept: str | None = None) -> None:
        self._kept = kept
        self._parts: dict[str, Any] = {}

    def restart(self) -> None:
        """Reset the digest. This call is necessary before all frames are read again."""
        self._parts = {}

    def add(self, part: str, values: bytes | FieldArray) -> None:
        """Append data to one part of the digest. Frames must be added in the order of time."""
        self._parts.setdefault(part, hashlib.sha256()).update(values)

    def total(self) -> str:
        """Return the digest of all parts."""
        if self._kept is not None:
            return self._kept
        parts = sorted(f"{part} {digest.hexdigest()}\n" for part, digest in self._parts.items())
        return hashlib.sha256("".join(parts).encode()).hexdigest()

    def check(self) -> None:
        """Compare the digest of the frames that were read again with the digest of the interrupted run.

        Raises:
            BrokenSeriesError: the frames were changed after they were written.
        """
        kept, self._kept = self._kept, None
        if kept is not None and kept != self.total():
            self._kept = kept
            raise BrokenSeriesError(
                "the frames are damaged, because their digest differs from the digest in the checkpoint"
            )


def create_frame(
    mesh: LineMesh,
    last: FrameLayout | None,
    time: float,
    points: ArrayLike,
    point_data: Mapping[str, ArrayLike],
    cell_data: Mapping[str, ArrayLike],
) -> tuple[SeriesFrame, FrameLayout]:
    """Check that a frame agrees with the mesh and with the previous frame, and add a third component 0 to vectors with
    two components. The arguments are explained in `FieldSeries.append`.

    Raises:
        OutputError: the time is not finite or not later than in the previous frame, or a shape, name or type does not
            fit the mesh or the previous frame.
    """
    time = float(time)
    if not math.isfinite(time):
        raise OutputError(f"time of a frame = {time!r} s: must be finite")
    # frames must have different times, because viewers show two frames of equal time as two parts of one frame
    if last is not None and time <= last.time:
        raise OutputError(f"time of a frame = {time!r} s: must be > {last.time!r} s, the time of the previous frame")
    known = (last.fields if last is not None else None) or {}

    def as_fields(place: str, values: Mapping[str, ArrayLike], count: int) -> dict[str, FieldArray]:
        for name in values:
            if (place, name) not in known:
                _check_name(f"{place}_data {name!r}", name)
        return {name: _as_field(f"{place}_data", name, a, count) for name, a in values.items()}

    moved = _as_field("points", "", points, len(mesh.points))
    if moved.ndim != 2:
        raise OutputError(f"points of a frame have shape {moved.shape}: must be ({len(mesh.points)}, 3)")
    if "part" in cell_data:
        raise OutputError("cell_data 'part' is given: this name is reserved for the labels of the mesh")
    frame = SeriesFrame(
        time,
        moved.astype(np.float64, copy=False),
        as_fields("point", point_data, len(mesh.points)),
        as_fields("cell", cell_data, len(mesh.part)),
    )
    fields = {("point", name): _kind_of(a) for name, a in frame.point_data.items()}
    fields.update({("cell", name): _kind_of(a) for name, a in frame.cell_data.items()})
    if last is not None and last.fields is not None and fields != last.fields:
        differing = sorted(key for key in fields.keys() | last.fields.keys() if fields.get(key) != last.fields.get(key))
        place, name = differing[0]
        raise OutputError(
            f"{place}_data {name!r} at time {time!r} s is {_kind_text(fields.get((place, name)))}: "
            f"must be {_kind_text(last.fields.get((place, name)))} as in the first frame"
        )
    return frame, FrameLayout(time, fields)


def _check_name(what: str, name: str) -> None:
    # a slash in a name would create a subgroup in HDF5, and the other characters cause errors in some readers of XML
    if not name.strip() or any(c in '/<>&"' or not c.isprintable() for c in name):
        raise OutputError(f"{what}: a field name must be printable text without / < > & and double quotes")


def _as_field(place: str, name: str, values: ArrayLike, count: int) -> FieldArray:
    """Return an array of type float64, int32 or int64, and of shape (count,) or (count, 3)."""
    array = np.asarray(values)
    what = f"{place} {name!r}" if name else place
    if array.dtype.kind not in "biuf":
        raise OutputError(f"{what} has type {array.dtype}: must be real numbers, integers or booleans")
    if array.shape not in ((count,), (count, 2), (count, 3)):
        raise OutputError(f"{what} has shape {array.shape}: must be ({count},), ({count}, 2) or ({count}, 3)")
    # only float64, int32 and int64 are used, because these types are tested with all readers
    if array.dtype.kind == "f":
        array = array.astype(np.float64, copy=False)
    elif array.dtype.kind == "b" or array.dtype == np.int32:
        array = array.astype(np.int32, copy=False)
    else:
        array = array.astype(np.int64)
    if array.shape == (count, 2):
        array = np.column_stack([array, np.zeros(count, array.dtype)])
    return np.ascontiguousarray(array)


def _as_single(fields: dict[str, FieldArray]) -> dict[str, FieldArray]:
    return {name: a.astype(np.float32) if a.dtype.kind == "f" else a for name, a in fields.items()}


def _kind_of(array: FieldArray) -> tuple[np.dtype[Any], int]:
    return array.dtype, 1 if array.ndim == 1 else array.shape[1]


def _kind_text(kind: tuple[np.dtype[Any], int] | None) -> str:
    return "absent" if kind is None else f"{kind[0].name} with {kind[1]} component{'s' if kind[1] > 1 else ''}"


def check_series_path(path: str | os.PathLike[str], suffix: str) -> Path:
    """Return the absolute path of the file with the name ``path`` and the suffix ``suffix``. The folder of the file
    must exist.

    The path is absolute because the working directory may change later.

    Raises:
        OutputError: the name is not allowed or ends with a suffix, or the folder does not exist.
    """
    base = Path(path).absolute()
    # a colon separates file and dataset in XDMF
    if not base.name or ":" in base.name or not base.name.isprintable():
        raise OutputError(f"name of a series = {base.name!r}: must be a printable file name without a colon")
    if base.suffix in _SUFFIXES or base.name.endswith(suffix):
        ending = suffix if base.name.endswith(suffix) else base.suffix
        raise OutputError(f"name of a series = {base.name!r}: must be given without {ending}, which is added")
    if not base.parent.is_dir():
        raise OutputError(f"folder of a series = '{base.parent}': must be an existing folder")
    return check_target(base.with_name(base.name + suffix), "series")


def check_series(path: Path, what: str) -> Path:
    """Check that a file of a series can be written to this path, and return the path. See `check_output`."""
    return check_output(path, what, "series")


@contextmanager
def continuing(path: Path, draft: Path) -> Iterator[None]:
    """Context manager for reading the files of a series. It converts errors of damaged files into BrokenSeriesError
    with the path, and removes the unfinished file after any error.
    """
    try:
        yield
    except (BrokenSeriesError, OSError, RuntimeError, KeyError, ValueError, ParseError) as error:
        draft.unlink(missing_ok=True)
        raise BrokenSeriesError(f"'{path}' cannot be continued: {error}") from error
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Context manager that converts errors of the file system into OutputError. The message contains the path."""
    try:
        yield
    except NoRoomError as error:
        raise NoRoomError(path, error.error, error.needed) from None
    except (OSError, RuntimeError) as error:
        raise OutputError(f"'{path}' cannot be written ({error}): give a folder that can be written") from error
