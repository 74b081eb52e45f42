"""Contact between two coordinates: a penalty spring and damper that act while the gap is closed.

    g = x1 - x0 - offset,    f = k g + d g_t  while the stored gap is <= 0,  else 0;
    f on coordinate 1, -f on coordinate 0, on the left-hand side of the equations of motion.

x are displacements from the reference.  The stored gap (one history value per row) stays fixed during Newton's
iterations.  After them it becomes g, and if (g > 0) is other than (stored gap at the start of the step > 0)

    force error = |k g|,    recommended step size = |gap at the start of the step / g_t|,

so that a solver with adaptive steps may end a step where the contact closes or opens.

Source: J. Gerstmayr and others, documentation of Exudyn 1.11, item ObjectContactCoordinate.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from windlass.connectors.markers.coordinate_columns import FAMILY, CoordinateColumns
from windlass.connectors.markers.coordinate_outputs import coordinate_output
from windlass.connectors.markers.pair_laws import Update, difference_coordinates
from windlass.connectors.markers.pairs import Pair
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.post_newton import note_outcome
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows, register_pair
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.system import Fields, System

START = (0.1,)


class ContactCoordinate(Component):
    """A stop: coordinate 1 stays above coordinate 0 by the offset.  History values per row: gap [m or rad] (1)."""

    marker0 = ref("coordinate marker", "lower coordinate; the ground if left out")
    marker1 = ref("coordinate marker", "upper coordinate")
    data = ref("GenericData", "1 history value; created as [0.1], which is open, if left out", optional=True)
    contact_stiffness = column("N/m", "penalty stiffness k [N/m or N m/rad]", above=0.0)
    contact_damping = column("N s/m", "damping d [N s/m or N m s/rad]; may make f pull", default=0.0, minimum=0.0)
    offset = column("m", "x1 - x0 where the gap is 0 [m or rad]", default=0.0)
    active = column("1", "false: no force, history untouched", default=True, dtype=bool, switchable=True)


class Columns(NamedTuple):
    """Letters of the rows, all of shape (rows,).

    k [N/m], d [N s/m], offset [m].
    data: position of the stored gap.
    gap: stored gap [m] with which the force is evaluated.
    """

    k: FloatArray
    d: FloatArray
    offset: FloatArray
    data: IntArray
    gap: FloatArray


@kernel
def force(c: Columns, i: int, u: float, ut: float, t: float) -> float:
    """f of row i [N]."""
    return c.k[i] * (u - c.offset[i]) + c.d[i] * ut if c.gap[i] <= 0.0 else 0.0


@kernel
def force_tangent(c: Columns, i: int, u: float, ut: float, t: float) -> tuple[float, float]:
    """∂f/∂u [N/m] and ∂f/∂u_t [N s/m] of row i."""
    return (c.k[i], c.d[i]) if c.gap[i] <= 0.0 else (0.0, 0.0)


@kernel
def energy(c: Columns, i: int, u: float, ut: float, t: float) -> float:
    """Energy of the spring of row i [J]."""
    return 0.5 * c.k[i] * (u - c.offset[i]) ** 2 if c.gap[i] <= 0.0 else 0.0


@kernel
def power(c: Columns, i: int, u: float, ut: float, t: float) -> float:
    """What the damper of row i takes [W]."""
    return c.d[i] * ut * ut if c.gap[i] <= 0.0 else 0.0


@kernel
def update_gaps(
    c: Columns,
    pair: Pair,
    m: CoordinateColumns,
    data: FloatArray,
    start: FloatArray,
    h: FloatArray,
    outcome: FloatArray,
) -> None:
    """Store the gaps of the active rows; ``start`` are the history values at the start of the step, h its size [s].

    As recorded, a row has an error if it has opened or closed since the start of the step.  In statics, where h is 0,
    it has one also where it came back to that state in the last pass: forces were those of the other state.

    The outcome is the largest force error of a row [N], the smallest recommended step size [s] or inf, whether any row
    has opened or closed since the last update, the largest force of a row that was closed before [N], and the row of
    the largest error, -1 for none.
    """
    error, step, changed, force, worst = 0.0, np.inf, False, 0.0, -1
    for i in range(len(pair.m0)):
        if not pair.active[i]:
            continue
        m0, m1, at = pair.m0[i], pair.m1[i], c.data[i]
        g, gt = m.value[m1] - m.value[m0] - c.offset[i], m.rate[m1] - m.rate[m0]
        is_open = g > 0.0
        if is_open != (start[at] > 0.0) or (h[0] == 0.0 and is_open != (data[at] > 0.0)):
            if abs(c.k[i] * g) > error:
                error, worst = abs(c.k[i] * g), i
            if gt != 0.0:
                step = min(step, abs(start[at] / gt))
        changed |= is_open != (data[at] > 0.0)
        if data[at] <= 0.0:
            force = max(force, abs(c.k[i] * g + c.d[i] * gt))
        data[at] = g
    note_outcome(outcome, error, step, changed, force, worst)


def bind(rows: LocalRows) -> tuple[Columns]:
    """The parameters of the rows."""
    k, d, offset = rows.local("contact_stiffness"), rows.local("contact_damping"), rows.local("offset")
    return (Columns(k, d, offset, rows.data_start("data"), np.ones(len(k))),)


def bind_gaps(rows: LocalRows) -> tuple[Update, Update]:
    """What brings the stored gaps to where the kernels read them."""
    _, c = rows.columns

    def copy_gaps(s: Fields) -> None:
        c.gap[:] = s.data[c.data]

    return copy_gaps, copy_gaps


def add_update(rows: LocalRows, system: System) -> None:
    """Add the update of the gaps after Newton."""
    pair, c = rows.columns

    system.post_newton = call(
        update_gaps, lambda s: (c, pair, s.markers[FAMILY], s.data, s.start_data, s.step_size, s.outcome)
    )
    assert system.account is not None
    system.account = replace(system.account, conserves=not c.d.any())


def eval_gap(rows: LocalRows, s: Fields, **where: Any) -> FloatArray:
    """g [m or rad], also where open, shape (rows,)."""
    g: FloatArray = difference_coordinates(rows, s)[0] - rows.columns[1].offset
    return g


def eval_rate(rows: LocalRows, s: Fields, **where: Any) -> FloatArray:
    """g_t [m/s or rad/s], also where open, shape (rows,)."""
    return difference_coordinates(rows, s)[1]


def eval_force(rows: LocalRows, s: Fields, **where: Any) -> FloatArray:
    """f [N or N m], shape (rows,); 0 where the stored gap is open, or the row inactive."""
    pair, c = rows.columns
    closed = pair.active & (s.data[c.data] <= 0.0)
    force = c.k * eval_gap(rows, s) + c.d * eval_rate(rows, s)
    return np.where(closed, force, 0.0)


register_pair(
    ContactCoordinate,
    force,
    force_tangent,
    columns=bind,
    before=bind_gaps,
    stored={"contact_spring": energy},
    lost={"contact_damping": power},
    finish=add_update,
    start=START,
    outputs={
        "gap": coordinate_output("m", "rad", "x1 - x0 - offset [m or rad], also where open, ()", eval_gap),
        "rate": coordinate_output("m/s", "rad/s", "its time derivative [m/s or rad/s], ()", eval_rate),
        "force": coordinate_output(
            "N", "N m", "f [N or N m], (): < 0 presses the coordinates apart; 0 where open", eval_force
        ),
    },
    source="[@exudyn], ObjectContactCoordinate",
)
