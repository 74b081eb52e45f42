"""3D cables are compared with 2D cables, with theory and with finer meshes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import j0, jn_zeros

from windlass.connectors import Force, hinge, position_marker
from windlass.elements import catenary, nodes_of, straight_cable
from windlass.framework.assembly.assembly import serial_assembly
from windlass.framework.model.world import World
from windlass.framework.state.assemble import assemble_mass, assemble_matrix
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.state import State
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.explicit import Explicit
from windlass.solvers.static import Static
from windlass.testing import check_tangent

from support.cables import residual, shake
from support.cables3d import create_spatial_cables, rotation
from support.matrices import dense
from support.spatial_models import Chain

TURNED = rotation((1.0, 2.0, -0.5), 1.1)
ROPE = {
    "mass_per_length": 0.5,
    "axial_stiffness": 1e4,
    "bending_stiffness": 0.1,
    "axial_damping": 2.0,
    "bending_damping": 1e-3,
}
ELASTICA = 0.30172077
"""Deflection of the end of a cantilever with P L²/EI = 1, divided by its length, by elliptic integrals; see
docs/explanation/theory/cable.md.
"""


def assert_in_plane(chain: Chain, given: Any, expected: Any, tolerance: float = 1e-10) -> None:
    """Check that the coordinates of a 3D chain equal the coordinates of a 2D chain, and that no node leaves the
    plane.
    """
    inside, outside = chain.in_plane(given)
    size = np.abs(expected).max()
    assert_allclose(inside.ravel(), expected, rtol=0, atol=tolerance * size)
    assert_allclose(outside, 0.0, atol=tolerance * size)


def swing(R: Any, **columns: Any) -> tuple[Chain, State, State]:
    """Simulate a rope that hangs from two points, one of which is then released."""
    chain = Chain(R, gravity=(0.0, -9.81), **{**ROPE, **columns})
    chain.hinge()
    hold = chain.hinge(8)
    hanging = Static(chain.world, load_steps=2, rtol=1e-12, name="").solve()
    chain.world.set(hold, active=False)
    return chain, hanging, Dynamic(chain.world, step=2e-4, end=0.2, name="").solve(hanging)


def test_a_rope_swings_as_in_the_plane() -> None:
    """The results of statics and of 1000 dynamic steps of a 3D rope agree with the results of a 2D rope within 1e-10,
    in the x-y plane and in a second plane.
    """
    _, hanging, moving = swing(None)
    for R in (np.eye(3), TURNED):
        chain, here, after = swing(R)
        assert_in_plane(chain, here.q, hanging.q)
        for name in ("q", "v"):
            assert_in_plane(chain, getattr(after, name), getattr(moving, name))
        if R is not TURNED:
            # in the x-y plane, the displacement normal to the plane is exactly 0
            assert not chain.in_plane(after.q)[1].any()


@pytest.mark.parametrize(
    "method",
    ["generalized_alpha", "generalized_alpha_index2", "newmark", "trapezoidal_index2", "verlet", "rk"],
)
def test_integrators(method: str) -> None:
    """For every type of integration method, the 3D result equals the 2D result."""
    after = []
    for R in (None, TURNED):
        chain = Chain(R, 4, gravity=(3.0, -9.81), **ROPE)
        chain.force((0.0, 1.0))
        explicit = method in ("verlet", "rk")
        solver: Any = Explicit if explicit else Dynamic
        step = 2e-5 if explicit else 1e-3
        after.append((chain, solver(chain.world, step=step, end=20 * step, method=method, name="").solve()))
    (_, plane), (chain, space) = after
    assert_in_plane(chain, space.q, plane.q)
    assert_in_plane(chain, space.v, plane.v)


@pytest.mark.parametrize("elements", [2, 8])
def test_elastica(elements: int) -> None:
    """The cantilever of the table in docs/explanation/theory/cable.md is bent in three different planes. The deflection
    agrees with elliptic integrals.
    """
    planes = {"x, y": np.eye(3), "y, z": np.roll(np.eye(3), 1, axis=0), "z, x": np.roll(np.eye(3), 2, axis=0)}
    flat = bend(None, elements)
    assert abs(flat) < {2: 2e-3, 8: 1e-5}[elements]
    for R in planes.values():
        assert_allclose(bend(R, elements), flat, rtol=0, atol=1e-10)


def bend(R: Any, elements: int) -> float:
    """Return the relative error [1] of the end deflection of a cantilever."""
    chain = Chain(R, elements, mass_per_length=1.0, axial_stiffness=1e8, bending_stiffness=1.0)
    chain.clamp()
    chain.force((0.0, 1.0))
    state = Static(chain.world, load_steps=4, rtol=1e-12, name="").solve()
    return float(chain.in_plane(state.q)[0][-1, 1] / ELASTICA - 1.0)


def test_roll_up() -> None:
    """A moment at the end rolls a cable into a full circle, in a plane of any direction.

    In 3D the circle is an unstable equilibrium, because without torsional stiffness the plane of the circle rotates.
    """
    ends = []
    for R in (None, np.roll(np.eye(3), 1, axis=0), TURNED):
        chain = Chain(R, 16, mass_per_length=1.0, axial_stiffness=1e4, bending_stiffness=1.0)
        chain.clamp()
        chain.torque(2.0 * np.pi)
        state = Static(chain.world, load_steps=10, stability="off", name="").solve()
        inside, outside = chain.in_plane(state.q)
        ends.append(inside[-1])
        assert_allclose(outside, 0.0, atol=1e-12)
    # the end of the closed circle lies at its start
    assert_allclose(ends[0][:2], (-1.0, 0.0), atol=3e-4)
    assert_allclose(ends[1], ends[0], atol=1e-10)
    # the oblique clamp also fixes the stretch at the first node
    assert_allclose(ends[2], ends[0], atol=1e-6)


@pytest.mark.parametrize("integration", [0, 1, 2])
def test_order_of_convergence(integration: int) -> None:
    """For a cable that is bent in two directions, the difference from a finer mesh decreases with the fourth power of
    the element length.
    """
    ends = []
    for elements in (8, 16, 32, 128):
        chain = Chain(
            np.eye(3), elements, mass_per_length=1.0, axial_stiffness=100.0, bending_stiffness=1.0,
            integration=integration,
        )  # fmt: skip
        chain.clamp()
        last = position_marker(chain.world, chain.nodes[elements])
        chain.world.add(Force, marker=last, vector=(-0.3, 1.0, 0.8))
        state = Static(chain.world, load_steps=3, rtol=1e-13, name="").solve()
        ends.append(state.q.reshape(-1, 6)[-1, :3])
    error = np.linalg.norm(np.array(ends[:-1]) - ends[-1], axis=1)
    assert_allclose(np.log2(error[:-1] / error[1:]), 4.0, atol=0.3)


def test_energy_and_momenta() -> None:
    """A free cable that tumbles in 3D conserves linear and angular momentum, and conserves energy within the order of
    the method.
    """
    world = World()
    cable = straight_cable(
        world, (0, 0, 0), (1, 0, 0), 6, mass_per_length=0.5, axial_stiffness=100.0, bending_stiffness=0.05
    )
    nodes = nodes_of(world, cable)
    state = State(world)
    line = np.linspace(0.0, 1.0, 7)
    velocity = state.v.reshape(-1, 6)
    velocity[:, 1], velocity[:, 4] = 3.0 * (line - 0.3), 3.0
    velocity[:, 2], velocity[:, 5] = 2.0 * (line - 0.5) ** 2, 4.0 * (line - 0.5)
    M = dense(assemble_mass(world, state))
    reference = serial_assembly(world).layout.reference[:-1]

    def measure(s: State) -> Any:
        p = (M @ s.v).reshape(-1, 6)
        x = (reference + s.q).reshape(-1, 6)
        turning = np.cross(x[:, :3], p[:, :3]).sum(axis=0) + np.cross(x[:, 3:], p[:, 3:]).sum(axis=0)
        assembly = serial_assembly(world)
        assembly.load_fields(s)
        return p[:, :3].sum(axis=0), turning, 0.5 * s.v @ M @ s.v + assembly.energy()

    linear, turning, energy = measure(state)
    drift = []
    for step in (2e-3, 1e-3):
        after = Dynamic(world, step=step, end=1.0, method="trapezoidal_index2", rtol=1e-11, name="").solve(state.copy())
        now = measure(after)
        assert_allclose(now[0], linear, atol=1e-9)
        assert_allclose(now[1], turning, rtol=0, atol=5e-4 * np.abs(turning).max())
        drift.append(abs(now[2] / energy - 1.0))
    assert drift[1] < 2e-4
    assert len(nodes) == 7


def test_conical_pendulum_of_a_chain() -> None:
    """The shape of a rotating chain is x = a J0(2 ω √(s/g)) with ω = j/2 √(g/L), and does not change with time."""
    length, g, a, elements = 1.0, 9.81, 1e-3, 24
    world = World(gravity=(0.0, 0.0, -g))
    cable = straight_cable(
        world, (0, 0, 0), (0, 0, -length), elements, mass_per_length=1.0, axial_stiffness=1e5, bending_stiffness=1e-5
    )
    nodes = nodes_of(world, cable)
    hinge(world, nodes[0])
    state = Static(world, load_steps=3, stabiliser=1e3, name="").solve()
    # j is the second zero of J0 and belongs to the second whirling mode, which has a node between the ends
    j = jn_zeros(0, 2)[1]
    omega = 0.5 * j * np.sqrt(g / length)
    s = np.maximum(np.linspace(length, 0.0, elements + 1), 1e-12)
    shape = a * j0(2.0 * omega * np.sqrt(s / g))
    from scipy.special import j1  # imported inside the function, because only the slopes need this function

    slope = a * j1(2.0 * omega * np.sqrt(s / g)) * omega / np.sqrt(s * g)
    q, v = state.q.reshape(-1, 6), state.v.reshape(-1, 6)
    q[:, 0], q[:, 3] = shape, slope
    v[:, 1], v[:, 4] = omega * shape, omega * slope
    turns, steps = 2, 400
    end = turns * 2.0 * np.pi / omega
    after = Dynamic(world, step=end / steps, end=end, method="generalized_alpha", name="").solve(state)
    x, y = after.q.reshape(-1, 6)[:, 0], after.q.reshape(-1, 6)[:, 1]
    assert_allclose(np.hypot(x, y), np.abs(shape), rtol=0, atol=0.01 * a)
    # after whole turns the chain has its initial position, except for the phase error of the method
    assert_allclose(x, shape, rtol=0, atol=0.01 * a)
    assert_allclose(y, 0.0, atol=0.02 * a)


def test_string_in_the_wind() -> None:
    """A 3D string under its weight and a horizontal load agrees with the catenary in the plane of the resultant."""
    start, end = (0.0, 0.0, 0.0), (3.0, 1.0, 0.5)
    rope = {"mass_per_length": 0.8, "axial_stiffness": 1e5, "bending_stiffness": 1e-7}
    world = World(gravity=(0.5, 4.0, -9.81))
    cable = straight_cable(world, start, end, 24, **rope, length=3.6 / 24)
    nodes = nodes_of(world, cable)
    for node in (0, 24):
        hinge(world, nodes[node])
    state = Static(world, load_steps=5, stabiliser=1e3, name="").solve()
    exact_world = World(gravity=(0.5, 4.0, -9.81))
    exact = catenary(exact_world, start, end, 24, length=3.6, **rope)
    for node in (0, 24):
        hinge(exact_world, nodes_of(exact_world, exact)[node])
    expected = eval_output(nodes_of(exact_world, exact), "position", State(exact_world))
    assert_allclose(eval_output(nodes, "position", state), expected, rtol=0, atol=2e-4)
    # the start is the catenary, so Newton's method only has to find the effect of bending
    solver = Static(exact_world, load_steps=1, name="")
    moved = solver.solve()
    assert solver.statistics.newton_iterations <= 3
    assert np.abs(moved.q.reshape(-1, 6)[:, :3]).max() < 2e-4


def pull(t: float, x: Any, eps: Any, eps_t: Any, eps_ref: Any, *rest: Any) -> Any:
    """Return the axial force of a rope that carries no compression."""
    return rest[-1].axial_stiffness * np.maximum(eps - eps_ref, 0.0)


def bend_law(t: float, x: Any, eps: Any, eps_t: Any, eps_ref: Any, kap: Any, kap_t: Any, kap_ref: Any, p: Any) -> Any:
    """Return the bending moment of a linear law for the magnitude of the curvature."""
    return p.bending_stiffness * (kap - kap_ref) + p.bending_damping * kap_t


@pytest.mark.parametrize("objective", [True, False])
def test_a_curved_cable_turns_as_a_whole(objective: bool) -> None:
    """With a law for |κ|, the forces of a curved cable rotate with the cable. With the linear law, the direction of the
    reference curvature in space is constant.
    """
    law = {"bending_moment_function": bend_law} if objective else {}
    chain = Chain(np.eye(3), 8, **ROPE, reference_curvature=(0.0, 0.0, 1.5), **law)
    state = State(chain.world)
    reference = serial_assembly(chain.world).layout.reference[:-1].reshape(-1, 6)
    angle = np.linspace(0.0, 1.5, 9)
    arc = np.column_stack((np.sin(angle) / 1.5, (1 - np.cos(angle)) / 1.5, np.zeros(9)))
    tangent = np.column_stack((np.cos(angle), np.sin(angle), np.zeros(9)))
    forces = []
    for R in (np.eye(3), TURNED, rotation((1, 0, 0), 2.5)):
        state.q[:] = (np.hstack((arc @ R.T, tangent @ R.T)) - reference).ravel()
        moment = eval_output(chain.cables, "bending_moment", state)
        forces.append((residual(chain.world, state).reshape(-1, 3) @ R).ravel())
        if objective:
            # the error is due to the cubic shape functions
            assert np.abs(moment).max() < 2e-3 * 0.15
    change = max(np.abs(f - forces[0]).max() for f in forces[1:])
    assert change < 1e-10 if objective else change > 0.1


def test_laws_of_users() -> None:
    """A user law for the axial force does not change the linear bending, and tangents agree with differences."""
    for columns in ({"axial_force_function": pull}, {"bending_moment_function": bend_law}, {}):
        world, _, state = create_spatial_cables(3, chain=True, axial_damping=0.0, **columns)
        check_tangent(world, shake(state), states=0, tolerance=5e-8)
    slack = Chain(np.eye(3), 1, **ROPE, axial_force_function=pull)
    compressed = State(slack.world)
    compressed.q[6] = -0.1
    assert_allclose(eval_output(slack.cables, "axial_force", compressed, x=0.5), 0.0, atol=0.0)


def test_a_law_that_says_the_same() -> None:
    """Linear laws that are given as user functions have the same forces and tangents as the built-in laws, even where a
    cable is straight.
    """

    def pull_linear(t: float, x: Any, eps: Any, eps_t: Any, eps_ref: Any, *rest: Any) -> Any:
        return rest[-1].axial_stiffness * (eps - eps_ref) + rest[-1].axial_damping * eps_t

    found = []
    laws = {"axial_force_function": pull_linear, "bending_moment_function": bend_law}
    for law in ({}, laws):
        # the bending damping is 0, because the law for |κ| has a different damping
        given = {"reference_curvature": (0.0, 0.0, 0.0), "bending_damping": 0.0, **law}
        world, _, state = create_spatial_cables(4, chain=True, **given)
        shake(state)
        straight = Chain(np.eye(3), 2, **{**ROPE, "bending_damping": 0.0}, **law)
        at_rest = State(straight.world)
        found.append(
            (
                residual(world, state),
                dense(assemble_matrix(world, state, dq=1.0, dv=0.3)),
                dense(assemble_matrix(straight.world, at_rest)),
            )
        )
    for plain, by_law in zip(*found, strict=True):
        assert_allclose(by_law, plain, rtol=0, atol=1e-7 * np.abs(plain).max())
