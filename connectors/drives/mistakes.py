"""Checks of drives before a solve. The checks find bodies without support, and values that are about a thousand times
too large or too small because of a wrong unit.

The limits for units are wider than the ranges of values in real drives. Allowed radii are 0.5 mm to 20 m. The strain of
a mounted belt must be above 2e-5, which is the strain of a steel rope at less than a hundredth of the working load.
Masses per length must be below 200 kg/m. The speed of longitudinal waves must be above 30 m/s. In rubber this speed is
several hundred m/s. The height of the cord above the face must be below the radius of the face. The bending stiffness
must be so small that the belt lies on its pulleys.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import inf, sqrt

import numpy as np

from windlass.connectors.drives.drive_report import Drive
from windlass.connectors.markers.cable_shape import collect_column
from windlass.connectors.markers.coordinate_marker import NodeCoordinate
from windlass.elements.nodes.ground import Ground
from windlass.framework.command_line.notes import say_once
from windlass.framework.errors import ModelError
from windlass.framework.launch.launcher import launched_size
from windlass.framework.model.law import require_law, role_of
from windlass.framework.model.schema import Component
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World

RADII, LEAST_STRAIN, MOST_MASS, LEAST_WAVE, MOST_BENT = (5e-4, 20.0), 2e-5, 200.0, 30.0, 2.0
"""For values outside these limits, a message asks the user to check the unit. RADII: radii of pulleys [m].
LEAST_STRAIN: smallest strain of a mounted belt [1]. MOST_MASS: largest mass of a belt [kg/m]. LEAST_WAVE: smallest
speed of longitudinal waves [m/s]. MOST_BENT: largest EI/(T R²) at which a belt lies on its pulley [1]. The value
follows from T > EI/(2 R²).
"""
TURN = 2
"""Index of the rotation in the coordinates of a 2D rigid body."""


def note_units(drive: Drive, strain: float, tension: float, axial_stiffness: float) -> list[str]:
    """Return messages about values that probably have a wrong unit. The argument ``strain`` is the strain of the
    mounted belt [1].
    """
    found = []
    for pulley in drive.pulleys:
        if not RADII[0] <= pulley.radius <= RADII[1]:
            found.append(f"the radius of {pulley.name} is {pulley.radius:g} m: is it given in metres?")
    if (stretched := tension / axial_stiffness) < LEAST_STRAIN:
        found.append(
            f"a tension of {tension:g} N stretches the belt by {stretched:.2g} only, as its axial_stiffness is "
            f"{axial_stiffness:g} N: are both given in N?"
        )
    mass = drive.mass_per_length * (1.0 + strain)
    wave = sqrt(axial_stiffness / mass) if mass > 0.0 else inf
    if mass > MOST_MASS or wave < LEAST_WAVE:
        found.append(
            f"mass_per_length = {mass:g} kg/m, with which waves of stretch travel along the belt at {wave:.3g} "
            "m/s: is it given in kg/m?"
        )
    for pulley, radius in zip(drive.pulleys, drive.radii, strict=True):
        if radius > 2.0 * pulley.radius:
            found.append(
                f"the cord is {radius - pulley.radius:g} m above {pulley.name}, whose radius is {pulley.radius:g} m: "
                "is cord_offset given in metres?"
            )
    kind = drive.cables.table.component
    if "bending_stiffness" in kind.columns or "beam" in kind.provides:
        EI = float(collect_column(drive.cables, "bending_stiffness").max()) / (1.0 + strain)
        bent = EI / (tension * min(drive.radii) ** 2)
        if bent > MOST_BENT:
            found.append(
                f"bending_stiffness = {EI:g} N m², {bent:.2g} times T R² of the smallest pulley, on which the belt "
                "then cannot lie: is it given in N m²?"
            )
    return found


def check_held(drive: Drive) -> None:
    """Raise ModelError for a pulley of a 2D belt whose body, or whose arm, is held only by the belt.

    Without gravity, the belt tension continuously accelerates a pulley that is held only by the belt. With gravity, the
    pulley can hang in the belt. In this case a message is printed, and no error is raised. A joint, constraint, spring
    or load that refers to the body of a pulley holds the pulley, unless this entity acts only on the rotation of the
    body. Bodies that joints connect, such as the arm of a tensioner, are held in two cases: a spring or a load acts on
    one of these bodies, or the number of constraints is at least the number of coordinates of the bodies. Under MPI
    nothing is checked.
    """
    world = drive.world
    if drive.surfaces or launched_size() > 1:
        return
    bodies = [pulley.body for pulley in drive.pulleys if pulley.body.table.component is not Ground]
    loose = dict.fromkeys(body.name for body in bodies if not _is_held(world, body, drive.contacts))
    if loose:
        found = (
            f"nothing but the belt '{drive.name}' holds the body of {', '.join(loose)} in x and y: must be fixed, for "
            "example by fix(world, body, 'x', 'y'), be on a joint, or hang on a spring"
        )
    else:
        group = next(filter(None, (_find_group(world, body, bodies, drive.contacts) for body in bodies)), [])
        found = (
            f"nothing but the belt '{drive.name}' holds {' and '.join(group)}, which joints connect: must have a "
            "spring, a load or a further constraint, such as con.TensionerSpring on the angle of an arm"
        ) * bool(group)
    if found and not np.any(world.gravity):
        raise ModelError(found)
    if found:
        say_once("note", [f"{found}; besides the belt, only its weight acts on it"])


def note_friction(drive: Drive) -> None:
    """Print a note if no contact of a 2D belt without teeth has friction although a load, spring or damper acts on the
    rotation of a pulley. Such a belt transmits no torque. Under MPI nothing is checked.
    """
    world, contacts = drive.world, drive.contacts
    if drive.surfaces or drive.teeth is not None or launched_size() > 1:
        return
    if contacts.table.collect("friction_coefficient", contacts.rows).any():
        return
    loaded = dict.fromkeys(pulley.name for pulley in drive.pulleys if _has_torque(world, pulley.body, contacts))
    if loaded:
        found = f"the belt '{drive.name}' has no friction and transmits no torque, but a torque acts on "
        say_once("note", [f"{found}{', '.join(loaded)}: is the argument friction missing?"])


def _has_torque(world: World, body: Entity, contacts: Entity) -> bool:
    """Return whether a load, spring or damper acts on the rotation of a body only."""
    others = {(component, row) for component, row, _ in _find_rows(world, body, contacts, turns=False)}
    rows = {(component, row) for component, row, _ in _find_rows(world, body, contacts, turns=True)} - others
    return any(not require_law(component).multipliers for component, _ in rows)


def _find_group(world: World, body: Entity, pulleys: Sequence[Entity], contacts: Entity) -> list[str]:
    """Find the group that consists of a body and all bodies connected to it. Return the names of these bodies if
    constraints leave the group a free motion and no force acts on the group. Otherwise return an empty list. The
    rotations of pulleys about their centres are not treated as free motions.
    """
    found = {int(body.ids[0]): body}
    turning = {int(pulley.ids[0]) for pulley in pulleys}
    owners = _list_owners(world)
    queue, equations = [body], dict[tuple[type[Component], int], int]()
    while queue:
        now = queue.pop()
        turns = int(now.ids[0]) not in turning
        for component, row, numbers in _find_rows(world, now, contacts, turns):
            equations[component, row] = require_law(component).multipliers
            others = {_find_body(world, number, owners) for number in numbers}
            if not equations[component, row] or -2 in others:
                return []
            for number in others - found.keys() - {-1}:
                found[number] = world.entity(number)
                queue.append(found[number])
    free = sum(2 if number in turning else 3 for number in found) - sum(equations.values())
    return [entity.name for entity in found.values()] if free > 0 and len(found) > 1 else []


def _list_owners(world: World) -> dict[int, int]:
    """Return a dictionary from identifiers of bodies and of their nodes to the identifiers of the bodies."""
    owners = dict[int, int]()
    for component, table in world.tables.items():
        if role_of(component) == "body" and table.count:
            bodies = table.ids_of(np.arange(table.count))
            for ids in (bodies, *(np.ravel(table.collect(name)) for name in component.refs)):
                owners |= {int(number): int(owner) for number, owner in zip(ids, bodies, strict=True) if number >= 0}
    return owners


def _is_held(world: World, body: Entity, contacts: Entity) -> bool:
    """Return whether any row refers to the body, its node, or a marker on the body or the node. Contacts and rows on
    rotations are ignored.
    """
    return any(True for _ in _find_rows(world, body, contacts, turns=False))


def _find_rows(
    world: World, body: Entity, contacts: Entity, turns: bool
) -> Iterator[tuple[type[Component], int, list[int]]]:
    """Find active rows that refer to a body, its node, or a marker on the body or the node. For each row the result
    contains the component, the index of the row, and all entities to which the row refers. Contacts are ignored, and
    rows on rotations are ignored unless ``turns`` is true.
    """
    ids = {int(body.ids[0])}
    for name in body.table.component.refs:
        ids |= {int(number) for number in np.ravel(body.table.collect(name, body.rows)) if number >= 0}
    ids |= _find_markers(world, ids, turns)
    for component, table in world.tables.items():
        if not table.count or role_of(component) in ("marker", "node", "body") or table is contacts.table:
            continue
        active = table.collect("active") if "active" in component.columns else np.ones(table.count, bool)
        refs = [table.collect(name) for name in component.refs]
        for row in range(table.count):
            numbers = [int(number) for ref in refs for number in np.ravel(ref[row]) if number >= 0]
            if active[row] and not ids.isdisjoint(numbers):
                yield component, row, numbers


def _find_body(world: World, number: int, owners: Mapping[int, int]) -> int:
    """Return the identifier of a body, given the identifier of the body, of its node or of a marker on either. Return
    -1 for the ground, and -2 for other entities.
    """
    if number in owners:
        return owners[number]
    entity = world.entity(number)
    if entity.table.component is Ground:
        return -1
    if role_of(entity.table.component) != "marker":
        return -2
    below = [int(n) for name in entity.table.component.refs for n in np.ravel(entity.table.collect(name, entity.rows))]
    return max((_find_body(world, n, owners) for n in below if n >= 0), default=-1)


def _find_markers(world: World, ids: set[int], turns: bool) -> set[int]:
    """Return the identifiers of the markers on the entities ``ids``, and of the markers on these markers. Markers on
    rotations of nodes are ignored unless ``turns`` is true.
    """
    found: set[int] = set()
    for component, table in world.tables.items():
        if role_of(component) != "marker" or not table.count:
            continue
        filters = component is NodeCoordinate and not turns
        for name in component.refs:
            rows = [k for k, row in enumerate(table.collect(name)) if np.isin(row, list(ids)).any()]
            if filters:
                rows = [k for k in rows if int(table.collect("coordinate")[k]) != TURN]
            found |= {int(number) for number in table.ids_of(np.array(rows, np.int64))} if rows else set()
    return found | _find_markers(world, found, turns) if found - ids else found
