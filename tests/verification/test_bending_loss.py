"""Losses of a belt that bends onto pulleys and off them: power against the closed form."""

from __future__ import annotations

import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass import connectors as con
from windlass.elements import RigidBody2D

EI, SHARE, SPEED = 0.05, 0.4, 100.0
RADII = {"driver": 0.05, "idler": 0.03, "driven": 0.04}


def create_drive(share: float) -> tuple[wl.World, wl.Belt, object]:
    """Three pulleys without load; the driver turns at a speed."""
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
    """P = psi v sum EI/(2 R²); creep takes less than 0.1 % of it."""
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
    # the mean over nine periods in which idler and driven pulley swing on the belt since the start, at 252 Hz
    assert_allclose(report["driver"].power, -power, rtol=0.02)
    # the mean torque on pulleys without a load is 0: the loss is that of the belt
    assert abs(report["idler"].power) < 0.01 * power and abs(report["driven"].power) < 0.01 * power
    # the energy over the whole time; the speeds of the pulleys differ only by creep and at the start
    assert_allclose(ledger["CoordinateSpringDamperExt.sliding"][-1], power * 0.056, rtol=5e-3)


def test_what_is_refused() -> None:
    with pytest.raises(wl.ModelError, match=r"bending_loss = 1\.5 in Belt: must be between 0 and 1"):
        create_drive(1.5)
