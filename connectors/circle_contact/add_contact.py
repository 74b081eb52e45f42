"""Functions that add the contact between several cables and several circles, for belts on pulleys and ropes on sheaves.

`add_contact` accepts any law between one circle and one cable. The page docs/howto/choose_contact.md explains how to
choose the law.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from windlass.connectors.circle_contact.contact_friction_circle_set_points2d import (
    ContactFrictionCircleSetPoints2D,
    SetCircle,
)
from windlass.connectors.circle_contact.view import touches_at_points
from windlass.connectors.markers.cable_shape import CableShape
from windlass.connectors.markers.position_markers import list_handles, rigid_marker
from windlass.connectors.point_contact.contact_set import ContactSet
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import checked, inside, instance, number, optional, subclass, whole
from windlass.framework.errors import ModelError
from windlass.framework.model.adding import all_or_nothing
from windlass.framework.model.schema import Component, shape_of
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World


@checked(
    world=instance(World),
    kind=subclass(Component),
    circles=inside(),
    cables=inside(),
    segments=whole(),
    circle_radius=inside(),
    vertical_offset=number("m"),
    damping_ratio=optional(number("1", minimum=0.0)),
    columns=inside(),
)
@all_or_nothing
def add_contact(
    world: World,
    kind: type[Component],
    circles: Entity | Sequence[Entity],
    cables: Entity | Sequence[Entity],
    *,
    segments: int,
    circle_radius: float | Sequence[float],
    vertical_offset: float = 0.0,
    damping_ratio: float | None = None,
    **columns: Any,
) -> Entity:
    """Add contact between every cable and every circle. For laws with segments, the function creates one `CableShape`
    per cable. The contacts of this cable with all circles refer to the same `CableShape`.

    Args:
        kind: component of the contact law. `ContactFrictionCirclePoints2D` (points of the axis) is recommended. It is
            accurate even for stiff belts on coarse meshes. `ContactFrictionCircleCable2D` and `ContactCircleCable2D`
            replace the cable by straight segments. They are not accurate for stiff belts on coarse meshes.
        circles: k bodies, whose centres are the centres of the circles, or rigid markers.
        cables: n cables of the types `Cable2D` or `ALECable2D`. `ALECable2D` is only allowed without
            ``vertical_offset``.
        segments: number of straight segments or contact points of each cable, depending on the law.
        circle_radius: radius [m] of all circles, or one radius per circle.
        vertical_offset: distance [m] of the contact line from the axis of the cables, along their left normal.
        damping_ratio: ratio [1] of contact_damping_per_length to the critical damping of the mass of the cable on the
            contact stiffness, 2 sqrt(contact_stiffness_per_length mass_per_length). The value 1/3 is suitable for
            belts, see docs/howto/choose_contact.md.
        **columns: further columns of the law. A column contains one value for all pairs, k values (one for each
            circle), or k n values (one for each pair).

    Returns:
        The rows of all pairs, shape (k n,). Row ``i * n + j`` is the pair of circle i and cable j.

    Raises:
        ModelError: no circle or no cable is given, or a value is outside its range.
    """
    call = "add_contact"
    touched, touching = list_handles(call, "circles", circles), list_handles(call, "cables", cables)
    markers = [rigid_marker(world, circle) for circle in touched]
    k = sum(len(marker) for marker in markers)
    if touches_at_points(kind):
        shape, columns = touching, {**columns, "vertical_offset": vertical_offset}
    else:
        shape = [world.add(CableShape, cable=touching, segments=segments, vertical_offset=vertical_offset)]
    n = sum(map(len, shape))
    columns = {name: _expand(value, k, n) for name, value in {**columns, "circle_radius": circle_radius}.items()}
    if damping_ratio is not None:
        columns["contact_damping_per_length"] = _eval_damping(damping_ratio, columns, touching, k)
    pairs = [Entity(marker.table, np.repeat(marker.rows, n)) for marker in markers]
    return world.add(kind, circle=pairs, cable=shape * k, segments=segments, **columns)


@checked(
    world=instance(World),
    circles=inside(),
    cables=inside(),
    segments=whole(),
    circle_radius=inside(),
    touching=whole(1),
    skin=number("m", minimum=0.0),
    columns=inside(),
)
@all_or_nothing
def add_contact_with_many(
    world: World,
    circles: Entity | Sequence[Entity],
    cables: Entity | Sequence[Entity],
    *,
    segments: int,
    circle_radius: float | Sequence[float],
    touching: int = 2,
    skin: float = 0.0,
    **columns: Any,
) -> Entity:
    """Add contact between every cable and all circles near this cable, with the law `ContactFrictionCircleSetPoints2D`.
    Circles that are far from all cables hardly increase the computing time.

    Args:
        circles: k bodies, whose centres are the centres of the circles, or rigid markers.
        cables: n cables of type `Cable2D`, or beams of type `Beam2D`.
        segments: number of contact points of each cable.
        circle_radius: radius [m] of all circles, or one radius per circle.
        touching: largest number of circles that one cable can touch simultaneously.
        skin: distance from a cable within which circles are searched [m]. If it is 0, the smallest radius of the
            circles is used.
        **columns: further columns of the law, with one value for all rows.

    Returns:
        The rows, shape (touching n,). The rows of cable j have the indices j * touching to (j + 1) * touching - 1.

    Raises:
        ModelError: no circle or no cable is given, or a value is outside its range.
    """
    call = "add_contact_with_many"
    touched, touching_cables = list_handles(call, "circles", circles), list_handles(call, "cables", cables)
    group = world.add(ContactSet, skin=skin)
    world.add(SetCircle, contact_set=group, circle=[rigid_marker(world, c) for c in touched], radius=circle_radius)
    places = [Entity(cable.table, np.repeat(cable.rows, touching)) for cable in touching_cables]
    return world.add(ContactFrictionCircleSetPoints2D, contact_set=group, cable=places, segments=segments, **columns)


def _eval_damping(ratio: float, columns: dict[str, Any], cables: Sequence[Entity], circles: int) -> FloatArray:
    """Return contact_damping_per_length [N s/m^2] of all pairs for a given damping ratio, shape (k n,)."""
    stiffness = columns.get("contact_stiffness_per_length")
    if stiffness is None or any(name.startswith("contact_damping") for name in columns):
        raise ModelError(
            f"damping_ratio = {ratio} in add_contact: needs contact_stiffness_per_length [N/m^2], and no "
            "contact_damping_per_length or contact_damping in addition"
        )
    mass = np.concatenate([cable.table.collect("mass_per_length", cable.rows) for cable in cables])
    product = np.asarray(stiffness, np.float64) * np.tile(mass, circles)
    return np.asarray(2.0 * ratio * np.sqrt(np.maximum(product, 0.0)))


def _expand(value: Any, circles: int, cables: int) -> Any:
    """Convert an array with one value per circle to an array with one value per pair, because the law needs one value
    per pair. Each value is repeated for all cables. Other arguments are returned unchanged.
    """
    if shape_of(value) != (circles,):
        return value
    return np.repeat(value, cables) if isinstance(value, np.ndarray) else [v for v in value for _ in range(cables)]
