"""Laws that would exert no force, or fail in the middle of a solve, are refused at their registration."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, ClassVar

import numpy as np
import pytest

from windlass.connectors import COORDINATE, POSITION, position_marker
from windlass.connectors.constraints.joint_kernels import joint_rows
from windlass.connectors.constraints.joints import register_joint
from windlass.connectors.markers.cable_shape import SHAPE
from windlass.connectors.markers.marker_laws import register_marker
from windlass.connectors.markers.pairs import Vector, bind_pair, coordinate_pair, pair_dofs, position_pair
from windlass.elements import Cable2D, FibreCable2D, MassPoint
from windlass.framework import (
    Component,
    FloatArray,
    LocalRows,
    MarkerFamily,
    ModelError,
    Output,
    System,
    World,
    column,
    derived,
    kernel,
    ref,
    register,
    register_family,
    register_pair,
)
from windlass.framework.kernels.signature import count_results
from windlass.framework.launch.launcher import child_environment
from windlass.framework.model.law import law_of
from windlass.solvers.static import Static


class Spring(Component):
    """Schema with all columns that a connector between two markers needs."""

    marker0 = ref(POSITION, "first end")
    marker1 = ref(POSITION, "second end")
    stiffness = column("N/m", "k")
    active = column("1", "acts only if true", dtype=bool, default=True)


class Keeper(Spring):
    """The schema of `Spring` with history values."""

    data = ref("GenericData", "1 history value", optional=True)


class Loose(Component):
    """A schema without markers."""

    stiffness = column("N/m", "k")


def build(rows: LocalRows) -> System:
    """Return a system without forces."""
    return System("Spring", rows.dofs)


def raises(message: str) -> AbstractContextManager[Any]:
    return pytest.raises(ModelError, match=f"^{message}$")


def test_unregistered_component() -> None:
    class Forgotten(Component):
        mass = column("kg", "mass")

    world = World()
    with raises(
        r"Forgotten is not registered, and its rows would have no effect: must be registered by register\(Forgotten, "
        r"...\) before rows are added"
    ):
        world.add(Forgotten, mass=1.0)
    assert not world.tables and not world.count


ANY: Any = None
WRONG_LAWS: list[tuple[Callable[[], None], str]] = [
    (
        lambda: register(Spring, "connector", build=build),
        r"dofs = None in the law of Spring, a connector: must be references, or a function \(world, table\), that give "
        "the coordinates of each row; without it they exert no force",
    ),
    (
        lambda: register(Spring, "connector", dofs="marker", build=build),
        "dofs = 'marker' in the law of Spring: must be names of references, marker0, marker1",
    ),
    (
        lambda: register(Loose, "connector", dofs=("stiffness",), build=build),
        r"dofs = \('stiffness',\) in the law of Loose: must be names of references, and there are none",
    ),
    (
        lambda: register(Spring, "connector", dofs=pair_dofs),
        r"build = None in the law of Spring, a connector: must be a function \(rows\) that gives a System; without it "
        "they exert no force",
    ),
    (
        lambda: register(Spring, "conector", dofs=pair_dofs, build=build),  # type: ignore[arg-type]
        "role = 'conector' in the law of Spring: must be one of node, body, element, marker, load, connector, "
        "constraint, data, passive",
    ),
    (
        lambda: register(int, "connector", dofs=pair_dofs, build=build),  # type: ignore[arg-type]
        "component = <class 'int'> in register: must be a class that is derived from Component",
    ),
    (
        lambda: register(Spring, "connector", dofs=lambda world: ANY, build=build),  # type: ignore[misc, arg-type]
        r"dofs of Spring takes 1 arguments, <lambda>\(world\): must be a function of 2, \(world, table\)",
    ),
    (
        lambda: register(Spring, "connector", dofs=pair_dofs, build=3),  # type: ignore[arg-type]
        r"build of Spring = 3: must be a function of 1, \(rows\)",
    ),
    (
        lambda: register(Loose, "connector", dofs=pair_dofs, build=build),
        "dofs of Loose reads marker0, marker1, but Loose has no marker0: must be declared in addition to stiffness",
    ),
    (
        lambda: register(Spring, "passive", outputs={"length": Output("m", "length", lambda rows: ANY)}),
        r"output length of Spring takes 1 arguments, <lambda>\(rows\): must be a function of 2, \(rows, fields\)",
    ),
    (
        lambda: register(Spring, "marker", dofs=pair_dofs, build=build, family=POSITION),
        "family = 'position marker' in the law of Spring, a marker: must be a marker family that Spring provides: "
        "it provides none",
    ),
    (
        lambda: register(Spring, "constraint", dofs=pair_dofs, build=build),
        "multipliers = 0 in the law of Spring, a constraint: must be > 0, the number of equations of each row",
    ),
    (
        lambda: register(Spring, "connector", dofs=pair_dofs, build=build, reads=lambda world: ANY),  # type: ignore[misc, arg-type]
        r"reads of Spring takes 1 arguments, <lambda>\(world\): must be a function of 2, \(world, table\)",
    ),
    (
        lambda: register(Spring, "node"),
        r"dof_names = \(\) in Spring, a node: must be the names of its coordinates",
    ),
    (
        lambda: register(Spring, "connector", bild=build),  # type: ignore[call-arg]
        "register: got an unexpected keyword argument 'bild': the allowed arguments are component, role, dofs, .*",
    ),
]


@pytest.mark.parametrize(("create", "message"), WRONG_LAWS)
def test_wrong_laws(create: Callable[[], None], message: str) -> None:
    with raises(message):
        create()
    assert law_of(Spring) is None and law_of(Loose) is None


class Node(Component):
    """A node with the columns that two coordinates need."""

    dof_names = ("x", "y")
    reference_columns: ClassVar[tuple[str, ...]] = ("position",)
    position = column("m", "place", shape=(2,))
    velocity = column("m/s", "initial velocity", shape=(3,), default=(0.0, 0.0, 0.0))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"dof_names": ("x",)}, "position of Node: 2 numbers, must be 1, one for each of dof_names"),
        (
            {"initial_columns": ("position", "velocity")},
            "velocity of Node: 3 numbers, must be 2, one for each of dof_names",
        ),
        (
            {"initial_columns": ("velocity",)},
            r"initial_columns = \('velocity',\) in Node: must be the columns of initial displacements and velocities, "
            "or none",
        ),
        ({"rotation_names": ("e0",)}, "Node has no coordinate 'e0': must be one of x, y"),
        ({"reference_columns": ("place",)}, "node Node reads place, but Node has no place: must be .*"),
        ({"history_column": "parts"}, "history_column of Node reads parts, data, but Node has no parts: must be .*"),
    ],
)
def test_wrong_nodes(monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any], message: str) -> None:
    for name, value in changes.items():
        monkeypatch.setattr(Node, name, value)
    with raises(message):
        register(Node, "node")


@kernel
def one(row: Any, u: float, ut: float, t: float) -> float:
    return float(row.stiffness * u)


@kernel
def two(row: Any, u: float, ut: float, t: float) -> tuple[float, float]:
    return row.stiffness, 0.0


@kernel
def short(row: Any, u: float, t: float) -> float:
    return float(row.stiffness * u)


@kernel
def three(row: Any, u: Vector, ut: Vector, t: float) -> Vector:
    return (row.stiffness * u[0], 0.0, 0.0) if u[0] > 0.0 else (0.0, 0.0, 0.0)


@kernel
def three_by_three(row: Any, u: Vector, ut: Vector, t: float, P: FloatArray, V: FloatArray) -> None:
    P[:, :] = 0.0


def test_kernels_of_pairs() -> None:
    """Each kernel of a pair is refused for a wrong number of arguments, and for a wrong number of results."""
    coordinate: Any = coordinate_pair
    position: Any = position_pair
    with raises(
        r"force of coordinate_pair takes 3 arguments, short\(row, u, t\): must be a function of 4, \(row, u, ut, t\)"
    ):
        coordinate(short, two)
    with raises("force of coordinate_pair gives 2 results: must give f"):
        coordinate(two, two)
    with raises(r"force_tangent of coordinate_pair gives 1 result: must give 2, \(df_du, df_dut\)"):
        coordinate(one, lambda row, u, ut, t: row.stiffness * u)
    with raises(r"force of position_pair takes 3 arguments, short\(row, u, t\): must be a function of 4, .*"):
        position(short, three_by_three)
    with raises(r"force of position_pair gives 1 result: must give 3, \(fx, fy, fz\)"):
        position(lambda row, u, ut, t: 2.0 * t, three_by_three)
    with raises(r"force of position_pair gives nothing: must give 3, \(fx, fy, fz\)"):
        position(lambda row, u, ut, t: None, three_by_three)
    with raises(r"force_tangent of position_pair takes 4 arguments, three\(.*\): must be a function of 6, .*"):
        position(three, three)
    with raises("force_tangent of position_pair = 'P': must be a function of 6, .*"):
        position(three, "P")


def test_kernels_of_joints_markers_and_families() -> None:
    """Kernels of joints, markers and families with wrong arguments are refused at registration."""
    words = r"equation of joint_rows takes 4 arguments, one\(row, u, ut, t\): must be a function of 8, .*"
    with raises(words):
        joint_rows(one)

    def equation(row: Any, k: int, m: Any, m0: int, m1: int, d: Any, g: Any, G: Any) -> Any:
        return 1.0, 2.0

    with raises("equation of joint_rows gives 2 results: must give C"):
        joint_rows(equation)
    with raises("drive of joint_rows takes 4 arguments, .*"):
        joint_rows(lambda row, k, m, m0, m1, d, g, G: 1.0 * d[k], drive=one)
    with raises(r"update of Spring takes 3 arguments, short\(.*\): must be a function of 4, \(rows, m, x, v\)"):
        register_marker(Spring, MarkerFamily("x"), short, pair_dofs, "node", "source")
    with raises("update of Spring gives 1 result: must give nothing"):
        register_marker(Spring, MarkerFamily("x"), lambda rows, m, x, v: 1.0 * x, pair_dofs, "node", "source")
    with raises(r"allocate of x takes 1 arguments, <lambda>\(ids\): must be a function of 3, \(world, ids, layout\)"):
        register_family(MarkerFamily("x"), lambda ids: None)  # type: ignore[misc, arg-type]
    assert law_of(Spring) is None


def test_results_are_counted_for_every_return() -> None:
    def mixed(x: float) -> Any:
        if x > 1.0:
            return x, 2.0 * x
        if x > 0.0:
            return 2.0 * x
        if x < -1.0:
            return np.sin(x)  # the type of the result of a call is not known
        return None

    assert count_results(mixed) == {0, 1, 2}
    assert count_results(three) == {3}


class Passing(Component):
    """A schema without ``active``."""

    marker0 = ref(POSITION, "first end")
    marker1 = ref(POSITION, "second end")


class Mixed(Component):
    """A schema whose markers are of two families."""

    marker0 = ref(POSITION, "first end")
    marker1 = ref(COORDINATE, "second end")
    active = column("1", "acts only if true", dtype=bool, default=True)


class Shaped(Component):
    """A schema whose markers are of a family that does not support pairs."""

    marker0 = ref(SHAPE, "first end")
    marker1 = ref(SHAPE, "second end")
    active = column("1", "acts only if true", dtype=bool, default=True)


def test_schemas_of_pairs() -> None:
    """Missing parts of a schema cause errors at registration. An unknown family causes an error as soon as a schema
    names this family.
    """
    with raises(
        "register_pair of Passing reads marker0, marker1, active, but Passing has no active: must be declared in "
        "addition to marker0, marker1"
    ):
        register_pair(Passing, three, three_by_three)
    with raises("marker1 of Mixed = coordinate marker: must be a position marker"):
        register_pair(Mixed, three, three_by_three)
    words = "must be a family with laws between two markers, POSITION or COORDINATE"
    with raises(f"marker0 of Shaped = cable shape marker: {words}"):
        register_pair(Shaped, three, three_by_three)
    with raises("start of Spring reads data, but Spring has no data: must be declared in addition to .*"):
        register_pair(Spring, three, three_by_three, start=(0.0,))
    with raises("update of Spring: must be given together with start, the initial history values of a row"):
        register_pair(Spring, three, three_by_three, update=three)
    with raises(r"update of Keeper takes 4 arguments, .*: must be a function of 5, \(row, u, ut, t, h\)"):
        register_pair(Keeper, three, three_by_three, start=(0.0,), update=three)
    with raises(r"update of Keeper gives 1 result: must give 4, \(error, step, changed, force\)"):
        register_pair(Keeper, three, three_by_three, start=(0.0,), update=lambda row, u, ut, t, h: 2.0 * t)
    for name in ("history", "k k"):
        taken = type("Keeper", (Keeper,), {name: derived("1", "a value")})
        with raises(f"derived field '{name}' of Keeper: must be a name other than marker0, marker1, data, .*"):
            register_pair(taken, three, three_by_three, start=(0.0,))
    words = "must be the Family object, such as POSITION, not its name"
    with raises(f"'position marker' as the target of a reference: {words}"):
        ref("position marker", "first end")
    with raises(f"'rigid marker' as a family that Named provides: {words}"):
        type("Named", (Component,), {"provides": ("rigid marker",)})
    assert law_of(Spring) is None and law_of(Mixed) is None


def test_a_column_that_bind_pair_needs() -> None:
    """If a law calls `bind_pair` itself, a missing column causes an error at the first evaluation."""

    def build_pair(rows: LocalRows) -> System:
        bind_pair(rows)
        return System("Passing", rows.dofs)

    register(Passing, "connector", dofs=pair_dofs, build=build_pair)
    world = World()
    ends = [position_marker(world, world.add(MassPoint, position=(x, 0.0), mass=1.0)) for x in (0.0, 1.0)]
    world.add(Passing, marker0=ends[0], marker1=ends[1])
    with raises("bind_pair of Passing reads marker0, marker1, active, but Passing has no active: must be .*"):
        Static(world).solve()


def test_a_family_registers_its_laws() -> None:
    """A new family has laws between two markers if it defines their registration."""
    late = MarkerFamily("late marker")

    class Early(Component):
        marker0 = ref(late, "first end")
        marker1 = ref(late, "second end")
        active = column("1", "acts only if true", dtype=bool, default=True)

    with raises("marker0 of Early = late marker: must be a family with laws between two markers, .*"):
        register_pair(Early, one, two)
    made: list[Any] = []
    register_family(late, lambda world, ids, layout: None, lambda *args, **more: made.append((args, more)))
    register_pair(Early, one, two, source="here")
    assert made == [((Early, one, two), {"source": "here"})]


@kernel
def misspelt(row: Any, u: Vector) -> float:
    return float(row.stifness * u[0])


@kernel
def calling(row: Any, u: Vector, ut: Vector, t: float) -> Vector:
    return misspelt(row, u), 0.0, 0.0


@kernel
def keeping(row: Any, u: Vector, ut: Vector, t: float, h: float) -> tuple[float, float, bool, float]:
    row.histroy = u[0]
    return 0.0, np.inf, False, 0.0


FIELDS = "must be one of marker0, marker1, stiffness, active"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({}, f"row.stifness in force of Spring: {FIELDS}"),
        ({"force": three, "stored": {"spring": misspelt}}, f"row.stifness in stored spring of Spring: {FIELDS}"),
        ({"force": three, "gap": misspelt}, f"row.stifness in gap of Spring: {FIELDS}"),
        (
            {"force": three, "outputs": {"x": Output("N", "x, ()", lambda row, u, ut, t: 1.0 * row.history[0])}},
            f"row.history in output x of Spring: {FIELDS}",
        ),
    ],
)
def test_words_of_kernels_are_fields_of_the_row(more: dict[str, Any], message: str) -> None:
    """A name that is not a field of the row is refused before compilation. Names in kernels that the kernel calls are
    checked as well.
    """
    with raises(message):
        register_pair(Spring, more.pop("force", calling), three_by_three, **more)
    assert law_of(Spring) is None


def test_words_of_joints_are_fields_of_the_row() -> None:
    """Kernels of joints can read the multipliers of the equation and of the drive, and further fields that the joint
    declares.
    """

    def equation(row: Any, k: int, m: Any, m0: int, m1: int, d: Any, g: Any, G: Any) -> float:
        return float(d[0] - row.rest)

    with raises(f"row.rest in equation of Spring: {FIELDS}"):
        register_joint(Spring, joint_rows(equation), multipliers=1, unit="m", equations="d - rest")
    assert law_of(Spring) is None


def test_words_of_updates_are_fields_of_the_row() -> None:
    """Kernels of updates may read only fields of the row, including history values. A misspelt field is refused."""
    with raises("row.histroy in update of Keeper: must be one of .*, history, start"):
        register_pair(Keeper, three, three_by_three, start=(0.0,), update=keeping)


def test_derived_fields_are_those_declared() -> None:
    """A law whose ``derive`` returns undeclared names causes an error at the first evaluation."""

    class Sprung(Spring):
        """A spring with a derived field."""

        half = derived("N/m", "half of the stiffness")

    def force(row: Any, u: Vector, ut: Vector, t: float) -> Vector:
        return row.half * u[0], 0.0, 0.0

    register_pair(Sprung, force, three_by_three, derive=lambda rows: {"halb": rows.local("stiffness")})
    world = World()
    ends = [position_marker(world, world.add(MassPoint, position=(x, 0.0), mass=1.0)) for x in (0.0, 1.0)]
    world.add(Sprung, marker0=ends[0], marker1=ends[1], stiffness=1.0)
    with raises("derive of Sprung returns halb: must be half, the derived values of the schema"):
        Static(world).solve()


def test_a_law_whose_family_was_not_loaded() -> None:
    """If a reference is not a marker of the required family, the error names this family, even if the module of the
    family was not loaded before.
    """
    text = (
        "import windlass as wl, windlass.connectors as con, windlass.elements as el\n"
        "world = wl.World()\n"
        "point = world.add(el.MassPoint, position=(0.0, 0.0), mass=1.0)\n"
        "world.add(con.CoordinateSpringDamper, marker1=point)\n"
    )
    found = subprocess.run([sys.executable, "-c", text], env=child_environment(True), capture_output=True, text=True)
    assert "marker1 in CoordinateSpringDamper row 0 = <MassPoint 0>: must be a coordinate marker" in found.stderr


def test_a_schema_removes_an_inherited_column() -> None:
    """A column that a subclass sets to None does not exist in the subclass, and remains in the base class."""
    assert "axial_force_function" in Cable2D.columns and "axial_force_function" not in FibreCable2D.columns
