"""Constraint equations C(q, v, t) = 0 of an assembly and their time derivatives. No Jacobian matrix is assembled.

    Ċ = C_q v + C_t
    C̈ = C_q a - r,  r = -(C_q v)_q v - 2 C_qt v - C_tt

The subscripts q and t denote partial derivatives of C. If the argument ``rate_level`` of a method is true, the method
evaluates Ċ instead of C. The laws of constraints compute C, Ċ and r, which is the right-hand side of the equations C_q
a = r for the accelerations a. Since Ċ is linear in v, a product C_q w is the difference between Ċ for the velocities v
+ w and Ċ for v. To compute this product, only markers are updated, and contacts are not searched.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.assembly.steps import constraint_steps
from windlass.framework.kernels.program import Program, Step
from windlass.framework.model.law import role_of
from windlass.framework.model.system import evaluate
from windlass.solvers.names import shorten

CHANGE = 1e-3
"""Change of coordinates [1], relative to 1 + largest coordinate, that is used to detect nonlinear constraints."""
LINEAR = 1e-9
"""If the change of C_q, relative to its entries, is at most this value [1], a constraint is treated as linear."""


class ConstraintRates:
    """Object that evaluates C, Ċ and C̈ at the state in the fields of an assembly.

    Args:
        assembly: the systems of this process. Its fields are used and restored, including markers.

    Attributes:
        count: number of multipliers of this process.
        anywhere: whether at least one process has constraints.
    """

    def __init__(self, assembly: Assembly) -> None:
        self._assembly = assembly
        self.count = len(assembly.layout.multipliers_owned)
        self.anywhere = assembly.world.numbering.multiplier_count > 0
        self._c, self._forces = np.zeros(self.count + 1), np.zeros(assembly.layout.spare + 1)
        self._lam, self._v = np.zeros(self.count + 1), np.zeros(assembly.layout.spare + 1)
        self._markers, self._revision = Program([]), -1
        self._equations: dict[tuple[bool, bool], Program] = {}

    def update_markers(self) -> None:
        """Update the markers to the present coordinates and velocities."""
        self._find_programs()
        self._markers()

    def _find_programs(self) -> None:
        assembly = self._assembly
        if self._revision == assembly.revision:
            return
        self._revision = assembly.revision
        systems = assembly.layout.systems.items()
        updates = [s.update for c, s in systems if s.update is not None and role_of(c) == "marker"]
        self._markers = Program((update, (evaluate(assembly.fields),)) for update in updates)
        self._equations.clear()

    def eval(self, rate_level: bool) -> FloatArray:
        """Return C, or Ċ if ``rate_level`` is true, with the present markers, shape (m,). Values of inactive
        constraints are 0."""
        self._find_programs()
        assembly, fields, c = self._assembly, self._assembly.fields, self._c
        self._lam[:] = fields.lam
        fields.lam[:] = 0.0
        c[:] = 0.0
        before, fields.rate_level = fields.rate_level, rate_level
        key = rate_level, fields.unit_rates
        if key not in self._equations:
            # the arguments of the kernels are prepared only twice: once for C, and once for Ċ
            self._equations[key] = Program(constraint_steps(assembly, c, self._forces))
        self._equations[key]()
        fields.rate_level = before
        fields.lam[:] = self._lam
        return c[:-1].copy()

    def multiply(self, w: FloatArray) -> FloatArray:
        """Return C_q w, shape (m,), with C_q at the coordinates in the fields, and ``w`` of shape (n,)."""
        return self._change(w, rate_level=True)

    def _change(self, w: FloatArray, rate_level: bool) -> FloatArray:
        """Return the change of C, shape (m,), when ``w``, shape (n,), is added to the velocities in the fields. If
        ``rate_level`` is True, return the change of Ċ.
        """
        fields = self._assembly.fields
        without = self.eval(rate_level)
        self._v[:] = fields.v
        fields.v[:-1] += w
        self.update_markers()
        found = self.eval(rate_level) - without
        fields.v[:] = self._v
        self.update_markers()
        return found

    def right_steps(self, right: FloatArray) -> list[Step]:
        """Return steps of a `Program` that add the right-hand side r of C_q a = r [m/s^2, rad/s^2] to ``right``, shape
        (m + 1,)."""
        s = evaluate(self._assembly.fields, C=right)
        return [(constraint.acceleration, (s,)) for constraint in self._assembly.constraints]

    def find_rates(self) -> NDArray[np.bool_]:
        """Return whether C of each constraint depends on velocities, shape (m,)."""
        found: NDArray[np.bool_] = self._change(self._draw(1.0), rate_level=False) != 0.0
        return found

    def find_nonlinear(self) -> NDArray[np.bool_]:
        """Return whether C_q of each constraint changes with the coordinates, shape (m,)."""
        fields = self._assembly.fields
        w, x = self._draw(1.0), fields.x.copy()
        here = self.multiply(w)
        fields.x[:-1] += self._draw(CHANGE * (1.0 + self._assembly.processes.largest_of(np.abs(x).max())))
        self.update_markers()
        there = self.multiply(w)
        fields.x[:] = x
        self.update_markers()
        found: NDArray[np.bool_] = np.abs(there - here) > LINEAR * (np.abs(here) + np.abs(there))
        return found

    def _draw(self, size: float) -> FloatArray:
        """Return pseudo-random values between -size and size, shape (n,). The values depend only on the world index of
        each coordinate, so that copies of a coordinate on several processes (ghosts) have equal values.
        """
        # the fractional parts of the multiples of an irrational number are distributed evenly between 0 and 1
        parts: FloatArray = np.modf(0.6180339887498949 * (1.0 + self._assembly.layout.dofs))[0]
        return size * (2.0 * parts - 1.0)

    def describe(self, which: NDArray[np.bool_], values: FloatArray | None = None, most: int = 6) -> str:
        """Return a text with the names of constraints. If ``values`` are given, the text also contains these values,
        and the names are sorted by descending values. The call is collective.

        Args:
            which: whether each constraint is named, shape (m,).
            values: values shown with the names, shape (m,).
            most: largest number of names that are returned.
        """
        layout, number = self._assembly.layout, self._assembly.world.numbering
        size = np.ones(self.count) if values is None else np.abs(values)
        found = [
            (number.describe_multiplier(int(layout.multipliers_owned[i])), float(size[i]))
            for i in np.flatnonzero(which)
        ]
        found = self._assembly.processes.join("names", found)
        found.sort(key=lambda item: -item[1])
        return "; ".join(shorten([name if values is None else f"{name}: {value:.3g}" for name, value in found], most))
