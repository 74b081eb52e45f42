"""Check in every step whether a rope or belt has left a pulley, and whether a tension has jumped.

A rope under tension cannot leave a pulley instantaneously: the force F on the pulley decreases to 0 with the tension or
the wrap angle. The force F is the sum of the contact forces of the rope on this pulley. If F just before the loss of
contact exceeds `THROWN` times the mean of F over the run, and if the rope does not touch the pulley again, the rope has
been thrown off. The value of F just before the loss of contact is a weighted maximum over the last steps. The weight of
each step is `FADING` times the weight of the next step. A maximum is used because single contact points open and close
during the run. If a rope becomes slack and lifts off, the motion is valid, and a note reports the loss of contact.

Three causes can change a tension within a step: loads, waves, and a complete loss of the tension. Consider a rope with
the axial stiffness EA and the mass per length rhoA. A wave with a speed change w changes the tension by sqrt(EA rhoA)
w, and by twice this value at a fixed end. Further reflections occur if a wave passes the whole rope within the step.
The tension at the start of the step can be lost completely, for example when a brake engages or a support fails. If the
change of a tension exceeds `LEAP` times the sum of these three contributions, the result is doubtful.

If the model changes during the run (`World.set`), both checks are reset.
Source: waves of a stretched rope, K. F. Graff, Wave Motion in Elastic Solids (1975), section 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.command_line import options
from windlass.framework.command_line.notes import say_once
from windlass.framework.kernels.call import Call, call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.kernels.program import Program, Step
from windlass.framework.model.gaps import GAP, Gaps
from windlass.framework.model.pulls import Pulls
from windlass.framework.model.system import System, evaluate
from windlass.framework.state.hooks import IdleSteps
from windlass.framework.state.state import State
from windlass.solvers.verdicts.watch import ALL, Watch

FADING = 0.8
"""Ratio [1] of the weights of two successive steps in the weighted maximum of the force on a pulley."""
THROWN = 0.2
"""Force [1] on a pulley just before contact is lost, relative to the mean force. Above this value, the rope has been
thrown off.
"""
GONE = 2
"""Number of steps without contact. After this number of steps, contact is treated as lost."""
WRAPPED = 0.2
"""Mean wrap angle [rad] above which a rope is treated as wrapped around a pulley."""
LONG = 50
"""Number of steps with contact above which a rope is treated as wrapped around a pulley."""
SHOWN = 3
"""Largest number of pulleys that the text of a verdict names."""
LEAP = 3.0
"""Change [1] of a tension in a step, relative to the sum of the contributions of loads, waves and the tension at the
start of the step. Above this value, a result is doubtful.
"""
WRAP, FORCE, RECENT, WRAPS, FORCES, STEPS, LAST, OPEN = range(8)
"""Indices of the data of a pulley.

WRAP: present wrap angle [rad] of the rope. FORCE: present force [N] on the pulley. RECENT: largest force [N] of the
last steps, weighted by `FADING`. WRAPS: sum [rad] of the wrap angles over the steps with contact. FORCES: sum [N] of
the forces over the steps with contact. STEPS: number of steps with contact. LAST: time [s] of the last step with
contact. OPEN: number of steps since the last step with contact.
"""
CHANGE, ROW, CAUSE, BEFORE, AT, SIZE, COUNT, MOST = range(8)
"""Indices of the data of a law. The worst step is the step with the largest ratio of CHANGE to CAUSE.

