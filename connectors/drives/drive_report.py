"""What a belt or rope does on all of its pulleys and spans: hub loads, creep, slip reserve, tensions, efficiency.

With the tensions T_1 and T_2 of the spans on both sides of a pulley, the speed v of the belt, its mass rhoA per metre,
and the wrap angle t,

    F = T - rhoA v²,    |ln(F_1/F_2)| <= mu t,    slip reserve 1 - |ln(F_1/F_2)|/(mu t): 0 where all of the arc slips,
    hub load = sum of the contact forces,    torque of the belt about the hub,    power = torque * speed of the pulley,
    creep = 1 - |omega R|/|omega R of the driver|,    efficiency = power taken by pulleys/power given by them,
    string frequency of a span of the length L: sqrt(T/rhoA)/(2 L) (1 - v² rhoA/T).

The driver is the pulley that gives most power.  R is the radius of the cord.

Source: L. Euler (1762) and F. Grashof, Theoretische Maschinenlehre II (1883) for ln(F_1/F_2); for the moving string
C. D. Mote, Journal of the Franklin Institute 279 (1965) 430-444.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from math import log, nan, sqrt
from typing import Any, NamedTuple

import numpy as np

from windlass.connectors.circle_contact.free_belt import SinkingTraction
from windlass.connectors.circle_contact.mesh_traction import ENOUGH, SMALL, MeshTraction
from windlass.connectors.drives.pulleys import Pulley
from windlass.connectors.reports.pulley_report import pulley_report
from windlass.connectors.reports.surface_report import surface_report
from windlass.elements.nodes.ground import Ground
from windlass.framework.arrays import BoolArray, FloatArray
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.hooks import StepHook
from windlass.framework.state.state import State

SIMPSON = np.array((1.0, 4.0, 1.0)) / 6.0


class Drive(NamedTuple):
    """What a report needs of a belt or rope: see `Belt`; surfaces are empty in the plane."""

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


@dataclass(frozen=True)
class PulleyDuty:
    """What a belt does on one pulley.

    Attributes:
        name: name of the pulley.
        speed: angular velocity of the pulley about its axis [rad/s].
        belt_speed: speed of the belt on it along itself, relative to the centre [m/s].
        wrap_angle, slip_arc: angle from entry to exit, and the part of it that slips [rad].
        tension_before, tension_after: mean tension of the spans ahead of it and behind it, in the order of the pulleys
            [N].
        hub_load: sum of the contact forces on the pulley [N], shape (2,) or (3,).
        hub_force: its size [N].
        torque: of the belt on the pulley about its axis [N m].
        power: torque * speed, > 0 where the pulley takes power [W].
        creep: loss of the speed of the rim against that of the driver [1]; NaN where nothing drives.
        log_ratio: |ln(F_1/F_2)| of the spans [1].
        friction_limit: mu * wrap_angle [1].
        slip_reserve: 1 - log_ratio/friction_limit [1]; NaN without friction.
        mesh_traction: what the mesh makes at the ends of the arc, also without load, of the limit of friction [1]; see
            `connectors/circle_contact/mesh_traction.py`; NaN without friction.
        sinking_traction: what the belt adds to it as it sinks in, on any mesh, see
            `connectors/circle_contact/free_belt.py`; NaN without friction.
    """

    name: str
    speed: float
    belt_speed: float
    wrap_angle: float
    slip_arc: float
    tension_before: float
    tension_after: float
    hub_load: tuple[float, ...]
    hub_force: float
    torque: float
    power: float
    creep: float
    log_ratio: float
    friction_limit: float
    slip_reserve: float
    mesh_traction: float
    sinking_traction: float


@dataclass(frozen=True)
class SpanDuty:
    """A free span.

    Attributes:
        name: the pulleys at its ends.
        length: as mounted [m].
        tension: mean axial force of the cables that touch no pulley [N].
        string_frequency: lowest frequency as a string that moves along itself [Hz]; NaN in compression or without mass.
    """

    name: str
    length: float
    tension: float
    string_frequency: float


UNITS = {
    "speed": "rad/s", "belt_speed": "m/s", "wrap_angle": "rad", "slip_arc": "rad", "tension_before": "N",
    "tension_after": "N", "hub_load": "N", "hub_force": "N", "torque": "N m", "power": "W", "creep": "1",
    "log_ratio": "1", "friction_limit": "1", "slip_reserve": "1", "mesh_traction": "1", "sinking_traction": "1",
    "length": "m", "tension": "N", "string_frequency": "Hz",
}  # fmt: skip
"""Unit of each number of a `PulleyDuty` and a `SpanDuty`."""


@dataclass(frozen=True)
class DriveReport:
    """A belt or rope on all of its pulleys, at one time or as means over time.

    Attributes:
        name: name of the belt.
        time: time, or that at the end of the means [s].
        duration: time over which means were taken [s]; 0: none.
        pulleys, spans: what happens on each of them.
        power_in, power_out: power that pulleys give to the belt and take from it [W].
        efficiency: power_out/power_in [1]; NaN where nothing drives.
        advice: what makes tractions without load small, where they are not, in words.
    """

    name: str
    time: float
    duration: float
    pulleys: tuple[PulleyDuty, ...]
    spans: tuple[SpanDuty, ...]
    power_in: float
    power_out: float
    efficiency: float
    advice: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> PulleyDuty:
        """The pulley of a name."""
        return next(duty for duty in self.pulleys if duty.name == name)

    def format(self) -> str:
        """Tables for people: a column for each pulley and a line for each span."""
        when = f"mean of {self.duration:g} s until {self.time:g} s" if self.duration else f"t = {self.time:g} s"
        names = [entry.name for entry in fields(PulleyDuty) if entry.name != "name"]
        labels = [f"{name.replace('_', ' ')} [{UNITS[name]}]" for name in names]
        cells = [[duty.name for duty in self.pulleys]]
        cells += [[_show(getattr(duty, name)) for duty in self.pulleys] for name in names]
        widths = [max(len(line[k]) for line in cells) for k in range(len(self.pulleys))]
        first = max(map(len, labels))
        lines = [f"{self.name}, {when}"]
        for label, line in zip(["", *labels], cells, strict=True):
            lines.append(f"{label:<{first}}  " + "  ".join(f"{c:>{w}}" for c, w in zip(line, widths, strict=True)))
        for span in self.spans:
            carries = f"{span.length:.4g} m, {span.tension:.5g} N"
            lines.append(f"span {span.name}: {carries}, as a string {span.string_frequency:.5g} Hz")
        lines.append(f"power in {self.power_in:.5g} W, out {self.power_out:.5g} W, efficiency {_show(self.efficiency)}")
        return "\n".join([*lines, *self.advice])


def report_drive(drive: Drive, state: State) -> DriveReport:
    """The report at a state; all processes together."""
    touching, hubs = _eval_contacts(drive, state)
    tensions = _eval_span_tensions(drive, state, touching)
    duties = [_eval_duty(drive, state, i, hubs[i], tensions) for i in range(len(drive.pulleys))]
    ends = [_find_ends(drive, i, duty) for i, duty in enumerate(duties)]
    duties = [
        replace(duty, mesh_traction=float(mesh.traction), sinking_traction=sunk.traction)
        for duty, (mesh, sunk) in zip(duties, ends, strict=True)
    ]
    advice = tuple(text for duty, pair in zip(duties, ends, strict=True) for text in _advise(duty.name, *pair))
    spans = []
    speed = float(np.mean([duty.belt_speed for duty in duties]))
    for name, length, tension in zip(_name_spans(drive), drive.span_lengths, tensions, strict=True):
        rho = drive.mass_per_length
        there = tension > 0.0 and rho > 0.0 and length > 0.0
        string = sqrt(tension / rho) / (2.0 * length) * (1.0 - rho * speed**2 / tension) if there else nan
        spans.append(SpanDuty(name, length, float(tension), string))
    return _complete(
        DriveReport(drive.name, float(state.t), 0.0, tuple(duties), tuple(spans), 0.0, 0.0, nan, advice), drive
    )


def _advise(name: str, mesh: MeshTraction, sunk: SinkingTraction) -> list[str]:
    """What makes tractions without load small, where they are not."""
    causes = (("the mesh", float(mesh.traction), mesh.advise), ("sinking in", sunk.traction, sunk.advise))
    return [
        f"{name}: {cause} makes tractions of {traction:.2g} times the limit of friction at the ends of the arc, "
        f"without any load: {advise()}"
        for cause, traction, advise in causes
        if traction > SMALL
    ]


def _find_ends(drive: Drive, i: int, duty: PulleyDuty) -> tuple[MeshTraction, SinkingTraction]:
    """What the mesh and sinking in do at the ends of the arc of pulley i, where the belt presses least."""
    cables = len(drive.cables)
    contacts = drive.contacts[i * cables : (i + 1) * cables]

    def read(handle: Entity, name: str) -> float:
        return float(np.mean(handle.table.collect(name, handle.rows)))

    tension = min(duty.tension_before, duty.tension_after)
    press = max(tension - drive.mass_per_length * duty.belt_speed**2, 0.0)
    radius, limit = drive.radii[i], read(contacts, "friction_coefficient") * press / drive.radii[i] or nan
    EA, bristles = read(drive.cables, "axial_stiffness"), read(contacts, "friction_stiffness_per_length")
    # those of surfaces bend one by one
    together = not drive.surfaces and read(contacts, "segments") >= ENOUGH
    return (
        MeshTraction(read(drive.cables, "length"), radius, EA, bristles, limit, together),
        SinkingTraction(radius, EA, press, bristles, read(contacts, "contact_stiffness_per_length"), limit),
    )


def _eval_contacts(drive: Drive, state: State) -> tuple[BoolArray, FloatArray]:
    """Which cable touches which pulley, shape (pulleys, cables), and the hub loads [N], shape (pulleys, 2 or 3)."""
    count = len(drive.pulleys)

    def read(output: str) -> FloatArray:
        return np.asarray(eval_output(drive.contacts, output, state), np.float64)

    if drive.surfaces:
        normal, force = read("normal_force"), -read("force").reshape(count, -1, 3).sum(axis=1)
    else:
        local = read("force_local")
        normal = local[..., 1]
        both = local[..., :1] * read("tangent") + local[..., 1:] * read("normal")
        force = both.reshape(count, -1, 2).sum(axis=1)
    return (normal.reshape(len(drive.contacts), -1) != 0.0).any(axis=1).reshape(count, -1), force


def _eval_span_tensions(drive: Drive, state: State, touching: BoolArray) -> FloatArray:
    """Mean axial forces of the free spans [N]: behind each pulley, of ropes also ahead of the first one."""
    count, cables = touching.shape
    lengths = drive.cables.table.collect("length", drive.cables.rows)
    x = lengths[:, None] * (0.0, 0.5, 1.0)
    force = np.asarray(eval_output(drive.cables, "axial_force", state, x=x)).reshape(cables, 3) @ SIMPSON
    owner = np.where(touching.any(axis=0), touching.argmax(axis=0), -1)
    if drive.closed:
        # begin within a stretch that touches, so that no free span goes over the end of the list
        on = np.flatnonzero(owner >= 0)
        shift = int(on[0]) if len(on) else 0
        owner, force, lengths = (np.roll(a, -shift) for a in (owner, force, lengths))
    sums = np.zeros((2, count if drive.closed else count + 1))
    edges = np.flatnonzero(np.diff(owner != -1, prepend=True, append=True))
    for a, b in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        before = int(owner[a - 1]) if a > 0 else -1
        after = int(owner[b % cables]) if b < cables or drive.closed else count
        # a free stretch within the arc of one pulley is no span
        if before != after:
            k = before if drive.closed else before + 1
            sums[:, k] += (force[a:b] * lengths[a:b]).sum(), lengths[a:b].sum()
    return np.divide(sums[0], sums[1], out=np.full(sums.shape[1], nan), where=sums[1] > 0.0)


def _eval_duty(drive: Drive, state: State, i: int, hub: FloatArray, tensions: FloatArray) -> PulleyDuty:
    pulley, cables = drive.pulleys[i], len(drive.cables)
    contacts = drive.contacts[i * cables : (i + 1) * cables]
    axis = np.array((0.0, 0.0, 1.0))
    if drive.surfaces:
        surface = surface_report(drive.world, state, contacts, drive.surfaces[i])
        wrap, slip, torque, along = surface.wrap_angle, surface.slip_arc, surface.torque, surface.speed
        axis = np.asarray(eval_output(contacts[0], "surface_axis", state)).ravel()
    else:
        marker = drive.world.entity(int(contacts[0].circle))
        circle = pulley_report(drive.world, state, contacts, marker)
        wrap, slip, torque, along = circle.wrap_angle, circle.slip_arc, circle.torque, circle.belt_speed
    speed = 0.0
    if pulley.body.table.component is not Ground:
        omega = np.asarray(eval_output(pulley.body, "angular_velocity", state)).ravel()
        speed = float(omega[0] if len(omega) == 1 else omega @ axis)
    before = float(tensions[i - 1] if drive.closed else tensions[i])
    after = float(tensions[i] if drive.closed else tensions[i + 1])
    presses = [tension - drive.mass_per_length * along**2 for tension in (before, after)]
    log_ratio = abs(log(presses[1] / presses[0])) if min(presses) > 0.0 else nan
    mu = float(contacts.table.collect("friction_coefficient", contacts.rows)[0])
    return PulleyDuty(
        name=pulley.name, speed=speed, belt_speed=along, wrap_angle=wrap, slip_arc=slip, tension_before=before,
        tension_after=after, hub_load=tuple(hub.tolist()), hub_force=float(np.linalg.norm(hub)), torque=torque,
        power=torque * speed, creep=nan, log_ratio=log_ratio, friction_limit=mu * wrap, slip_reserve=nan,
        mesh_traction=nan, sinking_traction=nan,
    )  # fmt: skip


def _complete(report: DriveReport, drive: Drive) -> DriveReport:
    """The report with what follows from its other numbers: creep, slip reserve, sizes, powers and efficiency."""
    powers = np.array([duty.power for duty in report.pulleys])
    given, taken = float(np.abs(powers[powers < 0.0]).sum()), float(powers[powers > 0.0].sum())
    driver = int(powers.argmin())
    rims = [abs(duty.speed) * radius for duty, radius in zip(report.pulleys, drive.radii, strict=True)]
    drives = given > 0.0 and rims[driver] > 0.0
    duties = tuple(
        replace(
            duty,
            hub_force=float(np.linalg.norm(duty.hub_load)),
            creep=1.0 - rim / rims[driver] if drives else nan,
            slip_reserve=1.0 - duty.log_ratio / duty.friction_limit if duty.friction_limit > 0.0 else nan,
        )
        for duty, rim in zip(report.pulleys, rims, strict=True)
    )
    efficiency = taken / given if drives else nan
    return replace(report, pulleys=duties, power_in=given, power_out=taken, efficiency=efficiency)


def _name_spans(drive: Drive) -> list[str]:
    names = [pulley.name for pulley in drive.pulleys]
    ends = [*names, names[0]] if drive.closed else ["start", *names, "end"]
    return [f"{a} - {b}" for a, b in pairwise(ends)]


def _show(value: Any) -> str:
    if isinstance(value, tuple):
        return "(" + ", ".join(f"{x:.4g}" for x in value) + ")"
    return "-" if np.isnan(value) else f"{value:.5g}"


class DriveMeans(StepHook):
    """Means over time of the reports of a belt; made by `Belt.average`."""

    def __init__(self, drive: Drive, start: float, every: int) -> None:
        self.drive, self.start, self.every = drive, start, every
        self.steps, self.since, self.duration, self.time = 0, nan, 0.0, nan
        self.sums = np.zeros(0)
        self.last: DriveReport | None = None

    def before_step(self, state: State) -> None:
        """Note where the steps of the next report begin."""
        if np.isnan(self.since) and state.t >= self.start:
            self.since = float(state.t)

    def after_step(self, state: State) -> None:
        """Add a report, weighted by the time since the one before."""
        if np.isnan(self.since):
            return
        self.steps += 1
        if self.steps % self.every:
            return
        self.last = report_drive(self.drive, state)
        weight, self.since = float(state.t) - self.since, float(state.t)
        numbers = _take_numbers(self.last)
        self.sums = (self.sums if len(self.sums) else np.zeros(len(numbers))) + weight * numbers
        self.duration, self.time = self.duration + weight, float(state.t)

    def report(self) -> DriveReport | None:
        """The means; creep, slip reserve and efficiency are those of the means.  None before the first report."""
        if self.last is None or self.duration <= 0.0:
            return None
        means = _put_numbers(self.last, self.sums / self.duration)
        return _complete(replace(means, time=self.time, duration=self.duration), self.drive)

    def checkpoint(self) -> dict[str, Any]:
        """The sums, for a restart."""
        return {
            "steps": self.steps, "since": self.since, "duration": self.duration, "time": self.time,
            "sums": self.sums.tolist(),
        }  # fmt: skip

    def restore(self, kept: Mapping[str, Any], state: State) -> None:
        """Go on with them."""
        self.steps, self.since, self.duration = int(kept["steps"]), float(kept["since"]), float(kept["duration"])
        self.time, self.sums = float(kept["time"]), np.asarray(kept["sums"], np.float64)
        self.last = report_drive(self.drive, state)


def _list_numbers(report: DriveReport) -> list[tuple[PulleyDuty | SpanDuty, list[str]]]:
    parts: list[PulleyDuty | SpanDuty] = [*report.pulleys, *report.spans]
    return [(part, [entry.name for entry in fields(part) if entry.name != "name"]) for part in parts]


def _take_numbers(report: DriveReport) -> FloatArray:
    """All numbers of pulleys and spans, one after the other."""
    return np.concatenate([np.ravel(getattr(part, name)) for part, names in _list_numbers(report) for name in names])


def _put_numbers(report: DriveReport, numbers: FloatArray) -> DriveReport:
    """A report like another one, with other numbers of pulleys and spans."""
    given = iter(numbers.tolist())

    def read(value: Any) -> Any:
        return tuple(next(given) for _ in value) if isinstance(value, tuple) else next(given)

    parts: list[Any] = [
        replace(part, **{name: read(getattr(part, name)) for name in names}) for part, names in _list_numbers(report)
    ]
    count = len(report.pulleys)
    return replace(report, pulleys=tuple(parts[:count]), spans=tuple(parts[count:]))
