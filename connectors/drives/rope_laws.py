"""Static tension of belts and ropes over pulleys whose tension is not EA times the strain: fibre ropes, ropes with
working curves, and tables of tensions.

A mounted belt or rope has the static strain e(T) at the tension T:

    table: T = T(e), the PCHIP interpolation of the table, linear beyond its ends
    fibre rope: e = T/S with a static stiffness S, otherwise e = T/K + T/(EA + β T)
    working curves: e of `working_cable.find_static_strain`

The slow strain is e - T/(EA + β T) in fibre ropes, and e - u(T) in ropes with working curves, with the symbols of
fibre_cable.py and working_cable.py. Therefore the load does not creep after the start.

For `fit.py`, the law is replaced by its secant stiffness T/e(T). `find_law_fit` repeats the fit until this stiffness
belongs to the tension. For contacts and reports, the law is replaced by its derivative dT/de at the mounted tension.

Source: elements/cable/table_cable.py, fibre_cable.py and working_cable.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from windlass.connectors.drives.fit import LARGEST_STRAIN, Bends, find_fit
from windlass.elements.cable.kinds import FIBRE, TABLE, WORKING
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.values import read_numbers, show
from windlass.framework.errors import ModelError

LAWS = (*FIBRE, WORKING, TABLE)
"""Columns of cables whose tension is not EA times the strain."""
CURVES = {TABLE: "table_tensions", WORKING: "working_tensions"}
"""For each column of strains, the column of the tensions at these strains."""
NUMBERS = {
    **dict.fromkeys((*FIBRE, "slow_damping", "stiffening", "largest_load", "working_offset", "working_stiffness"), 0.0),
    "working_quadratic": -1.0, "working_exponent": -100.0,
}  # fmt: skip
"""Smallest values of the columns of the laws that are numbers."""
DIFFERENCE = 1e-6
"""Relative change of the tension of a difference quotient [1]."""
MOST_FITS, FIT_ERROR = 50, 1e-12
"""Largest number of fits of `find_law_fit`, and largest relative change of the secant stiffness at its end [1]."""


class TensionLaw:
    """The static law of the tension of a belt or rope.

    Args:
        name: name of the belt or rope, for messages.
        columns: columns of the cables, with one value of the law for all cables.

    Raises:
        ModelError: a column of the law is not a number >= 0, or a curve is not ascending.
    """

    def __init__(self, name: str, columns: Mapping[str, Any]) -> None:
        self.name, self.columns = name, dict(columns)
        for strains, tensions in CURVES.items():
            if strains in columns:
                self._check_curve(strains, tensions)
        for key, least in NUMBERS.items():
            value = read_numbers(columns.get(key, 0.0))
            if value is None or value.ndim or not (np.isfinite(value) and value >= least):
                raise ModelError(f"{key} = {show(columns[key])} of '{name}': must be one finite number >= {least:g}")
            self.columns[key] = float(value)
        if not any(key in columns for key in CURVES) and not any(self.columns[key] > 0.0 for key in FIBRE):
            raise ModelError(f"{' and '.join(FIBRE)} of '{name}': one of them must be > 0 N")

    def _check_curve(self, strains: str, tensions: str) -> None:
        given = [read_numbers(self.columns.get(key)) for key in (strains, tensions)]
        x, T = given
        whole = x is not None and T is not None and x.ndim == T.ndim == 1 and len(x) == len(T) > 1
        if x is None or T is None or not (whole and np.isfinite(x).all() and np.isfinite(T).all()):
            raise ModelError(f"{strains}, {tensions} of '{self.name}': must be two lists of equal length, 2 at least")
        steps = np.diff(T)
        if (np.diff(x) <= 0.0).any() or (steps < 0.0).any() or T[-1] <= max(T[0], 0.0):
            raise ModelError(
                f"{strains} = {show(x)}, {tensions} = {show(T)} N of '{self.name}': must be ascending, to tensions > 0"
            )
        if strains == WORKING and ((steps <= 0.0).any() or T[0] < 0.0 or x[0] < 0.0):
            raise ModelError(f"{tensions} = {show(T)} N of '{self.name}': must be >= 0 and ascending, as {strains}")
        self.columns[strains], self.columns[tensions] = x, T

    def find_strain(self, tension: float) -> float:
        """Return the static strain [1] at a tension > 0 [N]."""
        get = self.columns
        if TABLE in get:
            return _invert_table(get[TABLE], get[CURVES[TABLE]], tension)
        if WORKING in get:
            from windlass.elements.cable.working_cable import (
                find_static_strain,
            )  # imported here, because few belts need it

            return find_static_strain(get, tension)
        if get["static_stiffness"] > 0.0:
            return tension / float(get["static_stiffness"])
        return tension / float(get["slow_stiffness"]) + self._find_fast(tension)

    def find_slow_strain(self, tension: float) -> float | None:
        """Return the slow strain [1] in equilibrium at a tension [N], or None for a law without slow strain."""
        if TABLE in self.columns:
            return None
        return self.find_strain(tension) - self._find_fast(tension)

    def find_slope(self, tension: float) -> float:
        """Return the static stiffness dT/de [N] at a tension [N]."""
        ends = tension * (1.0 - DIFFERENCE), tension * (1.0 + DIFFERENCE)
        return (ends[1] - ends[0]) / (self.find_strain(ends[1]) - self.find_strain(ends[0]))

    def find_tension(self, strain: float) -> float:
        """Return the tension [N] at a static strain > 0 [1].

        Raises:
            ModelError: the tension would not be > 0.
        """
        from scipy.optimize import brentq  # imported here, because few belts need it

        low, high = 1e-9, float(self.columns["axial_stiffness"])
        while self.find_strain(high) < strain:
            high *= 2.0
        if self.find_strain(low) >= strain:
            raise ModelError(f"'{self.name}' has no tension at the strain {strain:.6g}: must be strained further")
        return float(brentq(lambda T: self.find_strain(T) - strain, low, high, xtol=1e-12, rtol=1e-14))

    def _find_fast(self, tension: float) -> float:
        """Return the strain [1] of the fast part of a fibre rope at a constant tension [N]."""
        EA, beta = float(self.columns["axial_stiffness"]), float(self.columns["stiffening"])
        if WORKING in self.columns:
            from windlass.elements.cable.working_cable import (
                find_fast_strains,
            )  # imported here, because few belts need it

            return float(find_fast_strains(np.array(tension), EA, beta))
        return tension / (EA + beta * tension)


def _invert_table(strains: FloatArray, tensions: FloatArray, tension: float) -> float:
    """Return the strain of a table at a tension [N]."""
    from scipy.interpolate import PchipInterpolator  # imported here, because SciPy takes long to load
    from scipy.optimize import brentq  # imported here, because SciPy takes long to load

    curve = PchipInterpolator(strains, tensions)
    for end in (0, -1):
        beyond = float(tension - tensions[end])
        if beyond * (1.0 if end else -1.0) >= 0.0:
            return float(strains[end] + beyond / max(float(curve.derivative()(strains[end])), 1e-300))
    return float(brentq(lambda x: float(curve(x)) - tension, strains[0], strains[-1], xtol=1e-15))


def find_law_fit(law: TensionLaw, route: float, bends: Bends, given: Mapping[str, Any]) -> tuple[float, float]:
    """Return strain and tension of the mounted belt or rope, see `find_fit`.

    Raises:
        ModelError: one of the errors of `find_fit`, or the strain is larger than `LARGEST_STRAIN`.
    """
    ways = {key: given[key] for key in ("length", "strain", "tension") if given[key] is not None}
    tension = given["tension"]
    if len(ways) == 1 and tension is None:
        strain = ways["strain"] if "strain" in ways else route / ways["length"] - 1.0
        # for wrong lengths, `find_fit` raises the error
        tension = law.find_tension(strain) if strain > 0.0 else None
    if tension is not None and (strain := law.find_strain(tension)) > LARGEST_STRAIN:
        raise ModelError(
            f"tension = {tension:g} N of '{law.name}' causes the strain {strain:.3g}: must cause at most "
            f"{LARGEST_STRAIN:g}"
        )
    secant = float(law.columns["axial_stiffness"]) if tension is None else tension / law.find_strain(tension)
    for _ in range(MOST_FITS):
        found = find_fit(law.name, route, secant, bends, given)
        before, secant = secant, found[1] / law.find_strain(found[1])
        if abs(secant / before - 1.0) < FIT_ERROR:
            break
    return found
