"""The ground is the fixed global frame. The ground has no coordinates. Markers on the ground are fixed points. The
values of coordinate markers on the ground are 0.
"""

from __future__ import annotations

import numpy as np

from windlass.framework.model.law import Output, register
from windlass.framework.model.schema import Component, column


class Ground(Component):
    """The fixed global frame."""

    provides = ("body", "ground")
    position = column("m", "global position of the reference point", shape=(3,), default=(0.0,) * 3)


register(
    Ground,
    "passive",
    outputs={
        "position": Output(
            "m", "global position of the reference point, shape (3,)", lambda rows, s: rows.local("position")
        ),
        "velocity": Output("m/s", "always 0, shape (3,)", lambda rows, s: np.zeros((len(rows.rows), 3))),
    },
    source="definition of an inertial frame",
)
