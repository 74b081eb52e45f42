"""The steady motion of a belt drive without time steps agrees with a time simulation that runs until it is steady."""

from __future__ import annotations

import pytest
from numpy.testing import assert_allclose

import windlass as wl
import windlass.connectors as con
import windlass.elements as el

PULLEYS = {
    "driver": ((0.0, 0.0), 0.05, "right"), "driven": ((0.4, 0.0), 0.1, "right"), "idler": ((0.18, -0.03), 0.03, "left"),
}  # fmt: skip
TENSION, EA, SPEED, TORQUE = 400.0, 4e4, 20.0, 12.0
MASS = 0.3 * TENSION / SPEED**2
INERTIA = {"driver": 1e-3, "driven": 2e-3, "idler": 1e-5}


@pytest.mark.parametrize(
    ("bending", "layer"), [pytest.param(4e-7, None, marks=pytest.mark.long), (9e-3, None), (9e-3, 2e7)]
)
def test_three_pulleys_of_unequal_radii(bending: float, layer: float | None) -> None:
    """The drive has three pulleys with ratio 2, an idler on the back of the belt and rhoA v²/T = 0.3.

    The time simulation starts from the steady motion and lasts two turns of the belt. Means are over the last turn. A
    belt with a layer starts without shear and vibrates, so its simulation lasts five turns, with means over three.

    The belt is a string, or has a bending stiffness of 2.5 % of T R² of the idler, which makes the hub load of the
    idler 1.4 % larger. A layer of 2e7 N/m² makes the speed loss 6 % larger. With default mesh and contact, the
    tolerance is 0.5 %. The measured errors without layer are 0.06 % of the speed loss, and 0.04 % of tensions and hub
    loads.
    """
    world = wl.World()
    wheels = {
        name: world.add(el.RigidBody2D, name=name, position=at, mass=1.0, inertia=INERTIA[name])
        for name, (at, _, _) in PULLEYS.items()
    }
    con.fix(world, list(wheels.values()), "x", "y")
    drive = con.prescribe_velocity(world, wheels["driver"], "rotation", -SPEED / 0.05)
    spin = con.coordinate_marker(world, wheels["driven"], "rotation")
    world.add(con.CoordinateLoad, marker=spin, value=TORQUE)
    belt = wl.Belt(
        world,
        [wl.Pulley(wheels[name], radius, side) for name, (_, radius, side) in PULLEYS.items()],
        tension=TENSION, axial_stiffness=EA, mass_per_length=MASS, bending_stiffness=bending, friction=0.5,
        axial_damping=0.8, step=5e-5, layer_stiffness=layer,
    )  # fmt: skip
    steady = belt.steady({"driver": -SPEED / 0.05}, {"driven": TORQUE})
    with belt.preload(drive):
        rest = wl.Static(world, name="").solve()
    turn = belt.length / SPEED
    first, last = (1.0, 2.0) if layer is None else (2.0, 5.0)
    means = belt.average(start=first * turn, every=4)
    solver = wl.Dynamic(world, step=5e-5, end=last * turn, method="generalized_alpha_index2", name="")
    solver.solve(belt.run(rest, steady), hooks=[means])
    report = means.report()
    assert report is not None
    losses = [1.0 - found["driven"].speed * 0.1 / (found["driver"].speed * 0.05) for found in (steady, report)]
    assert_allclose(losses[0], losses[1], rtol=5e-3)
    for name in PULLEYS:
        found, measured = steady[name], report[name]
        assert_allclose(found.tension_before, measured.tension_before, rtol=5e-3)
        assert_allclose(found.hub_force, measured.hub_force, rtol=5e-3)
    assert_allclose(steady["driven"].torque, report["driven"].torque, rtol=5e-3)


def test_ribbed_belt_of_the_catalogue() -> None:
    """A ribbed belt runs on pulleys of 77 and 30 mm, with the layer and the bending stiffness of the catalogue, and
    with default mesh and contact. The simulation agrees with the steady motion within 1 %, and the verdict is ``"ok"``.

    The loss of speed is 0.32 %, and the measured error is 0.5 % of this loss. If the shear of layers of incoming cables
    since the first contact were neglected, the error would be 3.4 %.
    """
    world, speed, torque = wl.World(), 15.0, 4.0
    crank = world.add(el.RigidBody2D, name="crank", position=(0.0, 0.0), mass=1.0, inertia=5e-3)
    alternator = world.add(el.RigidBody2D, name="alternator", position=(0.3, 0.0), mass=1.0, inertia=5e-4)
    con.fix(world, [crank, alternator], "x", "y")
    drive = con.prescribe_velocity(world, crank, "rotation", -speed / 0.075)
    world.add(con.CoordinateLoad, marker=con.coordinate_marker(world, alternator, "rotation"), value=torque)
    columns = wl.catalogue.belt("PK", ribs=6).columns
    belt = wl.Belt(
        world, [wl.Pulley(crank, 0.075), wl.Pulley(alternator, 0.028)], tension=450.0, step=5e-5,
        **{**columns, "axial_damping": 1e-5 * columns["axial_stiffness"]},
    )  # fmt: skip
    with belt.preload(drive):
        rest = wl.Static(world, name="").solve()
    steady, turn = belt.steady({"crank": -speed / 0.075}, {"alternator": torque}), belt.length / speed
    means = belt.average(start=0.8 * turn, every=4)
    solver = wl.Dynamic(
        world, step=5e-5, end=1.8 * turn, method="generalized_alpha_index2", spectral_radius=0.6, name=""
    )
    solver.solve(belt.run(rest, steady), hooks=[means])
    report = means.report()
    assert report is not None and solver.verdict.word == "ok"
    assert_allclose(report["alternator"].creep, steady["alternator"].creep, rtol=1e-2)
    assert_allclose(report["alternator"].tension_after, steady["alternator"].tension_after, rtol=2e-3)
