"""Laws between two rigid markers: forces and torques at both markers, as functions of the positions, frames and
velocities of the markers.

A law provides one kernel ``(row, u, ut, t) -> F`` for one row. The argument u is a `Pose`, and ut contains the rates y
= [v1 - v0, ω0, ω1]:

    left-hand side: F = [f, τ0, τ1] in the global frame, with f at point 1, -f at point 0, and torques about these
    points

With X = ∂y/∂q̇ and Y = ∂y/∂q (`position_kernels.update_jacobians`) the loops add

    forces: Xᵀ F
    tangent: dq (Xᵀ (P X + V Y) + F·∂X/∂q) + dv Xᵀ V X,    P = ∂F/∂(d, θ0, θ1),    V = ∂F/∂y

The law is written for complex numbers. Therefore P and V can be computed by complex steps: along a direction s in the
arguments x = [d, θ0, θ1, y], ∂F/∂s = Im F(x + i h s)/h. A complex step contains no subtraction. Therefore h can be so
small that the result is exact except for rounding errors. A rotation by the vector i h θ changes a frame A to A + i h θ
× A. A law must be analytic. It must not use ``abs`` or comparisons of complex numbers, and branches must use ``.real``.

For the energy ledger, a law provides kernels for its stored energy and its lost power. The remaining part of the power
F·y is transferred to a drive (a moving offset or a constant force), or is the power of torques that have no potential.

Source: W. Squire, G. Trapp, Using complex variables to estimate derivatives of real functions, SIAM Review 40 (1998).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.markers.pair_laws import PairKind, Update, evaluate_rows, register_kind
from windlass.connectors.markers.pairs import Pair, PairLoops, create_load
from windlass.connectors.markers.position_kernels import PositionMarkers, add_curvature, update_jacobians, update_rates
from windlass.connectors.markers.position_markers import POSITION, RIGID
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import Kernel, kernel
from windlass.framework.model.law import LocalRows, Output
from windlass.framework.model.schema import Component

ComplexArray = NDArray[np.complex128]

TINY = 1e-20
"""Imaginary step of complex-step derivatives [m, rad, m/s, rad/s]. The square of the step is negligible, and no digits
are lost by cancellation, because a complex step needs no subtraction."""


class Pose(NamedTuple):
    """The pose of two markers as complex numbers: d = p1 - p0 [m], shape (3,), and the frames A and B, shape (3, 3)
    each."""

    d: ComplexArray
    A: ComplexArray
    B: ComplexArray


@kernel
def eval_angle(y: complex, x: complex) -> complex:
    """Return the angle [rad] of the vector (x, y) for complex x and y. The real part of the angle is in (-π, π]."""
    a, b = y.real, x.real
    return complex(np.arctan2(a, b), (b * y.imag - a * x.imag) / (a * a + b * b))


@kernel
def eval_turn(P: ComplexArray, Q: ComplexArray, ut: ComplexArray, last: float) -> tuple[complex, complex]:
    """Return the angle [rad] by which the frame Q is rotated about the third axis of P. Whole turns are added such that
    the angle is nearest to ``last``. Also return the component [rad/s] of ω1 - ω0 along this axis.
    """
    sine, cosine, rate = complex(0.0, 0.0), complex(0.0, 0.0), complex(0.0, 0.0)
    for a in range(3):
        sine -= P[a, 0] * Q[a, 1]
        cosine += P[a, 0] * Q[a, 0]
        rate += P[a, 2] * (ut[6 + a] - ut[3 + a])
    angle = eval_angle(sine, cosine)
    return angle + 2.0 * math.pi * math.floor((last - angle.real) / (2.0 * math.pi) + 0.5), rate


@kernel
def turn(A: ComplexArray, F: FloatArray) -> ComplexArray:
    """Return the product A F, shape (3, 3), of the rotation matrix A of a marker and a frame F fixed to the marker."""
    product = np.zeros((3, 3), np.complex128)
    for a in range(3):
        for b in range(3):
            product[a, b] = A[a, 0] * F[0, b] + A[a, 1] * F[1, b] + A[a, 2] * F[2, b]
    return product


@kernel
def row_of_rigid(m: PositionMarkers, pair: Pair, i: int) -> tuple[Pose, ComplexArray]:
    """Return the pose of the markers of row i, and the rates y = [v1 - v0, ω0, ω1]."""
    m0, m1 = pair.m0[i], pair.m1[i]
    d, y = np.zeros(3), np.zeros(9)
    update_rates(pair, i, m, d, y)
    u = Pose(d.astype(np.complex128), m.rotation[m0].astype(np.complex128), m.rotation[m1].astype(np.complex128))
    return u, y.astype(np.complex128)


@kernel
def turn_by(A: ComplexArray, x: complex, y: complex, z: complex) -> None:
    """Add θ × A to A, with the rotation θ = (x, y, z)."""
    for b in range(3):
        p, q, r = A[0, b], A[1, b], A[2, b]
        A[0, b], A[1, b], A[2, b] = p + y * r - z * q, q + z * p - x * r, r + x * q - y * p


@kernel
def move(u: Pose, ut: ComplexArray, k: int) -> None:
    """Add an imaginary step along direction k of the 18 directions [δd, θ0, θ1, δy] to the pose and the rates."""
    h = complex(0.0, TINY)
    if k < 3:
        u.d[k] += h
    elif k < 9:
        frame, axis = (u.A, k - 3) if k < 6 else (u.B, k - 6)
        turn_by(frame, h if axis == 0 else 0.0 * h, h if axis == 1 else 0.0 * h, h if axis == 2 else 0.0 * h)
    else:
        ut[k - 9] += h


def rigid_loops(force: Kernel, _: Kernel | None, load: Kernel) -> PairLoops:
    """Create the kernels ``residual`` and ``tangent``, see `pairs.coordinate_pair`. The kernel ``tangent`` has the
    velocities v as an additional argument.
    """

    @kernel
    def evaluate(row: Any, u: Pose, ut: ComplexArray, t: float, F: ComplexArray) -> None:
        F[0], F[1], F[2], F[3], F[4], F[5], F[6], F[7], F[8] = force(row, u, ut, t)

    @kernel
    def residual(
        rows: Any,
        pair: Pair,
        m: PositionMarkers,
        time: FloatArray,
        data: FloatArray,
        start: FloatArray,
        f: FloatArray,
    ) -> None:
        n0, n = pair.n0, pair.dofs.shape[1]
        F = np.zeros(9, np.complex128)
        for i in range(len(pair.m0)):
            if not pair.active[i]:
                continue
            row, m0, m1 = rows[i], pair.m0[i], pair.m1[i]
            load(row, data, start)
            u, ut = row_of_rigid(m, pair, i)
            evaluate(row, u, ut, time[0], F)
            for b in range(n0):
                total = 0.0
                for a in range(3):
                    total += F[3 + a].real * m.rotation_jacobian[m0, a, b] - F[a].real * m.jacobian[m0, a, b]
                f[pair.dofs[i, b]] += total
            for b in range(n - n0):
                total = 0.0
                for a in range(3):
                    total += F[6 + a].real * m.rotation_jacobian[m1, a, b] + F[a].real * m.jacobian[m1, a, b]
                f[pair.dofs[i, n0 + b]] += total

    @kernel
    def tangent(
        rows: Any,
        pair: Pair,
        m: PositionMarkers,
        time: FloatArray,
        data: FloatArray,
        start: FloatArray,
        v: FloatArray,
        dq: float,
        dv: float,
        slots: IntArray,
        values: FloatArray,
    ) -> None:
        n = pair.dofs.shape[1]
        F, PV, X, Y = np.zeros(9, np.complex128), np.zeros((9, 18)), np.zeros((9, n)), np.zeros((9, n))
        B, g = np.zeros((9, n)), np.zeros(9)
        for i in range(len(pair.m0)):
            if not pair.active[i]:
                continue
            row = rows[i]
            load(row, data, start)
            # compute P and V by one imaginary step along each of the 18 directions
            update_jacobians(pair, i, m, v, X, Y)
            for k in range(18):
                u, ut = row_of_rigid(m, pair, i)
                move(u, ut, k)
                evaluate(row, u, ut, time[0], F)
                for a in range(9):
                    PV[a, k] = F[a].imag / TINY
            # compute dq ∂F/∂q + dv ∂F/∂v, and then the product of this matrix with Xᵀ
            for a in range(9):
                g[a] = F[a].real
                for b in range(n):
                    total = 0.0
                    for p in range(9):
                        total += (dq * PV[a, p] + dv * PV[a, 9 + p]) * X[p, b] + dq * PV[a, 9 + p] * Y[p, b]
                    B[a, b] = total
            for a in range(n):
                for b in range(n):
                    total = 0.0
                    for p in range(9):
                        total += X[p, a] * B[p, b]
                    values[slots[i, a, b]] += total
            if dq != 0.0:
                add_curvature(pair, i, pair.dofs.shape[1], m, g, dq, slots, values)

    return residual, tangent


def real_part(number: Kernel) -> Kernel:
    """Create a kernel that returns the real part of the result of the kernel ``number`` for one row."""

    @kernel
    def part(row: Any, u: Pose, ut: ComplexArray, t: float) -> float:
        return complex(number(row, u, ut, t)).real

    return part


def three_of(force: Kernel, first: int) -> Kernel:
    """Create a kernel that returns the real parts of three successive components of the forces F, beginning with the
    index ``first``.
    """

    @kernel
    def part(row: Any, u: Pose, ut: ComplexArray, t: float) -> tuple[float, float, float]:
        F = np.zeros(9, np.complex128)
        F[0], F[1], F[2], F[3], F[4], F[5], F[6], F[7], F[8] = force(row, u, ut, t)
        return F[first].real, F[first + 1].real, F[first + 2].real

    return part


def power_beside(force: Kernel, energy: Kernel, power: Kernel) -> Kernel:
    """Create a kernel of the remaining power [W]: the power F·y of all forces minus the lost power and minus the rate
    of the stored energy E. This rate is the derivative of E with respect to time along the motion.
    """

    @kernel
    def beside(row: Any, u: Pose, ut: ComplexArray, t: float) -> float:
        F = np.zeros(9, np.complex128)
        F[0], F[1], F[2], F[3], F[4], F[5], F[6], F[7], F[8] = force(row, u, ut, t)
        total = -complex(power(row, u, ut, t)).real
        for a in range(9):
            total += F[a].real * ut[a].real
        h = complex(0.0, TINY)
        for a in range(3):
            u.d[a] += h * ut[a]
        turn_by(u.A, h * ut[3], h * ut[4], h * ut[5])
        turn_by(u.B, h * ut[6], h * ut[7], h * ut[8])
        return total - complex(energy(row, u, ut, t)).imag / TINY

    return beside


RIGID_PAIRS = PairKind(
    POSITION,
    rigid_loops,
    None,
    row_of_rigid,
    outputs={},
    force=partial(Output, "N", "force f, global, (3,); the force on point 1 is -f"),
    targets=(RIGID, RIGID),
    number=real_part,
    vector=lambda force: three_of(force, 0),
    further=lambda s: (s.v,),
)


def register_rigid_pair(
    component: type[Component],
    force: Kernel,
    *,
    outputs: Mapping[str, Output] | None = None,
    before: Callable[[LocalRows], tuple[Update, Update]] | None = None,
    stored: tuple[str, Kernel],
    lost: tuple[str, Kernel],
    passed: str,
    point: bool = False,
    **more: Any,
) -> None:
    """Register a law between two rigid markers.

    Args:
        component: class with the columns of the law, which include ``marker0``, ``marker1`` and ``active``.
        force: complex kernel ``(row, u, ut, t) -> (fx, fy, fz, τ0x, τ0y, τ0z, τ1x, τ1y, τ1z)`` [N, N m].
        outputs: output variables of the law, evaluated by kernels that have the arguments of ``force`` and return a
            complex scalar.
        stored, lost: names and kernels of the energy [J], which is complex and depends only on u, and of the lost power
            [W].
        passed: name, in the energy ledger, of the remaining power.
        point: whether marker 1 is allowed to be a position marker without rotation. Torques on such a marker are
            ignored.
        before: function that returns two updates of the data of the rows, see `pair_laws.register_kind`.
        **more: further arguments of `register_kind`.
    """
    kind = replace(RIGID_PAIRS, targets=(RIGID, POSITION)) if point else RIGID_PAIRS
    load = create_load(len(more.get("start", ())))
    torque = "left-hand-side torque on marker {} about its point, global, (3,); the opposite torque acts on the marker"
    torques = {}
    for k in (0, 1):
        evaluate = evaluate_rows(RIGID_PAIRS, three_of(force, 3 + 3 * k), load, True, before)
        torques[f"torque{k}"] = Output("N m", torque.format(k), evaluate)
    register_kind(
        kind,
        None,
        component,
        force,
        outputs={**torques, **(outputs or {})},
        before=before,
        stored=dict((stored,)),
        lost=dict((lost,)),
        passed={passed: power_beside(force, stored[1], lost[1])},
        **more,
    )
