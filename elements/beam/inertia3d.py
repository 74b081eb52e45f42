"""Kernels of the inertia moments of the cross sections of `Beam3D`.

The inertia moments, in the frames of the cross sections, are

    Θ_a ω_t + ω × Θ_a ω,    Θ_a = J ∫ N_a dx at each node a, J: rotary inertia per length.

Each moment has the form of the inertia moment of a rigid body about its centre of mass. The moments are evaluated by
functions of bodies/rigid3d_kernels.py. The file bodies/rigid3d.py explains the artificial inertia κ = 4/3 tr Θ_a for
changes of the length of the Euler parameters. The integrals ∫ N_a dx are the weights of the Gauss-Lobatto rule. The
error of this rule has the same order as the error of the elements.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.elements.beam.forces3d import WIDTH
from windlass.elements.beam.rules import LineRule
from windlass.elements.bodies.rigid3d_kernels import (
    add_torque_tangent,
    apply,
    fill_rate_derivative,
    read_column,
    times,
    update_rotation,
)
from windlass.elements.nodes.vectors import add, combine, cross, dot
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel

STRETCHING = 4.0 / 3.0


@kernel
def inertia(rows: Any, rule: LineRule, x: FloatArray, v: FloatArray, a: FloatArray, f: FloatArray) -> None:
    """Add to f the forces on the Euler parameters that result from the inertia moments of the cross sections and from
    the artificial inertia.
    """
    e, A, G = np.zeros(4), np.zeros((3, 3)), np.zeros((3, 4))
    for i in range(len(rows)):
        row = rows[i]
        theta = row.rotary_inertia
        stretching = STRETCHING * (theta[0, 0] + theta[1, 1] + theta[2, 2])
        for b in range(len(rule.W)):
            n, w = row.dofs[WIDTH * b : WIDTH * b + WIDTH], row.length * rule.W[b]
            update_rotation(x, n, e, A, G)
            omega, alpha = apply(G, v, n), apply(G, a, n)
            torque = add(times(theta, alpha), cross(omega, times(theta, omega)))
            stretch = 0.0
            for k in range(4):
                stretch += e[k] * a[n[3 + k]] + v[n[3 + k]] * v[n[3 + k]]
            for k in range(4):
                f[n[3 + k]] += w * (dot(read_column(G, k), torque) + stretching * stretch * e[k])


@kernel
def inertia_tangent(
    rows: Any, rule: LineRule, x: FloatArray, v: FloatArray, a: FloatArray, dq: float, dv: float, da: float,
    slots: IntArray, values: FloatArray,
) -> None:  # fmt: skip
    """Add the tangent dq ∂f/∂q + dv ∂f/∂v + da ∂f/∂a of `inertia`, with the factors dq, dv and da, to the values of the
    matrix at the indices ``slots``, shape (all rows of the table, n, n).
    """
    e, A, G, Gv, Ga = np.zeros(4), np.zeros((3, 3)), np.zeros((3, 4)), np.zeros((3, 4)), np.zeros((3, 4))
    B = np.zeros((WIDTH, WIDTH))
    for i in range(len(rows)):
        row = rows[i]
        theta, at = row.rotary_inertia, row.place
        stretching = STRETCHING * (theta[0, 0] + theta[1, 1] + theta[2, 2])
        for o in range(len(rule.W)):
            d, weight = row.dofs[WIDTH * o : WIDTH * o + WIDTH], row.length * rule.W[o]
            n = update_rotation(x, d, e, A, G)
            omega, alpha = apply(G, v, d), apply(G, a, d)
            spin = times(theta, omega)
            B[:, :] = 0.0
            add_torque_tangent(G, e, n, add(times(theta, alpha), cross(omega, spin)), dq, B)
            fill_rate_derivative(v, d, e, n, omega, Gv)
            fill_rate_derivative(a, d, e, n, alpha, Ga)
            stretch = 0.0
            for k in range(4):
                stretch += e[k] * a[d[3 + k]] + v[d[3 + k]] * v[d[3 + k]]
            for b in range(4):
                column = read_column(G, b)
                turn = combine(dv, column, dq, read_column(Gv, b))
                change = add(times(theta, combine(da, column, dq, read_column(Ga, b))), cross(turn, spin))
                change = add(change, cross(omega, times(theta, turn)))
                length = dq * a[d[3 + b]] + 2.0 * dv * v[d[3 + b]] + da * e[b]
                for k in range(4):
                    B[3 + k, 3 + b] += dot(read_column(G, k), change) + stretching * e[k] * length
                B[3 + b, 3 + b] += stretching * dq * stretch
            for k in range(3, WIDTH):
                for b in range(3, WIDTH):
                    values[slots[at, WIDTH * o + k, WIDTH * o + b]] += weight * B[k, b]
