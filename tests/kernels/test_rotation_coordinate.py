"""Tests of rotation coordinates. The angle agrees with other formulas. The derivatives of the angle and the tangents of
all laws agree with differences.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from windlass.connectors import (
    ContactCoordinate,
    CoordinateConstraint,
    CoordinateLoad,
    CoordinateSpringDamper,
    compiled,
    coordinate_marker,
    rotation_marker,
    vectorised,
)
from windlass.connectors.markers.coordinate_family import FAMILY
from windlass.elements import RigidBody2D, RigidBody3D, euler_parameters, rotation_matrix
from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.model.system import evaluate
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.state import State
from windlass.framework.state.tangent_check import check_fields

from support.differences import set_random_fields

STEP = 1e-6
TOLERANCE = 2e-9
TURNED = euler_parameters((0.3, 1.0, -0.5), 1.4)
AXIS = np.array((1.0, -2.0, 0.5))


def product(e: Any, f: Any) -> FloatArray:
    """Return the Euler parameters of the rotation f in the frame that e has rotated."""
    e, f = np.asarray(e), np.asarray(f)
    vector = e[0] * f[1:] + f[0] * e[1:] + np.cross(e[1:], f[1:])
    return np.concatenate(([e[0] * f[0] - e[1:] @ f[1:]], vector))


def add_bodies(world: World) -> tuple[Entity, Entity, Entity]:
    """Create two 3D bodies, the second with rotated reference axes, and a 2D body."""
    body: dict[str, Any] = {"mass": 1.3, "inertia": (1.0, 1.4, 0.9), "center_of_mass": (0.1, 0.0, -0.2)}
    first = world.add(RigidBody3D, position=(0.1, 0.2, 0.3), **body)
    second = world.add(RigidBody3D, position=(1.0, 0.0, 0.2), euler_parameters=TURNED, **body)
    return first, second, world.add(RigidBody2D, position=(0.0, 1.0), mass=1.0, inertia=0.5)


def eval_columns(assembly: Assembly) -> dict[str, np.ndarray]:
    assembly.update_markers()
    return {name: np.array(values) for name, values in assembly.fields.markers[FAMILY]._asdict().items()}


def test_derivatives() -> None:
    world = World()
    first, second, plane = add_bodies(world)
    markers = [
        coordinate_marker(world, plane, "rotation"),
        rotation_marker(world, first, AXIS),
        rotation_marker(world, second, "x"),
        coordinate_marker(world, None),
    ]
    world.add(CoordinateLoad, marker=markers)
    assembly = Assembly(world)
    set_random_fields(assembly, 5)
    fields, spare = assembly.fields, assembly.layout.spare
    here = eval_columns(assembly)
    assert here["jacobian"].shape == (4, 4) and here["hessian"].shape == (2, 4, 4)
    assert_array_equal(here["second"], (-1, 0, 1, -1))
    assert_array_equal(here["jacobian"][[0, 3]], [(1.0, 0.0, 0.0, 0.0)] * 2)
    assert_array_equal((here["dofs"] == spare).sum(axis=1), (3, 0, 0, 4))
    for k in (1, 2):
        h = here["second"][k]
        for a, dof in enumerate(here["dofs"][k]):
            x = fields.x[dof]
            fields.x[dof] = x + STEP
            plus = eval_columns(assembly)
            fields.x[dof] = x - STEP
            minus = eval_columns(assembly)
            fields.x[dof] = x
            by = {name: (plus[name][k] - minus[name][k]) / (2 * STEP) for name in ("value", "rate", "jacobian")}
            assert_allclose(here["jacobian"][k, a], by["value"], atol=TOLERANCE)
            assert_allclose(here["jacobian_rate"][k, a], by["rate"], atol=TOLERANCE)
            assert_allclose(here["hessian"][h, :, a], by["jacobian"], atol=5 * TOLERANCE)
        v = fields.v[here["dofs"][k]]
        assert_allclose(here["jacobian"][k] @ v, here["rate"][k], rtol=1e-14)
        assert_allclose(here["hessian"][h] @ v, here["jacobian_rate"][k], rtol=1e-12)
        # no result depends on the norm of the Euler parameters
        assert_allclose(here["jacobian"][k] @ fields.x[here["dofs"][k]], 0.0, atol=1e-14)


@pytest.mark.parametrize("angle", [-6.0, -3.0, -1e-9, 0.5, 3.1, 3.2, 6.2])
def test_angle_is_the_twist(angle: float) -> None:
    """If a rotation about the axis is combined with a rotation about a normal of the axis (swing), the angle is equal
    to the rotation about the axis. Both orders are tested (axis fixed in the body or in space).
    """
    n = AXIS / np.linalg.norm(AXIS)
    across = np.cross(n, (0.2, 0.1, 1.0))
    twist, swing = euler_parameters(n, angle), euler_parameters(across, 1.1)
    world = World()
    values = []
    for relative in (twist, product(swing, twist), product(twist, swing)):
        start = product(TURNED, relative)
        given = {"euler_parameters": TURNED, "displacement": (0.0, 0.0, 0.0, *(start - TURNED))}
        body = world.add(RigidBody3D, position=(0.0, 0.0, 0.0), mass=1.0, inertia=1.0, **given)
        values.append(rotation_marker(world, body, 3.0 * AXIS))
        values.append(rotation_marker(world, body, rotation_matrix(TURNED) @ AXIS, global_axis=True))
    springs = world.add(CoordinateSpringDamper, marker1=values)
    state = State(world)
    assert_allclose(eval_output(springs, "displacement", state), angle, atol=1e-13)
    assert_allclose(eval_output(values[0], "angle", state), angle, atol=1e-13)


def test_rate_is_the_angular_velocity_about_the_axis() -> None:
    """For a body that has rotated only about the axis, the rate is the angular velocity about the axis. If the axis has
    swung by the angle β from the direction a to the direction b, the rate is ω·(a + b)/(1 + cos β).
    """
    world = World()
    omega = np.array((0.3, -0.7, 2.0))
    for swing in (0.0, 0.8):
        e = product(euler_parameters((1.0, 0.0, 0.0), swing), euler_parameters((0.0, 0.0, 1.0), 0.9))
        given = {"displacement": (0.0, 0.0, 0.0, *(e - (1.0, 0.0, 0.0, 0.0))), "angular_velocity": omega}
        body = world.add(RigidBody3D, position=(0.0, 0.0, 0.0), mass=1.0, inertia=1.0, **given)
        world.add(CoordinateLoad, marker=rotation_marker(world, body))
    state = State(world)
    columns = state.assembly.load_fields(state).markers[FAMILY]
    assert_allclose(columns.rate[0], 2.0, rtol=1e-14)
    axes = np.array((0.0, 0.0, 1.0)) + rotation_matrix(euler_parameters((1.0, 0.0, 0.0), 0.8))[:, 2]
    assert_allclose(columns.rate[1], omega @ axes / (1.0 + np.cos(0.8)), rtol=1e-14)


def pairs(world: World) -> dict[str, list[Entity]]:
    """Return the markers of rows that connect rotations, coordinates and the ground."""
    first, second, plane = add_bodies(world)
    a, b = rotation_marker(world, first, AXIS), rotation_marker(world, second, "z")
    c, d = coordinate_marker(world, plane, "rotation"), coordinate_marker(world, second, "y")
    ground = coordinate_marker(world, None)
    return {"marker0": [ground, a, c, a, d], "marker1": [a, b, b, d, a]}


def cubic(t: float, row: int, u: float, ut: float, k: float, d: float, offset: float) -> float:
    return k * u + 0.3 * u**3 + d * ut * (1 + u * u) - offset


def write_cubic(t: float, row: int, u: Any, ut: Any, k: Any, d: Any, offset: Any, f: FloatArray) -> None:
    f[0] = k[0] * u[0] + 0.3 * u[0] ** 3 + d[0] * ut[0] * (1 + u[0] * u[0]) - offset[0]


@pytest.mark.parametrize("function", [None, cubic, vectorised(cubic), compiled(write_cubic)])
def test_spring(function: Any) -> None:
    world = World()
    world.add(
        CoordinateSpringDamper,
        **pairs(world),
        stiffness=[3.0, 1.0, 2.0, 1.5, 0.7],
        damping=0.4,
        offset=0.2,
        force_function=[function, function, None, function, None],
        active=[True, True, True, True, False],
    )
    assembly = Assembly(world)
    set_random_fields(assembly, 1)
    check_fields(assembly, 2e-8 if function is None else 1e-7)


def test_load() -> None:
    world = World()
    markers = pairs(world)["marker1"]
    functions = [None, lambda t: 1.0 + t, None, None, None]
    world.add(CoordinateLoad, marker=markers, value=[2.0, 0.0, -3.0, 1.0, 5.0], function=functions)
    assembly = Assembly(world)
    set_random_fields(assembly, 2)
    assembly.fields.t = 0.4
    check_fields(assembly)
    f = np.zeros_like(assembly.fields.x)
    assembly.add_loads(f)
    columns = assembly.fields.markers[FAMILY]
    rates = columns.rate[assembly.layout.marker_index[[int(m.ids[0]) for m in markers]]]
    assert_allclose(f @ assembly.fields.v, rates @ (2.0, 1.4, -3.0, 1.0, 5.0), rtol=1e-12, err_msg="power")


@pytest.mark.parametrize("fast", [False, True])
def test_constraint(fast: bool) -> None:
    """Tangents at position and velocity level agree with differences. The right-hand side of the accelerations agrees
    with the change of the rate of C.
    """
    world = World()
    name = "rate_function" if fast else "offset_function"
    functions = {name: [None, lambda t: 0.3 * np.sin(2.0 * t), None, None, None]}
    active = [True, True, True, False, True]
    world.add(
        CoordinateConstraint,
        **pairs(world),
        velocity_level=fast,
        ratio=[1.0, -2.5, 0.4, 1.0, 3.0],
        active=active,
        **functions,
    )
    assembly = Assembly(world)
    set_random_fields(assembly, 3)
    fields, n = assembly.fields, assembly.layout.spare
    fields.t = 0.7
    check_fields(assembly)
    fields.rate_level = True
    x, t = fields.x.copy(), fields.t

    def rates(h: float) -> np.ndarray:
        fields.x[:], fields.t = x + h * fields.v, t + h
        c, f = np.zeros_like(fields.lam), np.zeros(n + 1)
        assembly.update_markers()
        assembly.add_constraints(c, f)
        return c

    h = 1e-4
    change = (rates(h) - rates(-h)) / (2 * h)
    fields.x[:], fields.t = x, t
    assembly.update_markers()
    rhs = np.zeros_like(fields.lam)
    for constraint in assembly.constraints:
        constraint.acceleration(evaluate(fields, C=rhs))
    # a row that is switched off is replaced by λ = 0 with the right-hand side 0
    assert_allclose(rhs, -change, atol=1e-6)


def test_contact() -> None:
    """The tangent agrees with differences for closed and open rows. Gap, energy and the history values after the update
    are correct.
    """
    world = World()
    contact = world.add(ContactCoordinate, **pairs(world), contact_stiffness=30.0, contact_damping=0.5, offset=0.1)
    state = State(world)
    state.q[:] = 0.2 * np.random.default_rng(4).standard_normal(len(state.q))
    state.v[:] = np.random.default_rng(6).standard_normal(len(state.q))
    contact_data = state.assembly.layout.data_start[contact.data]
    state.data[contact_data] = (-1.0, -1.0, 1.0, -1.0, 1.0)
    assembly = state.assembly
    fields = assembly.load_fields(state)
    check_fields(assembly)
    assembly.load_fields(state)
    gap = eval_output(contact, "gap", state)
    assert_allclose(assembly.energy(), 15.0 * (gap[[0, 1, 3]] ** 2).sum(), rtol=1e-14)
    force = eval_output(contact, "force", state)
    rate = eval_output(contact, "rate", state)
    closed = np.array((True, True, False, True, False))
    assert_allclose(force, np.where(closed, 30.0 * gap + 0.5 * rate, 0.0), rtol=1e-14)
    result = assembly.post_newton()
    assert result.changed
    assert_allclose(fields.data[contact_data], gap, atol=1e-15)


def test_angles_go_on_over_many_turns() -> None:
    """Angles count many turns in both directions for steps of less than 3/4 of a turn. Euler parameters have a period
    of two turns.
    """
    world = World()
    body = world.add(RigidBody3D, position=(0.0, 0.0, 0.0), euler_parameters=TURNED, mass=1.0, inertia=1.0)
    marker = rotation_marker(world, body, AXIS)
    world.add(CoordinateLoad, marker=marker)
    state = State(world)
    for angle in [*np.arange(0.0, 60.0, 4.6), *np.arange(60.0, -60.0, -2.9)]:
        state.put(body, (0.0, 0.0, 0.0, *(product(TURNED, euler_parameters(AXIS, angle)) - TURNED)))
        assert_allclose(eval_output(marker, "angle", state), angle, atol=1e-12)
        state.start_data[:] = state.data
        state.assembly.load_fields(state)
        state.assembly.post_newton()
        state.data[:] = state.assembly.fields.data
    again = State(world)
    again.assign(state)
    assert_allclose(eval_output(marker, "angle", again.copy()), angle, atol=1e-12, err_msg="a copy has the turns")


@pytest.mark.parametrize(
    ("start", "end"),
    [
        (euler_parameters((1.0, 0.0, 0.0), 0.0), euler_parameters((1.0, 0.0, 0.0), np.pi)),
        (euler_parameters((1.0, 0.0, 0.0), 3.0), euler_parameters((1.0, 0.0, 0.0), 3.3)),
        (euler_parameters((0.0, 0.0, 1.0), 0.0), euler_parameters((0.0, 0.0, 1.0), 5.0)),
    ],
)
def test_lost_angles_are_not_numbers(start: FloatArray, end: FloatArray) -> None:
    """The angle is NaN if the axis is reversed, has passed its opposite direction in a step, or has turned by more than
    3/4 of a turn in a step.
    """
    world = World()
    body = world.add(
        RigidBody3D,
        position=(0.0, 0.0, 0.0),
        displacement=(0.0, 0.0, 0.0, *(start - (1.0, 0.0, 0.0, 0.0))),
        mass=1.0,
        inertia=1.0,
    )
    marker = rotation_marker(world, body)
    load = world.add(CoordinateLoad, marker=marker, value=1.0)
    state = State(world)
    assert np.isfinite(eval_output(marker, "angle", state)) and not state.assembly.diagnose()
    state.put(body, (0.0, 0.0, 0.0, *(end - (1.0, 0.0, 0.0, 0.0))))
    assert np.isnan(eval_output(marker, "angle", state)) and np.isnan(eval_output(marker, "rate", state))
    (words,) = state.assembly.diagnose()
    assert words.startswith("RotationCoordinate 0: the angle about the axis [0. 0. 1.] is lost")
    f = np.zeros(8)
    state.assembly.add_loads(f)
    assert np.isnan(f[3:7]).all()
    # history values stay finite, so the marker works again when the body returns
    world.set(load, active=False)
    state.assembly.load_fields(state)
    state.assembly.post_newton()
    assert np.isfinite(state.assembly.fields.data).all()
