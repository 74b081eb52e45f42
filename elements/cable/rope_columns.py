"""Arguments of functions that create ropes, which are not columns of cables: tables of tensions, and slow strains of
fibre ropes at the start.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.elements.nodes.generic_nodes import state_node
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.values import read_numbers, show
from windlass.framework.errors import ModelError
from windlass.framework.model.law import Tables
from windlass.framework.model.parts import Part
from windlass.framework.model.table import Entity

SLOW_STRAIN, TENSION_TABLE = "slow_strain", "tension_table"
"""Names of these arguments."""


def read_slow_strains(given: Any, elements: int, name: str) -> FloatArray:
    """Return the slow strains [1] of a fibre rope at the start, shape (elements,). The rope has the name ``name``.

    Raises:
        ModelError: ``slow_strain`` is neither a number nor an array of one number per element.
    """
    strains = read_numbers(given)
    if strains is None or strains.shape not in ((), (elements,)):
        raise ModelError(
            f"slow_strain = {show(given)} of {name}: must be a number [1], or one for each of its elements"
        )
    return np.broadcast_to(strains, (elements,))


def add_slow_strains(world: Tables, part: Part, strains: FloatArray, name: str) -> Entity:
    """Add the nodes with the slow strains of the elements of a fibre rope, and return the nodes of the elements of this
    process.

    Args:
        world: model to which the nodes are added.
        part: elements that this process adds.
        strains: slow strains of all elements at the start [1], shape (elements,).
        name: name of the rope.
    """
    states = np.repeat(strains[part.numbers, None], 3, axis=1)
    return world.add(state_node(3), name=f"{name} slow strain", part=part, states=states)[part.numbers]


def read_table(given: dict[str, Any], name: str) -> dict[str, Any]:
    """Replace the column ``tension_table`` of a chain by columns of `TableCable2D`. The column ``tension_table``
    contains pairs of strain [1] and tension [N].

    Raises:
        ModelError: the table is not a list of at least two pairs of finite numbers, or the strains are not ascending.
    """
    if "tension_table" not in given:
        return given
    for other in ("table_strains", "table_tensions"):
        if other in given:
            raise ModelError(f"{name} has tension_table and {other}: give one of them")
    columns = dict(given)
    table = read_numbers(columns.pop("tension_table"))
    is_table = table is not None and table.ndim == 2 and table.shape[1] == 2 and len(table) >= 2
    if table is None or not is_table or not np.isfinite(table).all() or (np.diff(table[:, 0]) <= 0.0).any():
        raise ModelError(
            f"tension_table = {show(given['tension_table'])} of {name}: must be two or more pairs of strain [1] and "
            "tension [N], with ascending strains and finite values"
        )
    return columns | {"table_strains": table[:, 0], "table_tensions": table[:, 1]}
