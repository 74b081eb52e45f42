"""Tests of driven joints. Equations, tangents and accelerations agree with differences in time. Motions agree with
Lagrange's equation.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import windlass as wl
import windlass.connectors as con
import windlass.elements as el
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.errors import ModelError
from windlass.framework.model.system import evaluate
from windlass.framework.state.tangent_check import check_fields

from support.differences import set_random_fields

FRAME0 = el.rotation_matrix(el.euler_parameters((1.0, 2.0, -1.0), 0.6))
FRAME1 = el.rotation_matrix(el.euler_parameters((0.0, -1.0, 1.0), 0.9))
SIZES = np.array((0.3, -0.2, 0.4, 0.7, -0.5, 1.1))
NOW = 0.4


def offsets(t: float) -> np.ndarray:
    return SIZES * np.sin(np.arange(1.0, 7.0) * t + 0.2)


def offset_rates(t: float) -> np.ndarray:
    k = np.arange(1.0, 7.0)
    return SIZES * k * np.cos(k * t + 0.2)


def create_joint(**columns: Any) -> tuple[wl.World, wl.Entity]:
    """Create two bodies that are joined at markers off their centres."""
    world = wl.World()
    first = world.add(el.RigidBody3D, position=(0.1, 0.2, 0.3), mass=1.0, inertia=1.0)
    turned = el.euler_parameters((0.3, 1.0, -0.5), 0.4)
    second = world.add(el.RigidBody3D, position=(1.0, 0.0, 0.2), euler_parameters=turned, mass=1.0, inertia=1.0)
    m0, m1 = con.rigid_marker(world, first, (0.3, -0.1, 0.2)), con.rigid_marker(world, second, (-0.4, 0.2, 0.1))
    return world, world.add(con.GenericJoint, marker0=m0, marker1=m1, frame0=FRAME0, frame1=FRAME1, **columns)


@pytest.mark.parametrize("locked", [(True, True, True), (True, False, True), (False, True, False)])
@pytest.mark.parametrize("rates", [{}, {"offset_rate_function": offset_rates}])
def test_tangent_and_accelerations(locked: tuple[bool, ...], rates: dict[str, Any]) -> None:
    """Ċ agrees with the derivative of C along a motion in time, and accelerations with C_q a = rhs satisfy C̈ = 0."""
    world, _ = create_joint(rotations=locked, translations=locked[::-1], offset_function=offsets, **rates)
    assembly = Assembly(world)
    fields = assembly.fields
    set_random_fields(assembly, 5)
    fields.t = NOW
    check_fields(assembly)
    x, v = fields.x.copy(), fields.v.copy()

    def equations(h: float, rate_level: bool) -> np.ndarray:
        fields.x[:], fields.t, fields.rate_level = x + h * v, NOW + h, rate_level
        c = np.zeros_like(fields.lam)
        assembly.update_markers()
        assembly.add_constraints(c, np.zeros_like(fields.x))
        return c

    h = 1e-5
    of_joint = slice(2, -1)  # multipliers of the joint follow the multipliers of the Euler parameters
    held = np.concatenate((locked[::-1], locked))
    first = (equations(h, False) - equations(-h, False))[of_joint] / (2.0 * h)
    assert_allclose(equations(0.0, True)[of_joint][held], first[held], atol=1e-8)
    second = (equations(h, True) - equations(-h, True))[of_joint] / (2.0 * h)
    equations(0.0, True)
    rhs = np.zeros_like(fields.lam)
    for constraint in assembly.constraints:
        constraint.acceleration(evaluate(fields, C=rhs))
    assert_allclose(rhs[of_joint][held], -second[held], atol=3e-6)


def test_frames_are_turned_about_x_then_y_then_z() -> None:
    """Bodies at the offsets of the joint satisfy the equations of the joint for any joint frames. The rotations of a
    frame are about x, y and z in this order.
    """
    offset = np.array((0.2, -0.3, 0.1, 0.5, -0.7, 4.0))
    turned = FRAME0 @ Rotation.from_euler("XYZ", offset[3:]).as_matrix()
    world = wl.World()
    ground = con.rigid_marker(world, world.add(el.Ground, position=(1.0, 2.0, 3.0)))
    place = np.array((1.0, 2.0, 3.0)) + turned @ offset[:3]
    e = el.euler_parameters_of(turned @ FRAME1.T)
    body = world.add(el.RigidBody3D, position=place, euler_parameters=e, mass=1.0, inertia=1.0)
    joint = world.add(
        con.GenericJoint,
        marker0=ground,
        marker1=con.rigid_marker(world, body),
        frame0=FRAME0,
        frame1=FRAME1,
        offset=offset,
    )
    assert_allclose(wl.eval_output(joint, "gap", wl.State(world)), 0.0, atol=1e-14)


def swing_pendulum(method: str, step: float, end: float) -> tuple[float, float]:
    """Return the angle of a pendulum in a slot of a turntable with prescribed rotation, and the torque of the drive at
    the end.
    """
    world = wl.World(gravity=(0.0, 0.0, -9.81))
    ground = con.rigid_marker(world, world.add(el.Ground))
    place, turned = (0.5 * np.sin(0.6), 0.0, -0.5 * np.cos(0.6)), el.euler_parameters((0.0, 1.0, 0.0), -0.6)
    rod = world.add(el.RigidBody3D, position=place, euler_parameters=turned, mass=2.0, inertia=(0.17, 0.18, 0.02))
    joint = world.add(
        con.GenericJoint, marker0=ground, marker1=con.rigid_marker(world, rod, (0.0, 0.0, 0.5)),
        rotations=(True, False, True), offset_function=lambda t: (0.0, 0.0, 0.0, 0.0, 0.0, 6.0 * t**2),
    )  # fmt: skip
    if method in ("rk", "verlet"):
        state = wl.Explicit(world, step=step, end=end, method=method).solve()
    else:
        state = wl.Dynamic(world, step=step, end=end, method=method).solve()
    position, turned = wl.eval_output(rod, "position", state), 6.0 * end**2
    across = position[0] * np.cos(turned) + position[1] * np.sin(turned)
    torque = -float(wl.eval_output(joint, "torque", state)[2])
    return float(np.arctan2(across, -position[2])), torque


def exact_pendulum(end: float) -> tuple[float, float]:
    """Return angle and torque by Lagrange's equation for θ, with L = I θ_t²/2 + (I_s sin² + I_z cos²) Ω²/2 - V."""
    m, l, ix, iy, iz = 2.0, 0.5, 0.17, 0.18, 0.02
    across = ix + m * l * l

    def rates(t: float, y: np.ndarray) -> tuple[float, float]:
        s, c, spin = np.sin(y[0]), np.cos(y[0]), 12.0 * t
        return y[1], ((across - iz) * s * c * spin**2 - m * 9.81 * l * s) / (iy + m * l * l)

    found = solve_ivp(rates, (0.0, end), (0.6, 0.0), rtol=1e-11, atol=1e-12).y[:, -1]
    s, c, spin = np.sin(found[0]), np.cos(found[0]), 12.0 * end
    inertia = across * s * s + iz * c * c
    return float(found[0]), float(inertia * 12.0 + 2.0 * (across - iz) * s * c * found[1] * spin)


