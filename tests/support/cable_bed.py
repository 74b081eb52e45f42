"""A law on whole cables as a user would write it: a bed that supports every coordinate of a cable.

    f = L (k (q - q_0) + d q_t), with the length L of the cable and the coordinates q_0 in the reference configuration

Source: the springs and dampers of a Winkler bed, lumped at the coordinates.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import windlass.connectors.markers.cable_coordinates as cc
from windlass.framework import Component, Output, System, call, column, kernel, ref, register
from windlass.framework.arrays import FloatArray, IntArray


class CableBed(Component):
    """Springs and dampers that support cables of any kind at all coordinates."""

    cable = ref(cc.FAMILY, "the cable")
    stiffness = column("N/m^2", "k, per length; N for slopes", default=0.0, minimum=0.0)
    damping = column("N s/m^2", "d, per length; N s for slopes", default=0.0, minimum=0.0)


@kernel
def residual(own: Any, m: cc.CableMarkers, dofs: IntArray, reference: FloatArray, f: FloatArray) -> None:
    """Add L (k (q - q_0) + d q_t) to f. The argument ``reference`` contains q_0, shape (rows, w)."""
    for i in range(len(own)):
        k, L = own[i].cable, m.length[own[i].cable]
        for a in range(dofs.shape[1]):
            spring = own[i].stiffness * (m.coordinates[k, a] - reference[i, a])
            f[dofs[i, a]] += L * (spring + own[i].damping * m.velocities[k, a])


@kernel
def tangent(own: Any, m: cc.CableMarkers, dq: float, dv: float, slots: IntArray, values: FloatArray) -> None:
    """Add dq L k + dv L d to the diagonal entries of ``values``."""
    for i in range(len(own)):
        for a in range(slots.shape[1]):
            values[slots[i, a, a]] += (dq * own[i].stiffness + dv * own[i].damping) * m.length[own[i].cable]


def build(rows: Any) -> System:
    """Build the system of `CableBed`."""
    own, reference = rows.columns, rows.layout.reference[rows.dofs]
    system = System("CableBed", rows.dofs)
    system.residual = call(residual, lambda s: (own, s.markers[cc.FAMILY], rows.dofs, reference, s.f))
    system.tangent = call(tangent, lambda s: (own, s.markers[cc.FAMILY], s.dq, s.dv, s.slots, s.values))
    return system


def eval_power(rows: Any, s: Any) -> FloatArray:
    """Return the power [W] dissipated by the dampers of each row, shape (rows,)."""
    own, m = rows.columns, s.markers[cc.FAMILY]
    k = own["cable"]
    return np.asarray(own["damping"] * m.length[k] * (m.velocities[k] ** 2).sum(axis=1))


register(
    CableBed,
    "connector",
    dofs=lambda world, table: world.ref_dofs(table, "cable"),
    bind=lambda rows: rows.pack(),
    build=build,
    outputs={"power": Output("W", "that the dampers take, ()", eval_power)},
    source="[@shabana]",
)
