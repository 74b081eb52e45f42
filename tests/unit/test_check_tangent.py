"""`check_tangent` finds a wrong entry and names its law, row and coordinates."""

from __future__ import annotations

import os
from collections.abc import Callable
from math import cos, sin
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass import connectors as con
from windlass.connectors import COORDINATE, DistanceConstraint, position_marker
from windlass.connectors.markers.coordinate_family import FAMILY
from windlass.connectors.markers.coordinate_marker import coordinate_marker
from windlass.connectors.markers.pairs import bind_pair, coordinate_pair, pair_dofs
from windlass.elements import Cable2D, Ground, MassPoint, PointSlope2D, RigidBody3D
from windlass.framework.assembly.assembly import serial_assembly
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows, register
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.system import Evaluation, System, evaluate
from windlass.framework.state.column_derivatives import ChangedResidual, ColumnValue, differentiate
from windlass.framework.state.dual_derivatives import DUAL, ColumnDerivatives


class CubicSpring(Component):
    """Schema of a spring f = k u³ + d u_t. Columns contain the factors by which the tangents are wrong."""

    marker0 = ref(COORDINATE, "first coordinate")
    marker1 = ref(COORDINATE, "second coordinate")
    stiffness = column("N/m^3", "k")
    stiffness_error = column("1", "factor on the derivative with respect to u", default=1.0)
    damping_error = column("1", "factor on the derivative with respect to u_t", default=1.0)
    fault = column("N/m^3", "value of k at which the force has a kink; -1: k is noisy", default=0.0)
    active = column("1", "acts only if true", dtype=bool, default=True)


@kernel
def find_stiffness(row: Any) -> float:
    if row.fault > 0.0:
        return float(row.stiffness + 0.5 * abs(row.stiffness - row.fault))
    if row.fault < 0.0:
        return float(row.stiffness * (1.0 + 0.3 * sin(1e9 * row.stiffness)))
    return float(row.stiffness)


@kernel
def force(row: Any, u: float, ut: float, t: float) -> float:
    k = find_stiffness(row)
    return float(k * u**3 + 2.0 * ut)


@kernel
def force_tangent(row: Any, u: float, ut: float, t: float) -> tuple[float, float]:
    k = find_stiffness(row)
    return 3.0 * k * u**2 * row.stiffness_error, 2.0 * row.damping_error


residual, tangent = coordinate_pair(force, force_tangent)


def build(rows: LocalRows) -> System:
    pair, own = bind_pair(rows), rows.pack()

    def read(s: Evaluation) -> tuple[Any, ...]:
        return own, pair, s.markers[FAMILY], s.time, s.data, s.start_data

    system = System("CubicSpring", rows.dofs)
    system.residual = call(residual, lambda s: (*read(s), s.f))
    system.tangent = call(tangent, lambda s: (*read(s), s.dq, s.dv, s.slots, s.values))
    return system


register(CubicSpring, "connector", dofs=pair_dofs, build=build, source="this test")


def create(stiffness: float = 3.0, **errors: Any) -> wl.World:
    """Create two masses on two springs, a stiff cable and a 3D body. The tangent of the second spring can be wrong."""
    world = wl.World(gravity=(0.0, -9.81))
    masses = world.add(MassPoint, name="mass", position=[(1.0, 0.0), (2.0, 0.0)], mass=1.0)
    wall, ends = coordinate_marker(world, None, "x"), coordinate_marker(world, masses, "x")
    for start, end, wrong in ((wall, ends[0], {}), (ends[0], ends[1], errors)):
        world.add(CubicSpring, marker0=start, marker1=end, stiffness=stiffness, **wrong)
    points = position_marker(world, masses)
    world.add(DistanceConstraint, marker0=points[0], marker1=points[1], distance=1.0)
    nodes = world.add(PointSlope2D, position=[(0.0, 0.0), (1.0, 0.0)])
    world.add(
        Cable2D, node0=nodes[0], node1=nodes[1], length=1.0, mass_per_length=1.0, axial_stiffness=1e4,
        bending_stiffness=1.0, axial_damping=10.0,
    )  # fmt: skip
    inertia = ((1.0, 0.1, 0.0), (0.1, 2.0, 0.0), (0.0, 0.0, 1.5))
    world.add(RigidBody3D, position=(0.0, 0.0, 1.0), mass=2.0, inertia=inertia, angular_velocity=(1.0, 2.0, 3.0))
    return world


def test_right_tangents_pass() -> None:
    """Correct tangents of forces, masses, velocity terms and constraints pass the check. The check does not change the
    fields of other assemblies.
    """
    world = create()
    assembly = serial_assembly(world)
    state = wl.State(world)
    state.v[:] = 0.1
    assembly.load_fields(state)
    wl.testing.check_tangent(world)
    np.testing.assert_array_equal(assembly.fields.v[:-1], 0.1)


