"""Tests of FMUs that contain models, and of FMUs in models, with the libraries pythonfmu and FMPy (extra ``fmu``)."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import windlass as wl
from windlass import connectors as con
from windlass import elements as el
from windlass.commands import cli
from windlass.connectors.control import fmu_controller
from windlass.fmu.stepwise import Stepwise

REASON = "needs the extra fmu: pip install 'windlass[fmu]'"
fmpy = pytest.importorskip("fmpy", reason=REASON)
pythonfmu = pytest.importorskip("pythonfmu", reason=REASON)

STEP, END = 0.01, 0.4
LOGGERS: list[Any] = []
"""Callbacks of all instances, because FMPy passes messages of all instances to the last logger."""
MODEL = """
import windlass as wl
import windlass.connectors as con
import windlass.elements as el

inertia = wl.option("inertia", 2.0, "kg m^2", "moment of inertia", minimum=0.1)
damped = wl.option("damped", True, "", "with a damper")
world = wl.World()
drum = world.add(el.RigidBody2D, name="drum", position=(0.0, 0.0), mass=1.0, inertia=inertia)
con.fix(world, drum, "x", "y")
angle = con.coordinate_marker(world, drum, "rotation")
motor = world.add(con.CoordinateLoad, marker=angle)
load = world.add(con.CoordinateLoad, marker=angle)
world.add(con.CoordinateSpringDamper, marker1=angle, stiffness=40.0, damping=0.5 * damped)
fmu = wl.FMUInterface()
fmu.input("torque", 3.0, "N m", set=lambda value: world.set(motor, value=value), doc="torque of the motor")
fmu.input("load", 0.0, "N m", set=lambda value: world.set(load, value=value))
fmu.output(wl.Sensor(drum, "angular_velocity", name="speed"))
fmu.output(wl.Sensor(drum, "rotation", name="angle"))
fmu.output(wl.Sensor(drum, "angular_acceleration", name="acceleration"))
state = fmu.solve(wl.Dynamic(world, step=0.01, end=0.4))
print("end at", state.t)
"""
KP, KI, WANTED = 8.0, 30.0, 1.5  # gains [N m s/rad] and [N m/rad], wanted speed [rad/s]
CONTROLLER = f"""
from pythonfmu import Fmi2Causality, Fmi2Slave, Real


class Controller(Fmi2Slave):
    def __init__(self, **given):
        super().__init__(**given)
        self.speed, self.torque, self.missing = 0.0, 0.0, 0.0
        self.register_variable(Real("speed", causality=Fmi2Causality.input))
        output = Real("torque", causality=Fmi2Causality.output, getter=lambda: {KP} * ({WANTED} - self.speed)
                      + {KI} * self.missing)
        self.register_variable(output)
        ratio = Real("ratio", causality=Fmi2Causality.output, getter=lambda: float("inf") if self.missing else 0.0)
        self.register_variable(ratio)
        self.register_variable(Real("missing", causality=Fmi2Causality.local))

    def do_step(self, t, size):
        if t > 5.0:
            raise RuntimeError("too late for this controller")
        self.missing += size * ({WANTED} - self.speed)
        return True
"""
FEEDTHROUGH = """
from pythonfmu import Fmi2Causality, Fmi2Slave, Fmi2Variability, Integer, Real


class Feedthrough(Fmi2Slave):
    def __init__(self, **given):
        super().__init__(**given)
        self.real, self.whole = 0.0, 0
        self.register_variable(Real("Float64_continuous_input", causality=Fmi2Causality.input,
            getter=lambda: self.real, setter=lambda value: setattr(self, "real", value)))
        self.register_variable(Real("Float64_continuous_output", causality=Fmi2Causality.output,
            getter=lambda: self.real))
        self.register_variable(Integer("Int32_input", causality=Fmi2Causality.input,
            variability=Fmi2Variability.discrete, getter=lambda: self.whole,
            setter=lambda value: setattr(self, "whole", value)))
        self.register_variable(Integer("Int32_output", causality=Fmi2Causality.output,
            variability=Fmi2Variability.discrete, getter=lambda: self.whole))

    def do_step(self, t, size):
        return True
"""
BALL = """
from pythonfmu import Fmi2Causality, Fmi2Slave, Real


