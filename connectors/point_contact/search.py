"""Search for surfaces that may touch. The result is a list of candidate pairs. The list is valid until a surface has
moved by half the search margin ``skin`` since the search.

Bounded surfaces are neighbours if their bounding spheres are closer than the skin. `scipy.spatial.cKDTree` finds these
pairs in a time proportional to the number of pairs. If radii differ by large factors, surfaces are divided into size
classes with a separate tree for each class. With a single tree, the search distance of the largest sphere would apply
to all small spheres. A half space is a neighbour of each bounded surface whose bounding sphere is closer to the plane
of the half space than the skin.

With several processes, each process searches for the neighbours of its own surfaces, see `distribution.py`. If the list
of any process may be outdated, all processes search.

Source: L. Verlet, Phys. Rev. 159 (1967) 98-103 (neighbour lists with a skin).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.point_contact.distribution import Share
from windlass.connectors.point_contact.surfaces import ELLIPSOID, HALF_SPACE, Runs, Surfaces, find_runs
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel

SKIN_SHARE = 0.2
"""Default skin (search margin), divided by the median radius [1]."""
SAME_CLASS = 2.0
"""Largest ratio of radii of surfaces that are searched with one tree [1]."""


@dataclass
class Neighbours:
    """Candidate pairs of the surfaces of one set."""

    skin: float  # margin of the search [m]
    bounded: int  # number of bounded surfaces; their indices precede the indices of half spaces
    moving: IntArray  # the half spaces that are not on the ground
    watched: IntArray  # bounded surfaces whose motion this process checks (all of them in serial runs), shape (w,)
    runs: Runs  # the surfaces ``watched`` as ranges of indices, see `find_runs`
    pairs: IntArray = field(default_factory=lambda: np.zeros((0, 2), np.int64))
    """Indices of the surfaces in each candidate pair, shape (k, 2). The type of the first surface is <= the type of the
    second.
    """
    # pairs as single integers in ascending order, for a comparison of lists, shape (k,)
    numbers: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))
    ellipsoids: int = 0  # Number of pairs with an ellipsoid. These pairs precede all other pairs.
    start: FloatArray = field(default_factory=lambda: np.zeros((0, 3)))
    """Origins of all surfaces at the last search [m], shape (n, 3)."""
    # whether each bounded surface is a candidate with each half space, shape (half spaces, bounded)
    listed: NDArray[np.bool_] = field(default_factory=lambda: np.zeros((0, 0), bool))
    rebuilds: int = 0  # number of searches up to now
    forgotten: bool = False
    """Whether the next call of `update_neighbours` must search, and must store the pairs in the order in which the
    search finds them.
    """


def create_neighbours(c: Surfaces, skin: float, share: Share | None) -> Neighbours:
    """Create an empty list. The first call of `update_neighbours` searches for the pairs.

    Args:
        c: data of the surfaces of the contact set.
        skin: search margin [m]. With 0, the default is used.
        share: the part of the contact set that is assigned to this process; None in serial runs.
    """
    planes = np.flatnonzero(c.kind == HALF_SPACE)
    bounded = len(c.kind) - len(planes)
    if skin == 0.0 and bounded:
        skin = SKIN_SHARE * float(np.median(c.reach[:bounded]))
    watched = np.arange(bounded) if share is None else share.watched(c, bounded)
    return Neighbours(skin, bounded, planes[~c.fixed[planes]], watched, find_runs(watched))


def update_neighbours(near: Neighbours, c: Surfaces, share: Share | None) -> bool:
    """Search for pairs if the list may be outdated. Return whether the pairs have changed on any process."""
    known = near.rebuilds > 0 and not near.forgotten
    stale = not known or is_stale(c, near.start, near.listed, near.moving, near.runs, near.bounded, near.skin)
    if not (stale if share is None else share.agree(stale)):
        return False
    if share is not None:
        share.gather_centers(c)
    if not np.isfinite(c.center).all():
        # after divergence of Newton's method no search is made; the solver detects the divergence from the residual
        return False
    pairs = np.concatenate((find_bounded_pairs(c, near.bounded, near.skin, share), _find_plane_pairs(near, c)))
    i, j = pairs[:, 0], pairs[:, 1]
    apart = (c.carrier[i] != c.carrier[j]) & ~(c.fixed[i] & c.fixed[j])
    pairs = pairs[apart]
    if share is not None:
        pairs = pairs[share.takes(c, pairs)]
    near.start = c.center.copy()
    near.rebuilds += 1
    numbers = np.sort(pairs[:, 0] * len(c.kind) + pairs[:, 1])
    changed = near.forgotten or not np.array_equal(numbers, near.numbers)
    if changed:
        near.numbers, near.forgotten = numbers, False
        # Pairs with an ellipsoid precede other pairs. Otherwise, the pairs remain in the order of the search, because
        # neighbours in this order are close in memory.
        with_ellipsoid = c.kind[pairs[:, 0]] == ELLIPSOID
        near.pairs = np.ascontiguousarray(np.concatenate((pairs[with_ellipsoid], pairs[~with_ellipsoid])))
        near.ellipsoids = int(with_ellipsoid.sum())
    return changed if share is None else share.follow(c, near.pairs, changed)


@kernel
def is_stale(
    c: Surfaces,
    start: FloatArray,
    listed: NDArray[np.bool_],
    moving: IntArray,
    watched: Runs,
    bounded: int,
    skin: float,
) -> bool:
    """Return true in two cases. In the first case, the origin of a surface has moved by more than half the skin since
    the last search. In the second case, the bounding sphere of a surface has reached a moving half space that is not in
    the list for this surface.

    The argument ``watched`` contains the checked surfaces as ranges of indices, see `find_runs`.
    """
    limit = 0.25 * skin * skin
    for run in range(len(watched)):
        for i in range(watched[run, 0], watched[run, 1]):
            dx, dy, dz = c.center[i, 0] - start[i, 0], c.center[i, 1] - start[i, 1], c.center[i, 2] - start[i, 2]
            if dx * dx + dy * dy + dz * dz > limit:
                return True
    for k in moving:
        # points of a rotating half space can move far even if its origin does not move, so all surfaces are examined
        for run in range(len(watched)):
            for i in range(watched[run, 0], watched[run, 1]):
                if not listed[k - bounded, i]:
                    height = 0.0
                    for d in range(3):
                        height += c.normal[k, d] * (c.center[i, d] - c.center[k, d])
                    if height < c.reach[i]:
                        return True
    return False


def find_bounded_pairs(c: Surfaces, bounded: int, skin: float, share: Share | None) -> IntArray:
    """Return all pairs of bounded surfaces closer than the skin, shape (k, 2). Some pairs with a larger distance may
    also be returned, see `find_near`. In each pair the surfaces are ordered by type.

    With several processes, each process finds the pairs that contain at least one of its surfaces.
    """
    chosen = None if share is None else share.find_searched(c, bounded, skin)
    pairs = find_near(c.center[:bounded], c.reach[:bounded], skin, chosen)
    # indices of surfaces are ordered by type
    pairs.sort(axis=1)
    return pairs


def find_near(
    center: FloatArray,
    reach: FloatArray,
    skin: float,
    chosen: tuple[NDArray[np.bool_], NDArray[np.bool_]] | None = None,
) -> IntArray:
    """Return all pairs of spheres whose distance is below the skin, shape (k, 2). If all spheres are in one size class,
    some pairs with a larger distance are also returned.

    Args:
        center, reach: centres [m], shape (n, 3), and radii [m], shape (n,).
        skin: largest distance between the spheres of a pair [m].
        chosen: masks of the spheres whose neighbours are searched, and of their possible neighbours, shape (n,) each.
            None: all spheres.
    """
    parts = [np.zeros((0, 2), np.int64)]
    classes = _size_classes(reach)
    largest = [float(reach[members].max()) for members in classes]
    others: list[_Crowd] = []
    if chosen is not None:
        mine, theirs = chosen
        others = [_Crowd(center, members[theirs[members]]) for members in classes]
        classes = [members[mine[members]] for members in classes]
    own = [_Crowd(center, members) for members in classes]
    for a, crowd in enumerate(own):
        # rounding errors must not exclude a pair with zero gap
        parts.append(crowd.find_pairs((2.0 * largest[a] + skin) * (1.0 + 1e-12)))
        for b, other in enumerate(own[:a] + others):
            distance = (largest[a] + largest[b if b < a else b - a] + skin) * (1.0 + 1e-12)
            parts.append(crowd.find_pairs_with(other, distance))
    pairs = np.concatenate(parts)
    if len(classes) > 1:
        between = np.linalg.norm(center[pairs[:, 0]] - center[pairs[:, 1]], axis=1)
        pairs = pairs[between <= (reach[pairs].sum(axis=1) + skin) * (1.0 + 1e-12)]
    return pairs


class _Crowd:
    """A group of spheres, and the k-d tree of their centres."""

    def __init__(self, center: FloatArray, members: IntArray) -> None:
        from scipy.spatial import cKDTree  # imported here, because most models do not need this module

        self.members = members
        self._tree: Any = cKDTree(center[members]) if len(members) else None

    def find_pairs(self, reach: float) -> IntArray:
        """Return the pairs of members whose centres are closer than ``reach`` [m], shape (k, 2)."""
        if self._tree is None:
            return np.zeros((0, 2), np.int64)
        found: IntArray = self._tree.query_pairs(reach, output_type="ndarray")
        return self.members[found]

    def find_pairs_with(self, other: _Crowd, reach: float) -> IntArray:
        """Return the pairs (member, member of ``other``) whose centres are closer than ``reach`` [m], shape (k, 2)."""
        if self._tree is None or other._tree is None:
            return np.zeros((0, 2), np.int64)
        matrix = self._tree.sparse_distance_matrix(other._tree, reach, output_type="coo_matrix")
        return np.stack((self.members[matrix.row], other.members[matrix.col]), axis=1)


def _size_classes(reach: FloatArray) -> list[IntArray]:
    """Divide surfaces into classes. Within a class the radii differ by less than the factor `SAME_CLASS`."""
    if len(reach) == 0:
        return []
    number = np.floor(np.log(reach / reach.min()) / np.log(SAME_CLASS)).astype(np.int64)
    return [np.flatnonzero(number == k) for k in np.unique(number)]


def _find_plane_pairs(near: Neighbours, c: Surfaces) -> IntArray:
    """Return pairs (bounded surface, half space) closer than the skin, shape (k, 2), and store them in
    ``near.listed``.
    """
    m = near.bounded
    # indexing with a slice copies no data
    own: Any = near.watched if len(near.watched) < m else slice(0, m)
    near.listed = np.zeros((len(c.kind) - m, m), bool)
    for k in range(m, len(c.kind)):
        # Heights relative to the origin of each half space. Origins are subtracted first to avoid cancellation far from
        # the global origin.
        near.listed[k - m, own] = (c.center[own] - c.center[k]) @ c.normal[k] <= c.reach[own] + near.skin
    plane, surface = np.nonzero(near.listed)
    return np.stack((surface, plane + m), axis=1)
