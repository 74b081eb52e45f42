"""Values of sensors in memory and in the table agree with directly evaluated output variables."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from windlass.connectors import CoordinateLoad, CoordinateSpringDamper, coordinate_marker, fix, prescribe_velocity
from windlass.elements import RigidBody2D, nodes_of, straight_cable
from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.command_line import options
from windlass.framework.errors import ModelError, OutputError
from windlass.framework.model.system import Fields
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.output.csv import read_csv
from windlass.framework.output.means import Means
from windlass.framework.output.probes import Probe, name_columns
from windlass.framework.output.sensors import Sensor, Sensors
from windlass.framework.restart.checkpoint import Checkpoint
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.state import State
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.failure import NotConverged
from windlass.solvers.static import Static

LENGTH = 0.25


class Model(NamedTuple):
    world: World
    cables: Entity
    hinge: Entity
    body: Entity


def create_model(load: Any = 0.0) -> Model:
    """Create a cable of four elements that swings from a hinge, and a body that rotates under a torque."""
    world = World(gravity=(0.0, -9.81))
    cables = straight_cable(
        world, (0.0, 0.0), (1.0, 0.0), 4, mass_per_length=0.8, axial_stiffness=8000.0, bending_stiffness=1e-3
    )
    hinge = fix(world, nodes_of(world, cables)[0], "x", "y")
    body = world.add(RigidBody2D, position=(2.0, 0.0), mass=1.0, inertia=0.5, name="wheel")
    marker = coordinate_marker(world, body, "rotation")
    world.add(CoordinateLoad, marker=marker, **({"function": load} if callable(load) else {"value": load}))
    return Model(world, cables, hinge, body)


def solve(model: Model, sensors: Sensors, end: float = 0.01) -> list[State]:
    """Return copies of the start and of all states of a short run with the sensors."""
    start = State(model.world)
    solver = Dynamic(model.world, step=1e-3, end=end)
    return [start, *(state.copy() for state in solver.march(start, hooks=[sensors]))]


def test_values_are_those_of_the_outputs(tmp_path: Path) -> None:
    model = create_model(load=3.0)
    place = np.full((4, 2), [0.0, LENGTH])
    table = tmp_path / "deep" / "swing.csv"
    with Sensors(
        table,
        [
            Sensor(model.body, "angular_velocity", name="spin"),
            Sensor(model.cables[3], "position", component=1, name="tip y", where={"x": LENGTH}),
            Sensor(model.cables[3], "velocity", name="tip velocity", where={"x": LENGTH}),
            Sensor(model.cables, "axial_force", name="force", where={"x": place}),
            Sensor(model.cables, "position", component=0, name="x"),
            Sensor(model.hinge, "force"),
        ],
    ) as sensors:
        states = solve(model, sensors)
    times = np.array([state.t for state in states])
    assert_array_equal(sensors.times, times)
    assert_array_equal(sensors.steps, np.arange(11))
    expected = {
        "spin": [eval_output(model.body, "angular_velocity", s) for s in states],
        "tip y": [eval_output(model.cables[3], "position", s, x=LENGTH)[1] for s in states],
        "tip velocity": [eval_output(model.cables[3], "velocity", s, x=LENGTH) for s in states],
        "force": [eval_output(model.cables, "axial_force", s, x=place) for s in states],
        "x": [eval_output(model.cables, "position", s)[:, 0] for s in states],
    }
    shapes = {"spin": (), "tip y": (), "tip velocity": (3,), "force": (4, 2), "x": (4,)}
    for name, values in expected.items():
        assert sensors[name].shape == (11, *shapes[name])
        # the accelerations of the first step are computed between the start and the first record
        assert_allclose(sensors[name], np.array(values), rtol=1e-13, atol=1e-13)
    # the torque accelerates the body steadily
    assert_allclose(sensors["spin"], 3.0 / 0.5 * times, rtol=1e-9, atol=1e-12)
    last = sensors.names[-1]
    assert last.endswith(".force")
    assert sensors[last].shape == (11, 2)

    header = table.read_text().splitlines()[0].split(",")
    assert header[:4] == ["time [s]", "step [1]", "spin [rad/s]", "tip y [m]"]
    assert "force[2][1] [N]" in header
    assert header[-1] == last.replace(",", ";") + "[1] [N]"
    assert sensors.units["tip velocity"] == "m/s"
    read = read_csv(table)
    assert len(read) == 2 + 1 + 1 + 3 + 8 + 4 + 2
    assert_array_equal(read["time"], times)
    assert_array_equal(read["tip velocity[1]"], sensors["tip velocity"][:, 1])
    assert_array_equal(read["force[2][1]"], sensors["force"][:, 2, 1])


def test_every_nth_and_the_last_step_are_recorded() -> None:
    model = create_model(load=1.0)
    sensors = Sensors(None, [Sensor(model.body, "angular_velocity")], every=4)
    assert sensors.names == ["wheel.angular_velocity"]
    assert sensors["wheel.angular_velocity"].shape == (0,)
    states = solve(model, sensors)
    assert_array_equal(sensors.steps, [0, 4, 8, 10])
    sensors.record(states[-1])
    assert len(sensors.times) == 4, "the same instant is not recorded twice"
    # the records of a continued solve are appended
    Dynamic(model.world, step=1e-3, end=0.014).solve(states[-1], hooks=[sensors])
    assert_array_equal(sensors.steps, [0, 4, 8, 10, 12, 14])
    assert_allclose(sensors["wheel.angular_velocity"], 2.0 * sensors.times, rtol=1e-9, atol=1e-12)


def test_statics_are_told_apart_by_steps(tmp_path: Path) -> None:
    model = create_model()
    fix(model.world, nodes_of(model.world, model.cables)[0], "y'")
    fix(model.world, model.body, "x", "y", "rotation")
    tip = Sensor(model.cables[3], "position", 1, "tip", {"x": LENGTH})
    with Sensors(tmp_path / "sag.csv", [tip]) as sensors:
        state = Static(model.world, load_steps=5, geometric=True, stabiliser=100.0).solve(hooks=[sensors])
    assert_array_equal(read_csv(tmp_path / "sag.csv")["step"], np.arange(6))
    assert_array_equal(sensors.times, 0.0)
    assert sensors["tip"][-1] == eval_output(model.cables[3], "position", state, x=LENGTH)[1] < 0.0


def test_a_failed_solve_keeps_its_last_good_state(tmp_path: Path) -> None:
    model = create_model(lambda t: 1e200 if t > 0.0045 else 1.0)
    solver = Dynamic(model.world, step=1e-3, end=0.01, adaptive=False)
    with (
        pytest.raises(NotConverged) as caught,
        Sensors(tmp_path / "spin.csv", [Sensor(model.body, "rotation", name="angle")], every=100) as sensors,
    ):
        solver.solve(hooks=[sensors])
    assert_array_equal(sensors.steps, [0, 4])
    assert sensors["angle"][-1] == eval_output(model.body, "rotation", caught.value.state)
    assert_array_equal(read_csv(tmp_path / "spin.csv")["angle"], sensors["angle"])


def test_one_evaluation_of_the_markers_serves_all_sensors(monkeypatch: pytest.MonkeyPatch) -> None:
    model = create_model()
    model.world.finalize()
    count = 0
    load_fields = Assembly.load_fields

    def counting(assembly: Assembly, state: State) -> Fields:
        nonlocal count
        count += 1
        return load_fields(assembly, state)

    monkeypatch.setattr(Assembly, "load_fields", counting)
    sensors = Sensors(None, [Sensor(model.body, name) for name in ("rotation", "position", "velocity", "acceleration")])
    state = State(model.world)
    for k in range(5):
        state.t = 0.1 * k
        sensors.record(state)
    assert count == 5


def test_other_sensors_bring_their_own_probe() -> None:
    """A user's sensor needs only a name and a method that creates its probe."""

    class Extent:
        name = "extent"

        def create_probe(self, whole: State) -> Probe:
            def read(fields: Fields) -> FloatArray:
                return np.array([fields.x.min(), fields.x.max()])

            return Probe(name_columns(self.name, "m", (2,)), (2,), read)

    model = create_model()
    model.world.finalize()
    state = State(model.world)
    sensors = Sensors(None, [Extent(), Sensor(model.body, "position", 0, "x")])
    sensors.record(state)
    x = state.q + state.assembly.layout.reference[:-1]
    assert_array_equal(sensors["extent"], [[min(x.min(), 0.0), x.max()]])
    assert_array_equal(sensors["x"], [2.0])


