"""Quantities of a drive over time: a hook that computes means, smallest and largest values, writes a table and draws
curves.

means = belt.average(start=0.5, every=5, path="drive.csv", sensors=[wl.Sensor(arm, "rotation", name="arm")])
state = wl.Dynamic(world, step=1e-4, end=2.0).solve(state, hooks=[means])
print(means.report().format())
means.draw("drive.png")
means["alternator.slip_reserve"], means.times
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, isclose, nan, sqrt
from typing import Any

import numpy as np

from windlass.connectors.contact.account import FRICTION_LOSSES
from windlass.connectors.drives.bristle_creep import BeltLaw, Passing, eval_bristle_creep, find_lags
from windlass.connectors.drives.contact_choice import LAYER_SHARE
from windlass.connectors.drives.drive_motion import POWERS, DriveMotion
from windlass.connectors.drives.drive_numbers import MOST_RECORDS
from windlass.connectors.drives.drive_page import draw_means
from windlass.connectors.drives.drive_report import (
    UNITS,
    Drive,
    DriveReport,
    Extremes,
    complete,
    find_ends,
    list_numbers,
    put_numbers,
    take_numbers,
)
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import (
    check_fields,
    checked,
    checked_names,
    each,
    either,
    instance,
    optional,
    path,
    that,
    word,
)
from windlass.framework.command_line.options import help_requested
from windlass.framework.command_line.report_parts import ReportSection
from windlass.framework.errors import ModelError
from windlass.framework.ledger.energy_ledger import EnergyLedger
from windlass.framework.model.system import Fields
from windlass.framework.output.figures import check_picture
from windlass.framework.output.probes import Probe, SensorLike
from windlass.framework.output.sensors import Sensors
from windlass.framework.state.hooks import NO_STEPS, IdleSteps
from windlass.framework.state.state import State, check_world

SAME_TIME = 1e-9
"""Largest difference of two times that are treated as equal, divided by the duration of the means [1]."""
TENSION_ERROR = 3e-4
"""Assumed error of tensions due to the mesh, divided by the largest tension [1]."""
POWER_ERROR = 3e-5
"""Tolerated error of the power balance, relative to the largest tension times the speed of the belt [1], if powers are
integrated over all steps."""
SAMPLING_ERROR = 3e-4
"""Tolerated error of the power balance, relative to the largest tension times the speed of the belt [1], if powers are
means over the records."""
CREEP_ERROR = 0.01
"""Largest tolerated increase of the loss of speed due to bristles, divided by the largest loss of speed without
bristles [1].
"""
LAYER_ERROR = 0.005
"""Largest tolerated change of the loss of speed due to mesh and contact, divided by the largest loss of speed [1], if
bristles represent the layer of the belt. The change is estimated. In tests with random drives the true change was up to
2.4 times the estimate, see docs/explanation/measurements.md.
"""
TOLERATED_LENGTH = 1.1
"""Largest tolerated length of cables, divided by the length that `refine_for_layers` chooses for a layer [1]."""
STEADY_CREEP = 0.5
"""Limit [1] of the difference between the losses of speed of a run and of the theory of steady motion, divided by the
largest loss. Above this limit a motion is treated as unsteady.
"""
TRANSIENT = 0.1
"""Limit [1] of the difference between the losses of speed of a run and of the theory of steady motion, divided by the
largest loss. Above this limit a report recommends a later start of the means.
"""
NEGLIGIBLE = 1e-6
"""Difference between losses of speed that is ignored [1]. Waves of belts without load cause such differences."""
STEADY_SWING = 0.25
"""Standard deviation of the tension of a span over time, divided by the largest change of tension on a pulley [1].
Above this value, vibrations change the losses so much that a comparison with steady motion is not meaningful.
"""
LOSS_ERROR = 0.01
"""Largest tolerated loss of power where cables enter and leave the contact, divided by the supplied power [1]."""
LOADED = 0.5
"""Efficiency of a drive [1]. Above this value `judge_losses` checks the losses."""
LOSS_ORDER = 3.0
"""Exponent with which the loss at entry and exit depends on the length of cables [1]. Simulations gave exponents of 2.7
to 3.
"""


def name_number(part: str, quantity: str) -> str:
    """Return the name of a quantity, for example ``"alternator.slip_reserve"`` or ``"efficiency"``."""
    return f"{part}.{quantity}" if part else quantity


BELT = that(lambda given: hasattr(given, "drive") and hasattr(given, "wrap_angles"), "a Belt or a Rope")
SENSOR = {
    "belt": BELT,
    "quantity": either(word(), each(word(), "a list of words", 1)),
    "name": word(),
}


@checked_names(SENSOR)
@dataclass(frozen=True)
class DriveSensor:
    """Sensor of quantities of all pulleys and spans of a belt or rope.

    Args:
        belt: the `Belt` or `Rope`.
        quantity: name of a quantity of a `PulleyDuty`, a `SpanDuty` or a `DriveReport`, for example ``"slip_reserve"``,
            or several names. A quantity of pulleys is recorded for all pulleys, and a quantity of spans for all spans.
        name: name in the table; default: name of the belt.

    Raises:
        ModelError: the quantity does not exist.
    """

    belt: Any
    quantity: str | Sequence[str]
    name: str = ""

    def __post_init__(self) -> None:
        check_fields(self, SENSOR)
        for name in self._quantities():
            if name not in UNITS:
                raise ModelError(f"quantity = {name!r} of DriveSensor: must be one of {', '.join(UNITS)}")
        if not self.name:
            object.__setattr__(self, "name", self.belt.name)

    def _quantities(self) -> list[str]:
        return [self.quantity] if isinstance(self.quantity, str) else list(self.quantity)

    def create_probe(self, state: State) -> Probe:
        """Create the probe that reads the quantities from the states of a model."""
        return create_probe(DriveMotion(self.belt.drive), self.name, self._quantities(), state)


def create_probe(motion: DriveMotion, name: str, quantities: Sequence[str] | None, state: State) -> Probe:
    """Create a `Probe` that evaluates the given quantities of a drive, or all quantities if ``quantities`` is None."""
    check_world(state, motion.drive.world, "a sensor of a belt")
    bound, chosen, columns = motion.find_bound(), list[int](), list[tuple[str, str]]()
    place = 0
    for part, quantity, unit, size in list_numbers(bound.blank):
        if quantities is None or quantity in quantities:
            label = name_number(part, quantity) if quantities is None else f"{name}.{name_number(part, quantity)}"
            columns += [(label if size == 1 else f"{label}[{k}]", unit) for k in range(size)]
            chosen += range(place, place + size)
        place += size

    def read(values: Fields) -> FloatArray:
        bound = motion.find_bound()
        numbers = bound.eval_numbers(values)[chosen]
        # the values of all processes are added, and each process has the values of the whole drive, so all processes
        # except the first return 0
        return numbers if bound.contacts.assembly.layout.rank == 0 else np.zeros_like(numbers)

    return Probe(columns, (len(columns),), read)


class _WholeDrive:
    """Sensor of all quantities of a drive."""

    def __init__(self, motion: DriveMotion) -> None:
        self.motion, self.name = motion, motion.drive.name

    def create_probe(self, state: State) -> Probe:
        """Create the probe that reads the quantities from the states of a model."""
        return create_probe(self.motion, self.name, None, state)


@dataclass(frozen=True)
class DriveLosses:
    """Work that pulleys have done on a belt or rope, divided into losses and stored energy [J]. See
    `DriveMeans.losses`.

    Attributes:
        given, taken: work that driving pulleys do on the belt, and work that the belt does on driven pulleys.
        friction: loss by friction in the contact, including the energy of bristles whose contact opens. Without
            discretisation errors, this loss is the loss due to creep.
        contact_damping: loss of the normal dampers of the contact. This numerical loss decreases if steps and elements
            become smaller.
        cords: loss due to damping of the cables.
        bending: loss due to the `bending_loss` of the belt.
        teeth: loss due to friction and damping of the teeth of timing belts.
        integrator: loss due to the method of integration in the whole model.
        stored: ``given`` minus ``taken`` minus all losses listed above. This difference consists of three parts: the
            change of the energies of belt and contact, plus the residual of the ledger, minus the energies that the
            integrator loses in other parts of the model.
        efficiency: ratio taken/given of the two works [1].
        friction_efficiency: 1 - friction/given [1].
    """

    given: float
    taken: float
    friction: float
    contact_damping: float
    cords: float
    bending: float
    teeth: float
    integrator: float
    stored: float
    efficiency: float
    friction_efficiency: float


class DriveMeans(Sensors):
    """Hook that records all quantities of a belt over time and computes means, smallest and largest values.
    `Belt.average` creates this hook.

    For closed belts, the verdict of the solve and ``report().doubts`` contain a warning in four cases. (1) Pulleys take
    more energy from the belt than the sum of the energy that other pulleys supply and the stored energy that the belt
    releases. (2) The loss of speed of a pulley changes by more than about 1 % due to the deflection of bristles on
    short arcs of contact, or due to mesh and contact. (3) Cables are too long for a compliant layer of the belt. (4) In
    steady motion, more than 1 % of the supplied power is dissipated by other causes than creep.

    Quantities have names such as ``"alternator.slip_reserve"``, ``"span alternator–pump.tension"`` (a hyphen is
    accepted) and ``"efficiency"``. The values of ``sensors`` have the names of the sensors.

    Attributes:
        times: times of the records [s].
        units: units of the quantities, by name.
    """

    def __init__(
        self,
        drive: Drive,
        start: float,
        every: int,
        path: str | os.PathLike[str] | None = None,
        sensors: Sequence[SensorLike] = (),
        picture: str | os.PathLike[str] | None = None,
    ) -> None:
        self.drive, self.start = drive, start
        self._picture = None if picture is None or help_requested() else check_picture(picture)
        self._motion = DriveMotion(drive)
        # energies [J] that the pulleys have received since the first record, one row for each record
        self._energies: list[FloatArray] = []
        # index of the step from which compiled code counts its steps
        self._begun = 0
        super().__init__(path, [_WholeDrive(self._motion), *sensors], every)
        drive.means.append(self)

    @property
    def names(self) -> list[str]:
        """Names of all quantities. The list is empty before the first record."""
        return [name for probe in self._probes for name, _ in probe.columns] or super().names

    def __getitem__(self, name: str) -> FloatArray:
        """Return a copy of the values of one quantity at all records, shape (records,)."""
        names = [known.replace("–", "-") for known in self.names]
        if name.replace("–", "-") not in names:
            raise ModelError(f"the means have no quantity {name!r}: must be one of {', '.join(self.names)}")
        place = names.index(name.replace("–", "-"))
        return np.array([row[place] for row in self._rows])

    def record(self, state: State) -> None:
        """Evaluate and record all quantities unless the time is before ``start``."""
        if state.t >= self.start:
            super().record(state)
            self._motion.add(state)
            self._motion.recorded[:] = self._motion.integral
            if len(self._energies) < len(self._rows):
                self._energies.append(self._motion.integral[POWERS].copy())

    def _create_probes(self, state: State) -> None:
        super()._create_probes(state)
        self.units = {name: unit for probe in self._probes for name, unit in probe.columns}

    def after_step(self, state: State) -> None:
        """Record the quantities if a record is due. After the first record, also add the last step to the integrals of
        speeds, torques and powers of the pulleys.
        """
        super().after_step(state)
        if self._marks:
            self._motion.add(state)

    def idle_steps(self, state: State, size: float) -> IdleSteps:
        """Return the coming steps up to the next record, or up to the step that fills the buffer of the records that
        compiled code makes. After the first record, compiled code integrates the motion of the pulleys in these steps.
        Return no steps if compiled code cannot evaluate the powers.
        """
        idle = super().idle_steps(state, size)
        if not self._marks or not self._motion.is_wanted:
            return idle
        program = self._motion.find_program(state)
        if program is None:
            return NO_STEPS
        self._begun = state.step
        # compiled code cannot evaluate the values of ``sensors``
        records = len(self._sensors) == 1 and self._motion.begin_records(state, self._steps, self._every or 0)
        return IdleSteps(MOST_RECORDS - 1 if records else idle.number, program, idle.after)

    def _add_steps(self, steps: int) -> None:
        super()._add_steps(steps)
        for t, step, row, energies in self._motion.fetch_records():
            self._keep([row], [(t, self._begun + step)])
            self._energies.append(energies)

    def report(self) -> DriveReport | None:
        """Return a report with means over time by the trapezoidal rule, or None before the second record.

        In 2D, the speeds, torques and powers of pulleys are means over all steps. All other quantities are means over
        the records. Creep, slip arcs, slip reserves, tension ratios, string frequencies and efficiency are computed
        from the means. Some quantities exist only during a part of the time. For example, the tension of a span does
        not exist after the rope of this span has been wound up. The mean of such a quantity is taken over the times at
        which the quantity exists.
        """
        times = self.times
        if len(times) < 2 or not times[-1] > times[0]:
            return None
        values = np.array(self._rows)
        energy = values[:, self.names.index("stored_energy")]
        means = average(times, values)
        count = len(self._probes[0].columns)
        last = self._motion.find_bound().describe(values[-1, :count], float(times[-1]))
        duration = float(times[-1] - times[0])
        report = replace(put_numbers(last, means[:count]), time=float(times[-1]), duration=duration)
        if self._motion.is_wanted:
            motion = zip(report.pulleys, *(self._motion.recorded / duration).tolist(), strict=True)
            pulleys = tuple(replace(duty, speed=speed, torque=M, power=power) for duty, speed, M, power in motion)
            report = replace(report, pulleys=pulleys)
        report = complete(report, self.drive)
        means[:count] = take_numbers(report)
        over_turns = self._eval_over_turns(report.turn)
        means[[self.names.index(name) for name in over_turns]] = average(
            times, np.stack([*over_turns.values()], axis=1)
        )
        all_series = {name: over_turns.get(name, series) for name, series in zip(self.names, values.T, strict=True)}
        found = {
            name: _find_extremes(self.units[name], mean, times, series)
            for mean, (name, series) in zip(means.tolist(), all_series.items(), strict=True)
            if not np.isnan(series).all()
        }
        error = POWER_ERROR if self._motion.is_wanted else SAMPLING_ERROR
        stored = float(energy[-1] - energy[0])
        doubts: tuple[str, ...] = ()
        if self.drive.closed:
            doubts = (*judge_powers(report, stored, error), *judge_creep(report))
            if self.drive.losses is None and self._eval_swing(report, values) <= STEADY_SWING:
                doubts += judge_losses(report, stored)
            report = replace(report, advice=(*report.advice, *note_start(report)))
        return replace(report, extremes=found, doubts=doubts)

    def _eval_swing(self, report: DriveReport, values: FloatArray) -> float:
        """Return the largest standard deviation [1] of the tension of a span over time, divided by the largest change
        of tension on a pulley. If no pulley changes the tension, the result is infinite.
        """
        places = [self.names.index(f"span {span.name}.tension") for span in report.spans]
        change = max(abs(duty.tension_after - duty.tension_before) for duty in report.pulleys)
        return float(values[:, places].std(axis=0).max()) / change if change > 0.0 else inf

    def over_turns(self) -> dict[str, FloatArray]:
        """Return the supplied power [W], the delivered power [W] and the efficiency [1] as means over the turn of the
        belt that ends at each record.

        Each mean has the shape (records,), and is NaN before the first turn is complete. Before the second record, the
        returned dictionary is empty. Ratios of powers in single steps are not meaningful, because torques fluctuate and
        the belt stores and returns energy. The efficiency is the delivered work, divided by the supplied work plus the
        energy that the belt releases during the turn.
        """
        report = self.report()
        return {} if report is None else self._eval_over_turns(report.turn)

    def _eval_over_turns(self, turn: float) -> dict[str, FloatArray]:
        """Evaluate `over_turns` for a given duration of a turn [s]. If there is no turn, the duration is NaN."""
        powers = np.stack([self[f"{pulley.name}.power"] for pulley in self.drive.pulleys], axis=1)
        energies = np.array(self._energies) if self._motion.is_wanted else accumulate(self.times, powers)
        return eval_over_turns(self.times, energies, self["stored_energy"], turn)

    def find_doubts(self) -> Sequence[str]:
        """Return the warnings of the report of the means."""
        report = self.report()
        return () if report is None else report.doubts

    @checked(ledger=instance("EnergyLedger"))
    def losses(self, ledger: EnergyLedger) -> DriveLosses:
        """Compute the losses by cause, the stored energy, and the work of the pulleys.

        Args:
            ledger: a hook of the same solves. It must cover the same time as these means.

        Raises:
            ModelError: the means or the ledger have no values, or the two cover different times. In 3D, the means must
                also record each step (``every=1``), because otherwise integrated powers are less accurate than the
                losses require.
        """
        if self._every != 1 and not self._motion.is_wanted:
            raise ModelError(
                f"every = {self._every} of the means of '{self.drive.name}', which is 3D: must be 1 for losses, "
                "because losses of a 3D drive need the power of each step"
            )
        report, span = self.report(), ledger.times[[0, -1]] if len(ledger.times) else np.zeros(2)
        if report is None or not np.allclose(span, self.times[[0, -1]], rtol=0.0, atol=SAME_TIME * report.duration):
            own = self.times[[0, -1]].tolist() if len(self.times) else "nothing"
            raise ModelError(f"the means cover {own} s, the ledger covers {span.tolist()} s: must cover the same time")
        drive = self.drive

        def add(rows: Any, names: Sequence[str] | None = None) -> float:
            found = {} if rows is None else ledger.losses(rows)
            return float(sum(values.sum() for name, values in found.items() if names is None or name in names))

        friction = add(drive.contacts, FRICTION_LOSSES)
        damping = add(drive.contacts) - friction
        cords, bending, teeth = add(drive.cables), add(drive.losses), add(drive.teeth)
        integrator = ledger.totals["integrator"]
        given, taken = report.power_in * report.duration, report.power_out * report.duration
        left = given - taken - friction - damping - cords - bending - teeth - integrator
        share = friction / given if given > 0.0 else nan
        return DriveLosses(
            given, taken, friction, damping, cords, bending, teeth, integrator, left, report.efficiency, 1.0 - share
        )

    @checked(path=optional(path()))
    def draw(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Draw the curves of slip reserves, hub loads, tensions, deflections, speeds and powers as a picture.

        Args:
            path: the file, whose suffix (``.png``, ``.pdf``, ``.svg``) determines the format. If the path is None, a
                figure of matplotlib is returned, which notebooks display.

        Returns:
            The path of the file, or the figure. Processes other than the first return None instead of the figure.

        Raises:
            OutputError: there are no records, or the file cannot be written.
        """
        return draw_means(path, self, self.over_turns())

    def finish(self, state: State) -> None:
        """At the end of a solve, record the last state and, if the user wants a picture, draw the curves."""
        super().finish(state)
        if self._picture is not None and len(self.times):
            self.draw(self._picture)

    def report_sections(self) -> Sequence[ReportSection]:
        """Return an empty list, because for each drive the report of a run contains a page with the curves."""
        return ()

    def checkpoint(self) -> dict[str, Any]:
        """Return all records, and the integrals of the motion of the pulleys."""
        energies = np.array(self._energies).reshape(len(self._energies), len(self.drive.pulleys))
        return {**super().checkpoint(), "motion": self._motion.checkpoint(), "energies": energies}

    def restore(self, kept: Mapping[str, Any], state: State) -> None:
        """Restore the records and the integrals from the values of `checkpoint`."""
        super().restore(kept, state)
        self._motion.restore(kept["motion"])
        self._energies = list(np.array(kept["energies"]))


