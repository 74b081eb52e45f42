"""Tests of unstable equilibria in models of many kinds: the solver finds a stable equilibrium and gives a note, or
raises an error.

Each model starts at an unstable equilibrium, or far from equilibrium. The stable equilibrium is computed by hand.
"""

from __future__ import annotations

from collections.abc import Callable
from math import pi, sqrt
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import brentq
from scipy.special import ellipe, ellipk

from windlass.connectors import (
    CartesianSpringDamper,
    ContactSphereSphere,
    CoordinateSpringDamper,
    DistanceConstraint,
    Force,
    RevoluteJoint2D,
    SpringDamper,
    coordinate_marker,
    fix,
    hinge,
    position_marker,
    prescribe,
    rigid_marker,
)
from windlass.elements import (
    ALENode,
    Ground,
    MassPoint,
    RigidBody2D,
    RigidBody3D,
    catenary,
    nodes_of,
    straight_cable,
)
from windlass.framework.model.world import World
from windlass.framework.state.state import State
from windlass.solvers.failure import NotConverged
from windlass.solvers.static import Static

GRAVITY = 9.81
HELD: dict[str, Any] = {"load_steps": 5, "stabiliser": 100.0}
"""Solver settings for bodies on joints, which must find their hanging position."""
Model = tuple[World, Callable[[State], float], float]
"""A model, an output of its equilibrium, and the reference value of this output."""


def stand_on_a_joint(angle: float = pi) -> Model:
    """Create a pendulum of 1 m, at an angle from the hanging position."""
    world = World(gravity=(0.0, -GRAVITY))
    away = np.array((np.sin(angle), -np.cos(angle)))
    body = world.add(RigidBody2D, name="pendulum", position=away, mass=1.0, inertia=0.1)
    world.add(RevoluteJoint2D, marker0=rigid_marker(world, world.add(Ground)), marker1=rigid_marker(world, body, -away))
    return world, lambda state: float(away[1] + state.of(body)[0, 1]), -1.0


def hang_on_a_joint() -> Model:
    """Create a pendulum at 0.5 rad. This position is not an equilibrium, and only the force of the joint gives the
    pendulum a stiffness.
    """
    return stand_on_a_joint(0.5)


def stand_on_rods() -> Model:
    """Create three masses above each other, connected by massless rods."""
    world = World(gravity=(0.0, -GRAVITY))
    end, mass = position_marker(world, world.add(Ground)), None
    for i in range(3):
        mass = world.add(MassPoint, name=f"mass {i}", position=(0.0, i + 1.0), mass=1.0)
        marker = position_marker(world, mass)
        world.add(DistanceConstraint, marker0=end, marker1=marker, distance=1.0)
        end = marker
    return world, lambda state: float(3.0 + state.of(mass)[0, 1]), -3.0


def press_between_springs() -> Model:
    """Create a mass between two springs that push the mass aside. The springs have the rest length 1.5 m, and are
    compressed to 1 m.
    """
    world = World()
    mass = world.add(MassPoint, name="mass", position=(0.0, 0.0), mass=1.0)
    for x in (-1.0, 1.0):
        end = position_marker(world, world.add(Ground), (x, 0.0))
        world.add(SpringDamper, marker0=end, marker1=position_marker(world, mass), rest_length=1.5, stiffness=1e3)
    return world, lambda state: abs(float(state.of(mass)[0, 1])), sqrt(1.5**2 - 1.0)


def push_by_a_law() -> Model:
    """Create a mass at x = 0 with the user force k (x³ - x)."""
    world = World()
    mass = world.add(MassPoint, name="mass", position=(0.0, 0.0), mass=1.0)
    world.add(
        CartesianSpringDamper, marker0=position_marker(world, world.add(Ground)), marker1=position_marker(world, mass),
        stiffness=(1e3, 1e3, 0.0),
        force_function=lambda t, row, u, u_t, k, d, offset: np.array((k[0] * (u[0] ** 3 - u[0]), k[1] * u[1], 0.0)),
    )  # fmt: skip
    return world, lambda state: abs(float(state.of(mass)[0, 0])), 1.0