class BouncingBall(Fmi2Slave):
    def __init__(self, **given):
        super().__init__(**given)
        self.h, self.v = 1.0, 0.0
        self.register_variable(Real("h", causality=Fmi2Causality.output))
        self.register_variable(Real("v", causality=Fmi2Causality.output))

    def do_step(self, t, size):
        for _ in range(round(size / 1e-3)):
            self.h, self.v = self.h + 1e-3 * self.v, self.v - 9.81e-3
            if self.h <= 0.0 and self.v < 0.0:
                self.h, self.v = 0.0, -0.7 * self.v
        return True
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fmu")


@pytest.fixture(scope="module")
def model(folder: Path) -> Path:
    """Return the FMU of the model."""
    (folder / "drum.py").write_text(MODEL)
    assert cli.main(["fmu", str(folder / "drum.py"), "-output", str(folder / "drum.fmu"), "-inertia", "2.5"]) == 0
    return folder / "drum.fmu"


def make_fmu(folder: Path, name: str, text: str) -> Path:
    """Create an FMU by pythonfmu, or return the file of this name in the folder REFERENCE_FMUS."""
    given = Path(os.environ.get("REFERENCE_FMUS", "")) / f"{name}.fmu"
    if given.is_file():
        return given
    (folder / f"{name}_fmu.py").write_text(text)
    able = {"canGetAndSetFMUstate": True, "canSerializeFMUstate": True}
    made: Path = pythonfmu.FmuBuilder.build_FMU(folder / f"{name}_fmu.py", dest=folder / f"{name}.fmu", **able)
    return made


@contextmanager
def slave(file: Path, initialise: bool = True, messages: list[str] | None = None, **values: Any) -> Iterator[Any]:
    """Context with an instance of an FMU, initialised or in initialisation, which has an attribute ``messages``."""
    description, messages = fmpy.read_model_description(str(file)), [] if messages is None else messages
    unzipped = fmpy.extract(str(file))
    log = lambda *given: messages.append(given[-1].decode())  # noqa: E731
    instance = fmpy.instantiate_fmu(unzipped, description, "CoSimulation", debug_logging=True, logger=log)
    instance.messages = messages
    LOGGERS.append(instance.callbacks)
    instance.numbers = {variable.name: variable.valueReference for variable in description.modelVariables}
    instance.setupExperiment(startTime=0.0)
    fmpy.simulation.apply_start_values(instance, description, values)
    instance.enterInitializationMode()
    if initialise:
        instance.exitInitializationMode()
    yield instance
    instance.terminate()
    instance.freeInstance()


def make_drum(step: float = STEP, end: float = END, inertia: float = 2.5) -> tuple[wl.Dynamic, Any, Any]:
    """Return the solver of the model that the FMU contains, and handles to drum and motor."""
    world = wl.World()
    drum = world.add(el.RigidBody2D, name="drum", position=(0.0, 0.0), mass=1.0, inertia=inertia)
    con.fix(world, drum, "x", "y")
    angle = con.coordinate_marker(world, drum, "rotation")
    motor = world.add(con.CoordinateLoad, marker=angle, value=3.0)
    world.add(con.CoordinateSpringDamper, marker1=angle, stiffness=40.0, damping=0.5)
    return wl.Dynamic(world, step=step, end=end), drum, motor


def test_the_fmu_is_valid(model: Path) -> None:
    from fmpy.validation import validate_fmu

    assert validate_fmu(str(model)) == []
    description = fmpy.read_model_description(str(model), validate=True)
    found = {variable.name: variable for variable in description.modelVariables}
    assert [v.causality for v in found.values()] == [*2 * ["input"], *3 * ["output"], *2 * ["parameter"]]
    assert (found["torque"].start, found["torque"].unit) == ("3", "N m")
    assert (found["inertia"].start, found["inertia"].min) == ("2.5", "0.1")
    assert description.coSimulation.canGetAndSetFMUstate
    # the value is a text or a number, depending on the version of FMPy
    assert float(description.defaultExperiment.stepSize) == 0.01


def test_the_fmu_equals_the_model(model: Path) -> None:
    """For the default and for another parameter value, the results of FMU and model with equal steps agree up to
    rounding errors.
    """
    for values, inertia in (({}, 2.5), ({"inertia": 4.0}, 4.0)):
        result = fmpy.simulate_fmu(str(model), stop_time=END, output_interval=2 * STEP, start_values=values)
        solver, drum, _ = make_drum(inertia=inertia)
        outputs = {"speed": "angular_velocity", "angle": "rotation", "acceleration": "angular_acceleration"}
        sensors = wl.Sensors(None, [wl.Sensor(drum, outputs[name], name=name) for name in outputs], every=2)
        solver.solve(hooks=[sensors])
        assert sensors["acceleration"][0] == pytest.approx(3.0 / inertia, rel=1e-12)
        for name in outputs:
            np.testing.assert_allclose(result[name], sensors[name], rtol=0, atol=1e-12)


