"""Singular tangents have no effect on later solves: MUMPS reports each singular tangent, and factorises the next
tangent.
"""

from __future__ import annotations

import pytest

from windlass.connectors import CoordinateSpringDamper, coordinate_marker, fix
from windlass.elements import RigidBody2D
from windlass.framework.model.world import World
from windlass.framework.runtime.petsc import PETSc
from windlass.framework.state.state import local_state
from windlass.solvers.failure import NotConverged
from windlass.solvers.static import Static

OPTION = "static_pc_factor_mat_solver_type"


@pytest.mark.parametrize("package", ["mumps", "klu"])
def test_singular_tangents_leave_no_trace(package: str) -> None:
    """After a singular tangent, MUMPS does not use incomplete factors, and PETSc accepts further solves."""
    PETSc.Options().setValue(OPTION, package)
    try:
        world = World(gravity=(0.0, -9.81))
        body = world.add(RigidBody2D, position=(1.0, 1.0), mass=2.0, inertia=0.3)
        fix(world, body, "x")
        fix(world, body, "rotation")
        spring = world.add(CoordinateSpringDamper, marker1=coordinate_marker(world, body, "y"), stiffness=100.0)
        static = Static(world)
        scheme = static._scheme(local_state(static.assembly, None), 1.0, 0.0)
        for _ in range(3):
            world.set(spring, stiffness=100.0)
            assert static.newton.solve(scheme).converged
            world.set(spring, stiffness=0.0)
            run = static.newton.solve(scheme)
            assert not run.converged
            assert run.reason.startswith("DIVERGED_LINEAR_SOLVE")
            assert ("PETSc error" in run.reason) == (package == "klu")  # KLU raises its own error
        world.set(spring, stiffness=100.0)
        assert static.newton.solve(scheme).converged
    finally:
        PETSc.Options().delValue(OPTION)


@pytest.mark.parametrize("stiffness", [7.0, 0.1])
def test_motions_that_nothing_holds_at_full_load_are_named(stiffness: float) -> None:
    """Three wheels are coupled by springs and supported only by the stabiliser. The solve raises an error. If rounding
    errors hide the singularity, a note is given.
    """
    world = World(gravity=(0.0, -9.81))
    wheels = [world.add(RigidBody2D, name=name, position=(0.0, 0.0), mass=2.0, inertia=0.3) for name in "abc"]
    fix(world, wheels, "x", "y")
    turns = [coordinate_marker(world, wheel, "rotation") for wheel in wheels]
    for k, share in enumerate((1.0, 0.7, 0.3)):
        world.add(
            CoordinateSpringDamper, marker0=turns[k], marker1=turns[(k + 1) % 3], stiffness=share * stiffness,
            offset=1e-3,
        )  # fmt: skip
    static = Static(world, load_steps=2, stabiliser=1.0, name="")
    try:
        static.solve()
        told = " ".join(static.verdict.notes)
    except NotConverged as error:
        told = str(error)
    assert all(f"({name}, rotation)" in told for name in "abc") and "nothing holds" in told
