"""Ropes without mass over sheaves, from lists of their markers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from windlass.connectors.rigid_springs.reeving_kernels import MOST
from windlass.connectors.rigid_springs.reeving_system_springs import MARKERS, ReevingSystemSprings
from windlass.framework.checks.checks import checked, each, handle, instance, numbers, optional
from windlass.framework.errors import ModelError
from windlass.framework.model.adding import all_or_nothing
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World


@checked(
    world=instance(World),
    markers=each(handle(), "handles to markers, one for each place along the rope", 2),
    radii=numbers("m", (None,)),
    axes=optional(numbers("1", (None, 3))),
)
@all_or_nothing
def reeve(world: World, markers: Sequence[Entity], radii: Any, axes: Any | None = None, **columns: Any) -> Entity:
    """Add a `ReevingSystemSprings`: one rope over sheaves and points.

    Args:
        world: the world.
        markers: 2 to 16 places along the rope, from one end to the other; rigid markers at sheaves.
        radii: of the sheaves [m], shape (markers,); 0 at points and at both ends.
        axes: of the sheaves in the frames of their markers, about which the rope turns on its way, shape (markers, 3);
            (0, 0, 1), against the clock, if left out.
        **columns: columns of `ReevingSystemSprings`, e.g. ``axial_stiffness`` and ``reference_length``.

    Returns:
        Handle to the rope.

    Raises:
        ModelError: lists of different lengths, or too many markers.
    """
    count = len(markers)
    given = np.tile((0.0, 0.0, 1.0), (count, 1)) if axes is None else np.asarray(axes, np.float64)
    if count > MOST:
        raise ModelError(f"markers of reeve: {count} are given: must be 2 to {MOST}")
    for name, rows in (("radii", np.asarray(radii)), ("axes", given)):
        if len(rows) != count:
            raise ModelError(f"{name} of reeve: {len(rows)} are given: must be {count}, one for each marker")
    padded, directions = np.zeros(MOST), np.tile((0.0, 0.0, 1.0), (MOST, 1))
    padded[:count], directions[:count] = radii, given
    named: dict[str, Any] = dict(zip(MARKERS, markers, strict=False))
    return world.add(ReevingSystemSprings, **named, radii=padded, axes=directions, **columns)
