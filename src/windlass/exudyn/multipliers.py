"""Computation of the multipliers of Exudyn's constraints from the multipliers of Windlass."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from windlass.exudyn.imported import Imported
from windlass.exudyn.translations.machines import count_equations
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.model.table import Entity


class JointMultipliers(NamedTuple):
    """Conversion of the multipliers of one constraint.

    Attributes:
        entity: the constraint in Windlass.
        where: indices in Exudyn's vector of algebraic coordinates, shape (n,).
        factor: matrix that maps the multipliers of Windlass to Exudyn's multipliers, shape (n, m).
    """

    entity: Entity
    where: IntArray
    factor: FloatArray


def unknown_places(mbs: Any, model: Imported) -> list[int]:
    """Return the indices of unknown multipliers in Exudyn's vector of algebraic coordinates. Multipliers are unknown if
    the equations of the constraint differ between Windlass and Exudyn.
    """
    found: list[int] = []
    for number, item in enumerate(model.items["objects"]):
        kind = str(item["objectType"])
        if kind.startswith(("Joint", "Connector")) and _factor(item) is None:
            found += [int(place) for place in mbs.systemData.GetObjectLTGAE(number)]
    return found


def find_multipliers(mbs: Any, model: Imported) -> list[JointMultipliers]:
    """Return the conversions of all constraints of a model for which a factor matrix exists."""
    found = []
    for number, item in enumerate(model.items["objects"]):
        entity = model.objects.get(number)
        where = np.asarray(mbs.systemData.GetObjectLTGAE(number), np.int64)
        factor = _factor(item)
        if entity is not None and len(where) and factor is not None:
            found.append(JointMultipliers(entity, where, factor))
    return found


def _factor(item: Mapping[str, Any]) -> FloatArray | None:
    """Return the factor matrix of an object (`JointMultipliers.factor`), or None if the equations differ."""
    find = FACTORS.get(str(item["objectType"]))
    found: FloatArray | None = find(item) if find else None
    return found


def _vector(item: Mapping[str, Any]) -> FloatArray | None:
    """Return the factor 1 for a constraint with one equation, because the equations of Exudyn and Windlass are then
    equal. Return None for several equations, because each equation is a separate constraint in Windlass.
    """
    return np.eye(1) if count_equations(item) == 1 else None


def _sliding(item: Mapping[str, Any]) -> FloatArray:
    """Return the factor matrix of the force on a sliding point. If useClassicalFormulation is false, all entries are
    NaN, because the multipliers are unknown.
    """
    if item["useClassicalFormulation"]:
        return np.diag((1.0, 1.0, 0.0))
    return np.outer((0.0, 1.0, 0.0), np.full(3, np.nan))


def _unit(size: int) -> Any:
    """Return a function that returns an identity matrix."""
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
"""Factor matrix (`JointMultipliers.factor`) by type of object. Joints with other equations in Windlass are not
included.
"""
