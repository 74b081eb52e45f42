"""A law on whole cables as a user would write it: a bed that supports every coordinate of a cable.

    f = L (k (q - q_0) + d q_t), with the length L of the cable and the coordinates q_0 in the reference configuration

Source: the springs and dampers of a Winkler bed, lumped at the coordinates.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import windlass.connectors.markers.cable_coordinates as cc
from windlass.framework import Component, Output, System, call, column, kernel, ref, register
from windlass.framework.arrays import FloatArray, IntArray


class CableBed(Component):
    """Springs and dampers that support cables of any kind at all coordinates."""

    cable = ref(cc.FAMILY, "the cable")
    stiffness = column("N/m^2", "k, per length; N for slopes", default=0.0, minimum=0.0)
    damping = column("N s/m^2", "d, per length; N s for slopes", default=0.0, minimum=0.0)


class Columns(NamedTuple):
    """Positions of the markers, local coordinate numbers (rows, w), L k [N/m], L d [N s/m], q_0 (rows, w)."""

    m: IntArray
    dofs: IntArray
    k: FloatArray
    d: FloatArray
    q0: FloatArray


@kernel
def residual(c: Columns, m: cc.CableMarkers, f: FloatArray) -> None:
    """Add L (k (q - q_0) + d q_t) to f."""
    for i in range(len(c.m)):
        for a in range(c.dofs.shape[1]):
            k, d = c.k[i] * m.length[c.m[i]], c.d[i] * m.length[c.m[i]]
            f[c.dofs[i, a]] += k * (m.coordinates[c.m[i], a] - c.q0[i, a]) + d * m.velocities[c.m[i], a]


@kernel
def tangent(c: Columns, m: cc.CableMarkers, dq: float, dv: float, slots: IntArray, values: FloatArray) -> None:
    """Add dq L k + dv L d to the diagonal entries of ``values``."""
    for i in range(len(c.m)):
        for a in range(c.dofs.shape[1]):
            values[slots[i, a, a]] += (dq * c.k[i] + dv * c.d[i]) * m.length[c.m[i]]


def bind(rows: Any) -> Columns:
    """Return the markers of the rows and their columns."""
    k, d = rows.local("stiffness"), rows.local("damping")
    return Columns(rows.markers("cable"), rows.dofs, k, d, rows.layout.reference[rows.dofs])


def build(rows: Any) -> System:
    """Build the system of `CableBed`."""
    c, system = rows.columns, System("CableBed", rows.dofs)
    system.residual = call(residual, lambda s: (c, s.markers[cc.FAMILY], s.f))
    system.tangent = call(tangent, lambda s: (c, s.markers[cc.FAMILY], s.dq, s.dv, s.slots, s.values))
    return system


def eval_power(rows: Any, s: Any) -> FloatArray:
    """Return the power [W] dissipated by the dampers of each row, shape (rows,)."""
    c, m = rows.columns, s.markers[cc.FAMILY]
    return np.asarray(c.d * m.length[c.m] * (m.velocities[c.m] ** 2).sum(axis=1))


register(
    CableBed,
    "connector",
    dofs=lambda world, table: world.ref_dofs(table, "cable"),
    bind=bind,
    build=build,
    outputs={"power": Output("W", "that the dampers take, ()", eval_power)},
    source="[@shabana]",
)
