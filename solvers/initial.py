"""Consistent initial accelerations: M a + C_q^T lam = loads - f,  C_q a = -(C_q v)_q v - 2 C_qt v - C_tt."""

from __future__ import annotations

import numpy as np

from windlass.framework.assembly import Assembly
from windlass.framework.errors import ModelError
from windlass.framework.state import State
from windlass.solvers.saddle import PetscFactors, SaddleMatrix, SingularError, add_right_side, solve_saddle


def update_initial_accelerations(assembly: Assembly, state: State) -> None:
    """Set ``state.a`` (and ``algorithmic_a``) to the accelerations that the equations demand at the start.

    Source: the acceleration-level equations of constrained mechanics, e.g. Brenan, Campbell, Petzold (1996).

    Raises:
        ModelError: the mass matrix with the constraints is singular; the coordinates without mass are named.
    """
    layout = assembly.layout
    fields = assembly.load_fields(state)
    fields.a[:] = 0.0
    fields.lam[:] = 0.0
    f = np.zeros(layout.spare + 1)
    c = np.zeros(len(layout.multipliers_owned) + 1)
    add_right_side(assembly, f, c)
    matrix = SaddleMatrix(assembly)
    factors = PetscFactors(matrix, "initial_")
    matrix.update()
    factors.factorise()
    try:
        state.a[:], state.lam[:] = solve_saddle(matrix, factors, f, c)
    except SingularError as error:
        raise ModelError(f"initial accelerations: {error}") from None
    state.algorithmic_a[:] = state.a
