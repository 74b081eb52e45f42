"""Kernels of fluids: velocity, acceleration and volume fraction of a fluid at points, with derivatives.

    velocity: u = profile(h) V + waves + user function
    acceleration: a = ∂u/∂t at a fixed point
    profile: 1, (h/H)^α or ln(h/h0)/ln(H/h0); h is the height above the ground of the flow
    profile from a table: V + velocity of the table at the height z replaces profile(h) V
    phase of an Airy wave: ψ = k (x cos θ + y sin θ) - ω t + φ,    ω² = g k tanh(k d)
    surface of a wave: η = A cos ψ
    velocities of a wave: u_h = A ω C cos ψ,    u_v = A ω S sin ψ
    decrease with the depth: C, S = cosh, sinh(k (z' + d))/sinh(k d),    z' = z - level <= 0
    volume fraction of water: s = 1 below the surface level + η, 0 above the surface
    volume fraction of air: s = 1 above, 0 below the surface; s changes by a cubic step over the height `transition`

`FlowColumns` defines the parameters. Above the level, waves have the velocities at the level (vertical stretching). For
h < H/1000 the power law is replaced by a straight line, because the slope of the power law is unbounded at the ground.
With a start ramp, waves are multiplied by the factor r(t), a cubic step from 0 to 1.

Source: G. B. Airy, Tides and waves (1845); DNV-RP-C205, Environmental conditions and environmental loads, section 3.
"""

from __future__ import annotations

from math import cos, exp, log, sin
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.rows import create_records

UNIFORM, POWER, LOG, TABLE = range(4)
BELOW, ABOVE, EVERYWHERE = range(3)
DEEPEST = -40.0
"""Exponent k z' below which the velocity of a wave is neglected [1], because the velocity is below 1e-17 times the
velocity at the surface."""
LOWEST = 1e-3
"""Height h/H [1] below which the power law is replaced by a straight line."""


class FlowColumns(NamedTuple):
    """Parameters of one fluid, and the points at which it is evaluated."""

    kind: int  # type of the profile
    fills: int  # region that the fluid occupies
    up: int  # index of the axis that points upwards
    V: FloatArray  # velocity of the profile [m/s], shape (3,)
    level: float  # height of the surface [m]
    transition: float  # height over which the volume fraction of the fluid increases from 0 to 1 [m]
    ground: float  # height of the ground, from which the profile measures h = z - ground [m]
    height: float  # reference height H of the profile [m]
    exponent: float  # exponent of the power law [1]
    roughness: float  # roughness length of the logarithmic law [m]
    depth: float  # water depth d [m]
    growth: float  # duration of the start ramp of waves [s]
    table: FloatArray  # heights z [m] and horizontal velocities [m/s], shape (k, 3)
    waves: FloatArray  # of each wave: amplitude [m], ω [rad/s], k [1/m], cos θ, sin θ, φ [rad], shape (m, 6)
    where: IntArray  # indices of the points of this fluid in the arrays of all points, shape (n,)


def create_flows(count: int) -> NDArray[Any]:
    """Create records of the motion of a fluid at points, shape (count,), with these fields.

    u, a: velocity [m/s] and acceleration [m/s^2], shape (3,).
    G, H: derivatives of u and a with respect to position, shape (3, 3), valid after `fill_flow_gradients`.
    s, ds, st: volume fraction of the fluid [1], its derivatives with respect to position [1/m], shape (3,), and time
    [1/s], valid after `fill_flow_gradients` or `fill_share`.
    """
    vectors = {name: np.zeros((count, 3)) for name in ("u", "a", "ds")}
    matrices = {name: np.zeros((count, 3, 3)) for name in ("G", "H")}
    return create_records(**vectors, **matrices, s=np.zeros(count), st=np.zeros(count))


