"""Tests of belts and ropes that one call creates: geometry, pretension, errors, contact parameters, preload, reports
and means.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import fields, replace
from math import asin, ceil, cos, inf, isnan, nan, pi, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass import connectors as con
from windlass import elements as el
from windlass.connectors.circle_contact.mesh import choose_elements
from windlass.connectors.circle_contact.mesh_traction import describe_more
from windlass.connectors.drives.bristle_creep import ArcLaw, BeltLaw, Passing, eval_bristle_creep
from windlass.connectors.drives.contact_choice import LAYER_MODULUS, choose_contact, choose_layer, refine_for_layers
from windlass.connectors.drives.drive_means import eval_over_turns, judge_creep, judge_losses, note_start
from windlass.connectors.drives.drive_report import BoundDrive, Drive, complete
from windlass.connectors.reports.quantities import show_numbers
from windlass.elements import Ground, RigidBody2D, RigidBody3D

MATERIAL = {"axial_stiffness": 4e4, "bending_stiffness": 1e-3, "mass_per_length": 0.1}
STIFF = {"contact_stiffness_per_length": 1e9, "contact_damping_per_length": 5e3}
STIFF |= {"friction_stiffness_per_length": 1e9, "friction_velocity_penalty_per_length": 5e3}
CENTERS = {"driver": (0.0, 0.0), "idler": (0.2, 0.05), "driven": (0.4, 0.0)}
RADII = {"driver": 0.1, "idler": 0.03, "driven": 0.08}


def create_pulleys(world: wl.World, **changed: Any) -> list[wl.Pulley]:
    """Create three pulleys. The second pulley is an idler that presses on the back of the belt."""
    radii = {**RADII, **changed.get("radii", {})}
    centers = {**CENTERS, **changed.get("centers", {})}
    sides = {"driver": "right", "idler": "left", "driven": "right", **changed.get("sides", {})}
    bodies = [
        world.add(RigidBody2D, name=name, position=at, mass=1.0, inertia=0.001 if name == "idler" else 0.01)
        for name, at in centers.items()
    ]
    for body in bodies:
        con.fix(world, body, "x", "y")
    return [wl.Pulley(body, radii[name], sides[name]) for name, body in zip(centers, bodies, strict=True)]


def create_belt(world: wl.World, pulleys: list[wl.Pulley], **given: Any) -> wl.Belt:
    """Create a belt of 60 elements with the tension 400 N."""
    fit = {} if {"length", "strain", "tension"} & given.keys() else {"tension": 400.0}
    return wl.Belt(world, pulleys, **{"elements": 60, "friction": 0.5, "contact": STIFF, **MATERIAL, **fit, **given})


@pytest.mark.parametrize(
    ("changed", "given", "message"),
    [
        (
            {},
            {"length": 0.9},
            r"length = 0.9 m of 'belt' is too short for the route of .* must be >= 1\.\d+ m",
        ),
        ({}, {"length": 2.0}, r"is too long for the route of 1\.\d+ m around the pulleys"),
        ({}, {"tension": 1e4}, r"causes the strain 0.25 .* must be <= 8000 N"),
        ({}, {"strain": 0.3}, r"strain = 0.3 in Belt: must be >  ?0 and <= 0.2"),
        ({}, {"strain": 0.01, "tension": 1.0}, "must have exactly one of length="),
        ({}, {"reference_strain": -0.01}, "must be left out, because length="),
        ({}, {"bending_stiffness": -1.0}, r"bending_stiffness = -1.0 N m² of 'belt': must be finite numbers >= 0"),
        ({}, {"bending_damping": -1.0}, r"bending_damping = -1.0 N m² s of 'belt': must be finite numbers >= 0"),
        ({}, {"axial_damping": "much"}, r"axial_damping = 'much' N s of 'belt': must be finite numbers >= 0"),
        ({}, {"reference_curvature": "none"}, r"reference_curvature = 'none' of 'belt': must be numbers"),
        ({}, {"rotary_inertia": 1.0}, r"rotary_inertia = 1.0 kg m of Belt: must be left out, or have a shear_"),
        (
            {},
            {"contact": {"press": 1.0}},
            "contact of 'belt' has the column 'press': must be left out, the belt sets it",
        ),
        (
            {},
            {"contact": {"vertical_offset": 1e-3}},
            "contact of 'belt' has the column 'vertical_offset': must be left out, the belt sets it",
        ),
        ({}, {"contact": {"frction": 0.1}}, "contact of 'belt' has no column 'frction': .*friction_coefficient"),
        ({}, {"contact": {2: 0.1}}, "contact of 'belt' has no column 2: must be one of contact_damping_per_length, "),
        (
            {},
            {"contact": {"contact_stiffness_per_length": float("nan")}},
            "contact_stiffness_per_length in contact = nan N/m² of 'belt': must be finite numbers >= 0",
        ),
        ({}, {"cord_offset": -0.05}, r"cord_offset = -0.05 m at idler: must be > -0.03 m"),
        ({"radii": {"driver": -0.1}}, {}, r"radius = -0.1 m in Pulley: must be > 0"),
        ({"radii": {"driver": 0.18}}, {}, r"driver and idler overlap, .* 0.206\d+ m apart: must be > 0.21 m"),
        ({"centers": {"idler": (0.2, 0.2)}}, {}, r"idler cannot be wrapped on its side 'left': .*wrap 3\d\d deg"),
        ({"sides": {"idler": "right"}}, {}, r"idler cannot be wrapped on its side 'right'"),
        ({"centers": {"idler": (0.2, -0.07)}}, {}, r"driven cannot be wrapped on its side 'right'"),
    ],
)
def test_what_does_not_fit_is_refused(changed: dict[str, Any], given: dict[str, Any], message: str) -> None:
    """Error messages state the pulley, the wrong value and the allowed value. After an error, the world has no
    additional row.
    """
    world = wl.World()
    with pytest.raises(wl.ModelError, match=message):
        create_belt(world, create_pulleys(world, **changed), **given)
    assert not any("Cable2D" in component.__name__ for component in world.tables)


@pytest.mark.parametrize("spring", [False, True])
@pytest.mark.parametrize("gravity", [(0.0, 0.0), (0.0, -9.81)])
def test_an_arm_that_nothing_holds_is_named(
    gravity: tuple[float, float], spring: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """The arm of a tensioner can rotate freely about its pivot, because it has no spring. Without gravity, an error is
    raised before the solve. With gravity, a note is printed.
    """
    world = wl.World(gravity=gravity)
    pulleys = create_pulleys(world)
    tensioner = world.add(RigidBody2D, name="tensioner", position=(0.2, -0.2), mass=1.0, inertia=1e-3)
    arm = world.add(RigidBody2D, name="arm", position=(0.2, -0.4), mass=0.5, inertia=1e-3)
    con.fix(world, arm, "x", "y")
    ends = {
        "marker0": con.rigid_marker(world, arm, (0.0, 0.2)),
        "marker1": con.rigid_marker(world, tensioner, (0.0, 0.0)),
    }
    world.add(con.RevoluteJoint2D, **ends)
    pulleys.append(wl.Pulley(tensioner, 0.03))
    create_belt(world, pulleys)
    if spring:
        world.add(con.CoordinateSpringDamper, marker1=con.coordinate_marker(world, arm, "rotation"), stiffness=50.0)
    motion, words = wl.Dynamic, "holds tensioner and arm, which joints connect: must have a spring"
    if gravity[1] or spring:
        motion(world, step=1e-6, end=1e-6, name="").solve()
        assert (words in capsys.readouterr().err) == (not spring)
    else:
        with pytest.raises(wl.ModelError, match=words):
            motion(world, step=1e-6, end=1e-6, name="").solve()


def test_elements_for_short_arcs() -> None:
    """By default, each arc with friction has at least three cables. However, the number of cables of the belt is at
    most four times the number that the smallest pulley needs.
    """
    given = {"length": 1.0, "strain": 1.0, "radii": [0.1, 0.05]}
    assert choose_elements(**given, arcs=[0.3, 0.2]) == choose_elements(**given, arcs=[]) == 80
    assert choose_elements(**given, arcs=[0.3, 0.02]) == 150
    assert choose_elements(**given, arcs=[0.3, 0.0, 1e-4]) == 320
    numbers = []
    for friction in (0.3, 0.0):
        world = wl.World()
        wheels = [
            world.add(RigidBody2D, position=at, mass=1.0, inertia=1e-3)
            for at in ((-0.15, 0.0), (0.0, 0.039), (0.15, 0.0))
        ]
        pulleys = [
            wl.Pulley(wheels[0], 0.06),
            wl.Pulley(wheels[1], 0.05, friction=friction),
            wl.Pulley(wheels[2], 0.08),
        ]
        columns = {"axial_stiffness": 1e5, "bending_stiffness": 1e-4, "mass_per_length": 0.1}
        numbers.append(wl.Belt(world, pulleys, tension=400.0, friction=0.3, **columns).elements)
    assert numbers[0] > 2 * numbers[1]


def test_elements_for_layers() -> None:
    """The length of the cables of a belt is at most half of the decay length sqrt(EA/K) of a compliant layer. Layers
    with a stiffness above a limit are treated as rigid and need no finer mesh.
    """
    assert refine_for_layers(80, 1.0, [0.05, inf, 0.0]) == 80 and refine_for_layers(80, 1.0, [0.02, 0.05]) == 100
    assert refine_for_layers(80, 1.0, [0.008]) == 80 and refine_for_layers(80, 1.0, [0.0085]) == ceil(2.0 / 0.0085)
    # the mesh for one layer is so fine that it also resolves a stiffer layer
    assert refine_for_layers(80, 1.0, [0.003, 0.0085]) == ceil(2.0 / 0.003)

    def create(friction: float, decay: float) -> wl.Belt:
        world, layer = wl.World(), MATERIAL["axial_stiffness"] / decay**2
        return create_belt(world, create_pulleys(world), elements=None, friction=friction, layer_stiffness=layer)

    coarse = create(0.5, 0.1)
    length = coarse.route.length / coarse.elements
    fine = create(0.5, 0.9 * length)
    assert fine.elements == ceil(fine.route.length / (0.45 * length)) > 2 * coarse.elements
    assert create(0.5, 0.6 * length).elements == create(0.0, 0.9 * length).elements == coarse.elements


def test_misspelt_and_missing_arguments_are_named() -> None:
    """If an argument is misspelt, the error of each function that creates a drive suggests a correct argument. If an
    argument is missing, the error names this argument.
    """
    world = wl.World()
    pulleys = create_pulleys(world)
    body = pulleys[0].body
    belt = create_belt(world, pulleys)
    for call, message in (
        (lambda: wl.Pulley(body, 0.1, frction=0.3), r"Pulley has no argument 'frction': did you mean friction\?"),
        (lambda: wl.Pulley(body, radus=0.1), r"Pulley has no argument 'radus': did you mean radius\?"),
        (lambda: wl.Pulley(body), r"Pulley needs radius \[m\]"),
        (lambda: el.Circle((0.0, 0.0), 1.0, sde="left"), r"Circle has no argument 'sde': did you mean side\?"),
        (lambda: el.Circle((0.0, 0.0)), r"Circle needs radius \[m\], side"),
        (lambda: el.Sheave((0.0, 0.0, 0.0), radus=1.0), r"Sheave has no argument 'radus': did you mean radius\?"),
        (lambda: el.DrumLayers(radius=0.3, diametr=0.02), r"did you mean diameter\?"),
        (lambda: wl.Belt(world, pulleys, axial_stifness=1e4, mass_per_length=0.1), r"did you mean axial_stiffness\?"),
        (
            lambda: wl.Rope(world, pulleys, axial_stiffness=1e4, mass_per_length=0.1, on=0.0),
            r"con\.lay_line lays a line",
        ),
        (
            lambda: wl.Rope(world, [(0.0, 0.0), (10.0, 5.0)], axial_stiffness=1e4, mass_per_length=0.1, on=0.0),  # type: ignore[list-item]
            r"pulleys = .* must be a list of pulleys \(con\.lay_line lays a line without pulleys",
        ),
        (
            lambda: wl.Rope(world, pulleys, axial_stiffness=1e4, mass_per_length=0.1, torsion=2.0),
            r"Rope has no argument 'torsion': did you mean torsional_stiffness \[N m\^2\]\?",
        ),
        (lambda: wl.Belt(world, pulleys, mass_per_length=0.1), r"Belt needs axial_stiffness \[N\]"),
        (
            lambda: wl.Belt(world, pulleys, bending_stiffness=0.01, mass_per_length=0.1),
            r"^Belt needs axial_stiffness \[N\]$",
        ),
        (
            lambda: wl.Rope(world, pulleys, torsional_stiffness=2.0, mass_per_length=0.1),
            r"^Rope needs axial_stiffness \[N\]$",
        ),
        (lambda: belt.average(starts=0.1), r"average has no argument 'starts': did you mean start\?"),
        (lambda: belt.steady({"driver": -10.0}, torqes={}), r"steady has no argument 'torqes': did you mean torques\?"),
        (lambda: belt.draw("belt.png", stat=None), r"draw has no argument 'stat': did you mean state\?"),
        (lambda: wl.TensionerArm("idler", pivt=(0.0, 0.0), moment=abs), r"did you mean pivot\?"),
        (lambda: con.DriveSensor(belt, quantty="torque"), r"did you mean quantity\?"),
        (lambda: con.torsional_damper(world, body, inertia=1.0, frequenc=2.0), r"did you mean frequency\?"),
        (lambda: con.timing_distance(70, 0.005, (20, 40), strains=0.0), r"did you mean strain\?"),
        (lambda: con.engine_speed(-1.0, {}, ris=0.1), r"did you mean rise\?"),
        (lambda: wl.catalogue.belt("PK", rib=6), r"did you mean ribs\?"),
        (lambda: wl.Dynamic(world, stp=1e-3, end=1.0), r"Dynamic has no argument 'stp': did you mean step\?"),
        (lambda: world.add(RigidBody2D, position=(0.0, 0.0), mas=1.0), r"has no column 'mas': did you mean mass\?"),
    ):
        with pytest.raises(wl.ModelError, match=message):
            call()  # type: ignore[no-untyped-call]


def test_mistakes_are_named_before_anything_is_solved(capsys: pytest.CaptureFixture[str]) -> None:
    """Errors before the first solve name a misspelt argument, a body without support, and a value that is wrong by a
    factor of a thousand because of its unit.
    """
    world = wl.World()
    with pytest.raises(wl.ModelError, match=r"Belt has no argument 'frction': did you mean friction\?"):
        create_belt(world, create_pulleys(world), frction=0.3)
    with pytest.raises(wl.ModelError, match=r"'axial_dampin': did you mean axial_damping or "):
        create_belt(world, create_pulleys(world), axial_dampin=0.3)
    with pytest.raises(wl.ModelError, match=r"'shear_stiffnes': did you mean shear_stiffness or layer_stiffness\?"):
        create_belt(world, create_pulleys(world), shear_stiffnes=3e3)
    for joined in (False, True):
        world = wl.World()
        pulleys = create_pulleys(world)
        loose = world.add(RigidBody2D, name="tensioner", position=(0.2, -0.2), mass=1.0, inertia=1e-3)
        pulleys.append(wl.Pulley(loose, 0.03))
        spin = con.coordinate_marker(world, loose, "rotation")
        world.add(con.CoordinateSpringDamper, marker1=spin, damping=1e-3)
        if joined:
            ends = {
                "marker0": con.position_marker(world, world.add(Ground)),
                "marker1": con.position_marker(world, loose),
            }
            world.add(con.CartesianSpringDamper, **ends, stiffness=(1e5, 1e5, 0.0))
        create_belt(world, pulleys)
        motion = wl.Dynamic(world, step=1e-6, end=1e-6, name="")
        if joined:
            motion.solve()
        else:
            with pytest.raises(wl.ModelError, match="nothing but the belt 'belt' holds the body of tensioner in x and"):
                motion.solve()
    capsys.readouterr()
    for given, words in (
        ({"tension": 0.4}, "stretches the belt by 1e-05 only, .* are both given in N?"),
        ({"mass_per_length": 300.0}, "mass_per_length = 300 kg/m, .* is it given in kg/m?"),
        ({"mass_per_length": 100.0}, "mass_per_length = 100 kg/m, .* at 20 m/s: is it given in kg/m?"),
        ({"bending_stiffness": 1e3}, "bending_stiffness = 1000 N m², .* cannot lie: is it given in N m²?"),
        ({"cord_offset": 2.0}, "the cord is 2 m above driver, whose radius is 0.1 m: is cord_offset given"),
    ):
        world = wl.World()
        create_belt(world, create_pulleys(world)[::2], name="units of " + str(given), **given)
        assert re.search(words, capsys.readouterr().err)
    world = wl.World()
    centers = {name: (1e3 * x, 1e3 * y) for name, (x, y) in CENTERS.items()}
    create_belt(world, create_pulleys(world, centers=centers, radii={n: 1e3 * r for n, r in RADII.items()}))
    assert "the radius of driver is 100 m: is it given in metres?" in capsys.readouterr().err


def test_a_load_without_friction_is_noted(capsys: pytest.CaptureFixture[str]) -> None:
    """A note is printed once if a brake acts on a pulley and the belt has no friction. Belts with friction and belts
    without load have no note, even in `preload`, which removes the friction for some time.
    """
    words = (
        "note: the belt 'smooth' has no friction and transmits no torque, but a torque acts on driven: is the argument "
        "friction missing?\n"
    )
    for brake, friction, expected in ((0.2, 0.0, words), (0.2, 0.5, ""), (0.0, 0.0, "")):
        world = wl.World()
        pulleys = create_pulleys(world)
        motor = con.prescribe_velocity(world, pulleys[0].body, "rotation", con.ramp(0.0, 0.02, 0.0, -60.0))
        if brake:
            spin = con.coordinate_marker(world, pulleys[2].body, "rotation")
            world.add(con.CoordinateSpringDamper, marker1=spin, damping=brake)
        belt = create_belt(world, pulleys, friction=friction, name="smooth")
        capsys.readouterr()
        with belt.preload(motor):
            state = wl.Static(world).solve()
        wl.Dynamic(world, step=1e-6, end=1e-6, name="").solve(state)
        noted = [line for line in capsys.readouterr().err.splitlines(keepends=True) if "friction" in line]
        assert "".join(noted) == expected


def test_span_through_a_pulley_is_refused() -> None:
    """If a pulley on the back of a square belt pulls one side of the belt across another side, an error is raised."""
    world = wl.World()
    ground = world.add(Ground)
    square = ((0.0, 0.0), (1.05, 0.5), (0.0, 1.0), (1.0, 1.0), (1.0, 0.0))
    pulleys = [
        wl.Pulley(ground, 0.1, "left" if i == 1 else "right", at=at, name=f"p{i}") for i, at in enumerate(square)
    ]
    with pytest.raises(wl.ModelError, match=r"span from p3 to p4 runs through the pulley p1: .* 0.05 m .* >= 0.1 m"):
        create_belt(world, pulleys)


def test_geometry_fit_and_hub_loads() -> None:
    """For two pulleys, length, wrap angles and hub loads agree with hand calculations. A belt with a given length, a
    belt with the corresponding strain and a belt with the corresponding tension are equal.
    """
    r0, r1, d, offset = 0.1, 0.06, 0.4, 0.002
    tilt = asin((r0 - r1) / d)
    route = 2 * d * cos(tilt) + (pi + 2 * tilt) * (r0 + offset) + (pi - 2 * tilt) * (r1 + offset)
    found: list[tuple[float, float, float]] = []
    for way in ("tension", "strain", "length"):
        fit = {
            way: {"tension": 400.0, **dict(zip(("length", "strain"), found[0][:2] if found else (), strict=False))}[way]
        }
        world = wl.World()
        bodies = [world.add(RigidBody2D, position=(x, 0.0), mass=1.0, inertia=0.01) for x in (0.0, d)]
        belt = create_belt(world, [wl.Pulley(bodies[0], r0), wl.Pulley(bodies[1], r1)], cord_offset=offset, **fit)
        assert_allclose(belt.wrap_angles, [pi + 2 * tilt, pi - 2 * tilt], rtol=1e-12)
        assert_allclose(belt.span_lengths, d * cos(tilt), rtol=1e-12)
        found.append((belt.length, belt.strain, belt.tension))
        assert_allclose(belt.hub_loads, [[800 * cos(tilt), 0.0], [-800 * cos(tilt), 0.0]], rtol=1e-7, atol=1e-5)
        state = wl.State(world)
        force = wl.eval_output(belt.cables, "axial_force", state, x=np.zeros((60, 1)))
        # before a solve the strain is uniform; bending, which the computation of the pretension includes, adds 0.01 %
        # to the tension of the spans
        assert_allclose(force, 4e4 * belt.strain, rtol=1e-9)
        assert_allclose(force, 400.0, rtol=2e-4)
        assert_allclose(belt.cables.table.collect("mass_per_length") * route, 0.1 * belt.length, rtol=1e-12)
        assert_allclose(belt.length * (1.0 + belt.strain), route, rtol=1e-12)
    assert_allclose(found, [found[0]] * 3, rtol=1e-11)


def test_stretched_belt_follows_the_law_of_the_slack_one() -> None:
    """A rope is created at a strain of 5 % and then stretched further. The tension is EA (stretch - 1) and the bending
    stiffness is EI, both relative to the slack length of the rope.
    """
    world = wl.World()
    wheel = world.add(Ground, name="post")
    pulley = wl.Pulley(wheel, 1.0, "right", at=(5.0, 0.0))
    with pytest.raises(wl.ModelError, match="start"):
        wl.Rope(world, [pulley], start=(0.0,), end=(1.0, 0.0), strain=0.05, **MATERIAL)
    rope = wl.Rope(world, [pulley], start=(0.0, 1.0), end=(6.0, -2.0), strain=0.05, elements=36, **MATERIAL)
    con.hinge(world, rope.nodes[0])
    con.fix(world, rope.nodes[-1], "x")
    world.add(con.Force, marker=con.position_marker(world, rope.nodes[-1]), vector=(0.0, -2500.0, 0.0))
    with rope.preload():
        state = wl.Static(world).solve()
    tension = rope.report(state).spans[0].tension
    assert_allclose(tension, 2500.0, rtol=2e-3)
    # the first element lies in the straight span
    first = np.asarray(wl.eval_output(rope.nodes[0:2], "position", state))
    slack = rope.length / 36
    assert_allclose(np.linalg.norm(first[1] - first[0]) / slack - 1.0, tension / 4e4, rtol=1e-3)


def test_contact_is_chosen_and_explained(capsys: pytest.CaptureFixture[str]) -> None:
    """The contact stiffness is the smallest of several bounds, and the stated reason names the bound that determines
    the stiffness.

    The test contains a case for every bound.
    """
    given = {"name": "p", "tension": 400.0, "radius": 0.1, "axial_stiffness": 4e4, "mass_per_length": 0.1}
    free = choose_contact(**given, length=0.01, step=None, in_space=False)
    assert_allclose((free.stiffness, free.bristles), 100 * 4e4 / 0.01)
    assert_allclose(free.damping, 2 / 3 * sqrt(free.stiffness * 0.1))
    coarse = choose_contact(**given, length=0.08, step=None, in_space=False)
    assert_allclose(coarse.stiffness, 384 * 400 / (0.01 * 0.8**4))
    slow = choose_contact(**given, length=0.01, step=2e-4, in_space=False)
    assert_allclose(slow.stiffness, 0.1 * 9e8)
    # long steps reduce the stiffness only until the contact depth is 0.05 % of R, or 0.1 % of R for belts
    slowest = choose_contact(**given, length=0.01, step=1e-3, in_space=True)
    for closed, factor in ((False, 2000), (True, 1000)):
        slower = choose_contact(**given, length=0.01, step=1e-3, in_space=False, closed=closed)
        assert_allclose(slower.stiffness, factor * 400 / 0.01)
        period = 2.0 * pi * sqrt(0.1 / (factor * 400 / 0.01))
        assert f"steps of 0.001 s do not resolve the period of {period:.3g} s: take half" in slower.reason
    drum = choose_contact(**given, length=0.01, step=None, in_space=True)
    assert_allclose(drum.stiffness, 100 * 4e4 / 0.01)
    soft = choose_contact(**{**given, "axial_stiffness": 2e3}, length=0.01, step=None, in_space=True)
    assert_allclose(soft.stiffness, 1000 * 400 / 0.01)
    belts = [
        choose_contact(**given, length=0.01, step=step, in_space=False, closed=True, layer=layer)
        for step, layer in ((None, None), (2e-4, None), (None, 3e7), (None, 1e9))
    ]
    assert_allclose([c.stiffness for c in belts], (4000 * 400 / 0.01, 0.1 * 9e8, *2 * (4000 * 400 / 0.01,)))
    # bristles do not depend on the step; if a layer is softer than EA (1.5/l)² = 9e8 N/m², the bristles have the
    # stiffness of the layer
    assert_allclose([c.bristles for c in belts], (12 * 4e6, 12 * 4e6, 3e7, 12 * 4e6))
    assert [c.rigid for c in belts] == [True, True, False, True]
    # bristles of belts on a rigid layer have the stiffness mu EA/(0.001 R L), at most EA/l²
    for length, held in ((0.01, 0.5 * 4e4 / (1e-3 * 0.1 * 1.2)), (0.02, 4e4 / 0.02**2)):
        choice = choose_contact(
            **given, length=length, step=None, in_space=False, closed=True, friction=0.5, route=1.2
        )  # fmt: skip
        assert_allclose(choice.bristles, held)
    # the contact depth that the step requires increases the speed loss of a rope by EA/(k R²) = 4e4/(2000 * 400)
    assert "which makes its loss of speed 5.0% larger" in slowest.reason and "larger" not in free.reason
    # the stiffness of the layer is G b/h; without a width, or with the cord on the face, the layer is rigid
    assert_allclose(choose_layer(0.02, LAYER_MODULUS, 0.002), 2.4e7)
    assert choose_layer(None, LAYER_MODULUS, 0.002) is None and choose_layer(0.02, LAYER_MODULUS, 0.0) is None
    words = ("100 EA/R^2", "384 T/", "steps of 0.0002 s", "100 EA/R^2", "T/(0.001", "the circle grows")
    for choice, word in zip((free, coarse, slow, drum, soft, belts[0]), words, strict=True):
        assert word in choice.reason and "sinks in by" in choice.reason
    world = wl.World()
    belt = create_belt(world, create_pulleys(world), contact="auto")
    assert belt.reasoning in capsys.readouterr().out
    smallest = belt.contacts.table.collect("contact_stiffness_per_length")[60]
    assert f"k = {smallest:.3g} N/m^2" in belt.reasoning.splitlines()[2]


def test_drive_on_both_sides(tmp_path: Path) -> None:
    """At rest, the forces balance and no energy is lost. In motion, the torque is (T1 - T2) R, and the power agrees
    with the energy ledger.
    """
    world = wl.World()
    pulleys = create_pulleys(world)
    drive = con.prescribe_velocity(world, pulleys[0].body, "rotation", con.ramp(0.0, 0.004, 0.0, -20.0))
    spin = con.coordinate_marker(world, pulleys[2].body, "rotation")
    world.add(con.CoordinateSpringDamper, marker1=spin, damping=0.5)
    belt = create_belt(world, pulleys, cord_offset=(0.002, 0.001))
    with belt.preload(drive):
        assert not belt.contacts.table.collect("friction_coefficient").any()
        rest = wl.Static(world).solve()
    assert_allclose(belt.contacts.table.collect("friction_coefficient"), 0.5)
    report = belt.report(rest)
    # the sum of the hub loads in x is the force of the constraint that fixes one node in x; this force is a
    # discretisation error, which is small compared with 800 N
    force = np.sum([duty.hub_load for duty in report.pulleys], axis=0)
    assert abs(force[0]) < 4.0 and abs(force[1]) < 1e-5
    for duty, wrap in zip(report.pulleys, belt.wrap_angles, strict=True):
        assert_allclose(duty.hub_force, 2 * duty.tension_after * np.sin(wrap / 2), rtol=0.01)
        share = RADII[duty.name] / (RADII[duty.name] + (0.001 if duty.name == "idler" else 0.002))
        assert abs(duty.wrap_angle - wrap) < 0.06
        assert_allclose(duty.friction_limit, 0.5 * share * duty.wrap_angle, rtol=1e-12)
        assert duty.torque == 0.0 and duty.slip_reserve > 0.95
    assert_allclose([s.tension for s in report.spans], 400.0, rtol=0.01)
    string = [sqrt(s.tension / belt.mass_per_length) / (2 * s.length) for s in report.spans]
    assert_allclose([s.string_frequency for s in report.spans], string, rtol=1e-12)
    means = belt.average(0.004, 1)
    state = wl.Dynamic(world, step=1e-4, end=0.008, name="").solve(rest, hooks=[means])
    report, mean = belt.report(state), means.report()
    assert mean is not None and mean.time == pytest.approx(0.008)
    assert mean.duration == pytest.approx(0.004, abs=1.01e-4)
    driver, idler, driven = report.pulleys
    assert_allclose(report.belt_speed, np.mean([duty.belt_speed for duty in report.pulleys]), rtol=1e-12)
    assert driver.power < 0 < driven.power and driver.creep == 0.0 and report["driven"] is driven
    assert idler.speed > 0 > driven.speed and report.efficiency > 0
    assert driver.tension_before > driver.tension_after
    load = -float(np.ravel(wl.eval_output(drive, "force", state))[0])
    assert np.sign(driver.torque) == -np.sign(load) or load == 0.0
    low, high = sorted((driver.tension_before, driver.tension_after))
    rho = belt.mass_per_length * driver.belt_speed**2
    assert_allclose(driver.log_ratio, np.log((high - rho) / (low - rho)), rtol=1e-12)
    limit = 0.5 * 0.1 / 0.102 * driver.wrap_angle
    assert_allclose(driver.slip_reserve, 1 - driver.log_ratio / limit, rtol=1e-12)
    # cables of 15 mm on a radius of 0.102 m are too coarse for bristles with mu_k = k, and the report gives advice
    l, EA = (float(belt.cables.table.collect(name)[0]) for name in ("length", "axial_stiffness"))
    mu_k = belt.contacts.table.collect("friction_stiffness_per_length")[0]
    limit = 0.5 * (low - rho) / 0.102
    bend = l**3 / (384 * 0.102**2) / (1 + l**2 * mu_k / (12 * EA))
    assert_allclose(driver.mesh_traction, mu_k * bend / limit, rtol=1e-12)
    text = report.format()
    words = f"driver: the mesh makes tractions of {driver.mesh_traction:.2g} times the limit of friction"
    assert words in text and len(report.advice) == 3
    assert "slip reserve" in text and "span idler–driven" in text and "efficiency" in text
    over_time = mean.format().partition("over time")[2]
    assert "driver.slip reserve" in over_time and "efficiency" not in over_time
    assert [describe_more(factor) for factor in (1.0001, 1.04, 1.74)] == [
        "1 % more cables", "4 % more cables", "1.7 times as many cables",
    ]  # fmt: skip
    # the sums of a hook that is restored from a checkpoint are equal to the sums of the original hook
    again = belt.average(0.004, 1)
    again.restore(means.checkpoint(), state)
    assert again.report() == mean
    assert belt.draw(tmp_path / "belt.png", state).stat().st_size > 20_000


def test_records_within_compiled_steps_are_those_of_outputs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that computes means uses compiled steps. The records of compiled code equal the records that Python code
    evaluates from output variables.
    """
    world = wl.World()
    pulleys = create_pulleys(world)
    drive = con.prescribe_velocity(world, pulleys[0].body, "rotation", con.ramp(0.0, 0.004, 0.0, -20.0))
    spin = con.coordinate_marker(world, pulleys[2].body, "rotation")
    world.add(con.CoordinateSpringDamper, marker1=spin, damping=0.5)
    belt = create_belt(world, pulleys, cord_offset=(0.002, 0.001), contact={})
    with belt.preload(drive):
        rest = wl.Static(world).solve()
    evaluated = list[float]()
    evaluate = BoundDrive.eval_numbers

    def count(bound: BoundDrive, values: Any) -> Any:
        evaluated.append(values.t)
        return evaluate(bound, values)

    monkeypatch.setattr(BoundDrive, "eval_numbers", count)
    compiled, by_python = belt.average(every=3), belt.average(every=3, sensors=[wl.Sensor(pulleys[2].body, "rotation")])
    solver = wl.Dynamic(world, step=1e-4, end=0.01)
    state = solver.solve(rest, hooks=[compiled])
    assert len(evaluated) < 0.6 * len(compiled.times) and len(compiled.times) > solver.statistics.steps // 3
    monkeypatch.setattr(BoundDrive, "_is_direct", lambda bound: False)
    again = solver.solve(rest, hooks=[by_python])
    assert (again.q == state.q).all()
    assert (by_python.steps == compiled.steps).all() and (by_python.times == compiled.times).all()
    values, others = (np.array([means[name] for name in compiled.names]) for means in (compiled, by_python))
    scale = np.nanmax(np.abs(others), axis=1, initial=1e-9, keepdims=True)
    assert_allclose(values / scale, others / scale, rtol=0, atol=1e-10)
    first, second = compiled.report(), by_python.report()
    assert first is not None and second is not None and first.turn == pytest.approx(second.turn, rel=1e-10)
    assert first.power_in == pytest.approx(second.power_in, rel=1e-12)


