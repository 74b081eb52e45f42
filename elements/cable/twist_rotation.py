"""Rotation of the cross sections of `TwistCable3D`, with its derivatives, for markers, torques along the axis and
friction between wires.

    frame D = [t, d_1, d_2] at s of twist_points.py, without the angle β B(s) that minimises the energy of an element
    angular velocity ω = W y_t,    W = (p × p_y)/g + t σᵀ
    derivative of W with respect to y_n: (p_n × p_y)/g - 2 (p·p_n)/g² (p × p_y) + t_n σᵀ + t σ_nᵀ

Here y are the 11 coordinates of twist_points.py, and p = r'(s), g = p·p, t = p/|p|. The index y denotes derivatives
with respect to the components of y, and n the derivative with respect to component n. σ is the linear form of the spin
of the frame. Products of W with forces are conjugate to the angle of the material, so the virtual work of a torque M is
M·W δy.

Source: elements/cable/twist_points.py. The derivatives follow by differentiation.
"""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from windlass.elements.cable.points import eval_shape
from windlass.elements.cable.twist_forces import find_part
from windlass.elements.cable.twist_points import (
    COUNT,
    fill_spin,
    fill_spin_change,
    frame_at,
    interpolate,
    read_coordinates,
    twist_angle,
)
from windlass.elements.cable.twist_sections import fill_references
from windlass.elements.nodes.turning import axes_of
from windlass.elements.nodes.twist_node import read_frames
from windlass.elements.nodes.vectors import Vector, dot, find_skew
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import Tables
from windlass.framework.model.rows import create_records

WIDTH = 14
"""Number of coordinates of a cable with twist: positions and slopes of both nodes, and the two angles."""


class Turn(NamedTuple):
    """Work arrays for one cross section.

    y: coordinates of twist_points.py, shape (11,).
    sigma, dsigma: linear form of the spin, shape (11,), and its derivatives, shape (11, 11).
    W, dW: the matrix W, shape (3, 11), and its derivatives, shape (3, 11, 11), of which the last index is that of y.
    """

    y: FloatArray
    sigma: FloatArray
    dsigma: FloatArray
    W: FloatArray
    dW: FloatArray


@kernel
def create_turn() -> Turn:
    """Allocate the work arrays for one cross section."""
    n = COUNT
    return Turn(np.empty(n), np.empty(n), np.empty((n, n)), np.empty((3, n)), np.empty((3, n, n)))


def find_axis_factors(s: FloatArray) -> FloatArray:
    """Return the factors of e, s0 and s1 in r' at positions s = x/L [1], shape (..., 3)."""
    return np.ascontiguousarray(eval_shape(s, np.ones(())).dS[..., [2, 1, 3]])


def find_frames(
    world: Tables, cables: IntArray, reference: FloatArray, length: FloatArray | None = None
) -> dict[str, FloatArray]:
    """Return the constants of cables with twist for the kernels, with one entry per row.

    Args:
        world: the model.
        cables: identifiers of the cables, shape (rows,).
        reference: reference coordinates of the cables, of which the first 14 are used, shape (rows, n).
        length: lengths [m] of the cables, shape (rows,); default: the column ``length``.

    Returns:
        ``length`` [m], shape (rows,), and b0, F0, b1, F1, free_angle and free_twist of `create_rods`.
    """
    count = len(cables)
    own = np.ones(count) if length is None else length
    b, F = np.zeros((2, count, 3)), np.zeros((2, count, 4))
    for table, positions, rows in world.split_by_table(cables):
        if length is None:
            own[positions] = table.local("length", rows)
        for k in range(2):
            b[k, positions], F[k, positions] = read_frames(world, table.local(f"node{k}", rows))
    numbers, nothing = np.arange(WIDTH * count).reshape(count, WIDTH), np.zeros(count)
    found = create_records(
        length=own, b0=b[0], F0=F[0], b1=b[1], F1=F[1], free_angle=nothing, free_twist=nothing, dofs=numbers
    )
    fill_references(found, np.ascontiguousarray(reference[:, :WIDTH]).ravel())
    return {name: found[name] for name in ("length", "b0", "F0", "b1", "F1", "free_angle", "free_twist")}


@kernel
def eval_turn(row: Any, s: float, P: Vector, x: FloatArray, c: Turn) -> tuple[Vector, Vector, Vector]:
    """Fill y, σ and W for the position s of a cable, and return the axes t, d_1, d_2 of the frame. The argument P
    contains the factors of e, s0 and s1 in r' at s.
    """
    read_coordinates(row.dofs, 1.0 / row.length, x, c.y)
    p = interpolate(P, 1.0, c.y)
    t, d1, d2 = axes_of(frame_at(row, s, p, c.y, twist_angle(row, c.y)))
    fill_spin(row, s, P, p, c.y, c.sigma)
    ig = 1.0 / dot(p, p)
    for d in range(3):
        for k in range(COUNT):
            turn = ig * P[k // 3] * find_skew(p, d, k % 3) if k < 9 else 0.0
            c.W[d, k] = turn + t[d] * c.sigma[k]
    return t, d1, d2


@kernel
def fill_turn_change(row: Any, s: float, P: Vector, c: Turn) -> None:
    """Fill the derivatives of σ and W. `eval_turn` must have been called for the same position s."""
    p = interpolate(P, 1.0, c.y)
    fill_spin_change(row, s, P, p, c.y, c.dsigma)
    ig, il = 1.0 / dot(p, p), 1.0 / sqrt(dot(p, p))
    for d in range(3):
        for m in range(COUNT):
            for n in range(COUNT):
                change = il * p[d] * c.dsigma[m, n]
                if n < 9:
                    b, Pn = n % 3, P[n // 3]
                    change += il * Pn * ((1.0 if d == b else 0.0) - ig * p[d] * p[b]) * c.sigma[m]
                    if m < 9:
                        a = m % 3
                        axis = 1.0 if b == 0 else 0.0, 1.0 if b == 1 else 0.0, 1.0 if b == 2 else 0.0
                        turn = find_skew(axis, d, a) - 2.0 * ig * p[b] * find_skew(p, d, a)
                        change += ig * P[m // 3] * Pn * turn
                c.dW[d, m, n] = change


@kernel(inline=True)
def read_turn(c: Turn, k: int, iL: float) -> Vector:
    """Return the derivative of ω with respect to the velocity of coordinate k of a cable."""
    part, scale = find_part(k, iL)
    return scale * c.W[0, part], scale * c.W[1, part], scale * c.W[2, part]


@kernel(inline=True)
def read_turn_change(c: Turn, k: int, l: int, iL: float) -> Vector:
    """Return the derivative of the result of `read_turn` with respect to coordinate l."""
    m, u = find_part(k, iL)
    n, w = find_part(l, iL)
    scale = u * w
    return scale * c.dW[0, m, n], scale * c.dW[1, m, n], scale * c.dW[2, m, n]
