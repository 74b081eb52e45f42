"""Constraint of a constant distance between two points. The constraint represents a massless rigid rod.

    C = |p1 - p0| - distance

Source: E. J. Haug, Computer Aided Kinematics and Dynamics of Mechanical Systems, Allyn and Bacon (1989).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.connectors.constraints.joint_kernels import joint_rows
from windlass.connectors.constraints.joints import register_joint
from windlass.connectors.markers.position_kernels import PositionMarkers
from windlass.connectors.markers.position_markers import POSITION
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.schema import Component, column, ref


class DistanceConstraint(Component):
    """Keeps the distance between two points constant, in 2D or 3D. The multiplier is the tension of the rod."""

    provides = ("joint",)
    marker0 = ref(POSITION, "first point")
    marker1 = ref(POSITION, "second point")
    distance = column("m", "distance of the points", above=0.0, switchable=True)
    active = column("1", "the constraint acts only if true", dtype=bool, default=True, switchable=True)


@kernel
def equation(
    row: Any, k: int, m: PositionMarkers, m0: int, m1: int, d: FloatArray, g: FloatArray, G: FloatArray
) -> float:
    """Return C = |d| - distance [m]. The gradient g contains the direction u = d/|d|. The variation of u is δu = (I - u
    uᵀ) δd/|d|.
    """
    length = np.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
    for a in range(3):
        g[a] = d[a] / length
    for a in range(3):
        for b in range(3):
            G[a, b] = -g[a] * g[b] / length
        G[a, a] += 1.0 / length
    value: float = length - row.distance
    return value


loops = joint_rows(equation)


register_joint(DistanceConstraint, loops, multipliers=1, unit="m", equations="|p1 - p0| - distance, (1,)")
