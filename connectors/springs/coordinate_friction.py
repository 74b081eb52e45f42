"""Kernels of friction that sticks and slips, and of stops; see `coordinate_spring_damper_ext`."""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.connectors.friction.bristle import (
    STICKS,
    bend,
    bent_energy,
    decide,
    friction_force,
    friction_slopes,
    trial,
)
from windlass.connectors.friction.regularised import share_of_slip, slides, stribeck
from windlass.connectors.markers.coordinate_columns import CoordinateColumns
from windlass.connectors.markers.pair_laws import row_of_coordinates
from windlass.connectors.markers.pairs import Pair
from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.post_newton import note_outcome
from windlass.framework.kernels.kernel import kernel

LETTERS = {
    "k": "stiffness",
    "d": "damping",
    "x0": "offset",
    "v0": "rate_offset",
    "Fd": "dynamic_friction",
    "Fs": "static_friction_offset",
    "vexp": "decay_velocity",
    "Fv": "viscous_friction",
    "kb": "sticking_stiffness",
    "db": "sticking_damping",
    "vr": "proportional_zone",
    "lower": "lower_stop",
    "upper": "upper_stop",
    "stops": "stops",
    "ks": "stop_stiffness",
    "ds": "stop_damping",
}
"""Names of columns by letter; further letters: ``bristle`` (whether a row has one), ``data``, ``h``, and
`UserForces.letters`."""


@kernel
def sliding_force(c: Any, i: int, v: float) -> tuple[float, float]:
    """F(v) > 0 [N] and its derivative with respect to |v|; 0 and 0 at v = 0."""
    speed = abs(v)
    if speed == 0.0:
        return 0.0, 0.0
    return stribeck(speed, c.Fd[i], c.Fs[i], c.vexp[i], c.Fv[i])


@kernel
def friction(c: Any, i: int, q: float, v: float) -> tuple[float, float, float]:
    """f_friction [N] and its derivatives with respect to q and q_t."""
    if c.bristle[i]:
        state = np.sign(c.h[i, 0])
        size, slope = sliding_force(c, i, v) if state != STICKS else (0.0, 0.0)
        tau = trial(c.kb[i], q - c.h[i, 1], c.db[i], v)
        by_size, by_rate, by_place = friction_slopes(state, c.kb[i], c.db[i], slope * np.sign(v))
        return friction_force(state, tau, size), by_place, by_rate + by_size
    zone = c.vr[i]
    if zone == 0.0:
        return 0.0, 0.0, 0.0
    speed = abs(v)
    if not slides(speed, zone):
        slope = (c.Fd[i] + c.Fs[i]) * share_of_slip(speed, zone, False)
        return slope * v, 0.0, slope
    size, slope = stribeck(speed - zone, c.Fd[i], c.Fs[i], c.vexp[i], c.Fv[i])
    return np.sign(v) * size, 0.0, slope


@kernel
def depth(c: Any, i: int, q: float) -> float:
    """Depth in the touched stop, > 0 above, < 0 below; 0 without contact [m]."""
    if not c.stops[i] or c.h[i, 2] == 0.0:
        return 0.0
    return float(q - (c.upper[i] if c.h[i, 2] > 0.0 else c.lower[i]))


@kernel
def is_stopped(c: Any, i: int) -> float:
    """1 while a stop is touched, else 0."""
    return 1.0 if c.stops[i] and c.h[i, 2] != 0.0 else 0.0


@kernel
def bristle_energy(c: Any, i: int, u: float, ut: float, t: float) -> float:
    """Energy of the bristle of row i [J]: bent by F/k_b while it slides."""
    if c.user[i] >= 0 or not c.bristle[i]:
        return 0.0
    return float(bent_energy(c.h[i, 0] != STICKS, c.kb[i], (u - c.h[i, 1]) ** 2, sliding_force(c, i, ut)[0]))


@kernel
def fill_parts(c: Any, pair: Pair, m: CoordinateColumns, out: FloatArray) -> None:
    """For each row: power into its bristle or its sliding [W], energy of the bristle [J], and whether it slides."""
    for i in range(len(pair.m0)):
        out[i, :] = 0.0
        if pair.active[i] and c.bristle[i] and c.user[i] < 0:
            q, v = row_of_coordinates(m, pair, i)
            sticks = c.h[i, 0] == 0.0
            out[i, 0] = (c.kb[i] * (q - c.h[i, 1]) if sticks else friction(c, i, q, v)[0]) * v
            out[i, 1], out[i, 2] = bristle_energy(c, i, q, v, 0.0), 0.0 if sticks else 1.0


@kernel
def fill_jumps(before: FloatArray, now: FloatArray, size: FloatArray, lost: FloatArray) -> None:
    """Add the energy that sliding loses in a step of size[0] seconds [J]: the work into bristles minus the stored part.

    ``before`` and ``now`` are results of `fill_parts`; sliding is the second of the losses.
    """
    for i in range(len(now)):
        if before[i, 2] + now[i, 2] > 0.0:
            lost[1, i] += 0.5 * size[0] * (before[i, 0] + now[i, 0]) - (now[i, 1] - before[i, 1])


@kernel
def update_history(
    c: Any, pair: Pair, m: CoordinateColumns, data: FloatArray, start: FloatArray, outcome: FloatArray
) -> None:
    """New history values of the active rows; see `note_outcome` for the outcome."""
    error, changed, largest, worst = 0.0, False, 0.0, -1
    for i in range(len(pair.m0)):
        if not pair.active[i] or c.user[i] >= 0:
            continue
        q, v = row_of_coordinates(m, pair, i)
        at, jump = c.data[i], 0.0
        c.h[i, 0], c.h[i, 1], c.h[i, 2] = data[at], data[at + 1], data[at + 2]
        # bristle: it begins to slide, sticks again, or continues to slide
        if c.bristle[i]:
            old = friction(c, i, q, v)[0]
            size, static = sliding_force(c, i, v)[0], c.Fd[i] + c.Fs[i]
            largest = max(largest, abs(old))
            if data[at] == STICKS:
                state = decide(old, static, v if v != 0.0 else old)[1]
                if state != STICKS:
                    data[at] = state * (size if v != 0.0 else static)
                    jump, changed = abs(data[at] - old), True
            # the motion has reversed: it sticks, from the force or the place at the start of the step
            elif v * data[at] < 0.0:
                stuck = start[at] == STICKS
                data[at + 1] = start[at + 1] if stuck else q - bend(start[at], c.db[i] * v, c.kb[i])
                jump = abs(trial(c.kb[i], q - data[at + 1], c.db[i], v) - old)
                data[at], changed = STICKS, True
            else:
                changed = changed or v == 0.0
                data[at], data[at + 1] = np.sign(v) * size, q
        # stop: contact begins, ends, or continues
        if c.stops[i]:
            deep = max(q - c.upper[i], 0.0) + min(q - c.lower[i], 0.0)
            if data[at + 2] == 0.0:
                jump += c.ks[i] * abs(deep)
                changed = changed or deep != 0.0
            elif deep * data[at + 2] <= 0.0:
                jump += c.ks[i] * abs(data[at + 2])
                deep, changed = 0.0, True
            else:
                largest = max(largest, c.ks[i] * abs(deep))
            data[at + 2] = deep
        if jump > error:
            error, worst = jump, i
    note_outcome(outcome, error, np.inf, changed, largest, worst)