def turn_over_the_dead_centre() -> Model:
    """Create an arm on a pivot at (0, 0), which a spring pulls through its dead centre. The spring connects (-2, 0)
    with the point of the arm at 1.5 m from the pivot; its rest length is 1 m, and its initial length is 3.5 m. The
    result is the cosine of the angle of the arm.
    """
    world = World()
    arm = world.add(RigidBody2D, name="arm", position=(1.0, 0.0), mass=1.0, inertia=1.0)
    ground = world.add(Ground)
    world.add(RevoluteJoint2D, marker0=rigid_marker(world, ground), marker1=rigid_marker(world, arm, (-1.0, 0.0)))
    end = position_marker(world, ground, (-2.0, 0.0))
    world.add(SpringDamper, marker0=end, marker1=rigid_marker(world, arm, (0.5, 0.0)), rest_length=1.0, stiffness=1e3)
    # the spring has its rest length if |1.5 e(angle) + (2, 0)| = 1
    return world, lambda state: float(np.cos(state.of(arm)[0, 2])), (1.0 - 1.5**2 - 4.0) / 6.0


def stand_on_a_torsion_spring() -> Model:
    """Create a mast of 2 m on a torsion spring of 0.9 m g l. The equilibrium is 0.9 θ = sin θ."""
    world = World(gravity=(0.0, -GRAVITY))
    mast = world.add(RigidBody2D, name="mast", position=(0.0, 2.0), mass=10.0, inertia=1.0)
    foot = rigid_marker(world, mast, (0.0, -2.0))
    world.add(RevoluteJoint2D, marker0=rigid_marker(world, world.add(Ground)), marker1=foot)
    spin = coordinate_marker(world, mast, "rotation")
    world.add(CoordinateSpringDamper, marker1=spin, stiffness=0.9 * 10.0 * GRAVITY * 2.0)
    return world, lambda state: 0.9 * abs(float(state.of(mast)[0, 2])) / np.sin(abs(state.of(mast)[0, 2])), 1.0


def hang_by_the_feet() -> Model:
    """Create a body on two ropes that hold it below its centre of mass. The body turns over until its centre of mass
    hangs 1 m below the ends of the ropes.
    """
    world = World(gravity=(0.0, -GRAVITY))
    load = world.add(RigidBody2D, name="load", position=(0.0, 0.0), mass=10.0, inertia=1.0)
    foot = rigid_marker(world, load, (0.0, -1.0))
    for x in (-0.02, 0.02):
        top = position_marker(world, world.add(Ground), (x, 5.0))
        world.add(SpringDamper, marker0=top, marker1=foot, rest_length=5.99, stiffness=1e4)
    return world, lambda state: float(np.cos(state.of(load)[0, 2])), -1.0


def shorten_a_column() -> Model:
    """Create a wire whose ends are moved towards each other by 10 mm. The expected deflection follows from its
    elastica.
    """
    world = World()
    wire = straight_cable(world, (0, 0), (1, 0), 16, axial_stiffness=1e6, bending_stiffness=1.0, mass_per_length=1.0)
    nodes = nodes_of(world, wire)
    hinge(world, nodes[0])
    fix(world, nodes[16], "y")
    prescribe(world, nodes[16], "x", -0.01)
    # elastica with the modulus k: shortening 2 (1 - E/K), deflection k/K
    m = brentq(lambda m: 2.0 * (1.0 - ellipe(m) / ellipk(m)) - 0.01, 1e-6, 0.5)
    return world, lambda state: abs(float(state.of(nodes[8])[0, 1])), sqrt(m) / ellipk(m)


def press_a_column_in_space() -> Model:
    """Create a 3D column under 1.2 times Euler's load. The column may buckle in all directions, and is shortened by 2 L
    (1 - E/K), like a 2D column.
    """
    world = World()
    wire = straight_cable(
        world, (0, 0, 0), (1, 0, 0), 16, axial_stiffness=1e6, bending_stiffness=1.0, mass_per_length=1.0
    )
    nodes = nodes_of(world, wire)
    hinge(world, nodes[0])
    fix(world, nodes[16], "y", "z")
    world.add(Force, marker=position_marker(world, nodes[16]), vector=(-1.2 * pi**2, 0.0, 0.0))
    m = brentq(lambda m: (2.0 / pi * ellipk(m)) ** 2 - 1.2, 1e-6, 0.9)
    return world, lambda state: float(state.of(nodes[16])[0, 0]), -2.0 * (1.0 - ellipe(m) / ellipk(m))


