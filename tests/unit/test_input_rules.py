"""Tests of rules for all input: values of states by row, files of states, times of solves, user functions, and changes
of the model, which are applied completely or not at all.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import windlass as wl
from windlass import connectors as con
from windlass.elements import MassPoint, Point2D, cable_around, generic_node, nodes_of, state_node, straight_cable
from windlass.framework.assembly.alike import find_difference
from windlass.framework.checks import room
from windlass.framework.checks.user_functions import find_contradictions
from windlass.framework.errors import ModelWarning
from windlass.framework.files.state_file import write_state_file

CABLE = {"axial_stiffness": 1e4, "bending_stiffness": 1.0, "mass_per_length": 0.5}


def rope(**columns: Any) -> tuple[wl.World, Any]:
    """Create a rope of two cables, clamped at one end."""
    world = wl.World()
    cables = straight_cable(world, (0, 0), (1, 0), 2, **{**CABLE, **columns})
    con.clamp(world, nodes_of(world, cables)[0])
    return world, cables


def test_values_of_a_state_by_row() -> None:
    """History values and multipliers of a row are read and written in the entries of this row."""
    world = wl.World()
    points = [world.add(MassPoint, position=(float(k), 0.0), mass=1.0) for k in range(3)]
    markers = [con.coordinate_marker(world, point, "y") for point in points]
    stops = [world.add(con.ContactCoordinate, marker1=m, contact_stiffness=1e3) for m in markers]
    hold = con.fix(world, points, "x")
    state = wl.State(world)
    before = [state.of(stop, "data").copy() for stop in stops]
    state.put(stops[1], 7.0, "data")
    state.put(hold[2], -3.0, "lam")
    assert state.of(stops[1], "data").tolist() == [[7.0]] and np.count_nonzero(state.data == 7.0) == 1
    assert all(np.array_equal(state.of(stops[k], "data"), before[k]) for k in (0, 2))
    assert state.of(hold, "lam").tolist() == [[0.0], [0.0], [-3.0]]
    assert not state.q.any() and state.of(points[0], "q").shape == (1, 2)
    for entity, name, words in (
        (points[0], "lam", "has no multipliers"),
        (points[0], "data", "has no history values"),
        (stops[0], "x", "name = 'x' in State.of: must be one of q, v, a"),
    ):
        with pytest.raises(wl.ModelError, match=words):
            state.of(entity, name)
    for values in (np.zeros(3), "soft", [np.nan, 0.0], None):
        with pytest.raises(wl.ModelError, match=r"values = .* in State.put: must be"):
            state.put(points[0], values)


def test_file_of_another_model(tmp_path: Path) -> None:
    world, _ = rope()
    path = wl.State(world).save(tmp_path / "state.npz")
    longer = wl.World()
    con.clamp(longer, nodes_of(longer, straight_cable(longer, (0, 0), (1.5, 0), 2, **CABLE))[0])
    with pytest.raises(wl.ModelError, match="belongs to another model"):
        wl.State(longer).load(path)
    other = wl.World()
    straight_cable(other, (0, 0), (1, 0), 2, **CABLE)
    with pytest.raises(wl.ModelError, match=r"rows of CoordinateConstraint: 4 in the file, 0 here|another model"):
        wl.State(other).load(path)
    stored = dict(np.load(path))
    stored["v"][3] = np.nan
    write_state_file(path, stored)
    with pytest.raises(wl.OutputError, match=r"v\[3\] = nan; must be finite numbers"):
        wl.State(world).load(path)


@pytest.mark.parametrize("solver", [wl.Dynamic, wl.Explicit])
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"step": 1e300}, "step = 1e\\+300 s"),
        ({"step": "fast"}, "step = 'fast' s in .*: must be a number > 0"),
        ({"end": None}, "end = None s in .*: must be a number > 0"),
        ({"end": np.nan}, "end = nan s"),
        ({"rtol": 1.0}, "rtol = 1.0 in .*: must be >= 0 and < 1"),
    ],
)
def test_times_and_tolerances(solver: Any, arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(wl.ModelError, match=words):
        solver(rope()[0], **{"step": 1e-3, "end": 1.0, **arguments})


@pytest.mark.parametrize(
    "arguments", [{"cut": 1.0}, {"cut": 1.5}, {"growth": 0.5}, {"smallest": 0.0}, {"easy_steps": 0}]
)
def test_step_control(arguments: dict[str, Any]) -> None:
    (name,) = arguments
    with pytest.raises(wl.ModelError, match=f"{name} = .* in StepControl: must be"):
        wl.StepControl(**arguments)


def test_smallest_steps() -> None:
    with pytest.raises(wl.ModelError, match=r"smallest = 1.0 s in StepControl: must be <= the step, 0.001 s"):
        wl.Dynamic(rope()[0], step=1e-3, end=1.0, control=wl.StepControl(smallest=1.0))
    for smallest, words in ((0.0, "> 0"), (1.0, "<= the step")):
        with pytest.raises(wl.ModelError, match=f"smallest_step = {smallest} s in Explicit: must be {words}"):
            wl.Explicit(rope()[0], step=1e-3, end=1.0, smallest_step=smallest)


@pytest.mark.parametrize(
    "arguments", [{"max_it": 0}, {"atol": -1.0}, {"rtol": "no"}, {"limit": None}, {"fail": "maybe"}]
)
def test_passes(arguments: dict[str, Any]) -> None:
    (name,) = arguments
    with pytest.raises(wl.ModelError, match=f"{name} = .* in Passes: must be"):
        wl.Passes(**arguments)


def test_iterations() -> None:
    with pytest.raises(wl.ModelError, match="max_it = -5 in Dynamic: must be"):
        wl.Dynamic(rope()[0], step=1e-3, end=1.0, max_it=-5)


def test_start_after_the_end_and_endless_runs() -> None:
    world, _ = rope()
    state = wl.State(world)
    state.t = 2.0
    with pytest.raises(wl.ModelError, match=r"end = 1.0 s in Dynamic: must be >= 2 s, the time of the state"):
        wl.Dynamic(world, step=1e-3, end=1.0).solve(state)
    with pytest.raises(wl.ModelError, match=r"the end at 1.0 s is 1e\+15 steps away"):
        wl.Dynamic(world, step=1e-15, end=1.0).solve()
    state.q[0] = np.inf
    with pytest.raises(wl.ModelError, match=r"q\[0\] = inf of the state that Static starts from"):
        wl.Static(world).solve(state)
    with pytest.raises(wl.ModelError, match=r"hooks = .* in Dynamic.solve: must be a list of hooks, each a StepHook"):
        wl.Dynamic(world, step=1e-3, end=1.0).solve(hooks=[wl.StepHook])  # type: ignore[list-item]


@pytest.mark.parametrize(
    "given",
    [None, "stiff", (1.0,), np.ones((1, 1, 1)), np.full((2, 3), np.nan), True, 1j],
    ids=lambda given: str(given),
)
def test_law_that_gives_nonsense(given: Any) -> None:
    world, _ = rope(axial_force_function=lambda *_: given)
    words = r"axial_force_function of Cable2D gave .* in row [01] \(.*lambda.*\) at t = 0 s: must be"
    with pytest.raises(wl.ModelError, match=words):
        wl.assemble_vector(world, wl.State(world))


@pytest.mark.parametrize(
    "given", [None, 1.0, (1.0,), (1.0, 0.0, 0.0), (1.0, 0.0, 0.0, np.nan), ((1.0,), 0.0, 0.0, 0.0)]
)
def test_derivatives_that_are_nonsense(given: Any) -> None:
    world, _ = rope(axial_force_function=lambda t, x, eps, *_: 1e4 * eps, axial_force_derivatives=lambda *_: given)
    with pytest.raises(wl.ModelError, match=r"axial_force_derivatives of Cable2D gave .* at t = 0 s: must be"):
        wl.assemble_matrix(world, wl.State(world))


def test_contradicting_derivatives() -> None:
    """Wrong derivatives of laws give a warning, because they change only the tangent. Wrong rates of prescribed values
    cause an error, because wrong rates change the motion.
    """
    world, _ = rope(
        axial_force_function=lambda t, x, eps, *_: 1e4 * eps, axial_force_derivatives=lambda *_: (2e4, 0, 0, 0)
    )
    with pytest.warns(
        ModelWarning, match="Cable2D row 0 gave 20000 for the derivative with respect to strain .* changes by 10000"
    ):
        wl.assemble_matrix(world, wl.State(world))
    world = wl.World()
    slider = world.add(MassPoint, position=(0.0, 0.0), mass=1.0)
    con.fix(world, slider, "y")
    con.prescribe(world, slider, "x", lambda t: t**2 + t, lambda t: 2 * t - 1.0)
    with pytest.raises(
        wl.ModelError, match=r"offset_rate_function of .* gave -1 at t = 0 s, but offset_function changes"
    ):
        wl.Dynamic(world, step=1e-3, end=0.01, method="trapezoidal_index2").solve()


def test_kinks_and_jumps_are_no_contradiction() -> None:
    x = np.array([0.0, 0.0, 1.0])
    for function, given, wrong in (
        (np.abs, [0.5, -1.0, 1.0], [False, False, False]),
        (np.sign, [0.0, 3.0, 0.0], [False, False, False]),
        (np.sin, [1.0, 2.0, 0.0], [False, True, True]),
    ):
        found, _ = find_contradictions(np.array(given), 1e-6, lambda dx, f=function: f(x + dx))
        assert found.tolist() == wrong


def test_helpers_add_all_or_nothing() -> None:
    world, cables = rope()
    before = (world.count, {table.kind: table.count for table in world.tables.values()})
    node = nodes_of(world, cables)[2]
    for call in (
        lambda: straight_cable(world, (0, 0), (1, 0), 3, **CABLE, axial_stifness=1.0),
        lambda: cable_around(world, [], 3, **CABLE),
        lambda: con.fix(world, node, "x", "rotation"),
        lambda: con.add_contact(world, con.ContactCircleCable2D, node, cables, segments=2, circle_radius=-1.0),
    ):
        with pytest.raises(wl.ModelError):
            call()
        assert (world.count, {t.kind: t.count for t in world.tables.values() if t.count}) == before
    # refused calls have not changed the world
    con.fix(world, node, "x")
    world.finalize()


def test_refused_rows_keep_the_functions_of_distributed_tables() -> None:
    """If this process has only a part of the rows, columns of functions still have one entry for each row of the table,
    also after an error in `World.add`.
    """
    world, mine = wl.World(), wl.Part(4, np.arange(1, 4))
    points = world.add(Point2D, part=mine, position=np.zeros((3, 2)))
    ends = {"marker0": con.coordinate_marker(world, None), "marker1": con.coordinate_marker(world, points[1], "x")}
    supports = world.add(con.CoordinateConstraint, part=mine, **ends)
    before = supports.table.local("offset_function")
    with pytest.raises(wl.ModelError, match="expected numbers of shape"):
        world.add(Point2D, part=mine, position=np.zeros((2, 2)))
    after = supports.table.local("offset_function")
    assert len(before) == 3 and np.array_equal(after, before)


def test_a_single_process_gives_all_rows() -> None:
    """On one process, a part that is not complete causes an error at the first use of the world."""
    world = wl.World()
    world.add(Point2D, part=wl.Part(4, np.arange(1, 4)), position=np.zeros((3, 2)))
    with pytest.raises(wl.ModelError, match=r"Point2D 0 \(Point2D row 0\): no process gives this row"):
        wl.State(world)


def test_changes_are_all_or_nothing() -> None:
    """A call of `World.set` with a correct value and a misspelt or wrong value changes nothing.

    A call with a handle of another world also changes nothing.
    """
    worlds = [rope()[0], rope()[0]]
    loads = []
    for world in worlds:
        point = world.add(MassPoint, position=(0.0, 1.0), mass=1.0)
        loads.append(world.add(con.CoordinateLoad, marker=con.coordinate_marker(world, point, "x"), value=1.0))
    version = worlds[0].version
    for changes, words in (
        ({"value": 5.0, "activ": True}, "activ"),
        ({"value": 5.0, "active": "maybe"}, "active = 'maybe'"),
        ({"active": False, "value": np.nan}, "value = nan N"),
    ):
        with pytest.raises(wl.ModelError, match=words):
            worlds[0].set(loads[0], **changes)
    with pytest.raises(wl.ModelError, match="belongs to another world"):
        worlds[0].set(loads[1], value=5.0)
    for load in loads:
        assert float(load.value) == 1.0 and bool(load.active)
    assert worlds[0].version == version


class Twin:
    """Communicator that simulates a second process with given rows."""

    def __init__(self, other: dict[str, Any]) -> None:
        self.other, self.calls = other, 0

    def allgather(self, _what: str, given: Any) -> list[Any]:
        """Return the value of this process and the given value of the other process."""
        self.calls += 1
        return [given, "another digest" if self.calls == 1 else self.other]


def test_first_difference_between_processes() -> None:
    own = {"rows of Cable2D": 3, "Cable2D.length": "a", "gravity": (0.0, 0.0, 0.0)}
    assert find_difference(own, Twin({**own, "Cable2D.length": "b"})) == "Cable2D.length"
    assert find_difference(own, Twin({"rows of Cable2D": 3})) == "Cable2D.length"


def test_values_that_are_assigned_to_a_state() -> None:
    """Assigned arrays of a state keep their shape, type and memory. The error for another shape names both shapes."""
    world, _ = rope()
    state = wl.State(world)
    q, n = state.q, len(state.q)
    for name, value, words in (
        ("q", np.zeros(1), rf"q of a State has shape \(1,\): must be numbers of shape \({n},\)"),
        ("v", 0.0, rf"v of a State has shape \(\): must be numbers of shape \({n},\)"),
        ("a", ["x"] * n, "a of a State = .*: must be numbers of shape"),
        ("lam", np.zeros(len(state.lam) + 1), "lam of a State has shape"),
        ("data", np.zeros(len(state.data) + 1), "data of a State has shape"),
        ("q", np.where(np.arange(n) == 2, np.nan, 0.0), r"q\[2\] = nan of a State: must be finite"),
        ("t", np.nan, "t = nan s of a State: must be a finite number"),
        ("t", np.zeros(2), "t = .* s of a State: must be a finite number"),
        ("t", "now", "t = 'now' s of a State: must be a finite number"),
        ("step", 0.5, "step = 0.5 of a State: must be a whole number"),
    ):
        with pytest.raises(wl.ModelError, match=words):
            setattr(state, name, value)
    state.q = list(range(n))
    assert state.q is q and q.dtype == np.float64 and q[2] == 2.0
    state.q += 1.0
    state.t = np.float32(0.5)
    assert state.q is q and q[2] == 3.0 and type(state.t) is float and type(state.step) is int


def create_mass() -> wl.World:
    """Create a world of one mass, which has fewer coordinates than `rope`."""
    world = wl.World()
    world.add(MassPoint, position=(0.0, 0.0), mass=1.0)
    return world


def test_states_know_their_world() -> None:
    """All functions that take a state raise an error for a state of another world, even if both worlds have equal
    content.
    """
    (world, cables), (other, _) = rope(), rope()
    state, foreign = wl.State(world), wl.State(other)
    sensors = wl.Sensors(None, [wl.Sensor(cables, "axial_force", where={"x": 0.0})])
    sensors.record(state)
    foreign.t = 1.0
    for use in (
        lambda: wl.Static(world).solve(foreign),
        lambda: wl.Dynamic(world, step=1e-3, end=2.0).solve(foreign),
        lambda: list(wl.Dynamic(world, step=1e-3, end=2.0).march(foreign)),
        lambda: wl.Explicit(world, step=1e-6, end=2.0).solve(foreign),
        lambda: wl.Modes(world).solve(foreign),
        lambda: wl.assemble_vector(world, foreign),
        lambda: wl.assemble_matrix(world, foreign),
        lambda: wl.assemble_mass(world, foreign),
        lambda: wl.eval_output(cables, "axial_force", foreign, x=0.0),
        lambda: sensors.record(foreign),
    ):
        with pytest.raises(wl.ModelError, match="belongs to another world"):
            use()
    # values are assigned
    foreign.q[:] = 1.0
    state.q = foreign.q
    assert (state.q == 1.0).all()
    state.assign(foreign)
    assert state.t == foreign.t == 1.0
    with pytest.raises(wl.ModelError, match=r"q of other in State.assign has shape .*: must have"):
        state.assign(wl.State(create_mass()))


def test_gravity_is_assigned_before_the_first_solve() -> None:
    world, _ = rope()
    world.gravity = (0.0, -1.0)
    assert world.gravity.tolist() == [0.0, -1.0, 0.0]
    for wrong in ((0.0, np.nan), (1.0,), "down", None):
        with pytest.raises(wl.ModelError, match=r"gravity = .* m/s\^2 in World: must be finite numbers of shape"):
            world.gravity = wrong
    world.finalize()
    with pytest.raises(
        wl.ModelError, match=r"gravity = \(0, 0, 0\) m/s\^2 in World: must be set before the first solve"
    ):
        world.gravity = (0, 0, 0)
    assert world.gravity.tolist() == [0.0, -1.0, 0.0]


def test_sizes_beyond_any_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers of rows, coordinates and steps that exceed any memory are refused before memory is requested."""
    world = wl.World()
    point = np.broadcast_to(np.zeros(3), (10**11, 3))
    monkeypatch.setattr(room, "memory", lambda: 64 * 2**30)
    for use, words in (
        (
            lambda: straight_cable(world, (0, 0), (1, 0), 10**10, **CABLE),
            "elements = 10000000000 .*: must be <= 2147483647",
        ),
        (
            lambda: straight_cable(world, (0, 0), (1, 0), 2 * 10**9, **CABLE),
            "elements = 2000000000 in cable: .* this machine has 64 GiB of mem",
        ),
        (lambda: generic_node(10**9), "coordinates = 1000000000 in generic_node: must be .* <= 100000, as laws couple"),
        (lambda: state_node(10**9), "states = 1000000000 in state_node: must be a whole number >= 1 and <= 100000"),
        (
            lambda: wl.Static(rope()[0], load_steps=10**9),
            "load_steps = 1000000000 in Static: .* <= 1000000, as each is",
        ),
        (lambda: world.add(MassPoint, position=point, mass=1.0), "rows of Point3D = 100000000000 .*: must be <= "),
    ):
        with pytest.raises(wl.ModelError, match=words):
            use()
    assert world.count == 0
