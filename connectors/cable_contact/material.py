"""Rotation of the material of two cables with twist at a contact. This rotation is needed for ropes that friction
turns.

The angular velocity of the material of a cable is ω = t × r'_t/|r'| + s t, with the spin s = σ·y_t of
`elements/cable/twist_points.py`. The material has the frame D = (t, d_1, d_2). The normal of a bristle is stored by its
components in this frame, m = D m̂. Therefore the variation of m is

    δm = (t × δt + δα t) × m,    δα = σ·δy.

On cable B, the frame at the foot is used, and the foot moves along B. From one position on B to the next, the frame
turns about the axis by the spin per arc length

    k = (T + δ - (1 - x) G_0·r'' - x G_1·r'')/L

relative to the smallest rotation of the tangent. Here x = s/L is the relative position of the foot, and T is the twist
angle of the cable. Each of the frames of the two nodes is moved to the foot, and δ is the angle between the two moved
frames. The smallest rotation from the tangent of node i to the tangent at the foot has a spin, and G_i is the
derivative of this spin with respect to r'. If the foot moves by s - s_1 in a step, the normal is turned back by the
angle k_1 (s - s_1). Here s_1 and k_1 are the values at the start of the step. Therefore the normal does not rotate
relative to the material when the foot moves.

Source: own derivation; for the spin of frames M. Bergou and others, ACM Transactions on Graphics 27 (2008), 63.
"""

from __future__ import annotations

from math import cos, sin
from typing import Any, NamedTuple

from numpy.typing import NDArray

from windlass.connectors.contact.update import work_type
from windlass.elements.cable.points import shape_bend, shape_slope
from windlass.elements.cable.twist_forces import find_part, times
from windlass.elements.cable.twist_points import (
    AT_END,
    AT_START,
    COUNT,
    NOWHERE,
    add_gradient,
    add_step,
    fill_spin,
    fill_spin_change,
    interpolate,
    moved_frame,
    node_frames,
    read_coordinates,
    twist_between,
)
from windlass.elements.nodes.turning import (
    axes_of,
    spun,
    step_change,
    step_gradients,
)
from windlass.elements.nodes.vectors import Vector, combine, dot
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel

TWIST = 14
"""Number of coordinates of a cable with twist: the positions and slopes of both nodes, followed by both angles."""
AXIS: Vector = (1.0, 0.0, 0.0)
SPINS = work_type(
    y=(2, COUNT), yt=(2, COUNT), sigma=(2, COUNT), slope=(COUNT,), change=(2, COUNT, COUNT),
)  # fmt: skip
"""Work space for cables A and B: coordinates y and their rates, the coefficients σ of the spins, the derivative of σ of
B with respect to the arc length, and the derivatives of σ with respect to y.
"""


class Frame(NamedTuple):
    """Material of a cable at a place: spin s [rad/s], the axes d_1 and d_2, and the spin k per arc length [rad/m]."""

    rate: float
    d1: Vector
    d2: Vector
    along: float


class Material(NamedTuple):
    """Material of both cables at a contact. The fields are whether friction turns the cables, the frames of A and B,
    and the derivative of the spin of B with respect to the arc length [rad/(m s)].
    """

    turns: bool
    a: Frame
    b: Frame
    by_arc: float


@kernel
def find_frame(row: Any, s: float, x: FloatArray, v: FloatArray, g: Any, which: int) -> Frame:
    """Return the `Frame` of a cable at the arc length s. Write the coefficients σ of the spin of this frame into
    ``g.sigma``. The argument ``which`` is 0 for cable A and 1 for cable B.
    """
    y, yt, sigma, iL = g.y[which], g.yt[which], g.sigma[which], 1.0 / row.length
    read_coordinates(row.dofs, iL, x, y)
    read_coordinates(row.dofs, iL, v, yt)
    place = s * iL
    _, on_s0, on_e, on_s1 = shape_slope(place, 1.0)
    _, bend_s0, bend_e, bend_s1 = shape_bend(place, 1.0)
    P = on_e, on_s0, on_s1
    p, k = interpolate(P, 1.0, y), interpolate((bend_e, bend_s0, bend_s1), 1.0, y)
    fill_spin(row, place, P, p, y, sigma)
    frames = node_frames(row, y)
    T = twist_between(row, y, frames)
    from0, angle = moved_frame(row, place, p, y, T, frames)
    _, d1, d2 = axes_of(spun(from0, place * angle))
    _, on_p0 = step_gradients((y[3], y[4], y[5]), p)
    _, on_p1 = step_gradients((y[6], y[7], y[8]), p)
    along = T + row.free_twist + angle - (1.0 - place) * dot(on_p0, k) - place * dot(on_p1, k)
    return Frame(times(sigma, yt), d1, d2, along * iL)


