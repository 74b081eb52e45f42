"""Belts and ropes of beams with shear.

With the argument ``shear_stiffness``, a belt or rope consists of elements `Beam2D`, or in 3D `Beam3D`, of the order 2.
Such belts can have the columns ``axial_damping``, ``bending_damping`` and ``rotary_inertia``, in 2D also
``reference_curvature``. The cross sections have the stiffness matrix diag(EA, GA, EI) and the damping matrix diag(d_EA,
d_GA, d_EI). In 3D, the section is the same in all directions across the axis, with the stiffness matrix diag(EA, GA,
GA, GJ, EI, EI) and the damping ``torsional_damping`` of torsion.

The unloaded belt has the curvature ``reference_curvature`` everywhere (0 in 3D), and not the curvature of the route.
The default of the rotary inertia is J = rhoA EI/EA, the inertia of a homogeneous cross section whose radius of gyration
is sqrt(EI/EA). In 3D, ``rotary_inertia`` is the inertia about the axis of the belt, by default 2 J, and the inertia
about all directions across the axis is half of it.

Source: `elements/beam/beam2d.py`, `elements/beam/beam3d.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from windlass.connectors.circle_contact.belt_ends import MOST_SHEAR
from windlass.elements.routes.routes import CenterLine, Route
from windlass.framework.checks.checks import check, number
from windlass.framework.errors import ModelError
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World

SHEAR = "shear_stiffness"
"""Name of the argument for the shear stiffness. Belts with this argument consist of beams."""
ORDER = 2
"""Polynomial order of the beams."""
TWIST = "torsional_stiffness"
"""Name of the column for the torsional stiffness of 3D belts."""
SECTION = ("axial", "shear", "bending")
SPACE_SECTION = ("axial", "shear", "shear", "torsional", "bending", "bending")
"""Prefixes of the columns of stiffness and damping, in the order of the strains of `Beam2D` and of `Beam3D`."""
NUMBERS = {
    "axial_damping": number("N s", minimum=0.0), "bending_stiffness": number("N m^2", above=0.0),
    "bending_damping": number("N m^2 s", minimum=0.0), "rotary_inertia": number("kg m", minimum=0.0),
    "reference_curvature": number("1/m"), TWIST: number("N m^2", above=0.0),
    "torsional_damping": number("N m^2 s", minimum=0.0),
}  # fmt: skip
"""Checks of the columns of beams that `Belt` and `Rope` do not have as arguments."""
IN_SPACE, IN_PLANE = (TWIST, "torsional_damping"), ("reference_curvature",)
"""Columns that only 3D belts have, and that only 2D belts have."""
COLUMNS = ("axial_stiffness", SHEAR, "shear_damping", "mass_per_length", *NUMBERS)
"""Columns of a belt of beams."""
MOST_RATIO = 1e5
"""Largest ratio of shear stiffness to axial stiffness [1]. With much larger ratios, the other stiffnesses are lost in
the rounding errors of the tangent. Below this limit, the shear deformation is already negligible.
"""


def read_shear(name: str, stiffness: float | None, damping: float) -> dict[str, Any]:
    """Return the columns that describe the shear of a belt. Without a shear stiffness [N], the result is empty.

    Raises:
        ModelError: the belt has a shear damping [N s] without shear stiffness.
    """
    if stiffness is None and damping > 0.0:
        raise ModelError(f"shear_damping = {damping:g} N s of '{name}': must have a {SHEAR} [N]")
    return {} if stiffness is None else {SHEAR: stiffness, "shear_damping": damping}


def check_beams(name: str, columns: Mapping[str, Any], in_space: bool, teeth: bool, width: float | None) -> None:
    """Raise ModelError if a belt with a shear stiffness has no bending stiffness, a column that is not one number
    within its bounds, a shear stiffness above `MOST_RATIO`, or teeth. In 3D, also raise ModelError if the belt has no
    torsional stiffness or has a ``width`` [m].
    """
    if SHEAR not in columns:
        return
    if "bending_stiffness" not in columns:
        raise ModelError(f"'{name}' has {SHEAR} but no bending_stiffness [N m^2]: must have both")
    for what, allowed in NUMBERS.items():
        if what in columns:
            check(allowed, what, columns[what], f"'{name}'")
    most = MOST_RATIO * columns["axial_stiffness"]
    if columns[SHEAR] > most:
        raise ModelError(
            f"{SHEAR} = {columns[SHEAR]:g} N of '{name}': must be <= {most:g} N, {MOST_RATIO:g} times the "
            "axial_stiffness, or left out for a belt without shear deformation"
        )
    if teeth:
        raise ModelError(
            f"{SHEAR} = {columns[SHEAR]:g} N of '{name}', which has teeth: must be left out, because belts with shear "
            "have no teeth"
        )
    if in_space and TWIST not in columns:
        raise ModelError(f"'{name}' is 3D and has {SHEAR} but no {TWIST} [N m^2]: must have both")
    if in_space and width is not None:
        raise ModelError(
            f"width = {width:g} m of '{name}', which is 3D and has {SHEAR}: must be left out, because only cables with "
            "torsion have points across their width"
        )
    for what in IN_PLANE if in_space else IN_SPACE:
        if what in columns:
            raise ModelError(
                f"{what} of '{name}' with {SHEAR}: must be left out in {'3D' if in_space else '2D'}, because only "
                f"{'2D' if in_space else '3D'} belts have it"
            )


def check_tension(name: str, tension: float, shear: float) -> None:
    """Raise ModelError if the tension [N] is so large that beams with the shear stiffness ``shear`` [N] deform by
    shear instead of stretching.
    """
    if tension > MOST_SHEAR * shear:
        raise ModelError(
            f"{SHEAR} = {shear:g} N of '{name}': must be >= {tension / MOST_SHEAR:.3g} N for its tension of "
            f"{tension:g} N"
        )


def lay_beams(world: World, route: CenterLine, elements: int, name: str, columns: Mapping[str, Any]) -> Entity:
    """Add the beams of a belt along its route, in the order of the route.

    Args:
        columns: columns per metre of the route, see `COLUMNS`, and the strain ``reference_strain`` without load.
    """
    from windlass.elements.routes.beam_lines import beam_along  # imported here, because few belts have shear

    in_space = not isinstance(route, Route)
    section = SPACE_SECTION if in_space else SECTION
    stiffness = [float(columns[f"{part}_stiffness"]) for part in section]
    damping = [float(columns.get(f"{part}_damping", 0.0)) for part in section]
    mass, strain = float(columns["mass_per_length"]), columns["reference_strain"]
    J = mass * float(columns["bending_stiffness"]) / stiffness[0]
    if in_space:
        polar = float(columns.get("rotary_inertia", 2.0 * J))
        inertia: Any = (polar, 0.5 * polar, 0.5 * polar)
        free: tuple[Any, ...] = (strain, 0.0, 0.0, 0.0, 0.0, 0.0)
    else:
        inertia, free = columns.get("rotary_inertia", J), (strain, 0.0, columns.get("reference_curvature", 0.0))
    return beam_along(
        world, route, elements, order=ORDER, name=name, stiffness=stiffness, mass_per_length=mass, damping=damping,
        rotary_inertia=inertia, reference_strain=free, strain_is_relative_to_reference=0.0,
    )  # fmt: skip