def test_an_fmu_of_version_3_equals_the_model(folder: Path, model: Path) -> None:
    pytest.importorskip("pythonfmu3", reason=REASON)
    from fmpy.validation import validate_fmu

    third = folder / "third.fmu"
    assert cli.main(["fmu", str(folder / "drum.py"), "-output", str(third), "-inertia", "2.5", "-fmi", "3"]) == 0
    assert validate_fmu(str(third)) == []
    results = [fmpy.simulate_fmu(str(file), stop_time=END, output_interval=STEP) for file in (model, third)]
    np.testing.assert_allclose(results[1]["speed"], results[0]["speed"], rtol=0, atol=1e-15)
    description = fmpy.read_model_description(str(third))
    assert description.coSimulation.canHandleVariableCommunicationStepSize
    (speed,) = (variable.valueReference for variable in description.modelVariables if variable.name == "speed")
    fmu = fmpy.instantiate_fmu(fmpy.extract(str(third)), description, "CoSimulation")
    fmu.enterInitializationMode()
    fmu.exitInitializationMode()
    fmu.doStep(0.0, 0.037)
    state, found = fmu.getFMUState(), list[float]()
    for _ in range(2):
        fmu.doStep(0.037, 0.021)
        found += fmu.getFloat64([speed])
        fmu.setFMUState(state)
    fmu.terminate()
    fmu.freeInstance()
    assert abs(found[0] - found[1]) < 1e-9 and found[0] > 0.05
    # the compiled library of pythonfmu3 discards the start time, so the error is detected only in the first step
    messages: list[str] = []
    log = lambda *given: messages.append(given[-1].decode())  # noqa: E731
    fmu = fmpy.instantiate_fmu(fmpy.extract(str(third)), description, "CoSimulation", debug_logging=True, logger=log)
    LOGGERS.append(fmu)
    fmu.enterInitializationMode(startTime=1.0)
    fmu.exitInitializationMode()
    with pytest.raises(fmpy.fmi1.FMICallException):
        fmu.doStep(1.0, 0.01)
    assert "time of the step = 1.0 s: must be 0.0 s" in "".join(messages)
    fmu.terminate()
    fmu.freeInstance()


def test_communication_steps_vary_and_states_return(model: Path) -> None:
    with slave(model) as fmu:
        torque, speed = [fmu.numbers["torque"]], [fmu.numbers["speed"]]
        fmu.doStep(0.0, 0.037)
        state = fmu.getFMUstate()
        results = []
        for _ in range(2):
            fmu.setReal(torque, [-2.0])
            fmu.doStep(0.037, 0.021)
            fmu.doStep(0.058, 0.004)
            results.append(fmu.getReal(speed)[0])
            fmu.setFMUstate(state)
            assert fmu.getReal(torque) == [3.0]
        fmu.freeFMUstate(state)
        fmu.doStep(0.037, 0.025)
        unchanged = fmu.getReal(speed)[0]
    assert abs(results[0] - results[1]) < 1e-9
    # in the first two results, a torque of -2 instead of 3 N m has acted for 25 ms
    assert abs((unchanged - results[0]) / (5.0 * 0.025 / 2.5) - 1.0) < 0.02


def test_files_are_beside_the_script(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "data").mkdir()
    (folder / "data" / "torque.csv").write_text("2.0")
    text = MODEL.replace("world = ", 'table = wl.option("table", "none", "", "file")\nworld = ', 1)
    (folder / "reader.py").write_text(text.replace('"torque", 3.0', '"torque", float(open(table).read())'))
    monkeypatch.chdir(folder)
    words = ["-table", "data/torque.csv", "-files", "data/torque.csv", "-output", "reader.fmu"]
    assert cli.main(["fmu", "reader.py", *words]) == 0
    description = fmpy.read_model_description("reader.fmu")
    starts = {variable.name: variable.start for variable in description.modelVariables}
    assert (starts["torque"], starts["table"]) == ("2", "torque.csv")
    for text in ("", "-x"):
        messages = list[str]()
        with pytest.raises(fmpy.fmi1.FMICallException, match="SetString"):
            slave(Path("reader.fmu"), messages=messages, table=text).__enter__()
        assert f"parameter table = {text!r}: must not be empty, and must not begin with a dash" in messages[-1]


