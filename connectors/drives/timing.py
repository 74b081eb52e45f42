"""Teeth of timing belts, and pulleys with grooves for these teeth: the length of the belt that follows from the number
of teeth, the positions of the teeth, and the contact of the teeth with the grooves.

A belt with N teeth of the pitch p has the slack length N p. On a pulley with z grooves the pitch line of an unstrained
belt has the radius z p/(2 pi). At the start, the tooth nearest to the middle of an arc is in the middle of a groove.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import acos, ceil, pi, sqrt
from typing import Any, NamedTuple

import numpy as np

from windlass.connectors.curves.belt_tooth_contact import BeltToothContact
from windlass.connectors.drives.pulleys import Place, Pulley
from windlass.connectors.markers.position_markers import merge_handles, position_marker
from windlass.elements.routes.routes import Route
from windlass.framework.checks.checks import checked, each, number, whole
from windlass.framework.errors import ModelError
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World

LARGEST_MISFIT = 0.005
"""Largest allowed relative difference between the pitch of a pulley and the pitch of the belt [1]. The difference
accumulates along the arc. With ten teeth in contact, larger differences overload most teeth, even if each difference is
divided between both flanks.
"""
TIP_FACTOR = 2.0
"""Stiffness of a tooth on a tip of the pulley, divided by the stiffness of the tooth along the belt [1]."""
DAMPING_RATIO = 1.0 / 3.0
"""Damping ratio of a tooth with the mass of the belt over one pitch [1]."""


class Teeth(NamedTuple):
    """Parameters of the teeth of a belt: number of teeth, pitch [m], stiffness [N/m], damping [N s/m], height [m],
    flank angle [rad] and backlash [m]. If the damping is None, `add_teeth` chooses the damping.
    """

    number: int
    pitch: float
    stiffness: float
    damping: float | None
    height: float
    flank_angle: float
    backlash: float

    @property
    def length(self) -> float:
        """Length of the slack belt [m]."""
        return self.number * self.pitch

    def count_elements(self, least: int) -> int:
        """Return the smallest number of cables, not below ``least``, for which the number of cables per tooth is an
        integer. Then the positions of teeth relative to the cables are the same for all teeth.
        """
        return self.number * ceil(least / self.number)


def read_teeth(name: str, pulleys: Sequence[Pulley], given: Mapping[str, Any]) -> Teeth | None:
    """Read the teeth of a belt. Return None for a belt without teeth.

    Raises:
        ModelError: the belt has teeth, but a value of the teeth is missing, or length, strain or tension is given. The
            same error is raised if the belt has no teeth, but a pulley has teeth or a value of the teeth is given.
    """
    numbers_ = {key: given[key] for key in ("pitch", "tooth_stiffness", "tooth_height")}
    if given["teeth"] is None:
        wanted = [pulley.name for pulley in pulleys if pulley.teeth is not None]
        told = [key for key, value in numbers_.items() if value is not None]
        if wanted or told:
            because = f"the pulley {wanted[0]} has teeth" if wanted else f"{told[0]} is given"
            raise ModelError(f"'{name}': {because}: must have teeth=, the number of teeth of the belt")
        return None
    missing = [key for key, value in numbers_.items() if value is None]
    if missing:
        raise ModelError(f"'{name}' with teeth: must have {', '.join(missing)}, as in the catalogue")
    ways = [f"{key} = {given[key]:g}" for key in ("length", "strain", "tension") if given[key] is not None]
    if ways:
        raise ModelError(
            f"{', '.join(ways)} of '{name}': must be left out, because the teeth determine the length of the belt, "
            f"{given['teeth']} of {given['pitch']:g} m; for another tension move the pulleys, see timing_distance"
        )
    return Teeth(
        given["teeth"], given["pitch"], given["tooth_stiffness"], given["tooth_damping"], given["tooth_height"],
        0.35 if given["flank_angle"] is None else given["flank_angle"], given["backlash"],
    )  # fmt: skip


def add_teeth(
    world: World, name: str, teeth: Teeth, pulleys: Sequence[Pulley], places: Sequence[Place],
    markers: Sequence[Entity], radii: Sequence[float], route: Route, cables: Entity, mass_per_length: float,
) -> tuple[list[int], Entity | None]:  # fmt: skip
    """Add the contact of all teeth with all pulleys that have grooves.

    Args:
        places, markers, radii: positions and markers of the pulleys, and radii of the pitch line [m].
        cables: cables of the belt. The number of cables per tooth is an integer.

    Returns:
        The indices of the pulleys with grooves, and the contacts of all teeth with each of these pulleys. The contacts
        are None if no pulley has grooves.

    Raises:
        ModelError: the pitch of a pulley differs from the pitch of the belt by more than `LARGEST_MISFIT`.
    """
    wheels = [i for i, pulley in enumerate(pulleys) if pulley.teeth is not None]
    if not wheels:
        return [], None
    for i in wheels:
        _check_pitch(name, teeth, pulleys[i], radii[i])
    stations = (np.arange(teeth.number) + 0.5) * route.length / teeth.number
    length = route.length / len(cables)
    cable = np.minimum((stations / length).astype(np.int64), len(cables) - 1)
    at = np.stack((np.clip(stations - length * cable, 0.0, length), np.zeros(len(stations))), axis=1)
    points = position_marker(world, cables[cable], at)
    mass = mass_per_length * route.length / teeth.number
    damping = 2.0 * DAMPING_RATIO * sqrt(teeth.stiffness * mass) if teeth.damping is None else teeth.damping
    parts = []
    for i in wheels:
        wrap, center = route.wraps[i], places[i].center[:2]
        # index of the tooth that is nearest to the middle of the arc
        middle = 0.5 * (wrap.s_entry + wrap.s_exit)
        away = (stations - middle + 0.5 * route.length) % route.length - 0.5 * route.length
        way = route.eval_points(stations[np.abs(away).argmin() : np.abs(away).argmin() + 1])[0][0] - center
        parts.append(
            world.add(
                BeltToothContact, name=f"teeth of {name} in {pulleys[i].name}", marker0=markers[i], marker1=points,
                teeth=pulleys[i].teeth, pitch_radius=radii[i],
                phase=float(np.arctan2(way[1], way[0])) - find_angle(world, pulleys[i]),
                tooth_stiffness=teeth.stiffness, tooth_damping=damping, tooth_height=teeth.height,
                flank_angle=teeth.flank_angle, backlash=teeth.backlash,
                tip_stiffness=TIP_FACTOR * teeth.stiffness,
            )
        )  # fmt: skip
    return wheels, merge_handles(parts)


def find_angle(world: World, pulley: Pulley) -> float:
    """Return the reference angle [rad] of the body of a 2D pulley."""
    node: Any = pulley.body
    if "node" in node.table.component.refs:
        node = world.entity(int(node.node))
    return float(node.angle) if "angle" in node.table.component.columns else 0.0


def _check_pitch(name: str, teeth: Teeth, pulley: Pulley, radius: float) -> None:
    assert pulley.teeth is not None
    right = pulley.teeth * teeth.pitch / (2.0 * pi)
    if abs(radius / right - 1.0) > LARGEST_MISFIT:
        raise ModelError(
            f"the pitch line of '{name}' has the radius {radius:.6g} m on {pulley.name}: must be {right:.6g} m within "
            f"{100.0 * LARGEST_MISFIT:g} %, for {pulley.teeth} teeth of {teeth.pitch:g} m; use "
            f"radius = {right - radius + pulley.radius:.6g} m"
        )


@checked(
    teeth=whole(3),
    pitch=number("m", above=0.0),
    pulleys=each(whole(3), "numbers of teeth", least=2),
    strain=number("1", minimum=0.0, maximum=0.05),
)
def timing_distance(teeth: int, pitch: float, pulleys: Sequence[int], strain: float = 0.0) -> float:
    """Return the distance [m] between the centres of two pulleys at which a mounted timing belt has the given strain.

    Args:
        teeth: number of teeth of the belt.
        pitch: pitch of the slack belt [m].
        pulleys: numbers of teeth of both pulleys.
        strain: strain of the mounted belt [1]. For a belt without bending stiffness, the strain is tension/EA.

    Raises:
        ModelError: the belt is too short for both pulleys, or ``pulleys`` does not contain two numbers.
    """
    if len(pulleys) != 2:
        raise ModelError(f"pulleys = {tuple(pulleys)} in timing_distance: must be two numbers of teeth")
    small, large = sorted(float(z) * pitch / (2.0 * pi) for z in pulleys)
    length, step = teeth * pitch * (1.0 + strain), large - small

    def excess(distance: float) -> float:
        half = acos(step / distance)  # half of the wrap angle of the smaller pulley
        return 2.0 * small * half + 2.0 * large * (pi - half) + 2.0 * sqrt(distance**2 - step**2) - length

    least = (small + large) * (1.0 + 1e-9)
    if excess(least) > 0.0:
        raise ModelError(f"teeth = {teeth} in timing_distance: the belt is too short for pulleys of {pulleys} teeth")

    from scipy.optimize import brentq  # imported here, because most models do not need this module

    return float(brentq(excess, least, length))
