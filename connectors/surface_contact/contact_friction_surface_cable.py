"""Contact with friction between surfaces and points of 2D and 3D cables: ropes on drums and sea beds.

A cable of length L has n contact points at the arc lengths (i + 1/2) L/n on its axis, and each point represents the
length w = L/n of the cable. With the signed distance phi from the surface, the radius r_c of the rope and g = phi -
r_c,

    f_n = w (k g + d v_n), f_t = w (mu_k u_t + mu_v v_t) while |f_t| <= mu |f_n|, else a force of magnitude mu |f_n| in
    this direction,

where u_t is the displacement along the surface since the point began to stick. At the point, opposite forces act on the
cable and on the body of the surface. See `kernels.py` for all formulas.
Source: P. Wriggers, Computational Contact Mechanics, Springer (2006): penalty in points, radial return.

Contact with friction between surfaces and points of cables with twist: friction turns the rope about its axis.

The law is the same as in `ContactFrictionSurfaceCable`, except that friction acts at the radius of the rope. The slip
velocity contains the spin of the rope, and the friction has a moment about the axis. Therefore a rope that is moved
sideways rolls, and a rope that enters a groove at an angle is twisted. See `kernels.py` for all formulas.

Source: P. Wriggers, Computational Contact Mechanics, Springer (2006): penalty in points, radial return.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.contact.axes import axis_dofs, bind_axes
from windlass.connectors.contact.polygons import find_coarse_polygons, find_polygons
from windlass.connectors.contact.rows import PointContact, bind_parameters, check_cables
from windlass.connectors.contact.update import create_system as create_contact_system
from windlass.connectors.friction.bristle import UNDEFINED, check_friction
from windlass.connectors.markers.cable_shape import CABLE_DOFS, column_of
from windlass.connectors.markers.position_kernels import FAMILY
from windlass.connectors.surface_contact.beam_tangent import add_beam_tangent
from windlass.connectors.surface_contact.bed_beam_tangent import add_bed_beam_tangent
from windlass.connectors.surface_contact.bed_tangent import add_bed_tangent
from windlass.connectors.surface_contact.distances import Geometry
from windlass.connectors.surface_contact.gaps import find_edges, watch_surfaces
from windlass.connectors.surface_contact.kernels import CABLE, PER_POINT, PER_TWIST_POINT, TWIST_CABLE, ContactRows
from windlass.connectors.surface_contact.outputs import (
    OUTPUTS,
    TURN,
    TWIST_OUTPUTS,
    create_surface_account,
    eval_points,
    eval_rounding,
    is_bed,
    is_thick,
    is_wide,
    is_winch,
    paint,
    turns,
)
from windlass.connectors.surface_contact.residual import (
    add_beam_residual,
    add_bed_beam_residual,
    add_bed_residual,
    add_residual,
    add_ribbon_residual,
    add_twist_residual,
    add_winch_bed_residual,
    add_winch_residual,
)
from windlass.connectors.surface_contact.ribbon_tangent import add_ribbon_tangent
from windlass.connectors.surface_contact.surfaces import (
    SURFACE,
    HeightFieldSurface,
    ProfileSurface,
    SheaveSurface,
    SphereSurface,
    VGrooveFlank,
    bind_surfaces,
    find_field_hollows,
    find_hollows,
)
from windlass.connectors.surface_contact.tangent import add_tangent, add_twist_tangent
from windlass.connectors.surface_contact.turning_residual import (
    add_turning_bed_residual,
    add_turning_winch_bed_residual,
    add_turning_winch_residual,
)
from windlass.connectors.surface_contact.turning_tangent import (
    add_turning_bed_tangent,
    add_turning_winch_bed_tangent,
    add_turning_winch_tangent,
)
from windlass.connectors.surface_contact.update import (
    OUTSIDE,
    update_beam_history,
    update_bed_beam_history,
    update_bed_history,
    update_history,
    update_ribbon_history,
    update_turning_bed_history,
    update_turning_winch_bed_history,
    update_turning_winch_history,
    update_twist_history,
    update_winch_bed_history,
    update_winch_history,
)
from windlass.connectors.surface_contact.winch_tangent import add_winch_bed_tangent, add_winch_tangent
from windlass.elements.cable.twist_rotation import find_frames
from windlass.framework.arrays import IntArray
from windlass.framework.errors import ModelError
from windlass.framework.kernels.call import Call
from windlass.framework.model.history import check_history, create_history
from windlass.framework.model.law import LocalRows, Tables, register
from windlass.framework.model.rows import create_records
from windlass.framework.model.schema import column, ref
from windlass.framework.model.system import Fields, System
from windlass.framework.model.table import EntityTable

START = (OUTSIDE, UNDEFINED, 0.0, 0.0, 0.0)
WIDTHS = (CABLE_DOFS, CABLE)
"""Numbers of coordinates of 2D and 3D cables."""
DEEP = 0.25
"""Depth of a cable behind a surface at the start of a solve, divided by the length of the cable [1]. At larger depths,
results are doubtful. At depths above the length of the cable, the solve is not started.
"""
IN_SPACE = np.array([0, 1, 3, 4, 6, 7, 9, 10])
"""Indices of the coordinates of a 2D cable among the coordinates of a 3D cable."""


class ContactFrictionSurfaceCable(PointContact):
    """Contact and friction between a surface and n points of a 2D or 3D cable or beam, with one row per pair.

    The cable is divided into ``points`` equal parts. The contact point of each part is the middle of the axis of this
    part. The axis is a cubic curve. The gap is the distance of the contact point from the surface minus the radius of
    the rope. Stiffness and damping are per metre of cable. Each point represents a part of the length L/n. The sums of
    forces and of moments on cable and body are exactly 0. Points beyond the end of a surface have no contact. With
    ``friction_coefficient`` 0 there is no friction. A 2D cable remains in its plane. If a surface is not perpendicular
    to this plane, the component of the contact force normal to the plane has no effect on the cable. Each row has the
    history values gaps [m] (n), states (n), and anchors in the frame of the surface [m] (n x 3).
    """

    surface = ref(SURFACE, "the surface")
    cable = ref(
        "cable or beam",
        "the cable, whose nodes have position and slope, or the beam; 2D or 3D",
        instead="; for cables of winch ropes use ContactFrictionSurfaceWinch",
    )
    data = ref("GenericData", "5 n history values; created as [0.1]*n + [-2]*n + [0]*3n if left out", optional=True)
    history_column = "points"
    points = column("1", "number n of equal parts, one contact point in each", dtype=np.int64, minimum=1)
    rope_radius = column("m", "radius r_c of the rope", default=0.0, minimum=0)
    contact_stiffness_per_length = column("N/m^2", "normal stiffness k per metre of cable", above=0, switchable=True)


def dofs(world: Tables, table: EntityTable) -> IntArray:
    """Return the global coordinate indices of the cable (12, see `find_cable_dofs`) and of the surface. The index -1
    denotes a coordinate that does not exist. The number of columns is 12 plus the largest number of coordinates of a
    surface.
    """
    return add_surface_dofs(find_cable_dofs(world, table), world, table)


def add_surface_dofs(cable: IntArray, world: Tables, table: EntityTable) -> IntArray:
    """Append, in each row, the global coordinate indices of the surface to the indices ``cable`` of the cable."""
    surface = world.dofs_of(table.local("surface"))
    used = np.flatnonzero((surface >= 0).any(axis=0))
    width = int(used[-1]) + 1 if len(used) else 0
    return np.concatenate((cable, surface[:, :width]), axis=1)


def find_cable_dofs(world: Tables, table: EntityTable) -> IntArray:
    """Return the global coordinate indices of the axes of the cables, shape (resident, 12). The index is -1 for z of a
    2D cable.
    """
    return axis_dofs(world, table.local("cable"), 3)


def bind(rows: LocalRows) -> ContactRows:
    """Return the data of the rows for kernels."""
    ids, surface = np.unique(rows.local("surface"), return_inverse=True)
    return bind_rows(rows, bind_surfaces(rows, ids), surface)


def bind_rows(rows: LocalRows, surfaces: Geometry, surface: IntArray, **further: NDArray[Any]) -> ContactRows:
    """Return the data of the rows for kernels. The argument ``surface`` contains the index of the surface of each row
    in ``surfaces``, and ``further`` contains further fields of the records.

    Raises:
        ModelError: friction without bristles and dampers, for example after `World.set`.
    """
    check_friction(rows.table)
    points, axes = rows.local("points"), bind_axes(rows, 3)
    own = create_records(
        **further, surface=surface, points=points, rope_radius=rows.local("rope_radius"),
        **bind_parameters(rows, axes, points),
    )  # fmt: skip
    return ContactRows(surfaces, own, np.ascontiguousarray(rows.dofs), axes.H)


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for cables of a wrong type, for wrong history values, and for rows that `check_pairs`
    rejects.
    """
    check_cables(world, table, WIDTHS)
    check_history(world, table, PER_POINT)
    check_pairs(world, table)