def stretch(belt: wl.Belt, rest: wl.State, time: float, *strains: float) -> wl.State:
    """Return a state of the belt at rest with an additional uniform strain in each free span."""
    wraps = belt.route.wraps
    spans = [(a.s_exit % belt.route.length, b.s_entry) for a, b in zip(wraps, [*wraps[1:], wraps[0]], strict=True)]
    moved = np.cumsum(np.ravel([(0.0, e * (b - a)) for (a, b), e in zip(spans, strains, strict=True)]))
    s = belt.route.length / belt.elements * np.arange(belt.elements)
    strain = sum(((s >= a) & (s <= b)) * e for (a, b), e in zip(spans, strains, strict=True))
    tangent = belt.route.eval_points(s)[1]
    slide = np.interp(s, np.ravel(spans), moved)
    state = rest.copy()
    state.put(belt.nodes, rest.of(belt.nodes) + np.hstack((slide[:, None] * tangent, strain[:, None] * tangent)))
    state.t = time
    return state


def test_means_are_those_of_tensions_and_the_worst_instants_are_kept(tmp_path: Path) -> None:
    """The tensions oscillate by 150 N in both directions, and one span is slack at one instant.

    The slip reserve for the mean tensions is 1, although the reserve at some instants is below 0.5. One instant with a
    slack span does not change the mean reserve, but determines the smallest reserve and its time.
    """
    world = wl.World()
    places = {"a": (0.0, 0.0), "b": (0.4, 0.0)}
    bodies = [world.add(RigidBody2D, name=n, position=x, mass=1.0, inertia=0.01) for n, x in places.items()]
    for body in bodies:
        con.fix(world, body, "x", "y")
    belt = create_belt(world, [wl.Pulley(body, 0.08) for body in bodies], axial_stiffness=4e6, elements=200)
    with belt.preload():
        rest = wl.Static(world).solve()
    e, table = 150.0 / 4e6, tmp_path / "drive.csv"
    with belt.average(1.0, 1, table, [wl.Sensor(bodies[0], "rotation", name="angle of a")]) as means:
        for k, both in enumerate(((0.0, 0.0), (0.0, 0.0), (e, -e), (-e, e), (0.0, 0.0))):
            means.record(stretch(belt, rest, float(k), *both))
        assert means.times.tolist() == [1.0, 2.0, 3.0, 4.0]
        even = means.report()
        assert even is not None and even.duration == 3.0
        before, after = means["a.tension_before"], means["a.tension_after"]
        # the cables at both ends of a span touch a pulley and have only part of the strain of the span
        swing = np.array([[-150.0] * 2, [150.0] * 2])
        assert_allclose(np.sort((before[1:3], after[1:3]), axis=0), before[0] + swing, rtol=0.01)
        duty = even["a"]
        assert_allclose(duty.tension_before, (before[:-1] + before[1:]).mean() / 2.0, rtol=1e-12)
        worst = 1.0 - abs(np.log(after / before)) / means["a.friction_limit"]
        assert_allclose(means["a.slip_reserve"], worst, rtol=1e-12)
        assert worst[1:3].max() < 0.52 and duty.slip_reserve > 0.99
        found = even.extremes["a.slip_reserve"]
        assert_allclose(
            (found.mean, found.minimum, found.maximum), (duty.slip_reserve, worst.min(), worst.max()), 1e-14
        )
        assert found.time_of_minimum == means.times[worst.argmin()]
        means.record(stretch(belt, rest, 5.0, -1.2 * before[0] / 4e6, 0.0))
        report = means.report()
    assert report is not None and np.isfinite(report["a"].slip_reserve) and report["a"].slip_reserve > 0.5
    assert report.extremes["a.slip_reserve"].minimum == -np.inf
    assert report.extremes["a.slip_reserve"].time_of_minimum == 5.0
    span = report.extremes["span a–b.tension"]
    assert span.minimum < 0.0 and span.time_of_minimum == 5.0 and span.unit == "N"
    tension = means["span a-b.tension"]
    assert_allclose(span.mean, (tension[:-1] + tension[1:]).mean() / 2.0, rtol=1e-12)
    text = report.format()
    assert "mean from 1 s to 5 s" in text
    assert "slack" in text and "nan" not in text and "angle of a [rad]" in text
    head = table.read_text().splitlines()
    assert "a.slip_reserve [1]" in head[0] and "angle of a [rad]" in head[0] and len(head) == 6
    with pytest.raises(wl.ModelError, match=r"the means have no quantity 'a\.reserve'"):
        means["a.reserve"]
    some = wl.Sensors(None, [con.DriveSensor(belt, ("hub_force", "tension", "efficiency"))])
    some.record(rest)
    assert some["belt"].shape == (1, 5)
    assert_allclose(some["belt"][0, :2], [duty.hub_force for duty in belt.report(rest).pulleys], rtol=1e-12)
    with pytest.raises(wl.ModelError, match="quantity = 'reserve' of DriveSensor: must be one of speed"):
        con.DriveSensor(belt, "reserve")


