"""The files of the recorder, read by VTK's readers, agree with directly evaluated output variables."""

from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from windlass.connectors import (
    ContactCircleCable2D,
    ContactFrictionCircleCable2D,
    CoordinateLoad,
    add_contact,
    coordinate_marker,
    fix,
)
from windlass.elements import Cable2D, RigidBody2D, cable_around, nodes_of, straight_cable
from windlass.framework.command_line import options
from windlass.framework.errors import OutputError
from windlass.framework.model.law import Law, law_of
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.output.recorder import Recorder
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.state import State
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.failure import NotConverged
from windlass.solvers.static import Static

from support.processes import run_python

RADII, OFFSET, SEGMENTS = (0.1, 0.06), 5e-4, 3
CABLE = {"mass_per_length": 0.8, "axial_stiffness": 8000.0, "bending_stiffness": 1e-3}
POINT_FIELDS = {
    "displacement": "m",
    "velocity": "m/s",
    "axial_force": "N",
    "bending_moment": "N m",
    "curvature": "1/m",
}
LINE_FIELDS = {
    "contact_normal_force_per_length": "N/m",
    "contact_tangential_force_per_length": "N/m",
    "gap": "m",
    "stick_slip": "1",
}


class Model(NamedTuple):
    world: World
    pulleys: list[Entity]
    belt: Entity
    rope: Entity
    contacts: Entity


class Frame(NamedTuple):
    points: np.ndarray
    lines: np.ndarray
    point_data: dict[str, np.ndarray]
    cell_data: dict[str, np.ndarray]


def create_model() -> Model:
    """Create a belt on two pulleys, and a rope without contact."""
    world = World()
    pulleys = [
        world.add(RigidBody2D, position=(x, 0.0), angle=angle, mass=5.0, inertia=0.02)
        for x, angle in ((0.0, 0.3), (0.4, -1.0))
    ]
    belt = cable_around(world, pulleys, 12, radius=RADII, radial_offset=OFFSET, **CABLE)
    rope = straight_cable(world, (0.0, 0.5), (0.4, 0.6), 2, **CABLE)
    contacts = add_contact(
        world,
        ContactFrictionCircleCable2D,
        pulleys,
        belt,
        segments=SEGMENTS,
        circle_radius=RADII,
        vertical_offset=-OFFSET,
        contact_stiffness_per_length=1e6,
        friction_stiffness_per_length=1e6,
        friction_coefficient=0.3,
    )
    world.finalize()
    return Model(world, pulleys, belt, rope, contacts)


def create_states(model: Model) -> list[State]:
    """Return three states in which all values differ. The history values are consistent with the gaps."""
    states = []
    for k, t in enumerate((0.0, 0.1 + 0.2, 2.45)):
        rng = np.random.default_rng(k)
        state = State(model.world)
        state.t, state.step = t, 10 * k
        state.q[:] = 1e-3 * rng.normal(size=state.q.shape)
        state.v[:] = rng.normal(size=state.v.shape)
        gap = eval_output(model.contacts, "gap", state)
        history = np.zeros((len(gap), 3, SEGMENTS))
        history[:, 0] = gap
        history[:, 1] = np.where(gap > 0.0, -2.0, rng.integers(-1, 2, gap.shape))
        state.data[:] = history.ravel()
        states.append(state)
    return states


def read_frame(grid: Any) -> Frame:
    from vtkmodules.util.numpy_support import vtk_to_numpy

    def fields(data: Any) -> dict[str, np.ndarray]:
        return {data.GetArrayName(i): vtk_to_numpy(data.GetArray(i)).copy() for i in range(data.GetNumberOfArrays())}

    lines = vtk_to_numpy(grid.GetCells().GetConnectivityArray()).reshape(-1, 2).copy()
    points = vtk_to_numpy(grid.GetPoints().GetData()).copy()
    return Frame(points, lines, fields(grid.GetPointData()), fields(grid.GetCellData()))