def judge_powers(report: DriveReport, stored: float, error: float) -> tuple[str, ...]:
    """Return a warning if the power balance of the means is violated. Otherwise the result is empty. The power that
    pulleys take from the belt must not exceed the power that the other pulleys and the stored energy of the belt
    supply. A small error is tolerated.

    Args:
        report: report with means over time.
        stored: change of the stored energy of the belt over the time of the means [J].
        error: tolerated error of the power balance [1], `POWER_ERROR` or `SAMPLING_ERROR`.
    """
    given, taken, time = report.power_in, report.power_out, report.duration
    tension = max((span.tension for span in report.spans if np.isfinite(span.tension)), default=0.0)
    allowed = error * abs(tension * report.belt_speed)
    released = max(-stored / time, 0.0)
    if not given > 0.0 or taken - given <= released + allowed:
        return ()
    return (
        f"the pulleys of {report.name} take {taken:.5g} W and give {given:.5g} W in the mean over {time:.3g} s, an "
        f"efficiency of {report.efficiency:.4f}: the stored energy of the belt changes by {stored:.3g} J, "
        f"which explains {released:.3g} W of the difference, and errors of means explain {allowed:.2g} W; take a "
        "smaller step or more elements, unless other forces drive the belt",
    )


def judge_losses(report: DriveReport, stored: float) -> tuple[str, ...]:
    """Return warnings if, in the means of a steady motion, the belt loses more power than creep explains. Otherwise the
    result is empty. On a pulley on which the tension changes by dN and the force F by dF = E/EA dN, creep and the shear
    of the layer cause the loss of power c dF (dF/(2 E) + w). `steady_drive.py` defines the symbols.

    Args:
        report: report with means over time.
        stored: change of the stored energy of the belt over the time of the means [J].
    """
    law, given, taken = report.law, report.power_in, report.power_out
    if law is None or not taken > LOADED * given:
        return ()
    changes = np.array([duty.tension_after - duty.tension_before for duty in report.pulleys])
    tensions = np.array([span.tension for span in report.spans])
    EA, flow = law.axial_stiffness, abs(report.belt_speed) / (1.0 + float(tensions.mean()) / law.axial_stiffness)
    E = EA - law.mass_per_length * flow**2
    passings = [
        Passing(arc, duty.wrap_angle, *find_ends(duty, report.belt_speed))
        for arc, duty in zip(law.arcs, report.pulleys, strict=True)
    ]
    lags = find_lags(law, passings, flow, bristles=True)
    # the theory of layers is valid only for arcs with a sticking part
    if np.isnan(lags).any():
        return ()
    # changes of F in the direction of the motion
    press = E / EA * changes * (1.0 if report.belt_speed > 0.0 else -1.0)
    creep = flow * float(press @ (press / (2.0 * E) + lags))
    lost = given - taken - stored / report.duration - creep
    allowed = max(LOSS_ERROR * given, TENSION_ERROR * float(tensions.max()) * abs(report.belt_speed))
    if not lost > allowed:
        return ()
    finer = (2.0 * lost / allowed) ** (1.0 / LOSS_ORDER)
    return (
        f"the pulleys of {report.name} give {given:.5g} W, of which {lost:.3g} W, {100.0 * lost / given:.2g} %, are "
        f"lost otherwise than by creep, {creep:.3g} W: cables that run onto pulleys and off pulleys lose this power "
        "in the normal dampers of the contact and in the method of integration, unless the damping of the cord "
        "explains the loss; torques and losses of speed are too large by about the same share; "
        f"take {finer:.2g} times as many elements; `means.losses(ledger)` lists the parts of the loss",
    )


