"""Report on the pulleys and spans of a belt or rope: hub loads, creep, slip reserve, tensions, efficiency.

T_1 and T_2 are the tensions of the spans on both sides of a pulley, v is the speed of the cord, rhoA the mass of the
belt per metre, mu the friction coefficient, and t the wrap angle:

    force that presses the belt on the pulley: F = T - rhoA v²
    friction limit: |ln(F_1/F_2)| <= mu t
    slip reserve: 1 - |ln(F_1/F_2)|/(mu t), which is 0 if the whole arc slips
    cord above the face: mu r/R replaces mu, with the radius r of the face
    slip arc: |ln(F_1/F_2)|/mu, at most the wrap angle
    hub load: sum of the contact forces on the pulley. Torques are about the centre of the pulley
    power: torque * speed of the pulley
    creep: 1 - |omega R|/|omega R of the driver|
    efficiency: power that pulleys take from the belt, divided by the power that pulleys supply to the belt
    rigid creep (on a rigid layer): 1 - (EA + N)/(EA + N of the driver), with the tension T at the entry of the pulley
        and the axial force N = T - EI/(2R²) of the belt on the pulley. N is smaller than T, because bending reduces the
        energy of the stretch
    string frequency: sqrt(T/rhoA)/(2 L) (1 - v² rhoA/T) for a span of the length L

The driver is the pulley that supplies the largest power. R is the radius of the cord, and omega the angular velocity of
a pulley. On a rigid layer the belt has the speed of the rim at the entry of the pulley. If a span is slack, F <= 0,
friction transmits no torque, and ln(F_1/F_2) is infinite. For means over time, ratios and frequencies are computed from
the mean tensions, speeds, angles and powers. These results are not means of ratios.

Sources: L. Euler (1762) and F. Grashof, Theoretische Maschinenlehre II (1883) for ln(F_1/F_2); for the moving string:
C. D. Mote, Journal of the Franklin Institute 279 (1965) 430-444.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import pairwise
from math import inf, nan
from typing import Any, NamedTuple, cast

import numpy as np

from windlass.connectors.circle_contact.free_belt import CORD_FACTOR, SinkingTraction
from windlass.connectors.circle_contact.mesh_traction import ENOUGH, SMALL, MeshTraction
from windlass.connectors.circle_contact.view import ContactView, view_contact
from windlass.connectors.circle_points.kernels import PointRows
from windlass.connectors.contact.circles import CIRCLE_FAMILY
from windlass.connectors.contact.place_numbers import FT, GAP
from windlass.connectors.drives.bristle_creep import ArcLaw, BeltLaw
from windlass.connectors.drives.contact_choice import TOLERATED_LOSS
from windlass.connectors.drives.drive_numbers import (
    BELT_SPEED,
    HUB,
    SINKING,
    SLIDING,
    TORQUE,
    WRAP,
    ArcEnds,
    Derived,
    DriveCables,
    DriveRoom,
    RecordSize,
    complete_numbers,
    eval_ends,
    eval_press,
    fill_cables,
    follow_pulley,
    follow_spans,
    take_motion,
)
from windlass.connectors.drives.pulleys import Pulley
from windlass.connectors.markers.cable_shape import collect_column
from windlass.connectors.reports.belt_picture import find_motion
from windlass.connectors.reports.pulley_report import eval_report
from windlass.connectors.reports.pulley_rows import PulleyContacts, find_pulley
from windlass.connectors.reports.quantities import show_numbers
from windlass.elements.cable.cable2d import Cable2D
from windlass.elements.cable.outputs import CableView
from windlass.elements.nodes.ground import Ground
from windlass.framework.arrays import BoolArray, FloatArray, IntArray
from windlass.framework.model.system import Fields
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.evaluate import EvaluatedRows, find_evaluated_rows, find_output, load_outputs, read_output
from windlass.framework.state.state import State

ALWAYS: IntArray = np.ones(1, np.int64)
"""Value of the argument ``due`` of kernels. With this value a kernel evaluates its quantities in each call."""
UP = np.array((0.0, 0.0, 1.0))


class Drive(NamedTuple):
    """Data of a belt or rope that a report requires, see `Belt`. The list of surfaces is empty in 2D."""

    name: str
    world: World
    pulleys: tuple[Pulley, ...]
    closed: bool
    cables: Entity
    contacts: Entity
    surfaces: list[Entity]
    radii: list[float]
    span_lengths: list[float]
    mass_per_length: float
    means: list[Any]  # hooks of `Belt.average`, for the report of the run
    wheels: list[int]  # indices of the pulleys with teeth
    teeth: Entity | None  # contact of the teeth of the belt with these pulleys; None without teeth
    lossy: list[int]  # indices of the pulleys with bending losses
    losses: Entity | None  # loss torques on these pulleys
    layers: list[float]  # shear stiffness [N/m²] of the layer between cord and face of each pulley; inf if rigid
    stiffness: float | None = None  # static axial stiffness [N] of the taut cables; None: their axial_stiffness


@dataclass(frozen=True)
class PulleyDuty:
    """Forces, torques and slip of a belt on one pulley.

    Attributes:
        name: name of the pulley.
        speed: angular velocity of the pulley about its axis [rad/s].
        belt_speed: tangential speed of the cord on the pulley, relative to the centre of the pulley [m/s].
        wrap_angle: angle between entry and exit [rad].
        slip_arc: part of the wrap angle that slips [rad], computed from the tensions of the spans as |ln(F_1/F_2)|/(mu
            r/R), at most the wrap angle. This formula is the equation of Euler and Eytelwein with the inertia of the
            belt. The value is NaN without friction.
        sliding_arc: part of the wrap angle whose contact points slip at the time of the report [rad]. Bristles also
            transmit friction where the belt sticks. Therefore this arc is smaller than ``slip_arc``.
        tension_before, tension_after: mean tension of the spans before and after the pulley, in the order of the
            pulleys [N].
        hub_load: sum of the contact forces on the pulley [N], shape (2,) or (3,).
        hub_force: magnitude of the hub load [N].
        hub_angle: angle from the global x axis to the hub load [rad], positive counter-clockwise. The value is NaN in
            3D.
        torque: torque of the belt on the pulley about its axis [N m].
        power: product of torque and speed [W], positive if the pulley takes power.
        creep: loss of the speed of the rim, relative to the speed of the rim of the driver [1]. The value is NaN if no
            pulley drives the belt.
        rigid_creep: loss of speed that the tensions of this report would cause on a rigid layer [1]. The value is NaN
            for ropes, 3D belts and belts with teeth. Bristles increase this loss on short arcs. See
            `DriveReport.doubts`.
        log_ratio: |ln(F_1/F_2)| of the spans [1]. The value is infinite if a span is slack.
        friction_limit: mu r/R * wrap_angle [1]. In 2D r is the radius of the face and R the radius of the cord.
        slip_reserve: 1 - log_ratio/friction_limit [1]. The value is NaN if there is no friction, and minus infinity if
            a span is slack.
        mesh_traction: traction due to the mesh at the ends of the arc, divided by the traction at which the belt slips
            [1]. The traction due to the mesh is independent of the load. The value is NaN if there is no friction. See
            `connectors/circle_contact/mesh_traction.py`.
        sinking_traction: additional traction due to the contact depth, divided by the traction at which the belt slips
            [1]. The traction due to the contact depth is independent of the mesh. The value is NaN if there is no
            friction. See `connectors/circle_contact/free_belt.py`.
    """

    name: str
    speed: float
    belt_speed: float
    wrap_angle: float
    slip_arc: float
    sliding_arc: float
    tension_before: float
    tension_after: float
    hub_load: tuple[float, ...]
    hub_force: float
    hub_angle: float
    torque: float
    power: float
    creep: float
    rigid_creep: float
    log_ratio: float
    friction_limit: float
    slip_reserve: float
    mesh_traction: float
    sinking_traction: float


@dataclass(frozen=True)
class SpanDuty:
    """A free span.

    Attributes:
        name: names of the pulleys at both ends of the span.
        length: length of the common tangent of the pulleys at both ends [m]. In 3D it is the length in the mounted
            state.
        tension: mean axial force of the cables of the span that are not in contact with a pulley [N].
        deflection: distance of the middle of the span from the straight line between its ends [m]. In 2D the distance
            is positive to the left of the direction of the belt. In 3D it is the magnitude. The deflection changes when
            the span vibrates.
        string_frequency: lowest natural frequency of the span as an axially moving string [Hz]. The value is NaN in
            compression or without mass.
    """

    name: str
    length: float
    tension: float
    deflection: float
    string_frequency: float


UNITS = {
    "speed": "rad/s", "belt_speed": "m/s", "wrap_angle": "rad", "slip_arc": "rad", "sliding_arc": "rad",
    "tension_before": "N", "tension_after": "N", "hub_load": "N", "hub_force": "N", "hub_angle": "rad",
    "torque": "N m", "power": "W", "creep": "1", "rigid_creep": "1", "log_ratio": "1", "friction_limit": "1",
    "slip_reserve": "1", "mesh_traction": "1", "sinking_traction": "1", "length": "m", "tension": "N",
    "deflection": "m", "string_frequency": "Hz", "power_in": "W", "power_out": "W", "efficiency": "1",
    "stored_energy": "J",
}  # fmt: skip
"""Units of the quantities of a `PulleyDuty`, of a `SpanDuty`, and of a whole belt."""
WHOLE = ("belt_speed", "power_in", "power_out", "efficiency", "stored_energy")
"""Names of the quantities of a whole belt."""
TURNING = ("power_in", "power_out", "efficiency")
"""Quantities whose `Extremes` are taken from means over one turn of the belt, because values of single steps fluctuate
even in steady motion.
"""


@dataclass(frozen=True)
class Extremes:
    """Mean of a quantity over time, smallest and largest value of the quantity, and the times of these two values.

    Attributes:
        unit: unit of mean, minimum and maximum.
        mean: mean over time. For creep, slip reserve, log ratio, string frequency and hub load, the mean is computed
            from the means of other quantities.
        minimum, maximum: the smallest and the largest value. For supplied power, delivered power and efficiency, mean,
            minimum and maximum are taken from means over one turn of the belt.
        time_of_minimum, time_of_maximum: times at which the extremes are reached for the first time [s].
    """

    unit: str
    mean: float
    minimum: float
    time_of_minimum: float
    maximum: float
    time_of_maximum: float


@dataclass(frozen=True)
class DriveReport:
    """A belt or rope on all of its pulleys, at one time or as means over time.

    Attributes:
        name: name of the belt.
        time: time of the state [s]. For means, the end of the time over which means are taken.
        duration: time over which means were taken [s], which is 0 for a report at one time.
        pulleys, spans: results for each pulley and for each span.
        belt_speed: mean of the speeds of the cord on all pulleys [m/s].
        power_in, power_out: power that pulleys supply to the belt, and power that pulleys take from the belt [W].
        efficiency: power_out/power_in [1]. The value is NaN if no pulley drives the belt.
        stored_energy: kinetic energy and axial strain energy of the belt [J], with the stiffness at the mounted tension
            if the tension is not EA times the strain. Bending and contact energies are excluded, because they are
            nearly constant.
        doubts: warnings that means over time may be inaccurate. See `DriveMeans`.
        advice: recommendations if tractions that do not depend on the load, or the creep due to the contact depth, are
            too large.
        law: `BeltLaw` with which the creep of means over time is checked; None for ropes, 3D belts and belts with
            teeth.
        turn: duration of one full turn of a closed belt [s]. The value is NaN for ropes and stationary belts.
        extremes: smallest and largest values of all quantities in a report of means, under names such as
            ``"alternator.slip_reserve"``, ``"span alternator–pump.tension"``, ``"belt_speed"`` and ``"efficiency"``.
            Powers and the efficiency have extremes only if the means cover at least one turn.
    """

    name: str
    time: float
    duration: float
    pulleys: tuple[PulleyDuty, ...]
    spans: tuple[SpanDuty, ...]
    belt_speed: float = nan
    power_in: float = 0.0
    power_out: float = 0.0
    efficiency: float = nan
    stored_energy: float = nan
    doubts: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()
    law: BeltLaw | None = None
    turn: float = nan
    extremes: Mapping[str, Extremes] = field(default_factory=dict)

    def __getitem__(self, name: str) -> PulleyDuty:
        """Return the results for the pulley with the given name."""
        return next(duty for duty in self.pulleys if duty.name == name)

    @property
    def start(self) -> float:
        """Time at which the means begin [s]. For a report at one time it is this time."""
        return self.time - self.duration

    @property
    def is_spatial(self) -> bool:
        """Whether the belt or rope is 3D."""
        return len(self.pulleys[0].hub_load) > 2

    def format(self) -> str:
        """Return the report as text: a table with one column per pulley, one line per span, the powers, and the
        warnings, extremes and advice.
        """
        when = f"mean from {self.start:g} s to {self.time:g} s" if self.duration else f"t = {self.time:g} s"
        names = [entry.name for entry in fields(PulleyDuty) if entry.name != "name"]
        labels = [f"{name.replace('_', ' ')} [{UNITS[name]}]" for name in names]
        cells = [[duty.name for duty in self.pulleys]]
        cells += [show_pulleys([getattr(duty, name) for duty in self.pulleys]) for name in names]
        widths = [max(len(line[k]) for line in cells) for k in range(len(self.pulleys))]
        first = max(map(len, labels))
        lines = [f"{self.name}, {when}"]
        for label, line in zip(["", *labels], cells, strict=True):
            lines.append(f"{label:<{first}}  " + "  ".join(f"{c:>{w}}" for c, w in zip(line, widths, strict=True)))
        tensions = show_numbers([span.tension for span in self.spans])
        for span, tension in zip(self.spans, tensions, strict=True):
            carries = f"{span.length:.4g} m{' mounted' if self.is_spatial else ''}, {tension} N"
            lines.append(f"span {span.name}: {carries}, as a string {show_number(span.string_frequency)} Hz")
        given, taken = show_numbers([self.power_in, self.power_out])
        lines.append(f"power in {given} W, out {taken} W, efficiency {show_number(self.efficiency)}")
        doubts = [f"doubtful: {words}" for words in self.doubts]
        return "\n".join([*lines, *doubts, *self._format_extremes(), *self.advice])

    def _format_extremes(self) -> list[str]:
        """Format one line of text for each quantity of `DUTIES` and for each further sensor."""
        chosen = [(name, found) for name, found in self.extremes.items() if is_duty(name)]
        cells = [["over time", "mean", "minimum", "at [s]", "maximum", "at [s]"]] if chosen else []
        for name, x in chosen:
            mean, low, high = show_numbers([x.mean, x.minimum, x.maximum])
            times = map(show_number, (x.time_of_minimum, x.time_of_maximum))
            over = f", means over {self.turn:.3g} s" if name in TURNING else ""
            cells.append([f"{name.replace('_', ' ')} [{x.unit}]{over}", mean, low, next(times), high, next(times)])
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        return [
            f"{line[0]:<{widths[0]}}  " + "  ".join(f"{c:>{w}}" for c, w in zip(line[1:], widths[1:], strict=True))
            for line in cells
        ]


DUTIES = ("slip_reserve", "hub_force", "tension", "deflection", "belt_speed", "efficiency")
"""Quantities whose extremes are shown in tables, because they are relevant for the design of drives."""


def is_duty(name: str) -> bool:
    """Return whether `DriveReport.format` prints the extremes of a quantity. The argument ``name`` is the name of the
    quantity in `DriveReport.extremes`.
    """
    part, _, quantity = name.partition("[")[0].rpartition(".")
    # Quantities of the whole belt are printed once and not for each pulley. A quantity that is not in UNITS is the
    # value of a sensor of the user.
    return (quantity in DUTIES and not (part and quantity in WHOLE)) or quantity not in UNITS


class BoundDrive:
    """Data for reports on a drive. The data depend on the numbering of the coordinates of the model. All processes
    must create this object.
    """

    def __init__(self, drive: Drive) -> None:
        self.drive, world, cables = drive, drive.world, len(drive.cables)
        self.version = world.version
        self.cables, self.lengths = self._bind(drive.cables), _collect(drive.cables, "length")
        self.contacts = self._bind(drive.contacts)
        self.teeth = None if drive.teeth is None else self._bind(drive.teeth)
        self.losses = None if drive.losses is None else self._bind(drive.losses)
        self.parts = [drive.contacts[i * cables : (i + 1) * cables] for i in range(len(drive.pulleys))]
        self.markers = [] if drive.surfaces else [world.entity(int(part[0].circle)) for part in self.parts]
        self.circles: list[tuple[PulleyContacts, ContactView]] = []
        if not drive.surfaces:
            found = [find_pulley(world, part, m) for part, m in zip(self.parts, self.markers, strict=True)]
            self.circles = [(circle, view_contact(circle.bound.rows)) for circle in found]
        self.bodies = [None if p.body.table.component is Ground else self._bind(p.body) for p in drive.pulleys]
        self.friction = [float(_collect(part, "friction_coefficient").mean()) for part in self.parts]
        self.bristles = [float(_collect(part, "friction_stiffness_per_length").mean()) for part in self.parts]
        self.stiffness = [float(_collect(part, "contact_stiffness_per_length").mean()) for part in self.parts]
        # on surfaces each bristle has its own deflection, so no layer is treated as rigid
        self.rigid = [not drive.surfaces and bool(_collect(p, "rigid_layer").any()) for p in self.parts]
        self.together = [not drive.surfaces and bool(_collect(p, "segments").mean() >= ENOUGH) for p in self.parts]
        self.axial_stiffness = drive.stiffness or float(collect_column(drive.cables, "axial_stiffness").mean())
        self.masses = self.lengths * collect_column(drive.cables, "mass_per_length")
        self.law = self._gather_law() if drive.closed and not drive.surfaces and not drive.wheels else None
        self._lay_down()

    def _lay_down(self) -> None:
        """Create the constants and work arrays of the kernels."""
        drive, (pulleys, cables) = self.drive, (len(self.drive.pulleys), len(self.drive.cables))
        self.size = RecordSize(pulleys, 3 if drive.surfaces else 2, pulleys if drive.closed else pulleys + 1)
        radii, EA, rho = np.array(drive.radii), self.axial_stiffness, drive.mass_per_length
        self.derived = Derived(radii, rho, *_read_stiffness(self.law))
        friction = np.array([self._eval_friction(i) for i in range(pulleys)])
        face = np.where(np.isnan(friction), nan, self.friction)
        length = float(self.lengths.mean())
        mesh = [
            float(MeshTraction(length, R, EA, mu_k, 1.0, together, rigid).traction)
            for R, mu_k, together, rigid in zip(drive.radii, self.bristles, self.together, self.rigid, strict=True)
        ]
        self.ends = ArcEnds(
            radii, friction, face, np.array(mesh), np.array(self.bristles), np.array(self.stiffness), rho, EA
        )
        self.measured = DriveRoom(
            np.zeros((pulleys, cables), dtype=bool), np.zeros((cables, 3)), np.zeros((cables, 3, 3)),
            np.zeros((cables, 3)), np.zeros(cables, np.int64), np.zeros((pulleys, 2)),
            np.zeros((3, self.size.spans)),
        )  # fmt: skip
        none: dict[str, Any] = {e.name: nan for e in fields(PulleyDuty)} | {"hub_load": (nan,) * self.size.width}
        spans = zip(name_spans(drive), drive.span_lengths, strict=True)
        self.blank = DriveReport(
            drive.name, nan, 0.0, tuple(PulleyDuty(**none | {"name": pulley.name}) for pulley in drive.pulleys),
            tuple(SpanDuty(name, length, nan, nan, nan) for name, length in spans), law=self.law,
        )  # fmt: skip
        self.row, self._motion = take_numbers(self.blank), np.zeros((2, pulleys))
        self._axes = [UP] * pulleys
        self._direct = self._bind_cables() if self._is_direct() else None

    def _is_direct(self) -> bool:
        """Return whether kernels can evaluate contacts and cables. Kernels can evaluate 2D belts and ropes without
        teeth if their contact forces act at points on circles and all these points are on one process.
        """
        drive = self.drive
        at_points = bool(self.circles) and all(view.at_point for _, view in self.circles)
        single = not self.contacts.parallel and all(len(circle.closed) == 1 for circle, _ in self.circles)
        return at_points and single and drive.teeth is None and drive.cables.table.component is Cable2D

    def _bind_cables(self) -> DriveCables | None:
        """Create the arrays of the cables. Return None if user functions determine the forces of the cables."""
        rows = self.cables.rows
        view: CableView = rows.columns
        if any(group.calls is not None for group in view.forces["axial_force"]):
            return None
        free = view.find_places(np.broadcast_to((0.0, 0.5, 1.0), (len(self.lengths), 3))).references.eps
        EA, damping = view.parameters.axial_stiffness[:, 0].copy(), view.parameters.axial_damping[:, 0].copy()
        return DriveCables(np.ascontiguousarray(rows.dofs), self.lengths, EA, damping, free.copy())

    def list_calls(self, fields: Fields, due: IntArray, row: FloatArray) -> list[tuple[Any, tuple[Any, ...]]]:
        """Return the calls of kernels that write the quantities of contacts and spans. The list is empty if kernels
        cannot evaluate these quantities.
        """
        if self._direct is None:
            return []
        m, calls = self.measured, list[tuple[Any, tuple[Any, ...]]]()
        for i, (circle, _) in enumerate(self.circles):
            rows = circle.bound.rows
            points: PointRows = rows.columns
            places = {int(one): k for k, one in enumerate(self.parts[i].rows)}
            order = np.array([places[int(one)] for one in rows.rows])
            count = int(points.rows["segments"].sum())
            room = np.zeros(count), np.zeros(count, dtype=bool)
            given = points, fields.markers[CIRCLE_FAMILY], fields.data, fields.x, fields.v, order, circle.closed[0]
            calls.append((follow_pulley, (due, *given, i, m, *room, row)))
        return [*calls, (fill_cables, (due, self._direct, fields.x, fields.v, m)), self._list_spans(due, row)]

    def _list_spans(self, due: IntArray, row: FloatArray) -> tuple[Any, tuple[Any, ...]]:
        drive = self.drive
        known = self.measured, self.lengths, self.masses, self.axial_stiffness, drive.closed, not drive.surfaces
        turns = [R if pulley.side == "left" else -R for pulley, R in zip(drive.pulleys, drive.radii, strict=True)]
        return follow_spans, (due, *known, np.array(turns), self.size, row)

    def list_last_calls(self, now: FloatArray, due: IntArray, row: FloatArray) -> list[tuple[Any, tuple[Any, ...]]]:
        """Return the calls of kernels that write the motion of the pulleys, the quantities at the ends of arcs, and the
        derived quantities. The argument ``now`` contains the speeds [rad/s] and torques [N m] of pulleys.
        """
        return [
            (take_motion, (due, now, self.size, row)), (eval_ends, (due, self.ends, self.size, row)),
            (complete_numbers, (due, self.derived, self.size, row)),
        ]  # fmt: skip

    def _bind(self, entity: Entity) -> EvaluatedRows:
        return find_evaluated_rows(entity, self.drive.world)

    def _gather_law(self) -> BeltLaw:
        """Create the `BeltLaw` of a closed 2D belt. The columns of contacts are converted from values per length of the
        taut route to values per length of the slack belt."""
        drive = self.drive
        taut = 1.0 / (1.0 + float(collect_column(drive.cables, "reference_strain").mean()))
        held = [
            inf if _collect(part, "rigid_layer").all() else stiffness
            for part, stiffness in zip(self.parts, self.bristles, strict=True)
        ]
        arcs = [
            ArcLaw(R, self._eval_friction(i), taut * held[i], taut * drive.layers[i], taut * self.stiffness[i])
            for i, R in enumerate(drive.radii)
        ]
        bending = float(collect_column(drive.cables, "bending_stiffness").mean())
        length = float(self.lengths.mean())
        return BeltLaw(
            self.axial_stiffness / taut,
            bending / taut,
            taut * drive.mass_per_length,
            length / taut,
            tuple(arcs),
        )

    def read(self, rows: EvaluatedRows, name: str, fields: Fields, **where: Any) -> FloatArray:
        """Return the values of the output variable ``name`` of rows. The result ``where`` contains the coordinates of
        the points of evaluation, such as ``x``.
        """
        entity = Entity(rows.rows.table, rows.all_rows)
        return np.asarray(rows.evaluate(find_output(entity, name), fields, where), np.float64)

    def report(self, fields: Fields) -> DriveReport:
        """Create the report for the current fields."""
        return self.describe(self.eval_numbers(fields), float(fields.t))

    def eval_numbers(self, fields: Fields) -> FloatArray:
        """Evaluate all quantities for the current fields. Return a new array in the order of `list_numbers`."""
        row, torques = self.row, np.zeros(len(self.drive.pulleys))
        calls = self.list_calls(fields, ALWAYS, row)
        if calls:
            torques += self._add_further(fields, np.zeros((len(torques), 2)))
        else:
            torques += self._measure(fields)
            calls.append(self._list_spans(ALWAYS, row))
        for kernel, arguments in calls:
            kernel(*arguments)
        for i, axis in enumerate(self._axes):
            torque = self._find_part(row, i)[HUB + self.size.width + TORQUE]
            self._motion[:, i] = self._eval_speed(fields, i, axis), torque + torques[i]
        for kernel, arguments in self.list_last_calls(self._motion, ALWAYS, row):
            kernel(*arguments)
        return row.copy()

    def _find_part(self, row: FloatArray, i: int) -> FloatArray:
        """Return the part of ``row`` that contains the quantities of pulley i, as a view."""
        own = HUB + self.size.width + SINKING + 1
        return row[i * own : (i + 1) * own]

    def _measure(self, fields: Fields) -> FloatArray:
        """Evaluate the quantities of contacts and cables from output variables instead of kernels. Return the torques
        [N m] of teeth and of bending losses.
        """
        drive, m, places = self.drive, self.measured, {"x": self.lengths[:, None] * (0.0, 0.5, 1.0)}
        m.touches[:], hubs = self._eval_contacts(fields)
        torques = self._add_further(fields, hubs)
        m.force[:] = self.read(self.cables, "axial_force", fields, **places).reshape(m.force.shape)
        m.place[:] = self.read(self.cables, "position", fields, **places).reshape(m.place.shape)
        velocity = self.read(self.cables, "velocity", fields, **places)
        m.square[:] = (velocity.reshape(m.place.shape) ** 2).sum(axis=2)
        for i, contacts in enumerate(self.parts):
            part = self._find_part(self.row, i)
            if drive.surfaces:
                from windlass.connectors.reports.surface_report import (
                    eval_surface,  # imported here, because 2D belts do not need surfaces
                )

                surface = eval_surface(drive.world, fields, contacts, drive.surfaces[i])
                found = surface.speed, surface.wrap_angle, surface.slip_arc, surface.torque
                self._axes[i] = np.asarray(read_output(contacts[0], "surface_axis", drive.world, fields)).ravel()
            else:
                circle = eval_report(*self.circles[i], fields, tension=False)
                found = circle.belt_speed, circle.wrap_angle, circle.slip_arc, circle.torque
                m.center[i] = find_motion(drive.world, fields, self.markers[i])[0]
            part[[BELT_SPEED, WRAP, SLIDING, HUB + self.size.width + TORQUE]] = found
            part[HUB : HUB + self.size.width] = hubs[i]
        return torques

    def describe(self, numbers: FloatArray, t: float) -> DriveReport:
        """Create the report, including the advice, from the quantities at a time [s]."""
        drive, report = self.drive, replace(put_numbers(self.blank, numbers), time=t)
        ends = [self._find_ends(i, duty) for i, duty in enumerate(report.pulleys)]
        advice = tuple(
            text for duty, pair in zip(report.pulleys, ends, strict=True) for text in _advise(duty.name, *pair)
        )
        advice += tuple(self._note_sinking())
        tensions = np.array([span.tension for span in report.spans])
        fastest = max(abs(duty.belt_speed) for duty in report.pulleys)
        thrown = drive.mass_per_length * fastest**2
        if thrown > np.max(tensions, initial=0.0, where=np.isfinite(tensions)):
            advice = (
                f"the belt runs at {fastest:.4g} m/s: rhoA v² = {thrown:.4g} N is more than its tension: are speeds "
                "given in rad/s, radii in m and mass_per_length in kg/m?",
                *advice,
            )
        return replace(report, advice=advice, turn=find_turn(report, drive))

    def _note_sinking(self) -> list[str]:
        """Return advice for pulleys with friction on which the contact depth of a rope or a 3D belt increases the creep
        by more than `TOLERATED_LOSS`. For 2D belts the list is empty, because their circles are enlarged by the contact
        depth.
        """
        drive, EA, found = self.drive, self.axial_stiffness, []
        if drive.closed and not drive.surfaces:
            return []
        for i, (pulley, R) in enumerate(zip(drive.pulleys, drive.radii, strict=True)):
            share = EA / (self.stiffness[i] * R**2)
            if self.friction[i] > 0.0 and share > TOLERATED_LOSS:
                found.append(
                    f"{pulley.name}: the contact depth makes the loss of speed and motions by creep {share:.1%} larger:"
                    f" take contact_stiffness_per_length = {CORD_FACTOR * EA / R**2:.2g} N/m^2 for 1 %, or reduce step="
                )
        return found

    def eval_motion(self, fields: Fields) -> FloatArray:
        """Return the speeds [rad/s], torques [N m] and powers [W] of the pulleys of a belt on circles, shape (3,
        pulleys). The evaluation takes little time.
        """
        torques = np.zeros(len(self.circles))
        for i, (circle, view) in enumerate(self.circles):
            out = view.evaluate(fields)
            arm = (out[..., GAP] + view.cord[:, None]) * view.at_point
            torques[i] = ((circle.radius[circle.bound.positions, None] + arm) * out[..., FT]).sum()
        torques = self.contacts.assembly.processes.sum(torques)
        torques += self._add_further(fields, np.zeros((len(torques), 2)))
        speeds = np.array([self._eval_speed(fields, i) for i in range(len(torques))])
        return np.stack((speeds, torques, torques * speeds))

    def _eval_speed(self, fields: Fields, i: int, axis: FloatArray = UP) -> float:
        """Return the angular velocity [rad/s] of pulley i about its axis."""
        body = self.bodies[i]
        if body is None:
            return 0.0
        omega = self.read(body, "angular_velocity", fields).ravel()
        return float(omega[0] if len(omega) == 1 else omega @ axis)

    def _eval_contacts(self, fields: Fields) -> tuple[BoolArray, FloatArray]:
        """Return whether each cable is in contact with each pulley, shape (pulleys, cables), and the hub loads [N],
        shape (pulleys, 2 or 3)."""
        count = len(self.drive.pulleys)

        def read(output: str) -> FloatArray:
            return self.read(self.contacts, output, fields)

        if self.drive.surfaces:
            normal, force = read("normal_force"), -read("force").reshape(count, -1, 3).sum(axis=1)
        else:
            local = read("force_local")
            normal = local[..., 1]
            both = local[..., :1] * read("tangent") + local[..., 1:] * read("normal")
            force = both.reshape(count, -1, 2).sum(axis=1)
        touches = (normal.reshape(len(self.drive.contacts), -1) != 0.0).any(axis=1).reshape(count, -1)
        if self.teeth is not None:
            # cables whose teeth ride up the flanks of the grooves are lifted off the circle, but touch the pulley
            lift = self.read(self.teeth, "lift", fields).reshape(len(self.drive.wheels), -1)
            teeth, cables = lift.shape[1], touches.shape[1]
            place = ((np.arange(teeth) + 0.5) * cables / teeth).astype(np.int64)
            for wheel, row in zip(self.drive.wheels, lift, strict=True):
                touches[wheel, place] |= row != 0.0
        return touches, force

    def _add_further(self, fields: Fields, hubs: FloatArray) -> FloatArray:
        """Add the forces of teeth to the hub loads. Return the torques [N m] of teeth and of bending losses, shape
        (pulleys,).
        """
        torques, wheels = np.zeros(len(hubs)), self.drive.wheels
        if self.teeth is not None:
            # forces on the left-hand side of the equations of the belt are equal to the forces on the pulleys
            hubs[wheels] += self.read(self.teeth, "force", fields).reshape(len(wheels), -1, 3).sum(axis=1)[:, :2]
            torques[wheels] = -self.read(self.teeth, "torque0", fields).reshape(len(wheels), -1, 3).sum(axis=1)[:, 2]
        if self.losses is not None:
            torques[self.drive.lossy] -= self.read(self.losses, "force", fields).ravel()
        return torques

    def _eval_friction(self, i: int) -> float:
        """Return the friction coefficient [1] at the cord of pulley i. In 2D it is the coefficient at the face times
        the radius of the face divided by the radius of the cord. In 3D it is the coefficient at the face. The result is
        NaN for a pulley with teeth.
        """
        share = 1.0 if self.drive.surfaces else self.drive.pulleys[i].radius / self.drive.radii[i]
        return nan if i in self.drive.wheels else self.friction[i] * share

    def _find_ends(self, i: int, duty: PulleyDuty) -> tuple[MeshTraction, SinkingTraction]:
        """Return the tractions due to the mesh and due to the contact depth on pulley i, at the end of the arc with the
        smaller line pressure.
        """
        press = eval_press(duty.tension_before, duty.tension_after, self.drive.mass_per_length, duty.belt_speed)
        radius, EA, bristles = self.drive.radii[i], self.axial_stiffness, self.bristles[i]
        limit = nan if i in self.drive.wheels else self.friction[i] * press / radius or nan
        return (
            MeshTraction(float(self.lengths.mean()), radius, EA, bristles, limit, self.together[i], self.rigid[i]),
            SinkingTraction(radius, EA, press, bristles, self.stiffness[i], limit),
        )


def _collect(handle: Entity, name: str) -> FloatArray:
    return cast(FloatArray, np.asarray(handle.table.collect(name, handle.rows), np.float64))


def report_drive(drive: Drive, state: State) -> DriveReport:
    """Create the report at a state. All processes must call this function."""
    fields = load_outputs(state)
    return BoundDrive(drive).report(fields)


def _advise(name: str, mesh: MeshTraction, sunk: SinkingTraction) -> list[str]:
    """Return advice on how to reduce the tractions that are independent of the load. The result is empty if these
    tractions are small.
    """
    causes = (
        ("the mesh", float(mesh.traction), mesh.harmless, mesh.advise),
        ("the contact depth", sunk.traction, SMALL, sunk.advise),
    )
    return [
        f"{name}: {cause} makes tractions of {traction:.2g} times the limit of friction at the ends of the arc, "
        f"even without load: {advise()}"
        for cause, traction, harmless, advise in causes
        if traction > harmless
    ]


def find_ends(duty: PulleyDuty, speed: float) -> tuple[float, float]:
    """Return the tensions [N] at the entry and the exit of a pulley, for a belt with the given speed [m/s]. The speed
    is positive in the order of the pulleys.
    """
    ends = duty.tension_before, duty.tension_after
    return ends if speed >= 0.0 else ends[::-1]


def complete(report: DriveReport, drive: Drive) -> DriveReport:
    """Return a copy of the report in which the derived quantities are computed from the other quantities. See
    `complete_numbers`.
    """
    numbers = take_numbers(report)
    size = RecordSize(len(report.pulleys), len(report.pulleys[0].hub_load), len(report.spans))
    derived = Derived(np.array(drive.radii), drive.mass_per_length, *_read_stiffness(report.law))
    complete_numbers(ALWAYS, derived, size, numbers)
    report = put_numbers(report, numbers)
    return replace(report, turn=find_turn(report, drive))


def _read_stiffness(law: BeltLaw | None) -> tuple[float, float]:
    """Return the axial and the bending stiffness of a belt with creep. For other drives, the values are NaN."""
    return (nan, nan) if law is None else (law.axial_stiffness, law.bending_stiffness)


def find_turn(report: DriveReport, drive: Drive) -> float:
    """Return the duration [s] of one full turn of a closed belt. The result is NaN for ropes and for stationary
    belts.
    """
    if not drive.closed or report.belt_speed == 0.0:
        return nan
    arcs = sum(duty.wrap_angle * radius for duty, radius in zip(report.pulleys, drive.radii, strict=True))
    return (sum(span.length for span in report.spans) + arcs) / abs(report.belt_speed)


def list_numbers(report: DriveReport) -> list[tuple[str, str, str, int]]:
    """List all quantities of a report in the order in which `take_numbers` returns the values. Each item contains the
    name of the pulley or span, the quantity, the unit, and the number of components.
    """
    found = []
    parts: list[tuple[str, PulleyDuty | SpanDuty]] = [(duty.name, duty) for duty in report.pulleys]
    parts += [(f"span {span.name}", span) for span in report.spans]
    for name, part in parts:
        found += [
            (name, e.name, UNITS[e.name], np.size(getattr(part, e.name))) for e in fields(part) if e.name in UNITS
        ]
    return found + [("", name, UNITS[name], 1) for name in WHOLE]


def take_numbers(report: DriveReport) -> FloatArray:
    """Return the values of a report as one array. It contains the quantities of all pulleys, then of all spans, then of
    the whole belt.
    """
    parts: list[PulleyDuty | SpanDuty] = [*report.pulleys, *report.spans]
    values = [np.ravel(getattr(part, e.name)) for part in parts for e in fields(part) if e.name in UNITS]
    return np.concatenate([*values, [getattr(report, name) for name in WHOLE]])


def put_numbers(report: DriveReport, numbers: FloatArray) -> DriveReport:
    """Create a copy of a report with the values ``numbers``, in the order of `list_numbers`."""
    given = iter(numbers.tolist())

    def read(value: Any) -> Any:
        return tuple(next(given) for _ in value) if isinstance(value, tuple) else next(given)

    given_parts: list[PulleyDuty | SpanDuty] = [*report.pulleys, *report.spans]
    parts: list[Any] = [
        replace(part, **{e.name: read(getattr(part, e.name)) for e in fields(part) if e.name in UNITS})
        for part in given_parts
    ]
    count = len(report.pulleys)
    whole = dict(zip(WHOLE, given, strict=True))
    return replace(report, pulleys=tuple(parts[:count]), spans=tuple(parts[count:]), **whole)


def name_spans(drive: Drive) -> list[str]:
    """Return the name of each span, composed of the names of the pulleys at its ends: ``"alternator–pump"``."""
    names = [pulley.name for pulley in drive.pulleys]
    ends = [*names, names[0]] if drive.closed else ["start", *names, "end"]
    return [f"{a}–{b}" for a, b in pairwise(ends)]


def show_pulleys(values: Sequence[Any]) -> list[str]:
    """Return one text for each pulley: the value of a quantity, or the components of a vector in parentheses."""
    if not isinstance(values[0], tuple):
        return show_numbers(values)
    texts = iter(show_numbers([component for value in values for component in value], 4))
    return ["(" + ", ".join(next(texts) for _ in value) + ")" for value in values]


def show_number(value: float) -> str:
    """Return a value as text, with the same number of digits as in `show_numbers`."""
    return show_numbers([value])[0]
