"""Function that adds a line that lies partly on a bed. The function computes the initial shape and adds the cables, the
bed and the contact.

The line starts at an anchor on the bed, follows the bed up to the touchdown point, and rises to its end as an elastic
catenary (`hang_from_ground`). A line that is too taut to touch the bed is an elastic catenary between its ends.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from windlass.connectors.markers.position_markers import rigid_marker
from windlass.connectors.surface_contact.add_surface_contact import add_surface_contact
from windlass.connectors.surface_contact.bed import BedGrid, add_bed, add_bed_grid
from windlass.connectors.surface_contact.surfaces import PlaneSurface
from windlass.elements.cable.winch_rope import WinchRope
from windlass.elements.nodes.ground import Ground
from windlass.elements.routes.cable_chain import cable_along
from windlass.elements.routes.catenary import FreeCatenary, hang_between
from windlass.elements.routes.grounded_catenary import GroundedCatenary, hang_from_ground
from windlass.elements.routes.routes import RouteError
from windlass.elements.routes.winch_along import BackwardLine, winch_rope_along
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import checked, either, inside, instance, number, numbers, optional, whole, yes_no
from windlass.framework.errors import ModelError
from windlass.framework.model.adding import all_or_nothing
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World

CREST = 4.0
"""Default radius of the corners of a polyline, divided by the length of a cable [1]."""
DEEPEST = 0.01
"""Largest depth of a taut line below the bed, for example at a crest, divided by the length of the line [1]. A static
solve lifts the line onto the bed.
"""


class LaidLine(NamedTuple):
    """The parts that `lay_line` adds to a model.

    Attributes:
        cables: the cables from the anchor to the end. With ``winch=True``, the order is from the end to the anchor.
        surfaces: the surfaces of the bed.
        contacts: the contact of the cables with the bed.
        route: the elastic catenary that is the initial shape.
        rope: the winch rope if ``winch=True``, otherwise None.
    """

    cables: Entity
    surfaces: list[Entity]
    contacts: Entity
    route: GroundedCatenary | FreeCatenary
    rope: WinchRope | None = None


@checked(
    world=instance(World), bed=either(number("m"), numbers("m", (None, 2)), instance(BedGrid)),
    anchor=numbers("m", (2,)), end=numbers("m", (3,)), length=number("m", above=0.0), elements=whole(1),
    displaced=number("kg/m", minimum=0.0), friction=number("1", minimum=0.0),
    stiffness=number("N/m^2", above=0.0), rounding=optional(number("m", minimum=0.0)), contact=optional(instance(dict)),
    winch=yes_no(), columns=inside(),
)  # fmt: skip
@all_or_nothing
def lay_line(
    world: World, bed: Any, anchor: Any, end: Any, length: float, elements: int, *, stiffness: float,
    displaced: float = 0.0, friction: float = 0.0, rounding: float | None = None,
    contact: dict[str, Any] | None = None, winch: bool = False, **columns: Any,
) -> LaidLine:  # fmt: skip
    """Lay a line on a bed, from an anchor on the bed to an end above the bed.

    Args:
        world: the 3D model, with gravity along -z.
        bed: the height of a level bed [m], a `BedGrid`, or the corners of a polyline below the
            line, shape (k, 2). A corner is given by its horizontal distance from the anchor, positive towards the end,
            and its height [m], see `add_bed`.
        anchor: x and y of the anchor [m]. The anchor has the height of the bed.
        end: position of the upper end [m].
        length: unstretched length [m].
        elements: number of cables.
        stiffness: contact stiffness per length of the line [N/m^2].
        displaced: mass of the displaced water per length [kg/m], used only for the initial shape. A `FluidLoad` adds
            the forces of the water.
        friction: coefficient of friction on the bed [1]. A value > 0 requires stiffness or damping of the friction in
            ``contact``, see `add_surface_contact`. The initial shape is the shape of a line that has been pulled
            towards its end.
        rounding: radius of the corners of a polyline [m]. The default is four lengths of a cable.
        contact: further columns of the contact, for example ``contact_damping_per_length``, or columns of soft beds,
            see `ContactFrictionBedCable`.
        winch: whether the line is the rope of a winch at its upper end. The attribute ``rope`` of the result then
            contains the nodes of the rope, from the winch to the anchor, and its feed, see `winch_rope`.
        **columns: columns of `Cable3D`, or of `WinchCable3D`, at least ``axial_stiffness`` and ``mass_per_length``.

    Returns:
        The parts that were added to the model. The ends of the line are not constrained.

    Raises:
        ModelError: gravity is not along -z, a column is missing, ``slow_strain`` is given, ``displaced`` is not below
            the mass per length, or the corners of the bed are wrong.
        ModelError: ``contact`` contains the stiffness or the coefficient of friction, or ``rounding`` is given for a
            bed that is not a polyline.
        RouteError: the end is not above the anchor, the line is slack on the bed, or a taut line would pass more than
            1 % of its length below the bed.
    """
    gravity = np.array(world.gravity, np.float64)
    if len(gravity) != 3 or gravity[:2].any() or not gravity[2] < 0.0:
        raise ModelError(f"gravity = {gravity.tolist()} m/s^2 in lay_line: must be along -z, (0, 0, -g) with g > 0")
    for name, unit in (("axial_stiffness", "N"), ("mass_per_length", "kg/m")):
        if name not in columns:
            raise ModelError(f"lay_line needs {name} [{unit}]")
    for name, argument in (("contact_stiffness_per_length", "stiffness"), ("friction_coefficient", "friction")):
        if name in (contact or {}):
            raise ModelError(f"contact of lay_line contains {name}: must be given by the argument {argument}")
    if "slow_strain" in columns:
        raise ModelError("slow_strain in lay_line: must be left out; a static solve computes it")
    if rounding is not None and (isinstance(bed, BedGrid) or np.ndim(bed) == 0):
        raise ModelError(f"rounding = {rounding:g} m in lay_line: must be left out for a bed that is not a polyline")
    mass = float(columns["mass_per_length"]) - displaced
    if mass <= 0.0:
        raise ModelError(
            f"displaced = {displaced:g} kg/m in lay_line: must be < mass_per_length = {mass + displaced:g} kg/m, "
            "because a line that floats does not lie on a bed"
        )
    start, ground = _find_ground(bed, np.array(anchor, np.float64), np.array(end, np.float64))
    values = length, float(columns["axial_stiffness"]), mass
    route: GroundedCatenary | FreeCatenary
    try:
        route = hang_from_ground(start, end, *values, friction=friction, gravity=gravity, ground=ground)
    except RouteError:
        chord = np.abs(np.subtract(end, start))
        if length >= np.hypot(chord[0], chord[1]) + chord[2]:
            # this error concerns a line that is slack on the bed
            raise
        route = hang_between(start, end, *values, gravity)
        points = route.eval_points(np.linspace(0.0, length, 10 * elements + 1))[0]
        depth = float((_eval_bed(bed, start, points) - points[:, 2]).max())
        if depth > DEEPEST * length:
            raise RouteError(
                f"a line of {length:g} m from {start.tolist()} m to {np.array(end).tolist()} m would pass "
                f"{depth:.3g} m below the bed: must be at most {DEEPEST * length:.3g} m; shorten the line or choose "
                "a higher end"
            ) from None
    columns = {"bending_stiffness": 1e-9 * mass * -gravity[2] * length**3} | columns
    rope = winch_rope_along(world, BackwardLine(route), elements, **columns) if winch else None
    cables = rope.cables if rope else cable_along(world, route, elements, **{"length": length / elements} | columns)
    radius = CREST * length / elements if rounding is None else rounding
    surfaces = _add_surfaces(world, bed, start, np.array(end), radius)
    given = {"contact_stiffness_per_length": stiffness} | (contact or {})
    if friction > 0.0:
        given["friction_coefficient"] = friction
    contacts = add_surface_contact(world, surfaces, cables, **given)
    return LaidLine(cables, surfaces, contacts, route, rope)


def _eval_bed(bed: Any, start: FloatArray, points: FloatArray) -> FloatArray:
    """Return the heights [m] of the bed, shape (n,), below ``points`` [m], shape (n, 3)."""
    if isinstance(bed, BedGrid):
        return bed.eval_heights(points[:, 0], points[:, 1])
    if np.ndim(bed) == 0:
        return np.full(len(points), float(bed))
    distance = np.linalg.norm(points[:, :2] - start[:2], axis=1)
    return np.interp(distance, *np.array(bed, np.float64).T)


def _find_ground(bed: Any, anchor: FloatArray, end: FloatArray) -> tuple[FloatArray, list[FloatArray]]:
    """Return the anchor [m], shape (3,), and all points [m] of the bed below the line except the anchor."""
    if isinstance(bed, BedGrid):
        start = np.array([*anchor, float(bed.eval_heights(*anchor))])
        return start, [np.array(point) for point in bed.eval_profile(start, end)]
    if np.ndim(bed) == 0:
        return np.array([*anchor, float(bed)]), []
    corners = np.array(bed, np.float64)
    if len(corners) < 2 or corners[0, 0] > 0.0 or not (np.diff(corners[:, 0]) > 0.0).all():
        raise ModelError(
            f"bed = {corners.tolist()} m in lay_line: must be two or more corners with ascending distances, the first "
            "at a distance <= 0 from the anchor"
        )
    chord = end[:2] - anchor
    along = chord / (np.linalg.norm(chord) or 1.0)
    start = np.array([*anchor, float(np.interp(0.0, *corners.T))])
    later = corners[corners[:, 0] > 0.0]
    if not len(later):
        raise ModelError(f"bed = {corners.tolist()} m in lay_line: the last corner must be at a distance > 0")
    return start, [np.array([*(anchor + distance * along), height]) for distance, height in later]


def _add_surfaces(world: World, bed: Any, start: FloatArray, end: FloatArray, rounding: float) -> list[Entity]:
    """Add the surfaces of the bed."""
    if isinstance(bed, BedGrid):
        return [add_bed_grid(world, bed)]
    if np.ndim(bed) == 0:
        marker = rigid_marker(world, world.add(Ground))
        return [world.add(PlaneSurface, name="bed", marker=marker, offset=float(bed))]
    heading = float(np.arctan2(end[1] - start[1], end[0] - start[0]))
    return add_bed(world, bed, heading=heading, origin=start[:2], rounding=rounding)
