"""Plane lattices of cables from gmsh files: hanging from the upper edge with a side load, or falling onto a circle.

Every process builds the same world from its own file.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from windlass.connectors import ContactCircleCable2D, Force, add_contact, fix, position_marker
from windlass.elements import CableMesh, Ground, cables_from_mesh
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.state import State
from windlass.solvers.static import Static

from support.meshes import write_lines

GRAVITY = 9.81
"""gravity [m/s^2]"""


class Lattice(NamedTuple):
    """A lattice model: world, net, and supports or contacts."""

    world: World
    net: CableMesh
    supports: Entity


def write_lattice(path: Path, n: int, side: float = 1.0, center: tuple[float, float] = (0.0, 0.0)) -> Path:
    """Write a square of n x n meshes as a file of lines.

    Groups: lines "horizontal" and "vertical", points "top", "bottom", "left", "right".

    Args:
        path: file to write.
        n: number of meshes along each side.
        side: length of a side [m].
        center: centre of the square [m].
    """
    number = np.arange((n + 1) ** 2).reshape(n + 1, n + 1)  # points row by row, from the lowest row
    y, x = np.indices(number.shape) * (side / n) - 0.5 * side
    points = np.column_stack((x.ravel() + center[0], y.ravel() + center[1]))
    horizontal = np.column_stack((number[:, :-1].ravel(), number[:, 1:].ravel()))
    vertical = np.column_stack((number[:-1].ravel(), number[1:].ravel()))
    edges = {"top": number[-1], "bottom": number[0], "left": number[:, 0], "right": number[:, -1]}
    groups = {"horizontal": np.arange(len(horizontal)), "vertical": len(horizontal) + np.arange(len(vertical))}
    return write_lines(path, points, np.concatenate((horizontal, vertical)), groups, edges)


def _build_net(world: World, n: int, cables_per_line: int, columns: dict[str, Any]) -> CableMesh:
    with TemporaryDirectory() as folder:
        path = write_lattice(Path(folder) / "lattice.msh", n)
        return cables_from_mesh(world, path, cables_per_line=cables_per_line, **columns)


def hung_lattice(n: int, cables_per_line: int = 1, side_load: float = 0.0, **columns: Any) -> Lattice:
    """Create a lattice of 1 m x 1 m that hangs from its upper edge.

    Args:
        n: number of meshes along each side.
        cables_per_line: cables between neighbouring knots.
        side_load: total force [N] along x on the right edge; a large negative force makes the rows buckle.
        **columns: columns of `Cable2D` that replace the defaults, and arguments of `cables_from_mesh`.
    """
    world = World(gravity=(0.0, -GRAVITY))
    values = {"axial_stiffness": 1e3, "bending_stiffness": 1e-4, "mass_per_length": 0.1} | columns
    net = _build_net(world, n, cables_per_line, values)
    supports = fix(world, net.nodes["top"], "x", "y")
    if side_load != 0.0:
        marker = position_marker(world, net.nodes["right"])
        world.add(Force, marker=marker, vector=(side_load / (n + 1), 0.0, 0.0))
    return Lattice(world, net, supports)


def create_static(lattice: Lattice, **arguments: Any) -> Static:
    """Create the static solver of a hanging lattice.

    The solver has a stabiliser, because nothing else prevents sideways motion of the net before its weight makes it
    taut.
    """
    return Static(lattice.world, **{"load_steps": 2, "stabiliser": 100.0, "name": "", **arguments})


def solve_hung(lattice: Lattice, **arguments: Any) -> tuple[State, Static]:
    """Return the equilibrium of a hanging lattice, and its solver."""
    static = create_static(lattice, **arguments)
    return static.solve(), static


def falling_lattice(n: int, cables_per_line: int = 1, **columns: Any) -> Lattice:
    """Create a lattice of 1 m x 1 m that falls onto a fixed circle with the radius 0.2 m, which is 2 mm below the
    lattice.

    Args:
        n: number of meshes along each side.
        cables_per_line: cables between neighbouring knots.
        **columns: columns of `Cable2D` that replace the defaults, and arguments of `cables_from_mesh`.
    """
    world = World(gravity=(0.0, -GRAVITY))
    values = {
        "axial_stiffness": 1e3,
        "bending_stiffness": 1e-4,
        "mass_per_length": 0.1,
        "axial_damping": 0.5,
        "bending_damping": 1e-6,
    } | columns
    net = _build_net(world, n, cables_per_line, values)
    ground = world.add(Ground, position=(0.0, -0.702, 0.0))
    contacts = add_contact(
        world,
        ContactCircleCable2D,
        circles=ground,
        cables=net.all_cables,
        segments=2,
        circle_radius=0.2,
        contact_stiffness_per_length=1e5,
        contact_damping_per_length=10.0,
    )
    return Lattice(world, net, contacts)
