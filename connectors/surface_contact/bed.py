"""Beds whose height is given on a rectangular grid (bathymetry), or by a polyline along one horizontal direction.

The bed of a polyline has a constant height perpendicular to the direction of the profile. Its corners can be rounded by
arcs. At a rounded corner the direction of the contact force changes continuously.

At a sharp crest, where the directions of the two pieces differ by the angle theta, a cable is bent within one element.
Forces normal to the pieces then have a component along the cable, of the order of theta^2 times the tension of the
cable. An arc of the radius R begins at the distance R tan(theta/2) from the corner. On this arc, forces are normal to
the cable. Therefore the tension of the cable is continuous.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.interpolate import CloughTocher2DInterpolator, NearestNDInterpolator

from windlass.connectors.markers.position_markers import rigid_marker
from windlass.connectors.surface_contact.distances import create_field, eval_heights
from windlass.connectors.surface_contact.surfaces import HeightFieldSurface, PolylineSurface
from windlass.elements.nodes.ground import Ground
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import (
    check_fields,
    checked,
    checked_names,
    instance,
    number,
    numbers,
    optional,
    whole,
)
from windlass.framework.checks.values import show
from windlass.framework.errors import ModelError
from windlass.framework.model.adding import all_or_nothing
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World

SAME = 1e-6
"""Difference of coordinates, relative to their range [1]. Points of a file with smaller differences are on the same
grid line.
"""
TOLERANCE = 1e-10
"""Relative tolerance of the iteration with which SciPy computes the slopes of the heights at scattered points [1]."""
FIELDS = {"x": numbers("m", (None,)), "y": numbers("m", (None,)), "heights": numbers("m", (None, None))}
PLACES = numbers("m", (), (None,), (None, None))
LARGEST = 4_000_000
"""Largest number of heights of a grid."""


@checked_names(FIELDS)
@dataclass(frozen=True)
class BedGrid:
    """Heights of a bed on a rectangular grid.

    Between grid lines, the height is a natural cubic spline in both directions. Beyond the grid, the height continues
    linearly.

    Args:
        x, y: coordinates of the grid lines [m] in ascending order, at least two in each direction, shapes (nx,) and
            (ny,).
        heights: heights z [m], shape (nx, ny).

    Raises:
        ModelError: an array has a wrong shape, a number is not finite, or coordinates are not in ascending order.
    """

    x: FloatArray
    y: FloatArray
    heights: FloatArray

    def __post_init__(self) -> None:
        check_fields(self, FIELDS)
        for name in FIELDS:
            object.__setattr__(self, name, np.array(getattr(self, name), np.float64))
        if self.heights.shape != (len(self.x), len(self.y)):
            raise ModelError(
                f"heights of BedGrid has shape {self.heights.shape}: must be ({len(self.x)}, {len(self.y)}), the "
                "numbers of x and y"
            )
        object.__setattr__(self, "_field", create_field(self.x, self.y, self.heights.reshape(-1), "BedGrid"))

    @checked(x=PLACES, y=PLACES)
    def eval_heights(self, x: Any, y: Any) -> FloatArray:
        """Return the heights [m] at the coordinates x, y [m], which are numbers or arrays of up to two axes.

        Raises:
            ModelError: x and y have different shapes, and neither is a number.
        """
        try:
            x, y = np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(y, np.float64))
        except ValueError:
            raise ModelError(f"x = {show(x)} m, y = {show(y)} m in eval_heights: must have equal shapes") from None
        places = np.stack((x.reshape(-1), y.reshape(-1)), axis=1)
        field: FloatArray = self._field  # type: ignore[attr-defined]
        return eval_heights(field, 0, len(self.x), len(self.y), places).reshape(x.shape)

    @checked(start=numbers("m", (2,), (3,)), end=numbers("m", (2,), (3,)), count=whole(1))
    def eval_profile(self, start: Any, end: Any, count: int = 50) -> list[tuple[float, float, float]]:
        """Return points of the bed below the straight line from ``start`` to ``end``, at equal horizontal distances.
        The point at ``start`` is excluded, as the argument ``ground`` of `hang_from_ground` requires.

        Args:
            start, end: ends of the line [m], (x, y) or (x, y, z). The component z has no effect.
            count: number of points.

        Returns:
            The points (x, y, z) [m].
        """
        a, b = np.asarray(start, np.float64)[:2], np.asarray(end, np.float64)[:2]
        places = a + np.linspace(0.0, 1.0, count + 1)[1:, None] * (b - a)
        heights = self.eval_heights(places[:, 0], places[:, 1])
        return [(float(x), float(y), float(z)) for (x, y), z in zip(places, heights, strict=True)]


@checked(world=instance(World), grid=instance(BedGrid))
@all_or_nothing
def add_bed_grid(world: World, grid: BedGrid) -> Entity:
    """Add a bed that is fixed to the ground, and whose height varies in both horizontal directions.
    `add_surface_contact` adds the contact of cables with the bed.

    Args:
        world: model to which the entities are added.
        grid: heights of the bed.

    Returns:
        The surface, a row of `HeightFieldSurface`, for `add_surface_contact`.
    """
    marker = rigid_marker(world, world.add(Ground))
    return world.add(
        HeightFieldSurface, name="bed", marker=marker, along=(1.0, 0.0, 0.0), x=grid.x, y=grid.y,
        heights=grid.heights.reshape(-1),
    )  # fmt: skip


@checked(path=instance(str, Path), spacing=optional(number("m", above=0.0)))
def read_bed_grid(path: str | Path, spacing: float | None = None) -> BedGrid:
    """Read the heights of a bed from a file.

    Text files (.csv, .txt, .xyz) contain either rows x, y, z, or a table whose first row contains the coordinates y and
    whose other rows contain x and the heights at x. The numbers are separated by commas, semicolons, blanks or tabs. A
    first row that contains only words, and lines that begin with ``#``, are ignored. The first row of a table begins
    with a word, or has one element less than the other rows. Other files are read by meshio, and the points of the mesh
    are used.

    Args:
        path: the file. All numbers are in metres, and z is positive upwards.
        spacing: largest distance of the grid lines [m] for points that are not on a rectangular grid. Heights at the
            grid points are interpolated (Clough-Tocher). Outside of the convex hull of the points, the height of the
            nearest point is used. If None, the points must be on a rectangular grid. The argument has no effect on
            tables.

    Raises:
        ModelError: the file cannot be read, a text file contains neither rows x, y, z nor a table, the points are not
            on a rectangular grid and ``spacing`` is None, or ``spacing`` needs more than 4 000 000 heights.
    """
    file = Path(path)
    if file.suffix.lower() in (".csv", ".txt", ".xyz"):
        found = _read_text(file)
        if isinstance(found, BedGrid):
            return found
    else:
        found = _read_mesh(file)
    return _create_grid(file, found, spacing)


def _read_text(file: Path) -> BedGrid | FloatArray:
    """Return the grid if the file contains a table, otherwise the points [m], shape (k, 3)."""
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise ModelError(f"bed file {file} cannot be read: {error.strerror}") from None
    rows = list[list[float]]()
    for at, line in enumerate(lines, 1):
        words = line.replace(",", " ").replace(";", " ").split()
        if not words or words[0].startswith("#"):
            continue
        found = [_read_number(word) for word in words]
        values = [number for number in found if number is not None]
        # the first row may be a heading: only words, or a word followed by the coordinates y of a table
        is_heading = not rows and (not values or (found[0] is None and len(values) == len(words) - 1))
        if len(values) < len(words) and not is_heading:
            raise ModelError(f"bed file {file}, line {at} is {line.strip()[:40]!r}: must have numbers [m] only")
        if not values:
            continue
        if not np.isfinite(values).all():
            raise ModelError(f"bed file {file}, line {at}: must have finite numbers")
        if len(rows) > 1 and len(values) != len(rows[1]):
            raise ModelError(f"bed file {file}, line {at} has {len(values)} numbers: must have {len(rows[1])}")
        rows.append(values)
    widths = [len(row) for row in rows]
    if len(rows) > 1 and widths[0] == widths[1] - 1:
        table = np.array(rows[1:])
        return BedGrid(table[:, 0], np.array(rows[0]), table[:, 1:])
    if len(rows) < 4 or set(widths) != {3}:
        raise ModelError(
            f"bed file {file} has {len(rows)} rows with {min(widths, default=0)} to {max(widths, default=0)} numbers: "
            "must have rows x, y, z [m], or a table with y in its first row and x in its first column"
        )
    return np.array(rows)


def _read_number(word: str) -> float | None:
    """Return the number that ``word`` represents, or None if ``word`` is not a number."""
    try:
        return float(word)
    except ValueError:
        return None


def _read_mesh(file: Path) -> FloatArray:
    """Return the points [m] of a mesh, shape (k, 3)."""
    import meshio  # imported here, because only files of meshes need meshio

    try:
        points = np.asarray(meshio.read(file).points, np.float64)
    except (Exception, SystemExit) as error:
        raise ModelError(f"bed file {file} cannot be read by meshio: {error or type(error).__name__}") from None
    if points.ndim != 2 or points.shape[1] != 3 or not np.isfinite(points).all():
        raise ModelError(f"bed file {file} has points of shape {points.shape}: must have finite x, y, z")
    return points


def _create_grid(file: Path, points: FloatArray, spacing: float | None) -> BedGrid:
    """Return the grid of ``points`` [m], shape (k, 3). If ``spacing`` [m] is given, return a grid on which the heights
    of ``points`` are interpolated. See `read_bed_grid`.
    """
    x, y = (_find_lines(points[:, k]) for k in range(2))
    if spacing is None:
        heights = np.full((len(x), len(y)), np.nan)
        if len(points) == heights.size:
            heights[_nearest(x, points[:, 0]), _nearest(y, points[:, 1])] = points[:, 2]
        if np.isnan(heights).any():
            raise ModelError(
                f"bed file {file} has {len(points)} points, which are not on a rectangular grid: give spacing= [m] to "
                "interpolate them"
            )
        return BedGrid(x, y, heights)
    low, high = points[:, :2].min(axis=0), points[:, :2].max(axis=0)
    counts = np.maximum(np.ceil((high - low) / spacing), 1.0) + 1.0
    if np.prod(counts) > LARGEST:
        raise ModelError(
            f"spacing = {spacing:g} m for bed file {file} needs {np.prod(counts):.3g} heights: must need at most "
            f"{LARGEST}"
        )
    lines = [np.linspace(a, b, int(count)) for a, b, count in zip(low, high, counts, strict=True)]
    places = np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1)
    try:
        heights = CloughTocher2DInterpolator(points[:, :2], points[:, 2], tol=TOLERANCE, maxiter=10_000)(places)
    except Exception as error:
        raise ModelError(f"bed file {file}: its points cannot be interpolated: {str(error).splitlines()[0]}") from None
    outside = np.isnan(heights)
    heights[outside] = NearestNDInterpolator(points[:, :2], points[:, 2])(places[outside])
    return BedGrid(lines[0], lines[1], heights)


def _find_lines(values: FloatArray) -> FloatArray:
    """Return the distinct ``values`` in ascending order, shape (n,): the coordinates of grid lines. Neighbours that
    differ by at most `SAME` times the range of all values are one grid line.
    """
    lines = np.unique(values)
    keep = np.append(True, np.diff(lines) > SAME * np.ptp(lines))
    found: FloatArray = lines[keep]
    return found


def _nearest(lines: FloatArray, values: FloatArray) -> Any:
    """Return, for each of k coordinates ``values``, the index of the nearest grid line, shape (k,)."""
    middles = 0.5 * (lines[1:] + lines[:-1])
    return np.searchsorted(middles, values)


BEYOND, FAR = 100.0, 1e5
"""The first and the last piece are extended by BEYOND times the horizontal length of the polyline [1], at least by FAR
[m].
"""


@checked(
    world=instance(World),
    points=numbers("m", (None, 2)),
    heading=number("rad"),
    origin=numbers("m", (2,)),
    rounding=number("m", minimum=0.0),
)
@all_or_nothing
def add_bed(
    world: World, points: Any, heading: float = 0.0, origin: Any = (0.0, 0.0), rounding: float = 0.0
) -> list[Entity]:
    """Add a bed whose height z is a polyline along a horizontal direction. `add_surface_contact` adds the contact of
    cables with the bed.

    Args:
        world: model to which the entities are added.
        points: distances from the origin and heights z of k >= 2 corners [m], shape (k, 2), in ascending order of the
            distances. The first and the last piece are extended by at least 100 km.
        heading: angle from the x axis to the horizontal direction of the profile, positive towards y [rad].
        origin: x and y of the point with the distance 0 [m].
        rounding: radius of the corners [m]. About four lengths of a cable are recommended. The radius is reduced at
            corners where an arc would cover more than half of a piece between two corners, or where the circle of the
            arc would cross another piece. With the radius 0, corners are sharp. At a sharp crest with the angle theta
            [rad], the tension after the crest has a relative error of the order of theta². Static solves report such
            crests as doubtful.

    Returns:
        One surface, a row of `PolylineSurface`, for `add_surface_contact`.

    Raises:
        ModelError: fewer than two points are given, or the distances are not in ascending order.
    """
    corners = np.array(points, np.float64)
    if len(corners) < 2 or not (np.diff(corners[:, 0]) > 0.0).all():
        raise ModelError(f"points = {show(points)} m in add_bed: must be two or more with ascending distances")
    # extend the first and the last piece far beyond the given points
    beyond = max(BEYOND * float(corners[-1, 0] - corners[0, 0]), FAR)
    for end, inner in ((0, 1), (-1, -2)):
        way = corners[end] - corners[inner]
        corners[end] += beyond * way / np.hypot(*way)
    ways = np.diff(corners, axis=0)
    turns = np.diff(np.arctan2(ways[:, 1], ways[:, 0]))
    radii = [_choose_radius(corners, k + 1, turn, rounding) for k, turn in enumerate(turns)]
    marker = rigid_marker(world, world.add(Ground, position=(*origin, 0.0)))
    along = (np.cos(heading), np.sin(heading), 0.0)
    return [
        world.add(
            PolylineSurface, name="bed", marker=marker, along=along, vertices=corners.ravel(), rounding=radii or [0.0]
        )
    ]


def _choose_radius(corners: FloatArray, k: int, turn: float, rounding: float) -> float:
    """Return the radius [m] of the arc at corner k, which is 0 at a corner without bend. The argument ``turn`` is the
    angle by which the direction changes, positive at hollows [rad], and ``rounding`` is the largest radius [m].
    """
    bend = float(np.tan(0.5 * abs(turn)))
    if bend == 0.0 or rounding == 0.0:
        return 0.0
    ways = np.diff(corners, axis=0)
    sizes = np.hypot(*ways.T)
    slopes = ways / sizes[:, None]
    radius = min(rounding, 0.5 * float(sizes[k - 1 : k + 1].min()) / bend)
    # halve the radius until no other piece crosses the circle of the arc
    side = np.sign(turn)
    while True:
        centre = corners[k] + radius * (side * slopes[k - 1, ::-1] * (-1.0, 1.0) - bend * slopes[k - 1])
        offset = centre - corners[:-1]
        way = np.clip((offset * slopes).sum(axis=1), 0.0, sizes)
        if np.hypot(*(offset - way[:, None] * slopes).T).min() >= radius * (1.0 - 1e-6):
            return radius
        radius *= 0.5
