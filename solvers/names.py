"""Names of coordinates in messages, collected from all processes and limited to a few."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.assembly import Assembly


def name_dofs(assembly: Assembly, owned: Iterable[int]) -> list[str]:
    """Return names of coordinates from all processes. Each process passes indices of its own coordinates. The call is
    collective.
    """
    layout, number = assembly.layout, assembly.world.numbering
    return assembly.processes.join("names", [number.describe_dof(int(layout.owned[i])) for i in owned])


def name_largest(
    assembly: Assembly, values: FloatArray, count: int = 3, multipliers: Sequence[float] | FloatArray = ()
) -> list[tuple[str, float]]:
    """Return the values of largest magnitude and the names of their coordinates or multipliers. Infinite values and NaN
    come first. The result is identical on all processes. The call is collective.

    Args:
        assembly: the systems of this process.
        values: values at the coordinates of this process. Values of ghosts are ignored and can be omitted.
        count: number of values.
        multipliers: values at the multipliers of this process, if the model has multipliers.
    """

    def size(found: FloatArray) -> FloatArray:
        return np.where(np.isfinite(found), np.abs(found), np.inf)

    layout, number = assembly.layout, assembly.world.numbering
    parts = (
        (number.describe_dof, layout.owned, values[: len(layout.owned)]),
        (number.describe_multiplier, layout.multipliers_owned, np.asarray(multipliers)),
    )
    entries = [
        (describe(int(numbers[i])), float(part[i]))
        for describe, numbers, part in parts
        for i in np.argsort(-size(part))[:count]
    ]
    entries = assembly.processes.join("values", entries)
    order = np.argsort(-size(np.array([value for _, value in entries])), kind="stable")
    return [entries[i] for i in order[:count]]


def shorten(words: Sequence[str], most: int = 6, kind: str = "") -> list[str]:
    """Return at most ``most`` texts of a list. The last text states the number of omitted texts."""
    more = [f"and {len(words) - most} more{kind}"] if len(words) > most else []
    return [*words[:most], *more]