def test_outputs_follow_a_jump_of_an_input(model: Path) -> None:
    with slave(model) as fmu:
        torque, names = [fmu.numbers["torque"]], ("acceleration", "angle", "speed")
        fmu.doStep(0.0, 0.1)
        fmu.setReal(torque, [-6.0])
        acceleration, angle, speed = fmu.getReal([fmu.numbers[name] for name in names])
    assert abs(acceleration - (-6.0 - 40.0 * angle - 0.5 * speed) / 2.5) < 1e-9


def test_a_state_belongs_to_its_process(model: Path) -> None:
    """A change of a parameter starts another process."""

    def run(change: bool) -> float:
        with slave(model, initialise=False) as fmu:
            inertia, speed = [fmu.numbers["inertia"]], [fmu.numbers["speed"]]
            state = fmu.getFMUstate()
            if change:
                fmu.setReal(inertia, [8.0])
                fmu.getFMUstate()
                fmu.setFMUstate(state)
                assert fmu.getReal(inertia) == [2.5]
            fmu.exitInitializationMode()
            fmu.doStep(0.0, 0.1)
            return float(fmu.getReal(speed)[0])

    assert run(True) == run(False)
    with pytest.raises(fmpy.fmi1.FMICallException, match="SetFMUstate failed"), slave(model) as fmu:
        fmu.doStep(0.0, 0.1)
        state = fmu.getFMUstate()
        fmu.reset()
        fmu.setupExperiment(startTime=0.0)
        fmu.enterInitializationMode()
        fmu.exitInitializationMode()
        try:
            fmu.setFMUstate(state)
        finally:
            assert "state of the FMU: must have been stored after the last initialisation" in fmu.messages[-1]


def test_refused_requests_can_be_undone(model: Path) -> None:
    with slave(model) as fmu:
        torque, speed = [fmu.numbers["torque"]], [fmu.numbers["speed"]]
        fmu.doStep(0.0, 0.1)
        before = fmu.getReal(speed)
        for _ in range(2):
            fmu.setReal(torque, [float("nan")])
        with pytest.raises(fmpy.fmi1.FMICallException, match="discard"):
            fmu.doStep(0.1, 0.1)
        assert "input torque = nan" in fmu.messages[-1] and fmu.getReal(torque) == [3.0]
        fmu.setReal(torque, [3.0])
        with pytest.raises(fmpy.fmi1.FMICallException, match="discard"):
            fmu.doStep(0.5, 0.1)
        assert fmu.getReal(speed) == before
        fmu.doStep(0.1, 0.1)
        assert fmu.getReal(speed) != before


def test_a_wrong_start_value_can_be_corrected(model: Path) -> None:
    """After the correction of a wrong start value, the other inputs have their start values."""
    with slave(model, torque=float("nan"), load=-1.0) as fmu:
        torque, load, acceleration = ([fmu.numbers[name]] for name in ("torque", "load", "acceleration"))
        assert (fmu.getReal(torque), fmu.getReal(load)) == ([3.0], [-1.0])
        assert abs(fmu.getReal(acceleration)[0] - 2.0 / 2.5) < 1e-12
        with pytest.raises(fmpy.fmi1.FMICallException, match="discard"):
            fmu.doStep(0.0, 0.1)
        assert "input torque = nan: value = nan N m in FMUInterface: must be a finite number" in fmu.messages[-1]
        fmu.setReal(torque, [6.0])
        assert abs(fmu.getReal(acceleration)[0] - 5.0 / 2.5) < 1e-12
        fmu.doStep(0.0, 0.1)


def test_a_wrong_start_value_remains_wrong_with_another_parameter(model: Path) -> None:
    with slave(model, initialise=False, torque=float("nan")) as fmu:
        torque, inertia, acceleration = ([fmu.numbers[name]] for name in ("torque", "inertia", "acceleration"))
        fmu.getReal(acceleration)
        fmu.setReal(inertia, [4.0])
        fmu.exitInitializationMode()
        with pytest.raises(fmpy.fmi1.FMICallException, match="discard"):
            fmu.doStep(0.0, 0.1)
        fmu.setReal(torque, [3.0])
        fmu.doStep(0.0, 0.1)


