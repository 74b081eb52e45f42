"""The multipliers of Exudyn's constraints from ours: which belong together, with which factors."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from windlass.exudyn.imported import Imported
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.model.table import Entity


class Part(NamedTuple):
    """Multipliers of one constraint.

    Attributes:
        entity: the constraint here.
        where: places in Exudyn's vector of algebraic coordinates, shape (n,).
        factor: matrix (n, m): theirs are factor times ours.
    """

    entity: Entity
    where: IntArray
    factor: FloatArray


def find_multipliers(mbs: Any, model: Imported) -> list[Part]:
    """All constraints of a model that have multipliers on both sides."""
    found = []
    for number, item in enumerate(model.items["objects"]):
        entity = model.objects.get(number)
        where = np.asarray(mbs.systemData.GetObjectLTGAE(number), np.int64)
        if entity is None or len(where) == 0 or item["objectType"] not in FACTORS:
            continue
        found.append(Part(entity, where, FACTORS[item["objectType"]](item)))
    return found


def _plain(size: int, sign: float = 1.0) -> Any:
    return lambda item: sign * np.eye(size)


FACTORS: dict[str, Any] = {
    "ConnectorCoordinate": lambda item: np.eye(1) / item["factor1"],
    "ConnectorDistance": _plain(1),
    "JointRevolute2D": _plain(2),
    "JointPrismatic2D": _plain(2),
    "JointSpherical": _plain(3),
    "JointGeneric": _plain(6),
    "JointRevoluteZ": _plain(6),
    "JointPrismaticX": _plain(6),
}
"""Matrix by type of object; see `Part`."""
