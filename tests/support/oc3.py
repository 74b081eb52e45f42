"""Model of the OC3-Hywind spar with its three mooring lines, with the values of the published definition.

Source: J. Jonkman, Definition of the Floating System for Phase IV of OC3, NREL/TP-500-47535 (2010), tables 3-1 to 5-1;
tower, nacelle and rotor: NREL/TP-500-38060 and table 2-1 of the first report.

The water acts on the spar by Morison's equation with the coefficients of the report, with the taper divided into four
cylinders, or by Cummins' equation. The delta connections of the lines are replaced by the yaw spring of the report. The
additional linear damping of the report acts at the still water level.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import windlass as wl
from windlass import connectors as con
from windlass.elements import Ground, RigidBody3D, cable_along, hang_between, hang_from_ground, nodes_of
from windlass.elements.routes.routes import RouteError
from windlass.framework.arrays import FloatArray
from windlass.framework.model.table import Entity

GRAVITY, WATER, DEPTH = 9.80665, 1025.0, 320.0  # units: m/s^2, kg/m^3, m
EDGES, DIAMETERS = np.array([-120.0, -12.0, -4.0, 10.0]), np.array([9.4, 9.4, 6.5, 6.5])  # geometry of the spar [m]
PLATFORM, TURBINE = 7_466_330.0, 599_718.0  # mass [kg] of the spar with ballast, and of tower, nacelle and rotor
PARTS = np.array([[7_466_330.0, -89.9155, 4_229_230_000.0], [249_718.0, 43.4, 1.25e8], [350_000.0, 89.57, 4.4e7]])
"""Mass [kg], height of the centre of mass [m] and moment of inertia in pitch about this centre [kg m^2] of spar, tower,
and nacelle with rotor. The tower is treated as a uniform rod, and the rotor as a disc."""
YAW_INERTIA = 164_230_000.0  # moment of inertia [kg m^2] of the spar in yaw
MASS = PLATFORM + TURBINE
DRAG, ADDED_MASS = 0.6, 0.969954  # coefficients of the spar [1]
DAMPING = np.diag([1e5, 1e5, 1.3e5, 0.0, 0.0, 1.3e7])  # units: N s/m, N m s
YAW_SPRING = 98_340_000.0  # stiffness in yaw [N m/rad]
FAIRLEAD, ANCHOR = (5.2, -70.0), (853.87, -DEPTH)  # radius and height [m] of the line ends
LENGTH, DIAMETER = 902.2, 0.09  # dimensions [m] of a line
LINE = {"axial_stiffness": 384_243_000.0, "mass_per_length": 77.7066}  # units: N, kg/m
WEIGHT = 698.094  # weight of a line in water per length [N/m]
PULL = 1_607_000.0  # vertical force [N] of all lines at rest
STIFFNESS = np.diag([41_180.0, 41_180.0, 11_940.0, 3.111e8, 3.111e8, 1.156e7])
"""Linear stiffness [N/m, N, N m] of the three lines about the node of the spar (section 5 of the report)."""
STIFFNESS[[0, 4], [4, 0]] = -2.821e6
STIFFNESS[[1, 3], [3, 1]] = 2.821e6
ANGLES = np.radians((0.0, 120.0, 240.0))
RADIATION = Path(__file__).resolve().parents[1] / "reference" / "radiation" / "spar.nc"
"""Radiation and diffraction of the spar, which make_spar.py in the same folder computes with Capytaine."""
VOLUME = 8_029.21  # displaced volume at rest [m^3]
BUOYANCY = np.diag([0.0, 0.0, 332_941.0, -4_999_180_000.0, -4_999_180_000.0, 0.0])
"""Stiffness [N/m, N m] of the buoyancy about the node of the spar, without the weight (section 4 of the report)."""


class Definition(NamedTuple):
    """Properties of the spar that differ between publications.

    Attributes:
        mass: mass [kg].
        center: height of the centre of mass [m].
        inertia: moments of inertia about the centre of mass [kg m^2].
        drag, added_mass: coefficients across the axis [1].
        end_drag, end_added_mass: coefficients of the lower end [1].
        taper_added_mass: added mass of the taper along the axis [kg].
        damping: additional linear damping [N s/m, N m s], shape (6, 6).
        gravity: gravitational acceleration [m/s^2].
    """

    mass: float
    center: float
    inertia: tuple[float, float, float]
    drag: float
    added_mass: float
    end_drag: float
    end_added_mass: float
    taper_added_mass: float
    damping: FloatArray
    gravity: float


def _define_report() -> Definition:
    """Return the properties of the report."""
    mass, height, inertia = PARTS.T
    center = float(mass @ height / mass.sum())
    pitch = float(np.sum(inertia + mass * (height - center) ** 2))
    return Definition(MASS, center, (pitch, pitch, YAW_INERTIA), DRAG, ADDED_MASS, 1.0, 1.0, 0.0, DAMPING, GRAVITY)


REPORT = _define_report()


def _define_raft() -> Definition:
    """Return the properties of the design "NREL 5MW with OC3-Hywind spar" of RAFT."""
    # the moment of inertia in pitch is about an axis in the water plane
    mass, center, pitch, yaw = 8_089_513.0, -78.035253, 6.773023e10, 1.181008e8
    inertia = pitch - mass * center**2
    return Definition(mass, center, (inertia, inertia, yaw), 0.8, 1.0, 0.6, 0.6, 8.95e4, np.zeros((6, 6)), 9.81)


RAFT = _define_raft()
"""The spar in the tests of RAFT. Its ballast and coefficients differ from the values in the report.

