"""Kernel that updates the contact states of surfaces and points of cables between Newton runs.

See `kernels.py` for the symbols. Update of a point, where "start" refers to the stored values at the start of the step:

    gap: if (g > 0) differs between g and the stored gap, error += k |g - stored gap| with k of the point; g is stored.
    start: a closed point that was open at the start sticks with a := X, in dynamic solves without friction.
    trial: other closed points have the anchor a of the start, and fd = |tau| - mu |f_n|.
    slips: if fd > 0, the state is 1 and a := X - mu |f_n|/(w mu_k) u_t/|u_t|.
    sticks: if fd <= 0, the state is 0 and a is the anchor of the start.
    change: if the state differs from the stored state, error += |fd|.
    no bristles: if mu_k = 0, the damper causes fd, and a := X.
    no friction: the state is -2 if the point is open, if mu = 0, or if mu_k and mu_v are 0.

Beyond the end of a surface a point is open, and its stored gap is `OUTSIDE`. Errors are compared with the sum of |f_n|
over the points that were closed before the update.

Source: radial return, P. Wriggers, Computational Contact Mechanics, Springer (2006).
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from windlass.connectors.circle_points.kernels import relative_place
from windlass.connectors.contact.law import read_law
from windlass.connectors.friction.bristle import SLIPS, STICKS, UNDEFINED, coulomb, decide, return_share, slip_bend
from windlass.connectors.markers.position_kernels import PositionColumns
from windlass.connectors.surface_contact.distances import eval_distance
from windlass.connectors.surface_contact.kernels import (
    ContactRows,
    create_frame,
    eval_forces,
    eval_touch,
    gather,
)
from windlass.elements.cable2d.points import shape
from windlass.elements.nodes.vectors import dot
from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.post_newton import note_outcome
from windlass.framework.kernels.kernel import kernel

OUTSIDE = 0.1
"""Stored gap of a point beyond the end of its surface, and of a point that was never evaluated [m]."""


@kernel
def update_history(
    c: ContactRows,
    m: PositionColumns,
    data: FloatArray,
    start: FloatArray,
    x: FloatArray,
    v: FloatArray,
    outcome: FloatArray,
    mapped: FloatArray,
    commits: bool,
) -> None:
    """Update gaps, states and anchors; ``start`` contains the history values at the start of the step.

    Returns the largest sum of force errors of a row [N]; whether any point opened, closed, began to stick or slip; the
    largest normal force of a row [N] with the contact states before the update; and the row of the largest error, -1
    without errors.
    """
    # stop if only a map of iterates is requested but no map exists
    if not commits and mapped[0] <= 0.0:
        return
    kind, geo, pieces, dofs = c.surfaces.kind, c.surfaces.geo, c.surfaces.pieces, c.dofs
    worst, changed, largest, worst_row = 0.0, False, 0.0, -1
    for i in range(len(c.rows)):
        row = c.rows[i]
        if not row.active:
            continue
        n, first, s, law = row.points, row.data, row.surface, read_law(row, 0.0)
        bristles, L = law.friction_stiffness != 0.0, row.length * n
        rubs = law.friction_coefficient != 0.0 and (bristles or law.friction_velocity_penalty != 0.0)
        o = create_frame(c.surfaces.Q, s, m.p, m.v, m.omega, m.A, c.surfaces.marker[s])
        q, w = gather(x, dofs, i), gather(v, dofs, i)
        force, error = 0.0, 0.0
        # position of each point, and its distance from the surface
        for k in range(n):
            z = eval_touch(o, shape(relative_place(k, n), L), q, w)
            h = eval_distance(kind, geo, pieces, s, z.X, z.Y, z.Z)
            # gap
            gap, old, state = h.phi - row.rope_radius if h.there else OUTSIDE, data[first + k], UNDEFINED
            if (gap > 0.0) != (old > 0.0):
                error += abs(law.contact_stiffness * (gap - old))
                changed = True
            data[first + k] = gap
            at, excess = first + 2 * n + 3 * k, 0.0
            # forces with the anchor at the start of the step
            a = z.X, z.Y, z.Z
            if bristles and start[first + n + k] != UNDEFINED:
                a = start[at], start[at + 1], start[at + 2]
            F = eval_forces(law, row.rope_radius, h, z, STICKS, a)
            if old <= 0.0 and h.there:
                force += abs(F.fn)
            # state and anchor of closed points
            if gap <= 0.0 and rubs:
                limit, state = coulomb(law.friction_coefficient, F.fn)[0], STICKS
                if start[first + n + k] != UNDEFINED or not bristles:
                    excess, state = decide(F.f.size, limit, SLIPS)
                    if state == SLIPS:
                        # the anchor of a slipping point is moved such that the bristle force is at the friction limit
                        u = F.u
                        back = slip_bend(limit, 0.0, law.friction_stiffness) * return_share(sqrt(dot(u, u)), 1.0)
                        a = z.X - back * u[0], z.Y - back * u[1], z.Z - back * u[2]
                else:
                    excess = -limit
                data[at], data[at + 1], data[at + 2] = a
            if state != data[first + n + k]:
                if state != UNDEFINED:
                    error += abs(excess)
                    changed = True
                data[first + n + k] = state
        largest = max(largest, force)
        if error > worst:
            worst, worst_row = error, i
    if commits:
        note_outcome(outcome, worst, np.inf, changed, largest, worst_row)
