"""Contact between two coordinates: a penalty spring and damper that act while the gap is closed.

    g = x1 - x0 - offset,    f = k g + d g_t  while the stored gap is <= 0,  else 0;
    f on coordinate 1, -f on coordinate 0, on the left-hand side of the equations of motion.

x are displacements from the reference.  The stored gap (one history value per row) stays fixed during Newton's
iterations.  After them it becomes g, and if (g > 0) differs from (stored gap at the start of the step > 0)

    force error = |k g|,    recommended step size = |gap at the start of the step / g_t|,

so that a solver with adaptive steps may end a step where the contact closes or opens.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from windlass.connectors.markers.coordinate_columns import CoordinateColumns
from windlass.connectors.markers.coordinate_outputs import coordinate_output
from windlass.connectors.markers.pair_laws import difference_coordinates
from windlass.connectors.markers.pairs import Pair
from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.post_newton import note_outcome
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.gaps import note_gap
from windlass.framework.model.law import LocalRows, register_pair
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.system import System

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


LETTERS = {"k": "contact_stiffness", "d": "contact_damping", "offset": "offset"}


@kernel
def force(c: Any, i: int, u: float, ut: float, t: float) -> float:
    """f of row i [N]."""
    return c.k[i] * (u - c.offset[i]) + c.d[i] * ut if c.h[i, 0] <= 0.0 else 0.0


@kernel
def force_tangent(c: Any, i: int, u: float, ut: float, t: float) -> tuple[float, float]:
    """∂f/∂u [N/m] and ∂f/∂u_t [N s/m] of row i."""
    return (c.k[i], c.d[i]) if c.h[i, 0] <= 0.0 else (0.0, 0.0)


@kernel
def energy(c: Any, i: int, u: float, ut: float, t: float) -> float:
    """Energy of the spring of row i [J]."""
    return 0.5 * c.k[i] * (u - c.offset[i]) ** 2 if c.h[i, 0] <= 0.0 else 0.0


@kernel
def power(c: Any, i: int, u: float, ut: float, t: float) -> float:
    """Power that the damper of row i dissipates [W]."""
    return c.d[i] * ut * ut if c.h[i, 0] <= 0.0 else 0.0


@kernel
def measure_gap(c: Any, i: int, u: float, ut: float, row: FloatArray) -> None:
    """The numbers of `Gaps` of row i."""
    note_gap(row, u - c.offset[i], ut, abs(ut))


@kernel
def update_gaps(
    c: Any, pair: Pair, m: CoordinateColumns, data: FloatArray, start: FloatArray, size: FloatArray, outcome: FloatArray
) -> None:
    """Store the gaps of the active rows; ``start`` are the history values at the start of the step of size[0] seconds.

    As in the recorded results, a row has an error if it has opened or closed since the start of the step.  In statics,
    which has no steps, also a row that returned to its state in the last pass has an error: its forces were those of
        the other state.

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
        if is_open != (start[at] > 0.0) or (size[0] == 0.0 and is_open != (data[at] > 0.0)):
            if abs(c.k[i] * g) > error:
                error, worst = abs(c.k[i] * g), i
            if gt != 0.0:
                step = min(step, abs(start[at] / gt))
        changed |= is_open != (data[at] > 0.0)
        if data[at] <= 0.0:
            force = max(force, abs(c.k[i] * g + c.d[i] * gt))
        data[at] = g
    note_outcome(outcome, error, step, changed, force, worst)


def judge_account(rows: LocalRows, system: System) -> None:
    """Declare that contact without damping conserves energy."""
    assert system.account is not None
    system.account = replace(system.account, conserves=not rows.columns[1].d.any())


register_pair(
    ContactCoordinate,
    force,
    force_tangent,
    letters=LETTERS,
    stored={"contact_spring": energy},
    lost={"contact_damping": power},
    finish=judge_account,
    start=START,
    update=update_gaps,
    gap=measure_gap,
    outputs={
        "gap": coordinate_output(
            "m", "x1 - x0 - offset [m or rad], also where open, ()",
            lambda rows, s: difference_coordinates(rows, s)[0] - rows.columns[1].offset,
        ),
        "rate": coordinate_output(
            "m/s", "its time derivative [m/s or rad/s], also where open, ()",
            lambda rows, s: difference_coordinates(rows, s)[1],
        ),
        "force": coordinate_output("N", "f [N or N m], (): < 0 presses the coordinates apart; 0 where open", force),
    },
    source="[@exudyn], ObjectContactCoordinate",
)  # fmt: skip
