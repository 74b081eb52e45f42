"""Fit of a belt on its route: strain and tension as mounted, and columns of the slack belt converted to columns per
metre of the route.

A belt with the slack length S0 on a taut route of the length S has the strain e = S/S0 - 1 and the tension T = EA e.
Each of S0, e and T determines the other two. Per metre of the route the same material has the columns

    all cables: EA (1 + e), EI (1 + e), dampings (1 + e), rhoA/(1 + e), strain -e/(1 + e), curvature k0/(1 + e)
    cables with torsion: GJ (1 + e), C (1 + e), J/(1 + e), twist tau0/(1 + e)

So N = EA (lam (1 + e) - 1) at the stretch lam relative to the route; mass and energies are equal to the mass and
energies of the slack belt.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from windlass.framework.errors import ModelError

LARGEST_STRAIN = 0.2
"""Largest strain of a taut belt [1]; a belt that requires a larger strain does not fit."""
SCALED = {
    "axial_stiffness": 1, "bending_stiffness": 1, "axial_damping": 1, "bending_damping": 1, "mass_per_length": -1,
    "reference_curvature": -1, "torsional_stiffness": 1, "coupling": 1, "torsional_damping": 1, "rotary_inertia": -1,
    "reference_twist": -1,
}  # fmt: skip
"""Exponent of 1 + e in the factor that converts each column of the slack belt to a column per metre of its route."""
WAYS = "length= [m] of the slack belt, strain= [1] or tension= [N]"


def find_strain(name: str, route: float, axial_stiffness: float, given: Mapping[str, Any]) -> float:
    """Return the strain of the taut belt on a route of the given length [m]; exactly one of length, strain and tension
    is not None.

    Raises:
        ModelError: no value or several values are given, or the belt is too short or slack.
    """
    ways = {key: given[key] for key in ("length", "strain", "tension") if given[key] is not None}
    if len(ways) != 1:
        words = ", ".join(f"{key} = {value:g}" for key, value in ways.items()) or "nothing"
        raise ModelError(f"'{name}' has {words} to define its mounted length: must have exactly one of {WAYS}")
    ((way, value),) = ways.items()
    shortest = route / (1.0 + LARGEST_STRAIN)
    if way == "length" and not shortest <= value < route:
        fault = "too short" if value < shortest else "too long"
        raise ModelError(
            f"length = {value:g} m of '{name}' is {fault} for the route of {route:g} m around the pulleys: must be >= "
            f"{shortest:g} m (strain {LARGEST_STRAIN:g}) and < {route:g} m"
        )
    strain = float({"length": route / value - 1.0, "strain": value, "tension": value / axial_stiffness}[way])
    if way == "tension" and strain > LARGEST_STRAIN:
        raise ModelError(
            f"tension = {value:g} N of '{name}' causes the strain {strain:.3g} with axial_stiffness = "
            f"{axial_stiffness:g} N: must be <= {LARGEST_STRAIN * axial_stiffness:g} N"
        )
    return strain


def scale_columns(name: str, strain: float, columns: Mapping[str, Any]) -> dict[str, Any]:
    """Convert columns of the slack belt to columns of cables on the route.

    Raises:
        ModelError: columns that would determine length or tension a second time.
    """
    taken = {"reference_strain", "length", "ale"} & columns.keys()
    if taken:
        raise ModelError(
            f"{', '.join(sorted(taken))} of '{name}': must be left out, because {WAYS} determine the mounted length"
        )
    scale = 1.0 + strain
    scaled = {
        key: np.multiply(value, scale ** SCALED[key]) if key in SCALED else value for key, value in columns.items()
    }
    return {**scaled, "reference_strain": -strain / scale}
