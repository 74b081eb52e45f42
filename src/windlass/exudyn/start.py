"""The start of a motion as Exudyn has it: given positions and velocities as they are, and its initial accelerations.

A solve of Windlass brings positions and velocities onto the constraints first, and its accelerations follow from motion
that is prescribed by functions of time, too.  Both are left out here, so that the same steps are made.
"""

from __future__ import annotations

import numpy as np

from windlass.exudyn.imported import Imported
from windlass.framework.state.row_values import RowPlaces
from windlass.framework.state.state import State, local_state
from windlass.solvers.constraint_motion.initial import MassSolver
from windlass.solvers.constraint_motion.saddle import add_right_side
from windlass.solvers.dynamic import Dynamic


def start_motion(solver: Dynamic, model: Imported, state: State, accelerations: bool) -> State:
    """A state of the solver to go on from, with ``resume=True``.

    Args:
        solver: the solver.
        model: the model.
        state: given positions, velocities and history values.
        accelerations: compute accelerations; otherwise they are 0.
    """
    assembly = solver.assembly
    current = local_state(assembly, state)
    if not accelerations:
        return current
    fields = assembly.load_fields(current)
    fields.a[:], fields.lam[:] = 0.0, 0.0
    f, c = np.zeros(assembly.layout.spare + 1), np.zeros(len(assembly.layout.multipliers_owned) + 1)
    add_right_side(assembly, f, c)
    for number, item in enumerate(model.items["objects"]):
        entity = model.objects.get(number)
        if entity is not None and item["objectType"] == "ConnectorCoordinate":
            # they hold a constant offset, or move as functions of time prescribe
            c[RowPlaces(model.world, assembly, entity, "lam").places] = 0.0
    current.a[:], current.lam[:] = MassSolver(solver.problem).solve(f, c)
    current.carried[:] = current.a
    return current