@pytest.mark.parametrize("push", [0.0, 15.0])
def test_pulleys_that_take_more_than_they_give_are_doubtful(push: float, tmp_path: Path) -> None:
    """If a belt starts with equal tensions, a part of the power of the load comes from the energy that the belt has
    stored, and the result is not doubtful. If an additional force of 15 N pushes a node of the belt at 20 m/s, this
    power is not supplied by a pulley, and the result is doubtful.
    """
    world, speed = wl.World(), 20.0
    places = {"driver": (0.0, 0.0), "driven": (0.18, 0.0)}
    bodies = [world.add(RigidBody2D, name=n, position=x, mass=1.0, inertia=2e-3) for n, x in places.items()]
    con.fix(world, bodies, "x", "y")
    drive = con.prescribe_velocity(world, bodies[0], "rotation", -speed / 0.05)
    world.add(con.CoordinateLoad, marker=con.coordinate_marker(world, bodies[1], "rotation"), value=7.0)
    belt = wl.Belt(
        world, [wl.Pulley(body, R) for body, R in zip(bodies, (0.05, 0.035), strict=True)], tension=300.0,
        axial_stiffness=1.5e4, mass_per_length=0.1, bending_stiffness=1e-5, friction=0.5, step=1e-4,
    )  # fmt: skip
    # the force acts on a node at the beginning of a span, and the node does not reach the end of the span during the
    # run
    begin = belt.route.wraps[0].s_exit / belt.route.length
    node = belt.nodes[int((begin + 0.05) * belt.elements) % belt.elements]
    along = np.asarray(node.slope).ravel()
    force = world.add(con.Force, marker=con.position_marker(world, node), vector=(*push * along, 0.0))
    with belt.preload(drive, force):
        state = wl.Static(world, name="").solve()
    means, rare = belt.average(every=1, path=tmp_path / "drive.csv"), belt.average(every=8)
    solver = wl.Dynamic(world, step=1e-4, end=3e-3, name="")
    solver.solve(belt.run(state, speed), hooks=[means, rare])
    report, other = means.report(), rare.report()
    assert report is not None and report.efficiency > 1.05
    # means of speeds, torques and powers include all steps, for any interval between records
    assert other is not None and len(rare.times) < len(means.times) / 5
    for duty, same in zip(report.pulleys, other.pulleys, strict=True):
        found, expected = ((x.speed, x.torque, x.power) for x in (same, duty))
        assert_allclose(found, expected, rtol=1e-12)
        sampled = means[f"{duty.name}.power"]
        assert_allclose(
            duty.power, np.diff(means.times) @ (sampled[:-1] + sampled[1:]) / 2.0 / report.duration, rtol=1e-9
        )
    assert_allclose(other.efficiency, report.efficiency, rtol=1e-12)
    stored = means["stored_energy"]
    # the energies per length of the slack belt are N²/(2 EA) and rhoA v²/2
    assert_allclose(stored[0], belt.length * (300.0**2 / 3e4 + 0.1 / 2.0 * speed**2), rtol=2e-3)
    assert push or stored[-1] < stored[0] - 0.05
    if not push:
        assert not report.doubts and not solver.verdict.reasons
        return
    (words,) = report.doubts
    assert words in solver.verdict.reasons and f"doubtful: {words}" in report.format()
    assert re.search(r"take .* W and give .* W .* efficiency of .* stored energy .* J, .*; take a smaller step", words)


