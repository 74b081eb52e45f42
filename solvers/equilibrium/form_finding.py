"""Form-finding: computation of the equilibrium shape of slack lines. The result does not depend on the initial shape.

A line whose initial shape is shorter than its unstrained length has a compressive force of EA times the relative
difference in length. If a solve that decreases the potential starts from such a shape, the line folds. In form-finding
all lines are in tension from the first solution on, as in a net under tension. There are two stages:

1. Force densities. Each row (one cable element) has no bending stiffness. Its axial force is N = ρ |r'| with the
   stretch |r'|, and does not depend on the reference length of the row. The constant ρ is the force density. The
   equilibrium is the solution of linear equations, so the initial shape has no influence. The force density is
   corrected by ρ <- ρ |r'|/(1 + ε0 + N/EA), with the stress-free strain ε0. The force density increases if the row is
   longer than its law predicts for the force N. Otherwise the force density decreases. The corrections end when all
   lengths have errors of at most 10 %, or after `DENSITIES` solutions.
2. Multipliers. Each point of a row has the axial force N = μ + k (|r'| - 1 - ε0 - μ/EA), with a small stiffness k. The
   multiplier μ is the force of the previous solution, corrected by the error in length. If forces change little between
   two solutions, the second solution needs few iterations. The stiffness k increases after each solution. The increase
   is larger if the force changes are small. With k = EA, this axial force is equal to the force of the law of the row.

Contacts are updated after every solution. If contacts do not settle, or a solution fails, form-finding is repeated with
soft contacts, see `relaxed_contacts`. The stiffness of soft contacts is at most N/L_e², with the mean axial force N and
the mean length L_e of the rows. This limit increases after each solution with multipliers if the force error of the
contacts is small, until all contacts have their specified stiffness. The result of form-finding is an initial shape for
load steps. The load steps determine contact states again. All solutions use the laws of the model. `Strands` describes
the parameters of the laws that are changed. Friction is switched off, because it would prevent the motion of lines.

Source: H.-J. Schek, Comput. Methods Appl. Mech. Eng. 3 (1974) 115-134 (force densities); R. Glowinski, P. Le Tallec,
Augmented Lagrangian and Operator-Splitting Methods in Nonlinear Mechanics, SIAM (1989) (lines without extension).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from windlass.framework.arrays import BoolArray, FloatArray
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.assembly.post_newton import begin_step
from windlass.framework.model.system import PostNewton, Strands
from windlass.framework.state.state import State
from windlass.solvers.equilibrium.relaxed_contacts import SoftContacts
from windlass.solvers.newton.newton import Newton
from windlass.solvers.newton.scheme import Scheme

ROPE = 1e-3
"""Compressive strain [1] at buckling. Below this value, a row is treated as a line that may be slack, if its buckling
force is also less than the sum of all loads.
"""
DENSITIES = 30
"""Largest number of solutions with force densities in stage 1."""
MULTIPLIERS = 150
"""Largest number of solutions with multipliers in stage 2."""
NEAR = 0.1
"""Relative error [1] of the lengths of rows. If all errors are smaller, multipliers replace force densities."""
LARGEST_RATIO = 10.0
"""Largest ratio [1] of the force densities of a row in two consecutive solutions."""
CHANGE = 0.5
"""If the relative change [1] of forces is larger than this value, the stiffness does not increase."""
GROWTH = 30.0
"""Largest factor [1] by which the stiffness k increases after a solution."""
RETREAT = 3.0
"""Divisor [1] of the stiffness k after a failed solution."""
LEAST_FORCE = 1e-5
"""Smallest multiplier [1], and smallest divisor [1] of changes of forces, each relative to the largest force of all
lines.
"""
COMPRESSION = 0.1
"""Largest compressive force [1] of a solution with multipliers, relative to the largest force of all lines. Solutions
with larger compressive forces are repeated with a smaller stiffness.
"""
CONTACT = 1e-3
"""If the ratio [1] of the force error to the largest contact force is below this value, contacts are treated as
settled.
"""
MOST, MOST_SOFT = 150, 300
"""Largest numbers of linear solves in form-finding. MOST: with the specified stiffness of contacts. MOST_SOFT: with
soft contacts.
"""
STIFFER = 10.0
"""Factor [1] by which the limit of the contact stiffness increases after a solution in which contacts settle."""
WAY = 0.1
"""If the ratio [1] of the force error to the largest contact force is below this value, the limit of the contact
stiffness increases.
"""
RTOL = 1e-4
"""Relative tolerance [1] of each Newton run. Intermediate solutions need not be exact."""
MAX_IT = 15
"""Largest number of iterations of each Newton run."""


class Lines:
    """The strands (rows with axial force) of this process, ordered by law. All calls are collective.

    Args:
        assembly: the systems.
        load: sum [N] of the absolute values of all loads.
        every: whether all rows count as lines, including rows whose bending stiffness can bear compression.

    Attributes:
        load: sum [N] of the absolute values of all loads.
        exist: whether at least one process has a line that can be slack.
        are_lines: whether each row of this process is a line that can be slack, shape (rows,).
        bearable: compressive force [N] at which each row would buckle if its ends were clamped, shape (rows,).
        row, weight, stiffness, free: values at the integration points of all laws, see `Strands`. The rows of all laws
            are numbered consecutively.
        length, row_stiffness: length [m] and stiffness [N] of each row.
        count: number of strands of this process.
    """

    def __init__(self, assembly: Assembly, load: float, every: bool = False) -> None:
        self._assembly, self._processes, self.load = assembly, assembly.processes, load
        self._parts: list[Strands] = [s.axis.strands for s in assembly.systems if s.axis.strands is not None]
        counts = [len(part.bearable) for part in self._parts]
        first = np.cumsum([0, *counts])
        self.count = int(first[-1])
        self.row = np.concatenate(
            [np.zeros(0, np.int64), *(p.row + n for p, n in zip(self._parts, first, strict=False))]
        )
        self.weight = self._join([part.weight for part in self._parts])
        self.stiffness = self._join([part.stiffness for part in self._parts])
        self.free = self._join([part.free for part in self._parts])
        self.bearable = self._join([part.bearable for part in self._parts])
        self.length = np.bincount(self.row, self.weight, self.count)
        self.row_stiffness = self.mean(self.stiffness)
        self.are_lines = every | (self.bearable < np.minimum(load, ROPE * self.row_stiffness))
        self.are_lines &= self.row_stiffness > 0.0
        self.exist = self._processes.any(bool(self.are_lines.any()))

    @staticmethod
    def _join(parts: list[FloatArray]) -> FloatArray:
        return np.concatenate([np.zeros(0), *parts])

    def mean(self, values: FloatArray) -> FloatArray:
        """Return the means of values at integration points over each row, shape (rows,)."""
        mean: FloatArray = np.bincount(self.row, self.weight * values, self.count) / self.length
        return mean

    def eval_stretch(self) -> FloatArray:
        """Return the stretch |r'| [1] at all integration points."""
        return self._join([part.eval_stretch(self._assembly.fields) for part in self._parts])

    def are_slack(self) -> bool:
        """Return whether any line is folded, or has a larger compressive force than the loads can cause, at the state
        in the fields.
        """
        force = self.mean(self.stiffness * (self.eval_stretch() - 1.0 - self.free))
        folded = self._find_folded()
        # a line whose force is NaN is treated as slack
        slack = self.are_lines & (folded | ~(force >= -np.maximum(self.load, self.bearable)))
        return self._processes.any(bool(slack.any()))

    def eval_compression(self) -> float:
        """Return the largest compressive force [N] of a line beyond the force that the line bears, at the state in the
        fields. The value is negative if all lines bear their forces.
        """
        return self.largest(-self.mean(self.stiffness * (self.eval_stretch() - 1.0 - self.free)) - self.bearable)

    def _find_folded(self) -> BoolArray:
        """Return whether each row of this process is folded, shape (rows,)."""
        return np.concatenate([np.zeros(0, np.bool_), *(p.find_folded(self._assembly.fields) for p in self._parts)])

    def are_folded(self) -> bool:
        """Return whether a line at the state in the fields is folded."""
        return self._processes.any(bool((self.are_lines & self._find_folded()).any()))

    def take(self, stiffness: FloatArray, free: FloatArray, bend: bool) -> None:
        """Set the axial stiffness [N] and the stress-free strain [1] of lines at their integration points, shape
        (points,) each. The argument ``bend`` states whether lines keep their bending stiffness.
        """
        on = self.are_lines[self.row]
        stiffness, free = np.where(on, stiffness, self.stiffness), np.where(on, free, self.free)
        bends: BoolArray = ~self.are_lines | bend
        point = row = 0
        for part in self._parts:
            points, rows = slice(point, point + len(part.row)), slice(row, row + len(part.bearable))
            point, row = points.stop, rows.stop
            part.take(stiffness[points], free[points], bends[rows])

    def restore(self) -> None:
        """Restore the original laws of all rows exactly."""
        self.take(self.stiffness, self.free, bend=True)

    def largest(self, values: FloatArray) -> float:
        """Return the largest of ``values``, shape (rows,), over all lines of all processes."""
        found: float = self._processes.largest([float(np.max(values, where=self.are_lines, initial=-np.inf))])[0]
        return found

    def sum(self, values: FloatArray) -> FloatArray:
        """Return the sums of ``values`` over all processes."""
        return self._processes.sum(values)

    def eval_stretch_of_all(self) -> float:
        """Return the present total length [1] of all lines, relative to their total reference length."""
        on = np.where(self.are_lines, self.length, 0.0)
        present, own = self._processes.sum(np.array([on @ self.mean(self.eval_stretch()), on.sum()]))
        return float(present / own)

    def eval_transverse_stiffness(self, force: FloatArray) -> float:
        """Return N/L² [N/m^2]. N is the mean of the axial forces ``force`` [N], shape (rows,), and L is the mean length
        of all lines.
        """
        on = self.are_lines
        count, total, length = self._processes.sum(np.array([on.sum(), on @ force, on @ self.length]))
        return float(total * count / length**2)


