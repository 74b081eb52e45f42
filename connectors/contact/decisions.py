"""Decisions whether points stick or slip, and the deflections of slipping bristles. Kernels receive records p of
points, see `place_type`.

A point with its own bristle slips if |tau| > mu |f_n|. If the bristles of several points have a common deflection u,
all of these points are first assumed to stick. Then the point with the largest |f_t| - mu |f_n| > 0 is set to slip, and
u is computed again, until no sticking point exceeds its limit.

Source: radial return, P. Wriggers, Computational Contact Mechanics, Springer (2006).
"""

from __future__ import annotations

from math import sqrt
from typing import Any

from numpy.typing import NDArray

from windlass.connectors.contact.law import PointLaw
from windlass.connectors.friction.bristle import (
    SLIPS,
    STICKS,
    UNDEFINED,
    coulomb,
    decide,
    return_share,
    slip_bend,
    trial,
)
from windlass.elements.nodes.vectors import Vector, dot
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel

TIE = 1e-9
"""Largest value of |tau|/(mu |f_n|) - 1 for which a point sticks [1]. At the start of a solve, the anchor of a point
that has slipped gives |tau| = mu |f_n|. With the limit 0, rounding errors would then determine the state.
"""


@kernel(inline=True)
def find_limit(mu: float, fn: float) -> float:
    """Return the friction limit mu |f_n| [N]."""
    return coulomb(mu, fn)[0]


@kernel(inline=True)
def decide_point(p: Any, held: bool, mu: float, mu_k: float) -> float:
    """Set the state of a closed point and its excess |tau| - mu |f_n|. For a slipping point, return its new distance
    from its anchor, divided by the magnitude of the present deflection (``ux``, ``uy``, ``uz``). For a sticking point,
    return 0.

    Args:
        p: record of the point, which this function changes.
        held: whether the point was closed at the start of the step, or the contact states are determined at the start
            of a solve.
        mu, mu_k: friction coefficient [1] and stiffness of the bristles [N/m].
    """
    limit = coulomb(mu, p.fn)[0]
    # a point sticks in the step in which it closes; at the start of a solve, its state depends only on the force of its
    # damper
    p.state, p.excess = STICKS, -limit
    if held or mu_k == 0.0:
        p.excess, p.state = decide(p.size, (1.0 + TIE) * limit, SLIPS)
    if p.state != SLIPS:
        return 0.0
    # the bristle force of a slipping point is at the friction limit
    u = sqrt(p.ux * p.ux + p.uy * p.uy + p.uz * p.uz)
    back: float = slip_bend(limit, 0.0, mu_k) * return_share(u, 1.0)
    return back


@kernel(inline=True)
def average(n: int, places: NDArray[Any], u: float) -> float:
    """Return the mean of the field ``bend`` [m] over some points of a row: points that were closed at the start of the
    step and stick, and points that stuck until they opened. Return ``u`` if there are no such points.
    """
    total, count = 0.0, 0
    for k in range(n):
        # the deflection of a sticking point that opens is distributed to the other points
        p = places[k]
        if p.before != UNDEFINED and (p.state == STICKS or (p.state == UNDEFINED and p.before == STICKS)):
            total, count = total + p.bend, count + 1
    return total / count if count > 0 else u


@kernel(inline=True)
def find_sticking(n: int, places: NDArray[Any]) -> float:
    """Set the states of the closed points of a row, and store the excess |f_t| - mu |f_n| of each point. Return the
    common deflection u [m].
    """
    u, again = 0.0, True
    while again:
        u, again, worst, most, towards = average(n, places, u), False, 0, 0.0, STICKS
        for k in range(n):
            p = places[k]
            if p.state != STICKS:
                continue
            ft = trial(p.h, u, 1.0, p.drag)
            p.excess, slid = decide(ft, p.limit, ft)
            if p.excess > most:
                worst, most, towards, again = k, p.excess, slid, True
        if again:
            places[worst].state = towards
    return u


@kernel(inline=True)
def stick_between(n: int, first: int, data: FloatArray, places: NDArray[Any], u: float) -> float:
    """If the direction of slip of slipping points would change from one iterate of Newton's method to the next, set
    these points to stick. Return the common deflection u [m].

    The tangents for both directions of slip do not depend on the sliding velocity. Newton's method would therefore
    alternate between the directions, although the points stick in the solution.
    """
    reverses = False
    for k in range(n):
        if places[k].state * data[first + n + k] == -1.0:
            places[k].state, reverses = STICKS, True
    return average(n, places, u) if reverses else u


@kernel(inline=True)
def slip_along(p: Any) -> float:
    """Return the deflection [m] along a line at which bristle and damper of a slipping point together exert the force
    mu |f_n|.
    """
    u: float = p.state * slip_bend(p.limit, p.state * p.drag, p.h)
    return u


@kernel(inline=True)
def decide_along(p: Any, bend: float) -> float:
    """Set the state and the excess |f_t| - mu |f_n| of a closed point whose bristle has the deflection ``bend`` [m]
    along a line. Return the deflection [m] at the end of the step.
    """
    ft = trial(p.h, bend, 1.0, p.drag)
    p.excess, p.state = decide(ft, (1.0 + TIE) * p.limit, ft)
    return bend if p.state == STICKS else slip_along(p)


@kernel(inline=True)
def slip_vector(law: PointLaw, vt: Vector, ft: Vector) -> Vector:
    """Return the deflection [m] at which bristle and damper of a slipping point together exert the friction f_t."""
    size = sqrt(dot(ft, ft))
    if size <= 0.0:
        return 0.0, 0.0, 0.0
    bend = slip_bend(size, law.friction_velocity_penalty * dot(vt, ft) / size, law.friction_stiffness) / size
    return bend * ft[0], bend * ft[1], bend * ft[2]
