"""Nodes of rigid bodies in Exudyn with three rotation angles (``RigidBodyRxyz``). The angles are converted to Euler
parameters.

    R = R_x(a) R_y(b) R_z(c),    ω = T (a, b, c)_t,    T = [e_x, R_x e_y, R_x R_y e_z]

R is the rotation matrix of a body, and a, b and c are the angles. R_x, R_y and R_z are the rotations by these angles
about the axes x, y and z with the unit vectors e_x, e_y and e_z. The angular velocity in the global frame is ω, and the
index t denotes the derivative with respect to time. The exact motion does not depend on the choice of angles or Euler
parameters, but the numerical errors differ if the angular velocity of the body changes. The numerical errors are of
second order in the step size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import is_
from typing import Any

import numpy as np

from windlass.elements.nodes.rotations import euler_parameter_rates, euler_parameters_of
from windlass.exudyn.step_calls import MOST
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.kernels.program import Program, Step
from windlass.framework.model.table import Entity
from windlass.framework.state.hooks import IdleSteps, StepHook
from windlass.framework.state.state import State

ANGLES = "RigidBodyRxyz"
"""Name of the node type with angles in Exudyn."""
SINGULAR = 1e-7
"""If the cosine of b is less than this value [1], a and c are not unique."""


def find_matrix(angles: FloatArray) -> FloatArray:
    """Return the rotation matrix R of three angles [rad]."""
    (sa, sb, sc), (ca, cb, cc) = np.sin(angles), np.cos(angles)
    return np.array(
        [
            [cb * cc, -cb * sc, sb],
            [ca * sc + sa * sb * cc, ca * cc - sa * sb * sc, -sa * cb],
            [sa * sc - ca * sb * cc, sa * cc + ca * sb * sc, ca * cb],
        ]
    )


def find_rates(angles: FloatArray) -> FloatArray:
    """Return the matrix T, shape (3, 3), for which ω = T (a_t, b_t, c_t), at the angles (a, b, c) [rad]."""
    (sa, sb, _), (ca, cb, _) = np.sin(angles), np.cos(angles)
    return np.array([[1.0, 0.0, sb], [0.0, ca, -sa * cb], [0.0, sa, ca * cb]])


@kernel(inline=True)
def shift_near(x: float, near: float) -> float:
    """Return x plus a multiple of 2π, such that the result is as close as possible to ``near``."""
    shifted: float = x - 2.0 * np.pi * np.floor((x - near) / (2.0 * np.pi) + 0.5)
    return shifted


@kernel(inline=True)
def choose_angles(e: FloatArray, near: FloatArray) -> tuple[float, float, float]:
    """Return the angles [rad] for Euler parameters e, shape (4,). Two solutions exist, (a, b, c) and (a + π, π - b, c +
    π), plus multiples of 2π. The solution closest to the angles ``near`` is returned.
    """
    w, x, y, z = e[0], e[1], e[2], e[3]
    size = w * w + x * x + y * y + z * z
    R00, R01 = (w * w + x * x - y * y - z * z) / size, 2.0 * (x * y - w * z) / size
    R02, R12 = 2.0 * (x * z + w * y) / size, 2.0 * (y * z - w * x) / size
    R22, cosine = (w * w - x * x - y * y + z * z) / size, np.sqrt(R00 * R00 + R01 * R01)
    a, b, c = np.arctan2(-R12, R22), np.arctan2(R02, cosine), np.arctan2(-R01, R00)
    if cosine < SINGULAR:
        # if cos b = 0, the rotation determines only the sum or the difference of a and c, so c is set to 0
        a, c = np.arctan2(2.0 * (y * z + w * x) / size, (w * w - x * x + y * y - z * z) / size), 0.0
    first = shift_near(a, near[0]), shift_near(b, near[1]), shift_near(c, near[2])
    other = shift_near(a + np.pi, near[0]), shift_near(np.pi - b, near[1]), shift_near(c + np.pi, near[2])
    to_first = abs(first[0] - near[0]) + abs(first[1] - near[1]) + abs(first[2] - near[2])
    to_other = abs(other[0] - near[0]) + abs(other[1] - near[1]) + abs(other[2] - near[2])
    return other if to_other < to_first else first


@kernel(fast=False)
def find_angles(e: FloatArray, near: FloatArray, angles: FloatArray) -> None:
    """Write the result of ``choose_angles(e, near)`` into ``angles``, shape (3,)."""
    angles[0], angles[1], angles[2] = choose_angles(e, near)


@kernel(fast=False)
def follow_angles(start: FloatArray, places: IntArray, q: FloatArray, last: FloatArray) -> None:
    """Compute the angles of a node at the displacements ``q``, and store them in ``last``, shape (3,). On input,
    ``last`` contains the angles at an earlier state. Of all equivalent angles, the angles closest to these earlier
    angles are chosen.

    The argument ``start`` contains the Euler parameters of the node at the displacement 0, shape (4,). The argument
    ``places`` contains the indices of the displacements of the Euler parameters in q, shape (4,).
    """
    e = np.empty(4)
    for i in range(4):
        e[i] = start[i] + q[places[i]]
    last[0], last[1], last[2] = choose_angles(e, last)


@kernel(inline=True)
def turning(rate: FloatArray, e: FloatArray) -> tuple[float, float, float]:
    """Return the vector part of the quaternion 2 rate e*/|e|² in the global frame, where e* is the conjugate of the
    Euler parameters e. The result is the angular velocity if ``rate`` is e_t, or the angular acceleration if ``rate``
    is e_tt.
    """
    w, x, y, z = e[0], e[1], e[2], e[3]
    factor = 2.0 / (w * w + x * x + y * y + z * z)
    return (
        factor * (w * rate[1] - rate[0] * x + y * rate[3] - z * rate[2]),
        factor * (w * rate[2] - rate[0] * y + z * rate[1] - x * rate[3]),
        factor * (w * rate[3] - rate[0] * z + x * rate[2] - y * rate[1]),
    )


@kernel(inline=True)
def solve_rates(sa: float, ca: float, sb: float, cb: float, w: Any) -> tuple[float, float, float]:
    """Return T⁻¹ w for a vector w of three components. The other arguments are the sines and cosines of the angles a
    and b.
    """
    third = (ca * w[2] - sa * w[1]) / cb
    return w[0] - sb * third, ca * w[1] + sa * w[2], third


@kernel(fast=False)
def find_angle_rates(
    e: FloatArray, rate: FloatArray, second: FloatArray, angles: FloatArray, rates: FloatArray, faster: FloatArray
) -> None:
    """Write the first and second derivatives of ``angles`` with respect to time to ``rates`` and ``faster``, each of
    shape (3,). The arguments ``rate`` and ``second`` are the derivatives of the Euler parameters e.
    """
    sa, ca, sb, cb = np.sin(angles[0]), np.cos(angles[0]), np.sin(angles[1]), np.cos(angles[1])
    u, v, w = solve_rates(sa, ca, sb, cb, turning(rate, e))
    rates[0], rates[1], rates[2] = u, v, w
    # T_t (u, v, w) is subtracted from the acceleration, where T_t is the derivative of T with respect to time
    x, y, z = turning(second, e)
    x -= v * w * cb
    y -= -u * v * sa - u * w * ca * cb + v * w * sa * sb
    z -= u * v * ca - u * w * sa * cb - v * w * ca * sb
    faster[0], faster[1], faster[2] = solve_rates(sa, ca, sb, cb, (x, y, z))


_find_angles, _find_angle_rates, _follow_angles = call(find_angles), call(find_angle_rates), call(follow_angles)


@dataclass
class AngleNode:
    """A node with three rotation angles in Exudyn.

    Attributes:
        node: the node of Windlass.
        where: indices of the six coordinates of the node in Exudyn's vector of ODE2 coordinates.
        item: dictionary of the node in Exudyn.
        last: angles [rad] at the end of the previous step. The angles of the next step are chosen close to these
            values, so that the angles are continuous beyond half a turn. See `FollowAngles`.
        reference: reference coordinates of the node in Exudyn: position [m] and angles [rad], shape (6,).
        start: Euler parameters in the reference configuration, shape (4,).
    """

    node: Entity
    where: IntArray
    item: Mapping[str, Any]
    last: FloatArray = field(init=False)
    reference: FloatArray = field(init=False)
    start: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        self.reference = np.asarray(self.item["referenceCoordinates"], np.float64)
        self.last, self.start = self.reference[3:].copy(), euler_parameters_of(find_matrix(self.reference[3:]))

    def place(self, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Convert displacements and velocities of Exudyn, shape (6,) each, to displacements and velocities of Windlass,
        shape (7,) each, and store the angles in ``last``.
        """
        start = self.start
        total = self.last = self.reference[3:] + q[3:]
        e = euler_parameters_of(find_matrix(total))
        e = e if e @ start >= 0.0 else -e
        rates = euler_parameter_rates(e, find_rates(total) @ v[3:])
        return np.concatenate((q[:3], e - start)), np.concatenate((v[:3], rates))

    def read(self, q: FloatArray, v: FloatArray, a: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Convert displacements, velocities and accelerations of Windlass, shape (7,) each, to values of Exudyn, shape
        (6,) each.
        """
        e, angles, rates, faster = self.start + q[3:], *np.zeros((3, 3))
        _find_angles(e, self.last, angles)
        _find_angle_rates(e, v[3:], a[3:], angles, rates, faster)
        parts = (angles - self.reference[3:], rates, faster)
        moved, fast, accelerated = (np.concatenate((x[:3], part)) for x, part in zip((q, v, a), parts, strict=True))
        return moved, fast, accelerated


class FollowAngles(StepHook):
    """Hook that updates the angles of nodes after every step, even if no result contains the angles.

    Args:
        nodes: the nodes with the angles that are updated.
    """

    def __init__(self, nodes: Sequence[AngleNode]) -> None:
        self._nodes, self._program, self._arrays = nodes, Program(()), list[FloatArray]()

    def before_solve(self, state: State, end: float, steps: int) -> None:
        """Compute the angles at the start of a solve."""
        self.after_step(state)

    def after_step(self, state: State) -> None:
        """Update the angles after a step."""
        whole = state.gather()
        for node in self._nodes:
            _follow_angles(node.start, whole.local_dofs(node.node)[0, 3:], whole.q, node.last)

    def idle_steps(self, state: State, size: float) -> IdleSteps:
        """Return `MOST` steps, in which compiled code updates the angles."""
        arrays = [state.q, *(node.last for node in self._nodes)]
        if len(arrays) != len(self._arrays) or not all(map(is_, arrays, self._arrays)):
            self._arrays, steps = arrays, list[Step]()
            for node in self._nodes:
                places = state.local_dofs(node.node)[0, 3:]
                steps.append((call(follow_angles, (node.start, places, state.q, node.last)), (None,)))
            self._program = Program(steps)
        return IdleSteps(MOST, self._program)

    def checkpoint(self) -> dict[str, Any]:
        """Return the angles at the end of the last step."""
        return {"last": [node.last for node in self._nodes]}

    def restore(self, kept: Mapping[str, Any], state: State) -> None:
        """Restore the angles that `checkpoint` has returned."""
        for node, last in zip(self._nodes, kept["last"], strict=True):
            node.last = np.asarray(last, np.float64)