def divide(force: FloatArray, stiffness: FloatArray, where: BoolArray) -> FloatArray:
    """Return force / stiffness [1] where ``where`` is true, and 0 elsewhere. The division is restricted because the
    stiffness of a row that is not a line can be 0, for example if the row is broken.
    """
    return np.divide(force, stiffness, out=np.zeros_like(force), where=where)


def sum_loads(assembly: Assembly, load_factor: float) -> float:
    """Return the sum [N] of the absolute values of all loads. The call is collective."""
    loads = np.zeros(assembly.layout.spare + 1)
    assembly.set_loads(loads, load_factor)
    return float(assembly.processes.sum(np.array([np.abs(loads[: len(assembly.layout.owned)]).sum()]))[0])


def find_lines(newton: Newton, scheme: Scheme, every: bool = False) -> Lines | None:
    """Return the data of the lines of a model under the loads of a scheme, see `Lines`. Return None if no line can be
    slack, or if there are no loads. The fields of the assembly must contain the initial state of the scheme.
    """
    newton.problem.start(scheme)
    newton.problem.expand_unknowns(newton.problem.unknowns)
    assembly = newton.problem.assembly
    load = sum_loads(assembly, scheme.load_factor)
    strands = (system.axis.strands for system in assembly.systems if system.axis.strands is not None)
    weak = any(every or bool(part.bearable.min(initial=np.inf) < load) for part in strands)
    if not (load > 0.0 and assembly.processes.any(weak)):
        return None
    lines = Lines(assembly, load, every)
    return lines if lines.exist else None


