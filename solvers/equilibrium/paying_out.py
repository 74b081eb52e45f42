"""Paying out: computation of an equilibrium of lines if load steps and form-finding fail.

The computation is similar to the laying of a line. The computation has three stages, with all loads and contacts of the
model:

1. Taut lines. Each row (one cable element) has the axial force N = ρ |r'|. The force density ρ is `TAUT` times the sum
   of all loads, see `form_finding`, and the contact stiffness per length is at most N/L_e², see `relaxed_contacts`.
   Then the contact stiffness increases to its specified value.
2. Lengths. The axial force is N = K (|r'| - 1 - ε_f). In small steps, the stress-free strain ε_f changes from the value
   at which N is the force of the taut line to its specified value ε_0. In the first pass K is at most `SOFT` times the
   force of the taut row, and in the second pass K = EA.
3. Rest. The steps are repeated with ε_f = ε_0 until contacts have settled.

Every step solves

    f(q) + k M (q - q_last) = 0

with the unbalanced forces f, the coordinates q, the mass matrix M and the previous solution q_last, as if the lines
moved in a viscous fluid. Therefore lines that slide out of a hollow, or that buckle, move to another equilibrium. The
factor k increases if Newton's method fails or contacts do not settle, and decreases otherwise. At the end k = 0. Lines
remain in tension, or in compression that is too small to buckle them within a row, so elements do not fold. Contacts
are updated after each step.

Friction is switched off at first, because it would compress the rows that lie on a bed while their lengths increase. An
equilibrium without friction is also an equilibrium with friction. A slack line without friction would slide into
hollows. Therefore friction is switched on, with undeflected bristles, if the lengths cannot be reached without
friction.

Source: R. T. Rockafellar, SIAM J. Control Optim. 14 (1976) 877-898 (proximal point method).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.post_newton import begin_step
from windlass.framework.model.system import PostNewton
from windlass.framework.state.state import State
from windlass.solvers.equilibrium.form_finding import (
    COMPRESSION,
    CONTACT,
    MAX_IT,
    RTOL,
    WAY,
    FormFinder,
    Lines,
    divide,
)
from windlass.solvers.equilibrium.relaxation import first_factor
from windlass.solvers.equilibrium.relaxed_contacts import FRICTION, find_switchable, without_friction
from windlass.solvers.newton.newton import Newton
from windlass.solvers.newton.scheme import Scheme

TAUT = 3.0
"""Force density [1] of taut lines, divided by the sum of all loads."""
SOFTEST = 1e-6
"""First limit [1] of the contact stiffness, divided by the stiffness of the taut lines."""
SOFT = 100.0
"""Largest ratio [1] of the stiffness K to the force of a taut line."""
STRAIN = 0.02
"""Largest change [1] of the stress-free strain in one step."""
TINY, TENSE = 1e-12, 1e-5
"""TINY: change [1] of the stress-free strain below which the computation fails. TENSE: change [1] of the stress-free
strain below which friction is switched on if lines would be under compression.
"""
SMALL_STEP = 2e-6
"""Change [1] of the stress-free strain below which compression is treated as an effect of contacts that change."""
BEARABLE = 1.0 / 16.0
"""Compressive force [1] that a row bears, relative to the force at which it buckles between clamped ends. Under this
force lines buckle with a wave length of four rows.
"""
PASSES, TRIALS, RESTS = 12, 20, 200
"""PASSES: largest number of solutions of a step. TRIALS: largest number of attempts at an increase of the contact
stiffness. RESTS: largest number of steps at rest.
"""
AGREEING = 0.5
"""Ratio [1] of the force error to the largest contact force below which a step is accepted."""
STIFFER = 10.0
"""Factor [1] by which the limit of the contact stiffness increases."""
START_SHARE = 0.01
"""Largest entry [1] of k M in the first step, relative to the largest entry of the tangent."""
EASIER, HARDER, REPEATED = 0.3, 10.0, 3.0
"""Factors [1] by which k is multiplied. EASIER: after a successful step. HARDER: after a failed step. REPEATED: before
a repetition with changed contacts.
"""
RETREAT = 0.25
"""Factor [1] by which a failed step is reduced."""
LEAST, LARGEST = 1e-9, 1e9
"""Ratios [1] of k to its first value. LEAST: ratio below which k is set to 0. LARGEST: ratio above which the
computation fails.
"""
MOST = 20000
"""Largest number of linear solves."""


class LinePayer(FormFinder):
    """Object that computes an equilibrium of lines by paying them out. At the end, the fields of the assembly contain
    the history values of the solution. For arguments and attributes see `FormFinder`.
    """

    def __init__(
        self, newton: Newton, lines: Lines, scheme: Scheme, state: State, decide: Callable[[State], None] | None
    ) -> None:
        super().__init__(newton, lines, scheme, state, None)
        self._begin_friction, self._compression, self._tiny = decide, COMPRESSION, TINY
        self._k = self._first = 0.0
        self._force = np.zeros(0)

    def find(self) -> bool:
        """Compute the equilibrium, and return whether lines have their specified lengths. Contacts may not have
        settled.
        """
        snes, settings = self._newton.snes, self._newton.snes.getTolerances()
        snes.setTolerances(rtol=RTOL, max_it=MAX_IT)
        try:
            return self._lay()
        finally:
            self._lines.restore()
            self._contacts.restore()
            snes.setTolerances(*settings)
            self._newton.problem.lag.drop_tangent()

    def _lay(self) -> bool:
        """Execute all stages."""
        lines, assembly = self._lines, self._newton.problem.assembly
        # without friction, lines under compression would slide into hollows
        rubs = bool(find_switchable(assembly, FRICTION))
        self._compression, self._tiny = (0.0, TENSE) if rubs else (COMPRESSION, TINY)
        with without_friction(assembly):
            if not self._pull():
                return False
            largest = SOFT * lines.mean(self._force)
            soft = np.where(lines.are_lines, np.minimum(lines.row_stiffness, largest), lines.row_stiffness)
            passes = [soft, lines.row_stiffness]
            while passes and self._pay_out(passes[0], lines.free):
                del passes[0]
            if not passes:
                self._rest()
            elif rubs:
                self._compression, self._tiny = COMPRESSION, TINY
                self._pay_out(passes[0], self._shift_shortage(passes[0]))
        if self._begin_friction is not None:
            self._begin_friction(self._state)
            assembly.fields.data[:] = assembly.fields.start_data[:] = self._state.data
            begin_step(assembly.fields, assembly.layout.reference, self._state)
        self._k = max(self._k, LEAST * self._first) if passes else 0.0
        self._compression, self._tiny = COMPRESSION, TINY
        if not all(self._pay_out(stiffness, lines.free) for stiffness in passes):
            return False
        self._rest()
        return True

    def _pull(self) -> bool:
        """Compute the shape of taut lines with the specified stiffness of all contacts. Return whether all steps
        succeed.
        """
        lines = self._lines
        density, free = np.full(lines.count, TAUT * lines.load), np.full(len(lines.row), -1.0)
        self._force = density[lines.row]
        self._contacts.limit(SOFTEST * lines.eval_transverse_stiffness(density))
        for _ in range(TRIALS):
            if not self._solve(density, free, bend=False):
                return False
            if self._is_close(self._update(), WAY):
                break
        self._first = self._k = first_factor(self._newton, replace(self._scheme, q0=self.q), START_SHARE)
        if self._first == 0.0:
            return False
        for _ in range(RESTS):
            if self._contacts.are_own and self._k == 0.0:
                break
            before, limit = self._keep(), self._contacts.limited
            self._contacts.limit(STIFFER * limit)
            if self._step(density, free):
                self._restore(before)
                self._contacts.limit(limit)
                self._harden()
            elif self._contacts.are_own:
                self._ease()
        return self._contacts.are_own

    def _keep(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the displacements and the history values."""
        fields = self._newton.problem.assembly.fields
        return self.q, fields.data.copy(), fields.start_data.copy()

    def _restore(self, kept: tuple[FloatArray, FloatArray, FloatArray]) -> None:
        """Restore the values that `_keep` has returned."""
        fields = self._newton.problem.assembly.fields
        self.q, fields.data[:], fields.start_data[:] = kept

    @staticmethod
    def _is_close(contact: PostNewton, share: float) -> bool:
        """Return whether the ratio [1] of the force error of contacts to the largest contact force is at most
        ``share``.
        """
        return contact.error <= share * contact.force

    def _free(self, stiffness: FloatArray) -> FloatArray:
        """Return the stress-free strains [1] with which lines of the given stiffness [N] have the present forces."""
        lines = self._lines
        on = lines.are_lines[lines.row]
        return np.where(on, lines.eval_stretch() - 1.0 - divide(self._force, stiffness[lines.row], on), lines.free)

    def _harden(self, factor: float = HARDER) -> None:
        """Increase k. The argument ``factor`` is the ratio of the new k to the present k."""
        self._k = max(factor * self._k, LEAST * self._first)

    def _ease(self) -> None:
        """Decrease k."""
        self._k = EASIER * self._k if self._k > LEAST * self._first else 0.0

    def _step(self, stiffness: FloatArray, free: FloatArray) -> str:
        """Solve until contacts agree roughly with the solution. Return an empty string, or the reason of a failure."""
        lines = self._lines
        largest = lines.largest(lines.mean(self._force))
        for _ in range(PASSES):
            if not self._solve(stiffness, free, True, self._k):
                return "newton"
            force = stiffness[lines.row] * (lines.eval_stretch() - 1.0 - free)
            # the result of this comparison is false if a value is NaN
            bears = lines.largest(-lines.mean(force) - BEARABLE * lines.bearable) < self._compression * largest
            if not bears or lines.are_folded():
                return "compression"
            if self._is_close(self._update(), AGREEING):
                self._force = force
                return ""
            self._harden(REPEATED)
        return "contacts"

    def _shift_shortage(self, stiffness: FloatArray) -> FloatArray:
        """Return stress-free strains [1] with which the lines have the present total length. The difference between the
        specified and the present total length is distributed among the rows. The changes of strain are proportional to
        the squares of the tensile forces of the rows.
        """
        lines = self._lines
        short = lines.mean(lines.free - self._free(stiffness)) * lines.length * lines.are_lines
        share = np.maximum(lines.mean(self._force), 0.0) ** 2 * lines.are_lines
        total, shares = lines.sum(np.array([short.sum(), (share * lines.length).sum()]))
        shifted: FloatArray = lines.free - (share * total / max(shares, np.finfo(float).tiny))[lines.row]
        return shifted

    def _pay_out(self, stiffness: FloatArray, goal: FloatArray) -> bool:
        """Change the stress-free strains to ``goal`` [1], shape (points,). Return whether the strains have reached
        ``goal``.
        """
        lines = self._lines
        begin = self._free(stiffness)
        change = goal - begin
        way = max(lines.largest(lines.mean(np.abs(change))), TINY)
        done, h = 0.0, min(1.0, STRAIN / way)
        while done < 1.0:
            if self.spent > MOST:
                return False
            before = self._keep()
            then = min(done + h, 1.0)
            failure = self._step(stiffness, begin + then * change)
            if not failure:
                done = then
                self._ease()
                h = min(2.0 * h, STRAIN / way)
                continue
            self._restore(before)
            if failure == "compression" and h * way > SMALL_STEP:
                # compression occurs because the factor k is so large that the lines move too slowly
                self._ease()
            else:
                self._harden()
            h *= RETREAT
            if h * way < self._tiny or self._k > LARGEST * self._first:
                return False
        return True

    def _rest(self) -> None:
        """Make steps with constant lengths until contacts have settled with k = 0, at most `RESTS` steps."""
        lines = self._lines
        for _ in range(RESTS):
            if not self._solve(lines.row_stiffness, lines.free, True, self._k):
                self._harden()
                if self._k > LARGEST * self._first:
                    return
                continue
            contact = self._update()
            if self._is_close(contact, CONTACT):
                if self._k == 0.0:
                    return
                self._ease()
            elif not self._is_close(contact, AGREEING):
                self._harden(REPEATED)
