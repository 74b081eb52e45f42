"""Post-Newton updates can read the size of their step, and time, coordinates and velocities at the start of the step.

A law sums h and the increments of time, coordinate and velocity since the start of the step. The sums must equal time,
displacement and change of velocity of the whole run, for any number of steps in Python or compiled code.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import windlass as wl
from windlass.connectors import COORDINATE, CoordinateLoad, CoordinateSpringDamper, coordinate_marker, fix
from windlass.elements import MassPoint, RigidBody3D
from windlass.framework import Component, call, check_history, column, create_history, kernel, ref, register
from windlass.framework.assembly.post_newton import note_outcome
from windlass.framework.model.law import LocalRows, law_of
from windlass.framework.model.system import System

PLACES = 4


class Odometer(Component):
    """Schema of a law that sums the increments of steps: h, t - t_start, x - x_start, v - v_start."""

    marker = ref(COORDINATE, "what moves")
    data = ref("GenericData", "the sums", optional=True)
    longest = column("s", "steps above it are refused", default=1e9)


@kernel
def add_up(
    rows: Any, size: Any, times: Any, x: Any, v: Any, start_x: Any, start_v: Any, data: Any, start: Any, outcome: Any
) -> None:
    """Add the increments to the sums at the start of the step."""
    error = 0.0
    for i in range(len(rows)):
        k, at = rows[i].dof, rows[i].data
        gained = size[0], times[0][0] - times[1][0], x[k] - start_x[k], v[k] - start_v[k]
        for j in range(PLACES):
            data[at + j] = start[at + j] + gained[j]
        error = 1.0 if size[0] > rows[i].longest else error
    note_outcome(outcome, error, rows[0].longest, False, 1.0, 0)


def build(rows: LocalRows) -> System:
    """Build a system with only the update."""
    c = rows.pack({"dof": rows.dofs[:, 0]})
    system = System("Odometer", rows.dofs)
    system.post_newton = call(
        add_up,
        lambda s: (
            c, s.step_size, (s.time, s.start_time), s.x, s.v, s.start_x, s.start_v, s.data, s.start_data, s.outcome
        ),
    )  # fmt: skip
    return system


@pytest.fixture(autouse=True)
def law() -> Iterator[None]:
    """Return the law, which only these tests use."""
    # imported inside the function, because only this test removes laws
    from windlass.framework.model import law as laws

    register(
        Odometer,
        "connector",
        dofs="marker",
        build=build,
        fill_defaults=lambda world, values: create_history(world, Odometer, values, (0.0,) * PLACES),
        check=lambda world, table: check_history(world, table, PLACES),
        source="this test",
    )
    yield
    assert law_of(Odometer) is not None
    laws._laws.pop(Odometer)


def swing(longest: float = 1e9) -> tuple[wl.World, Any, Any]:
    """Create a mass on a spring, which begins at 0.2 m with 0.1 m/s."""
    world = wl.World()
    mass = world.add(MassPoint, position=(0.5, 0.0), displacement=(0.2, 0.0), velocity=(0.1, 0.0), mass=2.0)
    marker = coordinate_marker(world, mass, "x")
    world.add(CoordinateSpringDamper, marker0=coordinate_marker(world, None), marker1=marker, stiffness=50.0)
    fix(world, mass, "y")
    return world, mass, world.add(Odometer, marker=marker, longest=longest)


class Look(wl.StepHook):
    """A hook that is called after each pass, so that compiled steps are not possible."""

    passes = 0

    def after_iteration(self, state: wl.State, error: float) -> None:
        self.passes += 1


def check(state: wl.State, mass: Any, meter: Any, first: wl.State, size: float, places: int = PLACES) -> None:
    """Check that the sums of the only row are equal to the increments over the run."""
    gained = [(state.of(mass, name) - first.of(mass, name))[0, 0] for name in ("q", "v")]
    wanted = [size, state.t - first.t, *gained][:places]
    np.testing.assert_allclose(state.of(meter, "data")[0, :places], wanted, rtol=0, atol=1e-12)


def solver_of(name: str, world: wl.World, **more: Any) -> Any:
    """Create a solver up to 0.5 s."""
    if name in ("verlet", "rk"):
        return wl.Explicit(world, step=0.01, end=0.5, method=name, name="", **more)
    return wl.Dynamic(world, step=0.01, end=0.5, method=name, name="", **more)


@pytest.mark.parametrize("name", ["generalized_alpha", "trapezoidal_index2", "verlet", "rk"])
def test_steps_add_up(name: str) -> None:
    """The sum of the increments is the change over the whole run, for steps in compiled code and for explicit methods.
    Stages of explicit methods are not counted as steps.
    """
    world, mass, meter = swing()
    first = wl.State(world)
    # updates of Verlet's method read predicted velocities, so the sum of the changes of velocity is not compared
    check(solver_of(name, world).solve(first), mass, meter, first, 0.5, PLACES - (name == "verlet"))


def test_steps_that_are_looked_at_add_up() -> None:
    """The sum of the increments is the change over the whole run, for steps that Python executes pass by pass.
    Rotations are also summed correctly, although their increments depend on values at both ends of a step.
    """
    world, mass, meter = swing()
    world.add(RigidBody3D, position=(0.0,) * 3, mass=1.0, inertia=(1.0, 2.0, 3.0), angular_velocity=(1.0, 2.0, 0.5))
    first, hook = wl.State(world), Look()
    check(solver_of("generalized_alpha", world).solve(first, hooks=[hook]), mass, meter, first, 0.5)
    assert hook.passes >= 50


def test_cut_steps_begin_again() -> None:
    """A rejected attempt has no effect: the sums contain only accepted steps."""
    world, mass, meter = swing(longest=0.004)
    first, solver = wl.State(world), solver_of("generalized_alpha", world)
    check(solver.solve(first), mass, meter, first, 0.5)
    assert solver.statistics.rejected > 0


def test_runs_go_on_within_and_between_solves() -> None:
    """A second solve continues at the end of the first solve. A run with pauses has the same steps as a run without
    pauses.
    """
    world, mass, meter = swing()
    first = wl.State(world)
    half = wl.Dynamic(world, step=0.01, end=0.2, name="").solve(first)
    check(wl.Dynamic(world, step=0.01, end=0.5, name="").solve(half, resume=True), mass, meter, first, 0.5)
    *_, last = wl.Dynamic(world, step=0.01, end=0.5, name="").march(first)
    check(last, mass, meter, first, 0.5)


def test_no_time_passes_in_statics() -> None:
    """In statics, displacements of load steps are summed, with h = 0."""
    world, mass, meter = swing()
    world.add(CoordinateLoad, marker=coordinate_marker(world, mass, "x"), value=5.0)
    first = wl.State(world)
    last = wl.Static(world, load_steps=5, name="").solve(first)
    assert abs(last.of(mass)[0, 0] - 0.1) < 1e-12
    # the static solver does not change the given initial velocities
    np.testing.assert_allclose(last.of(meter, "data")[0, :3], [0.0, 0.0, -0.1], rtol=0, atol=1e-12)
