"""Data of eight rows that are evaluated at once. Each lane of the vector instructions of the processor evaluates one
row. The functions of this module are used for points on circles and points on surfaces. The method is explained in the
section Lanes of docs/explanation/design.md.
"""

from __future__ import annotations

from typing import Any

from windlass.connectors.contact.law import PointLaw
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel

LAW = tuple(name for name in PointLaw._fields if name != "damping_depth")
"""Names of the fields that `write_law` fills in records of lanes."""
Eight = tuple[float, float, float, float, float, float, float, float]
Twelve = tuple[float, float, float, float, float, float, float, float, float, float, float, float]


@kernel(inline=True)
def write_law(row: Any, k: int, g: Any) -> None:
    """Copy the parameters of the contact law of a row to lane k."""
    g.contact_stiffness[k], g.contact_damping[k] = row.contact_stiffness, row.contact_damping
    g.friction_velocity_penalty[k], g.friction_stiffness[k] = row.friction_velocity_penalty, row.friction_stiffness
    g.friction_coefficient[k], g.clip_normal_force[k] = row.friction_coefficient, row.clip_normal_force


@kernel(inline=True)
def read_lane_law(k: int, damping_depth: float, g: Any) -> PointLaw:
    """Return the parameters of the contact law in lane k."""
    return PointLaw(
        g.contact_stiffness[k], g.contact_damping[k], damping_depth, g.friction_velocity_penalty[k],
        g.friction_stiffness[k], g.friction_coefficient[k], g.clip_normal_force[k] != 0.0,
    )  # fmt: skip


@kernel(inline=True)
def read_eight(a: FloatArray, k: int) -> Eight:
    """Return the eight values of lane k of the array a."""
    return a[0, k], a[1, k], a[2, k], a[3, k], a[4, k], a[5, k], a[6, k], a[7, k]


@kernel(inline=True)
def read_twelve(a: FloatArray, k: int) -> Twelve:
    """Return the twelve values of lane k of the array a."""
    return (
        a[0, k], a[1, k], a[2, k], a[3, k], a[4, k], a[5, k], a[6, k], a[7, k], a[8, k], a[9, k], a[10, k], a[11, k],
    )  # fmt: skip
