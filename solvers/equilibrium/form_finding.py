"""Form-finding: computation of the equilibrium shape of slack lines, which does not depend on the initial shape.

A line whose initial shape is shorter than its unstrained length has a compressive force of EA times the relative
difference in length. If a solve decreases the potential from such a shape, the line folds. In form-finding all lines
are in tension from the first solution on, as in a net under tension. There are two stages:

1. Force densities. Each row (one cable element) has no bending stiffness. Its axial force is N = ρ |r'| with the
   stretch |r'|, and does not depend on the reference length of the row. The constant ρ is the force density. The
   equilibrium is the solution of linear equations, so the initial shape has no influence. The force density is
   corrected by ρ <- ρ |r'|/(1 + ε0 + N/EA), with the stress-free strain ε0. The force density increases if the row is
   longer than its law predicts for the force N, and decreases if the row is shorter. The corrections end when all
   lengths have errors of at most 10 %, or after `DENSITIES` solutions.
2. Multipliers. Each point of a row has the axial force N = μ + k (|r'| - 1 - ε0 - μ/EA), with a small stiffness k. The
   multiplier μ is the force of the previous solution, corrected by the error in length. Solutions need few iterations
   if forces change little between solutions. The stiffness k increases after each solution. The increase is larger if
   the force changes are small. With k = EA this force equals the force in the law of the row.

Contacts are updated after every solution. The result is an initial shape for load steps, which determine contact states
again. All solutions use the laws of the model. `Strands` describes the parameters of the laws that are changed.
`without_friction` switches off friction, because friction would prevent the motion of lines.

Source: H.-J. Schek, Comput. Methods Appl. Mech. Eng. 3 (1974) 115-134 (force densities); R. Glowinski, P. Le Tallec,
Augmented Lagrangian and Operator-Splitting Methods in Nonlinear Mechanics, SIAM (1989) (lines without extension).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from windlass.framework.arrays import BoolArray, FloatArray
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.assembly.post_newton import begin_step
from windlass.framework.model.system import PostNewton, Strands
from windlass.framework.model.table import Entity
from windlass.framework.state.state import State
from windlass.solvers.newton.newton import Newton
from windlass.solvers.newton.scheme import Scheme

FRICTION = "friction_coefficient"
"""Name of the column with the friction coefficients of contacts, which form-finding sets to 0."""
ROPE = 1e-3
"""Compressive strain at buckling below which a row is treated as a line that may be slack, if its buckling force is
also less than the sum of all loads [1].
"""
DENSITIES = 30
"""Largest number of solutions with force densities."""
MULTIPLIERS = 60
"""Largest number of solutions with multipliers."""
NEAR = 0.1
"""Relative error of the lengths of rows [1]. If the errors are smaller, multipliers replace force densities."""
LARGEST_RATIO = 10.0
"""Largest ratio of the force densities of a row in two consecutive solutions [1]."""
CHANGE = 0.5
"""Relative change of forces [1] above which the stiffness does not increase."""
GROWTH = 30.0
"""Largest factor by which the stiffness k increases after a solution [1]."""
RETREAT = 3.0
"""Divisor of the stiffness k after a failed solution [1]."""
LEAST_FORCE = 1e-5
"""Smallest force by which changes of forces are divided, relative to the largest force of all lines [1]."""
CONTACT = 1e-3
"""Force error, relative to the largest contact force [1], below which contacts are treated as settled."""
MOST = 150
"""Largest number of linear solves in form-finding."""
RTOL = 1e-4
"""Relative tolerance of each Newton run [1]; intermediate solutions need not be exact."""
MAX_IT = 15
"""Largest number of iterations of each Newton run."""


class Lines:
    """The strands (rows with axial force) of this process, ordered by law. All calls are collective.

    Args:
        assembly: the systems.
        load: sum of the absolute values of all loads [N].

    Attributes:
        load: sum of the absolute values of all loads [N].
        exist: whether at least one process has a line that can be slack.
        are_lines: whether each row of this process is a line that can be slack, shape (rows,).
        row, weight, stiffness, free: values at the integration points of all laws, see `Strands`. The rows of all laws
            are numbered consecutively.
        length, row_stiffness: length [m] and stiffness [N] of each row.
        count: number of strands of this process.
    """

    def __init__(self, assembly: Assembly, load: float) -> None:
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
        self._bearable = self._join([part.bearable for part in self._parts])
        self.length = np.bincount(self.row, self.weight, self.count)
        self.row_stiffness = self.mean(self.stiffness)
        self.are_lines = self._bearable < np.minimum(load, ROPE * self.row_stiffness)
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
        """Return whether a line at the state in the fields is folded, or has a larger compressive force than loads can
        cause.
        """
        force = self.mean(self.stiffness * (self.eval_stretch() - 1.0 - self.free))
        folded = np.concatenate([np.zeros(0, np.bool_), *(p.find_folded(self._assembly.fields) for p in self._parts)])
        # a line whose force is NaN is treated as slack
        slack = self.are_lines & (folded | ~(force >= -np.maximum(self.load, self._bearable)))
        return self._processes.any(bool(slack.any()))

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

    def eval_stretch_of_all(self) -> float:
        """Return the present total length of all lines, relative to their total reference length [1]."""
        on = np.where(self.are_lines, self.length, 0.0)
        present, own = self._processes.sum(np.array([on @ self.mean(self.eval_stretch()), on.sum()]))
        return float(present / own)


def divide(force: FloatArray, stiffness: FloatArray, where: BoolArray) -> FloatArray:
    """Return force / stiffness [1] where ``where`` is true, and 0 elsewhere. The stiffness of a row that is not a line
    can be 0, for example if the row is broken.
    """
    return np.divide(force, stiffness, out=np.zeros_like(force), where=where)


def find_friction(assembly: Assembly) -> list[tuple[Entity, FloatArray]]:
    """Return contact rows whose friction can be switched off, and their friction coefficients [1]. The call is
    collective.
    """
    found = list[tuple[Entity, FloatArray]]()
    for component, table in assembly.world.tables.items():
        col = component.columns.get(FRICTION)
        values = table.local(FRICTION) if col is not None and col.switchable else np.zeros(0)
        if assembly.processes.any(bool(values.any())):
            found.append((Entity(table, table.resident), values.copy()))
    return found


@contextmanager
def without_friction(assembly: Assembly) -> Iterator[None]:
    """Return a context in which the friction coefficients of all contacts are 0, except friction coefficients that
    cannot be changed during a run. The call is collective.
    """
    kept = find_friction(assembly)
    try:
        for rows, _ in kept:
            assembly.world.set(rows, **{FRICTION: 0.0})
        assembly.refresh()
        yield
    finally:
        for rows, values in kept:
            assembly.world.set(rows, **{FRICTION: values})
        assembly.refresh()


def sum_loads(assembly: Assembly, load_factor: float) -> float:
    """Return the sum of the absolute values of all loads [N]. The call is collective."""
    loads = np.zeros(assembly.layout.spare + 1)
    assembly.set_loads(loads, load_factor)
    return float(assembly.processes.sum(np.array([np.abs(loads[: len(assembly.layout.owned)]).sum()]))[0])


def find_lines(newton: Newton, scheme: Scheme) -> Lines | None:
    """Return the data of the lines of a model under the loads of a scheme. Return None if no line can be slack, or if
    there are no loads. The fields of the assembly must contain the initial state of the scheme.
    """
    newton.problem.start(scheme)
    newton.problem.expand_unknowns(newton.problem.unknowns)
    load = sum_loads(newton.problem.assembly, scheme.load_factor)
    lines = Lines(newton.problem.assembly, load)
    return lines if load > 0.0 and lines.exist else None


class FormFinder:
    """Object that computes the equilibrium shape of lines.

    Args:
        newton: Newton's method for the equations of equilibrium.
        lines: the slack lines whose shape is computed.
        scheme: the equilibrium to be found, with its initial state. The fields contain the history values of this
            state.
        state: a state of this process as working memory. Its values are overwritten.
        decide: function that determines contact states from a state without history values, so that friction starts
            from 0. If ``decide`` is None, contacts keep their history values.

    Attributes:
        q: displacements of the previous solution [m, 1, rad], shape (n,).
        spent: number of linear solves so far.
    """

    def __init__(
        self, newton: Newton, lines: Lines, scheme: Scheme, state: State, decide: Callable[[State], None] | None
    ) -> None:
        self._newton, self._lines, self._scheme, self._state, self._decide = newton, lines, scheme, state, decide
        self.q, self.spent = scheme.q0.copy(), 0

    def find(self) -> bool:
        """Compute the shape; return whether the shape was found."""
        snes = self._newton.snes
        settings = snes.getTolerances()
        snes.setTolerances(rtol=RTOL, max_it=MAX_IT)
        try:
            force = self._find_densities()
            return force is not None and self._follow_multipliers(force)
        finally:
            self._lines.restore()
            snes.setTolerances(*settings)
            self._newton.problem.lag.drop_tangent()

    def _solve(self, stiffness: FloatArray, free: FloatArray, bend: bool) -> bool:
        """Solve with the given stiffness and stress-free strain of the lines, starting from the previous solution.
        The argument ``bend`` states whether lines keep their bending stiffness. Return whether the solve has converged.
        """
        problem = self._newton.problem
        self._lines.take(stiffness[self._lines.row], free, bend)
        problem.lag.drop_tangent()
        run = self._newton.solve(replace(self._scheme, q0=self.q))
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
        errors of all lengths are below `NEAR`, or after `DENSITIES` solutions. Return the forces [N] at all integration
        points, or None if a solve fails.
        """
        lines = self._lines
        free, density = lines.mean(lines.free), np.full(lines.count, lines.load)
        for done in range(DENSITIES):
            if not self._solve(density, np.full(len(lines.row), -1.0), bend=False):
                return None
            self._update()
            stretch = lines.mean(lines.eval_stretch())
            strain = divide(density * stretch, lines.row_stiffness, lines.are_lines)
            ratio = np.where(lines.are_lines, stretch / (1.0 + free + strain), 1.0)
            if lines.largest(np.abs(np.log(ratio))) < NEAR:
                break
            # in the first two corrections, the densities of all lines are multiplied by the mean stretch of all lines
            ratio = np.full(lines.count, lines.eval_stretch_of_all()) if done < 2 else ratio
            if done < DENSITIES - 1:
                density = density * np.clip(ratio, 1.0 / LARGEST_RATIO, LARGEST_RATIO)
        force: FloatArray = density[lines.row] * lines.eval_stretch()
        return force

    def _follow_multipliers(self, force: FloatArray) -> bool:
        """Solve with multipliers, beginning with ``force`` at all integration points [N], and increase the stiffness k
        until the forces agree with the laws of the rows. Return whether the forces agree.
        """
        lines, fields = self._lines, self._newton.problem.assembly.fields
        mean, factor = lines.mean(force), 1.0
        for _ in range(MULTIPLIERS):
            if self.spent > MOST:
                return False
            k = np.where(lines.are_lines, np.minimum(factor * mean, lines.row_stiffness), lines.row_stiffness)
            on = lines.are_lines[lines.row]
            free = lines.free + divide(force, lines.stiffness, on) - divide(force, k[lines.row], on)
            before = self.q, fields.data.copy(), fields.start_data.copy()
            found = self._solve(k, free, bend=True)
            if found:
                new = k[lines.row] * (lines.eval_stretch() - 1.0 - free)
                after = lines.mean(new)
                # the result of these comparisons is false if a value is NaN
                found = lines.largest(-after) < 0.0
            if not found:
                self.q, fields.data[:], fields.start_data[:] = before
                factor /= RETREAT
                continue
            contact = self._update()
            least = LEAST_FORCE * lines.largest(mean)
            change = lines.largest(np.abs(after - mean) / np.maximum(mean, least))
            force, mean = new, after
            if lines.largest(lines.row_stiffness - k) <= 0.0 and contact.error <= CONTACT * contact.force:
                return True
            factor *= min(max(CHANGE / change, 1.0), GROWTH) if change > 0.0 else GROWTH
        return False
