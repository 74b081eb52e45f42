"""Nodes, cables, beams, bodies, and routes for the initial geometry of cables and beams. Each type of element is
registered at the end of its file.

Each name is imported on first use.
"""

from typing import TYPE_CHECKING

from windlass.framework.launch.lazy_names import offer
from windlass.framework.model.installed import offer_sized_kinds

if TYPE_CHECKING:
    from windlass.elements.beam.beam2d import Beam2D as Beam2D
    from windlass.elements.beam.beam3d import Beam3D as Beam3D
    from windlass.elements.beam.materials import rectangular_section as rectangular_section
    from windlass.elements.beam.materials import round_section as round_section
    from windlass.elements.beam.slope_beam3d import SlopeBeam3D as SlopeBeam3D
    from windlass.elements.beam.unit_rotation import UnitRotation3D as UnitRotation3D
    from windlass.elements.bodies.craig_bampton import Superelement as Superelement
    from windlass.elements.bodies.craig_bampton import craig_bampton as craig_bampton
    from windlass.elements.bodies.generic_ode2 import GenericODE2 as GenericODE2
    from windlass.elements.bodies.mass_point import MassPoint as MassPoint
    from windlass.elements.bodies.rigid2d import RigidBody2D as RigidBody2D
    from windlass.elements.bodies.rigid3d import RigidBody3D as RigidBody3D
    from windlass.elements.cable.ale_cable2d import ALECable2D as ALECable2D
    from windlass.elements.cable.cable2d import Cable2D as Cable2D
    from windlass.elements.cable.cable3d import Cable3D as Cable3D
    from windlass.elements.cable.fibre_cable import FibreCable2D as FibreCable2D
    from windlass.elements.cable.fibre_cable import FibreCable3D as FibreCable3D
    from windlass.elements.cable.table_cable import TableCable2D as TableCable2D
    from windlass.elements.cable.table_cable import TableCable3D as TableCable3D
    from windlass.elements.cable.twist_cable import TwistCable3D as TwistCable3D
    from windlass.elements.cable.twist_ropes import TwistFibreCable3D as TwistFibreCable3D
    from windlass.elements.cable.twist_ropes import TwistTableCable3D as TwistTableCable3D
    from windlass.elements.cable.twist_ropes import TwistWorkingCable3D as TwistWorkingCable3D
    from windlass.elements.cable.winch_cable import WinchCable2D as WinchCable2D
    from windlass.elements.cable.winch_cable import WinchCable3D as WinchCable3D
    from windlass.elements.cable.winch_rope import winch_rope as winch_rope
    from windlass.elements.cable.winch_twist_cable import WinchTwistCable3D as WinchTwistCable3D
    from windlass.elements.cable.working_cable import WorkingCable2D as WorkingCable2D
    from windlass.elements.cable.working_cable import WorkingCable3D as WorkingCable3D
    from windlass.elements.mesh.cable_mesh import CableMesh as CableMesh
    from windlass.elements.mesh.cable_mesh import cables_from_mesh as cables_from_mesh
    from windlass.elements.nodes.ale_node import ALENode as ALENode
    from windlass.elements.nodes.generic_nodes import generic_node as generic_node
    from windlass.elements.nodes.generic_nodes import state_node as state_node
    from windlass.elements.nodes.ground import Ground as Ground
    from windlass.elements.nodes.nodes2d import Point2D as Point2D
    from windlass.elements.nodes.nodes2d import PointSlope2D as PointSlope2D
    from windlass.elements.nodes.nodes2d import RigidNode2D as RigidNode2D
    from windlass.elements.nodes.nodes3d import Point3D as Point3D
    from windlass.elements.nodes.nodes3d import PointSlope3D as PointSlope3D
    from windlass.elements.nodes.nodes3d import RigidNode3D as RigidNode3D
    from windlass.elements.nodes.rotations import euler_parameter_rates as euler_parameter_rates
    from windlass.elements.nodes.rotations import euler_parameters as euler_parameters
    from windlass.elements.nodes.rotations import euler_parameters_of as euler_parameters_of
    from windlass.elements.nodes.rotations import rotation_matrix as rotation_matrix
    from windlass.elements.nodes.section_node import PointSectionSlopes3D as PointSectionSlopes3D
    from windlass.elements.nodes.sliding_node import SlidingNode as SlidingNode
    from windlass.elements.nodes.twist_node import PointSlopeTwist3D as PointSlopeTwist3D
    from windlass.elements.routes.beam_lines import beam_along as beam_along
    from windlass.elements.routes.beam_lines import straight_beam as straight_beam
    from windlass.elements.routes.cable_chain import cable_along as cable_along
    from windlass.elements.routes.cable_chain import cable_around as cable_around
    from windlass.elements.routes.cable_chain import catenary as catenary
    from windlass.elements.routes.cable_chain import nodes_of as nodes_of
    from windlass.elements.routes.cable_chain import straight_cable as straight_cable
    from windlass.elements.routes.catenary import FreeCatenary as FreeCatenary
    from windlass.elements.routes.catenary import hang_between as hang_between
    from windlass.elements.routes.drum_layers import DrumLayers as DrumLayers
    from windlass.elements.routes.grounded_catenary import GroundedCatenary as GroundedCatenary
    from windlass.elements.routes.grounded_catenary import hang_from_ground as hang_from_ground
    from windlass.elements.routes.routes import Circle as Circle
    from windlass.elements.routes.routes import Route as Route
    from windlass.elements.routes.routes import nodes_along as nodes_along
    from windlass.elements.routes.routes import route_around as route_around
    from windlass.elements.routes.routes import straight as straight
    from windlass.elements.routes.spatial_routes import Sheave as Sheave
    from windlass.elements.routes.spatial_routes import SpatialRoute as SpatialRoute
    from windlass.elements.routes.spatial_routes import helix as helix
    from windlass.elements.routes.spatial_routes import route_over_sheaves as route_over_sheaves
    from windlass.elements.routes.spline_route import SplineRoute as SplineRoute
    from windlass.elements.routes.spline_route import through_points as through_points
    from windlass.elements.routes.winch_along import winch_rope_along as winch_rope_along

# this function is hidden from type checkers, because they would accept imports of names that do not exist
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = offer(__name__)

# Functions that create component classes with a given number of coordinates. Model files call these functions.
offer_sized_kinds("GenericNode", "windlass.elements.nodes.generic_nodes:generic_node")
offer_sized_kinds("StateNode", "windlass.elements.nodes.generic_nodes:state_node")