def note_start(report: DriveReport) -> tuple[str, ...]:
    """Return advice if the speeds of pulleys differ from the speeds in steady motion, for example because not all parts
    of the belt have made a full turn. Otherwise the result is empty.
    """
    lost = np.array([(duty.creep, duty.rigid_creep) for duty in report.pulleys if duty.slip_reserve > 0.0])
    if not len(lost) or not np.isfinite(lost).all():
        return ()
    off, most = np.abs(lost[:, 0] - lost[:, 1]), float(np.abs(lost[:, 1]).max())
    worst = int(off.argmax())
    if off[worst] <= max(TRANSIENT * most, NEGLIGIBLE) or not report.belt_speed > 0.0:
        return ()
    return (
        f"speeds of {report.name} differ from the speeds in steady motion: a loss of {100.0 * lost[worst, 0]:.3g} % in "
        f"these means, {100.0 * lost[worst, 1]:.3g} % in theory with the tensions of these means; creep is steady "
        f"after each piece of the belt has passed all pulleys once, which takes {report.turn:.3g} s: begin the means "
        "after this time",
    )


def judge_creep(report: DriveReport) -> tuple[str, ...]:
    """Return warnings about two errors of the means. The first error: bristles change the loss of speed by more than a
    tolerated fraction, and the errors of the tensions due to the mesh do not explain this change. The second error:
    cables are too long for a layer.

    Means that include the start of the drive are not checked, because during the start the speeds of pulleys change for
    other reasons.
    """
    law, duties = report.law, report.pulleys
    if law is None or not duties or np.isnan([duty.creep for duty in duties]).any():
        return ()
    # if the belt slips on the whole arc of a pulley, the creep of this pulley is undefined
    creeping = [i for i, duty in enumerate(duties) if duty.slip_reserve > 0.0 and duty.speed != 0.0]
    driver = int(np.argmin([duty.power for duty in duties]))
    if driver not in creeping:
        return ()
    passings = [Passing(law.arcs[i], duties[i].wrap_angle, *find_ends(duties[i], report.belt_speed)) for i in creeping]
    place, speed = creeping.index(driver), report.belt_speed
    found = eval_bristle_creep(law, passings, place, speed)
    largest = max(max(passing.entering, passing.leaving) for passing in passings)
    lost = np.array([duties[i].creep for i in creeping])
    # bristles act on an arc that is shorter than the arc of the belt; if the belt slips on this whole shorter arc, the
    # losses are NaN
    if np.isnan(found.loss + found.right).any():
        return ()
    if np.abs(lost - found.loss).max() > STEADY_CREEP * np.abs(found.loss).max():
        return ()
    coarse = _judge_layer_mesh(report, law, [duties[i].name for i in creeping], passings, found.right, place)
    if coarse:
        return coarse
    worst, slowest = int(np.abs(found.lag).argmax()), int(np.abs(found.loss - found.right).argmax())
    arc, slow, rigid = duties[creeping[worst]], duties[creeping[slowest]], passings[worst].law.bristles == inf
    own = not rigid and isclose(passings[worst].law.bristles, passings[worst].law.layer)
    tolerated = LAYER_ERROR if own else CREEP_ERROR
    # Errors due to the mesh and errors due to the contact may cancel each other in ``found.excess``, but not in the
    # motion. Therefore the excess is also estimated for a rigid contact.
    if found.excess <= tolerated:
        hard = [passing._replace(law=passing.law._replace(contact=inf)) for passing in passings]
        found = eval_bristle_creep(law, hard, place, speed)
        tolerated = CREEP_ERROR
    if not found.excess > tolerated or found.error <= TENSION_ERROR * largest / law.axial_stiffness:
        return ()
    layer = "a rigid layer" if passings[slowest].law.layer == inf else "the layer alone"
    share, advice = f"{100.0 * found.excess:.2g} %", "give `layer_stiffness=` if the belt has a soft layer"
    change = f"bristles add {share} to the loss of speed of {report.name}"
    if rigid:
        change = f"a layer that is treated as rigid leaves out {share} of the loss of speed of {report.name}"
    elif own:
        change = (
            f"mesh and contact change the loss of speed of {report.name} by {share}, and up to three times as much in "
            "motion"
        )
        grows = abs(found.loss[slowest]) > abs(found.right[slowest])
        long = f"more elements, as cables of {law.cable_length:.3g} m are long for this arc"
        advice = f"or take {long if grows else 'a stiffer contact, as the belt touches beyond this arc'}"
    return (
        f"{change}, most of it on the arc of {arc.name}, {arc.wrap_angle:.3g} rad, along which all bristles bend: "
        f"{slow.name} loses {100.0 * slow.creep:.4g} % in these means, and {100.0 * found.right[slowest]:.4g} % on "
        f"{layer} with the same tensions; take losses of speed from the second value "
        f"(`rigid_creep` for a rigid layer) or from `belt.steady`; tensions and loads need no correction; {advice}",
    )


