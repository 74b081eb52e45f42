"""Conversion between the states of single processes and the state of the whole model. The state of the whole model is
in world order, which is the order of the world numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.errors import ModelError

NAMES = ("q", "v", "a", "carried", "lam", "data", "start_data")
"""Names of the arrays of a state."""


def gather_reference(assembly: Assembly) -> FloatArray:
    """Return the reference coordinates of the whole model in world order on every process, shape (coordinates,)."""
    layout = assembly.layout
    mine = (layout.owned, layout.reference[: len(layout.owned)])
    whole = np.empty(assembly.world.numbering.count)
    for numbers, values in assembly.processes.allgather("reference coordinates", mine):
        whole[numbers] = values
    return whole


def gather_values(assembly: Assembly, local: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
    """Return, on every process, the arrays of the whole model in world order. Each array is combined from the arrays of
    all processes. Argument and result are dictionaries with the names of the arrays of a state as keys.
    """
    layout, number = assembly.layout, assembly.world.numbering
    owned = len(layout.owned)
    parts = [
        (NAMES[:4], layout.owned, number.count),
        (NAMES[4:5], layout.multipliers_owned, number.multiplier_count),
        (NAMES[5:], layout.data_rows_owned, number.data_total),
    ]
    whole: dict[str, FloatArray] = {}
    for names, where, size in parts:
        arrays = [local[name][: owned if name in NAMES[:4] else None] for name in names if name in local]
        gathered = assembly.processes.allgather("state", (where, arrays))
        for k, name in enumerate(name for name in names if name in local):
            whole[name] = np.zeros(size)
            for numbers, values in gathered:
                whole[name][numbers] = values[k]
    return whole


def scatter_values(assembly: Assembly, stored: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
    """Return the process-local arrays of this process from arrays of the whole model in world order. Argument and
    result are dictionaries with the names of the arrays of a state as keys.
    """
    layout = assembly.layout
    where = [layout.dofs] * 4 + [layout.multipliers_owned] + [layout.data_rows_owned] * 2
    return {name: stored[name][numbers] for name, numbers in zip(NAMES, where, strict=True)}


def check_sizes(number: Any, stored: Mapping[str, FloatArray]) -> None:
    """Raise ModelError if the lengths of the arrays ``stored`` differ from the numbers of coordinates, multipliers and
    history values in ``number``.
    """
    sizes = [number.count] * 4 + [number.multiplier_count] + [number.data_total] * 2
    for name, size in zip(NAMES, sizes, strict=True):
        if len(stored[name]) != size:
            raise ModelError(f"{name} has {len(stored[name])} values: this model has {size}; is it from another model?")
