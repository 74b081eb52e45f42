"""Worlds of the Hunt-Crossley reference cases, and a second implementation of the contact law in NumPy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from windlass.connectors import (
    ContactEllipsoid,
    ContactHalfSpace,
    ContactMaterial,
    ContactSet,
    ContactSphere,
    HuntCrossley,
)
from windlass.elements import Ground, RigidBody3D
from windlass.elements.nodes.rotations import euler_parameters_of
from windlass.framework.arrays import FloatArray
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World

REFERENCE = Path(__file__).parents[1] / "reference"
KINDS = {"sphere": ContactSphere, "halfspace": ContactHalfSpace, "ellipsoid": ContactEllipsoid}
Case = dict[str, Any]


class Model(NamedTuple):
    """A case as a world: bodies (the first is the ground), surfaces, and one force element per contact set."""

    world: World
    bodies: list[Entity]
    surfaces: list[Entity]
    forces: dict[int, Entity]


def read_reference(name: str) -> Any:
    """Return the contents of ``reference/hunt_crossley_<name>.json``."""
    return json.loads((REFERENCE / f"hunt_crossley_{name}.json").read_text())


def add_material(world: World, given: Case | None) -> dict[str, Entity]:
    """Return the material of a surface as keyword arguments, or an empty dictionary if the case has no material."""
    if given is None:
        return {}
    names = ("plane_strain_modulus", "dissipation", "static_friction", "dynamic_friction", "viscous_friction")
    values = dict(zip(names, (given[letter] for letter in ("E", "c", "us", "ud", "uv")), strict=True))
    return {"material": world.add(ContactMaterial, **values)}


def build_case(case: Case) -> Model:
    """Build the model of a static case. A wrong case raises the errors of the model."""
    world = World()
    bodies = [world.add(Ground)]
    for given in [*case["bodies"][1:], *[{"p": (9e3, 0, 0), "v": (0,) * 3, "w": (0,) * 3, "R": np.eye(3)}]]:
        # the last body is far away and provides coordinates for worlds without other coordinates
        start = {"velocity": np.append(given["v"], np.zeros(4)), "angular_velocity": given["w"]}
        rotation = euler_parameters_of(np.array(given["R"], float))
        bodies.append(
            world.add(
                RigidBody3D, position=given["p"], euler_parameters=rotation, mass=1.0, inertia=(1.0, 1.0, 1.0), **start
            )
        )
    sets: dict[int, Entity] = {}
    surfaces = []
    for given in case["surfaces"]:
        if given["set"] not in sets:
            sets[given["set"]] = world.add(ContactSet)
        kind = given["type"]
        columns: dict[str, Any] = {
            "sphere": {"radius": given["size"][0]},
            "ellipsoid": {"semi_axes": given["size"]},
        }.get(kind, {})
        if kind != "sphere":
            columns["rotation"] = given["R_BS"]
        columns |= add_material(world, given["params"])
        place = {"marker": bodies[given["body"]], "position": given["p_BS"]}
        surfaces.append(world.add(KINDS[kind], contact_set=sets[given["set"]], **place, **columns))
    vt = case["transition_velocity"]
    forces = {number: world.add(HuntCrossley, contact_set=s, transition_velocity=vt) for number, s in sets.items()}
    return Model(world, bodies, surfaces, forces)


def largest_length(case: Case) -> float:
    """Return the largest radius or coordinate [m], which determines the rounding of depths."""
    lengths = [*(s["size"] for s in case["surfaces"]), *(s["p_BS"] for s in case["surfaces"])]
    return float(np.abs([*lengths, *(b["p"] for b in case["bodies"])]).max())


class Pull(NamedTuple):
    """Result of a contact by `eval_pull`: force [N] on body 2, point of action [m], stored energy [J]."""

    force: FloatArray
    point: FloatArray
    energy: float


def eval_pull(case: Case, contact: Case, first: Case, second: Case, effective_radius: float) -> Pull:
    """Return the force of one contact by the published rule, with the geometry of the reference data."""
    one, two = first["params"], second["params"]
    k1, k2 = one["E"] ** (2 / 3), two["E"] ** (2 / 3)
    s1 = k2 / (k1 + k2)
    x, n = contact["depth"], np.array(contact["normal"])
    hertz = 4 / 3 * np.sqrt(effective_radius) * (k1 * s1) ** 1.5 * x**1.5
    point = np.array(contact["location"]) + x * (0.5 - s1) * n
    speeds = []
    for surface in (first, second):
        body = case["bodies"][surface["body"]]
        speeds.append(np.array(body["v"]) + np.cross(body["w"], point - body["p"]))
    v = speeds[0] - speeds[1]
    approach = v @ n
    normal = max(hertz * (1 + 1.5 * (s1 * one["c"] + (1 - s1) * two["c"]) * approach), 0.0)
    slip = v - approach * n
    speed = float(np.linalg.norm(slip))
    us, ud, uv = (2 * one[u] * two[u] / (one[u] + two[u]) if one[u] + two[u] else 0.0 for u in ("us", "ud", "uv"))
    q = speed / case["transition_velocity"]
    friction = normal * (min(q, 1.0) * (ud + 2 * (us - ud) / (1 + q**2)) + uv * speed)
    return Pull(normal * n + (friction / speed * slip if speed else 0.0), point, 0.4 * hertz * x)
