"""Conversion of models of the reference data, which are lists of Exudyn items, to Windlass worlds.

A reference file has the lists ``nodes``, ``objects``, ``markers`` and ``loads``. Items refer to each other by their
number within a list. Coordinates have Exudyn's numbers if nodes of one kind are consecutive.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from windlass.connectors import (
    CableShape,
    ContactCircleCable2D,
    ContactFrictionCircleCable2D,
    CoordinateConstraint,
    CoordinateSpringDamper,
    Force,
    MassProportional,
    Torque,
    coordinate_marker,
    position_marker,
    rigid_marker,
)
from windlass.elements import Cable2D, Ground, PointSlope2D, RigidBody2D, RigidNode2D
from windlass.framework.model.history import GenericData
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.presets import exudyn

MODELS = Path(__file__).parents[1] / "reference" / "models"
Item = dict[str, Any]


@dataclass
class Items:
    """A world and its entities by item number. The value of a ground node or marker without an entity is None."""

    world: World
    nodes: list[Entity | None] = field(default_factory=list)
    objects: list[Entity] = field(default_factory=list)
    markers: list[Entity] = field(default_factory=list)
    loads: list[Entity] = field(default_factory=list)


def build_items(name: str) -> Items:
    """Build the world of a reference file ``models/<name>.json``."""
    data = json.loads((MODELS / f"{name}.json").read_text())
    model = Items(World())
    model.nodes = [_add_node(model, item) for item in data["nodes"]]
    # bodies are built first, followed by markers on bodies and by the connectors among the objects
    objects = {i: _add_body(model, item) for i, item in enumerate(data["objects"]) if item["objectType"] in BODIES}
    model.markers = [_add_marker(model, item, objects) for item in data["markers"]]
    for i, item in enumerate(data["objects"]):
        if i not in objects:
            objects[i] = _add_connector(model, item)
    model.objects = [objects[i] for i in range(len(objects))]
    model.loads = [_add_load(model, item) for item in data["loads"]]
    return model


BODIES = ("Ground", "ANCFCable2D", "RigidBody2D")
CABLE_COLUMNS = {
    "length": "physicsLength",
    "mass_per_length": "physicsMassPerLength",
    "axial_stiffness": "physicsAxialStiffness",
    "bending_stiffness": "physicsBendingStiffness",
    "axial_damping": "physicsAxialDamping",
    "bending_damping": "physicsBendingDamping",
    "reference_strain": "physicsReferenceAxialStrain",
    "reference_curvature": "physicsReferenceCurvature",
    "strain_is_relative_to_reference": "strainIsRelativeToReference",
    "integration": "useReducedOrderIntegration",
}
CONTACT_COLUMNS = {
    "segments": "numberOfContactSegments",
    "contact_stiffness": "contactStiffness",
    "contact_damping": "contactDamping",
    "circle_radius": "circleRadius",
    "active": "activeConnector",
}
FRICTION_COLUMNS = {
    "friction_velocity_penalty": "frictionVelocityPenalty",
    "friction_stiffness": "frictionStiffness",
    "friction_coefficient": "frictionCoefficient",
    "use_segment_normals": "useSegmentNormals",
}


def _columns(item: Item, names: dict[str, str]) -> dict[str, Any]:
    return {ours: item[theirs] for ours, theirs in names.items()}


def _add_node(model: Items, item: Item) -> Entity | None:
    world, kind = model.world, item["nodeType"]
    if kind == "PointGround":
        return None
    if kind == "GenericData":
        return world.add(GenericData, initial=item["initialCoordinates"])
    reference = item["referenceCoordinates"]
    start = {"displacement": item["initialCoordinates"], "velocity": item["initialVelocities"]}
    if kind == "Point2DSlope1":
        return world.add(PointSlope2D, position=reference[:2], slope=reference[2:], **start)
    if kind == "RigidBody2D":
        return world.add(RigidNode2D, position=reference[:2], angle=reference[2], **start)
    raise ValueError(f"node type {kind}")


def _add_body(model: Items, item: Item) -> Entity:
    world, kind = model.world, item["objectType"]
    if kind == "Ground":
        return world.add(Ground, position=item["referencePosition"])
    if kind == "RigidBody2D":
        node = model.nodes[int(item["nodeNumber"])]
        return world.add(RigidBody2D, node=node, mass=item["physicsMass"], inertia=item["physicsInertia"])
    assert not item["axialForceUserFunction"] and not item["bendingMomentUserFunction"]
    node0, node1 = (model.nodes[int(i)] for i in item["nodeNumbers"])
    return world.add(Cable2D, node0=node0, node1=node1, **_columns(item, CABLE_COLUMNS))


def _add_marker(model: Items, item: Item, bodies: dict[int, Entity]) -> Entity:
    world, kind = model.world, item["markerType"]
    if kind == "NodeCoordinate":
        node = model.nodes[int(item["nodeNumber"])]
        names = node.table.component.dof_names if node is not None else ("",)
        return coordinate_marker(world, node, names[item["coordinate"]])
    if kind == "NodePosition":
        node = model.nodes[int(item["nodeNumber"])]
        assert node is not None
        return position_marker(world, node)
    body = bodies[int(item["bodyNumber"])]
    if kind == "BodyMass":
        return body
    if kind == "BodyCable2DShape":
        shape = {"segments": item["numberOfSegments"], "vertical_offset": item["verticalOffset"]}
        return world.add(CableShape, cable=body, **shape)
    x, y, z = item["localPosition"]
    assert z == 0.0
    return (rigid_marker if kind == "BodyRigid" else position_marker)(world, body, (x, y))


def _add_connector(model: Items, item: Item) -> Entity:
    world, kind = model.world, item["objectType"]
    first, second = (model.markers[int(i)] for i in item["markerNumbers"])
    if kind == "ConnectorCoordinate":
        assert item["factorValue1"] == 1.0 and not item["offsetUserFunction"]
        level = {"velocity_level": item["velocityLevel"], "offset": item["offset"]}
        return world.add(CoordinateConstraint, marker0=first, marker1=second, active=item["activeConnector"], **level)
    if kind == "ConnectorCoordinateSpringDamper":
        assert not item["springForceUserFunction"]
        values = {name: item[name] for name in ("stiffness", "damping", "offset")}
        return world.add(
            CoordinateSpringDamper, marker0=first, marker1=second, active=item["activeConnector"], **values
        )
    values = {"circle": first, "cable": second, "data": model.nodes[int(item["nodeNumber"])]}
    values |= _columns(item, CONTACT_COLUMNS)
    if kind == "ContactCircleCable2D":
        assert item["offset"] == 0.0
        return world.add(ContactCircleCable2D, **values)
    if kind == "ContactFrictionCircleCable2D":
        columns = _columns(item, FRICTION_COLUMNS)
        return world.add(ContactFrictionCircleCable2D, **values, **columns, **exudyn().contact)
    raise ValueError(f"object type {kind}")


def _add_load(model: Items, item: Item) -> Entity:
    world, kind = model.world, item["loadType"]
    assert not item["loadVectorUserFunction"]
    marker, vector = model.markers[int(item["markerNumber"])], item["loadVector"]
    if kind == "MassProportional":
        return world.add(MassProportional, body=marker, acceleration=vector)
    component = {"ForceVector": Force, "TorqueVector": Torque}[kind]
    # the component Torque has no body-fixed form; the torques of both reference models are global vectors
    assert not item["bodyFixed"]
    return world.add(component, marker=marker, vector=vector)
