"""Import of the waves and currents of a MoorDyn input file, as columns of `Fluid`.

| option | file | translation |
| --- | --- | --- |
| WaveKin 1 | | still water, because no other program provides waves |
| WaveKin 2 | wave_frequencies.txt | components at equal steps of the frequency, with interpolated amplitudes |
| WaveKin 3 | wave_elevation.txt | Fourier components of the elevation at the origin, waves along x |
| WaveKin 7 | wave_frequencies.txt | the components of the file |
| Currents 1 | current_profile.txt | table of the profile |
| Currents 2, 5 | current_profile_dynamic.txt, current_profile_4d.txt | user function, see `CurrentGrid` |

The elevation of the surface is η = Re Σ A_i exp(i (ω_i t - k_i s)) for WaveKin 2 and 3, and the imaginary part of this
sum for WaveKin 7. Here A_i is the complex amplitude, ω_i the angular frequency, k_i the wave number, and s the distance
in the direction of the waves. `Fluid` describes these waves by cosines of (k s - ω t + φ), with φ = -arg A for WaveKin
2 and 3, and φ = π/2 - arg A for WaveKin 7. MoorDyn evaluates the waves of WaveKin 2 and 3 on a grid (water_grid.txt),
and interpolates linearly; `Fluid` evaluates all components at each point. In both programs the velocity profile is
stretched to the surface by Wheeler's method.

Source: MoorDyn 2.7, documentation, "Water Kinematics".
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.moordyn.input_file import InputFile
from windlass.moordyn.tables import read_table

FREQUENCIES, ELEVATION = "wave_frequencies.txt", "wave_elevation.txt"
"""Names of the files with waves, in the folder of the input file."""
PROFILE, DYNAMIC, GRID = "current_profile.txt", "current_profile_dynamic.txt", "current_profile_4d.txt"
"""Names of the files with currents, in the folder of the input file."""
PROFILE_HEADING, DYNAMIC_HEADING = 3, 4
"""Numbers of heading lines in the files with profiles."""
ROUNDING = 1e-9
"""Rounding error [1] of the quotient of two times of a series."""
FASTEST = np.pi
"""Angular frequency [rad/s] above which MoorDyn omits the components of a measured elevation."""
WAVE_STEP = 0.25
"""Default time [s] between the samples of a measured elevation, option dtWave."""
NEGLIGIBLE = 1e-8
"""Fraction [1] of the variance of a measured elevation. The smallest components are omitted if the sum of their
variances is at most this fraction.
"""


@dataclass(frozen=True)
class CurrentGrid:
    """A current on a grid of x, y, z and t, as a user function of `Fluid`.

    Velocities are interpolated linearly, and are constant beyond the grid of x, y and z. As in MoorDyn, the velocities
    are periodic, and the acceleration of the water is 0. Let h be the smallest difference between two successive times
    of the grid, and T the largest multiple of h within the grid. The period is T + h. From T to T + h, the velocities
    are equal to the velocities at t = 0.

    Attributes:
        axes: ascending coordinates x, y, z [m] and times t [s] of the grid. The velocity does not depend on a
            coordinate with a single value.
        velocities: velocities [m/s] at the points of the grid, shape (x, y, z, t, 3).
    """

    axes: tuple[FloatArray, FloatArray, FloatArray, FloatArray]
    velocities: FloatArray

    def __call__(self, t: float, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return velocities [m/s] and accelerations [m/s^2] at the time t [s] and the positions x [m], shape (n, 3)."""
        corners = []
        for lines, points in zip(self.axes, (*x.T, np.full(len(x), repeat(self.axes[3], t))), strict=True):
            if len(lines) == 1:
                corners.append([(np.zeros(len(x), np.int64), np.ones(len(x)))])
                continue
            low = np.clip(np.searchsorted(lines, points, side="right") - 1, 0, len(lines) - 2)
            share = np.clip((points - lines[low]) / (lines[low + 1] - lines[low]), 0.0, 1.0)
            corners.append([(low, 1.0 - share), (low + 1, share)])
        values = np.zeros((len(x), 3))
        for corner in product(*corners):
            places, shares = zip(*corner, strict=True)
            values += np.prod(shares, axis=0)[:, None] * self.velocities[places]
        return values, np.zeros_like(values)


def repeat(times: FloatArray, t: float) -> float:
    """Return the time [s] within a series with the ascending ``times`` [s] at which the periodically repeated series
    has its value for the time t [s]. See `CurrentGrid`.
    """
    if len(times) == 1:
        return float(times[0])
    interval = float(np.diff(times).min())
    last = np.floor(times[-1] / interval + ROUNDING) * interval
    within = t % (last + interval)
    return float(within) if within < last else 0.0