def _judge_layer_mesh(
    report: DriveReport, law: BeltLaw, names: Sequence[str], passings: Sequence[Passing], loss: FloatArray, driver: int
) -> tuple[str, ...]:
    """Return warnings about cables that are too long for the decay length of a compliant layer. The result is empty if
    there are no warnings.

    Args:
        report: report with means over time.
        law: stiffnesses of the belt and of its layer, with which creep is computed.
        names, passings: names of the pulleys, and the arcs of the belt on these pulleys.
        loss: losses of speed without bristles, with the shear of the layer only [1], shape (pulleys,).
        driver: index of the driver in ``passings``.
    """
    stretch = 1.0 + np.array([passing.entering for passing in passings]) / law.axial_stiffness
    rigid = 1.0 - stretch / stretch[driver]
    if np.abs(loss - rigid).max() <= CREEP_ERROR * np.abs(loss).max():
        return ()
    layers = np.array([one.law.layer if isclose(one.law.bristles, one.law.layer) else 0.0 for one in passings])
    stiffest = int(np.where(layers < inf, layers, 0.0).argmax())
    if not 0.0 < layers[stiffest] < inf:
        return ()
    decay = sqrt(law.axial_stiffness / layers[stiffest])
    more = law.cable_length / (LAYER_SHARE * decay)
    if more <= TOLERATED_LENGTH:
        return ()
    return (
        f"cables of {law.cable_length:.3g} m are long for the layer of {report.name}, whose shear on {names[stiffest]} "
        f"decays over {decay:.3g} m: errors of losses of speed may be some percent; take {more:.2g} times as many "
        f"elements, each {LAYER_SHARE:g} decay lengths long",
    )


