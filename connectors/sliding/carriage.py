"""Functions for carriages on cables. The functions add tracks, sliding joints with coordinates s, and end stops."""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.connectors.markers.coordinate_marker import coordinate_marker
from windlass.connectors.markers.position_markers import find_nodes, merge_handles, position_marker
from windlass.connectors.sliding.cable_track import CableTrack
from windlass.connectors.sliding.sliding_joint import SlidingJoint
from windlass.connectors.springs.contact_coordinate import ContactCoordinate
from windlass.elements.nodes.sliding_node import SlidingNode
from windlass.framework.checks.checks import checked, handle, inside, instance, number
from windlass.framework.checks.values import read_numbers, show
from windlass.framework.errors import ModelError
from windlass.framework.model.adding import all_or_nothing
from windlass.framework.model.table import Entity
from windlass.framework.model.world import Handles, World


@checked(world=instance(World), cables=inside())
@all_or_nothing
def cable_track(world: World, cables: Handles) -> Entity:
    """Create a track along cables in the given order. If the argument is a track, it is returned unchanged.

    Args:
        cables: a track, or rows of cables, each of which begins at the end of the previous cable.

    Returns:
        Handle to the track.

    Raises:
        ModelError: the argument is not a handle to cables.
    """
    merged = merge_handles(cables)
    if merged.table.component is CableTrack:
        return merged
    if "track cable" not in merged.table.component.provides:
        raise ModelError(f"cables = {merged!r}: must be cables, or a CableTrack")
    return world.add(CableTrack, cables=merged)


@checked(world=instance(World), cables=inside(), entity=inside(), start=inside(), at=inside())
@all_or_nothing
def sliding_joint(
    world: World, cables: Handles, entity: Handles, start: Any, at: Any = (0.0, 0.0), **values: Any
) -> Entity:
    """Add joints that constrain points of bodies to slide along cables. The position s of a point along the track is a
    coordinate.

    Args:
        cables: a track, or rows of cables, each of which begins at the end of the previous cable. See `cable_track`.
        entity: node, `MassPoint`, body or position markers, one for each joint. For several rollers on one body, pass
            one body and several points ``at``.
        start: initial position s of each joint: the arc length of the undeformed cables from the start of the first
            cable [m], a scalar or shape (joints,). On a winch rope, s minus the initial length of the rope is the
            distance of the material point from the end of the rope.
        at: position on the entity, see `position_marker`.
        **values: columns of `SlidingJoint`, such as ``friction_coefficient``. The name ``speed`` is also accepted, for
            the initial s_t [m/s].

    Returns:
        Handle to the joints. `fix`, `prescribe` and `coordinate_marker` accept this handle with the coordinate ``"s"``.

    Raises:
        ModelError: ``start`` or ``speed`` is neither one number nor one number for each joint, or an argument of
            `cable_track` or `position_marker` is invalid.
    """
    places, speed = read_numbers(start), read_numbers(values.pop("speed", 0.0))
    if places is None or places.ndim > 1 or not places.size:
        raise ModelError(f"start = {show(start)}: must be a number, or one per joint [m]")
    if speed is None or speed.ndim > 1 or not speed.size:
        raise ModelError("speed of sliding_joint: must be a number, or one per joint [m/s]")
    track, marker = cable_track(world, cables), position_marker(world, entity, at)
    count = max(len(marker), places.size)
    reference = np.broadcast_to(places, (count,)) if places.size in (1, count) else places
    if speed.size not in (1, len(reference)):
        raise ModelError(f"speed of sliding_joint has {speed.size} numbers: must be one, or one per joint [m/s]")
    nodes = world.add(SlidingNode, reference=reference, velocity=np.broadcast_to(speed, (len(reference),))[:, None])
    return world.add(SlidingJoint, track=track, node=nodes, marker=marker, **values)


@checked(
    world=instance(World),
    joints=handle(),
    length=number("m", above=0.0),
    stiffness=number("N/m", above=0.0),
    damping=number("N s/m", minimum=0.0),
)
@all_or_nothing
def end_stops(world: World, joints: Entity, length: float, stiffness: float, damping: float = 0.0) -> Entity:
    """Add elastic stops for joints at both ends of their track. The material of the cables must not move along the
    track.

    Args:
        joints: rows of `SlidingJoint`.
        length: position s of the second stop [m], usually the length of the track. The position of the first stop is 0.
        stiffness, damping: stiffness [N/m] and damping [N s/m] of each stop.

    Returns:
        Handle to all stops, rows of `ContactCoordinate`. For n joints, n stops at the position 0 are followed by n
        stops at the position ``length``.

    Raises:
        ModelError: ``joints`` is not a handle to sliding joints.
    """
    if joints.table.component is not SlidingJoint:
        raise ModelError(f"joints = {joints!r}: must be sliding joints")
    s, ground, nodes = coordinate_marker(world, joints, "s"), coordinate_marker(world, None), find_nodes(world, joints)
    reference = nodes.table.collect("reference", nodes.rows)
    values: dict[str, Any] = {"contact_stiffness": stiffness, "contact_damping": damping}
    # The stops keep s >= 0 and length - s >= 0. The coordinate is the displacement of s from the reference.
    first = world.add(ContactCoordinate, marker0=ground, marker1=s, offset=-reference, **values)
    last = world.add(ContactCoordinate, marker0=s, marker1=ground, offset=reference - length, **values)
    return merge_handles([first, last])
