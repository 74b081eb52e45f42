"""Regular waves of finite height by Fourier approximation of the stream function.

In the frame that moves with the wave, X is the distance from the crest, Y the height above the level, d the depth, and
j = 1 ... n:

    stream function: ψ = -v Y + Σ B_j sinh(j k (Y + d))/cosh(j k d) cos(j k X)
    at the surface Y = η(X): ψ = -q,    (u² + w²)/2 + g η = R,    u = ∂ψ/∂Y, w = -∂ψ/∂X
    mean of η = 0,    η(0) - η(π/k) = H,    ω = k c,    c = v + U
    at a fixed point: u = U + Σ j k B_j cosh(j k (Y + d))/cosh(j k d) cos(j (k x - ω t))
    surface: η = Σ E_j cos(j (k x - ω t))

H is the height of the wave, v the mean speed of the fluid towards the wave, c the phase speed, U the current (the mean
velocity at fixed points below the troughs), and q and R are constants. The conditions at the surface are satisfied at
n + 1 points from crest to trough. Newton's method with exact derivatives solves for η at these points, B_j, k, v, q and
R. The height increases in steps up to H, because the method converges only from a close initial value.

The wave satisfies Laplace's equation, the condition at the bed, and the conditions at the surface. The number n of
harmonics determines the accuracy of the conditions at the surface. The largest height that is allowed is computed by
the empirical formula of Fenton (1990) for the highest waves.

Source: M. M. Rienecker, J. D. Fenton, A Fourier approximation method for steady water waves, J. Fluid Mech. 104 (1981)
119-137; J. D. Fenton, The numerical solution of steady water wave problems, Computers and Geosciences 14 (1988)
357-368; J. D. Fenton, Nonlinear wave theories, The Sea 9, Wiley (1990).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.fluids.wave_current import find_wave_numbers
from windlass.framework.checks.checks import checked, number, whole
from windlass.framework.errors import ModelError

STEP = 0.05
"""Largest increase of H/H_max from one solution to the next [1]."""
CLOSE = 1e-11
"""Largest residual of the scaled equations, divided by the smaller of 1 and the scaled height [1]. If the residual is
not larger, Newton's method has converged.
"""
MOST = 40
TINY = 1e-12
"""Amplitude of a harmonic, relative to the height [1]. If the amplitude is below this value, the harmonic is left
out.
"""
IMAGINARY = 1e-30


@checked(
    height=number("m", above=0.0),
    period=number("s", above=0.0),
    depth=number("m", above=0.0),
    direction=number("rad"),
    current=number("m/s"),
    gravity=number("m/s^2", above=0.0),
    count=whole(4),
)
def stream_function_wave(
    height: float,
    period: float,
    depth: float,
    direction: float = 0.0,
    current: float = 0.0,
    gravity: float = 9.81,
    count: int = 24,
) -> dict[str, Any]:
    """Create columns of a `Fluid` for a regular wave of finite height with a crest at the origin at t = 0, for example
    ``world.add(Fluid, density=1025.0, **stream_function_wave(8.0, 10.0, 30.0))``.

    Args:
        height: height H from trough to crest [m].
        period: period at a fixed point [s].
        depth: water depth d [m]. It must be equal to the depth of the fluid.
        direction: direction of travel, from x towards the other horizontal axis [rad].
        current: uniform current U along the direction of the wave [m/s], < 0 against the wave.
        gravity: gravitational acceleration g [m/s^2].
        count: number n of harmonics. Steep waves in shallow water need more harmonics.

    Returns:
        The columns of the waves (one for each harmonic), ``depth``, ``stretching`` and, with a current, ``velocity``
        and ``wave_current``.

    Raises:
        ModelError: a height, period, depth or gravity that is not > 0, a height above the height of the highest wave, a
            current that stops the wave, or values that are not finite.
    """
    omega = 2.0 * np.pi / period
    solution = _solve(height, omega, depth, current, gravity, count)
    eta, B, k = solution[: count + 1].real, solution[count + 1 : 2 * count + 1].real, float(solution[-4].real)
    j = np.arange(1, count + 1)
    from scipy.fft import dct  # imported here, because SciPy takes long to load

    E = dct(eta, type=1)[1:] / count
    E[-1] *= 0.5
    used = np.abs(E) > TINY * height
    amplitude, j = np.abs(E[used]), j[used]
    sign = np.sign(E[used])
    columns: dict[str, Any] = {
        "wave_amplitudes": amplitude,
        "wave_frequencies": j * omega,
        "wave_numbers": j * k,
        "wave_directions": np.full(len(j), float(direction)),
        "wave_phases": np.where(sign < 0.0, np.pi, 0.0),
        "wave_velocities": sign * j * k * B[used],
        "depth": float(depth),
        "stretching": "none",
    }
    if current != 0.0:
        along = np.array((np.cos(direction), np.sin(direction), 0.0))
        columns |= {"velocity": current * np.where(np.abs(along) < TINY, 0.0, along), "wave_current": True}
    return columns


def eval_highest(length: float, depth: float) -> float:
    """Return the height [m] of the highest wave that has the given length [m] in water of the given depth [m]."""
    x = length / depth
    share = (0.141063 * x + 0.0095721 * x**2 + 0.0077829 * x**3) / (
        1.0 + 0.0788340 * x + 0.0317567 * x**2 + 0.0093407 * x**3
    )
    return share * depth


def _solve(
    height: float, omega: float, depth: float, current: float, gravity: float, count: int
) -> NDArray[np.complex128]:
    """Return the solution of the equations in the docstring of this module as one array: the surface elevations η at
    the points, then B_j, k, v, q and R, in SI units, shape (2 count + 5,). Raise ModelError if there is no solution."""
    # lengths are scaled by g/ω², and times by 1/ω
    L, c = gravity / omega**2, gravity / omega
    H, d, U = height / L, depth / L, current / c
    k = _find_length(d, U)
    if k is None:
        raise ModelError(
            f"current = {current:g} m/s of stream_function_wave: stops a wave of {2.0 * np.pi / omega:g} s; must be > "
            f"-g/(4 ω) = {-0.25 * c:.4g} m/s, and still closer to 0 in shallow water"
        )
    highest = eval_highest(2.0 * np.pi / k, d)
    X = np.arange(count + 1) * np.pi / count
    start = min(H, 0.1 * highest)
    y = np.zeros(2 * count + 5, complex)
    y[: count + 1] = 0.5 * start * np.cos(X)
    y[count + 1] = 0.5 * start / (k * np.tanh(k * d)) * (1.0 - k * U)
    y[-4:] = k, 1.0 / k - U, 0.0, 0.5 * (1.0 / k - U) ** 2
    h, before = start, None
    while True:
        found = _newton(y, h, d, U, count)
        highest = eval_highest(2.0 * np.pi / float((y if found is None else found)[-4].real), d)
        if found is None and highest >= H:
            raise ModelError(
                f"height = {height:g} m of stream_function_wave: no solution with count = {count} harmonics; must have "
                "more harmonics, which steep waves and long waves in shallow water need"
            )
        if found is None or h > highest:
            raise ModelError(
                f"height = {height:g} m of stream_function_wave: must be < {highest * L:.4g} m, the height of the "
                f"highest wave of this period and depth; steep waves need more harmonics than count = {count}"
            )
        if h >= H:
            break
        step = min(STEP * highest, H - h)
        # initial values for the next height, extrapolated from the last two solutions
        y = found if before is None else found + (found - before[1]) * step / (h - before[0])
        before, h = (h, found), h + step
    scale = np.concatenate((np.full(count + 1, L), np.full(count, L * c), (1.0 / L, c, L * c, c * c)))
    return np.asarray(found * scale)


def _find_length(d: float, U: float) -> float | None:
    """Return the scaled wave number of a wave of small height on a current, or None if the current stops the wave. The
    arguments d and U are the scaled depth and current.
    """
    k, _ = find_wave_numbers(np.ones(1), d, 1.0, lambda k: np.full(1, U))
    return None if np.isnan(k[0]) else float(k[0])


def _newton(y: NDArray[np.complex128], H: float, d: float, U: float, count: int) -> NDArray[np.complex128] | None:
    """Return the solution of the scaled equations by Newton's method with the initial values y, or None if the method
    does not converge."""
    for _ in range(MOST):
        # iterates that are higher than the highest possible wave can cause an overflow
        with np.errstate(over="ignore", invalid="ignore"):
            residual = _residual(y, H, d, U, count)
        size = float(np.abs(residual.real).max())
        if not np.isfinite(size):
            return None
        if size < CLOSE * min(H, 1.0):
            return y
        tangent = np.empty((len(y), len(y)))
        for i in range(len(y)):
            moved = y.astype(complex)
            moved[i] += 1j * IMAGINARY
            tangent[:, i] = _residual(moved, H, d, U, count).imag / IMAGINARY
        y = y - np.linalg.solve(tangent, residual.real)
    return None


def _residual(y: NDArray[np.complex128], H: float, d: float, U: float, count: int) -> NDArray[np.complex128]:
    """Return the residuals of the scaled equations, shape (2 count + 5,). If one unknown has a small imaginary part,
    the derivatives with respect to this unknown are the imaginary parts of the result, divided by the imaginary part of
    the unknown.
    """
    eta, B, (k, v, q, R) = y[: count + 1], y[count + 1 : 2 * count + 1], y[-4:]
    j = np.arange(1, count + 1)
    X = np.arange(count + 1) * np.pi / count
    cos, sin = np.cos(np.outer(X, j)), np.sin(np.outer(X, j))
    up = np.exp(np.outer(eta, j) * k)
    down = np.exp(-np.outer(eta + 2.0 * d, j) * k)
    C, S = (up + down) / (1.0 + np.exp(-2.0 * j * k * d)), (up - down) / (1.0 + np.exp(-2.0 * j * k * d))
    u, w = -v + k * (cos * C) @ (j * B), k * (sin * S) @ (j * B)
    ends = np.ones(count + 1)
    ends[[0, -1]] = 0.5
    return np.concatenate(
        (
            -v * eta + (cos * S) @ B + q,
            0.5 * (u * u + w * w) + eta - R,
            [ends @ eta, eta[0] - eta[-1] - H, k * (v + U) - 1.0],
        )
    )