NEAR_SLIP = 167.4
"""Difference of the tensions [N] at which the slip reserve in `create_means` is 0.01."""


def create_means(change: float, wrap: float = 1.2, cable: float = 0.01, **law: float) -> wl.DriveReport:
    """Return means of a belt with the axial stiffness 1e5 N and the mean tension 300 N on two pulleys with the radius
    50 mm.

    The argument ``change`` is the difference of the tensions of both spans [N]. The speed loss is a fifth larger than
    the loss with a rigid layer.
    """
    arc = ArcLaw(**{"radius": 0.05, "friction": 0.5, "bristles": 3.2e8, "layer": inf, **law})
    low, high, speed = 300.0 - 0.5 * change, 300.0 + 0.5 * change, 200.0 * (1.0 - 1.2e-5 * change)
    same = dict.fromkeys([entry.name for entry in fields(wl.PulleyDuty)], nan)
    same |= {"belt_speed": 10.0, "wrap_angle": wrap, "friction_limit": 0.5 * wrap, "hub_load": (0.0, 0.0)}
    names = ("name", "speed", "tension_before", "tension_after", "power")
    both = (("a", 200.0, high, low, -10.0 * change), ("b", speed, low, high, 10.0 * change))
    pulleys = tuple(wl.PulleyDuty(**{**same, **dict(zip(names, own, strict=True))}) for own in both)
    belt = Drive("belt", wl.World(), (), True, *(None,) * 3, [0.05, 0.05], [], 0.1, [], [], None, [], None, [inf] * 2)
    return complete(wl.DriveReport("belt", 1.0, 1.0, pulleys, (), law=BeltLaw(1e5, 1e-3, 0.1, cable, (arc, arc))), belt)


