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
from windlass.solvers.constraint_motion.initial import MassSolver
from windlass.solvers.constraint_motion.saddle import add_right_side
from windlass.solvers.dynamic import Dynamic


def start_motion(solver: Dynamic, held: Sequence[Entity], state: State, accelerations: bool) -> State:
    """A state of the solver to go on from, with ``resume=True``.

    Args:
        solver: the solver.
        held: constraints on coordinates; what they prescribe as functions of time gives no accelerations there.
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
    for entity in held:
        c[RowPlaces(assembly.world, assembly, entity, "lam").places] = 0.0
    current.a[:], current.lam[:] = MassSolver(solver.problem).solve(f, c)
    current.carried[:] = current.a
    return current
