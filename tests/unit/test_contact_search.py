"""Tests of the neighbour search of contact sets: completeness while surfaces move, number of searches, and work per
surface.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.testing import assert_allclose

from windlass.connectors import (
    ContactEllipsoid,
    ContactHalfSpace,
    ContactMaterial,
    ContactSet,
    ContactSphere,
    HuntCrossley,
    eval_contacts,
    facing,
    position_marker,
)
from windlass.connectors.point_contact.search import Neighbours
from windlass.connectors.point_contact.sets import ContactSystem
from windlass.connectors.point_contact.surfaces import HALF_SPACE, Surfaces, find_runs
from windlass.elements import Ground, MassPoint, RigidBody3D
from windlass.elements.nodes.nodes3d import Point3D
from windlass.framework.assembly.assembly import serial_assembly
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.state import State


def add_cloud(world: World, count: int, skin: float = 0.0, seed: int = 0) -> tuple[Entity, Entity]:
    """Add spheres at random positions in a box above the plane z = 0. The spheres would fill half of the box. Return
    handles of nodes and element.
    """
    random = np.random.default_rng(seed)
    contacts = world.add(ContactSet, skin=skin)
    material = world.add(ContactMaterial, plane_strain_modulus=1e6)
    side = (count * 4 / 3 * np.pi * 0.05**3 / 0.5) ** (1 / 3)
    points = world.add(Point3D, position=side * random.random((count, 3)), velocity=random.standard_normal((count, 3)))
    world.add(MassPoint, node=points, mass=1.0)
    world.add(ContactSphere, contact_set=contacts, marker=points, radius=0.05, material=material)
    plane = position_marker(world, world.add(Ground))
    world.add(ContactHalfSpace, contact_set=contacts, marker=plane, rotation=facing((0, 0, 1)), material=material)
    return points, world.add(HuntCrossley, contact_set=contacts)


def neighbours(world: World) -> tuple[Neighbours, Surfaces]:
    system = serial_assembly(world).layout.systems[HuntCrossley]
    assert isinstance(system, ContactSystem)
    return system.sets[0].near, system.sets[0].surfaces


def find_all(c: Surfaces) -> set[tuple[int, int]]:
    """Return pairs whose bounding spheres overlap, by comparison of all pairs."""
    found = set()
    for i in range(len(c.kind)):
        for j in range(i + 1, len(c.kind)):
            if c.kind[i] == HALF_SPACE or c.carrier[i] == c.carrier[j]:
                continue
            if c.kind[j] == HALF_SPACE:
                near = (c.center[i] - c.center[j]) @ c.normal[j] < c.reach[i]
            else:
                near = np.linalg.norm(c.center[i] - c.center[j]) < c.reach[i] + c.reach[j]
            if near:
                found.add((i, j))
    return found


def test_list_stays_complete_while_spheres_move() -> None:
    """Over 40 steps, the list of neighbours equals a comparison of all pairs. The surfaces are 200 spheres of very
    different size, ellipsoids, and half spaces that rest or rotate.
    """
    random = np.random.default_rng(2)
    world = World()
    contacts = world.add(ContactSet, skin=0.05)
    columns: dict[str, Any] = {
        "contact_set": contacts,
        "material": world.add(ContactMaterial, plane_strain_modulus=1e6),
    }
    points = world.add(Point3D, position=random.random((200, 3)), velocity=random.standard_normal((200, 3)))
    world.add(ContactSphere, marker=points, radius=10 ** random.uniform(-3, -0.7, 200), **columns)
    bodies = world.add(
        RigidBody3D,
        position=random.random((4, 3)),
        angular_velocity=(0.0, 2.0, 0.0),
        mass=1.0,
        inertia=(1.0, 1.0, 1.0),
    )
    world.add(ContactEllipsoid, marker=bodies[:3], semi_axes=random.uniform(0.05, 0.3, (3, 3)), **columns)
    world.add(ContactHalfSpace, marker=bodies[3], rotation=facing((0, 0, 1)), **columns)
    world.add(ContactHalfSpace, marker=world.add(Ground), rotation=facing((1, 0, 0)), **columns)
    force = world.add(HuntCrossley, contact_set=contacts)
    state = State(world)
    for _ in range(40):
        eval_contacts(world, state, force)
        near, c = neighbours(world)
        pairs = set(map(tuple, near.pairs.tolist()))
        assert find_all(c) <= pairs
        assert len(pairs) == len(near.pairs)
        assert (c.kind[near.pairs[:, 0]] <= c.kind[near.pairs[:, 1]]).all()
        state.q += 0.005 * state.v
    assert 2 < near.rebuilds < 40


def test_searches_are_counted() -> None:
    """A new search occurs only after a displacement of half the skin.

    With the smallest skin, a search occurs in every step. Apart from the number of searches, results do not depend on
    the size of the skin.
    """
    forces = []
    for skin, searches in ((0.021, 2), (1e-9, 21)):
        world = World()
        points, _ = add_cloud(world, 300, skin)
        assembly, state = serial_assembly(world), State(world)
        state.put(points, (1.0, 0.0, 0.0), "v")
        for _ in range(21):
            fields = assembly.load_fields(state)
            f = np.zeros_like(fields.x)
            assembly.add_forces(f)
            state.q += 1e-3 * state.v
        forces.append(f)
        near, _ = neighbours(world)
        # the displacement exceeds half of the skin of 21 mm in the 11th of 20 steps
        assert near.rebuilds == searches
    assert_allclose(forces[0], forces[1], rtol=0, atol=1e-12 * np.abs(forces[0]).max())


def test_work_grows_linearly() -> None:
    """The number of candidate pairs per sphere does not grow with the number of spheres, except for spheres at the
    surface of the box.
    """
    ratios = []
    for count in (1000, 8000):
        world = World()
        _, force = add_cloud(world, count)
        contacts = eval_contacts(world, State(world), force)
        near, _ = neighbours(world)
        ratios.append(len(near.pairs) / count)
        assert len(contacts.depth) < len(near.pairs) < 1.5 * len(contacts.depth)
    assert ratios[1] < 1.1 * ratios[0]


def test_sparsity_follows_on_demand() -> None:
    """The sparsity pattern changes when a tangent is evaluated after a change of pairs, but not with every search."""
    world = World()
    columns: dict[str, Any] = {"contact_set": world.add(ContactSet, skin=0.1)}
    columns["material"] = world.add(ContactMaterial, plane_strain_modulus=1e6)
    points = world.add(Point3D, position=[(0.0, 0.0, 0.0), (1.9, 0.0, 0.0), (9.0, 0.0, 0.0)])
    world.add(MassPoint, node=points, mass=1.0)
    world.add(ContactSphere, marker=points, radius=1.0, **columns)
    world.add(HuntCrossley, contact_set=columns["contact_set"])
    assembly, state = serial_assembly(world), State(world)
    bare = assembly.pattern
    # the pattern contains a block of 3 x 3 for each mass
    assert bare.spare == 27
    assembly.load_fields(state)
    assert assembly.pattern is bare
    coupled = assembly.update_pattern()
    # two further blocks couple the first two masses
    assert coupled is assembly.pattern and coupled.spare == 27 + 18
    # the displacement is large enough for a new search, which finds the same pair
    state.q += 5.0
    assembly.load_fields(state)
    assert neighbours(world)[0].rebuilds == 2
    assert assembly.update_pattern() is coupled
    # the third mass is in contact instead of the second
    state.q[3:6] += 20.0
    state.q[6:9] -= (7.1, 0.0, 0.0)
    assembly.load_fields(state)
    assert neighbours(world)[0].pairs.tolist() == [[0, 2]]
    assert assembly.pattern is coupled
    changed = assembly.update_pattern()
    assert changed is not coupled and changed.spare == 27 + 18
    values = np.zeros(changed.spare + 1)
    assembly.add_tangent(values, 1.0, 0.0, 0.0, 0.0, 0.0)
    assert np.isfinite(values).all() and values.any()
    # the slots of the mass matrix have also changed
    assert_allclose(assembly.mass_rows[2], 1.0)
    values[:] = 0.0
    assembly.add_mass_matrix(values)
    assert_allclose(values[values != 0.0], np.ones(9))


def test_runs_of_surfaces() -> None:
    """Indices of surfaces are stored as ranges of consecutive indices, even for zero surfaces and for one surface."""
    for numbers, runs in (([], []), ([4], [[4, 5]]), ([0, 1, 2, 5, 7, 8], [[0, 3], [5, 6], [7, 9]])):
        found = find_runs(np.array(numbers, np.int64))
        assert found.shape == (len(runs), 2) and found.tolist() == runs


def test_lost_iterations_do_no_harm() -> None:
    """Coordinates that are not finite give forces that are not finite, without an error of the search."""
    world = World()
    points, _ = add_cloud(world, 50)
    assembly, state = serial_assembly(world), State(world)
    assembly.load_fields(state)
    state.q[state.local_dofs(points[3])] = np.nan
    fields = assembly.load_fields(state)
    f = np.zeros_like(fields.x)
    assembly.add_forces(f)
    assert np.isnan(f[state.local_dofs(points[3])]).all()
