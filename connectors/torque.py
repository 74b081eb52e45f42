"""Torque on a rigid marker, constant or a function of time.

    load  Jrᵀ T,    ∂load/∂q = T·Hr  (for cables, whose rotation is not linear in the coordinates)

Source: principle of virtual work, A. A. Shabana, Dynamics of Multibody Systems, Cambridge University Press.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

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
    vector = column("N m", "torque, global frame", shape=(3,), default=(0.0, 0.0, 0.0), switchable=True)
    function = time_function("f(t) -> torque [N m], shape (3,); takes the place of vector", switchable=True)
    active = column("1", "acts only if true", dtype=bool, default=True, switchable=True)


class Columns(NamedTuple):
    """Letters: m0 place of the marker in its columns, dofs (rows, n) local, on = active."""

    m0: IntArray
    dofs: IntArray
    on: NDArray[np.bool_]


@kernel
def load(c: Columns, m: PositionColumns, T: FloatArray, f: FloatArray) -> None:
    """f += Jrᵀ T."""
    for i in range(len(c.m0)):
        if c.on[i]:
            k = c.m0[i]
            for a in range(c.dofs.shape[1]):
                f[c.dofs[i, a]] += m.Jr[k, 0, a] * T[i, 0] + m.Jr[k, 1, a] * T[i, 1] + m.Jr[k, 2, a] * T[i, 2]


@kernel
def load_tangent(c: Columns, m: PositionColumns, T: FloatArray, dq: float, slots: IntArray, values: FloatArray) -> None:
    """values += dq T·Hr."""
    n = c.dofs.shape[1]
    for i in range(len(c.m0)):
        h = m.h[c.m0[i]]
        if c.on[i] and h >= 0:
            for a in range(n):
                for b in range(n):
                    K = m.Hr[h, 0, a, b] * T[i, 0] + m.Hr[h, 1, a, b] * T[i, 1] + m.Hr[h, 2, a, b] * T[i, 2]
                    values[slots[i, a, b]] += dq * K


def dofs(world: World, table: EntityTable) -> IntArray:
    """World coordinate numbers of the markers, shape (rows, n)."""
    return world.dofs_of(table.column("marker"))


def build(rows: LocalRows) -> System:
    """The system of `Torque`."""
    world, table = rows.world, rows.table
    c = Columns(rows.markers("marker"), rows.dofs, rows.column("active"))
    vectors = bind_values(rows, "vector", "function")
    system = System("Torque", rows.dofs)

    def add_load(s: Fields, f: FloatArray) -> None:
        load(c, s.markers[FAMILY], vectors(s.t), f)

    def add_load_tangent(s: Fields, dq: float, dv: float, slots: IntArray, values: FloatArray) -> None:
        load_tangent(c, s.markers[FAMILY], vectors(s.t), dq, slots, values)

    system.load = add_load
    kinds = [markers.component for markers, _, _ in world.split_by_table(table.column("marker"))]
    # torques on rigid bodies do not depend on the coordinates and shall not widen the matrix
    if any("curved marker" in kind.provides for kind in kinds):
        system.load_tangent = add_load_tangent
    return system


def eval_vector(rows: LocalRows, s: Fields, **where: Any) -> FloatArray:
    """Torque in the global frame, without the load factor [N m], shape (rows, 3); 0 where inactive."""
    T: FloatArray = bind_values(rows, "vector", "function")(s.t) * rows.column("active")[:, None]
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
