"""Elements of drives are compared with closed forms: the hysteresis loop of the spring of an automatic tensioner, an
overrunning pulley, the crank of an engine, and loads by characteristic curves.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass import connectors as con
from windlass.elements import RigidBody2D

SPRING = {
    "preload": -18.0, "stiffness": 60.0, "friction_torque": 0.4, "loading_friction": 0.25, "unloading_friction": 0.1,
    "sticking_stiffness": 6e3,
}  # fmt: skip


def create_arm(**columns: Any) -> tuple[wl.World, wl.Entity, wl.Entity]:
    """Create an arm on a pivot, and its spring."""
    world = wl.World()
    arm = world.add(RigidBody2D, name="arm", position=(0.0, 0.0), mass=0.5, inertia=2e-3)
    con.fix(world, arm, "x", "y")
    spring = world.add(
        con.TensionerSpring, name="tensioner", marker1=con.coordinate_marker(world, arm, "rotation"),
        **{**SPRING, **columns},
    )  # fmt: skip
    return world, arm, spring


@pytest.mark.parametrize("turn", [0.0, 5e-5, 0.2, -0.2, -0.45])
@pytest.mark.parametrize("speed", [3.0, -3.0])
def test_tangent_is_exact(turn: float, speed: float) -> None:
    """The tangent agrees with differences where the spring sticks, slips in both directions, and after the torque of
    the spring has changed its sign.
    """
    world, arm, _ = create_arm(loading_damping=0.8, unloading_damping=0.2)
    carrier = world.add(RigidBody2D, position=(1.0, 0.0), mass=1.0, inertia=0.1)
    angles = {"marker0": con.coordinate_marker(world, carrier, "rotation")}
    angles["marker1"] = con.coordinate_marker(world, arm, "rotation")
    world.add(con.TensionerSpring, **angles, **SPRING, loading_damping=0.3)
    state = wl.State(world)
    state.put(arm, (0.0, 0.0, turn), "q")
    state.put(arm, (0.0, 0.0, speed), "v")
    wl.testing.check_tangent(world, state)


def eval_loop(low: float, high: float, columns: dict[str, float]) -> float:
    """Return the loss [J] of a slow cycle between two angles with a torque whose sign does not change. The docstring of
    the law contains the formula.
    """
    k, kb, ml, mu = (columns[n] for n in ("stiffness", "sticking_stiffness", "loading_friction", "unloading_friction"))
    sign = np.sign(columns["preload"])

    def width(u: float) -> float:
        """Return the sum of both friction limits."""
        return 2.0 * columns["friction_torque"] + (ml + mu) * abs(columns["preload"] + k * u)

    # after the reversal at the angle with the larger |e|, the bristle unloads with the stiffness k_b + mu_u k until it
    # reaches the friction limit
    large, small = (high, low) if sign > 0.0 else (low, high)
    between = 0.5 * (width(low) + width(high)) * (high - low)
    return between - width(large) ** 2 / (2.0 * (kb + mu * k)) - width(small) ** 2 / (2.0 * (kb - ml * k))


def test_hysteresis_loop_in_closed_form() -> None:
    """The arm is moved through two cycles.

    The torque on both branches, the area of the loop, and the losses in the ledger agree with the closed form.

    The bristle sticks over 2 mrad at both ends of the range of 0.3 rad. Torques are exact. The loop is integrated by
    trapezoids with 2000 steps per cycle.
    """
    world, arm, spring = create_arm()
    amplitude, cycles = 0.15, 2
    con.prescribe(world, arm, "rotation", con.sine(amplitude, 1.0))
    sensors = wl.Sensors(None, [wl.Sensor(arm, "rotation", name="turn"), wl.Sensor(spring, "torque", name="torque")])
    ledger = wl.EnergyLedger()
    motion = wl.Dynamic(world, step=1.0 / 2000, end=float(cycles), name="")
    motion.solve(hooks=[sensors, ledger])
    assert motion.statistics.rejected == 0
    t, u, f = sensors.times, sensors["turn"], sensors["torque"]
    e = SPRING["preload"] + SPRING["stiffness"] * u
    # the spring pulls to one side, so an increasing angle unloads the spring
    for middle, share, sign in ((1.0, "unloading_friction", 1.0), (1.5, "loading_friction", -1.0)):
        there = np.abs(t - middle) < 0.15
        limit = SPRING["friction_torque"] + SPRING[share] * np.abs(e[there])
        assert_allclose(f[there] - e[there], sign * limit, rtol=1e-9)
    last = t >= 1.0 - 1e-9
    loop = float(np.sum(0.5 * (f[last][1:] + f[last][:-1]) * np.diff(u[last])))
    ideal = eval_loop(-amplitude, amplitude, SPRING)
    assert_allclose(loop, ideal, rtol=1e-4)
    # loss of the second cycle according to the ledger
    lost = ledger["TensionerSpring.sliding"]
    half = int(np.argmin(np.abs(ledger.times - 1.0)))
    assert_allclose(lost[-1] - lost[half], ideal, rtol=1e-3)
    assert abs(ledger.rest) < 1e-3 * lost[-1]


def test_asymmetric_damping_takes_more_while_it_is_loaded() -> None:
    """Each of the damping coefficients d_l and d_u acts in half of the cycle, so the loss is (d_l + d_u)/2 times the
    integral of u_t².
    """
    world, arm, _ = create_arm(
        friction_torque=0.0, loading_friction=0.0, unloading_friction=0.0, loading_damping=0.9, unloading_damping=0.3
    )
    con.prescribe(world, arm, "rotation", con.sine(0.1, 1.0))
    ledger = wl.EnergyLedger()
    wl.Dynamic(world, step=1e-3, end=1.0, name="").solve(hooks=[ledger])
    ideal = 0.6 * 0.5 * (0.1 * 2.0 * np.pi) ** 2
    assert_allclose(ledger["TensionerSpring.damper"][-1], ideal, rtol=1e-3)


def test_what_cannot_be_is_refused() -> None:
    for columns, words in (
        ({"sticking_stiffness": 0.0}, "sticking_stiffness = 0.0 N m/rad .* must be > 0 N m/rad with friction"),
        ({"sticking_stiffness": 10.0}, "must have k_b > mu_l k"),
        ({"unloading_friction": 1.1}, "must be < 1, as the arm"),
        ({"stiffness": -1.0}, "stiffness = -1.0 N m/rad in TensionerSpring"),
    ):
        with pytest.raises(wl.ModelError, match=words):
            create_arm(**columns)[0].finalize()


def create_clutch(**columns: Any) -> tuple[wl.World, wl.Entity, wl.Entity, wl.Entity]:
    """Create a rim and a shaft, coupled by a clutch that lets the shaft overrun."""
    world = wl.World()
    bodies = [
        world.add(RigidBody2D, name=n, position=(0.0, 0.0), mass=1.0, inertia=j)
        for n, j in (("rim", 0.05), ("shaft", 0.01))
    ]
    con.fix(world, bodies, "x", "y")
    rim, shaft = (con.coordinate_marker(world, body, "rotation") for body in bodies)
    clutch = world.add(
        con.OverrunningClutch, marker0=rim, marker1=shaft, **{"stiffness": 2e4, "damping": 0.5, **columns}
    )
    return world, *bodies, clutch


@pytest.mark.parametrize("turn", [-0.1, -1e-5, 1e-5, 0.1])
def test_tangent_of_the_clutch_is_exact(turn: float) -> None:
    """The tangent agrees with differences for a clutch that is locked, overruns, or slips at its limit torque."""
    for direction in (1.0, -1.0):
        world, _, shaft, _ = create_clutch(drag_torque=0.3, largest_torque=50.0, direction=direction)
        state = wl.State(world)
        state.put(shaft, (0.0, 0.0, turn), "q")
        state.put(shaft, (0.0, 0.0, 2.0), "v")
        wl.testing.check_tangent(world, state)


def test_an_overrunning_pulley_drives_one_way() -> None:
    """A rim that accelerates drives the shaft. When the rim is braked, the shaft overruns and is slowed only by the
    drag torque.

    While the rim gains 40 rad/s in 0.1 s, the clutch transmits J ω_t. Later, the angular speed of the shaft decreases
    by M_drag/J per second.
    """
    drag, J = 0.2, 0.01
    world, rim, shaft, clutch = create_clutch(drag_torque=drag, damping=5.0)
    speed = con.table([0.0, 0.1, 0.12, 0.2], [0.0, 40.0, 10.0, 10.0])
    con.prescribe_velocity(world, rim, "rotation", speed)
    sensors = wl.Sensors(
        None,
        [
            wl.Sensor(shaft, "angular_velocity", name="shaft"),
            wl.Sensor(clutch, "torque", name="torque"),
            wl.Sensor(clutch, "overruns", name="overruns"),
        ],
    )
    ledger = wl.EnergyLedger()
    wl.Dynamic(world, step=1e-4, end=0.2, name="").solve(hooks=[sensors, ledger])
    t = sensors.times
    pulled = (t > 0.05) & (t < 0.099)
    assert_allclose(sensors["torque"][pulled].mean(), -J * 400.0, rtol=1e-3)
    free = t > 0.13
    assert sensors["overruns"][free].all() and not sensors["overruns"][pulled].any()
    assert_allclose(sensors["torque"][free], drag, rtol=1e-12)
    fall = np.polyfit(t[free], sensors["shaft"][free], 1)[0]
    assert_allclose(fall, -drag / J, rtol=1e-6)
    # the loss is the drag torque times the rotation of the shaft relative to the rim
    away = sensors["shaft"] - np.interp(t, [0.0, 0.1, 0.12, 0.2], [0.0, 40.0, 10.0, 10.0])
    ahead = float(np.sum(0.5 * (away[1:] + away[:-1]) * np.diff(t)))
    assert_allclose(ledger["OverrunningClutch.sliding"][-1], drag * ahead, rtol=0.02)
    with pytest.raises(wl.ModelError, match=r"direction = 0\.5 in OverrunningClutch row 0: must be 1 or -1"):
        create_clutch(direction=0.5)[0].finalize()


def test_engine_orders_and_a_characteristic_curve() -> None:
    """A crank with the orders 2 and 4, and a shaft whose load takes the power of its characteristic curve, agree with
    closed forms.
    """
    omega = con.engine_speed(-150.0, {2: 0.03, 4: (0.01, 0.5)}, rise=0.1)
    t = np.linspace(0.1, 0.1 + 2.0 * np.pi / 150.0, 20_001)
    values = np.array([omega(x) for x in t])
    assert omega(0.0) == 0.0
    assert_allclose(values[:-1].mean(), -150.0, rtol=1e-6)
    for order, amplitude in ((2, 0.03), (4, 0.01), (3, 0.0)):
        found = 2.0 * abs(np.mean(values[:-1] * np.exp(1j * order * 150.0 * t[:-1]))) / 150.0
        assert_allclose(found, amplitude, atol=1e-6)
    with pytest.raises(wl.ModelError, match=r"orders\[2\] = .* must be an amplitude"):
        con.engine_speed(100.0, {2: (1.0, 2.0, 3.0)})
    world = wl.World()
    shaft = world.add(RigidBody2D, position=(0.0, 0.0), mass=1.0, inertia=0.02)
    con.fix(world, shaft, "x", "y")
    load = con.characteristic_load(world, shaft, [0.0, 50.0, 100.0], [1.0, 4.0, 2.0], name="pump")
    for speed, torque in ((25.0, -2.5), (-75.0, 3.0), (200.0, -2.0), (0.5, -1.03 * np.sin(0.25 * np.pi))):
        state = wl.State(world)
        state.put(shaft, (0.0, 0.0, speed), "v")
        assert_allclose(wl.eval_output(load, "force", state), torque, rtol=1e-12)
        wl.testing.check_tangent(world, state)
    with pytest.raises(wl.ModelError, match="must be at least two increasing numbers >= 0"):
        con.characteristic_load(world, shaft, [0.0, 0.0], [1.0, 2.0])
