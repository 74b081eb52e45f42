"""Tests of gears, racks and toothed belts as coordinates that are coupled by a ratio, and of gears with teeth on
bodies.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import eigh

import windlass as wl
from windlass.connectors import (
    CoordinateConstraint,
    CoordinateLoad,
    CoordinateSpringDamper,
    Force,
    GearPair,
    GenericJoint,
    coordinate_marker,
    fix,
    position_marker,
    rigid_marker,
    rotation_marker,
)
from windlass.elements import Ground, MassPoint, RigidBody2D, RigidBody3D
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.model.table import Entity
from windlass.framework.state.residual import eval_residual
from windlass.framework.state.tangent_check import check_fields

from support.differences import set_random_fields


@pytest.mark.parametrize("method", ["generalized_alpha", "trapezoidal_index2"])
def test_gear_pair(method: str) -> None:
    """A torque T acts on gear 0 (r0, I0), which meshes with gear 1 (r1, I1). The acceleration is α0 = T/(I0 + (r0/r1)²
    I1), and the tooth force is I1 α1/r1.
    """
    torque, radii, inertia = 3.0, (0.1, 0.25), (0.02, 0.3)
    world = wl.World()
    gears = world.add(RigidBody2D, position=[(0.0, 0.0), (0.35, 0.0)], mass=1.0, inertia=inertia)
    fix(world, gears, "x", "y")
    turn = coordinate_marker(world, gears, "rotation")
    mesh = world.add(CoordinateConstraint, marker0=turn[0], marker1=turn[1], ratio=-radii[0] / radii[1])
    world.add(CoordinateLoad, marker=turn[0], value=torque)
    state = wl.Dynamic(world, step=1e-3, end=0.2, method=method).solve()

    acceleration = torque / (inertia[0] + (radii[0] / radii[1]) ** 2 * inertia[1])
    angles = [float(wl.eval_output(gears[k], "rotation", state)) for k in range(2)]
    # the accelerations are constant, so the integration method has no error
    assert_allclose(angles, np.array((1.0, -0.4)) * acceleration * 0.2**2 / 2.0, rtol=1e-9)
    assert_allclose(wl.eval_output(mesh, "force", state), 0.4 * inertia[1] * acceleration, rtol=1e-9)
    assert abs(float(wl.eval_output(mesh, "gap", state))) < 1e-12


def test_a_rack_goes_on_from_a_checkpoint(tmp_path: Path) -> None:
    """The run of a pinion whose rack hangs on a spring is interrupted and continued. The results are bit-identical to
    the results of an uninterrupted run.
    """

    def swing(end: float, **keep: Any) -> wl.State:
        world = wl.World()
        pinion = world.add(RigidBody2D, position=(0.0, 0.0), velocity=(0.0, 0.0, 5.0), mass=1.0, inertia=0.02)
        rack = world.add(MassPoint, position=(0.1, 0.0), velocity=(0.0, 0.5), mass=1.0)
        fix(world, pinion, "x", "y")
        fix(world, rack, "x")
        turn, height = coordinate_marker(world, pinion, "rotation"), coordinate_marker(world, rack, "y")
        world.add(CoordinateConstraint, marker0=turn, marker1=height, ratio=0.1)
        world.add(CoordinateSpringDamper, marker1=height, stiffness=200.0)
        return wl.Dynamic(world, step=1e-3, end=end).solve(hooks=[wl.Checkpoint(tmp_path / "rack.h5", **keep)])

    whole = swing(0.06, every=1000)
    swing(0.03, every=10)
    continued = swing(0.06, every=10, restart=tmp_path / "rack.h5")
    for name in ("q", "v", "lam"):
        assert_array_equal(getattr(continued, name), getattr(whole, name))
    # the mass at the rack is 3 kg, including the contribution of the inertia of the pinion
    assert_allclose(whole.q[-1], 0.5 / np.sqrt(200.0 / 3.0) * np.sin(0.06 * np.sqrt(200.0 / 3.0)), rtol=1e-5)


def test_rack_holds_a_weight() -> None:
    """The torque m g r on a pinion holds a weight m g on a rack at radius r."""
    mass, radius = 5.0, 0.08
    world = wl.World(gravity=(0.0, -9.81))
    rack = world.add(MassPoint, position=(radius, 0.0), mass=mass)
    pinion = world.add(RigidBody2D, position=(0.0, 0.0), mass=1.0, inertia=0.1)
    fix(world, pinion, "x", "y")
    hold = fix(world, pinion, "rotation")
    fix(world, rack, "x")
    turn, height = coordinate_marker(world, pinion, "rotation"), coordinate_marker(world, rack, "y")
    world.add(CoordinateConstraint, marker0=turn, marker1=height, ratio=radius)
    state = wl.Static(world).solve()
    assert_allclose(wl.eval_output(hold, "force", state), -mass * 9.81 * radius, rtol=1e-12)


def test_bevel_gears_in_space() -> None:
    """The angle of the second of two perpendicular shafts is the angle of the first shaft times the ratio, over several
    turns.
    """
    world = wl.World()
    shafts = world.add(RigidBody3D, position=[(0.0, 0.0, 0.0), (0.0, 0.0, 1.0)], mass=1.0, inertia=(0.2, 0.1, 0.1))
    ground = world.add(Ground)
    for k, free in enumerate(((True, True, False), (True, False, True))):
        place = rigid_marker(world, ground, (0.0, 0.0, float(k)))
        world.add(GenericJoint, marker0=place, marker1=rigid_marker(world, shafts[k]), rotations=free)
    turns = [rotation_marker(world, shafts[0], "z"), rotation_marker(world, shafts[1], "y")]
    world.add(CoordinateConstraint, marker0=turns[0], marker1=turns[1], ratio=2.0)
    world.add(CoordinateLoad, marker=turns[0], value=0.5)
    state = wl.Dynamic(world, step=5e-3, end=6.0).solve()
    angle = 0.5 / (0.1 + 4.0 * 0.1) * 6.0**2 / 2.0
    assert angle > 2.0 * math.pi
    found = [float(wl.eval_output(turn, "angle", state)) for turn in turns]
    assert_allclose(found, [angle, 2.0 * angle], rtol=1e-4)


def test_ratio_may_be_changed_between_solves() -> None:
    world = wl.World()
    masses = world.add(MassPoint, position=[(0.0, 0.0), (1.0, 0.0)], mass=1.0)
    fix(world, masses, "y")
    x = coordinate_marker(world, masses, "x")
    lever = world.add(CoordinateConstraint, marker0=x[0], marker1=x[1], ratio=1.0)
    world.add(CoordinateSpringDamper, marker1=x[0], stiffness=100.0)
    world.add(Force, marker=position_marker(world, masses[1]), vector=(2.0, 0.0, 0.0))
    for ratio in (1.0, -0.5, 3.0):
        world.set(lever, ratio=ratio)
        state = wl.Static(world).solve()
        # virtual work: F ratio = k x0
        assert_allclose(wl.eval_output(masses, "displacement", state)[:, 0], 0.02 * ratio * np.array((1.0, ratio)))


MODULE, TEETH, ALPHA, K = 2e-3, (20, 50, 18, 72), math.radians(20.0), 1e8
J = (1e-4, 2e-3, 1e-2)


def gear_train(**columns: float) -> tuple[wl.World, list[Entity], list[Entity], list[Entity]]:
    """Create two stages: gear 0 drives gear 1, and gear 2 on the shaft of gear 1 drives gear 3. Return the reactions of
    the first bearings.
    """
    world = wl.World()
    r = [0.5 * MODULE * z for z in TEETH]
    places = [(0.0, 0.0), (0.0, r[0] + r[1]), (r[2] + r[3], r[0] + r[1])]
    shafts = [world.add(RigidBody2D, position=p, mass=1.0, inertia=j) for p, j in zip(places, J, strict=True)]
    bearings = [fix(world, shaft, "x", "y") for shaft in shafts]
    ends = [rigid_marker(world, shaft) for shaft in shafts]
    common = {"module": MODULE, "mesh_stiffness": K, **columns}
    meshes = [
        world.add(
            GearPair, marker0=ends[k], marker1=ends[k + 1], teeth0=TEETH[2 * k], teeth1=TEETH[2 * k + 1], **common
        )
        for k in range(2)
    ]
    return world, shafts, bearings, meshes


def test_gear_train_reactions() -> None:
    """For a train with a fixed output and the torque T at its input, the tooth force is N = T/(r cos α). This force
    acts on the bearings of the train.
    """
    world, shafts, bearings, meshes = gear_train()
    torque, r = 2.0, 0.5 * MODULE * TEETH[0]
    hold = fix(world, shafts[2], "rotation")
    world.add(CoordinateLoad, marker=coordinate_marker(world, shafts[0], "rotation"), value=torque)
    state = wl.Static(world).solve()
    tooth = torque / (r * math.cos(ALPHA))
    assert_allclose(wl.eval_output(meshes[0], "mesh_force", state), tooth, rtol=1e-9)
    # the second stage reverses the rotation
    assert_allclose(wl.eval_output(meshes[1], "mesh_force", state), -tooth * TEETH[1] / TEETH[2], rtol=1e-9)
    felt = np.ravel([wl.eval_output(bearing, "force", state) for bearing in bearings[0]])
    assert_allclose(np.abs(felt), tooth * np.array((math.cos(ALPHA), math.sin(ALPHA))), rtol=1e-6)
    ratio = TEETH[1] * TEETH[3] / (TEETH[0] * TEETH[2])
    assert_allclose(np.abs(wl.eval_output(hold, "force", state)), torque * ratio, rtol=1e-9)


def test_gear_train_ratio_and_frequencies() -> None:
    """Over two turns, the angle of the last shaft is φ2 = φ0 z0 z2/(z1 z3) with the numbers of teeth z. The natural
    frequencies that are due to the stiffness of the teeth follow from k cos²α G Gᵀ and the inertias.
    """
    world, shafts, _, _ = gear_train()
    speeds = np.array((30.0, -30.0 * TEETH[0] / TEETH[1], 30.0 * TEETH[0] * TEETH[2] / (TEETH[1] * TEETH[3])))
    state = wl.State(world)
    for shaft, speed in zip(shafts, speeds, strict=True):
        state.put(shaft, [[0.0, 0.0, speed]], "v")
    found = np.sort(wl.Modes(world, count=3).solve(state).frequencies)
    r = 0.5 * MODULE * np.array(TEETH)
    G = np.array(((r[0], r[1], 0.0), (0.0, r[2], r[3])))
    expected = np.sqrt(np.abs(eigh(K * math.cos(ALPHA) ** 2 * G.T @ G, np.diag(J), eigvals_only=True))) / (2.0 * np.pi)
    assert_allclose(found[-2:], expected[1:], rtol=1e-9)
    state = wl.Dynamic(world, step=2e-3, end=0.5).solve(state)
    angles = [float(wl.eval_output(shaft, "rotation", state)) for shaft in shafts]
    assert angles[0] > 4.0 * math.pi
    assert_allclose(angles, 0.5 * speeds, rtol=1e-9)


@pytest.mark.parametrize("ring", [False, True])
def test_backlash(ring: bool) -> None:
    """The tooth force is 0 within the backlash, and k s at the depth s outside of the backlash, in both directions. The
    backlash grows if the centres move apart.
    """
    b, teeth = 1e-4, (20, -50 if ring else 50)
    radii = 0.5 * MODULE * np.array(teeth)
    world = wl.World()
    wheels = world.add(RigidBody2D, position=[(0.0, 0.0), (abs(radii.sum()), 0.0)], mass=1.0, inertia=1.0)
    ends = rigid_marker(world, wheels)
    mesh = world.add(
        GearPair, marker0=ends[0], marker1=ends[1], teeth0=teeth[0], teeth1=teeth[1], module=MODULE, mesh_stiffness=K,
        backlash=b, mesh_damping=10.0,
    )  # fmt: skip
    state = wl.Dynamic(world, step=1e-6, end=1e-6).solve()
    ways = np.array((-1.5 * b, -0.5 * b, 0.4 * b, 0.7 * b))
    for apart in (0.0, 0.2 * b):
        depth = np.abs(ways) * math.cos(ALPHA) - apart * math.sin(ALPHA) - 0.5 * b
        for turned, s in zip(ways, depth, strict=True):
            # the force is the same after an additional turn by three teeth, and by a full turn backwards
            for more in (0.0, 2.0 * math.pi * 3.0 / teeth[0], -2.0 * math.pi):
                state.put(wheels, [[0.0, 0.0, turned / radii[0] + more], [-apart if ring else apart, 0.0, 0.0]], "q")
                expected = K * max(s, 0.0) * np.sign(turned)
                assert_allclose(
                    float(wl.eval_output(mesh, "mesh_force", state)), expected, rtol=1e-6, atol=1e-6 * K * b
                )


@pytest.mark.long
def test_a_gear_rattles_in_its_backlash() -> None:
    """A gear rebounds between two flanks of a fixed gear without loss of energy.

    Every cycle has the period of the closed form.
    """
    world = wl.World()
    b, r, speed = 1e-3, 0.5 * MODULE * 20, 1.0
    wheels = world.add(
        RigidBody2D,
        position=[(0.0, 0.0), (70e-3, 0.0)],
        mass=1.0,
        inertia=1e-3,
        velocity=[(0.0, 0.0, speed), (0.0,) * 3],
    )
    ends = rigid_marker(world, wheels)
    fix(world, wheels, "x", "y")
    fix(world, wheels[1], "rotation")
    world.add(
        GearPair, marker0=ends[0], marker1=ends[1], teeth0=20, teeth1=50, module=MODULE, mesh_stiffness=1e6, backlash=b
    )
    ledger = wl.EnergyLedger()
    # in each cycle, the gear passes over the backlash b twice, and makes half an oscillation at each flank
    omega = r * math.cos(ALPHA) * math.sqrt(1e6 / 1e-3)
    period = 2.0 * (b / (r * math.cos(ALPHA) * speed) + math.pi / omega)
    state = wl.Dynamic(world, step=2e-4, end=period, method="trapezoidal_index2").solve(hooks=[ledger])
    assert abs(float(wl.eval_output(wheels[0], "rotation", state))) < 0.02 * b / r
    assert_allclose(state.v[2], speed, rtol=0.01)
    assert abs(ledger.rest) < 0.02 * 0.5 * 1e-3


def test_tangent_of_gears() -> None:
    """The tangent agrees with differences for gears on 3D and 2D bodies, tilted against each other, in mesh on either
    flank.
    """
    for turn in (0.004, -0.004):
        world = wl.World()
        first = world.add(RigidBody3D, position=(0.0, 0.0, 0.0), mass=1.0, inertia=(1.0, 1.0, 1.0))
        second = world.add(RigidBody3D, position=(0.69, 0.05, 0.1), mass=1.0, inertia=(1.0, 2.0, 3.0))
        third = world.add(RigidBody2D, position=(0.3, 0.6), mass=1.0, inertia=1.0)
        ends = rigid_marker(world, first), rigid_marker(world, second, (0.01, 0.0, 0.02)), rigid_marker(world, third)
        gears = {"module": 0.02, "mesh_stiffness": 50.0, "mesh_damping": 0.01, "axis": (0.1, 0.0, 1.0)}
        world.add(
            GearPair, marker0=[ends[0], ends[1]], marker1=[ends[1], ends[2]], teeth0=[20, 70], teeth1=[50, -100],
            **gears,
        )  # fmt: skip
        assembly = Assembly(world)
        set_random_fields(assembly, 3, displacement=0.002)
        assembly.fields.data[:] = (1.0, turn) * 2
        assert np.abs(eval_residual(assembly)).max() > 0.01
        check_fields(assembly)


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"teeth1": 2}, "teeth1 = 2 in GearPair row 0: must have at least 3 teeth"),
        ({"teeth1": -20}, "must not be -teeth0"),
        ({"teeth1": -10}, "must have more teeth than gear 0"),
        ({"axis": (0.0, 0.0, 0.0)}, "must have a length > 0"),
        ({"pressure_angle": 2.0}, "must be < π/2"),
    ],
)
def test_bad_gears(columns: dict[str, Any], words: str) -> None:
    world = wl.World()
    ends = rigid_marker(world, world.add(RigidBody2D, position=[(0.0, 0.0), (0.1, 0.0)], mass=1.0, inertia=1.0))
    given = {"teeth0": 20, "teeth1": 50, "module": 1e-3, "mesh_stiffness": 1e8, **columns}
    world.add(GearPair, marker0=ends[0], marker1=ends[1], **given)
    with pytest.raises(wl.ModelError, match=words):
        world.finalize()
