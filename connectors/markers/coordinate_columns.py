"""Columns of the coordinate markers: arrays with one element per marker. All types of coordinate markers write these
arrays, and all laws on coordinates read them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.model.law import MarkerFamily

FAMILY = COORDINATE = MarkerFamily("coordinate marker")


class CoordinateColumns(NamedTuple):
    """Data of n coordinate markers. The number m is the largest number of coordinates of a marker among all marker
    types in the model.

    Most markers have one coordinate and J = 1. Only types of markers that provide `CURVED` have other values of J and
    nonzero values of Jd and H.
    """

    value: FloatArray  # displacement from the reference [m, 1 or rad], shape (n,)
    rate: FloatArray  # velocity [m/s, 1/s or rad/s], shape (n,)
    J: FloatArray  # derivative of value with respect to the coordinates, padded by 0, shape (n, m)
    Jd: FloatArray  # derivative of rate with respect to the coordinates, which is the rate of J, shape (n, m)
    dofs: IntArray  # process-local coordinate indices, padded (ground: filled) with an unused index, shape (n, m)
    h: IntArray  # index of each marker in H, or -1 for markers without second derivatives, shape (n,)
    H: FloatArray  # second derivatives of value with respect to the coordinates, shape (curved markers, m, m)


NO_MARKERS = CoordinateColumns(
    np.zeros(0), np.zeros(0), np.zeros((0, 1)), np.zeros((0, 1)), np.zeros((0, 1), np.int64), np.zeros(0, np.int64),
    np.zeros((0, 1, 1)),
)  # fmt: skip


def coordinates_of(s: Any) -> CoordinateColumns:
    """Return the columns of the coordinate markers in an evaluation. The columns are empty if the model has no
    coordinate markers.
    """
    found: CoordinateColumns = s.markers.get(FAMILY, NO_MARKERS)
    return found
