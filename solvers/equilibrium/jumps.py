"""Search for jumps (snap-through): load steps in which the path of equilibria ends at a limit point and the solution
jumps to another equilibrium.

Newton's method finds an equilibrium for the load at the end of a step, even if no path of equilibria connects this
equilibrium with the start. For example, the solution of a shallow arch beyond its limit load is the snapped arch. The
solution alone does not show that the arch has jumped. In the step, loads p increase by Δp, and displacements increase
by Δq. Along a path with the tangent K and the path parameter τ from 0 to 1, Δp·dq = Δp·K⁻¹Δp dτ. The work w of the load
increments is therefore bounded:

    w = Δp·Δq <= (largest Δp·K⁻¹Δp on the path).

At the start of the step, Δp·K⁻¹Δp has the value w0 = Δp·Δq1, where Δq1 is the first iterate of Newton's method. At the
end of the step, the value w1 is computed by one solution with the tangent at the end. If the stiffness increases or
decreases monotonically along the path, w <= max(w0, w1). A step with w > 1.5 max(w0, w1) is traced. The step is halved.
Then the half that contains more of w is halved again, down to 1/1024 of the step. The last part contains a jump if (1)
the part contains at least a quarter of w, (2) the slope dw/dτ in the part is at least 256 times the mean slope, and (3)
Δp·K⁻¹Δp, which tends to infinity at a limit point, exceeds 5 w0 just before the part. Contacts that open, close or slip
cause sudden changes, but Δp·K⁻¹Δp does not increase before these changes.

Far beyond a limit point the structure is so stiff that w is again small. Therefore, if the end of the first step is
more than twice as stiff as its start (w1 < w0/2), the first quarter of the step is checked. The first quarter of this
part is then checked in the same way, and so on. The checks end when a part fulfils the criterion for tracing. The
checks also end when the end of a part is at most twice as stiff as the start of this part. Steps with w < w0/50 are not
checked, because such steps occur in models with ropes that are almost slack.

Prescribed motions are not scaled by the load factor. If the start violates constraints by C = C0, the path from this
start fulfils C = C0 (1 - τ) with the loads at the end of the step. In this case w is Δq·Δq of the coordinates that are
not prescribed. A step with prescribed motion is traced if the distance between the end of the step and the first
iterate exceeds half of the displacement of the first iterate. For large rotations the tracing ends without a jump,
because no half contains a quarter of w after a few halvings.

For models with prescribed motions and history values, a jump must fulfil two more conditions. First, Δq must be at
least 1.5 times the displacements predicted by the tangents at both ends. Second, dq/dτ just before the jump must exceed
5 times dq/dτ at the start. In addition, contact states may have changed after the start was found. Two solves detect
such a change of contact states. The first solve uses the prescribed motion at the start of the step, and the second
solve uses the prescribed motion after a thousandth of the step. The distance of the solution from the start must be at
most |Δq| in the first solve, and less than half of |Δq| in the second solve. Otherwise the contact states have changed,
and no jump is reported.

If a step begins near an equilibrium, the work of all forces from this equilibrium to the first iterate is almost equal
to the work of Δp. The step is then traced from this equilibrium, and the value of w0 at this equilibrium is used in
addition to the value at the start. Without load, a cable has almost no stiffness against changes of its shape. With the
first small load, its shape therefore changes rapidly, but continuously.

If the start q0 of a step is not near an equilibrium, the imbalance is larger. For example, a prestrain may have
changed, because prestrain is not scaled by the load factor. Let f0 = f(q0) be the imbalance of all forces, with the
loads at the end of the step. For such a start, the path is defined by f = (1 - τ) f0. The imbalance decreases gradually
along this path, and -f0 replaces Δp. No path exists from a start that is unstable under the forces -f0.

If the contact states of a step do not settle, the step is checked together with the next step that settles. If the
contact states of a half of the step do not settle, this half is assumed to be beyond the limit point. Steps that begin
exactly at the limit point are not detected. Two jumps in one step are reported as one jump.

Source: J. M. T. Thompson, G. W. Hunt, A General Theory of Elastic Stability (1973), section 4 (the slope of a stable
    path under a dead load is positive, and infinite at a limit point).
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.vectors import local_values, sum_to_owners
from windlass.framework.state.state import State
from windlass.solvers.equilibrium.singular import try_solve
from windlass.solvers.equilibrium.stability import examine
from windlass.solvers.names import name_largest
from windlass.solvers.newton.problem import NonlinearProblem

EXCESS = 1.5
"""If the ratio w/max(w0, w1) [1] of a load step is larger than this value, the step is traced. See the docstring of
this module.
"""
EQUILIBRIUM = 1e-3
"""Work [1] of forces other than loads, relative to the work of the loads. Up to this value, the start is treated as an
equilibrium.
"""
NEAR = 10.0
"""Work [1] of all forces, relative to the work of the loads. Up to this value, the start is treated as close to an
equilibrium.
"""
MOVED = 1e-9
"""If a gap [m, rad] of constraints is larger than this value, the load step contains prescribed motion."""
APART = 0.5
"""Distance [1] between the end and the first iterate of a step with prescribed motion, relative to the first iterate.
If the distance is larger than this value, the step is traced.
"""
LINEAR = 1e-9
"""Difference [1] of a coordinate between the end and the first iterate, relative to the displacement of the coordinate.
Up to this value, the coordinate is treated as prescribed.
"""
ROUNDING = 64.0 * float(np.finfo(np.float64).eps)
"""Displacement [1], relative to the largest coordinate. Up to this value, the displacement may be a rounding error. A
solve adds at most 64 corrections, each of which is rounded.
"""
LEAST = 1e-6
"""Norm of Δq [m, rad] above which a step from an unbalanced start is checked. Smaller displacements are treated as
errors of the previous step.
"""
STIFFER = 0.5
"""Ratio w1/w0 [1] of the first load step. If the ratio is below this value, the first part of the step is also checked.
"""
SLACK = 0.02
"""Ratio w/w0 [1] of the first load step. If the ratio is below this value, ropes are almost slack, and the step is not
checked.
"""
QUARTERS = 8
"""Largest number of times that the first part of the step is reduced to a quarter."""
HALVINGS = 10
"""Largest number of halvings of a traced step."""
ENOUGH = 6
"""Number of halvings after which the search ends if no equilibrium is found. Near a limit point the tangent is nearly
singular, so solves are then expected to fail.
"""
SHARE = 0.25
"""Smallest fraction [1] of w that the last part of the step must contain so that a jump is reported."""
ASTRAY = 0.5
"""Ratio [1] of the displacement in the first thousandth of a step to the displacement in the step. If the ratio is
larger than this value, contact states have changed at the start.
"""
STEEP = 5.0
"""Smallest ratio [1] of Δp·K⁻¹Δp just before a limit point to w0. Trusses and arches have ratios of 18 and more."""


class SolveStep(Protocol):
    """Function that computes the equilibrium at a load factor from a state, and returns None if the solve fails. If
    ``plain`` is true, only Newton's method is used, without line search, relaxation and settling of contacts.
    """

    def __call__(self, start: State, load_factor: float, plain: bool = False) -> State | None: ...


class JumpWatch:
    """Object that searches for jumps in the load steps of a static solve. All calls are collective.

    Args:
        problem: the problem whose SNES is monitored.
    """

    def __init__(self, problem: NonlinearProblem) -> None:
        self._problem, self._waits, self._held, self._rough = problem, False, False, False
        self._start: State | None = None
        self._loads = self._residual = self._gap = self._first = np.zeros(0)
        self._free, self._bumps = np.zeros(0, bool), False
        self._before = self._after = self._paid = self._done = 0.0
        self._owned = len(problem.assembly.layout.owned)
        problem.watch(self._look)

    def begin(self, start: State, before: float, after: float) -> None:
        """Begin a load step at a state from the load factor ``before`` to ``after``. The first Newton run is monitored.

        The state must not change until the step has been traced.
        """
        if self._rough and not self._waits and before > self._before:
            # This step continues an earlier step of the solve, after which contact states did not settle. The recorded
            # loads, and the work of these loads along the first iterate, are scaled to the load increment of both
            # steps.
            more = (after - self._before) / (self._after - self._before)
            self._loads, self._paid, self._done = more * self._loads, more**2 * self._paid, more**2 * self._done
            self._after = after
            return
        self._start, self._before, self._after = start, before, after
        self._waits, self._paid, self._done, self._held, self._rough = True, 0.0, 0.0, False, False

    def _look(self, _snes: Any, it: int, _norm: float) -> None:
        if not self._waits or self._start is None:
            return
        problem, assembly = self._problem, self._problem.assembly
        if it == 0:
            self._loads = np.zeros(assembly.layout.spare + 1)
            assembly.set_loads(self._loads, self._after - self._before)
            at = problem.sparsity.unknowns.of_dof[: self._owned]
            self._residual = problem.residual_vector.array_r[at]
            gap = problem.residual_vector.array_r[problem.sparsity.unknowns.of_multiplier]
            self._gap = gap if self._sum(gap @ gap) > MOVED**2 else gap[:0]
        if it == 1:
            # the fields contain the first iterate
            self._waits = False
            way = assembly.fields.x[:-1] - assembly.layout.reference[:-1] - self._start.q
            self._first = way
            self._paid, self._done = self._eval_work(way), -self._sum(self._residual @ way[: self._owned])

    def _eval_work(self, way: FloatArray) -> float:
        """Return Δp·Δq [J] for the displacements Δq = ``way``, shape (n,)."""
        return self._sum(self._loads[:-1] @ way)

    def _sum(self, value: Any) -> float:
        return float(self._problem.assembly.processes.sum(np.array([value], np.float64))[0])

    def hold(self, load_factor: float) -> tuple[dict[str, Any], float]:
        """Return the arguments of `Scheme`, and the load factor, for an equilibrium on the path of the step.

        The arguments are forces or constraint gaps. At the start of the step, these arguments have values for which the
        start is an equilibrium. The values decrease to 0 at the end of the step.
        """
        left = (self._after - load_factor) / (self._after - self._before)
        if self._held:
            return {"hold": self._residual * left}, self._after
        return {"gap": self._gap * left}, load_factor

    def _find_largest(self, values: FloatArray) -> float:
        """Return the largest absolute value on all processes."""
        return float(self._problem.assembly.processes.largest([float(np.abs(values).max(initial=0.0))])[0])

    def _eval_square(self, way: FloatArray) -> float:
        """Return the sum of the squares of the displacements ``way`` of the coordinates that are not prescribed."""
        own = (way * self._free)[: self._owned]
        return self._sum(own @ own)

    @property
    def _moves(self) -> bool:
        return self._sum(len(self._gap)) > 0.0

    def _has_history(self, state: State) -> bool:
        """Return whether any process has history values. In this case contacts may open, close or slip."""
        return self._sum(len(state.data)) > 0.0

    def suspects(self, end: State, unsettled: bool) -> bool:
        """Return whether the last load step must be traced, because the displacement in the step exceeds the
        predictions by the tangents at both ends of the step.

        A step whose contacts have not settled is checked together with the next step.
        """
        self._bumps, self._rough = self._rough, unsettled
        if self._waits or self._start is None:
            return False
        if unsettled:
            self._start = self._start if self._bumps else self._start.copy()
            return False
        if self._moves:
            # the first iterate of a prescribed coordinate is its final displacement
            way = end.q - self._start.q
            self._free = np.abs(way - self._first) > LINEAR * np.abs(way)
            first, apart = self._eval_square(self._first), self._eval_square(way - self._first)
            if apart <= APART**2 * first or not self._has_history(end):
                return apart > APART**2 * first
            # Contacts that open or close cause displacements that are much larger than the first iterate. Therefore a
            # step is traced only if its displacement also exceeds the predictions by both tangents.
            moved = self._eval_square(way) / EXCESS**2
            return moved > first and moved > self._eval_square(self._find_rates(np.zeros(len(way)), self._gap))
        if self._done <= 0.0:
            return False
        near = abs(self._done - self._paid) <= min(self._done, (NEAR - 1.0) * self._paid)
        way = end.q - self._start.q
        if not near:
            if self._sum(way[: self._owned] @ way[: self._owned]) < LEAST**2:
                return False
            self._release()
        work = self._eval_work(way)
        if work > EXCESS * self._paid:
            return work > EXCESS * self._follow_loads()
        if self._before > 0.0 or work < SLACK * self._paid:
            return False
        return 0.0 < self._follow_loads(update=False) < STIFFER * self._paid

    def _is_suspicious(self, work: float, at_start: float) -> bool:
        """Return whether the work w of the step exceeds `EXCESS` times a reference value. In the first load step, the
        result is also true if w exceeds `SLACK` times the reference value. The reference value is the maximum of the
        previous reference value and ``at_start``, the value of w0 at the equilibrium close to the start.
        """
        self._paid = max(self._paid, at_start)
        return work > EXCESS * self._paid or (self._before == 0.0 and work > SLACK * self._paid)

    def _release(self) -> None:
        """Select the path on which the imbalance of the start decreases. This path replaces the path of increasing
        loads.
        """
        self._held, self._paid = True, self._done
        self._loads[:] = 0.0
        self._loads[: self._owned] = -self._residual

    def _follow_loads(self, update: bool = True) -> float:
        """Return Δp·K⁻¹Δp [J] for the load increment Δp and the tangent K at the last equilibrium of the problem, or 0
        if K is singular.

        If ``update`` is false, K is the tangent of the last iteration, whose factors already exist.
        """
        return self._eval_work(self._find_rates(self._loads[:-1], np.zeros(0), update))

    def _find_rates(self, loads: FloatArray, gap: FloatArray, update: bool = True) -> FloatArray:
        """Return the displacements due to ``loads``, both of shape (n,), and due to changes ``gap`` of constraint gaps,
        shape (m,) or (0,). The function uses the tangent at the last equilibrium, and returns zeros if this tangent is
        singular.
        """
        problem = self._problem
        if update:
            problem.update_tangent(problem.unknowns)
            problem.lag.drop_tangent()
        unknowns, right = problem.sparsity.unknowns, problem.unknowns.duplicate()
        local = np.zeros(len(unknowns.numbers))
        local[unknowns.of_dof] = loads
        local[unknowns.of_multiplier[: len(gap)]] = gap
        sum_to_owners(unknowns.numbers, right, local)
        ksp = problem.snes.getKSP()
        if update:
            ksp.setOperators(problem.matrix.mat)
        solution = try_solve(ksp, right)
        if solution is None:
            return np.zeros(len(loads))
        rates: FloatArray = local_values(problem.sparsity.ghosts, solution)[unknowns.of_dof]
        return rates

    def trace(self, end: State, solve: SolveStep) -> str:
        """Halve the load step repeatedly to locate a jump. Return a text with the coordinates that jump, or an empty
        text if there is no jump.

        Args:
            end: the equilibrium at the end of the step.
            solve: function that finds an equilibrium at a load factor, with the forces or constraint gaps that `hold`
                returns.
        """
        low, high, before, after = self._start, end, self._before, self._after
        assert low is not None
        moves = self._moves
        measure = self._eval_square if moves else self._eval_work
        if moves or self._held or abs(self._done - self._paid) > EQUILIBRIUM * self._paid:
            low = solve(low, before, moves and self._has_history(end))
            if low is None or (self._held and examine(self._problem)):
                return ""
            if not moves and not self._is_suspicious(self._eval_work(end.q - low.q), self._follow_loads()):
                return ""
            if moves and self._has_history(end) and self._is_astray(low, end, solve):
                return ""
        part = (high, after) if moves else self._find_part(low, high, solve)
        if part is None:
            return ""
        high, after = part
        last = after
        least = SHARE * measure(high.q - low.q)
        for done in range(HALVINGS):
            load = 0.5 * (before + after)
            middle = solve(low, load)
            if middle is None and self._bumps:
                # contacts do not settle at this load factor, so the load factor is assumed to be beyond the limit point
                after = load
                continue
            if middle is None and done < ENOUGH:
                return ""
            if middle is None:
                break
            first, second = measure(middle.q - low.q), measure(high.q - middle.q)
            if first > second:
                high, after = middle, load
            else:
                low, before = middle, load
            if max(first, second) < least:
                return ""
        if after == last:
            # No intermediate equilibrium has been found so far. Therefore solve for the equilibrium at the end of the
            # step.
            reached = solve(low, after)
            if reached is None:
                return ""
            if measure(reached.q - low.q) < least:
                return self._describe_departure(end, reached) if last == self._after else ""
        if not moves and (solve(low, before) is None or 0.0 < self._follow_loads() < STEEP * self._paid):
            return ""
        if moves and self._has_history(end) and not self._is_steep(low, before, solve):
            return ""
        where = f"between the load factors {before:.6g} and {after:.6g}"
        if moves or self._held:
            begin, end_of = ((at - self._before) / (self._after - self._before) for at in (before, after))
            path = "prescribed motion" if moves else "forces that its start leaves unbalanced, as prestrain does"
            where = f"between {begin:.6g} and {end_of:.6g} of the {path}"
        return (
            f"the equilibrium jumps {where} (snap-through), most at "
            f"{self._name_largest(high.q - low.q)}: no path of equilibria leads past this limit point; find the "
            "end of the jump by dynamics"
        )

    def _is_astray(self, held: State, end: State, solve: SolveStep) -> bool:
        """Return whether changed contact states lead to an equilibrium outside the path of the step.

        The start of the step was an equilibrium. A solve with the prescribed motion of the start may nevertheless find
        another equilibrium. This equilibrium is outside the path if its distance from the start is larger than the
        distance between the end and the start of the step. A second solve finds the equilibrium after a thousandth of
        the step. Contact states have also changed if the distance of this second equilibrium from the start is larger
        than half of the distance between the end and the start of the step.
        """
        assert self._start is not None
        origin, bit = self._start.q, 0.5**HALVINGS * (self._after - self._before)
        goes = self._eval_square(end.q - origin)
        if self._eval_square(held.q - origin) > goes:
            return True
        found = solve(held, self._before + bit)
        return found is not None and self._eval_square(found.q - origin) > ASTRAY**2 * goes

    def _is_steep(self, low: State, load_factor: float, solve: SolveStep) -> bool:
        """Return whether free coordinates move much faster with the prescribed motion than at the start of the step.
        The speed is evaluated at the equilibrium with the given load factor.
        """
        if solve(low, load_factor) is None:
            return True
        rate = self._eval_square(self._find_rates(np.zeros(len(self._free)), self._gap))
        return rate == 0.0 or rate > STEEP**2 * self._eval_square(self._first)

    def _find_part(self, low: State, high: State, solve: SolveStep) -> tuple[State, float] | None:
        """Find the part at the start of a step that must be traced. The arguments ``low`` and ``high`` are the states
        at the start and at the end of the step. Return the state and the load factor at the end of this part, or None
        if no part must be traced.
        """
        share, way = 1.0, self._eval_work(high.q - low.q)
        suspected = way > EXCESS * self._paid
        for _ in range(QUARTERS):
            if suspected:
                break
            share *= 0.25
            found = solve(low, self._before + share * (self._after - self._before))
            if found is None:
                return None
            # w0 and w1 are computed with the load increment Δp of the whole step
            high, way, slope = found, self._eval_work(found.q - low.q), self._follow_loads()
            suspected = way > EXCESS * share * max(self._paid, slope)
            if not suspected and slope > STIFFER * self._paid:
                return None
        return (high, self._before + share * (self._after - self._before)) if suspected else None

    def _describe_departure(self, end: State, reached: State) -> str:
        """Return a text if the end of the step differs from the equilibrium at the end of the path. The text is empty
        for models with history values, because differences are then expected.
        """
        if self._held or self._has_history(end):
            return ""
        return (
            f"the load step from {self._before:.6g} to {self._after:.6g} leaves the path of equilibria, which ends "
            f"elsewhere (the largest difference is {self._name_largest(end.q - reached.q)}): take more load steps"
        )

    def _name_largest(self, way: FloatArray) -> str:
        """Return a text with the coordinate that has the largest displacement, and this displacement. Positions are
        preferred to other kinds of coordinates.
        """
        world, layout = self._problem.assembly.world, self._problem.assembly.layout
        moves = np.zeros(layout.spare + 1)
        for component in world.numbering.node_dofs:
            dofs = layout.local_dofs(world.resident_dofs(world.tables[component]))
            for k, name in enumerate(component.dof_names):
                if name in ("x", "y", "z"):
                    moves[dofs[:, k]] = 1.0
        # if positions change only by rounding errors, the message names another coordinate
        positions, places = moves[:-1] * way, moves[:-1] * self._problem.assembly.fields.x[:-1]
        moved = positions if self._find_largest(positions) > ROUNDING * self._find_largest(places) else way
        ((name, value),) = name_largest(self._problem.assembly, moved, 1)
        unit = {"x": " m", "y": " m", "z": " m", "rotation": " rad"}.get(name.rpartition(", ")[2], "")
        return f"{name}, by {value:+.3g}{unit}"
