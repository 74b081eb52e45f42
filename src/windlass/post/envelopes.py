"""Envelopes of fields, such as the tension along a line. An envelope contains the minimum, the mean and the maximum
over time at each point.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.checks.checks import checked, number, optional, path, word
from windlass.framework.checks.values import show
from windlass.framework.errors import ModelError
from windlass.framework.files.hdf5 import read_hdf5

LINE = 3
"""VTK's cell type of straight lines."""
JOINED = 1e-6
"""If the gap between two consecutive line cells, relative to the sum of their lengths, is at most this value [1], the
cells are treated as connected.
"""


@dataclass(frozen=True)
class Envelope:
    """Minimum, mean and maximum of a field over frames of a file, at the points where the field has values. Means are
    time averages with linear interpolation between frames.

    Attributes:
        lengths: distance [m] of each point from the start of its line, measured along the line in the first frame,
            shape (points,). If two consecutive segments in the file are not connected, the distance begins again at 0.
        part: label in the file of the cable or body of each point, shape (points,).
        minimum, mean, maximum: minimum, mean and maximum at each point, shape (points,), in the unit of the field.
        time_of_minimum, time_of_maximum: times [s] of the extremes at each point, shape (points,).
        times: times [s] of the frames, shape (frames,).
        field: name of the field.
    """

    lengths: FloatArray
    part: IntArray
    minimum: FloatArray
    mean: FloatArray
    maximum: FloatArray
    time_of_minimum: FloatArray
    time_of_maximum: FloatArray
    times: FloatArray
    field: str


@checked(file=path(), field=word(), start=optional(number("s")), end=optional(number("s")))
def find_envelope(
    file: str | os.PathLike[str], field: str = "axial_force", start: float | None = None, end: float | None = None
) -> Envelope:
    """Return the envelope of a scalar field of points over the frames of a `.vtkhdf` file of a `Recorder`.

    Args:
        file: path of the `.vtkhdf` file.
        field: name of the field.
        start, end: the first and the last time [s], both included. None means the time of the first or the last frame.

    Raises:
        ModelError: the file does not exist, has no field of this name with one value per point, or has no frame in this
            time interval.
    """
    if Path(file).suffix != ".vtkhdf" or not os.path.isfile(file):
        raise ModelError(f"file = {show(str(file))} in find_envelope: must be a .vtkhdf file of a Recorder")
    with read_hdf5(Path(file)) as content:
        root = content["VTKHDF"]
        count = int(root["Steps"].attrs["NSteps"])
        times = np.asarray(root["Steps/Values"][:count], np.float64)
        fields = [name for name, data in root["PointData"].items() if data.ndim == 1]
        if field not in fields:
            raise ModelError(f"field = {field!r} in find_envelope of {file}: must be one of {', '.join(fields)}")
        first, last = -np.inf if start is None else start, np.inf if end is None else end
        frames = np.flatnonzero((times >= first) & (times <= last))
        if not len(frames):
            raise ModelError(f"start = {start} s, end = {end} s in find_envelope of {file}: must contain a frame")
        points = int(root["NumberOfPoints"][0])
        return _gather(root, field, times[frames], frames, points)


def _gather(root: Any, field: str, times: FloatArray, frames: Any, points: int) -> Envelope:
    """Compute the envelope from the frames of a file, which are read one after the other."""
    data = root["PointData"][field]
    low, high = np.full(points, np.inf), np.full(points, -np.inf)
    low_at, high_at, total = np.zeros(points), np.zeros(points), np.zeros(points)
    for t, weight, frame in zip(times, _find_weights(times), frames, strict=True):
        values = np.asarray(data[frame * points : (frame + 1) * points], np.float64)
        low_at[values < low], high_at[values > high] = t, t
        low, high = np.fmin(low, values), np.fmax(high, values)
        total += weight * values
    at = int(frames[0]) * points
    lengths, part = _find_lengths(np.asarray(root["Points"][at : at + points], np.float64), root)
    has = np.isfinite(total)  # omit points without a value, such as points of bodies
    found = (low[has], total[has], high[has], low_at[has], high_at[has])
    return Envelope(lengths[has], part[has], *found, times, field)


def _find_weights(times: FloatArray) -> FloatArray:
    """Return the weight of each frame in the average over time, shape (frames,)."""
    if len(times) == 1:
        return np.ones(1)
    steps = np.diff(times)
    weights: FloatArray = 0.5 * (np.append(steps, 0.0) + np.append(0.0, steps)) / (times[-1] - times[0])
    return weights


def _find_lengths(points: FloatArray, root: Any) -> tuple[FloatArray, IntArray]:
    """Return the distance [m] of each point from the start of its line, and the label of the cable or body of the
    point, each of shape (points,). For points that are not on a line, the distance is 0 and the label is -1.
    """
    kinds = np.asarray(root["Types"][()])
    lines = np.asarray(root["Connectivity"][: 2 * np.count_nonzero(kinds == LINE)], np.int64).reshape(-1, 2)
    labels = np.asarray(root["CellData/part"][: len(lines)], np.int64)
    lengths, part = np.zeros(len(points)), np.full(len(points), -1)
    steps = np.linalg.norm(points[lines[:, 1]] - points[lines[:, 0]], axis=1)
    gaps = np.linalg.norm(points[lines[1:, 0]] - points[lines[:-1, 1]], axis=1)
    begins = np.append(True, gaps > JOINED * (steps[1:] + steps[:-1]))
    ends = np.cumsum(steps)
    start = (ends - steps)[np.flatnonzero(begins)][np.cumsum(begins) - 1]
    lengths[lines[:, 0]], lengths[lines[:, 1]] = ends - steps - start, ends - start
    part[lines.ravel()] = np.repeat(labels, 2)
    return lengths, part