def accumulate(times: FloatArray, values: FloatArray) -> FloatArray:
    """Integrate each column of ``values`` from the first row to each row by the trapezoidal rule. The result has the
    shape (rows, columns) of ``values``.
    """
    pieces = 0.5 * np.diff(times)[:, None] * (values[1:] + values[:-1])
    found: FloatArray = np.concatenate([np.zeros((1, values.shape[1])), np.cumsum(pieces, axis=0)])
    return found


def eval_over_turns(times: FloatArray, energies: FloatArray, stored: FloatArray, turn: float) -> dict[str, FloatArray]:
    """For each row, return powers and efficiency as means over the turn of the belt that ends at the time of this row.
    See `DriveMeans.over_turns`.

    Args:
        times: times of the rows [s], shape (rows,).
        energies: energies that the pulleys have received up to each time [J], shape (rows, pulleys).
        stored: energy of the belt [J], shape (rows,).
        turn: duration of a turn of the belt [s]. If there is no turn, the value is NaN.
    """
    begin = times - turn
    # if the duration of a turn is NaN, this comparison is false
    there = begin >= times[0] - SAME_TIME * (times[-1] - times[0])
    work = energies - np.stack([np.interp(begin, times, column) for column in energies.T], axis=1)
    given, taken = -np.minimum(work, 0.0).sum(axis=1), np.maximum(work, 0.0).sum(axis=1)
    supplied = given + np.interp(begin, times, stored) - stored
    ratio = np.divide(taken, supplied, out=np.full(len(times), nan), where=(given > 0.0) & (supplied > 0.0))
    found = {"power_in": given / turn, "power_out": taken / turn, "efficiency": ratio}
    return {name: np.where(there, values, nan) for name, values in found.items()}


def average(times: FloatArray, values: FloatArray) -> FloatArray:
    """Return the mean of each column over time by the trapezoidal rule. For each column, only rows with a finite value
    in this column are used. If there are no such rows, the mean is NaN.

    Args:
        times: times [s] of two or more rows, shape (rows,).
        values: values of the columns, shape (rows, columns).
    """
    steps = np.diff(times)
    # weights of the trapezoidal rule: half of the sum of the time steps before and after each row
    weights = 0.5 * (np.append(steps, 0.0) + np.append(0.0, steps))
    there = np.isfinite(values)
    total = weights @ there
    sums = weights @ np.where(there, values, 0.0)
    means: FloatArray = np.divide(sums, total, out=np.full(len(sums), nan), where=total > 0.0)
    return means


def _find_extremes(unit: str, mean: float, times: FloatArray, values: FloatArray) -> Extremes:
    low, high = int(np.nanargmin(values)), int(np.nanargmax(values))
    return Extremes(unit, mean, float(values[low]), float(times[low]), float(values[high]), float(times[high]))
