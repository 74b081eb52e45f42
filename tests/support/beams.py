"""Small models of beams with shear, motions of their nodes, and momenta."""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.elements import (
    Beam2D,
    Beam3D,
    RigidNode2D,
    RigidNode3D,
    UnitRotation3D,
    beam_along,
    euler_parameter_rates,
    euler_parameters,
    helix,
)
from windlass.elements.beam.rules import PLACES
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.assemble import assemble_matrix
from windlass.framework.state.state import State

from support.matrices import dense

PLANE = {"stiffness": (1e4, 5e3, 2.0), "mass_per_length": 1.0, "rotary_inertia": 0.01}
SPACE = {"stiffness": (1e4, 5e3, 4e3, 1.5, 2.0, 3.0), "mass_per_length": 0.7, "rotary_inertia": (0.03, 0.01, 0.02)}


def random_section(size: int, seed: int) -> Any:
    """Return a random symmetric, positive definite matrix of a section."""
    B = np.random.default_rng(seed).normal(size=(size, size))
    return B @ B.T + np.eye(size)


def create_plane_beam(order: int, elements: int = 2, **columns: Any) -> tuple[World, Entity]:
    """Create a bent 2D beam with all columns."""
    world = World(gravity=(1.0, -3.0))
    a = line_places(order, elements) * 0.8
    nodes = world.add(
        RigidNode2D, position=np.column_stack((np.sin(a), 1.0 - np.cos(a))), angle=a + 0.1 * np.sin(9 * a)
    )
    given = {
        "stiffness": 20.0 * random_section(3, 1), "damping": random_section(3, 2), "reference_strain": (0.1, 0.05, 0.3),
        "mass_per_length": 0.7, "rotary_inertia": 0.3,
    }  # fmt: skip
    return world, world.add(Beam2D, **join_nodes(nodes, order), **{**given, **columns})


def create_space_beam(order: int, elements: int = 2, **columns: Any) -> tuple[World, Entity]:
    """Create a 3D beam along a helix with all columns."""
    world = World(gravity=(1.0, 2.0, -3.0))
    given = {
        "stiffness": 20.0 * random_section(6, 1), "damping": random_section(6, 2), "mass_per_length": 0.7,
        "reference_strain": (0.1, 0.05, 0.03, 0.3, -0.2, 0.1), "rotary_inertia": random_section(3, 3),
    }  # fmt: skip
    route = helix((0, 0, 0), (0, 0, 1), 1.0, 0.4, pitch=1.5)
    return world, beam_along(world, route, elements, order=order, **{**given, **columns})


def create_slope_beam(order: int, elements: int = 2, **columns: Any) -> tuple[World, Entity]:
    """Create a 3D beam with deformable cross sections along a helix, with all columns."""
    world = World(gravity=(1.0, 2.0, -3.0))
    given = {
        "stiffness": 20.0 * random_section(6, 1), "damping": random_section(6, 2), "mass_per_length": 0.7,
        "reference_strain": (0.1, 0.05, 0.03, 0.3, -0.2, 0.1), "rotary_inertia": 0.02 * random_section(6, 3),
        "section_stiffness": (300.0, 400.0, 500.0), "section_damping": (1.0, 2.0, 3.0),
    }  # fmt: skip
    route = helix((0, 0, 0), (0, 0, 1), 1.0, 0.4, pitch=1.5)
    return world, beam_along(world, route, elements, order=order, **{**given, **columns})


def line_places(order: int, elements: int) -> Any:
    """Return the positions of the nodes along a line of the length 1."""
    inner = np.sort(PLACES[order])
    return np.append((np.arange(elements)[:, None] + inner[:-1]).ravel(), elements) / elements


def join_nodes(nodes: Entity, order: int) -> dict[str, Entity]:
    """Return the node references of the elements along a line."""
    inner = {f"node{k + 1}": nodes[k::order] for k in range(1, order)}
    return {"node0": nodes[0:-1:order], "node1": nodes[order::order], **inner}


def create_arc(elements: int, order: int, angle: float, radius: float, **columns: Any) -> tuple[World, Entity, Entity]:
    """Return world, nodes and elements of a 3D arc in the plane x, y that begins at the origin in the direction x."""
    world, a = World(), angle * line_places(order, elements)
    nodes = world.add(
        RigidNode3D,
        position=radius * np.column_stack((np.sin(a), 1.0 - np.cos(a), 0.0 * a)),
        euler_parameters=euler_parameters((0, 0, 1), a),
    )
    world.add(UnitRotation3D, node=nodes)
    length = radius * angle / elements
    return world, nodes, world.add(Beam3D, **join_nodes(nodes, order), length=length, **columns)


def rotation_rates(state: State, nodes: Entity, rate: Any) -> Any:
    """Return the velocities of all coordinates, shape (nodes, k) with k = 3, 7 or 9, of a rigid rotation about the
    origin. rate: angular velocity [rad/s], a number in 2D, shape (3,) in 3D.
    """
    names = {
        "RigidNode2D": ("position", "angle"), "RigidNode3D": ("position", "euler_parameters"),
        "PointSectionSlopes3D": ("position", "slope2", "slope3"),
    }[nodes.kind]  # fmt: skip
    x = np.column_stack([nodes.table.collect(name, nodes.rows) for name in names]) + state.q[state.local_dofs(nodes)]
    if x.shape[1] == 3:
        return np.column_stack((-rate * x[:, 1], rate * x[:, 0], np.full(len(x), rate)))
    if x.shape[1] == 9:
        return np.cross(rate, x.reshape(-1, 3, 3)).reshape(-1, 9)
    return np.column_stack((np.cross(rate, x[:, :3]), euler_parameter_rates(x[:, 3:], rate)))


def find_momenta(world: World, nodes: Entity, state: State) -> Any:
    """Return momentum [kg m/s], angular momentum about the origin [kg m^2/s] and kinetic energy [J], shape (7,)."""
    dofs = state.local_dofs(nodes)
    p = dense(assemble_matrix(world, state, dq=0.0, dv=0.0, da=1.0))[: len(state.q), : len(state.q)] @ state.v
    about = [(rotation_rates(state, nodes, axis) * p[dofs]).sum() for axis in np.eye(3)]
    return np.array([*p[dofs[:, :3]].sum(axis=0), *about, 0.5 * state.v @ p])
