"""Forces and torques on a marker: common law of a vector F whose direction is fixed in space or in the body.

    load: Jᵀ F,    F = vector, or F = A vector if the vector rotates with the body
    derivative: ∂load/∂q = F·H + Jᵀ ∂F/∂q
    derivative of the vector: ∂F/∂q = Jr × F for each column of Jr if the vector rotates, otherwise 0

For forces, J and H are the first and second derivatives of the position of the marker with respect to the coordinates
q. For torques, J = Jr and H = Hr are the derivatives of the rotation of the marker.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.markers.position_kernels import CURVED
from windlass.connectors.markers.position_markers import FAMILY, PositionMarkers
from windlass.connectors.user_functions.time_functions import TimeColumn, bind_values, change_values
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows, Output, Tables, register
from windlass.framework.model.rows import create_records
from windlass.framework.model.schema import Component
from windlass.framework.model.system import Fields, System, Term
from windlass.framework.model.table import EntityTable


@kernel
def eval_force(A: FloatArray, k: int, F: FloatArray, i: int, turns: bool) -> tuple[float, float, float]:
    """Return the vector F [N or N m] of row i in the global frame. The argument ``turns`` is true if F rotates with
    marker k.
    """
    x, y, z = F[i, 0], F[i, 1], F[i, 2]
    if not turns:
        return x, y, z
    return (
        A[k, 0, 0] * x + A[k, 0, 1] * y + A[k, 0, 2] * z,
        A[k, 1, 0] * x + A[k, 1, 1] * y + A[k, 1, 2] * z,
        A[k, 2, 0] * x + A[k, 2, 1] * y + A[k, 2, 2] * z,
    )


@kernel
def load(rows: Any, A: FloatArray, J: FloatArray, F: FloatArray, dofs: IntArray, f: FloatArray) -> None:
    """Add the generalised forces Jᵀ F of all active rows to f."""
    for i in range(len(rows)):
        row = rows[i]
        if row.active:
            k = row.marker
            x, y, z = eval_force(A, k, F, i, row.body_fixed)
            for a in range(dofs.shape[1]):
                f[dofs[i, a]] += J[k, 0, a] * x + J[k, 1, a] * y + J[k, 2, a] * z


@kernel
def load_tangent(
    rows: Any,
    m: PositionMarkers,
    J: FloatArray,
    H: FloatArray,
    F: FloatArray,
    dq: float,
    slots: IntArray,
    values: FloatArray,
) -> None:
    """Add dq times the derivative F·H + Jᵀ ∂F/∂q of the generalised forces of all active rows to the values of the
    matrix."""
    n = slots.shape[1]
    for i in range(len(rows)):
        row = rows[i]
        if not row.active:
            continue
        k = row.marker
        h = m.second[k]
        x, y, z = eval_force(m.rotation, k, F, i, row.body_fixed)
        if h >= 0:
            for a in range(n):
                for b in range(n):
                    K = H[h, 0, a, b] * x + H[h, 1, a, b] * y + H[h, 2, a, b] * z
                    values[slots[i, a, b]] += dq * K
        if row.body_fixed:
            for b in range(n):
                wx, wy, wz = m.rotation_jacobian[k, 0, b], m.rotation_jacobian[k, 1, b], m.rotation_jacobian[k, 2, b]
                dx, dy, dz = wy * z - wz * y, wz * x - wx * z, wx * y - wy * x
                for a in range(n):
                    K = J[k, 0, a] * dx + J[k, 1, a] * dy + J[k, 2, a] * dz
                    values[slots[i, a, b]] += dq * K


def bind(rows: LocalRows) -> tuple[NDArray[Any], TimeColumn]:
    """Return the data of the rows for kernels, with the same fields for forces and torques, and the vectors as
    functions of time."""
    own = create_records(
        marker=rows.markers("marker"), body_fixed=rows.local("body_fixed"), active=rows.local("active")
    )
    return own, bind_values(rows, "vector", "function")


def on_curved_markers(rows: LocalRows) -> bool:
    """Return whether the Jacobian of any marker depends on the coordinates."""
    kinds = [markers.component for markers, _, _ in rows.world.split_by_table(rows.local("marker"))]
    return any(CURVED in kind.provides for kind in kinds)


def eval_vector(rows: LocalRows, s: Fields) -> FloatArray:
    """Return the vectors [N or N m] in the global frame, without the load factor, shape (rows, 3). The vectors of
    inactive rows are 0.
    """
    own, vectors = rows.columns
    given = vectors(s.t)
    turned = np.einsum("ikl,il->ik", s.markers[FAMILY].rotation[own["marker"]], given)
    F: FloatArray = np.where(own["body_fixed"][:, None], turned, given) * own["active"][:, None]
    return F


def register_vector_load(
    component: type[Component],
    output: str,
    unit: str,
    *,
    turning: bool,
    check: Callable[[Tables, EntityTable], None] | None = None,
) -> None:
    """Register a load with the columns marker, vector, function, body_fixed and active.

    Args:
        component: class that defines the columns.
        output: name of the output variable of the vector.
        unit: unit of the vector.
        turning: whether the vector is a torque. A torque acts on rotations. If false, the vector is a force.
        check: argument that is passed to `register`.
    """

    def derivatives(m: PositionMarkers) -> tuple[FloatArray, FloatArray]:
        return (m.rotation_jacobian, m.rotation_hessian) if turning else (m.jacobian, m.hessian)

    def build(rows: LocalRows) -> System:
        own, vectors = rows.columns
        system = System(component.__name__, rows.dofs)
        force = call(
            load,
            lambda s: (
                own, s.markers[FAMILY].rotation, derivatives(s.markers[FAMILY])[0], vectors.values, rows.dofs, s.f
            ),
        )  # fmt: skip
        system.load = Term(vectors.fill + force)
        # most loads do not depend on the coordinates, so the sparsity pattern of the matrix needs no entries for them
        if own["body_fixed"].any() or on_curved_markers(rows):
            system.load.tangent = vectors.fill + call(
                load_tangent,
                lambda s: (
                    own,
                    s.markers[FAMILY],
                    *derivatives(s.markers[FAMILY]),
                    vectors.values,
                    s.dq,
                    s.slots,
                    s.values,
                ),
            )
        system.changes.copy = partial(change_values, rows, (own, vectors), "vector")
        if system.load.tangent is None:
            system.changes.steady = frozenset({"vector", "function", "active"})
        return system

    register(
        component,
        "load",
        dofs="marker",
        bind=bind,
        build=build,
        check=check,
        outputs={output: Output(unit, f"applied {output} without the load factor, global, (3,)", eval_vector)},
        source="[@shabana]",
    )
