"""Functions that compute columns of beams from the material and the shape of the cross section. The cross section is a
round bar, a tube or a rectangle.

The stiffnesses are EA, k GA, EI and GJ. The symbols are Young's modulus E, the shear modulus G = E/(2 (1 + ν)) with
Poisson's ratio ν, the area A, the shear coefficient k of Cowper, the second moments of area I, and the torsion constant
J of the cross section. With the density ρ, the products ρA and ρI are the mass and the rotary inertia per length.
Warping of the cross section is free. For round bars and tubes J = I_2 + I_3. For rectangles with the sides a ≥ b, the
torsion constant is

    J = a b³ (1/3 - 64 b/(π⁵ a) Σ tanh(n π a/(2 b))/n⁵),    n = 1, 3, ...

The shear coefficients of round bars, tubes with the diameter ratio m = inner/outer diameter, and rectangles are

    k = 6 (1 + ν)/(7 + 6 ν),
    k = 6 (1 + ν)(1 + m²)²/((7 + 6 ν)(1 + m²)² + (20 + 12 ν) m²),
    k = 10 (1 + ν)/(12 + 11 ν).

Source: G. R. Cowper, J. Appl. Mech. 33 (1966) 335-340, for k; S. P. Timoshenko, J. N. Goodier, Theory of Elasticity,
McGraw-Hill (1970), sections 104 and 109, for J.
"""

from __future__ import annotations

from math import pi, tanh
from typing import Any

from windlass.framework.checks.checks import checked, number, optional, whole
from windlass.framework.errors import ModelError

MATERIAL = {
    "modulus": number("Pa", above=0.0), "density": number("kg/m^3", above=0.0),
    "poisson": number("1", above=-1.0, maximum=0.5), "dims": whole(2, maximum=3, why="the dimension of the beam"),
}  # fmt: skip
TERMS = 41
"""Largest n of the series for J. The ratio of the first omitted term to the sum is below 10⁻⁸."""


@checked(diameter=number("m", above=0.0), thickness=optional(number("m", above=0.0)), **MATERIAL)
def round_section(
    diameter: float, modulus: float, density: float, *, thickness: float | None = None, poisson: float = 0.3,
    dims: int = 3,
) -> dict[str, Any]:  # fmt: skip
    """Return the columns stiffness, mass_per_length and rotary_inertia of a round bar or tube, for `straight_beam`,
    `beam_along`, `Beam2D` and `Beam3D`.

    Args:
        diameter: outer diameter [m].
        modulus: Young's modulus E [Pa].
        density: density of the material [kg/m^3].
        thickness: thickness [m] of the wall of a tube; with None, the bar is solid.
        poisson: Poisson's ratio ν [1].
        dims: 2 for `Beam2D`, 3 for `Beam3D`.

    Raises:
        ModelError: a value is out of its range, or the wall is thicker than the radius.
    """
    if thickness is not None and thickness > 0.5 * diameter:
        raise ModelError(f"thickness = {thickness:g} m of round_section: must be <= {diameter / 2:g} m, the radius")
    inner = 0.0 if thickness is None else diameter - 2.0 * thickness
    square = (inner / diameter) ** 2
    shear = 6.0 * (1.0 + poisson) * (1.0 + square) ** 2
    shear /= (7.0 + 6.0 * poisson) * (1.0 + square) ** 2 + (20.0 + 12.0 * poisson) * square
    area, second = pi / 4.0 * (diameter**2 - inner**2), pi / 64.0 * (diameter**4 - inner**4)
    return _create_columns(modulus, density, poisson, dims, area, shear, 2.0 * second, second, second)


@checked(height=number("m", above=0.0), width=number("m", above=0.0), **MATERIAL)
def rectangular_section(
    height: float, width: float, modulus: float, density: float, *, poisson: float = 0.3, dims: int = 3
) -> dict[str, Any]:
    """Return the columns stiffness, mass_per_length and rotary_inertia of a rectangular bar, see `round_section`.

    Args:
        height: side [m] along e_2; in 2D the side that is in the plane of the model.
        width: side [m] along e_3.
        modulus, density, poisson, dims: properties of the material, and number of dimensions, see `round_section`.

    Raises:
        ModelError: a value is not allowed.
    """
    a, b = max(height, width), min(height, width)
    series = sum(tanh(n * pi * a / (2.0 * b)) / n**5 for n in range(1, TERMS + 1, 2))
    torsion = a * b**3 * (1.0 / 3.0 - 64.0 * b / (pi**5 * a) * series)
    shear, area = 10.0 * (1.0 + poisson) / (12.0 + 11.0 * poisson), height * width
    second, third = area * width**2 / 12.0, area * height**2 / 12.0
    return _create_columns(modulus, density, poisson, dims, area, shear, torsion, second, third)


def _create_columns(
    modulus: float, density: float, poisson: float, dims: int, area: float, shear: float, torsion: float,
    second: float, third: float,
) -> dict[str, Any]:  # fmt: skip
    """Return the columns stiffness, mass_per_length and rotary_inertia of a cross section with the given area [m^2],
    shear coefficient [1], J, I_2 and I_3 [m^4].
    """
    G = modulus / (2.0 + 2.0 * poisson)
    EA, GA, EI = modulus * area, shear * G * area, modulus * third
    if dims == 2:
        return {"stiffness": (EA, GA, EI), "mass_per_length": density * area, "rotary_inertia": density * third}
    return {
        "stiffness": (EA, GA, GA, G * torsion, modulus * second, EI),
        "mass_per_length": density * area,
        "rotary_inertia": (density * (second + third), density * second, density * third),
    }
