"""Treatment of unstable equilibria and of implausible shapes in static solves.

``check``: the solve raises an error that names the mode.
``follow``: the solve disturbs the equilibrium along its lowest mode and continues along decreasing potential energy to
    a stable equilibrium. There are two cases in which the solve continues from its initial state: an implausible shape
    (a slope of a cable points more than 90° away from the chord), and the last attempt.
``off``: stability is not checked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.post_newton import begin_step
from windlass.framework.assembly.vectors import local_values
from windlass.framework.command_line.notes import say_once
from windlass.framework.state.state import State
from windlass.solvers.equilibrium.descent import descend
from windlass.solvers.equilibrium.inertia import SYMMETRIC, InertiaError, TangentInertia, is_surely_stable
from windlass.solvers.equilibrium.relaxation import first_factor
from windlass.solvers.equilibrium.singular import find_free_motion
from windlass.solvers.names import name_largest, shorten
from windlass.solvers.newton.newton import Newton
from windlass.solvers.newton.problem import NonlinearProblem
from windlass.solvers.newton.scheme import Scheme

ATTEMPTS = 4
"""Largest number of unstable equilibria from which one solve continues."""
DISTURBANCE = 1e-5
"""Largest entry [1] of the disturbance of an unstable equilibrium, relative to the range of the coordinates."""
MARKED = 1e-6
"""If the asymmetry [1] of the tangent without contacts is larger than this value, messages mention flutter. Beck's
column at the flutter load has the asymmetry 9e-3.
"""
SHOWN = 2
"""Largest number of faults, and largest number of doubts, that a message contains."""
START_SHARE = 0.1
"""Largest entry [1] of k M in the first step, relative to the largest entry of the tangent, if the descent begins at
the start of a solve.
"""
UNSTABLE_ADVICE = (
    "take more elements where a line turns, start nearer to the intended shape (slack lines: from a `catenary`), "
    "or disturb the model towards it by a small load; stability='follow' continues to a stable one, stability='off' "
    "accepts it"
)

FLUTTER = (
    "the tangent is not symmetric (drag, follower loads): static stability is checked, flutter is not: check it by "
    "modes with masses, or by dynamics"
)

CONTROLLED = "the stability of an equilibrium with first-order states, as of controllers, is not checked: use modes"

FREE = "it stays where it was at the start, except for rounding; a support, friction or a spring would determine it"

ALONG = 1e-3
"""Fraction [1] of the displacements of a solve that is along a motion without stiffness. Above this value, the fraction
is not a rounding error, so the motion had stiffness at the start.
"""

FactorSolve = Callable[[FloatArray], object]


@dataclass
class Finding:
    """Findings about the stability and the shape of an equilibrium.

    Attributes:
        negative: number of modes with negative stiffness.
        mu: eigenvalue μ [1] of the lowest mode v, with K v = μ D v and the diagonal matrix D_ii = Σ_j |K_ij|.
        stiffness: stiffness vᵀ K v [N/m, N m, N] of the lowest mode. The largest component of its vector v is 1.
        mode: values of the lowest mode at the coordinates of this process, scaled such that the largest component is 1,
            shape (n,).
        names: coordinates with the largest components of the lowest mode, and these components [m, rad, 1].
        faults: implausible shapes, from `Checks.find_faults`.
        doubts: other findings of `Checks.find_faults`, which the user must judge.
        coarse: rows (elements) that `Checks.find_faults` reports as too long to resolve the shape of the solution.
        lost: coordinates of a motion without stiffness along which the model has moved in the solve; empty if no such
            motion exists.
    """

    negative: int = 0
    mu: float = 0.0
    stiffness: float = 0.0
    mode: FloatArray = field(default_factory=lambda: np.zeros(0))
    names: list[tuple[str, float]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    coarse: list[str] = field(default_factory=list)
    lost: str = ""

    def __bool__(self) -> bool:
        return self.negative > 0 or bool(self.faults)

    def describe(self) -> str:
        """Return a text about implausible shapes and modes with negative stiffness."""
        words = []
        if self.negative:
            modes = "1 negative eigenvalue" if self.negative == 1 else f"{self.negative} negative eigenvalues"
            moves = ", ".join(f"{name} {value:+.2g}" for name, value in self.names)
            words.append(f"its tangent has {modes}; the lowest mode moves ({moves})")
        return "; ".join(shorten(self.faults, SHOWN, " of this kind") + words)


def examine(problem: NonlinearProblem, held: FloatArray | None = None) -> Finding:
    """Check the last equilibrium of a problem, with the history values in the fields. The argument ``held``, shape
    (n,), contains displacements at which all motions had stiffness: the start of a solve without stabiliser. The
    argument ``held`` may be omitted.
    """
    problem.expand_unknowns(problem.unknowns)
    found = problem.assembly.find_faults()
    finding = Finding(
        faults=[f.words for f in found if f.certain],
        doubts=[f.words for f in found if not (f.certain or f.coarse)],
        coarse=[f.words for f in found if f.coarse],
    )
    if problem.assembly.processes.any(len(problem.assembly.layout.states) > 0):
        finding.doubts.append(CONTROLLED)
        return finding
    problem.update_tangent(problem.unknowns)
    problem.lag.drop_tangent()
    if is_surely_stable(problem):
        return finding
    free = find_free_motion(problem)
    if free and held is not None and _has_moved(problem, held):
        finding.lost = free
    elif free:
        finding.doubts.append(f"nothing holds {free} at full load: {FREE}")
    inertia = TangentInertia(problem)
    try:
        finding.negative = inertia.count_negative()
    except InertiaError as error:
        finding.doubts.append(f"whether the equilibrium is stable is not known: {error}")
    if finding.negative and inertia.asymmetry > SYMMETRIC and not inertia.loses_stability():
        finding.negative = 0
    if finding.negative:
        finding.mu, finding.stiffness, finding.mode = inertia.find_lowest()
        finding.names = name_largest(problem.assembly, finding.mode)
    if finding.negative or inertia.asymmetry > MARKED:
        _look_without_contacts(problem, inertia, finding)
    return finding


def _has_moved(problem: NonlinearProblem, start: FloatArray) -> bool:
    """Return whether the displacements have changed along the motion that `find_free_motion` has stored."""
    layout, unknowns = problem.assembly.layout, problem.sparsity.unknowns
    n = len(layout.owned)
    motion = local_values(unknowns.ghosts, problem.residual_vector)[unknowns.of_dof[:n]]
    change = problem.assembly.fields.x[:n] - layout.reference[:n] - start[:n]
    along, size, whole = problem.assembly.processes.sum(np.array([motion @ change, motion @ motion, change @ change]))
    return bool(along**2 > ALONG**2 * size * whole)


def _look_without_contacts(problem: NonlinearProblem, whole: TangentInertia, finding: Finding) -> None:
    """Find modes with negative stiffness and possible flutter of the model without contacts. The tangent of the problem
    is overwritten.

    The tangent is computed with constant contact states of the straight segments. Therefore a belt that circulates
    without friction has stable and unstable positions, which alternate at distances of half a segment. The difference
    between these positions is an effect of the discretisation. Therefore a mode that has a negative stiffness only
    because of contacts causes a note, and no error is raised. The tangent of sliding contacts is unsymmetric, but this
    asymmetry is no sign of flutter, because sliding contacts dissipate energy.
    """
    assembly, matrix = problem.assembly, problem.matrix
    contacts = {c: s for c, s in assembly.layout.systems.items() if s.post_newton is not None and s.tangent is not None}
    # a process may have no contact rows
    for component, system in contacts.items():
        if system.tangent is not None:
            system.tangent(assembly.evaluation(component, matrix.values, dq=-1.0))
    rest = whole
    if assembly.processes.any(bool(contacts)):
        matrix.update()
        rest = TangentInertia(problem, whole)
        if finding.negative and rest.count_negative() == 0:
            finding.doubts.append(_describe_contact_modes(finding))
            finding.negative = 0
    if rest.asymmetry > MARKED and not finding.negative:
        finding.doubts.append(FLUTTER)


def _describe_contact_modes(finding: Finding) -> str:
    moves = ", ".join(name for name, _ in finding.names)
    motions = "there is a motion" if finding.negative == 1 else f"there are {finding.negative} motions"
    return (
        f"{motions} (most of {moves}) in which contacts alone have a negative stiffness, as in a belt that may "
        "circulate without friction; only its supports determine its position"
    )


class Follower:
    """Search for a stable equilibrium along decreasing potential energy, from an equilibrium that is unstable or
    implausible.

    Args:
        newton: Newton's method for the equations of equilibrium.
        scheme: the equilibrium to be found, in the last load step.
        first: the initial state of the solve.
        work: a state that is used as working memory, and is overwritten.
        solve: function that solves the last load step, including contact, from displacements of shape (n,).
        held: displacements at which all motions had stiffness, or None, see `examine`.

    Attributes:
        spent: number of linear solves of all descents.
        hindrance: reason why no descent was possible; empty if a descent was possible.
    """

    def __init__(
        self, newton: Newton, scheme: Scheme, first: State, work: State, solve: FactorSolve, held: FloatArray | None
    ) -> None:
        self._newton, self._scheme, self._first, self._work, self._solve = newton, scheme, first, work, solve
        self._held = held
        self.spent, self.hindrance = 0, ""

    def follow(self, finding: Finding) -> Finding:
        """Continue to a stable equilibrium. Return the findings about the last equilibrium that was found."""
        problem = self._newton.problem
        for attempt in range(ATTEMPTS):
            if finding.faults or attempt == ATTEMPTS - 1:
                q = self._start_again()
            else:
                q = self._leave(finding)
            if q is None:
                self.hindrance = "; the search for a lower potential needs mass, and the unstable coordinates have none"
                return finding
            if not self._solve(q):
                return finding
            finding = examine(problem, self._held)
            if not finding:
                break
        return finding

    def _leave(self, finding: Finding) -> FloatArray | None:
        """Descend from the present equilibrium after a disturbance along its lowest mode, and return displacements near
        a stable equilibrium, shape (n,). Return None if the mode has no mass.
        """
        problem = self._newton.problem
        assembly = problem.assembly
        fields, layout, mode = assembly.fields, assembly.layout, finding.mode
        n = len(layout.owned)
        loads, inertia = np.zeros(layout.spare + 1), np.zeros(layout.spare + 1)
        assembly.set_loads(loads, self._scheme.load_factor)
        assembly.add_mass_product(np.append(mode, 0.0), inertia)
        x = fields.x[:n]
        sums = np.array([loads[:-1] @ mode, inertia[:-1] @ mode])
        low, high = float(x.min(initial=np.inf)), float(x.max(initial=-np.inf))
        work, mass = assembly.processes.sum(sums).tolist()
        high, minus_low = assembly.processes.largest([high, -low])
        if mass <= 0.0:
            return None
        # the sign of the disturbance is such that the loads do positive work, if the work of the loads is not 0
        sign = -1.0 if work < 0.0 else 1.0
        amplitude = DISTURBANCE * ((high + minus_low) or 1.0)
        q = fields.x[:-1] - layout.reference[:-1] + sign * amplitude * mode
        return self._descend(q, -2.0 * finding.stiffness / mass)

    def _start_again(self) -> FloatArray | None:
        assembly, first = self._newton.problem.assembly, self._first
        fields = assembly.fields
        fields.data[:], fields.start_data[:] = first.data, first.data
        begin_step(fields, assembly.layout.reference, first)
        k = first_factor(self._newton, self._scheme, START_SHARE)
        return self._descend(first.q.copy(), k) if k > 0.0 else None

    def _descend(self, q: FloatArray, k: float) -> FloatArray:
        found, iterations = descend(self._newton, self._scheme, q, k, self._work)
        self.spent += iterations
        return found


def describe_unstable(finding: Finding, hindrance: str = "") -> str:
    """Return a text about the unstable equilibrium at which a solve ends."""
    kind = "the equilibrium is unstable" if finding.negative else "the equilibrium has an implausible shape"
    return f"{kind}: {finding.describe()}{hindrance}"


def say_findings(left: Finding | None, found: Finding) -> list[str]:
    """Print each note to the user once in a run, and return all notes for ``Verdict.notes`` of a solve.

    Args:
        left: findings about the unstable equilibrium from which the solve has continued to a stable equilibrium, or
            None.
        found: findings about the returned equilibrium. The notes contain its ``doubts``.
    """
    notes = []
    if left is not None:
        notes.append(
            f"Newton's method first found an unstable equilibrium: {left.describe()}. A descent of the potential "
            "energy then found a stable equilibrium"
        )
    if found.doubts:
        notes.append("; ".join(shorten(found.doubts, SHOWN, " of this kind")))
    say_once("note: static", notes)
    return notes
