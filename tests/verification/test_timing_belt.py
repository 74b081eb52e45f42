"""Tests of timing belts: tangent of teeth, teeth that climb out of a groove, loads along the arc, transmission ratio,
and tooth frequency.
"""

from __future__ import annotations

from math import asin, cos, exp, pi, sin, tan
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass import connectors as con
from windlass.elements import MassPoint, RigidBody2D

TOOTH = {"teeth": 20, "pitch_radius": 0.016, "tooth_stiffness": 1e5, "tip_stiffness": 2e5, "tooth_height": 1.2e-3}


def test_tangent_of_teeth_in_every_state_is_exact() -> None:
    """The tangent agrees with differences for a tooth on both flanks, on one flank, on a tip, and outside of the
    pulley. The pulley has a rotation and an angular velocity.
    """
    world = wl.World()
    wheel = world.add(RigidBody2D, position=(0.1, 0.2), angle=0.3, mass=1.0, inertia=1e-3)
    pitch = 2.0 * pi / 20
    # position along the circle and height [m] of a tooth in its groove, and the corresponding contact states
    cases = [(0.5e-3, 0.1e-3), (-0.5e-3, 0.1e-3), (0.01e-3, -0.2e-3), (2.4e-3, 1.0e-3), (0.3e-3, 1.3e-3)]
    places = []
    for k, (way, height) in enumerate(cases):
        angle, distance = 0.3 + 0.05 + k * pitch + way / 0.016, 0.016 + height
        places.append((0.1 + distance * cos(angle), 0.2 + distance * sin(angle)))
    points = world.add(MassPoint, position=places, mass=0.1)
    teeth = world.add(
        con.BeltToothContact, marker0=con.rigid_marker(world, wheel), marker1=con.position_marker(world, points),
        phase=0.05, flank_angle=0.4, backlash=1e-4, tooth_damping=3.0, **TOOTH,
    )  # fmt: skip
    state = wl.State(world)
    rng = np.random.default_rng(3)
    state.v[:] = rng.normal(size=len(state.v)) * np.where(np.arange(len(state.v)) == 2, 5.0, 0.2)
    depths = [[-way + 0.5e-4 + tan(0.4) * g, way + 0.5e-4 + tan(0.4) * g, g - 1.2e-3] for way, g in cases]
    history = np.column_stack((depths, np.arange(1.0, 6.0)))
    history[:, 2] = 0.1
    history[3] = 0.1, 0.1, -0.2e-3, 4.0
    history[4] = 0.1, 0.1, 0.1, 5.0
    state.put(teeth, history, "data")
    wl.testing.check_tangent(world, state)
    assert_allclose(wl.eval_output(teeth, "way", state), [case[0] for case in cases], atol=1e-15)
    assert_allclose(wl.eval_output(teeth, "height", state), [case[1] for case in cases], atol=1e-15)
    touches = (np.abs(wl.eval_output(teeth, "force", state)) > 0.0).any(axis=1)
    assert touches.tolist() == [True, True, True, True, False]


def test_a_tooth_climbs_out_of_its_groove_at_the_load_that_its_flank_can_hold() -> None:
    """A tooth that the force P = T p/R presses into its groove carries at most P/tan β. Above this load, the tooth
    jumps into the next groove.
    """
    press, beta, pitch = 20.0, 0.35, 2.0 * pi / 20
    world = wl.World()
    wheel = world.add(RigidBody2D, position=(0.0, 0.0), mass=1.0, inertia=1e-3)
    con.fix(world, wheel, "x", "y")
    con.prescribe(world, wheel, "rotation", lambda t: 1.25 * pitch * t)
    point = world.add(MassPoint, position=(0.016 + 1e-5, 0.0), mass=0.01)
    con.fix(world, point, "y")
    world.add(con.Force, marker=con.position_marker(world, point), vector=(-press, 0.0, 0.0))
    # a separate spring represents the contact of the belt between teeth with the pulley
    seat = con.coordinate_marker(world, point, "x")
    world.add(con.ContactCoordinate, marker1=seat, contact_stiffness=1e7, contact_damping=200.0, offset=-1e-5)
    teeth = world.add(
        con.BeltToothContact, marker0=con.rigid_marker(world, wheel), marker1=con.position_marker(world, point),
        flank_angle=beta, tooth_damping=20.0, **TOOTH,
    )  # fmt: skip
    log = wl.Sensors(None, [wl.Sensor(teeth, name, name=name) for name in ("tooth_force", "height", "groove")])
    wl.Dynamic(world, step=5e-4, end=0.8).solve(hooks=[log])
    t, force, height, groove = log.times, log["tooth_force"], log["height"], log["groove"]
    # on the flank, F R/D tan β = P, because the pitch line determines the lever arm
    climbing = (height > 1e-4) & (height < 0.9e-3) & (t < 0.3)
    assert climbing.sum() > 50
    assert_allclose(-force[climbing] * (0.016 + height[climbing]) / 0.016, press / tan(beta), rtol=5e-3)
    assert -force.min() < 1.01 * press / tan(beta)
    # the force P presses the tooth into the tip
    riding = (t > 0.25) & (t < 0.6)
    assert_allclose(height[riding], 1.2e-3 - press / TOOTH["tip_stiffness"], atol=1e-6)
    assert_allclose(force[riding], 0.0, atol=1e-9)
    # the tooth is in the next groove, and the opposite flank pushes the tooth first
    assert (
        (groove[0], groove[-1]) == (0.0, 19.0)
        and abs(height[-1]) < 1e-5
        and force[(t > 0.72) & (t < 0.75)].min() > 20.0
    )


