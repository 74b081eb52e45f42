"""Forces of the contact of surfaces with ribbons; see `ribbon_kernels.py`."""

from __future__ import annotations

import numpy as np

from windlass.connectors.circle_segments.kernels import touches
from windlass.connectors.contact.law import read_law
from windlass.connectors.markers.position_kernels import PositionColumns
from windlass.connectors.surface_contact.distances import eval_distance
from windlass.connectors.surface_contact.kernels import (
    ContactRows,
    create_frame,
    eval_forces,
    eval_global_force,
    gather,
    read_anchor,
    read_state,
)
from windlass.connectors.surface_contact.ribbon_kernels import eval_ribbon
from windlass.connectors.surface_contact.twist_kernels import TWIST_CABLE
from windlass.elements.cable3d.twist_forces import scatter_forces
from windlass.elements.cable3d.twist_points import COUNT, add_gradient, read_coordinates, twist_angle
from windlass.elements.nodes.vectors import cross, dot
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel


@kernel
def add_ribbon_residual(
    c: ContactRows,
    m: PositionColumns,
    data: FloatArray,
    start: FloatArray,
    x: FloatArray,
    v: FloatArray,
    f: FloatArray,
) -> None:
    """Add the left-hand-side forces of all rows to f; ``start``: history values at the start of the step."""
    y, yt, sigma, on_y = np.empty(COUNT), np.empty(COUNT), np.empty(COUNT), np.empty(COUNT)
    load = np.empty(6)
    for i in range(len(c.rows)):
        row = c.rows[i]
        n, first, s = row.points, row.data, row.surface
        if not row.active or not touches(data, first, n):
            continue
        # frame of the surface, and coordinates of the cable
        marker, law, L = c.surfaces.marker[s], read_law(row, 0.0), row.length * n
        o = create_frame(c.surfaces.Q, s, m.p, m.v, m.omega, m.A, marker)
        q, w = gather(x, c.dofs, i), gather(v, c.dofs, i)
        read_coordinates(row.dofs, 1.0 / L, x, y)
        read_coordinates(row.dofs, 1.0 / L, v, yt)
        twist = twist_angle(row, y)
        load[:], on_y[:] = 0.0, 0.0
        # loop over closed points
        for k in range(n):
            if data[first + k] > 0.0:
                continue
            r = eval_ribbon(o, row, k, q, w, y, yt, twist, sigma)
            z = r.lever
            h = eval_distance(c.surfaces.kind, c.surfaces.geo, c.surfaces.pieces, s, z.X, z.Y, z.Z)
            if not h.there:
                continue
            # global force of the point, and its moment about the origin of the surface
            state = read_state(data, start, first, n, k, law.friction_stiffness)
            anchor = read_anchor(state, data, start, first, n, k)
            F = eval_global_force(o, h, eval_forces(law, row.rope_radius, h, z, state, anchor))
            moment = cross((z.dx, z.dy, z.dz), F)
            for d in range(3):
                for j in range(4):
                    f[row.dofs[3 * j + d]] += r.S[j] * F[d]
                load[d] += F[d]
                load[3 + d] += moment[d]
            # moments of the force about the axis and about d_2
            for j in range(COUNT):
                on_y[j] += r.y * dot(r.d2, F) * sigma[j]
            add_gradient(-r.y * dot(r.t, F) / r.size, r.P, r.d1, on_y)
        # forces on the slopes and angles of the cable, and on the marker of the surface
        scatter_forces(row, 1.0 / L, on_y, f)
        for b in range(c.dofs.shape[1] - TWIST_CABLE):
            total = 0.0
            for d in range(3):
                total += m.J[marker, d, b] * load[d] + m.Jr[marker, d, b] * load[3 + d]
            f[c.dofs[i, TWIST_CABLE + b]] -= total