def read_waves(file: InputFile) -> dict[str, Any]:
    """Return the columns of `Fluid` for waves."""
    at, text = file.options.get("wavekin", (0, "0"))
    readers = {"2": _read_spectrum, "3": _read_elevation, "7": _read_components}
    if text == "0":
        return {}
    if text == "1":
        file.notes.append(f"line {at}: WaveKin = 1: no other program computes waves, so the water is still")
        return {}
    if text not in readers:
        file.refuse(at, f"WaveKin = {text}", "must be 0 (none), 1 (other program), 2, 3 (grids) or 7 (components)")
        return {}
    found = readers[text](file, at)
    if found is None:
        return {}
    omega, amplitude, direction, phase = found
    on = np.abs(amplitude) > 0.0
    if not on.any():
        file.refuse(
            at,
            f"{ELEVATION if text == '3' else FREQUENCIES} has no wave",
            "must have one row or more with an amplitude > 0 m",
        )
    return {
        "wave_amplitudes": np.abs(amplitude[on]),
        "wave_frequencies": omega[on],
        "wave_directions": direction[on],
        "wave_phases": phase - np.angle(amplitude[on]),
        "stretching": "wheeler",
    }


Waves = tuple[FloatArray, Any, FloatArray, float]
"""Angular frequencies [rad/s], complex amplitudes [m], directions [rad], and the phase of real amplitudes [rad]."""


def _read_components(file: InputFile, at: int) -> Waves | None:
    """Return the waves of the file with frequencies."""
    rows = read_table(file, at, FREQUENCIES, (3, 4), 0)
    if rows is None:
        return None
    table = np.array([row if len(row) == 4 else [*row, 0.0] for row in rows], dtype=np.float64).reshape(-1, 4)
    amplitude = table[:, 1] + 1j * table[:, 2]
    # tables of spectra may contain the frequency 0 if its amplitude is 0
    if (table[:, 0] < 0.0).any() or (table[np.abs(amplitude) > 0.0, 0] == 0.0).any():
        file.refuse(at, f"{FREQUENCIES}: frequency = {table[:, 0].min():g} rad/s", "must be > 0 rad/s")
    return table[:, 0], amplitude, table[:, 3], 0.5 * np.pi


def _read_spectrum(file: InputFile, at: int) -> Waves | None:
    """Return the waves of the file with frequencies, interpolated at equal steps of the frequency. The step is the
    smallest step in the file.
    """
    found = _read_components(file, at)
    if found is None:
        return None
    omega, amplitude, direction, _ = found
    if len(omega) < 2 or omega[0] != 0.0 or not (np.diff(omega) > 0.0).all():
        file.refuse(at, FREQUENCIES, "must have two or more ascending frequencies, beginning with 0 rad/s")
        return None
    # the tolerance keeps the last frequency, which is a multiple of the step except for rounding errors
    step = float(np.diff(omega).min())
    even = step * np.arange(np.floor(omega[-1] / step + 1e-9) + 1.0)
    amplitude = np.interp(even, omega, amplitude.real) + 1j * np.interp(even, omega, amplitude.imag)
    # The last frequency is the highest frequency of a discrete Fourier transform. In the sum of the transform, this
    # frequency occurs only once, but lower frequencies occur twice.
    amplitude[-1] *= 0.5
    return even, amplitude, np.interp(even, omega, direction), 0.0


def _read_elevation(file: InputFile, at: int) -> Waves | None:
    """Return the Fourier components of the measured elevation."""
    step = file.option(["dtwave"], WAVE_STEP, "s", 0.0, above=True)
    rows = read_table(file, at, ELEVATION, (2,), 0)
    if rows is None or not step > 0.0:
        return None
    times, heights = np.array(rows, dtype=np.float64).reshape(-1, 2).T
    count = int(np.floor(times[-1] / step + 1e-9)) + 1 if len(times) else 0
    count -= count % 2
    if count < 2 or not (np.diff(times) > 0.0).all() or times[0] > 0.0:
        words = f"must have ascending times from 0 s, and must end at {step:g} s (dtWave) or later"
        file.refuse(at, ELEVATION, words)
        return None
    amplitude = np.fft.rfft(np.interp(step * np.arange(count), times, heights)) / count
    omega = 2.0 * np.pi / (count * step) * np.arange(len(amplitude))
    amplitude[1:-1] *= 2.0
    mean = float(amplitude[0].real)
    amplitude[(omega > FASTEST) | (omega == 0.0)] = 0.0
    order = np.argsort(np.abs(amplitude))
    variance = np.cumsum(np.abs(amplitude[order]) ** 2)
    amplitude[order[variance <= NEGLIGIBLE * variance[-1]]] = 0.0
    if abs(mean) > 0.0:
        file.notes.append(f"line {at}: the mean elevation of {mean:.3g} m in {ELEVATION} is left out")
    return omega, amplitude, np.zeros(len(omega)), 0.0