@kernel
def fill_spin_slope(row: Any, s: float, y: FloatArray, g: FloatArray) -> None:
    """Write the derivative of the coefficients σ of the spin with respect to the arc length into g, shape (11,). The
    derivative is evaluated at the arc length s.
    """
    iL = 1.0 / row.length
    place = s * iL
    _, on_s0, on_e, on_s1 = shape_slope(place, 1.0)
    _, bend_s0, bend_e, bend_s1 = shape_bend(place, 1.0)
    P, K = (on_e, on_s0, on_s1), (bend_e, bend_s0, bend_s1)
    p, k, p0, p1 = interpolate(P, 1.0, y), interpolate(K, 1.0, y), (y[3], y[4], y[5]), (y[6], y[7], y[8])
    b0, b1 = (row.b0[0], row.b0[1], row.b0[2]), (row.b1[0], row.b1[1], row.b1[2])
    g[:] = 0.0
    g[9], g[10] = -1.0, 1.0
    # terms with the derivatives of the factors x - 1 and -x, where x is the relative position along the cable
    add_step(1.0, NOWHERE, b0, AT_START, p0, g)
    add_step(1.0, AT_START, p0, P, p, g)
    add_step(-1.0, NOWHERE, b1, AT_END, p1, g)
    add_step(-1.0, AT_END, p1, P, p, g)
    # terms with the derivatives of the smallest rotations from the tangents of the nodes to the direction of r'
    for end in range(2):
        w, q, Q = (place - 1.0, p0, AT_START) if end == 0 else (-place, p1, AT_END)
        on_q, on_p = step_change(q, p, (0.0, 0.0, 0.0), k)
        add_gradient(w, Q, on_q, g)
        add_gradient(w, P, on_p, g)
        add_gradient(w, K, step_gradients(q, p)[1], g)
    for i in range(COUNT):
        g[i] *= iL


@kernel
def find_material(
    c: NDArray[Any], a: int, b: int, xi: float, s: float, x: FloatArray, v: FloatArray, g: Any
) -> Material:
    """Return the `Material` of cable a at the point xi and of cable b at the foot s. Write the coefficients σ of both
    spins into g.
    """
    if not c[a].turns_rope:
        still = Frame(0.0, AXIS, AXIS, 0.0)
        return Material(False, still, still, 0.0)
    on_a, on_b = find_frame(c[a], xi, x, v, g, 0), find_frame(c[b], s, x, v, g, 1)
    fill_spin_slope(c[b], s, g.y[1], g.slope)
    return Material(True, on_a, on_b, times(g.slope, g.yt[1]))


@kernel
def fill_changes_of_spins(c: NDArray[Any], a: int, b: int, xi: float, s: float, g: Any) -> None:
    """Write the derivatives of the coefficients σ of both cables with respect to the coordinates y into
    ``g.change``."""
    for which in range(2):
        row, place = (c[a], xi / c[a].length) if which == 0 else (c[b], s / c[b].length)
        _, on_s0, on_e, on_s1 = shape_slope(place, 1.0)
        P = on_e, on_s0, on_s1
        y = g.y[which]
        fill_spin_change(row, place, P, interpolate(P, 1.0, y), y, g.change[which])


@kernel(inline=True)
def to_components(m: Vector, t: Vector, f: Frame) -> Vector:
    """Return the components of the vector m along the axes t, d_1 and d_2 of the frame of the material."""
    return dot(m, t), dot(m, f.d1), dot(m, f.d2)


@kernel(inline=True)
def from_components(m: Vector, t: Vector, f: Frame, angle: float) -> Vector:
    """Return the vector whose components are m in the frame of the material after a rotation of this frame about t by
    ``angle``."""
    p, q = cos(angle), sin(angle)
    return combine(1.0, combine(m[0], t, p * m[1] - q * m[2], f.d1), q * m[1] + p * m[2], f.d2)


@kernel
def add_spin_forces(f: FloatArray, row: Any, sigma: FloatArray, moment: float) -> None:
    """Add the generalised forces of a moment [N m] about the axis of a cable to the forces f on the coordinates of the
    cable.
    """
    for k in range(TWIST):
        j, u = find_part(k, 1.0 / row.length)
        f[row.dofs[k]] += u * sigma[j] * moment


@kernel
def add_columns_of_spins(C: FloatArray, dq: float, dv: float, la: float, lb: float, g: Any, X: FloatArray) -> None:
    """Add to X, shape (12, 28), the contributions of the angles and spins of both cables. Row i of X contains the
    derivatives of quantity i of C (see `tangent.fill_changes`) with respect to the coordinates. Columns 12 and 13 of C
    contain the derivatives with respect to the angle and the spin of A. Columns 14 and 15 contain the derivatives with
    respect to the angle and the spin of B.
    """
    for which in range(2):
        iL, yt, sigma, change = 1.0 / (la if which == 0 else lb), g.yt[which], g.sigma[which], g.change[which]
        for k in range(TWIST):
            j, u = find_part(k, iL)
            rate = 0.0
            for i in range(COUNT):
                rate += yt[i] * change[i, j]
            by_angle, by_rate = dq * u * sigma[j], u * (dq * rate + dv * sigma[j])
            for row in range(12):
                X[row, TWIST * which + k] += by_angle * C[row, 12 + 2 * which] + by_rate * C[row, 13 + 2 * which]


@kernel
def add_rows_of_spins(
    X: FloatArray, dq: float, la: float, lb: float, moment_a: float, moment_b: float, g: Any, K: FloatArray
) -> None:
    """Add to K, shape (28, 28), the derivatives of the generalised forces of the moments about both axes. The last two
    rows of X contain the derivatives of these moments, and row 9 contains the derivatives of the arc length of the
    foot."""
    for which in range(2):
        iL, sigma, change = 1.0 / (la if which == 0 else lb), g.sigma[which], g.change[which]
        moment, first = (moment_a, 0) if which == 0 else (moment_b, TWIST)
        for k in range(TWIST):
            i, u = find_part(k, iL)
            for col in range(2 * TWIST):
                K[first + k, col] += u * sigma[i] * X[10 + which, col]
                if which == 1:
                    K[first + k, col] += u * moment * g.slope[i] * X[9, col]
            for l in range(TWIST):
                j, w = find_part(l, iL)
                K[first + k, first + l] += dq * moment * u * w * change[i, j]
