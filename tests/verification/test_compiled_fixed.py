"""Steps of explicit methods that compiled code executes give the same results as steps that Python executes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import windlass as wl
import windlass.connectors as con
from windlass.elements import Ground, MassPoint
from windlass.framework.kernels.program import Program
from windlass.framework.state.hooks import StepHook
from windlass.solvers.explicit_methods.compiled_fixed import CompiledFixed
from windlass.solvers.explicit_methods.fixed_steps import TABLEAUX

STEPS = 300


def hardening(t: float, row: int, u: Any, ut: Any, k: Any, d: Any, offset: Any) -> Any:
    return 40.0 * u + 200.0 * u**3 + 0.1 * ut * np.abs(ut)


def create(fails: float = np.inf) -> tuple[wl.World, wl.Entity, wl.Entity]:
    """Create a row of three points with springs, one of them with a user function, under weight and a force of time.
    The user function fails after the given time [s]. Return the world, the points and the load.
    """
    world = wl.World(gravity=(0.0, -9.81, 0.0))
    points = world.add(MassPoint, position=[(0.5, 0.0, 0.0), (1.0, 0.0, 0.0), (1.5, 0.0, 0.0)], mass=[1.0, 2.0, 0.5])
    ends = [con.position_marker(world, world.add(Ground))]
    ends += [con.position_marker(world, points[k]) for k in range(3)]

    def force(t: float, *given: Any) -> Any:
        return [np.nan] * 3 if t > fails else hardening(t, *given)

    for k, function in enumerate((None, force, None)):
        world.add(
            con.CartesianSpringDamper,
            marker0=ends[k],
            marker1=ends[k + 1],
            stiffness=(50.0, 60.0, 70.0),
            damping=(0.2, 0.1, 0.0),
            offset=(0.5, 0.0, 0.0),
            force_function=function,
        )
    load = world.add(con.Force, marker=ends[3], function=lambda t: (0.0, 0.0, 5.0 * np.sin(9.0 * t)))
    return world, points, load


class Rows(StepHook):
    """Hook that reads the state after every tenth step, and in every step if ``each`` is true."""

    only_reads = True

    def __init__(self, each: bool) -> None:
        self._each, self._left = each, 10
        self.rows = list[tuple[float, bytes]]()

    def after_step(self, state: wl.State) -> None:
        self._pass(1)
        if self._left == 0:
            self._left = 10
            self.rows.append((state.t, state.q.tobytes() + state.v.tobytes() + state.a.tobytes()))

    def _pass(self, steps: int) -> None:
        self._left -= steps

    def idle_steps(self, state: wl.State, size: float) -> wl.IdleSteps:
        return wl.IdleSteps(0 if self._each else self._left - 1, None, self._pass)


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Numbers of steps that compiled code has executed, one for each call."""
    run, found = CompiledFixed.run, list[int]()

    def count(steps: CompiledFixed, *given: Any) -> tuple[int, Program | None]:
        done, failed = run(steps, *given)
        found.append(done)
        return done, failed

    monkeypatch.setattr(CompiledFixed, "run", count)
    return found


@pytest.mark.parametrize("method", TABLEAUX)
def test_compiled_steps(method: str, taken: list[int]) -> None:
    """States and rows of hooks are equal in all bits, also with a duration that is no multiple of the step, and after
    a change of the model in a run. Fewer evaluations are needed if no user code can change data between steps.
    """
    found = []
    for each in (False, True):
        world, _, load = create()
        rows = Rows(each)
        state, evaluations = None, 0
        for end in (0.5 * STEPS * 1e-3, (STEPS + 0.3) * 1e-3):
            solver = wl.Explicit(world, step=1e-3, end=end, method=method, name="")
            state = solver.solve(state, [rows], resume=state is not None)
            evaluations += solver.statistics.evaluations
            world.set(load, active=False)
        assert state is not None and state.step == STEPS + 1
        found.append((state.t, state.step, evaluations, *(x.tobytes() for x in (state.q, state.v, state.a)), rows.rows))
        if not each:
            assert sum(taken) > 0.7 * STEPS
            taken.clear()
    assert found[0] == found[1] and not taken
    stages = len(TABLEAUX[method][0])
    assert stages * STEPS <= found[0][2] < stages * STEPS + 20


def test_hooks_are_called_after_their_idle_steps(taken: list[int]) -> None:
    """A hook that can miss nine steps is called after every tenth step."""

    class EveryTenth(StepHook):
        def __init__(self) -> None:
            self.steps = list[int]()

        def after_step(self, state: wl.State) -> None:
            self.steps.append(state.step)

        def idle_steps(self, state: wl.State, size: float) -> wl.IdleSteps:
            return wl.IdleSteps(9)

    hook = EveryTenth()
    wl.Explicit(create()[0], step=1e-3, end=0.2, method="midpoint", name="").solve(hooks=[hook])
    assert max(taken) == 9 and np.diff(hook.steps).max() == 10 and len(hook.steps) < 50


def test_user_code_between_steps_prevents_reused_rates(taken: list[int]) -> None:
    """A hook that may change data of a user function requires an evaluation at the start of each step."""
    pull, found = [0.0], []
    for by_hook in (True, False):
        world = wl.World()
        point = world.add(MassPoint, position=(0.0, 0.0), mass=2.0)
        ends = [con.position_marker(world, one) for one in (world.add(Ground), point)]

        def pull_at(t: float) -> float:
            return 1.0 if t < 0.05 - 1e-9 else 3.0

        def force(t: float, *given: Any, by_hook: bool = by_hook) -> list[float]:
            return [-(pull[0] if by_hook else pull_at(t)), 0.0, 0.0]

        world.add(con.CartesianSpringDamper, marker0=ends[0], marker1=ends[1], force_function=force)

        class Change(StepHook):
            def before_step(self, state: wl.State) -> None:
                pull[0] = pull_at(state.t)

        pull[0] = 1.0
        hooks = [Change()] if by_hook else []
        found.append(wl.Explicit(world, step=1e-3, end=0.1, method="euler", name="").solve(hooks=hooks).v[0])
        assert bool(taken) != by_hook
    assert found[0] == pytest.approx(found[1], rel=1e-12) and found[0] == pytest.approx(0.1, rel=1e-12)


def test_errors_of_user_functions_in_compiled_steps(taken: list[int]) -> None:
    """An error of a user function is raised, and the last good state is the state before the failed step."""
    world, *_ = create(fails=0.2505)
    solver = wl.Explicit(world, step=1e-3, end=0.4, method="midpoint", name="")
    with pytest.raises(wl.ModelError, match=r"force_function of CartesianSpringDamper 1 .* gave .* at t = 0\.251 s"):
        solver.solve()
    assert solver.state is not None and solver.state.step == 250 and solver.state.t == pytest.approx(0.25)
    assert sum(taken) > 200