def create_surfaces(count: int) -> NDArray[Any]:
    """Create records of the surface of a fluid above points, shape (count,), for `fill_surface_shape`.

    Z, Zt: height of the surface [m] and its time derivative [m/s].
    slope, slope_t: derivatives of Z with respect to position [1] and their time derivatives [1/s], shape (3,).
    bend: second derivatives of Z with respect to position [1/m], shape (3, 3).
    """
    vectors = {name: np.zeros((count, 3)) for name in ("slope", "slope_t")}
    return create_records(Z=np.zeros(count), Zt=np.zeros(count), **vectors, bend=np.zeros((count, 3, 3)))


@kernel(inline=True)
def step_up(x: float) -> tuple[float, float]:
    """Evaluate a cubic step from 0 at x <= 0 to 1 at x >= 1, and its derivative."""
    y = min(max(x, 0.0), 1.0)
    return y * y * (3.0 - 2.0 * y), 6.0 * y * (1.0 - y)


@kernel
def eval_profile(c: FlowColumns, z: float) -> tuple[float, float]:
    """Return the factor of V at the height z [m], and its derivative with respect to z [1/m], for all profiles that are
    not tables."""
    h = z - c.ground
    if c.kind == POWER:
        lowest = LOWEST * c.height
        if h <= 0.0:
            return 0.0, 0.0
        if h < lowest:
            slope = LOWEST**c.exponent / lowest
            return slope * h, slope
        share = (h / c.height) ** c.exponent
        return share, c.exponent * share / h
    if c.kind == LOG:
        if h <= c.roughness:
            return 0.0, 0.0
        whole = log(c.height / c.roughness)
        return log(h / c.roughness) / whole, 1.0 / (h * whole)
    return 1.0, 0.0


@kernel
def add_profile(c: FlowColumns, z: float, f: Any) -> None:
    """Add the velocity of the profile at the height z, and its derivative with respect to z, to the record f of a
    point."""
    if c.kind != TABLE:
        share, slope = eval_profile(c, z)
        for k in range(3):
            f.u[k] += share * c.V[k]
            f.G[k, c.up] += slope * c.V[k]
        return
    last = len(c.table) - 1
    low, high = 0, last
    while high - low > 1:
        middle = (low + high) // 2
        if c.table[middle, 0] <= z:
            low = middle
        else:
            high = middle
    width = c.table[high, 0] - c.table[low, 0]
    y = min(max((z - c.table[low, 0]) / width, 0.0), 1.0)
    inside = c.table[0, 0] <= z < c.table[last, 0]
    for k in range(2):
        axis = 0 if k == 0 else 3 - c.up
        start, end = c.table[low, 1 + k], c.table[high, 1 + k]
        f.u[axis] += c.V[axis] + start + y * (end - start)
        if inside:
            f.G[axis, c.up] += (end - start) / width
    f.u[c.up] += c.V[c.up]


@kernel(inline=True)
def eval_phase(c: FlowColumns, m: int, r: FloatArray, t: float) -> float:
    """Return ψ of wave m at the position r [m], shape (3,), and the time t [s]."""
    w = c.waves[m]
    return float(w[2] * (r[0] * w[3] + r[3 - c.up] * w[4]) - w[1] * t + w[5])


@kernel(inline=True)
def eval_growth(c: FlowColumns, t: float) -> tuple[float, float]:
    """Return the factor r(t) of the start ramp and its time derivative [1/s]."""
    if c.growth <= 0.0:
        return 1.0, 0.0
    r, slope = step_up(t / c.growth)
    return r, slope / c.growth