@pytest.mark.parametrize(
    ("errors", "name", "row"),
    [
        ({"stiffness_error": 1.01}, "displacement", "CubicSpring row 1"),
        ({"damping_error": 0.99}, "velocity", "CubicSpring row 1"),
        ({"stiffness": 0.1, "stiffness_error": 0.0}, "displacement", "CubicSpring row 1"),
    ],
)
def test_a_wrong_tangent_is_found_and_named(errors: dict[str, float], name: str, row: str) -> None:
    """Two faults are found and named: a tangent with an error of 1 % next to a cable that is a thousand times as stiff,
    and a missing tangent.
    """
    message = (
        f"^tangent of {row}: derivative of the force on mass [01], x by the {name} of mass [01], x = [-+.e0-9]+ "
        r"(at the given state|in random state \d): must be [-+.e0-9]+, the central difference; [1-4] entries are wrong$"
    )
    with pytest.raises(wl.ModelError, match=message):
        wl.testing.check_tangent(create(**errors))


def test_derivatives_with_respect_to_columns_pass() -> None:
    """The check changes neither the tables nor the fields of other assemblies."""
    world = create()
    before = {
        (component, name): np.array(table.collect(name))
        for component, table in world.tables.items()
        for name in component.columns
    }
    tangent = wl.assemble_matrix(world, wl.State(world)).getValuesCSR()[2]
    wl.testing.check_tangent(world, parameters=True, states=1)
    for (component, name), values in before.items():
        np.testing.assert_array_equal(world.tables[component].collect(name), values)
    np.testing.assert_array_equal(wl.assemble_matrix(world, wl.State(world)).getValuesCSR()[2], tangent)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (
            3.0,
            r"the residual has a kink at stiffness of CubicSpring row 1 = 3 N.* in random state [12]: forward and ",
        ),
        (
            -1.0,
            r"(the residual has a kink at|the central difference of the residual with respect to|"
            r"the residual has no derivative with respect to) stiffness of "
            r"CubicSpring row 1 = 3 N.* in random state [12]",
        ),
    ],
)
def test_a_column_without_derivative_is_found_and_named(fault: float, words: str) -> None:
    """The error names a stiffness at whose present value the force has a kink, or a stiffness with which the force
    oscillates so rapidly that differences are wrong.
    """
    with pytest.raises(wl.ModelError, match=f"^{words}"):
        wl.testing.check_tangent(create(fault=fault), parameters=True, displacement=0.5)


def test_exactness_of_derivatives_with_respect_to_columns() -> None:
    """Derivatives with respect to a column on which the force depends linearly are exact. Derivatives with respect to
    lengths and positions have errors below 1e-10.
    """
    world = create()
    assembly = serial_assembly(world)
    fields = assembly.load_fields(wl.State(world))
    fields.x[:-1] += 0.1 * np.random.default_rng(1).standard_normal(len(fields.x) - 1)
    residual = ChangedResidual(world, fields)

    def find(component: Any, name: str, row: int = 0) -> Any:
        value = ColumnValue(world.tables[component], component.columns[name], row, 0)
        return differentiate(lambda number: residual.eval_at(value, number), value.number, value.column)

    u = fields.x[0] - 1.0
    found = find(CubicSpring, "stiffness")
    np.testing.assert_allclose(found.values[0], u**3, rtol=1e-14)
    assert found.error < 1e-14
    # the derivative with respect to a position is the derivative with respect to the displacement, plus the changes of
    # the constraint and of the offset
    for component, name, size in (
        (Cable2D, "length", 1e-10),
        (PointSlope2D, "slope", 1e-10),
        (MassPoint, "mass", 1e-14),
    ):
        assert 0.0 <= find(component, name).error < size, name
    cable, row = world.tables[Cable2D], np.array([0])
    ends = []
    for length in (1.0 + 1e-4, 1.0 - 1e-4, 1.0 + 2e-4, 1.0 - 2e-4):
        ends.append(residual.eval_at(ColumnValue(cable, Cable2D.columns["length"], int(row[0]), 0), length))
    slope = (8.0 * (ends[0] - ends[1]) - (ends[2] - ends[3])) / 12e-4
    np.testing.assert_allclose(find(Cable2D, "length").values, slope, rtol=0, atol=1e-9 * np.abs(slope).max())


