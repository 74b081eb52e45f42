"""Steady motion of a belt drive without time integration: equations of spans, sticking and slipping arcs, length of the
belt, and torques.

The flow c of a belt is the reference length that passes a fixed point per time. A belt with the stretch lam has the
tension N = EA (lam - 1) and the speed v = c lam. Only a part F of the tension N presses the belt on the pulleys and
transmits torque:

    F = N - rhoA c² lam = E lam - EA,    E = EA - rhoA c²

For each pulley let r be the radius of the face, R the radius of the cord, t the wrap angle, mu the friction
coefficient, and psi the lost fraction of the bending energy. The index "in" denotes the span before the pulley in the
running direction, and "out" the span after the pulley:

    entry: the belt sticks, omega R = c (lam_in - w), with the relative slip w of belt and rim
    exit: the belt slips before the exit, over the angle phi <= t. This angle follows from |ln(F_out/F_in)| = mu r/R phi
    torque: M = (F_out - F_in) R - psi EI/(2 R), of the belt on the pulley, in the sense of rotation
    loss by friction and shear: c (F_out - F_in) ((F_out - F_in)/(2 E) + w)
    loss by bending: |omega| psi EI/(2 R) at entry and exit together, see `bending_loss.py`.

A belt with the bending stiffness EI that leaves a circle keeps its tangent and its curvature 1/R at the exit. The
distance of the belt from the line of the span is y = (l²/R) exp(-x/l), l² = EI/F, which is a solution of l² d⁴y/dx⁴ =
d²y/dx². Therefore

    line of a span: tangent of circles of the radius R + l²/(2 R) = R + EI/(2 F R)
    exit: the belt leaves the circle at an angle l/R before the end of the angle t between the lines
    slip: determined by t, because the shear force at the exit is equal to the missing pressure along the angle l/R
    energy: no energy is lost at the exit, so E lam² + EI lam² κ² with the curvature κ is equal on both sides
    arc: the stretch is q times lam of the span, q² = E/(E + EI/R²), and F is less by about EI/(2 R²)
    moments: EI lam/R at both ends of an arc. Therefore the torque is (F_out - F_in) R/q, with the forces F of the spans
    length: each end adds about l³/(12 R²) to the length of the belt, see `circle_contact/belt_ends.py`

On a rigid layer between cord and face, w is 0. The shear of a layer with the shear stiffness K is 0 at the entry of the
belt, and increases by w per length until the belt slips. See `connectors/reports/belt_bristles.py`. The layer is
sheared only on the part of the arc on which the belt is in contact, see `circle_contact/belt_ends.py`. With a soft
contact, the belt is in contact beyond the ends of the arc, with a small pressure. The shear of the layer there is
neglected.

The unknowns are the force F of each span and the flow c. For each pulley there is one equation: either the speed is
given, or the torques are in balance. The last equation states the reference length of the closed belt. The reference
length is the sum of length/lam over spans and arcs that stick, plus R E/(mu r/R EA) |ln(F_out lam_in/(F_in lam_out))|
for each arc that slips. With a compliant layer, the sticking and slipping parts of an arc are determined by the shear.
The pulleys are assumed to be rigid. Sag, air resistance and bearing losses are neglected.

Source: S. E. Bechtel, S. Vohra, K. I. Jacob, C. D. Carlson, The stretching and slipping of belts and fibers on pulleys,
J. Appl. Mech. 67 (2000) 197-206; F. Grashof, Theoretische Maschinenlehre II (1883); the beam under tension:
S. P. Timoshenko, J. M. Gere, Theory of Elastic Stability (1961), chapter 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from math import inf, log, nan, sqrt
from typing import NamedTuple

import numpy as np

from windlass.connectors.circle_contact.belt_ends import eval_ends
from windlass.connectors.drives.drive_report import show_number, show_pulleys
from windlass.connectors.drives.fit import LARGEST_STRAIN, LONGEST_END, Bends, find_tension
from windlass.connectors.drives.pulleys import Pulley, find_spans
from windlass.connectors.reports.belt_bristles import Rim, pass_arc
from windlass.connectors.reports.quantities import show_numbers
from windlass.elements.routes.routes import Route
from windlass.elements.routes.spatial_routes import SpatialRoute
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.checks.checks import check_fields, checked_names, function, numbers, word
from windlass.framework.checks.values import read_numbers
from windlass.framework.errors import ModelError

MachineTorque = float | Callable[[float], float]
"""Torque of a machine on a pulley [N m], > 0 counter-clockwise, or a function that returns this torque for the speed of
the pulley [rad/s].
"""
LOADS = (1.0, 0.5, 0.25, 0.125)
"""Step sizes with which the solver increases the torques from 0 to their full values [1]. The next step size is tried
if the solver does not converge.
"""
ERROR = 1e-9
"""Largest residual of an equation in a solution [1]. All equations are scaled to order 1."""
LEAST = 1e-6
"""Smallest force F on an arc during the iterations, divided by the mean force F of the spans [1]."""
LARGEST_LAG = 0.1
"""Largest relative slip |w| at the entry of an arc in a solution [1]."""
UNBALANCED = 1e-8
"""Largest torque that is treated as 0, divided by the largest force F times the radius of the cord [1]."""


class DriveData(NamedTuple):
    """A closed 2D belt on its pulleys. Arrays have the shape (pulleys,) unless noted otherwise.

    name, names: name of the belt, and names of the pulleys.
    turns: 1 if a belt that runs in the order of the pulleys rotates the pulley counter-clockwise, otherwise -1.
    radii, touching: radii R of the cord and r of the face [m].
    wraps: wrap angles [rad].
    friction: friction coefficients mu [1].
    layers: shear stiffness K of the layer per length of the slack belt [N/m²], inf for a rigid layer.
    contact: contact stiffness k per length of the belt [N/m²].
    bending: torques against the rotation of the pulleys due to bending losses [N m].
    slowest: angular velocities [rad/s] above which the bending torques are constant. At smaller angular velocities the
        torques are proportional to the speed.
    spans: length of the span after each pulley [m].
    ends: unit tangents at the entry and at the exit of each pulley, shape (pulleys, 2, 2).
    axial_stiffness, bending_stiffness: stiffnesses EA [N] and EI [N m²] of the slack belt.
    mass_per_length, length: mass per length rhoA [kg/m] and length [m] of the slack belt.
    """

    name: str
    names: Sequence[str]
    turns: FloatArray
    radii: FloatArray
    touching: FloatArray
    wraps: FloatArray
    friction: FloatArray
    layers: FloatArray
    contact: FloatArray
    bending: FloatArray
    slowest: FloatArray
    spans: FloatArray
    ends: FloatArray
    axial_stiffness: float
    bending_stiffness: float
    mass_per_length: float
    length: float


@dataclass(frozen=True)
class SteadyPulley:
    """Forces, torques and slip of a belt in steady motion on one pulley.

    Attributes:
        name: name of the pulley.
        speed: angular velocity of the pulley [rad/s], positive counter-clockwise.
        torque: torque of the belt on the pulley [N m], positive counter-clockwise.
        power: product of torque and speed [W], positive if the pulley takes power.
        loss: power lost on the arc of the pulley by friction and by the shear of a layer [W].
        bending_loss: power lost by bending at entry and exit [W].
        efficiency: power/(power + losses) of a pulley that takes power, and 1 - losses/power of a pulley that supplies
            power [1]. The value is NaN for a pulley that rotates freely.
        creep: loss of the speed omega R, relative to the speed of the pulley that supplies the largest power [1]. The
            value is NaN if no pulley drives the belt.
        wrap_angle, slip_arc: angle between the lines of the spans, and the part of this angle, before the exit, on
            which the belt slips [rad].
        slip_reserve: 1 - |ln(F_2/F_1)|/(mu r/R t) [1]. F_1 and F_2 are the forces F = N - rhoA v² of the spans before
            and after the pulley, mu is the friction coefficient, r the radius of the face, R the radius of the cord,
            and t the wrap angle. With a compliant layer, t is the part of the wrap angle on which the belt is in
            contact.
        tension_before, tension_after: tensions of the spans before and after the pulley, in the order of the pulleys
            [N].
        hub_load: force of the belt on the pulley [N], shape (2,).
        hub_force: magnitude of the hub load [N].
    """

    name: str
    speed: float
    torque: float
    power: float
    loss: float
    bending_loss: float
    efficiency: float
    creep: float
    wrap_angle: float
    slip_arc: float
    slip_reserve: float
    tension_before: float
    tension_after: float
    hub_load: tuple[float, float]
    hub_force: float


@dataclass(frozen=True)
class SteadySpan:
    """A free span in steady motion.

    Attributes:
        name: names of the pulleys at both ends of the span.
        length: length of the span in the mounted state [m].
        tension: axial force N [N].
        speed: speed of the belt along the span [m/s], positive in the order of the pulleys.
        string_frequency: lowest natural frequency of the span as an axially moving string [Hz]. The value is NaN
            without mass.
    """

    name: str
    length: float
    tension: float
    speed: float
    string_frequency: float


UNITS = {
    "speed": "rad/s", "torque": "N m", "power": "W", "loss": "W", "bending_loss": "W", "efficiency": "1", "creep": "1",
    "wrap_angle": "rad", "slip_arc": "rad", "slip_reserve": "1", "tension_before": "N", "tension_after": "N",
    "hub_load": "N", "hub_force": "N",
}  # fmt: skip
"""Units of the quantities of a `SteadyPulley`."""


@dataclass(frozen=True)
class SteadyDrive:
    """A belt drive in steady motion.

    Attributes:
        name: name of the belt.
        pulleys, spans: results for each pulley and for each span.
        flow: reference length of the belt that passes a fixed point per second [m/s].
        turns: rotation of each tensioner arm from its mounted position [rad], in a dictionary with the name of the
            pulley on the arm as key.
        power_in, power_out: power that pulleys supply to the belt, and power that pulleys take from the belt [W].
        efficiency: power_out/power_in [1]. The value is NaN if no pulley drives the belt.
    """

    name: str
    pulleys: tuple[SteadyPulley, ...]
    spans: tuple[SteadySpan, ...]
    flow: float
    turns: Mapping[str, float]
    power_in: float
    power_out: float
    efficiency: float

    def __getitem__(self, name: str) -> SteadyPulley:
        """Return the results for the pulley with the given name.

        Raises:
            ModelError: there is no such pulley.
        """
        found = [pulley for pulley in self.pulleys if pulley.name == name]
        if not found:
            names = ", ".join(pulley.name for pulley in self.pulleys)
            raise ModelError(f"'{name}' is no pulley of '{self.name}': must be one of {names}")
        return found[0]

    def format(self) -> str:
        """Return the results as text: a table with one column per pulley, one line per span and per arm, and the
        powers.
        """
        names = [entry.name for entry in fields(SteadyPulley) if entry.name != "name"]
        labels = ["", *(f"{name.replace('_', ' ')} [{UNITS[name]}]" for name in names)]
        cells = [[pulley.name for pulley in self.pulleys]]
        cells += [show_pulleys([getattr(pulley, name) for pulley in self.pulleys]) for name in names]
        widths = [max(len(line[k]) for line in cells) for k in range(len(self.pulleys))]
        first = max(map(len, labels))
        lines = [f"{self.name}, steady motion"]
        for label, line in zip(labels, cells, strict=True):
            lines.append(f"{label:<{first}}  " + "  ".join(f"{c:>{w}}" for c, w in zip(line, widths, strict=True)))
        for span in self.spans:
            carries = f"{span.length:.4g} m, {span.tension:.5g} N, {span.speed:.5g} m/s"
            lines.append(f"span {span.name}: {carries}, as a string {show_number(span.string_frequency)} Hz")
        lines += [f"arm of {name}: turned by {turn:.5g} rad" for name, turn in self.turns.items()]
        given, taken = show_numbers([self.power_in, self.power_out])
        total = f"power in {given} W, out {taken} W, efficiency {show_number(self.efficiency)}"
        return "\n".join([*lines, total])


def is_speeds(given: object) -> bool:
    """Return whether an argument is a mapping from names to finite numbers."""
    return isinstance(given, Mapping) and all(
        isinstance(name, str) and _is_number(value) for name, value in given.items()
    )


def is_torques(given: object) -> bool:
    """Return whether an argument is a mapping from names to finite numbers or functions."""
    return isinstance(given, Mapping) and all(
        isinstance(name, str) and (callable(value) or _is_number(value)) for name, value in given.items()
    )


def _is_number(given: object) -> bool:
    found = read_numbers(given)
    return found is not None and found.shape == () and bool(np.isfinite(found))


def gather_drive(
    name: str, pulleys: Sequence[Pulley], route: Route | SpatialRoute, radii: Sequence[float],
    friction: Sequence[float], layers: FloatArray, contact: FloatArray, bending: FloatArray, slowest: FloatArray,
    axial_stiffness: float, bending_stiffness: float, mass_per_length: float, length: float,
) -> DriveData:  # fmt: skip
    """Collect the data of a 2D belt on its route. The arguments ``layers``, ``mass_per_length`` and ``length`` are
    values of the slack belt.
    """
    stations = np.array([(wrap.s_entry, wrap.s_exit) for wrap in route.wraps])
    # unit tangents at both ends of each arc
    inner = stations + 1e-9 * np.diff(stations, axis=1) * (1.0, -1.0)
    return DriveData(
        name=name,
        names=[pulley.name for pulley in pulleys],
        turns=np.array([1.0 if pulley.side == "left" else -1.0 for pulley in pulleys]),
        radii=np.asarray(radii),
        touching=np.array([pulley.radius for pulley in pulleys]),
        wraps=np.array([wrap.angle for wrap in route.wraps]),
        friction=np.asarray(friction),
        layers=layers,
        contact=contact,
        bending=bending,
        slowest=slowest,
        spans=np.array([end - start for start, end in find_spans(route)]),
        ends=np.stack([route.eval_points(s)[1] for s in inner.T], axis=1),
        axial_stiffness=axial_stiffness,
        bending_stiffness=bending_stiffness,
        mass_per_length=mass_per_length,
        length=length,
    )


ARM = {"pulley": word(), "pivot": numbers("m", (2,)), "moment": function()}


@checked_names(ARM)
@dataclass(frozen=True)
class TensionerArm:
    """A tensioner arm that carries a pulley, for the computation of steady motion.

    Attributes:
        pulley: name of the pulley.
        pivot: point about which the arm rotates [m], shape (2,).
        moment: function of the rotation of the arm from the mounted position [rad] that returns the moment of the
            spring on the arm [N m], positive counter-clockwise.

    Raises:
        ModelError: a value has the wrong type.
    """

    pulley: str
    pivot: Sequence[float] | FloatArray
    moment: Callable[[float], float]

    def __post_init__(self) -> None:
        check_fields(self, ARM)


class _Lines(NamedTuple):
    """The straight lines that the spans of a belt with bending stiffness approach away from the pulleys.

    Attributes:
        spans: lengths of the straight lines [m], shape (spans,).
        turned: angles between the lines and the common tangents of the pulleys [rad], shape (spans,).
        wraps: angles t of the arcs [rad], shape (pulleys,).
    """

    spans: FloatArray
    turned: FloatArray
    wraps: FloatArray


class _Steady(NamedTuple):
    """Quantities of the steady motion in one iteration of the solver. Arrays have the shape (pulleys,) unless noted
    otherwise.

    Attributes:
        force, stretch: force F [N] and stretch lam of each span.
        flow, stiffness: flow c [m/s] and stiffness E = EA - rhoA c² [N].
        less: ratio q of the stretch on each arc to the stretch of the span [1].
        arc_force, arc_stretch: force F [N] and stretch lam at the entry and at the exit of each arc, shape (2,
            pulleys).
        slip, holding: angle phi on each arc, and the angle on which the belt can slip [rad].
        lag: w of each arc, the difference of the speeds of belt and rim at the entry, divided by c [1].
        on_arc: slack length of the belt on each arc [m].
        more: additional length of the belt due to the ends of all arcs [m].
        lines: straight lines that the spans approach away from the pulleys.
    """

    force: FloatArray
    flow: float
    stiffness: float
    stretch: FloatArray
    less: FloatArray
    arc_force: FloatArray
    arc_stretch: FloatArray
    slip: FloatArray
    holding: FloatArray
    lag: FloatArray
    on_arc: FloatArray
    more: float
    lines: _Lines


def _lay_lines(drive: DriveData, force: FloatArray) -> _Lines:
    """Find the straight lines that the spans approach away from the pulleys, for the forces F [N] of the spans."""
    # radii and sides of the pulleys before and after each span, shape (2, spans) each
    radii = np.stack((drive.radii, np.roll(drive.radii, -1)))
    sides = np.stack((-drive.turns, np.roll(drive.turns, -1)))
    off = (sides * radii).sum(axis=0)
    contact, wraps = (np.stack((values, np.roll(values, -1))) for values in (drive.contact, drive.wraps))
    ends = eval_ends(force, drive.bending_stiffness, contact, radii, wraps, LONGEST_END * drive.spans)
    distance = np.hypot(drive.spans, off)
    moved = off + (sides * ends.offset).sum(axis=0)
    turned = np.arcsin(off / distance) - np.arcsin(np.clip(moved / distance, -1.0, 1.0))
    wraps = drive.wraps - drive.turns * (np.roll(turned, 1) - turned)
    spans = np.sqrt(np.maximum(distance**2 - moved**2, 0.0))
    return _Lines(spans, turned, wraps)


def find_steady_motion(
    drive: DriveData, speeds: Mapping[str, float], torques: Mapping[str, MachineTorque], may_slip: bool = False
) -> SteadyDrive:
    """Find the steady motion of a drive by solving the equations in the docstring of this file.

    Args:
        drive: belt and pulleys.
        speeds: dictionary from names of pulleys to given angular velocities [rad/s], positive counter-clockwise. At
            least one pulley must have a given speed.
        torques: torques of machines on pulleys. Pulleys that are neither in ``speeds`` nor in ``torques`` rotate
            freely.
        may_slip: whether slip arcs are allowed to be longer than wrap angles. The iterations of `find_steady_arms`
            require longer slip arcs.

    Raises:
        ModelError: a name is not a pulley or is given twice, no speed is given, speeds have different directions, a
            pulley has no friction, the belt lifts off its pulleys because of its speed or its bending stiffness, the
            belt slips on the whole arc of a pulley, the strain or the slip at an entry is too large, or no solution is
            found.
    """
    direction = _check_given(drive, speeds, torques)
    count = len(drive.names)
    spans = np.arange(count)
    # indices of the spans at the entry and at the exit of each pulley
    entry, leaving = (spans - 1, spans) if direction > 0 else (spans, spans - 1)
    turns = direction * drive.turns
    given = np.array([speeds.get(name, nan) for name in drive.names])
    is_driven = ~np.isnan(given)
    machines = [torques.get(name, 0.0) for name in drive.names]
    EA, rho, grip = drive.axial_stiffness, drive.mass_per_length, drive.friction * drive.touching / drive.radii
    way = float(drive.spans.sum() + (drive.wraps * drive.radii).sum())
    bends = Bends(drive.bending_stiffness, drive.radii, drive.wraps, drive.contact, drive.turns, drive.spans)
    tension = find_tension(drive.name, drive.length, way, EA, bends)
    v = float(np.abs(given * drive.radii)[is_driven].max())
    start_flow = v / (1.0 + tension / EA)
    press = tension - rho * start_flow * v
    if press <= 0.0:
        most = sqrt(max(tension, 0.0) * (1.0 + tension / EA) / rho)
        raise ModelError(
            f"'{drive.name}' with the mounted tension {tension:.5g} N lifts off its pulleys at {v:.5g} m/s: the speed "
            f"of the belt must be < {most:.5g} m/s"
        )

    def move(u: FloatArray) -> _Steady:
        # forces and speed are scaled to order 1, because the solver uses finite differences with steps proportional to
        # the unknowns
        force, flow = press * np.exp(np.clip(u[:count] - 1.0, -50.0, 50.0)), start_flow * float(u[count])
        stiffness = EA - rho * flow * flow
        lines, stretch = _lay_lines(drive, force), (force + EA) / stiffness
        both = np.stack((entry, leaving))
        ends = eval_ends(
            force[both], drive.bending_stiffness, drive.contact, drive.radii, drive.wraps,
            LONGEST_END * drive.spans[both],
        )  # fmt: skip
        less = (1.0 + drive.bending_stiffness * ends.curvature.mean(axis=0) ** 2 / stiffness) ** -0.5
        arc_stretch = less * stretch[both]
        arc = np.maximum(stiffness * arc_stretch - EA, LEAST * press)
        # a layer is sheared only on the part of the arc that is in contact, and not beyond the ends of the arc
        untouched = np.maximum(ends.untouched, 0.0).sum(axis=0)
        holding = np.where(drive.layers < inf, lines.wraps - untouched, lines.wraps)
        slip, lag, on_arc = _pass_arcs(drive, grip, stiffness, less, arc, arc_stretch, lines.wraps, holding)
        more = float(ends.longer.sum())
        return _Steady(force, flow, stiffness, stretch, less, arc, arc_stretch, slip, holding, lag, on_arc, more, lines)

    def pull(found: _Steady) -> FloatArray:
        torque: FloatArray = turns * (found.force[leaving] - found.force[entry]) * drive.radii / found.less
        return torque

    def turn(found: _Steady) -> FloatArray:
        speed: FloatArray = turns * found.flow * (found.arc_stretch[0] - found.lag) / drive.radii
        return speed

    def resist(omega: FloatArray) -> FloatArray:
        torque: FloatArray = -drive.bending * np.clip(omega / drive.slowest, -1.0, 1.0)
        return torque

    def eval_errors(u: FloatArray, load: float) -> FloatArray:
        found = move(u)
        omega = turn(found)
        torque = pull(found) + load * resist(omega)
        machine = load * np.array(
            [
                _eval_machine(drive, name, m, w, unknown) if callable(m) else m
                for name, m, w in zip(drive.names, machines, omega.tolist(), strict=True)
            ]
        )
        balance = (torque + machine) / (press * drive.radii)
        # Relative differences of speeds are of the order of strains. Multiplied by EA/press, these differences are of
        # order 1.
        matching = np.where(is_driven, omega / given - 1.0, 0.0) * EA / press
        total = float((found.lines.spans / found.stretch + found.on_arc).sum()) + found.more
        closing = (total / drive.length - 1.0) * EA / press
        return np.append(np.where(is_driven, matching, balance), closing)

    unknown: list[str] = []
    u = _solve(eval_errors, np.ones(count + 1))
    if u is None and unknown:
        raise ModelError(f"'{drive.name}': no steady motion is found, because {unknown[0]}")
    if u is None:
        raise ModelError(
            f"'{drive.name}': no steady motion is found at these speeds and torques; the belt slips on the whole arc "
            "of a pulley, or torques that depend on speeds have no equilibrium"
        )
    found = move(u)
    # iterations for tensioner arms (``may_slip``) are not checked: their stretch can be larger than in the solution
    if (strain := float(found.stretch.max()) - 1.0) > LARGEST_STRAIN and not may_slip:
        raise ModelError(f"'{drive.name}' has the strain {strain:.3g} in steady motion: must be <= {LARGEST_STRAIN:g}")
    lowest = np.minimum(found.force[entry], found.force[leaving])
    # bending energy per length: half of EI times the square of the curvature
    bent = 0.5 * found.stiffness * (found.less**-2 - 1.0)
    for name, least, need in zip(drive.names, lowest, bent, strict=True):
        if least <= need:
            raise ModelError(
                f"'{drive.name}' does not wrap around {name}: the tension minus centrifugal force, N - rhoA v² = "
                f"{least:.4g} N, must be > EI/(2 R²) = {need:.4g} N; increase tension or radius, or reduce "
                "bending_stiffness"
            )
    if not may_slip:
        _check_slip(drive, found, pull(found))
        for name, lag in zip(drive.names, found.lag.tolist(), strict=True):
            if abs(lag) > LARGEST_LAG:
                raise ModelError(
                    f"the speeds of '{drive.name}' and of the rim of {name} differ by {100.0 * abs(lag):.3g} % at the "
                    f"entry: must be <= {100.0 * LARGEST_LAG:g} %; the layer or the bristles are too soft, or the belt "
                    "slips on nearly the whole arc"
                )
    omega = turn(found)
    return _describe(drive, found, omega, resist(omega), entry, leaving, direction)


def _eval_machine(
    drive: DriveData, name: str, machine: Callable[[float], float], omega: float, unknown: list[str]
) -> float:
    """Return the torque [N m] of a machine at a speed [rad/s]. If the torque is not finite, append a text that states
    the speed to the list ``unknown``.

    Raises:
        ModelError: the function does not return a real number.
    """
    given = machine(omega)
    torque = read_numbers(given)
    if torque is None or torque.shape != ():
        raise ModelError(f"torque of {name} of '{drive.name}' is {given!r} at {omega:g} rad/s: must be a number [N m]")
    if not np.isfinite(torque):
        unknown.append(f"the torque of {name} is {float(torque)} N m at {omega:g} rad/s")
    return float(torque)


def _eval_turn(EA: float, scale: float, F: float) -> float:
    """Return the ratio lam/R [1/m] for the axial stiffness EA [N] and the force F [N] of the belt on an arc. The
    argument ``scale`` is E R [N m].
    """
    return (F + EA) / scale


def _pass_arcs(
    drive: DriveData, grip: FloatArray, stiffness: float, less: FloatArray, force: FloatArray, stretch: FloatArray,
    wraps: FloatArray, holding: FloatArray,
) -> tuple[FloatArray, FloatArray, FloatArray]:  # fmt: skip
    """Return three quantities of each arc: the slip arc [rad], the relative slip w [1] at the entry, and the slack
    length [m] of the belt on the arc. The arguments ``force`` and ``stretch`` contain F and lam at entry and exit. The
    argument ``holding`` is the angle on which the belt can slip, see `_Steady`.
    """
    EA, friction = drive.axial_stiffness, grip * less**2
    slip, lag = np.abs(np.log(force[1] / force[0])) / friction, np.zeros(len(wraps))
    change = np.log(force / stretch)
    slipping = drive.radii * stiffness / (friction * EA) * np.abs(change[1] - change[0])
    length = slipping + (wraps - slip) * drive.radii / stretch[0]
    for i in np.flatnonzero(drive.layers < inf):
        R, arc, (entry, leave) = float(drive.radii[i]), float(holding[i]), force[:, i].tolist()
        turn = partial(_eval_turn, EA, stiffness * R)
        rim = Rim(
            turn, 1.0 / stiffness, R, float(less[i] ** 2), float(grip[i]),
            float(drive.layers[i]), 0.0,
        )  # fmt: skip
        found = pass_arc(rim, entry, leave, arc)
        # Slip on the whole arc is allowed during the iterations. `_check_slip` checks the solution for slip on a whole
        # arc.
        if found is None:
            continue
        slipped = abs(log(leave * (found.slip_force + EA) / (found.slip_force * (leave + EA))))
        outside = (wraps[i] - arc) * R * (0.5 / stretch[:, i]).sum()
        slip[i], lag[i] = found.slip_angle, found.lag
        length[i] = found.stick_length + R * stiffness / (friction[i] * EA) * slipped + outside
    return slip, lag, length


def find_steady_arms(
    lay: Callable[[Mapping[str, FloatArray]], DriveData], centres: Mapping[str, FloatArray],
    arms: Sequence[TensionerArm], speeds: Mapping[str, float], torques: Mapping[str, MachineTorque],
) -> SteadyDrive:  # fmt: skip
    """Find the steady motion of a drive with tensioner arms in equilibrium. For each arm, the sum of the moments of
    belt and spring about the pivot is 0.

    Args:
        lay: function that returns the data of the drive for a dictionary from names of pulleys to positions [m].
        centres: dictionary from names of pulleys to mounted positions [m].
        arms: tensioner arms, each with one pulley of the drive.
        speeds, torques: given speeds and torques, with the same meaning as in `find_steady_motion`.

    Raises:
        ModelError: an arm has no pulley, a pulley has several arms, a pivot is at the centre of its pulley, a moment is
            not a finite number, or no equilibrium of the arms was found. For further errors see `find_steady_motion`.
    """
    from scipy.optimize import root  # imported here, because most models do not need this module

    for arm in arms:
        if arm.pulley not in centres:
            raise ModelError(f"pulley = '{arm.pulley}' of TensionerArm: must be one of {', '.join(centres)}")
        if [other.pulley for other in arms].count(arm.pulley) > 1:
            raise ModelError(f"pulley = '{arm.pulley}' of TensionerArm: must have one arm, has several")
        if not np.hypot(*(centres[arm.pulley] - np.asarray(arm.pivot, np.float64))) > 0.0:
            raise ModelError(
                f"pivot = {tuple(arm.pivot)} m of TensionerArm: must differ from the centre of {arm.pulley}"
            )
    pivots = {arm.pulley: np.asarray(arm.pivot, np.float64) for arm in arms}

    def turn_lever(arm: TensionerArm, turn: float) -> FloatArray:
        x, y = centres[arm.pulley] - pivots[arm.pulley]
        c, s = np.cos(turn), np.sin(turn)
        return np.array((c * x - s * y, s * x + c * y))

    def move(turns: FloatArray, may_slip: bool) -> SteadyDrive:
        by_name = dict(zip([arm.pulley for arm in arms], turns.tolist(), strict=True))
        there = {arm.pulley: pivots[arm.pulley] + turn_lever(arm, by_name[arm.pulley]) for arm in arms}
        return replace(find_steady_motion(lay(there), speeds, torques, may_slip), turns=by_name)

    def eval_moments(turns: FloatArray) -> FloatArray:
        found = move(turns, may_slip=True)
        moments = []
        for arm, turn in zip(arms, turns.tolist(), strict=True):
            x, y = turn_lever(arm, turn).tolist()
            duty = found[arm.pulley]
            belt = x * duty.hub_load[1] - y * duty.hub_load[0]
            given = arm.moment(turn)
            moment = read_numbers(given)
            if moment is None or moment.shape != () or not np.isfinite(moment):
                raise ModelError(
                    f"moment of the arm of {arm.pulley} is {given!r} at the angle {turn:g} rad: must be a finite "
                    "number [N m]"
                )
            moments.append((belt + float(moment)) / (np.hypot(x, y) * duty.hub_force))
        return np.array(moments)

    found = root(eval_moments, np.zeros(len(arms)), tol=1e-11)
    if not np.abs(found.fun).max(initial=0.0) <= ERROR:
        raise ModelError(
            "arms of a belt in steady motion have no equilibrium position: the moment of an arm must increase with "
            "its angle, as the moment of a spring"
        )
    return move(found.x, may_slip=False)


def _check_given(drive: DriveData, speeds: Mapping[str, float], torques: Mapping[str, MachineTorque]) -> float:
    """Raise ModelError for invalid arguments. Return 1 for a belt that runs in the order of its pulleys, otherwise
    -1.
    """
    for kind, given in (("speeds", speeds), ("torques", torques)):
        for name in given:
            if name not in drive.names:
                raise ModelError(f"'{name}' in {kind} of '{drive.name}': must be one of {', '.join(drive.names)}")
    if len(set(drive.names)) < len(drive.names):
        raise ModelError(f"pulleys of '{drive.name}' are {', '.join(drive.names)}: must have different names")
    both = sorted(set(speeds) & set(torques))
    if both:
        raise ModelError(f"'{both[0]}' of '{drive.name}' has a speed and a torque: must have one of them")
    if not speeds:
        raise ModelError(f"speeds of '{drive.name}' are empty: must have the speed of one pulley at least [rad/s]")
    along = [speed * drive.turns[list(drive.names).index(name)] for name, speed in speeds.items()]
    if min(along) <= 0.0 <= max(along):
        told = ", ".join(f"{name} {speed:g} rad/s" for name, speed in speeds.items())
        raise ModelError(
            f"speeds of '{drive.name}' are {told}: must not be 0, and all must move the belt in the same direction; if "
            "the belt runs in the order of the pulleys, pulleys on its right side have speeds < 0 (clockwise)"
        )
    for name, mu in zip(drive.names, drive.friction.tolist(), strict=True):
        if mu <= 0.0:
            raise ModelError(f"friction coefficient {mu:g} of the pulley {name} of '{drive.name}': must be > 0")
    return float(np.sign(along[0]))


def _solve(eval_errors: Callable[[FloatArray, float], FloatArray], start: FloatArray) -> FloatArray | None:
    """Find the unknowns that fulfil all equations, by increasing the torques from 0 to their full values in equal
    steps. The step sizes in `LOADS` are tried one after the other. Return None if the solver does not converge for any
    step size.
    """
    from scipy.optimize import root  # imported here, because most models do not need this module

    for first in LOADS:
        u, load, step = start, 0.0, first
        while load < 1.0:
            trial = min(load + step, 1.0)
            with np.errstate(invalid="ignore"):
                found = root(eval_errors, u, args=(trial,), tol=1e-13)
            # this condition is true even if residuals are NaN
            if not np.abs(found.fun).max() <= ERROR:
                break
            u, load = found.x, trial
        else:
            return u
    return None


def _check_slip(drive: DriveData, found: _Steady, torque: FloatArray) -> None:
    if (found.slip > found.holding).any():
        told = "; ".join(
            f"{name} needs {slip:.4g} rad of its {arc:.4g} rad for {abs(moment):.5g} N m"
            for name, slip, arc, moment in zip(drive.names, found.slip, found.holding, torque, strict=True)
            if slip > arc
        )
        raise ModelError(
            f"'{drive.name}' slips on the whole arc: {told}; increase tension, friction or wrap, or reduce torque or "
            "speed"
        )


def _describe(
    drive: DriveData, found: _Steady, speed: FloatArray, bending: FloatArray, entry: IntArray, leaving: IntArray,
    direction: float,
) -> SteadyDrive:  # fmt: skip
    """Create the results of a motion. The argument ``speed`` contains the speeds of the pulleys [rad/s], and
    ``bending`` contains the torques of the bending losses [N m].
    """
    tension = drive.axial_stiffness * (found.stretch - 1.0)
    before = np.arange(len(drive.names)) - 1
    change = found.force[leaving] - found.force[entry]
    torque = direction * drive.turns * change * drive.radii / found.less + bending
    # torques of freely rotating pulleys are residuals of the solution and are set to 0
    torque = np.where(np.abs(torque) > UNBALANCED * found.force.max() * drive.radii, torque, 0.0)
    power, bent = torque * speed, np.abs(bending * speed)
    loss = found.flow * change * (change / (2.0 * found.stiffness) + found.lag / found.less)
    # total: power plus losses of a driven pulley, or power that a driver supplies
    total = np.where(power > 0.0, power + loss + bent, -power)
    wraps, turned = found.lines.wraps, found.lines.turned
    pulls = found.force[:, None] * _turn(drive.ends[:, 1], turned)
    hubs = pulls - found.force[before][:, None] * _turn(drive.ends[:, 0], turned[before])
    given, taken = float(np.abs(power[power < 0.0]).sum()), float(power[power > 0.0].sum())
    rims = np.abs(speed) * drive.radii
    ratios = np.abs(np.log(found.force[leaving] / found.force[entry]))
    grip = drive.friction * drive.touching / drive.radii
    pulleys = tuple(
        SteadyPulley(
            name=name, speed=float(speed[i]), torque=float(torque[i]), power=float(power[i]), loss=float(loss[i]),
            bending_loss=float(bent[i]), efficiency=float(1.0 - (loss[i] + bent[i]) / total[i]) if power[i] else nan,
            creep=float(1.0 - rims[i] / rims[power.argmin()]) if given > 0.0 else nan, wrap_angle=float(wraps[i]),
            slip_arc=float(found.slip[i]), slip_reserve=float(1.0 - ratios[i] / (grip[i] * found.holding[i])),
            tension_before=float(tension[before[i]]), tension_after=float(tension[i]),
            hub_load=(float(hubs[i, 0]), float(hubs[i, 1])), hub_force=float(np.linalg.norm(hubs[i])),
        )
        for i, name in enumerate(drive.names)
    )  # fmt: skip
    spans = tuple(
        _describe_span(drive, i, float(tension[i]), direction * found.flow * float(found.stretch[i]), found)
        for i in range(len(drive.names))
    )
    efficiency = taken / given if given > 0.0 else nan
    return SteadyDrive(drive.name, pulleys, spans, found.flow, {}, given, taken, efficiency)


def _turn(vectors: FloatArray, angles: FloatArray) -> FloatArray:
    """Return the vectors, shape (n, 2), rotated by the angles [rad], shape (n,)."""
    c, s, (x, y) = np.cos(angles), np.sin(angles), vectors.T
    return np.stack((c * x - s * y, s * x + c * y), axis=1)


def _describe_span(drive: DriveData, i: int, tension: float, speed: float, found: _Steady) -> SteadySpan:
    length, onward = float(drive.spans[i]), drive.names[(i + 1) % len(drive.names)]
    rho = drive.mass_per_length / float(found.stretch[i])
    string = sqrt(tension / rho) / (2.0 * length) * (1.0 - rho * speed**2 / tension) if rho * length > 0.0 else nan
    return SteadySpan(f"{drive.names[i]}–{onward}", length, tension, speed, string)
