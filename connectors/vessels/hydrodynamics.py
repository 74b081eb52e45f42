"""Results of radiation programs: added mass, damping and wave forces from files of WAMIT and Capytaine. States computed
from these results replace the convolution integral of Cummins' equation.

    retardation: k(t) = 2/π ∫ B(ω) cos(ω t) dω
    added mass at infinite frequency: M∞ = A(ω) + 1/ω ∫ k(t) sin(ω t) dt, mean over all ω

A and B are added mass and damping as functions of the frequency ω. The integrals over ω assume that B is linear between
the frequencies of the file, 0 at ω = 0, and proportional to ω⁻³ beyond the last frequency. If a file contains the added
mass at infinite frequency, this value is used.

The states are computed as follows. For each pair of degrees of freedom, samples of k at equal time steps are arranged
in a Hankel matrix H_ij = k((i + j) dt). The singular value decomposition of this matrix gives a linear system of order
n whose impulse response approximates k. R is then replaced by the least squares fit to the samples with R P⁻¹ Q = 0.
With this condition, B = 0 at ω = 0. Without this condition, errors of k would add damping of either sign to slow
motions, such as the surge of a moored floater. The order increases until the root mean square of the error of k,
divided by the root mean square of k, is at most the tolerance. Systems that are not stable are omitted.

The file ``name.1`` of WAMIT contains rows (period, i, j, A', B'). The file ``name.3`` contains rows (period, heading,
i, modulus, phase, real part and imaginary part of X'). A', B' and X' have no dimensions: A = ρ L^k A', B = ρ L^k ω B',
X = ρ g L^m X' with k = 3 for two translations, 4 for a translation and a rotation, 5 for two rotations, and m = 2 for a
translation, 3 for a rotation. In these files the period -1 denotes ω = 0, and the period 0 denotes infinite ω. WAMIT
multiplies complex amplitudes by exp(iωt). Therefore the response of `windlass.connectors.fluids.rao` is the complex
conjugate of X. Capytaine uses exp(-iωt) and SI units.

Source: W. E. Cummins, The impulse response function and ship motions, Schiffstechnik 9 (1962) 101-109; T. F. Ogilvie,
Recent progress toward the understanding and prediction of ship motions, 5th Symp. Naval Hydrodynamics (1964); S. Y.
Kung, A new identification and model reduction algorithm via singular value decomposition, 12th Asilomar Conf. (1978);
T. Perez and T. I. Fossen, Time- vs. frequency-domain identification of parametric radiation force models for marine
structures at zero speed, Model. Identif. Control 29 (2008) 1-19, for B = 0 at ω = 0; WAMIT user manual 7.4, chapter 4.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.fluids.rao import FREEDOMS, RAO, interpolate
from windlass.connectors.vessels.floater import Radiation
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import checked, number, numbers, optional, path, whole
from windlass.framework.checks.values import read_numbers, show
from windlass.framework.errors import ModelError

SMALL = 1e-3
"""A pair of degrees of freedom has no states if its largest damping is at most this fraction [1] of the geometric mean
of the largest dampings of both degrees of freedom. In this mean, a damping below a lower limit is replaced by the
limit. For translations the limit is this fraction of the largest damping of all translations. For rotations the limit
is multiplied by the square of a length.
"""
GRAVITY = 9.81  # [m/s^2]
DURATION = 8.0
"""Duration of a sampled retardation function, divided by the period at which the damping is largest [1]."""
SAMPLES = 160
"""Number of samples of a retardation function."""
WIDTHS = 5, 7
"""Numbers of values per row of the WAMIT files .1 and .3. Rows of .1 for ω = 0 and ω = ∞ have no damping."""


class Hydrodynamics(NamedTuple):
    """Linear hydrodynamics of one body, in SI units, in the order surge, sway, heave, roll, pitch, yaw.

    Attributes:
        frequencies: angular frequencies 0 < ω < ∞ [rad/s], ascending, shape (n,).
        added_mass: added mass A at each frequency [kg, kg m, kg m^2], shape (n, 6, 6).
        damping: damping B at each frequency [N s/m, N s, N m s], shape (n, 6, 6).
        infinite: added mass M∞ at infinite frequency [kg, kg m, kg m^2], shape (6, 6), for the argument ``added_mass``
            of `floater`.
        excitation: forces [N/m] and torques [N] of waves per wave amplitude, or None if the file contains no forces.
    """

    frequencies: FloatArray
    added_mass: FloatArray
    damping: FloatArray
    infinite: FloatArray
    excitation: RAO | None

    def eval_retardation(self, times: Any) -> FloatArray:
        """Return the retardation functions k [N/m, N, N m] at n ``times`` [s], shape (n, 6, 6).

        Raises:
            ModelError: a time is negative or not finite.
        """
        t = read_numbers(times)
        if t is None or t.ndim > 1 or not np.isfinite(t).all() or t.min(initial=0.0) < 0.0:
            raise ModelError(f"times = {show(times)} s in eval_retardation: must be finite and >= 0")
        return eval_retardation(self.frequencies, self.damping, np.atleast_1d(t))

    @checked(
        mass=numbers("kg, kg m, kg m^2", (6, 6)), stiffness=numbers("N/m, N, N m", (6, 6)),
        damping=optional(numbers("N s/m, N s, N m s", (6, 6))),
    )  # fmt: skip
    def find_rao(self, mass: Any, stiffness: Any, damping: Any | None = None) -> RAO:
        """Return the response amplitude operators of the free body in regular waves, for a `vessel` that moves like
        the free body: H = (K - ω² (M + A) - iω (B + D))⁻¹ X.

        Args:
            mass: mass matrix M of the body about the origin of the file [kg, kg m, kg m^2], shape (6, 6).
            stiffness: stiffness K of buoyancy, weight and moorings [N/m, N, N m], shape (6, 6).
            damping: additional linear damping D [N s/m, N s, N m s], shape (6, 6). The default is no damping.

        Raises:
            ModelError: the file contains no forces, or the matrix of a frequency is singular.
        """
        if self.excitation is None:
            raise ModelError("excitation = None in find_rao: must be forces of waves, for example of a file name.3")
        M, K = np.asarray(mass, np.float64), np.asarray(stiffness, np.float64)
        D = 0.0 if damping is None else np.asarray(damping, np.float64)
        omega, headings = self.excitation.frequencies, self.excitation.headings
        H = np.zeros((len(omega), len(headings), 6), np.complex128)
        for k, w in enumerate(omega):
            A, B = (interpolate(self.frequencies, values, w) for values in (self.added_mass, self.damping))
            Z = K - w * w * (M + A) - 1j * w * (B + D)
            try:
                H[k] = np.linalg.solve(Z, self.excitation.values[k].T).T
            except np.linalg.LinAlgError:
                raise ModelError(
                    f"mass and stiffness in find_rao give a singular matrix at {w:g} rad/s: must give a regular matrix"
                ) from None
        return RAO(omega, headings, np.abs(H), np.angle(H))

    @checked(tolerance=number("1", above=0.0, below=1.0), largest=whole(1))
    def fit_radiation(self, tolerance: float = 0.01, largest: int = 12) -> Radiation:
        """Return states whose impulse responses approximate the retardation functions. See the docstring of this
        module.

        Args:
            tolerance: largest root mean square of the error of each function, relative to the root mean square of the
                function [1].
            largest: largest allowed number of states of a pair of degrees of freedom.

        Raises:
            ModelError: the dampings of all translations are 0, or no stable system with at most ``largest`` states
                fulfils the tolerance. The message names the degrees of freedom.
        """
        peak = np.abs(self.damping).max(axis=0)
        largest_damping = np.diag(peak)[:3].max()
        if not largest_damping > 0.0:
            raise ModelError("damping = 0 N s/m of surge, sway and heave: must be > 0 at one frequency or more")
        # a length that makes rotations comparable with translations: 1/k of waves in deep water at the frequency of the
        # largest damping of a translation
        at = self.frequencies[np.argmax(self.damping[:, np.arange(3), np.arange(3)].max(axis=1))]
        arms = np.repeat((1.0, GRAVITY / at**2), 3)
        scale = np.sqrt(np.maximum(np.diag(peak), SMALL * largest_damping * arms**2))
        pairs = np.argwhere(peak > SMALL * np.outer(scale, scale))
        P, Q, R = [], [], []
        for i, j in pairs:
            at = self.frequencies[np.argmax(np.abs(self.damping[:, i, j]))]
            dt = DURATION * 2.0 * np.pi / at / SAMPLES
            k = eval_retardation(self.frequencies, self.damping[:, i : i + 1, j : j + 1], dt * np.arange(SAMPLES))
            found = _realise(k[:, 0, 0], dt, tolerance, largest)
            if found is None:
                raise ModelError(
                    f"tolerance = {tolerance:g} of the retardation of {FREEDOMS[i]} by {FREEDOMS[j]} with at most "
                    f"{largest} states: must be larger, or allow more states"
                )
            p, q, r = found
            P.append(p)
            Q.append(np.outer(q, np.eye(6)[j]))
            R.append(np.outer(np.eye(6)[i], r))
        from scipy.linalg import block_diag  # imported here, because most models do not need this module

        return Radiation(block_diag(*P), np.vstack(Q), np.hstack(R))


def eval_retardation(frequencies: FloatArray, damping: FloatArray, times: FloatArray) -> FloatArray:
    """Return the retardation functions k at ``times`` >= 0 [s], shape (len(times), ...), for the damping B of shape
    (n, ...) at n frequencies [rad/s]."""
    w = np.concatenate(([0.0], frequencies))
    B = np.concatenate((np.zeros((1, *damping.shape[1:])), damping))
    last = w[-1]
    # the tail B_n (ω_n/ω)³ at frequencies that increase by equal ratios
    tail = last * np.geomspace(1.0, 30.0, 400)[1:]
    B = np.concatenate((B, B[-1] * (last / tail).reshape(-1, *(1,) * (B.ndim - 1)) ** 3))
    w = np.concatenate((w, tail))
    width, slope = np.diff(w), np.diff(B, axis=0) / np.diff(w).reshape(-1, *(1,) * (B.ndim - 1))
    found = np.zeros((len(times), *damping.shape[1:]))
    middle = 0.5 * (w[1:] + w[:-1])
    for k, t in enumerate(times):
        # ∫ B cos(ω t) dω for a polyline B(ω) from ω = 0: B sin(ω t)/t at the end, and the sum of slope [cos(ω t)/t²]
        # over the pieces. The difference of cosines is written as a product of sines, which is accurate for small t.
        share = width * middle * np.sinc(0.5 * width * t / np.pi) * np.sinc(middle * t / np.pi)
        found[k] = B[-1] * w[-1] * np.sinc(w[-1] * t / np.pi) - np.tensordot(share, slope, 1)
    return 2.0 / np.pi * found


def _find_infinite(frequencies: FloatArray, added_mass: FloatArray, damping: FloatArray) -> FloatArray:
    """Return the added mass M∞ at infinite frequency, shape (6, 6), by the equation in the docstring of this module."""
    from scipy.integrate import trapezoid  # imported here, because most models do not need this module

    at = frequencies[np.argmax(np.abs(damping).reshape(len(frequencies), -1).max(axis=1))]
    t = np.linspace(0.0, 2.0 * DURATION * 2.0 * np.pi / at, 8 * SAMPLES)
    k = eval_retardation(frequencies, damping, t)
    sums = [trapezoid(k * np.sin(w * t)[:, None, None], t, axis=0) / w for w in frequencies]
    found: FloatArray = (added_mass + np.array(sums)).mean(axis=0)
    return 0.5 * (found + found.T)


def _realise(
    k: FloatArray, dt: float, tolerance: float, largest: int
) -> tuple[FloatArray, FloatArray, FloatArray] | None:
    """Return the matrices P, Q and R of a stable system with the fewest states. The impulse response of this system at
    multiples of dt [s] must approximate the samples k within the tolerance, and the integral of the response must be 0.
    Return None if no system with at most ``largest`` states fulfils these conditions.
    """
    from scipy.linalg import hankel, logm, null_space  # imported here, because most models do not need this module

    half = len(k) // 2
    U, s, V = np.linalg.svd(hankel(k[:half], k[half - 1 :]))
    size = np.sqrt(np.mean(k**2))
    for n in range(1, min(largest, half - 1) + 1):
        root = np.sqrt(s[:n])
        observe, control = U[:, :n] * root, root[:, None] * V[:n]
        step = np.linalg.lstsq(observe[:-1], observe[1:], rcond=None)[0]
        values = np.linalg.eigvals(step)
        if np.abs(values).max() >= 1.0 or ((np.abs(values.imag) < 1e-12) & (values.real <= 0.0)).any():
            continue
        P: FloatArray = np.real(logm(step)) / dt
        Q = control[:, 0]
        X = np.empty((len(k), n))
        X[0] = Q
        for i in range(1, len(k)):
            X[i] = step @ X[i - 1]
        free = null_space(np.linalg.solve(P, Q)[None])
        R = free @ np.linalg.lstsq(X @ free, k, rcond=None)[0]
        if np.sqrt(np.mean((X @ R - k) ** 2)) <= tolerance * size and np.linalg.eigvals(P).real.max() < 0.0:
            return P, Q, R
    return None


@checked(
    file=path(), density=number("kg/m^3", above=0.0), gravity=number("m/s^2", above=0.0), length=number("m", above=0.0)
)
def read_wamit(
    file: str | os.PathLike[str], density: float = 1025.0, gravity: float = 9.81, length: float = 1.0
) -> Hydrodynamics:
    """Read added mass and damping (``name.1``) and, if the file exists, wave forces (``name.3``) of WAMIT.

    Args:
        file: path of the file ``name.1``, or this path without the ending.
        density: density ρ of the water [kg/m^3].
        gravity: gravitational acceleration g [m/s^2].
        length: characteristic length L of the run, called ULEN in WAMIT [m].

    Raises:
        ModelError: a missing file ``name.1``, rows that are not numbers or have another width, fewer than three
            frequencies, a file ``name.3`` without periods > 0, values that are missing at some frequencies or headings,
            or modes above 6. Modes above 6 belong to several bodies.
    """
    stem = Path(file)
    stem = stem.with_suffix("") if stem.suffix in (".1", ".3") else stem
    rows = _read_rows(Path(f"{stem}.1"), WIDTHS[0])
    orders = np.array([3] * 3 + [4] * 3)
    powers = np.add.outer(orders, orders) - 3
    omega = _find_frequencies(rows[:, 0])
    finite = np.unique(omega[(omega > 0.0) & np.isfinite(omega)])
    A, B = (np.full((len(finite), 6, 6), np.nan) for _ in range(2))
    infinite = np.full((6, 6), np.nan)
    for w, (_, first, second, mass, rate) in zip(omega, rows, strict=True):
        i, j = _find_freedom(first, stem), _find_freedom(second, stem)
        scale = density * length ** int(powers[i, j])
        if np.isinf(w):
            infinite[i, j] = scale * mass
        elif w > 0.0:
            at = np.searchsorted(finite, w)
            A[at, i, j], B[at, i, j] = scale * mass, scale * w * rate
    excitation = None
    if Path(f"{stem}.3").exists():
        rows = _read_rows(Path(f"{stem}.3"), WIDTHS[1])
        # rows of the limits ω = 0 and ∞ have a period <= 0
        rows = rows[rows[:, 0] > 0.0]
        if not len(rows):
            raise ModelError(f"{stem}.3 has no period > 0 s: must have wave forces for periods > 0")
        omega, headings = _find_frequencies(rows[:, 0]), np.unique(rows[:, 1])
        known = np.unique(omega)
        X = np.full((len(known), len(headings), 6), np.nan, np.complex128)
        for w, row in zip(omega, rows, strict=True):
            i = _find_freedom(row[2], stem)
            scale = density * gravity * length ** int(orders[i] - 1)
            X[np.searchsorted(known, w), np.searchsorted(headings, row[1]), i] = scale * (row[5] - 1j * row[6])
        excitation = _create_forces(known, np.radians(headings), X, f"{stem}.3")
    return _create(finite, A, B, infinite, excitation, f"{stem}.1")


@checked(file=path())
def read_capytaine(file: str | os.PathLike[str]) -> Hydrodynamics:
    """Read added mass, damping and wave forces from a NetCDF file of Capytaine. The file is a dataset that
    ``capytaine.export_dataset`` has written, with the degrees of freedom Surge, Sway, Heave, Roll, Pitch and Yaw of one
    body.

    Values of degrees of freedom that the file does not contain are 0.

    Raises:
        ModelError: a file that is not NetCDF 4, a missing variable, a variable with other dimensions, other degrees of
            freedom, several water depths or bodies, or fewer than three frequencies.
    """
    import h5py  # imported here, because most models do not read this format

    try:
        with h5py.File(file, "r") as data:
            return _read_dataset(data, str(file))
    except OSError as error:
        raise ModelError(f"file {file} cannot be read: must be NetCDF 4 ({error})") from None


def _read_dataset(data: Any, file: str) -> Hydrodynamics:
    """Return the hydrodynamics of an open dataset of Capytaine. The argument ``file`` is the path of the dataset, for
    error messages.
    """

    def read(name: str, *dimensions: str) -> Any:
        """Return a variable whose axes are transposed to the order of ``dimensions``."""
        if name not in data:
            raise ModelError(f"{file} has no variable {name}: must be a dataset of Capytaine")
        own = [scale[0].name.rsplit("/", 1)[-1] if len(scale) else name for scale in data[name].dims]
        if sorted(own) != sorted(dimensions):
            raise ModelError(f"{name} in {file} has the dimensions {own}: must have {list(dimensions)}")
        return np.transpose(data[name][()], [own.index(one) for one in dimensions])

    def find(name: str) -> list[int]:
        """Return the indices, from 0, of the degrees of freedom that the coordinate ``name`` of the dataset lists."""
        found = [word.decode() if isinstance(word, bytes) else str(word) for word in data[name][()]]
        for word in found:
            if word.lower() not in FREEDOMS:
                raise ModelError(f"{name} {word!r} in {file}: must be one of {', '.join(FREEDOMS)} of one body")
        return [FREEDOMS.index(word.lower()) for word in found]

    omega = read("omega", "omega")
    rows, columns = find("influenced_dof"), find("radiating_dof")
    finite = (omega > 0.0) & np.isfinite(omega)
    order = np.flatnonzero(finite)[np.argsort(omega[finite])]
    full = np.zeros((2, len(omega), 6, 6))
    for k, name in enumerate(("added_mass", "radiation_damping")):
        full[k][:, np.array(rows)[:, None], columns] = read(name, "omega", "influenced_dof", "radiating_dof")
    ends = np.flatnonzero(np.isinf(omega))
    infinite = full[0, ends[0]] if len(ends) else np.full((6, 6), np.nan)
    names = ("Froude_Krylov_force", "diffraction_force")
    excitation = None
    if all(name in data for name in names):
        parts = [read(name, "complex", "omega", "wave_direction", "influenced_dof") for name in names]
        headings, values = data["wave_direction"][()], sum(part[0] + 1j * part[1] for part in parts)
        X = np.zeros((len(omega), len(headings), 6), np.complex128)
        X[:, :, rows] = values
        turn = np.argsort(headings)
        excitation = _create_forces(omega[order], headings[turn], X[order][:, turn], file)
    return _create(omega[order], full[0, order], full[1, order], infinite, excitation, file)


def _read_rows(file: Path, width: int) -> FloatArray:
    """Return the rows of a file of WAMIT, shape (rows, width). A damping that is missing in a row for ω = 0 or ω = ∞ is
    set to 0."""
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise ModelError(f"file {file} cannot be read: {error.strerror}") from None
    rows = []
    for number_of_line, line in enumerate(lines, 1):
        words = line.replace(",", " ").split()
        try:
            values = [float(word) for word in words]
        except ValueError:
            if number_of_line == 1:
                continue  # a heading
            raise ModelError(f"line {number_of_line} of {file}: must have {width} numbers") from None
        short = width == WIDTHS[0] and len(values) == width - 1 and values[0] <= 0.0
        if values and len(values) != width and not short:
            raise ModelError(f"line {number_of_line} of {file} has {len(values)} numbers: must have {width}")
        if values:
            rows.append(values + [0.0] * short)
    if not rows:
        raise ModelError(f"{file} has no rows: must have rows of {width} numbers")
    return np.array(rows)


def _find_frequencies(periods: FloatArray) -> FloatArray:
    """Return the frequencies ω [rad/s] of periods [s] in a file of WAMIT: 0 for negative periods, infinite for 0."""
    with np.errstate(divide="ignore"):
        found: FloatArray = np.where(periods < 0.0, 0.0, 2.0 * np.pi / np.abs(periods))
    return found


def _find_freedom(value: float, stem: Path) -> int:
    """Return the index, counted from 0, of the degree of freedom with the number ``value`` in WAMIT, counted from 1."""
    if value not in range(1, 7):
        raise ModelError(f"mode {value:g} in the files {stem}: must be 1 to 6, because one body is read")
    return int(value) - 1


def _create_forces(frequencies: FloatArray, headings: FloatArray, X: NDArray[np.complex128], file: str) -> RAO:
    """Create the table of wave forces from complex forces X per wave amplitude, shape (n, h, 6). If the force of a mode
    is NaN at all frequencies and headings, it is set to 0."""
    gaps = np.isnan(X)
    if (gaps.any(axis=(0, 1)) & ~gaps.all(axis=(0, 1))).any():
        raise ModelError(f"{file} has no force for a period, heading and mode: must have all combinations")
    X = np.where(gaps, 0.0, X)
    return RAO(frequencies, headings, np.abs(X), np.angle(X))


def _create(
    frequencies: FloatArray, A: FloatArray, B: FloatArray, infinite: FloatArray, excitation: RAO | None, file: str
) -> Hydrodynamics:
    """Create the `Hydrodynamics`. If the values of a pair of modes are NaN at all frequencies, they are set to 0. If
    the added mass at infinite frequency is missing, it is computed."""
    if len(frequencies) < 3:
        raise ModelError(f"{file} has {len(frequencies)} frequencies > 0 and < infinity: must have at least 3")
    gaps = np.isnan(A)
    if (gaps.any(axis=0) & ~gaps.all(axis=0)).any():
        raise ModelError(f"{file} has no added mass for a pair of modes at some frequencies: must have all frequencies")
    A, B = np.where(gaps, 0.0, A), np.where(gaps, 0.0, B)
    if np.isnan(infinite).all():
        infinite = _find_infinite(frequencies, A, B)
    infinite = np.where(np.isnan(infinite), 0.0, infinite)
    return Hydrodynamics(frequencies, A, B, 0.5 * (infinite + infinite.T), excitation)
