"""Rigid 3D bodies: kinematics, inertia, loads and markers agree with independent formulas and differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from windlass.connectors import CartesianSpringDamper, Force, MassProportional, Torque, position_marker, rigid_marker
from windlass.elements import (
    Ground,
    MassPoint,
    Point3D,
    RigidBody3D,
    euler_parameter_rates,
    euler_parameters,
    euler_parameters_of,
    rotation_matrix,
)
from windlass.elements.nodes.rotations import local_rates
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.assemble import assemble_mass
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.residual import eval_residual
from windlass.framework.state.state import State
from windlass.framework.state.tangent_check import check_fields

from support.differences import set_random_fields
from support.matrices import dense

INERTIA = np.array([[2.0, 0.3, -0.2], [0.3, 1.5, 0.1], [-0.2, 0.1, 1.1]])
CENTER = np.array([0.2, -0.3, 0.4])
START = euler_parameters((0.3, -0.5, 0.7), 1.1)
STEP = 1e-6
LETTERS = {
    "p": "position", "v": "velocity", "J": "jacobian", "Jd": "jacobian_rate", "A": "rotation",
    "omega": "angular_velocity", "Jr": "rotation_jacobian", "H": "hessian", "Hr": "rotation_hessian",
}  # fmt: skip
"""Field of the markers for each letter of the equations."""


def add_body(world: World, **values: Any) -> Entity:
    columns = {"position": (0.1, 0.2, 0.3), "euler_parameters": START, "mass": 1.7, "inertia": INERTIA}
    return world.add(RigidBody3D, **(columns | {"center_of_mass": CENTER} | values))


def test_rotations() -> None:
    random = np.random.default_rng(1)
    axes, angles = random.standard_normal((20, 3)), random.uniform(-3.0, 3.0, 20)
    e = euler_parameters(axes, angles)
    expected = Rotation.from_rotvec(axes / np.linalg.norm(axes, axis=1)[:, None] * angles[:, None]).as_matrix()
    assert_allclose(rotation_matrix(e), expected, atol=1e-15)
    assert_allclose(rotation_matrix(3.0 * e), expected, atol=1e-15)
    back = euler_parameters_of(expected)
    assert_allclose(np.abs((back * e).sum(axis=1)), 1.0, atol=1e-15)
    # for rotations by 180°, formulas that use only the trace of the rotation matrix are inaccurate
    for axis in np.eye(3):
        half = euler_parameters_of(rotation_matrix(euler_parameters(axis, np.pi)))
        assert_allclose(np.abs(half), [0.0, *axis], atol=1e-15)


def test_angular_velocity() -> None:
    omega = np.array([0.4, -1.1, 0.6])
    rate = euler_parameter_rates(START, omega)
    assert abs(rate @ START) < 1e-16
    A = rotation_matrix(START)
    turning = (rotation_matrix(START + STEP * rate) - rotation_matrix(START - STEP * rate)) / (2 * STEP)
    assert_allclose(turning, np.cross(omega, A.T).T, atol=1e-9)
    assert_allclose(A @ local_rates(START, rate), omega, atol=1e-15)


def newton_euler(e: np.ndarray, v: np.ndarray, a: np.ndarray, mass: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the force [N] and the torque [N m] about the node, in global components, for a given motion of a body.
    Force and torque follow from the balance of momentum and of angular momentum about the centre of mass, with the
    inertia A Θ Aᵀ in global components.
    """
    A = rotation_matrix(e)
    omega, alpha = A @ local_rates(e, v[3:]), A @ local_rates(e, a[3:])
    arm, tensor = A @ CENTER, A @ INERTIA @ A.T
    force = mass * (a[:3] + np.cross(alpha, arm) + np.cross(omega, np.cross(omega, arm)))
    torque = tensor @ alpha + np.cross(omega, tensor @ omega) + np.cross(arm, force)
    return force, torque


