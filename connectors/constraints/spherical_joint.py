"""Spherical joint: the coordinates of two points agree along all or some of the global axes.

    locked axis k: C_k = p1_k - p0_k
    other axes: λ_k = 0

Source: E. J. Haug, Computer Aided Kinematics and Dynamics of Mechanical Systems, Allyn and Bacon (1989).
"""

from __future__ import annotations

from typing import Any

from windlass.connectors.constraints.joint_kernels import joint_rows
from windlass.connectors.constraints.joints import check_spatial, register_joint
from windlass.connectors.markers.position_kernels import PositionMarkers
from windlass.connectors.markers.position_markers import POSITION
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import Tables
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.table import EntityTable


class SphericalJoint(Component):
    """Connects two points in 3D. Rotations remain free."""

    provides = ("joint",)
    marker0 = ref(POSITION, "first point")
    marker1 = ref(POSITION, "second point")
    axes = column(
        "1",
        "whether the displacement along each global axis x, y, z is locked",
        shape=(3,),
        dtype=bool,
        default=(True,) * 3,
        switchable=True,
    )
    active = column("1", "the constraint acts only if true", dtype=bool, default=True, switchable=True)


@kernel
def equation(
    row: Any, k: int, m: PositionMarkers, m0: int, m1: int, d: FloatArray, g: FloatArray, G: FloatArray
) -> float:
    """Return C_k, component k of the vector d from point 0 to point 1 [m], and write its gradient into g."""
    g[k] = 1.0
    value: float = d[k]
    return value


loops = joint_rows(equation)


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for a joint that locks z between 2D markers."""
    check_spatial(world, table, table.local("axes")[:, 2], "RevoluteJoint2D, or axes = (True, True, False)")


register_joint(
    SphericalJoint,
    loops,
    multipliers=3,
    unit="m",
    equations="p1 - p0 along x, y, z, (3,)",
    check=check,
    locked=lambda rows: rows.local("axes"),
)
