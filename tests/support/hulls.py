"""Closed meshes of triangles: boxes, prisms, balls, polyhedra that are not convex, and hulls of ships."""

from __future__ import annotations

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray

Mesh = tuple[FloatArray, IntArray]
"""Points [m], shape (n, 3), and indices of the corners of triangles, shape (k, 3), counter-clockwise if seen from
outside.
"""


def close_rings(rings: FloatArray) -> Mesh:
    """Return the mesh between successive closed rings of points, shape (rings, n, 3). The first ring and the last ring
    are closed by triangles to the mean of their points. The rings are counter-clockwise if seen from the last ring.
    """
    count, n = rings.shape[:2]
    number = np.arange(count * n).reshape(count, n)
    after = np.roll(number, -1, axis=1)
    a, b, c, d = number[:-1].ravel(), after[:-1].ravel(), after[1:].ravel(), number[1:].ravel()
    low, high = count * n, count * n + 1
    first = np.stack((after[0], number[0], np.full(n, low)), axis=1)
    last = np.stack((number[-1], after[-1], np.full(n, high)), axis=1)
    points = np.concatenate((rings.reshape(-1, 3), rings[:1].mean(axis=1), rings[-1:].mean(axis=1)))
    return points, np.concatenate((np.stack((a, b, c), axis=1), np.stack((a, c, d), axis=1), first, last))


def prism(radius: float, length: float, sides: int, turn: float = 0.0) -> Mesh:
    """Return a prism along z about the origin. The section of the prism is a regular polygon in a circle."""
    angle = turn + 2.0 * np.pi * np.arange(sides) / sides
    ring = np.stack((radius * np.cos(angle), radius * np.sin(angle), np.zeros(sides)), axis=1)
    return close_rings(ring + 0.5 * length * np.array([[[0.0, 0.0, -1.0]], [[0.0, 0.0, 1.0]]]))


def box(sides: FloatArray | tuple[float, float, float]) -> Mesh:
    """Return a box about the origin."""
    points, triangles = prism(np.sqrt(0.5), 1.0, 4, 0.25 * np.pi)
    return points * np.asarray(sides), triangles


def ball(radius: float, divisions: int) -> Mesh:
    """Return a ball about the origin, with rings at equal angles."""
    up = np.linspace(-0.5 * np.pi, 0.5 * np.pi, divisions + 1)[1:-1]
    around = np.pi * np.arange(2 * divisions) / divisions
    level, angle = np.meshgrid(up, around, indexing="ij")
    rings = radius * np.stack((np.cos(level) * np.cos(angle), np.cos(level) * np.sin(angle), np.sin(level)), axis=-1)
    points, triangles = close_rings(rings)
    points[-2:] = (0.0, 0.0, -radius), (0.0, 0.0, radius)
    return points, triangles


def star(seed: int, divisions: int = 5) -> Mesh:
    """Return a polyhedron that is not convex: a ball whose points have random distances from 0.5 to 1.2 m."""
    points, triangles = ball(1.0, divisions)
    return points * np.random.default_rng(seed).uniform(0.5, 1.2, (len(points), 1)), triangles


def tube(outer: float, inner: float, length: float, sides: int) -> Mesh:
    """Return a prism along z with a hole along its axis."""
    angle = 2.0 * np.pi * np.arange(sides) / sides
    circle = np.stack((np.cos(angle), np.sin(angle), np.zeros(sides)), axis=1)
    half = np.array((0.0, 0.0, 0.5 * length))
    rings = np.stack((outer * circle - half, outer * circle + half, inner * circle + half, inner * circle - half))
    number = np.arange(4 * sides).reshape(4, sides)
    after = np.roll(number, -1, axis=1)
    a, b = number, after
    c, d = np.roll(after, -1, axis=0), np.roll(number, -1, axis=0)
    corners = [np.stack([x.ravel() for x in three], axis=1) for three in ((a, b, c), (a, c, d))]
    return rings.reshape(-1, 3), np.concatenate(corners)


def join(*meshes: Mesh) -> Mesh:
    """Return a mesh that consists of several meshes."""
    first = np.cumsum([0, *(len(points) for points, _ in meshes)])
    parts = [triangles + k for (_, triangles), k in zip(meshes, first, strict=False)]
    return np.concatenate([points for points, _ in meshes]), np.concatenate(parts)


def wigley(length: float, beam: float, draft: float, freeboard: float, stations: int, levels: int) -> Mesh:
    """Return the hull y = ± beam/2 (1 - (2 x/length)²) (1 - (z/draft)²) below z = 0 with vertical sides above z = 0,
    along x, with a flat deck.
    """
    x = 0.5 * length * np.linspace(-1.0, 1.0, stations + 1)[1:-1]
    z = np.append(draft * np.linspace(-1.0, 0.0, levels + 1)[1:], freeboard)
    half = 0.5 * beam * (1.0 - (2.0 * x[:, None] / length) ** 2) * (1.0 - (np.minimum(z, 0.0) / draft) ** 2)
    # the ring of a station runs up the side y > 0 and down the side y < 0, and ends at the keel
    side = np.stack((np.broadcast_to(x[:, None], half.shape), half, np.broadcast_to(z, half.shape)), axis=-1)
    keel = np.stack((x, np.zeros_like(x), np.full_like(x, -draft)), axis=1)[:, None]
    rings = np.concatenate((keel, side * (1.0, -1.0, 1.0), side[:, ::-1]), axis=1)[:, ::-1]
    bows = [np.stack((np.full(rings.shape[1], s), np.zeros(rings.shape[1]), rings[0, :, 2]), axis=1)
            for s in (-0.5 * length, 0.5 * length)]  # fmt: skip
    return weld(close_rings(np.concatenate((bows[:1], rings, bows[1:]))))


def weld(mesh: Mesh) -> Mesh:
    """Merge points with equal coordinates, and omit triangles with two equal corners or without area."""
    points, number = np.unique(np.round(mesh[0], 9), axis=0, return_inverse=True)
    triangles = number.ravel()[mesh[1]]
    triangles = triangles[(triangles != np.roll(triangles, 1, axis=1)).all(axis=1)]
    u, v, w = (points[triangles[:, k]] for k in range(3))
    # where the mesh is folded flat, two triangles with opposite normals lie on each other and cancel each other
    return points, triangles[np.linalg.norm(np.cross(v - u, w - u), axis=1) > 1e-12]
