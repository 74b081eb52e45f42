"""Carriages on ropes: models for tests of sliding joints."""

import numpy as np

import windlass as wl
from windlass import connectors as con
from windlass.elements import (
    ALENode,
    Cable2D,
    Cable3D,
    MassPoint,
    PointSlope2D,
    PointSlope3D,
    RigidBody2D,
    nodes_of,
    straight_cable,
)
from windlass.framework.arrays import FloatArray
from windlass.framework.model.table import Entity

ROPE = {"axial_stiffness": 1e5, "bending_stiffness": 10.0, "mass_per_length": 1.0}


def create_span(kind: str, elements: int, length: float, **values: float) -> tuple[wl.World, Entity]:
    """Create a rope from the origin along x, hinged at both ends, with gravity along the last axis.

    Args:
        kind: "plane", "space", or "moving" for `ALECable2D`.
        elements: number of cables.
        length: length of the rope [m].
        **values: columns of the cables that replace columns of `ROPE`.
    """
    rope = ROPE | values
    end = (length, 0.0, 0.0) if kind == "space" else (length, 0.0)
    world = wl.World(gravity=(0.0, 0.0, -9.81) if kind == "space" else (0.0, -9.81))
    axial = {"ale": world.add(ALENode, name="motion")} if kind == "moving" else {}
    cables = straight_cable(world, (0.0,) * len(end), end, elements, **axial, **rope)
    chain = nodes_of(world, cables)
    con.hinge(world, chain[0])
    con.hinge(world, chain[-1])
    return world, cables


def create_ring(elements: int, space: bool = False) -> tuple[wl.World, Entity, Entity, Entity]:
    """Create a free ring of radius 1 m without gravity. The ring spins with 3 rad/s, and a bead of 0.5 kg slides on the
    ring.

    Returns:
        World, cables, bead, joint; in 3D the ring is rotated by 0.5 rad about x.
    """
    world = wl.World()
    angle = 2.0 * np.pi * np.arange(elements) / elements
    flat = np.stack((np.cos(angle), np.sin(angle), 0.0 * angle), axis=1)
    along = np.stack((-np.sin(angle), np.cos(angle), 0.0 * angle), axis=1)
    tilt = 0.5 if space else 0.0
    turn = np.array([[1.0, 0.0, 0.0], [0.0, np.cos(tilt), -np.sin(tilt)], [0.0, np.sin(tilt), np.cos(tilt)]])
    dims = 3 if space else 2
    place, slope = (flat @ turn.T)[:, :dims], (along @ turn.T)[:, :dims]
    motion = np.concatenate((3.0 * slope, (-3.0 * flat @ turn.T)[:, :dims]), axis=1)
    nodes = world.add(PointSlope3D if space else PointSlope2D, position=place, slope=slope, velocity=motion)
    rope = {"axial_stiffness": 2e3, "bending_stiffness": 20.0, "mass_per_length": 0.3}
    after = [nodes[(i + 1) % elements] for i in range(elements)]
    length = 2.0 * np.pi / elements
    rope |= {"length": length, "strain_is_relative_to_reference": 1.0}
    cables = world.add(Cable3D if space else Cable2D, node0=nodes, node1=after, **rope)
    bead = world.add(MassPoint, position=place[0], velocity=15.0 * slope[0], mass=0.5)
    return world, cables, bead, con.sliding_joint(world, cables, bead, 0.0, speed=12.0)


def create_trolleys() -> tuple[wl.World, Entity, Entity]:
    """Create two trolleys with two rollers each and friction, on a rope of 12 cables with stops.

    Returns:
        World, trolleys, joints.
    """
    world, cables = create_span("plane", 12, 12.0, axial_damping=5.0, reference_strain=-0.02)
    trolleys = world.add(
        RigidBody2D, position=[(2.4, -0.4), (6.5, -0.4)], velocity=[(6.0, 0.0, 0.0), (-3.0, 0.0, 0.0)], mass=4.0,
        inertia=0.3,
    )  # fmt: skip
    joints = [
        con.sliding_joint(
            world, cables, trolley, [x - 0.3, x + 0.3], [(-0.3, 0.4), (0.3, 0.4)], speed=speed,
            friction_coefficient=0.02, damping=0.1,
        )
        for trolley, x, speed in ((trolleys[0], 2.4, 6.0), (trolleys[1], 6.5, -3.0))
    ]  # fmt: skip
    both = Entity(joints[0].table, np.concatenate([j.rows for j in joints]))
    con.end_stops(world, both, 12.0, stiffness=2e4)
    return world, trolleys, both


def find_momentum(world: wl.World, cables: Entity, bead: Entity, state: wl.State) -> FloatArray:
    """Return the momentum [kg m/s] of a free ring with its bead, and the angular momentum of both about the origin [kg
    m^2/s], shape (2, 3).

    Momentum and angular momentum are products of the mass matrix with rigid motions.
    """
    M, chain, point = wl.assemble_mass(world, state)[:, :], nodes_of(world, cables), nodes_of(world, bead)
    p, x = M @ state.v, state.q.copy()
    of_chain, of_point = state.local_dofs(chain), state.local_dofs(point)
    x[of_chain] += np.concatenate((chain.position, chain.slope), axis=1)
    x[of_point] += point.position
    dims = of_point.shape[1]
    linear, angular = np.zeros(3), np.zeros(3)
    # momenta of slopes contribute to the angular momentum, but not to the linear momentum
    for numbers, moves in ((of_chain[:, :dims], 1.0), (of_chain[:, dims:], 0.0), (of_point, 1.0)):
        parts, places = np.zeros((len(numbers), 3)), np.zeros((len(numbers), 3))
        parts[:, :dims], places[:, :dims] = p[numbers], x[numbers]
        linear += moves * parts.sum(axis=0)
        angular += np.cross(places, parts).sum(axis=0)
    return np.stack((linear, angular))
