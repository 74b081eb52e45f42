"""Translations of markers. A marker is translated when a connector or load refers to the marker."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from windlass import connectors as con
from windlass import elements as el
from windlass.exudyn.angles import ANGLES
from windlass.exudyn.registry import Building, Item, MarkerFrame, Refused, read_numbers
from windlass.framework.arrays import FloatArray
from windlass.framework.errors import ModelError
from windlass.framework.model.table import Entity

IDENTITY = np.eye(3)
IN_SPACE = (el.Ground, el.RigidBody3D, el.Cable3D, el.SlopeBeam3D)


def find_frame(b: Building, number: Any, rigid: bool = True) -> MarkerFrame:
    """Return the frame of a marker of Exudyn. The marker in the frame has a position and, if ``rigid`` is true, a
    rotation. For each marker of Exudyn and each value of ``rigid``, the first call creates the marker.
    """
    key = int(number), rigid
    if key not in b.frames:
        b.frames[key] = _create_frame(b, number, rigid)
    return b.frames[key]


def _create_frame(b: Building, number: Any, rigid: bool) -> MarkerFrame:
    item = b.marker(number)
    kind = item["markerType"]

    def place(entity: Entity, *local: Any) -> Entity:
        with _naming(item, number):
            return (con.rigid_marker if rigid else con.position_marker)(b.world, entity, *local)

    if kind in ("NodePosition", "NodeRigid"):
        node = b.node(item["nodeNumber"])
        if node is None:
            position = b.items["nodes"][int(item["nodeNumber"])]["referenceCoordinates"]
            node = b.world.add(el.Ground, position=position)
        if rigid and node.table.component is el.PointSlope2D:
            return MarkerFrame(con.rigid_marker(b.world, *_find_end(b, int(item["nodeNumber"]))), _own_rotation(item))
        return MarkerFrame(place(node), _own_rotation(item))
    if kind == "SuperElementPosition":
        return MarkerFrame(place(_find_mesh_node(b, item)), IDENTITY)
    if kind not in ("BodyPosition", "BodyRigid"):
        raise Refused(f"markerType of marker {int(number)} is {kind}")
    body, local, turned = b.body(item["bodyNumber"]), read_numbers(item, "localPosition", 3), _own_rotation(item)
    component = body.table.component
    if component in (el.Beam2D, el.Beam3D):
        raise Refused(
            f"bodyNumber of marker {int(number)} is the number of a geometrically exact beam: must be a marker on a "
            "node, because positions within these beams are not translated"
        )
    if component is el.Ground:
        ground = b.items["objects"][int(item["bodyNumber"])]
        rotation = read_numbers(ground, "referenceRotation", 3, 3) if "referenceRotation" in ground else IDENTITY
        local, turned = rotation @ local, rotation @ turned
    if component is el.SlopeBeam3D:
        # positions along these beams are measured from the middle in Exudyn, and from the first node in Windlass
        local = local + (0.5 * float(body.length), 0.0, 0.0)
    if component is el.MassPoint:
        if local.any():
            raise Refused(f"localPosition of marker {int(number)} is not 0 on a mass point")
        return MarkerFrame(place(body), turned)
    if component not in IN_SPACE and local[2] != 0.0:
        raise Refused(f"localPosition of marker {int(number)} has z = {local[2]:g} on a 2D body")
    return MarkerFrame(place(body, local if component in IN_SPACE else local[:2]), turned)


@contextmanager
def _naming(item: Item, number: Any) -> Iterator[None]:
    """Return a context manager. Within its block, error messages begin with the field of the marker ``item`` that
    contains the number of the node or body.
    """
    try:
        yield
    except ModelError as error:
        field = "nodeNumber" if "nodeNumber" in item else "bodyNumber"
        raise ModelError(f"{field} of marker {int(number)}: {error}") from None


def _find_end(b: Building, number: int) -> tuple[Entity, tuple[float, float]]:
    """Return a 2D cable that begins or ends at a node, and the position of the node on the cable. The new marker
    is added to this cable and not to the node, because markers on a cable rotate with the cable.
    """
    for k, other in enumerate(b.items["objects"]):
        if other["objectType"] in ("ANCFCable2D", "ALEANCFCable2D"):
            ends = [int(node) for node in other["nodeNumbers"][:2]]
            if number in ends:
                return b.body(k), (float(other["length"]) * ends.index(number), 0.0)
    raise Refused(f"nodeNumber = {number} of a rigid marker: must be a rigid node, or an end of a 2D cable")


def _find_mesh_node(b: Building, item: Item) -> Entity:
    """Return the node of a marker on a body that is given by matrices. Raise `Refused` if the marker has several
    nodes.
    """
    nodes, body = np.atleast_1d(item["meshNodeNumbers"]), b.items["objects"][int(item["bodyNumber"])]
    if (
        len(nodes) != 1
        or not np.array_equal(np.atleast_1d(item["weightingFactors"]), [1.0])
        or np.any(item.get("offset", 0.0))
    ):
        raise Refused("meshNodeNumbers of a marker: must be one node, with the weight 1 and no offset")
    node = b.node(body["nodeNumbers"][int(nodes[0])]) if body["objectType"] == "GenericODE2" else None
    if node is None:
        raise Refused(
            f"bodyNumber of a marker is the number of a {body['objectType']}: must be the number of a GenericODE2"
        )
    return node


def can_leave_plane(b: Building, number: Any) -> bool:
    """Return whether the node or body of a marker can move in 3D."""
    item = b.marker(number)
    entity = b.node(item["nodeNumber"]) if "nodeNumber" in item else b.body(item["bodyNumber"])
    return entity is not None and entity.table.component in (
        *IN_SPACE[1:], el.RigidNode3D, el.PointSlope3D, el.PointSectionSlopes3D
    )  # fmt: skip


def find_point(b: Building, number: Any) -> Entity:
    """Return a position marker."""
    return find_frame(b, number, rigid=False).marker


def find_points(b: Building, item: Item) -> dict[str, Entity]:
    """Return the columns for both position markers of a connector."""
    first, second = item["markerNumbers"]
    return {"marker0": find_point(b, first), "marker1": find_point(b, second)}


def find_coordinate(b: Building, number: Any) -> Entity:
    """Return a coordinate marker."""
    item = b.marker(number)
    kind = item["markerType"]
    if kind not in ("NodeCoordinate", "NodeRotationCoordinate"):
        raise Refused(f"markerType of marker {int(number)} is {kind}")
    node = b.node(item["nodeNumber"])
    if kind == "NodeRotationCoordinate":
        if node is None or node.table.component is not el.RigidNode2D or int(item["rotationCoordinate"]) != 2:
            raise Refused(f"rotationCoordinate of marker {int(number)} is a rotation of a 3D body")
        return con.coordinate_marker(b.world, node, "rotation")
    if b.items["nodes"][int(item["nodeNumber"])]["nodeType"] == ANGLES and int(item["coordinate"]) > 2:
        raise Refused(f"coordinate of marker {int(number)} is an angle of a node that has Euler parameters in Windlass")
    names = node.table.component.dof_names if node is not None else ()
    with _naming(item, number):
        return con.coordinate_marker(b.world, node, names[int(item["coordinate"])] if names else "")


def find_coordinates(b: Building, item: Item) -> dict[str, Entity]:
    """Return the columns for both coordinate markers of a connector."""
    first, second = item["markerNumbers"]
    return {"marker0": find_coordinate(b, first), "marker1": find_coordinate(b, second)}


def find_shape(b: Building, number: Any) -> Entity:
    """Add a marker that divides a cable into segments."""
    item = b.marker(number)
    if item["markerType"] != "BodyCable2DShape":
        raise Refused(f"markerType of marker {int(number)} is {item['markerType']}: must be BodyCable2DShape")
    shape = {"segments": item["numberOfSegments"], "vertical_offset": item["verticalOffset"]}
    return b.world.add(con.CableShape, cable=b.body(item["bodyNumber"]), **shape)


def _own_rotation(item: Item) -> FloatArray:
    """Return the rotation of a marker in the frame of its body."""
    return read_numbers(item, "localHT", 4, 4)[:3, :3] if "localHT" in item else IDENTITY
