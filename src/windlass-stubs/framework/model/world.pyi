# Made by scripts/make_stubs.py from the schemas of the components: do not edit, call `make stubs`.

from __future__ import annotations
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any
import numpy as np
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.checks.checks import check, checked, handle, instance, numbers, optional, path, subclass, word
from windlass.framework.checks.room import check_room
from windlass.framework.checks.values import read_numbers, show
from windlass.framework.command_line.report_parts import ReportTable
from windlass.framework.errors import ModelError, OutputError
from windlass.framework.launch.launcher import is_first_process
from windlass.framework.model.adding import count_rows, read_reference
from windlass.framework.model.law import law_of, require_law
from windlass.framework.model.model_file import Functions, describe_model, fill_model, read_model, write_model
from windlass.framework.model.numbering import Numbering
from windlass.framework.model.parts import Part, begin_parts, check_parts, complete_parts, follow_parts, pick_rows
from windlass.framework.model.schema import Component, parse_values, row_bytes
from windlass.framework.model.table import Entity, EntityTable, check_entity
from windlass.framework.parallel.processes import Processes
from typing import Any, TypeAlias, overload
from numpy.typing import NDArray

from windlass.elements.cable.ale_cable2d import ALECable2D
from windlass.elements.nodes.ale_node import ALENode
from windlass.elements.beam.beam2d import Beam2D
from windlass.elements.beam.beam3d import Beam3D
from windlass.connectors.curves.belt_tooth_contact import BeltToothContact
from windlass.connectors.loads.body_mesh import BodyMesh
from windlass.connectors.loads.box_fluid_load import BoxFluidLoad
from windlass.elements.cable.cable2d import Cable2D
from windlass.elements.cable.cable3d import Cable3D
from windlass.connectors.cable_contact.contact_friction_cables3d import CableContactSet
from windlass.connectors.markers.cable_coordinates import CableCoordinates
from windlass.connectors.markers.cable_shape import CableShape
from windlass.connectors.markers.cable_markers3d import CableShape3D
from windlass.connectors.control.cable_strain import CableStrain
from windlass.connectors.sliding.cable_track import CableTrack
from windlass.connectors.springs.cartesian_spring_damper import CartesianSpringDamper
from windlass.connectors.circle_contact.contact_circle_cable2d import ContactCircleCable2D
from windlass.connectors.springs.contact_coordinate import ContactCoordinate
from windlass.connectors.curves.contact_curve_circle import ContactCurveCircle
from windlass.connectors.point_contact.surfaces import ContactEllipsoid
from windlass.connectors.surface_contact.contact_friction_bed_beam import ContactFrictionBedBeam3D
from windlass.connectors.surface_contact.contact_friction_bed_cable import ContactFrictionBedCable
from windlass.connectors.surface_contact.contact_friction_turning import ContactFrictionBedTwistCable
from windlass.connectors.surface_contact.contact_friction_turning import ContactFrictionBedTwistWinch
from windlass.connectors.surface_contact.contact_friction_bed_winch import ContactFrictionBedWinch
from windlass.connectors.cable_contact.contact_friction_cables3d import ContactFrictionCables3D
from windlass.connectors.circle_contact.contact_friction_circle_cable2d import ContactFrictionCircleCable2D
from windlass.connectors.circle_contact.contact_friction_circle_points2d import ContactFrictionCirclePoints2D
from windlass.connectors.circle_contact.contact_friction_circle_set_points2d import ContactFrictionCircleSetPoints2D
from windlass.connectors.circle_contact.contact_friction_circle_winch2d import ContactFrictionCircleWinch2D
from windlass.connectors.surface_contact.contact_friction_surface_beam import ContactFrictionSurfaceBeam3D
from windlass.connectors.surface_contact.contact_friction_surface_cable import ContactFrictionSurfaceCable
from windlass.connectors.surface_contact.contact_friction_surface_ribbon import ContactFrictionSurfaceRibbon
from windlass.connectors.surface_contact.contact_friction_surface_beam import ContactFrictionSurfaceSetBeam3D
from windlass.connectors.surface_contact.contact_friction_surface_set import ContactFrictionSurfaceSetCable
from windlass.connectors.surface_contact.contact_friction_surface_set import ContactFrictionSurfaceSetTwistCable
from windlass.connectors.surface_contact.contact_friction_turning import ContactFrictionSurfaceSetTwistWinch
from windlass.connectors.surface_contact.contact_friction_surface_set import ContactFrictionSurfaceSetWinch
from windlass.connectors.surface_contact.contact_friction_surface_cable import ContactFrictionSurfaceTwistCable
from windlass.connectors.surface_contact.contact_friction_turning import ContactFrictionSurfaceTwistWinch
from windlass.connectors.surface_contact.contact_friction_surface_winch import ContactFrictionSurfaceWinch
from windlass.connectors.point_contact.surfaces import ContactHalfSpace
from windlass.connectors.point_contact.materials import ContactMaterial
from windlass.connectors.point_contact.contact_set import ContactSet
from windlass.connectors.point_contact.surfaces import ContactSphere
from windlass.connectors.rigid_springs.contact_sphere_sphere import ContactSphereSphere
from windlass.connectors.constraints.coordinate_constraint import CoordinateConstraint
from windlass.connectors.loads.coordinate_load import CoordinateLoad
from windlass.connectors.springs.coordinate_spring_damper import CoordinateSpringDamper
from windlass.connectors.springs.coordinate_spring_damper_ext import CoordinateSpringDamperExt
from windlass.connectors.constraints.coordinate_vector_constraint import CoordinateVectorConstraint
from windlass.connectors.curves.profiles import CurveProfile
from windlass.connectors.loads.cylinder_fluid_load import CylinderFluidLoad
from windlass.connectors.constraints.distance_constraint import DistanceConstraint
from windlass.connectors.control.point_coordinates import DistanceCoordinate
from windlass.connectors.surface_contact.surfaces import DrumSurface
from windlass.elements.cable.fibre_cable import FibreCable2D
from windlass.elements.cable.fibre_cable import FibreCable3D
from windlass.connectors.fluids.fluid import Fluid
from windlass.connectors.loads.fluid_load import FluidLoad
from windlass.connectors.loads.force import Force
from windlass.connectors.rigid_springs.gear_pair import GearPair
from windlass.connectors.constraints.generic_joint import GenericJoint
from windlass.connectors.control.generic_ode1 import GenericODE1
from windlass.elements.bodies.generic_ode2 import GenericODE2
from windlass.elements.nodes.ground import Ground
from windlass.connectors.surface_contact.surfaces import HeightFieldSurface
from windlass.connectors.point_contact.hunt_crossley import HuntCrossley
from windlass.connectors.control.hydraulic_actuator import HydraulicActuator
from windlass.connectors.rigid_springs.joint_stop import JointStop
from windlass.connectors.loads.line_load import LineLoad
from windlass.connectors.loads.line_torque import LineTorque
from windlass.connectors.rigid_springs.linear_spring_damper import LinearSpringDamper
from windlass.connectors.control.load_cell import LoadCell
from windlass.elements.bodies.mass_point import MassPoint
from windlass.connectors.loads.mass_proportional import MassProportional
from windlass.connectors.loads.mesh_fluid_load import MeshFluidLoad
from windlass.connectors.markers.coordinate_marker import NodeCoordinate
from windlass.connectors.markers.position_markers import NodePosition
from windlass.connectors.springs.overrunning_clutch import OverrunningClutch
from windlass.connectors.surface_contact.surfaces import PlaneSurface
from windlass.elements.nodes.nodes2d import Point2D
from windlass.elements.nodes.nodes3d import Point3D
from windlass.connectors.control.point_coordinates import PointCoordinate
from windlass.elements.nodes.section_node import PointSectionSlopes3D
from windlass.elements.nodes.nodes2d import PointSlope2D
from windlass.elements.nodes.nodes3d import PointSlope3D
from windlass.elements.nodes.twist_node import PointSlopeTwist3D
from windlass.connectors.surface_contact.surfaces import PolylineSurface
from windlass.connectors.markers.beam_markers import PositionOnBeam2D
from windlass.connectors.markers.beam_markers import PositionOnBeam3D
from windlass.connectors.markers.position_markers import PositionOnCable
from windlass.connectors.markers.cable_markers3d import PositionOnCable3D
from windlass.connectors.markers.position_markers import PositionOnGround
from windlass.connectors.markers.position_markers import PositionOnRigid2D
from windlass.connectors.markers.position_markers3d import PositionOnRigid3D
from windlass.connectors.markers.section_markers import PositionOnSlopeBeam3D
from windlass.connectors.markers.twist_cable_markers import PositionOnTwistCable3D
from windlass.connectors.constraints.prismatic_joint2d import PrismaticJoint2D
from windlass.connectors.surface_contact.surfaces import ProfileSurface
from windlass.connectors.rigid_springs.reeving_system_springs import ReevingSystemSprings
from windlass.connectors.constraints.revolute_joint2d import RevoluteJoint2D
from windlass.elements.bodies.rigid2d import RigidBody2D
from windlass.elements.bodies.rigid3d import RigidBody3D
from windlass.connectors.rigid_springs.rigid_body_spring_damper import RigidBodySpringDamper
from windlass.elements.nodes.nodes2d import RigidNode2D
from windlass.elements.nodes.nodes3d import RigidNode3D
from windlass.connectors.markers.position_markers import RigidNodePosition
from windlass.connectors.markers.position_markers3d import RigidNodePosition3D
from windlass.connectors.rigid_springs.rolling_disc_penalty import RollingDiscPenalty
from windlass.connectors.constraints.rolling_joint import RollingJoint
from windlass.connectors.markers.rotation_coordinate import RotationCoordinate
from windlass.connectors.markers.beam_rotations import RotationOnBeam2D
from windlass.connectors.markers.beam_rotations import RotationOnBeam3D
from windlass.connectors.markers.section_markers import SectionNodePosition
from windlass.connectors.circle_contact.contact_friction_circle_set_points2d import SetCircle
from windlass.connectors.surface_contact.contact_friction_surface_set import SetSurface
from windlass.connectors.surface_contact.surfaces import SheaveSurface
from windlass.connectors.sliding.sliding_joint import SlidingJoint
from windlass.elements.nodes.sliding_node import SlidingNode
from windlass.elements.beam.slope_beam3d import SlopeBeam3D
from windlass.connectors.loads.sphere_fluid_load import SphereFluidLoad
from windlass.connectors.surface_contact.surfaces import SphereSurface
from windlass.connectors.constraints.spherical_joint import SphericalJoint
from windlass.connectors.springs.spring_damper import SpringDamper
from windlass.connectors.control.state_load import StateLoad
from windlass.elements.cable.table_cable import TableCable2D
from windlass.elements.cable.table_cable import TableCable3D
from windlass.connectors.springs.tensioner_spring import TensionerSpring
from windlass.connectors.loads.torque import Torque
from windlass.connectors.rigid_springs.torsional_spring_damper import TorsionalSpringDamper
from windlass.elements.cable.twist_cable import TwistCable3D
from windlass.elements.cable.twist_ropes import TwistFibreCable3D
from windlass.connectors.markers.twist_markers import TwistNodePosition
from windlass.elements.cable.twist_ropes import TwistTableCable3D
from windlass.elements.cable.twist_ropes import TwistWorkingCable3D
from windlass.elements.beam.unit_rotation import UnitRotation3D
from windlass.connectors.surface_contact.surfaces import VGrooveFlank
from windlass.elements.cable.winch_cable import WinchCable2D
from windlass.elements.cable.winch_cable import WinchCable3D
from windlass.connectors.loads.winch_fluid_load import WinchFluidLoad
from windlass.elements.cable.winch_twist_cable import WinchTwistCable3D
from windlass.connectors.friction.wire_friction import WireFriction
from windlass.elements.cable.working_cable import WorkingCable2D
from windlass.elements.cable.working_cable import WorkingCable3D

Numbers: TypeAlias = float | Sequence[Any] | NDArray[Any]
WholeNumbers: TypeAlias = int | Sequence[Any] | NDArray[Any]
YesNo: TypeAlias = bool | Sequence[Any] | NDArray[Any]
Words: TypeAlias = str | Sequence[str] | NDArray[Any]
UserFunctions: TypeAlias = Any
One: TypeAlias = Entity | Sequence[Entity] | NDArray[Any] | int | None
Chain: TypeAlias = Entity | Sequence[Any] | NDArray[Any]

class ALECable2DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    length: Any
    mass_per_length: Any
    axial_stiffness: Any
    bending_stiffness: Any
    axial_damping: Any
    bending_damping: Any
    reference_strain: Any
    reference_curvature: Any
    strain_is_relative_to_reference: Any
    integration: Any
    axial_force_function: Any
    axial_force_derivatives: Any
    bending_moment_function: Any
    bending_moment_derivatives: Any
    broken: Any
    moving_mass_factor: Any
    use_coupling_terms: Any
    add_ale_variation: Any
    node0: Any
    node1: Any
    ale: Any
class ALENodeEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    reference: Any
    displacement: Any
    velocity: Any
class Beam2DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    stiffness: Any
    mass_per_length: Any
    rotary_inertia: Any
    damping: Any
    length: Any
    node_angles: Any
    reference_strain: Any
    strain_is_relative_to_reference: Any
    broken: Any
    node0: Any
    node1: Any
    node2: Any
    node3: Any
class Beam3DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    stiffness: Any
    mass_per_length: Any
    damping: Any
    length: Any
    reference_strain: Any
    broken: Any
    rotary_inertia: Any
    strain_is_relative_to_reference: Any
    node0: Any
    node1: Any
    node2: Any
    node3: Any
class BeltToothContactEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    teeth: Any
    pitch_radius: Any
    phase: Any
    tooth_stiffness: Any
    tooth_damping: Any
    tip_stiffness: Any
    tooth_height: Any
    flank_angle: Any
    backlash: Any
    active: Any
    marker0: Any
    marker1: Any
    data: Any
class BodyMeshEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    points: Any
    triangles: Any
class BoxFluidLoadEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    sides: Any
    parts: Any
    drag: Any
    added_mass: Any
    active: Any
    marker: Any
    fluid: Any
class Cable2DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    length: Any
    mass_per_length: Any
    axial_stiffness: Any
    bending_stiffness: Any
    axial_damping: Any
    bending_damping: Any
    reference_strain: Any
    reference_curvature: Any
    strain_is_relative_to_reference: Any
    integration: Any
    axial_force_function: Any
    axial_force_derivatives: Any
    bending_moment_function: Any
    bending_moment_derivatives: Any
    broken: Any
    node0: Any
    node1: Any
class Cable3DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    length: Any
    mass_per_length: Any
    axial_stiffness: Any
    bending_stiffness: Any
    axial_damping: Any
    bending_damping: Any
    reference_strain: Any
    reference_curvature: Any
    strain_is_relative_to_reference: Any
    integration: Any
    axial_force_function: Any
    axial_force_derivatives: Any
    bending_moment_function: Any
    bending_moment_derivatives: Any
    broken: Any
    node0: Any
    node1: Any
class CableContactSetEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    contact_stiffness_per_length: Any
    contact_damping_per_length: Any
    damping_depth: Any
    friction_coefficient: Any
    friction_stiffness_per_length: Any
    friction_velocity_penalty_per_length: Any
    skin: Any
    turns_rope: Any
    apart: Any
class CableCoordinatesEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    cable: Any
class CableShapeEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    segments: Any
    vertical_offset: Any
    cable: Any
class CableShape3DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    segments: Any
    cable: Any
class CableStrainEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    place: Any
    cable: Any
class CableTrackEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    cables: Any
class CartesianSpringDamperEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    stiffness: Any
    damping: Any
    offset: Any
    force_function: Any
    force_derivative: Any
    active: Any
    marker0: Any
    marker1: Any
class ContactCircleCable2DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    segments: Any
    contact_stiffness: Any
    contact_stiffness_per_length: Any
    contact_damping: Any
    contact_damping_per_length: Any
    damping_depth: Any
    circle_radius: Any
    clip_normal_force: Any
    active: Any
    circle: Any
    cable: Any
    data: Any
class ContactCoordinateEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    contact_stiffness: Any
    contact_damping: Any
    offset: Any
    active: Any
    marker0: Any
    marker1: Any
    data: Any
class ContactCurveCircleEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    radius: Any
    contact_stiffness: Any
    contact_damping: Any
    damping_limited: Any
    friction: Any
    proportional_zone: Any
    active: Any
    marker0: Any
    marker1: Any
    profile: Any
    data: Any
class ContactEllipsoidEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    semi_axes: Any
    position: Any
    rotation: Any
    contact_set: Any
    marker: Any
    material: Any
class ContactFrictionBedBeam3DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    contact_damping_per_length: Any
    friction_velocity_penalty_per_length: Any
    friction_stiffness_per_length: Any
    friction_coefficient: Any
    clip_normal_force: Any
    active: Any
    points: Any
    rope_radius: Any
    contact_stiffness_per_length: Any
    lateral_friction_ratio: Any
    lateral_stiffness_ratio: Any
    suction_coefficient: Any
    suction_distance: Any
    surface: Any
    cable: Any
    data: Any
class ContactFrictionBedCableEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    contact_damping_per_length: Any
    friction_velocity_penalty_per_length: Any
    friction_stiffness_per_length: Any
    friction_coefficient: Any
    clip_normal_force: Any
    active: Any
    points: Any
    rope_radius: Any
    contact_stiffness_per_length: Any
    lateral_friction_ratio: Any
    lateral_stiffness_ratio: Any
    suction_coefficient: Any
    suction_distance: Any
    surface: Any
    cable: Any
    data: Any
class ContactFrictionBedTwistCableEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    contact_damping_per_length: Any
    friction_velocity_penalty_per_length: Any
    friction_stiffness_per_length: Any
    friction_coefficient: Any
    clip_normal_force: Any
    active: Any
    points: Any
    rope_radius: Any
    contact_stiffness_per_length: Any
    lateral_friction_ratio: Any
    lateral_stiffness_ratio: Any
    suction_coefficient: Any
    suction_distance: Any
    surface: Any
    cable: Any
    data: Any
class ContactFrictionBedTwistWinchEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    contact_damping_per_length: Any
    friction_velocity_penalty_per_length: Any
    friction_stiffness_per_length: Any
    friction_coefficient: Any
    clip_normal_force: Any
    active: Any
    points: Any
    rope_radius: Any
    contact_stiffness_per_length: Any
    lateral_friction_ratio: Any
    lateral_stiffness_ratio: Any
    suction_coefficient: Any
    suction_distance: Any
    surface: Any
    cable: Any
    data: Any
class ContactFrictionBedWinchEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    contact_damping_per_length: Any
    friction_velocity_penalty_per_length: Any
    friction_stiffness_per_length: Any
    friction_coefficient: Any
    clip_normal_force: Any
    active: Any
    points: Any
    rope_radius: Any
    contact_stiffness_per_length: Any
    lateral_friction_ratio: Any
    lateral_stiffness_ratio: Any
    suction_coefficient: Any
    suction_distance: Any
    surface: Any
    cable: Any
    data: Any
class ContactFrictionCables3DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    points: Any
    radius: Any
    contact_set: Any
    cable: Any
    data: Any
class ContactFrictionCircleCable2DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    segments: Any
    contact_stiffness: Any
    contact_stiffness_per_length: Any
    contact_damping: Any
    contact_damping_per_length: Any
    damping_depth: Any
    circle_radius: Any
    clip_normal_force: Any
    active: Any
    friction_velocity_penalty: Any
    friction_velocity_penalty_per_length: Any
    friction_stiffness: Any
    friction_stiffness_per_length: Any
    friction_coefficient: Any
    use_segment_normals: Any
    sticking_length: Any
    circle: Any
    cable: Any
    data: Any
class ContactFrictionCirclePoints2DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    contact_damping_per_length: Any
    friction_velocity_penalty_per_length: Any
    friction_stiffness_per_length: Any
    friction_coefficient: Any
    clip_normal_force: Any
    active: Any
    segments: Any
    vertical_offset: Any
    contact_stiffness_per_length: Any
    circle_radius: Any
    cord_offset: Any
    press: Any
    rigid_layer: Any
    circle: Any
    cable: Any
    data: Any
class ContactFrictionCircleSetPoints2DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    contact_damping_per_length: Any
    friction_velocity_penalty_per_length: Any
    friction_stiffness_per_length: Any
    friction_coefficient: Any
    clip_normal_force: Any
    active: Any
    segments: Any
    vertical_offset: Any
    contact_stiffness_per_length: Any
    contact_set: Any
    cable: Any
    data: Any
class ContactFrictionCircleWinch2DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    contact_damping_per_length: Any
    friction_velocity_penalty_per_length: Any
    friction_stiffness_per_length: Any
    friction_coefficient: Any
    clip_normal_force: Any
    active: Any
    segments: Any
    contact_stiffness_per_length: Any
    circle_radius: Any
    circle: Any
    cable: Any
    data: Any
class ContactFrictionSurfaceBeam3DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    contact_damping_per_length: Any
    friction_velocity_penalty_per_length: Any
    friction_stiffness_per_length: Any
    friction_coefficient: Any
    clip_normal_force: Any
    active: Any
    points: Any
    rope_radius: Any
    contact_stiffness_per_length: Any
    surface: Any
    cable: Any
    data: Any
class ContactFrictionSurfaceCableEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    contact_damping_per_length: Any
    friction_velocity_penalty_per_length: Any
    friction_stiffness_per_length: Any
    friction_coefficient: Any
    clip_normal_force: Any
    active: Any
    points: Any
    rope_radius: Any
    contact_stiffness_per_length: Any
    surface: Any
    cable: Any
    data: Any
class ContactFrictionSurfaceRibbonEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    contact_damping_per_length: Any
    friction_velocity_penalty_per_length: Any
    friction_stiffness_per_length: Any
    friction_coefficient: Any
    clip_normal_force: Any
    active: Any
    points: Any
    lines: Any
    width: Any
    rope_radius: Any
    contact_stiffness_per_length: Any
    surface: Any
    cable: Any
    data: Any
class ContactFrictionSurfaceSetBeam3DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    contact_damping_per_length: Any
    friction_velocity_penalty_per_length: Any
    friction_stiffness_per_length: Any
    friction_coefficient: Any
    clip_normal_force: Any
    active: Any
    points: Any
    rope_radius: Any
    contact_stiffness_per_length: Any
    contact_set: Any
    cable: Any
    data: Any
class ContactFrictionSurfaceSetCableEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    contact_damping_per_length: Any
    friction_velocity_penalty_per_length: Any
    friction_stiffness_per_length: Any
    friction_coefficient: Any
    clip_normal_force: Any
    active: Any
    points: Any
    rope_radius: Any
    contact_stiffness_per_length: Any
    contact_set: Any
    cable: Any
    data: Any
class ContactFrictionSurfaceSetTwistCableEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    contact_damping_per_length: Any
    friction_velocity_penalty_per_length: Any
    friction_stiffness_per_length: Any
    friction_coefficient: Any
    clip_normal_force: Any
    active: Any
    points: Any
    rope_radius: Any
    contact_stiffness_per_length: Any
    contact_set: Any
    cable: Any
    data: Any
class ContactFrictionSurfaceSetTwistWinchEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    contact_damping_per_length: Any
    friction_velocity_penalty_per_length: Any
    friction_stiffness_per_length: Any
    friction_coefficient: Any
    clip_normal_force: Any
    active: Any
    points: Any
    rope_radius: Any
    contact_stiffness_per_length: Any
    contact_set: Any
    cable: Any
    data: Any
class ContactFrictionSurfaceSetWinchEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    contact_damping_per_length: Any
    friction_velocity_penalty_per_length: Any
    friction_stiffness_per_length: Any
    friction_coefficient: Any
    clip_normal_force: Any
    active: Any
    points: Any
    rope_radius: Any
    contact_stiffness_per_length: Any
    contact_set: Any
    cable: Any
    data: Any
class ContactFrictionSurfaceTwistCableEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    contact_damping_per_length: Any
    friction_velocity_penalty_per_length: Any
    friction_stiffness_per_length: Any
    friction_coefficient: Any
    clip_normal_force: Any
    active: Any
    points: Any
    rope_radius: Any
    contact_stiffness_per_length: Any
    surface: Any
    cable: Any
    data: Any
class ContactFrictionSurfaceTwistWinchEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    contact_damping_per_length: Any
    friction_velocity_penalty_per_length: Any
    friction_stiffness_per_length: Any
    friction_coefficient: Any
    clip_normal_force: Any
    active: Any
    points: Any
    rope_radius: Any
    contact_stiffness_per_length: Any
    surface: Any
    cable: Any
    data: Any
class ContactFrictionSurfaceWinchEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    contact_damping_per_length: Any
    friction_velocity_penalty_per_length: Any
    friction_stiffness_per_length: Any
    friction_coefficient: Any
    clip_normal_force: Any
    active: Any
    points: Any
    rope_radius: Any
    contact_stiffness_per_length: Any
    surface: Any
    cable: Any
    data: Any
class ContactHalfSpaceEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    position: Any
    rotation: Any
    contact_set: Any
    marker: Any
    material: Any
class ContactMaterialEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    plane_strain_modulus: Any
    dissipation: Any
    static_friction: Any
    dynamic_friction: Any
    viscous_friction: Any
class ContactSetEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    skin: Any
class ContactSphereEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    radius: Any
    position: Any
    contact_set: Any
    marker: Any
    material: Any
class ContactSphereSphereEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    radius0: Any
    radius1: Any
    hollow: Any
    contact_stiffness: Any
    contact_damping: Any
    exponent: Any
    friction: Any
    proportional_zone: Any
    impact_model: Any
    restitution: Any
    least_impact_speed: Any
    plasticity_ratio: Any
    pull_off_force: Any
    adhesion_stiffness: Any
    adhesion_exponent: Any
    active: Any
    marker0: Any
    marker1: Any
    data: Any
class CoordinateConstraintEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    ratio: Any
    offset: Any
    offset_function: Any
    offset_rate_function: Any
    velocity_level: Any
    rate: Any
    rate_function: Any
    active: Any
    marker0: Any
    marker1: Any
class CoordinateLoadEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    value: Any
    function: Any
    active: Any
    marker: Any
class CoordinateSpringDamperEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    stiffness: Any
    damping: Any
    offset: Any
    force_function: Any
    force_derivative: Any
    active: Any
    marker0: Any
    marker1: Any
class CoordinateSpringDamperExtEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    factor0: Any
    factor1: Any
    stiffness: Any
    damping: Any
    offset: Any
    rate_offset: Any
    dynamic_friction: Any
    static_friction_offset: Any
    decay_velocity: Any
    viscous_friction: Any
    sticking_stiffness: Any
    sticking_damping: Any
    proportional_zone: Any
    stops: Any
    lower_stop: Any
    upper_stop: Any
    stop_stiffness: Any
    stop_damping: Any
    force_function: Any
    force_derivative: Any
    active: Any
    marker0: Any
    marker1: Any
    data: Any
class CoordinateVectorConstraintEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    factors0: Any
    factors1: Any
    squares0: Any
    squares1: Any
    offset: Any
    offset_function: Any
    constraint_function: Any
    gradient_function: Any
    velocity_level: Any
    active: Any
    node0: Any
    node1: Any
class CurveProfileEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    points: Any
    curvatures: Any
    closed: Any
class CylinderFluidLoadEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    diameter: Any
    length: Any
    axis: Any
    strips: Any
    normal_drag: Any
    axial_drag: Any
    end_drag: Any
    added_mass: Any
    end_added_mass: Any
    active: Any
    marker: Any
    fluid: Any
class DistanceConstraintEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    distance: Any
    active: Any
    marker0: Any
    marker1: Any
class DistanceCoordinateEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    length: Any
    marker0: Any
    marker1: Any
class DrumSurfaceEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    axis: Any
    radius: Any
    half_width: Any
    depth: Any
    marker: Any
class FibreCable2DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    length: Any
    mass_per_length: Any
    axial_stiffness: Any
    bending_stiffness: Any
    axial_damping: Any
    bending_damping: Any
    reference_strain: Any
    reference_curvature: Any
    strain_is_relative_to_reference: Any
    integration: Any
    broken: Any
    slow_stiffness: Any
    static_stiffness: Any
    slow_damping: Any
    stiffening: Any
    node0: Any
    node1: Any
    slow: Any
class FibreCable3DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    length: Any
    mass_per_length: Any
    axial_stiffness: Any
    bending_stiffness: Any
    axial_damping: Any
    bending_damping: Any
    reference_strain: Any
    reference_curvature: Any
    strain_is_relative_to_reference: Any
    integration: Any
    broken: Any
    slow_stiffness: Any
    static_stiffness: Any
    slow_damping: Any
    stiffening: Any
    node0: Any
    node1: Any
    slow: Any
class FluidEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    density: Any
    gravity: Any
    fills: Any
    surface: Any
    transition: Any
    depth: Any
    velocity: Any
    profile: Any
    reference_height: Any
    exponent: Any
    roughness: Any
    table_heights: Any
    table_x: Any
    table_y: Any
    wave_amplitudes: Any
    wave_frequencies: Any
    wave_directions: Any
    wave_phases: Any
    wave_numbers: Any
    wave_velocities: Any
    wave_current: Any
    stretching: Any
    wave_growth: Any
    gust_amplitudes: Any
    gust_frequencies: Any
    gust_phases: Any
    function: Any
class FluidLoadEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    diameter: Any
    normal_drag: Any
    axial_drag: Any
    added_mass: Any
    axial_added_mass: Any
    constant_volume: Any
    vibration_frequency: Any
    vibration_amplitude: Any
    vibration_gain: Any
    points: Any
    active: Any
    cable: Any
    fluid: Any
class ForceEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    vector: Any
    function: Any
    body_fixed: Any
    active: Any
    marker: Any
class GearPairEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    teeth0: Any
    teeth1: Any
    module: Any
    pressure_angle: Any
    mesh_stiffness: Any
    mesh_damping: Any
    backlash: Any
    axis: Any
    active: Any
    marker0: Any
    marker1: Any
    data: Any
class GenericJointEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    translations: Any
    rotations: Any
    frame0: Any
    frame1: Any
    offset: Any
    offset_function: Any
    offset_rate_function: Any
    active: Any
    marker0: Any
    marker1: Any
class GenericODE1Entity(Entity):
    __getattr__: None  # type: ignore[assignment]
    constant: Any
    system_matrix: Any
    input_matrix: Any
    rate_matrix: Any
    state_function: Any
    state_derivative: Any
    inputs: Any
    node: Any
class GenericODE2Entity(Entity):
    __getattr__: None  # type: ignore[assignment]
    mass: Any
    damping: Any
    stiffness: Any
    force: Any
    force_function: Any
    force_derivative: Any
    mass_function: Any
    translations: Any
    points: Any
    basis: Any
    lines: Any
    nodes: Any
class GroundEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    position: Any
class HeightFieldSurfaceEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    axis: Any
    along: Any
    x: Any
    y: Any
    heights: Any
    depth: Any
    marker: Any
class HuntCrossleyEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    transition_velocity: Any
    modulus_rule: Any
    enabled: Any
    contact_set: Any
    data: Any
class HydraulicActuatorEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    offset_length: Any
    stroke_length: Any
    area0: Any
    area1: Any
    hose_volume0: Any
    hose_volume1: Any
    valve_opening0: Any
    valve_opening1: Any
    valve_function: Any
    valve_derivative: Any
    damping: Any
    oil_bulk_modulus: Any
    cylinder_bulk_modulus: Any
    hose_bulk_modulus: Any
    nominal_flow: Any
    system_pressure: Any
    tank_pressure: Any
    volume_change: Any
    active: Any
    inputs: Any
    marker0: Any
    marker1: Any
    node: Any
class JointStopEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    direction: Any
    lower: Any
    upper: Any
    stiffness: Any
    dissipation: Any
    frame0: Any
    frame1: Any
    active: Any
    marker0: Any
    marker1: Any
    data: Any
class LineLoadEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    vector: Any
    function: Any
    force_function: Any
    per: Any
    body_fixed: Any
    points: Any
    active: Any
    cable: Any
class LineTorqueEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    vector: Any
    function: Any
    body_fixed: Any
    points: Any
    active: Any
    cable: Any
class LinearSpringDamperEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    axis: Any
    stiffness: Any
    damping: Any
    offset: Any
    rate_offset: Any
    preload: Any
    force_function: Any
    force_derivative: Any
    moment_arm: Any
    active: Any
    marker0: Any
    marker1: Any
class LoadCellEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    weights: Any
    time_constant: Any
    joint: Any
    node: Any
class MassPointEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    mass: Any
    node: Any
class MassProportionalEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    acceleration: Any
    function: Any
    active: Any
    body: Any
class MeshFluidLoadEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    parts: Any
    drag: Any
    drag_area: Any
    added_mass: Any
    active: Any
    marker: Any
    fluid: Any
    mesh: Any
class NodeCoordinateEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    coordinate: Any
    node: Any
class NodePositionEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    node: Any
class OverrunningClutchEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    stiffness: Any
    damping: Any
    drag_torque: Any
    largest_torque: Any
    direction: Any
    active: Any
    marker0: Any
    marker1: Any
    data: Any
class PlaneSurfaceEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    axis: Any
    along: Any
    offset: Any
    half_length: Any
    half_width: Any
    outer_radius: Any
    depth: Any
    marker: Any
class Point2DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    position: Any
    displacement: Any
    velocity: Any
class Point3DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    position: Any
    displacement: Any
    velocity: Any
class PointCoordinateEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    direction: Any
    origin: Any
    marker1: Any
class PointSectionSlopes3DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    position: Any
    slope2: Any
    slope3: Any
    displacement: Any
    velocity: Any
class PointSlope2DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    position: Any
    slope: Any
    displacement: Any
    velocity: Any
    shares_position: Any
class PointSlope3DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    position: Any
    slope: Any
    displacement: Any
    velocity: Any
    shares_position: Any
class PointSlopeTwist3DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    position: Any
    slope: Any
    twist: Any
    displacement: Any
    velocity: Any
    normal: Any
    turned_from: Any
    shares_position: Any
class PolylineSurfaceEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    axis: Any
    along: Any
    vertices: Any
    rounding: Any
    depth: Any
    marker: Any
class PositionOnBeam2DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    x: Any
    y: Any
    beam: Any
class PositionOnBeam3DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    x: Any
    offset: Any
    beam: Any
class PositionOnCableEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    x: Any
    y: Any
    cable: Any
class PositionOnCable3DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    x: Any
    offset: Any
    cable: Any
class PositionOnGroundEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    local: Any
    ground: Any
class PositionOnRigid2DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    local: Any
    body: Any
class PositionOnRigid3DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    local: Any
    body: Any
class PositionOnSlopeBeam3DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    x: Any
    offset: Any
    beam: Any
class PositionOnTwistCable3DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    x: Any
    offset: Any
    cable: Any
class PrismaticJoint2DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    axis: Any
    lock_rotation: Any
    angle: Any
    active: Any
    marker0: Any
    marker1: Any
class ProfileSurfaceEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    axis: Any
    vertices: Any
    rounding: Any
    depth: Any
    marker: Any
class ReevingSystemSpringsEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    radii: Any
    axes: Any
    reference_length: Any
    axial_stiffness: Any
    axial_damping: Any
    preload: Any
    slack_force: Any
    twist_damping: Any
    shear_damping: Any
    factor0: Any
    factor1: Any
    active: Any
    markers: Any
    coordinate0: Any
    coordinate1: Any
class RevoluteJoint2DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    active: Any
    marker0: Any
    marker1: Any
class RigidBody2DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    mass: Any
    inertia: Any
    center_of_mass: Any
    node: Any
class RigidBody3DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    mass: Any
    inertia: Any
    center_of_mass: Any
    node: Any
class RigidBodySpringDamperEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    stiffness: Any
    damping: Any
    offset: Any
    frame0: Any
    frame1: Any
    force_function: Any
    force_derivative: Any
    moment_arm: Any
    active: Any
    marker0: Any
    marker1: Any
class RigidNode2DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    position: Any
    angle: Any
    displacement: Any
    velocity: Any
class RigidNode3DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    position: Any
    euler_parameters: Any
    displacement: Any
    velocity: Any
    angular_velocity: Any
class RigidNodePositionEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    node: Any
class RigidNodePosition3DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    node: Any
class RollingDiscPenaltyEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    radius: Any
    axis: Any
    normal: Any
    contact_stiffness: Any
    contact_damping: Any
    friction: Any
    viscous_friction: Any
    friction_angle: Any
    proportional_zone: Any
    linear_zone: Any
    active: Any
    marker0: Any
    marker1: Any
    data: Any
class RollingJointEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    radius: Any
    axis: Any
    normal: Any
    axes: Any
    active: Any
    marker0: Any
    marker1: Any
class RotationCoordinateEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    axis: Any
    node: Any
    data: Any
class RotationOnBeam2DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    x: Any
    beam: Any
class RotationOnBeam3DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    x: Any
    axis: Any
    beam: Any
    data: Any
class SectionNodePositionEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    node: Any
class SetCircleEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    radius: Any
    contact_set: Any
    circle: Any
class SetSurfaceEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    contact_set: Any
    surface: Any
class SheaveSurfaceEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    axis: Any
    radius: Any
    groove_radius: Any
    flank_half_angle: Any
    outer_radius: Any
    depth: Any
    marker: Any
class SlidingJointEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    damping: Any
    friction_coefficient: Any
    friction_speed: Any
    leaves: Any
    active: Any
    track: Any
    node: Any
    marker: Any
    data: Any
class SlidingNodeEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    reference: Any
    displacement: Any
    velocity: Any
class SlopeBeam3DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    stiffness: Any
    mass_per_length: Any
    damping: Any
    length: Any
    reference_strain: Any
    broken: Any
    rotary_inertia: Any
    section_stiffness: Any
    section_damping: Any
    node0: Any
    node1: Any
    node2: Any
    node3: Any
class SphereFluidLoadEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    diameter: Any
    drag: Any
    added_mass: Any
    active: Any
    marker: Any
    fluid: Any
class SphereSurfaceEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    axis: Any
    radius: Any
    inside: Any
    depth: Any
    marker: Any
class SphericalJointEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    axes: Any
    active: Any
    marker0: Any
    marker1: Any
class SpringDamperEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    rest_length: Any
    stiffness: Any
    damping: Any
    preload: Any
    tension_only: Any
    force_function: Any
    force_derivative: Any
    active: Any
    marker0: Any
    marker1: Any
class StateLoadEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    value: Any
    gains: Any
    rate_gains: Any
    load_function: Any
    load_derivative: Any
    active: Any
    inputs: Any
    marker: Any
class TableCable2DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    length: Any
    mass_per_length: Any
    axial_stiffness: Any
    bending_stiffness: Any
    axial_damping: Any
    bending_damping: Any
    reference_strain: Any
    reference_curvature: Any
    strain_is_relative_to_reference: Any
    integration: Any
    bending_moment_function: Any
    bending_moment_derivatives: Any
    broken: Any
    table_strains: Any
    table_tensions: Any
    node0: Any
    node1: Any
class TableCable3DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    length: Any
    mass_per_length: Any
    axial_stiffness: Any
    bending_stiffness: Any
    axial_damping: Any
    bending_damping: Any
    reference_strain: Any
    reference_curvature: Any
    strain_is_relative_to_reference: Any
    integration: Any
    bending_moment_function: Any
    bending_moment_derivatives: Any
    broken: Any
    table_strains: Any
    table_tensions: Any
    node0: Any
    node1: Any
class TensionerSpringEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    preload: Any
    stiffness: Any
    friction_torque: Any
    loading_friction: Any
    unloading_friction: Any
    loading_damping: Any
    unloading_damping: Any
    sticking_stiffness: Any
    active: Any
    marker0: Any
    marker1: Any
    data: Any
class TorqueEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    vector: Any
    function: Any
    body_fixed: Any
    active: Any
    marker: Any
class TorsionalSpringDamperEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    stiffness: Any
    damping: Any
    offset: Any
    rate_offset: Any
    preload: Any
    frame0: Any
    frame1: Any
    force_function: Any
    force_derivative: Any
    active: Any
    marker0: Any
    marker1: Any
    data: Any
class TwistCable3DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    length: Any
    mass_per_length: Any
    rotary_inertia: Any
    axial_stiffness: Any
    bending_stiffness: Any
    torsional_stiffness: Any
    coupling: Any
    axial_damping: Any
    bending_damping: Any
    torsional_damping: Any
    reference_strain: Any
    reference_curvature: Any
    reference_twist: Any
    strain_is_relative_to_reference: Any
    integration: Any
    axial_force_function: Any
    axial_force_derivatives: Any
    bending_moment_function: Any
    bending_moment_derivatives: Any
    broken: Any
    node0: Any
    node1: Any
class TwistFibreCable3DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    length: Any
    mass_per_length: Any
    rotary_inertia: Any
    axial_stiffness: Any
    bending_stiffness: Any
    torsional_stiffness: Any
    coupling: Any
    axial_damping: Any
    bending_damping: Any
    torsional_damping: Any
    reference_strain: Any
    reference_curvature: Any
    reference_twist: Any
    strain_is_relative_to_reference: Any
    integration: Any
    broken: Any
    slow_stiffness: Any
    static_stiffness: Any
    slow_damping: Any
    stiffening: Any
    node0: Any
    node1: Any
    slow: Any
class TwistNodePositionEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    node: Any
class TwistTableCable3DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    length: Any
    mass_per_length: Any
    rotary_inertia: Any
    axial_stiffness: Any
    bending_stiffness: Any
    torsional_stiffness: Any
    coupling: Any
    axial_damping: Any
    bending_damping: Any
    torsional_damping: Any
    reference_strain: Any
    reference_curvature: Any
    reference_twist: Any
    strain_is_relative_to_reference: Any
    integration: Any
    broken: Any
    table_strains: Any
    table_tensions: Any
    node0: Any
    node1: Any
class TwistWorkingCable3DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    length: Any
    mass_per_length: Any
    rotary_inertia: Any
    axial_stiffness: Any
    bending_stiffness: Any
    torsional_stiffness: Any
    coupling: Any
    axial_damping: Any
    bending_damping: Any
    torsional_damping: Any
    reference_strain: Any
    reference_curvature: Any
    reference_twist: Any
    strain_is_relative_to_reference: Any
    integration: Any
    broken: Any
    slow_damping: Any
    stiffening: Any
    working_strains: Any
    working_tensions: Any
    largest_load: Any
    working_offset: Any
    working_stiffness: Any
    working_quadratic: Any
    working_exponent: Any
    node0: Any
    node1: Any
    slow: Any
    data: Any
class UnitRotation3DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    node: Any
class VGrooveFlankEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    axis: Any
    radius: Any
    half_angle: Any
    outer_radius: Any
    side: Any
    depth: Any
    marker: Any
class WinchCable2DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    begin: Any
    share: Any
    mass_per_length: Any
    axial_stiffness: Any
    bending_stiffness: Any
    axial_damping: Any
    store_tension: Any
    shortest: Any
    active: Any
    broken: Any
    node0: Any
    node1: Any
    feed: Any
class WinchCable3DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    begin: Any
    share: Any
    mass_per_length: Any
    axial_stiffness: Any
    bending_stiffness: Any
    axial_damping: Any
    store_tension: Any
    shortest: Any
    active: Any
    broken: Any
    node0: Any
    node1: Any
    feed: Any
class WinchFluidLoadEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    diameter: Any
    normal_drag: Any
    axial_drag: Any
    added_mass: Any
    axial_added_mass: Any
    constant_volume: Any
    vibration_frequency: Any
    vibration_amplitude: Any
    vibration_gain: Any
    points: Any
    active: Any
    cable: Any
    fluid: Any
class WinchTwistCable3DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    begin: Any
    share: Any
    mass_per_length: Any
    axial_stiffness: Any
    bending_stiffness: Any
    axial_damping: Any
    store_tension: Any
    shortest: Any
    active: Any
    broken: Any
    rotary_inertia: Any
    torsional_stiffness: Any
    coupling: Any
    torsional_damping: Any
    store_twist: Any
    node0: Any
    node1: Any
    feed: Any
class WireFrictionEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    axial_stiffness: Any
    slip_force: Any
    bending_stiffness: Any
    slip_moment: Any
    slip_moment_per_tension: Any
    active: Any
    cable: Any
    data: Any
class WorkingCable2DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    length: Any
    mass_per_length: Any
    axial_stiffness: Any
    bending_stiffness: Any
    axial_damping: Any
    bending_damping: Any
    reference_strain: Any
    reference_curvature: Any
    strain_is_relative_to_reference: Any
    integration: Any
    broken: Any
    slow_damping: Any
    stiffening: Any
    working_strains: Any
    working_tensions: Any
    largest_load: Any
    working_offset: Any
    working_stiffness: Any
    working_quadratic: Any
    working_exponent: Any
    node0: Any
    node1: Any
    slow: Any
    data: Any
class WorkingCable3DEntity(Entity):
    __getattr__: None  # type: ignore[assignment]
    length: Any
    mass_per_length: Any
    axial_stiffness: Any
    bending_stiffness: Any
    axial_damping: Any
    bending_damping: Any
    reference_strain: Any
    reference_curvature: Any
    strain_is_relative_to_reference: Any
    integration: Any
    broken: Any
    slow_damping: Any
    stiffening: Any
    working_strains: Any
    working_tensions: Any
    largest_load: Any
    working_offset: Any
    working_stiffness: Any
    working_quadratic: Any
    working_exponent: Any
    node0: Any
    node1: Any
    slow: Any
    data: Any
