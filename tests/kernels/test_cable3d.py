"""`Cable3D` is compared with reference data, differences and `Cable2D`: forces, tangents, mass, outputs, user
functions.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from windlass.elements import Cable3D, PointSlope3D
from windlass.elements.cable.gauss import residual_gauss_3d, tangent_gauss_3d
from windlass.elements.cable.lanes import RuleRows, create_lanes
from windlass.elements.cable.lobatto import residual_lobatto_3d, tangent_lobatto_3d
from windlass.elements.cable.mass import create_inertia, mass, mass_product
from windlass.elements.cable.points import create_rule
from windlass.framework.assembly.assembly import serial_assembly
from windlass.framework.model.lanes import LANES
from windlass.framework.model.rows import create_records
from windlass.framework.model.system import Slots
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.assemble import assemble_mass, assemble_matrix
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.state import State
from windlass.testing import check_tangent

from support.cables import COLUMNS, create_cables, residual, shake
from support.cables3d import IN_PLANE, create_spatial_cables, lift, rotation
from support.matrices import dense

REFERENCE = np.load(Path(__file__).parents[1] / "reference" / "cable3d.npz")
CASES = list(product((0, 1, 2), (0.0, 0.4, 1.0), (0, 1, 2)))
OUTPUTS = {
    "Position": "position",
    "Displacement": "displacement",
    "Velocity": "velocity",
    "Acceleration": "acceleration",
    "Director1": "director",
    "StrainLocal": "axial_strain",
    "CurvatureLocal": "curvature",
    "ForceLocal": "axial_force",
    "TorqueLocal": "bending_moment",
}


@pytest.fixture(scope="module")
def reference_cables() -> tuple[World, Entity, State]:
    """Return all cases of the reference data as rows of one table. The rows have different integration rules and
    different values of strain_is_relative_to_reference.
    """
    world, cables, state = create_spatial_cables(
        len(CASES),
        integration=np.array([c[0] for c in CASES]),
        strain_is_relative_to_reference=np.array([c[1] for c in CASES]),
        reference_curvature=(0.0, 0.0, 0.0),
    )
    for name, values in (("q", state.q), ("v", state.v)):
        values[:] = reference_blocks(name).ravel()
    return world, cables, state


def reference_blocks(name: str) -> Any:
    return np.array([REFERENCE[f"cable3d_red{r}_rel{c}_{k}_{name}"] for r, c, k in CASES])


def diagonal_blocks(matrix: Any) -> Any:
    blocks = matrix.reshape(len(CASES), 12, len(CASES), 12)
    return np.array([blocks[i, :, i] for i in range(len(CASES))])


def assert_close(given: Any, expected: Any) -> None:
    assert_allclose(given, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def test_forces_match_reference(reference_cables: Any) -> None:
    world, _, state = reference_cables
    assert_close(residual(world, state).reshape(-1, 12), -reference_blocks("rhs"))


def test_mass_matches_reference(reference_cables: Any) -> None:
    world, _, state = reference_cables
    assert_close(diagonal_blocks(dense(assemble_mass(world, state))), reference_blocks("M"))


@pytest.mark.parametrize(("dq", "dv", "name"), [(1.0, 0.0, "dRHS_dq"), (0.0, 1.0, "dRHS_dv")])
def test_tangents_match_reference(reference_cables: Any, dq: float, dv: float, name: str) -> None:
    world, _, state = reference_cables
    assert_close(diagonal_blocks(dense(assemble_matrix(world, state, dq=dq, dv=dv))), -reference_blocks(name))


@pytest.mark.parametrize("theirs", OUTPUTS)
def test_outputs_match_reference(reference_cables: Any, theirs: str) -> None:
    _, cables, state = reference_cables
    for x in (0.0, 0.25, 0.5, 0.7):
        expected = reference_blocks(f"out_x{x}_{theirs}")
        given = eval_output(cables, OUTPUTS[theirs], state, x=x)
        assert_allclose(given, expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize("integration", [0, 1, 2])
@pytest.mark.parametrize("damping", [0.0, 1.0])
def test_tangents_against_differences(integration: int, damping: float) -> None:
    world, _, state = create_spatial_cables(
        3,
        chain=True,
        integration=integration,
        axial_damping=damping * np.array([1.9, 0.0, 7.0]),
        bending_damping=damping * np.array([0.0, 0.4, 0.2]),
        bending_stiffness=np.array([11.0, 0.5, 3.0]),
        strain_is_relative_to_reference=0.3,
    )
    check_tangent(world, shake(state), states=0, tolerance=2e-8)
    if not damping:
        assert not dense(assemble_matrix(world, state, dq=0.0, dv=1.0)).any()
        matrix = dense(assemble_matrix(world, state))
        assert_allclose(matrix, matrix.T, rtol=0, atol=1e-14 * np.abs(matrix).max())


@pytest.mark.parametrize("rows", [1, LANES, 2 * LANES + 3])
@pytest.mark.parametrize("runs", [1, 6])
def test_lanes_equal_loop_over_points(rows: int, runs: int) -> None:
    """For integration rule 2, the kernels with vector lanes and the kernels with a loop over points give equal forces,
    tangents and masses.

    Masses are compared in tables of one row, in which the other lanes are empty.
    """
    rng = np.random.default_rng(3)
    rule, one = create_rule(2), np.ones(rows)
    length, strain, curvature = 0.3 + rng.random(rows), rng.normal(size=(rows, 3)), rng.normal(size=(rows, 2, 3))
    rho = 0.5 + rng.random(rows)
    own = create_records(
        length=length, mass_per_length=rho, axial_stiffness=500 * one, bending_stiffness=9 * one,
        axial_damping=2 * one, bending_damping=0.4 * one, place=np.arange(rows)[::-1].copy(),
    )  # fmt: skip
    dofs = 6 * np.arange(rows)[:, None] + np.arange(12)
    lanes, inertia = create_lanes(RuleRows(own, strain, curvature, dofs)), create_inertia(rho, length, dofs)
    x, v, a = rng.normal(size=(3, 6 * rows + 6))
    given, expected = np.zeros((2, len(x)))
    residual_lobatto_3d(lanes, x, v, a, 1.5, given)
    residual_gauss_3d(lanes, rule, x, v, a, 0.0, expected)
    mass_product(inertia, 1.5 * a, expected)
    assert_close(given, expected)
    first = rng.permutation(rows * 144 // runs) * runs
    every = Slots((first.reshape(rows, 12, -1, 1) + np.arange(runs)).reshape(rows, 12, 12))
    slots = Slots(first.reshape(rows, 12, -1), width=runs)
    values, expected = np.zeros((2, rows * 144))
    tangent_lobatto_3d(lanes, x, v, 0.3, 2.0, 7.0, slots, values)
    tangent_gauss_3d(lanes, rule, x, v, 0.3, 2.0, 0.0, every, expected)
    mass(create_inertia(rho[::-1], length[::-1], dofs), 7.0, slots, expected)
    assert_close(values, expected)


@pytest.mark.parametrize("integration", [0, 1, 2])
def test_rigid_motion_turns_forces(integration: int) -> None:
    """If a cable that is straight at rest is rotated and moved, with a superposed rigid velocity, its forces rotate
    with it.

    Bending damping is excluded, because bending damping depends on the rotation of the vector κ
    (docs/explanation/theory/cable.md).
    """
    world, _, state = create_spatial_cables(
        3, chain=True, integration=integration, reference_curvature=(0.0, 0.0, 0.0), bending_damping=0.0
    )
    shake(state)
    reference = serial_assembly(world).layout.reference[:-1]
    R, omega = rotation((1.0, -2.0, 0.4), 0.8), np.array((0.3, 1.7, -0.6))
    x = (reference + state.q).reshape(-1, 3) @ R.T
    v = state.v.reshape(-1, 3) @ R.T + np.cross(omega, x)
    x[::2] += [2.0, -1.0, 0.5]
    v[::2] += [0.3, 4.0, 1.0]
    moved = state.copy()
    moved.q[:], moved.v[:] = x.ravel() - reference, v.ravel()
    expected = residual(world, state).reshape(-1, 3) @ R.T
    assert_allclose(residual(world, moved).reshape(-1, 3), expected, rtol=0, atol=1e-11 * np.abs(expected).max())


@pytest.mark.parametrize("integration", [0, 1, 2])
def test_residual_is_gradient_of_energy(integration: int) -> None:
    world, _, state = create_spatial_cables(
        2, chain=True, integration=integration, axial_damping=0.0, bending_damping=0.0
    )
    shake(state)

    def energy(k: int, step: float) -> float:
        moved = state.copy()
        moved.q[k] += step
        assembly = serial_assembly(world)
        assembly.load_fields(moved)
        return assembly.energy()

    gradient = [(energy(k, 1e-6) - energy(k, -1e-6)) / 2e-6 for k in range(len(state.q))]
    f = residual(world, state)
    # central differences of an energy of about 10 J have the rounding error 1e-15 * 10 / 1e-6
    assert_allclose(gradient, f, rtol=0, atol=1e-8 * np.abs(f).max())


def test_gravity_is_mass_times_acceleration() -> None:
    world, cables, state = create_spatial_cables(2, chain=True, mass_per_length=np.array([3.1, 1.2]))
    before = residual(world, state)
    world.gravity[:] = (0.4, -9.81, 2.0)
    load = before - residual(world, state)
    uniform = np.tile([0.4, -9.81, 2.0, 0.0, 0.0, 0.0], 3)
    assert_allclose(load, dense(assemble_mass(world, state)) @ uniform, rtol=1e-12, atol=1e-13)
    assert_allclose(load[1::6].sum(), -9.81 * (3.1 + 1.2) * cables.length[0], rtol=1e-13)


def test_same_as_in_the_plane() -> None:
    """For cables in a plane with damping and reference curvature, forces, tangents and outputs of 3D cables are equal
    to the results of 2D cables.
    """
    columns = {name: COLUMNS[name] for name in ("mass_per_length", "axial_stiffness", "bending_stiffness")}
    columns |= {"axial_damping": 1.9, "bending_damping": 0.37, "reference_strain": -0.03}
    flat_world, flat, flat_state = create_cables(3, chain=True, **columns, reference_curvature=0.21)
    shake(flat_state)
    world = World()
    reference = serial_assembly(flat_world).layout.reference[:-1].reshape(-1, 4)
    nodes = world.add(PointSlope3D, position=lift(reference[:, :2]), slope=lift(reference[:, 2:]))
    space = {**columns, "length": flat.length, "reference_curvature": (0.0, 0.0, 0.21)}
    cables = world.add(Cable3D, node0=nodes[:-1], node1=nodes[1:], **space)
    state = State(world)
    state.q[:], state.v[:] = lift(flat_state.q), lift(flat_state.v)
    assert_close(residual(world, state).reshape(-1, 6)[:, IN_PLANE].ravel(), residual(flat_world, flat_state))
    given = dense(assemble_matrix(world, state, dq=1.0, dv=0.3)).reshape(4, 6, 4, 6)[:, IN_PLANE][:, :, :, IN_PLANE]
    assert_close(given.reshape(16, 16), dense(assemble_matrix(flat_world, flat_state, dq=1.0, dv=0.3)))
    for name in ("axial_force", "axial_strain"):
        assert_close(eval_output(cables, name, state, x=0.2), eval_output(flat, name, flat_state, x=0.2))
    for name in ("bending_moment", "curvature", "angular_velocity"):
        found = eval_output(cables, name, state, x=0.2)
        assert_close(found[:, 2], eval_output(flat, name, flat_state, x=0.2))
        assert_allclose(found[:, :2], 0.0, atol=1e-13)
