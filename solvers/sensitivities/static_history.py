"""History values of contacts at an equilibrium, as functions of the equilibrium and of parameters.

A static solve starts from the history values d_0(p) of the initial geometry. Its last update computes the history
values d = U(x, d, d_0, p) from the equilibrium x. If this update reproduces the history values of the solve, the
equations of the equilibrium are

    r(x, d, p) = 0,    d = U(x, d, d_0(p), p),

The derivatives with respect to p then include the derivatives of d. Otherwise the history values also depend on
intermediate states of the solve. An example is a rope that was drawn over a circle in several solves. The history
values are then treated as constant.

Contact states (open, closed, sticking, slipping) are history values that have no derivatives. If all velocities are
exactly 0, some updates change a history value only if another Newton run is necessary. Therefore the velocities in
updates have the value `CREEP`. This value is so small that it causes no forces.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from windlass.framework.arrays import BoolArray, FloatArray
from windlass.framework.assembly.assembly import serial_assembly
from windlass.framework.assembly.post_newton import begin_step
from windlass.framework.model.world import World
from windlass.framework.state.state import State
from windlass.solvers.sensitivities.differences import find_history_rows, find_slopes, find_switched

SHOWN = 3
"""Largest number of contacts in a message."""
CREEP = 1e-150
"""Velocity [m/s] of all coordinates in updates of history values."""


class StaticHistory:
    """The update of the history values of a model.

    Args:
        world: the model.
        time: time [s] of the equilibrium.

    Attributes:
        start: the initial state, with the history values d_0.
    """

    def __init__(self, world: World, time: float) -> None:
        self._world = world
        self._assembly, self._moves = serial_assembly(world), np.ones(len(State(world).q), bool)
        self._moves[self._assembly.layout.states] = False
        self._assembly.search_always()
        self._rows = find_history_rows(world)
        self.start = State(world)
        self.start.t = time
        self._assembly.decide(self.start)

    def update(self, state: State, velocity: float = CREEP) -> FloatArray:
        """Return the history values U at a state, with the given velocity [m/s] of all coordinates, shape (d,)."""
        fields = self._assembly.load_fields(state)
        fields.v[: len(self._moves)][self._moves] = velocity
        self._assembly.update_markers()
        fields.start_data[:] = self.start.data
        begin_step(fields, self._assembly.layout.reference, self.start)
        self._assembly.updates.program()
        return fields.data.copy()

    def keeps_states(self, state: State) -> bool:
        """Return whether the contact states of a state remain unchanged in the update, with velocities 0 and with
        velocities `CREEP`.
        """
        updates = (self.update(state, velocity) for velocity in (0.0, CREEP))
        return not any(find_switched(state.data, values, self._rows).any() for values in updates)

    def find_changed(self, centre: FloatArray, values: FloatArray) -> BoolArray:
        """Return, for each history value, whether the contact states in its row differ between ``values`` and
        ``centre``, shape (d,) each.
        """
        return find_switched(centre, values, self._rows)

    def describe(self, changed: BoolArray) -> str:
        """Return a text with the names of the first rows that contain one of the history values selected by
        ``changed``, shape (d,).
        """
        numbers = np.unique(self._rows[changed])
        names = [name for number in numbers[:SHOWN] for name in self._list_names(int(number))]
        return ", ".join(names) + (" and more" if len(numbers) > SHOWN else "")

    def _list_names(self, number: int) -> Iterator[str]:
        """Yield the names of the contacts that refer to a row of `GenericData`."""
        for component, table in self._world.tables.items():
            if "data" not in component.refs or not table.count:
                continue
            for _, positions, rows in self._world.split_by_table(table.local("data")):
                yield from (table.describe(int(row)) for row in positions[rows == number])

    def find_slope(self, centre: FloatArray, above: FloatArray, below: FloatArray, h: float) -> FloatArray:
        """Return the derivatives of history values with respect to a parameter, shape (d,).

        Args:
            centre, above, below: history values of the model, and of models with the parameters p + h and p - h, shape
                (d,) each.
            h: step of the parameter, in the unit of the parameter.
        """
        slope: FloatArray = find_slopes(centre, above, below, self._rows) / h
        return slope
