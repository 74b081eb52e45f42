"""Load on one coordinate, constant or a function of time. The load is a force if the coordinate is a position, and a
torque if the coordinate is a rotation.

    load: Jᵀ F on the coordinate
    derivative: ∂load/∂q = F H

J is the derivative of the coordinate with respect to q, and H = ∂J/∂q. If the marker is a single coordinate of a node,
J = 1 and H = 0.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from numpy.typing import NDArray

from windlass.connectors.loads.vector_load import on_curved_markers
from windlass.connectors.markers.coordinate_family import CoordinateMarkers
from windlass.connectors.markers.coordinate_marker import COORDINATE, FAMILY
from windlass.connectors.markers.coordinate_outputs import coordinate_output
from windlass.connectors.user_functions.time_functions import TimeColumn, bind_values, change_values
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows, register
from windlass.framework.model.rows import create_records
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.schema import function as time_function
from windlass.framework.model.system import System, Term


class CoordinateLoad(Component):
    """A generalised force on one coordinate of a node, or a torque on the rotation of a 3D body."""

    marker = ref(COORDINATE, "coordinate on which the load acts")
    value = column("N", "value of the load [N; N m for rotations and slopes]", default=0.0, switchable=True)
    function = time_function("f(t) -> load [N or N m]; replaces value", switchable=True)
    active = column("1", "the load acts only if true", dtype=bool, default=True, switchable=True)


@kernel
def load(rows: Any, m: CoordinateMarkers, F: FloatArray, dofs: IntArray, f: FloatArray) -> None:
    """Add the generalised forces Jᵀ F of all active rows to f."""
    for i in range(len(rows)):
        if rows[i].active:
            for a in range(dofs.shape[1]):
                f[dofs[i, a]] += m.jacobian[rows[i].marker, a] * F[i]


@kernel
def load_tangent(
    rows: Any, m: CoordinateMarkers, F: FloatArray, dq: float, slots: IntArray, values: FloatArray
) -> None:
    """Add dq times the derivative F H of the generalised forces of all active rows to the values of the matrix."""
    n = slots.shape[1]
    for i in range(len(rows)):
        h = m.second[rows[i].marker]
        if not rows[i].active or h < 0:
            continue
        for a in range(n):
            for b in range(n):
                values[slots[i, a, b]] += dq * F[i] * m.hessian[h, a, b]


def bind(rows: LocalRows) -> tuple[NDArray[Any], TimeColumn]:
    """Return the data of the rows for kernels, and the loads as functions of time."""
    own = create_records(marker=rows.markers("marker"), active=rows.local("active"))
    return own, bind_values(rows, "value", "function")


def build(rows: LocalRows) -> System:
    """Create the system of `CoordinateLoad`."""
    own, forces = rows.columns
    system = System("CoordinateLoad", rows.dofs)
    system.load = Term(forces.fill + call(load, lambda s: (own, s.markers[FAMILY], forces.values, rows.dofs, s.f)))
    # if all H are 0, the load has no derivatives, so the matrix needs no entries for the load
    if on_curved_markers(rows):
        system.load.tangent = forces.fill + call(
            load_tangent, lambda s: (own, s.markers[FAMILY], forces.values, s.dq, s.slots, s.values)
        )
    system.changes.copy = partial(change_values, rows, (own, forces), "value")
    if system.load.tangent is None:
        system.changes.steady = frozenset({"value", "function", "active"})
    return system


register(
    CoordinateLoad,
    "load",
    dofs="marker",
    bind=bind,
    build=build,
    outputs={
        "force": coordinate_output(
            "N",
            "applied load without the load factor [N or N m], ()",
            lambda rows, s: rows.columns[1](s.t) * rows.columns[0]["active"],
            ("marker",),
        )
    },
    source="[@shabana], generalised forces",
)
