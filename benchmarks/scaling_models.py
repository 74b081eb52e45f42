"""Models of any size for scaling.py and iterative.py, built with arrays: a chain, a net and a belt of cables.

Chain and net are stretched and loaded by gravity. The chain is supported at its ends and the net along its edges, by
constraints or by stiff springs. The belt is the belt of examples/belt_drive.py with 2 segments per element. The length
of the belt grows with the number of elements.
"""

from typing import Any, NamedTuple

import numpy as np
from chain_windlass import add_chain

import windlass as wl
from windlass import connectors as con
from windlass.elements import Cable2D, PointSlope2D, RigidBody2D, cable_around, nodes_of

NET_GRAVITY = (2.0, -9.81)
NET_CABLE: dict[str, Any] = {
    "axial_stiffness": 1e5,
    "bending_stiffness": 0.1,
    "mass_per_length": 0.1,
    "axial_damping": 100.0,
    "reference_strain": -0.01,
}
SUPPORTS = ("constraints", "springs")
SPRING = 1e8
"""Stiffness [N/m] of a support spring."""
MODELS = ("chain", "net", "belt")
STEPS = {"chain": 1e-3, "net": 1e-3, "belt": 1e-4}
"""Size [s] of the time steps."""
PER_LENGTH = 8e6
"""Scale [N/m^2] of the contact stiffness per metre of belt."""


class Model(NamedTuple):
    """A model that is not finalized, with its world and its cable elements."""

    world: wl.World
    cables: wl.Entity


def build(model: str, size: int, elements: int = 5, supports: str = "constraints", light: bool = False) -> Model:
    """Build a model by name.

    Args:
        model: ``"chain"``, ``"net"`` or ``"belt"``.
        size: number of cables of the chain or the belt, or of lines of the net in either direction.
        elements: number of cable elements between crossings of the net.
        supports: ``"constraints"`` or ``"springs"``.
        light: whether to use 1/1000 of the weight (less for more than 100000 cables), with which a static solve of the
            chain needs only one load step.
    """
    if model == "chain":
        return build_chain(size, supports, light)
    if model == "belt":
        return build_belt(size)
    return build_net(size, elements, supports)


def build_chain(cables: int, supports: str, light: bool) -> Model:
    """Build the chain of chain_windlass.py with integration rule 2."""
    # the sag grows as the square of the length, so the weight of long chains is reduced
    share = 1e-3 * min(1.0, (1e5 / cables) ** 2) if light else 1.0
    world = wl.World(gravity=(0.0, -9.81 * share))
    chain = add_chain(world, cables, 2)
    hold(world, nodes_of(world, chain)[np.array([0, -1])], supports)
    return Model(world, chain)


def build_net(lines: int, elements: int, supports: str) -> Model:
    """Build a net of lines x lines crossings at distances of 1 m. Crossings are hinges, joined by several cables."""
    world = wl.World(gravity=NET_GRAVITY)
    y, x = np.divmod(np.arange(lines * lines), lines)
    place = np.stack((x, y), axis=1).astype(float)
    along_x = world.add(PointSlope2D, position=place, slope=(1.0, 0.0), name="crossings")
    along_y = world.add(PointSlope2D, shares_position=along_x, position=place, slope=(0.0, 1.0))
    cables = []
    for direction, crossings in enumerate((along_x.rows.reshape(lines, lines), along_y.rows.reshape(lines, lines).T)):
        # lines are stored one after the other, each with all its nodes in order
        rows = np.empty((lines, (lines - 1) * elements + 1), np.int64)
        rows[:, ::elements] = crossings
        inner = np.flatnonzero(np.arange(rows.shape[1]) % elements)
        points = np.empty((lines, len(inner), 2))
        points[:, :, direction] = inner / elements
        points[:, :, 1 - direction] = np.arange(lines)[:, None]
        if len(inner):
            new = world.add(PointSlope2D, position=points.reshape(-1, 2), slope=np.eye(2)[direction])
            rows[:, inner] = new.rows.reshape(lines, -1)
        ends = [wl.Entity(along_x.table, part.ravel()) for part in (rows[:, :-1], rows[:, 1:])]
        cables.append(world.add(Cable2D, node0=ends[0], node1=ends[1], length=1.0 / elements, **NET_CABLE))
    edge = np.flatnonzero((x % (lines - 1) == 0) | (y % (lines - 1) == 0))
    hold(world, along_x[edge], supports)
    return Model(world, wl.Entity(cables[0].table, np.concatenate([part.rows for part in cables])))


def build_belt(cables: int) -> Model:
    """Build a belt around two wheels, stretched by 5 %. One wheel is driven, and the other turns against a damper."""
    size = cables / 240.0
    radius, distance, height = 0.09995 * size, 0.1 * np.pi * size, 1e-4
    world = wl.World(gravity=(0.0, -9.81))
    wheels = [world.add(RigidBody2D, position=(x, 0.0), mass=50.0, inertia=0.25 * size**2) for x in (0.0, distance)]
    belt = cable_around(
        world,
        circles=wheels,
        radius=radius,
        elements=cables,
        radial_offset=height / 2,
        axial_stiffness=8000.0,
        bending_stiffness=1.33e-3,
        mass_per_length=0.8288,
        axial_damping=1.0,
        reference_strain=-0.05,
    )
    for wheel in wheels:
        con.fix(world, wheel, "x", "y")
    con.prescribe_velocity(world, wheels[0], "rotation", lambda t: 12.0 / size * min(t / 0.05, 1.0))
    spin = con.coordinate_marker(world, wheels[1], "rotation")
    world.add(con.CoordinateSpringDamper, marker0=con.coordinate_marker(world, None), marker1=spin, damping=2.0)
    con.add_contact(
        world,
        con.ContactFrictionCircleCable2D,
        circles=wheels,
        cables=belt,
        segments=2,
        circle_radius=radius,
        vertical_offset=-height / 2,
        contact_stiffness_per_length=40 * PER_LENGTH,
        contact_damping_per_length=6400.0,
        friction_velocity_penalty_per_length=10 * (PER_LENGTH * 0.8288) ** 0.5,
        friction_stiffness_per_length=50 * PER_LENGTH,
        friction_coefficient=0.5,
    )
    return Model(world, belt)


def hold(world: wl.World, nodes: wl.Entity, supports: str) -> None:
    """Fix the coordinates x and y of nodes."""
    if supports == "constraints":
        con.fix(world, nodes, "x", "y")
        return
    for name in ("x", "y"):
        world.add(con.CoordinateSpringDamper, marker1=con.coordinate_marker(world, nodes, name), stiffness=SPRING)


def newton_tolerance(model: str, size: int) -> float:
    """Return the relative tolerance [1] of Newton's method, above the rounding errors of large coordinates."""
    if model == "belt":
        return 1e-6
    if model == "chain":
        return max(1e-9, 2e-14 * size**1.5) if size <= 30_000 else 1e-5 if size <= 300_000 else 1e-4
    return 1e-8 if size <= 100 else 1e-6
