"""Results, and the values that hooks receive, are the same in sequences of compiled steps as in single steps."""

from __future__ import annotations

import signal
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import windlass as wl
from windlass import connectors as con
from windlass.elements import Ground, MassPoint, RigidBody2D, RigidBody3D, nodes_of, straight_cable
from windlass.exudyn.step_calls import Due, StepCalls, StepRows, StepValues, read_values
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.call import call, is_compiled
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.system import Fields
from windlass.framework.output.probes import Probe, Readings
from windlass.solvers.newton.newton import Newton
from windlass.solvers.stepping.compiled_steps import MOST, CompiledSteps, take_steps

from support.belt import belt_parameters, build_belt, solve_static

pytestmark = pytest.mark.skipif(not is_compiled(take_steps), reason="without compiler all steps are those of Python")


def chain(end: float = 0.3, **options: Any) -> Any:
    world = wl.World(gravity=(0.0, -9.81))
    columns = {"axial_stiffness": 1e5, "bending_stiffness": 1.0, "mass_per_length": 0.4, "reference_strain": -0.01}
    line = straight_cable(world, (0, 0), (3, 0), 6, **columns)
    for node in (0, 6):
        con.fix(world, nodes_of(world, line)[node], "x", "y")
    return wl.Dynamic(world, step=1e-3, end=end, name="", **options), nodes_of(world, line)[3]


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """For each call of compiled code, record the number of steps before the last step of the call."""
    found: list[int] = []
    plain = CompiledSteps.run

    def note(self: CompiledSteps, *where: int) -> int:
        status = plain(self, *where)
        found.append(self.earlier)
        # the number of steps per call must not depend on the clock of the machine
        self.pace = MOST
        return status

    monkeypatch.setattr(CompiledSteps, "run", note)
    return found


def test_steps_without_a_look_are_one_call(calls: list[int]) -> None:
    """Without hooks, each call of compiled code makes many of the 300 steps, except for the first steps and for pairs
    of steps in which the energy is evaluated.
    """
    solver, _ = chain()
    state = solver.solve()
    assert state.step == solver.statistics.steps == 300 and state.t == 0.3
    assert sum(calls) > 250 and len(calls) < 30 and 100 < max(calls) < MOST


def test_hooks_see_their_steps(calls: list[int], tmp_path: Path) -> None:
    """Functions are called in each step, sensors in each n-th step, and recorders for their frames, as in a run without
    compiled steps.
    """

    def run(every_step: bool) -> tuple[Any, Any, list[int]]:
        solver, middle = chain()
        sensors = wl.Sensors(None, [wl.Sensor(middle, "displacement")], every=7)
        film = wl.Recorder(tmp_path / f"film{every_step}", frames=11)
        seen: list[int] = []
        with film:
            solver.solve(hooks=[sensors, film, *([lambda state: seen.append(state.step)] if every_step else [])])
        return sensors, film, seen

    all_sensors, all_film, seen = run(True)
    assert sum(calls) == 0 and seen == list(range(1, 301))
    calls.clear()
    sensors, film, _ = run(False)
    # records do not end a call of compiled code that makes many steps
    assert sum(calls) > 250 and len(calls) < 40
    names = sensors.names
    assert all(np.array_equal(sensors[name], all_sensors[name]) for name in names)
    assert np.array_equal(sensors.times, all_sensors.times)
    assert len(sensors.times) == 1 + 300 // 7 + 1 and film.frames == all_film.frames >= 11


