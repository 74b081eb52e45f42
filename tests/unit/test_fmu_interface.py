"""Tests of models that are solved from communication point to communication point, as in an FMU: steps, returns to
earlier states, and errors.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import windlass as wl
from windlass import connectors as con
from windlass import elements as el
from windlass.commands import cli
from windlass.fmu.communication import PIPES
from windlass.fmu.model_process import ModelProcess
from windlass.fmu.stepwise import Stepwise
from windlass.framework.command_line import options
from windlass.framework.launch.arguments import Option

STEP, END = 0.01, 0.3
K, D, J = 40.0, 0.5, 2.0  # stiffness [N m/rad], damping [N m s/rad], inertia [kg m^2]


def make_drum(
    solver: type[wl.Dynamic] | type[wl.Explicit] = wl.Dynamic, **settings: Any
) -> tuple[Any, Callable[[float], object]]:
    """Return a solver of a drum on a torsional spring, with an attribute ``drum``, and the function that sets the
    torque [N m] of its motor.
    """
    world = wl.World()
    drum = world.add(el.RigidBody2D, name="drum", position=(0.0, 0.0), mass=1.0, inertia=J)
    con.fix(world, drum, "x", "y")
    angle = con.coordinate_marker(world, drum, "rotation")
    motor = world.add(con.CoordinateLoad, marker=angle, value=3.0)
    world.add(con.CoordinateSpringDamper, marker1=angle, stiffness=K, damping=D)
    made: Any = solver(world, step=STEP, end=END, **settings)
    made.drum = drum
    return made, lambda value: world.set(motor, value=value)


def values_of(state: wl.State) -> np.ndarray[Any, Any]:
    return np.concatenate([state.q, state.v, state.a])


@pytest.mark.parametrize("kind", [wl.Dynamic, wl.Explicit])
def test_equal_steps_give_the_motion_of_one_solve(kind: Any) -> None:
    whole = make_drum(kind)[0].solve()
    parts = Stepwise(make_drum(kind)[0], None, ())
    for k in range(round(END / 0.05)):
        parts.advance(0.05 * k, 0.05)
    parts.end_solve()
    assert parts.state.t == whole.t and parts.state.step == whole.step
    np.testing.assert_allclose(values_of(parts.state), values_of(whole), rtol=0, atol=1e-13)


@pytest.mark.parametrize("kind", [wl.Dynamic, wl.Explicit])
def test_steps_are_cut_to_end_at_communication_points(kind: Any) -> None:
    points, steps = np.cumsum([0.0, 0.0173, 0.004, 0.01, 0.05, 0.0007]), []
    parts = Stepwise(make_drum(kind)[0], None, [lambda state: steps.append(state.t)])
    for begin, end in pairwise(points):
        parts.advance(begin, end - begin)
        assert abs(parts.state.t - end) < 1e-14
    sizes = np.diff([0.0, *steps])
    assert sizes.max() < STEP * (1.0 + 1e-9) and sizes.min() > 1e-4
    exact = 3.0 / K * (1.0 - np.cos(np.sqrt(K / J) * points[-1]))  # solution without damping
    assert abs(parts.state.q[2] - exact) < 2e-2 * exact


@pytest.mark.parametrize("kind", [wl.Dynamic, wl.Explicit])
def test_a_step_hook_can_require_the_end_of_a_step(kind: Any) -> None:
    class Stops(wl.StepHook):
        def next_stop(self, state: wl.State) -> float:
            return 0.0137 if state.t < 0.0137 else np.inf

    class Wrong(wl.StepHook):
        def next_stop(self, state: wl.State) -> float:
            return 0.05

    times: list[float] = []
    make_drum(kind)[0].solve(hooks=[Stops(), lambda state: times.append(state.t)])
    assert min(abs(t - 0.0137) for t in times) < 1e-15 and times[-1] == END
    with pytest.raises(wl.ModelError, match=r"next_stop of the hook Wrong = 0.05 s at t = 0.05 s: must be later"):
        make_drum(kind)[0].solve(hooks=[Wrong()])


class Count(wl.StepHook):
    """Hook that counts steps."""

    def __init__(self) -> None:
        self.steps = 0

    def after_step(self, state: wl.State) -> None:
        self.steps += 1

    def checkpoint(self) -> dict[str, Any]:
        return {"steps": self.steps}

    def restore(self, kept: Any, state: wl.State) -> None:
        self.steps = kept["steps"]


@pytest.mark.parametrize("kind", [wl.Dynamic, wl.Explicit])
def test_a_solve_returns_to_an_earlier_state(kind: Any) -> None:
    solver, set_torque = make_drum(kind)
    count = Count()
    parts = Stepwise(solver, None, [count])
    begin = parts.keep()
    parts.advance(0.0, 0.043)
    kept = parts.keep()

    def go_on() -> np.ndarray[Any, Any]:
        set_torque(-5.0)
        parts.note_jump()
        parts.advance(0.043, 0.06)
        return values_of(parts.state)

    first, steps = go_on(), count.steps
    for state in (kept, parts.keep(), kept):
        parts.go_back(state)
    again = parts.keep()  # the restored state, before the solve continues
    parts.go_back(again)
    np.testing.assert_allclose(go_on(), first, rtol=0, atol=1e-9)
    assert count.steps == steps
    parts.go_back(begin)
    parts.advance(0.0, 0.043)
    np.testing.assert_allclose(parts.state.q, kept.state.q, rtol=0, atol=1e-12)


def test_communication_points_are_checked() -> None:
    parts = Stepwise(make_drum()[0], None, ())
    with pytest.raises(wl.ModelError, match=r"time of the step = 0.5 s: must be 0.0 s"):
        parts.advance(0.5, 0.1)
    with pytest.raises(wl.ModelError, match=r"communication step = 0.0 s: must be > 1e-11 s"):
        parts.advance(0.0, 0.0)


def declare() -> tuple[wl.FMUInterface, Any]:
    solver, set_torque = make_drum()
    fmu = wl.FMUInterface()
    fmu.input("torque", 3.0, "N m", set=set_torque)
    fmu.output(wl.Sensor(solver.drum, "angular_velocity", name="speed"))
    return fmu, solver


def test_the_script_runs_by_itself() -> None:
    fmu, solver = declare()
    np.testing.assert_array_equal(fmu.solve(solver).q, make_drum()[0].solve().q)


def test_names_of_variables_differ() -> None:
    fmu, solver = declare()
    with pytest.raises(wl.ModelError, match="name = 'torque' in FMUInterface: is already an input"):
        fmu.input("torque", 0.0, "N m", set=print)
    with pytest.raises(wl.ModelError, match="name = 'speed' in FMUInterface: is already an output"):
        fmu.output(wl.Sensor(solver.drum, "rotation", name="speed"))
    with pytest.raises(wl.ModelError, match=r"start = nan N m in FMUInterface.input: must be a finite number"):
        fmu.input("b", float("nan"), "N m", set=print)
    for name in ("time", "a\nb", ""):
        with pytest.raises(wl.ModelError, match="must be a text other than 'time', without line breaks"):
            fmu.input(name, 0.0, "N m", set=print)
        if name:
            with pytest.raises(wl.ModelError, match=r"name of the sensor = .*must be a text other than 'time'"):
                fmu.output(wl.Sensor(solver.drum, "rotation", name=name))


def test_names_of_parameters_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    fmu, solver = declare()
    monkeypatch.setattr(options, "model_options", lambda: [(Option("time", 1.0, "s", ""), 1.0)])
    answers, _ = converse(fmu, solver, [["describe"], ["finish"]])
    assert "name of the option = 'time' in a model with FMUInterface: must be a text other" in answers[0]["error"]


def converse(fmu: wl.FMUInterface, solver: Any, requests: list[list[Any]], **given: Any) -> tuple[list[Any], wl.State]:
    """Send requests to a model, as an FMU does. Return the answers and the last state."""
    answer, write = os.pipe()
    read, request = os.pipe()
    with os.fdopen(request, "w", encoding="utf-8") as file:
        file.writelines(f"{json.dumps(one)}\n" for one in requests)
    with pytest.MonkeyPatch.context() as patch, os.fdopen(answer, encoding="utf-8") as file:
        patch.setenv(PIPES, f"{read},{write}")
        state = fmu.solve(solver, **given)
        assert PIPES not in os.environ
        assert json.loads(file.readline()) == {"begun": True}
        return [json.loads(line) for line in file], state


def test_a_model_follows_requests() -> None:
    fmu, solver = declare()
    requests = [
        ["describe"], ["put", "torque", 1.0], ["advance", 0.0, 0.1], ["get"], ["keep"], ["put", "torque", 2.0],
        ["advance", 0.1, 0.1], ["get"], ["go_back", 1], ["drop", 1], ["put", "torque", 2.0], ["advance", 0.1, 0.1],
        ["get"], ["advance", 0.7, 0.1], ["finish"],
    ]  # fmt: skip
    answers, state = converse(fmu, solver, requests)
    found = answers[0]["value"]
    assert found["inputs"] == {"torque": {"start": 3.0, "unit": "N m", "doc": ""}}
    assert found["outputs"] == {"speed": {"unit": "rad/s"}}
    assert (found["begin"], found["end"], found["step"]) == (0.0, END, STEP)
    assert abs(answers[7]["value"]["speed"] - answers[12]["value"]["speed"]) < 1e-9
    assert abs(answers[3]["value"]["speed"] - answers[7]["value"]["speed"]) > 1e-3
    assert "must be 0.2 s, the time that the model has reached" in answers[13]["error"]
    assert state.t == 0.2 and solver.verdict.word == "ok"


@pytest.mark.parametrize("settings", [{}, {"solver": wl.Explicit}, {"solver": wl.Explicit, "method": "rk4"}])
def test_outputs_have_consistent_accelerations(settings: dict[str, Any]) -> None:
    """Accelerations of outputs are consistent at the start, after a change of an input, before a step, and after a
    return to an earlier state.
    """
    solver, set_torque = make_drum(**settings)
    fmu = wl.FMUInterface()
    fmu.input("torque", 3.0, "N m", set=set_torque)
    for name in ("angle", "speed", "acceleration"):
        output = {"angle": "rotation", "speed": "angular_velocity", "acceleration": "angular_acceleration"}[name]
        fmu.output(wl.Sensor(solver.drum, output, name=name))
    requests = [
        ["get"], ["keep"], ["put", "torque", 6.0], ["get"], ["advance", 0.0, 0.1], ["put", "torque", -6.0], ["get"],
        ["keep"], ["put", "torque", 1.0], ["go_back", 2], ["get"], ["advance", 0.1, 0.05], ["get"], ["go_back", 1],
        ["get"], ["put", "torque", 6.0], ["advance", 0.0, 0.1], ["put", "torque", -6.0], ["get"], ["finish"],
    ]  # fmt: skip
    answers = converse(fmu, solver, requests)[0]
    found = [answer["value"] for answer, (name, *_) in zip(answers, requests, strict=True) if name == "get"]
    torques = [3.0, 6.0, -6.0, -6.0, -6.0, 3.0, -6.0]
    for values, torque in zip(found, torques, strict=True):
        expected = (torque - K * values["angle"] - D * values["speed"]) / J
        # at the end of a step Verlet's method evaluates damping at predicted velocities
        assert abs(values["acceleration"] - expected) < 1e-4
    assert abs(found[2]["angle"]) > 1e-3 and found[3] == found[2]
    # reading the outputs does not change the motion
    other = make_drum(**settings)
    parts = Stepwise(other[0], None, ())
    other[1](6.0)
    parts.advance(0.0, 0.1)
    assert abs(parts.state.q[2] - found[2]["angle"]) < 1e-12 and abs(found[6]["angle"] - found[2]["angle"]) < 1e-12


@pytest.mark.parametrize("kind", [wl.Dynamic, wl.Explicit])
def test_a_return_removes_records_of_sensors(kind: Any, tmp_path: Path) -> None:
    solver, _ = make_drum(kind)
    table = wl.Sensors(tmp_path / "table.csv", [wl.Sensor(solver.drum, "rotation", name="angle")])
    parts = Stepwise(solver, None, [table])
    begin = parts.keep()
    parts.advance(0.0, 0.05)
    kept = parts.keep()
    parts.advance(0.05, 0.05)
    parts.go_back(kept)
    parts.advance(0.05, 0.02)
    np.testing.assert_allclose(table.times, np.arange(8) * STEP, rtol=0, atol=1e-12)
    parts.go_back(begin)
    parts.advance(0.0, 0.03)
    parts.end_solve()
    np.testing.assert_allclose(table.times, np.arange(4) * STEP, rtol=0, atol=1e-12)
    table.close()
    lines = (tmp_path / "table.csv").read_text().splitlines()
    assert [float(line.split(",")[0]) for line in lines[-4:]] == table.times.tolist() and len(lines) < 7


def test_an_end_without_finish_ends_the_script() -> None:
    fmu, solver = declare()
    with pytest.raises(SystemExit, match="importing tool has ended without the end of the FMU"):
        converse(fmu, solver, [["advance", 0.0, 0.1]])
    assert solver.verdict.word == "interrupted" and solver.state.t == 0.1


class Fails(wl.StepHook):
    """Hook that fails after a given time."""

    def after_step(self, state: wl.State) -> None:
        if state.t > 0.065:
            raise wl.ModelError("no data after 0.06 s")


def test_a_failed_step_can_be_undone() -> None:
    fmu, solver = declare()
    requests = [
        ["advance", 0.0, 0.05], ["keep"], ["advance", 0.05, 0.05], ["advance", 0.05, 0.05], ["keep"], ["go_back", 1],
        ["advance", 0.05, 0.01], ["finish"],
    ]  # fmt: skip
    answers, state = converse(fmu, solver, requests, hooks=[Fails()])
    assert answers[2] == {"error": "no data after 0.06 s"}
    for answer in answers[3:5]:
        assert "an earlier step has failed; return to an earlier state" in answer["error"]
    assert abs(state.t - 0.06) < 1e-12 and "error" not in answers[6]
    fmu, solver = declare()
    with pytest.raises(wl.ModelError, match=r"an earlier step has failed.*no data after 0.06 s"):
        converse(fmu, solver, [["advance", 0.0, 0.1], ["finish"]], hooks=[Fails()])


def test_obstacles_to_a_restart_are_errors_before_the_first_step(tmp_path: Path) -> None:
    class Tool(wl.StepHook):
        def find_obstacle(self) -> str:
            return "the tool cannot store its state"

    for kind in (wl.Dynamic, wl.Explicit):
        steps = list[int]()
        hooks = [Tool(), lambda state, steps=steps: steps.append(state.step), wl.Checkpoint(tmp_path / "run.h5")]
        with pytest.raises(wl.ModelError, match=r"path of Checkpoint = run.h5: the tool cannot store its state"):
            make_drum(kind)[0].solve(hooks=hooks)
        assert not steps
        parts = Stepwise(make_drum(kind)[0], None, [Tool()])
        parts.go_back(parts.keep())
        parts.advance(0.0, 0.1)
        with pytest.raises(wl.ModelError, match="state of the FMU: the tool cannot store its state"):
            parts.keep()


def test_a_refused_input_keeps_its_value() -> None:
    fmu, solver = declare()
    requests = [["put", "torque", 1.0], ["put", "torque", float("nan")], ["put", "torque", float("nan")], ["get"]]
    requests += [["advance", 0.0, 0.1], ["get"], ["finish"]]
    answers, _ = converse(fmu, solver, requests)
    for answer in answers[1:3]:
        assert "must be" in answer["error"]
    expected, set_torque = make_drum()
    set_torque(1.0)
    expected.end = 0.1
    assert abs(answers[5]["value"]["speed"] - expected.solve().v[2]) < 1e-12


def test_inputs_are_finite() -> None:
    """Input values that are not finite are not passed to the function of the user."""
    solver, _ = make_drum()
    fmu, found = wl.FMUInterface(), list[float]()
    fmu.input("torque", 3.0, "N m", set=found.append)
    answers, _ = converse(fmu, solver, [["put", "torque", float(word)] for word in ("nan", "inf")] + [["finish"]])
    for answer, word in zip(answers, ("nan", "inf"), strict=False):
        assert answer["error"] == f"value = {word} N m in FMUInterface: must be a finite number"
    assert found == [3.0]


def test_the_interface_is_solved_once() -> None:
    fmu, solver = declare()
    fmu.solve(solver)
    with pytest.raises(wl.ModelError, match="solve of FMUInterface is called twice: must be called once"):
        fmu.solve(solver)


@pytest.mark.parametrize(("kind", "begin", "step"), [(wl.Explicit, 9.0, 1e-6), (wl.Dynamic, 1000.0, 1e-4)])
def test_communication_points_at_long_times(kind: Any, begin: float, step: float) -> None:
    """At long times, communication points are accepted although the times of the importing tool differ from the times
    of the model by rounding errors.
    """
    solver, _ = make_drum(kind)
    late = kind(solver.assembly.world, step=step, end=begin + 1.0)
    start = wl.State(late.assembly.world)
    start.t = begin
    steps = list[float]()
    parts = Stepwise(late, start, [lambda state: steps.append(state.t)])
    for k in range(100):
        parts.advance(begin + k * 3.0 * step, 3.0 * step)
    assert abs(parts.state.t - (begin + 300.0 * step)) < 1e-12 and len(steps) == 300


def test_an_output_has_one_number() -> None:
    fmu, solver = declare()
    fmu.output(wl.Sensor(solver.drum, "position"))
    with pytest.raises(wl.ModelError, match=r"output 'drum.position' of FMUInterface has \d numbers: must have one"):
        converse(fmu, solver, [])


def test_the_command_says_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "model.py"
    model.write_text("")
    twice = [tmp_path / "one" / "a.csv", tmp_path / "two" / "a.csv"]
    for file in twice:
        file.parent.mkdir()
        file.write_text("1")
    for words, message in (
        (["-output", str(tmp_path / "model.zip")], "-output model.zip: must be a file .fmu"),
        (["-files", "none.csv"], "-files none.csv: must be files other than the model"),
        (["-files", f"{twice[0]},{twice[1]}"], "-files a.csv: is the name of two files: names must differ"),
        (["-table", str(twice[0])], "-table a.csv: is a file: must be in the FMU, add -files "),
        (["-fmi", "1"], "-fmi = 1: expected one of 2, 3"),
    ):
        assert cli.main(["fmu", str(model), *words]) == 2
        assert message in capsys.readouterr().err
    other = tmp_path / "other.fmu"
    other.write_text("of another program")
    assert cli.main(["fmu", str(model), "-output", str(other)]) == 2
    assert "other.fmu: exists, and Windlass has not written it" in capsys.readouterr().err


def test_a_controller_says_what_is_missing(tmp_path: Path) -> None:
    if importlib.util.find_spec("fmpy") is None:
        with pytest.raises(wl.ModelError, match=r"FMUController needs FMPy, which is not installed: pip install"):
            con.FMUController(tmp_path / "none.fmu", step=0.1, inputs={}, outputs={})
    with pytest.raises(wl.ModelError, match=r"step = 0.0 s in FMUController: must be > 0"):
        con.FMUController("a.fmu", step=0.0, inputs={}, outputs={})
    with pytest.raises(
        wl.ModelError, match=r"outputs = .* in FMUController: must be functions of one number by the name"
    ):
        con.FMUController("a.fmu", step=0.1, inputs={}, outputs={"a": 3})  # type: ignore[dict-item]


SHORT_MODEL = """
import windlass as wl
import windlass.connectors as con
import windlass.elements as el

