"""Tests of Hunt-Crossley contact. Geometry, forces, torques and energies are compared with Simbody. Overlaps of
ellipsoids are compared with a search over many directions.

Tolerances of single contacts are 1e-12 + 4 eps s/x with the largest length s of a case and the depth x, because the
depth is a difference of lengths.
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
    eval_body_forces,
    eval_contacts,
    eval_surface_forces,
    facing,
    position_marker,
)
from windlass.connectors.markers.position_markers import find_nodes
from windlass.connectors.point_contact.ellipsoids import eval_relative_radius, find_direction
from windlass.elements import Ground, MassPoint, RigidBody3D
from windlass.elements.nodes.nodes3d import Point3D
from windlass.elements.nodes.rotations import rotation_matrix
from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.assembly import serial_assembly
from windlass.framework.errors import ModelError
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.assemble import assemble_vector
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.state import State

from support.hunt_crossley import Case, Model, build_case, eval_pull, largest_length, read_reference

EPS = np.finfo(float).eps
CASES: list[Case] = read_reference("static")["cases"]
ERRORS = {
    "K_edge_000": "ContactSphere needs material",
    "K_edge_001": "ContactHalfSpace needs material",
    "K_edge_004": "plane_strain_modulus = 0.0 Pa in ContactMaterial row 0: must be > 0",
    "K_edge_005": "plane_strain_modulus = 0.0 Pa in ContactMaterial row 0: must be > 0",
    "K_edge_012": "transition_velocity = 0.0 m/s in HuntCrossley row 0: must be > 0",
    "K_edge_013": "transition_velocity = 0.0 m/s in HuntCrossley row 0: must be > 0",
    "K_edge_016": "plane_strain_modulus = -1000000.0 Pa in ContactMaterial row 0: must be > 0",
}
"""Cases in which the original program uses E = 1 Pa or returns NaN."""
OTHERS = ("K_edge_011", "K_edge_015")
"""A case with two spheres on one body, which do not touch in Windlass, and a case with a triangle mesh, which Windlass
does not support.
"""
LEFT_OUT = ("L_multi_001", "L_multi_002", "L_multi_003")
"""Cases in which the original program omits all contacts after the first contact that separates with a tensile
force.
"""
TRUE_RADIUS = {"N_ellipsoid_002": 0.6873135964, "N_ellipsoid_007": 6.0}
"""Relative radius R [m] by the correct curvatures, for each case. For an ellipsoid on a half space, the original
program computes R from the axes of the central section, and not from the curvatures.
"""
TRUE_FORCE = {"N_ellipsoid_002": (13730.257566, 574.689930), "N_ellipsoid_007": (1154.700538, 4.618802154)}
"""Normal force [N] and energy [J] of the cases in `TRUE_RADIUS` for the correct relative radii R."""


def compare(case: Case, model: Model, result: Case) -> None:
    """Compare contacts, forces, torques and energy of one contact set with the reference."""
    state = State(model.world)
    found = eval_contacts(model.world, state, model.forces[result["set"]])
    number = {int(entity.ids[0]): k for k, entity in enumerate(model.surfaces)}
    place = {(s["set"], s["index_in_set"]): k for k, s in enumerate(case["surfaces"])}
    assert len(found.depth) == len(result["contacts"])
    size = largest_length(case)
    total, turn, energy = np.zeros((len(case["bodies"]), 3)), np.zeros((len(case["bodies"]), 3)), 0.0
    for k in range(len(found.depth)):
        pair = [number[int(found.surface1[k])], number[int(found.surface2[k])]]
        known = [c for c in result["contacts"] if {place[result["set"], c[f"surface{i}"]] for i in (1, 2)} == set(pair)]
        assert len(known) == 1
        contact = known[0]
        radius = TRUE_RADIUS.get(case["id"], contact["effective_radius"])
        first, second = (case["surfaces"][place[result["set"], contact[f"surface{i}"]]] for i in (1, 2))
        sign = 1.0 if case["surfaces"][pair[0]] is first else -1.0
        # compare the geometry: lengths within the rounding error of the largest length, R within the ten published
        # digits
        assert_allclose(found.depth[k], contact["depth"], rtol=0, atol=4 * EPS * size)
        assert_allclose(found.location[k], contact["location"], rtol=0, atol=4 * EPS * size)
        assert_allclose(sign * found.normal[k], contact["normal"], rtol=0, atol=1e-12)
        assert_allclose(found.effective_radius[k], radius, rtol=1e-10 if case["id"] in TRUE_RADIUS else 1e-12)
        # compare forces with the contact law for the geometry of the reference
        pull = eval_pull(case, contact, first, second, float(found.effective_radius[k]))
        tolerance = 1e-12 + 4 * EPS * size / contact["depth"]
        assert_allclose(sign * found.force[k], pull.force, rtol=0, atol=tolerance * max(norm(pull.force), 1e-300))
        assert_allclose(found.energy[k], pull.energy, rtol=tolerance)
        if case["id"] in TRUE_FORCE:
            assert_allclose((found.normal_force[k], found.energy[k]), TRUE_FORCE[case["id"]], rtol=1e-9)
        for surface, side in ((first, -1.0), (second, 1.0)):
            total[surface["body"]] += side * pull.force
            turn[surface["body"]] += side * np.cross(pull.point - case["bodies"][surface["body"]]["p"], pull.force)
        energy += pull.energy
    # compare the sums with the published sums, unless the original program omitted contacts or used other curvatures
    if case["id"] not in (*LEFT_OUT, *TRUE_RADIUS):
        total = np.array([b["force"] for b in result["body_forces"]])
        turn = np.array([b["torque"] for b in result["body_forces"]])
        energy = result["potential_energy"]
    shallowest = min((c["depth"] for c in result["contacts"]), default=1.0)
    tolerance = 1e-12 + 4 * EPS * size / shallowest
    assert_allclose(found.energy.sum(), energy, rtol=tolerance)
    assert_allclose(eval_output(model.forces[result["set"]], "potential_energy", state), energy, rtol=tolerance)
    force, torque = np.zeros_like(total), np.zeros_like(turn)
    for k, body in enumerate(model.bodies[: len(case["bodies"])]):
        force[k], torque[k] = (x[0] for x in eval_body_forces(model.world, state, model.forces[result["set"]], body))
    scale = max(norm(total), 1e-300)
    assert_allclose(force, total, rtol=0, atol=tolerance * scale)
    assert_allclose(torque, turn, rtol=0, atol=tolerance * max(norm(turn), scale * size))


def norm(vectors: FloatArray) -> float:
    return float(np.abs(vectors).max())


@pytest.mark.parametrize(
    "case", [c for c in CASES if c["id"] not in OTHERS and c["id"] not in ERRORS], ids=lambda c: c["id"]
)
def test_reference(case: Case) -> None:
    model = build_case(case)
    for result in case["results"]:
        compare(case, model, result)


@pytest.mark.parametrize("case", [c for c in CASES if c["id"] in ERRORS], ids=lambda c: c["id"])
def test_reference_with_bad_input(case: Case) -> None:
    with pytest.raises(ModelError, match=ERRORS[case["id"]]):
        build_case(case)


def test_surfaces_on_one_body_do_not_touch() -> None:
    """Surfaces on the same body have neither contact forces nor energy (case K_edge_011). The same is true for surfaces
    on two markers of one body, and for surfaces on two rows of ground.
    """
    case = next(c for c in CASES if c["id"] == "K_edge_011")
    model = build_case(case)
    state = State(model.world)
    assert len(eval_contacts(model.world, state, model.forces[0]).depth) == 0
    assert eval_output(model.forces[0], "potential_energy", state) == 0.0
    world = World()
    body = world.add(RigidBody3D, position=(-5.0, 0, 0.5), mass=1.0, inertia=(1.0, 1.0, 1.0))
    columns = {"contact_set": world.add(ContactSet), "material": world.add(ContactMaterial, plane_strain_modulus=1e6)}
    world.add(ContactSphere, marker=position_marker(world, body, (0.1, 0, 0)), radius=0.4, **columns)
    world.add(ContactSphere, marker=position_marker(world, find_nodes(world, body)), radius=0.4, **columns)
    world.add(ContactHalfSpace, marker=[world.add(Ground), world.add(Ground, position=(0, 0, 0.1))], **columns)
    world.add(ContactSphere, marker=world.add(Ground), radius=0.4, **columns)
    force = world.add(HuntCrossley, contact_set=columns["contact_set"])
    assert len(eval_contacts(world, State(world), force).depth) == 0


def add_pair(world: World, **columns: Any) -> tuple[Entity, Entity]:
    """Create a case whose results were computed by hand: a moving sphere with the radius 1 m at the height 0.9 m on the
    plane y = 0. Return the case with its force element.
    """
    names = {"dissipation": 0.1, "static_friction": 0.8, "dynamic_friction": 0.5, "viscous_friction": 0.1}
    material = world.add(ContactMaterial, **({"plane_strain_modulus": 1e6, **names} | columns.pop("material", {})))
    contacts = world.add(ContactSet)
    point = world.add(Point3D, position=(0.0, 0.9, 0.0), velocity=columns.pop("velocity", (0.1, -0.3, 0.0)))
    world.add(MassPoint, node=point, mass=1.0)
    world.add(ContactSphere, contact_set=contacts, marker=point, radius=1.0, material=material)
    ground = world.add(Ground)
    other = columns.pop("other", material)
    world.add(ContactHalfSpace, contact_set=contacts, marker=ground, rotation=facing((0, 1, 0)), material=other)
    return point, world.add(HuntCrossley, contact_set=contacts, **columns)


def test_hand_check() -> None:
    """Forces, torque and powers agree with values that were computed by hand. The report also contains the torque on a
    sphere that cannot rotate.
    """
    world = World()
    point, force = add_pair(world)
    state = State(world)
    found = eval_contacts(world, state, force)
    F = np.array([-8037.2917433235652, 15577.940243248513, 0.0])
    assert_allclose(eval_body_forces(world, state, force, point)[0][0], F, rtol=1e-13)
    assert_allclose(-assemble_vector(world, state).array, F, rtol=1e-13, atol=1e-9)
    assert_allclose(found.energy, 596.2847939999431, rtol=1e-13)
    assert_allclose(found.patch_radius, np.sqrt(0.1), rtol=1e-14)
    assert_allclose(found.approach_speed, 0.3, rtol=1e-14)
    assert_allclose(found.slip, [[0.1, 0.0, 0.0]], atol=1e-15)
    assert_allclose(found.hertz_force, 14907.119849998579, rtol=1e-13)
    # the dissipated power is (f - f_H) v_n + |f_t| |v_t|
    power = (15577.940243248513 - 14907.119849998579) * 0.3 + 8037.2917433235652 * 0.1
    assert_allclose(found.dissipated_power, power, rtol=1e-12)
    assert_allclose(eval_output(force, "dissipated_power", state), power, rtol=1e-12)
    assert eval_output(force, "contact_count", state) == 1
    # the force acts at the height -0.05 m, which is 0.95 m below the centre
    assert_allclose(eval_surface_forces(world, state, force).torque[0], [0.0, 0.0, 0.95 * F[0]], atol=1e-9)


@pytest.mark.parametrize(("rule", "modulus"), [("simbody", (1 / (1 + 3 ** (2 / 3))) ** 1.5 * 3e6), ("hertz", 0.75e6)])
def test_rules_for_the_modulus(rule: str, modulus: float) -> None:
    """For E of 1e6 and 3e6 Pa, the rule "simbody" agrees with K_1 s1 = K_1 K_2/(K_1 + K_2) and the rule "hertz" agrees
    with 1/E = 1/E_1 + 1/E_2.
    """
    world = World()
    other = world.add(ContactMaterial, plane_strain_modulus=3e6)
    point, force = add_pair(world, velocity=(0.0, 0.0, 0.0), other=other, modulus_rule=rule)
    state = State(world)
    f = eval_body_forces(world, state, force, point)[0][0]
    assert_allclose(f, [0.0, 4 / 3 * modulus * 0.1**1.5, 0.0], rtol=1e-13, atol=1e-9)


def test_separation_at_high_speed() -> None:
    """A contact that separates with a high speed exerts no force.

    The stored energy of this contact is nevertheless included, and is dissipated with the power -f_H v_n.
    """
    world = World()
    point, force = add_pair(world, velocity=(0.0, 100.0, 0.0))
    state = State(world)
    found = eval_contacts(world, state, force)
    assert not eval_body_forces(world, state, force, point)[0].any()
    assert_allclose(found.energy, 596.2847939999431, rtol=1e-13)
    assert_allclose(found.dissipated_power, 14907.119849998579 * 100.0, rtol=1e-13)


# ellipsoids


def random_rotation(random: np.random.Generator) -> FloatArray:
    e = random.standard_normal(4)
    return rotation_matrix(e / np.linalg.norm(e))


@pytest.mark.parametrize("aspect", [2.0, 10.0])
def test_direction_of_least_overlap(aspect: float) -> None:
    """The overlap of two ellipsoids agrees with the smallest overlap over 40 000 directions, for overlaps of 0.1 to 10
    % of their smallest axis.
    """
    random = np.random.default_rng(7)
    n = random.standard_normal((40_000, 3))
    n /= np.linalg.norm(n, axis=1)[:, None]
    for _ in range(40):
        axes = aspect ** random.uniform(-0.5, 0.5, (2, 3))
        Q = np.stack([(B * a**2) @ B.T for a in axes for B in (random_rotation(random),)])
        h = np.sqrt(np.einsum("na,kab,nb->nk", n, Q, n)).sum(axis=1)
        towards = random.standard_normal(3)
        towards /= np.linalg.norm(towards)
        depth = axes.min() * 10 ** random.uniform(-3, -1)
        # find the distance at which the smallest overlap equals the requested depth by bisection
        low, high = 0.0, 4 * axes.max()
        for _ in range(60):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if (h - middle * (n @ towards)).min() > depth else (low, middle)
        d = low * towards
        x, nx, ny, nz = find_direction(Q, 0, 1, *d)
        m = np.array([nx, ny, nz])
        gap = sum(q @ m / np.sqrt(m @ q @ m) for q in Q) - d
        assert x <= depth * (1 + 1e-9)
        # the normals are opposite, and the difference of the points is parallel to the normals
        assert_allclose(gap, x * m, rtol=0, atol=1e-13 * axes.max())


def test_relative_radius() -> None:
    """1/R_a 1/R_b equals the determinant of the sum of both curvatures, computed from differences of normals."""
    random = np.random.default_rng(3)
    for _ in range(20):
        axes = 3.0 ** random.uniform(-0.5, 0.5, (2, 3))
        Q = np.stack([(B * a**2) @ B.T for a in axes for B in (random_rotation(random),)])
        m = random.standard_normal(3)
        m /= np.linalg.norm(m)
        t = np.linalg.svd(m[None])[2][1:]
        curvature = np.zeros((2, 2))
        for q in Q:
            A = np.linalg.inv(q)
            p = q @ m / np.sqrt(m @ q @ m)
            curvature += t @ A @ t.T / np.linalg.norm(A @ p)
        expected = 1 / np.sqrt(np.linalg.det(curvature))
        assert_allclose(eval_relative_radius(Q, 0, 1, *m, axes.prod()), expected, rtol=1e-12)


def test_round_ellipsoid_is_a_sphere() -> None:
    """Except for rounding errors, the results for ellipsoids with three equal axes are equal to the results for
    spheres. The results are also equal for contact with half spaces.
    """
    results = []
    for kind, size in ((ContactSphere, {"radius": 0.5}), (ContactEllipsoid, {"semi_axes": (0.5,) * 3})):
        random = np.random.default_rng(5)
        world = World()
        columns = {"contact_set": world.add(ContactSet), "material": add_material(world)}
        bodies = world.add(RigidBody3D, **scatter(random, 8, 0.8))
        world.add(kind, marker=bodies, position=(0.1, 0.0, 0.05), **size, **columns)
        world.add(ContactHalfSpace, marker=world.add(Ground), rotation=facing((1.0, 2.0, 0.5)), **columns)
        force = world.add(HuntCrossley, contact_set=columns["contact_set"])
        state = State(world)
        assert len(eval_contacts(world, state, force).depth) > 5
        results.append(assemble_vector(world, state).array.copy())
    assert_allclose(results[0], results[1], rtol=0, atol=1e-11 * norm(results[0]))


def add_material(world: World) -> Entity:
    friction = {"static_friction": 0.6, "dynamic_friction": 0.4, "viscous_friction": 0.1}
    return world.add(ContactMaterial, plane_strain_modulus=1e4, dissipation=0.3, **friction)


def scatter(random: np.random.Generator, count: int, spread: float) -> dict[str, Any]:
    """Return columns of rigid bodies at random positions with random velocities."""
    e = random.standard_normal((count, 4))
    velocity = np.concatenate((0.2 * random.standard_normal((count, 3)), np.zeros((count, 4))), axis=1)
    return {
        "position": spread * random.standard_normal((count, 3)),
        "euler_parameters": e / np.linalg.norm(e, axis=1)[:, None],
        "velocity": velocity,
        "angular_velocity": random.standard_normal((count, 3)),
        "mass": 1.0,
        "inertia": (1.0, 1.0, 1.0),
    }


def test_both_loops_agree() -> None:
    """The fast loop for spheres and half spaces and the general loop give equal forces on surfaces and on coordinates,
    for 200 bodies and points.
    """
    random = np.random.default_rng(11)
    world = World()
    columns = {"contact_set": world.add(ContactSet), "material": add_material(world)}
    bodies = world.add(RigidBody3D, **scatter(random, 100, 1.0))
    points = world.add(Point3D, position=random.standard_normal((100, 3)), velocity=random.standard_normal((100, 3)))
    world.add(MassPoint, node=points, mass=1.0)
    world.add(ContactSphere, marker=bodies, radius=0.2, position=(0.02, 0.0, 0.01), **columns)
    world.add(ContactSphere, marker=points, radius=random.uniform(0.02, 0.3, 100), **columns)
    world.add(ContactHalfSpace, marker=world.add(Ground), rotation=facing((0, 0, 1)), position=(0, 0, -1), **columns)
    force = world.add(HuntCrossley, contact_set=columns["contact_set"])
    state = State(world)
    general, torque = eval_body_forces(world, state, force, bodies)
    on_points = eval_body_forces(world, state, force, points)[0]
    assert len(eval_contacts(world, state, force).depth) > 100
    f = -np.append(assemble_vector(world, state, velocity_terms=False).array, 0.0)
    assert_allclose(f[state.local_dofs(bodies)[:, :3]], general, rtol=0, atol=1e-12 * norm(general))
    # because ω = Jr e_t, the forces on Euler parameters are Jrᵀ T
    markers = serial_assembly(world).fields.markers["position marker"]
    expected = np.einsum("ika,ik->ia", markers.rotation_jacobian[:100, :, 3:7], torque)
    assert_allclose(f[state.local_dofs(bodies)[:, 3:]], expected, rtol=0, atol=1e-12 * norm(expected))
    assert_allclose(f[state.local_dofs(points)], on_points, rtol=0, atol=1e-12 * norm(on_points))
    # the sum of the forces of all contacts equals the force of the flat surface on the bodies
    found = eval_surface_forces(world, state, force)
    assert_allclose(found.force.sum(axis=0), 0.0, atol=1e-11 * norm(found.force))
    moment = found.torque + np.cross(found.point, found.force)
    assert_allclose(moment.sum(axis=0), 0.0, atol=1e-11 * norm(moment))
