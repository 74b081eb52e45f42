"""Which surfaces may touch: a list of candidate pairs that stays valid while nothing has moved by half the skin.

Bounded surfaces are neighbours when the spheres around them come closer than the skin, which `scipy.spatial.cKDTree`
finds in a time that grows in proportion to their number.  Radii of very different size are searched in classes, each
with its own tree, so that one large sphere does not make neighbours of all small ones.  A half space is neighbour of
every surface that is closer to its plane than the skin.

Source: L. Verlet, Phys. Rev. 159 (1967) 98-103 (neighbour lists with a skin).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.contact_surfaces import ELLIPSOID, HALF_SPACE, Surfaces
from windlass.framework.kernel import kernel
from windlass.framework.law import FloatArray
from windlass.framework.table import IntArray

SKIN_SHARE = 0.2
"""Skin as a share of the median radius, where the user gives none [1]."""
SAME_CLASS = 2.0
"""Radii within this ratio are searched together [1]."""


@dataclass
class Neighbours:
    """Candidate pairs of the surfaces of one set.

    Attributes:
        skin: margin of the search [m].
        bounded: number of bounded surfaces, which come before the half spaces.
        moving: the half spaces that are not on the ground.
        pairs: surface numbers of the candidates, kind of the first <= kind of the second, shape (k, 2).
        numbers: the pairs as single numbers in ascending order, by which lists are compared, shape (k,).
        ellipsoids: number of pairs with an ellipsoid, which come first.
        start: origins of all surfaces at the last search [m], shape (n, 3).
        listed: whether a bounded surface is a candidate with a half space, shape (half spaces, bounded).
        rebuilds: number of searches so far.
        forgotten: whether the next update searches in any case and takes the pairs in the order that it finds.
    """

    skin: float
    bounded: int
    moving: IntArray
    pairs: IntArray = field(default_factory=lambda: np.zeros((0, 2), np.int64))
    numbers: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))
    ellipsoids: int = 0
    start: FloatArray = field(default_factory=lambda: np.zeros((0, 3)))
    listed: NDArray[np.bool_] = field(default_factory=lambda: np.zeros((0, 0), bool))
    rebuilds: int = 0
    forgotten: bool = False


def create_neighbours(c: Surfaces, skin: float) -> Neighbours:
    """An empty list with a skin [m], 0 for the default; the first `update_neighbours` fills it."""
    planes = np.flatnonzero(c.kind == HALF_SPACE)
    bounded = len(c.kind) - len(planes)
    if skin == 0.0 and bounded:
        skin = SKIN_SHARE * float(np.median(c.reach[:bounded]))
    return Neighbours(skin, bounded, planes[~c.fixed[planes]])


def update_neighbours(near: Neighbours, c: Surfaces) -> bool:
    """Search again if the list may have become incomplete; whether there are other pairs then."""
    known = near.rebuilds > 0 and not near.forgotten
    if known and not is_stale(c, near.start, near.listed, near.moving, near.bounded, near.skin):
        return False
    if not np.isfinite(c.center).all():
        # a Newton iteration that has gone astray; the solver sees it by its own residual
        return False
    pairs = np.concatenate((find_bounded_pairs(c, near.bounded, near.skin), _find_plane_pairs(near, c)))
    i, j = pairs[:, 0], pairs[:, 1]
    apart = (c.carrier[i] != c.carrier[j]) & ~(c.fixed[i] & c.fixed[j])
    pairs = pairs[apart]
    near.start = c.center.copy()
    near.rebuilds += 1
    numbers = np.sort(pairs[:, 0] * len(c.kind) + pairs[:, 1])
    if np.array_equal(numbers, near.numbers) and not near.forgotten:
        return False
    near.numbers, near.forgotten = numbers, False
    # the order of the search is kept otherwise: neighbours stand near each other in it, which is kind to the cache
    with_ellipsoid = c.kind[pairs[:, 0]] == ELLIPSOID
    near.pairs = np.ascontiguousarray(np.concatenate((pairs[with_ellipsoid], pairs[~with_ellipsoid])))
    near.ellipsoids = int(with_ellipsoid.sum())
    return True


@kernel
def is_stale(
    c: Surfaces, start: FloatArray, listed: NDArray[np.bool_], moving: IntArray, bounded: int, skin: float
) -> bool:
    """Whether an origin has moved by half the skin, or an unlisted surface has come to a moving half space."""
    limit = 0.25 * skin * skin
    for i in range(bounded):
        dx, dy, dz = c.center[i, 0] - start[i, 0], c.center[i, 1] - start[i, 1], c.center[i, 2] - start[i, 2]
        if dx * dx + dy * dy + dz * dz > limit:
            return True
    for k in moving:
        # a half space that turns moves far from its origin, hence the look at every surface
        for i in range(bounded):
            if not listed[k - bounded, i]:
                height = 0.0
                for d in range(3):
                    height += c.normal[k, d] * (c.center[i, d] - c.center[k, d])
                if height < c.reach[i]:
                    return True
    return False


def find_bounded_pairs(c: Surfaces, bounded: int, skin: float) -> IntArray:
    """Pairs of bounded surfaces closer than the skin, kinds in order, shape (k, 2)."""
    from scipy.spatial import cKDTree  # here, because most models do not need it

    parts = [np.zeros((0, 2), np.int64)]
    classes = _size_classes(c.reach[:bounded])
    trees = [cKDTree(c.center[members]) for members in classes]
    largest = [float(c.reach[members].max()) for members in classes]
    for a, members in enumerate(classes):
        # rounding must not lose a pair that just touches
        found = trees[a].query_pairs((2.0 * largest[a] + skin) * (1.0 + 1e-12), output_type="ndarray")
        parts.append(members[found])
        for b in range(a):
            reach = (largest[a] + largest[b] + skin) * (1.0 + 1e-12)
            matrix = trees[a].sparse_distance_matrix(trees[b], reach, output_type="coo_matrix")
            parts.append(np.stack((members[matrix.row], classes[b][matrix.col]), axis=1))
    pairs = np.concatenate(parts)
    if len(classes) > 1:
        distance = np.linalg.norm(c.center[pairs[:, 0]] - c.center[pairs[:, 1]], axis=1)
        pairs = pairs[distance <= (c.reach[pairs].sum(axis=1) + skin) * (1.0 + 1e-12)]
    # surfaces are numbered kind by kind
    pairs.sort(axis=1)
    return pairs


def _size_classes(reach: FloatArray) -> list[IntArray]:
    """Groups of surfaces whose radii differ by less than SAME_CLASS."""
    if len(reach) == 0:
        return []
    number = np.floor(np.log(reach / reach.min()) / np.log(SAME_CLASS)).astype(np.int64)
    return [np.flatnonzero(number == k) for k in np.unique(number)]


def _find_plane_pairs(near: Neighbours, c: Surfaces) -> IntArray:
    """Pairs (bounded surface, half space) closer than the skin, shape (k, 2); notes them in ``near.listed``."""
    m = near.bounded
    # heights relative to each origin: differences first, so that far-off models lose no digits
    near.listed = np.array(
        [(c.center[:m] - c.center[k]) @ c.normal[k] <= c.reach[:m] + near.skin for k in range(m, len(c.kind))], bool
    ).reshape(len(c.kind) - m, m)
    plane, surface = np.nonzero(near.listed)
    return np.stack((surface, plane + m), axis=1)