def test_wrong_sensors_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = create_model()
    model.world.finalize()
    spin = Sensor(model.body, "angular_velocity")
    with pytest.raises(ModelError, match="RigidBody2D has no output 'speed': it has"):
        Sensor(model.body, "speed")
    with pytest.raises(ModelError, match=r"'wheel.angular_velocity' is given 2 times"):
        Sensors(None, [spin, spin])
    with pytest.raises(ModelError, match="at least one"):
        Sensors(None, [])
    with pytest.raises(OutputError, match="every = 0"):
        Sensors(None, [spin], every=0)
    with pytest.raises(ModelError, match=r"there is no sensor 'spin': there are wheel.angular_velocity"):
        Sensors(None, [spin])["spin"]
    for component, output, message in (
        (3, "position", "must be from 0 to 2"),
        (0, "rotation", "must be left out for a single number"),
    ):
        with pytest.raises(ModelError, match=message):
            Sensors(None, [Sensor(model.body, output, component)]).record(State(model.world))
    state, stranger = State(model.world), create_model().body
    for use, call in (
        (lambda: Sensors(None, [Sensor(stranger, "rotation")]).record(state), "an evaluation of a state"),
        (lambda: state.of(stranger), "a method of State"),
        (lambda: state.of(stranger, "data"), "a method of State"),
        (lambda: state.put(stranger, 0.0), "a method of State"),
        (lambda: state.local_dofs(stranger), "a method of State"),
        (lambda: model.world.set(stranger, mass=1.0), "World.set"),
    ):
        with pytest.raises(ModelError, match=rf"> in {call}: belongs to another world: must be a handle"):
            use()
    for entity, where, message in (
        (model.body, {"x": 0.1}, "x = 0.1 for this output of RigidBody2D: the output has no place arguments"),
        (model.cables, {"share": 0.1}, "share = 0.1 for this output of Cable2D: must be one of x, y"),
        (model.cables, {"x": "end"}, "x = 'end' for this output of Cable2D: must be numbers"),
    ):
        with pytest.raises(ModelError, match=message):
            eval_output(entity, "position", State(model.world), **where)
        with pytest.raises(ModelError, match=message):
            Sensors(None, [Sensor(entity, "position", where=where)]).record(State(model.world))
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="cannot be written"):
        Sensors(tmp_path / "file" / "spin.csv", [spin])
    # under -help, sensors create no folder
    monkeypatch.setattr(options, "help_requested", lambda: True)
    Sensors(tmp_path / "never" / "spin.csv", [spin]).close()
    assert not (tmp_path / "never").exists()


