"""Family of the coordinate markers: arrays with one element per marker. All types of coordinate markers write these
arrays, and all laws on coordinates read them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.model.law import MarkerFamily

FAMILY = COORDINATE = MarkerFamily("coordinate marker")


class CoordinateMarkers(NamedTuple):
    """Motion of n coordinate markers. The number m is the largest number of coordinates of a marker among all marker
    types in the model.

    Most markers have one coordinate, and their Jacobian is 1. Only types of markers that provide `CURVED` have other
    Jacobians, rates of Jacobians, and second derivatives.
    """

    value: FloatArray  # displacement from the reference [m, 1 or rad], shape (n,)
    rate: FloatArray  # velocity [m/s, 1/s or rad/s], shape (n,)
    jacobian: FloatArray  # J, derivative of value with respect to the coordinates, padded by 0, shape (n, m)
    jacobian_rate: FloatArray  # time derivative of J; equal to ∂(rate)/∂(coordinates), shape (n, m)
    dofs: IntArray  # process-local indices of the coordinates, padded with an unused index, shape (n, m)
    second: IntArray  # index of each marker in ``hessian``, or -1 if its second derivatives are 0, shape (n,)
    hessian: FloatArray  # second derivatives of value with respect to the coordinates, shape (curved markers, m, m)


NO_MARKERS = CoordinateMarkers(
    np.zeros(0), np.zeros(0), np.zeros((0, 1)), np.zeros((0, 1)), np.zeros((0, 1), np.int64), np.zeros(0, np.int64),
    np.zeros((0, 1, 1)),
)  # fmt: skip


def coordinates_of(s: Any) -> CoordinateMarkers:
    """Return the coordinate markers of an evaluation. The arrays are empty if the model has no coordinate markers."""
    found: CoordinateMarkers = s.markers.get(FAMILY, NO_MARKERS)
    return found
