"""Temporary parameters of contacts during form-finding: no friction, and a limited normal stiffness.

Friction would prevent the motion of lines. Consider a line with the axial force N that consists of elements of length
L_e. A transverse displacement of a node causes a resisting force of about N/L_e per displacement, which is N/L_e² per
length. If contacts are much stiffer than this resistance, a contact that closes lifts its neighbours, and contacts open
and close periodically. Therefore form-finding is repeated with stiffnesses per length of at most N/L_e², see
`SoftContacts`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.model.table import Entity

FRICTION = "friction_coefficient"
"""Name of the column with the friction coefficients [1] of contacts."""
STIFFNESS = "contact_stiffness_per_length"
"""Name of the column with the normal stiffness [N/m^2] of contacts of cables."""


def find_switchable(assembly: Assembly, name: str) -> list[tuple[Entity, FloatArray]]:
    """Return the contact rows whose table has a column ``name`` that can be changed during a run and is not 0 in all
    rows. Also return the values of the column in these rows. The call is collective.
    """
    found = list[tuple[Entity, FloatArray]]()
    for component, table in assembly.world.tables.items():
        col = component.columns.get(name)
        values = table.local(name) if col is not None and col.switchable else np.zeros(0)
        if assembly.processes.any(bool(values.any())):
            found.append((Entity(table, table.resident), values.copy()))
    return found


@contextmanager
def without_friction(assembly: Assembly) -> Iterator[None]:
    """Return a context in which the friction coefficients of all contacts are 0. Friction coefficients that cannot be
    changed during a run keep their values. The call is collective.
    """
    kept = find_switchable(assembly, FRICTION)
    try:
        for rows, _ in kept:
            assembly.world.set(rows, **{FRICTION: 0.0})
        assembly.refresh()
        yield
    finally:
        for rows, values in kept:
            assembly.world.set(rows, **{FRICTION: values})
        assembly.refresh()


class SoftContacts:
    """The contacts of cables whose normal stiffness can be limited. All calls are collective.

    Attributes:
        exist: whether there are contacts whose normal stiffness can be limited.
        are_own: whether all contacts have their specified stiffness.
        limited: the present limit [N/m^2] of the stiffness; inf if there is no limit.
    """

    def __init__(self, assembly: Assembly) -> None:
        self._assembly, self._kept, self.limited = assembly, find_switchable(assembly, STIFFNESS), np.inf
        largest = [float(values.max(initial=0.0)) for _, values in self._kept]
        self._largest = max(assembly.processes.largest(largest), default=0.0)
        self.exist, self.are_own = bool(self._kept), True

    def limit(self, stiffness: float) -> None:
        """Limit the normal stiffness per length of all contacts to ``stiffness`` [N/m^2]."""
        stiffness = min(stiffness, self._largest)
        if stiffness == min(self.limited, self._largest):
            return
        self.limited, self.are_own = stiffness, stiffness >= self._largest
        for rows, values in self._kept:
            self._assembly.world.set(rows, **{STIFFNESS: np.minimum(values, stiffness)})
        self._assembly.refresh()

    def restore(self) -> None:
        """Restore the stiffness of all contacts exactly."""
        self.limit(np.inf)
