"""Tests of belts with shear: tension of the mounted belt, ends of arcs, bending moment, creep, and errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass import connectors as con
from windlass.connectors.circle_contact.belt_ends import eval_ends
from windlass.elements import Ground, RigidBody2D, RigidBody3D
from windlass.framework.errors import ModelError

from support.parallel_shear_belt import run_shear_belt
from support.processes import run_python

ROOT = Path(__file__).parents[2]
EA, EI, TENSION = 5e4, 0.3, 300.0
TOOTHED: dict[str, Any] = {
    "teeth": 130, "pitch": 0.01, "tooth_stiffness": 1e5, "tooth_height": 1e-3,
}  # fmt: skip
RADII, DISTANCE = (0.1, 0.06), 0.4


def create_drive(
    sides: tuple[str, str] = ("left", "left"), **columns: Any
) -> tuple[wl.World, list[wl.Entity], wl.Belt]:
    """Create a belt around two pulleys that can rotate."""
    world = wl.World()
    bodies = [world.add(RigidBody2D, position=(x, 0.0), mass=2.0, inertia=0.002) for x in (0.0, DISTANCE)]
    con.fix(world, bodies, "x", "y")
    given = {"bending_stiffness": EI, "tension": TENSION, **columns}
    parts = zip(bodies, RADII, sides, strict=True)
    pulleys = [wl.Pulley(body, R, side, name=f"pulley {R:g}") for body, R, side in parts]
    return world, bodies, wl.Belt(world, pulleys, axial_stiffness=EA, mass_per_length=0.1, friction=0.6, **given)


def mount(world: wl.World, belt: wl.Belt, *off: wl.Entity) -> wl.State:
    """Return the equilibrium of the mounted belt."""
    with belt.preload(*off):
        return wl.Static(world, name="").solve()


def test_ends_of_arcs_with_shear() -> None:
    """On rigid circles the shape of the belt near the ends of an arc has a closed form in m = √(F/GA). The closed form
    assumes that y' and the rotation are continuous at the end of the contact, and that the shear strain on the circle
    is -D exp(r s). For small m, the difference from belts without shear is of the order m, for any contact stiffness.
    """
    F, R = 300.0, np.array((0.1, 0.06))
    length = np.sqrt(EI / F)
    for contact in (1e6, 1e8, 1e10):
        known, found = (eval_ends(F, EI, np.array(contact), R, shear=GA) for GA in (np.inf, 3e12))
        assert_allclose(found.longer, known.longer, rtol=3e-5)
        assert_allclose(found.untouched, known.untouched, rtol=3e-5)
    for GA in (3e3, 1.5e3):
        m = np.sqrt(F / GA)
        q, h = np.sqrt((1.0 - m) / (1.0 + m)), 1.0 - m * m
        found = eval_ends(F, EI, np.array(np.inf), R, shear=GA)
        assert_allclose(found.untouched * R, q * length, rtol=1e-3)
        # contributions of the bent part of the span, of its shear strain, and of the shear strain on the circle
        known = q * q / (4.0 * np.sqrt(h)) * (1.0 - m**4 / h**2) - q**3 / 6.0
        known -= m**5 / (4.0 * h**1.5 * (1.0 + m) ** 2)
        assert_allclose(found.longer, known * length**3 / R**2, rtol=1e-6)


@pytest.mark.parametrize("GA", [1.5e3, 3e3])
def test_tension_and_moment_of_a_mounted_belt(GA: float) -> None:
    """The mounted belt has the given tension in the middle of a span within 0.15 %, with the length that follows from
    the ends of arcs with shear. With the length that follows without shear, the tension would be more than 2 % lower.
    In a span, the bending moment is proportional to exp(-p s) with p² = F (1 + F/EA - F/GA)/EI per material length; p
    is 5 % and 11 % smaller than without shear.
    """
    world, _, belt = create_drive(shear_stiffness=GA, elements=300)
    assert belt.cables.table.kind == "Beam2D" and len(belt.nodes) == 600
    state = mount(world, belt)
    _, _, cables = create_drive(elements=300)
    assert EA * (cables.length / belt.length - 1.0) > 0.02 * TENSION
    middle = 0.5 * belt.cables.length[0]
    place = wl.eval_output(belt.cables, "position", state, x=middle).reshape(-1, 3)
    moment, force = (
        wl.eval_output(belt.cables, name, state, x=middle).ravel() for name in ("bending_moment", "axial_force")
    )
    on = (place[:, 0] > 0.03) & (place[:, 0] < 0.12) & (place[:, 1] > 0.0)
    F = force[on].mean()
    assert_allclose(F, TENSION, rtol=1.5e-3)
    stretch = 1.0 + F / EA
    along = np.linalg.norm(place[on] - place[on][0], axis=1) / stretch
    found = abs(np.polyfit(along, np.log(np.abs(moment[on])), 1)[0])
    known = np.sqrt(F * (stretch - F / GA) / EI)
    assert_allclose(found, known, rtol=4e-3)
    assert np.sqrt(F * stretch / EI) > 1.05 * known


def test_stiff_shear() -> None:
    """With a large shear stiffness, tensions, wrap angles and hub loads agree with a belt of cables."""
    reports = []
    for columns in ({}, {"shear_stiffness": 1e7}):
        world, _, belt = create_drive(elements=150, **columns)
        reports.append(belt.report(mount(world, belt)))
    cables, beams = reports
    assert_allclose([s.tension for s in beams.spans], [s.tension for s in cables.spans], rtol=1e-3)
    assert_allclose([p.hub_force for p in beams.pulleys], [p.hub_force for p in cables.pulleys], rtol=1e-3)
    assert_allclose([p.wrap_angle for p in beams.pulleys], [p.wrap_angle for p in cables.pulleys], rtol=0.02)


def test_running_belt_with_shear() -> None:
    """The creep of a driven belt with shear agrees with the steady motion that is computed without time steps: the loss
    of speed of the driven pulley agrees within 0.2 %, and the tensions agree within 0.1 %.
    """
    world, bodies, belt = create_drive(
        shear_stiffness=3e3, bending_stiffness=0.02, elements=96, axial_damping=5.0, shear_damping=0.5
    )
    drive = con.prescribe_velocity(world, bodies[0], "rotation", 50.0)
    brake = world.add(con.Torque, marker=con.rigid_marker(world, bodies[1]), vector=(0.0, 0.0, -6.0), active=False)
    state = mount(world, belt, drive)
    world.set(brake, active=True)
    first, second = (pulley.name for pulley in belt.pulleys)
    steady = belt.steady({first: 50.0}, {second: -6.0})
    start = belt.run(state, 5.0)
    speed = np.linalg.norm(wl.eval_output(belt.nodes, "velocity", start), axis=1)
    assert_allclose(speed, 5.0, rtol=2e-3)
    turn = wl.eval_output(belt.nodes, "angular_velocity", start)
    assert_allclose(turn.max(), 5.0 / RADII[1], rtol=0.02)
    mean = belt.average(start=0.25, every=2)
    wl.Dynamic(world, step=2e-4, end=0.5, name="").solve(start, hooks=[mean])
    found = mean.report()
    ideal = 50.0 * RADII[0] / RADII[1]
    assert_allclose(ideal - found.pulleys[1].speed, ideal - steady.pulleys[1].speed, rtol=2e-3)
    assert_allclose([s.tension for s in found.spans], [s.tension for s in steady.spans], rtol=1e-3)
    # after a start in steady motion, transients decay in half a circulation; without this start, the speed would differ
    # by 3 %
    mean = belt.average(start=0.05, every=2)
    wl.Dynamic(world, step=2e-4, end=0.15, name="").solve(belt.run(state, steady), hooks=[mean])
    found = mean.report()
    assert_allclose(ideal - found.pulleys[1].speed, ideal - steady.pulleys[1].speed, rtol=0.01)
    assert_allclose([s.tension for s in found.spans], [s.tension for s in steady.spans], rtol=1e-3)


def test_running_crossed_belt() -> None:
    """The cross sections of a running crossed belt rotate with the pulleys, in opposite directions on both pulleys. In
    steady motion the material moves by much less than an element, so the rotations of the nodes are almost constant.
    """
    world, _, belt = create_drive(("left", "right"), shear_stiffness=1e4, elements=80)
    state = mount(world, belt)
    turn = wl.eval_output(belt.nodes, "angular_velocity", belt.run(state, 5.0))
    assert_allclose((turn.max(), turn.min()), (5.0 / RADII[0], -5.0 / RADII[1]), rtol=0.02)
    first, second = (pulley.name for pulley in belt.pulleys)
    moved = belt.run(state, belt.steady({first: 50.0}, {second: 2.0}))
    assert np.abs(np.array(moved.of(belt.nodes)) - state.of(belt.nodes))[:, 2].max() < 5e-3


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"shear_stiffness": 0.0}, "shear_stiffness = 0.0 N in Belt: must be > 0, or None"),
        ({"shear_stiffness": (1e3, 2e3)}, "shear_stiffness = .* in Belt: must be"),
        ({"shear_stiffness": 300.0}, "shear_stiffness = 300 N of 'belt': must be >= 333 N for its tension of 300 N"),
        ({"shear_stiffness": 1e4, "broken": True}, "broken"),
        ({"shear_stiffness": 1e4, "integration": 1}, "Belt has no argument 'integration'"),
        ({"shear_stiffness": 1e4, "tension": None, **TOOTHED}, "which has teeth: must be left out"),
        ({"shear_stiffness": 1e4, "axial_damping": -1.0}, "axial_damping = -1.0 N s of 'belt': must be finite"),
        ({"shear_stiffness": 1e4, "bending_damping": (1.0, 2.0)}, "bending_damping = .* in 'belt': must be a number"),
        ({"rotary_inertia": 1e-6}, r"rotary_inertia = 1e-06 kg m of Belt: must be left out, or have a shear_"),
        ({"shear_stiffness": 1e11}, r"shear_stiffness = 1e\+11 N of 'belt': must be <= 5e\+09 N, 100000 times"),
        ({"shear_stiffness": 1e4, "bending_stiffness": 0.0}, "bending_stiffness = 0.0 N m.2 in 'belt': must be > 0"),
        ({"shear_stiffness": 1e4, "torsional_stiffness": 1.0}, "torsional_stiffness .*: must be left out in 2D"),
        ({"shear_stiffness": 1e4, "coupling": 1.0}, "has no argument 'coupling'"),
        ({"shear_stiffness": 1e4, "elements": 8}, "elements = 8: the line bends .*: use more elements"),
        ({"shear_damping": 1.0}, r"shear_damping = 1 N s of 'belt': must have a shear_stiffness \[N\]"),
    ],
)
def test_errors(columns: dict[str, Any], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        create_drive(**columns)


def test_errors_of_dimensions() -> None:
    """Belts with shear need a bending stiffness, in 3D also a torsional stiffness, and 3D belts have no width."""
    world = wl.World()
    bodies = [world.add(RigidBody2D, position=(x, 0.0), mass=1.0, inertia=1.0) for x in (0.0, 1.0)]
    given: dict[str, Any] = {"axial_stiffness": EA, "mass_per_length": 0.1, "tension": 10.0, "shear_stiffness": 1e4}
    with pytest.raises(ModelError, match=r"has shear_stiffness but no bending_stiffness \[N m\^2\]"):
        wl.Belt(world, [wl.Pulley(body, 0.1) for body in bodies], **given)
    pulleys = [wl.Pulley(b, 0.1, axis=(0, 0, 1)) for b in bodies]
    given["bending_stiffness"] = 0.1
    with pytest.raises(ModelError, match=r"is 3D and has shear_stiffness but no torsional_stiffness \[N m\^2\]"):
        wl.Belt(world, pulleys, **given)
    given["torsional_stiffness"] = 0.1
    with pytest.raises(ModelError, match=r"width = 0\.01 m .* only cables with torsion have points across their width"):
        wl.Belt(world, pulleys, width=0.01, **given)
    with pytest.raises(ModelError, match=r"reference_curvature .*: must be left out in 3D"):
        wl.Belt(world, pulleys, reference_curvature=1.0, **given)


def create_drive_in_space(**columns: Any) -> tuple[wl.World, list[wl.Entity], wl.Belt]:
    """Create the belt of `create_drive` as a 3D belt, on pulleys that turn about parallel axes."""
    world, bodies = wl.World(), []
    for x in (0.0, DISTANCE):
        bodies.append(world.add(RigidBody3D, position=(x, 0.0, 0.0), mass=2.0, inertia=0.002))
        bearing = con.rigid_marker(world, world.add(Ground, position=(x, 0.0, 0.0)))
        joint = {"marker0": bearing, "marker1": con.rigid_marker(world, bodies[-1])}
        world.add(con.GenericJoint, rotations=(True, True, False), **joint)
    pulleys = [wl.Pulley(body, R, "left", axis=(0, 0, 1)) for body, R in zip(bodies, RADII, strict=True)]
    given = {"bending_stiffness": EI, "tension": TENSION, "torsional_stiffness": EI, **columns}
    return world, bodies, wl.Belt(world, pulleys, axial_stiffness=EA, mass_per_length=0.1, friction=0.6, **given)


def test_belt_with_shear_in_space() -> None:
    """A 3D belt with shear around parallel pulleys has the tensions of the 2D belt, and a torque on a pulley changes
    the tensions of its spans by T/R. The angle of the pulley differs by 2 %, because the bristles of 2D and 3D
    contact have different stiffnesses.
    """
    torque, angles = 4.0, []
    for create, kind, axis in ((create_drive, "Beam2D", "rotation"), (create_drive_in_space, "Beam3D", "rotation z")):
        world, bodies, belt = create(shear_stiffness=3e3, bending_stiffness=0.03, elements=196)
        assert belt.cables.table.kind == kind
        marks = [con.coordinate_marker(world, body, axis) for body in bodies]
        holds = [world.add(con.CoordinateConstraint, marker1=mark) for mark in marks]
        load = world.add(con.CoordinateLoad, marker=marks[1], value=0.0)
        if kind == "Beam3D":
            con.fix(world, belt.nodes[0], "z")
        with belt.preload():
            state = wl.Static(world, name="").solve()
        assert_allclose([span.tension for span in belt.report(state).spans], TENSION, rtol=6e-3)
        world.set(holds[1], active=False)
        world.set(load, value=torque)
        state = wl.Static(world, name="", load_steps=4).solve(state)
        tension = [span.tension for span in belt.report(state).spans]
        assert_allclose(abs(tension[0] - tension[1]), torque / RADII[1], rtol=2e-3)
        flat = kind == "Beam2D"
        angles.append(float(state.of(bodies[1])[0, 2] if flat else wl.eval_output(marks[1], "angle", state).item()))
    assert_allclose(angles[1], angles[0], rtol=0.03)


def test_rope_with_shear_in_space() -> None:
    """Without friction, a 3D rope with shear over a fixed pulley carries the same load at both ends. With
    ``turns_rope``, the contact law of the rope is the law for thick beams.
    """
    world = wl.World()
    body = world.add(RigidBody3D, position=(0.0, 0.0, 0.0), mass=1.0, inertia=1.0)
    con.clamp(world, body)
    rope = wl.Rope(
        world, [wl.Pulley(body, 0.1, axis=(0, 0, 1))], start=(-0.105, -0.3, 0.0), end=(0.105, -0.3, 0.0),
        axial_stiffness=EA, mass_per_length=0.01, bending_stiffness=1e-3, shear_stiffness=5e3, torsional_stiffness=1e-3,
        tension=TENSION, cord_offset=0.005, turns_rope=True,
    )  # fmt: skip
    assert rope.contacts.table.kind == "ContactFrictionSurfaceBeam3D"
    for node in (rope.nodes[0], rope.nodes[-1]):
        world.add(con.Force, marker=con.position_marker(world, node), vector=(0.0, -TENSION, 0.0))
    con.fix(world, rope.nodes[0], "y", "z")
    con.fix(world, rope.nodes[-1], "z")
    state = wl.Static(world, name="").solve()
    force = wl.eval_output(rope.contacts, "force", state).sum(axis=0)
    assert_allclose(force, (0.0, 2.0 * TENSION, 0.0), atol=1e-4 * TENSION)
    ends = wl.eval_output(rope.nodes, "position", state)[[0, -1], 0]
    assert_allclose(ends, (-0.105, 0.105), rtol=1e-2)


@pytest.mark.mpi
def test_two_processes(tmp_path: Path) -> None:
    """A drive with a belt with shear has the same states and tensions on one and two processes."""
    done = run_python([ROOT / "tests/support/parallel_shear_belt.py", tmp_path / "out.npz", "-quiet"], 2)
    assert done.returncode == 0, done.stderr
    serial, found = run_shear_belt(), np.load(tmp_path / "out.npz")
    assert np.abs(serial["end v"]).max() > 80.0
    for name, values in serial.items():
        assert_allclose(found[name], values, rtol=0, atol=1e-9 * max(np.abs(values).max(), 1e-9), err_msg=name)