Source: RAFT (github.com/WISDEM/RAFT, commit e6cb69e), test data of the design OC3spar, statics and hydrodynamic
constants; M. Hall et al., Open-source frequency-domain dynamics model for floating wind turbines,
OMAE 2022.
"""


def eval_inertia(definition: Definition) -> FloatArray:
    """Return the mass matrix of the spar about its node, shape (6, 6)."""
    moment = definition.mass * definition.center
    M = np.diag([*[definition.mass] * 3, *definition.inertia])
    M[[3, 4], [3, 4]] += moment * definition.center
    M[[0, 4], [4, 0]], M[[1, 3], [3, 1]] = moment, -moment
    return M


def eval_stiffness(definition: Definition) -> FloatArray:
    """Return the linear stiffness of the spar about its node, with buoyancy, weight, lines and yaw spring, shape
    (6, 6)."""
    K = BUOYANCY + STIFFNESS
    K[[3, 4], [3, 4]] -= definition.mass * definition.center * definition.gravity
    K[5, 5] += YAW_SPRING
    return K


class Spar(NamedTuple):
    """The spar, its lines and, if the spar is fixed, its supports. The first line runs along x."""

    world: wl.World
    spar: Entity
    lines: list[Entity]
    supports: Entity | None


def create_spar(
    elements: int = 20,
    held: tuple[float, float, float] | None = None,
    waves: dict[str, object] | None = None,
    definition: Definition = REPORT,
    hydrodynamics: con.Hydrodynamics | None = None,
    memory: bool = True,
) -> Spar:
    """Create the spar with its lines and the loads of the water.

    Args:
        elements: number of cables along each line. With 0, the lines are replaced by linear springs with the pull and
            the stiffness in the report.
        held: displacement [m] at which the spar is fixed, without loads of the water; by default, the spar floats.
        waves: columns of `Fluid` that describe waves; by default, the water is calm.
        definition: properties of the spar.
        hydrodynamics: coefficients of Cummins' equation; default: Morison's equation.
        memory: whether the floater has retardation functions.
    """
    world = wl.World(gravity=(0.0, 0.0, -definition.gravity))
    shift = np.zeros(3) if held is None else np.array(held)
    spar = world.add(
        RigidBody3D, name="spar", position=shift, mass=definition.mass, inertia=definition.inertia,
        center_of_mass=(0.0, 0.0, definition.center),
    )  # fmt: skip
    sea = world.add(con.Fluid, name="sea", density=WATER, depth=DEPTH, **(waves or {}))
    supports = None
    if held is None:
        stiffness = np.diag([0.0, 0.0, 0.0, 0.0, 0.0, YAW_SPRING]) + (0.0 if elements else STIFFNESS)
        if hydrodynamics is None:
            add_strips(world, spar, sea, definition, stiffness)
        else:
            con.floater(
                world, spar, sea, added_mass=hydrodynamics.infinite, volume=VOLUME, damping=definition.damping,
                stiffness=BUOYANCY + stiffness, radiation=hydrodynamics.fit_radiation() if memory else None,
                excitation=hydrodynamics.excitation if waves else None,
            )  # fmt: skip
    else:
        supports = con.fix(world, spar, "x", "y", "z", "e1", "e2", "e3")
    lines: list[Entity] = []
    if not elements:
        world.add(
            con.Force, name="pull of the lines", marker=con.position_marker(world, spar), vector=(0.0, 0.0, -PULL)
        )
        return Spar(world, spar, lines, supports)
    ground = world.add(con.PlaneSurface, marker=con.rigid_marker(world, world.add(Ground)), offset=-DEPTH)
    for k, angle in enumerate(ANGLES):
        ray = np.array((np.cos(angle), np.sin(angle)))
        anchor, fairlead = (np.array((*(radius * ray), z)) for radius, z in (ANCHOR, FAIRLEAD))
        route = hang(anchor, fairlead + shift)
        line = cable_along(
            world, route, elements, length=LENGTH / elements, bending_stiffness=1.0, axial_damping=1e6,
            name=f"line {k}", **LINE,
        )  # fmt: skip
        nodes = nodes_of(world, line)[[0, elements]]
        world.add(
            con.FluidLoad, cable=line, fluid=sea, diameter=DIAMETER, normal_drag=1.6, axial_drag=0.1, added_mass=1.0,
            points=3, constant_volume=True,
        )  # fmt: skip
        markers = con.position_marker(world, nodes[1]), con.position_marker(world, spar, fairlead)
        world.add(con.SphericalJoint, marker0=markers[0], marker1=markers[1])
        con.hinge(world, nodes[0])
        lines.append(line)
    con.add_surface_contact(world, ground, lines, contact_stiffness_per_length=1e5, contact_damping_per_length=1e4)
    return Spar(world, spar, lines, supports)


def hang(anchor: FloatArray, fairlead: FloatArray) -> Any:
    """Return the elastic catenary of a line, which touches the ground unless the line is too taut."""
    values = LENGTH, LINE["axial_stiffness"], WEIGHT / GRAVITY
    try:
        return hang_from_ground(anchor, fairlead, *values, gravity=(0.0, 0.0, -GRAVITY))
    except RouteError:
        return hang_between(anchor, fairlead, *values, (0.0, 0.0, -GRAVITY))


def eval_pull(displacement: tuple[float, float, float]) -> FloatArray:
    """Return the force [N] of all lines on a displaced spar by elastic catenaries, shape (3,)."""
    total = np.zeros(3)
    for angle in ANGLES:
        ray = np.array((np.cos(angle), np.sin(angle)))
        anchor, fairlead = (np.array((*(radius * ray), z)) for radius, z in (ANCHOR, FAIRLEAD))
        route = hang(anchor, fairlead + displacement)
        tangent = route.eval_points([LENGTH])[1][0]
        total -= float(route.eval_tension([LENGTH])[0]) * tangent
    return total


def add_strips(world: wl.World, spar: Entity, sea: Entity, definition: Definition, stiffness: FloatArray) -> None:
    """Add the load of the water by Morison's equation, the additional damping, and a linear stiffness."""
    edges = np.array([-120.0, -12.0, -10.0, -8.0, -6.0, -4.0, 10.0])
    for low, high in pairwise(edges):
        ends = np.interp((low, high), EDGES, DIAMETERS)
        diameter = np.sqrt((ends[0] ** 2 + ends[0] * ends[1] + ends[1] ** 2) / 3.0)  # for equal volume
        bottom = low == edges[0]
        is_tapered = -12.0 <= low < -4.0
        reference = WATER * np.pi * diameter**3 / 12.0  # mass [kg] to which the added mass coefficient of an end refers
        end = 0.25 * definition.taper_added_mass / reference if is_tapered else 0.0
        world.add(
            con.CylinderFluidLoad, marker=con.rigid_marker(world, spar, (0.0, 0.0, 0.5 * (low + high))), fluid=sea,
            diameter=diameter, length=high - low, strips=18 if bottom else 1 if high < 0.0 else 7,
            normal_drag=definition.drag, axial_drag=0.0, added_mass=definition.added_mass,
            end_added_mass=(bottom * definition.end_added_mass, end), end_drag=(bottom * definition.end_drag, 0.0),
        )  # fmt: skip
    calm = world.add(con.Fluid, name="calm water", density=WATER, depth=DEPTH)
    con.floater(
        world, spar, calm, added_mass=np.zeros((6, 6)), volume=0.0, damping=definition.damping, stiffness=stiffness
    )
