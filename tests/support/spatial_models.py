"""Models of cables that are built twice: in 2D with `Cable2D`, and in any plane in 3D with `Cable3D`."""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.connectors import Force, Torque, clamp, hinge, position_marker, rigid_marker
from windlass.elements import Cable2D, Cable3D, PointSlope2D, PointSlope3D
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World

from support.cables3d import lift


class Chain:
    """A cable along a line, in 3D with a rotation R, or in 2D for R = None.

    Args:
        R: rotation, shape (3, 3).
        elements: number of cables.
        length: length of the whole cable [m].
        gravity: gravity in the plane of the cable [m/s^2].
        **columns: columns of the cables.
    """

    def __init__(
        self, R: Any = None, elements: int = 8, length: float = 1.0, gravity: Any = (0.0, 0.0), **columns: Any
    ) -> None:
        self.R, self.plane = R, R is None
        self.world = World(gravity=self.turn(gravity))
        line = np.column_stack((np.linspace(0.0, length, elements + 1), np.zeros(elements + 1)))
        node, cable = (PointSlope2D, Cable2D) if self.plane else (PointSlope3D, Cable3D)
        self.nodes: Entity = self.world.add(node, position=self.turn(line), slope=self.turn((1.0, 0.0)))
        self.cables: Entity = self.world.add(
            cable, node0=self.nodes[:-1], node1=self.nodes[1:], length=length / elements, **columns
        )

    def turn(self, vectors: Any) -> Any:
        """Rotate 2D vectors into the plane of the model."""
        return np.asarray(vectors, dtype=float) if self.plane else lift(vectors, self.R)

    def force(self, vector: Any) -> None:
        """Add a force on the last node [N]."""
        three = np.append(self.turn(vector), 0.0)[:3]
        self.world.add(Force, marker=position_marker(self.world, self.nodes[len(self.nodes) - 1]), vector=three)

    def torque(self, moment: float) -> None:
        """Add a torque on the end of the cable, normal to its plane [N m]."""
        last = self.cables[len(self.cables) - 1]
        normal = (0.0, 0.0, 1.0) if self.plane else self.R[:, 2]
        marker = rigid_marker(self.world, last, (float(last.length), 0.0))
        self.world.add(Torque, marker=marker, vector=moment * np.asarray(normal))

    def clamp(self) -> None:
        """Fix position and direction of the first node."""
        clamp(self.world, self.nodes[0])

    def hinge(self, node: int = 0) -> Entity:
        """Fix the position of a node."""
        return hinge(self.world, self.nodes[node])

    def in_plane(self, values: Any) -> Any:
        """Return the coordinates of the nodes in the plane of the cable, shape (nodes, 4), and normal to the plane,
        (nodes, 2).
        """
        if self.plane:
            return values.reshape(-1, 4), np.zeros((len(self.nodes), 2))
        turned = values.reshape(-1, 2, 3) @ self.R
        return turned[:, :, :2].reshape(-1, 4), turned[:, :, 2]
