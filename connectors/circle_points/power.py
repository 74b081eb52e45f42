"""Energies and powers of points of cables on circles; see `kernels.py` for the forces and `contact/power.py` for the
parts of the power.

The reaction on the circle acts at the same point as the force on the cable, so the power of lever arms is 0. A bristle
stores mu_k u u_t = mu_k (r/D) u v_t while its point sticks. If m of n points are closed, each bristle stores (n/m) mu_k
u²/2. The damping increases with the depth of the point in the original circle, which is not enlarged by a press.
"""

from __future__ import annotations

import numpy as np

from windlass.connectors.circle_points.kernels import PRESSED, PointRows, eval_contact, find_point, read_row
from windlass.connectors.circle_segments.power import POWERS
from windlass.connectors.circle_segments.power_lanes import OPEN
from windlass.connectors.contact.power import GAP, NUMBERS, STATE, clear_place, create_place_account, write_place
from windlass.connectors.friction.bristle import SLIPS, STICKS, UNDEFINED
from windlass.connectors.markers.position_kernels import FAMILY as CIRCLE_FAMILY
from windlass.connectors.markers.position_kernels import PositionColumns
from windlass.framework.accounts import Account
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.call import Call, call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.system import Fields


@kernel
def fill_points(
    c: PointRows, circle: PositionColumns, data: FloatArray, x: FloatArray, v: FloatArray, out: FloatArray
) -> None:
    """Write the quantities of all points, which `contact/power.py` defines, into out, shape (rows, points, NUMBERS +
    1). The last quantity is the number m of closed points with friction.
    """
    for i in range(len(c.rows)):
        row, r = c.rows[i], read_row(c, circle, data, x, v, i, PRESSED)
        n, first, closed, par, law = row.segments, row.data, 0, r.par, r.par.law
        # bristle stiffness of a closed point; the stiffness of all n bristles is divided among the closed points
        for k in range(n):
            closed += data[first + k] <= 0.0 and data[first + n + k] != UNDEFINED
        mu_k = law.friction_stiffness * n / max(closed, 1)
        here = out[i]
        for k in range(out.shape[1]):
            here[k, NUMBERS] = closed
            if here[k, STATE] != OPEN:
                clear_place(here[k])
            # of an open point, only the gap is nonzero
            if k >= n:
                continue
            state = data[first + n + k]
            z = eval_contact(par, r.o, find_point(r, k, n), state, r.bend)
            if row.active and data[first + k] <= 0.0:
                # the bristle of a slipping point has the deflection at which its force is f_t
                slips, bristle = abs(state) == SLIPS, z.bristle
                if slips and mu_k != 0.0:
                    bristle = z.ft * z.D / (law.friction_stiffness * par.radius)
                rubs = state == STICKS and law.friction_coefficient != 0.0
                damping = law.friction_velocity_penalty * z.vt * z.vt if rubs else 0.0
                gap, bent = z.D - par.radius - par.grown, 0.5 * mu_k * bristle * bristle
                write_place(here[k], law, gap, z.un, z.fn, state, z.ft * z.vt, damping, 0.0, bent)
            here[k, GAP] = z.D - par.radius


_fill = call(fill_points)


def create_numbers(c: PointRows) -> FloatArray:
    """Create an array for the result of `fill_points`."""
    return np.zeros((len(c.rows), int(c.rows["segments"].max(initial=0)), NUMBERS + 1))


def eval_point_powers(c: PointRows, fields: Fields) -> FloatArray:
    """Return the powers of all points [W], in the order of `POWERS`, shape (rows, points, 6)."""
    out = create_numbers(c)
    _fill(c, fields.markers[CIRCLE_FAMILY], fields.data, fields.x, fields.v, out)
    return np.ascontiguousarray(out[..., : len(POWERS)])


def create_point_account(c: PointRows, before: Call | None = None, by: str = "circle") -> Account:
    """Create the `Account` of rows with points. ``before`` is executed before the evaluation, for example to
    assign the rows of circle sets to their current circles.
    """
    found = create_numbers(c)
    fill = call(fill_points, lambda s: (c, s.markers[CIRCLE_FAMILY], s.data, s.x, s.v, found))
    fill = fill if before is None else before + fill
    return create_place_account(fill, found, by=by, further=1)