def hang_upwards() -> Model:
    """Create a rope of 12 m over a span of 10 m. The rope starts in the equilibrium for opposite gravity."""
    world = World(gravity=(0.0, -GRAVITY))
    columns = {"axial_stiffness": 1e5, "bending_stiffness": 1e-3, "mass_per_length": 1.0}
    rope = catenary(world, (0, 0), (10, 0), 16, length=12.0, gravity=(0.0, GRAVITY), **columns)
    nodes = nodes_of(world, rope)
    for end in (nodes[0], nodes[16]):
        hinge(world, end)
    start = float(nodes.position[8, 1])
    return world, lambda state: (start + float(state.of(nodes[8])[0, 1])) / start, -1.0


def run_faster_than_waves() -> Model:
    """Create a string that runs with 1.6 times its wave speed and therefore leaves the straight line."""
    world = World(gravity=(0.0, -0.05))
    axial = world.add(ALENode, velocity=(50.0,))
    span = straight_cable(
        world, (0, 0), (10, 0), 16, ale=axial, axial_stiffness=1e6, bending_stiffness=1e-6, mass_per_length=1.0,
        reference_strain=-1e-3,
    )  # fmt: skip
    nodes = nodes_of(world, span)
    for end in (nodes[0], nodes[16]):
        hinge(world, end)
    fix(world, axial, "s")
    # at N = rhoA v² a string has no stiffness; the stretch follows from this tension
    return world, lambda state: float(np.sum(np.hypot(*np.diff(place(nodes, state), axis=0).T))), 10 * 1.0015


def place(nodes: Any, state: State) -> Any:
    """Return the positions [m] of nodes, shape (n, 2)."""
    return nodes.position + state.of(nodes)[:, :2]


STANDING: list[tuple[Callable[[], Model], dict[str, Any], float]] = [
    (stand_on_a_joint, HELD, 1e-9),
    (stand_on_rods, HELD, 1e-9),
    (press_between_springs, {}, 1e-9),
    (push_by_a_law, {}, 1e-9),
    (turn_over_the_dead_centre, {}, 1e-6),
    (stand_on_a_torsion_spring, {}, 1e-6),
    (hang_by_the_feet, {}, 1e-6),
    (shorten_a_column, {}, 1e-3),
    (press_a_column_in_space, {}, 1e-3),
    (hang_upwards, {}, 1e-2),
    (run_faster_than_waves, {"velocities": "given"}, 1e-5),
]


@pytest.mark.parametrize(("create", "settings", "error"), STANDING, ids=[case[0].__name__ for case in STANDING])
def test_unstable_starts_are_named_and_left(
    create: Callable[[], Model], settings: dict[str, Any], error: float
) -> None:
    """An unstable start causes an error with ``"check"``. By default, the solver finds a stable equilibrium and records
    a note.
    """
    with pytest.raises(NotConverged, match="negative eigenvalue"):
        Static(create()[0], stability="check", name="", **settings).solve()
    world, number, known = create()
    solver = Static(world, name="", **settings)
    state = solver.solve()
    assert any("unstable equilibrium: its tangent has" in note for note in solver.verdict.notes)
    assert_allclose(number(state), known, rtol=error)


def test_what_hangs_on_a_joint_is_held_by_its_force() -> None:
    """In the first iterate of each load step, the forces of joints are 0 and the tangent is singular."""
    world, number, known = hang_on_a_joint()
    solver = Static(world, name="", **HELD)
    state = solver.solve()
    assert_allclose(number(state), known, rtol=1e-9)
    assert solver.statistics.rejected == 0 and not solver.verdict.notes


def test_a_ball_on_a_ball_is_a_note_of_every_solve() -> None:
    """Equilibria that only contacts make unstable are returned, and each solve records a note about the instability."""
    for _ in range(2):
        world = World(gravity=(0.0, 0.0, -GRAVITY))
        ball = world.add(RigidBody3D, name="ball", position=(0.0, 0.0, 0.199), mass=1.0, inertia=np.eye(3))
        below = rigid_marker(world, world.add(Ground))
        world.add(
            ContactSphereSphere, marker0=below, marker1=rigid_marker(world, ball), radius0=0.1, radius1=0.1,
            contact_stiffness=1e5,
        )  # fmt: skip
        fix(world, ball, "e1", "e2", "e3")
        solver = Static(world, name="")
        solver.solve()
        (note,) = solver.verdict.notes
        assert "2 motions (most of ball" in note and "contacts alone have a negative stiffness" in note
