"""State of a rope on a sheave, drum or bed: wrap, fleet angles, tensions, slip, torque, hub load, friction power.

    report = surface_report(world, state, contacts, drum)
    print(format_surface_reports([report]))

The report evaluates the contact points of cables on a surface, in their order along the cable. Several surfaces of one
body, such as both flanks of a groove, are treated as one surface. F is the force on the body at the contact point p,
and k is the axis of the surface through the origin c of the surface:

    force on the body: sum F
    torque about the axis: k.sum (p - c) x F
    normal force: -sum f_n
    fleet angle: asin(k.t) with the tangent t in the direction of travel, at the nearest node outside of the contact.

On a plane, such as a sea bed, entry and exit are the touchdown points, and the length in contact is the length on the
ground.

Source: statics of a rope on a sheave. EN 12927 and ISO 16625 define the fleet angle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from windlass.connectors.contact.account import POWERS
from windlass.connectors.contact.axes import collect_lengths
from windlass.connectors.reports.quantities import describe, format_table, quantity
from windlass.connectors.surface_contact.contact_friction_bed_cable import ContactFrictionBedCable
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
    SetSurface,
)
from windlass.connectors.surface_contact.surfaces import PlaneSurface
from windlass.elements.routes.cable_order import find_chains
from windlass.framework.arrays import BoolArray, FloatArray, IntArray
from windlass.framework.checks.checks import checked, each, handle, instance
from windlass.framework.errors import ModelError
from windlass.framework.model.system import Fields
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.evaluate import load_outputs, read_output
from windlass.framework.state.state import State, check_world

REST = 1e-9
"""Speed of the cable along its axis [m/s]. Below this speed, the cable is treated as stationary."""
Triple = tuple[float, float, float]
NOWHERE: Triple = (np.nan, np.nan, np.nan)


@describe
@dataclass(frozen=True)
class SurfaceReport:
    """Results for a rope on one surface. If the rope does not touch the surface, lengths, angles, forces and powers are
    0, and points and tensions are NaN.

    Entry and exit are the first and the last point in contact, in the direction of travel. For a stationary cable, the
    direction of increasing local x is used. On a plane, entry and exit are touchdown points.
    """

    name: str
    speed: float = quantity(
        "m/s",
        "mean speed of the rope in contact along its axis, relative to the origin of the surface, > 0 towards "
        "increasing local x",
    )
    points_in_contact: int = quantity("1", "number of points in contact")
    points_sticking: int = quantity("1", "number of points that stick")
    contact_length: float = quantity("m", "reference length of the rope in contact")
    wrap_angle: float = quantity("rad", "angle from entry to exit about the axis, with all turns; NaN on a plane")
    slip_arc: float = quantity("rad", "part of the wrap angle on which points slip; NaN on a plane")
    slip_length: float = quantity("m", "reference length of the rope that slips")
    entry_point: tuple[float, float, float] = quantity("m", "point at which contact begins, global")
    exit_point: tuple[float, float, float] = quantity("m", "point at which contact ends, global")
    entry_tension: float = quantity("N", "axial force at entry, at the nearest node outside of the contact")
    exit_tension: float = quantity("N", "axial force at exit, at the nearest node outside of the contact")
    entry_fleet_angle: float = quantity(
        "rad", "angle between the rope and the plane of the sheave at entry, > 0 along the axis"
    )
    exit_fleet_angle: float = quantity(
        "rad", "angle between the rope and the plane of the sheave at exit, > 0 along the axis"
    )
    normal_force: float = quantity("N", "sum of the normal forces, > 0 presses")
    friction: float = quantity("N", "sum of the magnitudes of the friction forces")
    largest_line_pressure: float = quantity("N/m", "largest normal force per metre of rope")
    torque: float = quantity("N m", "torque of all forces on the body about the axis, > 0 counter-clockwise")
    force: tuple[float, float, float] = quantity(
        "N", "sum of all forces on the body, which is the load on its hub, global"
    )
    friction_power: float = quantity("W", POWERS["friction_power"])
    friction_damping_power: float = quantity("W", POWERS["friction_damping_power"])
    contact_damping_power: float = quantity("W", POWERS["contact_damping_power"])
    bristle_power: float = quantity("W", POWERS["bristle_power"])
    spring_power: float = quantity("W", POWERS["spring_power"])
    lever_power: float = quantity("W", "lever power of sticking bristles on a curved surface, which is not a loss")


class Course(NamedTuple):
    """Points of the chain of connected cables that has the largest number of points in contact: all points from the
    first to the last point in contact.
    """

    cable: IntArray  # index of the cable of each point among all cables, shape (points,)
    touching: BoolArray  # whether each point is in contact, shape (points,)
    slipping: BoolArray  # whether each point slips, shape (points,)
    position: FloatArray  # global positions [m], shape (points, 3)


TURNING = (
    ContactFrictionSurfaceTwistCable, ContactFrictionSurfaceSetTwistCable, ContactFrictionSurfaceBeam3D,
    ContactFrictionSurfaceSetBeam3D,
)  # fmt: skip
"""Laws whose friction turns ropes about their axis."""
PLAIN = ContactFrictionSurfaceCable, ContactFrictionBedCable, ContactFrictionSurfaceRibbon
"""Laws with one surface per row, without the output ``axis_torque_vector``."""
FIXED = *PLAIN, ContactFrictionSurfaceTwistCable, ContactFrictionSurfaceBeam3D
"""Laws with one surface per row."""
SURFACE_CONTACTS = *PLAIN, ContactFrictionSurfaceSetCable, *TURNING
"""Laws of contact with surfaces."""


@checked(world=instance("World"), state=instance("State"), contacts=handle(), surface=handle())
def surface_report(world: World, state: State, contacts: Entity, surface: Entity) -> SurfaceReport:
    """Create the report of the cables on a surface. Under MPI all processes must call this function together.

    If several separate cables are in contact with the surface, forces, powers, lengths and numbers of points are sums
    over these cables. Entry, exit, tensions, angles and speed are values of the chain of cables with the largest number
    of points in contact.

    Args:
        state: the state that the report describes.
        contacts: rows of `ContactFrictionSurfaceCable`, `ContactFrictionSurfaceSetCable`,
            `ContactFrictionSurfaceTwistCable`, `ContactFrictionSurfaceSetTwistCable`, `ContactFrictionBedCable`,
            `ContactFrictionSurfaceRibbon`, `ContactFrictionSurfaceBeam3D` or
            `ContactFrictionSurfaceSetBeam3D`. Rows on other surfaces are ignored.
        surface: the surface, several surfaces of one body (both flanks of a groove), or the marker of the surfaces.

    Raises:
        ModelError: the contacts have another type, or no row is a contact with this surface.
    """
    check_world(state, world, "surface_report")
    if contacts.table.component not in SURFACE_CONTACTS:
        names = ", ".join(component.__name__ for component in SURFACE_CONTACTS)
        raise ModelError(f"contacts = {contacts!r}: must be rows of one of {names}")
    return eval_surface(world, load_outputs(state), contacts, surface)


def eval_surface(world: World, fields: Fields, contacts: Entity, surface: Entity) -> SurfaceReport:
    """Create the report for the current fields. `surface_report` describes the errors."""
    ids = find_surface_ids(world, fields, contacts)
    contacts, ids = contacts[np.flatnonzero(ids >= 0)], ids[ids >= 0]
    mine = np.isin(ids, surface.ids)
    plane = False
    for table, positions, rows in world.split_by_table(ids):
        mine[positions] |= np.isin(table.collect("marker", rows), surface.ids)
        plane |= table.component is PlaneSurface and bool(mine[positions].any())
    if not mine.any():
        raise ModelError(f"none of the contacts {contacts!r} is with the surface {surface!r} ({surface.name})")
    return _eval_report(world, fields, contacts[np.flatnonzero(mine)], surface.name, plane)


def find_surface_ids(world: World, fields: Fields, contacts: Entity) -> IntArray:
    """Return the identifiers of the surfaces of rows, shape (rows,). For rows with a set of surfaces, the result is the
    current surface, or -1 if the row has no current surface.
    """
    if contacts.table.component in FIXED:
        given: IntArray = contacts.table.collect("surface", contacts.rows)
        return given
    now = np.atleast_1d(read_output(contacts, "surface", world, fields)).astype(np.int64)
    ids: IntArray = np.where(now >= 0, world.table(SetSurface).collect("surface")[now], -1)
    return ids


def _eval_report(world: World, fields: Fields, contacts: Entity, name: str, plane: bool) -> SurfaceReport:
    """Create the report of the given contacts, which are treated as contacts of one surface."""

    def read(output: str) -> Any:
        return np.asarray(read_output(contacts, output, world, fields))

    table, rows = contacts.table, contacts.rows
    count = table.collect("points", rows)
    ids, of_row = np.unique(table.collect("cable", rows), return_inverse=True)
    cables = _find_cables(world, ids)
    lengths = collect_lengths(world, cables)
    gap, status = (np.reshape(read(output), (len(rows), -1)) for output in ("gap", "state"))
    there = (np.arange(gap.shape[1]) < count[:, None]) & table.collect("active", rows)[:, None]
    fn = read("normal_force").reshape(gap.shape)
    touching = there & (fn != 0.0)
    weight = np.broadcast_to((lengths[of_row] / count)[:, None], gap.shape)
    position, normal, friction = (
        read(output).reshape(*gap.shape, 3) for output in ("contact_position", "normal", "friction_force")
    )
    force = fn[..., None] * normal - friction
    origin, axis = read("surface_position").reshape(-1, 3)[0], read("surface_axis").reshape(-1, 3)[0]
    # a point is in contact with the body if it is in contact with any surface of the body
    touched, slips = np.zeros((2, len(ids), gap.shape[1]), dtype=bool)
    where = np.zeros((len(ids), gap.shape[1], 3))
    np.logical_or.at(touched, of_row, touching)
    np.logical_or.at(slips, of_row, touching & (status == 1.0))
    where[of_row] = position
    sticks = touched & ~slips
    np.logical_and.at(sticks, of_row, ~touching | (status == 0.0))
    part = np.zeros(touched.shape)
    part[of_row] = weight
    found = _find_course(world, ids, touched, slips, where, origin, axis)
    travel = _eval_travel(world, fields, cables, found, lengths, axis, read("surface_velocity").reshape(-1, 3)[0])
    powers = {power: float(read(power).sum()) for power in POWERS}
    moment = np.cross(position - origin, force).sum(axis=(0, 1))
    if table.component in TURNING:
        moment -= read("axis_torque_vector").reshape(*gap.shape, 3).sum(axis=(0, 1))
    return SurfaceReport(
        name=name,
        speed=travel.speed,
        points_in_contact=int(touched.sum()),
        points_sticking=int(sticks.sum()),
        contact_length=float(part[touched].sum()),
        wrap_angle=np.nan if plane else found[1],
        slip_arc=np.nan if plane else found[2],
        slip_length=float(part[slips].sum()),
        entry_point=travel.points[0],
        exit_point=travel.points[1],
        entry_tension=travel.tensions[0],
        exit_tension=travel.tensions[1],
        entry_fleet_angle=travel.fleet[0],
        exit_fleet_angle=travel.fleet[1],
        normal_force=float(-fn[touching].sum()),
        friction=float(np.linalg.norm(friction[touching], axis=1).sum()),
        largest_line_pressure=float((-fn / weight)[touching].max(initial=0.0)),
        torque=float(axis @ moment),
        force=_triple(force.sum(axis=(0, 1))),
        **powers,
    )


def _triple(values: FloatArray) -> Triple:
    return float(values[0]), float(values[1]), float(values[2])


def _find_cables(world: World, ids: IntArray) -> Entity:
    """Return one handle to the cables with the entity indices ``ids``."""
    parts = world.split_by_table(ids)
    if len(parts) != 1:
        raise ModelError(f"the surface touches cables of {len(parts)} kinds: must be of one kind")
    table, positions, rows = parts[0]
    return Entity(table, rows[np.argsort(positions)])


def _find_course(
    world: World, ids: IntArray, touched: BoolArray, slips: BoolArray, where: FloatArray, origin: FloatArray,
    axis: FloatArray,
) -> tuple[Course | None, float, float]:  # fmt: skip
    """Return the `Course`, the angle [rad] of the course about the axis, and the part [rad] of this angle on which the
    cable slips. Without contact, the `Course` is None.
    """
    chains = find_chains(world, ids)
    counts = [int(touched[chain.order].sum()) for chain in chains]
    if not any(counts):
        return None, 0.0, 0.0
    chain = chains[int(np.argmax(counts))]
    flat = touched[chain.order].ravel()
    course = _find_stretch(flat, chain.closed)
    cable = np.repeat(chain.order, touched.shape[1])[course]
    position = where[chain.order].reshape(-1, 3)[course]
    slipping = slips[chain.order].ravel()[course]
    arm = position - origin
    arm = arm - (arm @ axis)[:, None] * axis
    step = np.arctan2(np.cross(arm[:-1], arm[1:]) @ axis, (arm[:-1] * arm[1:]).sum(axis=1))
    if not len(step):
        return Course(cable, flat[course], slipping, position), 0.0, 0.0
    # The angle assigned to a point is half of the sum of the angles to both neighbours. The angle assigned to an end
    # point is the whole angle to its only neighbour.
    span = 0.5 * (np.append(step, step[-1]) + np.insert(step, 0, step[0]))
    wrap, slip = abs(float(span.sum())), abs(float(span[slipping].sum()))
    return Course(cable, flat[course], slipping, position), wrap, slip


def _find_stretch(touched: BoolArray, closed: bool) -> IntArray:
    """Return the indices from the first to the last point in contact. On a closed chain, the result starts after the
    longest part without contact.
    """
    on = np.flatnonzero(touched)
    if not closed:
        return np.arange(on[0], on[-1] + 1)
    gaps = np.diff(np.append(on, on[0] + len(touched)))
    widest = int(np.argmax(gaps))
    first = int(on[(widest + 1) % len(on)])
    # if all points of a closed chain are in contact, any point can be the first
    count = (int(on[widest]) - first) % len(touched) + 1
    stretch: IntArray = (first + np.arange(count)) % len(touched)
    return stretch


class Travel(NamedTuple):
    """Speed of the rope along its axis, and the points, tensions and fleet angles at entry and exit of the contact."""

    speed: float
    points: tuple[Triple, Triple]
    tensions: tuple[float, float]
    fleet: tuple[float, float]


def _eval_travel(
    world: World, fields: Fields, cables: Entity, found: tuple[Course | None, float, float], lengths: FloatArray,
    axis: FloatArray, drift: FloatArray,
) -> Travel:  # fmt: skip
    """Evaluate the `Travel`. The argument ``found`` is the result of `_find_course`, ``axis`` the axis of the surface,
    and ``drift`` the velocity of the origin of the surface [m/s].
    """
    course = found[0]
    if course is None:
        return Travel(0.0, (NOWHERE, NOWHERE), (np.nan, np.nan), (np.nan, np.nan))
    on = np.unique(course.cable[course.touching])
    middle = 0.5 * lengths[on]
    velocity, slope = (
        _in_space(read_output(cables[on], output, world, fields, x=middle), len(on))
        for output in ("velocity", "director")
    )
    speed = float((((velocity - drift) * slope).sum(axis=1) / np.linalg.norm(slope, axis=1)).mean())
    # the axial force changes along the first and the last cable of a contact, so tensions are evaluated at the outer
    # ends of these cables
    ends = cables[course.cable[[0, -1]]]
    outer = lengths[course.cable[[0, -1]]] * (0.0, 1.0)
    tension = np.asarray(read_output(ends, "axial_force", world, fields, x=outer)).ravel()
    tangent = _in_space(read_output(ends, "director", world, fields, x=outer), 2)
    fleet = np.arcsin(np.clip(tangent @ axis / np.linalg.norm(tangent, axis=1), -1.0, 1.0))
    points = _triple(course.position[0]), _triple(course.position[-1])
    tensions, fleets = (float(tension[0]), float(tension[1])), (float(fleet[0]), float(fleet[1]))
    if speed < -REST:
        return Travel(speed, points[::-1], tensions[::-1], (-fleets[1], -fleets[0]))
    return Travel(speed, points, tensions, fleets)


def _in_space(values: Any, count: int) -> FloatArray:
    """Convert 2D or 3D vectors to 3D vectors, shape (count, 3)."""
    out = np.zeros((count, 3))
    given = np.asarray(values).reshape(count, -1)
    out[:, : given.shape[1]] = given
    return out


@checked(reports=each(instance(SurfaceReport), "a list of surface reports", 1))
def format_surface_reports(reports: Sequence[SurfaceReport]) -> str:
    """Format reports as a table with one column per surface."""
    return format_table(reports)
