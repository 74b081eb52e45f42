"""Check whether the cable elements on a circle are short enough. The check is based on the deviation of the cubic axis
of an element from the circle. In this module, an element is called a cable.

If a cubic of the length l = R theta lies on a circle of the radius R, it deviates from the circle by R theta^4/384 in
the normal direction. When the cubic is bent onto the circle, its points move along the circle by up to l³/(192 R²). The
derivation is in docs/explanation/theory/contact.md. The deviation has the following consequences:

- Tractions without load: the displacement along the circle deflects the bristles like slip, see `mesh_traction.py`. If
  the tractions exceed the friction limit mu f_n, both ends of an arc slip forwards and backwards alternately.
- Open points on the arc: the contact opens at points where the depth of a cable in the contact is smaller than the
  deviation of the cable from the circle. The energy of the bristles at these points is lost. This loss is relevant if
  the length sqrt(EA/mu_k) is a large part of the arc. Over this length, a change of tension is transferred to the
  circle.
- Short arcs: the bristles of a cable lose their deflection when the cable leaves the arc. If fewer than two cables lie
  on a pulley, the pulley slips whenever a cable leaves. If the arc of a pulley contains fewer cables, the error of the
  computed loss of speed of this pulley is larger. In test runs the error was below 0.5 % with 2.5 cables, up to 1 %
  with 1.9 cables, 15 % with 1.7 cables, and 75 % with 1 cable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.circle_contact.belt_ends import eval_ends
from windlass.connectors.circle_contact.mesh_traction import ENOUGH, MeshTraction, describe_more, eval_wave
from windlass.connectors.circle_contact.view import name_circles, touches_at_points
from windlass.connectors.contact.circles import CIRCLE_FAMILY
from windlass.connectors.contact.place_numbers import GAP
from windlass.connectors.markers.cable_shape import column_of
from windlass.connectors.markers.position_kernels import PositionMarkers
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.model.law import LocalRows
from windlass.framework.model.system import Fields

LARGEST_ANGLE = 0.25
"""Largest angle [rad] of a cable of a belt on its smallest circle, for an automatic choice of the number of cables."""
STRAIN_FACTOR = 0.8
"""Largest angle of a cable on a circle, divided by the fourth root of the mounting strain of the belt [rad]. The error
of the length of a cable increases with the fourth power of the angle.
"""
TOLERATED = 1.3
"""Ratio of the angle of a cable to the result of `choose_angle` [1]. Above this value, the error of tensions exceeds
one per cent.
"""
CABLES_ON_ARC = 3.0
"""Smallest number of cables on an arc [1], for an automatic choice of the number of cables."""
FEWEST_ON_ARC, FEWER_PER_REACH = 2.5, 2.4
"""Constants of the smallest number of touching cables for which the speed of a pulley is reliable [1]. FEWEST_ON_ARC:
number of cables if no cable touches beyond the ends of the arc. FEWER_PER_REACH: number of additional cables for each
cable that is in contact beyond each end of the arc, because such cables have no friction yet.
"""
REST = 1e-9
"""Speed of a rim [m/s]. Below this value, the circle is treated as not rotating."""
ROOM = 1.2
"""Ratio of the recommended number of cables on an arc to the smallest sufficient number [1]."""
FINEST = 4.0
"""Largest factor by which short arcs increase the number of elements that the smallest circle requires [1]."""
LARGEST_TRACTION = 0.75
"""Traction due to the mesh, relative to the friction limit [1]. Above this value, a note is printed before a run. If
the closed form of `mesh_traction.py` predicts this value, the traction in simulations is between 0.6 and 0.7 times the
friction limit.
"""


def choose_angle(strain: float) -> float:
    """Return the largest permitted angle [rad] that a cable of a belt may cover on the smallest circle. The argument
    ``strain`` is the mounting strain of the belt [1].
    """
    return min(LARGEST_ANGLE, STRAIN_FACTOR * float(strain**0.25))


def choose_elements(length: float, strain: float, radii: Sequence[float], arcs: Sequence[float]) -> int:
    """Return the smallest number of cables of a belt for which each cable is short enough for the smallest circle and
    the shortest arc of the belt.

    Args:
        length: length of the route [m].
        strain: mounting strain of the belt [1].
        radii: radii of the cord on the circles [m].
        arcs: lengths of the arcs on which the belt has friction [m].
    """
    count = length / (choose_angle(strain) * min(radii))
    touched = [CABLES_ON_ARC * length / arc for arc in arcs if arc > 0.0]
    return ceil(max(count, min(max(touched, default=0.0), FINEST * count)))


def find_touching_belts(c: NDArray[Any], fields: Fields) -> IntArray:
    """Return the indices of the rows of belts (``press`` > 0) in which the cable touches the circle, shape (k,)."""
    first = c["data"].astype(np.int64)
    on = np.flatnonzero((c["press"] > 0.0) & c["active"] & (c["axial_stiffness"] > 0.0))
    return on[[bool((fields.data[first[k] : first[k] + c["segments"][k]] <= 0.0).any()) for k in on]]


def find_coarse_belts(rows: LocalRows, c: NDArray[Any], fields: Fields) -> list[str]:
    """Find the cable of a belt that covers the largest angle on its circle. If the angle is so large that results are
    doubtful, return a description of this cable, otherwise an empty list.
    """
    on = find_touching_belts(c, fields)
    if not len(on):
        return []
    length = c["segments"] * c["length"]
    angle = length[on] / c["radius"][on]
    worst = on[np.argmax(angle)]
    allowed = choose_angle(float(c["press"][worst] / c["axial_stiffness"][worst]))
    if angle.max() <= TOLERATED * allowed:
        return []
    return [
        f"cables of {length[worst]:.3g} m span {angle.max():.3g} rad of the circle of {rows.table.kind} row "
        f"{rows.rows[worst]}: errors of tensions and creep of the belt may be some percent; take "
        f"{angle.max() / allowed:.2g} times as many elements, {allowed:.2g} rad each"
    ]


@dataclass(frozen=True)
class BeltArc:
    """Contact of a belt with a rotating circle: the name of the circle, and the index of the marker of the circle. Each
    belt has a different marker on the same circle.
    """

    circle: str
    marker: int

    def judge(self, total: FloatArray) -> str | None:
        """If so few cables touch the circle that the speed of the circle is doubtful, return a text, otherwise None.
        The argument ``total`` contains three values: the number of touching cables, this number times the radius [m],
        and this number times the number of cables in contact beyond each end of the arc.
        """
        touching, (radius, reach) = float(total[0]), total[1:] / total[0]
        least = FEWEST_ON_ARC + FEWER_PER_REACH * reach
        if touching >= least:
            return None
        # if the number of elements of the belt increases, the numbers of cables on the arc and beyond its ends increase
        # by the same factor
        more = ROOM * FEWEST_ON_ARC / max(touching - FEWER_PER_REACH * reach, 0.1 * touching)
        return (
            f"{touching:.2g} cables touch the circle {self.circle} of radius {radius:g} m, which turns: must be "
            f"{least:.2g} at least, otherwise errors of the speed and of the friction of the circle are some percent; "
            f"take {more:.2g} times as many elements"
        )


def count_touching(rows: LocalRows, c: NDArray[Any], fields: Fields) -> list[tuple[BeltArc, FloatArray]]:
    """Return, for each rotating circle that a belt touches with friction, the `BeltArc` and the argument of
    `BeltArc.judge`.
    """
    on = find_touching_belts(c, fields)
    on = on[(c["friction_coefficient"][on] > 0.0) & (c["friction_stiffness"][on] > 0.0)]
    circles: PositionMarkers = fields.markers[CIRCLE_FAMILY]
    markers, counts = rows.local("circle"), []
    for circle in np.unique(c["circle"][on]):
        own = on[c["circle"][on] == circle]
        one, marker = c[own], int(markers[own[0]])
        if abs(circles.angular_velocity[circle, 2]) * one["radius"][0] < REST:
            continue
        data, parts = one["data"].astype(np.int64), one["segments"]
        touch = np.array([np.mean(fields.data[first : first + n] <= 0.0) for first, n in zip(data, parts, strict=True)])
        stiffness, length = one["contact_stiffness"] / one["length"], parts * one["length"]
        untouched = eval_ends(one["press"], one["bending_stiffness"], stiffness, one["radius"]).untouched
        reach = np.maximum(-untouched * one["radius"] / length, 0.0)
        (name,) = name_circles(rows.world, markers[own[:1]])
        counts.append((BeltArc(name, marker), np.array((touch.sum(), touch @ one["radius"], touch @ reach))))
    return counts


def find_mesh_doubts(rows: LocalRows, c: NDArray[Any], out: FloatArray, cables: IntArray) -> list[str]:
    """Return descriptions of the reasons why results are doubtful because cables deviate from their circles. The
    argument ``out`` contains the outputs of all segments or points, and ``cables`` contains the cable of each row,
    shape (rows,).
    """
    at_points = touches_at_points(rows.table.component)
    # current gaps are used, because contact states may not have been updated yet
    gap = np.where(np.arange(out.shape[1]) < c["segments"][:, None], out[..., GAP], 0.0)
    if at_points:
        # belts on enlarged circles are checked after the run, together with the length of the cables of these belts
        gap = np.where(c["press"][:, None] > 0.0, 0.0, gap)
    depth = -gap.sum(axis=1) / c["segments"]
    rubs = c["active"] & (c["friction_coefficient"] > 0.0) & (c["friction_stiffness"] > 0.0)
    held = (depth > 0.0) & (2 * (gap < 0.0).sum(axis=1) >= c["segments"]) & rubs
    if not held.any():
        return []
    l = (c["segments"] * c["length"])[held]
    sunk, press = depth[held], (c["contact_stiffness"] * depth)[held]
    mu, mu_k, r = c["friction_coefficient"][held], c["friction_stiffness"][held], c["radius"][held]
    number, kind = rows.rows[held], rows.table.kind
    found = []
    EA, bristles = column_of(rows.world, cables, "axial_stiffness")[held], mu_k / c["length"][held]
    together = (c["segments"][held] >= ENOUGH) & at_points
    ends = MeshTraction(l, r, EA, bristles, mu * press / c["length"][held], together)
    # the median is used, because the traction of rows at the ends of an arc is not typical
    i = int(np.argsort(ends.traction)[len(l) // 2])
    if (traction := ends.traction[i]) > LARGEST_TRACTION:
        found.append(
            f"bristles of {kind} row {number[i]} are too stiff for cables of {l[i]:.3g} m: the cables move along the "
            f"circle by up to {eval_wave(l[i], r[i]):.2g} m while they are bent onto it; at the ends of the arc this "
            f"motion causes bristle forces of {traction:.2g} times the limit of friction, even without load: "
            f"{ends.at(i).advise()}"
        )

    stretch = np.sqrt(EA / bristles)
    wave = r * (l / r) ** 4 / 384.0
    shallow = np.where(stretch > r, wave / sunk, 0.0)
    i = int(np.argsort(shallow)[len(shallow) // 2])
    if shallow[i] > 1.0:
        stiffness = c["contact_stiffness"][held][i] / c["length"][held][i] / shallow[i]
        found.append(
            f"the cable sinks into the circle of {kind} row {number[i]} by {sunk[i]:.2g} m, less than the "
            f"{wave[i]:.2g} m by which its cubic axis deviates from the circle: the contact opens on parts of the arc, "
            f"on which soft bristles carry load over {stretch[i]:.2g} m: take a contact stiffness below "
            f"{stiffness:.2g} N/m^2, or {describe_more(shallow[i] ** 0.25)}"
        )
    return found
