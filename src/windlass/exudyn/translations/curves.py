"""Translation of contacts between circles and curves that consist of segments.

In Exudyn, each segment of length l exerts a separate force k l (r - D) on a circle of radius r. Here k is the contact
stiffness per length, and D is the distance between the centre of the circle and the segment. The force acts on circles
on both sides of the segment, and also beyond the ends of the segment. Therefore each segment is translated to a
separate closed profile with two points.
"""

from __future__ import annotations

import numpy as np

from windlass import connectors as con
from windlass.exudyn.histories import CurveHistory
from windlass.exudyn.registry import Building, Item, Refused, require, translates
from windlass.exudyn.translations.connectors import ACTIVE
from windlass.exudyn.translations.markers import find_frame, find_point
from windlass.framework.model.table import Entity

LAW = "dynamicFriction:friction", ACTIVE
NO_ZONE = 1e-12
"""For slip velocities below this value [m/s], friction is proportional to the slip velocity. This value is used if the
zone is 0 in Exudyn.
"""


@translates("ContactCurveCircles")
def curve_circles(b: Building, item: Item) -> Entity:
    """Add a contact for each circle and each segment of a curve."""
    require(item, contactModel=0)
    if np.size(item["polynomialData"]) and item["polynomialData"] is not None:
        raise Refused("polynomialData: segments must be straight")
    segments = np.asarray(item["segmentsData"], np.float64)
    base = find_frame(b, item["markerNumbers"][0])
    rotation = base.rotation @ np.asarray(item.get("rotationMarker0", np.eye(3)))
    if not np.allclose(rotation[2], (0.0, 0.0, 1.0), rtol=0.0, atol=1e-14):
        raise Refused("rotationMarker0: the curve must lie in the plane of x and y of its body")
    segments = (segments.reshape(-1, 2) @ rotation[:2, :2].T).reshape(-1, 4)
    lengths = np.hypot(*(segments[:, 2:] - segments[:, :2]).T)
    segments, lengths = segments[lengths > 0.0], lengths[lengths > 0.0]
    circles = [find_point(b, number) for number in item["markerNumbers"][1:]]
    profiles = [b.world.add(con.CurveProfile, points=points) for points in segments]
    n, m = len(segments), len(circles)
    contacts = b.add(
        con.ContactCurveCircle,
        item,
        *LAW,
        marker0=base.marker,
        marker1=circles * n,
        profile=[profile for profile in profiles for _ in circles],
        radius=np.tile(np.asarray(item["circlesRadii"], np.float64), n),
        contact_stiffness=np.repeat(float(item["contactStiffness"]) * lengths, m),
        contact_damping=np.repeat(float(item["contactDamping"]) * lengths, m),
        damping_limited=False,
        proportional_zone=max(float(item["frictionProportionalZone"]), NO_ZONE),
    )
    b.histories[int(item["nodeNumber"])] = CurveHistory(contacts, m)
    return contacts