def test_assembled_derivatives() -> None:
    """Derivatives with respect to the mass and to the components of gravity and positions agree with closed forms."""
    world = create()
    state = wl.State(world)
    state.q[:2], state.v[:2] = (0.3, 0.1), (1.0, -2.0)
    tables = {component.__name__: table for component, table in world.tables.items()}
    first = [wl.Entity(tables[name], np.array([0])) for name in ("CubicSpring", "MassPoint", "PointSlope2D")]
    slope = wl.assemble_derivative(world, state, first[0], "stiffness")
    np.testing.assert_allclose(slope[:2], [0.3**3, 0.0], rtol=1e-12, atol=1e-14)
    weight = wl.assemble_derivative(world, state, first[1], "mass")
    np.testing.assert_allclose(weight[:2], [0.0, 9.81], rtol=1e-13, atol=1e-13)
    assert np.abs(weight[2:]).max() < 1e-10
    assert wl.assemble_derivative(world, state, first[2], "position").shape == (len(state.q), 2)
    for name, words in (
        ("active", "must be a column of real numbers of CubicSpring: stiffness,"),
        ("k", "must be a"),
    ):
        with pytest.raises(wl.ModelError, match=f"column = '{name}' in assemble_derivative: {words}"):
            wl.assemble_derivative(world, state, first[0], name)
    with pytest.raises(wl.ModelError, match="has 2 rows; must have one row"):
        wl.assemble_derivative(world, state, wl.Entity(tables["CubicSpring"], np.arange(2)), "stiffness")
    other = create()
    with pytest.raises(wl.ModelError, match="in assemble_derivative: belongs to another world"):
        wl.assemble_derivative(world, state, wl.Entity(other.tables[CubicSpring], np.array([0])), "stiffness")
    slack = wl.World()
    ends = [con.position_marker(slack, node) for node in slack.add(PointSlope2D, position=[(0.0, 0.0), (1.0, 0.0)])]
    rope = slack.add(
        con.SpringDamper, marker0=ends[0], marker1=ends[1], stiffness=100.0, rest_length=1.0, tension_only=True
    )
    with pytest.raises(wl.ModelError, match=r"kink at rest_length of SpringDamper row 0 = 1 m in the given state"):
        wl.assemble_derivative(slack, wl.State(slack), rope, "rest_length")


@pytest.mark.skipif(os.environ.get("WINDLASS_JIT") == "0", reason="dual numbers require compiled kernels")
def test_dual_numbers_differentiate_forces_that_oscillate_rapidly() -> None:
    """The force of a spring is k (1 + 0.3 sin(1e9 k)) u³. Its derivative with respect to k agrees with the closed form,
    although differences do not converge.
    """
    world = create(fault=-1.0)
    fields = serial_assembly(world).load_fields(wl.State(world))
    fields.x[0] += 0.5
    residual, k, u = ChangedResidual(world, fields), 3.0, fields.x[0] - 1.0
    value = ColumnValue(world.tables[CubicSpring], CubicSpring.columns["stiffness"], 1, 0)
    found = ColumnDerivatives(residual).differentiate(value)
    assert found.method == DUAL and found.error < 1e-14
    factor = 1.0 + 0.3 * sin(1e9 * k) + 0.3e9 * k * cos(1e9 * k)
    np.testing.assert_allclose(np.abs(found.values).max(), abs(factor * u**3), rtol=1e-13)
    differences = differentiate(lambda number: residual.eval_at(value, number), k, value.column)
    assert np.abs(differences.values).max() < 1e-6 * np.abs(found.values).max()


def test_columns_that_affect_calls_are_differentiated_beside_their_value() -> None:
    """Rows with equal accelerations share their kernel calls. A change of one acceleration changes these calls, but not
    the residual, so the kernels are called with an acceleration that differs by a rounding error.
    """
    world = wl.World()
    bodies = world.add(MassPoint, position=[(0.0, 0.0), (1.0, 0.0)], mass=[2.0, 3.0])
    world.add(con.MassProportional, body=list(bodies), acceleration=(0.0, -9.0, 0.0))
    residual = ChangedResidual(world, serial_assembly(world).load_fields(wl.State(world)))
    value = ColumnValue(world.tables[con.MassProportional], con.MassProportional.columns["acceleration"], 0, 1)
    found = ColumnDerivatives(residual).differentiate(value)
    assert found.method == DUAL
    np.testing.assert_allclose(found.values, [0.0, -2.0, 0.0, 0.0], rtol=1e-13, atol=1e-13)


def test_changes_of_derivatives_are_known_to_other_assemblies() -> None:
    """The tangent is evaluated again after the computation of a derivative has changed a number, and after the user has
    changed a number.
    """
    world = wl.World()
    mass = world.add(MassPoint, position=(1.0, 0.0), mass=1.0)
    spring = world.add(con.CoordinateSpringDamper, marker1=coordinate_marker(world, mass, "x"), stiffness=3.0)
    assembly = serial_assembly(world)
    fields = assembly.load_fields(wl.State(world))
    assembly.refresh()
    world.set(spring, stiffness=4.0)
    ChangedResidual(world, fields).eval_at(
        ColumnValue(spring.table, spring.table.component.columns["stiffness"], 0, 0), 5.0
    )
    assembly.refresh()
    assert assembly.tangent_version == world.version


