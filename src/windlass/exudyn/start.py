"""The start of a motion as Exudyn has it: given positions and velocities as they are, and its initial accelerations.

A solve of Windlass brings positions and velocities onto the constraints first, and its accelerations follow from motion
that is prescribed by functions of time, too.  Both are left out here, so that the same steps are made.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from windlass.framework.model.table import Entity
from windlass.framework.state.row_values import RowPlaces
from windlass.framework.state.state import State, local_state
from windlass.solvers.constraint_motion.initial import update_initial_accelerations
from windlass.solvers.dynamic import Dynamic


def start_motion(solver: Dynamic, held: Sequence[Entity], state: State, accelerations: bool) -> State:
    """A state of the solver to go on from, with ``resume=True``.

    Args:
        solver: the solver.
        held: constraints on coordinates; what they prescribe as functions of time gives no accelerations there.
        state: given positions, velocities and history values.
        accelerations: compute accelerations; otherwise they are 0.
    """
    current = local_state(solver.assembly, state)
    if accelerations:
        places = [RowPlaces(solver.assembly.world, solver.assembly, entity, "lam").places.ravel() for entity in held]
        update_initial_accelerations(solver.problem, current, np.concatenate([np.zeros(0, np.int64), *places]))
    return current
