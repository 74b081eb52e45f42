"""Nodes of rigid bodies in Exudyn with three rotation angles (``RigidBodyRxyz``), which are converted to Euler
parameters.

    R = R_x(a) R_y(b) R_z(c),    ω = T (a, b, c)_t,    T = [e_x, R_x e_y, R_x R_y e_z]

R is the rotation matrix of a body, and a, b and c are the angles. R_x, R_y and R_z are the rotations by these angles
about the axes x, y and z, whose unit vectors are e_x, e_y and e_z. ω is the angular velocity in the global frame, and
the index t denotes the derivative with respect to time. The exact motion is the same for angles and Euler parameters,
but the numerical errors differ if the angular velocity of the body changes. The numerical errors are of second order in
the step size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from windlass.elements.nodes.rotations import euler_parameter_rates, euler_parameters_of
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.model.table import Entity
from windlass.framework.state.hooks import StepHook
from windlass.framework.state.state import State

ANGLES = "RigidBodyRxyz"
"""Name of the node type with angles in Exudyn."""


def find_matrix(angles: FloatArray) -> FloatArray:
    """Return the rotation matrix R of three angles [rad]."""
    from scipy.spatial.transform import Rotation  # imported here, because the import takes as long as a short run

    matrix: FloatArray = Rotation.from_euler("XYZ", angles).as_matrix()
    return matrix


def find_rates(angles: FloatArray) -> FloatArray:
    """Return the matrix T of three angles [rad], shape (3, 3)."""
    columns = [find_matrix(np.array(part)) for part in ((0.0, 0.0, 0.0), (angles[0], 0, 0), (angles[0], angles[1], 0))]
    return np.stack([matrix[:, k] for k, matrix in enumerate(columns)], axis=1)


def find_angles(e: FloatArray, near: FloatArray) -> FloatArray:
    """Return the angles [rad] for Euler parameters e, shape (4,). Two solutions exist, (a, b, c) and (a + π, π - b, c +
    π), plus multiples of 2π; the solution closest to the angles ``near`` is returned.
    """
    from scipy.spatial.transform import Rotation  # imported here, because the import takes as long as a short run

    a, b, c = Rotation.from_quat(np.roll(e, -1)).as_euler("XYZ")
    found = np.array(((a, b, c), (a + np.pi, np.pi - b, c + np.pi)))
    found -= 2 * np.pi * np.round((found - near) / (2 * np.pi))
    nearest: FloatArray = found[np.argmin(np.abs(found - near).sum(axis=1))]
    return nearest


def _turning(rate: FloatArray, e: FloatArray) -> FloatArray:
    """Return the vector part of the quaternion 2 rate e*/|e|² in the global frame, where e* is the conjugate of the
    Euler parameters e. The result is the angular velocity if ``rate`` is e_t, or the angular acceleration if ``rate``
    is e_tt.
    """
    w, u = e[0], e[1:]
    vector: FloatArray = 2.0 * (w * rate[1:] - rate[0] * u + np.cross(u, rate[1:])) / (e @ e)
    return vector


@dataclass
class AngleNode:
    """A node with three rotation angles in Exudyn.

    Attributes:
        node: the node of Windlass.
        where: indices of the six coordinates of the node in Exudyn's vector of ODE2 coordinates.
        item: dictionary of the node in Exudyn.
        last: angles at the end of the previous step [rad]. Angles of the next step are chosen close to these values.
            Therefore angles are continuous beyond half a turn; see `FollowAngles`.
        reference: reference coordinates of the node in Exudyn: position [m] and angles [rad], shape (6,).
    """

    node: Entity
    where: IntArray
    item: Mapping[str, Any]
    last: FloatArray = field(init=False)
    reference: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        self.reference = np.asarray(self.item["referenceCoordinates"], np.float64)
        self.last = self.reference[3:].copy()

    def place(self, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Convert displacements and velocities of Exudyn, shape (6,) each, to displacements and velocities of Windlass,
        shape (7,) each.
        """
        start = euler_parameters_of(find_matrix(self.reference[3:]))
        total = self.last = self.reference[3:] + q[3:]
        e = euler_parameters_of(find_matrix(total))
        e = e if e @ start >= 0.0 else -e
        rates = euler_parameter_rates(e, find_rates(total) @ v[3:])
        return np.concatenate((q[:3], e - start)), np.concatenate((v[:3], rates))

    def read(self, q: FloatArray, v: FloatArray, a: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Convert displacements, velocities and accelerations of Windlass, shape (7,) each, to values of Exudyn, shape
        (6,) each.
        """
        e = euler_parameters_of(find_matrix(self.reference[3:])) + q[3:]
        angles = find_angles(e, self.last)
        T, speed = find_rates(angles), _turning(v[3:], e)
        rates = np.linalg.solve(T, speed)
        # the columns of T_t
        first = rates[0] * T[:, 0]
        T_rate = np.stack(
            (np.zeros(3), np.cross(first, T[:, 1]), np.cross(first + rates[1] * T[:, 1], T[:, 2])), axis=1
        )
        faster = np.linalg.solve(T, _turning(a[3:], e) - T_rate @ rates)
        parts = (angles - self.reference[3:], rates, faster)
        moved, fast, accelerated = (np.concatenate((x[:3], part)) for x, part in zip((q, v, a), parts, strict=True))
        return moved, fast, accelerated


class FollowAngles(StepHook):
    """Hook that updates the angles of nodes after every step, even if no result contains the angles.

    Args:
        nodes: the nodes.
    """

    def __init__(self, nodes: Sequence[AngleNode]) -> None:
        self._nodes = nodes

    def before_solve(self, state: State, end: float, steps: int) -> None:
        """Compute the angles at the start of a solve."""
        self.after_step(state)

    def after_step(self, state: State) -> None:
        """Update the angles after a step."""
        whole = state.gather()
        for node in self._nodes:
            q, v, a = (whole.of(node.node, name)[0] for name in ("q", "v", "a"))
            node.last = node.read(q, v, a)[0][3:] + node.reference[3:]

    def checkpoint(self) -> dict[str, Any]:
        """Return the angles at the end of the last step."""
        return {"last": [node.last for node in self._nodes]}

    def restore(self, kept: Mapping[str, Any], state: State) -> None:
        """Restore the angles at the end of the last step."""
        for node, last in zip(self._nodes, kept["last"], strict=True):
            node.last = np.asarray(last, np.float64)
