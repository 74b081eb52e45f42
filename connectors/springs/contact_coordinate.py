"""Contact between two coordinates by a penalty spring and damper. Spring and damper act while the gap is closed.

    gap: g = x1 - x0 - offset
    force: f = k g + d g_t while the stored gap is <= 0, else 0
    action: f on coordinate 1, -f on coordinate 0, on the left-hand side

x0 and x1 are the displacements of the coordinates from the reference configuration. The stored gap (one history value
per row) is constant during Newton's iterations. After the iterations the stored gap is set to g. For a contact that
has closed or opened since the start of the step, the update returns

    force error = |k g|, recommended step size = |gap at the start of the step / g_t|.

With this step size, a solver with adaptive steps can end a step at the time at which the contact closes or opens.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from windlass.connectors.markers.coordinate_marker import COORDINATE
from windlass.connectors.markers.coordinate_outputs import coordinate_output
from windlass.connectors.markers.pair_laws import difference_coordinates
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.gaps import note_gap
from windlass.framework.model.law import LocalRows, register_pair
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.system import System

START = (0.1,)


class ContactCoordinate(Component):
    """A stop that keeps coordinate 1 above the sum of coordinate 0 and the offset. One history value per row: gap [m or
    rad].
    """

    marker0 = ref(COORDINATE, "lower coordinate x0; if left out, the ground with x0 = 0")
    marker1 = ref(COORDINATE, "upper coordinate")
    data = ref("GenericData", "1 history value; if left out, it is created as [0.1] (open)", optional=True)
    contact_stiffness = column("N/m", "penalty stiffness k [N/m or N m/rad]", above=0.0)
    contact_damping = column(
        "N s/m", "damping d [N s/m or N m s/rad], which can cause a pulling force", default=0.0, minimum=0.0
    )
    offset = column("m", "difference x1 - x0 at which the gap is 0 [m or rad]", default=0.0)
    active = column(
        "1",
        "false: the row has no force, and its history values do not change",
        default=True,
        dtype=bool,
        switchable=True,
    )


@kernel
def force(row: Any, u: float, ut: float, t: float) -> float:
    """Return the force f [N or N m]."""
    return row.contact_stiffness * (u - row.offset) + row.contact_damping * ut if row.history[0] <= 0.0 else 0.0


@kernel
def force_tangent(row: Any, u: float, ut: float, t: float) -> tuple[float, float]:
    """Return ∂f/∂u [N/m or N m/rad] and ∂f/∂u_t [N s/m or N m s/rad]."""
    return (row.contact_stiffness, row.contact_damping) if row.history[0] <= 0.0 else (0.0, 0.0)


@kernel
def energy(row: Any, u: float, ut: float, t: float) -> float:
    """Return the energy [J] of the spring."""
    return 0.5 * row.contact_stiffness * (u - row.offset) ** 2 if row.history[0] <= 0.0 else 0.0


@kernel
def power(row: Any, u: float, ut: float, t: float) -> float:
    """Return the power [W] lost in the damper."""
    return row.contact_damping * ut * ut if row.history[0] <= 0.0 else 0.0


@kernel
def measure_gap(row: Any, u: float, ut: float, numbers: FloatArray) -> None:
    """Write the gap quantities of the row, see `Gaps`."""
    note_gap(numbers, u - row.offset, ut, abs(ut))


@kernel
def update_gap(row: Any, u: float, ut: float, t: float, h: float) -> tuple[float, float, bool, float]:
    """Store the gap. Return the force error [N], the recommended step size [s], whether the row has opened or closed,
    and the force [N].

    The force error is not 0 if the row has opened or closed since the start of the step. In static solves the force
    error is also not 0 in a second case: the contact state changed in the last Newton run, and this update restores the
    state at the start of the step. The returned force is the force with the contact state before this update.
    """
    g, before = u - row.offset, row.history[0]
    changed, error, step = (g > 0.0) != (before > 0.0), 0.0, np.inf
    if (g > 0.0) != (row.start[0] > 0.0) or (h == 0.0 and changed):
        error = abs(row.contact_stiffness * g)
        if ut != 0.0:
            step = abs(row.start[0] / ut)
    row.history[0] = g
    return error, step, changed, abs(row.contact_stiffness * g + row.contact_damping * ut) if before <= 0.0 else 0.0


def judge_account(rows: LocalRows, system: System) -> None:
    """If no row has damping, set in the `Account` of the system that the rows conserve energy."""
    assert system.account is not None
    system.account = replace(system.account, conserves=not rows.columns[1]["contact_damping"].any())


register_pair(
    ContactCoordinate,
    force,
    force_tangent,
    stored={"contact_spring": energy},
    lost={"contact_damping": power},
    finish=judge_account,
    start=START,
    update=update_gap,
    gap=measure_gap,
    outputs={
        "gap": coordinate_output(
            "m", "gap x1 - x0 - offset [m or rad], also of open contacts, ()",
            lambda rows, s: difference_coordinates(rows, s)[0] - rows.columns[1]["offset"],
        ),
        "rate": coordinate_output(
            "m/s", "time derivative of the gap [m/s or rad/s], also of open contacts, ()",
            lambda rows, s: difference_coordinates(rows, s)[1],
        ),
        "force": coordinate_output(
            "N", "force f [N or N m], (); < 0 presses the coordinates apart, 0 for open contacts", force
        ),
    },
    source="[@exudyn], ObjectContactCoordinate",
)  # fmt: skip
