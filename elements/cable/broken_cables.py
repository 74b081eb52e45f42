"""Forces of broken 2D and 3D cables. The two ends of a broken cable keep an axial stiffness.

    Π = k/2 [(|s_0| - 1 - ε_ref)² + (|s_1| - 1 - ε_ref)²],    k = EA L/6

s_0 and s_1 are the slopes r' at the two nodes, and ε_ref is the stress-free strain. The factor k is EA times the weight
L/6 of an end point in integration rule 2. The energy Π is the part of the strain energy of the cable that does not
depend on the distance between its nodes. A node at which only broken cables end would otherwise have a slope without
force. Under the weight of the cable, this slope would grow without bound.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.elements.cable.lanes import find_slot
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.call import Call, call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows
from windlass.framework.model.rows import create_records
from windlass.framework.model.system import Slots

SHARE = 1.0 / 6.0
"""Weight [1] of an end of a cable in integration rule 2."""


def create_broken(rows: LocalRows, dofs: IntArray) -> NDArray[Any]:
    """Create records of the broken rows.

    stiffness: k [N m].
    free: stress-free strain at both nodes [1], shape (2,).
    dofs: process-local indices of the coordinates of the nodes, shape (4 d,).
    place: index of the row among the rows on this process.
    """
    place = np.flatnonzero(rows.local("broken"))
    some = rows.select(place)
    d = dofs.shape[1] // 4
    slopes = np.stack((some.reference[:, d : 2 * d], some.reference[:, 3 * d : 4 * d]), axis=1)
    own = some.local("strain_is_relative_to_reference")[:, None] * (np.linalg.norm(slopes, axis=2) - 1.0)
    stiffness = SHARE * some.local("axial_stiffness") * some.local("length")
    free = some.local("reference_strain")[:, None] + own
    return create_records(stiffness=stiffness, free=free, dofs=dofs[place], place=place)


@kernel(inline=True)
def find_length(row: Any, at: int, d: int, x: FloatArray) -> float:
    """Return the magnitude of the slope whose first coordinate has the index ``at`` among the coordinates of the
    row."""
    square = 0.0
    for a in range(d):
        square += x[row.dofs[at + a]] ** 2
    return sqrt(square)


@kernel
def residual(c: Any, x: FloatArray, f: FloatArray) -> None:
    """Add the forces ∂Π/∂q [N m] to f."""
    for i in range(len(c)):
        row = c[i]
        d = len(row.dofs) // 4
        for e in range(2):
            at = d + 2 * d * e
            l = find_length(row, at, d, x)
            N = row.stiffness * (l - 1.0 - row.free[e]) / l
            for a in range(d):
                f[row.dofs[at + a]] += N * x[row.dofs[at + a]]


@kernel
def tangent(c: Any, x: FloatArray, dq: float, slots: Slots, values: FloatArray) -> None:
    """Add dq ∂²Π/∂q² to the values of the matrix."""
    for i in range(len(c)):
        row = c[i]
        d = len(row.dofs) // 4
        for e in range(2):
            at = d + 2 * d * e
            l = find_length(row, at, d, x)
            N = dq * row.stiffness * (l - 1.0 - row.free[e]) / l
            along = dq * row.stiffness * (1.0 + row.free[e]) / (l * l * l)
            for a in range(d):
                values[find_slot(slots, row.place, at + a, at + a)] += N
                for b in range(d):
                    change = along * x[row.dofs[at + a]] * x[row.dofs[at + b]]
                    values[find_slot(slots, row.place, at + a, at + b)] += change


@kernel
def fill_energies(c: Any, x: FloatArray, energies: FloatArray) -> None:
    """Add Π [J] to the first row of ``energies``, shape (quantities, rows)."""
    for i in range(len(c)):
        row = c[i]
        d = len(row.dofs) // 4
        for e in range(2):
            strain = find_length(row, d + 2 * d * e, d, x) - 1.0 - row.free[e]
            energies[0, row.place] += 0.5 * row.stiffness * strain * strain


def create_calls(rows: LocalRows, dofs: IntArray) -> tuple[Call, Call, Call]:
    """Create the calls for forces, tangents and energies of the broken rows. Without broken rows, all calls are
    empty.
    """
    c = create_broken(rows, dofs)
    if not len(c):
        return Call(), Call(), Call()
    return (
        call(residual, lambda s: (c, s.x, s.f)),
        call(tangent, lambda s: (c, s.x, s.dq, s.pieces, s.values)),
        call(fill_energies, lambda s: (c, s.x, s.energies)),
    )
