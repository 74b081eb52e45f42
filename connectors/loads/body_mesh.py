"""Closed surfaces of triangles in the frame of a body, from arrays or from mesh files.

    directed edges: each edge occurs as often from i to j as from j to i
    volume: V = Σ c_0·(c_1 × c_2)/6 over the triangles with the corners c_0, c_1, c_2
    winding number of a surface about a point: w = Σ Ω/(4π), with the solid angles Ω of the triangles

A surface may consist of several parts that have no common point. Consider the winding number of the other parts about a
point just below a triangle of one part. This number is 0 if the part is outside of the others, and 1 if the part is the
surface of a cavity.

Source: A. Van Oosterom, J. Strackee, IEEE Trans. Biomed. Eng. 30 (1983) 125-126, for the solid angle.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.elements.mesh.mesh_file import load_mesh
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.checks.checks import checked, instance, number, path, word
from windlass.framework.errors import ModelError
from windlass.framework.model.law import Tables, register
from windlass.framework.model.schema import Component, column, shape_of
from windlass.framework.model.table import Entity, EntityTable
from windlass.framework.model.world import World

FORMATS = {
    ".stl": "stl", ".obj": "obj", ".ply": "ply", ".off": "off", ".vtk": "vtk", ".vtu": "vtu", ".msh": "gmsh",
}  # fmt: skip
"""Name of the file format in meshio for each file ending."""
LEAST = 4
"""Smallest number of points and of triangles of a closed surface."""
FLAT = 1e-10
"""Smallest height of a triangle, divided by its longest edge [1]."""
EMPTY = 1e-9
"""Smallest volume of a surface, divided by the cube of its longest extent along an axis [1]."""
MERGE = 1e-6
"""Points of a file are merged if their distance is at most this fraction [1] of the longest extent of the mesh."""
LONGEST = 1e4
"""Largest extent of a mesh [m]. The coordinates of larger meshes are probably given in another unit, such as mm."""
SAMPLES = 64
"""Largest number of triangles of a part whose positions are compared with other parts."""
BELOW = 1e-6
"""Distance of the compared points from a triangle, divided by the square root of the area of this triangle [1]."""


class BodyMesh(Component):
    """A closed surface of triangles in the frame of a body. Several loads can use the same mesh.

    The surface need not be convex, and may have several parts and cavities. All triangles must have the same
    orientation. If they are oriented inwards, all of them are reversed. `read_body_mesh` adds a mesh from a file.
    """

    points = column("m", "coordinates x, y, z of the points, shape (points, 3)", shape=None)
    triangles = column(
        "1",
        "indices of the corners of the triangles, counter-clockwise if seen from outside, shape (triangles, 3)",
        shape=None,
        dtype=np.int64,
    )


class Surface(NamedTuple):
    """A checked surface whose triangles are oriented outwards."""

    points: FloatArray  # positions [m], shape (points, 3)
    triangles: IntArray  # indices of the corners, shape (triangles, 3)

    @property
    def corners(self) -> FloatArray:
        """Positions [m] of the corners of the triangles, shape (triangles, 3, 3)."""
        found: FloatArray = self.points[self.triangles]
        return found


def create_surface(points: FloatArray, triangles: IntArray, where: str) -> Surface:
    """Check a surface, and reverse its triangles if they are oriented inwards.

    Args:
        points: coordinates of the points in succession [m], shape (3 n,).
        triangles: indices of the corners of the triangles in succession, shape (3 k,).
        where: description of the mesh, for error messages.

    Raises:
        ModelError: the number of values is wrong, an index is out of range, the surface is longer than `LONGEST`, a
            triangle has no area, the surface is not closed or not consistently oriented, parts of the surface overlap,
            or the volume is 0.
    """
    for name, values, unit in (("points", points, "x, y, z [m]"), ("triangles", triangles, "three indices")):
        if len(values) % 3 or len(values) < 3 * LEAST:
            raise ModelError(f"{name} in {where} has {len(values)} numbers: must have {unit} of {LEAST} {name} or more")
    x, corner = np.reshape(points, (-1, 3)), np.reshape(triangles, (-1, 3))
    for k, n in np.argwhere((corner < 0) | (corner >= len(x)))[:1]:
        raise ModelError(f"triangles[{k}, {n}] = {corner[k, n]} in {where}: must be from 0 to {len(x) - 1}")
    size = _find_extent(x[corner].reshape(-1, 3), where, "points must be in m, so points in mm must be divided by 1000")
    _check_areas(x[corner], where)
    _check_edges(x, corner, where)
    volumes = find_volumes(x[corner])
    volume = float(volumes.sum())
    if abs(volume) <= EMPTY * size**3:
        raise ModelError(f"the mesh in {where} has the volume {volume:.3g} m^3: must enclose a volume")
    if volume < 0.0:
        corner, volumes = corner[:, ::-1], -volumes
    _check_parts(x, corner, volumes, where)
    return Surface(x, np.ascontiguousarray(corner))


def _find_extent(x: FloatArray, where: str, rule: str) -> float:
    """Return the longest extent [m] of points, shape (n, 3), along an axis. Raise ModelError if this extent is above
    `LONGEST`. The message contains ``rule``.
    """
    longest = float(np.ptp(x, axis=0).max())
    if longest > LONGEST:
        raise ModelError(f"{where} is {longest:.4g} m long: must be at most {LONGEST:g} m; {rule}")
    return longest


def find_volumes(corners: FloatArray) -> FloatArray:
    """Return the volumes [m^3], shape (k,), of the tetrahedra between triangles and the mean of all corners. The sum of
    these volumes is the volume inside the triangles. The corners have the shape (k, 3, 3).
    """
    x = corners - corners.reshape(-1, 3).mean(axis=0)
    found: FloatArray = np.einsum("ka,ka->k", x[:, 0], np.cross(x[:, 1], x[:, 2])) / 6.0
    return found


def find_areas(corners: FloatArray) -> FloatArray:
    """Return the vectors [m^2] of the areas of triangles, shape (k, 3), which are normal to the triangles. The corners
    have the shape (k, 3, 3).
    """
    found: FloatArray = 0.5 * np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return found


def _check_areas(corners: FloatArray, where: str) -> None:
    """Raise ModelError for a triangle without area."""
    longest = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
    area = np.linalg.norm(find_areas(corners), axis=1)
    for k in np.flatnonzero(2.0 * area <= FLAT * longest**2)[:1]:
        raise ModelError(
            f"triangle {k} in {where}, with a corner at {_show(corners[k, 0])}, has the area {area[k]:.3g} m^2: must "
            "be > 0, with three different corners that are not on a line"
        )


def _check_edges(x: FloatArray, triangles: IntArray, where: str) -> None:
    """Raise ModelError if the surface is not closed, or if triangles have different orientations."""
    begin, end = triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()
    low, high = np.minimum(begin, end), np.maximum(begin, end)
    edges, which, count = np.unique(low * len(x) + high, return_inverse=True, return_counts=True)
    # number of triangles that pass an edge from the point with the lower index to the point with the higher index,
    # minus number of triangles that pass it in the opposite direction
    balance = np.bincount(which.ravel(), np.where(begin < end, 1.0, -1.0), len(edges))
    is_open = count % 2 == 1
    for wrong, words in (
        (is_open, "open edges: must be closed, so that each edge belongs to two triangles"),
        (
            ~is_open & (balance != 0.0),
            "edges between triangles of different orientation: must be oriented consistently, counter-clockwise if "
            "seen from outside",
        ),
    ):
        if wrong.any():
            a, b = divmod(int(edges[np.flatnonzero(wrong)[0]]), len(x))
            raise ModelError(
                f"the mesh in {where} has {int(wrong.sum())} {words}; the first such edge is from point {a} at "
                f"{_show(x[a])} to point {b} at {_show(x[b])}"
            )


def _check_parts(x: FloatArray, triangles: IntArray, volumes: FloatArray, where: str) -> None:
    """Raise ModelError if parts of the surface overlap. A part that is oriented outwards must be outside of all other
    parts, or in a cavity. A part that is oriented inwards must be inside of another part. At most `SAMPLES` triangles
    of each part are checked.
    """
    from scipy.sparse import coo_array  # imported here, because few models have meshes
    from scipy.sparse.csgraph import connected_components  # imported here, because few models have meshes

    begin, end = triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()
    links = coo_array((np.ones(len(begin)), (begin, end)), shape=(len(x), len(x)))
    part_of_point = connected_components(links, directed=False)[1]
    names, part = np.unique(part_of_point[triangles[:, 0]], return_inverse=True)
    if len(names) == 1:
        return
    corners, count = x[triangles], np.bincount(part)
    order = np.split(np.argsort(part, kind="stable"), np.cumsum(count)[:-1])
    low = np.array([corners[own].reshape(-1, 3).min(axis=0) for own in order])
    high = np.array([corners[own].reshape(-1, 3).max(axis=0) for own in order])
    for k, own in enumerate(order):
        some = corners[own[:: -(-len(own) // SAMPLES)]]
        normals = find_areas(some)
        points = some.mean(axis=1) - BELOW * normals / np.sqrt(np.linalg.norm(normals, axis=1))[:, None]
        found = np.zeros(len(points))
        # the winding number of a part about points outside of its extent is 0
        for other in np.flatnonzero(((low < high[k]) & (high > low[k])).all(axis=1)):
            if other != k:
                found += eval_winding(corners[order[other]], points)
        expected = 1.0 if volumes[own].sum() < 0.0 else 0.0
        for i in np.flatnonzero(np.abs(found - expected) > 0.5)[:1]:
            inside = f"oriented {'in' if expected else 'out'}wards, and is {'outside of' if expected else 'inside'}"
            raise ModelError(
                f"the mesh in {where} has {len(names)} separate parts; the part of {len(own)} triangles with a "
                f"triangle at {_show(points[i])} is {inside} the other parts there: parts must not overlap, and a "
                "cavity must be oriented inwards"
            )


def eval_winding(corners: FloatArray, at: FloatArray) -> FloatArray:
    """Return the winding numbers [1], shape (n,), of a closed surface about points ``at`` [m], shape (n, 3). The
    corners of the triangles of the surface have the shape (k, 3, 3).
    """
    found = np.zeros(len(at))
    for i, point in enumerate(at):
        a, b, c = np.moveaxis(corners - point, 1, 0)
        la, lb, lc = (np.linalg.norm(v, axis=1) for v in (a, b, c))
        sine = np.einsum("ka,ka->k", a, np.cross(b, c))
        ab, bc, ca = (np.einsum("ka,ka->k", u, v) for u, v in ((a, b), (b, c), (c, a)))
        found[i] = np.arctan2(sine, la * lb * lc + ab * lc + bc * la + ca * lb).sum() / (2.0 * np.pi)
    return found


def _show(point: FloatArray) -> str:
    """Return the coordinates of a point as text."""
    return f"({', '.join(f'{value:.6g}' for value in point)}) m"


def find_surfaces(world: Tables, meshes: IntArray) -> list[Surface]:
    """Return the surface of each mesh in an array of entity numbers. The array has the shape (n,)."""
    found: dict[int, Surface] = {}
    for table, positions, rows in world.split_by_table(meshes):
        for position, row in zip(positions, rows, strict=True):
            if int(meshes[position]) not in found:
                points, triangles = (table.local(name, np.array([row]))[0] for name in ("points", "triangles"))
                found[int(meshes[position])] = create_surface(points, triangles, f"{table.kind} row {row}")
    return [found[int(mesh)] for mesh in meshes]


@checked(world=instance(World), file=path(), scale=number("m", above=0.0), name=word())
def read_body_mesh(world: World, file: str | os.PathLike[str], scale: float = 1.0, name: str = "") -> Entity:
    """Add the surface of a body from a mesh file, for `MeshFluidLoad`.

    Triangles and quadrilaterals are read. Each quadrilateral is divided into two triangles. Other cells are omitted.
    Coinciding points are merged, which STL files require. Triangles whose corners are merged are omitted.

    Args:
        world: model to which the mesh is added.
        file: file with the ending .stl, .obj, .ply, .off, .vtk, .vtu or .msh (gmsh). The file is read by meshio. The
            coordinates refer to the frame of the marker of the load.
        scale: length [m] of one unit of length in the file, such as 1e-3 for a file in mm.
        name: name for messages and output.

    Returns:
        Handle to the `BodyMesh`.

    Raises:
        ModelError: the file does not exist, has another format, is damaged or empty, or has no triangles; a point is
            not finite; the mesh is longer than 10 km; or the surface is not valid, see `BodyMesh`.
    """
    mesh = load_mesh(Path(file), FORMATS)
    where = f"mesh file {file}"
    points = np.asarray(mesh.points, np.float64).reshape(len(mesh.points), -1) * scale
    if points.shape[1] != 3 and len(points):
        raise ModelError(f"{where}: the points have {points.shape[1]} coordinates: must have x, y, z")
    cells = [np.asarray(block.data, np.int64) for block in mesh.cells if block.type in ("triangle", "quad")]
    triangles = np.concatenate([np.zeros((0, 3), np.int64), *map(split_cells, cells)])
    if not len(triangles):
        found = ", ".join(f"{len(block.data)} {block.type}" for block in mesh.cells) or "none"
        raise ModelError(f"{where} has no triangles or quadrilaterals (cells: {found}): must have a closed surface")
    for k, n in np.argwhere((triangles < 0) | (triangles >= len(points)))[:1]:
        raise ModelError(f"{where}: a cell has point {triangles[k, n]}: must be from 0 to {len(points) - 1}")
    used, corner = np.unique(triangles, return_inverse=True)
    points, triangles = points[used], corner.reshape(-1, 3)
    for k in np.flatnonzero(~np.isfinite(points).all(axis=1))[:1]:
        raise ModelError(f"{where}: point {used[k]} = {points[k].tolist()} m: must be finite numbers")
    longest = _find_extent(
        points, where, f"scale = {scale:g} m must be the length of one unit of the file, such as 1e-3 for mm"
    )
    points, number_of = merge_close(points, MERGE * longest)
    triangles = number_of[triangles]
    triangles = triangles[(triangles != np.roll(triangles, 1, axis=1)).all(axis=1)]
    surface = create_surface(points.ravel(), triangles.ravel(), where)
    return world.add(BodyMesh, name=name, points=surface.points.ravel(), triangles=surface.triangles.ravel())


def split_cells(cells: IntArray) -> IntArray:
    """Return the triangles of cells with three or four corners. The shape of ``cells`` is (n, 3) or (n, 4)."""
    found: IntArray = np.concatenate([cells[:, (0, k, k + 1)] for k in range(1, cells.shape[1] - 1)])
    return found


def merge_close(points: FloatArray, distance: float) -> tuple[FloatArray, IntArray]:
    """Merge points [m], shape (n, 3), whose distance is at most ``distance`` [m]. Return the remaining points, and the
    index of the remaining point for each given point, shape (n,).
    """
    from scipy.sparse import coo_array  # imported here, because few models have meshes
    from scipy.sparse.csgraph import connected_components  # imported here, because few models have meshes
    from scipy.spatial import cKDTree  # imported here, because few models have meshes

    pairs = cKDTree(points).query_pairs(distance, output_type="ndarray")
    links = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(len(points),) * 2)
    group = connected_components(links, directed=False)[1]
    _, first, number_of = np.unique(group, return_index=True, return_inverse=True)
    return points[first], number_of.ravel()


def flatten(world: Tables, values: dict[str, Any]) -> dict[str, Any]:
    """Return ``values`` in which points and triangles of shape (k, 3), or (rows, k, 3) for several rows, are arranged
    in succession.
    """
    found = dict(values)
    for name in ("points", "triangles"):
        shape = shape_of(values.get(name))
        if len(shape) in (2, 3) and shape[-1] == 3:
            array: NDArray[Any] = np.asanyarray(values[name])
            found[name] = array.reshape(*shape[:-2], -1)
    return found


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for meshes that are not valid surfaces."""
    for k, (points, triangles) in enumerate(zip(table.local("points"), table.local("triangles"), strict=True)):
        create_surface(points, triangles, f"{table.kind} row {table.resident[k]}")


register(
    BodyMesh, "passive", check=check, fill_defaults=flatten,
    source="[@vanoosterom1983]",
)  # fmt: skip