def read_series(path: Path) -> tuple[list[float], list[Frame]]:
    """Return times [s] and frames of a series, by VTK's own readers."""
    from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline
    from vtkmodules.vtkIOHDF import vtkHDFReader
    from vtkmodules.vtkIOXdmf2 import vtkXdmfReader
    from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader

    if path.suffix == ".pvd":
        entries = list(ElementTree.parse(path).getroot().iter("DataSet"))
        frames = []
        for entry in entries:
            reader = vtkXMLUnstructuredGridReader()
            reader.SetFileName(str(path.parent / entry.attrib["file"]))
            reader.Update()
            frames.append(read_frame(reader.GetOutput()))
        return [float(entry.attrib["timestep"]) for entry in entries], frames
    series: Any = vtkXdmfReader() if path.suffix == ".xdmf" else vtkHDFReader()
    series.SetFileName(str(path))
    series.UpdateInformation()
    times = list(series.GetOutputInformation(0).Get(vtkStreamingDemandDrivenPipeline.TIME_STEPS()))
    frames = []
    for time in times:
        series.UpdateTimeStep(time)
        output = series.GetOutputDataObject(0)
        frames.append(read_frame(output.GetBlock(0) if output.IsA("vtkMultiBlockDataSet") else output))
    return times, frames


def check_cables(frame: Frame, points: np.ndarray, cables: Entity, state: State, subdivisions: int) -> int:
    """Compare the points of a frame, from a given point on, with the outputs of cables. Return the number of compared
    points.
    """
    x = cables.length[:, None] * np.arange(subdivisions + 1) / subdivisions
    count = x.size
    position = eval_output(cables, "position", state, x=x).reshape(count, 3)
    assert_allclose(points[:count], position, rtol=0, atol=1e-14)
    for name in POINT_FIELDS:
        expected = eval_output(cables, name, state, x=x)
        values = frame.point_data[name][:count]
        assert_allclose(values, expected.reshape(values.shape), rtol=1e-12, atol=1e-10, err_msg=name)
    return count


@pytest.mark.parametrize("format_", ["vtu", "xdmf", "vtkhdf"])
def test_files_hold_the_outputs(format_: str, tmp_path: Path) -> None:
    model = create_model()
    states = create_states(model)
    with Recorder("belt", formats=(format_,), folder=tmp_path / "out", subdivisions=SEGMENTS) as out:
        for state in states:
            out.record(state)
    assert out.field_units == POINT_FIELDS | LINE_FIELDS | {"partition": "1"}
    assert [path.parent for path in out.paths] == [tmp_path / "out"]
    times, frames = read_series(out.paths[0])
    assert times == [state.t for state in states]
    cables = model.belt.table
    both = Entity(cables, np.arange(cables.count))
    lines = cables.count * SEGMENTS
    for frame, state in zip(frames, states, strict=True):
        moved = frame.points + (frame.point_data["displacement"] if format_ == "xdmf" else 0.0)
        count = check_cables(frame, moved, both, state, SEGMENTS)
        assert_array_equal(frame.lines, frames[0].lines)
        assert_array_equal(frame.cell_data["part"][:lines], np.repeat([0, 1], [12 * SEGMENTS, 2 * SEGMENTS]))
        # If the number of lines is equal to the number of segments, each line shows the values of one segment in
        # contact with the circle that it touches.
        shape = (2, 12 * SEGMENTS)
        force = eval_output(model.contacts, "force_per_length", state).reshape(*shape, 2).sum(axis=0)
        painted = {name: frame.cell_data[name][:lines] for name in LINE_FIELDS}
        for name, values in (("tangential", force[:, 0]), ("normal", force[:, 1])):
            field = painted[f"contact_{name}_force_per_length"]
            assert_allclose(field[: shape[1]], values, rtol=1e-11, atol=1e-9)
            assert_array_equal(field[shape[1] :], 0.0)
        gap = eval_output(model.contacts, "gap", state).reshape(shape)
        assert_allclose(painted["gap"][: shape[1]], gap.min(axis=0), rtol=1e-12)
        assert np.isnan(painted["gap"][shape[1] :]).all()
        stick_slip = eval_output(model.contacts, "state", state).reshape(shape)
        assert_array_equal(painted["stick_slip"][: shape[1]], stick_slip.max(axis=0))
        assert set(painted["stick_slip"]) == {-2.0, -1.0, 0.0, 1.0}
        check_circles(moved[count:], {name: a[count:] for name, a in frame.point_data.items()}, model, state)


def check_circles(points: np.ndarray, fields: dict[str, np.ndarray], model: Model, state: State) -> None:
    """Check that each pulley has one rim, and a centre as its last point, with a spoke along its own x axis."""
    for pulley, radius, part in zip(model.pulleys, RADII, np.split(np.arange(len(points)), 2), strict=True):
        rim, center = points[part[:-1]], points[part[-1]]
        position, angle = eval_output(pulley, "position", state), eval_output(pulley, "rotation", state)
        assert_allclose(center, position, atol=1e-14)
        assert_allclose(np.linalg.norm(rim - center, axis=1), radius, rtol=1e-12)
        assert_allclose(rim[0] - center, [radius * np.cos(angle), radius * np.sin(angle), 0.0], atol=1e-14)
        omega = eval_output(pulley, "angular_velocity", state)
        turning = np.cross([0.0, 0.0, omega], rim - center)
        assert_allclose(fields["velocity"][part[:-1]], eval_output(pulley, "velocity", state) + turning, atol=1e-12)
        assert np.isnan(fields["axial_force"][part]).all()


