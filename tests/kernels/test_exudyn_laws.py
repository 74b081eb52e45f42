"""Laws that correspond to items of Exudyn: forces and history values agree with Exudyn at the states in
`tests/support/exudyn_states.py`, and tangents agree with differences. The file also explains how the reference numbers
were recorded.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass.connectors import (
    ContactSphereSphere,
    CoordinateSpringDamperExt,
    LinearSpringDamper,
    RigidBodySpringDamper,
    RollingDiscPenalty,
    TorsionalSpringDamper,
    coordinate_marker,
    reeve,
    rigid_marker,
)
from windlass.elements import Cable2D, Ground, MassPoint, PointSlope2D, RigidBody2D, RigidBody3D
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.model.history import GenericData
from windlass.framework.model.schema import Component
from windlass.framework.model.system import evaluate
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.residual import eval_residual
from windlass.framework.state.tangent_check import check_fields

from support.differences import set_random_fields
from support.exudyn_states import (
    FRAME_ANGLES,
    ROLLS,
    STATES,
    STIFFNESS,
    body_coordinates,
    rotation,
)

REFERENCE = json.loads((Path(__file__).parents[1] / "reference/exudyn_laws.json").read_text())
# central differences with forces of order 10: error about h^2 + 10 eps/h
TOLERANCE = 2e-8
FRAMES: dict[str, Any] = {f"frame{k}": rotation(FRAME_ANGLES[k]) for k in range(2)}
ONE = {"stiffness": 500.0, "damping": 3.0, "offset": 0.05, "rate_offset": 0.1, "preload": 0.7}
BUSHING = {"stiffness": STIFFNESS, "damping": 0.01 * STIFFNESS, "offset": (0.15, 0.01, 0.0, 0.1, 0.0, 0.0)}
DISC = {
    "radius": 0.5, "axis": (0.6, 0.8, 0.0), "normal": (0.0, 0.6, 0.8), "contact_stiffness": 500.0,
    "contact_damping": 3.0, "friction": (0.4, 0.3), "proportional_zone": 0.1,
}  # fmt: skip
DISCS: dict[str, dict[str, Any]] = {
    "rolls": {"proportional_zone": 5.0},
    "rolls, linear": {"proportional_zone": 5.0, "linear_zone": True},
    "slips": {"viscous_friction": (0.2, 0.1)},
    "slips on rollers": {"friction_angle": 0.3},
    "open": {},
}
BODIES: list[tuple[type[Component], dict[str, Any]]] = [
    (LinearSpringDamper, {**ONE, "axis": (0.6, 0.8, 0.0), "moment_arm": False}),
    (TorsionalSpringDamper, {**ONE, **FRAMES}),
    (RigidBodySpringDamper, {**BUSHING, **FRAMES, "moment_arm": False}),
]


def two_bodies(law: type[Component], **columns: Any) -> tuple[World, Entity]:
    """Create a law between two bodies with Euler parameters, at their reference points."""
    world = World()
    bodies = [world.add(RigidBody3D, position=(0.0, 0.0, 0.0), mass=1.0, inertia=(1.0, 1.0, 1.0)) for _ in range(2)]
    return world, world.add(
        law, marker0=rigid_marker(world, bodies[0]), marker1=rigid_marker(world, bodies[1]), **columns
    )


def force_at(world: World, state: dict[str, Any], data: Any = 0.0) -> np.ndarray:
    """Return the forces on the 14 coordinates of both bodies, without inertia forces. The recorded forces of Exudyn do
    not contain inertia forces either.
    """
    assembly = Assembly(world)
    assembly.fields.data[:] = data
    for k in range(2):
        q, v = body_coordinates(state, k)
        assembly.fields.x[7 * k : 7 * k + 7], assembly.fields.v[7 * k : 7 * k + 7] = q, v
    assembly.update_markers()
    f = np.zeros(assembly.layout.spare + 1)
    for system in assembly.systems:
        if system.name not in ("RigidBody3D", "RigidNode3D") and system.residual is not None:
            system.residual(evaluate(assembly.fields, f=f))
    return f[:14]


@pytest.mark.parametrize(("law", "columns"), BODIES, ids=lambda v: getattr(v, "__name__", ""))
def test_forces_on_bodies(law: type[Component], columns: dict[str, Any]) -> None:
    world, _ = two_bodies(law, **columns)
    for state, expected in zip(STATES, REFERENCE["bodies"][law.__name__], strict=True):
        assert_allclose(force_at(world, state), expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize("name", DISCS)
def test_discs(name: str) -> None:
    """Forces on a plane and a disc agree with Exudyn for both bodies, and the tangent agrees with differences. Marker 0
    lies in the plane.
    """
    world, disc = two_bodies(RollingDiscPenalty, **{**DISC, **DISCS[name]})
    data = (0.3, -0.2, 0.1) if name == "open" else ROLLS
    for state, expected in zip(STATES, REFERENCE["bodies"][name], strict=True):
        assert_allclose(force_at(world, state, data), expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())
    assembly = Assembly(world)
    set_random_fields(assembly, 1, displacement=0.1)
    assembly.fields.data[:] = data
    check_fields(assembly)
    assembly.post_newton()
    state = wl.State(world)
    state.q[:], state.v[:] = assembly.fields.x[:14] - assembly.layout.reference[:14], assembly.fields.v[:14]
    slip = [wl.eval_output(disc, output, state) for output in ("slip_across", "slip_along", "gap")]
    assert_allclose(assembly.fields.data, slip, rtol=1e-12)


def cubic(t: float, row: int, x: Any, rate: Any, k: Any, d: Any, offset: Any) -> Any:
    """Return the force of a hardening spring of one component or six components."""
    return np.asarray(k) @ (x - offset) + np.asarray(d) @ rate + x**3 if np.ndim(x) else k * (x + x**3) + d * rate * x


@pytest.mark.parametrize("user", [False, True])
@pytest.mark.parametrize("arm", [False, True])
@pytest.mark.parametrize(("law", "columns"), BODIES, ids=lambda v: getattr(v, "__name__", ""))
def test_tangents_of_laws_on_bodies(law: type[Component], columns: dict[str, Any], arm: bool, user: bool) -> None:
    """Tangents agree with differences for points at a distance from the centre of a 3D body, the centre of a 2D body
    and the axis of a 2D cable.
    """
    given = {**columns, "stiffness": columns["stiffness"] / 50.0}
    for name in ("moment_arm",) if "moment_arm" in columns else ():
        given[name] = arm
    if user:
        given["force_function"] = cubic
        for name in {"rate_offset", "preload"} & set(given):
            del given[name]
    world = World()
    body = world.add(RigidBody3D, position=(0.1, 0.2, 0.3), mass=1.0, inertia=(1.0, 1.0, 1.0))
    flat = world.add(RigidBody2D, position=(0.5, 0.1), angle=0.3, mass=1.0, inertia=1.0)
    nodes = world.add(PointSlope2D, position=[(0.0, 0.4), (0.7, 0.6)])
    stiff = {"mass_per_length": 1.0, "axial_stiffness": 10.0, "bending_stiffness": 1.0}
    cable = world.add(Cable2D, node0=nodes[0], node1=nodes[1], length=0.7, **stiff)
    ground = rigid_marker(world, world.add(Ground), (0.2, 0.0))
    places = [(body, (0.3, -0.1, 0.2)), (flat, (0.2, 0.1)), (cable, (0.4, 0.1))]
    ends = [rigid_marker(world, *place) for place in places]
    world.add(law, marker0=[ends[0], ends[1], ground], marker1=[ends[1], ends[2], ends[0]], **given)
    tolerance = 1e-7 if user else TOLERANCE
    assembly = Assembly(world)
    set_random_fields(assembly, 1, displacement=0.1)
    check_fields(assembly, tolerance)


def test_moments_balance() -> None:
    """The forces and torques on both bodies, including the moment of the force on marker 0, have no resultant."""
    for law, columns in BODIES:
        world, spring = two_bodies(law, **{**columns, **({"moment_arm": True} if "moment_arm" in columns else {})})
        state = wl.State(world)
        for k in range(2):
            q, v = body_coordinates(STATES[0], k)
            state.q[7 * k : 7 * k + 7] = np.array(q) - (0, 0, 0, 1, 0, 0, 0)
            state.v[7 * k : 7 * k + 7] = v
        f, t0, t1 = (wl.eval_output(spring, name, state) for name in ("force", "torque0", "torque1"))
        d = np.subtract(*STATES[0]["position"][::-1])
        assert_allclose(t0 + t1 + np.cross(d, f), 0.0, atol=1e-12 * max(np.abs(t1).max(), np.abs(f).max()))


NAMES = {
    "stiffness": "stiffness",
    "damping": "damping",
    "offset": "offset",
    "velocityOffset": "rate_offset",
    "factor0": "factor0",
    "factor1": "factor1",
    "dynamicFrictionForce": "dynamic_friction",
    "staticFrictionOffsetForce": "static_friction_offset",
    "stickingStiffness": "sticking_stiffness",
    "stickingDamping": "sticking_damping",
    "exponentialDecayStatic": "decay_velocity",
    "viscousFrictionFactor": "viscous_friction",
    "frictionProportionalZone": "proportional_zone",
    "useLimitStops": "stops",
    "limitStopsUpper": "upper_stop",
    "limitStopsLower": "lower_stop",
    "limitStopsStiffness": "stop_stiffness",
    "limitStopsDamping": "stop_damping",
}


def of_fields(world: World, fields: Any) -> wl.State:
    """Return a state of two bodies with the positions and velocities of recorded fields."""
    state = wl.State(world)
    state.q[:], state.v[:] = fields.x[:14] - [0, 0, 0, 1, 0, 0, 0] * 2, fields.v[:14]
    return state


SPHERES = {
    "isHollowSphere1": "hollow",
    "dynamicFriction": "friction",
    "frictionProportionalZone": "proportional_zone",
    "contactStiffness": "contact_stiffness",
    "contactDamping": "contact_damping",
    "contactStiffnessExponent": "exponent",
    "constantPullOffForce": "pull_off_force",
    "contactPlasticityRatio": "plasticity_ratio",
    "adhesionCoefficient": "adhesion_stiffness",
    "adhesionExponent": "adhesion_exponent",
    "restitutionCoefficient": "restitution",
    "minimumImpactVelocity": "least_impact_speed",
}
MODELS = ("plain", "hunt_crossley", "carvalho_martins")


# every second case has the mark `long`
TWO = [pytest.param(k, marks=[pytest.mark.long] * (k % 2)) for k in range(len(REFERENCE["ContactSphereSphere"]))]


@pytest.mark.parametrize("number", TWO)
def test_spheres(number: int) -> None:
    """Forces on both bodies, history values after a step and force error agree with Exudyn case by case, and tangents
    agree with differences.
    """
    case = REFERENCE["ContactSphereSphere"][number]
    given = dict(case["parameters"])
    columns: dict[str, Any] = dict(zip(("radius0", "radius1"), given.pop("spheresRadii"), strict=True))
    columns["impact_model"] = MODELS[given.pop("impactModel", 0)]
    columns |= {SPHERES[name]: value for name, value in given.items()}
    world, contact = two_bodies(ContactSphereSphere, **columns)
    found = force_at(world, STATES[case["state"]], case["data"])
    assert_allclose(found, case["force"], rtol=1e-12, atol=1e-12 * np.abs(case["force"]).max())
    assembly = Assembly(world)
    fields = assembly.fields
    for k in range(2):
        fields.x[7 * k : 7 * k + 7], fields.v[7 * k : 7 * k + 7] = body_coordinates(STATES[case["state"]], k)
    fields.data[:], fields.start_data[:] = case["data"], case["start"]
    assembly.update_markers()
    check_fields(assembly)
    outcome = assembly.post_newton()
    # if slip has no effect, the original program omits the rotation of the spheres
    same = [0, 1, 2, 3] if given.get("dynamicFriction") and case["after"][0] <= 0.0 else [0, 2, 3]
    assert_allclose(fields.data[same], np.array(case["after"])[same], rtol=1e-12, atol=1e-14)
    assert_allclose(outcome.error, case["error"], rtol=1e-12, atol=1e-12)
    assert_allclose(fields.data[1], wl.eval_output(contact, "slip", of_fields(world, fields)), rtol=1e-12)


ROPES = {
    "stiffnessPerLength": "axial_stiffness",
    "dampingPerLength": "axial_damping",
    "dampingTorsional": "twist_damping",
    "dampingShear": "shear_damping",
    "referenceLength": "reference_length",
}


@pytest.mark.parametrize("number", range(len(REFERENCE["ReevingSystemSprings"])))
def test_ropes_over_sheaves(number: int) -> None:
    """Length, rate of length, tension and forces on four bodies agree with Exudyn case by case, and the tangent agrees
    with differences.
    """
    case = REFERENCE["ReevingSystemSprings"][number]
    given = dict(case["parameters"])
    slack = 0.0 if given.pop("regularizationForce", 0.1) < 0.0 else 0.1
    world = World()
    bodies = [world.add(RigidBody3D, position=(0.0, 0.0, 0.0), mass=1.0, inertia=(1.0, 1.0, 1.0)) for _ in range(4)]
    ends = [rigid_marker(world, body) for body in bodies]
    columns = {ROPES[name]: value for name, value in given.items()}
    rope = reeve(world, ends, case["radii"], case["axes"], slack_force=slack, **columns)
    assembly = Assembly(world)
    state = wl.State(world)
    for k in range(4):
        own, (q, v) = slice(7 * k, 7 * k + 7), body_coordinates(case, k)
        assembly.fields.x[own], assembly.fields.v[own] = q, v
        state.q[own], state.v[own] = np.array(q) - (0, 0, 0, 1, 0, 0, 0), v
    found = [float(wl.eval_output(rope, name, state)) for name in ("length", "rate", "tension")]
    assert_allclose(found, case["numbers"], rtol=1e-12)
    assembly.update_markers()
    f = np.zeros(assembly.layout.spare + 1)
    for system in assembly.systems:
        if system.name == "ReevingSystemSprings" and system.residual is not None:
            system.residual(evaluate(assembly.fields, f=f))
    assert_allclose(f[:28], case["force"], rtol=1e-11, atol=1e-11 * np.abs(case["force"]).max())
    check_fields(assembly)


def two_coordinates(case: dict[str, Any]) -> Assembly:
    """Create two coordinates in the state of a case."""
    world = World()
    masses = world.add(MassPoint, position=[(0.0, 0.0), (0.0, 1.0)], mass=1.0)
    columns = {NAMES[name]: value for name, value in case["parameters"].items()}
    data = world.add(GenericData, initial=case["start"])
    ends = coordinate_marker(world, masses, "x")
    world.add(CoordinateSpringDamperExt, marker0=ends[0], marker1=ends[1], data=data, **columns)
    assembly = Assembly(world)
    fields = assembly.fields
    fields.x[[0, 2]] += case["q"]
    fields.v[[0, 2]] = case["v"]
    fields.data[:], fields.start_data[:] = case["data"], case["start"]
    assembly.update_markers()
    return assembly


@pytest.mark.parametrize("number", range(len(REFERENCE["CoordinateSpringDamperExt"])))
def test_friction_and_stops(number: int) -> None:
    """Forces, tangents and the update of history values agree with Exudyn case by case."""
    case = REFERENCE["CoordinateSpringDamperExt"][number]
    assembly = two_coordinates(case)
    assert_allclose(eval_residual(assembly)[[0, 2]], case["force"], rtol=1e-12, atol=1e-12)
    # stop forces reach 134 N, which determines the rounding error
    check_fields(assembly, TOLERANCE, limit=TOLERANCE * max(1.0, np.abs(case["force"]).max() / 50))
    assembly.post_newton()
    assert_allclose(assembly.fields.data, case["after"], rtol=1e-12, atol=1e-14)
