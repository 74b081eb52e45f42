"""Axial strain of a cable at a point of its axis. This strain is a coordinate for inputs and loads. The strain
determines the tension of ropes and belts.

    strain: u = |p| - 1 - ε_ref,    p = r' = Σ D_i q_i
    shape functions: D = [f_0/L, f_1, f_2/L, f_3],    f(ξ) = dS/dξ, with S of a cable of length 1
    derivative of p: X = p_q with the columns D_i I for the nodes
    cables of winches: L = share l with the coordinate l. The column of X for l is -share (f_0 q_0 + f_2 q_2)/L²
    gradient: J = e·X,    u_t = J q_t,    e = p/|p|
    second derivatives: H = Xᵀ (I - e eᵀ) X/|p| + e·X_q,    J̇ = H q_t

For cables without force functions the axial force is N = EA u + d_EA u_t, plus C τ for cables with twist. Therefore an
input with the gains EA and d_EA is the tension, with exact derivatives. ε_ref is the stress-free strain. If material
moves through the mesh (`ALECable2D`, cables of winches), u_t is the rate at a fixed point of the mesh. In contrast,
d_EA multiplies the strain rate of the material. A load F on the coordinate u acts like an actuator in the cable. The
virtual work of the load is F δu [N m].

Source: A. A. Shabana, Dynamics of Multibody Systems, Cambridge University Press. The derivatives follow by
differentiation.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.markers.coordinate_marker import FAMILY, CoordinateMarkers
from windlass.connectors.markers.marker_laws import pack_markers, register_marker
from windlass.connectors.markers.position_kernels import CURVED
from windlass.elements.cable.points import count_dims, eval_shape
from windlass.elements.cable.strains import interpolate
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.checks.checks import checked, inside, instance, number
from windlass.framework.errors import ModelError
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.adding import all_or_nothing
from windlass.framework.model.law import LocalRows, Tables
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.table import Entity, EntityTable
from windlass.framework.model.world import Handles, World

MOST = 13
"""Largest number of coordinates on which a strain depends."""


class CableStrain(Component):
    """The axial strain of a cable at a point of its axis, minus the stress-free strain."""

    provides = (FAMILY, CURVED)
    cable = ref("strained cable", "the cable")
    place = column(
        "1",
        "position on the cable: distance from the first node divided by the length of the cable, 0 to 1",
        default=0.5,
        minimum=0.0,
    )


@kernel
def update_strains(rows: Any, m: CoordinateMarkers, x: FloatArray, v: FloatArray) -> None:
    """Update the strain u, the rate of u, and the derivatives of both with respect to the coordinates, for all rows."""
    p, a, D = np.zeros(3), np.zeros(3), np.zeros(4)
    X = np.zeros((3, m.jacobian.shape[1]))
    for i in range(len(rows)):
        # L: constant length of the cable, or a fraction of l for cables of winches
        row = rows[i]
        k, h, d, q, winds = row.index, m.second[row.index], row.dimensions, row.dofs, row.share > 0.0
        n, l = 4 * d, 4 * d
        L = row.share * x[q[l]] if winds else row.length
        n += winds
        D[0], D[1], D[2], D[3] = row.f[0] / L, row.f[1], row.f[2] / L, row.f[3]
        X[:] = 0.0
        # compute the slope p, and the derivative X of p with respect to the coordinates
        square = 0.0
        for b in range(d):
            # a: sum of the two terms of p that contain the factor 1/L
            a[b] = D[0] * x[q[b]] + D[2] * x[q[2 * d + b]]
            p[b] = a[b] + D[1] * x[q[d + b]] + D[3] * x[q[3 * d + b]]
            square += p[b] * p[b]
            for j in range(4):
                X[b, j * d + b] = D[j]
            if winds:
                X[b, l] = -row.share / L * a[b]
        # compute the strain u, its gradient J and its rate u_t
        size = np.sqrt(square)
        m.value[k], m.rate[k] = size - 1.0 - row.reference_strain, 0.0
        for s in range(n):
            m.jacobian[k, s] = 0.0
            for b in range(d):
                m.jacobian[k, s] += p[b] / size * X[b, s]
            m.rate[k] += m.jacobian[k, s] * v[q[s]]
        # second derivatives (Xᵀ X - Jᵀ J)/|p|
        for s in range(n):
            for r in range(n):
                total = -m.jacobian[k, s] * m.jacobian[k, r]
                for b in range(d):
                    total += X[b, s] * X[b, r]
                m.hessian[h, s, r] = total / size
        # for cables of winches, add the second derivatives that are due to changes of the length L
        if winds:
            for b in range(d):
                e, by_length = p[b] / size, -row.share / L
                for j in (0, 2):
                    m.hessian[h, j * d + b, l] += e * by_length * D[j]
                    m.hessian[h, l, j * d + b] += e * by_length * D[j]
                m.hessian[h, l, l] += 2.0 * e * by_length * by_length * a[b]
        # time derivative of J
        for s in range(n):
            m.jacobian_rate[k, s] = 0.0
            for r in range(n):
                m.jacobian_rate[k, s] += m.hessian[h, s, r] * v[q[r]]


def order_dofs(world: Tables, table: EntityTable) -> IntArray:
    """Return the global indices of the positions and slopes of both nodes, followed by the index of l for winch cables,
    padded with -1, shape (rows, n). Further coordinates, such as angles of twist, are omitted.
    """
    ids = table.local("cable")
    dofs = np.full((len(ids), MOST), -1, np.int64)
    for cables, positions, of in world.split_by_table(ids):
        numbers = world.row_dofs(cables, of)
        n = 4 * count_dims(numbers.shape[1])
        dofs[positions, :n] = numbers[:, :n]
        if "share" in cables.component.columns:
            dofs[positions, n] = numbers[:, -1]
    return dofs[:, : int((dofs >= 0).sum(axis=1).max(initial=0))]


def bind(rows: LocalRows) -> NDArray[Any]:
    """Create the array that kernels read, with the following values per row.

    dofs: 4 d coordinate indices of the nodes, followed by the index of l for winch cables.
    dimensions: number of dimensions d.
    f: derivatives, at the point, of the shape functions of a cable of length 1 [1].
    length: length L of cables with constant length [m].
    share: fraction of l that is the length of a winch cable [1], 0 for other cables.
    reference_strain: stress-free strain ε_ref [1].
    """
    count, ids = len(rows.rows), rows.local("cable")
    d, length, share, eps = np.zeros(count, np.int64), np.ones(count), np.zeros(count), np.zeros(count)
    f = eval_shape(rows.local("place"), np.ones(())).dS
    for table, positions, of in rows.world.split_by_table(ids):
        d[positions] = count_dims(rows.world.row_dofs(table, of).shape[1])
        if "share" in table.component.columns:
            share[positions] = table.local("share", of)
            continue
        L = length[positions] = table.local("length", of)
        dimension = int(d[positions[0]])
        dS = eval_shape(rows.local("place")[positions], L).dS
        slope = interpolate(dS[:, None], rows.reference[positions, : 4 * dimension])[:, 0]
        relative = table.local("strain_is_relative_to_reference", of)
        eps[positions] = table.local("reference_strain", of) + relative * (np.sqrt((slope**2).sum(axis=1)) - 1.0)
    return pack_markers(rows, MOST, dimensions=d, f=f, length=length, share=share, reference_strain=eps)


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for a point outside its cable."""
    place = table.local("place")
    for k in np.flatnonzero(place > 1.0)[:1]:
        raise ModelError(f"place = {place[k]:g} in {table.kind} row {table.resident[k]}: must be from 0 to 1 [1]")


@checked(world=instance(World), cable=inside(), at=number("1", minimum=0.0))
@all_or_nothing
def strain_coordinate(world: World, cable: Handles, at: float = 0.5) -> Entity:
    """Create a coordinate for inputs and loads: the axial strain of cables at a point of their axes, minus the
    stress-free strain.

    Args:
        cable: cables of any type.
        at: distance of the point from the first node, divided by the length of the cable [1], 0 to 1.

    Returns:
        Handle to the markers, one per row.
    """
    return world.add(CableStrain, cable=cable, place=at)


register_marker(CableStrain, FAMILY, update_strains, bind, order_dofs, "[@shabana]", check)
