"""Tests of the default linear solver on one process: natural order for banded matrices, MUMPS for nets, and
settings.
"""

from __future__ import annotations

import numpy as np
import pytest

from windlass.connectors import ContactFrictionCircleCable2D, add_contact, fix, hinge
from windlass.elements import RigidBody2D, cable_around, nodes_of, straight_cable
from windlass.framework.assembly.assembly import serial_assembly
from windlass.framework.errors import OptionError
from windlass.framework.model.world import World
from windlass.framework.runtime.petsc import PETSc
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.explicit import Explicit
from windlass.solvers.linear.ordering import is_banded
from windlass.solvers.static import Static

from support.lattice import create_static, falling_lattice, hung_lattice
from support.nets import CABLE, build_net
from support.parallel_contacts import build_packing


def rope() -> World:
    """Create a rope of 500 elements."""
    world = World()
    cables = straight_cable(world, (0, 0), (10, 0), 500, **CABLE)
    hinge(world, nodes_of(world, cables)[0])
    return world


def belt() -> World:
    """Create a belt of 500 elements on two pulleys, with all elements in contact."""
    world = World()
    pulleys = [world.add(RigidBody2D, position=(x, 0.0), mass=1.0, inertia=1.0) for x in (0.0, 10.0)]
    cables = cable_around(world, pulleys, 500, radius=1.0, **CABLE)
    stiffness = {"contact_stiffness": 1e5, "contact_damping": 0.0, "friction_stiffness": 1e5}
    columns = stiffness | {"friction_velocity_penalty": 0.0, "friction_coefficient": 0.3}
    known = {name: value for name, value in columns.items() if name in ContactFrictionCircleCable2D.columns}
    add_contact(world, ContactFrictionCircleCable2D, pulleys, cables, segments=2, circle_radius=1.0, **known)
    return world


def net() -> World:
    """Create a net of 30 x 30 lines that is fixed at its lower edge."""
    world = World(gravity=(0.0, -9.81))
    _, nodes = build_net(world, 30)
    fix(world, nodes[:30], "x", "y")
    return world


@pytest.mark.parametrize(("build", "package"), [(rope, "petsc"), (belt, "petsc"), (net, "mumps")])
def test_default_package(build: object, package: str) -> None:
    world: World = build()  # type: ignore[operator]
    assert is_banded(serial_assembly(world).update_pattern()) == (package == "petsc")
    pc = Dynamic(world, step=1e-3, end=1e-3, name="").snes.getKSP().getPC()
    assert pc.getFactorSolverType() == package


@pytest.mark.parametrize("chosen", ["", "mumps"])
def test_chosen_package_finds_its_own_order(chosen: str, request: pytest.FixtureRequest) -> None:
    """A package that the user selects chooses its own order.

    The natural order is used only with PETSc's own LU. For a net, the factors in natural order would be ten times as
    large.
    """
    if chosen:
        name = "dynamic_pc_factor_mat_solver_type"
        PETSc.Options().setValue(name, chosen)
        request.addfinalizer(lambda: PETSc.Options().delValue(name))
    dynamic = Dynamic(net(), step=1e-4, end=1e-4, name="")
    dynamic.solve()
    factors = dynamic.snes.getKSP().getPC().getFactorMatrix()
    entries = int(factors.getMumpsInfog(29))
    assert 0 < entries < 10 * dynamic.problem.pattern.spare


OF_MUMPS = (0.01, -1.0)
"""Default of CNTL(1): 0.01, or a negative value in MUMPS of Debian 13, which means an automatic choice."""


def check_settings(solver: Dynamic | Static, scaling: int, threshold: float | None) -> None:
    """Check the settings of a factorisation by MUMPS; None denotes the default threshold."""
    factors = solver.snes.getKSP().getPC().getFactorMatrix()
    assert factors.getMumpsIcntl(8) == scaling
    assert factors.getMumpsCntl(1) in ((threshold,) if threshold else OF_MUMPS)


