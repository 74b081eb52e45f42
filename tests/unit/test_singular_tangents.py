"""Singular tangents have no effect on later solves: MUMPS reports each singular tangent, and factorises the next
tangent.
"""

from __future__ import annotations

import pytest
from numpy.testing import assert_allclose

from windlass.connectors import CoordinateSpringDamper, Force, coordinate_marker, fix, position_marker, prescribe
from windlass.elements import MassPoint, RigidBody2D
from windlass.framework.errors import ModelError
from windlass.framework.model.world import World
from windlass.framework.runtime.petsc import PETSc
from windlass.framework.state.state import State, local_state
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


def test_continued_solves_leave_states_without_stiffness() -> None:
    """Two springs in series with the force k u³ have no stiffness at u = 0. A solve that continues from this state
    finds the equilibrium after a prescribed displacement of the end. A first solve raises an error, and so does a solve
    with a load on the mass between the springs, because the mass would move without limit.
    """
    world = World()
    masses = [world.add(MassPoint, position=(x, 0.0), mass=1.0) for x in (1.0, 2.0)]
    fix(world, masses, "y")
    places = [None, *(coordinate_marker(world, mass, "x") for mass in masses)]
    for k, stiffness in enumerate((1e3, 8e3)):
        ends = {"marker1": places[k + 1]} | ({"marker0": places[k]} if k else {})
        world.add(
            CoordinateSpringDamper, **ends, stiffness=stiffness,
            force_function=lambda t, row, u, v, k, d, offset: k * u**3,
            force_derivative=lambda t, row, u, v, k, d, offset: (3.0 * k * u**2, 0.0),
        )  # fmt: skip
    load = world.add(Force, marker=position_marker(world, masses[0]), vector=(0.0, 0.0, 0.0))
    hold = prescribe(world, masses[1], "x", 0.3)
    with pytest.raises(ModelError, match=r"no stiffness|nothing holds"):
        Static(world, name="").solve()
    start = State(world)
    start.step = 1
    state = Static(world, name="").solve(start)
    assert_allclose([state.of(mass)[0, 0] for mass in masses], (0.2, 0.3), rtol=1e-9)
    world.set(load, vector=(1.0, 0.0, 0.0))
    world.set(hold, offset=0.0)
    with pytest.raises(ModelError, match=r"no stiffness|nothing holds"):
        Static(world, name="").solve(start)
