"""The power that a belt loses by bending at the entry and exit of pulleys is compared with the closed form."""

from __future__ import annotations

from time import process_time

import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass import connectors as con
from windlass.elements import RigidBody2D

EI, SOFT, SHARE, SPEED = 0.05, 0.002, 0.4, 100.0
RADII = {"driver": 0.05, "idler": 0.03, "driven": 0.04}


def create_drive(share: float) -> tuple[wl.World, wl.Belt, object]:
    """Create three pulleys without load. The driver turns at a given speed."""
    world = wl.World()
    places = {"driver": (0.0, 0.0), "idler": (0.12, 0.02), "driven": (0.24, 0.0)}
    bodies = {n: world.add(RigidBody2D, name=n, position=at, mass=1.0, inertia=1e-4) for n, at in places.items()}
    con.fix(world, list(bodies.values()), "x", "y")
    drive = con.prescribe_velocity(world, bodies["driver"], "rotation", lambda t: -SPEED)
    pulleys = [wl.Pulley(bodies[n], r, "left" if n == "idler" else "right") for n, r in RADII.items()]
    belt = wl.Belt(
        world, pulleys, tension=500.0, axial_stiffness=5e4, bending_stiffness=EI, mass_per_length=0.1, friction=0.5,
        bending_loss=share,
    )  # fmt: skip
    return world, belt, drive


def test_a_belt_that_runs_without_load_takes_the_power_of_its_bends() -> None:
    """The driver of a belt without load supplies the power of the bending losses, P = psi v sum EI/(2 R²).

    The power lost by creep is less than 0.1 % of the power of bending losses.
    """
    world, belt, drive = create_drive(SHARE)
    with belt.preload(drive):
        state = wl.Static(world).solve()
    state = belt.run(state, SPEED * RADII["driver"])
    ledger = wl.EnergyLedger()
    means = belt.average(start=0.02, every=1)
    wl.Dynamic(world, step=1e-4, end=0.056).solve(state, hooks=[means, ledger])
    speed = SPEED * RADII["driver"]
    power = speed * sum(SHARE * EI / (2.0 * radius**2) for radius in RADII.values())
    report = means.report()
    # after the start, idler and driven pulley oscillate on the belt at 252 Hz; the mean is over nine periods
    assert_allclose(report["driver"].power, -power, rtol=0.02)
    # the mean torque on pulleys without a load is 0, so all loss occurs in the belt
    assert abs(report["idler"].power) < 0.01 * power and abs(report["driven"].power) < 0.01 * power
    # the lost energy is power times duration, because the speeds of the pulleys differ only by creep and at the start
    assert_allclose(ledger["CoordinateSpringDamperExt.sliding"][-1], power * 0.056, rtol=5e-3)


DRIVES = {
    "three pulleys": (
        {"driver": ((0.0, 0.0), 0.05), "idler": ((0.12, 0.02), -0.03), "driven": ((0.24, 0.0), 0.04)}, 0.9, 1.0, 1e-4
    ),
    "ratio 2": ({"driver": ((0.0, 0.0), 0.03), "driven": ((0.15, 0.0), 0.06)}, 0.9, 1.0, 1e-4),
}  # fmt: skip
"""Centres and radii [m] of the pulleys, with negative radii for pulleys on the back of the belt; lost fraction of the
bending energy; load [N m] and step [s].
"""


@pytest.mark.parametrize("name", DRIVES)
def test_steady_motion_with_losses_of_bending_is_that_of_time_steps(name: str) -> None:
    """Driver torque, power, efficiency, tensions and hub loads of the steady solution agree within 0.5 % with a
    simulation in time.

    Bending losses are 7 % of the power.
    """
    places, share, torque, step = DRIVES[name]
    world = wl.World()
    bodies = {n: world.add(RigidBody2D, name=n, position=at, mass=1.0, inertia=1e-4) for n, (at, _) in places.items()}
    con.fix(world, list(bodies.values()), "x", "y")
    drive = con.prescribe_velocity(world, bodies["driver"], "rotation", -SPEED)
    world.add(con.CoordinateLoad, marker=con.coordinate_marker(world, bodies["driven"], "rotation"), value=torque)
    pulleys = [wl.Pulley(bodies[n], abs(r), "right" if r > 0.0 else "left") for n, (_, r) in places.items()]
    belt = wl.Belt(
        world, pulleys, tension=500.0, axial_stiffness=5e4, bending_stiffness=SOFT, mass_per_length=0.1, friction=0.5,
        bending_loss=share, step=step,
    )  # fmt: skip
    begin = process_time()
    steady = belt.steady({"driver": -SPEED}, {"driven": torque})
    assert process_time() - begin < 2.0
    with belt.preload(drive):
        rest = wl.Static(world, name="").solve()
    speed = SPEED * belt.radii[0]
    turn = belt.length / speed
    means = belt.average(start=0.5 * turn, every=20)
    wl.Dynamic(world, step=step, end=1.5 * turn, name="").solve(belt.run(rest, steady), hooks=[means])
    report = means.report()
    assert report is not None and not report.doubts
    # a model without bending losses would omit the power P = psi v sum EI/(2 R²)
    bending = speed * sum(share * SOFT / (2.0 * radius**2) for radius in belt.radii)
    assert_allclose(sum(pulley.bending_loss for pulley in steady.pulleys), bending, rtol=5e-3)
    assert 0.05 < bending / steady.power_in < 0.25
    given = sum(pulley.loss + pulley.bending_loss for pulley in steady.pulleys)
    assert_allclose(steady.power_in - steady.power_out, given, rtol=1e-7)
    assert_allclose((steady.power_in, steady.power_out), (report.power_in, report.power_out), rtol=5e-3)
    assert_allclose(steady.efficiency, report.efficiency, rtol=5e-3)
    assert_allclose(steady["driver"].torque, report["driver"].torque, rtol=5e-3)
    for pulley in steady.pulleys:
        measured = report[pulley.name]
        assert_allclose(pulley.tension_before, measured.tension_before, rtol=5e-3)
        assert_allclose(pulley.hub_force, measured.hub_force, rtol=5e-3)
        assert_allclose(pulley.speed, measured.speed, rtol=1e-4)


def test_what_is_refused() -> None:
    with pytest.raises(wl.ModelError, match=r"bending_loss = 1\.5 in Belt: must be between 0 and 1"):
        create_drive(1.5)