def test_short_arcs_make_losses_of_speed_doubtful() -> None:
    """Short arcs of contact make speed losses doubtful only if two conditions are met. First, the belt is loaded, so
    that it creeps. Second, the elastic layer of the belt is not the main cause of the loss.
    """
    loaded = create_means(120.0)
    (words,) = judge_creep(loaded)
    assert re.search(r"add 33 % .* arc of a, 1.2 rad, .* b loses 0.144 % .* and 0.1196 % on a rigid layer", words)
    # the loss is 1 minus the ratio of EA + N at the slack entry to EA + N at the tight entry; the bending of the belt
    # reduces both axial forces by EI/(2R²) = 0.2 N
    assert_allclose(loaded["b"].rigid_creep, 1.0 - 100239.8 / 100359.8, rtol=1e-9)
    assert loaded["a"].rigid_creep == 0.0
    assert not judge_creep(create_means(0.1)) and not judge_creep(create_means(0.0))
    assert not judge_creep(create_means(120.0, wrap=3.1))
    # with this difference between the tensions, the belt slips on the whole arc
    assert not judge_creep(create_means(260.0))
    assert not judge_creep(create_means(120.0, cable=0.0, bristles=1e6, layer=1.0 / (1.0 / 1e6 - 1.0 / 3.2e8)))
    (words,) = judge_creep(create_means(120.0, bristles=1.0 / (1.0 / 3.2e8 + 1.0 / 6.4e8), layer=6.4e8))
    assert "on the layer alone" in words
    # the bristles have the stiffness of the layer of the belt, and few cables touch the pulley
    (words,) = judge_creep(create_means(120.0, cable=0.013, bristles=1.7e8, layer=1.7e8))
    assert re.search(
        r"mesh and contact change .* take more elements, as cables of 0.013 m are long for this arc", words
    )
    assert not judge_creep(replace(loaded, law=None))
    # the speed of the second pulley shows that this pulley still accelerates
    late = replace(loaded, pulleys=(loaded["a"], replace(loaded["b"], creep=0.07)))
    assert not judge_creep(late)


