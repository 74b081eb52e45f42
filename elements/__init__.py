"""Nodes, cables and bodies, one law per file, and the geometry that places them."""

from windlass.elements.cable2d import Cable2D
from windlass.elements.cable_chain import cable_around, nodes_of, straight_cable
from windlass.elements.ground import Ground
from windlass.elements.mass_point import MassPoint
from windlass.elements.nodes import Point2D, PointSlope2D, RigidNode2D
from windlass.elements.rigid2d import RigidBody2D
from windlass.elements.routes import Circle, Route, nodes_along, route_around, straight

__all__ = [
    "Cable2D",
    "Circle",
    "Ground",
    "MassPoint",
    "Point2D",
    "PointSlope2D",
    "RigidBody2D",
    "RigidNode2D",
    "Route",
    "cable_around",
    "nodes_along",
    "nodes_of",
    "route_around",
    "straight",
    "straight_cable",
]
