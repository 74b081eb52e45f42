"""Contact sets in the form that kernels need: surfaces, candidate pairs and parameters of the force elements on one
process.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from windlass.connectors.point_contact.distribution import Share
from windlass.connectors.point_contact.kernels import PairParameters, add_pair_forces, add_round_forces, clear_forces
from windlass.connectors.point_contact.search import Neighbours, create_neighbours
from windlass.connectors.point_contact.surfaces import SPHERE, Runs, Surfaces, create_surfaces, find_runs
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.errors import ModelError
from windlass.framework.kernels.call import call
from windlass.framework.model.law import LocalRows
from windlass.framework.model.system import System


@dataclass
class BoundSet:
    """One contact set on one process."""

    surfaces: Surfaces  # surfaces of the set
    near: Neighbours  # candidate pairs of the set
    rows: IntArray  # rows of `HuntCrossley` that act on the set
    parameters: list[PairParameters]  # material parameters of each of these rows
    flags: IntArray  # for each of these rows, index of the history value that is 1 if the row is enabled
    own: Runs  # the surfaces whose motion this process evaluates (all of them in serial runs), see `find_runs`
    turning: IntArray  # indices of the surfaces in ``own`` that are not spheres
    share: Share | None  # the part of the set that is assigned to this process; None in serial runs
    first: int = 0  # index of the first pair of the set among the pairs of all sets
    clear: Any = field(default_factory=lambda: call(clear_forces))  # clear, add, add_round: kernels of `sum_forces`
    add: Any = field(default_factory=lambda: call(add_pair_forces))
    add_round: Any = field(default_factory=lambda: call(add_round_forces))

    @property
    def present(self) -> Runs:
        """Return the surfaces on which this process can add forces, as ranges of indices, see `find_runs`."""
        return self.own if self.share is None else self.share.present

    def enabled_parameters(self, data: FloatArray) -> Iterator[PairParameters]:
        """Return the parameters of the force elements that are switched on."""
        for par, flag in zip(self.parameters, self.flags, strict=True):
            if data[flag] != 0.0:
                yield par


@dataclass
class ContactSystem(System):
    """The system of `HuntCrossley`. Each row of ``dofs`` contains the coordinates of a candidate pair."""

    sets: list[BoundSet] = field(default_factory=list)  # the contact sets with a force element

    def find_row(self, row: int) -> tuple[BoundSet, PairParameters, int]:
        """Return the set and the parameters of a row of `HuntCrossley`, and the index of its flag among the history
        values.
        """
        for bound in self.sets:
            for k in np.flatnonzero(bound.rows == row):
                return bound, bound.parameters[k], int(bound.flags[k])
        raise ModelError(f"HuntCrossley row {row}: is not on this process")


def create_parameters(surfaces: Surfaces, rows: LocalRows, which: IntArray) -> list[PairParameters]:
    """Create the parameters of the local rows ``which``, which act on one set."""
    parameters = []
    for rule, vt in zip(rows.local("modulus_rule")[which], rows.local("transition_velocity")[which], strict=True):
        hertz = bool(rule == "hertz")
        K = surfaces.E if hertz else np.asarray(np.cbrt(surfaces.E) ** 2)
        parameters.append(PairParameters(K, hertz, float(vt)))
    return parameters


def create_sets(rows: LocalRows) -> list[BoundSet]:
    """Create the contact sets of some rows, without candidate pairs."""
    world, layout = rows.world, rows.layout
    ids, flags = rows.local("contact_set"), rows.data_start("data")
    sets = []
    for number in np.unique(ids):
        entity = world.entity(int(number))
        surfaces = create_surfaces(world, layout, int(number))
        which = np.flatnonzero(ids == number)
        share = Share(world, layout, surfaces) if layout.size > 1 else None
        near = create_neighbours(surfaces, float(entity.skin), share)
        own = np.arange(len(surfaces.kind)) if share is None else share.own
        turning = own[surfaces.kind[own] != SPHERE]
        parameters = create_parameters(surfaces, rows, which)
        sets.append(
            BoundSet(surfaces, near, rows.rows[which], parameters, flags[which], find_runs(own), turning, share)
        )
    return sets


def couple_pairs(system: ContactSystem, spare: int) -> None:
    """Add the coordinates of all candidate pairs to the system, and store the index of the first pair of each set."""
    sets = system.sets
    width = max((b.surfaces.dofs.shape[1] for b in sets), default=0)
    off_process_dofs = [b.share.off_process if b.share is not None else np.zeros(0, np.int64) for b in sets]
    off_process = np.concatenate([np.zeros(0, np.int64), *off_process_dofs])
    assert system.neighbours is not None
    system.neighbours.off_process = off_process
    last = spare + len(off_process)
    parts = [np.zeros((0, 2 * width), np.int64)]
    first, beyond = 0, 0
    for b, others in zip(sets, off_process_dofs, strict=True):
        b.first = first
        numbers, pairs = b.surfaces.dofs, b.near.pairs
        if b.share is not None:
            # coordinates on other processes in the order of the sets, followed by the spare coordinate
            numbers = b.share.dofs
            numbers = np.where(
                numbers < spare, numbers, np.where(numbers == spare + len(others), last, numbers + beyond)
            )
        own = numbers.shape[1]
        dofs = np.full((len(pairs), 2 * width), last, np.int64)
        # columns of each pair: coordinates of body 1, coordinates of body 2, padding to the largest width of a set
        dofs[:, :own] = numbers[pairs[:, 0]]
        dofs[:, own : 2 * own] = numbers[pairs[:, 1]]
        parts.append(dofs)
        first, beyond = first + len(pairs), beyond + len(others)
    system.dofs = np.concatenate(parts)


def sum_forces(b: BoundSet, parameters: Iterable[PairParameters]) -> float:
    """Set the forces on the surfaces of a set to the sum of the forces of all given force elements. Return the sum [J]
    of the energies that these elements store.
    """
    b.clear(b.surfaces, b.present)
    energy = 0.0
    for par in parameters:
        if b.near.ellipsoids:
            energy += b.add(b.surfaces, par, b.near.pairs[: b.near.ellipsoids])
        energy += b.add_round(b.surfaces, par, b.near.pairs[b.near.ellipsoids :])
    return energy