@pytest.mark.parametrize("version", ["2", "3"])
def test_the_last_outputs_remain_after_the_end(folder: Path, model: Path, version: str) -> None:
    """After a call of terminate, outputs have their last values, requests for states cause errors, and the script does
    not start again.
    """
    before, messages, file = find_children(), list[str](), model
    if version == "3":
        pytest.importorskip("pythonfmu3", reason=REASON)
        file = folder / "ended.fmu"
        words = ["-output", str(file), "-inertia", "2.5", "-fmi", "3"]
        assert cli.main(["fmu", str(folder / "drum.py"), *words]) == 0
    description = fmpy.read_model_description(str(file))
    log = lambda *given: messages.append(given[-1].decode())  # noqa: E731
    fmu = fmpy.instantiate_fmu(fmpy.extract(str(file)), description, "CoSimulation", debug_logging=True, logger=log)
    LOGGERS.append(getattr(fmu, "callbacks", None))
    (speed,) = (variable.valueReference for variable in description.modelVariables if variable.name == "speed")
    fmu.enterInitializationMode()
    fmu.exitInitializationMode()
    fmu.doStep(0.0, 0.1)
    fmu.terminate()
    read, keep = (fmu.getFloat64, fmu.getFMUState) if version == "3" else (fmu.getReal, fmu.getFMUstate)
    solver, drum, _ = make_drum(end=0.1)
    assert abs(read([speed])[0] - solver.solve().of(drum, "v")[0, 2]) < 1e-12
    with pytest.raises(Exception, match=r"fatal"):
        keep()
    assert "the FMU has ended: after terminate only values can be read; reset starts the FMU again" in messages[-1]
    assert find_children() == before


def test_states_end_with_the_fmu(model: Path) -> None:
    with pytest.raises(fmpy.fmi1.FMICallException, match="SetFMUstate failed"), slave(model) as fmu:
        state = fmu.getFMUstate()
        fmu.terminate()
        try:
            fmu.setFMUstate(state)
        finally:
            assert "state of the FMU: is not valid after terminate; reset starts the FMU again" in fmu.messages[-1]


def test_errors_of_the_model_are_errors_of_the_fmu(model: Path) -> None:
    with pytest.raises(fmpy.fmi1.FMICallException), slave(model) as fmu:
        try:
            fmu.doStep(0.5, 0.1)
        finally:
            assert "must be 0.0 s, the time that the model has reached" in "".join(fmu.messages)
    messages = list[str]()
    with pytest.raises(fmpy.fmi1.FMICallException):
        log = lambda *given: messages.append(given[-1].decode())  # noqa: E731
        fmpy.simulate_fmu(str(model), stop_time=END, start_values={"inertia": 0.01}, debug_logging=True, logger=log)
    assert "-inertia = 0.01: expected a number >= 0.1 [kg m^2]" in "".join(messages)


def measure(file: Path, step: float) -> float:
    """Return the speed at the end with an FMU as the controller."""
    solver, drum, motor = make_drum()
    speed = wl.Sensor(drum, "angular_velocity")
    world = drum_world(solver)
    outputs: dict[str, Callable[[float], object]] = {"torque": lambda value: world.set(motor, value=value)}
    with con.FMUController(file, step=step, inputs={"speed": speed}, outputs=outputs) as controller:
        state = solver.solve(hooks=[controller])
    assert state.t == END
    return float(state.of(drum, "v")[0, 2])


def find_children() -> set[str]:
    """Return the numbers of the processes that this process has started."""
    found = (file.read_text() for file in Path("/proc/self/task").glob("*/children"))
    return {number for text in found for number in text.split()}


def drum_world(solver: wl.Dynamic) -> wl.World:
    return solver.assembly.world


def test_coupling_error_is_of_first_order(folder: Path) -> None:
    """As the communication step decreases, the results converge with order 1 to the results with the controller inside
    the model, by `GenericODE1` and `StateLoad`.
    """
    world = wl.World()
    drum = world.add(el.RigidBody2D, position=(0.0, 0.0), mass=1.0, inertia=2.5)
    con.fix(world, drum, "x", "y")
    angle = con.coordinate_marker(world, drum, "rotation")
    world.add(con.CoordinateSpringDamper, marker1=angle, stiffness=40.0, damping=0.5)
    missing = world.add(el.state_node(1))
    world.add(con.GenericODE1, node=missing, inputs=angle, constant=(WANTED,), rate_matrix=[[-1.0]])
    world.add(
        con.StateLoad,
        marker=angle,
        inputs=[angle, con.coordinate_marker(world, missing, "y0")],
        value=KP * WANTED,
        rate_gains=(-KP, KI),
        gains=(0.0, 0.0),
    )
    inside = float(wl.Dynamic(world, step=2.5e-3, end=END).solve().of(drum, "v")[0, 2])
    file = make_fmu(folder, "Controller", CONTROLLER)
    errors = [measure(file, step) - inside for step in (0.02, 0.01, 0.005)]
    for coarse, fine in pairwise(errors):
        assert 1.7 < coarse / fine < 2.3


