"""Fatigue of lines under varying tension: rainflow cycles, fatigue curves (numbers of cycles to failure), and damage
sums.

N = c / (ΔT/T_0)^m          D = Σ n_i / N_i          ΔT_eq = (Σ n_i ΔT_i^m / Σ n_i)^(1/m)

N is the number of cycles to failure for cycles in which the tension has the range ΔT [N]. The constants of the fatigue
curve are m and c. The series has n_i cycles with the range ΔT_i, N_i is the number of cycles to failure at this range,
and D is the damage. The equivalent range ΔT_eq is the constant range that causes the same damage with the same number
of cycles. In T-N curves, T_0 is the breaking load. For ropes, log10 c = a - b T_mean/T_0, with the mean tension T_mean
of the cycle. In S-N curves, T_0 is the nominal area times 1 MPa, so ΔT/T_0 is the stress range in MPa.

Source: ASTM E1049-85 (2017), section 5.4.4, by the library rainflow; API RP 2SK (2005), section 6; DNV-OS-E301 (2010),
chapter 2, section 2 F; M. A. Miner, J. Appl. Mech. 12 (1945) A159-A164.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, pi

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import check_fields, checked, instance, number, optional, word
from windlass.framework.errors import ModelError
from windlass.post.series import Series
from windlass.post.standards import STRESS_CURVES, TENSION_CURVES

MPA = 1e6
YEAR = 365.25 * 86400.0
"""Duration [s] of a year."""


@dataclass(frozen=True)
class FatigueCurve:
    """Number of cycles to failure N = 10^(a - b T_mean/T_0) / (ΔT/T_0)^m, for cycles with the range ΔT [N] and the mean
    T_mean [N] of the tension.

    Args:
        exponent: m [1], > 0.
        constant: a [1], the log10 of the number of cycles to failure at ΔT = T_0 and T_mean = 0.
        reference: T_0 [N], > 0: a breaking load, or an area [m²] times 1e6 Pa.
        mean_effect: b [1], >= 0.

    Raises:
        ModelError: a value is outside its allowed range.
    """

    exponent: float
    constant: float
    reference: float
    mean_effect: float = 0.0

    def __post_init__(self) -> None:
        above, least = number("1", above=0.0), number("1", minimum=0.0)
        fields = {"exponent": above, "constant": number("1"), "reference": number("N", above=0.0), "mean_effect": least}
        check_fields(self, fields)

    def find_lives(self, ranges: FloatArray, means: FloatArray) -> FloatArray:
        """Return the number of cycles to failure [1] for each range and mean of the tension [N], shape (n,). For the
        range 0, the number is infinite.
        """
        levels = np.asarray(means, np.float64) / self.reference
        with np.errstate(divide="ignore"):
            lives: FloatArray = 10.0 ** (self.constant - self.mean_effect * levels) / (
                (np.asarray(ranges, np.float64) / self.reference) ** self.exponent
            )
        return lives


@checked(
    name=word(*TENSION_CURVES),
    breaking_load=optional(number("N", above=0.0)),
    diameter=optional(number("m", above=0.0)),
)
def fatigue_curve(name: str, *, breaking_load: float | None = None, diameter: float | None = None) -> FatigueCurve:
    """Return the fatigue curve of a standard for a type of line.

    Args:
        name: "stud chain", "studless chain", "six-strand rope" or "spiral strand rope".
        breaking_load: breaking load [N] for the T-N curve of API RP 2SK.
        diameter: diameter d [m] of a rope or of the bar of a chain, for the S-N curve of DNV-OS-E301. The nominal area
            is 2 π d²/4 for chains and π d²/4 for ropes.

    Raises:
        ModelError: the name is unknown, or breaking load and diameter are both given or both missing.
    """
    if (breaking_load is None) == (diameter is None):
        raise ModelError(
            f"breaking_load = {breaking_load}, diameter = {diameter} in fatigue_curve: one of the two must be given: "
            "breaking_load [N] for API RP 2SK or diameter [m] for DNV-OS-E301"
        )
    if diameter is None:
        found, reference = TENSION_CURVES[name], breaking_load
    else:
        found = STRESS_CURVES[name]
        reference = found.bars * pi * diameter**2 / 4.0 * MPA
    return FatigueCurve(found.m, found.a, float(reference or 0.0), found.b)


@dataclass(frozen=True)
class Cycles:
    """The cycles of a series, found by rainflow counting.

    Attributes:
        ranges, means: ranges and means of the cycles, shape (n,) each, in the unit of the series.
        counts: 1 for whole cycles and 0.5 for half cycles, shape (n,).
        duration: duration [s] of the series.
        unit: unit of the series; "1" if unknown.
    """

    ranges: FloatArray
    means: FloatArray
    counts: FloatArray
    duration: float
    unit: str = "1"

    @checked(curve=instance(FatigueCurve))
    def damage(self, curve: FatigueCurve) -> float:
        """Return the damage [1] by Miner's rule. The contribution of each cycle of the series is its count (1 or 0.5)
        divided by its number of cycles to failure. Failure is expected at a damage of 1.

        Raises:
            ModelError: the unit of the series is neither N nor unknown.
        """
        if self.unit not in ("1", "N"):
            raise ModelError(f"damage of a series in {self.unit}: must be a tension in N, like the curve")
        return float(np.sum(self.counts / curve.find_lives(self.ranges, self.means)))

    def life(self, curve: FatigueCurve) -> float:
        """Return the time [s] to failure if the series is repeated periodically. For a series without cycles, the time
        is infinite.
        """
        damage = self.damage(curve)
        return self.duration / damage if damage > 0.0 else inf

    @checked(exponent=number("1", above=0.0))
    def equivalent_range(self, exponent: float) -> float:
        """Return the equivalent range ΔT_eq, in the unit of the series, for fatigue curves that have the given exponent
        m and do not depend on the mean tension. For a series without cycles, the result is 0.
        """
        total = float(self.counts.sum())
        scale = float(self.ranges.max(initial=0.0))
        if total == 0.0 or scale == 0.0:
            return 0.0
        mean = float(np.sum(self.counts * (self.ranges / scale) ** exponent)) / total
        return scale * float(mean ** (1.0 / exponent))


@checked(series=instance(Series))
def rainflow(series: Series) -> Cycles:
    """Return the cycles of a series by rainflow counting. Ranges without a closed cycle are counted as half cycles."""
    from rainflow import extract_cycles  # imported here, because only this function needs the library

    found = np.array([cycle[:3] for cycle in extract_cycles(series.values.tolist())], np.float64).reshape(-1, 3)
    return Cycles(found[:, 0], found[:, 1], found[:, 2], series.duration, series.unit)