@kernel
def add_waves(c: FlowColumns, r: FloatArray, t: float, gradients: bool, f: Any) -> None:
    """Add velocity and acceleration of all waves at the position r, shape (3,), to the record f of a point."""
    z = r[c.up] - c.level
    below = 1.0 if -c.depth < z < 0.0 else 0.0
    z = min(max(z, -c.depth), 0.0)
    grown, rate = eval_growth(c, t)
    side = 3 - c.up
    for m in range(len(c.waves)):
        w = c.waves[m]
        omega, k = w[1], w[2]
        if k * z < DEEPEST:
            continue
        psi = eval_phase(c, m, r, t)
        scale, up, down = w[0] * omega, exp(k * z), 0.0
        if 2.0 * k * c.depth < -DEEPEST:
            down = exp(-k * (z + 2.0 * c.depth))
            scale /= 1.0 - exp(-2.0 * k * c.depth)
        C, S = scale * (up + down), scale * (up - down)
        cp, sp = cos(psi), sin(psi)
        # horizontal and vertical velocities u, v and accelerations a, b; the accelerations include the rate of the
        # start ramp
        u, v, a, b = C * cp, S * sp, omega * C * sp, -omega * S * cp
        add_flow(c.up, side, w[3], w[4], grown * u, grown * v, f.u)
        add_flow(c.up, side, w[3], w[4], grown * a + rate * u, grown * b + rate * v, f.a)
        if gradients:
            us, uz, vs, vz = -k * C * sp, below * k * S * cp, k * S * cp, below * k * C * sp
            a_s, az, bs, bz = (
                omega * k * C * cp,
                below * omega * k * S * sp,
                omega * k * S * sp,
                -below * omega * k * C * cp,
            )
            add_gradient(c.up, side, w[3], w[4], grown * us, grown * uz, grown * vs, grown * vz, f.G)
            us, uz, vs, vz = rate * us, rate * uz, rate * vs, rate * vz
            a_s, az, bs, bz = grown * a_s + us, grown * az + uz, grown * bs + vs, grown * bz + vz
            add_gradient(c.up, side, w[3], w[4], a_s, az, bs, bz, f.H)


@kernel(inline=True)
def add_flow(up: int, side: int, cx: float, cy: float, u: float, v: float, to: FloatArray) -> None:
    """Add the vector with the components u along (cx, cy) and v upwards to ``to``."""
    to[0] += u * cx
    to[side] += u * cy
    to[up] += v


@kernel(inline=True)
def add_gradient(
    up: int, side: int, cx: float, cy: float, us: float, uz: float, vs: float, vz: float, to: FloatArray
) -> None:
    """Add the derivatives of the vector of `add_flow` with respect to position to the matrix ``to``; us, vs are
    derivatives along (cx, cy), and uz, vz are upward derivatives."""
    to[0, 0] += us * cx * cx
    to[0, side] += us * cx * cy
    to[side, 0] += us * cx * cy
    to[side, side] += us * cy * cy
    to[0, up] += uz * cx
    to[side, up] += uz * cy
    to[up, 0] += vs * cx
    to[up, side] += vs * cy
    to[up, up] += vz


@kernel
def fill_share(c: FlowColumns, points: Any, time: FloatArray, f: Any) -> None:
    """Fill the volume fraction of the fluid at points, and the derivatives of this fraction, at the time
    ``time[0]``.
    """
    t, side, highest = time[0], 3 - c.up, 0.5 * c.transition
    grown, rate = eval_growth(c, t)
    for m in range(len(c.waves)):
        highest += c.waves[m, 0]
    for i in c.where:
        below = c.level - points[i].r[c.up]
        f[i].s, f[i].st = 1.0, 0.0
        for k in range(3):
            f[i].ds[k] = 0.0
        if c.fills == EVERYWHERE:
            continue
        if abs(below) >= highest:
            # points that are higher or lower than any wave can reach
            f[i].s = 1.0 if (below > 0.0) == (c.fills == BELOW) else 0.0
            continue
        eta, eta_t, along, across = 0.0, 0.0, 0.0, 0.0
        for m in range(len(c.waves)):
            w = c.waves[m]
            psi = eval_phase(c, m, points[i].r, t)
            high, slope = w[0] * cos(psi), -w[0] * sin(psi)
            eta += grown * high
            eta_t += rate * high - grown * w[1] * slope
            along += grown * w[2] * w[3] * slope
            across += grown * w[2] * w[4] * slope
        s, slope = step_up((below + eta) / c.transition + 0.5)
        slope /= c.transition
        if c.fills == ABOVE:
            s, slope = 1.0 - s, -slope
        f[i].s, f[i].st = s, slope * eta_t
        f[i].ds[0] = slope * along
        f[i].ds[side] = slope * across
        f[i].ds[c.up] = -slope


