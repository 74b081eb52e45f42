"""Markers, loads, constraints, springs and contact: one law per file."""

from windlass.connectors.circle_contact.add_contact import add_contact
from windlass.connectors.circle_contact.contact_circle_cable2d import ContactCircleCable2D
from windlass.connectors.circle_contact.contact_friction_circle_cable2d import ContactFrictionCircleCable2D
from windlass.connectors.circle_contact.contact_friction_circle_points2d import ContactFrictionCirclePoints2D
from windlass.connectors.constraints.coordinate_constraint import CoordinateConstraint
from windlass.connectors.constraints.distance_constraint import DistanceConstraint
from windlass.connectors.constraints.generic_joint import GenericJoint
from windlass.connectors.constraints.prismatic_joint2d import PrismaticJoint2D
from windlass.connectors.constraints.revolute_joint2d import RevoluteJoint2D
from windlass.connectors.constraints.spherical_joint import SphericalJoint
from windlass.connectors.constraints.supports import clamp, fix, hinge, prescribe, prescribe_velocity
from windlass.connectors.loads.coordinate_load import CoordinateLoad
from windlass.connectors.loads.force import Force
from windlass.connectors.loads.mass_proportional import MassProportional
from windlass.connectors.loads.torque import Torque
from windlass.connectors.markers.cable_coordinates import CableCoordinates
from windlass.connectors.markers.cable_shape import CableShape
from windlass.connectors.markers.coordinate_marker import NodeCoordinate, coordinate_marker, rotation_marker
from windlass.connectors.markers.position_markers import (
    NodePosition,
    PositionOnCable,
    PositionOnGround,
    PositionOnRigid2D,
    RigidNodePosition,
    position_marker,
    rigid_marker,
)
from windlass.connectors.markers.position_markers3d import PositionOnRigid3D, RigidNodePosition3D
from windlass.connectors.markers.rotation_coordinate import RotationCoordinate
from windlass.connectors.point_contact.contacts import Contacts
from windlass.connectors.point_contact.hunt_crossley import HuntCrossley, disable, enable, is_enabled
from windlass.connectors.point_contact.materials import (
    ContactMaterial,
    dissipation_from_restitution,
    plane_strain_modulus,
    restitution_from_dissipation,
)
from windlass.connectors.point_contact.report import SurfaceForces, eval_body_forces, eval_contacts, eval_surface_forces
from windlass.connectors.point_contact.surfaces import (
    ContactEllipsoid,
    ContactHalfSpace,
    ContactSet,
    ContactSphere,
    facing,
)
from windlass.connectors.reports.belt_picture import draw_belt
from windlass.connectors.reports.belt_theory import BeltCreep, belt_creep
from windlass.connectors.reports.pulley_report import PulleyReport, PulleySensor, format_reports, pulley_report
from windlass.connectors.springs.cartesian_spring_damper import CartesianSpringDamper
from windlass.connectors.springs.contact_coordinate import ContactCoordinate
from windlass.connectors.springs.coordinate_spring_damper import CoordinateSpringDamper
from windlass.connectors.user_functions.ready_functions import ramp, sine, smooth_step, table
from windlass.connectors.user_functions.user_forces import compiled, vectorised

__all__ = [
    "BeltCreep",
    "CableCoordinates",
    "CableShape",
    "CartesianSpringDamper",
    "ContactCircleCable2D",
    "ContactCoordinate",
    "ContactEllipsoid",
    "ContactFrictionCircleCable2D",
    "ContactFrictionCirclePoints2D",
    "ContactHalfSpace",
    "ContactMaterial",
    "ContactSet",
    "ContactSphere",
    "Contacts",
    "CoordinateConstraint",
    "CoordinateLoad",
    "CoordinateSpringDamper",
    "DistanceConstraint",
    "Force",
    "GenericJoint",
    "HuntCrossley",
    "MassProportional",
    "NodeCoordinate",
    "NodePosition",
    "PositionOnCable",
    "PositionOnGround",
    "PositionOnRigid2D",
    "PositionOnRigid3D",
    "PrismaticJoint2D",
    "PulleyReport",
    "PulleySensor",
    "RevoluteJoint2D",
    "RigidNodePosition",
    "RigidNodePosition3D",
    "RotationCoordinate",
    "SphericalJoint",
    "SurfaceForces",
    "Torque",
    "add_contact",
    "belt_creep",
    "clamp",
    "compiled",
    "coordinate_marker",
    "disable",
    "dissipation_from_restitution",
    "draw_belt",
    "enable",
    "eval_body_forces",
    "eval_contacts",
    "eval_surface_forces",
    "facing",
    "fix",
    "format_reports",
    "hinge",
    "is_enabled",
    "plane_strain_modulus",
    "position_marker",
    "prescribe",
    "prescribe_velocity",
    "pulley_report",
    "ramp",
    "restitution_from_dissipation",
    "rigid_marker",
    "rotation_marker",
    "sine",
    "smooth_step",
    "table",
    "vectorised",
]
