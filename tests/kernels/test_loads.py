"""Tests of loads: values, virtual work, and tangents (compared with central differences)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from windlass.connectors import (
    CoordinateLoad,
    Force,
    MassProportional,
    Torque,
    coordinate_marker,
    position_marker,
    rigid_marker,
)
from windlass.elements.bodies.mass_point import MassPoint
from windlass.elements.bodies.rigid2d import RigidBody2D
from windlass.elements.cable.cable2d import Cable2D
from windlass.elements.nodes.ground import Ground
from windlass.elements.nodes.nodes2d import PointSlope2D
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.state import State
from windlass.framework.state.tangent_check import eval_differences, eval_tangent

VECTOR = (3.0, -5.0, 2.0)


def create_world(gravity: tuple[float, ...] = (0.0, 0.0, 0.0)) -> tuple[World, dict[str, Entity]]:
    """Create a cable, a body, a mass point and the ground. All velocities are different from 0."""
    world = World(gravity=gravity)
    nodes = [
        world.add(PointSlope2D, position=(0.1, 0.2), slope=(0.8, 0.6)),
        world.add(PointSlope2D, position=(0.7, 0.5), slope=(0.9, 0.3)),
    ]
    cable = world.add(
        Cable2D,
        node0=nodes[0],
        node1=nodes[1],
        length=0.7,
        mass_per_length=2.0,
        axial_stiffness=5e-324,  # the smallest positive number [N], so that the cable has no forces
        bending_stiffness=0.0,
    )
    bodies = {
        "cable": cable,
        "body": world.add(RigidBody2D, position=(1.0, 2.0), angle=0.4, mass=3.0, inertia=1.0),
        "mass": world.add(MassPoint, position=(2.0, 1.0), mass=4.0),
        "ground": world.add(Ground),
    }
    return world, bodies


def random_assembly(world: World) -> Assembly:
    assembly = Assembly(world)
    random = np.random.default_rng(5)
    n = assembly.layout.spare
    assembly.fields.x[:n] += 0.1 * random.standard_normal(n)
    assembly.fields.v[:n] = random.standard_normal(n)
    assembly.update_markers()
    return assembly


def eval_loads(assembly: Assembly) -> np.ndarray:
    f = np.zeros(assembly.layout.spare + 1)
    assembly.update_markers()
    assembly.add_loads(f)
    return f[:-1]


def assert_load_tangent(assembly: Assembly) -> None:
    """Check the tangent of loads. The tangent has the sign of the right-hand side and contains the load factor."""
    found = eval_tangent(assembly, 1.0, 0.0, 0.0, load_factor=0.25)
    assert_allclose(found, eval_differences(assembly, "x", load_factor=0.25), rtol=0, atol=5e-9)


PLACES = {"cable": (0.2, 0.15), "body": (0.3, -0.2), "mass": (0.0, 0.0), "ground": (0.1, 0.1)}


@pytest.mark.parametrize(
    ("name", "body_fixed"), [*((name, False) for name in PLACES), ("cable", True), ("body", True), ("ground", True)]
)
def test_force(name: str, body_fixed: bool) -> None:
    world, bodies = create_world()
    marker = position_marker(world, bodies[name], PLACES[name])
    world.add(Force, marker=marker, vector=VECTOR, body_fixed=body_fixed)
    assembly = random_assembly(world)
    assert_load_tangent(assembly)
    # power of the load equals force times velocity of the marked point
    m = assembly.fields.markers["position marker"]
    k = assembly.layout.marker_index[marker.ids[0]]
    vector = m.rotation[k] @ VECTOR if body_fixed else np.array(VECTOR)
    assert_allclose(eval_loads(assembly) @ assembly.fields.v[:-1], vector @ m.velocity[k], rtol=1e-13)


@pytest.mark.parametrize("name", ["cable", "body", "ground"])
def test_torque(name: str) -> None:
    world, bodies = create_world()
    marker = rigid_marker(world, bodies[name], PLACES[name])
    world.add(Torque, marker=marker, vector=VECTOR)
    assembly = random_assembly(world)
    assert_load_tangent(assembly)
    m = assembly.fields.markers["position marker"]
    k = assembly.layout.marker_index[marker.ids[0]]
    assert_allclose(eval_loads(assembly) @ assembly.fields.v[:-1], VECTOR @ m.angular_velocity[k], rtol=1e-13)


def test_functions_are_called_once_per_time() -> None:
    world, bodies = create_world()
    times: list[float] = []

    def ramp(t: float) -> tuple[float, float, float]:
        times.append(t)
        return (t, 2.0 * t, 0.0)

    marker = position_marker(world, bodies["mass"])
    forces = world.add(Force, marker=[marker, marker], vector=[VECTOR, (1.0, 0.0, 0.0)], function=[ramp, None])
    assembly = random_assembly(world)
    dofs = assembly.layout.local_dofs(world.dofs_of(bodies["mass"]))[0]
    for t in (0.5, 0.5, 0.5, 0.75, 0.75):
        assembly.fields.t = t
        assert_allclose(eval_loads(assembly)[dofs], (t + 1.0, 2.0 * t), rtol=1e-15)
    assert times == [0.5, 0.75]
    world.set(forces[0], active=False)
    assembly.refresh()
    assert_allclose(eval_loads(assembly)[dofs], (1.0, 0.0), rtol=1e-15)
    assert times == [0.5, 0.75]
    world.set(forces[1], vector=(7.0, 8.0, 0.0))
    assembly.refresh()
    assert_allclose(eval_loads(assembly)[dofs], (7.0, 8.0), rtol=1e-15)


def test_coordinate_load() -> None:
    world, bodies = create_world()
    loads = world.add(
        CoordinateLoad,
        marker=[coordinate_marker(world, bodies["body"], "rotation"), coordinate_marker(world, bodies["mass"], "y")],
        value=[2.0, 3.0],
        function=[None, lambda t: 10.0 * t],
    )
    state = State(world)
    state.t = 0.3
    assembly = state.assembly
    assembly.load_fields(state)
    f = np.append(eval_loads(assembly), 0.0)
    assert f[assembly.layout.local_dofs(world.dofs_of(bodies["body"]))[0, 2]] == 2.0
    assert f[assembly.layout.local_dofs(world.dofs_of(bodies["mass"]))[0, 1]] == 3.0
    assert np.count_nonzero(f) == 2
    assert_allclose(eval_output(loads, "force", state), (2.0, 3.0))


def test_outputs() -> None:
    world, bodies = create_world()
    force = world.add(Force, marker=rigid_marker(world, bodies["body"]), vector=(1.0, 0.0, 0.0), body_fixed=True)
    torque = world.add(Torque, marker=rigid_marker(world, bodies["body"]), function=lambda t: (0.0, 0.0, t))
    field = world.add(MassProportional, body=bodies["body"], acceleration=(0.0, -9.81, 0.0), active=False)
    state = State(world)
    state.t = 2.0
    assert_allclose(eval_output(force, "force", state), (np.cos(0.4), np.sin(0.4), 0.0), rtol=1e-15)
    assert_allclose(eval_output(torque, "torque", state), (0.0, 0.0, 2.0))
    assert not eval_output(field, "acceleration", state).any()


def test_mass_proportional_equals_gravity() -> None:
    g = (1.5, -9.81, 0.0)
    heavy, bodies = create_world(gravity=g)
    expected = eval_loads(random_assembly(heavy))
    world, bodies = create_world()
    kinds = [bodies["cable"], bodies["body"], bodies["mass"]]
    loads = world.add(MassProportional, body=kinds, acceleration=g)
    assembly = random_assembly(world)
    assert_allclose(eval_loads(assembly), expected, rtol=1e-14)
    total = eval_loads(assembly)
    layout = assembly.layout
    assert_allclose(total[layout.local_dofs(world.dofs_of(bodies["mass"]))[0]], (4 * 1.5, -4 * 9.81), rtol=1e-14)
    world.set(loads[1], active=False)
    assembly.refresh()
    assert not eval_loads(assembly)[layout.local_dofs(world.dofs_of(bodies["body"]))[0]].any()


def test_mass_proportional_by_function_and_body() -> None:
    world = World()
    masses = world.add(MassPoint, position=[(float(i), 0.0) for i in range(4)], mass=[1.0, 2.0, 3.0, 4.0])

    def shake(t: float) -> Any:
        return (t, 0.0, 0.0)

    world.add(
        MassProportional,
        body=masses[np.array([3, 1, 0])],
        acceleration=[(0.0, 1.0, 0.0), (0.0, 2.0, 0.0), (0.0, 1.0, 0.0)],
        function=[None, shake, None],
    )
    assembly = random_assembly(world)
    assembly.fields.t = 5.0
    assert_allclose(eval_loads(assembly).reshape(4, 2), [(0, 1), (10, 0), (0, 0), (0, 4)], atol=0)
