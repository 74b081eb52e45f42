"""Check in every step whether the step size resolves the contacts. The check uses the gaps g and the gap rates g_t at
both ends of the step.

In a contact with the depth x (the negative gap), the gap rate changes by w in a step of size h. If no other force acts,
and the contact force is linear, the contact reverses the impact speed u with the angular frequency ω,

    ω² = w/(h x),    u² = g_t² + x w/h,    w/u <= ω h = π/N.

Here N is the number of steps in the duration of the contact. Rates and depths are means of the values at both ends of
the step. Mass and stiffness are not needed. Other forces increase the estimate of u, so w/u is underestimated. A step
does not resolve the contact if w/u exceeds the limit of the integration method. There are two more cases of unresolved
contacts: the contact is open at both ends of the step although the gap rate has reversed, or a point passes through an
object, see `Gaps`. Typical step sizes for belt drives do not resolve the contacts between single points of a belt and
the pulleys. Unresolved contacts of this kind are accepted if w is smaller than the speed along the surface, because the
energy of these contacts is a small part of the energy of the belt.

If a step does not resolve a contact, a method with adaptive steps repeats the step with a smaller size. If the step
size cannot be reduced, the result is doubtful. Within the limits, speeds after impacts of linear and of Hertzian
contacts have errors of at most 5 %, see the comparison with closed forms in tests/campaigns.

Sources: contact of a linear spring lasts π/ω; contact of spheres lasts 2.94 x/u, K. L. Johnson, Contact Mechanics
    (1985), chapter 11.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from math import inf, isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.command_line import options
from windlass.framework.kernels.call import Call, call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.kernels.program import NO_CALLS, Program, Step
from windlass.framework.model.gaps import (
    FASTEST,
    GAP,
    LEAST,
    MISSED,
    RATE,
    REACH,
    SPEED,
    START,
    Gaps,
    X,
    Y,
    Z,
    accept_gaps,
    create_near,
)
from windlass.framework.model.system import System, evaluate
from windlass.framework.state.hooks import IdleSteps
from windlass.framework.state.state import State
from windlass.solvers.verdicts.watch import ALL, Watch

LIMITS = {
    "euler": 0.02, "midpoint": 0.3, "rk3": 0.4, "rk4": 0.4, "rk6": 0.4, "rk": 1.0, "verlet": 0.4,
}  # fmt: skip
"""Largest ratio [1] of the change of the gap rate in a step to the impact speed. Up to this ratio, an explicit method
resolves an impact. The method ``"rk"`` controls errors. It therefore exceeds its limit only with large tolerances.
"""
LIMIT = 0.3
"""Largest ratio [1] of the change of the gap rate in a step to the impact speed. Up to this ratio, implicit methods
resolve an impact.
"""
GOAL = 0.5
"""Fraction [1] of the largest allowed ratio of rate change to impact speed. If a step exceeds the largest allowed
ratio, the step size is reduced so that the ratio becomes about `GOAL` times this largest ratio.
"""
SMALLEST_CUT = 0.05
"""Smallest factor [1] by which a step size is reduced."""
LARGEST_CUT = 0.5
"""Largest factor [1] by which a step size is reduced."""
SLOW = 0.02
"""Fraction [1] of the largest speed in the contacts of a law. Speeds below this fraction are ignored."""
TINY = 1e-6
"""Displacement [1], relative to the size of the model. Speeds below `CREEP` are ignored if they cause smaller
displacements during the run.
"""
CREEP = 1e-4
"""Largest speed [m/s or rad/s] that may be ignored."""
REVERSAL = 2.0
"""Largest ratio [1] of the change of the gap rate in a contact to the impact speed. The value is 2, because an elastic
contact reverses the speed. Just after a contact has closed, its depth is small, and other forces, such as the tension
of a belt that bends onto a pulley, change its gap rate. For such a contact, the frequency is overestimated, but the
change of the rate is correct.
"""
SMALL = 0.125
"""Ratio [1] of an expected change of the gap rate to the speed along the surface. Below this value, the change is
accepted, because its energy is below 2 % of the energy of the motion along the surface.
"""
GRAZED = 0.05
"""Ratio [1] of the depth of a path through an object to the radius of the object. Up to this value, the path is
accepted.
"""
STAGES = 1.5
"""Largest displacement [1] in a stage of an explicit method, relative to the displacement in the step."""
SHOWN = 3
"""Largest number of contacts that a verdict names."""
COUNT, KICK, ROW, STEPS, DEPTH, NEEDED, PASSED, PASSED_ROW, LARGEST, EVENTS, AT, SIZE, FACTOR = range(13)
"""Indices of the findings of a law in a step. The worst contact of a law is the contact with the largest change of its
gap rate.

