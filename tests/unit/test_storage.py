"""Tests of tangents in blocks of 4 x 4: numbering, positions of entries (slots), comparison with storage by rows, and
the change to storage by rows.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from windlass.connectors import (
    ContactMaterial,
    ContactSet,
    ContactSphere,
    CoordinateSpringDamper,
    HuntCrossley,
    coordinate_marker,
    fix,
    hinge,
)
from windlass.elements import Cable2D, MassPoint, PointSlope2D, RigidBody2D, nodes_of, straight_cable
from windlass.elements.nodes.nodes3d import Point3D
from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.assembly import Assembly, serial_assembly
from windlass.framework.assembly.sparsity import create_pattern
from windlass.framework.assembly.storage import Storage, can_store
from windlass.framework.layout.unknowns import BLOCK
from windlass.framework.model.world import World
from windlass.framework.restart.checkpoint import Checkpoint
from windlass.framework.runtime.petsc import PETSc
from windlass.framework.state.state import State
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.linear.linear_check import is_accurate
from windlass.solvers.newton.problem import NonlinearProblem
from windlass.solvers.newton.scheme import Scheme

from support.belt import belt_parameters, build_belt
from support.nets import CABLE


def rope() -> World:
    """Create a rope that is fixed at its ends and in its middle. A wheel hangs on the rope by a spring."""
    world = World(gravity=(0.0, -9.81))
    nodes = nodes_of(world, straight_cable(world, (0, 0), (10, 0), 40, **CABLE))
    hinge(world, nodes[0])
    hinge(world, nodes[40])
    fix(world, nodes[20], "x")
    wheel = world.add(RigidBody2D, position=(1.0, 1.0), mass=2.0, inertia=0.3)
    fix(world, wheel, "y", "rotation")
    ends = [coordinate_marker(world, on, "x") for on in (wheel, nodes[5])]
    world.add(CoordinateSpringDamper, marker0=ends[0], marker1=ends[1], stiffness=30.0, damping=2.0)
    return world


def dense(assembly: Assembly, storage: Storage) -> FloatArray:
    """Return the tangent that a storage contains, for coordinates and multipliers in this order, without the padding of
    blocks.
    """
    sparsity = assembly.use(storage, update=True)
    pattern, unknowns = sparsity.pattern, sparsity.unknowns
    values = np.zeros(pattern.spare + 1)
    assembly.add_tangent(values, 1.0, 20.0, 300.0, 1.0, 300.0)
    assembly.add_constraint_tangent(values, 1.0, 20.0, 7.0)
    rows, columns = pattern.entries()
    full = np.zeros((pattern.rows, pattern.rows))
    full[rows, columns] = values[:-1]
    assert not full[unknowns.pads].any() and not full[:, unknowns.pads].any()
    order = np.concatenate((unknowns.of_dof, unknowns.of_multiplier))
    return full[np.ix_(order, order)]


def test_unknowns_in_blocks() -> None:
    assembly = serial_assembly(rope())
    layout = assembly.layout
    unknowns = layout.blocks()
    assert unknowns is not None and unknowns.owned % BLOCK == 0
    used = np.concatenate((unknowns.of_dof, unknowns.of_multiplier))
    assert_array_equal(np.sort(np.concatenate((used, unknowns.pads))), np.arange(unknowns.owned))
    # the last block contains only padding, for the spare slot
    assert_array_equal(unknowns.pads[-BLOCK:], unknowns.owned - BLOCK + np.arange(BLOCK))
    # nodes are in the order of the layout, with one block for each node
    nodes = unknowns.of_dof[: 4 * 41].reshape(41, BLOCK)
    assert_array_equal(nodes % BLOCK, np.tile(np.arange(BLOCK), (41, 1)))
    assert (np.diff(nodes[:, 0]) > 0).all()
    # multipliers follow the coordinates that they fix, so LU needs no exchange of pivots
    sparsity = assembly.use(Storage.BLOCKS)
    for component, coupling in sparsity.couplings.items():
        constraint = layout.systems[component].constraint
        assert constraint is not None and coupling.diagonal.size
        dofs = np.append(unknowns.of_dof, -1)[layout.systems[component].dofs]
        assert (unknowns.of_multiplier[constraint.multipliers].min(axis=1) > dofs.max(axis=1)).all()


@pytest.mark.parametrize("build", [rope, lambda: build_belt(belt_parameters(60, 2)).world])
def test_storages_hold_the_same_tangent(build: object) -> None:
    world: World = build()  # type: ignore[operator]
    assembly = serial_assembly(world)
    state, random = State(world), np.random.default_rng(4)
    for values in (state.q, state.v, state.a, state.lam):
        values[:] = 0.05 * random.normal(size=len(values))
    assembly.load_fields(state)
    expected = dense(assembly, Storage.ROWS)
    for storage in (Storage.BLOCKS, Storage.BLOCK_ROWS, Storage.ROWS):
        assert_allclose(dense(assembly, storage), expected, rtol=0, atol=1e-14 * np.abs(expected).max())
    shapes = [assembly.use(storage).slots[Cable2D].places.shape[1:] for storage in (Storage.ROWS, Storage.BLOCKS)]
    assert shapes == [(8, 2), (2, 2)]
    # ``assembly.pattern`` is the pattern of storage by rows, even if another storage is used
    assert assembly.pattern is assembly.use(Storage.ROWS).pattern and assembly.pattern.block == 1


@pytest.mark.parametrize("block", [1, 3, 4])
def test_slots_are_those_of_the_entries(block: int) -> None:
    """The positions of matrix entries (slots) that are found by blocks equal the positions that are found entry by
    entry.

    Cases: coordinates in any order, consecutive coordinates that start inside a block, and missing coordinates (-1).
    """
    random, unknowns = np.random.default_rng(7), 24 * block
    scattered = random.integers(-1, unknowns - block, size=(30, 5))
    runs = random.integers(0, unknowns - 4 - block, size=(20, 2, 1)) + np.arange(4)
    coordinates = [scattered, runs.reshape(20, 8)]
    pattern = create_pattern([(c, c) for c in coordinates], unknowns, block)
    rows, columns = pattern.entries()
    assert pattern.rows == unknowns and len(rows) == pattern.spare
    for c in coordinates:
        i, j = np.broadcast_arrays(c[:, :, None], c[:, None, :])
        slots, there = pattern.slots(c, c), (i >= 0) & (j >= 0)
        assert (slots[~there] == pattern.spare).all()
        assert_array_equal(rows[slots[there]], i[there])
        assert_array_equal(columns[slots[there]], j[there])
    values, x = random.normal(size=pattern.spare + 1), random.normal(size=unknowns)
    x[-1] = 0.0  # the value of the spare slot must have no effect
    full = np.zeros((unknowns, unknowns))
    full[rows, columns] = values[:-1]
    assert_allclose(pattern.multiply(values, x), full @ x, rtol=0, atol=1e-13)
    assert_allclose(pattern.multiply(values, x, absolute=True), np.abs(full) @ x, rtol=0, atol=1e-13)
    assert_allclose(pattern.multiply_transposed(values, x), full.T @ x, rtol=0, atol=1e-13)


def test_nodes_that_share_positions_and_other_coordinates_are_no_blocks() -> None:
    world = World()
    first = world.add(PointSlope2D, position=(0.0, 0.0))
    world.add(PointSlope2D, position=(0.0, 0.0), slope=(0.0, 1.0), shares_position=first)
    for x in range(3):
        world.add(MassPoint, position=(x, 1.0), mass=1.0)
    assembly = serial_assembly(world)
    assert_array_equal(assembly.layout.nodes, [0])
    assert assembly.layout.blocks() is None
    assert not can_store(assembly.layout, Storage.BLOCKS)


@pytest.mark.parametrize("option", ["", "ksp_monitor", "pc_type", "ksp_type"])
def test_options_of_linear_solvers_want_rows(option: str, request: pytest.FixtureRequest) -> None:
    if option:
        name = f"dynamic_{option}"
        PETSc.Options().setValue(name, {"pc_type": "lu", "ksp_type": "gmres"}.get(option))
        request.addfinalizer(lambda: PETSc.Options().delValue(name))
    matrix = Dynamic(rope(), step=1e-3, end=1e-3, name="").problem.matrix.mat
    assert matrix.getType() == ("seqaij" if option.endswith("type") else "seqbaij")


def march(changes: int = 0, first: str = "seqbaij") -> FloatArray:
    """Return coordinates and multipliers of a swinging rope; the linear solver changes after some steps."""
    solver, found = Dynamic(rope(), step=2e-3, end=0.04, name="", lag=False), []
    for state in solver.march():
        found.append(np.concatenate((state.q, state.lam)))
        if state.step == 7:
            for _ in range(changes):
                assert solver.newton._change_solver()
    assert len(found) == 20
    expected = [(first, "petsc"), ("seqaij", "petsc"), ("seqaij", "klu")][changes]
    assert (solver.problem.matrix.mat.getType(), solver.snes.getKSP().getPC().getFactorSolverType()) == expected
    return np.array(found)


@pytest.mark.parametrize("changes", [1, 2])
def test_solvers_by_rows_take_over_from_blocks(changes: int) -> None:
    expected = march()
    assert_allclose(march(changes), expected, rtol=0, atol=1e-9 * np.abs(expected).max())


def test_inaccurate_blocks_are_found() -> None:
    """Without inertia, the inverses of the blocks of a slender cable have no correct digits, and the solver detects
    this error. With inertia, the inverses are accurate.
    """
    world = World(gravity=(0.0, -9.81))
    stiffness = {"axial_stiffness": 1e7, "bending_stiffness": 1.0, "mass_per_length": 1.0}
    nodes = nodes_of(world, straight_cable(world, (0, 0), (100, 30), 8, **stiffness))
    hinge(world, nodes[0])
    hinge(world, nodes[8])
    assembly = serial_assembly(world)
    problem = NonlinearProblem(assembly, "", Storage.BLOCKS)
    right = problem.residual_vector.duplicate()
    solver = PETSc.KSP().create(comm=PETSc.COMM_SELF)
    solver.setType(PETSc.KSP.Type.PREONLY)
    solver.getPC().setType(PETSc.PC.Type.LU)
    solver.getPC().setFactorOrdering(PETSc.Mat.OrderingType.NATURAL)
    zero, random = np.zeros(assembly.layout.spare), np.random.default_rng(1)
    b = random.normal(size=right.getLocalSize())
    b[problem.sparsity.unknowns.pads] = 0.0
    right.setArray(b)
    for step, accurate in ((np.inf, False), (0.1, True), (1e-4, True)):
        factors = {"v_factor": 2.0 / step, "a_factor": 4.0 / step**2, "multiplier_factor": 1.0 + 4.0 / step**2}
        problem.start(Scheme(zero, zero, **factors))
        problem.update_tangent(problem.unknowns)
        solver.setOperators(problem.matrix.mat)
        solution = right.duplicate()
        solver.solve(right, solution)
        found = is_accurate(problem.pattern, problem.matrix.values, solution.array_r, b, rtol=0.0)
        assert found == accurate, step


def test_blocks_give_the_solution_of_rows(request: pytest.FixtureRequest) -> None:
    expected = march()
    PETSc.Options().setValue("dynamic_pc_type", "lu")
    request.addfinalizer(lambda: PETSc.Options().delValue("dynamic_pc_type"))
    assert_allclose(march(first="seqaij"), expected, rtol=0, atol=1e-9 * np.abs(expected).max())


def test_pads_have_no_names() -> None:
    """The equations with the largest residuals are equations of coordinates and multipliers and never padding rows,
    even if all equations are requested.
    """
    problem = Dynamic(rope(), step=1e-3, end=1e-3, name="").problem
    unknowns = problem.sparsity.unknowns
    problem.residual_vector.set(np.nan)
    worst = problem.worst_equations(10_000)
    assert len(worst) == unknowns.owned - len(unknowns.pads) == problem.assembly.layout.unknowns.total
    assert len({name for name, _ in worst}) == len(worst)


def test_restart_with_the_pivoting_solver(tmp_path: Path) -> None:
    """If a solver with pivoting has replaced the block solver, a restarted run continues with this solver, and all bits
    of its results are equal to the results of an uninterrupted run.
    """

    def run(end: int, restart: Path | None = None) -> tuple[Dynamic, dict[int, FloatArray]]:
        solver = Dynamic(rope(), step=2e-3, end=0.04, name="")
        found = {}
        for state in solver.march(hooks=[Checkpoint(tmp_path / "run.h5", every=5, restart=restart)]):
            found[state.step] = np.concatenate((state.q, state.lam))
            if state.step == 3:
                solver.newton.fallbacks += 2
                assert solver.newton._change_solver() and solver.newton._change_solver()
            if state.step == end:
                break
        return solver, found

    _, whole = run(20)
    (tmp_path / "run.h5").unlink()
    run(12)
    solver, rest = run(20, tmp_path / "run.h5")
    assert min(rest) == 11 and solver.snes.getKSP().getPC().getFactorSolverType() == "klu"
    for step, values in rest.items():
        assert_array_equal(values, whole[step])


def test_values_of_another_storage_are_refused() -> None:
    """Values of another storage are refused, because kernels do not check the indices of values."""
    assembly = serial_assembly(rope())
    values = np.zeros(assembly.update_pattern().spare + 1)
    assembly.use(Storage.BLOCKS)
    for add in (
        lambda: assembly.add_mass_matrix(values),
        lambda: assembly.add_tangent(values, 1.0, 0.0, 0.0, 0.0, 0.0),
        lambda: assembly.add_constraint_tangent(values, 1.0, 0.0, 1.0),
    ):
        with pytest.raises(AssertionError, match="values of another pattern"):
            add()


def march_with_spheres() -> FloatArray:
    """Return the coordinates of a rope and of three spheres that collide."""
    world = World(gravity=(0.0, -9.81, 0.0))
    nodes = nodes_of(world, straight_cable(world, (0, 0), (10, 0), 40, **CABLE))
    hinge(world, nodes[0])
    hinge(world, nodes[40])
    contacts = world.add(ContactSet, skin=0.02)
    material = world.add(ContactMaterial, plane_strain_modulus=1e5)
    places = [(0.0, 0.0, 0.0), (2.05, 0.0, 0.0), (4.2, 0.0, 0.0)]
    points = world.add(Point3D, position=places, velocity=[(3.0, 0.0, 0.0), (0.0, 0.0, 0.0), (-1.0, 0.0, 0.0)])
    world.add(MassPoint, node=points, mass=1.0)
    world.add(ContactSphere, marker=points, radius=1.0, contact_set=contacts, material=material)
    world.add(HuntCrossley, contact_set=contacts)
    solver = Dynamic(world, step=2e-3, end=0.12, name="")
    found = np.array([state.q.copy() for state in solver.march()])
    assert solver.assembly.layout.systems[HuntCrossley].neighbours.version >= 2
    return found


def test_blocks_follow_changing_contacts(request: pytest.FixtureRequest) -> None:
    """A search for neighbours changes the sparsity pattern, and storage in blocks and storage by rows give equal
    results.
    """
    found = march_with_spheres()
    PETSc.Options().setValue("dynamic_pc_type", "lu")
    request.addfinalizer(lambda: PETSc.Options().delValue("dynamic_pc_type"))
    assert_allclose(found, march_with_spheres(), rtol=0, atol=1e-10)
