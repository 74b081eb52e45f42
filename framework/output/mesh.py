"""The fixed mesh of straight lines and flat faces on which results are written."""

from dataclasses import dataclass, field

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.errors import OutputError


@dataclass(frozen=True, eq=False)
class LineMesh:
    """Points joined by straight lines and by faces. The mesh is created once per run. The present positions of the
    points are written with each record.

    points: reference positions [m] in the global frame, shape (n, 3); z = 0 in 2D models.
    lines: indices in `points` of both ends of each line, shape (m, 2).
    part: label of each line, followed by the label of each face, shape (m + k,). All lines and faces of one cable,
        pulley or surface have equal labels. The labels are written as cell field `part`. Cell fields contain the values
        of all lines, followed by the values of all faces.
    faces: indices in `points` of the four corners of each face, in order around the face, shape (k, 4).

    The arrays are copied and made read-only. OutputError is raised for a wrong shape, a point that is not finite, a
    mesh without points or lines, or a line or face with the index of a missing point.
    """

    points: FloatArray
    lines: IntArray
    part: IntArray
    faces: IntArray = field(default_factory=lambda: np.zeros((0, 4), np.int64))

    def __post_init__(self) -> None:
        points = np.array(self.points, dtype=np.float64)
        lines = _copy_integers("lines", self.lines)
        faces = _copy_integers("faces", self.faces)
        part = _copy_integers("part", self.part)
        if points.ndim != 2 or points.shape[1] != 3 or len(points) == 0:
            raise OutputError(f"points of LineMesh have shape {points.shape}: must be (n, 3) with n > 0")
        if not np.isfinite(points).all():
            row = int(np.flatnonzero(~np.isfinite(points).all(axis=1))[0])
            raise OutputError(f"points of LineMesh row {row} = {points[row].tolist()} m: must be finite")
        if lines.ndim != 2 or lines.shape[1] != 2 or len(lines) == 0:
            raise OutputError(f"lines of LineMesh have shape {lines.shape}: must be (m, 2) with m > 0")
        if faces.ndim != 2 or faces.shape[1] != 4:
            raise OutputError(f"faces of LineMesh have shape {faces.shape}: must be (k, 4)")
        cells = len(lines) + len(faces)
        if part.shape != (cells,):
            raise OutputError(f"part of LineMesh has shape {part.shape}: must be ({cells},), one label per cell")
        for name, ends in (("lines", lines), ("faces", faces)):
            missing = ((ends < 0) | (ends >= len(points))).any(axis=1)
            if missing.any():
                row = int(np.flatnonzero(missing)[0])
                raise OutputError(
                    f"{name} of LineMesh row {row} = {ends[row].tolist()}: must be points from 0 to {len(points) - 1}"
                )
        for name, array in (("points", points), ("lines", lines), ("part", part), ("faces", faces)):
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    def blocks(self) -> list[tuple[str, IntArray]]:
        """Return the lines and, if the mesh has faces, the faces, with meshio's names of the cell types."""
        return [("line", self.lines), *([("quad", self.faces)] if len(self.faces) else [])]


def _copy_integers(name: str, values: object) -> IntArray:
    """Return a copy of an array of integers as int64. Floats raise an error, because rounding could hide a mistake."""
    array = np.array(values)
    if array.dtype.kind not in "iu" and array.size > 0:
        raise OutputError(f"{name} of LineMesh have type {array.dtype}: must be integers")
    return array.astype(np.int64)