def test_units_of_coordinates() -> None:
    """The unit of a force on a coordinate follows from the coordinate of each row: N m for angles, even if constraints
    act on velocities.
    """
    world = World()
    body = world.add(RigidBody2D, position=(0.0, 0.0), mass=1.0, inertia=1.0)
    drive = prescribe_velocity(world, body, "rotation", lambda t: 2.0 * t)
    hold = fix(world, body, "x", "rotation")
    world.set(hold, active=[True, False])
    spin = coordinate_marker(world, body, "rotation")
    spring = world.add(CoordinateSpringDamper, marker1=spin, damping=1.0)
    load = world.add(CoordinateLoad, marker=spin, value=1.0)
    wanted = {(drive, "force"): ["N m"], (drive, "gap"): ["rad/s"], (hold, "force"): ["N", "N m"]}
    wanted |= {(spring, "velocity"): ["rad/s"], (load, "force"): ["N m"]}
    state = State(world)
    for (entity, output), units in wanted.items():
        assert [unit for _, unit in Sensor(entity, output).create_probe(state).columns] == units


@pytest.mark.parametrize("every_step", [False, True])
def test_means_over_time(every_step: bool) -> None:
    """Means are integrals by the trapezoidal rule from the first instant at or after their start, over steps of
    different sizes. Means of sensors that only Python code can read are equal to these integrals as well.
    """
    model = create_model(load=3.0)
    watched = [
        Sensor(model.body, "angular_velocity", name="spin"),
        Sensor(model.cables, "axial_force", name="force"),
        Sensor(model.cables[3], "position", 1, "tip"),
    ]
    for chosen in (watched[:1], watched):
        means, sensors = Means(chosen, start=0.0195), Sensors(None, watched)
        hooks = [means, sensors, *([lambda state: None] if every_step else [])]
        state = Dynamic(model.world, step=1e-3, end=0.03, name="").solve(hooks=hooks)
        Dynamic(model.world, step=5e-4, end=0.04, name="").solve(state, hooks=hooks)
        t = sensors.times
        assert len(t) == 51 and means.duration == pytest.approx(0.02, rel=1e-12)
        inside = t > 0.0195
        for sensor in chosen:
            values = sensors[sensor.name][inside]
            wanted = np.tensordot(np.diff(t[inside]), 0.5 * (values[1:] + values[:-1]), axes=(0, 0)) / 0.02
            assert_allclose(means[sensor.name], wanted, rtol=1e-11)
    assert_allclose(means["spin"], 6.0 * 0.03, rtol=1e-9)
    assert means["force"].shape == (4,) and means["tip"].shape == () and means.units["tip"] == "m"


