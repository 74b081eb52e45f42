"""Cable coordinates markers: all coordinates and velocities of a cable, for connectors that need its whole shape.

    q = [x0, y0, x0', y0', x1, y1, x1', y1'],    J = I

Source: J. Gerstmayr, H. Irschik, On the correct representation of bending and axial deformation in the absolute nodal
coordinate formulation with an elastic line approach, J. Sound Vib. 318 (2008).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from windlass.connectors.markers.marker_laws import register_marker
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import MarkerFamily, Rows, Tables, register_family
from windlass.framework.model.schema import Component, ref

FAMILY = "cable coordinates marker"


class CableColumns(NamedTuple):
    """What all cable coordinates markers provide; n markers.

    q: total coordinates [m, 1], shape (n, 8).
    v: velocities [m/s, 1/s], shape (n, 8).
    length: length of the undeformed cable [m], shape (n,).
    dofs: local coordinate numbers, shape (n, 8).
    """

    q: FloatArray
    v: FloatArray
    length: FloatArray
    dofs: IntArray


class CableCoordinates(Component):
    """The coordinates of one cable."""

    provides = (FAMILY,)
    cable = ref("Cable2D", "the cable")


def allocate(world: Tables, ids: IntArray, layout: Rows) -> CableColumns:
    """Columns for the local markers."""
    columns = CableColumns(
        np.zeros((len(ids), 8)), np.zeros((len(ids), 8)), np.zeros(len(ids)), np.zeros((len(ids), 8), np.int64)
    )
    for table, positions, rows in world.split_by_table(ids):
        columns.dofs[positions] = layout.local_dofs(world.row_dofs(table, rows))
        cables = table.local("cable", rows)
        for cable_table, where, cable_rows in world.split_by_table(cables):
            columns.length[positions[where]] = cable_table.local("length", cable_rows)
    return columns


class CableRows(NamedTuple):
    """Places k in the columns, shape (rows,), and local coordinate numbers, shape (rows, 8)."""

    k: IntArray
    dofs: IntArray


@kernel
def update_cables(c: CableRows, m: CableColumns, x: FloatArray, v: FloatArray) -> None:
    """Copy the coordinates of the cables to the columns."""
    for i in range(len(c.k)):
        for a in range(8):
            m.q[c.k[i], a] = x[c.dofs[i, a]]
            m.v[c.k[i], a] = v[c.dofs[i, a]]


register_family(MarkerFamily(FAMILY, allocate))
register_marker(
    CableCoordinates,
    FAMILY,
    update_cables,
    lambda rows: CableRows(rows.own_marker_index(), rows.dofs),
    "cable",
    "[@gerstmayr2008]",
)