def create_drive(mounted: float, damping: float | None = None, **more: Any) -> tuple[wl.World, wl.Belt, list[Any], Any]:
    """Create a T5 belt with the width 10 mm on pulleys of 20 and 40 teeth.

    The driven pulley has a brake, or a torque of 1 N m.
    """
    sheet, z, teeth = wl.catalogue.belt("T5", width=0.010), (20, 40), 70
    strain = mounted / sheet.columns["axial_stiffness"]
    distance = con.timing_distance(teeth, 0.005, z, strain)
    world = wl.World()
    bodies = [
        world.add(RigidBody2D, name=name, position=(x, 0.0), mass=1.0, inertia=2e-5)
        for name, x in (("driver", 0.0), ("driven", distance))
    ]
    con.fix(world, bodies, "x", "y")
    spin = con.coordinate_marker(world, bodies[1], "rotation")
    if damping is None:
        drive = con.fix(world, bodies[0], "rotation")
        world.add(con.CoordinateLoad, marker=spin, value=1.0)
    else:
        drive = con.prescribe_velocity(world, bodies[0], "rotation", lambda t: -100.0)
        world.add(con.CoordinateSpringDamper, marker1=spin, damping=damping)
    pulleys = [wl.Pulley(body, sheet.radius(n), teeth=n) for body, n in zip(bodies, z, strict=True)]
    belt = wl.Belt(world, pulleys, **{**sheet.columns, "teeth": teeth, "friction": 0.0, **more})
    assert_allclose(belt.strain, strain, rtol=1e-9)
    # bending adds 0.1 to 0.2 % to the tension, see connectors/drives/fit.py
    assert_allclose(belt.tension, mounted, rtol=3e-3)
    return world, belt, bodies, drive


def test_loads_of_teeth_along_the_arc_obey_the_difference_equation() -> None:
    """The loads of teeth satisfy F_(j+1) - 2 F_j + F_(j-1) = (k p/EA) F_j with the tensions of the spans at both ends,
    where p is the pitch of the pulley.

    Teeth near the ends of the arc are not compared, because the straight spans also exert forces on these teeth.
    """
    world, belt, _, _ = create_drive(100.0, flank_angle=0.0, tooth_height=1e-4)
    state = wl.Static(world).solve()
    duty = belt.report(state)["driven"]
    assert_allclose(duty.torque, -1.0, rtol=1e-9)
    assert belt.teeth is not None
    force = wl.eval_output(belt.teeth, "tooth_force", state).reshape(2, -1)[1]
    on = np.flatnonzero(force)
    assert np.diff(on).max() == 1 and 21 <= len(on) <= 24
    share = 1e5 * 0.005 / 9e4
    n = len(on)
    # the unknowns are the tensions before the first tooth, between teeth, and after the last tooth
    matrix = np.eye(n + 1)
    for j in range(1, n):
        matrix[j, j - 1 : j + 2] = 1.0, -2.0 - share, 1.0
    tensions = np.linalg.solve(matrix, np.r_[duty.tension_before, np.zeros(n - 1), duty.tension_after])
    loads = -np.diff(tensions)
    assert abs(loads[-2]) > 5.0
    assert_allclose(force[on][2:-2], loads[2:-2], atol=0.02 * np.abs(loads).max() / 3.0)
    assert_allclose(force[on].sum() * belt.radii[1], duty.torque, rtol=1e-3)


