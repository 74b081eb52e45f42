"""State of a belt or rope on a pulley: wrap, entry and exit, tensions, torque, slip, friction power.

    report = pulley_report(world, state, contacts, left)
    print(format_reports([report]))
    sensors = Sensors("pulley.csv", [PulleySensor(contacts, left, ("torque", "slip_arc"))])

The contacts of one circle are evaluated in the direction of travel of the cable. All sums are over the segments s of
the cable that are in contact. A segment has the tangential force f_t and the normal force f_n. The radius of the circle
is r. A segment in contact has a stored gap g <= 0 and covers the polar angle phi_s about the centre:

    torque: sum r f_t, for contact points sum (r + h + g) f_t with the height h of the axis above the face
    normal force: -sum f_n
    powers: see `contact/account.py`
    wrap angle: |sum phi_s| from the first to the last segment in contact, including open segments between them
    slip arc: sum |phi_s| over slipping segments.

Source: statics of a belt on a pulley, with the forces of `ContactFrictionCircleCable2D`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, cast

import numpy as np

from windlass.connectors.circle_contact.view import ContactView, view_contact
from windlass.connectors.contact.account import POWERS, eval_friction_work
from windlass.connectors.contact.circles import CIRCLE_FAMILY
from windlass.connectors.contact.place_numbers import FN, FT, GAP, STATE
from windlass.connectors.reports.pulley_rows import PulleyContacts, find_pulley
from windlass.connectors.reports.pulley_sums import NAMES, bind_sums, eval_sums, find_stretch
from windlass.connectors.reports.quantities import describe, format_table, quantity, units_of
from windlass.framework.arrays import BoolArray, FloatArray, IntArray
from windlass.framework.checks.checks import check_fields, checked, checked_names, each, either, handle, instance, word
from windlass.framework.errors import ModelError
from windlass.framework.model.system import Fields
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.output.probes import Probe, name_columns
from windlass.framework.state.evaluate import find_evaluated_rows, find_output, load_outputs
from windlass.framework.state.state import State, check_world

REST = 1e-9
"""Speed of the cable along its axis [m/s]. Below this speed, the cable is treated as stationary."""


@describe
@dataclass(frozen=True)
class PulleyReport:
    """Results for a cable on one pulley. If the cable does not touch the pulley, angles, forces and powers are 0, and
    points and tensions are NaN.

    The sum of the six powers is the power that the contact absorbs from cable and pulley.
    """

    name: str
    radius: float = quantity("m", "radius of the circle")
    belt_speed: float = quantity(
        "m/s",
        "mean tangential speed of the axis of the cable in contact, relative to the centre, > 0 towards "
        "increasing local x",
    )
    segments_in_contact: int = quantity("1", "number of segments in contact")
    segments_sticking: int = quantity("1", "number of segments that stick")
    wrap_angle: float = quantity("rad", "angle from entry to exit, seen from the centre, with all turns")
    slip_arc: float = quantity("rad", "part of the wrap angle on which segments slip")
    entry_point: tuple[float, float] = quantity(
        "m",
        "point at which contact begins in the direction of travel (at rest: of increasing local x), on the "
        "contact line of the cable, global x, y",
    )
    exit_point: tuple[float, float] = quantity(
        "m", "point at which contact ends, on the contact line of the cable, global x, y"
    )
    entry_tension: float = quantity(
        "N", "axial force of the cable where contact begins, at the nearest node outside of the contact"
    )
    exit_tension: float = quantity(
        "N", "axial force of the cable where contact ends, at the nearest node outside of the contact"
    )
    normal_force: float = quantity("N", "sum of the normal forces, > 0 presses")
    torque: float = quantity("N m", "torque of the friction forces on the pulley about z, > 0 counter-clockwise")
    friction_power: float = quantity("W", POWERS["friction_power"])
    friction_damping_power: float = quantity("W", POWERS["friction_damping_power"])
    contact_damping_power: float = quantity("W", POWERS["contact_damping_power"])
    bristle_power: float = quantity("W", POWERS["bristle_power"])
    spring_power: float = quantity("W", POWERS["spring_power"])
    lever_power: float = quantity("W", POWERS["lever_power"] + "; 0 for contact points")
    friction_work: float = quantity(
        "J", "energy lost by friction since an `EnergyLedger` began, a measure of wear; NaN without a ledger"
    )


UNITS = units_of(PulleyReport)


@checked(world=instance("World"), state=instance("State"), contacts=handle(), circle=handle())
def pulley_report(world: World, state: State, contacts: Entity, circle: Entity) -> PulleyReport:
    """Create the report of the cables on one circle. Under MPI all processes must call this function together.

    If several separate cables, such as parallel ropes, are in contact with the circle, forces, powers, slip arcs and
    numbers of segments are sums over these cables. Entry, exit, tensions, wrap angle and speed are values of the cable
    with the largest number of segments in contact.

    Args:
        state: the state that the report describes.
        contacts: rows of `ContactFrictionCirclePoints2D`, `ContactFrictionCircleCable2D` or `ContactCircleCable2D`.
            Rows on other circles are ignored.
        circle: body, node or marker to which the circle is attached, one row.

    Raises:
        ModelError: the contacts have another type, or no row is a contact with this circle.
    """
    check_world(state, world, "pulley_report")
    fields = load_outputs(state)
    pulley = find_pulley(world, contacts, circle)
    return eval_report(pulley, view_contact(pulley.bound.rows), fields)


class Segments(NamedTuple):
    """All segments that can touch a circle, in the order of the cable. Arrays have the shape (segments,) unless noted
    otherwise.
    """

    row: IntArray  # index of the row of each segment in `PulleyContacts`
    number: IntArray  # index of the segment within its cable
    touching: BoolArray  # whether each segment is in contact
    sticking: BoolArray  # whether each segment is in contact and sticks
    slipping: BoolArray  # whether each segment is in contact and slips
    angle: FloatArray  # polar angle [rad] about the centre from the first to the second end point
    p0: FloatArray  # first end point [m] in global x, y, shape (segments, 2)
    p1: FloatArray  # second end point [m] in global x, y, shape (segments, 2)
    speed: FloatArray  # tangential speed [m/s] of the contact line, relative to the centre
    drift: FloatArray  # velocity [m/s] of the centre in global x, y, shape (segments, 2)
    ft: FloatArray  # tangential force [N]
    fn: FloatArray  # normal force [N]
    power: FloatArray  # the six powers [W] in the order of `POWERS`, shape (segments, 6)
    depth: FloatArray  # distance [m] from the circle at which f_t acts


def eval_pulley_segments(pulley: PulleyContacts, contact: ContactView, fields: Fields) -> Segments:
    """Evaluate the segments of all rows of a pulley for the current fields. Every process gets all segments. The
    argument ``contact`` contains the rows of the pulley.
    """
    here = _eval_segments_here(contact, fields)
    if not pulley.bound.parallel:
        return here
    here = here._replace(row=pulley.bound.positions[here.row])
    parts = pulley.bound.assembly.processes.allgather("segments", tuple(here))
    whole = Segments(*(np.concatenate(values) for values in zip(*parts, strict=True)))
    order = np.lexsort((whole.number, whole.row))
    return Segments._make(values[order] for values in whole)


def _eval_segments_here(contact: ContactView, fields: Fields) -> Segments:
    """Evaluate the segments of the rows of this process. In the result, ``row`` is the index among the rows of this
    process.
    """
    c, out = contact, contact.evaluate(fields)
    row, number = np.nonzero(np.arange(out.shape[1]) < c.n[:, None])
    values = out[row, number]
    touching = (fields.data[c.data[row] + number] <= 0.0) & c.active[row]
    state = values[:, STATE]
    p0, p1, velocity = c.parts(fields, row, number)
    circle = fields.markers[CIRCLE_FAMILY]
    center, drift = circle.position[c.circle[row], :2], circle.velocity[c.circle[row], :2]
    a, b, along = p0 - center, p1 - center, p1 - p0
    angle = np.arctan2(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0], (a * b).sum(axis=1))
    velocity = velocity - drift
    return Segments(
        row=row,
        number=number,
        touching=touching,
        sticking=touching & (state == 0.0),
        slipping=touching & (np.abs(state) == 1.0),
        angle=angle,
        p0=p0,
        p1=p1,
        speed=(velocity * along).sum(axis=1) / np.sqrt((along * along).sum(axis=1)),
        drift=drift,
        ft=values[:, FT],
        fn=values[:, FN],
        power=contact.powers(fields)[row, number],
        depth=np.asarray((values[:, GAP] + c.cord[row]) * c.at_point, np.float64),
    )


def eval_report(pulley: PulleyContacts, contact: ContactView, fields: Fields, tension: bool = True) -> PulleyReport:
    """Create the report of a pulley for the current fields. With ``tension=False``, the tensions are not evaluated and
    are NaN. This saves most of the computing time.
    """
    z = eval_pulley_segments(pulley, contact, fields)
    wrap, speed = 0.0, 0.0
    points, tensions = np.full((2, 2), np.nan), np.full(2, np.nan)
    course = find_course(pulley, z)
    if len(course):
        speed = _eval_cord_speed(pulley, fields, z, course[z.touching[course]])
        wrap = abs(float(z.angle[course].sum()))
        points = np.stack((z.p0[course[0]], z.p1[course[-1]]))
        if tension:
            ends = course[[0, -1]]
            tensions = _eval_tensions(pulley, fields, z.row[ends])
        if speed < -REST:
            points, tensions = points[::-1], tensions[::-1]
    powers = dict(zip(POWERS, z.power.sum(axis=0).tolist(), strict=True))
    return PulleyReport(
        name=pulley.name,
        radius=float(pulley.radius[0]),
        belt_speed=speed,
        segments_in_contact=int(z.touching.sum()),
        segments_sticking=int(z.sticking.sum()),
        wrap_angle=wrap,
        slip_arc=float(np.abs(z.angle[z.slipping]).sum()),
        entry_point=(float(points[0, 0]), float(points[0, 1])),
        exit_point=(float(points[1, 0]), float(points[1, 1])),
        entry_tension=float(tensions[0]),
        exit_tension=float(tensions[1]),
        normal_force=float(-z.fn.sum()),
        torque=float(((pulley.radius[z.row] + z.depth) * z.ft).sum()),
        **powers,
        friction_work=_sum_friction_work(pulley),
    )


def _eval_cord_speed(pulley: PulleyContacts, fields: Fields, z: Segments, touching: IntArray) -> float:
    """Return the mean tangential speed [m/s] of the axes of the cables in contact, relative to the centre."""
    row, first = np.unique(z.row[touching], return_index=True)
    cables = pulley.cables[row]
    rows, middle = find_evaluated_rows(cables, cast(World, pulley.bound.rows.world)), {"x": 0.5 * pulley.length[row]}
    velocity, slope = (
        rows.evaluate(find_output(cables, name), fields, middle)[:, :2] for name in ("velocity", "director")
    )
    along = ((velocity - z.drift[touching][first]) * slope).sum(axis=1) / np.sqrt((slope * slope).sum(axis=1))
    return float(along.mean())


def _sum_friction_work(pulley: PulleyContacts) -> float:
    """Return the energy [J] that all contacts of a pulley have lost by friction. All processes must call this function
    together.
    """
    work = np.array([eval_friction_work(pulley.bound.rows).sum()])
    return float((pulley.bound.assembly.processes.sum(work) if pulley.bound.parallel else work)[0])


def find_course(pulley: PulleyContacts, z: Segments) -> IntArray:
    """Find the chain of connected cables with the largest number of segments in contact. Return the indices of the
    segments of this chain from the first to the last segment in contact, in the direction of increasing local x. If
    there is no contact, the result is empty.

    On a closed chain, the result starts after the longest part without contact.
    """
    chain = pulley.chain[z.row]
    counts = np.bincount(chain[z.touching], minlength=len(pulley.closed))
    if not counts.any():
        return np.zeros(0, np.int64)
    best = int(np.argmax(counts))
    members = np.flatnonzero(chain == best)
    first, count = find_stretch(z.touching[members], pulley.closed[best])
    course: IntArray = members[(first + np.arange(count)) % len(members)]
    return course


def _eval_tensions(pulley: PulleyContacts, fields: Fields, row: IntArray) -> FloatArray:
    """Return the axial forces [N] at the start of the first cable and at the end of the second cable. The argument
    ``row`` contains the indices of the rows of both cables.

    The contact begins within the first cable and ends within the second. Therefore the axial force changes along these
    two cables. If elements are coarse, the change extends over a whole cable. Therefore the forces are evaluated at the
    outer ends of both cables.
    """
    cables, outer = pulley.cables[row], pulley.length[row] * (0.0, 1.0)
    rows = find_evaluated_rows(cables, cast(World, pulley.bound.rows.world))
    return np.asarray(rows.evaluate(find_output(cables, "axial_force"), fields, {"x": outer}), dtype=np.float64)


SENSOR = {
    "contacts": handle(),
    "circle": handle(),
    "quantity": either(word(), each(word(), "a list of words", 1)),
    "name": word(),
}


@checked_names(SENSOR)
@dataclass(frozen=True)
class PulleySensor:
    """Sensor of quantities of a `PulleyReport`.

    Args:
        contacts, circle: arguments of `pulley_report`.
        quantity: name of a quantity of the report, for example ``"torque"``, or several names.
        name: name in the table; default ``"<circle>.<quantity>"``, or ``"<circle>"`` for several quantities.

    Raises:
        ModelError: the report has no quantity of this name.
    """

    contacts: Entity
    circle: Entity
    quantity: str | Sequence[str]
    name: str = ""

    def __post_init__(self) -> None:
        check_fields(self, SENSOR)
        for name in self._quantities():
            if name not in UNITS:
                raise ModelError(f"quantity = {name!r} of PulleySensor: must be one of {', '.join(UNITS)}")
        if not self.name:
            one = isinstance(self.quantity, str)
            object.__setattr__(self, "name", f"{self.circle.name}.{self.quantity}" if one else self.circle.name)

    def _quantities(self) -> list[str]:
        return [self.quantity] if isinstance(self.quantity, str) else list(self.quantity)

    def create_probe(self, state: State) -> Probe:
        """Create the `Probe` that evaluates the quantities for the model of a state."""
        pulley = find_pulley(state.world, self.contacts, self.circle)
        quantities = self._quantities()
        columns = []
        for number in quantities:
            name = self.name if isinstance(self.quantity, str) else f"{self.name}.{number}"
            columns += name_columns(name, UNITS[number], (2,) if number.endswith("_point") else ())

        one, world, view = pulley.bound.assembly.layout.size == 1, state.world, view_contact(pulley.bound.rows)
        tension = any(quantity.endswith("_tension") for quantity in quantities)
        power = any(quantity in POWERS for quantity in quantities)
        sums = bind_sums(pulley, view) if one and set(quantities) <= set(NAMES) else None
        bound = world.version, view, sums

        def read(fields: Fields) -> FloatArray:
            nonlocal bound
            if bound[0] != world.version:
                view = view_contact(pulley.bound.rows)
                bound = world.version, view, None if bound[2] is None else bind_sums(pulley, view)
            if bound[2] is not None:
                found = eval_sums(bound[2], bound[1], fields, power)
                return np.array([found[quantity] for quantity in quantities])
            report = eval_report(pulley, bound[1], fields, tension)
            numbers = np.concatenate([np.atleast_1d(np.asarray(getattr(report, q), np.float64)) for q in quantities])
            # the values of all processes are added, and each process has the whole report, so all processes except the
            # first return 0
            return numbers if pulley.bound.assembly.layout.rank == 0 else np.zeros_like(numbers)

        one_number = isinstance(self.quantity, str) and len(columns) == 1
        return Probe(columns, () if one_number else (len(columns),), read)


@checked(reports=each(instance(PulleyReport), "a list of reports", 1))
def format_reports(reports: Sequence[PulleyReport]) -> str:
    """Format reports as a table with one column per pulley."""
    return format_table(reports)
