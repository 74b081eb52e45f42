"""Derivatives of forces with respect to history values, and of updates of history values, by rows.

History values belong to rows of laws, mostly of contacts. The forces of a row, before they are added to the forces of
other rows, depend only on the history values of this row. The history values of a row after an update depend on the
coordinates and on the history values of this row. In addition, these values may depend on the history values that rows
with common coordinates have at the start of the step. Therefore one pair of perturbed evaluations yields the
derivatives of many rows. The coordinates are divided into groups (colours): a row has at most one coordinate of each
group (A. R. Curtis, M. J. D. Powell, J. K. Reid, IMA Journal of Applied Mathematics 13 (1974) 117-119).

Contact states are history values that are whole numbers, so contact states have no derivatives. If an update changes a
contact state for one of the two perturbations, the derivatives of this row are computed from the other perturbation
alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from windlass.framework.arrays import BoolArray, FloatArray, IntArray
from windlass.framework.assembly.array_kernels import clear
from windlass.framework.errors import ModelError
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.kernels.program import Program, Step
from windlass.framework.model.law import LocalRows, require_law
from windlass.framework.model.system import Function, evaluate
from windlass.solvers.sensitivities.companion import Companion, find_history_rows
from windlass.solvers.sensitivities.differences import find_slopes

PLACE_STEP = 3e-9
"""Perturbation of coordinates, relative to the largest coordinate [1]. The perturbation is small, because contacts have
small depths.
"""
RATE_STEP = 3e-8
"""Perturbation of velocities, relative to the largest velocity [1]."""
VALUE_STEP = 2e-8
"""Perturbation of history values, relative to the largest value of the same kind [1]."""
FEW = 4
"""Rows with a common coordinate are treated as neighbours if at most this number of rows have the coordinate. Rows that
share only the coordinates of a pulley are therefore not neighbours.
"""

ForceSlopes = tuple[FloatArray, IntArray]
"""Derivatives of forces with respect to history values, see `HistoryTerms.find_force_slopes`."""


@dataclass
class InputSlopes:
    """Derivatives of history values, each of which depends on few inputs.

    Attributes:
        values: derivatives, shape (k, d).
        inputs: index of the input to which each derivative belongs, shape (k, d).
    """

    values: list[FloatArray]
    inputs: list[IntArray]

    def multiply(self, weights: FloatArray, count: int) -> FloatArray:
        """Return, for each input, the sum of the derivatives of all history values with respect to this input,
        multiplied by the ``weights`` of the history values, shape (d,). The shape of the result is (count,)."""
        total = np.zeros(count)
        for values, inputs in zip(self.values, self.inputs, strict=True):
            total += np.bincount(inputs, values * weights, minlength=count)
        return total


@dataclass
class UpdateSlopes:
    """Derivatives of an update of history values with respect to coordinates x, velocities v, coordinates and
    velocities at the start of the step, the history values before the update, and the history values at the start of
    the step."""

    x: InputSlopes
    v: InputSlopes
    start_x: InputSlopes
    start_v: InputSlopes
    data: InputSlopes
    start_data: InputSlopes


@kernel
def take_row(f: FloatArray, dofs: IntArray, out: FloatArray) -> None:
    """Move the forces at the k coordinates ``dofs`` of a row from ``f`` to ``out``, shape (k,)."""
    for k in range(len(dofs)):
        out[k] = f[dofs[k]]
        f[dofs[k]] = 0.0


class HistoryTerms:
    """Derivatives of the forces and of the updates of a companion model with history values, at the motion in its
    fields.

    Args:
        companion: the model.
        varies: whether each history value changes continuously, in contrast to contact states, shape (d,).

    Raises:
        ModelError: a law with history values searches for contacts during the motion.
    """

    def __init__(self, companion: Companion, varies: BoolArray) -> None:
        self._companion, self._assembly = companion, companion.assembly
        self._rows = find_history_rows(companion.world)
        self._size = len(varies)
        self._varies = varies
        self._parts = list(self._find_parts())
        self._n = self._assembly.layout.spare
        self._create_forces()
        self._colour_dofs()
        self._colour_rows()

    def _find_parts(self) -> Iterator[tuple[LocalRows, IntArray]]:
        """Yield, for each law with history values, its rows and the index of the first history value of each row."""
        layout, world = self._assembly.layout, self._companion.world
        for component, system in layout.systems.items():
            refs = [name for name, ref in component.refs.items() if ref.target == "GenericData"]
            if not refs or not len(system.dofs):
                continue
            if system.neighbours is not None:
                raise ModelError(
                    f"{component.__name__} searches for contacts during the motion: the adjoint requires contacts "
                    "between given rows; use evaluate_motion"
                )
            rows = self._assembly.local_rows(world.tables[component], layout.rows[component])
            yield rows, rows.data_start(refs[0])

    def _create_forces(self) -> None:
        """Create the compiled program that evaluates the forces of each row that has history values, without a sum over
        rows."""
        layout, fields = self._assembly.layout, self._assembly.fields
        f, c = np.zeros(self._n + 1), np.zeros(len(layout.multipliers_owned) + 1)
        s = evaluate(fields, f=f, C=c)
        starts, equations, functions = list[int](), list[tuple[IntArray, IntArray]](), list[list[Function]]()
        for rows, first in self._parts:
            build = require_law(rows.table.component).build
            assert build is not None
            for i in range(len(rows.rows)):
                system = build(rows.select(np.array([i])))
                multipliers = system.constraint.multipliers[0] if system.constraint is not None else []
                own = [system.residual] if system.residual is not None else []
                functions.append(own + ([system.constraint.residual] if system.constraint is not None else []))
                dofs = np.unique(system.dofs[0])
                equations.append((dofs[dofs < self._n], np.unique(multipliers).astype(np.int64)))
                starts.append(int(first[i]))
        width = max((len(dofs) + len(multipliers) for dofs, multipliers in equations), default=0)
        self._forces = np.zeros((len(starts), width))
        # indices of the equations of each row: the indices of its coordinates, followed by n + 1 + the indices of its
        # multipliers
        self._equations = np.full((len(starts), width), self._n)
        steps: list[Step] = [(call(clear, (f,)), (s,)), (call(clear, (c,)), (s,))]
        for k, (dofs, multipliers) in enumerate(equations):
            n, m = len(dofs), len(multipliers)
            self._equations[k, :n], self._equations[k, n : n + m] = dofs, self._n + 1 + multipliers
            steps += [(function, (s,)) for function in functions[k]]
            steps.append((call(take_row, (f, dofs, self._forces[k, :n])), (s,)))
            steps.append((call(take_row, (c, multipliers, self._forces[k, n : n + m])), (s,)))
        self._starts = np.array(starts, np.int64)
        counts = self._companion.world.numbering.data_count
        self._lengths: IntArray = counts[self._rows[self._starts]] if len(starts) else np.zeros(0, np.int64)
        self._force_program = Program(steps)

    def _colour_dofs(self) -> None:
        """Divide the coordinates of rows with history values into groups such that each row has at most one coordinate
        of each group.
        """
        rows_of: dict[int, list[int]] = {}
        listed = list[IntArray]()
        self._dofs_of = dict[int, IntArray]()
        for rows, first in self._parts:
            for dofs, start in zip(rows.dofs, first, strict=True):
                own = np.unique(dofs)
                own = own[own < self._n]
                for dof in own.tolist():
                    rows_of.setdefault(dof, []).append(len(listed))
                listed.append(own)
                self._dofs_of[int(self._rows[start])] = own
        used: list[set[int]] = [set() for _ in listed]
        colour = np.full(self._n + 1, -1)
        # coordinates that belong to many rows are assigned to groups first
        for dof, rows_at in sorted(rows_of.items(), key=lambda item: -len(item[1])):
            taken = set().union(*(used[row] for row in rows_at))
            mine = next(k for k in range(len(taken) + 1) if k not in taken)
            colour[dof] = mine
            for row in rows_at:
                used[row].add(mine)
        self._colours = [np.flatnonzero(colour == k) for k in range(int(colour.max(initial=-1)) + 1)]
        # the coordinate of each group on which each history value depends
        self._dof_of_value = []
        for k in range(len(self._colours)):
            of_row = np.full(len(self._companion.world.numbering.data_count), self._n)
            for row, own in self._dofs_of.items():
                found = own[colour[own] == k]
                if len(found):
                    of_row[row] = found[0]
            self._dof_of_value.append(of_row[self._rows])

    def _colour_rows(self) -> None:
        """Divide the rows into groups such that two rows of a group have no common neighbour. Neighbours are rows of
        the same table that have a common coordinate; coordinates of more than `FEW` rows are not considered.
        """
        near: dict[int, set[int]] = {row: {row} for row in self._dofs_of}
        for _, first in self._parts:
            at: dict[int, list[int]] = {}
            for start in first:
                row = int(self._rows[start])
                for dof in self._dofs_of[row].tolist():
                    at.setdefault(dof, []).append(row)
            for found in at.values():
                if len(found) <= FEW:
                    for row in found:
                        near[row].update(found)
        self._near, colour = near, dict[int, int]()
        for row in near:
            taken = {colour[other] for one in near[row] for other in near[one] if other in colour}
            colour[row] = next(k for k in range(len(taken) + 1) if k not in taken)
        count = len(self._companion.world.numbering.data_count)
        self._row_colours = [
            np.array([row for row in colour if colour[row] == k], np.int64)
            for k in range(max(colour.values(), default=-1) + 1)
        ]
        self._row_near = []
        for members in self._row_colours:
            owner = np.full(count, -1)
            for row in members.tolist():
                for other in near[row]:
                    owner[other] = row
            self._row_near.append(owner)

    @property
    def _value_starts(self) -> IntArray:
        counts = self._companion.world.numbering.data_count
        found: IntArray = np.cumsum(counts) - counts
        return found

    def _find_value_steps(self, data: FloatArray) -> FloatArray:
        """Return perturbations of history values, shape (d,); 0 for values that do not vary. A perturbation does not
        change the sign of a value.
        """
        number = np.arange(self._size) - self._value_starts[self._rows]
        largest = np.zeros(int(number.max(initial=-1)) + 1)
        np.maximum.at(largest, number, np.abs(data))
        h = VALUE_STEP * np.where(largest > 0.0, largest, 1.0)[number]
        limited = np.where(data != 0.0, np.minimum(h, 0.5 * np.abs(data)), h)
        found: FloatArray = np.where(self._varies, limited, 0.0)
        return found

    def eval_forces(self) -> FloatArray:
        """Return the forces and constraint equations of each row at the motion in the fields, shape (rows, width)."""
        self._force_program()
        return self._forces.copy()

    def find_force_slopes(self, data: FloatArray) -> ForceSlopes:
        """Return the derivatives of the forces of each row with respect to its history values, shape (k, rows, width),
        and the indices of these history values, shape (k, rows). The index is -1 where a row has no history value. The
        fields contain the motion and the history values ``data``.
        """
        fields, h = self._assembly.fields, self._find_value_steps(data)
        slopes, indices = list[FloatArray](), list[IntArray]()
        for k in range(int(self._lengths.max(initial=0))):
            at = np.where(k < self._lengths, self._starts + k, -1)
            mine = at[at >= 0]
            mine = mine[h[mine] > 0.0]
            if not len(mine):
                continue
            ends = []
            for side in (1.0, -1.0):
                fields.data[mine] = data[mine] + side * h[mine]
                ends.append(self.eval_forces())
            fields.data[mine] = data[mine]
            width = np.where(at >= 0, h[at], 0.0)
            scale = np.divide(0.5, width, out=np.zeros(len(at)), where=width > 0.0)
            slopes.append((ends[0] - ends[1]) * scale[:, None])
            indices.append(np.where(width > 0.0, at, -1))
        shape = (0, *self._forces.shape)
        return (np.array(slopes) if slopes else np.zeros(shape)), np.array(indices, np.int64).reshape(len(indices), -1)

    def multiply_forces(self, slopes: ForceSlopes, mu: FloatArray, nu: FloatArray) -> FloatArray:
        """Return, for each history value, shape (d,), the derivatives of the forces multiplied by the adjoint variables
        mu of the equations of motion, shape (n,), plus the derivatives of the constraint equations multiplied by their
        adjoint variables nu, shape (m,). The argument ``slopes`` contains these derivatives, see `find_force_slopes`.
        """
        factors = np.concatenate((mu, [0.0], nu))[self._equations]
        found = np.zeros(self._size + 1)
        values, indices = slopes
        found[indices] = np.einsum("krw,rw->kr", values, factors)
        return found[:-1]

    def find_update_slopes(
        self,
        update: Callable[[FloatArray], FloatArray],
        centre: FloatArray,
        data: FloatArray,
        start: FloatArray,
        reads: set[str],
    ) -> UpdateSlopes:
        """Return the derivatives of an update.

        Args:
            update: function that computes history values, shape (d,), from the fields and from the values before the
                update, shape (d,).
            centre: result of ``update`` at the present fields.
            data, start: history values before the update and at the start of the step, shape (d,).
            reads: names of the arrays of the fields that the update reads.
        """
        fields, found = self._assembly.fields, dict[str, InputSlopes]()
        place, rate = np.abs(fields.x).max(), np.abs(fields.v).max()
        for name, h in (
            ("x", PLACE_STEP * (place or 1.0)), ("v", RATE_STEP * (rate or 1.0)),
            ("start_x", PLACE_STEP * (place or 1.0)), ("start_v", RATE_STEP * (rate or 1.0)),
        ):  # fmt: skip
            array, own = getattr(fields, name), InputSlopes([], [])
            for dofs, inputs in zip(self._colours, self._dof_of_value, strict=True) if name in reads else ():
                kept, ends = array[dofs], []
                for side in (1.0, -1.0):
                    array[dofs] = kept + side * h
                    if name in ("x", "v"):
                        self._assembly.update_markers()
                    ends.append(update(data))
                array[dofs] = kept
                own.values.append(find_slopes(centre, ends[0], ends[1], self._rows) / h)
                own.inputs.append(inputs)
            found[name] = own
        self._assembly.update_markers()
        for name, base in (("data", data), ("start_data", start)):
            alone = [
                (np.array(sorted(self._dofs_of), np.int64), np.arange(len(self._companion.world.numbering.data_count)))
            ]
            groups = alone
            if name == "start_data" and self._couples_rows(update, centre, data, start):
                groups = list(zip(self._row_colours, self._row_near, strict=True))
            found[name] = (
                self._perturb_values(update, centre, name, base, data, groups) if name in reads else InputSlopes([], [])
            )
        return UpdateSlopes(**found)

    def _couples_rows(
        self, update: Callable[[FloatArray], FloatArray], centre: FloatArray, data: FloatArray, start: FloatArray
    ) -> bool:
        """Return whether the update of any row reads the history values that another row has at the start of the
        step."""
        fields, h = self._assembly.fields, self._find_value_steps(start)
        for members in self._row_colours:
            inside = np.isin(self._rows, members)
            fields.start_data[inside] = start[inside] + h[inside]
            changed = update(data)
            fields.start_data[inside] = start[inside]
            if (changed[~inside] != centre[~inside]).any():
                return True
        return False

    def _perturb_values(
        self, update: Callable[[FloatArray], FloatArray], centre: FloatArray, name: str, base: FloatArray,
        data: FloatArray, groups: list[tuple[IntArray, IntArray]],
    ) -> InputSlopes:  # fmt: skip
        """Return the derivatives of an update with respect to history values.

        Args:
            update, centre: see `find_update_slopes`.
            name: name of the array of the fields whose values are perturbed.
            base: the unperturbed values, shape (d,).
            data: history values before the update, shape (d,).
            groups: for each group, the rows whose values are perturbed together, and an array. The array contains, for
                each row of the model, the row of the group on which the row depends, or -1 if there is no such row.
        """
        array, h, starts = getattr(self._assembly.fields, name), self._find_value_steps(base), self._value_starts
        counts, found = self._companion.world.numbering.data_count, InputSlopes([], [])
        for members, owner in groups:
            for k in range(int(counts[members].max(initial=0))):
                own = starts[members[counts[members] > k]] + k
                own = own[h[own] > 0.0]
                if not len(own):
                    continue
                ends = []
                for side in (1.0, -1.0):
                    moved = base.copy()
                    moved[own] += side * h[own]
                    array[:] = moved
                    ends.append(update(moved if name == "data" else data))
                array[:] = base
                row = owner[self._rows]
                inputs = np.where(row >= 0, starts[row] + k, 0)
                inputs = np.where((row >= 0) & (counts[row] > k), inputs, 0)
                width = np.where((row >= 0) & (counts[row] > k), h[inputs], 0.0)
                change = find_slopes(centre, ends[0], ends[1], self._rows)
                found.values.append(np.divide(change, width, out=np.zeros(self._size), where=width > 0.0))
                found.inputs.append(inputs)
        return found
