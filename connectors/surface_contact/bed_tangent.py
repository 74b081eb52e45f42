"""Exact tangent of the contact of lines with soft beds. See `bed_kernels.py` for the forces, `tangent.py` for C and V,
and `contact/assembly.py` for K and N.

The force f in the frame of the surface depends on X, V and the unit tangent T of the line. The derivative of f with
respect to T is f_T in the frame of the surface, and G = A f_T Aᵀ in the global frame, where A is the rotation matrix of
the surface. With the slope p = r' = t |p|, the variations of `tangent.py` have the further terms

    dF = G (I - t tᵀ) dp/|p| - G (theta × t),    dm = d × dF.
"""

from __future__ import annotations

from typing import Any

from windlass.connectors.contact.assembly import add_point, couple_nothing, create_tangent
from windlass.connectors.contact.law import change_friction, change_trial
from windlass.connectors.contact.update import work_type
from windlass.connectors.markers.position_kernels import PositionMarkers
from windlass.connectors.surface_contact.bed_kernels import (
    BedForces,
    Heading,
    change_across,
    change_stretch,
    eval_bed_point,
    total_force,
)
from windlass.connectors.surface_contact.distances import Distance
from windlass.connectors.surface_contact.kernels import (
    CABLE,
    ContactRows,
    Lever,
    SurfaceRow,
    count_points,
    eval_global_force,
    find_point,
    hessian_product,
)
from windlass.connectors.surface_contact.tangent import (
    add_wrench,
    begin_row,
    fill_wrench,
    rotate_tensor,
    unit_vector,
    write_column,
)
from windlass.elements.cable.points import Four
from windlass.elements.nodes.vectors import Vector, add, combine, cross, dot
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel

NONE = (0.0, 0.0, 0.0)


@kernel(inline=True)
def change_bed_friction(
    row: Any, r: SurfaceRow, F: BedForces, e: Heading, dfn: float, du: Vector, dv: Vector, db: Vector
) -> Vector:
    """Return the variation of the friction of a point, for variations of f_n, u_t, v_t and b."""
    rho = row.lateral_friction_ratio
    beta = row.lateral_stiffness_ratio / rho
    dtau = change_trial(r.law, change_stretch(beta, e.b, db, F.u, du), change_stretch(beta, e.b, db, F.vt, dv))
    df = change_friction(r.law, F.circle, F.pressing, dtau, dfn if F.fn < 0.0 else 0.0)
    return change_stretch(rho, e.b, db, F.circle.force, df)


@kernel(inline=True)
def change_force(
    row: Any, r: SurfaceRow, F: BedForces, e: Heading, n: Vector, dn: Vector, dfn: float, du: Vector, dv: Vector,
    db: Vector,
) -> Vector:  # fmt: skip
    """Return the variation of the force of a point in the frame of the surface, for variations of n, f_n, u_t, v_t and
    b."""
    change = combine(dfn, n, F.fn, dn)
    return add(change, change_bed_friction(row, r, F, e, dfn, du, dv, db)) if F.rubs else change


@kernel
def fill_bed_changes(
    row: Any, r: SurfaceRow, F: BedForces, h: Distance, z: Lever, e: Heading, a: Vector, X: FloatArray, V: FloatArray,
    T: FloatArray,
) -> None:  # fmt: skip
    """Write the derivatives of the force on a point with respect to X, V and T into the arguments of the same names,
    shape (3, 3) each. All quantities are in the frame of the surface. The argument ``a`` is the anchor.
    """
    n, slip = (h.nx, h.ny, h.nz), (z.X - a[0], z.Y - a[1], z.Z - a[2])
    along = dot(n, slip)
    on_slip, on_rate = hessian_product(h, slip[0], slip[1], slip[2]), hessian_product(h, z.U, z.V, z.W)
    for j in range(3):
        axis = unit_vector(j)
        nj = dot(n, axis)
        # derivatives with respect to X
        dn = hessian_product(h, axis[0], axis[1], axis[2])
        dfn = F.by_gap * nj + F.by_rate * dot(on_rate, axis)
        du = combine(1.0, combine(1.0, axis, -nj - dot(on_slip, axis), n), -along, dn)
        dv = combine(-dot(on_rate, axis), n, -F.vn, dn)
        db = change_across(e, cross(dn, e.T))
        write_column(X, 0, j, change_force(row, r, F, e, n, dn, dfn, du, dv, db))
        # derivatives with respect to V
        dv = combine(1.0, axis, -nj, n)
        write_column(V, 0, j, change_force(row, r, F, e, n, NONE, F.by_rate * nj, NONE, dv, NONE))
        # derivatives with respect to T
        db = change_across(e, cross(n, axis))
        write_column(T, 0, j, change_force(row, r, F, e, n, NONE, 0.0, NONE, NONE, db))


