"""Kernels of fluids: velocity, acceleration and volume fraction of a fluid at points, with derivatives.

    velocity: u = profile(h) V + waves + gusts + user function
    acceleration: a = ∂u/∂t at a fixed point
    profile: 1, (h/H)^α or ln(h/h0)/ln(H/h0). For water, h is the height above the bed. For other fluids, h is the
        height above the level
    profile from a table: V + (velocity of the table at the height z) replaces profile(h) V
    phase of an Airy wave: ψ = k (x cos θ + y sin θ) - ω t + φ,    ω² = g k tanh(k d)
    surface of a wave: η = A cos ψ
    velocities of a wave: u_h = A ω C cos ψ,    u_v = A ω S sin ψ
    decrease with the depth: C, S = cosh, sinh(k (z' + d))/sinh(k d),    z' = z - level
    height z' by vertical stretching: min(z', 0)
    height z' by Wheeler stretching: (z' - η) d/(d + η)
    linear extrapolation: C + k z' S, S + k z' C at the level for 0 < z' < η
    gust along the mean velocity V: A cos(ω (s/|V| - t) + φ), where s is the distance along V
    volume fraction of water: s = 1 below the surface level + η, 0 above the surface
    volume fraction of air: s = 1 above the surface, 0 below it. Over the height `transition`, s changes by a cubic step

`fluid.create_flow` defines the parameters. With vertical stretching, the velocities of waves above the mean water level
are equal to the velocities at this level. With all other methods, the velocities above the surface are equal to the
velocities at the surface. Accelerations are the accelerations of Airy waves at the height z', with the amplitudes A ω²
C and A ω² S. On a current that carries the waves, ω in the amplitudes of velocities and accelerations is replaced by σ,
the frequency for an observer who moves with the current. For h < H/1000 the power law is replaced by a straight line,
because the slope of the power law is unbounded at h = 0. With a start ramp, waves and gusts are multiplied by the
factor r(t), a cubic step from 0 to 1.

Source: G. B. Airy, Tides and waves (1845); J. D. Wheeler, Method for calculating forces produced by irregular waves, J.
Petroleum Technology 22 (1970) 359-367; DNV-RP-C205, Environmental conditions and environmental loads, section 3; G. I.
Taylor, The spectrum of turbulence, Proc. R. Soc. A 164 (1938), for gusts that travel with the mean wind.
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
VERTICAL, WHEELER, LINEAR, NONE = range(4)
DEEPEST = -40.0
"""Exponent k z' [1]. If the exponent is below this value, a wave is neglected, because its velocity is below 1e-17
times the velocity at z' = 0.
"""
LOWEST = 1e-3
"""Height h/H [1]. Below this height the power law is replaced by a straight line."""


class Flow(NamedTuple):
    """A fluid, and the points at which its flow is evaluated."""

    fluid: NDArray[Any]  # the record of the fluid, see `fluid.create_flow`, shape (1,)
    table: FloatArray  # heights z [m] and horizontal velocities of the profile [m/s], shape (k, 3)
    waves: NDArray[Any]  # one record for each wave, see `create_waves`
    gusts: NDArray[Any]  # one record for each gust, see `create_gusts`
    where: IntArray  # indices of the points of this fluid in the arrays of all points, shape (n,)


def create_waves(
    amplitude: FloatArray, frequency: FloatArray, number: FloatArray, direction: FloatArray, phase: FloatArray,
    speed: FloatArray, sigma: FloatArray,
) -> NDArray[Any]:  # fmt: skip
    """Create one record for each of m waves. The fields of a record are ``along`` = cos θ and ``across`` = sin θ of the
    direction θ, and all arguments except ``direction``. All arguments have the shape (m,).

    Args:
        amplitude: amplitudes A [m].
        frequency: frequencies ω [rad/s].
        number: wave numbers k [1/m].
        direction: directions θ of travel [rad].
        phase: phases φ [rad].
        speed: amplitudes of the velocity at the level [m/s].
        sigma: frequencies σ for an observer who moves with the current [rad/s].
    """
    return create_records(
        amplitude=amplitude,
        frequency=frequency,
        number=number,
        along=np.cos(direction),
        across=np.sin(direction),
        phase=phase,
        speed=speed,
        sigma=sigma,
    )


def create_gusts(amplitude: FloatArray, frequency: FloatArray, phase: FloatArray, speed: float) -> NDArray[Any]:
    """Create one record for each of m gusts: amplitude [m/s], frequency ω [rad/s], number k = ω/|V| [1/m] for the mean
    velocity |V| = ``speed`` [m/s], and phase φ [rad]. The arguments have the shape (m,).
    """
    return create_records(amplitude=amplitude, frequency=frequency, number=frequency / speed, phase=phase)


def create_flows(count: int) -> NDArray[Any]:
    """Create an array for the motion of a fluid at points, shape (count,), with the following values for each point.

    u, a: velocity [m/s] and acceleration [m/s^2], shape (3,).
    G, H: derivatives of u [1/s] and a [1/s^2] with respect to position, shape (3, 3), valid after
    `fill_flow_gradients`.
    s, ds, st: volume fraction of the fluid [1], its derivatives with respect to position [1/m], shape (3,), and its
    derivative with respect to time [1/s].
    """
    vectors = {name: np.zeros((count, 3)) for name in ("u", "a", "ds")}
    matrices = {name: np.zeros((count, 3, 3)) for name in ("G", "H")}
    return create_records(**vectors, **matrices, s=np.zeros(count), st=np.zeros(count))


def create_surfaces(count: int) -> NDArray[Any]:
    """Create the array into which `fill_surface_shape` writes the surface of a fluid above points, shape (count,), with
    the following values for each point.

    Z, Zt: height of the surface [m] and its time derivative [m/s].
    slope, slope_t: derivatives of Z with respect to position [1] and their time derivatives [1/s], shape (3,).
    bend: second derivatives of Z with respect to position [1/m], shape (3, 3).
    """
    vectors = {name: np.zeros((count, 3)) for name in ("slope", "slope_t")}
    return create_records(Z=np.zeros(count), Zt=np.zeros(count), **vectors, bend=np.zeros((count, 3, 3)))


@kernel(inline=True)
def step_up(x: float) -> tuple[float, float]:
    """Return the value of a cubic step from 0 at x <= 0 to 1 at x >= 1, and the derivative of the step."""
    y = min(max(x, 0.0), 1.0)
    return y * y * (3.0 - 2.0 * y), 6.0 * y * (1.0 - y)


@kernel
def eval_profile(fluid: Any, z: float) -> tuple[float, float]:
    """Return the factor [1] of the velocity V of the profile at the height z [m], and the derivative [1/m] of this
    factor with respect to z, for all profiles that are not tables.
    """
    h, height = z - fluid.ground, fluid.reference_height
    if fluid.profile == POWER:
        lowest = LOWEST * height
        if h <= 0.0:
            return 0.0, 0.0
        if h < lowest:
            slope = LOWEST**fluid.exponent / lowest
            return slope * h, slope
        share = (h / height) ** fluid.exponent
        return share, fluid.exponent * share / h
    if fluid.profile == LOG:
        if h <= fluid.roughness:
            return 0.0, 0.0
        whole = log(height / fluid.roughness)
        return log(h / fluid.roughness) / whole, 1.0 / (h * whole)
    return 1.0, 0.0


@kernel
def eval_current(c: Flow, z: float) -> tuple[float, float, float, float]:
    """Return the velocities [m/s] of the profile along x and along the other horizontal axis at the height z [m], and
    the derivatives [1/s] of these velocities with respect to z.
    """
    fluid = c.fluid[0]
    V, side = fluid.velocity, 3 - fluid.up
    if fluid.profile != TABLE:
        share, slope = eval_profile(fluid, z)
        return share * V[0], share * V[side], slope * V[0], slope * V[side]
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
    inside = 1.0 if c.table[0, 0] <= z < c.table[last, 0] else 0.0
    dx, dy = c.table[high, 1] - c.table[low, 1], c.table[high, 2] - c.table[low, 2]
    u, v = c.table[low, 1] + y * dx, c.table[low, 2] + y * dy
    return V[0] + u, V[side] + v, inside * dx / width, inside * dy / width


@kernel
def add_profile(c: Flow, z: float, f: Any) -> None:
    """Add the velocity of the profile at the height z, and its derivative with respect to z, to the values f of a
    point.
    """
    fluid = c.fluid[0]
    V, up, side = fluid.velocity, fluid.up, 3 - fluid.up
    if fluid.profile != TABLE:
        share, slope = eval_profile(fluid, z)
        for k in range(3):
            f.u[k] += share * V[k]
            f.G[k, up] += slope * V[k]
        return
    u, v, slope, side_slope = eval_current(c, z)
    f.u[0] += u
    f.u[side] += v
    f.u[up] += V[up]
    f.G[0, up] += slope
    f.G[side, up] += side_slope


@kernel
def fill_means(c: Flow, cx: FloatArray, cy: FloatArray, z: FloatArray, w: FloatArray, mean: FloatArray) -> None:
    """Write the mean velocities [m/s] of the profile along m horizontal directions into ``mean``, shape (m,). Mean i is
    the sum of the velocities along (cx[i], cy[i]) at the n heights z[i] [m], multiplied by the weights w [1]. cx and cy
    have the shape (m,), z the shape (m, n), and w the shape (n,).
    """
    for m in range(len(cx)):
        mean[m] = 0.0
        for j in range(len(w)):
            u, v, _, _ = eval_current(c, z[m, j])
            mean[m] += w[j] * (u * cx[m] + v * cy[m])


@kernel(inline=True)
def eval_phase(wave: Any, r: FloatArray, side: int, t: float) -> float:
    """Return the phase ψ of a wave at the position r [m], shape (3,), and the time t [s]. The horizontal axes are x and
    the axis with the index ``side``.
    """
    return float(wave.number * (r[0] * wave.along + r[side] * wave.across) - wave.frequency * t + wave.phase)


@kernel(inline=True)
def eval_growth(fluid: Any, t: float) -> tuple[float, float]:
    """Return the factor r(t) of the start ramp and its time derivative [1/s]."""
    if fluid.wave_growth <= 0.0:
        return 1.0, 0.0
    r, slope = step_up(t / fluid.wave_growth)
    return r, slope / fluid.wave_growth


@kernel
def eval_elevation(c: Flow, r: FloatArray, t: float) -> tuple[float, float, float, float]:
    """Return the surface elevation η [m] at the position r [m], shape (3,), its time derivative [m/s], and its
    derivatives [1] along x and along the other horizontal axis.
    """
    grown, rate = eval_growth(c.fluid[0], t)
    side, eta, eta_t, along, across = 3 - c.fluid[0].up, 0.0, 0.0, 0.0, 0.0
    for m in range(len(c.waves)):
        w = c.waves[m]
        psi = eval_phase(w, r, side, t)
        high, slope = w.amplitude * cos(psi), -w.amplitude * sin(psi)
        eta += grown * high
        eta_t += rate * high - grown * w.frequency * slope
        along += grown * w.number * w.along * slope
        across += grown * w.number * w.across * slope
    return eta, eta_t, along, across


@kernel
def eval_height(fluid: Any, z: float, eta: float) -> tuple[float, float, float]:
    """Return the height z' [m] at which the velocities of waves are evaluated, and its derivatives [1] with respect to
    z and η. The argument ``z`` is the height above the level [m], and ``eta`` is the surface elevation η [m].
    """
    depth = fluid.depth
    if z <= -depth:
        return -depth, 0.0, 0.0
    if fluid.stretching == VERTICAL:
        return (z, 1.0, 0.0) if z < 0.0 else (0.0, 0.0, 0.0)
    if fluid.stretching == WHEELER:
        if z >= eta:
            return 0.0, 0.0, 0.0
        share = depth / (depth + eta)
        return (z - eta) * share, share, -(z + depth) * share / (depth + eta)
    if z < eta:
        return z, 1.0, 0.0
    return (eta, 0.0, 1.0) if eta > -depth else (-depth, 0.0, 0.0)


@kernel(inline=True)
def eval_decrease(fluid: Any, k: float, y: float) -> tuple[float, float, float, float]:
    """Return the factors C and S [1] of a wave with the wave number k [1/m] at the height z' = y [m], and their
    derivatives [1/m] with respect to y.
    """
    above = y if fluid.stretching == LINEAR and y > 0.0 else 0.0
    z = y - above
    C, S = exp(k * z), 0.0
    if 2.0 * k * fluid.depth < -DEEPEST:
        down = exp(-k * (z + 2.0 * fluid.depth))
        scale = 1.0 / (1.0 - exp(-2.0 * k * fluid.depth))
        C, S = scale * (C + down), scale * (C - down)
    else:
        S = C
    if above > 0.0:
        return C + k * above * S, S + k * above * C, k * S, k * C
    return C, S, k * S, k * C


@kernel
def add_waves(c: Flow, r: FloatArray, t: float, gradients: bool, f: Any) -> None:
    """Add velocity and acceleration of all waves at the position r [m], shape (3,), to the values f of a point. If
    ``gradients`` is true, also add the derivatives of both with respect to position.
    """
    fluid = c.fluid[0]
    grown, rate = eval_growth(fluid, t)
    up, side = fluid.up, 3 - fluid.up
    eta, along, across = 0.0, 0.0, 0.0
    if fluid.stretching != VERTICAL:
        eta, _, along, across = eval_elevation(c, r, t)
    y, by_z, by_eta = eval_height(fluid, r[up] - fluid.surface, eta)
    # derivatives of the velocities and accelerations with respect to y. The components are along x, along the other
    # horizontal axis and upwards.
    ux, uy, uz, ax, ay, az = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for m in range(len(c.waves)):
        w = c.waves[m]
        k, sigma, wx, wy = w.number, w.sigma, w.along, w.across
        if k * y < DEEPEST:
            continue
        psi = eval_phase(w, r, side, t)
        C, S, Cy, Sy = eval_decrease(fluid, k, y)
        cp, sp = w.speed * cos(psi), w.speed * sin(psi)
        # horizontal and vertical velocities u, v and accelerations a, b; the accelerations include the rate of the
        # start ramp
        u, v, a, b = C * cp, S * sp, sigma * C * sp, -sigma * S * cp
        add_flow(up, side, wx, wy, grown * u, grown * v, f.u)
        add_flow(up, side, wx, wy, grown * a + rate * u, grown * b + rate * v, f.a)
        if gradients:
            us, vs, a_s, bs = -k * C * sp, k * S * cp, sigma * k * C * cp, sigma * k * S * sp
            add_gradient(up, side, wx, wy, grown * us, grown * vs, f.G)
            add_gradient(up, side, wx, wy, grown * a_s + rate * us, grown * bs + rate * vs, f.H)
            us, vs = grown * Cy * cp, grown * Sy * sp
            a_s, bs = grown * sigma * Cy * sp + rate * Cy * cp, rate * Sy * sp - grown * sigma * Sy * cp
            ux, uy, uz = ux + us * wx, uy + us * wy, uz + vs
            ax, ay, az = ax + a_s * wx, ay + a_s * wy, az + bs
    if gradients:
        add_product(up, side, (ux, uy, uz), (by_eta * along, by_eta * across, by_z), f.G)
        add_product(up, side, (ax, ay, az), (by_eta * along, by_eta * across, by_z), f.H)


@kernel
def add_gusts(c: Flow, r: FloatArray, t: float, f: Any) -> None:
    """Add velocity and acceleration of all gusts at the position r, shape (3,), and their derivatives with respect to
    position, to the values f of a point.
    """
    fluid = c.fluid[0]
    grown, rate = eval_growth(fluid, t)
    up, side, cx, cy = fluid.up, 3 - fluid.up, fluid.wind[0], fluid.wind[1]
    u, a, us, a_s = 0.0, 0.0, 0.0, 0.0
    for m in range(len(c.gusts)):
        w = c.gusts[m]
        psi = w.number * (r[0] * cx + r[side] * cy) - w.frequency * t + w.phase
        cp, sp = w.amplitude * cos(psi), w.amplitude * sin(psi)
        u += grown * cp
        a += grown * w.frequency * sp + rate * cp
        us -= grown * w.number * sp
        a_s += w.number * (grown * w.frequency * cp - rate * sp)
    add_flow(up, side, cx, cy, u, 0.0, f.u)
    add_flow(up, side, cx, cy, a, 0.0, f.a)
    add_gradient(up, side, cx, cy, us, 0.0, f.G)
    add_gradient(up, side, cx, cy, a_s, 0.0, f.H)


@kernel(inline=True)
def add_flow(up: int, side: int, cx: float, cy: float, u: float, v: float, to: FloatArray) -> None:
    """Add a vector to ``to``, shape (3,). The vector has the horizontal component u along (cx, cy) and the upward
    component v.
    """
    to[0] += u * cx
    to[side] += u * cy
    to[up] += v


@kernel(inline=True)
def add_gradient(up: int, side: int, cx: float, cy: float, us: float, vs: float, to: FloatArray) -> None:
    """Add the derivatives of the vector of `add_flow` with respect to horizontal positions to the matrix ``to``, shape
    (3, 3). The arguments ``us`` and ``vs`` are the derivatives of u and v along (cx, cy).
    """
    to[0, 0] += us * cx * cx
    to[0, side] += us * cx * cy
    to[side, 0] += us * cx * cy
    to[side, side] += us * cy * cy
    to[up, 0] += vs * cx
    to[up, side] += vs * cy


@kernel(inline=True)
def add_product(
    up: int, side: int, a: tuple[float, float, float], b: tuple[float, float, float], to: FloatArray
) -> None:
    """Add the matrix a bᵀ to ``to``. The components of a and b are along x, along the other horizontal axis, and
    upwards.
    """
    axes = (0, side, up)
    for i in range(3):
        for j in range(3):
            to[axes[i], axes[j]] += a[i] * b[j]


@kernel
def fill_share(c: Flow, points: Any, time: FloatArray, f: Any) -> None:
    """Write the volume fraction of the fluid at its points, and the derivatives of the volume fraction, into f, see
    `create_flows`, at the time ``time[0]`` [s]."""
    fluid = c.fluid[0]
    t, up, side, highest = time[0], fluid.up, 3 - fluid.up, 0.5 * fluid.transition
    for m in range(len(c.waves)):
        highest += c.waves[m].amplitude
    for i in c.where:
        below = fluid.surface - points[i].r[up]
        f[i].s, f[i].st = 1.0, 0.0
        for k in range(3):
            f[i].ds[k] = 0.0
        if fluid.fills == EVERYWHERE:
            continue
        if abs(below) >= highest:
            # even the highest waves do not change the volume fraction at this point
            f[i].s = 1.0 if (below > 0.0) == (fluid.fills == BELOW) else 0.0
            continue
        eta, eta_t, along, across = eval_elevation(c, points[i].r, t)
        s, slope = step_up((below + eta) / fluid.transition + 0.5)
        slope /= fluid.transition
        if fluid.fills == ABOVE:
            s, slope = 1.0 - s, -slope
        f[i].s, f[i].st = s, slope * eta_t
        f[i].ds[0] = slope * along
        f[i].ds[side] = slope * across
        f[i].ds[up] = -slope


@kernel
def fill_surface(c: Flow, points: Any, time: FloatArray, height: FloatArray) -> None:
    """Write the height [m] of the surface above the points of the fluid into ``height``, shape (p,), at the time
    ``time[0]`` [s].
    """
    for i in c.where:
        height[i] = c.fluid[0].surface + eval_elevation(c, points[i].r, time[0])[0]


@kernel
def fill_surface_shape(c: Flow, points: Any, time: FloatArray, f: Any) -> None:
    """Write the shape of the surface above the points of the fluid into f, see `create_surfaces`, at the time
    ``time[0]`` [s]."""
    fluid = c.fluid[0]
    t, side = time[0], 3 - fluid.up
    grown, rate = eval_growth(fluid, t)
    for i in c.where:
        f[i].Z, f[i].Zt = fluid.surface, 0.0
        for a in range(3):
            f[i].slope[a], f[i].slope_t[a] = 0.0, 0.0
            for b in range(3):
                f[i].bend[a, b] = 0.0
        for m in range(len(c.waves)):
            w = c.waves[m]
            psi = eval_phase(w, points[i].r, side, t)
            high, steep = w.amplitude * cos(psi), -w.amplitude * sin(psi)
            kx, ky = w.number * w.along, w.number * w.across
            f[i].Z += grown * high
            f[i].Zt += rate * high - grown * w.frequency * steep
            # time derivative of the slope divided by the wave number
            change = rate * steep + grown * w.frequency * high
            f[i].slope[0] += grown * kx * steep
            f[i].slope[side] += grown * ky * steep
            f[i].slope_t[0] += kx * change
            f[i].slope_t[side] += ky * change
            f[i].bend[0, 0] -= grown * kx * kx * high
            f[i].bend[side, side] -= grown * ky * ky * high
            f[i].bend[0, side] -= grown * kx * ky * high
            f[i].bend[side, 0] -= grown * kx * ky * high


@kernel
def fill_flow(c: Flow, points: Any, time: FloatArray, given: FloatArray, gradients: FloatArray, f: Any) -> None:
    """Write velocities, accelerations and volume fractions of the fluid at its points into f, see `create_flows`, at
    the time ``time[0]`` [s].

    ``given``: velocities and accelerations of user functions at all p points, shape (p, 2, 3), or an empty array.
    """
    fill_all(c, points, time, given, gradients, False, f)


@kernel
def fill_flow_gradients(
    c: Flow, points: Any, time: FloatArray, given: FloatArray, gradients: FloatArray, f: Any
) -> None:
    """Write the values of `fill_flow` and their derivatives with respect to position. The argument ``gradients``
    contains the derivatives of ``given``, shape (p, 2, 3, 3).
    """
    fill_all(c, points, time, given, gradients, True, f)


@kernel
def fill_all(
    c: Flow, points: Any, time: FloatArray, given: FloatArray, gradients: FloatArray, whole: bool, f: Any
) -> None:
    """Write the values of `fill_flow` into f. If ``whole`` is true, also write the derivatives of velocities and
    accelerations with respect to position.
    """
    fill_share(c, points, time, f)
    for i in c.where:
        for k in range(3):
            f[i].u[k], f[i].a[k] = 0.0, 0.0
            for b in range(3):
                f[i].G[k, b], f[i].H[k, b] = 0.0, 0.0
        add_profile(c, points[i].r[c.fluid[0].up], f[i])
        add_waves(c, points[i].r, time[0], whole, f[i])
        if len(c.gusts):
            add_gusts(c, points[i].r, time[0], f[i])
        if len(given):
            for k in range(3):
                f[i].u[k] += given[i, 0, k]
                f[i].a[k] += given[i, 1, k]
                for b in range(3):
                    f[i].G[k, b] += gradients[i, 0, k, b]
                    f[i].H[k, b] += gradients[i, 1, k, b]
