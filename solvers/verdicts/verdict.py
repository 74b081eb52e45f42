"""The verdict on a solve: whether its result can be trusted, and the reasons for doubt.

A solve that fails raises an error. A solve that reaches its end can still be wrong. For example, steps may have created
energy because the step size did not resolve contacts. Steps may have been accepted although contact states did not
settle. The step size may have been reduced repeatedly. A belt may have left its pulleys, or the solution of a load step
may have jumped at a limit point. The result of such a solve is called *doubtful*. Reasons for doubt that are known
before the solve, such as a step longer than the period of a contact, are printed before the solve.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.command_line import options
from windlass.framework.command_line.notes import say_once
from windlass.framework.command_line.summary_file import note_verdict
from windlass.framework.errors import WindlassError
from windlass.framework.launch.launcher import is_first_process
from windlass.framework.model.system import SumKey
from windlass.solvers.names import shorten
from windlass.solvers.stepping.statistics import Statistics
from windlass.solvers.stepping.step_control import REQUEST

UNSETTLED_SHARE = 0.05
"""Fraction [1] of steps that are accepted at the limit of passes. Up to this value, the result is not doubtful."""
SMALL_ERROR = 1e-3
"""Force error [1] of steps that are accepted at the limit of passes, relative to the contact force. Up to this value,
the result is not doubtful.
"""
FEW = 3
"""Number of steps that a run may accept at the limit of passes, without a doubtful result."""
MANY_CUTS = 20
"""Number of failed attempts. Below this value, contacts are not treated as chattering."""
CUT_SHARE = 0.05
"""Number [1] of failed attempts per step. Below this value, contacts are not treated as chattering."""
SHORT_STEPS = 4.0
"""Ratio [1] of the number of steps to the number of nominal steps. Below this value, contacts are not treated as
chattering.
"""
WHOLE = 1e-6
"""Deviation of an invariant from an integer. Up to this value, the invariant is treated as an integer. Other invariants
are invariants of open cables, and may change.
"""
SHOWN = 5
"""Largest number of reasons of the same type that are printed."""


class DoubtfulError(WindlassError):
    """Exception that is raised if the result of a completed solve is doubtful and ``-verdict fail`` was given."""


@dataclass(repr=False)
class Verdict:
    """The verdict on a solve. ``bool(verdict)`` is true if the attribute ``word`` is "ok". The value is also true
    before a solve, and with ``-verdict off``.

    Attributes:
        reasons: reasons why the result is doubtful; empty if the result can be trusted.
        notes: remarks that are printed before the solve and, in statics, remarks about the stability of the
            equilibrium. Each remark is printed once in a run.
        energy: text about the energy that the integration method has lost, for example by intended numerical damping.
            The text is empty if the loss is negligible. The text is also empty if elements or contacts dissipate
            energy. For such models, `EnergyLedger` separates these losses from the loss of the method.
        invariants: quantities that must not change during the solve, see `Checks.invariants`.
        stopped: reason why the solve has not reached its end: ``"interrupted"`` or ``"failed"``; empty for a completed
            solve.
        where: time and step at which a solve was stopped.
    """

    reasons: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    energy: str = ""
    invariants: dict[str, float] = field(default_factory=dict)
    stopped: str = ""
    where: str = ""

    @property
    def word(self) -> str:
        """``"ok"``, ``"doubtful"``, ``"interrupted"`` or ``"failed"``."""
        return self.stopped or ("doubtful" if self.reasons else "ok")

    def __bool__(self) -> bool:
        """Return whether ``word`` is "ok"."""
        return self.word == "ok"

    def describe(self) -> str:
        """Return the verdict as lines of text."""
        first = f"{self.word} {self.where}".rstrip()
        return "\n  ".join([first, *self.reasons, *([self.energy] if self.energy and not self.reasons else [])])

    def __repr__(self) -> str:
        return f"<Verdict: {self.describe()}>"


def find_doubts(assembly: Assembly, step: float) -> list[str]:
    """Return reasons for doubt that the checks of elements and contacts find before a solve, at the state in the
    fields. The call is collective.

    Args:
        assembly: the systems of this process.
        step: nominal step size [s] of dynamics, 0 in statics.
    """
    mine = [
        words
        for s in assembly.systems
        if (find := s.checks.doubts) is not None
        for words in find(assembly.fields, step)
    ]
    found = dict.fromkeys(words for part in assembly.processes.allgather("doubts", mine) for words in part)
    return list(found)[:SHOWN]


def judge_laws(assembly: Assembly, step: float) -> list[str]:
    """Return reasons for doubt that the checks of elements and contacts find at the end of a solve, at the state in the
    fields. The argument ``step`` is the nominal step size [s] of dynamics, and 0 in statics. The call is collective.
    """
    if options.verdict_kind() == "off":
        return []
    mine = [
        words
        for s in assembly.systems
        if (find := s.checks.reasons) is not None
        for words in find(assembly.fields, step)
    ]
    sums = [pair for s in assembly.systems if (add := s.checks.sums) is not None for pair in add(assembly.fields)]
    found: list[str] = []
    totals: dict[SumKey, FloatArray] = {}
    for words, parts in assembly.processes.allgather("reasons", (mine, sums)):
        found += words
        for key, value in parts:
            totals[key] = totals[key] + value if key in totals else value
    found += [words for key, total in totals.items() if (words := key.judge(total)) is not None]
    return list(dict.fromkeys(found))[:SHOWN]


def find_invariants(assembly: Assembly) -> dict[str, float]:
    """Return invariants of the whole model at the state in the fields. The call is collective."""
    mine = [find(assembly.fields) for s in assembly.systems if (find := s.checks.invariants) is not None]
    sums: dict[str, float] = {}
    for part in assembly.processes.allgather("invariants", mine):
        for values in part:
            for name, value in values.items():
                sums[name] = sums.get(name, 0.0) + value
    return sums


def judge_invariants(verdict: Verdict, assembly: Assembly) -> list[str]:
    """Return reasons for doubt from invariants that have changed since the start. The call is collective."""
    if options.verdict_kind() == "off":
        return []
    now = find_invariants(assembly)
    return [
        f"{name} were {before:.0f} at the start and are {now[name]:.0f} at the end: the belt or rope has left it"
        for name, before in verdict.invariants.items()
        if abs(now.get(name, before) - before) > 0.5
    ][:SHOWN]


def begin_verdict(assembly: Assembly, step: float, name: str, more: Sequence[str] = ()) -> Verdict:
    """Create the verdict of a solve, and print the reasons for doubt that the checks of elements and contacts find
    before the solve. The fields contain the initial state, including markers.
    """
    if options.verdict_kind() == "off":
        return Verdict()
    whole = {key: value for key, value in find_invariants(assembly).items() if abs(value - round(value)) < WHOLE}
    notes = [*more, *find_doubts(assembly, step)]
    verdict = Verdict(notes=notes, invariants={k: v for k, v in whole.items() if abs(v) > 0.5})
    say_once(f"note before {name}", verdict.notes)
    return verdict


def judge_steps(statistics: Statistics) -> list[str]:
    """Return reasons for doubt if steps were accepted although contact states had not settled."""
    unsettled, worst = statistics.unconverged_passes, statistics.largest_error
    if worst <= SMALL_ERROR or unsettled <= max(FEW, UNSETTLED_SHARE * statistics.steps):
        return []
    return [
        f"{unsettled} of {statistics.steps} steps were accepted although contact states did not settle, with force "
        f"errors up to {worst:.2g} of the contact forces: take a smaller step, or let such steps fail"
    ]


def judge_cuts(steps: int, nominal: float, failed: Sequence[tuple[float, float, str]]) -> list[str]:
    """Return reasons for doubt if the step size was reduced repeatedly.

    Args:
        steps: number of accepted steps.
        nominal: number of steps that the run would have with the nominal step size.
        failed: (time [s], step size [s], reason) of each rejected attempt.
    """
    # if an attempt is rejected only to shorten the step to the time of a contact, the attempt is not counted as a
    # failure
    cut = sum(REQUEST not in reason for _, _, reason in failed)
    if cut < MANY_CUTS or cut < CUT_SHARE * steps or steps < SHORT_STEPS * nominal:
        return []
    return [
        f"{cut} attempts failed, and steps had to be cut to {nominal / steps:.2g} of the nominal one in the mean: "
        "contacts chatter, or something swings faster than the step resolves; damp it (bending_damping, "
        "contact_damping, damping_depth), or take contact points instead of segments"
    ]


def judge_end(error: float) -> list[str]:
    """Return reasons for doubt if the last load step was accepted with a large force error. ``error`` is the ratio [1]
    of the force error to the largest contact force.
    """
    if error <= SMALL_ERROR:
        return []
    return [
        f"contacts and forces do not agree at full load, the force error is {error:.2g} of the contact forces: contact "
        "states have not settled, or contacts that close in the last load step have no friction yet: take "
        "more load steps, or a first solve without friction"
    ]


def judge_jumps(jumps: Sequence[str]) -> list[str]:
    """Return reasons for doubt from the texts of `JumpWatch` about jumps in a static solve."""
    return shorten(jumps, SHOWN, " jumps")


def judge_hold(lost: str) -> list[str]:
    """Return a reason for doubt if a motion had stiffness at the start of a static solve, but has none at full load.
    The argument ``lost`` contains the coordinates of this motion. The result is empty if there is no such motion.
    """
    if not lost:
        return []
    return [
        f"nothing holds {lost} at full load, which was held at the start: contact, friction or tension is lost in the "
        "solve, and the position is arbitrary; take more load steps, or a start nearer to the equilibrium"
    ]


def judge_mesh(coarse: Sequence[str]) -> list[str]:
    """Return reasons for doubt from the texts ``coarse`` about elements that are too long to resolve the shape of the
    solution."""
    return shorten(coarse, SHOWN, " of this kind")


def conclude(verdict: Verdict, reasons: Sequence[str], name: str) -> None:
    """Store and print the verdict at the end of a solve.

    Raises:
        DoubtfulError: the verdict is doubtful and ``-verdict fail`` was given.
    """
    kind = options.verdict_kind()
    verdict.reasons = [reason for reason in reasons if reason] if kind != "off" else []
    note_verdict(name, verdict.word, verdict.reasons)
    if verdict.reasons and kind == "fail":
        raise DoubtfulError(f"the result of {name} is doubtful:\n  " + "\n  ".join(verdict.reasons))
    if verdict.reasons and is_first_process():
        sys.stderr.write("".join(f"doubtful result of {name}: {reason}\n" for reason in verdict.reasons))
        sys.stderr.flush()
