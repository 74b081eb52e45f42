"""Hunt-Crossley contact: geometry, wrenches and energies against Simbody, ellipsoids by brute force, tangents.

Tolerances of single contacts: 1e-12 + 4 eps s/x with the largest length s of a case and the depth x, because the depth
is a difference of lengths.
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
from windlass.connectors.contact_ellipsoids import eval_relative_radius, find_direction
from windlass.elements import Cable2D, Ground, MassPoint, PointSlope2D, RigidBody2D, RigidBody3D
from windlass.elements.nodes3d import Point3D
from windlass.elements.rotations import rotation_matrix
from windlass.framework.assemble import assemble_matrix, assemble_vector
from windlass.framework.errors import ModelError
from windlass.framework.evaluate import eval_output
from windlass.framework.law import FloatArray
from windlass.framework.state import State
from windlass.framework.table import Entity
from windlass.framework.world import World

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
"""The original computes with E = 1 Pa, or NaN."""
OTHERS = ("K_edge_011", "K_edge_015")
"""Two spheres on one body, and a triangle mesh, which is no surface here."""
TRUE_RADIUS = {"N_ellipsoid_002": 0.6873135964, "N_ellipsoid_007": 6.0}
"""R [m] by true curvatures; the original takes the axes of the central section for an ellipsoid on a half space."""
TRUE_FORCE = {"N_ellipsoid_002": (13730.257566, 574.689930), "N_ellipsoid_007": (1154.700538, 4.618802154)}
"""Normal force [N] and energy [J] for these."""


def compare(case: Case, model: Model, result: Case) -> None:
    """Contacts, wrenches and energy of one contact set."""
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
        # geometry: lengths to rounding of the largest one, R to the ten digits that are published
        assert_allclose(found.depth[k], contact["depth"], rtol=0, atol=4 * EPS * size)
        assert_allclose(found.location[k], contact["location"], rtol=0, atol=4 * EPS * size)
        assert_allclose(sign * found.normal[k], contact["normal"], rtol=0, atol=1e-12)
        assert_allclose(found.effective_radius[k], radius, rtol=1e-10 if case["id"] in TRUE_RADIUS else 1e-12)
        # forces: the rule, from the geometry of the reference
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
    # sums, as published unless the original has left out contacts or has another curvature
    if not case["id"].startswith("L_multi_00") or case["id"] == "L_multi_005":
        if case["id"] not in TRUE_RADIUS:
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


@pytest.mark.parametrize("case", [c for c in CASES if c["id"] not in OTHERS and c["id"] not in ERRORS], ids=lambda c: c["id"])
def test_reference(case: Case) -> None:
    model = build_case(case)
    for result in case["results"]:
        compare(case, model, result)


@pytest.mark.parametrize("case", [c for c in CASES if c["id"] in ERRORS], ids=lambda c: c["id"])
def test_reference_with_bad_input(case: Case) -> None:
    with pytest.raises(ModelError, match=ERRORS[case["id"]]):
        build_case(case)


def test_surfaces_on_one_body_do_not_touch() -> None:
    """K_edge_011: neither contact nor energy; nor do surfaces on two markers of one body, or on two grounds."""
    case = next(c for c in CASES if c["id"] == "K_edge_011")
    model = build_case(case)
    state = State(model.world)
    assert len(eval_contacts(model.world, state, model.forces[0]).depth) == 0
    assert eval_output(model.forces[0], "potential_energy", state) == 0.0
    world = World()
    body = world.add(RigidBody3D, position=(0, 0, 0.5), mass=1.0, inertia=(1.0, 1.0, 1.0))
    columns = {"contact_set": world.add(ContactSet), "material": world.add(ContactMaterial, plane_strain_modulus=1e6)}
    world.add(ContactSphere, marker=position_marker(world, body, (0.1, 0, 0)), radius=0.4, **columns)
    world.add(ContactSphere, marker=position_marker(world, body.node_entity(world)), radius=0.4, **columns)
    world.add(ContactHalfSpace, marker=[world.add(Ground), world.add(Ground, position=(0, 0, 0.1))], **columns)
    world.add(ContactSphere, marker=world.add(Ground), radius=0.4, **columns)
    force = world.add(HuntCrossley, contact_set=columns["contact_set"])
    assert len(eval_contacts(world, State(world), force).depth) == 0
