"""Gaps between the surfaces of contact sets. Solvers use the gaps to check whether time steps resolve impacts. See
`Gaps`.

The examined pairs are the candidate pairs at the start and at the end of a step. If a surface has moved by more than
half the skin in one step, the list of candidate pairs may be incomplete. Except in parallel runs, pairs of surfaces
whose paths come close to each other during the step are then also examined.
"""

from __future__ import annotations

import numpy as np

from windlass.connectors.point_contact.geometry import find_contact
from windlass.connectors.point_contact.kernels import eval_point_velocity
from windlass.connectors.point_contact.search import find_near
from windlass.connectors.point_contact.sets import BoundSet
from windlass.connectors.point_contact.surfaces import ELLIPSOID, HALF_SPACE, Surfaces
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.gaps import START, WIDTH, Gaps, create_numbers, note_gap, note_way
from windlass.framework.model.system import Evaluation

JUST_OPEN = 1e-300
"""Gap [m] that is written for a pair with an ellipsoid if the surfaces do not touch. The gap of such a pair is not
computed.
"""

AHEAD = 1.5
"""Distance within which surfaces are examined for a contact in the step, divided by the displacement that a surface
would have with the velocity at the start of the step [1].
"""


@kernel
def fill_pair_gaps(c: Surfaces, pairs: IntArray, first: int, numbers: FloatArray) -> None:
    """Write the quantities of the gap of each pair into ``numbers``, starting with row ``first``."""
    kind, center, reach, normal, v = c.kind, c.center, c.reach, c.normal, c.v
    for k in range(len(pairs)):
        i, j, row = pairs[k, 0], pairs[k, 1], numbers[first + k]
        dx, dy, dz = center[j, 0] - center[i, 0], center[j, 1] - center[i, 1], center[j, 2] - center[i, 2]
        ux, uy, uz = v[j, 0] - v[i, 0], v[j, 1] - v[i, 1], v[j, 2] - v[i, 2]
        speed = np.sqrt(ux * ux + uy * uy + uz * uz)
        if kind[i] == ELLIPSOID:
            x, nx, ny, nz, px, py, pz, _ = find_contact(c, i, j)
            gap = -x
            if nx == 0.0 and ny == 0.0 and nz == 0.0:
                distance = np.sqrt(dx * dx + dy * dy + dz * dz)
                px, py, pz, gap = center[i, 0], center[i, 1], center[i, 2], JUST_OPEN
                nx, ny, nz = dx / distance, dy / distance, dz / distance
            ax, ay, az = eval_point_velocity(c, i, px, py, pz)
            bx, by, bz = eval_point_velocity(c, j, px, py, pz)
            note_gap(row, gap, nx * (bx - ax) + ny * (by - ay) + nz * (bz - az), speed)
            if kind[j] != HALF_SPACE:
                note_way(row, 0.5 * (reach[i] + reach[j]), dx, dy, dz)
        elif kind[j] == HALF_SPACE:
            nx, ny, nz = normal[j, 0], normal[j, 1], normal[j, 2]
            gap = -(dx * nx + dy * ny + dz * nz) - reach[i]
            bx, by, bz = eval_point_velocity(c, j, center[i, 0], center[i, 1], center[i, 2])
            rate = nx * (v[i, 0] - bx) + ny * (v[i, 1] - by) + nz * (v[i, 2] - bz)
            note_gap(row, gap, rate, speed)
        else:
            distance, both = np.sqrt(dx * dx + dy * dy + dz * dz), reach[i] + reach[j]
            rate = (dx * ux + dy * uy + dz * uz) / max(distance, 1e-300)
            note_gap(row, distance - both, rate, speed)
            note_way(row, both, dx, dy, dz)