def check_pairs(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for friction without bristles and dampers, for pairs that have two rows, and for ropes that are
    too thick for their surface."""
    check_friction(table)
    surfaces, cables = table.local("surface"), table.local("cable")
    _, first = np.unique(surfaces * (cables.max(initial=0) + 1) + cables, return_index=True)
    for k in np.setdiff1d(np.arange(table.resident_count), first)[:1]:
        surface, cable = world.entity(int(surfaces[k])), world.entity(int(cables[k]))
        raise ModelError(
            f"surface {surface!r} and cable {cable!r} of {table.kind} row {table.resident[k]} also belong to "
            "another row: each pair must have one row, otherwise its contact counts twice"
        )
    check_thickness(world, table, table.local("surface"), np.arange(table.resident_count))


def check_thickness(world: Tables, table: EntityTable, surface: IntArray, place: IntArray) -> None:
    """Raise ModelError for ropes that are too thick for a surface. The argument ``surface`` contains the entity index
    of the surface of each pair, and ``place`` contains the index of the row of each pair among the rows of ``table`` on
    this process.
    """
    rope = table.local("rope_radius")[place]
    for surfaces, positions, rows in world.split_by_table(surface):
        needed, words = None, ""
        if surfaces.component is SheaveSurface:
            needed, words = surfaces.local("groove_radius", rows), "the radius of the groove"
        elif surfaces.component is SphereSurface:
            needed = np.where(surfaces.local("inside", rows), surfaces.local("radius", rows), np.inf)
            words = "the radius of the sphere around it"
        elif surfaces.component is ProfileSurface:
            needed, words = find_hollows(partial(surfaces.local, rows=rows)), "the rounding of its hollow corners"
        elif surfaces.component is HeightFieldSurface:
            needed = find_field_hollows(partial(surfaces.local, rows=rows))
            words = "the smallest radius of its hollows at the grid points"
        elif surfaces.component is VGrooveFlank:
            depth = surfaces.local("outer_radius", rows) - surfaces.local("radius", rows)
            needed, words = depth * np.sin(surfaces.local("half_angle", rows)), "for which the groove is deep enough"
        if needed is None:
            continue
        # a rope of radius 0 fits into every groove
        for k in np.flatnonzero((rope[positions] >= needed) & (rope[positions] > 0.0))[:1]:
            row, limit = positions[k], f"{needed[k]:g} m, {words} ({surfaces.describe(int(rows[k]))})"
            raise ModelError(
                f"rope_radius = {rope[row]:g} m in {table.kind} row {table.resident[place[row]]}: must be < {limit}"
            )


def refuse_deep(rows: LocalRows, c: ContactRows, fields: Fields) -> list[str]:
    """Return messages about cables whose depth behind a surface exceeds their length. See `Checks.refusals`."""
    gap = eval_points(c, fields)[..., 1].min(axis=1, initial=np.inf)
    surfaces, length = rows.local("surface"), c.rows["length"] * c.rows["points"]
    return [
        f"a cable ({rows.table.kind} row {rows.rows[i]}) is {-gap[i]:.3g} m behind the surface "
        f"{rows.world.entity(int(surfaces[i]))!r}: must be < {length[i]:.3g} m, its length; lay it on the surface, "
        "on sea beds by `hang_from_ground`"
        for i in np.flatnonzero(c.rows["active"] & (gap < -length))
    ]


def find_doubts(rows: LocalRows, c: ContactRows, fields: Fields, step: float) -> list[str]:
    """Return messages about doubts at the start of a solve. The first is about the cable that is deepest behind its
    surface, if its depth exceeds `DEEP` times its length. The second is about a step [s] that is longer than the period
    of the vibration of a cable on the contact stiffness. In static solves (``step`` 0), further messages are about
    surfaces that no cable can reach.
    """
    on = np.flatnonzero(c.rows["active"])
    if not len(on):
        return []
    gap = eval_points(c, fields)[..., 1].min(axis=1)

    def name(row: int) -> str:
        return f"the surface {rows.world.entity(int(rows.local('surface')[row]))!r}"

    found, worst = [], on[np.argmin(gap[on])]
    if gap[worst] < -DEEP * c.rows[worst].length * c.rows[worst].points:
        found.append(
            f"a cable begins {-gap[worst]:.3g} m behind {name(worst)} and is driven out from there: lay it on the "
            "surface, on sea beds by `hang_from_ground`"
        )
    if step > 0.0:
        return found + find_long_steps(rows, c, on, step)
    # cables of other processes may be near even if no cable of this process is near
    for s in range(len(c.surfaces.marker)) if len(rows.rows) == rows.table.count else ():
        mine = np.flatnonzero(c.rows["surface"] == s)
        if gap[mine].min() > (c.rows["length"] * c.rows["points"])[mine].sum():
            row = mine[np.argmin(gap[mine])]
            found.append(f"no cable is near {name(row)}: the nearest is {gap[row]:.3g} m away")
    return found


def find_long_steps(rows: LocalRows, c: ContactRows, on: IntArray, step: float) -> list[str]:
    """Find the cable with the shortest period of vibration on the contact stiffness. Return a message about this cable
    if the period is shorter than ``step`` [s]. The argument ``on`` contains the indices of active rows.
    """
    mass = column_of(rows.world, rows.local("cable"), "mass_per_length") * c.rows["length"]
    heavy = on[mass[on] > 0.0]
    period = 2.0 * np.pi * np.sqrt(mass[heavy] / c.rows["contact_stiffness"][heavy])
    if not len(heavy) or period.min() >= step:
        return []
    worst, least = heavy[np.argmin(period)], period.min()
    return [
        f"the step of {step:.3g} s is longer than the period of {least:.3g} s of the cable on the stiffness "
        f"of {rows.table.kind} row {rows.rows[worst]}, take a step below {0.5 * least:.2g} s"
    ]


def create_system(rows: LocalRows, c: ContactRows) -> System:
    """Create the system of rows with forces, tangent, update and return map."""
    forces, tangent, update = add_residual, add_tangent, update_history
    if is_winch(c) and turns(c):
        forces, tangent, update = add_turning_winch_residual, add_turning_winch_tangent, update_turning_winch_history
        if is_bed(c):
            forces, tangent = add_turning_winch_bed_residual, add_turning_winch_bed_tangent
            update = update_turning_winch_bed_history
    elif is_bed(c) and is_thick(c):
        forces, tangent, update = add_bed_beam_residual, add_bed_beam_tangent, update_bed_beam_history
    elif is_bed(c) and turns(c):
        forces, tangent, update = add_turning_bed_residual, add_turning_bed_tangent, update_turning_bed_history
    elif turns(c):
        forces, tangent, update = add_twist_residual, add_twist_tangent, update_twist_history
    elif is_wide(c):
        forces, tangent, update = add_ribbon_residual, add_ribbon_tangent, update_ribbon_history
    elif is_winch(c) and is_bed(c):
        forces, tangent, update = add_winch_bed_residual, add_winch_bed_tangent, update_winch_bed_history
    elif is_bed(c):
        forces, tangent, update = add_bed_residual, add_bed_tangent, update_bed_history
    elif is_thick(c):
        forces, tangent, update = add_beam_residual, add_beam_tangent, update_beam_history
    elif is_winch(c):
        forces, tangent, update = add_winch_residual, add_winch_tangent, update_winch_history
    system, maps = create_contact_system(rows, c, FAMILY, forces, tangent, update)
    # The return map is used only in static solves. In dynamic solves with the return map, steps need fewer iterations
    # and passes, but most models need more time, see docs/explanation/measurements.md.
    system.return_map.rest = maps
    system.checks.rounding = lambda fields: eval_rounding(c, fields)
    return system


def build(rows: LocalRows) -> System:
    """Return the `System` with the forces, tangent, update and checks of the rows."""
    c: ContactRows = rows.columns
    system = create_system(rows, c)
    system.account = create_surface_account(c, Call(), by="surface")
    system.checks.doubts = lambda fields, step: find_doubts(rows, c, fields, step)
    system.checks.refusals = lambda fields: refuse_deep(rows, c, fields)
    surfaces = np.unique(rows.local("surface"))
    polygons, none = find_polygons(rows), np.zeros(len(rows.rows))
    system.checks.reasons = lambda fields, step: [
        *find_edges(rows, c, surfaces, fields, step),
        *find_coarse_polygons(rows, c.rows, c.rows["points"], polygons, fields, none),
    ]
    system.gaps = watch_surfaces(rows, c, FAMILY)
    return system


register(
    ContactFrictionSurfaceCable,
    "connector",
    dofs=dofs,
    bind=bind,
    build=build,
    outputs=OUTPUTS,
    fill_defaults=lambda world, values: create_history(world, ContactFrictionSurfaceCable, values, START),
    check=check,
    source="[@wriggers2006]",
    paint=paint,
)


TWIST_START = (OUTSIDE, UNDEFINED, *(0.0,) * 9)
LARGE_TURN = 2.0
"""Angle by which a rope turns relative to a surface within a step [rad]. At larger angles, results are doubtful. For
angles above π, the direction of the turn cannot be determined.
"""


class ContactFrictionSurfaceTwistCable(PointContact):
    """Contact and friction between a surface and n points of a `TwistCable3D`. Friction turns the rope about its axis.

    Points, normal forces and columns are the same as in `ContactFrictionSurfaceCable`. Friction acts at the radius r_c
    of the rope. Therefore the component of the friction across the rope has a moment about the axis, and the spin of
    the rope about its axis is part of the slip velocity. The sums of forces and of moments on cable and body are
    exactly 0. Within a step, the rope must turn by less than half a turn relative to the surface. Each row has the
    history values gaps [m] (n), states (n), anchors [m] (n x 3), unit tangents of the rope (n x 3), and unit vectors
    d_1 that turn with the material and are normal to the tangent (n x 3). The tangents and the vectors d_1 are values
    at the start of the step. All vectors are in the frame of the surface.
    """

    surface = ref(SURFACE, "the surface")
    cable = ref("twist cable", "the cable with twist")
    data = ref("GenericData", "11 n history values; created as [0.1]*n + [-2]*n + [0]*9n if left out", optional=True)
    history_column = "points"
    points = ContactFrictionSurfaceCable.points
    rope_radius = column("m", "radius r_c of the rope, at which friction acts", above=0.0)
    contact_stiffness_per_length = ContactFrictionSurfaceCable.contact_stiffness_per_length


def find_twist_dofs(world: Tables, table: EntityTable) -> IntArray:
    """Return the global coordinate indices of the cables, shape (resident, 14)."""
    ids = table.local("cable")
    numbers = np.empty((len(ids), TWIST_CABLE), np.int64)
    for cables, positions, rows in world.split_by_table(ids):
        numbers[positions] = world.row_dofs(cables, rows)[:, :TWIST_CABLE]
    return numbers


def twist_dofs(world: Tables, table: EntityTable) -> IntArray:
    """Return the global coordinate indices of the cable (14) and of the surface. The index -1 denotes a coordinate that
    does not exist.
    """
    return add_surface_dofs(find_twist_dofs(world, table), world, table)


def bind_frames(rows: LocalRows, place: IntArray | slice = slice(TWIST_CABLE)) -> dict[str, NDArray[Any]]:
    """Return the record fields with which kernels compute the frames of the material, see
    `elements/cable/twist_points.py`, and the local coordinate indices ``dofs`` of the cable, shape (rows, 14). The
    argument ``place`` selects the coordinates of a cable with twist among the coordinates of a row.
    """
    ids, length = rows.local("cable"), np.zeros(len(rows.rows))
    for cables, positions, own in rows.world.split_by_table(ids):
        if "length" in cables.component.columns:
            length[positions] = cables.local("length", own)
        else:
            length[positions] = cables.local("share", own) * rows.reference[positions, CABLE]
    found = find_frames(rows.world, ids, rows.reference[:, place], length)
    found.pop("length")
    return found | {"dofs": np.ascontiguousarray(rows.dofs[:, place])}


def bind_twist(rows: LocalRows) -> ContactRows:
    """Return the data of the rows for kernels, with the fields of `bind_frames`."""
    ids, surface = np.unique(rows.local("surface"), return_inverse=True)
    return bind_rows(rows, bind_surfaces(rows, ids), surface, **bind_frames(rows))


def find_turns(rows: LocalRows, c: ContactRows, fields: Fields) -> list[str]:
    """Return a message about the rope that turned the most in the last step, if it turned by more than `LARGE_TURN`."""
    turn = np.abs(eval_points(c, fields)[..., TURN]).max(axis=1, initial=0.0)
    if not turn.max(initial=0.0) > LARGE_TURN:
        return []
    row = int(np.argmax(turn))
    return [
        f"the rope of {rows.table.kind} row {rows.rows[row]} turned by {turn[row]:.3g} rad relative to its surface in "
        f"the last step: must be < {LARGE_TURN:g} rad; take smaller steps"
    ]


def watch_turns(rows: LocalRows, c: ContactRows, system: System) -> System:
    """Add `find_turns` to the checks of a system, and return the system."""
    before = system.checks.reasons
    system.checks.reasons = lambda fields, step: [
        *(before(fields, step) if before else []),
        *find_turns(rows, c, fields),
    ]
    return system


def build_twist(rows: LocalRows) -> System:
    """Return the `System` with the forces, tangent, update and checks of the rows."""
    return watch_turns(rows, rows.columns, build(rows))


def check_twist(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for wrong history values, and for rows that `check_pairs` rejects."""
    check_history(world, table, PER_TWIST_POINT)
    check_pairs(world, table)


register(
    ContactFrictionSurfaceTwistCable,
    "connector",
    dofs=twist_dofs,
    bind=bind_twist,
    build=build_twist,
    outputs=TWIST_OUTPUTS,
    fill_defaults=lambda world, values: create_history(world, ContactFrictionSurfaceTwistCable, values, TWIST_START),
    check=check_twist,
    source="[@wriggers2006]; [@bergou2008]",
    paint=paint,
)