CHANGE: change [N] of the tension in the worst step.
ROW: index of the cable with this tension.
CAUSE: sum [N] of the possible contributions to the change in the worst step.
BEFORE: largest tension [N] before the worst step.
AT, SIZE: time [s] and size [s] of the worst step.
COUNT: number of steps with doubtful changes.
MOST: largest tension [N] of the run so far, NaN if unknown.
"""


@kernel
def follow_pulleys(
    data: FloatArray,
    numbers: FloatArray,
    place: IntArray,
    pulley: IntArray,
    angle: FloatArray,
    stiffness: FloatArray,
    time: FloatArray,
    known: FloatArray,
) -> None:
    """Update the data of pulleys at the end of a step.

    Args:
        data: history values, shape (d,).
        numbers: gaps of all contacts, see `Gaps`. If the gap of a closed contact was not measured in this step, the gap
            in ``numbers`` is not negative, and the gap in the history values is used.
        place, pulley, angle, stiffness: data of the contacts between pulleys and the rope, see `Wraps`.
        time: time [s] at the end of the step, shape (1,).
        known: data of the pulleys, see `WRAP`, shape (pulleys, 8).
    """
    for p in range(len(known)):
        known[p, WRAP], known[p, FORCE] = 0.0, 0.0
    for k in range(len(place)):
        if data[place[k]] < 0.0:
            gap = numbers[k, GAP] if numbers[k, GAP] < 0.0 else data[place[k]]
            row = known[pulley[k]]
            row[WRAP] += angle[k]
            row[FORCE] -= stiffness[k] * gap
    for p in range(len(known)):
        row = known[p]
        if row[WRAP] > 0.0:
            row[RECENT] = max(row[FORCE], FADING * row[RECENT])
            row[WRAPS], row[FORCES], row[STEPS] = row[WRAPS] + row[WRAP], row[FORCES] + row[FORCE], row[STEPS] + 1.0
            row[LAST], row[OPEN] = time[0], 0.0
        else:
            row[OPEN] += 1.0


@kernel
def find_largest_wave(dofs: IntArray, impedance: FloatArray, x: FloatArray, v: FloatArray) -> float:
    """Return the largest force [N] that a wave can cause. For each cable, this force is sqrt(EA rhoA) w, where w is the
    speed of the first end of the cable relative to the mean motion of all cables along their axes. The arguments
    ``dofs`` and ``impedance`` are explained in `Pulls`. The arguments x and v are coordinates and velocities, shape (n
    + 1,).
    """
    d, mean, largest = dofs.shape[1] // 2, 0.0, 0.0
    # compute the mean speed of the cables along their axes
    for i in range(len(dofs)):
        along, square = 0.0, 0.0
        for e in range(d):
            s = x[dofs[i, d + e]]
            along, square = along + s * v[dofs[i, e]], square + s * s
        mean += along / sqrt(max(square, 1e-300))
    mean /= max(len(dofs), 1)
    # subtract the mean velocity from the velocity of the first end of each cable
    for i in range(len(dofs)):
        square, fast = 0.0, 0.0
        for e in range(d):
            square += x[dofs[i, d + e]] ** 2
        share = mean / sqrt(max(square, 1e-300))
        for e in range(d):
            fast += (v[dofs[i, e]] - share * x[dofs[i, d + e]]) ** 2
        largest = max(largest, impedance[i] * sqrt(fast))
    return largest


@kernel
def judge_pulls(
    tensions: FloatArray, dofs: IntArray, impedance: FloatArray, law: FloatArray, loads: FloatArray,
    x: FloatArray, v: FloatArray, size: FloatArray, time: FloatArray,
    before: FloatArray, old_x: FloatArray, old_v: FloatArray, found: FloatArray,
) -> None:  # fmt: skip
    """Check whether a tension of the cables of one type has jumped in a step.

    Args:
        tensions, dofs, impedance: tensions, coordinates and wave impedances of the cables, see `Pulls`.
        law: total length [m] of all cables of this type, wave speed [m/s], and rounding error [N] of a force, shape
            (3,).
        loads: loads [N] that do not depend on coordinates, shape (n + 1,).
        x, v: coordinates and velocities at the end of the step, shape (n + 1,).
        size: size [s] of the step, shape (1,).
        time: time [s] at the end of the step, shape (1,).
        before, old_x, old_v: tensions, coordinates and velocities at the start of the step, which are replaced by the
            values at the end of the step.
        found: data of the largest change of a tension, see `CHANGE`, shape (8,).
    """
    change, row, most = 0.0, 0, 0.0
    for i in range(len(tensions)):
        leap = abs(tensions[i] - before[i])
        if leap > change:
            change, row = leap, i
        before[i] = tensions[i]
        most = max(most, abs(tensions[i]))
    # if ``found[MOST]`` is NaN, this comparison is false
    if change > LEAP * found[MOST]:
        applied = 0.0
        for i in range(len(loads)):
            applied += abs(loads[i])
        waves = 2.0 * find_largest_wave(dofs, impedance, old_x, old_v) * max(1.0, law[1] * size[0] / law[0])
        cause = found[MOST] + applied + waves + law[2]
        if change > LEAP * cause:
            found[COUNT] += 1.0
            if change * found[CAUSE] >= found[CHANGE] * cause:
                found[CHANGE], found[ROW], found[CAUSE], found[BEFORE] = change, row, cause, found[MOST]
                found[AT], found[SIZE] = time[0], size[0]
    found[MOST] = most if np.isnan(found[MOST]) else max(found[MOST], most)
    for i in range(len(x)):
        old_x[i], old_v[i] = x[i], v[i]


class RopeWatch(Watch):
    """Check of pulleys and tensions in every step of a solve. The checks are made only in runs on one process.

    Args:
        assembly: the systems of this process. Its fields contain the state at the end of the step that is checked.

    Attributes:
        notes: texts on slack ropes that have lifted off their pulleys; available after `judge`.
    """

    name = "ropes"

    def __init__(self, assembly: Assembly) -> None:
        self._assembly, self._is_on, self._revision, self._version = assembly, False, -1, -1
        self._size, self._program = np.zeros(1), Program(())
        self._wraps: list[tuple[str, Gaps, FloatArray]] = []
        self._pulls: list[tuple[str, Pulls, FloatArray]] = []
        self._before: list[FloatArray] = []
        # positions and velocities at the end of the previous step, for each law whose tensions are checked
        self._motions: list[tuple[FloatArray, FloatArray]] = []
        self._reasons: list[str] = []
        self.notes: list[str] = []

    def begin(self, state: State, duration: float) -> None:
        """Begin the checks of a run, see `Watch.begin`."""
        self._reasons, self.notes, self._revision, self._version = [], [], -1, -1
        self._is_on = self._assembly.layout.size == 1 and options.verdict_kind() != "off"
        if self._is_on:
            self._assembly.load_fields(state)
            self._lay_down()
            self._program()

    def before_step(self, state: State, h: float, moved: bool) -> None:
        """Prepare the checks of the next step, see `Watch.before_step`."""
        self._size[0] = h
        self.follow_changes()

    def follow_changes(self) -> None:
        """Reset the data of pulleys and tensions if columns of tables or systems have changed."""
        assembly = self._assembly
        if self._is_on and (assembly.world.version != self._version or assembly.revision != self._revision):
            self._note_leaps()
            if assembly.revision != self._revision:
                self._lay_down()
            else:
                self._reset()

    def idle_steps(self, state: State) -> IdleSteps:
        """Return the coming steps that Python need not check. The program uses the history values at the end of the
        step.
        """
        return IdleSteps(ALL, self._program)

    def accept(self, state: State, t: float, h: float) -> None:
        """Record an accepted step. The program of this method uses the history values at the end of the step."""
        self._program()

    def judge(self) -> list[str]:
        """Return reasons to doubt the result, and print the notes of the monitor."""
        if not self._is_on:
            return []
        lost = [
            (row[RECENT] * row[STEPS] > THROWN * row[FORCES], row, pulley)
            for _, gaps, known in self._wraps
            if gaps.wraps is not None and (known[:, OPEN] >= GONE).any()
            for row, pulley in zip(known.tolist(), gaps.wraps.names(), strict=True)
            if row[OPEN] >= GONE and row[STEPS] >= LONG and row[WRAPS] > WRAPPED * row[STEPS]
        ]
        self.notes = [describe_slack(row, pulley) for thrown, row, pulley in lost if not thrown][:SHOWN]
        say_once("note", self.notes)
        self._note_leaps()
        return [*[describe_thrown(row, pulley) for thrown, row, pulley in lost if thrown][:SHOWN], *self._reasons]

    def checkpoint(self) -> dict[str, Any]:
        """Return values that a resumed run needs."""
        self._note_leaps()
        known = {name: values.ravel().tolist() for name, _, values in [*self._wraps, *self._pulls]}
        for (name, _, _), values in zip(self._pulls, self._before, strict=True):
            known[f"{name} before"] = values.tolist()
        return {"known": known, "reasons": self._reasons}

    def restore(self, kept: Mapping[str, Any]) -> None:
        """Continue from values that `checkpoint` has returned."""
        self._reasons = [str(words) for words in kept["reasons"]]
        found = {name: np.array(values) for name, values in kept["known"].items()}
        for name, _, values in [*self._wraps, *self._pulls]:
            if name in found and found[name].size == values.size:
                values[:] = found[name].reshape(values.shape)
        for (name, _, _), values in zip(self._pulls, self._before, strict=True):
            if f"{name} before" in found and found[f"{name} before"].size == values.size:
                values[:] = found[f"{name} before"]

    def _lay_down(self) -> None:
        """Create the compiled programs of a step, and reset the data of pulleys and tensions."""
        assembly, s = self._assembly, evaluate(self._assembly.fields)
        self._revision, self._version, steps = assembly.revision, assembly.world.version, list[Step]()
        self._wraps, self._pulls, self._before, self._motions = [], [], [], []
        assembly.loads.update()
        for system in assembly.systems:
            if system.gaps is not None and system.gaps.wraps is not None:
                steps += self._follow(system, system.gaps, s)
            if system.axis.pulls is not None and len(system.axis.pulls.tensions):
                steps += self._compare(system, system.axis.pulls, s)
        self._program = Program(steps)

    def _reset(self) -> None:
        """Reset the data of pulleys and tensions. The programs do not change."""
        self._version = self._assembly.world.version
        self._assembly.loads.update()
        for values in (*(known for *_, known in self._wraps), *self._before, *sum(self._motions, ())):
            values[:] = 0.0
        for *_, found in self._pulls:
            found[:] = 0.0
            found[MOST] = np.nan

    def _follow(self, system: System, gaps: Gaps, s: Any) -> list[Step]:
        w = gaps.wraps
        assert w is not None
        known = np.zeros((int(w.pulley.max(initial=-1)) + 1, 8))
        self._wraps.append((system.name, gaps, known))
        given = gaps.numbers, w.place, w.pulley, w.angle, w.stiffness
        return [(call(follow_pulleys, lambda s: (s.data, *given, s.time, known)), (s,))]

    def _compare(self, system: System, pulls: Pulls, s: Any) -> list[Step]:
        found, before = np.zeros(8), np.zeros(len(pulls.tensions))
        found[MOST] = np.nan
        self._pulls.append((system.name, pulls, found))
        self._before.append(before)
        law = np.array([pulls.length, pulls.speed, pulls.least])
        given = pulls.tensions, pulls.dofs, pulls.impedance, law, self._assembly.loads.sum
        fields, size = self._assembly.fields, self._size
        self._motions.append((np.zeros_like(fields.x), np.zeros_like(fields.v)))
        kept = before, *self._motions[-1], found
        measure = pulls.measure
        assert isinstance(measure, Call)
        return [(measure, (s,)), (call(judge_pulls, lambda s: (*given, s.x, s.v, size, s.time, *kept)), (s,))]

    def _note_leaps(self) -> None:
        """Store texts about jumps of tensions. Call this method before the data are reset."""
        for name, pulls, found in self._pulls:
            if found[COUNT] > 0.0 and not any(name in words for words in self._reasons):
                self._reasons.append(describe_leap(found.tolist(), pulls.describe(int(found[ROW]))))
                found[COUNT] = 0.0


def describe_thrown(row: list[float], pulley: str) -> str:
    """Return a text about a pulley that has lost its rope."""
    wrap, force = np.degrees(row[WRAPS] / row[STEPS]), row[FORCES] / row[STEPS]
    return (
        f"the rope or belt on {pulley} is lost at once after t = {row[LAST]:.6g} s: a wrap angle of {wrap:.3g}° in the "
        f"mean and a force of {row[RECENT]:.3g} N ({force:.3g} N in the mean) are gone: take a smaller step"
    )


def describe_slack(row: list[float], pulley: str) -> str:
    """Return a note about a pulley from which a slack rope has lifted off."""
    return (
        f"the rope or belt on {pulley} has become slack and has not touched it since t = {row[LAST]:.6g} s; its force "
        f"was {row[FORCES] / row[STEPS]:.3g} N on average and {row[RECENT]:.3g} N at the end"
    )


def describe_leap(found: list[float], name: str) -> str:
    """Return a text about a tension that has jumped."""
    return (
        f"the tension of {name} leaps by {found[CHANGE]:.3g} N in the step of {found[SIZE]:.3g} s at t = "
        f"{found[AT]:.6g} s; loads, motion and the largest tension before, {found[BEFORE]:.3g} N, explain "
        f"{found[CAUSE]:.3g} N: contacts or stiff parts are not resolved; take a smaller step"
    )