@kernel
def fill_surface(c: FlowColumns, points: Any, time: FloatArray, height: FloatArray) -> None:
    """Fill the height of the surface over points, shape (p,) [m]."""
    grown, _ = eval_growth(c, time[0])
    for i in c.where:
        height[i] = c.level
        for m in range(len(c.waves)):
            height[i] += grown * c.waves[m, 0] * cos(eval_phase(c, m, points[i].r, time[0]))


@kernel
def fill_surface_shape(c: FlowColumns, points: Any, time: FloatArray, f: Any) -> None:
    """Fill the records f of the surface above points, see `create_surfaces`, at the time ``time[0]``."""
    t, side = time[0], 3 - c.up
    grown, rate = eval_growth(c, t)
    for i in c.where:
        f[i].Z, f[i].Zt = c.level, 0.0
        for a in range(3):
            f[i].slope[a], f[i].slope_t[a] = 0.0, 0.0
            for b in range(3):
                f[i].bend[a, b] = 0.0
        for m in range(len(c.waves)):
            w = c.waves[m]
            psi = eval_phase(c, m, points[i].r, t)
            high, steep = w[0] * cos(psi), -w[0] * sin(psi)
            kx, ky = w[2] * w[3], w[2] * w[4]
            f[i].Z += grown * high
            f[i].Zt += rate * high - grown * w[1] * steep
            # time derivative of the slope divided by the wave number
            change = rate * steep + grown * w[1] * high
            f[i].slope[0] += grown * kx * steep
            f[i].slope[side] += grown * ky * steep
            f[i].slope_t[0] += kx * change
            f[i].slope_t[side] += ky * change
            f[i].bend[0, 0] -= grown * kx * kx * high
            f[i].bend[side, side] -= grown * ky * ky * high
            f[i].bend[0, side] -= grown * kx * ky * high
            f[i].bend[side, 0] -= grown * kx * ky * high


@kernel
def fill_flow(c: FlowColumns, points: Any, time: FloatArray, given: FloatArray, gradients: FloatArray, f: Any) -> None:
    """Fill velocities, accelerations and volume fractions of the fluid at points, at the time ``time[0]``.

    ``given``: velocities and accelerations of user functions, shape (p, 2, 3), or an empty array.
    """
    fill_all(c, points, time, given, gradients, False, f)


@kernel
def fill_flow_gradients(
    c: FlowColumns, points: Any, time: FloatArray, given: FloatArray, gradients: FloatArray, f: Any
) -> None:
    """Fill the values of `fill_flow`, and also their derivatives with respect to position; ``gradients``: derivatives
    of ``given``, shape (p, 2, 3, 3).
    """
    fill_all(c, points, time, given, gradients, True, f)


@kernel
def fill_all(
    c: FlowColumns, points: Any, time: FloatArray, given: FloatArray, gradients: FloatArray, whole: bool, f: Any
) -> None:
    """Fill velocity, acceleration and volume fraction at points; if ``whole`` is true, also their derivatives."""
    fill_share(c, points, time, f)
    for i in c.where:
        for k in range(3):
            f[i].u[k], f[i].a[k] = 0.0, 0.0
            for b in range(3):
                f[i].G[k, b], f[i].H[k, b] = 0.0, 0.0
        add_profile(c, points[i].r[c.up], f[i])
        add_waves(c, points[i].r, time[0], whole, f[i])
        if len(given):
            for k in range(3):
                f[i].u[k] += given[i, 0, k]
                f[i].a[k] += given[i, 1, k]
                for b in range(3):
                    f[i].G[k, b] += gradients[i, 0, k, b]
                    f[i].H[k, b] += gradients[i, 1, k, b]
