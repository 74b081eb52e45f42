"""Forces of the contact of surfaces with points of cables; see `kernels.py`."""

from __future__ import annotations

from windlass.connectors.circle_points.kernels import place_of, shape
from windlass.connectors.circle_segments.kernels import touches
from windlass.connectors.markers.position_kernels import PositionColumns
from windlass.connectors.surface_contact.distances import eval_distance
from windlass.connectors.surface_contact.kernels import (
    CABLE,
    ContactRows,
    create_frame,
    create_law,
    eval_forces,
    eval_touch,
    gather,
    read_anchor,
    to_global,
)
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel


@kernel
def add_residual(
    c: ContactRows,
    m: PositionColumns,
    data: FloatArray,
    start: FloatArray,
    x: FloatArray,
    v: FloatArray,
    f: FloatArray,
) -> None:
    """Add the left-hand-side forces of all rows to f; x are total coordinates, v velocities, start as `eval_points`."""
    kind, par, pieces, dofs = c.surfaces.kind, c.surfaces.par, c.surfaces.pieces, c.dofs
    J, Jr, width = m.J, m.Jr, c.dofs.shape[1] - CABLE
    for i in range(len(c.n)):
        n, first, s = c.n[i], c.data[i], c.surface[i]
        if not c.active[i] or not touches(data, first, n):
            continue
        marker, law, L = c.surfaces.marker[s], create_law(c, i), c.L[i] * n
        o = create_frame(c.surfaces.Q, s, m.p, m.v, m.omega, m.A, marker)
        q, w = gather(x, dofs, i), gather(v, dofs, i)
        # sums of the forces and of their moments about the origin
        sx, sy, sz, mx, my, mz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for k in range(n):
            if data[first + k] > 0.0:
                continue
            S = shape(place_of(k, n), L)
            z = eval_touch(o, S, q, w)
            h = eval_distance(kind, par, pieces, s, z.X, z.Y, z.Z)
            if not h.there:
                continue
            state = data[first + n + k]
            F = eval_forces(law, h, z, state, read_anchor(state, data, start, first, n, k))
            fx, fy, fz = to_global(o, F.fn * h.nx + F.tx, F.fn * h.ny + F.ty, F.fn * h.nz + F.tz)
            for a in range(4):
                f[dofs[i, 3 * a]] += S[a] * fx
                f[dofs[i, 3 * a + 1]] += S[a] * fy
                f[dofs[i, 3 * a + 2]] += S[a] * fz
            sx, sy, sz = sx + fx, sy + fy, sz + fz
            mx += z.dy * fz - z.dz * fy
            my += z.dz * fx - z.dx * fz
            mz += z.dx * fy - z.dy * fx
        for b in range(width):
            force = J[marker, 0, b] * sx + J[marker, 1, b] * sy + J[marker, 2, b] * sz
            f[dofs[i, CABLE + b]] -= force + Jr[marker, 0, b] * mx + Jr[marker, 1, b] * my + Jr[marker, 2, b] * mz
