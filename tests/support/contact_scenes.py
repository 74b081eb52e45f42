"""Scenes of two cables or beams without stiffness near a surface or circle, whose only forces are contact forces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from windlass.framework.assembly.assembly import Assembly
from windlass.framework.assembly.post_newton import run_post_newton
from windlass.framework.model.law import law_of
from windlass.framework.model.table import Entity


@dataclass
class ContactScene:
    """A scene. The world has the coordinates of the nodes, followed by the coordinates of the body.

    Attributes:
        assembly: the systems.
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
