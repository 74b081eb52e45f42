"""Storage of the tangent, and the slots (positions in the array of matrix values) to which the systems add their matrix
entries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.mass import MassRows, create_mass_rows
from windlass.framework.assembly.sparsity import Pattern, create_pattern
from windlass.framework.layout.layout import Layout
from windlass.framework.layout.substructure import Substructure
from windlass.framework.layout.unknowns import BLOCK, Unknowns
from windlass.framework.model.schema import Component
from windlass.framework.model.system import Coupling, Fields, Slots, System
from windlass.framework.parallel.ghosts import Ghosts


class Storage(Enum):
    """Order of the unknowns and of the matrix values.

    ROWS: compressed rows, unknowns in the order of the layout; suitable for all solvers and any number of processes.
    BLOCKS: dense blocks of four unknowns, suitable for PETSc's own LU solver, see unknowns.py.
    BLOCK_ROWS: compressed rows, unknowns in the order of BLOCKS; used instead of BLOCKS if the linear solver changes
    during the run.
    SUBSTRUCTURES: unknowns in the order of the layout. Each process stores a matrix of its own rows in dense blocks.
    The unknowns of this matrix are ordered for elimination by substructures, see substructure.py. The tangent is the
    sum of these matrices.
    """

    ROWS = 0
    BLOCKS = 1
    BLOCK_ROWS = 2
    SUBSTRUCTURES = 3


@dataclass(frozen=True)
class Sparsity:
    """The sparsity of the tangent on one process, and the slots (positions in the array of matrix values) of all its
    systems.

    Attributes:
        unknowns: the process-local unknowns.
        numbers: index of each process-local unknown in the PETSc vectors, followed by the indices of the unknowns that
            systems couple but other processes own.
        pattern: sparsity over the unknowns of ``numbers``, in this order.
        slots: slots of the matrix entries of all rows, by component.
        couplings: slots of the matrix entries of constraints, by component.
        pad_slots: slots of the diagonal entries of padding rows, which are matrix rows without an unknown.
        mass: the constant mass matrix of the laws that do not define their own product M a.
        version: value of `Assembly.pattern_version` at the time when this sparsity was set up.
        substructure: matrix row of each unknown if the unknowns are ordered for elimination by substructures, otherwise
            None.
    """

    unknowns: Unknowns
    numbers: IntArray
    pattern: Pattern
    slots: dict[type[Component], Slots]
    couplings: dict[type[Component], Coupling]
    pad_slots: IntArray
    mass: MassRows
    version: int
    substructure: Substructure | None = None

    def multiply(self, values: FloatArray, x: FloatArray, absolute: bool = False) -> FloatArray:
        """Return A x for the matrix A with the given values. The vector x and the result, each of shape (u,), are in
        the order of ``unknowns``. If ``absolute`` is true, all entries of A are replaced by their absolute values.
        """
        if self.substructure is None:
            return self.pattern.multiply(values, x, absolute)
        place, by_row = self.substructure.place, np.zeros(self.pattern.rows)
        by_row[place] = x
        product: FloatArray = self.pattern.multiply(values, by_row, absolute)[place]
        return product

    @cached_property
    def ghosts(self) -> Ghosts:
        """Exchange of the vector entries that other processes own."""
        unknowns = self.unknowns
        return Ghosts.after_owned(unknowns.ghosts.comm, unknowns.owned, self.numbers[unknowns.owned :])


def can_store(layout: Layout, storage: Storage) -> bool:
    """Return whether the given storage is possible for the matrices of a model. The call is collective."""
    if storage is Storage.SUBSTRUCTURES:
        return layout.substructure is not None
    return storage is Storage.ROWS or layout.blocks() is not None


def create_sparsity(
    layout: Layout,
    fields: Fields,
    components: Sequence[type[Component]],
    storage: Storage = Storage.ROWS,
    version: int = 0,
) -> Sparsity:
    """Set up the sparsity of the tangent of given components.

    Args:
        layout: the process-local numbering, with the systems.
        fields: arrays that the systems read.
        components: components that add to the tangent, in the order of evaluation.
        storage: storage of the matrix values. `can_store` must be true for this storage.
        version: present value of `Assembly.pattern_version`.
    """
    parted = layout.substructure if storage is Storage.SUBSTRUCTURES else None
    unknowns = layout.unknowns if storage is Storage.ROWS or parted is not None else layout.blocks()
    assert unknowns is not None
    of_dof, of_multiplier, pads = unknowns.of_dof, unknowns.of_multiplier, unknowns.pads
    if parted is not None:
        of_dof, of_multiplier, pads = parted.place[of_dof], parted.place[of_multiplier], parted.pads
    systems = {c: layout.systems[c] for c in components}
    count = len(unknowns.numbers)
    numbers, blocks = [unknowns.numbers], list[tuple[IntArray, IntArray]]()
    rows_of: dict[type[Component], IntArray] = {}
    multipliers_of: dict[type[Component], IntArray] = {}
    for component, system in systems.items():
        off_process = system.neighbours.off_process if system.neighbours is not None else np.zeros(0, np.int64)
        beyond = count + np.arange(len(off_process))
        numbers.append(unknowns.of_world_dof[off_process])
        count += len(beyond)
        rows = rows_of[component] = np.concatenate((of_dof, beyond, [-1]))[system.dofs]
        if _has_block(system):
            blocks.append((rows, rows))
        if system.constraint is not None:
            multipliers = multipliers_of[component] = of_multiplier[system.constraint.multipliers]
            blocks += [(multipliers, rows), (rows, multipliers)]
    if parted is not None:
        pattern = create_pattern(blocks, parted.rows, BLOCK)
    else:
        pattern = create_pattern(blocks, count, BLOCK if storage is Storage.BLOCKS else 1)
    slots = {
        c: _find_slots(pattern, rows, fused.block_size if (fused := systems[c].fused) is not None else 1)
        for c, rows in rows_of.items()
        if _has_block(systems[c])
    }
    couplings: dict[type[Component], Coupling] = {}
    for component, multipliers in multipliers_of.items():
        rows, flat = rows_of[component], multipliers.reshape(-1, 1)
        couplings[component] = Coupling(
            pattern.slots(multipliers, rows),
            pattern.slots(rows, multipliers),
            pattern.slots(flat, flat).reshape(multipliers.shape),
            slots[component].places,
            1.0,
        )
    pads = pads.reshape(-1, 1)
    assembled = [(s, slots[c]) for c, s in systems.items() if s.mass is not None and s.fused is None]
    return Sparsity(
        unknowns,
        np.concatenate(numbers),
        pattern,
        slots,
        couplings,
        pattern.slots(pads, pads).ravel(),
        create_mass_rows(fields, assembled, pattern, of_dof),
        version,
        parted,
    )


def _find_slots(pattern: Pattern, rows: IntArray, runs: int) -> Slots:
    """Return the slots of the element matrices of k rows. The argument ``rows`` contains the unknowns that each row
    couples, shape (k, n).
    """
    places, n = pattern.slots(rows, rows, runs), rows.shape[1]
    return Slots(places, n // max(places.shape[1], 1), n // max(places.shape[2], 1))


def _has_block(system: System) -> bool:
    """Return whether the rows of a system have entries in the tangent."""
    inertia, load = (term and term.tangent for term in (system.inertia, system.load))
    functions = system.tangent, system.mass, inertia, load, system.constraint
    return any(function is not None for function in functions)
