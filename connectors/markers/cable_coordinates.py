"""Markers with all coordinates and velocities of a cable, for connectors that need the whole shape of the cable.

    2D cables: q = [x0, y0, x0', y0', x1, y1, x1', y1'],    J = I
    moving material: the coordinates of a 2D cable, followed by the axial motion s of the material
    3D cables: q = [x0, y0, z0, x0', y0', z0', x1, ...]

Source: J. Gerstmayr, H. Irschik, On the correct representation of bending and axial deformation in the absolute nodal
coordinate formulation with an elastic line approach, J. Sound Vib. 318 (2008).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from windlass.connectors.markers.cable_shape import cable_lengths
from windlass.connectors.markers.marker_laws import number_markers, register_marker
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import MarkerFamily, Rows, Tables, register_family
from windlass.framework.model.schema import Component, ref

FAMILY = MarkerFamily("cable coordinates marker")


class CableMarkers(NamedTuple):
    """Coordinates of the cables of n markers. The number w is the largest number of coordinates of a cable, at least
    8.
    """

    coordinates: FloatArray  # total coordinates [m, 1], padded by 0, shape (n, w)
    velocities: FloatArray  # velocities [m/s, 1/s] of the coordinates, padded by 0, shape (n, w)
    length: FloatArray  # length [m] of the undeformed cable, shape (n,)
    dofs: IntArray  # process-local indices of the coordinates, padded with an unused index, shape (n, w)


class CableCoordinates(Component):
    """The coordinates of one 2D or 3D cable, including the axial motion of moving material."""

    provides = (FAMILY,)
    cable = ref("cable", "the cable")


def allocate(world: Tables, ids: IntArray, layout: Rows) -> CableMarkers:
    """Allocate the arrays of the markers of this process."""
    dofs = number_markers(world, ids, layout, FAMILY, 8)
    found = CableMarkers(np.zeros(dofs.shape), np.zeros(dofs.shape), np.zeros(len(ids)), dofs)
    for table, positions, rows in world.split_by_table(ids):
        found.length[positions] = cable_lengths(world, table.local("cable", rows))
    return found


class CableRows(NamedTuple):
    """Index ``k`` of each marker in the family, shape (rows,), and process-local indices ``dofs`` of the coordinates,
    shape (rows, w).
    """

    k: IntArray
    dofs: IntArray


@kernel
def update_cables(c: CableRows, m: CableMarkers, x: FloatArray, v: FloatArray) -> None:
    """Copy the coordinates and the velocities of the cables."""
    for i in range(len(c.k)):
        for a in range(c.dofs.shape[1]):
            m.coordinates[c.k[i], a] = x[c.dofs[i, a]]
            m.velocities[c.k[i], a] = v[c.dofs[i, a]]


register_family(FAMILY, allocate)
register_marker(
    CableCoordinates,
    FAMILY,
    update_cables,
    lambda rows: CableRows(rows.own_marker_index(), rows.dofs),
    "cable",
    "[@gerstmayr2008]",
)