class PairGaps:
    """Evaluation of the gaps of some contact sets.

    Args:
        sets: the contact sets.
        name: name of the law.
    """

    def __init__(self, sets: list[BoundSet], name: str) -> None:
        self._sets, self._name, self._fill = sets, name, call(fill_pair_gaps)
        self._pairs: list[IntArray] = [b.near.pairs for b in sets]
        # candidate pairs at the start of the step
        self._near = list(self._pairs)
        self._start = [_copy(b.surfaces) for b in sets]
        self.gaps = Gaps(self.measure, create_numbers(0), self.describe, accept=self.accept)

    def measure(self, s: Evaluation) -> None:
        """Evaluate the gap quantities of all pairs. If the pairs have changed, the quantities at the start of the step
        are also evaluated.
        """
        h = float(s.size[0])
        pairs = [self._find_pairs(*given, h) for given in zip(self._sets, self._start, self._near, strict=True)]
        if any(a is not b for a, b in zip(pairs, self._pairs, strict=True)) or not len(self.gaps.numbers):
            self._pairs = pairs
            before = create_numbers(sum(map(len, pairs)))
            self._fill_all(self._start, before)
            self.gaps.numbers = create_numbers(len(before))
            self.gaps.numbers[:, START:WIDTH] = before[:, :START]
        self._fill_all([b.surfaces for b in self._sets], self.gaps.numbers)

    def accept(self) -> None:
        """Store the pairs and the motion of an accepted step."""
        self._near = [b.near.pairs for b in self._sets]
        for b, start in zip(self._sets, self._start, strict=True):
            for now, before in zip(_moving(b.surfaces), _moving(start), strict=True):
                before[:] = now

    def describe(self, k: int) -> str:
        """Describe the surfaces of pair k."""
        for b, pairs in zip(self._sets, self._pairs, strict=True):
            if k < len(pairs):
                one, two = b.surfaces.ids[pairs[k]]
                return f"the surfaces {one} and {two} of {self._name}"
            k -= len(pairs)
        return self._name

    def _fill_all(self, surfaces: list[Surfaces], numbers: FloatArray) -> None:
        first = 0
        for c, pairs in zip(surfaces, self._pairs, strict=True):
            self._fill(c, pairs, first, numbers)
            first += len(pairs)

    def _find_pairs(self, b: BoundSet, start: Surfaces, before: IntArray, h: float) -> IntArray:
        """Return the candidate pairs at the start and at the end of a step of h seconds. In serial runs, if a surface
        has moved by more than half the search margin ``skin``, also return pairs that may have touched within the step.

        Fast surfaces may have touched on the straight path to the end of the step, or on the path given by the
        velocities at the start of the step.
        """
        c, m, pairs = b.surfaces, b.near.bounded, b.near.pairs
        if before is not pairs:
            pairs = _unite(pairs, before, len(c.kind))
        if b.share is not None or not m:
            return pairs
        way = c.center[:m] - start.center[:m]
        square = np.einsum("ij,ij->i", way, way)
        if not 0.25 * b.near.skin**2 < square.max() < np.inf:
            return pairs
        for ways in (way, AHEAD * h * start.v[:m]):
            length = np.sqrt(np.einsum("ij,ij->i", ways, ways))
            met = find_near(start.center[:m] + 0.5 * ways, c.reach[:m] + 0.5 * length, 0.0)
            met.sort(axis=1)
            planes = np.arange(m, len(c.kind))
            met = np.concatenate((met, np.stack(np.meshgrid(np.arange(m), planes), axis=-1).reshape(-1, 2)))
            i, j = met.T
            pairs = _unite(pairs, met[(c.carrier[i] != c.carrier[j]) & ~(c.fixed[i] & c.fixed[j])], len(c.kind))
        return pairs


def _copy(c: Surfaces) -> Surfaces:
    center, v, omega, normal, Q = (array.copy() for array in _moving(c))
    return c._replace(center=center, v=v, omega=omega, normal=normal, Q=Q)


def _moving(c: Surfaces) -> tuple[FloatArray, ...]:
    return c.center, c.v, c.omega, c.normal, c.Q


def _unite(pairs: IntArray, more: IntArray, count: int) -> IntArray:
    """Return the union of two lists of pairs."""
    known = pairs[:, 0] * count + pairs[:, 1]
    return np.concatenate((pairs, more[~np.isin(more[:, 0] * count + more[:, 1], known)]))