def test_offsets_of_springs_between_coordinates_do_not_affect_the_tangent() -> None:
    """A change of an offset does not require a new tangent, which does not change, unless a force is a function of the
    user.
    """
    world = wl.World()
    mass = world.add(MassPoint, position=(1.0, 0.0), mass=1.0)
    marker = coordinate_marker(world, mass, "x")
    spring = world.add(con.CoordinateSpringDamper, marker1=marker, stiffness=3.0)
    state = wl.State(world)
    assembly, before = serial_assembly(world), wl.assemble_matrix(world, state, dq=1.0, dv=0.0)[:, :]
    for name, is_steady in (("offset", True), ("stiffness", False)):
        version = assembly.tangent_version
        world.set(spring, **{name: 0.5})
        after = wl.assemble_matrix(world, state, dq=1.0, dv=0.0)[:, :]
        assert (assembly.tangent_version == version) == is_steady == np.array_equal(after, before)
    other = wl.World()
    mass = other.add(MassPoint, position=(1.0, 0.0), mass=1.0)
    spring = other.add(
        con.CoordinateSpringDamper,
        marker1=coordinate_marker(other, mass, "x"),
        stiffness=3.0,
        force_function=lambda t, row, u, ut, k, d, offset: k * (u - offset) ** 3,
    )
    assembly = serial_assembly(other)
    other.set(spring, offset=0.5)
    assembly.refresh()
    assert assembly.tangent_version == other.version


def test_a_wrong_constraint_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    world = create()
    constraint: Any = serial_assembly(world).layout.systems[DistanceConstraint].constraint
    right: Callable[..., None] = constraint.tangent
    monkeypatch.setattr(constraint, "tangent", lambda s: right(evaluate(s, dq=0.5 * s.dq)))
    with pytest.raises(
        wl.ModelError, match=r"^tangent of DistanceConstraint row 0: derivative of the (force|equation)"
    ):
        wl.testing.check_tangent(world)


def test_factors_that_do_not_add_up_are_found() -> None:
    """An additional term with the product of the factors dq and dv is found, although the term is 0 if one of these
    factors is 0.
    """
    world = create()
    system = serial_assembly(world).layout.systems[CubicSpring]
    right: Callable[..., None] = system.tangent

    def add_product(s: Evaluation) -> None:
        right(s)
        s.values[s.slots.ravel()[-1]] += s.dq * s.dv

    system.tangent = add_product
    serial_assembly(world).order_systems()
    with pytest.raises(wl.ModelError, match=r"^tangent with the factors .* derivatives, of which each alone is right"):
        wl.testing.check_tangent(world)


def test_forces_that_are_not_finite() -> None:
    with pytest.raises(
        wl.ModelError, match=r"^forces are not finite at the given state: must be finite; use a smaller disp"
    ):
        wl.testing.check_tangent(_infinite(), states=0)


def _infinite() -> wl.World:
    world = create()
    system = serial_assembly(world).layout.systems[CubicSpring]

    def add_nothing_finite(s: Evaluation) -> None:
        s.f[0] = np.nan

    system.residual = add_nothing_finite
    serial_assembly(world).order_systems()
    return world


def test_derivatives_with_respect_to_columns_of_members_of_a_set() -> None:
    """The forces of `HuntCrossley` depend on the materials of the surfaces in its contact set, although the row does
    not refer to these surfaces. For a sphere on a half space, the forces are proportional to the modulus of both
    materials.
    """
    world, modulus = wl.World(), 2e5
    columns = {
        "contact_set": world.add(con.ContactSet),
        "material": world.add(con.ContactMaterial, plane_strain_modulus=modulus),
    }
    ball = world.add(MassPoint, position=(0.0, 0.09, 0.0), mass=1.0)
    world.add(con.ContactSphere, marker=ball, radius=0.1, **columns)
    ground = world.add(Ground)
    world.add(con.ContactHalfSpace, marker=ground, rotation=con.facing((0.0, 1.0, 0.0)), **columns)
    world.add(con.HuntCrossley, contact_set=columns["contact_set"], transition_velocity=0.1)
    state = wl.State(world)
    force = wl.assemble_vector(world, state).array
    slope = wl.assemble_derivative(world, state, columns["material"], "plane_strain_modulus")
    assert abs(force[1]) > 10.0
    assert_allclose(slope.ravel() * modulus, force, rtol=1e-9, atol=1e-9 * abs(force[1]))