def test_inertia_is_newton_euler() -> None:
    world = World(gravity=(0.5, -9.81, 2.0))
    add_body(world)
    assembly = Assembly(world)
    set_random_fields(assembly, 3)
    fields = assembly.fields
    fields.lam[:] = 0.0
    e, v, a = fields.x[3:7], fields.v[:7], fields.a[:7]
    force, torque = newton_euler(e, v, a, 1.7)
    weight = 1.7 * world.gravity
    force, torque = force - weight, torque - np.cross(rotation_matrix(e) @ CENTER, weight)
    residual = eval_residual(assembly)
    assert_allclose(residual[:3], force, atol=1e-13)
    # the generalised forces are equal to the generalised forces of the torque, except for the component along e, which
    # the constraint force balances
    jacobian = np.stack([rotation_matrix(e) @ local_rates(e, unit) for unit in np.eye(4)], axis=1)
    along = e / np.linalg.norm(e)
    found, expected = residual[3:7], jacobian.T @ torque
    assert_allclose(found - (found @ along) * along, expected, atol=1e-13)
    assert abs(expected @ along) < 1e-14


def test_mass_matrix_is_positive_definite_and_gives_the_kinetic_energy() -> None:
    for center in (CENTER, np.zeros(3)):
        world = World()
        body = add_body(world, velocity=(1.0, -2.0, 0.5), angular_velocity=(0.3, 0.8, -1.2), center_of_mass=center)
        state = State(world)
        M = dense(assemble_mass(world, state))
        assert_allclose(M, M.T, atol=1e-14)
        smallest = np.linalg.eigvalsh(M)[0]
        assert smallest > 0.5
        assert_allclose(eval_output(body, "kinetic_energy", state), 0.5 * state.v @ M @ state.v, rtol=1e-14)


def test_power_is_the_rate_of_the_kinetic_energy() -> None:
    world = World()
    body = add_body(world, velocity=(1.0, -2.0, 0.5), angular_velocity=(0.3, 0.8, -1.2))
    state, ends = State(world), []
    v, e = state.v.copy(), START
    a = np.array([0.3, 0.1, -0.4, *euler_parameter_rates(e, (0.2, -0.5, 0.9))])
    a[3:] -= (v[3:] @ v[3:]) * e  # e·e_tt = -e_t·e_t
    for h in (STEP, -STEP):
        state.q[:], state.v[:] = h * v + 0.5 * h * h * a, v + h * a
        ends.append(float(eval_output(body, "kinetic_energy", state)))
    assembly = Assembly(world)
    assembly.fields.v[:7], assembly.fields.a[:7] = v, a
    power = v @ eval_residual(assembly)[:7]
    # differences of energies of about 10 J are accurate to 1e-9
    assert_allclose(power, (ends[0] - ends[1]) / (2 * STEP), atol=1e-8)


@pytest.mark.parametrize("center", [CENTER, np.zeros(3)])
def test_tangents_of_the_body(center: np.ndarray) -> None:
    world = World(gravity=(0.5, -9.81, 2.0))
    add_body(world, center_of_mass=center)
    heavy = add_body(world, euler_parameters=(0.0, 0.6, 0.0, 0.8), mass=0.4)
    world.add(MassProportional, body=heavy, acceleration=(3.0, 1.0, -2.0))
    world.add(MassPoint, position=(1.0, 2.0, 3.0), mass=2.0)
    assembly = Assembly(world)
    set_random_fields(assembly, 5)
    check_fields(assembly)


@pytest.mark.parametrize("body_fixed", [False, True])
def test_tangents_of_loads(body_fixed: bool) -> None:
    world = World()
    body = add_body(world)
    corner, node = rigid_marker(world, body, (0.5, 0.1, -0.3)), rigid_marker(world, world.entity(int(body.node)))
    assert node.kind == "RigidNodePosition3D"
    for marker in (corner, node):
        world.add(Force, marker=marker, vector=(1.0, -2.0, 3.0), body_fixed=body_fixed)
        world.add(Torque, marker=marker, vector=(0.4, 0.5, -0.6), body_fixed=body_fixed)
    assembly = Assembly(world)
    set_random_fields(assembly, 7)
    check_fields(assembly)