world = wl.World()
drum = world.add(el.RigidBody2D, name="drum", position=(0.0, 0.0), mass=1.0, inertia=2.0)
con.fix(world, drum, "x", "y")
motor = world.add(con.CoordinateLoad, marker=con.coordinate_marker(world, drum, "rotation"))
fmu = wl.FMUInterface()
fmu.input("torque", 3.0, "N m", set=lambda value: world.set(motor, value=value))
fmu.output(wl.Sensor(drum, "angular_velocity", name="speed"))
fmu.solve(wl.Dynamic(world, step=0.01, end=0.4))
"""


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("print('no interface')", 0, ["without a call of FMUInterface.solve", "no interface"]),
        ("raise ValueError('wrong data')", 1, ["without a call of FMUInterface.solve", "ValueError: wrong data"]),
        ("world.missing", 1, ["after a call of FMUInterface.solve", "AttributeError", "missing"]),
    ],
)
def test_the_end_of_the_process_is_explained(tmp_path: Path, text: str, code: int, words: list[str]) -> None:
    if "missing" in text:
        text = SHORT_MODEL.replace("world.set(motor, value=value)", "world.missing if value > 5.0 else None")
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "model.py").write_text(text)
    interface = {"script": "model.py", "python": sys.executable, "words": [], "parameters": {}}
    process = ModelProcess(tmp_path, interface, {})
    with pytest.raises(RuntimeError) as caught:
        process.ask("put", "torque", 6.0)
    for part in (f"has ended with exit code {code}", *words):
        assert part in str(caught.value)
