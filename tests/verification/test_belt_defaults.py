"""Belts with nothing chosen by hand: tension as mounted, drives against theory, coarse meshes, soft contacts."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass import connectors as con
from windlass.elements import RigidBody2D

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))


def create_drive(cord: float = 0.0, **given: object) -> tuple[wl.World, wl.Belt, object]:
    """Two pulleys whose cords run on radii of 75 and 30 mm, and the constraint that turns the first."""
    world = wl.World()
    a = world.add(RigidBody2D, name="driver", position=(0.0, 0.0), mass=1.0, inertia=0.01)
    b = world.add(RigidBody2D, name="driven", position=(0.3, 0.0), mass=1.0, inertia=0.0005)
    con.fix(world, [a, b], "x", "y")
    drive = con.prescribe_velocity(world, a, "rotation", con.smooth_step(0.0, 0.02, 0.0, -60.0))
    world.add(con.CoordinateSpringDamper, marker1=con.coordinate_marker(world, b, "rotation"), damping=80 * 0.03 / 150)
    columns = {"axial_stiffness": 1e5, "bending_stiffness": 1e-5, "mass_per_length": 0.1, "axial_damping": 5.0}
    pulleys = [wl.Pulley(a, 0.075 - cord), wl.Pulley(b, 0.03 - cord)]
    more = {"tension": 350.0, "friction": 0.8, "step": 1e-4, "cord_offset": cord, **given}
    return world, wl.Belt(world, pulleys, **columns, **more), drive


def rest(world: wl.World, belt: wl.Belt, drive: object) -> wl.State:
    """The belt as mounted."""
    with belt.preload(drive):
        return wl.Static(world, name="").solve()


@pytest.mark.parametrize("cord", [0.0, 0.005])
def test_tension_is_as_mounted_for_every_step(cord: float) -> None:
    """Steps bound the contact stiffness and how far a belt sinks in, not its tension."""
    for step in (2e-5, 1e-4, 4e-4, 2e-2):
        world, belt, drive = create_drive(cord, step=step)
        report = belt.report(rest(world, belt, drive))
        assert_allclose([span.tension for span in report.spans], 350.0, rtol=2e-3)


def test_too_soft_a_contact_is_an_error() -> None:
    """Sinking in by more than 1 % of the radius is refused, with the stiffness that is needed."""
    with pytest.raises(wl.ModelError, match=r"of 'belt' at driven: .* must be >= 3.89e\+07 N/m\^2, 1 %"):
        create_drive(contact={"contact_stiffness_per_length": 2e7})


def test_coarse_mesh_is_doubtful() -> None:
    """The verdict says how many more elements; those that are chosen are enough."""
    world, belt, drive = create_drive(elements=40)
    with belt.preload(drive):
        static = wl.Static(world, name="")
        static.solve()
    assert any("times as many elements, 0.19 rad each" in reason for reason in static.verdict.reasons)
    world, belt, drive = create_drive()
    with belt.preload(drive):
        static = wl.Static(world, name="")
        static.solve()
    assert not static.verdict.reasons


@pytest.mark.parametrize("seed", [0])
def test_drive_at_random(seed: int) -> None:
    """A drive of `benchmarks/drives.py`, of those that few elements serve; its cord lies 2.7 mm above the face."""
    from drives import draw  # here, because benchmarks are no part of the package
    from drives import run as run_drive  # here, because benchmarks are no part of the package

    outcome = run_drive(draw(seed, quick=True), revolutions=3.0)
    assert not outcome.reasons and outcome.efficiency < 1.0
    assert max(abs(outcome.errors[name]) for name in ("loss", "tension", "hub")) < 0.01
