"""Loops over the rows of connectors between two markers. The loops assemble forces and tangent, and are compiled
separately for each law.

A law provides kernels that evaluate one row. In a kernel, a row is an object whose attributes are the columns of the
schema (see framework/model/rows.py). `register_pair` creates all other parts of the law from these kernels, see
`pair_laws`. For coordinate markers, the arguments of the kernels are u = value1 - value0 (each value times its factor,
if the law has factors) and the rate u_t. For position markers, the arguments are u = p1 - p0 and u_t = v1 - v0. The
kernels return the force f(u, u_t, t) and the derivatives P = ∂f/∂u and V = ∂f/∂u_t. The force f acts on the left-hand
side of the equations of motion. At marker 1 the force is f, and at marker 0 it is -f. The loops add

    forces: Jᵀ f with J = [-J0, J1]
    tangent: dq (Jᵀ (P J + V J̇) + ∂(Jᵀf)/∂q) + dv Jᵀ V J

The derivative ∂(Jᵀf)/∂q at constant f follows from the second derivatives H of the markers, and ∂u_t/∂q = J̇ because
u_t = J q̇.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.kernels.signature import check_arguments, check_results
from windlass.framework.model.law import LocalRows, Tables
from windlass.framework.model.law_checks import check_needs, needs
from windlass.framework.model.rows import ARGUMENTS
from windlass.framework.model.table import EntityTable

Vector = tuple[float, float, float]

PairLoops = tuple[Callable[..., None], Callable[..., None]]


class Pair(NamedTuple):
    """The two markers of each row."""

    m0: IntArray  # index of marker 0 among the markers of its family, shape (rows,)
    m1: IntArray  # index of marker 1 among the markers of its family, shape (rows,)
    dofs: IntArray  # process-local indices of the coordinates of marker 0, then of marker 1, shape (rows, n)
    n0: int  # number of columns of ``dofs`` with coordinates of marker 0
    active: NDArray[np.bool_]  # whether each row exerts forces, shape (rows,)
    w0: FloatArray  # factor of coordinate 0: column ``factor0``, or 1 if the law has no such column
    w1: FloatArray  # factor of coordinate 1: column ``factor1``, or 1 if the law has no such column


@needs("marker0", "marker1")
def pair_dofs(world: Tables, table: EntityTable) -> IntArray:
    """Return the global coordinate indices of ``marker0``, followed by the indices of ``marker1``, padded with -1,
    shape (rows, n).
    """
    parts = [world.dofs_of(table.local(name)) for name in ("marker0", "marker1")]
    return np.concatenate(parts, axis=1)


def bind_pair(rows: LocalRows) -> Pair:
    """Create the `Pair` of a table with the columns ``marker0``, ``marker1`` and ``active``. The coordinates are the
    result of `pair_dofs`.

    Raises:
        ModelError: the table has no references to two markers, or no column ``active``.
    """
    check_needs(rows.table.component, ("marker0", "marker1", "active"), f"bind_pair of {rows.table.kind}")
    n0 = rows.world.ref_width(rows.table, "marker0")
    has, one = rows.table.component.columns, np.ones(len(rows.rows))
    w0, w1 = (rows.local(name) if name in has else one for name in ("factor0", "factor1"))
    return Pair(rows.markers("marker0"), rows.markers("marker1"), rows.dofs, n0, rows.local("active"), w0, w1)


@kernel(inline=True)
def load_nothing(row: Any, data: FloatArray, start: FloatArray) -> None:
    """Do nothing. This kernel is the default of the argument ``load``, for laws without history values."""


def create_load(history: int) -> Callable[..., None]:
    """Create the kernel ``(row, data, start)`` that copies history values into the row: the current values, and the
    values at the start of the step.

    The argument ``history`` is the number of history values.
    """
    if history == 0:
        return load_nothing

    @kernel(inline=True)
    def load(row: Any, data: FloatArray, start: FloatArray) -> None:
        for k in range(history):
            row.history[k], row.start[k] = data[row.data + k], start[row.data + k]

    return load


@kernel(inline=True)
def subtract(values: FloatArray, m1: int, m0: int) -> Vector:
    """Return row m1 minus row m0 of an array of shape (n, 3)."""
    return values[m1, 0] - values[m0, 0], values[m1, 1] - values[m0, 1], values[m1, 2] - values[m0, 2]


def coordinate_pair(
    force: Callable[..., float],
    force_tangent: Callable[..., tuple[float, float]],
    load: Callable[..., None] = load_nothing,
) -> PairLoops:
    """Create the loops of a law between two coordinate markers.

    Args:
        force: kernel ``(row, u, ut, t) -> f`` for one row of the law, with u [m or rad], t [s] and f [N or N m].
        force_tangent: kernel ``(row, u, ut, t) -> (df_du, df_dut)``.
        load: kernel created by `create_load`, for laws with history values.

    Returns:
        Kernels ``residual(rows, pair, m, time, data, start, f)`` and ``tangent(rows, pair, m, time, data, start, dq,
        dv, slots, values)`` over all rows. The argument m contains the coordinate markers, data the
        current history values, and start the history values at the start of the step.

    Raises:
        ModelError: a kernel has wrong arguments, or a wrong number of results.
    """
    check_arguments(force, "force of coordinate_pair", ARGUMENTS)
    check_results(force, "force of coordinate_pair", ("f",))
    check_arguments(force_tangent, "force_tangent of coordinate_pair", ARGUMENTS)
    check_results(force_tangent, "force_tangent of coordinate_pair", ("df_du", "df_dut"))

    @kernel
    def residual(
        rows: Any, pair: Pair, m: Any, time: FloatArray, data: FloatArray, start: FloatArray, f: FloatArray
    ) -> None:
        n0, n, t = pair.n0, pair.dofs.shape[1], time[0]
        for i in range(len(pair.m0)):
            if not pair.active[i]:
                continue
            row, m0, m1 = rows[i], pair.m0[i], pair.m1[i]
            load(row, data, start)
            w0, w1 = pair.w0[i], pair.w1[i]
            s = force(row, w1 * m.value[m1] - w0 * m.value[m0], w1 * m.rate[m1] - w0 * m.rate[m0], t)
            for a in range(n0):
                f[pair.dofs[i, a]] -= m.jacobian[m0, a] * (w0 * s)
            for a in range(n - n0):
                f[pair.dofs[i, n0 + a]] += m.jacobian[m1, a] * (w1 * s)

    @kernel
    def tangent(
        rows: Any,
        pair: Pair,
        m: Any,
        time: FloatArray,
        data: FloatArray,
        start: FloatArray,
        dq: float,
        dv: float,
        slots: IntArray,
        values: FloatArray,
    ) -> None:
        n0, n, t = pair.n0, pair.dofs.shape[1], time[0]
        # arrays for the coordinates of both markers: J, and dq ∂f/∂q + dv ∂f/∂v
        J, B = np.zeros(n), np.zeros(n)
        for i in range(len(pair.m0)):
            if not pair.active[i]:
                continue
            row, m0, m1 = rows[i], pair.m0[i], pair.m1[i]
            load(row, data, start)
            w0, w1 = pair.w0[i], pair.w1[i]
            u, ut = w1 * m.value[m1] - w0 * m.value[m0], w1 * m.rate[m1] - w0 * m.rate[m0]
            # derivatives of the force with respect to the coordinates of both markers
            df_du, df_dut = force_tangent(row, u, ut, t)
            k, d = dq * df_du + dv * df_dut, dq * df_dut
            for a in range(n0):
                J[a] = -w0 * m.jacobian[m0, a]
                B[a] = k * J[a] - d * (w0 * m.jacobian_rate[m0, a])
            for a in range(n - n0):
                J[n0 + a] = w1 * m.jacobian[m1, a]
                B[n0 + a] = k * J[n0 + a] + d * (w1 * m.jacobian_rate[m1, a])
            for a in range(n):
                for b in range(n):
                    values[slots[i, a, b]] += J[a] * B[b]
            # add the terms with the second derivatives of the markers, multiplied by f
            h0, h1 = m.second[m0], m.second[m1]
            if dq != 0.0 and (h0 >= 0 or h1 >= 0):
                s = dq * force(row, u, ut, t)
                if h0 >= 0:
                    for a in range(n0):
                        for b in range(n0):
                            values[slots[i, a, b]] -= (w0 * s) * m.hessian[h0, a, b]
                if h1 >= 0:
                    for a in range(n - n0):
                        for b in range(n - n0):
                            values[slots[i, n0 + a, n0 + b]] += (w1 * s) * m.hessian[h1, a, b]

    return residual, tangent


def position_pair(
    force: Callable[..., Vector], force_tangent: Callable[..., None], load: Callable[..., None] = load_nothing
) -> PairLoops:
    """Create the loops of a law between two position markers.

    Args:
        force: kernel ``(row, u, ut, t) -> (fx, fy, fz)`` for one row of the law. The arguments u [m] and ut [m/s] and
            the result f [N] are tuples of three components in the global frame, and t is the time [s].
        force_tangent: kernel ``(row, u, ut, t, P, V)`` that writes all entries of P = ∂f/∂u [N/m] and
            V = ∂f/∂u_t [N s/m], each of shape (3, 3).
        load: kernel created by `create_load`, for laws with history values.

    Returns:
        Kernels ``residual`` and ``tangent`` with the arguments of `coordinate_pair`. The argument m contains the
        position markers.

    Raises:
        ModelError: a kernel has wrong arguments, or a wrong number of results.
    """
    check_arguments(force, "force of position_pair", ARGUMENTS)
    check_results(force, "force of position_pair", ("fx", "fy", "fz"))
    check_arguments(force_tangent, "force_tangent of position_pair", (*ARGUMENTS, "P", "V"))
    check_results(force_tangent, "force_tangent of position_pair", ())

    @kernel
    def residual(
        rows: Any, pair: Pair, m: Any, time: FloatArray, data: FloatArray, start: FloatArray, f: FloatArray
    ) -> None:
        n0, n, t = pair.n0, pair.dofs.shape[1], time[0]
        for i in range(len(pair.m0)):
            if not pair.active[i]:
                continue
            row, m0, m1 = rows[i], pair.m0[i], pair.m1[i]
            load(row, data, start)
            u, ut, J = subtract(m.position, m1, m0), subtract(m.velocity, m1, m0), m.jacobian
            fx, fy, fz = force(row, u, ut, t)
            for a in range(n0):
                f[pair.dofs[i, a]] -= J[m0, 0, a] * fx + J[m0, 1, a] * fy + J[m0, 2, a] * fz
            for a in range(n - n0):
                f[pair.dofs[i, n0 + a]] += J[m1, 0, a] * fx + J[m1, 1, a] * fy + J[m1, 2, a] * fz

    @kernel
    def tangent(
        rows: Any,
        pair: Pair,
        m: Any,
        time: FloatArray,
        data: FloatArray,
        start: FloatArray,
        dq: float,
        dv: float,
        slots: IntArray,
        values: FloatArray,
    ) -> None:
        n0, n, t = pair.n0, pair.dofs.shape[1], time[0]
        # small arrays, created once per call of the kernel, for P and V, for J and J̇ with respect to the coordinates
        # of both markers, and for dq ∂f/∂q + dv ∂f/∂v
        P, V = np.zeros((3, 3)), np.zeros((3, 3))
        J, Jd, B = np.zeros((3, n)), np.zeros((3, n)), np.zeros((3, n))
        for i in range(len(pair.m0)):
            if not pair.active[i]:
                continue
            row, m0, m1 = rows[i], pair.m0[i], pair.m1[i]
            load(row, data, start)
            u, ut = subtract(m.position, m1, m0), subtract(m.velocity, m1, m0)
            force_tangent(row, u, ut, t, P, V)
            # J and J̇ of p1 - p0; the columns of marker 0 have the negative sign
            for k in range(3):
                for a in range(n0):
                    J[k, a] = -m.jacobian[m0, k, a]
                    Jd[k, a] = -m.jacobian_rate[m0, k, a]
                for a in range(n - n0):
                    J[k, n0 + a] = m.jacobian[m1, k, a]
                    Jd[k, n0 + a] = m.jacobian_rate[m1, k, a]
            # compute dq ∂f/∂q + dv ∂f/∂v, and then the product of this matrix with Jᵀ
            for k in range(3):
                for b in range(n):
                    total = 0.0
                    for j in range(3):
                        total += (dq * P[k, j] + dv * V[k, j]) * J[j, b] + dq * V[k, j] * Jd[j, b]
                    B[k, b] = total
            for a in range(n):
                for b in range(n):
                    values[slots[i, a, b]] += J[0, a] * B[0, b] + J[1, a] * B[1, b] + J[2, a] * B[2, b]
            # add the terms with the second derivatives of the markers, multiplied by f
            h0, h1 = m.second[m0], m.second[m1]
            if dq != 0.0 and (h0 >= 0 or h1 >= 0):
                H, (fx, fy, fz) = m.hessian, force(row, u, ut, t)
                if h0 >= 0:
                    for a in range(n0):
                        for b in range(n0):
                            total = H[h0, 0, a, b] * fx + H[h0, 1, a, b] * fy + H[h0, 2, a, b] * fz
                            values[slots[i, a, b]] -= dq * total
                if h1 >= 0:
                    for a in range(n - n0):
                        for b in range(n - n0):
                            total = H[h1, 0, a, b] * fx + H[h1, 1, a, b] * fy + H[h1, 2, a, b] * fz
                            values[slots[i, n0 + a, n0 + b]] += dq * total

    return residual, tangent
