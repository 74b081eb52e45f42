"""Parameters of 2D and 3D cables that form-finding uses and changes, see `Strands`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from windlass.elements.cable.lanes import QUANTITIES, Lanes
from windlass.elements.cable.points import Rule
from windlass.elements.cable.strains import dot
from windlass.framework.arrays import BoolArray, FloatArray, IntArray
from windlass.framework.model.lanes import LANES
from windlass.framework.model.system import Fields, Strands

FREE = "strain without force"


def find_place(quantity: str, point: int) -> int:
    """Return the index of a quantity, or of the stress-free strain at a point, in `Lanes.given`."""
    return len(QUANTITIES) + point if quantity == FREE else QUANTITIES.index(quantity)


class StrandGroup(NamedTuple):
    """Cables with the same integration rule that one thread evaluates. The cables are in the order of their lanes.

    Attributes:
        lanes: parameters that the kernels read.
        rule: points of the integration rule.
        row: indices of the rows among the rows of the table on this process, shape (rows,).
    """

    lanes: Lanes
    rule: Rule
    row: IntArray

    def read(self, quantity: str, point: int = 0) -> FloatArray:
        """Read a quantity from the parameters of the kernels, shape (rows,). For `FREE`, read the stress-free strain at
        a point.
        """
        values: FloatArray = self.lanes.given[:, find_place(quantity, point), :].ravel()[: len(self.row)]
        return values

    def write(self, quantity: str, values: FloatArray, point: int = 0) -> None:
        """Replace a quantity in the parameters of the kernels. Lanes without a row receive the value of the last
        row.
        """
        filled = np.minimum(np.arange(LANES * len(self.lanes.given)), len(self.row) - 1)
        self.lanes.given[:, find_place(quantity, point), :] = values[filled].reshape(-1, LANES)


class CableStrands(Strands):
    """Interface between form-finding and cables with the linear law of the axial force.

    Args:
        groups: groups of cables with the same integration rule. Together, the groups contain all rows.
        dofs: process-local indices of the coordinates of the nodes, shape (rows, 4 d).
    """

    def __init__(self, groups: list[StrandGroup], dofs: IntArray) -> None:
        self._groups, self._dofs = groups, dofs
        self._bending = [g.read("bending_stiffness").copy() for g in groups]
        self._lengths = np.empty(len(dofs))
        self.bearable = np.empty(len(dofs))
        for g, bending in zip(groups, self._bending, strict=True):
            length = self._lengths[g.row] = g.read("length")
            self.bearable[g.row] = 4.0 * np.pi**2 * bending / length**2
        counts = [len(g.rule.wa) for g in groups]
        each = list(zip(groups, counts, strict=True))
        self.row = np.concatenate([np.repeat(g.row, n) for g, n in each])
        self.weight = np.concatenate([np.outer(g.read("length"), g.rule.wa).ravel() for g in groups])
        self.stiffness = np.concatenate([np.repeat(g.read("axial_stiffness"), n) for g, n in each])
        self.free = np.concatenate([np.transpose([g.read(FREE, j) for j in range(n)]).ravel() for g, n in each])

    def eval_stretch(self, s: Fields) -> FloatArray:
        """Evaluate |r'| at the axial points."""
        parts = []
        for g in self._groups:
            r0, s0, r1, s1 = np.split(s.x[self._dofs[g.row]], 4, axis=1)
            e = (r1 - r0) / self._lengths[g.row, None]
            p = np.einsum("jk,krd->rjd", g.rule.Pa, np.array([e, s0, s1]))
            parts.append(np.sqrt(dot(p, p)).ravel())
        return np.concatenate(parts)

    def find_folded(self, s: Fields) -> BoolArray:
        """Find cables with a slope that points against the chord."""
        r0, s0, r1, s1 = np.split(s.x[self._dofs], 4, axis=1)
        folded: BoolArray = np.minimum(dot(s0, r1 - r0), dot(s1, r1 - r0)) < 0.0
        return folded

    def take(self, stiffness: FloatArray, free: FloatArray, bends: BoolArray) -> None:
        """Write axial stiffness, stress-free strain and bending stiffness to the parameters of the kernels. If
        ``bends`` is false for a cable, its bending stiffness is set to 0.
        """
        first = 0
        for g, bending in zip(self._groups, self._bending, strict=True):
            count = len(g.row), len(g.rule.wa)
            last = first + count[0] * count[1]
            g.write("axial_stiffness", stiffness[first:last].reshape(count)[:, 0])
            g.write("bending_stiffness", np.where(bends[g.row], bending, 0.0))
            for j in range(count[1]):
                g.write(FREE, free[first:last].reshape(count)[:, j], j)
            first = last
