"""Evaluations and solves inside hooks do not change the outer run. Forbidden actions in force functions cause
errors.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import windlass as wl
from windlass import connectors as con
from windlass.elements import Cable2D, MassPoint, Point2D, RigidBody2D, nodes_of, straight_cable

STEP = 2e-3


def rope_on_peg() -> tuple[wl.World, wl.Entity]:
    """Create a rope that falls onto a round peg, with several passes per step."""
    world = wl.World(gravity=(0.0, -9.81, 0.0))
    peg = world.add(RigidBody2D, position=(0.5, -0.1), mass=1.0, inertia=1.0)
    con.fix(world, peg, "x", "y", "rotation")
    rope = straight_cable(
        world, (0.0, 0.005), (1.0, 0.005), 12, axial_stiffness=1e4, bending_stiffness=0.05, mass_per_length=0.5
    )
    con.hinge(world, nodes_of(world, rope)[0])
    con.add_contact(
        world, con.ContactFrictionCircleCable2D, circles=[peg], cables=rope, segments=3, circle_radius=0.1,
        contact_stiffness_per_length=1e5, contact_damping_per_length=10.0, friction_coefficient=0.3,
        friction_stiffness_per_length=1e5, friction_velocity_penalty_per_length=10.0,
    )  # fmt: skip
    return world, rope


class Meddler(wl.StepHook):
    """A hook that evaluates and solves with another state at one stage of each step."""

    def __init__(self, world: wl.World, rope: wl.Entity, stage: str, act: str) -> None:
        self._world, self._rope, self._stage, self._act = world, rope, stage, act
        self._other = wl.State(world)
        self._other.q[1::4], self._other.v[:], self._other.data[:] = 0.01, 0.5, -0.01

    def act(self, stage: str) -> None:
        if stage != self._stage:
            return
        if self._act == "outputs":
            wl.eval_output(self._rope, "axial_force", self._other, x=0.0)
        elif self._act == "assembly":
            wl.assemble_vector(self._world, self._other)
            wl.assemble_matrix(self._world, self._other)
        else:
            wl.Dynamic(self._world, step=STEP, end=2 * STEP, name="").solve(wl.State(self._world))

    def before_step(self, state: wl.State) -> None:
        self.act("before_step")

    def after_iteration(self, state: wl.State, error: float) -> None:
        self.act("after_iteration")

    def after_step(self, state: wl.State) -> None:
        self.act("after_step")


def fall(solver: type, stage: str = "", act: str = "", **settings: Any) -> tuple[Any, Any]:
    world, rope = rope_on_peg()
    run = solver(world, step=STEP, end=0.06, name="", **settings)
    state = run.solve(hooks=[Meddler(world, rope, stage, act)] if stage else [])
    return run, state


@pytest.mark.parametrize("stage", ["before_step", "after_iteration", "after_step"])
@pytest.mark.parametrize("act", ["outputs", "assembly", "solve"])
def test_hooks_leave_dynamics_as_they_are(stage: str, act: str) -> None:
    settings = {"passes": wl.Passes(atol=1e-6, fail=False)}
    run, quiet = fall(wl.Dynamic, **settings)
    assert run.statistics.discontinuous_iterations > run.statistics.steps  # some steps have several passes
    _, meddled = fall(wl.Dynamic, stage, act, **settings)
    for name in ("q", "v", "a", "data"):
        assert np.array_equal(getattr(quiet, name), getattr(meddled, name)), name


def test_a_solver_does_not_start_itself_again() -> None:
    world, _ = rope_on_peg()
    run = wl.Dynamic(world, step=STEP, end=2 * STEP, name="")
    with pytest.raises(wl.ModelError, match="needs a separate solver"):
        run.solve(hooks=[lambda state: run.solve(state)])
    # callers may change any value between the steps of ``march``
    for _ in run.march():
        break
    run.solve()


@pytest.mark.parametrize("solver", [wl.Dynamic, wl.Static])
def test_force_functions_evaluate_no_states(solver: type) -> None:
    world = wl.World()
    node = world.add(Point2D, position=(0.0, 0.0))
    world.add(MassPoint, node=node, mass=1.0)
    con.fix(world, node, "y")
    states: list[wl.State] = []

    def force(t: float, row: int, u: float, u_t: float, k: float, d: float, offset: float) -> float:
        return 5.0 + k * (u - float(wl.eval_output(node, "position", states[0])[0]))

    spring = con.coordinate_marker(world, node, "x")
    world.add(con.CoordinateSpringDamper, marker1=spring, stiffness=3.0, force_function=force)
    states.append(wl.State(world))
    run = solver(world, name="") if solver is wl.Static else solver(world, step=0.1, end=1.0, name="")
    with pytest.raises(wl.ModelError, match="may use only its arguments"):
        run.solve()


def test_assembled_forces_complete_the_equation_of_motion() -> None:
    """For ALE cables and rotating bodies, `Dynamic` satisfies M a + assemble_vector = 0."""
    from windlass.elements import ALENode, RigidBody3D

    world = wl.World(gravity=(0.0, -9.81, 0.0))
    ale = world.add(ALENode)
    straight_cable(
        world, (0.0, 0.0), (1.0, 0.2), 3, ale=ale, axial_stiffness=1e4, bending_stiffness=0.3, mass_per_length=0.7
    )
    body = world.add(RigidBody3D, mass=2.0, inertia=(0.1, 0.2, 0.3), position=(3.0, 0.0, 0.0))
    state, random = wl.State(world), np.random.default_rng(3)
    state.q[:] = 1e-2 * random.standard_normal(len(state.q))
    state.put(body, 0.0)
    state.v[:] = 0.5 * random.standard_normal(len(state.v))
    state.put(ale, [3.0], "v")
    rates = state.of(body, "v").ravel()
    rates[3] = 0.0  # the norm of the Euler parameters (1, 0, 0, 0) does not change
    state.put(body, rates, "v")
    first = next(iter(wl.Explicit(world, step=1e-9, end=1e-9, name="").march(state)))
    M = wl.assemble_mass(world, state)[:, :]
    held = state.local_dofs(body)[0, 3]  # the constraint of the Euler parameters acts only on the first parameter
    left = M @ first.a + wl.assemble_vector(world, state).array
    free = np.delete(np.arange(len(left)), held)
    assert np.abs(left[free]).max() < 1e-5 * np.abs(wl.assemble_vector(world, state).array).max()


def test_assembled_matrix_is_the_derivative_of_the_vector() -> None:
    """The assembled matrix agrees with central differences of assemble_vector, including terms quadratic in velocities.

    Differences have errors of about 1e-8.
    """
    from windlass.elements import ALENode, RigidBody3D

    world = wl.World(gravity=(0.0, -9.81, 0.0))
    ale = world.add(ALENode)
    straight_cable(
        world, (0.0, 0.0), (1.0, 0.2), 2, ale=ale, axial_stiffness=1e3, bending_stiffness=0.3, mass_per_length=0.7
    )
    world.add(RigidBody3D, mass=2.0, inertia=(0.1, 0.2, 0.3), position=(3.0, 0.0, 0.0))
    assert world.tables[RigidBody3D].count and Cable2D
    state, random = wl.State(world), np.random.default_rng(4)
    state.q[:], state.v[:] = 1e-2 * random.standard_normal((2, len(state.q)))
    state.v[:] *= 100.0
    for name, weights in (("q", (1.0, 0.0)), ("v", (0.0, 1.0))):
        exact = wl.assemble_matrix(world, state, *weights)[:, :]
        for i in range(len(state.q)):
            ends = []
            for sign in (1.0, -1.0):
                moved = state.copy()
                getattr(moved, name)[i] += sign * 1e-6
                ends.append(wl.assemble_vector(world, moved).array.copy())
            column = (ends[0] - ends[1]) / 2e-6
            assert np.abs(column - exact[:, i]).max() < 1e-6 * np.abs(exact).max(), (name, i)


class Noted(wl.StepHook):
    """Hook that records its calls before steps."""

    def __init__(self, name: str, calls: list[str], changes_state: bool) -> None:
        self._name, self._calls, self.changes_state = name, calls, changes_state

    def before_step(self, state: wl.State) -> None:
        self._calls.append(self._name)


@pytest.mark.parametrize("solver", ["static", "dynamic", "explicit"])
def test_hooks_that_change_the_state_are_called_first(solver: str) -> None:
    world = wl.World()
    mass = world.add(MassPoint, position=(0.0, 0.0), mass=1.0)
    for axis in ("x", "y"):
        marker = con.coordinate_marker(world, mass, axis)
        world.add(con.CoordinateSpringDamper, marker1=marker, stiffness=1.0)
    calls = list[str]()
    hooks = [Noted("looks", calls, False), Noted("changes", calls, True)]
    if solver == "static":
        wl.Static(world, name="").solve(hooks=hooks)
    else:
        kind = wl.Dynamic if solver == "dynamic" else wl.Explicit
        kind(world, step=0.1, end=0.1, name="").solve(hooks=hooks)
    assert calls == ["changes", "looks"]
