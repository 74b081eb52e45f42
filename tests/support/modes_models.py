"""Models with known natural frequencies, and the states about which they oscillate."""

from __future__ import annotations

import numpy as np

import windlass as wl
import windlass.connectors as con
import windlass.elements as el
from windlass.framework.arrays import FloatArray
from windlass.framework.model.table import Entity

G = 9.81
"""Gravity [m/s^2]."""


def create_span(elements: int, tension: float = 100.0, bending: float = 0.0) -> wl.World:
    """Create a straight cable of 2 m and 0.5 kg/m that is pinned at both ends."""
    world = wl.World()
    columns = {"axial_stiffness": 1e6, "bending_stiffness": bending, "mass_per_length": 0.5}
    columns["reference_strain"] = -tension / 1e6
    cable = el.straight_cable(world, (0.0, 0.0), (2.0, 0.0), elements, **columns)
    con.hinge(world, el.nodes_of(world, cable)[[0, elements]])
    return world


def create_chain(links: int, gravity: float = G, length: float = 1.0) -> wl.State:
    """Create masses of 1 kg that hang one below the other on massless rods of equal length. The state contains the
    forces of the rods.
    """
    world, link = wl.World(gravity=(0.0, -gravity)), length / links
    y = -link * np.arange(1, links + 1)
    masses = world.add(el.MassPoint, position=np.stack((0.0 * y, y), axis=1), mass=1.0)
    ends = con.position_marker(world, masses)
    first = con.position_marker(world, world.add(el.Ground))
    pairs = [(first, ends[0]), (ends[:-1], ends[1:])]
    rods = [world.add(con.DistanceConstraint, marker0=a, marker1=b, distance=link) for a, b in pairs if len(b)]
    state = wl.State(world)
    weight = gravity * np.arange(links, 0, -1.0)
    state.put(rods[0], weight[0], "lam")
    if links > 1:
        state.put(rods[1], weight[1:, None], "lam")
    return state


