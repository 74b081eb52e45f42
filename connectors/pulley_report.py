"""What a belt or rope does on a pulley: wrap, entry and exit, tensions, torque, slip, friction power.

    report = pulley_report(world, state, contacts, left)
    print(format_reports([report]))
    sensors = Sensors("pulley.csv", [PulleySensor(contacts, left, ("torque", "slip_arc"))])

The contacts of one circle are followed along the cable in its direction of travel.  With s over the segments in contact
(stored gap <= 0) and the polar angle phi_s that a segment spans, seen from the centre,

    torque = sum r f_t,    friction power = sum f_t v_t,    normal force = -sum f_n,
    wrap angle = |sum phi_s| from the first to the last segment in contact, open ones between them included,
    slip arc = sum |phi_s| over those that slip.

Source: statics of a belt on a pulley; forces of `ContactFrictionCircleCable2D`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import fields as fields_of
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.cable_shape import FAMILY, ShapeColumns
from windlass.connectors.circle_contact import CIRCLE_FAMILY, Contact, bind_contact, eval_segments
from windlass.connectors.circle_contact_draw import find_cables
from windlass.elements.cable_order import Chain, find_chains
from windlass.framework.errors import ModelError
from windlass.framework.evaluate import find_output, local_rows, prepare_outputs
from windlass.framework.law import Fields, FloatArray, LocalRows
from windlass.framework.output.sensors import Probe, name_columns
from windlass.framework.state import State
from windlass.framework.table import Entity, IntArray
from windlass.framework.world import World

BoolArray = NDArray[np.bool_]
REST = 1e-9
"""Speed of the cable along itself below which it counts as standing still [m/s]."""

UNITS: dict[str, str] = {
    "radius": "m",
    "belt_speed": "m/s",
    "segments_in_contact": "1",
    "segments_sticking": "1",
    "wrap_angle": "rad",
    "slip_arc": "rad",
    "entry_point": "m",
    "exit_point": "m",
    "entry_tension": "N",
    "exit_tension": "N",
    "normal_force": "N",
    "torque": "N m",
    "friction_power": "W",
    "slip_power": "W",
}
"""Unit of each number of a `PulleyReport`."""


@dataclass(frozen=True)
class PulleyReport:
    """A cable on one pulley.  Without contact angles, forces and powers are 0, points and tensions NaN.

    Attributes:
        name: name of the circle.
        radius: radius of the circle [m].
        belt_speed: mean speed of the cable in contact along itself, relative to the centre, > 0 towards growing local
            x [m/s].
        segments_in_contact, segments_sticking: numbers of segments.
        wrap_angle: angle from entry to exit, seen from the centre, with all turns [rad].
        slip_arc: part of the angle whose segments slip [rad].
        entry_point, exit_point: where contact begins and ends in the direction of travel (at rest: of growing local x),
            on the touching line of the cable, global x, y [m].
        entry_tension, exit_tension: axial force of the cable there [N], at the nearest node outside of the contact.
        normal_force: sum of the normal forces, > 0 presses [N].
        torque: of the friction forces on the pulley about z, > 0 counter-clockwise [N m].
        friction_power: power that all tangential forces take from cable and pulley; bristles store a part of it [W].
        slip_power: the part of the slipping segments, which is lost [W].
    """

    name: str
    radius: float
    belt_speed: float
    segments_in_contact: int
    segments_sticking: int
    wrap_angle: float
    slip_arc: float
    entry_point: tuple[float, float]
    exit_point: tuple[float, float]
    entry_tension: float
    exit_tension: float
    normal_force: float
    torque: float
    friction_power: float
    slip_power: float


def pulley_report(world: World, state: State, contacts: Entity, circle: Entity) -> PulleyReport:
    """What the cables do on one circle.  Under MPI all processes must call this together.

    If several cables that do not join touch the circle (parallel ropes), forces and counts are sums, and the course
    from entry to exit is that of the one with most segments in contact.

    Args:
        world: the world.
        state: the state to evaluate at.
        contacts: rows of `ContactFrictionCircleCable2D` or `ContactCircleCable2D`, also of other circles.
        circle: body, node or marker that carries the circle, one row.

    Raises:
        ModelError: contacts of another kind, or none of them with this circle.
    """
    if state.world is not world:
        raise ModelError("the state belongs to another world than the one given")
    whole = state.gather()
    fields = prepare_outputs(whole)
    pulley = bind_pulley(whole, contacts, circle)
    return eval_report(pulley, bind_contact(pulley.rows, pulley.friction), fields)


class Pulley(NamedTuple):
    """The contacts of one circle in the numbering of a whole state, cable after cable.

    Attributes:
        name: name of the circle.
        rows: contact rows, sorted along the chains.
        chain: chain of each row, shape (rows,).
        closed: whether each chain is closed.
        friction: whether the law has friction.
        cables: the cables of the rows, shape (rows,).
        length: their reference lengths [m], shape (rows,).
    """

    name: str
    rows: LocalRows
    chain: IntArray
    closed: list[bool]
    friction: bool
    cables: Entity
    length: FloatArray


def bind_pulley(whole: State, contacts: Entity, circle: Entity) -> Pulley:
    """Find the contacts of a circle and sort them along the cable; see `pulley_report` for arguments and errors."""
    world = whole.world
    component = contacts.table.component
    if not {"circle", "cable"} <= component.refs.keys() or "circle_radius" not in component.columns:
        raise ModelError(f"contacts = {contacts!r}: must be contacts of a circle with a cable")
    if len(circle) != 1:
        raise ModelError(f"circle = {circle!r}: must be a handle to one row")
    on_circle = _lies_on(world, contacts.table.column("circle")[contacts.rows], int(circle.ids[0]))
    if not on_circle.any():
        raise ModelError(f"none of the contacts {contacts!r} is with the circle {circle!r} ({circle.name})")
    mine = local_rows(Entity(contacts.table, contacts.rows[on_circle]), whole)
    cable_ids = find_cables(mine)
    chains: list[Chain] = find_chains(world, cable_ids)
    order = np.concatenate([chain.order for chain in chains])
    rows = LocalRows(world, mine.table, mine.rows[order], mine.dofs[order], mine.layout)
    tables = world.split_by_table(cable_ids[order])
    if len(tables) != 1:
        raise ModelError(f"the circle {circle.name} touches cables of {len(tables)} kinds: must be of one kind")
    table, positions, cable_rows = tables[0]
    cables = Entity(table, cable_rows[np.argsort(positions)])
    return Pulley(
        name=circle.name,
        rows=rows,
        chain=np.repeat(np.arange(len(chains)), [len(chain.order) for chain in chains]),
        closed=[chain.closed for chain in chains],
        friction="friction_coefficient" in component.columns,
        cables=cables,
        length=table.column("length")[cables.rows],
    )


def _lies_on(world: World, markers: IntArray, circle: int) -> BoolArray:
    """Which of the markers are the entity ``circle`` or are attached to it."""
    found: BoolArray = markers == circle
    for table, positions, rows in world.split_by_table(markers):
        for name in table.component.refs:
            found[positions] |= table.column(name)[rows] == circle
    return found


class Segments(NamedTuple):
    """All segments that can touch a circle, in the order of the cable, shape (segments,) if nothing else is said.

    row: row in `Pulley.rows`; number: number within its cable.
    touching, sticking, slipping: states.
    angle: polar angle from the first to the second end point, seen from the centre [rad].
    p0, p1: end points, global x, y [m], shape (segments, 2).
    speed: speed along itself, relative to the centre [m/s].
    ft, fn, vt: tangential and normal force [N], slip velocity [m/s].
    """

    row: IntArray
    number: IntArray
    touching: BoolArray
    sticking: BoolArray
    slipping: BoolArray
    angle: FloatArray
    p0: FloatArray
    p1: FloatArray
    speed: FloatArray
    ft: FloatArray
    fn: FloatArray
    vt: FloatArray


def eval_pulley_segments(contact: Contact, fields: Fields) -> Segments:
    """The segments of the rows of a pulley at the present fields."""
    c, out = contact.columns, eval_segments(contact, fields)
    row, number = np.nonzero(np.arange(out.shape[1]) < c.n[:, None])
    values = out[row, number]
    touching = (fields.data[c.data[row] + number] <= 0.0) & c.active[row]
    state = values[:, 7]
    shape: ShapeColumns = fields.markers[FAMILY]
    circle = fields.markers[CIRCLE_FAMILY]
    first = shape.start[c.cable[row]] + number
    center, drift = circle.p[c.circle[row], :2], circle.v[c.circle[row], :2]
    p0, p1 = shape.p[first], shape.p[first + 1]
    a, b, along = p0 - center, p1 - center, p1 - p0
    angle = np.arctan2(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0], (a * b).sum(axis=1))
    velocity = 0.5 * (shape.v[first] + shape.v[first + 1]) - drift
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
        ft=values[:, 0],
        fn=values[:, 1],
        vt=values[:, 4],
    )


def eval_report(pulley: Pulley, contact: Contact, fields: Fields, tension: bool = True) -> PulleyReport:
    """The report of a bound pulley at the present fields; ``tension=False`` leaves out (NaN) what takes longest."""
    c, z = contact.columns, eval_pulley_segments(contact, fields)
    wrap, speed = 0.0, 0.0
    points, tensions = np.full((2, 2), np.nan), np.full(2, np.nan)
    course = find_course(pulley, z)
    if len(course):
        speed = float(z.speed[course[z.touching[course]]].mean())
        wrap = abs(float(z.angle[course].sum()))
        points = np.stack((z.p0[course[0]], z.p1[course[-1]]))
        if tension:
            ends = course[[0, -1]]
            tensions = _eval_tensions(pulley, fields, z.row[ends])
        if speed < -REST:
            points, tensions = points[::-1], tensions[::-1]
    power = z.ft * z.vt
    return PulleyReport(
        name=pulley.name,
        radius=float(c.r[0]),
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
        torque=float((c.r[z.row] * z.ft).sum()),
        friction_power=float(power.sum()),
        slip_power=float(power[z.slipping].sum()),
    )


def find_course(pulley: Pulley, z: Segments) -> IntArray:
    """Segments from the first to the last one in contact, in the direction of growing local x; empty without contact.

    On a closed chain the course begins behind the longest stretch without contact.
    """
    chain = pulley.chain[z.row]
    counts = np.bincount(chain[z.touching], minlength=len(pulley.closed))
    if not counts.any():
        return np.zeros(0, np.int64)
    best = int(np.argmax(counts))
    members = np.flatnonzero(chain == best)
    touching = np.flatnonzero(z.touching[members])
    if not pulley.closed[best]:
        return members[touching[0] : touching[-1] + 1]
    gaps = np.diff(np.append(touching, touching[0] + len(members)))
    widest = int(np.argmax(gaps))
    # the stretch behind the last contact counts as wide as any other if the whole ring touches
    if gaps[widest] == 1:
        return members
    first = int(touching[(widest + 1) % len(touching)])
    count = (int(touching[widest]) - first) % len(members) + 1
    course: IntArray = members[(first + np.arange(count)) % len(members)]
    return course


def _eval_tensions(pulley: Pulley, fields: Fields, row: IntArray) -> FloatArray:
    """Axial forces [N] at the beginning of the first and at the end of the second of two cables, given by their rows.

    Inside of these cables contact begins or ends and the force changes, which coarse elements smear over their length.
    """
    cables, layout, world = pulley.cables[row], pulley.rows.layout, pulley.rows.world
    dofs = layout.local_dofs(world.table_dofs(cables.table)[cables.rows])
    rows = LocalRows(world, cables.table, cables.rows, dofs, layout)
    outer = pulley.length[row] * (0.0, 1.0)
    return np.asarray(find_output(cables, "axial_force").evaluate(rows, fields, x=outer), dtype=np.float64)


@dataclass(frozen=True)
class PulleySensor:
    """Numbers of a `PulleyReport` over time, for `Sensors`.

    Args:
        contacts, circle: as for `pulley_report`.
        quantity: name of a number of the report, e.g. ``"torque"``, or several of them (one evaluation for all).
        name: name in the table; default ``"<circle>.<quantity>"``, or ``"<circle>"`` for several.

    Raises:
        ModelError: the report has no such number.
    """

    contacts: Entity
    circle: Entity
    quantity: str | Sequence[str]
    name: str = ""

    def __post_init__(self) -> None:
        for quantity in self._quantities():
            if quantity not in UNITS:
                raise ModelError(f"quantity = {quantity!r} of PulleySensor: must be one of {', '.join(UNITS)}")
        if not self.name:
            one = isinstance(self.quantity, str)
            object.__setattr__(self, "name", f"{self.circle.name}.{self.quantity}" if one else self.circle.name)

    def _quantities(self) -> list[str]:
        return [self.quantity] if isinstance(self.quantity, str) else list(self.quantity)

    def create_probe(self, whole: State) -> Probe:
        """Bind to a model."""
        pulley = bind_pulley(whole, self.contacts, self.circle)
        quantities = self._quantities()
        columns = []
        for quantity in quantities:
            name = self.name if isinstance(self.quantity, str) else f"{self.name}.{quantity}"
            columns += name_columns(name, UNITS[quantity], (2,) if quantity.endswith("_point") else ())

        world, tension = whole.world, any(quantity.endswith("_tension") for quantity in quantities)
        bound = world.version, bind_contact(pulley.rows, pulley.friction)

        def read(fields: Fields) -> FloatArray:
            nonlocal bound
            if bound[0] != world.version:
                bound = world.version, bind_contact(pulley.rows, pulley.friction)
            report = eval_report(pulley, bound[1], fields, tension)
            return np.concatenate([np.atleast_1d(np.asarray(getattr(report, q), np.float64)) for q in quantities])

        one_number = isinstance(self.quantity, str) and len(columns) == 1
        return Probe(columns, () if one_number else (len(columns),), read)


def format_reports(reports: Sequence[PulleyReport]) -> str:
    """Reports as a table for people, one column per pulley."""
    lines = [("", *(report.name for report in reports))]
    for entry in fields_of(PulleyReport):
        if entry.name == "name":
            continue
        unit = UNITS[entry.name]
        label = entry.name.replace("_", " ") + ("" if unit == "1" else f" [{unit}]")
        lines.append((label, *(_format_value(getattr(report, entry.name)) for report in reports)))
    widths = [max(len(line[k]) for line in lines) for k in range(len(reports) + 1)]
    return "\n".join(
        "  ".join([f"{line[0]:<{widths[0]}}", *(f"{cell:>{w}}" for cell, w in zip(line[1:], widths[1:], strict=True))])
        for line in lines
    )


def _format_value(value: Any) -> str:
    if isinstance(value, tuple):
        return "-" if np.isnan(value).any() else f"({value[0]:.5f}, {value[1]:.5f})"
    if isinstance(value, int):
        return str(value)
    return "-" if np.isnan(value) else f"{value:.5g}"
