"""Torque on a rigid marker, constant or a function of time.

    load  Jrᵀ T,    T = vector, or A vector if it turns with the body
    ∂load/∂q = T·Hr + Jrᵀ ∂T/∂q,    ∂T/∂q = Jr × T  (body-fixed; Jr column by column)

Hr is 0 for bodies in the plane, whose rotation is a coordinate.

Source: principle of virtual work, A. A. Shabana, Dynamics of Multibody Systems, Cambridge University Press.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.connectors.force import Columns, eval_force
from windlass.connectors.position_markers import FAMILY, PositionColumns
from windlass.connectors.time_functions import bind_values
from windlass.framework.kernel import kernel
from windlass.framework.law import Fields, FloatArray, Law, LocalRows, Output, System, register
from windlass.framework.schema import Component, column, ref
from windlass.framework.schema import function as time_function
from windlass.framework.table import EntityTable, IntArray
from windlass.framework.world import World


class Torque(Component):
    """A torque on a body, a rigid node, or the cross-section of a cable; planar ones turn by the z component."""

    marker = ref("rigid marker", "where the torque acts")
    vector = column(
        "N m", "torque, in the global frame unless body_fixed", shape=(3,), default=(0.0, 0.0, 0.0), switchable=True
    )
    function = time_function("f(t) -> torque [N m], shape (3,); takes the place of vector", switchable=True)
    body_fixed = column("1", "the vector turns with the marker", dtype=bool, default=False)
    active = column("1", "acts only if true", dtype=bool, default=True, switchable=True)


@kernel
def load(c: Columns, m: PositionColumns, T: FloatArray, f: FloatArray) -> None:
    """f += Jrᵀ T."""
    for i in range(len(c.m0)):
        if c.on[i]:
            k = c.m0[i]
            x, y, z = eval_force(c, i, m, T, c.turns[i])
            for a in range(c.dofs.shape[1]):
                f[c.dofs[i, a]] += m.Jr[k, 0, a] * x + m.Jr[k, 1, a] * y + m.Jr[k, 2, a] * z


@kernel
def load_tangent(c: Columns, m: PositionColumns, T: FloatArray, dq: float, slots: IntArray, values: FloatArray) -> None:
    """values += dq (T·Hr + Jrᵀ (Jr × T))."""
    n = c.dofs.shape[1]
    for i in range(len(c.m0)):
        if not c.on[i]:
            continue
        k = c.m0[i]
        h = m.h[k]
        x, y, z = eval_force(c, i, m, T, c.turns[i])
        if h >= 0:
            for a in range(n):
                for b in range(n):
                    K = m.Hr[h, 0, a, b] * x + m.Hr[h, 1, a, b] * y + m.Hr[h, 2, a, b] * z
                    values[slots[i, a, b]] += dq * K
        if c.turns[i]:
            for b in range(n):
                wx, wy, wz = m.Jr[k, 0, b], m.Jr[k, 1, b], m.Jr[k, 2, b]
                dx, dy, dz = wy * z - wz * y, wz * x - wx * z, wx * y - wy * x
                for a in range(n):
                    K = m.Jr[k, 0, a] * dx + m.Jr[k, 1, a] * dy + m.Jr[k, 2, a] * dz
                    values[slots[i, a, b]] += dq * K


def dofs(world: World, table: EntityTable) -> IntArray:
    """World coordinate numbers of the markers, shape (rows, n)."""
    return world.dofs_of(table.column("marker"))


def build(rows: LocalRows) -> System:
    """The system of `Torque`."""
    world, table = rows.world, rows.table
    c = Columns(rows.markers("marker"), rows.dofs, rows.column("body_fixed"), rows.column("active"))
    vectors = bind_values(rows, "vector", "function")
    system = System("Torque", rows.dofs)

    def add_load(s: Fields, f: FloatArray) -> None:
        load(c, s.markers[FAMILY], vectors(s.t), f)

    def add_load_tangent(s: Fields, dq: float, dv: float, slots: IntArray, values: FloatArray) -> None:
        load_tangent(c, s.markers[FAMILY], vectors(s.t), dq, slots, values)

    system.load = add_load
    kinds = [markers.component for markers, _, _ in world.split_by_table(table.column("marker"))]
    # most torques do not depend on the coordinates and shall not widen the matrix
    if table.column("body_fixed").any() or any("curved marker" in kind.provides for kind in kinds):
        system.load_tangent = add_load_tangent
    return system


def eval_vector(rows: LocalRows, s: Fields, **where: Any) -> FloatArray:
    """Torque in the global frame, without the load factor [N m], shape (rows, 3); 0 where inactive."""
    given = bind_values(rows, "vector", "function")(s.t)
    turned = np.einsum("ikl,il->ik", s.markers[FAMILY].A[rows.markers("marker")], given)
    T: FloatArray = np.where(rows.column("body_fixed")[:, None], turned, given) * rows.column("active")[:, None]
    return T


register(
    Law(
        Torque,
        role="load",
        dofs=dofs,
        build=build,
        outputs={"torque": Output("N m", "applied torque without the load factor, global, (3,)", eval_vector)},
        source="A. A. Shabana, Dynamics of Multibody Systems, Cambridge University Press",
    )
)