def test_a_timing_belt_keeps_the_ratio_of_its_teeth_and_sounds_with_its_tooth_frequency() -> None:
    """The driven pulley has no creep. Its rotation is 20/40 of the rotation of the driver, except for the deflection of
    teeth.

    The speed of the driven pulley oscillates with the frequency 20 ω/(2 π).
    """
    world, belt, bodies, drive = create_drive(150.0, 0.02)
    with belt.preload(drive):
        state = wl.Static(world).solve()
    state = belt.run(state, 100.0 * belt.radii[0])
    sensors = [wl.Sensor(body, "rotation", name=name) for body, name in zip(bodies, "ab", strict=True)]
    log = wl.Sensors(None, [*sensors, wl.Sensor(bodies[1], "angular_velocity", name="speed")])
    wl.Dynamic(world, step=1e-4, end=0.045).solve(state, hooks=[log])
    times, a, b, speed = log.times, *(np.ravel(log[name]) for name in ("a", "b", "speed"))
    late = times > 0.02
    twist = (b - 0.5 * a)[late]
    # the mean ratio follows from the slope of the rotation without oscillations; its error is less than a thousandth of
    # the creep of a belt
    t = times[late]
    waves = [f(k * 20 * 100.0 * t) for k in (1, 2, 3) for f in (np.cos, np.sin)]
    slope = np.linalg.lstsq(np.stack([t, np.ones_like(t), *waves], axis=1), twist, rcond=None)[0][0]
    assert abs(slope) < 1e-6 * 50.0
    t = np.linspace(times[late][0], times[-1], 1024)
    wave = np.interp(t, times, speed)
    wave -= np.polyval(np.polyfit(t, wave, 3), t)
    spectrum = np.abs(np.fft.rfft(wave * np.hanning(len(t)), 8192))
    frequencies = np.fft.rfftfreq(8192, t[1] - t[0])
    # the data contain seven periods, so the highest spectral line is exact within a third of the width of a line
    assert abs(frequencies[spectrum.argmax()] - 20 * 100.0 / (2.0 * pi)) < 0.33 / 0.025


