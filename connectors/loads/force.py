"""Force on a position marker, constant or a function of time.

    load: Jᵀ F,    F = vector, or F = A vector if the vector rotates with the body
    derivative: ∂load/∂q = F·H + Jᵀ ∂F/∂q
    derivative of the vector: ∂F/∂q = Jr × F for each column of Jr if the vector rotates, otherwise 0

Source: principle of virtual work, A. A. Shabana, Dynamics of Multibody Systems, Cambridge University Press.
"""

from __future__ import annotations

from windlass.connectors.loads.vector_load import register_vector_load
from windlass.connectors.markers.position_markers import POSITION, RIGID
from windlass.framework.errors import ModelError
from windlass.framework.model.law import Tables
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.schema import function as time_function
from windlass.framework.model.table import EntityTable


class Force(Component):
    """A force on a position marker."""

    marker = ref(POSITION, "marker at which the force acts")
    vector = column(
        "N",
        "force vector, in the global frame unless body_fixed is true",
        shape=(3,),
        default=(0.0, 0.0, 0.0),
        switchable=True,
    )
    function = time_function("f(t) -> force [N], shape (3,); replaces vector", switchable=True)
    body_fixed = column(
        "1", "true: the vector rotates with the marker, which must be a rigid marker", dtype=bool, default=False
    )
    active = column("1", "the load acts only if true", dtype=bool, default=True, switchable=True)


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for a body-fixed force on a marker without rotation."""
    turns = table.local("body_fixed")
    for markers, positions, _ in world.split_by_table(table.local("marker")):
        if RIGID not in markers.component.provides:
            for row in table.resident[positions[turns[positions]]][:1]:
                raise ModelError(
                    f"marker in {table.kind} row {row} is a {markers.kind}: a body_fixed force must have a rigid marker"
                )


register_vector_load(Force, "force", "N", turning=False, check=check)