@pytest.mark.parametrize("subdivisions", [1, 2, 4, 7])
def test_forces_keep_their_sum_on_any_number_of_lines(subdivisions: int, tmp_path: Path) -> None:
    model = create_model()
    state = create_states(model)[1]
    with Recorder("belt", formats=("vtu",), folder=tmp_path, subdivisions=subdivisions) as out:
        out.record(state)
    _, frames = read_series(out.paths[0])
    line = model.belt.length[0] / subdivisions
    force = eval_output(model.contacts, "force_local", state).sum(axis=(0, 1))
    for name, total in zip(("tangential", "normal"), force, strict=True):
        field = frames[0].cell_data[f"contact_{name}_force_per_length"]
        assert_allclose(np.nansum(field) * line, total, rtol=1e-12)


def test_contact_without_friction_has_no_states(tmp_path: Path) -> None:
    world = World()
    body = world.add(RigidBody2D, position=(0.2, -0.05), mass=1.0, inertia=1.0)
    cables = straight_cable(world, (0.0, 0.0), (0.4, 0.0), 4, **CABLE)
    contacts = add_contact(
        world, ContactCircleCable2D, body, cables, segments=2, circle_radius=0.06, contact_stiffness=1e4
    )
    world.finalize()
    state = State(world)
    state.data[:] = eval_output(contacts, "gap", state).ravel()
    with Recorder("rope", formats="vtu", folder=tmp_path, subdivisions=2) as out:
        out.record(state)
    assert set(out.field_units) == set(POINT_FIELDS) | {"contact_normal_force_per_length", "gap", "partition"}
    _, (frame,) = read_series(out.paths[0])
    expected = eval_output(contacts, "gap", state).ravel()
    assert_allclose(frame.cell_data["gap"][: len(expected)], expected, rtol=1e-13)
    assert expected.min() == pytest.approx(-0.01)


class Pendulum(NamedTuple):
    world: World
    cables: Entity


def create_pendulum(load: Any = 0.0) -> Pendulum:
    """Create two cable elements that hang from a hinge at one end, with a force at the other end."""
    world = World(gravity=(0.0, -9.81))
    cables = straight_cable(world, (0.0, 0.0), (1.0, 0.0), 2, **CABLE)
    nodes = nodes_of(world, cables)
    fix(world, nodes[0], "x", "y")
    marker = coordinate_marker(world, nodes[2], "y")
    world.add(CoordinateLoad, marker=marker, **({"function": load} if callable(load) else {"value": load}))
    return Pendulum(world, cables)


def test_as_hook_it_records_start_every_nth_and_last_step(tmp_path: Path) -> None:
    model = create_pendulum()
    seen: dict[float, np.ndarray] = {}
    with Recorder(tmp_path / "pendulum", every=3, formats=("vtkhdf", "xdmf")) as out:
        for state in Dynamic(model.world, step=1e-3, end=0.01).march(hooks=[out]):
            seen[state.t] = eval_output(model.cables[1], "position", state, x=0.5)
    assert out.frames == 5
    assert [path.name for path in out.paths] == ["pendulum.vtkhdf", "pendulum.xdmf"]
    for path in out.paths:
        times, frames = read_series(path)
        assert_allclose(times, [0.0, 0.003, 0.006, 0.009, 0.01], rtol=1e-12, atol=0)
        for time, frame in list(zip(times, frames, strict=True))[1:]:
            shift = frame.point_data["displacement"] if path.suffix == ".xdmf" else 0.0
            assert_allclose((frame.points + shift)[-1], seen[time], atol=1e-14)


def test_the_last_good_state_of_a_failed_solve_is_recorded(tmp_path: Path) -> None:
    model = create_pendulum(lambda t: 1e200 if t > 0.0045 else 0.0)
    solver = Dynamic(model.world, step=1e-3, end=0.01, adaptive=False)
    with pytest.raises(NotConverged) as caught, Recorder(tmp_path / "failing", every=100) as out:
        solver.solve(hooks=[out])
    times, frames = read_series(out.paths[0])
    assert_allclose(times, [0.0, 0.004], rtol=1e-12)
    end = eval_output(model.cables[1], "position", caught.value.state, x=0.5)
    assert_allclose(frames[-1].points[-1], end, atol=1e-14)


