"""Static solvers use Newton's method of earlier solvers of the same world, if nothing has changed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import windlass as wl
from windlass.connectors import fix
from windlass.elements import nodes_of, straight_cable
from windlass.framework.runtime.petsc import PETSc
from windlass.solvers.newton import kept
from windlass.solvers.newton.newton import Newton


def create() -> wl.World:
    world = wl.World(gravity=(0.0, -9.81, 0.0))
    cables = straight_cable(
        world, (0.0, 0.0), (1.0, 0.0), 8, axial_stiffness=1e4, bending_stiffness=1.0, mass_per_length=0.5
    )
    fix(world, nodes_of(world, cables)[0], "x", "y", "x'", "y'")
    return world


def solve(world: wl.World, **settings: float) -> tuple[Newton, tuple[bytes, ...], tuple[int, ...]]:
    """Solve in a new solver. Return its Newton's method, and the results and counts of the solve."""
    solver = wl.Static(world, name="", **settings)  # type: ignore[arg-type]
    state, counts = solver.solve(), (solver.statistics.newton_iterations, solver.newton.iterations)
    counts += solver.problem.residual_count, solver.problem.tangent_count
    return solver.newton, (state.q.tobytes(), state.lam.tobytes()), counts


def test_a_later_solver_has_the_same_results() -> None:
    """A solver that uses an earlier Newton's method has results that are equal in all bits, and its own counts."""
    world = create()
    first, result, counts = solve(world)
    assert result == solve(create())[1]
    for _ in range(2):
        assert solve(world) == (first, result, counts)
    assert len(first.snes.getMonitor() or ()) == 1
    world.gravity[:] = 0.0, -5.0, 0.0
    newton, lighter, _ = solve(world)
    assert newton is first and lighter != result
    other = create()
    other.gravity[:] = 0.0, -5.0, 0.0
    assert lighter == solve(other)[1]


def keep_first(world: wl.World) -> object:
    solver = wl.Static(world, name="")
    solver.solve()
    return solver


def change_snes(world: wl.World) -> None:
    solver = wl.Static(world, name="")
    solver.solve()
    solver.snes.getKSP().setType("gmres")


def fail(world: wl.World) -> None:
    solver = wl.Static(world, name="", max_it=1, adaptive=False, stability="off")
    with pytest.raises(wl.NotConverged):
        solver.solve()


def interrupt(world: wl.World) -> None:
    solver = wl.Static(world, name="")

    def look(*_: object) -> bool:
        raise KeyboardInterrupt

    solver.newton.snes.setMonitor(look)
    with pytest.raises(KeyboardInterrupt):
        solver.solve()


def set_option(world: wl.World) -> None:
    solve(world)
    PETSc.Options().setValue("static_snes_max_it", 30)


def tighten(world: wl.World) -> None:
    wl.Static(world, name="", rtol=1e-10).solve()


@pytest.mark.parametrize("change", [keep_first, change_snes, interrupt, set_option, tighten])
def test_changed_solvers_are_not_used_again(change: Callable[[wl.World], object]) -> None:
    """A new Newton's method is created if the first solver still exists, if it has been changed or interrupted, or if
    it had other settings or options.
    """
    world, result = create(), solve(create())[1]
    try:
        other = change(world)
        taken = dict(world.resource(kept.KEPT, dict))
        newton, found, _ = solve(world)
    finally:
        PETSc.Options().delValue("static_snes_max_it")
    del other
    assert all(newton is not one for one in taken.values())
    np.testing.assert_allclose(np.frombuffer(found[0]), np.frombuffer(result[0]), rtol=0, atol=1e-9)


def test_failed_solvers_are_used_again_only_after_complete_runs() -> None:
    """After a failed solve, a solver with the same settings fails again, and other solvers have the same results."""
    world = create()
    for _ in range(2):
        fail(world)
    assert solve(world)[1] == solve(create())[1]