def test_a_coupled_fmu_equals_the_controller_at_its_step(folder: Path, model: Path) -> None:
    """If the test couples the FMU of the model to the FMU of the controller, the results equal the results of the model
    that runs the controller.
    """
    file = make_fmu(folder, "Controller", CONTROLLER)
    with slave(model, torque=0.0) as plant, slave(file) as controller:
        for k in range(round(END / 0.02)):
            (speed,) = plant.getReal([plant.numbers["speed"]])
            controller.setReal([controller.numbers["speed"]], [speed])
            plant.setReal([plant.numbers["torque"]], controller.getReal([controller.numbers["torque"]]))
            plant.doStep(0.02 * k, 0.02)
            controller.doStep(0.02 * k, 0.02)
        (speed,) = plant.getReal([plant.numbers["speed"]])
    assert abs(speed - measure(file, 0.02)) < 1e-10


def test_reference_fmus_run_inside_a_model(folder: Path) -> None:
    ball, feedthrough = make_fmu(folder, "BouncingBall", BALL), make_fmu(folder, "Feedthrough", FEEDTHROUGH)
    solver, drum, _ = make_drum()
    heights, passed, angles, whole = list[float](), list[float](), list[float](), list[float]()

    def note(state: wl.State) -> None:
        angles.append(float(state.of(drum)[0, 2]))

    angle = wl.Sensor(drum, "rotation")
    with (
        con.FMUController(ball, step=0.02, inputs={}, outputs={"h": heights.append}) as falling,
        con.FMUController(
            feedthrough, step=STEP, inputs={"Float64_continuous_input": angle, "Int32_input": angle},
            outputs={"Float64_continuous_output": passed.append, "Int32_output": whole.append},
        ) as passing,
    ):  # fmt: skip
        solver.solve(hooks=[falling, passing, note])
    np.testing.assert_allclose(passed[1:], angles[:-1], rtol=0, atol=1e-15)
    assert whole == [round(value) for value in passed]
    alone = fmpy.simulate_fmu(str(ball), stop_time=END, output_interval=0.02, output=["h"])
    np.testing.assert_allclose(heights, alone["h"][: len(heights)], rtol=0, atol=1e-12)
    assert len(heights) == 20 and heights[0] == 1.0 and abs(heights[10] - (1.0 - 0.5 * 9.81 * 0.2**2)) < 5e-3


def test_a_killed_run_continues_with_its_controller(folder: Path) -> None:
    file = make_fmu(folder, "Controller", CONTROLLER)

    def run(restart: str | None, fail_at: int) -> float:
        solver, drum, motor = make_drum()

        def fail(state: wl.State) -> None:
            if state.step == fail_at:
                raise KeyboardInterrupt

        inputs = {"speed": wl.Sensor(drum, "angular_velocity")}
        outputs = {"torque": lambda value: drum_world(solver).set(motor, value=value)}
        with con.FMUController(file, step=0.02, inputs=inputs, outputs=outputs) as controller:
            kept = wl.Checkpoint(folder / "run.h5", every=5, restart=restart)
            return float(solver.solve(hooks=[controller, fail, kept]).of(drum, "v")[0, 2])

    whole = run(None, 0)
    with pytest.raises(KeyboardInterrupt):
        run(None, 18)
    assert run("auto", 0) == whole


