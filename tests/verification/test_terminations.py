"""Ends of ropes on bodies: the torques of sockets and swivels, and the rotation of hook blocks on two falls, agree with
theory.

Source: K. Feyrer, Wire Ropes, Springer (2015), chapter 2 (torque of ropes, rotation of hook blocks).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.interpolate import CubicSpline
from scipy.optimize import brentq, minimize_scalar

import windlass as wl
from windlass import connectors as con
from windlass.elements import (
    Ground,
    PointSlope3D,
    PointSlopeTwist3D,
    RigidBody3D,
    RigidNode3D,
    euler_parameters,
    nodes_of,
    straight_beam,
    straight_cable,
)

ROPE = {"axial_stiffness": 8e6, "bending_stiffness": 1.0, "torsional_stiffness": 60.0, "mass_per_length": 0.9}
INERTIA = {"rotary_inertia": 3e-5}


def hang(fixed: bool, **columns: Any) -> tuple[wl.World, Any, Any, Any]:
    """Create a rope and a block of 400 kg with inclined axes at the lower end of the rope. The block can move in all
    directions, but cannot rotate. Return the world, the rope, the block, and the joint between rope and block.
    """
    world = wl.World(gravity=(0.0, 0.0, -9.81))
    rope = straight_cable(world, (0, 0, 0), (0, 0, -6), 4, coupling=9e3, **ROPE, **INERTIA)
    nodes = nodes_of(world, rope)
    con.socket(world, nodes[0], world.add(Ground, position=(0.3, 0.0, 1.0)))
    e = euler_parameters((1.0, 2.0, 0.5), 0.7)
    block = world.add(RigidBody3D, position=(0, 0, -6.5), euler_parameters=e, mass=400.0, inertia=3.0)
    joint = (con.socket if fixed else con.swivel)(world, nodes[4], block, **columns)
    guide = [con.rigid_marker(world, entity) for entity in (world.add(Ground, position=(0, 0, -6.5)), block)]
    turned = wl.elements.rotation_matrix(np.array(e))
    world.add(
        con.GenericJoint, marker0=guide[0], marker1=guide[1], translations=(False,) * 3, rotations=(False, False, True),
        frame1=turned.T,
    )  # fmt: skip
    return world, rope, block, joint


@pytest.mark.parametrize("fixed", [True, False])
def test_socket_and_swivel(fixed: bool) -> None:
    """A rope on a socket has the torque C N/EA. A rope on a swivel has no torque and has the twist -C ε/GJ.
    The user gives neither frames nor a position on the block for the joints.
    """
    world, rope, _, joint = hang(fixed)
    assert np.abs(wl.eval_output(joint, "gap", wl.State(world))).max() < 1e-12
    state = wl.Static(world, rtol=1e-11, name="").solve()
    N = wl.eval_output(rope, "axial_force", state)
    torque, twist = wl.eval_output(rope, "torque", state), wl.eval_output(rope, "twist", state)
    if fixed:
        assert_allclose(torque, 9e3 * N.mean() / 8e6, rtol=1e-6)
    else:
        assert_allclose(torque, 0.0, atol=1e-9)
        assert_allclose(twist, -9e3 * N / (8e6 * 60.0 - 9e3**2), rtol=1e-4)


def test_swivel_about_an_axis() -> None:
    """A swivel between a beam and a body is a hinge about the given axis."""
    world = wl.World(gravity=(0.0, 0.0, -9.81))
    arm = straight_beam(
        world, (0, 0, 0), (1, 0, 0), 1, stiffness=(1e7, 1e7, 1e7, 1e4, 1e4, 1e4), mass_per_length=1.0,
        rotary_inertia=(1e-3, 1e-3, 1e-3),
    )  # fmt: skip
    body = world.add(RigidBody3D, position=(1.5, 0, 0), mass=2.0, inertia=0.1)
    con.socket(world, nodes_of(world, arm)[0], world.add(Ground))
    joint = con.swivel(world, nodes_of(world, arm)[2], body, axis=(0.0, 2.0, 0.0), name="hinge")
    state = wl.Dynamic(world, step=2e-3, end=0.2, name="").solve()
    # a physical pendulum that starts horizontally: θ'' = -m g s cos θ/(Θ + m s²), so θ is proportional to t² at first
    rate = 2.0 * 9.81 * 0.5 / (0.1 + 2.0 * 0.25)
    p = wl.eval_output(body, "position", state) - wl.eval_output(nodes_of(world, arm)[2], "position", state)
    assert_allclose(np.linalg.norm(p), 0.5, rtol=1e-9)
    assert_allclose(np.arcsin(-p[2] / 0.5), 0.5 * rate * 0.2**2, rtol=0.05)
    assert_allclose(p[1], 0.0, atol=1e-10)
    assert joint.name == "hinge"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda w, e, b: con.socket(w, w.add(PointSlope3D, position=(0, 0, 0)), b), "a Cable3D has no torsion"),
        (lambda w, e, b: con.socket(w, e, [b, b]), "socket has 1 ends and 2 bodies: must have one body, or one"),
        (lambda w, e, b: con.swivel(w, e, b, axis=(0, 0, 0)), r"axis = \[0, 0, 0\] of swivel: must have a length > 0"),
        (
            lambda w, e, b: con.swivel(w, e, w.add(RigidNode3D, position=(3, 4, 0))),
            "node <RigidNode3D 2> of swivel is 5 m away from the end: must be a node at the position of the end, or a "
            "RigidBody3D with this node",
        ),
        (
            lambda w, e, b: con.socket(w, e, w.add(PointSlopeTwist3D, position=(0, 0, 2), slope=(1, 0, 0))),
            "node <PointSlopeTwist3D 0> of socket is 2 m away from the end: must be a node at the position of the end$",
        ),
        (lambda w, e, b: con.socket(w, w.add(Ground), w.add(Ground)), "end and body of socket are both Ground: one of"),
        (lambda w, e, b: con.socket(w, e, e), "end 0 of socket and its body <RigidNode3D 0> are the same RigidNode3D"),
        (
            lambda w, e, b: con.swivel(w, e, w.add(RigidBody3D, node=e, mass=1.0, inertia=1.0)),
            "end 0 of swivel and its body <RigidBody3D 1> are the same RigidNode3D",
        ),
        (
            lambda w, e, b: con.socket(w, e, b, rotations=(True, False, False)),
            "rotations of socket: must be left out, as socket determines it; allowed are name, active, offset, "
            "offset_function, offset_rate_function, translations",
        ),
        (
            lambda w, e, b: con.swivel(w, e, b, frame0=np.eye(3)),
            "frame0 of swivel: must be left out, as swivel determines it; allowed are name",
        ),
        (lambda w, e, b: con.socket(w, e, b, marker0=e), "marker0 of socket: must be left out, as socket"),
    ],
)
def test_wrong_ends(call: Any, words: str) -> None:
    world = wl.World()
    end = world.add(RigidNode3D, position=(0, 0, 0))
    body = world.add(RigidBody3D, position=(0, 0, 1), mass=1.0, inertia=1.0)
    with pytest.raises(wl.ModelError, match=words):
        call(world, end, body)


class Falls:
    """A hook block on falls of equal lay. The ends of the falls are on circles with the radius a at the top and b at
    the block.
    """

    def __init__(self, seed: int, coupling: float, count: int = 2) -> None:
        rng, self.count = np.random.default_rng(seed), count
        self.a, self.b = rng.uniform(0.25, 0.4), rng.uniform(0.15, 0.3)
        self.L, self.mass, self.C = rng.uniform(8.0, 14.0), rng.uniform(800.0, 2000.0), coupling
        self.inertia = rng.uniform(10.0, 30.0)

    def build(self) -> tuple[wl.World, Any, Any]:
        """Return the world, the block and the joint that turns the block about z by a given angle."""
        world = wl.World(gravity=(0.0, 0.0, -9.81))
        ground = world.add(Ground)
        height = np.sqrt(self.L**2 - (self.a - self.b) ** 2)
        block = world.add(RigidBody3D, position=(0, 0, -height - 0.4), mass=self.mass, inertia=self.inertia)
        for angle in 2.0 * np.pi * np.arange(self.count) / self.count:
            x, y = np.cos(angle), np.sin(angle)
            fall = straight_cable(
                world, (self.a * x, self.a * y, 0), (self.b * x, self.b * y, -height), 4, normal=(-y, x, 0),
                coupling=self.C, reference_strain=-self.mass * 9.81 / self.count / 8e6,
                **{**ROPE, "mass_per_length": 1e-3}, **INERTIA,
            )  # fmt: skip
            con.socket(world, nodes_of(world, fall)[0], ground, bends=True)
            con.socket(world, nodes_of(world, fall)[4], block, bends=True)
        markers = [con.rigid_marker(world, entity) for entity in (world.add(Ground, position=(0, 0, -height)), block)]
        held = {"translations": (False,) * 3, "rotations": (False, False, True)}
        drive = world.add(con.GenericJoint, marker0=markers[0], marker1=markers[1], **held)
        return world, block, drive

    def moment(self, angle: float) -> float:
        """Return the restoring moment [N m] of the falls about z."""
        a, b, EA, GJ = self.a, self.b, ROPE["axial_stiffness"], ROPE["torsional_stiffness"]
        h = np.sqrt(self.L**2 - a * a - b * b + 2.0 * a * b * np.cos(angle))
        pull = self.mass * 9.81
        N = pull * self.L / h / self.count
        # the axis of a fall points downwards, so a positive twist of the fall is a negative rotation about z
        torque = self.C * N / EA - (GJ - self.C**2 / EA) * angle / self.L
        return float(pull * a * b * np.sin(angle) / h - self.count * torque * h / self.L)


@pytest.mark.parametrize(("seed", "count"), [(21, 2), (22, 2), (23, 2), (24, 4), (25, 6)])
def test_hook_block_on_falls(seed: int, count: int) -> None:
    """The moment that turns a hook block agrees with theory within 1 % from 0 to 150°. The angle of the largest moment,
    beyond which the block spins, the angle of equilibrium, and the frequency of oscillations about the equilibrium also
    agree within 1 %.
    """
    falls = Falls(seed, 1.2e4 * 2.0 / count, count)
    world, block, drive = falls.build()
    state, angles, found = wl.State(world), np.radians(np.arange(0.0, 151.0, 15.0)), []
    for angle in angles:
        world.set(drive, offset=(0.0, 0.0, 0.0, 0.0, 0.0, angle))
        state = wl.Static(world, rtol=1e-10, stability="off", name="").solve(state)
        found.append(-wl.eval_output(drive, "torque", state)[2])
    exact = np.array([falls.moment(angle) for angle in angles])
    assert_allclose(found, exact, atol=2e-3 * exact.max())
    largest = minimize_scalar(lambda angle: -falls.moment(angle), bounds=(0.5, 2.5), method="bounded").x
    curve = CubicSpline(angles, found)
    assert_allclose(
        minimize_scalar(lambda angle: -curve(angle), bounds=(0.5, 2.5), method="bounded").x, largest, rtol=5e-3
    )
    assert_allclose(curve(largest), falls.moment(largest), rtol=5e-3)
    # equilibrium of the free block
    world.set(drive, active=False)
    state = wl.Static(world, rtol=1e-11, name="").solve(wl.State(world))
    frame = wl.eval_output(block, "rotation", state)
    at_rest = brentq(falls.moment, 0.0, 1.0)
    assert_allclose(np.arctan2(frame[1, 0], frame[0, 0]), at_rest, rtol=5e-3)
    stiffness = (falls.moment(at_rest + 1e-4) - falls.moment(at_rest - 1e-4)) / 2e-4
    known = np.sqrt(stiffness / falls.inertia) / (2.0 * np.pi)
    frequencies = wl.Modes(world, count=5).solve(state).frequencies
    assert np.abs(frequencies / known - 1.0).min() < 5e-3