def read_current(file: InputFile) -> dict[str, Any]:
    """Return the columns of `Fluid` for the current."""
    at, text = file.options.get("currents", (0, "0"))
    readers = {"1": _read_profile, "2": _read_dynamic_profile, "5": _read_grid}
    if text == "0":
        return {}
    if text not in readers:
        file.refuse(at, f"Currents = {text}", "must be 0 (none), 1 (steady profile), 2 (dynamic profile) or 5 (grid)")
        return {}
    return readers[text](file, at)


def _read_profile(file: InputFile, at: int) -> dict[str, Any]:
    """Return the columns for a steady profile."""
    rows = read_table(file, at, PROFILE, (4,), PROFILE_HEADING)
    if rows is None:
        return {}
    table = np.array(rows, dtype=np.float64).reshape(-1, 4)
    table = table[np.argsort(table[:, 0])]
    if len(table) < 2 or not (np.diff(table[:, 0]) > 0.0).all():
        file.refuse(at, f"{PROFILE} has {len(table)} rows", "must have two or more, each at its own height")
        return {}
    if table[:, 3].any():
        return _create_function(np.zeros(1), np.zeros(1), table[:, 0], np.zeros(1), table[None, None, :, None, 1:])
    return {
        "profile": "table", "table_heights": table[:, 0], "table_x": table[:, 1], "table_y": table[:, 2],
    }  # fmt: skip


def _create_function(x: FloatArray, y: FloatArray, z: FloatArray, t: FloatArray, u: FloatArray) -> dict[str, Any]:
    """Return the columns for a current on a grid."""
    return {"function": CurrentGrid((x, y, z, t), np.ascontiguousarray(u))}


def _read_dynamic_profile(file: InputFile, at: int) -> dict[str, Any]:
    """Return the columns for a profile that changes with time."""
    rows = read_table(file, at, DYNAMIC, None, DYNAMIC_HEADING)
    if rows is None:
        return {}
    z = np.array(rows[0] if rows else [])
    widths = [1 + k * len(z) for k in (1, 2, 3)]
    times = np.array([row[0] for row in rows[1:]])
    good = len(z) > 0 and len(times) > 0 and all(len(row) == len(rows[1]) in widths for row in rows[1:])
    if not good or not (np.diff(z) > 0.0).all() or not (np.diff(times) > 0.0).all():
        words = "must have ascending heights in line 5, then rows of ascending times with 1 to 3 velocities per height"
        file.refuse(at, DYNAMIC, words)
        return {}
    given = np.array(rows[1:])[:, 1:].reshape(len(times), -1, len(z))
    u = np.zeros((len(z), len(times), 3))
    u[:, :, : given.shape[1]] = given.transpose(2, 0, 1)
    return _create_function(np.zeros(1), np.zeros(1), z, times, u[None, None])


def _read_grid(file: InputFile, at: int) -> dict[str, Any]:
    """Return the columns for a current on a grid of space and time."""
    rows = read_table(file, at, GRID, None, 0)
    if rows is None:
        return {}
    axes = [np.array(row) for row in rows[1:5]]
    counts = [len(axis) for axis in axes]
    if len(rows) < 6 or rows[0] != counts or not all((np.diff(axis) > 0.0).all() for axis in axes):
        file.refuse(at, GRID, "must have the numbers of x, y, z and t, their ascending values, and rows x, y, z, t, u")
        return {}
    u = np.full((*counts, 3), np.nan)
    for row in rows[5:]:
        place = [np.flatnonzero(axis == value) for axis, value in zip(axes, row, strict=False)]
        if len(row) != 7 or not all(map(len, place)):
            file.refuse(at, f"{GRID}: row {row}", "must be x, y, z, t at a point of the grid, and three velocities")
            return {}
        u[tuple(int(k[0]) for k in place)] = row[4:]
    if not np.isfinite(u).all():
        file.refuse(at, GRID, "must have a velocity at each point of the grid")
        return {}
    return _create_function(axes[0], axes[1], axes[2], axes[3], u)