def test_a_controller_begins_again(folder: Path) -> None:
    """Each solve begins with accelerations that follow from the first outputs of the controller, even if the model was
    changed between two solves.
    """
    file = make_fmu(folder, "Controller", CONTROLLER)
    solver, drum, motor = make_drum(end=0.05)
    world, speed = drum_world(solver), wl.Sensor(drum, "angular_velocity")
    outputs: dict[str, Callable[[float], object]] = {"torque": lambda value: world.set(motor, value=value)}
    ends = list[np.ndarray[Any, Any]]()
    with con.FMUController(file, step=1.0, inputs={"speed": speed}, outputs=outputs) as controller:
        for _ in range(2):
            world.set(motor, value=0.0)
            ends.append(solver.solve(hooks=[controller]).v)
            assert controller.values == {"torque": KP * WANTED}
            controller.close()
            assert controller.values == {}
    np.testing.assert_array_equal(ends[1], ends[0])
    # if a solve continues at a communication time, the controller reports changed forces even if its outputs do not
    # change
    file = make_fmu(folder, "Feedthrough", FEEDTHROUGH)
    passing: dict[str, Any] = {"inputs": {}, "outputs": {"Float64_continuous_output": lambda value: None}}
    with con.FMUController(file, step=0.05, **passing) as controller:
        state = solver.solve(hooks=[controller])
        controller.before_solve(state, 0.1, 5)
        controller.before_step(state)
        assert controller.changes_forces


def test_messages_after_the_end_of_another_controller(folder: Path) -> None:
    """FMPy passes messages of all FMUs to the logger of the last instance. This logger must remain in memory after its
    controller has ended.
    """
    file = make_fmu(folder, "Controller", CONTROLLER)
    first, second = (con.FMUController(file, step=0.05, inputs={}, outputs={}) for _ in range(2))
    for controller in (first, second):
        controller._slave.start(0.0)
    assert len(fmu_controller.LAST_LOGGER) == 1
    second.close()
    del second, controller
    gc.collect()
    with pytest.raises(wl.ModelError, match=r"(?s)fatal.*"):
        first._slave.advance(6.0, 0.1)
    first.close()


def test_a_model_with_a_controller_returns_to_a_state(folder: Path) -> None:
    file = make_fmu(folder, "Controller", CONTROLLER)
    solver, drum, motor = make_drum()
    inputs = {"speed": wl.Sensor(drum, "angular_velocity")}
    outputs = {"torque": lambda value: drum_world(solver).set(motor, value=value)}
    with con.FMUController(file, step=0.02, inputs=inputs, outputs=outputs) as controller:
        parts = Stepwise(solver, None, [controller])
        begin = parts.keep()
        parts.advance(0.0, 0.05)
        kept = parts.keep()
        results = list[float]()
        for _ in range(2):
            parts.advance(0.05, 0.1)
            results.append(float(parts.state.q[2]))
            parts.go_back(kept)
        parts.go_back(begin)
        parts.advance(0.0, 0.15)
    np.testing.assert_allclose([*results[1:], parts.state.q[2]], results[0], rtol=0, atol=1e-9)


def test_restarts_need_an_fmu_that_stores_its_state(folder: Path, model: Path) -> None:
    """The model as an FMU cannot write its state to a file, so a restart is refused."""
    solver, drum, _ = make_drum()
    inputs = {"torque": wl.Sensor(drum, "angular_velocity")}
    steps = list[int]()
    with con.FMUController(model, step=0.02, inputs=inputs, outputs={}) as controller:
        kept = wl.Checkpoint(folder / "none.h5")
        with pytest.raises(wl.ModelError, match=r"path of Checkpoint = none.h5: drum.fmu cannot store its state"):
            solver.solve(hooks=[controller, kept, lambda state: steps.append(state.step)])
        assert not steps
        parts = Stepwise(solver, None, [controller])
        parts.keep()
        parts.advance(0.0, 0.1)
        with pytest.raises(wl.ModelError, match=r"state of the FMU: drum.fmu cannot store its state"):
            parts.keep()


def test_an_instance_ends_after_an_error_that_can_be_undone(folder: Path, model: Path) -> None:
    """After errors that discard a step, an instance keeps only its last messages and can make further steps. At the
    end, the instance is terminated and freed.
    """
    drum = make_drum()[1]
    controller = con.FMUController(
        model, step=0.02, inputs={"torque": wl.Sensor(drum, "angular_velocity")}, outputs={}, parameters={"inertia": 3}
    )
    slave, calls = controller._slave, list[str]()
    slave.start(0.0)
    for name in ("terminate", "freeInstance"):
        call = getattr(slave._fmu, name)
        setattr(slave._fmu, name, lambda name=name, call=call: (calls.append(name), call()))
    for _ in range(10):
        with pytest.raises(wl.ModelError, match=r"discard(?s:.*)must be 0.0 s, the time that the model has reached"):
            slave.advance(0.5, 0.1)
    assert len(slave._messages) <= 3
    slave.advance(0.0, 0.1)
    controller.close()
    assert calls == ["terminate", "freeInstance"]


