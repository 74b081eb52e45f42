"""Tests of massless ropes over sheaves (`ReevingSystemSprings`): falling weights, tackles, hoists, and cables."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass.connectors import Force, coordinate_marker, fix, position_marker, prescribe, reeve, rigid_marker
from windlass.elements import Ground, MassPoint, RigidBody2D, RigidBody3D, nodes_of, straight_cable
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.output.scene import Scene
from windlass.framework.state.tangent_check import check_fields

from support.differences import set_random_fields

G, R = 9.81, 0.2


def over_a_sheave(m0: float, m1: float, tension: float) -> tuple[wl.World, Any, Any]:
    """Create two weights on a preloaded rope over a fixed sheave, 1 m below the centre of the sheave."""
    world = wl.World(gravity=(0.0, -G))
    weights = world.add(MassPoint, position=[(-R, 0.0), (R, 0.0)], mass=(m0, m1))
    sheave = rigid_marker(world, world.add(Ground), (0.0, 1.0))
    ends = position_marker(world, weights)
    rope = reeve(
        world, [ends[0], sheave, ends[1]], (0.0, R, 0.0), [(0.0, 0.0, -1.0)] * 3, preload=tension,
        reference_length=2.0 + math.pi * R, axial_stiffness=1e5,
    )  # fmt: skip
    return world, weights, rope


def test_atwood() -> None:
    """An Atwood machine has the acceleration g (m1 - m0)/(m1 + m0) and the tension 2 m0 m1 g/(m0 + m1), and conserves
    energy.
    """
    m0, m1 = 2.0, 3.0
    tension, a = 2.0 * m0 * m1 * G / (m0 + m1), G * (m1 - m0) / (m0 + m1)
    world, weights, rope = over_a_sheave(m0, m1, tension)
    ledger = wl.EnergyLedger()
    state = wl.Dynamic(world, step=1e-2, end=0.4).solve(hooks=[ledger])
    assert_allclose(state.of(weights)[:, 1], [a * 0.08, -a * 0.08], rtol=1e-9)
    assert_allclose(state.of(weights)[:, 0], 0.0, atol=1e-12)
    assert_allclose(wl.eval_output(rope, "tension", state), tension, rtol=1e-9)
    assert_allclose(wl.eval_output(rope, "wrap", state)[1], math.pi, rtol=1e-12)
    assert abs(ledger.rest) < 1e-9


def test_frequency_of_two_weights() -> None:
    """Two equal hanging weights oscillate along the rope with the angular frequency √(EA/L (1/m0 + 1/m1))."""
    m = 2.0
    world, _, rope = over_a_sheave(m, m, m * G)
    length = float(wl.eval_output(rope, "length", wl.State(world)))
    found = wl.Modes(world, count=4).solve().frequencies
    assert_allclose(2.0 * math.pi * max(found), math.sqrt(1e5 / length * 2.0 / m), rtol=1e-9)


@pytest.mark.parametrize("falls", [2, 14, 30])
def test_tackle(falls: int) -> None:
    """A block hangs on the n falls of a rope over n - 1 sheaves. The tension of the rope is N = m g/n."""
    mass = 60.0
    world = wl.World(gravity=(0.0, -G))
    block = world.add(RigidBody2D, position=(0.0, -3.0), mass=mass, inertia=1.0)
    fix(world, block, "x", "rotation")
    ground, below = world.add(Ground), rigid_marker(world, block)
    crown = rigid_marker(world, ground)
    sheaves = [below if k % 2 == 0 else crown for k in range(falls - 1)]
    ends = rigid_marker(world, ground, (-R, 0.0)), rigid_marker(world, ground, (R, 0.0))
    length = 3.0 * falls + (falls - 1) * math.pi * R
    rope = reeve(
        world, [ends[0], *sheaves, ends[1]], [0.0, *[R] * (falls - 1), 0.0], reference_length=length,
        axial_stiffness=1e6,
    )  # fmt: skip
    assert_allclose(float(wl.eval_output(rope, "length", wl.State(world))), length, rtol=1e-12)
    state = wl.Static(world).solve()
    tension = mass * G / falls
    assert_allclose(float(wl.eval_output(rope, "tension", state)), tension, rtol=1e-9)
    assert_allclose(state.of(block)[0, 1], -tension * length / 1e6 / falls, rtol=1e-9)


def test_hoist() -> None:
    """A drum that winds up rope with the speed v lifts a load by v t - v sin(Ω t)/Ω. The torque on the drum is N r."""
    mass, r, v, length, EA = 50.0, 0.3, 0.6, 10.0, 1e5
    world = wl.World(gravity=(0.0, -G))
    drum = world.add(RigidBody2D, position=(0.0, 0.0), mass=1.0, inertia=1.0, velocity=(0.0, 0.0, -v / r))
    fix(world, drum, "x", "y")
    drive = prescribe(world, drum, "rotation", lambda t: -v / r * t)
    load = world.add(MassPoint, position=(0.0, -length), mass=mass)
    ends = position_marker(world, world.add(Ground)), position_marker(world, load)
    rope = reeve(
        world, ends, (0.0, 0.0), coordinate0=coordinate_marker(world, drum, "rotation"), factor0=r, axial_stiffness=EA,
        reference_length=length, preload=mass * G,
    )  # fmt: skip
    ledger = wl.EnergyLedger()
    state = wl.Dynamic(world, step=2e-3, end=0.2).solve(hooks=[ledger])
    omega = math.sqrt(EA / length / mass)
    assert_allclose(state.of(load)[0, 1], v * 0.2 - v * math.sin(omega * 0.2) / omega, rtol=0.01)
    tension = float(wl.eval_output(rope, "tension", state))
    assert_allclose(float(wl.eval_output(drive, "force", state)), tension * r, rtol=1e-6)
    assert_allclose(float(wl.eval_output(rope, "rest_length", state)), length - v * 0.2, rtol=1e-12)
    assert abs(ledger.rest) < 2e-3 * mass * G * v * 0.2


def test_beside_a_real_cable() -> None:
    """A cable with mass hangs on a massless rope over a sheave, with a load below.

    The tension N of the rope equals the weight of cable and load.
    """
    world = wl.World(gravity=(0.0, -G))
    ground = world.add(Ground)
    stiff = {"axial_stiffness": 1e5, "bending_stiffness": 1e-3, "mass_per_length": 0.7}
    cable = straight_cable(world, (R, -1.0), (R, -3.0), 3, **stiff)
    nodes = nodes_of(world, cable)
    world.add(Force, marker=position_marker(world, nodes[-1]), vector=(0.0, -4.0 * G, 0.0))
    fix(world, nodes, "x")
    markers = [
        position_marker(world, ground, (-R, -1.0)),
        rigid_marker(world, ground),
        position_marker(world, nodes[0]),
    ]
    length = 2.0 + math.pi * R
    rope = reeve(world, markers, (0.0, R, 0.0), [(0.0, 0.0, -1.0)] * 3, reference_length=length, axial_stiffness=1e5)
    state = wl.Static(world, load_steps=2).solve()
    weight = (4.0 + 0.7 * 2.0) * G
    assert_allclose(float(wl.eval_output(rope, "tension", state)), weight, rtol=1e-9)
    assert_allclose(float(wl.eval_output(nodes, "displacement", state)[0, 1]), -weight * length / 1e5, rtol=1e-6)


@pytest.mark.parametrize("length", [1.5, 30.0])
def test_tangent(length: float) -> None:
    """The tangent agrees with differences for taut and slack ropes over oblique sheaves off the centres of 2D and 3D
    bodies, with both additional coordinates.
    """
    world = wl.World()
    bodies = [
        world.add(RigidBody3D, position=p, mass=1.0, inertia=(1.0, 2.0, 3.0))
        for p in ((1.0, 2.0, 0.3), (3.0, 1.0, -0.4))
    ]
    flat = world.add(RigidBody2D, position=(5.0, 3.0), mass=1.0, inertia=1.0)
    point = world.add(MassPoint, position=(6.0, 0.0), mass=1.0)
    sheaves = [rigid_marker(world, body, (0.1, -0.05, 0.2)) for body in bodies] + [
        rigid_marker(world, flat, (0.1, 0.2))
    ]
    ends = position_marker(world, world.add(Ground)), position_marker(world, point)
    turn, way = coordinate_marker(world, flat, "rotation"), coordinate_marker(world, point, "x")
    rope = reeve(
        world, [ends[0], *sheaves, ends[1]], (0.0, 0.3, 0.4, 0.25, 0.0),
        [(0, 0, 1), (0.6, 0.1, -0.8), (0.1, 0.28, 0.96), (0, 0, -1), (0, 0, 1)], reference_length=length,
        axial_stiffness=20.0, axial_damping=3.0, preload=0.5, slack_force=5.0, coordinate0=turn, coordinate1=way,
        factor0=0.1, factor1=0.05, twist_damping=0.7, shear_damping=0.4,
    )  # fmt: skip
    reeve(world, [ends[1], sheaves[0], ends[0]], (0.0, 0.0, 0.0), reference_length=5.0, axial_stiffness=10.0)
    reeve(
        world, sheaves, (0.2, 0.4, 0.3), [(0, 0, 1), (0.1, 0.28, 0.96), (0, 0, -1)], reference_length=0.3 * length,
        axial_stiffness=15.0, axial_damping=2.0, coordinate0=turn, factor0=0.2, shear_damping=0.1,
    )  # fmt: skip
    assembly = Assembly(world)
    set_random_fields(assembly, 4, displacement=0.1)
    check_fields(assembly)
    assert float(wl.eval_output(rope, "tension", wl.State(world))) * (10.0 - length) > 0.0


@pytest.mark.parametrize("beside", [0.0, 0.3])
def test_a_rope_ends_on_drums(beside: float) -> None:
    """A rope between two turning drums crosses to the other side of the lower drum. The rope length is the free span,
    the torques are R N, and energy is conserved.

    The centre of the upper drum is at a distance ``beside`` from the centre of its body.
    """
    world = wl.World()
    R, h, EA = 0.5, 4.0, 200.0
    drums = [world.add(RigidBody2D, position=(-beside, 0.0), mass=2.0, inertia=0.7)]
    drums.append(world.add(RigidBody2D, position=(0.0, -h), mass=3.0, inertia=0.4))
    markers = [rigid_marker(world, drums[0], (beside, 0.0)), rigid_marker(world, drums[1])]
    axes = [(0.0, 0.0, 1.0), (0.0, 0.0, -1.0)]
    span = math.sqrt(h**2 - 4.0 * R**2)
    rope = reeve(world, markers, (R, R), axes, reference_length=0.9 * span, axial_stiffness=EA)
    N = EA * (1.0 / 0.9 - 1.0)
    start = wl.State(world)
    assert_allclose(float(wl.eval_output(rope, "length", start)), span, rtol=1e-14)
    assert_allclose(float(wl.eval_output(rope, "tension", start)), N, rtol=1e-12)
    # the rope is the tangent from (-x, -y) on the upper drum to (x, y - h) on the lower drum
    x, y = R * span / h, 2.0 * R**2 / h
    ledger = wl.EnergyLedger()
    state = wl.Dynamic(world, step=1e-3, end=0.4, method="newmark").solve(hooks=[ledger])
    work = 0.5 * sum(
        m * float(v[:2] @ v[:2]) + J * float(v[2]) ** 2
        for m, J, v in ((2.0, 0.7, state.of(drums[0], "v")[0]), (3.0, 0.4, state.of(drums[1], "v")[0]))
    )
    assert work > 1.0 and x > y
    assert abs(ledger.rest) < 1e-3 * work
    [drawn] = [one for one in Scene(world, 4).draw(start)[0] if "tension" in one.cell_data]  # type: ignore[index]
    assert_allclose(drawn.points, [(-x, -y, 0.0), (x, y - h, 0.0)], atol=1e-12)


def test_a_rope_is_drawn_around_its_sheave() -> None:
    """The rope is drawn along both falls and over the upper half of the sheave.

    The drawn length is exact except for the arc, which is drawn as chords.
    """
    world, _, rope = over_a_sheave(1.0, 1.0, 10.0)
    drawn = Scene(world, 4).draw(wl.State(world))
    assert drawn is not None
    drawing = next(one for one in drawn[0] if "tension" in one.cell_data)
    points = drawing.points
    assert_allclose(points[[0, -1]], [(-R, 0.0, 0.0), (R, 0.0, 0.0)], atol=1e-15)
    assert_allclose(np.linalg.norm(points[1:-1] - (0.0, 1.0, 0.0), axis=1), R, rtol=1e-12)
    assert points[1:-1, 1].min() > 1.0 - 1e-12
    sizes = np.linalg.norm(points[drawing.lines[:, 1]] - points[drawing.lines[:, 0]], axis=1)
    assert_allclose(sizes.sum(), 2.0 + math.pi * R, rtol=2e-3)
    assert_allclose(drawing.cell_data["tension"], wl.eval_output(rope, "tension", wl.State(world)))


@pytest.mark.parametrize(
    ("radii", "axes", "more", "words"),
    [
        ((0.1, 0.2, 0.0), None, {"point": True}, r"markers\[0\] of a sheave is a point"),
        ((0.0, 0.2, 0.0), ((0, 0, 1), (0, 0, 0), (0, 0, 1)), {}, r"axes\[1\] = \(0, 0, 0\)"),
        ((0.0, 0.2), None, {}, r"radii in .* has shape \(2,\): .* one number for each of 3 markers, or for all \[m\]"),
        ((0.0, 0.2, 0.0), None, {"point": True}, r"markers\[1\] of a sheave is a point"),
    ],
)
def test_bad_ropes(radii: Any, axes: Any, more: dict[str, bool], words: str) -> None:
    world = wl.World()
    ground, mass = world.add(Ground), world.add(MassPoint, position=(1.0, 0.0), mass=1.0)
    end = position_marker(world, mass)
    sheave = end if more.get("point") else rigid_marker(world, ground, (0.5, 1.0))
    with pytest.raises(wl.ModelError, match=words):
        reeve(world, [end, sheave, end], radii, axes, reference_length=2.0, axial_stiffness=1e3)
        world.finalize()
