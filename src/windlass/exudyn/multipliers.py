"""The multipliers of Exudyn's constraints from ours: which belong together, with which factors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from windlass.exudyn.imported import Imported
from windlass.exudyn.translations.machines import count_equations
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.model.table import Entity


class JointMultipliers(NamedTuple):
    """Multipliers of one constraint.

    Attributes:
        entity: the constraint here.
        where: places in Exudyn's vector of algebraic coordinates, shape (n,).
        factor: matrix (n, m): theirs are factor times ours.
    """

    entity: Entity
    where: IntArray
    factor: FloatArray


def unknown_places(mbs: Any, model: Imported) -> list[int]:
    """Places of multipliers of joints whose equations are written otherwise here, so that theirs are not known."""
    found: list[int] = []
    for number, item in enumerate(model.items["objects"]):
        kind = str(item["objectType"])
        if kind.startswith(("Joint", "Connector")) and _factor(item) is None:
            found += [int(place) for place in mbs.systemData.GetObjectLTGAE(number)]
    return found


def find_multipliers(mbs: Any, model: Imported) -> list[JointMultipliers]:
    """All constraints of a model whose multipliers are the same forces on both sides."""
    found = []
    for number, item in enumerate(model.items["objects"]):
        entity = model.objects.get(number)
        where = np.asarray(mbs.systemData.GetObjectLTGAE(number), np.int64)
        factor = _factor(item)
        if entity is not None and len(where) and factor is not None:
            found.append(JointMultipliers(entity, where, factor))
    return found


def _factor(item: Mapping[str, Any]) -> FloatArray | None:
    """The matrix of an object, see `JointMultipliers`, or None where the equations are written otherwise."""
    find = FACTORS.get(str(item["objectType"]))
    found: FloatArray | None = find(item) if find else None
    return found


def _vector(item: Mapping[str, Any]) -> FloatArray | None:
    """One equation of coordinates is the same, several are rows of their own here."""
    return np.eye(1) if count_equations(item) == 1 else None


def _sliding(item: Mapping[str, Any]) -> FloatArray:
    """The force on the point, and a step along the cable that is done; one across the cable is not known."""
    if item["useClassicalFormulation"]:
        return np.diag((1.0, 1.0, 0.0))
    return np.outer((0.0, 1.0, 0.0), np.full(3, np.nan))


def _unit(size: int) -> Any:
    """The same multipliers."""
    return lambda item: np.eye(size)


FACTORS: dict[str, Any] = {
    "ConnectorCoordinate": lambda item: np.eye(1) / item["factor1"],
    "ConnectorDistance": _unit(1),
    "JointRevolute2D": _unit(2),
    "JointSpherical": _unit(3),
    "JointRollingDisc": _unit(3),
    "JointPrismaticX": lambda item: np.diag((0.0, 1.0, 1.0, 1.0, -1.0, -1.0))[1:],
    "ConnectorCoordinateVector": _vector,
    "JointSliding2D": _sliding,
    "JointALEMoving2D": lambda item: np.eye(2, 3),
}
"""Matrix by type of object, see `JointMultipliers`; without joints whose equations are written otherwise there."""
