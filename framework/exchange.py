"""States between processes: the parts of all processes as one whole in world order, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from windlass.framework.errors import ModelError
from windlass.framework.law import FloatArray
from windlass.framework.state import NAMES, State
from windlass.framework.table import IntArray

if TYPE_CHECKING:
    from windlass.framework.assembly import Assembly


def ghost_coordinates(assembly: Assembly) -> IntArray:
    """PETSc numbers of the ghost coordinates in vectors of coordinates, shape (ghosts,)."""
    owned = assembly.comm.allgather(assembly.layout.owned)
    number = np.empty(assembly.world.numbering.count, np.int32)
    number[np.concatenate(owned)] = np.arange(len(number))
    ghosts: IntArray = number[assembly.layout.dofs[len(assembly.layout.owned) :]]
    return ghosts


def gather_reference(assembly: Assembly) -> FloatArray:
    """Reference coordinates in world order on every process, shape (coordinates,)."""
    layout = assembly.layout
    mine = (layout.owned, layout.reference[: len(layout.owned)])
    whole = np.empty(assembly.world.numbering.count)
    for numbers, values in [mine] if layout.size == 1 else assembly.comm.allgather(mine):
        whole[numbers] = values
    return whole


def gather_state(assembly: Assembly, state: State) -> State:
    """The whole state in world order on every process."""
    if assembly.layout.size == 1:
        return state
    layout, owned = assembly.layout, len(assembly.layout.owned)
    whole = State(assembly.world)
    parts = [
        (layout.owned, [state.q[:owned], state.v[:owned], state.a[:owned], state.algorithmic_a[:owned]]),
        (layout.multipliers_owned, [state.lam]),
        (layout.data_rows_owned, [state.data, state.start_data]),
    ]
    names = iter(NAMES)
    for where, arrays in parts:
        everywhere = assembly.comm.allgather((where, arrays))
        for k in range(len(arrays)):
            target = getattr(whole, next(names))
            for numbers, values in everywhere:
                target[numbers] = values[k]
    whole.t, whole.step = state.t, state.step
    return whole


def scatter_state(assembly: Assembly, stored: Mapping[str, FloatArray], state: State) -> None:
    """Bring whole arrays in world order into a local state.

    Raises:
        ModelError: the sizes are those of another model.
    """
    layout = assembly.layout
    where = [layout.dofs] * 4 + [layout.multipliers_owned] + [layout.data_rows_owned] * 2
    number = assembly.world.numbering
    sizes = [number.count] * 4 + [number.multiplier_count] + [len(number.data_initial)] * 2
    for name, numbers, size in zip(NAMES, where, sizes, strict=True):
        if len(stored[name]) != size:
            raise ModelError(f"{name} has {len(stored[name])} values: this model has {size}; another model's?")
        getattr(state, name)[:] = stored[name][numbers]