def test_means_of_a_restart_are_those_of_one_run() -> None:
    model = create_model(load=3.0)
    watched = [Sensor(model.body, "angular_velocity", name="spin")]
    whole, first, second = Means(watched), Means(watched), Means(watched)
    state = State(model.world)
    solver = Dynamic(model.world, step=1e-3, end=0.02, name="")
    for k, now in enumerate(solver.march(state, hooks=[whole, first])):
        if k == 9:
            second.before_solve(now, 0.02, 10)
            second.restore(first.checkpoint(), now)
            assert second["spin"] == first["spin"]
        elif k > 9:
            second.after_step(now)
    assert second["spin"] == whole["spin"] and second.duration == whole.duration
    with pytest.raises(ModelError, match=r"give turn \[rad\]: must be the sensors of the checkpoint, spin \[rad/s\]"):
        Means([Sensor(model.body, "rotation", name="turn")]).restore(whole.checkpoint(), state)


class Stop(RuntimeError):
    """Hook that interrupts a solve."""


def run_interrupted(path: Path, first: float | None, second: float | None) -> Means:
    """Run 20 steps, interrupted after step 12 with a checkpoint at step 10; return the means of the restart.

    The starts of the means differ before and after the restart.
    """

    def stop(state: State) -> None:
        if state.step == 12:
            raise Stop

    def run(start: float | None, *others: Any) -> Means:
        model = create_model(load=3.0)
        means = Means([Sensor(model.body, "angular_velocity", name="spin")], start=start)
        Dynamic(model.world, step=1e-3, end=0.02, name="").solve(hooks=[means, *others])
        return means

    with pytest.raises(Stop):
        run(first, Checkpoint(path, every=10), stop)
    return run(second, Checkpoint(path, restart=path))


