"""Spans of a massless rope between two sheaves: the common tangent of two circles in 3D, and its derivatives with
respect to the motion of the circles.

    point on a sheave: r_i = R_i (cos ψ_i u_i + sin ψ_i w_i), where [u, w, a] is the frame of the sheave and a its axis
    end of a rope at a point, without a drum: R = 0
    tangent: t = c + r_B - r_A,    r_A·t = 0,    r_B·t = 0, where c is the vector from centre A to centre B
    length: W = |t| + R_A ψ_A - R_B ψ_B, the contribution of the span to the length of the rope
    side: r is near -R a × c/|a × c|, so a × r points along the rope, and the rope runs counter-clockwise about a

The angles ψ_A, where the rope leaves A, and ψ_B, where the rope reaches B, are measured in the frames of the rotating
sheaves. The length of the rope is the sum of all W plus whole turns on the sheaves. Derivatives are with respect to the
motion y = [v_B - v_A, ω_A, ω_B], with e = t/|t|:

    matrix: M = [[(a_A × r_A)·t, r_A·(a_B × r_B)], [-r_B·(a_A × r_A), (a_B × r_B)·t]]
    for a point (R = 0): the diagonal entry of M is 1
    multipliers: Mᵀ λ = [R_A - e·(a_A × r_A), e·(a_B × r_B) - R_B], which is 0 if the rope lies in the planes of both
        sheaves
    gradient: g = [e - λ_A r_A - λ_B r_B,
         -r_A × e - λ_A r_A × t + λ_B r_A × r_B,
         r_B × e - λ_A r_B × r_A - λ_B r_B × t]

Therefore Ẇ = g·y holds exactly, even if the rope runs onto a sheave obliquely. The rope exerts no torque on a sheave
about the axis of this sheave.

Source: J. Gerstmayr and others, documentation of Exudyn 1.13, item ObjectConnectorReevingSystemSprings.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.connectors.markers.position_kernels import cross, dot
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel

ITERATIONS = 30
CLOSE = 1e-7
"""Change of the angles in a Newton step [rad]. If the change is below this value, one further step reduces the errors
to rounding errors.
"""


@kernel
def add(a: Any, x: Any, b: Any) -> Any:
    """Return the vector a + x b, where x is a number."""
    return a[0] + x * b[0], a[1] + x * b[1], a[2] + x * b[2]


@kernel
def axis_of(F: Any, k: int) -> Any:
    """Return column k of a frame F. This column is the axis k of the frame."""
    return F[0, k], F[1, k], F[2, k]


@kernel
def arm_of(F: Any, radius: float, angle: Any) -> Any:
    """Return the vector r from the centre of a sheave to the point at the given angle ψ, and the product a × r with the
    axis a of the sheave. The imaginary part of the angle is so small that its square is negligible.
    """
    if radius == 0.0:
        zero = 0.0 * angle
        return (zero, zero, zero), (zero, zero, zero)
    c, s, step = radius * np.cos(angle.real), radius * np.sin(angle.real), angle - angle.real
    cos, sin = c - s * step, s + c * step
    u, w = axis_of(F, 0), axis_of(F, 1)
    r = (cos * u[0] + sin * w[0], cos * u[1] + sin * w[1], cos * u[2] + sin * w[2])
    return r, (cos * w[0] - sin * u[0], cos * w[1] - sin * u[1], cos * w[2] - sin * u[2])


@kernel
def guess(F: FloatArray, radius: float, c: Any) -> float:
    """Return the angle ψ of the direction -a × c in the frame F of a sheave, as the first estimate of the angle at
    which the rope touches the sheave. The axis of the sheave is a, and the vector from centre A to centre B is c.
    """
    if radius == 0.0:
        return 0.0
    return float(np.arctan2(-dot(axis_of(F, 0), c), dot(axis_of(F, 1), c)))


@kernel
def find_tangent(c: Any, FA: Any, FB: Any, RA: float, RB: float, start: Any, further: int) -> Any:
    """Return the quantities ψ_A, ψ_B, r_A, a_A × r_A, r_B, a_B × r_B, t and M of a span, which the docstring of this
    module defines. The angles ψ_A and ψ_B are NaN if no tangent exists.

    The iteration begins at the angles ``start``. After a change below `CLOSE`, it ends with ``further`` steps. If the
    real parts of the angles are exact at the start, the first step computes their imaginary parts, which contain
    derivatives, without an error.
    """
    (x, y), left = start, ITERATIONS
    while left > 0:
        left -= 1
        rA, qA = arm_of(FA, RA, x)
        rB, qB = arm_of(FB, RB, y)
        t = add(add(c, 1.0, rB), -1.0, rA)
        a, b, e, f = dot(qA, t), dot(rA, qB), -dot(rB, qA), dot(qB, t)
        if RA == 0.0:
            a += 1.0
        if RB == 0.0:
            f += 1.0
        p, q, det = dot(rA, t), dot(rB, t), a * f - b * e
        dx, dy = (f * p - b * q) / det, (a * q - e * p) / det
        x, y = x - dx, y - dy
        if left > further and abs(dx.real) + abs(dy.real) < CLOSE:
            left = further
        elif left == 0 and not abs(dx.real) + abs(dy.real) < CLOSE:
            x, y = x * np.nan, y * np.nan
    rA, qA = arm_of(FA, RA, x)
    rB, qB = arm_of(FB, RB, y)
    t = add(add(c, 1.0, rB), -1.0, rA)
    a, b, e, f = dot(qA, t), dot(rA, qB), -dot(rB, qA), dot(qB, t)
    return x, y, rA, qA, rB, qB, t, (a + (1.0 if RA == 0.0 else 0.0), b, e, f + (1.0 if RB == 0.0 else 0.0))


@kernel
def eval_span(
    c: Any, FA: Any, FB: Any, RA: float, RB: float, twist: float, shear: float, y: Any, start: Any, further: int,
    out: Any,
) -> Any:  # fmt: skip
    """Evaluate the angles ψ_A, ψ_B and the length |t| of a span. Write g and the damping forces between the sheaves
    into ``out``, shape (18,). All arguments that depend on the motion are real, or all are complex. The arguments
    ``start`` and ``further`` are explained in `find_tangent`.

    The damping consists of a torque and a force on the left-hand side of the equations of motion. The torque is
    ``twist`` ((ω_B - ω_A)·e) e. The force is ``shear`` times the difference of the velocities of both ends
    perpendicular to the span, divided by the length of the span.
    """
    pA, pB, rA, qA, rB, qB, t, M = find_tangent(c, FA, FB, RA, RB, start, further)
    length = np.sqrt(dot(t, t))
    e = (t[0] / length, t[1] / length, t[2] / length)
    p, q, det = RA - dot(e, qA), dot(e, qB) - RB, M[0] * M[3] - M[1] * M[2]
    lA, lB = (M[3] * p - M[2] * q) / det, (M[0] * q - M[1] * p) / det
    d = add(add(e, -lA, rA), -lB, rB)
    turnA = add(add(cross(e, rA), -lA, cross(rA, t)), lB, cross(rA, rB))
    turnB = add(add(cross(rB, e), -lA, cross(rB, rA)), -lB, cross(rB, t))
    wA, wB = (y[3], y[4], y[5]), (y[6], y[7], y[8])
    v = add(add((y[0], y[1], y[2]), 1.0, cross(wB, rB)), -1.0, cross(wA, rA))
    across = add(v, -dot(v, e), e)
    h = (shear / length * across[0], shear / length * across[1], shear / length * across[2])
    spin = twist * (dot(wB, e) - dot(wA, e))
    hA, hB = add(cross(h, rA), -spin, e), add(cross(rB, h), spin, e)
    for k in range(3):
        out[k], out[3 + k], out[6 + k] = d[k], turnA[k], turnB[k]
        out[9 + k], out[12 + k], out[15 + k] = h[k], hA[k], hB[k]
    return pA, pB, length


@kernel
def eval_wrap(leaves: float, meets: float) -> float:
    """Return the wrap angle [rad] of a sheave, in [0, 2 π): the angle from the point where the rope reaches the sheave
    to the point where the rope leaves the sheave.
    """
    angle = (leaves - meets) % (2.0 * np.pi)
    # the wrap angle is 0, not 2 π, if the rope is only tangent to the circle
    return 0.0 if angle > 2.0 * np.pi - 1e-9 else angle
