"""Tests of `Beam2D` and `Beam3D`: derivatives, objectivity, weight, outputs, drawings, beams along lines, errors."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from windlass.connectors import Force, Torque, clamp, position_marker, rigid_marker
from windlass.elements import (
    Beam2D,
    Beam3D,
    Circle,
    RigidBody3D,
    RigidNode2D,
    RigidNode3D,
    UnitRotation3D,
    beam_along,
    helix,
    nodes_of,
    rectangular_section,
    round_section,
    route_around,
    straight_beam,
    through_points,
)
from windlass.elements.beam.forces3d import find_factor
from windlass.framework.assembly.assembly import serial_assembly
from windlass.framework.errors import ModelError
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.output.drawing import Canvas
from windlass.framework.output.scene import Scene
from windlass.framework.state.assemble import assemble_mass
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.state import State
from windlass.solvers.static import Static
from windlass.testing import check_tangent

from support.beams import PLANE, SPACE, create_plane_beam, create_space_beam, join_nodes, line_places, rotation_rates
from support.cables import residual, shake
from support.matrices import dense

ORDERS = (1, 2, 3)
ISOTROPIC = {**SPACE, "stiffness": (1e4, 5e3, 5e3, 1.5, 2.0, 2.0)}


def energies(world: World, state: State, kind: str) -> Any:
    """Return the elastic energies [J] of the elements and the powers [W] of their damping, shape (1, elements) each."""
    assembly = serial_assembly(world)
    assembly.load_fields(state)
    (system,) = (system for system in assembly.systems if system.name == kind)
    reading = system.read_account(assembly.fields)
    return reading.energies, reading.powers


def eval_lengths(world: World, beam: Entity) -> Any:
    """Return the lengths [m] of the elements, which follow from the reference configuration."""
    assembly = serial_assembly(world)
    return assembly.local_rows(beam.table, beam.rows).columns["length"]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("create", [create_plane_beam, create_space_beam])
def test_tangents_against_differences(create: Any, order: int) -> None:
    """Tangents of forces, damping and inertia in motion agree with differences, for coupled sections and loads on the
    nodes.
    """
    world, beam = create(order)
    nodes = nodes_of(world, beam)
    vector = (0.0, 0.0, 3.0) if create is create_plane_beam else (1.0, 2.0, 3.0)
    world.add(Torque, marker=rigid_marker(world, nodes[0]), vector=vector)
    world.add(Force, marker=position_marker(world, nodes[-1]), vector=(1.0, 2.0, 0.0))
    check_tangent(world, tolerance=1e-7)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("create", [create_plane_beam, create_space_beam])
def test_forces_are_gradients_of_the_energy(create: Any, order: int) -> None:
    """Elastic forces are gradients of the energy, and the power of the damping forces equals the dissipated power."""
    # the rotary inertia is small, so that gyroscopic forces contribute little to the power
    small = 1e-14 if create is create_plane_beam else (1e-14, 1e-14, 1e-14)
    world, beam = create(order, rotary_inertia=small)
    world.gravity[:] = 0.0
    state = shake(State(world))
    kind, rate = beam.kind, state.v.copy()
    power = rate @ residual(world, state)
    state.v[:] = 0.0
    f = residual(world, state)

    def energy(move: Any) -> float:
        moved = state.copy()
        moved.q += move
        return float(energies(world, moved, kind)[0].sum())

    gradient = [(energy(1e-6 * e) - energy(-1e-6 * e)) / 2e-6 for e in np.eye(len(f))]
    assert_allclose(gradient, f[: len(gradient)], rtol=0, atol=1e-7 * np.abs(f).max())
    state.v[:] = rate
    lost = energies(world, state, kind)[1].sum()
    assert lost > 0.0
    assert_allclose(power - rate @ f, lost, rtol=1e-12)


def multiply(p: Any, q: Any) -> Any:
    """Return products of quaternions, shape (..., 4)."""
    w, u, s, v = p[..., :1], p[..., 1:], q[..., :1], q[..., 1:]
    return np.concatenate((w * s - (u * v).sum(axis=-1, keepdims=True), w * v + s * u + np.cross(u, v)), axis=-1)


@pytest.mark.parametrize("order", ORDERS)
def test_objectivity_under_random_rotations(order: int) -> None:
    """1000 beams with the same deformed shape and different rotations have equal energies and rotated forces."""
    rng, count, n = np.random.default_rng(5), 1000, order + 1
    turns = Rotation.random(count, random_state=3)
    q = np.roll(turns.as_quat(), 1, axis=1)
    world = World()
    # the reference is straight; the nodes are in the order node0, node1, inner nodes
    s = line_places(order, 1)[[0, order, *range(1, order)]]
    nodes = world.add(RigidNode3D, position=np.tile(np.column_stack((s, 0 * s, 0 * s)), (count, 1)))
    world.add(UnitRotation3D, node=nodes)
    refs = {f"node{k}": nodes[k::n] for k in range(n)}
    columns = {"stiffness": create_space_beam(1)[1].table.collect("stiffness")[0], "rotary_inertia": (1.0, 1.0, 1.0)}
    world.add(Beam3D, **refs, mass_per_length=1.0, reference_strain=(0.1, 0.0, 0.2, 0.3, 0.4, 0.5), **columns)
    state = State(world)
    dofs = state.local_dofs(nodes).reshape(count, n, 7)
    r = np.column_stack((s, 0 * s, 0 * s)) + 0.2 * rng.normal(size=(n, 3))
    e = np.roll(Rotation.from_rotvec(0.4 * rng.normal(size=(n, 3))).as_quat(), 1, axis=1)
    turned = np.einsum("nij,aj->nai", turns.as_matrix(), r)
    product = multiply(q[:, None], np.broadcast_to(e, (count, *e.shape)))
    state.q[dofs] = np.concatenate((turned, product), axis=2)
    state.q[dofs[:, :, 0]] -= s
    state.q[dofs[:, :, 3]] -= 1.0
    energy = energies(world, state, "Beam3D")[0][0]
    assert energy[0] > 1.0
    assert_allclose(energy, energy[0], rtol=1e-12)
    f = residual(world, state)[dofs]
    back = np.einsum("nji,naj->nai", turns.as_matrix(), f[:, :, :3])
    assert_allclose(back, np.broadcast_to(back[0], back.shape), rtol=0, atol=1e-12 * np.abs(f).max())
    # forces on Euler parameters rotate like Euler parameters
    conjugate = q * (1.0, -1.0, -1.0, -1.0)
    back = multiply(conjugate[:, None], f[:, :, 3:])
    assert_allclose(back, np.broadcast_to(back[0], back.shape), rtol=0, atol=1e-12 * np.abs(f).max())


def test_factor_of_curvature_is_smooth() -> None:
    """The factor F of the curvature and its derivatives are continuous at the change from the series to the closed
    form.
    """
    below, above = (find_factor(0.05 + step) for step in (-1e-13, 1e-13))
    assert_allclose(below, above, rtol=1e-11)


@pytest.mark.parametrize("create", [create_plane_beam, create_space_beam])
@pytest.mark.parametrize("order", ORDERS)
def test_mass_and_weight(create: Any, order: int) -> None:
    """The total mass along each axis is the mass of the beam, and the load of gravity is mass times gravity."""
    world, beam = create(order, elements=3)
    state, dims = State(world), 2 if beam.kind == "Beam2D" else 3
    dofs = state.local_dofs(nodes_of(world, beam))
    M, before = dense(assemble_mass(world, state)), residual(world, state)
    g = world.gravity.copy()
    world.gravity[:] = 0.0
    weight = residual(world, state) - before
    length = 0.8 if dims == 2 else 0.4 * np.hypot(2.0 * np.pi, 1.5)
    for k in range(dims):
        mass = M[np.ix_(dofs[:, k], dofs[:, k])].sum()
        # elements of order 1 are chords of the arc
        assert_allclose(mass, 0.7 * length, rtol=2e-2 if dims == 2 else 1e-12)
        assert_allclose(weight[dofs[:, k]].sum(), mass * g[k], rtol=1e-12)


def test_forces_along_a_cantilever_at_rest() -> None:
    """Outputs at points of a slightly deformed beam under an end force agree with equilibrium of the beam axis."""
    for dims, kind in ((2, Beam2D), (3, Beam3D)):
        world = World()
        section = PLANE if dims == 2 else SPACE
        beam = straight_beam(world, (0,) * dims, (2,) + (0,) * (dims - 1), 3, order=2, **section)
        nodes = nodes_of(world, beam)
        assert beam.kind == kind.__name__ and len(nodes) == 7
        clamp(world, nodes[0])
        load = np.array((2e-3, 1e-3, 0.0 if dims == 2 else -3e-3))
        world.add(Force, marker=position_marker(world, nodes[-1]), vector=load)
        state = Static(world, rtol=1e-12, name="").solve()
        end, x = eval_output(nodes[-1], "position", state), (0.1, 0.6)
        at = np.tile(x, (3, 1))
        r = eval_output(beam, "position", state, x=at)
        assert r.shape == (3, 2, 3)
        moment = np.cross(end - r, load)
        if dims == 2:
            phi = eval_output(beam, "rotation", state, x=0.1)
            N, Q = (eval_output(beam, name, state, x=0.1) for name in ("axial_force", "shear_force"))
            assert_allclose(N, np.cos(phi) * load[0] + np.sin(phi) * load[1], atol=1e-8)
            assert_allclose(Q, np.cos(phi) * load[1] - np.sin(phi) * load[0], atol=1e-8)
            assert_allclose(eval_output(beam, "bending_moment", state, x=at), moment[:, :, 2], atol=1e-6)
            assert_allclose(eval_output(beam, "strain", state)[:, 0], load[0] / 1e4, rtol=1e-3)
            turn = eval_output(beam, "rotation", state, x=2.0 / 3.0)[2]
            assert_allclose(turn, eval_output(nodes[-1], "rotation", state))
        else:
            assert_allclose(eval_output(beam, "force", state, x=at), np.broadcast_to(load, r.shape), atol=1e-6)
            assert_allclose(eval_output(beam, "moment", state, x=at), moment, atol=1e-6)
            assert_allclose(eval_output(beam, "axial_force", state), load[0], rtol=1e-2)
            D, local = (eval_output(beam, name, state) for name in ("frame", "section_force"))
            assert_allclose(np.einsum("nij,nj->ni", D, local), np.broadcast_to(load, (3, 3)), atol=1e-6)
            assert_allclose(
                eval_output(beam, "torque", state, x=0.1)[0], eval_output(beam, "section_moment", state, x=0.1)[0, 0]
            )


def test_velocities_at_places() -> None:
    """In a beam that rotates as a rigid body, velocities of the axis and angular velocities of frames agree with the
    rigid motion.
    """
    world, beam = create_space_beam(3)
    nodes = nodes_of(world, beam)
    state, omega = State(world), np.array((0.3, -0.2, 0.5))
    state.v[state.local_dofs(nodes)] = rotation_rates(state, nodes, omega)
    x = np.tile((0.2, 0.5), (2, 1))
    r, v, w = (eval_output(beam, name, state, x=x) for name in ("position", "velocity", "angular_velocity"))
    assert_allclose(v, np.cross(omega, r), atol=1e-14)
    assert_allclose(w, np.broadcast_to(omega, w.shape), atol=1e-14)
    assert_allclose(eval_output(beam, "strain", state), -np.tile((0.1, 0.05, 0.03, 0.3, -0.2, 0.1), (2, 1)), atol=1e-14)


@pytest.mark.parametrize("order", ORDERS)
def test_closed_lines_have_no_force(order: int) -> None:
    """Closed rings have no forces in the reference configuration. In 2D the angle increases by a whole turn around the
    ring. In 3D the last frame is equal to the first frame.
    """
    ring = route_around([Circle((0.0, 0.0), 1.0, "left")])
    world = World()
    beam = beam_along(world, ring, 6, order=order, **PLANE)
    assert len(nodes_of(world, beam)) == 6 * order
    assert np.abs(residual(world, State(world))).max() < 1e-11
    assert_allclose(np.diff(eval_output(beam, "rotation", State(world))), np.pi / 3.0, rtol=1e-12)
    world = World()
    a = np.linspace(0.0, 2.0 * np.pi, 13)
    points = np.column_stack((np.cos(a), np.sin(a), 0.2 * np.sin(2.0 * a)))[:-1]
    beam = beam_along(world, through_points(points, closed=True), 12, order=order, **SPACE)
    assert len(nodes_of(world, beam)) == 12 * order
    assert np.abs(residual(world, State(world))).max() < 1e-10


@pytest.mark.parametrize("order", ORDERS)
def test_straight_beam_that_is_laid_around_a_circle(order: int) -> None:
    """A beam that is straight without load and closed around a circle has the bending moment EI/R. With one end free,
    the beam is a straight line with its unstrained length. If strains are relative to the fraction c of the reference
    curvature, the moment is (1 - c) EI/R.
    """
    for share in (0.0, 0.4):
        world = World()
        ring = beam_along(
            world, route_around([Circle((0.0, 0.0), 2.0, "left")]), 12, order=order,
            strain_is_relative_to_reference=share, **PLANE,
        )  # fmt: skip
        moment = eval_output(ring, "bending_moment", State(world))
        # elements of the order 2 are parabolas, whose curvature is not constant
        assert_allclose(moment, (1.0 - share) * PLANE["stiffness"][2] / 2.0, rtol=1e-3)
    world = World()
    arc = route_around([Circle((0.0, 0.0), 2.0, "left")], closed=False, start=(-1.0, -2.0), end=(1.0, 2.0))
    beam = beam_along(world, arc, 20, order=order, strain_is_relative_to_reference=0.0, **PLANE)
    nodes = nodes_of(world, beam)
    clamp(world, nodes[0])
    state = Static(world, load_steps=10, name="").solve()
    place = eval_output(nodes, "position", state)
    assert_allclose(place[:, 1], place[0, 1], atol=1e-9)
    assert_allclose(place[-1, 0] - place[0, 0], arc.length, rtol=1e-9)


@pytest.mark.parametrize("order", ORDERS)
def test_straight_beam_that_is_laid_along_a_helix(order: int) -> None:
    """A 3D beam that is straight and not twisted without load has the moment EI κ on a circle, and is a straight line
    without twist if one end is free. With the fraction c of the reference strains, the moment is (1 - c) EI κ.
    """
    for share in (0.0, 0.4):
        world = World()
        arc = helix((0, 0, 0), (0, 0, 1), 2.0, 0.25, pitch=0.0)
        beam = beam_along(world, arc, 8, order=order, strain_is_relative_to_reference=share, **ISOTROPIC)
        moment = np.linalg.norm(eval_output(beam, "section_moment", State(world)), axis=1)
        assert_allclose(moment, (1.0 - share) * ISOTROPIC["stiffness"][4] / 2.0, rtol=2e-3)
    world = World()
    line = helix((0, 0, 0), (0, 0, 1), 1.0, 0.5, pitch=1.0)
    beam = beam_along(world, line, 12, order=order, strain_is_relative_to_reference=0.0, **ISOTROPIC)
    nodes = nodes_of(world, beam)
    clamp(world, nodes[0])
    state = Static(world, load_steps=10, name="").solve()
    place, frames = eval_output(nodes, "position", state), eval_output(beam, "frame", state)
    way = place[-1] - place[0]
    assert_allclose(np.linalg.norm(way), eval_lengths(world, beam).sum(), rtol=1e-9)
    assert_allclose(frames, np.broadcast_to(frames[0], frames.shape), atol=1e-9)
    with pytest.raises(ModelError, match=r"strain_is_relative_to_reference = 1\.5 .*: must lie from 0 to 1"):
        other = World()
        beam_along(other, line, 12, strain_is_relative_to_reference=1.5, **ISOTROPIC)
        other.finalize()


@pytest.mark.parametrize("create", [create_plane_beam, create_space_beam])
def test_drawing(create: Any) -> None:
    """A beam is drawn by lines through points of its axis, with its forces as fields."""
    world, beam = create(2)
    state = shake(State(world))
    drawn = Scene(world, subdivisions=4).draw(state)
    assert drawn is not None
    points, fields, _ = Canvas(*drawn).compose(*drawn)
    x = np.tile(np.arange(5) / 4.0, (2, 1)) * eval_lengths(world, beam)[:, None]
    assert_allclose(points, eval_output(beam, "position", state, x=x).reshape(-1, 3), rtol=1e-12)
    assert_allclose(fields["axial_force"], eval_output(beam, "axial_force", state, x=x).ravel(), rtol=1e-12)
    if beam.kind == "Beam3D":
        axis = eval_output(beam, "frame", state, x=x)[..., 1].reshape(-1, 3)
        assert_allclose(fields["material_axis"], axis, atol=1e-13)


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"stiffness": (1.0, 1.0, -1.0)}, "must not have negative eigenvalues"),
        ({"stiffness": ((1, 2, 0), (0, 1, 0), (0, 0, 1))}, "must be symmetric"),
        ({"damping": (1.0, 1.0, -1.0)}, "damping of Beam2D row 0 .* must not have negative"),
        ({"strain_is_relative_to_reference": 1.5}, "strain_is_relative_to_reference = 1.5 .*: must lie from 0 to 1"),
        ({"node3": 3}, "node3 without node2 in Beam2D row 0"),
        ({"node2": 1}, "nodes of Beam2D row 0: must be different nodes"),
        ({"node1": 4}, "are at one point: must have a distance > 0 m"),
        ({"node0": 5, "node1": 6}, "cross sections of Beam2D row 0 are turned by 90° from the axis"),
        ({"node2": 3}, r"inner nodes of Beam2D row 0 are not at their places: must be at x/L = 0\.5 with order 2"),
        ({"node2": 7, "node3": 8}, r"must be .* at 0\.2764 and 0\.7236 with order 3"),
        ({"length": 1000.0}, r"length = 1000 m .*, whose axis is 1 m long: must be from 0\.5 to 2 m, or 0 for"),
    ],
)
def test_errors(columns: dict[str, Any], words: str) -> None:
    world = World()
    place = [(0, 0), (1, 0), (0.5, 0), (0.7, 0), (0, 0), (0, 0), (1, 0), (1 / 3, 0), (2 / 3, 0)]
    nodes = world.add(RigidNode2D, position=place, angle=[0, 0, 0, 0, 0, np.pi / 2, np.pi / 2, 0, 0])
    given = {"node0": 0, "node1": 1, **PLANE, **columns}
    given = {name: nodes[value] if name.startswith("node") else value for name, value in given.items()}
    world.add(Beam2D, **given)
    with pytest.raises(ModelError, match=words):
        world.finalize()


def test_errors_in_space() -> None:
    world = World()
    with pytest.raises(ModelError, match="order = 4: must be 1, 2 or 3"):
        straight_beam(world, (0, 0, 0), (1, 0, 0), 2, order=4, **SPACE)
    with pytest.raises(ModelError, match="must have a component perpendicular to the tangent"):
        straight_beam(world, (0, 0, 0), (1, 0, 0), 2, normal=(2.0, 0.0, 0.0), **SPACE)
    with pytest.raises(ModelError, match=r"normal .* on a 2D route: must be left out"):
        straight_beam(world, (0, 0), (1, 0), 2, normal=(0.0, 0.0, 1.0), **PLANE)
    with pytest.raises(ModelError, match=r"beam: length = 1\.0: must be left out, as the line determines it"):
        straight_beam(world, (0, 0), (1, 0), 2, length=1.0, **PLANE)
    with pytest.raises(ModelError, match="must both be two finite numbers"):
        straight_beam(world, (0, 0), (1, 0, 0), 2, **PLANE)
    nodes = world.add(RigidNode3D, position=[(0, 0, 0), (1, 0, 0)])
    world.add(Beam3D, node0=nodes[0], node1=nodes[1], **SPACE)
    with pytest.raises(ModelError, match="carries 0 bodies: must carry one RigidBody3D; a node of beams"):
        world.finalize()
    world = World()
    beam = straight_beam(world, (0, 0, 0), (1, 0, 0), 1, **{**SPACE, "rotary_inertia": (1.0, 0.0, 0.0)})
    with pytest.raises(ModelError, match=r"rotary_inertia of Beam3D row 0 .* must be positive definite"):
        world.finalize()
    assert beam.kind == "Beam3D"


@pytest.mark.parametrize(
    ("dims", "columns", "words"),
    [
        (
            3, {"stiffness": (1.0, 2.0, 3.0)},
            "stiffness in Beam3D has shape (3,): must be a diagonal of shape (6,) or matrices of shape (6, 6) [N, N m, "
            "N m^2]; round_section and rectangular_section need dims=3",
        ),
        (2, {"stiffness": np.ones((6, 6))}, "has shape (6, 6): must be a diagonal of shape (3,) or matrices of shape "
         "(3, 3) [N, N m, N m^2]; round_section and rectangular_section need dims=2"),
        (3, {"stiffness": 5.0}, "stiffness in Beam3D has shape (): must be a diagonal of shape (6,)"),
        (3, {"damping": (1.0, 2.0)}, "damping in Beam3D has shape (2,): must be a diagonal of shape (6,)"),
        (3, {"rotary_inertia": np.ones((3, 2))}, "rotary_inertia in Beam3D has shape (3, 2): must be a diagonal of "
         "shape (3,) or matrices of shape (3, 3) [kg m]"),
        (3, {"stiffness": np.ones((4, 6, 6))}, "stiffness in Beam3D row 0 has shape (4, 6, 6): expected"),
    ],
)  # fmt: skip
def test_sections_of_wrong_shape(dims: int, columns: dict[str, Any], words: str) -> None:
    """Errors name the shapes of diagonals and of matrices."""
    section = {**(PLANE if dims == 2 else SPACE), **columns}
    with pytest.raises(ModelError, match=re.escape(words)):
        straight_beam(World(), (0.0,) * dims, (1.0, *(0.0,) * (dims - 1)), 2, **section)


def test_sections_from_dimensions() -> None:
    """Stiffnesses agree with tables of Timoshenko and Goodier for the torsion of rectangles, with Cowper's limits for
    shear, and with thin tubes.
    """
    E, nu, rho = 2.1e11, 0.3, 7850.0
    G = E / 2.6
    for ratio, k1 in ((1.0, 0.1406), (1.5, 0.196), (2.0, 0.229), (4.0, 0.281), (10.0, 0.312)):
        for height, width in ((0.02 * ratio, 0.02), (0.02, 0.02 * ratio)):
            found = rectangular_section(height, width, E, rho, poisson=nu)
            assert_allclose(found["stiffness"][3], k1 * G * 0.02 * ratio * 0.02**3, rtol=3e-3)
    EA, GA, GA_3, _, EI_2, EI_3 = rectangular_section(0.06, 0.02, E, rho, poisson=nu)["stiffness"]
    assert_allclose((EA, EI_2, EI_3), E * 0.0012 * np.array((1.0, 0.02**2 / 12.0, 0.06**2 / 12.0)), rtol=1e-12)
    assert_allclose((GA, GA_3), 13.0 / 15.3 * G * 0.0012, rtol=1e-12)
    bar = round_section(0.05, E, rho, poisson=nu)
    A, second = np.pi * 0.025**2, np.pi * 0.025**4 / 4.0
    stiffness = (E * A, 7.8 / 8.8 * G * A, 7.8 / 8.8 * G * A, 2.0 * G * second, E * second, E * second)
    assert_allclose(bar["stiffness"], stiffness, rtol=1e-12)
    assert_allclose((bar["mass_per_length"], *bar["rotary_inertia"]), rho * np.array((A, 2 * second, second, second)))
    # a tube with a thin wall: k = 2 (1 + ν)/(4 + 3 ν)
    tube = round_section(0.1, E, rho, thickness=1e-5, poisson=nu)["stiffness"]
    assert_allclose(tube[1] / tube[0], 2.6 / 4.9 * G / E, rtol=1e-4)
    assert_allclose(tube[5] / tube[0], 0.05**2 / 2.0, rtol=1e-3)
    flat = rectangular_section(0.06, 0.02, E, rho, poisson=nu, dims=2)
    assert_allclose(flat["stiffness"], (EA, GA, EI_3))
    assert_allclose(flat["rotary_inertia"], rho * EI_3 / E)
    with pytest.raises(ModelError, match=r"thickness = 0\.06 m of round_section: must be <= 0\.05 m, the radius"):
        round_section(0.1, E, rho, thickness=0.06)


def test_beam_between_rigid_bodies() -> None:
    """Nodes of bodies can be nodes of a beam. Such nodes need no `UnitRotation3D`."""
    world = World()
    bodies = world.add(RigidBody3D, position=[(0, 0, 0), (1, 0, 0)], mass=1.0, inertia=0.1)
    nodes = nodes_of(world, bodies)
    world.add(Beam3D, **join_nodes(nodes, 1), **SPACE)
    assert np.abs(residual(world, State(world))).max() < 1e-12
