"""For each spring and damper between bodies or coordinates, a small machine has a known motion."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass.connectors import (
    CoordinateSpringDamperExt,
    LinearSpringDamper,
    PrismaticJoint2D,
    RevoluteJoint2D,
    RigidBodySpringDamper,
    TorsionalSpringDamper,
    coordinate_marker,
    position_marker,
    prescribe,
    rigid_marker,
)
from windlass.elements import Ground, MassPoint, RigidBody2D, RigidBody3D


def test_frequencies_of_a_body_on_a_bushing() -> None:
    """A body whose centre lies in a bushing that is rotated by 90° has the six frequencies sqrt(k/m) and sqrt(k/J)."""
    world = wl.World()
    body = world.add(RigidBody3D, position=(0.0, 0.0, 0.0), mass=2.0, inertia=(0.5, 0.3, 0.2))
    stiffness = (800.0, 200.0, 1800.0, 20.0, 50.0, 80.0)
    turned = ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))  # the x axis of the joint is along y
    bushing = {"stiffness": np.diag(stiffness), "frame0": turned, "frame1": turned}
    ends = {"marker0": rigid_marker(world, world.add(Ground)), "marker1": rigid_marker(world, body)}
    world.add(RigidBodySpringDamper, **ends, **bushing)
    found = wl.Modes(world, count=6).solve(wl.Static(world).solve())
    expected = np.sqrt(np.array(stiffness) / (2.0, 2.0, 2.0, 0.3, 0.5, 0.2)) / (2.0 * math.pi)
    assert_allclose(found.frequencies, np.sort(expected), rtol=1e-9)


@pytest.mark.parametrize("spatial", [False, True])
def test_torsion_pendulum_over_turns(spatial: bool) -> None:
    """A torsion pendulum follows φ = Φ sin(ω t) with Φ of four turns. The trapezoidal rule makes the period longer by
    (ω h)²/12.

    In 3D, Euler parameters, which rotate by 0.1 rad per step, add an error of order 2.
    """
    k, inertia, turns = 3.0, 0.2, 8.0 * math.pi
    omega, step = math.sqrt(k / inertia), 1e-3 if spatial else 2e-3
    world = wl.World()
    ground = rigid_marker(world, world.add(Ground))
    if spatial:
        wheel = world.add(
            RigidBody3D, position=(0.0, 0.0, 0.0), mass=1.0, inertia=(1.0, 1.0, inertia),
            angular_velocity=(0.0, 0.0, turns * omega),
        )  # fmt: skip
    else:
        wheel = world.add(
            RigidBody2D, position=(0.0, 0.0), mass=1.0, inertia=inertia, velocity=(0.0, 0.0, turns * omega)
        )
        world.add(RevoluteJoint2D, marker0=ground, marker1=rigid_marker(world, wheel))
    spring = world.add(TorsionalSpringDamper, marker0=ground, marker1=rigid_marker(world, wheel), stiffness=k)
    sensors = wl.Sensors(None, [wl.Sensor(spring, "angle", name="angle")])
    ledger = wl.EnergyLedger()
    wl.Dynamic(world, step=step, end=0.45, method="trapezoidal_index2").solve(hooks=[sensors, ledger])
    t = step * np.arange(len(sensors["angle"]))
    slower = omega * (1.0 - (omega * step) ** 2 / 12.0)
    assert_allclose(sensors["angle"], turns * np.sin(slower * t), atol=(6e-4 if spatial else 1e-6) * turns)
    assert sensors["angle"].max() > 0.999 * turns
    assert abs(ledger.rest) < (5e-4 if spatial else 1e-9) * 0.5 * inertia * (turns * omega) ** 2


def test_slide_on_a_rotating_arm() -> None:
    """Along an arm with the angular velocity Ω, a mass oscillates with the angular frequency sqrt(k/m - Ω²) about L
    k/(k - m Ω²).
    """
    m, k, length, rate, step = 1.5, 60.0, 0.4, 3.0, 1e-3
    omega = math.sqrt(k / m - rate**2)
    rest = length * k / (k - m * rate**2)
    world = wl.World()
    arm = world.add(RigidBody2D, position=(0.0, 0.0), mass=1.0, inertia=1.0, velocity=(0.0, 0.0, rate))
    slide = world.add(RigidBody2D, position=(length, 0.0), mass=m, inertia=0.1, velocity=(0.0, rate * length, rate))
    ends = {"marker0": rigid_marker(world, arm), "marker1": rigid_marker(world, slide)}
    world.add(RevoluteJoint2D, marker0=position_marker(world, world.add(Ground)), marker1=ends["marker0"])
    prescribe(world, arm, "rotation", lambda t: rate * t)
    world.add(PrismaticJoint2D, **ends, axis=(1.0, 0.0))
    spring = world.add(LinearSpringDamper, **ends, stiffness=k, offset=length)
    sensors = wl.Sensors(None, [wl.Sensor(spring, "displacement", name="x")])
    wl.Dynamic(world, step=step, end=0.6).solve(hooks=[sensors])
    t = step * np.arange(len(sensors["x"]))
    assert_allclose(sensors["x"], rest + (length - rest) * np.cos(omega * t), atol=1e-4 * length)


def test_stick_slip_on_a_moving_surface() -> None:
    """The motion of a mass on a spring and on a surface with the speed v agrees with the closed form from stick to slip
    and back.

    In the limit cycle, the mass sticks for the time 2 F_s/(k v), until k x = F_d + F_s, and slips for (π + 2 φ)/ω with
    tan φ = k v/(ω F_s). Bristles of 1e6 N/m deflect by 4e-6 m.
    """
    m, k, v, Fd, Fs, step = 1.0, 100.0, 0.1, 3.0, 1.0, 1e-3
    omega = math.sqrt(k / m)
    world = wl.World()
    surface = world.add(MassPoint, position=(0.0, 0.0), mass=1.0, velocity=(v, 0.0))
    mass = world.add(MassPoint, position=(0.0, 0.0), mass=m, velocity=(v, 0.0))
    prescribe(world, surface, "x", lambda t: v * t)
    ends = [coordinate_marker(world, point, "x") for point in (surface, mass)]
    friction: dict[str, Any] = {
        "dynamic_friction": Fd, "static_friction_offset": Fs, "decay_velocity": 1e-6, "sticking_stiffness": 1e6,
        "sticking_damping": 500.0,
    }  # fmt: skip
    contact = world.add(CoordinateSpringDamperExt, marker0=ends[0], marker1=ends[1], **friction)
    world.add(CoordinateSpringDamperExt, marker1=ends[1], stiffness=k)
    sensors = wl.Sensors(
        None, [wl.Sensor(mass, "displacement", name="x"), wl.Sensor(contact, "slip_state", name="slip")]
    )
    ledger = wl.EnergyLedger()
    wl.Dynamic(world, step=step, end=1.1, passes=wl.Passes(atol=1e-3)).solve(hooks=[sensors, ledger])
    x, slips = sensors["x"][:, 0], sensors["slip"] != 0.0
    begin = (Fd + Fs) / (k * v)
    phase = math.atan2(k * v, omega * Fs)
    sliding, sticking = (math.pi + 2.0 * phase) / omega, 2.0 * Fs / (k * v)
    switches = step * np.flatnonzero(np.diff(slips.astype(int)))
    assert_allclose(switches, np.cumsum([begin, sliding, sticking]), atol=4 * step)
    t = step * np.arange(len(x))
    first = (t > begin) & (t < begin + sliding)
    s = omega * (t[first] - begin)
    assert_allclose(x[first], Fd / k + Fs / k * np.cos(s) + v / omega * np.sin(s), atol=1e-4)
    assert abs(ledger.rest) < 0.01 * ledger["dissipation"][-1]


def test_stop() -> None:
    """A mass that hits a stop rebounds with its initial speed. The largest depth s after 1/4 of a period satisfies m v²
    = k s².
    """
    world = wl.World()
    mass = world.add(MassPoint, position=(0.0, 0.0), mass=2.0, velocity=(1.0, 0.0))
    stop = world.add(
        CoordinateSpringDamperExt, marker1=coordinate_marker(world, mass, "x"), factor1=2.0,
        stops=True, lower_stop=-1.0, upper_stop=0.2, stop_stiffness=5e3,
    )  # fmt: skip
    sensors = wl.Sensors(None, [wl.Sensor(stop, "stop_depth", name="depth"), wl.Sensor(stop, "velocity", name="v")])
    wl.Dynamic(world, step=2e-4, end=0.2, method="newmark").solve(hooks=[sensors])
    assert_allclose(sensors["depth"].max(), math.sqrt(2.0 / 5e3), rtol=1e-3)  # m v²/2 = k_s depth²/2
    assert_allclose(sensors["v"][-1], -2.0, rtol=1e-2)
