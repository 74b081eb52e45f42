"""Update of contact states after each Newton run, and within Newton runs as the return map.

The symbols are explained in `law.py`. The first history values of a row with n points are n gaps and n states. A row is
updated as follows:

    gap: if (g > 0) differs from (stored gap > 0), error += |k (g - stored gap)| with stiffness k; g is stored.
    state: whether closed points stick or slip depends on the geometry and on the history at the start of the step.
    change: if the new state of a point with friction differs from the stored state, error += ||tau| - mu |f_n||.
    no friction: the state is -2 and f_t = 0 if the point is open, if mu = 0, or if mu_k and mu_v are 0.

The errors of the points of a row are summed. For each row, |f_n| is summed over the points that were closed before the
update. The update also returns the largest of these sums. Solvers compare the errors with this sum.

Source: radial return, P. Wriggers, Computational Contact Mechanics, Springer (2006).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.connectors.friction.bristle import UNDEFINED
from windlass.elements.nodes.vectors import Vector
from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.post_newton import note_outcome
from windlass.framework.kernels.call import Call, call
from windlass.framework.kernels.kernel import Kernel, kernel
from windlass.framework.model.lanes import LANES, lane_type
from windlass.framework.model.law import LocalRows
from windlass.framework.model.rows import record_type
from windlass.framework.model.system import CONSTANT, System

NO_LANES = lane_type("none")
"""Argument ``lane`` of `create_update` for kernels that evaluate one row at a time."""


@kernel(inline=True)
def read_three(data: FloatArray, at: int) -> Vector:
    """Return three successive history values, beginning with the index ``at``."""
    return data[at], data[at + 1], data[at + 2]


@kernel(inline=True)
def write_three(data: FloatArray, at: int, a: Vector) -> None:
    """Write the vector a to three successive history values, beginning with the index ``at``."""
    data[at], data[at + 1], data[at + 2] = a[0], a[1], a[2]


@kernel(inline=True)
def store_gap(data: FloatArray, at: int, gap: float, k: float) -> tuple[float, bool]:
    """Store the gap of a point. Return the force error [N], and whether the point has opened or closed."""
    old = data[at]
    data[at] = gap
    changes = (gap > 0.0) != (old > 0.0)
    return abs(k * (gap - old)) if changes else 0.0, changes


@kernel(inline=True)
def store_state(data: FloatArray, at: int, state: float, excess: float) -> tuple[float, bool]:
    """Store the state of a point. Return the force error [N], and whether the point has begun to stick or slip."""
    changes = state != data[at] and state != UNDEFINED
    data[at] = state
    return abs(excess) if changes else 0.0, changes


@kernel
def judge_rows(errors: FloatArray, forces: FloatArray, changed: bool, outcome: FloatArray) -> None:
    """Write the outcome of an update: the largest force error [N] of a row, whether any state has changed, the largest
    force [N] of a row, and the row with the largest error. If there is no error, the row is -1.
    """
    worst, row, largest = 0.0, -1, 0.0
    for i in range(len(errors)):
        largest = max(largest, forces[i])
        if errors[i] > worst:
            worst, row = errors[i], i
    note_outcome(outcome, worst, np.inf, changed, largest, row)


@kernel(inline=True)
def touches(data: FloatArray, first: int, n: int) -> bool:
    """Return whether any of n successive stored gaps, beginning with the index ``first``, is closed."""
    closed = False
    for j in range(first, first + n):
        closed |= data[j] <= 0.0
    return closed


@kernel(inline=True)
def point_values(row: Any, k: int, n: int) -> tuple[int, int, float]:
    """Return the indices of the gap and of the state of point k, and its normal stiffness. The first history values of
    the row are n gaps and n states. See the argument ``find`` of `create_update`.
    """
    return row.data + k, row.data + n + k, row.contact_stiffness


def work_type(**shapes: tuple[int, ...]) -> np.dtype[Any]:
    """Return the type of a record that kernels use as memory. The record has one array for each of ``shapes``."""
    return record_type({name: np.dtype((np.float64, shape)) for name, shape in shapes.items()})


def place_type(*names: str, **counts: int) -> np.dtype[Any]:
    """Return the type of the record of a point in an update.

    The fields are the gap ``gap`` [m], the normal force ``fn`` [N], the state ``state``, and the excess ``excess``
    |tau| - mu |f_n| of the trial force over the friction limit [N]. The arguments ``names`` are the names of further
    fields with one value. Each item of ``counts`` is the name of a further field, and the number of arrays of eight
    values in this field.
    """
    shapes: dict[str, tuple[int, ...]] = {name: () for name in ("gap", "fn", "state", "excess", *names)}
    return work_type(**shapes, **{name: (count, LANES) for name, count in counts.items()})


@kernel(inline=True)
def is_never_far(c: Any, m: Any, data: FloatArray, x: FloatArray, i: int) -> bool:
    """Argument ``far`` of `create_update` for laws that evaluate all rows in each update."""
    return False


def create_update(
    count: Kernel, find: Kernel, place: np.dtype[Any], lane: np.dtype[Any], measure: Kernel, decide: Kernel,
    far: Kernel = is_never_far,
) -> Kernel:  # fmt: skip
    """Create the kernel ``(c, m, data, start, x, v, size, mapped, commits, outcome)`` that updates the history values
    of all rows.

    The argument ``start`` contains the history values at the start of the step, and ``size`` is the step size [s]. If
    ``commits`` is false, the kernel computes the return map for an iterate of Newton's method. In this case the kernel
    does nothing unless `Fields.mapped` is > 0, and it never writes an outcome.

    Args:
        count: kernel ``(row) -> n`` that returns the number of points of a row, 0 for inactive rows.
        find: kernel ``(row, k) -> at_gap, at_state, k_n`` that returns the indices of the gap and of the state of point
            k among the history values, and the normal stiffness of the point [N/m].
        place: type of the record of a point, see `place_type`.
        lane: type of the record in which ``measure`` evaluates eight rows at once, see `lane_type`.
        measure: kernel ``(c, m, data, start, x, v, rows, number, lanes, places)`` that evaluates the gap g and the
            normal force f_n of all points of row ``rows[number]``. The kernel ``measure`` is called in ascending order
            of ``number``.
        decide: kernel ``(c, m, data, start, x, v, size, commits, row, number, places) -> error, force, changed`` that
            determines the states of all points and the excess |tau| - mu |f_n|, and stores anchors. The kernel
            ``decide`` returns a further force error [N], a further force [N], and whether the row needs a further
            Newton run. If there is no further error or force, the value is 0.
        far: kernel ``(c, m, data, x, i)`` that returns true only if all points of row i are certainly open. The return
            map does not evaluate such a row if its stored gaps, also at the start of the step, are open. Updates after
            Newton runs evaluate all rows.
    """

    @kernel(inline=True)
    def update_rows(
        c: Any, m: Any, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray, size: FloatArray,
        mapped: FloatArray, commits: bool, outcome: FloatArray,
    ) -> None:  # fmt: skip
        if not commits and mapped[0] <= 0.0:
            return
        # find the active rows, and the largest number of points of a row
        rows, total, most = np.empty(len(c.rows), np.int64), 0, 0
        for i in range(len(c.rows)):
            n = count(c.rows[i])
            first = c.rows[i].data
            evaluates = commits or touches(data, first, n) or touches(start, first, n)
            if n > 0 and (evaluates or not far(c, m, data, x, i)):
                rows[total] = i
                total, most = total + 1, max(most, n)
        errors, forces, changed = np.zeros(len(c.rows)), np.zeros(len(c.rows)), False
        places, lanes, rows = np.zeros(most, place), np.zeros(1, lane), rows[:total]
        for number in range(total):
            i = rows[number]
            row = c.rows[i]
            n, error, force = count(row), 0.0, 0.0
            measure(c, m, data, start, x, v, rows, number, lanes, places)
            for k in range(n):
                at_gap, _, stiffness = find(row, k)
                if data[at_gap] <= 0.0:
                    force += abs(places[k].fn)
                found, changes = store_gap(data, at_gap, places[k].gap, stiffness)
                error, changed = error + found, changed or changes
            # contact states and anchors
            more, beside, passes = decide(
                c, m, data, start, x, v, size, commits, i, number, places
            )  # fmt: skip
            changed |= passes
            for k in range(n):
                _, at_state, _ = find(row, k)
                found, changes = store_state(data, at_state, places[k].state, places[k].excess)
                error, changed = error + found, changed or changes
            errors[i], forces[i] = error + more, force + beside
        if commits:
            judge_rows(errors, forces, changed, outcome)

    return update_rows


def follow_updates(update: Kernel, c: Any, family: str) -> tuple[Call, Call]:
    """Create the update after each Newton run, and the return map within Newton runs. The kernel ``update`` was created
    by `create_update`.
    """
    none = np.zeros(0)

    def create(commits: bool) -> Call:
        return call(
            update,
            lambda s: (
                c, s.markers[family], s.data, s.start_data, s.x, s.v, s.step_size, s.mapped, commits,
                s.outcome if commits else none,
            ),
        )  # fmt: skip

    return create(True), create(False)


def create_system(
    rows: LocalRows, c: Any, family: str, residual: Kernel, tangent: Kernel, update: Kernel, moves: bool = False
) -> tuple[System, Call]:
    """Create the system of a contact law between cables and bodies, with forces, tangent, and an update after each
    Newton run. Also return the return map within Newton runs.

    Args:
        c: data of the rows for kernels, with the process-local coordinate indices ``dofs``.
        family: family of the markers of the bodies.
        residual: kernel ``(c, m, data, start, x, v, f)`` that adds the forces of all rows to f.
        tangent, update: kernels, see `create_tangent` and `create_update`.
        moves: whether the return map is used in dynamics.
    """
    system, never = System(rows.table.kind, c.dofs), np.full(1, CONSTANT)
    system.residual = call(residual, lambda s: (c, s.markers[family], s.data, s.start_data, s.x, s.v, s.f))
    system.tangent = call(
        tangent,
        lambda s: (
            c, s.markers[family], s.data, s.start_data, s.x, s.v, s.step_size, s.mapped if moves else never, s.dq, s.dv,
            s.slots, s.values,
        ),
    )  # fmt: skip
    system.post_newton, maps = follow_updates(update, c, family)
    return system, maps
