"""Torque on a rigid marker, constant or a function of time.

    load: Jrᵀ T,    T = vector, or T = A vector if the vector rotates with the body
    derivative: ∂load/∂q = T·Hr + Jrᵀ ∂T/∂q
    derivative of the vector: ∂T/∂q = Jr × T for each column of Jr if the vector rotates, otherwise 0

Jr is the derivative of the angular velocity with respect to q_t, and Hr = ∂Jr/∂q. For 2D bodies, Hr is 0, because the
rotation of a 2D body is a coordinate.

Source: principle of virtual work, A. A. Shabana, Dynamics of Multibody Systems, Cambridge University Press.
"""

from __future__ import annotations

from windlass.connectors.loads.vector_load import register_vector_load
from windlass.connectors.markers.position_markers import RIGID
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.schema import function as time_function


class Torque(Component):
    """A torque on a body, a rigid node, or the cross section of a cable. In 2D only the z component of the torque
    acts.
    """

    marker = ref(RIGID, "marker at which the torque acts")
    vector = column(
        "N m",
        "torque vector, in the global frame unless body_fixed is true",
        shape=(3,),
        default=(0.0, 0.0, 0.0),
        switchable=True,
    )
    function = time_function("f(t) -> torque [N m], shape (3,); replaces vector", switchable=True)
    body_fixed = column("1", "true: the vector rotates with the marker", dtype=bool, default=False)
    active = column("1", "the load acts only if true", dtype=bool, default=True, switchable=True)


register_vector_load(Torque, "torque", "N m", turning=True)
