"""Load on one coordinate, constant or a function of time: a force on a position, a torque on a rotation.

    load  value at the coordinate of the marker

Source: A. A. Shabana, Dynamics of Multibody Systems, Cambridge University Press (generalised forces).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.coordinate_marker import FAMILY
from windlass.connectors.time_functions import bind_values
from windlass.framework.kernel import kernel
from windlass.framework.law import Fields, FloatArray, Law, LocalRows, Output, System, register
from windlass.framework.schema import Component, column, ref
from windlass.framework.schema import function as time_function
from windlass.framework.table import EntityTable, IntArray
from windlass.framework.world import World


class CoordinateLoad(Component):
    """A generalised force on one coordinate of a node."""

    marker = ref("coordinate marker", "the coordinate that the load acts on")
    value = column("N", "load [N; N m for rotations and slopes]", default=0.0, switchable=True)
    function = time_function("f(t) -> load [N or N m]; takes the place of value", switchable=True)
    active = column("1", "acts only if true", dtype=bool, default=True, switchable=True)


@kernel
def load(m0: IntArray, dof: IntArray, on: NDArray[np.bool_], F: FloatArray, f: FloatArray) -> None:
    """f += F at the dofs of the markers m0."""
    for i in range(len(m0)):
        if on[i]:
            f[dof[m0[i]]] += F[i]


def dofs(world: World, table: EntityTable) -> IntArray:
    """World coordinate numbers of the markers, shape (rows, 1)."""
    return world.dofs_of(table.column("marker"))


def build(rows: LocalRows) -> System:
    """The system of `CoordinateLoad`."""
    m0, on = rows.markers("marker"), rows.column("active")
    values = bind_values(rows, "value", "function")
    system = System("CoordinateLoad", rows.dofs)

    def add_load(s: Fields, f: FloatArray) -> None:
        load(m0, s.markers[FAMILY].dof, on, values(s.t), f)

    system.load = add_load
    return system


def eval_value(rows: LocalRows, s: Fields, **where: Any) -> FloatArray:
    """Load without the load factor [N or N m], shape (rows,); 0 where inactive."""
    F: FloatArray = bind_values(rows, "value", "function")(s.t) * rows.column("active")
    return F


register(
    Law(
        CoordinateLoad,
        role="load",
        dofs=dofs,
        build=build,
        outputs={"force": Output("N", "applied load without the load factor [N or N m], ()", eval_value)},
        source="A. A. Shabana, Dynamics of Multibody Systems, Cambridge University Press",
    )
)