def test_cables_that_are_long_for_a_layer_make_losses_of_speed_doubtful() -> None:
    """If a layer causes more than 1 % of the speed loss, cables that are longer than half of the decay length
    sqrt(EA/K) of the layer make the loss doubtful.
    """

    def judge(
        cable: float, layer: float, wrap: float = 1.2, change: float = 120.0, contact: float = inf
    ) -> tuple[str, ...]:
        means = create_means(change, wrap=wrap, cable=cable, bristles=layer, layer=layer, contact=contact)
        law = means.law
        assert law is not None
        ends = [(duty.tension_before, duty.tension_after) for duty in means.pulleys]
        passings = [Passing(law.arcs[0], wrap, *tensions) for tensions in ends]
        right = eval_bristle_creep(law, passings, 0, means.belt_speed).right
        pulleys = tuple(replace(duty, creep=float(loss)) for duty, loss in zip(means.pulleys, right, strict=True))
        return judge_creep(replace(means, pulleys=pulleys))

    # the decay length is 10 mm, and the arc has a length of 60 mm
    (words,) = judge(6e-3, 1e9)
    assert re.search(
        r"cables of 0.006 m are long for the layer of belt, .* on [ab] decays over 0.01 m: .* 1.2 times", words
    )
    assert not judge(5e-3, 1e9)
    # the layer causes less than 1 % of the loss of speed
    assert not judge(6e-3, 1e9, wrap=3.1)
    # for a very soft layer, the speed loss is 2 % too large with six cables on the arc, and 0.5 % too large with twelve
    # cables
    (words,) = judge(0.01, 1e6, change=10.0)
    assert "mesh and contact change the loss of speed of belt by 1.9 %" in words and "take more elements" in words
    assert judge(0.06 / 11.4, 1e6, change=10.0) and not judge(0.06 / 12.0, 1e6, change=10.0)
    # a belt with a soft contact also touches the pulley beyond the arc, in this case by 0.6 mm at each end
    (words,) = judge(0.06 / 30.0, 1e6, change=10.0, contact=2e8)
    assert re.search(
        r"mesh and contact change .* by \d.\d* %, .* take a stiffer contact, as the belt touches beyond", words
    )
    assert not judge(0.06 / 30.0, 1e6, change=10.0, contact=1e12)
    # the errors of mesh and contact are 1.9 % each, and cancel each other
    (words,) = judge(0.01, 1e6, change=10.0, contact=3.2e8)
    assert "mesh and contact change the loss of speed of belt by 1.9 %" in words and "take more elements" in words


