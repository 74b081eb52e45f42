"""Models of 3D ropes in contact with each other: crossings, rails, a coil on a rope, layers on a drum, twisted ropes,
and an overhand knot.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import root

import windlass as wl
from windlass import connectors as con
from windlass.elements import Cable3D, Ground, PointSlope3D, nodes_of, straight_cable
from windlass.framework.model.table import Entity

RADIUS = 0.005
COLUMNS = {"mass_per_length": 0.1, "axial_stiffness": 2e4, "bending_stiffness": 1e-3}


class Ropes(NamedTuple):
    """A world with two ropes, the nodes of the second rope, and the rows of the contact."""

    world: wl.World
    first: Entity
    second: Entity
    nodes: Entity
    rows: Entity


def create_crossing(
    angle: float = 0.5 * np.pi,
    depth: float = 1e-4,
    points: int = 10,
    held: bool = True,
    offset: float = 0.0,
    **law: Any,
) -> Ropes:
    """Create two straight ropes with the length 0.1 m that cross at their middles, one above the other.

    Either all nodes of both ropes are clamped, or no node is clamped.

    Args:
        angle: angle between the ropes [rad].
        depth: overlap of the ropes at the crossing [m].
        points: number of contact points of each cable with the length 0.05 m.
        held: whether all nodes are clamped.
        offset: distance of the crossing from the middle of the second rope [m].
        **law: columns of the contact set.
    """
    world = wl.World()
    first = straight_cable(world, (-0.05, 0.0, 0.0), (0.05, 0.0, 0.0), 2, **COLUMNS)
    along, up = np.array([np.cos(angle), np.sin(angle), 0.0]), np.array([0.0, 0.0, 2.0 * RADIUS - depth])
    start, end = ((s + offset) * along + up for s in (-0.05, 0.05))
    second = straight_cable(world, start, end, 2, **COLUMNS)
    if held:
        for rope in (first, second):
            con.clamp(world, nodes_of(world, rope))
    law = {"contact_stiffness_per_length": 1e7, **law}
    rows = con.add_cable_contact(world, [first, second], radius=RADIUS, points=points, **law)
    return Ropes(world, first, second, nodes_of(world, second), rows)


def create_rails(gravity: Any, friction: float) -> Ropes:
    """Create a stiff rope (bar) across two clamped ropes, which run along x at a distance of 0.1 m. The initial state
    of the bar is in equilibrium.

    The contact is so soft that each contact patch includes several points. Dampers of points that enter a patch cause a
    resistance to motion.
    """
    world = wl.World(gravity=gravity)
    rails = [straight_cable(world, (-0.02, y, 0.0), (0.02, y, 0.0), 1, **COLUMNS) for y in (-0.05, 0.05)]
    for rail in rails:
        con.clamp(world, nodes_of(world, rail))
    weight, stiffness = 0.5 * 0.16 * COLUMNS["mass_per_length"] * 9.81, 1e5
    # the depth follows from the force ∫ k δ ds of a crossing at a right angle
    depth = (0.75 * weight / (stiffness * np.sqrt(4.0 * RADIUS))) ** (2.0 / 3.0)
    height = 2.0 * RADIUS - depth
    stiff = {**COLUMNS, "bending_stiffness": 50.0, "axial_stiffness": 1e5}
    bar = straight_cable(world, (0.0, -0.08, height), (0.0, 0.08, height), 4, **stiff)
    rows = con.add_cable_contact(
        world, [*rails, bar], radius=RADIUS, points=40, contact_stiffness_per_length=stiffness,
        contact_damping_per_length=20.0, friction_coefficient=friction, friction_stiffness_per_length=1e6,
        friction_velocity_penalty_per_length=700.0,
    )  # fmt: skip
    return Ropes(world, rails[0], bar, nodes_of(world, bar), rows)


def create_coil(
    elements: int, wrap: float, radius: float, core: float, friction: float, stiffness: float, force: float, rest: float
) -> Ropes:
    """Create a coil of rope around a clamped straight rope with the radius ``core`` [m]. The winding tension is
    ``rest`` [N].

    The last node of the coil is fixed, and a force [N] pulls at the first node. ``stiffness`` [N/m²] is the stiffness
    of contact and bristles.
    """
    world = wl.World()
    drum = straight_cable(world, (0.0, 0.0, -0.02), (0.0, 0.0, 0.02), 2, **COLUMNS)
    con.clamp(world, nodes_of(world, drum))
    reach = core + radius
    around = reach - rest / (reach * stiffness)
    length = around * (wrap + 0.2)
    s = np.linspace(-0.1 * around, length - 0.1 * around, elements + 1)
    angle = np.clip(s / around, 0.0, wrap)
    out = np.stack((np.cos(angle), np.sin(angle), 0.0 * angle), axis=1)
    along = np.stack((-np.sin(angle), np.cos(angle), 0.0 * angle), axis=1)
    position = around * out + (s - around * angle)[:, None] * along
    nodes = world.add(PointSlope3D, position=position, slope=along)
    columns = {"mass_per_length": 0.01, "axial_stiffness": 2e5, "bending_stiffness": 1e-5}
    rope = world.add(
        Cable3D, node0=nodes[:-1], node1=nodes[1:], length=length / elements, reference_strain=-rest / 2e5, **columns
    )
    con.hinge(world, nodes[elements])
    con.fix(world, nodes[0], "z")
    world.add(con.Force, marker=con.position_marker(world, nodes[0]), vector=tuple(-force * along[0]))
    rows = con.add_cable_contact(
        world, [drum, rope], radius=[core, radius], points=4, contact_stiffness_per_length=stiffness,
        friction_coefficient=friction, friction_stiffness_per_length=stiffness,
    )  # fmt: skip
    return Ropes(world, drum, rope, nodes, rows)


def lay_overhand(elements: int) -> tuple[Any, Any, float]:
    """Return positions [m] and unit tangents of the nodes of a loose overhand knot, shape (elements + 1, 3) each, and
    the length of the knot [m].

    The curve is a polynomial trefoil, A. R. Shastri, Tohoku Math. J. 44 (1992) 11-17, with straight tails.
    """
    t = np.linspace(-2.05, 2.05, 8001)
    curve = 0.04 * np.stack((t**3 - 3.0 * t, t**4 - 4.0 * t**2, 0.175 * (t**5 - 10.0 * t)), axis=1)
    tail = np.linspace(0.0, 0.05, 801)[1:, None]
    begin, end = (curve[0] - curve[1], curve[-1] - curve[-2])
    begin, end = begin / np.linalg.norm(begin), end / np.linalg.norm(end)
    curve = np.concatenate((curve[0] + tail[::-1] * begin, curve, curve[-1] + tail * end))
    s = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(curve, axis=0), axis=1)))
    places = np.linspace(0.0, s[-1], elements + 1)
    rates = np.gradient(curve, s, axis=0)
    position, slope = (np.stack([np.interp(places, s, z[:, e]) for e in range(3)], axis=1) for z in (curve, rates))
    return position, slope / np.linalg.norm(slope, axis=1)[:, None], float(s[-1])


def create_knot(elements: int, friction: float, speed: float = 1.0, stiffness: float = 2e8) -> Ropes:
    """Create an overhand knot whose ends move apart, each with a constant speed [m/s] after 20 ms of acceleration."""
    position, slope, length = lay_overhand(elements)
    world = wl.World()
    nodes = world.add(PointSlope3D, position=position, slope=slope)
    columns = {**COLUMNS, "bending_stiffness": 2e-3, "axial_damping": 5.0, "bending_damping": 2e-4}
    rope = world.add(Cable3D, node0=nodes[:-1], node1=nodes[1:], length=length / elements, **columns)
    rows = con.add_cable_contact(
        world, rope, radius=RADIUS, points=int(np.ceil(length / elements / RADIUS)),
        contact_stiffness_per_length=stiffness, contact_damping_per_length=1e-5 * stiffness,
        friction_coefficient=friction, friction_stiffness_per_length=0.01 * stiffness,
        friction_velocity_penalty_per_length=20.0,
    )  # fmt: skip
    apart = position[-1] - position[0]
    for node, sign in ((0, -1.0), (elements, 1.0)):
        for name, share in zip("xyz", sign * speed * apart / np.linalg.norm(apart), strict=True):
            con.prescribe(world, nodes[node], name, _Draw(float(share)))
    return Ropes(world, rope, rope, nodes, rows)


class _Draw:
    """Displacement [m] of an end of a knot. The speed [m/s] is constant after 20 ms of acceleration."""

    def __init__(self, speed: float) -> None:
        self._speed = speed

    def __call__(self, t: float) -> float:
        return self._speed * (25.0 * t * t if t < 0.02 else t - 0.01)


def find_depths(world: wl.World, rope: Entity, state: wl.State, apart: float, samples: int = 40) -> Any:
    """For each point of a chain, return the distance [m] to the nearest point that is more than ``apart`` away along
    the chain. The function compares all pairs of points.

    The result has the shape (elements, samples). The sampled points are the middles of equal parts of each cable.
    """
    # imported inside the function, because most tests do not need SciPy's spatial search
    from scipy.spatial.distance import cdist

    length = float(rope[0].length)
    xs = (np.arange(samples) + 0.5) * length / samples
    points = np.stack([wl.eval_output(rope, "position", state, x=x) for x in xs], axis=1).reshape(-1, 3)
    arc = (np.arange(len(rope))[:, None] * length + xs).ravel()
    distance = cdist(points, points)
    distance[np.abs(arc[:, None] - arc) < apart] = np.inf
    return distance.min(axis=1).reshape(len(rope), samples)


class Layers(NamedTuple):
    """Rings of rope on a drum: three rings in the first layer, and two rings of the second layer in the grooves between
    the first rings.

    Attributes:
        world: the world that contains drum and rings.
        rings: closed ropes; the rings of the first layer, in the order along the axis, are followed by the rings of the
            second layer.
        radii: radii of the ropes' axes at the start [m], shape (5,).
        on_drum, on_ropes: rows of contact of ropes with the drum and with each other. The rows on the drum are in the
            order cylinder, flange at one end, flange at the opposite end.
    """

    world: wl.World
    rings: list[Entity]
    radii: Any
    on_drum: Entity
    on_ropes: Entity


LAYERS: dict[str, float] = {"radius": 0.1, "pitch": 0.0104, "stiffness": 1e8, "EA": 1e5, "tension": 500.0}
"""Parameters of `create_layers`: drum, distance between the rings of the first layer [m], stiffnesses of contacts
[N/m²], ropes, and tension of winding [N].
"""


def create_layers(elements: int) -> Layers:
    """Create rings that touch each other and the drum, without penetration."""
    world, pitch, stiffness = wl.World(), LAYERS["pitch"], LAYERS["stiffness"]
    rise = np.sqrt(4.0 * RADIUS**2 - 0.25 * pitch**2)
    radii = LAYERS["radius"] + RADIUS + rise * np.repeat((0.0, 1.0), (3, 2))
    phi = 2.0 * np.pi * np.arange(elements) / elements
    out, along = (
        np.stack((x, y, 0.0 * phi), axis=1) for x, y in ((np.cos(phi), np.sin(phi)), (-np.sin(phi), np.cos(phi)))
    )
    rings = []
    for radius, z in zip(radii, pitch * np.array((-1.0, 0.0, 1.0, -0.5, 0.5)), strict=True):
        nodes = world.add(PointSlope3D, position=radius * out + (0.0, 0.0, z), slope=along)
        ring = world.add(
            Cable3D, node0=nodes, node1=nodes[np.roll(np.arange(elements), -1)], length=2.0 * np.pi * radius / elements,
            mass_per_length=0.3, axial_stiffness=LAYERS["EA"], bending_stiffness=1e-6,
            reference_strain=-LAYERS["tension"] / LAYERS["EA"],
        )  # fmt: skip
        # without friction, only this constraint prevents a rotation about the axis of the drum
        con.fix(world, nodes[0], "y")
        rings.append(ring)
    drum = con.add_drum(
        world, con.rigid_marker(world, world.add(Ground)), radius=LAYERS["radius"], half_width=pitch + RADIUS,
        flange_radius=LAYERS["radius"] + 6.0 * RADIUS,
    )  # fmt: skip
    law = {"contact_stiffness_per_length": stiffness}
    on_drum = con.add_surface_contact(world, drum, rings[:3], points=5, rope_radius=RADIUS, **law)
    return Layers(world, rings, radii, on_drum, con.add_cable_contact(world, rings, radius=RADIUS, points=8, **law))


def solve_layers(radii: Any) -> tuple[Any, float, Any, Any]:
    """Return the solution by statics: the tensions [N] of the five rings, the force of a flange, the forces of the drum
    on three rings, and the forces [N/rad] between rings.

    A ring under the tension T needs the radial force T per radian. The unknowns are radii and positions of the middle
    ring and an outer ring of the first layer, and of a ring of the second layer, which lies on these two rings.
    """
    k, (low, high), drum = LAYERS["stiffness"], radii[[0, 3]], LAYERS["radius"]

    def press(R1: float, z1: float, R2: float, z2: float) -> tuple[float, float]:
        """Return the radial and the axial force [N/rad] between two rings, including the weights of the contact
        points.
        """
        rise, across = R2 - R1, z2 - z1
        distance = np.hypot(rise, across)
        share = 1.0 / (1.0 + ((1.0 + rise / R1) / (1.0 - rise / R2)) ** 2)
        force = k * (2.0 * RADIUS - distance) * (share * low + (1.0 - share) * high)
        return force * rise / distance, force * across / distance

    def eval_rings(x: Any) -> tuple[Any, float, Any, Any, Any]:
        middle, outer, place, upper, between = x
        tension = LAYERS["tension"] + LAYERS["EA"] * (np.array((middle, outer, upper)) / (low, low, high) - 1.0)
        on_middle, on_outer = press(middle, 0.0, upper, between), press(outer, place, upper, between)
        flange = k * low * (place - LAYERS["pitch"])
        on_drum = k * low * (drum + RADIUS - np.array((middle, outer)))
        rest = (
            on_drum[0] - tension[0] - 2.0 * on_middle[0], on_drum[1] - tension[1] - on_outer[0], flange + on_outer[1],
            tension[2] - on_middle[0] - on_outer[0], on_middle[1] + on_outer[1],
        )  # fmt: skip
        grooves = np.hypot(*on_middle), np.hypot(*on_outer)
        return tension, flange, on_drum, grooves, rest

    start = low, low, LAYERS["pitch"], high, 0.5 * LAYERS["pitch"]
    found = root(lambda x: eval_rings(np.array(start) + 1e-6 * x)[-1], np.zeros(5), tol=1e-12)
    assert found.success
    tension, flange, on_drum, (middle, outer), _ = eval_rings(np.array(start) + 1e-6 * found.x)
    held = np.array((outer, 2.0 * middle, outer, middle + outer, middle + outer))
    return tension[[1, 0, 1, 2, 2]], flange, on_drum[[1, 0, 1]], held


def create_twisted_pair(elements: int, turns: int, lead: float, tension: float, stiffness: float) -> Ropes:
    """Create two ropes along helices about a common axis, which is along x. The ends are clamped, and the ropes have a
    tension [N].

    ``lead`` is the length of a turn along the axis [m]. ``stiffness`` is the stiffness of contact [N/m²].
    """
    world, whole = wl.World(), float(np.hypot(2.0 * np.pi * RADIUS, lead))
    s, zero = np.linspace(0.0, turns * whole, elements + 1), np.zeros(elements + 1)
    columns = {"mass_per_length": 0.1, "axial_stiffness": 1e5, "bending_stiffness": 1e-6}
    ropes, nodes = [], []
    for begin in (0.0, np.pi):
        angle = 2.0 * np.pi * s / whole + begin
        position = np.stack((s * lead / whole, RADIUS * np.cos(angle), RADIUS * np.sin(angle)), axis=1)
        slope = np.stack((zero + lead, -2.0 * np.pi * position[:, 2], 2.0 * np.pi * position[:, 1]), axis=1) / whole
        nodes.append(world.add(PointSlope3D, position=position, slope=slope))
        con.clamp(world, nodes[-1][[0, elements]])
        ropes.append(
            world.add(
                Cable3D, node0=nodes[-1][:-1], node1=nodes[-1][1:], length=turns * whole / elements,
                reference_strain=-tension / columns["axial_stiffness"], **columns,
            )
        )  # fmt: skip
    rows = con.add_cable_contact(world, ropes, radius=RADIUS, points=6, contact_stiffness_per_length=stiffness)
    return Ropes(world, *ropes, nodes[1], rows)
