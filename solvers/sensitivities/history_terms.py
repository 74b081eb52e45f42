"""Derivatives of forces with respect to history values, and derivatives of updates of history values, for single rows
of laws.

Each history value is a value of one row of a law, usually of a contact law. The forces of a row, before they are added
to the forces of other rows, depend on no history values except those in this row. After an update, the history values
of a row depend on the coordinates of the row and on the history values that the row had before the update. These
history values can also depend on history values of other rows with common coordinates, at the start of the step.
Because of this sparsity, one pair of perturbed evaluations yields the derivatives of many rows. The coordinates are
divided into groups (colours): a row has at most one coordinate of each group (A. R. Curtis, M. J. D. Powell, J. K.
Reid, IMA Journal of Applied Mathematics 13 (1974) 117-119).

Contact states are history values that are whole numbers. Contact states therefore have no derivatives. If one of the
two perturbations changes a contact state of a row in an update, the derivatives of this row are computed from the other
perturbation alone.

Laws that search for contacts also store the indices of their contact partners in the history values, as whole numbers.
The coordinates of the rows of these laws therefore depend on the history values. An update can change the partners of a
contact. The results of the update then depend on the coordinates of the partners before and after the update. The
groups are created again if partners change. Every update searches for contacts again, so an update is a function of the
motion and of the history values alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from windlass.framework.arrays import BoolArray, FloatArray, IntArray
from windlass.framework.assembly.array_kernels import clear
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.kernels.program import Program, Step
from windlass.framework.model.law import require_law
from windlass.framework.model.schema import Component
from windlass.framework.model.system import System, evaluate
from windlass.solvers.sensitivities.companion import Companion
from windlass.solvers.sensitivities.differences import find_history_rows, find_slopes

PLACE_STEP = 3e-9
"""Perturbation [1] of coordinates, relative to the largest coordinate. The perturbation is small, because contacts have
small depths.
"""
RATE_STEP = 3e-8
"""Perturbation [1] of velocities, relative to the largest velocity."""
VALUE_STEP = 2e-8
"""Perturbation [1] of history values, relative to the largest value of the same kind."""
FEW = 4
"""If at most this number of rows have a common coordinate, these rows are treated as neighbours. Therefore rows that
share only the coordinates of a pulley are not neighbours.
"""

MOST = 64
"""Number of sets of contact partners for which groups and compiled programs are kept."""

ForceSlopes = tuple[FloatArray, IntArray, IntArray]
"""Derivatives of forces with respect to history values, see `HistoryTerms.find_force_slopes`."""


@dataclass
class InputSlopes:
    """Derivatives of history values with respect to inputs. Each history value depends on few inputs.

    Attributes:
        values: derivatives, shape (k, d).
        inputs: index of the input of each derivative, shape (k, d).
    """

    values: list[FloatArray]
    inputs: list[IntArray]

    def multiply(self, weights: FloatArray, count: int) -> FloatArray:
        """Return one sum for each input, shape (count,). The terms of the sum are the derivatives of all history values
        with respect to this input, multiplied by the ``weights`` of the history values, shape (d,)."""
        total = np.zeros(count)
        for values, inputs in zip(self.values, self.inputs, strict=True):
            total += np.bincount(inputs, values * weights, minlength=count)
        return total


@dataclass
class UpdateSlopes:
    """Derivatives of an update of history values with respect to its inputs. The inputs are coordinates x, velocities v
    and history values before the update, and the same quantities at the start of the step.
    """

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


@dataclass
class HistoryRow:
    """A row of a law with history values.

    Attributes:
        system: system of this row alone.
        component: the law.
        start: index of the first history value of the row.
        number: index of the row of `GenericData` that contains the history values.
        multipliers: indices of the multipliers of the row.
        dofs: coordinates of the row, without coordinates of contact partners that a search has found.
    """

    system: System
    component: type[Component]
    start: int
    number: int
    multipliers: IntArray
    dofs: IntArray


@dataclass
class RowForces:
    """Separate forces of all rows with history values.

    Attributes:
        program: compiled program that evaluates the forces.
        forces: forces and constraint equations of each row, shape (rows, width).
        equations: indices of the equations in ``forces``, shape (rows, width). The indices count the coordinates, then
            the spare coordinate, then the multipliers.
    """

    program: Program
    forces: FloatArray
    equations: IntArray


@dataclass
class RowGroups:
    """Groups of coordinates and of rows that are perturbed together.

    Attributes:
        dofs: coordinates of each group. Each row has at most one of these coordinates.
        of_value: for each group, and for each history value, the coordinate of the group on which the history value
            depends, shape (d,) each; n if there is no such coordinate.
        rows: two arrays for each group of rows without common neighbours. The first array contains the rows of the
            group, as indices of rows of `GenericData`. The second array contains, for each row of `GenericData`, the
            row of the group that is its neighbour, or -1.
    """

    dofs: list[IntArray]
    of_value: list[IntArray]
    rows: list[tuple[IntArray, IntArray]]


class HistoryTerms:
    """Derivatives of forces and of updates of history values in a companion model, see the docstring of this module.
    The derivatives are evaluated at the motion in the fields of the model.

    Args:
        companion: the companion model that repeats the motion.
        varies: for each history value, whether the value changes continuously during the motion, shape (d,). Contact
            states do not change continuously.
    """

    def __init__(self, companion: Companion, varies: BoolArray) -> None:
        self._companion, self._assembly = companion, companion.assembly
        self._of_value = find_history_rows(companion.world)
        self._size = len(varies)
        self._varies = varies
        self._n = self._assembly.layout.spare
        self._rows = list(self._find_rows())
        self._starts = np.array([row.start for row in self._rows], np.int64)
        counts = companion.world.numbering.data_count
        self._lengths: IntArray = counts[np.array([row.number for row in self._rows], np.int64)]
        # forces and groups for each set of contact partners that has occurred so far
        self._forces, self._groups = dict[bytes, RowForces](), dict[bytes, RowGroups]()

    def _find_rows(self) -> Iterator[HistoryRow]:
        """Yield all rows with history values."""
        layout, world = self._assembly.layout, self._companion.world
        for component, system in layout.systems.items():
            refs = [name for name, ref in component.refs.items() if ref.target == "GenericData"]
            build = require_law(component).build
            # flags of contact sets are history values that no update changes
            constant = system.neighbours is not None and system.post_newton is None
            if not refs or build is None or constant:
                continue
            rows = self._assembly.local_rows(world.tables[component], layout.rows[component])
            for i, start in enumerate(rows.data_start(refs[0])):
                single = build(rows.select(np.array([i]))) if system.select is None else system.select(i)
                multipliers = single.constraint.multipliers[0] if single.constraint is not None else []
                own = np.unique(multipliers).astype(np.int64)
                dofs = rows.dofs[i] if single.neighbours is None else np.zeros(0, np.int64)
                yield HistoryRow(single, component, int(start), int(self._of_value[start]), own, dofs)

    def _find_dofs(self, data: FloatArray) -> list[IntArray]:
        """Return the coordinates of each row with the contact partners in the given history values, shape (d,)."""
        if self._companion.searches:
            fields = self._assembly.fields
            kept, fields.data[:] = fields.data.copy(), data
            s = evaluate(fields)
            for row in self._rows:
                if row.system.neighbours is not None and row.system.update is not None:
                    row.system.update(s)
            fields.data[:] = kept
        every = (np.union1d(row.system.dofs, row.dofs) for row in self._rows)
        return [dofs[dofs < self._n] for dofs in every]

    def _find_forces(self, data: FloatArray) -> RowForces:
        """Return the separate forces of the rows with the contact partners in the given history values, shape (d,)."""
        if self._forces and not self._companion.searches:
            return next(iter(self._forces.values()))
        dofs = self._find_dofs(data)
        key = find_key(dofs)
        if key not in self._forces:
            make_room(self._forces)
            self._forces[key] = self._create_forces(dofs)
        return self._forces[key]

    def _create_forces(self, dofs: list[IntArray]) -> RowForces:
        """Create the compiled program that evaluates the forces of rows with the given coordinates."""
        layout, fields = self._assembly.layout, self._assembly.fields
        f, c = np.zeros(self._n + 1), np.zeros(len(layout.multipliers_owned) + 1)
        s = evaluate(fields, f=f, C=c)
        width = max((len(own) + len(row.multipliers) for own, row in zip(dofs, self._rows, strict=True)), default=0)
        forces = np.zeros((len(dofs), width))
        equations = np.full((len(dofs), width), self._n)
        steps: list[Step] = [(call(clear, (f,)), (s,)), (call(clear, (c,)), (s,))]
        for k, (own, row) in enumerate(zip(dofs, self._rows, strict=True)):
            system, n, m = row.system, len(own), len(row.multipliers)
            equations[k, :n], equations[k, n : n + m] = own, self._n + 1 + row.multipliers
            steps += [(system.residual, (s,))] if system.residual is not None else []
            steps += [(system.constraint.residual, (s,))] if system.constraint is not None else []
            steps.append((call(take_row, (f, own, forces[k, :n])), (s,)))
            steps.append((call(take_row, (c, row.multipliers, forces[k, n : n + m])), (s,)))
        return RowForces(Program(steps, asks=not self._companion.searches), forces, equations)

    def _find_groups(self, data: FloatArray, updated: FloatArray) -> RowGroups:
        """Return the groups for an update that replaces the history values ``data`` by ``updated``, shape (d,) each."""
        if self._groups and not self._companion.searches:
            return next(iter(self._groups.values()))
        # the last call of `_find_dofs` uses ``data``, because the rows keep the contact partners of the last call
        later = self._find_dofs(updated) if self._companion.searches else None
        dofs = self._find_dofs(data)
        if later is not None:
            dofs = [np.union1d(*both) for both in zip(dofs, later, strict=True)]
        key = find_key(dofs)
        if key not in self._groups:
            make_room(self._groups)
            self._groups[key] = RowGroups(*self._group_dofs(dofs), self._group_rows(dofs))
        return self._groups[key]

    def _group_dofs(self, dofs: list[IntArray]) -> tuple[list[IntArray], list[IntArray]]:
        """Divide the coordinates of rows into groups. Return the first two attributes of `RowGroups`."""
        rows_of: dict[int, list[int]] = {}
        for number, own in enumerate(dofs):
            for dof in own.tolist():
                rows_of.setdefault(dof, []).append(number)
        used: list[set[int]] = [set() for _ in dofs]
        colour = np.full(self._n + 1, -1)
        # coordinates that many rows have in common are assigned to groups first
        for dof, rows_at in sorted(rows_of.items(), key=lambda item: -len(item[1])):
            taken = set().union(*(used[number] for number in rows_at))
            mine = next(k for k in range(len(taken) + 1) if k not in taken)
            colour[dof] = mine
            for number in rows_at:
                used[number].add(mine)
        colours = [np.flatnonzero(colour == k) for k in range(int(colour.max(initial=-1)) + 1)]
        of_value = []
        for k in range(len(colours)):
            of_row = np.full(len(self._companion.world.numbering.data_count), self._n)
            for row, own in zip(self._rows, dofs, strict=True):
                found = own[colour[own] == k]
                if len(found):
                    of_row[row.number] = found[0]
            of_value.append(of_row[self._of_value])
        return colours, of_value

    def _group_rows(self, dofs: list[IntArray]) -> list[tuple[IntArray, IntArray]]:
        """Divide the rows into groups such that two rows of a group have no common neighbour. Return the last attribute
        of `RowGroups`. Neighbours are rows of the same table that have a common coordinate. Coordinates that more than
        `FEW` rows have are not considered.
        """
        near: dict[int, set[int]] = {row.number: {row.number} for row in self._rows}
        at: dict[tuple[type[Component], int], list[int]] = {}
        for row, own in zip(self._rows, dofs, strict=True):
            for dof in own.tolist():
                at.setdefault((row.component, dof), []).append(row.number)
        for found in at.values():
            if len(found) <= FEW:
                for number in found:
                    near[number].update(found)
        colour = dict[int, int]()
        for number in near:
            taken = {colour[other] for one in near[number] for other in near[one] if other in colour}
            colour[number] = next(k for k in range(len(taken) + 1) if k not in taken)
        count, groups = len(self._companion.world.numbering.data_count), list[tuple[IntArray, IntArray]]()
        for k in range(max(colour.values(), default=-1) + 1):
            members = np.array([number for number in colour if colour[number] == k], np.int64)
            owner = np.full(count, -1)
            for number in members.tolist():
                for other in near[number]:
                    owner[other] = number
            groups.append((members, owner))
        return groups

    @property
    def _value_starts(self) -> IntArray:
        counts = self._companion.world.numbering.data_count
        found: IntArray = np.cumsum(counts) - counts
        return found

    def _find_value_steps(self, data: FloatArray) -> FloatArray:
        """Return perturbations of history values, shape (d,). The perturbation is 0 for values that do not vary. A
        perturbation does not change the sign of a value.
        """
        number = np.arange(self._size) - self._value_starts[self._of_value]
        largest = np.zeros(int(number.max(initial=-1)) + 1)
        np.maximum.at(largest, number, np.abs(data))
        h = VALUE_STEP * np.where(largest > 0.0, largest, 1.0)[number]
        limited = np.where(data != 0.0, np.minimum(h, 0.5 * np.abs(data)), h)
        varies = self._varies
        if self._companion.searches:
            # the repeated motion may store a contact in another row than the original motion
            varies = varies | (data != np.round(data))
        found: FloatArray = np.where(varies, limited, 0.0)
        return found

    def find_force_slopes(self, data: FloatArray, start: FloatArray | None = None) -> ForceSlopes:
        """Return three arrays. The first contains the derivatives of the forces of each row with respect to its history
        values, shape (values, rows, width). The second contains the index of each history value, or -1 for none, shape
        (values, rows). The third contains the indices of the forces, see `RowForces.equations`. The fields contain the
        motion and the history values ``data``. If ``start`` is given, it contains the history values at the start of
        the step. In this case, the result contains the derivatives with respect to the values ``start``.
        """
        fields, found = self._assembly.fields, self._find_forces(data)
        array, base = (fields.data, data) if start is None else (fields.start_data, start)
        h, slopes, indices = self._find_value_steps(base), list[FloatArray](), list[IntArray]()
        if start is not None and not self._reads_start(found, start, h):
            h = np.zeros_like(h)
        for k in range(int(self._lengths.max(initial=0))):
            at = np.where(k < self._lengths, self._starts + k, -1)
            mine = at[at >= 0]
            mine = mine[h[mine] > 0.0]
            if not len(mine):
                continue
            ends = []
            for side in (1.0, -1.0):
                array[mine] = base[mine] + side * h[mine]
                found.program()
                ends.append(found.forces.copy())
            array[mine] = base[mine]
            width = np.where(at >= 0, h[at], 0.0)
            scale = np.divide(0.5, width, out=np.zeros(len(at)), where=width > 0.0)
            slopes.append((ends[0] - ends[1]) * scale[:, None])
            indices.append(np.where(width > 0.0, at, -1))
        values = np.array(slopes) if slopes else np.zeros((0, *found.forces.shape))
        return values, np.array(indices, np.int64).reshape(len(indices), len(self._rows)), found.equations

    def _reads_start(self, found: RowForces, start: FloatArray, h: FloatArray) -> bool:
        """Return whether forces depend on the history values at the start of the step. The argument h contains
        perturbations of these values, shape (d,).
        """
        fields, ends = self._assembly.fields, list[FloatArray]()
        for change in (h, -h, np.zeros_like(h)):
            fields.start_data[:] = start + change
            found.program()
            ends.append(found.forces.copy())
        return not (np.array_equal(ends[0], ends[2]) and np.array_equal(ends[1], ends[2]))

    def multiply_forces(self, slopes: ForceSlopes, mu: FloatArray, nu: FloatArray) -> FloatArray:
        """Return one sum for each history value, shape (d,). The sum has two parts: the derivatives of the forces
        multiplied by the adjoint variables mu of the equations of motion, shape (n,), and the derivatives of the
        constraint equations multiplied by their adjoint variables nu, shape (m,). The argument ``slopes`` contains the
        derivatives of forces and constraint equations, see `find_force_slopes`.
        """
        values, indices, equations = slopes
        factors = np.concatenate((mu, [0.0], nu))[equations]
        found = np.zeros(self._size + 1)
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
        fields, found, groups = self._assembly.fields, dict[str, InputSlopes](), self._find_groups(data, centre)
        place, rate = np.abs(fields.x).max(), np.abs(fields.v).max()
        for name, h in (
            ("x", PLACE_STEP * (place or 1.0)), ("v", RATE_STEP * (rate or 1.0)),
            ("start_x", PLACE_STEP * (place or 1.0)), ("start_v", RATE_STEP * (rate or 1.0)),
        ):  # fmt: skip
            array, own = getattr(fields, name), InputSlopes([], [])
            for dofs, inputs in zip(groups.dofs, groups.of_value, strict=True) if name in reads else ():
                kept, ends = array[dofs], []
                for side in (1.0, -1.0):
                    array[dofs] = kept + side * h
                    if name in ("x", "v"):
                        self._assembly.update_markers()
                    ends.append(update(data))
                array[dofs] = kept
                own.values.append(find_slopes(centre, ends[0], ends[1], self._of_value) / h)
                own.inputs.append(inputs)
            found[name] = own
        self._assembly.update_markers()
        every = np.array(sorted(row.number for row in self._rows), np.int64)
        alone = [(every, np.arange(len(self._companion.world.numbering.data_count)))]
        for name, base in (("data", data), ("start_data", start)):
            inputs_of = alone
            if name == "start_data" and self._couples_rows(update, centre, data, start, groups):
                inputs_of = groups.rows
            found[name] = InputSlopes([], [])
            if name in reads:
                found[name] = self._perturb_values(update, centre, name, base, data, inputs_of)
        return UpdateSlopes(**found)

    def _couples_rows(
        self,
        update: Callable[[FloatArray], FloatArray],
        centre: FloatArray,
        data: FloatArray,
        start: FloatArray,
        groups: RowGroups,
    ) -> bool:
        """Return whether the update of any row uses the history values of another row at the start of the step."""
        fields, h = self._assembly.fields, self._find_value_steps(start)
        for members, _ in groups.rows:
            inside = np.isin(self._of_value, members)
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
            update, centre: function that computes history values, and its result at the present fields, see
                `find_update_slopes`.
            name: name of the array of the fields whose values are perturbed.
            base: the unperturbed values, shape (d,).
            data: history values before the update, shape (d,).
            groups: for each group, the rows whose values are perturbed together, and an array as described below. The
                array contains, for each row of the model, the row of the group on which the row depends, or -1 if there
                is no such row.
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
                row = owner[self._of_value]
                inputs = np.where(row >= 0, starts[row] + k, 0)
                inputs = np.where((row >= 0) & (counts[row] > k), inputs, 0)
                width = np.where((row >= 0) & (counts[row] > k), h[inputs], 0.0)
                change = find_slopes(centre, ends[0], ends[1], self._of_value)
                found.values.append(np.divide(change, width, out=np.zeros(self._size), where=width > 0.0))
                found.inputs.append(inputs)
        return found


def find_key(dofs: list[IntArray]) -> bytes:
    """Return a key that identifies the coordinates of all rows."""
    return b"|".join(own.tobytes() for own in dofs)


def make_room(kept: dict[bytes, Any]) -> None:
    """Remove the oldest entry of a dictionary if it has `MOST` entries."""
    if len(kept) >= MOST:
        del kept[next(iter(kept))]
