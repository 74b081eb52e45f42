"""Tests of rigid bodies and joints: a recorded 3D chain, linkages, free bodies, and order 2 of conserved quantities."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from windlass.connectors import (
    CartesianSpringDamper,
    GenericJoint,
    MassProportional,
    PrismaticJoint2D,
    RevoluteJoint2D,
    SphericalJoint,
    clamp,
    position_marker,
    rigid_marker,
)
from windlass.elements import Ground, MassPoint, RigidBody2D, RigidBody3D, euler_parameters
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.state import State
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.static import Static

MODELS = Path(__file__).parents[1] / "reference" / "models"
GRAVITY = 9.81
INERTIA = np.array([[2.0, 0.3, -0.2], [0.3, 1.5, 0.1], [-0.2, 0.1, 1.1]])


def create_chain() -> tuple[World, list[Entity]]:
    """Create the model sphericalJointTest: four bodies in a row on spherical joints. The first joint can slide freely
    along x.
    """
    data = json.loads((MODELS / "sphericalJointTest.json").read_text())
    world, bodies = World(), []
    ground = world.add(Ground, position=data["objects"][0]["referencePosition"])
    objects = {0: ground}
    for i, item in enumerate(data["objects"]):
        if item["objectType"] == "RigidBody":
            reference = data["nodes"][int(item["nodeNumber"])]["referenceCoordinates"]
            place = {"position": reference[:3], "euler_parameters": reference[3:]}
            mass = {"mass": item["physicsMass"], "inertia": item["physicsInertia"]}
            objects[i] = world.add(RigidBody3D, **place, **mass, center_of_mass=item["physicsCenterOfMass"])
            bodies.append(objects[i])
    markers = []
    for item in data["markers"]:
        if item["markerType"] == "NodePosition":
            markers.append(position_marker(world, world.entity(int(bodies[int(item["nodeNumber"])].node))))
        elif item["markerType"] == "BodyPosition":
            markers.append(position_marker(world, objects[int(item["bodyNumber"])], item["localPosition"]))
        else:
            markers.append(objects[int(item["bodyNumber"])])
    for item in data["objects"]:
        if item["objectType"] == "JointSpherical":
            ends = {f"marker{k}": markers[int(i)] for k, i in enumerate(item["markerNumbers"])}
            world.add(SphericalJoint, **ends, axes=np.array(item["constrainedAxes"], dtype=bool))
    for item in data["loads"]:
        world.add(MassProportional, body=markers[int(item["markerNumber"])], acceleration=item["loadVector"])
    return world, bodies


def test_chain_in_space() -> None:
    """The motion of the chain on spherical joints agrees with the model sphericalJointTest of Exudyn 1.11.0
    (generalised-alpha with the spectral radius 0.6).

    Exudyn ends its Newton runs with a lagged Jacobian at a relative residual of 1e-8. The results of Exudyn therefore
    have errors of about 1e-10 in coordinates, and 1e-3 in accelerations of up to 70 rad/s^2 and in forces of up to 70
    N.
    """
    world, bodies = create_chain()
    with np.load(MODELS / "sphericalJointTest_trace0.npz") as trace:
        q, v, a, forces = trace["q"], trace["q_t"], trace["q_tt"], trace["ae"][:, 4:]
    # settings with which Exudyn computed the recorded motion
    original: dict[str, Any] = {"rotations": "parameters", "project": False}
    solver = Dynamic(world, step=1e-3, end=1.0, spectral_radius=0.6, lag=False, **original)
    for state in solver.march():
        k = state.step
        assert_allclose(state.q, q[k], atol=1e-9, rtol=0)
        assert_allclose(state.v, v[k], atol=1e-6, rtol=0)
        assert_allclose(state.a, a[k], atol=1e-2, rtol=0)
        assert_allclose(state.lam[4:], forces[k], atol=2e-2, rtol=0)
    assert solver.statistics.newton_iterations == 2000
    assert solver.statistics.fallbacks == 0, "the mass matrix is positive definite: LU needs no pivots"
    total = state.q[:14] + world.numbering.reference[:14]
    assert_allclose(np.abs(total).sum(), 4.409080446575089, atol=1e-8, rtol=0)
    turned = np.array([state.of(body)[0, 3:] for body in bodies])
    turned[:, 0] += 1.0
    assert_allclose((turned**2).sum(axis=1), 1.0, atol=1e-12, err_msg="length of the Euler parameters")


def test_mass_point_in_space() -> None:
    """The free flight of a mass point agrees with the exact parabola, because every method of the Newmark family
    integrates a constant acceleration exactly.
    """
    world = World(gravity=(0.0, 0.0, -GRAVITY))
    point = world.add(MassPoint, position=(1.0, 1.0, 2.0), velocity=(0.5, -1.0, 3.0), mass=2.0)
    state = Dynamic(world, step=0.01, end=1.0).solve()
    assert_allclose(eval_output(point, "position", state), (1.5, 0.0, 5.0 - 0.5 * GRAVITY), atol=1e-12)
    assert_allclose(eval_output(point, "velocity", state), (0.5, -1.0, 3.0 - GRAVITY), atol=1e-12)


class Linkage:
    """A slider-crank: ground, crank, rod and slider, three pins and one prismatic joint, one degree of freedom.

    The crank of 0.5 m starts with 4 rad/s. The axis of the slider lies 0.1 m above the crank's pin.
    """

    def __init__(self) -> None:
        self.world = world = World(gravity=(0.0, -GRAVITY, 0.0))
        r, l, phi, height, speed = 0.5, 1.5, 0.7, 0.1, 4.0
        elbow = r * np.array((np.cos(phi), np.sin(phi)))
        beta = -np.arcsin((elbow[1] - height) / l)
        along, across = np.array((np.cos(beta), np.sin(beta))), np.array((-np.sin(beta), np.cos(beta)))
        elbow_rate = speed * np.array((-elbow[1], elbow[0]))
        beta_rate = -elbow_rate[1] / (l * np.cos(beta))
        middle_rate, pin_rate = (elbow_rate + beta_rate * s * l * across for s in (0.5, 1.0))

        def add(position: Any, angle: float, mass: float, inertia: float, velocity: Any, turning: float) -> Entity:
            place = {"position": position, "angle": angle, "velocity": (*velocity, turning)}
            return world.add(RigidBody2D, **place, mass=mass, inertia=inertia)

        crank = add(elbow / 2, phi, 2.0, 2.0 * r**2 / 12, elbow_rate / 2, speed)
        rod = add(elbow + 0.5 * l * along, beta, 1.0, l**2 / 12, middle_rate, beta_rate)
        slider = add(elbow + l * along, 0.0, 3.0, 0.01, pin_rate, 0.0)
        self.bodies = [crank, rod, slider]
        ground = world.add(Ground)

        def marker(body: Entity, x: float = 0.0, y: float = 0.0) -> Entity:
            return rigid_marker(world, body, (x, y))

        ends = [
            (marker(ground), marker(crank, -r / 2)),
            (marker(crank, r / 2), marker(rod, -l / 2)),
            (marker(rod, l / 2), marker(slider)),
        ]
        self.joints = [world.add(RevoluteJoint2D, marker0=m0, marker1=m1) for m0, m1 in ends]
        axis = marker(ground, 0.0, height)
        self.joints.append(world.add(PrismaticJoint2D, marker0=axis, marker1=marker(slider), axis=(1.0, 0.0)))

    def energy(self, state: State) -> float:
        """Return kinetic and potential energy [J]."""
        return sum(
            float(eval_output(body, "kinetic_energy", state))
            + GRAVITY * float(body.mass) * float(eval_output(body, "position", state)[1])
            for body in self.bodies
        )

    def gap(self, state: State) -> float:
        """Return the largest violation [m, 1] of the equations of a joint."""
        return max(float(np.abs(eval_output(joint, "gap", state)).max()) for joint in self.joints)


@pytest.mark.parametrize(
    ("method", "gap"),
    # at rate level (index 2), positions have the error of the integrator, without drift over many turns
    [("generalized_alpha", 1e-11), ("trapezoidal_index2", 2e-5)],
)
def test_linkage_of_four_bars(method: str, gap: float) -> None:
    """Over 10 000 steps, the energy error of a linkage of four bars has order h², which is the order of the integrator,
    and the constraints are satisfied.

    With h = 1e-3 s and angular velocities up to 10 rad/s, (ω h)² = 1e-4.
    """
    linkage = Linkage()
    start = linkage.energy(State(linkage.world))
    errors, gaps, crank = [], [], []
    solver = Dynamic(linkage.world, step=1e-3, end=10.0, method=method)
    for state in solver.march():
        crank.append(state.v[2])
        if state.step % 50 == 0:
            errors.append(abs(linkage.energy(state) - start))
            gaps.append(linkage.gap(state))
    assert solver.statistics.steps == 10_000
    assert max(gaps) < gap
    assert max(errors) < 3e-4 * start
    first, last = max(errors[:100]), max(errors[100:])
    assert last < 1.5 * first, "errors of the second half are those of the first: no drift"
    assert 1e-3 * sum(crank) > 7.0 * 2 * np.pi, "whole turns of the crank"


@pytest.mark.parametrize("method", ["generalized_alpha", "trapezoidal_index2"])
def test_free_body(method: str) -> None:
    """A free asymmetric body with its node off the centre of mass conserves energy and angular momentum to order 2, and
    conserves momentum.
    """
    errors = []
    for step in (8e-3, 4e-3, 2e-3):
        world = World()
        body = world.add(
            RigidBody3D,
            position=(0.4, -0.2, 0.1),
            velocity=(1.0, 0.5, -0.3),
            angular_velocity=(0.3, 4.0, 0.5),
            euler_parameters=euler_parameters((1.0, 1.0, 0.3), 0.8),
            mass=1.7,
            inertia=INERTIA,
            center_of_mass=(0.2, -0.3, 0.4),
        )
        names = ("kinetic_energy", "angular_momentum", "momentum")
        start = [eval_output(body, name, State(world)) for name in names]
        end = Dynamic(world, step=step, end=2.0, method=method).solve()
        change = [np.abs(eval_output(body, name, end) - old).max() for name, old in zip(names, start, strict=True)]
        errors.append([c / np.abs(old).max() for c, old in zip(change, start, strict=True)])
    relative = np.array(errors)
    assert (relative[-1] < 1e-3).all()
    orders = np.log2(relative[:-1] / relative[1:])
    assert (orders > 1.7).all(), f"orders {orders}"


def create_pendulum(spatial: bool) -> tuple[World, Entity]:
    """Create a pendulum of 1 m that starts horizontally, in 2D on a pin, or in 3D on a hinge about z."""
    world = World(gravity=(0.0, -GRAVITY, 0.0))
    ground = rigid_marker(world, world.add(Ground))
    if spatial:
        body = world.add(RigidBody3D, position=(0.5, 0.0, 0.0), mass=1.0, inertia=(0.1, 0.2, 1.0 / 12.0))
        end = rigid_marker(world, body, (-0.5, 0.0, 0.0))
        world.add(GenericJoint, marker0=ground, marker1=end, rotations=(True, True, False))
    else:
        body = world.add(RigidBody2D, position=(0.5, 0.0), mass=1.0, inertia=1.0 / 12.0)
        world.add(RevoluteJoint2D, marker0=ground, marker1=rigid_marker(world, body, (-0.5, 0.0)))
    return world, body


@pytest.mark.parametrize("rotations", ["steady", "parameters"])
@pytest.mark.parametrize("method", ["generalized_alpha", "trapezoidal_index2"])
def test_pendulum_in_space_and_in_the_plane(method: str, rotations: str) -> None:
    """The 2D and the 3D pendulum converge to the same motion with order 2 (they differ in their coordinates of the
    rotation).

    In steady rotation, the two pendulums differ less. With generalised-alpha, the difference passes through 0 near 4
    ms.
    """
    differences = []
    for step in (4e-3, 2e-3):
        ends = []
        for spatial in (True, False):
            world, body = create_pendulum(spatial)
            state = Dynamic(world, step=step, end=2.0, method=method, rotations=rotations).solve()
            ends.append(eval_output(body, "position", state))
        assert_allclose(ends[0][2], 0.0, atol=1e-9)
        differences.append(float(np.abs(ends[0] - ends[1]).max()))
    assert differences[1] < (5e-7 if rotations == "steady" else 2e-6)
    if (method, rotations) != ("generalized_alpha", "steady"):
        assert np.log2(differences[0] / differences[1]) > 1.7


def test_static_equilibrium_in_space() -> None:
    """For a plate on three springs under an eccentric weight, forces and moments balance, and the plate stays at rest
    in dynamics.
    """
    world = World(gravity=(0.0, 0.0, -GRAVITY))
    plate = world.add(
        RigidBody3D, position=(0.0, 0.0, 0.0), mass=2.0, inertia=(0.1, 0.1, 0.2), center_of_mass=(0.1, 0.05, 0.02)
    )
    corners = [(0.5, 0.0, 0.0), (-0.3, 0.4, 0.0), (-0.3, -0.4, 0.0)]
    ground = world.add(Ground)
    springs = [
        world.add(
            CartesianSpringDamper,
            marker0=position_marker(world, ground, corner),
            marker1=position_marker(world, plate, corner),
            stiffness=(80.0, 80.0, 60.0),
        )
        for corner in corners
    ]
    state = Static(world, load_steps=2).solve()
    force, moment, weight = np.zeros(3), np.zeros(3), np.array((0.0, 0.0, -2.0 * GRAVITY))
    for spring, corner in zip(springs, corners, strict=True):
        pull = -eval_output(spring, "force", state)
        force += pull
        moment += np.cross(eval_output(plate, "position", state, local=corner), pull)
    center = eval_output(plate, "position", state, local=(0.1, 0.05, 0.02))
    assert_allclose(force + weight, 0.0, atol=1e-8)
    assert_allclose(moment + np.cross(center, weight), 0.0, atol=1e-8)
    assert np.abs(eval_output(plate, "rotation", state) - np.eye(3)).max() > 0.05
    assert_allclose(state.lam, 0.0, atol=1e-8, err_msg="nothing acts along the Euler parameters")
    still = Dynamic(world, step=1e-3, end=0.05).solve(state)
    assert_allclose(still.q, state.q, atol=1e-9)


def test_clamped_body_stays() -> None:
    world = World(gravity=(1.0, 2.0, -GRAVITY))
    turned = euler_parameters((0.0, 1.0, 0.2), 3.0)  # e0 is small in this state, so e0 is one of the fixed parameters
    body = world.add(RigidBody3D, position=(1.0, 2.0, 3.0), euler_parameters=turned, mass=1.0, inertia=(1.0, 2.0, 2.5))
    clamp(world, body)
    state = Dynamic(world, step=1e-2, end=0.1).solve()
    assert_allclose(state.q, 0.0, atol=1e-12)
