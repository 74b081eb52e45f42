"""Start of a motion as in Exudyn. Positions and velocities are not corrected, and initial accelerations are computed as
in Exudyn.

Solvers of Windlass first project positions and velocities onto the constraints. Their initial accelerations include
accelerations that functions of time prescribe. This module omits the projection and the prescribed accelerations, so
that the results of the steps agree with the results of Exudyn.
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
    """Return a state from which the solver can start with ``resume=True``.

    Args:
        solver: the solver.
        held: constraints on coordinates with functions of time that do not affect initial accelerations in Exudyn.
        state: initial positions, velocities and history values.
        accelerations: whether to compute accelerations. Otherwise they are 0.
    """
    current = local_state(solver.assembly, state)
    if accelerations:
        places = [RowPlaces(solver.assembly.world, solver.assembly, entity, "lam").places.ravel() for entity in held]
        update_initial_accelerations(solver.problem, current, np.concatenate([np.zeros(0, np.int64), *places]))
    return current
