"""Models of any size for scaling.py and iterative.py, built array-wise: a chain of cables and a net of cables.

Both are stretched, held at their ends or all around by constraints or by stiff springs, and pulled by gravity.
"""

from typing import Any, NamedTuple

import numpy as np
from chain_windlass import add_chain

import windlass as wl
from windlass import connectors as con
from windlass.elements import Cable2D, PointSlope2D, nodes_of

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
"""Stiffness of a support that is a spring [N/m]."""
MODELS = ("chain", "net")


class Model(NamedTuple):
    """A model, not finalized: its world and its cable elements."""

    world: wl.World
    cables: wl.Entity


def build(model: str, size: int, elements: int = 5, supports: str = "constraints", light: bool = False) -> Model:
    """A model by name.

    Args:
        model: ``"chain"`` or ``"net"``.
        size: cables of the chain, or lines of the net in either direction.
        elements: cable elements between crossings of the net.
        supports: ``"constraints"`` or ``"springs"``.
        light: 1/1000 of the weight, and less beyond 100000 cables, for one load step of the chain in statics.
    """
    if model == "chain":
        return build_chain(size, supports, light)
    return build_net(size, elements, supports)


def build_chain(cables: int, supports: str, light: bool) -> Model:
    """The chain of chain_windlass.py with integration rule 2."""
    # the sag grows as the square of the length
    share = 1e-3 * min(1.0, (1e5 / cables) ** 2) if light else 1.0
    world = wl.World(gravity=(0.0, -9.81 * share))
    chain = add_chain(world, cables, 2)
    hold(world, nodes_of(world, chain)[np.array([0, -1])], supports)
    return Model(world, chain)


def build_net(lines: int, elements: int, supports: str) -> Model:
    """Lines x lines crossings at distances of 1 m, cables of so many elements between neighbours, joined by hinges."""
    world = wl.World(gravity=NET_GRAVITY)
    y, x = np.divmod(np.arange(lines * lines), lines)
    place = np.stack((x, y), axis=1).astype(float)
    along_x = world.add(PointSlope2D, position=place, slope=(1.0, 0.0), name="crossings")
    along_y = world.add(PointSlope2D, shares_position=along_x, position=place, slope=(0.0, 1.0))
    cables = []
    for direction, crossings in enumerate((along_x.rows.reshape(lines, lines), along_y.rows.reshape(lines, lines).T)):
        # one line after the other, each with all its nodes in order
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


def hold(world: wl.World, nodes: wl.Entity, supports: str) -> None:
    """Hold nodes in x and y."""
    if supports == "constraints":
        con.fix(world, nodes, "x", "y")
        return
    for name in ("x", "y"):
        world.add(con.CoordinateSpringDamper, marker1=con.coordinate_marker(world, nodes, name), stiffness=SPRING)


def newton_tolerance(model: str, size: int) -> float:
    """Relative tolerance of Newton above what the rounding of large coordinates leaves [1]."""
    if model == "chain":
        return max(1e-9, 2e-14 * size**1.5) if size <= 30_000 else 1e-5 if size <= 300_000 else 1e-4
    return 1e-8 if size <= 100 else 1e-6
