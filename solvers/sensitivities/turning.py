"""Derivatives of integration steps for Euler parameters. The predictor of such a step, and the motion at the end of the
step, depend on products of coordinates.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.solvers.sensitivities.companion import MOTION, Companion, RepeatedStep
from windlass.solvers.sensitivities.recorded_motion import set_state

ROTATED = MOTION[:-1]
"""Arrays of a state with one value per coordinate."""
TURNING_STEP = 1e-6
"""Perturbation [1] of Euler parameters, their rates and accelerations, relative to the largest value, and perturbation
[1] of the unknowns "u".
"""


@dataclass
class TurningSlopes:
    """Derivatives of the predictor and of the end of a step for Euler parameters, by names of output and input.

    Attributes:
        rotations: process-local indices of the Euler parameters, shape (k, 4).
        slopes: for each input, the derivatives of all outputs, shape (k, 4, 4) each. The last index is the index of the
            element of the input. Inputs are the arrays `ROTATED` of the state at the start, and the unknowns "u".
            Outputs are the predicted coordinates "q0" and velocities "v0", and the arrays `ROTATED` at the end.
    """

    rotations: IntArray
    slopes: dict[str, dict[str, FloatArray]]

    def multiply(self, name: str, factors: Mapping[str, FloatArray]) -> FloatArray:
        """Return the adjoint variables of the input ``name``, shape (n,). These adjoint variables are computed from the
        adjoint variables of the outputs, ``factors``, shape (n,) each.
        """
        found = np.zeros_like(factors["q"])
        for output, slope in self.slopes[name].items():
            if output in factors:
                found[self.rotations] += np.einsum("rj,rjk->rk", factors[output][self.rotations], slope)
        return found


def find_turning(centre: Companion, start: Mapping[str, FloatArray], t: float, step: RepeatedStep) -> TurningSlopes:
    """Return the derivatives of a step for Euler parameters by central differences. After the call, the companion model
    is at the beginning of the step, as before the call.
    """
    rotations, run, slopes = centre.integrator.rotations, step.runs[-1], dict[str, dict[str, FloatArray]]()
    of_dof = centre.problem.sparsity.unknowns.of_dof
    for name in (*ROTATED, "u"):
        array = run.unknowns if name == "u" else start[name]
        h = TURNING_STEP * (float(np.abs(array).max(initial=0.0)) or 1.0) if name != "u" else TURNING_STEP
        own: dict[str, list[FloatArray]] = {}
        for k in range(4):
            ends = []
            for side in (1.0, -1.0):
                arrays, unknowns = dict(start), run.unknowns.copy()
                if name == "u":
                    unknowns[of_dof[rotations[:, k]]] += side * h
                else:
                    arrays[name] = start[name].copy()
                    arrays[name][rotations[:, k]] += side * h
                set_state(centre, arrays, t)
                centre.begin_step(step.h, step.then)
                found = {"q0": centre.problem.q0.copy(), "v0": centre.problem.v0.copy()}
                centre.end_step(unknowns, run.updated, step)
                ends.append(found | {which: getattr(centre.state, which).copy() for which in ROTATED})
            for output, above in ends[0].items():
                own.setdefault(output, []).append((above - ends[1][output])[rotations] / (2.0 * h))
        slopes[name] = {output: np.stack(columns, axis=-1) for output, columns in own.items()}
    set_state(centre, start, t)
    centre.begin_step(step.h, step.then)
    return TurningSlopes(rotations, slopes)