def test_loads_are_virtual_work() -> None:
    world = World()
    body = add_body(world)
    world.add(Force, marker=rigid_marker(world, body, (0.5, 0.1, -0.3)), vector=(1.0, -2.0, 3.0), body_fixed=True)
    world.add(Torque, marker=rigid_marker(world, body), vector=(0.4, 0.5, -0.6), body_fixed=True)
    assembly = Assembly(world)
    set_random_fields(assembly, 9)
    x, v, load = assembly.fields.x[:7], assembly.fields.v[:7], np.zeros(8)
    assembly.add_loads(load)
    A, omega = rotation_matrix(x[3:]), local_rates(x[3:], v[3:])
    point = v[:3] + A @ np.cross(omega, (0.5, 0.1, -0.3))
    power = (A @ (1.0, -2.0, 3.0)) @ point + np.dot((0.4, 0.5, -0.6), omega)
    assert_allclose(load[:7] @ v, power, rtol=1e-13)


def test_springs_on_bodies_in_space() -> None:
    world = World()
    body = add_body(world)
    point = world.add(Point3D, position=(1.0, 0.0, -1.0))
    stiff = {"stiffness": (10.0, 20.0, 30.0), "damping": (1.0, 2.0, 3.0), "offset": (0.1, 0.2, 0.3)}
    corner = position_marker(world, body, (0.5, 0.1, -0.3))
    world.add(CartesianSpringDamper, marker0=corner, marker1=position_marker(world, point), **stiff)
    ground = position_marker(world, world.add(Ground))
    world.add(CartesianSpringDamper, marker0=ground, marker1=position_marker(world, body, (-0.2, 0.4, 0.6)), **stiff)
    assembly = Assembly(world)
    set_random_fields(assembly, 11)
    check_fields(assembly)


PLACES = [(0.0, 0.0, 0.0), (0.3, -0.2, 0.5)]


@pytest.mark.parametrize("place", PLACES)
def test_marker_columns(place: tuple[float, float, float]) -> None:
    world = World()
    marker = rigid_marker(world, add_body(world), place)
    world.add(Force, marker=marker)
    assembly = Assembly(world)
    set_random_fields(assembly, 13)
    fields, columns = assembly.fields, assembly.fields.markers["position marker"]

    def evaluate(dx: np.ndarray) -> dict[str, np.ndarray]:
        start = fields.x.copy()
        fields.x[:7] += dx
        assembly.update_markers()
        fields.x[:] = start
        return {letter: getattr(columns, name)[0].copy() for letter, name in LETTERS.items()}

    here, v = evaluate(np.zeros(7)), fields.v[:7]
    A = rotation_matrix(fields.x[3:7])
    assert_allclose(here["A"], A, atol=1e-15)
    assert_allclose(here["p"], fields.x[:3] + A @ place, atol=1e-15)
    assert_allclose(here["omega"], A @ local_rates(fields.x[3:7], v[3:]), atol=1e-14)
    assert_allclose(here["v"], here["J"] @ v, atol=1e-14)
    assert_allclose(here["omega"], here["Jr"] @ v, atol=1e-14)
    assert_allclose(here["v"], v[:3] + np.cross(here["omega"], A @ place), atol=1e-14)
    assert_allclose(here["H"], here["H"].transpose(0, 2, 1), atol=1e-14)
    for a, unit in enumerate(np.eye(7)):
        plus, minus = evaluate(STEP * unit), evaluate(-STEP * unit)
        by = {name: (plus[name] - minus[name]) / (2 * STEP) for name in plus}
        assert_allclose(here["J"][:, a], by["p"], atol=2e-9)
        assert_allclose(here["Jd"][:, a], by["v"], atol=2e-9)
        assert_allclose(here["H"][:, :, a], by["J"], atol=5e-9)
        assert_allclose(here["Hr"][:, :, a], by["Jr"], atol=5e-9)
        assert_allclose(np.cross(here["Jr"][:, a], A.T).T, by["A"], atol=5e-9, err_msg="δA = (Jr δq)~ A")
    plus, minus = evaluate(STEP * v), evaluate(-STEP * v)
    assert_allclose(here["Jd"], (plus["J"] - minus["J"]) / (2 * STEP), atol=5e-9)


