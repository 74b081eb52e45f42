"""Response amplitude operators (RAO): the motion of a vessel in waves, as a table of amplitudes and phase lags.

    wave at the vessel: η = A cos ψ,    ψ = k (x cos θ + y sin θ) - ω t + φ
    response of each degree of freedom: x_j = A a_j cos(ψ + ε_j) = Re(A H_j exp(iψ)),    H_j = a_j exp(iε_j)

a_j is the amplitude per wave amplitude, and ε_j is the phase lag. The response has its maximum at the time ε_j/ω after
the crest of the wave has passed the vessel. The degrees of freedom are surge, sway and heave along the axes x, y, z of
the vessel at rest, and roll, pitch and yaw about these axes. The heading β = θ - (heading of the vessel) is the
direction of travel of the wave relative to the x axis of the vessel. β is 0 for waves from astern, and 180° for waves
from ahead.

Between frequencies and headings, H_j is interpolated linearly. Below and above the frequencies of the table, H_j is the
value at the nearest frequency. If the headings of the table are from 0 to 180°, the vessel is symmetric. For the
heading -β, sway, roll and yaw then have the opposite sign.

Source: J. N. Newman, Marine Hydrodynamics, MIT Press (1977), section 6.19.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.user_functions.time_series import read_rows, read_table, split_heading
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import checked, numbers, path
from windlass.framework.errors import ModelError

FREEDOMS = "surge", "sway", "heave", "roll", "pitch", "yaw"
ODD = np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
"""Factors of the responses of a symmetric vessel if a wave with the heading β is replaced by a wave with the heading
-β, in the order of `FREEDOMS`.
"""
DEGREE = np.pi / 180.0
ANGLES = {"deg": DEGREE, "rad": 1.0}
UNITS: dict[str, dict[str, float]] = {
    "period": {"s": 1.0},
    "frequency": {"rad/s": 1.0, "Hz": 2.0 * np.pi},
    "heading": ANGLES,
    **{name: {"m/m": 1.0, "1": 1.0} for name in FREEDOMS[:3]},
    **{name: {"deg/m": DEGREE, "rad/m": 1.0} for name in FREEDOMS[3:]},
    **{f"{name} phase": ANGLES for name in FREEDOMS},
}
"""Allowed units of the columns of a file, and their factors to SI units."""
CLOSE = 1e-6
"""Headings may be beyond their limits by up to this angle [rad]."""


class RAO:
    """Response amplitude operators of a vessel.

    Args:
        frequencies: increasing angular frequencies ω > 0 [rad/s], shape (n,).
        headings: increasing headings β [rad], shape (h,). For a symmetric vessel they are within 0 to π, otherwise
            within -π to 2 π.
        amplitudes: amplitudes a_j per wave amplitude, shape (n, h, 6): motions [m/m for surge, sway, heave; rad/m for
            roll, pitch, yaw], or forces [N/m] and torques [N m/m].
        phases: phase lags ε_j [rad], shape (n, h, 6).

    Attributes:
        frequencies, headings: the arguments of the constructor, as arrays.
        values: complex responses H, shape (n, h, 6).

    Raises:
        ModelError: frequencies or headings that do not increase or are out of range, amplitudes or phases of another
            shape, or values that are not finite.
    """

    @checked(
        frequencies=numbers("rad/s", (None,)), headings=numbers("rad", (None,)),
        amplitudes=numbers("m/m, rad/m", (None, None, 6)), phases=numbers("rad", (None, None, 6)),
    )  # fmt: skip
    def __init__(self, frequencies: Any, headings: Any, amplitudes: Any, phases: Any) -> None:
        self.frequencies: FloatArray = np.array(frequencies, np.float64)
        self.headings: FloatArray = np.array(headings, np.float64)
        for name, unit, array in (("frequencies", "rad/s", self.frequencies), ("headings", "rad", self.headings)):
            if not len(array) or not (np.diff(array) > 0.0).all():
                raise ModelError(f"{name} = {array.tolist()} {unit} of RAO: must be increasing numbers, at least one")
        if not self.frequencies[0] > 0.0:
            raise ModelError(f"frequencies of RAO begin with {self.frequencies[0]:g} rad/s: must be > 0")
        if self.headings[0] < -np.pi - CLOSE or self.headings[-1] > 2.0 * np.pi + CLOSE:
            raise ModelError(
                f"headings of RAO are from {self.headings[0]:g} to {self.headings[-1]:g} rad: must be from -pi to 2 pi"
            )
        shape = len(self.frequencies), len(self.headings), 6
        for name, given in (("amplitudes", amplitudes), ("phases", phases)):
            if np.shape(given) != shape:
                raise ModelError(f"{name} of RAO have the shape {np.shape(given)}: must have the shape {shape}")
        self.values: NDArray[np.complex128] = np.asarray(amplitudes) * np.exp(1j * np.asarray(phases))

    @property
    def is_symmetric(self) -> bool:
        """Whether the headings are within 0 to π. In this case the table is extended by symmetry."""
        return bool(self.headings[0] >= -CLOSE and self.headings[-1] <= np.pi + CLOSE)

    def eval_response(self, frequency: Any, heading: Any) -> NDArray[np.complex128]:
        """Return the complex responses H of the six degrees of freedom to waves of given frequencies ω [rad/s] and
        headings β [rad], shape (m,) each, as an array of shape (m, 6).

        Raises:
            ModelError: a heading that the table does not contain.
        """
        omega, beta = np.broadcast_arrays(np.atleast_1d(frequency), np.atleast_1d(heading))
        found = np.zeros((len(omega), 6), np.complex128)
        for i, (w, given) in enumerate(zip(omega, beta, strict=True)):
            signs = np.ones(6)
            angle = (given + np.pi) % (2.0 * np.pi) - np.pi
            if self.is_symmetric and angle < 0.0:
                angle, signs = -angle, ODD
            if not self.is_symmetric and angle < self.headings[0] - CLOSE:
                angle += 2.0 * np.pi
            if not self.headings[0] - CLOSE <= angle <= self.headings[-1] + CLOSE:
                low, high = self.headings[0] / DEGREE, self.headings[-1] / DEGREE
                raise ModelError(
                    f"heading = {given / DEGREE:g} deg of a wave at a vessel: must be from {low:g} to {high:g} deg, "
                    "the headings of its RAO"
                )
            by_frequency = interpolate(self.frequencies, self.values, w)
            found[i] = signs * interpolate(self.headings, by_frequency, angle)
        return found


def interpolate(x: FloatArray, y: NDArray[Any], at: float) -> NDArray[Any]:
    """Return y at the coordinate ``at``, interpolated linearly along the first axis of y. The argument ``x`` contains
    the coordinates on this axis. Before the first and after the last coordinate the result is constant.
    """
    if len(x) == 1:
        return np.asarray(y[0])
    k = min(max(int(np.searchsorted(x, at)), 1), len(x) - 1)
    share = min(max((at - x[k - 1]) / (x[k] - x[k - 1]), 0.0), 1.0)
    return np.asarray((1.0 - share) * y[k - 1] + share * y[k])


@checked(file=path())
def read_rao(file: str | os.PathLike[str]) -> RAO:
    """Read response amplitude operators from a CSV file.

    The first line that is not a comment (``#``) contains the names of the columns, with units in brackets and in any
    order. The columns are ``period [s]`` or ``frequency [rad/s]`` (or ``[Hz]``), ``heading [deg]`` (or ``[rad]``), and
    two columns for each degree of freedom: the amplitude per wave amplitude, such as ``surge [m/m]`` or ``roll
    [deg/m]`` (or ``[rad/m]``), and the phase lag, such as ``surge phase [deg]``. Degrees of freedom without columns
    have the amplitude 0. Each pair of a period and a heading has one line. The docstring of rao.py defines headings and
    phase lags.

    Args:
        file: path of the file with values separated by commas.

    Raises:
        ModelError: a missing file or column, a column without unit or with another unit, values that are not numbers, a
            period that is not > 0, or pairs of periods and headings that are missing or given twice.
    """
    table = read_table(file)
    names: list[str] = []
    factors: list[float] = []
    for heading in table[0] if table else []:
        name, unit = split_heading(heading.strip())
        if name not in UNITS:
            raise ModelError(f"column {name!r} of {file}: must be one of {', '.join(UNITS)}")
        if unit not in UNITS[name]:
            raise ModelError(
                f"column {heading.strip()!r} of {file}: must have its unit in brackets, [{'] or ['.join(UNITS[name])}]"
            )
        names.append(name)
        factors.append(UNITS[name][unit])
    for name in names:
        if names.count(name) > 1:
            raise ModelError(f"{file} has two columns {name!r}: must have columns of different names")
        if name.endswith(" phase") and name.removesuffix(" phase") not in names:
            raise ModelError(f"{file} has the column {name!r}: must also have {name.removesuffix(' phase')!r}")
    if ("period" in names) == ("frequency" in names) or "heading" not in names or len(table) < 2:
        raise ModelError(
            f"{file} has the columns {', '.join(names) or 'none'} and {max(len(table) - 1, 0)} lines: must have "
            "heading, one of period and frequency, and at least one line"
        )
    values = dict(zip(names, (read_rows(table, range(len(names)), file) * factors).T, strict=True))
    first = values.get("period", values.get("frequency"))
    assert first is not None
    for i in np.flatnonzero(first <= 0.0)[:1]:
        raise ModelError(f"row {i + 1} of {file} has the period or frequency {first[i]:g}: must be > 0")
    omega = 2.0 * np.pi / first if "period" in values else first
    return _arrange(omega, values, file)


def _arrange(omega: FloatArray, values: dict[str, FloatArray], file: Any) -> RAO:
    """Create the operators from the lines of a file. The lines can have any order."""
    frequencies, row = np.unique(np.round(omega, 12), return_inverse=True)
    headings, column = np.unique(np.round(values["heading"], 12), return_inverse=True)
    shape = len(frequencies), len(headings)
    count, amplitudes, phases = np.zeros(shape, np.int64), np.zeros((*shape, 6)), np.zeros((*shape, 6))
    np.add.at(count, (row, column), 1)
    for i, k in np.argwhere(count != 1)[:1]:
        raise ModelError(
            f"{file} has {count[i, k]} lines for the frequency {frequencies[i]:.6g} rad/s (period "
            f"{2.0 * np.pi / frequencies[i]:.6g} s) and the heading {headings[k] / DEGREE:g} deg: must be one"
        )
    zeros = np.zeros(len(omega))
    for j, name in enumerate(FREEDOMS):
        amplitudes[row, column, j] = values.get(name, zeros)
        phases[row, column, j] = values.get(f"{name} phase", zeros)
    return RAO(frequencies, headings, amplitudes, phases)
