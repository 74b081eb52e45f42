"""Gears, racks and toothed belts as coordinates that are coupled by a ratio, against equations of one coordinate."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass.connectors import (
    CoordinateConstraint,
    CoordinateLoad,
    CoordinateSpringDamper,
    Force,
    GenericJoint,
    coordinate_marker,
    fix,
    position_marker,
    rigid_marker,
    rotation_marker,
)
from windlass.elements import Ground, MassPoint, RigidBody2D, RigidBody3D


@pytest.mark.parametrize("method", ["generalized_alpha", "trapezoidal_index2"])
def test_gear_pair(method: str) -> None:
    """A torque T on gear 0, r0 and I0, that meshes with r1 and I1: α0 = T/(I0 + (r0/r1)² I1), tooth force I1 α1/r1."""
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
    # constant accelerations: no error of the method
    assert_allclose(angles, np.array((1.0, -0.4)) * acceleration * 0.2**2 / 2.0, rtol=1e-9)
    assert_allclose(wl.eval_output(mesh, "force", state), 0.4 * inertia[1] * acceleration, rtol=1e-9)
    assert abs(float(wl.eval_output(mesh, "gap", state))) < 1e-12


def test_rack_holds_a_weight() -> None:
    """A weight m g on a rack at radius r of a pinion is held by the torque m g r."""
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
    """Two shafts across each other: the second turns by the ratio and keeps it over several turns."""
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
