"""Tests of `TwistCable3D` and its node: derivatives, objectivity, comparison with `Cable3D`, markers, outputs,
errors.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

from windlass.connectors import (
    Force,
    GenericJoint,
    LineLoad,
    PlaneSurface,
    PositionOnCable3D,
    PositionOnTwistCable3D,
    Torque,
    add_surface_contact,
    clamp,
    fix,
    position_marker,
    rigid_marker,
    sliding_joint,
)
from windlass.elements import (
    Cable3D,
    Ground,
    MassPoint,
    PointSlope3D,
    PointSlopeTwist3D,
    RigidBody3D,
    TwistCable3D,
    cable_along,
    catenary,
    helix,
    nodes_of,
    straight_cable,
)
from windlass.framework.assembly.assembly import serial_assembly
from windlass.framework.errors import ModelError
from windlass.framework.model.world import World
from windlass.framework.output.drawing import Canvas
from windlass.framework.output.scene import Scene
from windlass.framework.state.assemble import assemble_mass
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.state import State
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.failure import NotConverged
from windlass.solvers.modes.modes import Modes
from windlass.solvers.static import Static
from windlass.testing import check_tangent

from support.cables import residual, shake
from support.matrices import dense
from support.rods import COLUMNS, DAMPING, create_rods, find_motion, find_twist, total_coordinates

ROD = {"mass_per_length": 0.5, "rotary_inertia": 1e-3, "axial_stiffness": 1e4, "bending_stiffness": 0.4}


def energies(world: World, state: State) -> Any:
    """Return stored energies of the rods, shape (3, rods), and powers of their damping."""
    assembly = serial_assembly(world)
    assembly.load_fields(state)
    (system,) = (system for system in assembly.systems if system.name == "TwistCable3D")
    reading = system.read_account(assembly.fields)
    return reading.energies, reading.powers


@pytest.mark.parametrize("integration", [0, 1, 2])
def test_tangents_against_differences(integration: int) -> None:
    """Tangents of forces, inertia of the spin and torques on markers agree with differences, with damping and in
    motion.
    """
    world, rods = create_rods(3, integration=integration, **DAMPING)
    nodes = nodes_of(world, rods)
    for node, turns in ((0, True), (3, False)):
        world.add(Torque, marker=rigid_marker(world, nodes[node]), vector=(1.0, 2.0, 3.0), body_fixed=turns)
    state = State(world)
    rng = np.random.default_rng(2)
    state.a[:] = rng.normal(size=len(state.a))
    check_tangent(world, shake(state), states=1, tolerance=2e-8)


def test_residual_is_gradient_of_energy() -> None:
    world, _ = create_rods(2)
    state = State(world)
    shake(state)
    state.v[:] = 0.0

    def energy(k: int, step: float) -> float:
        moved = state.copy()
        moved.q[k] += step
        return float(energies(world, moved)[0].sum())

    gradient = [(energy(k, 1e-6) - energy(k, -1e-6)) / 2e-6 for k in range(len(state.q))]
    f = residual(world, state)
    # central differences of an energy of about 10 J have the rounding error 1e-15 * 10 / 1e-6
    assert_allclose(gradient, f, rtol=0, atol=2e-8 * np.abs(f).max())


def test_objectivity_under_random_rotations() -> None:
    """For 1000 rods of the same shape with different rotations, energies are equal, and forces rotate with the rod."""
    rng, count = np.random.default_rng(5), 1000
    world = World()
    ends = np.array([[0.0, 0.0, 0.0], [0.9, 0.2, 0.1]]), np.array([[1.0, 0.1, -0.2], [0.9, 0.3, 0.4]])
    moves = 0.2 * rng.normal(size=14)
    turns = Rotation.random(count, random_state=3).as_matrix()
    # frames are computed from one of two directions, such that both slopes are within 165° of this direction
    slopes = np.einsum("nij,aj->nai", turns, ends[1] + moves.reshape(2, 7)[:, 3:6])
    across = np.array([0.0, -0.6, 0.8])
    cosines = slopes @ across / np.linalg.norm(slopes, axis=2)
    sign = np.where(cosines.min(axis=1) > -0.9, 1.0, -1.0)
    assert ((sign[:, None] * cosines) > -0.96).all()
    nodes = world.add(
        PointSlopeTwist3D,
        position=np.tile(ends[0], (count, 1)),
        slope=np.tile(ends[1], (count, 1)),
        normal=(0.0, 1.0, 0.3),
        turned_from=np.repeat(sign[:, None] * across, 2, axis=0),
    )
    rods = world.add(TwistCable3D, node0=nodes[::2], node1=nodes[1::2], length=1.0, **COLUMNS)
    state = State(world)
    dofs = state.local_dofs(nodes)
    state.q[dofs.reshape(count, 14)] = moves
    x = total_coordinates(nodes, state)
    frames = eval_output(nodes, "frame", state)
    found, first, f0 = energies(world, state)[0][:, 0], x[:2, :6].reshape(4, 3), residual(world, state)[dofs[:2]]
    turned = state.copy()
    for i in range(count):
        R = turns[i]
        moved = first @ R.T
        for j in range(2):
            node = 2 * i + j
            phi = find_twist(world, nodes[node], R @ frames[j], moved[2 * j + 1])
            turned.q[dofs[node]] = np.append(moved[2 * j : 2 * j + 2], phi) - x[node] + state.q[dofs[node]]
    # An angle is determined only up to full turns. Full turns are added to the angles, so that the twist of each rod is
    # nearest to the twist of the first rod.
    twist = eval_output(rods, "twist", state)[0] - eval_output(rods, "twist", turned)
    turned.q[dofs[1::2, 6]] += 2.0 * np.pi * np.round(twist / (2.0 * np.pi))
    given = energies(world, turned)[0]
    assert_allclose(given, np.tile(found[:, None], (1, count)), rtol=1e-12)
    # in a rotated model, forces on positions are rotated, and torques about the slopes do not change
    f = residual(world, turned)[dofs].reshape(count, 2, 7)
    expected = np.einsum("nij,aj->nai", turns, f0[:, :3])
    size = np.abs(f0).max()
    assert_allclose(f[:, :, :3], expected, rtol=0, atol=1e-12 * size)
    assert_allclose(f[:, :, 6], np.tile(f0[:, 6], (count, 1)), rtol=0, atol=1e-12 * size)


def test_rigid_motion_loses_nothing() -> None:
    """A bent and twisted rod that rotates as a rigid body has no damping forces, and the rates of its strains are 0."""
    world, rods = create_rods(3, **DAMPING)
    state = State(world)
    shake(state)
    nodes = nodes_of(world, rods)
    lost = energies(world, state)[1].sum()
    state.v[state.local_dofs(nodes)] = find_motion(world, nodes, state, (0.3, 1.7, -0.6))
    assert_allclose(energies(world, state)[1], 0.0, atol=1e-20 * lost)
    assert_allclose(eval_output(nodes, "angular_velocity", state), np.tile((0.3, 1.7, -0.6), (4, 1)), rtol=1e-12)
    assert_allclose(eval_output(rods, "angular_velocity", state), np.tile((0.3, 1.7, -0.6), (3, 1)), rtol=1e-12)


@pytest.mark.parametrize("integration", [0, 1, 2])
def test_untwisted_as_cable_without_torsion(integration: int) -> None:
    """Without twist, with equal bending stiffnesses and a straight reference, forces, mass and outputs equal the
    results for `Cable3D`.
    """
    columns = {
        "mass_per_length": 0.7, "axial_stiffness": 500.0, "bending_stiffness": 2.0, "axial_damping": 1.5,
        "reference_strain": 0.02, "integration": integration,
    }  # fmt: skip
    route = helix((0, 0, 0), (0, 0, 1), 1.0, 0.6, pitch=1.5)
    world, plain = World(), World()
    rods = cable_along(world, route, 3, torsional_stiffness=0.8, rotary_inertia=1e-20, **columns)
    cables = cable_along(plain, route, 3, **columns)
    nodes, state, other = nodes_of(world, rods), State(world), shake(State(plain))
    dofs = state.local_dofs(nodes)
    axis, q = dofs[:, :6], other.q.reshape(4, 6)
    state.q[axis], state.v[axis] = q, other.v.reshape(4, 6)
    # the angles contain no twist and no rate of twist
    for k in range(3):
        angles = dofs[k + 1 :, 6]
        state.q[angles] -= eval_output(rods, "twist", state)[k] * rods.length[k]
    assert_allclose(eval_output(rods, "twist", state), 0.0, atol=1e-13)
    expected = residual(plain, other).reshape(4, 6)
    assert_allclose(residual(world, state)[axis], expected, rtol=0, atol=1e-12 * np.abs(expected).max())
    given = dense(assemble_mass(world, state))[np.ix_(axis.ravel(), axis.ravel())]
    assert_allclose(given, dense(assemble_mass(plain, other)), rtol=0, atol=1e-14)
    for name in ("position", "velocity", "director", "curvature", "axial_force", "bending_moment", "axial_strain"):
        one, two = eval_output(rods, name, state, x=0.2), eval_output(cables, name, other, x=0.2)
        assert_allclose(one, two, rtol=0, atol=1e-12 * np.abs(two).max())


def test_frames_are_those_of_outputs_and_markers() -> None:
    """The frame of a node equals the end frame of its element and the frame of its marker, and rotates with the angular
    velocity.
    """
    world, rods = create_rods(3)
    nodes = nodes_of(world, rods)
    markers = rigid_marker(world, nodes)
    world.add(Force, marker=markers)
    state = shake(State(world))
    D = eval_output(nodes, "frame", state)
    assert_allclose(np.einsum("nij,nik->njk", D, D), np.tile(np.eye(3), (4, 1, 1)), atol=1e-14)
    assert_allclose(eval_output(rods, "frame", state, x=0.0), D[:-1], atol=1e-13)
    assert_allclose(eval_output(rods, "frame", state, x=rods.length), D[1:], atol=1e-13)
    assembly = serial_assembly(world)
    assembly.load_fields(state)
    columns = assembly.fields.markers["position marker"]
    assert_allclose(columns.rotation, D, atol=1e-14)
    spin = eval_output(nodes, "angular_velocity", state)
    assert_allclose(columns.angular_velocity, spin, atol=1e-13)
    later, before = state.copy(), state.copy()
    later.q[:] += 1e-6 * state.v
    before.q[:] -= 1e-6 * state.v
    rate = (eval_output(nodes, "frame", later) - eval_output(nodes, "frame", before)) / 2e-6
    W = np.einsum("nij,nkj->nik", rate, D)
    assert_allclose(np.stack((W[:, 2, 1], W[:, 0, 2], W[:, 1, 0]), axis=1), spin, atol=1e-7)


def test_turned_from_does_not_change_the_law() -> None:
    """Equal frames that are computed from different directions give equal forces on the axis."""
    found = []
    for direction in ((0.0, 0.0, 0.0), (0.2, -0.3, 0.9)):
        world = World()
        route = helix((0, 0, 0), (0, 0, 1), 1.0, 0.4, pitch=1.5)
        rods = cable_along(world, route, 2, turned_from=direction, **COLUMNS)
        nodes, state = nodes_of(world, rods), State(world)
        dofs = state.local_dofs(nodes)
        state.q[dofs[:, :6]] = 0.2 * np.random.default_rng(1).normal(size=(3, 6))
        slopes = total_coordinates(nodes, state)[:, 3:6]
        for i, angle in enumerate((0.3, -0.5, 1.1)):
            t = slopes[i] / np.linalg.norm(slopes[i])
            d = np.cross(t, (0.0, np.cos(angle), np.sin(angle)))
            d /= np.linalg.norm(d)
            state.q[dofs[i, 6]] = find_twist(world, nodes[i], np.column_stack((t, d, np.cross(t, d))), slopes[i])
        found.append((residual(world, state)[dofs], eval_output(rods, "frame", state), energies(world, state)[0]))
    (f, D, E), (g, B, W) = found
    assert_allclose(g[:, :3], f[:, :3], rtol=0, atol=1e-12 * np.abs(f).max())
    assert_allclose(B, D, atol=1e-13)
    assert_allclose(W, E, rtol=1e-12)


def test_clamps_hold_the_twist() -> None:
    world = World()
    rod = straight_cable(world, (0, 0, 0), (1, 0, 0), 2, torsional_stiffness=2.0, **ROD)
    nodes = nodes_of(world, rod)
    held = clamp(world, nodes[0])
    assert len(held) == 6  # supports of all coordinates except the stretch
    world.add(Torque, marker=rigid_marker(world, nodes[2]), vector=(0.7, 0.0, 0.0))
    state = Static(world, name="").solve()
    assert_allclose(eval_output(rod, "torque", state), 0.7, rtol=1e-12)
    assert_allclose(eval_output(nodes[2], "twist", state), 0.7 * 1.0 / 2.0, rtol=1e-12)
    frame = eval_output(nodes[2], "frame", state)
    assert_allclose(frame, Rotation.from_rotvec((0.35, 0.0, 0.0)).as_matrix(), atol=1e-12)


def test_many_turns_in_an_element() -> None:
    """The angle of twist in one element has no upper limit."""
    world = World()
    rod = straight_cable(world, (0, 0, 0), (1, 0, 0), 1, torsional_stiffness=2.0, **ROD)
    nodes = nodes_of(world, rod)
    clamp(world, nodes[0])
    fix(world, nodes[1], "y", "z", "y'", "z'")
    world.add(Torque, marker=rigid_marker(world, nodes[1]), vector=(100.0, 0.0, 0.0))
    state = Static(world, name="").solve()
    assert_allclose(eval_output(nodes[1], "twist", state), 50.0, rtol=1e-12)


def test_body_at_the_end_turns_with_the_rod() -> None:
    """A body that is joined to the end by all six equations rotates with the rod, and a torque on the body twists the
    rod.
    """
    world = World()
    rod = straight_cable(world, (0, 0, 0), (1, 0, 0), 3, torsional_stiffness=2.0, **ROD)
    nodes = nodes_of(world, rod)
    clamp(world, nodes[0])
    block = world.add(RigidBody3D, position=(1, 0, 0), mass=1.0, inertia=1e-2)
    world.add(GenericJoint, marker0=rigid_marker(world, nodes[3]), marker1=rigid_marker(world, block))
    world.add(Torque, marker=rigid_marker(world, block), vector=(0.5, 0.0, 0.0))
    state = Static(world, name="").solve()
    check_tangent(world, state)
    assert_allclose(eval_output(rod, "torque", state), 0.5, rtol=1e-9)


def test_markers_on_elements_rotate_with_the_material() -> None:
    """The frame of a marker on an element is the frame of the material at this point, and equals the frame of the node
    at an end.
    """
    world, rods = create_rods(3)
    length = float(rods.length[1])
    places = np.array([0.0, 0.3, 1.0]) * length
    offset = np.array((0.2, -0.1))
    markers = rigid_marker(world, rods[1], [(x, *offset) for x in places])
    world.add(Force, marker=markers)
    state = shake(State(world))
    assembly = serial_assembly(world)
    assembly.load_fields(state)
    columns = assembly.fields.markers["position marker"]
    D = eval_output(rods[1], "frame", state, x=places[None])
    assert_allclose(columns.rotation, D, atol=1e-13)
    assert_allclose(columns.rotation[[0, 2]], eval_output(nodes_of(world, rods)[1:3], "frame", state), atol=1e-13)
    assert_allclose(
        columns.angular_velocity, eval_output(rods[1], "angular_velocity", state, x=places[None]), atol=1e-12
    )
    r = eval_output(rods[1], "position", state, x=places[None])
    assert_allclose(columns.position, r + D[:, :, 1:] @ offset, atol=1e-13)


def test_torque_on_a_marker_is_conjugate_to_the_rotation() -> None:
    """The power of a torque on a marker is the torque times the angular velocity of the material, and the power of a
    force at a distance from the axis is the force times the velocity of its point of action.
    """
    world, rods = create_rods(3)
    x = 0.4 * float(rods.length[1])
    plain = residual(world, shake(State(world)))
    torque, force = np.array((1.0, -2.0, 3.0)), np.array((4.0, 1.0, -2.0))
    loaded, others = create_rods(3)
    marker = rigid_marker(loaded, others[1], (x, 0.2, -0.1))
    loaded.add(Torque, marker=marker, vector=torque)
    loaded.add(Force, marker=marker, vector=force)
    state = shake(State(loaded))
    applied = plain - residual(loaded, state)
    D = eval_output(others[1], "frame", state, x=x)
    spin = eval_output(others[1], "angular_velocity", state, x=x)
    velocity = eval_output(others[1], "velocity", state, x=x) + np.cross(spin, D @ (0.0, 0.2, -0.1))
    assert_allclose(applied @ state.v, torque @ spin + force @ velocity, rtol=1e-12)


def test_pendulum_on_a_twisted_shaft() -> None:
    """A pendulum that is fixed to a point of an element at the end of a shaft twists the shaft. The angle fulfils
    GJ φ/L = -m g l cos φ, and the frequency about the equilibrium is √((GJ/L - m g l sin φ)/(m l² + J L/3)).
    """
    GJ, L, l, m, g = 6.0, 1.5, 0.4, 2.0, 9.81
    world = World(gravity=(0.0, 0.0, -g))
    columns = {**ROD, "mass_per_length": 1e-9, "rotary_inertia": 1e-6}
    rod = straight_cable(world, (0, 0, 0), (L, 0, 0), 3, torsional_stiffness=GJ, **columns)
    nodes = nodes_of(world, rod)
    clamp(world, nodes[0])
    fix(world, nodes[1:], "x", "y", "z", "x'", "y'", "z'")
    bob = world.add(RigidBody3D, position=(L, l, 0.0), mass=m, inertia=1e-9)
    end = rigid_marker(world, rod[2], (float(rod.length[2]), 0.0))
    world.add(GenericJoint, marker0=end, marker1=rigid_marker(world, bob, (0.0, -l, 0.0)))
    state = Static(world, name="", rtol=1e-12).solve()
    angle = brentq(lambda phi: GJ * phi / L + m * g * l * np.cos(phi), -1.5, 0.0)
    assert_allclose(eval_output(nodes[3], "twist", state), angle, rtol=1e-8)
    assert_allclose(eval_output(rod, "torque", state), GJ * angle / L, rtol=1e-8)
    assert_allclose(eval_output(bob, "position", state), (L, l * np.cos(angle), l * np.sin(angle)), atol=1e-8)
    check_tangent(world, state)
    found = Modes(world, count=1, name="").solve(state)
    inertia = m * l**2 + 1e-6 * L / 3.0
    exact = np.sqrt((GJ / L - m * g * l * np.sin(angle)) / inertia)
    assert_allclose(2.0 * np.pi * found.frequencies[0], exact, rtol=1e-5)


def test_markers_without_twist_are_refused_on_rods() -> None:
    world, rods = create_rods(1)
    world.add(PositionOnCable3D, cable=rods, x=0.1)
    with pytest.raises(ModelError, match="cable in PositionOnCable3D row 0 is a TwistCable3D: must be a cable without"):
        world.finalize()
    world, rods = create_rods(1)
    world.add(PositionOnTwistCable3D, cable=rods, x=2.0)
    with pytest.raises(
        ModelError, match=r"x = 2.0 m in PositionOnTwistCable3D row 0: must be <= .* m, the cable's len"
    ):
        world.finalize()


def test_laws_of_cables_act_on_rods() -> None:
    """Loads along the axis, contact with a surface, a carriage and markers act on rods with exact tangents."""
    world = World(gravity=(0.0, 0.0, -9.81))
    rod = straight_cable(world, (0, 0, 0), (2, 0, 0), 4, torsional_stiffness=2.0, bending_damping=0.01, **ROD)
    nodes = nodes_of(world, rod)
    for end in (nodes[0], nodes[4]):
        clamp(world, end)
    world.add(Force, marker=position_marker(world, rod[1], (0.2, 0.05)), vector=(1.0, 2.0, 3.0))
    world.add(LineLoad, cable=rod, vector=(0.0, 3.0, 1.0))
    ground = world.add(Ground)
    plane = world.add(PlaneSurface, marker=rigid_marker(world, ground, (0.0, 0.0, -0.01)))
    columns = {"contact_stiffness_per_length": 1e4, "friction_coefficient": 0.2, "friction_stiffness_per_length": 1e4}
    add_surface_contact(world, plane, rod, points=2, rope_radius=0.02, **columns)
    point = world.add(MassPoint, position=(0.7, 0.0, 0.0), mass=0.1)
    sliding_joint(world, rod, point, 0.7)
    plain = {key: value for key, value in ROD.items() if key != "rotary_inertia"}
    assert straight_cable(world, (0, 1, 0), (2, 1, 0), 4, **plain).kind == "Cable3D"
    assert rod.kind == "TwistCable3D"
    check_tangent(world)


def test_catenary() -> None:
    """Hanging rods start with the stretch of a catenary and without twist."""
    world = World(gravity=(0.0, 0.0, -9.81))
    columns = {"length": 4.4, "torsional_stiffness": 2.0, **ROD}
    rod = catenary(world, (0, 0, 0), (3, 2, 0), 8, **columns)
    state = State(world)
    assert_allclose(eval_output(rod, "twist", state), 0.0, atol=1e-14)
    assert (eval_output(rod, "axial_force", state) > 0.0).all()


def test_drawing() -> None:
    """The drawing contains the torque as a field, and a line that follows the material."""
    world, rods = create_rods(3)
    state = shake(State(world))
    drawn = Scene(world, subdivisions=4).draw(state)
    assert drawn is not None
    points, fields, _ = Canvas(*drawn).compose(*drawn)
    x = np.tile(np.arange(5) / 4.0, (3, 1)) * rods.length[:, None]
    assert_allclose(points, eval_output(rods, "position", state, x=x).reshape(-1, 3), rtol=1e-12)
    assert_allclose(fields["torque"], np.repeat(eval_output(rods, "torque", state), 5), rtol=1e-12)
    axis = eval_output(rods, "frame", state, x=x)[..., 1].reshape(-1, 3)
    assert_allclose(fields["material_axis"], axis, atol=1e-13)
    # the axial force is the parabola through the values at both ends and in the middle
    first, middle, last = eval_output(rods, "axial_force", state, x=x[:, ::2]).T
    drawn_force = fields["axial_force"].reshape(3, 5)
    assert_allclose(drawn_force[:, ::2], np.stack((first, middle, last), axis=1), rtol=1e-12)
    assert_allclose(drawn_force[:, 1], 0.375 * first + 0.75 * middle - 0.125 * last, rtol=1e-12)


def test_slopes_that_turn_too_far() -> None:
    """If frames are computed from the direction x, a rod along x that rotates about z by more than 165° causes an error
    that names the node. If frames are computed from the direction z, the rod is accepted.
    """
    for direction, stops in (((1.0, 0.0, 0.0), True), ((0.0, 0.0, 1.0), False)):
        world = World()
        rod = straight_cable(world, (0, 0, 0), (1, 0, 0), 1, torsional_stiffness=2.0, turned_from=direction, **ROD)
        nodes, state = nodes_of(world, rod), State(world)
        state.v[state.local_dofs(nodes)] = find_motion(world, nodes, state, (0.0, 0.0, 20.0))
        motion = Dynamic(world, step=2e-3, end=0.18, name="")
        if stops:
            with pytest.raises(NotConverged, match="has turned by almost 165° from turned_from"):
                motion.solve(state)
        else:
            assert_allclose(eval_output(rod, "torque", motion.solve(state)), 0.0, atol=1e-4)


WRONG = [
    ({"strain_is_relative_to_reference": 1.5}, "strain_is_relative_to_reference = 1.5 .* must lie from 0 to 1"),
    ({"reference_strain": -1.0}, "reference_strain = -1.0 .* must be > -1"),
    ({"coupling": 200.0}, "coupling = 200.0 N m, axial_stiffness = .* must have coupling² < axial_stiffness"),
    ({"rotary_inertia": 0.0}, "rotary_inertia = 0.0 kg m in TwistCable3D row 0: must be > 0"),
    ({"bending_stiffness": (1.0, 2.0, 3.0)}, "bending_stiffness in TwistCable3D row 0 has shape"),
]


@pytest.mark.parametrize(("columns", "message"), WRONG)
def test_wrong_columns(columns: dict[str, Any], message: str) -> None:
    world = World()
    with pytest.raises(ModelError, match=message):
        straight_cable(world, (0, 0, 0), (1, 0, 0), 1, **{"torsional_stiffness": 2.0, **ROD, **columns})
        world.finalize()


def test_wrong_nodes() -> None:
    cases = [
        ({"slope": (0.0, 0.0, 0.0)}, r"slope = \(0, 0, 0\) in PointSlopeTwist3D row 0: must have a length > 0"),
        (
            {"normal": (2.0, 0.0, 0.0)},
            "normal = .* in PointSlopeTwist3D row 0: must have a component perpendicular to the slope",
        ),
        ({"turned_from": (-1.0, 0.0, 0.0)}, "slope = .* the angle to turned_from"),
    ]
    for columns, message in cases:
        world = World()
        world.add(PointSlopeTwist3D, position=(0.0, 0.0, 0.0), **columns)
        with pytest.raises(ModelError, match=message):
            world.finalize()
    world = World()
    nodes = world.add(PointSlope3D, position=[(0, 0, 0), (1, 0, 0)])
    with pytest.raises(ModelError, match="PointSlopeTwist3D"):
        world.add(TwistCable3D, node0=nodes[0], node1=nodes[1], length=1.0, torsional_stiffness=1.0, **ROD)
    twisted = world.add(PointSlopeTwist3D, position=[(0, 0, 0), (1, 0, 0)])
    with pytest.raises(ModelError, match="PointSlope3D"):
        world.add(Cable3D, node0=twisted[0], node1=twisted[1], length=1.0, **ROD)
    rod = world.add(TwistCable3D, node0=twisted[0], node1=twisted[1], length=1.0, torsional_stiffness=1.0, **ROD)
    with pytest.raises(ModelError, match=r"x = 2.0 m in TwistCable3D row 0: must lie from 0 to .* m, the length"):
        eval_output(rod, "torque", State(world), x=2.0)