def test_a_restart_with_another_start_of_means(tmp_path: Path) -> None:
    """After a restart, means may begin later than the last step of the interrupted run. With a start that is earlier
    than in the interrupted run, steps would be missing. An earlier start causes an error, even if the interrupted run
    had not reached its own start.
    """
    for first in (0.012, 0.005):
        late = run_interrupted(tmp_path / f"{first}.h5", first, 0.015)
        assert late.duration == pytest.approx(0.005, rel=1e-12) and late["spin"] == pytest.approx(0.105, rel=1e-9)
    words = (
        r"start of Means is 0\.002 s: must be 0\.005 s, as in the interrupted run, or later than its last step at 0.01"
    )
    with pytest.raises(ModelError, match=words):
        run_interrupted(tmp_path / "early.h5", 0.005, 0.002)
    with pytest.raises(ModelError, match=r"start of Means is the start of the solve: must be 0\.005 s"):
        run_interrupted(tmp_path / "default.h5", 0.005, None)
    for k, second in enumerate((0.005, None)):
        here = "0.005 s" if second else "the start of the solve"
        words = f"start of Means is {here}: must be 0.015 s, as in the interrupted run, or later$"
        with pytest.raises(ModelError, match=words):
            run_interrupted(tmp_path / f"unreached{k}.h5", 0.015, second)


def test_means_of_several_solves() -> None:
    """The time between two solves is not included in means. If the user changes the state between two solves, means use
    the changed values without correction. A solve that begins before the end of the previous solve starts new means.
    """
    model = create_model()
    spin = Means([Sensor(model.body, "angular_velocity", name="spin")])

    def turn(state: State, begin: float, speed: float) -> State:
        state.t = begin
        state.put(model.body, (0.0, 0.0, speed), "v")
        return Dynamic(model.world, step=1e-3, end=begin + 0.01, name="").solve(state, hooks=[spin])

    state = turn(State(model.world), 0.0, 2.0)
    assert spin["spin"] == pytest.approx(2.0, rel=1e-12)
    state = turn(state, 0.01, 4.0)
    assert spin["spin"] == pytest.approx(3.0, rel=1e-12) and spin.duration == pytest.approx(0.02, rel=1e-12)
    state = turn(state, 0.1, 6.0)
    assert spin["spin"] == pytest.approx(4.0, rel=1e-12) and spin.duration == pytest.approx(0.03, rel=1e-12)
    turn(state, 0.05, 7.0)
    assert spin["spin"] == pytest.approx(7.0, rel=1e-12) and spin.duration == pytest.approx(0.01, rel=1e-12)


def test_means_that_begin_too_late_are_noted(capsys: pytest.CaptureFixture[str]) -> None:
    """If means would begin after the end of the solve, a note is printed before the first step. A class is not accepted
    as a sensor.
    """
    model = create_model()
    late = Means([Sensor(model.body, "angular_velocity", name="spin")], start=1.625)
    Dynamic(model.world, step=1e-3, end=0.01, name="").solve(hooks=[late])
    assert "means: they begin at t = 1.625 s, after the end of this solve at 0.01 s" in capsys.readouterr().err
    with pytest.raises(ModelError, match=r"sensors = \[<class '.*Sensor'>\] in Means: must be a list of sensors"):
        Means([Sensor])  # type: ignore[list-item]


def test_wrong_means_are_refused() -> None:
    model = create_model()
    spin = Sensor(model.body, "angular_velocity", name="spin")
    with pytest.raises(ModelError, match="sensors of Means are empty: must be at least one"):
        Means([])
    with pytest.raises(ModelError, match="start = nan"):
        Means([spin], start=np.nan)
    late = Means([spin], start=1.0)
    with pytest.raises(ModelError, match="there is no sensor 'turn': there are spin"):
        late["turn"]
    Dynamic(model.world, step=1e-3, end=0.01, name="").solve(hooks=[late])
    with pytest.raises(ModelError, match="the means have no steps from t = 1 s on: a dynamic solve must go beyond"):
        late["spin"]
    still = Means([spin])
    with pytest.raises(ModelError, match="the means have no steps: a dynamic solve must"):
        still["spin"]
