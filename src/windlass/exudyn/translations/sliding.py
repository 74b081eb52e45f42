"""Translations of joints with points that slide along cables, or that move with the material of cables."""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass import connectors as con
from windlass.elements import SlidingNode
from windlass.exudyn.histories import SlidingHistory
from windlass.exudyn.registry import Building, Item, Refused, require, translates
from windlass.exudyn.translations.connectors import ACTIVE
from windlass.exudyn.translations.markers import find_point
from windlass.framework.model.table import Entity

SAME = 1e-9
"""Largest allowed difference [1] between an offset and the sum of the preceding cable lengths, relative to the total
length.
"""


SHAPES = "BodyCable2DCoordinates", "BodyBeamShape"
"""Types of markers on cables."""


def _track(b: Building, item: Item) -> Entity:
    """Add the track of a joint. The track consists of the cables in the order of the markers."""
    cables, lengths = [], []
    for number in item["slidingMarkerNumbers"]:
        marker = b.marker(number)
        if marker["markerType"] not in SHAPES:
            raise Refused(
                f"markerType of marker {int(number)} is {marker['markerType']}: must be {' or '.join(SHAPES)}"
            )
        cables.append(b.body(marker["bodyNumber"]))
        lengths.append(float(b.items["objects"][int(marker["bodyNumber"])]["length"]))
    before = np.cumsum(lengths) - lengths
    offsets = np.asarray(item["slidingMarkerOffsets"], np.float64)
    if np.shape(offsets) != np.shape(before) or np.abs(offsets - before).max() > SAME * sum(lengths):
        raise Refused(
            f"slidingMarkerOffsets = {offsets.tolist()}: must be {before.tolist()}, the lengths of the preceding cables"
        )
    return con.cable_track(b.world, cables)


def _join(b: Building, item: Item, data: Any, slides: bool, reference: float, *keys: str, **values: Any) -> Entity:
    node = b.world.add(SlidingNode, reference=reference)
    places = {"track": _track(b, item), "node": node, "marker": find_point(b, item["markerNumbers"][0])}
    joint = b.add(con.SlidingJoint, item, *keys, **places, **values)
    b.histories[int(data)] = SlidingHistory(joint, node, slides)
    return joint


@translates("JointSliding2D", "JointSliding")
def sliding(b: Building, item: Item) -> Entity:
    """Add a point that slides along a chain of cables. In 3D, rotations are not constrained. Both formulations of this
    joint in Exudyn are translated to one joint of Windlass.
    """
    in_space = item["objectType"] == "JointSliding"
    free = {"constrainRotations": [0, 0, 0], "constrainTranslations": [1, 1, 1]}
    require(item, axialForce=0.0, **(free if in_space else {"constrainRotation": False}))
    return _join(b, item, item["nodeNumber"], True, 0.0, ACTIVE)


@translates("JointALEMoving2D")
def moving(b: Building, item: Item) -> Entity:
    """Add a point that moves with the material of a chain of cables. The material position of the point is constant."""
    require(item, usePenaltyFormulation=False)
    on = bool(item["activeConnector"])
    data, reference = item["nodeNumbers"][0], float(item["slidingOffset"])
    joint = _join(b, item, data, False, reference, active=on)
    b.world.set(con.fix(b.world, joint, "s"), active=on)
    return joint
