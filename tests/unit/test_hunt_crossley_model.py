"""Tests of Hunt-Crossley models: allowed values, flags of states, contact sets, and conversions of material
parameters.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from windlass.connectors import (
    ContactEllipsoid,
    ContactHalfSpace,
    ContactMaterial,
    ContactSet,
    ContactSphere,
    HuntCrossley,
    disable,
    dissipation_from_restitution,
    enable,
    eval_body_forces,
    eval_contacts,
    facing,
    is_enabled,
    plane_strain_modulus,
    restitution_from_dissipation,
)
from windlass.elements import Ground, MassPoint
from windlass.elements.nodes.nodes3d import Point3D
from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.assembly import serial_assembly
from windlass.framework.errors import ModelError
from windlass.framework.model.history import GenericData
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.state import State

from support.hunt_crossley import read_reference


class Scene:
    """A sphere with the radius 1 m at the height 0.9 m on the plane y = 0. The tests add force elements."""

    def __init__(self, moving: bool = True) -> None:
        self.world = World()
        self.material = self.world.add(
            ContactMaterial,
            plane_strain_modulus=1e6,
            dissipation=0.1,
            static_friction=0.8,
            dynamic_friction=0.5,
            viscous_friction=0.1,
        )
        self.set = self.world.add(ContactSet)
        velocity = (0.1, -0.3, 0.0) if moving else (0.0, 0.0, 0.0)
        self.point = self.world.add(Point3D, position=(0.0, 0.9, 0.0), velocity=velocity)
        self.world.add(MassPoint, node=self.point, mass=1.0)
        self.ground = self.world.add(Ground)
        self.columns: dict[str, Any] = {"contact_set": self.set, "material": self.material}
        self.sphere = self.world.add(ContactSphere, marker=self.point, radius=1.0, **self.columns)
        self.world.add(ContactHalfSpace, marker=self.ground, rotation=facing((0, 1, 0)), **self.columns)

    def force_of(self, state: State, *elements: Entity) -> FloatArray:
        """Return the force on the sphere [N]."""
        return sum((eval_body_forces(self.world, state, e, self.point)[0][0] for e in elements), np.zeros(3))


# flags


def event(name: str) -> Any:
    """Return the result of the reference for the step with a given name."""
    return next(e["result"] for e in read_reference("disabled")["events"] if e["step"] == name)


def test_enabling_and_disabling() -> None:
    scene = Scene()
    element = scene.world.add(HuntCrossley, contact_set=scene.set)
    state = State(scene.world)
    assert element.transition_velocity == event("default transition velocity")
    assert is_enabled(state, element) is not event("isDisabled(state) initially")
    assert_allclose(scene.force_of(state, element), event("force contribution, enabled"), rtol=1e-13)
    energy = event("pe contribution, enabled")
    assert_allclose(eval_output(element, "potential_energy", state), energy, rtol=1e-13)
    disable(state, element)
    disable(state, element)
    assert is_enabled(state, element) is not event("isDisabled after disable")
    found = eval_contacts(scene.world, state, element)
    assert len(found.depth) == event("contacts still reported while force disabled")
    assert not any(x.any() for x in (found.force, found.normal_force, found.energy, found.dissipated_power))
    assert scene.force_of(state, element).tolist() == event("force contribution, disabled")
    assert eval_output(element, "potential_energy", state) == event("system pe, disabled")
    assert serial_assembly(scene.world).energy() == 0.0
    enable(state, element)
    assert_allclose(scene.force_of(state, element), event("force contribution, re-enabled"), rtol=1e-13)
    assert_allclose(serial_assembly(scene.world).energy(), event("system pe, re-enabled"), rtol=1e-13)


def test_a_copy_keeps_its_own_flag(tmp_path: Any) -> None:
    scene = Scene()
    element = scene.world.add(HuntCrossley, contact_set=scene.set)
    state = State(scene.world)
    copy = state.copy()
    disable(copy, element)
    assert is_enabled(state, element) is not event("state copy disabled: original isDisabled")
    assert is_enabled(copy, element) is not event("state copy disabled: copy isDisabled")
    # the flag that disables an element is saved with the state
    restored = State(scene.world).load(copy.save(tmp_path / "state.npz"))
    assert not is_enabled(restored, element)


def test_disabled_by_default() -> None:
    """The column `enabled` contains the initial value for states. If a row is enabled in a state, the column does not
    change.
    """
    scene = Scene(moving=False)
    elements = scene.world.add(HuntCrossley, contact_set=scene.set, enabled=[False, True])
    state = State(scene.world)
    assert [is_enabled(state, e) for e in elements] == [False, True]
    assert scene.force_of(state, elements[0]).tolist() == event("system force, disabled by default")
    enable(state, elements)
    force = event("system force, disabled by default then enabled")
    assert_allclose(scene.force_of(state, elements[0]), force, rtol=1e-13, atol=1e-11)
    assert not is_enabled(State(scene.world), elements[0])
    assert elements.enabled.tolist() == [False, True]


def test_several_elements_on_one_set_add_up() -> None:
    """The forces of several elements on one contact set add up.

    The reference has a second element with twice the force; the test has two more elements.
    """
    scene = Scene(moving=False)
    elements = scene.world.add(HuntCrossley, contact_set=scene.set, transition_velocity=[0.01, 0.02, 0.03])
    state = State(scene.world)
    whole = event("two forces on one set: system force (sum)")
    assert_allclose(scene.force_of(state, *elements), whole, rtol=1e-13, atol=1e-11)
    assembly = serial_assembly(scene.world)
    assembly.load_fields(state)
    assert_allclose(assembly.energy(), event("two forces on one set: system pe"), rtol=1e-13)
    f = np.zeros(4)
    assembly.add_forces(f)
    assert_allclose(-f[:3], whole, rtol=1e-13, atol=1e-11)
    disable(state, elements[0])
    assert_allclose(
        scene.force_of(state, *elements), event("A disabled: system force (only B)"), rtol=1e-13, atol=1e-11
    )


def test_contact_sets_are_independent() -> None:
    """Two spheres at the same position, in two sets, are not in contact. A set without surfaces has no contacts."""
    scene = Scene()
    other = scene.world.add(ContactSet)
    second = scene.world.add(Point3D, position=(0.1, 0.9, 0.0))
    scene.world.add(ContactSphere, contact_set=other, marker=second, radius=1.0, material=scene.material)
    sets = [scene.set, other, scene.world.add(ContactSet)]
    elements = scene.world.add(HuntCrossley, contact_set=sets)
    state = State(scene.world)
    assert [int(eval_output(e, "contact_count", state)) for e in elements] == [1, 0, 0]


def test_flags_of_the_wrong_kind() -> None:
    scene = Scene()
    data = scene.world.add(GenericData, initial=[1.0, 0.0])
    scene.world.add(HuntCrossley, contact_set=scene.set, data=data)
    with pytest.raises(ModelError, match="data of HuntCrossley row 0 has 2 values: must have 1"):
        State(scene.world)
    scene = Scene()
    element = scene.world.add(HuntCrossley, contact_set=scene.set)
    with pytest.raises(ModelError, match="must be a HuntCrossley force element of the world"):
        enable(State(scene.world), scene.sphere)
    other = Scene()
    with pytest.raises(ModelError, match="must be a HuntCrossley force element of this world"):
        eval_contacts(other.world, State(other.world), element)


# bad input


@pytest.mark.parametrize(
    ("kind", "columns", "message"),
    [
        (ContactSphere, {"material": None}, "ContactSphere needs material: a ContactMaterial"),
        (ContactSphere, {"contact_set": None}, "ContactSphere needs contact_set: a ContactSet"),
        (ContactSphere, {"radius": 0.0}, "radius = 0.0 m in ContactSphere row 1: must be > 0"),
        (ContactSphere, {"radius": np.nan}, "radius = nan m in ContactSphere row 1"),
        (ContactSphere, {"position": (0.0, np.inf, 0.0)}, r"position\[1\] = inf m in ContactSphere row 1"),
        (ContactEllipsoid, {"semi_axes": (1.0, 0.0, 1.0)}, r"semi_axes\[1\] = 0.0 m .* row 0: must be > 0"),
        (ContactEllipsoid, {"semi_axes": (1.0, -1.0, 1.0)}, r"semi_axes\[1\] = -1.0 m in ContactEllipsoid row 0"),
        (ContactEllipsoid, {}, "ContactEllipsoid needs semi_axes"),
        (ContactHalfSpace, {"marker": "point"}, "marker in ContactHalfSpace row 1 .*: must be a rigid marker"),
        (ContactMaterial, {"plane_strain_modulus": -1.0}, "plane_strain_modulus = -1.0 Pa .* row 1: must be > 0"),
        (ContactMaterial, {"plane_strain_modulus": np.nan}, "plane_strain_modulus = nan Pa in ContactMaterial row 1"),
        (ContactMaterial, {}, r"ContactMaterial needs plane_strain_modulus \[Pa\]"),
        (ContactMaterial, {"plane_strain_modulus": 1.0, "dissipation": -0.1}, "dissipation = -0.1 s/m .* must be >= 0"),
        (ContactMaterial, {"plane_strain_modulus": 1.0, "static_friction": -0.1}, "static_friction = -0.1 in"),
        (HuntCrossley, {"transition_velocity": 0.0}, "transition_velocity = 0.0 m/s .* row 0: must be > 0"),
        (HuntCrossley, {"transition_velocity": -0.1}, "transition_velocity = -0.1 m/s in HuntCrossley row 0"),
        (HuntCrossley, {"modulus_rule": "mean"}, "modulus_rule = mean .* row 0: must be one of simbody, hertz"),
        (HuntCrossley, {"contact_set": None}, "HuntCrossley needs contact_set: a ContactSet"),
        (ContactSet, {"skin": -1.0}, "skin = -1.0 m in ContactSet row 1: must be >= 0"),
    ],
)  # fmt: skip
def test_bad_input(kind: type[Any], columns: dict[str, Any], message: str) -> None:
    scene = Scene()
    given = dict(columns)
    if kind in (ContactSphere, ContactEllipsoid, ContactHalfSpace):
        given = {"marker": scene.ground, **scene.columns, **({"radius": 1.0} if kind is ContactSphere else {})} | given
        if given["marker"] == "point":
            given["marker"] = scene.point
    if kind is HuntCrossley:
        given = {"contact_set": scene.set} | given
    with pytest.raises(ModelError, match=message):
        scene.world.add(kind, **given)


@pytest.mark.parametrize(
    ("kind", "columns", "message"),
    [
        (ContactHalfSpace, {"rotation": 2 * np.eye(3)}, "in ContactHalfSpace row 1: must be a rotation matrix"),
        (ContactHalfSpace, {"rotation": np.diag([1.0, 1.0, -1.0])}, "must be a rotation matrix, det = 1"),
        (ContactSphere, {"radius": 1.0, "position": (0.1, 0.0, 0.0)}, "must be .0, 0, 0., .* has no rotation"),
    ],
)  # fmt: skip
def test_bad_placement(kind: type[Any], columns: dict[str, Any], message: str) -> None:
    """Placements are checked when the world is finalised, because the marker determines the allowed placements."""
    scene = Scene()
    marker = scene.point if kind is ContactSphere else scene.ground
    scene.world.add(kind, marker=marker, **scene.columns, **columns)
    with pytest.raises(ModelError, match=message):
        State(scene.world)


def test_facing() -> None:
    random = np.random.default_rng(1)
    for normal in [*np.eye(3), *-np.eye(3), *random.standard_normal((5, 3))]:
        R = facing(7.0 * normal)
        assert_allclose(R @ (-1.0, 0.0, 0.0), normal / np.linalg.norm(normal), atol=1e-15)
        assert_allclose(R.T @ R, np.eye(3), atol=1e-15)
        assert np.linalg.det(R) > 0.0
    for wrong in ((0.0, 0.0, 0.0), (1.0, np.nan, 0.0), (1.0, 0.0)):
        with pytest.raises(ModelError, match="must be three numbers"):
            facing(wrong)


# conversions of material parameters


def test_restitution_and_dissipation() -> None:
    """Restitution and dissipation agree with the published values and with all reference rows, and the two functions
    are inverse to each other.
    """
    assert_allclose(restitution_from_dissipation(0.1, 1.0), 0.9090157413, rtol=1e-10)
    assert_allclose(restitution_from_dissipation(0.5, 2.0), 0.4877412560, rtol=1e-10)
    for row in read_reference("restitution")["rows"]:
        e = restitution_from_dissipation(row["c_eff"], row["v_in"])
        # the reference uses differences of logarithms, which lose digits for small c v
        assert_allclose(e, row["e_closed_form"], rtol=1e-11)
        if row["c_eff"] > 0.0:
            assert_allclose(dissipation_from_restitution(e, row["v_in"]), row["c_eff"], rtol=1e-9)
    for cv in 10.0 ** np.arange(-14.0, 3.0):
        e = restitution_from_dissipation(cv, 1.0)
        assert abs(e - (1.0 - cv)) <= 2.0 * cv**2 + 3e-16 or cv > 0.1
        # e = 1 - c v loses the digits of c v that are below the rounding error of 1
        assert_allclose(dissipation_from_restitution(e, 1.0), cv, rtol=1e-13 + 4e-16 / cv)
    assert restitution_from_dissipation(0.0, 5.0) == 1.0
    assert dissipation_from_restitution(1.0, 5.0) == 0.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: plane_strain_modulus(0.0, 0.3), "youngs_modulus = 0.0 Pa: must be > 0"),
        (lambda: plane_strain_modulus(1.0, 0.6), "poissons_ratio = 0.6: must be > -1 and <= 0.5"),
        (lambda: restitution_from_dissipation(-1.0, 1.0), "dissipation = -1.0 s/m: must be >= 0"),
        (lambda: restitution_from_dissipation(1.0, np.nan), "speed = nan m/s: must be >= 0"),
        (lambda: dissipation_from_restitution(0.0, 1.0), "restitution = 0.0: must be > 0 and <= 1"),
        (lambda: dissipation_from_restitution(0.5, 0.0), "speed = 0.0 m/s: must be > 0"),
    ],
)
def test_numbers_that_are_not_allowed(call: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        call()


def test_plane_strain_modulus() -> None:
    assert_allclose(plane_strain_modulus(2.1e11, 0.3), 2.1e11 / 0.91, rtol=1e-15)