class World():
    'The tables and resources of one model. Worlds are independent of each other.\n\nArgs:\n    gravity: acceleration of gravity [m/s^2] in global x, y, z, acting on every body and cable of this world.\n\nAttributes:\n    tables: the tables by component, in the order in which components were first added.\n    gravity: acceleration of gravity [m/s^2], shape (3,). Gravity can be changed until the world is finalized.\n    version: number of changes of switchable columns.\n    before_set: functions that `set` calls before it changes columns. Hooks add and remove these functions.\n    finalized: whether `finalize` was called.\n    is_distributed: whether this process stores only a part of the rows.\n    processes: the processes among which the rows are divided; None if every process has all rows.\n    calls: for every call of `add`: name of the component, number of rows, and whether the rows were given in parts.\n    changed: value of ``version`` at the last change of a column of a table, by component. A change also counts as a\n        change of the tables that follow this table (`Component.follows`).\n    changed_columns: value of ``version`` at the last change of each changed column, by component and name.'
    def __init__(self, gravity: Sequence[float]=(0.0, 0.0, 0.0)) -> None:
        ...
    _gravity: FloatArray
    tables: dict[type[Component], EntityTable]
    finalized: Any
    version: Any
    before_set: list[Callable[[], None]]
    changed: dict[type[Component], int]
    changed_columns: dict[type[Component], dict[str, int]]
    _followers: dict[type[Component], tuple[int, list[type[Component]]]]
    _table_of: list[EntityTable]
    _first_ids: list[int]
    _first_rows: list[int]
    _block_arrays: tuple[IntArray, IntArray]
    _count: Any
    _dofs: dict[type[Component], IntArray]
    _dof_widths: dict[type[Component], int]
    _ref_shapes: dict[tuple[type[Component], str], tuple[int, int]]
    _cached: dict[str, Any]
    is_distributed: Any
    processes: Processes | None
    calls: list[tuple[str, int, bool]]
    def save(self, path: str | Path) -> Path:
        'Save the present model to a JSON file, which `load` reads.\n\nLibrary functions such as tables and ramps are saved by their values. All other functions are saved only by\nname. If the world is distributed, the call is collective.\n\nRaises:\n    OutputError: the file cannot be written.\n    ModelError: two functions of the user have equal names.'
    @classmethod
    def load(cls, path: str | Path, functions: Functions | None=None) -> World:
        "Load the model from a file that `save` has written. All numbers are exactly equal to the saved numbers.\n\nThis function imports no modules. If the model contains components of a user, import the modules that register\nthese components before the call. If the file was edited after `save`, a `ModelWarning` is emitted.\n\nArgs:\n    path: the file.\n    functions: the user's functions, by their names in the file.\n\nRaises:\n    OutputError: the file does not exist or does not fit its schema.\n    ModelError: a function is missing, a component is not registered, or values are not allowed."
    def __repr__(self) -> str:
        ...
    def _repr_html_(self) -> str:
        'Return HTML for notebooks: the numbers of rows and unknowns of each component.'
    @property
    def gravity(self) -> FloatArray:
        'Acceleration of gravity [m/s^2], shape (3,).'
    def gravity(self, given: Any) -> None:
        ...
    @property
    def count(self) -> int:
        'Number of entities in the world.'
    def table(self, component: type[Component]) -> EntityTable:
        'Return the table of a component, which is empty if no row of the component was added.'
    @contextmanager
    def all_or_nothing(self) -> Iterator[None]:
        'Context manager for code that adds rows: if the code raises an error, all its changes of the world are\nundone.'
    def _add(self, component: type[Component], name: str, part: Part | None, values: dict[str, Any]) -> Entity:
        ...
    def _label_created(self, values: dict[str, Any], before: int, name: str) -> None:
        'Give the entities that were created together with a row (nodes, history values) the name of this row.'
    def _find_followers(self, table: EntityTable) -> list[type[Component]]:
        'Return the component of a table and the components that depend on its columns. The result is cached until\nthe world has further tables.'
    def entity(self, number: int) -> Entity:
        'Return a handle to the entity with an entity number.'
    def _blocks(self) -> tuple[IntArray, IntArray]:
        'Return two arrays: the first entity number and the first row number of every call of `add`. The arrays are\ncached until the next call of `add`.'
    def split_by_table(self, ids: IntArray) -> list[tuple[EntityTable, IntArray, IntArray]]:
        'Group entity numbers by table. Each group is a tuple (table, indices in ``ids``, row numbers in the table).\nNegative numbers are skipped.'
    def dofs_of(self, ids: IntArray | Entity) -> IntArray:
        'Return the world coordinate numbers of entities of any components, shape (n, width). Rows with fewer\ncoordinates are padded with -1.\n\nIf the table of one of the entities is distributed, the call is collective.'
    def _any_dofs(self, table: EntityTable, rows: IntArray) -> IntArray:
        ...
    def table_dofs(self, table: EntityTable) -> IntArray:
        'Return the numbers, in the whole model, of the coordinates that the rows of a table couple, shape (rows,\nn). The number is -1 if there is no coordinate. See `dofs_of`.'
    def row_dofs(self, table: EntityTable, rows: IntArray) -> IntArray:
        'Return the world coordinate numbers of some rows that this process stores, shape (n, width), -1 for no\ncoordinate.'
    def resident_dofs(self, table: EntityTable) -> IntArray:
        'Return the world coordinate numbers of the rows of a table that this process stores, shape (resident, n), -1\nfor no coordinate.'
    def _find_dofs(self, table: EntityTable) -> IntArray:
        ...
    def ref_shape(self, table: EntityTable, name: str) -> tuple[int, int]:
        'Return (length, width) of a reference. The length is the largest number of entities to which one row refers\n(1 for a reference to one entity). The width is the largest number of coordinates of one of these entities.'
    def ref_width(self, table: EntityTable, name: str) -> int:
        'Return the largest number of coordinates of an entity to which a reference of a table refers.'
    def ref_dofs(self, table: EntityTable, name: str) -> IntArray:
        'Return the world coordinate numbers of the entities to which a reference of a table refers, for the rows that\nthis process stores.\n\nReturns:\n    The numbers, entity after entity, -1 for no coordinate, shape (resident, length * width), where `ref_shape`\n    returns (length, width).'
    def set_widths(self, dofs: dict[type[Component], int], refs: dict[tuple[type[Component], str], tuple[int, int]]) -> None:
        'Set the numbers of coordinates per row, and the shapes of references (see `ref_shape`), to values that are\nequal on all processes.'
    def prune(self, resident: dict[type[Component], IntArray], processes: Processes) -> None:
        'Remove the rows that this process does not need. Also remove data that are needed only while the world is not\ndistributed.\n\nArgs:\n    resident: ascending numbers of the rows that remain, for each table to be distributed.\n    processes: the processes that share this world. The call is collective.'
    def finalize(self) -> None:
        'Check that the rows of all tables are consistent, and number the coordinates. After this call no rows can be\nadded.\n\nIf a table was built in parts, the call is collective.\n\nRaises:\n    ModelError: the world has no coordinates, or rows have inconsistent values.'
    def number(self) -> None:
        'Number the coordinates of the rows that this process stores.'
    def check(self) -> None:
        'Check that the rows that this process stores have consistent values.\n\nRaises:\n    ModelError: rows have inconsistent values.'
    def resource(self, key: str, create: Any) -> Any:
        'Return the object that this world stores under the name ``key``. The function ``create`` creates the object\non first use.'
    @overload
    def add(self, component: type[ALECable2D], *, name: str = ..., part: Part | None = ..., node0: One, node1: One, ale: One, length: Numbers, mass_per_length: Numbers, axial_stiffness: Numbers, bending_stiffness: Numbers, axial_damping: Numbers = ..., bending_damping: Numbers = ..., reference_strain: Numbers = ..., reference_curvature: Numbers = ..., strain_is_relative_to_reference: Numbers = ..., integration: WholeNumbers = ..., axial_force_function: UserFunctions = ..., axial_force_derivatives: UserFunctions = ..., bending_moment_function: UserFunctions = ..., bending_moment_derivatives: UserFunctions = ..., broken: YesNo = ..., moving_mass_factor: Numbers = ..., use_coupling_terms: YesNo = ..., add_ale_variation: YesNo = ...) -> ALECable2DEntity: ...
    @overload
    def add(self, component: type[ALENode], *, name: str = ..., part: Part | None = ..., reference: Numbers = ..., displacement: Numbers = ..., velocity: Numbers = ...) -> ALENodeEntity: ...
    @overload
    def add(self, component: type[Beam2D], *, name: str = ..., part: Part | None = ..., node0: One = ..., node1: One = ..., node2: One = ..., node3: One = ..., stiffness: Numbers, mass_per_length: Numbers, rotary_inertia: Numbers, damping: Numbers = ..., length: Numbers = ..., node_angles: Numbers = ..., reference_strain: Numbers = ..., strain_is_relative_to_reference: Numbers = ..., broken: YesNo = ...) -> Beam2DEntity: ...
    @overload
    def add(self, component: type[Beam3D], *, name: str = ..., part: Part | None = ..., node0: One = ..., node1: One = ..., node2: One = ..., node3: One = ..., stiffness: Numbers, mass_per_length: Numbers, damping: Numbers = ..., length: Numbers = ..., reference_strain: Numbers = ..., broken: YesNo = ..., rotary_inertia: Numbers, strain_is_relative_to_reference: Numbers = ...) -> Beam3DEntity: ...
    @overload
    def add(self, component: type[BeltToothContact], *, name: str = ..., part: Part | None = ..., marker0: One = ..., marker1: One = ..., data: One = ..., teeth: WholeNumbers, pitch_radius: Numbers, phase: Numbers = ..., tooth_stiffness: Numbers, tooth_damping: Numbers = ..., tip_stiffness: Numbers, tooth_height: Numbers, flank_angle: Numbers = ..., backlash: Numbers = ..., active: YesNo = ...) -> BeltToothContactEntity: ...
    @overload
    def add(self, component: type[BodyMesh], *, name: str = ..., part: Part | None = ..., points: Numbers, triangles: WholeNumbers) -> BodyMeshEntity: ...
    @overload
    def add(self, component: type[BoxFluidLoad], *, name: str = ..., part: Part | None = ..., marker: One = ..., fluid: One = ..., sides: Numbers, parts: WholeNumbers = ..., drag: Numbers = ..., added_mass: Numbers = ..., active: YesNo = ...) -> BoxFluidLoadEntity: ...
    @overload
    def add(self, component: type[Cable2D], *, name: str = ..., part: Part | None = ..., node0: One, node1: One, length: Numbers, mass_per_length: Numbers, axial_stiffness: Numbers, bending_stiffness: Numbers, axial_damping: Numbers = ..., bending_damping: Numbers = ..., reference_strain: Numbers = ..., reference_curvature: Numbers = ..., strain_is_relative_to_reference: Numbers = ..., integration: WholeNumbers = ..., axial_force_function: UserFunctions = ..., axial_force_derivatives: UserFunctions = ..., bending_moment_function: UserFunctions = ..., bending_moment_derivatives: UserFunctions = ..., broken: YesNo = ...) -> Cable2DEntity: ...
    @overload
    def add(self, component: type[Cable3D], *, name: str = ..., part: Part | None = ..., node0: One, node1: One, length: Numbers, mass_per_length: Numbers, axial_stiffness: Numbers, bending_stiffness: Numbers, axial_damping: Numbers = ..., bending_damping: Numbers = ..., reference_strain: Numbers = ..., reference_curvature: Numbers = ..., strain_is_relative_to_reference: Numbers = ..., integration: WholeNumbers = ..., axial_force_function: UserFunctions = ..., axial_force_derivatives: UserFunctions = ..., bending_moment_function: UserFunctions = ..., bending_moment_derivatives: UserFunctions = ..., broken: YesNo = ...) -> Cable3DEntity: ...
    @overload
    def add(self, component: type[CableContactSet], *, name: str = ..., part: Part | None = ..., contact_stiffness_per_length: Numbers, contact_damping_per_length: Numbers = ..., damping_depth: Numbers = ..., friction_coefficient: Numbers = ..., friction_stiffness_per_length: Numbers = ..., friction_velocity_penalty_per_length: Numbers = ..., skin: Numbers = ..., turns_rope: YesNo = ..., apart: Numbers = ...) -> CableContactSetEntity: ...
    @overload
    def add(self, component: type[CableCoordinates], *, name: str = ..., part: Part | None = ..., cable: One) -> CableCoordinatesEntity: ...
    @overload
    def add(self, component: type[CableShape], *, name: str = ..., part: Part | None = ..., cable: One, segments: WholeNumbers, vertical_offset: Numbers = ...) -> CableShapeEntity: ...
    @overload
    def add(self, component: type[CableShape3D], *, name: str = ..., part: Part | None = ..., cable: One, segments: WholeNumbers) -> CableShape3DEntity: ...
    @overload
    def add(self, component: type[CableStrain], *, name: str = ..., part: Part | None = ..., cable: One, place: Numbers = ...) -> CableStrainEntity: ...
    @overload
    def add(self, component: type[CableTrack], *, name: str = ..., part: Part | None = ..., cables: Chain) -> CableTrackEntity: ...
    @overload
    def add(self, component: type[CartesianSpringDamper], *, name: str = ..., part: Part | None = ..., marker0: One = ..., marker1: One = ..., stiffness: Numbers = ..., damping: Numbers = ..., offset: Numbers = ..., force_function: UserFunctions = ..., force_derivative: UserFunctions = ..., active: YesNo = ...) -> CartesianSpringDamperEntity: ...
    @overload
    def add(self, component: type[ContactCircleCable2D], *, name: str = ..., part: Part | None = ..., circle: One = ..., cable: One = ..., data: One = ..., segments: WholeNumbers, contact_stiffness: Numbers = ..., contact_stiffness_per_length: Numbers = ..., contact_damping: Numbers = ..., contact_damping_per_length: Numbers = ..., damping_depth: Numbers = ..., circle_radius: Numbers, clip_normal_force: YesNo = ..., active: YesNo = ...) -> ContactCircleCable2DEntity: ...
    @overload
    def add(self, component: type[ContactCoordinate], *, name: str = ..., part: Part | None = ..., marker0: One = ..., marker1: One = ..., data: One = ..., contact_stiffness: Numbers, contact_damping: Numbers = ..., offset: Numbers = ..., active: YesNo = ...) -> ContactCoordinateEntity: ...
    @overload
    def add(self, component: type[ContactCurveCircle], *, name: str = ..., part: Part | None = ..., marker0: One = ..., marker1: One = ..., profile: One = ..., data: One = ..., radius: Numbers, contact_stiffness: Numbers, contact_damping: Numbers = ..., damping_limited: YesNo = ..., friction: Numbers = ..., proportional_zone: Numbers = ..., active: YesNo = ...) -> ContactCurveCircleEntity: ...
    @overload
    def add(self, component: type[ContactEllipsoid], *, name: str = ..., part: Part | None = ..., contact_set: One = ..., marker: One = ..., material: One = ..., semi_axes: Numbers, position: Numbers = ..., rotation: Numbers = ...) -> ContactEllipsoidEntity: ...
    @overload
    def add(self, component: type[ContactFrictionBedBeam3D], *, name: str = ..., part: Part | None = ..., surface: One = ..., cable: One = ..., data: One = ..., contact_damping_per_length: Numbers = ..., friction_velocity_penalty_per_length: Numbers = ..., friction_stiffness_per_length: Numbers = ..., friction_coefficient: Numbers = ..., clip_normal_force: YesNo = ..., active: YesNo = ..., points: WholeNumbers, rope_radius: Numbers, contact_stiffness_per_length: Numbers, lateral_friction_ratio: Numbers = ..., lateral_stiffness_ratio: Numbers = ..., suction_coefficient: Numbers = ..., suction_distance: Numbers = ...) -> ContactFrictionBedBeam3DEntity: ...
    @overload
    def add(self, component: type[ContactFrictionBedCable], *, name: str = ..., part: Part | None = ..., surface: One = ..., cable: One = ..., data: One = ..., contact_damping_per_length: Numbers = ..., friction_velocity_penalty_per_length: Numbers = ..., friction_stiffness_per_length: Numbers = ..., friction_coefficient: Numbers = ..., clip_normal_force: YesNo = ..., active: YesNo = ..., points: WholeNumbers, rope_radius: Numbers = ..., contact_stiffness_per_length: Numbers, lateral_friction_ratio: Numbers = ..., lateral_stiffness_ratio: Numbers = ..., suction_coefficient: Numbers = ..., suction_distance: Numbers = ...) -> ContactFrictionBedCableEntity: ...
    @overload
    def add(self, component: type[ContactFrictionBedTwistCable], *, name: str = ..., part: Part | None = ..., surface: One = ..., cable: One = ..., data: One = ..., contact_damping_per_length: Numbers = ..., friction_velocity_penalty_per_length: Numbers = ..., friction_stiffness_per_length: Numbers = ..., friction_coefficient: Numbers = ..., clip_normal_force: YesNo = ..., active: YesNo = ..., points: WholeNumbers, rope_radius: Numbers, contact_stiffness_per_length: Numbers, lateral_friction_ratio: Numbers = ..., lateral_stiffness_ratio: Numbers = ..., suction_coefficient: Numbers = ..., suction_distance: Numbers = ...) -> ContactFrictionBedTwistCableEntity: ...
    @overload
    def add(self, component: type[ContactFrictionBedTwistWinch], *, name: str = ..., part: Part | None = ..., surface: One = ..., cable: One = ..., data: One = ..., contact_damping_per_length: Numbers = ..., friction_velocity_penalty_per_length: Numbers = ..., friction_stiffness_per_length: Numbers = ..., friction_coefficient: Numbers = ..., clip_normal_force: YesNo = ..., active: YesNo = ..., points: WholeNumbers, rope_radius: Numbers, contact_stiffness_per_length: Numbers, lateral_friction_ratio: Numbers = ..., lateral_stiffness_ratio: Numbers = ..., suction_coefficient: Numbers = ..., suction_distance: Numbers = ...) -> ContactFrictionBedTwistWinchEntity: ...
    @overload
    def add(self, component: type[ContactFrictionBedWinch], *, name: str = ..., part: Part | None = ..., surface: One = ..., cable: One = ..., data: One = ..., contact_damping_per_length: Numbers = ..., friction_velocity_penalty_per_length: Numbers = ..., friction_stiffness_per_length: Numbers = ..., friction_coefficient: Numbers = ..., clip_normal_force: YesNo = ..., active: YesNo = ..., points: WholeNumbers, rope_radius: Numbers = ..., contact_stiffness_per_length: Numbers, lateral_friction_ratio: Numbers = ..., lateral_stiffness_ratio: Numbers = ..., suction_coefficient: Numbers = ..., suction_distance: Numbers = ...) -> ContactFrictionBedWinchEntity: ...
    @overload
    def add(self, component: type[ContactFrictionCables3D], *, name: str = ..., part: Part | None = ..., contact_set: One = ..., cable: One = ..., data: One = ..., points: WholeNumbers, radius: Numbers) -> ContactFrictionCables3DEntity: ...
    @overload
    def add(self, component: type[ContactFrictionCircleCable2D], *, name: str = ..., part: Part | None = ..., circle: One = ..., cable: One = ..., data: One = ..., segments: WholeNumbers, contact_stiffness: Numbers = ..., contact_stiffness_per_length: Numbers = ..., contact_damping: Numbers = ..., contact_damping_per_length: Numbers = ..., damping_depth: Numbers = ..., circle_radius: Numbers, clip_normal_force: YesNo = ..., active: YesNo = ..., friction_velocity_penalty: Numbers = ..., friction_velocity_penalty_per_length: Numbers = ..., friction_stiffness: Numbers = ..., friction_stiffness_per_length: Numbers = ..., friction_coefficient: Numbers = ..., use_segment_normals: YesNo = ..., sticking_length: Words = ...) -> ContactFrictionCircleCable2DEntity: ...
    @overload
    def add(self, component: type[ContactFrictionCirclePoints2D], *, name: str = ..., part: Part | None = ..., circle: One = ..., cable: One = ..., data: One = ..., contact_damping_per_length: Numbers = ..., friction_velocity_penalty_per_length: Numbers = ..., friction_stiffness_per_length: Numbers = ..., friction_coefficient: Numbers = ..., clip_normal_force: YesNo = ..., active: YesNo = ..., segments: WholeNumbers, vertical_offset: Numbers = ..., contact_stiffness_per_length: Numbers = ..., circle_radius: Numbers, cord_offset: Numbers = ..., press: Numbers = ..., rigid_layer: YesNo = ...) -> ContactFrictionCirclePoints2DEntity: ...
    @overload
    def add(self, component: type[ContactFrictionCircleSetPoints2D], *, name: str = ..., part: Part | None = ..., contact_set: One = ..., cable: One = ..., data: One = ..., contact_damping_per_length: Numbers = ..., friction_velocity_penalty_per_length: Numbers = ..., friction_stiffness_per_length: Numbers = ..., friction_coefficient: Numbers = ..., clip_normal_force: YesNo = ..., active: YesNo = ..., segments: WholeNumbers, vertical_offset: Numbers = ..., contact_stiffness_per_length: Numbers = ...) -> ContactFrictionCircleSetPoints2DEntity: ...
    @overload
    def add(self, component: type[ContactFrictionCircleWinch2D], *, name: str = ..., part: Part | None = ..., circle: One = ..., cable: One = ..., data: One = ..., contact_damping_per_length: Numbers = ..., friction_velocity_penalty_per_length: Numbers = ..., friction_stiffness_per_length: Numbers = ..., friction_coefficient: Numbers = ..., clip_normal_force: YesNo = ..., active: YesNo = ..., segments: WholeNumbers, contact_stiffness_per_length: Numbers = ..., circle_radius: Numbers) -> ContactFrictionCircleWinch2DEntity: ...
    @overload
    def add(self, component: type[ContactFrictionSurfaceBeam3D], *, name: str = ..., part: Part | None = ..., surface: One = ..., cable: One = ..., data: One = ..., contact_damping_per_length: Numbers = ..., friction_velocity_penalty_per_length: Numbers = ..., friction_stiffness_per_length: Numbers = ..., friction_coefficient: Numbers = ..., clip_normal_force: YesNo = ..., active: YesNo = ..., points: WholeNumbers, rope_radius: Numbers, contact_stiffness_per_length: Numbers) -> ContactFrictionSurfaceBeam3DEntity: ...
    @overload
    def add(self, component: type[ContactFrictionSurfaceCable], *, name: str = ..., part: Part | None = ..., surface: One = ..., cable: One = ..., data: One = ..., contact_damping_per_length: Numbers = ..., friction_velocity_penalty_per_length: Numbers = ..., friction_stiffness_per_length: Numbers = ..., friction_coefficient: Numbers = ..., clip_normal_force: YesNo = ..., active: YesNo = ..., points: WholeNumbers, rope_radius: Numbers = ..., contact_stiffness_per_length: Numbers) -> ContactFrictionSurfaceCableEntity: ...
    @overload
    def add(self, component: type[ContactFrictionSurfaceRibbon], *, name: str = ..., part: Part | None = ..., surface: One = ..., cable: One = ..., data: One = ..., contact_damping_per_length: Numbers = ..., friction_velocity_penalty_per_length: Numbers = ..., friction_stiffness_per_length: Numbers = ..., friction_coefficient: Numbers = ..., clip_normal_force: YesNo = ..., active: YesNo = ..., points: WholeNumbers, lines: WholeNumbers = ..., width: Numbers, rope_radius: Numbers = ..., contact_stiffness_per_length: Numbers) -> ContactFrictionSurfaceRibbonEntity: ...
    @overload
    def add(self, component: type[ContactFrictionSurfaceSetBeam3D], *, name: str = ..., part: Part | None = ..., contact_set: One = ..., cable: One = ..., data: One = ..., contact_damping_per_length: Numbers = ..., friction_velocity_penalty_per_length: Numbers = ..., friction_stiffness_per_length: Numbers = ..., friction_coefficient: Numbers = ..., clip_normal_force: YesNo = ..., active: YesNo = ..., points: WholeNumbers, rope_radius: Numbers, contact_stiffness_per_length: Numbers) -> ContactFrictionSurfaceSetBeam3DEntity: ...
    @overload
    def add(self, component: type[ContactFrictionSurfaceSetCable], *, name: str = ..., part: Part | None = ..., contact_set: One = ..., cable: One = ..., data: One = ..., contact_damping_per_length: Numbers = ..., friction_velocity_penalty_per_length: Numbers = ..., friction_stiffness_per_length: Numbers = ..., friction_coefficient: Numbers = ..., clip_normal_force: YesNo = ..., active: YesNo = ..., points: WholeNumbers, rope_radius: Numbers = ..., contact_stiffness_per_length: Numbers) -> ContactFrictionSurfaceSetCableEntity: ...
    @overload
    def add(self, component: type[ContactFrictionSurfaceSetTwistCable], *, name: str = ..., part: Part | None = ..., contact_set: One = ..., cable: One = ..., data: One = ..., contact_damping_per_length: Numbers = ..., friction_velocity_penalty_per_length: Numbers = ..., friction_stiffness_per_length: Numbers = ..., friction_coefficient: Numbers = ..., clip_normal_force: YesNo = ..., active: YesNo = ..., points: WholeNumbers, rope_radius: Numbers, contact_stiffness_per_length: Numbers) -> ContactFrictionSurfaceSetTwistCableEntity: ...
    @overload
    def add(self, component: type[ContactFrictionSurfaceSetTwistWinch], *, name: str = ..., part: Part | None = ..., contact_set: One = ..., cable: One = ..., data: One = ..., contact_damping_per_length: Numbers = ..., friction_velocity_penalty_per_length: Numbers = ..., friction_stiffness_per_length: Numbers = ..., friction_coefficient: Numbers = ..., clip_normal_force: YesNo = ..., active: YesNo = ..., points: WholeNumbers, rope_radius: Numbers, contact_stiffness_per_length: Numbers) -> ContactFrictionSurfaceSetTwistWinchEntity: ...
    @overload
    def add(self, component: type[ContactFrictionSurfaceSetWinch], *, name: str = ..., part: Part | None = ..., contact_set: One = ..., cable: One = ..., data: One = ..., contact_damping_per_length: Numbers = ..., friction_velocity_penalty_per_length: Numbers = ..., friction_stiffness_per_length: Numbers = ..., friction_coefficient: Numbers = ..., clip_normal_force: YesNo = ..., active: YesNo = ..., points: WholeNumbers, rope_radius: Numbers = ..., contact_stiffness_per_length: Numbers) -> ContactFrictionSurfaceSetWinchEntity: ...
    @overload
    def add(self, component: type[ContactFrictionSurfaceTwistCable], *, name: str = ..., part: Part | None = ..., surface: One = ..., cable: One = ..., data: One = ..., contact_damping_per_length: Numbers = ..., friction_velocity_penalty_per_length: Numbers = ..., friction_stiffness_per_length: Numbers = ..., friction_coefficient: Numbers = ..., clip_normal_force: YesNo = ..., active: YesNo = ..., points: WholeNumbers, rope_radius: Numbers, contact_stiffness_per_length: Numbers) -> ContactFrictionSurfaceTwistCableEntity: ...
    @overload
    def add(self, component: type[ContactFrictionSurfaceTwistWinch], *, name: str = ..., part: Part | None = ..., surface: One = ..., cable: One = ..., data: One = ..., contact_damping_per_length: Numbers = ..., friction_velocity_penalty_per_length: Numbers = ..., friction_stiffness_per_length: Numbers = ..., friction_coefficient: Numbers = ..., clip_normal_force: YesNo = ..., active: YesNo = ..., points: WholeNumbers, rope_radius: Numbers, contact_stiffness_per_length: Numbers) -> ContactFrictionSurfaceTwistWinchEntity: ...
    @overload
    def add(self, component: type[ContactFrictionSurfaceWinch], *, name: str = ..., part: Part | None = ..., surface: One = ..., cable: One = ..., data: One = ..., contact_damping_per_length: Numbers = ..., friction_velocity_penalty_per_length: Numbers = ..., friction_stiffness_per_length: Numbers = ..., friction_coefficient: Numbers = ..., clip_normal_force: YesNo = ..., active: YesNo = ..., points: WholeNumbers, rope_radius: Numbers = ..., contact_stiffness_per_length: Numbers) -> ContactFrictionSurfaceWinchEntity: ...
    @overload
    def add(self, component: type[ContactHalfSpace], *, name: str = ..., part: Part | None = ..., contact_set: One = ..., marker: One = ..., material: One = ..., position: Numbers = ..., rotation: Numbers = ...) -> ContactHalfSpaceEntity: ...
    @overload
    def add(self, component: type[ContactMaterial], *, name: str = ..., part: Part | None = ..., plane_strain_modulus: Numbers, dissipation: Numbers = ..., static_friction: Numbers = ..., dynamic_friction: Numbers = ..., viscous_friction: Numbers = ...) -> ContactMaterialEntity: ...
    @overload
    def add(self, component: type[ContactSet], *, name: str = ..., part: Part | None = ..., skin: Numbers = ...) -> ContactSetEntity: ...
    @overload
    def add(self, component: type[ContactSphere], *, name: str = ..., part: Part | None = ..., contact_set: One = ..., marker: One = ..., material: One = ..., radius: Numbers, position: Numbers = ...) -> ContactSphereEntity: ...
    @overload
    def add(self, component: type[ContactSphereSphere], *, name: str = ..., part: Part | None = ..., marker0: One = ..., marker1: One = ..., data: One = ..., radius0: Numbers, radius1: Numbers, hollow: YesNo = ..., contact_stiffness: Numbers, contact_damping: Numbers = ..., exponent: Numbers = ..., friction: Numbers = ..., proportional_zone: Numbers = ..., impact_model: Words = ..., restitution: Numbers = ..., least_impact_speed: Numbers = ..., plasticity_ratio: Numbers = ..., pull_off_force: Numbers = ..., adhesion_stiffness: Numbers = ..., adhesion_exponent: Numbers = ..., active: YesNo = ...) -> ContactSphereSphereEntity: ...
    @overload
    def add(self, component: type[CoordinateConstraint], *, name: str = ..., part: Part | None = ..., marker0: One = ..., marker1: One = ..., ratio: Numbers = ..., offset: Numbers = ..., offset_function: UserFunctions = ..., offset_rate_function: UserFunctions = ..., velocity_level: YesNo = ..., rate: Numbers = ..., rate_function: UserFunctions = ..., active: YesNo = ...) -> CoordinateConstraintEntity: ...
    @overload
    def add(self, component: type[CoordinateLoad], *, name: str = ..., part: Part | None = ..., marker: One, value: Numbers = ..., function: UserFunctions = ..., active: YesNo = ...) -> CoordinateLoadEntity: ...
    @overload
    def add(self, component: type[CoordinateSpringDamper], *, name: str = ..., part: Part | None = ..., marker0: One = ..., marker1: One = ..., stiffness: Numbers = ..., damping: Numbers = ..., offset: Numbers = ..., force_function: UserFunctions = ..., force_derivative: UserFunctions = ..., active: YesNo = ...) -> CoordinateSpringDamperEntity: ...
    @overload
    def add(self, component: type[CoordinateSpringDamperExt], *, name: str = ..., part: Part | None = ..., marker0: One = ..., marker1: One = ..., data: One = ..., factor0: Numbers = ..., factor1: Numbers = ..., stiffness: Numbers = ..., damping: Numbers = ..., offset: Numbers = ..., rate_offset: Numbers = ..., dynamic_friction: Numbers = ..., static_friction_offset: Numbers = ..., decay_velocity: Numbers = ..., viscous_friction: Numbers = ..., sticking_stiffness: Numbers = ..., sticking_damping: Numbers = ..., proportional_zone: Numbers = ..., stops: YesNo = ..., lower_stop: Numbers = ..., upper_stop: Numbers = ..., stop_stiffness: Numbers = ..., stop_damping: Numbers = ..., force_function: UserFunctions = ..., force_derivative: UserFunctions = ..., active: YesNo = ...) -> CoordinateSpringDamperExtEntity: ...
    @overload
    def add(self, component: type[CoordinateVectorConstraint], *, name: str = ..., part: Part | None = ..., node0: One = ..., node1: One = ..., factors0: Numbers = ..., factors1: Numbers = ..., squares0: Numbers = ..., squares1: Numbers = ..., offset: Numbers = ..., offset_function: UserFunctions = ..., constraint_function: UserFunctions = ..., gradient_function: UserFunctions = ..., velocity_level: YesNo = ..., active: YesNo = ...) -> CoordinateVectorConstraintEntity: ...
    @overload
    def add(self, component: type[CurveProfile], *, name: str = ..., part: Part | None = ..., points: Numbers, curvatures: Numbers = ..., closed: YesNo = ...) -> CurveProfileEntity: ...
    @overload
    def add(self, component: type[CylinderFluidLoad], *, name: str = ..., part: Part | None = ..., marker: One = ..., fluid: One = ..., diameter: Numbers, length: Numbers, axis: Numbers = ..., strips: WholeNumbers = ..., normal_drag: Numbers = ..., axial_drag: Numbers = ..., end_drag: Numbers = ..., added_mass: Numbers = ..., end_added_mass: Numbers = ..., active: YesNo = ...) -> CylinderFluidLoadEntity: ...
    @overload
    def add(self, component: type[DistanceConstraint], *, name: str = ..., part: Part | None = ..., marker0: One, marker1: One, distance: Numbers, active: YesNo = ...) -> DistanceConstraintEntity: ...
    @overload
    def add(self, component: type[DistanceCoordinate], *, name: str = ..., part: Part | None = ..., marker0: One, marker1: One, length: Numbers = ...) -> DistanceCoordinateEntity: ...
    @overload
    def add(self, component: type[DrumSurface], *, name: str = ..., part: Part | None = ..., marker: One, axis: Numbers = ..., radius: Numbers, half_width: Numbers = ..., depth: Numbers = ...) -> DrumSurfaceEntity: ...
    @overload
    def add(self, component: type[FibreCable2D], *, name: str = ..., part: Part | None = ..., node0: One, node1: One, slow: One, length: Numbers, mass_per_length: Numbers, axial_stiffness: Numbers, bending_stiffness: Numbers, axial_damping: Numbers = ..., bending_damping: Numbers = ..., reference_strain: Numbers = ..., reference_curvature: Numbers = ..., strain_is_relative_to_reference: Numbers = ..., integration: WholeNumbers = ..., broken: YesNo = ..., slow_stiffness: Numbers = ..., static_stiffness: Numbers = ..., slow_damping: Numbers, stiffening: Numbers = ...) -> FibreCable2DEntity: ...
    @overload
    def add(self, component: type[FibreCable3D], *, name: str = ..., part: Part | None = ..., node0: One, node1: One, slow: One, length: Numbers, mass_per_length: Numbers, axial_stiffness: Numbers, bending_stiffness: Numbers, axial_damping: Numbers = ..., bending_damping: Numbers = ..., reference_strain: Numbers = ..., reference_curvature: Numbers = ..., strain_is_relative_to_reference: Numbers = ..., integration: WholeNumbers = ..., broken: YesNo = ..., slow_stiffness: Numbers = ..., static_stiffness: Numbers = ..., slow_damping: Numbers, stiffening: Numbers = ...) -> FibreCable3DEntity: ...
    @overload
    def add(self, component: type[Fluid], *, name: str = ..., part: Part | None = ..., density: Numbers, gravity: Numbers = ..., fills: Words = ..., surface: Numbers = ..., transition: Numbers = ..., depth: Numbers = ..., velocity: Numbers = ..., profile: Words = ..., reference_height: Numbers = ..., exponent: Numbers = ..., roughness: Numbers = ..., table_heights: Numbers = ..., table_x: Numbers = ..., table_y: Numbers = ..., wave_amplitudes: Numbers = ..., wave_frequencies: Numbers = ..., wave_directions: Numbers = ..., wave_phases: Numbers = ..., wave_numbers: Numbers = ..., wave_velocities: Numbers = ..., wave_current: YesNo = ..., stretching: Words = ..., wave_growth: Numbers = ..., gust_amplitudes: Numbers = ..., gust_frequencies: Numbers = ..., gust_phases: Numbers = ..., function: UserFunctions = ...) -> FluidEntity: ...
    @overload
    def add(self, component: type[FluidLoad], *, name: str = ..., part: Part | None = ..., cable: One, fluid: One, diameter: Numbers, normal_drag: Numbers = ..., axial_drag: Numbers = ..., added_mass: Numbers = ..., axial_added_mass: Numbers = ..., constant_volume: YesNo = ..., vibration_frequency: Numbers = ..., vibration_amplitude: Numbers = ..., vibration_gain: Numbers = ..., points: WholeNumbers = ..., active: YesNo = ...) -> FluidLoadEntity: ...
    @overload
    def add(self, component: type[Force], *, name: str = ..., part: Part | None = ..., marker: One, vector: Numbers = ..., function: UserFunctions = ..., body_fixed: YesNo = ..., active: YesNo = ...) -> ForceEntity: ...
    @overload
    def add(self, component: type[GearPair], *, name: str = ..., part: Part | None = ..., marker0: One = ..., marker1: One = ..., data: One = ..., teeth0: WholeNumbers, teeth1: WholeNumbers, module: Numbers, pressure_angle: Numbers = ..., mesh_stiffness: Numbers, mesh_damping: Numbers = ..., backlash: Numbers = ..., axis: Numbers = ..., active: YesNo = ...) -> GearPairEntity: ...
    @overload
    def add(self, component: type[GenericJoint], *, name: str = ..., part: Part | None = ..., marker0: One, marker1: One, translations: YesNo = ..., rotations: YesNo = ..., frame0: Numbers = ..., frame1: Numbers = ..., offset: Numbers = ..., offset_function: UserFunctions = ..., offset_rate_function: UserFunctions = ..., active: YesNo = ...) -> GenericJointEntity: ...
    @overload
    def add(self, component: type[GenericODE1], *, name: str = ..., part: Part | None = ..., inputs: Chain = ..., node: One = ..., constant: Numbers = ..., system_matrix: Numbers = ..., input_matrix: Numbers = ..., rate_matrix: Numbers = ..., state_function: UserFunctions = ..., state_derivative: UserFunctions = ...) -> GenericODE1Entity: ...
    @overload
    def add(self, component: type[GenericODE2], *, name: str = ..., part: Part | None = ..., nodes: Chain = ..., mass: Numbers = ..., damping: Numbers = ..., stiffness: Numbers = ..., force: Numbers = ..., force_function: UserFunctions = ..., force_derivative: UserFunctions = ..., mass_function: UserFunctions = ..., translations: Numbers = ..., points: Numbers = ..., basis: Numbers = ..., lines: Numbers = ...) -> GenericODE2Entity: ...
    @overload
    def add(self, component: type[Ground], *, name: str = ..., part: Part | None = ..., position: Numbers = ...) -> GroundEntity: ...
    @overload
    def add(self, component: type[HeightFieldSurface], *, name: str = ..., part: Part | None = ..., marker: One = ..., axis: Numbers = ..., along: Numbers = ..., x: Numbers, y: Numbers, heights: Numbers, depth: Numbers = ...) -> HeightFieldSurfaceEntity: ...
    @overload
    def add(self, component: type[HuntCrossley], *, name: str = ..., part: Part | None = ..., contact_set: One = ..., data: One = ..., transition_velocity: Numbers = ..., modulus_rule: Words = ..., enabled: YesNo = ...) -> HuntCrossleyEntity: ...
    @overload
    def add(self, component: type[HydraulicActuator], *, name: str = ..., part: Part | None = ..., inputs: Chain = ..., marker0: One, marker1: One, node: One, offset_length: Numbers, stroke_length: Numbers, area0: Numbers, area1: Numbers, hose_volume0: Numbers, hose_volume1: Numbers, valve_opening0: Numbers = ..., valve_opening1: Numbers = ..., valve_function: UserFunctions = ..., valve_derivative: UserFunctions = ..., damping: Numbers = ..., oil_bulk_modulus: Numbers, cylinder_bulk_modulus: Numbers = ..., hose_bulk_modulus: Numbers = ..., nominal_flow: Numbers, system_pressure: Numbers, tank_pressure: Numbers = ..., volume_change: YesNo = ..., active: YesNo = ...) -> HydraulicActuatorEntity: ...
    @overload
    def add(self, component: type[JointStop], *, name: str = ..., part: Part | None = ..., marker0: One = ..., marker1: One = ..., data: One = ..., direction: WholeNumbers, lower: Numbers = ..., upper: Numbers = ..., stiffness: Numbers, dissipation: Numbers = ..., frame0: Numbers = ..., frame1: Numbers = ..., active: YesNo = ...) -> JointStopEntity: ...
    @overload
    def add(self, component: type[LineLoad], *, name: str = ..., part: Part | None = ..., cable: One, vector: Numbers = ..., function: UserFunctions = ..., force_function: UserFunctions = ..., per: Words = ..., body_fixed: YesNo = ..., points: WholeNumbers = ..., active: YesNo = ...) -> LineLoadEntity: ...
    @overload
    def add(self, component: type[LineTorque], *, name: str = ..., part: Part | None = ..., cable: One, vector: Numbers = ..., function: UserFunctions = ..., body_fixed: YesNo = ..., points: WholeNumbers = ..., active: YesNo = ...) -> LineTorqueEntity: ...
    @overload
    def add(self, component: type[LinearSpringDamper], *, name: str = ..., part: Part | None = ..., marker0: One = ..., marker1: One = ..., axis: Numbers = ..., stiffness: Numbers = ..., damping: Numbers = ..., offset: Numbers = ..., rate_offset: Numbers = ..., preload: Numbers = ..., force_function: UserFunctions = ..., force_derivative: UserFunctions = ..., moment_arm: YesNo = ..., active: YesNo = ...) -> LinearSpringDamperEntity: ...
    @overload
    def add(self, component: type[LoadCell], *, name: str = ..., part: Part | None = ..., joint: One, node: One, weights: Numbers = ..., time_constant: Numbers) -> LoadCellEntity: ...
    @overload
    def add(self, component: type[MassPoint], *, name: str = ..., part: Part | None = ..., node: One = ..., mass: Numbers, position: Numbers = ..., displacement: Numbers = ..., velocity: Numbers = ...) -> MassPointEntity: ...
    @overload
    def add(self, component: type[MassProportional], *, name: str = ..., part: Part | None = ..., body: One, acceleration: Numbers = ..., function: UserFunctions = ..., active: YesNo = ...) -> MassProportionalEntity: ...
    @overload
    def add(self, component: type[MeshFluidLoad], *, name: str = ..., part: Part | None = ..., marker: One = ..., fluid: One = ..., mesh: One = ..., parts: WholeNumbers = ..., drag: Numbers = ..., drag_area: Numbers = ..., added_mass: Numbers = ..., active: YesNo = ...) -> MeshFluidLoadEntity: ...
    @overload
    def add(self, component: type[NodeCoordinate], *, name: str = ..., part: Part | None = ..., node: One = ..., coordinate: WholeNumbers = ...) -> NodeCoordinateEntity: ...
    @overload
    def add(self, component: type[NodePosition], *, name: str = ..., part: Part | None = ..., node: One) -> NodePositionEntity: ...
    @overload
    def add(self, component: type[OverrunningClutch], *, name: str = ..., part: Part | None = ..., marker0: One = ..., marker1: One = ..., data: One = ..., stiffness: Numbers, damping: Numbers = ..., drag_torque: Numbers = ..., largest_torque: Numbers = ..., direction: Numbers = ..., active: YesNo = ...) -> OverrunningClutchEntity: ...
    @overload
    def add(self, component: type[PlaneSurface], *, name: str = ..., part: Part | None = ..., marker: One, axis: Numbers = ..., along: Numbers = ..., offset: Numbers = ..., half_length: Numbers = ..., half_width: Numbers = ..., outer_radius: Numbers = ..., depth: Numbers = ...) -> PlaneSurfaceEntity: ...
    @overload
    def add(self, component: type[Point2D], *, name: str = ..., part: Part | None = ..., position: Numbers, displacement: Numbers = ..., velocity: Numbers = ...) -> Point2DEntity: ...
    @overload
    def add(self, component: type[Point3D], *, name: str = ..., part: Part | None = ..., position: Numbers, displacement: Numbers = ..., velocity: Numbers = ...) -> Point3DEntity: ...
    @overload
    def add(self, component: type[PointCoordinate], *, name: str = ..., part: Part | None = ..., marker1: One, direction: Numbers, origin: Numbers = ...) -> PointCoordinateEntity: ...
    @overload
    def add(self, component: type[PointSectionSlopes3D], *, name: str = ..., part: Part | None = ..., position: Numbers, slope2: Numbers = ..., slope3: Numbers = ..., displacement: Numbers = ..., velocity: Numbers = ...) -> PointSectionSlopes3DEntity: ...
    @overload
    def add(self, component: type[PointSlope2D], *, name: str = ..., part: Part | None = ..., shares_position: One = ..., position: Numbers = ..., slope: Numbers = ..., displacement: Numbers = ..., velocity: Numbers = ...) -> PointSlope2DEntity: ...
    @overload
    def add(self, component: type[PointSlope3D], *, name: str = ..., part: Part | None = ..., shares_position: One = ..., position: Numbers = ..., slope: Numbers = ..., displacement: Numbers = ..., velocity: Numbers = ...) -> PointSlope3DEntity: ...
    @overload
    def add(self, component: type[PointSlopeTwist3D], *, name: str = ..., part: Part | None = ..., shares_position: One = ..., position: Numbers = ..., slope: Numbers = ..., twist: Numbers = ..., displacement: Numbers = ..., velocity: Numbers = ..., normal: Numbers = ..., turned_from: Numbers = ...) -> PointSlopeTwist3DEntity: ...
    @overload
    def add(self, component: type[PolylineSurface], *, name: str = ..., part: Part | None = ..., marker: One = ..., axis: Numbers = ..., along: Numbers = ..., vertices: Numbers, rounding: Numbers = ..., depth: Numbers = ...) -> PolylineSurfaceEntity: ...
    @overload
    def add(self, component: type[PositionOnBeam2D], *, name: str = ..., part: Part | None = ..., beam: One, x: Numbers = ..., y: Numbers = ...) -> PositionOnBeam2DEntity: ...
    @overload
    def add(self, component: type[PositionOnBeam3D], *, name: str = ..., part: Part | None = ..., beam: One, x: Numbers = ..., offset: Numbers = ...) -> PositionOnBeam3DEntity: ...
    @overload
    def add(self, component: type[PositionOnCable], *, name: str = ..., part: Part | None = ..., cable: One, x: Numbers = ..., y: Numbers = ...) -> PositionOnCableEntity: ...
    @overload
    def add(self, component: type[PositionOnCable3D], *, name: str = ..., part: Part | None = ..., cable: One, x: Numbers = ..., offset: Numbers = ...) -> PositionOnCable3DEntity: ...
    @overload
    def add(self, component: type[PositionOnGround], *, name: str = ..., part: Part | None = ..., ground: One, local: Numbers = ...) -> PositionOnGroundEntity: ...
    @overload
    def add(self, component: type[PositionOnRigid2D], *, name: str = ..., part: Part | None = ..., body: One, local: Numbers = ...) -> PositionOnRigid2DEntity: ...
    @overload
    def add(self, component: type[PositionOnRigid3D], *, name: str = ..., part: Part | None = ..., body: One, local: Numbers = ...) -> PositionOnRigid3DEntity: ...
    @overload
    def add(self, component: type[PositionOnSlopeBeam3D], *, name: str = ..., part: Part | None = ..., beam: One, x: Numbers = ..., offset: Numbers = ...) -> PositionOnSlopeBeam3DEntity: ...
    @overload
    def add(self, component: type[PositionOnTwistCable3D], *, name: str = ..., part: Part | None = ..., cable: One, x: Numbers = ..., offset: Numbers = ...) -> PositionOnTwistCable3DEntity: ...
    @overload
    def add(self, component: type[PrismaticJoint2D], *, name: str = ..., part: Part | None = ..., marker0: One, marker1: One, axis: Numbers, lock_rotation: YesNo = ..., angle: Numbers = ..., active: YesNo = ...) -> PrismaticJoint2DEntity: ...
    @overload
    def add(self, component: type[ProfileSurface], *, name: str = ..., part: Part | None = ..., marker: One = ..., axis: Numbers = ..., vertices: Numbers, rounding: Numbers = ..., depth: Numbers = ...) -> ProfileSurfaceEntity: ...
    @overload
    def add(self, component: type[ReevingSystemSprings], *, name: str = ..., part: Part | None = ..., markers: Chain, coordinate0: One = ..., coordinate1: One = ..., radii: Numbers = ..., axes: Numbers = ..., reference_length: Numbers, axial_stiffness: Numbers, axial_damping: Numbers = ..., preload: Numbers = ..., slack_force: Numbers = ..., twist_damping: Numbers = ..., shear_damping: Numbers = ..., factor0: Numbers = ..., factor1: Numbers = ..., active: YesNo = ...) -> ReevingSystemSpringsEntity: ...
    @overload
    def add(self, component: type[RevoluteJoint2D], *, name: str = ..., part: Part | None = ..., marker0: One, marker1: One, active: YesNo = ...) -> RevoluteJoint2DEntity: ...
    @overload
    def add(self, component: type[RigidBody2D], *, name: str = ..., part: Part | None = ..., node: One = ..., mass: Numbers, inertia: Numbers, center_of_mass: Numbers = ..., position: Numbers = ..., angle: Numbers = ..., displacement: Numbers = ..., velocity: Numbers = ...) -> RigidBody2DEntity: ...
    @overload
    def add(self, component: type[RigidBody3D], *, name: str = ..., part: Part | None = ..., node: One = ..., mass: Numbers, inertia: Numbers, center_of_mass: Numbers = ..., position: Numbers = ..., euler_parameters: Numbers = ..., displacement: Numbers = ..., velocity: Numbers = ..., angular_velocity: Numbers = ...) -> RigidBody3DEntity: ...
    @overload
    def add(self, component: type[RigidBodySpringDamper], *, name: str = ..., part: Part | None = ..., marker0: One = ..., marker1: One = ..., stiffness: Numbers = ..., damping: Numbers = ..., offset: Numbers = ..., frame0: Numbers = ..., frame1: Numbers = ..., force_function: UserFunctions = ..., force_derivative: UserFunctions = ..., moment_arm: YesNo = ..., active: YesNo = ...) -> RigidBodySpringDamperEntity: ...
    @overload
    def add(self, component: type[RigidNode2D], *, name: str = ..., part: Part | None = ..., position: Numbers, angle: Numbers = ..., displacement: Numbers = ..., velocity: Numbers = ...) -> RigidNode2DEntity: ...
    @overload
    def add(self, component: type[RigidNode3D], *, name: str = ..., part: Part | None = ..., position: Numbers, euler_parameters: Numbers = ..., displacement: Numbers = ..., velocity: Numbers = ..., angular_velocity: Numbers = ...) -> RigidNode3DEntity: ...
    @overload
    def add(self, component: type[RigidNodePosition], *, name: str = ..., part: Part | None = ..., node: One) -> RigidNodePositionEntity: ...
    @overload
    def add(self, component: type[RigidNodePosition3D], *, name: str = ..., part: Part | None = ..., node: One) -> RigidNodePosition3DEntity: ...
    @overload
    def add(self, component: type[RollingDiscPenalty], *, name: str = ..., part: Part | None = ..., marker0: One = ..., marker1: One = ..., data: One = ..., radius: Numbers, axis: Numbers = ..., normal: Numbers = ..., contact_stiffness: Numbers, contact_damping: Numbers = ..., friction: Numbers = ..., viscous_friction: Numbers = ..., friction_angle: Numbers = ..., proportional_zone: Numbers = ..., linear_zone: YesNo = ..., active: YesNo = ...) -> RollingDiscPenaltyEntity: ...
    @overload
    def add(self, component: type[RollingJoint], *, name: str = ..., part: Part | None = ..., marker0: One, marker1: One, radius: Numbers, axis: Numbers = ..., normal: Numbers = ..., axes: YesNo = ..., active: YesNo = ...) -> RollingJointEntity: ...
    @overload
    def add(self, component: type[RotationCoordinate], *, name: str = ..., part: Part | None = ..., node: One = ..., data: One = ..., axis: Numbers = ...) -> RotationCoordinateEntity: ...
    @overload
    def add(self, component: type[RotationOnBeam2D], *, name: str = ..., part: Part | None = ..., beam: One, x: Numbers = ...) -> RotationOnBeam2DEntity: ...
    @overload
    def add(self, component: type[RotationOnBeam3D], *, name: str = ..., part: Part | None = ..., beam: One = ..., data: One = ..., x: Numbers = ..., axis: Numbers = ...) -> RotationOnBeam3DEntity: ...
    @overload
    def add(self, component: type[SectionNodePosition], *, name: str = ..., part: Part | None = ..., node: One) -> SectionNodePositionEntity: ...
    @overload
    def add(self, component: type[SetCircle], *, name: str = ..., part: Part | None = ..., contact_set: One, circle: One, radius: Numbers) -> SetCircleEntity: ...
    @overload
    def add(self, component: type[SetSurface], *, name: str = ..., part: Part | None = ..., contact_set: One, surface: One) -> SetSurfaceEntity: ...
    @overload
    def add(self, component: type[SheaveSurface], *, name: str = ..., part: Part | None = ..., marker: One, axis: Numbers = ..., radius: Numbers, groove_radius: Numbers, flank_half_angle: Numbers = ..., outer_radius: Numbers, depth: Numbers = ...) -> SheaveSurfaceEntity: ...
    @overload
    def add(self, component: type[SlidingJoint], *, name: str = ..., part: Part | None = ..., track: One = ..., node: One = ..., marker: One = ..., data: One = ..., damping: Numbers = ..., friction_coefficient: Numbers = ..., friction_speed: Numbers = ..., leaves: YesNo = ..., active: YesNo = ...) -> SlidingJointEntity: ...
    @overload
    def add(self, component: type[SlidingNode], *, name: str = ..., part: Part | None = ..., reference: Numbers = ..., displacement: Numbers = ..., velocity: Numbers = ...) -> SlidingNodeEntity: ...
    @overload
    def add(self, component: type[SlopeBeam3D], *, name: str = ..., part: Part | None = ..., node0: One = ..., node1: One = ..., node2: One = ..., node3: One = ..., stiffness: Numbers, mass_per_length: Numbers, damping: Numbers = ..., length: Numbers = ..., reference_strain: Numbers = ..., broken: YesNo = ..., rotary_inertia: Numbers, section_stiffness: Numbers = ..., section_damping: Numbers = ...) -> SlopeBeam3DEntity: ...
    @overload
    def add(self, component: type[SphereFluidLoad], *, name: str = ..., part: Part | None = ..., marker: One = ..., fluid: One = ..., diameter: Numbers, drag: Numbers = ..., added_mass: Numbers = ..., active: YesNo = ...) -> SphereFluidLoadEntity: ...
    @overload
    def add(self, component: type[SphereSurface], *, name: str = ..., part: Part | None = ..., marker: One, axis: Numbers = ..., radius: Numbers, inside: YesNo = ..., depth: Numbers = ...) -> SphereSurfaceEntity: ...
    @overload
    def add(self, component: type[SphericalJoint], *, name: str = ..., part: Part | None = ..., marker0: One, marker1: One, axes: YesNo = ..., active: YesNo = ...) -> SphericalJointEntity: ...
    @overload
    def add(self, component: type[SpringDamper], *, name: str = ..., part: Part | None = ..., marker0: One = ..., marker1: One = ..., rest_length: Numbers, stiffness: Numbers = ..., damping: Numbers = ..., preload: Numbers = ..., tension_only: YesNo = ..., force_function: UserFunctions = ..., force_derivative: UserFunctions = ..., active: YesNo = ...) -> SpringDamperEntity: ...
    @overload
    def add(self, component: type[StateLoad], *, name: str = ..., part: Part | None = ..., inputs: Chain = ..., marker: One, value: Numbers = ..., gains: Numbers = ..., rate_gains: Numbers = ..., load_function: UserFunctions = ..., load_derivative: UserFunctions = ..., active: YesNo = ...) -> StateLoadEntity: ...
    @overload
    def add(self, component: type[TableCable2D], *, name: str = ..., part: Part | None = ..., node0: One = ..., node1: One = ..., length: Numbers, mass_per_length: Numbers, axial_stiffness: Numbers = ..., bending_stiffness: Numbers, axial_damping: Numbers = ..., bending_damping: Numbers = ..., reference_strain: Numbers = ..., reference_curvature: Numbers = ..., strain_is_relative_to_reference: Numbers = ..., integration: WholeNumbers = ..., bending_moment_function: UserFunctions = ..., bending_moment_derivatives: UserFunctions = ..., broken: YesNo = ..., table_strains: Numbers, table_tensions: Numbers) -> TableCable2DEntity: ...
    @overload
    def add(self, component: type[TableCable3D], *, name: str = ..., part: Part | None = ..., node0: One = ..., node1: One = ..., length: Numbers, mass_per_length: Numbers, axial_stiffness: Numbers = ..., bending_stiffness: Numbers, axial_damping: Numbers = ..., bending_damping: Numbers = ..., reference_strain: Numbers = ..., reference_curvature: Numbers = ..., strain_is_relative_to_reference: Numbers = ..., integration: WholeNumbers = ..., bending_moment_function: UserFunctions = ..., bending_moment_derivatives: UserFunctions = ..., broken: YesNo = ..., table_strains: Numbers, table_tensions: Numbers) -> TableCable3DEntity: ...
    @overload
    def add(self, component: type[TensionerSpring], *, name: str = ..., part: Part | None = ..., marker0: One = ..., marker1: One = ..., data: One = ..., preload: Numbers = ..., stiffness: Numbers, friction_torque: Numbers = ..., loading_friction: Numbers = ..., unloading_friction: Numbers = ..., loading_damping: Numbers = ..., unloading_damping: Numbers = ..., sticking_stiffness: Numbers = ..., active: YesNo = ...) -> TensionerSpringEntity: ...
    @overload
    def add(self, component: type[Torque], *, name: str = ..., part: Part | None = ..., marker: One, vector: Numbers = ..., function: UserFunctions = ..., body_fixed: YesNo = ..., active: YesNo = ...) -> TorqueEntity: ...
    @overload
    def add(self, component: type[TorsionalSpringDamper], *, name: str = ..., part: Part | None = ..., marker0: One = ..., marker1: One = ..., data: One = ..., stiffness: Numbers = ..., damping: Numbers = ..., offset: Numbers = ..., rate_offset: Numbers = ..., preload: Numbers = ..., frame0: Numbers = ..., frame1: Numbers = ..., force_function: UserFunctions = ..., force_derivative: UserFunctions = ..., active: YesNo = ...) -> TorsionalSpringDamperEntity: ...
    @overload
    def add(self, component: type[TwistCable3D], *, name: str = ..., part: Part | None = ..., node0: One, node1: One, length: Numbers, mass_per_length: Numbers, rotary_inertia: Numbers, axial_stiffness: Numbers, bending_stiffness: Numbers, torsional_stiffness: Numbers, coupling: Numbers = ..., axial_damping: Numbers = ..., bending_damping: Numbers = ..., torsional_damping: Numbers = ..., reference_strain: Numbers = ..., reference_curvature: Numbers = ..., reference_twist: Numbers = ..., strain_is_relative_to_reference: Numbers = ..., integration: WholeNumbers = ..., axial_force_function: UserFunctions = ..., axial_force_derivatives: UserFunctions = ..., bending_moment_function: UserFunctions = ..., bending_moment_derivatives: UserFunctions = ..., broken: YesNo = ...) -> TwistCable3DEntity: ...
    @overload
    def add(self, component: type[TwistFibreCable3D], *, name: str = ..., part: Part | None = ..., node0: One, node1: One, slow: One, length: Numbers, mass_per_length: Numbers, rotary_inertia: Numbers, axial_stiffness: Numbers, bending_stiffness: Numbers, torsional_stiffness: Numbers, coupling: Numbers = ..., axial_damping: Numbers = ..., bending_damping: Numbers = ..., torsional_damping: Numbers = ..., reference_strain: Numbers = ..., reference_curvature: Numbers = ..., reference_twist: Numbers = ..., strain_is_relative_to_reference: Numbers = ..., integration: WholeNumbers = ..., broken: YesNo = ..., slow_stiffness: Numbers = ..., static_stiffness: Numbers = ..., slow_damping: Numbers, stiffening: Numbers = ...) -> TwistFibreCable3DEntity: ...
    @overload
    def add(self, component: type[TwistNodePosition], *, name: str = ..., part: Part | None = ..., node: One) -> TwistNodePositionEntity: ...
    @overload
    def add(self, component: type[TwistTableCable3D], *, name: str = ..., part: Part | None = ..., node0: One = ..., node1: One = ..., length: Numbers, mass_per_length: Numbers, rotary_inertia: Numbers, axial_stiffness: Numbers = ..., bending_stiffness: Numbers, torsional_stiffness: Numbers, coupling: Numbers = ..., axial_damping: Numbers = ..., bending_damping: Numbers = ..., torsional_damping: Numbers = ..., reference_strain: Numbers = ..., reference_curvature: Numbers = ..., reference_twist: Numbers = ..., strain_is_relative_to_reference: Numbers = ..., integration: WholeNumbers = ..., broken: YesNo = ..., table_strains: Numbers, table_tensions: Numbers) -> TwistTableCable3DEntity: ...
    @overload
    def add(self, component: type[TwistWorkingCable3D], *, name: str = ..., part: Part | None = ..., node0: One = ..., node1: One = ..., slow: One = ..., data: One = ..., length: Numbers, mass_per_length: Numbers, rotary_inertia: Numbers, axial_stiffness: Numbers, bending_stiffness: Numbers, torsional_stiffness: Numbers, coupling: Numbers = ..., axial_damping: Numbers = ..., bending_damping: Numbers = ..., torsional_damping: Numbers = ..., reference_strain: Numbers = ..., reference_curvature: Numbers = ..., reference_twist: Numbers = ..., strain_is_relative_to_reference: Numbers = ..., integration: WholeNumbers = ..., broken: YesNo = ..., slow_damping: Numbers, stiffening: Numbers = ..., working_strains: Numbers, working_tensions: Numbers, largest_load: Numbers = ..., working_offset: Numbers = ..., working_stiffness: Numbers = ..., working_quadratic: Numbers = ..., working_exponent: Numbers = ...) -> TwistWorkingCable3DEntity: ...
    @overload
    def add(self, component: type[UnitRotation3D], *, name: str = ..., part: Part | None = ..., node: One) -> UnitRotation3DEntity: ...
    @overload
    def add(self, component: type[VGrooveFlank], *, name: str = ..., part: Part | None = ..., marker: One, axis: Numbers = ..., radius: Numbers, half_angle: Numbers, outer_radius: Numbers, side: WholeNumbers, depth: Numbers = ...) -> VGrooveFlankEntity: ...
    @overload
    def add(self, component: type[WinchCable2D], *, name: str = ..., part: Part | None = ..., node0: One, node1: One, feed: One, begin: Numbers, share: Numbers, mass_per_length: Numbers, axial_stiffness: Numbers, bending_stiffness: Numbers, axial_damping: Numbers = ..., store_tension: Numbers = ..., shortest: Numbers = ..., active: YesNo = ..., broken: YesNo = ...) -> WinchCable2DEntity: ...
    @overload
    def add(self, component: type[WinchCable3D], *, name: str = ..., part: Part | None = ..., node0: One, node1: One, feed: One, begin: Numbers, share: Numbers, mass_per_length: Numbers, axial_stiffness: Numbers, bending_stiffness: Numbers, axial_damping: Numbers = ..., store_tension: Numbers = ..., shortest: Numbers = ..., active: YesNo = ..., broken: YesNo = ...) -> WinchCable3DEntity: ...
    @overload
    def add(self, component: type[WinchFluidLoad], *, name: str = ..., part: Part | None = ..., cable: One, fluid: One, diameter: Numbers, normal_drag: Numbers = ..., axial_drag: Numbers = ..., added_mass: Numbers = ..., axial_added_mass: Numbers = ..., constant_volume: YesNo = ..., vibration_frequency: Numbers = ..., vibration_amplitude: Numbers = ..., vibration_gain: Numbers = ..., points: WholeNumbers = ..., active: YesNo = ...) -> WinchFluidLoadEntity: ...
    @overload
    def add(self, component: type[WinchTwistCable3D], *, name: str = ..., part: Part | None = ..., node0: One, node1: One, feed: One, begin: Numbers, share: Numbers, mass_per_length: Numbers, axial_stiffness: Numbers, bending_stiffness: Numbers, axial_damping: Numbers = ..., store_tension: Numbers = ..., shortest: Numbers = ..., active: YesNo = ..., broken: YesNo = ..., rotary_inertia: Numbers, torsional_stiffness: Numbers, coupling: Numbers = ..., torsional_damping: Numbers = ..., store_twist: Numbers = ...) -> WinchTwistCable3DEntity: ...
    @overload
    def add(self, component: type[WireFriction], *, name: str = ..., part: Part | None = ..., cable: One = ..., data: One = ..., axial_stiffness: Numbers = ..., slip_force: Numbers = ..., bending_stiffness: Numbers = ..., slip_moment: Numbers = ..., slip_moment_per_tension: Numbers = ..., active: YesNo = ...) -> WireFrictionEntity: ...
    @overload
    def add(self, component: type[WorkingCable2D], *, name: str = ..., part: Part | None = ..., node0: One = ..., node1: One = ..., slow: One = ..., data: One = ..., length: Numbers, mass_per_length: Numbers, axial_stiffness: Numbers, bending_stiffness: Numbers, axial_damping: Numbers = ..., bending_damping: Numbers = ..., reference_strain: Numbers = ..., reference_curvature: Numbers = ..., strain_is_relative_to_reference: Numbers = ..., integration: WholeNumbers = ..., broken: YesNo = ..., slow_damping: Numbers, stiffening: Numbers = ..., working_strains: Numbers, working_tensions: Numbers, largest_load: Numbers = ..., working_offset: Numbers = ..., working_stiffness: Numbers = ..., working_quadratic: Numbers = ..., working_exponent: Numbers = ...) -> WorkingCable2DEntity: ...
    @overload
    def add(self, component: type[WorkingCable3D], *, name: str = ..., part: Part | None = ..., node0: One = ..., node1: One = ..., slow: One = ..., data: One = ..., length: Numbers, mass_per_length: Numbers, axial_stiffness: Numbers, bending_stiffness: Numbers, axial_damping: Numbers = ..., bending_damping: Numbers = ..., reference_strain: Numbers = ..., reference_curvature: Numbers = ..., strain_is_relative_to_reference: Numbers = ..., integration: WholeNumbers = ..., broken: YesNo = ..., slow_damping: Numbers, stiffening: Numbers = ..., working_strains: Numbers, working_tensions: Numbers, largest_load: Numbers = ..., working_offset: Numbers = ..., working_stiffness: Numbers = ..., working_quadratic: Numbers = ..., working_exponent: Numbers = ...) -> WorkingCable3DEntity: ...
    @overload
    def set(self, entity: ALECable2DEntity, *, broken: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: Beam2DEntity, *, broken: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: Beam3DEntity, *, broken: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: BeltToothContactEntity, *, active: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: BoxFluidLoadEntity, *, drag: Numbers = ..., active: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: Cable2DEntity, *, broken: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: Cable3DEntity, *, broken: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: CartesianSpringDamperEntity, *, stiffness: Numbers = ..., damping: Numbers = ..., offset: Numbers = ..., force_function: UserFunctions = ..., force_derivative: UserFunctions = ..., active: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: ContactCircleCable2DEntity, *, active: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: ContactCoordinateEntity, *, active: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: ContactCurveCircleEntity, *, active: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: ContactFrictionBedBeam3DEntity, *, friction_stiffness_per_length: Numbers = ..., friction_coefficient: Numbers = ..., active: YesNo = ..., contact_stiffness_per_length: Numbers = ..., suction_coefficient: Numbers = ...) -> None: ...
    @overload
    def set(self, entity: ContactFrictionBedCableEntity, *, friction_stiffness_per_length: Numbers = ..., friction_coefficient: Numbers = ..., active: YesNo = ..., contact_stiffness_per_length: Numbers = ..., suction_coefficient: Numbers = ...) -> None: ...
    @overload
    def set(self, entity: ContactFrictionBedTwistCableEntity, *, friction_stiffness_per_length: Numbers = ..., friction_coefficient: Numbers = ..., active: YesNo = ..., contact_stiffness_per_length: Numbers = ..., suction_coefficient: Numbers = ...) -> None: ...
    @overload
    def set(self, entity: ContactFrictionBedTwistWinchEntity, *, friction_stiffness_per_length: Numbers = ..., friction_coefficient: Numbers = ..., active: YesNo = ..., contact_stiffness_per_length: Numbers = ..., suction_coefficient: Numbers = ...) -> None: ...
    @overload
    def set(self, entity: ContactFrictionBedWinchEntity, *, friction_stiffness_per_length: Numbers = ..., friction_coefficient: Numbers = ..., active: YesNo = ..., contact_stiffness_per_length: Numbers = ..., suction_coefficient: Numbers = ...) -> None: ...
    @overload
    def set(self, entity: ContactFrictionCircleCable2DEntity, *, active: YesNo = ..., friction_stiffness: Numbers = ..., friction_stiffness_per_length: Numbers = ..., friction_coefficient: Numbers = ...) -> None: ...
    @overload
    def set(self, entity: ContactFrictionCirclePoints2DEntity, *, friction_stiffness_per_length: Numbers = ..., friction_coefficient: Numbers = ..., active: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: ContactFrictionCircleSetPoints2DEntity, *, friction_stiffness_per_length: Numbers = ..., friction_coefficient: Numbers = ..., active: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: ContactFrictionCircleWinch2DEntity, *, friction_stiffness_per_length: Numbers = ..., friction_coefficient: Numbers = ..., active: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: ContactFrictionSurfaceBeam3DEntity, *, friction_stiffness_per_length: Numbers = ..., friction_coefficient: Numbers = ..., active: YesNo = ..., contact_stiffness_per_length: Numbers = ...) -> None: ...
    @overload
    def set(self, entity: ContactFrictionSurfaceCableEntity, *, friction_stiffness_per_length: Numbers = ..., friction_coefficient: Numbers = ..., active: YesNo = ..., contact_stiffness_per_length: Numbers = ...) -> None: ...
    @overload
    def set(self, entity: ContactFrictionSurfaceRibbonEntity, *, friction_stiffness_per_length: Numbers = ..., friction_coefficient: Numbers = ..., active: YesNo = ..., contact_stiffness_per_length: Numbers = ...) -> None: ...
    @overload
    def set(self, entity: ContactFrictionSurfaceSetBeam3DEntity, *, friction_stiffness_per_length: Numbers = ..., friction_coefficient: Numbers = ..., active: YesNo = ..., contact_stiffness_per_length: Numbers = ...) -> None: ...
    @overload
    def set(self, entity: ContactFrictionSurfaceSetCableEntity, *, friction_stiffness_per_length: Numbers = ..., friction_coefficient: Numbers = ..., active: YesNo = ..., contact_stiffness_per_length: Numbers = ...) -> None: ...
    @overload
    def set(self, entity: ContactFrictionSurfaceSetTwistCableEntity, *, friction_stiffness_per_length: Numbers = ..., friction_coefficient: Numbers = ..., active: YesNo = ..., contact_stiffness_per_length: Numbers = ...) -> None: ...
    @overload
    def set(self, entity: ContactFrictionSurfaceSetTwistWinchEntity, *, friction_stiffness_per_length: Numbers = ..., friction_coefficient: Numbers = ..., active: YesNo = ..., contact_stiffness_per_length: Numbers = ...) -> None: ...
    @overload
    def set(self, entity: ContactFrictionSurfaceSetWinchEntity, *, friction_stiffness_per_length: Numbers = ..., friction_coefficient: Numbers = ..., active: YesNo = ..., contact_stiffness_per_length: Numbers = ...) -> None: ...
    @overload
    def set(self, entity: ContactFrictionSurfaceTwistCableEntity, *, friction_stiffness_per_length: Numbers = ..., friction_coefficient: Numbers = ..., active: YesNo = ..., contact_stiffness_per_length: Numbers = ...) -> None: ...
    @overload
    def set(self, entity: ContactFrictionSurfaceTwistWinchEntity, *, friction_stiffness_per_length: Numbers = ..., friction_coefficient: Numbers = ..., active: YesNo = ..., contact_stiffness_per_length: Numbers = ...) -> None: ...
    @overload
    def set(self, entity: ContactFrictionSurfaceWinchEntity, *, friction_stiffness_per_length: Numbers = ..., friction_coefficient: Numbers = ..., active: YesNo = ..., contact_stiffness_per_length: Numbers = ...) -> None: ...
    @overload
    def set(self, entity: ContactSphereSphereEntity, *, active: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: CoordinateConstraintEntity, *, ratio: Numbers = ..., offset: Numbers = ..., offset_function: UserFunctions = ..., offset_rate_function: UserFunctions = ..., rate: Numbers = ..., rate_function: UserFunctions = ..., active: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: CoordinateLoadEntity, *, value: Numbers = ..., function: UserFunctions = ..., active: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: CoordinateSpringDamperEntity, *, stiffness: Numbers = ..., damping: Numbers = ..., offset: Numbers = ..., force_function: UserFunctions = ..., force_derivative: UserFunctions = ..., active: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: CoordinateSpringDamperExtEntity, *, stiffness: Numbers = ..., damping: Numbers = ..., offset: Numbers = ..., rate_offset: Numbers = ..., dynamic_friction: Numbers = ..., static_friction_offset: Numbers = ..., viscous_friction: Numbers = ..., force_function: UserFunctions = ..., force_derivative: UserFunctions = ..., active: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: CoordinateVectorConstraintEntity, *, offset: Numbers = ..., offset_function: UserFunctions = ..., active: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: CylinderFluidLoadEntity, *, normal_drag: Numbers = ..., axial_drag: Numbers = ..., end_drag: Numbers = ..., active: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: DistanceConstraintEntity, *, distance: Numbers = ..., active: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: FibreCable2DEntity, *, broken: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: FibreCable3DEntity, *, broken: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: FluidLoadEntity, *, normal_drag: Numbers = ..., axial_drag: Numbers = ..., constant_volume: YesNo = ..., vibration_frequency: Numbers = ..., vibration_amplitude: Numbers = ..., vibration_gain: Numbers = ..., active: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: ForceEntity, *, vector: Numbers = ..., function: UserFunctions = ..., active: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: GearPairEntity, *, active: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: GenericJointEntity, *, translations: YesNo = ..., rotations: YesNo = ..., offset: Numbers = ..., offset_function: UserFunctions = ..., offset_rate_function: UserFunctions = ..., active: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: GenericODE1Entity, *, state_function: UserFunctions = ..., state_derivative: UserFunctions = ...) -> None: ...
    @overload
    def set(self, entity: GenericODE2Entity, *, force_function: UserFunctions = ..., force_derivative: UserFunctions = ...) -> None: ...
    @overload
    def set(self, entity: HydraulicActuatorEntity, *, valve_opening0: Numbers = ..., valve_opening1: Numbers = ..., valve_function: UserFunctions = ..., valve_derivative: UserFunctions = ..., active: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: JointStopEntity, *, lower: Numbers = ..., upper: Numbers = ..., stiffness: Numbers = ..., dissipation: Numbers = ..., active: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: LineLoadEntity, *, vector: Numbers = ..., function: UserFunctions = ..., active: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: LineTorqueEntity, *, vector: Numbers = ..., function: UserFunctions = ..., active: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: LinearSpringDamperEntity, *, stiffness: Numbers = ..., damping: Numbers = ..., offset: Numbers = ..., rate_offset: Numbers = ..., preload: Numbers = ..., force_function: UserFunctions = ..., force_derivative: UserFunctions = ..., active: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: MassProportionalEntity, *, acceleration: Numbers = ..., function: UserFunctions = ..., active: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: MeshFluidLoadEntity, *, drag: Numbers = ..., active: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: OverrunningClutchEntity, *, drag_torque: Numbers = ..., largest_torque: Numbers = ..., active: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: PrismaticJoint2DEntity, *, lock_rotation: YesNo = ..., active: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: ReevingSystemSpringsEntity, *, reference_length: Numbers = ..., axial_stiffness: Numbers = ..., axial_damping: Numbers = ..., preload: Numbers = ..., slack_force: Numbers = ..., active: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: RevoluteJoint2DEntity, *, active: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: RigidBodySpringDamperEntity, *, stiffness: Numbers = ..., damping: Numbers = ..., offset: Numbers = ..., force_function: UserFunctions = ..., force_derivative: UserFunctions = ..., active: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: RollingDiscPenaltyEntity, *, active: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: RollingJointEntity, *, axes: YesNo = ..., active: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: SlidingJointEntity, *, damping: Numbers = ..., friction_coefficient: Numbers = ..., active: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: SlopeBeam3DEntity, *, broken: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: SphereFluidLoadEntity, *, drag: Numbers = ..., active: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: SphericalJointEntity, *, axes: YesNo = ..., active: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: SpringDamperEntity, *, rest_length: Numbers = ..., stiffness: Numbers = ..., damping: Numbers = ..., preload: Numbers = ..., tension_only: YesNo = ..., force_function: UserFunctions = ..., force_derivative: UserFunctions = ..., active: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: StateLoadEntity, *, value: Numbers = ..., load_function: UserFunctions = ..., load_derivative: UserFunctions = ..., active: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: TableCable2DEntity, *, broken: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: TableCable3DEntity, *, broken: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: TensionerSpringEntity, *, preload: Numbers = ..., stiffness: Numbers = ..., friction_torque: Numbers = ..., active: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: TorqueEntity, *, vector: Numbers = ..., function: UserFunctions = ..., active: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: TorsionalSpringDamperEntity, *, stiffness: Numbers = ..., damping: Numbers = ..., offset: Numbers = ..., rate_offset: Numbers = ..., preload: Numbers = ..., force_function: UserFunctions = ..., force_derivative: UserFunctions = ..., active: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: TwistCable3DEntity, *, reference_strain: Numbers = ..., broken: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: TwistFibreCable3DEntity, *, reference_strain: Numbers = ..., broken: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: TwistTableCable3DEntity, *, reference_strain: Numbers = ..., broken: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: TwistWorkingCable3DEntity, *, reference_strain: Numbers = ..., broken: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: WinchCable2DEntity, *, active: YesNo = ..., broken: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: WinchCable3DEntity, *, active: YesNo = ..., broken: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: WinchFluidLoadEntity, *, normal_drag: Numbers = ..., axial_drag: Numbers = ..., constant_volume: YesNo = ..., vibration_frequency: Numbers = ..., vibration_amplitude: Numbers = ..., vibration_gain: Numbers = ..., active: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: WinchTwistCable3DEntity, *, active: YesNo = ..., broken: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: WireFrictionEntity, *, active: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: WorkingCable2DEntity, *, broken: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: WorkingCable3DEntity, *, broken: YesNo = ...) -> None: ...
    @overload
    def set(self, entity: Entity, *, acceleration: Numbers = ..., active: YesNo = ..., axes: YesNo = ..., axial_damping: Numbers = ..., axial_drag: Numbers = ..., axial_stiffness: Numbers = ..., broken: YesNo = ..., constant_volume: YesNo = ..., contact_stiffness_per_length: Numbers = ..., damping: Numbers = ..., dissipation: Numbers = ..., distance: Numbers = ..., drag: Numbers = ..., drag_torque: Numbers = ..., dynamic_friction: Numbers = ..., end_drag: Numbers = ..., force_derivative: UserFunctions = ..., force_function: UserFunctions = ..., friction_coefficient: Numbers = ..., friction_stiffness: Numbers = ..., friction_stiffness_per_length: Numbers = ..., friction_torque: Numbers = ..., function: UserFunctions = ..., largest_torque: Numbers = ..., load_derivative: UserFunctions = ..., load_function: UserFunctions = ..., lock_rotation: YesNo = ..., lower: Numbers = ..., normal_drag: Numbers = ..., offset: Numbers = ..., offset_function: UserFunctions = ..., offset_rate_function: UserFunctions = ..., preload: Numbers = ..., rate: Numbers = ..., rate_function: UserFunctions = ..., rate_offset: Numbers = ..., ratio: Numbers = ..., reference_length: Numbers = ..., reference_strain: Numbers = ..., rest_length: Numbers = ..., rotations: YesNo = ..., slack_force: Numbers = ..., state_derivative: UserFunctions = ..., state_function: UserFunctions = ..., static_friction_offset: Numbers = ..., stiffness: Numbers = ..., suction_coefficient: Numbers = ..., tension_only: YesNo = ..., translations: YesNo = ..., upper: Numbers = ..., value: Numbers = ..., valve_derivative: UserFunctions = ..., valve_function: UserFunctions = ..., valve_opening0: Numbers = ..., valve_opening1: Numbers = ..., vector: Numbers = ..., vibration_amplitude: Numbers = ..., vibration_frequency: Numbers = ..., vibration_gain: Numbers = ..., viscous_friction: Numbers = ...) -> None: ...
