"""Default directions for the frames of nodes along cables with twist: ``normal`` and ``turned_from``."""

from __future__ import annotations

import numpy as np

from windlass.elements.nodes.rotations import normalise
from windlass.elements.nodes.turning import smallest_rotations
from windlass.framework.arrays import FloatArray

STEPS = 4
"""Number of steps between two nodes in which a normal is moved along a cable."""
SMALL_MEAN = 0.3
"""Length of the mean slope [1]. If the length is smaller, the mean slope is not a candidate in `find_direction`. Such a
small mean results from slopes with opposite directions.
"""


def find_normals(slopes: FloatArray) -> FloatArray:
    """Return the default of ``normal`` at n unit slopes, shape (n, 3). The default is the global y axis, rotated by the
    smallest rotation from the global x axis to the slope.
    """
    return smallest_rotations(np.tile((1.0, 0.0, 0.0), (len(slopes), 1)), slopes)[:, :, 1]


def find_direction(slopes: FloatArray) -> FloatArray:
    """Return the default of ``turned_from``, a direction b of shape (3,). For each of several candidates, the largest
    angle between the candidate and the slopes along a route is computed, and b is the candidate for which this angle is
    smallest. With this direction b, the frame of a node is defined at every position along the route.

    Two opposite candidates are the directions in which the slopes have the smallest components, such as the axis of
    sheaves. Another candidate is the mean slope, which is suitable for straight routes.
    """
    t = normalise(slopes)
    across, mean = np.linalg.eigh(t.T @ t)[1][:, 0], t.mean(axis=0)
    size = float(np.linalg.norm(mean))
    directions = np.array([across, -across, *([mean / size] if size >= SMALL_MEAN else [])])
    # The values are rounded so that argmax selects the first of several values that differ only by rounding errors.
    return np.asarray(directions[np.argmax((t @ directions.T).min(axis=0).round(6))])
