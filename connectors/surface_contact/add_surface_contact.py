"""Functions that add surfaces (drums with flanges, V-grooves) and the contact between several cables and several
surfaces.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from windlass.connectors.contact.axes import collect_lengths
from windlass.connectors.contact.rows import DEPTH_SHARE
from windlass.connectors.markers.cable_markers3d import TWIST_CABLE
from windlass.connectors.markers.cable_shape import collect_column
from windlass.connectors.markers.position_markers import list_handles
from windlass.connectors.point_contact.contact_set import ContactSet
from windlass.connectors.surface_contact.contact_friction_bed_beam import ContactFrictionBedBeam3D
from windlass.connectors.surface_contact.contact_friction_bed_cable import BED, ContactFrictionBedCable
from windlass.connectors.surface_contact.contact_friction_bed_winch import ContactFrictionBedWinch
from windlass.connectors.surface_contact.contact_friction_surface_beam import (
    ContactFrictionSurfaceBeam3D,
    ContactFrictionSurfaceSetBeam3D,
)
from windlass.connectors.surface_contact.contact_friction_surface_cable import (
    ContactFrictionSurfaceCable,
    ContactFrictionSurfaceTwistCable,
)
from windlass.connectors.surface_contact.contact_friction_surface_ribbon import ContactFrictionSurfaceRibbon
from windlass.connectors.surface_contact.contact_friction_surface_set import (
    ContactFrictionSurfaceSetCable,
    ContactFrictionSurfaceSetTwistCable,
    ContactFrictionSurfaceSetWinch,
    SetSurface,
)
from windlass.connectors.surface_contact.contact_friction_surface_winch import ContactFrictionSurfaceWinch
from windlass.connectors.surface_contact.contact_friction_turning import (
    ContactFrictionBedTwistCable,
    ContactFrictionBedTwistWinch,
    ContactFrictionSurfaceSetTwistWinch,
    ContactFrictionSurfaceTwistWinch,
)
from windlass.connectors.surface_contact.surfaces import SURFACE, DrumSurface, PlaneSurface, VGrooveFlank
from windlass.elements.beam.beam3d import Beam3D
from windlass.elements.cable.winch_twist_cable import WinchTwistCable3D
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import checked, handle, inside, instance, number, numbers, optional, whole, yes_no
from windlass.framework.checks.values import show
from windlass.framework.errors import ModelError
from windlass.framework.model.adding import all_or_nothing
from windlass.framework.model.schema import Component, shape_of
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World

CORD_FACTOR = 100.0
"""Smallest chosen value of k R²/EA [1], where k is the stiffness of contact and bristles per metre of rope, R the
radius of the surface and EA the axial stiffness of the rope. If the value is not smaller, penetrations and deflections
of bristles are small relative to the elongation of the rope.
"""

RIM = 0.1
"""Largest depth of a point behind the face of a flange at which the point has contact, divided by the height of the
flange [1]. Deeper points have no contact, because they have passed over the rim from the outer side of the flange.
"""
DAMPING = 1.0 / 3.0
"""Chosen damping ratio of the vibration of a rope on its contact stiffness [1]."""
LINES = 2
"""Default number of lines of contact points along a ribbon."""


@checked(
    world=instance(World),
    surfaces=inside(),
    cables=inside(),
    points=whole(1),
    rope_radius=number("m", minimum=0.0),
    tension=optional(number("N", above=0.0)),
    radius=optional(number("m", above=0.0)),
    touching=optional(whole(1)),
    skin=optional(number("m", above=0.0)),
    turns_rope=yes_no(),
    width=optional(number("m", above=0.0)),
    lines=whole(2),
    columns=inside(),
)
@all_or_nothing
def add_surface_contact(
    world: World,
    surfaces: Entity | Sequence[Entity],
    cables: Entity | Sequence[Entity],
    *,
    points: int = 4,
    rope_radius: float = 0.0,
    tension: float | None = None,
    radius: float | None = None,
    touching: int | None = None,
    skin: float | None = None,
    turns_rope: bool = False,
    width: float | None = None,
    lines: int = LINES,
    **columns: Any,
) -> Entity:
    """Add contact between every cable and every surface. There are two possibilities: each pair has one row, or a
    search assigns the surfaces near a cable to the rows of this cable.

    The search is used if ``touching`` is given, and is recommended for many surfaces. With the search the rows are
    `ContactFrictionSurfaceSetCable`. The computing time of this law is proportional to the number of cables instead of
    the number of pairs.

    Stiffness and damping that are not given are chosen from the tension T of the rope and the radius R of the surface.
    For a sea bed, T and R are any values whose ratio T/R is the weight of the rope per metre. The stiffness is k = 1000
    T/R². Therefore the line pressure T/R causes a penetration of 0.1 % of R. If all surfaces are drums, sheaves,
    V-grooves or spheres, k is at least 100 EA/R². The penetration is then at most 1 % of the elongation T R/EA of a
    rope of the length R. Bristles have the same stiffness mu_k = k. Contact and bristles have a third of the critical
    damping.

    Args:
        surfaces: m surfaces, of one type or of several types.
        cables: n cables of type `Cable2D`, `Cable3D` or `TwistCable3D`, beams of type `Beam2D` or `Beam3D`, or cables
            of winch ropes. For winch ropes, the rows are `ContactFrictionSurfaceWinch`,
            `ContactFrictionSurfaceSetWinch` or `ContactFrictionBedWinch`.
        points: number of contact points of each cable. For ribbons, it is the number of points on each line.
        rope_radius: radius of the rope [m]. For ribbons, it is half the thickness.
        tension: tension of the rope [N], used to choose stiffness and damping.
        radius: radius of the axis of the rope on the surface [m], used to choose stiffness and damping.
        touching: number of surfaces that a cable can touch simultaneously. If None, each pair has one row.
        skin: distance within which the search finds surfaces [m]. If None, the length of the longest cable at the start
            is used. The argument has no effect without ``touching``.
        turns_rope: whether friction acts at the radius of the rope and turns the rope about its axis. If False,
            friction acts on the axis. If true, the cables must be of type `TwistCable3D`, `WinchTwistCable3D` or
            `Beam3D`, and ``rope_radius`` must be > 0. The names of the types of rows then contain ``Twist`` before
            ``Cable`` or ``Winch``. For beams, the rows are `ContactFrictionSurfaceBeam3D`,
            `ContactFrictionSurfaceSetBeam3D` or `ContactFrictionBedBeam3D`.
        width: width of ribbons [m], in the direction of the axis d_1 of the material (field ``material_axis`` of
            drawings). The cables must be of type `TwistCable3D`. The rows are `ContactFrictionSurfaceRibbon`.
        lines: number of lines of contact points along each ribbon, at different offsets across the width. The argument
            is allowed only with ``width``.
        **columns: further columns of the law, with one value for all cables or one value per cable. With
            ``lateral_friction_ratio``, ``lateral_stiffness_ratio``, ``suction_coefficient`` or ``suction_distance`` the
            rows are `ContactFrictionBedCable`, or `ContactFrictionBedWinch` for winch ropes.

    Returns:
        The rows, shape (m n,). Row ``i * n + j`` is the pair of surface i and cable j. With ``touching`` the shape is
        (touching n,), and row ``j * touching + i`` is row i of cable j.

    Raises:
        ModelError: no surface, no cable or no stiffness is given, only one of ``tension`` and ``radius`` is given, or a
            value is outside its range.
        ModelError: ``turns_rope`` or ``width`` is used with cables without twist, ``turns_rope`` with ``rope_radius``
            0, or ``lines`` without ``width``.
        ModelError: ``width`` or columns of soft beds are used with ``touching`` or with each other, or ``width`` with
            ``turns_rope``. The error is also raised if ``width`` or cables of other types are used with cables of winch
            ropes.
    """
    touched, ropes = (
        list_handles("add_surface_contact", name, given) for name, given in (("surfaces", surfaces), ("cables", cables))
    )
    for given in touched:
        if SURFACE not in given.table.component.provides:
            raise ModelError(
                f"surfaces of add_surface_contact has {given!r}: must be surfaces, such as PlaneSurface or DrumSurface"
            )
    if (tension is None) != (radius is None):
        raise ModelError(
            f"tension = {show(tension)} N and radius = {show(radius)} m of add_surface_contact: must both be given, or "
            "neither"
        )
    n = sum(map(len, ropes))
    if tension is not None and radius is not None:
        round_ = all("radius" in given.table.component.columns for given in touched)
        columns = {**_choose(tension, radius, ropes, round_), **columns}
    if "contact_stiffness_per_length" not in columns:
        raise ModelError(
            "add_surface_contact has no stiffness: give contact_stiffness_per_length [N/m^2], or tension [N] and "
            "radius [m], from which it is chosen"
        )
    repeat = touching or sum(map(len, touched))
    columns = {name: _expand(value, n, repeat, touching is not None) for name, value in columns.items()}
    columns |= {"points": points, "rope_radius": rope_radius}
    pair: type[Component] = ContactFrictionSurfaceCable
    near: type[Component] = ContactFrictionSurfaceSetCable
    if turns_rope:
        pair, near = ContactFrictionSurfaceTwistCable, ContactFrictionSurfaceSetTwistCable
    if width is None and lines != LINES:
        raise ModelError(
            f"lines = {lines} of add_surface_contact without width: must be left out, or have the width [m] of ribbons"
        )
    if width is not None:
        if turns_rope or touching is not None:
            raise ModelError(
                f"width = {width:g} m of add_surface_contact with turns_rope = {turns_rope}, touching = {touching}: "
                "must have turns_rope = False and touching = None, because ribbons are not round, and have no search"
            )
        pair, columns = ContactFrictionSurfaceRibbon, columns | {"width": width, "lines": lines}
        columns["points"] = points * lines
    soft = sorted(set(BED) & set(columns))
    if soft:
        if touching is not None or width is not None:
            raise ModelError(
                f"{soft[0]} of add_surface_contact with touching = {touching}, width = {show(width)} m: must have "
                "touching = None and no width, because lines on soft beds are round, and have no search"
            )
        pair = ContactFrictionBedTwistCable if turns_rope else ContactFrictionBedCable
    winches = [given for given in ropes if "winch cable" in given.table.component.provides]
    if winches:
        if width is not None or len(winches) < len(ropes):
            raise ModelError(
                f"cables of add_surface_contact has {winches[0]!r}, cables of a winch rope: must be given without "
                "other cables and width, because winch ropes are round"
            )
        pair, near = ContactFrictionBedWinch if soft else ContactFrictionSurfaceWinch, ContactFrictionSurfaceSetWinch
        if turns_rope:
            pair = ContactFrictionBedTwistWinch if soft else ContactFrictionSurfaceTwistWinch
            near = ContactFrictionSurfaceSetTwistWinch
        for given in winches if turns_rope else ():
            if given.table.component is not WinchTwistCable3D:
                raise ModelError(
                    f"cables of add_surface_contact with turns_rope has {given!r}: must be WinchTwistCable3D, because "
                    "other cables of winch ropes have no twist; give torsional_stiffness to winch_rope"
                )
        turns_rope = False
    if turns_rope and all(given.table.component is Beam3D for given in ropes):
        pair = ContactFrictionBedBeam3D if soft else ContactFrictionSurfaceBeam3D
        near, turns_rope = ContactFrictionSurfaceSetBeam3D, False
    for given in ropes if turns_rope or width is not None else ():
        if TWIST_CABLE not in given.table.component.provides:
            raise ModelError(
                f"cables of add_surface_contact with {'width' if width else 'turns_rope'} has {given!r}: must be "
                "TwistCable3D, because other cables have no twist; with turns_rope, all of them can be Beam3D"
            )
    if touching is None:
        pairs = [Entity(surface.table, np.repeat(surface.rows, n)) for surface in touched]
        return world.add(pair, surface=pairs, cable=ropes * repeat, **columns)
    lengths = np.concatenate([_find_lengths(world, cable) for cable in ropes])
    group = world.add(ContactSet, skin=float(lengths.max()) if skin is None else skin)
    world.add(SetSurface, contact_set=group, surface=touched)
    places = [Entity(cable.table, np.repeat(cable.rows, touching)) for cable in ropes]
    return world.add(near, contact_set=group, cable=places, **columns)


def _find_lengths(world: World, cables: Entity) -> FloatArray:
    """Return the lengths [m] of cables, shape (cables,). The length of an active cable of a winch rope is the distance
    between its nodes, and the length of an inactive cable is 0.
    """
    if "share" not in cables.table.component.columns:
        return collect_lengths(world, cables)
    places = []
    for name in ("node0", "node1"):
        ((nodes, positions, rows),) = world.split_by_table(cables.table.collect(name, cables.rows))
        places.append(nodes.collect("position", rows)[np.argsort(positions)])
    lengths: FloatArray = np.linalg.norm(places[1] - places[0], axis=1)
    return np.where(cables.table.collect("active", cables.rows), lengths, 0.0)


def _expand(value: Any, cables: int, repeat: int, places: bool) -> Any:
    """Convert a value of shape (cables,) to one element per row, shape (cables repeat,). The rows are ordered by cable
    if ``places`` is true, otherwise by surface. A value of another shape is returned unchanged.
    """
    if shape_of(value) != (cables,):
        return value
    return np.repeat(value, repeat) if places else np.tile(value, repeat)


def _choose(tension: float, radius: float, cables: Sequence[Entity], bends: bool) -> dict[str, Any]:
    """Return stiffness and damping columns for a taut rope, see `add_surface_contact`. The argument ``bends`` states
    whether all surfaces have a radius. In this case the rope bends around them.
    """
    mass = np.concatenate([cable.table.collect("mass_per_length", cable.rows) for cable in cables])
    EA = np.concatenate([collect_column(cable, "axial_stiffness") for cable in cables])
    stiffness = np.maximum(tension / DEPTH_SHARE, CORD_FACTOR * EA if bends else 0.0) / radius**2
    damping = 2.0 * DAMPING * np.sqrt(stiffness * np.maximum(mass, 0.0))
    return {
        "contact_stiffness_per_length": stiffness,
        "contact_damping_per_length": damping,
        "friction_stiffness_per_length": stiffness,
        "friction_velocity_penalty_per_length": damping,
    }


@checked(
    world=instance(World),
    marker=handle(),
    radius=number("m", above=0.0),
    half_width=number("m", above=0.0),
    flange_radius=optional(number("m", above=0.0)),
    axis=numbers("1", (3,)),
)
@all_or_nothing
def add_drum(
    world: World,
    marker: Entity,
    *,
    radius: float,
    half_width: float,
    flange_radius: float | None = None,
    axis: Sequence[float] = (0.0, 0.0, 1.0),
) -> list[Entity]:
    """Add a drum. The drum is a cylinder with two discs as flanges at its ends if ``flange_radius`` is given.

    A rope touches a flange only on the side that faces the drum. A point that penetrates a flange by more than a tenth
    of the height of the flange has no contact.

    Args:
        marker: rigid marker in the middle of the drum.
        radius: radius of the drum [m].
        half_width: half of the width of the drum between the flanges [m].
        flange_radius: radius of the flanges [m], larger than the radius of the drum.
        axis: direction of the axis in the frame of the marker.

    Returns:
        The surfaces, for `add_surface_contact`.

    Raises:
        ModelError: the flange radius is not larger than the radius of the drum.
    """
    drum = world.add(DrumSurface, marker=marker, axis=axis, radius=radius, half_width=half_width)
    if flange_radius is None:
        return [drum]
    if flange_radius <= radius:
        raise ModelError(f"flange_radius = {flange_radius:g} m of add_drum: must be > {radius:g} m, the drum's radius")
    flanges = world.add(
        PlaneSurface,
        marker=Entity(marker.table, np.repeat(marker.rows, 2)),
        axis=np.outer((-1.0, 1.0), np.asarray(axis, dtype=np.float64)),
        offset=-half_width,
        outer_radius=flange_radius,
        depth=RIM * (flange_radius - radius),
    )
    return [drum, flanges]


@checked(
    world=instance(World),
    marker=handle(),
    radius=number("m", above=0.0),
    half_angle=number("rad", above=0.0),
    outer_radius=number("m", above=0.0),
    axis=numbers("1", (3,)),
)
@all_or_nothing
def add_v_groove(
    world: World,
    marker: Entity,
    *,
    radius: float,
    half_angle: float,
    outer_radius: float,
    axis: Sequence[float] = (0.0, 0.0, 1.0),
) -> Entity:
    """Add a V-groove with two conical flanks. The sum of the normal forces of both flanks on a rope is
    1/sin(half_angle) times the normal force of a drum.

    Args:
        marker: rigid marker in the middle of the sheave.
        radius: radius at which the flanks meet [m].
        half_angle: angle between a flank and the plane of the groove [rad].
        outer_radius: radius of the rim [m].
        axis: direction of the axis in the frame of the marker.

    Returns:
        Handle to both flanks, for `add_surface_contact`.
    """
    both = Entity(marker.table, np.repeat(marker.rows, 2))
    return world.add(
        VGrooveFlank, marker=both, axis=axis, radius=radius, half_angle=half_angle, outer_radius=outer_radius,
        side=np.array([1, -1]),
    )  # fmt: skip