def test_entries_are_recorded_without_python(calls: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled code records displacements, velocities, accelerations and multipliers, and the means of these values,
    with the same digits as Python code.
    """
    read: list[float] = []
    plain = Readings.record

    def record(self: Readings, state: wl.State) -> None:
        read.append(state.t)
        plain(self, state)

    def run(every_step: bool) -> tuple[wl.Sensors, wl.Means, str]:
        world = wl.World()
        bodies = [world.add(RigidBody2D, position=(k, 0.0), mass=1.0, inertia=0.1, name=f"body{k}") for k in range(2)]
        drive = con.prescribe_velocity(world, bodies[0], "rotation", con.ramp(0.0, 0.1, 0.0, 5.0))
        con.fix(world, bodies[0], "x", "y")
        markers = [con.coordinate_marker(world, body, "rotation") for body in bodies]
        world.add(con.CoordinateSpringDamper, marker0=markers[0], marker1=markers[1], stiffness=30.0, damping=0.01)
        world.add(con.CoordinateLoad, marker=con.coordinate_marker(world, bodies[1], "x"), value=3.0)
        watched = [(bodies[1], name) for name in ("position", "displacement", "velocity", "acceleration", "rotation")]
        watched += [(bodies[1], "coordinates"), (bodies[0], "angular_velocity"), (drive, "force")]
        table = tmp_path / f"table{every_step}.csv"
        sensors = wl.Sensors(
            table, [*(wl.Sensor(*one) for one in watched), wl.Sensor(bodies[1], "position", 0, "x")], every=3
        )
        means = wl.Means([wl.Sensor(*one) for one in watched], start=0.1)
        hooks = [sensors, means, *([lambda state: None] if every_step else [])]
        with sensors:
            wl.Dynamic(world, step=1e-3, end=0.3, name="").solve(hooks=hooks)
        return sensors, means, table.read_text()

    monkeypatch.setattr(Readings, "find_numbers", lambda self, state: None)
    slow, slow_means, slow_table = run(True)
    assert sum(calls) == 0
    monkeypatch.undo()
    monkeypatch.setattr(Readings, "record", record)
    # a class that extends `record` would be called for each record
    assert Readings.record is record
    quick, means, table = run(False)
    assert len(read) < 120 < len(slow.times) + 201 and table == slow_table
    assert np.array_equal(quick.times, slow.times) and np.array_equal(quick.steps, slow.steps)
    for name in quick.names:
        assert np.array_equal(quick[name], slow[name]), name
    for name in means.names:
        assert means[name].shape == slow[name].shape[1:]
        assert np.array_equal(means[name], slow_means[name]), name
    assert means.duration == pytest.approx(0.2, rel=1e-12)
    turned = slow["body1.rotation"]
    assert abs(turned).max() > 0.1


def test_hooks_that_extend_a_recorder_see_recorded_steps(calls: list[int], tmp_path: Path) -> None:
    """If a subclass of a sensor, recorder or ledger extends ``after_step``, this method is called at each recorded
    step.
    """

    class Counting:
        seen = 0

        def after_step(self, state: wl.State) -> None:
            super().after_step(state)  # type: ignore[misc]
            self.seen += 1

    class CountingSensors(Counting, wl.Sensors):
        pass

    class CountingRecorder(Counting, wl.Recorder):
        pass

    class CountingLedger(Counting, wl.EnergyLedger):
        pass

    solver, middle = chain()
    sensors = CountingSensors(None, [wl.Sensor(middle, "displacement")])
    film = CountingRecorder(tmp_path / "film", every=5)
    ledger = CountingLedger(every=1)
    with film:
        solver.solve(hooks=[sensors, film, ledger])
    assert sensors.seen == ledger.seen == 300 and len(sensors.times) == 301
    solver, _ = chain()
    film = CountingRecorder(tmp_path / "other film", every=5)
    with film:
        solver.solve(hooks=[film])
    assert film.frames == 61 and film.seen >= 60 and sum(calls) > 0


def test_march_gives_each_step(calls: list[int]) -> None:
    """A caller of `march` gets the state of each step."""
    solver, _ = chain(end=0.05)
    assert [state.step for state in solver.march()] == list(range(1, 51)) and sum(calls) == 0


@pytest.mark.parametrize("left", [False, True], ids=["alone", "beside a solve that was left"])
def test_interrupt_ends_between_steps(calls: list[int], left: bool) -> None:
    """Ctrl-C acts after the steps of one call of compiled code. The message reports the time and the state at the end
    of a step.
    """
    solver, _ = chain(end=1e3)

    def interrupt() -> None:
        while not sum(calls):
            time.sleep(0.01)
        signal.raise_signal(signal.SIGINT)

    # Windlass does not replace signal handlers of programs such as test runners, so the test installs Python's handler
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    steps_of_another = chain(end=1e3)[0].march() if left else iter([None])
    next(steps_of_another)
    calls.clear()
    other = threading.Thread(target=interrupt, daemon=True)
    other.start()
    try:
        with pytest.raises(KeyboardInterrupt) as stop:
            solver.solve()
    finally:
        signal.signal(signal.SIGINT, handler)
    other.join()
    steps = solver.statistics.steps
    assert f"dynamic was at t = {1e-3 * steps:.9g} s, step {steps}" in stop.value.__notes__
    assert sum(calls) > 0


def test_errors_of_monitors_arrive_as_themselves(calls: list[int]) -> None:
    """An error of Python within compiled steps reaches the caller unchanged. Earlier steps are counted."""

    class Broken(Exception):
        pass

    solver, _ = chain()

    def look(_snes: Any, it: int, _norm: float) -> None:
        if solver.assembly.fields.t > 0.1205:
            raise Broken(f"in iteration {it}")

    solver.snes.setMonitor(look)
    with pytest.raises(Broken, match="in iteration 0"):
        solver.solve()
    assert solver.statistics.steps == 120


@pytest.mark.parametrize("every", [1, 7])
def test_errors_of_records_arrive_as_themselves(calls: list[int], every: int) -> None:
    """An error that is raised while values are recorded within compiled steps reaches the caller unchanged. The last
    state is the state that was being recorded.
    """

    class Broken:
        name = "broken"

        def create_probe(self, state: wl.State) -> Probe:
            def read(fields: Fields) -> FloatArray:
                if fields.t > 0.1605:
                    raise wl.ModelError(f"broken at {fields.t:g} s")
                return np.zeros(1)

            return Probe([("broken", "1")], (), read)

    solver, _ = chain()
    sensors = wl.Sensors(None, [Broken()], every=every)
    with pytest.raises(wl.ModelError, match=r"broken at 0\.161 s"):
        solver.solve(hooks=[sensors])
    assert sum(calls) > 100 and solver.state is not None
    assert solver.state.step == solver.statistics.steps == 161 and solver.state.t == pytest.approx(0.161)
    assert len(sensors.times) == 1 + 160 // every


@kernel
def fail_late(t: Any, outcome: Any) -> None:
    if t[0] > 0.1205:
        raise ValueError("a kernel of this test")
    outcome[0] = 0.0


def test_errors_of_updates_arrive_as_themselves(calls: list[int]) -> None:
    """A kernel that raises between two Newton runs is called again from Python, so that its error reaches the caller
    unchanged.
    """
    solver, _ = chain()
    system = solver.assembly.systems[-1]
    system.post_newton = call(fail_late, lambda s: (s.time, s.outcome))
    solver.assembly.order_systems()
    with pytest.raises(ValueError, match="a kernel of this test"):
        solver.solve()
    assert solver.statistics.steps == 120 and sum(calls) > 60


def test_functions_of_python_are_asked_in_each_step(calls: list[int]) -> None:
    """Compiled steps call a Python load once for each time, and give the same digits as with a compiled load."""
    found, times = [], list[float]()

    def push(t: float) -> float:
        times.append(t)
        return 3.0 * float(np.sin(20.0 * t))

    for function in (push, con.sine(3.0, 20.0 / (2.0 * np.pi))):
        world = wl.World()
        point = world.add(MassPoint, position=(0.0, 0.0), mass=2.0)
        world.add(con.CoordinateLoad, marker=con.coordinate_marker(world, point, "x"), function=function)
        calls.clear()
        found.append(wl.Dynamic(world, step=1e-3, end=0.1, name="").solve().q)
        assert sum(calls) > 60
    assert np.allclose(found[0], found[1], rtol=1e-13, atol=0.0)
    assert len(times) < 110 and len(set(times)) >= 100


@pytest.mark.parametrize("model", ["turning", "eccentric", "user's load"])
def test_bodies_take_compiled_steps(calls: list[int], model: str) -> None:
    """Euler parameters, gravity on a body with an eccentric centre of mass, and loads that depend on the motion give
    the same digits in compiled steps as in single steps.
    """
    found = []
    for seen in (False, True):
        world = wl.World(gravity=(0.0, 0.0, -9.81))
        inertia = np.array([2.0, 3.0, 4.0, 0.1, 0.2, 0.3])
        centre = (0.1, 0.0, 0.2) if model == "eccentric" else (0.0, 0.0, 0.0)
        body = world.add(
            RigidBody3D, position=(0.0, 0.0, 0.0), mass=5.0, inertia=inertia, center_of_mass=centre,
            angular_velocity=(1.0, 7.0, 0.5),
        )  # fmt: skip
        if model == "user's load":
            one, other = con.position_marker(world, world.add(Ground, position=(0.0, 0.0, 1.0))), body
            push = lambda t, row, u, v, k, d, offset: 50.0 * u + 2.0 * v  # noqa: E731
            marker = con.position_marker(world, other)
            world.add(con.CartesianSpringDamper, marker0=one, marker1=marker, force_function=push)
        calls.clear()
        hooks = [lambda state: None] if seen else []
        state = wl.Dynamic(world, step=1e-3, end=0.15, name="").solve(hooks=hooks)
        found.append((state.q.tobytes(), state.v.tobytes(), state.a.tobytes(), state.carried.tobytes()))
        assert (sum(calls) > 80) == (not seen)
    assert found[0] == found[1]


def test_second_passes_stay_in_compiled_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """A belt that starts to turn needs second passes. Passes, iterations and motion equal the values of a run whose
    passes are observed, and Python starts a third of the Newton runs.
    """
    runs, found = [0], []
    plain = Newton.solve

    def count(self: Newton, *given: Any, **more: Any) -> Any:
        runs[0] += 1
        return plain(self, *given, **more)

    class Look(wl.StepHook):
        def after_iteration(self, state: wl.State, error: float) -> None:
            pass

    monkeypatch.setattr(Newton, "solve", count)
    for hooks in ([], [Look()]):
        info = belt_parameters(24, 2)
        belt = build_belt(info)
        start, _ = solve_static(belt, info)
        belt.prepare_dynamic()
        solver, runs[0] = wl.Dynamic(belt.world, step=1e-4, end=0.25, name=""), 0
        state = solver.solve(start, hooks=hooks)
        counts = solver.statistics
        found.append((counts.steps, counts.newton_iterations, counts.discontinuous_iterations, state.q, runs[0]))
    compiled, seen = found
    assert compiled[:3] == seen[:3] and compiled[2] > 1.02 * compiled[0]
    assert np.allclose(compiled[3], seen[3], rtol=0.0, atol=1e-12)
    assert 3 * compiled[4] < seen[4]


def test_ropes_in_contact_take_compiled_steps(calls: list[int]) -> None:
    """A rope slides along another rope over several cables. Steps between two searches for contacts are compiled, and
    give the same digits as steps in Python.
    """

    def run(*hooks: Any) -> tuple[wl.Dynamic, wl.State]:
        world = wl.World()
        columns = {"axial_stiffness": 1e4, "bending_stiffness": 1e-2, "mass_per_length": 0.1, "axial_damping": 1.0}
        ropes = [
            straight_cable(world, (-0.1, 0.0, 0.0), (0.1, 0.0, 0.0), 10, **columns),
            straight_cable(world, (0.0, -0.02, 0.0099), (0.0, 0.02, 0.0099), 2, **columns),
        ]
        for node in (0, 10):
            con.clamp(world, nodes_of(world, ropes[0])[node])
        con.add_cable_contact(
            world, ropes, radius=5e-3, points=4, contact_stiffness_per_length=1e6, contact_damping_per_length=10.0,
            friction_coefficient=0.2, friction_velocity_penalty_per_length=100.0,
        )  # fmt: skip
        state = wl.State(world)
        dofs = state.local_dofs(nodes_of(world, ropes[1]))
        state.v[dofs[:, 0]], state.v[dofs[:, 2]] = 2.0, -0.05
        solver = wl.Dynamic(world, step=1e-4, end=0.04, name="")
        return solver, solver.solve(state, hooks=hooks)

    slow, by_python = run(lambda state: None)
    assert sum(calls) == 0 and slow.assembly.pattern_version() >= 3
    quick, compiled = run()
    assert sum(calls) > 0.5 * quick.statistics.steps
    for name in ("q", "v", "a", "lam", "data"):
        assert np.array_equal(getattr(compiled, name), getattr(by_python, name)), name
    counts = ("steps", "rejected", "newton_iterations", "discontinuous_iterations", "jacobians")
    assert all(getattr(slow.statistics, name) == getattr(quick.statistics, name) for name in counts)


def test_hooks_receive_the_number_of_steps_without_calls(calls: list[int]) -> None:
    """A hook is called at least at each tenth step, and receives the number of steps before each call."""

    class Tenth(wl.StepHook):
        steps, unseen, waits = 0, 0, list[int]()

        def after_step(self, state: wl.State) -> None:
            self.steps += 1
            self.waits.append(self.unseen)
            self.unseen = 0
            assert state.step == self.steps

        def idle_steps(self, state: wl.State, size: float) -> wl.IdleSteps:
            return wl.IdleSteps(9, after=self.add)

        def add(self, steps: int) -> None:
            self.steps += steps
            self.unseen += steps

    solver, _ = chain()
    hook = Tenth()
    solver.solve(hooks=[hook])
    assert hook.steps == solver.statistics.steps == 300 and sum(calls) > 0
    assert max(hook.waits) == 9 and hook.waits.count(9) > 20


@pytest.mark.parametrize("given", [(9,), (9, "program"), (9, None, 3), (9.5,), (True,), None])
def test_idle_steps_are_whole_numbers(given: Any) -> None:
    """A hook that returns another object than `IdleSteps`, or fields of wrong types, ends the solve with an error."""
    given = 9 if given == (9,) else given and wl.IdleSteps(*given)

    class Wrong(wl.StepHook):
        def after_step(self, state: wl.State) -> None:
            pass

        def idle_steps(self, state: wl.State, size: float) -> wl.IdleSteps:
            return given  # type: ignore[no-any-return]

    with pytest.raises(wl.ModelError, match=r"idle_steps of the hook Wrong = .* at t = .* must be IdleSteps with a"):
        chain()[0].solve(hooks=[Wrong()])


def test_records_before_an_error_in_a_hook_keep_their_values(calls: list[int]) -> None:
    """A ledger evaluates the records of a solve that a hook has ended. For a solve of another model, the ledger raises
    an error.
    """

    class Failing(wl.StepHook):
        def after_step(self, state: wl.State) -> None:
            if state.step >= 100:
                raise ValueError("a mistake of the user")

        def idle_steps(self, state: wl.State, size: float) -> wl.IdleSteps:
            return wl.IdleSteps(max(0, 99 - state.step))

    solver, _ = chain()
    ledger, whole = wl.EnergyLedger(every=1), wl.EnergyLedger(every=1)
    with pytest.raises(ValueError, match="a mistake of the user"):
        solver.solve(hooks=[ledger, Failing()])
    world = wl.World(gravity=(0.0, -9.81))
    world.add(MassPoint, position=(0.0, 0.0), mass=2.0)
    with pytest.raises(wl.ModelError, match="state in a solve with this EnergyLedger belongs to another world"):
        wl.Dynamic(world, step=1e-3, end=0.01, name="").solve(hooks=[ledger])
    solver, _ = chain(end=0.1)
    solver.solve(hooks=[whole])
    count = len(ledger.times)
    assert 90 <= count <= 101 and sum(calls) > 0
    for name in whole.names:
        np.testing.assert_allclose(ledger[name], whole[name][:count], rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("period", [0.0, 5e-3])
def test_compiled_steps_call_hooks_that_read_the_state(calls: list[int], period: float) -> None:
    """Hooks of Exudyn scripts, which write rows of a file, read the same times and states in compiled steps as in
    single steps. Steps between two rows run without Python. An error in one of these hooks ends the solve.
    """

    class Rows(StepCalls):
        def __init__(self) -> None:
            self.following, self.rows = np.zeros(1), list[tuple[float, bytes]]()
            super().__init__(self.following)

        def after_step(self, state: wl.State) -> None:
            if state.t < self.following[0] - 1e-9:
                return
            if state.t > 0.25 and self.fails:
                raise ValueError("a mistake of the user")
            self.following[0] += period
            self.rows.append((state.t, state.q.tobytes() + state.v.tobytes() + state.lam.tobytes()))

        fails = False

    found = []
    for hooks in ([], [lambda state: None]):
        solver, _ = chain()
        rows = Rows()
        calls.clear()
        solver.solve(hooks=[rows, *hooks])
        assert (sum(calls) > 200) == (not hooks)
        found.append(rows.rows)
    assert found[0] == found[1] and len(found[0]) == (300 if period == 0.0 else 61)
    rows = Rows()
    rows.fails = True
    with pytest.raises(ValueError, match="a mistake of the user"):
        chain()[0].solve(hooks=[rows])
    assert rows.rows == [row for row in found[0] if row[0] <= 0.25]


@pytest.mark.parametrize("period", [0.0, 3.5e-3])
@pytest.mark.parametrize("may_wait", [False, True])
def test_compiled_steps_store_states_for_later_rows(calls: list[int], period: float, may_wait: bool) -> None:
    """Rows of a file that are made from stored states have the same times and values as rows that are made at the end
    of each step. A solve that fails keeps all rows up to the last step.
    """

    class Rows(StepRows):
        def __init__(self, may_wait: bool) -> None:
            self.due = Due(period, lambda state: state.t)
            super().__init__(self.due.numbers, may_wait)
            self.rows, self.stored = list[tuple[float, bytes]](), 0

        def before_solve(self, state: wl.State, end: float, steps: int) -> None:
            self.due.begin(state)

        def after_step(self, state: wl.State) -> None:
            if self.due.is_due(state):
                self.rows.append((state.t, b"".join(part.tobytes() for part in read_values(state))))

        def add_rows(self, times: list[float], values: StepValues) -> None:
            self.stored += len(times)
            for k, t in enumerate(times):
                self.rows.append((t, b"".join(part[k].tobytes() for part in values)))

    def fail(state: wl.State) -> None:
        if state.step == 200:
            raise ValueError("a mistake of the user")

    expected = Rows(False)
    chain()[0].solve(hooks=[expected, lambda state: None])
    calls.clear()
    rows = Rows(may_wait)
    chain()[0].solve(hooks=[rows])
    assert sum(calls) > 200 and (rows.stored > (200 if period == 0.0 else 40)) == may_wait
    assert rows.rows == expected.rows and len(rows.rows) == (300 if period == 0.0 else 85)
    rows = Rows(may_wait)
    with pytest.raises(ValueError, match="a mistake of the user"):
        chain()[0].solve(hooks=[rows, fail])
    assert rows.rows == [row for row in expected.rows if row[0] < 0.2005]