@kernel(inline=True)
def multiply(G: FloatArray, a: Vector, x: float) -> Vector:
    """Return the product x G a of a number, a matrix and a vector."""
    return (
        x * (G[0, 0] * a[0] + G[0, 1] * a[1] + G[0, 2] * a[2]),
        x * (G[1, 0] * a[0] + G[1, 1] * a[1] + G[1, 2] * a[2]),
        x * (G[2, 0] * a[0] + G[2, 1] * a[1] + G[2, 2] * a[2]),
    )


@kernel
def add_direction(S: Four, e: Heading, z: Lever, G: FloatArray, dq: float, K: FloatArray) -> None:
    """Add to the matrix K the derivatives with respect to the direction of the line. See the module docstring."""
    d = z.dx, z.dy, z.dz
    for b in range(3):
        axis = unit_vector(b)
        # compute the variations of the force due to a variation of the slope of the line, and due to a rotation of the
        # surface
        on_slope = multiply(G, combine(1.0, axis, -dot(e.t, axis), e.t), dq / e.size)
        on_turn = multiply(G, cross(e.t, axis), dq)
        slope_moment, turn_moment = cross(d, on_slope), cross(d, on_turn)
        for i in range(3):
            for j in range(4):
                for l in range(4):
                    K[3 * j + i, 3 * l + b] += S[j] * e.dS[l] * on_slope[i]
                K[3 * j + i, CABLE + 3 + b] += S[j] * on_turn[i]
            for l in range(4):
                K[CABLE + i, 3 * l + b] -= e.dS[l] * on_slope[i]
                K[CABLE + 3 + i, 3 * l + b] -= e.dS[l] * slope_moment[i]
            K[CABLE + i, CABLE + 3 + b] -= on_turn[i]
            K[CABLE + 3 + i, CABLE + 3 + b] -= turn_moment[i]


BED_WORK = work_type(X=(3, 3), V=(3, 3), T=(3, 3), GX=(3, 3), GV=(3, 3), GT=(3, 3), C=(6, 6), B=(6, 6))
"""Derivatives of the force of a point with respect to X, V and T, in the frame of the surface and in the global frame
(GX, GV, GT). The array also contains C and V of `contact/assembly.py`, where V is stored in the field ``B``.
"""


@kernel(inline=True)
def add_closed_bed_point(
    c: ContactRows, data: FloatArray, start: FloatArray, r: SurfaceRow, i: int, k: int, dq: float, dv: float,
    varies: bool, g: Any, K: FloatArray, N: FloatArray, wrench: FloatArray,
) -> None:  # fmt: skip
    """Add the derivatives of the forces of closed point k, see the argument ``add`` of `create_tangent`."""
    row: Any = c.rows[i]
    S, z, h = find_point(c, r, k, row.points)
    if not h.there:
        return
    e, a, forces = eval_bed_point(row, r, h, z, k, data, start)
    fill_bed_changes(row, r, forces, h, z, e, a, g.X, g.V, g.T)
    rotate_tensor(r.o, g.X, g.GX)
    rotate_tensor(r.o, g.V, g.GV)
    rotate_tensor(r.o, g.T, g.GT)
    F = eval_global_force(r.o, h, total_force(forces))
    fill_wrench(r.o, z, F, g.GX, g.GV, dq, dv, g.C, g.B)
    add_direction(S, e, z, g.GT, dq, K)
    if varies:
        add_wrench(z, F, NONE, dq, wrench)
        add_point(S, 3, 6, g.C, g.B, True, K, N)
    else:
        add_point(S, 3, 0, g.C, g.B, False, K, N)


_add_rows = create_tangent(count_points, CABLE, 3, 6, BED_WORK, begin_row, add_closed_bed_point, couple_nothing)


@kernel
def add_bed_tangent(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    size: FloatArray, mapped: FloatArray, dq: float, dv: float, slots: IntArray, values: FloatArray,
) -> None:  # fmt: skip
    """Add the tangent of all rows of lines on soft beds to the values of the matrix, see `create_tangent`."""
    _add_rows(c, m, data, start, x, v, size, mapped, dq, dv, slots, values)
