"""Exact tangent of the contact of surfaces with ribbons. See `ribbon_kernels.py` for the points and their second
variation, `tangent.py` for the derivatives of the force of a point, and `contact/assembly.py` for C, V, K and N.

J = dp/dq is the Jacobian of the position of a point with respect to the 14 coordinates of the cable. J_t is the time
derivative of J. The columns of B and B_t are derivatives with respect to the coordinates of the cable, the position c
and the rotation theta of the surface. Each point adds to K

    X = C B + V B_t,    B = [[J, -I, 0], [0, 0, I]],    B_t = [[J_t, 0, 0], [0, 0, 0]]
    forces on the cable: Jᵀ (first three rows of X) + dq F·d²p/dq²
    forces on c and theta: -X
"""

from __future__ import annotations

from typing import Any

from windlass.connectors.contact.assembly import couple_nothing, create_tangent
from windlass.connectors.contact.update import work_type
from windlass.connectors.markers.position_kernels import PositionMarkers
from windlass.connectors.surface_contact.kernels import TWIST_CABLE, ContactRows, TurningRow, count_points
from windlass.connectors.surface_contact.ribbon_kernels import RibbonPoint, find_ribbon_point
from windlass.connectors.surface_contact.tangent import ROW, add_wrench, begin_twist_row, fill_point_tangent
from windlass.elements.cable.twist_forces import find_part
from windlass.elements.cable.twist_points import COUNT, fill_spin_change, interpolate
from windlass.elements.nodes.vectors import Vector, dot
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel


@kernel
def fill_forms(r: RibbonPoint, iL: float, sigma: FloatArray, forms: FloatArray) -> None:
    """Write the values a, g, h and σ of each coordinate of the cable into ``forms``, shape (4, 14). `ribbon_kernels.py`
    defines these symbols.
    """
    for k in range(TWIST_CABLE):
        j, axis = k // 3, k % 3
        size = r.P[0] * iL if j == 2 else -r.P[0] * iL if j == 0 else r.P[1] if j == 1 else r.P[2] if j == 3 else 0.0
        i, u = find_part(k, iL)
        forms[0, k], forms[1, k] = size * r.t[axis] / r.size, size * r.d1[axis] / r.size
        forms[2, k], forms[3, k] = size * r.d2[axis] / r.size, u * sigma[i]


@kernel(inline=True)
def bend_point(r: RibbonPoint, forms: FloatArray, k: int, l: int, dspin: float) -> Vector:
    """Return the components along t, d_1 and d_2 of the second derivative of p with respect to coordinates k and l. The
    argument ``dspin`` is the derivative of σ_k with respect to coordinate l.
    """
    on_t = forms[0, l] * forms[1, k] + forms[0, k] * forms[1, l] - forms[2, l] * forms[3, k] - forms[2, k] * forms[3, l]
    on_d1 = -forms[3, k] * forms[3, l] - forms[1, k] * forms[1, l]
    return r.y * on_t, r.y * on_d1, r.y * (dspin - forms[2, l] * forms[1, k])


