"""One word for the shape of cables of the plane and of space."""

from __future__ import annotations

from windlass.connectors.markers.cable_markers3d import CableShape3D
from windlass.connectors.markers.cable_shape import CableShape
from windlass.connectors.markers.position_markers import CABLES, SPATIAL_CABLE, merge_handles
from windlass.framework.checks.checks import checked, inside, instance, number, whole
from windlass.framework.errors import ModelError
from windlass.framework.model.adding import all_or_nothing
from windlass.framework.model.table import Entity
from windlass.framework.model.world import Handles, World


@checked(world=instance(World), cables=inside(), segments=whole(1), vertical_offset=number("m"))
@all_or_nothing
def shape_marker(world: World, cables: Handles, segments: int, vertical_offset: float = 0.0) -> Entity:
    """The shape of each cable as straight segments: `CableShape` in the plane, `CableShape3D` in space.

    Args:
        world: the world.
        cables: cables of one kind.
        segments: number of straight segments of each.
        vertical_offset: distance of the points from the axis along its left normal, in the plane only [m].

    Returns:
        Handle to the markers, one per cable.

    Raises:
        ModelError: no cables, or an offset in space, where a cable has no left side.
    """
    cables = merge_handles(cables)
    component = cables.table.component
    if SPATIAL_CABLE in component.provides:
        if vertical_offset:
            given = f"vertical_offset = {vertical_offset:g} m of shape_marker"
            raise ModelError(f"{given}: must be 0 for a {cables.kind}, as a cable in space has no left side")
        return world.add(CableShape3D, cable=cables, segments=segments)
    if component not in CABLES:
        raise ModelError(f"cables = {cables!r} of shape_marker: must be cables of the plane or of space")
    return world.add(CableShape, cable=cables, segments=segments, vertical_offset=vertical_offset)
