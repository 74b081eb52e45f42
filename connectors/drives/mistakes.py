"""Mistakes in drives that are found before anything is solved: bodies that nothing holds, units off by a thousand.

The ranges of units are wider than any drive: radii from half a millimetre to twenty metres, strains of a mounted belt
above 20 millionths (a steel rope under a hundredth of its working load has more), masses up to 200 kg/m with waves of
stretch above 30 m/s (rubber has some hundreds), cords above the face by less than the radius, a bending stiffness with
which a belt lies on its pulleys.
"""

from __future__ import annotations

from math import inf, sqrt

import numpy as np

from windlass.connectors.drives.drive_report import Drive
from windlass.connectors.markers.coordinate_marker import NodeCoordinate
from windlass.elements.nodes.ground import Ground
from windlass.framework.errors import ModelError
from windlass.framework.launch.launcher import launched_size
from windlass.framework.model.law import role_of
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World

RADII, LEAST_STRAIN, MOST_MASS, LEAST_WAVE, MOST_BENT = (5e-4, 20.0), 2e-5, 200.0, 30.0, 10.0
"""Radii of pulleys [m], strain of a mounted belt [1], mass of a belt [kg/m], speed of waves of stretch [m/s] and
EI/(T R²) [1] beyond which units are asked for."""
TURN = 2
"""Number of the coordinate of a 2D rigid body that is its rotation."""


def note_units(drive: Drive, tension: float, axial_stiffness: float) -> list[str]:
    """Values that look like a wrong unit, as messages."""
    found = []
    for pulley in drive.pulleys:
        if not RADII[0] <= pulley.radius <= RADII[1]:
            found.append(f"the radius of {pulley.name} is {pulley.radius:g} m: is it given in metres?")
    strain = tension / axial_stiffness
    if strain < LEAST_STRAIN:
        found.append(
            f"a tension of {tension:g} N stretches the belt by {strain:.2g} only, as its axial_stiffness is "
            f"{axial_stiffness:g} N: are both given in N?"
        )
    wave = sqrt(axial_stiffness / drive.mass_per_length) if drive.mass_per_length > 0.0 else inf
    if drive.mass_per_length > MOST_MASS or wave < LEAST_WAVE:
        found.append(
            f"mass_per_length = {drive.mass_per_length:g} kg/m, with which stretch runs along the belt at {wave:.3g} "
            "m/s: is it given in kg/m?"
        )
    for pulley, radius in zip(drive.pulleys, drive.radii, strict=True):
        if radius > 2.0 * pulley.radius:
            found.append(
                f"the cord is {radius - pulley.radius:g} m above {pulley.name}, whose radius is {pulley.radius:g} m: "
                "is cord_offset given in metres?"
            )
    if "bending_stiffness" in drive.cables.table.component.columns:
        EI = float(drive.cables.table.collect("bending_stiffness", drive.cables.rows).max())
        bent = EI / (tension * min(drive.radii) ** 2)
        if bent > MOST_BENT:
            found.append(
                f"bending_stiffness = {EI:g} N m², {bent:.2g} times T R² of the smallest pulley, on which the belt "
                "then cannot lie: is it given in N m²?"
            )
    return found


def check_held(drive: Drive) -> None:
    """Raise ModelError for a pulley of a belt in the plane whose body nothing holds but the belt.

    Without gravity the belt would pull it away.  Any joint, constraint, spring or load that refers to the body holds
    it, except those on its rotation alone.
    """
    world = drive.world
    if drive.surfaces or launched_size() > 1 or np.any(world.gravity):
        return
    loose = [
        pulley.name
        for pulley in drive.pulleys
        if pulley.body.table.component is not Ground and not _is_held(world, pulley.body, drive.contacts)
    ]
    if loose:
        names = ", ".join(dict.fromkeys(loose))
        raise ModelError(
            f"nothing but the belt '{drive.name}' holds the body of {names} in x and y: must be fixed, as by "
            "fix(world, body, 'x', 'y'), be on a joint, or hang on a spring"
        )


def _is_held(world: World, body: Entity, contacts: Entity) -> bool:
    """Whether a row refers to the body, its node or a marker of them, other than contacts and those on rotations."""
    ids = {int(body.ids[0])}
    for name in body.table.component.refs:
        ids |= {int(number) for number in np.ravel(body.table.collect(name, body.rows)) if number >= 0}
    ids |= _find_markers(world, ids)
    for component, table in world.tables.items():
        if not table.count or role_of(component) in ("marker", "node", "body") or table is contacts.table:
            continue
        active = table.collect("active") if "active" in component.columns else np.ones(table.count, bool)
        for name in component.refs:
            if any(on and np.isin(row, list(ids)).any() for on, row in zip(active, table.collect(name), strict=True)):
                return True
    return False


def _find_markers(world: World, ids: set[int]) -> set[int]:
    """Markers of entities, and of these markers, except for markers of the rotation of a node."""
    found: set[int] = set()
    for component, table in world.tables.items():
        if role_of(component) != "marker" or not table.count:
            continue
        turns = component is NodeCoordinate
        for name in component.refs:
            rows = [k for k, row in enumerate(table.collect(name)) if np.isin(row, list(ids)).any()]
            if turns:
                rows = [k for k in rows if int(table.collect("coordinate")[k]) != TURN]
            found |= {int(number) for number in table.ids_of(np.array(rows, np.int64))} if rows else set()
    return found | _find_markers(world, found) if found - ids else found