def test_the_process_ends_with_the_instance(model: Path) -> None:
    """The process ends if an instance is deleted before the end of the solve."""
    before = find_children()
    description = fmpy.read_model_description(str(model))
    fmu = fmpy.instantiate_fmu(fmpy.extract(str(model)), description, "CoSimulation")
    fmu.enterInitializationMode()
    fmu.exitInitializationMode()
    (number,) = find_children() - before
    fmu.fmi2FreeInstance(fmu.component)
    file = Path("/proc") / number / "stat"
    while file.exists() and file.read_text().rpartition(")")[2].split()[0] != "Z":
        time.sleep(0.05)


def test_parameters_of_a_controller_may_be_scalars_of_numpy(folder: Path, model: Path) -> None:
    file = make_fmu(folder, "Feedthrough", FEEDTHROUGH)
    given = {"Int32_input": np.int64(3), "Float64_continuous_input": np.float32(0.5)}
    outputs = {"Int32_output": print, "Float64_continuous_output": print}
    with con.FMUController(file, step=0.1, inputs={}, outputs=outputs, parameters=given) as controller:
        controller._slave.start(0.0)
        assert controller._slave.get(list(outputs), 0.0) == {"Int32_output": 3.0, "Float64_continuous_output": 0.5}
    for parameters in (None, {"damped": np.bool_(False)}):
        con.FMUController(model, step=0.1, inputs={}, outputs={}, parameters=parameters)


def test_errors_of_a_controller(folder: Path, model: Path) -> None:
    file = make_fmu(folder, "Controller", CONTROLLER)
    solver, drum, _ = make_drum(end=0.1)
    speed = wl.Sensor(drum, "angular_velocity")
    ready: dict[str, Any] = {"step": 0.05, "inputs": {"speed": speed}, "outputs": {"torque": print}}
    for wrong, message in (
        ({"inputs": {"sped": speed}}, "inputs of Controller.fmu = 'sped' in FMUController: did you mean speed?"),
        ({"outputs": {"speed": print}}, "outputs of Controller.fmu = 'speed' in FMUController: must be"),
        ({"parameters": {"gain": 1.0}}, "parameters of Controller.fmu = 'gain' in FMUController"),
        (
            {"parameters": {"speed": "fast"}},
            "parameters of Controller.fmu in FMUController: speed = 'fast': must be a finite number, for the type Real",
        ),
        (
            {"parameters": {"speed": np.float32("nan")}},
            "parameters of Controller.fmu in FMUController: speed = nan: must be a finite number, for the type Real",
        ),
    ):
        with pytest.raises(wl.ModelError, match=message):
            con.FMUController(file, **(ready | wrong))
    with pytest.raises(wl.ModelError, match="no such file"):
        con.FMUController(folder / "none.fmu", **ready)
    (folder / "text.fmu").write_text("text")
    with pytest.raises(wl.ModelError, match="must be an FMU"):
        con.FMUController(folder / "text.fmu", **ready)
    infinite = ready | {"outputs": {"ratio": print}}
    with (
        con.FMUController(file, **infinite) as controller,
        pytest.raises(
            wl.ModelError, match=r"Controller.fmu at t = 0.05 s: output ratio = inf: must be a finite number"
        ),
    ):
        solver.solve(hooks=[controller])
    wide = ready | {"inputs": {"speed": wl.Sensor(drum, "position")}}
    with (
        con.FMUController(file, **wide) as controller,
        pytest.raises(wl.ModelError, match=r"has \d numbers: must have"),
    ):
        solver.solve(hooks=[controller])
    start = wl.State(drum_world(solver))
    start.t = 6.0
    late = wl.Dynamic(drum_world(solver), step=0.05, end=6.2)
    with con.FMUController(file, **ready) as controller, pytest.raises(wl.ModelError, match="too late for this contr"):
        late.solve(start, hooks=[controller])
    with con.FMUController(file, **ready) as controller:
        solver.solve(hooks=[controller])
        with pytest.raises(wl.ModelError, match=r"must be from 0.05 s to 0.1 s, which the FMU has reached"):
            solver.solve(hooks=[controller])
        controller.close()
        solver.solve(hooks=[controller])