@pytest.mark.parametrize(
    "method",
    [
        "generalized_alpha",
        "rk",
        *(
            pytest.param(name, marks=pytest.mark.long)
            for name in ("generalized_alpha_index2", "trapezoidal_index2", "verlet")
        ),
    ],
)
def test_pendulum_in_a_driven_slot(method: str) -> None:
    """Angle of the pendulum and torque of the drive agree with Lagrange's equation. Rates of the drive agree with
    differences in time.
    """
    exact = np.array(exact_pendulum(0.8))
    if method == "rk":
        assert_allclose(swing_pendulum(method, 2e-2, 0.8), exact, atol=1e-7)
        return
    errors = [np.abs(swing_pendulum(method, step, 0.8) - exact) for step in (8e-3, 4e-3)]
    assert errors[1][0] < 1e-3 and errors[1][1] < 0.12
    assert np.log2(errors[0] / errors[1]).min() > 1.9


def test_errors() -> None:
    world, joint = create_joint(offset_function=lambda t: (0.0, 1.0))
    with pytest.raises(ModelError, match=r"offset_function of .* must give finite numbers of shape \(6,\)"):
        wl.eval_output(joint, "gap", wl.State(world))
    world, _ = create_joint(offset_function=offsets, offset_rate_function=lambda t: 2.0 * offset_rates(t))
    assembly = Assembly(world)
    assembly.fields.rate_level = True
    with pytest.raises(ModelError, match="must be its time derivative"):
        assembly.add_constraints(np.zeros_like(assembly.fields.lam), np.zeros_like(assembly.fields.x))
    world, _ = create_joint(offset_rate_function=offset_rates)
    with pytest.raises(ModelError, match=r"offset_rate_function of .* is given without an offset_function"):
        world.finalize()