def test_bristles_that_slip_on_the_whole_arc_have_no_loss_of_speed() -> None:
    """The arc on which bristles act is shorter than the arc of contact by a fraction of a cable. With a slip reserve of
    1 % and four cables on the arc, the bristles slip on the whole arc, and no verdict on the speed loss is given. With
    twelve cables on the arc, the speed loss is judged.
    """
    found = {}
    for cable in (0.005, 0.015):
        near = create_means(NEAR_SLIP, cable=cable)
        law = near.law
        assert law is not None and 1.2 * 0.05 / cable == pytest.approx(12.0 if cable == 0.005 else 4.0)
        assert_allclose([duty.slip_reserve for duty in near.pulleys], 0.01, atol=1e-3)
        passings = [
            Passing(law.arcs[0], duty.wrap_angle, duty.tension_before, duty.tension_after) for duty in near.pulleys
        ]
        found[cable] = eval_bristle_creep(law, passings, 0, near.belt_speed)
    assert np.isnan(found[0.015].loss).all() and np.isfinite(found[0.015].right).all()
    assert 0.01 < found[0.005].loss[1] < 0.03
    pulleys = tuple(
        replace(duty, creep=float(loss)) for duty, loss in zip(near.pulleys, found[0.005].loss, strict=True)
    )
    assert not judge_creep(replace(near, pulleys=pulleys))
    (words,) = judge_creep(replace(create_means(NEAR_SLIP, cable=0.005), pulleys=pulleys))
    assert "b loses 2.304 % in these means" in words


def test_means_before_one_turn_of_the_belt_say_so() -> None:
    """Means over less than one revolution of the belt cause a note if the speed losses differ by more than 10 % from
    steady motion.

    The time of one revolution is the length of the belt divided by its speed.
    """
    world = wl.World()
    belt = create_belt(world, create_pulleys(world))
    report = belt.report(wl.State(world))
    assert isnan(report.turn)
    moving = complete(
        replace(report, pulleys=tuple(replace(duty, belt_speed=5.0, wrap_angle=2.0) for duty in report.pulleys)),
        belt.drive,
    )

    def note(*losses: tuple[float, float]) -> tuple[str, ...]:
        pulleys = [
            replace(duty, creep=creep, rigid_creep=rigid, slip_reserve=0.5)
            for duty, (creep, rigid) in zip(moving.pulleys, losses, strict=True)
        ]
        return note_start(replace(moving, pulleys=tuple(pulleys)))

    assert not note((0.0, 0.0), (1.95e-3, 2e-3), (1.1e-3, 1e-3)) and not note((0.0, 0.0), (nan, nan), (nan, nan))
    (words,) = note((0.0, 0.0), (1.2e-3, 2e-3), (1e-3, 1e-3))
    assert "a loss of 0.12 % in these means, 0.2 % in theory" in words
    drive = belt.drive
    turn = (sum(drive.span_lengths) + 2.0 * sum(drive.radii)) / 5.0
    assert words.endswith(f"passed all pulleys once, which takes {turn:.3g} s: begin the means after this time")


def test_extremes_of_the_efficiency_are_those_of_turns() -> None:
    """The powers oscillate by 8 times their mean value, because the belt stores and releases energy.

    The efficiency is computed from the energies in whole revolutions, so its smallest and largest values are 0.95.
    """
    times = np.linspace(0.0, 1.0, 2001)
    rattle, stored = np.sin(2.0 * pi * 37.0 * times), 3.0 * np.sin(2.0 * pi * 3.1 * times)
    energies = np.stack((-100.0 * times - stored - 4.0 * rattle, 95.0 * times), axis=1)
    single = np.diff(energies, axis=0)
    assert (-single[:, 1] / single[:, 0]).max() > 5.0
    found = eval_over_turns(times, energies, stored, 0.25)
    begun = times > 0.25
    assert np.isnan(found["efficiency"][times < 0.2499]).all()
    # the energy in a revolution contains the oscillation only at the start and at the end of the revolution
    assert_allclose(found["efficiency"][begun], 0.95, atol=0.35)
    even = eval_over_turns(times, energies + np.stack((4.0 * rattle, 0.0 * rattle), axis=1), stored, 0.25)
    assert_allclose(even["efficiency"][begun], 0.95, rtol=1e-12)
    assert_allclose(even["power_out"][begun], 95.0, rtol=1e-12)
    for turn in (1.5, nan):
        assert all(np.isnan(values).all() for values in eval_over_turns(times, energies, stored, turn).values())


def test_numbers_that_are_noise_are_not_shown() -> None:
    """All numbers of a column have the same number of decimals, which is determined by the largest number. Zeros have
    no minus sign.
    """
    assert show_numbers([-20.123456, 1e-4, -1e-4, nan, inf]) == ["-20.123", "0", "0", "-", "slack"]
    assert show_numbers([0.0, -0.0]) == ["0", "0"]
    assert show_numbers([0.4999e-3, 0.0012345]) == ["0.0004999", "0.0012345"]
    assert show_numbers([2e-12, 1.23456e-11]) == ["2e-12", "1.2346e-11"]
    assert show_numbers([1234567.0, 12.0], 4) == ["1234567", "12"] and show_numbers([123.4, 12.0], 3) == ["123", "12"]


def test_power_lost_otherwise_than_by_creep_is_doubtful() -> None:
    """The result is doubtful if more than 1 % of the supplied power is neither lost by creep nor stored in the belt.

    Without load the result is not doubtful.
    """
    spans = tuple(wl.SpanDuty(name, 0.2, tension, 0.0, nan) for name, tension in (("a–b", 240.0), ("b–a", 360.0)))
    loaded = replace(create_means(120.0, bristles=inf), spans=spans)
    flow = 10.0 / (1.0 + 300.0 / 1e5)
    creep = 2.0 * flow * (1e5 - 0.1 * flow**2) * 120.0**2 / (2.0 * 1e5**2)
    assert loaded.power_in == 1200.0 and creep == pytest.approx(1.44, rel=0.01)

    def judge(lost: float, stored: float = 0.0, **changed: Any) -> tuple[str, ...]:
        return judge_losses(replace(loaded, power_out=1200.0 - creep - lost, **changed), stored)

    assert not judge(0.0) and not judge(11.9) and not judge(24.0, stored=12.1)
    (words,) = judge(24.0)
    assert re.search(r"give 1200 W, of which 24 W, 2 %, .* by creep, 1.44 W: .* take 1.6 times as many elements", words)
    assert judge(11.9, stored=-0.2)
    assert not judge(700.0) and not judge(24.0, law=None)
    # shear of bristles or of a soft layer dissipates additional power
    sheared = replace(create_means(120.0), spans=spans)
    (words,) = judge_losses(replace(sheared, power_out=1170.0), 0.0)
    assert "28.1 W, 2.3 %, are lost otherwise than by creep, 1.91 W" in words
    assert not judge_losses(replace(sheared, power_out=1198.1), 0.0)
    # in these three cases, the belt slips on a whole arc, slips on the part of an arc on which the bristles of four
    # cables act, or is slack
    for slips in (create_means(260.0), create_means(NEAR_SLIP, cable=0.015), create_means(620.0)):
        power = 10.0 * (slips["a"].tension_before - slips["a"].tension_after)
        judged = replace(slips, spans=spans, power_in=power, power_out=0.97 * power)
        assert not judge_losses(judged, 0.0)
        rigid = create_means(10.0, bristles=inf).law
        assert judge_losses(replace(judged, law=rigid), 0.0)


def test_the_wedge_of_a_groove_multiplies_friction() -> None:
    """Ribs with a wedge angle of 40 degrees increase the friction coefficient to mu/sin(20°), both in the contact law
    and in the friction limit by Euler and Eytelwein.
    """
    world = wl.World()
    pulleys = create_pulleys(world)
    pulleys[0] = wl.Pulley(pulleys[0].body, 0.1, groove_angle=np.radians(40.0), friction=0.3)
    belt = create_belt(world, pulleys)
    of_pulley = belt.contacts.table.collect("friction_coefficient")[:: len(belt.cables)]
    assert_allclose(of_pulley, [0.3 / np.sin(np.radians(20.0)), 0.5, 0.5], rtol=1e-12)
    duty = belt.report(wl.State(world))["driver"]
    assert_allclose(duty.friction_limit, of_pulley[0] * duty.wrap_angle, rtol=1e-12)
    with pytest.raises(wl.ModelError, match=r"groove_angle = 40.0 rad in Pulley: must be"):
        wl.Pulley(pulleys[1].body, 0.1, groove_angle=40.0)


