"""Fit of a belt on its route: strain and tension of the mounted belt. Stiffness, damping and mass are converted from
values per unstrained length to values per length of the route.

A belt with the slack length S0 on a taut route of the length S has the strain e = S/S0 - 1 and, without bending
stiffness, the tension T = EA e. Each of S0, e and T determines the other two. Per metre of the route, the material of
the belt has the parameters

    all cables: EA (1 + e), EI (1 + e), dampings (1 + e), rhoA/(1 + e), strain -e/(1 + e), curvature k0/(1 + e)
    cables with torsion: GJ (1 + e), C (1 + e), J/(1 + e), twist tau0/(1 + e)
    beams with shear: GA (1 + e), J/(1 + e)
    fibre ropes and tables: stiffnesses, slow damping and stiffening (1 + e), strains of curves 1/(1 + e)

Here EA, EI, GA, GJ and C are the stiffnesses for tension, bending, shear, torsion and coupling. The mass per length is
rhoA, and the rotary inertia per length is J. The curvature and the twist of the belt without load are k0 and tau0. The
axial force is N = EA (lam (1 + e) - 1) at the stretch lam relative to the route. The conversion does not change the
mass and the energies of the belt.

With bending stiffness, the ends of arcs increase the length of the belt, and the tension on the arc is lower than the
tension of the spans by EI/(2 R²). See `circle_contact/belt_ends.py`. The lines of the spans are tangents of circles
whose radii are larger than R by the offsets d. Let d1 and d2 be the offsets at the ends of a span of the length L. If
the pulleys at these ends are on different sides of the belt, the span is shorter by (d1 + d2)²/(2 L). The slack length
S0 is the sum of the lengths of all spans and arcs, each divided by the stretch of the belt on this span or arc. The
length l = sqrt(EI/T) over which the curvature changes at an end of an arc is limited to R and to a quarter of the span.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any, NamedTuple

import numpy as np

from windlass.connectors.circle_contact.belt_ends import eval_ends
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.values import read_numbers, show
from windlass.framework.errors import ModelError

LARGEST_STRAIN = 0.2
"""Largest strain of a taut belt [1]. A belt that requires a larger strain does not fit."""
LEAST = 1e-12
"""Smallest tension, divided by EA [1], with which the length l is evaluated. This value replaces smaller tensions."""
LONGEST_END = 0.25
"""Largest length l at an end of an arc, divided by the length of the adjacent span [1]."""
SCALED = {
    "axial_stiffness": 1, "bending_stiffness": 1, "axial_damping": 1, "bending_damping": 1, "mass_per_length": -1,
    "reference_curvature": -1, "torsional_stiffness": 1, "coupling": 1, "torsional_damping": 1, "rotary_inertia": -1,
    "reference_twist": -1, "shear_stiffness": 1, "shear_damping": 1, "slow_stiffness": 1, "static_stiffness": 1,
    "slow_damping": 1, "stiffening": 1, "working_stiffness": 1, "working_strains": -1, "table_strains": -1,
}  # fmt: skip
"""For each column: the exponent k of the factor (1 + e)^k. This factor converts values of the slack belt to values per
metre of the route.
"""
WAYS = "length= [m] of the slack belt, strain= [1] or tension= [N]"


class Bends(NamedTuple):
    """Bending stiffness of a belt or rope, and the arcs on which it is bent.

    stiffness: bending stiffness EI of the slack belt [N m²].
    radii, angles: radius R [m] and wrap angle [rad] of each arc, shape (arcs,).
    contact: contact stiffness of each arc per length of the belt [N/m²], inf for rigid pulleys, shape (arcs,).
    turns: 1 for arcs on one side and -1 for arcs on the other side of a closed 2D belt, 0 for ropes and in 3D, shape
    (arcs,).
    spans: lengths of the spans [m]: after each arc of a closed belt, shape (arcs,), or along a rope, shape (arcs + 1,).
    shear: shear stiffness GA of the slack belt [N], inf for a belt without shear.
    """

    stiffness: float
    radii: FloatArray
    angles: FloatArray
    contact: FloatArray
    turns: FloatArray
    spans: FloatArray
    shear: float = inf


def eval_length(tension: float, route: float, axial_stiffness: float, bends: Bends) -> float:
    """Return the slack length [m] of a belt with the given tension [N] in the spans of a route of the given length."""
    n, R, t = len(bends.radii), bends.radii, bends.angles
    # spans before and after each arc, shape (2, arcs)
    beside = np.stack(
        (np.roll(bends.spans, 1), bends.spans) if len(bends.spans) == n else (bends.spans[:-1], bends.spans[1:])
    )
    force = max(tension, LEAST * axial_stiffness)
    ends = eval_ends(force, bends.stiffness, bends.contact, R, t, LONGEST_END * beside, bends.shear)
    shorter = 0.5 * bends.stiffness * ends.curvature.mean(axis=0) ** 2 * R * t / axial_stiffness
    moved, crossing = bends.turns * ends.offset, 0.0
    if bends.turns.any():
        crossing = 0.5 * float(((moved[1] - np.roll(moved[0], -1)) ** 2 / bends.spans).sum())
    return float((route + ends.longer.sum() - crossing) / (1.0 + tension / axial_stiffness) + shorter.sum())


def find_fit(
    name: str, route: float, axial_stiffness: float, bends: Bends, given: Mapping[str, Any]
) -> tuple[float, float]:
    """Return the strain of the taut belt on a route of the given length [m], and the tension of the spans [N]. Exactly
    one of length, strain and tension must be given.

    Raises:
        ModelError: no value or several values are given, the length or the tension is out of its range, or the belt is
            slack.
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
    if way == "tension" and value > LARGEST_STRAIN * axial_stiffness:
        raise ModelError(
            f"tension = {value:g} N of '{name}' causes the strain {value / axial_stiffness:.3g} with axial_stiffness = "
            f"{axial_stiffness:g} N: must be <= {LARGEST_STRAIN * axial_stiffness:g} N"
        )
    if way == "tension":
        return route / eval_length(value, route, axial_stiffness, bends) - 1.0, float(value)
    length = value if way == "length" else route / (1.0 + value)
    return route / length - 1.0, find_tension(name, length, route, axial_stiffness, bends)


