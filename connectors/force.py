"""Force on a position marker, constant or a function of time.

    load  Jᵀ F,    F = vector, or A vector if it turns with the body
    ∂load/∂q = F·H + Jᵀ ∂F/∂q,    ∂F/∂q = Jr × F  (body-fixed; Jr column by column)

Source: principle of virtual work, A. A. Shabana, Dynamics of Multibody Systems, Cambridge University Press.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.position_markers import FAMILY, PositionColumns
from windlass.connectors.time_functions import bind_values
from windlass.framework.errors import ModelError
from windlass.framework.kernel import kernel
from windlass.framework.law import Fields, FloatArray, Law, LocalRows, Output, System, register
from windlass.framework.schema import Component, column, ref
from windlass.framework.schema import function as time_function
from windlass.framework.table import EntityTable, IntArray
from windlass.framework.world import World


class Force(Component):
    """A force at a point of a node, body, cable or the ground."""

    marker = ref("position marker", "where the force acts")
    vector = column(
        "N", "force, in the global frame unless body_fixed", shape=(3,), default=(0.0, 0.0, 0.0), switchable=True
    )
    function = time_function("f(t) -> force [N], shape (3,); takes the place of vector", switchable=True)
    body_fixed = column("1", "the vector turns with the marker, a rigid marker", dtype=bool, default=False)
    active = column("1", "acts only if true", dtype=bool, default=True, switchable=True)


class Columns(NamedTuple):
    """Letters: m0 place of the marker in its columns, dofs (rows, n) local, turns = body_fixed, on = active."""

    m0: IntArray
    dofs: IntArray
    turns: NDArray[np.bool_]
    on: NDArray[np.bool_]


@kernel
def eval_force(c: Columns, i: int, m: PositionColumns, F: FloatArray, turns: bool) -> tuple[float, float, float]:
    """Force of row i in the global frame [N]."""
    x, y, z = F[i, 0], F[i, 1], F[i, 2]
    if not turns:
        return x, y, z
    k = c.m0[i]
    return (
        m.A[k, 0, 0] * x + m.A[k, 0, 1] * y + m.A[k, 0, 2] * z,
        m.A[k, 1, 0] * x + m.A[k, 1, 1] * y + m.A[k, 1, 2] * z,
        m.A[k, 2, 0] * x + m.A[k, 2, 1] * y + m.A[k, 2, 2] * z,
    )


@kernel
def load(c: Columns, m: PositionColumns, F: FloatArray, f: FloatArray) -> None:
    """f += Jᵀ F."""
    for i in range(len(c.m0)):
        if c.on[i]:
            k = c.m0[i]
            x, y, z = eval_force(c, i, m, F, c.turns[i])
            for a in range(c.dofs.shape[1]):
                f[c.dofs[i, a]] += m.J[k, 0, a] * x + m.J[k, 1, a] * y + m.J[k, 2, a] * z


@kernel
def load_tangent(c: Columns, m: PositionColumns, F: FloatArray, dq: float, slots: IntArray, values: FloatArray) -> None:
    """values += dq (F·H + Jᵀ (Jr × F))."""
    n = c.dofs.shape[1]
    for i in range(len(c.m0)):
        if not c.on[i]:
            continue
        k = c.m0[i]
        h = m.h[k]
        x, y, z = eval_force(c, i, m, F, c.turns[i])
        if h >= 0:
            for a in range(n):
                for b in range(n):
                    K = m.H[h, 0, a, b] * x + m.H[h, 1, a, b] * y + m.H[h, 2, a, b] * z
                    values[slots[i, a, b]] += dq * K
        if c.turns[i]:
            for b in range(n):
                wx, wy, wz = m.Jr[k, 0, b], m.Jr[k, 1, b], m.Jr[k, 2, b]
                dx, dy, dz = wy * z - wz * y, wz * x - wx * z, wx * y - wy * x
                for a in range(n):
                    K = m.J[k, 0, a] * dx + m.J[k, 1, a] * dy + m.J[k, 2, a] * dz
                    values[slots[i, a, b]] += dq * K


def dofs(world: World, table: EntityTable) -> IntArray:
    """World coordinate numbers of the markers, shape (rows, n)."""
    return world.dofs_of(table.column("marker"))


def check(world: World, table: EntityTable) -> None:
    """Raise ModelError for a body-fixed force on a marker that does not turn."""
    turns = table.column("body_fixed")
    for markers, positions, _ in world.split_by_table(table.column("marker")):
        if "rigid marker" not in markers.component.provides:
            for row in positions[turns[positions]][:1]:
                raise ModelError(
                    f"marker in {table.kind} row {row} is a {markers.kind}: a body_fixed force must have a rigid marker"
                )


def build(rows: LocalRows) -> System:
    """The system of `Force`."""
    world, table = rows.world, rows.table
    c = Columns(rows.markers("marker"), rows.dofs, rows.column("body_fixed"), rows.column("active"))
    vectors = bind_values(rows, "vector", "function")
    system = System("Force", rows.dofs)

    def add_load(s: Fields, f: FloatArray) -> None:
        load(c, s.markers[FAMILY], vectors(s.t), f)

    def add_load_tangent(s: Fields, dq: float, dv: float, slots: IntArray, values: FloatArray) -> None:
        load_tangent(c, s.markers[FAMILY], vectors(s.t), dq, slots, values)

    system.load = add_load
    kinds = [markers.component for markers, _, _ in world.split_by_table(table.column("marker"))]
    # most forces do not depend on the coordinates and shall not widen the matrix
    if table.column("body_fixed").any() or any("curved marker" in kind.provides for kind in kinds):
        system.load_tangent = add_load_tangent
    return system


def eval_vector(rows: LocalRows, s: Fields, **where: Any) -> FloatArray:
    """Force in the global frame, without the load factor [N], shape (rows, 3); 0 where inactive."""
    k = rows.markers("marker")
    given = bind_values(rows, "vector", "function")(s.t)
    turned = np.einsum("ikl,il->ik", s.markers[FAMILY].A[k], given)
    F: FloatArray = np.where(rows.column("body_fixed")[:, None], turned, given) * rows.column("active")[:, None]
    return F


register(
    Law(
        Force,
        role="load",
        dofs=dofs,
        build=build,
        check=check,
        outputs={"force": Output("N", "applied force without the load factor, global, (3,)", eval_vector)},
        source="A. A. Shabana, Dynamics of Multibody Systems, Cambridge University Press",
    )
)
