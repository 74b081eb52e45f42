"""Check whether a motion can start from a state. If positions or velocities violate constraints, an error is raised
with the names of these constraints.

Gaps of positions below `SMALL_GAP`, and violations of constraints by velocities below `SMALL_RATE`, result from rounded
input or from errors of an earlier solve. These gaps and violations are removed by projection onto the constraints. If a
function of time prescribes a motion, the motion would jump at the start because of a gap. Therefore gaps of prescribed
motions must be below `SMALL_JUMP` or below the displacement in `STEPS` steps. The drift of index-2 methods is smaller
than these limits.

If the coordinates of a constraint with a prescribed rate are at rest (C_q v = 0), the constraint is treated as a motor
that is switched on. The coordinates receive the prescribed speed, and no error is raised. If C_q v ≠ 0, the constraint
would change velocities that the user has specified. In this case an error is raised by default.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.errors import ModelError
from windlass.framework.model.system import System
from windlass.framework.state.state import State
from windlass.solvers.constraint_motion.constraint_jacobian import eval_sizes
from windlass.solvers.constraint_motion.constraint_rates import ConstraintRates

SMALL_GAP = 1e-3
"""Largest initial position gap [m, rad, 1], relative to 1 + largest coordinate, that is closed without an error."""
SMALL_RATE = 1e-3
"""Largest violation of a constraint by velocities [m/s, rad/s, 1/s], relative to 1 + sum of the absolute terms of the
constraint, that is corrected without an error.
"""
SMALL_JUMP = 1e-5
"""A gap [m, rad, 1] of a prescribed motion, relative to 1 + largest coordinate, is never treated as a jump if the gap
is below this value.
"""
STEPS = 10.0
"""Ratio [1] of the gap of a prescribed motion to the displacement in one step. Above this ratio, the gap is treated as
a jump.
"""


def find_driven(assembly: Assembly, counts: Callable[[System], bool] = lambda system: True) -> NDArray[np.bool_]:
    """Return, for each multiplier of this process, whether its constraint prescribes a motion as a function of time,
    shape (m,). For a constraint of a system for which ``counts`` returns False, the result is False.
    """
    found = np.zeros(len(assembly.layout.multipliers_owned) + 1, np.bool_)
    for system in assembly.systems:
        if system.constraint is not None and system.constraint.driven is not None and counts(system):
            found[system.constraint.multipliers[system.constraint.driven]] = True
    return found[:-1]


def check_gaps(
    assembly: Assembly, rates: ConstraintRates, gap: FloatArray, on_rates: NDArray[np.bool_], h: float
) -> None:
    """Raise ModelError if positions violate constraints, or if prescribed motions would start with a jump. The message
    names the constraints. The call is collective.

    Args:
        rates: the constraints. The fields must contain the initial state.
        gap: values C [m, rad, 1] of constraints on positions, and 0 for constraints on velocities, shape (m,).
        on_rates: whether each constraint is a constraint on velocities, shape (m,).
        h: step size [s].
    """
    fields, processes = assembly.fields, assembly.processes
    size = 1.0 + processes.largest_of(np.abs(fields.x).max())
    refuse_gaps(assembly, rates, gap, SMALL_GAP * size)
    driven = find_driven(assembly) & ~on_rates & (np.abs(gap) > SMALL_JUMP * size)
    if not processes.any(bool(driven.any())):
        return
    v = fields.v.copy()
    fields.v[:] = 0.0
    rates.update_markers()
    way = STEPS * h * np.abs(rates.eval(rate_level=True))
    fields.v[:] = v
    rates.update_markers()
    jumps = driven & (np.abs(gap) > way)
    if processes.any(bool(jumps.any())):
        raise ModelError(
            f"start of dynamics at t = {fields.t:.9g} s: prescribed motions differ from the state by "
            f"({rates.describe(jumps, gap)}) [m, rad, 1]: must be at most {SMALL_JUMP * size:.3g}; start at the time "
            "of the state, or solve the statics for this time first"
        )


def refuse_gaps(assembly: Assembly, rates: ConstraintRates, gap: FloatArray, allowed: float) -> None:
    """Raise ModelError with the names of violated constraints if the absolute value of a position gap exceeds
    ``allowed``. The gaps are the elements of ``gap``, shape (m,). The call is collective."""
    largest = assembly.processes.largest_of(np.abs(gap).max(initial=0.0))
    if largest <= allowed:
        return
    names = rates.describe(np.abs(gap) > max(allowed, 1e-3 * largest), gap)
    raise ModelError(
        f"start of dynamics at t = {assembly.fields.t:.9g} s: positions violate their constraints by ({names}) [m, "
        f"rad, 1]: must be at most {allowed:.3g}, because the start closes only small gaps; give consistent positions, "
        "displacements or time functions, or solve the statics first"
    )


def check_velocities(assembly: Assembly, rates: ConstraintRates, rate: FloatArray) -> None:
    """Raise ModelError with the names of constraints that forbid initial velocities. The call is collective.

    Args:
        rates: the constraints. The fields must contain the initial state.
        rate: Ċ [m/s, rad/s, 1/s], shape (m,).
    """
    v = assembly.fields.v[:-1].copy()
    own = rates.multiply(v)
    allowed = SMALL_RATE * (1.0 + eval_sizes(assembly, v) + np.abs(rate - own))
    forbidden = (np.abs(rate) > allowed) & (np.abs(own) > allowed)
    if assembly.processes.any(bool(forbidden.any())):
        raise ModelError(
            f"start of dynamics at t = {assembly.fields.t:.9g} s: initial velocities violate their constraints by "
            f"({rates.describe(forbidden, rate)}) [m/s, rad/s, 1/s]: must be at most {SMALL_RATE:g} times (1 + size of "
            "the terms); give consistent velocities, or use velocities='project' for the nearest allowed velocities, "
            "weighted by mass"
        )


def check_motion(assembly: Assembly, state: State, h: float, velocities: str) -> None:
    """Raise ModelError if no motion can start from a state. The call is collective.

    Args:
        state: the initial state.
        h: step size [s].
        velocities: ``"check"``, or ``"project"``. With ``"project"``, velocities that constraints forbid are accepted.
    """
    rates = ConstraintRates(assembly)
    if not rates.anywhere:
        return
    assembly.load_fields(state)
    on_rates = rates.find_rates()
    check_gaps(assembly, rates, np.where(on_rates, 0.0, rates.eval(rate_level=False)), on_rates, h)
    if velocities == "check":
        check_velocities(assembly, rates, rates.eval(rate_level=True))
