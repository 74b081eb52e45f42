"""Markers, loads, constraints, springs and contact. Each law is registered at the end of its file.

Each name of this package is loaded on first use.
"""

from typing import TYPE_CHECKING

from windlass.framework.command_line.report_parts import register_report_sections
from windlass.framework.launch.lazy_names import offer
from windlass.framework.model.installed import offer_functions

if TYPE_CHECKING:
    from windlass.connectors.cable_contact.contact_friction_cables3d import CableContactSet as CableContactSet
    from windlass.connectors.cable_contact.contact_friction_cables3d import (
        ContactFrictionCables3D as ContactFrictionCables3D,
    )
    from windlass.connectors.cable_contact.contact_friction_cables3d import add_cable_contact as add_cable_contact
    from windlass.connectors.circle_contact.add_contact import add_contact as add_contact
    from windlass.connectors.circle_contact.add_contact import add_contact_with_many as add_contact_with_many
    from windlass.connectors.circle_contact.contact_circle_cable2d import ContactCircleCable2D as ContactCircleCable2D
    from windlass.connectors.circle_contact.contact_friction_circle_cable2d import (
        ContactFrictionCircleCable2D as ContactFrictionCircleCable2D,
    )
    from windlass.connectors.circle_contact.contact_friction_circle_points2d import (
        ContactFrictionCirclePoints2D as ContactFrictionCirclePoints2D,
    )
    from windlass.connectors.circle_contact.contact_friction_circle_set_points2d import (
        ContactFrictionCircleSetPoints2D as ContactFrictionCircleSetPoints2D,
    )
    from windlass.connectors.circle_contact.contact_friction_circle_set_points2d import SetCircle as SetCircle
    from windlass.connectors.circle_contact.contact_friction_circle_winch2d import (
        ContactFrictionCircleWinch2D as ContactFrictionCircleWinch2D,
    )
    from windlass.connectors.circle_contact.free_belt import FreeBelt as FreeBelt
    from windlass.connectors.circle_contact.free_belt import choose_free_belt as choose_free_belt
    from windlass.connectors.constraints.breaking_links import Break as Break
    from windlass.connectors.constraints.breaking_links import BreakingLinks as BreakingLinks
    from windlass.connectors.constraints.breaking_links import Link as Link
    from windlass.connectors.constraints.coordinate_constraint import CoordinateConstraint as CoordinateConstraint
    from windlass.connectors.constraints.coordinate_vector_constraint import (
        CoordinateVectorConstraint as CoordinateVectorConstraint,
    )
    from windlass.connectors.constraints.distance_constraint import DistanceConstraint as DistanceConstraint
    from windlass.connectors.constraints.generic_joint import GenericJoint as GenericJoint
    from windlass.connectors.constraints.prismatic_joint2d import PrismaticJoint2D as PrismaticJoint2D
    from windlass.connectors.constraints.revolute_joint2d import RevoluteJoint2D as RevoluteJoint2D
    from windlass.connectors.constraints.rolling_joint import RollingJoint as RollingJoint
    from windlass.connectors.constraints.spherical_joint import SphericalJoint as SphericalJoint
    from windlass.connectors.constraints.supports import clamp as clamp
    from windlass.connectors.constraints.supports import fix as fix
    from windlass.connectors.constraints.supports import hinge as hinge
    from windlass.connectors.constraints.supports import prescribe as prescribe
    from windlass.connectors.constraints.supports import prescribe_velocity as prescribe_velocity
    from windlass.connectors.constraints.terminations import socket as socket
    from windlass.connectors.constraints.terminations import swivel as swivel
    from windlass.connectors.control.cable_strain import CableStrain as CableStrain
    from windlass.connectors.control.cable_strain import strain_coordinate as strain_coordinate
    from windlass.connectors.control.fmu_controller import FMUController as FMUController
    from windlass.connectors.control.generic_ode1 import GenericODE1 as GenericODE1
    from windlass.connectors.control.hydraulic_actuator import HydraulicActuator as HydraulicActuator
    from windlass.connectors.control.load_cell import LoadCell as LoadCell
    from windlass.connectors.control.load_cell import load_cell as load_cell
    from windlass.connectors.control.point_coordinates import DistanceCoordinate as DistanceCoordinate
    from windlass.connectors.control.point_coordinates import PointCoordinate as PointCoordinate
    from windlass.connectors.control.point_coordinates import distance_coordinate as distance_coordinate
    from windlass.connectors.control.point_coordinates import point_coordinate as point_coordinate
    from windlass.connectors.control.state_load import StateLoad as StateLoad
    from windlass.connectors.curves.belt_tooth_contact import BeltToothContact as BeltToothContact
    from windlass.connectors.curves.contact_curve_circle import ContactCurveCircle as ContactCurveCircle
    from windlass.connectors.curves.profiles import CurveProfile as CurveProfile
    from windlass.connectors.curves.sprocket import sprocket_profile as sprocket_profile
    from windlass.connectors.drives.drive_means import DriveSensor as DriveSensor
    from windlass.connectors.drives.machines import characteristic_load as characteristic_load
    from windlass.connectors.drives.machines import engine_speed as engine_speed
    from windlass.connectors.drives.machines import torsional_damper as torsional_damper
    from windlass.connectors.drives.timing import timing_distance as timing_distance
    from windlass.connectors.drives.winch_reserve import WinchReserve as WinchReserve
    from windlass.connectors.fluids.fluid import Fluid as Fluid
    from windlass.connectors.fluids.gusts import api_spectrum as api_spectrum
    from windlass.connectors.fluids.gusts import api_wind as api_wind
    from windlass.connectors.fluids.gusts import npd_spectrum as npd_spectrum
    from windlass.connectors.fluids.gusts import npd_wind as npd_wind
    from windlass.connectors.fluids.rao import RAO as RAO
    from windlass.connectors.fluids.rao import read_rao as read_rao
    from windlass.connectors.fluids.sea_states import jonswap as jonswap
    from windlass.connectors.fluids.sea_states import regular_wave as regular_wave
    from windlass.connectors.fluids.sea_states import wave_number as wave_number
    from windlass.connectors.fluids.second_order import second_order_waves as second_order_waves
    from windlass.connectors.fluids.stream_function import stream_function_wave as stream_function_wave
    from windlass.connectors.friction.wire_friction import WireFriction as WireFriction
    from windlass.connectors.loads.body_mesh import BodyMesh as BodyMesh
    from windlass.connectors.loads.body_mesh import read_body_mesh as read_body_mesh
    from windlass.connectors.loads.box_fluid_load import BoxFluidLoad as BoxFluidLoad
    from windlass.connectors.loads.coordinate_load import CoordinateLoad as CoordinateLoad
    from windlass.connectors.loads.cylinder_fluid_load import CylinderFluidLoad as CylinderFluidLoad
    from windlass.connectors.loads.fluid_load import FluidLoad as FluidLoad
    from windlass.connectors.loads.force import Force as Force
    from windlass.connectors.loads.line_load import LineLoad as LineLoad
    from windlass.connectors.loads.line_torque import LineTorque as LineTorque
    from windlass.connectors.loads.mass_proportional import MassProportional as MassProportional
    from windlass.connectors.loads.mesh_fluid_load import MeshFluidLoad as MeshFluidLoad
    from windlass.connectors.loads.sphere_fluid_load import SphereFluidLoad as SphereFluidLoad
    from windlass.connectors.loads.torque import Torque as Torque
    from windlass.connectors.loads.winch_fluid_load import WinchFluidLoad as WinchFluidLoad
    from windlass.connectors.markers.beam_markers import PositionOnBeam2D as PositionOnBeam2D
    from windlass.connectors.markers.beam_markers import PositionOnBeam3D as PositionOnBeam3D
    from windlass.connectors.markers.beam_rotations import RotationOnBeam2D as RotationOnBeam2D
    from windlass.connectors.markers.beam_rotations import RotationOnBeam3D as RotationOnBeam3D
    from windlass.connectors.markers.cable_coordinates import CableCoordinates as CableCoordinates
    from windlass.connectors.markers.cable_markers3d import CableShape3D as CableShape3D
    from windlass.connectors.markers.cable_markers3d import PositionOnCable3D as PositionOnCable3D
    from windlass.connectors.markers.cable_shape import CableShape as CableShape
    from windlass.connectors.markers.coordinate_marker import COORDINATE as COORDINATE
    from windlass.connectors.markers.coordinate_marker import NodeCoordinate as NodeCoordinate
    from windlass.connectors.markers.coordinate_marker import coordinate_marker as coordinate_marker
    from windlass.connectors.markers.coordinate_marker import rotation_marker as rotation_marker
    from windlass.connectors.markers.position_markers import CURVED as CURVED
    from windlass.connectors.markers.position_markers import POSITION as POSITION
    from windlass.connectors.markers.position_markers import RIGID as RIGID
    from windlass.connectors.markers.position_markers import NodePosition as NodePosition
    from windlass.connectors.markers.position_markers import PositionOnCable as PositionOnCable
    from windlass.connectors.markers.position_markers import PositionOnGround as PositionOnGround
    from windlass.connectors.markers.position_markers import PositionOnRigid2D as PositionOnRigid2D
    from windlass.connectors.markers.position_markers import RigidNodePosition as RigidNodePosition
    from windlass.connectors.markers.position_markers import position_marker as position_marker
    from windlass.connectors.markers.position_markers import rigid_marker as rigid_marker
    from windlass.connectors.markers.position_markers import shape_marker as shape_marker
    from windlass.connectors.markers.position_markers3d import PositionOnRigid3D as PositionOnRigid3D
    from windlass.connectors.markers.position_markers3d import RigidNodePosition3D as RigidNodePosition3D
    from windlass.connectors.markers.rotation_coordinate import RotationCoordinate as RotationCoordinate
    from windlass.connectors.markers.section_markers import PositionOnSlopeBeam3D as PositionOnSlopeBeam3D
    from windlass.connectors.markers.section_markers import SectionNodePosition as SectionNodePosition
    from windlass.connectors.markers.twist_cable_markers import PositionOnTwistCable3D as PositionOnTwistCable3D
    from windlass.connectors.markers.twist_markers import TwistNodePosition as TwistNodePosition
    from windlass.connectors.point_contact.contact_set import ContactSet as ContactSet
    from windlass.connectors.point_contact.contacts import Contacts as Contacts
    from windlass.connectors.point_contact.hunt_crossley import HuntCrossley as HuntCrossley
    from windlass.connectors.point_contact.hunt_crossley import disable as disable
    from windlass.connectors.point_contact.hunt_crossley import enable as enable
    from windlass.connectors.point_contact.hunt_crossley import is_enabled as is_enabled
    from windlass.connectors.point_contact.materials import ContactMaterial as ContactMaterial
    from windlass.connectors.point_contact.materials import dissipation_from_restitution as dissipation_from_restitution
    from windlass.connectors.point_contact.materials import plane_strain_modulus as plane_strain_modulus
    from windlass.connectors.point_contact.materials import restitution_from_dissipation as restitution_from_dissipation
    from windlass.connectors.point_contact.report import SurfaceForces as SurfaceForces
    from windlass.connectors.point_contact.report import eval_body_forces as eval_body_forces
    from windlass.connectors.point_contact.report import eval_contacts as eval_contacts
    from windlass.connectors.point_contact.report import eval_surface_forces as eval_surface_forces
    from windlass.connectors.point_contact.surfaces import ContactEllipsoid as ContactEllipsoid
    from windlass.connectors.point_contact.surfaces import ContactHalfSpace as ContactHalfSpace
    from windlass.connectors.point_contact.surfaces import ContactSphere as ContactSphere
    from windlass.connectors.point_contact.surfaces import facing as facing
    from windlass.connectors.reports.belt_picture import draw_belt as draw_belt
    from windlass.connectors.reports.belt_theory import BeltCreep as BeltCreep
    from windlass.connectors.reports.belt_theory import belt_creep as belt_creep
    from windlass.connectors.reports.pulley_report import PulleyReport as PulleyReport
    from windlass.connectors.reports.pulley_report import PulleySensor as PulleySensor
    from windlass.connectors.reports.pulley_report import format_reports as format_reports
    from windlass.connectors.reports.pulley_report import pulley_report as pulley_report
    from windlass.connectors.reports.surface_report import SurfaceReport as SurfaceReport
    from windlass.connectors.reports.surface_report import format_surface_reports as format_surface_reports
    from windlass.connectors.reports.surface_report import surface_report as surface_report
    from windlass.connectors.rigid_springs.contact_sphere_sphere import ContactSphereSphere as ContactSphereSphere
    from windlass.connectors.rigid_springs.gear_pair import GearPair as GearPair
    from windlass.connectors.rigid_springs.joint_stop import JointStop as JointStop
    from windlass.connectors.rigid_springs.joint_stop import joint_stops as joint_stops
    from windlass.connectors.rigid_springs.linear_spring_damper import LinearSpringDamper as LinearSpringDamper
    from windlass.connectors.rigid_springs.reeving_system_springs import ReevingSystemSprings as ReevingSystemSprings
    from windlass.connectors.rigid_springs.reeving_system_springs import reeve as reeve
    from windlass.connectors.rigid_springs.rigid_body_spring_damper import (
        RigidBodySpringDamper as RigidBodySpringDamper,
    )
    from windlass.connectors.rigid_springs.rolling_disc_penalty import RollingDiscPenalty as RollingDiscPenalty
    from windlass.connectors.rigid_springs.torsional_spring_damper import TorsionalSpringDamper as TorsionalSpringDamper
    from windlass.connectors.sliding.cable_track import CableTrack as CableTrack
    from windlass.connectors.sliding.carriage import cable_track as cable_track
    from windlass.connectors.sliding.carriage import end_stops as end_stops
    from windlass.connectors.sliding.carriage import sliding_joint as sliding_joint
    from windlass.connectors.sliding.sliding_joint import SlidingJoint as SlidingJoint
    from windlass.connectors.springs.cartesian_spring_damper import CartesianSpringDamper as CartesianSpringDamper
    from windlass.connectors.springs.contact_coordinate import ContactCoordinate as ContactCoordinate
    from windlass.connectors.springs.coordinate_spring_damper import CoordinateSpringDamper as CoordinateSpringDamper
    from windlass.connectors.springs.coordinate_spring_damper_ext import (
        CoordinateSpringDamperExt as CoordinateSpringDamperExt,
    )
    from windlass.connectors.springs.overrunning_clutch import OverrunningClutch as OverrunningClutch
    from windlass.connectors.springs.spring_damper import SpringDamper as SpringDamper
    from windlass.connectors.springs.tensioner_spring import TensionerSpring as TensionerSpring
    from windlass.connectors.surface_contact.add_surface_contact import add_drum as add_drum
    from windlass.connectors.surface_contact.add_surface_contact import add_surface_contact as add_surface_contact
    from windlass.connectors.surface_contact.add_surface_contact import add_v_groove as add_v_groove
    from windlass.connectors.surface_contact.bed import BedGrid as BedGrid
    from windlass.connectors.surface_contact.bed import add_bed as add_bed
    from windlass.connectors.surface_contact.bed import add_bed_grid as add_bed_grid
    from windlass.connectors.surface_contact.bed import read_bed_grid as read_bed_grid
    from windlass.connectors.surface_contact.contact_friction_bed_beam import (
        ContactFrictionBedBeam3D as ContactFrictionBedBeam3D,
    )
    from windlass.connectors.surface_contact.contact_friction_bed_cable import (
        ContactFrictionBedCable as ContactFrictionBedCable,
    )
    from windlass.connectors.surface_contact.contact_friction_bed_winch import (
        ContactFrictionBedWinch as ContactFrictionBedWinch,
    )
    from windlass.connectors.surface_contact.contact_friction_surface_beam import (
        ContactFrictionSurfaceBeam3D as ContactFrictionSurfaceBeam3D,
    )
    from windlass.connectors.surface_contact.contact_friction_surface_beam import (
        ContactFrictionSurfaceSetBeam3D as ContactFrictionSurfaceSetBeam3D,
    )
    from windlass.connectors.surface_contact.contact_friction_surface_cable import (
        ContactFrictionSurfaceCable as ContactFrictionSurfaceCable,
    )
    from windlass.connectors.surface_contact.contact_friction_surface_cable import (
        ContactFrictionSurfaceTwistCable as ContactFrictionSurfaceTwistCable,
    )
    from windlass.connectors.surface_contact.contact_friction_surface_ribbon import (
        ContactFrictionSurfaceRibbon as ContactFrictionSurfaceRibbon,
    )
    from windlass.connectors.surface_contact.contact_friction_surface_set import (
        ContactFrictionSurfaceSetCable as ContactFrictionSurfaceSetCable,
    )
    from windlass.connectors.surface_contact.contact_friction_surface_set import (
        ContactFrictionSurfaceSetTwistCable as ContactFrictionSurfaceSetTwistCable,
    )
    from windlass.connectors.surface_contact.contact_friction_surface_set import (
        ContactFrictionSurfaceSetWinch as ContactFrictionSurfaceSetWinch,
    )
    from windlass.connectors.surface_contact.contact_friction_surface_set import SetSurface as SetSurface
    from windlass.connectors.surface_contact.contact_friction_surface_winch import (
        ContactFrictionSurfaceWinch as ContactFrictionSurfaceWinch,
    )
    from windlass.connectors.surface_contact.contact_friction_turning import (
        ContactFrictionBedTwistCable as ContactFrictionBedTwistCable,
    )
    from windlass.connectors.surface_contact.contact_friction_turning import (
        ContactFrictionBedTwistWinch as ContactFrictionBedTwistWinch,
    )
    from windlass.connectors.surface_contact.contact_friction_turning import (
        ContactFrictionSurfaceSetTwistWinch as ContactFrictionSurfaceSetTwistWinch,
    )
    from windlass.connectors.surface_contact.contact_friction_turning import (
        ContactFrictionSurfaceTwistWinch as ContactFrictionSurfaceTwistWinch,
    )
    from windlass.connectors.surface_contact.lay_line import LaidLine as LaidLine
    from windlass.connectors.surface_contact.lay_line import lay_line as lay_line
    from windlass.connectors.surface_contact.surfaces import DrumSurface as DrumSurface
    from windlass.connectors.surface_contact.surfaces import HeightFieldSurface as HeightFieldSurface
    from windlass.connectors.surface_contact.surfaces import PlaneSurface as PlaneSurface
    from windlass.connectors.surface_contact.surfaces import PolylineSurface as PolylineSurface
    from windlass.connectors.surface_contact.surfaces import ProfileSurface as ProfileSurface
    from windlass.connectors.surface_contact.surfaces import SheaveSurface as SheaveSurface
    from windlass.connectors.surface_contact.surfaces import SphereSurface as SphereSurface
    from windlass.connectors.surface_contact.surfaces import VGrooveFlank as VGrooveFlank
    from windlass.connectors.user_functions.ready_functions import ramp as ramp
    from windlass.connectors.user_functions.ready_functions import sine as sine
    from windlass.connectors.user_functions.ready_functions import smooth_step as smooth_step
    from windlass.connectors.user_functions.ready_functions import table as table
    from windlass.connectors.user_functions.time_series import read_series as read_series
    from windlass.connectors.user_functions.time_series import spline as spline
    from windlass.connectors.user_functions.user_forces import compiled as compiled
    from windlass.connectors.user_functions.user_forces import vectorised as vectorised
    from windlass.connectors.vessels.floater import Floater as Floater
    from windlass.connectors.vessels.floater import Radiation as Radiation
    from windlass.connectors.vessels.floater import floater as floater
    from windlass.connectors.vessels.hydrodynamics import Hydrodynamics as Hydrodynamics
    from windlass.connectors.vessels.hydrodynamics import read_capytaine as read_capytaine
    from windlass.connectors.vessels.hydrodynamics import read_wamit as read_wamit
    from windlass.connectors.vessels.vessel import Vessel as Vessel
    from windlass.connectors.vessels.vessel import VesselMotion as VesselMotion
    from windlass.connectors.vessels.vessel import vessel as vessel

if not TYPE_CHECKING:  # a module-level ``__getattr__`` would hide missing names from type checkers
    __getattr__, __dir__, __all__ = offer(__name__)

# values of columns in a model file may be functions of time, which are objects of this class
offer_functions("ReadyFunction", "windlass.connectors.user_functions.ready_functions")
# sections about drives, pulleys and surfaces in the report of a run
register_report_sections("windlass.connectors.drives.drive_page:tabulate_drives")
register_report_sections("windlass.connectors.reports.pulley_section:tabulate_pulleys")
register_report_sections("windlass.connectors.reports.surface_section:tabulate_surfaces")
