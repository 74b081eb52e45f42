"""Scenes of two cables or beams without stiffness near a surface or circle. All forces of the scenes are contact
forces.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.testing import assert_array_equal

from windlass.connectors.friction.bristle import UNDEFINED
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.assembly.post_newton import run_post_newton
from windlass.framework.model.law import law_of
from windlass.framework.model.system import evaluate
from windlass.framework.model.table import Entity


@dataclass
class ContactScene:
    """A scene. The world has the coordinates of the nodes, followed by the coordinates of the body.

    Attributes:
        assembly: the assembly of the world.
        data: history values of the contacts, shape (rows, n).
        contacts: the rows of contact.
        count: number of all coordinates.
    """

    assembly: Assembly
    data: Any
    contacts: Entity
    count: int

    def forces(self) -> Any:
        """Return the left-hand-side forces, shape (count,)."""
        fields = self.assembly.fields
        f = np.zeros_like(fields.x)
        self.assembly.update_markers()
        self.assembly.add_forces(f)
        return f[: self.count]

    def output(self, name: str) -> Any:
        """Return an output variable of all rows."""
        self.assembly.update_markers()
        rows = self.assembly.local_rows(self.contacts.table, self.contacts.rows)
        law = law_of(self.contacts.table.component)
        assert law is not None
        return law.outputs[name].evaluate(rows, self.assembly.fields)

    def update(self) -> Any:
        """Update the history values, and return the result of the update."""
        self.assembly.update_markers()
        return run_post_newton(self.assembly.layout.systems[self.contacts.table.component], self.assembly.fields)


OPEN = 0.1
"""Stored gap [m] of open points."""


def place_cable(arc: ContactScene, before: Any, shift: Any, n: int) -> None:
    """Move the three nodes of the cables of a scene by ``shift`` [m] from the coordinates ``before``, and set all
    points to open. Each row has n points."""
    fields, dims = arc.assembly.fields, len(shift)
    fields.x[:] = before
    for k in range(3):
        fields.x[2 * dims * k : 2 * dims * k + dims] += shift
    for values in (fields.data, fields.start_data):
        values[:] = 0.0
        rows = values.reshape(2, -1)
        rows[:, :n], rows[:, n : 2 * n] = OPEN, UNDEFINED


def compare_maps(arc: ContactScene, maps: Any, dims: int, n: int) -> tuple[int, int]:
    """Compare the return map ``maps`` with an update after a Newton run for 200 random positions of cables. Each cable
    has n points, which are open at first, and each position has ``dims`` coordinates. Return the numbers of rows that
    the return map has skipped, and of rows in which a point closed.
    """
    random, fields = np.random.default_rng(4), arc.assembly.fields
    before, skipped, closed = fields.x.copy(), 0, 0
    for _ in range(200):
        shift = random.uniform(-1.0, 1.0, dims) * random.uniform(0.0, 4.0)
        place_cable(arc, before, shift, n)
        arc.update()
        exact = fields.data.reshape(2, -1)[:, : 2 * n].copy()
        place_cable(arc, before, shift, n)
        fields.mapped[0] = 1.0
        maps(evaluate(fields))
        fields.mapped[0] = -2.0
        found = fields.data.reshape(2, -1)[:, : 2 * n]
        assert_array_equal(found[:, :n] <= 0.0, exact[:, :n] <= 0.0)
        assert_array_equal(found[:, n:], exact[:, n:])
        skips = (found[:, :n] == OPEN).all(axis=1) & (exact[:, :n] != OPEN).any(axis=1)
        assert_array_equal(found[~skips], exact[~skips])
        skipped, closed = skipped + int(skips.sum()), closed + int((exact[:, :n] <= 0.0).any(axis=1).sum())
    return skipped, closed
