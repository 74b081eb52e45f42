"""`SlopeBeam3D`: derivatives, objectivity, mass, markers, outputs, drawings, errors."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from windlass.connectors import Force, GenericJoint, PositionOnSlopeBeam3D, Torque, clamp, rigid_marker
from windlass.elements import (
    Ground,
    PointSectionSlopes3D,
    SlopeBeam3D,
    nodes_of,
    round_section,
    straight_beam,
    through_points,
)
from windlass.elements.routes.beam_lines import beam_along
from windlass.framework.assembly.assembly import serial_assembly
from windlass.framework.errors import ModelError
from windlass.framework.model.world import World
from windlass.framework.output.drawing import Canvas
from windlass.framework.output.scene import Scene
from windlass.framework.state.assemble import assemble_mass
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.state import State
from windlass.testing import check_tangent

from support.beams import SPACE, create_slope_beam, line_places, random_section, rotation_rates
from support.cables import residual, shake
from support.matrices import dense

ORDERS = (1, 2, 3)
SECTION = {**SPACE, "rotary_inertia": (0.03, 0.01, 0.02), "section_stiffness": (1e4, 1e4, 9e3)}


def energies(world: World, state: State) -> Any:
    """Return the elastic energies [J] of the elements and the powers [W] of their damping, shape (1, elements) each."""
    assembly = serial_assembly(world)
    assembly.load_fields(state)
    (system,) = (system for system in assembly.systems if system.name == "SlopeBeam3D")
    reading = system.read_account(assembly.fields)
    return reading.energies, reading.powers


@pytest.mark.parametrize("order", ORDERS)
def test_tangents_against_differences(order: int) -> None:
    """Tangents of forces and damping in motion agree with differences, for coupled sections, loads that rotate with
    nodes and with points at a distance from the axis, and a joint.
    """
    world, beam = create_slope_beam(order)
    nodes = nodes_of(world, beam)
    for marker in (rigid_marker(world, nodes[-1]), rigid_marker(world, beam[0], (0.3, 0.05, -0.08))):
        for body_fixed in (False, True):
            world.add(Torque, marker=marker, vector=(1.0, 2.0, 3.0), body_fixed=body_fixed)
            world.add(Force, marker=marker, vector=(3.0, -1.0, 2.0), body_fixed=body_fixed)
    ground = world.add(Ground, position=(1.0, 0.0, 0.0))
    world.add(GenericJoint, marker0=rigid_marker(world, ground), marker1=rigid_marker(world, nodes[0]))
    check_tangent(world, tolerance=1e-7)


@pytest.mark.parametrize("order", ORDERS)
def test_forces_are_gradients_of_the_energy(order: int) -> None:
    """Elastic forces are gradients of the energy, and the power of the damping forces equals the dissipated power."""
    world, beam = create_slope_beam(order)
    world.gravity[:] = 0.0
    state = shake(State(world))
    rate = state.v.copy()
    power = rate @ residual(world, state)
    state.v[:] = 0.0
    f = residual(world, state)

    def energy(move: Any) -> float:
        moved = state.copy()
        moved.q += move
        return float(energies(world, moved)[0].sum())

    gradient = [(energy(1e-6 * e) - energy(-1e-6 * e)) / 2e-6 for e in np.eye(len(f))]
    assert_allclose(gradient, f, rtol=0, atol=1e-7 * np.abs(f).max())
    state.v[:] = rate
    lost = energies(world, state)[1].sum()
    assert lost > 0.0
    assert_allclose(power - rate @ f, lost, rtol=1e-12)
    assert len(beam) == 2


@pytest.mark.parametrize("order", ORDERS)
def test_objectivity_under_random_rotations(order: int) -> None:
    """1000 beams with the same deformed shape and different rotations have equal energies and rotated forces."""
    rng, count, n = np.random.default_rng(5), 1000, order + 1
    turns = Rotation.random(count, random_state=3).as_matrix()
    world = World()
    # the reference is straight; the nodes are in the order node0, node1, inner nodes
    s = line_places(order, 1)[[0, order, *range(1, order)]]
    reference = np.zeros((n, 3, 3))
    reference[:, 0, 0], reference[:, 1, 1], reference[:, 2, 2] = s, 1.0, 1.0
    nodes = world.add(PointSectionSlopes3D, position=np.tile(reference[:, 0], (count, 1)))
    refs = {f"node{k}": nodes[k::n] for k in range(n)}
    world.add(
        SlopeBeam3D, **refs, mass_per_length=1.0, reference_strain=(0.1, 0.0, 0.2, 0.3, 0.4, 0.5),
        stiffness=20.0 * random_section(6, 1), rotary_inertia=(2.0, 1.0, 1.0), section_stiffness=(30.0, 40.0, 50.0),
    )  # fmt: skip
    state = State(world)
    dofs = state.local_dofs(nodes).reshape(count, n, 3, 3)
    shape = reference + 0.2 * rng.normal(size=(n, 3, 3))
    state.q[dofs] = np.einsum("cij,nkj->cnki", turns, shape) - reference
    energy = energies(world, state)[0][0]
    assert energy[0] > 1.0
    assert_allclose(energy, energy[0], rtol=1e-12)
    f = residual(world, state)[dofs]
    back = np.einsum("cji,cnkj->cnki", turns, f)
    assert_allclose(back, np.broadcast_to(back[0], back.shape), rtol=0, atol=1e-12 * np.abs(f).max())


@pytest.mark.parametrize("order", ORDERS)
def test_mass_and_weight(order: int) -> None:
    """In a rigid motion, the kinetic energy is equal to the energy of a straight rod with the given inertia of the
    sections. The load of gravity is mass times gravity.
    """
    theta = np.array(((0.05, 0.0, 0.0), (0.0, 0.02, 0.005), (0.0, 0.005, 0.03)))
    length, mass, g = 1.5, 0.7, np.array((1.0, 2.0, -3.0))
    world = World(gravity=g)
    beam = straight_beam(
        world,
        (0, 0, 0),
        (length, 0, 0),
        3,
        order=order,
        **{**SECTION, "mass_per_length": mass, "rotary_inertia": theta},
    )
    nodes, state = nodes_of(world, beam), State(world)
    dofs = state.local_dofs(nodes)
    M = dense(assemble_mass(world, state))
    about = np.diag((0.0, 1.0, 1.0)) * mass * length**3 / 3.0 + length * theta
    for omega in (*np.eye(3), np.array((1.0, -2.0, 3.0))):
        v = np.zeros(len(state.v))
        v[dofs] = rotation_rates(state, nodes, omega)
        assert_allclose(v @ M @ v, omega @ about @ omega, rtol=1e-12)
    f = -residual(world, state)[dofs[:, :3]]
    assert_allclose(f.sum(axis=0), mass * length * g, rtol=1e-12)
    world.gravity[:] = 0.0
    assert np.abs(residual(world, state)).max() < 1e-11


def test_motion_at_places() -> None:
    """In a rigid rotation, velocities and angular velocities of points and nodes agree with the rotation."""
    world, beam = create_slope_beam(3)
    nodes = nodes_of(world, beam)
    state, omega = State(world), np.array((0.3, -0.2, 0.5))
    state.v[state.local_dofs(nodes)] = rotation_rates(state, nodes, omega)
    x = np.tile((0.2, 0.5), (2, 1))
    r, v, w = (eval_output(beam, name, state, x=x) for name in ("position", "velocity", "angular_velocity"))
    assert_allclose(v, np.cross(omega, r), atol=1e-14)
    assert_allclose(w, np.broadcast_to(omega, w.shape), atol=1e-14)
    assert_allclose(eval_output(nodes, "angular_velocity", state), np.tile(omega, (len(nodes), 1)), atol=1e-14)
    assert_allclose(eval_output(beam, "strain", state), -np.tile((0.1, 0.05, 0.03, 0.3, -0.2, 0.1), (2, 1)), atol=1e-14)


def test_frames_of_sheared_sections() -> None:
    """e_3 is the direction of r_3, and e_1 is normal to both slopes. The angular velocity is the rate of the frame."""
    rng = np.random.default_rng(2)
    world = World()
    nodes = world.add(
        PointSectionSlopes3D, position=rng.normal(size=(4, 3)), displacement=0.3 * rng.normal(size=(4, 9)),
        velocity=rng.normal(size=(4, 9)),
    )  # fmt: skip
    state = State(world)
    A, x = eval_output(nodes, "frame", state), state.q[state.local_dofs(nodes)]
    r2, r3 = x[:, 3:6] + (0, 1, 0), x[:, 6:] + (0, 0, 1)
    assert_allclose(A @ A.swapaxes(1, 2), np.broadcast_to(np.eye(3), A.shape), atol=1e-14)
    assert_allclose(np.cross(A[:, :, 2], r3), 0.0, atol=1e-14)
    assert_allclose((A[:, :, 0] * r2).sum(axis=1), 0.0, atol=1e-14)
    moved = []
    for step in (1e-5, -1e-5):
        at = state.copy()
        at.q += step * at.v
        moved.append(eval_output(nodes, "frame", at))
    spin = (moved[0] - moved[1]) / 2e-5 @ A.swapaxes(1, 2)
    found = np.stack((spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]), axis=1)
    assert_allclose(eval_output(nodes, "angular_velocity", state), found, atol=1e-8)


def test_closed_line_has_no_force() -> None:
    """A closed ring in space has no forces in its reference configuration."""
    a = np.linspace(0.0, 2.0 * np.pi, 13)
    points = np.column_stack((np.cos(a), np.sin(a), 0.2 * np.sin(2.0 * a)))[:-1]
    world = World()
    beam = beam_along(world, through_points(points, closed=True), 12, order=2, **SECTION)
    assert len(nodes_of(world, beam)) == 24
    assert np.abs(residual(world, State(world))).max() < 1e-10


def test_drawing() -> None:
    """A beam is drawn by lines through points of its axis, with its forces as fields."""
    world, beam = create_slope_beam(2)
    state = shake(State(world))
    drawn = Scene(world, subdivisions=4).draw(state)
    assert drawn is not None
    points, fields, _ = Canvas(*drawn).compose(*drawn)
    lengths = serial_assembly(world).local_rows(beam.table, beam.rows).columns["length"]
    x = np.tile(np.arange(5) / 4.0, (2, 1)) * lengths[:, None]
    assert_allclose(points, eval_output(beam, "position", state, x=x).reshape(-1, 3), rtol=1e-12)
    assert_allclose(fields["axial_force"], eval_output(beam, "axial_force", state, x=x).ravel(), rtol=1e-12)
    axis = eval_output(beam, "frame", state, x=x)[..., 1].reshape(-1, 3)
    assert_allclose(fields["material_axis"], axis, atol=1e-13)


def test_defaults_and_clamp() -> None:
    """Results of `round_section` are columns of the beam. Without ``section_stiffness``, the stiffness of the cross
    section follows from the section. `clamp` fixes all coordinates of a node.
    """
    section = round_section(diameter=0.06, modulus=7e10, density=2700.0)
    world = World()
    nodes = world.add(PointSectionSlopes3D, position=[(0, 0, 0), (1, 0, 0)])
    beam = world.add(SlopeBeam3D, node0=nodes[0], node1=nodes[1], **section)
    EA, GA, *_ = section["stiffness"]
    assert_allclose(beam.table.collect("section_stiffness"), [(EA, EA, 2.0 * GA)], rtol=1e-14)
    second = section["rotary_inertia"][1]
    assert_allclose(beam.table.collect("rotary_inertia")[0], second * np.eye(6), rtol=1e-14)
    assert len(clamp(world, nodes[0])) == 9


@pytest.mark.parametrize(
    ("node", "columns", "words"),
    [
        ({}, {"stiffness": (1.0, 1.0, 1.0, 1.0, 1.0, -1.0)}, "stiffness of SlopeBeam3D row 0 .* negative eigenvalues"),
        ({}, {"rotary_inertia": (1.0, 1.0, 1.0)}, "must be the inertia of a plane section, whose first"),
        ({}, {"rotary_inertia": (1.0, 2.0)}, r"rotary_inertia in SlopeBeam3D has shape \(2,\): must be"),
        ({}, {"section_stiffness": (1.0, 0.0, 1.0)}, r"section_stiffness\[1\] = 0\.0 N .* must be > 0"),
        ({}, {"section_damping": (1.0, -1.0, 1.0)}, r"section_damping\[1\] = -1\.0 N s .* must be >= 0"),
        ({}, {"node1": 0}, "nodes of SlopeBeam3D row 0: must be different nodes"),
        ({}, {"length": 9.0}, r"length = 9 m .*, whose axis is 1 m long: must be from 0\.5 to 2 m"),
        ({"slope2": (0.0, 2.0, 0.0)}, {}, "slope2 = .* with length 2 in .* must have length 1"),
        ({"slope3": (0.0, 0.6, 0.8)}, {}, "slope3 = .* must be perpendicular to slope2"),
        ({"slope2": (1.0, 0.0, 0.0)}, {}, "cross sections of SlopeBeam3D row 0 are turned by 90° from the axis"),
        ({"displacement": (0.0,) * 5 + (1.0, 0.0, 1.0, 0.0)}, {}, "must not make slope2 and slope3 parallel"),
    ],
)
def test_errors(node: dict[str, Any], columns: dict[str, Any], words: str) -> None:
    world = World()
    nodes = world.add(PointSectionSlopes3D, position=[(0, 0, 0), (1, 0, 0)], **node)
    given = {"node0": 0, "node1": 1, **SECTION, **columns}
    given = {name: nodes[value] if name.startswith("node") else value for name, value in given.items()}
    with pytest.raises(ModelError, match=words):
        world.add(SlopeBeam3D, **given)
        world.finalize()


def test_marker_outside_the_beam() -> None:
    """A marker beyond the end of a beam, and a marker at a distance from a node, cause errors."""
    world = World()
    beam = straight_beam(world, (0, 0, 0), (1, 0, 0), 2, **SECTION)
    with pytest.raises(ModelError, match=re.escape("must be (0, 0), the only place that a PointSectionSlopes3D has")):
        rigid_marker(world, nodes_of(world, beam)[0], (0.1, 0.0))
    world.add(PositionOnSlopeBeam3D, beam=beam[1], x=0.6)
    with pytest.raises(ModelError, match=r"x = 0\.6 m in PositionOnSlopeBeam3D row 0: must be <= 0\.5 m, the beam's"):
        world.finalize()
