"""Wrong models, wrong arguments of solvers, and static models without supports cause errors.

Values of cables, bodies and nodes are tested in test_elements.py. Contact with markers, segments and history values is
tested in test_contact_errors.py. Markers, loads, springs and constraints are tested in test_connectors.py. Options and
folders are tested in test_options.py and test_writers.py. Each message states the given value, the allowed values, and
the unit.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from windlass.connectors import (
    CableShape,
    ContactCircleCable2D,
    CoordinateConstraint,
    CoordinateLoad,
    Force,
    Torque,
    add_contact,
    coordinate_marker,
    fix,
    hinge,
    position_marker,
    rigid_marker,
)
from windlass.elements import Ground, MassPoint, Point2D, PointSlope2D, RigidBody2D, nodes_of, straight_cable
from windlass.framework.errors import ModelError
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.state import State
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.static import Static
from windlass.solvers.stepping.discontinuous import Passes


def create_rope(stiffness: float = 10.0) -> tuple[World, Entity]:
    """Return a free rope of 4 elements with a force across its end, and its nodes."""
    world = World()
    rope = straight_cable(
        world,
        (0.0, 0.0),
        (1.0, 0.0),
        4,
        name="rope",
        axial_stiffness=stiffness,
        bending_stiffness=1.0,
        mass_per_length=1.0,
    )
    nodes = nodes_of(world, rope)
    world.add(Force, marker=position_marker(world, nodes[4]), vector=(0.0, 1.0, 0.0))
    return world, nodes


# worlds

EMPTY: list[Callable[[World], object]] = [
    lambda world: None,
    lambda world: world.add(Ground),
    lambda world: coordinate_marker(world, None),
    lambda world: world.add(PointSlope2D, position=np.zeros((0, 2))),
]
USES: list[Callable[[World], object]] = [
    World.finalize,
    State,
    Static,
    lambda world: Dynamic(world, step=1e-3, end=1.0),
]


@pytest.mark.parametrize("fill", EMPTY, ids=["nothing", "ground", "marker of the ground", "no rows"])
@pytest.mark.parametrize("use", USES, ids=["finalize", "State", "Static", "Dynamic"])
def test_empty_world(fill: Callable[[World], object], use: Callable[[World], object]) -> None:
    world = World()
    fill(world)
    with pytest.raises(ModelError, match="the world is empty: it has no node with coordinates"):
        use(world)


def test_tables_without_rows_do_no_harm() -> None:
    """A model that a script creates from arrays may contain zero entities of a kind."""
    world = World()
    nobody = world.add(Point2D, name="nobody", position=np.zeros((0, 2)))
    slider = world.add(MassPoint, position=(0.0, 0.0), mass=1.0)
    fix(world, slider, "x", "y")
    fix(world, nobody, "x")
    assert not Static(world).solve().q.any()


@pytest.mark.parametrize("gravity", [(0.0, np.nan, 0.0), (0.0, np.inf)])
def test_gravity(gravity: tuple[float, ...]) -> None:
    with pytest.raises(ModelError, match=r"gravity = .*m/s\^2 in World: must be finite numbers"):
        World(gravity=gravity)


def test_finalized_world_takes_no_more() -> None:
    world, _ = create_rope()
    world.finalize()
    with pytest.raises(ModelError, match="cannot add Ground: the world is finalized"):
        world.add(Ground)


def test_handles_of_another_world() -> None:
    _, nodes = create_rope()
    world, _ = create_rope()
    with pytest.raises(ModelError, match=r"node in NodePosition row 1 = <PointSlope2D 0>: belongs to another world"):
        position_marker(world, nodes[0])


def test_numbers_of_rows_that_do_not_fit() -> None:
    world, nodes = create_rope()
    markers = [position_marker(world, nodes[i]) for i in range(3)]
    with pytest.raises(ModelError, match=r"vector in Force row 1 has shape \(2, 3\): expected .* \[N\], .* for 3"):
        world.add(Force, marker=markers, vector=np.zeros((2, 3)))
    ends = [coordinate_marker(world, nodes[i], "x") for i in range(5)]
    with pytest.raises(ModelError, match=r"marker\d of CoordinateConstraint has 2 entities: expected 1 or 3"):
        world.add(CoordinateConstraint, marker0=ends[:2], marker1=ends[2:])


def test_switching_what_cannot_be_switched() -> None:
    world = World()
    body = world.add(RigidBody2D, position=(0.0, 0.0), mass=1.0, inertia=1.0)
    load = world.add(CoordinateLoad, marker=coordinate_marker(world, body, "x"), value=1.0)
    with pytest.raises(ModelError, match="mass of RigidBody2D cannot be changed: switchable are none"):
        world.set(body, mass=2.0)
    with pytest.raises(ModelError, match=r"value = nan N in CoordinateLoad row 0: must be a finite number"):
        world.set(load, value=np.nan)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"segments": 0}, "segments = 0 in CableShape row 0: must be >= 1"),
        ({"segments": 2, "vertical_offset": np.nan}, "vertical_offset = nan m in CableShape row 0: must be a finite"),
    ],
)
def test_cable_shape(columns: dict[str, Any], message: str) -> None:
    world = World()
    rope = straight_cable(world, (0, 0), (1, 0), 1, axial_stiffness=1.0, bending_stiffness=1.0, mass_per_length=1.0)
    with pytest.raises(ModelError, match=message):
        world.add(CableShape, cable=rope, **columns)


def test_load_that_is_not_a_number() -> None:
    world = World()
    body = world.add(RigidBody2D, position=(0.0, 0.0), mass=1.0, inertia=1.0)
    with pytest.raises(ModelError, match=r"vector\[2\] = inf N m in Torque row 0: must be a finite number"):
        world.add(Torque, marker=rigid_marker(world, body), vector=(0.0, 0.0, np.inf))


# arguments of solvers


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"load_steps": 0}, r"load_steps = 0 in Static: must be >= 1"),
        ({"stabiliser": -1.0}, r"stabiliser = -1.0 1/s\^2 in Static: must be >= 0"),
        ({"stabiliser": np.nan}, r"stabiliser = nan 1/s\^2 in Static"),
        ({"load_steps": 3, "geometric": True, "load_range": 1.0}, r"load_range = 1.0 in Static: must be > 1"),
    ],
)
def test_arguments_of_static(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        Static(create_rope()[0], **arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"step": 0.0}, "step = 0.0 s in Dynamic: must be > 0"),
        ({"step": np.nan}, "step = nan s in Dynamic: must be > 0"),
        ({"end": -1.0}, "end = -1.0 s in Dynamic: must be > 0"),
        ({"method": "euler"}, "method = 'euler' in Dynamic: must be one of generalized_alpha, "),
        ({"spectral_radius": 1.5}, "spectral_radius = 1.5 in Dynamic: must be between 0 and 1"),
    ],
)
def test_arguments_of_dynamic(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        Dynamic(create_rope()[0], **{"step": 1e-3, "end": 1.0, **arguments})


# models that cannot be solved; for coordinates without any stiffness, see tests/verification/test_solvers.py


@pytest.mark.parametrize("stiffness", [10.0, 1e8])
@pytest.mark.parametrize("held", [False, True], ids=["free", "one hinge"])
def test_static_model_that_nothing_holds(stiffness: float, held: bool) -> None:
    """Every coordinate of a free rope has stiffness, but the rope can move as a rigid body, so the first factorised
    tangent is singular.
    """
    world, nodes = create_rope(stiffness)
    if held:
        hinge(world, nodes[0])
    solver = Static(world)
    with pytest.raises(ModelError, match=r"is singular: nothing holds \(rope node \d, .*stabiliser > 0") as e:
        solver.solve()
    assert solver.problem.residual_count == 0 and solver.statistics.newton_iterations == 0
    # with a hinge, the rope can rotate; in this rotation, the slopes and the far end have the largest displacements
    named = re.findall(r"\(([^()]+)\)", str(e.value))
    turning = {"rope node 4, y", *(f"rope node {k}, y'" for k in range(5))}
    assert not held or (len(named) == 3 and turning.issuperset(named))


def test_stabiliser_holds_what_nothing_else_does() -> None:
    """A stabiliser holds a rope on a hinge until the load has rotated the rope into the direction of the load. In this
    direction, the tension of the rope balances the load.
    """
    world, nodes = create_rope(1e3)
    hinge(world, nodes[0])
    state = Static(world, load_steps=20, stabiliser=10.0).solve()
    np.testing.assert_allclose(state.of(nodes[4])[0, :2], [-1.0, 1.001], atol=1e-6)


def test_constraints_that_repeat_each_other() -> None:
    world = World()
    slider = world.add(MassPoint, name="slider", position=(0.0, 0.0), mass=1.0)
    fix(world, slider, "x", "y")
    fix(world, slider, "x")
    with pytest.raises(ModelError, match=r"\(slider, x fixed\), \(slider, x fixed\)\. .*must not contradict or repeat"):
        Static(world).solve()
    with pytest.raises(ModelError, match="singular; constraints contradict or repeat each other"):
        Dynamic(world, step=1e-3, end=1.0).solve()


def test_mass_that_is_missing() -> None:
    world = World()
    world.add(MassPoint, name="slider", position=(0.0, 0.0), mass=0.0)
    with pytest.raises(ModelError, match="singular; without mass: slider, x, slider, y"):
        Dynamic(world, step=1e-3, end=1.0).solve()


def test_history_of_the_state_counts() -> None:
    """A body whose only support is a closed contact is treated as supported. The contact is closed in the initial
    state, or is closed at the start of the solve.
    """
    world = World()
    # the middle of the rope is 1 mm (1 % of an element) inside a circle with the radius 1 m
    rope = straight_cable(
        world, (-0.1, -0.001), (0.1, -0.001), 2, axial_stiffness=1e3, bending_stiffness=1.0, mass_per_length=1.0
    )
    nodes = nodes_of(world, rope)
    fix(world, nodes[[0, 2]], "x", "y'")
    circle = world.add(Ground, position=(0.0, -1.0, 0.0))
    contacts = add_contact(
        world, ContactCircleCable2D, circle, rope, segments=1, circle_radius=1.0, contact_stiffness=1e3
    )
    state = State(world)
    with pytest.raises(ModelError, match="first tangent is singular: nothing holds"):
        Static(world, decide_at_start=False).solve(state)
    closed = state.copy()
    closed.data[:] = -1e-3
    solved = Static(world, passes=Passes(atol=1e-9), decide_at_start=False).solve(closed)
    assert len(contacts) == 2 and solved.q[1] > 0.0
    # by default, the initial state determines which contacts are closed
    np.testing.assert_allclose(Static(world).solve(state).q, solved.q, atol=1e-9)
