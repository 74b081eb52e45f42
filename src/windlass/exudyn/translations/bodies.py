"""Translations of nodes and bodies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from windlass import elements as el
from windlass.elements.nodes.rotations import euler_parameters_of
from windlass.exudyn.angles import ANGLES, find_matrix
from windlass.exudyn.registry import Building, Item, Refused, read_numbers, require, translates
from windlass.framework.arrays import FloatArray
from windlass.framework.model.history import GenericData
from windlass.framework.model.schema import Component
from windlass.framework.model.table import Entity

START = "initialCoordinates:displacement", "initialVelocities:velocity"
CABLE = (
    "length",
    "massPerLength:mass_per_length",
    "axialStiffness:axial_stiffness",
    "bendingStiffness:bending_stiffness",
    "axialDamping:axial_damping",
    "bendingDamping:bending_damping",
    "referenceAxialStrain:reference_strain",
    "strainIsRelativeToReference:strain_is_relative_to_reference",
    "useReducedOrderIntegration:integration",
)
IDENTITY = np.eye(3)


POINTS: dict[str, tuple[type[Component], int, str]] = {
    "NodePoint": (el.Point3D, 3, ""),
    "NodePoint2D": (el.Point2D, 2, ""),
    "NodeRigidBodyEP": (el.RigidNode3D, 3, "euler_parameters"),
    "NodeRigidBody2D": (el.RigidNode2D, 2, "angle"),
    "NodePoint2DSlope1": (el.PointSlope2D, 2, "slope"),
    "NodePointSlope1": (el.PointSlope3D, 3, "slope"),
}
"""Data of node types: the component, the number of position coordinates among the reference coordinates, and the name
of the column for the other reference coordinates.
"""


@translates(*POINTS)
def point(b: Building, item: Item) -> Entity:
    """Add a node. Its first reference coordinates are the position."""
    if item["nodeType"] == "RigidBodyEP":
        require(item, addConstraintEquation=True)
    component, dimension, rest = POINTS[f"Node{item['nodeType']}"]
    reference = np.asarray(item["referenceCoordinates"])
    values: dict[str, Any] = {"position": reference[:dimension]}
    if rest:
        values[rest] = reference[dimension:] if len(reference) > dimension + 1 else reference[dimension]
    return b.add(component, item, *START, **values)


@translates("NodePointSlope23")
def section_node(b: Building, item: Item) -> Entity:
    """Add a node with the slopes of a cross section."""
    position, slope2, slope3 = np.reshape(item["referenceCoordinates"], (3, 3))
    return b.add(el.PointSectionSlopes3D, item, *START, position=position, slope2=slope2, slope3=slope3)


@translates(f"Node{ANGLES}")
def angle_node(b: Building, item: Item) -> Entity:
    """Add a node of a rigid body with three angles. An `AngleNode` converts the initial values of the node."""
    reference = np.asarray(item["referenceCoordinates"])
    e = euler_parameters_of(find_matrix(reference[3:]))
    return b.add(el.RigidNode3D, item, position=reference[:3], euler_parameters=e)


@translates("NodePointGround")
def ground_node(b: Building, item: Item) -> None:
    """Add nothing, because the node has no coordinates."""


@translates("NodeGenericData")
def data_node(b: Building, item: Item) -> Entity:
    """Add a `NodeGenericData` of Exudyn as a node with history values."""
    return b.add(GenericData, item, "initialCoordinates:initial")


@translates("Ground", body=True)
def ground(b: Building, item: Item) -> Entity:
    """Add the ground. Markers on the ground have the rotation of the ground."""
    return b.add(el.Ground, item, "referencePosition:position")


@translates("MassPoint", "MassPoint2D", body=True)
def mass_point(b: Building, item: Item) -> Entity:
    """Add a point mass. A point mass on a ground node is replaced by the ground."""
    node = b.node(item["nodeNumber"])
    if node is None:
        position = b.items["nodes"][int(item["nodeNumber"])]["referenceCoordinates"]
        return b.add(el.Ground, item, position=position)
    return b.add(el.MassPoint, item, "mass", node=node)


@translates("RigidBody", body=True)
def rigid_body(b: Building, item: Item) -> Entity:
    """Add a 3D rigid body. The inertia of the body refers to the node in Exudyn, and to the centre of mass in
    Windlass.
    """
    if b.own_node(item).table.component is not el.RigidNode3D:
        raise Refused("nodeNumber: must be a node with Euler parameters or angles")
    Jxx, Jyy, Jzz, Jyz, Jxz, Jxy = read_numbers(item, "inertia", 6)
    about_node = np.array([[Jxx, Jxy, Jxz], [Jxy, Jyy, Jyz], [Jxz, Jyz, Jzz]])
    c, m = read_numbers(item, "centerOfMass", 3), float(item["mass"])
    inertia = about_node - m * (c @ c * IDENTITY - np.outer(c, c))
    return b.add(el.RigidBody3D, item, "mass", "centerOfMass:center_of_mass", node=b.own_node(item), inertia=inertia)


@translates("RigidBody2D", body=True)
def rigid_body2d(b: Building, item: Item) -> Entity:
    """Add a 2D rigid body. The inertia of the body refers to the node in Exudyn, and to the centre of mass in
    Windlass.
    """
    c, about_node = np.asarray(item["centerOfMass"]), float(item["inertia"])
    inertia = about_node - float(item["mass"]) * float(c @ c)
    # if the body is a point mass at a distance from the node, the computed inertia about the centre of mass consists of
    # rounding errors
    inertia = 0.0 if abs(inertia) < 1e-14 * about_node else inertia
    return b.add(el.RigidBody2D, item, "mass", "centerOfMass:center_of_mass", node=b.own_node(item), inertia=inertia)


@translates("ANCFCable2D", body=True)
def cable2d(b: Building, item: Item) -> Entity:
    """Add a 2D cable. The user functions of the cable are called separately for each point."""
    functions = {}
    for name, theirs, bends in (
        ("axial_force_function", "axialForceUserFunction", False),
        ("bending_moment_function", "bendingMomentUserFunction", True),
    ):
        function = b.function(item, theirs)
        if function is not None:
            # cables with the same function of Exudyn share a function of Windlass, which is called once for all of them
            key = id(function), bends
            if key not in b.cable_functions:
                b.cable_functions[key] = _cable_function(b, function, bends)
            functions[name] = b.cable_functions[key]
    own = "referenceCurvature:reference_curvature"
    added = b.add(el.Cable2D, item, *CABLE, own, **_cable_nodes(b, item, 2), **functions)
    b.cable_numbers[int(added.rows[0])] = b.number(item)
    return added


def _cable_function(b: Building, function: Callable[..., float], bends: bool) -> Callable[..., FloatArray]:
    """Convert a user function of Exudyn to a function of Windlass. Exudyn's function is called for one point, with the
    arguments (mbs, t, item number, x/L, strains, stiffness, damping, other strains). Strains are the axial strain or
    the curvature, each with its rate and its reference value. If ``bends`` is true (bending moment), the curvature is
    passed first. Otherwise (axial force), the axial strain is passed first.
    """
    mbs, numbers = b.functions.in_motion, b.cable_numbers

    def given(t: float, position: FloatArray, *strains_and_columns: Any) -> FloatArray:
        *strains, p = strains_and_columns
        stretch, bend = strains[:3], strains[3:]  # strains, their rates and their reference values
        own = (p.bending_stiffness, p.bending_damping) if bends else (p.axial_stiffness, p.axial_damping)
        first, second = (bend, stretch) if bends else (stretch, bend)
        arguments = (position / p.length, *first, *own, *second)
        table = np.empty((*position.shape, len(arguments)))
        for k, argument in enumerate(arguments):
            table[..., k] = argument
        items = [numbers[row] for row in p.row[:, 0].tolist()]
        # the entries of lists are read many times faster than the entries of arrays
        rows = zip(items, table.tolist(), strict=True)
        return np.array([[function(mbs, t, number, *point) for point in points] for number, points in rows])

    return given


@translates("ANCFCable", body=True)
def cable(b: Building, item: Item) -> Entity:
    """Add a 3D cable."""
    return b.add(el.Cable3D, item, *CABLE, **_cable_nodes(b, item, 2))


@translates("ALEANCFCable2D", body=True)
def ale_cable(b: Building, item: Item) -> Entity:
    """Add a 2D cable with axially moving material."""
    own = "referenceCurvature:reference_curvature movingMassFactor:moving_mass_factor"
    own += " useCouplingTerms:use_coupling_terms addALEvariation:add_ale_variation"
    return b.add(el.ALECable2D, item, *CABLE, *own.split(), **_cable_nodes(b, item, 3))


def _cable_nodes(b: Building, item: Item, count: int) -> dict[str, Entity]:
    names = ("node0", "node1", "ale")[:count]
    found = {name: b.node(number) for name, number in zip(names, item["nodeNumbers"], strict=True)}
    return {name: node for name, node in found.items() if node is not None}
