"""Points of a cable: shape functions, and integration rules.

Strains depend only on p = r' and k = r''. These vectors depend on e = (r1 - r0)/L and on the slopes s0, s1 of the two
nodes:

    r' = P0 e + P1 s0 + P2 s1,    L r'' = K0 e + K1 s0 + K2 s1.

The factors P and K follow from the cubic shape functions. The force on one of the vectors p, k, e, s0, s1 is the
generalised force that is conjugate to this vector. By these factors, the forces on p and k at each point, and their
derivatives (point_forces.py), are converted to forces on the coordinates.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel

Four = tuple[float, float, float, float]
Number = TypeVar("Number", float, FloatArray)
"""A scalar in kernels, or an array with one value per row."""


class Shape(NamedTuple):
    """Shape functions S1..S4 of x0, x0', x1, x1' and their derivatives with respect to arc length, each of shape (...,
    4).

    S [1, m, 1, m], dS [1/m, 1, 1/m, 1], ddS [1/m^2, 1/m, 1/m^2, 1/m].
    """

    S: FloatArray
    dS: FloatArray
    ddS: FloatArray


class Rule(NamedTuple):
    """Integration points on a cable of length 1: n axial points and m bending points.

    sa, wa: positions and weights of the axial points [1], shape (n,).
    Pa: factors of e, s0, s1 in r' at the axial points [1], shape (n, 3).
    sb, wb: positions and weights of the bending points [1], shape (m,).
    Pb, Kb: factors of e, s0, s1 in r' and L r'' at the bending points [1], shape (m, 3).
    """

    sa: FloatArray
    wa: FloatArray
    Pa: FloatArray
    sb: FloatArray
    wb: FloatArray
    Pb: FloatArray
    Kb: FloatArray


# The kernels of shape functions are compiled with fast=False, because their values must be bitwise identical for a
# single point, for a lane and for an array.


@kernel(inline=True, fast=False)
def shape(s: Number, L: Number) -> tuple[Number, Number, Number, Number]:
    """Return S1..S4 [1, m, 1, m] at the position s = x/L [1] of a cable of length L [m]."""
    a, b = s * s, 1.0 - s
    S3 = a * (3.0 - 2.0 * s)
    return 1.0 - S3, L * s * b * b, S3, -L * a * b


@kernel(inline=True, fast=False)
def shape_slope(s: Number, L: Number) -> tuple[Number, Number, Number, Number]:
    """Return the first derivatives [1/m, 1, 1/m, 1] of the shape functions with respect to arc length."""
    D3 = 6.0 * s * (1.0 - s) / L
    return -D3, (1.0 - s) * (1.0 - 3.0 * s), D3, s * (3.0 * s - 2.0)


@kernel(inline=True, fast=False)
def shape_bend(s: Number, L: Number) -> tuple[Number, Number, Number, Number]:
    """Return the second derivatives [1/m^2, 1/m, 1/m^2, 1/m] of the shape functions with respect to arc length."""
    iL = 1.0 / L
    E3 = (6.0 - 12.0 * s) * iL * iL
    return -E3, (6.0 * s - 4.0) * iL, E3, (6.0 * s - 2.0) * iL


@kernel(inline=True)
def shape_integrals(L: Number) -> tuple[Number, Number, Number, Number]:
    """Return the integrals ∫ S_i dx [m, m^2, m, m^2] of the shape functions over the cable."""
    by_slope = L * L / 12.0
    return 0.5 * L, by_slope, 0.5 * L, -by_slope


@kernel(inline=True, fast=False)
def cubic_terms(e: float, s0: float, s1: float, L: float) -> tuple[float, float]:
    """Return the coefficients c and d of the cubic x0 + s0 x + c x² + d x³. The position and the slope at the first
    node are x0 and s0, and the slope at the second node is s1. The argument e is (x1 - x0)/L, where x1 is the position
    of the second node.
    """
    return (3.0 * e - 2.0 * s0 - s1) / L, (s0 + s1 - 2.0 * e) / (L * L)


def array_form(function: Any) -> Any:
    """Return the Python function of a kernel. This function accepts arrays instead of scalars."""
    return getattr(function, "py_func", function)


def eval_shape(s: FloatArray, L: FloatArray) -> Shape:
    """Return the shape functions at positions s = x/L [1] of cables of length L [m]. The arrays s and L must be
    broadcastable.
    """
    both = np.broadcast_arrays(s, L)
    return Shape(*(np.stack(array_form(kernel)(*both), -1) for kernel in (shape, shape_slope, shape_bend)))


def count_dims(width: int) -> int:
    """Return the number of dimensions d, 2 or 3, of a cable with ``width`` coordinates. The first 4 d coordinates are
    the positions and slopes of both nodes. Further coordinates, such as angles or slow strains, can follow.
    """
    return min(width // 4, 3)


def create_rule(integration: int) -> Rule:
    """Create the points of integration rule 0, 1 or 2. The rules are described in cable2d.py."""
    if integration == 2:
        sa, wa = np.array([0.0, 0.5, 1.0]), np.array([1.0, 4.0, 1.0]) / 6.0
    else:
        sa, wa = gauss_rule(5 if integration == 0 else 4)
    sb, wb = gauss_rule(3 if integration == 0 else 2)
    one = np.ones(())
    e_s0_s1 = [2, 1, 3]
    Pa = eval_shape(sa, one).dS[:, e_s0_s1]
    bending = eval_shape(sb, one)
    return Rule(sa, wa, Pa, sb, wb, bending.dS[:, e_s0_s1], bending.ddS[:, e_s0_s1])


def gauss_rule(points: int) -> tuple[FloatArray, FloatArray]:
    """Return the points and weights of the Gauss rule on [0, 1]."""
    legendre: Any = np.polynomial.legendre  # early versions of NumPy have no type annotations for this function
    x, w = legendre.leggauss(points)
    return 0.5 + 0.5 * x, 0.5 * w
