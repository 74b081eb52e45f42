"""Which linear solver one process takes by default: natural order for what is banded, MUMPS for nets."""

from __future__ import annotations

import pytest

from windlass.connectors import ContactFrictionCircleCable2D, add_contact, fix, hinge
from windlass.elements import RigidBody2D, cable_around, nodes_of, straight_cable
from windlass.framework.assembly import serial_assembly
from windlass.framework.petsc import PETSc
from windlass.framework.world import World
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.ordering import is_banded

from support.nets import CABLE, build_net


def rope() -> World:
    """A rope of 500 elements."""
    world = World()
    cables = straight_cable(world, (0, 0), (10, 0), 500, **CABLE)
    hinge(world, nodes_of(world, cables)[0])
    return world


def belt() -> World:
    """A belt of 500 elements on two pulleys, all in contact."""
    world = World()
    pulleys = [world.add(RigidBody2D, position=(x, 0.0), mass=1.0, inertia=1.0) for x in (0.0, 10.0)]
    cables = cable_around(world, pulleys, 500, radius=1.0, **CABLE)
    stiffness = {"contact_stiffness": 1e5, "contact_damping": 0.0, "friction_stiffness": 1e5}
    columns = stiffness | {"friction_velocity_penalty": 0.0, "friction_coefficient": 0.3}
    known = {name: value for name, value in columns.items() if name in ContactFrictionCircleCable2D.columns}
    add_contact(world, ContactFrictionCircleCable2D, pulleys, cables, segments=2, circle_radius=1.0, **known)
    return world


def net() -> World:
    """A net of 30 x 30 lines, held at its lower edge."""
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
    """The natural order, which is for PETSc's own LU only, would give ten times as many factors in a net."""
    if chosen:
        name = "dynamic_pc_factor_mat_solver_type"
        PETSc.Options().setValue(name, chosen)
        request.addfinalizer(lambda: PETSc.Options().delValue(name))
    dynamic = Dynamic(net(), step=1e-4, end=1e-4, name="")
    dynamic.solve()
    factors = dynamic.snes.getKSP().getPC().getFactorMatrix()
    entries = int(factors.getMumpsInfog(29))
    assert 0 < entries < 10 * dynamic.problem.pattern.spare
