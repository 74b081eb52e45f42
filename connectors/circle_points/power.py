"""Energies and powers of points of cables on circles; see `kernels.py` for the forces.

    power taken: P = f_n v_n + f_t v_t
    sliding: f_t v_t while a point slips
    tangential damper: mu_v v_t² while a point sticks
    normal damper: (f_n - k_c g) v_n
    bristle: mu_k u u_t = mu_k (r/D) u v_t is stored while a point sticks
    normal spring: k_c g v_n is stored

The reaction on the circle acts at the same point, so the lever power is 0. Energies are stored in normal springs and
bristles; if m of n points are closed, each bristle stores (n/m) mu_k u²/2. The damping increases with the depth in the
original circle, without the enlargement by a press.
Source: power balance of the forces, term by term.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from windlass.connectors.circle_points.kernels import (
    PRESSED,
    PointParameters,
    PointRows,
    PointState,
    eval_bristles,
    eval_contact,
    eval_point,
    gather,
    read_parameters,
    relative_place,
)
from windlass.connectors.circle_segments.kernels import create_pose
from windlass.connectors.circle_segments.power import POWERS, create_account
from windlass.connectors.circle_segments.power_lanes import (
    BRISTLE_ENERGY,
    BRISTLE_POWER,
    CONTACT_STATE,
    DAMPER_FORCE,
    DAMPER_POWER,
    DEPTH,
    NORMAL_FORCE,
    OPEN,
    PARTS,
    SPRING_ENERGY,
)
from windlass.connectors.friction.bristle import SLIPS, STICKS, UNDEFINED
from windlass.connectors.markers.position_kernels import FAMILY as CIRCLE_FAMILY
from windlass.connectors.markers.position_kernels import PositionColumns
from windlass.elements.cable2d.points import shape, shape_slope
from windlass.framework.accounts import Account
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.system import Fields

Split = tuple[float, float, float, float, float]


@kernel(inline=True)
def split_power(par: PointParameters, z: PointState, state: float) -> Split:
    """Return the powers of sliding, of the tangential damper, of the normal damper, of the bristle and of the normal
    spring [W]."""
    gap = z.D - par.radius - par.grown
    spring, taken, slips = par.law.contact_stiffness * gap, z.ft * z.vt, abs(state) == SLIPS
    sticks = state == STICKS and par.law.friction_coefficient != 0.0
    damping = par.law.friction_velocity_penalty * z.vt * z.vt if sticks else 0.0
    sliding, bends = taken if slips else 0.0, 0.0 if slips else taken - damping
    return sliding, damping, (z.fn - spring) * z.un, bends, spring * z.un


@kernel
def fill_powers(
    c: PointRows, circle: PositionColumns, data: FloatArray, x: FloatArray, v: FloatArray, out: FloatArray
) -> None:
    """Write the powers of all points in the order of `POWERS` into out, shape (rows, points, 6)."""
    for i in range(len(c.rows)):
        row = c.rows[i]
        if not row.active:
            continue
        n, first, par, y = row.segments, row.data, read_parameters(row, data, PRESSED), row.vertical_offset
        L = row.length * n
        o = create_pose(circle.p, circle.v, circle.omega, circle.A, row.circle)
        q, w = gather(x, c.dofs, i), gather(v, c.dofs, i)
        bend, _ = eval_bristles(par, o, y, q, w, data, first, n, L)
        for k in range(n):
            if data[first + k] <= 0.0:
                s, state = relative_place(k, n), data[first + n + k]
                z = eval_contact(par, o, eval_point(shape(s, L), shape_slope(s, L), y, q, w), state, bend)
                for j, power in enumerate(split_power(par, z, state)):
                    out[i, k, j] = power


@kernel
def read_points(
    c: PointRows, circle: PositionColumns, data: FloatArray, x: FloatArray, v: FloatArray, energies: FloatArray,
    powers: FloatArray, parts: FloatArray,
) -> None:  # fmt: skip
    """Add energies and powers of all rows, see `create_account`; write the numbers of points for `fill_jumps`, followed
    by the number m of closed points with friction.

    parts: output for the numbers of points, shape (rows, points, PARTS + 1).
    """
    for i in range(len(c.rows)):
        row = c.rows[i]
        n, first, par, y = row.segments, row.data, read_parameters(row, data, PRESSED), row.vertical_offset
        L, closed = row.length * n, 0
        # stiffness of a closed point: the closed points share the bristles of all points
        for k in range(n):
            closed += data[first + k] <= 0.0 and data[first + n + k] != UNDEFINED
        mu_k = par.law.friction_stiffness * n / max(closed, 1)
        o = create_pose(circle.p, circle.v, circle.omega, circle.A, row.circle)
        q, w = gather(x, c.dofs, i), gather(v, c.dofs, i)
        # the common deflection of all bristles of the cable
        bend = 0.0
        if closed > 0:
            bend, _ = eval_bristles(par, o, y, q, w, data, first, n, L)
        for k in range(parts.shape[1]):
            to = parts[i, k]
            for j in range(PARTS):
                to[j] = 0.0
            to[CONTACT_STATE], to[PARTS] = OPEN, closed
            # of open points only the gap is written
            if k >= n:
                continue
            s, state = relative_place(k, n), data[first + n + k]
            z = eval_contact(par, o, eval_point(shape(s, L), shape_slope(s, L), y, q, w), state, bend)
            to[DEPTH] = z.D - par.radius
            if not row.active or data[first + k] > 0.0:
                continue
            # the bristle of a slipping point has the deflection that carries f_t
            slips, bristle = abs(state) == SLIPS, z.bristle
            if slips and mu_k != 0.0:
                bristle = z.ft * z.D / (par.law.friction_stiffness * par.radius)
            # powers, energies and forces
            sliding, damping, normal, bends, _ = split_power(par, z, state)
            gap = z.D - par.radius - par.grown
            spring, bent = 0.5 * par.law.contact_stiffness * gap * gap, 0.5 * mu_k * bristle * bristle
            energies[0, i] += spring
            energies[1, i] += bent
            powers[0, i] += sliding
            powers[2, i] += damping
            to[BRISTLE_POWER], to[BRISTLE_ENERGY], to[CONTACT_STATE] = bends, bent, state
            to[DAMPER_POWER], to[DAMPER_FORCE] = normal, z.fn - par.law.contact_stiffness * gap
            to[NORMAL_FORCE], to[SPRING_ENERGY] = z.fn, spring


_fill = call(fill_powers)


def eval_point_powers(c: PointRows, fields: Fields) -> FloatArray:
    """Return the powers of all points [W], in the order of `POWERS`, shape (rows, points, 6)."""
    out = np.zeros((len(c.rows), int(c.rows["segments"].max(initial=0)), len(POWERS)))
    _fill(c, fields.markers[CIRCLE_FAMILY], fields.data, fields.x, fields.v, out)
    return out


def create_point_account(c: PointRows, before: Callable[[Any], None] | None = None, by: str = "circle") -> Account:
    """Create the account of rows with points; ``before`` is called first and brings the rows up to date."""
    read = call(
        read_points,
        lambda s: (c, s.markers[CIRCLE_FAMILY], s.data, s.x, s.v, s.energies, s.powers, s.parts),
        before,
    )
    return create_account(read, (len(c.rows), int(c.rows["segments"].max(initial=0)), PARTS + 1), by)