def test_tables_of_modes_name_spans_also_after_a_later_solve() -> None:
    """The lowest mode of a string between two fixed pulleys is in one span, and the table names the span. A dynamic
    solve before the table is printed does not change this name.
    """
    tables = []
    for later in (False, True):
        world = wl.World()
        places = {"a": (0.0, 0.0), "b": (0.6, 0.0)}
        radii = {"a": 0.04, "b": 0.06}
        bodies = [world.add(RigidBody2D, name=n, position=x, mass=1.0, inertia=0.01) for n, x in places.items()]
        for body in bodies:
            con.fix(world, body, "x", "y", "rotation")
        belt = create_belt(world, [wl.Pulley(body, radii[body.name]) for body in bodies], axial_stiffness=1e5)
        with belt.preload():
            rest = wl.Static(world).solve()
            modes = wl.Modes(world, count=3).solve(rest)
        if later:
            wl.Dynamic(world, step=1e-5, end=2e-5, name="").solve(rest)
        shares = modes.energy_share()
        lowest = int(np.flatnonzero(modes.frequencies > 1.0)[0])
        spans = [shares["span a–b"][lowest], shares["span b–a"][lowest]]
        assert sum(spans) > 0.95, modes.table()
        assert_allclose(sum(share[lowest] for share in shares.values()), 1.0, rtol=1e-9)
        tables.append(modes.table())
    assert tables[0] == tables[1] and "% span a–b" in tables[0]


def test_lengths_of_spans_are_those_between_moved_pulleys() -> None:
    """The lengths of spans in a report equal the lengths of the spans of a belt or rope that is mounted around pulleys
    at the current places.
    """
    for at in (0.03, 0.08):
        world, moved = wl.World(), wl.World()
        belt = create_belt(world, create_pulleys(world))
        other = create_belt(moved, create_pulleys(moved, centers={"idler": (0.2, at)}))
        state = wl.State(world)
        state.put(belt.pulleys[1].body, (0.0, at - CENTERS["idler"][1], 0.0))
        report = belt.report(state)
        assert_allclose([span.length for span in report.spans], other.span_lengths, rtol=1e-12)
        assert "m mounted" not in report.format()
    lengths = list[list[float]]()
    for place in (0.0, 0.05):
        world = wl.World()
        body = world.add(RigidBody2D, name="sheave", position=(place, 0.0), mass=1.0, inertia=0.01)
        rope = wl.Rope(
            world, [wl.Pulley(body, 0.1)], start=(-0.1, -0.5), end=(0.3, -0.6), tension=100.0, elements=30, **MATERIAL
        )
        state = wl.State(world)
        state.put(body, (0.05 - place, 0.0, 0.0))
        lengths += [[span.length for span in rope.report(state).spans], rope.span_lengths]
    assert_allclose(lengths[0], lengths[3], rtol=1e-9)
    assert_allclose(lengths[2], lengths[3], rtol=1e-9)


def test_deflection_of_a_span_is_that_of_its_middle() -> None:
    """The sag of both spans of a heavy belt satisfies T sag = w L²/8. Relative to the direction of motion, the two
    spans sag to opposite sides.
    """
    world = wl.World(gravity=(0.0, -9.81))
    places = {"a": (0.0, 0.0), "b": (0.8, 0.0)}
    bodies = [world.add(RigidBody2D, name=n, position=x, mass=1.0, inertia=0.01) for n, x in places.items()]
    for body in bodies:
        con.fix(world, body, "x", "y")
    belt = create_belt(world, [wl.Pulley(body, 0.08) for body in bodies], mass_per_length=2.0)
    with belt.preload():
        rest = wl.Static(world).solve()
    upper, lower = belt.report(rest).spans
    weight = belt.mass_per_length * 9.81
    for span, sign in ((upper, -1.0), (lower, 1.0)):
        # at each end, the part of the span without contact is shorter than the span by a fraction of a cable
        ideal = weight * span.length**2 / (8.0 * span.tension)
        assert 0.85 * ideal < sign * span.deflection < 1.02 * ideal


def test_rope_in_space_over_grooves() -> None:
    """A rope runs over two sheaves. One of the sheaves is tilted. The tension and the wrap angles have the given
    values. Without gravity, the hub loads balance the end forces.
    """
    world = wl.World()
    ground = world.add(Ground, name="ground")
    wheel = world.add(RigidBody3D, position=(0.6, 0.0, 0.02), mass=1.0, inertia=0.01, name="wheel")
    con.clamp(world, wheel)
    pulleys = [
        wl.Pulley(ground, 0.1, "right", axis=(0.0, 0.0, 1.0), groove_radius=0.008, name="left"),
        wl.Pulley(wheel, 0.1, "right", axis=(0.0, 0.1, 1.0), groove_radius=0.008, name="right"),
    ]
    ends = {"start": (-0.106, -0.5, 0.0), "end": (0.706, -0.5, 0.02)}
    stiff = {**MATERIAL, "axial_stiffness": 1e5, "bending_stiffness": 1e-2}
    rope = wl.Rope(world, pulleys, **ends, tension=100.0, cord_offset=0.006, friction=0.2, elements=60, **stiff)
    con.hinge(world, rope.nodes[0])
    world.add(con.Force, marker=con.position_marker(world, rope.nodes[-1]), vector=(0.0, -100.0, 0.0))
    with rope.preload():
        state = wl.Static(world).solve()
    report = rope.report(state)
    assert_allclose([span.tension for span in report.spans], 100.0, rtol=2e-3)
    loads = np.array([duty.hub_load for duty in report.pulleys])
    assert loads.shape == (2, 3)
    assert_allclose(loads.sum(axis=0)[1], -200.0, rtol=2e-3)
    assert_allclose(loads[0], rope.hub_loads[0], atol=2.0)
    assert [span.name for span in report.spans] == ["start–left", "left–right", "right–end"]
    assert [span.length for span in report.spans] == rope.span_lengths and "m mounted, " in report.format()
    with pytest.raises(wl.ModelError, match="is 3D"):
        rope.draw("rope.png", state)
    with pytest.raises(wl.ModelError, match="every = 10 of the means of 'rope', which is 3D: must be 1 for loss"):
        rope.average().losses(wl.EnergyLedger())


@pytest.mark.parametrize(
    ("contact", "words"),
    [
        ({"frction_coefficient": 0.1}, "has no column 'frction_coefficient': did you mean friction_coefficient"),
        ({"touching": 2}, "has no column 'touching': must be one of contact_damping_per_length, .*_per_length$"),
        ({"rigid_layer": True}, "has no column 'rigid_layer'"),
        ({"rope_radius": 1e-3}, "has the column 'rope_radius': must be left out, the belt sets it"),
        ({"vertical_offset": 1e-3}, "has the column 'vertical_offset': must be left out, the belt sets it"),
    ],
)
def test_contact_in_space_has_the_columns_of_surfaces(contact: dict[str, Any], words: str) -> None:
    """If a 3D contact has a wrong column, the error lists the columns of the contact law with surfaces, and no row is
    added to the world.
    """
    world = wl.World()
    pulley = wl.Pulley(world.add(Ground), 0.1, axis=(0.0, 0.0, 1.0))
    given = {
        **MATERIAL,
        "start": (-1.0, 0.1, 0.0),
        "end": (0.1, -1.0, 0.0),
        "tension": 100.0,
        "bending_stiffness": 0.01,
    }
    with pytest.raises(wl.ModelError, match=f"^contact of 'rope' {words}"):
        wl.Rope(world, [pulley], contact=contact, **given)
    assert len(world.tables) == 1


def test_drives_in_the_plane_load_no_surfaces() -> None:
    code = "import sys, windlass as wl\nwl.Belt\nprint([name for name in sys.modules if 'surface_contact.' in name])"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2] / "src")}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout == "[]\n"
