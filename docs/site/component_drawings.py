"""Drawings of the columns of components, one for each page of the reference; `docs/site/components.py` creates the
pages."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sketch import BLACK, BLUE, GREEN, GREY, RED, Sketch

Draw = Callable[[Sketch], None]
DRAWINGS: dict[str, Draw] = {}
"""Drawing functions, by name of the component."""


def draws(*names: str) -> Callable[[Draw], Draw]:
    """Return a decorator that registers a drawing function for components."""

    def keep(draw: Draw) -> Draw:
        DRAWINGS.update(dict.fromkeys(names, draw))
        return draw

    return keep


def draw(name: str) -> bytes:
    """Return the drawing of a component as SVG.

    Raises:
        KeyError: the component has no drawing.
    """
    sketch = Sketch()
    DRAWINGS[name](sketch)
    return sketch.save()


# nodes


@draws("Point2D", "Point3D", "NodePosition")
def point(s: Sketch) -> None:
    s.frame((0, 0))
    s.arrow((0, 0), (2.0, 1.2), color=GREY)
    s.text((0.6, 0.9), "position", GREY, align="center")
    s.dot((2.0, 1.2))
    s.arrow((2.0, 1.2), (3.2, 1.7), "displacement", (0.15, 0.1), BLUE)
    s.dot((3.2, 1.7), color=BLUE)
    s.arrow((3.2, 1.7), (3.6, 0.9), "velocity")


@draws("PointSlope2D", "PointSlope3D")
def point_slope(s: Sketch) -> None:
    s.curve([(0.2, 0.2), (2.0, 1.0), (4.2, 0.7)])
    s.dot((2.0, 1.0), "position", (0.0, -0.3))
    s.arrow((2.0, 1.0), (3.2, 1.32), "slope; its length is the stretch, 1 without strain", (0.0, 0.3))
    s.frame((-1.2, 0.0))


@draws("RigidNode2D", "RigidNode3D", "RigidNodePosition", "RigidNodePosition3D")
def rigid_node(s: Sketch) -> None:
    s.frame((0, 0))
    s.arrow((0, 0), (2.4, 1.0), color=GREY)
    s.text((0.9, 0.75), "position", GREY, align="center")
    s.body((2.6, 1.05), (1.0, 0.6), 25.0)
    s.frame((2.4, 1.0), 25.0, 0.7)
    s.line((2.4, 1.0), (4.2, 1.0), color=GREY, width=1.0, style=":")
    s.arc((2.4, 1.0), 1.5, 0.0, 25.0, "angle or Euler parameters", shift=(0.15, -0.2))
    s.dot((2.4, 1.0))


@draws("GenericNode1", "StateNode1", "GenericData")
def numbers(s: Sketch) -> None:
    for k in range(4):
        s.line((k, 0), (k + 1, 0), (k + 1, 0.7), (k, 0.7), (k, 0), color=GREY)
        s.text((k + 0.5, 0.35), ("0", "1", "...", "n - 1")[k], align="center")
    s.text((2.0, 1.1), "n numbers of one row", align="center")
    s.text((2.0, -0.4), "reference + displacement, states, or history values", align="center")


@draws("ALENode", "ALECable2D")
def moving_material(s: Sketch) -> None:
    s.curve([(0, 0.2), (1.6, 0.7), (3.4, 0.6), (5.0, 0.1)])
    s.dot((0, 0.2), "node0")
    s.dot((5.0, 0.1), "node1")
    for x, y, up in ((0.9, 0.78, 0.1), (2.4, 1.0, 0.0), (3.9, 0.75, -0.15)):
        s.arrow((x, y), (x + 0.7, y + up))
    s.text((2.9, 1.4), "material runs through the nodes: s, $s_t$", RED, align="center")
    s.text((2.5, -0.45), "length: of the cable without strain", align="center")


@draws("SlidingNode", "SlidingJoint", "CableTrack")
def track(s: Sketch) -> None:
    way = s.curve([(0, 0.3), (1.6, 0.9), (3.4, 0.8), (5.0, 0.2)])
    for at, words in ((0, "start of the chain"), (70, ""), (130, ""), (199, "end")):
        s.dot(way[at], words)
    here = way[105]
    s.body(here - (0, 0.75), (0.5, 0.3), words="body")
    s.line(here - (0, 0.45), here)
    s.dot(here, color=RED)
    s.curve([p + (0, 0.25) for p in way[0:106:35]], RED, 1.2)
    s.text((1.3, 1.4), "s, by undeformed length", RED, align="center")
    s.arrow(here + (0.1, 0.25), here + (0.9, 0.2), "$s_t$: damping, friction")


# bodies


@draws("MassPoint")
def mass_point(s: Sketch) -> None:
    s.dot((0, 1), "mass", (0.5, 0.0))
    s.arrow((0, 1), (0, 0.1), "gravity")
    s.frame((-2.0, 0.2))


@draws("RigidBody2D", "RigidBody3D")
def rigid_body(s: Sketch) -> None:
    s.body((0.6, 0.35), (1.6, 0.9), 20.0)
    s.frame((0, 0), 20.0, 0.7)
    s.dot((0, 0), "node", (-0.35, -0.15))
    s.arrow((0, 0), (1.1, 0.6), color=BLACK)
    s.text((2.4, 1.0), "center_of_mass, in the frame of the body")
    s.dot((1.1, 0.6), color=RED)
    s.text((2.4, 0.6), "mass", RED)
    s.arc((1.1, 0.6), 0.4, -60.0, 140.0)
    s.text((2.4, 0.2), "inertia about the centre of mass", RED)


@draws("GenericODE2")
def reduced_body(s: Sketch) -> None:
    points = [(0, 0), (1, 0.15), (2, 0.5), (3, 1.05)]
    for k, p in enumerate(points):
        s.line((k, -0.8), (k, -0.8), color=GREY)
        s.dot((k, -0.4), color=GREY)
        s.dot(p, color=BLUE)
        s.arrow((k, -0.4), p, color=RED)
    s.line(*[(k, -0.4) for k in range(4)], color=GREY)
    s.line(*points, color=BLUE)
    s.text((3.2, -0.4), "points, joined by lines", GREY)
    s.text((3.2, 1.05), "points + basis q", BLUE)
    s.text((1.5, -0.9), "q: coordinates of nodes; mass, damping, stiffness: matrices (n, n)", align="center")


# elements


@draws("Cable2D", "Cable3D")
def cable(s: Sketch) -> None:
    way = s.curve([(0, 0.2), (1.6, 0.95), (3.4, 0.9), (5.0, 0.1)])
    s.dot(way[0], "node0")
    s.dot(way[-1], "node1", (-0.35, -0.2))
    for at, ahead in ((0, 12), (-1, -13)):
        side = 1.0 if at == 0 else -1.0
        d = side * (way[ahead] - way[at])
        s.arrow(way[at], way[at] + 0.9 * d / np.hypot(*d), color=RED)
    s.text((0.2, 1.0), "slope", RED, align="center")
    s.text((2.5, 1.5), "length L: along the axis, without strain", BLUE, align="center")
    s.text((2.5, -0.75), "axial_stiffness EA, bending_stiffness EI, mass_per_length ρA", align="center")
    s.text(
        (2.5, -1.15), "reference_strain < 0 pre-stretches; reference_curvature > 0 bends to the left", align="center"
    )


@draws("FibreCable2D", "FibreCable3D", "TwistFibreCable3D")
def fibre_rope(s: Sketch) -> None:
    s.spring((0.0, 0.5), (2.2, 0.5))
    s.line((2.2, 0.0), (2.2, 1.0))
    s.spring((2.2, 1.0), (4.6, 1.0))
    s.damper((2.2, 0.0), (4.6, 0.0))
    s.line((4.6, 0.0), (4.6, 1.0))
    s.arrow((4.6, 0.5), (5.4, 0.5), color=RED)
    s.text((5.5, 0.5), "N", RED)
    s.text((1.1, 1.1), "axial_stiffness + stiffening · mean load", align="center", size=9)
    s.text((3.4, 1.45), "slow_stiffness", align="center")
    s.text((3.4, -0.5), "slow_damping", align="center")
    s.measure((2.2, -0.9), (4.6, -0.9), "slow strain y · length")


@draws("TableCable2D", "TableCable3D", "TwistTableCable3D")
def table_cable(s: Sketch) -> None:
    points = [(0.0, 0.0), (1.5, 0.3), (3.0, 1.0), (4.0, 2.2)]
    s.arrow((-0.3, 0.0), (5.0, 0.0), color=GREY)
    s.arrow((0.0, -0.3), (0.0, 2.4), color=GREY)
    s.line(*points, color=BLUE)
    for point in points:
        s.dot(point, color=BLUE)
    s.text((5.1, 0.0), "table_strains", GREY)
    s.text((0.15, 2.4), "table_tensions", GREY)


@draws("WorkingCable2D", "WorkingCable3D", "TwistWorkingCable3D")
def working_cable(s: Sketch) -> None:
    s.graph((0, 0), (5.0, 2.6), "static strain", "mean load T")
    s.line((0.0, 0.0), (1.2, 0.7), (2.6, 1.4), (4.4, 2.4), color=BLUE)
    s.line((0.9, 0.0), (1.7, 0.5), (2.6, 1.4), color=RED)
    s.dot((2.6, 1.4), "largest mean load so far, at first largest_load", (0.15, -0.15))
    s.text((4.3, 2.6), "working_strains, working_tensions", BLUE, align="center")
    s.text((1.8, 0.35), "working curve: working_quadratic, working_exponent", RED)
    s.measure((0.0, -0.5), (0.9, -0.5), "working_offset")


@draws("WireFriction")
def wire_friction(s: Sketch) -> None:
    s.graph((0, 0), (2.9, 1.6), "curvature or strain", "moment or force of the bristles")
    s.line((0.0, 0.0), (0.7, 1.1), (2.3, 1.1), (0.9, -1.1), (-2.3, -1.1), (-0.9, 1.1), (0.7, 1.1), color=RED, width=2)
    s.text((2.4, 1.1), "slip_moment, slip_force", RED)
    s.text((1.4, -0.55), "slope: bending_stiffness, axial_stiffness", RED)
    s.text((-0.5, -0.75), "area: loss of a cycle", GREY, align="center")


@draws("TwistCable3D", "PointSlopeTwist3D", "TwistNodePosition")
def twist(s: Sketch) -> None:
    way = s.curve([(0, 0.2), (1.6, 0.9), (3.4, 0.9), (5.0, 0.2)])
    s.dot(way[0], "node0")
    s.dot(way[-1], "node1", (-0.35, -0.2))
    for at, angle in ((20, 90.0), (75, 60.0), (130, 30.0), (180, 0.0)):
        turn = np.array((0.35 * np.cos(np.radians(angle)), 0.35 * np.sin(np.radians(angle)) + 0.1))
        s.arrow(way[at], way[at] + turn, color=GREEN)
    s.arc((5.0, 0.2), 0.55, -60.0, 120.0, "twist: angle of d_1 about the slope", shift=(0.15, 0.2))
    s.text((2.4, 1.6), "the cross section turns along the axis", GREEN, align="center")
    s.text(
        (2.4, -0.65), "torsional_stiffness against twist per length; normal: d_1 where the twist is 0", align="center"
    )


@draws("Beam2D", "Beam3D", "UnitRotation3D", "PositionOnBeam2D", "PositionOnBeam3D")
def beam(s: Sketch) -> None:
    way = s.curve([(0, 0.1), (1.6, 0.5), (3.4, 0.6), (5.0, 0.3)])
    for at, angle, words in ((0, 30.0, "node0"), (100, 8.0, "node2"), (199, -25.0, "node1")):
        s.frame(way[at], angle, 0.75)
        s.dot(way[at], words, (0.0, -0.3))
    for at, angle in ((40, 100.0), (150, 80.0)):
        across = 0.35 * np.array((np.cos(np.radians(angle)), np.sin(np.radians(angle))))
        s.line(way[at] - across, way[at] + across, color=GREEN)
    s.text((2.5, 1.8), "sections turn with the nodes, not with the axis", GREEN, align="center")
    s.text((2.5, -0.6), "stiffness: forces and moments by strains, in the frame of the section", align="center")


@draws("SlopeBeam3D", "PointSectionSlopes3D", "SectionNodePosition", "PositionOnSlopeBeam3D")
def slope_beam(s: Sketch) -> None:
    way = s.curve([(0, 0.1), (1.6, 0.5), (3.4, 0.6), (5.0, 0.3)])
    for at, angle, words in ((0, 110.0, "node0"), (100, 95.0, "node2"), (199, 75.0, "node1")):
        for turn, name in ((0.0, "slope2"), (-60.0, "slope3")):
            side = np.radians(angle + turn)
            end = way[at] + 0.75 * np.array((np.cos(side), np.sin(side)))
            s.arrow(way[at], end, color=GREEN)
            if at == 0:
                s.text(end + np.array((0.08, 0.1)), name, GREEN)
        s.dot(way[at], words, (0.0, -0.3))
    s.text((2.5, 1.9), "point of the section: r + y r_2 + z r_3", GREEN, align="center")
    s.text((2.5, -0.6), "section_stiffness: length of the slopes, angle between the slopes", align="center")


@draws("WinchCable2D", "WinchCable3D", "WinchTwistCable3D")
def winch(s: Sketch) -> None:
    s.circle((0, 0), 0.6, fill="0.92")
    s.text((0, 0), "winch", GREY, align="center")
    s.line((0.0, 0.6), (5.4, 0.6), color=BLUE, width=3)
    s.dot((0.9, 0.6), "outlet", (0.15, -0.3), GREY)
    for x, words in ((2.2, "node0"), (3.8, "node1"), (5.4, "end")):
        s.dot((x, 0.6), words)
    s.measure((0.9, 1.0), (2.2, 1.0), "begin · l")
    s.measure((2.2, 1.0), (3.8, 1.0), "share · l")
    s.measure((0.9, 1.55), (5.4, 1.55), "l: rope outside of the winch (feed)")
    s.text((0.9, -0.45), "store_tension (and store_twist) of the rope in the winch")


# springs


def two_points(s: Sketch) -> None:
    s.dot((0, 0), "marker0")
    s.dot((4, 0), "marker1")


@draws("SpringDamper", "DistanceCoordinate")
def spring(s: Sketch) -> None:
    two_points(s)
    s.spring_damper((0, 0), (4, 0))
    s.measure((0, 0.85), (4, 0.85), "distance = rest_length (or length) + stretch")
    s.arrow((4, 0), (3.3, 0), color=RED)
    s.text((4.3, 0.3), "tension N pulls where > 0", RED)


@draws("CartesianSpringDamper")
def cartesian(s: Sketch) -> None:
    s.dot((0, 0), "marker0")
    s.dot((3.0, 2.0), "marker1", (0.5, 0.25))
    s.line((0, 0), (0, 2.0), color=GREY, style=":")
    s.spring((0, 2.0), (3.0, 2.0), "stiffness, damping along x")
    s.spring((3.0, 0), (3.0, 2.0), "along y (and z)", shift=-0.001)
    s.line((0, 0), (3.0, 0), color=GREY, style=":")
    s.arrow((0, 0), (3.0, 2.0), color=BLUE)
    s.text((1.3, 1.35), "offset", BLUE, align="center")
    s.frame((-1.3, 0.3))


@draws("CoordinateSpringDamper")
def coordinate_spring(s: Sketch) -> None:
    s.body((0, 0), (0.5, 0.35))
    s.body((4.4, 0), (0.5, 0.35))
    s.spring_damper((0.5, 0), (3.9, 0))
    s.arrow((0, 0.6), (0.8, 0.6), "coordinate x0", (0.0, 0.25))
    s.arrow((4.4, 0.6), (5.2, 0.6), "coordinate x1", (0.0, 0.25))
    s.text((2.2, -0.9), "force k (x1 - x0 - offset); coordinates are displacements or angles", align="center")


@draws("CoordinateSpringDamperExt")
def extended_spring(s: Sketch) -> None:
    s.graph((0, 0), (2.4, 1.3), "$q$", "spring and stops")
    s.line((-1.9, -1.6), (-1.4, -0.7), (1.4, 0.7), (1.9, 1.6), color=RED, width=2)
    for x, words in ((-1.4, "lower_stop"), (1.4, "upper_stop")):
        s.line((x, -0.15), (x, 0.15))
        s.text((x, -0.35 if x > 0 else 0.35), words, align="center", size=8)
    s.text((1.95, 1.3), "stop_stiffness", RED, 8)
    s.text((0.15, -0.8), "slope: stiffness", RED, 8)
    s.graph((5.6, -0.6), (2.2, 1.9), "$q_t$", "friction")
    v = np.linspace(0.0, 2.1, 60)
    s.line(*np.column_stack((5.6 + v, -0.6 + 0.7 + 0.6 * np.exp(-v / 0.4) + 0.12 * v)), color=RED, width=2)
    s.line((5.55, 0.1), (7.6, 0.1), color=GREY, width=1, style=":")
    s.text((7.8, 0.1), "dynamic_friction", size=8)
    s.text((5.9, 0.85), "+ static_friction_offset", size=8)
    s.text((5.0, -1.4), "q = factor1 x1 - factor0 x0", size=9)


@draws("LinearSpringDamper")
def linear_spring(s: Sketch) -> None:
    s.body((0, 0), (0.6, 0.4), 15.0, "marker0")
    s.line((0, 0), (5.2, 0.9), color=GREEN, width=1, style="--")
    s.text((5.3, 0.95), "axis, turns with marker 0", GREEN)
    s.spring_damper((0.6, 0.1), (4.0, 0.69))
    s.dot((4.0, 1.5), "marker1", (0.6, 0.15))
    s.line((4.0, 1.5), (4.14, 0.7), color=GREY, style=":")
    s.text((1.2, -0.75), "force k (x - offset) along the axis alone")


@draws("TorsionalSpringDamper")
def torsion_spring(s: Sketch) -> None:
    s.body((0, 0), (0.4, 0.8), words="0")
    s.body((3.6, 0), (0.4, 0.8), words="1")
    s.spring_damper((0.4, 0), (3.2, 0))
    s.line((-0.8, 0), (4.6, 0), color=GREEN, width=1, style="--")
    s.text((4.7, 0), "z of frame0", GREEN)
    s.arc((3.6, 0), 1.05, -50, 50, "φ, over any number of turns", shift=(0.1, 0.2))
    s.text((1.8, -1.1), "torque k (φ - offset) + d (φ_t - rate_offset) + preload", align="center")


@draws("RigidBodySpringDamper")
def bushing(s: Sketch) -> None:
    s.body((0, 0), (0.8, 0.5), 10.0)
    s.body((4.2, 0.5), (0.8, 0.5), -10.0)
    s.frame((0, 0), 10.0, 0.6, ("", ""))
    s.frame((4.2, 0.5), -10.0, 0.6, ("", ""))
    s.text((0, -0.8), "frame0 at marker 0", GREEN, align="center")
    s.text((4.2, -0.3), "frame1 at marker 1", GREEN, align="center")
    s.spring_damper((0.8, 0.1), (3.4, 0.4), "", "")
    s.text((2.1, 1.35), "x: 3 lengths and 3 angles; K, D are 6 × 6", align="center")


@draws("OverrunningClutch")
def clutch(s: Sketch) -> None:
    s.graph((0, 0.4), (2.6, 1.3), "angle between the shafts", "torque")
    s.line((-2.2, -0.1), (0.3, -0.1), color=RED, width=2)
    s.line((0.3, -0.1), (1.3, 1.4), (2.4, 1.4), color=RED, width=2)
    s.text((-2.2, -0.4), "drag_torque while it overruns", RED)
    s.text((1.1, 0.85), "stiffness while it locks", RED)
    s.text((2.5, 1.4), "largest_torque: slips", RED)


@draws("TensionerSpring")
def tensioner(s: Sketch) -> None:
    s.graph((0, 0), (2.8, 1.9), "angle of the arm", "torque")
    s.line((0, 0.7), (2.4, 1.5), color=GREY, style="--")
    s.line((0.0, 0.45), (0.25, 0.95), (2.4, 1.85), (2.15, 1.15), (0.0, 0.45), color=RED, width=2)
    s.text((-0.1, 0.7), "preload", align="right")
    s.text((2.5, 1.5), "slope stiffness", GREY)
    s.text((2.5, 1.9), "loading_friction", RED)
    s.text((2.5, 1.1), "unloading_friction", RED)


@draws("ContactCoordinate", "JointStop")
def stop(s: Sketch) -> None:
    s.graph((0, 0), (2.6, 1.4), "coordinate or gap", "force")
    s.line((-1.8, 1.2), (-1.0, 0), (1.0, 0), color=RED, width=2)
    s.line((1.0, 0), (1.8, -1.2), color=RED, width=2)
    s.text((-1.0, -0.25), "lower or offset", align="center")
    s.text((1.2, 0.25), "upper (JointStop)", align="center")
    s.text((-1.75, 1.3), "slope: stiffness", RED)


@draws("RollingDiscPenalty", "RollingJoint")
def disc(s: Sketch) -> None:
    s.ground((0, 0), 4.0)
    s.circle((0, 1.0), 1.0)
    s.dot((0, 1.0), "marker1", (0.5, 0.25))
    s.measure((0, 1.0), (-0.7, 0.3), "radius", (-0.45, 0.1))
    s.arrow((1.6, 0), (1.6, 0.9), "normal, of marker 0", color=GREEN)
    s.arc((0, 1.0), 1.25, 100, 30, "turns about axis, of marker 1")
    s.arrow((0, 0), (-1.0, 0.0), "friction", (-0.1, 0.15))


@draws("GearPair")
def gears(s: Sketch) -> None:
    s.circle((0, 0), 1.2)
    s.circle((2.0, 0), 0.8)
    s.circle((0, 0), 1.3, style=":")
    s.circle((2.0, 0), 0.9, style=":")
    s.dot((0, 0), "teeth0")
    s.dot((2.0, 0), "teeth1", (0.15, -0.3))
    s.line((1.2 - 0.35, -0.95), (1.2 + 0.35, 0.95), color=RED)
    s.line((1.2, -1.2), (1.2, 1.2), color=GREY, style="--")
    s.arc((1.2, 0), 1.0, 90, 70, "pressure_angle", shift=(0.1, 0.15))
    s.measure((-1.2, -1.5), (1.2, -1.5), "module · teeth0", (0.0, -0.25))
    s.text((3.1, 0.3), "mesh_stiffness, backlash")
    s.text((3.1, -0.05), "along the line of action", RED)


@draws("HydraulicActuator")
def cylinder(s: Sketch) -> None:
    s.line((0.4, 0.5), (3.4, 0.5), (3.4, -0.5), (0.4, -0.5), (0.4, 0.5))
    s.line((1.8, 0.5), (1.8, -0.5), width=5)
    s.line((1.8, 0), (5.0, 0), width=3)
    s.line((0, 0), (0.4, 0))
    s.dot((0, 0), "marker0")
    s.dot((5.0, 0), "marker1")
    s.text((1.1, 0), "$p_0$, area0", align="center")
    s.text((2.65, 0.22), "$p_1$, area1", align="center")
    for x, words in ((0.9, "valve_opening0"), (2.9, "valve_opening1")):
        s.arrow((x, 1.2), (x, 0.5))
        s.text((x, 1.35), words, RED, 9, "center")
    s.measure((0, -0.85), (5.0, -0.85), "offset_length + stroke", (0.0, -0.22))


@draws("ReevingSystemSprings")
def reeving(s: Sketch) -> None:
    s.circle((1.2, 1.4), 0.5)
    s.circle((3.0, 0.2), 0.4)
    s.line((0, 0), (0.72, 1.55), color=BLUE, width=2.5)
    s.arc((1.2, 1.4), 0.5, 160, 35, color=BLUE, tip=False)
    s.line((1.6, 1.7), (2.65, 0.35), color=BLUE, width=2.5)
    s.line((3.35, 0.35), (4.6, 1.6), color=BLUE, width=2.5)
    s.arc((3.0, 0.2), 0.4, 200, 335, color=BLUE, tip=False)
    s.dot((0, 0), "first marker")
    s.dot((4.6, 1.6), "last marker", (0.0, 0.25))
    s.measure((1.2, 1.4), (1.2, 1.9), "radii", (-0.15, 0.3))
    s.text((3.7, 0.0), "one tension N: axial_stiffness, reference_length")


# constraints


@draws("CoordinateConstraint", "CoordinateVectorConstraint")
def coordinates_constraint(s: Sketch) -> None:
    s.circle((0, 0), 1.0)
    s.circle((2.2, 0), 0.6)
    s.arc((0, 0), 1.2, 60, 120, "x0", shift=(0.0, 0.25))
    s.arc((2.2, 0), 0.8, 120, 60, "x1", shift=(0.1, 0.15))
    s.dot((0, 0), "marker0 or node0")
    s.dot((2.2, 0), "marker1 or node1", (0.0, -0.85))
    s.text((3.3, 0.2), "x1 - ratio · x0 = offset")
    s.text((3.3, -0.2), "velocity_level: the same of velocities = rate")


@draws("DistanceConstraint")
def rod(s: Sketch) -> None:
    s.line((0, 0), (4, 0.6), width=3)
    s.dot((0, 0), "marker0")
    s.dot((4, 0.6), "marker1")
    s.measure((-0.05, 0.4), (3.95, 1.0), "distance, constant")


@draws("GenericJoint")
def joint(s: Sketch) -> None:
    s.body((0, 0), (1.2, 0.6), 10.0)
    s.body((2.4, 0.7), (1.2, 0.6), -15.0)
    s.frame((0.9, 0.3), 10.0, 0.6, ("", ""))
    s.frame((1.6, 0.6), -15.0, 0.6, ("", ""))
    s.text((0.5, -0.75), "frame0", GREEN, align="center")
    s.text((2.7, 1.5), "frame1", GREEN, align="center")
    s.arrow((0.9, 0.3), (1.6, 0.6), color=RED)
    s.text((3.8, 0.5), "offset: 3 lengths and 3 angles,", RED)
    s.text((3.8, 0.15), "each locked by translations, rotations")


@draws("PrismaticJoint2D")
def slide(s: Sketch) -> None:
    s.body((0.6, -0.1), (1.2, 0.5), 15.0)
    s.line((-0.8, -0.4), (4.4, 1.0), color=GREEN, style="--")
    s.text((4.5, 1.0), "axis, turns with marker 0", GREEN)
    s.dot((0.6, -0.02), "marker0")
    s.dot((3.0, 0.62), "marker1", (0.3, -0.3))
    s.arrow((3.0, 0.62), (3.8, 0.84), color=RED)
    s.arc((3.0, 0.62), 0.6, 15, 80, "angle, where lock_rotation", shift=(-0.1, 0.2))


@draws("RevoluteJoint2D", "SphericalJoint")
def pin(s: Sketch) -> None:
    s.body((0, 0), (1.3, 0.4), 15.0, "0")
    s.body((2.2, 0.1), (1.3, 0.4), -15.0, "1")
    s.circle((1.1, 0.3), 0.14, BLACK, "white")
    s.arc((1.1, 0.3), 0.8, 45, 135, "free rotation", shift=(0.0, 0.3))
    s.text((1.1, -0.7), "marker0 and marker1 coincide", align="center")


# loads


@draws("Force")
def force(s: Sketch) -> None:
    s.body((0, 0), (1.2, 0.6), 15.0)
    s.dot((0.8, 0.2), "marker", (-0.5, -0.05))
    s.arrow((0.8, 0.2), (2.2, 1.1), "vector [N]; global, or turns with the body (body_fixed)")


@draws("Torque")
def torque(s: Sketch) -> None:
    s.body((0, 0), (1.2, 0.6), 15.0)
    s.dot((0, 0), "marker")
    s.arc((0, 0), 1.0, -30, 120, "vector [N m]; in 2D its z component", shift=(0.1, 0.25))


@draws("CoordinateLoad", "StateLoad")
def state_load(s: Sketch) -> None:
    s.line((0, 0), (1.6, 0), (1.6, 0.8), (0, 0.8), (0, 0), color=GREY)
    s.text((0.8, 0.4), "load", GREY, align="center")
    for y, words in ((0.65, "inputs u: gains"), (0.4, "$u_t$: rate_gains"), (0.15, "value, function(t)")):
        s.arrow((-0.9, y), (0, y), color=BLUE)
        s.text((-1.0, y), words, BLUE, align="right")
    s.arrow((1.6, 0.4), (2.6, 0.4))
    s.dot((2.8, 0.4), "coordinate of marker", (1.6, 0.0))


@draws("GenericODE1")
def states(s: Sketch) -> None:
    s.line((0, 0), (3.0, 0), (3.0, 0.9), (0, 0.9), (0, 0), color=GREY)
    s.text((1.5, 0.45), "$y_t = b + A y + B u + C u_t$", align="center")
    s.arrow((-1.0, 0.45), (0, 0.45), color=BLUE)
    s.text((-1.1, 0.45), "inputs u", BLUE, align="right")
    s.arrow((3.0, 0.45), (3.9, 0.45), "states y of the node")
    s.text((1.5, -0.35), "constant b, system_matrix A, input_matrix B, rate_matrix C", align="center")


@draws("LoadCell")
def load_cell(s: Sketch) -> None:
    s.graph((0, 0), (3.4, 1.4), "t", "reading")
    t = np.linspace(0.0, 3.2, 80)
    s.line((0, 0), (0.4, 0), (0.4, 1.0), (3.2, 1.0), color=GREY)
    s.line(*np.column_stack((t, np.where(t > 0.4, 1.0 - np.exp(-np.maximum(t - 0.4, 0) / 0.6), 0.0))), color=RED)
    s.text((3.3, 1.0), "weights · multipliers of the joint", GREY)
    s.measure((0.4, 0.63), (1.0, 0.63), "time_constant", (0.9, -0.02))


@draws("LineLoad", "LineTorque", "FluidLoad", "WinchFluidLoad")
def line_load(s: Sketch) -> None:
    way = s.curve([(0, 0), (1.6, 0.4), (3.4, 0.3), (5.0, -0.2)])
    s.dot(way[0])
    s.dot(way[-1])
    for k in range(10, 199, 30):
        s.arrow(way[k] + (0.0, 0.9), way[k] + (0.0, 0.12))
    s.text((2.5, 1.6), "force or torque per length: vector, function, or drag of a fluid", RED, align="center")
    s.text(
        (2.5, -0.5), "diameter, drag and added mass of FluidLoad belong to the cross section", align="center", size=9
    )


@draws("MassProportional")
def acceleration(s: Sketch) -> None:
    s.body((0, 0.6), (1.2, 0.6), 10.0, "body")
    for x in (-0.7, 0.0, 0.7):
        s.arrow((x, 0.2), (x, -0.6))
    s.text((1.2, -0.4), "acceleration times mass", RED)


# markers


@draws("PositionOnCable", "PositionOnCable3D", "PositionOnTwistCable3D", "CableStrain", "CableCoordinates")
def on_cable(s: Sketch) -> None:
    way = s.curve([(0, 0.2), (1.6, 0.8), (3.4, 0.7), (5.0, 0.1)])
    s.dot(way[0], "node0")
    s.dot(way[-1], "node1")
    here, ahead = way[110], way[125] - way[110]
    t = ahead / np.hypot(*ahead)
    n = np.array((-t[1], t[0]))
    s.arrow(here, here + 0.9 * t, "tangent", (0.1, 0.1), GREEN)
    s.arrow(here, here + 0.8 * n, color=GREEN)
    s.text(here + 0.8 * n + (0.1, 0.1), "y or offset along the normal", GREEN)
    s.dot(here, color=RED)
    s.text((1.4, 0.15), "x (place: share of the length)", RED)


@draws("CableShape", "CableShape3D")
def shape(s: Sketch) -> None:
    way = s.curve([(0, 0), (1.6, 0.9), (3.4, 0.9), (5.0, 0)], GREY, 1.5)
    cut = way[:: 199 // 4][:5]
    cut[-1] = way[-1]
    normal = np.gradient(cut, axis=0)
    normal = np.column_stack((-normal[:, 1], normal[:, 0])) / np.linalg.norm(normal, axis=1)[:, None]
    above = cut + 0.4 * normal
    s.line(*above, color=BLUE, width=2.5)
    for p, q in zip(cut, above, strict=True):
        s.line(p, q, color=GREY, width=1, style=":")
        s.dot(q, color=BLUE)
    s.text((2.5, 1.75), "straight segments", BLUE, align="center")
    s.text((2.5, 0.1), "vertical_offset along the left normal (2D)", align="center")


@draws("NodeCoordinate", "RotationCoordinate", "RotationOnBeam2D", "RotationOnBeam3D", "PointCoordinate")
def coordinate(s: Sketch) -> None:
    s.body((0, 0), (0.9, 0.5), 15.0)
    s.dot((0, 0), "node or marker")
    s.arrow((0, 0), (2.0, 0.6), "coordinate along a direction", (0.1, 0.1))
    s.arc((0, 0), 1.2, 60, 150, "angle about axis", shift=(-0.1, 0.25))


@draws("PositionOnRigid2D", "PositionOnRigid3D", "PositionOnGround", "Ground")
def on_rigid(s: Sketch) -> None:
    s.body((0.6, 0.35), (1.6, 0.9), 20.0)
    s.frame((0, 0), 20.0, 0.7)
    s.dot((0, 0), "reference point", (-0.2, -0.25))
    s.arrow((0, 0), (1.6, 0.8), "", (0.15, 0.15))
    s.text((2.3, 0.9), "local, in the frame of the body or ground", RED)


# contact with circles


def circle_with_cable(s: Sketch, points: bool) -> None:
    s.circle((0, 0), 1.0)
    angle = np.radians(np.linspace(150.0, 30.0, 40))
    arc = 1.04 * np.column_stack((np.cos(angle), np.sin(angle)))
    left, right = arc[0] + (-0.55, -0.95), arc[-1] + (0.55, -0.95)
    if points:
        s.line(left, *arc, right, color=BLUE, width=2.5)
        for k in range(2, 40, 7):
            s.dot(arc[k], color=BLACK)
    else:
        s.line(left, *arc[::8], arc[-1], right, color=BLUE, width=2.5)
        for k in range(0, 40, 8):
            s.dot(arc[k], color=BLUE)
    s.dot((0, 0), "circle", (0.0, -0.25))
    s.measure((0, 0), (-0.7, -0.7), "circle_radius", (-0.75, -0.55))
    s.arrow(1.04 * np.array((0.0, 1.0)), (0.0, 1.8), "n: contact stiffness, damping", (0.15, 0.05))
    s.arrow(1.04 * np.array((0.34, 0.94)), (1.1, 0.95 + 0.3), color=RED)
    s.text((1.5, 1.25), "t: friction", RED)


@draws("ContactCircleCable2D", "ContactFrictionCircleCable2D")
def segments(s: Sketch) -> None:
    circle_with_cable(s, points=False)
    s.text((1.5, 0.6), "segments: straight lines of a CableShape", BLUE)


@draws(
    "ContactFrictionCirclePoints2D", "ContactFrictionCircleSetPoints2D", "ContactFrictionCircleWinch2D", "SetCircle",
)  # fmt: skip
def points(s: Sketch) -> None:
    circle_with_cable(s, points=True)
    s.text((1.5, 0.6), "segments: one contact point in each of n parts")
    s.text((1.5, 0.2), "cord_offset: axis above the face", BLUE)


@draws("BeltToothContact")
def teeth(s: Sketch) -> None:
    s.circle((0, 0), 1.2, style=":")
    s.text((-1.35, 0.6), "pitch_radius", align="right")
    outline = []
    for k in range(12):
        for turn, r in ((-11, 1.15), (-7, 0.9), (7, 0.9), (11, 1.15)):
            a = np.radians(30.0 * k + turn)
            outline.append((r * np.cos(a), r * np.sin(a)))
    s.line(*outline, outline[0])
    s.dot((0, 0), "marker0")
    s.arc((0, 0), 0.6, 0, 60)
    s.line((0, 0), (1.4, 0), color=GREY, style=":")
    s.text((1.5, 0.3), "phase: angle of the first groove", RED)
    s.line((-1.6, 1.3), (1.6, 1.3), color=BLUE, width=2.5)
    s.line((-0.16, 1.3), (-0.1, 0.98), (0.1, 0.98), (0.16, 1.3), color=BLUE, width=2)
    s.text((1.7, 1.3), "belt with a tooth at marker 1", BLUE)
    s.measure((0.5, 0.98), (0.5, 1.3), "")
    s.text((1.7, 0.95), "tooth_height")


@draws("ContactCurveCircle", "CurveProfile")
def curve_contact(s: Sketch) -> None:
    s.line((-1.0, 0), (0.6, 0), width=2)
    s.arc((0.6, 0.8), 0.8, -90, 30, color=BLACK, tip=False)
    for p in ((-1.0, 0), (0.6, 0), (1.29, 1.2)):
        s.dot(p)
    s.text((-1.0, -0.3), "points of the profile", align="left")
    s.text((1.5, 0.5), "curvatures ≠ 0: an arc")
    s.circle((-0.2, 0.45), 0.45, BLUE)
    s.measure((-0.2, 0.45), (-0.52, 0.77), "radius", (-0.3, 0.2))
    s.arrow((-0.2, 0), (-0.2, 0.4), color=RED)


@draws("ContactFrictionCables3D", "CableContactSet")
def cables(s: Sketch) -> None:
    s.curve([(-2.4, 0.2), (-0.8, 0.35), (0.8, 0.35), (2.4, 0.2)], BLUE, 12)
    s.curve([(-2.4, 0.85), (-0.8, 0.66), (0.8, 0.66), (2.4, 0.95)], GREEN, 12)
    for x in (-0.9, -0.3, 0.3, 0.9):
        s.dot((x, 0.5))
    s.text((0, -0.1), "points at most a diameter apart", align="center")
    s.text((2.6, 0.2), "radius of the cross section", BLUE)
    s.text((0, 1.3), "apart: arc length within which a chain does not touch itself", GREY, align="center")
    s.text((0, 1.6), "turns_rope: friction turns the cables about their axes", GREY, align="center")


# contact with surfaces


def surface_contact(s: Sketch) -> None:
    s.curve([(-2.4, 0.5), (-1.0, 0.16), (1.0, 0.16), (2.4, 0.5)], BLUE, 10)


@draws(
    "ContactFrictionSurfaceCable", "ContactFrictionSurfaceSetCable", "ContactFrictionSurfaceWinch", "SetSurface",
    "ContactFrictionSurfaceSetWinch",
)  # fmt: skip
def surface(s: Sketch) -> None:
    s.ground((0, 0), 4.8)
    surface_contact(s)
    for x in (-0.9, -0.3, 0.3, 0.9):
        s.dot((x, 0.14))
    s.text((0, 0.8), "points: n equal parts of a cable with rope_radius", align="center")
    s.arrow((0.3, 0.0), (0.3, -0.9), color=RED)
    s.text((0.45, -0.7), "depth g < 0: contact_stiffness_per_length", RED)


@draws(
    "ContactFrictionSurfaceTwistCable", "ContactFrictionSurfaceSetTwistCable", "ContactFrictionSurfaceBeam3D",
    "ContactFrictionSurfaceTwistWinch", "ContactFrictionSurfaceSetTwistWinch",
    "ContactFrictionSurfaceSetBeam3D",
)  # fmt: skip
def turning_rope(s: Sketch) -> None:
    s.ground((0, 0), 4.8)
    s.circle((0, 1.0), 1.0, BLUE)
    s.dot((0, 1.0))
    s.text((1.2, 1.0), "axis t, towards the reader", align="left")
    s.dot((0, 0), color=RED)
    s.arrow((0, 1.0), (-1.9, 1.0), "V: velocity of the axis", (-0.1, 0.0), GREEN)
    s.arc((0, 1.0), 1.3, 20.0, 70.0, "s: spin relative to the surface", shift=(0.25, 0.1))
    s.measure((0, 0.95), (0, 0.05), "rope_radius $r_c$", (1.9, 0.1))
    s.arrow((0, 0.0), (1.2, 0.0), color=RED)
    s.text((1.3, -0.35), "friction: force on the axis and torque about it", RED, align="center")
    s.text((0, -0.8), "rolls where $V = r_c\\,s\\,b$, with $b = t \\times n$", GREY, align="center")


@draws("ContactFrictionSurfaceRibbon")
def ribbon(s: Sketch) -> None:
    s.line((-2.6, 0), (2.6, 0), color=GREEN, style="--")
    s.text((2.7, 0), "axis of the pulley", GREEN)
    s.curve([(-2.2, 0.75), (0, 1.05), (2.2, 0.75)])
    s.line((-2.2, 0.75), (-2.2, -0.2))
    s.line((2.2, 0.75), (2.2, -0.2))
    s.line((-1.6, 1.3), (1.6, 1.1), color=BLUE, width=6)
    s.dot((0, 1.2))
    s.arrow((0, 1.2), (-1.0, 1.26), "$d_1$", (0.1, 0.15))
    for x, y in ((-0.92, 1.26), (0.92, 1.14)):
        s.dot((x, y), color=RED)
        s.arrow((x, y), (x + 0.03, y + 0.75), color=RED)
    s.text((1.1, 1.9), "forces at lines of points", RED, align="left")
    s.measure((-1.6, 2.25), (1.6, 2.25), "width", (0.0, 0.15))
    s.text((0, -0.5), "crowned pulley; the ribbon runs towards the reader", GREY, align="center")


@draws(
    "ContactFrictionBedCable",
    "ContactFrictionBedWinch",
    "ContactFrictionBedTwistCable",
    "ContactFrictionBedTwistWinch",
    "ContactFrictionBedBeam3D",
)
def soft_bed(s: Sketch) -> None:
    # friction ellipse, seen from above
    angle = np.linspace(0.0, 2.0 * np.pi, 80)
    s.curve(list(zip(-2.2 + 0.6 * np.cos(angle), 0.4 + 1.1 * np.sin(angle), strict=True)))
    s.line((-3.9, 0.4), (-0.6, 0.4), color=BLUE, width=5)
    s.arrow((-2.2, 0.4), (-1.6, 0.4), "$\\mu N$", (-0.05, -0.3))
    s.arrow((-2.2, 0.4), (-2.2, 1.5), "$\\rho\\mu N$", (-0.2, 0.12))
    s.text((-2.2, -1.05), "friction along and across the line", GREY, align="center")
    # diagram of the pull by suction as a function of the gap
    s.line((0.3, 0.0), (3.6, 0.0), color=GREY)
    s.line((1.0, -0.9), (1.0, 1.5), color=GREY)
    s.line((0.5, -0.8), (1.6, 0.96), (3.0, 0.0), color=RED, width=2)
    s.line((1.0, 0.0), (2.1, 0.62), color=RED, style="--")
    s.text((1.05, 1.4), "pull $f_n$")
    s.text((3.7, 0.0), "gap $g$")
    s.text((1.7, 1.05), "$c_s$ times the largest contact force", RED)
    s.measure((1.0, -0.35), (1.6, -0.35), "$c_s\\delta$", (0.0, -0.28))
    s.measure((1.6, -0.75), (3.0, -0.75), "suction_distance", (0.0, -0.28))


@draws("PlaneSurface")
def plane(s: Sketch) -> None:
    s.line((-2, -0.4), (1.4, -0.4), (2.4, 0.5), (-1.0, 0.5), (-2, -0.4))
    s.arrow((0.2, 0.05), (0.2, 1.1), "axis: normal, on the side of the cable")
    s.arrow((0.2, 0.05), (1.2, 0.05), color=GREEN)
    s.text((0.8, 0.25), "along", GREEN, align="center")
    s.measure((0.2, -0.6), (1.4, -0.6), "half_length", (0.0, -0.2))
    s.measure((1.7, -0.4), (2.15, 0.0), "half_width", (0.15, -0.1))
    s.text((-2.2, 0.9), "outer_radius > 0: a disc", align="center")


@draws("DrumSurface", "SphereSurface")
def drum(s: Sketch) -> None:
    s.line((-1.6, 0.8), (1.6, 0.8), (1.6, -0.8), (-1.6, -0.8), (-1.6, 0.8))
    s.line((-2.2, 0), (2.4, 0), color=GREEN, style="--")
    s.text((2.5, 0), "axis (local z)", GREEN)
    s.measure((0.4, 0), (0.4, 0.8), "radius", (0.15, 0.0))
    s.measure((0, -1.0), (1.6, -1.0), "half_width; of a drum", (0.0, -0.25))
    s.circle((-4.2, 0), 0.8)
    s.measure((-4.2, 0), (-3.63, 0.57), "radius", (0.65, 0.35))
    s.text((-4.2, -1.25), "sphere; inside: touched from within", align="center")


def groove(s: Sketch, round_bottom: bool) -> None:
    s.line((-2.4, -1.2), (2.6, -1.2), color=GREEN, style="--")
    s.text((2.7, -1.2), "axis (local z)", GREEN)
    if round_bottom:
        s.line((-1.5, 1.2), (-0.62, 0.22))
        s.line((1.5, 1.2), (0.62, 0.22))
        s.arc((0, 0.75), 0.81, 222, 318, color=BLACK, tip=False)
        s.measure((0, 0.75), (0.3, 0.0), "groove_radius", (0.85, -0.12))
    else:
        s.line((-1.2, 1.2), (0, -0.1), (1.2, 1.2))
    s.circle((0, 0.45 if round_bottom else 0.75), 0.42, BLUE)
    s.measure((-0.25, -1.2), (-0.25, -0.05), "radius", (-0.15, 0.0))
    s.measure((-1.9, -1.2), (-1.9, 1.2), "outer_radius", (-0.15, 0.0))
    s.line((0, -0.1), (0, 1.5), color=GREY, style=":")
    s.arc((0, -0.1), 1.5, 90, 48, tip=False)
    s.text((0.5, 1.6), "flank_half_angle" if round_bottom else "half_angle", RED)


@draws("SheaveSurface")
def sheave(s: Sketch) -> None:
    groove(s, round_bottom=True)


@draws("VGrooveFlank")
def v_groove(s: Sketch) -> None:
    groove(s, round_bottom=False)
    s.text((-0.7, 0.1), "side -1", align="right")
    s.text((0.7, 0.1), "side 1")


@draws("ProfileSurface")
def profile(s: Sketch) -> None:
    s.line((-2.2, -1.0), (2.4, -1.0), color=GREEN, style="--")
    s.text((2.5, -1.0), "axis (local z)", GREEN)
    corners = [(-1.8, 0.8), (-0.8, 0.0), (0.8, 0.2), (1.8, 1.0)]
    s.line(*corners, width=2)
    for corner in corners:
        s.dot(corner)
    s.measure((0.8, -1.0), (0.8, 0.2), r"$\rho$", (0.15, 0.0))
    s.text((-0.3, 0.95), "vertices (rho, z)", align="center")
    s.arc((-0.72, 0.5), 0.5, 232, 285, tip=False)
    s.text((-0.75, -0.35), "rounding", RED, align="center")


@draws("PolylineSurface")
def polyline(s: Sketch) -> None:
    corners = [(-2.2, 0.2), (-1.0, -0.5), (0.6, 0.6), (2.4, -0.2)]
    s.line(*corners, width=2)
    for k, corner in enumerate(corners):
        s.dot(corner, "vertices (x, z)" if k == 0 else "", (0.3, 0.25))
    s.arc((0.56, -0.15), 0.6, 60, 125, tip=False)
    s.text((0.6, 0.0), "rounding", RED, align="center")
    s.arrow((-2.4, -1.0), (2.8, -1.0), "local x (along)")
    s.arrow((-2.4, -1.0), (-2.4, 1.0), "axis (local z)")


@draws("HeightFieldSurface")
def height_field(s: Sketch) -> None:
    x = np.linspace(-2.2, 2.4, 200)
    s.line(*np.column_stack((x, 0.45 * np.sin(1.6 * x) - 0.1 * x)), width=2)
    lines = (-2.0, -1.2, -0.2, 0.6, 1.6, 2.2)
    for k, at in enumerate(lines):
        s.line((at, -1.0), (at, 0.45 * np.sin(1.6 * at) - 0.1 * at), color=GREY, style=":")
        s.dot((at, 0.45 * np.sin(1.6 * at) - 0.1 * at), "heights" if k == 4 else "", (0.1, 0.25))
    s.arrow((-2.4, -1.0), (2.8, -1.0), "local x, grid lines x")
    s.arrow((-2.4, -1.0), (-2.4, 1.0), "axis (local z)")
    s.text((0.2, -1.4), "likewise along local y", GREY, align="center")


# contact of bodies


@draws("ContactSphere", "ContactEllipsoid", "ContactSphereSphere", "ContactSet", "HuntCrossley")
def spheres(s: Sketch) -> None:
    s.circle((0, 0), 1.0)
    s.circle((1.9, 0), 1.0)
    s.dot((0, 0), "marker 0")
    s.dot((1.9, 0), "marker 1")
    s.measure((0, 0), (-0.7, 0.7), "radius or semi_axes", (-1.2, 0.25))
    s.measure((0.9, 1.15), (1.0, 1.15), "depth x", (0.0, 0.2))
    s.arrow((1.0, 0), (1.7, 0.35), color=RED)
    s.text((3.1, 0.4), "normal force: k x^m, damping", RED)
    s.arrow((0.95, 0), (0.95, -0.9), color=RED)
    s.text((3.1, 0.0), "friction across", RED)


@draws("ContactHalfSpace")
def half_space(s: Sketch) -> None:
    s.ground((0, 0), 4.0, 10.0)
    s.dot((0, 0), "position", (-0.5, 0.25))
    s.arrow((0, 0), (-0.2, 1.1), "outward normal; rotation = facing(normal)")
    s.text((0, -0.6), "everything behind the plane", GREY, align="center")


@draws("ContactMaterial")
def friction_curve(s: Sketch) -> None:
    s.graph((0, 0), (3.2, 1.5), "slip speed", "coefficient of friction")
    v = np.linspace(0.0, 3.0, 100)
    mu = np.minimum(v / 0.5, 1.0) * (0.6 + 2.0 * (1.1 - 0.6) / (1.0 + (v / 0.5) ** 2)) + 0.05 * v
    s.line(*np.column_stack((v, mu)), color=RED, width=2)
    s.line((0, 0.6), (3.0, 0.6), color=GREY, style=":")
    s.text((0.7, 1.25), "static_friction")
    s.text((3.2, 0.55), "dynamic_friction, rising by viscous_friction")


# fluids


@draws("Fluid")
def fluid(s: Sketch) -> None:
    x = np.linspace(-2.4, 2.4, 120)
    s.line(*np.column_stack((x, 1.0 + 0.15 * np.sin(2.6 * x))), color=BLUE, width=2)
    s.ground((0, -1.0), 4.8)
    s.line((-2.4, 1.0), (2.4, 1.0), color=GREY, style=":")
    s.text((2.5, 1.0), "surface")
    s.measure((2.2, -1.0), (2.2, 1.0), "depth", (0.3, 0.0))
    for y in (-0.8, -0.4, 0.0, 0.4, 0.8):
        s.arrow((-1.6, y), (-1.6 + 0.9 * ((y + 1.05) / 2.0) ** 0.3, y))
    s.text((-0.55, 0.0), "velocity, by a profile or a table", RED, size=9)
    s.measure((-2.2, -1.0), (-2.2, 0.8), "reference_height", (-0.15, 0.0))
    s.text((0.4, 1.4), "wave_amplitudes, stretching, ...", BLUE)


@draws("MeshFluidLoad", "BodyMesh")
def floating_mesh(s: Sketch) -> None:
    x = np.linspace(-2.8, 2.8, 120)
    s.line(*np.column_stack((x, 0.08 * np.sin(2.4 * x))), color=BLUE, width=2)
    deck = [(-2.0, 0.7), (2.2, 0.7)]
    keel = [(1.5, -0.9), (-1.7, -0.9)]
    s.line(*deck, *keel, deck[0])
    tops, bottoms = ([(-2.0 + 0.7 * k, 0.7) for k in range(7)], [(-1.7 + 3.2 / 6.0 * k, -0.9) for k in range(7)])
    for k in range(6):
        s.line(bottoms[k], tops[k + 1], color=GREY, width=1.0)
        s.line(bottoms[k], tops[k], color=GREY, width=1.0)
    for position in (-0.6, 0.8):
        s.line((position, -0.9), (position, 0.7), color=RED, style="--")
    s.text((1.6, 0.95), "parts", RED)
    s.dot((0.3, 0.0))
    s.text((0.9, -0.3), "marker")
    s.text((-2.0, 0.95), "closed surface of triangles", GREY)
    s.arrow((-0.2, -0.6), (-0.2, 0.35), color=RED)
    s.text((-0.1, -1.25), "buoyancy at the centre of the immersed volume", RED, align="center")
    s.arrow((-2.9, -0.6), (-2.0, -0.6), "u", color=BLUE)


@draws("SphereFluidLoad", "CylinderFluidLoad", "BoxFluidLoad")
def floating(s: Sketch) -> None:
    x = np.linspace(-2.6, 2.6, 120)
    s.line(*np.column_stack((x, 0.12 * np.sin(2.4 * x))), color=BLUE, width=2)
    along = np.array((np.sin(0.15), np.cos(0.15)))
    across = np.array((along[1], -along[0]))
    low, high = -1.6 * along, 0.8 * along
    corners = [low - 0.4 * across, low + 0.4 * across, high + 0.4 * across, high - 0.4 * across]
    s.line(*corners, corners[0])
    for k in range(1, 8):
        middle = low + k / 8.0 * (high - low)
        s.line(middle - 0.4 * across, middle + 0.4 * across, color=GREY, width=1.0)
    s.dot(0.5 * (low + high))
    s.text((0.6, -0.55), "marker")
    s.measure(low - 0.6 * across, high - 0.6 * across, "length or sides", (-0.5, -0.7))
    s.measure(low - 0.4 * across - 0.2 * along, low + 0.4 * across - 0.2 * along, "diameter", (0.0, -0.25))
    s.text((0.6, -1.0), "strips or parts", GREY)
    s.arrow((-0.1, -0.9), (-0.1, -0.2))
    s.text((0.6, -1.45), "buoyancy at the centre of the immersed volume", RED)
    s.arrow((-2.5, -1.5), (-1.6, -1.5), "u", color=BLUE)
    s.arrow(high, high + 0.5 * along, "axis", color=GREEN)
