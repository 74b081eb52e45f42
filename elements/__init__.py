"""Nodes, cables and bodies, one law per file, and the geometry that places them."""

from windlass.elements.bodies.mass_point import MassPoint
from windlass.elements.bodies.rigid2d import RigidBody2D
from windlass.elements.bodies.rigid3d import RigidBody3D
from windlass.elements.cable2d.ale_cable2d import ALECable2D
from windlass.elements.cable2d.cable2d import Cable2D
from windlass.elements.mesh.cable_mesh import CableMesh, cables_from_mesh
from windlass.elements.nodes.ale_node import ALENode
from windlass.elements.nodes.ground import Ground
from windlass.elements.nodes.nodes2d import Point2D, PointSlope2D, RigidNode2D
from windlass.elements.nodes.nodes3d import Point3D, RigidNode3D
from windlass.elements.nodes.rotations import (
    euler_parameter_rates,
    euler_parameters,
    euler_parameters_of,
    rotation_matrix,
)
from windlass.elements.routes.cable_chain import cable_around, catenary, nodes_of, straight_cable
from windlass.elements.routes.catenary import Catenary, hang_between
from windlass.elements.routes.routes import Circle, Route, nodes_along, route_around, straight

__all__ = [
    "ALECable2D",
    "ALENode",
    "Cable2D",
    "CableMesh",
    "Catenary",
    "Circle",
    "Ground",
    "MassPoint",
    "Point2D",
    "Point3D",
    "PointSlope2D",
    "RigidBody2D",
    "RigidBody3D",
    "RigidNode2D",
    "RigidNode3D",
    "Route",
    "cable_around",
    "cables_from_mesh",
    "catenary",
    "euler_parameter_rates",
    "euler_parameters",
    "euler_parameters_of",
    "hang_between",
    "nodes_along",
    "nodes_of",
    "rotation_matrix",
    "route_around",
    "straight",
    "straight_cable",
]
