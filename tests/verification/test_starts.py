"""Tests of starts of motion that cause errors or doubtful results: violated constraints, overlaps, folded shapes,
jumps, changes by hooks, and wrong times.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass import connectors as con
from windlass import elements as el

METHODS = ("generalized_alpha", "generalized_alpha_index2", "trapezoidal_index2", "verlet", "rk4")


def march(world: wl.World, method: str = METHODS[0], **settings: Any) -> wl.Dynamic | wl.Explicit:
    """Create a solver of ten steps of 0.01 s without progress line."""
    kind = wl.Explicit if method in ("verlet", "rk4") else wl.Dynamic
    return kind(world, **{"step": 0.01, "end": 0.1, "method": method, "name": "", **settings})


def slide(**point: Any) -> tuple[wl.World, Any]:
    """Create a point of 1 kg that can move only along x."""
    world = wl.World()
    mass = world.add(el.MassPoint, position=(0.0, 0.0), mass=1.0, **point)
    con.fix(world, mass, "y")
    return world, mass


@pytest.mark.parametrize("method", METHODS)
def test_velocities_that_constraints_forbid(method: str) -> None:
    """Errors name the constraints that the start velocities violate.

    On request, the nearest consistent velocities are used. Small violations that earlier solves leave are allowed.
    """
    world, _ = slide(velocity=(3.0, 5.0))
    with pytest.raises(
        wl.ModelError, match=r"initial velocities violate .* \(MassPoint 0, y fixed: 5\) \[m/s, rad/s, 1/s\]"
    ):
        march(world, method).solve()
    state = march(world, method, velocities="project").solve()
    assert_allclose(state.v, (3.0, 0.0), atol=1e-12)
    start = wl.State(world)
    start.v[:] = 3.0, 5e-4
    assert_allclose(march(world, method).solve(start).v, (3.0, 0.0), atol=1e-12)


def test_motors_start_what_rests() -> None:
    """A body at rest gets its prescribed speed at the start.

    A start speed that is neither 0 nor the prescribed speed causes an error.
    """
    for speed, fits in ((0.0, True), (2.0, True), (7.0, False)):
        world, mass = slide(velocity=(speed, 0.0))
        con.prescribe_velocity(world, mass, "x", 2.0)
        if fits:
            assert_allclose(march(world).solve().v, (2.0, 0.0), atol=1e-12)
            continue
        with pytest.raises(wl.ModelError, match=r"initial velocities violate .*\(MassPoint 0, x driven: 5\)"):
            march(world).solve()


def test_joints_forbid_in_their_own_size() -> None:
    """A violation is measured relative to the velocities: 1 mm/s between points that move with 100 m/s is treated as a
    rounding error.
    """
    for gap, fits in ((1e-3, True), (1.0, False)):
        world = wl.World()
        points = [
            world.add(el.MassPoint, position=(0.0, 0.0, 0.0), velocity=(v, 0.0, 0.0), mass=1.0)
            for v in (100.0, 100.0 + gap)
        ]
        markers = [con.position_marker(world, point) for point in points]
        world.add(con.SphericalJoint, marker0=markers[0], marker1=markers[1])
        if fits:
            march(world).solve()
            continue
        with pytest.raises(wl.ModelError, match=r"initial velocities violate .*SphericalJoint 0, equation 0: 1\)"):
            march(world).solve()


@pytest.mark.parametrize("method", METHODS)
def test_prescribed_positions_that_jump(method: str) -> None:
    """If a prescribed position jumps during a run, the error gives the time and size of the jump, and the state before
    the jump. Ramps and kinks are not treated as jumps.
    """
    world, mass = slide()
    con.prescribe(world, mass, "x", lambda t: 0.0 if t < 0.0437 else -0.5)
    with pytest.raises(wl.NotConverged, match=r"jump at t = 0\.0437 s: by \(MassPoint 0, x prescribed: 0\.5\)") as told:
        march(world, method).solve()
    assert told.value.state is not None and abs(told.value.state.t - 0.04) < 1e-9
    for motion in (lambda t: max(0.0, t - 0.0437), lambda t: 2.0 * np.sin(10.0 * t), lambda t: t * t):
        world, mass = slide()
        con.prescribe(world, mass, "x", motion)
        assert_allclose(march(world, method).solve().q[0], motion(0.1), atol=2e-2)


def test_turned_frames_that_jump() -> None:
    world = wl.World()
    body = world.add(el.RigidBody3D, position=(0.0, 0.0, 0.0), mass=1.0, inertia=(1.0, 1.0, 1.0))
    ground = con.rigid_marker(world, world.add(el.Ground))
    world.add(
        con.GenericJoint, marker0=ground, marker1=con.rigid_marker(world, body),
        offset_function=lambda t: (0.0, 0.0, 0.0, 0.0, 0.0, 0.0 if t < 0.05 else 0.3),
    )  # fmt: skip
    with pytest.raises(wl.NotConverged, match=r"jump at t = 0\.05 s: by \(GenericJoint 0, equation"):
        march(world).solve()


def test_state_has_the_time_of_its_statics() -> None:
    """Motion continues from the time of the static state. If the start time differs, the jump causes an error."""
    world = wl.World(gravity=(0.0, -9.81))
    rope = el.straight_cable(
        world, (0, 0), (10, 0), 8, axial_stiffness=1e6, bending_stiffness=1.0, mass_per_length=1.0,
        axial_damping=100.0, reference_strain=-2e-4,
    )  # fmt: skip
    nodes = el.nodes_of(world, rope)
    con.hinge(world, nodes[0])
    con.prescribe(world, nodes[8], "x", lambda t: 0.002 * t)
    con.fix(world, nodes[8], "y")
    seen: list[float] = []
    state = wl.Static(world, time=1.0, name="").solve(hooks=[lambda now: seen.append(now.t)])
    assert state.t == 1.0 and seen == [1.0]
    tension = float(wl.eval_output(rope[3], "axial_force", state, x=0.2))
    end = wl.Dynamic(world, step=2e-3, end=1.01, name="").solve(state)
    assert abs(float(wl.eval_output(rope[3], "axial_force", end, x=0.2)) - tension) < 0.01 * tension
    state.t = 0.0
    for solver in (wl.Dynamic(world, step=2e-3, end=0.01, name=""), wl.Explicit(world, step=1e-6, end=1e-5, name="")):
        with pytest.raises(
            wl.ModelError, match=r"t = 0 s: prescribed motions differ from the state by .*, x prescribed: 0\.002\)"
        ):
            solver.solve(state)


def test_rates_of_flat_functions() -> None:
    """A rate function is also checked where the motion is flat, although differences of the motion are small and depend
    on the step.
    """
    world, mass = slide()
    con.prescribe(world, mass, "x", lambda t: t * t, rate=lambda t: -5.0)
    with pytest.raises(
        wl.ModelError, match=r"offset_rate_function of .* gave -5 at t = 0 s, but offset_function changes"
    ):
        march(world).solve()
    world, mass = slide()
    con.prescribe(world, mass, "x", lambda t: t * t, rate=lambda t: 2.0 * t)
    assert_allclose(march(world).solve().q[0], 0.01, atol=1e-12)


def touch(depth: float, speed: float = 0.0) -> wl.World:
    """Create a sphere of 0.1 m that overlaps a half space."""
    world = wl.World(gravity=(0.0, -9.81, 0.0))
    material = world.add(con.ContactMaterial, plane_strain_modulus=1e7)
    group = world.add(con.ContactSet)
    ball = world.add(el.MassPoint, position=(0.0, 0.1 - depth, 0.0), velocity=(0.0, speed, 0.0), mass=1.0)
    world.add(con.ContactSphere, contact_set=group, marker=ball, material=material, radius=0.1)
    up = con.facing((0.0, 1.0, 0.0))
    world.add(
        con.ContactHalfSpace, contact_set=group, marker=world.add(el.Ground), material=material, rotation=up
    )  # fmt: skip
    world.add(con.HuntCrossley, contact_set=group)
    return world


@pytest.mark.parametrize("solver", [wl.Dynamic, wl.Explicit])
def test_spheres_that_begin_inside(solver: Any) -> None:
    """A sphere that starts 10 m below the surface of a half space causes an error, because the sphere would leave with
    19 664 m/s. A sphere at rest on the half space remains at rest.
    """
    with pytest.raises(wl.ModelError, match=r"inside each other by 10\.1 m and hold 1\.93e\+08 J .*must be < 0\.1 m"):
        solver(touch(10.1), step=1e-5, end=1e-4, name="").solve()
    stiffness = 4 / 3 * np.sqrt(0.1) * 1e7 / 2**1.5
    state = solver(touch((9.81 / stiffness) ** (2 / 3)), step=1e-5, end=1e-3, name="").solve()
    assert abs(state.v).max() < 1e-9


def test_packings_begin_with_a_note() -> None:
    """Round surfaces that overlap at the start are pushed apart, with a note."""
    world = wl.World()
    group = world.add(con.ContactSet)
    material = world.add(con.ContactMaterial, plane_strain_modulus=1e5, dissipation=1.0)
    places = [(0.0, 0.0, 0.0), (0.04, 0.0, 0.0)]
    balls = world.add(el.MassPoint, position=places, mass=1.0)
    world.add(con.ContactSphere, contact_set=group, marker=balls, material=material, radius=0.1)
    world.add(con.HuntCrossley, contact_set=group)
    solver = wl.Dynamic(world, step=1e-4, end=1e-3, name="")
    solver.solve()
    assert re.match(r"<ContactSphere 0> and .* inside each other by 0\.16 m and hold .* J", solver.verdict.notes[0])


def test_pairs_of_spheres_that_begin_inside() -> None:
    for distance, fits in ((0.31, True), (0.05, False)):
        world = wl.World()
        balls = [
            world.add(el.RigidBody3D, position=(x, 0.0, 0.0), mass=1.0, inertia=(1.0, 1.0, 1.0))
            for x in (0.0, distance)
        ]
        markers = [con.rigid_marker(world, ball) for ball in balls]
        world.add(
            con.ContactSphereSphere, marker0=markers[0], marker1=markers[1], radius0=0.1, radius1=0.2,
            contact_stiffness=1e6,
        )  # fmt: skip
        if fits:
            march(world).solve()
            continue
        with pytest.raises(wl.ModelError, match=r"inside each other by 0\.25 m: must be < 0\.1 m"):
            march(world).solve()


def hang(**more: Any) -> tuple[wl.World, Any]:
    """Create a rope of four elements that hangs from one end, along x."""
    world = wl.World(gravity=(0.0, -9.81))
    settings = {"axial_stiffness": 1e4, "bending_stiffness": 1.0, "mass_per_length": 1.0} | more
    rope = el.straight_cable(world, (0, 0), (1, 0), 4, **settings)
    con.hinge(world, el.nodes_of(world, rope)[0])
    return world, rope


def test_cables_that_begin_inside_circles_and_surfaces() -> None:
    world, rope = hang()
    wheel = world.add(el.RigidBody2D, position=(0.5, 0.02), mass=1.0, inertia=1.0)
    con.add_contact(
        world, con.ContactCircleCable2D, wheel, rope, segments=2, circle_radius=0.1, contact_stiffness=1e4
    )  # fmt: skip
    with pytest.raises(wl.ModelError, match=r"is 0\.08 m inside the circle .* of radius 0\.1 m: must be < 0\.05 m"):
        march(world).solve()
    world = wl.World()
    rope = el.straight_cable(
        world, (0, 0, -5), (1, 0, -5), 4, axial_stiffness=1e4, bending_stiffness=1.0, mass_per_length=1.0
    )  # fmt: skip
    bed = world.add(con.PlaneSurface, marker=con.rigid_marker(world, world.add(el.Ground)))
    con.add_surface_contact(world, bed, rope, contact_stiffness_per_length=1e4)
    with pytest.raises(wl.ModelError, match=r"is 5 m behind the surface .*: must be < 0\.25 m"):
        march(world).solve()


@pytest.mark.parametrize("method", ["generalized_alpha", "verlet"])
def test_cables_turned_inside_out(method: str) -> None:
    """A folded cable, whose slope points against its chord, causes an error at the start. If a cable folds during a
    run, the result is doubtful, and the reason names the row and the times before and after.
    """
    world, _ = hang()
    state = wl.State(world)
    state.q[10] = -2.0
    with pytest.raises(wl.ModelError, match=r"cable 2 is turned inside out: its slope at node0 points 180° away"):
        march(world, method, step=1e-4, end=1e-3).solve(state)

    def fold(now: wl.State) -> None:
        if now.step == 3:
            now.q[10] = -2.0

    solver = march(world, method, step=1e-6, end=1e-5)
    solver.solve(hooks=[fold])
    words = r"seen at t = 4e-06 s, not yet at 2e-06 s: cable 2 is turned inside out: .* \(and 1 more\)"
    assert any(re.match(words, reason) for reason in solver.verdict.reasons), solver.verdict.describe()


@pytest.mark.parametrize("hard", [1, 25])
def test_steps_that_turn_a_cable_inside_out_are_repeated(hard: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The solver checks shapes after the first step and after steps of many iterations, and repeats a step that folds a
    cable with a reduced step size.

    In the second case, no step has enough iterations for the check.
    """
    # results of successive checks: no folded cable at the start, then a folded cable twice
    found = iter([[], ["cable 2 is turned inside out"], ["cable 2 is turned inside out"]])
    monkeypatch.setattr("windlass.solvers.verdicts.shapes.find_folds", lambda assembly: next(found, []))
    monkeypatch.setattr("windlass.solvers.verdicts.shapes.ShapeWatch._look", lambda self, t: None)
    monkeypatch.setattr("windlass.solvers.dynamic.HARD", hard)
    world, _ = hang()
    solver = wl.Dynamic(world, step=1e-3, end=3e-3, name="")
    reached = solver.solve(hooks=[lambda state: None])
    reasons = [(size, reason) for _, size, reason in solver.failed_attempts]
    assert reasons == [(1e-3, "cable 2 is turned inside out"), (5e-4, "cable 2 is turned inside out")]
    assert solver.statistics.rejected == 2 and reached.t == 3e-3
    assert solver.verdict.word == "ok"


@pytest.mark.parametrize("method", ["generalized_alpha", "verlet"])
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda now: now.q.__setitem__(0, np.nan),
            r"the hook .*spoil, after_step: has set q\[0\] = nan at t = 0\.03 s",
        ),
        (lambda now: now.v.__setitem__(0, np.inf), r"after_step: has set v\[0\] = inf at t = 0\.03 s"),
        (lambda now: setattr(now, "t", 0.01), r"after_step: has set t = 0\.01 s in the state at t = 0\.03 s"),
    ],
)
def test_hooks_that_spoil_the_state(method: str, change: Callable[[wl.State], None], words: str) -> None:
    world, _ = slide(velocity=(1.0, 0.0))

    def spoil(now: wl.State) -> None:
        if now.step == 3:
            change(now)

    with pytest.raises(wl.ModelError, match=words):
        march(world, method).solve(hooks=[spoil])
    with pytest.raises(
        wl.ModelError, match=words.partition("after_step")[2].replace(": has", "code between two steps: has")
    ):
        for now in march(world, method).march():
            spoil(now)
