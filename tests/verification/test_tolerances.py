"""Newton's method and the linear solver end at the rounding errors of forces, and unsuitable linear solvers cause
errors.

Source: N. J. Higham, Accuracy and Stability of Numerical Algorithms, SIAM (2002), section 25.2.
"""

from __future__ import annotations

import pytest
from numpy.testing import assert_allclose

from windlass.connectors.circle_contact.add_contact import add_contact
from windlass.connectors.circle_contact.contact_friction_circle_cable2d import ContactFrictionCircleCable2D
from windlass.connectors.constraints.supports import clamp, fix, hinge
from windlass.elements import nodes_of
from windlass.elements.nodes.ground import Ground
from windlass.elements.routes.cable_chain import catenary, straight_cable
from windlass.framework.command_line.options import expect_solver
from windlass.framework.model.world import World
from windlass.framework.runtime.petsc import PETSc
from windlass.framework.state.evaluate import eval_output
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.failure import NotConverged
from windlass.solvers.newton import newton
from windlass.solvers.newton.problem import NonlinearProblem
from windlass.solvers.static import Static


@pytest.mark.parametrize(("elements", "EA"), [(1000, 1e6), (1000, 1e9), (4000, 1e6)])
def test_stiff_rope_ends_at_rounding(elements: int, EA: float) -> None:
    """A rope of 10 m that hangs straight is a linear problem. With default tolerances, Newton's method ends at rounding
    errors in 5 iterations.

    The elongation agrees with w L²/(2 EA) within 1e-14 m.
    """
    world = World(gravity=(0.0, -9.81))
    columns = {"axial_stiffness": EA, "bending_stiffness": 1.0, "mass_per_length": 1.0}
    nodes = nodes_of(world, straight_cable(world, (0, 0), (0, -10), elements, **columns))
    clamp(world, nodes[0])
    solver = Static(world, name="")
    state = solver.solve()
    assert solver.statistics.roundings == 1 and solver.statistics.newton_iterations <= 5
    assert_allclose(-eval_output(nodes[elements], "displacement", state)[1], 9.81 * 50.0 / EA, rtol=0, atol=1e-14)


def test_stagnation_above_rounding_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the residual stays at 40 times the estimate of rounding errors, the solve is not treated as converged, and the
    message names the reason.

    In the test, the residual is a rounding error, and the estimate is divided by 40, as for a law with undeclared
    rounding errors.
    """
    world = World(gravity=(0.0, -9.81))
    columns = {"axial_stiffness": 1e9, "bending_stiffness": 1.0, "mass_per_length": 1.0}
    nodes = nodes_of(world, straight_cable(world, (0, 0), (0, -10), 200, **columns))
    clamp(world, nodes[0])
    solver = Static(world, name="", rtol=1e-30, atol=1e-30, adaptive=False)
    norms: list[float] = []

    def estimate(problem: NonlinearProblem) -> float:
        norms.append(problem.residual_vector.norm())
        return norms[-1] / 40.0

    monkeypatch.setattr(newton, "estimate_rounding", estimate)
    with pytest.raises(NotConverged, match="stagnates at rounding") as error:
        solver.solve()
    norm = norms[-1]
    assert newton.FACTOR < 40.0 < newton.NEAR and solver.statistics.roundings == 0
    words = f"no longer falls at {norm:.1e}, and the coordinates' rounding alone makes about {norm / 40.0:.1e}"
    assert words in str(error.value)
    assert "raise atol above it" in str(error.value)


def test_stiff_rope_in_motion() -> None:
    """In dynamics of the stiff rope, no step is rejected because of rounding errors, with a lagged Jacobian and with a
    new Jacobian in each iteration.
    """
    world = World(gravity=(0.0, -9.81))
    columns = {"axial_stiffness": 1e9, "bending_stiffness": 1.0, "mass_per_length": 1.0}
    nodes = nodes_of(world, straight_cable(world, (0, 0), (0, -10), 1000, **columns))
    clamp(world, nodes[0])
    for lag in (True, False):
        solver = Dynamic(world, step=1e-3, end=5e-3, name="", lag=lag)
        solver.solve()
        statistics = solver.statistics
        assert statistics.rejected == 0 and statistics.roundings == 5 and statistics.newton_iterations <= 25


def test_rope_that_falls_onto_a_plane() -> None:
    """For a rope that falls on a plane, modelled as a circle of 1e5 m, rounding errors are 1e-11 m in gaps and 4e-4 N
    in forces. No step size is reduced because of these errors.

    If only the rounding errors of the coordinates were considered, the run would need 10 853 steps and 94 887
    iterations. On a circle of 100 m the run needs 139 steps and 1499 iterations.
    """
    radius, world = 1e5, World(gravity=(0.0, -9.81))
    rope = straight_cable(
        world, (0.0, 1e-3), (2.0, 1e-3), 20, mass_per_length=1.0, axial_stiffness=1e6, bending_stiffness=1.0,
        axial_damping=10.0,
    )  # fmt: skip
    nodes = nodes_of(world, rope)
    fix(world, nodes[0], "x")
    add_contact(
        world, ContactFrictionCircleCable2D, circles=world.add(Ground, position=(0.0, -radius, 0.0)), cables=rope,
        segments=2, circle_radius=radius, contact_stiffness_per_length=1e8, contact_damping_per_length=1e4,
        friction_coefficient=0.3, friction_stiffness_per_length=1e8, friction_velocity_penalty_per_length=1e3,
    )  # fmt: skip
    solver = Dynamic(world, step=1e-3, end=0.05, spectral_radius=0.6, name="")
    state = solver.solve()
    assert solver.statistics.steps < 1500 and solver.statistics.newton_iterations < 15000
    assert solver.statistics.roundings > 0
    # the cable lies 1 mm lower, on a plane that falls by x²/(2 R)
    assert_allclose(eval_output(nodes[10], "displacement", state)[1], -1e-3 - 1.0 / (2.0 * radius), rtol=0, atol=1e-6)


def test_linear_solver_that_cannot_work() -> None:
    """cg is not suitable for constraint rows, and the error gives KSP's reason and the number of rows before any Newton
    iteration.
    """
    world = World(gravity=(0.0, -9.81))
    rope = catenary(
        world, (0, 0), (100, 0), 16, length=110.0, axial_stiffness=1e6, bending_stiffness=1.0, mass_per_length=1.0
    )
    hinge(world, nodes_of(world, rope)[[0, 16]])
    database = PETSc.Options()
    for prefix in ("cg_static_", "cg_dynamic_"):
        expect_solver(prefix)
        database.setValue(prefix + "ksp_type", "cg")
        database.setValue(prefix + "pc_type", "jacobi")
    try:
        solvers = (
            Static(world, name="", prefix="cg_static_"),
            Dynamic(world, step=1e-3, end=1e-2, name="", prefix="cg_dynamic_"),
        )
        for solver in solvers:
            with pytest.raises(NotConverged, match=r"cg with jacobi: DIVERGED_INDEFINITE_MAT") as error:
                solver.solve()
            assert "the matrix has 4 constraint rows" in str(error.value)
            assert solver.newton.iterations == 0
    finally:
        for prefix in ("cg_static_", "cg_dynamic_"):
            database.delValue(prefix + "ksp_type")
            database.delValue(prefix + "pc_type")