def test_outputs() -> None:
    world = World()
    body = add_body(world, velocity=(1.0, -2.0, 0.5), angular_velocity=(0.3, 0.8, -1.2))
    state = State(world)
    state.q[:] = (0.1, 0.0, -0.2, 0.0, 0.0, 0.0, 0.0)
    A, omega, place = rotation_matrix(START), np.array([0.3, 0.8, -1.2]), np.array([0.3, 0.1, 0.2])

    def value(name: str, **where: Any) -> np.ndarray:
        return eval_output(body, name, state, **where)

    position = np.array([0.2, 0.2, 0.1])
    assert_allclose(value("position"), position, atol=1e-15)
    assert_allclose(value("position", local=place), position + A @ place, atol=1e-15)
    assert_allclose(value("displacement", local=place), (0.1, 0.0, -0.2), atol=1e-15)
    assert_allclose(value("rotation"), A, atol=1e-15)
    assert_allclose(value("angular_velocity"), omega, atol=1e-15)
    assert_allclose(value("angular_velocity_local"), A.T @ omega, atol=1e-15)
    velocity = np.array([1.0, -2.0, 0.5])
    assert_allclose(value("velocity", local=place), velocity + np.cross(omega, A @ place), atol=1e-15)
    center, speed = position + A @ CENTER, velocity + np.cross(omega, A @ CENTER)
    assert_allclose(value("momentum"), 1.7 * speed, atol=1e-15)
    spin = A @ INERTIA @ A.T @ omega
    assert_allclose(value("angular_momentum"), spin + np.cross(center, 1.7 * speed), atol=1e-14)
    assert_allclose(value("kinetic_energy"), 0.5 * 1.7 * speed @ speed + 0.5 * omega @ spin, atol=1e-14)
    assert value("coordinates").shape == (7,) == value("coordinates_rate").shape


def test_accelerations() -> None:
    """The acceleration of a point agrees with differences of its velocity along the motion."""
    world = World()
    body = add_body(world, velocity=(1.0, -2.0, 0.5), angular_velocity=(0.3, 0.8, -1.2))
    state, place = State(world), (0.3, 0.1, 0.2)
    v = state.v.copy()
    a = np.array([0.3, 0.1, -0.4, *euler_parameter_rates(START, (0.2, -0.5, 0.9)) - (v[3:] @ v[3:]) * START])
    ends = []
    for h in (STEP, -STEP):
        state.q[:], state.v[:] = h * v + 0.5 * h * h * a, v + h * a
        ends.append({name: eval_output(body, name, state) for name in ("angular_velocity",)})
        ends[-1]["velocity"] = eval_output(body, "velocity", state, local=place)
    state.q[:], state.v[:], state.a[:] = 0.0, v, a
    turned = (ends[0]["angular_velocity"] - ends[1]["angular_velocity"]) / (2 * STEP)
    assert_allclose(eval_output(body, "angular_acceleration", state), turned, atol=2e-9)
    moved = (ends[0]["velocity"] - ends[1]["velocity"]) / (2 * STEP)
    assert_allclose(eval_output(body, "acceleration", state, local=place), moved, atol=2e-9)


def test_mass_points_of_both_kinds() -> None:
    world = World(gravity=(1.0, 2.0, 3.0))
    plane = world.add(MassPoint, position=(1.0, 2.0), mass=2.0, velocity=(3.0, 4.0))
    space = world.add(MassPoint, position=[(1.0, 2.0, 3.0), (4.0, 5.0, 6.0)], mass=3.0, velocity=(0.0, 1.0, 2.0))
    state = State(world)
    assert_allclose(eval_output(plane, "position", state), (1.0, 2.0, 0.0))
    assert_allclose(eval_output(space, "position", state), [(1.0, 2.0, 3.0), (4.0, 5.0, 6.0)])
    assert_allclose(eval_output(plane, "kinetic_energy", state), 25.0)
    assert_allclose(eval_output(space, "kinetic_energy", state), 7.5)
    assembly = Assembly(world)
    load = np.zeros(9)
    assembly.add_loads(load)
    assert_allclose(load[:8], [2.0, 4.0, 3.0, 6.0, 9.0, 3.0, 6.0, 9.0])