class FormFinder:
    """Object that computes the equilibrium shape of lines.

    Args:
        newton: Newton's method for the equations of equilibrium.
        lines: the slack lines whose shape is computed.
        scheme: the equilibrium to be found, including its initial state. The fields contain the history values of this
            state.
        state: a state of this process that is used as working memory. Its values are overwritten.
        decide: function that determines contact states from a state without history values, so that friction starts
            from 0. If ``decide`` is None, contacts keep their history values.

    Attributes:
        q: displacements [m, 1, rad] of the previous solution, shape (n,).
        spent: number of linear solves so far.
    """

    def __init__(
        self, newton: Newton, lines: Lines, scheme: Scheme, state: State, decide: Callable[[State], None] | None
    ) -> None:
        self._newton, self._lines, self._scheme, self._state, self._decide = newton, lines, scheme, state, decide
        self.q, self.spent = scheme.q0.copy(), 0
        self._contacts, self._limit, self._most = SoftContacts(newton.problem.assembly), np.inf, MOST

    def find(self) -> bool:
        """Compute the shape. The first attempt uses the specified stiffness of the contacts, and a second attempt uses
        soft contacts. Return whether the shape was found.
        """
        snes, fields = self._newton.snes, self._newton.problem.assembly.fields
        settings, first = snes.getTolerances(), (fields.data.copy(), fields.start_data.copy())
        snes.setTolerances(rtol=RTOL, max_it=MAX_IT)
        try:
            for most in (MOST, MOST_SOFT) if self._contacts.exist else (MOST,):
                self.q, fields.data[:], fields.start_data[:] = self._scheme.q0.copy(), *first
                self._limit, self._most = np.inf if most == MOST else 1.0, self.spent + most
                force = self._find_densities()
                if force is not None and self._follow_multipliers(force):
                    return True
            return False
        finally:
            self._lines.restore()
            self._contacts.restore()
            snes.setTolerances(*settings)
            self._newton.problem.lag.drop_tangent()

    def _solve(self, stiffness: FloatArray, free: FloatArray, bend: bool, k: float = 0.0) -> bool:
        """Solve with the given stiffness and stress-free strain of the lines, starting from the previous solution q_0.
        The forces k M (q - q_0) are added. The argument ``bend`` states whether lines keep their bending stiffness.
        Return whether the solve has converged.
        """
        problem = self._newton.problem
        self._lines.take(stiffness[self._lines.row], free, bend)
        problem.lag.drop_tangent()
        scheme = replace(self._scheme, q0=self.q)
        if k > 0.0:
            scheme.q_anchor, scheme.stabiliser = self.q, k
        run = self._newton.solve(scheme)
        self.spent += run.iterations
        if run.converged:
            problem.store_static(self._state)
            self.q = self._state.q.copy()
        return run.converged

    def _update(self) -> PostNewton:
        """Update contacts after a solution, and store the state as the start of the next solution. Return the result of
        the update, such as the force error.
        """
        assembly = self._newton.problem.assembly
        fields, result = assembly.fields, assembly.post_newton()
        if self._decide is not None:
            self._decide(self._state)
            fields.data[:] = self._state.data
        fields.start_data[:] = fields.data
        begin_step(fields, assembly.layout.reference, self._state)
        return result

    def _find_densities(self) -> FloatArray | None:
        """Solve with force densities, and correct the densities after each solution. The corrections end when the
        errors of all lengths are below `NEAR`, after `DENSITIES` solutions, or if a solve fails. Return the forces [N]
        at all integration points in the last solution, or None if the first solve fails.
        """
        lines = self._lines
        free, density = lines.mean(lines.free), np.full(lines.count, lines.load)
        force: FloatArray | None = None
        for done in range(DENSITIES):
            self._contacts.limit(self._limit * lines.eval_transverse_stiffness(density))
            if not self._solve(density, np.full(len(lines.row), -1.0), bend=False):
                break
            force = density[lines.row] * lines.eval_stretch()
            self._update()
            stretch = lines.mean(lines.eval_stretch())
            strain = divide(density * stretch, lines.row_stiffness, lines.are_lines)
            ratio = np.where(lines.are_lines, stretch / (1.0 + free + strain), 1.0)
            if lines.largest(np.abs(np.log(ratio))) < NEAR:
                break
            # in the first two corrections, the force densities of all lines are multiplied by the mean stretch of all
            # lines
            ratio = np.full(lines.count, lines.eval_stretch_of_all()) if done < 2 else ratio
            density = density * np.clip(ratio, 1.0 / LARGEST_RATIO, LARGEST_RATIO)
        return force

    def _follow_multipliers(self, force: FloatArray) -> bool:
        """Solve with multipliers, beginning with the axial forces ``force`` [N] at all integration points, and increase
        the stiffness k until the forces agree with the laws of the rows. Return whether the forces agree.
        """
        lines, fields = self._lines, self._newton.problem.assembly.fields
        mean, factor = lines.mean(force), 1.0
        for _ in range(MULTIPLIERS):
            if self.spent > self._most:
                return False
            k = np.where(lines.are_lines, np.minimum(factor * mean, lines.row_stiffness), lines.row_stiffness)
            self._contacts.limit(self._limit * lines.eval_transverse_stiffness(mean))
            on = lines.are_lines[lines.row]
            free = lines.free + divide(force, lines.stiffness, on) - divide(force, k[lines.row], on)
            before = self.q, fields.data.copy(), fields.start_data.copy()
            found = self._solve(k, free, bend=True)
            largest = lines.largest(mean)
            if found:
                new = k[lines.row] * (lines.eval_stretch() - 1.0 - free)
                after = lines.mean(new)
                # the result of this comparison is false if a value is NaN
                found = lines.largest(-after) < COMPRESSION * largest
            if not found:
                self.q, fields.data[:], fields.start_data[:] = before
                factor /= RETREAT
                self._limit = max(self._limit / STIFFER, 1.0)  # a limit of inf remains inf
                continue
            contact = self._update()
            least = LEAST_FORCE * largest
            # lines that lie on a bed without tension would fold under compression
            after = np.maximum(after, least)
            change = lines.largest(np.abs(after - mean) / np.maximum(mean, least))
            force, mean = np.maximum(new, least), after
            settled = contact.error <= CONTACT * contact.force
            if settled and self._contacts.are_own and lines.largest(lines.row_stiffness - k) <= 0.0:
                return True
            if contact.error <= WAY * contact.force:
                self._limit *= STIFFER
            factor *= min(max(CHANGE / change, 1.0), GROWTH) if change > 0.0 else GROWTH
        return False