@kernel
def fill_jacobians(
    r: RibbonPoint, iL: float, rates: FloatArray, forms: FloatArray, dsigma: FloatArray, F: Vector,
    dq: float, J: FloatArray, Jt: FloatArray, K: FloatArray,
) -> None:  # fmt: skip
    """Write the Jacobian J of the position p of the point, and the time derivative J_t of J, shape (3, 14) each. Add to
    K the product dq F·d²p/dq², where F is the global force [N].

    Args:
        rates: rates of the coordinates of the cable, shape (14,).
        forms: values a, g, h and σ of each coordinate of the cable, written by `fill_forms`.
        dsigma: derivatives of the coefficients σ of the spin with respect to y, see `fill_spin_change`.
    """
    across = dot(r.t, F), dot(r.d1, F), dot(r.d2, F)
    for k in range(TWIST_CABLE):
        i, u = find_part(k, iL)
        x, y, z = 0.0, 0.0, 0.0
        for l in range(TWIST_CABLE):
            j, w = find_part(l, iL)
            bent, rate = bend_point(r, forms, k, l, u * w * dsigma[i, j]), rates[l]
            x, y, z = x + bent[0] * rate, y + bent[1] * rate, z + bent[2] * rate
            K[k, l] += dq * (bent[0] * across[0] + bent[1] * across[1] + bent[2] * across[2])
        for d in range(3):
            on_axis = r.S[k // 3] if k < 12 and k % 3 == d else 0.0
            J[d, k] = on_axis + r.y * (forms[3, k] * r.d2[d] - forms[1, k] * r.t[d])
            Jt[d, k] = x * r.t[d] + y * r.d1[d] + z * r.d2[d]


@kernel
def add_ribbon_point(
    J: FloatArray, Jt: FloatArray, C: FloatArray, V: FloatArray, X: FloatArray, varies: bool, K: FloatArray,
    N: FloatArray,
) -> None:  # fmt: skip
    """Add to K, shape (20, 20), and to N, shape (20, 6), the derivatives of the forces of a point, without the term dq
    F·d²p/dq². The array X is memory for the function, shape (6, 20). The argument ``varies`` states whether the
    Jacobians of the marker vary in time. If false, N is not changed.
    """
    n = TWIST_CABLE
    for a in range(6):
        for b in range(n):
            total = 0.0
            for e in range(3):
                total += C[a, e] * J[e, b] + V[a, e] * Jt[e, b]
            X[a, b] = total
        for b in range(6):
            X[a, n + b] = -C[a, b] if b < 3 else C[a, b]
    for b in range(ROW):
        for a in range(n):
            K[a, b] += J[0, a] * X[0, b] + J[1, a] * X[1, b] + J[2, a] * X[2, b]
        for a in range(6):
            K[n + a, b] -= X[a, b]
    if varies:
        for b in range(6):
            sign = -1.0 if b < 3 else 1.0
            for a in range(n):
                N[a, b] += sign * (J[0, a] * V[0, b] + J[1, a] * V[1, b] + J[2, a] * V[2, b])
            for a in range(6):
                N[n + a, b] -= sign * V[a, b]


RIBBON_WORK = work_type(
    forms=(4, TWIST_CABLE), J=(3, TWIST_CABLE), Jt=(3, TWIST_CABLE), rates=(TWIST_CABLE,), product=(6, ROW),
    dsigma=(COUNT, COUNT), y=(COUNT,), yt=(COUNT,), sigma=(COUNT,), space=(6, 3), X=(3, 3), V=(3, 3), GX=(3, 3),
    GV=(3, 3), C=(6, 6), B=(6, 6),
)  # fmt: skip
"""The forms a, g, h and σ; J and J_t; rates of the coordinates of the cable; the memory ``product`` of
`add_ribbon_point`; and fields of `TWIST_WORK` and `WORK`, see `tangent.py`.
"""


@kernel(inline=True)
def begin_ribbon_row(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    maps: bool, i: int, g: Any,
) -> tuple[TurningRow, int, int]:  # fmt: skip
    """Return the data and the marker of row i, and ``whole``. See the argument ``begin`` of `create_tangent`."""
    for k in range(TWIST_CABLE):
        g.rates[k] = v[c.dofs[i, k]]
    return begin_twist_row(c, m, data, start, x, v, maps, i, g)


@kernel(inline=True)
def add_closed_ribbon_point(
    c: ContactRows, data: FloatArray, start: FloatArray, r: TurningRow, i: int, k: int, dq: float, dv: float,
    varies: bool, g: Any, K: FloatArray, N: FloatArray, wrench: FloatArray,
) -> None:  # fmt: skip
    """Add the derivatives of the forces of closed point k, see the argument ``add`` of `create_tangent`."""
    row: Any = c.rows[i]
    iL = 1.0 / r.plain.length
    point, z, h = find_ribbon_point(c, r, i, k, g)
    if not h.there:
        return
    F = fill_point_tangent(row, r.plain, k, z, h, data, start, dq, dv, g)
    # the position of the point depends on positions, slopes and angles of the nodes
    fill_spin_change(row, point.place, point.P, interpolate(point.P, 1.0, g.y), g.y, g.dsigma)
    fill_forms(point, iL, g.sigma, g.forms)
    fill_jacobians(point, iL, g.rates, g.forms, g.dsigma, F, dq, g.J, g.Jt, K)
    add_ribbon_point(g.J, g.Jt, g.C, g.B, g.product, varies, K, N)
    add_wrench(z, F, (0.0, 0.0, 0.0), dq, wrench)


_add_rows = create_tangent(
    count_points, TWIST_CABLE, 3, 6, RIBBON_WORK, begin_ribbon_row, add_closed_ribbon_point, couple_nothing
)


@kernel
def add_ribbon_tangent(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    size: FloatArray, mapped: FloatArray, dq: float, dv: float, slots: IntArray, values: FloatArray,
) -> None:  # fmt: skip
    """Add the tangent of all rows of ribbons to the values of the matrix, see `create_tangent`."""
    _add_rows(c, m, data, start, x, v, size, mapped, dq, dv, slots, values)