def test_statics_are_ordered_by_steps(tmp_path: Path) -> None:
    model = create_pendulum(-1.0)
    fix(model.world, nodes_of(model.world, model.cables)[0], "x'", "y'")
    with Recorder(tmp_path / "sag", axis="step", formats=("vtu",)) as out:
        state = Static(model.world, load_steps=3).solve(hooks=[out])
    times, frames = read_series(out.paths[0])
    assert times == [0.0, 1.0, 2.0, 3.0]
    assert_allclose(frames[-1].points[-1], eval_output(model.cables[1], "position", state, x=0.5), atol=1e-14)
    with pytest.raises(OutputError, match="orders frames by steps"), Recorder(tmp_path / "sag") as wrong:
        Static(model.world, load_steps=3).solve(hooks=[wrong])


def test_wrong_arguments_and_places_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for arguments, message in (
        ({"formats": ("vtu", "vtk")}, "must be some of vtkhdf, vtu, xdmf"),
        ({"formats": ()}, "must be some of"),
        ({"every": 0}, "every = 0"),
        ({"subdivisions": 2.5}, "subdivisions = 2.5"),
        ({"axis": "load"}, "must be 'time' or 'step'"),
    ):
        with pytest.raises(OutputError, match=message):
            Recorder(tmp_path / "belt", **arguments)
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="cannot be written"):
        Recorder("belt", folder=tmp_path / "file" / "deeper")
    world = World()
    world.add(RigidBody2D, position=(0.0, 0.0), mass=1.0, inertia=1.0)
    world.finalize()
    with pytest.raises(OutputError, match="cannot be drawn"), Recorder(tmp_path / "empty") as out:
        out.record(State(world))
    # under -help, a recorder creates no folder
    monkeypatch.setattr(options, "help_requested", lambda: True)
    Recorder("belt", folder=tmp_path / "never").close()
    assert not (tmp_path / "never").exists()


def test_laws_that_draw_are_registered() -> None:
    def law(component: type) -> Law:
        found = law_of(component)
        assert found is not None
        return found

    assert law(Cable2D).draw is not None
    assert law(Cable2D).paint is None
    for contact in (ContactFrictionCircleCable2D, ContactCircleCable2D):
        assert law(contact).draw is not None
        assert law(contact).paint is not None


PARALLEL = """
import os
from windlass.elements import nodes_of, straight_cable
from windlass.connectors import fix
from windlass.framework.output.recorder import Recorder
from windlass.framework.output.sensors import Sensor, Sensors
from windlass.framework.model.world import World
from windlass.solvers.dynamic import Dynamic

folder = os.environ["FOLDER"]
world = World(gravity=(0.0, -9.81))
cables = straight_cable(
    world, (0.0, 0.0), (1.0, 0.0), 6, mass_per_length=0.8, axial_stiffness=8000.0, bending_stiffness=1e-3
)
fix(world, nodes_of(world, cables)[0], "x", "y")
tip = Sensors(folder + "/tip.csv", [Sensor(cables[5], "position", name="tip", where={"x": 1.0 / 6})], every=2)
with Recorder("rope", every=2, formats=("vtkhdf", "xdmf"), folder=folder) as out, tip:
    Dynamic(world, step=1e-3, end=5e-3).solve(hooks=[out, tip])
assert tip["tip"].shape == (4, 3)
"""


@pytest.mark.mpi
def test_two_processes_write_the_same_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "rope.py"
    script.write_text(PARALLEL)
    for processes, name in enumerate(("one", "two"), start=1):
        (tmp_path / name).mkdir()
        monkeypatch.setenv("FOLDER", str(tmp_path / name))
        run = run_python([script], processes)
        assert run.returncode == 0, run.stderr
    assert_allclose(
        np.loadtxt(tmp_path / "two" / "tip.csv", delimiter=",", skiprows=1),
        np.loadtxt(tmp_path / "one" / "tip.csv", delimiter=",", skiprows=1),
        rtol=1e-8,
        atol=1e-10,
    )
    for suffix in (".vtkhdf", ".xdmf"):
        (times, frames), (serial_times, serial) = (
            read_series(tmp_path / name / f"rope{suffix}") for name in ("two", "one")
        )
        assert times == serial_times
        for frame, expected in zip(frames, serial, strict=True):
            assert_allclose(frame.points, expected.points, atol=1e-9)
            assert_allclose(frame.point_data["axial_force"], expected.point_data["axial_force"], rtol=1e-6, atol=1e-6)