def create_ring(elements: int, turning: float | None = None) -> wl.State:
    """Create a nearly inextensible free ring with the radius 1 m, 0.5 kg/m and EI = 1 N m^2 in equilibrium.

    With an angular velocity [rad/s], the material moves through nodes at rest, under the tension that the centrifugal
    force causes.
    """
    world, angle = wl.World(), 2.0 * np.pi * np.arange(elements) / elements
    radial, along = np.stack((np.cos(angle), np.sin(angle)), 1), np.stack((-np.sin(angle), np.cos(angle)), 1)
    nodes = world.add(el.PointSlope2D, position=radial, slope=along)
    ends = {"node0": nodes, "node1": nodes[np.roll(np.arange(elements), -1)]}
    columns = {"length": 2.0 * np.pi / elements, "axial_stiffness": 1e7, "bending_stiffness": 1.0}
    columns |= {"mass_per_length": 0.5, "reference_curvature": 1.0}
    if turning is None:
        world.add(el.Cable2D, **ends, **columns)
        held = [con.fix(world, nodes[0], "x", "y"), con.fix(world, nodes[elements // 2], "y")]
        state = wl.Static(world, name="").solve()
        for hold in held:
            world.set(hold, active=False)
        return state
    axial = world.add(el.ALENode, velocity=(turning,))
    strain = 0.5 * turning**2 / columns["axial_stiffness"]
    world.add(el.ALECable2D, **ends, **columns, ale=axial, reference_strain=-strain)
    con.prescribe_velocity(world, axial, "s", lambda t: turning)
    resting = create_ring(elements)
    state = wl.State(world)
    state.put(nodes, resting.q.reshape(elements, 4))
    return state


def spin_ring(elements: int, turning: float, held: bool = False, balanced: bool = True) -> wl.State:
    """Create the ring of `create_ring` with nodes that rotate with the ring at the speed ``turning`` [rad/s]. With
    ``held``, a constraint fixes one node.

    Without ``balanced``, the nodes lie on the circle, where cubic elements are only approximately in equilibrium.
    """
    world, angle = wl.World(), 2.0 * np.pi * np.arange(elements) / elements
    radial, along = np.stack((np.cos(angle), np.sin(angle)), 1), np.stack((-np.sin(angle), np.cos(angle)), 1)
    nodes = world.add(el.PointSlope2D, position=radial, slope=along)
    world.add(
        el.Cable2D, node0=nodes, node1=nodes[np.roll(np.arange(elements), -1)], length=2.0 * np.pi / elements,
        axial_stiffness=1e7, bending_stiffness=1.0, mass_per_length=0.5, reference_curvature=1.0,
        reference_strain=-0.5 * turning**2 / 1e7,
    )  # fmt: skip
    if held:
        con.fix(world, nodes[0], "x", "y")
    state = wl.State(world)
    moved = create_ring(elements).q.reshape(elements, 4) if balanced else np.zeros((elements, 4))
    x = np.hstack((radial, along)) + moved
    state.put(nodes, moved)
    state.put(nodes, turning * np.column_stack((-x[:, 1], x[:, 0], -x[:, 3], x[:, 2])), "v")
    return state


def ring_frequencies(turning: float, waves: tuple[int, ...]) -> FloatArray:
    """Return the angular frequencies [rad/s] of `create_ring` in the frame at rest, two for each number of waves,
    ascending.

    The closed form is ω = n (n² - 1)/(n² + 1) (√(Ω² + k (n² + 1)) ± Ω), k = EI/(ρA R⁴). The closed form follows from L
    = T - V of an inextensible ring with the tension ρA R² Ω² (G. H. Bryan, Proc. Cambridge Phil. Soc. 7 (1890) 101-111;
    G. F. Carrier, Quart. Appl. Math. 3 (1945) 235-245).
    """
    n = np.array(waves, float)
    root = np.sqrt(turning**2 + (n**2 + 1.0) / 0.5)
    factor = n * (n**2 - 1.0) / (n**2 + 1.0)
    return np.sort(np.concatenate((factor * (root - turning), factor * (root + turning))))


def create_body(damping: float = 0.0) -> tuple[wl.World, Entity]:
    """Create a body of 2 kg and 0.1 kg m^2 on two springs of 300 N/m along x and 50 N/m along y. The springs act at 0.2
    m from the centre of the body.
    """
    world = wl.World()
    body = world.add(el.RigidBody2D, position=(0.0, 0.0), mass=2.0, inertia=0.1)
    for x in (-0.2, 0.2):
        world.add(
            con.CartesianSpringDamper,
            marker0=con.position_marker(world, world.add(el.Ground), at=(x, 0.0)),
            marker1=con.position_marker(world, body, at=(x, 0.0)),
            stiffness=(300.0, 50.0, 0.0),
            damping=(0.0, damping, 0.0),
        )
    return world, body


def create_drive(elements: int, solve: bool = True, damping: float = 0.0) -> tuple[wl.State, Entity, list[Entity]]:
    """Create a belt with a tension of 200 N. The belt sticks to two pulleys, which turn freely, with the radius 0.1 m
    and the distance 0.5 m. Return the cables and pulleys.

    If ``solve`` is false, the state has the initial values.
    """
    world = wl.World()
    wheels = [
        world.add(el.RigidBody2D, position=(x, 0.0), mass=1.0, inertia=inertia, name=name)
        for x, inertia, name in ((0.0, 0.01, "driver"), (0.5, 0.02, "driven"))
    ]
    belt = el.cable_around(
        world, wheels, elements, radius=0.1,
        axial_stiffness=4e4, bending_stiffness=1e-4, mass_per_length=0.1, reference_strain=-200.0 / 4e4,
        axial_damping=damping,
    )  # fmt: skip
    held = [con.fix(world, wheel, "rotation") for wheel in wheels]
    for wheel in wheels:
        con.fix(world, wheel, "x", "y")
        con.add_contact(
            world, con.ContactFrictionCircleCable2D, wheel, belt, segments=4,
            circle_radius=0.1, contact_stiffness=1e8, friction_stiffness=1e8, friction_coefficient=0.8,
        )  # fmt: skip
    state = wl.Static(world, load_steps=2, name="").solve() if solve else wl.State(world)
    for hold in held:
        world.set(hold, active=False)
    return state, belt, wheels