def find_tension(name: str, length: float, route: float, axial_stiffness: float, bends: Bends) -> float:
    """Return the tension [N] of the spans of a mounted belt whose slack length is ``length`` [m].

    Raises:
        ModelError: the belt is slack.
    """
    from scipy.optimize import brentq  # imported here, because few belts need this function

    def excess(tension: float) -> float:
        return eval_length(tension, route, axial_stiffness, bends) - length

    low = high = max(axial_stiffness * (route / length - 1.0), 1e-9 * axial_stiffness)
    while low > LEAST * axial_stiffness and excess(low) < 0.0:
        low *= 0.5
    if (missing := excess(low)) < 0.0:
        raise ModelError(
            f"'{name}' with the slack length {length:.6g} m is slack on its route of {route:.6g} m: the slack length "
            f"must be < {length + missing:.6g} m"
        )
    while excess(high) > 0.0:
        high *= 2.0
    return low if low == high else float(brentq(excess, low, high, xtol=1e-12))


def scale_columns(name: str, strain: float, columns: Mapping[str, Any]) -> dict[str, Any]:
    """Convert columns of the slack belt to columns of cables per metre of the route.

    Raises:
        ModelError: a column prescribes length or tension, which the strain of the belt already determines, or a scaled
            column contains no numbers.
    """
    taken = {"reference_strain", "length", "ale"} & columns.keys()
    if taken:
        raise ModelError(
            f"{', '.join(sorted(taken))} of '{name}': must be left out, because {WAYS} determine the mounted length"
        )
    for key in SCALED.keys() & columns.keys():
        if read_numbers(columns[key]) is None:
            raise ModelError(f"{key} = {show(columns[key])} of '{name}': must be numbers")
    scale = 1.0 + strain
    scaled = {
        key: np.multiply(value, scale ** SCALED[key]) if key in SCALED else value for key, value in columns.items()
    }
    return {**scaled, "reference_strain": -strain / scale}