COUNT: number of unresolved contacts.
KICK: change [m/s] of the gap rate of the worst contact.
ROW: index of the worst contact.
STEPS: number of steps in the duration of the worst contact.
DEPTH: depth [m] of the worst contact.
NEEDED: step size [s] that the worst contact needs.
PASSED: largest depth [m] of a missed contact.
PASSED_ROW: index of the missed contact with the largest depth.
LARGEST: largest speed [m/s] in the contacts of the law in the run.
EVENTS: number of steps with unresolved contacts, only in `Findings`.
AT, SIZE: time [s] and size [s] of the worst step, only in `Findings`.
FACTOR: factor [1] by which the step size is reduced.
"""


@kernel
def clear_findings(found: FloatArray) -> None:
    """Reset the findings of a step for all contact laws, shape (laws, 13), except the largest speeds in the run."""
    for k in range(len(found)):
        for j in range(LARGEST):
            found[k, j] = 0.0
        found[k, NEEDED], found[k, FACTOR] = np.inf, 1.0


@kernel
def judge_gaps(
    numbers: FloatArray,
    near: IntArray,
    weight: float,
    size: FloatArray,
    limits: FloatArray,
    quiet: FloatArray,
    found: FloatArray,
) -> None:
    """Find the contacts of a contact law that a step of ``size[0]`` seconds has not resolved.

    Args:
        numbers, near: data of the contacts of the law, see `Gaps`.
        weight: 1 if speeds along the surface are used in addition to gap rates, otherwise 0.
        size: step size [s], shape (1,).
        limits: three numbers, shape (3,): the largest ratio [1] of a rate change to the impact speed; the speed [m/s]
            below which contacts are ignored; 1 if the step size can be reduced, otherwise 0.
        quiet: speeds of the law up to which contacts are ignored, see `Gaps`.
        found: values with the indices `COUNT` to `FACTOR`, shape (13,).
    """
    h, limit = size[0], limits[0]
    # this speed limit is constant in the step, so the result does not depend on the order of contacts or the number of
    # processes
    least = quiet[LEAST]
    found[LARGEST] = max(found[LARGEST], quiet[FASTEST])
    for i in range(1, near[0] + 1):
        k = near[i]
        row = numbers[k]
        g0, g1 = row[START + GAP], row[GAP]
        # contacts whose gap is unknown at the start or at the end of the step are not checked
        if not (g0 < np.inf and g1 < np.inf):
            continue
        v0, v1 = row[START + RATE], row[RATE]
        speed = weight * max(row[SPEED], row[START + SPEED])
        fastest = max(abs(v0), abs(v1), speed)
        # the contact point has passed through the object
        if row[MISSED] > 0.0:
            x, y, z = row[X] - row[START + X], row[Y] - row[START + Y], row[Z] - row[START + Z]
            way, reach = np.sqrt(x * x + y * y + z * z), row[REACH]
            if row[MISSED] > GRAZED * reach and way / h > least:
                if row[MISSED] > found[PASSED]:
                    found[PASSED], found[PASSED_ROW] = row[MISSED], k
                found[FACTOR] = min(found[FACTOR], 0.5 * reach / way)
                continue
        # the gap rate has reversed although the contact is open at both ends of the step, so contact occurred within
        # the step
        turned = g0 > 0.0 and g1 > 0.0 and g0 + STAGES * h * v0 < 0.0 and v1 - v0 > -limit * v0
        turned = turned and -v0 > 0.9 * row[START + SPEED]
        # a contact point that is now on the opposite side of the object may have passed it without contact
        turned = turned and row[X] * row[START + X] + row[Y] * row[START + Y] + row[Z] * row[START + Z] >= 0.0
        # a contact force changes the gap rate only in the positive direction, away from the object
        kick = v1 - v0
        if (g0 <= 0.0 or g1 <= 0.0 or turned) and kick > least:
            depth, mean = 0.5 * (max(-g0, 0.0) + max(-g1, 0.0)), 0.5 * (v0 + v1)
            square = mean * mean + kick / h * depth
            frequency, stiffer = 2.0 * np.pi / h, 1.0
            if depth > 0.0:
                frequency = np.sqrt(kick / (h * depth))
                # the stiffness of a Hertzian contact increases until the motion reverses
                deepest = (1.25 * square * h / kick) ** 0.4 * depth**0.6
                stiffer = max(deepest / depth, 1.0) ** 0.25
            along = max(speed * speed - v0 * v0, 0.0)
            if turned or kick * kick > limit * limit * square + along:
                found[COUNT] += 1.0
                if kick > found[KICK]:
                    found[KICK], found[ROW], found[DEPTH] = kick, k, max(-g0, -g1, 0.0)
                    found[STEPS], found[NEEDED] = np.pi / (frequency * h), limit / (frequency * stiffer)
            # apply the criterion to the remaining part of the contact, until the motion reverses
            ahead = frequency * stiffer * h
            is_large = ahead * ahead * square > limit * limit * square + along
            is_small = max(kick * kick, REVERSAL * REVERSAL * square) < SMALL * SMALL * along
            if limits[2] != 0.0 and (turned or (is_large and not is_small)):
                found[FACTOR] = min(found[FACTOR], GOAL * limit / ahead)
        found[LARGEST] = max(found[LARGEST], fastest)


@kernel
def note_largest(found: FloatArray, limits: FloatArray, quiet: FloatArray) -> None:
    """Update the speed below which contacts of a contact law are ignored in the next step. The new value follows from
    the largest speed so far. See `judge_gaps`.
    """
    quiet[LEAST] = max(limits[1], SLOW * found[LARGEST])


@kernel
def sum_findings(found: FloatArray, total: FloatArray, call_python: FloatArray) -> None:
    """Write two values to ``total``, shape (2,): whether any contact law has findings, and the factor by which the step
    size is reduced. Set the element of ``call_python``, shape (1,), to 1 if there are findings.
    """
    total[0], total[1] = 0.0, 1.0
    for k in range(len(found)):
        if found[k, COUNT] > 0.0 or found[k, PASSED] > 0.0 or found[k, FACTOR] < 1.0:
            total[0] = call_python[0] = 1.0
            total[1] = min(total[1], found[k, FACTOR])


@dataclass
class Findings:
    """Unresolved contacts of one contact law in a run. The lists ``kicks`` and ``passes`` have 13 elements each, see
    `COUNT`.

    Attributes:
        kicks: findings of the step with the largest change of a rate.
        passes: findings of the step with the largest depth of a missed contact.
        kicked, passed: descriptions of the contacts in ``kicks`` and ``passes``.
    """

    kicks: list[float] = field(default_factory=lambda: [0.0] * 13)
    passes: list[float] = field(default_factory=lambda: [0.0] * 13)
    kicked: str = ""
    passed: str = ""


class ContactWatch(Watch):
    """Check in every step of a solve whether the step resolves the contacts.

    Args:
        assembly: the systems of this process. Its fields contain the state at the end of the step that is checked.
        limit: largest ratio [1] of a rate change to the impact speed that the method resolves.
        cuts: whether steps that do not resolve a contact are repeated with a smaller size.
        halves: whether the fields contain the velocities in the middle of steps.
    """

    name = "contacts"

    def __init__(self, assembly: Assembly, limit: float, cuts: bool = False, halves: bool = False) -> None:
        self._assembly, self._cuts, self._halves = assembly, cuts, halves
        self._is_parallel = bool(assembly.layout.size > 1)
        self._laws: list[tuple[System, Gaps]] = []
        # Two numbers: whether the last step has an unresolved contact, and the factor by which the step size is
        # reduced.
        self._total = np.zeros(2)
        self._found = np.zeros((0, 13))
        self._size, self._limits = np.zeros(1), np.array([limit, 0.0, float(cuts)])
        # whether the motion has changed since the end of the last step, and the revision of the assembly for which the
        # contact laws were collected
        self._is_stale, self._revision = True, -1
        self._findings: dict[str, Findings] = {}
        self._largest: dict[str, float] = {}
        # Data of the contact laws before the run. The data are restored after the run, because this solver may run
        # within a step of another solver.
        self._kept: list[tuple[Gaps, list[NDArray[Any]], Any]] = []
        self._program = self._accept_program = self._measure_program = NO_CALLS

    def begin(self, state: State, duration: float) -> None:
        """Begin the checks of a run, see `Watch.begin`."""
        self._findings, self._largest, self._revision, self._laws = {}, {}, -1, []
        extent = np.abs(self._assembly.layout.reference[:-1] + state.q).max(initial=0.0)
        extent = max(self._assembly.processes.largest_of(extent), 1e-300)
        self._limits[1] = min(TINY * extent / max(duration, 1e-300), CREEP)
        self._revision = self._assembly.revision
        self._lay_down()
        self._kept = [
            (gaps, [values.copy() for values in _memory_of(gaps)], gaps.holder)
            for _, gaps in self._laws
            if gaps.holder is not None and gaps.holder is not self
        ]

    def checkpoint(self) -> dict[str, Any]:
        """Return values that a resumed run needs."""
        self._note_largest()
        found = {name: [f.kicks, f.passes, f.kicked, f.passed] for name, f in self._findings.items()}
        return {"found": found, "largest": self._largest, "floor": float(self._limits[1])}

    def restore(self, kept: Mapping[str, Any]) -> None:
        """Continue from values that `checkpoint` has returned."""
        self._findings = {
            name: Findings([float(x) for x in f[0]], [float(x) for x in f[1]], str(f[2]), str(f[3]))
            for name, f in kept["found"].items()
        }
        self._largest = {name: float(value) for name, value in kept["largest"].items()}
        self._limits[1] = float(kept["floor"])
        for (system, _), found in zip(self._laws, self._found, strict=True):
            found[LARGEST] = self._largest.get(system.name, 0.0)

    def start(self, state: State, seen: bool) -> list[str]:
        """Prepare the checks of the first step, see `Watch.start`."""
        self._is_stale = True
        return []

    def before_step(self, state: State, h: float, moved: bool) -> None:
        """Prepare the check of the next step. If the state or the model has changed since the last step, gaps and gap
        rates are measured again.
        """
        self._size[0] = h
        others = self._revision != self._assembly.revision and self._are_others()
        moved = bool(self._laws) and (moved or self._is_stale or self._laws[0][1].holder is not self)
        if self._is_parallel:
            # the processes exchange their values, so that either all processes measure gaps or no process measures gaps
            found = self._assembly.processes.largest([float(others), float(moved)])
            others, moved = found[0] > 0.0, found[1] > 0.0
        if others:
            self._note_largest()
            self._lay_down()
        if others or moved:
            self._look_at_start(state)
        self._is_stale = False

    def idle_steps(self, state: State) -> IdleSteps:
        """Return the coming steps that Python need not check, see `Watch.idle_steps`."""
        return IdleSteps(ALL, self._accept_program)

    def program(self) -> Program:
        """Return the compiled program that is executed after each Newton run, see `Watch.program`."""
        return self._program

    def after_step(self, state: State, changed: bool) -> None:
        """End a step, see `Watch.after_step`."""
        self._is_stale = changed

    def close(self, state: State, moved: bool) -> None:
        """Record a checkpoint, see `Watch.close`."""
        self._is_stale = self._is_stale or moved

    def resize(self, h: float) -> None:
        """Record the size h [s] of a step that the method has chosen itself."""
        self._size[0] = h

    def finish(self, state: State, moved: bool) -> None:
        """Record the end of the run. For this last check, velocities at the end of steps are used, even if the
        integration method evaluates velocities in the middle of steps.
        """
        if self._halves and (self._laws or self._is_parallel):
            self._assembly.load_fields(state)
            self._program()
            self.accept(state, state.t, float(self._size[0]))

    def find_cut(self, h: float) -> float:
        """Return the size [s] with which the step must be repeated, see `Watch.find_cut`."""
        if not self._cuts:
            return inf
        if self._assembly.layout.size == 1:
            factor = float(self._total[1]) if self._total[0] != 0.0 else 1.0
        else:
            factor = -self._assembly.processes.largest([-self._total[1] if self._total[0] != 0.0 else -1.0])[0]
        return min(max(factor, SMALLEST_CUT), LARGEST_CUT) * h if factor < 1.0 else inf

    def accept(self, state: State, t: float, h: float) -> None:
        """Record an accepted step, see `Watch.accept`."""
        if self._is_parallel:
            self._share_largest()
        if not self._laws:
            return
        if self._total[0] != 0.0:
            for (system, gaps), found in zip(self._laws, self._found, strict=True):
                self._note(system, gaps, found, t, h)
            self._total[0] = 0.0
        self._accept_program()

    def judge(self) -> list[str]:
        """Return reasons to doubt the result, see `Watch.judge`."""
        self._note_largest()
        for gaps, kept, holder in self._kept:
            if gaps.numbers.shape != kept[0].shape:
                continue
            gaps.holder = holder
            for values, before in zip(_memory_of(gaps), kept, strict=True):
                values[:] = before
        self._kept = []
        mine = [
            (name, f.kicks, f.passes, f.kicked, f.passed, self._largest.get(name, 0.0))
            for name, f in self._findings.items()
        ]
        reasons = []
        for part in self._assembly.processes.allgather("contacts", mine):
            for _, kicks, passes, kicked, passed, largest in part:
                if kicks[KICK] > max(SLOW * largest, self._limits[1]):
                    reasons.append(describe_kick(kicks, kicked))
                if passes[PASSED] > 0.0:
                    reasons.append(describe_pass(passes, passed))
        return reasons[:SHOWN]

    def _share_largest(self) -> None:
        """Replace the largest speed of each contact law by the maximum over all processes."""
        assembly = self._assembly
        places = {id(system): k for k, (system, _) in enumerate(self._laws)}
        kinds = {component: places.get(id(system), -1) for component, system in assembly.layout.systems.items()}
        tables = [kinds.get(component, -1) for component in assembly.world.tables]
        shared = assembly.processes.largest([self._found[k, LARGEST] if k >= 0 else 0.0 for k in tables])
        for k, value in zip(tables, shared, strict=True):
            if k >= 0:
                self._found[k, LARGEST] = value

    def _look_at_start(self, state: State) -> None:
        """Measure gaps and rates at the start of the next step."""
        assembly = self._assembly
        if not (self._laws or self._is_parallel):
            return
        time = assembly.fields.t
        assembly.load_fields(state)
        assembly.fields.t = time
        # use the size 1 s instead of the step size, so that the evaluation does not report a sudden change of the
        # motion
        size = float(self._size[0])
        self._size[0] = 1.0
        self._measure_program()
        self._accept_program()
        self._size[0], self._total[0] = size, 0.0
        for _, gaps in self._laws:
            gaps.holder = self

    def _are_others(self) -> bool:
        """Return whether the contact laws have changed since the compiled programs were created."""
        self._revision, known = self._assembly.revision, [gaps for _, gaps in self._laws]
        now = [gaps for _, gaps in self._find_laws()]
        return len(known) != len(now) or any(a is not b for a, b in zip(known, now, strict=True))

    def _find_laws(self) -> list[tuple[System, Gaps]]:
        """Return the contact laws with gaps. The list is empty if verdicts are switched off and steps are not repeated
        with a smaller size.
        """
        if options.verdict_kind() == "off" and not self._cuts:
            return []
        return [(s, s.gaps) for s in self._assembly.systems if s.gaps is not None]

    def _lay_down(self) -> None:
        """Collect the contact laws with gaps, and create the compiled programs that check the gaps."""
        assembly = self._assembly
        self._laws = self._find_laws()
        self._found, s = np.zeros((len(self._laws), 13)), evaluate(assembly.fields, size=self._size)
        measure: list[Step] = [(gaps.measure, (s,)) for _, gaps in self._laws]
        accept: list[Step] = []
        look: list[Step] = [(call(clear_findings, (self._found,)), (s,))]
        for (system, gaps), found in zip(self._laws, self._found, strict=True):
            found[LARGEST] = self._largest.get(system.name, 0.0)
            note_largest(found, self._limits, gaps.quiet)
            look.append((gaps.measure, (s,)))
            weight = 1.0 if gaps.weighed else 0.0
            if isinstance(gaps.measure, Call):
                near = create_near(len(gaps.numbers)) if gaps.near is None else gaps.near
                judged = gaps.numbers, near, weight, self._size, self._limits, gaps.quiet, found
                look.append((call(judge_gaps, judged), (s,)))
                own = gaps.accept if isinstance(gaps.accept, Call) else None
                accept.append((own or call(accept_gaps, (gaps.numbers, near, np.zeros_like(near))), (s,)))
            else:
                look.append((partial(self._judge_now, gaps, weight, found), ()))
                before = np.zeros(1 if gaps.near is None else len(gaps.near), np.int64)
                accept.append((partial(_accept_now, gaps, before), ()))
            accept.append((call(note_largest, (found, self._limits, gaps.quiet)), (s,)))
        look.append((call(sum_findings, (self._found, self._total, self.found)), (s,)))
        self._measure_program = Program(measure)
        self._program = Program(look) if self._laws else NO_CALLS
        self._accept_program = Program(accept)

    def _judge_now(self, gaps: Gaps, weight: float, found: FloatArray) -> None:
        near = create_near(len(gaps.numbers)) if gaps.near is None else gaps.near
        judge_gaps(gaps.numbers, near, weight, self._size, self._limits, gaps.quiet, found)

    def _note(self, system: System, gaps: Gaps, found: FloatArray, t: float, h: float) -> None:
        """Store the findings of a contact law in a step. The findings are stored if the largest change of a rate, or
        the largest depth of a missed contact, exceeds the values of earlier steps.
        """
        if found[COUNT] == 0.0 and found[PASSED] == 0.0:
            return
        known = self._findings.setdefault(system.name, Findings())
        values = [*found[:EVENTS].tolist(), 0.0, t, h, 0.0]
        if found[COUNT] > 0.0:
            events = known.kicks[EVENTS] + 1.0
            if found[KICK] > known.kicks[KICK]:
                known.kicks, known.kicked = list(values), gaps.describe(int(found[ROW]))
            known.kicks[EVENTS] = events
        if found[PASSED] > 0.0:
            events = known.passes[EVENTS] + 1.0
            if found[PASSED] > known.passes[PASSED]:
                known.passes, known.passed = list(values), gaps.describe(int(found[PASSED_ROW]))
            known.passes[EVENTS] = events

    def _note_largest(self) -> None:
        for (system, _), found in zip(self._laws, self._found, strict=True):
            self._largest[system.name] = max(self._largest.get(system.name, 0.0), float(found[LARGEST]))


def _memory_of(gaps: Gaps) -> list[NDArray[Any]]:
    """Return the arrays in which a contact law stores values at the start of the step."""
    return [gaps.numbers, *([] if gaps.near is None else [gaps.near]), gaps.quiet, *gaps.memory]


def _accept_now(gaps: Gaps, before: IntArray) -> None:
    """Call `accept_gaps` for a contact law whose arrays may change between calls. Also call the function
    ``gaps.accept`` if it exists.
    """
    if gaps.near is None:
        near = create_near(len(gaps.numbers))
        accept_gaps(gaps.numbers, near, np.zeros_like(near))
    else:
        accept_gaps(gaps.numbers, gaps.near, before)
    if gaps.accept is not None:
        gaps.accept()


def describe_kick(found: list[float], name: str) -> str:
    """Return a text about an impact that makes the result doubtful."""
    steps = f"{found[STEPS]:.2g} steps per contact" if found[DEPTH] > 0.0 else "less than a step per contact"
    needed = f"take a step below {found[NEEDED]:.2g} s" if isfinite(found[NEEDED]) else "take a smaller step"
    return (
        f"the step of {found[SIZE]:.3g} s does not resolve the impact of {name} at t = {found[AT]:.6g} s: its rate "
        f"changes by {found[KICK]:.3g} m/s (or rad/s) in one step at a depth of {found[DEPTH]:.3g} m, {steps}; seen in "
        f"{found[EVENTS]:.0f} steps; {needed}"
    )


def describe_pass(found: list[float], name: str) -> str:
    """Return a text about a path through an object that makes the result doubtful."""
    return (
        f"{name} is passed within one step of {found[SIZE]:.3g} s at t = {found[AT]:.6g} s, {found[PASSED]:.3g} m deep "
        f"between its ends; seen in {found[EVENTS]:.0f} steps: take a smaller step, "
        "and more contact points where these are farther apart than its size"
    )
