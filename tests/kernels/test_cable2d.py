"""`Cable2D` is compared with reference data and with differences of forces. Rigid motions, energy, gravity and outputs
are also tested.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from windlass.elements.cable.gauss import residual_gauss_2d, tangent_gauss_2d
from windlass.elements.cable.lanes import RuleRows, create_lanes
from windlass.elements.cable.lobatto import residual_lobatto_2d, tangent_lobatto_2d
from windlass.elements.cable.mass import create_inertia, mass, mass_product
from windlass.elements.cable.points import create_rule, eval_shape
from windlass.framework.assembly.assembly import serial_assembly
from windlass.framework.errors import ModelError
from windlass.framework.model.lanes import LANES
from windlass.framework.model.rows import create_records
from windlass.framework.model.system import Slots, evaluate
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.assemble import assemble_mass, assemble_matrix, assemble_vector
from windlass.framework.state.evaluate import eval_output, outputs_of
from windlass.framework.state.state import State
from windlass.testing import check_tangent

from support.cables import NODES, create_cables, residual, shake
from support.matrices import dense

REFERENCE = np.load(Path(__file__).parents[1] / "reference" / "cable2d.npz")
CASES = list(product((0, 1, 2), (0.0, 1.0, 0.4), (0, 1)))
# columns: name in the data file, name in Windlass, components in Windlass
OUTPUTS = [
    ("Position", "position", 3),
    ("Velocity", "velocity", 3),
    ("VelocityLocal", "velocity_local", 2),
    ("Director1", "director", 3),
    ("Rotation", "rotation", 0),
    ("AngularVelocity", "angular_velocity", 0),
    ("StrainLocal", "strain", 0),
    ("CurvatureLocal", "curvature", 0),
    ("ForceLocal", "axial_force", 0),
    ("TorqueLocal", "bending_moment", 0),
]
ACROSS = {"position", "displacement", "velocity", "velocity_local", "acceleration", "strain"}
"""Outputs that depend on the distance y from the axis."""


@pytest.fixture(scope="module")
def reference_cables() -> tuple[World, Entity, State]:
    """Return all cases of the reference data as rows of one table. The rows have different integration rules and
    different values of strain_is_relative_to_reference.
    """
    world, cables, state = create_cables(
        len(CASES),
        integration=np.array([c[0] for c in CASES]),
        strain_is_relative_to_reference=np.array([c[1] for c in CASES]),
    )
    for name, values in (("q", state.q), ("v", state.v)):
        values[:] = np.concatenate([REFERENCE[f"cable_red{r}_rel{c}_{k}_{name}"] for r, c, k in CASES])
    return world, cables, state


def reference_blocks(name: str) -> Any:
    return np.array([REFERENCE[f"cable_red{r}_rel{c}_{k}_{name}"] for r, c, k in CASES])


def diagonal_blocks(matrix: Any) -> Any:
    blocks = matrix.reshape(len(CASES), 8, len(CASES), 8)
    return np.array([blocks[i, :, i] for i in range(len(CASES))])


def test_forces_match_reference(reference_cables: Any) -> None:
    world, _, state = reference_cables
    expected = -reference_blocks("rhs")
    assert_allclose(residual(world, state).reshape(-1, 8), expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def test_mass_matches_reference(reference_cables: Any) -> None:
    world, _, state = reference_cables
    expected = reference_blocks("M")
    given = diagonal_blocks(dense(assemble_mass(world, state)))
    assert_allclose(given, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize(("dq", "dv", "name"), [(1.0, 0.0, "dRHS_dq"), (0.0, 1.0, "dRHS_dv")])
def test_tangents_match_reference(reference_cables: Any, dq: float, dv: float, name: str) -> None:
    world, _, state = reference_cables
    expected = -reference_blocks(name)
    given = diagonal_blocks(dense(assemble_matrix(world, state, dq=dq, dv=dv)))
    assert_allclose(given, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize(("theirs", "ours", "size"), OUTPUTS)
def test_outputs_match_reference(reference_cables: Any, theirs: str, ours: str, size: int) -> None:
    _, cables, state = reference_cables
    places = sorted({key.split("out_")[1].rsplit("_", 1)[0] for key in REFERENCE.files if key.endswith(f"_{theirs}")})
    assert len(places) >= 6
    for place in places:
        x, y = (float(number[1:]) for number in place.split("_"))
        expected = reference_blocks(f"out_{place}_{theirs}")
        if size:
            expected = expected[:, :size]
        elif expected.ndim > 1:
            expected = expected[:, 2]
        given = eval_output(cables, ours, state, **({"x": x, "y": y} if ours in ACROSS else {"x": x}))
        assert_allclose(given, expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize("integration", [0, 1, 2])
@pytest.mark.parametrize("damping", [0.0, 1.0])
def test_tangents_against_differences(integration: int, damping: float) -> None:
    world, _, state = create_cables(
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


def test_tangents_add_up(reference_cables: Any) -> None:
    world, _, state = reference_cables
    q, v = (dense(assemble_matrix(world, state, dq=a, dv=b)) for a, b in ((1.0, 0.0), (0.0, 1.0)))
    both = dense(assemble_matrix(world, state, dq=0.7, dv=30.0))
    assert_allclose(both, 0.7 * q + 30.0 * v, rtol=0, atol=1e-13 * np.abs(both).max())


def test_tangent_is_symmetric_without_damping() -> None:
    for integration in (0, 1, 2):
        world, _, state = create_cables(integration=integration, axial_damping=0.0, bending_damping=0.0)
        matrix = dense(assemble_matrix(world, shake(state)))
        assert_allclose(matrix, matrix.T, rtol=0, atol=1e-14 * np.abs(matrix).max())


@pytest.mark.parametrize("rows", [1, 5, LANES, 2 * LANES + 3])
@pytest.mark.parametrize("runs", [1, 4])
def test_lanes_equal_loop_over_points(rows: int, runs: int) -> None:
    """For integration rule 2, the kernels with vector lanes and the kernels with a loop over points give equal forces,
    tangents and masses.

    Masses are compared in tables of one row, in which the other lanes are empty.
    """
    rng = np.random.default_rng(3)
    rule, one = create_rule(2), np.ones(rows)
    length, strain, curvature = 0.3 + rng.random(rows), rng.normal(size=(rows, 3)), rng.normal(size=(rows, 2))
    rho = 0.5 + rng.random(rows)
    own = create_records(
        length=length, mass_per_length=rho, axial_stiffness=500 * one, bending_stiffness=9 * one,
        axial_damping=2 * one, bending_damping=0.4 * one, place=np.arange(rows)[::-1].copy(),
    )  # fmt: skip
    dofs = 4 * np.arange(rows)[:, None] + np.arange(8)
    lanes, inertia = create_lanes(RuleRows(own, strain, curvature, dofs)), create_inertia(rho, length, dofs)
    x, v, a = rng.normal(size=(3, 4 * rows + 4))
    f, expected = np.zeros((2, len(x)))
    residual_lobatto_2d(lanes, x, v, a, 1.5, f)
    residual_gauss_2d(lanes, rule, x, v, a, 0.0, expected)
    mass_product(inertia, 1.5 * a, expected)
    assert_allclose(f, expected, rtol=0, atol=1e-13 * np.abs(expected).max())

    first = rng.permutation(rows * 64 // runs) * runs
    every = Slots((first.reshape(rows, 8, -1, 1) + np.arange(runs)).reshape(rows, 8, 8))
    slots = Slots(first.reshape(rows, 8, -1), width=runs)
    values, expected = np.zeros((2, rows * 64))
    tangent_lobatto_2d(lanes, x, v, 0.3, 2.0, 7.0, slots, values)
    tangent_gauss_2d(lanes, rule, x, v, 0.3, 2.0, 0.0, every, expected)
    # the tangent kernel selects the slots of an entry by the index `row`; the mass kernel uses the slots in their order
    mass(create_inertia(rho[::-1], length[::-1], dofs), 7.0, slots, expected)
    assert_allclose(values, expected, rtol=0, atol=1e-13 * np.abs(expected).max())
    # the tangent kernel with inertia (da = 7) gives the same values in one call
    f, values = np.zeros(len(x)), np.zeros(rows * 64)
    residual_gauss_2d(lanes, rule, x, v, a, 1.5, f)
    tangent_gauss_2d(lanes, rule, x, v, 0.3, 2.0, 7.0, slots, values)
    assert_allclose(values, expected, rtol=0, atol=1e-13 * np.abs(expected).max())
    expected = np.zeros(len(x))
    residual_lobatto_2d(lanes, x, v, a, 1.5, expected)
    assert_allclose(f, expected, rtol=0, atol=1e-13 * np.abs(expected).max())


@pytest.mark.parametrize("integration", [0, 1, 2])
def test_rigid_motion_turns_forces(integration: int) -> None:
    """If a cable is rotated and moved, with a superposed rigid velocity, its forces rotate with it and its moments do
    not change.
    """
    world, _, state = create_cables(3, chain=True, integration=integration)
    shake(state)
    reference = serial_assembly(world).layout.reference[:-1]
    angle, omega = 0.8, 1.7
    R = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    J = np.array([[0.0, -1.0], [1.0, 0.0]])
    x = (reference + state.q).reshape(-1, 2) @ R.T
    v = state.v.reshape(-1, 2) @ R.T + omega * x @ J.T
    x[::2] += [2.0, -1.0]
    v[::2] += [0.3, 4.0]
    moved = state.copy()
    moved.q[:], moved.v[:] = x.ravel() - reference, v.ravel()
    expected = residual(world, state).reshape(-1, 2) @ R.T
    assert_allclose(residual(world, moved).reshape(-1, 2), expected, rtol=0, atol=1e-11 * np.abs(expected).max())


def test_forces_are_in_equilibrium() -> None:
    world, _, state = create_cables(3, chain=True)
    shake(state)
    x = (serial_assembly(world).layout.reference[:-1] + state.q).reshape(-1, 2)
    f = residual(world, state).reshape(-1, 2)
    assert_allclose(f[::2].sum(axis=0), 0, atol=1e-11 * np.abs(f).max())
    assert_allclose((x[:, 0] * f[:, 1] - x[:, 1] * f[:, 0]).sum(), 0, atol=1e-11 * np.abs(f).max())


@pytest.mark.parametrize("integration", [0, 1, 2])
def test_residual_is_gradient_of_energy(integration: int) -> None:
    world, _, state = create_cables(2, chain=True, integration=integration, axial_damping=0.0, bending_damping=0.0)
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


def test_damping_takes_power() -> None:
    world, _, state = create_cables(3, chain=True, axial_stiffness=1e-300, bending_stiffness=0.0)
    for seed in range(5):
        shake(state, seed)
        assert residual(world, state) @ state.v > 0


def test_gravity_is_mass_times_acceleration() -> None:
    world, cables, state = create_cables(2, chain=True, mass_per_length=np.array([3.1, 1.2]))
    world.gravity[:] = (0.4, -9.81, 2.0)
    load = -(residual(world, state) - _without_gravity(world, state))
    uniform = np.tile([0.4, -9.81, 0.0, 0.0], 3)
    assert_allclose(load, dense(assemble_mass(world, state)) @ uniform, rtol=1e-13, atol=1e-14)
    assert_allclose(load[1::4].sum(), -9.81 * (3.1 + 1.2) * cables.length[0], rtol=1e-13)


def _without_gravity(world: World, state: State) -> Any:
    return assemble_vector(world, state, load_factor=0.0).getArray().copy()


def test_body_force_acts_on_chosen_rows() -> None:
    world, _, state = create_cables(3)
    assembly = serial_assembly(world)
    (system,) = (s for s in assembly.systems if s.body_force is not None)
    f = np.zeros(len(state.q) + 1)
    fields = assembly.load_fields(state)
    system.body_force.force(evaluate(fields, g=np.array([1.0, 0.0, 0.0]), which=np.array([2]), f=f))
    assert not f[:16].any()
    assert_allclose(f[16:24:4].sum(), 3.1 * 0.7, rtol=1e-14)


# outputs


def test_places_of_outputs() -> None:
    _, cables, state = create_cables(2)
    shake(state)
    at = eval_output(cables, "position", state, x=np.array([[0.0, 0.35, 0.7], [0.1, 0.2, 0.3]]))
    assert at.shape == (2, 3, 3)
    assert_allclose(at[:, 0], eval_output(cables, "position", state, x=np.array([0.0, 0.1])))
    assert_allclose(at[0, 1], eval_output(cables[0], "position", state))
    assert_allclose(at[1, 2], eval_output(cables[1], "position", state, x=0.3))
    assert eval_output(cables, "curvature", state, x=np.zeros((2, 5))).shape == (2, 5)
    for x, message in ((0.8, "x = 0.8 m in Cable2D row 0: must lie from 0 to 0.7 m"), ([1, 2, 3], "shape")):
        with pytest.raises(ModelError, match=message):
            eval_output(cables, "position", state, x=x)


def test_places_across_the_axis() -> None:
    """One x for several y gives the same values as one x for each y."""
    _, cables, state = create_cables(2)
    shake(state)
    y = np.array([[-0.1, 0.0, 0.1], [0.2, 0.3, 0.4]])
    for x in (0.2, np.array([0.2, 0.2])):
        at = eval_output(cables, "position", state, x=x, y=y)
        assert_allclose(at, eval_output(cables, "position", state, x=np.full((2, 3), 0.2), y=y))
    middle = eval_output(cables, "velocity", state, x=0.35, y=y)
    assert_allclose(eval_output(cables, "velocity", state, y=y), middle)
    for y, message in (
        (np.zeros((2, 4)), "y has 4 positions in each row of Cable2D: must have 1 or 3, as x"),
        (np.nan, "y = nan m for Cable2D: must be finite"),
    ):
        with pytest.raises(ModelError, match=message):
            eval_output(cables, "position", state, x=np.zeros((2, 3)), y=y)


def test_outputs_of_whole_cross_sections_refuse_places_across_the_axis() -> None:
    """An output accepts y if and only if its value depends on y."""
    _, cables, state = create_cables(2)
    shake(state)
    state.a[:] = state.v
    for name in outputs_of(cables):
        if name in ACROSS:
            values = [eval_output(cables, name, state, x=0.2, y=y) for y in (0.0, 0.1)]
            assert np.abs(values[1] - values[0]).max() > 1e-6, name
        else:
            with pytest.raises(ModelError, match=r"y = 0\.1 for this output of Cable2D: must be one of x"):
                eval_output(cables, name, state, y=0.1)


def test_outputs_at_rest() -> None:
    _, cables, state = create_cables(2)
    x, y = np.linspace(0, 0.7, 4)[None].repeat(2, axis=0), 0.04
    assert_allclose(eval_output(cables, "displacement", state, x=x, y=y), 0, atol=1e-15)
    assert_allclose(eval_output(cables, "velocity", state, x=x, y=y), 0)
    normal = np.array([-0.28, 0.96, 0.0])
    assert_allclose(eval_output(cables, "position", state, x=0.0, y=y)[0], [*NODES[0, :2], 0.0] + 0.04 * normal)


@pytest.mark.parametrize(
    ("rate", "name"),
    [
        ("velocity", "position"),
        ("velocity", "displacement"),
        ("acceleration", "velocity"),
        ("angular_velocity", "rotation"),
        ("angular_acceleration", "angular_velocity"),
    ],
)
def test_rates_of_outputs(rate: str, name: str) -> None:
    """Rates of outputs agree with central differences along the motion q + v t + a t²/2."""
    _, cables, state = create_cables(2)
    shake(state)
    state.a[:] = 3.0 * np.random.default_rng(9).normal(size=state.a.shape)

    def at(t: float) -> Any:
        moved = state.copy()
        moved.q += t * state.v + 0.5 * t**2 * state.a
        moved.v += t * state.a
        return eval_output(cables, name, moved, x=0.2, **({} if "ang" in name or name == "rotation" else {"y": 0.04}))

    h = 1e-5
    place = {} if "ang" in rate else {"y": 0.04}
    expected = eval_output(cables, rate, state, x=0.2, **place)
    assert_allclose((at(h) - at(-h)) / (2 * h), expected, rtol=1e-7, atol=1e-7 * np.abs(expected).max())


def test_shape_functions_interpolate() -> None:
    S = eval_shape(np.array([0.0, 1.0]), np.array(0.3))
    assert_allclose(S.S, [[1, 0, 0, 0], [0, 0, 1, 0]], atol=1e-15)
    assert_allclose(S.dS, [[0, 1, 0, 0], [0, 0, 0, 1]], atol=1e-15)