def test_a_running_belt_jumps_one_tooth_at_the_torque_that_its_flanks_can_hold(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The belt does not jump at 5 % below the torque of the closed form, and jumps by one tooth at 5 % above this
    torque. Apart from this jump, the teeth remain in their grooves.

    If all teeth are at their limit, dT = Q and T dφ = Q tan β along an arc, so T_1/T_2 = exp(θ/tan β). The equation is
    Euler's law with the friction coefficient 1/tan β. The belt jumps on the pulley with the smaller wrap angle θ. The
    driven pulley can move, and a pull (T_1 + T_2) cos α acts on it, so the tensions do not depend on the stiffness of
    the belt.
    """
    speed, pull, beta, z, count, pitch = 100.0, 160.0, 0.9, (12, 24), 44, 0.005
    sheet = wl.catalogue.belt("T5", width=0.010)
    distance = con.timing_distance(count, pitch, z, 0.5 * pull / sheet.columns["axial_stiffness"])
    small, large = (n * pitch / (2.0 * pi) for n in z)
    alpha = asin((large - small) / distance)
    ratio = exp((pi - 2.0 * alpha) / tan(beta))
    most = pull / cos(alpha) * (ratio - 1.0) / (ratio + 1.0) * large
    world = wl.World()
    bodies = [
        world.add(RigidBody2D, name=name, position=(x, 0.0), mass=0.02, inertia=1e-5)
        for name, x in (("driver", 0.0), ("driven", distance))
    ]
    con.fix(world, bodies[0], "x", "y")
    con.fix(world, bodies[1], "y")
    slide, spin = (con.coordinate_marker(world, bodies[1], name) for name in ("x", "rotation"))
    world.add(con.CoordinateLoad, marker=slide, value=pull)
    world.add(con.CoordinateSpringDamper, marker1=slide, damping=5.0)
    drive = con.prescribe_velocity(world, bodies[0], "rotation", -speed)
    # the damper reduces the vibrations of the belt after the jump; without vibrations, the torque equals the given load
    damping = 2e-3
    world.add(con.CoordinateSpringDamper, marker1=spin, damping=damping)
    first, second = con.smooth_step(0.0, 0.006, 0.0, 0.95), con.smooth_step(0.01, 0.012, 0.0, 0.1)
    load = world.add(
        con.CoordinateLoad, marker=spin,
        function=lambda t: most * (first(t) + second(t)) - damping * 0.5 * speed * min(t / 0.006, 1.0),
    )  # fmt: skip
    wheels = [wl.Pulley(body, sheet.radius(n), teeth=n) for body, n in zip(bodies, z, strict=True)]
    given = {"friction": 0.0, "flank_angle": beta, "axial_damping": 1.0, "tooth_stiffness": 3e5}
    belt = wl.Belt(world, wheels, teeth=count, **{**sheet.columns, **given})
    with belt.preload(drive):
        state = wl.Static(world).solve()
    state = belt.run(state, speed * belt.radii[0])

    def read_twist(now: wl.State) -> float:
        a, b = (float(wl.eval_output(body, "rotation", now)) for body in bodies)
        return (b - 0.5 * a) * large / pitch

    def read_meshing(now: wl.State) -> list[int]:
        """Return, for each arc, the sum of the indices of the groove and the tooth that are in mesh in the middle of
        the arc.
        """
        assert belt.teeth is not None
        grooves, force = (wl.eval_output(belt.teeth, name, now).reshape(2, -1) for name in ("groove", "tooth_force"))
        on = [np.flatnonzero(row) for row in force]
        found = [(grooves[k, teeth] + teeth) % z[k] for k, teeth in enumerate(on)]
        return [int(np.bincount(meshing.astype(np.int64)).argmax()) for meshing in found]

    class Relieve(wl.StepHook):
        """Hook that removes the load from the driven pulley while the belt jumps."""

        time = 0.0

        def after_step(self, now: wl.State) -> None:
            if not self.time and read_twist(now) > 0.6:
                world.set(load, active=False)
                self.time = now.t

    # during the jump, all teeth touch the flanks of the driver; the belt does not touch the face of the driver,
    # although the belt is not slack
    climbed = wl.Dynamic(world, step=2e-5, end=0.0135, name="").solve(state)
    assert belt.report(climbed)["driver"].wrap_angle == 0.0 and "slack" not in capsys.readouterr().err
    before, relieve = read_meshing(state), Relieve()
    state = wl.Dynamic(world, step=2e-5, end=0.01).solve(state)
    # the belt has moved by a sixth of a turn of the driver, and teeth have climbed partly out of their grooves
    assert abs(read_twist(state)) < 0.2 and read_meshing(state) == before
    # the note before the solve recommends this step size, because teeth that jump into the next groove cause impacts
    solver = wl.Dynamic(world, step=4e-6, end=0.0195)
    state = solver.solve(state, hooks=[relieve])
    assert solver.verdict.word == "ok" and 0.012 < relieve.time < 0.019
    now = read_meshing(state)
    assert ((now[0] - before[0]) % z[0], now[1]) in ((1, before[1]), (z[0] - 1, before[1]))
    assert abs(read_twist(state) - 1.0) < 0.05
    assert np.isfinite([duty.tension for duty in belt.report(state).spans]).all()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"teeth": None}, r"the pulley driver has teeth: must have teeth="),
        ({"tooth_height": None}, r"'belt' with teeth: must have tooth_height, as in the catalogue"),
        (
            {"tension": 100.0},
            r"tension = 100 of 'belt': must be left out, because the teeth .* the belt, 70 of 0.005 m; for another",
        ),
        ({"cord_offset": 1e-3}, r"on driver: must be 0.0159155 m within 0.5 %, .* use radius = 0.0149155 m"),
        ({"teeth": 71}, r"length = 0.355 m of 'belt' is too long for the route"),
        ({"flank_angle": 2.0}, r"flank_angle = 2.0 rad in Belt: must be between 0 and 1.2"),
    ],
)
def test_what_does_not_mesh_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(wl.ModelError, match=message):
        create_drive(100.0, 0.02, **{"teeth": 70, **given})


def test_distance_of_timing_pulleys() -> None:
    """For two equal pulleys, the distance C satisfies N p (1 + e) = 2 C + z p. A belt that is too short causes an
    error.
    """
    assert_allclose(con.timing_distance(90, 0.005, (20, 20), 0.002), 0.5 * (90 * 1.002 - 20) * 0.005, rtol=1e-12)
    with pytest.raises(wl.ModelError, match="too short for pulleys"):
        con.timing_distance(40, 0.005, (20, 60))
    for teeth, words in (
        ((20.5, 20), "numbers of teeth"),
        ((2, 20), "numbers of teeth"),
        ((20, 20, 20), "must be two"),
    ):
        with pytest.raises(wl.ModelError, match=words):
            con.timing_distance(90, 0.005, teeth)  # type: ignore[arg-type]