@pytest.mark.parametrize(
    ("given", "scaling", "threshold"),
    [
        ({}, 0, 1e-6),
        ({"icntl_8": "7"}, 7, None),
        ({"cntl_1": "0.1"}, 77, 0.1),
        ({"icntl_8": "8", "cntl_1": "1e-3"}, 8, 1e-3),
    ],
)
def test_settings_of_mumps(
    given: dict[str, str], scaling: int, threshold: float | None, request: pytest.FixtureRequest
) -> None:
    """Without constraint rows, MUMPS has no scaling and a small pivot threshold, unless the user gives one of these
    settings.
    """
    database, falling = PETSc.Options(), falling_lattice(40)
    for name, value in given.items():
        database.setValue(f"dynamic_mat_mumps_{name}", value)
        request.addfinalizer(lambda name=name: database.delValue(f"dynamic_mat_mumps_{name}"))
    before = dict(database.getAll())
    dynamic = Dynamic(falling.world, step=1e-4, end=1e-4, name="")
    dynamic.solve()
    check_settings(dynamic, scaling, threshold)
    # PETSc requests the ordering again after a reset
    dynamic.newton.reset_caches()
    dynamic.solve()
    check_settings(dynamic, scaling, threshold)
    kept = {name: value for name, value in database.getAll().items() if "mumps" in name}
    assert kept == {name: value for name, value in before.items() if "mumps" in name}


def test_mumps_keeps_its_pivots_without_scaling() -> None:
    """If steps are so small that inertia dominates, MUMPS without scaling delays no pivot, and the only errors of the
    solution are rounding errors.

    With the default threshold of MUMPS, 0.01, thousands of pivots would be delayed and memory would not suffice.
    """
    solver = Dynamic(falling_lattice(40).world, step=2e-4, end=1e-3, name="")
    solver.solve()
    ksp, matrix = solver.snes.getKSP(), solver.problem.matrix.mat
    assert ksp.getPC().getFactorMatrix().getMumpsInfog(13) == 0
    right = solver.problem.residual_vector.duplicate()
    right.setArray(np.random.default_rng(1).normal(size=right.getLocalSize()))
    solution, rest = right.duplicate(), right.copy()
    ksp.solve(right, solution)
    matrix.mult(solution, rest)
    rest.axpy(-1.0, right)
    norm = PETSc.NormType.NORM_INFINITY
    assert rest.norm(norm) < 1e-15 * (matrix.norm(norm) * solution.norm(norm) + right.norm(norm))


def test_mumps_scales_where_there_are_constraint_rows() -> None:
    """MUMPS scales matrices with constraint rows, because these rows require the exchange of pivots."""
    static = create_static(hung_lattice(40))
    static.solve()
    check_settings(static, 77, None)


def test_contacts_found_later_may_call_for_mumps() -> None:
    """Spheres are not coupled before the first search. After the search, the matrix of the spheres has no band, and the
    default changes to MUMPS.
    """
    solver = Dynamic(build_packing(400).world, step=1e-4, end=2e-4, name="")
    factors = solver.snes.getKSP().getPC()
    assert factors.getFactorSolverType() == "petsc"
    solver.solve()
    assert factors.getFactorSolverType() == "mumps"


@pytest.mark.parametrize("solver", ["static", "dynamic", "explicit"])
def test_unknown_packages_are_refused_before_the_solve(solver: str, request: pytest.FixtureRequest) -> None:
    """The error for an unknown package names the given name and the packages of this PETSc, before the solve."""
    name = f"{solver}_pc_factor_mat_solver_type"
    PETSc.Options().setValue(name, "foo")
    request.addfinalizer(lambda: PETSc.Options().delValue(name))
    create = {
        "static": lambda: Static(rope(), name=""),
        "dynamic": lambda: Dynamic(rope(), step=1e-3, end=1e-3, name=""),
        "explicit": lambda: Explicit(rope(), step=1e-6, end=1e-6, name=""),
    }[solver]
    words = (
        f"-{name} foo: this PETSc has no such package for lu of seqaij matrices; available are petsc, klu, umfpack, "
    )
    with pytest.raises(OptionError, match=words):
        create()


@pytest.mark.parametrize("name", ["snes_fd", "snes_fd_color"])
def test_tangents_by_differences_are_refused(name: str, request: pytest.FixtureRequest) -> None:
    """PETSc's options for tangents by differences have no effect on exact tangents, so these options cause errors."""
    PETSc.Options().setValue(f"static_{name}", "true")
    request.addfinalizer(lambda: PETSc.Options().delValue(f"static_{name}"))
    with pytest.raises(OptionError, match=f"-static_{name}: the solver evaluates exact tangents"):
        Static(rope(), name="")
