"""Two spheres in contact by `ContactSphereSphere`: restitution, adhesion with a permanent dent, rolling, energy."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass.connectors import ContactSphereSphere, rigid_marker
from windlass.elements import Ground, RigidBody3D
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.model.history import GenericData
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.residual import eval_residual

R, M = 0.1, 1.6


def drop(speed: float, **columns: object) -> tuple[World, Entity, Entity]:
    """Create a sphere that hits a fixed sphere with a given speed, from a distance of 1 mm."""
    world = wl.World()
    ball = world.add(
        RigidBody3D, position=(0.0, 2.0 * R + 1e-3, 0.0), velocity=(0.0, -speed, 0.0, 0.0, 0.0, 0.0, 0.0), mass=M,
        inertia=(0.4 * M * R**2,) * 3,
    )  # fmt: skip
    ends = rigid_marker(world, world.add(Ground)), rigid_marker(world, ball)
    given = {"radius0": R, "radius1": R, "contact_stiffness": 1e6, **columns}
    if given.get("data") is not None:
        given["data"] = world.add(GenericData, initial=given["data"])
    return world, ball, world.add(ContactSphereSphere, marker0=ends[0], marker1=ends[1], **given)


@pytest.mark.parametrize(
    ("model", "given", "found"),
    [
        ("plain", 1.0, 1.0),
        # speeds published with the models, for the impact of a mass of 1.6 kg at 10 m/s with k = 1e6 N/m
        pytest.param("hunt_crossley", 0.8, 0.8329, marks=pytest.mark.long),
        ("carvalho_martins", 0.3, 0.3042),
    ],
)
def test_restitution(model: str, given: float, found: float) -> None:
    """The speed after an impact agrees with the published value within 0.2 %, and the error of the energy balance has
    order 2.
    """
    world, ball, contact = drop(10.0, impact_model=model, restitution=given)
    ledger = wl.EnergyLedger()
    state = wl.Dynamic(world, step=2.5e-5, end=7e-3).solve(hooks=[ledger])
    assert float(wl.eval_output(contact, "gap", state)) > 0.0
    assert_allclose(float(wl.eval_output(ball, "velocity", state)[1]), 10.0 * found, rtol=2e-3)
    assert abs(ledger.rest) < 4e-3 * 0.5 * M * 10.0**2


def test_a_dent_remains_and_sticks() -> None:
    """A sphere is pressed and pulled back.

    The force is k δ - f_0 during loading, k_2 (δ - δ_p) - f_0 during unloading, and -k_a δ - f_0 during adhesion. After
    the contact has opened, the sphere has no dent.
    """
    k, ratio, f0, ka = 1e5, 0.6, 0.5, 1e4
    world, _, _ = drop(0.0, contact_stiffness=k, plasticity_ratio=ratio, pull_off_force=f0, adhesion_stiffness=ka)
    assembly = Assembly(world)
    fields = assembly.fields

    def press(depth: float) -> float:
        """Return the force on the sphere at a depth that follows on a sequence of earlier depths."""
        fields.x[1] = 2.0 * R - depth
        for _ in range(2):
            assembly.update_markers()
            assembly.post_newton()
        force = -float(eval_residual(assembly)[1])
        fields.start_data[:] = fields.data
        return force

    # during unloading from 2 mm, the spring force vanishes at 1.2 mm, and adhesion acts from 3e2/(2.5e2 + 1e1) mm on
    back = [k / (1.0 - ratio) * (depth - ratio * 2e-3) for depth in (1.6e-3, 1.2e-3, 1.17e-3)]
    expected = [k * 0.5e-3, k * 2e-3, *back, -ka * 1e-3, -ka * 0.2e-3, f0, k * 0.3e-3]
    depths = (0.5e-3, 2e-3, 1.6e-3, 1.2e-3, 1.17e-3, 1e-3, 0.2e-3, -0.1e-3, 0.3e-3)
    assert_allclose([press(depth) for depth in depths], np.array(expected) - f0, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("gap", "share"), [(-1e-12, 1.0), (0.0, 0.0)])
def test_given_gap_of_zero(gap: float, share: float) -> None:
    """If spheres overlap but the given history value of the gap is 0, the spheres have no contact force in the first
    step, as in Exudyn, unless contacts are decided at the start.
    """
    depth, step = 1e-4, 1e-6
    for decides in (False, True):
        world, ball, contact = drop(0.0, data=None if decides else [gap, 0.0, 0.0, 0.0])
        state = wl.State(world)
        state.q[1] = -depth - 1e-3
        if not decides:
            assert_allclose(wl.eval_output(contact, "normal_force", state), share * 1e6 * depth, rtol=1e-9)
        dynamic = wl.Dynamic(world, step=step, end=step, spectral_radius=1.0, decide_at_start=decides, name="")
        speed = float(wl.eval_output(ball, "velocity", dynamic.solve(state))[1])
        assert_allclose(speed, (1.0 if decides else share) * 1e6 * depth / M * step, rtol=1e-4)


@pytest.mark.long
def test_a_ball_rolls_in_a_bowl() -> None:
    """A ball rolls in a bowl without slip for half an oscillation with ω² = 5/7 g/(R - r)."""
    bowl, g, k = 0.5, 9.81, 1e6
    world = wl.World(gravity=(0.0, -g, 0.0))
    angle, way = 0.05, bowl - R + M * g / k
    ball = world.add(
        RigidBody3D, position=(way * math.sin(angle), -way * math.cos(angle), 0.0), mass=M,
        inertia=(0.4 * M * R**2,) * 3,
    )  # fmt: skip
    contact = world.add(
        ContactSphereSphere, marker0=rigid_marker(world, ball), marker1=rigid_marker(world, world.add(Ground)),
        radius0=R, radius1=bowl, hollow=True, contact_stiffness=k, contact_damping=500.0, friction=0.5,
    )  # fmt: skip
    omega = math.sqrt(5.0 * g / (7.0 * (bowl - R)))
    state = wl.Dynamic(world, step=5e-3, end=0.75 * math.pi / omega).solve()
    x = float(wl.eval_output(ball, "position", state)[0])
    assert_allclose(x, way * angle * math.cos(0.75 * math.pi), rtol=3e-3)
    assert float(wl.eval_output(contact, "slip", state)) < 1e-4


def test_bad_parameters() -> None:
    for columns, words in (
        ({"restitution": 1.5}, "restitution = 1.5 in ContactSphereSphere row 0: must be <= 1"),
        ({"plasticity_ratio": 1.0}, "plasticity_ratio = 1.0 in ContactSphereSphere row 0: must be < 1"),
        ({"pull_off_force": 1.0}, "must be 0 without a plasticity_ratio > 0"),
        ({"hollow": True}, "must be larger than radius0"),
        ({"plasticity_ratio": 0.5, "impact_model": "hunt_crossley"}, "must be 0, or impact_model 'plain'"),
    ):
        with pytest.raises(wl.ModelError, match=re.escape(words)):
            drop(1.0, **columns)[0].finalize()
